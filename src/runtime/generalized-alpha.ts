/**
 * Generalised-α steps of order 2 for large steps and long runs (Chung & Hulbert, J. Appl. Mech. 60, 1993; accelerations
 * of the step's ends in the equations of motion as Arnold & Brüls, Multibody Syst. Dyn. 18, 2007): unconditionally
 * stable for linear oscillators, with a spectral radius ρ of the highest frequencies that the caller chooses. With
 * α_m = α_f = 0 they are those of Newmark (J. Eng. Mech. Div. ASCE 85, 1959), of order 2 where γ is ½, else of order 1.
 *   (1 − α_m) a⁺ + α_m a = (1 − α_f) q̈⁺ + α_f q̈
 *   q⁺ = q + h q̇ + h² ((½ − β) a + β a⁺),   q̇⁺ = q̇ + h ((1 − γ) a + γ a⁺)
 * and the equations of motion at t + h, by Newton's method from q⁺ = q on, with the tangent of the driver
 * (`newtonFactor`), exact but for loads and controllers that depend on the configuration, in time proportional to the
 * number of links. Its factors are kept from correction to correction, and from step to step of one size, while the
 * residual, measured by the correction that it asks for, falls by ten; otherwise they are made anew where the iterate
 * stands, for the same residual.
 * This file is copied beside generated modules; nothing is allocated after the constructor. Arithmetic only, in the
 * order of NAME_generalized_alpha.c: the languages agree to the bit where the robots do.
 */
import {
  acceptStep,
  areFinite,
  KG_NO_STATE,
  KG_NO_STEP,
  KG_NON_FINITE,
  KG_OK,
  type Derivatives,
  type Drive,
  type Dynamics,
  type Status,
} from './driver.ts';

/** Equations of motion as residuals. All functions return KG_OK, or why there is no result. */
export interface ImplicitSystem {
  readonly coordinates: number;
  /** Quantities that are only added up (work done). */
  readonly sums: number;
  /** q̈ of a state, and the rates of the sums. */
  accelerations(t: number, q: Float64Array, qd: Float64Array, qdd: Float64Array, rates: Float64Array): Status;
  /** What generalized forces have to be more than they are for this motion, and the rates of the sums. */
  residual(
    t: number,
    q: Float64Array,
    qd: Float64Array,
    qdd: Float64Array,
    out: Float64Array,
    rates: Float64Array,
  ): Status;
  /** Factors of S, the derivative of the last residual by q where q̇ and q̈ change by rate and acceleration. */
  factor(rate: number, acceleration: number): Status;
  /** x of S x = r by the last factors, which outlast residuals. */
  solve(r: Float64Array, x: Float64Array): Status;
}

export interface GeneralizedAlphaOptions {
  /** ρ of the highest frequencies, 0 (they are gone after a step) … 1 (nothing is damped). */
  readonly spectralRadius?: number;
  /** γ of Newmark's steps in place of these, ½ (nothing is damped) … 1, with β = ¼ (γ + ½)². */
  readonly newmark?: number;
  /** Of corrections of Newton's method, relative to coordinates where they are above one, absolute below. */
  readonly tolerance?: number;
  /** Are factors made anew for every correction? */
  readonly exact?: boolean;
}

export const SPECTRAL_RADIUS = 0.8;
export const NEWTON_TOLERANCE = 1e-11;
/** Corrections in a step, at most; twice that where factors of an earlier one did not lead to an end. */
const MOST_CORRECTIONS = 30;
/** Factors are kept while corrections become smaller by this. */
const LEAST_FALL = 0.1;
/** Steps have one size up to rounding. */
const SAME = 1e-6;
/** How often a step is halved before Newton's method is given up. */
export const MOST_HALVINGS = 10;

