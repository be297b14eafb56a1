/** The mechanics of an MJCF or SDF file: a tree of bodies with their joints and masses, motors, loops, keyframes. SI units, angles in rad. */
import type { Pose } from '../../common/poses.ts';
import type { DriveLimits } from '../model/robot.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place, SourceDocument } from '../source/source.ts';
import type { MassProperties } from './mass-of-shapes.ts';

export interface TreeJoint {
  readonly name: string;
  readonly place: Place;
  readonly kind: 'hinge' | 'slide' | 'screw' | 'ball' | 'free';
  /** In axes of the body, from its frame. */
  readonly anchor: readonly number[];
  /** Unit vector in axes of the body, where that stands as the file places it. */
  readonly axis: readonly number[];
  /** Value of the joint where bodies stand as the file places them: coordinates of robots are zero there. */
  readonly reference: number;
  /** Of coordinates of robots. */
  readonly limits: readonly [number, number] | undefined;
  readonly stiffness: number;
  /** Of coordinates of robots. */
  readonly rest: number;
  readonly damping: number;
  readonly friction: number;
  readonly armature: number;
  /** Of all motors together. */
  readonly effort: readonly [number, number] | undefined;
  /** What the drive can do, of joints with one axis. */
  readonly driveLimits?: DriveLimits;
  /** Of a screw: displacement along the axis per revolution, m. */
  readonly pitch?: number;
}

export interface TreeSite {
  readonly name: string;
  readonly place: Place;
  /** Seen from the body. */
  readonly pose: Pose;
}

export interface TreeBody {
  readonly name: string;
  readonly place: Place;
  /** Seen from the body that it is on. */
  readonly pose: Pose;
  readonly joints: readonly TreeJoint[];
  readonly mass: MassProperties;
  readonly sites: readonly TreeSite[];
  readonly children: readonly TreeBody[];
}

export interface TreeMotor {
  readonly name: string;
  readonly place: Place;
  readonly joint: TreeJoint;
  /** Generalized force for an input of 1. */
  readonly ratio: number;
  readonly limits: readonly [number, number] | undefined;
  /** Of a servo, whose law robots keep apart from the motor: force per position and per rate, of motor. */
  readonly servo: { readonly kp: number; readonly kv: number } | undefined;
}

/** A frame on a body, or on the world. */
export interface TreeEnd {
  readonly body: TreeBody;
  readonly pose: Pose;
}

export type TreeEquation = { readonly name: string; readonly place: Place } &
  /** Revolute and prismatic: z is the axis; universal: x is that of a, y that of b. */
  (
    | {
        readonly kind: 'weld' | 'spherical' | 'revolute' | 'prismatic' | 'universal';
        readonly a: TreeEnd;
        readonly b: TreeEnd;
      }
    | {
        readonly kind: 'joint';
        readonly joint: TreeJoint;
        readonly other: TreeJoint | undefined;
        /** joint = Σ c_i otherⁱ, of coordinates of robots. */
        readonly coefficients: readonly number[];
      }
  );

export interface TreeKeyframe {
  readonly name: string;
  readonly place: Place;
  /** As the file has them: a number per hinge, slide and screw, a quaternion per ball, place and quaternion of free bodies. */
  readonly positions: readonly number[];
}

export interface BodyTree {
  readonly document: SourceDocument;
  readonly name: string;
  readonly gravity: readonly number[];
  /** Without joints. */
  readonly world: TreeBody;
  readonly motors: readonly TreeMotor[];
  readonly equations: readonly TreeEquation[];
  readonly keyframes: readonly TreeKeyframe[];
  /** What changes the mechanism. */
  readonly warnings: readonly Remark[];
  readonly notes: readonly Remark[];
}

/** Bodies in the order of the file, those on a body after it. */
export const bodiesOf = (body: TreeBody): readonly TreeBody[] => [body, ...body.children.flatMap(bodiesOf)];

/** Numbers of a joint in a keyframe. */
export const POSITIONS: Readonly<Record<TreeJoint['kind'], number>> = {
  hinge: 1,
  slide: 1,
  screw: 1,
  ball: 4,
  free: 7,
};
