/**
 * From a body type's kinematics to what the compiler works with: the separated position field and the distal frame with
 * its projectors (seed paper 000, eqs. 4–7 and 39–40). Everything regular at the straight configuration.
 */
import { KanegenError } from '../../common/error.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { one, plus, power, square, stumpff, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { withoutPoles } from '../../symbolic/poles/removable-poles.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { toText } from '../../symbolic/formulas/print.ts';
import {
  addMatrices,
  addVectors,
  cross,
  frameFromEntries,
  fromColumns,
  identityMatrix,
  mapMatrix,
  mapVector,
  multiplyMatrices,
  scaleVector,
  skew,
  unitVectors,
  zeroVector,
  type Frame,
  type Matrix3,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { accumulate, lowerIndices, toMaterialForm, type MaterialForm } from '../../integration/exact/material-form.ts';
import { factorContent } from '../../integration/exact/separated-form.ts';
import { rodOf, type BodyType } from '../../description/model/robot.ts';
import type { MaterialPoint } from '../../description/model/reference-volume.ts';
import { distalStep, poseStep, requireRigid, stepOf } from './distal-frame.ts';
import { simplest } from '../equations/rates.ts';
import type { FrameStep } from '../equations/recursion.ts';

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
      case 'strain': {
        const regular = (v: Vector3): Vector3 => vector3(withoutPoles(v, configuration(type)));
        return strainKinematics(type, regular(kinematics.angular), regular(kinematics.linear));
      }
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
  const distal = distalStep(type, kinematics.distal, {
    at: (point) => evaluateForm(form, coordinatesOf(type, point)),
    regular: (pose) => regularFrame(type, pose),
  });
  return { form, distal };
}

/** A pose formula in the body's coordinates with its removable singularities removed. */
function regularFrame(type: BodyType, pose: Frame): Frame {
  const entries = [...pose.rotation, ...pose.translation];
  const rows = [0, 3, 6, 9].map((i) => vector3(entries.slice(i, i + 3)));
  return frameFromEntries(
    rows.flatMap((row) => [...evaluateForm(toMaterialForm(row, rodOf(type), configuration(type)), endPoint(type))]),
  );
}

/** Value of a material form at a point: U_k(s) = s^k c_k(χ s²). */
export function evaluateForm(form: MaterialForm, point: { x: Expr; y: Expr; s: Expr }): Vector3 {
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
      'no-closed-form',
      `strains that vary along the rod have no closed form (${toText(varying)})`,
      {
        remedy: 'leave out `integration: closed-form`, or use a strain that does not depend on s',
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
    const axis = unitVectors[i];
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
  return stepOf(type, { rotation, translation }, (symbol) => {
    const rate = vector3(differentiateAll(kappa, symbol));
    const turned = cross(kappa, rate);
    const w = addVectors(scaleVector(length, rate), scaleVector(c(2), turned), scaleVector(c(3), cross(kappa, turned)));
    return {
      linear: mapVector(vector3(differentiateAll(translation, symbol)), simplest),
      angular: mapVector(w, simplest),
    };
  });
}
