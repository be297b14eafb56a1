/**
 * Lengths of routes along rods that are given by their strain, for the independent check: ∫ |ν + κ × d + d'| ds over Gauss–Legendre
 * points, strains at all points at once in double-double arithmetic, derivatives by difference quotients of fourth order. The route d and its slope d'
 * are those of the file in decimals, d' differenced: no coordinate moves them.
 */
import type { Decimal } from 'decimal.js';
import { ROUTE_SHARE, type RouteTerm } from '../../description/model/actuator.ts';
import type { BodyType, DeformableBody, Robot } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { decimalOfPrecision, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { dot, minus, plus, times } from '../arithmetic/algebra.ts';
import {
  apply,
  combineRow,
  constantColumn,
  decimalColumn,
  FIRST_DERIVATIVE,
  OFFSETS,
  roomBetween,
  SECOND_DERIVATIVE,
  STEP,
  type Column,
} from '../arithmetic/columns.ts';
import { add, multiply, result, squareRoot } from '../arithmetic/double-double.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';
import type { State } from '../generated/evaluation.ts';
import { displaced } from '../written/material-field.ts';
import type { Scalars } from '../written/material-points.ts';
import { settles, type OnPath } from '../arithmetic/motion.ts';
import { valuesAlong } from '../written/written-formulas.ts';

const Wide = decimalOfPrecision(60);
/** Along the curve: errors of the quotients are far below double-double numbers. */
const ALONG = new Wide('1e-18');

/** A function of the coordinates of the robot, with one partial for each; `acceleration` where they do not accelerate. */
export interface LengthMotion {
  readonly value: number;
  readonly rate: number;
  readonly acceleration: number;
  readonly partials: readonly number[];
}

export const UNSETTLED_LENGTH =
  'the independent length of a route does not settle; write `breaks` where formulas of the body have kinks';

/** Is it given by strains of sections that stay where they are, in which points do as well? */
export function isAlongStrain({ kinematics, volumes }: BodyType): boolean {
  const [volume] = volumes;
  const isFixed = volume?.kind === 'rod' && volume.coordinates === 'cartesian';
  return isFixed && kinematics.kind === 'strain' && !kinematics.slides && !kinematics.sectionPosition;
}

/** Points of a route, with what no coordinate moves. */
interface RoutePoints {
  readonly places: Column;
  /** m, that each point stands for. */
  readonly weights: Column;
  /** d and d', across the section. */
  readonly across: readonly [Column, Column];
  readonly slopes: readonly [Column, Column];
}

/**
 * Minus the length of a route.
 * @param points between breaks, and more of them, which must not change it.
 * @returns a text where there is no result, why.
 */
export function minusLengthMotion(
  robot: Robot,
  term: RouteTerm,
  state: State,
  [points, more]: readonly [number, number],
): LengthMotion | string {
  const { joint, body } = robot.links[term.link]!;
  const { type, parameters } = body as DeformableBody;
  const known = new Map<Expr, Decimal>(
    robot.parameters.map((p) => [p.symbol, evaluateDecimal([p.value], new Map(), Wide)[0]!]),
  );
  evaluateDecimal(parameters, known, Wide).forEach((value, i) => known.set(type.parameters[i]!.symbol, value));
  const scalars = new Map([...known].map(([s, value]): [Expr, Column] => [s, decimalColumn([value])]));
  // Coordinates of the body follow those of the joint.
  const own = robot.coordinates
    .flatMap(({ link }, a) => (link === term.link ? [a] : []))
    .slice(joint.coordinates.length);
  const q = own.map((a) => exactDecimal(state.q[a]!, Wide));
  const lengthWith = (route: RoutePoints, direction: readonly number[], seconds: number, factor: number): Column =>
    lengthOf(type, route, displaced(type, scalars, q, direction, state.t ?? 0, seconds, factor * STEP));
  const [fewer, better] = [points, more].map((count) => routePoints(type, term, known, count)) as [
    RoutePoints,
    RoutePoints,
  ];
  const still = own.map(() => 0);
  const around = (direction: readonly number[], seconds: number, route = fewer): Column[] =>
    OFFSETS.map((factor) => lengthWith(route, direction, seconds, factor));
  const rates = own.map((a) => state.qd[a]!);
  const onPath = (route: RoutePoints): OnPath => {
    const middle = lengthWith(route, still, 0, 0);
    const path = around(rates, 1, route);
    return [
      -middle.high[0]!,
      -quotient(path, FIRST_DERIVATIVE, STEP),
      -quotient([...path, middle], SECOND_DERIVATIVE, STEP * STEP),
    ];
  };
  const found = onPath(fewer);
  if (!settles(found, onPath(better), Math.max(type.time ? 1 : 0, ...rates.map(Math.abs)))) return UNSETTLED_LENGTH;
  const partials = robot.coordinates.map(() => 0);
  own.forEach((a, i) => {
    const { lower, upper } = robot.coordinates[a]!;
    const width = roomBetween(1, lower, upper);
    partials[a] = -quotient(around(still.with(i, width), 0), FIRST_DERIVATIVE, STEP * width);
  });
  const [minusLength, rate, acceleration] = found;
  return { value: minusLength, rate, acceleration, partials };
}

/** Σ weights · columns / (12 divisor) of one row. */
function quotient(columns: readonly Column[], twelfths: readonly number[], divisor: number): number {
  combineRow(columns, twelfths, 0);
  return (result.high + result.low) / divisor;
}

function routePoints(
  type: BodyType,
  { route }: RouteTerm,
  known: ReadonlyMap<Expr, Decimal>,
  count: number,
): RoutePoints {
  const number = (e: Expr): Decimal => evaluateDecimal([e], known, Wide)[0]!;
  const [from, to, start, slope] = [route.from, route.to, route.share.start, route.share.slope].map(number) as [
    Decimal,
    Decimal,
    Decimal,
    Decimal,
  ];
  const inside = type.volumes
    .flatMap((volume) => (volume.kind === 'mesh' ? [] : (volume.breaks.get(route.axial) ?? [])))
    .map(number)
    .filter((at) => at.gt(from) && at.lt(to))
    .sort((a, b) => a.cmp(b));
  const ends = [from, ...inside, to];
  const nodes = ends.slice(1).flatMap((end, panel) => {
    const width = end.minus(ends[panel]!);
    return gaussLegendre(count, Wide).map(({ position, weight }) => ({
      place: ends[panel]!.plus(width.times(position)),
      weight: weight.times(width),
    }));
  });
  const { section } = type.volumes[0] as RodVolume;
  const formulas = section.map((s) => route.across.get(s)!);
  const across = (s: Decimal): Decimal[] =>
    evaluateDecimal(
      formulas,
      new Map(known).set(route.axial, s).set(ROUTE_SHARE, start.plus(slope.times(s.minus(from)))),
      Wide,
    );
  const at = nodes.map(({ place }) => across(place));
  const slopes = nodes.map(({ place }) => {
    const [after, before] = [across(place.plus(ALONG)), across(place.minus(ALONG))];
    return after.map((value, i) => value.minus(before[i]!).div(ALONG).div(2));
  });
  const columns = (values: readonly (readonly Decimal[])[]): [Column, Column] =>
    [0, 1].map((i) => decimalColumn(values.map((own) => own[i]!))) as [Column, Column];
  return {
    places: decimalColumn(nodes.map(({ place }) => place)),
    weights: decimalColumn(nodes.map(({ weight }) => weight)),
    across: columns(at),
    slopes: columns(slopes),
  };
}

/** One row. */
function lengthOf(type: BodyType, { places, weights, across, slopes }: RoutePoints, scalars: Scalars): Column {
  const { kinematics, volumes } = type;
  if (kinematics.kind !== 'strain') throw new Error('not a strain field');
  const { axial } = volumes[0] as RodVolume;
  const strain = valuesAlong(type, [...kinematics.angular, ...kinematics.linear], scalars, axial, places);
  const [bendX, bendY, twist, ...shifts] = strain as [Column, Column, Column, Column, Column, Column];
  const [x, y] = across;
  // κ × d of d = (x, y, 0).
  const turned = [times(constantColumn(-1), times(twist, y)), times(twist, x), minus(times(bendX, y), times(bendY, x))];
  const tangent = shifts.map((own, i) => plus(plus(own, turned[i]!), slopes[i] ?? constantColumn(0)));
  const speed = apply(squareRoot, dot(tangent, tangent));
  let [high, low] = [0, 0];
  speed.high.forEach((own, row) => {
    multiply(own, speed.low[row]!, weights.high[row]!, weights.low[row]!);
    add(high, low, result.high, result.low);
    [high, low] = [result.high, result.low];
  });
  return constantColumn(high, low);
}
