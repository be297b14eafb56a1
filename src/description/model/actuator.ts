/**
 * What drives a robot. An actuator is a scalar function y(q), its actuation coordinate; its input u is the force that does
 * work on it, u ẏ, so that its generalized forces are τ += (∂y/∂q)ᵀ u. y is a sum of terms. Most terms belong to one link,
 * so that everything about them is computed within links; formulas that mix links are kept whole.
 */
import { symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import type { Chamber } from './chamber.ts';
import type { ReachingTerm } from './frame-terms.ts';
import type { SourceLocation } from '../../common/error.ts';

export interface Actuator {
  readonly name: string;
  /** The key of the robot file that it was given by: `motor`, `along`, `tendon`, `pressure`, `wrench`, `field`. */
  readonly kind: string;
  readonly summary: string;
  /** SI unit of the input u. */
  readonly unit: string;
  /** SI unit of the actuation coordinate y. */
  readonly coordinateUnit: string;
  /** Of the input. */
  readonly lower?: number;
  readonly upper?: number;
  readonly terms: readonly ActuatorTerm[];
  /** Indices of the coordinates whose equilibria the input holds; of `drives`. */
  readonly drives?: readonly number[];
  readonly location: SourceLocation;
}

/** Formulas are over `coordinateSymbol`s and run-time parameters of the robot. */
export type ActuatorTerm = LocalTerm | RobotTerm | ReachingTerm;

/** Within one link. */
export type LocalTerm = FormulaTerm | RouteTerm | ChamberTerm | FieldTerm;

/** Σ coefficient · value, of coordinates of one link. */
export interface FormulaTerm {
  readonly kind: 'formula';
  readonly link: number;
  readonly summands: readonly { readonly coefficient: Expr; readonly value: Expr }[];
}

/** Of coordinates of several links, or of none. */
interface RobotTerm {
  readonly kind: 'robot-formula';
  readonly value: Expr;
}

/** Minus the length of a material curve in the body of a link: a tendon shortens as y grows. */
export interface RouteTerm {
  readonly kind: 'route';
  readonly link: number;
  readonly route: Route;
}

/** The volume of a chamber in the body of a link. */
export interface ChamberTerm {
  readonly kind: 'chamber';
  readonly link: number;
  readonly chamber: Chamber;
}

/** The work ∫ m(s, t) · (ξ − ξ*) ds of internal moments and forces on the strain of a rod. */
export interface FieldTerm {
  readonly kind: 'field';
  readonly link: number;
  readonly field: StrainField;
}

/** Over the axial coordinate, parameters of the body type, run-time parameters of the robot, and the time. */
export interface StrainField {
  /** Work-conjugate to the strains (bend-x, bend-y, twist, shear-x, shear-y, stretch): N m, then N. */
  readonly components: readonly Expr[];
  /** Stands for the time; missing where the field does not depend on it. */
  readonly time?: SymbolExpr;
  readonly location: SourceLocation;
}

/**
 * A material curve by one material coordinate of a body, over it, `ROUTE_SHARE`, parameters of the body type and run-time
 * parameters of the robot.
 */
export interface Route {
  /** The material coordinate that runs along the curve. */
  readonly axial: SymbolExpr;
  /** The others, in the plane of the section. */
  readonly across: ReadonlyMap<SymbolExpr, Expr>;
  /** Values of the coordinate at its ends. */
  readonly from: Expr;
  readonly to: Expr;
  /** `ROUTE_SHARE` at `from`, and its growth per unit of the coordinate. */
  readonly share: { readonly start: Expr; readonly slope: Expr };
  readonly location: SourceLocation;
}

/** Is it a tendon with friction, so that what it does depends on rates? */
export const rubs = ({ terms }: Pick<Actuator, 'terms'>): boolean =>
  terms.some((term) => term.kind === 'reaching' && term.action.kind === 'sliding');

/** S: runs from 0 to 1 along a whole route by its arc length along the bodies at rest. */
export const ROUTE_SHARE = symbol('route.S');

/** Stands for a coordinate of the robot, by its name. */
export function coordinateSymbol(name: string): SymbolExpr {
  return symbol(`coordinate.${name}`);
}

/** SI unit of the input that does work on an actuation coordinate. */
export function inputUnit(coordinateUnit: string): string {
  const named: Readonly<Record<string, string>> = { m: 'N', rad: 'N m', '1': 'N m', 'm^3': 'Pa', 'm^2': 'N/m', J: '1' };
  return named[coordinateUnit] ?? `J/(${coordinateUnit})`;
}
