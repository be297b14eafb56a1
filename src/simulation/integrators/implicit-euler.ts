/**
 * Linearly implicit Euler steps of one size: (1 − h J) Δy = h f, J with the stiffness and damping of links. Of order 1 and
 * fixed cost, stable for any stiffness: what a controller can afford, and what `implicit_step` of the generated code does.
 */
import { KG_OK } from '../../runtime/driver.ts';
import type { StiffSystem } from '../../runtime/rosenbrock.ts';
import {
  demand,
  hermite,
  IntegrationFailure,
  noCounts,
  stepsBetween,
  type Integrator,
  type Tolerances,
} from './integrator.ts';
import { counted } from './rosenbrock.ts';

/** @param stepSize in s; steps are a little shorter where that makes them fit. */
export function implicitEuler(
  stiff: StiffSystem,
  { mostSteps }: Pick<Tolerances, 'mostSteps'>,
  stepSize: number,
): Integrator {
  const size = 2 * stiff.coordinates + stiff.sums;
  const counts = noCounts();
  const system = counted(stiff, counts);
  return {
    name: 'implicit-euler',
    counts,
    advance(from, start, to, take) {
      const y = Float64Array.from(start);
      const first = new Float64Array(size);
      const change = new Float64Array(size);
      const steps = stepsBetween(from, to, stepSize);
      const h = (to - from) / steps;
      demand(from, system.linearise(from, y, first));
      for (let k = 0; k < steps; k++) {
        const [t, end] = [from + k * h, k === steps - 1 ? to : from + (k + 1) * h];
        if (counts.steps >= mostSteps) throw new IntegrationFailure(t, `more than ${mostSteps} steps`);
        const [before, slopes] = [y.slice(), first.slice()];
        demand(t, system.factor(h));
        demand(t, system.solve(h, first, change));
        for (let i = 0; i < 2 * system.coordinates; i++) y[i] = y[i]! + change[i]!;
        demand(end, system.project?.(end, y) ?? KG_OK);
        demand(end, system.linearise(end, y, first));
        for (let i = 2 * system.coordinates; i < size; i++) y[i] = y[i]! + (h / 2) * (slopes[i]! + first[i]!);
        counts.steps++;
        const between = hermite(t, end, [before, slopes], [y.slice(), first.slice()]);
        if (!take({ from: t, to: end, y: y.slice(), at: between })) return;
      }
    },
  };
}
