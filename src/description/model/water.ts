/**
 * Water around the rods of a robot, per unit of rest length s of a centreline r(s) with radius R(s): with ρ the density of the
 * water, t the axis of the rod, v the velocity of the centreline against the water, v_t = v · t and v_n = v − v_t t,
 *   separate drag  f = −ρ R (C_n |v_n| v_n + π C_t |v_t| v_t t)
 *   common drag    f = −ρ R |v| (C_n v_n + π/2 C_t v_t t)
 *   lift           f = ρ R |v_n| C_l t × v, with |v| beside common drag
 *   linear drag    f = −(c_n v_n + c_t v_t t)
 *   buoyancy       f = −ρ π R² g
 *   added mass     T = ½ ∫ ρ C_a π R² |v_n|² ds
 * Forces act on the centreline. Sources: J. R. Morison et al. (1950) for the separate form and the added mass of a slender
 * cylinder; F. Renda et al., Bioinspir. Biomim. 13 (2018), for the drag matrix of the common one.
 */
import type { SourceLocation } from '../../common/error.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';

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
