/**
 * Derivatives of a deformable body's own inertial terms: by its own coordinates and rates for a given motion of its
 * proximal frame, and of its generalized forces by that motion. The terms are differentiated over stand-ins for the motion,
 * so that what the motion itself is made of is never entered.
 */
import type { BodyModel } from '../../kane/body/body-model.ts';
import { partialDerivatives } from '../../kane/equations/rates.ts';
import {
  type BodyWrench,
  type CoordinateSymbols,
  type Motion,
  wrenchEntries,
  wrenchFromEntries,
} from '../../kane/equations/recursion.ts';
import { differentiateAll, directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { symbol, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import {
  cross,
  unitVectors,
  zeroVector,
  type Matrix3,
  type Vector3,
  vector3,
  matrix3,
} from '../../symbolic/graph/vector.ts';
import { spinChange, type Row } from './moving-composite.ts';

export interface BodyDerivatives {
  /** Per coordinate of the body: how its wrench and generalized forces change with it. */
  readonly byPosition: readonly BodyWrench[];
  /** The same with its rate. */
  readonly byVelocity: readonly BodyWrench[];
  /** Per coordinate: how its generalized force answers to the motion of the proximal frame. */
  readonly rows: readonly Row[];
}

/** Coordinates up to which the Stumpff normal form of derivatives is shorter: in space it was found not to be. */
const FEW = 2;

/** @param bodyCoordinates indices of the body's coordinates in `symbols`. */
export function bodyDerivatives(
  body: BodyModel,
  bodyCoordinates: readonly number[],
  symbols: CoordinateSymbols,
  motion: Motion,
  spin: Matrix3,
): BodyDerivatives {
  const bindings = new Map<Expr, Expr>();
  const bind = (from: readonly Expr[], to: readonly Expr[]): void => from.forEach((e, i) => bindings.set(e, to[i]!));
  bind(STAND_IN.angularVelocity, motion.angularVelocity);
  bind(STAND_IN.angularAcceleration, motion.angularAcceleration);
  bind(STAND_IN.acceleration, motion.acceleration);
  bind(SPIN_STAND_IN, spin);
  const wrench = body.wrench(STAND_IN, SPIN_STAND_IN);
  const values = wrenchEntries(wrench);
  const wrenchOf = (entries: readonly Expr[]): BodyWrench => wrenchFromEntries(substitute(entries, bindings));
  const partials = bodyCoordinates.length <= FEW ? partialDerivatives : differentiateAll;
  return {
    byPosition: bodyCoordinates.map((a) => wrenchOf(partials(values, symbols.q[a]!))),
    byVelocity: bodyCoordinates.map((a) => wrenchOf(partials(values, symbols.qd[a]!))),
    rows: rowsOf(body, wrench.generalized, bindings),
  };
}

const AXES = ['x', 'y', 'z'];
const standIn = (stem: string): Vector3 => vector3(AXES.map((axis) => symbol(`motion.${stem}_${axis}`)));
const STAND_IN: Motion = {
  angularVelocity: standIn('omega'),
  angularAcceleration: standIn('alpha'),
  acceleration: standIn('a'),
};
const SPIN_STAND_IN = matrix3(AXES.flatMap((row) => AXES.map((col) => symbol(`motion.U_${row}${col}`))));

/** F and N are the unit wrenches; D from a change of ω along each axis that leaves β = δα + ω × δω at zero. */
function rowsOf(body: BodyModel, generalized: readonly Expr[], bindings: ReadonlyMap<Expr, Expr>): Row[] {
  const omega = STAND_IN.angularVelocity;
  const byAxis = unitVectors.map((axis) => {
    const alpha = cross(axis, omega);
    const change = {
      angularVelocity: axis,
      angularAcceleration: alpha,
      carriedAcceleration: zeroVector,
      acceleration: zeroVector,
    };
    const direction = new Map<Expr, Expr>();
    const along = (from: readonly Expr[], to: readonly Expr[]): void =>
      from.forEach((e, i) => to[i] !== zero && direction.set(e, to[i]!));
    along(omega, axis);
    along(STAND_IN.angularAcceleration, alpha);
    along(SPIN_STAND_IN, spinChange(omega, change));
    return substitute(directionalDerivative(generalized, direction), bindings);
  });
  return body.unitWrenches.map(({ force, moment }, k) => ({
    force,
    moment,
    spin: vector3(byAxis.map((values) => values[k]!)),
  }));
}
