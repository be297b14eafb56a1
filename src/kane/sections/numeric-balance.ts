/**
 * The balance of sections in numbers, at many places and states at once. Rates of profiles are unknowns behind the strains, with the equations
 * ∂w/∂α' of the potential w.
 */
import type { Decimal } from 'decimal.js';
import { evaluateDecimal, exactDecimal, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import { runAlong } from '../rod-points/line-points.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';
import type { SectionBalance } from './section-balance.ts';
import { solve } from './section-factor.ts';
import { choleskyOf, eliminationOf, type NumericFactor } from './small-matrices.ts';
import { balanceAt, type BalancedRod } from './solved-strain.ts';

/** A balance in numbers: f, H (lower triangle, or all of it), ∂f/∂q, and of profiles α ∂w/∂α, ∂f/∂α, ∂²w/∂α² by section and state. */
export class NumericBalance {
  readonly size: number;
  readonly isSymmetric: boolean;
  /** Is it the same at all sections? */
  readonly isUniform: boolean;
  /** How many numbers stand before ∂f/∂q. */
  readonly fields: number;
  /** How many stand before ∂w/∂α. */
  readonly ofProfiles: number;
  readonly rest: readonly Expr[];
  /** f, H, ∂f/∂q and of profiles, over the unknowns. */
  readonly values: readonly Expr[];
  readonly unknowns: readonly Expr[];
  private readonly profiles: readonly Expr[];
  private readonly q: readonly Expr[];
  private readonly axial: Expr;
  private readonly balance: SectionBalance;
  private program: RowProgram | undefined;
  private newtonStep: readonly Expr[] | undefined;

  constructor(rod: Omit<BalancedRod, 'steps'>, symbols: Pick<CoordinateSymbols, 'q'>) {
    const { equilibrium, axial, rest } = rod;
    const balance = balanceAt({ ...rod, steps: 0 }, symbols, axial, (_, e) => e);
    const { profiles = [], formulas } = equilibrium;
    const strains = equilibrium.unknowns.map((own) => own.symbol);
    const rates = profiles.map((own) => own.rate);
    const unknowns = [...strains, ...rates];
    const state = balance.at(balance.whole(strains));
    const energy = formulas?.potential ?? zero;
    const gradient = (by: readonly SymbolExpr[]): readonly Expr[] => by.map((s) => differentiateAll([energy], s)[0]!);
    const ofRates = gradient(rates);
    const residual = [...balance.residual(state), ...ofRates];
    const further = ofRates.map((e, j) =>
      unknowns.slice(0, strains.length + j + 1).map((s) => differentiateAll([e], s)[0]!),
    );
    const slopes = symbols.q.map((q, a) => [...balance.byCoordinate(a, state), ...differentiateAll(ofRates, q)]);
    const values = profiles.map((own) => own.symbol);
    const pulls = gradient(values);
    this.size = unknowns.length;
    this.rest =
      equilibrium.formulas?.start ?? equilibrium.unknowns.map(({ component }) => twistEntries(rest)[component]!);
    this.isSymmetric = balance.isSymmetric;
    const own = [...residual, ...balance.jacobian(state).flat(), ...further.flat()];
    this.isUniform = !freeSymbols([...own, ...this.rest]).includes(axial as SymbolExpr);
    this.fields = own.length;
    this.ofProfiles = own.length + slopes.flat().length;
    this.values = [
      ...own,
      ...slopes.flat(),
      ...pulls,
      ...values.flatMap((s) => [...differentiateAll(residual, s), ...differentiateAll(pulls, s)]),
    ];
    this.balance = balance;
    this.unknowns = unknowns;
    this.profiles = values;
    this.q = symbols.q;
    this.axial = axial;
  }

  /** Columns over rows. @param profiles their values. */
  at(
    places: Float64Array,
    states: readonly Float64Array[],
    strain: readonly Float64Array[],
    parameters: ParameterValues,
    profiles: readonly Float64Array[] = [],
  ): readonly Float64Array[] {
    const columns = new Map<Expr, Float64Array>([
      [this.axial, places],
      ...this.q.map((q, a) => [q, states[a]!] as const),
      ...this.unknowns.map((s, i) => [s, strain[i]!] as const),
      ...this.profiles.map((s, j) => [s, profiles[j]!] as const),
    ]);
    const results = this.values.map(() => new Float64Array(places.length));
    this.program ??= new RowProgram(this.values, [...columns.keys()]);
    this.program.run(columns, parameters, places.length, (first, count, registers) =>
      registers.forEach((register, i) => results[i]!.set(register.subarray(0, count), first)),
    );
    return results;
  }

  private entryOf(values: readonly Float64Array[], row: number): (i: number, k: number) => number {
    const { size, isSymmetric } = this;
    return (i, k) => values[size + (isSymmetric ? (i * (i + 1)) / 2 + k : size * i + k)]![row]!;
  }

  /** Of H in a row, as generated code has it. */
  factorAt(values: readonly Float64Array[], row: number): NumericFactor | undefined {
    const entry = this.entryOf(values, row);
    return this.isSymmetric ? choleskyOf(this.size, entry) : eliminationOf(this.size, entry, false)?.solve;
  }

  /** In which rows have pivots. */
  orderAt(values: readonly Float64Array[], row: number): readonly number[] | undefined {
    return eliminationOf(this.size, this.entryOf(values, row), true)?.order;
  }

  /** @returns what a Newton step takes off the unknowns, by the operations of generated code; without profiles. */
  stepInDecimals(
    place: number,
    state: readonly number[],
    strain: readonly Decimal[],
    parameters: ParameterValues,
    Number_: DecimalConstructor,
  ): readonly Decimal[] {
    const { balance, unknowns } = this;
    const at = balance.at(balance.whole(unknowns));
    this.newtonStep ??= solve(balance.factor(at), balance.residual(at));
    const bindings = this.inDecimals(place, parameters, Number_);
    this.q.forEach((q, a) => bindings.set(q, exactDecimal(state[a]!, Number_)));
    unknowns.forEach((s, i) => bindings.set(s, strain[i]!));
    return evaluateDecimal(this.newtonStep, bindings, Number_);
  }

  restInDecimals(place: number, parameters: ParameterValues, Number_: DecimalConstructor): readonly Decimal[] {
    return evaluateDecimal(this.rest, this.inDecimals(place, parameters, Number_), Number_);
  }

  private inDecimals(place: number, parameters: ParameterValues, Number_: DecimalConstructor): Map<Expr, Decimal> {
    const known = [...parameters, [this.axial, place] as const];
    return new Map(known.map(([s, value]) => [s, exactDecimal(value, Number_)]));
  }

  restAt(places: Float64Array, parameters: ParameterValues): Float64Array[] {
    return runAlong(this.rest, new Map([[this.axial, places]]), parameters);
  }
}
