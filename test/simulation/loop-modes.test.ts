/** Small motions of robots with loops: a four-bar against its energy over one angle, by geometry; sliders that are tied; what is held. */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { load } from '../../src/api/load.ts';

const BARS = [
  { m: 0.4, l: 0.15, c: 0.075, i: 0.0011 },
  { m: 0.9, l: 0.45, c: 0.225, i: 0.016 },
  { m: 0.7, l: 0.35, c: 0.175, i: 0.0075 },
] as const;
const BASE = 0.5;
const G = 9.81;

/** Absolute angles of all bars where the crank is: the rocker's end on a circle about its pin and one about the crank's. */
function angles(crank: number, side: number): [number, number, number] {
  const [x, y] = [BARS[0].l * Math.cos(crank), BARS[0].l * Math.sin(crank)];
  const [dx, dy] = [BASE - x, -y];
  const apart = Math.hypot(dx, dy);
  const along = (BARS[1].l ** 2 - BARS[2].l ** 2 + apart ** 2) / (2 * apart);
  const beside = side * Math.sqrt(BARS[1].l ** 2 - along ** 2);
  const [px, py] = [x + (along * dx - beside * dy) / apart, y + (along * dy + beside * dx) / apart];
  return [crank, Math.atan2(py - y, px - x), Math.atan2(py, px - BASE)];
}

const potential = (crank: number, side: number): number => {
  const [a, b, c] = angles(crank, side).map(Math.sin) as [number, number, number];
  return G * (BARS[0].m * BARS[0].c * a + BARS[1].m * (BARS[0].l * a + BARS[1].c * b) + BARS[2].m * BARS[2].c * c);
};

/** d/dx and d²/dx² of sixth order. */
function slopes(f: (x: number) => number, x: number, h = 1e-2): readonly [number, number] {
  const pair = (k: number): readonly [number, number] => [f(x + k * h), f(x - k * h)];
  const [near, middle, far] = [pair(1), pair(2), pair(3)] as const;
  const odd = ([after, before]: readonly [number, number]): number => after - before;
  const even = ([after, before]: readonly [number, number]): number => after + before;
  return [
    (odd(far) - 9 * odd(middle) + 45 * odd(near)) / (60 * h),
    (2 * even(far) - 27 * even(middle) + 270 * even(near) - 490 * f(x)) / (180 * h * h),
  ];
}

describe('small motions of a four-bar', () => {
  it('have the frequency of one angle, about the equilibrium below', async () => {
    const robot = await load(fileURLToPath(new URL('../../examples/mechanisms/four-bar.robot.yaml', import.meta.url)));
    const { q, free, basis, modes, drift, A } = await robot.linearise();
    const side = Math.sign(Math.sin(q[2]! - q[0]! - q[1]!)) || 1;
    const crank = q[0]!;
    const own = angles(crank, side);
    // The same branch of the loop, and an equilibrium of it.
    expect(Math.sin(own[1] - q[0]! - q[1]!)).toBeCloseTo(0, 10);
    expect(Math.max(...drift.map(Math.abs))).toBeLessThan(1e-8);
    const [force, stiffness] = slopes((x) => potential(x, side), crank);
    expect(Math.abs(force)).toBeLessThan(1e-8);
    const turned = [1, 2].map((k) => slopes((x) => angles(x, side)[k]!, crank)[0]) as [number, number];
    const [a, b] = own;
    const place =
      BARS[0].l ** 2 + (BARS[1].c * turned[0]) ** 2 + 2 * BARS[0].l * BARS[1].c * turned[0] * Math.cos(a - b);
    const inertia =
      BARS[0].i +
      BARS[0].m * BARS[0].c ** 2 +
      BARS[1].i * turned[0] ** 2 +
      BARS[1].m * place +
      (BARS[2].i + BARS[2].m * BARS[2].c ** 2) * turned[1] ** 2;
    const due = Math.sqrt(stiffness / inertia);
    expect(free).toHaveLength(1);
    expect(modes).toHaveLength(1);
    expect(Math.abs(modes[0]!.imaginary - due)).toBeLessThan(1e-9 * due);
    expect(Math.abs(modes[0]!.real)).toBeLessThan(1e-12 * due);
    // Coordinates of the robot: the coupler's is relative to the crank.
    const ways = [1, turned[0] - 1, turned[1]].map((x, k, all) => [x / all[free[0]!]!, k] as const);
    for (const [x, k] of ways) expect(Math.abs(basis![k]![0]! - x)).toBeLessThan(1e-9);
    expect(A).toHaveLength(2);
  });
});

describe('small motions of sliders that are tied', () => {
  const text = (more: string): string => `kanegen: 1
name: tied
gravity: [0, 0, 0]
links:
  - { name: a, parent: base, joint: { prismatic: x, stiffness: 100 N/m, damping: 2 N s/m }, rigid: { mass: 1 kg } }
  - { name: b, parent: base, joint: { prismatic: x, stiffness: 50 N/m }, rigid: { mass: 2 kg } }
  - { name: c, parent: base, joint: { prismatic: x, stiffness: 20 N/m }, rigid: { mass: 0.5 kg } }
actuators: { push: { motor: b.displacement } }
loops:
  tie: { constraint: a.displacement - 2*b.displacement }
${more}`;

  const robotOf = (more: string): object => parse(text(more)) as object;

  it('are those of one mass on one spring, once and with rows that say the same', async () => {
    // Of x = b: a = 2 b, so that 4·1 + 2 moves on 4·100 + 50, damped by 4·2; c swings alone.
    for (const more of ['', '  again: { constraint: 3*a.displacement - 6*b.displacement }\n']) {
      const robot = await load(robotOf(more));
      const { modes, free, B } = await robot.linearise();
      expect(modes).toHaveLength(2);
      const [own, alone] = modes[0]!.shape[2]! > 0.5 ? [modes[1]!, modes[0]!] : [modes[0]!, modes[1]!];
      expect(alone.imaginary).toBeCloseTo(Math.sqrt(40), 10);
      expect(own.real).toBeCloseTo(-8 / 6 / 2, 10);
      expect(Math.hypot(own.real, own.imaginary)).toBeCloseTo(Math.sqrt(450 / 6), 10);
      own.shape.forEach((x, k) => expect(x).toBeCloseTo([1, 0.5, 0][k]!, 10));
      const which = free.findIndex((a) => a < 2);
      expect(B[2 + which]![0]).toBeCloseTo((free[which] === 0 ? 2 : 1) / 6, 10);
    }
  });

  it('stand still where what is held holds them, and what holds them is no motion', async () => {
    const robot = await load(robotOf(''));
    const { modes, free } = await robot.linearise({ held: ['a.displacement'] });
    expect(free).toEqual([2]);
    expect(modes).toHaveLength(1);
    expect(modes[0]!.imaginary).toBeCloseTo(Math.sqrt(40), 10);
  });

  it('are about a closed configuration near the one that is given', async () => {
    const robot = await load(robotOf(''));
    const { q, drift } = await robot.linearise({ at: { 'a.displacement': 0.25, 'b.displacement': 0 } });
    expect(q[0]! - 2 * q[1]!).toBeCloseTo(0, 12);
    expect(Math.abs(drift[0]!)).toBeGreaterThan(0.1);
  });
});
