/** Random trees as URDF files, and what is compared of robots made of them. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KernelInterpreter } from '../kane/interpreter.ts';
import { joint, link, robotOf } from './urdf-text.ts';

/** Link i + 1 of a tree, and the joint that carries it. */
export interface Twig {
  readonly type: 'revolute' | 'prismatic' | 'fixed';
  readonly parent: number;
  readonly mass: number | undefined;
  readonly xyz: readonly number[];
  readonly rpy: readonly number[];
  readonly axis: readonly number[];
}

const length = fc.integer({ min: -30, max: 30 }).map((n) => n / 100);
const angle = fc.oneof(
  fc.integer({ min: -314, max: 314 }).map((n) => n / 100),
  fc.constantFrom(0, Math.PI / 2),
);
const triple = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { minLength: 3, maxLength: 3 });
const twig = (index: number): fc.Arbitrary<Twig> =>
  fc.record({
    type: fc.constantFrom('revolute', 'prismatic', 'fixed', 'fixed'),
    parent: fc.nat(index),
    mass: fc.option(
      fc.integer({ min: 1, max: 40 }).map((n) => n / 10),
      { nil: undefined, freq: 4 },
    ),
    xyz: triple(length),
    rpy: triple(angle),
    axis: triple(fc.integer({ min: -2, max: 2 })).map((v) => (v.every((e) => e === 0) ? [0, 0, 1] : v)),
  });
export const tree = fc
  .integer({ min: 2, max: 5 })
  .chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => twig(i))));

export const urdfOf = (twigs: readonly Twig[]): string =>
  robotOf(
    link('l0', 1.5, '0.1 0.2 0'),
    ...twigs.map(({ mass }, i) => link(`l${i + 1}`, mass, `0.0${i} 0.05 0.1`, '0.2 0.1 0')),
    ...twigs.map(({ type, parent, xyz, rpy, axis }, i) =>
      joint(
        `turn${i + 1}`,
        type,
        `l${parent}`,
        `l${i + 1}`,
        `<origin xyz="${xyz.join(' ')}" rpy="${rpy.join(' ')}"/><axis xyz="${axis.join(' ')}"/>`,
      ),
    ),
  );

/** What the robot stands on moves, so that every mass counts. */
export const CART = { name: 'cart', joint: { planar: ['x', 'z'] }, rigid: { mass: 2, inertia: { yy: 0.3 } } };

export interface Numbers {
  readonly names: readonly string[];
  readonly M: readonly (readonly number[])[];
  readonly tau: readonly number[];
  readonly gravity: readonly number[];
}

/** At a state that depends on the name of a coordinate only, sorted by name. */
export function numbersOf(robot: Robot): Numbers {
  const interpreter = new KernelInterpreter(compileRobot(robot));
  const names = robot.coordinates.map(({ name }) => name.slice(name.indexOf('.') + 1));
  const state = {
    q: names.map((name) => 0.4 + 0.3 * seedOf(name)),
    qd: names.map((name) => 0.5 - 0.2 * seedOf(name)),
    qdd: names.map((name) => 0.1 + 0.15 * seedOf(name)),
  };
  const still = { ...state, qd: names.map(() => 0), qdd: names.map(() => 0) };
  const order = names.map((_, i) => i).sort((a, b) => (names[a]! < names[b]! ? -1 : 1));
  const sorted = (values: readonly number[]): number[] => order.map((i) => values[i]!);
  return {
    names: order.map((i) => names[i]!),
    M: permuted(interpreter.massMatrix(state), order),
    tau: sorted(interpreter.inverseDynamics(state, robot.gravity)),
    gravity: sorted(interpreter.inverseDynamics(still, robot.gravity)),
  };
}

const seedOf = (name: string): number => [...name].reduce((sum, letter) => sum + letter.charCodeAt(0), 0) % 7;
const permuted = (M: readonly (readonly number[])[], order: readonly number[]): number[][] =>
  order.map((i) => order.map((j) => M[i]![j]!));

export function expectSame(part: Numbers, whole: Numbers): void {
  expect(part.names).toEqual(whole.names);
  const flat = ({ M, tau, gravity }: Numbers): number[] => [...M.flat(), ...tau, ...gravity];
  const size = Math.max(...flat(whole).map(Math.abs));
  const errors = flat(part).map((value, i) => Math.abs(value - flat(whole)[i]!));
  expect(Math.max(...errors)).toBeLessThanOrEqual(1e-12 * size);
}
