/**
 * Steps of Newton's method through the links, against the tangent of inverse dynamics as a dense matrix of directions; C
 * against TypeScript.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { borderOf } from '../../src/codegen/modules/border.ts';
import { formsTangent } from '../../src/codegen/modules/newton-step.ts';
import { robotModel } from '../../src/codegen/modules/robot-model.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import {
  KG_NO_STATE,
  KG_NON_FINITE,
  KG_OK,
  KG_SINGULAR,
  type Derivatives,
  type Dynamics,
} from '../../src/runtime/driver.ts';
import { COMPILERS, QUICK } from '../compilers.ts';

/** Two arms of equal links on a fixed one that is carried by a joint; springs, dampers, an actuator within a link. */
const TREE = `
kanegen: 1
name: fork
body-types:
  slab:
    parameters: { k: 40 J, d: 0.4 J s }
    coordinates: { u: {}, v: {} }
    volume: { box: { x: [0, 0.1 m], y: [0, 0.1 m], z: [0, 0.2 m] }, density: 500 kg/m^3 }
    position: [x + u*z, y + v*z, z]
    distal: { pivot: { z: 0.2 m }, x-axis: { z: 0.2 m, x: 0.1 m }, y-axis: { z: 0.2 m, y: 0.1 m } }
    potential: k*(u^2 + 0.75*u*v + 1.25*v^2 + 0.25*u^4)
    dissipation: d*u_dot^2*(1 + v^2)
links:
  - { name: trunk, joint: { revolute: x, stiffness: 20 N m/rad, damping: 0.3 N m s/rad }, rigid: { mass: 2, com: [0.1, 0, 0.1], distal: { xyz: [0.1, 0.03, 0.3] } } }
  - { name: plate, joint: fixed, rigid: { mass: 1, com: [0.05, 0, 0.1], distal: { xyz: [0, 0.1, 0.1] } } }
  - { name: left, joint: { revolute: z }, body: slab }
  - { name: left_end, joint: { prismatic: y }, rigid: { mass: 0.4, com: [0, 0.1, 0.1] } }
  - { name: right, parent: plate, joint: { revolute: z }, body: slab }
  - { name: right_end, joint: { revolute: y }, rigid: { mass: 0.6, com: [0.1, 0.1, 0], inertia: { xx: 0.01, yy: 0.02, zz: 0.02, xy: 0.003 } } }
frames:
  tool: { on: right_end, offset: { xyz: [0.1, 0.2, -0.1], rpy: [0.3, 0.1, -0.2] } }
  mid: { on: left, at: { x: 0.05 m, y: 0.02 m, z: 0.12 m } }
actuators:
  within: { along: 'sin(left.u)*left.v^2 + cos(left.angle)', unit: '1' }
  other: { along: right.u*right.v^3, unit: '1' }
`;

/** The same with all that reaches from link to link: over both branches, from the base, on a fixed link, within a body. */
const TIED = `${TREE}  between: { tendon: { path: [ { on: left_end, at: [0.02, 0.1, 0.03] }, { on: plate, at: [0.05, 0, 0.02] }, { on: right_end, at: [0.03, 0, 0.1] } ] } }
  inside: { tendon: { path: [ { on: base, at: [0.3, 0.1, 0] }, { on: left, at: { x: 0.05 m, y: 0.02 m, z: 0.15 m } }, { on: right, at: { x: 0.02 m, y: 0.1 m, z: 0.1 m } } ] } }
  lift: { wrench: { on: right_end, axes: world, force: [0, 0.6, 0.8] } }
  twist: { wrench: { on: right, axes: world, moment: [0.6, 0, 0.8] } }
  jet: { wrench: { on: left_end, axes: frame, force: y } }
  both: { along: 'sin(trunk.angle*left.u) + right.v^2*right_end.angle', unit: '1' }
  linear: { along: '0.3*trunk.angle - right.angle', unit: '1' }
`;

