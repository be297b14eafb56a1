/**
 * The centreline of a rod as it moves, seen from the proximal frame and in its axes, at the current row of sums along it: what
 * the water around it meets, whatever way the body has to its inertial terms.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Matrix3, Vector3 } from '../../symbolic/graph/vector.ts';
import type { Loop, LoopStage } from '../loops/loop.ts';

/** Its sections, as far as what acts on them at a configuration needs them. */
export interface SectionLine {
  /** For reports: `24 points along the rod`. */
  readonly method: string;
  /** On every panel of the rod between breaks. */
  readonly points: number;
  /** Axial coordinate of the material point. */
  readonly section: Expr;
  /** Length that the point stands for in sums. */
  readonly weight: Expr;
  readonly position: Vector3;
  /** ∂r/∂q_a per coordinate of the body. */
  readonly partials: readonly Vector3[];
  /** Axes of the section, columns, and its angular velocity per unit rate of each coordinate; of sections that stay rigid. */
  sectionAxes(): { readonly rotation: Matrix3; readonly angular: readonly Vector3[] };
  /** ∫ … ds of formulas in all of these. @param what names the loop, unique. */
  integrate(what: string, stage: LoopStage, integrands: readonly Expr[]): readonly Expr[];
  /** The least of a formula among all points, then others where it is that. @param what as above. */
  nearest(what: string, stage: LoopStage, measure: Expr, others: readonly Expr[]): readonly Expr[];
  /**
   * What was made of integrals as the link has it, with its loops, those of the body aside, in an order in which each needs only those
   * before it.
   */
  finish(values: readonly Expr[]): { readonly values: readonly Expr[]; readonly loops: readonly Loop[] };
}

export interface Centreline extends SectionLine {
  /** t: normal of a rigid section, else the unit tangent of the centreline. */
  readonly axis: Vector3;
  /** ∂t/∂q_a */
  readonly axisPartials: readonly Vector3[];
  /** ṙ and ṫ. */
  readonly velocity: Vector3;
  readonly axisRate: Vector3;
  /** What velocities cause: r̈ = Σ r_a q̈_a + bias. */
  readonly bias: Vector3;
}

export interface CentrelineRequest {
  /** Identifier-safe and unique within the link type: names of loops and of their results begin with it. */
  readonly name: string;
  /** On every panel of the rod between breaks; as many as the way needs when missing. */
  readonly points?: number;
  /** Symbols beside coordinates and rates that are no parameters of the link. */
  readonly moving: ReadonlySet<Expr>;
}
