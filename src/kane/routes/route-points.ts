/** How many points a route needs: length and gradient at sample configurations by more and more of them. */
import { KanegenError } from '../../common/error.ts';
import { compare, fraction, integer, minus, plus, select, times, type Expr } from '../../symbolic/graph/expr.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { coordinateRanges, sampleConfigurations, type ParameterValues } from '../kinematics/sample-configurations.ts';
import type { RouteRequest } from '../body/actuation-terms.ts';
import { regularPosition } from '../kinematics/point-kinematics.ts';
import { Orientation } from '../points/orientation.ts';
import { linePoints, lineRows, lineSamples, runAlong, type LineSample } from '../rod-points/line-points.ts';
import { panelEnds } from '../rod-points/rod-points.ts';

const CONFIGURATIONS = 12;
/** Of many links with different parameters. */
const MOST_LINKS = 6;
export function routeSamples(
  type: BodyType,
  request: RouteRequest,
  parameters: readonly ParameterValues[],
): readonly LineSample[] {
  const ends = routeEnds(type, request);
  return parameters
    .slice(0, MOST_LINKS)
    .flatMap((numbers) => lineSamples(type, ends, numbers, configurationsOf(type, numbers)));
}

/** Where nothing of the body is turned inside out. */
function configurationsOf(type: BodyType, numbers: ParameterValues): readonly (readonly number[])[] {
  const { kind } = type.kinematics;
  if (kind === 'strain' || kind === 'network')
    return sampleConfigurations(coordinateRanges(type, numbers), CONFIGURATIONS);
  return new Orientation(type, regularPosition(type), numbers).configurations(CONFIGURATIONS);
}

/** +1 or −1 where the value has this sign everywhere, else 0. */
export function signOnRoute(value: Expr, axial: Expr, samples: readonly LineSample[]): number {
  const signs = samples.flatMap((sample) => {
    const { columns } = lineRows(sample, axial, 8);
    return [...runAlong([value], columns, sample.values)[0]!].map(Math.sign);
  });
  return signs.every((sign) => sign > 0) ? 1 : signs.every((sign) => sign < 0) ? -1 : 0;
}

/** Points on each of so many equal pieces between breaks. */
export interface RouteRule {
  readonly points: number;
  readonly pieces: number;
}

/** For routes that wind around their body many times. */
const PIECES = [1, 2, 4, 8, 16, 32, 64];

/**
 * @param integrands the length first, then its derivatives.
 * @throws KanegenError `tolerance-not-met` at the route.
 */
export function ruleForRoute(
  { integration: { tolerance } }: BodyType,
  { axial, location }: RouteRequest,
  integrands: readonly Expr[],
  samples: readonly LineSample[],
): RouteRule {
  return ruleForLine('route', { axial, location, tolerance }, integrands, samples);
}

/** What to say where a rule cannot be had. */
const LINES = {
  route: {
    notFinite: 'the length of this route is not finite everywhere over the ranges of the coordinates',
    finiteRemedy: 'write a route that no configuration within the `limits` shrinks to a point',
    remedy:
      'write a smoother route, give the body `breaks` where it has kinks, or a larger `tolerance` of its `integration`',
  },
  field: {
    notFinite: 'the work of this field is not finite everywhere over the ranges of the coordinates',
    finiteRemedy: 'write a field without poles on the rod, for coordinates within the `limits`',
    remedy:
      'write a field without poles near the rod, give the body `breaks` where it has kinks, or a larger `tolerance` of its `integration`',
  },
} as const;

/**
 * A rule by which integrals along a line are within the tolerance.
 * @throws KanegenError `tolerance-not-met`, `irregular-kinematics` at the location.
 */
export function ruleForLine(
  kind: keyof typeof LINES,
  { axial, location, tolerance }: Pick<RouteRequest, 'axial' | 'location'> & { readonly tolerance: number },
  integrands: readonly Expr[],
  samples: readonly LineSample[],
): RouteRule {
  let [points, error] = [0, Infinity];
  for (const pieces of PIECES) {
    const cut = samples.map((sample) => ({ ...sample, ends: cutNumbers(sample.ends, pieces) }));
    ({ points, error } = linePoints(integrands, axial, cut, tolerance));
    if (error <= tolerance) return { points, pieces };
    if (!Number.isFinite(error)) break;
  }
  const isFinite = Number.isFinite(error);
  const { notFinite, finiteRemedy, remedy } = LINES[kind];
  throw new KanegenError(
    isFinite ? 'tolerance-not-met' : 'irregular-kinematics',
    isFinite
      ? `${points} points on each of ${PIECES.at(-1)!} pieces of this ${kind} leave a relative error of ${error.toExponential(1)} where ${tolerance} is asked for`
      : notFinite,
    { location, remedy: isFinite ? remedy : finiteRemedy },
  );
}

/** Ends of the route and the breaks between them; what lies outside has no length. */
export function routeEnds(type: BodyType, { axial, from, to }: RouteRequest): readonly Expr[] {
  const rod = type.volumes.find((volume) => volume.kind === 'rod' && volume.axial === axial);
  const breaks = rod?.kind === 'rod' ? panelEnds(type, rod).slice(1, -1) : [];
  const above = breaks.map((at) => select(compare('<', at, from), from, at));
  return [from, ...above.map((at) => select(compare('<', at, to), at, to)), to];
}

/** Each piece between two ends cut into equal ones. */
export function cutPieces(ends: readonly Expr[], pieces: number): readonly Expr[] {
  const [first, ...others] = ends as [Expr, ...Expr[]];
  return [
    first,
    ...others.flatMap((to, i) => {
      const step = times(fraction(1, pieces), minus(to, ends[i]!));
      const inner = Array.from({ length: pieces - 1 }, (_, k) => plus(ends[i]!, times(integer(k + 1), step)));
      return [...inner, to];
    }),
  ];
}

function cutNumbers(ends: readonly number[], pieces: number): readonly number[] {
  const [first, ...others] = ends as [number, ...number[]];
  return [
    first,
    ...others.flatMap((to, i) =>
      Array.from({ length: pieces }, (_, k) =>
        k === pieces - 1 ? to : ends[i]! + ((k + 1) / pieces) * (to - ends[i]!),
      ),
    ),
  ];
}
