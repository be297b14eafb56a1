/**
 * Operational-space control: the accelerations of the frame that come about, by difference quotients of its twist, against the law written
 * out here; what it leaves to the posture; the C against the TypeScript.
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Matrix, SVD } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotObject, loadRobotText } from '../../../src/description/load.ts';
import { KG_OK, KG_SINGULAR } from '../../../src/runtime/driver.ts';
import { COMPILER, inC, numbers, prepare, type Prepared, type Reference } from './controllers-at-work.ts';

const FOLDER = 'examples/scenarios';

/** A robot of the examples with these controllers in place of its own, and actuators without limits. */
async function withControllers(name: string, controllers: string): Promise<Prepared> {
  const file = path.join(FOLDER, `${name}.robot.yaml`);
  const text = readFileSync(file, 'utf8')
    .replace(/^controllers:\n(?: .*\n)*/m, `controllers:\n${controllers}`)
    .replace(/, limits: \[[^\]]*(?:N|N m)\]/g, '');
  return prepare(loadRobotText(text, file));
}

const law = (frame: string, keys: string): string => `{ task-space: { frame: ${frame}, form: acceleration, ${keys} } }`;
const POSTURE = 'posture: home, posture-kp: 25 1/s^2, posture-kd: [10 1/s, 9, 8, 7, 6, 5]';
const ARM = `  whole: ${law('wrist_3', 'kp: 400 1/s^2, kd: [40 1/s, 39, 38, 37, 36, 35]')}
  place: ${law('wrist_3', `axes: [along x, along y, along z], kp: [400 1/s^2, 300, 200], kd: 40 1/s, ${POSTURE}`)}
  mixed: ${law('wrist_3', 'axes: [along z, about y, about x], kp: [9, 8, 7], kd: [3, 4, 5]')}
  few: ${law('wrist_3', `axes: [about z, along x], kp: 30, kd: 6, actuators: [m5, m1, m2], ${POSTURE}`)}
  damped: ${law('wrist_3', 'kp: 100, kd: 20, damping: 0.05')}
`;
const SOFT = `  point: ${law('soft3', 'axes: [along x, along y, along z], kp: 100, kd: 20')}
  level: ${law('soft3', 'axes: [along z, about y], kp: 50, kd: 10')}
  curl: ${law('soft3', 'axes: [along z], kp: 50, kd: 10, posture: curled, posture-kp: 25, posture-kd: 10')}
states: { curled: { soft1.a: 0.4, soft2.b: -0.3 } }
`;

let arm: Prepared;
let soft: Prepared;
beforeAll(async () => {
  arm = await withControllers('ur10e-motors', ARM);
  soft = await withControllers('tendon-control', SOFT);
});

interface Case {
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly reference: Reference;
}

/** States of a robot, and goals where its frame would be a little way off. */
function cases({ dynamics, robot }: Prepared, count: number, size: number, first = 0): Case[] {
  const n = robot.coordinates.length;
  /** Stretches are small. */
  const fitting = (all: readonly number[]): number[] =>
    all.map((value, i) => (robot.coordinates[i]!.unit === 'm' ? 0.05 * value : value));
  return Array.from({ length: count }, (_, i) => {
    const k = first + i;
    const [q, qd] = [fitting(numbers(n, 1.3 * k, size)), fitting(numbers(n, 2.9 * k, 0.5 * size))];
    const [R, t] = [new Float64Array(9), new Float64Array(3)];
    dynamics.update(
      fitting(q.map((_, j) => 0.3 * size * Math.sin(3 * j + k))).map((way, j) => q[j]! + way),
      qd,
    );
    dynamics.frame(robot.tip, R, t, null);
    return { q, qd, reference: { y: [...R, ...t], yd: numbers(6, k, 0.3), ydd: numbers(6, 2 * k) } };
  });
}

