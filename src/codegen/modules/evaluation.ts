/**
 * States and what is reported of them: the numbers that the C program of a robot prints, by name.
 */

import { TIME } from '../../description/model/robot.ts';

/** One number per coordinate, SI units. */
export interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly qdd: readonly number[];
  /** Seconds; of robots whose bodies depend on the time, 0 when missing. */
  readonly t?: number;
  /** Inputs of the actuators, 0 when missing. */
  readonly u?: readonly number[];
  /** Generalized forces whose accelerations are wanted, beside those of the inputs; when missing, those that the motion takes. */
  readonly forces?: readonly number[];
  /** Of robots with loops, 1/s: J qdd + bias = −2 alpha phi_rate − beta² phi; zero when missing. */
  readonly feedback?: { readonly alpha: number; readonly beta: number };
}

/** Run-time parameters take the time of a state, which robots without one do not say. */
export function takeTime(parameters: Record<string, number | Float64Array>, { t }: Pick<State, 't'>): void {
  if (t !== undefined) parameters[TIME.name] = t;
}

/** What acts on a frame at every state: moment about its origin, then force; world axes, or those of the frame where it follows. */
export interface FrameLoad {
  /** Index of the frame. */
  readonly frame: number;
  readonly wrench: readonly number[];
  readonly follows?: boolean;
}

/** Terms of tau = M qdd + c + g at one state, and of the forces beside them; SI units, world axes, matrices by rows. */
export interface StateResult {
  readonly M: readonly (readonly number[])[];
  readonly c: readonly number[];
  readonly g: readonly number[];
  /** Less what loads on frames do, where there are any. */
  readonly tau: readonly number[];
  readonly elastic: readonly number[];
  readonly damping: readonly number[];
  /**
   * Accelerations by forward dynamics: of the state's forces and loads, or of the forces that the motion takes, qdd again then. Missing
   * where the mass matrix is singular.
   */
  readonly qdd?: readonly number[];
  /** Of robots in water: drag and buoyancy. */
  readonly fluid?: readonly number[];
  /** tau + elastic + damping + fluid in one call, and less what loads do. */
  readonly tau_active: readonly number[];
  /** Generalized forces of loads on frames, where there are any: J' wrench. */
  readonly load?: readonly number[];
  /** d elastic / d q and d damping / d qd */
  readonly stiffness: readonly (readonly number[])[];
  readonly dissipation: readonly (readonly number[])[];
  readonly kinetic_energy: number;
  /** Of the weight. */
  readonly potential_energy: number;
  readonly elastic_energy: number;
  readonly tip_position: readonly number[];
  readonly tip_rotation: readonly (readonly number[])[];
  /** Of robots with actuators. */
  readonly y?: readonly number[];
  readonly yd?: readonly number[];
  readonly ydd0?: readonly number[];
  readonly B?: readonly (readonly number[])[];
  /** B u, by the function that does not form B. */
  readonly actuation?: readonly number[];
  /** Of robots with loops: residuals of their rows, rates, second derivatives at qdd = 0, J by rows. */
  readonly phi?: readonly number[];
  readonly phi_rate?: readonly number[];
  readonly bias?: readonly number[];
  readonly J?: readonly (readonly number[])[];
  /** With qdd: J' multipliers is what the loops add to the forces; and the rank of J. */
  readonly multipliers?: readonly number[];
  readonly rank?: number;
  /** Least changes towards the loops, of q and of qd. */
  readonly position_correction?: readonly number[];
  readonly rate_correction?: readonly number[];
}

/** What functions say of a state that have no term of their own in `StateResult`. */
export interface FurtherFunctions {
  /** By the functions that need no update: M and g again. */
  readonly massMatrixAt: readonly (readonly number[])[];
  readonly gravityAt: readonly number[];
  /** Of the tip, 6 × n: angular, then linear velocity per unit rate of each coordinate. */
  readonly tipJacobian: readonly (readonly number[])[];
}

/** All that the C program of a robot prints of a state. */
export interface ProgramResult {
  readonly terms: StateResult;
  readonly further: FurtherFunctions;
}

/**
 * Takes the numbers of one state apart, in the order in which the C program prints them.
 * @param inWater are there forces of water?
 * @param isLoaded are there loads on frames?
 * @param loops rows of loops.
 */
export function resultFromNumbers(
  numbers: readonly number[],
  n: number,
  actuators: number,
  inWater: boolean,
  isLoaded = false,
  loops = 0,
): ProgramResult {
  const vectors = 14 + Number(inWater) + Number(isLoaded);
  const ofLoops = loops > 0 ? (4 + n) * loops + 1 + 2 * n : 0;
  const expected = 4 * n * n + vectors * n + 15 + (actuators > 0 ? (3 + n) * actuators + n : 0) + ofLoops;
  if (numbers.length !== expected) throw new Error(`expected ${expected} numbers for a state, got ${numbers.length}`);
  let next = 0;
  const take = (count: number): number[] => numbers.slice(next, (next += count));
  const rows = (count: number, width: number): number[][] => Array.from({ length: count }, () => take(width));
  const terms = {
    M: rows(n, n),
    c: take(n),
    g: take(n),
    tau: take(n),
    elastic: take(n),
    damping: take(n),
    ...(inWater && { fluid: take(n) }),
    tau_active: take(n),
    ...(isLoaded && { load: take(n) }),
    stiffness: rows(n, n),
    dissipation: rows(n, n),
    kinetic_energy: take(1)[0]!,
    potential_energy: take(1)[0]!,
    elastic_energy: take(1)[0]!,
    tip_position: take(3),
    tip_rotation: rows(3, 3),
  };
  const further = { massMatrixAt: rows(n, n), gravityAt: take(n), tipJacobian: rows(6, n) };
  const qdd = take(n);
  const found = qdd.some(Number.isNaN) ? terms : { ...terms, qdd };
  const driven = actuators > 0 && {
    y: take(actuators),
    yd: take(actuators),
    ydd0: take(actuators),
    B: rows(n, actuators),
    actuation: take(n),
  };
  const closed = loops > 0 && {
    phi: take(loops),
    phi_rate: take(loops),
    bias: take(loops),
    J: rows(loops, n),
    multipliers: take(loops),
    rank: take(1)[0]!,
    position_correction: take(n),
    rate_correction: take(n),
  };
  return { terms: { ...found, ...driven, ...closed }, further };
}
