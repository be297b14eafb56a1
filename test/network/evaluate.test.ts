import { describe, expect, it } from 'vitest';
import { differentiateAll } from '../../src/symbolic/graph/differentiate.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, plus, symbol, times, zero } from '../../src/symbolic/graph/expr.ts';
import { networkFormula } from '../../src/network/formula.ts';
import { activationJet, evaluateNetwork, evaluateWithChange } from './evaluate-network.ts';
import { sampleNetwork } from './sample-network.ts';

const ACTIVATIONS = ['tanh', 'sine', 'softplus', 'silu'] as const;
const Decimal50 = decimalOfPrecision(50);

describe('a network and its derivatives', () => {
  const z = [0.375, -1.25, 0.8125];
  const directions = [
    [1, 0, 0],
    [-0.5, 2, 0.25],
  ];

  it.each(ACTIVATIONS)('agree with fifty digits of the differentiated formulas, with %s', (activation) => {
    const network = sampleNetwork([3, 7, 5, 3], activation);
    const t = symbol('t');
    const along = (direction: readonly number[]) =>
      networkFormula(
        network,
        z.map((value, i) => plus(decimal(value), times(decimal(direction[i]!), t))),
      );
    const exact = (roots: ReturnType<typeof along>): number[] =>
      evaluateDecimal(roots, new Map([[t, new Decimal50(0)]]), Decimal50).map(Number);
    const jet = evaluateNetwork(network, z, directions, 1);
    const slopes = directions.map((direction) => differentiateAll(along(direction), t));
    const close = (values: Float64Array, expected: readonly number[]): void =>
      expected.forEach((number, i) => expect(Math.abs(values[i]! - number)).toBeLessThan(2e-14));
    close(jet.value, exact(along([0, 0, 0])));
    slopes.forEach((slope, k) => close(jet.derivatives[k]!, exact(slope)));
    close(jet.second, exact(differentiateAll(slopes[1]!, t)));
    expect(Math.max(...jet.second.map(Math.abs))).toBeGreaterThan(0.1);
  });

  it.each(ACTIVATIONS)('change as fifty digits of differentiated formulas say, with %s', (activation) => {
    const network = sampleNetwork([3, 7, 5, 3], activation);
    const [t, e] = [symbol('t'), symbol('e')];
    const d = directions[1]!;
    const [dz, dd] = [
      [0.5, -1, 0.75],
      [0.25, 1.5, -0.5],
    ];
    // N(z + ε δz + t (d + ε δd)), differentiated by t and ε.
    const moved = networkFormula(
      network,
      z.map((value, i) => {
        const direction = plus(decimal(d[i]!), times(e, decimal(dd[i]!)));
        return plus(decimal(value), times(e, decimal(dz[i]!)), times(t, direction));
      }),
    );
    const start = new Map([t, e].map((s) => [s, new Decimal50(0)]));
    const exact = (roots: typeof moved): number[] => evaluateDecimal(roots, start, Decimal50).map(Number);
    const { jet, change } = evaluateWithChange(network, [z, d], [dz, dd], 0);
    const close = (values: Float64Array, expected: readonly number[]): void =>
      expected.forEach((number, i) => expect(Math.abs(values[i]! - number)).toBeLessThan(1e-13));
    const slope = differentiateAll(moved, t);
    const bend = differentiateAll(slope, t);
    close(jet.second, exact(bend));
    [moved, slope, bend].forEach((roots, order) => {
      const expected = exact(differentiateAll(roots, e));
      close([change.value, change.derivatives[0]!, change.second][order]!, expected);
      expect(Math.max(...expected.map(Math.abs))).toBeGreaterThan(0.01);
    });
  });

  it('have no second derivative where none is asked for', () => {
    const { second, derivatives } = evaluateNetwork(sampleNetwork([2, 4, 3], 'tanh'), [1, 2], [[1, 1]]);
    expect([...second]).toEqual([0, 0, 0]);
    expect(derivatives).toHaveLength(1);
  });
});

describe('activations', () => {
  it.each(ACTIVATIONS)(
    'of %s and their derivatives are right to the last digits, however large the argument',
    (name) => {
      const u = symbol('u');
      const network = { ...sampleNetwork([1, 1, 1], name) };
      const unit = { inputs: 1, outputs: 1, weights: Float64Array.of(1), biases: Float64Array.of(0), activation: name };
      const value = networkFormula({ ...network, layers: [unit] }, [u])[0]!;
      const slope = differentiateAll([value], u)[0]!;
      const curvature = differentiateAll([slope], u)[0] ?? zero;
      const roots = [value, slope, curvature, differentiateAll([curvature], u)[0] ?? zero];
      const wide = decimalOfPrecision(400);
      const jet = new Float64Array(4);
      for (const at of [0, 1e-9, -0.5, 0.75, -3, 8, -20, 36, -37.5, 200, -300, 400]) {
        activationJet(name, at, jet);
        const exact = evaluateDecimal(roots, new Map([[u, new wide(at)]]), wide).map(Number);
        exact.forEach((number, i) =>
          expect(Math.abs(jet[i]! - number)).toBeLessThan(4e-16 * Math.max(1, Math.abs(at))),
        );
      }
    },
  );

  it.each(['softplus', 'silu'] as const)('of %s overflow nowhere', (name) => {
    const jet = new Float64Array(4);
    activationJet(name, 1e300, jet);
    expect([...jet].map(Math.abs)).toEqual([1e300, 1, 0, 0]);
    activationJet(name, -1e300, jet);
    expect([...jet].map(Math.abs)).toEqual([0, 0, 0, 0]);
  });
});
