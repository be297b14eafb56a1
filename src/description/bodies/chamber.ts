/**
 * `chambers:` of a body type: regions of its material coordinates, meshes, or what the surface r = const. around a rod
 * encloses.
 */
import { triple } from '../../common/tuples.ts';
import type { KanegenError } from '../../common/error.ts';
import {
  cos,
  fraction,
  half,
  integer,
  minus,
  negate,
  one,
  pi,
  plus,
  sin,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { substituteOne } from '../../symbolic/graph/traverse.ts';
import { nearest } from '../../common/nearest.ts';
import type { SourceFiles } from '../source/files.ts';
import { within, type Place } from '../source/source.ts';
import type { RawChamber } from '../language/schema.ts';
import type { Chamber, ChamberMesh, ChamberRegion, ChamberWall } from '../model/chamber.ts';
import type { BoxVolume, Breaks, MeshVolume, RodVolume } from '../model/reference-volume.ts';
import { dues, readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { dimensionless, type Dimension } from '../values/units.ts';
import type { Requirement } from '../values/requirement.ts';
import { readMesh, type VolumeReading } from '../volumes/volume.ts';

export interface ChamberContext {
  /** By name where the type has several. */
  readonly volumes: readonly VolumeReading[];
  readonly parameters: Scope;
  readonly files: SourceFiles;
}

export interface ChamberReading {
  readonly chamber: Chamber;
  /** That the region lies within the body. */
  readonly requirements: readonly Requirement[];
}

/** A coordinate that a range may be given of, and where it ends in the body. */
interface Direction {
  readonly name: string;
  readonly axis: SymbolExpr;
  readonly dimension: Dimension;
  readonly from: Expr;
  readonly to: Expr;
  /** An angle. */
  readonly turns?: boolean;
}

const LENGTH: Dimension = dues.length.dimension;
const SPECIAL = ['summary', 'wall', 'mesh', 'volume'];
const FULL_TURN = times(integer(2), pi);
const RADIUS = symbol('chamber.r');
const ANGLE = symbol('chamber.phi');

/** @throws KanegenError `unknown-symbol`, `unknown-volume`, `wrong-shape`, or what reading values throws. */
export function readChamber(place: Place, name: string, raw: RawChamber, context: ChamberContext): ChamberReading {
  const { volume } = volumeOf(place, raw, context);
  const make = (shape: Chamber['shape'], requirements: readonly Requirement[]): ChamberReading => ({
    chamber: { name, summary: raw.summary ?? '', shape, location: place.location },
    requirements,
  });
  if (raw.mesh !== undefined) return make(readMeshChamber(place, raw, volume, context), []);
  if (volume.kind === 'mesh') {
    requireKeys(place, raw, []);
    if (raw.wall) throw noWall(place.at('wall'));
    return make({ kind: 'mesh', mesh: { ...volume, density: one } }, []);
  }
  if (raw.wall !== undefined) {
    if (volume.kind !== 'rod' || volume.shape.shape === 'rectangle') throw noWall(place.at('wall'));
    return readWall(place, raw, volume, context, make);
  }
  const { shape, requirements } =
    volume.kind === 'box' ? readBoxRegion(place, raw, volume, context) : readRodRegion(place, raw, volume, context);
  return make(shape, requirements);
}

function volumeOf(place: Place, raw: RawChamber, { volumes }: ChamberContext): VolumeReading {
  if (raw.volume === undefined) return volumes[0]!;
  const nameOf = ({ place: own }: VolumeReading): string => String(own.path.at(-1));
  const names = volumes.map(nameOf);
  const found = volumes.find((own) => nameOf(own) === raw.volume);
  if (found && names.length > 1) return found;
  const close = nearest(raw.volume, names);
  throw place
    .at('volume')
    .error(
      'unknown-volume',
      `this body has no volume \`${raw.volume}\``,
      names.length === 1
        ? 'remove `volume`: the body has only one'
        : close
          ? `did you mean \`${close}\`?`
          : `its volumes: ${names.join(', ')}`,
    );
}

function noWall(place: Place): KanegenError {
  return place.keyError(
    'wrong-shape',
    'a wall is a surface r = const. around a rod of round section',
    'give the ranges of the chamber, such as `{ x: [a, b], y: [c, d] }`',
  );
}

function readMeshChamber(
  place: Place,
  raw: RawChamber,
  volume: VolumeReading['volume'],
  { files }: ChamberContext,
): ChamberMesh {
  requireKeys(place, raw, []);
  if (raw.wall !== undefined)
    throw place.at('wall').keyError('wrong-shape', 'a chamber has a mesh or a wall, not both', 'remove one');
  if (volume.kind === 'rod' && volume.coordinates === 'polar')
    throw place
      .at('mesh')
      .keyError(
        'wrong-shape',
        'a mesh needs Cartesian coordinates; this body has polar ones',
        'give ranges of r and the angle',
      );
  const mesh = readMesh(place.at('mesh'), raw.mesh!, files);
  const axes = volume.kind === 'rod' ? ([...volume.section, volume.axial] as const) : volume.axes;
  const own: MeshVolume = { kind: 'mesh', axes, mesh, density: one };
  return { kind: 'mesh', mesh: own };
}

// ---------------------------------------------------------------------------------------------- ranges

function rangesGiven(raw: RawChamber): Map<string, readonly RawValue[]> {
  const entries = Object.entries(raw).filter(([key]) => !SPECIAL.includes(key));
  return new Map(entries as [string, readonly RawValue[]][]);
}

function requireKeys(place: Place, raw: RawChamber, known: readonly string[]): void {
  for (const key of rangesGiven(raw).keys()) {
    if (known.includes(key)) continue;
    const close = nearest(key, [...known, ...SPECIAL]);
    throw place
      .at(key)
      .keyError(
        'unknown-symbol',
        `\`${key}\` is not a coordinate of this chamber`,
        close
          ? `did you mean \`${close}\`?`
          : known.length > 0
            ? `give ranges of ${known.join(', ')}`
            : 'remove it: the chamber is the entire mesh',
      );
  }
}

interface Range {
  readonly ends: readonly [Expr, Expr];
  readonly requirements: readonly Requirement[];
}

/**
 * @param along numbers of the axial coordinate at which the range is looked at; it may vary along a rod.
 */
function readRange(place: Place, raw: RawChamber, direction: Direction, scope: Scope, along: readonly Along[]): Range {
  const { name, dimension, from, to, turns } = direction;
  const given = rangesGiven(raw).get(name);
  if (!given) return { ends: [from, to], requirements: [] };
  const at = place.at(name);
  const due: Due = { what: `the range of ${name}`, dimension };
  const [low, high] = given.map((value, i) => readScalar(at.at(i), value, due, scope).value) as [Expr, Expr];
  const require = (
    value: Expr,
    holds: Requirement['holds'],
    where: Place,
    message: Requirement['message'],
    remedy: string,
  ): Requirement[] =>
    along.map((numbers) => ({
      place: where,
      value: within(where, () => substituteOne(value, numbers)),
      holds,
      code: 'wrong-value',
      message,
      remedy,
    }));
  const inside = (distance: Expr, where: Place): Requirement[] =>
    require(distance, (number) => number >= -ROUNDING, where, (number) =>
      `this chamber reaches ${-number} beyond the body along ${name}`, 'chambers lie within the volume of the body');
  const requirements = [
    ...require(minus(high, low), (number) => number > 0, at, (number) =>
      `the range of ${name} has the length ${number}: the chamber has no volume`, 'write [lower, upper]'),
    ...(turns
      ? require(minus(FULL_TURN, minus(high, low)), (number) => number >= -ROUNDING, at, (number) =>
          `this range goes ${-number} rad beyond a full turn`, 'write a range of 2*pi or less')
      : [...inside(minus(low, from), at.at(0)), ...inside(minus(to, high), at.at(1))]),
  ];
  return { ends: [low, high], requirements };
}

/** Of the ends of ranges, m or rad. */
const ROUNDING = 1e-12;

/** Of the length of a chamber, where ranges of the section are looked at. */
const EIGHTHS = Array.from({ length: 9 }, (_, k) => fraction(k, 8));

/** A place along a rod, where ranges of the section are looked at. */
type Along = ReadonlyMap<Expr, Expr>;

function placesAlong(axial: SymbolExpr, [from, to]: readonly [Expr, Expr]): readonly Along[] {
  return EIGHTHS.map((share) => new Map([[axial, plus(from, times(share, minus(to, from)))]]));
}

interface RegionReading {
  readonly shape: ChamberRegion;
  readonly requirements: readonly Requirement[];
}

function readBoxRegion(
  place: Place,
  raw: RawChamber,
  volume: BoxVolume,
  { parameters }: ChamberContext,
): RegionReading {
  const { axes, ranges, breaks } = volume;
  const directions = axes.map((axis, i): Direction => {
    const [from, to] = ranges[i]!;
    return { name: nameOf(axis), axis, dimension: LENGTH, from, to };
  });
  return region(place, raw, directions, { parameters, scope: parameters, material: new Map(), measure: one, breaks });
}

/** Along s, then in r and phi of round sections, or in x and y. */
function readRodRegion(
  place: Place,
  raw: RawChamber,
  volume: RodVolume,
  { parameters }: ChamberContext,
): RegionReading {
  const { axial, breaks, start, end, shape, section } = volume;
  const scope = new Scope(parameters);
  scope.define(nameOf(axial), axial, LENGTH);
  const along: Direction = { name: nameOf(axial), axis: axial, dimension: LENGTH, from: start, to: end };
  const given = rangesGiven(raw);
  const isCartesian = section.some((axis) => given.has(nameOf(axis))) && volume.coordinates === 'cartesian';
  if (shape.shape !== 'rectangle' && !isCartesian) {
    const { material, measure } = polarCoordinates(volume);
    return region(place, raw, [along, ...polarDirections(volume)], { parameters, scope, material, measure, breaks });
  }
  const reaches =
    shape.shape === 'rectangle' ? [shape.width, shape.height].map((size) => times(half, size)) : semiAxes(volume);
  const across = section.map((axis, i): Direction => {
    const reach = reaches[i]!;
    return { name: nameOf(axis), axis, dimension: LENGTH, from: negate(reach), to: reach };
  });
  const missing = shape.shape === 'rectangle' ? undefined : across.find(({ name }) => !given.has(name));
  if (missing)
    throw place.error(
      'missing-key',
      `the range of ${missing.name} is missing`,
      `write both ranges of the section, or those of r and phi: \`{ r: [0, …], phi: [0, pi] }\``,
    );
  return region(place, raw, [along, ...across], { parameters, scope, material: new Map(), measure: one, breaks });
}

interface RegionContext {
  readonly parameters: Scope;
  /** With the axial coordinate of a rod, along which ranges of the section may vary. */
  readonly scope: Scope;
  readonly material: ChamberRegion['material'];
  readonly measure: Expr;
  readonly breaks: Breaks;
}

function region(
  place: Place,
  raw: RawChamber,
  directions: readonly Direction[],
  { parameters, scope, material, measure, breaks }: RegionContext,
): RegionReading {
  requireKeys(
    place,
    raw,
    directions.map(({ name }) => name),
  );
  const [first, ...others] = directions;
  const along = readRange(place, raw, first!, parameters, [new Map()]);
  const places = placesAlong(first!.axis, along.ends);
  const all = [along, ...others.map((direction) => readRange(place, raw, direction, scope, places))];
  const axes = directions.map(({ axis }) => axis);
  const whole = directions.find(({ name, turns }) => turns && !rangesGiven(raw).has(name));
  return {
    shape: {
      kind: 'region',
      axes: triple(axes),
      ranges: triple(all.map(({ ends }) => ends)),
      ...(whole && { turn: whole.axis }),
      material,
      measure,
      breaks: new Map([...breaks].filter(([axis]) => axes.includes(axis))),
    },
    requirements: all.flatMap((range) => range.requirements),
  };
}

// ---------------------------------------------------------------------------------------------- round sections

function semiAxes({ shape }: RodVolume): readonly [Expr, Expr] {
  if (shape.shape === 'ellipse') return [shape.semiAxisX, shape.semiAxisY];
  if (shape.shape === 'rectangle') throw new Error('a rectangle has no semi-axes');
  const radius = shape.shape === 'disc' ? shape.radius : shape.outerRadius;
  return [radius, radius];
}

/** The body's own coordinates where they are polar, else those that give them: x = a r cos phi, y = b r sin phi. */
function polarAxes({ coordinates, section }: RodVolume): readonly [SymbolExpr, SymbolExpr] {
  return coordinates === 'polar' ? section : [RADIUS, ANGLE];
}

/** Of ellipses r runs to 1. */
function polarDirections(volume: RodVolume): readonly [Direction, Direction] {
  const [r, phi] = polarAxes(volume);
  const isEllipse = volume.shape.shape === 'ellipse';
  return [
    {
      name: nameOf(r),
      axis: r,
      dimension: isEllipse ? dimensionless : LENGTH,
      from: zero,
      to: isEllipse ? one : semiAxes(volume)[0],
    },
    {
      name: nameOf(phi),
      axis: phi,
      dimension: dimensionless,
      from: zero,
      to: FULL_TURN,
      turns: volume.coordinates === 'cartesian',
    },
  ];
}

function polarCoordinates(volume: RodVolume): Pick<ChamberRegion, 'material' | 'measure'> {
  if (volume.coordinates === 'polar') return { material: new Map(), measure: one };
  const [r, phi] = polarAxes(volume);
  const [a, b] = volume.shape.shape === 'ellipse' ? semiAxes(volume) : [one, one];
  const [x, y] = volume.section;
  return {
    material: new Map([
      [x, times(a, r, cos(phi))],
      [y, times(b, r, sin(phi))],
    ]),
    measure: times(a, b, r),
  };
}

function readWall(
  place: Place,
  raw: RawChamber,
  volume: RodVolume,
  { parameters }: ChamberContext,
  make: (shape: ChamberWall, requirements: readonly Requirement[]) => ChamberReading,
): ChamberReading {
  const [radial, around] = polarDirections(volume);
  const { axial, start, end, breaks } = volume;
  const along: Direction = { name: nameOf(axial), axis: axial, dimension: LENGTH, from: start, to: end };
  requireKeys(place, raw, [along.name]);
  const written = raw.wall!;
  const at = place.at('wall');
  const [key, ...more] = Object.keys(written);
  if (key !== radial.name || more.length > 0)
    throw at.error('wrong-shape', 'a wall is a surface of one radius', `write \`wall: { ${radial.name}: … }\``);
  const range = readRange(place, raw, along, parameters, [new Map()]);
  const scope = new Scope(parameters);
  scope.define(along.name, axial, LENGTH);
  const due = { what: 'the radius of a wall', dimension: radial.dimension };
  const radius = readScalar(at.at(key), written[key]!, due, scope).value;
  const requirements = placesAlong(axial, range.ends).flatMap((numbers): Requirement[] => [
    {
      place: at.at(key),
      value: within(at.at(key), () => substituteOne(radius, numbers)),
      holds: (number) => number > 0,
      code: 'wrong-value',
      message: (number) => `the radius of this wall is ${number}: the chamber has no volume`,
      remedy: 'write a positive radius',
    },
    {
      place: at.at(key),
      value: within(at.at(key), () => substituteOne(minus(radial.to, radius), numbers)),
      holds: (number) => number >= -ROUNDING,
      code: 'wrong-value',
      message: (number) => `this wall lies ${-number} outside the body`,
      remedy: 'chambers lie within the volume of the body',
    },
  ]);
  const { material, measure } = polarCoordinates(volume);
  const onWall = new Map([...material].map(([own, e]) => [own, substituteOne(e, new Map([[radial.axis, radius]]))]));
  if (volume.coordinates === 'polar') onWall.set(radial.axis, radius);
  const axes = [axial, radial.axis, around.axis] as const;
  const inBody: ChamberRegion = {
    kind: 'region',
    axes,
    ranges: [range.ends, [zero, radius], [around.from, around.to]],
    turn: around.axis,
    material,
    measure,
    breaks: new Map([...breaks].filter(([axis]) => axes.includes(axis))),
  };
  const shape: ChamberWall = {
    kind: 'wall',
    axial,
    range: range.ends,
    angle: around.axis,
    material: onWall,
    breaks: new Map([...breaks].filter(([axis]) => axis === axial || axis === around.axis)),
    within: inBody,
  };
  return make(shape, [...range.requirements, ...requirements]);
}

/** `material.s` is s to the reader. */
function nameOf(coordinate: SymbolExpr): string {
  return coordinate.name.replace(/^.*\./, '');
}
