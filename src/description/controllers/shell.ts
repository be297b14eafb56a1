/** `shell` of a controller: the limits around its law, and the law of its faults. */
import type { RawGain, RawShell } from '../language/controllers.ts';
import {
  actuatorsOf,
  referencesOf,
  type Controller,
  type ControllerShell,
  type RateSource,
} from '../model/controller.ts';
import type { Place } from '../source/source.ts';
import { dues, type Due, type RawValue, type Scope } from '../values/scope.ts';
import { dimensionPower, multiplyDimensions, parseUnit, type Dimension } from '../values/units.ts';
import { above, type ControllerContext } from './controller-context.ts';
import { readGain, type GainDue } from './gains.ts';

/** Steps in a row that may be missed, where the file has none. */
const TOLERATED = 2;
const GRAVITY_AND_DAMPING = 'gravity-and-damping';
const BANDWIDTH: Due = { what: 'a bandwidth', dimension: [0, 0, -1, 0, 0] };

/** The shell, and the controller that its faults call. */
interface ShellReading {
  readonly shell: ControllerShell;
  readonly safe?: Controller;
}

/**
 * @param place of `shell`.
 * @throws KanegenError `no-limits`, `wrong-value`, or what gains throw.
 */
export function readShell(
  place: Place,
  raw: RawShell,
  controller: Controller,
  context: ControllerContext,
): ShellReading {
  const { law } = controller;
  const { scope, coordinates, actuators } = context;
  if (law.kind === 'task-space')
    throw place.keyError(
      'wrong-value',
      'a shell is for laws that lead coordinates or actuation coordinates, not the pose of a frame',
      'remove `shell`, or choose another law',
    );
  const free = actuators.find(({ lower, upper }) => lower === undefined || upper === undefined);
  if (free)
    throw place.keyError(
      'no-limits',
      `a shell needs limits of all inputs: \`${free.name}\` has none`,
      `give the actuator \`limits: [LOWER, UPPER]\``,
    );
  const positive = (key: 'period' | 'blend', value: RawValue): number => above(place.at(key), value, dues.time, scope);
  const read = (
    key: 'rate' | 'jerk' | 'speed',
    value: RawGain,
    each: readonly GainDue[],
    what: string,
  ): readonly number[] =>
    above0(
      place.at(key),
      readGain(place.at(key), value, { name: key, summary: '' }, each, what, scope).values,
      key,
      each,
    );
  const inputs = actuators.map((own) => ({ of: own.name, dimension: perTime(own.unit, 1) }));
  const led = referencesOf(context, controller).map((own) => ({ of: own.name, dimension: perTime(own.unit, 3) }));
  const rates = coordinates.map((own) => ({ of: own.name, dimension: perTime(own.unit, 1) }));
  const [period, blend] = [positive('period', raw.period), positive('blend', raw.blend)];
  if (period >= blend)
    context.warn(
      place.at('period'),
      'long-period',
      `the period of ${period} s is not shorter than \`blend\`, ${blend} s: \`${controller.name}\` comes to its reference in one step`,
    );
  const fault = raw.fault ?? 'zero';
  const safe =
    typeof fault === 'object' && 'gravity-and-damping' in fault
      ? safeController(place.at('fault', GRAVITY_AND_DAMPING), fault[GRAVITY_AND_DAMPING], controller, context)
      : undefined;
  return {
    shell: {
      period,
      rate: read('rate', raw.rate, inputs, 'actuator'),
      blend,
      jerk: raw.jerk === undefined ? led.map(() => Number.MAX_VALUE) : read('jerk', raw.jerk, led, 'reference'),
      speed:
        raw.speed === undefined
          ? coordinates.map(({ driveLimits }) => driveLimits?.velocity ?? Number.MAX_VALUE)
          : read('speed', raw.speed, rates, 'coordinate'),
      rates: rateSource(place.at('velocity'), raw.velocity ?? 'measured', scope),
      fault: safe
        ? { controller: safe.name }
        : { steps: typeof fault === 'object' && 'hold' in fault ? fault.hold : 0 },
      tolerate: raw.tolerate ?? TOLERATED,
      ...(raw.observe !== undefined && { observe: above(place.at('observe'), raw.observe, BANDWIDTH, scope) }),
    },
    ...(safe && { safe }),
  };
}

/** What carries the robot where it is, by the actuators of the law, and brakes it. */
function safeController(
  at: Place,
  raw: RawGain,
  { name, law, location }: Controller,
  context: ControllerContext,
): Controller {
  const { coordinates, scope, actuators } = context;
  const each = coordinates.map((own) => ({ of: own.name, dimension: dampingOf(own.unit) }));
  const kd = readGain(at, raw, { name: 'kd', summary: 'by the rate of each coordinate' }, each, 'coordinate', scope);
  const kp = { ...kd, name: 'kp', summary: 'by the error of each coordinate', values: coordinates.map(() => 0) };
  const used = actuatorsOf({ actuators }, { law });
  return {
    name: `${name}-safe`,
    summary: `inputs at faults of ${name}`,
    law: { kind: 'pd', integral: false, compensation: 'state', actuators: used },
    gains: [kp, kd],
    location,
  };
}

const dampingOf = (unit: string): Dimension =>
  multiplyDimensions(dimensionPower(parseUnit(unit).dimension, -2), [1, 2, -1, 0, 0]);
const perTime = (unit: string, power: number): Dimension =>
  multiplyDimensions(parseUnit(unit).dimension, [0, 0, -power, 0, 0]);

function above0(at: Place, values: readonly number[], key: string, each: readonly GainDue[]): readonly number[] {
  const i = values.findIndex((own) => !(own > 0));
  if (i < 0) return values;
  throw at.error('wrong-value', `\`${key}\` of \`${each[i]!.of}\` is not above zero`, 'write a value above zero');
}

function rateSource(at: Place, raw: NonNullable<RawShell['velocity']>, scope: Scope): RateSource {
  if (raw === 'measured') return { kind: 'measured' };
  if ('tracking-loop' in raw)
    return { kind: 'tracking-loop', bandwidth: above(at.at('tracking-loop'), raw['tracking-loop'], BANDWIDTH, scope) };
  const key = 'filtered-difference';
  return { kind: key, time: above(at.at(key), raw[key], dues.time, scope) };
}
