/**
 * Parameters from places of markers, at rest or in motion: least squares by Levenberg and Marquardt's method. Errors of all coordinates of markers
 * count as independent and alike: deviations are those of σ² (JᵀJ)⁻¹ with σ² from what is left.
 */
import { Matrix, QrDecomposition, SingularValueDecomposition } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KanegenError } from '../../common/error.ts';
import type { Robot } from '../../description/model/robot.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Bound, MarkerProblem, Misfit } from './marker-problem.ts';
import type { MarkerTable } from './marker-table.ts';
import { MovingMarkers } from './moving-markers.ts';
import { RestingMarkers } from './resting-markers.ts';

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
  /** Lines of the table: equilibria, or instants of one motion. */
  readonly lines: number;
  readonly moving: boolean;
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
/** Of a parameter, in the last step of a stage before the last. */
const ROUGHLY = 1e-2;
const [FIRST_DAMPING, MOST_DAMPING] = [1e-3, 1e12];
/** By which a parameter moves a marker when it doubles, as a share of how far markers are: below, by nothing. */
const LEAST_MOVED = 1e-9;
/** Of scaled sensitivities: above, some parameters cannot be told apart. */
const WORST_CONDITION = 1e6;
/** By which a positive parameter falls at most in one step. */
const LEAST_LEFT = 0.2;

/**
 * @param dynamics with derivatives; the parameters that are sought are run-time parameters of it.
 * @param table with times where markers move.
 * @throws KanegenError `too-few-markers`, `too-little-excitation`, `no-equilibrium`, `no-motion`, and where a robot with loops rests.
 */
export function fitMarkers(
  robot: Robot,
  dynamics: LoadedRobot,
  table: MarkerTable,
  names: readonly string[],
): MarkerFit {
  const quantities = names.map((name) => robot.parameters.find((own) => own.name === name)!);
  const inFile = evaluate(quantities.map(({ value }) => value));
  const moving = table.times !== undefined;
  const problem = new (moving ? MovingMarkers : RestingMarkers)(robot, dynamics, table, names);
  const lines = table.places.length;
  const seenIn = (count: number): number => table.places.slice(0, count).flat().filter(Number.isFinite).length;
  const seen = seenIn(lines);
  if (seen <= names.length)
    throw new KanegenError('too-few-markers', `${seen} places of markers for ${names.length} parameters`, {
      remedy: `give more ${moving ? 'instants' : 'equilibria'}, more markers, or fewer parameters: the noise is estimated from the residuals`,
    });
  // Steps are relative: parameters differ by many orders.
  const sizes = inFile.map((value) => Math.abs(value) || 1);
  const bounds = quantities.map(({ lower = -Infinity, upper = Infinity }, i) => ({
    lower: inFile[i]! > 0 ? Math.max(lower, 0) : lower,
    upper,
  }));
  const reach = Math.max(...table.places.flat().filter(Number.isFinite).map(Math.abs));
  const search = new Search(problem, { names, sizes, bounds, reach });
  let values: readonly number[] = inFile;
  for (const share of problem.stages.filter((own) => own < 1)) {
    const count = Math.ceil(share * lines);
    // A part that does not tell the parameters apart yet is no place to begin.
    if (count < 2 || seenIn(count) <= names.length) continue;
    values = search.roughly(values, count);
  }
  const last = search.from(values, lines, problem.settled);
  const { now, J, condition } = last;
  const freedom = seen - names.length;
  const noise = Math.sqrt(now.squares / freedom);
  const covariance = inverseOfSquares(J);
  const t = studentQuantile(freedom);
  const leftOf = (column: number): number[] =>
    table.places.flatMap((own, line) =>
      Number.isFinite(own[column]!) ? [now.left[line * table.columns.length + column]!] : [],
    );
  return {
    converged: last.isSettled,
    lines,
    moving,
    numbers: seen,
    condition,
    parameters: quantities.map(({ name, unit }, i) => {
      const deviation = noise * Math.sqrt(covariance.get(i, i)) * sizes[i]!;
      const value = last.values[i]!;
      return {
        name,
        unit,
        inFile: inFile[i]!,
        value,
        deviation,
        interval: [value - t * deviation, value + t * deviation],
      };
    }),
    residuals: table.columns.map(({ name }, k) => ({ name, residual: rootMeanSquare(leftOf(k)) })),
    noise,
    notes: [
      ...problem.notes,
      ...(table.strange?.length ? [`no frames of the robot, left alone: ${table.strange.join(', ')}`] : []),
      ...(table.idle.length > 0 ? [`without a column, and at zero: ${table.idle.join(', ')}`] : []),
    ],
  };
}

