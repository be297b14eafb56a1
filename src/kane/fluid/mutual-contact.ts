/** A contact of two bodies that both move, as wrenches on the frames that carry the shapes; world axes. */
import { shapeIn, type MutualContact } from '../../description/model/contact.ts';
import { heldFrame, heldTwist } from '../../description/model/frame-terms.ts';
import { zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  identityFrame,
  negateVector,
  subtractVectors,
  vector3,
  zeroVector,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { FrameTerm } from '../equations/frame-terms.ts';
import { contactForce, pairIn, reported, type Meeting } from './contact-terms.ts';
import { nearestPoints } from './nearest-points.ts';

export function mutualContact({
  shapes,
  law,
  bristles,
  isSection,
}: Pick<MutualContact, 'shapes' | 'law' | 'bristles' | 'isSection'>): FrameTerm {
  const frames = [heldFrame(0), heldFrame(1)] as const;
  const [a, b] = shapes.map((shape, k) => shapeIn(frames[k]!, shape)) as [
    MutualContact['shapes'][0],
    MutualContact['shapes'][0],
  ];
  const velocity = (k: 0 | 1, point: Vector3): Vector3 => {
    const twist = heldTwist(k);
    const arm = subtractVectors(point, frames[k].translation);
    return addVectors(vector3(twist.slice(3)), cross(vector3(twist.slice(0, 3)), arm));
  };
  const meets = (point: Vector3): Vector3 => (isSection ? frames[0].translation : point);
  const pairs = nearestPoints(a, b).map((nearest, k): Meeting => {
    const point = meets(nearest.point);
    const sliding = subtractVectors(velocity(0, point), velocity(1, point));
    const bristle = bristles?.[k];
    const held = bristle && { bristle, frames, shapes: [a, b] as const };
    return { law, nearest, velocity: sliding, ...(held && { held }) };
  });
  const forces = pairs.map((pair) => ({ point: meets(pair.nearest.point), force: contactForce(pair).force }));
  const wrench = (k: 0 | 1): readonly Expr[] => {
    const own = forces.map(({ point, force }) => ({ point, force: k === 0 ? force : negateVector(force) }));
    const moments = own.map(({ point, force }) => cross(subtractVectors(point, frames[k].translation), force));
    return [...addVectors(zeroVector, ...moments), ...addVectors(zeroVector, ...own.map(({ force }) => force))];
  };
  const reports = pairs.flatMap((pair) => pairIn(identityFrame, reported(pair)));
  return {
    ...{ count: 2, value: zero, axes: 'world', isMoving: true },
    wrenches: [wrench(0), wrench(1)],
    pairs: reports,
  };
}