/** A step of a controller that begins there, with other values of gains. */
function stepOf(
  { robot, dynamics }: Prepared,
  name: string,
  { q, qd, reference }: Case,
  gains: Readonly<Record<string, number>> = {},
): { status: number; u: number[] } {
  const controller = dynamics.controllers.get(`${robot.name.replace(/-/g, '_')}_${name}`)!;
  const parameters = controller.createParameters();
  for (const [key, value] of Object.entries(gains)) (parameters[key] as Float64Array).fill(value);
  const u = new Float64Array(robot.actuators.length);
  const { y, yd, ydd } = reference;
  const status = controller.step(dynamics, controller.createState(), parameters, q, qd, y, yd, ydd, u);
  return { status, u: [...u] };
}

function accelerationsBy({ dynamics }: Prepared, { q, qd }: Case, u: readonly number[]): number[] {
  const [tau, qdd] = [new Float64Array(q.length), new Float64Array(q.length)];
  expect([dynamics.update(q, qd), dynamics.actuate(u, tau), dynamics.forwardDynamics(tau, qdd)]).toEqual([0, 0, 0]);
  return [...qdd];
}

/** Derivative of the twist of the tip over time by quotients along q + q̇ t + q̈ t²/2: reads neither the Jacobian nor its change. */
function changeOfTwist({ dynamics, robot }: Prepared, { q, qd }: Case, qdd: readonly number[]): number[] {
  const twist = (t: number): Float64Array => {
    const V = new Float64Array(6);
    dynamics.update(
      q.map((x, i) => x + t * qd[i]! + (t * t * qdd[i]!) / 2),
      qd.map((x, i) => x + t * qdd[i]!),
    );
    dynamics.frameMotion(robot.tip, V, null);
    return V;
  };
  const quotient = (step: number): number[] => {
    const [after, before] = [twist(step), twist(-step)];
    return [...after].map((v, i) => (v - before[i]!) / (2 * step));
  };
  // Extrapolated twice; shorter steps where the robot speeds up.
  const h = 0.02 / Math.sqrt(100 + Math.max(...qdd.map(Math.abs)));
  const [first, second, third] = [quotient(h), quotient(h / 2), quotient(h / 4)] as const;
  return first.map((d, i) => (64 * third[i]! - 20 * second[i]! + d) / 45);
}

/** v of the law, all six components: of rotations by the axis and the angle of R_goal Rᵀ. */
function due({ dynamics, robot }: Prepared, { q, qd, reference }: Case, kp: readonly number[], kd: readonly number[]) {
  const [R, t, V] = [new Float64Array(9), new Float64Array(3), new Float64Array(6)];
  dynamics.update(q, qd);
  dynamics.frame(robot.tip, R, t, null);
  dynamics.frameMotion(robot.tip, V, null);
  const { y, yd, ydd } = reference;
  const D = new Matrix(
    [0, 1, 2].map((i) => [0, 1, 2].map((j) => [0, 1, 2].reduce((s, k) => s + y[3 * i + k]! * R[3 * j + k]!, 0))),
  );
  const angle = Math.acos((D.trace() - 1) / 2);
  const turn = [D.get(2, 1) - D.get(1, 2), D.get(0, 2) - D.get(2, 0), D.get(1, 0) - D.get(0, 1)];
  const error = [...turn.map((x) => (x * angle) / (2 * Math.sin(angle))), ...[0, 1, 2].map((i) => y[9 + i]! - t[i]!)];
  return error.map((e, i) => ydd[i]! + kd[i]! * (yd[i]! - V[i]!) + kp[i]! * e);
}

const NAMES = ['about x', 'about y', 'about z', 'along x', 'along y', 'along z'];

