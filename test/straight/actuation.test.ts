/**
 * Actuators in straight-line functions: against the driver, whose functions go from link to link, in both languages, and B against
 * difference quotients of y.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateStraightC } from '../../src/codegen/c/straight-c.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { straightManifest } from '../../src/codegen/whole-robot/straight-header.ts';
import { straightModel, type StraightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import {
  loadGenerated,
  loadStraight,
  type LoadedRobot,
  type LoadedStraight,
} from '../../src/codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../src/codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_NON_FINITE, KG_OK, KG_UNDEFINED } from '../../src/runtime/driver.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightFunctionName, StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluateRobot, termFunctions } from '../../src/verify/generated/evaluation.ts';
import { buildQuickly, isInstalled } from '../compilers.ts';

buildQuickly();

const rigid = { mass: '1 kg', inertia: { xx: 1e-3, yy: 1e-3, zz: 1e-3 }, distal: { xyz: [0, 0, '50 mm'] } };
const soft = { body: 'planar-cc-elongation', parameters: { L: '0.12 m', R: '18 mm', rho: '1070 kg/m^3' } };

/** Every kind that stays within links: a motor, tendons with and without a root, a chamber, formulas of one link and of several. */
const described = {
  kanegen: 1,
  name: 'driven',
  parameters: { r: { value: '15 mm', runtime: true }, k: 2 },
  'body-types': {
    pump: { extends: 'planar-cc-elongation', chambers: { inner: { x: ['0 mm', '10 mm'], y: ['-5 mm', '5 mm'] } } },
  },
  links: [
    { name: 'table', joint: { revolute: 'z' }, rigid },
    { name: 'soft', repeat: 2, ...soft },
    { name: 'pump', ...soft, body: 'pump' },
  ],
  actuators: {
    turn: { motor: 'table.angle', ratio: 50 },
    pull: { tendon: { through: 'soft', route: { x: 'r', y: 0 } } },
    wind: { tendon: { through: 'soft', route: { x: 'r*cos(2*pi*S)', y: 'r*sin(2*pi*S)' } } },
    press: { pressure: 'pump.inner' },
    mixed: { along: 'k*table.angle^2 + sin(table.angle*pump.q1)' },
  },
};

const straightOf = (
  robot: Robot,
  functions: readonly StraightFunctionName[] = ['actuation', 'actuate'],
): StraightRobot => compileStraight(robot, { functions, count: generatedCost });

let robot: Robot;
let straight: StraightRobot;
let model: StraightModel;
let functions: LoadedStraight;
let driver: LoadedRobot;

beforeAll(async () => {
  robot = loadRobotObject(described);
  const compiled = compileRobot(robot);
  straight = straightOf(robot);
  model = straightModel(robot, compiled, straight);
  const files = await generateTypeScript(robot, compiled);
  functions = await loadStraight(files, generateStraightTypeScript(model));
  driver = (await loadGenerated(files))();
});

const N = 7;
const U = 5;
const at = (s: number, scale: number): number[] =>
  Array.from({ length: N }, (_, i) => scale * Math.sin(1.3 * i + 2 * s + 0.4));
const states = [0, 1, 2].map((s) => ({
  q: at(s, 0.03),
  qd: at(s + 5, 0.5),
  qdd: at(s + 9, 1),
  u: [0.3, 12, 7 + s, 4e4, -0.7],
}));

/** Entries of u.length columns each within rounding of the largest of the column. */
function close(found: ArrayLike<number>, due: ArrayLike<number>, what: string, digits = 1e-13): void {
  const largest = Math.max(...Array.from(due, Math.abs));
  expect(found.length).toBe(due.length);
  Array.from(found).forEach((value, i) =>
    expect(Math.abs(value - due[i]!), `${what}[${i}]: ${value}, ${due[i]!}`).toBeLessThanOrEqual(digits * largest),
  );
}

