/** How many points a route needs: length and gradient at sample configurations by more and more of them. */
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { compare, select, type Expr } from '../../symbolic/graph/expr.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { gaussLegendre } from '../../integration/rules/gauss.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';
import type { RouteRequest } from '../link/actuation-terms.ts';
import { regularPosition } from '../kinematics/point-kinematics.ts';
import { Orientation } from '../points/orientation.ts';
import { panelEnds } from '../rods/rod-points.ts';

const CONFIGURATIONS = 12;
/** Of many links with different parameters. */
const MOST_LINKS = 6;
/** On every panel between breaks; each is compared with the one after the next. */
const POINTS = [2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 24, 28, 32, 48, 64, 96, 128];

/** A configuration of a link, with its parameters, by symbol; and the ends of the panels there. */
export interface RouteSample {
  readonly values: ReadonlyMap<Expr, number>;
  readonly ends: readonly number[];
}

export function routeSamples(
  type: BodyType,
  request: RouteRequest,
  parameters: readonly ParameterValues[],
): readonly RouteSample[] {
  const ends = routeEnds(type, request);
  return parameters.slice(0, MOST_LINKS).flatMap((numbers) => {
    return configurationsOf(type, numbers).map((q) => {
      const values = new Map<Expr, number>(numbers);
      type.coordinates.forEach(({ symbol }, a) => values.set(symbol, q[a]!));
      if (type.time) values.set(type.time, 0);
      return { values, ends: evaluate(ends, values) };
    });
  });
}

/** Where nothing of the body is turned inside out. */
function configurationsOf(type: BodyType, numbers: ParameterValues): readonly (readonly number[])[] {
  const { kind } = type.kinematics;
  if (kind === 'strain' || kind === 'network')
    return sampleConfigurations(coordinateRanges(type, numbers), CONFIGURATIONS);
  return new Orientation(type, regularPosition(type), numbers).configurations(CONFIGURATIONS);
}

/** +1 or −1 where the value has this sign everywhere, else 0. */
export function signOnRoute(value: Expr, axial: Expr, samples: readonly RouteSample[]): number {
  const signs = samples.flatMap((sample) => {
    const { columns } = rowsOf(sample, axial, 8);
    return [...run([value], columns, sample.values)[0]!].map(Math.sign);
  });
  return signs.every((sign) => sign > 0) ? 1 : signs.every((sign) => sign < 0) ? -1 : 0;
}

/**
 * @param integrands the length first, then its derivatives.
 * @throws KanegenError `tolerance-not-met` at the route.
 */
export function pointsForRoute(
  { integration: { tolerance } }: BodyType,
  { axial, location }: RouteRequest,
  integrands: readonly Expr[],
  samples: readonly RouteSample[],
): number {
  const known = new Map<number, readonly Sums[]>();
  const at = (points: number): readonly Sums[] => {
    const found = known.get(points) ?? samples.map((sample) => sumsOf(integrands, sample, axial, points));
    known.set(points, found);
    return found;
  };
  let error = Infinity;
  for (let k = 0; k + 2 < POINTS.length; k++) {
    error = largestError(at(POINTS[k]!), at(POINTS[k + 2]!));
    if (error <= tolerance) return POINTS[k]!;
  }
  const isFinite = Number.isFinite(error);
  throw new KanegenError(
    isFinite ? 'tolerance-not-met' : 'irregular-kinematics',
    isFinite
      ? `${POINTS.at(-3)!} points along this route leave a relative error of ${error.toExponential(1)} where ${tolerance} is asked for`
      : 'the length of this route is not finite everywhere over the ranges of the coordinates',
    {
      location,
      remedy: isFinite
        ? 'write a smoother route, give the body `breaks` where it has kinks, or a larger `tolerance` of its `integration`'
        : 'write a route that no configuration within the `limits` shrinks to a point',
    },
  );
}

interface Sums {
  readonly values: readonly number[];
  /** Σ |term|: what errors are measured by. */
  readonly scales: readonly number[];
}

function rowsOf(
  { ends }: RouteSample,
  axial: Expr,
  points: number,
): { readonly columns: ReadonlyMap<Expr, Float64Array>; readonly weights: readonly number[] } {
  const { nodes, weights } = gaussLegendre(points);
  const panels = ends.slice(1).map((to, i) => ({ from: ends[i]!, length: to - ends[i]! }));
  const places = panels.flatMap(({ from, length }) => nodes.map((u) => from + u * length));
  return {
    columns: new Map([[axial, Float64Array.from(places)]]),
    weights: panels.flatMap(({ length }) => weights.map((w) => w * length)),
  };
}

function sumsOf(integrands: readonly Expr[], sample: RouteSample, axial: Expr, points: number): Sums {
  const { columns, weights } = rowsOf(sample, axial, points);
  const rows = run(integrands, columns, sample.values);
  const total = (f: (value: number) => number): number[] =>
    rows.map((column) => column.reduce((sum, value, i) => sum + f(value) * weights[i]!, 0));
  return { values: total((value) => value), scales: total(Math.abs) };
}

function run(
  values: readonly Expr[],
  columns: ReadonlyMap<Expr, Float64Array>,
  scalars: ReadonlyMap<Expr, number>,
): Float64Array[] {
  const [places] = [...columns.values()];
  const results = values.map(() => new Float64Array(places!.length));
  new RowProgram(values, [...columns.keys()]).run(columns, scalars, places!.length, (first, count, registers) =>
    registers.forEach((register, i) => results[i]!.set(register.subarray(0, count), first)),
  );
  return results;
}

/** Relative to the largest that each integral is at any sample. */
function largestError(coarse: readonly Sums[], fine: readonly Sums[]): number {
  const scales = fine[0]!.scales.map((_, i) => Math.max(...fine.map((sums) => sums.scales[i]!)));
  let largest = 0;
  fine.forEach(({ values }, k) =>
    values.forEach((value, i) => {
      const change = Math.abs(value - coarse[k]!.values[i]!);
      const error = change === 0 ? 0 : change / scales[i]!;
      if (!(error <= largest)) largest = Number.isNaN(error) ? Infinity : error;
    }),
  );
  return largest;
}

/** Ends of the route and the breaks between them; what lies outside has no length. */
export function routeEnds(type: BodyType, { axial, from, to }: RouteRequest): readonly Expr[] {
  const rod = type.volumes.find((volume) => volume.kind === 'rod' && volume.axial === axial);
  const breaks = rod?.kind === 'rod' ? panelEnds(type, rod).slice(1, -1) : [];
  const above = breaks.map((at) => select(compare('<', at, from), from, at));
  return [from, ...above.map((at) => select(compare('<', at, to), at, to)), to];
}