/** Largest deviation of the accelerations that are led from the law. */
function deviation(prepared: Prepared, name: string, one: Case, gains: { kp?: number; kd?: number } = {}): number {
  const { law: own, gains: all } = prepared.robot.controllers!.find((controller) => controller.name === name)!;
  const axes = (own as { axes: readonly number[] }).axes;
  const valuesOf = (key: 'kp' | 'kd'): number[] => {
    const given = all.find((gain) => gain.name === key)!.values;
    return NAMES.map((_, i) => gains[key] ?? given[axes.indexOf(i)] ?? 0);
  };
  const { status, u } = stepOf(prepared, name, one, gains);
  expect(status).toBe(KG_OK);
  const v = due(prepared, one, valuesOf('kp'), valuesOf('kd'));
  const found = changeOfTwist(prepared, one, accelerationsBy(prepared, one, u));
  return Math.max(...axes.map((i) => Math.abs(found[i]! - v[i]!)));
}

const PARTS = 6;

/** Jacobian of the tip and the mass matrix. */
function matricesOf({ dynamics, robot }: Prepared, { q, qd }: Case): { J: Matrix; M: Matrix; bias: Float64Array } {
  const n = q.length;
  const [J, M, bias] = [new Float64Array(PARTS * n), new Float64Array(n * n), new Float64Array(PARTS)];
  dynamics.update(q, qd);
  dynamics.frame(robot.tip, null, null, J);
  dynamics.frameMotion(robot.tip, null, bias);
  dynamics.massMatrix(M);
  return { J: Matrix.from1DArray(PARTS, n, [...J]), M: Matrix.from1DArray(n, n, [...M]), bias };
}

/** Vectors of length one that a matrix of fewer rows than columns maps to zero. */
function nullVectors(A: Matrix): number[][] {
  const { leftSingularVectors: V, rank } = new SVD(A.transpose(), { autoTranspose: false });
  expect(rank).toBe(A.rows);
  // Of all unit vectors what the rows do not have, orthogonal to each other.
  const free: number[][] = [];
  for (let i = 0; i < A.columns; i++) {
    let rest: number[] = Array.from({ length: A.columns }, (_, j) => (i === j ? 1 : 0));
    for (let twice = 0; twice < 2; twice++)
      for (const known of [...Array.from({ length: rank }, (_, k) => V.getColumn(k)), ...free]) {
        const share = dot(known, rest);
        rest = rest.map((x, j) => x - share * known[j]!);
      }
    const size = Math.hypot(...rest);
    if (size > 0.1 && free.length < A.columns - rank) free.push(rest.map((x) => x / size));
  }
  expect(free).toHaveLength(A.columns - rank);
  return free;
}

const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
const rowsOf = (A: Matrix, rows: readonly number[]): Matrix => new Matrix(rows.map((i) => A.getRow(i)));
const product = (A: Matrix, x: readonly number[]): number[] => A.mmul(Matrix.columnVector([...x])).getColumn(0);
const HOME = [0, -Math.PI / 2, 0, -Math.PI / 2, 0, 0];
const towardsHome = ({ q, qd }: Case): number[] =>
  q.map((x, i) => 25 * (HOME[i]! - x) - [10, 9, 8, 7, 6, 5][i]! * qd[i]!);

