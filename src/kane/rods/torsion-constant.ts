/**
 * Saint-Venant's torsion constant J of sections, from their dimensions: the twisting moment is G J per unit of twist, where sections are free to
 * warp. Sources: S. Timoshenko, J. N. Goodier, Theory of Elasticity, §§ 104–110 (ellipse, and the series for rectangles).
 */
import type { CrossSection } from '../../description/model/reference-volume.ts';
import { sectionMoment } from '../../integration/exact/section.ts';
import {
  call,
  compare,
  decimal,
  divide,
  fraction,
  integer,
  minus,
  negate,
  one,
  pi,
  plus,
  power,
  select,
  square,
  times,
  type Expr,
} from '../../symbolic/graph/expr.ts';

/** In m⁴, of one section by itself. */
export function torsionConstant(section: CrossSection): Expr {
  switch (section.shape) {
    case 'disc':
    case 'annulus':
      return polarMoment(section);
    case 'ellipse': {
      const { semiAxisX: a, semiAxisY: b } = section;
      return divide(times(pi, power(a, 3), power(b, 3)), plus(square(a), square(b)));
    }
    case 'rectangle': {
      const { width, height } = section;
      return select(compare('<', width, height), ofRectangle(height, width), ofRectangle(width, height));
    }
  }
}

/** I_xx + I_yy: J of round sections, an upper bound of that of others. */
export function polarMoment(section: CrossSection): Expr {
  return plus(sectionMoment(section, 2, 0), sectionMoment(section, 0, 2));
}

/** Σ 1/n⁵ over odd n, 31 ζ(5)/32. */
const ODD_FIFTH_POWERS = decimal(1.0045237627951396);
/** The first term that is left out is below 1e-17 of J, of a square as well. */
const ODD = [1, 3, 5, 7];

/**
 * J = a b³/3 (1 − 192/π⁵ b/a Σ tanh(n π a/2b)/n⁵) over odd n with a ≥ b, and tanh(x/2) = 1 − 2/(eˣ + 1), so that what is left of the sum
 * is gone after few terms.
 */
function ofRectangle(long: Expr, short: Expr): Expr {
  const terms = ODD.map((n) => {
    const decay = call('exp', negate(times(integer(n), pi, divide(long, short))));
    return times(fraction(2, n ** 5), divide(decay, plus(one, decay)));
  });
  const loss = times(integer(192), power(pi, -5), divide(short, long), minus(ODD_FIFTH_POWERS, plus(...terms)));
  return times(fraction(1, 3), long, power(short, 3), minus(one, loss));
}
