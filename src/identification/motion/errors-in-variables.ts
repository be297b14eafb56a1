/**
 * Parameters and motion together by maximum likelihood: coordinates are measured with noise as forces are, so motion is unknown
 * as well, splines that are fitted to the sensors and, through the equations of motion, to the forces. Noise of the regressor does
 * not bias parameters that way, and their deviations have the noise of all sensors in them. Gauss–Newton: unknowns of the motion meet neighbours only and are eliminated first.
 *
 * Sources: Britt & Luecke 1973, The estimation of parameters in nonlinear, implicit models, Technometrics 15(2); Ramsay, Hooker,
 * Campbell & Cao 2007, Parameter estimation for differential equations: a generalized smoothing approach, J. R. Statist. Soc. B
 * 69(5).
 */
import { normalNumber, randomNumbers } from '../../common/random.ts';
import { autoregression, innovations, MOST_ORDER } from './autoregression.ts';
import { BandedNormalEquations } from './banded-cholesky.ts';
import { leastSquares, product, TriangularRows, type LeastSquares } from '../least-squares.ts';
import type { Measurements } from '../measurements.ts';
import { measuredOrders, stateOf, type SmoothMotion, type SmoothState } from './smooth-motion.ts';
import { DEGREE } from './splines.ts';

/** Generalized forces that are linear in some unknowns. */
export interface ForceModel {
  readonly coordinates: number;
  readonly unknowns: number;
  /** n numbers at the instant of a sample. */
  forces(state: SmoothState, sample: number, values: readonly number[]): Float64Array;
  /** Forces = offset + Y values, Y n × unknowns, row-major. */
  linear(state: SmoothState, sample: number): { readonly offset: Float64Array; readonly Y: Float64Array };
}

export interface MotionFit extends LeastSquares {
  readonly motion: SmoothMotion;
  /** At most one row more than unknowns, (A, b) in units of the noise: all that is known of the parameters, motion eliminated. */
  readonly rows: readonly (readonly number[])[];
  /** Of forces, by coordinate. */
  readonly noise: readonly ForceNoise[];
  /** Did the iteration come to rest? */
  readonly settled: boolean;
}

/** Errors of the forces on a coordinate: by their memory, by the errors of coordinates before it, and by what is new. */
export interface ForceNoise {
  /** Of the errors at instants before. */
  readonly phi: readonly number[];
  /** Of what is new in the errors of coordinates before it: they have sensors in common where tendons or drives act on several. */
  readonly shares: readonly number[];
  /** Of what is left. */
  readonly deviation: number;
}

const MOST_ROUNDS = 15;
/** In deviations of the parameters, and of the noise of forces itself: steps that are no steps. */
const SETTLED = 0.02;
/** Colours of the noise are looked for in so many rounds, and kept from then on. */
const COLOURED_ROUNDS = 7;
/** Of the errors of the motion. */
const DRAWS = 4;
/** Correlations between coordinates below count as none. */
const LEAST_CORRELATION = 0.1;
/** Of the errors of a coordinate: no less is its own. */
const LEAST_OWN = 0.01;
/** Steps of difference quotients, of what a coordinate, its rate or acceleration usually is. */
const STEP = 1e-4;

/**
 * @param start motion by the sensors alone, and values of the unknowns with the noise of forces.
 * @param least noise of forces, by coordinate: less is rounding.
 */
export function errorsInVariables(
  model: ForceModel,
  data: Measurements,
  start: { readonly motion: SmoothMotion; readonly values: readonly number[]; readonly noise: readonly ForceNoise[] },
  least: readonly number[],
): MotionFit {
  const problem = new MotionProblem(model, data, start.motion);
  let values = start.values;
  let noise = start.noise;
  for (let round = 1; ; round++) {
    const rows = problem.forceRows(values);
    const equations = problem.equations(rows, noise);
    const eliminated = problem.eliminated(rows, noise, equations, values);
    const fit = leastSquares(eliminated);
    const step = fit.values.map((x, i) => x - values[i]!);
    const left = problem.move(rows, equations, step);
    const before = noise;
    const errors = problem.possibleErrors(rows, left, equations.draws);
    const memories = left.map((_, k) =>
      round > COLOURED_ROUNDS ? before[k]!.phi : colour(errors[k]!, before[k]!.deviation > least[k]!),
    );
    noise = forceNoise(errors, memories, problem.freedom, least);
    const settled =
      step.every((x, i) => Math.abs(x) <= SETTLED * fit.deviations[i]!) &&
      noise.every(({ deviation }, k) => Math.abs(deviation - before[k]!.deviation) <= SETTLED * deviation);
    values = fit.values;
    if (settled || round === MOST_ROUNDS) return { ...fit, motion: problem.motion, rows: eliminated, noise, settled };
  }
}

