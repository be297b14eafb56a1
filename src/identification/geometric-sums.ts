/**
 * Numbers of the geometry of a robot as sums of products of its lengths, with their values. The value decides what is zero, at the
 * geometry of the file; a second value, with other lengths, tells plain numbers from lengths that have them by chance.
 */
import { evaluate, foldConstant, foldConstants, isConstant } from '../symbolic/evaluation/evaluate.ts';
import { expandToMonomials } from '../symbolic/graph/expand.ts';
import { decimal, plus, power, times, zero, type Expr } from '../symbolic/graph/expr.ts';
import { Rational } from '../symbolic/graph/rational.ts';
import { toText } from '../symbolic/formulas/print.ts';

/** coefficient · Π base^exponent. */
interface Term {
  readonly coefficient: number;
  /** Of what the coefficient was added up of: its rounding errors are in proportion. */
  readonly size: number;
  /** Exponents that are not zero, by the text of the base: the order of terms depends on nothing else. */
  readonly powers: ReadonlyMap<string, { readonly base: Expr; readonly exponent: number }>;
}

export interface GeometricSum {
  /** Undefined where there would be more than anybody reads: its value then stands for it. */
  readonly terms: ReadonlyMap<string, Term> | undefined;
  readonly value: number;
  /** With other lengths. */
  readonly elsewhere: number;
  /** Of what the value was added up of. */
  readonly size: number;
}

/** Of what a number was added up of: what is below is rounding. */
export const ROUNDING = 1e-11;
/** What many summands make. */
const PLAIN = [1, -1, 2, -2, 0.5, -0.5];
/** Sums of more terms than this are numbers. */
const MOST_TERMS = 16;

export const NOTHING: GeometricSum = { terms: new Map(), value: 0, elsewhere: 0, size: 0 };
export const UNIT = numberOf(1);

export function numberOf(value: number): GeometricSum {
  if (value === 0) return NOTHING;
  const term = { coefficient: value, size: Math.abs(value), powers: new Map() };
  return { terms: new Map([['', term]]), value, elsewhere: value, size: Math.abs(value) };
}

export function isNothing(sum: GeometricSum): boolean {
  return sum.value === 0;
}

/** Bindings of the symbols: the values of the file, and others. */
export interface Lengths {
  readonly values: ReadonlyMap<Expr, number>;
  readonly others: ReadonlyMap<Expr, number>;
}

/** Constants are rounded to double precision. */
export function geometricSum(formula: Expr, { values, others }: Lengths): GeometricSum {
  if (formula === zero) return NOTHING;
  if (isConstant(formula)) return numberOf(foldConstant(formula));
  const [value] = evaluate([formula], values);
  const [elsewhere] = evaluate([formula], others);
  const terms = expandToMonomials(formula, MOST_TERMS)?.map(({ coefficient, factors }): Term => {
    const bases = [...factors].map(([base, exponent]) => ({ base, exponent: Rational.toNumber(exponent) }));
    const constant = bases.filter(({ base }) => isConstant(base));
    const known = foldConstants(constant.map(({ base }) => base));
    const own = constant.reduce((all, { exponent }, i) => all * known[i]! ** exponent, Rational.toNumber(coefficient));
    const open = bases.filter(({ base }) => !isConstant(base));
    const powers = new Map(open.map(({ base, exponent }) => [toText(base), { base, exponent }]));
    return { coefficient: own, size: Math.abs(own), powers };
  });
  return settled(terms, value!, elsewhere!, Math.abs(value!));
}

function keyOf({ powers }: Term): string {
  return [...powers]
    .map(([text, { exponent }]) => `${text}^${exponent}`)
    .sort()
    .join(' ');
}

/** Terms with equal products are one. */
function settled(terms: readonly Term[] | undefined, value: number, elsewhere: number, size: number): GeometricSum {
  if (!(Math.abs(value) > ROUNDING * size)) return NOTHING;
  const near = (plain: number): boolean =>
    Math.abs(value - plain) <= ROUNDING * size && Math.abs(elsewhere - plain) <= ROUNDING * size;
  const plain = PLAIN.find(near);
  if (plain !== undefined) return numberOf(plain);
  if (!terms) return { terms, value, elsewhere, size };
  const merged = new Map<string, Term>();
  for (const term of terms) {
    const key = keyOf(term);
    const before = merged.get(key);
    merged.set(
      key,
      before
        ? {
            ...term,
            coefficient: before.coefficient + term.coefficient,
            size: Math.max(before.size, term.size),
          }
        : term,
    );
  }
  const left = [...merged].filter(([, term]) => Math.abs(term.coefficient) > ROUNDING * term.size);
  return { terms: left.length > MOST_TERMS ? undefined : new Map(left), value, elsewhere, size };
}

export function sumOf(summands: readonly GeometricSum[]): GeometricSum {
  if (summands.length < 2) return summands[0] ?? NOTHING;
  const add = (of: (one: GeometricSum) => number): number => summands.reduce((total, one) => total + of(one), 0);
  const terms = summands.every((one) => one.terms) ? summands.flatMap((one) => [...one.terms!.values()]) : undefined;
  return settled(
    terms,
    add(({ value }) => value),
    add(({ elsewhere }) => elsewhere),
    Math.max(...summands.map(({ size }) => size)),
  );
}

export function negated({ terms, value, elsewhere, size }: GeometricSum): GeometricSum {
  const negative =
    terms && [...terms].map(([key, term]) => [key, { ...term, coefficient: -term.coefficient }] as const);
  return { terms: negative && new Map(negative), value: -value, elsewhere: -elsewhere, size };
}

