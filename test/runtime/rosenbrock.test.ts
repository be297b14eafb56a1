/**
 * Steps of `Rosenbrock` against the method as its paper states it, by slopes and matrices instead of the transformed stages
 * of the code, with the control of the step as Gustafsson states it; polynomials, statuses, and what robots give.
 */
import { describe, expect, it } from 'vitest';
import {
  KG_NO_STATE,
  KG_NO_STEP,
  KG_NON_FINITE,
  KG_OK,
  KG_SINGULAR,
  KG_UNDEFINED,
  type Drive,
  type Status,
} from '../../src/runtime/driver.ts';
import { DrivenRobot, Rosenbrock, type StiffSystem } from '../../src/runtime/rosenbrock.ts';
import { driver, jacobian, rates, solved, stiff, type Rates } from './steps.ts';

/** ROS34PW2 (Rang & Angermann 2005): α_ij, γ_ij below the diagonal, b, b̂. */
const GAMMA = 4.35866521508459e-1;
const ALPHA = [[], [8.7173304301691801e-1], [8.4457060015369423e-1, -1.1299064236484185e-1], [0, 0, 1]];
const GAMMAS = [
  [],
  [-8.7173304301691801e-1],
  [-9.0338057013044082e-1, 5.4180672388095326e-2],
  [2.4212380706095346e-1, -1.2232505839045147, 5.4526025533510214e-1],
];
const B = [2.4212380706095346e-1, -1.2232505839045147, 1.545260255335102, 4.35866521508459e-1];
const B_HAT = [3.7810903145819369e-1, -9.6042292212423178e-2, 0.5, 2.179332607542295e-1];

interface Attempt {
  readonly y: readonly number[];
  /** Root mean square of the two results' difference, over tolerances. */
  readonly error: number;
}

/** (1 − hγ J) k_i = f(t + α_i h, y + h Σ α_ij k_j) + h J Σ γ_ij k_j; sums have no part in J. */
function step(f: Rates, t: number, y: readonly number[], h: number, tolerance: number): Attempt {
  const J = [...jacobian(y).map((row) => [...row, 0]), [0, 0, 0, 0, 0]];
  const matrix = J.map((row, i) => row.map((x, j) => Number(i === j) - h * GAMMA * x));
  const k: number[][] = [];
  const along = (weights: readonly number[]): number[] =>
    y.map((_, i) => weights.reduce((sum, w, j) => sum + w * k[j]![i]!, 0));
  ALPHA.forEach((alpha, i) => {
    const [moved, turned] = [along(alpha), along(GAMMAS[i]!)];
    const right = f(
      t + h * alpha.reduce((sum, a) => sum + a, 0),
      y.map((x, m) => x + h * moved[m]!),
    );
    k.push(
      solved(
        matrix,
        right.map((x, m) => x + h * J[m]!.reduce((sum, c, n) => sum + c * turned[n]!, 0)),
      ),
    );
  });
  const [change, other] = [along(B), along(B_HAT)];
  const next = y.map((x, i) => x + h * change[i]!);
  const ratios = y
    .slice(0, 4)
    .map((x, i) => (h * (change[i]! - other[i]!)) / (tolerance * (1 + Math.max(Math.abs(x), Math.abs(next[i]!)))));
  return { y: next, error: Math.sqrt(ratios.reduce((sum, r) => sum + r * r, 0) / 4) };
}

const start = [0.7, -0.4, 1.3, 0.9, 0.25];
const far = (a: ArrayLike<number>, b: readonly number[]): number => Math.max(...b.map((x, i) => Math.abs(a[i]! - x)));

