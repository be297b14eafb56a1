/** The balance of sections in numbers, at many places and states at once. */
import { RowProgram } from '../../symbolic/evaluation/evaluate-rows.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import { runAlong } from '../rod-points/line-points.ts';
import { twistEntries } from '../rod-points/rod-twist.ts';
import { choleskyOf, eliminationOf, type NumericFactor } from './small-matrices.ts';
import { balanceAt, type BalancedRod } from './solved-strain.ts';

/** A balance in numbers: f, H (lower triangle, or all of it) and ∂f/∂q by section and state. */
export class NumericBalance {
  readonly size: number;
  readonly isSymmetric: boolean;
  /** How many numbers stand before ∂f/∂q. */
  readonly fields: number;
  readonly rest: readonly Expr[];
  private readonly values: readonly Expr[];
  private readonly unknowns: readonly Expr[];
  private readonly q: readonly Expr[];
  private readonly axial: Expr;
  private program: RowProgram | undefined;

  constructor(rod: Omit<BalancedRod, 'steps'>, symbols: Pick<CoordinateSymbols, 'q'>) {
    const { equilibrium, axial, rest } = rod;
    const balance = balanceAt({ ...rod, steps: 0 }, symbols, axial, (_, e) => e);
    const unknowns = equilibrium.unknowns.map((own) => own.symbol);
    const strain = balance.whole(unknowns);
    const state = balance.at(strain);
    const slopes = symbols.q.map((_, a) => balance.byCoordinate(a, state));
    this.size = unknowns.length;
    this.rest =
      equilibrium.formulas?.start ?? equilibrium.unknowns.map(({ component }) => twistEntries(rest)[component]!);
    this.isSymmetric = balance.isSymmetric;
    this.values = [...balance.residual(state), ...balance.jacobian(state).flat(), ...slopes.flat()];
    this.fields = this.values.length - slopes.flat().length;
    this.unknowns = unknowns;
    this.q = symbols.q;
    this.axial = axial;
  }

  /** Columns over rows. */
  at(
    places: Float64Array,
    states: readonly Float64Array[],
    strain: readonly Float64Array[],
    parameters: ParameterValues,
  ): readonly Float64Array[] {
    const columns = new Map<Expr, Float64Array>([
      [this.axial, places],
      ...this.q.map((q, a) => [q, states[a]!] as const),
      ...this.unknowns.map((s, i) => [s, strain[i]!] as const),
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

  restAt(places: Float64Array, parameters: ParameterValues): Float64Array[] {
    return runAlong(this.rest, new Map([[this.axial, places]]), parameters);
  }
}
