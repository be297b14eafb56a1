/** Places of points of a robot as the file states them, by numbers in place of anchors, and derivatives along directions. */
import type { Decimal } from 'decimal.js';
import type { Anchor } from '../../src/description/model/frame-terms.ts';
import type { DeformableBody, Robot } from '../../src/description/model/robot.ts';
import { decimalOfPrecision } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal } from '../../src/symbolic/graph/expr.ts';
import { identityFrame, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { translationOf } from '../../src/verify/arithmetic/decimal-pose.ts';
import { materialSymbols } from '../../src/verify/written/material-field.ts';
import { WrittenPlaces } from '../../src/verify/independent/written-places.ts';

export const Wide = decimalOfPrecision(60);

/** A point in the axes of the distal frame of a link (−1: the base), or a material point of its body. */
export interface WrittenPoint {
  readonly link: number;
  readonly at: readonly number[] | Readonly<Record<string, number>>;
}

const places = new WeakMap<Robot, WrittenPlaces>();

/** World place of a point. */
export function writtenPlace(robot: Robot, q: readonly Decimal[], point: WrittenPoint): Decimal[] {
  const own = places.get(robot) ?? new WrittenPlaces(robot);
  places.set(robot, own);
  return translationOf(own.pose(anchorOf(robot, point), q));
}

function anchorOf(robot: Robot, { link, at }: WrittenPoint): Anchor {
  if (Array.isArray(at)) {
    const translation = (at as readonly number[]).map(decimal) as unknown as Vector3;
    return { kind: 'frame', link, offset: { ...identityFrame, translation } };
  }
  const { type } = robot.links[link]!.body as DeformableBody;
  const given = at as Readonly<Record<string, number>>;
  const symbols = materialSymbols(type.volumes[0]!);
  const place = new Map(symbols.map((s) => [s, decimal(given[s.name.replace(/^.*\./, '')] ?? 0)]));
  return { kind: 'material', link, at: place, location: type.locations.whole };
}

/** To fourth order, with steps of one and two h. */
export function derivativesAlong(
  f: (q: readonly Decimal[]) => Decimal,
  q: readonly number[],
  direction: readonly number[],
): { readonly value: number; readonly first: number; readonly second: number } {
  const h = 2 ** -17;
  const at = (k: number): Decimal => f(q.map((x, i) => new Wide(x).plus(new Wide(direction[i]!).times(k * h))));
  const [c, b, here, d, e] = [-2, -1, 0, 1, 2].map(at) as [Decimal, Decimal, Decimal, Decimal, Decimal];
  const first = d
    .minus(b)
    .times(8)
    .minus(e.minus(c))
    .div(12 * h);
  const second = d
    .plus(b)
    .times(16)
    .minus(e.plus(c))
    .minus(here.times(30))
    .div(12 * h * h);
  return { value: Number(here), first: Number(first), second: Number(second) };
}
