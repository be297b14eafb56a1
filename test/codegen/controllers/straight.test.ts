/** Controllers over straight-line functions: the same inputs as by the functions of the driver, at what they cost less. */
import { Matrix, solve } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../../src/codegen/c/build-c.ts';
import { generateC } from '../../../src/codegen/c/c.ts';
import { robotCallCosts } from '../../../src/codegen/controllers/call-costs.ts';
import { controllersOf } from '../../../src/codegen/controllers/controller-model.ts';
import { robotModel } from '../../../src/codegen/modules/robot-model.ts';
import { operationsInAll } from '../../../src/codegen/printing/cost-text.ts';
import { addCounts } from '../../../src/codegen/programs/statement.ts';
import { loadGenerated, type LoadedRobot } from '../../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../../src/codegen/typescript/typescript.ts';
import { loadRobotFile, loadRobotObject } from '../../../src/description/load.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { KG_NO_STATE, KG_NON_FINITE, KG_OK, KG_OUT_OF_RANGE } from '../../../src/runtime/driver.ts';
import { COMPILERS } from '../../compilers.ts';

/** Springs, dampers, a load that is known at run time only, and as many actuators as coordinates, none of them a motor alone. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'crane',
  parameters: { load: { value: '0.7 kg', runtime: true, min: '0 kg', max: '2 kg' } },
  links: [
    {
      name: 'turn',
      joint: { revolute: 'x', damping: '0.02 N m s/rad' },
      rigid: {
        mass: '0.4 kg',
        com: [0.01, '-0.02 m', 0.03],
        inertia: { xx: '1e-3 kg m^2', yy: '2e-3 kg m^2', zz: '1.5e-3 kg m^2', xy: '1e-4 kg m^2' },
        distal: { xyz: ['0.01 m', '0.02 m', '0.05 m'] },
      },
    },
    { name: 'seg', body: 'planar-cc', parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' } },
    {
      name: 'slide',
      joint: { prismatic: [0.6, 0, 0.8], stiffness: '30 N/m', damping: '0.1 N s/m' },
      rigid: { mass: 'load', com: ['0.02 m', '0.01 m', 0] },
    },
  ],
  actuators: {
    one: { along: '2*turn.angle + seg.q', unit: 'rad' },
    two: { along: 'seg.q - 0.3*turn.angle^2', unit: 'rad' },
    three: { along: 'slide.displacement + 0.01*sin(seg.q)*slide.displacement', unit: 'm' },
  },
  controllers: {
    track: { 'computed-torque': { kp: 40, kd: 9 } },
    hold: { pd: { kp: 2, kd: 0.2 } },
    feed: { 'feed-forward': {} },
    lead: { 'partial-feedback-linearisation': { outputs: ['three', 'one'], kp: 25, kd: [8, 9] } },
  },
});
const compiled = compileRobot(robot);
const controllers = controllersOf(robotModel(robot, compiled));
const create = await loadGenerated(await generateTypeScript(robot, compiled));
const COMPILER = COMPILERS.find(({ missing }) => !missing);
const N = 3;

const numbers = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));
const zeros = (count = N): Float64Array => new Float64Array(count);

/** Every limit out of the way. */
function stepOf(dynamics: LoadedRobot, name: string) {
  const controller = dynamics.controllers.get(`crane_${name}`)!;
  const parameters = controller.createParameters();
  (parameters['lower'] as Float64Array).fill(-1e9);
  (parameters['upper'] as Float64Array).fill(1e9);
  const state = controller.createState();
  return (q: readonly number[], qd: readonly number[], [y, yd, ydd]: readonly (readonly number[])[]) => {
    const u = zeros();
    const status = controller.step(dynamics, state, parameters, q, qd, y!, yd!, ydd!, u);
    return { status, u: [...u] };
  };
}

/** The forces that a law asks for, by the driver, and where B is taken. */
const LAWS: Record<string, (dynamics: LoadedRobot, s: State) => { due: number[]; at: readonly number[] }> = {
  track: (dynamics, { q, qd, y, yd, ydd }) => {
    const v = q.map((own, i) => ydd[i]! + 9 * (yd[i]! - qd[i]!) + 40 * (y[i]! - own));
    const tau = zeros();
    expect([dynamics.update(q, qd), dynamics.activeInverseDynamics(v, tau)]).toEqual([KG_OK, KG_OK]);
    return { due: [...tau], at: q };
  },
  hold: (dynamics, { q, qd, y, yd }) => {
    const held = statics(dynamics, y);
    return { due: held.map((own, i) => own + 2 * (y[i]! - q[i]!) + 0.2 * (yd[i]! - qd[i]!)), at: q };
  },
  feed: (dynamics, { y }) => ({ due: statics(dynamics, y), at: y }),
};

interface State {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly y: readonly number[];
  readonly yd: readonly number[];
  readonly ydd: readonly number[];
}

