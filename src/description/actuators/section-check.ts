/** Whether a route stays within the volumes of its body, looked at in many places along it. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { ROUTE_SHARE, type Route } from '../model/actuator.ts';
import type { RodVolume, Volume } from '../model/robot.ts';

const PLACES = 64;
/** Of the size of the section. */
const SLACK = 1e-9;

/**
 * @param ends of the running coordinate, then S at the first and its growth per unit.
 * @param bindings numbers of all parameters.
 * @returns where and how far the route is outside; undefined when it stays inside. Meshes are not looked at.
 */
export function departure(
  volumes: readonly Volume[],
  { axial, across }: Route,
  [from, to, start, slope]: readonly [number, number, number, number],
  bindings: ReadonlyMap<Expr, number>,
): string | undefined {
  if (volumes.some((volume) => volume.kind === 'mesh')) return undefined;
  const name = (s: { readonly name: string }): string => s.name.replace(/^.*\./, '');
  for (let k = 0; k <= PLACES; k++) {
    const s = from + (k / PLACES) * (to - from);
    const here = new Map(bindings);
    here.set(axial, s).set(ROUTE_SHARE, start + slope * (s - from));
    const place = evaluate([...across.values()], here);
    [...across.keys()].forEach((own, i) => here.set(own, place[i]!));
    if (!place.every(Number.isFinite)) return `at ${name(axial)} = ${short(s)}: no finite number there`;
    if (volumes.some((volume) => contains(volume, here))) continue;
    const where = [...across.keys()].map((own, i) => `${name(own)} = ${short(place[i]!)}`).join(', ');
    return `at ${name(axial)} = ${short(s)}, where ${where}`;
  }
  return undefined;
}

const short = (value: number): string => String(Number(value.toPrecision(4)));

function contains(volume: Volume, here: ReadonlyMap<Expr, number>): boolean {
  if (volume.kind === 'mesh') return true;
  const between = (own: Expr, [low, high]: readonly [Expr, Expr]): boolean => {
    const [value, lower, upper] = evaluate([own, low, high], here) as [number, number, number];
    const slack = SLACK * Math.abs(upper - lower);
    return value >= lower - slack && value <= upper + slack;
  };
  if (volume.kind === 'box') return volume.axes.every((axis, i) => between(axis, volume.ranges[i]!));
  return between(volume.axial, [volume.start, volume.end]) && inSection(volume, here);
}

function inSection({ section, coordinates, shape }: RodVolume, here: ReadonlyMap<Expr, number>): boolean {
  const [u, v] = section.map((s) => here.get(s)!) as [number, number];
  const number = (e: Expr): number => evaluate([e], here)[0]!;
  const isPolar = coordinates === 'polar';
  const radius = isPolar ? Math.abs(u) : Math.hypot(u, v);
  const below = (value: number, most: number): boolean => value <= most * (1 + SLACK);
  switch (shape.shape) {
    case 'disc':
      return below(radius, number(shape.radius));
    case 'annulus':
      return below(radius, number(shape.outerRadius)) && below(number(shape.innerRadius), radius);
    case 'rectangle':
      return below(2 * Math.abs(u), number(shape.width)) && below(2 * Math.abs(v), number(shape.height));
    case 'ellipse':
      return below(isPolar ? radius : Math.hypot(u / number(shape.semiAxisX), v / number(shape.semiAxisY)), 1);
  }
}
