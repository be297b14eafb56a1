/** Loops written out against loops run: sums, carried values, arrays that one loop leaves for another, from either end. */
import { describe, expect, it } from 'vitest';
import { LoopProgram } from '../../../src/kane/loops/evaluate-loops.ts';
import type { Loop, RowArray, RowTable } from '../../../src/kane/loops/loop.ts';
import { unrolled } from '../../../src/kane/loops/unroll.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import { plus, sin, square, symbol, times, zero, type Expr } from '../../../src/symbolic/graph/expr.ts';
import { freeSymbols } from '../../../src/symbolic/graph/traverse.ts';

const named = (name: string) => symbol(`unroll.${name}`);
const [q, s, w, left] = ['q', 's', 'w', 'left'].map(named);
const table: RowTable = {
  name: 'points',
  rows: 3,
  columns: [
    { symbol: s!, values: [0.1, 0.45, -0.8] },
    { symbol: w!, values: [0.3, 1.7, 0.2] },
  ],
};
const array: RowArray = { name: 'left', rows: 3, columns: [left!] };
const nothing = { reads: [], networks: [], carried: [], sums: [], writes: [], reversed: false };
const [march, marchEnd, other, otherEnd, total, weighted] = [1, 2, 3, 4, 5, 6].map((i) => named(`r${i}`));

/** x ← x + sin(q s), x left for the next loop, which runs back with y ← y · w + x and sums w x y². */
const loops: readonly Loop[] = [
  {
    ...nothing,
    name: 'outwards',
    stage: 1,
    table,
    carried: [{ symbol: march!, initial: q!, next: plus(march!, sin(times(q!, s!))), final: marchEnd! }],
    sums: [{ symbol: total!, term: times(w!, march!) }],
    writes: [{ array, values: [square(march!)] }],
  },
  {
    ...nothing,
    name: 'inwards',
    stage: 1,
    table,
    reversed: true,
    reads: [array],
    carried: [{ symbol: other!, initial: total!, next: plus(times(other!, w!), left!), final: otherEnd! }],
    sums: [{ symbol: weighted!, term: times(w!, left!, square(other!)) }],
  },
];
const values = [plus(marchEnd!, times(q!, weighted!)), otherEnd!, total!];

describe('loops written out', () => {
  it('have the values of the loops', () => {
    const outside = unrolled(values, loops);
    expect(freeSymbols(outside)).toEqual([q]);
    const found = evaluate(outside, new Map<Expr, number>([[q!, 0.7]]));
    const run = new LoopProgram(loops, values).run(new Map([[q!, Float64Array.of(0.7)]]), 1);
    run.forEach(([value], i) => expect(found[i]! / value! - 1).toBeCloseTo(0, 14));
  });

  it('leave alone what needs no loop', () => {
    expect(unrolled([q!, zero], loops)).toEqual([q, zero]);
  });
});
