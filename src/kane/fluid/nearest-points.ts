/** Nearest points of two shapes of contacts: of their cores, points, segments and lines, or of a core and a plane. */
import { endsOf, LEAST_LENGTH, type Shape } from '../../description/model/contact.ts';
import {
  compare,
  decimal,
  divide,
  minus,
  negate,
  one,
  plus,
  power,
  select,
  sqrt,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  dot,
  negateVector,
  scaleVector,
  subtractVectors,
  type Vector3,
} from '../../symbolic/graph/vector.ts';

/** Where two shapes are nearest, in axes of both. */
export interface Nearest {
  /** Below zero where they overlap, m. */
  readonly gap: Expr;
  /** From the second shape to the first one. */
  readonly normal: Vector3;
  /** On the surface of the first one. */
  readonly point: Vector3;
}

/** Of two shapes that are not both flat; a capsule touches a plane with its two ends. */
export function nearestPoints(first: Shape, second: Shape): readonly Nearest[] {
  if (second.kind === 'plane') return ends(first).map((place) => abovePlane(place, first.radius!, second));
  if (first.kind === 'plane')
    return ends(second).map((place) => {
      const { gap, normal } = abovePlane(place, second.radius!, first);
      // The plane itself is the surface of the first one.
      const height = plus(gap, second.radius!);
      return { gap, normal: negateVector(normal), point: subtractVectors(place, scaleVector(height, normal)) };
    });
  const [a, b] = nearestOnCores(first, second);
  const apart = subtractVectors(a, b);
  const distance = sqrt(plus(dot(apart, apart), square(LEAST_LENGTH)));
  const normal = scaleVector(power(distance, -1), apart);
  return [
    {
      gap: minus(distance, plus(first.radius!, second.radius!)),
      normal,
      point: subtractVectors(a, scaleVector(first.radius!, normal)),
    },
  ];
}

function abovePlane(place: Vector3, radius: Expr, plane: Shape): Nearest {
  const normal = plane.axis!;
  return {
    gap: minus(dot(normal, subtractVectors(place, plane.place)), radius),
    normal,
    point: subtractVectors(place, scaleVector(radius, normal)),
  };
}

/** Of the core of a shape that has some: a sphere or a capsule. */
function ends(shape: Shape): readonly Vector3[] {
  const { place, axis, half } = shape;
  if (endsOf(shape) === 1 || !axis || !half) return [place];
  const way = scaleVector(half, axis);
  return [addVectors(place, way), subtractVectors(place, way)];
}

/** Nearest points of two cores: points, segments and lines. */
function nearestOnCores(first: Shape, second: Shape): readonly [Vector3, Vector3] {
  const { place: p, axis: a } = first;
  const { place: r, axis: b } = second;
  const apart = subtractVectors(p, r);
  const on = ({ place, axis }: Shape, s: Expr): Vector3 => (axis ? addVectors(place, scaleVector(s, axis)) : place);
  const [c, f] = [a ? dot(a, apart) : zero, b ? dot(b, apart) : zero];
  if (!a || !b) return [on(first, within(negate(c), first)), on(second, within(f, second))];
  const m = dot(a, b);
  const slope = minus(one, square(m));
  const crossing = divide(minus(times(m, f), c), plus(slope, LEAST_SLOPE));
  const t = within(plus(times(m, within(crossing, first)), f), second);
  return [on(first, within(minus(times(m, t), c), first)), on(second, t)];
}

/** Keeps parallel cores finite: their nearest points are any. */
const LEAST_SLOPE = decimal(1e-12);

/** A place along the core, on it. */
function within(s: Expr, { half }: Shape): Expr {
  if (!half) return s;
  const low = negate(half);
  return select(compare('<', s, low), low, select(compare('<', half, s), half, s));
}
