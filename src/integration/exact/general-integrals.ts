/**
 * Integrals over a rod of functions outside the Stumpff class, ∫ f dm: exact section moments, then along the rod by the
 * first of these that applies to a term of the separated integrand:
 *   powers of s and harmonics   the Stumpff calculus, regular at every frequency;
 *   s^j exp(c s) {1, cos, sin}(a s)   the j-th derivative with respect to c of an antiderivative by nerdamer;
 *   anything else   an antiderivative by nerdamer, in symbols that stand for all that does not depend on s.
 * nerdamer is asked once for each shape; its answers count only when confirmed (`nerdamer-integral.ts`).
 */
import { differentiate } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import {
  call,
  minus,
  one,
  plus,
  power,
  rational,
  stumpff,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { substituteOne } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { functionOf, nameParts, separateGeneral, type GeneralTerm } from './general-form.ts';
import { sectionMomentBySPower, type IntegralReport, type RodGeometry } from './gram.ts';
import type { Harmonic } from './separated-form.ts';
import {
  antiderivative,
  describeOutcome,
  integrateNumerically,
  reportOf,
  type NerdamerReport,
} from './nerdamer-integral.ts';
import { integrateStumpff } from './stumpff-integral.ts';

type Method = 'exact moments' | 'Stumpff calculus' | 'nerdamer';
const METHODS: readonly Method[] = ['exact moments', 'Stumpff calculus', 'nerdamer'];

const [rateSymbol, frequencySymbol, positionSymbol] = ['c', 'a', 's'].map((n) => symbol(`kernel.${n}`)) as [
  SymbolExpr,
  SymbolExpr,
  SymbolExpr,
];

export class GeneralIntegrals {
  /** One per integral, as `explain` shows them. */
  readonly reports: IntegralReport[] = [];
  /** What nerdamer was asked, and what became of it. */
  readonly questions: NerdamerReport[] = [];
  private readonly geometry: RodGeometry;
  /** Symbols in the integrands that stand for expressions in the coordinates. */
  private readonly scalars: ReadonlyMap<Expr, Expr>;
  private readonly primitives = new Map<string, Expr>();
  private readonly moments = new Map<string, readonly Expr[]>();

  constructor(geometry: RodGeometry, scalars: ReadonlyMap<Expr, Expr> = new Map()) {
    this.geometry = geometry;
    this.scalars = scalars;
  }

  /**
   * ∫ f dm for f over material coordinates and symbols that do not depend on them; the result without scalars.
   * @throws KanegenError `no-closed-form` when a term has none, or nerdamer's answer was not confirmed.
   */
  integrate(f: Expr): Expr {
    const used = new Set<Method>();
    const terms = this.axialTerms(f).map((t) => {
      const [value, method] = this.along(t);
      used.add(method);
      return times(t.coefficient, value);
    });
    const value = substituteOne(plus(...terms), this.scalars);
    if (value !== zero) {
      const method = [...METHODS].reverse().find((m) => used.has(m)) ?? 'exact moments';
      const points = this.questions.flatMap(({ outcome }) => (outcome.kind === 'confirmed' ? [outcome.points] : []));
      const how = method === 'nerdamer' ? `nerdamer, confirmed at ${Math.min(...points)} points` : method;
      this.reports.push({ integral: `∫ ${toText(substituteOne(f, this.scalars))} dm`, method: how });
    }
    return value;
  }

  /** ∫ f dm by quadrature along the rod in double precision, and ∫ |f| dm of its terms: for comparison. */
  integrateNumerically(
    f: Expr,
    values: ReadonlyMap<Expr, number>,
  ): { readonly value: number; readonly magnitude: number } | undefined {
    const { axial, start, end } = this.geometry;
    const terms = this.axialTerms(f).map((t) => times(t.coefficient, functionOf(t, this.geometry)));
    const [from, to] = evaluate([start, end], values) as [number, number];
    const parts = terms.map((term) => integrateNumerically(term, axial, { values, from, to }));
    if (parts.some((part) => part === undefined)) return undefined;
    return {
      value: parts.reduce((sum, part) => sum + part!.value, 0),
      magnitude: parts.reduce((sum, part) => sum + part!.magnitude, 0),
    };
  }

  /** Terms in s alone: sections integrated, their moments and the density multiplied in. */
  private axialTerms(f: Expr): GeneralTerm[] {
    return separateGeneral(f, this.geometry).flatMap((t) =>
      this.moment(t.x, t.y).flatMap((moment, k) =>
        moment === zero ? [] : [{ ...t, x: 0, y: 0, s: t.s + k, coefficient: times(t.coefficient, moment) }],
      ),
    );
  }

  private moment(a: number, b: number): readonly Expr[] {
    const key = `${a},${b}`;
    const moment = this.moments.get(key) ?? sectionMomentBySPower(this.geometry, a, b);
    this.moments.set(key, moment);
    return moment;
  }

  /** The integral of a term without its coefficient, from the start of the rod to its end. */
  private along(t: GeneralTerm): [Expr, Method] {
    const between = (primitive: (limit: Expr) => Expr): Expr => {
      const { start, end } = this.geometry;
      return minus(primitive(end), primitive(start));
    };
    if (t.other === one && t.bend === zero && t.rate === zero) {
      const method = t.harmonic ? 'Stumpff calculus' : 'exact moments';
      return [between((limit) => harmonicPrimitive(t.s, t.harmonic, limit)), method];
    }
    if (t.other === one && t.bend === zero)
      return [between((limit) => this.exponentialPrimitive(t, limit)), 'nerdamer'];
    return [between((limit) => this.otherPrimitive(t, limit)), 'nerdamer'];
  }

  /** ∂^j/∂c^j of an antiderivative of exp(c s) {1, cos, sin}(a s). */
  private exponentialPrimitive({ s, rate, harmonic }: GeneralTerm, limit: Expr): Expr {
    const kind = harmonic?.kind ?? 'one';
    const primitive = (power_: number): Expr => {
      const key = `${kind}${power_}`;
      const known = this.primitives.get(key);
      if (known) return known;
      const angle = times(frequencySymbol, positionSymbol);
      const wave = harmonic ? call(harmonic.kind, angle) : one;
      const result =
        power_ === 0
          ? this.ask(times(call('exp', times(rateSymbol, positionSymbol)), wave), positionSymbol)
          : differentiate(primitive(power_ - 1), rateSymbol);
      this.primitives.set(key, result);
      return result;
    };
    return substituteOne(
      primitive(s),
      new Map([
        [rateSymbol, rate],
        [frequencySymbol, harmonic?.frequency ?? zero],
        [positionSymbol, limit],
      ]),
    );
  }

  /** An antiderivative of the whole term, everything free of s behind symbols. */
  private otherPrimitive(t: GeneralTerm, limit: Expr): Expr {
    const { axial } = this.geometry;
    const integrand = functionOf(t, this.geometry);
    const names = new Map<Expr, SymbolExpr>();
    const isSymbolic = (part: Expr): boolean => part.kind !== 'rational';
    const abstract = nameParts(integrand, new Set([axial]), isSymbolic, names, 'constant');
    const primitive = this.ask(substituteOne(abstract, new Map([[axial, positionSymbol]])), positionSymbol, integrand);
    const values = new Map<Expr, Expr>([...names].map(([value, name]) => [name, value]));
    return substituteOne(primitive, values.set(positionSymbol, limit));
  }

  /** @param written the integrand as reports show it. */
  private ask(integrand: Expr, variable: SymbolExpr, written = integrand): Expr {
    const outcome = antiderivative(integrand, variable);
    const report = reportOf(substituteOne(written, this.scalars), outcome);
    if (!this.questions.some((q) => q.integrand === report.integrand)) this.questions.push(report);
    if (outcome.kind === 'confirmed') return outcome.antiderivative;
    throw new KanegenError('no-closed-form', describeOutcome(report), {
      remedy: 'leave out `integration: closed-form`',
    });
  }
}

/** ∫_0^e s^j {1, cos, sin}(a s) ds, with cos(a s) = U_0, sin(a s) = a U_1 at χ = a². */
export function harmonicPrimitive(power_: number, harmonic: Harmonic | undefined, limit: Expr): Expr {
  if (limit === zero) return zero;
  const order = harmonic && (harmonic.kind === 'cos' ? 0 : 1);
  const table = integrateStumpff(power_, order === undefined ? [] : [order]);
  const argument = harmonic && times(power(harmonic.frequency, 2), power(limit, 2));
  const terms = [...table.single].map(([k, value]) => times(rational(value), stumpff(k, argument!)));
  const factor = order === 1 ? harmonic!.frequency : one;
  return times(factor, power(limit, power_ + (order ?? 0) + 1), plus(rational(table.constant), ...terms));
}
