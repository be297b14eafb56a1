/**
 * Integrals over a rod of products of material functions: w_i = ∫ β_i dm and W_ij = ∫ β_i β_j dm, as expressions in the
 * body's parameters and the Stumpff arguments. Cross-sections and densities that vary along s are allowed when their moments
 * are polynomials in s (linear taper).
 */
import { KanegenError } from '../../common/error.ts';
import { expandToMonomials, monomialToExpr } from '../../symbolic/graph/expand.ts';
import { integer, plus, power, rational, stumpff, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { ONE, Rational, ratio } from '../../symbolic/graph/rational.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { densityMoment, type DenseSection } from './section.ts';
import { integrateStumpff } from './stumpff-integral.ts';
import { functionKey, type MaterialFunction } from './material-form.ts';
import type { RodCoordinates } from './separated-form.ts';

/** Reference volume [start, end] × sections, whose masses add up. */
export interface RodGeometry extends RodCoordinates {
  readonly start: Expr;
  readonly end: Expr;
  readonly sections: readonly DenseSection[];
}

/** Σ coefficient · function: a material function or its derivative with respect to the Stumpff argument. */
export interface MaterialCombination {
  readonly parts: readonly { readonly coefficient: Rational; readonly function: MaterialFunction }[];
}

export function single(f: MaterialFunction): MaterialCombination {
  return { parts: [{ coefficient: ONE, function: f }] };
}

/** ∂/∂χ of a combination: ∂U_k/∂χ = ½ (k U_(k+2) − s U_(k+1)); monomials vanish. */
export function differentiateCombination(c: MaterialCombination): MaterialCombination {
  const merged = new Map<string, { coefficient: Rational; function: MaterialFunction }>();
  const add = (coefficient: Rational, f: MaterialFunction): void => {
    const key = functionKey(f);
    const sum = Rational.add(merged.get(key)?.coefficient ?? ratio(0), coefficient);
    merged.set(key, { coefficient: sum, function: f });
  };
  for (const { coefficient, function: f } of c.parts) {
    if (f.order === undefined) continue;
    add(Rational.multiply(coefficient, ratio(f.order, 2)), { ...f, order: f.order + 2 });
    add(Rational.multiply(coefficient, ratio(-1, 2)), { ...f, s: f.s + 1, order: f.order + 1 });
  }
  return { parts: [...merged.values()].filter((p) => !Rational.isZero(p.coefficient)) };
}

/** Record of one integral, for `explain` and for diagnostics. */
export interface IntegralReport {
  readonly integral: string;
  readonly method: string;
}

export class RodIntegrals {
  readonly geometry: RodGeometry;
  private readonly moments = new Map<string, readonly Expr[]>();
  private readonly integrals = new Map<string, Expr>();
  readonly reports: IntegralReport[] = [];

  constructor(geometry: RodGeometry) {
    this.geometry = geometry;
  }

  /** ∫ β dm */
  weight(c: MaterialCombination): Expr {
    return this.product(c, single({ x: 0, y: 0, s: 0 }));
  }

  /** ∫ β_1 β_2 dm */
  product(a: MaterialCombination, b: MaterialCombination): Expr {
    const collected = new CollectedStumpff();
    for (const left of a.parts)
      for (const right of b.parts)
        this.addProduct(
          collected,
          Rational.multiply(left.coefficient, right.coefficient),
          left.function,
          right.function,
        );
    const value = collected.toExpr();
    const key = this.describe(a, b);
    if (!this.integrals.has(key) && value !== zero) {
      this.integrals.set(key, value);
      this.reports.push({ integral: key, method: collected.isPolynomial ? 'exact moments' : 'Stumpff calculus' });
    }
    return value;
  }

  private describe(a: MaterialCombination, b: MaterialCombination): string {
    return `∫ ${
      [a, b]
        .map(describeCombination)
        .filter((t) => t !== '1')
        .join(' · ') || '1'
    } dm`;
  }

  private addProduct(into: CollectedStumpff, coefficient: Rational, f: MaterialFunction, g: MaterialFunction): void {
    const moment = this.sectionMomentBySPower(f.x + g.x, f.y + g.y);
    if (moment.every((m) => m === zero)) return;
    const argument = f.argument ?? g.argument;
    if (f.argument && g.argument && f.argument !== g.argument)
      throw new KanegenError(
        'no-closed-form',
        `the integral of ${describeFunction(f)} · ${describeFunction(g)} along the rod mixes two angles, s·sqrt(${toText(f.argument)}) and s·sqrt(${toText(g.argument)}), and has no closed form known here`,
        { remedy: 'use one bending angle per body, or leave out `integration: closed-form`' },
      );
    const orders = [f.order, g.order].filter((k): k is number => k !== undefined);
    moment.forEach((factor, sPower) => {
      if (factor === zero) return;
      this.addAxial(into, times(rational(coefficient), factor), f.s + g.s + sPower, orders, argument);
    });
  }

  /** factor · ∫_start^end s^j Π U_k ds, with ∫_0^e s^j Π U_k ds = e^(j+Σk+1) W(χ e²). */
  private addAxial(
    into: CollectedStumpff,
    factor: Expr,
    power_: number,
    orders: readonly number[],
    argument: Expr | undefined,
  ): void {
    const table = integrateStumpff(power_, orders);
    const exponent = power_ + orders.reduce((a, b) => a + b, 0) + 1;
    for (const [limit, sign] of [
      [this.geometry.end, 1],
      [this.geometry.start, -1],
    ] as const) {
      if (limit === zero) continue;
      const scaled = times(integer(sign), factor, power(limit, exponent));
      const x = argument && times(argument, power(limit, 2));
      into.addConstant(times(rational(table.constant), scaled));
      for (const [order, value] of table.single) into.add(order, x!, times(rational(value), scaled));
      for (const [order, value] of table.double) into.add(order, times(integer(4), x!), times(rational(value), scaled));
    }
  }

  private sectionMomentBySPower(a: number, b: number): readonly Expr[] {
    const key = `${a},${b}`;
    const known = this.moments.get(key) ?? sectionMomentBySPower(this.geometry, a, b);
    this.moments.set(key, known);
    return known;
  }
}

/**
 * ∫ density x^a y^b dA over all sections as coefficients of powers of s.
 * @throws KanegenError `no-closed-form` when it is not a polynomial in s.
 */
export function sectionMomentBySPower(geometry: RodGeometry, a: number, b: number): readonly Expr[] {
  const refuse = (what: string): KanegenError =>
    new KanegenError('no-closed-form', what, {
      remedy:
        'use dimensions that are linear in s and densities that are polynomials, or leave out `integration: closed-form`',
    });
  const moments = geometry.sections.map((own) => {
    const moment = densityMoment(own, geometry.section, a, b);
    if (moment) return moment;
    throw refuse(`the density ${toText(own.density)} is not a polynomial in the section coordinates`);
  });
  const moment = plus(...moments);
  const coefficients = polynomialCoefficients(moment, geometry.axial);
  if (coefficients) return coefficients;
  throw refuse(`the section moment ${toText(moment)} is not a polynomial in the axial coordinate`);
}

/** e as Σ coefficient[k] variable^k, or undefined when it is not a polynomial in the variable. */
function polynomialCoefficients(e: Expr, variable: Expr): readonly Expr[] | undefined {
  const only = new Set([variable]);
  if (!dependsOn(e, only)) return [e];
  const monomials = expandToMonomials(e, 400);
  if (!monomials) return undefined;
  const parts: Expr[][] = [];
  for (const m of monomials) {
    const exponent = m.factors.get(variable) ?? ratio(0);
    if (!Rational.isInteger(exponent) || Rational.isNegative(exponent)) return undefined;
    const rest = new Map(m.factors);
    rest.delete(variable);
    if ([...rest.keys()].some((base) => dependsOn(base, only))) return undefined;
    const k = Number(exponent.numerator);
    (parts[k] ??= []).push(monomialToExpr({ coefficient: m.coefficient, factors: rest }));
  }
  return Array.from({ length: parts.length }, (_, k) => plus(...(parts[k] ?? [])));
}

/** constant + Σ coefficient · c_order(argument), coefficients gathered per function. */
class CollectedStumpff {
  private constant: Expr = zero;
  private readonly terms = new Map<Expr, Expr[]>();

  addConstant(value: Expr): void {
    this.constant = plus(this.constant, value);
  }

  add(order: number, argument: Expr, coefficient: Expr): void {
    const node = stumpff(order, argument);
    const list = this.terms.get(node);
    if (list) list.push(coefficient);
    else this.terms.set(node, [coefficient]);
  }

  get isPolynomial(): boolean {
    return this.terms.size === 0;
  }

  toExpr(): Expr {
    const coefficients: [Expr, Expr][] = [...this.terms].map(([node, list]) => [node, plus(...list)]);
    return factorShared(
      this.constant,
      coefficients.filter(([, c]) => c !== zero),
    );
  }
}

/** When all coefficients are rational multiples of one expression, that expression is taken out. */
function factorShared(constant: Expr, terms: readonly (readonly [Expr, Expr])[]): Expr {
  const all = [...terms.map(([, c]) => c), ...(constant === zero ? [] : [constant])];
  const shared = all.length > 0 ? monic(all[0]!) : undefined;
  if (shared && all.every((c) => monic(c) === shared)) {
    const inner = terms.map(([node, c]) => times(rational(coefficientOf(c)), node));
    return times(shared, plus(rational(constant === zero ? ratio(0) : coefficientOf(constant)), ...inner));
  }
  return plus(constant, ...terms.map(([node, c]) => times(c, node)));
}

function coefficientOf(e: Expr): Rational {
  if (e.kind === 'rational') return e.value;
  return e.kind === 'product' ? e.coefficient : ONE;
}

function monic(e: Expr): Expr {
  return e === zero ? zero : times(rational(Rational.divide(ONE, coefficientOf(e))), e);
}

function describeFunction(f: MaterialFunction): string {
  const parts = [
    ...(['x', 'y', 's'] as const).flatMap((name) =>
      f[name] === 0 ? [] : [f[name] === 1 ? name : `${name}^${f[name]}`],
    ),
    ...(f.order === undefined ? [] : [`U${f.order}`]),
  ];
  return parts.join(' ') || '1';
}

function describeCombination(c: MaterialCombination): string {
  const text = c.parts
    .map(({ coefficient, function: f }, i) => {
      const magnitude = Rational.toString(Rational.absolute(coefficient));
      const sign = Rational.isNegative(coefficient) ? '−' : i === 0 ? '' : '+';
      const term = magnitude === '1' ? describeFunction(f) : `${magnitude} ${describeFunction(f)}`;
      return i === 0 ? `${sign}${term}` : `${sign} ${term}`;
    })
    .join(' ');
  return c.parts.length === 1 ? text : `(${text})`;
}
