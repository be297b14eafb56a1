/**
 * Generated regressors: offset + Y π is what the driver has for inverse dynamics with passive forces, with values of π that
 * are not those of the file, for robots of all kinds, in TypeScript and in C; and what they are for, an adaptive controller.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { generateStraightC } from '../../src/codegen/c/straight-c.ts';
import {
  loadGenerated,
  loadStraight,
  type LoadedRobot,
  type LoadedStraight,
} from '../../src/codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightModel, type StraightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { KanegenError } from '../../src/common/error.ts';
import { baseColumns } from '../../src/identification/base-parameters.ts';
import { identifiableRobot } from '../../src/identification/parameters.ts';
import { compileRegressor, type Regressor } from '../../src/identification/regressor.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK } from '../../src/runtime/driver.ts';
import { compileStraight, linearParameters } from '../../src/straight/compile.ts';
import { isInstalled, QUICK } from '../compilers.ts';

const mass = (m: number, com: string): string =>
  `{ mass: ${m}, com: ${com}, inertia: { xx: 0.031, yy: 0.045, zz: 0.052, xy: 0.004, xz: -0.006, yz: 0.003 }, distal: { xyz: [0.3, -0.1, 0.2], rpy: [0.3, -0.2, 0.5] } }`;

/** Two branches on an inclined base, axes in no particular direction; k, d and J of a joint are parameters. */
const TREE = `kanegen: 1
name: tree
gravity: [1, -2, -9.5]
base: { rpy: [0.4, 0.3, -0.2] }
parameters:
  k: { value: 3 N m/rad, runtime: true }
  d: { value: 0.4 N m s/rad, runtime: true }
  J: { value: 0.02 kg m^2, runtime: true }
  L: { value: 0.2 m, runtime: true }
links:
  - { name: trunk, joint: { revolute: [0, 0.6, 0.8] }, rigid: ${mass(2, '[0.1, 0.05, -0.04]')} }
  - { name: slide, joint: { prismatic: [0.8, 0, 0.6], damping: 3 N s/m }, rigid: ${mass(1.5, '[0.02, 0.1, 0.03]')} }
  - { name: hand, joint: { revolute: x, stiffness: k, rest: 0.2, damping: d, armature: J }, offset: { xyz: [0, L, 0] }, rigid: ${mass(0.7, '[0.01, -0.02, 0.05]')} }
  - { name: other, parent: trunk, joint: { universal: [x, y] }, rigid: ${mass(0.9, '[0, 0.03, 0.08]')} }
`;

const SOFT = `kanegen: 1
name: soft
parameters:
  rho: { value: 1000 kg/m^3, runtime: true }
  E: { value: 0.5 MPa, runtime: true }
  eta: { value: 200 Pa s, runtime: true }
  mu: { value: 0.1 MPa, runtime: true }
body-types:
  rod:
    parameters: { L: 0.3 m, R: 0.015 m, rho: 1000 kg/m^3, E: 1 MPa, eta: 100 Pa s }
    coordinates: { q: { count: 2, unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: (q1 + q2*s/L)/L }
    material: { rod-elasticity: { E: E, nu: 0.5 }, viscosity: eta }
    integration: { points: 3, magnus: 4 }
  block:
    parameters: { L: 0.1 m, w: 0.02 m, mu: 0.2 MPa, rho: 900 kg/m^3 }
    coordinates: { b: { limits: [-0.3, 0.3] } }
    volume: { box: { x: [-w, w], y: [-w, 2*w], z: [0, L] }, density: rho }
    position: [ "x + b*z^2/L", "y - 0.3*b*z", "z" ]
    distal: { pose: { xyz: [ b*L, -0.3*b*L, L ], rpy: [0, b, 0] } }
    material: { energy: mu/2*(I1 - 3) + mu*(J - 1)^2 }
links:
  - { name: turn, joint: { revolute: [0.6, 0.8, 0] }, rigid: ${mass(0.2, '[0.01, 0.02, -0.01]')} }
  - { name: arm, body: rod, parameters: { rho: rho, E: E, eta: eta } }
  - { name: end, body: block, parameters: { mu: mu, rho: 1.1*rho } }
`;

