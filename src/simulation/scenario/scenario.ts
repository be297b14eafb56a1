/**
 * Scenario files: the robot, where it begins, what drives it, how it is integrated, what is written and what is expected
 * (docs/simulation.md). Everything is checked when the file is read; a run finds numbers, and functions of the time.
 */
import { eachAxis } from '../../common/tuples.ts';
import { KanegenError } from '../../common/error.ts';
import { nearest } from '../../common/nearest.ts';
import { symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { loadRobotFile } from '../../description/load.ts';
import { checkFile } from '../../description/language/structure.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { Problems } from '../../description/source/diagnostics.ts';
import { SourceFiles } from '../../description/source/files.ts';
import { UnreadableFile } from '../../host/host.ts';
import { MOST_BYTES, readRegularText } from '../../description/source/read-file.ts';
import { Place, yamlDocument } from '../../description/source/source.ts';
import { dues, readScalar, Scope, type Due, type RawValue } from '../../description/values/scope.ts';
import { dimensionPower, multiplyDimensions, parseUnit } from '../../description/values/units.ts';
import type { ControlChoice, ObserverChoice } from './control-choice.ts';
import type { Expectation, Observed } from './expectation.ts';
import { readExpectations } from './scenario-expectations.ts';
import { columnSignal } from './csv-signal.ts';
import { jumpsOf, type Jump } from './jumps.ts';
import { demandPeriods, readControl } from './scenario-control.ts';
import type { IntegratorChoice } from './integrator-choice.ts';
import { readIntegrator } from './scenario-integrator.ts';
import { SCENARIO_FILE, type RawDriven, type RawSignal, type ScenarioFile } from './scenario-schema.ts';
import {
  coordinateDue,
  csvAt,
  hasUnit,
  readNumber,
  readPoints,
  readPositive,
  settingsWithin,
  upwards,
} from './scenario-values.ts';
import { formulaSignal, tableSignal, type Signal } from './signal.ts';

/** Three components over time. */
type SignalVector = readonly [Signal, Signal, Signal];

/** Force and moment at the origin of a frame. */
export interface Load {
  /** Index into the frames of the robot. */
  readonly frame: number;
  readonly force: SignalVector;
  readonly moment: SignalVector;
  /** In axes of the frame, which it follows, or in world axes. */
  readonly follows: boolean;
}

export interface ScenarioEvent {
  readonly name: string;
  readonly observed: Observed;
  readonly reaches: number;
  /** The run ends there, and the event must come. */
  readonly stop: boolean;
}

/** What drives a robot. */
export interface Driven {
  /** By actuator, in the order of the robot; undefined: zero. */
  readonly inputs: readonly (Signal | undefined)[];
  /** What the other inputs come from. */
  readonly control?: ControlChoice;
}

/** From a time on, in place of what drove the robot before. */
export interface Phase extends Driven {
  /** In s, after the start and after the phase before. */
  readonly from: number;
}

export interface Scenario extends Driven {
  readonly robot: Robot;
  /** What controllers and the observer compute with, by the names of the robot; the robot itself when missing. */
  readonly model?: Robot;
  /** Controllers are given its estimate in place of the state. */
  readonly observer?: ObserverChoice;
  readonly summary: string;
  /** In the order of coordinates. */
  readonly q: readonly number[];
  readonly qd: readonly number[];
  /** Indices of coordinates that stay while loops close and equilibria are sought. */
  readonly held?: readonly number[];
  /** A motion begins in the equilibrium near by. */
  readonly equilibrium?: true;
  /** They are taken as they are; otherwise the nearest at which loops are closed. */
  readonly exact?: true;
  /** The coordinate that moved most when loops were closed, in SI units. */
  readonly closing?: { readonly name: string; readonly unit: string; readonly by: number };
  /** In s; the same for an equilibrium. */
  readonly start: number;
  readonly end: number;
  /** An equilibrium in place of a motion. */
  readonly statics?: true;
  readonly phases?: readonly Phase[];
  /** Generalized forces by coordinate; undefined: zero. */
  readonly forces: readonly (Signal | undefined)[];
  readonly loads: readonly Load[];
  /** Where formulas of the time switch; none when missing. */
  readonly jumps?: readonly Jump[];
  readonly integrator: IntegratorChoice;
  /** Time between two samples, in s. */
  readonly every: number;
  /** Indices of the frames whose positions are written. */
  readonly frames: readonly number[];
  readonly events: readonly ScenarioEvent[];
  readonly expectations: readonly Expectation[];
  /** What the file hardly means. */
  readonly warnings?: readonly Warning[];
  /** Contents of the tables that it names: with the file itself and the robot, all that a run depends on. */
  readonly sources: readonly (string | Uint8Array)[];
}

const SAMPLES = 200;
/** Of all samples: more is not held at once, or written as one text. */
const MOST_NUMBERS = 10_000_000;
const ENERGIES = 5;
/** Of the duration, by rounding of times. */
const LOST = 1e-6;
const AXES = ['x', 'y', 'z'] as const;
/** What a scenario of an equilibrium cannot have. */
const OF_MOTIONS = ['duration', 'observer', 'controller', 'reference', 'phases', 'integrator', 'events'] as const;

/**
 * @throws KanegenError with every problem of the scenario, or of the robot that it names.
 */
export function loadScenario(path: string): Scenario {
  let text: string;
  try {
    text = readRegularText(path, MOST_BYTES.robot);
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new KanegenError(error.code, `${path}: ${error.message}`, {
      remedy: 'give the path of a scenario file, such as swing.scenario.yaml',
    });
  }
  return loadScenarioText(text, path);
}

/** @param fileName shown in messages; paths in the file are relative to its directory. */
export function loadScenarioText(text: string, fileName: string): Scenario {
  const document = yamlDocument(text, fileName);
  const file = checkFile(document, SCENARIO_FILE);
  return new ScenarioReader(new Place(document), file).read();
}

class ScenarioReader {
  private readonly place: Place;
  private readonly file: ScenarioFile;
  private readonly files = new SourceFiles();
  private readonly problems = new Problems();
  private readonly robot: Robot;
  private readonly model: Robot | undefined;
  private readonly time: SymbolExpr = symbol('scenario.t');
  private readonly ofTime = new Scope();
  private readonly ofNumbers = new Scope();
  /** All that is a formula of the time. */
  private readonly formulas: Expr[] = [];

  constructor(place: Place, file: ScenarioFile) {
    this.place = place;
    this.file = file;
    this.robot = this.robotAt(place, 'robot', file);
    this.model = this.modelFor(this.robot);
    // A plain number of seconds: `sin(2*pi*t)`.
    this.ofTime.define('t', this.time, undefined);
  }

  /** @param at of the file's name and its settings. */
  private robotAt(
    at: Place,
    key: string,
    { robot, set = {}, keep = [] }: Pick<ScenarioFile, 'robot' | 'set' | 'keep'>,
  ): Robot {
    const { shown } = this.files.find(at.at(key), robot);
    this.files.text(at.at(key), robot);
    const values = Object.entries<unknown>(set).map(([name, raw]): [string, string] => [name, String(raw)]);
    return settingsWithin(at, keep, () => loadRobotFile(shown, { set: Object.fromEntries(values), keep }));
  }

  /** States, inputs and references of controllers are those of the robot: names and units have to be the same. */
  private modelFor(robot: Robot): Robot | undefined {
    const { place, file, problems } = this;
    if (file.model === undefined) return undefined;
    const at = place.at('model');
    const [model, where] =
      typeof file.model === 'string'
        ? [this.robotAt(place, 'model', { robot: file.model }), at]
        : [this.robotAt(at, 'robot', file.model), at.at('robot')];
    for (const what of ['coordinates', 'actuators'] as const) {
      const [own, others] = [robot, model].map((one) => one[what].map(({ name, unit }) => `${name} (${unit})`));
      const k = Array.from({ length: Math.max(own!.length, others!.length) }, (_, i) => i).find(
        (i) => own![i] !== others![i],
      );
      if (k === undefined) continue;
      const [wanted, found] = [own![k] ?? 'none', others![k] ?? 'none'];
      problems.add(
        where.error(
          'wrong-value',
          `the ${what} of this model are not those of the robot: number ${k + 1} is ${found} in place of ${wanted}`,
          `controllers take the robot's state and give its inputs: name the same ${what} in the same order`,
        ),
      );
    }
    const isUsed = [file, ...(file.phases ?? [])].some(({ controller }) => controller !== undefined);
    if (!isUsed && file.observer === undefined)
      problems.add(at.keyError('unknown-key', 'no controller computes with this model', 'add `controller: NAME`'));
    problems.finish();
    return model;
  }

  read(): Scenario {
    const { place, file, robot, problems } = this;
    const { q, qd, ...begin } = this.initial();
    const start = file.start === undefined ? 0 : this.number(this.place.at('start'), file.start, dues.time);
    const duration = this.duration();
    const end = start + duration;
    if (!file.statics && Math.abs(end - start - duration) > LOST * duration)
      this.problems.add(
        this.place
          .at('start')
          .error(
            'wrong-value',
            `${duration} s after ${start} s are below rounding`,
            'start earlier, for example at 0 s',
          ),
      );
    const forces = this.signalsOf(this.place.at('forces'), file.forces, robot.coordinates, 'coordinate');
    const outputs = this.outputs(duration);
    const observer = this.observer(duration);
    const scenario: Scenario = {
      robot,
      ...(this.model && { model: this.model }),
      ...(observer && { observer }),
      summary: file.summary ?? '',
      q,
      qd,
      ...begin,
      start,
      end,
      ...(file.statics && { statics: true }),
      ...this.driven(this.place, file, start, duration),
      ...(file.phases && { phases: this.phases(start, end) }),
      forces,
      loads: this.loads(),
      integrator: readIntegrator({ place, file, problems, duration, hasLoops: robot.loops !== undefined }),
      ...outputs,
      events: this.events(),
      expectations: readExpectations({
        ...{ place, file, robot, problems, files: this.files, start, end, frames: outputs.frames },
        index: (at, name, all, what) => this.index(at, name, all, what),
      }),
      sources: this.files.contents,
    };
    this.problems.finish();
    return {
      ...scenario,
      jumps: jumpsOf(this.formulas, this.time, start, end),
      warnings: [...this.bareAngles(), ...this.longPeriods(scenario)].filter(
        ({ name }) => !robot.silenced?.includes(name),
      ),
    };
  }

  private bareAngles(): Warning[] {
    const { ofTime, ofNumbers } = this;
    return [...ofNumbers.suspicions, ...ofTime.suspicions].map((own): Warning => ({ name: 'bare-angle', ...own }));
  }

  /** Of controllers that are asked once only. */
  private longPeriods({ control, phases = [], start, end }: Scenario): Warning[] {
    const { controllers = [] } = this.model ?? this.robot;
    const acting = [
      { control, from: start, place: this.place },
      ...phases.map((phase, i) => ({ ...phase, place: this.place.at('phases', i) })),
    ];
    return acting.flatMap(({ control: choice, from, place }, i): Warning[] => {
      const time = (acting[i + 1]?.from ?? end) - from;
      if (choice?.period === undefined || choice.period < time) return [];
      const { name } = controllers[choice.controller]!;
      const message = `\`${name}\` is asked once only: its period is ${choice.period} s, and it acts for ${Number(time.toPrecision(4))} s`;
      return [{ name: 'long-period', location: place.at('controller').location, message }];
    });
  }

  /** In s; zero for an equilibrium, which has nothing that only motions have. */
  private duration(): number {
    const { place, file, problems } = this;
    if (!file.statics) {
      if (file.duration !== undefined) return this.positive(place.at('duration'), file.duration, dues.time);
      problems.add(
        place.error(
          'missing-key',
          'missing `duration`',
          'write `duration: 2 s`, or `statics: true` for an equilibrium',
        ),
      );
      return 1;
    }
    for (const key of OF_MOTIONS)
      if (file[key] !== undefined)
        problems.add(
          place
            .at(key)
            .keyError(
              'not-allowed',
              `\`${key}\` is for motions`,
              `remove it, or replace \`statics: true\` by a duration`,
            ),
        );
    return 0;
  }

  private number(at: Place, raw: RawValue, due: Due): number {
    return readNumber(this.problems, at, raw, due, this.ofNumbers);
  }

  private positive(at: Place, raw: RawValue, due: Due): number {
    return readPositive(this.problems, at, raw, due);
  }

  /** The index of a name among others, or undefined after noting that it is unknown. */
  private index(
    at: Place,
    name: string,
    all: readonly { readonly name: string }[],
    what: string,
    isKey = true,
  ): number | undefined {
    const index = all.findIndex((one) => one.name === name);
    if (index >= 0) return index;
    const known = all.map((one) => one.name);
    const close = nearest(name, known);
    const listed = known.length === 0 ? `the robot has no ${what}s` : `${what}s: ${known.slice(0, 30).join(', ')}`;
    const remedy = close === undefined ? listed : `did you mean \`${close}\`?`;
    const [code, message] = [`unknown-${what}`, `unknown ${what} \`${name}\``];
    this.problems.add(isKey ? at.keyError(code, message, remedy) : at.error(code, message, remedy));
    return undefined;
  }

  /** Numbers by coordinate in place of those given. */
  private byCoordinate(at: Place, raw: Record<string, RawValue> | undefined, values: number[], rate: boolean): void {
    for (const [name, value] of Object.entries(raw ?? {})) {
      const index = this.index(at.at(name), name, this.robot.coordinates, 'coordinate');
      if (index !== undefined) values[index] = this.number(at.at(name), value, coordinateDue(this.robot, index, rate));
    }
  }

  private initial(): { q: number[]; qd: number[] } & Pick<Scenario, 'held' | 'equilibrium' | 'exact'> {
    const { robot } = this;
    const at = this.place.at('initial');
    const raw = this.file.initial ?? {};
    const { state, coordinates, rates, hold, equilibrium, exact } =
      typeof raw === 'string' ? { state: raw } : { ...raw };
    const q = robot.coordinates.map(({ value }) => value);
    const qd = robot.coordinates.map(() => 0);
    if (state !== undefined) {
      const states = Object.keys(robot.states).map((name) => ({ name }));
      const found = this.index(typeof raw === 'string' ? at : at.at('state'), state, states, 'state', false);
      if (found !== undefined) robot.states[state]!.forEach((value, i) => (q[i] = value));
    }
    this.byCoordinate(at.at('coordinates'), coordinates, q, false);
    this.byCoordinate(at.at('rates'), rates, qd, true);
    for (const [key, given] of Object.entries({ rates, exact }))
      if (equilibrium && given)
        this.problems.add(
          at.at(key).keyError('not-allowed', `\`${key}\` is not for a start at rest`, 'remove it, or `equilibrium`'),
        );
    if (equilibrium && this.file.statics)
      this.problems.add(
        at.at('equilibrium').keyError('not-allowed', 'an equilibrium has no start in another one', 'remove it'),
      );
    const held = this.held(at.at('hold'), hold ?? []);
    return { q, qd, ...(hold && { held }), ...(equilibrium && { equilibrium }), ...(exact && { exact }) };
  }

  /** The observer, with the coordinates that it begins with. */
  private observer(duration: number): ObserverChoice | undefined {
    const raw = this.file.observer;
    if (raw === undefined) return undefined;
    const { observers = [] } = this.model ?? this.robot;
    const at = this.place.at('observer');
    const given: Exclude<typeof raw, string> = typeof raw === 'string' ? { name: raw } : raw;
    const { name, coordinates, seed = 1 } = given;
    const where = typeof raw === 'string' ? at : at.at('name');
    const observer = this.index(where, name, observers, 'observer', false);
    if (observer === undefined) return undefined;
    const start = [...observers[observer]!.start];
    this.byCoordinate(at.at('coordinates'), coordinates, start, false);
    demandPeriods(at, duration, observers[observer]!.period, 'observer', this.problems);
    return { observer, start, seed };
  }

  /** Of the observer, s. */
  private observedPeriod(): number | undefined {
    const raw = this.file.observer;
    const name = typeof raw === 'string' ? raw : raw?.name;
    return (this.model ?? this.robot).observers?.find((own) => own.name === name)?.period;
  }

  /** Indices of coordinates by name; a link stands for all of its own. */
  private held(at: Place, names: readonly string[]): number[] {
    const { coordinates } = this.robot;
    const all = names.flatMap((name, i) => {
      const ofLink = coordinates.flatMap((own, index) => (own.name.startsWith(`${name}.`) ? [index] : []));
      return ofLink.length > 0 ? ofLink : [this.index(at.at(i), name, coordinates, 'coordinate')];
    });
    const held = [...new Set(all.flatMap((index) => (index === undefined ? [] : [index])))];
    if (held.length > 0 && held.length === coordinates.length)
      this.problems.add(at.keyError('wrong-value', 'no coordinate is left to move', 'hold fewer'));
    return held.sort((a, b) => a - b);
  }

  /** @param place of the file, or of one of its phases. */
  private driven(place: Place, raw: RawDriven, start: number, duration: number): Driven {
    const { robot, problems, time, ofTime, ofNumbers, formulas } = this;
    const inputs = this.signalsOf(place.at('inputs'), raw.inputs, robot.actuators, 'actuator');
    const control = readControl({
      ...{
        place,
        file: raw,
        robot: this.model ?? robot,
        problems,
        duration,
        start,
        observed: this.observedPeriod(),
        time,
        ofTime,
        ofNumbers,
        formulas,
        files: this.files,
      },
      index: (at, name, all, what, isKey) => this.index(at, name, all, what, isKey),
    });
    return { inputs, ...(control && { control }) };
  }

  private phases(start: number, end: number): Phase[] {
    let before = start;
    return this.file.phases!.map((raw, i) => {
      const place = this.place.at('phases', i);
      const from = this.number(place.at('from'), raw.from, dues.time);
      if (from <= before || from >= end)
        this.problems.add(
          place
            .at('from')
            .error(
              'wrong-value',
              `a phase from ${from} s on, after ${before} s`,
              `write a time between, before ${end} s`,
            ),
        );
      before = from;
      return { from, ...this.driven(place, raw, from, end - from) };
    });
  }

  private signalsOf(
    place: Place,
    raws: Readonly<Record<string, RawSignal>> | undefined,
    all: readonly { readonly name: string; readonly unit: string }[],
    what: 'actuator' | 'coordinate',
  ): (Signal | undefined)[] {
    const signals: (Signal | undefined)[] = all.map(() => undefined);
    for (const [name, raw] of Object.entries(raws ?? {})) {
      const at = place.at(name);
      const index = this.index(at, name, all, what);
      const { dimension } = parseUnit(index === undefined ? '1' : all[index]!.unit);
      const isForce = what === 'coordinate';
      const due: Due = {
        what: isForce ? `the force on \`${name}\`` : `\`${name}\``,
        dimension: isForce ? multiplyDimensions(parseUnit('J').dimension, dimensionPower(dimension, -1)) : dimension,
      };
      const signal = this.signal(at, raw, name, index === undefined ? { what: due.what } : due);
      if (index !== undefined) signals[index] = signal;
    }
    return signals;
  }

  /** @param due of values with a unit; numbers of formulas have none. */
  private signal(at: Place, raw: RawSignal, name: string, due: Due): Signal | undefined {
    return this.problems.attempt(() => {
      if (typeof raw !== 'object') {
        const { value } = readScalar(at, raw, hasUnit(raw) ? due : { what: due.what }, this.ofTime);
        this.formulas.push(value);
        return formulaSignal(value, this.time);
      }
      if ('csv' in raw) {
        const { shown, text } = csvAt(this.files, at.at('csv'), raw.csv);
        return columnSignal(shown, text, {
          time: raw.time ?? 't',
          column: raw.column ?? name,
          dimension: due.dimension,
        });
      }
      const { times, values } = readPoints(at.at('table'), raw.table, due);
      return tableSignal(times, values);
    });
  }

  private loads(): Load[] {
    return Object.entries(this.file.loads ?? {}).flatMap(([name, raw]) => {
      const at = this.place.at('loads', name);
      const frame = this.index(at, name, this.robot.frames, 'frame');
      const vector = (key: 'force' | 'moment'): SignalVector => {
        const due = { what: `this ${key}`, dimension: parseUnit(key === 'force' ? 'N' : 'N m').dimension };
        return eachAxis((i) => {
          const component = raw[key]?.[i];
          const signal = component !== undefined && this.signal(at.at(key, i), component, `${key}[${i}]`, due);
          return signal || tableSignal([0], [0]);
        });
      };
      return frame === undefined
        ? []
        : [{ frame, force: vector('force'), moment: vector('moment'), follows: raw.axes === 'frame' }];
    });
  }

  private outputs(duration: number): { every: number; frames: number[] } {
    const at = this.place.at('outputs');
    const { every: raw, frames: names } = this.file.outputs ?? {};
    const every = raw === undefined ? duration / SAMPLES || 1 : this.positive(at.at('every'), raw, dues.time);
    const frames = names?.flatMap((name, i) => {
      const place = at.at('frames', i);
      if (names.indexOf(name) < i)
        this.problems.add(place.error('wrong-value', `\`${name}\` appears twice`, 'name it once'));
      return this.index(place, name, this.robot.frames, 'frame', false) ?? [];
    });
    const watched = frames ?? [this.robot.tip];
    const { coordinates, actuators } = this.robot;
    const numbers = 1 + 2 * coordinates.length + actuators.length + 3 * watched.length + ENERGIES;
    const most = Math.floor(MOST_NUMBERS / numbers);
    if (raw !== undefined && duration / every > most)
      this.problems.add(
        at
          .at('every')
          .error(
            'wrong-value',
            `more than ${most} samples of ${numbers} numbers each`,
            `write a longer time, ${upwards(duration / most)} s at least`,
          ),
      );
    return { every, frames: watched };
  }

  private events(): ScenarioEvent[] {
    return Object.entries(this.file.events ?? {}).flatMap(([name, raw]) => {
      const at = this.place.at('events', name);
      if (name === '__proto__')
        this.problems.add(
          at.keyError('malformed-name', '`__proto__` cannot be the name of an event', 'choose another'),
        );
      const { coordinate, frame, axis, reaches, stop = false } = raw;
      if ((coordinate === undefined) === (frame === undefined) || (frame === undefined) !== (axis === undefined)) {
        const remedy = 'write { coordinate: NAME, reaches: VALUE } or { frame: NAME, axis: z, reaches: VALUE }';
        this.problems.add(at.error('wrong-shape', 'an event needs one coordinate, or one axis of a frame', remedy));
        return [];
      }
      const index =
        coordinate === undefined
          ? this.index(at.at('frame'), frame!, this.robot.frames, 'frame', false)
          : this.index(at.at('coordinate'), coordinate, this.robot.coordinates, 'coordinate', false);
      if (index === undefined) return [];
      const due = coordinate === undefined ? dues.length : coordinateDue(this.robot, index);
      const observed = coordinate === undefined ? { frame: index, axis: AXES.indexOf(axis!) } : { coordinate: index };
      return [{ name, observed, reaches: this.number(at.at('reaches'), reaches, due), stop }];
    });
  }
}
