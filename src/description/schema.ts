/**
 * The structure of a robot file: which keys there are and what shape their values have. Source of the published JSON
 * Schema and of the first check of every file; meaning (names, units, formulas) is checked afterwards.
 */
import { z } from 'zod';
import type { KanegenError } from '../symbolic/error.ts';
import { nearest } from '../symbolic/nearest.ts';
import { collected, Place, type Path, type SourceDocument } from './source.ts';
import { wrongLength } from './scope.ts';

const FORMULA = 'a number, "NUMBER UNIT" or a formula';

/** A bare number in SI, "NUMBER UNIT", or a formula. */
const value = z
  .union([z.number(), z.string()], { error: FORMULA })
  .describe('bare number (SI), "NUMBER UNIT", or formula');
const vector = z
  .union([z.string(), z.array(value).length(3)], { error: 'three rows or a vector formula' })
  .describe('three values, or one formula such as "[x, y, 0]"');
const pair = z.array(value).length(2);
const summary = z.string().describe('one line for readers of the generated code');
const name = z.string();

const pose = z
  .strictObject({
    xyz: vector.optional().describe('origin'),
    rpy: vector.optional().describe('R = Rz(yaw) Ry(pitch) Rx(roll), given as [roll, pitch, yaw]'),
    quaternion: z.array(value).length(4).optional().describe('[w, x, y, z], normalised'),
    matrix: z
      .array(z.union([z.string(), z.array(value)]))
      .optional()
      .describe('rotation 3 x 3 by rows, or a whole pose 4 x 4'),
    dh: z
      .strictObject({ a: value.optional(), d: value.optional(), alpha: value.optional(), theta: value.optional() })
      .optional()
      .describe('standard Denavit-Hartenberg: Rz(theta) Tz(d) Tx(a) Rx(alpha)'),
    'modified-dh': z
      .strictObject({ a: value.optional(), alpha: value.optional(), d: value.optional(), theta: value.optional() })
      .optional()
      .describe("Craig's convention: Rx(alpha) Tx(a) Tz(d) Rz(theta)"),
  })
  .describe('a frame seen from another one');

const parameter = z.union(
  [
    value,
    z.strictObject({
      value: value.optional(),
      unit: z.string().optional().describe('SI unit, for parameters without a value that every link must give'),
      min: value.optional(),
      max: value.optional(),
      runtime: z.boolean().optional().describe('may change while the generated code runs'),
      summary: summary.optional(),
    }),
  ],
  { error: 'a value, or { value: …, min: …, max: …, runtime: true }' },
);

const coordinate = z.strictObject({
  unit: z.string().optional().describe('SI unit: rad, m, 1/m; none for a plain number'),
  default: value.optional(),
  limits: pair.optional(),
  count: z.int().min(1).max(1000).optional().describe('NAME1 … NAMEcount instead of NAME'),
  summary: summary.optional(),
});

const section = z.strictObject({
  disc: value.optional().describe('radius'),
  annulus: pair.optional().describe('[inner radius, outer radius]'),
  rectangle: pair.optional().describe('[full width along x, full height along y]'),
  ellipse: pair.optional().describe('[semi-axis along x, semi-axis along y]'),
  cartesian: z.array(name).length(2).optional().describe('names of the section coordinates, [x, y] by default'),
});

const volume = z.strictObject({
  rod: z.record(name, pair).describe('{ s: [0, L] }: axial coordinate and its range'),
  section,
  density: value,
});

const materialPoint = z.record(name, value).describe('coordinates in the reference volume; missing ones are zero');

const distal = z.union(
  [
    z.literal('none'),
    z.strictObject({ pose }),
    z.strictObject({
      pivot: materialPoint,
      'x-axis': materialPoint.optional(),
      'y-axis': materialPoint.optional(),
      'z-axis': materialPoint.optional(),
    }),
  ],
  { error: 'contact points { pivot, x-axis, y-axis }, { pose: … } or none' },
);

