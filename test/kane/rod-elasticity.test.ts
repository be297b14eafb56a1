/** Elastic rods given by their strain against the elastica, the rotating cantilever of beam theory, and strain energy. */
import { describe, expect, it } from 'vitest';
import type { BodyType } from '../../src/description/model/robot.ts';
import { REST_STRAIN } from './bodies.ts';
import type { RodMaterial } from '../../src/description/model/material.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, divide, one, plus, power, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { rodElasticity } from '../../src/kane/rods/rod-elasticity.ts';
import { LoopProgram } from '../../src/kane/loops/evaluate-loops.ts';
import { L, q, R, s } from './bodies.ts';
import { coordinateSymbols, type ChainState } from './rod-chain.ts';
import { chainOf, integrating, octopus, perLength, strainRod, u } from './rods.ts';

const modulus = symbol('body.E');

function elastic(type: BodyType, material: Partial<Extract<RodMaterial, { law: 'rod-elasticity' }>> = {}): BodyType {
  return {
    ...type,
    parameters: [...type.parameters, { name: 'E', symbol: modulus, unit: 'Pa', value: one }],
    materials: type.volumes.map(() => ({
      law: 'rod-elasticity',
      youngsModulus: modulus,
      shearModulus: divide(modulus, decimal(3)),
      shearFactors: [decimal(0.9), decimal(0.9)],
      ...material,
    })),
  };
}

/** An inextensible, unshearable rod that bends about y with a polynomial curvature. */
function cantilever(terms: number): BodyType {
  const curvature = plus(...Array.from({ length: terms }, (_, i) => times(q(i + 1), power(u, i))));
  return elastic(strainRod(`cantilever-${terms}`, terms, [zero, perLength(curvature), zero], [zero, zero, one]));
}

/** Length 1, flexural stiffness 1. */
function sizes(radius: number, density: number): ReadonlyMap<string, number> {
  return new Map([
    ['L', 1],
    ['R', radius],
    ['rho', density],
    ['E', 4 / (Math.PI * radius ** 4)],
  ]);
}

const at = (value: readonly number[]): ChainState => ({
  q: value,
  qd: value.map(() => 0),
  qdd: value.map(() => 0),
});

function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const rows = matrix.map((row, i) => [...row, right[i]!]);
  const n = rows.length;
  for (let k = 0; k < n; k++) {
    const pivot = rows.reduce((best, row, i) => (i > k && Math.abs(row[k]!) > Math.abs(rows[best]![k]!) ? i : best), k);
    [rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!];
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!;
      for (let j = k; j <= n; j++) rows[i]![j]! -= factor * rows[k]![j]!;
    }
  }
  const x = new Array<number>(n).fill(0);
  for (let i = n - 1; i >= 0; i--)
    x[i] = (rows[i]![n]! - rows[i]!.slice(i + 1, n).reduce((sum, e, j) => sum + e * x[i + 1 + j]!, 0)) / rows[i]![i]!;
  return x;
}

/** Derivative of a force by central differences, all columns from one run. */
function stiffnessMatrix(n: number, value: readonly number[], force: (states: ChainState[]) => number[][]): number[][] {
  const h = 1e-4;
  const states = value.flatMap((_, b) => [h, -h].map((d) => at(value.map((e, i) => (i === b ? e + d : e)))));
  const forces = force(states);
  return Array.from({ length: n }, (_, a) =>
    Array.from({ length: n }, (__, b) => (forces[2 * b]![a]! - forces[2 * b + 1]![a]!) / (2 * h)),
  );
}

