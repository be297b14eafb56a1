/**
 * Derivatives along directions against difference quotients of the dynamics, extrapolated to order 6, and C against TypeScript to
 * the bit.
 */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import {
  KG_NON_FINITE,
  KG_NO_STATE,
  KG_OK,
  KG_SINGULAR,
  type Derivatives,
  type Dynamics,
} from '../../src/runtime/driver.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';

const rigid = (mass: number | string, reach: number | string = 0.3) => ({
  mass,
  com: [0.1, 0.02, 0.1],
  inertia: { xx: 0.03, yy: 0.04, zz: 0.02, xy: 0.003 },
  distal: { xyz: [0.1, 0.03, reach], rpy: [0.2, 0, -0.4] },
});

/** A tree: joints with springs, dampers, friction and an armature, a body with potential and dissipation, run-time parameters. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'sprig',
  parameters: {
    c: '1 m',
    tip: { value: '0.4 kg', min: '-1 kg', max: '5 kg', runtime: true },
    firm: { value: '40 J', runtime: true },
    reach: { value: '0.3 m', runtime: true },
  },
  'body-types': {
    slab: {
      parameters: { k: '40 J', d: '0.4 J s' },
      coordinates: { u: {}, v: {} },
      volume: { box: { x: [0, '0.1 m'], y: [0, '0.1 m'], z: [0, '0.2 m'] }, density: '500 kg/m^3' },
      position: ['x + u*z', 'y + v*z', 'z'],
      distal: { pivot: { z: '0.2 m' }, 'x-axis': { z: '0.2 m', x: '0.1 m' }, 'y-axis': { z: '0.2 m', y: '0.1 m' } },
      potential: 'k*(u^2 + 0.75*u*v + 1.25*v^2 + 0.25*u^4)',
      dissipation: 'd*u_dot^2*(1 + v^2)',
    },
  },
  links: [
    {
      name: 'trunk',
      joint: { revolute: 'x', stiffness: '20 N m/rad', damping: '0.3 N m s/rad' },
      rigid: rigid(2, 'reach'),
    },
    {
      name: 'slab',
      joint: { revolute: 'z', friction: { coulomb: '0.3 N m', at: '0.4 rad/s' } },
      body: 'slab',
      parameters: { k: 'firm' },
    },
    { name: 'end', joint: { revolute: 'y' }, rigid: rigid('tip') },
    {
      name: 'side',
      parent: 'trunk',
      joint: { prismatic: 'z', armature: '0.5 kg', stiffness: '9 N/m' },
      rigid: rigid(1),
    },
  ],
  frames: { tool: { on: 'end', offset: { xyz: [0.1, 0.2, -0.1], rpy: [0.3, 0.1, -0.2] } } },
  actuators: {
    within: { along: 'sin(slab.u)*slab.v^2 + cos(slab.angle)', unit: '1' },
    mixed: { along: 'sin(trunk.angle)*slab.u + side.displacement^2/c^2', unit: '1' },
    tendon: {
      tendon: {
        path: [
          { on: 'base', at: [0.05, 0.03, 0] },
          { on: 'trunk', at: [0.1, 0.05, 0.1] },
          { on: 'end', at: [-0.1, 0.02, 0.2] },
          { on: 'side', at: [0.3, 0.1, 0.2] },
        ],
      },
    },
    thrust: { wrench: { on: 'tool', axes: 'world', force: 'z' } },
    push: { wrench: { on: 'tool', axes: 'frame', force: 'x' } },
  },
});
const compiled = compileRobot(robot, { derivatives: true });
const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))() as Dynamics &
  Derivatives & {
    readonly parameters: Record<string, number>;
  };
const n = robot.coordinates.length;
const values = (phase: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(1.7 * i + phase));
const state = { q: values(1).map((x) => 0.4 * x), qd: values(2), qdd: values(3) };
const [dq, dqd, dqdd, dtau] = [values(4), values(5), values(6), values(7)];

type Motion = Record<'q' | 'qd' | 'last', readonly number[]>;

const moved = (x: readonly number[], along: readonly number[], by: number): number[] =>
  x.map((v, i) => v + by * along[i]!);

/** d/dh of f at h = 0. */
function derivative(f: (h: number) => ArrayLike<number>): number[] {
  const quotient = (h: number): number[] => {
    const [a, b, c, d] = [-2 * h, -h, h, 2 * h].map((by) => Array.from(f(by))) as [
      number[],
      number[],
      number[],
      number[],
    ];
    return a.map((_, i) => (a[i]! - 8 * b[i]! + 8 * c[i]! - d[i]!) / (12 * h));
  };
  const [coarse, fine] = [quotient(2e-3), quotient(1e-3)];
  return fine.map((x, i) => x + (x - coarse[i]!) / 15);
}

