/**
 * Steps of `GeneralizedAlpha`: the relations between old and new states hold as they are stated, and the equations of motion at
 * the end of each step; Newton's method, halved steps, statuses, and what robots give.
 */
import { describe, expect, it } from 'vitest';
import {
  KG_NO_STATE,
  KG_NO_STEP,
  KG_NON_FINITE,
  KG_OUT_OF_RANGE,
  KG_OK,
  KG_SINGULAR,
  KG_UNDEFINED,
  type Derivatives,
  type Dynamics,
  type Status,
} from '../../src/runtime/driver.ts';
import {
  GeneralizedAlpha,
  ImplicitRobot,
  type GeneralizedAlphaOptions,
  type ImplicitSystem,
} from '../../src/runtime/generalized-alpha.ts';
import { driver, solved } from './steps.ts';

/** M(q) q̈ + h = 0 of two coupled coordinates. */
function force(t: number, [a, b]: readonly number[], [u, v]: readonly number[]): number[] {
  return [4 * Math.sin(a!) + 0.3 * u! - b! * v! - Math.cos(2 * t), 3 * b! * (1 + a! * a!) + 0.2 * v! + 0.5 * u! * a!];
}
const mass = ([a, b]: readonly number[]): number[][] => [
  [2 + Math.sin(b!), 0.3],
  [0.3, 1 + a! * a!],
];
const power = (t: number, [a]: readonly number[], [u, v]: readonly number[]): number => u! * v! + t * a!;

/** Difference quotients as tangent: Newton's method needs no more than that. */
function system(changes: Partial<ImplicitSystem> = {}): ImplicitSystem {
  let [t, q, qd, qdd]: [number, number[], number[], number[]] = [NaN, [], [], []];
  let columns: number[][] = [];
  const residual = (a: number[], b: number[], c: number[]): number[] => {
    const f = force(t, a, b);
    return mass(a).map((row, i) => row[0]! * c[0]! + row[1]! * c[1]! + f[i]!);
  };
  return {
    coordinates: 2,
    sums: 2,
    accelerations(t, q, qd, qdd, rates) {
      const [a, b] = [[...q], [...qd]];
      qdd.set(
        solved(
          mass(a),
          force(t, a, b).map((x) => -x),
        ),
      );
      rates.set([power(t, a, b), a[1]!]);
      return KG_OK;
    },
    residual(time, a, b, c, out, rates) {
      [t, q, qd, qdd] = [time, [...a], [...b], [...c]];
      out.set(residual(q, qd, qdd));
      rates.set([power(t, q, qd), q[1]!]);
      return KG_OK;
    },
    factor(rate, acceleration) {
      const eps = 1e-6;
      columns = [0, 1].map((j) => {
        const by = (e: number): number[] =>
          residual(
            q.map((x, i) => x + (i === j ? e : 0)),
            qd.map((x, i) => x + (i === j ? e * rate : 0)),
            qdd.map((x, i) => x + (i === j ? e * acceleration : 0)),
          );
        const [more, less] = [by(eps), by(-eps)];
        return more.map((x, i) => (x - less[i]!) / (2 * eps));
      });
      return KG_OK;
    },
    solve(r, x) {
      x.set(
        solved(
          [0, 1].map((i) => columns.map((column) => column[i]!)),
          [...r],
        ),
      );
      return KG_OK;
    },
    ...changes,
  };
}

const start = [0.7, -0.4, 1.3, 0.9, 0.25, -3];
const near = (a: readonly number[], b: readonly number[]): void => {
  expect(a.length).toBe(b.length);
  b.forEach((x, i) => {
    expect(a[i]).toBeCloseTo(x, 13);
  });
};
const counts = (motion: GeneralizedAlpha): number[] => [motion.from, motion.t, motion.steps, motion.rejected];