/** Both branches press against each other, with damping and friction, and against a ball; actuators between links beside that. */
const TOUCHING = `${TIED}contacts:
  ends:
    between: [{ capsule: { on: left_end, axis: [0, 0.6, 0.8], length: 0.2, radius: 0.3 } }, { sphere: { on: right_end, at: [0.02, 0.05, 0], radius: 0.5 } }]
    law: { hunt-crossley: { stiffness: 300 N/m, damping: 0.2 s/m } }
    friction: { coefficient: 0.4, at: 20 cm/s }
  floor:
    between: [{ plane: { on: trunk, at: [0, 0, 0.3], axis: [0, 0.6, 0.8] } }, { sphere: { on: left_end, radius: 0.9 } }]
    law: { spring-damper: { stiffness: 100 N/m, damping: 3 N s/m } }
`;

/** Forty links. */
const forty = (): Robot => {
  const file = 'examples/planar-cc-20.robot.yaml';
  return loadRobotText(readFileSync(file, 'utf8').replace('repeat: 20', 'repeat: 40'), file);
};

/** A rod in equilibrium with its tendons, at few points: its strain is a solution, whose tangent goes through no Newton step. */
const BALANCED = `
kanegen: 1
name: balanced
gravity: [1, -2, 9]
body-types:
  arm:
    parameters: { L: 0.3 m, r: 7 mm, M: 4 mN m }
    coordinates: { T: { unit: N, limits: [-1 N, 3 N] }, m: { limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm }, density: 1000 }
    rest: { bend-y: 1 }
    strain: { equilibrium: { tendons: { T: { route: { x: r*cos(5*s/L), y: r*sin(5*s/L) } } }, stress: { bend-x: M*m*(1 + m/3)*s/L }, hold: [shear-x, shear-y] } }
    material: { rod-elasticity: { E: 0.5 MPa, nu: 0.5 }, viscosity: 300 }
    integration: { points: 3, magnus: 4 }
links: [ { name: one, body: arm }, { name: two, body: arm } ]
actuators: { pull: { drives: one.T }, other: { drives: two.T } }
`;

const ROBOTS: Readonly<Record<string, () => Robot>> = {
  ...Object.fromEntries(
    [
      'planar-cc-20',
      'pcc-3d',
      'ur10e',
      'elastic-rod',
      ...(process.env['KANEGEN_FULL'] === '1' ? ['tendon-arm'] : []),
    ].map((name) => [name, () => loadRobotFile(`examples/${name}.robot.yaml`)]),
  ),
  forty,
  balanced: () => loadRobotText(BALANCED, 'balanced.robot.yaml'),
  tree: () => loadRobotText(TREE, 'fork.robot.yaml'),
  tied: () => loadRobotText(TIED, 'tied.robot.yaml'),
  touching: () => loadRobotText(TOUCHING, 'touching.robot.yaml'),
  loop: () => loadRobotFile('examples/mechanisms/four-bar.robot.yaml'),
};

type Differentiated = Dynamics & Derivatives;

interface Subject {
  readonly robot: Robot;
  readonly compiled: CompiledRobot;
  readonly create: () => Dynamics;
}

const subjects = new Map<string, Promise<Subject>>();

/** A robot, compiled once. */
function subjectOf(name: string): Promise<Subject> {
  const compile = async (): Promise<Subject> => {
    const robot = ROBOTS[name]!();
    const compiled = compileRobot(robot, { derivatives: true });
    return { robot, compiled, create: await loadGenerated(await generateTypeScript(robot, compiled)) };
  };
  const subject = subjects.get(name) ?? compile();
  subjects.set(name, subject);
  return subject;
}

const dynamicsOf = async (name: string): Promise<Differentiated> => (await subjectOf(name)).create() as Differentiated;

const values = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));
const largest = (x: ArrayLike<number>): number => Math.max(...Array.from(x, Math.abs));

const [RATE, ACCELERATION] = [150, 3e4];

