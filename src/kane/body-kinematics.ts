/**
 * From a body type's kinematics to what the compiler works with: the separated position field and the distal frame with
 * its projectors (seed paper 000, eqs. 4–7 and 39–40). Everything regular at the straight configuration.
 */
import { KanegenError } from '../symbolic/error.ts';
import { differentiateAll } from '../symbolic/differentiate.ts';
import { decimalOfPrecision, evaluateDecimal } from '../symbolic/evaluate.ts';
import { divide, minus, one, plus, power, sqrt, square, stumpff, times, zero, type Expr } from '../symbolic/expr.ts';
import { Rational } from '../symbolic/rational.ts';
import { dependsOn, freeSymbols } from '../symbolic/traverse.ts';
import { toText } from '../symbolic/print.ts';
import {
  addMatrices,
  addVectors,
  cross,
  frameFromEntries,
  fromColumns,
  identityFrame,
  identityMatrix,
  mapMatrix,
  mapVector,
  multiplyMatrices,
  scaleVector,
  skew,
  subtractVectors,
  transpose,
  unitVectors,
  unskew,
  zeroVector,
  type Frame,
  type Matrix3,
  type Vector3,
} from '../symbolic/vector.ts';
import {
  accumulate,
  factorContent,
  lowerIndices,
  toMaterialForm,
  type MaterialForm,
} from '../integration/material-form.ts';
import { rodOf, type BodyType, type ContactFrame, type MaterialPoint } from '../description/robot.ts';
import { simplest } from './rates.ts';
import { fixedStep, type FrameStep } from './recursion.ts';

export interface BodyKinematicsTerms {
  readonly form: MaterialForm;
  /** Proximal → distal, moved by the body's coordinates. */
  readonly distal: FrameStep;
}

/**
 * @throws KanegenError `irregular-kinematics`, `no-closed-form`, `singular-contact`, located in the robot file.
 */
export function bodyKinematics(type: BodyType): BodyKinematicsTerms {
  const { kinematics, locations } = type;
  try {
    switch (kinematics.kind) {
      case 'position':
        return positionKinematics(type, kinematics.position);
      case 'pose':
        return poseKinematics(type, kinematics.pose);
      case 'strain':
        return strainKinematics(type, kinematics.angular, kinematics.linear);
      case 'network':
        throw new KanegenError('no-closed-form', 'learned kinematics has no closed form');
    }
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(locations.kinematics);
    throw error;
  }
}

function configuration(type: BodyType): ReadonlySet<Expr> {
  return new Set<Expr>(type.coordinates.map((c) => c.symbol));
}

// ---------------------------------------------------------------------------------------------- by position

function positionKinematics(type: BodyType, position: Vector3): BodyKinematicsTerms {
  const { kinematics } = type;
  if (kinematics.kind !== 'position') throw new Error('position kinematics expected');
  const form = toMaterialForm(position, rodOf(type), configuration(type));
  const { distal } = kinematics;
  if (distal.kind === 'none') return { form, distal: fixedStep(identityFrame) };
  if (distal.kind === 'pose') return { form, distal: poseStep(type, regularFrame(type, distal.pose)) };
  try {
    return { form, distal: poseStep(type, contactFrame(type, form, distal.contact)) };
  } catch (error) {
    if (error instanceof KanegenError) throw error.at(type.locations.distal);
    throw error;
  }
}

/** A pose formula in the body's coordinates with its removable singularities removed. */
function regularFrame(type: BodyType, pose: Frame): Frame {
  const entries = [...pose.rotation, ...pose.translation];
  const rows = [0, 3, 6, 9].map((i) => entries.slice(i, i + 3) as unknown as Vector3);
  return frameFromEntries(
    rows.flatMap((row) => [...evaluateForm(toMaterialForm(row, rodOf(type), configuration(type)), endPoint(type))]),
  );
}

/** Value of a material form at a point: U_k(s) = s^k c_k(χ s²). */
function evaluateForm(form: MaterialForm, point: { x: Expr; y: Expr; s: Expr }): Vector3 {
  const terms = form.map(({ function: f, coefficient }) => {
    const monomial = times(power(point.x, f.x), power(point.y, f.y), power(point.s, f.s));
    const stumpffPart =
      f.order === undefined
        ? one
        : times(power(point.s, f.order), stumpff(f.order, times(f.argument!, square(point.s))));
    return mapVector(coefficient, (e) => times(e, monomial, stumpffPart));
  });
  return addVectors(zeroVector, ...terms);
}

