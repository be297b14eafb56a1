/**
 * Controllers in closed loop: what their equations promise, and the C that was translated from them against the
 * TypeScript. The plant is the robot's TypeScript; the C answers call by call.
 */
import { readFileSync } from 'node:fs';
import { Matrix, determinant } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { robotCallCosts } from '../../../src/codegen/controllers/call-costs.ts';
import { controllersOf } from '../../../src/codegen/controllers/controller-model.ts';
import { robotModel } from '../../../src/codegen/modules/robot-model.ts';
import { grouped, operationsInAll } from '../../../src/codegen/printing/cost-text.ts';
import { KG_OK, KG_SINGULAR } from '../../../src/runtime/driver.ts';
import { equilibrium } from '../../../src/simulation/equilibria/statics.ts';
import { poseLogarithm } from '../../../src/runtime/control.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import { arm, soft } from './controlled-robots.ts';
import {
  COMPILER,
  inC,
  inTypeScript,
  numbers,
  prepare,
  type Controller,
  type Prepared,
  type Reference,
} from './controllers-at-work.ts';
import type { OperationCounts } from '../../../src/codegen/operations/operation-counts.ts';

const armInC = inC(() => arm, { track: [6, 6, 6], reach: [12, 6, 0], soft: [12, 6, 0] });
const softInC = inC(() => soft, { both: [2, 2, 2], feed: [4, 4, 4], part: [4, 4, 4] });

/** Runge and Kutta's method over steps of time h, with the controller at work all the time; states after each step. */
async function run(
  { robot, dynamics }: Prepared,
  controller: Controller,
  reference: (t: number) => Reference,
  start: readonly number[],
  { steps, h }: { readonly steps: number; readonly h: number },
): Promise<number[][]> {
  const n = robot.coordinates.length;
  const [tau, qdd] = [new Float64Array(n), new Float64Array(n)];
  const rate = async (t: number, x: readonly number[]): Promise<number[]> => {
    const [q, qd] = [x.slice(0, n), x.slice(n)];
    const { status, u } = await controller(q, qd, reference(t));
    expect(status).toBe(KG_OK);
    tau.fill(0);
    expect([dynamics.update(q, qd), dynamics.actuate(u, tau), dynamics.forwardDynamics(tau, qdd)]).toEqual([0, 0, 0]);
    return [...qd, ...qdd];
  };
  const plus = (x: readonly number[], by: number, d: readonly number[]): number[] => x.map((v, i) => v + by * d[i]!);
  const states = [[...start]];
  for (let k = 0; k < steps; k++) {
    const [t, x] = [k * h, states[k]!];
    const k1 = await rate(t, x);
    const k2 = await rate(t + h / 2, plus(x, h / 2, k1));
    const k3 = await rate(t + h / 2, plus(x, h / 2, k2));
    const k4 = await rate(t + h, plus(x, h, k3));
    states.push(x.map((v, i) => v + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!)));
  }
  return states;
}

const sway = (t: number): Reference => ({
  y: numbers(6, 0.3, 0.5).map((a, i) => a * Math.sin(2 * t + i)),
  yd: numbers(6, 0.3, 0.5).map((a, i) => 2 * a * Math.cos(2 * t + i)),
  ydd: numbers(6, 0.3, 0.5).map((a, i) => -4 * a * Math.sin(2 * t + i)),
});
const apart = (states: readonly number[][], others: readonly number[][]): number =>
  Math.max(...states.flatMap((x, k) => x.map((v, i) => Math.abs(v - others[k]![i]!))));

