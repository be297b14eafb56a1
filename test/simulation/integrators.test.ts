import { describe, expect, it } from 'vitest';
import { extrapolation } from '../../src/simulation/integrators/extrapolation.ts';
import { generalizedAlpha } from '../../src/simulation/integrators/generalized-alpha.ts';
import { implicitEuler } from '../../src/simulation/integrators/implicit-euler.ts';
import { IntegrationFailure, type Integrator, type Tolerances } from '../../src/simulation/integrators/integrator.ts';
import { rosenbrock } from '../../src/simulation/integrators/rosenbrock.ts';
import type { ImplicitSystem } from '../../src/runtime/generalized-alpha.ts';
import { KG_OK, type Status } from '../../src/runtime/driver.ts';
import type { StiffSystem } from '../../src/runtime/rosenbrock.ts';

/**
 * m(q) q̈ + ½ m' q̇² + d q̇ + k sin q = f cos t with m = 1 + a sin² q; one sum: the power that goes into d. The linear parts k and d are told
 * to stiff methods, times `known`, which need not be right.
 */
interface Pendulum {
  readonly a?: number;
  readonly d?: number;
  readonly k?: number;
  readonly f?: number;
  readonly known?: number;
}

function pendulum({ a = 0, d = 0, k = 1, f = 0, known = 1 }: Pendulum): StiffSystem {
  const mass = (q: number): number => 1 + a * Math.sin(q) ** 2;
  let [m, K, D, factor] = [NaN, NaN, NaN, NaN];
  const derivative = (t: number, y: Float64Array, out: Float64Array): Status => {
    const [q, v] = [y[0]!, y[1]!];
    out[0] = v;
    out[1] = (f * Math.cos(t) - k * Math.sin(q) - d * v - (a / 2) * Math.sin(2 * q) * v * v) / mass(q);
    out[2] = d * v * v;
    return KG_OK;
  };
  return {
    coordinates: 1,
    sums: 1,
    derivative,
    linearise(t, y, out) {
      [m, K, D] = [mass(y[0]!), known * k * Math.cos(y[0]!), known * d];
      return derivative(t, y, out);
    },
    factor: (g) => ((factor = m + g * D + g * g * K), KG_OK),
    solve(g, r, x) {
      x[1] = (g * m * r[1]! - g * g * K * r[0]!) / factor;
      x[0] = g * (r[0]! + x[1]);
      return KG_OK;
    },
  };
}

/** The same pendulum as residual with its derivatives, times `known` those of the springs. */
function implicit(of: Pendulum): ImplicitSystem {
  const { a = 0, d = 0, k = 1, f = 0, known = 1 } = of;
  const { derivative } = pendulum(of);
  let [q, v, w, tangent] = [NaN, NaN, NaN, NaN];
  return {
    coordinates: 1,
    sums: 1,
    accelerations(t, [q0], [v0], qdd, rates) {
      const out = new Float64Array(3);
      const status = derivative(t, Float64Array.of(q0!, v0!, 0), out);
      [qdd[0], rates[0]] = [out[1]!, out[2]!];
      return status;
    },
    residual(t, [q0], [v0], [w0], out, rates) {
      [q, v, w] = [q0!, v0!, w0!];
      out[0] = (1 + a * Math.sin(q) ** 2) * w + (a / 2) * Math.sin(2 * q) * v * v + d * v + k * Math.sin(q);
      out[0] -= f * Math.cos(t);
      rates[0] = d * v * v;
      return KG_OK;
    },
    factor(rate, acceleration) {
      const byQ = a * Math.sin(2 * q) * w + a * Math.cos(2 * q) * v * v + known * k * Math.cos(q);
      const byV = a * Math.sin(2 * q) * v + d;
      tangent = byQ + rate * byV + acceleration * (1 + a * Math.sin(q) ** 2);
      return KG_OK;
    },
    solve: (r, x) => ((x[0] = r[0]! / tangent), KG_OK),
  };
}

