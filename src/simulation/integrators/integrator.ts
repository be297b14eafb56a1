/**
 * What integrators are given and what they give: the state y = (q, q̇, w) of a mechanical system, w quantities that are only
 * added up (work done) as `StiffSystem` has it, and steps between which y can be read anywhere.
 */
import { KG_OK, type Status } from '../../runtime/driver.ts';

/** One step that was accepted. */
export interface Step {
  readonly from: number;
  readonly to: number;
  /** y at the end of the step. */
  readonly y: Float64Array;
  /** y between the ends, to the order of the method or nearly so. */
  at(t: number, out: Float64Array): void;
  /** Where a rope switches in it, of integrators that find that. */
  readonly cut?: number;
}

export interface Tolerances {
  /** Of a step, relative to the size of numbers, which counts as `floor` at least. */
  readonly tolerance: number;
  readonly mostSteps: number;
}

/** An integrator between two times; it keeps the size of its steps from one call to the next. */
export interface Integrator {
  readonly name: string;
  /**
   * @param take is told each step; false ends the integration there.
   * @throws IntegrationFailure naming the time.
   */
  advance(from: number, y: Float64Array, to: number, take: (step: Step) => boolean): void;
  /** Forces are no longer those that the last step ended with: its accelerations are forgotten. Only of methods that keep them. */
  restart?(): void;
  /** Does it tell in which steps ropes go slack or become taut? */
  readonly findsSwitches?: boolean;
  readonly counts: IntegrationCounts;
  /** After a run: which other method its steps speak for. */
  advice?(): string | undefined;
}

export interface IntegrationCounts {
  steps: number;
  rejected: number;
  /** Of the equations of motion. */
  evaluations: number;
  factorisations: number;
}

/** `12 steps, 0 rejected, 60 evaluations`, and of methods that have them factorisations; both by step, too. */
export function countsText({ steps, rejected, evaluations, factorisations }: Readonly<IntegrationCounts>): string {
  const byStep = (count: number, what: string): string =>
    `${count} ${what} (${Number((count / Math.max(1, steps)).toPrecision(2))} a step)`;
  const factored = factorisations > 0 ? `, ${byStep(factorisations, 'factorisations')}` : '';
  return `${steps} steps, ${rejected} rejected, ${byStep(evaluations, 'evaluations')}${factored}`;
}

export function noCounts(): IntegrationCounts {
  return { steps: 0, rejected: 0, evaluations: 0, factorisations: 0 };
}

/** The message of runs that their caller ends. */
export const INTERRUPTED = 'interrupted';

/** Why an integration did not come to its end. */
export class IntegrationFailure extends Error {
  /** In s. */
  readonly time: number;
  /** Of the call that had no result, if that is why. */
  readonly status: Status;

  constructor(time: number, message: string, status: Status = KG_OK) {
    super(message);
    this.time = time;
    this.status = status;
  }
}

const REASONS: Readonly<Record<Exclude<Status, 0>, string>> = {
  1: 'a coordinate, a rate, an input or a parameter is not a finite number',
  2: 'a parameter lies outside of its range',
  3: 'the dynamics have no finite result',
  4: 'the frame does not exist',
  5: 'no state is staged',
  6: 'the mass matrix is not positive definite',
  7: 'even the shortest step has an error above the tolerance',
  8: 'rows of the loops contradict each other',
};

/** @throws IntegrationFailure unless the status is KG_OK. */
export function demand(t: number, status: Status): void {
  if (status !== KG_OK) throw new IntegrationFailure(t, REASONS[status], status);
}

/** Steps after which it is asked how far they came. */
const STEPS_OF_PACE = 2000;
/** Times more steps than are allowed: what only starts slowly is not that far off. */
const HOPELESS = 20;

/** Ends what would take far more steps than are allowed, long before they are taken. */
export class Pace {
  private readonly mostSteps: number;
  private readonly reason: string;
  private steps = 0;
  private since: number | undefined;

  /** @param reason why that may be, for the message. */
  constructor(mostSteps: number, reason: string) {
    this.mostSteps = mostSteps;
    this.reason = reason;
  }

  /**
   * @param t end of a step, s. @param to where the integration ends.
   * @throws IntegrationFailure
   */
  step(t: number, to: number): void {
    this.since ??= t;
    if (++this.steps % STEPS_OF_PACE !== 0) return;
    const way = t - this.since;
    this.since = t;
    const due = ((to - t) / way) * STEPS_OF_PACE;
    if (due <= HOPELESS * this.mostSteps) return;
    throw new IntegrationFailure(
      t,
      `the last ${STEPS_OF_PACE} steps came ${Number(way.toPrecision(2))} s further; at this pace ${due.toExponential(0)} more steps are necessary: ${this.reason}`,
    );
  }
}

/** Cubic through both ends with their derivatives. */
export function hermite(
  from: number,
  to: number,
  [y0, f0]: readonly [Float64Array, Float64Array],
  [y1, f1]: readonly [Float64Array, Float64Array],
): Step['at'] {
  const h = to - from;
  return (t, out) => {
    const s = (t - from) / h;
    const [a, b] = [s * s * (3 - 2 * s), s * (1 - s)];
    for (let i = 0; i < y0.length; i++)
      out[i] = y0[i]! + a * (y1[i]! - y0[i]!) + h * b * ((1 - s) * f0[i]! - s * f1[i]!);
  };
}

/** How many steps of one size, at most the one given, lie between two times. */
export const stepsBetween = (from: number, to: number, stepSize: number): number =>
  Math.max(1, Math.ceil(((to - from) / stepSize) * (1 - 1e-12)));