describe('straight-line functions of actuators', () => {
  it('have what the driver has, one number at a time', () => {
    for (const { q, qd, u } of states) {
      const arrays = (): Float64Array[] => [U, U, U, N * U].map((size) => new Float64Array(size).fill(NaN));
      const [due, found] = [arrays(), arrays()];
      driver.update(q, qd);
      expect(driver.actuation(due[0]!, due[1]!, due[2]!, due[3]!)).toBe(KG_OK);
      expect(functions.actuation!(driver.parameters, q, qd, ...found)).toBe(KG_OK);
      ['y', 'yd', 'ydd0'].forEach((name, k) =>
        due[k]!.forEach((value, j) => close([found[k]![j]!], [value], `${name}[${j}]`, 1e-12)),
      );
      for (let j = 0; j < U; j++) {
        const column = (B: Float64Array): number[] => q.map((_, a) => B[a * U + j]!);
        close(column(found[3]!), column(due[3]!), `B of ${j}`);
      }
      const [before, after] = [Float64Array.from(q, (_, i) => i), Float64Array.from(q, (_, i) => i)];
      driver.actuate(u, before);
      expect(functions.actuate!(driver.parameters, q, u, after)).toBe(KG_OK);
      close(after, before, 'tau');
    }
  });

  it('have gradients that are difference quotients of y, and rates along motions', () => {
    const { q, qd } = states[1]!;
    const [y, yd, ydd0, B] = [U, U, U, N * U].map((size) => new Float64Array(size)) as [
      ...[Float64Array, Float64Array, Float64Array, Float64Array],
    ];
    functions.actuation!(driver.parameters, q, qd, y, yd, ydd0, B);
    const along = (direction: readonly number[], h: number): { y: Float64Array; yd: Float64Array } => {
      const own = { y: new Float64Array(U), yd: new Float64Array(U) };
      const moved = q.map((x, a) => x + h * direction[a]!);
      functions.actuation!(driver.parameters, moved, qd, own.y, own.yd, null, null);
      return own;
    };
    const h = 1e-5;
    const [later, earlier] = [along(qd, h), along(qd, -h)];
    for (let j = 0; j < U; j++) {
      const column = q.map((_, a) => B[a * U + j]!);
      const quotients = q.map((_, a) => {
        const unit = q.map((_, b) => (a === b ? 1 : 0));
        return (along(unit, h).y[j]! - along(unit, -h).y[j]!) / (2 * h);
      });
      close(column, quotients, `B of ${j}`, 1e-8);
      close([yd[j]!], [column.reduce((sum, e, a) => sum + e * qd[a]!, 0)], `yd[${j}]`, 1e-11);
      const bias = (later.yd[j]! - earlier.yd[j]!) / (2 * h);
      const size = Math.max(...column.map(Math.abs));
      expect(Math.abs(ydd0[j]! - bias), `ydd0[${j}]`).toBeLessThan(1e-7 * size + 1e-9 * Math.abs(bias));
    }
  });

  it('read run-time parameters', () => {
    const { q, qd } = states[0]!;
    const length = (r: number): number => {
      const y = new Float64Array(U);
      functions.actuation!({ ...driver.parameters, r }, q, qd, y, null, null, null);
      return y[1]!;
    };
    expect(length(0.03) - length(0)).toBeCloseTo(2 * (length(0.015) - length(0)), 14);
    expect(length(0.03)).not.toBeCloseTo(length(0), 6);
  });

  it('refuse what is no number, and say when forces have no value', () => {
    const { q, u } = states[0]!;
    const tau = new Float64Array(N).fill(1);
    expect(functions.actuate!(driver.parameters, q, [NaN, 0, 0, 0, 0], tau)).toBe(KG_NON_FINITE);
    expect([...tau]).toEqual(q.map(() => 1));
    tau[0] = 1e308;
    expect(functions.actuate!(driver.parameters, q, [1e308, ...u.slice(1)], tau)).toBe(KG_UNDEFINED);
  });

  it('say inputs, units and cost in their headers and for machines', async () => {
    const [header] = await generateStraightC(model);
    expect(header!.text).toContain('[1] pull [N] y in m');
    expect(header!.text).toMatch(/actuate +\d+ operations/);
    expect(header!.text).not.toContain('in the driver only');
    expect(header!.text).toMatch(/const kg_real q\[\],\s+const kg_real u\[\],\s+kg_real tau\[\]/);
    const { functions: listed } = JSON.parse(straightManifest(model).text) as {
      functions: { name: string; inputs: { name: string; size: number }[] }[];
    };
    expect(listed.find(({ name }) => name === 'actuate')!.inputs).toContainEqual({ name: 'u', size: U });
  });

  it('cost an operation a segment where a tendon runs parallel through constant curvature', () => {
    const arm = loadRobotObject({
      kanegen: 1,
      name: 'arm',
      links: [{ name: 'seg', body: 'planar-cc', repeat: 12 }],
      actuators: { pull: { tendon: { through: 'seg', route: { x: '15 mm', y: 0 } } } },
    });
    const [actuation] = straightOf(arm, ['actuation']).functions;
    const wanted = actuation!.outputs.filter(({ buffer }) => buffer === 'y' || buffer === 'B');
    expect(
      generatedCost(
        wanted.flatMap(({ values }) => values),
        straightOf(arm, ['actuation']).inputs.q,
      ),
    ).toBe(13);
  });

  it.each(['ts', 'c'] as const)('are what evaluations of robots with them read: %s', async (target) => {
    if (target === 'c' && !isInstalled('cc')) return;
    const small = loadRobotObject({
      ...described,
      links: [described.links[0]!, { name: 'soft', ...soft }],
      actuators: { turn: described.actuators.turn, pull: described.actuators.pull },
    });
    const whole = straightOf(small, termFunctions(small));
    expect(whole.functions.map(({ name }) => name)).toContain('actuate');
    const compiled = compileRobot(small);
    const at = states.map(({ q, qd, qdd, u }) => ({
      q: q.slice(0, 3),
      qd: qd.slice(0, 3),
      qdd: qdd.slice(0, 3),
      u: u.slice(0, 2),
    }));
    const due = await evaluateRobot(small, compiled, at, { target, precision: 'double' });
    const found = await evaluateRobot(small, compiled, at, { target, precision: 'double', straight: whole });
    found.forEach(({ y, yd, ydd0, B, actuation }, i) => {
      const own = due[i]!;
      close(B!.flat(), own.B!.flat(), 'B');
      close(actuation!, own.actuation!, 'tau');
      for (const [list, other] of [
        [y, own.y],
        [yd, own.yd],
        [ydd0, own.ydd0],
      ] as const)
        list!.forEach((value, j) => close([value], [other![j]!], `coordinate of ${j}`, 1e-12));
    });
  });
});

describe('robots without actuators', () => {
  it('say that there is nothing to compute', () => {
    const links = [{ name: 'a', joint: { revolute: 'x' }, rigid }];
    const idle = loadRobotObject({ kanegen: 1, name: 'arm', links });
    expect(() => straightOf(idle, ['actuation'])).toThrow('no actuators');
  });
});
