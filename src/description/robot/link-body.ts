/** The body of a link: rigid, or a body type with the parameters that the link gives it. */
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import { nearest } from '../../common/nearest.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { identityFrame } from '../../symbolic/graph/vector.ts';
import type { ResolvedBodyType } from '../bodies/body-type.ts';
import { warnOf } from '../bodies/caution.ts';
import { checkBounds } from '../bodies/quantity.ts';
import { checkReferenceShape } from '../volumes/reference-shape.ts';
import { readRigidBody, type LinkContext } from '../bodies/rigid-body.ts';
import { checkVolumes } from '../volumes/volume-check.ts';
import type { RawLink } from '../language/schema.ts';
import type { DeformableBody, Quantity, RigidBody } from '../model/robot.ts';
import { within, type Place } from '../source/source.ts';
import { checkRequirements, numberUnder } from '../values/requirement.ts';
import { knownNumber, readScalar, type Due } from '../values/scope.ts';
import type { ParameterOfLink } from './robot-parameters.ts';

/** Where body types come from, and the values that parameters of a body have in place of those of the file. */
export interface BodyChoices {
  bodyType(at: Place, name: string): ResolvedBodyType | undefined;
  chosen(parameter: Quantity, due: Due, written: ParameterOfLink): Expr | undefined;
}

/** Stands for a body of a type with mistakes, which have been reported: anything does for the rest of this pass. */
export const UNREAD: RigidBody = {
  kind: 'rigid',
  mass: zero,
  centreOfMass: [zero, zero, zero],
  inertia: [zero, zero, zero, zero, zero, zero],
  distal: identityFrame,
};

/** The body of a link, rigid or of a type; mistakes are thrown. */
export function readLinkBody(
  at: Place,
  raw: RawLink,
  context: LinkContext,
  { bodyType, chosen }: BodyChoices,
): RigidBody | DeformableBody {
  if (raw.body !== undefined && raw.rigid !== undefined)
    throw at
      .at('rigid')
      .keyError('several-bodies', 'a link has one body, not `body` and `rigid`', 'make it two links, or use `attach`');
  if (raw.rigid !== undefined) {
    if (raw.parameters !== undefined)
      throw at
        .at('parameters')
        .keyError('unknown-key', 'a rigid body has no parameters', 'write the values into `rigid`');
    return readRigidBody(at.at('rigid'), raw.rigid, context);
  }
  if (raw.body === undefined)
    throw at.error(
      'missing-key',
      'this link has no body',
      'give `body: TYPE` or `rigid: { mass: … }`; `rigid: {}` is a joint alone',
    );
  const resolved = bodyType(at.at('body'), raw.body);
  if (!resolved) return UNREAD;
  return deformable(at, raw, resolved, { ...context, chosen });
}

function deformable(
  at: Place,
  raw: RawLink,
  { type, defaults, requirements, cautions }: ResolvedBodyType,
  context: LinkContext & Pick<BodyChoices, 'chosen'>,
): DeformableBody {
  const given = raw.parameters ?? {};
  for (const name of Object.keys(given)) {
    if (defaults.some((own) => own.name === name)) continue;
    const known = defaults.map((own) => own.name);
    const close = nearest(name, known);
    throw at
      .at('parameters', name)
      .keyError(
        'unknown-parameter',
        `the body type \`${raw.body!}\` has no parameter \`${name}\``,
        close ? `did you mean \`${close}\`?` : `its parameters: ${known.join(', ')}`,
      );
  }
  const values = new Map<Expr, Expr>();
  for (const [i, { name, due, value }] of defaults.entries()) {
    const { symbol: own, lower, upper } = type.parameters[i]!;
    const place = at.at('parameters', name);
    const written = Object.hasOwn(given, name)
      ? readScalar(place, given[name]!, due, context.scope).value
      : value && within(place, () => substitute([value], values)[0]!);
    const e = context.chosen(type.parameters[i]!, due, { value: written, place });
    if (!e)
      throw at.error(
        'missing-parameter',
        `the body type \`${raw.body!}\` needs the parameter \`${name}\``,
        `write \`parameters: { ${name}: … }\``,
      );
    checkBounds(place, knownNumber(e, context.defaults), {
      ...(lower === undefined ? {} : { lower }),
      ...(upper === undefined ? {} : { upper }),
    });
    values.set(own, e);
  }
  const numbers = new Map<Expr, number>();
  for (const [own, e] of values) {
    const number = knownNumber(e, context.defaults);
    if (number !== undefined) numbers.set(own, number);
  }
  checkVolumes(at.at(raw.parameters ? 'parameters' : 'body'), type, numbers);
  checkRequirements(requirements, numbers);
  checkReferenceShape(type, numbers);
  warnOf(cautions, type, numbers, context.warn);
  return { kind: 'deformable', type, parameters: type.parameters.map((quantity) => values.get(quantity.symbol)!) };
}

/** The coordinates of a body with the limits that its parameters give them. */
export function limitedCoordinates(
  { type, parameters }: DeformableBody,
  defaults: ReadonlyMap<Expr, number>,
): Quantity[] {
  const values = new Map<Expr, number>();
  type.parameters.forEach(({ symbol: own }, i) => {
    const number = knownNumber(parameters[i]!, defaults);
    if (number !== undefined) values.set(own, number);
  });
  return type.coordinates.map(({ limits, ...quantity }) => {
    const [lower, upper] = (limits ?? []).map((limit) => numberUnder(limit, values));
    return { ...quantity, ...(lower === undefined || upper === undefined ? {} : { lower, upper }) };
  });
}
