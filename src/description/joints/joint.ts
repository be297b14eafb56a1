/**
 * Joints: a definition from the library, with the axes and parameters that the link gives → coordinates and motions.
 */
import * as z from 'zod';
import type { KanegenError } from '../../common/error.ts';
import { decimal, divide, plus, sqrt, square, type Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { negateVector, unitVectors, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import { readDriveLimits } from './drive-limits.ts';
import { FORCE_KEYS, perCoordinate, readJointForces, type ForceEntries } from './joint-forces.ts';
import { prescribe, readPrescribed, refuseBeside } from './prescribed.ts';
import { library } from '../../library/index.ts';
import { readCoordinate, readDefault, readLimits } from '../bodies/quantity.ts';
import { nameProblem } from '../values/reserved-names.ts';
import type { LinkContext } from '../bodies/rigid-body.ts';
import { NO_COORDINATE_FORCES } from '../model/robot.ts';
import type {
  CoordinateForces,
  DriveLimits,
  ElementaryMotion,
  Joint,
  PrescribedCoordinate,
  Quantity,
} from '../model/robot.ts';
import type { RawJoint, RawVector } from '../language/schema.ts';
import { constantNumber, dues, readScalar, readVector, Scope, type Due, type RawValue } from '../values/scope.ts';
import { Place, yamlDocument, type SourceDocument } from '../source/source.ts';
import { parseUnit, type Dimension } from '../values/units.ts';

const vectorFormula = z.union([z.string(), z.array(z.union([z.string(), z.number()])).length(3)]);
const definitionSchema = z.strictObject({
  joint: z.string(),
  summary: z.string(),
  /** Axes that a link gives, in order, with their defaults. */
  axes: z.record(z.string(), z.string()).optional(),
  parameters: z.record(z.string(), z.strictObject({ unit: z.string(), summary: z.string() })).optional(),
  coordinates: z.record(z.string(), z.strictObject({ unit: z.string(), summary: z.string() })).optional(),
  motions: z.array(
    z.union([
      z.strictObject({ rotation: z.strictObject({ axis: z.string(), angle: z.string() }) }),
      z.strictObject({ translation: vectorFormula }),
      z.strictObject({ 'rotation-vector': vectorFormula }),
    ]),
  ),
});
type Definition = z.infer<typeof definitionSchema>;

const definitions = new Map<string, { definition: Definition; document: SourceDocument }>();

function definitionOf(name: string): { definition: Definition; document: SourceDocument } | undefined {
  const known = definitions.get(name);
  if (known) return known;
  const file = library.joint(name);
  if (!file) return undefined;
  const document = yamlDocument(file.text, file.file);
  const found = { definition: definitionSchema.parse(document.data), document };
  definitions.set(name, found);
  return found;
}

/** What a link writes about its joint, taken apart. */
interface JointRequest {
  readonly type: string;
  readonly definition: Definition;
  readonly document: SourceDocument;
  /** Axes and parameters by name, where given. */
  readonly given: ReadonlyMap<string, { raw: unknown; place: Place }>;
  readonly limits: { raw: unknown; place: Place } | undefined;
  readonly default: { raw: unknown; place: Place } | undefined;
  readonly names: { raw: unknown; place: Place } | undefined;
  readonly driveLimits: { raw: unknown; place: Place } | undefined;
  readonly prescribed: { raw: unknown; place: Place } | undefined;
  readonly forces: ForceEntries;
}

export const fixedJoint: Joint = { type: 'fixed', coordinates: [], motions: [] };

/**
 * @param raw - undefined means a fixed joint.
 * @throws KanegenError `unknown-joint`, `missing-parameter`, `zero-axis`, `wrong-shape`, or what reading values throws.
 */
export function readJoint(place: Place, raw: RawJoint | undefined, context: LinkContext): Joint {
  if (raw === undefined) return fixedJoint;
  const request = understand(place, raw);
  const { definition, document } = request;
  const scope = new Scope();
  for (const [name, fallback] of Object.entries(definition.axes ?? {}))
    scope.define(name, axisOfJoint(request, name, fallback, context), dues.rotation.dimension);
  for (const [name, { unit }] of Object.entries(definition.parameters ?? {})) {
    const { dimension } = parseUnit(unit);
    scope.define(name, readJointParameter(request, name, dimension, place, context), dimension);
  }
  const all = readCoordinates(request, context, scope);
  const motions = definition.motions.map((motion, i) =>
    readMotion(new Place(document, ['motions', i]), motion, scope, place),
  );
  const prescribed = request.prescribed ? readPrescribed(all, request.prescribed, context) : NONE_PRESCRIBED;
  refuseForces(request, all, prescribed);
  const coordinates = all.filter(({ name }) => !prescribed.has(name));
  const forces = request.forces.size > 0 && { forces: readJointForces(coordinates, request.forces, context) };
  const limits = request.driveLimits && readDriveLimits(coordinates, request.driveLimits, context);
  const joint = {
    type: definition.joint,
    coordinates: all,
    ...forces,
    ...(limits && { driveLimits: limits }),
    motions,
  };
  return prescribed.size > 0 ? prescribe(joint, prescribed) : joint;
}

const NONE_PRESCRIBED: ReadonlyMap<string, PrescribedCoordinate> = new Map();

/** Limits and forces are those of coordinates that are free. */
function refuseForces(
  { limits, default: start, driveLimits, forces }: JointRequest,
  coordinates: readonly Quantity[],
  prescribed: ReadonlyMap<string, PrescribedCoordinate>,
): void {
  for (const entry of [limits, start, driveLimits, ...forces.values()]) {
    if (!entry) continue;
    const { raw, place } = entry;
    const isMap = typeof raw === 'object' && raw !== null && !Array.isArray(raw);
    const named = coordinates.filter(({ name }) => isMap && Object.hasOwn(raw, name));
    for (const { name } of named) refuseBeside(prescribed, name, place.at(name));
    if (named.length === 0 && coordinates.length === 1) refuseBeside(prescribed, coordinates[0]!.name, place);
  }
}

/**
 * A joint as it comes from elsewhere than a robot file.
 * @param axes - by name as the library has them: unit vectors in the axes of the joint, perpendicular where there are two.
 * @param bounds - of the only coordinate.
 * @param forces - along the only coordinate.
 * @param driveLimits - of what drives it.
 */
export function jointWith(
  type: string,
  axes: Readonly<Record<string, Vector3>>,
  bounds: AxisBounds,
  forces: Partial<CoordinateForces>,
  driveLimits: DriveLimits,
  place: Place,
): Joint {
  const { definition, document } = definitionOf(type)!;
  const scope = new Scope();
  for (const [name, axis] of Object.entries(axes)) scope.define(name, axis, dues.rotation.dimension);
  const coordinates = Object.entries(definition.coordinates!).map(([name, raw]) => {
    const [read] = readCoordinate(new Place(document, ['coordinates', name]), name, raw, 'joint');
    scope.define(name, read!.quantity.symbol, read!.dimension);
    return { ...read!.quantity, ...bounds, value: nearestToZero(bounds) };
  });
  const motions = definition.motions.map((motion, i) =>
    readMotion(new Place(document, ['motions', i]), motion, scope, place),
  );
  const own = coordinates.map(() => ({ ...NO_COORDINATE_FORCES, ...forces }));
  return {
    type,
    coordinates,
    ...(Object.keys(forces).length > 0 && { forces: own }),
    ...(Object.keys(driveLimits).length > 0 && { driveLimits }),
    motions,
  };
}

/** The default of a coordinate that is given none: zero, or the nearest of its limits. */
const nearestToZero = ({ lower = 0, upper = 0 }: AxisBounds): Expr => decimal(Math.min(Math.max(0, lower), upper));

/** Limits in rad or m, where there are any. */
export interface AxisBounds {
  readonly lower?: number;
  readonly upper?: number;
}

function unknownJoint(place: Place, name: string, at: 'key' | 'value'): KanegenError {
  const known = library.jointNames();
  const close = nearest(name, known);
  const message = `unknown joint \`${name}\``;
  const remedy = close ? `did you mean \`${close}\`?` : `joints: ${known.join(', ')}`;
  return at === 'key'
    ? place.keyError('unknown-joint', message, remedy)
    : place.error('unknown-joint', message, remedy);
}

const NOTHING_BESIDES = {
  limits: undefined,
  default: undefined,
  names: undefined,
  driveLimits: undefined,
  prescribed: undefined,
  forces: new Map<never, never>(),
};

/** What stands beside the type of a joint. */
const BESIDES: ReadonlySet<string> = new Set([
  'limits',
  'default',
  'names',
  'drive-limits',
  'prescribed',
  ...FORCE_KEYS,
]);

const OTHERS = `besides the type there are ${[...BESIDES].map((key) => `\`${key}\``).join(', ')}`;

/** What to write in place of a key beside the type of a joint: a parameter of the type may be meant. */
function remedyFor(key: string, type: string, { axes = {}, parameters = {} }: Definition): string {
  const close = nearest(key, [...BESIDES]);
  if (close) return `did you mean \`${close}\`?`;
  const names = Object.keys(parameters);
  if (names.length === 0) return OTHERS;
  const parts = [
    ...Object.entries(axes).map(([name, axis]) => `${name}: ${axis}`),
    ...names.map((name) => `${name}: …`),
  ];
  return `parameters stand in the type: \`${type}: { ${parts.join(', ')} }\`; ${OTHERS}`;
}

