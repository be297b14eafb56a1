/** `controllers:` of a robot file: each of one law, with its gains. */
import { rubs } from '../model/actuator.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { RawByCoordinate, RawController } from '../language/controllers.ts';
import type { Controller, Gain } from '../model/controller.ts';
import { rowsOf } from '../model/loop.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { constantNumber, dues, readScalar } from '../values/scope.ts';
import { dimensionPower, multiplyDimensions, parseUnit, type Dimension } from '../values/units.ts';
import { undrivenCoordinates } from './driven-coordinates.ts';
import {
  indicesOf,
  requireActuators,
  warnOfUndriven,
  type ControllerContext,
  type ControllerReading,
} from './controller-context.ts';
import { readShape } from './shape.ts';
import { readShell } from './shell.ts';
import { readTaskSpace } from './task-space.ts';
import { readGain, type GainDue } from './gains.ts';

type Kind = Exclude<keyof RawController, 'summary' | 'shell'>;

const KINDS: {
  readonly [K in Kind]: (
    place: Place,
    raw: NonNullable<RawController[K]>,
    context: ControllerContext,
  ) => ControllerReading;
} = {
  'computed-torque': readComputedTorque,
  pd: readPd,
  'feed-forward': readFeedForward,
  shape: readShape,
  'partial-feedback-linearisation': readLinearisation,
  'task-space': readTaskSpace,
};
const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];

/** Ends of the names of other generated files of a robot. */
const TAKEN: readonly string[] = [
  'driver',
  'drive',
  'motion',
  'rosenbrock',
  'generalized_alpha',
  'selftest',
  'straight',
  'straight_batch',
  'straight_forward_batch',
  'straight_implicit_batch',
  'evaluate',
];

/** In the order of the file; problems are noted. */
export function readControllers(
  place: Place,
  raws: Readonly<Record<string, RawController>>,
  context: ControllerContext,
  problems: Problems,
): readonly Controller[] {
  const controllers: Controller[] = [];
  const spellings = new Map<string, string>();
  const take = (at: Place, spelling: string, name: string): void => {
    const same = spellings.get(spelling);
    if (same !== undefined || TAKEN.includes(spelling))
      throw at.keyError(
        'duplicate-name',
        same === undefined
          ? `the files of the controller \`${name}\` would have the names of other files`
          : `the controllers \`${same}\` and \`${name}\` have the same name in generated code`,
        'choose another name',
      );
    spellings.set(spelling, name);
  };
  for (const [name, raw] of Object.entries(raws)) {
    const at = place.at(name);
    problems.attempt(() => {
      const problem = nameProblem(at, name, 'a controller', 'dashed', 'key');
      if (problem) throw problem;
      const spelling = name.toLowerCase().replace(/-/g, '_');
      take(at, spelling, name);
      const controller = readController(at, name, raw, context);
      if (!raw.shell) return void controllers.push(controller);
      const { shell, safe } = readShell(at.at('shell'), raw.shell, controller, context);
      controllers.push({ ...controller, shell }, ...(safe ? [safe] : []));
      for (const end of ['shell', ...(safe ? ['safe'] : [])]) take(at, `${spelling}_${end}`, name);
    });
  }
  return controllers;
}

function readController(place: Place, name: string, raw: RawController, context: ControllerContext): Controller {
  const kind = kindOf(place, raw);
  refuseInLoops(place, kind, context);
  const read = KINDS[kind] as (place: Place, raw: unknown, context: ControllerContext) => ControllerReading;
  return { name, summary: raw.summary ?? '', ...read(place.at(kind), raw[kind], context), location: place.location };
}

function kindOf(place: Place, raw: RawController): Kind {
  const [kind, other] = KIND_NAMES.filter((name) => raw[name] !== undefined);
  if (kind === undefined)
    throw place.keyError(
      'missing-key',
      'this controller has no kind',
      `give it one of ${KIND_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    );
  if (other === undefined) return kind;
  throw place
    .at(other)
    .keyError('several-kinds', `a controller is \`${kind}\` or \`${other}\`, not both`, 'make it two controllers');
}

/** Laws that bring generalized forces about: multipliers of loops do their share of these. */
const THROUGH_LOOPS: ReadonlySet<Kind> = new Set(['computed-torque', 'pd', 'feed-forward'] as const);

