/**
 * What the bodies of a robot are as its file describes them: masses, lengths, stiffness of sections; and which of them are hardly meant
 * so. From the formulas as they were written, at the defaults; nothing generated is asked.
 */
import { eachAxis, mapTuple } from '../../common/tuples.ts';
import { isInsideOut } from '../../description/volumes/reference-shape.ts';
import { rateOf, type BodyType, type DeformableBody, type Robot } from '../../description/model/robot.ts';
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { coordinateRanges, placeText, type ParameterValues } from '../../kane/kinematics/sample-configurations.ts';
import { stiffnessOfRods, type StiffnessOfSection } from '../../kane/rods/section-stiffness.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { constantColumn, type Column } from '../../verify/arithmetic/columns.ts';
import { withLoads } from '../../kane/loaded/loads-in-balance.ts';
import { MaterialField } from '../../verify/written/material-field.ts';
import { sampleMaterial, type Fineness } from '../../verify/written/material-points.ts';
import { curvePoints, INSIDE } from '../volume-surface.ts';

export interface UnderstoodLink {
  readonly link: string;
  /** Of the body; `rigid`. */
  readonly type: string;
  /** kg */
  readonly mass: number;
  /** Of the line through the middle of the first rod, without deformation, m; none of others. */
  readonly length?: number;
  /** Of rods with a material: at one place where all are alike, else at both ends and between. */
  readonly sections: readonly StiffnessOfSection[];
}

export type Scalars = ReadonlyMap<Expr, number>;
type Point = readonly [number, number, number];

/** Panels of the line through the middle of a rod, an even number. */
const PANELS = 40;
/** Nodes for the mass in a direction along which the density varies, and in others. */
const FINE: Fineness = { count: 8, graded: false };
const COARSE: Fineness = { count: 1, graded: false };
/** rad; a bend at which formulas that were meant for small ones show their signs. */
const BENT = 1.2;
/** rad */
const ASIDE = 2e-4;
/** Cosine of the angle between two directions that are opposite, for a reader. */
const OPPOSITE = -0.9;

/** In the order of the links; run-time parameters at their defaults. */
export function understoodLinks(given: Robot): readonly UnderstoodLink[] {
  const robot = withLoads(given);
  const stiffness = new Map(stiffnessOfRods(robot).map(({ link, sections }) => [link, sections]));
  const parameters = parametersAtDefaults(robot);
  const known = new Map<string, Pick<UnderstoodLink, 'mass' | 'length'>>();
  return robot.links.map(({ name, body }) => {
    const sections = stiffness.get(name) ?? [];
    if (body.kind === 'rigid')
      return { link: name, type: 'rigid', mass: evaluate([body.mass], parameters)[0]!, sections };
    const key = `${body.type.name} ${evaluate(body.parameters, parameters).join(' ')}`;
    const sizes = known.get(key) ?? sizesOf(body.type, scalarsOf(body, parameters));
    known.set(key, sizes);
    return { link: name, type: body.type.name, ...sizes, sections };
  });
}

function sizesOf(type: BodyType, scalars: Scalars): Pick<UnderstoodLink, 'mass' | 'length'> {
  // A rod within a body of another shape is not how long that is.
  const isRod = type.volumes.every(({ kind }) => kind === 'rod');
  const length = isRod ? restingLine(type, scalars)?.length : undefined;
  const mass = type.volumes.reduce((sum, volume) => sum + massOf(volume, scalars), 0);
  return { mass, ...(length !== undefined && { length }) };
}

/** What is computed with and hardly meant, of each body type once: in the first link that has it. None of kinds that are silenced. */
export function suspectBodies(robot: Robot): readonly Warning[] {
  const parameters = parametersAtDefaults(robot);
  const bodies = withLoads(robot).links.flatMap(({ body }) => (body.kind === 'deformable' ? [body] : []));
  const first = new Map([...bodies].reverse().map((body) => [body.type, body]));
  const found = [...first.values()].flatMap((body) => suspicionsOf(body, scalarsOf(body, parameters)));
  return found.filter(({ name }) => !(robot.silenced ?? []).includes(name));
}

/** Of the robot; of run-time parameters their defaults. */
export function parametersAtDefaults({ parameters }: Robot): Scalars {
  return new Map(parameters.map(({ symbol, value }) => [symbol, evaluate([value])[0]!]));
}

