/** Whether a route stays within the volumes of its body, or within the discs that hold it, looked at in many places along it. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { ROUTE_SHARE, type Route } from '../model/actuator.ts';
import type { Volume } from '../model/reference-volume.ts';
import { contains, distanceFromAxis } from '../volumes/within-volume.ts';
import type { Discs } from './discs.ts';

const PLACES = 64;

/** Evenly from one end of a route to the other. */
export function placesAlong(from: number, to: number): readonly number[] {
  return Array.from({ length: PLACES + 1 }, (_, k) => from + (k / PLACES) * (to - from));
}

/**
 * @param places of the running coordinate that are looked at.
 * @param start of the route, then S there and its growth per unit.
 * @param bindings numbers of all parameters.
 * @param discs what holds the route beside the section; their radius may be any.
 * @returns where and how far the route is outside; undefined when it stays inside. Meshes are not looked at.
 */
export function departure(
  volumes: readonly Volume[],
  { axial, across }: Route,
  places: readonly number[],
  [from, start, slope]: readonly [number, number, number],
  bindings: ReadonlyMap<Expr, number>,
  discs?: Discs,
): string | undefined {
  if (volumes.some((volume) => volume.kind === 'mesh')) return undefined;
  const name = (s: { readonly name: string }): string => s.name.replace(/^.*\./, '');
  for (const s of places) {
    const here = new Map(bindings);
    here.set(axial, s).set(ROUTE_SHARE, start + slope * (s - from));
    const place = evaluate([...across.values()], here);
    [...across.keys()].forEach((own, i) => here.set(own, place[i]!));
    if (!place.every(Number.isFinite)) return `at ${name(axial)} = ${short(s)}: no finite number there`;
    if (discs ? isHeld(volumes, here, discs) : volumes.some((volume) => contains(volume, here))) continue;
    const where = [...across.keys()].map((own, i) => `${name(own)} = ${short(place[i]!)}`).join(', ');
    return `at ${name(axial)} = ${short(s)}, where ${where}`;
  }
  return undefined;
}

function isHeld(volumes: readonly Volume[], here: ReadonlyMap<Expr, number>, { radius }: Discs): boolean {
  if (!radius) return true;
  const most = evaluate([radius], here)[0]! * (1 + 1e-9);
  return volumes.some((volume) => volume.kind === 'rod' && distanceFromAxis(volume, here) <= most);
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