describe('a step', () => {
  it.each([0.3, 0.01, 1.7, -0.2])('of %d s is that of the paper, with a Jacobian that is not exact', (h) => {
    const motion = new Rosenbrock(stiff(), 1e-6);
    expect(motion.start(0.4, start)).toBe(KG_OK);
    expect(motion.step(h)).toBe(KG_OK);
    const first = step(rates, 0.4, start, h, 1).y;
    expect(far(motion.y, first)).toBeLessThan(2e-13 * Math.max(1, ...first.map(Math.abs)));
    expect([motion.from, motion.t, motion.steps]).toEqual([0.4, 0.4 + h, 1]);
    // The next one begins with what it ended with.
    expect(motion.step(0.1)).toBe(KG_OK);
    expect(far(motion.y, step(rates, 0.4 + h, first, 0.1, 1).y)).toBeLessThan(
      1e-12 * Math.max(1, ...first.map(Math.abs)),
    );
    expect([motion.from, motion.steps, motion.rejected]).toEqual([0.4 + h, 2, 0]);
  });

  it('is read in between exactly where the motion is a polynomial of degree three', () => {
    // One rate is a square of the time: any method of order 3 is exact, and so is a cubic.
    const f: Rates = (t) => [3 * t * t - 2 * t, 1, 4 * t, -6 * t * t, 0.5 - t];
    const exact = (t: number): number[] => [t ** 3 - t * t, t, 2 * t * t, -2 * t ** 3, 0.5 * t - (t * t) / 2];
    const nothing = (): number[][] => [0, 1, 2, 3].map(() => [0, 0, 0, 0]);
    const motion = new Rosenbrock(stiff(f, nothing), 1e-6);
    const out = new Float64Array(5);
    motion.start(-0.5, exact(-0.5));
    motion.between(-0.5, out);
    expect([...out]).toEqual(exact(-0.5));
    for (const h of [1.25, 0.5]) {
      motion.step(h);
      for (const part of [0, 0.2, 0.5, 0.9, 1, 1.5]) {
        const t = motion.from + part * h;
        motion.between(t, out);
        expect(far(out, exact(t))).toBeLessThan(1e-13);
      }
    }
  });
});

describe('steps of controlled error', () => {
  /** The sizes of steps, accepted or not, by the control as it is stated. */
  function controlled(f: Rates, to: readonly number[], tolerance: number) {
    let [t, y, errorBefore, rejected]: [number, readonly number[], number, number] = [0, start, 1, 0];
    let [grew, least, cut] = [0, 0, 0];
    const slope = f(0, y);
    const ratio = Math.sqrt([0, 1, 2, 3].reduce((sum, i) => sum + (slope[i]! / (1 + Math.abs(y[i]!))) ** 2, 0) / 4);
    const ends: number[] = [];
    let size = ratio * to[0]! > 0.01 ? 0.01 / ratio : to[0]!;
    for (const end of to)
      while (t < end) {
        const left = end - t;
        const h = size >= left ? left : Math.min(size, left / 2);
        const tried = step(f, t, y, h, tolerance);
        if (tried.error > 1) {
          rejected++;
          size = h * Math.min(1, Math.max(0.1, 0.9 * tried.error ** (-3 / 8)));
          continue;
        }
        const wanted = (0.9 * errorBefore ** (1 / 8)) / Math.max(tried.error, 1e-10) ** (3 / 8);
        const factor = Math.min(5, Math.max(0.1, wanted));
        if (factor === 5) grew++;
        if (tried.error < 1e-4) least++;
        errorBefore = Math.max(tried.error, 1e-4);
        if (h < size) cut++;
        size = h < size ? Math.max(h * factor, Math.min(size, 5 * h)) : h * factor;
        [t, y] = [h === left ? end : t + h, tried.y];
        ends.push(t);
      }
    return { ends, y, size, rejected, grew, least, cut };
  }

  /** Beats at 2.5 s: steps are rejected there. */
  const beaten: Rates = (t, y) => {
    const f = [...rates(t, y)];
    f[2]! += 40 * Math.exp(-((t - 2.5) ** 2) * 400);
    return f;
  };

  it.each([
    [rates, [0.5, 0.50001, 2, 2.2], 1e-4],
    [rates, [3], 1e-7],
    [beaten, [1, 4], 1e-3],
  ] as const)('are chosen as Gustafsson chooses them, %#', (f, to, tolerance) => {
    const exact = controlled(f, to, tolerance);
    const motion = new Rosenbrock(stiff(f), tolerance);
    motion.start(0, start);
    const ends: number[] = [];
    for (const end of to)
      while (motion.t < end) {
        expect(motion.stepTowards(end)).toBe(KG_OK);
        ends.push(motion.t);
      }
    expect(ends.length).toBe(exact.ends.length);
    expect(far(ends, exact.ends)).toBeLessThan(1e-7);
    for (const end of to) expect(ends).toContain(end);
    expect(far(motion.y, exact.y)).toBeLessThan(1e-7);
    expect(Math.abs(motion.stepSize / exact.size - 1)).toBeLessThan(1e-5);
    expect([motion.steps, motion.rejected]).toEqual([exact.ends.length, exact.rejected]);
    expect(exact.cut).toBeGreaterThan(0);
    if (f === beaten) expect(exact.rejected).toBeGreaterThan(1);
    if (to.length === 4) expect([exact.grew, exact.least].every((count) => count > 0)).toBe(true);
  });

  it('begin with a hundredth of the time in which the state changes by its size, or with the whole way', () => {
    const f: Rates = () => [3, -4, 2, 5, 1e6];
    const nothing = (): number[][] => [0, 1, 2, 3].map(() => [0, 0, 0, 0]);
    const size = 0.01 / Math.sqrt(((3 / 3) ** 2 + (4 / 2) ** 2 + (2 / 1) ** 2 + (5 / 5) ** 2) / 4);
    const begin = [2, -1, 0, 4, 1e3];
    for (const [way, first] of [
      [1, size],
      [1.999 * size, (1.999 * size) / 2],
      [2.01 * size, size],
      [0.99 * size, 0.99 * size],
    ] as const) {
      const motion = new Rosenbrock(stiff(f, nothing), 1e-6);
      motion.start(0, begin);
      motion.stepTowards(way);
      expect(motion.t).toBeCloseTo(first, 14);
    }
    // Where nothing moves it is the whole way, and the next one five times that.
    const still = new Rosenbrock(
      stiff(() => [0, 0, 0, 0, 7], nothing),
      1e-6,
    );
    still.start(0, begin);
    expect(still.stepTowards(3)).toBe(KG_OK);
    expect([still.t, still.steps, still.stepSize]).toEqual([3, 1, 15]);
    expect(still.y[4]).toBeCloseTo(1e3 + 21, 10);
  });

  it('take a system without coordinates in one step', () => {
    const sums: StiffSystem = {
      coordinates: 0,
      sums: 1,
      derivative: (t, _, out) => ((out[0] = t * t), KG_OK),
      linearise: (t, _, out) => ((out[0] = t * t), KG_OK),
      factor: () => KG_OK,
      solve: () => KG_OK,
    };
    const motion = new Rosenbrock(sums, 1e-6);
    motion.start(0, [0]);
    expect(motion.stepTowards(3)).toBe(KG_OK);
    expect(motion.t).toBe(3);
    expect(motion.y[0]).toBeCloseTo(9, 12);
  });
});

