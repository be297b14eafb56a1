import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { fraction, pi, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { formulaValue, type FormulaScope, type FormulaValue, type Macro } from '../../src/symbolic/formulas/formula.ts';
import { parseFormula } from '../../src/symbolic/formulas/parse.ts';
import { toText } from '../../src/symbolic/formulas/print.ts';

const [a, b, c] = ['a', 'b', 'c'].map((name) => symbol(`test.${name}`)) as [Expr, Expr, Expr];

function scopeOf(values: Record<string, FormulaValue>, macros: Record<string, Macro> = {}): FormulaScope {
  return {
    value: (name) => (Object.hasOwn(values, name) ? values[name] : undefined),
    macro: (name) => (Object.hasOwn(macros, name) ? macros[name] : undefined),
    names: () => [...Object.keys(values), ...Object.keys(macros)],
  };
}

const scope = scopeOf({ a, b, c });

function valueOf(text: string, where: FormulaScope = scope): FormulaValue {
  return formulaValue(parseFormula(text), where);
}

function numberOf(text: string, at: Record<'a' | 'b' | 'c', number> = { a: 0.3, b: -1.7, c: 2.5 }): number {
  const bindings = new Map<Expr, number>([
    [a, at.a],
    [b, at.b],
    [c, at.c],
  ]);
  return evaluate([valueOf(text) as Expr], bindings)[0]!;
}

function failure(text: string, where: FormulaScope = scope): KanegenError {
  try {
    valueOf(text, where);
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error(`no error for ${text}`);
}

describe('numbers', () => {
  it('are exact: 0.1 is one tenth and 1e-9 is 1/10^9', () => {
    expect(valueOf('0.1')).toBe(fraction(1, 10));
    expect(valueOf('1e-9')).toBe(fraction(1, 1_000_000_000));
    expect(valueOf('0.1 + 0.2')).toBe(fraction(3, 10));
    expect(valueOf('.5e1')).toBe(fraction(5, 1));
  });

  it('are matched to their own literals in formulas with many of them', () => {
    expect(numberOf('1.25*a + 2.5*(3.75 - b)/4 - 0.125*sin(0.5)')).toBeCloseTo(
      1.25 * 0.3 + (2.5 * (3.75 + 1.7)) / 4 - 0.125 * Math.sin(0.5),
      14,
    );
  });
});

describe('operators', () => {
  it('bind as in mathematics', () => {
    expect(numberOf('-2^2')).toBe(-4);
    expect(numberOf('2^3^2')).toBe(512);
    expect(numberOf('2^-1')).toBe(0.5);
    expect(numberOf('8/4/2')).toBe(1);
    expect(numberOf('8/4*2')).toBe(4);
    expect(numberOf('1 - 2 - 3 + 4')).toBe(0);
    expect(numberOf('a - (b - c)')).toBeCloseTo(0.3 - (-1.7 - 2.5), 14);
  });

  it('make one flat sum of a chain', () => {
    const chain = valueOf('a + b - c + 1') as Expr;
    expect(chain.kind).toBe('sum');
    expect(chain.kind === 'sum' && chain.terms.map((t) => t.term)).toEqual([a, b, c]);
  });

  it('accept chains of thousands of terms', () => {
    const text = Array.from({ length: 2500 }, (_, i) => `a^${i % 7}`).join(' + ');
    const expected = Array.from({ length: 2500 }, (_, i) => 0.3 ** (i % 7)).reduce((sum, v) => sum + v);
    expect(numberOf(text)).toBeCloseTo(expected, 8);
  });

  it('compare and combine conditions, and leave the branch not taken alone', () => {
    expect(numberOf('a < b ? 1 : 2')).toBe(2);
    expect(numberOf('b < a < c ? 1 : 2')).toBe(1);
    expect(numberOf('select(a >= 0.3 and not (b > 0), a, 1/(a - 0.3))')).toBe(0.3);
    expect(numberOf('a != a or b == b ? 5 : 6')).toBe(5);
    expect(numberOf('abs(a) < 1 ? exp(-1/(1 - a^2)) : 0', { a: 1, b: 0, c: 0 })).toBe(0);
  });

  it('agree with JavaScript for arbitrary formulas', () => {
    fc.assert(
      fc.property(written, fc.tuple(number, number, number), ({ text, value }, [x, y, z]) => {
        const expected = value({ a: x, b: y, c: z });
        const moved = value({ a: x * (1 + 1e-12), b: y * (1 - 1e-12), c: z });
        // Where a tiny change of the variables changes much, the order of the operations decides: nothing to compare.
        fc.pre(Math.abs(expected) < 1e6 && Math.abs(moved - expected) < 1e-9);
        let actual: number;
        try {
          actual = numberOf(text, { a: x, b: y, c: z });
        } catch (error) {
          fc.pre(!(error instanceof KanegenError && error.code === 'division-by-zero')); // 1/(a - a), seen exactly
          throw error;
        }
        expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-7 * (1 + Math.abs(expected)));
      }),
      { numRuns: 500 },
    );
  });
});

type Point = Record<'a' | 'b' | 'c', number>;
/** A formula as text and as a JavaScript function. */
interface Written {
  text: string;
  value: (at: Point) => number;
}
const number = fc.double({ min: 0.1, max: 3, noNaN: true });
const binary: Record<string, (x: number, y: number) => number> = {
  '+': (x, y) => x + y,
  '-': (x, y) => x - y,
  '*': (x, y) => x * y,
  '/': (x, y) => x / y,
};
const functions = { sin: Math.sin, cos: Math.cos, tanh: Math.tanh, exp: Math.exp, abs: Math.abs };
/** Zero has no sign in formulas: -(b - b) is 0, and atan2(0, -1) is pi. */
const atan2 = (y: number, x: number): number => Math.atan2(y + 0, x + 0);
const pairs = { max: Math.max, min: Math.min, atan2, hypot: Math.hypot };
const written = fc.letrec<{ node: Written }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.constantFrom('a', 'b', 'c').map((name): Written => ({ text: name, value: (at) => at[name] })),
    fc.constantFrom('2', '0.5', '3.25', '1e-2').map((text): Written => ({ text, value: () => Number(text) })),
    fc.tuple(tie('node'), fc.constantFrom(...Object.keys(binary)), tie('node')).map(([x, sign, y]): Written => ({
      text: `(${x.text}) ${sign} (${y.text})`,
      value: (at) => binary[sign]!(x.value(at), y.value(at)),
    })),
    tie('node').map((x): Written => ({ text: `-(${x.text})`, value: (at) => -x.value(at) })),
    fc
      .tuple(fc.constantFrom(...(Object.keys(functions) as (keyof typeof functions)[])), tie('node'))
      .map(([name, x]): Written => ({ text: `${name}(${x.text})`, value: (at) => functions[name](x.value(at)) })),
    fc
      .tuple(fc.constantFrom(...(Object.keys(pairs) as (keyof typeof pairs)[])), tie('node'), tie('node'))
      .map(([name, x, y]): Written => ({
        text: `${name}(${x.text}, ${y.text})`,
        value: (at) => pairs[name](x.value(at), y.value(at)),
      })),
    fc.tuple(tie('node'), tie('node'), tie('node')).map(([x, y, z]): Written => ({
      text: `(${x.text} < ${y.text} ? ${y.text} : ${z.text})`,
      value: (at) => (x.value(at) < y.value(at) ? y.value(at) : z.value(at)),
    })),
  ),
})).node;

