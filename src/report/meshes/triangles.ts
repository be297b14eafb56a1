/** Triangles of solids, and why a file has none. */

/** x, y, z of vertices, and three vertices for each triangle, counter-clockwise from outside. */
export interface Triangles {
  readonly position: readonly number[];
  readonly triangles: readonly number[];
}

/** Why a file has no picture, in words that follow its name. */
export class DamagedMesh extends Error {}

/** Of one file: far more than a screen shows. */
export const MOST_TRIANGLES = 2_000_000;

/** Meridians of round solids, and circles of latitude of half a sphere. */
const AROUND = 24;
const LATITUDES = 6;

type Ring = readonly [radius: number, height: number];

/** About the z-axis, between two points of it. @param rings from below. @param reach height of the upper point; the lower one is as far below. */
function revolved(rings: readonly Ring[], reach: number): Triangles {
  const position: number[] = [0, 0, -reach];
  for (const [radius, height] of rings)
    for (let i = 0; i < AROUND; i++) {
      const angle = (2 * Math.PI * i) / AROUND;
      position.push(radius * Math.cos(angle), radius * Math.sin(angle), height);
    }
  position.push(0, 0, reach);
  const at = (ring: number, i: number): number => 1 + AROUND * ring + (i % AROUND);
  const last = 1 + AROUND * rings.length;
  const triangles: number[] = [];
  for (let i = 0; i < AROUND; i++) {
    triangles.push(0, at(0, i + 1), at(0, i), last, at(rings.length - 1, i), at(rings.length - 1, i + 1));
    for (let k = 0; k + 1 < rings.length; k++)
      triangles.push(at(k, i), at(k, i + 1), at(k + 1, i + 1), at(k, i), at(k + 1, i + 1), at(k + 1, i));
  }
  return { position, triangles };
}

/** About the origin, along z. @param half of the length between the middles of the round ends. */
export function capsule(radius: number, half: number): Triangles {
  const rings = (sign: 1 | -1): Ring[] =>
    Array.from({ length: LATITUDES }, (_, k) => {
      const angle = (Math.PI / 2) * (1 - (k + 0.5) / LATITUDES);
      return [radius * Math.cos(angle), sign * (half + radius * Math.sin(angle))];
    });
  return revolved([...rings(-1), [radius, -half], [radius, half], ...rings(1).reverse()], half + radius);
}

export const sphere = (radius: number): Triangles => capsule(radius, 0);

/** About the origin, along z. */
export function cylinder(radius: number, half: number): Triangles {
  return revolved([[radius, -half], [radius, half]], half); // prettier-ignore
}

/** Half of the wall of a tube about the z-axis, so that its inside is seen; from both sides. */
export function trough(radius: number, half: number): Triangles {
  const steps = AROUND / 2;
  const position = Array.from({ length: steps + 1 }, (_, i) => {
    const angle = Math.PI * (1 + i / steps);
    const [x, y] = [radius * Math.cos(angle), radius * Math.sin(angle)];
    return [x, y, -half, x, y, half];
  }).flat();
  const triangles = Array.from({ length: steps }, (_, i) => {
    const [a, b, c, d] = [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1];
    return [a, b, c, a, c, d, a, c, b, a, d, c];
  }).flat();
  return { position, triangles };
}

/** About the origin. @param sizes whole lengths along x, y, z. */
export function box(sizes: readonly [number, number, number]): Triangles {
  const position: number[] = [];
  const triangles: number[] = [];
  for (const axis of [0, 1, 2])
    for (const sign of [-1, 1]) {
      const first = position.length / 3;
      const [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
      for (const [a, b] of [
        [-1, -1],
        [1, -1],
        [1, 1],
        [-1, 1],
      ] as const) {
        const corner = [0, 0, 0];
        corner[axis] = (sign * sizes[axis]!) / 2;
        corner[u] = (a * sizes[u]!) / 2;
        corner[v] = (b * sizes[v]!) / 2;
        position.push(...corner);
      }
      const order = sign > 0 ? [0, 1, 2, 0, 2, 3] : [0, 2, 1, 0, 3, 2];
      triangles.push(...order.map((i) => first + i));
    }
  return { position, triangles };
}
