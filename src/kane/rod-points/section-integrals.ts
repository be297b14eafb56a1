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
  cos,
  decimal,
  half,
  integer,
  negate,
  one,
  pi,
  plus,
  sin,
  symbol,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../../symbolic/graph/expr.ts';
import { substitute, substituteOne } from '../../symbolic/graph/traverse.ts';
import type { BodyType } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';

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

const R = symbol('section.r');
const PHI = symbol('section.phi');

function domainOf({ section, shape, coordinates, density, breaks }: RodVolume): SectionDomain {
  const placed = (place: ReadonlyMap<Expr, Expr>, area: Expr): Pick<SectionDomain, 'place' | 'measure'> => ({
    place,
    measure: times(substituteOne(density, place), area),
  });
  if (shape.shape === 'rectangle') {
    const ranges = [shape.width, shape.height].map((side): readonly [Expr, Expr] => {
      const reach = times(half, side);
      return [negate(reach), reach];
    });
    return { axes: section, ranges, turn: undefined, breaks, ...placed(new Map(), one) };
  }
  const around: readonly [Expr, Expr] = [zero, times(integer(2), pi)];
  const [r, phi] = coordinates === 'polar' ? section : [R, PHI];
  const [a, b] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  const radii: Record<typeof shape.shape, readonly [Expr, Expr]> = {
    disc: [zero, shape.shape === 'disc' ? shape.radius : one],
    annulus: shape.shape === 'annulus' ? [shape.innerRadius, shape.outerRadius] : [zero, one],
    ellipse: [zero, one],
  };
  const place =
    coordinates === 'polar'
      ? new Map<Expr, Expr>()
      : new Map<Expr, Expr>([
          [section[0], times(a, r, cos(phi))],
          [section[1], times(b, r, sin(phi))],
        ]);
  return {
    axes: [r, phi],
    ranges: [radii[shape.shape], around],
    turn: phi,
    breaks,
    ...placed(place, times(a, b, r)),
  };
}
