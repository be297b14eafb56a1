/** Strain of a surface from its triangles, and its colours. */

/**
 * The principal strain (stretch less one) of the largest size at every vertex, by the areas of the triangles around it.
 * @param reference x, y, z of vertices where nothing is strained. @param position the same now.
 */
export function surfaceStrain(
  reference: ArrayLike<number>,
  position: ArrayLike<number>,
  triangles: readonly number[],
): Float32Array {
  const strain = new Float32Array(position.length / 3);
  const areas = new Float32Array(position.length / 3);
  const edge = (of: ArrayLike<number>, from: number, to: number): readonly [number, number, number] => [
    of[3 * to]! - of[3 * from]!,
    of[3 * to + 1]! - of[3 * from + 1]!,
    of[3 * to + 2]! - of[3 * from + 2]!,
  ];
  for (let k = 0; k < triangles.length; k += 3) {
    const [a, b, c] = [triangles[k]!, triangles[k + 1]!, triangles[k + 2]!];
    // Edges before in axes of their plane, (length, 0) and (along, height); metric of the edges now.
    const [e, f] = [edge(reference, a, b), edge(reference, a, c)];
    const length = Math.hypot(...e);
    const along = dot(e, f) / length;
    const height = Math.sqrt(Math.max(0, dot(f, f) - along * along));
    const area = length * height;
    if (!(area > 1e-12 * (dot(e, e) + dot(f, f)))) continue;
    const [d, g] = [edge(position, a, b), edge(position, a, c)];
    const [dd, dg, gg] = [dot(d, d), dot(d, g), dot(g, g)];
    const slope = along / length;
    const xx = dd / (length * length);
    const xy = (dg - slope * dd) / (length * height);
    const yy = (gg - 2 * slope * dg + slope * slope * dd) / (height * height);
    const [mean, spread] = [(xx + yy) / 2, Math.hypot((xx - yy) / 2, xy)];
    const most = Math.sqrt(mean + spread) - 1;
    const least = Math.sqrt(Math.max(0, mean - spread)) - 1;
    const own = Math.abs(least) > Math.abs(most) ? least : most;
    if (!Number.isFinite(own)) continue;
    for (const vertex of [a, b, c]) {
      strain[vertex]! += area * own;
      areas[vertex]! += area;
    }
  }
  return strain.map((sum, i) => (areas[i]! > 0 ? sum / areas[i]! : 0));
}

type Vector = readonly [number, number, number];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

type Colour = readonly [number, number, number];
const SHORTER: readonly Colour[] = [[222, 222, 222], [126, 170, 214], [27, 86, 160]]; // prettier-ignore
const LONGER: readonly Colour[] = [[222, 222, 222], [240, 166, 107], [178, 34, 34]]; // prettier-ignore
const SMALL_TO_LARGE: readonly Colour[] = [[138, 148, 163], [242, 177, 52], [209, 36, 47]]; // prettier-ignore

/** Red, green and blue from 0 to 255. @param share from −1, compressed the most, to 1. */
export const strainColour = (share: number): Colour => between(share < 0 ? SHORTER : LONGER, Math.abs(share));

/** Of a tension or a pressure. @param share of the largest. */
export const loadColour = (share: number): string => `rgb(${between(SMALL_TO_LARGE, share).map(Math.round).join(',')})`;

function between(stops: readonly Colour[], share: number): Colour {
  const place = 2 * Math.min(1, Math.max(0, share));
  const first = place < 1 ? 0 : 1;
  const mix = (k: 0 | 1 | 2): number => {
    const from = stops[first]![k];
    return from + (place - first) * (stops[first + 1]![k] - from);
  };
  return [mix(0), mix(1), mix(2)];
}
