/**
 * Equilibria of robots with loops: g + elastic − loads − Jᵀλ = 0 and φ + compliance λ = 0, by Newton's method on coordinates and multipliers together;
 * where that does not converge, in steps along which gravity and everything that acts grow from nothing.
 */
import { CholeskyDecomposition, Matrix, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Loops } from '../../runtime/driver.ts';
import { yieldNumbers } from '../../description/model/loop.ts';
import { assemble, OpenLoops, openText } from './assembly.ts';
import { NoEquilibrium, type Equilibrium } from './equilibrium.ts';
import { largest, solve, type Balance } from './balance.ts';
import { softestMotion } from './softest-motion.ts';

const MOST_ITERATIONS = 60;
/** Relative to the forces that balance; residuals of rows, m, rad or 1. */
const [PRECISION, CLOSED] = [1e-12, 1e-12];
/** Of equilibria, after each of which ropes that push go slack and those that are too long become taut. */
const MOST_ROUNDS = 20;
/** Steps of time from rest to where a robot hangs in its ropes: how many, the first, the smallest and largest changes of coordinates. */
const [MOST_FALLS, FIRST_FALL, LEAST_FALL, MOST_FALL] = [400, 1e-2, 1e-6, 0.1];
/** Ropes that are that near to their length after them may be taut, m. */
const NEARLY_TAUT = 1e-4;
/** Ropes are taut that near to their length, m, or push with that share of the forces. */
const TAUT = 1e-9;
/** Of differences of J, which are of fourth order. */
const STEP = 1e-3;
/** The least share of the loads by which they grow. */
const LEAST_GROWTH = 1e-4;
/** Singular values of J below, relative to the largest, are those of rows that others imply. */
const DEPENDENT = 1e-8;

/** Of a damped motion: its steps, what M is multiplied by in the first one and at most, 1/s²; changes of coordinates in a step. */
const [MOST_STEPS, FIRST_SHIFT, MOST_SHIFT] = [300, 1e4, 1e12];
const [LONGEST_STEP, NEAR] = [0.2, 1e-3];

interface Point {
  readonly q: readonly number[];
  readonly multipliers: readonly number[];
}

interface Found extends Point {
  readonly iterations: number;
}

/**
 * @param start near which the loops are closed first.
 * @throws NoEquilibrium
 */
export function closedEquilibrium(
  robot: Robot,
  dynamics: LoadedRobot,
  balance: Balance,
  start: readonly number[],
): Equilibrium {
  const held = start.flatMap((_, a) => (balance.free.includes(a) ? [] : [a]));
  const system = new ClosedBalance(robot, dynamics as LoadedRobot & Loops, balance);
  let q = closed(robot, dynamics, start, held);
  if (system.hasRopes) q = fallen(balance, q);
  system.judge({ q, multipliers: [] });
  for (let round = 0; ; round++) {
    const direct = newton(system, { q, multipliers: system.multipliersAt(q, 1) }, 1) ?? relaxed(system, q);
    const found = direct ?? grown(system, q);
    if (!system.judge(found)) return system.described(found, !direct);
    if (round === MOST_ROUNDS) throw new NoEquilibrium(1, 'it is not told which ropes are taut');
    ({ q } = found);
  }
}

function closed(
  robot: Robot,
  dynamics: LoadedRobot,
  start: readonly number[],
  held: readonly number[],
): readonly number[] {
  try {
    return assemble(robot, dynamics, start, held).q;
  } catch (error) {
    if (error instanceof OpenLoops) throw new NoEquilibrium(0, openText(error));
    throw error;
  }
}

/** Where a robot comes to rest that loses its rates after every step, or near there. */
function fallen(balance: Balance, start: readonly number[]): readonly number[] {
  let q = start;
  let h = FIRST_FALL;
  for (let k = 0; k < MOST_FALLS; k++) {
    const next = balance.stepFromRest(q, h, MOST_FALL);
    const moved = next ? largest(next.map((x, a) => x - q[a]!)) : Infinity;
    if (moved < LEAST_FALL) return next!;
    h *= next ? (moved < MOST_FALL / 4 ? 1.5 : 1) : 0.5;
    q = next ?? q;
  }
  return q;
}

class ClosedBalance {
  readonly rows: number;
  private readonly compliances: readonly number[];
  private readonly isRope: readonly boolean[];
  /** Ropes without tension. */
  private slack: ReadonlySet<number> = new Set();
  private readonly dynamics: LoadedRobot & Loops;
  private readonly balance: Balance;
  private readonly size: number;

