/**
 * Derivatives of robots in water and in fields along rods against difference quotients of their dynamics (which test/verify/water.test.ts and rod-fields.test.ts hold
 * against D'Alembert's principle), transposes against what they transpose, C against TypeScript.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK, type Derivatives, type Dynamics } from '../../src/runtime/driver.ts';
import { COMPILERS, QUICK } from '../compilers.ts';

type Differentiated = Dynamics & Derivatives & { readonly parameters: Record<string, number> };

/** A tree: bodies in water and in fields on a turned base, rigid links between them and beyond, actuators within and between links. */
const TREE = `
kanegen: 1
name: weed
base: { xyz: [0.1, 0, 0], rpy: [0.3, -0.2, 0.5] }
parameters:
  speed: { value: 0.4 m/s, runtime: true }
  rho: { value: 1000 kg/m^3, runtime: true }
  w: 3 N s/m^2
  m: 0.2 A m
  B: 0.5 T
links:
  - { name: root, joint: { revolute: x, damping: 0.1 N m s/rad }, rigid: { mass: 1, inertia: { xx: 0.01 }, distal: { xyz: [0.02, 0.03, 0.05], rpy: [0.4, 0, 0.1] } } }
  - { name: soft, mount: { rpy: [0, 0, 0.3] }, body: planar-cc }
  - { name: tip, rigid: { mass: 0.1, com: [0.01, 0, 0.02] } }
  - { name: arm, parent: root, joint: { revolute: y }, body: planar-cc }
  - { name: lone, parent: base, mount: { rpy: [0, 0, 0.3] }, body: planar-cc }
actuators:
  pull: { tendon: { through: soft, route: { x: 4 mm, y: 1 mm } } }
  other: { tendon: { through: lone, route: { x: 4 mm, y: 1 mm } } }
  tie: { tendon: { path: [ { on: tip, at: [0.02, 0.1, 0.03] }, { on: arm, at: { x: 2 mm, y: 1 mm, s: 20 mm } } ] } }
water:
  density: rho
  drag: { normal: 1.1, tangential: 0.3, form: common }
  linear-drag: { normal: 1, tangential: 0.5 }
  added-mass: 0.8
  current: [0.1, speed, -0.2]
forces:
  wind: { through: [soft, arm], force: [w*speed, 0, "w*speed*s/L"] }
  magnet: { through: soft, moment: "cross(m*tangent, [B, 0, 0.3*B])" }
`;

/** A rod of varying strain, whose loops carry motions along it; separate drag, forces by the normal acceleration. */
const ROD = `
kanegen: 1
name: reed
parameters: { speed: { value: 0.4 m/s, runtime: true } }
links:
  - { name: root, joint: { revolute: x }, rigid: { mass: 1, inertia: { xx: 0.01 }, distal: { xyz: [0.02, 0.03, 0.05], rpy: [0.4, 0, 0.1] } } }
  - { name: soft, body: gvs-affine-planar }
water: { density: 1000, buoyancy: false, drag: { normal: 1.1, tangential: 0.2 }, added-mass: { coefficient: 0.8, form: normal-acceleration }, current: [speed, 0.3, 0] }
`;

/** The same rod in fields that depend on the pose of its sections, beyond and before rigid links, in the air. */
const NEEDLE = `
kanegen: 1
name: needle
base: { xyz: [0.1, 0, 0], rpy: [0.3, -0.2, 0.5] }
parameters: { B: { value: 0.4 T, runtime: true }, m: 2.5 A m, w: 2 N/m, c: 0.3 m }
links:
  - { name: root, joint: { revolute: x }, rigid: { mass: 1, inertia: { xx: 0.01 }, distal: { xyz: [0.02, 0.03, 0.05], rpy: [0.4, 0, 0.1] } } }
  - { name: soft, body: gvs-affine-planar }
  - { name: tip, joint: { revolute: x }, rigid: { mass: 0.1, com: [0.01, 0, 0.02], inertia: { xx: 0.001 } } }
forces:
  magnet: { through: soft, moment: "cross(m*rotate(section, [0.2, 0.1, 1]), [B, 0.2*B, 0])" }
  follower: { through: soft, force: ["w*s/L", 0, 0], axes: section }
  height: { through: soft, force: "w*dot(place, [0, 0, 1])/c*[1, 0.3, 0]" }
`;