describe('what has no result', () => {
  const counts = (motion: Rosenbrock): number[] => [motion.from, motion.t, motion.steps, motion.rejected];

  it('no state, no step', () => {
    const motion = new Rosenbrock(stiff(), 1e-6);
    expect(motion.step(0.1)).toBe(KG_NO_STATE);
    expect(motion.stepTowards(1)).toBe(KG_NO_STATE);
    expect(motion.stepSize).toBe(0);
    for (const t of [NaN, Infinity]) expect(motion.start(t, start)).toBe(KG_NON_FINITE);
    expect(motion.step(0.1)).toBe(KG_NO_STATE);
    motion.start(0, start);
    for (const t of [NaN, Infinity, -Infinity]) {
      expect(motion.step(t)).toBe(KG_NON_FINITE);
      expect(motion.stepTowards(t)).toBe(KG_NON_FINITE);
    }
    // The way is done, or lies behind.
    for (const t of [0, -1]) expect(motion.stepTowards(t)).toBe(KG_OK);
    expect(counts(motion)).toEqual([0, 0, 0, 0]);
    expect([...motion.y]).toEqual(start);
  });

  it.each(['derivative', 'linearise', 'factor', 'solve'] as const)('a failure of `%s` is told, and undone', (name) => {
    let isFailing = false;
    const system = stiff();
    const failing = new Proxy(system, {
      get: (target, key: keyof StiffSystem) => (key === name && isFailing ? () => KG_SINGULAR : target[key]),
    });
    const motion = new Rosenbrock(failing, 1e-6);
    motion.start(0, start);
    isFailing = true;
    expect(motion.step(0.1)).toBe(KG_SINGULAR);
    if (name === 'linearise') {
      // It belongs to the next step: this one is made, the state after it is none to go on from.
      expect(counts(motion)).toEqual([0, 0.1, 1, 0]);
      isFailing = false;
      expect(motion.step(0.1)).toBe(KG_SINGULAR);
      expect(motion.start(0, start)).toBe(KG_OK);
    } else {
      expect(counts(motion)).toEqual([0, 0, 0, 0]);
      expect([...motion.y]).toEqual(start);
      isFailing = false;
    }
    expect(motion.step(0.1)).toBe(KG_OK);
    expect(far(motion.y, step(rates, 0, start, 0.1, 1).y)).toBeLessThan(1e-13);
  });

  it('a failure at the end of stages counts, not only at the first', () => {
    for (let which = 1; which <= 7; which++) {
      const system = stiff();
      let calls = 0;
      const some = (status: Status): Status => (++calls === which ? KG_SINGULAR : status);
      const motion = new Rosenbrock(
        {
          ...system,
          derivative: (t, y, out) => some(system.derivative(t, y, out)),
          solve: (g, r, x) => some(system.solve(g, r, x)),
        },
        1e-6,
      );
      motion.start(0, start);
      expect(motion.step(0.1)).toBe(KG_SINGULAR);
      // Nothing is asked after it.
      expect(calls).toBe(which);
      expect([...motion.y]).toEqual(start);
    }
  });

  it('a state that is not finite is none', () => {
    const motion = new Rosenbrock(
      stiff((t, y) => (t > 0.05 ? rates(t, y).map((x, i) => (i === 4 ? NaN : x)) : rates(t, y))),
      1e-6,
    );
    motion.start(0, start);
    expect(motion.step(0.1)).toBe(KG_UNDEFINED);
    expect(motion.step(0.01)).toBe(KG_OK);
  });

  it('steps are quartered until they have a result, and end where none has', () => {
    const bounded: Rates = (t, y) => (t > 1.2 ? [NaN, 0, 0, 0, 0] : rates(t, y));
    const motion = new Rosenbrock(stiff(bounded), 1e-3);
    motion.start(1, start);
    motion.stepSize = 0.9;
    expect(motion.stepTowards(5)).toBe(KG_OK);
    // 0.9, 0.225 fail; 0.05625 is short enough.
    expect(motion.rejected).toBe(2);
    expect(motion.t).toBe(1.05625);
    let status: Status = KG_OK;
    for (let k = 0; k < 100 && status === KG_OK; k++) status = motion.stepTowards(5);
    expect(status).toBe(KG_UNDEFINED);
    expect(motion.t).toBeLessThanOrEqual(1.2);
    expect(motion.t).toBeGreaterThan(1.2 - 1e-6);
    // What 5 s cannot tell from themselves.
    expect(5 + motion.stepSize).toBe(5);
    expect(5 + 4.1 * motion.stepSize).toBeGreaterThan(5);
  });

  it('no step is short enough for a tolerance that no arithmetic meets', () => {
    const hopeless = (from: number, to: number): Rosenbrock => {
      const motion = new Rosenbrock(stiff(), 1e-200);
      motion.start(from, start);
      motion.stepSize = 1;
      expect(motion.stepTowards(to)).toBe(KG_NO_STEP);
      expect([motion.t, motion.steps]).toEqual([from, 0]);
      expect([...motion.y]).toEqual(start);
      return motion;
    };
    // A tenth each: 1, 0.1, … to what 3 s, or the end where that is farther from zero, cannot tell from itself.
    for (const [from, to] of [
      [1, 3],
      [-1, 1e-3],
      [-3, 0],
    ] as const) {
      const { stepSize, rejected } = hopeless(from, to);
      const most = Math.max(Math.abs(from), Math.abs(to));
      expect(most + stepSize).toBe(most);
      expect(most + 11 * stepSize).toBeGreaterThan(most);
      expect(rejected).toBe(Math.round(Math.log10(Math.min(1, (to - from) / 2 < 1 ? (to - from) / 2 : 1) / stepSize)));
    }
  });
});

