/**
 * Linearly implicit Euler steps of one size: (M + h Υ + h² K) Δq̇ = h (F − h K q̇), then q += h q̇. Of order 1 and fixed cost, stable
 * for any stiffness: what a controller can afford, and what `implicit_step` of the generated code does.
 */
import {
  hermite,
  IntegrationFailure,
  noCounts,
  type FirstOrderSystem,
  type Integrator,
  type Tolerances,
} from './integrator.ts';

/** @param stepSize in s; steps are a little shorter where that makes them fit. */
export function implicitEuler(
  system: FirstOrderSystem,
  { mostSteps }: Pick<Tolerances, 'mostSteps'>,
  stepSize: number,
): Integrator {
  const { coordinates: n, sums } = system;
  const size = 2 * n + sums;
  const counts = noCounts();
  return {
    name: 'implicit-euler',
    counts,
    advance(from, start, to, take) {
      const y = Float64Array.from(start);
      const first = new Float64Array(size);
      const right = new Float64Array(n);
      const steps = Math.max(1, Math.ceil(((to - from) / stepSize) * (1 - 1e-12)));
      const h = (to - from) / steps;
      const derivative = (t: number): void => {
        counts.evaluations++;
        system.derivative(t, y, first);
      };
      derivative(from);
      for (let k = 0; k < steps; k++) {
        const [t, end] = [from + k * h, k === steps - 1 ? to : from + (k + 1) * h];
        if (counts.steps >= mostSteps) throw new IntegrationFailure(t, `more than ${mostSteps} steps`);
        const [before, slopes] = [y.slice(), first.slice()];
        const stiff = system.linearise(t, y);
        counts.factorisations++;
        stiff.factorise(h);
        stiff.inertia(first.subarray(n, 2 * n), right);
        for (let i = 0; i < n; i++) right[i] = h * right[i]!;
        stiff.addStiffness(-h * h, y.subarray(n, 2 * n), right);
        stiff.solve(right);
        for (let i = 0; i < n; i++) {
          y[n + i] = y[n + i]! + right[i]!;
          y[i] = y[i]! + h * y[n + i]!;
        }
        derivative(end);
        for (let i = 2 * n; i < size; i++) y[i] = y[i]! + (h / 2) * (slopes[i]! + first[i]!);
        counts.steps++;
        const between = hermite(t, end, [before, slopes], [y.slice(), first.slice()]);
        if (!take({ from: t, to: end, y: y.slice(), at: between })) return;
      }
    },
  };
}