describe('the elastica', () => {
  /** P L²/EI; deflection across and shortening along, by elliptic integrals (five digits). */
  const KNOWN = [
    [0.2, 0.066364, 0.002647],
    [1, 0.301721, 0.056433],
    [2, 0.493457, 0.160642],
    [5, 0.713792, 0.387628],
    [10, 0.810609, 0.554996],
  ] as const;

  /** Equilibrium under a dead load P along x at the tip: tip position. */
  function deflected(terms: number, load: number): readonly number[] {
    const chain = chainOf(integrating(cantilever(terms), { points: 24 }), [], [sizes(0.01, 1)]);
    const residual = (states: readonly ChainState[]): number[][] => {
      const run = chain.at(states);
      const [forces, columns, tips] = [run.passive('elastic'), run.jacobian(), run.tip()];
      return forces.map((force, k) =>
        force.map((e, a) => {
          const [, wy, wz, vx] = columns[k]!.slice(6 * a, 6 * a + 4) as [number, number, number, number];
          const velocity = vx + wy * tips[k]![11]! - wz * tips[k]![10]!;
          return e - load * velocity;
        }),
      );
    };
    let value = Array.from({ length: terms }, () => 0);
    for (let iteration = 0; iteration < 12; iteration++) {
      const [r] = residual([at(value)]);
      const step = solve(stiffnessMatrix(terms, value, residual), r!);
      // Full steps from the straight rod overshoot under large loads.
      const size = Math.min(1, 2 / Math.max(...step.map(Math.abs), 1e-300));
      value = value.map((e, a) => e - size * step[a]!);
      if (Math.max(...step.map(Math.abs)) < 1e-9) break;
    }
    return chain
      .at([at(value)])
      .tip()[0]!
      .slice(9);
  }

  it.each(KNOWN)('under P L²/EI = %d is met to five digits', (load, across, along) => {
    const [x, , z] = deflected(6, load) as [number, number, number];
    expect(Math.abs(x - across)).toBeLessThan(1e-5);
    expect(Math.abs(1 - z - along)).toBeLessThan(1e-5);
  });

  it('is approached as the basis grows', () => {
    const errors = [1, 2, 3, 5].map((terms) => {
      const [x, , z] = deflected(terms, 10) as [number, number, number];
      return Math.hypot(x - 0.810609, 1 - z - 0.554996);
    });
    for (let i = 1; i < errors.length; i++) expect(errors[i]!).toBeLessThan(0.5 * errors[i - 1]!);
  });
});

describe('a slender cantilever that rotates', () => {
  /** Ω √(ρAL⁴/EI), ω √(ρAL⁴/EI) of the first flapping mode at hub radius 0. */
  const KNOWN = [
    [0, 3.51602],
    [2, 4.13732],
    [10, 11.20233],
  ] as const;

  it.each(KNOWN)('at speed %d has the flapping frequency of beam theory: it stiffens geometrically', (speed, known) => {
    const terms = 7;
    const radius = 1e-3;
    const type = integrating(cantilever(terms), { points: 24 });
    const parameters = sizes(radius, 1 / (Math.PI * radius ** 2));
    const zeros = Array.from({ length: terms }, () => 0);
    const restoring = (states: ChainState[]): number[][] => {
      const chain = chainOf(type, states, [parameters]);
      const spinning = chain.inverseDynamics([0, 0, 0], 'forward', [speed, 0, 0]);
      return chain.passive('elastic').map((row, k) => row.map((e, a) => e + spinning[k]![a]!));
    };
    const K = stiffnessMatrix(terms, zeros, restoring);
    const flat = chainOf(type, [at(zeros)], [parameters]).massMatrix()[0]!;
    const M = zeros.map((_, a) => flat.slice(terms * a, terms * (a + 1)));
    // Inverse iteration: the lowest mode.
    let mode = zeros.map(() => 1);
    let eigenvalue = 0;
    for (let i = 0; i < 60; i++) {
      const load = M.map((row) => row.reduce((sum, e, b) => sum + e * mode[b]!, 0));
      const next = solve(K, load);
      const size = Math.max(...next.map(Math.abs));
      mode = next.map((e) => e / size);
      eigenvalue = 1 / size;
    }
    const norm = Math.max(...mode.map(Math.abs));
    expect(Math.abs(Math.sqrt(eigenvalue / norm) - known)).toBeLessThan(2e-5);
  });
});

