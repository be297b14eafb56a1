/** Numbers that are computed apart from a choice: zero where they stand in branches that are not taken only. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../../src/description/load.ts';
import { KanegenError } from '../../../src/common/error.ts';
import { foldTable } from '../../../src/codegen/programs/fold-tables.ts';
import type { StagedLink } from '../../../src/codegen/programs/stages.ts';
import { blamingExtremes } from '../../../src/description/model/extremes.ts';
import { separateParts } from '../../../src/kane/loops/row-constants.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import {
  call,
  compare,
  decimal,
  divide,
  logic,
  one,
  plus,
  select,
  symbol,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';

const EMPTY = { stage: 0, networks: [], carried: [], sums: [], reads: [], reversed: false };
const [x, y, q] = ['x', 'y', 'q'].map((name) => symbol(name)) as [Expr, Expr, Expr];
const separated = (value: Expr) =>
  separateParts(
    [value],
    (s) => s !== q,
    () => true,
    (i) => `part.${i}`,
  );
const isFirst = compare('<', x, decimal(0.5));
const swell = call('exp', divide(one, plus(x, decimal(-0.5))));

describe('parts of a choice', () => {
  const valuesAt = (value: Expr, at: number): readonly number[] =>
    evaluate(
      separated(value).parts.map((part) => part.value),
      new Map([
        [x, at],
        [y, 0.25],
      ]),
    );

  it('are zero where the choice falls otherwise, even if they overflow there', () => {
    const value = select(isFirst, times(q, swell), times(q, q));
    expect(valuesAt(value, 0.5 + 1e-9)).toContain(0);
    expect(valuesAt(value, 0.5 + 1e-9).every(Number.isFinite)).toBe(true);
    expect(valuesAt(value, 0.25)).toContain(Math.exp(-4));
    const otherwise = select(isFirst, q, times(q, swell));
    expect(valuesAt(otherwise, 0.25)).toContain(0);
    expect(valuesAt(otherwise, 1)).toContain(Math.exp(2));
  });

  it('count where they stand elsewhere, too, or in both branches', () => {
    for (const value of [
      plus(select(isFirst, times(q, swell), q), times(q, q, swell)),
      select(isFirst, times(q, swell), times(q, q, swell)),
      select(compare('<', q, x), times(q, swell), q),
    ])
      expect(valuesAt(value, 1)).toContain(Math.exp(2));
  });

  it('leave the value what it was, however conditions are nested', () => {
    const conditions = [isFirst, compare('<', y, decimal(0.5)), compare('<=', x, y), logic('not', isFirst)];
    const leaves = [times(q, plus(x, y)), times(q, q, call('cos', x)), plus(q, times(x, y)), call('sin', y), q];
    const tree = fc.letrec<{ node: Expr }>((tie) => ({
      node: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(...leaves),
        fc.tuple(fc.constantFrom(...conditions), tie('node'), tie('node')).map(([c, a, b]) => select(c, a, b)),
        fc.tuple(tie('node'), tie('node')).map(([a, b]) => plus(a, times(q, b))),
      ),
    })).node;
    const coordinate = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(tree, coordinate, coordinate, (value, a, b) => {
        const at = new Map<Expr, number>([
          [x, a],
          [y, b],
          [q, 0.7],
        ]);
        const { values, parts } = separated(value);
        const found = evaluate(
          parts.map((part) => part.value),
          at,
        );
        const whole = new Map<Expr, number>([...at, ...parts.map((part, i) => [part.symbol, found[i]!] as const)]);
        expect(evaluate(values, whole)[0]).toBeCloseTo(evaluate([value], at)[0]!, 12);
      }),
      { numRuns: 300, seed: 20263 },
    );
  });
});

const bar = (rho: number): object => ({
  kanegen: 1,
  name: 'bar',
  'body-types': {
    bar: {
      parameters: { L: 0.2, b: 0.02, rho },
      coordinates: { q: {} },
      volume: { box: { x: ['-b', 'b'], y: ['-b', 'b'], z: [0, 'L'] }, density: 'rho' },
      position: ['x', 'y', 'z*(1 + q)'],
      distal: 'none',
    },
  },
  links: [{ name: 'link1', body: 'bar' }],
});

describe('a constant without a double', () => {
  const overflow = (): never => {
    throw new KanegenError('not-finite', 'too large');
  };
  const blamed = (rho: number): unknown => {
    const robot = loadRobotObject(bar(rho));
    const { body } = robot.links[0]!;
    const at = body.kind === 'deformable' ? body.type.locations.kinematics : undefined;
    try {
      return blamingExtremes(robot, overflow, at);
    } catch (error) {
      return (error as KanegenError).location?.path;
    }
  };

  it('is blamed on a number out of all proportion, else on the formulas of the body', () => {
    expect(blamed(1e55)).toBe('body-types.bar.parameters.rho');
    expect(blamed(123456)).toBe('body-types.bar.position');
  });

  it('of a row says which part of the formulas overflows, and where', () => {
    const value = times(y, call('exp', divide(one, x)));
    const table = { name: 'points', rows: 2, columns: [{ symbol: x, values: [0.5, 1e-9] }] };
    const array = { name: 'kept', rows: 2, columns: [q] };
    const loop = { table, writes: [{ array, values: [value] }] };
    const staged = { type: { loops: [{ ...EMPTY, ...loop }] }, constants: [] } as unknown as StagedLink;
    expect(() => foldTable(staged, new Map([[y, decimal(3)]]))).toThrow(
      'no finite value at a point that integrals are computed at: exp(1/x) where x = 1e-9',
    );
  });
});
