/**
 * `field:`: internal moments and forces that are spread over rods, as formulas of the place and the time. They do work on the
 * strains of their names; the actuation coordinate is ∫ m · (ξ − ξ*) ds, the input scales the field.
 */
import { dependsOnAny } from '../model/what-acts.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import { divide, fraction, minus, plus, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { boundariesOf } from '../../symbolic/graph/kinks.ts';
import { dependsOn, freeSymbols, substitute } from '../../symbolic/graph/traverse.ts';
import { sectionsStayRigid } from '../model/section-frame.ts';
import type { FieldTerm, StrainField } from '../model/actuator.ts';
import { FIELD_SYMBOLS } from '../model/surroundings.ts';
import type { BodyType, DeformableBody } from '../model/robot.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { RawActuator, RawStrainField } from '../language/actuators.ts';
import { strainNames } from '../language/schema.ts';
import { implyTime, TIME, TIME_OF_BODY } from '../bodies/quantity.ts';
import type { Place } from '../source/source.ts';
import type { FurtherDimensions } from '../values/dimensions.ts';
import { dues, readScalar, Scope, type Due } from '../values/scope.ts';
import { dimensionOf, dimensionless } from '../values/units.ts';
import { linksNamed, type ActuatorContext, type ActuatorReading } from './actuator-context.ts';

const MOMENT: Due = { what: 'an internal moment', dimension: [1, 2, -2, 0, 0] };
const FORCE: Due = { what: 'an internal force', dimension: [1, 1, -2, 0, 0] };
/** What formulas call the share of the length of a rod, from 0 to 1, unless something else is called so. */
const SHARE = 'S';
/** Where fields are looked at along a rod. */
const PLACES = 240;
/** When kinks that move are looked for, s. */
export const INSTANTS = [0, 0.37, 0.91, 2.3, 6.1];

type Components = Readonly<Partial<Record<(typeof strainNames)[number], string | number | undefined>>>;

/** @throws KanegenError `unknown-link`, `wrong-value`, `wrong-variable`, `missing-key`, or what reading formulas throws. */
export function readField(place: Place, actuator: RawActuator, context: ActuatorContext): ActuatorReading {
  const at = place.at('field');
  const raw = actuator.field!;
  const names = typeof raw.through === 'string' ? [raw.through] : raw.through;
  const links = names.map((name, i) => {
    const where = typeof raw.through === 'string' ? at.at('through') : at.at('through', i);
    return { where, links: linksNamed(where, name, context) };
  });
  const terms = links.flatMap(({ where, links: own }) =>
    own.map((link): FieldTerm => ({ kind: 'field', link, field: fieldOn(at, where, link, raw, context) })),
  );
  const twice = terms.findIndex(({ link }, i) => terms.findIndex((other) => other.link === link) < i);
  if (twice >= 0)
    throw at
      .at('through')
      .error('wrong-value', `\`${context.links[terms[twice]!.link]!.name}\` is named twice`, 'name each link once');
  return { coordinateUnit: 'J', terms };
}

function fieldOn(at: Place, through: Place, link: number, raw: RawStrainField, context: ActuatorContext): StrainField {
  const { name, body } = context.links[link]!;
  const [rod] = body.kind === 'rigid' ? [] : body.type.volumes;
  if (body.kind === 'rigid' || rod?.kind !== 'rod' || !sectionsStayRigid(body.type, context.defaults))
    throw through.error(
      'wrong-value',
      `the body of \`${name}\` has no strains of a rod: ${body.kind === 'rigid' ? 'it is rigid' : 'its sections deform, or it is not a rod'}`,
      'name a link whose body is a rod with rigid sections',
    );
  const scope = scopeAlongRod(body.type, rod, context);
  const given: Components = { ...raw.moment, ...raw.force };
  if (Object.keys(given).length === 0)
    throw at.error('missing-key', 'this field has no component', 'write `moment: { bend-y: … }`');
  const components = strainNames.map((strain, i): Expr => {
    const value = given[strain];
    if (value === undefined) return zero;
    const where = at.at(i < 3 ? 'moment' : 'force').at(strain);
    const e = readScalar(where, value, i < 3 ? MOMENT : FORCE, scope).value;
    refuseCoordinates(where, e, body.type);
    const [start, ...later] = INSTANTS.map((t) => new Map<Expr, number>([...context.defaults, [TIME_OF_BODY, t]]));
    requireFiniteAlongRod(where, [e], rod, body, start!);
    warnOfMovingKinks(where, [e], rod, body, [start!, ...later], context);
    return e;
  });
  const isTimed = scope.find(TIME)?.value === TIME_OF_BODY && dependsOnAny(components, TIME_OF_BODY);
  return { components, ...(isTimed && !isNamed(body.type, TIME) && { time: TIME_OF_BODY }), location: at.location };
}

