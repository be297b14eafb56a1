/**
 * Body model by shape integrals: m, c, I, H_a, G_ab, Y_ab as expressions in q, integrated once and differentiated
 * symbolically (docs/mathematics.md, "Shape integrals"). The cheaper choice for few coordinates; a rigid body is the
 * case of none.
 */
import { half, integer, negate, one, plus, times, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addSymmetric,
  addVectors,
  cross,
  dot,
  mapSymmetric,
  mapVector,
  multiplySymmetric,
  multiplyVector,
  pointInertia,
  scaleVector,
  zeroVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
  vector3,
  symmetric3,
} from '../../symbolic/graph/vector.ts';
import type { BodyModel } from '../body/body-model.ts';
import {
  firstRate,
  partialDerivatives,
  rateOfProjection,
  secondRate,
  type CoordinateSymbols,
} from '../equations/rates.ts';
import { gyroscopicMoment, type BodyWrench, type MassMoments, type Motion } from '../equations/recursion.ts';

export interface ShapeIntegrals {
  readonly mass: Expr;
  /** c = ∫ p dm */
  readonly first: Vector3;
  /** I = ∫ (p·p 1 − p pᵀ) dm */
  readonly inertia: Symmetric3;
  /** H_a = ∫ p × p_a dm */
  readonly angular: readonly Vector3[];
  /** G_ab = ∫ p_a · p_b dm, full and symmetric. */
  readonly gram: readonly (readonly Expr[])[];
  /** Y_ab = ∫ p_a × p_b dm, full and skew. */
  readonly gyroscopic: readonly (readonly Vector3[])[];
}

export class ShapeIntegralModel implements BodyModel {
  readonly method: string;
  readonly integrals: ShapeIntegrals;
  private readonly symbols: CoordinateSymbols;

  /** @param symbols the body's own coordinates. */
  constructor(integrals: ShapeIntegrals, symbols: CoordinateSymbols, method = 'shape integrals') {
    this.integrals = integrals;
    this.symbols = symbols;
    this.method = method;
  }

  get moments(): MassMoments {
    return { mass: this.integrals.mass, first: this.integrals.first, inertia: this.integrals.inertia };
  }

  private derivativeOf(vector: readonly Expr[], a: number): Expr[] {
    return partialDerivatives(vector, this.symbols.q[a]!);
  }

  /** h = Σ H_a q̇_a */
  private get internalMomentum(): Vector3 {
    return addVectors(zeroVector, ...this.integrals.angular.map((H, a) => scaleVector(this.symbols.qd[a]!, H)));
  }

  wrench(motion: Motion, spin: Matrix3): BodyWrench {
    const { mass, first: c, inertia, angular } = this.integrals;
    const { angularVelocity: w, angularAcceleration: alpha, acceleration: a } = motion;
    const cDot = vector3(firstRate(c, this.symbols));
    const cDotDot = vector3(secondRate(c, this.symbols));
    const force = addVectors(scaleVector(mass, a), multiplyVector(spin, c), cross(addVectors(w, w), cDot), cDotDot);
    const moment = addVectors(
      cross(c, a),
      gyroscopicMoment(inertia, motion, spin),
      multiplySymmetric(symmetric3(firstRate(inertia, this.symbols)), w),
      cross(w, this.internalMomentum),
      angular.length > 0 ? vector3(rateOfProjection(angular, this.symbols)) : zeroVector,
    );
    const generalized = angular.map((H, index) => {
      const firstDerivative = vector3(this.derivativeOf(c, index));
      return plus(dot(firstDerivative, a), dot(H, alpha), this.centrifugal(index, w), this.local(index));
    });
    return { force, moment, generalized };
  }

  /** −½ ωᵀ (∂I/∂q_a) ω + 2 ω · Σ_b q̇_b Y_ba */
  private centrifugal(a: number, w: Vector3): Expr {
    const derivative = symmetric3(this.derivativeOf(this.integrals.inertia, a));
    const coriolis = addVectors(
      zeroVector,
      ...this.symbols.qd.map((rate, b) => scaleVector(rate, this.integrals.gyroscopic[b]![a]!)),
    );
    return plus(negate(times(half, dot(w, multiplySymmetric(derivative, w)))), times(TWO, dot(w, coriolis)));
  }