/** S column by column: column j of the result is S e_j. */
function dense(
  dynamics: Differentiated,
  qdd: readonly number[],
  u: readonly number[],
  acceleration = ACCELERATION,
): Float64Array {
  const n = dynamics.coordinates;
  const unit = (size: number): number[] => Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? size : 0));
  const [S, force] = [new Float64Array(n * n), new Float64Array(n * n)];
  expect(dynamics.inverseDynamicsTangent(n, qdd, unit(1), unit(RATE), unit(acceleration), S)).toBe(KG_OK);
  expect(dynamics.actuateTangent(n, u, unit(1), force)).toBe(KG_OK);
  return S.map((x, i) => x - force[i]!);
}

describe('steps of Newton’s method', () => {
  // Tangents of closed forms in space: test/verify/derivatives.test.ts.
  it.each(Object.keys(ROBOTS).filter((name) => process.env['KANEGEN_FULL'] === '1' || name !== 'pcc-3d'))(
    'solve with the tangent of inverse dynamics: %s',
    async (name) => {
      const dynamics = await dynamicsOf(name);
      const n = dynamics.coordinates;
      const [q, qd, qdd] = [values(n, 1, 0.4), values(n, 2), values(n, 3, 5)];
      const u = values(dynamics.actuators, 4, 20);
      for (const phase of [5, 6]) {
        const residual = values(n, phase);
        const dq = new Float64Array(n);
        expect(dynamics.update(q, qd)).toBe(KG_OK);
        expect(dynamics.newtonStep(RATE, ACCELERATION, qdd, u, residual, dq)).toBe(KG_OK);
        const S = dense(dynamics, qdd, u);
        // What is left, of the size of what cancels; S has columns.
        for (let i = 0; i < n; i++) {
          let [left, size] = [-residual[i]!, Math.abs(residual[i]!)];
          for (let j = 0; j < n; j++) {
            left += S[n * j + i]! * dq[j]!;
            size += Math.abs(S[n * j + i]! * dq[j]!);
          }
          expect(Math.abs(left), `entry ${i}`).toBeLessThan(1e-12 * size);
        }
        expect(largest(dq)).toBeGreaterThan(0);
      }
    },
  );

  it.each([
    ...(process.env['KANEGEN_FULL'] === '1'
      ? (['ur10e', 'tree', 'pcc-3d'] as const)
      : (['ur10e', 'tree'] as const)
    ).map((name) => [name, 'as a matrix', true] as const),
    // Twenty links, and actuators from link to link.
    ...(['planar-cc-20', 'tied', 'touching'] as const).map((name) => [name, 'through its links', false] as const),
  ])('take the tangent of %s %s', async (name, _, asMatrix) => {
    const { robot, compiled } = await subjectOf(name);
    expect(formsTangent(robotModel(robot, compiled))).toBe(asMatrix);
  });

  it.each(['tree', 'tied', 'touching', 'elastic-rod'])('have a wrench on a frame in them: %s', async (name) => {
    const dynamics = await dynamicsOf(name);
    const n = dynamics.coordinates;
    const { frames } = (await subjectOf(name)).robot;
    const [q, qd, qdd, residual] = [values(n, 1, 0.4), values(n, 2), values(n, 3, 5), values(n, 5)];
    const u = values(dynamics.actuators, 4, 20);
    const wrench = values(6, 2, 300);
    const moved: number[] = [];
    const units = Array.from({ length: n * n }, (_, k) => (k % (n + 1) === 0 ? 1 : 0));
    const [none, without, solved] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    dynamics.update(q, qd);
    expect(dynamics.newtonStep(RATE, 100, qdd, u, residual, without)).toBe(KG_OK);
    for (const [index, frame] of frames.entries())
      for (const axes of ['world', 'frame'] as const) {
        const [step, tangent] =
          axes === 'world'
            ? ([dynamics.newtonStepExternal, dynamics.externalTangent] as const)
            : ([dynamics.newtonStepExternalInFrame, dynamics.externalInFrameTangent] as const);
        expect(step(RATE, 100, index, qdd, u, wrench, residual, solved)).toBe(KG_OK);
        const [load, S] = [new Float64Array(n * n), dense(dynamics, qdd, u, 100)];
        expect(tangent(n, index, wrench, units, load)).toBe(KG_OK);
        for (let i = 0; i < n; i++) {
          let [left, size] = [-residual[i]!, Math.abs(residual[i]!)];
          for (let j = 0; j < n; j++) {
            left += (S[n * j + i]! - load[n * j + i]!) * solved[j]!;
            size += (Math.abs(S[n * j + i]!) + Math.abs(load[n * j + i]!)) * Math.abs(solved[j]!);
          }
          expect(Math.abs(left), `entry ${i}, ${frame.name}, ${axes}`).toBeLessThan(1e-12 * size);
        }
        moved.push(largest(solved.map((x, i) => x - without[i]!)) / largest(without));
      }
    expect(Math.max(...moved)).toBeGreaterThan(1e-3);
    // Nothing of it stays.
    expect(dynamics.newtonStep(RATE, 100, qdd, u, residual, none)).toBe(KG_OK);
    expect([...none]).toEqual([...without]);
  });

  it('have velocities, gravity and the stiffness of actuators in them', async () => {
    const dynamics = await dynamicsOf('tree');
    const n = dynamics.coordinates;
    const [q, qd, qdd, residual] = [values(n, 1, 0.4), values(n, 2), values(n, 3, 5), values(n, 5)];
    const step = (rates: readonly number[], u: readonly number[]): Float64Array => {
      const dq = new Float64Array(n);
      dynamics.update(q, rates);
      expect(dynamics.newtonStep(1, 0.1, qdd, u, residual, dq)).toBe(KG_OK);
      return dq;
    };
    const all = step(qd, [20, -10]);
    for (const other of [step(values(n, 2, 0), [20, -10]), step(qd, [0, 0])])
      expect(largest(all.map((x, i) => x - other[i]!))).toBeGreaterThan(1e-3 * largest(all));
  });

  it('leave the staged state as it is, name the link that has no pivot, and refuse what is not finite', async () => {
    const dynamics = await dynamicsOf('tree');
    const n = dynamics.coordinates;
    const [q, qd, tau, u] = [values(n, 1, 0.4), values(n, 2), values(n, 3), [1, 2]];
    const [before, after, dq] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    dynamics.update(q, qd);
    dynamics.forwardDynamics(tau, before);
    expect(dynamics.newtonStep(RATE, ACCELERATION, before, u, tau, dq)).toBe(KG_OK);
    dynamics.forwardDynamics(tau, after);
    expect([...after]).toEqual([...before]);
    expect(dynamics.newtonStep(RATE, NaN, before, u, tau, dq)).toBe(KG_NON_FINITE);
    // At rest only gravity acts on the last joint, and the mass beyond it is level with the axis: S has a zero there.
    dynamics.update(values(n, 0, 0), values(n, 0, 0));
    const rest = values(n, 0, 0);
    expect(dynamics.newtonStep(0, 0, rest, [0, 0], tau, dq)).toBe(KG_SINGULAR);
    expect(dynamics.singularLink()).toBe(5);
  });
});

