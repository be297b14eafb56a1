/**
 * Composite bodies whose parts move within the frame that carries them: the moments that decide how the inertial wrench
 * of everything beyond a frame answers to a small change of the frame's motion. What the derivatives of inverse dynamics
 * are made of.
 *
 * With p and v a material point's position and velocity seen from the frame, the point's acceleration changes by
 *   δa + W p + 2 δω × v,   W = [δα]× + ω δωᵀ + δω ωᵀ − 2 (ω·δω) 1   (the change of the spin matrix),
 * so that five integrals suffice: m, c = ∫ p, P = ∫ p pᵀ, V = 2 ∫ v, and D with D u = 2 ∫ p × (u × v).
 */
import type { BodyModel } from '../../kane/body/body-model.ts';
import { firstRate } from '../../kane/equations/rates.ts';
import {
  secondMoments,
  spinMoment,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type RelativeMotion,
  type Wrench,
} from '../../kane/equations/recursion.ts';
import { half, negate, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  fullMatrix,
  addMatrices,
  addSymmetric,
  addVectors,
  cross,
  identityMatrix,
  isZeroVector,
  mapMatrix,
  multiplyMatrices,
  multiplyVector,
  rotateMatrix,
  rotateSymmetric,
  scaleVector,
  skew,
  zeroVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
  symmetric3,
  vector3,
  matrix3,
} from '../../symbolic/graph/vector.ts';

/** Of a body or of all bodies beyond a frame, about the frame's origin and in its axes. */
export interface MovingComposite {
  readonly mass: Expr;
  /** c = ∫ p dm */
  readonly first: Vector3;
  /** P = ∫ p pᵀ dm */
  readonly second: Symmetric3;
  /** V = 2 ∫ v dm, the velocities relative to the frame. */
  readonly twiceMomentum: Vector3;
  /** D u = 2 ∫ p × (u × v) dm */
  readonly coriolis: Matrix3;
}

const ZERO_MATRIX: Matrix3 = mapMatrix(identityMatrix, () => zero);

export const massless: MovingComposite = {
  mass: zero,
  first: zeroVector,
  second: [zero, zero, zero, zero, zero, zero],
  twiceMomentum: zeroVector,
  coriolis: ZERO_MATRIX,
};

export function addComposites(a: MovingComposite, b: MovingComposite): MovingComposite {
  return {
    mass: plus(a.mass, b.mass),
    first: addVectors(a.first, b.first),
    second: addSymmetric(a.second, b.second),
    twiceMomentum: addVectors(a.twiceMomentum, b.twiceMomentum),
    coriolis: addMatrices(a.coriolis, b.coriolis),
  };
}

/** I = tr(P) 1 − P */
export function inertiaOf([xx, yy, zz, xy, xz, yz]: Symmetric3): Symmetric3 {
  return [plus(yy, zz), plus(xx, zz), plus(xx, yy), negate(xy), negate(xz), negate(yz)];
}

export function rigidComposite({ mass, first, inertia }: MassMoments): MovingComposite {
  return { mass, first, second: secondMoments(inertia), twiceMomentum: zeroVector, coriolis: ZERO_MATRIX };
}

/** V = 2 ċ and D = İ − [h]× with h = Σ H_a q̇_a: D + Dᵀ = 2 İ and D − Dᵀ = −2 [h]×. */
export function deformingComposite(
  body: BodyModel,
  bodyCoordinates: readonly number[],
  symbols: CoordinateSymbols,
): MovingComposite {
  const of = (set: readonly Expr[]): Expr[] => bodyCoordinates.map((a) => set[a]!);
  const own: CoordinateSymbols = { q: of(symbols.q), qd: of(symbols.qd), qdd: of(symbols.qdd) };
  const { mass, first, inertia } = body.moments;
  const rates = firstRate([...first, ...inertia], own);
  const [xx, yy, zz, xy, xz, yz] = symmetric3(rates.slice(3));
  const h = addVectors(zeroVector, ...body.unitWrenches.map(({ moment }, a) => scaleVector(own.qd[a]!, moment)));
  return {
    mass,
    first,
    second: secondMoments(inertia),
    twiceMomentum: twice(vector3(rates.slice(0, 3))),
    coriolis: addMatrices([xx, xy, xz, xy, yy, yz, xz, yz, zz], mapMatrix(skew(h), negate)),
  };
}

/** a bᵀ */
function outer(a: Vector3, b: Vector3): Matrix3 {
  return matrix3(a.flatMap((x) => b.map((y) => times(x, y))));
}

/** A composite given at the child of a step, in parent axes: about the child's origin, and about the parent's. */
export interface SteppedComposite {
  /** Velocities of the points relative to the child's origin, seen from the parent frame. */
  readonly atChild: MovingComposite;
  readonly atParent: MovingComposite;
}

