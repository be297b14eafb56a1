/** `task-space`: a frame that follows a pose, by rates of the coordinates, by a spring and a damper, or by linear dynamics of its error. */
import { mapTuple } from '../../common/tuples.ts';
import { AXES, type RawTaskSpace } from '../language/controllers.ts';
import type { Gain } from '../model/controller.ts';
import type { Place } from '../source/source.ts';
import type { Dimension } from '../values/units.ts';
import { dimensionless } from '../values/units.ts';
import { drivesAll } from './driven-coordinates.ts';
import { readGain, type GainDue } from './gains.ts';
import {
  indexOf,
  indicesOf,
  requireActuators,
  warnOfUndriven,
  type ControllerContext,
  type ControllerReading,
} from './controller-context.ts';

const PER_TIME: Dimension = [0, 0, -1, 0, 0];
const ENERGY: Dimension = [1, 2, -2, 0, 0];
const FORCE_PER_LENGTH: Dimension = [1, 0, -2, 0, 0];
const PER_TIME_SQUARED: Dimension = [0, 0, -2, 0, 0];
/** Of the least squares of the velocity form, where the file has none. */
const DAMPING = 0.01;

/** @throws KanegenError `unknown-frame`, `unknown-state`, `missing-key`, `unknown-key`, or what gains throw. */
export function readTaskSpace(place: Place, raw: RawTaskSpace, context: ControllerContext): ControllerReading {
  const frame = indexOf(
    place.at('frame'),
    raw.frame,
    context.frames.map(({ name }) => name),
    'frame',
  );
  switch (raw.form) {
    case 'velocity':
      return velocityForm(place, raw, context, frame);
    case 'torque':
      return torqueForm(place, raw, context, frame);
    case 'acceleration':
      return accelerationForm(place, raw, context, frame);
  }
}

type Key = Exclude<keyof RawTaskSpace, 'frame' | 'form'>;

/** Keys of the other forms are mistakes; those that this one cannot do without must be there. */
function checkKeys(place: Place, raw: RawTaskSpace, needed: readonly Key[], optional: readonly Key[]): void {
  const known: readonly string[] = ['frame', 'form', ...needed, ...optional];
  for (const key of Object.keys(raw))
    if (!known.includes(key))
      throw place.at(key).keyError('unknown-key', `the ${raw.form} form has no \`${key}\``, `remove \`${key}\``);
  requireKeys(place, raw, needed);
}

function requireKeys(place: Place, raw: RawTaskSpace, needed: readonly Key[]): void {
  for (const key of needed)
    if (raw[key] === undefined)
      throw place.keyError('missing-key', `the ${raw.form} form takes a \`${key}\``, `add \`${key}:\``);
}

const perAxis = (rotation: Dimension, translation: Dimension): GainDue[] =>
  AXES.map((of, i) => ({ of, dimension: i < 3 ? rotation : translation }));

/**
 * The posture that a frame leaves its coordinates to tend to, by gains of these keys; none where the file has none of them.
 * @throws KanegenError where it has some of them only.
 */
function postureGains(
  place: Place,
  raw: RawTaskSpace,
  { coordinates, states, scope }: ControllerContext,
  gains: readonly {
    readonly key: 'posture-gain' | 'posture-kp' | 'posture-kd';
    readonly name: string;
    readonly summary: string;
    readonly dimension: Dimension;
  }[],
): Gain[] {
  const keys: readonly Key[] = ['posture', ...gains.map(({ key }) => key)];
  if (keys.every((key) => raw[key] === undefined)) return [];
  requireKeys(place, raw, keys);
  const names = Object.keys(states);
  const state = names[indexOf(place.at('posture'), raw.posture!, names, 'state')]!;
  return [
    ...gains.map(({ key, name, summary, dimension }) => {
      const each = coordinates.map((own) => ({ of: own.name, dimension }));
      return readGain(place.at(key), raw[key]!, { name, summary }, each, 'coordinate', scope);
    }),
    {
      name: 'posture',
      summary: 'that coordinates tend to',
      units: coordinates.map(({ unit }) => unit),
      values: states[state]!,
      range: 'any',
    },
  ];
}

/** One number. */
function readDamping(place: Place, raw: RawTaskSpace, context: ControllerContext, missing: number, of: string): Gain {
  const due = [{ of, dimension: dimensionless }];
  const named = { name: 'damping', summary: `of ${of}` };
  return {
    ...readGain(place.at('damping'), raw.damping ?? missing, named, due, 'value', context.scope),
    single: true,
  };
}