function understand(place: Place, raw: RawJoint): JointRequest {
  if (typeof raw === 'string') {
    const found = definitionOf(raw);
    if (!found) throw unknownJoint(place, raw, 'value');
    return { type: raw, ...found, given: new Map(), ...NOTHING_BESIDES };
  }
  const entry = (key: string): { raw: unknown; place: Place } | undefined =>
    Object.hasOwn(raw, key) ? { raw: raw[key], place: place.at(key) } : undefined;
  const others = Object.keys(raw).filter((key) => !BESIDES.has(key));
  const types = others.filter((key) => definitionOf(key) !== undefined);
  const type = types[0] ?? others[0];
  if (type === undefined)
    throw place.error('missing-key', 'the type of the joint is missing', 'write `{ revolute: z }`');
  const found = definitionOf(type);
  if (!found) throw unknownJoint(place.at(type), type, 'key');
  if (types[1] !== undefined)
    throw place
      .at(types[1])
      .keyError('unknown-key', `a joint has one type, not \`${type}\` and \`${types[1]}\``, OTHERS);
  const unknown = others.find((key) => key !== type);
  if (unknown !== undefined)
    throw place
      .at(unknown)
      .keyError('unknown-key', `unknown key \`${unknown}\``, remedyFor(unknown, type, found.definition));
  const given = givenParts(place.at(type), raw[type], found.definition);
  const forces = FORCE_KEYS.flatMap((key) => {
    const found = entry(key);
    return found ? [[key, found] as const] : [];
  });
  return {
    type,
    ...found,
    given,
    limits: entry('limits'),
    default: entry('default'),
    names: entry('names'),
    driveLimits: entry('drive-limits'),
    prescribed: entry('prescribed'),
    forces: new Map(forces),
  };
}