const inverse = ({ q, qd, last }: Motion): Float64Array => {
  const tau = new Float64Array(n);
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  expect(dynamics.activeInverseDynamics(last, tau)).toBe(KG_OK);
  return tau;
};

const forward = ({ q, qd, last }: Motion): Float64Array => {
  const qdd = new Float64Array(n);
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  expect(dynamics.forwardDynamics(last, qdd)).toBe(KG_OK);
  return qdd;
};

function expectClose(actual: ArrayLike<number>, expected: readonly number[], within = 2e-12): void {
  const scale = Math.max(...expected.map(Math.abs));
  expect(scale).toBeGreaterThan(0);
  expected.forEach((x, i) => expect(Math.abs(actual[i]! - x), `entry ${i}`).toBeLessThan(within * scale));
}

const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs));

const stage = (): void => void dynamics.update(state.q, state.qd);

describe('changes of inverse dynamics', () => {
  const directions = [
    ['q', dq, null, null],
    ['qd', null, dqd, null],
    ['qdd', null, null, dqdd],
    ['all', dq, dqd, dqdd],
  ] as const;

  it.each(directions)('are difference quotients along %s', (_, a, b, c) => {
    const nothing = values(0).map(() => 0);
    const expected = derivative((h) =>
      inverse({
        q: moved(state.q, a ?? nothing, h),
        qd: moved(state.qd, b ?? nothing, h),
        last: moved(state.qdd, c ?? nothing, h),
      }),
    );
    stage();
    const actual = new Float64Array(n);
    expect(dynamics.inverseDynamicsTangent(1, state.qdd, a, b, c, actual)).toBe(KG_OK);
    expectClose(actual, expected);
  });

  it('stand side by side for several directions, and repeat what one gives to the bit', () => {
    stage();
    const [both, first, second] = [new Float64Array(2 * n), new Float64Array(n), new Float64Array(n)];
    dynamics.inverseDynamicsTangent(1, state.qdd, dq, dqd, dqdd, first);
    dynamics.inverseDynamicsTangent(1, state.qdd, dqd, dq, null, second);
    const twice = (a: readonly number[], b: readonly number[]): number[] => [...a, ...b];
    const none = values(0).map(() => 0);
    dynamics.inverseDynamicsTangent(2, state.qdd, twice(dq, dqd), twice(dqd, dq), twice(dqdd, none), both);
    expect([...both]).toEqual([...first, ...second]);
  });

  it('leave the staged state as it is', () => {
    const expected = forward({ q: state.q, qd: state.qd, last: state.qdd });
    dynamics.inverseDynamicsTangent(1, state.qdd, dq, dqd, dqdd, new Float64Array(n));
    const again = new Float64Array(n);
    dynamics.forwardDynamics(state.qdd, again);
    expect([...again]).toEqual([...expected]);
  });

  it('refuse numbers that are not finite, wrong lengths, and have no state after one-call functions', () => {
    const out = new Float64Array(n);
    stage();
    expect(dynamics.inverseDynamicsTangent(1, state.qdd, [...dq.slice(1), NaN], null, null, out)).toBe(KG_NON_FINITE);
    expect(() => dynamics.inverseDynamicsTangent(2, state.qdd, dq, null, null, new Float64Array(2 * n))).toThrow(
      RangeError,
    );
    dynamics.gravityAt(state.q, out);
    expect(dynamics.inverseDynamicsTangent(1, state.qdd, dq, null, null, out)).toBe(KG_NO_STATE);
  });
});

