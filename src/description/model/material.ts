/** What the volumes of bodies are made of: elasticity and damping of rods and of solids, as formulas. */
import { symbol, type Expr } from '../../symbolic/graph/expr.ts';

/** Elasticity and damping of a volume of a rod, by formulas that may vary along it. */
export type RodMaterial = (RodElasticity | SectionStiffness) & {
  readonly damping?: RodDamping;
};

/** Υ as the sum of what is given. */
interface RodDamping {
  /** Times the stiffness, s. */
  readonly retardationTime?: Expr;
  /** η in Pa s: η diag(3 I_xx, 3 I_yy, J, A, A, 3 A). */
  readonly viscosity?: Expr;
}

/** Σ = diag(E I_xx, E I_yy, G J, k_x G A, k_y G A, E A) on ξ − ξ*. */
export interface RodElasticity {
  readonly law: 'rod-elasticity';
  /** Pa */
  readonly youngsModulus: Expr;
  /** Pa */
  readonly shearModulus: Expr;
  /** k_x, k_y */
  readonly shearFactors: readonly [Expr, Expr];
  /** J in m⁴, in place of that of the section. */
  readonly torsionConstant?: Expr;
}

/** Σ itself, on ξ − ξ*: N m², N m and N. */
export interface SectionStiffness {
  readonly law: 'section-stiffness';
  /** Symmetric and positive, 6 × 6 by rows. */
  readonly entries: readonly Expr[];
}

/** Over the axial coordinate and the parameters of the type. */
export function materialFormulas(material: RodMaterial): readonly Expr[] {
  const { retardationTime, viscosity } = material.damping ?? {};
  return [...lawFormulas(material), ...[retardationTime, viscosity].flatMap((e) => e ?? [])];
}

function lawFormulas(material: RodMaterial): readonly Expr[] {
  if (material.law === 'section-stiffness') return material.entries;
  const { youngsModulus, shearModulus, shearFactors, torsionConstant } = material;
  return [youngsModulus, shearModulus, ...shearFactors, ...(torsionConstant ? [torsionConstant] : [])];
}

/**
 * What the energy of a solid may be written in; I1, I2 are the invariants of C = FᵀF, J = det F, e = ½(C − 1), U = √C, and
 * ε = ½(F + Fᵀ) − 1 is the strain of small displacements.
 */
export const STRAIN_MEASURES = {
  I1: symbol('strain.I1'),
  I2: symbol('strain.I2'),
  J: symbol('strain.J'),
  /** tr e */
  tr_e: symbol('strain.tr_e'),
  /** e : e */
  e_dot_e: symbol('strain.e_dot_e'),
  e_xx: symbol('strain.e_xx'),
  e_yy: symbol('strain.e_yy'),
  e_zz: symbol('strain.e_zz'),
  e_xy: symbol('strain.e_xy'),
  e_xz: symbol('strain.e_xz'),
  e_yz: symbol('strain.e_yz'),
  /** tr U, the sum of the principal stretches: F : R with the rotation R of F. */
  tr_U: symbol('strain.tr_U'),
  /** tr ε */
  tr_eps: symbol('strain.tr_eps'),
  /** ε : ε */
  eps_dot_eps: symbol('strain.eps_dot_eps'),
} as const;

/** A solid stores W dV; Kelvin–Voigt damping by the second Piola–Kirchhoff stress η ė. */
export interface SolidMaterial {
  /** Of the library, or `energy`. */
  readonly name: string;
  /** W in J per m³ of the undeformed body, over `STRAIN_MEASURES` and the parameters of the type. */
  readonly energy: Expr;
  /** η in Pa s. */
  readonly viscosity?: Expr;
}