export function stepComposite(step: FrameStep, relative: RelativeMotion, child: MovingComposite): SteppedComposite {
  const { rotation: R, translation: t } = step.frame;
  const w = twice(relative.angularVelocity);
  const { mass } = child;
  const first = multiplyVector(R, child.first);
  const second = rotateSymmetric(R, child.second);
  const atChild: MovingComposite = {
    mass,
    first,
    second,
    twiceMomentum: addVectors(multiplyVector(R, child.twiceMomentum), cross(w, first)),
    // 2 ∫ p × (u × (ω_r × p)) = −[2 ω_r]× P u
    coriolis: addMatrices(
      rotateMatrix(R, child.coriolis),
      mapMatrix(multiplyMatrices(skew(w), fullMatrix(second)), negate),
    ),
  };
  const moving = withTwiceVelocity(atChild, twice(relative.velocity));
  return { atChild, atParent: isZeroVector(t) ? moving : withOrigin(moving, t) };
}

/** All points faster by half the same vector. */
function withTwiceVelocity(body: MovingComposite, velocity: Vector3): MovingComposite {
  if (isZeroVector(velocity)) return body;
  return {
    ...body,
    twiceMomentum: addVectors(body.twiceMomentum, scaleVector(body.mass, velocity)),
    coriolis: addMatrices(body.coriolis, dragging(velocity, body.first)),
  };
}

/** The same body about an origin from which the former is seen at t. */
function withOrigin(body: MovingComposite, t: Vector3): MovingComposite {
  const carried = scaleVector(body.mass, t);
  // c tᵀ + t cᵀ + m t tᵀ = s + sᵀ with s = (c + m t/2) tᵀ
  const middle = addVectors(body.first, scaleVector(half, carried));
  const s = (i: number, j: number): Expr => plus(times(middle[i]!, t[j]!), times(t[i]!, middle[j]!));
  return {
    mass: body.mass,
    first: addVectors(body.first, carried),
    second: addSymmetric(body.second, [s(0, 0), s(1, 1), s(2, 2), s(0, 1), s(0, 2), s(1, 2)]),
    twiceMomentum: body.twiceMomentum,
    coriolis: addMatrices(body.coriolis, dragging(body.twiceMomentum, t)),
  };
}

/** (v·p) 1 − v pᵀ: the matrix D of a point at p, for twice its velocity. */
function dragging(v: Vector3, p: Vector3): Matrix3 {
  const product = outer(v, p);
  const [xx, yy, zz] = [product[0], product[4], product[8]];
  const diagonal = [plus(yy, zz), plus(xx, zz), plus(xx, yy)];
  return matrix3(product.map((e, i) => (i % 4 === 0 ? diagonal[i / 4]! : negate(e))));
}

/** A small change of a frame's motion, seen from the frame itself. */
export interface MotionChange {
  /** δω */
  readonly angularVelocity: Vector3;
  /** δα */
  readonly angularAcceleration: Vector3;
  /** β = δα + ω × δω: the same for all frames that move with the perturbed one. */
  readonly carriedAcceleration: Vector3;
  /** δa of the origin */
  readonly acceleration: Vector3;
}

/** How a generalized force answers to the motion of a frame: δτ = F·δa + N·β + D·δω with `force`, `moment`, `spin`. */
export interface Row extends Wrench {
  readonly spin: Vector3;
}

/** The change of the inertial wrench of a composite whose carrying frame turns with `angularVelocity`. */
export function respond(body: MovingComposite, angularVelocity: Vector3, change: MotionChange): Wrench {
  const { angularVelocity: dw, acceleration: da } = change;
  const W = spinChange(angularVelocity, change);
  return {
    force: addVectors(scaleVector(body.mass, da), multiplyVector(W, body.first), cross(dw, body.twiceMomentum)),
    moment: addVectors(cross(body.first, da), spinMoment(body.second, W), multiplyVector(body.coriolis, dw)),
  };
}

export function twice(v: Vector3): Vector3 {
  return addVectors(v, v);
}

/** W: how the spin matrix of a frame that turns with `w` changes. */
export function spinChange(w: Vector3, { angularVelocity: dw, angularAcceleration: alpha }: MotionChange): Matrix3 {
  const products = outer(w, dw);
  const trace = plus(products[0], products[4], products[8]);
  return matrix3(
    skew(alpha).map((e, i) => {
      const transposed = products[3 * (i % 3) + Math.floor(i / 3)]!;
      return i % 4 === 0
        ? plus(products[i]!, transposed, negate(trace), negate(trace))
        : plus(e, products[i]!, transposed);
    }),
  );
}
