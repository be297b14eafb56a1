/**
 * Transposes of derivatives of robots with rods whose strain varies along them: loops that carry rotations from step to step, leave
 * arrays for each other and integrate along the rod, with elasticity, damping, tendons and pressure along rods,
 * and what actuators hold on to on them moved by parameters. Against the changes that
 * they transpose, and gradients of rollouts against difference quotients.
 */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK, type Derivatives, type Dynamics } from '../../src/runtime/driver.ts';
import { rolloutGradient, type Rollout, type RolloutCost } from '../../src/simulation/integrators/rollout-gradient.ts';
import { COMPILERS, QUICK } from '../compilers.ts';

/** Both forms of the recursion, off the axis and branched; strains that are linear in the coordinates and others. */
const ROBOT = `
kanegen: 1
name: reeds
base: { rpy: [0.3, -0.2, 0.5] }
parameters:
  E: { value: 0.1 MPa, runtime: true }
  l: { value: 0.2 m, runtime: true }
  r: { value: 18 mm, runtime: true }
  rho: { value: 1100 kg/m^3, runtime: true }
  eta: { value: 20 ms, runtime: true }
  off: { value: 6 mm, runtime: true }
body-types:
  stem:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3, E: 0.1 MPa, eta: 10 ms }
    coordinates: { a: { unit: rad, limits: [-1, 1] }, b: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R*(1 - s/(3*L)), cartesian: [x, y] }, density: rho }
    strain: { bend-y: a/L, bend-x: b*s/L^2, twist: 0.3*a*s/L^2, stretch: 0.2*a*b, shear-x: 0.1*b }
    material: { rod-elasticity: { E: E, nu: 0.4 }, retardation-time: eta }
    chambers: { half: { x: [2 mm, 5 mm], y: [-3 mm, 4 mm] } }
    integration: { recursion: newton-euler, tolerance: 1e-5 }
  twig:
    extends: gvs-legendre
    coordinates: { a: { count: 2, unit: rad }, b: { count: 1, unit: rad }, c: { count: 1, unit: rad }, e: { count: 1, unit: m } }
    integration: { recursion: jacobian, tolerance: 1e-5 }
links:
  - { name: root, joint: { revolute: x, damping: 0.1 N m s/rad }, rigid: { mass: 1, com: [0.01, 0.02, 0.03], inertia: { xx: 0.01 }, distal: { xyz: [0.02, 0.03, 0.05], rpy: [0.4, 0, 0.1] } } }
  - { name: soft, mount: { rpy: [0, 0.2, 0.3] }, body: stem, parameters: { L: l, R: r, rho: rho, E: E, eta: eta } }
  - { name: tip, mount: { rpy: [0.1, 0, -0.3] }, body: twig, parameters: { R: r/2, E: 2*E, rho: rho } }
  - { name: arm, parent: root, joint: { revolute: y }, body: stem, parameters: { L: 0.15 m, E: E } }
actuators:
  pull: { tendon: { through: soft, route: { x: off, y: 1 mm } } }
  coil: { tendon: { through: [soft, tip], route: { x: 0.7*off*cos(S), y: off*sin(S) } } }
  push: { pressure: arm.half }
  tie: { tendon: { path: [ { on: base, at: [0.1, off, 0] }, { on: soft, at: { x: off, y: 2 mm, s: l/2 } } ] } }
  motor: { motor: root.angle }
`;
const robot = loadRobotText(ROBOT, 'reeds.robot.yaml');
const compiled = compileRobot(robot, { derivatives: true });
const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))() as Dynamics &
  Derivatives & { readonly parameters: Record<string, number> };
const [n, u] = [dynamics.coordinates, dynamics.actuators];
const names = Object.keys(dynamics.parameters).filter((name) => name !== 'gravity');
const values = (count: number, phase: number, scale = 1): number[] =>
  Array.from({ length: count }, (_, i) => scale * Math.sin(1.7 * i + phase));