/** Parameters of the robot and of the body, its coordinates at their defaults, the time zero. */
export function scalarsOf({ type, parameters }: DeformableBody, ofRobot: Scalars): Scalars {
  const values = evaluate(parameters, ofRobot);
  const defaults = evaluate(type.coordinates.map(({ value }) => value));
  return new Map<Expr, number>([
    ...ofRobot,
    ...type.parameters.map((p, i): [Expr, number] => [p.symbol, values[i]!]),
    ...type.coordinates.map((c, i): [Expr, number] => [c.symbol, defaults[i]!]),
    ...(type.time ? [[type.time, 0] as [Expr, number]] : []),
  ]);
}

const columnsOf = (scalars: Scalars): ReadonlyMap<Expr, Column> =>
  new Map([...scalars].map(([symbol, value]) => [symbol, constantColumn(value)]));

function massOf(volume: Volume, scalars: Scalars): number {
  const fineness = finenessOf(volume);
  const plan = { volume, formulas: [volume.density], scalars: columnsOf(scalars), fineness };
  return sampleMaterial(plan).masses.reduce((sum, mass) => sum + mass, 0);
}

/** Of rods areas depend on the place along them; where the density does not, all else is exact with the least there is. */
function finenessOf(volume: Volume): readonly [Fineness, Fineness, Fineness] {
  const varies = (symbols: readonly Expr[]): Fineness => (dependsOn(volume.density, new Set(symbols)) ? FINE : COARSE);
  if (volume.kind !== 'rod') {
    const own = varies(volume.axes);
    return [own, own, own];
  }
  const across = varies(volume.section);
  return [FINE, across, across];
}

interface Line {
  readonly length: number;
  /** Unit vectors along the line at its ends, proximal axes. */
  readonly first: Point;
  readonly last: Point;
  /** Rotation of the distal frame by rows; none of bodies without one. */
  readonly distal: readonly number[] | undefined;
}

/**
 * Angles are taken a little aside of their defaults, where formulas such as (1 − cos q)/q have values in few digits, to both sides in
 * turn: what is left of the change is of second order.
 */
function restingLine(type: BodyType, scalars: Scalars): Line | undefined {
  const [less, more] = [-ASIDE, ASIDE].map((by) => {
    const beside = new Map(scalars);
    for (const { symbol, unit } of type.coordinates) if (unit === 'rad') beside.set(symbol, scalars.get(symbol)! + by);
    return lineOf(type, beside);
  });
  return less && more && { ...more, length: (less.length + more.length) / 2 };
}

/** The middle of the first rod; none where a body has no rod, or no such places. */
function lineOf(type: BodyType, scalars: Scalars): Line | undefined {
  const volume = type.volumes.find((own) => own.kind === 'rod');
  if (!volume) return undefined;
  const { points, distal } = middleOf({ ...type, volumes: [volume] }, volume, scalars);
  const at = (k: number): Point => points[k]!;
  const chords = (stride: number): number =>
    Array.from({ length: PANELS / stride }, (_, k) => distance(at(stride * k), at(stride * (k + 1)))).reduce(
      (sum, chord) => sum + chord,
      0,
    );
  // Chords fall short of arcs by the square of their length; the first of them begins a little inside.
  const length = (4 * chords(1) - chords(2)) / 3 / (1 - INSIDE);
  if (!Number.isFinite(length) || length <= 0) return undefined;
  return {
    length,
    first: direction(at(0), at(1)),
    last: direction(at(PANELS - 1), at(PANELS)),
    distal: distal?.slice(0, 9).map(({ high }) => high[0]!),
  };
}

interface Middle {
  readonly points: readonly Point[];
  readonly distal: readonly Column[] | undefined;
}

/** Of tubes between two places of the wall that lie opposite: formulas need not have a value where there is no material. */
function middleOf(type: BodyType, volume: RodVolume, scalars: Scalars): Middle {
  const [start, end] = evaluate([volume.start, volume.end], scalars) as [number, number];
  const nodes = Array.from({ length: PANELS + 1 }, (_, k) => start + (end - start) * Math.max(INSIDE, k / PANELS));
  const { shape, coordinates } = volume;
  const sides = shape.shape === 'annulus' ? [1, -1] : [0];
  const placed = sides.map((side) => {
    const points = curvePoints(volume, scalars, nodes, (s) => {
      if (shape.shape !== 'annulus') return [0, 0];
      const radius = evaluate([shape.outerRadius], new Map(scalars).set(volume.axial, s))[0]!;
      return coordinates === 'polar' ? [radius, side > 0 ? 0 : Math.PI] : [side * radius, 0];
    });
    return new MaterialField(type, [points]).place(columnsOf(scalars));
  });
  const mean = (axis: number, k: number): number =>
    placed.reduce((sum, { points }) => sum + points[0]![axis]!.high[k]! / placed.length, 0);
  return {
    points: nodes.map((_, k) => [mean(0, k), mean(1, k), mean(2, k)] as const),
    distal: placed[0]!.distal,
  };
}

