/**
 * Twists, the elements of se(3): angular part first, linear part second.
 */
import type { Expr } from '../../symbolic/expr.ts';
import { addVectors, cross, mapVector, scaleVector, zeroVector, type Vector3 } from '../../symbolic/vector.ts';

export interface Twist {
  readonly angular: Vector3;
  readonly linear: Vector3;
}

/** Names of the six components. */
export const TWIST_COMPONENTS: readonly string[] = [
  'angular_x',
  'angular_y',
  'angular_z',
  'linear_x',
  'linear_y',
  'linear_z',
];

export const zeroTwist: Twist = { angular: zeroVector, linear: zeroVector };

export function addTwists(...twists: readonly Twist[]): Twist {
  return { angular: addVectors(...twists.map((t) => t.angular)), linear: addVectors(...twists.map((t) => t.linear)) };
}

export function scaleTwist(factor: Expr, { angular, linear }: Twist): Twist {
  return { angular: scaleVector(factor, angular), linear: scaleVector(factor, linear) };
}

export function mapTwist({ angular, linear }: Twist, f: (e: Expr, component: number) => Expr): Twist {
  let component = 0;
  const next = (e: Expr): Expr => f(e, component++);
  return { angular: mapVector(angular, next), linear: mapVector(linear, next) };
}

export function twistEntries({ angular, linear }: Twist): readonly Expr[] {
  return [...angular, ...linear];
}

export function twistFromEntries(entries: readonly Expr[]): Twist {
  return { angular: entries.slice(0, 3) as unknown as Vector3, linear: entries.slice(3, 6) as unknown as Vector3 };
}

/** [a, b] = (κ_a × κ_b, κ_a × ν_b + ν_a × κ_b) */
export function bracket(a: Twist, b: Twist): Twist {
  return {
    angular: cross(a.angular, b.angular),
    linear: addVectors(cross(a.angular, b.linear), cross(a.linear, b.angular)),
  };
}

/** The y' with y'·a = y·[a, b] for every a: how a form on the bracket acts on its first argument. */
export function bracketAdjoint(y: Twist, b: Twist): Twist {
  return {
    angular: addVectors(cross(b.angular, y.angular), cross(b.linear, y.linear)),
    linear: cross(b.angular, y.linear),
  };
}