const array = (count = n): Float64Array => new Float64Array(count);
const unit = (count: number, i: number): number[] => Array.from({ length: count }, (_, k) => (k === i ? 1 : 0));
const scales = robot.coordinates.map(({ unit: own }) => (own === 'm' ? 0.02 : 0.4));
const state = {
  q: values(n, 1).map((x, i) => x * scales[i]!),
  qd: values(n, 2).map((x, i) => x * scales[i]!),
  qdd: values(n, 3).map((x, i) => 5 * x * scales[i]!),
};
const inputs = [3, 2, 2e3, 1.5, 0.1];
const stage = (): void => expect(dynamics.update(state.q, state.qd)).toBe(KG_OK);

/** A sum is Σ of products, to rounding of these. */
function expectSum(found: number, products: readonly number[], entry: string): void {
  const scale = products.reduce((sum, x) => sum + Math.abs(x), 0);
  expect(Math.abs(found - products.reduce((sum, x) => sum + x, 0)), entry).toBeLessThanOrEqual(1e-13 * scale);
}

type Three<T> = [T, T, T];

describe('transposes of robots with rods of varying strain', () => {
  it('are those of changes along directions', () => {
    stage();
    const weights = [...values(n, 7), ...values(n, 8)];
    const found = [0, 1, 2].map(() => array(2 * n)) as Three<Float64Array>;
    expect(dynamics.inverseDynamicsAdjoint!(2, state.qdd, weights, ...found)).toBe(KG_OK);
    for (const which of [0, 1, 2])
      for (let b = 0; b < n; b++) {
        const given = [0, 1, 2].map((k) => (k === which ? unit(n, b) : null));
        const column = array();
        dynamics.inverseDynamicsTangent(1, state.qdd, given[0]!, given[1]!, given[2]!, column);
        for (const from of [0, n]) {
          const products = Array.from(column, (x, i) => x * weights[from + i]!);
          expectSum(found[which]![from + b]!, products, `by ${b} of ${which}`);
        }
      }
  });

  it('are those of changes along run-time parameters', () => {
    const [byTau, byQ, byQd] = [0, 1, 2].map(() => array()) as Three<Float64Array>;
    const byP = array(names.length);
    stage();
    // In no time springs and dampers add nothing to a step.
    const seed = values(n, 9);
    const { qdd } = state;
    expect(dynamics.implicitStepGradient!(1e-30, qdd, array(u), seed, byTau, byQ, byQd, byP)).toBe(KG_OK);
    names.forEach((name, k) => {
      const change = array();
      expect(dynamics.inverseDynamicsVariation!(1, qdd, unit(names.length, k), change)).toBe(KG_OK);
      const products = Array.from(change, (x, i) => x * byTau[i]!);
      expectSum(byP[k]!, products, name);
    });
    expect(names).toHaveLength(6);
  });
});

const [steps, h] = [8, 5e-3];
const rollout: Rollout & { readonly inputs: number[]; readonly forces: number[] } = {
  ...state,
  steps,
  h,
  inputs: Array.from({ length: u * steps }, (_, i) => inputs[i % u]! * (1 + 0.3 * Math.sin(i))),
  forces: values(n * steps, 4, 1e-3),
};
const weights = [values(n, 5), values(n, 6, 0.02)] as const;
const cost: RolloutCost = {
  final: (q, qd, byQ, byQd) => {
    let value = 0;
    for (let i = 0; i < n; i++) {
      value += weights[0][i]! * Math.sin(q[i]!) + weights[1][i]! * qd[i]! ** 2;
      byQ[i]! += weights[0][i]! * Math.cos(q[i]!);
      byQd[i]! += 2 * weights[1][i]! * qd[i]!;
    }
    return value;
  },
};

