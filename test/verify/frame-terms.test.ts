/**
 * Actuators that reach from link to link: wrenches against Jacobians; second derivatives against difference quotients of the
 * first. Tendons in straight pieces against reference data: reference-actuators.test.ts.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/generated/evaluation.ts';
import { ACTUATION, checkActuation } from '../../src/verify/laws/actuation-check.ts';
import { Ledger } from '../../src/verify/laws/ledger.ts';
import { isInstalled } from '../compilers.ts';

interface ReferenceState {
  readonly name: string;
  readonly q: number[];
  readonly qd: number[];
}
const file = new URL('../reference/forces/T_hybrid.json', import.meta.url);
const { states } = JSON.parse(readFileSync(file, 'utf8')) as { states: ReferenceState[] };

/** The robot of the reference: tendons from rigid links and the base through a soft body, and beside it. */
const HYBRID = `
kanegen: 1
name: hybrid
gravity: [0, 0, 9.81]
links:
  - name: bracket
    joint: { revolute: y }
    rigid: { mass: 0.4, com: [0, 0, 0.02], inertia: { xx: 0.001, yy: 0.001, zz: 0.0005 }, distal: { xyz: [0.02, -0.01, 0.06] } }
  - { name: soft, body: pcc-3d, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: grip, rigid: { mass: 0.4, com: [0, 0, 0.02], inertia: { xx: 0.001, yy: 0.001, zz: 0.0005 }, distal: { xyz: [0, 0, 0.1] } } }
frames: { tool: { on: grip, offset: { xyz: [0.01, 0.02, 0.03], rpy: [0.3, -0.2, 0.5] } } }
actuators:
  mount_in: { tendon: { path: [ { on: bracket, frame: proximal, at: [0.03, 0.005, 0.02] }, { on: bracket, at: [0.016, 0, 0] } ] } }
  mount_out: { tendon: { path: [ { on: soft, at: [0.016, 0, 0] }, { on: grip, frame: proximal, at: [0.02, 0.004, 0.05] } ] } }
  base_in: { tendon: { path: [ { on: base, at: [0.05, -0.02, -0.03] }, { on: bracket, at: [-0.01, 0.012, 0] } ] } }
  base_out: { tendon: { path: [ { on: soft, at: [-0.01, 0.012, 0] }, { on: grip, at: [-0.015, 0.02, 0.08] } ] } }
  outside:
    tendon:
      path:
        - { on: base, at: [0.05, -0.02, -0.03] }
        - { on: bracket, at: [0.03, 0.005, 0.02] }
        - { on: grip, frame: proximal, at: [0.02, 0.004, 0.05] }
  whole:
    tendon:
      path:
        - { on: bracket, frame: proximal, at: [0.03, 0.005, 0.02] }
        - { through: soft, route: { x: 0.016, y: 0 } }
        - { on: grip, frame: proximal, at: [0.02, 0.004, 0.05] }
  lift: { wrench: { on: tool, axes: world, force: [0, 0.6, 0.8] } }
  wind: { wrench: { on: tool, at: [0, 0, 0.1], axes: world, moment: -x } }
  thrust: { wrench: { on: tool, force: z } }
  twist: { wrench: { on: soft, moment: y } }
  hold: { wrench: { on: base, axes: world, force: x } }
`;

const NAMES = [
  'mount_in',
  'mount_out',
  'base_in',
  'base_out',
  'outside',
  'whole',
  'lift',
  'wind',
  'thrust',
  'twist',
  'hold',
];
const N = 4;
const NU = NAMES.length;

interface Actuation {
  readonly y: readonly number[];
  readonly yd: readonly number[];
  readonly ydd0: readonly number[];
  readonly B: readonly (readonly number[])[];
  readonly actuation: readonly number[];
}

const u = NAMES.map((_, j) => 10 * Math.sin(2.1 * j + 1));
const described = loadRobotText(HYBRID, 'hybrid.robot.yaml');
const compiled = compileRobot(described);
let robot: LoadedRobot;
let evaluated: Readonly<Record<'ts' | 'c', readonly Actuation[]>>;

function expectClose(found: ArrayLike<number>, expected: readonly number[], tolerance = 1e-13): void {
  expect(found).toHaveLength(expected.length);
  const scale = Math.max(1, ...expected.map(Math.abs));
  expected.forEach((value, i) => expect(Math.abs(found[i]! - value), `entry ${i}`).toBeLessThan(tolerance * scale));
}

beforeAll(async () => {
  robot = (await loadGenerated(await generateTypeScript(described, compiled)))();
  const all = states.map(({ q, qd }) => ({ q, qd, qdd: [0, 0, 0, 0], u }));
  const run = async (target: 'ts' | 'c') =>
    (await evaluateRobot(described, compiled, all, { target, precision: 'double' })) as unknown as Actuation[];
  evaluated = { ts: await run('ts'), c: isInstalled('cc') ? await run('c') : [] };
});

const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);

