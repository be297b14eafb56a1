/** Sections of a rod at rest as numbers: what balances their strain without loads, and what weighs on them. */
import { POINTS, type Dynamics, type Rod } from '../../runtime/rod-march.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { decimal, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
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
interface BalanceRows {
  /** f of the unknowns: Σ (ξ − ξ*) and tendons, and what the potential adds. */
  residual(row: number): number[];
  /** H = ∂f/∂ξ divides; none where it is not positive definite. */
  factor(row: number): NumericFactor | undefined;
}

/** What is summed along a rod without profiles, over the axial coordinate, inputs and the strains that are free. */
export interface SectionFormulas {
  readonly axial: Expr;
  readonly inputs: readonly Expr[];
  /** Six; none of those that are at rest. */
  readonly strains: readonly (Expr | undefined)[];
  /** As `sections` of a rod has it. */
  readonly balance: readonly Expr[];
  readonly masses: readonly Expr[];
  readonly rest: readonly Expr[];
  /** Parameters among them, which are numbers there. */
  readonly parameters: readonly Expr[];
}

export class SectionsInNumbers implements Dynamics {
  /** Components of (κ, ν) that are free; rates of profiles are those from six on. */
  readonly free: readonly number[];
  readonly coordinates: number;
  /** Values of profiles at the start. */
  readonly profiles: readonly { readonly name: string; readonly from: number }[];
  /** m, of the panels. */
  readonly ends: readonly number[];
  private readonly equations: NumericBalance;
  readonly rod: RodSections;

  constructor(rod: RodSections) {
    this.rod = rod;
    this.equations = new NumericBalance(rod, { q: rod.coordinates });
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
    const { equations: balance, free } = this;
    const states = q.map((value) => new Float64Array(places.length).fill(value));
    const unknowns = free.map((c) => Float64Array.from(strains, (own) => own[c]!));
    const along = this.profiles.map((_, j) => Float64Array.from(profiles, (own) => own[j]!));
    const values = balance.at(places, states, unknowns, this.rod.parameters, along);
    return {
      residual: (row) => free.map((_, i) => values[i]![row]!),
      factor: (row) => balance.factorAt(values, row),
    };
  }

  /** All that a section is, with parameters as numbers: what generated code has in place of this. */
  formulas(): SectionFormulas {
    const { rod, equations, free } = this;
    const known = new Map([...rod.parameters].map(([own, value]) => [own, decimal(value)] as const));
    const strains = Array.from({ length: 6 }, (_, c) => equations.unknowns[free.indexOf(c)]);
    return {
      ...{ axial: rod.axial, inputs: rod.coordinates, strains },
      balance: substitute(equations.values, known),
      masses: substitute(rod.weight, known),
      rest: substitute(twistEntries(rod.rest), known),
      parameters: freeSymbols([...equations.values, ...rod.weight, ...twistEntries(rod.rest)]),
    };
  }

  rest({ masses, strains, places, steps }: Rod): void {
    const rows = places.subarray(0, POINTS * steps);
    masses.set(this.weightAt(rows).flat());
    strains.set(this.restAt(rows).flat());
  }

  balance({ u, strains, profileRows, places, steps, sections, numbers }: Rod): void {
    const rows = POINTS * steps;
    const { profiles } = this;
    const entries = 6 + profiles.length;
    const column = (array: Float64Array, size: number, k: number): Float64Array =>
      Float64Array.from({ length: rows }, (_, row) => array[size * row + k]!);
    const values = this.equations.at(
      places.subarray(0, rows),
      Array.from(u, (value) => new Float64Array(rows).fill(value)),
      this.free.map((c) => column(strains, entries, c)),
      this.rod.parameters,
      profiles.map((_, j) => column(profileRows, profiles.length, j)),
    );
    values.forEach((own, i) => {
      for (let row = 0; row < rows; row++) sections[numbers * row + i] = own[row]!;
    });
  }
}

/** Borders that are as close as rounding are one. */
const CLOSE = 1e-12;

function panelsOf(ends: readonly number[]): readonly number[] {
  const rising = [...ends].sort((a, b) => a - b);
  const least = CLOSE * (rising.at(-1)! - rising[0]!);
  return rising.filter((s, i) => i === 0 || s - rising[i - 1]! > least);
}
