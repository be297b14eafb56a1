/**
 * How the material points of a body move: `position`, `compose`, `network`, `strain` or `pose` → BodyKinematics.
 */
import { readNetwork } from '../../network/read.ts';
import { KanegenError } from '../../common/error.ts';
import { one, plus, symbol, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substitute, substituteOne } from '../../symbolic/graph/traverse.ts';
import { frameEntries, zeroVector, type Frame, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import { breaksOf, readField } from '../language/bases.ts';
import { readCompose } from '../language/compose.ts';
import { deformingSections } from './sections/deforming-sections.ts';
import type { SourceFiles } from '../source/files.ts';
import { materialFrame } from '../model/material-frame.ts';
import { readModes } from './modes.ts';
import { readSliding, type SlidingReading } from './sections/sliding.ts';
import { heldStresses, readEquilibrium, readImplicit } from './sections/equilibrium.ts';
import { readPose } from './pose.ts';
import {
  equilibriumFormulas,
  type BodyKinematics,
  type DistalFrame,
  type NetworkKinematics,
  type BodyCoordinate,
  type StrainKinematics,
} from '../model/robot.ts';
import type { Warning } from '../model/warnings.ts';
import type { MaterialPoint, RodVolume, Volume } from '../model/reference-volume.ts';
import { materialFormulas, type RodMaterial } from '../model/material.ts';
import {
  strainNames,
  type RawBodyType,
  type RawDistal,
  type RawModes,
  type RawNetwork,
  type RawPose,
  type RawStrain,
  type RawVector,
} from '../language/schema.ts';
import type { Requirement } from '../values/requirement.ts';
import { dues, readScalar, readVector, Scope, type RawValue } from '../values/scope.ts';
import { within, type Place } from '../source/source.ts';
import { withinMesh } from '../volumes/within-mesh.ts';
import { positiveSizes } from '../volumes/volume-check.ts';
import {
  cartesianCoordinates,
  coordinateNamed,
  type MaterialCoordinate,
  type VolumeReading,
  type Written,
} from '../volumes/volume.ts';

type BodyKeys = ReadonlyMap<string, Written>;

export const KINEMATICS = ['position', 'strain', 'pose', 'compose', 'network', 'modes'] as const;
export type KinematicsKey = (typeof KINEMATICS)[number];

/** Keys that make sense beside some kinds of kinematics only. */
export const COMPANIONS: Readonly<Record<string, readonly KinematicsKey[]>> = {
  distal: ['position', 'compose', 'network', 'modes'],
  rest: ['strain'],
  'slides-out': ['strain'],
  'section-position': ['strain'],
};

export interface KinematicsContext {
  readonly name: string;
  readonly place: Place;
  readonly keys: BodyKeys;
  readonly volumes: readonly VolumeReading[];
  /** Of the volumes of an elastic rod. */
  readonly materials: readonly RodMaterial[];
  /** Strains without stress, or none. */
  readonly natural: readonly Expr[];
  readonly material: readonly MaterialCoordinate[];
  /** Everything that a formula of the kinematics may use. */
  readonly scope: Scope;
  /** Parameters alone. */
  readonly parameters: Scope;
  readonly coordinates: readonly BodyCoordinate[];
  /** Symbols of the coordinates and of the time. */
  readonly configuration: readonly SymbolExpr[];
  readonly files: SourceFiles;
}

/**
 * The one kind of kinematics that a type gives.
 * @throws KanegenError `missing-kinematics`, `several-kinematics`.
 */
export function kinematicsKey({
  name,
  place,
  keys,
}: Pick<KinematicsContext, 'name' | 'place' | 'keys'>): KinematicsKey {
  const given = KINEMATICS.filter((key) => keys.has(key));
  const [kind] = given;
  if (kind === undefined)
    throw place.keyError(
      'missing-kinematics',
      `the body type \`${name}\` has no kinematics`,
      'give `position:` with `distal:`, or `strain:`, `pose:`, `compose:`, `network:`, `modes:`',
    );
  const companion = Object.keys(COMPANIONS).find((key) => keys.has(key) && !COMPANIONS[key]!.includes(kind));
  const extra = given[1] ?? companion;
  if (extra === undefined) return kind;
  throw keys
    .get(extra)!
    .place.keyError(
      'several-kinematics',
      `\`${kind}\` is the kinematics of this body, and excludes \`${extra}\``,
      given[1] === undefined && !COMPANIONS[extra]!.includes('position')
        ? `\`${extra}\` belongs to \`strain\`: remove it, or give the body by its strains`
        : `remove \`${extra}\``,
    );
}

/** A kinematics with the volumes it moves: the formulas may say where these have to be divided. */
export interface Moved {
  readonly kinematics: BodyKinematics;
  readonly volumes: readonly Volume[];
  readonly warnings?: readonly Warning[];
  readonly requirements?: readonly Requirement[];
}

export function readKinematics(kind: KinematicsKey, context: KinematicsContext): Moved {
  if (kind === 'strain') return readStrain(context.keys.get(kind) as Written<RawStrain>, context);
  if (kind === 'modes') {
    const { reading, position } = readModes(context.keys.get(kind) as Written<RawModes>, context);
    const distal = readDistal({ ...context, volumes: [reading] }, position);
    return { kinematics: { kind: 'position', position, distal }, volumes: [reading.volume] };
  }
  return { kinematics: readMap(kind, context), volumes: context.volumes.map(({ volume }) => volume) };
}

function readMap(kind: Exclude<KinematicsKey, 'strain' | 'modes'>, context: KinematicsContext): BodyKinematics {
  const { keys, scope } = context;
  const written = keys.get(kind)!;
  switch (kind) {
    case 'position': {
      const position = readVector(written.place, written.value as RawVector, dues.position, scope);
      return { kind, position, distal: readDistal(context, position) };
    }
    case 'compose':
      return readComposed(written as Written<NonNullable<RawBodyType['compose']>>, context);
    case 'network':
      return readLearned(written as Written<RawNetwork>, context);
    case 'pose': {
      const [{ section }] = rodsOf(kind, context);
      const pose = readPose(written.place, written.value as RawPose, scope);
      refuse(
        written.place,
        frameEntries(pose),
        section,
        'the pose of a section depends on its place along the rod and the coordinates only',
      );
      return { kind, pose };
    }
  }
}

// ---------------------------------------------------------------------------------------------- maps of material points

function readComposed(
  { value, place }: Written<NonNullable<RawBodyType['compose']>>,
  context: KinematicsContext,
): BodyKinematics {
  const { volumes } = context;
  const [first, ...others] = volumes.map((reading) => cartesianCoordinates(reading.volume));
  const differs = others.findIndex((own) => own.some((e, i) => e !== first![i]));
  if (differs >= 0)
    throw volumes[differs + 1]!.place.error(
      'different-coordinates',
      'the coordinates of this volume differ from those of the first',
      'call the coordinates x, y and z in all volumes',
    );
  // A step is written in Cartesian coordinates, which a volume need not have: they are put in at the end.
  const scope = new Scope(context.scope);
  const [x, y, z] = first!.map((e, i) => (e.kind === 'symbol' ? e : named(scope, i, context))) as [
    SymbolExpr,
    SymbolExpr,
    SymbolExpr,
  ];
  const { position, domain, steps } = readCompose(place, value, { x, y, z }, scope);
  const replaced = new Map<Expr, Expr>([x, y, z].map((own, i) => [own, first![i]!]));
  const placed = (p: Vector3): Vector3 => vector3(substitute(p, replaced));
  const image = placed(position);
  return {
    kind: 'position',
    position: image,
    distal: readDistal(context, image),
    domain: domain.map((condition) => ({ ...condition, positive: substituteOne(condition.positive, replaced) })),
    steps: steps.map((step) => ({ ...step, position: placed(step.position) })),
  };
}

/** x or y, as names of a section that has polar coordinates itself. */
function named(scope: Scope, index: number, { volumes }: KinematicsContext): SymbolExpr {
  const name = ['x', 'y', 'z'][index]!;
  if (scope.find(name))
    throw volumes[0]!.place.error(
      'duplicate-name',
      `\`compose\` needs x and y as Cartesian coordinates of the section; \`${name}\` has another meaning here`,
      'choose another name',
    );
  const own = symbol(`material.${name}`);
  scope.define(name, own, dues.length.dimension);
  return own;
}

/** @throws KanegenError `bad-network`, `missing-file`, at the file or at the formula that is too many. */
function readLearned({ value, place }: Written<RawNetwork>, context: KinematicsContext): NetworkKinematics {
  const { scope, files } = context;
  const at = place.at('file');
  const bytes = files.bytes(at, value.file);
  const network = within(at, () =>
    readNetwork(bytes, {
      file: value.file,
      activation: value.activation,
      outputActivation: value['output-activation'],
    }),
  );
  const inputs = value.inputs.map(
    (input, i) => readScalar(place.at('inputs', i), input, { what: 'an input of a network' }, scope).value,
  );
  const due = network.layers[0]!.inputs;
  if (inputs.length !== due)
    throw place
      .at('inputs')
      .error(
        'bad-network',
        `the network has ${due} inputs, not ${inputs.length}`,
        'give one formula per input, in its order',
      );
  const outputs = network.layers[network.layers.length - 1]!.outputs;
  if (outputs !== 3)
    throw at.error(
      'bad-network',
      `the network has ${outputs} outputs; a position needs three`,
      'train it to give the position (or displacement) of the point, in metres',
    );
  const offset =
    value.offset === undefined ? zeroVector : readVector(place.at('offset'), value.offset, dues.position, scope);
  return { kind: 'network', network, inputs, offset, distal: readDistal(context) };
}

/** @param position - formula of the material points, where there is one. */
function readDistal(context: KinematicsContext, position?: Vector3): DistalFrame {
  const { keys, material, scope } = context;
  const entry = keys.get('distal') as Written<RawDistal> | undefined;
  if (!entry)
    throw context.place.keyError(
      'missing-key',
      '`distal` is missing: the frame of the next link',
      'write `distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`, or `distal: none` if no link follows',
    );
  const { value: raw, place } = entry;
  if (raw === 'none') return { kind: 'none' };
  if ('pose' in raw) {
    const pose = readPose(place.at('pose'), raw.pose, scope);
    refuse(
      place.at('pose'),
      frameEntries(pose),
      material.map((coordinate) => coordinate.symbol),
      'the distal frame depends on the coordinates only',
      'write the value at the end of the body instead',
    );
    return { kind: 'pose', pose };
  }
  if ('at' in raw) return { kind: 'pose', pose: carriedFrame(place.at('at'), raw.at, context, position) };
  const axes = (['x', 'y', 'z'] as const).filter((axis) => raw[`${axis}-axis`] !== undefined);
  if (axes.length !== 2)
    throw place.error(
      'wrong-shape',
      `a contact frame has two axes, not ${axes.length}`,
      'give two of `x-axis`, `y-axis` and `z-axis`',
    );
  const point = (key: 'pivot' | `${'x' | 'y' | 'z'}-axis`): MaterialPoint =>
    readMaterialPoint(place.at(key), raw[key]!, context);
  return {
    kind: 'contact',
    contact: { pivot: point('pivot'), axes: Object.fromEntries(axes.map((axis) => [axis, point(`${axis}-axis`)])) },
  };
}

/** The frame of the material at a point: needs a formula of the positions. */
function carriedFrame(
  place: Place,
  raw: Readonly<Record<string, RawValue>>,
  context: KinematicsContext,
  position: Vector3 | undefined,
): Frame {
  const { volume } = context.volumes[0]!;
  if (!position)
    throw place.error(
      'wrong-value',
      'the frame of a material point needs a formula of the position, which this body does not have',
      'give `distal: { pose: … }`',
    );
  const point = readMaterialPoint(place, raw, context);
  try {
    return materialFrame(position, cartesianCoordinates(volume), volume, point);
  } catch (error) {
    if (!(error instanceof KanegenError) || error.code !== 'irregular-kinematics') throw error;
    throw place.error(
      'irregular-kinematics',
      'the kinematics has no derivative at this material point: it divides by zero there',
      'choose a point beside it, or write `distal: { pose: … }`',
    );
  }
}

function readMaterialPoint(
  place: Place,
  raw: Readonly<Record<string, RawValue>>,
  { material, parameters, volumes }: KinematicsContext,
): MaterialPoint {
  const point: MaterialPoint = new Map(
    Object.entries(raw).map(([name, value]) => {
      const { symbol, dimension } = coordinateNamed(place.at(name), name, material);
      const due = { what: `the coordinate ${name} of a material point`, dimension };
      return [symbol, readScalar(place.at(name), value, due, parameters).value] as const;
    }),
  );
  return withinMesh(place, volumes[0]!.volume, point);
}

// ---------------------------------------------------------------------------------------------- rods

/**
 * The rods whose sections move together, one inside the other over the same length; a frame field has one.
 * @throws KanegenError `wrong-volume`.
 */
function rodsOf(kind: 'strain' | 'pose', { volumes }: KinematicsContext): readonly [RodVolume, ...RodVolume[]] {
  const rods = volumes.map(({ volume }) => volume).filter((volume) => volume.kind === 'rod');
  const [first, ...others] = rods;
  const fits = ({ volume }: VolumeReading): boolean =>
    volume.kind === 'rod' &&
    volume.axial === first!.axial &&
    volume.start === first!.start &&
    volume.end === first!.end &&
    volume.coordinates === first!.coordinates &&
    volume.section.every((own, i) => own === first!.section[i]);
  const other = volumes.find((reading) => !fits(reading)) ?? (kind === 'pose' ? volumes[1] : undefined);
  if (!other && first) return [first, ...others];
  throw other!.place.error(
    'wrong-volume',
    other!.volume.kind === 'rod'
      ? `\`${kind}\` moves the sections of ${kind === 'pose' ? 'one rod' : 'rods over the same length, in the same coordinates'}`
      : `\`${kind}\` moves the sections of a rod, and this volume is not one`,
    'write `volume: { rod: { s: [0, L] }, section: … }`, or give the body by `position:`',
  );
}

function readStrain(written: Written<RawStrain>, context: KinematicsContext): Moved {
  const { keys, materials, natural, scope, configuration, coordinates } = context;
  const { equilibrium: balance, implicit } = written.value;
  const solved = (balance ?? implicit) ? written.place.at(balance ? 'equilibrium' : 'implicit') : undefined;
  const sliding = keys.get('slides-out') as Written<string> | undefined;
  if (sliding) requireRigidSections(sliding.place, context, solved !== undefined);
  if (solved) requireEquilibrium(written, solved, context);
  const rest = keys.get('rest') as Written<RawStrain> | undefined;
  const rods = rodsOf('strain', context);
  const [rod] = rods;
  const read = (from: Written<RawStrain> | undefined, name: (typeof strainNames)[number]): Expr | undefined => {
    const value = from?.value[name];
    if (value === undefined) return undefined;
    const place = from!.place.at(name);
    const due = strainNames.indexOf(name) < 3 ? dues.curvature : dues.stretch;
    const e = readField(place, value, due, { rod, coordinates, scope });
    scope.provenance.note(e, place);
    refuse(place, [e], rod.section, 'a strain depends on the place along the rod and the coordinates only');
    if (from === rest) refuse(place, [e], configuration, 'the unstressed shape of a rod does not move');
    return e;
  };
  const unstressed = strainNames.map((name) => read(rest, name) ?? (name === 'stretch' ? one : zero));
  const along = { ...context, rod, rest: unstressed };
  const equilibrium =
    solved && (balance ? readEquilibrium(solved, balance, along) : readImplicit(solved, implicit!, along));
  const total = strainNames.map((name, i) => {
    const unknown = equilibrium?.unknowns.find(({ component }) => component === i);
    return unknown?.symbol ?? plus(unstressed[i]!, read(written, name) ?? zero);
  });
  const slid = sliding && readSlidingRod(sliding, written, total, { ...context, rod });
  const moving = slid?.strain ?? total;
  const angularPart = (strains: readonly Expr[]): Vector3 => vector3(strains.slice(0, 3));
  const linearPart = (strains: readonly Expr[]): Vector3 => vector3(strains.slice(3));
  const sectionPosition = readSectionPosition(context);
  const kinematics: StrainKinematics = {
    kind: 'strain',
    angular: angularPart(moving),
    linear: linearPart(moving),
    rest: { angular: angularPart(unstressed), linear: linearPart(unstressed) },
    ...(sectionPosition && { sectionPosition }),
    ...(slid && { slides: slid.slides }),
    ...(equilibrium && { equilibrium }),
  };
  // The backbone of a strain that is the same all along has a closed form; rods with a law of rods keep their strains.
  const varies = total.some((e) => dependsOn(e, new Set([rod.axial])));
  if (sectionPosition && !varies && materials.length === 0)
    return { kinematics: deformingSections(rod, kinematics, sectionPosition), volumes: rods };
  const formulas = [
    ...total,
    ...(sectionPosition ?? []),
    ...(equilibrium ? [...unstressed, ...equilibriumFormulas(equilibrium)] : []),
    ...natural,
    ...rods.flatMap((own) => [own.density, ...positiveSizes(own.shape).map(([, size]) => size)]),
    ...materials.flatMap(materialFormulas),
  ];
  const warnings = balance ? heldStresses(solved!, balance) : [];
  const requirements = slid?.requirements ?? [];
  return { kinematics, volumes: rods.map((own) => divided(own, formulas, configuration)), warnings, requirements };
}

/** @throws KanegenError `not-supported` where a rod that slides out of its base has what it cannot have. */
function requireRigidSections(place: Place, { keys }: KinematicsContext, isSolved: boolean): void {
  const other = ['section-position', 'chambers'].find((key) => keys.has(key));
  if (!isSolved && other === undefined) return;
  throw place.keyError(
    'not-supported',
    `a rod that slides out of its base and ${other === undefined ? 'solves equations for its strain' : `has \`${other}\``} is not supported yet`,
    other === undefined ? 'write formulas for the strains, or remove `slides-out`' : 'remove one of them',
  );
}

/** @throws KanegenError of reading the free length. */
function readSlidingRod(
  { value, place }: Written<string>,
  written: Written<RawStrain>,
  strains: readonly Expr[],
  context: KinematicsContext & { readonly rod: RodVolume },
): SlidingReading {
  const parts = strains.map((e, i) => {
    const name = strainNames[i]!;
    return { value: e, place: written.value[name] === undefined ? place : written.place.at(name) };
  });
  return readSliding(place, value, parts, context);
}

/** A balance stands alone, and needs a material; sections stay rigid. */
function requireEquilibrium(
  { value, place }: Written<RawStrain>,
  at: Place,
  { keys, materials, natural }: KinematicsContext,
): void {
  if (value.equilibrium && value.implicit)
    throw place
      .at('implicit')
      .keyError(
        'several-kinematics',
        '`equilibrium` decides the strains, and excludes `implicit`',
        'remove one of them',
      );
  const both = strainNames.find((name) => value[name] !== undefined);
  if (both !== undefined)
    throw place
      .at(both)
      .keyError(
        'several-kinematics',
        `${value.equilibrium ? 'the equilibrium decides' : 'the equations decide'} all strains, and ${value.equilibrium ? 'excludes' : 'exclude'} a formula for \`${both}\``,
        value.equilibrium
          ? 'remove it, or write it under `stress`, or under `rest` with its name in `hold`'
          : 'remove it, or write it under `rest`',
      );
  if (keys.has('section-position'))
    throw keys
      .get('section-position')!
      .place.keyError('not-supported', 'sections of a rod in equilibrium stay rigid', 'remove `section-position`');
  if (keys.has('chambers'))
    throw keys
      .get('chambers')!
      .place.keyError('not-supported', 'chambers of a rod in equilibrium are not supported yet', 'remove `chambers`');
  if (materials.length === 0 && value.equilibrium)
    throw at.error(
      'missing-key',
      'an equilibrium needs the stiffness of the section, and `material` is missing',
      'write `material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }`',
    );
  if (natural.length > 0)
    throw at.error(
      'not-supported',
      'natural strains beside an equilibrium are not supported yet',
      'write them under `rest`',
    );
}

