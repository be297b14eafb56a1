/** Rules of few points against the rules of many that they stand for, on states neither was made with. */
import { describe, expect, it } from 'vitest';
import { compressRule, type StateSample } from '../../src/integration/rules/compress.ts';
import type { PointRule } from '../../src/integration/rules/point-rule.ts';
import { evaluateRows } from '../../src/symbolic/evaluation/evaluate-rows.ts';
import { cos, one, plus, power, sin, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { substitute } from '../../src/symbolic/graph/traverse.ts';

const [x, y, z, q, r] = ['material.x', 'material.y', 'material.z', 'body.q', 'body.r'].map(symbol);
const rows = { x: symbol('row.x'), y: symbol('row.y'), z: symbol('row.z'), weight: symbol('row.weight') };
const rho = symbol('body.rho');

/** The same numbers in [0, 1) in every run. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48271) % 2147483647;
    return state / 2147483647;
  };
}

/** Points scattered over the unit cube with unequal weights. */
function scatteredRule(count: number, mass: Expr = times(rho, rows.weight)): PointRule {
  const random = randomNumbers(3);
  const column = (f: () => number): number[] => Array.from({ length: count }, f);
  return {
    description: 'scattered points',
    rows: count,
    columns: [
      { symbol: rows.x, values: column(random) },
      { symbol: rows.y, values: column(random) },
      { symbol: rows.z, values: column(random) },
      { symbol: rows.weight, values: column(() => (0.5 + random()) / count) },
    ],
    material: new Map([
      [x!, rows.x],
      [y!, rows.y],
      [z!, rows.z],
    ]),
    mass,
  };
}

function integrals(rule: PointRule, functions: readonly Expr[], state: StateSample): number[] {
  const columns = new Map<Expr, Float64Array>(rule.columns.map((c) => [c.symbol, Float64Array.from(c.values)]));
  const terms = substitute(functions, rule.material).map((f) => times(rule.mass, f));
  return evaluateRows(terms, columns, state, rule.rows).map((c) => c.reduce((sum, value) => sum + value, 0));
}

const monomials: Expr[] = [];
for (let i = 0; i <= 4; i++)
  for (let j = 0; i + j <= 4; j++)
    for (let k = 0; i + j + k <= 4; k++) monomials.push(times(power(x!, i), power(y!, j), power(z!, k)));

const density: StateSample = new Map([[rho, 1000]]);
const polynomial = { integrands: monomials, samples: [density], fresh: [density], tolerance: 1e-13 };

/** A bent and stretched column: not polynomial, and other functions at every state. */
const motion = [
  times(sin(times(q!, z!)), plus(one, times(r!, x!))),
  times(cos(times(q!, z!)), plus(one, times(r!, y!))),
  times(sin(times(q!, z!)), cos(times(r!, x!))),
];
function states(count: number, seed: number): StateSample[] {
  const random = randomNumbers(seed);
  return Array.from(
    { length: count },
    () =>
      new Map<Expr, number>([
        [rho, 1000],
        [q!, 4 * random() - 2],
        [r!, random()],
      ]),
  );
}

describe('a rule of fewer points', () => {
  const full = scatteredRule(3000);

  it('has the same integrals of a polynomial space, with no more points than functions', () => {
    const { rule, error } = compressRule(full, polynomial);
    expect(rule.rows).toBeLessThanOrEqual(monomials.length);
    expect(error).toBeLessThan(1e-13);
    const exact = integrals(full, monomials, density);
    integrals(rule, monomials, density).forEach((value, i) => expect(value / exact[i]!).toBeCloseTo(1, 12));
  });

  it('has points of the full rule with positive weights', () => {
    const { rule } = compressRule(full, polynomial);
    const known = new Set(full.columns[0]!.values.map((value, row) => `${value} ${full.columns[2]!.values[row]}`));
    rule.columns[0]!.values.forEach((value, row) => {
      expect(known).toContain(`${value} ${rule.columns[2]!.values[row]}`);
      expect(rule.columns[3]!.values[row]).toBeGreaterThan(0);
    });
    expect(rule.mass).toBe(full.mass);
  });

  it('meets the tolerance at states that it was not made with', () => {
    const request = { integrands: motion, samples: states(24, 5), fresh: states(12, 17), tolerance: 1e-8 };
    const { rule, error, trials } = compressRule(full, request);
    expect(error).toBeLessThanOrEqual(1e-8);
    expect(rule.rows).toBeLessThan(60);
    for (const state of states(100, 29)) {
      const exact = integrals(full, motion, state);
      integrals(rule, motion, state).forEach((value, i) =>
        expect(Math.abs(value - exact[i]!)).toBeLessThan(1e-8 * 1000),
      );
    }
    expect(trials.at(-1)).toMatchObject({ points: rule.rows, error });
    expect(trials.length).toBeGreaterThan(10);
    // The error falls by orders of magnitude along the curve.
    expect(trials[0]!.error / error).toBeGreaterThan(1e6);
  });

  it('takes more points for a tighter tolerance', () => {
    const points = [1e-3, 1e-6, 1e-9].map(
      (tolerance) =>
        compressRule(full, { integrands: motion, samples: states(12, 5), fresh: states(6, 17), tolerance }).rule.rows,
    );
    expect([...points].sort((a, b) => a - b)).toEqual(points);
    expect(new Set(points).size).toBe(3);
  });

  it('is the same in every run', () => {
    const request = { integrands: motion, samples: states(8, 5), fresh: states(3, 17), tolerance: 1e-6 };
    expect(compressRule(full, request)).toEqual(compressRule(scatteredRule(3000), request));
  });

  it('gets a column of its own for the weights when none of the columns is a plain factor of the mass', () => {
    const rule = scatteredRule(500, times(rho, power(rows.weight, 2)));
    const reduced = compressRule(rule, polynomial).rule;
    expect(reduced.columns.length).toBe(5);
    const exact = integrals(rule, monomials, density);
    integrals(reduced, monomials, density).forEach((value, i) => expect(value / exact[i]!).toBeCloseTo(1, 12));
  });

  it('is the best one, with its error, when the tolerance cannot be met', () => {
    const { rule, error } = compressRule(scatteredRule(200), { ...polynomial, tolerance: 0 });
    expect(error).toBeGreaterThan(0);
    expect(error).toBeLessThan(1e-12);
    expect(rule.rows).toBeLessThanOrEqual(monomials.length);
  });

  it('is refused where a function is not finite', () => {
    const state: StateSample = new Map<Expr, number>([...density, [q!, Number.NaN]]);
    const request = { integrands: [times(q!, x!)], samples: [state], fresh: [state], tolerance: 1e-6 };
    expect(() => compressRule(full, request)).toThrow(/not finite at a point of scattered points/);
  });
});