describe('factors of the tangent', () => {
  /** Of robots with a border its part of a kept answer is summed in another order. */
  it.each(Object.keys(ROBOTS).filter((name) => process.env['KANEGEN_FULL'] === '1' || name !== 'pcc-3d'))(
    'solve as steps do, whatever state is staged: %s',
    async (name) => {
      const { robot, compiled } = await subjectOf(name);
      const hasBorder = (borderOf(robotModel(robot, compiled))?.columns ?? 0) > 0;
      expect(hasBorder).toBe(['tied', 'touching'].includes(name));
      const dynamics = await dynamicsOf(name);
      const n = dynamics.coordinates;
      const [q, qd, qdd] = [values(n, 1, 0.4), values(n, 2), values(n, 3, 5)];
      const u = values(dynamics.actuators, 4, 20);
      const step = (residual: readonly number[]): number[] => {
        const dq = new Float64Array(n);
        expect(dynamics.newtonStep(RATE, ACCELERATION, qdd, u, residual, dq)).toBe(KG_OK);
        return [...dq];
      };
      dynamics.update(q, qd);
      const wanted = [5, 6].map((phase) => step(values(n, phase)));
      expect(dynamics.newtonFactor(RATE, ACCELERATION, qdd, u)).toBe(KG_OK);
      const solve = (phase: number): number[] => {
        // In place of the residual.
        const dq = Float64Array.from(values(n, phase));
        expect(dynamics.newtonSolve(dq, dq)).toBe(KG_OK);
        return [...dq];
      };
      const found = [solve(5), solve(6)];
      // What residuals compute at other states leaves them as they are.
      dynamics.update(values(n, 7, 0.3), values(n, 8));
      const tau = new Float64Array(n);
      dynamics.activeInverseDynamics(values(n, 9), tau);
      if (dynamics.actuators > 0) dynamics.actuate(values(dynamics.actuators, 2), tau);
      dynamics.forwardDynamics(tau, new Float64Array(n));
      dynamics.external(0, values(6, 3), tau);
      found.push(solve(5), solve(6));
      for (const [k, dq] of found.entries())
        if (hasBorder) {
          const [own, size] = [wanted[k % 2]!, largest(wanted[k % 2]!)];
          for (const [i, x] of dq.entries()) expect(Math.abs(x - own[i]!)).toBeLessThan(1e-12 * size);
        } else expect(dq).toEqual(wanted[k % 2]);
      expect(found[2]).toEqual(found[0]);
    },
  );

  it('are there after they were made and before the next step, and each robot has its own', async () => {
    for (const name of ['tree', 'planar-cc-20', 'tied']) {
      const dynamics = await dynamicsOf(name);
      const n = dynamics.coordinates;
      const [q, qd, qdd, r] = [values(n, 1, 0.4), values(n, 2), values(n, 3, 5), values(n, 5)];
      const u = values(dynamics.actuators, 4, 20);
      const dq = new Float64Array(n);
      expect(dynamics.newtonSolve(r, dq)).toBe(KG_NO_STATE);
      dynamics.update(q, qd);
      expect(dynamics.newtonSolve(r, dq)).toBe(KG_NO_STATE);
      expect(dynamics.newtonFactor(RATE, NaN, qdd, u)).toBe(KG_NON_FINITE);
      expect(dynamics.newtonSolve(r, dq)).toBe(KG_NO_STATE);
      expect(dynamics.newtonFactor(RATE, ACCELERATION, qdd, u)).toBe(KG_OK);
      expect(dynamics.newtonSolve(r, dq)).toBe(KG_OK);
      expect(dynamics.newtonSolve([NaN, ...r.slice(1)], dq)).toBe(KG_NON_FINITE);
      const other = dynamics.twin() as Differentiated;
      other.update(q, qd);
      expect(other.newtonSolve(r, dq)).toBe(KG_NO_STATE);
      for (const ends of [
        () => dynamics.newtonStep(RATE, ACCELERATION, qdd, u, r, dq),
        () => dynamics.newtonStepExternal(RATE, ACCELERATION, 0, qdd, u, values(6, 2), r, dq),
        () => dynamics.newtonStepExternalInFrame(RATE, ACCELERATION, 0, qdd, u, values(6, 2), r, dq),
      ]) {
        expect(dynamics.newtonFactor(RATE, ACCELERATION, qdd, u)).toBe(KG_OK);
        expect(ends()).toBe(KG_OK);
        expect(dynamics.newtonSolve(r, dq)).toBe(KG_NO_STATE);
      }
    }
  });

  it('are none where a link has no pivot', async () => {
    const dynamics = await dynamicsOf('tree');
    const rest = values(dynamics.coordinates, 0, 0);
    dynamics.update(rest, rest);
    expect(dynamics.newtonFactor(RATE, ACCELERATION, rest, [0, 0])).toBe(KG_OK);
    expect(dynamics.newtonFactor(0, 0, rest, [0, 0])).toBe(KG_SINGULAR);
    expect(dynamics.singularLink()).toBe(5);
    expect(dynamics.newtonSolve(rest, Float64Array.from(rest))).toBe(KG_NO_STATE);
  });
});

