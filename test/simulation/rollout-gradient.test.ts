/** Gradients of rollouts against difference quotients of them, and against changes carried forwards step by step. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { loadRobot } from '../../src/index.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { rolloutGradient, type RolloutCost } from '../../src/simulation/integrators/rollout-gradient.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';

const rigid = (mass: number) => ({
  mass,
  com: [0.1, 0.02, 0.1],
  inertia: { xx: 0.03, yy: 0.04, zz: 0.02, xy: 0.003 },
  distal: { xyz: [0.1, 0.03, 0.3], rpy: [0.2, 0, -0.4] },
});

/** A tree with forces that are not linear: potential, dissipation, friction, and actuators of every reach. */
const TREE = {
  kanegen: 1,
  name: 'twig',
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
    { name: 'trunk', joint: { revolute: 'x', stiffness: '20 N m/rad', damping: '0.3 N m s/rad' }, rigid: rigid(2) },
    { name: 'slab', joint: { revolute: 'z', friction: { coulomb: '0.3 N m', at: '0.4 rad/s' } }, body: 'slab' },
    { name: 'end', joint: { revolute: 'y' }, rigid: rigid(0.4) },
    { name: 'side', parent: 'trunk', joint: { prismatic: 'z', stiffness: '9 N/m' }, rigid: rigid(1) },
  ],
  frames: { tool: { on: 'end', offset: { xyz: [0.1, 0.2, -0.1] } } },
  actuators: {
    within: { along: 'sin(slab.u)*slab.v^2 + cos(slab.angle)', unit: '1' },
    tendon: {
      tendon: {
        path: [
          { on: 'base', at: [0.05, 0.03, 0] },
          { on: 'end', at: [-0.1, 0.02, 0.2] },
        ],
      },
    },
    thrust: { wrench: { on: 'tool', axes: 'world', force: 'z' } },
  },
};
const { dynamics } = await loadRobot(TREE, { derivatives: true });
const [n, u, steps, h] = [dynamics.coordinates, dynamics.actuators, 23, 0.01];
const values = (count: number, phase: number, scale = 1): number[] =>
  Array.from({ length: count }, (_, i) => scale * Math.sin(1.7 * i + phase));
const start = {
  q: values(n, 1, 0.4),
  qd: values(n, 2),
  inputs: values(u * steps, 3, 2),
  forces: values(n * steps, 4),
};
const weights = { q: values(n, 5), qd: values(n, 6) };
/** Σ sin(q) weighs, with squares of rates on the way, and of inputs. */
const cost: RolloutCost = {
  final: (q, qd, byQ, byQd) => {
    let value = 0;
    for (let i = 0; i < n; i++) {
      value += weights.q[i]! * Math.sin(q[i]!) + weights.qd[i]! * qd[i]!;
      byQ[i]! += weights.q[i]! * Math.cos(q[i]!);
      byQd[i]! += weights.qd[i]!;
    }
    return value;
  },
  running: (step, q, qd, byQ, byQd, byInputs) => {
    let value = 0;
    for (let i = 0; i < n; i++) {
      value += h * (qd[i]! ** 2 + q[i]! ** 3);
      byQ[i]! += 3 * h * q[i]! ** 2;
      byQd[i]! += 2 * h * qd[i]!;
    }
    for (let j = 0; j < u; j++) {
      const input = start.inputs[u * step + j]!;
      value += 0.05 * h * input ** 2;
      byInputs[j]! += 0.1 * h * input;
    }
    return value;
  },
};

type Part = keyof typeof start;

