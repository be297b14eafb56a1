/**
 * Values as Σ m_k c_k, with functions m_k of some symbols and c_k of others: of the material point, and of the coordinates.
 */
import {
  children,
  integer,
  one,
  plus,
  power,
  rational,
  select,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';

/** Functions beyond which constant integrals are more work than points. */
const MOST_FUNCTIONS = 48;

type Expansion = ReadonlyMap<Expr, Expr>;

/**
 * undefined when a value has no such form, or one of too many functions.
 * @param material symbols of m.
 * @param moving symbols of c; all others may stand in both.
 * @param whole sums that are one mode each.
 */
export function separateRows(
  values: readonly Expr[],
  material: ReadonlySet<Expr>,
  moving: ReadonlySet<Expr>,
  most = MOST_FUNCTIONS,
  whole: ReadonlySet<Expr> = new Set(),
): readonly { readonly mode: Expr; readonly coefficient: readonly Expr[] }[] | undefined {
  const rows = expandAll(values, material, moving, whole, 4 * most);
  if (!rows) return undefined;
  const modes = new Set(rows.flatMap((row) => [...row.keys()]));
  if (modes.size > most) return undefined;
  return [...modes].map((mode) => ({ mode, coefficient: rows.map((row) => row.get(mode) ?? zero) }));
}

function expandAll(
  roots: readonly Expr[],
  material: ReadonlySet<Expr>,
  moving: ReadonlySet<Expr>,
  whole: ReadonlySet<Expr>,
  limit: number,
): Expansion[] | undefined {
  const expansions = new Map<Expr, Expansion>();
  const [isMaterial, isMoving] = [new Set<Expr>(material), new Set<Expr>(moving)];
  for (const e of postorder(roots)) {
    for (const set of [isMaterial, isMoving]) if (children(e).some((o) => set.has(o))) set.add(e);
    if (!isMaterial.has(e)) expansions.set(e, new Map([[one, e]]));
    else {
      const isMode = !isMoving.has(e);
      const expansion =
        (e.kind === 'sum' && !whole.has(e)) || !isMode ? expand(e, expansions, isMoving, limit) : undefined;
      if (expansion && expansion.size <= limit) expansions.set(e, expansion);
      // A function of the material point alone is a mode of its own where it is no sum of others.
      else if (isMode) expansions.set(e, new Map([[e, one]]));
    }
  }
  const result = roots.map((root) => expansions.get(root));
  return result.every((r) => r !== undefined) ? result : undefined;
}

function gather(terms: Iterable<readonly [Expr, Expr]>): Expansion {
  const result = new Map<Expr, Expr>();
  for (const [mode, coefficient] of terms) result.set(mode, plus(result.get(mode) ?? zero, coefficient));
  for (const [mode, coefficient] of result) if (coefficient === zero) result.delete(mode);
  return result;
}

function product(a: Expansion, b: Expansion): Expansion {
  const terms: [Expr, Expr][] = [];
  for (const [left, c] of a) for (const [right, d] of b) terms.push([times(left, right), times(c, d)]);
  return gather(terms);
}

/** undefined when the node mixes material point and coordinates in another way. */
function expand(
  e: Expr,
  known: ReadonlyMap<Expr, Expansion>,
  isMoving: ReadonlySet<Expr>,
  limit: number,
): Expansion | undefined {
  switch (e.kind) {
    case 'sum': {
      const terms: (readonly [Expr, Expr])[] = [[one, rational(e.constant)]];
      for (const t of e.terms) {
        const inner = known.get(t.term);
        if (!inner) return undefined;
        for (const [mode, c] of inner) terms.push([mode, times(rational(t.coefficient), c)]);
      }
      return gather(terms);
    }
    case 'product': {
      let result: Expansion = new Map([[one, rational(e.coefficient)]]);
      for (const { base, exponent } of e.factors) {
        const factor: Expansion | undefined = isMoving.has(base)
          ? expandPower(base, exponent, known)
          : factorOf(power(base, exponent), known.get(base));
        if (!factor) return undefined;
        result = product(result, factor);
        if (result.size > limit) return undefined;
      }
      return result;
    }
    case 'select': {
      const [then, otherwise] = [known.get(e.then), known.get(e.otherwise)];
      const condition = known.get(e.condition);
      if (!then || !otherwise || !condition) return undefined;
      // The condition chooses between modes where it is one of the point, else between their coefficients.
      const isOfPoint = !condition.has(one);
      const side = (from: Expansion, choose: (value: Expr) => Expr): (readonly [Expr, Expr])[] =>
        [...from].map(([mode, c]) => (isOfPoint ? [choose(mode), c] : [mode, choose(c)]));
      return gather([
        ...side(then, (value) => select(e.condition, value, zero)),
        ...side(otherwise, (value) => select(e.condition, zero, value)),
      ]);
    }
    case 'call':
    case 'compare':
    case 'constant':
    case 'logic':
    case 'rational':
    case 'stumpff':
    case 'symbol':
      return undefined;
  }
}

/** A factor that the coordinates have no share in: a coefficient where it does not depend on the point either. */
function factorOf(e: Expr, base: Expansion | undefined): Expansion {
  const isCoefficient = base?.size === 1 && base.has(one);
  return new Map([isCoefficient ? [one, e] : [e, one]]);
}

function expandPower(base: Expr, exponent: Rational, known: ReadonlyMap<Expr, Expansion>): Expansion | undefined {
  const inner = known.get(base);
  if (!inner) return undefined;
  const [only] = inner;
  if (inner.size === 1) return new Map([[power(only![0], exponent), power(only![1], exponent)]]);
  if (!Rational.isInteger(exponent) || Rational.isNegative(exponent) || exponent.numerator > 6n) return undefined;
  let result: Expansion = new Map([[one, integer(1)]]);
  for (let i = 0n; i < exponent.numerator; i++) result = product(result, inner);
  return result;
}
