/**
 * Equilibria: g(q) + elastic(q) = forces + B(q) u + Σ Jᵀ w, by Newton's method with a line search; where that does not converge, along
 * the path on which gravity and everything that acts grow together from nothing, by its arc length, so that loads may also
 * fall on the way (limit points).
 */
import { EigenvalueDecomposition, Matrix, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';
import { tangentStiffness } from './derivatives.ts';
import type { StaticLoads } from './static-loads.ts';

export interface Equilibrium {
  readonly q: readonly number[];
  /** Largest generalized force that is left, and the largest of those that balance. */
  readonly residual: number;
  readonly scale: number;
  readonly iterations: number;
  /**
   * Of the symmetric part of the tangent stiffness ∂(g + elastic − loads)/∂q: stable when positive; zero where some motion
   * costs nothing. Of the coordinates that are not held.
   */
  readonly smallestEigenvalue: number;
  /** By coordinate, the generalized force of what holds it: zero where nothing does. */
  readonly holding: readonly number[];
  /** Did the way lead along the path of growing loads? */
  readonly byContinuation: boolean;
}

/** Why there is no equilibrium, and at which share of the loads the search ended. */
export class NoEquilibrium extends Error {
  readonly loadFactor: number;

  constructor(loadFactor: number, message: string) {
    super(message);
    this.loadFactor = loadFactor;
  }
}

/** `no equilibrium beyond 12 % of gravity and loads: …` */
export function noEquilibriumText({ loadFactor, message }: NoEquilibrium): string {
  const share = Number((100 * loadFactor).toPrecision(3));
  const where = `beyond ${share} % of gravity and loads`;
  const reached = share > 0 ? where : 'of gravity and loads: the path of equilibria turns back';
  return `no equilibrium${share === 0 ? '' : ` ${reached}`}: ${message}`;
}

const MOST_ITERATIONS = 60;
const MOST_CORRECTIONS = 12;
const MOST_ARCS = 2000;
/** Relative to the forces that balance. */
const PRECISION = 1e-13;

/**
 * @param start where the search begins: the defaults of the coordinates when missing.
 * @throws NoEquilibrium
 * @throws RangeError of `checkLoads`, and of a start of other than finite numbers, one per coordinate.
 */
export function equilibrium(
  robot: Robot,
  dynamics: LoadedRobot,
  loads: StaticLoads = {},
  start: readonly number[] = robot.coordinates.map(({ value }) => value),
): Equilibrium {
  checkLoads(robot, loads);
  if (start.length !== robot.coordinates.length || !start.every(Number.isFinite))
    throw new RangeError(`the start takes ${robot.coordinates.length} finite numbers, one per coordinate`);
  const balance = new Balance(robot, dynamics, loads);
  try {
    const direct = newton(balance, [...start], 1);
    if (direct) return finished(balance, direct, false);
    return finished(balance, followLoads(balance, [...start]), true);
  } finally {
    balance.restore();
  }
}

/**
 * ∂q/∂u of an equilibrium, by actuator, by K ∂q/∂u = B; along motions that nothing resists, nothing moves. Undefined where it is not
 * finite.
 * @throws NoEquilibrium where the dynamics have no finite derivatives.
 */
export function responseToInputs(
  robot: Robot,
  dynamics: LoadedRobot,
  loads: StaticLoads,
  q: readonly number[],
): number[][] | undefined {
  const stiffness = new Balance(robot, dynamics, loads).tangent(q, 1);
  const [n, m] = [robot.coordinates.length, robot.actuators.length];
  const B = new Float64Array(n * m);
  dynamics.update(q, new Float64Array(n));
  if (dynamics.actuation(null, null, null, B) !== KG_OK) return undefined;
  const columns = robot.actuators.map((_, k) =>
    solve(
      stiffness,
      Array.from({ length: n }, (__, i) => B[i * m + k]!),
    ),
  );
  return columns.every((column) => column !== undefined) ? columns : undefined;
}

/**
 * @throws RangeError where there are too few or too many numbers, or some are not finite, and where there is no such coordinate or
 * frame.
 */
export function checkLoads({ name, coordinates, actuators, frames }: Robot, loads: StaticLoads): void {
  const refuse = (what: string): never => {
    throw new RangeError(what);
  };
  const numbers = (what: string, given: readonly number[] | undefined, count: number): unknown =>
    given &&
    (given.length !== count || !Array.from(given).every(Number.isFinite)) &&
    refuse(`${what}: expected ${count} finite numbers`);
  const index = (what: string, given: number, count: number): unknown =>
    (Number.isInteger(given) && given >= 0 && given < count) ||
    refuse(`${what}: ${name} has no ${given}, only 0 to ${count - 1}`);
  if (typeof loads !== 'object' || loads === null) refuse('loads must be an object, {} without loads');
  numbers('inputs, one per actuator', loads.inputs, actuators.length);
  numbers('forces, one per coordinate', loads.forces, coordinates.length);
  for (const coordinate of loads.held ?? []) index('held coordinates', coordinate, coordinates.length);
  for (const { frame, wrench } of loads.wrenches ?? []) {
    index('frames of wrenches', frame, frames.length);
    numbers('a wrench, moment and force', wrench ?? [], 6);
  }
}

/** Generalized forces of a share of the loads at the staged state. */
export function actingForces(
  dynamics: LoadedRobot,
  size: number,
  loads: StaticLoads,
  factor: number,
  demand: (status: Status) => void,
): Float64Array {
  const acting = Float64Array.from({ length: size }, (_, i) => factor * (loads.forces?.[i] ?? 0));
  const scaled = (values: readonly number[]): number[] => values.map((value) => factor * value);
  if (loads.inputs?.some((u) => u !== 0)) demand(dynamics.actuate(scaled(loads.inputs), acting));
  for (const { frame, wrench, follows = false } of loads.wrenches ?? [])
    demand(dynamics[follows ? 'externalInFrame' : 'external'](frame, scaled(wrench), acting));
  return acting;
}

/** Generalized forces that are out of balance at a share of the loads. */
class Balance {
  readonly size: number;
  private readonly dynamics: LoadedRobot;
  private readonly loads: StaticLoads;
  private readonly gravity: readonly number[];
  private readonly names: readonly string[];
  /** Indices of the coordinates that nothing holds. */
  readonly free: readonly number[];
  /** Of the last evaluation: the largest force that takes part. */
  scale = 0;

  constructor(robot: Robot, dynamics: LoadedRobot, loads: StaticLoads) {
    this.size = robot.coordinates.length;
    this.names = robot.coordinates.map(({ name }) => name);
    this.dynamics = dynamics;
    this.loads = loads;
    this.gravity = [...dynamics.parameters.gravity];
    this.free = this.names.map((_, i) => i).filter((i) => !loads.held?.includes(i));
  }

  restore(): void {
    this.dynamics.parameters.gravity.set(this.gravity);
  }

  /** Why the path of equilibria ends at a point: the motion that nothing resists and something drives, if there is one. */
  unbalanced(point: readonly number[]): string {
    const [q, factor] = [point.slice(0, this.size), point[this.size]!];
    const r = this.at(q, factor + 1e-3);
    const { values, V, least } = decomposed(this.tangent(q, factor));
    const driven = values.map((value, k) =>
      value > least ? 0 : Math.abs(r.reduce((sum, x, i) => sum + x * V.get(i, k), 0)),
    );
    const free = driven.indexOf(Math.max(...driven));
    if (!(driven[free]! > 1e-9 * this.scale)) return 'the path of equilibria cannot be followed further';
    const shares = r.map((_, i) => Math.abs(V.get(i, free)));
    return `nothing balances the forces on ${this.names[shares.indexOf(Math.max(...shares))]!}`;
  }

  /**
   * What holds a coordinate balances it.
   * @throws NoEquilibrium where the dynamics have no finite result.
   */
  at(q: readonly number[], factor: number): number[] {
    const left = this.withoutHolds(q, factor);
    return left.map((x, i) => (this.free.includes(i) ? x : 0));
  }

  /** The same, undefined where the dynamics have no finite result: a step led too far. */
  tried(q: readonly number[], factor: number): number[] | undefined {
    try {
      return this.at(q, factor);
    } catch (error) {
      if (error instanceof NoEquilibrium) return undefined;
      throw error;
    }
  }

  /** The same as if nothing were held. */
  withoutHolds(q: readonly number[], factor: number): number[] {
    const { dynamics, loads, size } = this;
    const demand = (status: Status): void => {
      if (status !== KG_OK) throw new NoEquilibrium(factor, 'the dynamics have no finite result there');
    };
    dynamics.parameters.gravity.set(this.gravity.map((g) => g * factor));
    demand(dynamics.update(q, new Float64Array(size)));
    // A current past a robot at rest has forces by added mass, which stand in c.
    const [c, g] = [new Float64Array(size), new Float64Array(size)];
    const [elastic, fluid] = [new Float64Array(size), new Float64Array(size)];
    demand(dynamics.terms(c, g, elastic, null));
    demand(dynamics.fluid(fluid));
    const acting = actingForces(dynamics, size, loads, factor, demand);
    const taking = [c, g, elastic, fluid, acting].flatMap((part) => this.free.map((i) => Math.abs(part[i]!)));
    this.scale = Math.max(...taking, Number.MIN_VALUE);
    return Array.from({ length: size }, (_, i) => c[i]! + g[i]! + elastic[i]! + fluid[i]! - acting[i]!);
  }

  /** ∂/∂q; rows and columns of what is held are zero, so that it stays where it is. */
  tangent(q: readonly number[], factor: number): Matrix {
    const { inputs = [], wrenches = [] } = this.loads;
    const scaled = (values: readonly number[]): number[] => values.map((value) => factor * value);
    const loads = {
      inputs: scaled(inputs),
      wrenches: wrenches.map((own) => ({ ...own, wrench: scaled(own.wrench) })),
    };
    const demand = (status: Status): void => {
      if (status !== KG_OK) throw new NoEquilibrium(factor, 'the dynamics have no finite derivatives there');
    };
    const tangent = tangentStiffness(this.dynamics, q, loads, (x) => this.withoutHolds(x, factor), demand);
    for (const i of this.loads.held ?? [])
      for (let j = 0; j < this.size; j++) {
        tangent.set(i, j, 0);
        tangent.set(j, i, 0);
      }
    return tangent;
  }
}

const largest = (values: readonly number[]): number => Math.max(...values.map(Math.abs));
const isFinite = (values: readonly number[]): boolean => values.every(Number.isFinite);

/** Singular values below, relative to the largest of the scaled matrix, are those of motions that cost nothing. */
const INDIFFERENT = 1e-9;

/** U S Vᵀ of a matrix in units in which all coordinates are alike; what is below `least` costs nothing. */
function decomposed(matrix: Matrix): { U: Matrix; V: Matrix; values: number[]; units: number[]; least: number } {
  const units = matrix.to2DArray().map((row) => 1 / Math.sqrt(largest(row) || 1));
  const scaled = new Matrix(matrix.to2DArray().map((row, i) => row.map((x, j) => x * units[i]! * units[j]!)));
  const svd = new SingularValueDecomposition(scaled);
  const values = svd.diagonal;
  const least = INDIFFERENT * (values[0] ?? 0);
  return { U: svd.leftSingularVectors, V: svd.rightSingularVectors, values, units, least };
}

/** The shortest solution: along motions that no force resists, such as that of a joint about the vertical, nothing moves. */
function solve(matrix: Matrix, right: readonly number[]): number[] | undefined {
  if (!isFinite(matrix.to1DArray())) return undefined;
  const { U, V, values, units, least } = decomposed(matrix);
  const x = right.map(() => 0);
  values.forEach((value, k) => {
    if (!(value > least)) return;
    let share = 0;
    right.forEach((r, i) => (share += U.get(i, k) * r * units[i]!));
    x.forEach((_, i) => (x[i] = x[i]! + ((V.get(i, k) * share) / value) * units[i]!));
  });
  return isFinite(x) ? x : undefined;
}

interface Found {
  readonly q: number[];
  readonly iterations: number;
}

/** Undefined where it does not converge. */
function newton(balance: Balance, start: number[], factor: number): Found | undefined {
  let q = start;
  let r = balance.at(q, factor);
  for (let iterations = 0; iterations < MOST_ITERATIONS; iterations++) {
    if (largest(r) <= PRECISION * balance.scale) return { q, iterations };
    const stiffness = balance.tangent(q, factor);
    const step = solve(stiffness, r);
    if (!step) return undefined;
    const norm = Math.hypot(...r);
    let found: { q: number[]; r: number[] } | undefined;
    for (let share = 1; share > 1e-4 && !found; share /= 2) {
      const next = q.map((x, i) => x - share * step[i]!);
      const left = balance.tried(next, factor);
      if (left && Math.hypot(...left) < norm * (1 - share / 4)) found = { q: next, r: left };
    }
    if (!found) {
      // No step makes it smaller: rounding of the forces themselves, or a minimum that is no equilibrium.
      // Forces that cancel within a body, such as those of a natural strain, are known by what coordinates are multiplied by.
      const isRounding =
        norm <= PRECISION * largest(stiffness.to2DArray().flatMap((row) => row.map((k, j) => k * q[j]!)));
      return isRounding || norm <= 1e-10 * scaleAt(balance, q, factor) ? { q, iterations } : undefined;
    }
    ({ q, r } = found);
  }
  return undefined;
}

function scaleAt(balance: Balance, q: readonly number[], factor: number): number {
  balance.at(q, factor);
  return balance.scale;
}

/**
 * Along the path of growing loads.
 * @throws NoEquilibrium with the largest share of the loads that was reached.
 */
function followLoads(balance: Balance, start: number[]): Found {
  const reached = { highest: 0 };
  try {
    return follow(balance, start, reached);
  } catch (error) {
    if (!(error instanceof NoEquilibrium) || !(error.loadFactor < reached.highest)) throw error;
    throw new NoEquilibrium(reached.highest, `the path of equilibria turns back there, and ends: ${error.message}`);
  }
}

/** Pseudo arc length in (q, λ): the next point lies on the tangent at a distance and is corrected across it. */
function follow(balance: Balance, start: number[], reached: { highest: number }): Found {
  const rest = newton(balance, start, 0);
  if (!rest) throw new NoEquilibrium(0, 'there is no equilibrium without loads near the start');
  const n = balance.size;
  let point = [...rest.q, 0];
  let direction: number[] | undefined;
  let arc = 0.05;
  let { iterations } = rest;
  for (let arcs = 0; arcs < MOST_ARCS; arcs++) {
    const tangent: number[] = pathTangent(balance, point, direction);
    const next = correct(
      balance,
      point.map((x, i) => x + arc * tangent[i]!),
      tangent,
    );
    iterations += next?.iterations ?? MOST_CORRECTIONS;
    if (!next || Math.hypot(...next.q.map((x, i) => x - point[i]!)) > 2 * arc) {
      arc /= 2;
      if (arc < 1e-9) throw new NoEquilibrium(point[n]!, balance.unbalanced(point));
      continue;
    }
    if (next.q[n]! >= 1) {
      const from = newton(balance, shareOf(point, next.q, n), 1);
      if (from) return { q: from.q, iterations: iterations + from.iterations };
      arc /= 2;
      continue;
    }
    direction = next.q.map((x, i) => x - point[i]!);
    point = next.q;
    reached.highest = Math.max(reached.highest, point[n]!);
    if (next.iterations <= 4) arc = Math.min(arc * 1.5, 1);
  }
  throw new NoEquilibrium(point[n]!, `no equilibrium within ${MOST_ARCS} steps along the path of growing loads`);
}

/** Where the load factor is 1 between two points of the path. */
function shareOf(from: readonly number[], to: readonly number[], n: number): number[] {
  const share = (1 - from[n]!) / (to[n]! - from[n]!);
  return from.slice(0, n).map((x, i) => x + share * (to[i]! - x));
}

/** Unit tangent of the path in (q, λ), onwards. */
function pathTangent(balance: Balance, point: readonly number[], before: readonly number[] | undefined): number[] {
  const n = balance.size;
  const matrix = pathMatrix(balance, point, before ?? [...point.slice(0, n).map(() => 0), 1]);
  const tangent = solve(matrix, [...point.slice(0, n).map(() => 0), 1]);
  if (!tangent) throw new NoEquilibrium(point[n]!, 'the path of equilibria branches');
  const length = Math.hypot(...tangent);
  return tangent.map((x) => x / length);
}

/** [∂r/∂q ∂r/∂λ; row] */
function pathMatrix(balance: Balance, point: readonly number[], row: readonly number[]): Matrix {
  const n = balance.size;
  const q = point.slice(0, n);
  const factor = point[n]!;
  const tangent = balance.tangent(q, factor);
  // Loads enter in proportion.
  const [one, none] = [balance.at(q, 1), balance.at(q, 0)];
  const matrix = Matrix.zeros(n + 1, n + 1);
  matrix.setSubMatrix(tangent, 0, 0);
  for (let i = 0; i < n; i++) matrix.set(i, n, one[i]! - none[i]!);
  matrix.setRow(n, [...row]);
  return matrix;
}

function correct(balance: Balance, guess: number[], tangent: readonly number[]): Found | undefined {
  const n = balance.size;
  let point = guess;
  for (let iterations = 0; iterations < MOST_CORRECTIONS; iterations++) {
    const r = balance.tried(point.slice(0, n), point[n]!);
    if (!r) return undefined;
    const across = point.reduce((sum, x, i) => sum + (x - guess[i]!) * tangent[i]!, 0);
    if (largest(r) <= 1e-9 * balance.scale && Math.abs(across) < 1e-9) return { q: point, iterations };
    const step = solve(pathMatrix(balance, point, tangent), [...r, across]);
    if (!step) return undefined;
    point = point.map((x, i) => x - step[i]!);
    if (!isFinite(point)) return undefined;
  }
  return undefined;
}

function finished(balance: Balance, { q, iterations }: Found, byContinuation: boolean): Equilibrium {
  const { free } = balance;
  const tangent = balance.tangent(q, 1);
  const symmetric = Matrix.add(tangent, tangent.transpose()).mul(0.5);
  const eigenvalues =
    free.length === 0 ? [] : new EigenvalueDecomposition(symmetric.selection([...free], [...free])).realEigenvalues;
  const smallest = Math.min(...eigenvalues);
  const smallestEigenvalue = Math.abs(smallest) < INDIFFERENT * largest(eigenvalues) ? 0 : smallest;
  const residual = largest(balance.at(q, 1));
  const { scale } = balance;
  const holding = balance.withoutHolds(q, 1).map((x, i) => (free.includes(i) ? 0 : x));
  return { q, residual, scale, iterations, smallestEigenvalue, holding, byContinuation };
}
