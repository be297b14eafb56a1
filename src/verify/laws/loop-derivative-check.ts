/**
 * Derivatives of constrained forward dynamics: along a direction the saddle system of M and J stays solved, by the tangent of inverse
 * dynamics and quotients of residuals, rates and J, which are compared by themselves; and the transpose by columns of the tangent. Of
 * implicit steps both by quotients of steps.
 */
import { rowsOf, yieldNumbers } from '../../description/model/loop.ts';
import type { LoopDerivatives, Loops } from '../../runtime/driver.ts';
import { rows } from '../generated/evaluation.ts';
import { DirectionalQuotients, dot, type DerivativeContext, type Vector } from './directional-quotients.ts';

export const OF_LOOPS = {
  tangent: 'constrained_forward_dynamics_tangent keeps the saddle system of M and J solved',
  adjoint: 'constrained_forward_dynamics_adjoint is the transpose of this tangent',
  stepTangent: 'difference quotients of constrained_implicit_step give the same constrained_implicit_step_tangent',
  step: 'difference quotients of constrained_implicit_step give the same constrained_implicit_step_adjoint',
} as const;

/** Feedback, 1/s. */
const [ALPHA, BETA] = [3, 5];

type Closed = DerivativeContext['dynamics'] & Loops & LoopDerivatives;
type Solution = readonly [Float64Array, Float64Array];

export class LoopDerivativeCheck extends DirectionalQuotients {
  run(): void {
    const { n } = this;
    const dynamics = this.context.dynamics as Closed;
    const r = rowsOf(this.context.robot);
    this.stage();
    const tau = new Float64Array(n);
    dynamics.activeInverseDynamics(this.qdd, tau);
    const solution: Solution = [new Float64Array(n).fill(NaN), new Float64Array(r).fill(NaN)];
    this.demand(OF_LOOPS.tangent, dynamics.constrainedForwardDynamics(ALPHA, BETA, tau, ...solution));
    this.checkTangent(dynamics, solution, tau);
    this.checkAdjoint(dynamics, solution);
    this.checkStep(dynamics, tau, r);
  }