function endPoint(type: BodyType): { x: Expr; y: Expr; s: Expr } {
  return { x: zero, y: zero, s: rodOf(type).end };
}

function coordinatesOf(type: BodyType, point: MaterialPoint): { x: Expr; y: Expr; s: Expr } {
  const { axial, section } = rodOf(type);
  return { s: point.get(axial) ?? zero, x: point.get(section[0]) ?? zero, y: point.get(section[1]) ?? zero };
}

/** e_k = (f(x_k) − f(x_p)) / |x_k − x_p| for the two named axes, the third by the right-hand rule; origin f(x_p). */
function contactFrame(type: BodyType, form: MaterialForm, contact: ContactFrame): Frame {
  const pivot = coordinatesOf(type, contact.pivot);
  const translation = evaluateForm(form, pivot);
  const axes: Partial<Record<'x' | 'y' | 'z', Vector3>> = {};
  for (const name of ['x', 'y', 'z'] as const) {
    const point = contact.axes[name];
    if (!point) continue;
    const at = coordinatesOf(type, point);
    const distance = separation([minus(at.x, pivot.x), minus(at.y, pivot.y), minus(at.s, pivot.s)]);
    if (distance === zero) throw singularContact(`the ${name}-axis point coincides with the pivot`);
    axes[name] = mapVector(subtractVectors(evaluateForm(form, at), translation), (e) => divide(e, distance));
  }
  const { x, y, z } = axes;
  const columns: [Vector3, Vector3, Vector3] | undefined =
    x && y ? [x, y, cross(x, y)] : y && z ? [cross(y, z), y, z] : x && z ? [x, cross(z, x), z] : undefined;
  if (!columns) throw singularContact('two axes are needed');
  requireRigid(type, columns);
  const rotation = mapMatrix(fromColumns(...columns), simplest);
  return { rotation, translation: mapVector(translation, simplest) };
}

/** |d|, free of square roots when only one coordinate differs (lengths are positive). */
function separation(d: readonly Expr[]): Expr {
  const moving = d.filter((e) => e !== zero);
  if (moving.length === 0) return zero;
  if (moving.length > 1) return sqrt(plus(...moving.map(square)));
  const [only] = moving as [Expr];
  return only.kind === 'product' && Rational.isNegative(only.coefficient) ? minus(zero, only) : only;
}

function singularContact(what: string): KanegenError {
  return new KanegenError('singular-contact', `the distal frame cannot be built: ${what}`, {
    remedy:
      'name a pivot and two points of the rigid contact area on perpendicular lines through it, such as { s: L, x: R } and { s: L, y: R }',
  });
}

const Wide = decimalOfPrecision(50);

