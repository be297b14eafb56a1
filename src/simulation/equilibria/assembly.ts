/**
 * Configurations of robots with loops that are closed: from a start by Newton's method, each step the least in the metric of the mass
 * matrix there that meets the rows to first order; within the limits of coordinates, some of which may be held.
 */
import { CholeskyDecomposition, Matrix, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { rowsOf } from '../../description/model/loop.ts';
import { randomNumbers } from '../../common/random.ts';
import { KG_OK, type Loops } from '../../runtime/driver.ts';

export interface Assembly {
  /** In the order of the coordinates, SI units. */
  readonly q: readonly number[];
  /** How far each coordinate moved from the start. */
  readonly moved: readonly number[];
  /** Of the rigid rows of J = ∂phi/∂q there, all coordinates free; and how many these are. */
  readonly rank: number;
  readonly rows: number;
  /** Largest residual of a row, m, rad or 1. */
  readonly residual: number;
  readonly iterations: number;
}

/** Loops that do not close near the start. */
export class OpenLoops extends Error {
  /** Rows by the size of what is left, the largest first. */
  readonly rows: readonly { readonly name: string; readonly residual: number }[];

  constructor(message: string, rows: OpenLoops['rows']) {
    super(message);
    this.rows = rows;
  }
}

export function openText({ message, rows }: OpenLoops): string {
  const worst = rows.slice(0, 3).map(({ name, residual }) => `\`${name}\` by ${residual.toExponential(1)}`);
  return `${message}: open are ${worst.join(', ')}`;
}

const MOST_ITERATIONS = 100;
/** Singular values below, relative to the largest, are those of rows that others imply. */
const DEPENDENT = 1e-8;
/** Of coordinates, rad or m: how far searches begin beside the start, one after the other. */
const ASIDE = [0, 0.02, 0.1, 0.3];
const MOST_RETURNS = 20;
/** A step turns by no more, rad. */
const LONGEST_TURN = 0.5;
/** Residuals of closed loops, relative to the sizes of places and turns. */
const CLOSED = 1e-13;

/**
 * @param dynamics of the robot, with functions of loops.
 * @param start in the order of the coordinates.
 * @param held coordinates that stay where they are, by index.
 * @throws OpenLoops where no configuration near the start closes the loops.
 */
export function assemble(
  robot: Robot,
  dynamics: LoadedRobot,
  start: readonly number[],
  held: readonly number[] = [],
): Assembly {
  let first: OpenLoops | undefined;
  // A start at which rows cannot move, such as a stretched chain, is left a little.
  for (const [attempt, size] of ASIDE.entries()) {
    const random = randomNumbers(attempt + 1);
    const beside = start.map((x, a) => (held.includes(a) ? x : x + size * (2 * random() - 1)));
    try {
      const found = nearer(robot, dynamics, start, held, close(robot, dynamics, beside, held));
      return { ...found, moved: found.q.map((x, a) => x - start[a]!) };
    } catch (error) {
      if (!(error instanceof OpenLoops)) throw error;
      first ??= error;
    }
  }
  throw first!;
}

/**
 * Steps of Newton's method end beside the nearest point: along the loops back towards the start, and onto them again, as long as that
 * leads nearer in the metric of M at the start.
 */
function nearer(
  robot: Robot,
  dynamics: LoadedRobot,
  start: readonly number[],
  held: readonly number[],
  first: Assembly,
): Assembly {
  const n = start.length;
  const still = new Float64Array(n);
  const M = new Float64Array(n * n);
  if (dynamics.update(start, still) !== KG_OK || dynamics.massMatrix(M) !== KG_OK) return first;
  const metric = Matrix.from1DArray(n, n, M);
  const away = ({ q }: Assembly): number => {
    const d = Matrix.columnVector(q.map((x, a) => x - start[a]!));
    return d.transpose().mmul(metric).mmul(d).get(0, 0);
  };
  const rows = rowsOf(robot);
  const ropes = (robot.loops ?? []).flatMap((loop) => loop.rows.map(({ isRope }) => isRope === true));
  let best = first;
  for (let k = 0; k < MOST_RETURNS; k++) {
    const J = new Float64Array(rows * n);
    dynamics.update(best.q, still);
    (dynamics as LoadedRobot & Loops).constraintJacobian(J);
    const jacobian = Matrix.from1DArray(rows, n, J);
    // Of ropes, what leads to shorter ones is free; they are closed again after the move.
    ropes.forEach((isRope, j) => isRope && jacobian.mulRow(j, 0));
    const back = start.map((x, a) => x - best.q[a]!);
    const across = leastStep(jacobian, metric, jacobian.mmul(Matrix.columnVector(back)).to1DArray(), new Set(held));
    if (!across) return best;
    const along = back.map((x, a) => x + across[a]!);
    if (along.every((x, a) => Math.abs(x) <= 1e-9 * (1 + Math.abs(best.q[a]!)))) return best;
    try {
      const moved = best.q.map((x, a) => x + along[a]!);
      const next = close(robot, dynamics, moved, held);
      if (!(away(next) < away(best) * (1 - 1e-12))) return best;
      best = { ...next, iterations: best.iterations + next.iterations };
    } catch (error) {
      if (error instanceof OpenLoops) return best;
      throw error;
    }
  }
  return best;
}

function close(robot: Robot, dynamics: LoadedRobot, start: readonly number[], held: readonly number[]): Assembly {
  const rows = (robot.loops ?? []).flatMap((loop) => loop.rows);
  const loops = dynamics as LoadedRobot & Loops;
  const n = start.length;
  const r = rows.length;
  const still = new Float64Array(n);
  const [phi, J, M] = [new Float64Array(r), new Float64Array(r * n), new Float64Array(n * n)];
  const limits = robot.coordinates.map(({ lower = -Infinity, upper = Infinity }) => [lower, upper] as const);
  const residualsAt = (q: readonly number[]): number | undefined => {
    if (dynamics.update(q, still) !== KG_OK || loops.constraint(phi, null, null) !== KG_OK) return undefined;
    // Ropes may be shorter than they are long.
    rows.forEach(({ isRope }, j) => (phi[j] = isRope ? Math.max(0, phi[j]!) : phi[j]!));
    return Math.hypot(...phi);
  };
  const open = (message: string): OpenLoops => {
    const left = rows.map(({ name }, j) => ({ name, residual: Math.abs(phi[j]!) }));
    return new OpenLoops(
      message,
      left.sort((a, b) => b.residual - a.residual),
    );
  };
  let q = start.map((x, a) => (held.includes(a) ? x : Math.min(Math.max(x, limits[a]![0]), limits[a]![1])));
  let norm = residualsAt(q);
  if (norm === undefined) throw open('the robot has no finite residuals at the start');
  for (let iterations = 0; iterations < MOST_ITERATIONS; iterations++) {
    loops.constraintJacobian(J);
    const jacobian = Matrix.from1DArray(r, n, J);
    rows.forEach(({ isRope }, j) => isRope && phi[j] === 0 && jacobian.mulRow(j, 0));
    const size = Math.max(1, ...J.map(Math.abs));
    if (norm <= CLOSED * size) {
      const moved = q.map((x, a) => x - start[a]!);
      const rigid = rows.flatMap(({ isRope, yields }, j) => (isRope || yields ? [] : [j]));
      const rank = rankOf(jacobian.selection(rigid, [...q.keys()]));
      return { q, moved, rank, rows: rigid.length, residual: Math.max(...phi.map(Math.abs)), iterations };
    }
    if (dynamics.massMatrix(M) !== KG_OK) throw open('the robot has no finite mass matrix on the way');
    // A coordinate at its limit stays there while the step leads beyond.
    const blocked = new Set(held);
    let step = leastStep(jacobian, Matrix.from1DArray(n, n, M), phi, blocked);
    for (let k = 0; k < n && step; k++) {
      const beyond = step.findIndex((d, a) => !blocked.has(a) && isBeyond(q[a]!, d, limits[a]!));
      if (beyond < 0) break;
      blocked.add(beyond);
      step = leastStep(jacobian, Matrix.from1DArray(n, n, M), phi, blocked);
    }
    if (!step || step.every((d) => Math.abs(d) < Number.EPSILON))
      throw open(blocked.size > held.length ? 'the loops do not close within the limits' : 'the loops do not close');
    let next: number[] | undefined;
    const turns = step.map((d, a) => (robot.coordinates[a]!.unit === 'rad' ? Math.abs(d) : 0));
    let share = Math.min(1, LONGEST_TURN / Math.max(...turns, Number.MIN_VALUE));
    const least = 1e-6 * share;
    for (; share > least && !next; share /= 2) {
      const tried = q.map((x, a) =>
        blocked.has(a) ? x : Math.min(Math.max(x + share * step[a]!, limits[a]![0]), limits[a]![1]),
      );
      const left = residualsAt(tried);
      if (left !== undefined && (left < norm * (1 - share / 8) || left <= CLOSED * size)) {
        next = tried;
        norm = left;
      }
    }
    if (!next) {
      residualsAt(q);
      throw open(held.length > 0 ? 'the loops do not close with what is held' : 'the loops do not close');
    }
    q = next;
  }
  throw open(`the loops do not close in ${MOST_ITERATIONS} steps`);
}

const isBeyond = (x: number, d: number, [lower, upper]: readonly [number, number]): boolean =>
  (x <= lower && d < 0) || (x >= upper && d > 0);

function rankOf(matrix: Matrix): number {
  if (matrix.rows === 0) return 0;
  const values = new SingularValueDecomposition(matrix, { autoTranspose: true }).diagonal;
  return values.filter((value) => value > DEPENDENT * (values[0] ?? 0)).length;
}

/** The least change in the metric of M with J d = −phi, in the sense of least squares; zero where blocked. */
function leastStep(J: Matrix, M: Matrix, phi: ArrayLike<number>, blocked: ReadonlySet<number>): number[] | undefined {
  const free = Array.from({ length: J.columns }, (_, a) => a).filter((a) => !blocked.has(a));
  const step = Array.from({ length: J.columns }, () => 0);
  if (free.length === 0) return step;
  const own = M.subMatrixRow(free, 0, M.columns - 1).subMatrixColumn(free, 0, free.length - 1);
  const most = Math.max(...own.diagonal());
  // Coordinates that move no mass cost a little all the same.
  for (let a = 0; a < free.length; a++) own.set(a, a, own.get(a, a) + 1e-9 * most);
  const cholesky = new CholeskyDecomposition(own);
  if (!cholesky.isPositiveDefinite()) return undefined;
  const L = cholesky.lowerTriangularMatrix;
  const columns = J.subMatrixColumn(free, 0, J.rows - 1);
  const scaled = forward(L, columns.transpose()).transpose();
  const svd = new SingularValueDecomposition(scaled, { autoTranspose: true });
  const least = DEPENDENT * (svd.diagonal[0] ?? 0);
  const z = free.map(() => 0);
  svd.diagonal.forEach((value, k) => {
    if (!(value > least)) return;
    let share = 0;
    for (let j = 0; j < phi.length; j++) share -= svd.leftSingularVectors.get(j, k) * phi[j]!;
    for (let a = 0; a < z.length; a++) z[a]! += (svd.rightSingularVectors.get(a, k) * share) / value;
  });
  // d = L⁻ᵀ z
  for (let a = z.length - 1; a >= 0; a--) {
    for (let b = a + 1; b < z.length; b++) z[a]! -= L.get(b, a) * z[b]!;
    z[a]! /= L.get(a, a);
  }
  free.forEach((a, k) => (step[a] = z[k]!));
  return step;
}

/** L⁻¹ B */
function forward(L: Matrix, B: Matrix): Matrix {
  const X = B.clone();
  for (let a = 0; a < L.rows; a++)
    for (let c = 0; c < X.columns; c++) {
      let sum = X.get(a, c);
      for (let b = 0; b < a; b++) sum -= L.get(a, b) * X.get(b, c);
      X.set(a, c, sum / L.get(a, a));
    }
  return X;
}