describe('changes of implicit steps', () => {
  const h = 0.01;
  /** The mean acceleration. */
  const step = ({ q, qd, last }: Motion): number[] => {
    const [place, rates] = [new Float64Array(n), new Float64Array(n)];
    expect(dynamics.update(q, qd)).toBe(KG_OK);
    expect(dynamics.implicitStep(h, last, place, rates)).toBe(KG_OK);
    return [...rates].map((x, i) => (x - qd[i]!) / h);
  };
  const tangent = (qdd: readonly number[], ...directions: (readonly number[] | null)[]): number[] => {
    const found = new Float64Array(n).fill(NaN);
    const [a, b, c] = directions as [readonly number[], readonly number[], readonly number[]];
    stage();
    expect(dynamics.implicitStepTangent!(1, h, qdd, a, b, c, found)).toBe(KG_OK);
    return [...found];
  };

  it.each([
    ['q', dq, null, null],
    ['qd', null, dqd, null],
    ['tau', null, null, dtau],
    ['all', dq, dqd, dtau],
  ] as const)('are difference quotients along %s', (_, a, b, c) => {
    const nothing = values(0).map(() => 0);
    const along = (by: number): Motion => ({
      q: moved(state.q, a ?? nothing, by),
      qd: moved(state.qd, b ?? nothing, by),
      last: moved(state.qdd, c ?? nothing, by),
    });
    expectClose(
      tangent(step(along(0)), a, b, c),
      derivative((by) => step(along(by))),
      1e-11,
    );
  });

  it('are weighed by the transpose', () => {
    const qdd = step({ q: state.q, qd: state.qd, last: state.qdd });
    const seed = values(8);
    const found = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    stage();
    expect(dynamics.implicitStepAdjoint!(h, qdd, seed, ...found)).toBe(KG_OK);
    const [byTau, byQ, byQd] = found.map((weights, which) => {
      const own = [dq, dqd, dtau][(which + 2) % 3]!;
      return own.reduce((sum, x, i) => sum + x * weights[i]!, 0);
    }) as [number, number, number];
    const due = tangent(qdd, dq, dqd, dtau).reduce((sum, x, i) => sum + x * seed[i]!, 0);
    expect(byTau - byQ - byQd).toBeCloseTo(due, 8);
    expect(Math.abs(byTau - byQ - byQd - due)).toBeLessThan(1e-13 * Math.max(Math.abs(byQ), Math.abs(byQd)));
  });
});

describe('changes of forward dynamics', () => {
  it('are difference quotients', () => {
    const expected = derivative((h) =>
      forward({ q: moved(state.q, dq, h), qd: moved(state.qd, dqd, h), last: moved(state.qdd, dtau, h) }),
    );
    const qdd = forward({ q: state.q, qd: state.qd, last: state.qdd });
    const actual = new Float64Array(n);
    expect(dynamics.forwardDynamicsTangent(1, qdd, dq, dqd, dtau, actual)).toBe(KG_OK);
    expectClose(actual, expected);
  });

  it.each([
    ['q', dq, null, null],
    ['qd', null, dqd, null],
    ['tau', null, null, dtau],
  ] as const)('along %s are what changes of inverse dynamics lead back from', (_, a, b, c) => {
    stage();
    const [accelerations, back] = [new Float64Array(n), new Float64Array(n)];
    expect(dynamics.forwardDynamicsTangent(1, state.qdd, a, b, c, accelerations)).toBe(KG_OK);
    expect(largest(accelerations)).toBeGreaterThan(0.1);
    dynamics.inverseDynamicsTangent(1, state.qdd, a, b, accelerations, back);
    const expected = c ?? values(0).map(() => 0);
    const scale = 10 * largest(accelerations);
    expected.forEach((x, i) => expect(Math.abs(back[i]! - x), `entry ${i}`).toBeLessThan(1e-14 * scale));
  });

  it('name the status where the mass matrix is not definite', () => {
    dynamics.parameters['tip'] = -0.9;
    stage();
    const status = dynamics.forwardDynamicsTangent(1, state.qdd, dq, null, null, new Float64Array(n));
    dynamics.parameters['tip'] = 0.4;
    expect(status).toBe(KG_SINGULAR);
  });
});