function statics(dynamics: LoadedRobot, y: readonly number[]): number[] {
  const [g, elastic] = [zeros(), zeros()];
  dynamics.update(y, zeros());
  dynamics.terms(null, g, elastic, null);
  return [...g].map((own, i) => own + elastic[i]!);
}

function matrixB(dynamics: LoadedRobot, at: readonly number[]): Matrix {
  const B = zeros(N * N);
  dynamics.update(at, zeros());
  dynamics.actuation(null, null, null, B);
  return Matrix.from1DArray(N, N, [...B]);
}

function states(): State[] {
  return Array.from({ length: 10 }, (_, k) => ({
    q: numbers(N, k, 0.4),
    qd: numbers(N, 2 * k + 1, 2),
    y: numbers(N, 3 * k + 2, 0.3),
    yd: numbers(N, 5 * k),
    ydd: numbers(N, 7 * k, 3),
  }));
}

/** Gravity where the robot file has none, and another load. */
function elsewhere(): LoadedRobot {
  const dynamics = create();
  dynamics.parameters.gravity.set([2, -3, -5]);
  dynamics.parameters['load'] = 1.9;
  return dynamics;
}

describe.each([
  ['as the file has it', create],
  ['with gravity and load changed at run time', elsewhere],
])('%s', (_, made) => {
  it.each(Object.keys(LAWS))('%s demands what the driver says', (name) => {
    const dynamics = made();
    for (const s of states()) {
      const { status, u } = stepOf(dynamics, name)(s.q, s.qd, [s.y, s.yd, s.ydd]);
      expect(status).toBe(KG_OK);
      const { due, at } = LAWS[name]!(dynamics, s);
      const wanted = solve(matrixB(dynamics, at), Matrix.columnVector(due)).to1DArray();
      const scale = Math.max(...wanted.map(Math.abs));
      u.forEach((own, i) => expect(Math.abs(own - wanted[i]!)).toBeLessThan(1e-11 * scale));
    }
  });

  it('lead has its outputs accelerate as it says', () => {
    const dynamics = made();
    for (const { q, qd, y, yd, ydd } of states()) {
      const { status, u } = stepOf(dynamics, 'lead')(q, qd, [y.slice(1), yd.slice(1), ydd.slice(1)]);
      expect(status).toBe(KG_OK);
      expect(u[1]).toBe(0);
      const [own, rates, drift, B] = [zeros(), zeros(), zeros(), zeros(N * N)];
      const [tau, qdd] = [zeros(), zeros()];
      dynamics.update(q, qd);
      dynamics.actuation(own, rates, drift, B);
      dynamics.actuate(u, tau);
      dynamics.forwardDynamics(tau, qdd);
      [2, 0].forEach((j, i) => {
        const v = ydd[i + 1]! + [8, 9][i]! * (yd[i + 1]! - rates[j]!) + 25 * (y[i + 1]! - own[j]!);
        const found = [...qdd].reduce((sum, a, k) => sum + B[N * k + j]! * a, drift[j]!);
        expect(Math.abs(found - v)).toBeLessThan(
          1e-9 * (Math.abs(v) + Math.abs(found) + Math.max(...qdd.map(Math.abs))),
        );
      });
    }
  });
});

describe('what a step reads', () => {
  it('is the same of a twin, parameters included', () => {
    const dynamics = elsewhere();
    const [{ q, qd, y, yd, ydd }] = states() as [State];
    const own = stepOf(dynamics, 'track')(q, qd, [y, yd, ydd]);
    const { controllers: loaded } = dynamics;
    const twin = { ...dynamics.twin(), controllers: loaded } as LoadedRobot;
    expect(stepOf(twin, 'track')(q, qd, [y, yd, ydd])).toEqual(own);
    expect(own).not.toEqual(stepOf(create(), 'track')(q, qd, [y, yd, ydd]));
  });

  it('of the robot is its parameters alone: nothing is staged', () => {
    for (const { camel } of controllers) {
      const dynamics = create();
      const [s] = states();
      expect(stepOf(dynamics, camel)(s!.q, s!.qd, [s!.y, s!.yd, s!.ydd]).status).toBe(KG_OK);
      expect(dynamics.inverseDynamics(s!.ydd, zeros())).toBe(KG_NO_STATE);
    }
  });

  it.each([
    [NaN, KG_NON_FINITE],
    [2.5, KG_OUT_OF_RANGE],
  ])('refuses a load of %d', (load, due) => {
    for (const { camel } of controllers) {
      const dynamics = create();
      dynamics.parameters['load'] = load;
      const [s] = states();
      const { status, u } = stepOf(dynamics, camel)(s!.q, s!.qd, [s!.y, s!.yd, s!.ydd]);
      expect(status).toBe(due);
      expect(u).toEqual([0, 0, 0]);
    }
  });
});

const functionsOf = ({ straight, shared }: (typeof controllers)[number]) => [
  ...(straight?.functions ?? []),
  ...(shared?.functions ?? []),
];

