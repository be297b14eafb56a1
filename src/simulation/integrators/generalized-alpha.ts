/** The generalised-α steps of the generated code (`runtime/generalized-alpha.ts`), of one size, halved where it must be: for large steps and long runs. */
import { KG_NO_STEP } from '../../runtime/driver.ts';
import {
  GeneralizedAlpha,
  MOST_HALVINGS,
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
      const at = (t: number, out: Float64Array): void => motion.between(t, out);
      for (let k = 0; k < steps; k++) {
        // Steps that are halved leave some of it; what rounding leaves is none.
        for (let left = h; left > h / 4096;) {
          if (counts.steps >= mostSteps) throw new IntegrationFailure(motion.t, `more than ${mostSteps} steps`);
          const before = motion.residuals;
          const status = motion.step(left);
          counts.evaluations += motion.residuals - before;
          counts.factorisations = motion.factorisations;
          counts.rejected = motion.rejected;
          if (status === KG_NO_STEP) throw new IntegrationFailure(motion.t, notConverging(h));
          demand(motion.t, status);
          left -= motion.t - motion.from;
          if (k === steps - 1 && left <= h / 4096) motion.t = to;
          counts.steps = motion.steps;
          if (!take({ from: motion.from, to: motion.t, y: motion.y.slice(), at })) return;
        }
      }
    },
    restart() {
      isStarted = false;
    },
  };
}

export const notConverging = (h: number): string =>
  `Newton's method does not converge in a step of ${Number(h.toPrecision(3))} s, nor in shorter ones down to 1/${2 ** MOST_HALVINGS} of it`;
