/** Families of functions against their independent definitions: orthogonality, interpolation, smoothness, known values. */
import { describe, expect, it } from 'vitest';
import {
  BASIS_CALLS,
  basisFunctions,
  countProblem,
  type BasisName,
  type RadialShape,
} from '../../src/symbolic/formulas/basis-functions.ts';
import { differentiate } from '../../src/symbolic/graph/differentiate.ts';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { fraction, integer, plus, symbol, type Expr } from '../../src/symbolic/graph/expr.ts';

const u = symbol('material.u');
const value = (e: Expr, at: number): number => evaluate([e], new Map([[u, at]]))[0]!;
const family = (basis: BasisName, count: number, shape?: RadialShape): Expr[] => basisFunctions(basis, count, u, shape);

/** Midpoint rule: shares nothing with Gauss points, and is spectrally accurate for periodic functions. */
function integrate(f: (u: number) => number, cells = 4000): number {
  let sum = 0;
  for (let i = 0; i < cells; i++) sum += f((i + 0.5) / cells);
  return sum / cells;
}

describe('polynomials', () => {
  it('of Legendre are orthogonal on [0, 1] and one at its end', () => {
    const functions = family('legendre', 6);
    for (const [i, a] of functions.entries()) {
      expect(value(a, 1)).toBe(1);
      expect(value(a, 0)).toBe(i % 2 === 0 ? 1 : -1);
      for (const [j, b] of functions.entries()) {
        const product = integrate((t) => value(a, t) * value(b, t), 1500);
        expect(product).toBeCloseTo(i === j ? 1 / (2 * i + 1) : 0, 4);
      }
    }
  });

  it('of Legendre satisfy their differential equation', () => {
    family('legendre', 9).forEach((p, n) => {
      const [first, second] = [differentiate(p, u), differentiate(differentiate(p, u), u)];
      for (const t of [0.1, 0.37, 0.8]) {
        // With x = 2u - 1: (1 - x²) P'' - 2x P' + n(n + 1) P = 0.
        const x = 2 * t - 1;
        const residual = ((1 - x * x) * value(second, t)) / 4 - x * value(first, t) + n * (n + 1) * value(p, t);
        expect(residual).toBeCloseTo(0, 10);
      }
    });
  });

  it('of Chebyshev are cosines of multiples', () => {
    family('chebyshev', 12).forEach((p, n) => {
      for (const angle of [0.2, 1.1, 2.9])
        expect(value(p, (1 + Math.cos(angle)) / 2)).toBeCloseTo(Math.cos(n * angle), 13);
    });
  });

  it('keep their digits at high degree', () => {
    const [p] = family('legendre', 41).slice(-1);
    // P_40(0) = (40 choose 20)/2^40
    expect(value(p!, 0.5)).toBeCloseTo(137846528820 / 2 ** 40, 15);
    expect(Math.abs(value(p!, 0.999))).toBeLessThanOrEqual(1);
  });

  it('called monomials are powers', () => {
    expect(family('monomial', 4).map((e) => value(e, 0.3))).toEqual([1, 0.3, 0.09, expect.closeTo(0.027, 16)]);
  });
});

describe('trigonometric functions', () => {
  it('are orthogonal over one period', () => {
    const functions = family('fourier', 7);
    for (const [i, a] of functions.entries())
      for (const [j, b] of functions.entries())
        expect(integrate((t) => value(a, t) * value(b, t), 50)).toBeCloseTo(i !== j ? 0 : i === 0 ? 1 : 0.5, 13);
  });

  it('begin with 1, sine and cosine of one turn', () => {
    const values = family('fourier', 5).map((e) => value(e, 1 / 12));
    expect(values).toEqual(
      [1, 0.5, Math.sqrt(3) / 2, Math.sqrt(3) / 2, 0.5].map((v) => expect.closeTo(v, 14) as number),
    );
  });
});

describe('radial functions', () => {
  it('are one at equally spaced centres and fall off by their width', () => {
    for (const [basis, atWidth] of [
      ['gaussian', Math.exp(-1)],
      ['inverse-multiquadric', Math.SQRT1_2],
    ] as const) {
      const functions = family(basis, 5);
      functions.forEach((e, i) => {
        expect(value(e, i / 4)).toBe(1);
        expect(value(e, (i + 1) / 4)).toBeCloseTo(atWidth, 14);
      });
      expect(value(family(basis, 1)[0]!, 0.5)).toBe(1);
    }
  });

  it('take centres and a width', () => {
    const [e] = family('gaussian', 1, { centres: [fraction(1, 5)], width: fraction(1, 10) });
    expect([value(e!, 0.2), value(e!, 0.4)]).toEqual([1, expect.closeTo(Math.exp(-4), 15)]);
  });
});