/** @throws KanegenError `not-supported` where a law cannot do with the loops of the robot. */
function refuseInLoops(place: Place, kind: Kind, { loops }: ControllerContext): void {
  const refused = (what: string, remedy: string): Error =>
    place.at(kind).keyError('not-supported', `\`${kind}\` ${what}`, remedy);
  if (loops.length > 0 && !THROUGH_LOOPS.has(kind))
    throw refused('is made for trees of links, and the robot has loops', `write ${[...THROUGH_LOOPS].join(', ')}`);
  const moved = loops.find(({ time, actuator }) => time !== undefined || actuator !== undefined);
  if (moved)
    throw refused(
      `does not know where the loop \`${moved.name}\` is, which follows the time or holds an actuator`,
      'move it by an actuator, with a reference',
    );
  const rope = loops.find(({ rows }) => rows.some(({ isRope }) => isRope));
  if (rope) throw refused(`takes the rope \`${rope.name}\` for a rod`, 'leave out `unilateral`, or write a tendon');
}

const perTime = (power: number): Dimension => [0, 0, -power, 0, 0];
const ENERGY: Dimension = [1, 2, -2, 0, 0];

/** kp, kd and ki of coordinates: of accelerations, or of forces. */
function byCoordinate(
  place: Place,
  raw: RawByCoordinate,
  { coordinates, scope }: ControllerContext,
  dimension: (unit: string, power: number) => Dimension,
): { readonly gains: readonly Gain[]; readonly integral: boolean } {
  const dueOf = (power: number): GainDue[] =>
    coordinates.map(({ name, unit }) => ({ of: name, dimension: dimension(unit, power) }));
  const { kp, kd, ki, period } = raw;
  const read = (name: 'kp' | 'kd' | 'ki', value: NonNullable<typeof ki>, power: number, summary: string): Gain =>
    readGain(place.at(name), value, { name, summary }, dueOf(power), 'coordinate', scope);
  const proportional = [
    read('kp', kp, 2, 'by the error of each coordinate'),
    read('kd', kd, 1, 'by the error of its rate'),
  ];
  if (ki === undefined) {
    if (period !== undefined)
      throw place.at('period').keyError('unknown-key', '`period` is for an integral', 'remove it, or add `ki`');
    return { gains: proportional, integral: false };
  }
  if (period === undefined)
    throw place
      .at('ki')
      .keyError('missing-key', '`ki` needs `period`, the time between two steps', 'add `period: 1 ms`');
  const at = place.at('period');
  const seconds = constantNumber(at, readScalar(at, period, dues.time, scope).value);
  if (!(seconds > 0)) throw at.error('wrong-value', `${seconds} s cannot be the time between steps`, 'write `1 ms`');
  const time: Gain = {
    name: 'period',
    summary: 'time from one step to the next',
    units: ['s'],
    values: [seconds],
    single: true,
    range: 'above zero',
  };
  return { gains: [...proportional, read('ki', ki, 3, 'by the integral of the error'), time], integral: true };
}

function readComputedTorque(place: Place, raw: RawByCoordinate, context: ControllerContext): ControllerReading {
  const [n, u, rows] = [context.coordinates.length, context.actuators.length, rowsOf(context)];
  if (rows > 0 ? u + rows < n || u > n : u !== n)
    throw place.keyError(
      u < n ? 'underactuated' : 'overactuated',
      `computed torque needs an actuator for each coordinate${rows > 0 ? ' that loops leave' : ''}: ${u} actuator${u === 1 ? '' : 's'}, ${rows > 0 ? `${rows} row${rows === 1 ? '' : 's'} of loops, ` : ''}${n} coordinate${n === 1 ? '' : 's'}`,
      u < n
        ? 'write `partial-feedback-linearisation`, or `pd`, which work with fewer'
        : 'remove actuators, or write `pd`, which takes the smallest inputs',
    );
  const [left] = rows > 0 ? [] : undrivenCoordinates(context, context.actuators);
  if (left !== undefined)
    throw place.keyError(
      'underactuated',
      `computed torque needs an actuator for each coordinate: none acts on \`${left}\``,
      'write `partial-feedback-linearisation`, or `pd`, which work without one',
    );
  const { gains, integral } = byCoordinate(place, raw, context, (_, power) => perTime(power));
  return { law: { kind: 'computed-torque', integral }, gains };
}

