/**
 * The part of the floor on which a robot's shadow may lie: its colour is a comparison with the map of shadows at every pixel, which costs as much
 * as the rest of a picture where the processor draws it.
 */
import { cross, dot, minus, plus, scaled, unit } from '../../../common/poses.ts';
import type { Triple } from '../animation-data.ts';

interface Floor {
  /** Its middle. */
  readonly at: Triple;
  readonly up: Triple;
  /** Half of a side of the square, m. */
  readonly half: number;
}

/** On the floor, along its axes. */
interface Rectangle {
  /** Its middle. */
  readonly at: Triple;
  readonly size: readonly [number, number];
}

export class ShadowFloor {
  /** Of the floor, across each other; the second follows from the first by a turn about the way up. */
  readonly axes: readonly [Triple, Triple];
  private readonly floor: Floor;
  /** Of a point less the middle: places along both axes where light through it meets the floor. */
  private readonly along: readonly [Triple, Triple];
  private readonly margin: number;

  /** @param light direction in which it shines. @param margin around the points that throw a shadow, m. */
  constructor(floor: Floor, light: Triple, margin: number) {
    const { up } = floor;
    this.floor = floor;
    this.margin = margin;
    const first: Triple = Math.abs(up[0]) < 0.9 ? [1, 0, 0] : [0, 1, 0];
    const u = unit(cross(up, first))!;
    this.axes = [u, cross(up, u)];
    const along = (axis: Triple): Triple => minus(axis, scaled(dot(axis, light) / dot(up, light), up));
    this.along = [along(this.axes[0]), along(this.axes[1])];
  }

  /** Undefined where nothing can throw a shadow on the floor. @param count of points, whose x, y and z are the first of the numbers. @param more points, x, y, z one after the other. */
  cover(numbers: ArrayLike<number>, count: number, more: ArrayLike<number> = []): Rectangle | undefined {
    const { at, half } = this.floor;
    const [least, most] = [
      [Infinity, Infinity],
      [-Infinity, -Infinity],
    ];
    const take = (x: number, y: number, z: number): void => {
      for (let i = 0; i < 2; i++) {
        const own = this.along[i]!;
        const place = own[0] * (x - at[0]) + own[1] * (y - at[1]) + own[2] * (z - at[2]);
        // What is no number has no shadow.
        if (place < least[i]!) least[i] = place;
        if (place > most[i]!) most[i] = place;
      }
    };
    for (let i = 0; i < 3 * count; i += 3) take(numbers[i]!, numbers[i + 1]!, numbers[i + 2]!);
    for (let i = 0; i < more.length; i += 3) take(more[i]!, more[i + 1]!, more[i + 2]!);
    const from = least.map((x) => Math.max(-half, x - this.margin));
    const size = most.map((x, i) => Math.min(half, x + this.margin) - from[i]!) as [number, number];
    if (!(size[0] > 0 && size[1] > 0)) return undefined;
    const [a, b] = size.map((own, i) => from[i]! + own / 2) as [number, number];
    return { at: plus(at, plus(scaled(a, this.axes[0]), scaled(b, this.axes[1]))), size };
  }
}
