/**
 * Parameters from places of markers at rest: least squares over equilibria by Levenberg and Marquardt's method. At an equilibrium
 * r(q, p) = 0 the places x(q, p) change by dx/dp = ∂x/∂p − ∂x/∂q (∂r/∂q)⁻¹ ∂r/∂p; ∂r/∂q and ∂x/∂q are those of generated code, derivatives by p at a
 * fixed q are quotients of fourth order. Errors of all coordinates of markers count as independent and alike: deviations are those of
 * σ² (JᵀJ)⁻¹ with σ² from what is left.
 */
import { Matrix, QrDecomposition, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KanegenError } from '../../common/error.ts';
import { refuseLoops } from '../../description/model/loop.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KG_OK, type Status } from '../../runtime/driver.ts';
import { Balance, solve } from '../../simulation/equilibria/balance.ts';
import { NoEquilibrium, noEquilibriumText } from '../../simulation/equilibria/equilibrium.ts';
import { equilibrium } from '../../simulation/equilibria/statics.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { MarkerTable } from './marker-table.ts';

interface MarkerEstimate {
  readonly name: string;
  readonly unit: string;
  readonly inFile: number;
  readonly value: number;
  /** Standard deviation. */
  readonly deviation: number;
  /** Within which the value lies with a probability of 95 %, by Student's t. */
  readonly interval: readonly [number, number];
}

export interface MarkerFit {
  readonly converged: boolean;
  readonly equilibria: number;
  /** Coordinates of markers that were seen. */
  readonly numbers: number;
  readonly parameters: readonly MarkerEstimate[];
  /** Of the sensitivities, columns scaled to length 1. */
  readonly condition: number;
  /** By column of the table: root mean square of what is left, m. */
  readonly residuals: readonly { readonly name: string; readonly residual: number }[];
  /** Standard deviation of a coordinate of a marker, m. */
  readonly noise: number;
  readonly notes: readonly string[];
}

const MOST_STEPS = 60;
/** Of a parameter, in the last step. */
const SETTLED = 1e-9;
const [FIRST_DAMPING, MOST_DAMPING] = [1e-3, 1e12];
/** By which a parameter moves a marker when it doubles, as a share of how far markers are: below, by nothing. */
const LEAST_MOVED = 1e-9;
/** Of a parameter, for quotients. */
const QUOTIENT = 1e-3;
/** Of scaled sensitivities: above, some parameters cannot be told apart. */
const WORST_CONDITION = 1e6;
/** By which a positive parameter falls at most in one step. */
const LEAST_LEFT = 0.2;

/**
 * @param dynamics with derivatives; the parameters that are sought are run-time parameters of it.
 * @throws KanegenError `too-few-markers`, `too-little-excitation`, `no-equilibrium`, and where the robot has loops.
 */
export function fitMarkers(
  robot: Robot,
  dynamics: LoadedRobot,
  table: MarkerTable,
  names: readonly string[],
): MarkerFit {
  refuseLoops(robot, 'identification by markers');
  const quantities = names.map((name) => robot.parameters.find((own) => own.name === name)!);
  const inFile = evaluate(quantities.map(({ value }) => value));
  const problem = new Problem(robot, dynamics, table, names);
  const seen = table.places.flat().filter(Number.isFinite).length;
  if (seen <= names.length)
    throw new KanegenError('too-few-markers', `${seen} places of markers for ${names.length} parameters`, {
      remedy: 'give more equilibria, more markers, or fewer parameters: noise is known by what is left over',
    });
  // Steps are relative: parameters differ by many orders.
  const sizes = inFile.map((value) => Math.abs(value) || 1);
  const bounds = quantities.map(({ lower = -Infinity, upper = Infinity }, i) => ({
    lower: inFile[i]! > 0 ? Math.max(lower, 0) : lower,
    upper,
  }));
  const reach = Math.max(...table.places.flat().filter(Number.isFinite).map(Math.abs));
  let values = inFile;
  let now = problem.at(values);
  let isSettled = false;
  // Levenberg–Marquardt: what damps steps, beside the squares of the sensitivities.
  let damping = FIRST_DAMPING;
  for (let steps = 0; steps < MOST_STEPS && !isSettled; steps++) {
    const J = problem.sensitivities(values, sizes);
    checkTold(J, names, reach);
    let taken: { values: number[]; now: typeof now } | undefined;
    for (; damping < MOST_DAMPING && !taken && !isSettled; damping *= 4) {
      const step = dampedStep(J, now.left, damping);
      const next = values.map((value, i) => within(value, value + step[i]! * sizes[i]!, bounds[i]!));
      const there = problem.tried(next);
      if (there && there.squares < now.squares) taken = { values: next, now: there };
      // Rounding is all that is left.
      else if (step.every((own) => Math.abs(own) < SETTLED)) isSettled = true;
    }
    if (!taken) break;
    const change = taken.values.map((value, i) => Math.abs(value - values[i]!) / sizes[i]!);
    isSettled = change.every((own) => own < SETTLED);
    ({ values, now } = taken);
    damping /= 40;
  }
  const J = problem.sensitivities(values, sizes);
  const condition = checkTold(J, names, reach);
  const freedom = seen - names.length;
  const noise = Math.sqrt(now.squares / freedom);
  const covariance = inverseOfSquares(J);
  const t = studentQuantile(freedom);
  return {
    converged: isSettled,
    equilibria: table.places.length,
    numbers: seen,
    condition,
    parameters: quantities.map(({ name, unit }, i) => {
      const deviation = noise * Math.sqrt(covariance.get(i, i)) * sizes[i]!;
      const value = values[i]!;
      return {
        name,
        unit,
        inFile: inFile[i]!,
        value,
        deviation,
        interval: [value - t * deviation, value + t * deviation],
      };
    }),
    residuals: table.columns.map(({ name }, k) => ({ name, residual: rootMeanSquare(problem.leftOf(k)) })),
    noise,
    notes: table.idle.length > 0 ? [`without a column, and at zero: ${table.idle.join(', ')}`] : [],
  };
}