  constructor(robot: Robot, dynamics: LoadedRobot & Loops, balance: Balance) {
    this.dynamics = dynamics;
    this.balance = balance;
    this.size = balance.size;
    this.compliances = yieldNumbers(robot, dynamics.parameters).map(({ compliance }) => compliance);
    this.rows = this.compliances.length;
    this.isRope = (robot.loops ?? []).flatMap(({ rows }) => rows.map((row) => row.isRope === true));
  }

  /** Which ropes are slack at a point, before the first one without multipliers; did that change? */
  judge({ q, multipliers }: Point): boolean {
    const phi = this.residuals(q);
    const slack = this.isRope.flatMap((isRope, j) => {
      if (!isRope) return [];
      const pushes = (multipliers[j] ?? 0) > TAUT * this.scale;
      if (multipliers.length === 0) return phi[j]! < -NEARLY_TAUT ? [j] : [];
      const isSlack = this.slack.has(j) ? phi[j]! <= TAUT : pushes;
      return isSlack ? [j] : [];
    });
    const isChanged = slack.length !== this.slack.size || slack.some((j) => !this.slack.has(j));
    this.slack = new Set(slack);
    return isChanged;
  }

  private residuals(q: readonly number[]): Float64Array {
    const phi = new Float64Array(this.rows);
    this.dynamics.update(q, new Float64Array(this.size));
    if (this.dynamics.constraint(phi, null, null) !== KG_OK) phi.fill(NaN);
    return phi;
  }

  /** With zeros in rows that forces can open. */
  private rigid(J: Matrix): Matrix {
    this.compliances.forEach((own, j) => {
      if (own > 0 || this.slack.has(j)) J.mulRow(j, 0);
    });
    return J;
  }

  /** Stiffness of the springs of rows. */
  private springs(q: readonly number[]): Matrix {
    const J = this.jacobian(q);
    const sum = Matrix.zeros(this.size, this.size);
    this.compliances.forEach((own, j) => {
      if (!(own > 0) || this.slack.has(j)) return;
      const row = J.getRowVector(j);
      sum.add(
        row
          .transpose()
          .mmul(row)
          .mul(1 / own),
      );
    });
    return sum;
  }

  get hasRopes(): boolean {
    return this.isRope.includes(true);
  }

  get scale(): number {
    return this.balance.scale;
  }

  /** What is left of forces and rows; undefined where the dynamics have no finite result. */
  at({ q, multipliers }: Point, factor: number): { readonly forces: number[]; readonly rows: number[] } | undefined {
    const forces = this.balance.tried(q, factor);
    if (!forces) return undefined;
    const phi = new Float64Array(this.rows);
    if (this.dynamics.constraint(phi, null, null) !== KG_OK) return undefined;
    const carried = this.carried(q, multipliers);
    return {
      forces: forces.map((x, a) => (this.isFree(a) ? x - carried[a]! : 0)),
      rows: [...phi].map((x, j) => (this.slack.has(j) ? multipliers[j]! : x + this.compliances[j]! * multipliers[j]!)),
    };
  }

  private isFree(a: number): boolean {
    return this.balance.free.includes(a);
  }

  private jacobian(q: readonly number[]): Matrix {
    const J = new Float64Array(this.rows * this.size);
    this.dynamics.update(q, new Float64Array(this.size));
    if (this.dynamics.constraintJacobian(J) !== KG_OK) J.fill(NaN);
    return Matrix.from1DArray(this.rows, this.size, J);
  }

  /** Jᵀλ */
  private carried(q: readonly number[], multipliers: readonly number[]): number[] {
    const J = this.jacobian(q);
    return Array.from({ length: this.size }, (_, a) => multipliers.reduce((sum, x, j) => sum + J.get(j, a) * x, 0));
  }

  /** Those that leave least of the forces. */
  multipliersAt(q: readonly number[], factor: number): number[] {
    const forces = this.balance.tried(q, factor) ?? q.map(() => 0);
    const phi = this.residuals(q);
    const given = this.compliances.map((own, j) => (own > 0 && !this.slack.has(j) ? -phi[j]! / own : 0));
    const carried = this.carried(q, given);
    const J = this.rigid(this.freeRows(this.jacobian(q)));
    const right = J.mmul(Matrix.columnVector(forces.map((x, a) => x - carried[a]!))).to1DArray();
    const found = solve(J.mmul(J.transpose()), right) ?? right.map(() => 0);
    return found.map((x, j) => x + given[j]!);
  }

