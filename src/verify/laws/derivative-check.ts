/**
 * Functions for derivatives against difference quotients: of D'Alembert's principle in many digits where they are those of
 * generalized forces, of functions of the generated code that are checked otherwise where they are of actuators, loads and parameters. All
 * entries are compared at once, along directions without structure.
 */
import type { Decimal } from 'decimal.js';
import { takeTime } from '../../codegen/modules/evaluation.ts';
import type { Status } from '../../runtime/driver.ts';
import type { Alembert } from '../independent/alembert.ts';
import type { AlembertResult, State } from '../independent/alembert-result.ts';
import type { SampledState } from '../independent/sample-states.ts';
import { rows } from '../generated/evaluation.ts';
import { LEAST_FORCE } from './laws.ts';
import { LoopDerivativeCheck, OF_LOOPS } from './loop-derivative-check.ts';
import {
  OFFSETS,
  moved,
  dot,
  DirectionalQuotients,
  type Vector,
  type DerivativeContext,
  type StraightDerivatives,
} from './directional-quotients.ts';

export const DERIVATIVES = {
  tangent: "difference quotients of D'Alembert's principle give the same inverse_dynamics_tangent",
  adjoint: 'inverse_dynamics_adjoint is the transpose of this tangent',
  forward: 'forward_dynamics_tangent finds the accelerations of these quotients again',
  newton: 'newton_step solves with this tangent less actuate_tangent',
  straight: "difference quotients of D'Alembert's principle give the same straight-line derivatives",
  straightFluid:
    "difference quotients of D'Alembert's principle give the same straight-line derivatives of drag and buoyancy",
  actuate: 'difference quotients of B u give the same actuate_tangent',
  loads: 'difference quotients of loads give the same external_tangent, external_in_frame_tangent',
  variation:
    'difference quotients by run-time parameters give the same inverse_dynamics_variation, forward_dynamics_variation',
  closed: OF_LOOPS.tangent,
  closedAdjoint: OF_LOOPS.adjoint,
  closedStepTangent: OF_LOOPS.stepTangent,
  closedStep: OF_LOOPS.step,
  stepTangent: 'difference quotients of what a step overcomes lead to the same implicit_step_tangent',
  step: 'difference quotients of what a step overcomes give the same implicit_step_adjoint',
  gradient: 'difference quotients by run-time parameters give the same implicit_step_gradient',
} as const;

/** Announces those that can be compared for this robot. */
export function expectDerivatives({ ledger, robot, dynamics, straight }: DerivativeContext): readonly string[] {
  if (robot.coordinates.length === 0) return [];
  const isThere: Record<keyof typeof DERIVATIVES, unknown> = {
    straight: straight?.functions.inverseDynamicsDerivatives,
    straightFluid: straight?.functions.fluidDerivatives,
    tangent: dynamics.inverseDynamicsTangent,
    forward: dynamics.forwardDynamicsTangent,
    newton: dynamics.newtonStep,
    loads: dynamics.externalTangent,
    adjoint: dynamics.inverseDynamicsAdjoint,
    actuate: robot.actuators.length > 0 && dynamics.actuateTangent,
    variation: dynamics.inverseDynamicsVariation,
    closed: dynamics.constrainedForwardDynamicsTangent,
    closedAdjoint: dynamics.constrainedForwardDynamicsAdjoint,
    closedStepTangent: dynamics.constrainedImplicitStepTangent,
    closedStep: dynamics.constrainedImplicitStepAdjoint,
    stepTangent: dynamics.implicitStepTangent,
    step: dynamics.implicitStepAdjoint,
    gradient: dynamics.implicitStepGradient,
  };
  const names = (Object.keys(DERIVATIVES) as (keyof typeof DERIVATIVES)[])
    .filter((key) => isThere[key])
    .map((key) => DERIVATIVES[key]);
  ledger.expect(...names);
  return names;
}

/**
 * @param evaluate D'Alembert's principle at a state; a text: why there is no result.
 * @returns why nothing could be compared.
 */
export function checkDerivatives(
  context: DerivativeContext,
  state: SampledState,
  evaluate: (state: State) => AlembertResult | string,
): string | undefined {
  const check = new DerivativeCheck(context, state);
  try {
    check.run((own) => {
      const result = evaluate(own);
      if (typeof result === 'string') throw new NoResult(result);
      return result;
    });
    if (context.dynamics.constrainedForwardDynamicsTangent) new LoopDerivativeCheck(context, state).run();
    return undefined;
  } catch (error) {
    if (error instanceof NoResult) return error.message;
    throw error;
  }
}

class NoResult extends Error {}