it('stand once where several controllers call them, in both languages', async () => {
  const files = [...(await generateC(robot, compiled)), ...(await generateTypeScript(robot, compiled))];
  const gravity = controllers.filter((own) => functionsOf(own).some(({ name }) => name === 'gravity'));
  expect(gravity.length).toBeGreaterThan(1);
  const defined = (pattern: RegExp): string[] =>
    files.filter(({ path, text }) => !/(^|_)link_/.test(path) && pattern.test(text)).map((file) => file.path);
  expect(defined(/^kg_status crane_shared_functions_gravity\([^;]*$/m)).toEqual(['crane_shared_functions.c']);
  expect(defined(/^export function gravity\(/m)).toEqual(['crane_shared_functions.ts']);
  expect(defined(/^(static kg_status straight_gravity|function straightGravity)\(/m)).toEqual([]);
});

it('costs what its functions cost and what the law adds, and less than over the driver', () => {
  const calls = robotCallCosts(robotModel(robot, compiled));
  expect(controllers.map(({ straight, shared }) => (straight ?? shared) !== undefined)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  const [track] = controllers;
  const functions = operationsInAll(addCounts(functionsOf(track!).map(({ program }) => program.counts)));
  const called = ['robot.update', 'robot.activeInverseDynamics'].map((name) => calls(name, [], []));
  expect(operationsInAll(track!.cost)).toBeGreaterThan(functions);
  expect(functions).toBeLessThan(operationsInAll(addCounts(called)));
});

it('costs at most 1.3 times inverse dynamics, for computed torque of a UR10e', () => {
  const arm = loadRobotFile('examples/scenarios/ur10e-motors.robot.yaml');
  const own = controllersOf(robotModel(arm, compileRobot(arm))).find(({ camel }) => camel === 'track')!;
  const { program } = own.straight!.functions.find(({ name }) => name === 'inverseDynamics')!;
  const inverse = operationsInAll(program.counts);
  expect(inverse).toBeGreaterThan(250);
  expect(operationsInAll(own.cost)).toBeLessThan(1.3 * inverse);
});

it('is left to the driver where the forces are sums over points', () => {
  const rod = loadRobotObject({
    kanegen: 1,
    name: 'rod',
    links: [
      {
        name: 'seg',
        body: 'gvs-legendre',
        parameters: { L: '0.2 m', R: '10 mm', rho: '1000 kg/m^3' },
      },
    ],
    actuators: { pull: { along: 'seg.a1', unit: 'rad' } },
    controllers: { lead: { 'partial-feedback-linearisation': { kp: 1, kd: 1 } } },
  });
  const [lead] = controllersOf(robotModel(rod, compileRobot(rod)));
  expect(lead!.straight).toBeUndefined();
  expect(lead!.text).toContain('robot.update(');
});

it.skipIf(!COMPILER)('has the same bits in C, where there needs no workspace', async () => {
  const all = states();
  const calls = controllers.map(({ name }, k) => {
    const given = all.map(({ q, qd, y, yd, ydd }) => `{${[q, qd, y, yd, ydd].flat().join(', ')}}`).join(',\n');
    return `{
      static const kg_real given[${all.length}][15] = {${given}};
      ${name}_parameters gains = ${name}_defaults;
      ${name}_state state;
      int i;
      for (i = 0; i < 3; i++) { gains.lower[i] = -1e9; gains.upper[i] = 1e9; }
      ${name}_reset(&state);
      for (i = 0; i < ${all.length}; i++) {
        kg_real u[3];
        const kg_real *s = given[i];
        const int status = ${name}_step(NULL, &crane_defaults, &state, &gains, s, s + 3, s + 6 + ${k === 3 ? 1 : 0}, s + 9 + ${k === 3 ? 1 : 0}, s + 12 + ${k === 3 ? 1 : 0}, u);
        printf("%d %.17g %.17g %.17g\\n", status, u[0], u[1], u[2]);
      }
    }`;
  });
  const main = `${controllers.map(({ name }) => `#include "${name}.h"`).join('\n')}\n#include <stdio.h>\nint main(void)\n{\n${calls.join('\n')}\n  return 0;\n}\n`;
  const program = await buildC(
    [...(await generateC(robot, compiled)), { path: 'steps.c', text: main }],
    { compiler: COMPILER!.compiler, flags: ['-O2', '-Wall', '-Wextra', '-Werror', '-pedantic'] },
    (path) => path.endsWith('_selftest.c'),
  );
  try {
    const lines = (await runProgram(program)).trim().split('\n');
    const dynamics = create();
    const due = controllers.flatMap(({ camel }) => {
      const step = stepOf(dynamics, camel);
      return all.map(({ q, qd, y, yd, ydd }) => {
        const from = camel === 'lead' ? 1 : 0;
        const { status, u } = step(q, qd, [y.slice(from), yd.slice(from), ydd.slice(from)]);
        return [status, ...u];
      });
    });
    expect(lines.map((line) => line.split(' ').map(Number))).toEqual(due);
  } finally {
    await program.dispose();
  }
});
