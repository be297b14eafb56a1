/**
 * Refuses formulas whose constants have no finite value in double precision (`asin(2)`, `exp(1000)`), at the part that is
 * to blame, and values so large or small that squares and products of them have none.
 */
import { KanegenError } from '../../common/error.ts';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { children, type Expr } from '../../symbolic/graph/expr.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { powersIn, type Provenance } from '../model/provenance.ts';
import type { Place } from '../source/source.ts';

/** Bounds of what a robot file may say of one quantity in SI units: the fifth power of a value stays within doubles. */
const LARGEST_VALUE = 1e60;
const SMALLEST_VALUE = 1e-60;
const LONGEST_EXCERPT = 60;

/** The nodes below `roots` that depend on no symbol and are numbers; conditions of choices between constants (`max(1, pi)`) are none. */
function constantsBelow(roots: readonly Expr[]): ReadonlySet<Expr> {
  const constants = new Set<Expr>();
  for (const e of postorder(roots))
    if (e.kind !== 'symbol' && children(e).every((o) => constants.has(o))) constants.add(e);
  return new Set([...constants].filter((e) => e.kind !== 'compare' && e.kind !== 'logic'));
}

/** A power of a constant within a product of other things: `sqrt(1 - 2*sin(1))*L`. */
function isConstantPower(e: Expr, constants: ReadonlySet<Expr>): boolean {
  return e.kind === 'product' && e.factors.length === 1 && constants.has(e.factors[0]!.base);
}

function isFiniteNumber(value: Rational): boolean {
  return Number.isFinite(Rational.toNumber(value));
}

/** Do the numbers that the node multiplies and adds have doubles? */
function hasFiniteCoefficients(e: Expr): boolean {
  if (e.kind === 'rational') return isFiniteNumber(e.value);
  if (e.kind === 'product') return isFiniteNumber(e.coefficient);
  return e.kind !== 'sum' || [e.constant, ...e.terms.map((t) => t.coefficient)].every(isFiniteNumber);
}

/**
 * @param values of the formula at `place`, whose parts `provenance` knows.
 * @throws KanegenError `not-finite` at the smallest part that has no finite value.
 */
export function requireFiniteConstants(values: readonly Expr[], place: Place, provenance: Provenance): void {
  const constants = constantsBelow(values);
  const isWrong = (e: Expr): boolean =>
    !hasFiniteCoefficients(e) ||
    ((constants.has(e) || isConstantPower(e, constants)) && e.kind !== 'rational' && !Number.isFinite(foldConstant(e)));
  const pending = [...values];
  const seen = new Set<Expr>();
  for (let e = pending.pop(); e; e = pending.pop()) {
    if (seen.has(e)) continue;
    seen.add(e);
    if (isWrong(e)) throw provenance.locate(notFinite(provenance.culprit(e, isWrong)), e, place.location);
    // A constant is folded as a whole: of a choice between constants, only what is taken counts.
    if (!constants.has(e)) pending.push(...children(e), ...powersIn(e).filter((p) => isConstantPower(p, constants)));
  }
}

function notFinite(e: Expr): KanegenError {
  const text = toText(e);
  const shown = text.length > LONGEST_EXCERPT ? `${text.slice(0, LONGEST_EXCERPT)}…` : text;
  return new KanegenError('not-finite', `\`${shown}\` has no finite value in double precision`, {
    remedy: 'check the domain of the function and the size of the numbers',
  });
}

/**
 * @param value of a quantity, in SI units; not checked when it is not known yet.
 * @throws KanegenError `number-out-of-range` at `place`.
 */
export function requireUsableSize(value: Expr, place: Place): void {
  if (!constantsBelow([value]).has(value)) return;
  const number = foldConstant(value);
  const size = Math.abs(number);
  if (size === 0 || (size >= SMALLEST_VALUE && size <= LARGEST_VALUE)) return;
  throw place.error(
    'number-out-of-range',
    `this is ${number} in SI units, and products of such numbers leave the range of double precision`,
    'write zero, or a value between 1e-60 and 1e60',
  );
}
