/**
 * The separated form of kinematics outside the Stumpff class: p = Σ_i β_i(x, y, s; θ) b_i(q), where a material function is
 * a monomial in the section coordinates times any product of powers, exponentials, harmonics and other functions of s,
 * and the scalars θ are what these functions contain of the coordinates (q/L in exp(−s/L) sin(q s/L)).
 *
 * Formulas are expanded in the material coordinates only, exponentials merged, products of harmonics turned into sums, so
 * that equal functions meet. Poles of the coefficients are not removed: who uses the form checks it with numbers.
 */
import {
  call,
  children,
  cos,
  half,
  negate,
  one,
  plus,
  power,
  rational,
  scale,
  sin,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { KanegenError } from '../../common/error.ts';
import { MINUS_ONE, ONE, Rational } from '../../symbolic/graph/rational.ts';
import { dependsOn, postorder, substituteOne } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import {
  TERM_LIMIT,
  factorContent,
  harmonicTerm,
  productToSum,
  type Harmonic,
  type RodCoordinates,
} from './separated-form.ts';

/** coefficient · x^x y^y s^s · exp(rate s + bend(s)) · cos or sin(frequency s) · other(s) */
export interface GeneralTerm {
  readonly x: number;
  readonly y: number;
  readonly s: number;
  /** Zero without an exponential. */
  readonly rate: Expr;
  /** Higher powers of s in the exponent. */
  readonly bend: Expr;
  readonly harmonic?: Harmonic;
  /** Everything else that depends on s; one when there is nothing. */
  readonly other: Expr;
  readonly coefficient: Expr;
}

const UNIT: Omit<GeneralTerm, 'coefficient'> = { x: 0, y: 0, s: 0, rate: zero, bend: zero, other: one };

type Terms = ReadonlyMap<string, GeneralTerm>;

function keyOf(t: Omit<GeneralTerm, 'coefficient'>): string {
  const harmonic = t.harmonic ? `${t.harmonic.kind}${t.harmonic.frequency.id}` : '';
  return [t.x, t.y, t.s, t.rate.id, t.bend.id, harmonic, t.other.id].join(',');
}

function collect(terms: Iterable<GeneralTerm>, what: Expr): Terms {
  const result = new Map<string, GeneralTerm>();
  for (const term of terms) {
    const key = keyOf(term);
    const before = result.get(key);
    const coefficient = before ? plus(before.coefficient, term.coefficient) : term.coefficient;
    if (coefficient === zero) result.delete(key);
    else result.set(key, { ...term, coefficient });
  }
  if (result.size > TERM_LIMIT)
    throw new KanegenError(
      'formula-too-large',
      `expanding ${toText(what).slice(0, 80)} in the material coordinates gives more than ${TERM_LIMIT} terms`,
      { remedy: 'factor the formula so that it is a short polynomial in the material coordinates' },
    );
  return result;
}

const constantTerms = (e: Expr): Terms => collect([{ ...UNIT, coefficient: e }], e);

function multiply(a: Terms, b: Terms, what: Expr): Terms {
  const products: GeneralTerm[] = [];
  for (const left of a.values())
    for (const right of b.values()) {
      const base = {
        x: left.x + right.x,
        y: left.y + right.y,
        s: left.s + right.s,
        rate: factorContent(plus(left.rate, right.rate)),
        bend: plus(left.bend, right.bend),
        other: times(left.other, right.other),
      };
      const coefficient = times(left.coefficient, right.coefficient);
      const harmonics = [left.harmonic, right.harmonic].filter((h) => h !== undefined);
      const [first, second] = harmonics;
      if (first && second)
        for (const term of productToSum(first, second))
          products.push({
            ...base,
            ...(term.harmonic && { harmonic: term.harmonic }),
            coefficient: times(term.coefficient, coefficient),
          });
      else products.push({ ...base, ...(first && { harmonic: first }), coefficient });
    }
  return collect(products, what);
}

function notClosed(what: Expr, why: string): KanegenError {
  return new KanegenError('no-closed-form', `${toText(what).slice(0, 200)} ${why}`, {
    remedy: 'leave out `integration: closed-form`',
  });
}

/**
 * A formula as a sum of products of material functions and coefficients.
 * @throws KanegenError `no-closed-form` where it is not a polynomial in the section coordinates.
 */
export function separateGeneral(root: Expr, coordinates: RodCoordinates): readonly GeneralTerm[] {
  return new Separation(coordinates).of(root);
}

class Separation {
  private readonly axial: Expr;
  private readonly section: ReadonlySet<Expr>;
  private readonly units: ReadonlyMap<Expr, GeneralTerm>;
  /** Nodes that depend on material coordinates. */
  private readonly separated = new Map<Expr, Terms>();

  constructor({ axial, section }: RodCoordinates) {
    this.axial = axial;
    this.section = new Set<Expr>(section);
    this.units = new Map<Expr, GeneralTerm>([
      [axial, { ...UNIT, s: 1, coefficient: one }],
      [section[0], { ...UNIT, x: 1, coefficient: one }],
      [section[1], { ...UNIT, y: 1, coefficient: one }],
    ]);
  }

  of(root: Expr): readonly GeneralTerm[] {
    for (const e of postorder([root])) {
      const unit = this.units.get(e);
      if (unit) this.separated.set(e, collect([unit], e));
      else if (children(e).some((operand) => this.separated.has(operand))) this.separated.set(e, this.node(e));
    }
    return [...this.get(root).values()];
  }

  private get(e: Expr): Terms {
    return this.separated.get(e) ?? constantTerms(e);
  }

  private node(e: Expr): Terms {
    switch (e.kind) {
      case 'sum': {
        const parts = e.terms.flatMap((t) =>
          [...this.get(t.term).values()].map((part) => ({
            ...part,
            coefficient: scale(t.coefficient, part.coefficient),
          })),
        );
        return collect([{ ...UNIT, coefficient: rational(e.constant) }, ...parts], e);
      }
      case 'product':
        return this.product(e);
      case 'call':
        return this.call(e);
      case 'compare':
      case 'constant':
      case 'logic':
      case 'rational':
      case 'select':
      case 'stumpff':
      case 'symbol':
        return this.whole(e);
    }
  }

  /** The node as it stands, as a function of s. */
  private whole(e: Expr): Terms {
    if (dependsOn(e, this.section)) throw notClosed(e, 'is not a polynomial in the section coordinates');
    return collect([{ ...UNIT, other: e, coefficient: one }], e);
  }

  private product(e: Expr & { kind: 'product' }): Terms {
    let result = constantTerms(rational(e.coefficient));
    for (const { base, exponent } of e.factors) {
      if (!this.separated.has(base)) result = multiply(result, constantTerms(power(base, exponent)), e);
      else if (Rational.isInteger(exponent) && !Rational.isNegative(exponent))
        for (let i = 0n; i < exponent.numerator; i++) result = multiply(result, this.get(base), e);
      else if (base.kind === 'call' && base.name === 'exp')
        result = multiply(result, this.exponential(base.arguments[0]!, exponent), e);
      else result = multiply(result, this.whole(power(base, exponent)), e);
    }
    return result;
  }

  private call(e: Expr & { kind: 'call' }): Terms {
    const [operand] = e.arguments as [Expr];
    switch (e.name) {
      case 'exp':
        return this.exponential(operand, ONE);
      case 'cosh':
      case 'sinh': {
        const [rising, falling] = [this.exponential(operand, ONE), this.exponential(operand, MINUS_ONE)];
        const sign = e.name === 'cosh' ? half : negate(half);
        const parts = [multiply(rising, constantTerms(half), e), multiply(falling, constantTerms(sign), e)];
        return collect(
          parts.flatMap((terms) => [...terms.values()]),
          e,
        );
      }
      case 'sin':
      case 'cos':
        return this.harmonic(e);
      case 'abs':
      case 'acos':
      case 'asin':
      case 'atan':
      case 'atan2':
      case 'log':
      case 'pow':
      case 'sign':
      case 'tan':
      case 'tanh':
        return this.whole(e);
    }
  }

  /** Coefficients of 1, s and the rest where e is a polynomial in s. */
  private polynomial(e: Expr): { constant: Expr; linear: Expr; rest: Expr } | undefined {
    const parts = [...this.get(e).values()];
    const isPower = (t: GeneralTerm): boolean =>
      t.x + t.y === 0 && !t.harmonic && t.rate === zero && t.bend === zero && t.other === one;
    if (!parts.every(isPower)) return undefined;
    const coefficient = (s: number): Expr => parts.find((t) => t.s === s)?.coefficient ?? zero;
    const rest = plus(...parts.filter((t) => t.s > 1).map((t) => times(t.coefficient, power(this.axial, t.s))));
    return { constant: coefficient(0), linear: coefficient(1), rest };
  }

  /** exp(factor · operand) */
  private exponential(operand: Expr, factor: Rational): Terms {
    const whole = call('exp', scale(factor, operand));
    const polynomial = this.polynomial(operand);
    if (!polynomial) return this.whole(whole);
    const rate = factorContent(scale(factor, polynomial.linear));
    const coefficient = call('exp', scale(factor, polynomial.constant));
    return collect([{ ...UNIT, rate, bend: scale(factor, polynomial.rest), coefficient }], whole);
  }

  /** sin or cos of phase + frequency·s by the addition theorem. */
  private harmonic(e: Expr & { kind: 'call' }): Terms {
    const polynomial = this.polynomial(e.arguments[0]!);
    if (!polynomial || polynomial.rest !== zero) return this.whole(e);
    const { constant: phase, linear: frequency } = polynomial;
    const factors = e.name === 'cos' ? [cos(phase), negate(sin(phase))] : [sin(phase), cos(phase)];
    const parts = (['cos', 'sin'] as const).map((kind, i) => {
      const { harmonic, coefficient } = harmonicTerm(kind, frequency);
      return { ...UNIT, ...(harmonic && { harmonic }), coefficient: times(coefficient, factors[i]!) };
    });
    return collect(
      parts.filter((t) => t.coefficient !== zero),
      e,
    );
  }
}

/** The material function of a term: everything but its coefficient. */
export function functionOf(t: Omit<GeneralTerm, 'coefficient'>, { axial, section }: RodCoordinates): Expr {
  const angle = t.harmonic && times(t.harmonic.frequency, axial);
  return times(
    power(section[0], t.x),
    power(section[1], t.y),
    power(axial, t.s),
    call('exp', plus(times(t.rate, axial), t.bend)),
    angle ? call(t.harmonic.kind, angle) : one,
    t.other,
  );
}

/** p = Σ function · coefficient; functions over material coordinates, parameters and scalars. */
export interface GeneralForm {
  readonly terms: readonly { readonly function: Expr; readonly coefficient: Vector3 }[];
  /** What the functions contain of the coordinates. */
  readonly scalars: ReadonlyMap<SymbolExpr, Expr>;
}

/**
 * @param configuration coordinates of the body (and the time).
 * @throws KanegenError `no-closed-form`, `formula-too-large`.
 */
export function toGeneralForm(
  position: Vector3,
  coordinates: RodCoordinates,
  configuration: ReadonlySet<Expr>,
): GeneralForm {
  const material = new Set<Expr>([coordinates.axial, ...coordinates.section]);
  const moves = (part: Expr): boolean => dependsOn(part, configuration);
  const scalars = new Map<Expr, SymbolExpr>();
  const merged = new Map<Expr, [Expr, Expr, Expr]>();
  position.forEach((row, i) => {
    for (const term of separateGeneral(row, coordinates)) {
      const f = nameParts(functionOf(term, coordinates), material, moves, scalars, 'scalar');
      const coefficient = merged.get(f) ?? [zero, zero, zero];
      coefficient[i] = term.coefficient;
      merged.set(f, coefficient);
    }
  });
  return {
    terms: [...merged].map(([f, coefficient]) => ({ function: f, coefficient })),
    scalars: new Map([...scalars].map(([value, name]) => [name, value])),
  };
}

/**
 * f with its largest parts that are free of the material replaced by symbols, the same for equal parts.
 * @param wanted which of these parts.
 * @param names symbols by part: found and added here, named after `stem`.
 */
export function nameParts(
  f: Expr,
  material: ReadonlySet<Expr>,
  wanted: (part: Expr) => boolean,
  names: Map<Expr, SymbolExpr>,
  stem: string,
): Expr {
  const order = postorder([f]);
  const isMaterial = new Map<Expr, boolean>();
  for (const e of order) isMaterial.set(e, material.has(e) || children(e).some((o) => isMaterial.get(o)!));
  const nameOf = (part: Expr): Expr => {
    const name = names.get(part) ?? symbol(`${stem}.${names.size}`);
    names.set(part, name);
    return name;
  };
  const isPart = (e: Expr): boolean => !isMaterial.get(e) && wanted(e);
  const replacements = new Map<Expr, Expr>();
  for (const e of order) {
    if (!isMaterial.get(e)) continue;
    if (e.kind !== 'product') {
      for (const part of children(e)) if (isPart(part)) replacements.set(part, nameOf(part));
      continue;
    }
    // Of a product with the material all such factors are one part.
    const part = times(...e.factors.filter((g) => isPart(g.base)).map((g) => power(g.base, g.exponent)));
    if (part === one) continue;
    const kept = e.factors.filter((g) => !isPart(g.base));
    const rest = kept.map((g) => power(substituteOne(g.base, replacements), g.exponent));
    replacements.set(e, times(rational(e.coefficient), nameOf(part), ...rest));
  }
  return substituteOne(f, replacements);
}