describe('operational-space control of a UR10e', () => {
  it.each(['whole', 'place', 'mixed', 'few'])('has the twist accelerate by the law: %s', (name) => {
    for (const one of cases(arm, 12, 1.2)) expect(deviation(arm, name, one)).toBeLessThan(1e-9);
  });

  it('leads the frame the same way whatever the posture asks for', () => {
    for (const one of cases(arm, 4, 1.2, 20)) {
      const [gentle, strong] = [0, 400].map((postureKp) => stepOf(arm, 'place', one, { postureKp }).u);
      expect(Math.max(...gentle!.map((u, i) => Math.abs(u - strong![i]!)))).toBeGreaterThan(10);
      const [slow, fast] = [gentle!, strong!].map((u) => changeOfTwist(arm, one, accelerationsBy(arm, one, u)));
      for (const i of [3, 4, 5]) expect(Math.abs(slow![i]! - fast![i]!)).toBeLessThan(1e-9);
    }
  });

  it('accelerates what the frame leaves free towards the posture, whatever the frame is asked for', () => {
    for (const one of cases(arm, 8, 1.2)) {
      const { J, M } = matricesOf(arm, one);
      const free = nullVectors(rowsOf(J, [3, 4, 5]));
      for (const kp of [0, 400]) {
        const qdd = accelerationsBy(arm, one, stepOf(arm, 'place', one, { kp }).u);
        const missing = product(
          M,
          towardsHome(one).map((a, i) => qdd[i]! - a),
        );
        for (const z of free) expect(Math.abs(dot(z, missing))).toBeLessThan(1e-10 * Math.hypot(...missing));
        expect(Math.hypot(...missing)).toBeGreaterThan(0.1);
      }
    }
  });

  it('near a singular configuration obeys the law or says that it cannot', () => {
    const statuses = Array.from({ length: 18 }, (_, k) => {
      const [one] = cases(arm, 1, 1.2, 3) as [Case];
      const at = { ...one, q: [0.3, -1.2, 1.1, -0.8, k === 17 ? 0 : 10 ** -k, 0.2] };
      const { status, u } = stepOf(arm, 'whole', at);
      if (status !== KG_OK) expect(u).toEqual([0, 0, 0, 0, 0, 0]);
      else {
        const { J, bias } = matricesOf(arm, at);
        const qdd = accelerationsBy(arm, at, u);
        const v = due(arm, at, Array(6).fill(400), [40, 39, 38, 37, 36, 35]);
        product(J, qdd).forEach((a, i) => {
          expect(Math.abs(a + bias[i]! - v[i]!)).toBeLessThan(1e-12 * Math.hypot(...qdd));
        });
      }
      return status;
    });
    expect(statuses.slice(0, 4)).toEqual([KG_OK, KG_OK, KG_OK, KG_OK]);
    expect(statuses.at(-1)).toBe(KG_SINGULAR);
    expect(new Set(statuses)).toEqual(new Set([KG_OK, KG_SINGULAR]));
  });

  it('with damping has inputs there, too: the least of acceleration energy and missed accelerations', () => {
    for (const bend of [0.5, 1e-3, 0]) {
      const [one] = cases(arm, 1, 1.2, 3) as [Case];
      const at = { ...one, q: [0.3, -1.2, 1.1, -0.8, bend, 0.2] };
      const { status, u } = stepOf(arm, 'damped', at);
      expect(status).toBe(KG_OK);
      const { J, M, bias } = matricesOf(arm, at);
      const qdd = accelerationsBy(arm, at, u);
      const v = due(arm, at, Array(6).fill(100), Array(6).fill(20));
      const missed = product(J, qdd).map((a, i) => a + bias[i]! - v[i]!);
      const [inertia, pull] = [product(M, qdd), product(J.transpose(), missed).map((x) => x / 0.05 ** 2)];
      inertia.forEach((x, i) => expect(Math.abs(x + pull[i]!)).toBeLessThan(1e-8 * Math.hypot(...inertia)));
      expect(Math.hypot(...qdd)).toBeLessThan(1e4);
    }
  });

  const inCode = inC(() => arm, { whole: [12, 6, 6], place: [12, 6, 6], few: [12, 6, 6] });

  it.skipIf(!COMPILER).each(['whole', 'place', 'few'])('is the same in C: %s', async (name) => {
    const step = await inCode(name);
    for (const one of cases(arm, 8, 1.2)) {
      const [there, here] = [await step(one.q, one.qd, one.reference), stepOf(arm, name, one)];
      expect(there.status).toBe(KG_OK);
      there.u.forEach((u, i) => expect(Math.abs(u - here.u[i]!)).toBeLessThan(1e-12 * Math.hypot(...here.u)));
    }
  });

  it.skipIf(!COMPILER)('held at 1 kHz in C has errors of the position that decay by their gains', async () => {
    const step = await inCode('whole');
    const { dynamics, robot } = arm;
    const start = [0.3, -1.2, 1.1, -0.8, 0.7, 0.2];
    const [R, t0] = [new Float64Array(9), new Float64Array(3)];
    dynamics.update(start, numbers(6, 0, 0));
    dynamics.frame(robot.tip, R, t0, null);
    // A circle of the hand, which begins beside it: e'' + kd e' + 400 e = 0.
    const offset = [0.02, -0.03, 0.01];
    const circle = (t: number): Reference => {
      const [c, s] = [0.1 * Math.cos(3 * t), 0.1 * Math.sin(3 * t)];
      return {
        y: [...R, t0[0]! + offset[0]! + c - 0.1, t0[1]! + offset[1]! + s, t0[2]! + offset[2]!],
        yd: [0, 0, 0, -3 * s, 3 * c, 0],
        ydd: [0, 0, 0, -9 * c, -9 * s, 0],
      };
    };
    /** Error and rate, from rest against the rate of the circle, of e'' + kd e' + 400 e = 0. */
    const decayed = (e: number, rate: number, kd: number, t: number): number => {
      const w = Math.sqrt(400 - (kd * kd) / 4);
      const swing = w > 0 ? Math.sin(w * t) / w : t;
      return Math.exp((-kd * t) / 2) * (e * Math.cos(w * t) + (rate + (kd / 2) * e) * swing);
    };
    let [q, qd] = [start, numbers(6, 0, 0)];
    let worst = 0;
    for (let k = 0; k < 200; k++) {
      const { status, u } = await step(q, qd, circle(k * 1e-3));
      expect(status).toBe(KG_OK);
      [q, qd] = held(arm, q, qd, u, 1e-3);
      const place = new Float64Array(3);
      dynamics.update(q, qd);
      dynamics.frame(robot.tip, null, place, null);
      const t = (k + 1) * 1e-3;
      [37, 36, 35].forEach((kd, i) => {
        const e = circle(t).y[9 + i]! - place[i]!;
        worst = Math.max(worst, Math.abs(e - decayed(offset[i]!, i === 1 ? 0.3 : 0, kd, t)));
      });
    }
    expect(worst).toBeLessThan(1e-4);
  });
});

