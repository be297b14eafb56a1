/**
 * Accelerations of coordinates eliminated one after the other on the way to the base, and found again on the way back
 * (docs/mathematics.md, "Forward dynamics"): M = L D Lᵀ without M. At a frame beyond which a coordinate a moves something,
 * with the composite of all that lies beyond (`composite.ts`), its wrench u and its row of the mass matrix,
 *   d = M_aa,  k = u/d,  l_b = M_ab/d for coordinates b that are not eliminated yet,
 *   I − k uᵀ,  u_b − l_b u,  M_bc − l_b M_ac   remain;
 *   a right-hand side r takes  z = r_a,  wrench + k z,  r_b − l_b z,
 *   and on the way back  q̈_a = z/d − k·A − Σ l_b q̈_b  with the acceleration A = (a, α) that the frame has got.
 * Coordinates of a link may be coupled by addends of M; where they are not, each meets what those beyond it left.
 */
import { minus, negate, plus, power, times, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  dot,
  identityFrame,
  isZeroVector,
  multiplyTransposed,
  scaleVector,
  type Matrix3,
  type Vector3,
  matrix3,
} from '../../symbolic/graph/vector.ts';
import { MASSLESS, withoutCoordinate, type ArticulatedInertia } from './articulated.ts';
import type { Composite, MassMatrix } from './composite.ts';
import { addWrenches, fixedStep, type FrameStep, type Wrench } from './recursion.ts';

/** What a right-hand side needs of an eliminated coordinate. */
export interface Eliminated {
  readonly coordinate: number;
  /** 1/d */
  readonly reciprocal: Expr;
  /** k */
  readonly direction: Wrench;
  /** l_b, of coordinates that are eliminated later. */
  readonly couplings: readonly { readonly coordinate: number; readonly factor: Expr }[];
}

/** A coordinate with its pivot d, which is positive where the mass matrix is. */
export interface Pivot extends Eliminated {
  readonly pivot: Expr;
}

const NO_WRENCH: Wrench = { force: [zero, zero, zero], moment: [zero, zero, zero] };

/**
 * Eliminates coordinates at a frame, in order.
 * @param M shares of the mass matrix so far; what belongs to coordinates that remain is brought up to date.
 */
export function eliminate(
  composite: Composite<ArticulatedInertia>,
  M: MassMatrix,
  coordinates: readonly number[],
): { readonly composite: Composite<ArticulatedInertia>; readonly pivots: readonly Pivot[] } {
  let inertia = composite.inertia ?? MASSLESS;
  const units = new Map(composite.units);
  const pivots = coordinates.map((a): Pivot => {
    const unit = units.get(a) ?? NO_WRENCH;
    units.delete(a);
    const row = [...M.rows[a]!];
    const pivot = row[a]!;
    // A coordinate that moves nothing: its pivot says so, and nothing is divided by it.
    const reciprocal = pivot === zero ? zero : power(pivot, -1);
    M.remove(a);
    const direction = scaleWrench(reciprocal, unit);
    const couplings = row.flatMap((value, b) =>
      b === a || value === zero ? [] : [{ coordinate: b, factor: times(value, reciprocal) }],
    );
    for (const { coordinate: b, factor } of couplings) {
      units.set(b, addWrenches(units.get(b) ?? NO_WRENCH, scaleWrench(negate(factor), unit)));
      for (const { coordinate: c } of couplings)
        if (c >= b) M.take({ a: b, b: c, value: negate(times(factor, row[c]!)) });
    }
    inertia = withoutCoordinate(inertia, unit, direction);
    return { coordinate: a, pivot, reciprocal, direction, couplings };
  });
  return { composite: { inertia, units }, pivots };
}

function scaleWrench(factor: Expr, { force, moment }: Wrench): Wrench {
  return { force: scaleVector(factor, force), moment: scaleVector(factor, moment) };
}

/**
 * A right-hand side through eliminated coordinates.
 * @param residual by coordinate, with all that lies beyond taken off; brought up to date for those that remain.
 * @param quotients by coordinate: takes z/d.
 */
export function reduce(eliminated: readonly Eliminated[], wrench: Wrench, residual: Expr[], quotients: Expr[]): Wrench {
  let { force, moment } = wrench;
  for (const { coordinate, reciprocal, direction, couplings } of eliminated) {
    const z = residual[coordinate]!;
    quotients[coordinate] = times(z, reciprocal);
    force = addVectors(force, scaleVector(z, direction.force));
    moment = addVectors(moment, scaleVector(z, direction.moment));
    for (const { coordinate: b, factor } of couplings) residual[b] = minus(residual[b]!, times(factor, z));
  }
  return { force, moment };
}

/** Acceleration of a frame by the accelerations of coordinates alone, in its own axes. */
export interface Response {
  readonly angular: Vector3;
  readonly linear: Vector3;
}

/** The accelerations of eliminated coordinates, written to `accelerations`, from the response of the frame. */
export function restore(
  eliminated: readonly Eliminated[],
  { angular, linear }: Response,
  quotients: readonly Expr[],
  accelerations: Expr[],
): void {
  for (const { coordinate, direction, couplings } of [...eliminated].reverse())
    accelerations[coordinate] = plus(
      quotients[coordinate]!,
      negate(plus(dot(direction.force, linear), dot(direction.moment, angular))),
      ...couplings.map(({ coordinate: b, factor }) => negate(times(factor, accelerations[b]!))),
    );
}

/** From the parent of a step to its child. */
export function stepResponse(step: FrameStep, response: Response, accelerations: readonly Expr[]): Response {
  const { rotation, translation } = step.frame;
  const combine = (projectors: readonly Vector3[]): Vector3 =>
    addVectors([zero, zero, zero], ...projectors.map((p, i) => scaleVector(accelerations[step.coordinates[i]!]!, p)));
  const carried = isZeroVector(translation)
    ? response.linear
    : addVectors(response.linear, cross(response.angular, translation));
  return {
    angular: multiplyTransposed(rotation, addVectors(response.angular, combine(step.angular))),
    linear: multiplyTransposed(rotation, addVectors(carried, combine(step.linear))),
  };
}

/** What a right-hand side does on the coordinates of a step is taken off. */
export function takeOff(residual: Expr[], coordinates: readonly number[], forces: readonly Expr[]): void {
  coordinates.forEach((a, i) => (residual[a] = minus(residual[a]!, forces[i]!)));
}

/**
 * A step as two, the nearer to the base first: into the axes of the child, and the motion of the coordinates there. The
 * motion of a joint about an axis of its child is one number there, and what has been eliminated turns and moves with zeros.
 */
export function splitStep(
  step: FrameStep,
  q: readonly SymbolExpr[],
): { readonly fixed: FrameStep; readonly moving: FrameStep } {
  const { rotation } = step.frame;
  const atZero = rotationAboutAxis(step, q) ?? rotation;
  return {
    fixed: fixedStep(step.frame),
    moving: {
      frame: identityFrame,
      coordinates: step.coordinates,
      linear: step.linear.map((v) => multiplyTransposed(rotation, v)),
      angular: step.angular.map((v) => multiplyTransposed(atZero, v)),
    },
  };
}

/** A turn about an axis leaves the axis where the turn at zero has it, though not what moves across it. */
function rotationAboutAxis({ coordinates, angular, frame }: FrameStep, q: readonly SymbolExpr[]): Matrix3 | undefined {
  const [symbol, other] = coordinates.map((a) => q[a]!);
  if (!symbol || other || freeSymbols([...angular[0]!]).includes(symbol)) return undefined;
  return matrix3(substitute(frame.rotation, new Map([[symbol, zero]])));
}
