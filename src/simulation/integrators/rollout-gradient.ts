/**
 * The gradient of a scalar along a rollout of linearly implicit Euler steps by all that leads there, backwards through the steps
 * (discrete adjoint: Griewank & Walther, Evaluating Derivatives, 2008, ch. 4 and 12). The matrix of a step is symmetric: the same
 * elimination serves backwards. States are kept at checkpoints, and those between found again. Where loops are closed, states are kept
 * with the multipliers of the steps that led to them.
 */
import { KanegenError } from '../../common/error.ts';
import { KG_OK, type Derivatives, type Dynamics, type LoopDerivatives, type Status } from '../../runtime/driver.ts';

/** A step is `implicitStep` of the dynamics with τ = forces + B(q) inputs, which closes loops. */
export interface Rollout {
  /** At its start, n numbers each. */
  readonly q: ArrayLike<number>;
  readonly qd: ArrayLike<number>;
  /** Of a step, s. */
  readonly h: number;
  readonly steps: number;
  /** Of the actuators, those of a step after those of the one before; missing: none. */
  readonly inputs?: ArrayLike<number>;
  /** Generalized forces, in the same way. */
  readonly forces?: ArrayLike<number>;
  /** How many run-time parameters the robot has, where derivatives by them are wanted. */
  readonly parameters?: number;
  /** How many rows its loops have; missing: none. */
  readonly rows?: number;
}

/** A part of the cost: its value, with what it changes by q and q̇ added to the arrays (n numbers each). */
export type CostOfState = (q: Float64Array, qd: Float64Array, byQ: Float64Array, byQd: Float64Array) => number;

export interface RolloutCost {
  /** Of the last state. */
  readonly final?: CostOfState;
  /** Of the state at the start of every step; adds what it changes by the step's inputs and forces, too. */
  readonly running?: (
    step: number,
    q: Float64Array,
    qd: Float64Array,
    byQ: Float64Array,
    byQd: Float64Array,
    byInputs: Float64Array,
    byForces: Float64Array,
  ) => number;
}

export interface RolloutGradient {
  readonly value: number;
  /** The last state. */
  readonly q: Float64Array;
  readonly qd: Float64Array;
  /** Derivatives of the value by the state at the start, by inputs and by forces, laid out as these are. */
  readonly byQ: Float64Array;
  readonly byQd: Float64Array;
  readonly byInputs: Float64Array;
  readonly byForces: Float64Array;
  /** By run-time parameters in the order of the robot's, without gravity; empty where they are not wanted. */
  readonly byParameters: Float64Array;
}

/**
 * @param dynamics of a robot that is compiled with derivatives.
 * @param every steps from one checkpoint to the next: 2 n (steps/every + every) numbers are kept. When missing all states are kept where
 *   they take no more than 8 MB, and otherwise every √steps; with checkpoints, all but the last of them take their steps twice.
 * @throws KanegenError where a robot has no adjoint, or a step no solution.
 */
export function rolloutGradient(
  dynamics: Dynamics & Partial<Derivatives & LoopDerivatives>,
  rollout: Rollout,
  cost: RolloutCost,
  every = 2 * dynamics.coordinates * rollout.steps <= 2 ** 20 ? rollout.steps : Math.ceil(Math.sqrt(rollout.steps)),
): RolloutGradient {
  const { steps, h } = rollout;
  const [n, u] = [dynamics.coordinates, dynamics.actuators];
  if (rollout.rows ? !dynamics.constrainedImplicitStepAdjoint : !dynamics.implicitStepAdjoint)
    throw new KanegenError('unsupported', 'this robot has no adjoint, which gradients of rollouts need', {
      remedy: dynamics.constrainedImplicitStepAdjoint
        ? 'its loops have `rows`: say how many'
        : 'compile it with derivatives; bodies with many operations per point have no adjoint, loops that hold coordinates of actuators, or beside links that follow the time, neither',
    });
  if (rollout.parameters && !dynamics.implicitStepGradient)
    throw new KanegenError('unsupported', 'this robot has no derivatives of rollouts by run-time parameters', {
      remedy: 'links must depend on run-time parameters, and the base must not',
    });
  if (!(Number.isInteger(steps) && steps > 0 && h > 0 && Number.isInteger(every) && every > 0))
    throw new RangeError('a rollout needs a positive number of steps of positive length');
  for (const [given, size] of [
    [rollout.q, n],
    [rollout.qd, n],
    [rollout.inputs, u * steps],
    [rollout.forces, n * steps],
  ] as const)
    if (given && given.length !== size) throw new RangeError(`expected ${size} numbers, not ${given.length}`);
  return new Backwards(dynamics as Dynamics & Derivatives & LoopDerivatives, rollout, cost, every).gradient();
}