  private checkTangent(dynamics: Closed, solution: Solution, tau: Float64Array): void {
    const { n } = this;
    const [qdd, lambda] = solution;
    const r = lambda.length;
    const [dq, dqd] = [this.direction(), this.rateDirection()];
    const dtau = [...tau].map((x) => x * (0.5 - this.random()));
    const [dqdd, dlambda, forces] = [n, r, n].map((size) => new Float64Array(size).fill(NaN)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const { tangent } = OF_LOOPS;
    this.demand(
      tangent,
      dynamics.constrainedForwardDynamicsTangent(1, ALPHA, BETA, qdd, lambda, dq, dqd, dtau, dqdd, dlambda),
    );
    const laws = (this.context.robot.loops ?? []).flatMap((loop) => loop.rows);
    // Slack ropes, and springs that are ropes, which push where these are short, are left to their own tests.
    const isLeft = laws.map(({ isRope, yields }, j) => isRope === true && (yields !== undefined || !(lambda[j]! < 0)));
    const isSpring = laws.map(({ yields }) => yields !== undefined);
    const isWhole = dynamics.constraintRank() === laws.filter((_, j) => !isLeft[j] && !isSpring[j]).length;
    const numbers = yieldNumbers(this.context.robot, dynamics.parameters);
    dynamics.inverseDynamicsTangent!(1, qdd, dq, dqd, dqdd, forces);
    const J = new Float64Array(r * n);
    const jacobian = (): Float64Array => {
      dynamics.constraintJacobian(J);
      return J;
    };
    const asked = (): number[] => {
      const [phi, rate, bias] = [new Float64Array(r), new Float64Array(r), new Float64Array(r)];
      dynamics.constraint(phi, rate, bias);
      const moved = rows(jacobian(), n).map((row) => dot(row, [...qdd]));
      return moved.flatMap((x, j) => {
        const { compliance, damping } = numbers[j]!;
        if (isSpring[j]) return [0, 0, damping * rate[j]!, phi[j]! / compliance];
        return [x, bias[j]!, 2 * ALPHA * rate[j]!, BETA ** 2 * phi[j]!];
      });
    };
    const still = this.q.map(() => 0);
    const changes = rows(Float64Array.from(this.along(jacobian, dq, still)), n);
    const demands = this.along(asked, dq, dqd);
    const gradients = rows(jacobian(), n);
    const unsettled = this.rowSizes([dq, dqd, [...dqdd]]);
    this.compareSums(
      tangent,
      'force on coordinate',
      still,
      still.map((_, a) => [
        forces[a]!,
        // What is left of changes that cancel among each other is rounding of theirs.
        ...[unsettled[a]!, -unsettled[a]!],
        ...changes.flatMap((row, j) => [-row[a]! * lambda[j]!, -gradients[j]![a]! * dlambda[j]!]),
        -dtau[a]!,
      ]),
    );
    if (!isWhole) return;
    this.compareSums(
      tangent,
      'row',
      [...lambda].map(() => 0),
      gradients.map((row, j) => {
        if (isLeft[j]) return [];
        // The force of a spring changes as what it takes does.
        const own = isSpring[j] ? [dlambda[j]!] : row.map((x, a) => x * dqdd[a]!);
        return [...own, ...demands.slice(4 * j, 4 * j + 4)];
      }),
    );
  }

  private checkAdjoint(dynamics: Closed, [qdd, lambda]: Solution): void {
    if (!dynamics.constrainedForwardDynamicsAdjoint) return;
    const { n } = this;
    const r = lambda.length;
    // As much of one number as of another.
    const drawn = (of: Float64Array): Vector => [...of].map((x) => (0.5 + this.random()) / (Math.abs(x) || 1));
    const [weights, ofRows] = [drawn(qdd), drawn(lambda)];
    const found = [n, n, n, r].map((size) => new Float64Array(size).fill(NaN)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    const { adjoint } = OF_LOOPS;
    this.demand(
      adjoint,
      dynamics.constrainedForwardDynamicsAdjoint(1, ALPHA, BETA, qdd, lambda, weights, ofRows, ...found),
    );
    const units = Float64Array.from({ length: n * n }, (_, i) => (i % (n + 1) === 0 ? 1 : 0));
    ['by_q', 'by_qd', 'by_tau'].forEach((entry, which) => {
      const [dq, dqd, dtau] = [0, 1, 2].map((k) => (k === which ? units : null)) as (Float64Array | null)[];
      const [accelerations, multipliers] = [new Float64Array(n * n), new Float64Array(n * r)];
      dynamics.constrainedForwardDynamicsTangent(
        ...([n, ALPHA, BETA, qdd, lambda, dq!, dqd!, dtau!, accelerations, multipliers] as const),
      );
      const ofMultipliers = rows(multipliers, r);
      const terms = rows(accelerations, n).map((column, b) => [
        ...column.map((x, a) => x * weights[a]!),
        ...ofMultipliers[b]!.map((x, j) => x * ofRows[j]!),
      ]);
      this.compareSums(adjoint, entry, found[which]!, terms);
    });
  }

  private checkStep(dynamics: Closed, tau: Float64Array, r: number): void {
    if (!dynamics.constrainedImplicitStepTangent) return;
    const { n } = this;
    const { step, stepTangent } = OF_LOOPS;
    const h = 2 ** -6;
    const vector = (): Float64Array => new Float64Array(n).fill(NaN);
    const [q, qd, lambda] = [vector(), vector(), new Float64Array(r).fill(NaN)] as const;
    const ranks = new Set<number>();
    const rates = (): number[] => {
      this.demand(stepTangent, dynamics.constrainedImplicitStep(h, tau, q, qd, lambda));
      ranks.add(dynamics.constraintRank());
      return [...qd];
    };
    this.stage();
    const qdd = rates().map((rate, a) => (rate - this.qd[a]!) / h);
    const multipliers = Float64Array.from(lambda);
    const [dq, dqd] = [this.direction(), this.rateDirection()];
    const changes = this.along(rates, dq, dqd);
    // Ropes that go slack, and rows that begin to depend on others, have no derivatives.
    const hasRopes = (this.context.robot.loops ?? []).some((loop) => loop.rows.some(({ isRope }) => isRope));
    const isSmooth = ranks.size === 1 && !hasRopes;
    const M = new Float64Array(n * n);
    dynamics.massMatrix(M);
    const drawn = (): Vector => this.sizes.map((size, a) => M[a * n + a]! * size * (0.5 + this.random()));
    const weighed = (weights: ArrayLike<number>, of: ArrayLike<number>, by: number): number[] =>
      Array.from(weights, (w, a) => w * of[a]! * by);
    const changed = (weights: Vector): Vector => [
      ...weighed(weights, changes, 1 / h),
      ...weighed(weights, dqd, -1 / h),
    ];
    const [seed, other] = [drawn(), drawn()];
    // The system that is solved is symmetric; rows may leave nothing of a seed but rounding.
    const alone = seed.map((x, a) => (x * other[a]!) / M[a * n + a]!);
    const compareSymmetric = (name: string, of: (weights: Vector) => ArrayLike<number>): void => {
      const terms = [...weighed(other, of(seed), 1), ...weighed(seed, of(other), -1)];
      this.compareSums(name, 'along tau', [0], [[...terms, ...alone, ...alone.map((x) => -x)]]);
    };
    const tangent = (...[a, b, c]: readonly (Vector | null)[]): Float64Array => {
      const [dqdd, dlambda] = [vector(), new Float64Array(r).fill(NaN)];
      const given = [1, h, qdd, multipliers, a!, b!, c!] as const;
      this.demand(stepTangent, dynamics.constrainedImplicitStepTangent(...given, dqdd, dlambda));
      return dqdd;
    };
    compareSymmetric(stepTangent, (weights) => tangent(null, null, weights));
    if (isSmooth) {
      const found = tangent(dq, dqd, null);
      this.compareSums(stepTangent, 'along a direction', [0], [[...changed(seed), ...weighed(seed, found, -1)]]);
    }
    if (!dynamics.constrainedImplicitStepAdjoint) return;
    const transposed = (weights: Vector): readonly Float64Array[] => {
      const [byTau, byQ, byQd] = [vector(), vector(), vector()] as const;
      this.demand(step, dynamics.constrainedImplicitStepAdjoint!(h, qdd, multipliers, weights, byTau, byQ, byQd));
      return [byTau, byQ, byQd];
    };
    compareSymmetric(step, (weights) => transposed(weights)[0]!);
    const [, byQ, byQd] = transposed(seed) as [Float64Array, Float64Array, Float64Array];
    if (!isSmooth) return;
    this.compareSums(
      step,
      'by_q and by_qd along a direction',
      [0],
      [[...changed(seed), ...weighed(byQ, dq, 1), ...weighed(byQd, dqd, 1)]],
    );
  }
}
