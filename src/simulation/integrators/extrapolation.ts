/**
 * Extrapolated explicit midpoint steps of variable order (ODEX by Hairer and Wanner, package odex): for motions that are not
 * stiff, to any tolerance.
 */
import { KG_OK } from '../../runtime/driver.ts';
import type { StiffSystem } from '../../runtime/rosenbrock.ts';
import odex from './odex.js';
import { demand, IntegrationFailure, noCounts, Pace, type Integrator, type Tolerances } from './integrator.ts';

const CONVERGED = 0;
const EARLY = 2;
/** Of the tolerance: by how much loops may open before they are closed. */
const OPENING = 0.1;
/**
 * Of the root of the tolerance: steps in which the state bends less are shorter than a method of high order makes them for accuracy. At a
 * tolerance of 1e-9 the median was 0.0045 of a stiff gripper, between 0.2 and 3,000 of four scenarios of the examples.
 */
const STRAIGHT = 0.1;
/** Straight steps of a run that are worth a word. */
const MANY_STRAIGHT = 1000;
const OF_STIFF = '`method: rosenbrock` is for stiff robots';

export function extrapolation(
  system: Pick<StiffSystem, 'coordinates' | 'sums' | 'derivative' | 'project'>,
  { tolerance, mostSteps }: Tolerances,
): Integrator {
  const { Solver } = odex;
  const size = 2 * system.coordinates + system.sums;
  const counts = noCounts();
  const pace = new Pace(mostSteps, `forces grow without bounds, or the robot is stiff: ${OF_STIFF}`);
  let straightSteps = 0;
  const y = new Float64Array(size);
  const derivative = new Float64Array(size);
  let stepSize: number | undefined;
  const f = (t: number, state: readonly number[]): number[] => {
    y.set(state);
    counts.evaluations++;
    // Accelerations of the nearest closed state: where rows depend on others, only closed states have the right rank.
    demand(t, system.project?.(t, y) ?? KG_OK);
    demand(t, system.derivative(t, y, derivative));
    return [...derivative];
  };
  return {
    name: 'extrapolation',
    counts,
    advice: () =>
      straightSteps > MANY_STRAIGHT && straightSteps > counts.steps / 2
        ? `steps are as short as fast motions that have died out ask for: ${OF_STIFF}`
        : undefined,
    advance(from, start, to, take) {
      let reached = from;
      let state = Float64Array.from(start);
      let isTaken = true;
      // Loops that opened by more than a step may err are closed, and the solver begins anew there.
      while (reached < to && isTaken) {
        const solver = new Solver(size);
        solver.absoluteTolerance = Array.from({ length: size }, () => tolerance);
        solver.relativeTolerance = Array.from({ length: size }, () => tolerance);
        solver.denseOutput = true;
        // Its check of the first parts of a step takes rounding errors of what rests for instability, and halves steps
        // for ever; its types lack the field.
        Object.assign(solver, { stabilityCheckCount: 0 });
        solver.maxSteps = Math.max(1, mostSteps - counts.steps);
        solver.initialStepSize = Math.min(stepSize ?? (to - from) / 1000, to - reached);
        const { outcome, nReject } = solver.solve(f, reached, [...state], to, (count, stepFrom, stepTo, now, dense) => {
          if (count === 1) return undefined;
          counts.steps++;
          pace.step(stepTo, to);
          reached = stepTo;
          stepSize = stepTo - stepFrom;
          const end = Float64Array.from(now);
          demand(stepTo, system.project?.(stepTo, end) ?? KG_OK);
          const at = (t: number, out: Float64Array): void => {
            for (let i = 0; i < size; i++) out[i] = dense(i, t);
          };
          // The first and the last of a way are as long as others want them.
          if (
            count > 2 &&
            stepTo < to &&
            deviation(state, end, (i) => dense(i, (stepFrom + stepTo) / 2)) < STRAIGHT * Math.sqrt(tolerance)
          )
            straightSteps++;
          isTaken = take({ from: stepFrom, to: stepTo, y: end, at });
          state = end;
          const isOpen = end.some((x, i) => Math.abs(x - now[i]!) > OPENING * tolerance * (1 + Math.abs(x)));
          return isTaken && !isOpen ? undefined : false;
        });
        counts.rejected += nReject;
        if (outcome !== CONVERGED && outcome !== EARLY)
          throw new IntegrationFailure(reached, `more than ${mostSteps} steps`);
      }
    },
  };
}

/** Largest distance from the middle of a chord, of numbers below one as it is, relative to larger ones. */
function deviation(from: Float64Array, to: Float64Array, middle: (i: number) => number): number {
  let largest = 0;
  for (let i = 0; i < to.length; i++) {
    const chord = (from[i]! + to[i]!) / 2;
    largest = Math.max(largest, Math.abs(middle(i) - chord) / Math.max(1, Math.abs(chord)));
  }
  return largest;
}