/** Arrays of n numbers each, and the multipliers of the step that led there. */
interface State {
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly lambda: Float64Array;
}

/** Numbers are copied to arrays that stay: views of larger ones, a few a step, keep the garbage collector busy. */
class Backwards {
  private readonly dynamics: Dynamics & Derivatives & LoopDerivatives;
  private readonly rollout: Rollout;
  private readonly cost: RolloutCost;
  private readonly every: number;
  private readonly n: number;
  private readonly u: number;
  private readonly rows: number;
  /** Numbers of a state. */
  private readonly size: number;
  private readonly tau: Float64Array;
  private readonly inputs: Float64Array;

  constructor(dynamics: Dynamics & Derivatives & LoopDerivatives, rollout: Rollout, cost: RolloutCost, every: number) {
    this.dynamics = dynamics;
    this.rollout = rollout;
    this.cost = cost;
    this.every = every;
    this.n = dynamics.coordinates;
    this.u = dynamics.actuators;
    this.rows = rollout.rows ?? 0;
    this.size = 2 * this.n + this.rows;
    this.tau = new Float64Array(this.n);
    this.inputs = new Float64Array(this.u);
  }

  gradient(): RolloutGradient {
    const { n, u, size, every, cost } = this;
    const { steps } = this.rollout;
    // States q, q̇ one after the other: at checkpoints, and of the steps between two of them.
    const kept = new Float64Array(size * Math.ceil(steps / every));
    const segment = new Float64Array(size * (Math.min(every, steps) + 1));
    const state = { ...this.empty(), q: Float64Array.from(this.rollout.q), qd: Float64Array.from(this.rollout.qd) };
    const last = every * (Math.ceil(steps / every) - 1);
    for (let k = 0; k < steps; k++) {
      if (k % every === 0) this.put(state, kept, k / every);
      if (k === last) this.put(state, segment, 0);
      this.step(k, state);
      if (k >= last) this.put(state, segment, k + 1 - last);
    }
    const { q, qd } = state;
    const [byQ, byQd] = [new Float64Array(n), new Float64Array(n)];
    const [byInputs, byForces] = [new Float64Array(u * steps), new Float64Array(n * steps)];
    const [ofInputs, ofForces] = [new Float64Array(u), new Float64Array(n)];
    const byParameters = new Float64Array(this.rollout.parameters ?? 0);
    const [before, after] = [this.empty(), this.empty()];
    let value = cost.final?.(q, qd, byQ, byQd) ?? 0;
    for (let from = last; from >= 0; from -= every) {
      const to = Math.min(from + every, steps);
      if (from < last) {
        this.take(before, kept, from / every);
        for (let k = from; k < to; k++) {
          this.put(before, segment, k - from);
          this.step(k, before);
        }
        this.put(before, segment, to - from);
      }
      for (let k = to - 1; k >= from; k--) {
        this.take(before, segment, k - from);
        this.take(after, segment, k + 1 - from);
        ofInputs.fill(0);
        this.back(k, before, after, byQ, byQd, ofInputs, ofForces, byParameters);
        value += cost.running?.(k, before.q, before.qd, byQ, byQd, ofInputs, ofForces) ?? 0;
        for (let j = 0; j < u; j++) byInputs[u * k + j] = ofInputs[j]!;
        for (let i = 0; i < n; i++) byForces[n * k + i] = ofForces[i]!;
      }
    }
    return { value, q, qd, byQ, byQd, byInputs, byForces, byParameters };
  }

  private empty(): State {
    const { n, rows } = this;
    return { q: new Float64Array(n), qd: new Float64Array(n), lambda: new Float64Array(rows) };
  }

  private put({ q, qd, lambda }: State, states: Float64Array, index: number): void {
    const { n, rows, size } = this;
    for (let i = 0, at = size * index; i < n; i++, at++) {
      states[at] = q[i]!;
      states[at + n] = qd[i]!;
    }
    for (let j = 0, at = size * index + 2 * n; j < rows; j++, at++) states[at] = lambda[j]!;
  }

  private take({ q, qd, lambda }: State, states: Float64Array, index: number): void {
    const { n, rows, size } = this;
    for (let i = 0, at = size * index; i < n; i++, at++) {
      q[i] = states[at]!;
      qd[i] = states[at + n]!;
    }
    for (let j = 0, at = size * index + 2 * n; j < rows; j++, at++) lambda[j] = states[at]!;
  }