/** A motion in steps. The state after the last one is `t` and `y`: q, then q̇, then what is added up. */
export class GeneralizedAlpha {
  private readonly system: ImplicitSystem;
  readonly y: Float64Array;
  /** Derivative of y. */
  readonly slope: Float64Array;
  private readonly before: Float64Array;
  private readonly slopeBefore: Float64Array;
  /** a at the present state, and at the end of a step. */
  private readonly mean: Float64Array;
  private readonly meanNext: Float64Array;
  private readonly q: Float64Array;
  private readonly qd: Float64Array;
  private readonly qdd: Float64Array;
  private readonly rates: Float64Array;
  private readonly defect: Float64Array;
  private readonly change: Float64Array;
  private ready: Status = KG_NO_STATE;
  private readonly alphaM: number;
  private readonly alphaF: number;
  private readonly gamma: number;
  private readonly beta: number;
  private readonly tolerance: number;
  t = 0;
  /** Where the last step began. */
  from = 0;
  steps = 0;
  /** Sizes for which Newton's method did not converge. */
  rejected = 0;
  /** Of all steps: how often the equations of motion were evaluated, a correction was had, and factors were made. */
  residuals = 0;
  corrections = 0;
  factorisations = 0;
  private readonly exact: boolean;
  /** Of the factors that are kept: what rates and accelerations changed by; zero: there are none. */
  private keptRate = 0;
  private keptAcceleration = 0;

  constructor(system: ImplicitSystem, options: GeneralizedAlphaOptions = {}) {
    const { spectralRadius: rho = SPECTRAL_RADIUS, newmark, tolerance = NEWTON_TOLERANCE, exact = false } = options;
    const { coordinates: n, sums } = system;
    const size = 2 * n + sums;
    this.system = system;
    this.tolerance = tolerance;
    this.exact = exact;
    this.alphaM = newmark === undefined ? (2 * rho - 1) / (rho + 1) : 0;
    this.alphaF = newmark === undefined ? rho / (rho + 1) : 0;
    this.gamma = newmark ?? 0.5 + this.alphaF - this.alphaM;
    this.beta = 0.25 * (this.gamma + 0.5) * (this.gamma + 0.5);
    this.y = new Float64Array(size);
    this.slope = new Float64Array(size);
    this.before = new Float64Array(size);
    this.slopeBefore = new Float64Array(size);
    this.mean = new Float64Array(n);
    this.meanNext = new Float64Array(n);
    this.q = new Float64Array(n);
    this.qd = new Float64Array(n);
    this.qdd = new Float64Array(n);
    this.rates = new Float64Array(sums);
    this.defect = new Float64Array(n);
    this.change = new Float64Array(n);
  }

  /** Takes a state. @param y q, then q̇, then what sums begin with. */
  start(t: number, y: ArrayLike<number>): Status {
    if (!Number.isFinite(t)) return KG_NON_FINITE;
    const { coordinates: n } = this.system;
    this.y.set(y);
    this.t = this.from = t;
    this.keptRate = 0;
    for (let i = 0; i < n; i++) {
      this.q[i] = this.y[i]!;
      this.qd[i] = this.y[n + i]!;
    }
    this.ready = this.system.accelerations(t, this.q, this.qd, this.qdd, this.rates);
    this.mean.set(this.qdd);
    this.keepSlope();
    this.before.set(this.y);
    this.slopeBefore.set(this.slope);
    return this.ready;
  }