const numbers = (n: number, size: number, k: number): number[] =>
  Array.from({ length: n }, (_, i) => size * Math.sin(1 + 1.7 * i + 2.3 * k));

interface Made {
  readonly model: StraightModel;
  readonly functions: LoadedStraight;
  readonly driver: Regressor;
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
}

async function made(text: string, isBase = false): Promise<Made> {
  const robot = loadRobotText(text, 'regressor.robot.yaml');
  const all = identifiableRobot(robot, { inertial: true });
  const options = { count: generatedCost };
  const parameters = linearParameters(all.robot, all.parameters, options);
  const only = robot.parameters.filter(({ name }) => parameters.some((own) => own.name === name)).map((p) => p.name);
  const driver = await compileRegressor(robot, { only, inertial: true });
  const columns = isBase ? { columns: baseColumns(driver) } : {};
  const straight = compileStraight(robot, {
    ...options,
    functions: ['gravity'],
    regressor: { robot: all.robot, parameters, ...columns },
  });
  const compiled = compileRobot(robot);
  const model = straightModel(robot, compiled, straight);
  const files = await generateTypeScript(robot, compiled);
  return {
    model,
    functions: await loadStraight(files, generateStraightTypeScript(model)),
    driver,
    robot,
    dynamics: (await loadGenerated(files))(),
  };
}

/** Of Y and offset as printed by a program in C. */
const MAIN = (name: string, n: number, columns: number, state: readonly (readonly number[])[]): string => `
#include "${name}_straight.h"
#include <stdio.h>
int main(void)
{
  static const kg_real q[] = {${state[0]!.join(', ')}}, qd[] = {${state[1]!.join(', ')}}, qdd[] = {${state[2]!.join(', ')}};
  kg_real Y[${n * columns}], offset[${n}];
  int i;
  if (${name}_straight_regressor(&${name}_defaults, q, qd, qdd, Y, offset) != KG_OK) return 1;
  for (i = 0; i < ${n * columns}; i++) printf("%.17g\\n", (double)Y[i]);
  for (i = 0; i < ${n}; i++) printf("%.17g\\n", (double)offset[i]);
  return ${name.toUpperCase()}_STRAIGHT_COLUMNS_COUNT != ${columns};
}
`;

describe.each([
  ['rigid links on branches, with a spring, a damper and a drive', TREE],
  ['a rod by its strain and a solid on a rigid link', SOFT],
])('%s', (_, text) => {
  let own: Made;
  beforeAll(async () => {
    own = await made(text);
  });

  const stateOf = (n: number, k: number): [number[], number[], number[]] => [
    numbers(n, 0.28, k),
    numbers(n, 2, k + 4),
    numbers(n, 5, k + 9),
  ];

  it('has Y π of forces of the driver, whatever π is, in both languages', async () => {
    const { model, functions, driver } = own;
    const [n, p] = [driver.coordinates, model.columns.length];
    const defaults = Object.fromEntries(model.parameters.map((parameter) => [parameter.name, parameter.value]));
    const kept = { gravity: new Float64Array(own.robot.gravity), ...defaults };
    const state = stateOf(n, 0);
    const c = isInstalled('cc') ? await inC(own, MAIN(model.robot.name, n, p, state)) : undefined;
    for (const k of [0, 1, 2]) {
      const [q, qd, qdd] = stateOf(n, k);
      const [Y, offset] = [new Float64Array(n * p), new Float64Array(n)];
      expect(functions.regressor!(kept, q, qd, qdd, Y, offset)).toBe(KG_OK);
      if (k === 0 && c) expect(c).toEqual([...Y, ...offset]);
      const factors = numbers(p, 0.7, k);
      const values = driver.parameters.map(({ value, size }, i) => value + factors[i]! * size);
      const due = driver.forces({ q, qd, qdd }, values)!;
      due.forEach((force, a) => {
        const terms = values.map((value, i) => Y[a * p + i]! * value);
        const size = terms.reduce((sum, term) => sum + Math.abs(term), Math.abs(offset[a]!));
        const found = terms.reduce((sum, term) => sum + term, offset[a]!);
        expect(Math.abs(found - force)).toBeLessThanOrEqual(1e-12 * size);
      });
    }
  });

  it('tells its columns by name, unit and value', () => {
    const { model, driver } = own;
    expect(model.columns.map(({ name, unit, value }) => ({ name, unit, value }))).toEqual(
      driver.parameters.map(({ name, unit, value }) => ({ name, unit, value })),
    );
  });
});