export const strainNames = ['bend-x', 'bend-y', 'twist', 'shear-x', 'shear-y', 'stretch'] as const;
const strain = z.strictObject({
  'bend-x': value.optional(),
  'bend-y': value.optional(),
  twist: value.optional(),
  'shear-x': value.optional(),
  'shear-y': value.optional(),
  stretch: value.optional(),
});

const bodyType = z.strictObject({
  extends: name.optional().describe('body type whose keys are taken over where they are not given here'),
  summary: summary.optional(),
  parameters: z.record(name, parameter).optional(),
  coordinates: z.record(name, z.union([coordinate, z.null()], { error: '{ unit: rad, … }' })).optional(),
  volume: volume.optional(),
  let: z.record(name, vector.or(value)).optional().describe('abbreviations, scalar or vector, in order'),
  position: vector.optional().describe('where the material point (s, x, y) goes, seen from the proximal frame'),
  distal: distal.optional().describe('the frame the next link starts from'),
  pose: pose.optional().describe('frame of the section at s, seen from the proximal frame'),
  strain: strain.optional().describe('strains of a rod by name, added to `rest`'),
  rest: strain.optional().describe('unstressed strains; stretch 1 and the others 0 by default'),
});

const inertia = z.strictObject({
  about: z.enum(['com', 'proximal', 'distal']).optional().describe('centre of mass (default) or origin of a frame'),
  xx: value.optional(),
  yy: value.optional(),
  zz: value.optional(),
  xy: value.optional().describe('matrix entry, not the product of inertia with the other sign'),
  xz: value.optional(),
  yz: value.optional(),
});

const rigid = z.strictObject({
  frame: z.enum(['proximal', 'distal']).optional().describe('axes and origin of com and inertia'),
  mass: value.optional(),
  com: vector.optional(),
  inertia: inertia.optional(),
  distal: pose.optional(),
});

/** The shape of the value under a joint's name depends on the joint; `joint.ts` checks it. */
const joint = z.union([z.string(), z.record(z.string(), z.unknown())], {
  error: 'the name of a joint, or { revolute: z, limits: […] }',
});

const urdf = z
  .strictObject({
    file: z.string().describe('path of a URDF file, relative to this file'),
    from: name.optional().describe('URDF link where the chain begins; the root when missing'),
    to: name.optional().describe('URDF link where the chain ends; the only end when missing'),
  })
  .describe('a chain of rigid links out of a URDF file');

const link = z.strictObject({
  name: name.optional(),
  parent: name.optional().describe('link on whose distal frame this one sits, or base; the link before when missing'),
  repeat: z.union([z.int().min(1), z.string()], { error: 'a whole number' }).optional(),
  offset: pose.optional().describe('distal frame of the link before → joint'),
  joint: joint.optional(),
  mount: pose.optional().describe('joint → body'),
  body: name.optional().describe('a body type of this file, of an import (lab.TYPE) or of the library'),
  parameters: z.record(name, value).optional(),
  rigid: rigid.optional(),
  urdf: urdf.optional(),
});

export const robotFile = z
  .strictObject({
    kanegen: z.literal(1).describe('version of the format'),
    name: z.string().optional().describe('names the generated files and functions'),
    summary: summary.optional(),
    import: z.record(name, z.string()).optional().describe('files whose body types are used as NAME.TYPE'),
    gravity: vector.optional().describe('world axes, [0, 0, -9.81] by default'),
    base: pose.optional().describe('world → base of the first link'),
    parameters: z.record(name, parameter).optional(),
    functions: z.record(z.string(), value).optional().describe('smooth(t): 3*t^2 - 2*t^3'),
    'body-types': z.record(name, bodyType).optional(),
    links: z.array(link).optional(),
    frames: z.record(name, z.strictObject({ on: name, offset: pose.optional() })).optional(),
    tip: name.optional(),
    attach: z.array(z.strictObject({ name, to: name, rigid: rigid.omit({ distal: true }) })).optional(),
    states: z.record(name, z.record(z.string(), value)).optional().describe('named configurations'),
  })
  .describe('A robot for kanegen: bodies, joints and the chain they form.');