export function productOf(a: GeometricSum, b: GeometricSum): GeometricSum {
  if (isNothing(a) || isNothing(b)) return NOTHING;
  if (a === UNIT) return b;
  if (b === UNIT) return a;
  const [left, right] = [a.terms, b.terms].map((terms) => terms && [...terms.values()]);
  const terms = left && right && left.flatMap((one) => right.map((other) => multiplied(one, other, 1)));
  const size = Math.max(a.size * Math.abs(b.value), Math.abs(a.value) * b.size);
  return settled(terms, a.value * b.value, a.elsewhere * b.elsewhere, size);
}

/** One term times another, or (−1) divided by it. */
function multiplied(a: Term, b: Term, sign: 1 | -1): Term {
  const powers = new Map(a.powers);
  for (const [text, { base, exponent }] of b.powers) {
    const total = (powers.get(text)?.exponent ?? 0) + sign * exponent;
    if (total === 0) powers.delete(text);
    else powers.set(text, { base, exponent: total });
  }
  const by = b.coefficient ** sign;
  const size = Math.max(a.size * Math.abs(by), Math.abs(a.coefficient * by) * (b.size / Math.abs(b.coefficient)));
  return { coefficient: a.coefficient * by, size, powers };
}

/** a/b: without remainder where there is none, by a product where b is one, else with b as a base of its own. */
export function quotientOf(a: GeometricSum, b: GeometricSum): GeometricSum {
  if (isNothing(a) || b === UNIT) return a;
  const size = Math.max(a.size / Math.abs(b.value), (Math.abs(a.value) * b.size) / b.value ** 2);
  return settled(termsOfQuotient(a.terms, b.terms), a.value / b.value, a.elsewhere / b.elsewhere, size);
}

type Terms = ReadonlyMap<string, Term>;

function termsOfQuotient(a: Terms | undefined, b: Terms | undefined): readonly Term[] | undefined {
  if (!a || !b) return undefined;
  const base = formulaOf(b);
  const below = { coefficient: 1, size: 1, powers: new Map([[toText(base), { base, exponent: 1 }]]) };
  return wholeQuotient(a, b) ?? [...a.values()].map((term) => multiplied(term, below, -1));
}

/** By division of the terms that come last, undefined where something remains. */
function wholeQuotient(a: Terms, b: Terms): Term[] | undefined {
  const head = lastTerm(b);
  const rest = new Map(a);
  const found: Term[] = [];
  while (rest.size > 0) {
    if (found.length >= MOST_TERMS || rest.size > 2 * MOST_TERMS) return undefined;
    const share = multiplied(lastTerm(rest), head, -1);
    found.push(share);
    for (const own of b.values()) {
      const taken = multiplied(own, share, 1);
      const key = keyOf(taken);
      const before = rest.get(key);
      const left = (before?.coefficient ?? 0) - taken.coefficient;
      const size = Math.max(before?.size ?? 0, taken.size);
      if (Math.abs(left) > ROUNDING * size) rest.set(key, { coefficient: left, size, powers: taken.powers });
      else rest.delete(key);
    }
  }
  return found;
}

/** By the exponents of all bases, those of the first by name first: an order that products keep. */
function lastTerm(terms: Terms): Term {
  return [...terms.values()].reduce((last, term) => (isBefore(last, term) ? term : last));
}

function isBefore(a: Term, b: Term): boolean {
  const names = [...new Set([...a.powers.keys(), ...b.powers.keys()])].sort();
  for (const name of names) {
    const difference = (b.powers.get(name)?.exponent ?? 0) - (a.powers.get(name)?.exponent ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}

function formulaOf(terms: Terms): Expr {
  return plus(
    ...[...terms.values()].map(({ coefficient, powers }) =>
      times(decimal(coefficient), ...[...powers.values()].map(({ base, exponent }) => power(base, exponent))),
    ),
  );
}

/** Symbols and other bases of the products. */
export function basesOf({ terms }: GeometricSum): readonly Expr[] {
  return [...(terms?.values() ?? [])].flatMap(({ powers }) => [...powers.values()].map(({ base }) => base));
}

/** `0.8*arm_distal_x^2 - arm_distal_y/L`, twelve digits; `~` and the value of sums of many terms. */
export function sumText({ terms, value }: GeometricSum): string {
  if (!terms) return `~${Number(value.toPrecision(12))}`;
  const sorted = [...terms].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, term]) => term);
  const first = sorted.findIndex(({ coefficient }) => coefficient > 0);
  const ordered = first > 0 ? [sorted[first]!, ...sorted.filter((_, i) => i !== first)] : sorted;
  return ordered
    .map((term, i) => {
      const sign = term.coefficient < 0 ? '-' : '+';
      return i === 0 ? `${sign === '-' ? '-' : ''}${termText(term)}` : ` ${sign} ${termText(term)}`;
    })
    .join('');
}

function termText({ coefficient, powers }: Term): string {
  const size = Number(Math.abs(coefficient).toPrecision(12));
  const printed = (sign: 1 | -1): string[] =>
    [...powers]
      .filter(([, { exponent }]) => Math.sign(exponent) === sign)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([text, { base, exponent }]) => {
        const own = base.kind === 'sum' || base.kind === 'product' ? `(${text})` : text;
        return Math.abs(exponent) === 1 ? own : `${own}^${Math.abs(exponent)}`;
      });
  const [above, below] = [printed(1), printed(-1)];
  const numerator = [...(size === 1 && above.length > 0 ? [] : [String(size)]), ...above].join('*');
  return [numerator, ...below].join('/');
}
