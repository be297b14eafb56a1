/**
 * A run of a scenario: integration from one time of interest to the next, samples, events, the balance of energy, and
 * what was expected.
 */
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KanegenError } from '../../common/error.ts';
import { hasBalance } from '../../description/model/what-acts.ts';
import { extrapolation } from '../integrators/extrapolation.ts';
import { generalizedAlpha } from '../integrators/generalized-alpha.ts';
import { implicitEuler } from '../integrators/implicit-euler.ts';
import { KG_NON_FINITE, KG_OK, KG_SINGULAR, KG_UNDEFINED } from '../../runtime/driver.ts';
import {
  demand,
  IntegrationFailure,
  INTERRUPTED,
  type IntegrationCounts,
  type Integrator,
  type Step,
} from '../integrators/integrator.ts';
import { rosenbrock } from '../integrators/rosenbrock.ts';
import { MOST_SWITCHES, RESTLESS } from './ropes.ts';
import { MechanicalSystem, SUMS, type ContactState } from './mechanical-system.ts';
import { stopsOf } from '../scenario/jumps.ts';
import type { Scenario, ScenarioEvent } from '../scenario/scenario.ts';
import type { Expectation, ExpectationKind, Expected, Path } from '../scenario/expectation.ts';

export interface Sample {
  /** s */
  readonly t: number;
  readonly q: readonly number[];
  readonly qd: readonly number[];
  /** By actuator. */
  readonly u: readonly number[];
  /** Coordinates and rates as the observer of the scenario has them. */
  readonly estimate?: { readonly q: readonly number[]; readonly qd: readonly number[] };
  /** Generalized forces beside those of actuators, where a scenario has such forces or loads. */
  readonly tau?: readonly number[];
  /** Positions of the scenario's frames, world axes, m. */
  readonly frames: readonly (readonly number[])[];
  /** By pair of contacts, of robots that have some. */
  readonly contacts?: readonly ContactState[];
  /** By row of the loops, of robots that have some: N, N m. */
  readonly multipliers?: readonly number[];
  /** J; `elastic` with springs of contacts; `work` is what inputs, forces, loads and, by the mass of water that it carries, a current put in since the start. */
  readonly energy: Readonly<Record<'kinetic' | 'potential' | 'elastic' | 'dissipated' | 'work', number>>;
}

interface EventRecord {
  readonly name: string;
  /** s */
  readonly t: number;
}

export interface Comparison {
  /** s */
  readonly at: number;
  readonly name: string;
  readonly expected: number;
  readonly found: number;
  readonly within: number;
  readonly source: string;
  readonly kind: ExpectationKind | undefined;
  /** `FAILED` fails the run; `not met` and `met now` (all values of the entry) are of entries with `not-met`. */
  readonly outcome: 'ok' | 'FAILED' | 'not met' | 'met now';
  readonly notMet: string | undefined;
}

export interface Run {
  readonly samples: readonly Sample[];
  readonly events: readonly EventRecord[];
  readonly comparisons: readonly Comparison[];
  readonly failure: RunFailure | undefined;
  readonly integrator: string;
  readonly counts: Readonly<IntegrationCounts>;
  /** Which other integrator the steps of this one speak for. */
  readonly advice?: string;
  /**
   * Largest |kinetic + potential + elastic + dissipated − work − their sum at the start| of a sample in J, and the largest
   * amount by which one of them changed; undefined where prescribed motions do work that is not counted.
   */
  readonly balance: { readonly defect: number; readonly exchanged: number } | undefined;
  /** The coordinate that moved most to close the loops at the start, in SI units. */
  readonly closing?: { readonly name: string; readonly unit: string; readonly by: number };
}

/** Of a unit interval: exact for polynomials of degree five. */
const GAUSS = [
  { place: 0.5 - Math.sqrt(0.15), weight: 5 / 18 },
  { place: 0.5, weight: 8 / 18 },
  { place: 0.5 + Math.sqrt(0.15), weight: 5 / 18 },
] as const;

/** Why a run ended before its time, and when (s), or why there is no equilibrium. */
export interface RunFailure {
  readonly t?: number;
  readonly message: string;
  /** Where steps failed: the coordinate that accelerates most, in SI units, in the last state that was reached. */
  readonly fastest?: string;
}

