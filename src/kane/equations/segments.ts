/**
 * What acts between or on points that ride on links of their own: straight pieces of tendons, thrusts and torques. Points
 * and vectors are in world axes; wrenches are moment, then force.
 */
import { divide, minus, plus, sqrt, square, type Expr } from '../../symbolic/graph/expr.ts';
import {
  cross,
  dot,
  multiplyVector,
  scaleVector,
  subtractVectors,
  zeroVector,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { Matrix3, Vector3 } from '../../symbolic/graph/vector.ts';

/** ℓ = |b − a| */
export function lengthOfSegment(a: Vector3, b: Vector3): Expr {
  const d = subtractVectors(b, a);
  return sqrt(dot(d, d));
}

/** The wrench on the point a of a segment from a to b under tension; that on b is the opposite. */
export function pullOfSegment(a: Vector3, b: Vector3, tension: Expr): readonly Expr[] {
  const pull = divide(tension, lengthOfSegment(a, b));
  return [...zeroVector, ...scaleVector(pull, subtractVectors(b, a))];
}

/** Velocity of a point, and its acceleration where the coordinates do not accelerate. */
export interface PointMotion {
  readonly velocity: Vector3;
  readonly bias: Vector3;
}

/** ℓ̇ = e·v and, where the coordinates do not accelerate, ℓ̈ = e·a + (v·v − ℓ̇²)/ℓ, for the motion of b relative to a. */
export function ratesOfSegment(
  [a, b]: readonly [Vector3, Vector3],
  [first, second]: readonly [PointMotion, PointMotion],
): { readonly rate: Expr; readonly bias: Expr } {
  const length = lengthOfSegment(a, b);
  const d = subtractVectors(b, a);
  const v = subtractVectors(second.velocity, first.velocity);
  const rate = divide(dot(d, v), length);
  const along = divide(dot(d, subtractVectors(second.bias, first.bias)), length);
  return { rate, bias: plus(along, divide(minus(dot(v, v), square(rate)), length)) };
}

/**
 * Rate of the work of a unit wrench: e·v, and e·a + ė·v where the coordinates do not accelerate, for each of moment and force.
 * @param axes rotation of the frame from world axes where the wrench keeps its direction in the frame, ė = ω × e; otherwise
 * it keeps it in world axes.
 * @param twist of the frame; `bias`: its acceleration.
 */
export function ratesOfWrench(
  axes: Matrix3 | undefined,
  wrench: readonly Expr[],
  twist: readonly Expr[],
  bias: readonly Expr[],
): { readonly rate: Expr; readonly bias: Expr } {
  const part = (values: readonly Expr[], from: number): Vector3 => vector3(values.slice(from, from + 3));
  const omega = part(twist, 0);
  const parts = [0, 3].map((from) => {
    const direction = axes ? multiplyVector(axes, part(wrench, from)) : part(wrench, from);
    const turning = axes ? cross(omega, direction) : zeroVector;
    return {
      rate: dot(direction, part(twist, from)),
      bias: plus(dot(direction, part(bias, from)), dot(turning, part(twist, from))),
    };
  });
  return { rate: plus(...parts.map(({ rate }) => rate)), bias: plus(...parts.map((own) => own.bias)) };
}
