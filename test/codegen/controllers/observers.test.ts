/** Kalman filters: against one with full matrices and difference quotients, in C beside TypeScript, on a soft arm, and where numbers are missing. */
import { EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../../src/codegen/c/build-c.ts';
import { chooseFunctions } from '../../../src/codegen/choice.ts';
import { interfaceOf } from '../../../src/codegen/interface/robot-interface.ts';
import { robotInterface } from '../../../src/codegen/interface/schema.ts';
import { robotModel } from '../../../src/codegen/modules/robot-model.ts';
import { functionNames } from '../../../src/codegen/sweeps/robot-functions.ts';
import type { LoadedObserver, LoadedRobot, RunningObserver } from '../../../src/codegen/typescript/load.ts';
import { randomNumbers } from '../../../src/common/random.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import { KG_NON_FINITE, KG_NO_STATE, KG_OK, KG_OUT_OF_RANGE } from '../../../src/runtime/driver.ts';
import { deviations } from '../../../src/runtime/kalman.ts';
import { compileRobot } from '../../../src/kane/compile.ts';
import { COMPILERS, QUICK } from '../../compilers.ts';
import { prepare, type Prepared } from './controllers-at-work.ts';

const PERIOD = 0.005;
/** Of the force on each coordinate that the model lacks, and of what is measured. */
const PROCESS = [0.3, 0.2, 0.1];
const NOISE = { pull: 2e-3, position: 3e-3, rotation: 0.02, angle: 0.01, rate: 0.05 };
const UNCERTAINTY = [0.4, 0.3, 0.2];
const RATES = [0.5, 0.6, 0.7];
const n = 3;

/** A turntable, an inclined hinge and a slide: nothing is symmetric, and all kinds of measurements are there. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'watched',
  parameters: { c: '10 cm' },
  links: [
    {
      name: 'table',
      joint: { revolute: [0.2, 0.1, 1], damping: '0.3 N m s/rad' },
      rigid: {
        mass: '2 kg',
        com: [0.05, 0.02, 0.1],
        inertia: { xx: 0.02, yy: 0.03, zz: 0.04 },
        distal: { xyz: [0.1, 0, 0.3] },
      },
    },
    {
      name: 'fore',
      joint: { revolute: [0.1, 1, 0.3], stiffness: '40 N m/rad', damping: '0.2 N m s/rad' },
      rigid: {
        mass: '1 kg',
        com: [0.02, 0.01, 0.2],
        inertia: { xx: 0.02, yy: 0.01, zz: 0.01 },
        distal: { xyz: [0, 0.05, 0.3] },
      },
    },
    {
      name: 'slide',
      joint: { prismatic: 'z', stiffness: '300 N/m', damping: '2 N s/m' },
      rigid: { mass: '0.5 kg', com: [0.03, 0, 0.1], distal: { xyz: [0.02, 0.03, 0.2] } },
    },
  ],
  frames: { eye: { on: 'slide', offset: { xyz: [0.01, 0.02, 0.03], rpy: ['20 deg', '-30 deg', '40 deg'] } } },
  actuators: {
    turn: { motor: 'table.angle' },
    pull: { along: 'c*sin(table.angle) + 2*fore.angle*slide.displacement + 3*c*fore.angle' },
  },
  observers: {
    state: {
      kalman: {
        period: '5 ms',
        measurements: [
          { actuator: 'pull', noise: '2 mm' },
          { position: 'eye', axes: ['z', 'x'], noise: '3 mm' },
          { rotation: 'eye', noise: 0.02 },
          { coordinate: 'table.angle', noise: 0.01 },
          { rate: 'fore.angle', noise: 0.05 },
        ],
        process: [0.3, 0.2, 0.1],
        uncertainty: UNCERTAINTY,
        'rate-uncertainty': RATES,
      },
    },
  },
});
const EYE = robot.frames.findIndex(({ name }) => name === 'eye');
const inputsAt = (t: number): [number, number] => [3 * Math.sin(9 * t), 4 * Math.cos(7 * t)];

/** A motion of the robot, in steps of Runge and Kutta: state and input of each period. */
function motion(dynamics: LoadedRobot, count: number): { x: number[]; u: number[] }[] {
  const rate = (x: readonly number[], u: readonly number[]): number[] => {
    const [tau, qdd] = [new Float64Array(n), new Float64Array(n)];
    dynamics.update(x.slice(0, n), x.slice(n));
    dynamics.actuate(u, tau);
    dynamics.forwardDynamics(tau, qdd);
    return [...x.slice(n), ...qdd];
  };
  let x = [0.3, -0.4, 0.05, 0.4, -0.3, 0.2];
  return Array.from({ length: count }, (_, k) => {
    const u = inputsAt(k * PERIOD);
    const along = (v: readonly number[], h: number): number[] => x.map((e, i) => e + h * v[i]!);
    const k1 = rate(x, u);
    const k2 = rate(along(k1, PERIOD / 2), u);
    const k3 = rate(along(k2, PERIOD / 2), u);
    const k4 = rate(along(k3, PERIOD), u);
    x = x.map((e, i) => e + (PERIOD / 6) * (k1[i]! + 2 * k2[i]! + 2 * k3[i]! + k4[i]!));
    return { x: [...x], u };
  });
}

const random = randomNumbers(3);

/** What sensors give: errors of the declared deviations, evenly spread. */
function measured(dynamics: LoadedRobot, x: readonly number[]): number[] {
  const { y, t, R } = placesAt(dynamics, x.slice(0, n), x.slice(n));
  const error = (size: number): number => size * Math.sqrt(12) * (random() - 0.5);
  const tilted = turnedBy(
    R,
    [0, 1, 2].map(() => error(NOISE.rotation)),
  );
  return [
    y[1]! + error(NOISE.pull),
    t[2]! + error(NOISE.position),
    t[0]! + error(NOISE.position),
    ...tilted.to1DArray(),
    x[0]! + error(NOISE.angle),
    x[4]! + error(NOISE.rate),
  ];
}

function placesAt(dynamics: LoadedRobot, q: readonly number[], qd: readonly number[]) {
  const [y, R, t] = [new Float64Array(2), new Float64Array(9), new Float64Array(3)];
  expect(dynamics.update(q, qd)).toBe(KG_OK);
  dynamics.actuation(y, null, null, null);
  dynamics.frame(EYE, R, t, null);
  return { y, t, R: Matrix.from1DArray(3, 3, [...R]) };
}

/** exp([w]) R by the power series. */
function turnedBy(R: Matrix, [x, y, z]: readonly number[]): Matrix {
  const skew = new Matrix([
    [0, -z!, y!],
    [z!, 0, -x!],
    [-y!, x!, 0],
  ]);
  let [term, sum] = [Matrix.eye(3), Matrix.eye(3)];
  for (let k = 1; k < 20; k++) {
    term = term.mmul(skew).div(k);
    sum = Matrix.add(sum, term);
  }
  return sum.mmul(R);
}

/** The rotation vector of R by its axis and its angle. */
function logarithm(R: Matrix): number[] {
  const axis = [R.get(2, 1) - R.get(1, 2), R.get(0, 2) - R.get(2, 0), R.get(1, 0) - R.get(0, 1)];
  const size = Math.hypot(...axis);
  if (size < 1e-12) return axis.map((x) => x / 2);
  return axis.map((x) => (x / size) * Math.atan2(size, R.trace() - 1));
}

/** By fourth-order difference quotients, column by column. */
function jacobian(x: readonly number[], f: (x: readonly number[]) => readonly number[]): Matrix {
  const h = 1e-3;
  const columns = x.map((value, i) => {
    const at = (k: number): readonly number[] => f(x.with(i, value + k * h));
    const [a, b, c, d] = [at(-2), at(-1), at(1), at(2)] as const;
    return a.map((_, r) => (a[r]! - 8 * b[r]! + 8 * c[r]! - d[r]!) / (12 * h));
  });
  return new Matrix(columns).transpose();
}

/** The filter with full matrices: all measurements at once, the covariance by Joseph's form, tangents by difference quotients. */
class FullFilter {
  x: number[] = Array.from({ length: 2 * n }, () => 0);
  P = Matrix.diag([...UNCERTAINTY, ...RATES].map((s) => s * s));
  private readonly dynamics: LoadedRobot;

  constructor(dynamics: LoadedRobot) {
    this.dynamics = dynamics;
  }

  step(h: number, u: readonly number[], z: readonly number[]): void {
    const { dynamics } = this;
    const slope = (x: readonly number[], force: readonly number[] = [0, 0, 0]): number[] => {
      const [tau, qdd] = [Float64Array.from(force), new Float64Array(n)];
      dynamics.update(x.slice(0, n), x.slice(n));
      dynamics.actuate(u, tau);
      dynamics.forwardDynamics(tau, qdd);
      return [...x.slice(n), ...qdd];
    };
    const A = jacobian(this.x, (x) => slope(x));
    const F = inverse(Matrix.sub(Matrix.eye(2 * n), Matrix.mul(A, h)));
    const G = F.mmul(jacobian([0, 0, 0], (force) => slope(this.x, force))).mul(h);
    const moved = F.mmul(Matrix.columnVector(slope(this.x))).mul(h);
    const x = this.x.map((e, i) => e + moved.get(i, 0));
    const P = Matrix.add(
      F.mmul(this.P).mmul(F.transpose()),
      G.mmul(Matrix.diag(PROCESS.map((s) => s * s))).mmul(G.transpose()),
    );
    const R0 = placesAt(dynamics, x.slice(0, n), x.slice(n)).R;
    const expected = (at: readonly number[]): number[] => {
      const { y, t, R } = placesAt(dynamics, at.slice(0, n), at.slice(n));
      // In axes of the frame where it is expected.
      return [y[1]!, t[2]!, t[0]!, ...logarithm(R0.transpose().mmul(R)), at[0]!, at[4]!];
    };
    const Rz = Matrix.from1DArray(3, 3, z.slice(3, 12));
    const given = [...z.slice(0, 3), ...logarithm(R0.transpose().mmul(Rz)), ...z.slice(12)];
    const sigma = [
      NOISE.pull,
      ...[0, 1].map(() => NOISE.position),
      ...[0, 1, 2].map(() => NOISE.rotation),
      NOISE.angle,
      NOISE.rate,
    ];
    const at = expected(x);
    const isThere = given.flatMap((value, i) => (Number.isFinite(value) ? [i] : []));
    const H = new Matrix(isThere.map((i) => jacobian(x, expected).getRow(i)));
    const noise = Matrix.diag(isThere.map((i) => sigma[i]! ** 2));
    const K = P.mmul(H.transpose()).mmul(inverse(Matrix.add(H.mmul(P).mmul(H.transpose()), noise)));
    const change = K.mmul(Matrix.columnVector(isThere.map((i) => given[i]! - at[i]!)));
    this.x = x.map((e, i) => e + change.get(i, 0));
    const rest = Matrix.sub(Matrix.eye(2 * n), K.mmul(H));
    this.P = Matrix.add(rest.mmul(P).mmul(rest.transpose()), K.mmul(noise).mmul(K.transpose()));
  }
}

const covarianceOf = ({ U, D }: RunningObserver): Matrix => {
  const N = D.length;
  const upper = Matrix.from1DArray(N, N, [...U]);
  return upper.mmul(Matrix.diag([...D])).mmul(upper.transpose());
};
const distance = (a: Matrix, b: Matrix): number => Matrix.sub(a, b).norm() / b.norm();

describe('an extended Kalman filter', () => {
  let prepared: Prepared;
  let dynamics: LoadedRobot;
  let filter: LoadedObserver;
  let path: { x: number[]; u: number[]; z: number[] }[];
  beforeAll(async () => {
    prepared = await prepare(robot);
    dynamics = prepared.dynamics;
    filter = dynamics.observers.get('watched_state_observer')!;
    path = motion(dynamics, 60).map((own) => ({ ...own, z: measured(dynamics, own.x) }));
  });

  /** Over the path, with measurements changed. */
  function follow(change: (z: readonly number[], k: number) => readonly number[] = (z) => z): RunningObserver {
    const running = filter.create();
    path.forEach(({ u, z }, k) => expect(filter.step(dynamics, running, PERIOD, u, change(z, k))).toBe(KG_OK));
    return running;
  }

  it('is the filter with full matrices, measurements of all kinds, some of them missing', () => {
    const running = filter.create();
    const full = new FullFilter(dynamics);
    for (const [k, { u, z }] of path.entries()) {
      // Different numbers are missing at different times.
      const seen = z.map((value, i) => ((k + i) % 7 === 0 && k % 3 === 0 ? NaN : value));
      const whole = seen.slice(3, 12).every(Number.isFinite) ? seen : seen.map((v, i) => (i >= 3 && i < 12 ? NaN : v));
      const h = k % 2 === 0 ? PERIOD : 1.3 * PERIOD;
      expect(filter.step(dynamics, running, h, u, seen)).toBe(KG_OK);
      full.step(h, u, whole);
      expect(running.used).toBe(whole.filter(Number.isFinite).length - (Number.isFinite(whole[3]!) ? 6 : 0));
      const found = [...running.q, ...running.qd];
      found.forEach((value, i) => expect(Math.abs(value - full.x[i]!)).toBeLessThan(1e-8));
      expect(distance(covarianceOf(running), full.P)).toBeLessThan(1e-7);
    }
    const out = new Float64Array(2 * n);
    deviations(2 * n, running.U, running.D, out);
    out.forEach((value, i) => expect(value).toBeCloseTo(Math.sqrt(full.P.get(i, i)), 9));
  });

  it('finds the state from a wrong one, coordinates within its own deviations', () => {
    const running = follow();
    const { x } = path.at(-1)!;
    const out = new Float64Array(2 * n);
    deviations(2 * n, running.U, running.D, out);
    running.q.forEach((value, i) => {
      expect(Math.abs(value - x[i]!)).toBeLessThan(4 * out[i]!);
      expect(out[i]!).toBeLessThan(0.1 * UNCERTAINTY[i]!);
    });
    // The step is of first order: rates are off by the damping that it adds.
    running.qd.forEach((value, i) => {
      const fastest = Math.max(...path.map((own) => Math.abs(own.x[n + i]!)));
      expect(Math.abs(value - x[n + i]!)).toBeLessThan(0.12 * fastest);
    });
  });

  it('goes by the model alone where nothing is measured, and knows less', () => {
    const [seen, blind] = [follow(), follow((z, k) => (k < 30 ? z : z.map(() => NaN)))];
    expect(blind.used).toBe(0);
    expect(seen.used).toBe(8);
    expect(covarianceOf(blind).trace()).toBeGreaterThan(2 * covarianceOf(seen).trace());
    const { x } = path.at(-1)!;
    [...blind.q].forEach((value, i) => expect(Math.abs(value - x[i]!)).toBeLessThan(0.1));
  });

  it('keeps a covariance where measurements are nearly exact', () => {
    const running = filter.create();
    running.noise.fill(1e-9);
    running.process.fill(1e-6);
    for (let round = 0; round < 10; round++)
      for (const { u, z } of path) expect(filter.step(dynamics, running, PERIOD, u, z)).toBe(KG_OK);
    expect(Math.min(...running.D)).toBeGreaterThanOrEqual(0);
    const { realEigenvalues } = new EigenvalueDecomposition(covarianceOf(running), { assumeSymmetric: true });
    expect(Math.min(...realEigenvalues)).toBeGreaterThan(-1e-12 * Math.max(...realEigenvalues));
  });

  it('refuses what cannot be, and leaves its estimate alone', () => {
    const { u, z } = path[0]!;
    const running = filter.create();
    expect(filter.step(dynamics, running, PERIOD, u, z)).toBe(KG_OK);
    const before = JSON.stringify([[...running.q], [...running.qd], [...running.D]]);
    const refused = (dt: number, inputs: readonly number[]): number => {
      const status = filter.step(dynamics, running, dt, inputs, z);
      expect(JSON.stringify([[...running.q], [...running.qd], [...running.D]])).toBe(before);
      return status;
    };
    for (const dt of [0, -PERIOD, 10 * PERIOD, NaN, Infinity]) expect(refused(dt, u)).toBe(KG_OUT_OF_RANGE);
    expect(refused(PERIOD, [1, NaN])).toBe(KG_NON_FINITE);
    for (const [name, value] of [
      ['noise', 0],
      ['noise', NaN],
      ['process', -1],
      ['process', Infinity],
    ] as const) {
      const kept = running[name][1]!;
      running[name][1] = value;
      expect(refused(PERIOD, u)).toBe(KG_OUT_OF_RANGE);
      running[name][1] = kept;
    }
    const never = { ...filter.create(), begun: 0 };
    expect(filter.step(dynamics, never, PERIOD, u, z)).toBe(KG_NO_STATE);
  });

  it('is part of the interface file', () => {
    const { observers } = robotInterface.parse(interfaceOf(robotModel(robot, prepared.compiled)));
    expect(observers).toHaveLength(1);
    const [own] = observers!;
    expect(own!.symbol).toBe('watched_state_observer');
    expect(own!.measurements).toHaveLength(14);
    expect(own!.measurements[1]).toEqual({ name: 'position of eye, z', unit: 'm' });
    expect(own!.settings.map(({ name }) => name)).toEqual(['period', 'noise', 'process']);
  });

  it('does not bring derivatives that nobody asked for', () => {
    const chosen = chooseFunctions(robot, prepared.compiled, ['default']);
    const names = functionNames(robotModel(robot, chosen));
    expect(names).toContain('inverseDynamicsTangent');
    expect(names).not.toContain('forwardDynamicsTangent');
    expect(names).not.toContain('inverseDynamicsAdjoint');
    const asked = compileRobot(robot, { derivatives: true });
    expect(functionNames(robotModel(robot, chooseFunctions(robot, asked, ['default'])))).toContain('newtonStep');
  });

  const compiler = COMPILERS.find(({ missing }) => !missing);
  it.skipIf(!compiler)('has the same numbers in C', async () => {
    const rows = path.map(({ u, z }, k) => [PERIOD, ...u, ...z.map((value, i) => ((i + k) % 5 === 0 ? NaN : value))]);
    const running = filter.create();
    const due = rows.map(([dt, u1, u2, ...z]) => {
      const status = filter.step(dynamics, running, dt!, [u1!, u2!], z);
      return [status, running.used, ...running.q, ...running.qd, ...running.D];
    });
    const program = await buildC(
      [...prepared.c, { path: 'loop.c', text: LOOP }],
      { ...QUICK, compiler: compiler!.compiler },
      (file) => file.endsWith('_selftest.c'),
    );
    const input = rows.map((row) => row.map((value) => (Number.isFinite(value) ? value : 'nan')).join(' ')).join('\n');
    const output = await runProgram(program, `${input}\n`).finally(() => program.dispose());
    const found = output
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    expect(found).toHaveLength(due.length);
    found.forEach((line, k) =>
      line.forEach((value, i) =>
        expect(Math.abs(value - due[k]![i]!)).toBeLessThan(1e-12 * Math.max(1, Math.abs(value))),
      ),
    );
  });
});

const LOOP = `#include "watched_state_observer.h"
#include <stdio.h>
int main(void)
{
  static watched_workspace w;
  static watched_state_observer observer;
  kg_real dt, u[2], z[14];
  int i;
  watched_state_observer_reset(&observer);
  while (scanf("%lf", &dt) == 1) {
    for (i = 0; i < 2; i++)
      if (scanf("%lf", u + i) != 1)
        return 1;
    for (i = 0; i < 14; i++)
      if (scanf("%lf", z + i) != 1)
        return 1;
    printf("%d", (int)watched_state_observer_step(&w, &watched_defaults, &observer, dt, u, z));
    printf(" %d", observer.used);
    for (i = 0; i < 3; i++)
      printf(" %.17g", observer.q[i]);
    for (i = 0; i < 3; i++)
      printf(" %.17g", observer.qd[i]);
    for (i = 0; i < 6; i++)
      printf(" %.17g", observer.D[i]);
    printf("\\n");
  }
  return 0;
}
`;
