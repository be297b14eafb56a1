/** Places within the bodies of links, as numbers: where self-tests look at material points. */
import type { Link, Robot } from '../../description/model/robot.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { half, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';

/** In a rigid body near enough. */
const NEAR = [0.03, -0.02, 0.05];

/** Material coordinates of a point in the middle of every body, run-time parameters at their defaults. */
export function middlesOf({ links, parameters }: Robot): readonly (readonly number[])[] {
  const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
  return links.map(({ body }) => {
    if (body.kind === 'rigid') return NEAR;
    const own = new Map<Expr, Expr>(body.type.parameters.map((p, i) => [p.symbol, body.parameters[i]!]));
    return foldConstants(substitute(middleOf(body), own), defaults);
  });
}

function middleOf({ type }: Extract<Link['body'], { readonly kind: 'deformable' }>): readonly Expr[] {
  const between = ([a, b]: readonly [Expr, Expr]): Expr => times(half, plus(a, b));
  const [volume] = type.volumes;
  if (volume?.kind === 'rod') return [zero, zero, between([volume.start, volume.end])];
  return volume?.kind === 'box' ? volume.ranges.map(between) : [zero, zero, zero];
}
