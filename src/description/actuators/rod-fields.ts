/**
 * Entries of `forces:` with `through`: forces and moments from outside that are spread along rods,
 * `{ through: arm, force: ["0.3*sin(2*t)", 0, 0] }`, `{ through: arm, moment: "cross(m*tangent, [Bx, 0, Bz])" }`.
 */
import { KanegenError } from '../../common/error.ts';
import { randomNumbers } from '../../common/random.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { column, multiplyVector, vector3, zeroVector, type Vector3 } from '../../symbolic/graph/vector.ts';
import { isVector, type FormulaValue } from '../../symbolic/formulas/formula.ts';
import type { Formula } from '../../symbolic/formulas/parse.ts';
import { centrelineProblem } from '../robot/water.ts';
import { TIME, TIME_OF_BODY } from '../bodies/quantity.ts';
import { MOST_POINTS } from '../bodies/integration-choice.ts';
import type { RawForce } from '../language/actuators.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { DeformableBody } from '../model/robot.ts';
import { sectionsStayRigid } from '../model/section-frame.ts';
import { FIELD_AXES, FIELD_SECTION, FIELD_SYMBOLS, type RodField } from '../model/surroundings.ts';
import type { Place } from '../source/source.ts';
import type { FurtherDimensions, MaybeDimension } from '../values/dimensions.ts';
import { dues, readVector, type Due } from '../values/scope.ts';
import { dimensionless, parseUnit } from '../values/units.ts';
import { linksNamed, type ActuatorContext } from './actuator-context.ts';
import { INSTANTS, requireFiniteAlongRod, scopeAlongRod, warnOfMovingKinks } from './field.ts';

const DUES = {
  force: { what: 'a force per length', dimension: [1, 0, -2, 0, 0], unit: 'N/m' },
  moment: { what: 'a moment per length', dimension: [1, 1, -2, 0, 0], unit: 'N m/m' },
} as const satisfies Record<string, Due>;

/** Of one entry, with the index of the link. */
export interface PlacedField {
  readonly link: number;
  readonly field: RodField;
}

/** @throws KanegenError `unknown-link`, `no-strain`, `wrong-value`, `missing-key`, `not-finite`, or what reading formulas throws. */
export function readRodFields(place: Place, name: string, raw: RawForce, context: ActuatorContext): PlacedField[] {
  const { through, points } = raw;
  const names = typeof through === 'string' ? [through] : through!;
  if (raw.force === undefined && raw.moment === undefined)
    throw place.keyError(
      'missing-key',
      'this field has neither a force nor a moment',
      'write `force: [x, y, z]` in N/m, or `moment: [x, y, z]` in N m/m',
    );
  if (points !== undefined && !(points >= 1 && points <= MOST_POINTS))
    throw place
      .at('points')
      .error('wrong-value', `a rod cannot have ${points} points`, `write a whole number from 1 to ${MOST_POINTS}`);
  const found = names.flatMap((own, i) => {
    const at = typeof through === 'string' ? place.at('through') : place.at('through', i);
    return linksNamed(at, own, context).map((link) => ({ link, field: fieldOn(place, at, link, name, raw, context) }));
  });
  const twice = found.find(({ link }, i) => found.findIndex((other) => other.link === link) < i);
  if (twice)
    throw place
      .at('through')
      .error('wrong-value', `\`${context.links[twice.link]!.name}\` is named twice`, 'name each link once');
  return found;
}

function fieldOn(
  place: Place,
  through: Place,
  link: number,
  name: string,
  raw: RawForce,
  context: ActuatorContext,
): RodField {
  const body = rodOf(through, link, context);
  const [rod] = body.type.volumes as readonly [RodVolume];
  const scope = scopeAlongRod(body.type, rod, context, new SectionFunctions());
  for (const { name: own, symbol, unit } of body.type.coordinates) scope.imply(own, symbol, parseUnit(unit).dimension);
  if (!scope.find('place')) scope.define('place', FIELD_SECTION.translation, dues.length.dimension);
  if (!scope.find('tangent')) scope.define('tangent', column(FIELD_SECTION.rotation, 2), dimensionless);
  const states = someStates(link, body, context);
  const read = (key: 'force' | 'moment'): Vector3 => {
    const value = raw[key];
    if (value === undefined) return zeroVector;
    const at = place.at(key);
    const own = readVector(at, value, DUES[key], scope);
    const vector = Array.isArray(value) ? multiplyVector(FIELD_AXES, own) : own;
    requireFiniteAlongRod(at, vector, rod, body, states[0]!);
    warnOfMovingKinks(at, vector, rod, body, states, context);
    return vector;
  };
  const [force, moment] = [read('force'), read('moment')];
  const isTimed =
    scope.find(TIME)?.value === TIME_OF_BODY &&
    [...force, ...moment].some((e) => dependsOn(e, new Set([TIME_OF_BODY]))) &&
    ![...body.type.parameters, ...body.type.coordinates].some((own) => own.name === TIME);
  return {
    ...{ name, summary: raw.summary ?? '', force, moment, axes: raw.axes ?? 'world' },
    ...(isTimed && { time: TIME_OF_BODY }),
    ...(raw.points !== undefined && { points: raw.points }),
    location: place.location,
  };
}