describe('computed torque', () => {
  const kick = [0.02, -0.01, 0.03, 0.01, -0.02, 0.01];
  const start = [...sway(0).y.map((v, i) => v + kick[i]!), ...sway(0).yd];
  const options = { steps: 60, h: 1 / 512 };

  it('has errors that decay as its gains say: e (1 + w t) exp(-w t) at critical damping', async () => {
    const states = await run(arm, inTypeScript(arm, 'track'), sway, start, options);
    states.forEach((x, k) => {
      const t = k * options.h;
      sway(t).y.forEach((y, i) => {
        const due = kick[i]! * (1 + 20 * t) * Math.exp(-20 * t);
        expect(Math.abs(x[i]! - y - due)).toBeLessThan(1e-8);
      });
    });
  });

  it.skipIf(!COMPILER)('leads the robot the same way in C', async () => {
    const step = await armInC('track');
    const states = await run(arm, step, sway, start, options);
    expect(apart(states, await run(arm, inTypeScript(arm, 'track'), sway, start, options))).toBeLessThan(1e-9);
  });
});

describe('PD with compensation', () => {
  it('holds the reference without error and without rate, by exactly what statics takes', async () => {
    const q = numbers(6, 1);
    const rest = numbers(6, 0, 0);
    const { u } = await inTypeScript(arm, 'hold')(q, rest, { y: q, yd: rest, ydd: rest });
    const g = new Float64Array(6);
    arm.dynamics.gravityAt(q, g);
    u.forEach((value, i) => expect(value).toBeCloseTo(g[i]!, 12));
  });

  it.each(['near', 'part'])('takes the nearest forces that its actuators can bring: %s', async (name) => {
    const n = soft.robot.coordinates.length;
    const [q, qd] = [numbers(n, 1, 0.4), numbers(n, 2, 0.3)];
    const y = numbers(n, 3, 0.5);
    const [by, held] = name === 'near' ? [[0, 1, 2], y] : [[2, 0], q];
    const controller = soft.dynamics.controllers.get(`soft_${name}`)!;
    const parameters = controller.createParameters();
    (parameters['lower'] as Float64Array).fill(-1e9);
    const u = new Float64Array(3);
    const rest = numbers(n, 0, 0);
    expect(controller.step(soft.dynamics, controller.createState(), parameters, q, qd, y, rest, rest, u)).toBe(KG_OK);
    const [g, elastic, B] = [new Float64Array(n), new Float64Array(n), new Float64Array(3 * n)];
    soft.dynamics.update(held, rest);
    soft.dynamics.terms(null, g, elastic, null);
    soft.dynamics.update(q, qd);
    soft.dynamics.actuation(null, null, null, B);
    const missing = q.map((own, i) => {
      const due = 2 * (y[i]! - own) - 0.2 * qd[i]! + g[i]! + elastic[i]!;
      return due - [0, 1, 2].reduce((sum, k) => sum + B[3 * i + k]! * u[k]!, 0);
    });
    // What is missing is orthogonal to what any input would bring.
    const size = Math.hypot(...missing);
    expect(size).toBeGreaterThan(0.01);
    for (const k of by)
      expect(Math.abs(missing.reduce((sum, m, i) => sum + m * B[3 * i + k]!, 0))).toBeLessThan(1e-10 * size);
    u.forEach((value, k) => expect(value === 0).toBe(!by.includes(k)));
  });
});

