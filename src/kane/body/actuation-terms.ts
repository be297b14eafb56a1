/**
 * Terms of actuation coordinates: y = Σ terms, each a function of the coordinates of one link. Joints and every way of
 * having a body offer them (`BodyWay`), beside their forces; what drives the robot through the gradient of y is
 *   τ += (∂y/∂q)ᵀ u,
 * and controllers need ẏ and q̇ᵀ(∂²y/∂q²)q̇ as well.
 */
import type { Expr, SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { SourceLocation } from '../../common/error.ts';
import type { Chamber } from '../../description/model/chamber.ts';
import type { Loop } from '../loops/loop.ts';
import { movingValue, type CoordinateSymbols, type MovingValue } from '../equations/rates.ts';

/** `value` is a share of y, over the symbols of the coordinates and results of loops; so are its derivatives. */
export interface ActuationTerm extends MovingValue {
  /** What it is, for reports: `tendon route`. */
  readonly name: string;
  /** How it was had, for reports: `closed form`, `Gauss-Legendre rule of 8 points`. */
  readonly method: string;
  /** Loops that these need, in an order in which each needs only those before it; terms may share them. */
  readonly loops: readonly Loop[];
}

/** What is asked of a body, over the symbols of its link type; names of loops begin with `name`. */
export type ActuationRequest = RouteRequest | ChamberRequest | FieldRequest;

/** The volume of a chamber. */
interface ChamberRequest {
  readonly kind: 'chamber';
  readonly chamber: Chamber;
}

/** The work of internal moments and forces on the strain of a rod. */
export interface FieldRequest {
  readonly kind: 'field';
  /** Identifier-safe and unique within the link type. */
  readonly name: string;
  /** Work-conjugate to (bend-x, bend-y, twist, shear-x, shear-y, stretch), over the axial coordinate of the rod and the time. */
  readonly components: readonly Expr[];
  readonly time?: SymbolExpr;
  readonly location: SourceLocation;
}

/** Minus the length of a material curve. */
export interface RouteRequest {
  readonly kind: 'route';
  /** Identifier-safe and unique within the link type. */
  readonly name: string;
  /** The material coordinate that runs along the curve, from one value to another. */
  readonly axial: SymbolExpr;
  /** The others, as formulas of it. */
  readonly across: ReadonlyMap<SymbolExpr, Expr>;
  readonly from: Expr;
  readonly to: Expr;
  readonly location: SourceLocation;
}

/** A term at its place in a link. */
export interface LinkActuation {
  readonly term: ActuationTerm;
  /** Index among the link's coordinates of each coordinate of the term. */
  readonly coordinates: readonly number[];
}

/** The term of a formula. @param value over the coordinates (and the time). */
export function formulaActuation(name: string, method: string, value: Expr, symbols: CoordinateSymbols): ActuationTerm {
  return { name, method, ...movingValue(value, symbols), loops: [] };
}