/**
 * @param errors possible ones, by coordinate, draw and instant.
 * @param freedom share of the instants that is left when parameters are known.
 */
function forceNoise(
  errors: readonly (readonly (readonly number[])[])[],
  memories: readonly (readonly number[])[],
  freedom: number,
  least: readonly number[],
): ForceNoise[] {
  const longest = Math.max(...memories.map((phi) => phi.length));
  const fresh = errors.map((draws, k) =>
    draws.flatMap((own) => innovations(own.slice(longest - memories[k]!.length), memories[k]!)),
  );
  const size = (all: readonly number[]): number => Math.sqrt(product(all, all));
  return memories.map((phi, k) => {
    const own = fresh[k]!;
    const related = fresh
      .slice(0, k)
      .map((other) => Math.abs(product(own, other)) > LEAST_CORRELATION * size(own) * size(other));
    const others = fresh.slice(0, k).filter((_, j) => related[j]);
    const found = others.length === 0 ? [] : leastSquares(own.map((e, i) => [...others.map((x) => x[i]!), e])).values;
    const shares = related.map((is, j) => (is ? found[related.slice(0, j).filter(Boolean).length]! : 0));
    const left = own.map((e, i) => shares.reduce((sum, share, j) => sum - share * fresh[j]![i]!, e));
    const deviation = Math.max(size(left), LEAST_OWN * size(own)) / Math.sqrt(own.length * freedom);
    return { phi, shares, deviation: Math.max(deviation, least[k]!) };
  });
}

/** Memory by which slow errors are larger; where they seem smaller, it is the motion that has taken them in. */
function colour(errors: readonly (readonly number[])[], isNoise: boolean): readonly number[] {
  const phi = isNoise ? autoregression(errors) : [];
  return phi.reduce((sum, own) => sum + own, 0) > 0 ? phi : [];
}

/** A linear equation of neighbouring unknowns of the motion, and of the parameters. */
interface Row {
  /** First of the splines that take part. */
  readonly first: number;
  /** Unknowns of a spline: coordinates that move. */
  readonly perSpline: number;
  readonly motion: Float64Array;
  readonly parameters: Float64Array;
  readonly right: number;
}

/** By instant and coordinate. */
type ForceRows = readonly (readonly Row[])[];

interface EliminatedMotion {
  /** Change of the motion, by the unknowns, for parameters as they are. */
  readonly own: Float64Array;
  /** And what of it each parameter takes away. */
  readonly shares: readonly Float64Array[];
  /** Errors of the motion as they may be, parameters given: random ones, always the same. */
  readonly draws: readonly Float64Array[];
}

class MotionProblem {
  motion: SmoothMotion;
  private readonly model: ForceModel;
  private readonly data: Measurements;
  /** Coordinates that move. */
  private readonly moving: readonly number[];
  /** For difference quotients, by order and coordinate. */
  private readonly steps: readonly Float64Array[];

  constructor(model: ForceModel, data: Measurements, motion: SmoothMotion) {
    this.model = model;
    this.data = data;
    this.motion = motion;
    this.moving = motion.noise[0]!.flatMap((noise, a) => (noise > 0 ? [a] : []));
    const squares = [0, 1, 2].map(() => new Float64Array(model.coordinates));
    data.times.forEach((_, sample) => {
      const { q, qd, qdd } = stateOf(motion, sample);
      [q, qd, qdd].forEach((own, order) => own.forEach((x, a) => (squares[order]![a]! += x ** 2)));
    });
    this.steps = squares.map((own) => own.map((sum) => STEP * Math.sqrt(sum / data.times.length) || STEP));
  }

