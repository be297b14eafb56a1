/** Places within the bodies of links, as numbers: where self-tests look at material points. */
import type { Robot } from '../../description/model/robot.ts';
import type { RodVolume, Volume } from '../../description/model/reference-volume.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { fraction, half, one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';

/** In a rigid body near enough. */
const NEAR = [0.03, -0.02, 0.05];

/** Material coordinates of a point half way along every body, within its section; run-time parameters at their defaults. */
export function middlesOf({ links, parameters }: Robot): readonly (readonly number[])[] {
  const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
  return links.map(({ body }) => {
    if (body.kind === 'rigid') return NEAR;
    const own = new Map<Expr, Expr>(body.type.parameters.map((p, i) => [p.symbol, body.parameters[i]!]));
    return foldConstants(substitute(middleOf(body.type.volumes[0]), own), defaults);
  });
}

function middleOf(volume: Volume | undefined): readonly Expr[] {
  if (volume?.kind === 'box') return volume.ranges.map(between);
  if (volume?.kind !== 'rod') return [zero, zero, zero];
  const along = between([volume.start, volume.end]);
  return [...substitute(withinSection(volume), new Map([[volume.axial, along]])), along];
}

/** Off the axis, which tubes do not have, and where polar coordinates may be 0/0. */
function withinSection({ shape, coordinates }: RodVolume): readonly [Expr, Expr] {
  const second = coordinates === 'polar' ? one : zero;
  switch (shape.shape) {
    case 'disc':
      return [times(half, shape.radius), second];
    case 'annulus':
      return [between([shape.innerRadius, shape.outerRadius]), second];
    case 'ellipse':
      return [coordinates === 'polar' ? half : times(half, shape.semiAxisX), second];
    case 'rectangle':
      return [times(fraction(1, 4), shape.width), times(fraction(1, 4), shape.height)];
  }
}

const between = ([a, b]: readonly [Expr, Expr]): Expr => times(half, plus(a, b));
