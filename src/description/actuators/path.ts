/**
 * `tendon: { path: […] }`: a tendon from point to point in straight pieces, and through bodies on routes. Where two bodies of
 * a route do not meet, the piece between them is straight, too.
 */
import type { SourceLocation } from '../../common/error.ts';
import { minus, plus, times, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { ROUTE_SHARE, type ActuatorTerm, type RouteTerm } from '../model/actuator.ts';
import { straightPiece, type Anchor } from '../model/frame-terms.ts';

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