  /** Normal equations of the motion, solved for it. */
  equations(forces: ForceRows, noise: readonly ForceNoise[]): EliminatedMotion {
    const { model, moving, motion } = this;
    const { unknowns } = model;
    const size = motion.basis.size * moving.length;
    const banded = new BandedNormalEquations(size, this.splinesPerRow() * moving.length);
    const own = new Float64Array(size);
    const shares = Array.from({ length: unknowns }, () => new Float64Array(size));
    this.eachRow(forces, noise, (row, k) => {
      const from = row.first * moving.length;
      banded.add(row.motion, from);
      addTo(own, from, row.motion, row.right);
      if (k === undefined) return;
      row.parameters.forEach((factor, i) => addTo(shares[i]!, from, row.motion, factor));
    });
    banded.factor();
    const random = randomNumbers(1);
    const draw = (): Float64Array => banded.spread(Float64Array.from({ length: size }, () => normalNumber(random)));
    return {
      own: banded.solve(own),
      shares: shares.map((share) => banded.solve(share)),
      draws: Array.from({ length: DRAWS }, draw),
    };
  }

  /** What is left for the parameters, in their values instead of their changes. */
  eliminated(
    forces: ForceRows,
    noise: readonly ForceNoise[],
    { own, shares }: EliminatedMotion,
    values: readonly number[],
  ): number[][] {
    const { moving } = this;
    const left = new TriangularRows(values.length);
    this.eachRow(forces, noise, ({ first, motion, parameters, right }) => {
      const from = first * moving.length;
      const row = shares.map((share, i) => parameters[i]! - dotFrom(share, from, motion));
      const rest = right - dotFrom(own, from, motion);
      left.add([...row, row.reduce((sum, factor, i) => sum + factor * values[i]!, rest)]);
    });
    return left.rows.map((row) => [...row]);
  }

  /** Motion after a step of the parameters. @returns what is left of forces, by coordinate and instant. */
  move(forces: ForceRows, { own, shares }: EliminatedMotion, step: readonly number[]): number[][] {
    const { motion, moving, model } = this;
    const changes = own.map((change, x) => shares.reduce((sum, share, i) => sum - share[x]! * step[i]!, change));
    const coefficients = motion.coefficients.slice();
    changes.forEach((change, x) => {
      coefficients[Math.floor(x / moving.length) * model.coordinates + moving[x % moving.length]!]! += change;
    });
    this.motion = { ...motion, coefficients };
    return Array.from({ length: model.coordinates }, (_, k) =>
      forces.map((rows) => {
        const row = rows[k]!;
        const rest = row.right - dotFrom(changes, row.first * moving.length, row.motion);
        return step.reduce((sum, change, i) => sum - row.parameters[i]! * change, rest);
      }),
    );
  }

  /**
   * Errors of forces as they may be, by coordinate, draw and instant: what is left of them alone is less, as motion follows them
   * (stochastic form of the E step of Dempster, Laird & Rubin 1977, J. R. Statist. Soc. B 39(1)).
   */
  possibleErrors(
    forces: ForceRows,
    left: readonly (readonly number[])[],
    draws: readonly Float64Array[],
  ): number[][][] {
    const { length } = this.moving;
    return left.map((own, k) =>
      draws.map((draw) =>
        own.map((error, i) => error + dotFrom(draw, forces[i]![k]!.first * length, forces[i]![k]!.motion)),
      ),
    );
  }

  /** Share of the instants that is left when parameters are known. */
  get freedom(): number {
    const { coordinates, unknowns } = this.model;
    return Math.max(1 - unknowns / (coordinates * this.data.times.length), 1 / this.data.times.length);
  }

  /** Of the splines, so many meet in a row of forces whose noise remembers some instants. */
  private splinesPerRow(): number {
    const { at } = this.motion;
    const reach = at.map(({ first }, i) => first - at[Math.max(i - MOST_ORDER, 0)]!.first);
    return DEGREE + 1 + reach.reduce((most, own) => Math.max(most, own), 0);
  }