it('operational-space control of more than twelve coordinates obeys the law, too', async () => {
  const [count, axes] = [13, ['x', 'y', 'z']];
  const chain = await prepare(
    loadRobotObject({
      kanegen: 1,
      name: 'chain',
      links: Array.from({ length: count }, (_, i) => ({
        name: `l${i}`,
        joint: { revolute: axes[i % 3] },
        rigid: {
          mass: '1 kg',
          com: [0.01, 0.02, 0.05],
          inertia: { xx: '2e-3 kg m^2', yy: '3e-3 kg m^2', zz: '2e-3 kg m^2' },
          distal: { xyz: [0.01, 0, '0.1 m'] },
        },
      })),
      actuators: Object.fromEntries(
        Array.from({ length: count }, (_, i) => [`m${i}`, { motor: `l${i}.angle`, ratio: 3 }]),
      ),
      states: { home: { 'l1.angle': 0.3 } },
      controllers: {
        go: {
          'task-space': {
            frame: `l${count - 1}`,
            form: 'acceleration',
            kp: 9,
            kd: 6,
            posture: 'home',
            'posture-kp': 4,
            'posture-kd': 4,
          },
        },
      },
    }),
  );
  for (const one of cases(chain, 4, 0.8)) expect(deviation(chain, 'go', one)).toBeLessThan(1e-9);
});