const described = {
  needle: loadRobotText(NEEDLE, 'needle.robot.yaml'),
  tree: loadRobotText(TREE, 'weed.robot.yaml'),
  rod: loadRobotText(ROD, 'reed.robot.yaml'),
};
type Name = keyof typeof described;
const compiled = {} as Record<Name, ReturnType<typeof compileRobot>>;
const robots = {} as Record<Name, Differentiated>;

beforeAll(async () => {
  for (const name of ['tree', 'rod', 'needle'] as const) {
    compiled[name] = compileRobot(described[name], { derivatives: true });
    const files = await generateTypeScript(described[name], compiled[name]);
    robots[name] = (await loadGenerated(files))() as Differentiated;
  }
}, 120_000);

const values = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));
const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs));
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);
const moved = (x: readonly number[], along: readonly number[], by: number): number[] =>
  x.map((v, i) => v + by * along[i]!);

function stateOf(n: number): Record<'q' | 'qd' | 'qdd' | 'dq' | 'dqd' | 'dqdd' | 'none', number[]> {
  const [q, qd, qdd, dq, dqd, dqdd] = [values(n, 1, 0.4), ...[2, 3, 4, 5, 6].map((phase) => values(n, phase))];
  return { q, qd: qd!, qdd: qdd!, dq: dq!, dqd: dqd!, dqdd: dqdd!, none: values(n, 0, 0) };
}

/** d/dh at h = 0, of sixth order. */
function derivative(f: (h: number) => ArrayLike<number>): number[] {
  const h = 2e-3;
  const weights = [-1, 9, -45, 0, 45, -9, 1];
  const samples = weights.map((_, k) => f((k - 3) * h));
  return Array.from(samples[0]!, (_, i) =>
    samples.reduce((sum, sample, k) => sum + (weights[k]! * sample[i]!) / (60 * h), 0),
  );
}

function expectClose(actual: ArrayLike<number>, expected: readonly number[], within = 1e-10): void {
  const scale = largest(expected);
  expect(scale).toBeGreaterThan(0);
  expected.forEach((x, i) => expect(Math.abs(actual[i]! - x), `entry ${i}`).toBeLessThan(within * scale));
}

const inverse = (robot: Differentiated, q: readonly number[], qd: readonly number[], qdd: readonly number[]) => {
  const tau = new Float64Array(robot.coordinates);
  expect(robot.update(q, qd)).toBe(KG_OK);
  expect(robot.activeInverseDynamics(qdd, tau)).toBe(KG_OK);
  return tau;
};

const forward = (robot: Differentiated, q: readonly number[], qd: readonly number[], tau: readonly number[]) => {
  const qdd = new Float64Array(robot.coordinates);
  expect(robot.update(q, qd)).toBe(KG_OK);
  expect(robot.forwardDynamics(tau, qdd)).toBe(KG_OK);
  return qdd;
};

