/** Loops where some of what they read is zero, against the loops as they were. */
import { describe, expect, it } from 'vitest';
import { LoopProgram } from '../../../src/kane/loops/evaluate-loops.ts';
import type { Loop, RowArray, RowTable } from '../../../src/kane/loops/loop.ts';
import { withZerosInLoops } from '../../../src/kane/loops/zeros-in-loops.ts';
import { one, plus, symbol, times, zero, type Expr, type SymbolExpr } from '../../../src/symbolic/graph/expr.ts';

const names = ['p', 'q', 'w', 'x', 'xEnd', 'y', 'yEnd', 'z', 'zEnd', 'left', 'right', 'sum', 'other', 'later'] as const;
const s = Object.fromEntries(names.map((name) => [name, symbol(`zeros.${name}`)])) as Record<
  (typeof names)[number],
  SymbolExpr
>;
const table: RowTable = { name: 'rows', rows: 3, columns: [{ symbol: s.w, values: [0.3, 1.7, 0.2] }] };
const array: RowArray = { name: 'left', rows: 3, columns: [s.left, s.right] };
const nothing = {
  stage: 1,
  table,
  reads: [],
  networks: [],
  carried: [],
  sums: [],
  writes: [],
  reversed: false,
} as const;

/** x and y feed on each other and on p, z on itself and on the row: x and y stay zero with p, z does not. */
const loops: readonly Loop[] = [
  {
    ...nothing,
    name: 'first',
    carried: [
      { symbol: s.x, initial: zero, next: plus(s.x, times(s.w, s.y)), final: s.xEnd },
      { symbol: s.y, initial: s.p, next: plus(s.y, times(s.q, s.x)), final: s.yEnd },
      { symbol: s.z, initial: zero, next: plus(s.z, s.w), final: s.zEnd },
    ],
    sums: [{ symbol: s.sum, term: times(s.w, s.x) }],
    writes: [{ array, values: [times(s.q, s.y), plus(s.x, s.z)] }],
  },
  {
    ...nothing,
    name: 'second',
    reads: [array],
    sums: [
      { symbol: s.other, term: plus(times(s.left, s.q), s.sum) },
      { symbol: s.later, term: plus(s.left, s.right, s.xEnd) },
    ],
  },
];
const values: readonly Expr[] = [s.xEnd, s.yEnd, s.zEnd, s.sum, s.other, s.later];

describe('loops where a symbol is zero', () => {
  const reduced = withZerosInLoops(loops, [s.p]);

  it('have results that are zero in consequence, in the loop and in those after it', () => {
    expect([...reduced.zeros]).toEqual(expect.arrayContaining([s.p, s.x, s.y, s.xEnd, s.yEnd, s.sum, s.left, s.other]));
    for (const own of [s.z, s.zEnd, s.right, s.later, s.q]) expect(reduced.zeros).not.toContain(own);
    expect(reduced.loops.get(loops[1]!)!.sums[1]!.term).toBe(s.right);
  });

  it('compute what they computed', () => {
    const given = new Map<Expr, Float64Array>([
      [s.p, new Float64Array([0])],
      [s.q, new Float64Array([0.7])],
    ]);
    const of = (own: readonly Loop[]): number[] => new LoopProgram(own, values).run(given, 1).map(([value]) => value!);
    expect(of(loops.map((loop) => reduced.loops.get(loop)!))).toEqual(of(loops));
    expect(of(loops)[5]).toBeCloseTo(2.3, 12);
  });

  it('keep what begins at zero and leaves it, and arrays that several loops write', () => {
    const leaves: Loop = {
      ...loops[0]!,
      carried: [{ symbol: s.x, initial: zero, next: plus(s.x, one), final: s.xEnd }],
    };
    expect(withZerosInLoops([leaves], [s.p]).zeros).not.toContain(s.x);
    const again: Loop = { ...nothing, name: 'again', writes: [{ array, values: [one, one] }] };
    expect(withZerosInLoops([...loops, again], [s.p]).zeros).not.toContain(s.left);
  });
});
