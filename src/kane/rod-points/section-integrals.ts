/**
 * Integrals ∫ f dm over the section of a rod, per length, as formulas of the place along it and of parameters: exact along as many
 * coordinates of the section as can be, over the points of a rule along the others.
 */
import { chooseRule } from '../../integration/choice/choose-rule.ts';
import { exactIntegral } from '../../integration/exact/exact-integral.ts';
import type { StateSample } from '../../integration/rules/compress.ts';
import type { PointRule } from '../../integration/rules/point-rule.ts';
import { volumeLayout, type BoxDomain } from '../../integration/rules/volume-layout.ts';
import { reduceSquaredSines } from '../../symbolic/graph/expand.ts';
import {
  decimal,
  half,
  integer,
  negate,
  one,
  pi,
  plus,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { substitute, substituteOne } from '../../symbolic/graph/traverse.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { polarSection, radialRange, type RodVolume } from '../../description/model/reference-volume.ts';

/** Of one volume: coordinates with constant limits on every section, what becomes of those of the file, and mass per unit of them. */
interface SectionDomain {
  readonly axes: readonly [SymbolExpr, SymbolExpr];
  readonly ranges: BoxDomain['ranges'];
  readonly turn: SymbolExpr | undefined;
  readonly breaks: BoxDomain['breaks'];
  readonly place: ReadonlyMap<Expr, Expr>;
  readonly measure: Expr;
}

/** Points of a section, with formulas over the place along the rod and parameters. */
export interface SectionPoint {
  /** By the coordinates of the section. */
  readonly place: ReadonlyMap<Expr, Expr>;
  /** Mass per length that it stands for. */
  readonly mass: Expr;
}

export class SectionIntegrals {
  private readonly type: BodyType;
  private readonly samples: readonly StateSample[];
  private readonly domains: readonly SectionDomain[];
  private readonly tolerance: number;
  /** Largest rule in use; 0 where all is exact. */
  points = 0;

  /**
   * @param samples values of the place along the rod, of parameters and, where they are integrated over, of coordinates; every third has no
   *   part in the choice of a rule.
   * @throws KanegenError `unsupported-section` at the volume.
   */
  constructor(type: BodyType, volumes: readonly RodVolume[], samples: readonly StateSample[], tolerance: number) {
    // Sections that no rule is for are refused as those of other bodies are.
    for (const volume of volumes) volumeLayout(volume, type.locations.volume);
    this.type = type;
    this.samples = samples;
    this.tolerance = tolerance;
    this.domains = volumes.map(domainOf);
  }

  /** ∫ f dm. @throws KanegenError `tolerance-not-met` at the volume. */
  of(functions: readonly Expr[]): readonly Expr[] {
    const totals = this.domains.map((domain) => this.over(domain, functions));
    return functions.map((_, k) => plus(...totals.map((own) => own[k]!)));
  }

  /**
   * A rule of which all of these are known well enough, with the coordinates of the body.
   * @throws KanegenError `tolerance-not-met` at the volume.
   */
  rule(functions: readonly Expr[]): readonly SectionPoint[] {
    return this.domains.flatMap((domain) => {
      const own = substitute(functions, domain.place);
      const rule = this.choose(
        domain,
        domain.axes,
        own.map((f) => times(domain.measure, f)),
      );
      return rowsOf(rule).map(({ at, mass }) => ({
        place:
          domain.place.size > 0 ? new Map([...domain.place].map(([s, e]) => [s, substituteOne(e, at)] as const)) : at,
        mass: times(mass, substituteOne(domain.measure, at)),
      }));
    });
  }

  private over(domain: SectionDomain, functions: readonly Expr[]): readonly Expr[] {
    const reduced = substitute(functions, domain.place).map((f) => this.exactly(domain, times(domain.measure, f)));
    const results: Expr[] = reduced.map(({ value }) => value);
    const groups = new Map<string, number[]>();
    reduced.forEach(({ left }, k) => {
      if (left.length === 0) return;
      const key = left.map((axis) => axis.name).join();
      groups.set(key, [...(groups.get(key) ?? []), k]);
    });
    for (const members of groups.values()) {
      const { left } = reduced[members[0]!]!;
      const values = members.map((k) => reduced[k]!.value);
      const rows = rowsOf(this.choose(domain, left, values));
      members.forEach((k, i) => {
        results[k] = plus(...rows.map(({ at, mass }) => times(mass, substituteOne(values[i]!, at))));
      });
    }
    return results;
  }

  /** Integrated along the axes where that is known, and the axes that are left. */
  private exactly(
    { axes, ranges }: SectionDomain,
    f: Expr,
  ): { readonly value: Expr; readonly left: readonly SymbolExpr[] } {
    const left: SymbolExpr[] = [];
    let value = reduceSquaredSines(f);
    axes.forEach((axis, i) => {
      const whole = exactIntegral(value, axis, ...ranges[i]!);
      if (whole) value = reduceSquaredSines(whole);
      else left.push(axis);
    });
    return { value, left };
  }

  private choose(domain: SectionDomain, axes: readonly SymbolExpr[], integrands: readonly Expr[]): PointRule {
    const { compress } = this.type.integration;
    const { rule } = chooseRule({
      volume: {
        kind: 'box',
        axes,
        ranges: axes.map((axis) => domain.ranges[domain.axes.indexOf(axis)]!),
        density: one,
        breaks: domain.breaks,
        ...(domain.turn && axes.includes(domain.turn) && { turn: domain.turn }),
      },
      integrands,
      samples: this.samples,
      tolerance: this.tolerance,
      compress,
      location: this.type.locations.volume,
    });
    this.points = Math.max(this.points, rule.rows);
    return rule;
  }
}

/** Normalised coordinates of the points by axis, and weights. */
function rowsOf(rule: PointRule): readonly { readonly at: ReadonlyMap<Expr, Expr>; readonly mass: Expr }[] {
  return Array.from({ length: rule.rows }, (_, row) => {
    const columns = new Map<Expr, Expr>(rule.columns.map(({ symbol: s, values }) => [s, decimal(values[row]!)]));
    const places = [...rule.material].map(([axis, e]) => [axis, substituteOne(e, columns)] as const);
    return { at: new Map<Expr, Expr>(places), mass: substituteOne(rule.mass, columns) };
  });
}

function domainOf(volume: RodVolume): SectionDomain {
  const { section, shape, density, breaks } = volume;
  if (shape.shape === 'rectangle') {
    const ranges = [shape.width, shape.height].map((side): readonly [Expr, Expr] => {
      const reach = times(half, side);
      return [negate(reach), reach];
    });
    return { axes: section, ranges, turn: undefined, breaks, place: new Map(), measure: density };
  }
  const { axes, places, area } = polarSection(volume);
  return {
    axes,
    ranges: [radialRange(shape), [zero, times(integer(2), pi)]],
    turn: axes[1],
    breaks,
    place: places,
    measure: times(substituteOne(density, places), area),
  };
}
