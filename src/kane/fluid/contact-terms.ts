/**
 * Contacts (`description/model/contact.ts`) as terms of the left-hand side: what a body takes of the obstacles that it presses against,
 * of rigid ones at the nearest points of their surfaces, of rods on the centreline.
 */
import type { Contact, ContactLaw, Shape } from '../../description/model/contact.ts';
import { BRISTLE_PARTS, shapeFrom } from '../../description/model/contact.ts';
import {
  compare,
  divide,
  fraction,
  negate,
  one,
  plus,
  power,
  select,
  sqrt,
  square,
  times,
  zero,
  type Expr,
} from '../../symbolic/graph/expr.ts';
import {
  addVectors,
  cross,
  dot,
  identityFrame,
  inverseFrame,
  multiplyVector,
  negateVector,
  scaleVector,
  subtractVectors,
  transformPoint,
  zeroVector,
  type Frame,
  type Vector3,
} from '../../symbolic/graph/vector.ts';
import type { MotionInWater, WaterOnBody, WaterTerms } from '../body/water-on-rod.ts';
import type { BodyWrench } from '../equations/recursion.ts';
import { nearestPoints, type Nearest } from './nearest-points.ts';
import { bristleForce, type HeldPair } from './bristle.ts';

/** Of a rigid body. */
export function contactsOnRigid(contacts: readonly Contact[]): WaterOnBody {
  const wrench = (motion: MotionInWater): BodyWrench => rigidWrench(contacts, motion);
  return {
    terms: (motion, _, together): WaterTerms => ({
      forces: wrench(motion),
      ...(together && { together: wrench(together) }),
      pairs: rigidPairs(contacts, motion),
      method: `${contactNames(contacts)}: nearest points`,
      loops: [],
    }),
  };
}

/** For reports. */
export function contactNames(contacts: readonly Contact[]): string {
  return [...new Set(contacts.map(({ name }) => `contact ${name}`))].join(', ');
}

/** Points of a rigid body that meet obstacles, and their velocities; proximal axes. */
function meetings(contacts: readonly Contact[], { drift, placement }: MotionInWater): readonly Meeting[] {
  return contacts.flatMap(({ touching, obstacle, law, bristles }) => {
    const seen = shapeFrom(placement!, obstacle);
    const frames = [identityFrame, inverseFrame(placement!)] as const;
    const shapes = touching.kind === 'shapes' ? touching.shapes : [];
    return shapes
      .flatMap((shape) => nearestPoints(shape, seen).map((nearest) => ({ nearest, met: [shape, seen] as const })))
      .map(({ nearest, met }, k) => {
        const bristle = bristles?.[k];
        return {
          law,
          nearest,
          velocity: addVectors(drift.velocity, cross(drift.angularVelocity, nearest.point)),
          ...(bristle && { held: { bristle, frames, shapes: met, point: nearest.point } }),
        };
      });
  });
}

export interface Meeting {
  readonly law: ContactLaw;
  readonly nearest: Nearest;
  readonly velocity: Vector3;
  readonly held?: HeldPair;
}

function rigidPairs(contacts: readonly Contact[], motion: MotionInWater): readonly Expr[] {
  return meetings(contacts, motion).flatMap((meeting) => pairIn(motion.placement!, reported(meeting)));
}

/** What is reported of a pair, in the axes of its points. */
interface Pair {
  readonly gap: Expr;
  readonly normal: Vector3;
  readonly point: Vector3;
  readonly force: Vector3;
  /** Stored by the spring, J. */
  readonly energy: Expr;
  /** What the pair takes of the motion, and what of that damper and friction do, W. */
  readonly power: Expr;
  readonly loss: Expr;
  /** `BRISTLE_PARTS` after a step that ends here. */
  readonly bristle: readonly Expr[];
}

export function reported(meeting: Meeting): Pair {
  const { nearest, velocity } = meeting;
  const { force, spring, overlap, fading, bristle } = contactForce(meeting);
  const power = negate(dot(force, velocity));
  return {
    ...nearest,
    bristle,
    force,
    energy: times(fraction(1, 2), spring, overlap),
    power,
    loss: plus(power, times(spring, dot(nearest.normal, velocity)), dot(fading, velocity)),
  };
}

/** Its numbers in the order of `PAIR_PARTS`, with vectors seen from where the frame is seen from. */
export function pairIn(frame: Frame, pair: Pair): readonly Expr[] {
  const { gap, normal, point, force, energy, power, loss, bristle } = pair;
  const turned = (v: Vector3): Vector3 => multiplyVector(frame.rotation, v);
  return [gap, ...turned(normal), ...transformPoint(frame, point), ...turned(force), energy, power, loss, ...bristle];
}

