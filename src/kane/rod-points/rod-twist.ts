/**
 * Twists, the elements of se(3): angular part first, linear part second.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';

export interface Twist {
  readonly angular: Vector3;
  readonly linear: Vector3;
}

export function addTwists(...twists: readonly Twist[]): Twist {
  return { angular: addVectors(...twists.map((t) => t.angular)), linear: addVectors(...twists.map((t) => t.linear)) };
}

export function twistEntries({ angular, linear }: Twist): readonly Expr[] {
  return [...angular, ...linear];
}

export function twistFromEntries(entries: readonly Expr[]): Twist {
  return { angular: vector3(entries.slice(0, 3)), linear: vector3(entries.slice(3, 6)) };
}