/** Times what sums of few points along rods miss of drag that has kinks: of its derivatives. */
const OF_KINKS = 10;

class DerivativeCheck extends DirectionalQuotients {
  /** What forces of water are not known by. */
  private kinks = 0;

  run(evaluate: Alembert['evaluate']): void {
    const { dynamics, straight } = this.context;
    const { q, qd, qdd } = this;
    takeTime(dynamics.parameters, this.time);
    const at = (k: number, dq: Vector, dqd: Vector): AlembertResult =>
      evaluate({ q: moved(q, k * this.preciseStep, dq), qd: moved(qd, k * this.preciseStep, dqd), qdd, ...this.time });
    const centre = evaluate({ q, qd, qdd, ...this.time });
    const M = centre.massMatrix.map((row) => row.map(Number));
    this.kinks = OF_KINKS * Math.max(...centre.unsettled);
    const [dq, dqd] = [this.direction(), this.rateDirection()];
    const results = OFFSETS.map(([k]) => at(k, dq, dqd));
    const along = (of: (result: AlembertResult, a: number) => Decimal): number[] => this.forcesAlong(results, of);
    const whole = along(({ torque, elastic, damping, fluid }, a) =>
      torque[a]!.plus(elastic[a]!).plus(damping[a]!).plus(fluid[a]!),
    );
    if (straight) this.checkStraight(straight, dq, dqd, along);
    if (!dynamics.inverseDynamicsTangent) return;
    const dqdd = this.direction(8);
    const sum = whole.map((x, a) => x + dot(M[a]!, dqdd));
    const sizes = this.rowSizes([dq, dqd, dqdd]);
    this.stage();
    const dtau = new Float64Array(this.n);
    this.demand(DERIVATIVES.tangent, dynamics.inverseDynamicsTangent(1, qdd, dq, dqd, dqdd, dtau));
    this.compare(DERIVATIVES.tangent, 'dtau', dtau, sum, sizes, this.kinks);
    if (dynamics.forwardDynamicsTangent) this.checkForward(M, { dq, dqd, dqdd, sum }, sizes);
    this.checkAdjoint(sizes);
    this.checkNewton();
    this.checkLoads();
    this.checkActuators();
    this.checkParameters();
    this.checkStepTangent();
    this.checkStep();
  }

  /** Of inertia and weight, and of drag and buoyancy. */
  private checkStraight(
    { functions, kept }: StraightDerivatives,
    dq: Vector,
    dqd: Vector,
    along: (of: (result: AlembertResult, a: number) => Decimal) => Vector,
  ): void {
    const { n, q, qd, qdd } = this;
    const matrices = (): [Float64Array, Float64Array] => [
      new Float64Array(n * n).fill(NaN),
      new Float64Array(n * n).fill(NaN),
    ];
    if (functions.inverseDynamicsDerivatives) {
      const found = matrices();
      functions.inverseDynamicsDerivatives(...kept, q, qd, qdd, ...found);
      const due = along(({ torque }, a) => torque[a]!);
      this.compareMatrices(DERIVATIVES.straight, 'dtau_dq, dtau_dqd', found, dq, dqd, due);
    }
    if (!functions.fluidDerivatives) return;
    const found = matrices();
    functions.fluidDerivatives(...kept, q, qd, ...found);
    const due = along(({ fluid }, a) => fluid[a]!);
    this.compareMatrices(DERIVATIVES.straightFluid, 'dfluid_dq, dfluid_dqd', found, dq, dqd, due, this.kinks);
  }

  /** Rows along a direction, on the magnitudes of what they add up. */
  private compareMatrices(
    name: string,
    entry: string,
    [byQ, byQd]: readonly [Float64Array, Float64Array],
    dq: Vector,
    dqd: Vector,
    due: Vector,
    kinks = 0,
  ): void {
    const { n } = this;
    const parts = rows(byQ, n).map((row, a) => [
      ...row.map((x, b) => x * dq[b]!),
      ...rows(byQd, n)[a]!.map((x, b) => x * dqd[b]!),
    ]);
    const found = parts.map((terms) => terms.reduce((sum, x) => sum + x, 0));
    const sizes = parts.map(
      (terms, a) => terms.reduce((sum, x) => sum + Math.abs(x), 0) + LEAST_FORCE * this.context.typical.force[a]!.tau,
    );
    this.compare(name, `${entry}: row`, found, due, sizes, kinks);
  }

