/** What the page draws from the points of a picture: normals, tubes around tendons, and where the shadow on the floor may lie. */
import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../../src/common/random.ts';
import { cross, dot, minus, scaled, plus, unit } from '../../../src/common/poses.ts';
import { triple } from '../../../src/common/tuples.ts';
import type { Triple } from '../../../src/report/viewer/animation-data.ts';
import { ShadowFloor } from '../../../src/report/viewer/space/shadow-floor.ts';
import { Tubes } from '../../../src/report/viewer/space/tubes.ts';
import { vertexNormals } from '../../../src/report/viewer/space/vertex-normals.ts';

const random = randomNumbers(7);
const anyVector = (): Triple => [random() - 0.5, random() - 0.5, random() - 0.5];
const pointOf = (numbers: ArrayLike<number>, index: number): Triple => [
  numbers[3 * index]!,
  numbers[3 * index + 1]!,
  numbers[3 * index + 2]!,
];

it('normals of an ellipsoid are those of its formula, outwards', () => {
  const [around, along] = [64, 48];
  const half: Triple = [0.3, 0.2, 0.5];
  const position = new Float32Array(3 * around * along);
  const triangles: number[] = [];
  for (let k = 0; k < along; k++)
    for (let i = 0; i < around; i++) {
      const [theta, phi] = [(Math.PI * (k + 0.5)) / along, (2 * Math.PI * i) / around];
      const point = [Math.sin(theta) * Math.cos(phi), Math.sin(theta) * Math.sin(phi), Math.cos(theta)];
      position.set(
        point.map((x, axis) => x * half[axis]!),
        3 * (around * k + i),
      );
      const [a, b] = [around * k + i, around * k + ((i + 1) % around)];
      if (k + 1 < along) triangles.push(a, a + around, b, b, a + around, b + around);
    }
  // What was there before is gone; a vertex of no triangle faces nowhere.
  const normal = new Float32Array(position.length + 3).fill(9);
  vertexNormals(position, triangles, normal);
  let [least, most] = [1, 0];
  for (let i = around; i < around * (along - 1); i++) {
    const gradient = unit(pointOf(position, i).map((x, axis) => x / half[axis]! ** 2))!;
    least = Math.min(least, dot(gradient, pointOf(normal, i)));
    most = Math.max(most, Math.hypot(...pointOf(normal, i)));
  }
  expect(least).toBeGreaterThan(0.999);
  expect(most).toBeCloseTo(1, 6);
  expect(pointOf(normal, around * along)).toEqual([0, 0, 0]);
});