describe('names', () => {
  it('of the user win over pi', () => {
    expect(valueOf('pi')).toBe(pi);
    expect(valueOf('2*pi', scopeOf({ pi: a }))).toBe(times(fraction(2, 1), a));
  });

  it('that mathjs knows mean nothing here', () => {
    for (const name of ['e', 'phi', 'tau', 'i', 'gravity', 'version', 'constructor', 'toString'])
      expect(failure(name).code, name).toBe('unknown-symbol');
  });

  it('that are unknown are reported at their own place, with the nearest known one', () => {
    const error = failure('a + sin(thetta)', scopeOf({ a, theta: b }));
    expect(error.code).toBe('unknown-symbol');
    expect(error.offset).toBe(8);
    expect(error.remedy).toBe('did you mean `theta`?');
  });

  it('may be macros, which see their own arguments only', () => {
    const smooth: Macro = { parameters: ['t'], body: parseFormula('3*t^2 - 2*t^3') };
    const value = valueOf('smooth(smooth(a))', scopeOf({ a }, { smooth })) as Expr;
    const once = (t: number): number => 3 * t ** 2 - 2 * t ** 3;
    expect(evaluate([value], new Map([[a, 0.3]]))[0]).toBeCloseTo(once(once(0.3)), 14);
    const leaky: Macro = { parameters: ['t'], body: parseFormula('t*a') };
    expect(failure('leaky(b)', scopeOf({ a, b }, { leaky })).code).toBe('unknown-symbol');
  });
});