  private checkForward(
    M: readonly Vector[],
    { dq, dqd, dqdd, sum }: { readonly dq: Vector; readonly dqd: Vector; readonly dqdd: Vector; readonly sum: Vector },
    sizes: Vector,
  ): void {
    const found = new Float64Array(this.n).fill(NaN);
    const status = this.context.dynamics.forwardDynamicsTangent!(1, this.qdd, dq, dqd, sum, found);
    this.demand(DERIVATIVES.forward, status);
    const [forces, due] = [[...found], dqdd].map((own) => M.map((row) => dot(row, own)));
    this.compare(DERIVATIVES.forward, 'M dqdd', forces!, due!, sizes, this.kinks);
  }

  /** Entry by entry, by the columns of the tangent, which is compared by itself. */
  private checkAdjoint(sizes: Vector): void {
    const { dynamics } = this.context;
    if (!dynamics.inverseDynamicsAdjoint) return;
    const { n, qdd } = this;
    // As much of one force as of another.
    const weights = sizes.map((size) => (0.5 + this.random()) / (size || 1));
    const found = [0, 1, 2].map(() => new Float64Array(n).fill(NaN)) as [Float64Array, Float64Array, Float64Array];
    this.demand(DERIVATIVES.adjoint, dynamics.inverseDynamicsAdjoint(1, qdd, weights, ...found));
    const units = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
    const typical = this.typicalSums(weights);
    ['by_q', 'by_qd', 'by_qdd'].forEach((entry, which) => {
      const given = [0, 1, 2].map((k) => (k === which ? units : null));
      const columns = new Float64Array(n * n);
      dynamics.inverseDynamicsTangent!(n, qdd, given[0]!, given[1]!, given[2]!, columns);
      const terms = rows(columns, n).map((column) => column.map((x, a) => x * weights[a]!));
      this.compareSums(DERIVATIVES.adjoint, entry, found[which]!, terms, typical);
    });
  }

  /** Of sums, on the magnitudes of their terms. */
  private checkNewton(): void {
    const { dynamics } = this.context;
    const { n, qdd, u } = this;
    const [rate, acceleration] = [4, 32];
    const times = (factor: number, v: Vector): number[] => v.map((x) => factor * x);
    const typical = this.direction();
    const driven = this.drivenAlong(typical);
    const sizes = this.rowSizes([typical, times(rate, typical), times(acceleration, typical)]);
    const residual = sizes.map((size) => size * (2 * this.random() - 1));
    const found = new Float64Array(n).fill(NaN);
    this.demand(DERIVATIVES.newton, dynamics.newtonStep!(rate, acceleration, qdd, u, residual, found));
    const [own, again] = [[...found], new Float64Array(n)];
    dynamics.inverseDynamicsTangent!(1, qdd, own, times(rate, own), times(acceleration, own), again);
    const less = new Float64Array(n);
    if (this.u.length > 0) dynamics.actuateTangent!(1, u, own, less);
    dynamics.actuateRateTangent?.(1, u, times(rate, own), less);
    const ofTerms = this.rowSizes([own, times(rate, own), times(acceleration, own)]);
    const all = ofTerms.map((size, a) => size + sizes[a]! + Math.abs(driven[a]!) + Math.abs(less[a]!));
    this.compare(
      DERIVATIVES.newton,
      'S dq',
      again.map((x, a) => x - less[a]!),
      residual,
      all,
    );
  }

  private drivenAlong(dq: Vector, dqd: Vector = dq.map(() => 0)): number[] {
    const { dynamics, robot } = this.context;
    if (robot.actuators.length === 0) return dq.map(() => 0);
    const driven = (): Float64Array => {
      const tau = new Float64Array(this.n);
      dynamics.actuate(this.u, tau);
      return tau;
    };
    return this.along(driven, dq, dqd);
  }

  private checkActuators(): void {
    const { dynamics, robot } = this.context;
    if (!dynamics.actuateTangent || robot.actuators.length === 0) return;
    const [dq, dqd] = [this.direction(), dynamics.actuateRateTangent && this.direction()];
    const due = this.drivenAlong(dq, dqd);
    const found = new Float64Array(this.n);
    this.demand(DERIVATIVES.actuate, dynamics.actuateTangent(1, this.u, dq, found));
    if (dqd) this.demand(DERIVATIVES.actuate, dynamics.actuateRateTangent!(1, this.u, dqd, found));
    const tau = new Float64Array(this.n);
    dynamics.actuate(this.u, tau);
    const largest = Math.max(...due.map(Math.abs), ...[...tau].map(Math.abs), Number.MIN_VALUE);
    this.compare(
      DERIVATIVES.actuate,
      'dtau',
      found,
      due,
      due.map(() => largest),
    );
  }

