/**
 * Articulated inertias: how everything beyond a frame answers to the motion of the frame while its coordinates are free to
 * move (docs/mathematics.md, "Forward dynamics"). A general symmetric 6 × 6 matrix about the origin of the frame, in its axes:
 *   F = A a + B α,   N = Bᵀ a + C α   with A and C symmetric.
 * A frozen body has A = m 1, B = −[c]×, C = I; the composite sweep carries the one like the other.
 * Source: R. Featherstone, Rigid Body Dynamics Algorithms (2008), chapter 7.
 */
import { half, negate, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  fullMatrix,
  addMatrices,
  addSymmetric,
  addVectors,
  isZeroVector,
  mapMatrix,
  multiplyMatrices,
  multiplySymmetric,
  multiplyTransposed,
  multiplyVector,
  rotateMatrix,
  rotateSymmetric,
  skew,
  type Matrix3,
  type Symmetric3,
  type Vector3,
  symmetric3,
  symmetricOf,
  matrix3,
} from '../../symbolic/graph/vector.ts';
import type { InertiaKind } from './composite.ts';
import { MATRIX_ENTRIES, SYMMETRIC_ENTRIES } from './names.ts';
import type { FrameStep, MassMoments, Wrench } from './recursion.ts';

export interface ArticulatedInertia {
  /** A: force per acceleration of the origin. */
  readonly linear: Symmetric3;
  /** B: force per angular acceleration. */
  readonly coupling: Matrix3;
  /** C: moment per angular acceleration. */
  readonly angular: Symmetric3;
}

/** Names of the entries in buffers: A, C and B one after the other. */
export const ARTICULATED_ENTRIES: readonly string[] = [
  ...SYMMETRIC_ENTRIES.map((entry) => `linear_${entry}`),
  ...SYMMETRIC_ENTRIES.map((entry) => `angular_${entry}`),
  ...MATRIX_ENTRIES.map((entry) => `coupling_${entry}`),
];

export function articulatedFromEntries(entries: readonly Expr[]): ArticulatedInertia {
  return {
    linear: symmetric3(entries.slice(0, 6)),
    angular: symmetric3(entries.slice(6, 12)),
    coupling: matrix3(entries.slice(12, 21)),
  };
}

export function articulatedEntries({ linear, angular, coupling }: ArticulatedInertia): readonly Expr[] {
  return [...linear, ...angular, ...coupling];
}

export const MASSLESS: ArticulatedInertia = articulatedFromEntries(ARTICULATED_ENTRIES.map(() => zero));

/** With t the child's origin: B' = B − A [t]×, C' = C + [t]× (B + B')/2 and its transpose. */
function shift({ linear: A, coupling: B, angular: C }: ArticulatedInertia, t: Vector3): ArticulatedInertia {
  if (isZeroVector(t)) return { linear: A, coupling: B, angular: C };
  const T = skew(t);
  const change = mapMatrix(multiplyMatrices(fullMatrix(A), T), negate);
  const middle = multiplyMatrices(
    T,
    addMatrices(
      B,
      mapMatrix(change, (e) => times(half, e)),
    ),
  );
  const twice = (i: number): Expr => plus(middle[i]!, middle[i]!);
  return {
    linear: A,
    coupling: addMatrices(B, change),
    angular: addSymmetric(C, [
      twice(0),
      twice(4),
      twice(8),
      plus(middle[1], middle[3]),
      plus(middle[2], middle[6]),
      plus(middle[5], middle[7]),
    ]),
  };
}

/** The wrench that an acceleration of the frame takes. */
function articulatedWrench(inertia: ArticulatedInertia, angular: Vector3, linear: Vector3): Wrench {
  return {
    force: addVectors(multiplySymmetric(inertia.linear, linear), multiplyVector(inertia.coupling, angular)),
    moment: addVectors(multiplyTransposed(inertia.coupling, linear), multiplySymmetric(inertia.angular, angular)),
  };
}

export const ARTICULATED: InertiaKind<ArticulatedInertia> = {
  of: ({ mass, first, inertia }: MassMoments) => ({
    linear: [mass, mass, mass, zero, zero, zero],
    coupling: mapMatrix(skew(first), negate),
    angular: inertia,
  }),
  add: (a, b) => ({
    linear: addSymmetric(a.linear, b.linear),
    coupling: addMatrices(a.coupling, b.coupling),
    angular: addSymmetric(a.angular, b.angular),
  }),
  step({ frame: { rotation, translation } }, inertia) {
    const atChild = {
      linear: rotateSymmetric(rotation, inertia.linear),
      coupling: rotateMatrix(rotation, inertia.coupling),
      angular: rotateSymmetric(rotation, inertia.angular),
    };
    return { atChild, atParent: shift(atChild, translation) };
  },
  unitWrench: ({ linear, angular }: FrameStep, i, atChild) => articulatedWrench(atChild, angular[i]!, linear[i]!),
};

/** I − k uᵀ, symmetric: what is left of an inertia when a coordinate moves freely that takes the wrench u, and k = u/d. */
export function withoutCoordinate(inertia: ArticulatedInertia, unit: Wrench, scaled: Wrench): ArticulatedInertia {
  const less = (k: Vector3, u: Vector3, i: number, j: number): Expr => negate(times(k[i]!, u[j]!));
  const symmetric = (k: Vector3, u: Vector3): Symmetric3 => symmetricOf((i, j) => less(k, u, i, j));
  return {
    linear: addSymmetric(inertia.linear, symmetric(scaled.force, unit.force)),
    angular: addSymmetric(inertia.angular, symmetric(scaled.moment, unit.moment)),
    coupling: matrix3(
      inertia.coupling.map((e, at) => plus(e, less(scaled.force, unit.moment, Math.floor(at / 3), at % 3))),
    ),
  };
}
