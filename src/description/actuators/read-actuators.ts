/** `actuators:` of a robot file: each of one kind, with its limits and units. */
import type { Actuator } from '../model/actuator.ts';
import { inputUnit, rubs } from '../model/actuator.ts';
import type { RawActuator } from '../language/actuators.ts';
import { readLimits } from '../bodies/quantity.ts';
import type { Problems } from '../source/diagnostics.ts';
import { within, type Place } from '../source/source.ts';
import { nameProblem } from '../values/reserved-names.ts';
import { multiplyDimensions, parseUnit, dimensionPower, type Dimension } from '../values/units.ts';
import type { ActuatorContext, ActuatorReading } from './actuator-context.ts';
import { readDrives } from './drives.ts';
import { readField } from './field.ts';
import { readFormula } from './formula.ts';
import { readMotor } from './motor.ts';
import { readPressure } from './pressure.ts';
import { readTendon } from './tendon.ts';
import { readWrench } from './wrench.ts';
type Kind = 'motor' | 'along' | 'tendon' | 'drives' | 'pressure' | 'wrench' | 'field';

/** By the key that says the kind; `also`: further keys of such an actuator. */
const KINDS: Readonly<
  Record<
    Kind,
    {
      readonly also: readonly (keyof RawActuator)[];
      readonly read: (place: Place, raw: RawActuator, context: ActuatorContext) => ActuatorReading;
    }
  >
> = {
  motor: { also: ['ratio'], read: readMotor },
  along: { also: ['unit', 'frames'], read: readFormula },
  tendon: { also: [], read: readTendon },
  drives: { also: [], read: readDrives },
  pressure: { also: [], read: readPressure },
  wrench: { also: [], read: readWrench },
  field: { also: [], read: readField },
};
const KIND_NAMES = Object.keys(KINDS) as readonly Kind[];
const COMMON: readonly (keyof RawActuator)[] = ['limits', 'summary'];

const ENERGY: Dimension = [1, 2, -2, 0, 0];

/** In the order of the file; problems are noted. */
export function readActuators(
  place: Place,
  raws: Readonly<Record<string, RawActuator>>,
  context: ActuatorContext,
  problems: Problems,
): readonly Actuator[] {
  const actuators: Actuator[] = [];
  const spellings = new Map<string, string>();
  for (const [name, raw] of Object.entries(raws)) {
    const at = place.at(name);
    problems.attempt(() => {
      const problem = nameProblem(at, name, 'an actuator', 'prefixed', 'key');
      if (problem) throw problem;
      const same = spellings.get(name.toUpperCase());
      if (same !== undefined)
        throw at.keyError(
          'duplicate-name',
          `the actuators \`${same}\` and \`${name}\` have the same name in generated code`,
          'choose another name',
        );
      spellings.set(name.toUpperCase(), name);
      actuators.push(within(at, () => readActuator(at, name, raw, context)));
    });
  }
  return actuators;
}

function readActuator(place: Place, name: string, raw: RawActuator, context: ActuatorContext): Actuator {
  const kind = kindOf(place, raw);
  const { also, read } = KINDS[kind];
  for (const key of Object.keys(raw) as (keyof RawActuator)[])
    if (key !== kind && !also.includes(key) && !COMMON.includes(key))
      throw place
        .at(key)
        .keyError('unknown-key', `an actuator with \`${kind}\` has no \`${key}\``, `remove \`${key}\``);
  const reading = read(place, raw, context);
  const force = multiplyDimensions(ENERGY, dimensionPower(parseUnit(reading.coordinateUnit).dimension, -1));
  const limits = raw.limits && readLimits(place.at('limits'), raw.limits, { dimension: force }, context.scope);
  if (rubs(reading) && !limits)
    throw place
      .at('tendon', 'friction')
      .keyError(
        'missing-key',
        `\`${name}\` has friction and no limits: rubbing would drive a tendon that pushes`,
        'add `limits: [0 N, 40 N]` beside `tendon`',
      );
  if (rubs(reading) && limits && limits.lower < 0)
    throw place
      .at('limits')
      .error(
        'wrong-value',
        `\`${name}\` has friction and pushes at its lower limit, ${limits.lower} N, where rubbing would drive it`,
        'write 0 N as the lower limit',
      );
  if (kind === 'tendon' && limits?.lower !== undefined && limits.lower < 0)
    context.warn(
      place.at('limits'),
      'pushing-tendon',
      `\`${name}\` pushes at its lower limit, ${limits.lower} N, as no rope does: write 0 N`,
    );
  return {
    name,
    kind,
    summary: raw.summary ?? '',
    unit: inputUnit(reading.coordinateUnit),
    ...reading,
    ...limits,
    location: place.location,
  };
}

function kindOf(place: Place, raw: RawActuator): Kind {
  const [kind, other] = KIND_NAMES.filter((name) => raw[name] !== undefined);
  if (kind === undefined)
    throw place.keyError(
      'missing-key',
      'this actuator has no kind',
      `give it one of ${KIND_NAMES.map((name) => `\`${name}\``).join(', ')}`,
    );
  if (other === undefined) return kind;
  throw place
    .at(other)
    .keyError('several-kinds', `an actuator is \`${kind}\` or \`${other}\`, not both`, 'make it two actuators');
}
