/**
 * The distal frame of a body as a frame step: given as a pose, or built from three points of the rigid contact area
 * (seed paper 000, eqs. 4–7), with its projectors (eqs. 39–40).
 */
import { KanegenError } from '../../common/error.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
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
} from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
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
  type Vector3,
  vector3,
  matrix3,
} from '../../symbolic/graph/vector.ts';
import type { BodyType, DistalFrame } from '../../description/model/robot.ts';
import {
  fieldSymbols,
  type ContactFrame,
  type MaterialPoint,
  type RodVolume,
  type Volume,
} from '../../description/model/reference-volume.ts';
import { simplest } from '../equations/rates.ts';
import { fixedStep, type FrameStep } from '../equations/recursion.ts';
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
  const frame = contactColumns(type, contact, (point) => evaluation.at(point));
  const fault = deformation(type, frame.columns, evaluation.parameters);
  if (fault) throw deformingContact(type, contact, fault, evaluation.parameters);
  return {
    rotation: mapMatrix(fromColumns(...frame.columns), simplest),
    translation: mapVector(frame.translation, simplest),
  };
}

type Columns = readonly [Vector3, Vector3, Vector3];

function contactColumns(
  type: BodyType,
  contact: ContactFrame,
  at: (point: MaterialPoint) => Vector3,
): { readonly columns: Columns; readonly translation: Vector3 } {
  const translation = at(contact.pivot);
  const axes: Partial<Record<'x' | 'y' | 'z', Vector3>> = {};
  for (const name of ['x', 'y', 'z'] as const) {
    const point = contact.axes[name];
    if (!point) continue;
    const distance = separation(type, point, contact.pivot);
    if (distance === zero) throw singularContact(`the ${name}-axis point coincides with the pivot`);
    axes[name] = mapVector(subtractVectors(at(point), translation), (e) => divide(e, distance));
  }
  const { x, y, z } = axes;
  requireDifferentPoints(contact);
  const columns: [Vector3, Vector3, Vector3] | undefined =
    x && y ? [x, y, cross(x, y)] : y && z ? [cross(y, z), y, z] : x && z ? [x, cross(z, x), z] : undefined;
  if (!columns) throw singularContact('two axes are needed');
  return { columns, translation };
}

function requireDifferentPoints({ axes }: ContactFrame): void {
  const [first, second] = Object.entries(axes);
  if (!first || !second) return;
  const symbols = new Set([...first[1].keys(), ...second[1].keys()]);
  if ([...symbols].every((s) => (first[1].get(s) ?? zero) === (second[1].get(s) ?? zero)))
    throw singularContact(`the ${first[0]}-axis and the ${second[0]}-axis are given by the same point`);
}

/** p at a material point; coordinates that it does not give are zero. */
export function atPoint(position: Vector3, volumes: readonly Volume[], point: MaterialPoint): Vector3 {
  const replacements = new Map<Expr, Expr>();
  for (const volume of volumes) {
    for (const s of materialCoordinates(volume)) replacements.set(s, point.get(s) ?? zero);
    for (const s of fieldSymbols(volume)) replacements.set(s, point.get(s) ?? noTetrahedron());
  }
  return vector3(substitute(position, replacements));
}

function noTetrahedron(): never {
  throw new KanegenError('not-supported', 'points of a body with modes are found in its mesh when its file is read', {
    remedy: 'name the points in the robot file, as frames with `at`, in place of points that come with a call',
  });
}

