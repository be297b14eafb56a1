/** Names of operations by what they are worth, by their factors and by their place in sums. */
import { describe, expect, it } from 'vitest';
import { OperationGraph } from '../../../src/codegen/programs/operation-graph.ts';
import type { Stage } from '../../../src/codegen/operations/operation.ts';
import { partsOfQuantities } from '../../../src/codegen/naming/quantity-parts.ts';
import { expressionsOf, operandsOf, operationsBelow } from '../../../src/codegen/operations/operation.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import {
  cos,
  integer,
  minus,
  negate,
  plus,
  sin,
  square,
  symbol,
  times,
  type Expr,
  type SymbolExpr,
} from '../../../src/symbolic/graph/expr.ts';

const STAGES: Readonly<Record<string, Stage>> = { m: 0, L: 0, q: 1, r: 1, u: 2, w: 2, qdd: 3, a: 3 };
const symbols = Object.fromEntries(Object.keys(STAGES).map((name) => [name, symbol(`names.${name}`)])) as Record<
  string,
  SymbolExpr
>;
const { m, L, q, r, u, w, qdd, a } = symbols as Record<'m' | 'L' | 'q' | 'r' | 'u' | 'w' | 'qdd' | 'a', SymbolExpr>;
const inputs = Object.entries(symbols).map(([name, own], index) => ({
  symbol: own,
  place: { buffer: 'input', index },
  stage: STAGES[name]!,
  name,
}));

/** What operations of the roots are called, by the root or by the operations that a predicate picks. */
function described(roots: readonly Expr[], quantities: ReadonlyMap<Expr, string>, inTables: readonly Expr[] = []) {
  const graph = new OperationGraph([...roots, ...inTables], inputs);
  graph.describe(
    quantities,
    inputs,
    inTables.map((e) => graph.of(e)),
  );
  const nameOf = (e: Expr): string | undefined => {
    const operation = graph.of(e);
    return graph.described.get(operation.kind === 'negate' ? operation.operand : operation);
  };
  return { graph, nameOf };
}

describe('names by value', () => {
  it('find a quantity in another form of its formula', () => {
    const force = times(m, plus(times(q, q), times(q, r)));
    const asked = plus(times(m, q, q), times(m, r, q));
    expect(described([asked], new Map([[force, 'force']])).nameOf(asked)).toBe('force');
  });

  it('say when a value has the opposite sign', () => {
    const force = times(m, minus(q, r));
    const at = new Map<Expr, number>([
      [m, 0.7],
      [q, 1.3],
      [r, 0.2],
    ]);
    const asked = [times(L, m, plus(r, negate(q))), times(a, minus(q, r), m), times(m, minus(r, q)), force];
    for (const e of asked) {
      const { graph } = described([e], new Map([[force, 'force']]));
      for (const [operation, name] of graph.described) {
        if (!name.endsWith('force')) continue;
        const [value, whole] = evaluate([...expressionsOf([operation]), force], at);
        expect(value! / whole!).toBeCloseTo(name === 'force' ? 1 : -1, 12);
      }
    }
    const names = asked.flatMap((e) => [...described([e], new Map([[force, 'force']])).graph.described.values()]);
    const opposite = described([force], new Map([[times(m, minus(r, q)), 'force']]));
    expect([...names, ...opposite.graph.described.values()]).toContain('force');
    expect([...names, ...opposite.graph.described.values()]).toContain('minus_force');
  });

  it('leave alone what only looks like it', () => {
    const force = times(m, plus(q, r));
    const other = times(m, plus(q, times(r, r)));
    expect(described([other], new Map([[force, 'force']])).nameOf(other)).toBeUndefined();
  });

  it('take the first of several names', () => {
    const value = plus(q, times(r, L));
    const [first, again] = [plus(times(L, r), q), times(plus(q, times(r, L)), integer(1))];
    const names = new Map<Expr, string>([
      [first, 'one'],
      [minus(plus(again, m), m), 'two'],
    ]);
    expect(described([value], names).nameOf(value)).toBe('one');
  });

  it('know what stands before accelerations, and what rates leave', () => {
    const inertia = times(m, plus(square(L), sin(q)));
    const bias = times(L, cos(q), plus(times(u, u), times(r, u, w)));
    const moment = plus(times(inertia, qdd), times(m, a), bias);
    const names = new Map([[moment, 'moment']]);
    const { nameOf } = described([moment, inertia, bias, times(L, cos(q))], names);
    expect(nameOf(inertia)).toBe('moment_per_qdd');
    expect(nameOf(bias)).toBe('moment_from_rates');
    expect(nameOf(times(L, cos(q)))).toBe('moment_per_u_squared');
  });

  it('name no coefficients of what is not linear in accelerations, nor quadratic in rates', () => {
    const curved = plus(times(sin(r), qdd, qdd), times(cos(r), a));
    const parts = partsOfQuantities(new Map([[curved, 'f']]), inputs).map(({ name }) => name);
    expect(parts).toEqual(expect.not.arrayContaining(['f_per_a', 'f_per_qdd']));
    const cubic = plus(times(plus(L, r), u, u, u), times(minus(L, r), w, w));
    const named = partsOfQuantities(new Map([[cubic, 'g']]), inputs).map(({ name }) => name);
    expect(named).toEqual(['g']);
  });
});

describe('names of constants', () => {
  it('are products of parameters and of quantities made of them', () => {
    const mass = times(integer(7), m, L);
    const { nameOf } = described(
      [mass, times(mass, L, integer(2)), times(m, L, L)],
      new Map([[times(integer(7), m, L), 'mass']]),
    );
    expect(nameOf(times(m, L, L))).toMatch(/^(m_L_squared|L_squared_m)$/);
    expect(nameOf(times(mass, L, integer(2)))).toMatch(/_times_14$/);
  });
});

describe('names by place', () => {
  it('say which part of a quantity a value in a table is', () => {
    const early = plus(times(u, sin(q)), times(w, r, r));
    const force = plus(times(qdd, plus(r, L)), early, times(a, a));
    const { graph } = described([force], new Map([[force, 'force']]), [early]);
    const sum = operationsBelow([graph.of(force)]).filter((o) => o.stage === 2 && o.kind === 'add');
    expect(sum.map((o) => graph.described.get(o))).toContain('force_from_rates');
    // By place alone: what is not linear in accelerations has no parts by value.
    const lever = plus(L, times(r, q));
    const taken = minus(times(qdd, qdd), times(a, lever));
    const opposite = described([taken], new Map([[taken, 'taken']]), [lever]).graph;
    expect(opposite.described.get(opposite.of(lever))).toBe('minus_taken_per_a');
  });

  it('fall back to the nearest quantity', () => {
    const inner = plus(sin(q), r);
    const force = times(plus(times(inner, inner), qdd), plus(qdd, a));
    const { graph } = described([force], new Map([[force, 'force']]), [inner]);
    expect(graph.described.get(graph.of(inner))).toBe('force_part');
    expect(operandsOf(graph.of(force)).every((o) => graph.described.get(o) !== 'force_part')).toBe(true);
  });

  it('turn no sign twice', () => {
    const early = plus(times(u, sin(q)), times(w, r, r));
    const force = minus(times(qdd, plus(r, L)), early);
    const { graph } = described([negate(force)], new Map([[force, 'force']]), [early]);
    expect([...graph.described.values()].filter((name) => /minus_.*minus_/.test(name))).toEqual([]);
  });
});