  private checkLoads(): void {
    const { dynamics, robot } = this.context;
    const still = this.q.map(() => 0);
    for (const follows of [false, true])
      robot.frames.forEach(({ name }, index) => {
        const wrench = [0, 1, 2, 3, 4, 5].map(() => 2 * this.random() - 1);
        const dq = this.direction();
        const carried = (): Float64Array => {
          const tau = new Float64Array(this.n);
          dynamics[follows ? 'externalInFrame' : 'external'](index, wrench, tau);
          return tau;
        };
        const due = this.along(carried, dq, still);
        const found = new Float64Array(this.n);
        const tangent = follows ? 'externalInFrameTangent' : 'externalTangent';
        this.demand(DERIVATIVES.loads, dynamics[tangent]!(1, index, wrench, dq, found));
        const size = Math.max(...due.map(Math.abs), ...[...carried()].map(Math.abs), Number.MIN_VALUE);
        this.compare(
          DERIVATIVES.loads,
          `dtau on ${name}`,
          found,
          due,
          due.map(() => size),
        );
      });
  }

  /** Of what a step of time h overcomes, weighted, beside the accelerations of the state. */
  private overcome(h: number, weights: Vector, isDriven: boolean): number[] {
    const { dynamics } = this.context;
    const { n, qdd } = this;
    const [tau, K, D, driven] = [n, n * n, n * n, n].map((size) => new Float64Array(size)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    dynamics.activeInverseDynamics(qdd, tau);
    dynamics.stiffness(K);
    dynamics.dissipation(D);
    if (isDriven && this.u.length > 0) dynamics.actuate(this.u, driven);
    const [stiff, viscous] = [rows(K, n), rows(D, n)];
    return weights.map((w, a) => {
      const springs = stiff[a]!.reduce((total, k, b) => total + k * (this.stagedRates[b]! + h * qdd[b]!), 0);
      return w * (tau[a]! - driven[a]! + h * dot(viscous[a]!, qdd) + h * springs);
    });
  }

  private stagedRates: Vector = [];

  /** (M + h D + h² K) times an array, row by row, as terms. */
  private stepTerms(h: number, of: ArrayLike<number>): number[][] {
    const { dynamics } = this.context;
    const { n } = this;
    const [M, K, D] = [0, 1, 2].map(() => new Float64Array(n * n)) as [Float64Array, Float64Array, Float64Array];
    dynamics.massMatrix(M);
    dynamics.stiffness(K);
    dynamics.dissipation(D);
    return this.sizes.map((_, a) =>
      Array.from(of, (x, b) => (M[a * n + b]! + h * D[a * n + b]! + h * h * K[a * n + b]!) * x),
    );
  }

  private checkStepTangent(): void {
    const { dynamics, typical } = this.context;
    if (!dynamics.implicitStepTangent) return;
    const { n, qdd } = this;
    const h = 2 ** -6;
    const forces = typical.force.map(({ tau }) => tau);
    const [dq, dqd] = [this.direction(), this.rateDirection()];
    const dtau = forces.map((x) => x * (0.5 - this.random()));
    const dqdd = new Float64Array(n).fill(NaN);
    this.stage();
    this.demand(DERIVATIVES.stepTangent, dynamics.implicitStepTangent(1, h, qdd, dq, dqd, dtau, dqdd));
    const terms = this.stepTerms(h, dqdd);
    const changes = this.quotient(
      () =>
        this.overcome(
          h,
          forces.map(() => 1),
          false,
        ),
      (by) => {
        this.stagedRates = moved(this.qd, by, dqd);
        this.stage(moved(this.q, by, dq), this.stagedRates);
      },
    );
    this.stage();
    this.compareSums(
      DERIVATIVES.stepTangent,
      'force on coordinate',
      dtau,
      terms.map((own, a) => [...own, changes[a]!]),
      forces,
    );
  }

  private checkStep(): void {
    const { dynamics } = this.context;
    if (!dynamics.implicitStepAdjoint) return;
    const { n, qdd } = this;
    const h = 2 ** -6;
    this.stage();
    const weigh = (name: string, call: (seed: Vector, out: readonly Float64Array[]) => Status): Float64Array[] => {
      const M = new Float64Array(n * n);
      dynamics.massMatrix(M);
      const seed = this.sizes.map((size, a) => M[a * n + a]! * size * (0.5 + this.random()));
      const out = [n, n, n, this.context.robot.parameters.length].map((size) => new Float64Array(size).fill(NaN));
      this.demand(name, call(seed, out));
      const terms = this.stepTerms(h, out[0]!);
      const sums = terms.map((row) => row.reduce((sum, x) => sum + x, 0));
      const sizes = terms.map((row) => row.reduce((sum, x) => sum + Math.abs(x), 0) || 1);
      this.compare(name, 'the step times by_tau', sums, seed, sizes);
      return out;
    };
    const [byTau, byQ, byQd] = weigh(DERIVATIVES.step, (seed, [a, b, c]) =>
      dynamics.implicitStepAdjoint!(h, qdd, seed, a!, b!, c!),
    ) as [Float64Array, Float64Array, Float64Array];
    const still = this.sizes.map(() => 0);
    const value = (): number[] => this.overcome(h, [...byTau], false);
    const typical = this.typicalSums(byTau);
    const column = (b: number, isRate: boolean): number[] => {
      const size = isRate ? Math.min(this.sizes[b]!, this.rateSizes[b]!) : this.sizes[b]!;
      const unit = still.with(b, size);
      const terms = this.quotient(value, (by) => {
        this.stagedRates = isRate ? moved(this.qd, by, unit) : this.qd;
        this.stage(isRate ? this.q : moved(this.q, by, unit), this.stagedRates);
      });
      return terms.map((x) => x / size);
    };
    this.compareSums(
      DERIVATIVES.step,
      'by_q',
      byQ,
      still.map((_, b) => column(b, false)),
      typical,
    );
    this.compareSums(
      DERIVATIVES.step,
      'by_qd',
      byQd,
      still.map((_, b) => column(b, true)),
      typical,
    );
    this.stage();
    if (!dynamics.implicitStepGradient) return;
    this.stagedRates = this.qd;
    this.eachParameter((index, unit, move) => {
      const [weights, , , byP] = weigh(DERIVATIVES.gradient, (seed, [a, b, c, d]) =>
        dynamics.implicitStepGradient!(h, qdd, this.u, seed, a!, b!, c!, d!),
      ) as [Float64Array, Float64Array, Float64Array, Float64Array];
      const terms = this.quotient(() => this.overcome(h, [...weights], true), move);
      const entry = `by_p of ${this.context.robot.parameters[index]!.name}`;
      this.compareSums(DERIVATIVES.gradient, entry, [byP[index]! * unit], [terms], [this.weighed(weights)]);
    });
  }

  /** Of derivatives of weighted forces, a unit of each coordinate. */
  private typicalSums(weights: ArrayLike<number>): number[] {
    return this.sizes.map((size) => this.weighed(weights) / size);
  }

  /** Of typical forces, weighted: where all terms of a sum vanish, as those of c do at symmetric places, what is left is rounding. */
  private weighed(weights: ArrayLike<number>): number {
    const { force } = this.context.typical;
    return force.reduce((sum, { tau }, a) => sum + Math.abs(weights[a]!) * tau, 0);
  }

  private checkParameters(): void {
    const { dynamics, robot } = this.context;
    if (!dynamics.inverseDynamicsVariation) return;
    const { n, qdd } = this;
    const p = robot.parameters.length;
    const forces = (): Float64Array => {
      const tau = new Float64Array(n);
      dynamics.activeInverseDynamics(qdd, tau);
      return tau;
    };
    this.eachParameter((index, unit, move) => {
      const due = this.quotient(forces, move);
      move(0);
      const dp = new Float64Array(p);
      dp[index] = unit;
      const [dtau, dqdd] = [new Float64Array(n).fill(NaN), new Float64Array(n).fill(NaN)];
      this.demand(DERIVATIVES.variation, dynamics.inverseDynamicsVariation!(1, qdd, dp, dtau));
      const tau = forces();
      const sizes = due.map(
        (x, a) => Math.abs(x) + Math.abs(tau[a]!) + LEAST_FORCE * this.context.typical.force[a]!.tau,
      );
      const entry = `${robot.parameters[index]!.name}: dtau`;
      this.compare(DERIVATIVES.variation, entry, dtau, due, sizes);
      if (!dynamics.forwardDynamicsVariation) return;
      this.demand(DERIVATIVES.variation, dynamics.forwardDynamicsVariation(1, qdd, dp, dqdd));
      const M = new Float64Array(n * n);
      dynamics.massMatrix(M);
      const terms = rows(M, n).map((row) => row.map((m, b) => m * dqdd[b]!));
      const back = terms.map((row) => -row.reduce((sum, x) => sum + x, 0));
      const ofTerms = terms.map((row, a) => row.reduce((sum, x) => sum + Math.abs(x), 0) + sizes[a]!);
      this.compare(DERIVATIVES.variation, `${robot.parameters[index]!.name}: -M dqdd`, back, due, ofTerms);
    });
  }
}