describe.each(['tree', 'rod', 'needle'] as const)('derivatives in water: %s', (name) => {
  it.each(['q', 'qd', 'qdd'] as const)('of inverse dynamics are difference quotients along %s', (which) => {
    const robot = robots[name];
    const n = robot.coordinates;
    const { q, qd, qdd, none, ...directions } = stateOf(n);
    const along = (of: 'q' | 'qd' | 'qdd'): number[] => (of === which ? directions[`d${of}`] : none);
    const [a, b, c] = [along('q'), along('qd'), along('qdd')];
    const expected = derivative((h) => inverse(robot, moved(q, a, h), moved(qd, b, h), moved(qdd, c, h)));
    robot.update(q, qd);
    const actual = new Float64Array(n);
    expect(robot.inverseDynamicsTangent(1, qdd, a, b, c, actual)).toBe(KG_OK);
    expectClose(actual, expected);
  });

  it('of forward dynamics are difference quotients', () => {
    const robot = robots[name];
    const n = robot.coordinates;
    const { q, qd, qdd: tau, dq, dqd, dqdd: dtau } = stateOf(n);
    const expected = derivative((h) => forward(robot, moved(q, dq, h), moved(qd, dqd, h), moved(tau, dtau, h)));
    const qdd = forward(robot, q, qd, tau);
    const actual = new Float64Array(n);
    expect(robot.forwardDynamicsTangent(1, qdd, dq, dqd, dtau, actual)).toBe(KG_OK);
    expectClose(actual, expected);
  });

  it('by run-time parameters, the current among them, are difference quotients', () => {
    const robot = robots[name];
    const n = robot.coordinates;
    const { q, qd, qdd } = stateOf(n);
    const names = Object.keys(robot.parameters).filter((own) => own !== 'gravity');
    names.forEach((own, k) => {
      const value = robot.parameters[own]!;
      const along = (compute: () => Float64Array): number[] =>
        derivative((h) => {
          robot.parameters[own] = value * (1 + 4 * h);
          const out = compute();
          robot.parameters[own] = value;
          return out;
        });
      const dp = names.map((_, j) => (j === k ? 4 * value : 0));
      const tau = along(() => inverse(robot, q, qd, qdd));
      const accelerations = along(() => forward(robot, q, qd, qdd));
      const ofForces = forward(robot, q, qd, qdd);
      const change = new Float64Array(n);
      expect(robot.inverseDynamicsVariation!(1, qdd, dp, change)).toBe(KG_OK);
      expectClose(change, tau);
      expect(robot.forwardDynamicsVariation!(1, ofForces, dp, change)).toBe(KG_OK);
      expectClose(change, accelerations);
    });
  });

  it('are what steps of Newton’s method solve with', () => {
    const robot = robots[name];
    const n = robot.coordinates;
    const { q, qd, qdd } = stateOf(n);
    const u = values(robot.actuators, 4, 20);
    for (const [rate, acceleration] of [
      [150, 3e4],
      [1, 0.1],
    ] as const) {
      const [residual, dq] = [values(n, 5), new Float64Array(n)];
      robot.update(q, qd);
      expect(robot.newtonStep(rate, acceleration, qdd, u, residual, dq)).toBe(KG_OK);
      const [tau, drive] = [new Float64Array(n), new Float64Array(n)];
      const scaled = (by: number): number[] => Array.from(dq, (x) => by * x);
      robot.inverseDynamicsTangent(1, qdd, dq, scaled(rate), scaled(acceleration), tau);
      robot.actuateTangent(1, u, dq, drive);
      const scale = Math.max(largest(tau), largest(drive), 1);
      residual.forEach((x, i) => expect(Math.abs(tau[i]! - drive[i]! - x)).toBeLessThan(1e-11 * scale));
      expect(largest(dq)).toBeGreaterThan(0);
    }
  });
});

