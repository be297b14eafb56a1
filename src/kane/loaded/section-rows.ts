/** Sections of a rod at rest as numbers: what balances their strain without loads, and what weighs on them. */
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
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

/** At one strain of every section. */
export interface BalanceRows {
  /** f of the strains that are free: Σ (ξ − ξ*) and tendons. */
  residual(row: number): number[];
  /** H = ∂f/∂ξ divides; none where it is not positive definite. */
  factor(row: number): NumericFactor | undefined;
  /** ∂f/∂q */
  slope(row: number, coordinate: number): number[];
}

export class SectionsInNumbers {
  /** Components of (κ, ν) that are free. */
  readonly free: readonly number[];
  readonly coordinates: number;
  /** m, of the panels. */
  readonly ends: readonly number[];
  private readonly balance: NumericBalance;
  readonly rod: RodSections;

  constructor(rod: RodSections) {
    this.rod = rod;
    this.balance = new NumericBalance(rod, { q: rod.coordinates });
    this.free = rod.equilibrium.unknowns.map(({ component }) => component);
    this.coordinates = rod.coordinates.length;
    this.ends = panelsOf(evaluate(rod.ends, new Map(rod.parameters)));
  }

  /** Strains at rest, six of them by row. */
  restAt(places: Float64Array): number[][] {
    return this.along(twistEntries(this.rod.rest), places);
  }

  /** By row: mass for each length, kg/m, and its moment about the line, kg. */
  weightAt(places: Float64Array): number[][] {
    return this.along(this.rod.weight, places);
  }

  private along(values: readonly Expr[], places: Float64Array): number[][] {
    const columns = runAlong(values, new Map([[this.rod.axial, places]]), this.rod.parameters);
    return [...places].map((_, row) => columns.map((column) => column[row]!));
  }

  /** @param strains six by row. */
  balanceAt(places: Float64Array, q: Numbers, strains: readonly Numbers[]): BalanceRows {
    const { balance, free } = this;
    const states = q.map((value) => new Float64Array(places.length).fill(value));
    const unknowns = free.map((c) => Float64Array.from(strains, (own) => own[c]!));
    const values = balance.at(places, states, unknowns, this.rod.parameters);
    const entries = (from: number, row: number): number[] => free.map((_, i) => values[from + i]![row]!);
    return {
      residual: (row) => entries(0, row),
      factor: (row) => balance.factorAt(values, row),
      slope: (row, coordinate) => entries(balance.fields + free.length * coordinate, row),
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