describe('finite elements', () => {
  const ORDERS = [
    ['linear', 1],
    ['quadratic', 2],
    ['cubic', 3],
  ] as const;

  it.each(ORDERS)('%s interpolate at their nodes and sum up to one', (basis, order) => {
    for (const count of [order + 1, 2 * order + 1, 4 * order + 1]) {
      const functions = family(basis, count);
      functions.forEach((e, i) => {
        for (let node = 0; node < count; node++)
          expect(value(e, node / (count - 1))).toBeCloseTo(i === node ? 1 : 0, 12);
      });
      for (const t of [0.013, 0.41, 0.77, 0.999]) expect(value(plus(...functions), t)).toBeCloseTo(1, 12);
    }
  });

  it.each(ORDERS)('%s reproduce polynomials of their order, and no higher ones', (basis, order) => {
    const count = 3 * order + 1;
    const functions = family(basis, count);
    const interpolant = (f: (t: number) => number, at: number): number =>
      functions.reduce((sum, e, i) => sum + f(i / (count - 1)) * value(e, at), 0);
    const [at, f, higher] = [0.23, (t: number): number => t ** order, (t: number): number => t ** (order + 1)];
    expect(interpolant(f, at)).toBeCloseTo(f(at), 13);
    expect(Math.abs(interpolant(higher, at) - higher(at))).toBeGreaterThan(1e-5);
  });

  it.each([...ORDERS, ['hermite', 1] as const])('%s vanish outside of their elements', (basis, order) => {
    const count = basis === 'hermite' ? 8 : 3 * order + 1;
    expect(value(family(basis, count)[0]!, 0.4)).toBe(0);
    expect(value(family(basis, count)[count - 1]!, 0.6)).toBe(0);
  });

  it('of Hermite have a value or a slope at one node and continuous slopes', () => {
    const functions = family('hermite', 8);
    const step = 1e-9;
    functions.forEach((e, i) => {
      const slope = differentiate(e, u);
      for (let node = 0; node < 4; node++) {
        const at = node / 3;
        expect(value(e, at)).toBeCloseTo(i === 2 * node ? 1 : 0, 12);
        for (const side of [at - step, at + step])
          if (side > 0 && side < 1) expect(value(slope, side)).toBeCloseTo(i === 2 * node + 1 ? 1 : 0, 6);
      }
    });
  });

  it('of Hermite reproduce cubics', () => {
    const f = (t: number): number => t ** 3 - 2 * t ** 2 + 0.3;
    const df = (t: number): number => 3 * t ** 2 - 4 * t;
    const functions = family('hermite', 6);
    const sum = functions.reduce((total, e, i) => {
      const node = Math.floor(i / 2) / 2;
      return total + (i % 2 === 0 ? f(node) : df(node)) * value(e, 0.29);
    }, 0);
    expect(sum).toBeCloseTo(f(0.29), 14);
  });

  it('come in the numbers that elements take', () => {
    const sound = (basis: BasisName): number[] =>
      Array.from({ length: 9 }, (_, n) => n + 1).filter((n) => countProblem(basis, n) === undefined);
    expect(sound('linear')).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sound('quadratic')).toEqual([3, 5, 7, 9]);
    expect(sound('cubic')).toEqual([4, 7]);
    expect(sound('hermite')).toEqual([4, 6, 8]);
    expect(sound('legendre')).toHaveLength(9);
  });
});

describe('calls in formulas', () => {
  const apply = (name: string, ...operands: Expr[]): Expr => BASIS_CALLS.get(name)!.apply(operands);

  it('mean the functions of the families, elements counted from 1', () => {
    expect(apply('legendre', integer(3), u)).toBe(family('legendre', 4)[3]);
    expect(apply('quadratic', integer(2), integer(5), u)).toBe(family('quadratic', 5)[1]);
    expect(apply('hermite', integer(1), integer(4), u)).toBe(family('hermite', 4)[0]);
    expect(value(apply('gaussian', u, fraction(1, 2), integer(2)), 1.5)).toBeCloseTo(Math.exp(-0.25), 15);
  });

  it.each<readonly [string, readonly Expr[]]>([
    ['legendre', [fraction(1, 2), u]],
    ['legendre', [integer(-1), u]],
    ['chebyshev', [u, u]],
    ['fourier', [integer(1000), u]],
    ['linear', [integer(0), integer(3), u]],
    ['linear', [integer(4), integer(3), u]],
    ['cubic', [integer(1), integer(5), u]],
  ])('refuse %s with indices that there are not', (name, operands) => {
    expect(() => apply(name, ...operands)).toThrow(KanegenError);
  });
});
