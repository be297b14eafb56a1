/**
 * Linearly implicit steps of order 3 for stiff robots: ROS34PW2 (Rang & Angermann, New Rosenbrock W-methods of order 3
 * for partial differential algebraic equations of index 1, BIT 45, 2005): four stages, L-stable, an error of order 2
 * beside it. Its order does not depend on the Jacobian, which here has what springs and dampers of links do, nothing
 * else:
 *   J = [0 1; −M⁻¹K −M⁻¹D],   (1 − hγ J) u_i = hγ (f(y + Σ a_ij u_j) + Σ c_ij/h u_j)
 * (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.7.25): a step takes four forward dynamics, one
 * factorisation and four solutions with it, all in time proportional to the number of links.
 * This file is copied beside generated modules; nothing is allocated after the constructor. Arithmetic and square roots
 * only, in the order of NAME_rosenbrock.c: the languages agree to the bit where the robots do.
 */
import {
  areFinite,
  KG_NO_STATE,
  KG_NO_STEP,
  KG_NON_FINITE,
  KG_OK,
  KG_UNDEFINED,
  type Drive,
  type Dynamics,
  type Status,
} from './driver.ts';

/**
 * y' = f(t, y) with y = (q, q̇, w), and what is stiff in it; w are quantities that are only added up (work done). All
 * functions return KG_OK, or why there is no result.
 */
export interface StiffSystem {
  /** Coordinates n; y has n + n + sums numbers. */
  readonly coordinates: number;
  readonly sums: number;
  /** f. */
  derivative(t: number, y: Float64Array, out: Float64Array): Status;
  /** f at the beginning of a step; `factor` and `solve` refer to that state, whatever `derivative` is asked. */
  linearise(t: number, y: Float64Array, out: Float64Array): Status;
  /** Makes ready to solve with 1 − g J. @param g in s. */
  factor(g: number): Status;
  /** x of (1 − g J) x = g r for the first n + n numbers. */
  solve(g: number, r: Float64Array, x: Float64Array): Status;
  /** Takes a state to the nearest one at which loops are closed; missing where there are none. */
  project?(t: number, y: Float64Array): Status;
}

const GAMMA = 0.435866521508459;
/** a_ij, c_ij and what is left of b_j − b̂_j for the u_j, row by row. */
const A = [
  [],
  [2],
  [1.4192173174557646, -0.25923221167296971],
  [4.1847604823191607, -0.28519201735549591, 2.2942803602790417],
];
const C = [
  [],
  [-4.5885607205580835],
  [-4.1847604823191607, 0.28519201735549591],
  [-6.3681792001283578, -6.7956209444668362, 2.8700986043310561],
];
const ERROR = [0.27774994764796811, -1.403239895175999, 1.7726301276675507, 0.5];
/** Times of the stages, in steps. */
const TIMES = [0, 0.87173304301691801, 0.73157995778885238, 1];

/** A step is at most this times the one before, at least that, and shorter than the error allows by this. */
const [GROWTH, SHRINKAGE, SAFETY] = [5, 0.1, 0.9];
/** Where a stage has no result. */
const RETREAT = 0.25;
/** What counts as the error of the step before, and of a step, at least. */
const [LEAST_ERROR_BEFORE, LEAST_ERROR] = [1e-4, 1e-10];

/** Corrections of coordinates that are closed so, relative to these: the next one is below rounding; this one is. */
const [NEAR, CLOSED] = [1e-8, 1e-15];
const MOST_CORRECTIONS = 20;
/** Of loops, in a robot file. */
const MOST_ROWS = 64;

/** A motion in steps. The state after the last one is `t` and `y`. */
export class Rosenbrock {
  private readonly system: StiffSystem;
  readonly y: Float64Array;
  /** The state before the last step, and f at both. */
  private readonly before: Float64Array;
  private readonly slope: Float64Array;
  private readonly slopeBefore: Float64Array;
  private readonly stages: readonly Float64Array[];
  private readonly state: Float64Array;
  private readonly right: Float64Array;
  private errorBefore = 1;
  /** What `linearise` returned for the present state. */
  private ready: Status = KG_NO_STATE;
  t = 0;
  /** Where the last step began. */
  from = 0;
  /** Size of the next step with error control; zero: chosen by the size of f. */
  stepSize = 0;
  /**
   * Of a step, relative to coordinates and rates where they are above one, absolute below; the error of a run is a
   * multiple of it.
   */
  tolerance: number;
  steps = 0;
  rejected = 0;