/** A force that swings fast for a hundredth of a second. */
function fading(t: number, y: Float64Array, out: Float64Array): Status {
  out[0] = y[1]!;
  out[1] = t < 0.02 ? 1e6 * Math.sin(1e6 * t) : 0;
  return KG_OK;
}

function end(integrator: Integrator, from: number, to: number, start: readonly number[]): number[] {
  let last: number[] = [];
  integrator.advance(from, Float64Array.from(start), to, (step) => {
    last = [...step.y];
    return true;
  });
  return last;
}

const settings = (tolerance: number): Tolerances => ({ tolerance, mostSteps: 1e6 });
const moving: Pendulum = { a: 0.8, d: 0.3, k: 4, f: 2 };
const start = [0.7, -0.4, 0];

/** Classical Runge–Kutta steps of one size, which share nothing with the methods under test. */
function rungeKutta(system: StiffSystem, from: number, to: number, y0: readonly number[], steps: number): number[] {
  const h = (to - from) / steps;
  let y = [...y0];
  const f = (t: number, state: readonly number[]): number[] => {
    const out = new Float64Array(state.length);
    system.derivative(t, Float64Array.from(state), out);
    return [...out];
  };
  const plus = (u: readonly number[], c: number, v: readonly number[]): number[] => u.map((x, i) => x + c * v[i]!);
  for (let i = 0; i < steps; i++) {
    const t = from + i * h;
    const k1 = f(t, y);
    const k2 = f(t + h / 2, plus(y, h / 2, k1));
    const k3 = f(t + h / 2, plus(y, h / 2, k2));
    const k4 = f(t + h, plus(y, h, k3));
    y = y.map((x, j) => x + (h / 6) * (k1[j]! + 2 * k2[j]! + 2 * k3[j]! + k4[j]!));
  }
  return y;
}

const distance = (a: readonly number[], b: readonly number[]): number =>
  Math.max(...a.map((x, i) => Math.abs(x - b[i]!)));