  /** Columns of what is held are zero. */
  private freeRows(J: Matrix): Matrix {
    for (let a = 0; a < this.size; a++) if (!this.isFree(a)) for (let j = 0; j < this.rows; j++) J.set(j, a, 0);
    return J;
  }

  /** ∂/∂q of the forces, multipliers fixed; what is held has zeros. */
  stiffness({ q, multipliers }: Point, factor: number): Matrix {
    const tangent = this.balance.tangent(q, factor);
    for (const a of this.balance.free) {
      const at = (k: number): number[] => this.carried(q.with(a, q[a]! + k * STEP), multipliers);
      const [m2, m1, p1, p2] = [at(-2), at(-1), at(1), at(2)] as const;
      for (const b of this.balance.free)
        tangent.set(b, a, tangent.get(b, a) - (m2[b]! - 8 * m1[b]! + 8 * p1[b]! - p2[b]!) / (12 * STEP));
    }
    return tangent;
  }

  /** A step of Newton's method, the shortest where rows or motions are indifferent. */
  step(point: Point, left: { readonly forces: number[]; readonly rows: number[] }, factor: number): Point | undefined {
    const [n, r] = [this.size, this.rows];
    const matrix = Matrix.zeros(n + r, n + r);
    matrix.setSubMatrix(this.stiffness(point, factor), 0, 0);
    const J = this.freeRows(this.jacobian(point.q));
    for (const j of this.slack) J.mulRow(j, 0);
    matrix.setSubMatrix(J, n, 0);
    matrix.setSubMatrix(J.transpose(), 0, n);
    // Multipliers change by the opposite of what is solved for.
    this.compliances.forEach((own, j) => matrix.set(n + j, n + j, this.slack.has(j) ? -1 : -own));
    const change = solve(matrix, [...left.forces, ...left.rows]);
    return change && { q: change.slice(0, n).map((x) => -x), multipliers: change.slice(n) };
  }

  /**
   * A step of the damped motion K + shift M towards a rest, along what the loops leave and onto them; undefined where it would lead
   * uphill.
   */
  damped(q: readonly number[], shift: number): number[] | undefined {
    const multipliers = this.multipliersAt(q, 1);
    const left = this.at({ q, multipliers }, 1);
    if (!left) return undefined;
    const free = [...this.balance.free];
    const matrix = this.stiffness({ q, multipliers }, 1).add(this.springs(q)).selection(free, free);
    const M = new Float64Array(this.size * this.size);
    const J = this.rigid(this.jacobian(q)).subMatrixColumn(free, 0, this.rows - 1);
    if (this.dynamics.massMatrix(M) !== KG_OK) return undefined;
    matrix.add(Matrix.from1DArray(this.size, this.size, M).selection(free, free).mul(shift));
    const { Z, least } = split(J, left.rows);
    const onto = Matrix.columnVector(least);
    if (Z.columns === 0) return this.spread(least.map((x) => -x));
    const own = Z.transpose().mmul(matrix).mmul(Z);
    const cholesky = new CholeskyDecomposition(Matrix.add(own, own.transpose()).mul(0.5));
    if (!cholesky.isPositiveDefinite()) return undefined;
    const forces = Matrix.columnVector(free.map((a) => left.forces[a]!)).sub(matrix.mmul(onto));
    const along = Z.mmul(cholesky.solve(Z.transpose().mmul(forces)));
    return this.spread(least.map((x, k) => -x - along.get(k, 0)));
  }

  /** Zero where it is held. */
  private spread(values: readonly number[]): number[] {
    const all = Array.from({ length: this.size }, () => 0);
    this.balance.free.forEach((a, k) => (all[a] = values[k]!));
    return all;
  }

  described({ q, multipliers, iterations }: Found, byContinuation: boolean): Equilibrium {
    const { free } = this.balance;
    const left = this.at({ q, multipliers }, 1)!;
    const { scale } = this.balance;
    const carried = this.carried(q, multipliers);
    const holding = this.balance.withoutHolds(q, 1).map((x, a) => (this.isFree(a) ? 0 : x - carried[a]!));
    const stiffness = this.stiffness({ q, multipliers }, 1).add(this.springs(q));
    const { Z } = split(this.rigid(this.jacobian(q)).subMatrixColumn([...free], 0, this.rows - 1));
    const ofFree = stiffness.selection([...free], [...free]);
    const motion =
      Z.columns === 0
        ? softestMotion(Matrix.zeros(0, 0), () => q.map(() => 0))
        : softestMotion(Z.transpose().mmul(ofFree).mmul(Z), (own) =>
            this.spread(Z.mmul(Matrix.columnVector([...own])).getColumn(0)),
          );
    return {
      q,
      residual: Math.max(...left.forces.map(Math.abs)),
      scale,
      iterations,
      ...motion,
      holding,
      byContinuation,
      multipliers,
    };
  }
}

