/**
 * The distal frame of a body as a frame step: given as a pose, or built from three points of the rigid contact area
 * (seed paper 000, eqs. 4–7), with its projectors (eqs. 39–40).
 */
import { KanegenError } from '../symbolic/error.ts';
import { differentiateAll } from '../symbolic/differentiate.ts';
import { decimalOfPrecision, evaluateDecimal } from '../symbolic/evaluate.ts';
import {
  cos,
  divide,
  minus,
  one,
  plus,
  sin,
  sqrt,
  square,
  times,
  zero,
  type Expr,
  type SymbolExpr,
} from '../symbolic/expr.ts';
import { Rational } from '../symbolic/rational.ts';
import { freeSymbols } from '../symbolic/traverse.ts';
import {
  cross,
  fromColumns,
  identityFrame,
  mapMatrix,
  mapVector,
  multiplyMatrices,
  subtractVectors,
  transpose,
  unskew,
  type Frame,
  type Matrix3,
  type Vector3,
} from '../symbolic/vector.ts';
import type { BodyType, ContactFrame, DistalFrame, MaterialPoint, RodVolume, Volume } from '../description/robot.ts';
import { simplest } from './rates.ts';
import { fixedStep, type FrameStep } from './recursion.ts';
import type { ParameterValues } from './sample-configurations.ts';

/** How the position formula of a body is evaluated where its distal frame is attached. */
export interface DistalEvaluation {
  /** p at a material point, regular at every configuration. */
  at(point: MaterialPoint): Vector3;
  /** A pose formula with its removable singularities removed. */
  regular(pose: Frame): Frame;
  /** Values at which the contact area is checked to be rigid; any numbers when missing. */
  readonly parameters?: ParameterValues;
}

/** @throws KanegenError `singular-contact` at the distal frame. */
export function distalStep(type: BodyType, distal: DistalFrame, evaluation: DistalEvaluation): FrameStep {
  if (distal.kind === 'none') return fixedStep(identityFrame);
  if (distal.kind === 'pose') return poseStep(type, evaluation.regular(distal.pose));
  try {
    return poseStep(type, contactFrame(type, distal.contact, evaluation));
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(type.locations.distal);
    throw error;
  }
}

/** e_k = (f(x_k) − f(x_p)) / |x_k − x_p| for the two named axes, the third by the right-hand rule; origin f(x_p). */
function contactFrame(type: BodyType, contact: ContactFrame, evaluation: DistalEvaluation): Frame {
  const translation = evaluation.at(contact.pivot);
  const axes: Partial<Record<'x' | 'y' | 'z', Vector3>> = {};
  for (const name of ['x', 'y', 'z'] as const) {
    const point = contact.axes[name];
    if (!point) continue;
    const distance = separation(type, point, contact.pivot);
    if (distance === zero) throw singularContact(`the ${name}-axis point coincides with the pivot`);
    axes[name] = mapVector(subtractVectors(evaluation.at(point), translation), (e) => divide(e, distance));
  }
  const { x, y, z } = axes;
  const columns: [Vector3, Vector3, Vector3] | undefined =
    x && y ? [x, y, cross(x, y)] : y && z ? [cross(y, z), y, z] : x && z ? [x, cross(z, x), z] : undefined;
  if (!columns) throw singularContact('two axes are needed');
  requireRigid(type, columns, evaluation.parameters);
  const rotation = mapMatrix(fromColumns(...columns), simplest);
  return { rotation, translation: mapVector(translation, simplest) };
}

/** Distance of two points in the reference volume, free of square roots when only one coordinate differs. */
function separation({ volumes }: BodyType, a: MaterialPoint, b: MaterialPoint): Expr {
  const named = [...a.keys(), ...b.keys()];
  const volume = volumes.find((v) => named.every((s) => materialCoordinates(v).includes(s))) ?? volumes[0]!;
  const [p, r] = [cartesian(volume, a), cartesian(volume, b)];
  const moving = p.map((e, i) => minus(e, r[i]!)).filter((e) => e !== zero);
  if (moving.length === 0) return zero;
  if (moving.length > 1) return sqrt(plus(...moving.map(square)));
  const [only] = moving as [Expr];
  return only.kind === 'product' && Rational.isNegative(only.coefficient) ? minus(zero, only) : only;
}

