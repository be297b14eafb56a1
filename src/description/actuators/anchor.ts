/**
 * Points that actuators hold on to, `{ on: NAME, at: … }`: of the base, of the frame of a link or a named one, or material
 * points of a deformable body.
 */
import { composeFrames, identityFrame } from '../../symbolic/graph/vector.ts';
import { readPose } from '../bodies/pose.ts';
import type { RawAnchor, RawPlaced } from '../language/actuators.ts';
import type { Anchor } from '../model/frame-terms.ts';
import type { Link, NamedFrame } from '../model/robot.ts';
import { isPointOfBody, originOf, proximalFrame } from '../robot/places-on-links.ts';
import { readPointOfBody } from '../robot/points-of-bodies.ts';
import type { Place } from '../source/source.ts';
import type { ActuatorContext } from './actuator-context.ts';

/** @throws KanegenError `unknown-frame`, `wrong-value`, `unknown-key`, or what reading values throws. */
export function readAnchor(place: Place, raw: RawAnchor, context: ActuatorContext): Anchor {
  const { at } = raw;
  if (isPointOfBody(at)) return materialPoint(place, raw, at, context);
  const offset = originOf(place.at('at'), at, context.scope);
  const on = ridingFrame(place, raw, context);
  const { link } = on;
  const placed = composeFrames(on.offset, offset);
  return on.within ? { kind: 'material', link, ...on.within, offset: placed } : { kind: 'frame', link, offset: placed };
}

/** A frame with axes of its own. @throws KanegenError as `readAnchor` does. */
export function readPlaced(place: Place, raw: RawPlaced, context: ActuatorContext): Anchor {
  const { offset, ...anchor } = raw;
  const own = readAnchor(place, anchor, context);
  if (offset === undefined) return own;
  const further = readPose(place.at('offset'), offset, context.scope);
  if (own.kind === 'frame') return { ...own, offset: composeFrames(own.offset, further) };
  return { ...own, offset: own.offset ? composeFrames(own.offset, further) : further };
}

function ridingFrame(place: Place, raw: RawAnchor, context: ActuatorContext): Omit<NamedFrame, 'name'> {
  const isBase = raw.on === 'base';
  if (raw.frame === undefined) {
    if (isBase) return { link: -1, offset: identityFrame };
    return context.frameNamed(place.at('on'), raw.on);
  }
  const link = isBase ? undefined : linkNamed(place, raw.on, context);
  return { link: link?.index ?? -1, offset: proximalFrame(place, raw.on, link?.own.body) };
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
        `\`${raw.on}\` is not a deformable body with material points`,
        'write three lengths, `at: [x, y, z]`, in the axes of its frame',
      );
  const point = readPointOfBody(place.at('at'), link.own.body, at, context);
  return { kind: 'material', link: link.index, at: point, location: place.at('at').location };
}