/** `revolute: z`, `universal: [x, y]`, `helical: { axis: z, pitch: 5 mm }` */
function givenParts(place: Place, raw: unknown, definition: Definition): Map<string, { raw: unknown; place: Place }> {
  const axes = Object.keys(definition.axes ?? {});
  const parameters = Object.keys(definition.parameters ?? {});
  if (raw === null || raw === undefined) return new Map();
  if (typeof raw === 'object' && !Array.isArray(raw)) {
    for (const key of Object.keys(raw))
      if (!axes.includes(key) && !parameters.includes(key)) {
        const known = [...axes, ...parameters];
        const close = nearest(key, known);
        throw place
          .at(key)
          .keyError(
            'unknown-key',
            `unknown key \`${key}\``,
            close ? `did you mean \`${close}\`?` : `known here: ${known.join(', ') || 'nothing'}`,
          );
      }
    return new Map(Object.entries(raw).map(([key, value]) => [key, { raw: value as unknown, place: place.at(key) }]));
  }
  if (axes.length === 1) return new Map([[axes[0]!, { raw, place }]]);
  if (Array.isArray(raw) && raw.length === axes.length)
    return new Map(axes.map((axis, i) => [axis, { raw: raw[i] as unknown, place: place.at(i) }]));
  const remedy =
    axes.length === 0
      ? `write \`joint: ${definition.joint}\``
      : `write \`${definition.joint}: [${Object.values(definition.axes!).join(', ')}]\``;
  throw place.error('wrong-shape', `the joint \`${definition.joint}\` takes ${axes.length} axes`, remedy);
}