  /** Σ_b G_ab q̈_b + Σ_bc ½ (∂_b G_ca + ∂_c G_ba − ∂_a G_bc) q̇_b q̇_c */
  private local(a: number): Expr {
    const { gram } = this.integrals;
    const { qd, qdd } = this.symbols;
    const terms = gram[a]!.map((G, b) => times(G, qdd[b]!));
    qd.forEach((rateB, b) => {
      for (let c = 0; c <= b; c++) {
        const christoffel = this.christoffel(a, b, c);
        terms.push(times(b === c ? half : one, christoffel, rateB, qd[c]!));
      }
    });
    return plus(...terms);
  }

  /** ∂_b G_ca + ∂_c G_ba − ∂_a G_bc */
  private christoffel(a: number, b: number, c: number): Expr {
    const { gram } = this.integrals;
    const derivative = (row: number, column: number, by: number): Expr =>
      this.derivativeOf([gram[row]![column]!], by)[0]!;
    if (a === c) return derivative(a, a, b);
    if (a === b) return derivative(a, a, c);
    return plus(derivative(c, a, b), derivative(b, a, c), negate(derivative(b, c, a)));
  }

  weight(acceleration: Vector3): BodyWrench {
    const { mass, first: c, angular } = this.integrals;
    return {
      force: scaleVector(mass, acceleration),
      moment: cross(c, acceleration),
      generalized: angular.map((_, a) => dot(vector3(this.derivativeOf(c, a)), acceleration)),
    };
  }

  get unitWrenches(): readonly BodyWrench[] {
    return this.integrals.angular.map((H, a) => ({
      force: vector3(this.derivativeOf(this.integrals.first, a)),
      moment: H,
      generalized: this.integrals.gram[a]!,
    }));
  }

  kineticEnergy(w: Vector3, v: Vector3): Expr {
    const { mass, first: c, inertia, gram } = this.integrals;
    const { qd } = this.symbols;
    const local = plus(...gram.flatMap((row, a) => row.map((G, b) => times(G, qd[a]!, qd[b]!))));
    return plus(
      times(half, mass, dot(v, v)),
      dot(v, addVectors(cross(w, c), vector3(firstRate(c, this.symbols)))),
      times(half, dot(w, multiplySymmetric(inertia, w))),
      dot(w, this.internalMomentum),
      times(half, local),
    );
  }
}

const TWO = integer(2);

/** A rigid body: mass, centre of mass and inertia about it, in proximal axes. */
export function rigidModel(mass: Expr, centreOfMass: Vector3, inertiaAboutCentre: Symmetric3): ShapeIntegralModel {
  return momentsModel({
    mass,
    first: mapVector(centreOfMass, (e) => times(mass, e)),
    inertia: addSymmetric(
      inertiaAboutCentre,
      mapSymmetric(pointInertia(centreOfMass), (e) => times(mass, e)),
    ),
  });
}

/** A rigid body by its moments about the proximal origin, in proximal axes. */
export function momentsModel(moments: MassMoments): ShapeIntegralModel {
  const integrals: ShapeIntegrals = { ...moments, angular: [], gram: [], gyroscopic: [] };
  return new ShapeIntegralModel(integrals, { q: [], qd: [], qdd: [] }, 'rigid body');
}

/** Integrals in another form of equal value, entry by entry. */
export function mapIntegrals(s: ShapeIntegrals, f: (e: Expr) => Expr): ShapeIntegrals {
  return {
    mass: f(s.mass),
    first: mapVector(s.first, f),
    inertia: symmetric3(s.inertia.map(f)),
    angular: s.angular.map((v) => mapVector(v, f)),
    gram: s.gram.map((row) => row.map(f)),
    gyroscopic: s.gyroscopic.map((row, a) => row.map((v, b) => (a === b ? zeroVector : mapVector(v, f)))),
  };
}
