/**
 * Equilibria: g(q) + elastic(q) = forces + B(q) u + Σ Jᵀ w, by Newton's method with a line search; where that does not converge, along
 * the path on which gravity and everything that acts grow together from nothing, by its arc length, so that loads may also
 * fall on the way (limit points).
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK } from '../../runtime/driver.ts';
import { NoEquilibrium, type Equilibrium } from './equilibrium.ts';
import { Balance, INDIFFERENT, isFinite, largest, solve } from './balance.ts';
import { closedEquilibrium } from './loop-statics.ts';
import { softestMotion } from './softest-motion.ts';
import type { StaticLoads } from './static-loads.ts';

const MOST_ITERATIONS = 60;
const MOST_CORRECTIONS = 12;
const MOST_SETTLING = 500;
/** The same without contacts, whose edges take many. */
const MOST_DOWNHILL = 100;
/** Of a coordinate: rad, m, … in a step; what counts as none of it. */
const [MOST_STEP, ROUNDING] = [0.5, 1e-15];
/** Of a step, and of the work at its beginning that may be left against it at its end. */
const [LEAST_SHARE, UPHILL] = [1e-12, 0.5];
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
    if (robot.loops) return closedEquilibrium(robot, dynamics, balance, start);
    const direct = (touches(robot) ? settled(balance, [...start]) : undefined) ?? newton(balance, [...start], 1);
    if (direct) return finished(balance, direct, false);
    return afar(balance, start);
  } finally {
    balance.restore();
  }
}

/**
 * Along the path of growing loads; where that has no beginning, since nothing but weight or loads resists some motion, downhill.
 * @throws NoEquilibrium of the path.
 */
function afar(balance: Balance, start: readonly number[]): Equilibrium {
  try {
    return finished(balance, followLoads(balance, [...start]), true);
  } catch (error) {
    if (!(error instanceof NoEquilibrium) || error.loadFactor > 0) throw error;
    const found = settled(balance, [...start], MOST_DOWNHILL);
    if (!found) throw error;
    return finished(balance, found, false);
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

const touches = ({ links, touching }: Robot): boolean =>
  touching !== undefined || links.some(({ contacts }) => contacts);

/**
 * Where the robot comes to rest from a start, downhill all the way: contacts are stiff on one side and nothing on the other, so that steps
 * which lessen the forces that are left stop at edges, or lead to equilibria that are none to rest in. Newton steps with the sizes of the
 * curvatures, and shorter ones where what is left does work against them. Undefined where that does not end.
 */
function settled(balance: Balance, start: number[], most = MOST_SETTLING): Found | undefined {
  let q = start;
  let r = balance.at(q, 1);
  for (let iterations = 0; iterations < most; iterations++) {
    if (largest(r) <= PRECISION * balance.scale) return { q, iterations };
    const whole = downhill(balance.tangent(q, 1), r);
    const size = largest(whole);
    if (size <= ROUNDING * (1 + largest(q))) return { q, iterations };
    const step = whole.map((x) => (x * Math.min(size, MOST_STEP)) / size);
    const work = r.reduce((sum, x, i) => sum + x * step[i]!, 0);
    let found: { q: number[]; r: number[] } | undefined;
    for (let share = 1; share > LEAST_SHARE && !found; share /= 2) {
      const next = q.map((x, i) => x - share * step[i]!);
      const left = balance.tried(next, 1);
      const still = left && left.reduce((sum, x, i) => sum + x * step[i]!, 0);
      if (still !== undefined && still >= -UPHILL * work) found = { q: next, r: left! };
    }
    if (!found) return undefined;
    ({ q, r } = found);
  }
  return undefined;
}

/** K⁻¹ r with the sizes of the eigenvalues of K, in units in which all coordinates are alike; none is below a share of the largest. */
function downhill(tangent: Matrix, r: readonly number[]): number[] {
  const units = tangent.to2DArray().map((row) => 1 / Math.sqrt(largest(row) || 1));
  const scaled = new Matrix(
    units.map((a, i) => units.map((b, j) => (a * b * (tangent.get(i, j) + tangent.get(j, i))) / 2)),
  );
  const { realEigenvalues: values, eigenvectorMatrix: V } = new EigenvalueDecomposition(scaled, {
    assumeSymmetric: true,
  });
  const least = INDIFFERENT * largest(values);
  const x = r.map(() => 0);
  values.forEach((value, k) => {
    const share = r.reduce((sum, own, i) => sum + V.get(i, k) * own * units[i]!, 0) / Math.max(Math.abs(value), least);
    x.forEach((_, i) => (x[i] = x[i]! + V.get(i, k) * share * units[i]!));
  });
  return x;
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
  const motion = softestMotion(balance.tangent(q, 1).selection([...free], [...free]), (own) =>
    q.map((_, i) => own[free.indexOf(i)] ?? 0),
  );
  const residual = largest(balance.at(q, 1));
  const { scale } = balance;
  const holding = balance.withoutHolds(q, 1).map((x, i) => (free.includes(i) ? 0 : x));
  return { q, residual, scale, iterations, ...motion, holding, byContinuation };
}