describe('steps of generalised α', () => {
  it.each([
    ...[0, 0.3, 0.8, 1].map((spectralRadius) => ({ spectralRadius })),
    ...[0.5, 0.6, 1].map((newmark) => ({ newmark })),
    {},
  ])('keep their relations with %j', (options: GeneralizedAlphaOptions) => {
    const { spectralRadius: rho = 0.8, newmark } = options;
    const [alphaM, alphaF] = newmark === undefined ? [(2 * rho - 1) / (rho + 1), rho / (rho + 1)] : [0, 0];
    const gamma = newmark ?? 0.5 - alphaM + alphaF;
    const beta = newmark === undefined ? (1 - alphaM + alphaF) ** 2 / 4 : (newmark + 0.5) ** 2 / 4;
    // What the last correction leaves of sums is beyond the digits that are compared.
    const motion = new GeneralizedAlpha(system(), { tolerance: 1e-13, ...options });
    expect(motion.start(0.2, start)).toBe(KG_OK);
    expect([...motion.y]).toEqual(start);
    expect([...motion.slope.subarray(0, 2)]).toEqual([1.3, 0.9]);
    near([...motion.slope.subarray(4)], [power(0.2, [0.7, -0.4], [1.3, 0.9]), -0.4]);
    let mean = [...motion.slope.subarray(2, 4)];
    for (const h of [0.2, 0.1, 0.35]) {
      const [y, slope, from] = [[...motion.y], [...motion.slope], motion.t];
      expect(motion.step(h)).toBe(KG_OK);
      expect([motion.from, motion.t]).toEqual([from, from + h]);
      const [q, qd, qdd] = [0, 2]
        .map((k) => [...motion.y.subarray(k, k + 2)])
        .concat([[...motion.slope.subarray(2, 4)]]);
      const meanNext = mean.map(
        (a, i) => ((1 - alphaF) * qdd![i]! + alphaF * slope[2 + i]! - alphaM * a) / (1 - alphaM),
      );
      for (let i = 0; i < 2; i++) {
        const [a, b] = [mean[i]!, meanNext[i]!];
        expect(q![i]).toBeCloseTo(y[i]! + h * y[2 + i]! + h * h * ((0.5 - beta) * a + beta * b), 11);
        expect(qd![i]).toBeCloseTo(y[2 + i]! + h * ((1 - gamma) * a + gamma * b), 10);
        const f = force(motion.t, q!, qd!);
        const M = mass(q!)[i]!;
        expect(M[0]! * qdd![0]! + M[1]! * qdd![1]! + f[i]!).toBeCloseTo(0, 8);
        expect(motion.slope[i]).toBe(qd![i]);
      }
      // The trapezoidal rule.
      const rate = power(motion.t, q!, qd!);
      expect(motion.slope[4]).toBeCloseTo(rate, 9);
      expect(motion.y[5]).toBeCloseTo(y[5]! + (h / 2) * (y[1]! + q![1]!), 13);
      expect(motion.y[4]).toBeCloseTo(y[4]! + (h / 2) * (slope[4]! + rate), 9);
      mean = meanNext;
    }
    expect(motion.steps).toBe(3);
    expect(motion.rejected).toBe(0);
    // Newton's method from a near guess; steps of other sizes have factors of their own.
    expect(motion.corrections).toBeLessThan(3 * 12);
    expect(motion.residuals).toBe(motion.corrections);
    expect(motion.factorisations).toBeGreaterThanOrEqual(3);
    expect(motion.factorisations).toBeLessThan(motion.corrections);
  });

  it('stop correcting at the tolerance, relative to large coordinates, absolute to small ones', () => {
    // x'' = c − x with a tangent of which each correction leaves a tenth.
    const corrections = (level: number, tolerance?: number): number => {
      let tangent = NaN;
      const spring = system({
        accelerations: (_, q, __, qdd, rates) => (qdd.set(q.map((x) => level + 1 - x)), rates.fill(0), KG_OK),
        residual: (_, q, __, qdd, out, rates) => (
          out.set(q.map((x, i) => qdd[i]! + x - level - 1)),
          rates.fill(0),
          KG_OK
        ),
        factor: (_, acceleration) => ((tangent = acceleration + 1), KG_OK),
        solve: (r, x) => (x.set(r.map((y) => (0.9 * y) / tangent)), KG_OK),
      });
      const motion = new GeneralizedAlpha(spring, tolerance === undefined ? {} : { tolerance });
      motion.start(0, [level, level, 0, 0, 0, 0]);
      expect(motion.step(1)).toBe(KG_OK);
      return motion.corrections;
    };
    const [usual, finer, coarse] = [corrections(0), corrections(0, 1e-13), corrections(0, 1e-6)];
    expect(corrections(0, 1e-11)).toBe(usual);
    expect(finer - usual).toBe(2);
    expect(usual - coarse).toBe(5);
    expect(usual - corrections(1e4)).toBe(4);
    expect(corrections(-1e4)).toBe(corrections(1e4));
  });

  it('are read in between as the cubic through both ends with their derivatives', () => {
    const motion = new GeneralizedAlpha(system());
    const out = new Float64Array(6);
    motion.start(0.5, start);
    motion.between(0.5, out);
    expect([...out]).toEqual(start);
    for (const h of [0.2, 0.5]) {
      const [y0, f0] = [[...motion.y], [...motion.slope]];
      motion.step(h);
      for (const part of [0, 0.3, 0.5, 1]) {
        motion.between(motion.from + part * h, out);
        for (let i = 0; i < 6; i++) {
          // In the base of Hermite.
          const s = part;
          const exact =
            (1 + 2 * s) * (1 - s) ** 2 * y0[i]! +
            s * (1 - s) ** 2 * h * f0[i]! +
            s * s * (3 - 2 * s) * motion.y[i]! +
            s * s * (s - 1) * h * motion.slope[i]!;
          expect(out[i]).toBeCloseTo(exact, 12);
        }
      }
    }
  });
});

