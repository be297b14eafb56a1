/** `task-space`: a frame that follows a pose, by rates of the coordinates or by a spring and a damper. */
import { mapTuple } from '../../common/tuples.ts';
import { nearest } from '../../common/nearest.ts';
import type { RawTaskSpace } from '../language/controllers.ts';
import type { Gain } from '../model/controller.ts';
import type { Place } from '../source/source.ts';
import type { Dimension } from '../values/units.ts';
import { dimensionless } from '../values/units.ts';
import { readGain, type GainDue } from './gains.ts';
import {
  requireActuators,
  warnOfUndriven,
  type ControllerContext,
  type ControllerReading,
} from './controller-context.ts';

const PER_TIME: Dimension = [0, 0, -1, 0, 0];
const ENERGY: Dimension = [1, 2, -2, 0, 0];
const FORCE_PER_LENGTH: Dimension = [1, 0, -2, 0, 0];
/** Of the least squares of the velocity form, where the file has none. */
const DAMPING = 0.01;

const AXES = ['about x', 'about y', 'about z', 'along x', 'along y', 'along z'] as const;

/** @throws KanegenError `unknown-frame`, `unknown-state`, `missing-key`, `unknown-key`, or what gains throw. */
export function readTaskSpace(place: Place, raw: RawTaskSpace, context: ControllerContext): ControllerReading {
  const frame = indexOf(
    place.at('frame'),
    raw.frame,
    context.frames.map(({ name }) => name),
    'frame',
  );
  return raw.form === 'velocity' ? velocityForm(place, raw, context, frame) : torqueForm(place, raw, context, frame);
}

function indexOf(at: Place, name: string, known: readonly string[], what: string): number {
  const index = known.indexOf(name);
  if (index >= 0) return index;
  const close = nearest(name, known);
  throw at.error(
    `unknown-${what}`,
    `unknown ${what} \`${name}\``,
    close === undefined ? `${what}s: ${known.slice(0, 30).join(', ') || 'none'}` : `did you mean \`${close}\`?`,
  );
}

/** Keys of the other form are mistakes; those that this one cannot do without must be there. */
function checkKeys(
  place: Place,
  raw: RawTaskSpace,
  others: readonly (keyof RawTaskSpace)[],
  needed: readonly (keyof RawTaskSpace)[],
): void {
  for (const key of others)
    if (raw[key] !== undefined)
      throw place.at(key).keyError('unknown-key', `the ${raw.form} form has no \`${key}\``, `remove \`${key}\``);
  for (const key of needed)
    if (raw[key] === undefined)
      throw place.keyError('missing-key', `the ${raw.form} form takes a \`${key}\``, `add \`${key}:\``);
}

const perAxis = (rotation: Dimension, translation: Dimension): GainDue[] =>
  AXES.map((of, i) => ({ of, dimension: i < 3 ? rotation : translation }));

function velocityForm(
  place: Place,
  raw: RawTaskSpace,
  { coordinates, states, scope }: ControllerContext,
  frame: number,
): ControllerReading {
  checkKeys(place, raw, ['stiffness'], ['gain']);
  const gains: Gain[] = [
    readGain(
      place.at('gain'),
      raw.gain!,
      { name: 'gain', summary: 'by the error of the pose' },
      perAxis(PER_TIME, PER_TIME),
      'axis',
      scope,
    ),
    {
      ...readGain(
        place.at('damping'),
        raw.damping ?? DAMPING,
        { name: 'damping', summary: 'of the least squares' },
        [{ of: 'the least squares', dimension: dimensionless }],
        'value',
        scope,
      ),
      single: true,
    },
  ];
  if (raw.posture === undefined && raw['posture-gain'] === undefined)
    return { law: { kind: 'task-space', form: 'velocity', frame, posture: false }, gains };
  checkKeys(place, raw, [], ['posture', 'posture-gain']);
  const names = Object.keys(states);
  const state = names[indexOf(place.at('posture'), raw.posture!, names, 'state')]!;
  const each = coordinates.map(({ name }) => ({ of: name, dimension: PER_TIME }));
  const named = { name: 'postureGain', summary: 'by the distance from the posture' };
  return {
    law: { kind: 'task-space', form: 'velocity', frame, posture: true },
    gains: [
      ...gains,
      readGain(place.at('posture-gain'), raw['posture-gain']!, named, each, 'coordinate', scope),
      {
        name: 'posture',
        summary: 'that coordinates tend to',
        units: coordinates.map(({ unit }) => unit),
        values: states[state]!,
        range: 'any',
      },
    ],
  };
}

function torqueForm(place: Place, raw: RawTaskSpace, context: ControllerContext, frame: number): ControllerReading {
  requireActuators(place, context);
  checkKeys(place, raw, ['gain', 'posture', 'posture-gain'], ['stiffness', 'damping']);
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