function readPd(place: Place, raw: NonNullable<RawController['pd']>, context: ControllerContext): ControllerReading {
  requireActuators(place, context);
  const dimension = (unit: string, power: number): Dimension =>
    multiplyDimensions(multiplyDimensions(ENERGY, dimensionPower(parseUnit(unit).dimension, -2)), perTime(power - 2));
  const { gains, integral } = byCoordinate(place, raw, context, dimension);
  const actuators = indicesOf(place.at('actuators'), raw.actuators, context);
  if (!raw.actuators)
    warnOfUndriven(
      place,
      context,
      'the controller neither corrects errors nor carries weight there; if that is intended, list the used ones: `actuators: [ … ]`',
    );
  return { law: { kind: 'pd', integral, compensation: raw.compensation ?? 'reference', actuators }, gains };
}

function readFeedForward(
  place: Place,
  raw: NonNullable<RawController['feed-forward']>,
  context: ControllerContext,
): ControllerReading {
  requireActuators(place, context);
  return {
    law: { kind: 'feed-forward', actuators: indicesOf(place.at('actuators'), raw.actuators, context) },
    gains: [],
  };
}

/** Two that are functions of the same coordinate alone have no accelerations of their own. */
function demandApart(
  place: Place,
  raw: NonNullable<RawController['partial-feedback-linearisation']>,
  outputs: readonly number[],
  { actuators }: ControllerContext,
): void {
  const only = outputs.map((index) => {
    const { terms } = actuators[index]!;
    if (!terms.every((term) => term.kind === 'formula')) return undefined;
    const values = terms.flatMap(({ summands }) => summands.map(({ value }) => value));
    const read = freeSymbols(values).filter((own) => own.name.startsWith('coordinate.'));
    return read.length === 1 ? read[0]!.name.slice('coordinate.'.length) : undefined;
  });
  only.forEach((name, i) => {
    const before = only.indexOf(name);
    if (name === undefined || before === i) return;
    const [first, second] = [before, i].map((k) => actuators[outputs[k]!]!.name);
    throw (raw.outputs ? place.at('outputs', i) : place).error(
      'overactuated',
      `\`${first!}\` and \`${second!}\` both depend on \`${name}\` alone: they cannot be controlled independently`,
      `leave one of them out of \`outputs\``,
    );
  });
}

function readLinearisation(
  place: Place,
  raw: NonNullable<RawController['partial-feedback-linearisation']>,
  context: ControllerContext,
): ControllerReading {
  requireActuators(place, context);
  const { actuators, coordinates, scope } = context;
  const known = actuators.map(({ name }) => name);
  const outputs = indicesOf(place.at('outputs'), raw.outputs, context);
  if (outputs.length > coordinates.length)
    throw (raw.outputs ? place.at('outputs') : place).keyError(
      'overactuated',
      `${outputs.length} actuation coordinates cannot be controlled independently with ${coordinates.length} coordinates`,
      'write `outputs: [ … ]` with at most as many as there are coordinates',
    );
  demandApart(place, raw, outputs, context);
  const rubbing = outputs.findIndex((index) => rubs(actuators[index]!));
  if (rubbing >= 0)
    throw (raw.outputs ? place.at('outputs', rubbing) : place).error(
      'not-supported',
      `\`${known[outputs[rubbing]!]!}\` has friction: its force is not along the gradient of its coordinate`,
      'leave it out of `outputs`, or remove its `friction`',
    );
  const dueOf = (power: number): GainDue[] =>
    outputs.map((index) => ({ of: known[index]!, dimension: perTime(power) }));
  const read = (name: 'kp' | 'kd', power: number, summary: string): Gain =>
    readGain(place.at(name), raw[name], { name, summary }, dueOf(power), 'output', scope);
  return {
    law: { kind: 'partial-feedback-linearisation', outputs },
    gains: [read('kp', 2, 'by the error of each actuation coordinate'), read('kd', 1, 'by the error of its rate')],
  };
}
