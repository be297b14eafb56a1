/** A thin tube along a path that moves: rings around its points, each turned as little as possible from the one before. */
import { BufferAttribute, BufferGeometry, DynamicDrawUsage } from 'three';

const AROUND = 6;

type Vector = readonly [number, number, number];

export class Tube {
  readonly geometry = new BufferGeometry();
  /** x, y, z of the points of the path. */
  readonly path: Float32Array;
  private readonly radius: number;
  private readonly position: Float32Array;

  constructor(count: number, radius: number) {
    this.radius = radius;
    this.path = new Float32Array(3 * count);
    this.position = new Float32Array(3 * AROUND * count);
    const triangles: number[] = [];
    for (let k = 0; k + 1 < count; k++)
      for (let i = 0; i < AROUND; i++) {
        const [a, b] = [AROUND * k + i, AROUND * k + ((i + 1) % AROUND)];
        triangles.push(a, b, b + AROUND, a, b + AROUND, a + AROUND);
      }
    this.geometry
      .setAttribute('position', new BufferAttribute(this.position, 3).setUsage(DynamicDrawUsage))
      .setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
  }

  /** After the path has moved. */
  follow(): void {
    const { path, position, radius } = this;
    const count = path.length / 3;
    const at = (k: number): Vector => [path[3 * k]!, path[3 * k + 1]!, path[3 * k + 2]!];
    let side: Vector = [0, 0, 0];
    for (let k = 0; k < count; k++) {
      const along = unit(minus(at(Math.min(k + 1, count - 1)), at(Math.max(k - 1, 0))));
      const start: Vector = Math.abs(along[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
      const before = k === 0 ? start : side;
      const share = dot(before, along);
      side = unit([before[0] - share * along[0], before[1] - share * along[1], before[2] - share * along[2]]);
      const other = cross(along, side);
      const centre = at(k);
      for (let i = 0; i < AROUND; i++) {
        const [c, s] = [radius * Math.cos((2 * Math.PI * i) / AROUND), radius * Math.sin((2 * Math.PI * i) / AROUND)];
        const first = 3 * (AROUND * k + i);
        for (let axis = 0; axis < 3; axis++)
          position[first + axis] = centre[axis]! + c * side[axis]! + s * other[axis]!;
      }
    }
    this.geometry.getAttribute('position').needsUpdate = true;
  }
}

const minus = (a: Vector, b: Vector): Vector => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];

function unit(v: Vector): Vector {
  const size = Math.hypot(...v);
  return size > 0 ? [v[0] / size, v[1] / size, v[2] / size] : [1, 0, 0];
}