/** The contact area must not deform: the two named axes stay orthonormal, checked at points without structure. */
function requireRigid(type: BodyType, columns: readonly [Vector3, Vector3, Vector3]): void {
  const symbols = freeSymbols(columns.flat());
  const own = configuration(type);
  for (let trial = 1; trial <= 2; trial++) {
    const bindings = new Map(
      symbols.map((s, i) => [
        s as Expr,
        new Wide(trial + 1)
          .sqrt()
          .plus(2 * i + 1)
          .sqrt()
          .minus(1)
          .times(own.has(s) ? '0.01' : 1),
      ]),
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
function poseStep(type: BodyType, frame: Frame): FrameStep {
  const coordinates = type.coordinates.map((_, i) => i);
  const linear: Vector3[] = [];
  const angular: Vector3[] = [];
  for (const { symbol } of type.coordinates) {
    const rotationRate = differentiateAll(frame.rotation, symbol) as unknown as Matrix3;
    linear.push(mapVector(differentiateAll(frame.translation, symbol) as unknown as Vector3, simplest));
    angular.push(mapVector(unskew(multiplyMatrices(rotationRate, transpose(frame.rotation))), simplest));
  }
  return { frame, coordinates, linear, angular };
}

// ---------------------------------------------------------------------------------------------- by pose

function poseKinematics(type: BodyType, pose: Frame): BodyKinematicsTerms {
  const { axial, section } = rodOf(type);
  const columnAt = (i: number): Vector3 => [pose.rotation[i]!, pose.rotation[3 + i]!, pose.rotation[6 + i]!];
  const position = addVectors(
    pose.translation,
    scaleVector(section[0], columnAt(0)),
    scaleVector(section[1], columnAt(1)),
  );
  const form = toMaterialForm(position, rodOf(type), configuration(type));
  const atEnd = (v: Vector3): Vector3 =>
    evaluateForm(toMaterialForm(v, { axial, section }, configuration(type)), endPoint(type));
  const columns = [atEnd(columnAt(0)), atEnd(columnAt(1)), atEnd(columnAt(2))] as const;
  requireRigid(type, columns);
  const frame = {
    rotation: mapMatrix(fromColumns(...columns), simplest),
    translation: mapVector(atEnd(pose.translation), simplest),
  };
  return { form, distal: poseStep(type, frame) };
}

// ---------------------------------------------------------------------------------------------- by constant strain

/**
 * ξ = (κ, ν) constant along the rod: R(s) = 1 + U_1 κ^ + U_2 κ^², r(s) = s ν + U_2 κ × ν + U_3 κ × (κ × ν) with χ = |κ|².
 * Projectors of the distal frame through the left Jacobian of the rotation (docs/mathematics.md, "Constant strain").
 */
function strainKinematics(type: BodyType, angular: Vector3, linear: Vector3): BodyKinematicsTerms {
  const { axial, start } = rodOf(type);
  const varying = [...angular, ...linear].find((e) => dependsOn(e, new Set<Expr>([axial, ...rodOf(type).section])));
  if (varying)
    throw new KanegenError(
      'not-supported',
      `strains that vary along the rod are not supported yet (${toText(varying)})`,
      {
        remedy: 'use a strain that does not depend on s, or several bodies in a row',
      },
    );
  if (start !== zero)
    throw new KanegenError('not-supported', 'a rod given by its strain starts at s = 0', {
      remedy: 'write rod: { s: [0, L] }',
    });
  const argument = factorContent(plus(...angular.map(square)));
  const bent = argument !== zero;
  const backbone = (order: number, coefficient: Vector3) => ({
    function: { x: 0, y: 0, s: 0, order, argument },
    coefficient,
  });
  const first = cross(angular, linear);
  const terms = [{ function: { x: 0, y: 0, s: 1 }, coefficient: linear }];
  const form: Parameters<typeof accumulate>[0][number][] = [...terms];
  if (bent) form.push(backbone(2, first), backbone(3, cross(angular, first)));
  for (const [i, name] of [
    [0, 'x'],
    [1, 'y'],
  ] as const) {
    const axis = unitVectors[i]!;
    const monomial = { x: 0, y: 0, s: 0, [name]: 1 };
    form.push({ function: monomial, coefficient: axis });
    if (!bent) continue;
    const turned = cross(angular, axis);
    form.push({ function: { ...monomial, order: 1, argument }, coefficient: turned });
    form.push({ function: { ...monomial, order: 2, argument }, coefficient: cross(angular, turned) });
  }
  const lowered = lowerIndices(accumulate(form));
  return { form: lowered, distal: strainStep(type, lowered, angular, argument) };
}

function strainStep(type: BodyType, form: MaterialForm, kappa: Vector3, argument: Expr): FrameStep {
  const length = rodOf(type).end;
  const x = times(argument, square(length));
  const c = (order: number): Expr => times(power(length, order), stumpff(order, x));
  const K = skew(kappa);
  const scaled = (m: Matrix3, factor: Expr): Matrix3 => mapMatrix(m, (e) => times(factor, e));
  const rotation =
    argument === zero
      ? identityMatrix
      : mapMatrix(addMatrices(identityMatrix, scaled(K, c(1)), scaled(multiplyMatrices(K, K), c(2))), simplest);
  const translation = mapVector(evaluateForm(form, endPoint(type)), simplest);
  const linear: Vector3[] = [];
  const angular: Vector3[] = [];
  for (const { symbol } of type.coordinates) {
    linear.push(mapVector(differentiateAll(translation, symbol) as unknown as Vector3, simplest));
    const rate = differentiateAll(kappa, symbol) as unknown as Vector3;
    const turned = cross(kappa, rate);
    const w = addVectors(scaleVector(length, rate), scaleVector(c(2), turned), scaleVector(c(3), cross(kappa, turned)));
    angular.push(mapVector(w, simplest));
  }
  return { frame: { rotation, translation }, coordinates: type.coordinates.map((_, i) => i), linear, angular };
}
