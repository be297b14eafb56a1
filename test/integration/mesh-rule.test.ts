/** Rules over meshes against moments of solids that are known. */
import { describe, expect, it } from 'vitest';
import { MESH_COLUMNS, meshRule } from '../../src/integration/rules/mesh-rule.ts';
import type { PointRule } from '../../src/integration/rules/point-rule.ts';
import { readInlineMesh } from '../../src/mesh/inline.ts';
import { evaluateRows } from '../../src/symbolic/evaluation/evaluate-rows.ts';
import { integer, one, plus, power, symbol, times, type Expr, type SymbolExpr } from '../../src/symbolic/graph/expr.ts';
import { substituteOne } from '../../src/symbolic/graph/traverse.ts';

const axes = ['x', 'y', 'z'].map((name) => symbol(`material.${name}`)) as unknown as readonly [
  SymbolExpr,
  SymbolExpr,
  SymbolExpr,
];
const [x, y, z] = axes;

/** The box [0, a] × [0, b] × [0, c] in five tetrahedra. */
function box(a: number, b: number, c: number) {
  const nodes = [0, 1, 2, 3, 4, 5, 6, 7].map((i) => [(i & 1) * a, ((i >> 1) & 1) * b, (i >> 2) * c]);
  const tetrahedra = [
    [0, 1, 2, 4],
    [3, 2, 1, 7],
    [5, 1, 4, 7],
    [6, 4, 2, 7],
    [1, 2, 4, 7],
  ];
  return readInlineMesh({ nodes, tetrahedra });
}

function integral(rule: PointRule, f: Expr, parameters: ReadonlyMap<Expr, number> = new Map()): number {
  const columns = new Map<Expr, Float64Array>(rule.columns.map((c) => [c.symbol, Float64Array.from(c.values)]));
  const integrand = times(rule.mass, substituteOne(f, rule.material));
  return evaluateRows([integrand], columns, parameters, rule.rows)[0]!.reduce((sum, value) => sum + value, 0);
}

describe('a rule over a mesh', () => {
  const mesh = box(0.2, 0.3, 0.5);
  const moment = (i: number, j: number, k: number): number =>
    (0.2 ** (i + 1) * 0.3 ** (j + 1) * 0.5 ** (k + 1)) / ((i + 1) * (j + 1) * (k + 1));

  it.each([2, 5, 6, 7, 9])('of degree %i has the moments of a box up to that degree', (degree) => {
    const rule = meshRule({ axes, mesh, density: one }, degree);
    for (let i = 0; i <= degree; i++)
      for (let j = 0; i + j <= degree; j++)
        for (const k of [0, degree - i - j]) {
          const monomial = times(power(x, i), power(y, j), power(z, k));
          expect(integral(rule, monomial) / moment(i, j, k)).toBeCloseTo(1, 12);
        }
  });

  it('never has a degree below 2, so that the inertia at rest is exact', () => {
    const rule = meshRule({ axes, mesh, density: one }, 0);
    expect(rule.rows).toBe(5 * 4);
    expect(integral(rule, times(x, z)) / moment(1, 0, 1)).toBeCloseTo(1, 13);
  });

  it('takes densities that are parameters and that differ from place to place', () => {
    const rho = symbol('body.rho');
    const rule = meshRule({ axes, mesh, density: times(rho, plus(one, times(integer(2), z))) }, 5);
    const mass = integral(rule, one, new Map([[rho, 1000]]));
    expect(mass / (1000 * (moment(0, 0, 0) + 2 * moment(0, 0, 1)))).toBeCloseTo(1, 13);
    expect(rule.columns.map((c) => c.symbol)).toEqual(Object.values(MESH_COLUMNS));
  });
});