describe('integrators', () => {
  const reference = (): number[] => rungeKutta(pendulum(moving), 0, 3, start, 20_000);

  it('extrapolation comes to the tolerance', () => {
    expect(distance(end(extrapolation(pendulum(moving), settings(1e-12)), 0, 3, start), reference())).toBeLessThan(
      1e-11,
    );
    expect(distance(end(extrapolation(pendulum(moving), settings(1e-6)), 0, 3, start), reference())).toBeLessThan(1e-4);
  });

  it('rosenbrock comes to the tolerance, whatever it is told of the stiffness', () => {
    for (const known of [1, 0, 0.6])
      expect(
        distance(end(rosenbrock(pendulum({ ...moving, known }), settings(1e-9)), 0, 3, start), reference()),
      ).toBeLessThan(1e-7);
  });

  /** Error by error of a tenth of the tolerance: (1/10)^(3/3) with steps of (1/10)^(1/3). */
  it('rosenbrock is of order 3', () => {
    const exact = reference();
    const run = (tolerance: number): { error: number; steps: number } => {
      const integrator = rosenbrock(pendulum(moving), settings(tolerance));
      return { error: distance(end(integrator, 0, 3, start), exact), steps: integrator.counts.steps };
    };
    const [coarse, fine] = [run(1e-6), run(1e-9)];
    const order = Math.log(coarse.error / fine.error) / Math.log(fine.steps / coarse.steps);
    expect(order).toBeGreaterThan(2.7);
    expect(order).toBeLessThan(3.4);
  });

  it('implicit Euler is of order 1', () => {
    const exact = reference();
    const error = (step: number): number =>
      distance(
        end(implicitEuler(pendulum(moving), { mostSteps: 1e6 }, step), 0, 3, start).slice(0, 2),
        exact.slice(0, 2),
      );
    const order = Math.log2(error(2e-3) / error(1e-3));
    expect(order).toBeGreaterThan(0.9);
    expect(order).toBeLessThan(1.1);
  });

  it('implicit Euler sums powers by trapezoids, over all its steps and over those of a last one', () => {
    // Without stiffness and damping a constant force gives v = f t exactly, whose power f v is a straight line.
    const pushed: StiffSystem = {
      coordinates: 1,
      sums: 1,
      derivative: (_, y, out) => {
        out.set([y[1]!, 3, 3 * y[1]!]);
        return KG_OK;
      },
      linearise(t, y, out) {
        return this.derivative(t, y, out);
      },
      factor: () => KG_OK,
      solve: (h, r, x) => {
        x.set([h * (r[0]! + h * r[1]!), h * r[1]!]);
        return KG_OK;
      },
    };
    for (const step of [0.5, 0.3, 0.01]) {
      const [, v, work] = end(implicitEuler(pushed, { mostSteps: 1e6 }, step), 0, 2, [0, 0.4, 0]);
      expect(v).toBeCloseTo(0.4 + 3 * 2, 12);
      expect(work).toBeCloseTo(3 * 0.4 * 2 + (9 * 2 ** 2) / 2, 11);
    }
  });

  it.each([0, 0.5, 0.8, 1])(
    'generalised α is of order 2 at the spectral radius %d, factors kept or not',
    (spectralRadius) => {
      const reached = reference();
      const run = (step: number, exact: boolean) => {
        const { counts, ...integrator } = generalizedAlpha(
          implicit(moving),
          { mostSteps: 1e6, spectralRadius, exact },
          step,
        );
        return { error: distance(end({ counts, ...integrator }, 0, 3, start), reached), counts };
      };
      for (const exact of [true, false]) {
        const [coarse, fine] = [run(4e-3, exact), run(2e-3, exact)];
        expect(Math.log2(coarse.error / fine.error)).toBeGreaterThan(1.9);
        expect(Math.log2(coarse.error / fine.error)).toBeLessThan(2.1);
        // Exact steps of Newton's method: four residuals a step from where the last one ended. Else one tangent for many steps.
        expect(fine.counts.evaluations).toBeLessThan((exact ? 4.1 : 7.5) * 1500);
        if (exact) expect(fine.counts.factorisations).toBe(fine.counts.evaluations - 1);
        else expect(fine.counts.factorisations).toBeLessThan(0.05 * 1500);
      }
    },
  );

  it.each([
    [0.5, 2],
    [0.6, 1],
  ])('steps of Newmark with γ = %d are of order %i', (newmark, order) => {
    const exact = reference();
    const error = (step: number): number => {
      const integrator = generalizedAlpha(implicit(moving), { mostSteps: 1e6, newmark }, step);
      return distance(end(integrator, 0, 3, start), exact);
    };
    expect(Math.abs(Math.log2(error(4e-3) / error(2e-3)) - order)).toBeLessThan(0.1);
  });

  it('generalised α converges to the same motion with a tangent that is not exact, in more corrections', () => {
    const run = (known: number): { state: number[]; corrections: number } => {
      const options = { mostSteps: 1e6, exact: true };
      const integrator = generalizedAlpha(implicit({ ...moving, k: 400, known }), options, 5e-3);
      return { state: end(integrator, 0, 1, start), corrections: integrator.counts.evaluations };
    };
    const [exact, other] = [run(1), run(0.5)];
    expect(distance(exact.state, other.state)).toBeLessThan(1e-7);
    expect(other.corrections).toBeGreaterThan(1.2 * exact.corrections);
  });

  /** x'' = −ω² x: what is left of the amplitude after a step of many periods tends to the spectral radius. */
  it.each([0, 0.5, 1])('generalised α leaves of the highest frequencies the spectral radius %d', (spectralRadius) => {
    const spring = implicit({ k: 1e-3 });
    let tangent = NaN;
    const stiff: ImplicitSystem = {
      ...spring,
      accelerations: (_, q, __, qdd) => ((qdd[0] = -1e12 * q[0]!), KG_OK),
      residual: (_, q, __, qdd, out) => ((out[0] = qdd[0]! + 1e12 * q[0]!), KG_OK),
      factor: (_, acceleration) => ((tangent = acceleration + 1e12), KG_OK),
      solve: (r, x) => ((x[0] = r[0]! / tangent), KG_OK),
    };
    const integrator = generalizedAlpha(stiff, { mostSteps: 1e6, spectralRadius }, 1);
    const sizes: number[] = [];
    integrator.advance(0, Float64Array.of(1e-3, 0, 0), 60, (step) => sizes.push(Math.abs(step.y[1]!)) > 0);
    // A double root: the amplitude is a polynomial of first degree times powers of the radius.
    if (spectralRadius === 0) expect(sizes.at(-1)! / sizes[0]!).toBeLessThan(1e-9);
    else expect((sizes[59]! / sizes[29]!) ** (1 / 30)).toBeCloseTo(spectralRadius, 1);
  });

  it('generalised α without damping keeps the energy of a pendulum within bounds that do not grow', () => {
    const integrator = generalizedAlpha(implicit({ k: 4 }), { mostSteps: 1e6, spectralRadius: 1 }, 0.01);
    const energy = (y: Float64Array): number => y[1]! ** 2 / 2 - 4 * Math.cos(y[0]!);
    const defects: number[] = [];
    const begin = Float64Array.of(1, 0, 0);
    integrator.advance(0, begin, 100, ({ y }) => defects.push(Math.abs(energy(y) - energy(begin))) > 0);
    const half = defects.length / 2;
    expect(Math.max(...defects)).toBeLessThan(1e-3);
    expect(Math.max(...defects.slice(half))).toBeLessThan(1.1 * Math.max(...defects.slice(0, half)));
  });

  it('generalised α says where Newton’s method does not converge', () => {
    const wrong = implicit({ k: 1e10, known: -1 });
    const integrator = generalizedAlpha(wrong, { mostSteps: 100 }, 0.1);
    const failure = (): unknown => end(integrator, 0, 1, start);
    expect(failure).toThrow(IntegrationFailure);
    expect(failure).toThrow('does not converge in a step of 0.1 s, nor in shorter ones down to 1/1024 of it');
    expect(integrator.counts.steps).toBe(0);
  });

  it('generalised α halves steps in which Newton’s method does not converge, and meets the times it is asked for', () => {
    // x'' + 4 x = 0. With this tangent corrections shrink where inertia is a thousand times the stiffness.
    let tangent = NaN;
    const spring: ImplicitSystem = {
      ...implicit({}),
      accelerations: (_, q, __, qdd) => ((qdd[0] = -4 * q[0]!), KG_OK),
      residual: (_, q, __, qdd, out) => ((out[0] = qdd[0]! + 4 * q[0]!), KG_OK),
      factor: (_, acceleration) => ((tangent = acceleration - 2000), KG_OK),
      solve: (r, x) => ((x[0] = r[0]! / tangent), KG_OK),
    };
    const exact = (t: number): number[] => [
      0.7 * Math.cos(2 * t) - 0.2 * Math.sin(2 * t),
      -1.4 * Math.sin(2 * t) - 0.4 * Math.cos(2 * t),
    ];
    const step = 0.5;
    const integrator = generalizedAlpha(spring, { mostSteps: 1e4 }, step);
    const ends: number[] = [];
    let [last, worst] = [0, 0];
    integrator.advance(0, Float64Array.from(start), 3, ({ from, to, y, at }) => {
      expect(from).toBe(last);
      last = to;
      ends.push(to);
      const middle = new Float64Array(3);
      at((from + to) / 2, middle);
      for (const [t, state] of [
        [to, y],
        [(from + to) / 2, middle],
      ] as const)
        worst = Math.max(worst, distance([...state].slice(0, 2), exact(t)));
      return true;
    });
    expect(last).toBe(3);
    expect(integrator.counts.rejected).toBeGreaterThan(20);
    expect(integrator.counts.steps).toBe(ends.length);
    for (let k = 1; k <= 6; k++) expect(Math.min(...ends.map((t) => Math.abs(t - step * k)))).toBeLessThan(1e-12);
    expect(worst).toBeLessThan(5e-3);
  });

  it('stiff springs take few steps where they are known, many where they are not', () => {
    const stiff: Pendulum = { k: 1e8, d: 2e4, f: 1e7 };
    const [known, unknown] = [
      rosenbrock(pendulum(stiff), settings(1e-5)),
      extrapolation(pendulum(stiff), settings(1e-5)),
    ];
    const [a, b] = [end(known, 0, 5, [0.1, 0, 0]), end(unknown, 0, 5, [0.1, 0, 0])];
    expect(Math.abs(a[0]! - b[0]!)).toBeLessThan(1e-5);
    expect(known.counts.evaluations).toBeLessThan(unknown.counts.evaluations / 20);
    expect(unknown.advice!()).toContain('`method: rosenbrock`');
  });

  it('rounding errors of what rests do not hold it up', () => {
    const still = pendulum({ d: 2000, k: 4 });
    let calls = 0;
    const noisy = {
      ...still,
      derivative: (t: number, y: Float64Array, out: Float64Array): Status => {
        const status = still.derivative(t, y, out);
        out[1]! += 1e-12 * Math.sin(12.9898 * calls++);
        return status;
      },
    };
    const resting = extrapolation(noisy, { tolerance: 1e-9, mostSteps: 1e5 });
    expect(distance(end(resting, 0, 2, [0, 0, 0]), [0, 0, 0])).toBeLessThan(1e-7);
    expect(resting.counts.steps).toBeLessThan(2000);
  });

  it('short steps of fast motions that go on speak for no other method', () => {
    const fast = extrapolation(pendulum({ k: 1e8 }), settings(1e-8));
    end(fast, 0, 2, [1e-3, 0, 0]);
    expect(fast.counts.steps).toBeGreaterThan(2000);
    expect(fast.advice!()).toBeUndefined();
  });

  it('reads the state between the ends of a step', () => {
    for (const [integrator, bound] of [
      [extrapolation(pendulum(moving), settings(1e-10)), 1e-8],
      [rosenbrock(pendulum(moving), settings(1e-9)), 1e-7],
    ] as const) {
      const out = new Float64Array(3);
      let worst = 0;
      let count = 0;
      integrator.advance(0, Float64Array.from(start), 1, (step) => {
        const t = step.from + 0.37 * (step.to - step.from);
        step.at(t, out);
        if (count++ % 10 === 0)
          worst = Math.max(worst, distance([...out], rungeKutta(pendulum(moving), 0, t, start, 2000)));
        return true;
      });
      expect(worst).toBeLessThan(bound);
      expect(count).toBeGreaterThan(5);
    }
  });

  it('gives up early where the steps that are allowed are far too few', () => {
    const allowed = { tolerance: 1e-6, mostSteps: 1e5 };
    for (const integrator of [
      extrapolation(pendulum({ k: 1e20 }), allowed),
      rosenbrock(pendulum({ k: 1e20, known: 0 }), allowed),
    ]) {
      expect(() => end(integrator, 0, 3, start)).toThrow(
        /2000 steps came \S+ s further; at this pace \S+ more steps are necessary/,
      );
      expect(integrator.counts.steps).toBeLessThan(2100);
    }
    // What starts slowly is let go on.
    const brief = { coordinates: 1, sums: 0, derivative: fading };
    const slow = extrapolation(brief, { tolerance: 1e-9, mostSteps: 1e5 });
    end(slow, 0, 3, [0, 0]);
    expect(slow.counts.steps).toBeGreaterThan(2000);
  });

  it('says when it gives up', () => {
    const few = { tolerance: 1e-10, mostSteps: 5 };
    for (const integrator of [
      extrapolation(pendulum(moving), few),
      rosenbrock(pendulum(moving), few),
      implicitEuler(pendulum(moving), few, 1e-3),
      generalizedAlpha(implicit(moving), few, 1e-3),
    ]) {
      const failure = (): unknown => end(integrator, 0, 3, start);
      expect(failure).toThrow(IntegrationFailure);
      expect(failure).toThrow('more than 5 steps');
    }
  });
});