export type RobotFile = z.infer<typeof robotFile>;
export type RawPose = z.infer<typeof pose>;
export type RawBodyType = z.infer<typeof bodyType>;
export type RawParameter = z.infer<typeof parameter>;
export type RawCoordinate = z.infer<typeof coordinate>;
export type RawVolume = z.infer<typeof volume>;
export type RawDistal = z.infer<typeof distal>;
export type RawStrain = z.infer<typeof strain>;
export type RawRigid = z.infer<typeof rigid>;
export type RawInertia = z.infer<typeof inertia>;
export type RawLink = z.infer<typeof link>;
export type RawVector = z.infer<typeof vector>;
export type RawJoint = z.infer<typeof joint>;

/** The JSON Schema of robot files, for editors. */
export function robotFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(robotFile, { io: 'input' }) as Record<string, unknown>;
}

// ---------------------------------------------------------------------------------------------- errors of structure

/** Parts of the language that are designed and not there yet. */
const PLANNED: ReadonlyMap<string, string> = new Map([
  ['actuators', 'actuators'],
  ['material', 'materials (elasticity and damping)'],
  ['damping', 'damping'],
  ['volumes', 'bodies of several volumes'],
  ['compose', 'composed deformations'],
  ['network', 'learned kinematics'],
  ['chambers', 'pressure chambers'],
  ['section-position', 'deforming sections'],
  ['basis', 'strain bases'],
  ['mesh', 'meshes'],
  ['box', 'box volumes'],
  ['breaks', 'breaks of the integration range'],
  ['polar', 'polar sections'],
  ['shape', 'sections of arbitrary shape'],
]);

type Issue = z.core.$ZodIssue;

function isContainer(data: unknown): data is object {
  return typeof data === 'object' && data !== null;
}

function dataAt(data: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (inner, key) =>
      isContainer(inner) && Object.hasOwn(inner, key) ? (inner as Record<string | number, unknown>)[key] : undefined,
    data,
  );
}

function kindOf(data: unknown): string {
  if (data === undefined) return 'nothing';
  if (data === null) return 'an empty value';
  if (Array.isArray(data)) return `a list of ${data.length}`;
  if (typeof data === 'object') return 'a map';
  return typeof data === 'boolean' ? `\`${String(data)}\`` : `the ${typeof data} \`${String(data).slice(0, 40)}\``;
}

/** The keys a strict object at `path` may have, read from the schema itself. */
function knownKeys(path: Path): string[] {
  let schema: unknown = robotFile;
  for (const key of path) schema = descend(schema, key);
  return objectsOf(schema).flatMap((object) => Object.keys(object.shape));
}

function unwrap(schema: unknown): z.ZodType[] {
  if (schema instanceof z.ZodOptional) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => unwrap(option));
  return schema instanceof z.ZodType ? [schema] : [];
}

function objectsOf(schema: unknown): z.ZodObject[] {
  return unwrap(schema).filter((part): part is z.ZodObject => part instanceof z.ZodObject);
}

function descend(schema: unknown, key: string | number): unknown {
  for (const part of unwrap(schema)) {
    if (part instanceof z.ZodObject && Object.hasOwn(part.shape, key)) return part.shape[key];
    if (part instanceof z.ZodRecord) return part.valueType;
    if (part instanceof z.ZodArray) return part.element;
  }
  return undefined;
}