/** Orthonormal columns that J does not move, and the least change that it turns into `right`. */
function split(J: Matrix, right: readonly number[] = []): { readonly Z: Matrix; readonly least: number[] } {
  const n = J.columns;
  const square = Matrix.zeros(Math.max(n, J.rows), n);
  square.setSubMatrix(J, 0, 0);
  const { diagonal, leftSingularVectors: U, rightSingularVectors: V } = new SingularValueDecomposition(square);
  const dependent = DEPENDENT * (diagonal[0] ?? 0);
  const kept = diagonal.flatMap((value, k) => (value > dependent ? [] : [k]));
  const least = Array.from({ length: n }, () => 0);
  diagonal.forEach((value, k) => {
    if (!(value > dependent)) return;
    const share = right.reduce((sum, x, j) => sum + U.get(j, k) * x, 0) / value;
    for (let a = 0; a < n; a++) least[a]! += share * V.get(a, k);
  });
  return { Z: V.subMatrixColumn(kept, 0, n - 1), least };
}

/** Undefined where it does not converge. */
function newton(system: ClosedBalance, start: Point, factor: number): Found | undefined {
  let point = start;
  let left = system.at(point, factor);
  for (let iterations = 0; left && iterations < MOST_ITERATIONS; iterations++) {
    const merit = meritOf(left, system.scale);
    const size = largest(left.forces);
    if (size <= PRECISION * system.scale && largest(left.rows) <= CLOSED) return { ...point, iterations };
    const change = system.step(point, left, factor);
    if (!change) return undefined;
    let next: { point: Point; left: NonNullable<typeof left> } | undefined;
    for (let share = 1; share > 1e-4 && !next; share /= 2) {
      const tried: Point = {
        q: point.q.map((x, a) => x + share * change.q[a]!),
        multipliers: point.multipliers.map((x, j) => x + share * change.multipliers[j]!),
      };
      const found = system.at(tried, factor);
      if (found && meritOf(found, system.scale) < merit * (1 - share / 8)) next = { point: tried, left: found };
    }
    // No step makes it smaller: rounding, or no equilibrium.
    if (!next)
      return size <= 1e-10 * system.scale && largest(left.rows) <= 1e-11 ? { ...point, iterations } : undefined;
    ({ point, left } = next);
  }
  return undefined;
}

/** Forces by those that balance, rows by a tenth of a metre or a radian. */
const meritOf = (
  left: { readonly forces: readonly number[]; readonly rows: readonly number[] },
  scale: number,
): number => Math.hypot(...left.forces.map((x) => x / scale), ...left.rows.map((x) => 10 * x));

/** To the rest of a damped motion whose steps grow as it slows down, then by Newton's method; undefined where that finds none. */
function relaxed(system: ClosedBalance, start: readonly number[]): Found | undefined {
  let q = start;
  let shift = FIRST_SHIFT;
  for (let iterations = 0; iterations < MOST_STEPS && shift < MOST_SHIFT; iterations++) {
    const step = system.damped(q, shift);
    const size = step ? largest(step) : Infinity;
    if (!(size <= LONGEST_STEP)) {
      shift *= 3;
      continue;
    }
    q = q.map((x, a) => x + step![a]!);
    // Steps are as large as the shift is small.
    shift *= Math.max(0.25, (2 * size) / LONGEST_STEP);
    if (size > NEAR) continue;
    const found = newton(system, { q, multipliers: system.multipliersAt(q, 1) }, 1);
    if (found) return { ...found, iterations: found.iterations + iterations };
  }
  return undefined;
}

/** By growing loads. @throws NoEquilibrium */
function grown(system: ClosedBalance, q: readonly number[]): Found {
  let found = newton(system, { q, multipliers: system.multipliersAt(q, 0) }, 0);
  if (!found) throw new NoEquilibrium(0, 'there is no equilibrium without loads near the start');
  let { iterations } = found;
  let factor = 0;
  let growth = 0.1;
  while (factor < 1) {
    const next = Math.min(1, factor + growth);
    const reached = newton(system, found, next);
    if (reached) {
      iterations += reached.iterations;
      found = reached;
      factor = next;
      growth *= 1.5;
    } else {
      growth /= 2;
      if (growth < LEAST_GROWTH)
        throw new NoEquilibrium(factor, 'the equilibria of growing loads cannot be followed further');
    }
  }
  return { ...found, iterations };
}
