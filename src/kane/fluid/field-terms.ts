/**
 * Fields along a rod (`description/model/surroundings.ts`), as terms of the left-hand side: with f and m the force and the moment per
 * length in proximal axes, r_a = ∂r/∂q_a and ω_a the angular velocity of the section per unit rate,
 *   force −∫ f ds,   moment −∫ (r × f + m) ds,   π_a = −∫ (f · r_a + m · ω_a) ds.
 */
import { FIELD_AXES, FIELD_SECTION, type RodField } from '../../description/model/surroundings.ts';
import { type Expr, zero } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  dot,
  frameEntries,
  multiplyTransposed,
  transpose,
  zeroVector,
  type Frame,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { Centreline } from '../body/centreline.ts';

/** Per length, on the rod. */
export interface FieldOnRod {
  readonly force: Vector3;
  readonly moment: Vector3;
  /** What the moment does per unit rate of each coordinate. */
  readonly work: readonly Expr[];
}

/**
 * @param fields over symbols of the link type.
 * @param axial the coordinate along the rod in their formulas.
 * @param placement world pose of the proximal frame.
 */
export function fieldOnRod(fields: readonly RodField[], axial: Expr, line: Centreline, placement: Frame): FieldOnRod {
  const { rotation, angular } = line.sectionAxes();
  const vectors = fields.map(({ force, moment, axes }): Pick<FieldOnRod, 'force' | 'moment'> => {
    const values = [...force, ...moment];
    const asked = new Set<Expr>(freeSymbols(values));
    const written = axes === 'world' ? transpose(placement.rotation) : rotation;
    const place = addVectors(multiplyTransposed(placement.rotation, placement.translation), line.position);
    const standing = [...written, ...rotation, ...place];
    const standIns = [...FIELD_AXES, ...frameEntries(FIELD_SECTION)];
    const known = new Map<Expr, Expr>([[axial, line.section]]);
    standIns.forEach((s, i) => asked.has(s) && known.set(s, standing[i]!));
    const own = substitute(values, known);
    return { force: vector3(own.slice(0, 3)), moment: vector3(own.slice(3)) };
  });
  const force = addVectors(zeroVector, ...vectors.map((own) => own.force));
  const moment = addVectors(zeroVector, ...vectors.map((own) => own.moment));
  const isTurned = moment.some((e) => e !== zero);
  return { force, moment, work: angular.map((w) => (isTurned ? dot(moment, w) : zero)) };
}