describe('the gradient of a rollout', () => {
  const gradient = rolloutGradient(dynamics, { ...start, h, steps }, cost);
  const found: Record<Part, Float64Array> = {
    q: gradient.byQ,
    qd: gradient.byQd,
    inputs: gradient.byInputs,
    forces: gradient.byForces,
  };

  it.each(['q', 'qd', 'inputs', 'forces'] as const)('by %s is a difference quotient', (part) => {
    const along = values(start[part].length, 7);
    const before = [...start.inputs];
    const value = (by: number): number => {
      const moved = start[part].map((x, i) => x + by * along[i]!);
      if (part === 'inputs') start.inputs = moved;
      const own = rolloutGradient(dynamics, { ...start, [part]: moved, h, steps }, cost).value;
      start.inputs = before;
      return own;
    };
    const quotient = (d: number): number => (value(-2 * d) - 8 * value(-d) + 8 * value(d) - value(2 * d)) / (12 * d);
    const [coarse, fine] = [quotient(4e-3), quotient(2e-3)];
    const expected = fine + (fine - coarse) / 15;
    const own = found[part].reduce((sum, x, i) => sum + x * along[i]!, 0);
    const scale = Math.sqrt(found[part].reduce((sum, x) => sum + x * x, 0));
    expect(scale).toBeGreaterThan(1e-3);
    expect(Math.abs(own - expected)).toBeLessThan(1e-9 * scale);
  });

  it('does not depend on where checkpoints are', () => {
    for (const every of [1, 4, steps, 100])
      expect(rolloutGradient(dynamics, { ...start, h, steps }, cost, every)).toEqual(gradient);
  });

  it('is refused where a robot has no adjoint, and of rollouts that do not fit', async () => {
    const plain = await loadRobot(TREE);
    expect(() => rolloutGradient(plain.dynamics, { ...start, h, steps }, cost)).toThrow('no adjoint');
    expect(() => rolloutGradient(dynamics, { ...start, h, steps: 5 }, cost)).toThrow(RangeError);
    expect(() => rolloutGradient(dynamics, { ...start, h: 0, steps }, cost)).toThrow(RangeError);
  });
});

/** Run-time parameters of inertia, lengths, springs, dampers and of an actuator within a link. */
const HELD = {
  m: '0.4 kg',
  a: '0.3 m',
  stiff: '20 N m/rad',
  slow: '0.3 N m s/rad',
  ks: '40 J',
  ds: '0.4 J s',
  gain: '1.3',
};
const PARAMETRIC = {
  ...TREE,
  name: 'sapling',
  parameters: Object.fromEntries(Object.entries(HELD).map(([name, value]) => [name, { value, runtime: true }])),
  'body-types': {
    slab: {
      ...TREE['body-types'].slab,
      parameters: { k: '1 J', d: '1 J s' },
    },
  },
  links: [
    {
      name: 'trunk',
      joint: { revolute: 'x', stiffness: 'stiff', damping: 'slow' },
      rigid: { ...rigid(2), distal: { xyz: [0.1, 'a/10', 'a'], rpy: [0.2, 0, -0.4] } },
    },
    {
      name: 'slab',
      joint: { revolute: 'z', friction: { coulomb: '0.3 N m', at: '0.4 rad/s' } },
      body: 'slab',
      parameters: { k: 'ks', d: 'ds' },
    },
    { name: 'end', joint: { revolute: 'y' }, rigid: { ...rigid(0.4), mass: 'm' } },
    {
      name: 'side',
      parent: 'trunk',
      joint: { prismatic: 'z', stiffness: '9 N/m' },
      rigid: { ...rigid(1), mass: '2*m' },
    },
  ],
  actuators: {
    within: { along: 'gain*sin(slab.u)*slab.v^2 + cos(gain*slab.angle)', unit: '1' },
    motor: { motor: 'trunk.angle' },
    other: { along: 'gain^2*slab.u*slab.v', unit: '1' },
  },
};

/** A derivative by a parameter is a difference quotient of a value. */
function expectQuotient(table: Record<string, number>, name: string, valueOf: () => number, derivative: number): void {
  const value = table[name]!;
  const at = (by: number): number => {
    table[name] = value * (1 + by);
    const result = valueOf();
    table[name] = value;
    return result;
  };
  const quotient = (d: number): number => (at(-2 * d) - 8 * at(-d) + 8 * at(d) - at(2 * d)) / (12 * d);
  const [coarse, fine] = [quotient(8e-3), quotient(4e-3)];
  const expected = fine + (fine - coarse) / 15;
  const found = derivative * value;
  expect(Math.abs(found)).toBeGreaterThan(1e-6);
  expect(Math.abs(found - expected)).toBeLessThan(1e-9 * Math.max(1, Math.abs(expected)));
}

