/** Actuation of generated drivers against formulas by hand: coordinates, rates, gradients and forces, in both languages. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import { loadGenerated, type LoadedRobot } from '../../../src/codegen/typescript/load.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import type { CompiledRobot } from '../../../src/kane/kernels/link-type.ts';
import { KG_NO_STATE, KG_NON_FINITE, KG_OK, KG_UNDEFINED } from '../../../src/runtime/driver.ts';
import { evaluateRobot } from '../../../src/verify/generated/evaluation.ts';
import { isInstalled } from '../../compilers.ts';

const rigid = { mass: '1 kg', com: [0.1, 0, 0], inertia: { xx: 1, yy: 1, zz: 1 }, distal: { xyz: [0.1, 0, 0.2] } };

/** Five equal links in a row, which drivers visit by a loop, between two others. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'driven',
  parameters: { k: { value: 3, runtime: true }, c: '1 m' },
  links: [
    { name: 'trunk', joint: { revolute: 'z' }, rigid },
    { name: 'arm', repeat: 5, joint: { prismatic: 'z' }, rigid },
    { name: 'twin', joint: { universal: ['x', 'y'] }, rigid },
  ],
  actuators: {
    pan: { motor: 'trunk.angle', ratio: 100, limits: ['-3 N m', '3 N m'] },
    all: {
      along:
        '2*arm1.displacement - arm2.displacement*0.5 + 7*(arm3.displacement + 3*arm4.displacement)/5 - 4*arm5.displacement + c',
    },
    bent: { along: 'k*sin(trunk.angle) + twin.angle1*twin.angle2^2 - 1', summary: 'of two links' },
    lift: { motor: 'arm5.displacement' },
    both: { along: '5*trunk.angle + k*sin(trunk.angle*twin.angle1) + 2*arm1.displacement*arm2.displacement/c^2 - k' },
  },
});

const states = [0, 1, 2].map((s) => ({
  q: robot.coordinates.map((_, i) => Math.sin(1.3 * i + 2 * s + 0.4)),
  qd: robot.coordinates.map((_, i) => Math.cos(0.7 * i - s)),
  qdd: robot.coordinates.map(() => 0),
  u: [0.3, -2, 1.5 + s, 4, -0.7],
}));

interface ByHand {
  readonly y: readonly number[];
  readonly yd: readonly number[];
  readonly ydd0: readonly number[];
  readonly B: readonly (readonly number[])[];
}

function byHand(q: readonly number[], qd: readonly number[]): ByHand {
  const [a, d1, d2, d3, d4, d5, b, c] = q as [number, number, number, number, number, number, number, number];
  const B = [
    [100, 0, 3 * Math.cos(a), 0, 5 + 3 * b * Math.cos(a * b)],
    [0, 2, 0, 0, 2 * d2],
    [0, -0.5, 0, 0, 2 * d1],
    [0, 1.4, 0, 0, 0],
    [0, 4.2, 0, 0, 0],
    [0, -4, 0, 1, 0],
    [0, 0, c * c, 0, 3 * a * Math.cos(a * b)],
    [0, 0, 2 * b * c, 0, 0],
  ];
  const turn = b * qd[0]! + a * qd[6]!;
  const mixed = -3 * Math.sin(a * b) * turn ** 2 + 6 * Math.cos(a * b) * qd[0]! * qd[6]! + 4 * qd[1]! * qd[2]!;
  const bias = -3 * Math.sin(a) * qd[0]! ** 2 + 4 * c * qd[6]! * qd[7]! + 2 * b * qd[7]! ** 2;
  return {
    y: [
      100 * a,
      2 * d1 - d2 / 2 + 1.4 * d3 + 4.2 * d4 - 4 * d5 + 1,
      3 * Math.sin(a) + b * c * c - 1,
      d5,
      5 * a + 3 * Math.sin(a * b) + 2 * d1 * d2 - 3,
    ],
    yd: [0, 1, 2, 3, 4].map((j) => B.reduce((sum, row, i) => sum + row[j]! * qd[i]!, 0)),
    ydd0: [0, 0, bias, 0, mixed],
    B,
  };
}

let compiled: CompiledRobot;
let driven: LoadedRobot;
beforeAll(async () => {
  compiled = compileRobot(robot);
  driven = (await loadGenerated(await generateTypeScript(robot, compiled)))();
});

function close(found: readonly number[], due: readonly number[]): void {
  expect(found).toHaveLength(due.length);
  found.forEach((value, i) => expect(value, `entry ${i}`).toBeCloseTo(due[i]!, 12));
}

describe('actuation', () => {
  it('shares one type of link among links that differ in factors, and only among these', () => {
    const types = compiled.links.slice(1, 6).map((link) => link.type);
    expect(new Set(types.slice(0, 4)).size).toBe(1);
    expect(types[4]).not.toBe(types[0]);
  });

  it.each(['ts', 'c'] as const)('is what formulas by hand say, and forces are B u: %s', async (target) => {
    if (target === 'c' && !isInstalled('cc')) return;
    const results = await evaluateRobot(robot, compiled, states, { target, precision: 'double' });
    results.forEach(({ y, yd, ydd0, B, actuation }, i) => {
      const { q, qd, u } = states[i]!;
      const due = byHand(q, qd);
      close(y!, due.y);
      close(yd!, due.yd);
      close(ydd0!, due.ydd0);
      B!.forEach((row, a) => close(row, due.B[a]!));
      close(
        actuation!,
        due.B.map((row) => row.reduce((sum, e, j) => sum + e * u[j]!, 0)),
      );
    });
  });

  it('writes what is asked for, and adds forces to those that are there', () => {
    const { q, qd, u } = states[1]!;
    const due = byHand(q, qd);
    expect(driven.actuators).toBe(5);
    expect(driven.update(q, qd)).toBe(KG_OK);
    const [y, ydd0] = [new Float64Array(5), new Float64Array(5)];
    expect(driven.actuation(null, null, ydd0, null)).toBe(KG_OK);
    expect(driven.actuation(y, null, null, null)).toBe(KG_OK);
    close([...ydd0], due.ydd0);
    close([...y], due.y);
    const tau = Float64Array.from(q, (_, i) => i);
    expect(driven.actuate(u, tau)).toBe(KG_OK);
    close(
      [...tau],
      due.B.map((row, i) => row.reduce((sum, e, j) => sum + e * u[j]!, i)),
    );
  });

  it('takes run-time parameters at their values', () => {
    const { q, qd } = states[1]!;
    driven.parameters['k'] = 5;
    driven.update(q, qd);
    const B = new Float64Array(40);
    expect(driven.actuation(null, null, null, B)).toBe(KG_OK);
    expect(B[2]).toBeCloseTo(5 * Math.cos(q[0]!), 13);
    driven.parameters['k'] = 3;
  });

  it('refuses inputs that are no numbers or of another count, and a state that is not staged', () => {
    const { q, qd } = states[0]!;
    const tau = new Float64Array(8);
    driven.update(q, qd);
    expect(driven.actuate([0, NaN, 0, 0, 0], tau)).toBe(KG_NON_FINITE);
    expect([...tau]).toEqual(q.map(() => 0));
    expect(() => driven.actuate([0], tau)).toThrow('expected 5 numbers, one per actuator');
    expect(driven.actuate([1e308, 1e308, 1e308, 1e308, 1e308], tau)).toBe(KG_UNDEFINED);
    driven.massMatrixAt(q, new Float64Array(64));
    expect(driven.actuate([0, 0, 0, 0, 0], tau)).toBe(KG_NO_STATE);
    expect(driven.actuation(null, null, null, null)).toBe(KG_NO_STATE);
  });

  it('adds up what one tendon has twice within a body', async () => {
    const route = (x: string) => ({ through: 'soft', route: { x, y: 0 } });
    const twice = loadRobotObject({
      kanegen: 1,
      name: 'twice',
      parameters: { r: '15 mm' },
      links: [{ name: 'soft', body: 'planar-cc' }],
      actuators: { loop: { tendon: { path: [route('r'), route('r/2')] } } },
    });
    const own = (await loadGenerated(await generateTypeScript(twice, compileRobot(twice))))();
    const at = (q: number): { readonly y: number; readonly B: number } => {
      const [y, B] = [new Float64Array(1), new Float64Array(1)];
      own.update([q], [0]);
      expect(own.actuation(y, null, null, B)).toBe(KG_OK);
      return { y: y[0]!, B: B[0]! };
    };
    expect(at(0.7).B).toBeCloseTo((at(0.7 + 1e-5).y - at(0.7 - 1e-5).y) / 2e-5, 9);
  });
});