  private demand(status: Status, step: number): void {
    if (status !== KG_OK)
      throw new KanegenError('unsupported', `step ${step} of the rollout has no finite result (status ${status})`, {
        remedy: 'take shorter steps, or start from another state',
      });
  }

  /** Those of a step; undefined where there are none. */
  private inputsOf(step: number): Float64Array | undefined {
    const { u, inputs } = this;
    const given = this.rollout.inputs;
    if (!given || u === 0) return undefined;
    for (let j = 0; j < u; j++) inputs[j] = given[u * step + j]!;
    return inputs;
  }

  private step(k: number, { q, qd, lambda }: State): void {
    const { n, dynamics, tau, rollout } = this;
    this.demand(dynamics.update(q, qd), k);
    for (let i = 0; i < n; i++) tau[i] = rollout.forces?.[n * k + i] ?? 0;
    const inputs = this.inputsOf(k);
    if (inputs) this.demand(dynamics.actuate(inputs, tau), k);
    const { h } = rollout;
    const isClosed = this.rows > 0;
    this.demand(
      isClosed ? dynamics.constrainedImplicitStep(h, tau, q, qd, lambda) : dynamics.implicitStep(h, tau, q, qd),
      k,
    );
  }

  private readonly scratch = new Map<string, Float64Array>();

  private numbers(name: string, count: number): Float64Array {
    const found = this.scratch.get(name) ?? new Float64Array(count);
    this.scratch.set(name, found);
    return found;
  }

  /** Derivatives by the state after a step become those by the state before; those by inputs and forces are written. */
  private back(
    k: number,
    before: State,
    after: State,
    byQ: Float64Array,
    byQd: Float64Array,
    byInputs: Float64Array,
    byTau: Float64Array,
    byParameters: Float64Array,
  ): void {
    const { n, u, dynamics } = this;
    const { h } = this.rollout;
    const [qdd, seed] = [this.numbers('qdd', n), this.numbers('seed', n)];
    const [lessByQ, lessByQd] = [this.numbers('q', n), this.numbers('qd', n)];
    for (let i = 0; i < n; i++) {
      qdd[i] = (after.qd[i]! - before.qd[i]!) / h;
      byQd[i] = byQd[i]! + h * byQ[i]!;
      seed[i] = h * byQd[i]!;
    }
    this.demand(dynamics.update(before.q, before.qd), k);
    const inputs = this.inputsOf(k);
    if (byParameters.length > 0) {
      const less = this.numbers('parameters', byParameters.length);
      const given = inputs ?? this.numbers('none', u);
      this.demand(dynamics.implicitStepGradient!(h, qdd, given, seed, byTau, lessByQ, lessByQd, less), k);
      for (let p = 0; p < less.length; p++) byParameters[p] = byParameters[p]! - less[p]!;
    } else if (this.rows > 0) {
      const { lambda } = after;
      this.demand(dynamics.constrainedImplicitStepAdjoint!(h, qdd, lambda, seed, byTau, lessByQ, lessByQd), k);
    } else this.demand(dynamics.implicitStepAdjoint!(h, qdd, seed, byTau, lessByQ, lessByQd), k);
    for (let i = 0; i < n; i++) {
      byQ[i] = byQ[i]! - lessByQ[i]!;
      byQd[i] = byQd[i]! - lessByQd[i]!;
    }
    if (!inputs) return;
    const B = this.numbers('B', n * u);
    this.demand(dynamics.actuation(null, null, null, B), k);
    for (let j = 0; j < u; j++) {
      let sum = 0;
      for (let i = 0; i < n; i++) sum += B[i * u + j]! * byTau[i]!;
      byInputs[j] = sum;
    }
    // Beside derivatives by parameters those by coordinates have B u in them.
    if (byParameters.length > 0) return;
    // ∂(B u)/∂q column by column: forces that act on frames need not have a potential, so that it is not symmetric.
    const [columns, units] = [this.numbers('columns', n * n), this.numbers('units', n * n)];
    const weigh = (by: Float64Array): void => {
      for (let a = 0; a < n; a++) {
        let sum = by[a]!;
        for (let i = 0; i < n; i++) sum += columns[a * n + i]! * byTau[i]!;
        by[a] = sum;
      }
    };
    columns.fill(0);
    for (let i = 0; i < n; i++) units[i * n + i] = 1;
    this.demand(dynamics.actuateTangent(n, inputs, units, columns), k);
    weigh(byQ);
    if (!dynamics.actuateRateTangent) return;
    columns.fill(0);
    this.demand(dynamics.actuateRateTangent(n, inputs, units, columns), k);
    weigh(byQd);
  }
}