describe('what has no result', () => {
  it('no state, no step', () => {
    const motion = new GeneralizedAlpha(system());
    expect(motion.step(0.1)).toBe(KG_NO_STATE);
    for (const t of [NaN, Infinity]) expect(motion.start(t, start)).toBe(KG_NON_FINITE);
    expect(motion.step(0.1)).toBe(KG_NO_STATE);
    motion.start(0, start);
    for (const h of [NaN, Infinity]) expect(motion.step(h)).toBe(KG_NON_FINITE);
    for (const h of [0, -0.1]) expect(motion.step(h)).toBe(KG_OUT_OF_RANGE);
    expect(counts(motion)).toEqual([0, 0, 0, 0]);
    const broken = new GeneralizedAlpha(system({ accelerations: () => KG_SINGULAR }));
    expect(broken.start(0, start)).toBe(KG_SINGULAR);
    expect(broken.step(0.1)).toBe(KG_SINGULAR);
    expect(broken.rejected).toBe(0);
  });

  it.each(['residual', 'factor'] as const)('steps are halved where `%s` fails', (name) => {
    let calls = 0;
    const good = system();
    const tried: number[] = [];
    const bad = system({
      residual(...a) {
        tried.push(a[0]);
        return name === 'residual' && a[0] > 0.13 ? KG_UNDEFINED : good.residual(...a);
      },
      factor(...a) {
        return name === 'factor' && tried.at(-1)! > 0.13 ? KG_UNDEFINED : good.factor(...a);
      },
      solve(...a) {
        calls++;
        return good.solve(...a);
      },
    });
    const motion = new GeneralizedAlpha(bad, { exact: true });
    motion.start(0, start);
    expect(motion.step(0.4)).toBe(KG_OK);
    expect(counts(motion)).toEqual([0, 0.1, 1, 2]);
    expect(tried.slice(0, 3)).toEqual([0.4, 0.2, 0.1]);
    expect(motion.corrections).toBe(calls);
    // As if it had been of this size from the start.
    const same = new GeneralizedAlpha(system(), { exact: true });
    same.start(0, start);
    same.step(0.1);
    expect([...motion.y]).toEqual([...same.y]);
  });

  it.each([
    ['an iterate has no result', { residual: () => KG_UNDEFINED }, KG_UNDEFINED],
    ['a correction is not a number', { solve: (_, x) => (x.fill(NaN), KG_OK) }, KG_NO_STEP],
    ['corrections do not shrink', { solve: (_, x) => (x.fill(1e-3), KG_OK) }, KG_NO_STEP],
    ['one of them does not', { solve: (_, x) => ((x[0] = 0), (x[1] = 1e-3), KG_OK) }, KG_NO_STEP],
    ['the first does not', { solve: (_, x) => ((x[0] = -1e-3), (x[1] = 0), KG_OK) }, KG_NO_STEP],
  ] as readonly [string, Partial<ImplicitSystem>, Status][])(
    'a step is given up at a thousandth of it where %s',
    (_, changes, status) => {
      const good = system();
      let least = Infinity;
      const motion = new GeneralizedAlpha(
        system({
          ...changes,
          residual(...a) {
            least = Math.min(least, a[0]);
            return changes.residual?.(...a) ?? good.residual(...a);
          },
        }),
      );
      motion.start(0, start);
      expect(motion.step(0.5)).toBe(status);
      expect(least).toBe(0.5 / 1024);
      expect(counts(motion)).toEqual([0, 0, 0, 10]);
      expect([...motion.y]).toEqual(start);
      // Thirty corrections are tried in each.
      if (changes.residual === undefined && _.includes('not')) expect([11, 330]).toContain(motion.corrections);
    },
  );
});