  constructor(system: StiffSystem, tolerance: number) {
    const size = 2 * system.coordinates + system.sums;
    this.system = system;
    this.tolerance = tolerance;
    this.y = new Float64Array(size);
    this.before = new Float64Array(size);
    this.slope = new Float64Array(size);
    this.slopeBefore = new Float64Array(size);
    this.stages = A.map(() => new Float64Array(size));
    this.state = new Float64Array(size);
    this.right = new Float64Array(size);
  }

  /** Takes a state. @param y q, then q̇, then what sums begin with. */
  start(t: number, y: ArrayLike<number>): Status {
    if (!Number.isFinite(t)) return KG_NON_FINITE;
    this.y.set(y);
    this.before.set(y);
    this.t = this.from = t;
    this.errorBefore = 1;
    this.ready = this.system.linearise(t, this.y, this.slope);
    this.slopeBefore.set(this.slope);
    return this.ready;
  }

  /** One step of size h, of fixed cost. Where it has no result, the state stays what it was. */
  step(h: number): Status {
    if (!Number.isFinite(h)) return KG_NON_FINITE;
    const status = this.attempt(h);
    return status === KG_OK ? this.accept(this.t + h) : status;
  }

  /**
   * One step whose error is within the tolerance, at most to the time `end`, which is met exactly; repeat until t is
   * there. Where no step that the time can tell is short enough: the status of the last attempt, KG_NO_STEP when that
   * was its error.
   */
  stepTowards(end: number): Status {
    if (!Number.isFinite(end)) return KG_NON_FINITE;
    const left = end - this.t;
    if (left <= 0) return KG_OK;
    if (this.ready !== KG_OK) return this.ready;
    const most = Math.max(Math.abs(this.t), Math.abs(end));
    if (this.stepSize <= 0) this.stepSize = this.firstStep(left);
    for (;;) {
      // The rest of the way in one step, or in two halves, never a sliver.
      const wanted = this.stepSize;
      const h = wanted >= left ? left : wanted > left / 2 ? left / 2 : wanted;
      const status = this.attempt(h);
      const error = status === KG_OK ? this.error() : 0;
      if (status === KG_OK && error <= 1) {
        const factor = Math.min(GROWTH, Math.max(SHRINKAGE, this.growth(error)));
        this.errorBefore = Math.max(error, LEAST_ERROR_BEFORE);
        // A step cut short by the end of the way says nothing against longer ones.
        this.stepSize = h < wanted ? Math.max(h * factor, Math.min(wanted, h * GROWTH)) : h * factor;
        return this.accept(h === left ? end : this.t + h);
      }
      this.rejected++;
      this.stepSize = h * (status === KG_OK ? retreat(error) : RETREAT);
      if (most + this.stepSize === most) return status === KG_OK ? KG_NO_STEP : status;
    }
  }

  /** The state at a time within the last step: cubic through both ends with their derivatives. */
  between(t: number, out: Float64Array): void {
    const { y, before, slope, slopeBefore } = this;
    const h = this.t - this.from;
    const s = h > 0 ? (t - this.from) / h : 1;
    const a = s * s * (3 - 2 * s);
    const b = h * (s * (1 - s));
    for (let i = 0; i < y.length; i++)
      out[i] = before[i]! + a * (y[i]! - before[i]!) + b * ((1 - s) * slopeBefore[i]! - s * slope[i]!);
  }

  /** Stages of a step; the state after it is left in `state`. */
  private attempt(h: number): Status {
    const { system, y, stages, state, right } = this;
    const [size, g] = [y.length, GAMMA * h];
    let status = this.ready === KG_OK ? system.factor(g) : this.ready;
    for (let s = 0; s < stages.length && status === KG_OK; s++) {
      for (let i = 0; i < size; i++) state[i] = y[i]!;
      for (let j = 0; j < s; j++) addTo(state, A[s]![j]!, stages[j]!, size);
      if (s === 0) right.set(this.slope);
      else status = system.derivative(this.t + TIMES[s]! * h, state, right);
      if (status !== KG_OK) return status;
      for (let j = 0; j < s; j++) addTo(right, C[s]![j]! / h, stages[j]!, size);
      const stage = stages[s]!;
      status = system.solve(g, right, stage);
      for (let i = 2 * system.coordinates; i < size; i++) stage[i] = g * right[i]!;
    }
    if (status !== KG_OK) return status;
    addTo(state, 1, stages[3]!, size);
    return areFinite(state, size) ? KG_OK : KG_UNDEFINED;
  }