/** A robot that is compiled with derivatives. */
type Parametric = Dynamics & Derivatives & { readonly parameters: Record<string, number> };

/** Changes along each run-time parameter alone, as a second column. */
function expectVariations(own: Parametric, { q, qd, last }: Motion, within: number): void {
  const names = Object.keys(own.parameters).filter((name) => name !== 'gravity');
  const size = own.coordinates;
  const result = (compute: (out: Float64Array) => number): Float64Array => {
    const out = new Float64Array(size);
    expect(own.update(q, qd)).toBe(KG_OK);
    expect(compute(out)).toBe(KG_OK);
    return out;
  };
  const torque = (): Float64Array => result((out) => own.activeInverseDynamics(last, out));
  const accelerations = (): Float64Array => result((out) => own.forwardDynamics(last, out));
  const qdd = accelerations();
  names.forEach((name, k) => {
    const value = own.parameters[name]!;
    const along = (compute: () => Float64Array): number[] =>
      derivative((h) => {
        own.parameters[name] = value * (1 + 6 * h);
        const out = compute();
        own.parameters[name] = value;
        return out;
      });
    const dp = [...names.map((_, j) => j + 0.5), ...names.map((_, j) => (j === k ? 6 * value : 0))];
    const change = new Float64Array(2 * size);
    own.update(q, qd);
    expect(own.inverseDynamicsVariation!(2, last, dp, change)).toBe(KG_OK);
    expectClose(change.slice(size), along(torque), within);
    own.update(q, qd);
    expect(own.forwardDynamicsVariation!(2, qdd, dp, change)).toBe(KG_OK);
    expectClose(change.slice(size), along(accelerations), within);
  });
}

