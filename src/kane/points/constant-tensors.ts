/**
 * Bodies whose position is Σ_i β_i(x) b_i(q) with functions β of the material point and the parameters alone (Ritz–Galerkin
 * bodies, whatever their modes and volumes): their Gram integrals ∫ β_i β_j dm are constants, integrated once by a rule,
 * and nothing is summed over points when the robot moves.
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
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import type { Vector3 } from '../../symbolic/graph/vector.ts';
import type { PointRule } from '../../integration/rules/point-rule.ts';
import type { BodyModel } from '../body/body-model.ts';
import { BodyFields, ContractionModel, type FieldFamily, type FunctionScalar } from '../closed/contraction.ts';
import type { Loop } from '../loops/loop.ts';
import { PointLoops } from './point-loops.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';

/** β(x) · b(q) */
export interface ModeTerm {
  readonly mode: Expr;
  readonly coefficient: Vector3;
}

/** Functions beyond which constant integrals are more work than points. */
const MOST_MODES = 48;

type Expansion = ReadonlyMap<Expr, Expr>;

/**
 * A position in modes, or undefined when it has no such form (or one of too many functions).
 * @param material coordinates of the volumes.
 * @param moving coordinates of the body, and the time.
 * @param whole sums that are one mode each.
 */
export function separateModes(
  position: Vector3,
  material: ReadonlySet<Expr>,
  moving: ReadonlySet<Expr>,
  whole?: ReadonlySet<Expr>,
): readonly ModeTerm[] | undefined {
  return separateRows(position, material, moving, MOST_MODES, whole) as readonly ModeTerm[] | undefined;
}

/** The same for any number of rows. @param whole sums that are one mode each. */
export function separateRows(
  values: readonly Expr[],
  material: ReadonlySet<Expr>,
  moving: ReadonlySet<Expr>,
  most = MOST_MODES,
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

/** ∫ β_i β_j dm as sums over the points of rules, made when they are asked for. */
class ConstantFamily implements FieldFamily {
  readonly form: readonly ModeTerm[];
  private readonly functions: readonly Expr[];
  private readonly sums: PointLoops;

  constructor(terms: readonly ModeTerm[], sums: PointLoops) {
    this.form = terms;
    this.functions = [one, ...terms.map((t) => t.mode)];
    this.sums = sums;
  }

  scalars(): readonly FunctionScalar[] {
    return [];
  }

  product(i: number, j: number): Expr {
    const integrand = times(this.functions[i]!, this.functions[j]!);
    if (integrand === one) return this.sums.mass();
    const label = `mode_${Math.min(i, j)}_${Math.max(i, j)}`;
    return this.sums.integrate('gram', 0, new Map([[label, integrand]]))[0]!;
  }
}

/** Contraction of constants; the loops that make them run once. */
export class ConstantTensorModel extends ContractionModel implements BodyModel {
  override readonly method = 'constant tensors';
  private readonly sums: PointLoops;

  constructor(
    terms: readonly ModeTerm[],
    rules: readonly PointRule[],
    symbols: CoordinateSymbols,
    parameters: readonly SymbolExpr[],
  ) {
    const sums = new PointLoops(rules, parameters);
    super(new BodyFields(new ConstantFamily(terms, sums), symbols));
    this.sums = sums;
  }

  loops(): readonly Loop[] {
    return this.sums.loops();
  }
}

/** Products of modes, whose integrals the rule must be good for. */
export function modeProducts(terms: readonly ModeTerm[]): Expr[] {
  const functions = [one, ...terms.map((t) => t.mode)];
  return [...new Set(functions.flatMap((f, i) => functions.slice(i).map((g) => times(f, g))))];
}
