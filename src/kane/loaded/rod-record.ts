/** The memory of a rod at rest (`runtime/rod-march.ts`): how many numbers each of its arrays has. */
import { POINTS, type Rod } from '../../runtime/rod-march.ts';
import { collocation } from './gauss-steps.ts';

/** What sizes depend on. */
export interface RodSizes {
  readonly steps: number;
  readonly panels: number;
  /** Strains that are free and rates of profiles. */
  readonly unknowns: number;
  readonly inputs: number;
  readonly profiles: number;
  /** Forces at the end with arms of their own. */
  readonly arms: number;
}

type ArrayName = { [K in keyof Rod]: Rod[K] extends Float64Array ? K : never }[keyof Rod];

/** By array, for so many steps; none has a size that is not affine in them. */
export function arraySizes({
  steps,
  panels,
  unknowns: n,
  inputs,
  profiles,
  arms,
}: RodSizes): Readonly<Record<ArrayName, number>> {
  const rows = POINTS * steps;
  const entries = 6 + profiles;
  const state = 7 + 2 * profiles;
  const [first, last] = [4 + profiles, 3 + profiles];
  const columns = 7 + inputs + profiles;
  const side = state + columns;
  return {
    ...{ points: POINTS, weights: POINTS, within: POINTS * POINTS },
    ...{ ends: panels + 1, nodes: steps + 1, places: rows, masses: 3 * rows },
    ...{ free: entries, starts: profiles, beginnings: profiles },
    ...{ u: inputs, base: 7, gravity: 3, moment: 3, forces: 6 * arms },
    ...{ strains: entries * rows, before: entries * rows, kept: entries * rows, changes: n * rows },
    sections: numbersOf(n, inputs, profiles) * rows,
    ...{ profileRows: profiles * rows, turns: 4 * rows, forceRows: 3 * rows, momentRows: 3 * rows },
    ...{ pullRows: profiles * rows, profileNodes: profiles * (steps + 1), turnNodes: 4 * (steps + 1) },
    ...{ positionNodes: 3 * (steps + 1), forceNodes: 3 * (steps + 1), momentNodes: 3 * (steps + 1) },
    pullNodes: profiles * (steps + 1),
    ...{ across: first * side * steps, moves: 3 * side * steps, bends: n * (state + 1) * rows },
    stiffness: last * (first + columns) * (steps + 1),
    ...{ state: state * columns, next: first * columns, moved: 3 * columns, end: 6 * columns },
    ...{ R: 9, slope: 12, spin: 16, bend: 12, load: entries, turning: 12, factor: n * n, column: 2 * n },
    stages: 4 * POINTS * (4 * POINTS + 1),
    ...{ byState: entries * state, slopes: POINTS * entries * side, rates: POINTS * state * side },
    tableau: POINTS * state * (POINTS * state + side),
    ...{ here: state * side, lower: last * side, pivots: last * (last + first + columns) },
    ...{ turned: last * last, form: last * last, yields: steps, unloaded: 3 },
  };
}

/** Of a section: what balances it, the lower triangle of its derivatives by unknowns, those by inputs, and by profiles. */
const numbersOf = (n: number, inputs: number, profiles: number): number =>
  n + triangleOf(n) + n * inputs + profiles * (1 + n + profiles);

const triangleOf = (n: number): number => (n * (n + 1)) / 2;

/** Whole numbers that are set once. */
export function fixedNumbers(
  sizes: Omit<RodSizes, 'steps'>,
): Pick<Rod, 'panels' | 'unknowns' | 'inputs' | 'profiles' | 'arms' | 'triangle' | 'numbers'> {
  const { panels, unknowns, inputs, profiles, arms } = sizes;
  const [triangle, numbers] = [triangleOf(unknowns), numbersOf(unknowns, inputs, profiles)];
  return { panels, unknowns, inputs, profiles, arms, triangle, numbers };
}

/** Arrays of the method, by name. */
export function methodNumbers(): Readonly<Record<'points' | 'weights' | 'within', readonly number[]>> {
  const { points, weights, within } = collocation(POINTS);
  return { points, weights, within: within.flat() };
}

/** Numbers that a rod begins with. */
const BEGINNING = {
  ...{ steps: 0, share: 0, length: 0, sweeps: 0, reached: 0, unstable: 0, failure: 0, failedAt: 0 },
} as const;

/** @param count of steps that were asked for: there may be one more in each piece but one. */
export const mostSteps = (count: number, panels: number): number => count + panels - 1;

export function createRod(sizes: RodSizes): Rod {
  const arrays = Object.fromEntries(
    Object.entries(arraySizes(sizes)).map(([name, size]) => [name, new Float64Array(size)]),
  ) as Record<ArrayName, Float64Array>;
  for (const [name, values] of Object.entries(methodNumbers())) arrays[name as ArrayName].set(values);
  return { ...arrays, ...fixedNumbers(sizes), ...BEGINNING };
}
