/**
 * Points that actuators hold on to, `{ on: NAME, at: … }`: of the base, of the frame of a link or a named one, or material
 * points of a deformable body.
 */
import { zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import {
  composeFrames,
  identityFrame,
  multiplyVector,
  negateVector,
  transpose,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { RawAnchor } from '../language/actuators.ts';
import type { Anchor } from '../model/reaching.ts';
import type { BodyType, Link } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { dues, readScalar, readVector, Scope } from '../values/scope.ts';
import { parseUnit } from '../values/units.ts';
import type { ActuatorContext } from './context.ts';

/** @throws KanegenError `unknown-frame`, `wrong-value`, `unknown-key`, or what reading values throws. */
export function readAnchor(place: Place, raw: RawAnchor, context: ActuatorContext): Anchor {
  const { at } = raw;
  if (at !== undefined && typeof at === 'object' && !Array.isArray(at)) return materialPoint(place, raw, at, context);
  const offset =
    at === undefined ? identityFrame : pointOf(readVector(place.at('at'), at, dues.position, context.scope));
  const on = ridingFrame(place, raw, context);
  return { kind: 'frame', link: on.link, offset: composeFrames(on.offset, offset) };
}

const pointOf = (translation: Vector3): Frame => ({ ...identityFrame, translation });

function ridingFrame(place: Place, raw: RawAnchor, context: ActuatorContext): { link: number; offset: Frame } {
  const isBase = raw.on === 'base' && !context.named.has('base');
  if (raw.frame === undefined) {
    if (isBase) return { link: -1, offset: identityFrame };
    return context.frameNamed(place.at('on'), raw.on);
  }
  const link = isBase ? undefined : linkNamed(place, raw.on, context);
  if (!link || link.own.body.kind !== 'rigid')
    throw place
      .at('frame')
      .error('wrong-value', `\`${raw.on}\` has no rigid body whose proximal frame this could be`, 'remove `frame`');
  const { rotation, translation } = link.own.body.distal;
  return { link: link.index, offset: inverse({ rotation, translation }) };
}

function inverse({ rotation, translation }: Frame): Frame {
  const turned = transpose(rotation);
  return { rotation: turned, translation: negateVector(multiplyVector(turned, translation)) };
}

function linkNamed(place: Place, name: string, context: ActuatorContext): { index: number; own: Link } | undefined {
  const indices = context.named.get(name);
  if (indices === undefined && name !== 'base') context.frameNamed(place.at('on'), name);
  return indices?.length === 1 ? { index: indices[0]!, own: context.links[indices[0]!]! } : undefined;
}

function materialPoint(
  place: Place,
  raw: RawAnchor,
  at: Readonly<Record<string, number | string>>,
  context: ActuatorContext,
): Anchor {
  const link = linkNamed(place, raw.on, context);
  if (link?.own.body.kind !== 'deformable')
    throw place
      .at('at')
      .error(
        'wrong-value',
        `\`${raw.on}\` is no deformable body with material points`,
        'write three lengths, `at: [x, y, z]`, in the axes of its frame',
      );
  const { type } = link.own.body;
  const scope = parameterScope(type, context.scope);
  const known = new Map(
    type.volumes.flatMap((volume) =>
      (volume.kind === 'rod' ? [...volume.section, volume.axial] : volume.axes).map((axis): [string, SymbolExpr] => [
        axis.name.replace(/^.*\./, ''),
        axis,
      ]),
    ),
  );
  const values = new Map<SymbolExpr, Expr>([...known.values()].map((axis) => [axis, zero]));
  for (const [name, value] of Object.entries(at)) {
    const axis = known.get(name);
    if (!axis)
      throw place
        .at('at', name)
        .keyError(
          'unknown-key',
          `\`${name}\` is no material coordinate of ${type.name}`,
          `write { ${[...known.keys()].map((own) => `${own}: …`).join(', ')} }`,
        );
    values.set(axis, readScalar(place.at('at', name), value, { what: `\`${name}\`` }, scope).value);
  }
  return { kind: 'material', link: link.index, at: values, location: place.at('at').location };
}

/** Parameters of a body type over those of the robot. */
function parameterScope(type: BodyType, outer: Scope): Scope {
  const scope = new Scope(outer);
  for (const { name, symbol: own, unit } of type.parameters)
    scope.define(name, own, unit === 'SI' ? undefined : parseUnit(unit).dimension);
  return scope;
}