const distance = (a: Point, b: Point): number => Math.hypot(...a.map((x, i) => b[i]! - x));

function direction(a: Point, b: Point): Point {
  const length = distance(a, b);
  return mapTuple(a, (x, i) => (b[i]! - x) / length);
}

function suspicionsOf(body: DeformableBody, scalars: Scalars): Warning[] {
  const { type } = body;
  const found: Warning[] = [];
  const line = restingLine(type, scalars);
  if (line?.distal && foldsBack(line, line.distal))
    found.push({
      name: 'folded-back',
      location: type.locations.distal,
      message: `the distal frame of \`${type.name}\` leads the next link back into the body: it would start along ${pointText(turned(line.distal, line.first))}, and this one ends along ${pointText(line.last)}; are two axes swapped?`,
    });
  const inverted = invertedAt(type, scalars);
  if (inverted)
    found.push({
      name: 'inside-out',
      location: type.locations.kinematics,
      message: `\`${type.name}\` is turned inside out at ${inverted.place}: check the signs of the factors of its section coordinates${inverted.isLimit ? ', or let its limits end before' : ''}`,
    });
  const given = energyGiven(type, scalars);
  if (given)
    found.push({
      name: 'gives-energy',
      location: type.provenance.locationOfValue(type.dissipation!, 'dissipation') ?? type.locations.whole,
      message: `the dissipation of \`${type.name}\` is ${given.power} W where \`${given.coordinate}\` alone moves at 1 ${given.unit}/s: below zero it drives the body; is a sign wrong?`,
    });
  return found;
}

/** A coordinate whose rate alone makes the dissipation of a body negative, at the defaults. */
function energyGiven(
  { dissipation, coordinates }: BodyType,
  scalars: Scalars,
): { readonly coordinate: string; readonly unit: string; readonly power: number } | undefined {
  if (!dissipation) return undefined;
  const rates = coordinates.map(({ symbol }) => rateOf(symbol));
  for (const [i, { name, unit }] of coordinates.entries()) {
    const moving = new Map<Expr, number>([
      ...scalars,
      ...rates.map((rate, k): [Expr, number] => [rate, Number(k === i)]),
    ]);
    const [power] = evaluate([dissipation], moving) as [number];
    if (power < 0) return { coordinate: name, unit, power: Number(power.toPrecision(4)) };
  }
  return undefined;
}

/** What follows begins in the distal frame as this body does in its proximal one. */
function foldsBack({ first, last }: Line, distal: readonly number[]): boolean {
  const next = turned(distal, first);
  return next.reduce((sum, x, i) => sum + x * last[i]!, 0) < OPPOSITE;
}

const turned = (rotation: readonly number[], v: Point): Point =>
  eachAxis((row) => [0, 1, 2].reduce((sum, column) => sum + rotation[3 * row + column]! * v[column]!, 0));

const pointText = (v: Point): string => `[${v.map((x) => String(Number(x.toFixed(2)) || 0)).join(', ')}]`;

/** A coordinate and its value, others at their defaults; looked at where limits end, and where a body is well bent. */
function invertedAt(
  type: BodyType,
  scalars: Scalars,
): { readonly place: string; readonly isLimit: boolean } | undefined {
  const parameters: ParameterValues = new Map(type.parameters.map(({ symbol }) => [symbol, scalars.get(symbol)!]));
  const rest = type.coordinates.map(({ symbol }) => scalars.get(symbol)!);
  for (const [i, range] of coordinateRanges(type, parameters).entries()) {
    const { unit, value, low, high, stated } = range;
    const bent = unit === 'rad' ? [value - BENT, value + BENT] : [];
    const ends = stated ? [low, high] : [];
    const place = [...bent, ...ends].find((x) => isInsideOut(type, parameters, rest.with(i, x)));
    if (place === undefined) continue;
    return { place: placeText(range, place), isLimit: ends.includes(place) };
  }
  return undefined;
}
