/**
 * Quadrature over the cross-section of a rod in decimal arithmetic: equally spaced angles and Gauss points in r² on round
 * sections, products of Gauss rules on rectangles. Exact for polynomials in x and y up to the stated degree.
 */
import type { Decimal } from 'decimal.js';
import type { CrossSection } from '../../description/model/reference-volume.ts';
import { evaluateDecimal, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';

export interface SectionPoint {
  readonly x: Decimal;
  readonly y: Decimal;
  /** m² */
  readonly area: Decimal;
}

/** Number of points of the rule of a degree: 4 where the position is affine in x and y (degree 3). */
export function sectionPointCount(section: CrossSection, degree: number): number {
  const radial = Math.ceil((degree + 1) / 4);
  return section.shape === 'rectangle' ? Math.ceil((degree + 1) / 2) ** 2 : radial * (degree + 1);
}

/**
 * Points of area elements, exact for polynomials in x, y of `degree`; dimensions are evaluated under `bindings`, which must
 * hold the axial coordinate of a tapered rod.
 */
export function sectionRule(
  section: CrossSection,
  degree: number,
  bindings: ReadonlyMap<Expr, Decimal>,
  Number_: DecimalConstructor,
): SectionPoint[] {
  const values = (...expressions: Expr[]) => evaluateDecimal(expressions, bindings, Number_);
  switch (section.shape) {
    case 'disc': {
      const [radius] = values(section.radius) as [Decimal];
      return ring(new Number_(0), radius, degree, Number_);
    }
    case 'annulus': {
      const [inner, outer] = values(section.innerRadius, section.outerRadius) as [Decimal, Decimal];
      return ring(inner, outer, degree, Number_);
    }
    case 'ellipse': {
      const [a, b] = values(section.semiAxisX, section.semiAxisY) as [Decimal, Decimal];
      const unit = ring(new Number_(0), new Number_(1), degree, Number_);
      return unit.map((p) => ({ x: p.x.times(a), y: p.y.times(b), area: p.area.times(a).times(b) }));
    }
    case 'rectangle': {
      const [width, height] = values(section.width, section.height) as [Decimal, Decimal];
      return rectangle(width, height, degree, Number_);
    }
  }
}

/** inner ≤ r ≤ outer. Odd powers of r integrate to zero over the angle, so that Gauss points in r² are exact. */
function ring(inner: Decimal, outer: Decimal, degree: number, Number_: DecimalConstructor): SectionPoint[] {
  const pi = Number_.acos(-1);
  const angles = degree + 1;
  const low = inner.times(inner);
  const span = outer.times(outer).minus(low);
  const points: SectionPoint[] = [];
  for (const node of gaussLegendre(Math.ceil((degree + 1) / 4), Number_)) {
    const r = low.plus(span.times(node.position)).sqrt();
    for (let k = 0; k < angles; k++) {
      const angle = pi.times(2 * k).div(angles);
      const area = pi.times(span).times(node.weight).div(angles);
      points.push({ x: r.times(Number_.cos(angle)), y: r.times(Number_.sin(angle)), area });
    }
  }
  return points;
}

function rectangle(width: Decimal, height: Decimal, degree: number, Number_: DecimalConstructor): SectionPoint[] {
  const nodes = gaussLegendre(Math.ceil((degree + 1) / 2), Number_);
  const area = width.times(height);
  return nodes.flatMap((a) =>
    nodes.map((b) => ({
      x: a.position.minus(0.5).times(width),
      y: b.position.minus(0.5).times(height),
      area: a.weight.times(b.weight).times(area),
    })),
  );
}
