/**
 * What acts along a single coordinate of a joint: a spring, viscous and dry friction, the inertia of its drive.
 * One value serves the only coordinate; where there are several, each value is given by name.
 */
import type { KanegenError } from '../../common/error.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { NO_COORDINATE_FORCES, type CoordinateForces, type Quantity } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { notFinite } from '../values/requirement.ts';
import { knownNumber, readScalar, type Due } from '../values/scope.ts';
import { dimensionPower, multiplyDimensions, parseUnit, type Dimension } from '../values/units.ts';
import type { LinkContext } from '../bodies/rigid-body.ts';

/** Keys that a joint has besides its type, its limits and its names. */
export const FORCE_KEYS = ['stiffness', 'rest', 'damping', 'friction', 'armature'] as const;
type ForceKey = (typeof FORCE_KEYS)[number];

/** What the file says under such a key. */
export type ForceEntries = ReadonlyMap<ForceKey, { readonly raw: unknown; readonly place: Place }>;

const ENERGY: Dimension = [1, 2, -2, 0, 0];
const SECOND: Dimension = [0, 0, 1, 0, 0];

interface Entry {
  readonly raw: unknown;
  readonly place: Place;
}

/**
 * @param coordinates of the joint, in order; without any, nothing may be given.
 * @returns one for each coordinate.
 * @throws KanegenError `wrong-shape`, `wrong-value`, `missing-key`, `unknown-key`, or what reading values throws.
 */
export function readJointForces(
  coordinates: readonly Quantity[],
  entries: ForceEntries,
  context: LinkContext,
): readonly CoordinateForces[] {
  const names = coordinates.map((c) => c.name);
  const byName = new Map([...entries].map(([key, entry]) => [key, perCoordinate(key, entry, names)]));
  return coordinates.map((coordinate) => {
    const entry = (key: ForceKey): Entry | undefined => byName.get(key)?.get(coordinate.name);
    return new CoordinateReader(coordinate, context).read(entry);
  });
}

class CoordinateReader {
  private readonly dimension: Dimension;
  private readonly isAngle: boolean;
  private readonly context: LinkContext;

  constructor({ unit }: Quantity, context: LinkContext) {
    this.dimension = parseUnit(unit).dimension;
    this.isAngle = unit === 'rad';
    this.context = context;
  }

  read(entry: (key: ForceKey) => Entry | undefined): CoordinateForces {
    const [stiffness, rest, damping, friction, armature] = FORCE_KEYS.map(entry);
    if (rest && !stiffness)
      throw rest.place.keyError('missing-key', '`rest` needs a spring', 'add `stiffness`, or remove `rest`');
    const force = this.per(0, 0);
    return {
      ...NO_COORDINATE_FORCES,
      ...(stiffness && { stiffness: this.positive(stiffness, 'the stiffness', this.per(1, 0)) }),
      ...(rest && { rest: this.rest(rest) }),
      ...(damping && { damping: this.positive(damping, 'the damping', this.per(1, -1)) }),
      ...(friction && this.friction(friction, force)),
      ...(armature && { armature: this.positive(armature, 'the armature', this.per(1, -2)) }),
    };
  }

  private rest(entry: Entry): Expr {
    const due = { what: 'the rest position', dimension: this.dimension };
    return this.number(entry, this.isAngle ? { ...due, isAngle: true } : due);
  }

  private friction({ raw, place }: Entry, force: Dimension): Pick<CoordinateForces, 'friction' | 'slowness'> {
    const example =
      'write `friction: { coulomb: 0.3 N m, at: 0.01 rad/s }`: the force, and the speed where it is smooth';
    if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
      throw place.error('wrong-shape', 'dry friction needs a force and a speed', example);
    const { coulomb, at, ...others } = raw as Record<string, unknown>;
    const [other] = Object.keys(others);
    if (other !== undefined)
      throw place
        .at(other)
        .keyError('unknown-key', `unknown key \`${other}\``, `${example}; viscous friction is \`damping\``);
    if (coulomb === undefined || at === undefined)
      throw place.error('missing-key', `\`${coulomb === undefined ? 'coulomb' : 'at'}\` is missing`, example);
    const speed: Dimension = multiplyDimensions(this.dimension, dimensionPower(SECOND, -1));
    const slowness = this.number({ raw: at, place: place.at('at') }, { what: 'the speed', dimension: speed });
    const known = knownNumber(slowness, this.context.defaults);
    if (known !== undefined && !(known > 0))
      throw place.at('at').error('wrong-value', `the speed of \`friction\` is ${known}`, 'write a speed above zero');
    const entry = { raw: coulomb, place: place.at('coulomb') };
    return { friction: this.positive(entry, 'dry friction', force), slowness };
  }

  /** Generalized force per power of the coordinate and of the time. */
  private per(coordinate: number, time: number): Dimension {
    const force = multiplyDimensions(ENERGY, dimensionPower(this.dimension, -1));
    const given = multiplyDimensions(dimensionPower(this.dimension, coordinate), dimensionPower(SECOND, time));
    return multiplyDimensions(force, dimensionPower(given, -1));
  }

  private number({ raw, place }: Entry, due: Due): Expr {
    if (typeof raw !== 'number' && typeof raw !== 'string')
      throw place.error('wrong-shape', `${due.what} is one value`);
    const { value } = readScalar(place, raw, due, this.context.scope);
    const known = knownNumber(value, this.context.defaults);
    if (known !== undefined && !Number.isFinite(known)) throw notFinite(place);
    return value;
  }

  private positive(entry: Entry, what: string, dimension: Dimension): Expr {
    const value = this.number(entry, { what, dimension });
    const known = knownNumber(value, this.context.defaults);
    if (known !== undefined && known < 0)
      throw entry.place.error('wrong-value', `${what} is ${known}`, 'write zero or more');
    return value;
  }
}

/**
 * `damping: 0.1` for one coordinate, `damping: { angle1: 0.1 }` for several.
 * @throws KanegenError `wrong-value` without coordinates, `wrong-shape`, or that a coordinate is unknown.
 */
export function perCoordinate(
  key: ForceKey | 'default',
  { raw, place }: Entry,
  names: readonly string[],
): Map<string, Entry> {
  if (names.length === 0) throw place.keyError('wrong-value', `a fixed joint has no \`${key}\``, `remove \`${key}\``);
  const isMap = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
  const isFriction = isMap && Object.keys(raw).some((own) => FRICTION_KEYS.has(own) && !names.includes(own));
  if (names.length === 1 && (!isMap || isFriction)) return new Map([[names[0]!, { raw, place }]]);
  const example = `write ${key}: { ${names[0]!}: … }`;
  if (!isMap || isFriction)
    throw place.error('wrong-shape', `${key} of several coordinates needs their names`, example);
  return new Map(
    Object.entries(raw).map(([name, value]) => {
      if (!names.includes(name)) throw unknownCoordinate(place.at(name), name, names);
      return [name, { raw: value as unknown, place: place.at(name) }];
    }),
  );
}

const FRICTION_KEYS: ReadonlySet<string> = new Set(['coulomb', 'at', 'viscous']);

function unknownCoordinate(place: Place, name: string, names: readonly string[]): KanegenError {
  return place.keyError('unknown-key', `the joint has no coordinate \`${name}\``, `coordinates: ${names.join(', ')}`);
}