describe.each(targets)('actuators between links (%s)', (target) => {
  it('have forces B u without B', () => {
    for (const { B, actuation } of evaluated[target])
      expectClose(
        actuation,
        B.map((row) => row.reduce((sum, b, j) => sum + b * u[j]!, 0)),
      );
  });
});

describe('wrenches', () => {
  /** The frame, the point in it, the axes, moment and force. */
  const WRENCHES = [
    { index: 6, frame: 'tool', at: [0, 0, 0], world: true, unit: [0, 0, 0, 0, 0.6, 0.8] },
    { index: 7, frame: 'tool', at: [0, 0, 0.1], world: true, unit: [-1, 0, 0, 0, 0, 0] },
    { index: 8, frame: 'tool', at: [0, 0, 0], world: false, unit: [0, 0, 0, 0, 0, 1] },
    { index: 9, frame: 'soft', at: [0, 0, 0], world: false, unit: [0, 1, 0, 0, 0, 0] },
  ];

  it('do work by the Jacobians of their frames', () => {
    states.forEach(({ q, qd }, s) => {
      robot.update(q, qd);
      const { B, y, yd } = evaluated.ts[s]!;
      for (const { index, frame, unit, world } of WRENCHES) {
        const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(6 * N)];
        robot.frame(
          described.frames.findIndex(({ name }) => name === frame),
          R,
          t,
          J,
        );
        const turned = world
          ? unit
          : unit.map((_, i) => [0, 1, 2].reduce((sum, k) => sum + R[3 * (i % 3) + k]! * unit[i - (i % 3) + k]!, 0));
        const expected = q.map((_, a) => turned.reduce((sum, w, row) => sum + w * J[row * N + a]!, 0));
        expectClose(
          B.map((row) => row[index]!),
          expected,
        );
        expectClose([yd[index]!], [expected.reduce((sum, b, a) => sum + b * qd[a]!, 0)]);
        const isPlace = world && unit[0] === 0;
        expectClose([y[index]!], [isPlace ? 0.6 * t[1]! + 0.8 * t[2]! : 0]);
      }
      expect(B.map((row) => row[10])).toEqual([0, 0, 0, 0]);
      expect([y[10], yd[10]]).toEqual([0, 0]);
    });
  });
});

describe('the independent check', () => {
  type Result = Evaluation & Pick<Actuation, 'y' | 'yd' | 'ydd0' | 'B'>;
  /** Of one actuator alone, whose results are `changed`. */
  const outcomes = (name: string, changed: (own: Actuation) => Partial<Actuation> = () => ({})): string[] => {
    const j = NAMES.indexOf(name);
    const found = evaluated.ts.map(({ y, yd, ydd0, B, ...rest }) => {
      const own = { ...rest, y: [y[j]!], yd: [yd[j]!], ydd0: [ydd0[j]!], B: B.map((row) => [row[j]!]) };
      return { ...own, ...changed(own) } as unknown as Result;
    });
    const ledger = new Ledger();
    const alone = { ...described, actuators: [described.actuators[j]!] };
    const named = states.map((state) => ({ ...state, qdd: [0, 0, 0, 0] }));
    checkActuation(ledger, alone, named.slice(0, 1), found.slice(0, 1), (work) => work());
    return ledger
      .checks()
      .filter((check) => check.name !== ACTUATION.forces && !check.passed)
      .map((check) => check.name);
  };

  it.each(NAMES)('passes %s', (name) => {
    expect(outcomes(name)).toEqual([]);
  });

  const slightly = (list: readonly number[]): number[] => list.map((x) => x * (1 + 1e-9) + 1e-9);
  it.each(['outside', 'lift', 'wind', 'thrust', 'twist'])('notices errors of %s', (name) => {
    const change = ({ y, yd, B }: Actuation) => ({ y: slightly(y), yd: slightly(yd), B: B.map(slightly) });
    expect(outcomes(name, change)).toEqual([ACTUATION.coordinates, ACTUATION.rates, ACTUATION.gradients]);
    expect(outcomes(name, ({ ydd0 }) => ({ ydd0: slightly(ydd0) }))).toEqual([ACTUATION.rates]);
  });
});

describe('second derivatives', () => {
  const WEIGHTS = [-1 / 60, 3 / 20, -3 / 4, 0, 3 / 4, -3 / 20, 1 / 60];
  const STEP = 5e-3;

  it('are the rates of rates where coordinates do not accelerate', () => {
    states.forEach(({ q, qd }, s) => {
      const sum = new Float64Array(NU);
      WEIGHTS.forEach((weight, k) => {
        robot.update(
          q.map((value, a) => value + (k - 3) * STEP * qd[a]!),
          qd,
        );
        const yd = new Float64Array(NU);
        robot.actuation(null, yd, null, null);
        yd.forEach((value, j) => (sum[j] = sum[j]! + (weight * value) / STEP));
      });
      expectClose(evaluated.ts[s]!.ydd0, [...sum], 1e-9);
    });
  });
});