async function inC({ robot, model }: Made, main: string): Promise<number[]> {
  const files = [
    ...(await generateC(robot, compileRobot(robot), model)),
    ...(await generateStraightC(model)),
    { path: 'main.c', text: main },
  ];
  const program = await buildC(files, QUICK, (path) => path.endsWith('_selftest.c'));
  try {
    return (await runProgram(program)).trim().split('\n').map(Number);
  } finally {
    await program.dispose();
  }
}

it('refuses parameters that forces are not linear in, and products of two', () => {
  const robot = loadRobotText(TREE, 'tree.robot.yaml');
  const { robot: open, parameters } = identifiableRobot(robot, { inertial: ['hand'] });
  const ask = (): unknown =>
    compileStraight(robot, { functions: ['gravity'], count: generatedCost, regressor: { robot: open, parameters } });
  expect(ask).toThrow(KanegenError);
  expect(ask).toThrow(/forces are not linear in L beside/);
  const left = linearParameters(open, parameters, { count: generatedCost }).map(({ name }) => name);
  expect(left).not.toContain('L');
  expect(left).toHaveLength(parameters.length - 1);
});

/** Three revolute joints about axes that are neither parallel nor crossing. */
const ARM = `kanegen: 1
name: arm
links:
  - { name: one, joint: { revolute: z, damping: 0.3 N m s/rad }, rigid: ${mass(2, '[0.1, 0.05, -0.04]')} }
  - { name: two, joint: { revolute: [0, 0.6, 0.8], stiffness: 2 N m/rad }, rigid: ${mass(1.5, '[0.02, 0.1, 0.03]')} }
  - { name: three, joint: { revolute: x }, rigid: ${mass(0.7, '[0.01, -0.02, 0.05]')} }
`;