describe('partial feedback linearisation', () => {
  const n = soft.robot.coordinates.length;

  it('has actuation coordinates accelerate as it says, at random states', async () => {
    const controller = soft.dynamics.controllers.get('soft_both')!;
    const parameters = controller.createParameters();
    for (const side of ['lower', 'upper'] as const)
      (parameters[side] as Float64Array).fill(side === 'lower' ? -1e9 : 1e9);
    for (let k = 0; k < 30; k++) {
      const [q, qd] = [numbers(n, 3.1 * k, 0.8), numbers(n, 5.3 * k, 2)];
      const [y, yd, ydd] = [numbers(2, k, 0.4), numbers(2, 2 * k), numbers(2, 3 * k, 3)];
      const u = new Float64Array(3);
      expect(controller.step(soft.dynamics, controller.createState(), parameters, q, qd, y, yd, ydd, u)).toBe(KG_OK);
      expect(u[1]).toBe(0);
      const [own, rates, drift, B] = [3, 3, 3, 3 * n].map((size) => new Float64Array(size));
      const [tau, qdd] = [new Float64Array(n), new Float64Array(n)];
      soft.dynamics.update(q, qd);
      soft.dynamics.actuation(own!, rates!, drift!, B!);
      soft.dynamics.actuate(u, tau);
      soft.dynamics.forwardDynamics(tau, qdd);
      [2, 0].forEach((actuator, i) => {
        const v = ydd[i]! + [8, 9][i]! * (yd[i]! - rates![actuator]!) + 25 * (y[i]! - own![actuator]!);
        const parts = [...qdd].map((a, j) => B![3 * j + actuator]! * a);
        const scale = Math.abs(v) + parts.reduce((sum, part) => sum + Math.abs(part), 0);
        const found = drift![actuator]! + parts.reduce((sum, part) => sum + part, 0);
        expect(Math.abs(found - v)).toBeLessThan(1e-9 * scale);
      });
    }
  });

  const wave = (t: number): Reference => ({ y: numbers(n, t), yd: numbers(n, t + 1), ydd: numbers(n, t, 0) });
  const lead = (t: number): Reference => ({
    y: [0.1 * Math.sin(3 * t), 4 * t],
    yd: [0.3 * Math.cos(3 * t), 4],
    ydd: [-0.9 * Math.sin(3 * t), 0],
  });
  it.skipIf(!COMPILER).each(['both', 'part'])('and PD lead the robot the same way in C: %s', async (name) => {
    const [path, start] = [name === 'both' ? lead : wave, [...numbers(n, 1, 0.2), ...numbers(n, 2, 0.3)]];
    const options = { steps: 50, h: 1 / 512 };
    const states = await run(soft, await softInC(name), path, start, options);
    expect(apart(states, await run(soft, inTypeScript(soft, name), path, start, options))).toBeLessThan(1e-9);
  });

  it('costs less than forward dynamics of the driver', () => {
    const model = robotModel(soft.robot, soft.compiled);
    const call = robotCallCosts(model);
    const total = ({ add, multiply, divide, sqrt, call: calls }: OperationCounts): number =>
      add + multiply + divide + sqrt + calls;
    const own = controllersOf(model).find(({ camel }) => camel === 'both')!;
    const forward = total(call('robot.update', [], [])) + total(call('robot.forwardDynamics', [], []));
    // The functions that it calls are counted, too.
    expect(total(own.cost)).toBeGreaterThan(0.5 * forward);
    expect(total(own.cost)).toBeLessThan(forward);
  });

  it('says so where its outputs cannot be led apart', async () => {
    const twice = await prepare(
      loadRobotObject({
        kanegen: 1,
        name: 'twice',
        links: [
          {
            name: 'a',
            joint: { revolute: 'z' },
            rigid: { mass: '1 kg', com: [0.1, 0, 0], inertia: { zz: 0.01, xx: 0.01, yy: 0.01 } },
          },
          {
            name: 'b',
            joint: { revolute: 'z' },
            rigid: { mass: '1 kg', com: [0.1, 0, 0], inertia: { zz: 0.01, xx: 0.01, yy: 0.01 } },
          },
        ],
        actuators: { one: { along: 'a.angle + 2*b.angle' }, same: { along: '3*a.angle + 6*b.angle' } },
        controllers: { both: { 'partial-feedback-linearisation': { kp: 1, kd: 1 } } },
      }),
    );
    const { status, u } = await inTypeScript(twice, 'both')([0.1, 0.2], [0, 0], {
      y: [0, 0],
      yd: [0, 0],
      ydd: [0, 0],
    });
    expect(status).toBe(KG_SINGULAR);
    expect(u).toEqual([0, 0]);
  });
});

// ---------------------------------------------------------------------------------------------- frames