/** With damping as a share of the squares of each column. */
function dampedStep(J: Matrix, left: readonly number[], damping: number): number[] {
  const rows = J.to2DArray();
  const lengths = rows[0]!.map((_, i) => Math.hypot(...J.getColumn(i)));
  const damped = lengths.map((length, i) => lengths.map((__, j) => (i === j ? Math.sqrt(damping) * length : 0)));
  const right = [...left, ...lengths.map(() => 0)];
  return new QrDecomposition(new Matrix([...rows, ...damped])).solve(Matrix.columnVector(right)).to1DArray();
}

function within(
  from: number,
  to: number,
  { lower, upper }: { readonly lower: number; readonly upper: number },
): number {
  const least = lower >= 0 && from > 0 ? Math.max(lower, LEAST_LEFT * from) : lower;
  return Math.min(upper, Math.max(least, to));
}

const rootMeanSquare = (values: readonly number[]): number =>
  Math.sqrt(values.reduce((sum, x) => sum + x * x, 0) / Math.max(1, values.length));

/** @param reach of the places, m. @returns the condition. @throws KanegenError `too-little-excitation` */
function checkTold(J: Matrix, names: readonly string[], reach: number): number {
  const lengths = names.map((_, i) => Math.hypot(...J.getColumn(i)));
  const still = names.filter((_, i) => !(lengths[i]! > LEAST_MOVED * reach));
  const remedy = 'give equilibria under other inputs, more markers, or leave parameters out';
  if (still.length > 0)
    throw new KanegenError('too-little-excitation', `no place of a marker depends on ${still.join(', ')}`, { remedy });
  const scaled = new Matrix(J.to2DArray().map((row) => row.map((x, i) => x / lengths[i]!)));
  const svd = new SingularValueDecomposition(scaled, { autoTranspose: true });
  const values = svd.diagonal;
  const [most, least] = [Math.max(...values), Math.min(...values)];
  if (least > most / WORST_CONDITION) return most / least;
  const shares = svd.rightSingularVectors.getColumn(values.indexOf(least));
  const together = names.filter((_, i) => Math.abs(shares[i]!) > 0.1);
  throw new KanegenError('too-little-excitation', `the markers do not tell apart ${together.join(' and ')}`, {
    remedy,
  });
}

function inverseOfSquares(J: Matrix): Matrix {
  const svd = new SingularValueDecomposition(J, { autoTranspose: true });
  const V = svd.rightSingularVectors;
  const inverse = Matrix.diag(svd.diagonal.map((value) => 1 / value ** 2));
  return V.mmul(inverse).mmul(V.transpose());
}

/** Markers at the equilibria that belong to values of the parameters. */
class Problem {
  private readonly robot: Robot;
  private readonly dynamics: LoadedRobot;
  private readonly table: MarkerTable;
  private readonly names: readonly string[];
  /** By line, where it was found last. */
  private found: (readonly number[])[] = [];
  private left: readonly number[] = [];

  constructor(robot: Robot, dynamics: LoadedRobot, table: MarkerTable, names: readonly string[]) {
    this.robot = robot;
    this.dynamics = dynamics;
    this.table = table;
    this.names = names;
  }

  /** Undefined where there is no equilibrium: a step led too far. */
  tried(values: readonly number[]): { readonly left: readonly number[]; readonly squares: number } | undefined {
    try {
      return this.at(values);
    } catch (error) {
      if (error instanceof KanegenError && error.code === 'no-equilibrium') return undefined;
      throw error;
    }
  }

