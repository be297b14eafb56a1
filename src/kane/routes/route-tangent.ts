/**
 * The tangent of a material curve in a body, dp/ds of the place of its points, in orthonormal axes in which it is short: of
 * rods by strain those of the section, where it takes no pose,
 *   ρ' = ν + κ × d + d'   with d the place in the section (the distributed form of tendons on Cosserat rods),
 * of bodies whose sections stay plane and rigid those of the section too, else those of the proximal frame.
 */
import { KanegenError } from '../../common/error.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { reduceStumpff } from '../../symbolic/graph/expand.ts';
import { minus, one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { isIdenticallyZero } from '../../symbolic/evaluation/identically-zero.ts';
import { dependsOn, substitute } from '../../symbolic/graph/traverse.ts';
import { addVectors, cross, dot, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { BodyType, StrainKinematics } from '../../description/model/robot.ts';
import type { CoordinateSymbols } from '../equations/rates.ts';
import type { RouteRequest } from '../body/actuation-terms.ts';
import { atPoint, cartesianSection } from '../kinematics/distal-frame.ts';
import { regularPosition, regularStrain } from '../kinematics/point-kinematics.ts';
import { rodVolumes } from '../rods/rod-section.ts';

/** Over the running coordinate of the request, parameters and coordinates; components that vanish are zero. */
export function routeTangent(type: BodyType, symbols: CoordinateSymbols, request: RouteRequest): Vector3 {
  const { kinematics } = type;
  const tangent =
    kinematics.kind === 'strain'
      ? ofStrain(type, kinematics, request)
      : ofPosition(type, regularPosition(type), request);
  return vector3(tangent.map((e) => shortest(e, symbols)));
}

function along(values: readonly Expr[], { axial }: RouteRequest): Vector3 {
  return vector3(differentiateAll(values, axial));
}

function ofStrain(type: BodyType, kinematics: StrainKinematics, request: RouteRequest): Vector3 {
  const rods = rodVolumes(type);
  const rod = rods.find(({ section }) => section.every((s) => request.across.has(s))) ?? rods[0];
  const { angular, linear } = regularStrain(type, kinematics);
  const place = kinematics.sectionPosition ?? cartesianSection(rod, rod.section);
  const [x, y] = substitute(place, request.across) as [Expr, Expr];
  const across: Vector3 = [x, y, zero];
  return addVectors(linear, cross(angular, across), along(across, request));
}

function ofPosition(type: BodyType, position: Vector3, request: RouteRequest): Vector3 {
  const onCurve = (v: Vector3): Vector3 =>
    atPoint(v, type.volumes, new Map([...request.across, [request.axial, request.axial]]));
  const tangent = along(onCurve(position), request);
  const section = [...request.across.keys()];
  if (section.length !== 2) return tangent;
  const [u, v] = section.map((s) => vector3(differentiateAll(position, s))) as [Vector3, Vector3];
  const isPlane = [...u, ...v].every((e) => !dependsOn(e, new Set(section)));
  const isRigid = (a: Vector3, b: Vector3, due: Expr): boolean => isIdenticallyZero(minus(dot(a, b), due));
  if (!isPlane || !isRigid(u, u, one) || !isRigid(v, v, one) || !isRigid(u, v, zero)) return tangent;
  return [dot(u, tangent), dot(v, tangent), dot(cross(u, v), tangent)];
}

/** Zero where it is nothing else, linear in the coordinates where it is that, else in Stumpff normal form. */
function shortest(e: Expr, { q, time }: CoordinateSymbols): Expr {
  const moving = new Set<Expr>([...q, ...(time ? [time] : [])]);
  if (!dependsOn(e, moving)) return e;
  if (isIdenticallyZero(e)) return zero;
  if (time) return reduceStumpff(e);
  const linear = linearIn(e, q);
  return linear && (linear === e || isIdenticallyZero(minus(e, linear))) ? linear : reduceStumpff(e);
}

/** Value and slopes where all coordinates are zero, taken for the formula; none where it has no value there. */
function linearIn(e: Expr, q: readonly Expr[]): Expr | undefined {
  const atZero = new Map<Expr, Expr>(q.map((own) => [own, zero]));
  try {
    return plus(
      ...substitute([e], atZero),
      ...q.map((own) => times(own, ...substitute(differentiateAll([e], own), atZero))),
    );
  } catch (error) {
    if (error instanceof KanegenError) return undefined;
    throw error;
  }
}
