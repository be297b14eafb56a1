/**
 * The section of a row, a rigid lump at its frame, as seen in the axes that the rod starts in: its inertia is applied by its
 * own axes d_1, d_2, d_3, because it is plane and mostly round. With J_xx = ∫ y², J_yy = ∫ x², J_xy = −∫ x y over the mass
 *   J = J_xx 1 + (J_yy − J_xx) d_2 d_2ᵀ + J_yy d_3 d_3ᵀ + J_xy (d_1 d_2ᵀ + d_2 d_1ᵀ).
 */
import { half, integer, minus, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  column,
  cross,
  dot,
  multiplyVector,
  scaleVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { MassMoments, Motion, Wrench } from '../equations/recursion.ts';

/**
 * How a section that deforms moves in its own plane: not at all, by velocities, by accelerations of the coordinates, by both, or by a unit
 * acceleration of one coordinate.
 */
export type SectionFlow = 'none' | 'velocities' | 'accelerations' | 'both' | number;

export interface SectionMotion extends Motion {
  readonly flow: SectionFlow;
}

/** About the section's origin. */
export interface SectionLoads extends Wrench {
  /** On the coordinates that deform the section, as it deforms alone. */
  readonly generalized: readonly Expr[];
}

export class RodLump {
  /** Coordinates that deform the section, by index; of one that stays rigid none. */
  readonly moving: readonly number[] = [];
  readonly mass: Expr;
  /** First moment about the section's own centre. */
  readonly first: Vector3;
  private readonly round: Expr;
  /** J − J_xx 1 as terms factor (a bᵀ). */
  private readonly terms: readonly { readonly factor: Expr; readonly a: Vector3; readonly b: Vector3 }[];

  /**
   * @param section in its own axes, plane.
   * @param rotation from the section's axes to those that everything is given in.
   */
  constructor(section: MassMoments, rotation: Matrix3) {
    const [xx, yy, , xy] = section.inertia;
    const [d1, d2, d3] = [0, 1, 2].map((i) => column(rotation, i)) as [Vector3, Vector3, Vector3];
    this.mass = section.mass;
    this.first = multiplyVector(rotation, section.first);
    this.round = xx;
    this.terms = [
      { factor: minus(yy, xx), a: d2, b: d2 },
      { factor: yy, a: d3, b: d3 },
      { factor: xy, a: d1, b: d2 },
      { factor: xy, a: d2, b: d1 },
    ].filter(({ factor }) => factor !== zero);
  }

  private applyRest(v: Vector3): Vector3 {
    return addVectors(...this.terms.map(({ factor, a, b }) => scaleVector(times(factor, dot(b, v)), a)));
  }

  /** J v */
  inertia(v: Vector3): Vector3 {
    return addVectors(scaleVector(this.round, v), this.applyRest(v));
  }

  /** Force and moment about the section's origin that make it move like this. */
  private wrench({ angularVelocity: w, angularAcceleration: alpha, acceleration: a }: Motion): Wrench {
    const { mass, first } = this;
    const spun = cross(w, cross(w, first));
    return {
      force: addVectors(scaleVector(mass, a), cross(alpha, first), spun),
      moment: addVectors(cross(first, a), this.inertia(alpha), cross(w, this.applyRest(w))),
    };
  }

  /** What makes the section move like this while it deforms. */
  loads(motion: SectionMotion): SectionLoads {
    return { ...this.wrench(motion), generalized: [] };
  }

  /** @param v of the section's origin. */
  kineticEnergy(v: Vector3, w: Vector3): Expr {
    const { mass, first } = this;
    return times(
      half,
      plus(times(mass, dot(v, v)), times(integer(2), dot(v, cross(w, first))), dot(w, this.inertia(w))),
    );
  }

  /** In the axes that everything is given in, about the section's origin. */
  moments(): MassMoments {
    const entry = (i: number, j: number): Expr =>
      plus(i === j ? this.round : zero, ...this.terms.map(({ factor, a, b }) => times(factor, a[i]!, b[j]!)));
    const inertia: Symmetric3 = [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
    return { mass: this.mass, first: this.first, inertia };
  }
}