/** A step of time h of Runge and Kutta's method with inputs that are held. */
function held(prepared: Prepared, q: number[], qd: number[], u: readonly number[], h: number): [number[], number[]] {
  const plus = (x: readonly number[], by: number, d: readonly number[]): number[] => x.map((v, i) => v + by * d[i]!);
  const reference = { y: [], yd: [], ydd: [] };
  const at = (by: number, rates: number[], accelerations: number[]): [number[], number[]] => {
    const [x, xd] = [plus(q, by, rates), plus(qd, by, accelerations)];
    return [xd, accelerationsBy(prepared, { q: x, qd: xd, reference }, u)];
  };
  const [v1, a1] = at(0, qd, qd);
  const [v2, a2] = at(h / 2, v1, a1);
  const [v3, a3] = at(h / 2, v2, a2);
  const [v4, a4] = at(h, v3, a3);
  const mean = (x: readonly (readonly number[])[]): number[] =>
    x[0]!.map((first, i) => (first + 2 * x[1]![i]! + 2 * x[2]![i]! + x[3]![i]!) / 6);
  return [plus(q, h, mean([v1, v2, v3, v4])), plus(qd, h, mean([a1, a2, a3, a4]))];
}

describe('operational-space control of a soft arm by three tendons', () => {
  it.each(['point', 'level', 'curl'])('has the twist of the tip accelerate by the law: %s', (name) => {
    for (const one of cases(soft, 8, 0.5)) expect(deviation(soft, name, one)).toBeLessThan(1e-9);
  });

  /** Accelerations of some axes of the tip by a unit of each input. */
  const responses = (one: Case, axes: readonly number[]): Matrix => {
    const rest = accelerationsBy(soft, one, [0, 0, 0]);
    const columns = [0, 1, 2].map((k) => {
      const pulled = accelerationsBy(
        soft,
        one,
        [0, 1, 2].map((i) => (i === k ? 1 : 0)),
      );
      return product(
        matricesOf(soft, one).J,
        pulled.map((a, i) => a - rest[i]!),
      );
    });
    return new Matrix(axes.map((axis) => columns.map((column) => column[axis]!)));
  };

  it('takes the shortest inputs', () => {
    for (const one of cases(soft, 6, 0.5)) {
      const { u } = stepOf(soft, 'level', one);
      const [z] = nullVectors(responses(one, [5, 1])) as [number[]];
      expect(Math.abs(dot(z, u))).toBeLessThan(1e-8 * Math.hypot(...u));
    }
  });

  it('leaves inputs that do not lead the tip to the posture', () => {
    const goal = [0.4, 0, 0, 0, -0.3, 0, 0, 0, 0];
    for (const one of cases(soft, 6, 0.5)) {
      const { u } = stepOf(soft, 'curl', one);
      const { q, qd } = one;
      const [B, tau] = [new Float64Array(27), new Float64Array(9)];
      soft.dynamics.update(q, qd);
      soft.dynamics.actuation(null, null, null, B);
      soft.dynamics.activeInverseDynamics(
        q.map((x, i) => 25 * (goal[i]! - x) - 10 * qd[i]!),
        tau,
      );
      const towards = new SVD(Matrix.from1DArray(9, 3, [...B])).solve(Matrix.columnVector([...tau])).getColumn(0);
      const change = u.map((x, i) => x - towards[i]!);
      for (const z of nullVectors(responses(one, [5])))
        expect(Math.abs(dot(z, change))).toBeLessThan(1e-8 * Math.hypot(...change));
    }
  });

  const inCode = inC(() => soft, { point: [12, 6, 6], curl: [12, 6, 6] });

  it.skipIf(!COMPILER).each(['point', 'curl'])('is the same in C: %s', async (name) => {
    const step = await inCode(name);
    for (const one of cases(soft, 6, 0.5)) {
      const [there, here] = [await step(one.q, one.qd, one.reference), stepOf(soft, name, one)];
      expect(there.status).toBe(KG_OK);
      there.u.forEach((u, i) => expect(Math.abs(u - here.u[i]!)).toBeLessThan(1e-10 * Math.hypot(...here.u)));
    }
  });
});
