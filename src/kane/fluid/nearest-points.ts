/** Nearest points of two shapes of contacts: of their cores, points, segments and lines, or of a core and a plane or the wall of a tube. */
import { endsOf, isHollow, LEAST_LENGTH, type Shape } from '../../description/model/contact.ts';
import {
  compare,
  decimal,
  divide,
  integer,
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
  /** What the pair has of its law, where the second one is a piece of a rod, and how that changes with the place of the first one, 1/m. */
  readonly share?: { readonly size: Expr; readonly slope: Vector3 };
}

/** Of two shapes that are not both flat; a capsule touches a plane, and a tube from within, with its two ends. */
export function nearestPoints(first: Shape, second: Shape): readonly Nearest[] {
  if (isHollow(second)) return ends(first).map((place) => beside(place, first.radius!, second));
  if (isHollow(first))
    return ends(second).map((place) => {
      const { gap, normal } = beside(place, second.radius!, first);
      // The plane itself, or the wall, is the surface of the first one.
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
      ...(second.kind === 'piece' && { share: shareOf(second, dot(second.axis!, subtractVectors(a, second.place))) }),
    },
  ];
}

/** @param s place along the piece, from its middle. */
function shareOf({ half, axis, ends }: Shape, s: Expr): NonNullable<Nearest['share']> {
  const reach = times(integer(2), half!);
  const beyond = compare('<', s, zero);
  const [before, after] = ends!;
  const left = (sign: Expr): Expr => minus(one, divide(times(sign, s), reach));
  const u = select(beyond, before ? one : left(negate(one)), after ? one : left(one));
  const within = select(compare('<', zero, u), u, zero);
  const rate = select(beyond, before ? zero : power(reach, -1), after ? zero : negate(power(reach, -1)));
  const slope = times(integer(6), within, minus(one, within), rate);
  const size = times(square(within), minus(integer(3), times(integer(2), within)));
  return { size, slope: scaleVector(slope, axis!) };
}

/** Above a plane, or within a tube. */
function beside(place: Vector3, radius: Expr, hollow: Shape): Nearest {
  const { height, normal } = hollow.kind === 'plane' ? abovePlane(place, hollow) : withinTube(place, hollow);
  return { gap: minus(height, radius), normal, point: subtractVectors(place, scaleVector(radius, normal)) };
}

interface Beside {
  /** Of a point over the surface, m. */
  readonly height: Expr;
  /** Out of the solid side. */
  readonly normal: Vector3;
}

function abovePlane(place: Vector3, { axis, place: origin }: Shape): Beside {
  return { height: dot(axis!, subtractVectors(place, origin)), normal: axis! };
}

function withinTube(place: Vector3, { axis, place: origin, radius }: Shape): Beside {
  const apart = subtractVectors(place, origin);
  const across = subtractVectors(apart, scaleVector(dot(axis!, apart), axis!));
  const distance = sqrt(plus(dot(across, across), square(LEAST_LENGTH)));
  return { height: minus(radius!, distance), normal: scaleVector(negate(power(distance, -1)), across) };
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

/** A place along the core, on it; where pieces of rods fade, as far as they have a share. */
function within(s: Expr, { half, ends = [true, true] }: Shape): Expr {
  if (!half) return s;
  const [low, high] = ends.map((isEnd) => (isEnd ? half : times(integer(2), half))) as [Expr, Expr];
  return select(compare('<', s, negate(low)), negate(low), select(compare('<', high, s), high, s));
}