const list = (x: readonly number[]): string => `{${x.join(', ')}}`;

describe.skipIf(COMPILERS.length === 0)('steps of Newton’s method in C', () => {
  it.each(['tree', 'tied', 'planar-cc-20'])('are those of TypeScript to the bit: %s', async (robotName) => {
    const { robot, compiled } = await subjectOf(robotName);
    const dynamics = await dynamicsOf(robotName);
    const n = dynamics.coordinates;
    const [q, qd, qdd, residual] = [values(n, 1, 0.4), values(n, 2), values(n, 3, 5), values(n, 5)];
    const u = values(Math.max(1, dynamics.actuators), 4, 20);
    const expected = [0, 1, 2].map(() => new Float64Array(n));
    dynamics.update(q, qd);
    const given = u.slice(0, dynamics.actuators);
    const [frame, wrench] = [robot.frames.length - 1, values(6, 2, 300)];
    expect(dynamics.newtonStep(RATE, ACCELERATION, qdd, given, residual, expected[0]!)).toBe(KG_OK);
    const [, inWorld, inFrame] = expected as [Float64Array, Float64Array, Float64Array];
    expect(dynamics.newtonStepExternal(RATE, 100, frame, qdd, given, wrench, residual, inWorld)).toBe(KG_OK);
    expect(dynamics.newtonStepExternalInFrame(RATE, 100, frame, qdd, given, wrench, residual, inFrame)).toBe(KG_OK);
    const kept = new Float64Array(n);
    expect(dynamics.newtonFactor(RATE, ACCELERATION, qdd, given)).toBe(KG_OK);
    dynamics.update(qd, q);
    expect(dynamics.newtonSolve(residual, kept)).toBe(KG_OK);
    expected.push(kept);
    const generated = await generateC(robot, compiled);
    const name = generated.find(({ path }) => path.endsWith('_rosenbrock.h'))!.path.replace('_rosenbrock.h', '');
    const text = `
#include <stdio.h>
#include "${name}.h"
int main(void)
{
  static ${name}_workspace w;
  kg_real q[] = ${list(q)}, qd[] = ${list(qd)}, qdd[] = ${list(qdd)}, u[] = ${list(u)}, r[] = ${list(residual)};
  kg_real f[] = ${list(wrench)}, x[${4 * n}];
  int i, status = (int)${name}_update(&w, &${name}_defaults, q, qd);
  status += (int)${name}_newton_step(&w, ${RATE}, ${ACCELERATION}, qdd, u, r, x);
  status += (int)${name}_newton_step_external(&w, ${RATE}, 100, ${frame}, qdd, u, f, r, x + ${n});
  status += (int)${name}_newton_step_external_in_frame(&w, ${RATE}, 100, ${frame}, qdd, u, f, r, x + ${2 * n});
  status += (int)${name}_newton_solve(&w, r, x) == (int)KG_NO_STATE ? 0 : 1;
  status += (int)${name}_newton_factor(&w, ${RATE}, ${ACCELERATION}, qdd, u);
  status += (int)${name}_update(&w, &${name}_defaults, qd, q);
  status += (int)${name}_newton_solve(&w, r, x + ${3 * n});
  for (i = 0; i < ${4 * n}; i++)
    printf("%.17g ", x[i]);
  printf("%d\\n", status);
  return 0;
}
`;
    const files = [...generated, { path: 'step.c', text }];
    const program = await buildC(files, QUICK, (path) => path.endsWith('_selftest.c'));
    const printed = (await runProgram(program).finally(() => program.dispose())).trim().split(' ').map(Number);
    expect(printed.pop()).toBe(KG_OK);
    expect(printed).toEqual(expected.flatMap((own) => [...own]));
  });
});
