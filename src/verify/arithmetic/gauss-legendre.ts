/**
 * Gauss–Legendre rules to any number of digits, for the independent check: nodes by Newton's method on the Legendre
 * recurrence, in decimal arithmetic. Nothing here is used by the compiler.
 */
import type { Decimal } from 'decimal.js';
import type { DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';

export interface QuadratureNode {
  /** Position in (0, 1). */
  readonly position: Decimal;
  /** Weights sum to 1. */
  readonly weight: Decimal;
}

/** P_order(x) and its derivative by the three-term recurrence. */
function legendre(order: number, x: Decimal, Number_: DecimalConstructor): { value: Decimal; slope: Decimal } {
  let before = new Number_(1);
  let value = x;
  for (let k = 2; k <= order; k++) {
    const next = x
      .times(value)
      .times(2 * k - 1)
      .minus(before.times(k - 1))
      .div(k);
    before = value;
    value = next;
  }
  const slope = x.times(value).minus(before).times(order).div(x.times(x).minus(1));
  return { value, slope };
}

/** The rule with `order` nodes on (0, 1), exact for polynomials of degree 2·order − 1. */
export function gaussLegendre(order: number, Number_: DecimalConstructor): readonly QuadratureNode[] {
  let rules = computed.get(Number_);
  if (!rules) computed.set(Number_, (rules = new Map<number, readonly QuadratureNode[]>()));
  const known = rules.get(order);
  if (known) return known;
  const rule = computeRule(order, Number_);
  rules.set(order, rule);
  return rule;
}

const computed = new WeakMap<DecimalConstructor, Map<number, readonly QuadratureNode[]>>();

function computeRule(order: number, Number_: DecimalConstructor): QuadratureNode[] {
  if (order === 1) return [{ position: new Number_(0.5), weight: new Number_(1) }];
  const nodes: QuadratureNode[] = [];
  const threshold = Number_.pow(10, 5 - Number_.precision);
  for (let i = 0; i < order; i++) {
    let x: Decimal = new Number_(-Math.cos((Math.PI * (i + 0.75)) / (order + 0.5)));
    for (let iteration = 0; iteration < 20; iteration++) {
      const { value, slope } = legendre(order, x, Number_);
      const step = value.div(slope);
      x = x.minus(step);
      if (step.abs().lt(threshold)) break;
    }
    const { slope } = legendre(order, x, Number_);
    const weight = new Number_(1).div(new Number_(1).minus(x.times(x)).times(slope).times(slope));
    nodes.push({ position: x.plus(1).div(2), weight });
  }
  return nodes;
}