describe('changes along run-time parameters', () => {
  it('are difference quotients: of a mass, of a stiffness, of a length', () => {
    expectVariations(dynamics, { q: state.q, qd: state.qd, last: state.qdd }, 1e-10);
  });

  it('are those of the integrals of a rod by points, too', async () => {
    const rod = loadRobotObject({
      kanegen: 1,
      name: 'whip',
      parameters: {
        E: { value: '1 MPa', runtime: true },
        r: { value: '20 mm', runtime: true },
        l: { value: '0.3 m', runtime: true },
      },
      'body-types': {
        whip: {
          parameters: { L: '1 m', R: '1 m', E: '1 Pa' },
          coordinates: { q: { count: 2, unit: 'rad' } },
          volume: {
            rod: { s: [0, 'L'] },
            section: { disc: 'R - R*s/(2*L)', cartesian: ['x', 'y'] },
            density: '1000 kg/m^3',
          },
          strain: { 'bend-y': '(q1 + q2*s/L)/L' },
          material: { 'rod-elasticity': { E: 'E', nu: 0.3 }, 'retardation-time': '0.1 s' },
        },
      },
      links: [
        { name: 'root', body: 'whip', parameters: { L: 'l', R: 'r', E: 'E' } },
        { name: 'tip', body: 'whip', parameters: { L: '0.2 m', R: 'r/2', E: '1 MPa' } },
      ],
    });
    const files = await generateTypeScript(rod, compileRobot(rod, { derivatives: true }));
    const own = (await loadGenerated(files))() as Parametric;
    expectVariations(own, { q: [0.7, -0.4, 0.3, 0.5], qd: [1, 2, -1, 0.5], last: [3, -2, 4, 1] }, 1e-10);
  });

  it('stand in robots without run-time parameters for nothing', async () => {
    const fixed = loadRobotObject({
      kanegen: 1,
      name: 'fixed',
      links: [{ name: 'arm', joint: { revolute: 'y' }, rigid: rigid(1) }],
    });
    const files = await generateTypeScript(fixed, compileRobot(fixed, { derivatives: true }));
    expect(files.find(({ path }) => path === 'fixed_driver.ts')!.text).not.toMatch(/variation\w*\(/i);
  });
});

describe('derivatives of weighted sums', () => {
  const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
    Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);

  it('are the transpose of changes along directions', () => {
    stage();
    const weights = [...values(8), ...values(9)];
    const [byQ, byQd, byQdd] = [0, 1, 2].map(() => new Float64Array(2 * n)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    expect(dynamics.inverseDynamicsAdjoint!(2, state.qdd, weights, byQ, byQd, byQdd)).toBe(KG_OK);
    const cases = [
      [byQ, dq, null, null],
      [byQd, null, dqd, null],
      [byQdd, null, null, dqdd],
    ] as const;
    for (const [by, a, b, c] of cases)
      for (const column of [0, 1]) {
        const change = new Float64Array(n);
        dynamics.inverseDynamicsTangent(1, state.qdd, a, b, c, change);
        const [from, to] = [column * n, (column + 1) * n];
        const expected = dot(change, weights.slice(from, to));
        const scale = largest(change) * n;
        expect(Math.abs(dot(by.slice(from, to), a ?? b ?? c) - expected)).toBeLessThan(1e-14 * scale);
        expect(Math.abs(expected)).toBeGreaterThan(1e-3 * scale);
      }
  });
});

describe('changes of loads', () => {
  const u = [3, -2, 5, 1.5, 2.5];
  const wrench = [0.3, -0.2, 0.5, 1.2, -0.7, 0.4];
  const tool = robot.frames.findIndex(({ name }) => name === 'tool');
  const along = (load: (out: Float64Array) => void): number[] =>
    derivative((h) => {
      dynamics.update(moved(state.q, dq, h), state.qd);
      const out = new Float64Array(n);
      load(out);
      return out;
    });
  const columns = [...dqd, ...dq];
  /** The second of two columns, added to what stands there. */
  const second = (change: (out: Float64Array) => number): number[] => {
    stage();
    const out = new Float64Array(2 * n).fill(0.25);
    expect(change(out)).toBe(KG_OK);
    return [...out.slice(n)].map((x) => x - 0.25);
  };

  it.each(u.map((_, j) => j))('of actuator %d are difference quotients', (j) => {
    const only = u.map((value, k) => (k === j ? value : 0));
    const expected = along((out) => void dynamics.actuate(only, out));
    expectClose(
      second((out) => dynamics.actuateTangent(2, only, columns, out)),
      expected,
      1e-11,
    );
  });

  it('of wrenches in world axes and of those that follow a frame are, too', () => {
    const fixed = along((out) => void dynamics.external(tool, wrench, out));
    const following = along((out) => void dynamics.externalInFrame(tool, wrench, out));
    expectClose(
      second((out) => dynamics.externalTangent(2, tool, wrench, columns, out)),
      fixed,
      1e-11,
    );
    expectClose(
      second((out) => dynamics.externalInFrameTangent(2, tool, wrench, columns, out)),
      following,
      1e-11,
    );
  });
});

const numbers = (x: readonly number[]): string => `{${x.join(', ')}}`;

const SOURCE = `
#include <stdio.h>
#include "sprig.h"

int main(void)
{
  static sprig_workspace w;
  kg_real q[] = ${numbers(state.q)}, qd[] = ${numbers(state.qd)}, qdd[] = ${numbers(state.qdd)};
  kg_real dq[] = ${numbers([...dq, ...dqd])}, dqd[] = ${numbers([...dqd, ...dq])}, dtau[] = ${numbers([...dtau, ...dq])};
  kg_real u[] = {1, 2, 3, 4, 5, 6}, out[${2 * n}];
  int i, status = (int)sprig_update(&w, &sprig_defaults, q, qd);
  status += (int)sprig_inverse_dynamics_tangent(&w, 2, qdd, dq, dqd, NULL, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g ", out[i]);
  status += (int)sprig_forward_dynamics_tangent(&w, 2, qdd, dq, NULL, dtau, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g ", out[i]);
  status += (int)sprig_implicit_step_tangent(&w, 2, KG_REAL(0.01), qdd, dq, dqd, dtau, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g ", out[i]);
  for (i = 0; i < ${2 * n}; i++)
    out[i] = KG_REAL(0.0);
  status += (int)sprig_actuate_tangent(&w, 2, u, dq, out);
  status += (int)sprig_external_tangent(&w, 2, SPRIG_FRAME_TOOL, u, dqd, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g ", out[i]);
  status += (int)sprig_inverse_dynamics_variation(&w, 2, qdd, u, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g ", out[i]);
  status += (int)sprig_forward_dynamics_variation(&w, 2, qdd, u, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g ", out[i]);
  status += (int)sprig_inverse_dynamics_adjoint(&w, 2, qdd, dtau, dq, dqd, out);
  for (i = 0; i < ${2 * n}; i++)
    printf("%.17g %.17g %.17g ", dq[i], dqd[i], out[i]);
  status += (int)sprig_implicit_step_adjoint(&w, KG_REAL(0.01), qdd, dtau, dq, dqd, out);
  for (i = 0; i < ${n}; i++)
    printf("%.17g %.17g %.17g ", dq[i], dqd[i], out[i]);
  printf("%d", status);
  return 0;
}
`;

// The operations are those of the text: one compiler, unless everything is asked for.
describe.each(COMPILERS.slice(0, process.env['KANEGEN_FULL'] === '1' ? 2 : 1))(
  'in C compiled by $compiler',
  ({ compiler, missing }) => {
    it.skipIf(missing)(`changes are the same to the bit (needs ${compiler})`, async () => {
      const files = [...(await generateC(robot, compiled)), { path: 'main.c', text: SOURCE }];
      const program = await buildC(files, { compiler, flags: UNOPTIMISED }, (path) => path.endsWith('_selftest.c'));
      const words = (await runProgram(program).finally(() => program.dispose())).trim().split(/\s+/);
      stage();
      const [inverseChange, forwardChange] = [new Float64Array(2 * n), new Float64Array(2 * n)];
      const [a, b] = [
        [...dq, ...dqd],
        [...dqd, ...dq],
      ];
      dynamics.inverseDynamicsTangent(2, state.qdd, a, b, null, inverseChange);
      dynamics.forwardDynamicsTangent(2, state.qdd, a, null, [...dtau, ...dq], forwardChange);
      const stepChange = new Float64Array(2 * n);
      dynamics.implicitStepTangent!(2, 0.01, state.qdd, a, b, [...dtau, ...dq], stepChange);
      const loads = new Float64Array(2 * n);
      dynamics.actuateTangent(2, [1, 2, 3, 4, 5], a, loads);
      dynamics.externalTangent(
        2,
        robot.frames.findIndex(({ name }) => name === 'tool'),
        [1, 2, 3, 4, 5, 6],
        b,
        loads,
      );
      const varied = [new Float64Array(2 * n), new Float64Array(2 * n)] as const;
      dynamics.inverseDynamicsVariation!(2, state.qdd, [1, 2, 3, 4, 5, 6], varied[0]);
      dynamics.forwardDynamicsVariation!(2, state.qdd, [1, 2, 3, 4, 5, 6], varied[1]);
      const pulled = [0, 1, 2].map(() => new Float64Array(2 * n)) as [Float64Array, Float64Array, Float64Array];
      dynamics.inverseDynamicsAdjoint!(2, state.qdd, [...dtau, ...dq], ...pulled);
      const rows = [...pulled[0]].flatMap((_, i) => pulled.map((column) => column[i]!));
      const step = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
      dynamics.implicitStepAdjoint!(0.01, state.qdd, dtau, ...step);
      rows.push(...[...step[0]].flatMap((_, i) => step.map((column) => column[i]!)));
      expect(words.at(-1)).toBe('0');
      expect(words.slice(0, -1).map(Number)).toEqual([
        ...inverseChange,
        ...forwardChange,
        ...stepChange,
        ...loads,
        ...varied.flatMap((own) => [...own]),
        ...rows,
      ]);
    });
  },
);
