/**
 * Kinetic and potential energy of a rod given by its strain: velocities of the sections are integrals, v' = ω × R ν + R ν̇.
 */
import { minus, times } from '../../symbolic/graph/expr.ts';
import { addVectors, cross, dot, multiplyTransposed, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyPart } from '../body/body-part.ts';
import { xyz } from '../equations/names.ts';
import type { Travel } from '../equations/recursion.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';
import type { RodMotion } from './rod-motion.ts';

export function rodEnergy(frames: RodFrames, motion: RodMotion, travel: Travel): ReturnType<BodyPart['energy']> {
  const { loops, row, lump, end, position } = frames;
  const { gravity, potential } = travel;
  const spin = motion.angularVelocity(travel.angularVelocity);
  const velocities = loops.integrate({
    name: 'velocity',
    stage: 3,
    direction: 'from start',
    labels: xyz('v'),
    values: addVectors(cross(spin.row, row.tangent), motion.stretching()),
  });
  const v = addVectors(travel.velocity, vectorOf(velocities.atRow));
  const { mass, first } = lump;
  const height = minus(potential, dot(gravity, position));
  const { sums } = loops.add({
    name: 'energy',
    stage: 3,
    sums: [
      { label: 'kinetic_energy', term: lump.kineticEnergy(v, spin.row) },
      { label: 'potential_energy', term: minus(times(mass, height), dot(gravity, first)) },
    ],
  });
  const own = (vector: Vector3): Vector3 => multiplyTransposed(end.rotation, vector);
  return {
    own: {
      angularVelocity: own(spin.end),
      velocity: own(addVectors(travel.velocity, vectorOf(velocities.whole))),
      gravity: own(gravity),
      potential: minus(potential, dot(gravity, end.translation)),
    },
    kinetic: sums[0]!,
    potential: sums[1]!,
  };
}
