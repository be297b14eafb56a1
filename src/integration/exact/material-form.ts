/**
 * The separated form of a rod's kinematics: p = Σ_i β_i(x, y, s; χ) b_i(q), with material functions
 * β = x^a y^b s^j U_k(s; χ), U_k = s^k c_k(χ s²), and coefficient vectors b_i that are never expanded.
 *
 * `separate` (separated-form.ts) expands a formula in the material coordinates only; `regularise` then replaces cos(A s) by U_0 and
 * sin(A s) by A U_1 with χ = A², and raises the index, U_k = s^k/k! − χ U_(k+2), until no negative power of A is left:
 * the removable 0/0 of the straight configuration are gone, exactly.
 */
import {
  call,
  divide,
  inverseFactorial,
  negate,
  one,
  plus,
  power,
  rational,
  scale,
  square,
  stumpff,
  symbol,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { KanegenError } from '../../common/error.ts';
import { expandToMonomials, monomialToExpr } from '../../symbolic/graph/expand.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { ONE, Rational, ratio } from '../../symbolic/graph/rational.ts';
import { withoutPoles } from '../../symbolic/poles/removable-poles.ts';
import { dependsOn, freeSymbols, postorder, substituteOne } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { mapVector, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import { TERM_LIMIT, type RodCoordinates, type Separated, factorContent, separate } from './separated-form.ts';

/** x^x y^y s^s U_order(s; argument); order and argument undefined for a pure monomial. */
export interface MaterialFunction {
  readonly x: number;
  readonly y: number;
  readonly s: number;
  readonly order?: number;
  readonly argument?: Expr;
}

export interface MaterialTerm {
  readonly function: MaterialFunction;
  readonly coefficient: Vector3;
}

/** Σ coefficient · function, one term per function. */
export type MaterialForm = readonly MaterialTerm[];

// ---------------------------------------------------------------------------------------------- regularisation

/** The factors of a frequency that depend on configuration: where they vanish, the formula may be 0/0. */
function generators(frequency: Expr, coordinates: ReadonlySet<Expr>): Expr[] {
  if (frequency.kind !== 'product') return dependsOn(frequency, coordinates) ? [frequency] : [];
  return frequency.factors.map((f) => f.base).filter((base) => dependsOn(base, coordinates));
}

function exponentOf(e: Expr, base: Expr): Rational {
  if (e === base) return ONE;
  if (e.kind !== 'product') return ratio(0);
  return e.factors.find((f) => f.base === base)?.exponent ?? ratio(0);
}

/**
 * The summands of a coefficient, split so that singular and regular parts can be told apart. Products of sums stay as
 * they are, unless a sum hides a negative power of one of `bases`.
 */
function summands(e: Expr, bases: readonly Expr[] = []): Expr[] {
  if (e.kind === 'sum') {
    const constant = Rational.isZero(e.constant) ? [] : [rational(e.constant)];
    return [...constant, ...e.terms.flatMap((t) => summands(scale(t.coefficient, t.term), bases))];
  }
  if (e.kind !== 'product') return [e];
  const sums = e.factors.filter(
    (f) => f.base.kind === 'sum' && Rational.isInteger(f.exponent) && !Rational.isNegative(f.exponent),
  );
  const [only] = sums;
  if (e.factors.length === 1 && only && Rational.isOne(only.exponent))
    return summands(only.base, bases).flatMap((part) => summands(scale(e.coefficient, part), bases));
  if (!sums.some((f) => hasPole(f.base, bases))) return [e];
  return expandToMonomials(e, TERM_LIMIT)?.map(monomialToExpr) ?? [e];
}

/** Does a negative power of one of `bases` occur anywhere in e? */
function hasPole(e: Expr, bases: readonly Expr[]): boolean {
  return postorder([e]).some((node) => isSingular(node, bases));
}

function isSingular(e: Expr, bases: readonly Expr[]): boolean {
  return bases.some((base) => Rational.isNegative(exponentOf(e, base)));
}

const MAXIMUM_RAISES = 12;

/**
 * One component in regular form.
 * @param coordinates configuration symbols: only what depends on them can become singular.
 * @param strict refuse what stays singular; otherwise leave it to cancel elsewhere.
 * @throws KanegenError `irregular-kinematics` when a pole does not cancel or an odd power of √χ is left.
 */
function regularise(
  separated: Separated,
  coordinates: ReadonlySet<Expr>,
  strict: boolean,
): Map<string, { function: MaterialFunction; coefficient: Expr }> {
  const result = new Map<string, { function: MaterialFunction; coefficient: Expr }>();
  const parts = new Map<string, { function: MaterialFunction; parts: Expr[] }>();
  const give = (f: MaterialFunction, coefficient: Expr): void => {
    const key = functionKey(f);
    const entry = parts.get(key);
    if (entry) entry.parts.push(coefficient);
    else parts.set(key, { function: f, parts: [coefficient] });
  };
  const allGenerators = new Set<Expr>();
  for (const term of separated.values()) {
    const monomial = { x: term.x, y: term.y, s: term.s };
    if (!term.harmonic) {
      for (const part of summands(term.coefficient)) give(monomial, part);
      continue;
    }
    const { frequency, kind } = term.harmonic;
    const bases = generators(frequency, coordinates);
    for (const base of bases) allGenerators.add(base);
    const argument = square(frequency);
    for (const part of summands(term.coefficient, bases)) {
      let order = kind === 'cos' ? 0 : 1;
      let coefficient = kind === 'cos' ? part : times(part, frequency);
      // Stop at the first order without negative powers; the polynomial parts must cancel against the rest.
      for (let raise = 0; isSingular(coefficient, bases); raise++) {
        if (raise === MAXIMUM_RAISES) throw irregular(toText(part), 'the pole is of too high an order');
        give({ ...monomial, s: monomial.s + order }, times(rational(inverseFactorial(order)), coefficient));
        coefficient = negate(times(argument, coefficient));
        order += 2;
      }
      give({ ...monomial, order, argument }, coefficient);
    }
  }
  for (const [key, { function: f, parts: list }] of parts) {
    const sum = plus(...list);
    const coefficient = strict ? settle(sum, [...allGenerators]) : sum;
    if (coefficient !== zero) result.set(key, { function: f, coefficient });
  }
  return result;
}

function irregular(formula: string, why: string): KanegenError {
  return new KanegenError('irregular-kinematics', `the kinematics is singular: ${why} in ${formula.slice(0, 200)}`, {
    remedy:
      'check the formula at the configuration where its denominator vanishes: a smooth kinematics has a finite limit there',
  });
}

/** Cancels what is left of a coefficient exactly, and refuses poles and half-integer powers. */
function settle(coefficient: Expr, bases: readonly Expr[]): Expr {
  const offends = (e: Expr): boolean =>
    summands(e, bases).some((part) =>
      bases.some((base) => {
        const exponent = exponentOf(part, base);
        return Rational.isNegative(exponent) || (!Rational.isInteger(exponent) && base.kind === 'sum');
      }),
    );
  if (!offends(coefficient)) return coefficient;
  const monomials = expandToMonomials(coefficient, 200);
  const expanded = monomials ? plus(...monomials.map(monomialToExpr)) : coefficient;
  if (!offends(expanded)) return expanded;
  if (vanishesIdentically(expanded)) return zero;
  const odd = summands(expanded).some((part) => bases.some((base) => !Rational.isInteger(exponentOf(part, base))));
  throw irregular(
    toText(expanded),
    odd
      ? 'an odd power of a square root is left, so the formula is not smooth where the root vanishes'
      : 'a pole does not cancel',
  );
}

const Wide = decimalOfPrecision(60);

/** Is e zero for all values of its symbols? Tested at points with no structure, to 50 digits. */
function vanishesIdentically(e: Expr): boolean {
  if (e === zero) return true;
  const symbols = freeSymbols([e]);
  for (let trial = 0; trial < 3; trial++) {
    const bindings = new Map(
      symbols.map((s, i) => [
        s as Expr,
        new Wide(2 + trial)
          .sqrt()
          .plus(i * 7 + 3)
          .sqrt()
          .minus(1),
      ]),
    );
    const [value] = evaluateDecimal([e], bindings, Wide);
    const parts = summands(e).map((part) => evaluateDecimal([part], bindings, Wide)[0]!.abs());
    const scaleOfParts = parts.reduce((a, b) => a.plus(b), new Wide(0));
    if (!value!.isFinite() || value!.abs().gt(scaleOfParts.times('1e-50'))) return false;
  }
  return true;
}

export function functionKey(f: MaterialFunction): string {
  return `${f.x},${f.y},${f.s},${f.order ?? ''},${f.argument?.id ?? ''}`;
}

/**
 * Where coefficients of U_(k+2) are divisible by χ, lowers the index: χ U_(k+2) = s^k/k! − U_k.
 * Fewer functions, lower orders; only where the monomials combine with ones that are there already.
 */
export function lowerIndices(form: MaterialForm): MaterialForm {
  let current = form;
  for (const { function: f } of form) {
    const { order, argument } = f;
    const term = current.find((t) => functionKey(t.function) === functionKey(f));
    if (!term || order === undefined || order < 2 || !argument) continue;
    const divided = mapVector(term.coefficient, (e) => divide(e, argument));
    if (!divided.every((e, i) => isPolynomialQuotient(e, term.coefficient[i]!))) continue;
    const monomial = { x: f.x, y: f.y, s: f.s + order - 2 };
    const lowered = accumulate([
      ...current.filter((t) => t !== term),
      { function: monomial, coefficient: mapVector(divided, (e) => scale(inverseFactorial(order - 2), e)) },
      { function: { ...f, order: order - 2 }, coefficient: mapVector(divided, negate) },
    ]);
    if (lowered.length <= current.length) current = lowered;
  }
  return current;
}

/** Did the division leave no power that was not there before it? */
function isPolynomialQuotient(quotient: Expr, dividend: Expr): boolean {
  return summands(quotient).every(
    (part) =>
      part.kind !== 'product' ||
      part.factors.every((f) => !Rational.isNegative(f.exponent) || Rational.isNegative(exponentOf(dividend, f.base))),
  );
}

/** Terms of equal function merged, zero coefficients dropped. */
export function accumulate(terms: readonly MaterialTerm[]): MaterialForm {
  const merged = new Map<string, MaterialTerm>();
  for (const t of terms) {
    const f: MaterialFunction =
      t.function.order === undefined ? { x: t.function.x, y: t.function.y, s: t.function.s } : t.function;
    const key = functionKey(f);
    const before = merged.get(key);
    const coefficient = before ? vector3(before.coefficient.map((e, i) => plus(e, t.coefficient[i]!))) : t.coefficient;
    merged.set(key, { function: f, coefficient });
  }
  return [...merged.values()].filter((t) => t.coefficient.some((e) => e !== zero));
}

/**
 * A position formula in separated, regular form.
 * @param position three rows, seen from the proximal frame.
 * @param configuration coordinates of the body.
 * @throws KanegenError `no-closed-form` or `irregular-kinematics`.
 */
export function toMaterialForm(
  position: Vector3,
  coordinates: RodCoordinates,
  configuration: ReadonlySet<Expr>,
): MaterialForm {
  const terms: MaterialTerm[] = [];
  position.forEach((row, i) => {
    const prepared = regulariseConstantAngles(row, coordinates, configuration);
    for (const { function: f, coefficient } of regularise(
      separate(prepared, coordinates),
      configuration,
      true,
    ).values()) {
      const vector = [zero, zero, zero] as [Expr, Expr, Expr];
      vector[i] = coefficient;
      terms.push({ function: f, coefficient: vector });
    }
  });
  return lowerIndices(accumulate(terms)).map((term) => ({
    ...term,
    coefficient: vector3(withoutPoles(term.coefficient, configuration)),
  }));
}

/**
 * sin and cos of angles that depend on q alone, where a division by the angle is present (x sin(q)/q):
 * the same regularisation with a unit length in the place of s, U_k becoming c_k.
 */
function regulariseConstantAngles(row: Expr, coordinates: RodCoordinates, configuration: ReadonlySet<Expr>): Expr {
  const material = new Set<Expr>([coordinates.axial, ...coordinates.section]);
  const angles = postorder([row]).filter(
    (e): e is Expr & { kind: 'call' } =>
      e.kind === 'call' &&
      (e.name === 'sin' || e.name === 'cos') &&
      dependsOn(e, configuration) &&
      !dependsOn(e, material),
  );
  if (angles.length === 0) return row;
  const separated = separate(row, coordinates);
  const parts: Expr[] = [];
  for (const term of separated.values()) {
    const monomial = times(
      power(coordinates.section[0], term.x),
      power(coordinates.section[1], term.y),
      power(coordinates.axial, term.s),
    );
    const harmonic = term.harmonic ? call(term.harmonic.kind, times(term.harmonic.frequency, coordinates.axial)) : one;
    parts.push(times(regulariseCoefficient(term.coefficient, configuration), monomial, harmonic));
  }
  return plus(...parts);
}

const unitLength: RodCoordinates = { axial: symbol('unit.s'), section: [symbol('unit.x'), symbol('unit.y')] };

/** A coefficient free of material coordinates, rewritten so that only poles that are not its own are left. */
function regulariseCoefficient(e: Expr, configuration: ReadonlySet<Expr>): Expr {
  const singularBases = new Set(
    summands(e).flatMap((part) =>
      part.kind === 'product' ? part.factors.filter((f) => Rational.isNegative(f.exponent)).map((f) => f.base) : [],
    ),
  );
  const replacements = new Map<Expr, Expr>();
  for (const node of postorder([e])) {
    if (node.kind !== 'call' || (node.name !== 'sin' && node.name !== 'cos')) continue;
    const [angle] = node.arguments as [Expr];
    const content = factorContent(angle);
    if (generators(content, configuration).some((base) => singularBases.has(base)))
      replacements.set(node, call(node.name, times(content, unitLength.axial)));
  }
  if (replacements.size === 0) return e;
  const separated = separate(substituteOne(e, replacements), unitLength);
  const parts = [...regularise(separated, configuration, false).values()].map(({ function: f, coefficient }) =>
    f.order === undefined ? coefficient : times(coefficient, stumpff(f.order, f.argument!)),
  );
  return plus(...parts);
}