  /** The state that an attempt left becomes the present one. */
  private accept(t: number): Status {
    this.before.set(this.y);
    this.slopeBefore.set(this.slope);
    this.y.set(this.state);
    this.from = this.t;
    this.t = t;
    this.steps++;
    const closed = this.system.project?.(t, this.y) ?? KG_OK;
    this.ready = closed === KG_OK ? this.system.linearise(t, this.y, this.slope) : closed;
    return this.ready;
  }

  /** Of coordinates and rates, root mean square in units of the tolerance; what is only added up follows from them. */
  private error(): number {
    const { y, stages, state } = this;
    const count = 2 * this.system.coordinates;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      let error = 0;
      for (let j = 0; j < stages.length; j++) error += ERROR[j]! * stages[j]![i]!;
      const ratio = error / (this.tolerance * (1 + Math.max(Math.abs(y[i]!), Math.abs(state[i]!))));
      sum += ratio * ratio;
    }
    return Math.sqrt(sum / Math.max(1, count));
  }

  /** A hundredth of the time in which the state changes by its size. */
  private firstStep(most: number): number {
    const count = 2 * this.system.coordinates;
    let sum = 0;
    for (let i = 0; i < count; i++) {
      const ratio = this.slope[i]! / (1 + Math.abs(this.y[i]!));
      sum += ratio * ratio;
    }
    const rate = Math.sqrt(sum / Math.max(1, count));
    return rate * most > 0.01 ? 0.01 / rate : most;
  }

  /** Proportional and integral control of the step (Gustafsson 1991), exponents −3/8 and 1/8 of the errors. */
  private growth(error: number): number {
    return (SAFETY * root8(this.errorBefore)) / power38(Math.max(error, LEAST_ERROR));
  }
}

/** By error^(−3/8). */
function retreat(error: number): number {
  if (!Number.isFinite(error)) return SHRINKAGE;
  return Math.min(1, Math.max(SHRINKAGE, SAFETY / power38(error)));
}

const root8 = (x: number): number => Math.sqrt(Math.sqrt(Math.sqrt(x)));
const power38 = (x: number): number => Math.sqrt(Math.sqrt(x)) * root8(x);

function addTo(total: Float64Array, factor: number, x: Float64Array, size: number): void {
  for (let i = 0; i < size; i++) total[i] = total[i]! + factor * x[i]!;
}

/** What the method asks of a robot. */
interface StiffRobot extends Pick<
  Dynamics,
  'coordinates' | 'update' | 'forwardDynamics' | 'implicitFactor' | 'implicitSolve'
> {
  constraintCorrection?(dq: Float64Array, dqd: Float64Array): Status;
  keepRopes?(taut: ArrayLike<number>): Status;
  constrainedForwardDynamics?(
    alpha: number,
    beta: number,
    tau: ArrayLike<number>,
    qdd: Float64Array,
    lambda: Float64Array,
  ): Status;
  twin(): StiffRobot;
}

export interface DrivenRobotOptions {
  /** How many quantities are added up along the motion. */
  readonly sums?: number;
  /** Sets the parameter `time` of robots that depend on the time. */
  readonly setTime?: (t: number) => void;
}

/** A robot and what drives it. The robot's workspace holds the beginning of a step, a second one the stages. */
export class DrivenRobot<D extends StiffRobot = Dynamics> implements StiffSystem {
  readonly coordinates: number;
  readonly sums: number;
  private readonly linear: D;
  private readonly moving: D;
  private readonly drive: Drive<D>;
  private readonly setTime: ((t: number) => void) | undefined;
  private readonly q: Float64Array;
  private readonly qd: Float64Array;
  private readonly tau: Float64Array;
  private readonly qdd: Float64Array;
  private readonly changeQ: Float64Array;
  private readonly changeQd: Float64Array;
  private readonly rates: Float64Array;
  private readonly multipliers: Float64Array;

  /** @param dynamics belongs to this motion: nobody else stages states in it. */
  constructor(dynamics: D, drive: Drive<D>, { sums = 0, setTime }: DrivenRobotOptions = {}) {
    const n = dynamics.coordinates;
    this.coordinates = n;
    this.sums = sums;
    this.linear = dynamics;
    this.moving = dynamics.twin() as D;
    this.drive = drive;
    this.setTime = setTime;
    this.q = new Float64Array(n);
    this.qd = new Float64Array(n);
    this.tau = new Float64Array(n);
    this.qdd = new Float64Array(n);
    this.changeQ = new Float64Array(n);
    this.changeQd = new Float64Array(n);
    this.rates = new Float64Array(sums);
    this.multipliers = new Float64Array(MOST_ROWS);
  }