/** The body of a link as a rod whose sections stay rigid. */
function rodOf(through: Place, link: number, { links, defaults }: ActuatorContext): DeformableBody {
  const { name, body } = links[link]!;
  if (body.kind === 'rigid')
    throw through.error(
      'no-strain',
      `\`${name}\` is rigid: fields act along deformable rods`,
      'name a link whose body is a rod; give a rigid one a `wrench` under `actuators`, or a load of a scenario',
    );
  const problem = centrelineProblem(body.type, true);
  if (problem || !sectionsStayRigid(body.type, defaults))
    throw through.error(
      'no-strain',
      `fields act along rods whose sections stay rigid: \`${name}\` ${problem?.what ?? 'has sections that deform'}`,
      'name a link whose body is a rod with rigid sections',
    );
  const { kinematics, volumes } = body.type;
  const isPolar = volumes.some((volume) => volume.kind === 'rod' && volume.coordinates !== 'cartesian');
  if (kinematics.kind === 'position' && isPolar)
    throw through.error(
      'not-supported',
      `\`${name}\` has polar coordinates in its sections, whose axes the positions do not show`,
      'write the section of its volume as `{ disc: R, cartesian: [x, y] }`',
    );
  return body;
}

/** `rotate(section, [x, y, z])`, and what components mean that are written one by one. */
class SectionFunctions implements FurtherDimensions {
  readonly names = ['rotate'];

  vector(entries: readonly Expr[]): readonly Expr[] {
    return entries.length === 3 ? multiplyVector(FIELD_AXES, vector3(entries)) : entries;
  }

  value(formula: Formula & { readonly kind: 'call' }, valueOf: (operand: Formula) => FormulaValue) {
    if (formula.name !== 'rotate') return undefined;
    const [frame, vector] = formula.operands;
    const isSection = frame?.kind === 'name' && frame.name === 'section';
    if (formula.operands.length !== 2 || !isSection || vector?.kind !== 'vector' || vector.entries.length !== 3)
      throw new KanegenError('wrong-shape', 'rotate takes the section and three components in its axes', {
        offset: formula.at,
        remedy: 'write rotate(section, [x, y, z])',
      });
    const entries = vector.entries.map((entry) => {
      const value = valueOf(entry);
      if (!isVector(value)) return value;
      throw new KanegenError('wrong-shape', 'expected a number, not a vector', {
        offset: entry.at,
        remedy: 'name the component you mean',
      });
    });
    return multiplyVector(FIELD_SECTION.rotation, vector3(entries));
  }

  dimension(
    { name, operands }: Formula & { readonly kind: 'call' },
    dimensionOf: (operand: Formula) => MaybeDimension,
  ): { readonly is: MaybeDimension } | undefined {
    return name === 'rotate' ? { is: dimensionOf(operands[1]!) } : undefined;
  }
}

/** At the start, then later and elsewhere within the limits of the coordinates, each for some pose of the section. */
function someStates(
  link: number,
  { type }: DeformableBody,
  { defaults, coordinates }: ActuatorContext,
): readonly ReadonlyMap<Expr, number>[] {
  const own = coordinates.filter((coordinate) => coordinate.link === link && coordinate.part === 'body');
  const random = randomNumbers(7);
  return INSTANTS.map(
    (t, k) =>
      new Map<Expr, number>([
        ...defaults,
        ...type.coordinates.map(({ symbol }, i): [Expr, number] => {
          const { value, lower, upper } = own[i]!;
          return [symbol, k === 0 ? value : between(lower ?? value - 1, upper ?? value + 1, random())];
        }),
        ...FIELD_SYMBOLS.map((s) => [s, 0.2 + random()] as const),
        [TIME_OF_BODY, t],
      ]),
  );
}

const between = (low: number, high: number, share: number): number => low + share * (high - low);