/** The rod, divided where formulas change from one to another at a place that does not move. */
function divided(rod: RodVolume, formulas: readonly Expr[], configuration: readonly SymbolExpr[]): RodVolume {
  const given = rod.breaks.get(rod.axial) ?? [];
  const knots = breaksOf(formulas, rod.axial).filter(
    (knot) =>
      knot !== rod.start &&
      knot !== rod.end &&
      !given.includes(knot) &&
      !freeSymbols([knot]).some((s) => configuration.includes(s)),
  );
  if (knots.length === 0) return rod;
  return { ...rod, breaks: new Map([...rod.breaks, [rod.axial, [...given, ...knots]]]) };
}

function readSectionPosition({ keys, scope }: KinematicsContext): readonly [Expr, Expr] | undefined {
  const entry = keys.get('section-position') as Written<readonly [RawValue, RawValue]> | undefined;
  if (!entry) return undefined;
  const due = { ...dues.length, what: 'the position of a point in its section' };
  const [x, y] = entry.value.map((row, i) => readScalar(entry.place.at(i), row, due, scope).value);
  return [x!, y!];
}

/** @throws KanegenError `wrong-variable` where one of the symbols occurs. */
export function refuse(
  place: Place,
  entries: readonly Expr[],
  symbols: readonly SymbolExpr[],
  why: string,
  remedy?: string,
): void {
  const wrong = freeSymbols(entries).find((s) => symbols.includes(s));
  if (!wrong) return;
  throw place.error(
    'wrong-variable',
    `\`${wrong.name.replace(/^[a-z]+\./, '')}\` is not allowed here: ${why}`,
    remedy ?? 'remove it',
  );
}