interface SearchOf {
  readonly names: readonly string[];
  readonly sizes: readonly number[];
  readonly bounds: readonly Bound[];
  /** Of places, m. */
  readonly reach: number;
}

/** Where Levenberg and Marquardt's method ended. */
interface Found {
  readonly values: readonly number[];
  readonly isSettled: boolean;
  readonly now: Misfit;
  /** Sensitivities there. */
  readonly J: Matrix;
  readonly condition: number;
}

class Search {
  private readonly problem: MarkerProblem;
  private readonly of: SearchOf;

  constructor(problem: MarkerProblem, of: SearchOf) {
    this.problem = problem;
    this.of = of;
  }

  /** Values from which the next stage begins; those that are given where these lines do not tell them. */
  roughly(values: readonly number[], lines: number): readonly number[] {
    try {
      return this.from(values, lines, ROUGHLY).values;
    } catch (error) {
      if (error instanceof KanegenError && error.code === 'too-little-excitation') return values;
      throw error;
    }
  }

  /** @throws KanegenError `too-little-excitation`, and where the model has no places at these values. */
  from(start: readonly number[], lines: number, settled: number): Found {
    const { names, sizes, bounds, reach } = this.of;
    let values = start;
    let now = this.problem.at(values, lines);
    let isSettled = false;
    // What damps steps, beside the squares of the sensitivities.
    let damping = FIRST_DAMPING;
    for (let steps = 0; steps < MOST_STEPS && !isSettled; steps++) {
      const J = this.problem.sensitivities(values, this.of, lines);
      checkTold(J, names, reach);
      let taken: { values: number[]; now: Misfit } | undefined;
      for (; damping < MOST_DAMPING && !taken && !isSettled; damping *= 4) {
        const step = dampedStep(J, now.left, damping);
        const next = values.map((value, i) => within(value, value + step[i]! * sizes[i]!, bounds[i]!));
        const there = this.tried(next, lines);
        if (there && there.squares < now.squares) taken = { values: next, now: there };
        // Rounding is all that is left.
        else if (step.every((own) => Math.abs(own) < settled)) isSettled = true;
      }
      if (!taken) break;
      const change = taken.values.map((value, i) => Math.abs(value - values[i]!) / sizes[i]!);
      isSettled = change.every((own) => own < settled);
      ({ values, now } = taken);
      damping /= 40;
    }
    now = this.problem.at(values, lines);
    const J = this.problem.sensitivities(values, this.of, lines);
    return { values, isSettled, now, J, condition: checkTold(J, names, reach) };
  }

  /** Undefined where the model has no places: a step led too far. */
  private tried(values: readonly number[], lines: number): Misfit | undefined {
    try {
      return this.problem.at(values, lines);
    } catch (error) {
      if (error instanceof KanegenError && (error.code === 'no-equilibrium' || error.code === 'no-motion'))
        return undefined;
      throw error;
    }
  }
}

/** With damping as a share of the squares of each column. */
function dampedStep(J: Matrix, left: readonly number[], damping: number): number[] {
  const rows = J.to2DArray();
  const lengths = rows[0]!.map((_, i) => Math.hypot(...J.getColumn(i)));
  const damped = lengths.map((length, i) => lengths.map((__, j) => (i === j ? Math.sqrt(damping) * length : 0)));
  const right = [...left, ...lengths.map(() => 0)];
  return new QrDecomposition(new Matrix([...rows, ...damped])).solve(Matrix.columnVector(right)).to1DArray();
}

function within(from: number, to: number, { lower, upper }: Bound): number {
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
