/**
 * The part of the floor on which a robot's shadow may lie: its colour is a comparison with the map of shadows at every pixel, which costs as much
 * as the rest of a picture where the processor draws it.
 */
import { Mesh, PlaneGeometry, ShadowMaterial, Vector3 } from 'three';
import { eachAxis } from '../../../common/tuples.ts';
import { cross, dot, minus, scaled, unit } from '../../../common/poses.ts';
import type { Triple } from '../animation-data.ts';

interface Floor {
  /** Its middle. */
  readonly at: Triple;
  readonly up: Triple;
  /** Half of a side of the square, m. */
  readonly half: number;
}

export class ShadowFloor {
  readonly mesh = new Mesh(new PlaneGeometry(1, 1), new ShadowMaterial({ opacity: 0.18 }));
  private readonly floor: Floor;
  private readonly axes: readonly [Triple, Triple];
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
    const { mesh } = this;
    mesh.receiveShadow = true;
    mesh.up.copy(new Vector3(...this.axes[1]));
    mesh.lookAt(new Vector3(...up));
  }

  /** @param count of points, whose x, y and z are the first of the numbers. @param more points, x, y, z one after the other. */
  cover(numbers: ArrayLike<number>, count: number, more: ArrayLike<number> = []): void {
    const { at, half } = this.floor;
    const [least, most] = [
      [half, half],
      [-half, -half],
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
    const [from, to] = [
      least.map((x) => Math.max(-half, x - this.margin)),
      most.map((x) => Math.min(half, x + this.margin)),
    ];
    const { mesh } = this;
    const [width, height] = [to[0]! - from[0]!, to[1]! - from[1]!];
    mesh.visible = width > 0 && height > 0;
    if (!mesh.visible) return;
    const middle = eachAxis(
      (axis) =>
        at[axis] + ((from[0]! + to[0]!) / 2) * this.axes[0][axis] + ((from[1]! + to[1]!) / 2) * this.axes[1][axis],
    );
    mesh.position.set(...middle);
    mesh.scale.set(width, height, 1);
  }
}