  /**
   * One step of size h, or of h/2, h/4, … where Newton's method does not converge or an iterate has no
   * result: `t` says how far it came. Where it does not in h/1024 either: KG_NO_STEP, or the status of the
   * iterate, and the state stays what it was.
   */
  step(h: number): Status {
    if (acceptStep(KG_OK, h) !== KG_OK) return acceptStep(KG_OK, h);
    if (this.ready !== KG_OK) return this.ready;
    let size = h;
    let status = this.solve(size);
    for (let k = 0; k < MOST_HALVINGS && status !== KG_OK; k++) {
      this.rejected++;
      size = size / 2;
      status = this.solve(size);
    }
    return status === KG_OK ? this.accept(size) : status;
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

  /** The motion at the end of a step; once more by factors of its own where those of earlier ones do not lead there. */
  private solve(h: number): Status {
    const kept = this.residuals - this.factorisations;
    const status = this.attempt(h, this.exact);
    const isExact = this.exact || this.residuals - this.factorisations <= kept;
    return status === KG_OK || isExact ? status : this.attempt(h, true);
  }

  /** The same, left in q, q̇, q̈ and a. @param isExact with factors anew for every correction. */
  private attempt(h: number, isExact: boolean): Status {
    const { system, y, slope, mean, meanNext, q, qd, qdd, change, alphaM, alphaF, gamma, beta } = this;
    const n = system.coordinates;
    const ofMean = 1 / (h * h * beta);
    const rate = gamma / (h * beta);
    const acceleration = ((1 - alphaM) / (1 - alphaF)) * ofMean;
    let size = 0;
    for (let i = 0; i < n; i++) {
      const a = -y[n + i]! / (h * beta) - ((0.5 - beta) / beta) * mean[i]!;
      meanNext[i] = a;
      q[i] = y[i]!;
      qd[i] = y[n + i]! + h * ((1 - gamma) * mean[i]! + gamma * a);
      qdd[i] = ((1 - alphaM) * a + alphaM * mean[i]! - alphaF * slope[n + i]!) / (1 - alphaF);
    }
    for (let k = 0; k < MOST_CORRECTIONS; k++) {
      this.residuals++;
      let status = system.residual(this.t + h, q, qd, qdd, this.defect, this.rates);
      if (status !== KG_OK) return status;
      const isKept = !isExact && this.keeps(rate, acceleration);
      if (!isKept) status = this.factor(rate, acceleration);
      if (status === KG_OK) status = system.solve(this.defect, change);
      if (status !== KG_OK) return status;
      const before = size;
      size = this.sizeOfChange();
      if (isKept && k > 0 && size > this.tolerance && size > LEAST_FALL * before) {
        status = this.factor(rate, acceleration);
        if (status === KG_OK) status = system.solve(this.defect, change);
        if (status !== KG_OK) return status;
        size = this.sizeOfChange();
      }
      this.corrections++;
      for (let i = 0; i < n; i++) {
        q[i] = q[i]! - change[i]!;
        qd[i] = qd[i]! - rate * change[i]!;
        qdd[i] = qdd[i]! - acceleration * change[i]!;
        meanNext[i] = meanNext[i]! - ofMean * change[i]!;
      }
      if (!(size > this.tolerance)) return areFinite(qdd, n) ? KG_OK : KG_NO_STEP;
    }
    return KG_NO_STEP;
  }

  /** Are there factors for these changes of rates and accelerations? */
  private keeps(rate: number, acceleration: number): boolean {
    const isSame = Math.abs(this.keptRate - rate) <= SAME * rate;
    return isSame && Math.abs(this.keptAcceleration - acceleration) <= SAME * acceleration;
  }

  private factor(rate: number, acceleration: number): Status {
    this.factorisations++;
    this.keptRate = 0;
    const status = this.system.factor(rate, acceleration);
    if (status !== KG_OK) return status;
    this.keptRate = rate;
    this.keptAcceleration = acceleration;
    return KG_OK;
  }

  /** The largest number of a correction, relative to coordinates above one; none where one is not a number. */
  private sizeOfChange(): number {
    const { q, change } = this;
    let size = 0;
    for (let i = 0; i < change.length; i++) {
      const part = Math.abs(change[i]!) / (1 + Math.abs(q[i]!));
      if (!(part <= size)) size = part;
    }
    return size;
  }

  private accept(h: number): Status {
    const { y, slope } = this;
    const n = this.system.coordinates;
    this.before.set(y);
    this.slopeBefore.set(slope);
    this.from = this.t;
    this.t = this.t + h;
    this.mean.set(this.meanNext);
    for (let i = 0; i < n; i++) {
      y[i] = this.q[i]!;
      y[n + i] = this.qd[i]!;
    }
    this.keepSlope();
    for (let i = 2 * n; i < y.length; i++) y[i] = y[i]! + (h / 2) * (this.slopeBefore[i]! + slope[i]!);
    this.steps++;
    return KG_OK;
  }

  private keepSlope(): void {
    const { coordinates: n, sums } = this.system;
    for (let i = 0; i < n; i++) {
      this.slope[i] = this.qd[i]!;
      this.slope[n + i] = this.qdd[i]!;
    }
    for (let i = 0; i < sums; i++) this.slope[2 * n + i] = this.rates[i]!;
  }
}

export interface ImplicitRobotOptions {
  /** How many quantities are added up along the motion. */
  readonly sums?: number;
  /** Sets the parameter `time` of robots that depend on the time. */
  readonly setTime?: (t: number) => void;
  /** Where `drive` leaves the inputs of the actuators, for the stiffness that they have. */
  readonly inputs?: Float64Array;
}

/** What the method asks of a robot. */
type ImplicitDynamics = Pick<
  Dynamics & Derivatives,
  'coordinates' | 'actuators' | 'update' | 'forwardDynamics' | 'activeInverseDynamics' | 'newtonFactor' | 'newtonSolve'
>;

/** A robot that is compiled with derivatives, and what drives it. */
export class ImplicitRobot<D extends ImplicitDynamics = Dynamics & Derivatives> implements ImplicitSystem {
  readonly coordinates: number;
  readonly sums: number;
  private readonly dynamics: D;
  private readonly drive: Drive<D>;
  private readonly setTime: ((t: number) => void) | undefined;
  private readonly inputs: Float64Array;
  private readonly tau: Float64Array;
  private readonly qdd: Float64Array;