  /** Rows of forces, k the coordinate, and those of sensors, in units of their noise. */
  private eachRow(forces: ForceRows, noise: readonly ForceNoise[], visit: (row: Row, k?: number) => void): void {
    const longest = Math.max(...noise.map(({ phi }) => phi.length));
    forces.forEach((rows, sample) => {
      if (sample >= longest) {
        const fresh = rows.map((row, k) => {
          const { phi } = noise[k]!;
          return combined([row, ...phi.map((_, l) => forces[sample - 1 - l]![k]!)], [1, ...phi.map((own) => -own)]);
        });
        noise.forEach(({ shares, deviation }, k) => {
          const factors = [1, ...shares.map((share) => -share)].map((factor) => factor / deviation);
          visit(combined([fresh[k]!, ...fresh.slice(0, k)], factors), k);
        });
      }
      this.sensorRows(sample).forEach((row) => visit(row));
    });
  }

  /** Of all instants, by coordinate, in N or N m. */
  forceRows(values: readonly number[]): ForceRows {
    return this.data.times.map((_, sample) => this.forceRowsAt(sample, values));
  }

  /** Measured forces by the changes of motion and parameters. */
  private forceRowsAt(sample: number, values: readonly number[]): Row[] {
    const { model, motion, data, moving, steps } = this;
    const { coordinates: n, unknowns } = model;
    const state = stateOf(motion, sample);
    const { first, orders } = motion.at[sample]!;
    const { offset, Y } = model.linear(state, sample);
    const parameters = Array.from({ length: n }, (_, k) => Y.slice(k * unknowns, (k + 1) * unknowns));
    const rows = parameters.map((own, k): Row => {
      const forces = own.reduce((sum, factor, i) => sum + factor * values[i]!, offset[k]!);
      const motionOf = new Float64Array((DEGREE + 1) * moving.length);
      return {
        first,
        perSpline: moving.length,
        motion: motionOf,
        parameters: own,
        right: data.tau[sample]![k]! - forces,
      };
    });
    (['q', 'qd', 'qdd'] as const).forEach((name, order) =>
      moving.forEach((a, position) => {
        const step = steps[order]![a]!;
        const beside = (sign: number): Float64Array =>
          model.forces({ ...state, [name]: state[name].with(a, state[name][a]! + sign * step) }, sample, values);
        const [above, below] = [beside(1), beside(-1)];
        rows.forEach(({ motion: own }, k) => {
          const slope = (above[k]! - below[k]!) / (2 * step);
          if (slope !== 0) orders[order]!.forEach((value, j) => (own[j * moving.length + position]! += slope * value));
        });
      }),
    );
    return rows;
  }

  private sensorRows(sample: number): Row[] {
    const { motion, data, moving, model } = this;
    const state = stateOf(motion, sample);
    const { first, orders } = motion.at[sample]!;
    const smooth = [state.q, state.qd, state.qdd];
    const none = new Float64Array(model.unknowns);
    return measuredOrders(data).flatMap((rows, order) =>
      rows
        ? moving.map((a, position): Row => {
            const weight = 1 / motion.noise[order]![a]!;
            const own = new Float64Array((DEGREE + 1) * moving.length);
            orders[order]!.forEach((value, j) => (own[j * moving.length + position] = weight * value));
            const right = weight * (rows[sample]![a]! - smooth[order]![a]!);
            return { first, perSpline: moving.length, motion: own, parameters: none, right };
          })
        : [],
    );
  }
}

function combined(rows: readonly Row[], factors: readonly number[]): Row {
  const taken = rows.filter((_, i) => factors[i] !== 0);
  const first = Math.min(...taken.map((own) => own.first));
  const [row] = rows as [Row];
  const perSpline = row.perSpline;
  const end = Math.max(...taken.map((own) => (own.first - first) * perSpline + own.motion.length));
  const motion = new Float64Array(end);
  const parameters = new Float64Array(row.parameters.length);
  let right = 0;
  rows.forEach((own, i) => {
    if (factors[i] === 0) return;
    addTo(motion, (own.first - first) * perSpline, own.motion, factors[i]!);
    addTo(parameters, 0, own.parameters, factors[i]!);
    right += factors[i]! * own.right;
  });
  return { first, perSpline, motion, parameters, right };
}

function addTo(sum: Float64Array, from: number, row: Float64Array, factor: number): void {
  if (factor === 0) return;
  for (let i = 0; i < row.length; i++) sum[from + i]! += factor * row[i]!;
}

function dotFrom(all: Float64Array, from: number, row: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < row.length; i++) sum += all[from + i]! * row[i]!;
  return sum;
}
