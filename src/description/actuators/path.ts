/**
 * `tendon: { path: […] }`: a tendon from point to point in straight pieces, and through bodies on routes. Where two bodies of
 * a route do not meet, the piece between them is straight, too. With `friction` it slides over the points between its ends.
 */
import type { SourceLocation } from '../../common/error.ts';
import { minus, plus, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { ROUTE_SHARE, type ActuatorTerm, type RouteTerm } from '../model/actuator.ts';
import { MOST_POINTS, slidingTendon, straightPiece, type Anchor } from '../model/frame-terms.ts';
import type { RawTendon } from '../language/actuators.ts';
import type { Place } from '../source/source.ts';
import { dues, knownNumber, readScalar, type Due, type RawValue } from '../values/scope.ts';
import type { ActuatorContext } from './actuator-context.ts';

export interface PointPiece {
  readonly kind: 'point';
  readonly anchor: Anchor;
  readonly location: SourceLocation;
}

/** A point, or a route through one body. */
export type PathPiece = PointPiece | { readonly kind: 'route'; readonly term: RouteTerm };

/** Routes, and segments wherever one piece ends and another begins. */
export function pathTerms(pieces: readonly PathPiece[]): readonly ActuatorTerm[] {
  return pieces.flatMap((piece, i): ActuatorTerm[] => {
    const before = pieces[i - 1];
    const straight: ActuatorTerm[] = before
      ? [straightPiece(endOf(before, 'to'), endOf(piece, 'from'), locationOf(piece))]
      : [];
    return piece.kind === 'point' ? straight : [...straight, piece.term];
  });
}

/**
 * A tendon with friction at the points between its ends, one term.
 * @param place of the tendon.
 * @throws KanegenError `missing-key`, `wrong-value`, or `not-supported` for routes, and for more points than a term holds.
 */
export function slidingTerms(
  place: Place,
  raw: NonNullable<RawTendon['friction']>,
  pieces: readonly PathPiece[],
  context: ActuatorContext,
): readonly ActuatorTerm[] {
  const at = place.at('friction');
  for (const key of ['coefficient', 'at'] as const)
    if (raw[key] === undefined)
      throw at.keyError(
        'missing-key',
        `this friction has no \`${key}\``,
        'write `friction: { coefficient: 0.1, at: 1 mm/s }`: μ, and the speed up to which it is smooth',
      );
  const number = (key: 'coefficient' | 'at', due: Due, isRight: (e: number) => boolean, remedy: string): Expr => {
    const { value } = readScalar(at.at(key), raw[key] as RawValue, due, context.scope);
    const known = knownNumber(value, context.defaults);
    if (known !== undefined && !isRight(known))
      throw at.at(key).error('wrong-value', `${due.what} is ${known}`, remedy);
    return value;
  };
  const coefficient = number(
    'coefficient',
    { ...dues.plain, what: 'the coefficient of friction' },
    (e) => e >= 0,
    'write zero or more',
  );
  const speed = number(
    'at',
    { ...dues.velocity, what: 'the speed up to which friction is smooth' },
    (e) => e > 0,
    'write a value above zero',
  );
  if (pieces.some(({ kind }) => kind === 'route'))
    throw at.keyError(
      'not-supported',
      'friction along a curve within a body is not known: it acts where a tendon passes points',
      'hold the tendon at points, `discs: { radius: R, at: [L/4, L/2, 3*L/4, L] }` or a `path` of them, or remove `friction`',
    );
  const points = pieces as readonly PointPiece[];
  if (points.length < 3)
    throw at.keyError(
      'wrong-value',
      'this tendon passes no point between its ends, where friction would act',
      'write the points that it passes into its `path`, or remove `friction`',
    );
  if (points.length > MOST_POINTS)
    throw at.keyError(
      'not-supported',
      `this tendon has ${points.length} points, with friction at most ${MOST_POINTS} are possible`,
      'leave points out where it hardly bends, or make it two tendons',
    );
  const anchors = points.map(({ anchor }) => anchor);
  return [slidingTendon(anchors, { coefficient, speed }, place.location)];
}

function locationOf(piece: PathPiece): SourceLocation {
  return piece.kind === 'point' ? piece.location : piece.term.route.location;
}

function endOf(piece: PathPiece, end: 'from' | 'to'): Anchor {
  return piece.kind === 'point' ? piece.anchor : pointOfRoute(piece.term, piece.term.route[end]);
}

/** @param at value of the coordinate that runs along the route. */
export function pointOfRoute({ link, route }: RouteTerm, at: Expr): Anchor {
  const { axial, across, share, from, location } = route;
  const travelled = at === from ? share.start : plus(share.start, times(share.slope, minus(at, from)));
  const values = new Map<Expr, Expr>([
    [axial, at],
    [ROUTE_SHARE, travelled],
  ]);
  const sections = [...across].map(([own, e]): [SymbolExpr, Expr] => [own, substitute([e], values)[0]!]);
  return { kind: 'material', link, at: new Map([[axial, at], ...sections]), location };
}
