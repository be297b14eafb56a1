/**
 * Composite bodies whose parts move within the frame that carries them: the moments that decide how the inertial wrench
 * of everything beyond a frame answers to a small change of the frame's motion. What the derivatives of inverse dynamics
 * are made of.
 *
 * With p and v a material point's position and velocity seen from the frame, the point's acceleration changes by
 *   δa + W p + 2 δω × v,   W = [δα]× + ω δωᵀ + δω ωᵀ − 2 (ω·δω) 1   (the change of the spin matrix),
 * so that five integrals suffice: m, c = ∫ p, P = ∫ p pᵀ, V = 2 ∫ v, and D with D u = 2 ∫ p × (u × v).
 */
import type { BodyModel } from '../kane/link/body-model.ts';
import { firstRate } from '../kane/equations/rates.ts';
import {
  secondMoments,
  spinMoment,
  type CoordinateSymbols,
  type FrameStep,
  type MassMoments,
  type RelativeMotion,
  type Wrench,
} from '../kane/equations/recursion.ts';
import { half, minus, minusOne, negate, one, plus, times, zero, type Expr } from '../symbolic/expr.ts';
import {
  addMatrices,
  addSymmetric,
  addVectors,
  cross,
  identityMatrix,
  isZeroVector,
  mapMatrix,
  multiplyMatrices,
  multiplyVector,
  rotateSymmetric,
  scaleVector,
  skew,
  transpose,
  zeroVector,
  type Matrix3,
  type Symmetric3,
  type Vector3,
} from '../symbolic/vector.ts';

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
  const [xx, yy, zz, xy, xz, yz] = rates.slice(3) as unknown as Symmetric3;
  const h = addVectors(zeroVector, ...body.unitWrenches.map(({ moment }, a) => scaleVector(own.qd[a]!, moment)));
  return {
    mass,
    first,
    second: secondMoments(inertia),
    twiceMomentum: twice(rates.slice(0, 3) as unknown as Vector3),
    coriolis: addMatrices([xx, xy, xz, xy, yy, yz, xz, yz, zz], mapMatrix(skew(h), negate)),
  };
}

/** a bᵀ */
function outer(a: Vector3, b: Vector3): Matrix3 {
  return a.flatMap((x) => b.map((y) => times(x, y))) as unknown as Matrix3;
}

function fullMatrix([xx, yy, zz, xy, xz, yz]: Symmetric3): Matrix3 {
  return [xx, xy, xz, xy, yy, yz, xz, yz, zz];
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
  return product.map((e, i) => (i % 4 === 0 ? diagonal[i / 4]! : negate(e))) as unknown as Matrix3;
}

/**
 * R T Rᵀ. A turn about an axis of coordinates leaves the trace and the skew part of the block across the axis alone: with
 * e = s (T_xx − T_yy) + c (T_xy + T_yx), T_xx − s e, T_yy + s e, c e − T_yx, c e − T_xy are its entries.
 */
export function rotateMatrix(R: Matrix3, T: Matrix3): Matrix3 {
  if (R === identityMatrix || T.every((e) => e === zero)) return T;
  const fixed = R.findIndex((e) => e === one || e === minusOne);
  const general = (): Matrix3 => multiplyMatrices(multiplyMatrices(R, T), transpose(R));
  if (fixed < 0) return general();
  const [to, from] = [Math.floor(fixed / 3), fixed % 3];
  const sign = R[fixed]!;
  const [i, j] = [(from + 1) % 3, (from + 2) % 3];
  const [k, l] = [(to + 1) % 3, (to + 2) % 3];
  // Rows k and l over columns i and j are (c, −s) and ±(s, c).
  const c = R[3 * k + i]!;
  const s = negate(R[3 * k + j]!);
  if (c === zero || s === zero) return general();
  const at = (row: number, col: number): Expr => T[3 * row + col]!;
  const e = plus(times(s, minus(at(i, i), at(j, j))), times(c, plus(at(i, j), at(j, i))));
  const turn = (x: Expr, y: Expr): readonly [Expr, Expr] => [
    minus(times(c, x), times(s, y)),
    times(sign, plus(times(s, x), times(c, y))),
  ];
  const result: Expr[] = [...ZERO_MATRIX];
  const set = (row: number, col: number, value: Expr): void => void (result[3 * row + col] = value);
  set(to, to, at(from, from));
  const [tk, tl] = turn(at(from, i), at(from, j));
  set(to, k, times(sign, tk));
  set(to, l, times(sign, tl));
  const [kt, lt] = turn(at(i, from), at(j, from));
  set(k, to, times(sign, kt));
  set(l, to, times(sign, lt));
  set(k, k, minus(at(i, i), times(s, e)));
  set(l, l, plus(at(j, j), times(s, e)));
  set(k, l, times(sign, minus(times(c, e), at(j, i))));
  set(l, k, times(sign, minus(times(c, e), at(i, j))));
  return result as unknown as Matrix3;
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
  return skew(alpha).map((e, i) => {
    const transposed = products[3 * (i % 3) + Math.floor(i / 3)]!;
    return i % 4 === 0
      ? plus(products[i]!, transposed, negate(trace), negate(trace))
      : plus(e, products[i]!, transposed);
  }) as unknown as Matrix3;
}
