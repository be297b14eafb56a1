/**
 * Reference volumes of bodies: rods with their sections, boxes, meshes, and the material coordinates they name.
 */
import { host } from '#host';
import { readGmsh } from '../../mesh/gmsh.ts';
import { readInlineMesh } from '../../mesh/inline.ts';
import type { TetrahedralMesh } from '../../mesh/mesh.ts';
import type { KanegenError } from '../../common/error.ts';
import { cos, sin, symbol, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { ONE, type Rational } from '../../symbolic/graph/rational.ts';
import { type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { SourceFiles } from '../source/files.ts';
import type { Breaks, BoxVolume, CrossSection, MeshVolume, RodVolume, Volume } from '../model/reference-volume.ts';
import type { RawMaterial, RawMesh, RawVolume } from '../language/schema.ts';
import { dues, readScalar, Scope, type RawValue } from '../values/scope.ts';
import { within, type Place } from '../source/source.ts';
import { dimensionless, equalDimensions, parseUnit, type Dimension } from '../values/units.ts';

const LENGTH: Dimension = dues.length.dimension;

/** A volume with the material coordinates that it names. */
export interface VolumeReading {
  readonly volume: Volume;
  readonly place: Place;
  readonly coordinates: readonly MaterialCoordinate[];
  /** Its own, where the body has several. */
  readonly material?: Written<RawMaterial>;
}

/** A value with the place it was written at, which may be in another file than the type that inherits it. */
export interface Written<T = unknown> {
  readonly value: T;
  readonly place: Place;
}

/** Three of them locate a point of a volume. */
export interface MaterialCoordinate {
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly dimension: Dimension;
}

/** A name where it is given: as a key, as an entry of a list, or (by default) nowhere. */
interface NamePlace {
  readonly place: Place;
  readonly part: 'key' | 'value';
}

export interface VolumeContext {
  /** Parameters of the body type. */
  readonly parameters: Scope;
  readonly files: SourceFiles;
  /** Notes that a name is that of a material coordinate. */
  claim(at: NamePlace, name: string): void;
}

const KINDS = ['rod', 'box', 'mesh'] as const;
type Kind = (typeof KINDS)[number];
/** Keys that belong to some kinds of volumes only. */
const KEYS: Readonly<Record<string, readonly Kind[]>> = {
  section: ['rod'],
  coordinates: ['mesh'],
  breaks: ['rod', 'box'],
};

/** One volume of a body type. */
export function readVolume(place: Place, raw: RawVolume, context: VolumeContext): VolumeReading {
  const reading = readShape(place, raw, context);
  return raw.material === undefined
    ? reading
    : { ...reading, material: { value: raw.material, place: place.at('material') } };
}

function readShape(place: Place, raw: RawVolume, context: VolumeContext): VolumeReading {
  const kind = kindOf(place, raw);
  switch (kind) {
    case 'rod':
      return readRod(place, raw, raw.rod!, context);
    case 'box':
      return readBox(place, raw, raw.box!, context);
    case 'mesh':
      return readMeshVolume(place, raw, raw.mesh!, context);
  }
}

function kindOf(place: Place, raw: RawVolume): Kind {
  const given = KINDS.filter((kind) => raw[kind] !== undefined);
  const [kind] = given;
  if (kind === undefined)
    throw place.error(
      'missing-key',
      'this volume has no shape',
      'write `rod: { s: [0, L] }` with a `section:`, or `box: { x: [a, b], y: [a, b], z: [a, b] }`, or `mesh: { file: … }`',
    );
  if (given.length > 1)
    throw place
      .at(given[1]!)
      .keyError('wrong-shape', `a volume has one shape, not \`${given.join('` and `')}\``, 'write `volumes:` by name');
  for (const [key, owners] of Object.entries(KEYS))
    if (raw[key as keyof RawVolume] !== undefined && !owners.includes(kind))
      throw place.at(key).keyError('unknown-key', `a ${kind} has no \`${key}\``, `remove \`${key}\``);
  return kind;
}

/** Names the material coordinates of one volume, each once. */
function coordinateReader(context: VolumeContext): {
  readonly known: MaterialCoordinate[];
  readonly name: (at: NamePlace, name: string, dimension?: Dimension) => SymbolExpr;
} {
  const known: MaterialCoordinate[] = [];
  const name = (at: NamePlace, own: string, dimension = LENGTH): SymbolExpr => {
    if (known.some((other) => other.name === own)) throw twice(at, own);
    context.claim(at, own);
    const coordinate = { name: own, symbol: symbol(`material.${own}`), dimension };
    known.push(coordinate);
    return coordinate.symbol;
  };
  return { known, name };
}

function twice({ place, part }: NamePlace, name: string): KanegenError {
  const message = `\`${name}\` is already the name of a material coordinate`;
  return part === 'key'
    ? place.keyError('duplicate-name', message, 'choose another name')
    : place.error('duplicate-name', message, 'choose another name');
}

function readRange(place: Place, [from, to]: readonly RawValue[], what: string, parameters: Scope): [Expr, Expr] {
  const read = (i: number, value: RawValue): Expr =>
    readScalar(place.at(i), value, { ...dues.length, what: `the range of a ${what}` }, parameters).value;
  return [read(0, from!), read(1, to!)];
}

/** @param known the coordinates of the volume, which the density may vary with. */
function readDensity(
  place: Place,
  raw: RawVolume,
  known: readonly MaterialCoordinate[],
  { parameters }: VolumeContext,
): Expr {
  const scope = new Scope(parameters);
  for (const { name, symbol: own, dimension } of known) scope.define(name, own, dimension);
  return readScalar(place.at('density'), raw.density, dues.density, scope).value;
}

// ---------------------------------------------------------------------------------------------- rods

function readRod(
  place: Place,
  raw: RawVolume,
  rod: NonNullable<RawVolume['rod']>,
  context: VolumeContext,
): VolumeReading {
  const rods = Object.entries(rod);
  if (rods.length !== 1)
    throw place
      .at('rod')
      .error('wrong-shape', `a rod has one axial coordinate, not ${rods.length}`, 'write `rod: { s: [0, L] }`');
  const { section: rawSection } = raw;
  if (!rawSection)
    throw place.error(
      'missing-key',
      '`section` is missing',
      'give the rod a section, for example `section: { disc: R }`',
    );
  const [axialName, range] = rods[0]!;
  const { known, name } = coordinateReader(context);
  const axial = name({ place: place.at('rod', axialName), part: 'key' }, axialName);
  const tapered = new Scope(context.parameters);
  tapered.define(axialName, axial, LENGTH);
  const at = place.at('section');
  const shape = readSection(at, rawSection, tapered);
  const [start, end] = readRange(place.at('rod', axialName), range, 'rod', context.parameters);
  const { coordinates, section } = readSectionNames(at, rawSection, shape, name);
  const volume: RodVolume = {
    kind: 'rod',
    axial,
    section,
    coordinates,
    start,
    end,
    shape,
    density: readDensity(place, raw, known, context),
    breaks: readBreaks(place.at('breaks'), raw.breaks, known, context),
  };
  return { volume, place, coordinates: known };
}

function readSectionNames(
  at: Place,
  raw: NonNullable<RawVolume['section']>,
  { shape }: CrossSection,
  name: (at: NamePlace, name: string, dimension?: Dimension) => SymbolExpr,
): Pick<RodVolume, 'coordinates' | 'section'> {
  if (raw.polar !== undefined && raw.cartesian !== undefined)
    throw at
      .at('polar')
      .keyError('wrong-shape', 'a section has `cartesian` or `polar` coordinates, not both', 'keep one of them');
  if (raw.polar !== undefined && shape === 'rectangle')
    throw at
      .at('polar')
      .keyError('wrong-shape', 'a rectangle has no polar coordinates', 'write `cartesian: [x, y]` instead of `polar`');
  const coordinates = raw.polar === undefined ? 'cartesian' : 'polar';
  const names = raw.polar ?? raw.cartesian ?? ['x', 'y'];
  const dimensions =
    coordinates === 'cartesian' ? [LENGTH, LENGTH] : [shape === 'ellipse' ? dimensionless : LENGTH, dimensionless];
  const section = [0, 1].map((i) => {
    const place = raw[coordinates] === undefined ? at : at.at(coordinates, i);
    return name({ place, part: 'value' }, names[i]!, dimensions[i]);
  });
  return { coordinates, section: [section[0]!, section[1]!] };
}

function readSection(place: Place, raw: NonNullable<RawVolume['section']>, scope: Scope): CrossSection {
  const shapes = (['disc', 'annulus', 'rectangle', 'ellipse'] as const).filter((shape) => raw[shape] !== undefined);
  if (shapes.length !== 1)
    throw place.error(
      'wrong-shape',
      shapes.length === 0 ? 'the section has no shape' : `a section has one shape, not ${shapes.length}`,
      'give one of `disc`, `annulus`, `rectangle`, `ellipse`',
    );
  const shape = shapes[0]!;
  const read = (value: RawValue, ...path: (string | number)[]): Expr =>
    readScalar(place.at(shape, ...path), value, { ...dues.length, what: `the size of a ${shape}` }, scope).value;
  if (shape === 'disc') return { shape, radius: read(raw.disc!) };
  const [a, b] = raw[shape]!.map((value, i) => read(value, i)) as [Expr, Expr];
  if (shape === 'annulus') return { shape, innerRadius: a, outerRadius: b };
  return shape === 'rectangle' ? { shape, width: a, height: b } : { shape, semiAxisX: a, semiAxisY: b };
}

// ---------------------------------------------------------------------------------------------- boxes

function readBox(
  place: Place,
  raw: RawVolume,
  box: NonNullable<RawVolume['box']>,
  context: VolumeContext,
): VolumeReading {
  const sides = Object.entries(box);
  if (sides.length !== 3)
    throw place
      .at('box')
      .error(
        'wrong-shape',
        `a box has three coordinates, not ${sides.length}`,
        'write `box: { x: [a, b], y: [a, b], z: [a, b] }`',
      );
  const { known, name } = coordinateReader(context);
  const at = (own: string): Place => place.at('box', own);
  const axes = sides.map(([own]) => name({ place: at(own), part: 'key' }, own));
  const ranges = sides.map(([own, range]) => readRange(at(own), range, 'box', context.parameters));
  const volume: BoxVolume = {
    kind: 'box',
    axes: [axes[0]!, axes[1]!, axes[2]!],
    ranges: [ranges[0]!, ranges[1]!, ranges[2]!],
    density: readDensity(place, raw, known, context),
    breaks: readBreaks(place.at('breaks'), raw.breaks, known, context),
  };
  return { volume, place, coordinates: known };
}

// ---------------------------------------------------------------------------------------------- meshes

function readMeshVolume(place: Place, raw: RawVolume, mesh: RawMesh, context: VolumeContext): VolumeReading {
  const { known, name } = coordinateReader(context);
  const names = raw.coordinates ?? ['x', 'y', 'z'];
  const axes = names.map((own, i) =>
    name({ place: raw.coordinates ? place.at('coordinates', i) : place.at('mesh'), part: 'value' }, own),
  );
  const volume: MeshVolume = {
    kind: 'mesh',
    axes: [axes[0]!, axes[1]!, axes[2]!],
    mesh: readMesh(place.at('mesh'), mesh, context.files),
    density: readDensity(place, raw, known, context),
  };
  return { volume, place, coordinates: known };
}

/** @throws KanegenError `bad-mesh`, `missing-file`, located at what is wrong in the robot file. */
export function readMesh(place: Place, raw: RawMesh, files: SourceFiles): TetrahedralMesh {
  const inline = (['nodes', 'tetrahedra'] as const).filter((key) => raw[key] !== undefined);
  if (raw.file === undefined && inline.length < 2)
    throw place.error(
      'missing-key',
      'a mesh needs a file, or nodes and tetrahedra',
      'write `mesh: { file: body.msh, unit: mm }`',
    );
  if (raw.file !== undefined && inline.length > 0)
    throw place
      .at(inline[0]!)
      .keyError('wrong-shape', 'a mesh has a file, or nodes and tetrahedra, not both', 'remove one');
  if (raw.file === undefined && raw.group !== undefined)
    throw place.at('group').keyError('unknown-key', '`group` needs a file', 'remove `group`');
  const scale = raw.unit === undefined ? ONE : meshScale(place.at('unit'), raw.unit);
  if (raw.file === undefined)
    return within(place, () => readInlineMesh({ nodes: raw.nodes!, tetrahedra: raw.tetrahedra! }, scale));
  const at = place.at('file');
  const bytes = files.bytes(at, raw.file);
  return within(raw.group === undefined ? at : place, () =>
    readGmsh(bytes, { file: host.paths.basename(raw.file!), scale, group: raw.group }),
  );
}

/** Metres in a unit of length. @throws KanegenError `wrong-unit`. */
export function meshScale(place: Place, text: string): Rational {
  const unit = within(place, () => parseUnit(text));
  const { size } = unit;
  if (!equalDimensions(unit.dimension, LENGTH) || size.kind !== 'rational')
    throw place.error('wrong-unit', `\`${text}\` is not a unit of length`, 'write for example `unit: mm`');
  return size.value;
}

// ---------------------------------------------------------------------------------------------- breaks

function readBreaks(
  place: Place,
  raw: RawVolume['breaks'],
  known: readonly MaterialCoordinate[],
  { parameters }: VolumeContext,
): Breaks {
  return new Map(
    Object.entries(raw ?? {}).map(([name, values]) => {
      const { symbol: own, dimension } = coordinateNamed(place.at(name), name, known);
      const due = { what: `a break in ${name}`, dimension };
      return [own, values.map((value, i) => readScalar(place.at(name, i), value, due, parameters).value)] as const;
    }),
  );
}

/** @throws KanegenError `unknown-symbol` at the key. */
export function coordinateNamed(place: Place, name: string, known: readonly MaterialCoordinate[]): MaterialCoordinate {
  const found = known.find((coordinate) => coordinate.name === name);
  if (found) return found;
  const names = known.map((coordinate) => coordinate.name);
  const close = nearest(name, names);
  throw place.keyError(
    'unknown-symbol',
    `\`${name}\` is not a material coordinate`,
    close ? `did you mean \`${close}\`?` : `known here: ${names.join(', ')}`,
  );
}

// ---------------------------------------------------------------------------------------------- several volumes

/**
 * Volumes under one map are located by the same coordinates.
 * @throws KanegenError `different-coordinates`.
 */
export function sharedCoordinates(readings: readonly VolumeReading[]): readonly MaterialCoordinate[] {
  const [first, ...others] = readings;
  const listed = (coordinates: readonly MaterialCoordinate[]): string => coordinates.map((c) => c.name).join(', ');
  for (const { place, coordinates } of others) {
    const fits = (own: MaterialCoordinate): boolean =>
      first!.coordinates.some((c) => c.name === own.name && equalDimensions(c.dimension, own.dimension));
    if (coordinates.every(fits)) continue;
    throw place.error(
      'different-coordinates',
      `all volumes of a body need the same coordinates: this one has ${listed(coordinates)} and the first ${listed(first!.coordinates)}`,
      'give them the same names, and the same kind of coordinates',
    );
  }
  return first!.coordinates;
}

/**
 * Cartesian coordinates of the undeformed body: those called x, y and z where these are the names, else in the order in
 * which the volume gives them, the axial coordinate of a rod last.
 */
export function cartesianCoordinates(volume: Volume): Vector3 {
  const inOrder: Vector3 = volume.kind === 'rod' ? rodCoordinates(volume) : volume.axes;
  const named = ['x', 'y', 'z'].map((name) => inOrder.find((e) => e === symbol(`material.${name}`)));
  return named.every((e) => e !== undefined) ? vector3(named) : inOrder;
}

function rodCoordinates({ axial, section: [first, second], coordinates, shape }: RodVolume): Vector3 {
  if (coordinates === 'cartesian') return [first, second, axial];
  const [a, b] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [undefined, undefined];
  const across = (size: Expr | undefined, direction: Expr): Expr =>
    size ? times(size, first, direction) : times(first, direction);
  return [across(a, cos(second)), across(b, sin(second)), axial];
}
