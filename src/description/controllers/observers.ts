/** `observers:` of a robot file: filters that find the state from what is measured. */
import { rubs } from '../model/actuator.ts';
import type { RawObserver } from '../language/controllers.ts';
import type { Controller, Measurement, Observer } from '../model/controller.ts';
import { rateUnit, forceUnit } from '../model/robot.ts';
import type { Problems } from '../source/diagnostics.ts';
import type { Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { dues } from '../values/scope.ts';
import { parseUnit } from '../values/units.ts';
import { above, indexOf, type ControllerContext } from './controller-context.ts';
import { readGain } from './gains.ts';

type RawKalman = RawObserver['kalman'];
type RawMeasurement = RawKalman['measurements'][number];

const AXES = ['x', 'y', 'z'] as const;
const spelt = (name: string): string => name.toLowerCase().replace(/-/g, '_');

/** In the order of the file; problems are noted. @param controllers whose files stand beside theirs. */
export function readObservers(
  place: Place,
  raws: Readonly<Record<string, RawObserver>>,
  context: ControllerContext,
  controllers: readonly Controller[],
  problems: Problems,
): readonly Observer[] {
  const observers: Observer[] = [];
  for (const [name, raw] of Object.entries(raws)) {
    const at = place.at(name);
    problems.attempt(() => {
      const problem = nameProblem(at, name, 'an observer', 'dashed', 'key');
      if (problem) throw problem;
      const same =
        observers.find((own) => spelt(own.name) === spelt(name)) ??
        controllers.find((own) => spelt(own.name) === `${spelt(name)}_observer`);
      if (same)
        throw at.keyError(
          'duplicate-name',
          `\`${same.name}\` and the observer \`${name}\` have the same name in generated code`,
          'choose another name',
        );
      observers.push(readObserver(at.at('kalman'), name, raw, context));
    });
  }
  return observers;
}

function readObserver(
  place: Place,
  name: string,
  { kalman, summary = '' }: RawObserver,
  context: ControllerContext,
): Observer {
  const { coordinates, scope, states } = context;
  const read = (
    key: 'process' | 'uncertainty' | 'rate-uncertainty',
    unitOf: (unit: string) => string,
    missing?: number,
  ): readonly number[] => {
    const raw = kalman[key];
    if (raw === undefined) return coordinates.map(() => missing!);
    const each = coordinates.map((own) => ({ of: own.name, dimension: parseUnit(unitOf(own.unit)).dimension }));
    return readGain(place.at(key), raw, { name: key, summary: '' }, each, 'coordinate', scope).values;
  };
  const names = Object.keys(states);
  const start =
    kalman.start === undefined
      ? coordinates.map(({ value }) => value)
      : states[names[indexOf(place.at('start'), kalman.start, names, 'state')]!]!;
  const at = place.at('measurements');
  return {
    name,
    summary,
    period: above(place.at('period'), kalman.period, dues.time, scope),
    measurements: kalman.measurements.map((raw, i) => readMeasurement(at.at(i), raw, context)),
    process: read('process', forceUnit),
    uncertainty: read('uncertainty', (unit) => unit),
    rateUncertainty: read('rate-uncertainty', rateUnit, 0),
    start,
    location: at.location,
  };
}

function readMeasurement(at: Place, raw: RawMeasurement, context: ControllerContext): Measurement {
  const { name, of, unit } = measured(at, raw, context);
  const due = {
    what: `the noise of ${of.kind === 'coordinate' ? '' : 'the '}${name}`,
    dimension: parseUnit(unit).dimension,
  };
  return { name, of, unit, noise: above(at.at('noise'), raw.noise, due, context.scope) };
}

const KINDS = ['actuator', 'position', 'rotation', 'coordinate', 'rate'] as const;

function measured(
  at: Place,
  raw: RawMeasurement,
  { coordinates, actuators, frames }: ControllerContext,
): Omit<Measurement, 'noise'> {
  const [kind, other] = KINDS.filter((key) => raw[key] !== undefined);
  if (kind === undefined)
    throw at.keyError(
      'missing-key',
      'this measurement does not say what is measured',
      `give it one of ${KINDS.map((key) => `\`${key}\``).join(', ')}`,
    );
  if (other !== undefined)
    throw at
      .at(other)
      .keyError('several-kinds', `a measurement is of \`${kind}\` or \`${other}\`, not both`, 'make it two');
  if (raw.axes && kind !== 'position')
    throw at.at('axes').keyError('unknown-key', '`axes` are of positions', 'remove `axes`');
  const named = raw[kind]!;
  const among = (all: readonly { readonly name: string }[], what: string): number =>
    indexOf(
      at.at(kind),
      named,
      all.map((own) => own.name),
      what,
    );
  switch (kind) {
    case 'actuator': {
      const index = among(actuators, 'actuator');
      if (rubs(actuators[index]!))
        throw at
          .at('actuator')
          .error(
            'not-supported',
            `\`${actuators[index]!.name}\` has friction: what its coordinate tells of others is not its B`,
            'measure coordinates or places of frames, or remove its `friction`',
          );
      return { of: { kind, index }, name: `coordinate of ${named}`, unit: actuators[index]!.coordinateUnit };
    }
    case 'position': {
      const axes = (raw.axes ?? AXES).map((axis) => AXES.indexOf(axis));
      const twice = axes.findIndex((axis, i) => axes.indexOf(axis) < i);
      if (twice >= 0)
        throw at.at('axes', twice).error('duplicate-name', `\`${AXES[axes[twice]!]!}\` appears twice`, 'remove it');
      return { of: { kind, frame: among(frames, 'frame'), axes }, name: `position of ${named}`, unit: 'm' };
    }
    case 'rotation':
      return { of: { kind, frame: among(frames, 'frame') }, name: `rotation of ${named}`, unit: 'rad' };
    case 'coordinate':
    case 'rate': {
      const index = among(coordinates, 'coordinate');
      const { unit } = coordinates[index]!;
      return kind === 'rate'
        ? { of: { kind, index }, name: `rate of ${named}`, unit: rateUnit(unit) }
        : { of: { kind, index }, name: named, unit };
    }
  }
}