describe('an adaptive controller with base parameters (Slotine & Li 1987)', () => {
  const n = 3;
  let own: Made;
  let regress: (q: readonly number[], qd: readonly number[], qdd: readonly number[]) => [Float64Array, Float64Array];
  beforeAll(async () => {
    own = await made(ARM, true);
    const p = own.model.columns.length;
    regress = (q, qd, qdd) => {
      const [Y, offset] = [new Float64Array(n * p), new Float64Array(n)];
      expect(own.functions.regressor!(q, qd, qdd, Y, offset)).toBe(KG_OK);
      return [Y, offset];
    };
  });
  const half = (a: readonly number[], b: readonly number[], sign: number): number[] =>
    a.map((x, i) => (x + sign * b[i]!) / 2);

  /** Y(q, q̇, v, a) of M a + C v + g: C by Christoffel symbols, from three regressors. */
  function twoRates(q: readonly number[], qd: readonly number[], v: readonly number[], a: readonly number[]) {
    const still = q.map(() => 0);
    const [plus, minus, rest] = [
      regress(q, half(qd, v, 1), a),
      regress(q, half(qd, v, -1), still),
      regress(q, still, still),
    ];
    return [0, 1].map((k) => plus[k]!.map((x, i) => x - minus[k]![i]! + rest[k]![i]!)) as [Float64Array, Float64Array];
  }

  it('has fewer columns, named by what they combine, and the same forces', async () => {
    const { columns } = own.model;
    expect(columns.map(({ name }) => name).join()).toContain('two.m');
    expect(columns.length).toBeLessThan(3 * 7 - 1);
    const formula = 'two.mx + two_distal_x three.m + 0.860';
    expect(columns.map((column) => column.formula?.text.slice(0, formula.length))).toContain(formula);
    const texts = [...(await generateStraightC(own.model)), generateStraightTypeScript(own.model)].map(
      ({ text }) => text,
    );
    for (const text of [texts[0]!, texts.at(-1)!]) {
      expect(text).toMatch(/formulas of the geometry, with one_distal_x = 0.3 m, one_distal_y = -0.1 m/);
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(120);
    }
    for (const k of [0, 1]) {
      const [q, qd, qdd] = [numbers(n, 1, k), numbers(n, 3, k + 5), numbers(n, 6, k + 11)];
      const [Y, offset] = regress(q, qd, qdd);
      const tau = new Float64Array(n);
      own.dynamics.update(q, qd);
      own.dynamics.activeInverseDynamics(qdd, tau);
      tau.forEach((force, i) => {
        const terms = columns.map(({ value }, j) => Y[i * columns.length + j]! * value);
        const size = terms.reduce((sum, x) => sum + Math.abs(x), Math.abs(offset[i]!));
        expect(Math.abs(terms.reduce((sum, x) => sum + x, offset[i]!) - force)).toBeLessThan(1e-12 * size);
      });
    }
  });

  it('makes forces of two rates that do no work on their difference: s · (Ṁ − 2 C) s = 0', () => {
    const { columns } = own.model;
    const [q, qd, s] = [numbers(n, 1, 0), numbers(n, 3, 5), numbers(n, 2, 7)];
    const still = [0, 0, 0];
    const work = (qd_: readonly number[]): number => {
      const [Y] = twoRates(q, qd_, s, still);
      const [rest] = twoRates(q, qd_, still, still);
      return s.reduce(
        (sum, x, i) =>
          sum +
          columns.reduce(
            (f, { value }, j) => f + x * (Y[i * columns.length + j]! - rest[i * columns.length + j]!) * value,
            0,
          ),
        0,
      );
    };
    const M = (at: readonly number[]): number => {
      const found = new Float64Array(n * n);
      own.dynamics.update(at, still);
      own.dynamics.massMatrix(found);
      return s.reduce((sum, x, i) => sum + s.reduce((t, y, j) => t + x * y * found[i * n + j]!, 0), 0);
    };
    const h = 1e-4;
    const moved = (k: number): number => M(q.map((x, i) => x + k * h * qd[i]!));
    const rate = (8 * (moved(1) - moved(-1)) - (moved(2) - moved(-2))) / (12 * h);
    expect(Math.abs(rate - 2 * work(qd))).toBeLessThan(1e-8 * Math.abs(rate));
  });

  it('follows a motion with parameters that begin at a third of what they are, where fixed ones do not', () => {
    const truth = own.model.columns.map(({ value }) => value);
    const run = (gain: number): number => {
      const { dynamics } = own;
      const [h, lambda, kd] = [2e-3, 5, 3];
      const guess = truth.map((value) => value / 3);
      let [q, qd] = [
        [0.3, 0, 0.2],
        [0, 0, 0],
      ];
      let worst = 0;
      for (let step = 0; step < 6000; step++) {
        const t = step * h;
        const wave = (i: number, k: number): number =>
          Math.sin((1.1 + 0.6 * i) * t + i + (k * Math.PI) / 2) * (1.1 + 0.6 * i) ** k;
        const e = q.map((x, i) => x - 0.6 * wave(i, 0));
        const ed = qd.map((x, i) => x - 0.6 * wave(i, 1));
        const v = e.map((x, i) => 0.6 * wave(i, 1) - lambda * x);
        const a = ed.map((x, i) => 0.6 * wave(i, 2) - lambda * x);
        const s = qd.map((x, i) => x - v[i]!);
        const [Y, offset] = twoRates(q, qd, v, a);
        const tau = Float64Array.from(s, (x, i) =>
          guess.reduce((sum, value, j) => sum + Y[i * guess.length + j]! * value, offset[i]! - kd * x),
        );
        guess.forEach((_, j) => {
          guess[j]! -= h * gain * s.reduce((sum, x, i) => sum + Y[i * guess.length + j]! * x, 0);
        });
        const qdd = new Float64Array(n);
        dynamics.update(q, qd);
        expect(dynamics.forwardDynamics(tau, qdd)).toBe(KG_OK);
        qd = qd.map((x, i) => x + h * qdd[i]!);
        q = q.map((x, i) => x + h * qd[i]!);
        if (t > 9) worst = Math.max(worst, ...e.map(Math.abs));
      }
      return worst;
    };
    const [adaptive, fixed] = [run(0.3), run(0)];
    expect(adaptive).toBeLessThan(0.006);
    expect(fixed).toBeGreaterThan(10 * adaptive);
  });
});
