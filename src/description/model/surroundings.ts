/**
 * What surrounds the rods of a robot: water, and fields from outside.
 *
 * Water, per unit of rest length s of a centreline r(s) with radius R(s): with ρ the density of the
 * water, t the axis of the rod, v the velocity of the centreline against the water, v_t = v · t and v_n = v − v_t t,
 *   separate drag  f = −ρ R (C_n |v_n| v_n + π C_t |v_t| v_t t)
 *   common drag    f = −ρ R |v| (C_n v_n + π/2 C_t v_t t)
 *   lift           f = ρ R |v_n| C_l t × v, with |v| beside common drag
 *   linear drag    f = −(c_n v_n + c_t v_t t)
 *   buoyancy       f = −ρ π R² g
 *   added mass     T = ½ ∫ ρ C_a π R² |v_n|² ds
 * Forces act on the centreline. Sources: J. R. Morison et al. (1950) for the separate form and the added mass of a slender
 * cylinder; F. Renda et al., Bioinspir. Biomim. 13 (2018), for the drag matrix of the common one.
 *
 * Fields are forces and moments per rest length, as formulas of the place along the rod, the time, the coordinates of the body
 * and the pose of the section; they act on sections that stay rigid, about their middle. The formulas hold in any axes: vectors that are
 * written component by component go through `FIELD_AXES`, all others turn with the section.
 */
import type { SourceLocation } from '../../common/error.ts';
import { symbols, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { frameFromEntries, matrix3, type Frame, type Matrix3, type Vector3 } from '../../symbolic/graph/vector.ts';

/** Coefficients across and along the rod. */
export interface DragCoefficients {
  readonly normal: Expr;
  readonly tangential: Expr;
}

/** Of one link; values over run-time parameters of the robot. */
export interface Water {
  /** kg/m³ */
  readonly density: Expr;
  /** C_n, C_t and C_l. */
  readonly drag?: DragCoefficients & { readonly form: 'separate' | 'common'; readonly lift?: Expr };
  /** c_n and c_t, N s/m². */
  readonly linearDrag?: DragCoefficients;
  readonly buoyancy: boolean;
  /**
   * C_a; `lagrange`: the velocity terms that conserve energy; `normal-acceleration`: the force is −ρ C_a π R² times the normal
   * part of the acceleration and nothing else.
   */
  readonly addedMass?: { readonly form: 'lagrange' | 'normal-acceleration'; readonly coefficient: Expr };
  /** Of the rod everywhere, in place of that of its section, m. */
  readonly radius?: Expr;
  /**
   * Points along the rod, on every panel between its breaks; when missing as many as a rod by strain has for its inertial terms, and
   * 16 where positions are formulas.
   */
  readonly points?: number;
  readonly location: SourceLocation;
}

/** Six rows of six: of angular velocity and velocity, to moment and force; axes of the body. */
export type Matrix6 = readonly Expr[];

/** Of one rigid link; values over run-time parameters of the robot, proximal axes. */
export interface RigidWater {
  /** kg/m³ */
  readonly density: Expr;
  /** Where the matrices act. */
  readonly at: Vector3;
  /** Times |v| of this point and the twist against the water. */
  readonly drag?: Matrix6;
  /** Times the twist. */
  readonly linearDrag?: Matrix6;
  readonly addedMass?: Matrix6;
  readonly buoyancy?: { readonly volume: Expr; readonly centre: Vector3 };
  readonly location: SourceLocation;
}

const AXES = symbols('field.axes', 9);
const SECTION = symbols('field.section', 12);

/** Stands for the rotation from the axes in which components of vectors are written to those in which the field is evaluated. */
export const FIELD_AXES: Matrix3 = matrix3(AXES);

/** Stands for the pose of the section in the axes of evaluation, about the world origin; the tangent is its z-axis. */
export const FIELD_SECTION: Frame = frameFromEntries(SECTION);

/** Entries of both, in this order. */
export const FIELD_SYMBOLS: readonly SymbolExpr[] = [...AXES, ...SECTION];

/** Along the rod of one link; over its parameters and coordinates, run-time parameters of the robot, and what stands for the section. */
export interface RodField {
  readonly name: string;
  readonly summary: string;
  /** N/m and N m/m, in the axes of evaluation. */
  readonly force: Vector3;
  readonly moment: Vector3;
  /** In which components are written. */
  readonly axes: 'world' | 'section';
  /** Stands for the time where the field depends on it. */
  readonly time?: SymbolExpr;
  /** Along the rod, as of water. */
  readonly points?: number;
  readonly location: SourceLocation;
}
