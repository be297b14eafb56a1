/** The linearly implicit steps of order 3 of the generated code (`runtime/rosenbrock.ts`), for stiff motions. */
import { Rosenbrock, type StiffSystem } from '../../runtime/rosenbrock.ts';
import { demand, IntegrationFailure, noCounts, Pace, type Integrator, type Tolerances } from './integrator.ts';

export function rosenbrock(system: StiffSystem, { tolerance, mostSteps }: Tolerances): Integrator {
  const counts = noCounts();
  const pace = new Pace(mostSteps, 'forces grow without bounds, or change too fast');
  const motion = new Rosenbrock(counted(system, counts), tolerance);
  let isStarted = false;
  return {
    name: 'rosenbrock',
    counts,
    advance(from, start, to, take) {
      if (motion.t !== from || !isStarted) demand(from, motion.start(from, start));
      isStarted = true;
      while (motion.t < to) {
        if (counts.steps + counts.rejected >= mostSteps)
          throw new IntegrationFailure(motion.t, `more than ${mostSteps} steps`);
        const status = motion.stepTowards(to);
        counts.steps = motion.steps;
        counts.rejected = motion.rejected;
        demand(motion.t, status);
        const at = (t: number, out: Float64Array): void => motion.between(t, out);
        pace.step(motion.t, to);
        if (!take({ from: motion.from, to: motion.t, y: motion.y.slice(), at })) return;
      }
    },
    restart() {
      isStarted = false;
    },
  };
}

/** The same system; how often it is asked for what goes to the counts. */
export function counted(system: StiffSystem, counts: { evaluations: number; factorisations: number }): StiffSystem {
  const { coordinates, sums } = system;
  return {
    coordinates,
    sums,
    derivative(t, y, out) {
      counts.evaluations++;
      return system.derivative(t, y, out);
    },
    linearise(t, y, out) {
      counts.evaluations++;
      return system.linearise(t, y, out);
    },
    factor(g) {
      counts.factorisations++;
      return system.factor(g);
    },
    solve: (g, r, x) => system.solve(g, r, x),
    ...(system.project && { project: (t: number, y: Float64Array) => system.project!(t, y) }),
  };
}