describe('vectors', () => {
  const vectors = scopeOf({ a, b, u: [a, b, c], v: [c, a, b] });
  const texts = (text: string): string[] => (valueOf(text, vectors) as readonly Expr[]).map(toText);

  it('add, scale and divide entry by entry', () => {
    expect(texts('[1, 2, 3] - 2*[1, 1, 1]/4')).toEqual(['1/2', '3/2', '5/2']);
    expect(texts('a*u/b')).toEqual(['a^2/b', 'a', 'a*c/b']);
  });

  it('have dot, cross and norm', () => {
    expect(texts('cross([1, 0, 0], [0, 1, 0])')).toEqual(['0', '0', '1']);
    expect(valueOf('dot([1, 2, 3], [4, 5, 6])')).toBe(fraction(32, 1));
    expect(valueOf('norm([0, 3, 4])')).toBe(fraction(5, 1));
  });

  it('are refused where shapes do not fit', () => {
    for (const text of ['u + a', 'u*v', 'a/u', 'u^2', 'sin(u)', '[u, v]', 'u + [a, b]', 'dot(u, a)', 'a < b ? u : a'])
      expect(failure(text, vectors).code, text).toBe('wrong-shape');
  });
});

describe('what mathjs accepts and a formula does not mean', () => {
  const refused: [string, number, RegExp][] = [
    ['cos a', 4, /write cos\(a\)/],
    ['a b', 2, /write a\*b/],
    ['(a)(b)', 3, /write/],
    ['a(b - c)', 0, /write a\*\(/],
    ['10%*a', 2, /10\/100/],
    ['a!', 1, /./],
    ["a'", 1, /derivatives/],
    ['"a"', 0, /quotes/],
    ["b + 'a'", 4, /quotes/],
    ['a = 3', 2, /let:/],
    ['1:3', 0, /\? a : b/],
    ['{a: 1}', 0, /parentheses/],
    ['a[1]', 1, /component/],
    ['a; b', 1, /one formula/],
    ['a mod b', 2, /remainder/],
    ['2 m to mm', 4, /units/],
    ['a ** 2', 2, /a\^b/],
    ['a .* b', 2, /./],
    ['a && b', 2, /and/],
    ['a/2 b', 2, /\(2\*b/],
    ['true', 0, /comparison/],
    ['Infinity', 0, /finite/],
    ['0x10', 0, /decimal/],
    ['a − b', 2, /write -/],
    ['2π', 1, /write pi/],
    ['(a + b', 0, /./],
    ['a + b)', 5, /./],
    ['a +', 3, /./],
    ['', 0, /./],
    ['f(x) = x', 5, /./],
    ['import("fs")', 7, /./],
  ];
  it.each(refused)('%s is refused at its character, with what to write', (text, offset, remedy) => {
    const error = failure(text);
    expect(error.offset).toBe(offset);
    expect(error.remedy).toMatch(remedy);
  });

  it('products by juxtaposition are accepted after a number alone', () => {
    expect(valueOf('2 a')).toBe(times(fraction(2, 1), a));
    expect(valueOf('2(a + b)')).toBe(valueOf('2*(a + b)'));
  });
});

describe('formulas that are too large', () => {
  it.each([
    ['nested parentheses', `${'('.repeat(5000)}a${')'.repeat(5000)}`],
    ['stacked signs', `${'-'.repeat(15000)}a`],
    ['right-leaning choices', `${'a < 1 ? 1 : '.repeat(1000)}2`],
    ['text', 'a + '.repeat(20000) + 'a'],
    ['towers of powers', '10^10^10^10'],
    ['powers of roots', 'hypot(1/2, 2)^1e9'],
    ['roots of huge order', '2^0.1234567890123'],
    ['squares of squares', '((((((((((3^99)^99)^99)^99)^99)^99)^99)^99)^99)^99)'],
  ])('are an error: %s', (_, text) => {
    expect(failure(text).code).toBe('formula-too-large');
  });

  it('expand macros of macros to a limit', () => {
    const macros: Record<string, Macro> = { f0: { parameters: ['t'], body: parseFormula('t + 1') } };
    for (let i = 1; i < 40; i++)
      macros[`f${i}`] = { parameters: ['t'], body: parseFormula(`f${i - 1}(t)*f${i - 1}(2*t)`) };
    expect(failure('f39(a)', scopeOf({ a }, macros)).code).toBe('formula-too-large');
  });

  it('numbers beyond double precision are refused', () => {
    expect(failure('1e400').code).toBe('number-out-of-range');
    expect(failure('1e-400').code).toBe('number-out-of-range');
  });
});

it('division by an exact zero is refused where it stands', () => {
  expect(failure('a/0').code).toBe('division-by-zero');
  expect(failure('b + a/(c - c)')).toMatchObject({ code: 'division-by-zero', offset: 7 });
  expect(failure('0^-1').code).toBe('division-by-zero');
  expect(failure('log(0)').code).toBe('outside-domain');
  expect(failure('sqrt(-2)').code).toBe('outside-domain');
});