function unknownKey(place: Place, key: string, path: Path): KanegenError {
  const at = place.at(...path, key);
  const planned = PLANNED.get(key);
  if (planned)
    return at.keyError('not-supported', `\`${key}\`: ${planned} are not supported yet`, 'remove this key for now');
  if (/\s\?|[<>(*+]/.test(key)) return unquoted(place.at(...path));
  const known = knownKeys(path);
  const close = nearest(key, known);
  return at.keyError(
    'unknown-key',
    `unknown key \`${key}\``,
    close ? `did you mean \`${close}\`?` : `known here: ${known.join(', ')}`,
  );
}

function unquoted(place: Place): KanegenError {
  return place.error('unquoted-formula', 'YAML read this formula as a map or a list', 'quote this formula: "…"');
}

/** Every problem behind one issue: unions are followed into the alternative that was meant. */
function problemsOf(issue: Issue, base: Path, place: Place, data: unknown): KanegenError[] {
  const path: Path = [...base, ...(issue.path as Path)];
  const input = dataAt(data, path);
  const at = place.at(...path);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(place, key, path));
    case 'invalid_union':
      return unionProblems(issue, path, place, data, at, input);
    case 'too_big':
    case 'too_small':
      if (Array.isArray(input) && issue.origin === 'array')
        return [wrongLength(at, input, Number('maximum' in issue ? issue.maximum : issue.minimum))];
      return [at.error('wrong-value', `${kindOf(input)} is out of range: ${issue.message}`)];
    case 'invalid_value': {
      const choices = issue.values.map((choice) => `\`${String(choice)}\``).join(', ');
      if (path.length === 1 && path[0] === 'kanegen') return [formatVersion(at, input)];
      return [at.error('wrong-value', `one of ${choices} is due here, not ${kindOf(input)}`)];
    }
    default:
      return [wrongType(at, path, input, expectedText(issue))];
  }
}

function formatVersion(at: Place, input: unknown): KanegenError {
  return input === undefined
    ? at.error('missing-key', 'the version of the format is missing', 'begin the file with `kanegen: 1`')
    : at.error('unsupported-version', `format version ${String(input)} is not known`, 'write `kanegen: 1`');
}

function expectedText(issue: Issue): string {
  const names: Record<string, string> = {
    object: 'a map',
    record: 'a map',
    array: 'a list',
    string: 'a text',
    boolean: 'true or false',
    int: 'a whole number',
  };
  return issue.code === 'invalid_type' ? (names[issue.expected] ?? `a ${issue.expected}`) : issue.message;
}

function wrongType(at: Place, path: Path, input: unknown, expected: string): KanegenError {
  const key = path[path.length - 1];
  if (input === undefined)
    return at.error('missing-key', `\`${String(key)}\` is missing`, `give \`${String(key)}\`: ${expected}`);
  if (typeof input === 'number' && !Number.isFinite(input))
    return at.error('not-finite', `${input} is not a finite number`, 'write a finite number');
  return at.error('wrong-shape', `${expected} is due here, not ${kindOf(input)}`);
}

function unionProblems(
  issue: Issue & { code: 'invalid_union' },
  path: Path,
  place: Place,
  data: unknown,
  at: Place,
  input: unknown,
): KanegenError[] {
  if (isContainer(input)) {
    // The alternative whose outer shape fits is the one that was meant; among several the one with fewest mistakes.
    const fitting = issue.errors.filter(
      (issues) => !issues.some((i) => i.path.length === 0 && i.code === 'invalid_type'),
    );
    fitting.sort((a, b) => weight(a) - weight(b));
    if (fitting[0]) return fitting[0].flatMap((inner) => problemsOf(inner as Issue, path, place, data));
    if (issue.message === FORMULA) return [unquoted(at)];
  }
  return [wrongType(at, path, input, issue.message)];
}

function weight(issues: readonly z.core.$ZodIssue[]): number {
  return issues.reduce((total, issue) => total + (issue.code === 'unrecognized_keys' ? issue.keys.length : 1), 0);
}

/**
 * The data of a document as a robot file.
 * @throws KanegenError with every problem of structure: `unknown-key`, `not-supported`, `wrong-shape`, `missing-key`,
 * `unquoted-formula`, `wrong-value`, `unsupported-version`.
 */
export function checkStructure(document: SourceDocument): RobotFile {
  const place = new Place(document);
  if (!isContainer(document.data) || Array.isArray(document.data))
    throw place.error(
      'wrong-shape',
      `a robot file is a map of keys, not ${kindOf(document.data)}`,
      'begin the file with `kanegen: 1`',
    );
  const result = robotFile.safeParse(document.data);
  // The data itself, not the copy of the schema: nothing is transformed, and no key may get lost on the way.
  if (result.success) return document.data as RobotFile;
  throw collected(result.error.issues.flatMap((issue) => problemsOf(issue, [], place, document.data)));
}