function isNamed({ parameters, coordinates }: BodyType, name: string): boolean {
  return [...parameters, ...coordinates].some((own) => own.name === name);
}

/** Parameters of robot and body, the axial coordinate, `S`, the time, and the coordinates of the body, of any unit. */
export function scopeAlongRod(
  type: BodyType,
  { axial, start, end }: RodVolume,
  context: ActuatorContext,
  further?: FurtherDimensions,
): Scope {
  const scope = new Scope(context.scope, further);
  implyTime(scope);
  for (const { name, symbol } of type.coordinates) scope.imply(name, symbol, undefined);
  for (const { name, symbol, unit } of type.parameters) scope.define(name, symbol, dimensionOf(unit));
  scope.define(axial.name.replace(/^.*\./, ''), axial, dues.length.dimension);
  if (!scope.find(SHARE)) scope.imply(SHARE, divide(minus(axial, start), minus(end, start)), dimensionless);
  return scope;
}

/** A field that depends on coordinates is the gradient of nothing. */
function refuseCoordinates(where: Place, e: Expr, { coordinates }: BodyType): void {
  const own = coordinates.find(({ symbol }) => dependsOn(e, new Set<Expr>([symbol])));
  if (!own) return;
  throw where.error(
    'wrong-variable',
    `\`${own.name}\` is a coordinate: a field depends on the place, the time and parameters`,
    'write what depends on the state as the input of the actuator',
  );
}

/** Numbers of parameters of the body in place of their symbols. */
function withNumbers({ type, parameters }: DeformableBody, values: readonly Expr[]): Expr[] {
  return substitute(values, new Map<Expr, Expr>(type.parameters.map((p, i) => [p.symbol, parameters[i]!])));
}

/** From one end to the other. */
function placesOn({ start, end }: RodVolume): Expr[] {
  return Array.from({ length: PLACES + 1 }, (_, k) => plus(start, times(fraction(k, PLACES), minus(end, start))));
}

/**
 * Along the whole rod.
 * @param known numbers of all that the field depends on but for parameters of the body and the axial coordinate; where others occur, nothing is checked.
 */
export function requireFiniteAlongRod(
  where: Place,
  field: readonly Expr[],
  rod: RodVolume,
  body: DeformableBody,
  known: ReadonlyMap<Expr, number>,
): void {
  const { axial } = rod;
  const values = withNumbers(body, [...placesOn(rod), ...field]);
  if (!freeSymbols(values).every((s) => s === axial || known.has(s))) return;
  const components = values.splice(PLACES + 1);
  if (components.every((e) => e === zero)) return;
  evaluate(values, known).forEach((s, k) => {
    if (evaluate(components, new Map([...known, [axial, s]])).every(Number.isFinite)) return;
    throw where.error(
      'not-finite',
      `this field has no finite value at S = ${k / PLACES} along the rod`,
      'write it without the pole',
    );
  });
}

/**
 * Of kinks and jumps whose place along the rod depends on the time, coordinates or the pose of the section: no break can stand there.
 * @param states numbers of all that the field depends on, as `requireFiniteAlongRod` takes them, in different states.
 */
export function warnOfMovingKinks(
  where: Place,
  field: readonly Expr[],
  rod: RodVolume,
  body: DeformableBody,
  states: readonly ReadonlyMap<Expr, number>[],
  { warn }: Pick<ActuatorContext, 'warn'>,
): void {
  const { axial } = rod;
  const moving = new Set<Expr>([TIME_OF_BODY, ...FIELD_SYMBOLS, ...body.type.coordinates.map(({ symbol }) => symbol)]);
  const boundaries = boundariesOf(field).filter((g) => dependsOn(g, new Set([axial])) && dependsOn(g, moving));
  const values = withNumbers(body, [...placesOn(rod), ...boundaries]);
  if (boundaries.length === 0 || !freeSymbols(values).every((s) => s === axial || states[0]!.has(s))) return;
  const own = values.splice(PLACES + 1);
  const rows = states.flatMap((known) =>
    evaluate(values, known).map((s) => evaluate(own, new Map([...known, [axial, s]]))),
  );
  const isCrossed = own.some((_, i) => rows.some((row) => row[i]! < 0) && rows.some((row) => row[i]! > 0));
  if (!isCrossed) return;
  warn(
    where,
    'moving-kink',
    'this field has a kink or a jump whose place along the rod moves: sums over points of the rod change by jerks as it passes them, and shake the rod. ' +
      'Write a smooth step, several points wide, or `breaks` of the rod closer together than the field is wide, and see whether more points change the motion',
  );
}