/** Material coordinates of a volume, in an order in which ∂p/∂x of the undeformed body has a positive determinant. */
export function materialCoordinates(volume: Volume): readonly [SymbolExpr, SymbolExpr, SymbolExpr] {
  return volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes;
}

function cartesian(volume: Volume, point: MaterialPoint): readonly Expr[] {
  const [u, v, w] = materialCoordinates(volume).map((s) => point.get(s) ?? zero) as [Expr, Expr, Expr];
  return volume.kind === 'rod' ? [...cartesianSection(volume, [u, v]), w] : [u, v, w];
}

/** x and y of a point of the section; ellipses are scaled discs, where r runs to 1. */
export function cartesianSection({ coordinates, shape }: RodVolume, [u, v]: readonly [Expr, Expr]): [Expr, Expr] {
  if (coordinates === 'cartesian') return [u, v];
  const [scaleX, scaleY] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  return [times(scaleX, u, cos(v)), times(scaleY, u, sin(v))];
}

export function singularContact(what: string): KanegenError {
  return new KanegenError('singular-contact', `the distal frame cannot be built: ${what}`, {
    remedy:
      'name a pivot and two points of the rigid contact area on perpendicular lines through it, such as { s: L, x: R } and { s: L, y: R }',
  });
}

const Wide = decimalOfPrecision(50);

/**
 * The contact area must not deform: the two named axes stay orthonormal, checked at points without structure.
 * @param parameters where the formulas make sense; any numbers when missing.
 */
export function requireRigid(
  type: BodyType,
  columns: readonly [Vector3, Vector3, Vector3],
  parameters?: ParameterValues,
): void {
  const symbols = freeSymbols(columns.flat());
  const own = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  for (let trial = 1; trial <= 2; trial++) {
    const bindings = new Map(
      symbols.map((s, i) => {
        const known = parameters?.get(s);
        if (known !== undefined) return [s as Expr, new Wide(known)];
        const plain = new Wide(trial + 1)
          .sqrt()
          .plus(2 * i + 1)
          .sqrt()
          .minus(1);
        return [s as Expr, plain.times(own.has(s) ? '0.01' : 1)];
      }),
    );
    const numbers = columns.map((c) => evaluateDecimal(c, bindings, Wide).map(Number) as [number, number, number]);
    for (let i = 0; i < 3; i++)
      for (let j = 0; j <= i; j++) {
        const product = numbers[i]!.reduce((sum, e, k) => sum + e * numbers[j]![k]!, 0);
        if (!(Math.abs(product - (i === j ? 1 : 0)) < 1e-12))
          throw singularContact(
            Number.isFinite(product)
              ? i === j
                ? 'the contact area stretches with the coordinates'
                : 'its axes are not perpendicular, or the contact area shears'
              : 'its points are not finite',
          );
      }
  }
}

/** Projectors of a frame given by its entries: t_a = ∂t/∂q_a, w_a = (∂R/∂q_a Rᵀ)^∨. */
export function poseStep(type: BodyType, frame: Frame): FrameStep {
  return stepOf(type, frame, (s) => {
    const rotationRate = differentiateAll(frame.rotation, s) as unknown as Matrix3;
    return {
      linear: mapVector(differentiateAll(frame.translation, s) as unknown as Vector3, simplest),
      angular: mapVector(unskew(multiplyMatrices(rotationRate, transpose(frame.rotation))), simplest),
    };
  });
}

/** A step moved by all coordinates of a body, and by the time where the body depends on it. */
export function stepOf(
  type: BodyType,
  frame: Frame,
  projector: (variable: SymbolExpr) => { readonly linear: Vector3; readonly angular: Vector3 },
): FrameStep {
  const moved = type.coordinates.map((c) => projector(c.symbol));
  return {
    frame,
    coordinates: moved.map((_, i) => i),
    linear: moved.map((m) => m.linear),
    angular: moved.map((m) => m.angular),
    ...(type.time && { explicit: projector(type.time) }),
  };
}
