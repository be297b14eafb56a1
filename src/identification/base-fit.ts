/**
 * Base parameters from data: where rates and accelerations are given, by least squares with motion as it is; where they are not, together
 * with the motion (errors-in-variables.ts), for two lengths of its pieces that have to agree.
 */
import { autoregression } from './motion/autoregression.ts';
import { BaseForces } from './base-forces.ts';
import type { BaseParameters } from './base-parameters.ts';
import { errorsInVariables } from './motion/errors-in-variables.ts';
import { TriangularRows, weightedFit, weightedRows } from './least-squares.ts';
import type { Measurements } from './measurements.ts';
import type { Regressor } from './regressor.ts';
import { chosenWindow, SHORTEST_WINDOW, smoothMotion, stateOf, type SmoothMotion } from './motion/smooth-motion.ts';
import type { MotionState } from './exciting-states.ts';

/** What data say of combinations of parameters. */
export interface MeasuredRows {
  /** Of forces as they are, by coordinate; unknowns in units of the sizes of their parameters. */
  readonly stacks: readonly TriangularRows[];
  /** By instant and coordinate. */
  readonly rows: readonly (readonly (readonly number[])[])[];
  /** Mean squares of forces less the offset. */
  readonly squares: Float64Array;
}

/** Estimates in units of the sizes of parameters. */
export interface BaseFit {
  readonly values: readonly number[];
  /** Standard deviations. */
  readonly deviations: readonly number[];
  readonly condition: number;
  /** (A, b) in units of the noise: all that the data tell. */
  readonly rows: readonly (readonly number[])[];
  /** Of forces along the motion that was found. */
  readonly measured: MeasuredRows;
  /** Estimates that should not be trusted, and why. */
  readonly doubts: readonly Doubt[];
}

export type Doubt =
  | { readonly kind: 'unsettled' }
  /** Two lengths of pieces, in instants, and unknowns for which they do not agree, with both values. */
  | {
      readonly kind: 'disagreement';
      readonly windows: readonly [number, number];
      readonly unknowns: readonly { readonly index: number; readonly values: readonly [number, number] }[];
    };

/** Of the forces: their noise counts as no less than this, also for physical values. */
const LEAST_ERROR = 1e-7;
/** Values that are apart by more deviations do not agree; differences below a share of what a parameter is are none. */
const AGREEMENT = 3;
const SAME = 1e-3;
/** Between colours of the noise and estimates that know of them. */
const COLOURED_ROUNDS = 3;

/** What forces at some motion say. @throws KanegenError `undefined-forces`. */
export function measuredRows(forces: BaseForces, data: Measurements, states: readonly MotionState[]): MeasuredRows {
  const { coordinates: n, unknowns } = forces;
  const rows = states.map((state, sample) => {
    const { offset, Y } = forces.linear(state, sample);
    return Array.from(offset, (own, k) => [
      ...Y.subarray(k * unknowns, (k + 1) * unknowns),
      data.tau[sample]![k]! - own,
    ]);
  });
  const squares = Float64Array.from({ length: n }, (_, k) =>
    rows.reduce((sum, row) => sum + row[k]![unknowns]! ** 2 / rows.length, 0),
  );
  return { stacks: stacked(rows, unknowns, n), rows, squares };
}

function stacked(rows: MeasuredRows['rows'], unknowns: number, coordinates: number): TriangularRows[] {
  return Array.from({ length: coordinates }, (_, k) => {
    const stack = new TriangularRows(unknowns);
    for (const row of rows) stack.add(row[k]!);
    return stack;
  });
}

/** @param scales force that is large, by coordinate. */
export function exactMotionFit(measured: MeasuredRows, scales: readonly number[]): BaseFit {
  const { rows, stacks } = measured;
  const unknowns = rows[0]![0]!.length - 1;
  let whiteStacks = stacks;
  let fit = weightedFit(stacks, scales);
  for (let round = 0; round < COLOURED_ROUNDS; round++) {
    const memories = stacks.map((_, k) =>
      fit.noise[k]! > LEAST_ERROR * scales[k]!
        ? autoregression([rows.map((row) => residual(row[k]!, fit.values))])
        : [],
    );
    if (round === 0 && memories.every((phi) => phi.length === 0)) break;
    whiteStacks = stacked(whitened(rows, memories), unknowns, stacks.length);
    fit = weightedFit(whiteStacks, scales);
  }
  const felt = fit.noise.map((own, k) => Math.max(own, LEAST_ERROR * scales[k]!));
  return { ...fit, rows: weightedRows(whiteStacks, felt), measured, doubts: [] };
}

function residual(row: readonly number[], values: readonly number[]): number {
  return values.reduce((rest, x, i) => rest - row[i]! * x, row[values.length]!);
}

/** Rows less what their noise has of the rows before them. */
function whitened(rows: MeasuredRows['rows'], memories: readonly (readonly number[])[]): number[][][] {
  const longest = Math.max(...memories.map((phi) => phi.length));
  return rows
    .slice(longest)
    .map((row, i) =>
      row.map((own, k) =>
        own.map((x, j) => memories[k]!.reduce((sum, phi, l) => sum - phi * rows[longest + i - 1 - l]![k]![j]!, x)),
      ),
    );
}

/** Motion by the sensors alone. @param window instants per piece; chosen by the data when missing. */
export function motionOf(data: Measurements, window: number | undefined): { motion: SmoothMotion; window: number } {
  const taken = window ?? chosenWindow(data);
  return { motion: smoothMotion(data, taken), window: taken };
}

export function statesOf(motion: SmoothMotion): MotionState[] {
  return motion.at.map((_, sample) => stateOf(motion, sample));
}

/** @param start motion by the sensors alone, and what forces along it say. */
export function estimatedMotionFit(
  regressor: Regressor,
  structure: BaseParameters,
  data: Measurements,
  start: { readonly motion: SmoothMotion; readonly window: number; readonly measured: MeasuredRows },
  scales: readonly number[],
): BaseFit & { readonly motion: SmoothMotion } {
  const forces = new BaseForces(regressor, structure, data);
  const least = scales.map((scale) => LEAST_ERROR * scale);
  const alone = weightedFit(start.measured.stacks, scales);
  const noise = alone.noise.map((deviation, k) => ({
    deviation: Math.max(deviation, least[k]!),
    phi: [],
    shares: Array<number>(k).fill(0),
  }));
  const fit = errorsInVariables(forces, data, { motion: start.motion, values: alone.values, noise }, least);
  const finer = Math.max(Math.round(start.window / 2), SHORTEST_WINDOW);
  const other = finer < start.window ? finer : start.window + 1;
  const beside = errorsInVariables(forces, data, { ...fit, motion: smoothMotion(data, other) }, least);
  const apart = fit.values.flatMap((value, index) => {
    const second = beside.values[index]!;
    const deviation = Math.max(fit.deviations[index]!, beside.deviations[index]!);
    const isApart = Math.abs(value - second) > Math.max(AGREEMENT * deviation, SAME * Math.max(Math.abs(value), 1));
    return isApart ? [{ index, values: [value, second] as const }] : [];
  });
  const doubts: Doubt[] = [
    ...(fit.settled ? [] : [{ kind: 'unsettled' } as const]),
    ...(apart.length > 0 ? [{ kind: 'disagreement', windows: [start.window, other], unknowns: apart } as const] : []),
  ];
  return { ...fit, measured: measuredRows(forces, data, statesOf(fit.motion)), doubts };
}
