/**
 * Mechanics in a URDF file: links with their inertia, joints with origin, axis and limits. Numbers are exact decimals; angles that
 * were meant as multiples of a right angle are made so.
 */
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Frame, Symmetric3, Vector3 } from '../../symbolic/graph/vector.ts';
import type { CoordinateForces, DriveLimits } from '../model/robot.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place, SourceDocument } from '../source/source.ts';

/** Something to be said about a place of the file. */
export interface UrdfRemark {
  readonly place: Place;
  readonly message: string;
}

/** A pose as URDF gives it. */
export interface UrdfOrigin {
  readonly frame: Frame;
  /** Roll, pitch and yaw; exact where they were meant as multiples of a right angle. Undefined: the file gives a quaternion. */
  readonly angles: Vector3 | undefined;
  /** Where angles were made multiples of a right angle. */
  readonly snapped: Place | undefined;
  /** A quaternion in a file that does not say that it is URDF 1.1, where others read none. */
  readonly early: Place | undefined;
}

export interface UrdfInertia {
  readonly mass: Expr;
  /** In the axes of the link, from its origin. */
  readonly centreOfMass: Vector3;
  /** About the centre of mass, in the axes of the link. */
  readonly inertia: Symmetric3;
  readonly origin: UrdfOrigin;
  /** What was missing or ignored. */
  readonly notes: readonly Remark[];
  /** Where the inertia stands. */
  readonly place: Place;
}

export interface UrdfLink {
  readonly name: string;
  readonly place: Place;
  /** Undefined: no mass. */
  readonly inertial: UrdfInertia | undefined;
  /** The joint this link hangs on; undefined for the root. */
  joint: UrdfJoint | undefined;
  /** The joints that leave this link, in the order of the file. */
  readonly outgoing: UrdfJoint[];
}

/** Those of URDF, and `spherical`, which simulators add. */
export const jointTypes = ['revolute', 'continuous', 'prismatic', 'fixed', 'floating', 'planar', 'spherical'] as const;
export type UrdfJointType = (typeof jointTypes)[number];

export interface UrdfJoint {
  readonly name: string;
  readonly type: UrdfJointType;
  readonly place: Place;
  readonly parent: UrdfLink;
  readonly child: UrdfLink;
  /** Link `parent` → joint, which is link `child` when the joint is at zero. */
  readonly origin: UrdfOrigin;
  /** Unit vector in the axes of the joint, of joints that have an axis. */
  readonly axis: Vector3;
  readonly bounds: { readonly lower?: number; readonly upper?: number };
  readonly mimic: UrdfMimic | undefined;
  /** Damping and friction, of joints with one axis. */
  readonly forces: Partial<CoordinateForces>;
  /** Damping or friction of other joints, which is left out. */
  readonly losses: Place | undefined;
  /** What the drive can do, of joints with one axis. */
  readonly driveLimits: DriveLimits;
  /** What the file says about the joint beside what is read. */
  readonly passedOver: readonly { readonly place: Place; readonly what: string }[];
  /** What was ignored. */
  readonly notes: readonly Remark[];
  /** What is not as the file says. */
  readonly warnings: readonly UrdfRemark[];
}

/** A joint that moves as another one does: position = multiplier × position of `joint` + offset. Numbers as they are written. */
export interface UrdfMimic {
  readonly place: Place;
  readonly joint: string;
  readonly multiplier: string;
  readonly offset: string;
}

export interface UrdfRobot {
  readonly document: SourceDocument;
  /** As the file calls the robot. */
  readonly name: string;
  /** The links that no joint carries, at least one. */
  readonly roots: readonly UrdfLink[];
  readonly links: ReadonlyMap<string, UrdfLink>;
}
