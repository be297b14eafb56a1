/**
 * The exact step of Newton's method for robots whose inputs follow the state at every instant: to the tangent of the robot come the changes
 * of its inputs with coordinates and rates, by difference quotients of the controller. Such a tangent is dense.
 */
import { LuDecomposition, Matrix } from 'ml-matrix';
import type { ImplicitRobot, ImplicitSystem } from '../../runtime/generalized-alpha.ts';
import { KG_OK, KG_SINGULAR, type Derivatives, type Dynamics, type Status } from '../../runtime/driver.ts';

/** Of coordinates where they are above one hundredth, relative; laws are linear over such a distance. */
const DIFFERENCE = 1e-6;

export interface Feedback {
  /** Do inputs follow the state now? */
  isActive(): boolean;
  /** Inputs at a state, in an array that is used again. */
  inputsAt(t: number, q: Float64Array, qd: Float64Array): Float64Array;
}

export class FeedbackRobot implements ImplicitSystem {
  readonly coordinates: number;
  readonly sums: number;
  private readonly robot: ImplicitRobot;
  private readonly dynamics: Dynamics & Derivatives;
  private readonly feedback: Feedback;
  /** Of the last residual. */
  private readonly last: { t: number; q: Float64Array; qd: Float64Array; qdd: Float64Array };
  /** Of the last tangent; none where it was that of the robot alone. */
  private kept: LuDecomposition | undefined;

  /** @param dynamics that `robot` stages its states in. */
  constructor(robot: ImplicitRobot, dynamics: Dynamics & Derivatives, feedback: Feedback) {
    const n = robot.coordinates;
    this.coordinates = n;
    this.sums = robot.sums;
    this.robot = robot;
    this.dynamics = dynamics;
    this.feedback = feedback;
    const [q, qd, qdd] = [0, 0, 0].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    this.last = { t: 0, q, qd, qdd };
  }

  accelerations(t: number, q: Float64Array, qd: Float64Array, qdd: Float64Array, rates: Float64Array): Status {
    return this.robot.accelerations(t, q, qd, qdd, rates);
  }

  residual(
    t: number,
    q: Float64Array,
    qd: Float64Array,
    qdd: Float64Array,
    out: Float64Array,
    rates: Float64Array,
  ): Status {
    const { last } = this;
    last.t = t;
    last.q.set(q);
    last.qd.set(qd);
    last.qdd.set(qdd);
    return this.robot.residual(t, q, qd, qdd, out, rates);
  }

  factor(rate: number, acceleration: number): Status {
    this.kept = undefined;
    if (!this.feedback.isActive()) return this.robot.factor(rate, acceleration);
    const factor = this.factorise(rate, acceleration);
    if (typeof factor === 'number') return factor;
    this.kept = factor;
    return KG_OK;
  }

  solve(r: Float64Array, x: Float64Array): Status {
    if (!this.kept) return this.robot.solve(r, x);
    x.set(this.kept.solve(Matrix.columnVector([...r])).to1DArray());
    return KG_OK;
  }

  private factorise(rate: number, acceleration: number): LuDecomposition | Status {
    const { feedback, dynamics, last, coordinates: n } = this;
    const current = feedback.inputsAt(last.t, last.q, last.qd);
    const u = current.slice();
    const along = (size: number): Float64Array =>
      Float64Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? size : 0));
    const [columns, driven] = [new Float64Array(n * n), new Float64Array(n * n)];
    const parts = [along(1), along(rate), along(acceleration)] as const;
    let status = dynamics.inverseDynamicsTangent(n, last.qdd, ...parts, columns);
    if (status === KG_OK) status = dynamics.actuateTangent(n, u, parts[0], driven);
    if (status === KG_OK) status = dynamics.actuateRateTangent?.(n, u, parts[1], driven) ?? KG_OK;
    for (let a = 0; a < n && status === KG_OK; a++) {
      const step = DIFFERENCE * Math.max(1e-2, Math.abs(last.q[a]!));
      const [q, qd] = [last.q.slice(), last.qd.slice()];
      q[a] = q[a]! + step;
      qd[a] = qd[a]! + rate * step;
      const change = feedback.inputsAt(last.t, q, qd).map((e, i) => (e - u[i]!) / step);
      status = dynamics.actuate(change, driven.subarray(n * a, n * a + n));
    }
    current.set(u);
    if (status !== KG_OK) return status;
    const tangent = columns.map((e, k) => e - driven[k]!);
    const factor = new LuDecomposition(Matrix.from1DArray(n, n, tangent).transpose());
    return factor.isSingular() ? KG_SINGULAR : factor;
  }
}
