/**
 * Integrals ∫ … ds along a material line by Gauss–Legendre points, of formulas in its axial coordinate. What parameters decide
 * of a point is kept in tables.
 */
import { times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import type { Loop, LoopStage } from '../loops/loop.ts';
import { isWorthKeeping, separateParts } from '../loops/row-constants.ts';
import { sectionPoints } from './rod-points.ts';
import { RodLoops, type KeptValues } from './rod-rows.ts';

export interface SectionLine {
  /** Identifier-safe and unique within the link type: names of loops and tables begin with it. */
  readonly name: string;
  readonly axial: SymbolExpr;
  /** Of the panels, rising. */
  readonly ends: readonly Expr[];
  /** On every panel. */
  readonly points: number;
  /** Coordinates, rates, the time and what else is no parameter. */
  readonly moving: ReadonlySet<Expr>;
  /** Stage in which the ends are; 0 when missing. */
  readonly known?: 0 | 1;
}

export class SectionSums {
  private readonly rows: RodLoops;
  private readonly kept: KeptValues;
  private readonly line: SectionLine;
  private readonly section: Expr;
  /** Length that a point stands for. */
  readonly weight: Expr;
  private readonly differs: ReadonlySet<Expr>;

  constructor(line: SectionLine) {
    const { name, ends, points } = line;
    this.line = line;
    const { table, section, weight } = sectionPoints(ends, points, name);
    this.rows = new RodLoops(table);
    this.kept = this.rows.keeper(`${name}_kept`, line.known ?? 0);
    this.section = this.kept.keep('s', section);
    this.weight = this.kept.keep('length', weight);
    this.differs = new Set<Expr>([this.section, this.weight]);
  }

  /** ∫ … ds. @param what names the loop, unique. */
  integrate(what: string, stage: LoopStage, integrands: readonly Expr[]): readonly Expr[] {
    const { axial, name, moving } = this.line;
    const placed = substitute(integrands, new Map([[axial, this.section]]));
    const { values, parts } = separateParts(
      placed.map((e) => times(this.weight, e)),
      (s) => !moving.has(s),
      (part) => dependsOn(part, this.differs) && isWorthKeeping(part),
      (i) => `route.${what}_${i + 1}`,
    );
    const keep = new Map<Expr, Expr>(
      parts.map(({ symbol, value }, i) => [symbol, this.kept.keep(`${what}_${i + 1}`, value)]),
    );
    const terms = substitute(values, keep).map((term, i) => ({ label: String(i + 1), term }));
    const isZero = terms.map(({ term }) => term === zero);
    const { sums } = this.rows.add({ name: `${name}_${what}`, stage, sums: terms.filter((_, i) => !isZero[i]) });
    let next = 0;
    return terms.map((_, i) => (isZero[i] ? zero : sums[next++]!));
  }

  /** The least of a formula among all points, then others where it is that. @param what as above. */
  nearest(what: string, stage: LoopStage, measure: Expr, others: readonly Expr[]): readonly Expr[] {
    const { axial, name } = this.line;
    const [first, ...rest] = substitute([measure, ...others], new Map([[axial, this.section]]));
    return this.rows.least(`${name}_${what}`, stage, first!, rest);
  }

  loops(): readonly Loop[] {
    return this.rows.loops();
  }
}