describe('the gradient of a rollout with such rods', () => {
  const run = (given: Rollout): ReturnType<typeof rolloutGradient> =>
    rolloutGradient(dynamics, { ...given, parameters: names.length }, cost);
  const gradient = run(rollout);
  /** Extrapolated to sixth order. */
  const quotientOf = (value: (by: number) => number, d: number): number => {
    const quotient = (own: number): number =>
      (value(-2 * own) - 8 * value(-own) + 8 * value(own) - value(2 * own)) / (12 * own);
    const [coarse, fine] = [quotient(2 * d), quotient(d)];
    return fine + (fine - coarse) / 15;
  };

  it.each(['q', 'qd', 'inputs', 'forces'] as const)('by %s is a difference quotient', (part) => {
    const own = { q: gradient.byQ, qd: gradient.byQd, inputs: gradient.byInputs, forces: gradient.byForces }[part];
    const given = rollout[part] as number[];
    const size = { q: 0.1, qd: 0.1, inputs: 0, forces: 1e-3 }[part];
    const along = given.map((x, i) => (size || x) * Math.sin(2.3 * i + 1));
    const expected = quotientOf(
      (by) => run({ ...rollout, [part]: given.map((x, i) => x + by * along[i]!) }).value,
      2e-3,
    );
    const products = along.map((x, i) => x * own[i]!);
    const scale = products.reduce((sum, x) => sum + Math.abs(x), 0);
    expect(scale).toBeGreaterThan(1e-6);
    expect(Math.abs(products.reduce((sum, x) => sum + x, 0) - expected)).toBeLessThan(1e-9 * (scale + gradient.value));
  });

  it.each(names.map((name, k) => [name, k] as const))('by %s is one, too', (name, k) => {
    const value = dynamics.parameters[name]!;
    const expected = quotientOf((by) => {
      dynamics.parameters[name] = value * (1 + by);
      const own = run(rollout).value;
      dynamics.parameters[name] = value;
      return own;
    }, 2e-3);
    const found = gradient.byParameters[k]! * value;
    expect(Math.abs(found)).toBeGreaterThan(1e-6);
    expect(Math.abs(found - expected)).toBeLessThan(1e-9);
  });
});

const list = (x: readonly number[]): string => `{${x.join(', ')}}`;

describe.skipIf(COMPILERS.length === 0)('transposes of such rods in C', () => {
  it('are those of TypeScript', { timeout: 120_000 }, async () => {
    const { q, qd, qdd } = state;
    const seed = values(n, 9);
    const sizes = [n, n, n, n, n, n, names.length];
    const out = sizes.map(array) as [...Three<Float64Array>, Float64Array, Float64Array, Float64Array, Float64Array];
    stage();
    const [byQ, byQd, byQdd, ...step] = out;
    expect(dynamics.inverseDynamicsAdjoint!(1, qdd, seed, byQ, byQd, byQdd)).toBe(KG_OK);
    expect(dynamics.implicitStepGradient!(h, qdd, inputs, seed, ...step)).toBe(KG_OK);
    const text = `
#include <stdio.h>
#include "reeds.h"
int main(void)
{
  static reeds_workspace w;
  kg_real q[] = ${list(q)}, qd[] = ${list(qd)}, qdd[] = ${list(qdd)}, seed[] = ${list(seed)}, u[] = ${list(inputs)};
  static kg_real x[7][${n}];
  int i, k, status = (int)reeds_update(&w, &reeds_defaults, q, qd);
  status += (int)reeds_inverse_dynamics_adjoint(&w, 1, qdd, seed, x[0], x[1], x[2]);
  status += (int)reeds_implicit_step_gradient(&w, KG_REAL(${h}), qdd, u, seed, x[3], x[4], x[5], x[6]);
  for (k = 0; k < 7; k++)
    for (i = 0; i < (k < 6 ? ${n} : ${names.length}); i++)
      printf("%.17g ", x[k][i]);
  printf("%d\\n", status);
  return 0;
}
`;
    const files = [...(await generateC(robot, compiled)), { path: 'transposes.c', text }];
    const program = await buildC(files, QUICK, (path) => path.endsWith('_selftest.c'));
    const printed = (await runProgram(program).finally(() => program.dispose())).trim().split(' ').map(Number);
    expect(printed.pop()).toBe(KG_OK);
    // Sums over rows are added in lanes, in another order.
    let next = 0;
    for (const own of out) {
      const scale = Math.max(...own.map(Math.abs));
      own.forEach((x) => expect(Math.abs(printed[next++]! - x)).toBeLessThan(1e-12 * scale));
    }
  });
});