/** Pose of a frame: R, then t; and its Jacobian. */
function frameOf({ dynamics }: Prepared, index: number, q: readonly number[]): { y: number[]; J: number[][] } {
  const n = q.length;
  const [R, t, J] = [new Float64Array(9), new Float64Array(3), new Float64Array(6 * n)];
  dynamics.update(
    q,
    q.map(() => 0),
  );
  dynamics.frame(index, R, t, J);
  return { y: [...R, ...t], J: Array.from({ length: 6 }, (_, i) => [...J.subarray(n * i, n * (i + 1))]) };
}

const applied = (J: readonly (readonly number[])[], x: readonly number[]): number[] =>
  J.map((row) => row.reduce((sum, entry, i) => sum + entry * x[i]!, 0));

function errorOf(pose: readonly number[], goal: readonly number[]): Float64Array {
  const out = new Float64Array(6);
  poseLogarithm(pose.slice(0, 9), pose.slice(9), goal.slice(0, 9), goal.slice(9), out);
  return out;
}

describe('rates that lead a frame', () => {
  const TIP = 5;
  const start = [0.3, -1.2, 1.1, -0.8, 0.7, 0.2];
  /** A goal that moves with the frame of other joints; with its twist. */
  const goal = (t: number): Reference => {
    const rates = numbers(6, 4, 0.5);
    const { y, J } = frameOf(
      arm,
      TIP,
      start.map((v, i) => v + 0.3 * Math.cos(i) + rates[i]! * t),
    );
    return { y, yd: applied(J, rates), ydd: [] };
  };

  it('reduce its error by exp(-gain t) along one screw, while the goal moves', async () => {
    const controller = arm.dynamics.controllers.get('ur10e_motors_reach')!;
    const [state, parameters] = [controller.createState(), controller.createParameters()];
    parameters['damping'] = 0;
    (parameters['postureGain'] as Float64Array).fill(0);
    const u = new Float64Array(6);
    const rate = (t: number, q: readonly number[]): number[] => {
      const { y, yd, ydd } = goal(t);
      expect(controller.step(arm.dynamics, state, parameters, q, numbers(6, 0, 0), y, yd, ydd, u)).toBe(KG_OK);
      return [...u];
    };
    const plus = (x: readonly number[], by: number, d: readonly number[]): number[] => x.map((v, i) => v + by * d[i]!);
    let q: readonly number[] = start;
    const first = errorOf(frameOf(arm, TIP, q).y, goal(0).y);
    const h = 1 / 256;
    for (let k = 0; k < 64; k++) {
      const k1 = rate(k * h, q);
      const k2 = rate((k + 0.5) * h, plus(q, h / 2, k1));
      const k3 = rate((k + 0.5) * h, plus(q, h / 2, k2));
      const k4 = rate((k + 1) * h, plus(q, h, k3));
      q = q.map((v, i) => v + (h / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
    }
    const last = errorOf(frameOf(arm, TIP, q).y, goal(64 * h).y);
    first.forEach((e, i) => expect(Math.abs(last[i]! - e * Math.exp(-5 * 64 * h))).toBeLessThan(1e-8));
  });

  it('leave the frame alone when they go towards the posture, where joints are left over', async () => {
    const seven = await prepare(
      loadRobotObject({
        kanegen: 1,
        name: 'seven',
        links: ['z', 'y', 'z', 'y', 'z', 'y', 'z'].map((axis, i) => ({
          name: `l${i}`,
          joint: { revolute: axis },
          rigid: { mass: '1 kg', distal: { xyz: [0.03 * i, 0, '0.2 m'] } },
        })),
        states: { bent: { 'l1.angle': 1, 'l3.angle': -1.2, 'l5.angle': 0.5 } },
        controllers: {
          go: {
            'task-space': { frame: 'l6', form: 'velocity', gain: 3, damping: 0, posture: 'bent', 'posture-gain': 2 },
          },
        },
      }),
    );
    const q = numbers(7, 1);
    const controller = seven.dynamics.controllers.get('seven_go')!;
    const u = new Float64Array(7);
    const { y, J } = frameOf(seven, 6, q);
    const rest = q.map(() => 0);
    const yd = [0.1, -0.2, 0.3, 0.2, 0.1, -0.1];
    expect(
      controller.step(seven.dynamics, controller.createState(), controller.createParameters(), q, rest, y, yd, [], u),
    ).toBe(KG_OK);
    applied(J, [...u]).forEach((value, i) => expect(Math.abs(value - yd[i]!)).toBeLessThan(1e-12));
    // Of all rates that lead the frame so, these are nearest to those towards the posture: the rest is orthogonal to what J leaves free.
    const towards = q.map((v, i) => 2 * ([0, 1, 0, -1.2, 0, 0.5, 0][i]! - v));
    const free = nullVector(J);
    expect(Math.abs(free.reduce((sum, f, i) => sum + f * (u[i]! - towards[i]!), 0))).toBeLessThan(1e-12);
    expect(Math.abs(free.reduce((sum, f, i) => sum + f * towards[i]!, 0))).toBeGreaterThan(0.01);
  });

  it.skipIf(!COMPILER)('are the same in C', async () => {
    const step = await armInC('reach');
    const own = inTypeScript(arm, 'reach');
    for (let k = 0; k < 20; k++) {
      const reference = { ...goal(0.1 * k), ydd: [] };
      const q = numbers(6, 2.2 * k, 1.5);
      const [there, here] = [await step(q, numbers(6, k), reference), await own(q, numbers(6, k), reference)];
      expect(there.status).toBe(KG_OK);
      there.u.forEach((value, i) => expect(Math.abs(value - here.u[i]!)).toBeLessThan(1e-12 * Math.hypot(...here.u)));
    }
  });
});

/** A unit vector that 6 × 7 entries map to zero: by minors. */
function nullVector(J: readonly (readonly number[])[]): number[] {
  const signed = J[0]!.map(
    (_, j) => (j % 2 === 0 ? 1 : -1) * determinant(new Matrix(J.map((row) => row.filter((__, k) => k !== j)))),
  );
  return signed.map((value) => value / Math.hypot(...signed));
}

describe('impedance of a frame', () => {
  const TIP = 5;
  const stiffness = [20, 20, 20, 800, 800, 400];
  const damping = [0.6, 0.6, 0.1, 80, 80, 60];

  it('takes out of the motion what its damper takes, and what its spring stores', async () => {
    const step = inTypeScript(arm, 'soft');
    for (let k = 0; k < 12; k++) {
      const [q, qd] = [numbers(6, 1.3 * k, 1.4), numbers(6, 2.9 * k, 0.2)];
      const { y: goal } = frameOf(
        arm,
        TIP,
        q.map((v, i) => v + 0.06 * Math.cos(3 * i + k)),
      );
      const { u, status } = await step(q, qd, { y: goal, yd: [0, 0, 0, 0, 0, 0], ydd: [] });
      expect(status).toBe(KG_OK);
      expect(u.every((value, i) => Math.abs(value) < arm.robot.actuators[i]!.upper!)).toBe(true);
      const g = new Float64Array(6);
      arm.dynamics.gravityAt(q, g);
      const power = qd.reduce((sum, rate, i) => sum + rate * (u[i]! - g[i]!), 0);
      const stored = (t: number): number =>
        errorOf(
          frameOf(
            arm,
            TIP,
            q.map((v, i) => v + t * qd[i]!),
          ).y,
          goal,
        ).reduce((sum, e, i) => sum + 0.5 * stiffness[i]! * e * e, 0);
      const h = 1e-3;
      const change = (8 * (stored(h) - stored(-h)) - (stored(2 * h) - stored(-2 * h))) / (12 * h);
      const { y, J } = frameOf(arm, TIP, q);
      const twist = applied(J, qd);
      const inFrame = [0, 1, 2, 3, 4, 5].map((i) =>
        [0, 1, 2].reduce((sum, m) => sum + y[3 * m + (i % 3)]! * twist[(i < 3 ? 0 : 3) + m]!, 0),
      );
      const lost = inFrame.reduce((sum, v, i) => sum + damping[i]! * v * v, 0);
      expect(lost).toBeGreaterThan(0);
      expect(Math.abs(power + change + lost)).toBeLessThan(1e-8 * (Math.abs(power) + Math.abs(change) + lost));
    }
  });

  it('lets a frame that moves with its goal move', async () => {
    const [q, qd] = [numbers(6, 1), numbers(6, 2)];
    const { y, J } = frameOf(arm, TIP, q);
    const { u } = await inTypeScript(arm, 'soft')(q, qd, { y, yd: applied(J, qd), ydd: [] });
    const g = new Float64Array(6);
    arm.dynamics.gravityAt(q, g);
    u.forEach((value, i) => expect(value).toBeCloseTo(g[i]!, 10));
  });

  it.skipIf(!COMPILER)('is the same in C', async () => {
    const step = await armInC('soft');
    const start = [0.3, -1.2, 1.1, -0.8, 0.7, 0.2, ...numbers(6, 2, 0.3)];
    const reference = (t: number): Reference => {
      const q = start.slice(0, 6).map((v, i) => v + 0.05 * Math.sin(3 * t + i));
      const { y, J } = frameOf(arm, TIP, q);
      return {
        y,
        yd: applied(
          J,
          q.map((_, i) => 0.15 * Math.cos(3 * t + i)),
        ),
        ydd: [],
      };
    };
    const options = { steps: 40, h: 1 / 512 };
    const states = await run(arm, step, reference, start, options);
    expect(apart(states, await run(arm, inTypeScript(arm, 'soft'), reference, start, options))).toBeLessThan(1e-9);
  });
});

describe('feed-forward from statics', () => {
  const given = [0.01, 14, 0.3];
  const held = (): number[] => [...equilibrium(soft.robot, soft.dynamics, { inputs: given }).q];
  const still = numbers(4, 0, 0);

  it('has the inputs back that an equilibrium was found for, wherever the robot is', async () => {
    const y = held();
    expect(Math.max(...y.map(Math.abs))).toBeGreaterThan(0.1);
    const step = inTypeScript(soft, 'feed');
    for (const [q, qd] of [
      [y, still],
      [numbers(4, 2, 0.4), numbers(4, 1)],
    ]) {
      const { status, u } = await step(q!, qd!, { y, yd: numbers(4, 3), ydd: numbers(4, 5) });
      expect(status).toBe(KG_OK);
      u.forEach((value, i) => expect(value).toBeCloseTo(given[i]!, 9));
    }
  });

  it.skipIf(!COMPILER)('is the same in C', async () => {
    const reference = { y: held(), yd: still, ydd: still };
    const [inC, inTs] = [await softInC('feed'), inTypeScript(soft, 'feed')];
    const [{ status, u }, own] = [await inC(still, still, reference), await inTs(still, still, reference)];
    expect(status).toBe(KG_OK);
    u.forEach((value, i) => expect(value).toBeCloseTo(own.u[i]!, 9));
  });
});

it('what a step costs stands in the comparison of controllers', () => {
  const page = readFileSync('docs/tracking.md', 'utf8');
  const part = page.slice(page.indexOf('## UR10e'), page.indexOf('## Soft arm'));
  const rows = part.split('\n').filter((line) => /^\| .*, /.test(line));
  const costs = controllersOf(robotModel(arm.robot, arm.compiled)).map(({ cost }) => grouped(operationsInAll(cost)));
  expect(rows.slice(-costs.length).map((row) => row.split('|').at(-4)!.trim())).toEqual(costs);
});
