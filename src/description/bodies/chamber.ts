/**
 * `chambers:` of a body type: regions of its material coordinates, meshes, or what the surface r = const. around a rod
 * encloses.
 */
import { triple } from '../../common/tuples.ts';
import type { KanegenError } from '../../common/error.ts';
import {
  fraction,
  half,
  integer,
  minus,
  negate,
  one,
  pi,
  plus,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { dependsOn, freeSymbols, substituteOne } from '../../symbolic/graph/traverse.ts';
import { nearest } from '../../common/nearest.ts';
import type { SourceFiles } from '../source/files.ts';
import { within, type Place } from '../source/source.ts';
import type { RawChamber } from '../language/schema.ts';
import type { Chamber, ChamberMesh, ChamberRegion, ChamberWall } from '../model/chamber.ts';
import {
  polarSection,
  type BoxVolume,
  type Breaks,
  type MeshVolume,
  type RodVolume,
} from '../model/reference-volume.ts';
import type { BodyCoordinate } from '../model/robot.ts';
import { dues, readScalar, Scope, type Due, type RawValue } from '../values/scope.ts';
import { dimensionless, type Dimension } from '../values/units.ts';
import type { Requirement } from '../values/requirement.ts';
import { readMesh, type VolumeReading } from '../volumes/volume.ts';
import { TIME_OF_BODY } from './quantity.ts';

export interface ChamberContext {
  /** By name where the type has several. */
  readonly volumes: readonly VolumeReading[];
  readonly parameters: Scope;
  /** With coordinates and abbreviations of the type, too. */
  readonly scope: Scope;
  readonly coordinates: readonly BodyCoordinate[];
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
  readonly isAngle?: true;
  /** An angle that may begin anywhere. */
  readonly turns?: boolean;
}

const LENGTH: Dimension = dues.length.dimension;
const SPECIAL = ['summary', 'wall', 'mesh', 'volume'];
const FULL_TURN = times(integer(2), pi);

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

/** Where a range is looked at, and what to say of it in a message. */
interface Sight {
  readonly numbers: ReadonlyMap<Expr, Expr>;
  readonly where: string;
}

const EVERYWHERE: readonly Sight[] = [{ numbers: new Map(), where: '' }];

/** @param sights of the symbols that the range may depend on beside parameters. */
function readRange(
  place: Place,
  raw: RawChamber,
  direction: Direction,
  scope: Scope,
  sights: (ends: readonly [Expr, Expr]) => readonly Sight[],
): Range {
  const { name, dimension, from, to, turns } = direction;
  const given = rangesGiven(raw).get(name);
  if (!given) return { ends: [from, to], requirements: [] };
  const at = place.at(name);
  const due: Due = { what: `the range of ${name}`, dimension };
  const [low, high] = given.map((value, i) => readScalar(at.at(i), value, due, scope).value) as [Expr, Expr];
  const seen = sights([low, high]);
  const require = (
    value: Expr,
    holds: Requirement['holds'],
    own: Place,
    message: Requirement['message'],
    remedy: string,
  ): Requirement[] =>
    seen.map(({ numbers, where }) => ({
      place: own,
      value: within(own, () => substituteOne(value, numbers)),
      holds,
      code: 'wrong-value',
      message: (number) => `${message(Number(number.toPrecision(4)))}${where}`,
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
/** The same of ranges that move, and round the section: no formula needs a value at the ends. */
const BETWEEN = [fraction(1, 16), fraction(5, 16), fraction(9, 16), fraction(15, 16)];

function placesAlong(axis: SymbolExpr, [from, to]: readonly [Expr, Expr], shares = EIGHTHS): readonly Sight[] {
  return shares.map((share) => ({
    numbers: new Map([[axis, plus(from, times(share, minus(to, from)))]]),
    where: '',
  }));
}

/** Coordinates at their defaults, then one of them at one of its limits. */
function configurations(coordinates: readonly BodyCoordinate[]): readonly Sight[] {
  const defaults: readonly (readonly [Expr, Expr])[] = [
    [TIME_OF_BODY, zero],
    ...coordinates.map((own) => [own.symbol, own.value] as const),
  ];
  const atLimits = coordinates.flatMap(({ name, symbol: own, limits }) =>
    (limits ?? []).map((limit, i) => ({
      numbers: new Map([...defaults, [own, limit]]),
      where: ` where \`${name}\` is at its ${i === 0 ? 'lower' : 'upper'} limit`,
    })),
  );
  return [{ numbers: new Map(defaults), where: '' }, ...atLimits];
}

const both = (some: readonly Sight[], others: readonly Sight[]): readonly Sight[] =>
  some.flatMap((a) => others.map((b) => ({ numbers: new Map([...a.numbers, ...b.numbers]), where: a.where })));

interface RegionReading {
  readonly shape: ChamberRegion;
  readonly requirements: readonly Requirement[];
}

function readBoxRegion(place: Place, raw: RawChamber, volume: BoxVolume, context: ChamberContext): RegionReading {
  const { axes, ranges, breaks } = volume;
  const directions = axes.map((axis, i): Direction => {
    const [from, to] = ranges[i]!;
    return { name: nameOf(axis), axis, dimension: LENGTH, from, to };
  });
  return region(place, raw, directions, { ...context, own: axes, material: new Map(), measure: one, breaks });
}

/** Along s, then in r and phi of round sections, or in x and y. */
function readRodRegion(place: Place, raw: RawChamber, volume: RodVolume, context: ChamberContext): RegionReading {
  const { axial, breaks, start, end, shape, section } = volume;
  const own = [axial, ...section];
  const along: Direction = { name: nameOf(axial), axis: axial, dimension: LENGTH, from: start, to: end };
  const given = rangesGiven(raw);
  const isCartesian = section.some((axis) => given.has(nameOf(axis))) && volume.coordinates === 'cartesian';
  if (shape.shape !== 'rectangle' && !isCartesian) {
    const { material, measure } = polarCoordinates(volume);
    return region(place, raw, [along, ...polarDirections(volume)], { ...context, own, material, measure, breaks });
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
  return region(place, raw, [along, ...across], { ...context, own, material: new Map(), measure: one, breaks });
}

interface RegionContext extends ChamberContext {
  /** Material coordinates of the volume. */
  readonly own: readonly SymbolExpr[];
  readonly material: ChamberRegion['material'];
  readonly measure: Expr;
  readonly breaks: Breaks;
}

function region(
  place: Place,
  raw: RawChamber,
  directions: readonly Direction[],
  { parameters, scope: outer, coordinates, own, material, measure, breaks }: RegionContext,
): RegionReading {
  requireKeys(
    place,
    raw,
    directions.map(({ name }) => name),
  );
  const [first, ...others] = directions;
  const angle = others.find(({ isAngle }) => isAngle);
  const scope = new Scope(outer);
  if (angle && !outer.find(angle.name)) scope.define(angle.name, angle.axis, dimensionless);
  const along = readRange(place, raw, first!, parameters, () => EVERYWHERE);
  const places = placesAlong(first!.axis, along.ends);
  const moving = new Set<Expr>([TIME_OF_BODY, ...coordinates.map((c) => c.symbol), ...(angle ? [angle.axis] : [])]);
  const moves = (e: Expr): boolean => dependsOn(e, moving);
  const turn = angle && ([angle.from, angle.to] as const);
  const read = (direction: Direction): Range => {
    const at = place.at(direction.name);
    return readRange(place, raw, direction, scope, (ends) => {
      ends.forEach((e, i) => requireNames(at.at(i), e, direction, { along: first!, angle, own, moving }));
      if (!ends.some(moves)) return places;
      const there = placesAlong(first!.axis, along.ends, BETWEEN);
      const round = turn ? placesAlong(angle.axis, turn, BETWEEN) : EVERYWHERE;
      return both(configurations(coordinates), both(there, round));
    });
  };
  const ranges = [along, ...others.map(read)];
  const whole = directions.find(({ name, turns }) => turns && !rangesGiven(raw).has(name));
  const still: ChamberRegion = {
    kind: 'region',
    axes: triple(directions.map(({ axis }) => axis)),
    ranges: triple(ranges.map(({ ends }) => ends)),
    ...(whole && { turn: whole.axis }),
    material,
    measure,
    breaks,
  };
  const shape = still.ranges.some((ends) => ends.some(moves)) ? inShares(still, moves, own) : still;
  return {
    shape: { ...shape, breaks: new Map([...breaks].filter(([axis]) => shape.axes.includes(axis))) },
    requirements: ranges.flatMap((range) => range.requirements),
  };
}

/** A region between ends that move, in shares of the way from the lower to the upper one. */
function inShares(region: ChamberRegion, moves: (e: Expr) => boolean, own: readonly SymbolExpr[]): ChamberRegion {
  const placed = new Map<SymbolExpr, Expr>();
  const widths: Expr[] = [];
  const both = region.axes.map((axis, i) => {
    const [low, high] = region.ranges[i]!;
    if (!moves(low) && !moves(high)) return { axis, range: region.ranges[i]! };
    const share = symbol(`chamber.share_${nameOf(axis)}`);
    placed.set(axis, plus(low, times(share, minus(high, low))));
    widths.push(minus(high, low));
    return { axis: share, range: [zero, one] as const };
  });
  const here = (e: Expr): Expr => substituteOne(e, placed);
  return {
    ...region,
    axes: triple(both.map(({ axis }) => axis)),
    ranges: triple(both.map(({ range }) => range)),
    material: new Map([
      ...[...region.material].map(([name, e]) => [name, here(e)] as const),
      ...[...placed].filter(([axis]) => own.includes(axis)),
    ]),
    measure: times(here(region.measure), ...widths),
    moves: true,
  };
}

/**
 * Ranges across a rod, or of the second and third axis of a box, may vary along the first; those of lengths round the section and
 * with the coordinates, too.
 */
function requireNames(
  at: Place,
  e: Expr,
  { name, isAngle }: Direction,
  {
    along,
    angle,
    own,
    moving,
  }: { along: Direction; angle: Direction | undefined; own: readonly SymbolExpr[]; moving: ReadonlySet<Expr> },
): void {
  const wrong = freeSymbols([e]).find(
    (used) => used !== along.axis && (isAngle ? moving.has(used) || own.includes(used) : isAcross(used)),
  );
  function isAcross(used: SymbolExpr): boolean {
    return own.includes(used) && used !== angle?.axis;
  }
  if (!wrong) return;
  throw at.error(
    'wrong-value',
    `the range of ${name} depends on \`${nameOf(wrong)}\``,
    isAngle
      ? `it may depend on ${along.name}, and that of a length on coordinates, too`
      : `it may depend on ${[along.name, ...(angle ? [angle.name] : [])].join(', ')}, on coordinates and on parameters`,
  );
}

// ---------------------------------------------------------------------------------------------- round sections

function semiAxes({ shape }: RodVolume): readonly [Expr, Expr] {
  if (shape.shape === 'ellipse') return [shape.semiAxisX, shape.semiAxisY];
  if (shape.shape === 'rectangle') throw new Error('a rectangle has no semi-axes');
  const radius = shape.shape === 'disc' ? shape.radius : shape.outerRadius;
  return [radius, radius];
}

/** Of ellipses r runs to 1. */
function polarDirections(volume: RodVolume): readonly [Direction, Direction] {
  const [r, phi] = polarSection(volume).axes;
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
      isAngle: true,
      from: zero,
      to: FULL_TURN,
      turns: volume.coordinates === 'cartesian',
    },
  ];
}

function polarCoordinates(volume: RodVolume): Pick<ChamberRegion, 'material' | 'measure'> {
  const { places, area } = polarSection(volume);
  return { material: places, measure: volume.coordinates === 'polar' ? one : area };
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
  const range = readRange(place, raw, along, parameters, () => EVERYWHERE);
  const scope = new Scope(parameters);
  scope.define(along.name, axial, LENGTH);
  const due = { what: 'the radius of a wall', dimension: radial.dimension };
  const radius = readScalar(at.at(key), written[key]!, due, scope).value;
  const requirements = placesAlong(axial, range.ends).flatMap(({ numbers }): Requirement[] => [
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