const AXIS = /^([+-]?)([xyz])$/;
const AXIS_REMEDY = 'write x, y, z, -x, -y, -z or three numbers such as [0, 0.6, 0.8]';

function axisOfJoint(request: JointRequest, name: string, fallback: string, context: LinkContext): Vector3 {
  const { raw, place } = request.given.get(name) ?? {
    raw: fallback,
    place: new Place(request.document, ['axes', name]),
  };
  return readAxis(place, raw, context.scope);
}

/** A unit vector, exactly: the length stays a square root. */
export function readAxis(place: Place, raw: unknown, scope: Scope): Vector3 {
  if (typeof raw === 'string') {
    const match = AXIS.exec(raw);
    if (match) {
      const axis = unitVectors['xyz'.indexOf(match[2]!)]!;
      return match[1] === '-' ? negateVector(axis) : axis;
    }
  }
  if (
    typeof raw !== 'string' &&
    !(Array.isArray(raw) && raw.every((entry) => ['number', 'string'].includes(typeof entry)))
  )
    throw place.error('wrong-shape', 'expected an axis', AXIS_REMEDY);
  if (typeof raw === 'string' && !raw.trim().startsWith('['))
    throw place.error('wrong-shape', `\`${raw}\` is not an axis`, AXIS_REMEDY);
  const direction = readVector(place, raw as RawVector, { what: 'an axis' }, scope);
  direction.forEach((entry) => constantNumber(place, entry));
  const length = sqrt(plus(...direction.map(square)));
  if (foldConstants([length])[0] === 0) throw place.error('zero-axis', 'the axis is the zero vector', AXIS_REMEDY);
  return vector3(direction.map((entry) => divide(entry, length)));
}

function readJointParameter(
  request: JointRequest,
  name: string,
  dimension: Dimension,
  place: Place,
  context: LinkContext,
): Expr {
  const entry = request.given.get(name);
  if (!entry)
    throw place.error(
      'missing-parameter',
      `the joint \`${request.type}\` needs \`${name}\``,
      `write \`{ ${request.type}: { axis: z, ${name}: … } }\``,
    );
  if (typeof entry.raw !== 'number' && typeof entry.raw !== 'string')
    throw entry.place.error('wrong-shape', `\`${name}\` takes one value`);
  return readScalar(entry.place, entry.raw, { what: `\`${name}\``, dimension }, context.scope).value;
}

function readCoordinates(request: JointRequest, context: LinkContext, scope: Scope): Quantity[] {
  const { definition, document } = request;
  const entries = Object.entries(definition.coordinates ?? {});
  const names = coordinateNames(
    request,
    entries.map(([name]) => name),
  );
  const limits = limitsByName(request, names);
  const starts = request.default ? perCoordinate('default', request.default, names) : new Map<string, never>();
  return entries.map(([name, raw], i) => {
    const [read] = readCoordinate(new Place(document, ['coordinates', name]), name, raw, 'joint');
    const { quantity, dimension } = read!;
    scope.define(name, quantity.symbol, dimension);
    const limited = { dimension, unit: quantity.unit };
    const bounds = limits.get(names[i]!);
    const range = bounds && readLimits(bounds.place, bounds.raw, limited, context.scope);
    const start = starts.get(names[i]!);
    const value = start
      ? readDefault(start.place, start.raw, limited, range, context.scope)
      : nearestToZero(range ?? {});
    return { ...quantity, ...range, value, name: names[i]! };
  });
}