/** About the proximal origin, proximal axes. */
function rigidWrench(contacts: readonly Contact[], motion: MotionInWater): BodyWrench {
  const wrenches = meetings(contacts, motion).map((meeting) => {
    const force = negateVector(contactForce(meeting).force);
    return { force, moment: cross(meeting.nearest.point, force) };
  });
  return {
    force: addVectors(zeroVector, ...wrenches.map(({ force }) => force)),
    moment: addVectors(zeroVector, ...wrenches.map(({ moment }) => moment)),
    generalized: [],
  };
}

/** A section of a rod, proximal axes. */
export interface MovingSection {
  /** Of its middle. */
  readonly position: Vector3;
  readonly velocity: Vector3;
  /** Of a round one. */
  readonly radius: Expr | undefined;
  /** Length that it stands for. */
  readonly weight: Expr;
}

/** On a section of a rod, per length; proximal axes. */
export function forceOnSection(contacts: readonly Contact[], section: MovingSection, placement: Frame): Vector3 {
  const forces = meetingsOfSection(contacts, section, placement).map(({ share, ...meeting }) =>
    scaleVector(share, contactForce(meeting).force),
  );
  return addVectors(zeroVector, ...forces);
}

/** With each obstacle, and what of its law holds for the length of the section. */
function meetingsOfSection(
  contacts: readonly Contact[],
  { position, velocity, radius, weight }: MovingSection,
  placement: Frame,
): readonly (Meeting & { readonly share: Expr })[] {
  return contacts.flatMap(({ touching, obstacle, law }) => {
    if (touching.kind !== 'rod') return [];
    const section: Shape = { kind: 'sphere', place: position, radius: (touching.radius ?? radius)! };
    const share = touching.perPoint ? power(weight, -1) : one;
    return nearestPoints(section, shapeFrom(placement, obstacle)).map((nearest) => ({ law, nearest, velocity, share }));
  });
}

/** What is reported of a rod and an obstacle: the section that is nearest, and sums along the rod. */
export interface SectionPair {
  readonly gap: Expr;
  readonly normal: Vector3;
  readonly point: Vector3;
  /** Per length: force, energy, power, loss. */
  readonly density: readonly Expr[];
}

export function sectionPairs(
  contacts: readonly Contact[],
  section: MovingSection,
  placement: Frame,
): readonly SectionPair[] {
  return meetingsOfSection(contacts, section, placement).map(({ share, ...meeting }) => {
    const { gap, normal, point, force, energy, power: taken, loss } = reported(meeting);
    return { gap, normal, point, density: [...force, energy, taken, loss].map((e) => times(share, e)) };
  });
}

/** On the first body, where `velocity` is that of its surface against the obstacle; the part of the spring along the normal. */
export function contactForce({ law, nearest, velocity, held }: Meeting): {
  readonly force: Vector3;
  readonly spring: Expr;
  readonly overlap: Expr;
  /** The part along a piece of a rod where its share fades. */
  readonly fading: Vector3;
  readonly bristle: readonly Expr[];
} {
  const { kind, stiffness, damping, friction } = law;
  const { gap, normal } = nearest;
  const overlap = negate(gap);
  const approach = negate(dot(normal, velocity));
  const spring = times(stiffness, overlap);
  const pushed =
    kind === 'spring-damper'
      ? plus(spring, times(damping, positive(approach)))
      : times(spring, positive(plus(one, times(damping, approach))));
  const share = nearest.share?.size ?? one;
  const whole = (e: Expr): Expr => select(compare('<', zero, overlap), e, zero);
  const touch = (e: Expr): Expr => whole(times(share, e));
  const size = touch(pushed);
  const fading = fadingForce(nearest, times(fraction(1, 2), spring, overlap), overlap);
  const push = addVectors(scaleVector(size, normal), fading);
  const stored = { spring: touch(spring), overlap, fading, bristle: BRISTLE_PARTS.map(() => zero) };
  if (!friction) return { force: push, ...stored };
  const across = addVectors(velocity, scaleVector(approach, normal));
  if (friction.kind === 'bristle') {
    const most = times(friction.coefficient, whole(pushed));
    const { force, next } = bristleForce(friction, held!, nearest, across, most);
    return { force: addVectors(push, scaleVector(share, force)), ...stored, bristle: next };
  }
  const speed = sqrt(plus(dot(across, across), square(friction.speed)));
  const rubbing = scaleVector(divide(times(friction.coefficient, size), speed), across);
  return { force: subtractVectors(push, rubbing), ...stored };
}

/** @param potential of the whole spring, J. */
function fadingForce({ share }: Nearest, potential: Expr, overlap: Expr): Vector3 {
  if (!share) return zeroVector;
  return scaleVector(select(compare('<', zero, overlap), negate(potential), zero), share.slope);
}

const positive = (e: Expr): Expr => (e === zero ? zero : select(compare('<', zero, e), e, zero));
