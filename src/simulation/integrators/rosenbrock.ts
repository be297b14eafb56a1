/**
 * ROS34PW2, a linearly implicit method of order 3 whose order does not depend on the Jacobian (Rang & Angermann, New
 * Rosenbrock W-methods of order 3 for partial differential algebraic equations of index 1, BIT 45, 2005): four stages, L-stable, error
 * of order 2 beside it. The Jacobian has stiffness K and damping Υ only, so that a stage is
 *   (M + hγ Υ + h²γ² K) k_v = M r_v − hγ K r_q,   k_q = r_q + hγ k_v
 * with one factorisation a step. Forces that change with the time enter by their rate, h² γ_i ∂Q/∂t in M r_v.
 */
import {
  hermite,
  IntegrationFailure,
  noCounts,
  type FirstOrderSystem,
  type Integrator,
  type Tolerances,
} from './integrator.ts';

const GAMMA = 0.435866521508459;
/** α_ij and γ_ij below the diagonal, row by row. */
const ALPHA = [[], [0.871733043016918], [0.84457060015369423, -0.11299064236484185], [0, 0, 1]];
const GAMMAS = [
  [],
  [-0.871733043016918],
  [-0.90338057013044082, 0.054180672388095326],
  [0.24212380706095346, -1.2232505839045147, 0.54526025533510214],
];
/** γ_i = γ + Σ γ_ij */
const TIME_FACTORS = GAMMAS.map((row) => row.reduce((sum, gamma) => sum + gamma, GAMMA));
const WEIGHTS = [0.24212380706095346, -1.2232505839045147, 1.545260255335102, 0.435866521508459];
const EMBEDDED = [0.37810903145819369, -0.096042292212423178, 0.5, 0.2179332607542295];

/** The next step is at most this times the last one, at least that, and shorter than the error allows by this. */
const [GROWTH, SHRINKAGE, SAFETY] = [5, 0.1, 0.9];

export function rosenbrock(system: FirstOrderSystem, { tolerance, mostSteps }: Tolerances): Integrator {
  const { coordinates: n, sums } = system;
  const size = 2 * n + sums;
  const vector = (length = size): Float64Array => new Float64Array(length);
  const counts = noCounts();
  const stages = ALPHA.map(() => vector());
  const [state, slope, next, last] = [vector(), vector(), vector(), vector()];
  const [rq, rv, product, forceRate] = [vector(n), vector(n), vector(n), vector(n)];
  let stepSize: number | undefined;

  const derivative = (t: number, y: Float64Array, out: Float64Array): void => {
    counts.evaluations++;
    system.derivative(t, y, out);
  };

  /** out = y + Σ weights k */
  const combined = (y: Float64Array, weights: readonly number[], out: Float64Array): void => {
    for (let i = 0; i < size; i++) {
      let sum = y[i]!;
      weights.forEach((weight, j) => (sum += weight * stages[j]![i]!));
      out[i] = sum;
    }
  };

  /** The stages of one step. @param first f at its beginning. */
  const fillStages = (t: number, y: Float64Array, h: number, first: Float64Array): void => {
    const stiff = system.linearise(t, y);
    counts.factorisations++;
    stiff.factorise(h * GAMMA);
    stiff.forceRate(forceRate);
    stages.forEach((stage, s) => {
      const alpha = ALPHA[s]!;
      if (s > 0) {
        combined(y, alpha, state);
        derivative(t + h * alpha.reduce((sum, a) => sum + a, 0), state, slope);
      }
      const f = s === 0 ? first : slope;
      // J Σ γ k: in q the sum over rates, in q̇ −M⁻¹ (K Σ γ k_q + Υ Σ γ k_v).
      const coupling = vector(2 * n);
      GAMMAS[s]!.forEach((gamma, j) => {
        for (let i = 0; i < 2 * n; i++) coupling[i] = coupling[i]! + gamma * stages[j]![i]!;
      });
      for (let i = 0; i < n; i++) rq[i] = h * (f[i]! + coupling[n + i]!);
      stiff.inertia(f.subarray(n, 2 * n), product);
      for (let i = 0; i < n; i++) rv[i] = h * product[i]! + h * h * TIME_FACTORS[s]! * forceRate[i]!;
      stiff.addStiffness(-h, coupling.subarray(0, n), rv);
      stiff.addDamping(-h, coupling.subarray(n), rv);
      stiff.addStiffness(-h * GAMMA, rq, rv);
      stiff.solve(rv);
      for (let i = 0; i < n; i++) {
        stage[n + i] = rv[i]!;
        stage[i] = rq[i]! + h * GAMMA * rv[i]!;
      }
      for (let i = 2 * n; i < size; i++) stage[i] = h * f[i]!;
    });
  };

  /** Of the motion, in units of the tolerance; what is only added up follows from it. */
  const errorOf = (y: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < 2 * n; i++) {
      let error = 0;
      stages.forEach((stage, j) => (error += (WEIGHTS[j]! - EMBEDDED[j]!) * stage[i]!));
      const scale = tolerance * (1 + Math.max(Math.abs(y[i]!), Math.abs(next[i]!)));
      sum += (error / scale) ** 2;
    }
    return Math.sqrt(sum / (2 * n));
  };

  return {
    name: 'rosenbrock',
    counts,
    advance(from, start, to, take) {
      const y = Float64Array.from(start);
      const first = vector();
      derivative(from, y, first);
      let t = from;
      let h = Math.min(stepSize ?? (to - from) / 1000, to - from);
      while (t < to) {
        if (counts.steps + counts.rejected >= mostSteps)
          throw new IntegrationFailure(t, `more than ${mostSteps} steps`);
        // The rest of the way in one step, or in two halves, never a sliver.
        const left = to - t;
        const step = h >= left ? left : h > left / 2 ? left / 2 : h;
        if (t + step === t) throw new IntegrationFailure(t, `steps of ${step.toExponential(1)} s are too short`);
        fillStages(t, y, step, first);
        combined(y, WEIGHTS, next);
        const error = errorOf(y);
        const factor = Math.min(GROWTH, Math.max(SHRINKAGE, SAFETY * error ** (-1 / 3)));
        if (!(error <= 1)) {
          counts.rejected++;
          h = step * (Number.isFinite(error) ? Math.min(factor, 1) : SHRINKAGE);
          continue;
        }
        const end = step === left ? to : t + step;
        derivative(end, next, last);
        counts.steps++;
        const between = hermite(t, end, [Float64Array.from(y), Float64Array.from(first)], [next.slice(), last.slice()]);
        const goOn = take({ from: t, to: end, y: next.slice(), at: between });
        y.set(next);
        first.set(last);
        t = end;
        // A step cut short by the end of the way says nothing against longer ones.
        stepSize = h = Math.max(step * factor, step < h ? Math.min(h, step * GROWTH) : 0);
        if (!goOn) return;
      }
    },
  };
}