/** The error for a contact area that is not rigid: what deforms it, and the frame that can be had instead. */
function deformingContact(
  type: BodyType,
  contact: ContactFrame,
  fault: Deformation,
  parameters: ParameterValues | undefined,
): KanegenError {
  const { kinematics, volumes } = type;
  if (fault.kind === 'not finite' || kinematics.kind !== 'position') return singularContact(fault.message);
  const undeformed = contactColumns(type, contact, (point) => vector3(cartesian(volumes[0]!, point)));
  if (deformation(type, undeformed.columns, parameters)) return singularContact('its axes are not perpendicular');
  const deforming = kinematics.steps?.find(({ position }) => {
    const { columns } = contactColumns(type, contact, (point) => atPoint(position, volumes, point));
    const own = deformation(type, columns, parameters);
    return own !== undefined && own.kind !== 'not finite';
  });
  const culprit = deforming?.name ?? (kinematics.steps ? 'compose' : 'position');
  const pivot = [...contact.pivot].map(([s, value]) => `${s.name.replace('material.', '')}: ${toText(value)}`);
  const isCartesian = volumes.every((volume) => volume.kind !== 'rod' || volume.coordinates === 'cartesian');
  const frame = isCartesian
    ? `take the frame that the material carries at the pivot, \`distal: { at: { ${pivot.join(', ')} } }\``
    : 'give the frame by a formula, `distal: { pose: … }`';
  return singularContact(`\`${culprit}\` ${fault.kind} the contact area`, {
    remedy: `${frame}; or name points of an area that stays rigid`,
  });
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

/** All symbols that differ between the points of volumes. */
export function materialSymbolsOf(volumes: readonly Volume[]): ReadonlySet<Expr> {
  return new Set<Expr>(volumes.flatMap((volume) => [...materialCoordinates(volume), ...fieldSymbols(volume)]));
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

function singularContact(
  what: string,
  { remedy }: { readonly remedy: string } = {
    remedy:
      'name a pivot and two points of the rigid contact area on perpendicular lines through it, such as { s: L, x: R } and { s: L, y: R }',
  },
): KanegenError {
  return new KanegenError('singular-contact', `the distal frame cannot be built: ${what}`, { remedy });
}

const Wide = decimalOfPrecision(50);

/**
 * The contact area must not deform.
 * @param parameters where the formulas make sense; any numbers when missing.
 * @throws KanegenError `singular-contact`.
 */
export function requireRigid(type: BodyType, columns: Columns, parameters?: ParameterValues): void {
  const fault = deformation(type, columns, parameters);
  if (fault) throw singularContact(fault.message);
}

interface Deformation {
  readonly kind: 'stretches' | 'shears' | 'not finite';
  readonly message: string;
}

const STRETCHES = { kind: 'stretches', message: 'the contact area stretches' } as const;
const SHEARS = { kind: 'shears', message: 'its axes are not perpendicular, or the contact area shears' } as const;
const NOT_FINITE = { kind: 'not finite', message: 'its points are not finite' } as const;

/** Do the two named axes stay orthonormal? Looked at where the numbers have no structure. */
function deformation(type: BodyType, columns: Columns, parameters?: ParameterValues): Deformation | undefined {
  const symbols = freeSymbols(columns.flat());
  const own = new Set<Expr>(type.coordinates.map((c) => c.symbol));
  for (let trial = 1; trial <= 2; trial++) {
    const bindings = new Map(
      symbols.map((s, i) => {
        const known = parameters?.get(s);
        if (known !== undefined) return [s, new Wide(known)];
        const plain = new Wide(trial + 1)
          .sqrt()
          .plus(2 * i + 1)
          .sqrt()
          .minus(1);
        return [s, plain.times(own.has(s) ? '0.01' : 1)];
      }),
    );
    const numbers = columns.map((c) => evaluateDecimal(c, bindings, Wide).map(Number) as [number, number, number]);
    for (let i = 0; i < 3; i++)
      for (let j = 0; j <= i; j++) {
        const product = numbers[i]!.reduce((sum, e, k) => sum + e * numbers[j]![k]!, 0);
        if (Math.abs(product - (i === j ? 1 : 0)) < 1e-12) continue;
        if (!Number.isFinite(product)) return NOT_FINITE;
        return i === j ? STRETCHES : SHEARS;
      }
  }
  return undefined;
}

/** Projectors of a frame given by its entries: t_a = ∂t/∂q_a, w_a = (∂R/∂q_a Rᵀ)^∨. */
export function poseStep(type: BodyType, frame: Frame): FrameStep {
  return stepOf(type, frame, (s) => {
    const rotationRate = matrix3(differentiateAll(frame.rotation, s));
    return {
      linear: mapVector(vector3(differentiateAll(frame.translation, s)), simplest),
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