  /** @param dynamics belongs to this motion: nobody else stages states in it. */
  constructor(dynamics: D, drive: Drive<D>, options: ImplicitRobotOptions = {}) {
    const { sums = 0, setTime, inputs = new Float64Array(dynamics.actuators) } = options;
    this.coordinates = dynamics.coordinates;
    this.sums = sums;
    this.dynamics = dynamics;
    this.drive = drive;
    this.setTime = setTime;
    this.inputs = inputs;
    this.tau = new Float64Array(dynamics.coordinates);
    this.qdd = new Float64Array(dynamics.coordinates);
  }

  accelerations(t: number, q: Float64Array, qd: Float64Array, qdd: Float64Array, rates: Float64Array): Status {
    const status = this.stage(t, q, qd, rates);
    return status === KG_OK ? this.dynamics.forwardDynamics(this.tau, qdd) : status;
  }

  residual(
    t: number,
    q: Float64Array,
    qd: Float64Array,
    qdd: Float64Array,
    out: Float64Array,
    rates: Float64Array,
  ): Status {
    let status = this.stage(t, q, qd, rates);
    if (status === KG_OK) status = this.dynamics.activeInverseDynamics(qdd, out);
    this.qdd.set(qdd);
    for (let i = 0; i < this.coordinates; i++) out[i] = out[i]! - this.tau[i]!;
    return status;
  }

  factor(rate: number, acceleration: number): Status {
    return this.dynamics.newtonFactor(rate, acceleration, this.qdd, this.inputs);
  }

  solve(r: Float64Array, x: Float64Array): Status {
    return this.dynamics.newtonSolve(r, x);
  }

  private stage(t: number, q: Float64Array, qd: Float64Array, rates: Float64Array): Status {
    this.tau.fill(0);
    rates.fill(0);
    this.setTime?.(t);
    const status = this.dynamics.update(q, qd);
    return status === KG_OK ? this.drive(t, this.dynamics, q, qd, this.tau, rates) : status;
  }
}