function velocityForm(place: Place, raw: RawTaskSpace, context: ControllerContext, frame: number): ControllerReading {
  checkKeys(place, raw, ['gain'], ['damping', 'posture', 'posture-gain']);
  const named = { name: 'gain', summary: 'by the error of the pose' };
  const posture = postureGains(place, raw, context, [
    {
      key: 'posture-gain',
      name: 'postureGain',
      summary: 'by the distance from the posture',
      dimension: PER_TIME,
    },
  ]);
  return {
    law: { kind: 'task-space', form: 'velocity', frame, posture: posture.length > 0 },
    gains: [
      readGain(place.at('gain'), raw.gain!, named, perAxis(PER_TIME, PER_TIME), 'axis', context.scope),
      readDamping(place, raw, context, DAMPING, 'the least squares'),
      ...posture,
    ],
  };
}

function torqueForm(place: Place, raw: RawTaskSpace, context: ControllerContext, frame: number): ControllerReading {
  requireActuators(place, context);
  checkKeys(place, raw, ['stiffness', 'damping'], []);
  warnOfUndriven(place, context, 'spring, damper and weight have no effect there');
  const viscous = (dimension: Dimension): Dimension => mapTuple(dimension, (e, i) => (i === 2 ? e + 1 : e));
  const read = (name: 'stiffness' | 'damping', summary: string, due: readonly GainDue[]): Gain =>
    readGain(place.at(name), raw[name]!, { name, summary }, due, 'axis', context.scope);
  return {
    law: { kind: 'task-space', form: 'torque', frame },
    gains: [
      read('stiffness', 'about and along the axes of the frame', perAxis(ENERGY, FORCE_PER_LENGTH)),
      read('damping', 'about and along the axes of the frame', perAxis(viscous(ENERGY), viscous(FORCE_PER_LENGTH))),
    ],
  };
}

function accelerationForm(
  place: Place,
  raw: RawTaskSpace,
  context: ControllerContext,
  frame: number,
): ControllerReading {
  requireActuators(place, context);
  checkKeys(place, raw, ['kp', 'kd'], ['axes', 'damping', 'actuators', 'least', 'posture', 'posture-kp', 'posture-kd']);
  const actuators = indicesOf(place.at('actuators'), raw.actuators, context);
  const axes = axesOf(place, raw);
  demandMeans(place, raw, context, { frame, axes: axes.length, actuators: actuators.length });
  if (raw.least === 'accelerations' && !drivesAll(context, actuators))
    throw place
      .at('least')
      .error(
        'underactuated',
        'accelerations are free where each coordinate has an actuator only',
        'write `least: inputs`',
      );
  const read = (name: 'kp' | 'kd', summary: string, dimension: Dimension): Gain => {
    const due = axes.map((i) => ({ of: AXES[i]!, dimension }));
    return readGain(place.at(name), raw[name]!, { name, summary }, due, 'axis', context.scope);
  };
  const posture = postureGains(place, raw, context, [
    {
      key: 'posture-kp',
      name: 'postureKp',
      summary: 'by the distance from the posture',
      dimension: PER_TIME_SQUARED,
    },
    { key: 'posture-kd', name: 'postureKd', summary: 'by the rate of each coordinate', dimension: PER_TIME },
  ]);
  return {
    law: {
      ...{ kind: 'task-space', form: 'acceleration', frame, axes, posture: posture.length > 0, actuators },
      ...(raw.least && { least: raw.least }),
    },
    gains: [
      read('kp', 'by the error of the pose about and along each axis', PER_TIME_SQUARED),
      read('kd', 'by the error of the twist', PER_TIME),
      readDamping(place, raw, context, 0, 'the equations of the frame'),
      ...posture,
    ],
  };
}

/** Indices in a twist, each once; all where none are listed. */
function axesOf(place: Place, { axes }: RawTaskSpace): readonly number[] {
  if (axes === undefined) return AXES.map((_, i) => i);
  return axes.map((axis, i) => {
    if (axes.indexOf(axis) < i)
      throw place.at('axes', i).error('duplicate-name', `\`${axis}\` appears twice`, 'remove it');
    return AXES.indexOf(axis);
  });
}

/** More axes than coordinates that move the frame, or than actuators, have no accelerations of their own. */
function demandMeans(
  place: Place,
  raw: RawTaskSpace,
  { frames, links, coordinates }: ControllerContext,
  count: { readonly frame: number; readonly axes: number; readonly actuators: number },
): void {
  const way = new Set<number>();
  for (let link = frames[count.frame]!.link; link >= 0; link = links[link]!.parent) way.add(link);
  const moving = coordinates.filter(({ link }) => way.has(link)).length;
  const most = Math.min(moving, count.actuators);
  if (count.axes <= most) return;
  const plural = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;
  const means =
    count.actuators < moving
      ? plural(count.actuators, 'actuator')
      : `the ${plural(moving, 'coordinate')} that ${moving === 1 ? 'moves' : 'move'} it`;
  throw (raw.axes ? place.at('axes') : place.at('frame')).keyError(
    'underactuated',
    `${count.axes} axes of \`${raw.frame}\` cannot be led by ${means}`,
    most === 0
      ? 'choose another frame'
      : `list at most ${most}, such as \`axes: [${AXES.slice(3, 3 + most).join(', ')}]\``,
  );
}
