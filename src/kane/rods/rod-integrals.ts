/**
 * Sums over the sections of a rod at one configuration: mass moments, unit wrenches, the rod's block of the mass matrix. In
 * the axes that the rod starts in, about its start.
 */
import { plus, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, cross, dot, identityMatrix, symmetric3, zeroVector } from '../../symbolic/graph/vector.ts';
import { SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';
import { fixedStep, stepMassMoments, type BodyWrench, type MassMoments } from '../equations/recursion.ts';
import { vectorOf, type RodFrames } from './rod-frames.ts';

export interface RodIntegrals {
  readonly moments: MassMoments;
  /** Wrench and generalized forces that a unit acceleration of each coordinate takes. */
  readonly units: readonly BodyWrench[];
}

const MOMENTS = ['mass', ...xyz('first'), ...SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`)];
const WRENCH = [...xyz('force'), ...xyz('moment')];

export function rodIntegrals(frames: RodFrames): RodIntegrals {
  const { loops, lump, position, coordinates: names } = frames;
  const { angular, linear } = frames.columns.row;
  const carried = stepMassMoments(fixedStep({ rotation: identityMatrix, translation: position }), lump.moments());
  const { mass, first, inertia } = carried.atParent;
  /** About the section. */
  const units = names.map((_, a) =>
    lump.loads({ angularVelocity: zeroVector, angularAcceleration: angular[a]!, acceleration: linear[a]!, flow: a }),
  );
  /** Of a section that deforms with coordinate a, as coordinate b accelerates. */
  const deforming = (a: number, b: number): Expr => {
    const own = lump.moving.indexOf(a);
    return own < 0 ? zero : units[b]!.generalized[own]!;
  };
  const pairs = names.flatMap((_, a) => names.slice(0, a + 1).map((__, b) => [a, b] as const));
  const { sums } = loops.add({
    name: 'integrate',
    stage: 1,
    sums: [
      ...[mass, ...first, ...inertia].map((term, i) => ({ label: MOMENTS[i]!, term })),
      ...units.flatMap(({ force, moment }, a) =>
        [...force, ...addVectors(moment, cross(position, force))].map((term, i) => ({
          label: `${names[a]}_${WRENCH[i]}`,
          term,
        })),
      ),
      ...pairs.map(([a, b]) => ({
        label: `of_${names[a]}_and_${names[b]}`,
        term: plus(dot(linear[a]!, units[b]!.force), dot(angular[a]!, units[b]!.moment), deforming(a, b)),
      })),
    ],
  });
  const block = sums.slice(10 + 6 * names.length);
  const entry = (a: number, b: number) =>
    block[pairs.findIndex(([i, j]) => i === Math.max(a, b) && j === Math.min(a, b))]!;
  return {
    moments: { mass: sums[0]!, first: vectorOf(sums, 1), inertia: symmetric3(sums.slice(4, 10)) },
    units: names.map((_, a) => ({
      force: vectorOf(sums, 10 + 6 * a),
      moment: vectorOf(sums, 13 + 6 * a),
      generalized: names.map((__, b) => entry(a, b)),
    })),
  };
}