describe('the gradient of a rollout by run-time parameters', async () => {
  const robot = await loadRobot(PARAMETRIC, { derivatives: true });
  const own = robot.dynamics;
  const table = own.parameters as Record<string, number>;
  const names = Object.keys(HELD);
  const run = (): ReturnType<typeof rolloutGradient> =>
    rolloutGradient(own, { ...start, h, steps, parameters: names.length }, cost);
  const gradient = run();

  it('stands beside the same derivatives as without', () => {
    const { byParameters, ...others } = rolloutGradient(own, { ...start, h, steps }, cost);
    expect(byParameters).toHaveLength(0);
    for (const [part, numbers] of Object.entries(others)) {
      const [found, expected] = [gradient[part as keyof typeof others], numbers].map((x) =>
        typeof x === 'number' ? [x] : [...x],
      );
      const scale = Math.max(...Array.from(expected!, Math.abs));
      Array.from(expected!).forEach((x, i) => expect(Math.abs(found![i]! - x)).toBeLessThan(1e-13 * scale));
    }
    expect(Object.keys(table).filter((name) => name !== 'gravity')).toEqual(names);
  });

  it.each(names.map((name, k) => [name, k] as const))('is a difference quotient by %s', (name, k) => {
    expectQuotient(table, name, () => run().value, gradient.byParameters[k]!);
  });

  it('is the transpose of changes along parameters', () => {
    const [qdd, seed, none] = [values(n, 8), values(n, 9), values(u, 0, 0)];
    const [byTau, byQ, byQd] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    const byP = new Float64Array(names.length);
    own.update(start.q, start.qd);
    // In no time springs and dampers add nothing to a step.
    expect(own.implicitStepGradient!(1e-30, qdd, none, seed, byTau, byQ, byQd, byP)).toBe(0);
    names.forEach((_, k) => {
      const change = new Float64Array(n);
      const dp = names.map((_other, j) => (j === k ? 1 : 0));
      expect(own.inverseDynamicsVariation!(1, qdd, dp, change)).toBe(0);
      const products = [...change].map((x, i) => x * byTau[i]!);
      const scale = products.reduce((sum, x) => sum + Math.abs(x), 1e-3);
      expect(Math.abs(byP[k]! - products.reduce((sum, x) => sum + x, 0))).toBeLessThan(1e-13 * scale);
    });
  });

  it('is refused where there are none', () => {
    expect(() => rolloutGradient(dynamics, { ...start, h, steps, parameters: 1 }, cost)).toThrow(
      'no derivatives of rollouts by run-time parameters',
    );
  });
});

type Four<T> = [T, T, T, T];
const step = { qdd: values(n, 8), u: values(4, 3, 2), seed: values(n, 9) };
/** A step of the robot below. */
const MAIN = {
  path: 'main.c',
  text: `#include "tied.h"
#include <stdio.h>
int main(void)
{
  static tied_workspace w;
${Object.entries({ q: start.q, qd: start.qd, ...step })
  .map(([name, numbers]) => `  static const kg_real ${name}[] = {${numbers.join(', ')}};`)
  .join('\n')}
  kg_real out[4][16];
  int i, k, status = (int)tied_update(&w, &tied_defaults, q, qd);
  status += (int)tied_implicit_step_gradient(&w, KG_REAL(${h}), qdd, u, seed, out[0], out[1], out[2], out[3]);
  printf("%d", status);
  for (k = 0; k < 4; k++)
    for (i = 0; i < (k < 3 ? TIED_NQ : 9); i++)
      printf(" %.17g", (double)out[k][i]);
  return 0;
}
`,
};

/** What actuators between links hold on to stands where parameters say: on links, on the base, within a body, on longer links. */
const tied = {
  ...PARAMETRIC,
  name: 'tied',
  parameters: {
    ...PARAMETRIC.parameters,
    off: { value: '40 mm', runtime: true },
    tall: { value: '70 mm', runtime: true },
  },
  frames: { tool: { on: 'end', offset: { xyz: [0.1, 'off', -0.1], rpy: [0.3, 'a/(10*tall)', 0.1] } } },
  actuators: {
    tendon: {
      tendon: {
        path: [
          { on: 'base', at: ['off', '0.03', 'a/10'] },
          { on: 'slab', at: { x: 'off', y: '2*off/3', z: 'tall' } },
          { on: 'end', at: [-0.1, 'off/2', 0.2] },
          { on: 'side', at: [0.3, 0.1, 'tall'] },
        ],
      },
    },
    thrust: { wrench: { on: 'tool', axes: 'world', force: 'z' } },
    push: { wrench: { on: 'tool', axes: 'frame', force: 'x' } },
    mixed: { along: 'gain^2*sin(trunk.angle)*slab.u + gain*side.displacement^2*end.angle', unit: '1' },
  },
};

