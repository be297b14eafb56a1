/** Where frames sit on links: on the distal frame, on the proximal one of a rigid body, at three lengths from there, or within a body. */
import { identityFrame, multiplyVector, negateVector, transpose, type Frame } from '../../symbolic/graph/vector.ts';
import type { RawFrame, RawPoint } from '../language/schema.ts';
import type { Link } from '../model/robot.ts';
import type { Place } from '../source/source.ts';
import { dues, readVector, type Scope } from '../values/scope.ts';

/** Does `at` name a point of a deformable body, not three lengths? */
export const isPointOfBody = (at: RawFrame['at']): at is RawPoint => typeof at === 'object' && !Array.isArray(at);

/**
 * The frame at three lengths in the axes of another, with the same axes.
 * @throws KanegenError what reading values throws.
 */
export const originOf = (place: Place, at: Exclude<RawFrame['at'], RawPoint>, scope: Scope): Frame =>
  at === undefined ? identityFrame : { ...identityFrame, translation: readVector(place, at, dues.position, scope) };

/**
 * The proximal frame of the body of a link, in axes of the distal one.
 * @param body - undefined where the name means none.
 * @throws KanegenError `wrong-value` when the body is not rigid.
 */
export function proximalFrame(place: Place, name: string, body: Link['body'] | undefined): Frame {
  if (body?.kind !== 'rigid')
    throw place
      .at('frame')
      .error('wrong-value', `\`${name}\` has no rigid body with a proximal frame`, 'remove `frame`');
  const { rotation, translation } = body.distal;
  const turned = transpose(rotation);
  return { rotation: turned, translation: negateVector(multiplyVector(turned, translation)) };
}