export const failureText = ({ t, message, fastest }: RunFailure): string =>
  `${t === undefined ? '' : `ended at ${t} s: `}${message}${fastest === undefined ? '' : `; \`${fastest}\` accelerates most`}`;

/** Is told the time that is reached; the run ends there, incomplete, when it returns false. */
export type Watcher = (t: number) => boolean | void;

/** How a robot is compiled whose runs have the integrator of the scenario. */
export const compileOptions = ({ integrator, statics }: Scenario): { readonly derivatives: boolean } => ({
  derivatives: statics === true || integrator.method === 'generalized-alpha',
});

/** What a run may have beside the code of its robot. */
export interface RunWith {
  readonly progress?: Watcher | undefined;
  /** In place of the scenario's, see `integrateInC`. */
  readonly integrator?: Integrator | undefined;
  /** Code of the scenario's model, where it has one. */
  readonly model?: LoadedRobot | undefined;
  /** Code of the robot as it stands (`standingOf`), where the scenario has an equilibrium of one that moves by the time. */
  readonly stands?: LoadedRobot | undefined;
}

export function simulate(scenario: Scenario, dynamics: LoadedRobot, given: RunWith = {}): Run {
  return new Simulation(scenario, dynamics, given).run();
}

/** A value of a state. @param y see `MechanicalSystem`. */
export function valueOf(system: MechanicalSystem, of: Expected, t: number, y: Float64Array): number {
  if ('balance' in of || 'path' in of || 'multiplier' in of)
    throw new Error('a state has no balance, path or multiplier');
  if ('coordinate' in of) return y[of.coordinate]!;
  if ('rate' in of) return y[system.coordinates + of.rate]!;
  if ('estimate' in of) return system.observer!.q[of.estimate]!;
  if ('actuator' in of) return system.actuationAt(t, y)[of.actuator]!;
  if ('contact' in of) {
    const { gap, force } = system.observe(t, y, []).contacts[of.contact]!;
    return of.axis === undefined ? gap : force[of.axis]!;
  }
  return system.observe(t, y, [of.frame]).frames[0]![of.axis]!;
}

/** What came of an entry. @param isMet by value: entries with `not-met` are met as a whole. */
export function outcomes({ notMet }: Expectation, isMet: readonly boolean[]): Comparison['outcome'][] {
  if (notMet === undefined) return isMet.map((own) => (own ? 'ok' : 'FAILED'));
  return isMet.map(() => (isMet.every(Boolean) ? 'met now' : 'not met'));
}

/** The values of an entry beside those that were found. */
export function compared(due: Expectation, valueAt: (of: Expected) => number): Comparison[] {
  const { at, values, within, source, kind, notMet } = due;
  const pairs = values.map(({ name, of, value }) => ({ name, expected: value, found: valueAt(of) }));
  const found = outcomes(
    due,
    pairs.map(({ expected, found: own }) => Math.abs(own - expected) <= within),
  );
  return pairs.map((pair, i) => ({ at, ...pair, within, source, kind, outcome: found[i]!, notMet }));
}

class Simulation {
  private readonly scenario: Scenario;
  private readonly system: MechanicalSystem;
  private readonly integrator: Integrator;
  private readonly progress: Watcher | undefined;
  private readonly samples: Sample[] = [];
  private readonly events: EventRecord[] = [];
  private readonly comparisons: Comparison[] = [];
  private readonly y: Float64Array;
  private nextSample = 0;
  private carriedAtStart: number | undefined;
  /** Work of natural strains, of joints and loops that follow the time so far, J; what water takes of joints, and what loops lose. */
  private growth = 0;
  private followedDissipation = 0;
  private stopped = false;
  /** When the observer is given measurements. */
  private observed: ReadonlySet<number> = new Set();
  /** Did the last step end where a rope goes slack or becomes taut? */
  private isSwitched = false;
  /** End of the last step. */
  private reached: number;

  constructor(scenario: Scenario, dynamics: LoadedRobot, { progress, integrator, model }: RunWith) {
    this.scenario = scenario;
    this.progress = progress;
    this.reached = scenario.start;
    this.system = new MechanicalSystem(scenario, dynamics, model);
    this.integrator = integrator ?? integratorOf(scenario, this.system);
    this.y = Float64Array.from([...scenario.q, ...scenario.qd, 0, 0]);
  }

  run(): Run {
    const { start, end, expectations, phases = [], jumps = [] } = this.scenario;
    // Times at which values are expected are ends of steps: nothing is interpolated there. So are those of a controller's steps,
    // of another phase, and of what switches from one formula to another.
    const ends = new Set([...expectations.map(({ at }) => at), ...phases.map(({ from }) => from), end]);
    const ticks = this.ticks(ends);
    this.observed = this.observerTicks([...ends, ...ticks]);
    const stops = stopsOf([start, ...ends, ...ticks, ...this.observed], jumps);
    let failure: Run['failure'];
    try {
      this.settle(start, false);
      this.system.hold(start, this.y);
      this.observe(start);
      this.tick(start, ticks);
      this.sample(start, this.y);
      this.compare(start);
      let from = start;
      let first = start;
      for (const { at: to, jump } of stops) {
        if (to > from && !this.stopped) {
          this.system.driveBetween(first, jump?.before ?? to);
          this.advance(from, to);
          if (!this.stopped) this.compare(to);
          if (jump) this.integrator.restart?.();
          if (!this.stopped) this.switchAt(to);
          if (!this.stopped) this.tick(to, ticks);
        }
        from = to;
        first = jump?.after ?? to;
      }
      this.system.ropes?.release(this.reached, this.y);
      failure = this.missing();
    } catch (error) {
      if (!(error instanceof IntegrationFailure)) throw error;
      const isOfSteps = error.message !== INTERRUPTED;
      const named = this.named(error);
      failure = { t: error.time, message: named ?? error.message, ...(isOfSteps && !named && this.fastest()) };
    }
    const { samples, events, comparisons } = this;
    const advice = this.integrator.advice?.();
    return {
      samples,
      events,
      comparisons,
      failure,
      integrator: this.integrator.name,
      counts: this.integrator.counts,
      ...(advice && { advice }),
      balance: this.balance(),
      ...(this.scenario.closing && { closing: this.scenario.closing }),
    };
  }

  /** Where a rope goes slack or becomes taut, the way goes on from there with other loops. */
  private advance(from: number, to: number): void {
    this.reached = from;
    for (let switches = 0; this.reached < to && !this.stopped; switches++) {
      if (switches > MOST_SWITCHES) throw new IntegrationFailure(this.reached, RESTLESS);
      this.integrator.advance(this.reached, this.y, to, (step) => this.take(step));
      if (!this.isSwitched || this.stopped) return;
      this.isSwitched = false;
      this.settle(this.reached, true);
      this.integrator.restart?.();
    }
  }

  private settle(t: number, isEvent: boolean): void {
    const { ropes } = this.system;
    if (!ropes) return;
    const { lost, events } = ropes.settle(t, this.y);
    this.followedDissipation += lost;
    if (isEvent) this.events.push(...events.map((name) => ({ name, t })));
  }

  /** A failure by the name of what caused it, where that can be told. */
  private named({ status, time, message }: IntegrationFailure): string | undefined {
    if (status === KG_NON_FINITE) {
      const signal = this.system.undefinedAt(time);
      return signal && `${signal} is not a finite number`;
    }
    const unsolved = status === KG_UNDEFINED && this.system.unsolved();
    if (unsolved) return `${message}: ${unsolved}`;
    const link = status === KG_SINGULAR ? this.system.singularLinkAt(this.reached, this.y) : undefined;
    return link && `${message} at the link \`${link}\``;
  }

  /** Of the coordinates in the last state, where that has accelerations. */
  private fastest(): { fastest?: string } {
    const n = this.system.coordinates;
    const rates = new Float64Array(this.y.length);
    if (this.system.driven.derivative(this.reached, this.y, rates) !== KG_OK) return {};
    const sizes = [...rates.subarray(n, 2 * n)].map(Math.abs);
    const coordinate = this.scenario.robot.coordinates[sizes.indexOf(Math.max(...sizes))];
    return coordinate ? { fastest: coordinate.name } : {};
  }

  /** What drives the robot changes where a phase begins. */
  private switchAt(t: number): void {
    const phase = this.scenario.phases?.find(({ from }) => from === t);
    if (!phase) return;
    this.system.driveBy(phase, [...this.y.subarray(0, this.system.coordinates)]);
    this.integrator.restart?.();
  }

  /** Times at which controllers that work in periods are asked. @param ends of steps, whatever the controllers. */
  private ticks(ends: ReadonlySet<number>): ReadonlySet<number> {
    const { start, end, control, phases = [] } = this.scenario;
    const others = [...ends];
    const times = [{ from: start, control }, ...phases].flatMap(({ from, control }, i) => {
      if (control?.period === undefined) return [];
      const { period } = control;
      return Array.from({ length: Math.ceil(((phases[i]?.from ?? end) - from) / period) }, (_, k) => {
        const t = from + k * period;
        // What is the same time but for rounding is one end of a step.
        return others.find((other) => Math.abs(other - t) < 1e-6 * period) ?? t;
      });
    });
    return new Set(times);
  }

  /** Times at which the observer is given measurements. @param others ends of steps, with which some coincide. */
  private observerTicks(others: readonly number[]): ReadonlySet<number> {
    const { start, end } = this.scenario;
    const { observer } = this.system;
    if (!observer) return new Set();
    // What is the same time but for rounding is one end of a step.
    const keyOf = (t: number): number => Math.round((t - start) / (1e-6 * observer.period));
    const known = new Map(others.map((t) => [keyOf(t), t]));
    const count = Math.floor((end - start) / observer.period + 1e-6) + 1;
    const times = Array.from({ length: count }, (_, k) => start + k * observer.period);
    return new Set(times.map((t) => known.get(keyOf(t)) ?? t));
  }

  private observe(t: number): void {
    if (!this.observed.has(t)) return;
    const n = this.system.coordinates;
    demand(t, this.system.stepObserver(t, this.y.subarray(0, n), this.y.subarray(n, 2 * n)));
  }

  private tick(t: number, ticks: ReadonlySet<number>): void {
    const { control, coordinates: n } = this.system;
    if (control?.period === undefined || !ticks.has(t)) return;
    const { length } = control.faults;
    demand(t, this.system.stepControl(t, this.y.subarray(0, n), this.y.subarray(n, 2 * n)));
    for (const { reason } of control.faults.slice(length)) this.events.push({ name: `fault: ${reason}`, t });
    this.integrator.restart?.();
  }

  private take(step: Step): boolean {
    const found = this.eventsOf(step);
    const switched = this.switchOf(step);
    const stop = found.find(({ event, t }) => event.stop && t <= (switched?.t ?? step.to));
    const end = stop?.t ?? switched?.t ?? step.to;
    for (const { event, t } of found) if (t <= end) this.events.push({ name: event.name, t });
    const inside = new Float64Array(this.y.length);
    let from = step.from;
    for (let t = this.sampleTime(); t < end && this.nextSample > 0; t = this.sampleTime()) {
      this.grow(from, t, step);
      from = t;
      step.at(t, inside);
      this.sample(t, inside);
    }
    this.grow(from, end, step);
    if (stop) step.at(end, this.y);
    else this.y.set(switched?.y ?? step.y);
    this.system.hold(end, this.y);
    this.stopped = stop !== undefined;
    this.isSwitched = !stop && switched !== undefined;
    this.reached = end;
    this.observe(end);
    const last = this.stopped || end === this.scenario.end;
    if (last || this.sampleTime() <= end) this.sample(end, this.y);
    if (this.progress?.(end) === false) throw new IntegrationFailure(end, INTERRUPTED);
    return !this.stopped && !this.isSwitched;
  }

  /** Where a rope switches in a step, and the state then. */
  private switchOf(step: Step): { readonly t: number; readonly y: Float64Array } | undefined {
    if (!this.integrator.findsSwitches) return this.system.ropes?.switchIn(step, this.y);
    if (step.cut === undefined) return undefined;
    const y = step.y.slice();
    if (step.cut < step.to) step.at(step.cut, y);
    return { t: step.cut, y };
  }

  /** Adds the work of natural strains, and of joints and loops that follow the time, over a part of a step: Gauss' rule of three points. */
  private grow(from: number, to: number, step: Step): void {
    const { isGrowing, isLed, followed } = this.system;
    if (!isGrowing && !isLed && followed.length === 0) return;
    const inside = new Float64Array(this.y.length);
    for (const { place, weight } of GAUSS) {
      const t = from + (to - from) * place;
      const share = weight * (to - from);
      step.at(t, inside);
      if (isGrowing) this.growth += share * this.system.growthAt(t, inside);
      if (isLed) {
        const { work, dissipated } = this.system.ledAt(t, inside);
        this.growth += share * work;
        this.followedDissipation += share * dissipated;
      }
      if (followed.length === 0) continue;
      const { work, dissipated } = this.system.followedAt(t, inside);
      this.growth += share * work;
      this.followedDissipation += share * dissipated;
    }
  }

  private sampleTime(): number {
    return this.scenario.start + this.nextSample * this.scenario.every;
  }

  private sample(t: number, y: Float64Array): void {
    const { coordinates: n, observer } = this.system;
    const { frames, carried, contacts, multipliers, ...energies } = this.system.observe(t, y, this.scenario.frames);
    this.carriedAtStart ??= carried;
    const work = y[2 * n + SUMS.work]! + (carried - this.carriedAtStart) + this.growth;
    const dissipated = y[2 * n + SUMS.dissipated]! + this.followedDissipation;
    const [q, qd] = [[...y.subarray(0, n)], [...y.subarray(n, 2 * n)]];
    const inputs = this.system.inputsAt(t, y.subarray(0, n), y.subarray(n, 2 * n));
    const u = [...inputs.subarray(0, this.scenario.robot.actuators.length)];
    const tau = this.system.pushedAt(t, y);
    const energy = { ...energies, dissipated, work };
    this.samples.push({
      ...{ t, q, qd, u, frames, energy },
      ...(tau && { tau }),
      ...(observer && { estimate: { q: [...observer.q], qd: [...observer.qd] } }),
      ...(contacts.length > 0 && { contacts }),
      ...(multipliers.length > 0 && { multipliers }),
    });
    this.nextSample++;
  }

  /** Where events lie within a step, in the order of time. */
  private eventsOf(step: Step): { readonly event: ScenarioEvent; readonly t: number }[] {
    const before = this.y;
    const inside = new Float64Array(before.length);
    return this.scenario.events
      .flatMap((event) => {
        const distance = (t: number, y: Float64Array): number => this.value(event.observed, t, y) - event.reaches;
        let [low, high] = [step.from, step.to];
        const side = Math.sign(distance(low, before));
        // What is reached at the end of a step was not left when the next one begins.
        if (side === 0 || Math.sign(distance(high, step.y)) === side) return [];
        while (high - low > 4 * Number.EPSILON * Math.max(Math.abs(high), step.to - step.from)) {
          const middle = low + (high - low) / 2;
          if (middle <= low || middle >= high) break;
          step.at(middle, inside);
          if (Math.sign(distance(middle, inside)) === side) low = middle;
          else high = middle;
        }
        return [{ event, t: high }];
      })
      .sort((a, b) => a.t - b.t);
  }

  private value(of: Expected, t: number, y: Float64Array): number {
    if ('balance' in of) return this.balance()!.defect;
    if ('path' in of) return this.distance(of.path, of.of);
    return valueOf(this.system, of, t, y);
  }

  /** Of a frame from where it was in another run, in all samples. */
  private distance({ frame, position, over }: Path, of: 'largest' | 'mean'): number {
    const distances = this.samples.map(
      ({ t, frames }) => Math.hypot(...position.map((signal, axis) => frames[frame]![axis]! - signal(t))) / over,
    );
    return of === 'largest' ? Math.max(...distances) : distances.reduce((sum, own) => sum + own) / distances.length;
  }

  private compare(at: number): void {
    for (const due of this.scenario.expectations)
      if (due.at === at) this.comparisons.push(...compared(due, (of) => this.value(of, at, this.y)));
  }

  /** An event that must come and did not; expectations that an event left no time for. */
  private missing(): Run['failure'] {
    const { events, expectations, end } = this.scenario;
    const t = this.samples[this.samples.length - 1]!.t;
    if (!this.stopped) {
      const never = events.find(({ stop }) => stop);
      return never && { t: end, message: `the event \`${never.name}\`, which ends the run, did not occur` };
    }
    const late = expectations.find(({ at }) => at > t);
    return late && { t, message: `the run ended before ${late.at} s, the time of an expected value` };
  }

  private balance(): Run['balance'] {
    const { robot } = this.scenario;
    if (!hasBalance(robot)) return undefined;
    const [first] = this.samples;
    if (!first) return undefined;
    let [defect, exchanged] = [0, 0];
    for (const { energy } of this.samples) {
      const change = (name: keyof Sample['energy']): number => energy[name] - first.energy[name];
      const stored = change('kinetic') + change('potential') + change('elastic');
      defect = Math.max(defect, Math.abs(stored + change('dissipated') - change('work')));
      for (const name of Object.keys(energy) as (keyof Sample['energy'])[])
        exchanged = Math.max(exchanged, Math.abs(change(name)));
    }
    return { defect, exchanged };
  }
}

/** @throws KanegenError `no-derivatives` where the exact tangent is wanted of a robot that has none. */
function integratorOf({ integrator }: Scenario, { driven, implicit }: MechanicalSystem): Integrator {
  const { method, step } = integrator;
  if (method === 'generalized-alpha') {
    if (implicit) return generalizedAlpha(implicit, integrator, step!);
    throw new KanegenError('no-derivatives', 'generalized-alpha needs a robot with derivatives', {
      remedy: 'compile it with derivatives, or choose the method rosenbrock',
    });
  }
  if (method === 'extrapolation') return extrapolation(driven, integrator);
  if (method === 'rosenbrock') return rosenbrock(driven, integrator);
  return implicitEuler(driven, integrator, step!);
}
