/**
 * What water does to a rigid body, as terms of the left-hand side, by matrices that act at a point p in axes of the body, angular part
 * first. With ω and v of p against the water, ξ = (ω, v):
 *   drag       moment and force |v| D ξ,   linear drag L ξ
 *   buoyancy   force ρ V g at its centre
 *   added mass T = ½ ξᵀ M ξ, with the momenta (h, k) = M ξ (Kirchhoff's equations)
 *              force k̇ + ω × k,   moment about p  ḣ + ω × h + v × k,   where dots are of components along axes of the body.
 * Source: H. Lamb, Hydrodynamics (1932), articles 121 to 124.
 */
import { half, one, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  scaleVector,
  subtractVectors,
  symmetricOf,
  matrix3,
  vector3,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { Matrix6, RigidWater } from '../../description/model/surroundings.ts';
import { addBodyWrenches, type BodyWrench, type MovingFrame, type Wrench } from '../equations/recursion.ts';
import type { AddedMass, MotionInWater, WaterOnBody, WaterTerms } from '../body/water-on-rod.ts';
import { speed } from './water-terms.ts';

export function waterOnRigid(water: RigidWater): WaterOnBody {
  return { terms: (motion, _, together) => termsOf(water, motion, together) };
}

function termsOf(water: RigidWater, motion: MotionInWater, together: MotionInWater | undefined): WaterTerms {
  const { drag, linearDrag, buoyancy, addedMass: mass } = water;
  const isPushed = drag !== undefined || linearDrag !== undefined || buoyancy !== undefined;
  const forces = isPushed ? pushed(water, motion) : undefined;
  const addedMass = mass && addedMassOf(water, mass, motion);
  const both = (own: MotionInWater): BodyWrench | undefined => {
    const parts = [...(isPushed ? [pushed(water, own)] : []), ...(mass ? [taken(water, mass, own.accelerated)] : [])];
    return parts.length > 0 ? parts.reduce(addBodyWrenches) : undefined;
  };
  const whole = together && both(together);
  const effects = [
    ...(drag ? ['drag'] : []),
    ...(linearDrag ? ['linear drag'] : []),
    ...(buoyancy ? ['buoyancy'] : []),
    ...(mass ? ['added mass'] : []),
  ];
  return {
    ...(forces && { forces }),
    ...(addedMass && { addedMass }),
    ...(whole && { together: whole }),
    method: `${effects.join(', ')} of a rigid body: 6 × 6 matrices`,
    loops: [],
  };
}

const row = (matrix: Matrix6, i: number): readonly Expr[] => matrix.slice(6 * i, 6 * i + 6);

/** The angular and the linear part of a matrix times a twist. */
function apply(matrix: Matrix6, twist: readonly Expr[]): { readonly angular: Vector3; readonly linear: Vector3 } {
  const entry = (i: number): Expr => plus(...row(matrix, i).map((e, j) => times(e, twist[j]!)));
  return { angular: vector3([entry(0), entry(1), entry(2)]), linear: vector3([entry(3), entry(4), entry(5)]) };
}

/** A wrench about the point at which matrices act, about the proximal origin. */
function atOrigin(at: Vector3, { force, moment }: Wrench): BodyWrench {
  return { force, moment: addVectors(moment, cross(at, force)), generalized: [] };
}

const velocityAt = (at: Vector3, { angularVelocity, velocity }: MovingFrame): Vector3 =>
  addVectors(velocity, cross(angularVelocity, at));

function pushed(
  { density, at, drag, linearDrag, buoyancy }: RigidWater,
  { drift, gravity }: MotionInWater,
): BodyWrench {
  const v = velocityAt(at, drift);
  const twist = [...drift.angularVelocity, ...v];
  const parts: BodyWrench[] = [];
  if (drag) {
    const { angular, linear } = apply(drag, twist);
    const factor = speed(dot(v, v));
    parts.push(atOrigin(at, { force: scaleVector(factor, linear), moment: scaleVector(factor, angular) }));
  }
  if (linearDrag) {
    const { angular, linear } = apply(linearDrag, twist);
    parts.push(atOrigin(at, { force: linear, moment: angular }));
  }
  if (buoyancy) {
    const force = scaleVector(times(density, buoyancy.volume), gravity);
    parts.push({ force, moment: cross(buoyancy.centre, force), generalized: [] });
  }
  return parts.reduce(addBodyWrenches);
}

/** The wrench of the accelerated water. */
function taken({ at }: RigidWater, mass: Matrix6, motion: MovingFrame): BodyWrench {
  const { angularVelocity: w, angularAcceleration: alpha, acceleration } = motion;
  const v = velocityAt(at, motion);
  const a = addVectors(acceleration, cross(alpha, at), cross(w, cross(w, at)));
  const { angular: h, linear: k } = apply(mass, [...w, ...v]);
  const { angular: hRate, linear: kRate } = apply(mass, [...alpha, ...subtractVectors(a, cross(w, v))]);
  return atOrigin(at, {
    force: addVectors(kRate, cross(w, k)),
    moment: addVectors(hRate, cross(w, h), cross(v, k)),
  });
}

function addedMassOf(water: RigidWater, mass: Matrix6, { drift, accelerated }: MotionInWater): AddedMass {
  const v = velocityAt(water.at, drift);
  const { angular, linear } = apply(mass, [...drift.angularVelocity, ...v]);
  // Columns of the matrix about the proximal origin: the wrench per unit acceleration of it.
  const unit = (k: number): Vector3 => vector3([0, 1, 2].map((i) => (i === k ? one : zero)));
  const wrenchPer = (alpha: Vector3, a: Vector3): BodyWrench => {
    const { angular: h, linear: k } = apply(mass, [...alpha, ...addVectors(a, cross(alpha, water.at))]);
    return atOrigin(water.at, { force: k, moment: h });
  };
  const none = vector3([zero, zero, zero]);
  const perLinear = [0, 1, 2].map((k) => wrenchPer(none, unit(k)));
  const perAngular = [0, 1, 2].map((k) => wrenchPer(unit(k), none));
  const part = (columns: readonly BodyWrench[], of: 'force' | 'moment') => (i: number, j: number) =>
    columns[j]![of][i]!;
  const coupling = part(perAngular, 'force');
  return {
    wrench: taken(water, mass, accelerated),
    inertia: {
      linear: symmetricOf(part(perLinear, 'force')),
      coupling: matrix3([0, 1, 2].flatMap((i) => [0, 1, 2].map((j) => coupling(i, j)))),
      angular: symmetricOf(part(perAngular, 'moment')),
    },
    units: [],
    kineticEnergy: times(half, plus(dot(drift.angularVelocity, angular), dot(v, linear))),
  };
}
