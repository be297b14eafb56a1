/** A tendon that slides with friction over points, as a term that holds them: wrenches that depend on rates, world axes. */
import { heldFrame, heldTwist, type BendFriction } from '../../description/model/frame-terms.ts';
import {
  call,
  decimal,
  divide,
  negate,
  one,
  plus,
  sqrt,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  mapVector,
  negateVector,
  scaleVector,
  subtractVectors,
  vector3,
  zeroVector,
  type Vector3,
} from '../../symbolic/graph/vector.ts';

/** Sines below this are as good as none: √(x² + this²) in place of |x| has derivatives where a tendon goes straight on. */
const LEAST_SINE = decimal(1e-12);

/** A straight piece between two points. */
interface Piece {
  readonly length: Expr;
  /** Unit vector, away from the first end of the tendon. */
  readonly direction: Vector3;
  /** Of the length, m/s. */
  readonly rate: Expr;
}

/**
 * Minus its length, m, and wrenches on its points for 1 N at the first one (moments in N m, which are zero, then forces in N; world axes):
 * they depend on the twists of the points.
 * @param count of points, the ends among them.
 */
export function slidingTendon(
  friction: BendFriction,
  count: number,
): { readonly value: Expr; readonly wrenches: readonly (readonly Expr[])[] } {
  const pieces = Array.from({ length: count - 1 }, (_, k) => pieceBetween(k, k + 1));
  const tensions = tensionsOf(pieces, friction);
  const pulls = pieces.map(({ direction }, k) => scaleVector(tensions[k]!, direction));
  const wrenches = Array.from({ length: count }, (_, k) => {
    const [before, after] = [pulls[k - 1], pulls[k]];
    return [...zeroVector, ...addVectors(before ? negateVector(before) : zeroVector, after ?? zeroVector)];
  });
  const value = negate(plus(...pieces.map(({ length }) => length)));
  return { value, wrenches };
}

function pieceBetween(from: number, to: number): Piece {
  const velocity = (k: number): Vector3 => vector3(heldTwist(k).slice(3));
  const apart = subtractVectors(heldFrame(to).translation, heldFrame(from).translation);
  const length = sqrt(dot(apart, apart));
  const direction = mapVector(apart, (e) => divide(e, length));
  return { length, direction, rate: dot(direction, subtractVectors(velocity(to), velocity(from))) };
}

/** Of a unit input, in one piece after the other. */
function tensionsOf(pieces: readonly Piece[], { coefficient, speed }: BendFriction): readonly Expr[] {
  let grip: Expr = zero;
  const behind = pieces.slice(1).map((piece, k) => {
    // What is beyond a point gets shorter as fast as the tendon slides over it.
    const sliding = negate(plus(...pieces.slice(k + 1).map(({ rate }) => rate)));
    const bend = angleBetween(pieces[k]!.direction, piece.direction);
    grip = plus(grip, times(bend, call('tanh', divide(sliding, speed))));
    return call('exp', negate(times(coefficient, grip)));
  });
  return [one, ...behind];
}

/** Of unit vectors, 0 … π. */
function angleBetween(a: Vector3, b: Vector3): Expr {
  const normal = cross(a, b);
  return call('atan2', sqrt(plus(dot(normal, normal), square(LEAST_SINE))), dot(a, b));
}
