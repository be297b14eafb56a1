/** A contact of two bodies that both move, as wrenches on the frames that carry the shapes; world axes. */
import {
  bristleNumbers,
  BRISTLE_PARTS,
  bristleParts,
  shapeIn,
  type Bristle,
  type MutualContact,
} from '../../description/model/contact.ts';
import { heldFrame, heldTwist } from '../../description/model/frame-terms.ts';
import { symbols, zero, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
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
import { heldSection } from './bristle.ts';
import { contactForce, pairIn, reported, type Meeting } from './contact-terms.ts';
import { nearestPoints } from './nearest-points.ts';

/** Stand for the parameters of the bristles of any contact, so that equal pairs share their formulas. */
const HELD: readonly SymbolExpr[] = symbols('held.bristle', 2 * BRISTLE_PARTS.length);

/** Of a contact, in the order of `bristleParameters`. */
export const bristleSymbols = ({ bristles = [] }: Pick<MutualContact, 'bristles'>): readonly SymbolExpr[] =>
  bristles.flatMap(bristleNumbers) as SymbolExpr[];

export function mutualContact({
  shapes,
  law,
  bristles = [],
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
    const meeting = { law, nearest, velocity: sliding };
    if (!bristles[k]) return meeting;
    const bristle = standIn(k, isSection === true);
    return {
      ...meeting,
      held: isSection
        ? heldSection(bristle, frames, [a, b])
        : { bristle, frames, shapes: [a, b], point: nearest.point },
    };
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
    ...(bristles.length > 0 && { held: HELD.slice(0, bristles.length * bristleParts(isSection === true).length) }),
  };
}

/** The k-th bristle of a contact over `HELD`. */
function standIn(k: number, isSection: boolean): Bristle {
  const count = bristleParts(isSection).length;
  const [isHeld, ...places] = HELD.slice(k * count, (k + 1) * count) as [SymbolExpr, ...SymbolExpr[]];
  return { isHeld, ...(!isSection && { own: vector3(places.slice(0, 3)) }), other: vector3(places.slice(-3)) };
}
