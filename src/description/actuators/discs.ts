/**
 * `discs:` of a tendon: what holds it beside the body. With `true`, or a radius, a route may leave the section; with `at`, the tendon
 * is straight between the places where it is held.
 */
import { isIdenticallyZero } from '../../symbolic/evaluation/identically-zero.ts';
import { differentiateAll } from '../../symbolic/graph/differentiate.ts';
import { minus, one, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { dependsOn } from '../../symbolic/graph/traverse.ts';
import { dot, type Vector3, vector3 } from '../../symbolic/graph/vector.ts';
import type { RawDiscs } from '../language/actuators.ts';
import type { BodyType } from '../model/robot.ts';
import type { RodVolume } from '../model/reference-volume.ts';
import type { Place } from '../source/source.ts';
import { dues, readScalar, type Scope } from '../values/scope.ts';

export interface Discs {
  /** Over the axial coordinate and parameters; any where there is none. */
  readonly radius?: Expr;
  /** Values of the axial coordinate, in each body. */
  readonly at?: readonly Expr[];
}

/**
 * @param parameters of the body and the robot.
 * @param section the same, with the axial coordinate.
 * @throws KanegenError `not-supported` on bodies without sections that stay rigid, or what reading values throws.
 */
export function readDiscs(place: Place, raw: RawDiscs, type: BodyType, parameters: Scope, section: Scope): Discs {
  if (!hasRigidSections(type))
    throw place.error(
      'not-supported',
      `discs need a rod with rigid sections, which ${type.name} is not`,
      'write a route within the body, or points in a `path`',
    );
  if (raw === true) return {};
  const radiusOf = (at: Place, value: number | string): Expr =>
    readScalar(at, value, { ...dues.length, what: 'the radius of the discs' }, section).value;
  if (typeof raw !== 'object') return { radius: radiusOf(place, raw) };
  const { radius, at } = raw;
  if (radius === undefined && at === undefined)
    throw place.error(
      'missing-key',
      'these discs have no size and no place',
      'write `discs: true`, a `radius`, or places `at`',
    );
  return {
    ...(radius !== undefined && { radius: radiusOf(place.at('radius'), radius) }),
    ...(at && {
      at: at.map(
        (value, i) =>
          readScalar(place.at('at', i), value, { ...dues.length, what: 'the place of a disc' }, parameters).value,
      ),
    }),
  };
}

/** Do points of a section keep their distances, whatever the configuration? */
function hasRigidSections({ kinematics, volumes }: BodyType): boolean {
  const rods = volumes.filter((volume): volume is RodVolume => volume.kind === 'rod');
  const [rod] = rods;
  if (!rod || rods.length < volumes.length) return false;
  if (kinematics.kind !== 'position') return kinematics.kind !== 'network' && !('sectionPosition' in kinematics);
  if (rod.coordinates === 'polar') return false;
  const { position } = kinematics;
  const section = new Set<Expr>(rod.section);
  const [u, v] = rod.section.map((s) => vector3(differentiateAll(position, s))) as [Vector3, Vector3];
  const is = (e: Expr, due: Expr): boolean => isIdenticallyZero(minus(e, due));
  return (
    [...u, ...v].every((e) => !dependsOn(e, section)) && is(dot(u, u), one) && is(dot(v, v), one) && is(dot(u, v), zero)
  );
}
