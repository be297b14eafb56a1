/**
 * Planar chains of constant curvature, one to six bodies and twenty, at a hundred random states each (P. Pustina, section 7.3): the recursion against
 * Euler–Lagrange equations, and both against D'Alembert's principle over material points, summed here without closed forms.
 */
import { describe, expect, it } from 'vitest';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { gaussLegendre } from '../../src/integration/rules/gauss.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileLagrange } from '../../src/lagrange/compile.ts';
import type { LagrangeMethod } from '../../src/lagrange/equations.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { evaluateRobot, type State } from '../../src/verify/generated/evaluation.ts';

const [L, R, RHO] = [0.2, 0.02, 1062];
/** Along x and z, m/s². */
const GRAVITY = [3, -9] as const;
const STATES = 100;
/** Christoffel's form of six bodies takes seconds. */
const FULL = process.env['KANEGEN_FULL'] === '1';

const chain = (count: number): Robot =>
  loadRobotObject({
    kanegen: 1,
    name: `chain-${count}`,
    gravity: [GRAVITY[0], 0, GRAVITY[1]],
    links: [{ name: 'seg', body: 'planar-cc', repeat: count, parameters: { L, R, rho: RHO } }],
  });

/** Angles within half a turn, rates and accelerations of a few turns. */
function randomStates(count: number): State[] {
  const random = randomNumbers(count);
  const drawn = (half: number): number[] => Array.from({ length: count }, () => half * (2 * random() - 1));
  return Array.from({ length: STATES }, () => ({ q: drawn(Math.PI), qd: drawn(5), qdd: drawn(20) }));
}

/**
 * τ of a chain by sums over material points. The tangent at S turns by φ = Σ q_a w_a(S), w_a rising from 0 to 1 along body a; as a complex number z + i x
 * the place of a point at the distance x from the centreline is p = ∫ exp(iφ) dS + i x exp(iφ). Hence p_a and p̈ are integrals of the same kind.
 */
function byMaterialPoints({ q, qd, qdd }: State): number[] {
  const { nodes, weights } = gaussLegendre(16);
  const n = q.length;
  // ∂p/∂q_a and p̈ of the start of the body, each as (z, x).
  const start = Array.from({ length: n + 1 }, () => [0, 0]);
  const tau = q.map(() => 0);
  const [area, second] = [Math.PI * R ** 2, (Math.PI * R ** 4) / 4];
  for (let body = 0; body < n; body++) {
    const along = (values: readonly number[], share: number): number =>
      values.slice(0, body).reduce((sum, v) => sum + v, 0) + values[body]! * share;
    // What ∫ exp(iφ) dS has under the integral for each coordinate and for p̈: a complex factor of exp(iφ).
    const integrands = (share: number): number[][] => {
      const [angle, rate, acceleration] = [along(q, share), along(qd, share), along(qdd, share)];
      const [c, s] = [Math.cos(angle), Math.sin(angle)];
      const turned = (re: number, im: number): number[] => [re * c - im * s, re * s + im * c];
      const shares = q.map((_, a) => (a < body ? 1 : a === body ? share : 0));
      return [...shares.map((w) => turned(0, w)), turned(-(rate ** 2), acceleration)];
    };
    const upTo = (end: number): number[][] => {
      const sums = start.map((p) => [...p]);
      nodes.forEach((node, k) =>
        integrands(end * node).forEach((v, i) => v.forEach((x, j) => (sums[i]![j]! += weights[k]! * end * L * x))),
      );
      return sums;
    };
    nodes.forEach((share, k) => {
      const [centre, section] = [upTo(share), integrands(share)];
      const [at, turning] = [centre[n]!, section[n]!];
      const mass = RHO * L * weights[k]!;
      // The section turns by i times what the centreline has: products of two such are the same.
      for (let a = 0; a < n; a++) {
        const [p, w] = [centre[a]!, section[a]!];
        tau[a]! +=
          mass *
          (area * (p[0]! * (at[0]! - GRAVITY[1]) + p[1]! * (at[1]! - GRAVITY[0])) +
            second * (w[0]! * turning[0]! + w[1]! * turning[1]!));
      }
    });
    upTo(1).forEach((p, i) => (start[i] = p));
  }
  return tau;
}

async function byRecursion(robot: Robot, states: readonly State[]): Promise<number[][]> {
  const all = await evaluateRobot(robot, compileRobot(robot), states, { target: 'ts', precision: 'double' });
  return all.map(({ tau }) => [...tau]);
}

function byLagrange(robot: Robot, method: LagrangeMethod, states: readonly State[]): number[][] {
  const { functions, inputs, parameters } = compileLagrange(robot, { method, functions: ['inverseDynamics'] });
  const { values } = functions[0]!.outputs[0]!;
  return states.map(({ q, qd, qdd }) => {
    const bindings = new Map<Expr, number>(parameters.map((p) => [p.symbol, p.value]));
    const bind = (symbols: readonly Expr[], numbers: readonly number[]): void =>
      symbols.forEach((symbol, i) => bindings.set(symbol, numbers[i]!));
    bind(inputs.q, q);
    bind(inputs.qd, qd);
    bind(inputs.qdd, qdd);
    return evaluate(values, bindings);
  });
}

const norm = (v: readonly number[]): number => Math.hypot(...v);
/** The largest ‖a − b‖ / ‖b‖ over all states, as the paper compares. */
const furthest = (all: readonly number[][], others: readonly number[][]): number =>
  Math.max(...all.map((a, k) => norm(a.map((v, i) => v - others[k]![i]!)) / norm(others[k]!)));

describe('planar chains of constant curvature', () => {
  it.each(FULL ? [1, 2, 3, 4, 5, 6] : [2, 6])(
    'have the same inverse dynamics in every way: %d bodies',
    async (count) => {
      const robot = chain(count);
      const states = randomStates(count);
      const summed = states.map(byMaterialPoints);
      expect(furthest(await byRecursion(robot, states), summed)).toBeLessThan(1e-12);
      expect(furthest(byLagrange(robot, 'algorithmic', states), summed)).toBeLessThan(1e-12);
      if (FULL || count < 3) expect(furthest(byLagrange(robot, 'christoffel', states), summed)).toBeLessThan(1e-12);
    },
  );

  it('have that of the recursion with twenty bodies, as material points do', async () => {
    const states = randomStates(20);
    expect(furthest(await byRecursion(chain(20), states), states.map(byMaterialPoints))).toBeLessThan(1e-12);
  });
});