describe.each(['tree', 'rod', 'needle'] as const)('derivatives of weighted sums in water: %s', (name) => {
  it('are the transpose of changes along directions', () => {
    const robot = robots[name];
    const n = robot.coordinates;
    const { q, qd, qdd, dq, dqd, dqdd } = stateOf(n);
    const weights = [...values(n, 8), ...values(n, 9)];
    const [byQ, byQd, byQdd] = [0, 1, 2].map(() => new Float64Array(2 * n)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    robot.update(q, qd);
    expect(robot.inverseDynamicsAdjoint!(2, qdd, weights, byQ, byQd, byQdd)).toBe(KG_OK);
    for (const [by, a, b, c] of [
      [byQ, dq, null, null],
      [byQd, null, dqd, null],
      [byQdd, null, null, dqdd],
    ] as const)
      for (const at of [0, n]) {
        const change = new Float64Array(n);
        robot.inverseDynamicsTangent(1, qdd, a, b, c, change);
        const own = weights.slice(at, at + n);
        const [forwards, backwards] = [dot(own, change), dot(by.subarray(at, at + n), a ?? b ?? c)];
        const scale = Array.from(change).reduce((sum, x, i) => sum + Math.abs(x * own[i]!), 0);
        expect(scale).toBeGreaterThan(0);
        expect(Math.abs(forwards - backwards)).toBeLessThan(1e-13 * scale);
      }
  });

  it('leave nothing behind for changes along parameters', () => {
    const robot = robots[name];
    const n = robot.coordinates;
    const { q, qd, qdd } = stateOf(n);
    const [before, after] = [new Float64Array(n), new Float64Array(n)];
    robot.update(q, qd);
    const dp = name === 'tree' ? [1, 2] : [1];
    robot.inverseDynamicsVariation!(1, qdd, dp, before);
    const out = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    robot.inverseDynamicsAdjoint!(1, qdd, values(n, 3), ...out);
    robot.inverseDynamicsVariation!(1, qdd, dp, after);
    expect([...after]).toEqual([...before]);
  });
});

const list = (x: readonly number[]): string => `{${x.join(', ')}}`;

describe.skipIf(COMPILERS.length === 0)('derivatives in water in C', () => {
  const cases: readonly Name[] = process.env['KANEGEN_FULL'] === '1' ? ['tree', 'rod', 'needle'] : ['tree'];
  it.each(cases)('are those of TypeScript: %s', { timeout: 120_000 }, async (which) => {
    const robot = robots[which];
    const n = robot.coordinates;
    const { q, qd, qdd, dq, dqd, dqdd } = stateOf(n);
    const u = values(Math.max(1, robot.actuators), 4, 20);
    const results = Array.from({ length: 7 }, () => new Float64Array(n)) as Float64Array[];
    robot.update(q, qd);
    robot.inverseDynamicsTangent(1, qdd, dq, dqd, dqdd, results[0]!);
    robot.forwardDynamicsTangent(1, qdd, dq, dqd, dqdd, results[1]!);
    const dp = Object.keys(robot.parameters).flatMap((own, k) => (own === 'gravity' ? [] : [k]));
    robot.inverseDynamicsVariation!(1, qdd, dp, results[2]!);
    robot.newtonStep(150, 3e4, qdd, u.slice(0, robot.actuators), dq, results[3]!);
    robot.inverseDynamicsAdjoint!(1, qdd, dq, results[4]!, results[5]!, results[6]!);
    const generated = await generateC(described[which], compiled[which]);
    const { name } = described[which];
    const text = `
#include <stdio.h>
#include "${name}.h"
int main(void)
{
  static ${name}_workspace w;
  kg_real q[] = ${list(q)}, qd[] = ${list(qd)}, qdd[] = ${list(qdd)}, dq[] = ${list(dq)}, dqd[] = ${list(dqd)};
  kg_real dqdd[] = ${list(dqdd)}, u[] = ${list(u)}, dp[] = ${list(dp)}, x[7 * ${n}];
  int i, status = (int)${name}_update(&w, &${name}_defaults, q, qd);
  status += (int)${name}_inverse_dynamics_tangent(&w, 1, qdd, dq, dqd, dqdd, x);
  status += (int)${name}_forward_dynamics_tangent(&w, 1, qdd, dq, dqd, dqdd, x + ${n});
  status += (int)${name}_inverse_dynamics_variation(&w, 1, qdd, dp, x + ${2 * n});
  status += (int)${name}_newton_step(&w, 150, 3e4, qdd, u, dq, x + ${3 * n});
  status += (int)${name}_inverse_dynamics_adjoint(&w, 1, qdd, dq, x + ${4 * n}, x + ${5 * n}, x + ${6 * n});
  for (i = 0; i < ${7 * n}; i++)
    printf("%.17g ", x[i]);
  printf("%d\\n", status);
  return 0;
}
`;
    const files = [...generated, { path: 'changes.c', text }];
    const program = await buildC(files, QUICK, (path) => path.endsWith('_selftest.c'));
    const printed = (await runProgram(program).finally(() => program.dispose())).trim().split(' ').map(Number);
    expect(printed.pop()).toBe(KG_OK);
    // Sums over rows are added in lanes, in another order.
    results.forEach((own, k) => {
      expectClose(printed.slice(k * n, (k + 1) * n), [...own], 1e-12);
    });
  });
});
