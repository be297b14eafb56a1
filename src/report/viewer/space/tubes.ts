/** Vertices of thin tubes along paths that move: rings around the points of a path, each turned as little as possible from the one before. */
import type { Triple } from '../animation-data.ts';

const AROUND = 6;

export class Tubes {
  /** x, y, z of the points of all paths, one path after the other. */
  readonly paths: Float32Array;
  /** x, y, z of vertices. */
  readonly position: Float32Array;
  /** Red, green and blue of vertices. */
  readonly colour: Float32Array;
  /** Three vertices each, counter-clockwise from outside; the ends are open. */
  readonly triangles: readonly number[];
  private readonly counts: readonly number[];
  private readonly radius: number;

  /** @param counts points of each path. */
  constructor(counts: readonly number[], radius: number) {
    this.counts = counts;
    this.radius = radius;
    const count = counts.reduce((sum, own) => sum + own, 0);
    this.paths = new Float32Array(3 * count);
    this.position = new Float32Array(3 * AROUND * count);
    this.colour = new Float32Array(3 * AROUND * count);
    const triangles: number[] = [];
    let first = 0;
    for (const own of counts) {
      for (let k = first; k + 1 < first + own; k++)
        for (let i = 0; i < AROUND; i++) {
          const [a, b] = [AROUND * k + i, AROUND * k + ((i + 1) % AROUND)];
          triangles.push(a, b, b + AROUND, a, b + AROUND, a + AROUND);
        }
      first += own;
    }
    this.triangles = triangles;
  }

  /** After the paths have moved. */
  follow(): void {
    let first = 0;
    for (const count of this.counts) {
      this.followOne(3 * first, count);
      first += count;
    }
  }

  /** @param start where its numbers begin. */
  private followOne(start: number, count: number): void {
    const { paths, position, radius } = this;
    // A unit vector across the path, in the first ring any.
    let [u, v, w] = [0, 0, 0];
    for (let k = 0; k < count; k++) {
      const at = start + 3 * k;
      const [from, to] = [k === 0 ? at : at - 3, k === count - 1 ? at : at + 3];
      const [a, b, c] = [
        paths[to]! - paths[from]!,
        paths[to + 1]! - paths[from + 1]!,
        paths[to + 2]! - paths[from + 2]!,
      ];
      const length = Math.sqrt(a * a + b * b + c * c);
      // Where a path stands still it has no direction: any will do.
      const [x, y, z] = length > 0 ? [a / length, b / length, c / length] : [1, 0, 0];
      if (k === 0) [u, v] = Math.abs(x) < 0.9 ? [1, 0] : [0, 1];
      const share = u * x + v * y + w * z;
      [u, v, w] = [u - share * x, v - share * y, w - share * z];
      const size = Math.sqrt(u * u + v * v + w * w);
      [u, v, w] = size > 0 ? [u / size, v / size, w / size] : [1, 0, 0];
      const [p, q, r] = [y * w - z * v, z * u - x * w, x * v - y * u];
      for (let i = 0; i < AROUND; i++) {
        const along = radius * COSINES[i]!;
        const across = radius * SINES[i]!;
        const vertex = AROUND * at + 3 * i;
        position[vertex] = paths[at]! + along * u + across * p;
        position[vertex + 1] = paths[at + 1]! + along * v + across * q;
        position[vertex + 2] = paths[at + 2]! + along * w + across * r;
      }
    }
  }

  /** @param colours of each path. */
  paint(colours: readonly Triple[]): void {
    let next = 0;
    this.counts.forEach((count, path) => {
      for (let k = 0; k < AROUND * count; k++, next += 3) this.colour.set(colours[path]!, next);
    });
  }
}

const turns = Array.from({ length: AROUND }, (_, i) => (2 * Math.PI * i) / AROUND);
const COSINES = turns.map(Math.cos);
const SINES = turns.map(Math.sin);
