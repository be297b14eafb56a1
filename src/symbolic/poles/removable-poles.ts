/**
 * Formulas as users write them, 0/0 where coordinates vanish, rewritten so that nothing vanishes below a fraction line: the
 * scalars that vanish are found (a coordinate, a sum of coordinates, a root such as hypot(q1, q2)), and for one after the other
 * the poles are removed exactly, whatever analytic factors stand beside them.
 */
import { withoutRemainders } from '../graph/arctangent-remainder.ts';
import { RecentMap } from '../../common/recent-map.ts';
import { differentiate } from '../graph/differentiate.ts';
import { NotRemovable } from './divided-difference.ts';
import {
  children,
  divide,
  minus,
  plus,
  power,
  rational,
  square,
  sqrt,
  symbol,
  times,
  zero,
  type Expr,
  type Factor,
} from '../graph/expr.ts';
import { isIdenticallyZero } from '../evaluation/identically-zero.ts';
import { removePoles } from './laurent.ts';
import { withoutRoot } from './parity.ts';
import { Rational, ratio } from '../graph/rational.ts';
import { dependsOn, freeSymbols, postorder, rebuild, substitute, substituteOne, transform } from '../graph/traverse.ts';

/** Scalars that are removed one after the other; formulas have one or two. */
const MOST_SCALARS = 16;

/**
 * @param coordinates symbols that may take any value: only what depends on them can vanish.
 * @returns equal formulas; where nothing could be removed, the same.
 */
export function withoutPoles(formulas: readonly Expr[], coordinates: ReadonlySet<Expr>): readonly Expr[] {
  if (denominators(formulas, coordinates).length === 0) return formulas;
  const key = [...formulas, ...coordinates].map((e) => e.id).join();
  const result = known.get(key) ?? regularised(formulas, coordinates);
  known.set(key, result);
  return result;
}

/** Bodies ask for the same formulas several times. */
const known = new RecentMap<string, readonly Expr[]>(1000);

function regularised(formulas: readonly Expr[], coordinates: ReadonlySet<Expr>): readonly Expr[] {
  const start = withoutDirections(formulas, coordinates);
  let current: readonly Expr[] = start;
  const failed = new Set<Expr>();
  for (let count = 0; count < MOST_SCALARS; count++) {
    const next = suspects(current, coordinates).find((suspect) => !failed.has(suspect));
    if (!next) break;
    const removed = removeAt(current, next, coordinates);
    if (!removed || removed.every((e, i) => e === current[i])) failed.add(next);
    else {
      current = removed;
      failed.clear();
    }
  }
  if (current === start) return formulas;
  // The rules are identities; that they were put together rightly is seen in numbers.
  return current.every((e, i) => isIdenticallyZero(minus(e, formulas[i]!))) ? current : formulas;
}

/** What is divided by and depends on the coordinates, larger ones last. */
export function denominators(formulas: readonly Expr[], coordinates: ReadonlySet<Expr>): Expr[] {
  const found = new Set<Expr>();
  const moving = new Set<Expr>(coordinates);
  for (const e of postorder(formulas)) {
    if (children(e).some((o) => moving.has(o))) moving.add(e);
    if (e.kind !== 'product') continue;
    for (const f of e.factors) if (Rational.isNegative(f.exponent) && moving.has(f.base)) found.add(f.base);
  }
  return [...found];
}

/** Scalars at whose zeros something is divided by zero: coordinates, then denominators as a whole. */
function suspects(formulas: readonly Expr[], coordinates: ReadonlySet<Expr>): Expr[] {
  const own = new Set<Expr>();
  const composed = new Set<Expr>();
  for (const base of denominators(withoutRemainders(formulas), coordinates)) {
    const moving = freeSymbols([base]).filter((s) => coordinates.has(s));
    const vanishing = moving.filter((s) => vanishesAt(base, [s]));
    for (const s of vanishing) own.add(s);
    if (base.kind === 'symbol') continue;
    if (vanishing.length > 0 || vanishesAt(base, moving) || isAffine(base, moving)) composed.add(base);
  }
  return [...own, ...composed];
}

