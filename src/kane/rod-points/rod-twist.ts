/**
 * Twists, the elements of se(3): angular part first, linear part second.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, mapVector, scaleVector, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';

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
