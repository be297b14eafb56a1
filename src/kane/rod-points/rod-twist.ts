/**
 * Twists, the elements of se(3): angular part first, linear part second.
 */
import { plus, times, type Expr } from '../../symbolic/graph/expr.ts';
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

export function combineTwists(twists: readonly Twist[], factors: readonly Expr[]): Twist {
  const entries = twists.map(twistEntries);
  return twistFromEntries(
    [0, 1, 2, 3, 4, 5].map((c) => plus(...factors.map((factor, a) => times(factor, entries[a]![c]!)))),
  );
}