describe('elastic and damping forces', () => {
  const rest = { angular: [zero, perLength(decimal(0.3)), zero] as const, linear: REST_STRAIN.linear };
  const damping = { viscosity: decimal(0.7) };

  function withRest(type: BodyType): BodyType {
    const { kinematics } = type;
    return kinematics.kind === 'strain' ? { ...type, kinematics: { ...kinematics, rest } } : type;
  }

  const tapered = plus(R, times(decimal(-0.5), R, u));
  const linear = strainRod(
    'six',
    3,
    [perLength(times(q(1), u)), perLength(plus(q(2), decimal(0.3))), times(q(3), s)],
    [times(decimal(0.1), q(1)), zero, plus(one, q(3))],
    tapered,
  );
  const state: ChainState = { q: [0.4, -0.3, 0.2], qd: [0.5, 0.7, -0.9], qdd: [0, 0, 0] };
  const parameters = new Map([...sizes(0.05, 1), ['L', 0.7]]);

  /** ∫ ½ (ξ − ξ*)ᵀ S (ξ − ξ*) ds by Simpson's rule on the formulas of the strain. */
  function energy(type: BodyType, value: readonly number[], rate: readonly number[] | undefined): number {
    const { kinematics } = type;
    if (kinematics.kind !== 'strain') throw new Error('a strain expected');
    const [length, E, radius] = ['L', 'E', 'R'].map((name) => parameters.get(name)!) as [number, number, number];
    const strain = (x: number, at: readonly number[]): number[] =>
      evaluate([...kinematics.angular, ...kinematics.linear, ...rest.angular, ...rest.linear], bindings(x, at));
    const bindings = (x: number, at: readonly number[]): Map<Expr, number> =>
      new Map<Expr, number>([
        [s, x],
        [L, length],
        ...type.coordinates.map((c, i): [Expr, number] => [c.symbol, at[i]!]),
      ]);
    const pieces = 400;
    let total = 0;
    for (let i = 0; i <= pieces; i++) {
      const x = (length * i) / pieces;
      const r = type.name === 'octopus' ? radius : radius * (1 - 0.5 * (x / length));
      const [area, second] = [Math.PI * r ** 2, (Math.PI * r ** 4) / 4];
      const here = strain(x, value);
      let change = here.slice(0, 6).map((e, c) => e - here[6 + c]!);
      let stiffness = [E * second, E * second, (E / 3) * 2 * second, 0.3 * E * area, 0.3 * E * area, E * area];
      if (rate) {
        const h = 1e-5;
        const [ahead, behind] = [h, -h].map((d) =>
          strain(
            x,
            value.map((e, a) => e + d * rate[a]!),
          ),
        );
        change = here.slice(0, 6).map((_, c) => (ahead![c]! - behind![c]!) / (2 * h));
        stiffness = [3 * second, 3 * second, 2 * second, area, area, 3 * area].map((e) => 0.7 * e);
      }
      const weight = i === 0 || i === pieces ? 1 : i % 2 === 1 ? 4 : 2;
      total += ((weight * length) / pieces / 3) * change.reduce((sum, e, c) => sum + 0.5 * stiffness[c]! * e * e, 0);
    }
    return total;
  }

  it.each([linear, octopus()].map((t) => [t.name, t] as const))(
    'of %s are derivatives of strain energy and dissipation',
    (_, plain) => {
      const type = integrating(elastic(withRest(plain), { damping }), { points: 16 });
      const chain = chainOf(type, [state], [parameters]);
      const [forces, viscous] = [chain.passive('elastic')[0]!, chain.passive('damping')[0]!];
      const h = 1e-5;
      state.q.forEach((_q, a) => {
        const shifted = (list: readonly number[], d: number): number[] => list.map((e, i) => (i === a ? e + d : e));
        const byCoordinate =
          (energy(type, shifted(state.q, h), undefined) - energy(type, shifted(state.q, -h), undefined)) / (2 * h);
        const byRate =
          (energy(type, state.q, shifted(state.qd, h)) - energy(type, state.q, shifted(state.qd, -h))) / (2 * h);
        expect(Math.abs(forces[a]! / byCoordinate - 1)).toBeLessThan(1e-6);
        expect(Math.abs(viscous[a]! / byRate - 1)).toBeLessThan(1e-6);
      });
    },
  );

  it('need no loop where strain and section are the same all along', () => {
    const type = elastic(strainRod('bend', 1, [zero, perLength(q(1)), zero], [zero, zero, one]));
    const [term] = rodElasticity(type, coordinateSymbols(type));
    expect(term).toMatchObject({ kind: 'elastic', loops: [] });
    const bindings = new Map<Expr, Float64Array>(
      [...sizes(0.02, 1)].map(([name, value]) => [symbol(`body.${name}`), Float64Array.of(value)]),
    );
    bindings.set(q(1), Float64Array.of(0.8));
    expect(new LoopProgram([], term!.generalized).run(bindings, 1)[0]![0]).toBeCloseTo(0.8, 13);
  });

  it('do not exist for a body without material', () => {
    const type = integrating(octopus(), {});
    expect(rodElasticity(type, coordinateSymbols(type))).toEqual([]);
  });
});