describe('tubes', () => {
  const counts = [9, 2, 30];
  const radius = 0.01;
  const tubes = new Tubes(counts, radius);
  const total = counts.reduce((sum, own) => sum + own, 0);
  // A circle, a straight piece, a helix.
  const path = (own: number, k: number): Triple =>
    own === 0
      ? [Math.cos(k / 4), Math.sin(k / 4), 0]
      : own === 1
        ? [0.3 * k, 0.1 * k, -0.2 * k]
        : [0.5 * Math.cos(k / 5), 0.5 * Math.sin(k / 5), 0.05 * k];
  const points = counts.flatMap((count, own) => Array.from({ length: count }, (_, k) => path(own, k)));
  tubes.paths.set(points.flat());
  tubes.follow();

  it('are rings around the points of their paths, across them', () => {
    const around = tubes.position.length / (3 * total);
    let first = 0;
    for (const count of counts) {
      for (let k = first; k < first + count; k++) {
        const tangent = minus(points[Math.min(k + 1, first + count - 1)]!, points[Math.max(k - 1, first)]!);
        const ring = Array.from({ length: around }, (_, i) =>
          minus(pointOf(tubes.position, around * k + i), points[k]!),
        );
        for (const spoke of ring) {
          expect(Math.hypot(...spoke)).toBeCloseTo(radius, 6);
          expect(Math.abs(dot(spoke, unit(tangent)!))).toBeLessThan(1e-6);
        }
        // Once around, counter-clockwise about the path.
        ring.forEach((spoke, i) =>
          expect(dot(cross(spoke, ring[(i + 1) % around]!), unit(tangent)!)).toBeCloseTo(
            radius ** 2 * Math.sin((2 * Math.PI) / around),
            8,
          ),
        );
      }
      first += count;
    }
  });

  it('do not twist, face outwards, and do not reach from one path to the next', () => {
    const around = tubes.position.length / (3 * total);
    const starts = [0, 9, 11, 41];
    const pathOf = (vertex: number): number => starts.findIndex((start) => start > Math.floor(vertex / around)) - 1;
    for (let t = 0; t < tubes.triangles.length; t += 3) {
      const [a, b, c] = [0, 1, 2].map((k) => tubes.triangles[t + k]!) as [number, number, number];
      expect(new Set([a, b, c].map(pathOf)).size).toBe(1);
      const [x, y, z] = [a, b, c].map((vertex) => pointOf(tubes.position, vertex)) as [Triple, Triple, Triple];
      const outwards = minus(x, points[Math.floor(a / around)]!);
      expect(dot(cross(minus(y, x), minus(z, x)), outwards)).toBeGreaterThan(0);
    }
    // A spoke leads on to the spoke beside it.
    const spoke = (k: number): Triple => minus(pointOf(tubes.position, around * k), points[k]!);
    for (let k = 11; k < 40; k++) expect(dot(spoke(k), spoke(k + 1))).toBeGreaterThan(0.95 * radius ** 2);
  });

  it('have the colours of their paths', () => {
    tubes.paint([
      [0.25, 0, 0],
      [0, 0.5, 0],
      [0, 0, 0.75],
    ]);
    const around = tubes.position.length / (3 * total);
    const at = (point: number): Triple => pointOf(tubes.colour, around * point + around - 1);
    expect([at(0), at(8), at(9), at(11), at(40)]).toEqual([
      [0.25, 0, 0],
      [0.25, 0, 0],
      [0, 0.5, 0],
      [0, 0, 0.75],
      [0, 0, 0.75],
    ]);
  });
});

describe('the part of the floor that may be in the shadow', () => {
  const light: Triple = [-0.6, 0.6, -2];
  /** Where light through a point meets the floor. */
  const shadow = (point: Triple, at: Triple, up: Triple): Triple =>
    plus(point, scaled(dot(minus(at, point), up) / dot(light, up), light));

  it.each([[[0, 0, 1]], [[0.6, 0, 0.8]], [[1, 0, 0]]])(
    'has the shadows of all points, and no more, where %j is up',
    (given) => {
      const up = triple(given);
      const [margin, at] = [0.05, scaled(-2, up)];
      const floor = new ShadowFloor({ at, up, half: 50 }, light, margin);
      const points = Array.from({ length: 40 }, anyVector);
      const more = Array.from({ length: 5 }, () => plus([1, 2, 0.5], anyVector()));
      // A pose follows the points.
      const found = floor.cover([...points.flat(), NaN, 99, 99, 99], points.length, more.flat())!;
      const [u, v] = floor.axes;
      expect(dot(found.at, up)).toBeCloseTo(dot(at, up), 12);
      expect(cross(u, v).map((x) => x)).toEqual(up.map((x) => expect.closeTo(x, 12) as number));
      const places = [...points, ...more].map((own) => {
        const away = minus(shadow(own, at, up), found.at);
        return [dot(away, u), dot(away, v)] as const;
      });
      for (const axis of [0, 1] as const) {
        const reach = Math.max(...places.map((own) => Math.abs(own[axis])));
        expect(found.size[axis] / 2).toBeCloseTo(reach + margin, 12);
      }
    },
  );

  it('ends with the floor, and is nothing where no shadow falls on it', () => {
    const floor = new ShadowFloor({ at: [0, 0, 0], up: [0, 0, 1], half: 1 }, light, 0.1);
    const whole = floor.cover([-9, -9, 0.5, 9, 9, 0.5], 2)!;
    expect(whole).toEqual({ at: [0, 0, 0], size: [2, 2] });
    expect(floor.cover([5, 5, 0.5], 1)).toBeUndefined();
    expect(floor.cover([], 0)).toBeUndefined();
    expect(floor.cover([NaN, 0, 0], 1)).toBeUndefined();
  });
});
