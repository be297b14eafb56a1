/**
 * Exact definite integrals of products of Stumpff functions along a rod of unit length:
 *   W(j, m, n)(χ) = ∫_0^1 s^j U_m U_n ds,   U_k(s; χ) = s^k c_k(χ s²),
 * as finite rational combinations of c_k(χ) and c_k(4χ). No pole at χ = 0 is left; all arithmetic is exact.
 *
 * Method (docs/mathematics.md, "Integrals by table"): reduce U_k to U_0 or U_1 and a Taylor part, products by
 * U_0² = (1 + V_0)/2, U_0 U_1 = V_1, U_1² = 2 V_2 with V_k = U_k at 4χ, integrate s^i U_k by parts, and raise indices
 * until the negative powers of χ are gone: what is left of them must cancel identically.
 */
import { inverseFactorial } from '../../symbolic/graph/expr.ts';
import { ONE, Rational, ZERO, ratio } from '../../symbolic/graph/rational.ts';

/** constant + Σ single[k] c_k(χ) + Σ double[k] c_k(4χ) */
export interface StumpffCombination {
  readonly constant: Rational;
  readonly single: ReadonlyMap<number, Rational>;
  readonly double: ReadonlyMap<number, Rational>;
}

type Harmonic = 'one' | 'U' | 'V';

/** coefficient · χ^(−pole) · s^power · {1, U_order, V_order} */
interface IntegrandTerm {
  readonly coefficient: Rational;
  readonly pole: number;
  readonly power: number;
  readonly harmonic: Harmonic;
  readonly order: number;
}

/** U_k = (−χ)^(−h) (U_(k mod 2) − Σ_{i<h} (−χ)^i s^(k mod 2 + 2i)/(k mod 2 + 2i)!), h = ⌊k/2⌋. */
function reduceOrder(order: number): IntegrandTerm[] {
  const h = Math.floor(order / 2);
  const parity = order % 2;
  const sign = (n: number): Rational => ratio(n % 2 === 0 ? 1 : -1);
  const terms: IntegrandTerm[] = [{ coefficient: sign(h), pole: h, power: 0, harmonic: 'U', order: parity }];
  for (let i = 0; i < h; i++)
    terms.push({
      coefficient: Rational.negate(Rational.multiply(sign(h + i), inverseFactorial(parity + 2 * i))),
      pole: h - i,
      power: parity + 2 * i,
      harmonic: 'one',
      order: 0,
    });
  return terms;
}

function multiplyTerms(a: IntegrandTerm, b: IntegrandTerm): IntegrandTerm[] {
  const base = {
    coefficient: Rational.multiply(a.coefficient, b.coefficient),
    pole: a.pole + b.pole,
    power: a.power + b.power,
  };
  if (a.harmonic === 'one') return [{ ...base, harmonic: b.harmonic, order: b.order }];
  if (b.harmonic === 'one') return [{ ...base, harmonic: a.harmonic, order: a.order }];
  const halved = Rational.multiply(base.coefficient, ratio(1, 2));
  if (a.order + b.order === 0)
    return [
      { ...base, coefficient: halved, harmonic: 'one', order: 0 },
      { ...base, coefficient: halved, harmonic: 'V', order: 0 },
    ];
  if (a.order + b.order === 1) return [{ ...base, harmonic: 'V', order: 1 }];
  return [{ ...base, coefficient: Rational.multiply(base.coefficient, ratio(2)), harmonic: 'V', order: 2 }];
}

class Accumulator {
  readonly single = new Map<number, Rational>();
  readonly double = new Map<number, Rational>();
  /** Coefficients of χ^(−p), p ≥ 0. */
  readonly constants: Rational[] = [];

  private static add(map: Map<number, Rational>, key: number, value: Rational): void {
    const sum = Rational.add(map.get(key) ?? ZERO, value);
    if (Rational.isZero(sum)) map.delete(key);
    else map.set(key, sum);
  }

  addConstant(pole: number, value: Rational): void {
    this.constants[pole] = Rational.add(this.constants[pole] ?? ZERO, value);
  }

  /** χ^(−pole) c_order(factor·χ), index raised until the pole is gone. */
  addStumpff(pole: number, order: number, factor: 1 | 4, value: Rational): void {
    let running = value; // value · (−factor)^i
    for (let i = 0; i < pole; i++) {
      this.addConstant(pole - i, Rational.multiply(running, inverseFactorial(order + 2 * i)));
      running = Rational.multiply(running, ratio(-factor));
    }
    Accumulator.add(factor === 1 ? this.single : this.double, order + 2 * pole, running);
  }

  /** ∫_0^1 of an integrand term: ∫ s^i U_k ds = Σ_l (−1)^l i!/(i−l)! c_(k+1+l). */
  addIntegral(term: IntegrandTerm): void {
    if (term.harmonic === 'one') {
      this.addConstant(term.pole, Rational.multiply(term.coefficient, ratio(1, term.power + 1)));
      return;
    }
    let running = term.coefficient;
    for (let l = 0; l <= term.power; l++) {
      this.addStumpff(term.pole, term.order + 1 + l, term.harmonic === 'U' ? 1 : 4, running);
      running = Rational.multiply(running, ratio(-(term.power - l)));
    }
  }

  finish(what: string): StumpffCombination {
    for (let pole = 1; pole < this.constants.length; pole++)
      if (!Rational.isZero(this.constants[pole] ?? ZERO)) throw new Error(`the pole of ${what} does not cancel`);
    return { constant: this.constants[0] ?? ZERO, single: this.single, double: this.double };
  }
}

const table = new Map<string, StumpffCombination>();

/**
 * ∫_0^1 s^power Π U_order ds for no, one or two orders.
 * @throws Error when a pole is left (an error of this module: the integrand is entire).
 */
export function integrateStumpff(power: number, orders: readonly number[]): StumpffCombination {
  const sorted = [...orders].sort((a, b) => a - b);
  const key = `${power}:${sorted.join(',')}`;
  const known = table.get(key);
  if (known) return known;
  const unit: IntegrandTerm = { coefficient: ONE, pole: 0, power, harmonic: 'one', order: 0 };
  let integrand: IntegrandTerm[] = [unit];
  if (sorted.length === 1) {
    // No need to reduce the order: s^i U_k integrates as it stands.
    integrand = [{ ...unit, harmonic: 'U', order: sorted[0]! }];
  } else
    for (const order of sorted)
      integrand = integrand.flatMap((a) => reduceOrder(order).flatMap((b) => multiplyTerms(a, b)));
  const sum = new Accumulator();
  for (const term of integrand) sum.addIntegral(term);
  const result = sum.finish(`∫ s^${power} ${sorted.map((k) => `U_${k}`).join(' ')} ds`);
  table.set(key, result);
  return result;
}
