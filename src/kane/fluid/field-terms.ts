/**
 * Fields along a rod (`description/model/surroundings.ts`), as terms of the left-hand side: with f and m the force and the moment per
 * length in proximal axes, r_a = ∂r/∂q_a and ω_a the angular velocity of the section per unit rate,
 *   force −∫ f ds,   moment −∫ (r × f + m) ds,   π_a = −∫ (f · r_a + m · ω_a) ds.
 */
import type { BodyType } from '../../description/model/robot.ts';
import { FIELD_AXES, FIELD_SECTION, type RodField } from '../../description/model/surroundings.ts';
import { negate, plus, type Expr, zero } from '../../symbolic/graph/expr.ts';
import { freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import {
  addVectors,
  cross,
  dot,
  frameEntries,
  multiplyTransposed,
  negateVector,
  transpose,
  zeroVector,
  type Frame,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import type { SectionLine } from '../body/centreline.ts';
import type { MotionInWater, WaterTerms } from '../body/water-on-rod.ts';
import { wrenchFromEntries } from '../equations/recursion.ts';
import { rodVolumes } from '../rods/rod-section.ts';

/** Per length, on the rod. */
export interface FieldOnRod {
  readonly force: Vector3;
  readonly moment: Vector3;
  /** What the moment does per unit rate of each coordinate. */
  readonly work: readonly Expr[];
}

/**
 * Of a rod without water.
 * @param motion of the proximal frame; `together`: the same in other symbols.
 */
export function fieldTerms(
  type: BodyType,
  fields: readonly RodField[],
  line: SectionLine,
  motion: MotionInWater,
  together?: MotionInWater,
): WaterTerms {
  const [{ axial }] = rodVolumes(type);
  const taken = ({ placement }: MotionInWater): readonly Expr[] =>
    fieldWrench(line, fieldOnRod(fields, axial, line, placement!));
  const forces = line.integrate('field', 3, taken(motion));
  const all = together ? line.integrate('field_of_motion', 3, taken(together)) : [];
  const { values, loops } = line.finish([...forces, ...all]);
  return {
    forces: wrenchFromEntries(values.slice(0, forces.length)),
    ...(together && { together: wrenchFromEntries(values.slice(forces.length)) }),
    method: `${fieldNames(fields)}: ${line.method}`,
    loops,
  };
}

/** For reports. */
export function fieldNames(fields: readonly RodField[]): string {
  return fields.map(({ name }) => `field ${name}`).join(', ');
}

/** Per length, what τ has to overcome of a field: force and moment about the proximal origin, then π_a. */
function fieldWrench(line: SectionLine, { force, moment, work }: FieldOnRod): readonly Expr[] {
  return forceEntries(line, negateVector(force), { moment: negateVector(moment), generalized: work.map(negate) });
}

/** Per length. */
export interface Couple {
  readonly moment: Vector3;
  readonly generalized: readonly Expr[];
}

/** Force and moment, then π_a, of a force per length, and of a moment per length on what lies inboard. */
export function forceEntries({ position, partials }: SectionLine, force: Vector3, couple?: Couple): readonly Expr[] {
  const moment = cross(position, force);
  return [
    ...force,
    ...(couple ? addVectors(moment, couple.moment) : moment),
    ...partials.map((partial, a) => plus(dot(partial, force), couple?.generalized[a] ?? zero)),
  ];
}

/**
 * @param fields over symbols of the link type.
 * @param axial the coordinate along the rod in their formulas.
 * @param placement world pose of the proximal frame.
 */
export function fieldOnRod(fields: readonly RodField[], axial: Expr, line: SectionLine, placement: Frame): FieldOnRod {
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