/** `names: [pan]` renames the coordinates of a joint. */
function coordinateNames(request: JointRequest, own: readonly string[]): readonly string[] {
  const entry = request.names;
  if (!entry) return own;
  const { raw, place } = entry;
  if (!Array.isArray(raw) || raw.length !== own.length || !raw.every((name) => typeof name === 'string'))
    throw place.error(
      'wrong-shape',
      `the joint \`${request.type}\` has ${own.length} coordinate${own.length === 1 ? '' : 's'}`,
      `write a list of names instead of [${own.join(', ')}]`,
    );
  const names = raw;
  for (const [i, name] of names.entries()) {
    const problem = nameProblem(place.at(i), name, 'a coordinate', 'identifier', 'value');
    if (problem) throw problem;
    if (names.indexOf(name) !== i)
      throw place.at(i).error('duplicate-name', `\`${name}\` is given twice`, 'choose another name');
  }
  return names;
}

/** `limits: [lower, upper]` for one coordinate, `limits: { angle1: [lower, upper] }` for several. */
function limitsByName(request: JointRequest, names: readonly string[]): Map<string, { raw: RawValue[]; place: Place }> {
  const entry = request.limits;
  if (!entry) return new Map();
  const pairOf = (raw: unknown, place: Place): { raw: RawValue[]; place: Place } => {
    if (Array.isArray(raw) && raw.length === 2 && raw.every((v) => typeof v === 'number' || typeof v === 'string'))
      return { raw: raw, place };
    throw place.error(
      'wrong-shape',
      'limits are [lower, upper]',
      names.length > 1 ? `write limits: { ${names[0]!}: [lower, upper] }` : undefined,
    );
  };
  const { raw, place } = entry;
  if (names.length === 0) throw place.keyError('wrong-value', 'a fixed joint has no limits', 'remove `limits`');
  if (Array.isArray(raw) && names.length === 1) return new Map([[names[0]!, pairOf(raw, place)]]);
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return new Map([[names[0]!, pairOf(undefined, place)]]);
  return new Map(
    Object.entries(raw).map(([name, value]) => {
      if (!names.includes(name))
        throw place
          .at(name)
          .keyError('unknown-key', `the joint has no coordinate \`${name}\``, `coordinates: ${names.join(', ')}`);
      return [name, pairOf(value, place.at(name))];
    }),
  );
}

/** How far an axis that the joint computes from the given ones may be from unit length. */
const UNIT_LENGTH = 1e-12;

function readMotion(at: Place, motion: Definition['motions'][number], scope: Scope, link: Place): ElementaryMotion {
  if ('rotation' in motion) {
    const axis = readVector(at.at('rotation', 'axis'), motion.rotation.axis, dues.rotation, scope);
    const [x, y, z] = foldConstants(axis) as [number, number, number];
    if (Math.abs(Math.hypot(x, y, z) - 1) > UNIT_LENGTH)
      throw link.error('wrong-value', 'the axes of this joint must be perpendicular', 'write two of x, y, z');
    return {
      kind: 'rotation',
      axis,
      angle: readScalar(at.at('rotation', 'angle'), motion.rotation.angle, dues.angle, scope).value,
    };
  }
  const due: Due = 'translation' in motion ? dues.position : dues.angle;
  if ('translation' in motion)
    return { kind: 'translation', displacement: readVector(at.at('translation'), motion.translation, due, scope) };
  return {
    kind: 'rotation-vector',
    vector: readVector(at.at('rotation-vector'), motion['rotation-vector'], due, scope),
  };
}
