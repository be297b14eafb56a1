/**
 * Kinetic and potential energy of a rod given by its strain, by a march of velocities.
 */
import { half, integer, minus, plus, times, type Expr } from '../../symbolic/expr.ts';
import { cross, dot, multiplySymmetric, type Vector3 } from '../../symbolic/vector.ts';
import type { BodyPart } from '../link/body-part.ts';
import { xyz } from '../equations/names.ts';
import { stepTravel, type Travel } from '../equations/recursion.ts';
import type { RodRow } from './rod-march.ts';

export function marchEnergy(row: RodRow, travel: Travel): ReturnType<BodyPart['energy']> {
  const { loops, step, section } = row;
  const name = 'energy';
  const values = loops.march(
    name,
    [...xyz('omega'), ...xyz('v'), ...xyz('g'), 'potential'],
    [...travel.angularVelocity, ...travel.velocity, ...travel.gravity, travel.potential],
  );
  const {
    angularVelocity: w,
    velocity: v,
    gravity,
    potential,
  } = stepTravel(step, row.motionAtRate(), travelOf(values.symbols));
  const { mass, first, inertia } = section;
  const kinetic = times(
    half,
    plus(times(mass, dot(v, v)), times(integer(2), dot(v, cross(w, first))), dot(w, multiplySymmetric(inertia, w))),
  );
  const { final, sums } = loops.add({
    name,
    stage: 3,
    carried: { values, next: [...w, ...v, ...gravity, potential] },
    sums: [
      { label: 'kinetic_energy', term: kinetic },
      { label: 'potential_energy', term: minus(times(mass, potential), dot(gravity, first)) },
    ],
  });
  return { own: travelOf(final), kinetic: sums[0]!, potential: sums[1]! };
}

function travelOf(entries: readonly Expr[]): Travel {
  const vector = (from: number): Vector3 => entries.slice(from, from + 3) as unknown as Vector3;
  return { angularVelocity: vector(0), velocity: vector(3), gravity: vector(6), potential: entries[9]! };
}
