/** Stumpff functions specialised to a set of orders: accuracy against power series with 40 digits, cost, agreement. */
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import type { Program } from '../../src/codegen/programs/program.ts';
import type { Tree } from '../../src/codegen/programs/statement.ts';
import {
  stumpffFunctionTypeScript,
  stumpffOperations,
  stumpffSetsOf,
  stumpffStatements,
} from '../../src/codegen/printing/stumpff-functions.ts';
import { stumpffSet } from '../../src/codegen/printing/stumpff-set.ts';
import { HIGHEST_ARGUMENT, LOWEST_ARGUMENT, type Precision } from '../../src/codegen/printing/stumpff-polynomials.ts';
import { typescriptTarget } from '../../src/codegen/typescript/target.ts';
import { decimalOfPrecision, exactDecimal, stumpffDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { interpret } from './interpret.ts';

const Precise = decimalOfPrecision(40);
const COUNTS = { add: 0, multiply: 0, divide: 0, sqrt: 0, call: 0, stumpff: [], loops: [] };
const ROUND = { double: (x: number): number => x, single: Math.fround } as const;

/** c_0(x) … of a set by its statements; entries that the set does not have stay NaN. */
function evaluateSet(top: number, orders: readonly number[], x: number, precision: Precision): Float64Array {
  const set = stumpffSet(top, orders);
  const argument: Tree = { kind: 'load', place: { buffer: 'x', index: 0 } };
  const statements = stumpffStatements(set, argument, (order, step) => `c${order}_${step}`, precision);
  const stores = statements.flatMap((s) => {
    const found = s.kind === 'let' ? /^c(\d+)_0$/.exec(s.name) : null;
    const value: Tree = { kind: 'name', name: found?.[0] ?? '' };
    return found ? [{ kind: 'store' as const, place: { buffer: 'c', index: Number(found[1]) }, value }] : [];
  });
  const all = { name: 'set', reads: ['x'], writes: ['c'], loads: [], counts: COUNTS, slots: 0 };
  const program: Program = { ...all, statements: [...statements, ...stores] };
  const c = new Float64Array(Math.max(top, 3) + 1).fill(NaN);
  interpret(program, { x: Float64Array.of(x), c });
  return c;
}

/** Relative to the value; absolute for c_0 and c_1, which have zeros in the range or at its end. */
function error(found: number, order: number, x: number): number {
  const exact = stumpffDecimal(exactDecimal(x, Precise), order, Precise);
  return new Decimal(found)
    .minus(exact)
    .abs()
    .div(order < 2 ? 1 : exact)
    .toNumber();
}

function samples(precision: Precision): number[] {
  const count = 24;
  const xs = Array.from({ length: count }, (_, i) => (HIGHEST_ARGUMENT * (i + 0.5)) / count);
  return [LOWEST_ARGUMENT, -1e-16, 0, 1e-300, 1e-12, 1e-3, ...xs, HIGHEST_ARGUMENT * (1 - 1e-7)].map(ROUND[precision]);
}

describe('Stumpff functions of a set', () => {
  it.each([2, 3, 4, 5, 7, 8, 9, 13, 17, 32])(
    'are accurate to 4e-15 at every order up to %i, without library calls',
    (top) => {
      const orders = Array.from({ length: top + 1 }, (_, k) => k);
      for (const x of samples('double')) {
        const c = evaluateSet(top, orders, x, 'double');
        for (const order of orders) expect(error(c[order]!, order, x)).toBeLessThanOrEqual(4e-15);
      }
    },
  );

  it.each([3, 7, 13])('have coefficients good to 1e-6 for single precision at every order up to %i', (top) => {
    const orders = Array.from({ length: top + 1 }, (_, k) => k);
    for (const x of samples('single')) {
      const c = evaluateSet(top, orders, x, 'single');
      for (const order of orders) expect(error(c[order]!, order, x)).toBeLessThanOrEqual(1e-6);
    }
  });

  it('are exact at zero below the two highest orders: a straight robot is exactly straight', () => {
    expect([...evaluateSet(7, [0, 1, 2, 3, 4, 5], 0, 'double').slice(0, 6)]).toEqual([
      1,
      1,
      1 / 2,
      1 / 6,
      1 / 24,
      1 / 120,
    ]);
    expect([...evaluateSet(2, [0, 1], 0, 'double').slice(0, 2)]).toEqual([1, 1]);
  });

  it('have the same bits whatever other orders are wanted below the same top', () => {
    const all = evaluateSet(7, [0, 1, 2, 3, 4, 5, 6, 7], 3.3, 'double');
    for (const orders of [[0, 3], [5], [2, 4], [7]]) {
      const some = evaluateSet(7, orders, 3.3, 'double');
      for (const order of orders) expect(some[order]).toBe(all[order]);
    }
  });

  it('cost forty operations up to order 7, and nothing for a parity that is not wanted', () => {
    expect(stumpffOperations([0, 1, 2, 3, 4, 5, 6, 7])).toEqual({ add: 20, multiply: 20 });
    expect(stumpffOperations([3, 5, 7])).toEqual({ add: 9, multiply: 9 });
    const { ladders } = stumpffSet(7, [3, 5, 7]);
    expect(ladders).toEqual([{ lowest: 3, highest: 7 }]);
  });

  /** A request for c_k of one argument, of whose c_k others may want up to `top`. */
  const wanted = (top: number, ...orders: readonly number[]): Program['statements'][number] => ({
    kind: 'stumpff',
    argument: { kind: 'load', place: { buffer: 'x', index: 0 } },
    top,
    names: orders.map((order) => ({ order, name: `v${order}` })),
  });
  const setsOf = (...statements: Program['statements']): ReturnType<typeof stumpffSetsOf> =>
    stumpffSetsOf([{ name: 'f', reads: ['x'], writes: [], loads: [], counts: COUNTS, slots: 0, statements }]);

  it('become one function per set in a module', () => {
    const sets = setsOf(wanted(7, 0, 1, 7), wanted(7, 1, 0), wanted(7, 3), wanted(5, 4, 1));
    expect(sets.map((set) => set.name)).toEqual([
      'stumpff_0_to_7',
      'stumpff_even_4_to_4_odd_1_to_5',
      'stumpff_odd_3_to_7',
    ]);
    expect(stumpffFunctionTypeScript(sets[2]!, typescriptTarget())).toContain('function stumpffOdd3To7(x: number');
  });

  it('write every order that some request by their name wants, whichever comes first', () => {
    const [few, all] = [wanted(2, 0, 1, 2), wanted(3, 0, 1, 2, 3)];
    for (const sets of [setsOf(few, all), setsOf(all, few)]) {
      expect(sets.map((set) => set.name)).toEqual(['stumpff_0_to_3']);
      expect(stumpffFunctionTypeScript(sets[0]!, typescriptTarget())).toContain('c[3] = ');
    }
  });
});