  /** What markers are away from where they should be; zero where nothing was seen. @throws KanegenError `no-equilibrium` */
  at(values: readonly number[]): { readonly left: readonly number[]; readonly squares: number } {
    const { robot, dynamics, table } = this;
    this.set(values);
    const found: number[][] = [];
    const left = table.inputs.flatMap((inputs, line) => {
      const near = this.found[line] ?? found[line - 1];
      try {
        const { q } = equilibrium(robot, dynamics, { inputs }, near);
        found.push([...q]);
      } catch (error) {
        if (!(error instanceof NoEquilibrium)) throw error;
        throw new KanegenError('no-equilibrium', `line ${line + 1} of the markers: ${noEquilibriumText(error)}`, {
          remedy: 'begin closer to the data: --set NAME=VALUE',
        });
      }
      const places = this.placesAt(found[line]!);
      return table.places[line]!.map((seen, k) => (Number.isFinite(seen) ? seen - places[k]! : 0));
    });
    this.found = found;
    this.left = left;
    return { left, squares: left.reduce((sum, x) => sum + x * x, 0) };
  }

  /** By marker, at the values that were asked for last. */
  leftOf(column: number): readonly number[] {
    const { columns, places } = this.table;
    return places.flatMap((own, line) =>
      Number.isFinite(own[column]!) ? [this.left[line * columns.length + column]!] : [],
    );
  }

  /** ∂ places/∂ values, in units of `sizes`, a row for each number of the table. */
  sensitivities(values: readonly number[], sizes: readonly number[]): Matrix {
    const { table, names } = this;
    const rows = table.inputs.flatMap((inputs, line) => {
      const q = this.found[line]!;
      const balance = new Balance(this.robot, this.dynamics, { inputs });
      this.set(values);
      const tangent = balance.tangent(q, 1);
      const byCoordinate = this.jacobianAt(q);
      const columns = names.map((_, i) => {
        const h = QUOTIENT * sizes[i]!;
        const at = (k: number): { r: readonly number[]; x: readonly number[] } => {
          this.set(values.map((value, j) => (j === i ? value + k * h : value)));
          return { r: balance.at(q, 1), x: this.placesAt(q) };
        };
        const [a, b, c, d] = [at(-2), at(-1), at(1), at(2)];
        const slope = (of: (at: typeof a) => readonly number[]): number[] =>
          of(a).map((first, k) => (first - 8 * of(b)[k]! + 8 * of(c)[k]! - of(d)[k]!) / (12 * QUOTIENT));
        const moved =
          solve(
            tangent,
            slope(({ r }) => r),
          ) ?? q.map(() => NaN);
        return slope(({ x }) => x).map(
          (own, k) => own - moved.reduce((sum, dq, j) => sum + byCoordinate[k]![j]! * dq, 0),
        );
      });
      this.set(values);
      return table.places[line]!.map((seen, k) =>
        Number.isFinite(seen) ? columns.map((column) => column[k]!) : names.map(() => 0),
      );
    });
    return new Matrix(rows);
  }

  private set(values: readonly number[]): void {
    this.names.forEach((name, i) => (this.dynamics.parameters[name] = values[i]!));
  }

  private placesAt(q: readonly number[]): number[] {
    const { dynamics, table } = this;
    demand(dynamics.update(q, new Float64Array(q.length)));
    const place = new Float64Array(3);
    return table.columns.map(({ frame, axis }) => {
      demand(dynamics.frame(frame, null, place, null));
      return place[axis]!;
    });
  }

  private jacobianAt(q: readonly number[]): number[][] {
    const { dynamics, table } = this;
    const n = q.length;
    demand(dynamics.update(q, new Float64Array(n)));
    const J = new Float64Array(6 * n);
    return table.columns.map(({ frame, axis }) => {
      demand(dynamics.frame(frame, null, null, J));
      return [...J.subarray((3 + axis) * n, (4 + axis) * n)];
    });
  }
}

function demand(status: Status): void {
  if (status !== KG_OK) throw new KanegenError('no-equilibrium', 'the robot has no finite place there');
}

/** 0.975 quantile of Student's t by its expansion about the normal one (Cornish and Fisher); three digits from five degrees of freedom on. */
export function studentQuantile(freedom: number): number {
  const exact = [12.706, 4.303, 3.182, 2.776][freedom - 1];
  if (exact !== undefined) return exact;
  const z = 1.959964;
  const [g1, g2, g3] = [
    (z ** 3 + z) / 4,
    (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96,
    (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384,
  ];
  return z + g1 / freedom + g2 / freedom ** 2 + g3 / freedom ** 3;
}
