/** Whether a route stays within the volumes of its body, looked at in many places along it. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { ROUTE_SHARE, type Route } from '../model/actuator.ts';
import type { Volume } from '../model/robot.ts';
import { contains } from '../bodies/within-volume.ts';

const PLACES = 64;

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