describe('a driven robot', () => {
  interface Log {
    readonly calls: string[];
  }

  /** M q̈ = tau − K q − D q̇ with diagonal M; `twin` tells who is asked. */
  function fake(log: Log, name: string, failing?: string): ReturnType<typeof driver> {
    let [q, qd]: [number[], number[]] = [[], []];
    let g = NaN;
    const called = (what: string): Status => {
      log.calls.push(`${name} ${what}`);
      return what === failing ? KG_SINGULAR : KG_OK;
    };
    return driver({
      coordinates: 2,
      twin: () => fake(log, 'twin', failing),
      update: (a, b) => (([q, qd] = [Array.from(a), Array.from(b)]), called('update')),
      forwardDynamics(tau, qdd) {
        for (let i = 0; i < 2; i++) qdd[i] = (tau[i]! - (3 + i) * q[i]! - 0.5 * qd[i]!) / (2 + i);
        return called('forwardDynamics');
      },
      implicitFactor: (h) => ((g = h), called('implicitFactor')),
      implicitSolve(h, rq, rv, xq, xv) {
        expect(h).toBe(g);
        for (let i = 0; i < 2; i++) {
          const [m, k, d] = [2 + i, 3 + i, 0.5];
          xv[i] = (h * (m * rv[i]! - h * k * rq[i]!)) / (m + h * d + h * h * k);
          xq[i] = h * (rq[i]! + xv[i]!);
        }
        return called('implicitSolve');
      },
    });
  }

  const drive: Drive = (t, _, q, qd, tau, out) => {
    // Both begin with nothing.
    expect([...tau, ...out]).toEqual([0, 0, 0, 0]);
    [tau[0], tau[1], out[0], out[1]] = [Math.sin(t), q[0]! * qd[1]!, qd[0]! * t, 2 * t];
    return KG_OK;
  };
  const f: Rates = (t, { 0: a, 1: b, 2: u, 3: v }) => [
    u!,
    v!,
    (Math.sin(t) - 3 * a! - 0.5 * u!) / 2,
    (a! * v! - 4 * b! - 0.5 * v!) / 3,
    u! * t,
  ];
  const J = (): number[][] => [
    [0, 0, 1, 0],
    [0, 0, 0, 1],
    [-3 / 2, 0, -0.5 / 2, 0],
    [0, -4 / 3, 0, -0.5 / 3],
  ];

  it('moves as its equations do; stages and the beginning of a step have a workspace each', () => {
    const log: Log = { calls: [] };
    const times: number[] = [];
    const robot = new DrivenRobot(fake(log, 'own'), drive, { sums: 2, setTime: (t) => times.push(t) });
    expect([robot.coordinates, robot.sums]).toEqual([2, 2]);
    const motion = new Rosenbrock(robot, 1e-6);
    const plain = new Rosenbrock(stiff(f, J), 1e-6);
    for (const each of [motion, plain]) {
      expect(each.start(0.5, each === motion ? [...start, 1] : start)).toBe(KG_OK);
      for (const h of [0.3, 0.2]) expect(each.step(h)).toBe(KG_OK);
    }
    expect(far(motion.y, [...plain.y])).toBeLessThan(1e-14);
    expect(motion.y[5]).toBeCloseTo(1 + 1 - 0.25, 13);
    expect(log.calls.slice(0, 4)).toEqual([
      'own update',
      'own forwardDynamics',
      'own implicitFactor',
      'own implicitSolve',
    ]);
    expect(log.calls.slice(4, 6)).toEqual(['twin update', 'twin forwardDynamics']);
    expect(times.slice(0, 2)).toEqual([0.5, 0.5 + 0.3 * 0.871733043016918]);
    expect(times.length).toBe(1 + 2 * 4);
  });

  it('adds up nothing, and knows of no time, where it is not told', () => {
    const robot = new DrivenRobot(fake({ calls: [] }, 'own'), (_, __, ___, ____, tau, out) => {
      expect([tau.length, out.length]).toEqual([2, 0]);
      return KG_OK;
    });
    const motion = new Rosenbrock(robot, 1e-6);
    expect(motion.start(0, start.slice(0, 4))).toBe(KG_OK);
    expect(motion.step(0.1)).toBe(KG_OK);
  });

  it.each(['update', 'forwardDynamics', 'implicitFactor', 'implicitSolve'])('tells a failure of `%s`', (name) => {
    const log: Log = { calls: [] };
    const robot = new DrivenRobot(fake(log, 'own', name), drive, { sums: 2 });
    const motion = new Rosenbrock(robot, 1e-6);
    const begin = [...start, 1];
    const status = motion.start(0, begin);
    if (name.startsWith('implicit')) {
      expect(status).toBe(KG_OK);
      expect(motion.step(0.1)).toBe(KG_SINGULAR);
    } else expect(status).toBe(KG_SINGULAR);
    // Nothing comes after it.
    expect(log.calls.at(-1)).toBe(`own ${name}`);
    expect(motion.step(0.1)).toBe(KG_SINGULAR);
    expect([...motion.y]).toEqual(begin);
  });

  it('tells a failure of its drive, and asks for no dynamics then', () => {
    const log: Log = { calls: [] };
    const motion = new Rosenbrock(new DrivenRobot(fake(log, 'own'), () => KG_UNDEFINED, { sums: 1 }), 1e-6);
    expect(motion.start(0, start)).toBe(KG_UNDEFINED);
    expect(log.calls).toEqual(['own update']);
  });
});