  derivative(t: number, y: Float64Array, out: Float64Array): Status {
    return this.evaluate(this.moving, t, y, out);
  }

  linearise(t: number, y: Float64Array, out: Float64Array): Status {
    return this.evaluate(this.linear, t, y, out);
  }

  /** States of ropes for all that follows, see `keepRopes` of the robot. @param y any state that can be staged. */
  keepRopes(t: number, y: Float64Array, taut: ArrayLike<number>): Status {
    const { coordinates: n, q, qd } = this;
    for (let i = 0; i < n; i++) {
      q[i] = y[i]!;
      qd[i] = y[n + i]!;
    }
    this.setTime?.(t);
    for (const dynamics of [this.linear, this.moving]) {
      let status = dynamics.update(q, qd);
      if (status === KG_OK && dynamics.keepRopes) status = dynamics.keepRopes(taut);
      if (status !== KG_OK) return status;
    }
    return KG_OK;
  }

  factor(g: number): Status {
    return this.linear.implicitFactor(g);
  }

  solve(g: number, r: Float64Array, x: Float64Array): Status {
    const { coordinates: n, q, qd, changeQ, changeQd } = this;
    for (let i = 0; i < n; i++) {
      q[i] = r[i]!;
      qd[i] = r[n + i]!;
    }
    const status = this.linear.implicitSolve(g, q, qd, changeQ, changeQd);
    for (let i = 0; i < n; i++) {
      x[i] = changeQ[i]!;
      x[n + i] = changeQd[i]!;
    }
    return status;
  }

  /**
   * Newton's method in the metric of M, then rates once: the last correction but one is below 1e-8 of the coordinates,
   * and what it leaves is rounding.
   */
  project(t: number, y: Float64Array): Status {
    const { coordinates: n, linear, q, qd, changeQ, changeQd } = this;
    if (!linear.constraintCorrection) return KG_OK;
    for (let i = 0; i < n; i++) {
      q[i] = y[i]!;
      qd[i] = y[n + i]!;
    }
    this.setTime?.(t);
    let before = 1;
    for (let k = 0; k < MOST_CORRECTIONS; k++) {
      let status = linear.update(q, qd);
      if (status === KG_OK) status = linear.constraintCorrection(changeQ, changeQd);
      if (status !== KG_OK) return status;
      let largest = 0;
      for (let i = 0; i < n; i++) {
        largest = Math.max(largest, Math.abs(changeQ[i]!) / (1 + Math.abs(q[i]!)));
        q[i] = q[i]! + changeQ[i]!;
      }
      if (before <= NEAR || largest <= CLOSED) {
        for (let i = 0; i < n; i++) {
          y[i] = q[i]!;
          y[n + i] = qd[i]! + changeQd[i]!;
        }
        return KG_OK;
      }
      before = largest;
    }
    return KG_NO_STEP;
  }

  private evaluate(dynamics: D, t: number, y: Float64Array, out: Float64Array): Status {
    const { coordinates: n, sums, q, qd, tau, qdd, rates } = this;
    for (let i = 0; i < n; i++) {
      q[i] = y[i]!;
      qd[i] = y[n + i]!;
    }
    tau.fill(0);
    rates.fill(0);
    this.setTime?.(t);
    let status = dynamics.update(q, qd);
    if (status === KG_OK) status = this.drive(t, dynamics, q, qd, tau, rates);
    if (status === KG_OK) status = this.accelerate(dynamics);
    for (let i = 0; i < n; i++) {
      out[i] = qd[i]!;
      out[n + i] = qdd[i]!;
    }
    for (let i = 0; i < sums; i++) out[2 * n + i] = rates[i]!;
    return status;
  }

  /**
   * With loops, rows are met as well as they can be: forward dynamics would be refused beside the loops, where
   * dependent rows differ, and within 1e-4 of a singular position.
   */
  private accelerate(dynamics: D): Status {
    const { tau, qdd, multipliers } = this;
    return dynamics.constrainedForwardDynamics && dynamics !== this.linear
      ? dynamics.constrainedForwardDynamics(0, 0, tau, qdd, multipliers)
      : dynamics.forwardDynamics(tau, qdd);
  }
}
