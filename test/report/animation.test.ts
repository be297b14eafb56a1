/** What a camera has to see. */
import { expect, it } from 'vitest';
import { boundsOf } from '../../src/report/animation.ts';

const UP = [0, 0, 1] as const;
/** A diagonal of 1 m × 2 m × 2 m from a place on. */
const from = (x: number, y: number, z: number): Float64Array => Float64Array.of(x, y, z, x + 1, y + 2, z + 2);

it('the origin of the world belongs to what is seen where the robot is near it', () => {
  expect(boundsOf([from(1, 0, 0.5)], UP)).toEqual({ least: [0, 0, 0], extent: [2, 2, 2.5], low: 0.5 });
  expect(boundsOf([from(-3, 0, 0)], UP)).toEqual({ least: [-3, 0, 0], extent: [3, 2, 2], low: 0 });
  expect(boundsOf([from(-0.5, -1, -1)], UP)).toEqual({ least: [-0.5, -1, -1], extent: [1, 2, 2], low: -1 });
});

it('a robot that is far away from it is seen alone', () => {
  expect(boundsOf([from(10, 20, 0)], UP)).toEqual({ least: [10, 20, 0], extent: [1, 2, 2], low: 0 });
  expect(boundsOf([from(-10, 0, 0), from(-12, 0, -1)], UP)).toEqual({
    least: [-12, 0, -1],
    extent: [3, 2, 3],
    low: -1,
  });
  expect(boundsOf([new Float64Array(0)], UP)).toMatchObject({ least: [0, 0, 0], extent: [0, 0, 0] });
});