describe('factors', () => {
  /** The same system, and what was asked of it in order: r(esidual), f(actor), s(olve). */
  function logged(changes: (good: ImplicitSystem) => Partial<ImplicitSystem> = () => ({})): {
    readonly of: ImplicitSystem;
    readonly calls: string[];
  } {
    const calls: string[] = [];
    const good = system();
    const own: ImplicitSystem = { ...good, ...changes(good) };
    const of: ImplicitSystem = {
      ...own,
      residual: (...a) => (calls.push('r'), own.residual(...a)),
      factor: (...a) => (calls.push('f'), own.factor(...a)),
      solve: (...a) => (calls.push('s'), own.solve(...a)),
    };
    return { of, calls };
  }
  const count = (calls: readonly string[], what: string): number => calls.filter((call) => call === what).length;

  it('are kept from correction to correction and from step to step, and counted', () => {
    const { of, calls } = logged();
    const motion = new GeneralizedAlpha(of);
    motion.start(0, start);
    for (let k = 0; k < 20; k++) expect(motion.step(1e-3)).toBe(KG_OK);
    expect(motion.factorisations).toBe(1);
    expect(calls.join('').startsWith('rfsrsrs')).toBe(true);
    expect([count(calls, 'r'), count(calls, 'f')]).toEqual([motion.residuals, motion.factorisations]);
    expect(motion.residuals).toBe(motion.corrections);
    // A size that differs by rounding is the same, another is not; nor do factors outlast a start.
    motion.step(1e-3 * (1 + 1e-12));
    expect(motion.factorisations).toBe(1);
    motion.step(1.1e-3);
    expect(motion.factorisations).toBe(2);
    motion.start(0, start);
    motion.step(1.1e-3);
    expect(motion.factorisations).toBe(3);
  });

  it('lead to the motion of exact steps, in which each correction has its own', () => {
    const { of, calls } = logged();
    const exact = new GeneralizedAlpha(of, { exact: true, tolerance: 1e-13 });
    const kept = new GeneralizedAlpha(system(), { tolerance: 1e-13 });
    for (const motion of [exact, kept]) motion.start(0, start);
    for (let k = 0; k < 50; k++) for (const motion of [exact, kept]) expect(motion.step(0.05)).toBe(KG_OK);
    for (let i = 0; i < 2; i++) expect(Math.abs(kept.y[i]! - exact.y[i]!)).toBeLessThan(1e-11);
    expect(exact.factorisations).toBe(exact.corrections);
    expect(calls.join('')).toMatch(/^(rfs)+$/);
    expect(kept.factorisations).toBeLessThan(0.3 * exact.factorisations);
    expect(kept.corrections).toBeGreaterThan(exact.corrections);
  });

  it('are made anew for the same residual where a correction is more than a tenth of the one before', () => {
    // Factors from the second on are of no use, until they are made anew.
    let solves = 0;
    const { of, calls } = logged((good) => ({
      factor: (...a) => ((solves = 0), good.factor(...a)),
      solve(r, x) {
        const status = good.solve(r, x);
        if (++solves > 1) for (let i = 0; i < 2; i++) x[i] = 0.8 * x[i]!;
        return status;
      },
    }));
    const motion = new GeneralizedAlpha(of);
    motion.start(0, start);
    expect(motion.step(0.1)).toBe(KG_OK);
    expect(calls.join('')).toMatch(/^rfs(rs)*rsfs/);
    expect(motion.factorisations).toBeGreaterThan(1);
    expect([count(calls, 'r'), count(calls, 'f')]).toEqual([motion.residuals, motion.factorisations]);
    const exact = new GeneralizedAlpha(system(), { exact: true });
    exact.start(0, start);
    exact.step(0.1);
    for (let i = 0; i < 2; i++) expect(motion.y[i]).toBeCloseTo(exact.y[i]!, 11);
  });

  it('of an earlier step that lead nowhere give way to exact steps before the step is halved', () => {
    let [now, made] = [NaN, NaN];
    const { of } = logged((good) => ({
      residual: (...a) => (([now] = a), good.residual(...a)),
      factor: (...a) => ((made = now), good.factor(...a)),
      solve: (r, x) => (made === now ? good.solve(r, x) : KG_UNDEFINED),
    }));
    const motion = new GeneralizedAlpha(of);
    motion.start(0, start);
    for (let k = 0; k < 3; k++) expect(motion.step(0.1)).toBe(KG_OK);
    expect([motion.steps, motion.rejected]).toEqual([3, 0]);
  });
});