describe('the gradient of a rollout by run-time parameters beside actuators between links', async () => {
  const { dynamics: own } = await loadRobot(tied, { derivatives: true });
  const names = Object.keys(tied.parameters);
  const inputs = values(own.actuators * steps, 3, 2);
  const free: RolloutCost = { final: cost.final! };
  const run = (): ReturnType<typeof rolloutGradient> =>
    rolloutGradient(own, { ...start, inputs, h, steps, parameters: names.length }, free);
  const gradient = run();

  it.each(names.map((name, k) => [name, k] as const))('is a difference quotient by %s', (name, k) => {
    expectQuotient(own.parameters as Record<string, number>, name, () => run().value, gradient.byParameters[k]!);
  });

  it.skipIf(COMPILERS[0]!.missing)(`of a step has the same bits in C (needs ${COMPILERS[0]!.compiler})`, async () => {
    const loaded = loadRobotObject(tied);
    const files = [...(await generateC(loaded, compileRobot(loaded, { derivatives: true }))), MAIN];
    const { compiler } = COMPILERS[0]!;
    const program = await buildC(files, { compiler, flags: UNOPTIMISED }, (path) => path.endsWith('_selftest.c'));
    const words = (await runProgram(program).finally(() => program.dispose())).trim().split(' ').map(Number);
    const outputs = [n, n, n, names.length].map((size) => new Float64Array(size)) as Four<Float64Array>;
    own.update(start.q, start.qd);
    expect(own.implicitStepGradient!(h, step.qdd, step.u, step.seed, ...outputs)).toBe(0);
    expect(words).toEqual([0, ...outputs.flatMap((own) => [...own])]);
  });
});

describe('the transpose of an implicit step', () => {
  it('is that of the step: weighted changes are equal either way', () => {
    const tau = values(n, 8);
    const run = (by: number, dq: readonly number[], dqd: readonly number[], dtau: readonly number[]): number[] => {
      const moved = (x: readonly number[], dx: readonly number[]): number[] => x.map((v, i) => v + by * dx[i]!);
      const [q, qd] = [new Float64Array(n), new Float64Array(n)];
      dynamics.update(moved(start.q, dq), moved(start.qd, dqd));
      dynamics.implicitStep(h, moved(tau, dtau), q, qd);
      return [...q, ...qd];
    };
    const [a, b] = [values(n, 9), values(n, 10)];
    const none = values(n, 0, 0);
    const after = run(0, none, none, none);
    const qdd = start.qd.map((rate, i) => (after[n + i]! - rate) / h);
    const total = b.map((x, i) => x + h * a[i]!);
    const [byTau, byQ, byQd] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    dynamics.update(start.q, start.qd);
    const seed = total.map((x) => h * x);
    expect(dynamics.implicitStepAdjoint!(h, qdd, seed, byTau, byQ, byQd)).toBe(0);
    const backwards = { q: a.map((x, i) => x - byQ[i]!), qd: total.map((x, i) => x - byQd[i]!), tau: [...byTau] };
    for (const part of ['q', 'qd', 'tau'] as const)
      for (let k = 0; k < n; k++) {
        const unit = none.with(k, 1);
        const change = (d: number): number[] => {
          const [m2, m1, p1, p2] = [-2, -1, 1, 2].map((s) =>
            run(s * d, part === 'q' ? unit : none, part === 'qd' ? unit : none, part === 'tau' ? unit : none),
          ) as [number[], number[], number[], number[]];
          return m1.map((_, i) => (m2[i]! - 8 * m1[i]! + 8 * p1[i]! - p2[i]!) / (12 * d));
        };
        const [coarse, fine] = [change(4e-3), change(2e-3)];
        const weighted = fine.map((x, i) => (x + (x - coarse[i]!) / 15) * (i < n ? a[i]! : b[i - n]!));
        const expected = weighted.reduce((sum, x) => sum + x, 0);
        expect(Math.abs(backwards[part][k]! - expected), `${part} ${k}`).toBeLessThan(1e-11);
      }
  });
});
