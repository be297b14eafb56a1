/** Sections of a rod at rest as numbers: what balances their strain without loads, and what weighs on them. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import type { SectionEquilibrium } from '../../description/model/robot.ts';
import type { ParameterValues } from '../kinematics/sample-configurations.ts';
import { runAlong } from '../rod-points/line-points.ts';
import { twistEntries, type Twist } from '../rod-points/rod-twist.ts';
import { NumericBalance } from '../sections/numeric-balance.ts';
import type { NumericFactor } from '../sections/small-matrices.ts';
import type { Numbers } from './rotations.ts';

/** A rod in its sections, over the axial coordinate and the parameters. */
export interface RodSections {
  readonly equilibrium: SectionEquilibrium;
  readonly axial: Expr;
  readonly rest: Twist;
  /** Σ, 6 × 6 by rows. */
  readonly stiffness: readonly Expr[];
  /** Mass for each length, and ∫ ρ x, ∫ ρ y over the section. */
  readonly weight: readonly [Expr, Expr, Expr];
  readonly coordinates: readonly Expr[];
  /** Both ends, and between them all places where something is not smooth; in any order. */
  readonly ends: readonly Expr[];
  readonly parameters: ParameterValues;
}

/** At one strain of every section, and one value of each profile. Rates of profiles are unknowns behind the strains that are free. */
export interface BalanceRows {
  /** f of the unknowns: Σ (ξ − ξ*) and tendons, and what the potential adds. */
  residual(row: number): number[];
  /** H = ∂f/∂ξ divides; none where it is not positive definite. */
  factor(row: number): NumericFactor | undefined;
  /** ∂f/∂q */
  slope(row: number, coordinate: number): number[];
  /** ∂w/∂α of each profile. */
  pull(row: number): number[];
  /** ∂f/∂α, and ∂²w/∂α² by rows. */
  byProfile(row: number, profile: number): number[];
  pullByProfile(row: number, profile: number): number[];
}

export class SectionsInNumbers {
  /** Components of (κ, ν) that are free; rates of profiles are those from six on. */
  readonly free: readonly number[];
  readonly coordinates: number;
  /** Values of profiles at the start. */
  readonly profiles: readonly { readonly name: string; readonly from: number }[];
  /** m, of the panels. */
  readonly ends: readonly number[];
  private readonly balance: NumericBalance;
  readonly rod: RodSections;

  constructor(rod: RodSections) {
    this.rod = rod;
    this.balance = new NumericBalance(rod, { q: rod.coordinates });
    const { unknowns, profiles = [] } = rod.equilibrium;
    this.free = [...unknowns.map(({ component }) => component), ...profiles.map((_, j) => 6 + j)];
    const from = evaluate(
      profiles.map((own) => own.from),
      new Map(rod.parameters),
    );
    this.profiles = profiles.map(({ name }, j) => ({ name, from: from[j]! }));
    this.coordinates = rod.coordinates.length;
    this.ends = panelsOf(evaluate(rod.ends, new Map(rod.parameters)));
  }

  /** Strains at rest, six of them by row, and rates of profiles behind them: none. */
  restAt(places: Float64Array): number[][] {
    return this.along([...twistEntries(this.rod.rest), ...this.profiles.map(() => zero)], places);
  }

  /** By row: mass for each length, kg/m, and its moment about the line, kg. */
  weightAt(places: Float64Array): number[][] {
    return this.along(this.rod.weight, places);
  }

  private along(values: readonly Expr[], places: Float64Array): number[][] {
    const columns = runAlong(values, new Map([[this.rod.axial, places]]), this.rod.parameters);
    return [...places].map((_, row) => columns.map((column) => column[row]!));
  }

  /** @param strains six and rates of profiles by row. @param profiles their values by row. */
  balanceAt(places: Float64Array, q: Numbers, strains: readonly Numbers[], profiles: readonly Numbers[]): BalanceRows {
    const { balance, free } = this;
    const states = q.map((value) => new Float64Array(places.length).fill(value));
    const unknowns = free.map((c) => Float64Array.from(strains, (own) => own[c]!));
    const along = this.profiles.map((_, j) => Float64Array.from(profiles, (own) => own[j]!));
    const values = balance.at(places, states, unknowns, this.rod.parameters, along);
    const entriesOf = (from: number, count: number, row: number): number[] =>
      Array.from({ length: count }, (_, i) => values[from + i]![row]!);
    const entries = (from: number, row: number): number[] => entriesOf(from, free.length, row);
    const count = along.length;
    const ofProfile = (j: number): number => balance.ofProfiles + count + (free.length + count) * j;
    return {
      residual: (row) => entries(0, row),
      factor: (row) => balance.factorAt(values, row),
      slope: (row, coordinate) => entries(balance.fields + free.length * coordinate, row),
      pull: (row) => entriesOf(balance.ofProfiles, count, row),
      byProfile: (row, j) => entries(ofProfile(j), row),
      pullByProfile: (row, j) => entriesOf(ofProfile(j) + free.length, count, row),
    };
  }
}

/** Borders that are as close as rounding are one. */
const CLOSE = 1e-12;

function panelsOf(ends: readonly number[]): readonly number[] {
  const rising = [...ends].sort((a, b) => a - b);
  const least = CLOSE * (rising.at(-1)! - rising[0]!);
  return rising.filter((s, i) => i === 0 || s - rising[i - 1]! > least);
}
