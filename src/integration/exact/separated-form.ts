/**
 * A formula in material coordinates, separated: Σ x^a y^b s^j {1, cos(A s), sin(A s)} × coefficient, expanded in the material
 * coordinates only. What is of no such form is refused: `no-closed-form`.
 */
import {
  zero,
  rational,
  one,
  minusOne,
  plus,
  negate,
  minus,
  scale,
  times,
  power,
  divide,
  sin,
  cos,
  select,
  type SymbolExpr,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { KanegenError } from '../../common/error.ts';
import { ONE, Rational, ratio } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';

/** Axial coordinate s and the section coordinates x, y of a rod. */
export interface RodCoordinates {
  readonly axial: SymbolExpr;
  readonly section: readonly [SymbolExpr, SymbolExpr];
}

/** cos or sin of frequency·s. */
export interface Harmonic {
  readonly kind: 'cos' | 'sin';
  readonly frequency: Expr;
}

interface SeparatedTerm {
  readonly x: number;
  readonly y: number;
  readonly s: number;
  readonly harmonic?: Harmonic;
  readonly coefficient: Expr;
}

export type Separated = Map<string, SeparatedTerm>;

function keyOf(t: Omit<SeparatedTerm, 'coefficient'>): string {
  return `${t.x},${t.y},${t.s},${t.harmonic ? `${t.harmonic.kind}${t.harmonic.frequency.id}` : ''}`;
}

function addTerm(into: Separated, term: SeparatedTerm): void {
  const key = keyOf(term);
  const before = into.get(key);
  const coefficient = before ? plus(before.coefficient, term.coefficient) : term.coefficient;
  if (coefficient === zero) into.delete(key);
  else into.set(key, { ...term, coefficient });
}

function constantTerm(coefficient: Expr): Separated {
  const result: Separated = new Map();
  addTerm(result, { x: 0, y: 0, s: 0, coefficient });
  return result;
}

function notClosed(what: string): KanegenError {
  return new KanegenError('no-closed-form', `${what} has no closed-form integral known here`, {
    remedy:
      'closed forms are known for polynomials in x, y, s times sin or cos of (angle per length)·s; leave out `integration: closed-form`',
  });
}

function multiplySeparated(a: Separated, b: Separated): Separated {
  const result: Separated = new Map();
  for (const left of a.values())
    for (const right of b.values()) {
      const base = { x: left.x + right.x, y: left.y + right.y, s: left.s + right.s };
      const coefficient = times(left.coefficient, right.coefficient);
      if (!left.harmonic || !right.harmonic) {
        const harmonic = left.harmonic ?? right.harmonic;
        addTerm(result, { ...base, ...(harmonic && { harmonic }), coefficient });
      } else
        for (const term of productToSum(left.harmonic, right.harmonic))
          addTerm(result, {
            ...base,
            ...(term.harmonic && { harmonic: term.harmonic }),
            coefficient: times(term.coefficient, coefficient),
          });
    }
  return result;
}

/** cos a cos b, sin a sin b, sin a cos b as sums of single harmonics. */
export function productToSum(a: Harmonic, b: Harmonic): { harmonic?: Harmonic; coefficient: Expr }[] {
  if (a.kind === 'cos' && b.kind === 'sin') return productToSum(b, a);
  const kind = a.kind === b.kind ? 'cos' : 'sin';
  const half = rational(ratio(1, 2));
  const sum = harmonicTerm(kind, plus(a.frequency, b.frequency));
  const difference = harmonicTerm(kind, minus(a.frequency, b.frequency));
  const signOfSum = a.kind === 'sin' && b.kind === 'sin' ? minusOne : one;
  return [
    { ...sum, coefficient: times(half, signOfSum, sum.coefficient) },
    { ...difference, coefficient: times(half, difference.coefficient) },
  ];
}

/** cos or sin (frequency·s) with the sign of the frequency canonical and zero frequency folded. */
export function harmonicTerm(kind: 'cos' | 'sin', frequency: Expr): { harmonic?: Harmonic; coefficient: Expr } {
  const canonical = factorContent(frequency);
  if (canonical === zero) return { coefficient: kind === 'cos' ? one : zero };
  const negative = canonical.kind === 'product' && Rational.isNegative(canonical.coefficient);
  return {
    harmonic: { kind, frequency: negative ? negate(canonical) : canonical },
    coefficient: negative && kind === 'sin' ? minusOne : one,
  };
}

/** A sum with the powers that all its terms share taken out: q1/L + q2/L becomes (q1 + q2)/L. */
export function factorContent(e: Expr): Expr {
  if (e.kind === 'product')
    return times(
      rational(e.coefficient),
      ...e.factors.map((f) => (Rational.isOne(f.exponent) ? factorContent(f.base) : power(f.base, f.exponent))),
    );
  if (e.kind !== 'sum' || !Rational.isZero(e.constant)) return e;
  const exponents = e.terms.map(({ term }) =>
    term.kind === 'product' ? new Map(term.factors.map((f) => [f.base, f.exponent])) : new Map([[term, ONE]]),
  );
  const common: Expr[] = [];
  for (const [base, exponent] of exponents[0]!) {
    let least = exponent;
    for (const other of exponents) {
      const there = other.get(base);
      if (!there) least = ratio(0);
      else if (Rational.compare(there, least) < 0) least = there;
    }
    const everywhere = exponents.every((other) => other.has(base));
    if (everywhere && !Rational.isZero(least)) common.push(power(base, least));
  }
  // Denominators that only some terms have come out too: q1/L + q2 stays, q1/L + 2 q2/L does not.
  if (common.length === 0) return e;
  const content = times(...common);
  return times(content, plus(...e.terms.map((t) => scale(t.coefficient, divide(t.term, content)))));
}

function separateCall(e: Expr & { kind: 'call' }, operand: Separated): Separated {
  if (e.name !== 'sin' && e.name !== 'cos') throw notClosed(`${e.name}(…) of a material coordinate (${toText(e)})`);
  let frequency: Expr = zero;
  let phase: Expr = zero;
  for (const term of operand.values()) {
    if (term.harmonic || term.x + term.y > 0 || term.s > 1) throw notClosed(`${toText(e)}`);
    if (term.s === 1) frequency = term.coefficient;
    else phase = term.coefficient;
  }
  const result: Separated = new Map();
  const cosine = harmonicTerm('cos', frequency);
  const sine = harmonicTerm('sin', frequency);
  const [cosineFactor, sineFactor] = e.name === 'cos' ? [cos(phase), negate(sin(phase))] : [sin(phase), cos(phase)];
  for (const [term, factor] of [
    [cosine, cosineFactor],
    [sine, sineFactor],
  ] as const) {
    const coefficient = times(term.coefficient, factor);
    if (coefficient !== zero)
      addTerm(result, { x: 0, y: 0, s: 0, ...(term.harmonic && { harmonic: term.harmonic }), coefficient });
  }
  return result;
}

/** Of an expansion, beyond which a formula is refused. */
export const TERM_LIMIT = 400;

/** f in x, y and s, everything else in coefficients. @throws KanegenError `no-closed-form`, `formula-too-large`. */
export function separate(root: Expr, coordinates: RodCoordinates): Separated {
  const material = new Set<Expr>([coordinates.axial, ...coordinates.section]);
  const results = new Map<Expr, Separated>();
  const get = (e: Expr): Separated => results.get(e) ?? constantTerm(e);
  for (const e of postorder([root])) {
    if (e.kind === 'symbol') {
      if (!material.has(e)) continue;
      const unit = { x: 0, y: 0, s: 0 };
      if (e === coordinates.axial) unit.s = 1;
      else if (e === coordinates.section[0]) unit.x = 1;
      else unit.y = 1;
      results.set(e, new Map([[keyOf(unit), { ...unit, coefficient: one }]]));
      continue;
    }
    const result = separateNode(e, results, get);
    if (!result) continue;
    if (result.size > TERM_LIMIT)
      throw new KanegenError(
        'formula-too-large',
        `expanding ${toText(e).slice(0, 80)} in the material coordinates gives more than ${TERM_LIMIT} terms`,
        {
          remedy: 'factor the formula so that it is a short polynomial in the material coordinates',
        },
      );
    results.set(e, result);
  }
  return get(root);
}

/** undefined when the node does not depend on material coordinates. */
function separateNode(
  e: Expr,
  results: ReadonlyMap<Expr, Separated>,
  get: (e: Expr) => Separated,
): Separated | undefined {
  switch (e.kind) {
    case 'sum': {
      if (!e.terms.some((t) => results.has(t.term))) return undefined;
      const result = constantTerm(rational(e.constant));
      for (const t of e.terms)
        for (const inner of get(t.term).values())
          addTerm(result, { ...inner, coefficient: scale(t.coefficient, inner.coefficient) });
      return result;
    }
    case 'product': {
      if (!e.factors.some((f) => results.has(f.base))) return undefined;
      let result = constantTerm(rational(e.coefficient));
      for (const { base, exponent } of e.factors) {
        if (!results.has(base)) {
          result = multiplySeparated(result, constantTerm(power(base, exponent)));
          continue;
        }
        if (!Rational.isInteger(exponent) || Rational.isNegative(exponent))
          throw notClosed(`a negative or fractional power of ${toText(base)}`);
        for (let i = 0n; i < exponent.numerator; i++) result = multiplySeparated(result, get(base));
      }
      return result;
    }
    case 'call': {
      const operand = e.arguments.find((a) => results.has(a));
      if (!operand) return undefined;
      if (e.arguments.length > 1) throw notClosed(toText(e));
      return separateCall(e, get(operand));
    }
    case 'select': {
      if (results.has(e.condition)) throw notClosed(`a condition on a material coordinate (${toText(e.condition)})`);
      if (!results.has(e.then) && !results.has(e.otherwise)) return undefined;
      const result: Separated = new Map();
      const branches = [get(e.then), get(e.otherwise)] as const;
      for (const key of new Set([...branches[0].keys(), ...branches[1].keys()])) {
        const [a, b] = [branches[0].get(key), branches[1].get(key)];
        const coefficient = select(e.condition, a?.coefficient ?? zero, b?.coefficient ?? zero);
        addTerm(result, { ...(a ?? b)!, coefficient });
      }
      return result;
    }
    case 'stumpff':
      if (results.has(e.argument)) throw notClosed(toText(e));
      return undefined;
    case 'compare':
      if (results.has(e.left) || results.has(e.right))
        throw notClosed(`a condition on a material coordinate (${toText(e)})`);
      return undefined;
    case 'constant':
    case 'logic':
    case 'rational':
    case 'symbol':
      return undefined;
  }
}
