/** What water around a body, and fields along it, do to it, as the link meets it: terms of the left-hand side, whatever the way to the inertial terms. */
import type { Expr } from '../../symbolic/graph/expr.ts';
import { frameEntries, type Frame, type Vector3 } from '../../symbolic/graph/vector.ts';
import type { ArticulatedInertia } from '../equations/articulated.ts';
import { addBodyWrenches, type BodyWrench, type MovingFrame } from '../equations/recursion.ts';
import type { Loop } from '../loops/loop.ts';

/** Motions of the proximal frame, its axes. */
export interface MotionInWater {
  /** Velocities against the water. */
  readonly drift: MovingFrame;
  /** Gravitational acceleration. */
  readonly gravity: Vector3;
  /** The same with accelerations, for given accelerations of the coordinates; without gravity. */
  readonly accelerated: MovingFrame;
  /** World pose, where there are fields. */
  readonly placement?: Frame;
}

export function entriesOfMotion({ drift, gravity, accelerated, placement }: MotionInWater): readonly Expr[] {
  const of = (own: MovingFrame): readonly Expr[] => [
    ...own.angularVelocity,
    ...own.velocity,
    ...own.angularAcceleration,
    ...own.acceleration,
  ];
  return [...of(drift), ...gravity, ...of(accelerated), ...(placement ? frameEntries(placement) : [])];
}

/** About the proximal origin, proximal axes. */
export interface WaterTerms {
  /** What τ has to overcome of drag, buoyancy and fields. */
  readonly forces?: BodyWrench;
  readonly addedMass?: AddedMass;
  /** Both together, of a motion that has velocities and accelerations at once; where one is given. */
  readonly together?: BodyWrench;
  /** What is reported of contacts, pair by pair (`PAIR_PARTS`); world axes. */
  readonly pairs?: readonly Expr[];
  /** Its effects and how their integrals are had, for reports. */
  readonly method: string;
  /** In an order in which each needs only those before it. */
  readonly loops: readonly Loop[];
}

export interface AddedMass {
  /** The wrench of the accelerated water. */
  readonly wrench: BodyWrench;
  readonly inertia: ArticulatedInertia;
  /** By coordinate of the body: what a unit acceleration takes. */
  readonly units: readonly BodyWrench[];
  readonly kineticEnergy: Expr;
}

/** Of a link type. */
export interface WaterOnBody {
  /**
   * @param accelerations of the body's coordinates.
   * @param together the same motion in symbols of its own, for `together`.
   */
  terms(motion: MotionInWater, accelerations: readonly Expr[], together?: MotionInWater): WaterTerms;
}

/** Several of one body, of which at most one has added mass; one at least. */
export function allWaters(parts: readonly WaterOnBody[]): WaterOnBody {
  return {
    terms: (...of) => {
      const own = parts.map((part) => part.terms(...of));
      const sum = (wrenches: readonly (BodyWrench | undefined)[]): BodyWrench | undefined =>
        wrenches.reduce((a, b) => (a && b ? addBodyWrenches(a, b) : (a ?? b)));
      const forces = sum(own.map((part) => part.forces));
      const together = sum(own.map((part) => part.together));
      const addedMass = own.find((part) => part.addedMass)?.addedMass;
      const pairs = own.flatMap((part) => part.pairs ?? []);
      return {
        ...(forces && { forces }),
        ...(addedMass && { addedMass }),
        ...(together && { together }),
        ...(pairs.length > 0 && { pairs }),
        method: own.map(({ method }) => method).join('; '),
        loops: own.flatMap(({ loops }) => loops),
      };
    },
  };
}
