/** The generalised-α steps of the generated code (`runtime/generalized-alpha.ts`), of one size: for large steps and long runs. */
import { KG_NO_STEP } from '../../runtime/driver.ts';
import {
  GeneralizedAlpha,
  type GeneralizedAlphaOptions,
  type ImplicitSystem,
} from '../../runtime/generalized-alpha.ts';
import { demand, IntegrationFailure, noCounts, stepsBetween, type Integrator, type Tolerances } from './integrator.ts';

/** @param stepSize in s; steps are a little shorter where that makes them fit. */
export function generalizedAlpha(
  system: ImplicitSystem,
  { mostSteps, ...options }: Pick<Tolerances, 'mostSteps'> & GeneralizedAlphaOptions,
  stepSize: number,
): Integrator {
  const counts = noCounts();
  const motion = new GeneralizedAlpha(system, options);
  let isStarted = false;
  return {
    name: 'generalized-alpha',
    counts,
    advance(from, start, to, take) {
      if (motion.t !== from || !isStarted) {
        counts.evaluations++;
        demand(from, motion.start(from, start));
        isStarted = true;
      }
      const steps = stepsBetween(from, to, stepSize);
      const h = (to - from) / steps;
      for (let k = 0; k < steps; k++) {
        if (counts.steps >= mostSteps) throw new IntegrationFailure(motion.t, `more than ${mostSteps} steps`);
        const before = motion.corrections;
        const status = motion.step(h);
        counts.evaluations += motion.corrections - before;
        counts.factorisations += motion.corrections - before;
        if (status === KG_NO_STEP) throw new IntegrationFailure(motion.t, notConverging(h));
        demand(motion.t, status);
        if (k === steps - 1) motion.t = to;
        counts.steps = motion.steps;
        const at = (t: number, out: Float64Array): void => motion.between(t, out);
        if (!take({ from: motion.from, to: motion.t, y: motion.y.slice(), at })) return;
      }
    },
    restart() {
      isStarted = false;
    },
  };
}

export const notConverging = (h: number): string =>
  `Newton's method does not converge in a step of ${Number(h.toPrecision(3))} s: give a shorter \`step\``;