function vanishesAt(e: Expr, symbols: readonly Expr[]): boolean {
  try {
    return isIdenticallyZero(substituteOne(e, new Map(symbols.map((s) => [s, zero]))));
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Constant slopes in the coordinates, nothing else but parameters: it vanishes somewhere. */
function isAffine(e: Expr, moving: readonly Expr[]): boolean {
  if (freeSymbols([e]).some((s) => s.name.startsWith('material.'))) return false;
  const slopes = moving.map((s) => differentiate(e, s));
  return slopes.every((slope) => !dependsOn(slope, new Set(moving))) && !slopes.every(isIdenticallyZero);
}

function removeAt(
  formulas: readonly Expr[],
  suspect: Expr,
  coordinates: ReadonlySet<Expr>,
): readonly Expr[] | undefined {
  const ways =
    suspect.kind === 'symbol'
      ? [() => removePoles(formulas, suspect)]
      : [() => removeComposed(formulas, suspect), () => removeEliminated(formulas, suspect, coordinates)];
  for (const way of ways)
    try {
      const result = way();
      if (result.some((e, i) => e !== formulas[i])) return result;
    } catch (error) {
      if (!(error instanceof NotRemovable)) throw error;
    }
  return undefined;
}

const scalar = symbol('vanishing.scalar');

/** With a name for the denominator, or for its root where the formula has one. */
function removeComposed(formulas: readonly Expr[], base: Expr): readonly Expr[] {
  const isMagnitude = base.kind === 'call' && base.name === 'abs';
  const belowRoot = !isMagnitude && exponentsOf(formulas, base).some((e) => !Rational.isInteger(e));
  const named = withName(formulas, base, belowRoot ? 2 : 1);
  const removed = removePoles(named, scalar);
  if (removed.every((e, i) => e === named[i])) return formulas;
  if (belowRoot) return withoutRoot(removed, scalar, base);
  if (isMagnitude) return withoutRoot(removed, scalar, square(base.arguments[0]!));
  return substitute(removed, new Map([[scalar, base]]));
}

function exponentsOf(formulas: readonly Expr[], base: Expr): Rational[] {
  return postorder(formulas).flatMap((e) =>
    e.kind === 'product' ? e.factors.filter((f) => f.base === base).map((f) => f.exponent) : [],
  );
}

/** Every occurrence of `base` as scalar^degree. */
function withName(formulas: readonly Expr[], base: Expr, degree: number): Expr[] {
  const named = new Map<Expr, Expr>();
  const get = (e: Expr): Expr => named.get(e) ?? e;
  const factor = (f: Factor): Expr =>
    f.base === base ? power(scalar, Rational.multiply(f.exponent, ratio(degree))) : power(get(f.base), f.exponent);
  for (const e of postorder(formulas)) {
    if (e === base) named.set(e, power(scalar, degree));
    else if (e.kind === 'product') named.set(e, times(rational(e.coefficient), ...e.factors.map(factor)));
    else named.set(e, rebuild(e, get));
  }
  return formulas.map(get);
}

/** The denominator a q + b in the place of one of its coordinates: q1 + q2 where the formula has q1 s + q2 s. */
function removeEliminated(formulas: readonly Expr[], base: Expr, coordinates: ReadonlySet<Expr>): readonly Expr[] {
  for (const coordinate of freeSymbols([base]).filter((s) => coordinates.has(s))) {
    const slope = differentiate(base, coordinate);
    if (dependsOn(slope, coordinates) || isIdenticallyZero(slope)) continue;
    const rest = substituteOne(base, new Map([[coordinate, zero]]));
    const solved = divide(minus(scalar, rest), slope);
    const shifted = substitute(formulas, new Map([[coordinate, solved]]));
    // The denominator itself reads a (scalar − b)/a + b now.
    const cleared = transform(shifted, (e) => (e.kind === 'sum' && isIdenticallyZero(minus(e, scalar)) ? scalar : e));
    const removed = removePoles(cleared, scalar);
    if (removed.some((e, i) => e !== cleared[i])) return substitute(removed, new Map([[scalar, base]]));
  }
  return formulas;
}

/** cos(atan2(y, x)) = x/√(x² + y²) and its sine: the direction of bending, given by the coordinates. */
function withoutDirections(formulas: readonly Expr[], coordinates: ReadonlySet<Expr>): Expr[] {
  return transform(formulas, (e) => {
    if (e.kind !== 'call' || (e.name !== 'sin' && e.name !== 'cos')) return e;
    const [angle] = e.arguments as [Expr];
    if (angle.kind !== 'call' || angle.name !== 'atan2' || !dependsOn(angle, coordinates)) return e;
    const [y, x] = angle.arguments as [Expr, Expr];
    return divide(e.name === 'sin' ? y : x, sqrt(plus(square(x), square(y))));
  });
}
