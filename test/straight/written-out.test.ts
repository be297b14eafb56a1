/** Bodies without closed forms in straight-line functions, their sums written out: what the driver computes in loops. */
import { beforeAll, describe, expect, it } from 'vitest';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { evaluateRobot, termFunctions, type Evaluation } from '../../src/verify/generated/evaluation.ts';
import { buildQuickly, isInstalled } from '../compilers.ts';

buildQuickly();

const around = (body: string): Robot =>
  loadRobotText(
    `kanegen: 1
name: summed
body-types: { own: ${body} }
links:
  - { name: a, joint: { revolute: [0, 0.6, 0.8] }, body: own }
  - { name: tip, joint: { revolute: y }, rigid: { mass: 0.1, com: [0, 0.01, 0.02], inertia: { xx: 1e-4, yy: 2e-4, zz: 1e-4 } } }
actuators: { pull: { tendon: { path: [ { on: base, at: [0.1, 0, 0] }, { on: tip, at: [0.02, 0, 0] } ] } } }
`,
    'summed.robot.yaml',
  );

/** Four points along a rod are few: functions that differed by more than rounding would show. */
const ROD = `
  parameters: { L: 0.3 m, R: 0.015 m, rho: 1000 kg/m^3 }
  coordinates: { q: { count: 2, unit: rad } }
  volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
  strain: { bend-y: (q1 + q2*s/L)/L }
  material: { rod-elasticity: { E: 1 MPa, nu: 0.5 }, viscosity: 50 Pa s }
  integration: { points: 4, magnus: 4 }`;
const BOX = `
  parameters: { L: 0.15 m, w: 0.02 m, rho: 1000 kg/m^3 }
  coordinates: { q: { count: 2, unit: rad } }
  volume: { box: { x: [-w, w], y: [-w, w], z: [0, L] }, density: rho }
  position: [ "x*exp(0.3*q1*z/L) + q1*z^2/L", "y + q2*z^2/L + L*0.1*sin(q1*q2*z/L)", "z*(1 - 0.2*q1^2) + 0.1*q2*x" ]
  distal: { pose: { xyz: [ q1*L, q2*L + 0.1*L*sin(q1*q2), L*(1 - 0.2*q1^2) ], rpy: [0, q1, 0] } }
  integration: { tolerance: 1e-3 }`;
const flow = (block: string): string => `{${block.trim().replace(/\n\s*/g, ', ')} }`;

const numbers = (n: number, k: number): number[] =>
  Array.from({ length: n }, (_, i) => 0.4 * Math.sin(1 + 1.7 * i + k));
const states = [0, 1].map((k) => ({ q: numbers(4, k), qd: numbers(4, k + 5), qdd: numbers(4, k + 9), u: [3] }));

function close(found: readonly number[], due: readonly number[], what: string, digits = 1e-13): void {
  const largest = Math.max(...due.map(Math.abs));
  found.forEach((x, i) => expect(Math.abs(x - due[i]!), `${what} ${i}`).toBeLessThanOrEqual(digits * largest));
}

describe.each([
  ['points along a rod', ROD],
  ['points of a volume', BOX],
] as const)('sums over %s, written out', (_, block) => {
  let robot: Robot;
  let compiled: CompiledRobot;
  let straight: StraightRobot;
  let due: readonly Evaluation[];
  beforeAll(async () => {
    robot = around(flow(block));
    compiled = compileRobot(robot);
    straight = compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });
    due = await evaluateRobot(robot, compiled, states, { target: 'ts', precision: 'double' });
  });

  it.each(['ts', 'c'] as const)('are what the driver has: %s', async (target) => {
    if (target === 'c' && !isInstalled('cc')) return;
    const found = await evaluateRobot(robot, compiled, states, { target, precision: 'double', straight });
    found.forEach((own, i) => {
      for (const key of ['tau', 'g', 'elastic', 'damping', 'actuation'] as const) close(own[key]!, due[i]![key]!, key);
      own.M.forEach((row, a) => close(row, due[i]!.M[a]!, `M[${a}]`));
    });
  });

  it('have derivatives of the forces as they are computed', () => {
    const differentiated = compileStraight(robot, {
      functions: ['inverseDynamics', 'inverseDynamicsDerivatives'],
      count: generatedCost,
    });
    const { q, qd, qdd } = differentiated.inputs;
    const [tau, byPosition, byVelocity] = differentiated.functions
      .flatMap(({ outputs }) => outputs)
      .map(({ values }) => values) as [readonly Expr[], readonly Expr[], readonly Expr[]];
    const at = (values: readonly Expr[], moved?: { of: 'q' | 'qd'; index: number; by: number }): number[] => {
      const bindings = new Map<Expr, number>();
      const state = states[0]!;
      const bind = (symbols: readonly Expr[], from: readonly number[], name: string): void =>
        symbols.forEach((s, i) => bindings.set(s, from[i]! + (moved?.of === name && moved.index === i ? moved.by : 0)));
      bind(q, state.q, 'q');
      bind(qd, state.qd, 'qd');
      bind(qdd, state.qdd, 'qdd');
      return evaluate(values, bindings);
    };
    const h = 1e-3;
    for (const [of, derivatives] of [
      ['q', at(byPosition)],
      ['qd', at(byVelocity)],
    ] as const) {
      const columns = q.map((_s, index) => {
        const [a2, a1, b1, b2] = [2, 1, -1, -2].map((k) => at(tau, { of, index, by: k * h })) as [
          ...[number[], number[], number[], number[]],
        ];
        return a1.map((x, a) => (8 * (x - b1[a]!) - (a2[a]! - b2[a]!)) / (12 * h));
      });
      const quotients = columns.flatMap((_, a) => columns.map((column) => column[a]!));
      close(derivatives, quotients, `by ${of}`, 1e-9);
    }
  });
});

describe('bodies whose sums are too many to be written out', () => {
  it('say how large that would be', () => {
    let error: unknown;
    try {
      compileStraight(around(flow(ROD)), { count: generatedCost, mostOperations: 500 });
    } catch (caught) {
      error = caught;
    }
    expect(error).toBeInstanceOf(KanegenError);
    expect(error).toMatchObject({ code: 'too-large', location: { line: 3 } });
    expect((error as KanegenError).message).toMatch(
      /4 points of own, written out, take [\d,]+ operations .* limit of 500/,
    );
  });
});
