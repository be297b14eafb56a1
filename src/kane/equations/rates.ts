/**
 * Derivatives in time of what depends on the configuration, in their shortest form. With few coordinates the partial
 * derivatives are brought to Stumpff normal form one by one ((q c_3)' = c_2 − 2 c_3) and combined with the rates; with many,
 * where there would be too many partial derivatives, the derivative is taken in the direction of the motion.
 */
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { differentiateAll, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { reduceStumpffSafely } from '../../symbolic/graph/expand.ts';
import { integer, one, plus, square, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';

/** Coordinates of a link or a body with their rates and accelerations. */
export interface CoordinateSymbols {
  readonly q: readonly Expr[];
  readonly qd: readonly Expr[];
  readonly qdd: readonly Expr[];
  /** Stands for the time where kinematics depend on it explicitly. */
  readonly time?: SymbolExpr;
}

/** Coordinates up to which second partial derivatives are worth forming. */
const FEW = 3;

function isFew({ q, time }: CoordinateSymbols): boolean {
  return q.length > 0 && q.length <= FEW && time === undefined;
}

function cost(values: readonly Expr[]): number {
  return totalOperations(countOperations(values));
}

/** The cheaper of an expression and its Stumpff normal form. */
export function simplest(e: Expr): Expr {
  const reduced = reduceStumpffSafely(e);
  return cost([reduced]) < cost([e]) ? reduced : e;
}

/** d/dt along q̇ and q̈, of anything that depends on q, q̇ and the time. */
export function timeDerivative(values: readonly Expr[], symbols: CoordinateSymbols): Expr[] {
  const direction = new Map<Expr, Expr>();
  symbols.q.forEach((q, i) => direction.set(q, symbols.qd[i]!));
  symbols.qd.forEach((qd, i) => direction.set(qd, symbols.qdd[i]!));
  if (symbols.time) direction.set(symbols.time, one);
  return directionalDerivative(values, direction);
}

/** ∂v/∂q_a, simplified. */
export function partialDerivatives(values: readonly Expr[], coordinate: Expr): Expr[] {
  return differentiateAll(values, coordinate).map(simplest);
}

/** A scalar of the configuration with what controllers need of it. */
export interface MovingValue {
  readonly value: Expr;
  /** ∂/∂q */
  readonly gradient: readonly Expr[];
  /** d/dt */
  readonly rate: Expr;
  /** d²/dt² where q̈ = 0. */
  readonly bias: Expr;
}

/** @param value over the coordinates (and the time). */
export function movingValue(value: Expr, symbols: CoordinateSymbols): MovingValue {
  const gradient = symbols.q.map((q) => simplest(differentiateAll([value], q)[0]!));
  const explicit = symbols.time ? differentiateAll([value], symbols.time)[0]! : zero;
  const rate = plus(explicit, ...gradient.map((e, a) => times(e, symbols.qd[a]!)));
  return { value, gradient, rate, bias: rateAtRest(rate, symbols) };
}

/** d/dt where q̈ = 0. */
export function rateAtRest(rate: Expr, symbols: CoordinateSymbols): Expr {
  return simplest(timeDerivative([rate], { ...symbols, qdd: symbols.q.map(() => zero) })[0]!);
}

/** v̇ of values that depend on q alone. */
export function firstRate(values: readonly Expr[], symbols: CoordinateSymbols): Expr[] {
  const direct = timeDerivative(values, symbols);
  if (!isFew(symbols)) return direct;
  const partials = symbols.q.map((q) => partialDerivatives(values, q));
  const combined = values.map((_, k) => plus(...symbols.qd.map((qd, a) => times(partials[a]![k]!, qd))));
  return cheaper(direct, combined);
}

/** v̈ of values that depend on q alone: Σ_a v_a q̈_a + Σ_ab v_ab q̇_a q̇_b. */
export function secondRate(values: readonly Expr[], symbols: CoordinateSymbols): Expr[] {
  const direct = timeDerivative(firstRate(values, symbols), symbols);
  if (!isFew(symbols)) return direct;
  const partials = symbols.q.map((q) => partialDerivatives(values, q));
  return cheaper(direct, bySecondDerivatives(partials, symbols));
}

/**
 * d/dt of Σ_a v_a(q) q̇_a for given v_a (projectors, which need not be derivatives of anything).
 * @param projected one list of values per coordinate.
 */
export function rateOfProjection(projected: readonly (readonly Expr[])[], symbols: CoordinateSymbols): Expr[] {
  const length = projected[0]?.length ?? 0;
  const velocity = Array.from({ length }, (_, k) => plus(...projected.map((v, a) => times(v[k]!, symbols.qd[a]!))));
  const direct = timeDerivative(velocity, symbols);
  if (!isFew(symbols)) return direct;
  return cheaper(direct, bySecondDerivatives(projected, symbols));
}

function bySecondDerivatives(first: readonly (readonly Expr[])[], { q, qd, qdd }: CoordinateSymbols): Expr[] {
  const second = first.map((values) => q.map((b) => partialDerivatives(values, b)));
  const length = first[0]?.length ?? 0;
  return Array.from({ length }, (_, k) => {
    const terms = first.map((values, a) => times(values[k]!, qdd[a]!));
    q.forEach((_a, a) => {
      terms.push(times(second[a]![a]![k]!, square(qd[a]!)));
      for (let b = 0; b < a; b++) terms.push(times(mixed(second[a]![b]![k]!, second[b]![a]![k]!), qd[a]!, qd[b]!));
    });
    return plus(...terms);
  });
}

function mixed(ab: Expr, ba: Expr): Expr {
  return ab === ba ? times(integer(2), ab) : plus(ab, ba);
}

function cheaper(direct: readonly Expr[], combined: readonly Expr[]): Expr[] {
  return [...(cost(combined) <= cost(direct) ? combined : direct)];
}