describe('a robot with derivatives', () => {
  interface Staged {
    q: number[];
    qd: number[];
    readonly calls: string[];
    newton?: readonly (number | readonly number[])[];
  }

  function fake(staged: Staged, failing?: string): Dynamics & Derivatives {
    const called = (what: string): Status => {
      staged.calls.push(what);
      return what === failing ? KG_SINGULAR : KG_OK;
    };
    return driver({
      coordinates: 2,
      actuators: 3,
      update: (q, qd) => (([staged.q, staged.qd] = [Array.from(q), Array.from(qd)]), called('update')),
      forwardDynamics(tau, qdd) {
        for (let i = 0; i < 2; i++) qdd[i] = (tau[i]! - 3 * staged.q[i]!) / (2 + i);
        return called('forwardDynamics');
      },
      activeInverseDynamics(qdd, tau) {
        for (let i = 0; i < 2; i++) tau[i] = (2 + i) * qdd[i]! + 3 * staged.q[i]!;
        return called('activeInverseDynamics');
      },
      ...({
        newtonFactor(rate, acceleration, qdd, u) {
          staged.newton = [rate, acceleration, Array.from(qdd), Array.from(u)];
          return called('newtonFactor');
        },
        newtonSolve(r, dq) {
          dq.set([5 * r[0]!, 6 * r[1]!]);
          return called('newtonSolve');
        },
      } satisfies Partial<Derivatives>),
    }) as Dynamics & Derivatives;
  }

  const [q, qd, qdd] = [Float64Array.of(0.4, -0.2), Float64Array.of(1, 2), Float64Array.of(-3, 7)];

  it('is driven at the times it is told, and hands on what its driver is asked for', () => {
    const staged: Staged = { q: [], qd: [], calls: [] };
    const times: number[] = [];
    const inputs = Float64Array.of(9, 8, 7);
    const robot = new ImplicitRobot(
      fake(staged),
      (t, _, q, qd, tau, rates) => {
        expect([...tau, ...rates]).toEqual([0, 0, 0]);
        [tau[0], tau[1], rates[0]] = [t, q[0]! * qd[1]!, 2 * t];
        return KG_OK;
      },
      { sums: 1, setTime: (t) => times.push(t), inputs },
    );
    expect([robot.coordinates, robot.sums]).toEqual([2, 1]);
    const [out, rates] = [new Float64Array(2), Float64Array.of(77)];
    expect(robot.accelerations(0.5, q, qd, out, rates)).toBe(KG_OK);
    near([...out, ...rates], [(0.5 - 1.2) / 2, (0.4 * 2 + 0.2 * 3) / 3, 1]);
    expect(robot.residual(0.25, q, qd, qdd, out, rates)).toBe(KG_OK);
    near([...out, ...rates], [2 * -3 + 3 * 0.4 - 0.25, 3 * 7 + 3 * -0.2 - 0.4 * 2, 0.5]);
    expect(times).toEqual([0.5, 0.25]);
    const x = new Float64Array(2);
    expect(robot.factor(11, 12)).toBe(KG_OK);
    expect(staged.newton).toEqual([11, 12, [-3, 7], [9, 8, 7]]);
    expect(robot.solve(Float64Array.of(1, 2), x)).toBe(KG_OK);
    expect([...x]).toEqual([5, 12]);
  });

  it('has no inputs, sums and times where it is told none', () => {
    const staged: Staged = { q: [], qd: [], calls: [] };
    const robot = new ImplicitRobot(fake(staged), () => KG_OK);
    expect(robot.sums).toBe(0);
    expect(robot.accelerations(0, q, qd, new Float64Array(2), new Float64Array(0))).toBe(KG_OK);
    robot.factor(1, 1);
    expect(staged.newton![3]).toEqual([0, 0, 0]);
  });

  it.each(['update', 'forwardDynamics', 'activeInverseDynamics', 'newtonFactor', 'newtonSolve'])(
    'tells a failure of `%s`',
    (name) => {
      const staged: Staged = { q: [], qd: [], calls: [] };
      const robot = new ImplicitRobot(fake(staged, name), () => KG_OK);
      const [out, none] = [new Float64Array(2), new Float64Array(0)];
      const of = (status: Status, ...touched: string[]): void => {
        expect(status).toBe(touched.includes(name) ? KG_SINGULAR : KG_OK);
        expect(staged.calls.splice(0)).toEqual(name === 'update' ? touched.slice(0, 1) : touched);
      };
      of(robot.accelerations(0, q, qd, out, none), 'update', 'forwardDynamics');
      of(robot.residual(0, q, qd, qdd, out, none), 'update', 'activeInverseDynamics');
      if (name !== 'update') {
        of(robot.factor(1, 1), 'newtonFactor');
        of(robot.solve(q, out), 'newtonSolve');
      }
    },
  );

  it('tells a failure of its drive, and asks for no dynamics then', () => {
    const staged: Staged = { q: [], qd: [], calls: [] };
    const robot = new ImplicitRobot(fake(staged), () => KG_UNDEFINED);
    expect(robot.accelerations(0, q, qd, new Float64Array(2), new Float64Array(0))).toBe(KG_UNDEFINED);
    expect(robot.residual(0, q, qd, qdd, new Float64Array(2), new Float64Array(0))).toBe(KG_UNDEFINED);
    expect(staged.calls).toEqual(['update', 'update']);
  });
});
