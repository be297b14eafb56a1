/** The mechanics of an MJCF file: a tree of bodies with their joints and masses, motors, equations, keyframes. SI units, angles in rad. */
import type { Pose, Vector } from '../../common/poses.ts';
import type { Remark } from '../model/warnings.ts';
import type { Place, SourceDocument } from '../source/source.ts';
import type { MassProperties } from '../imported/mass-of-shapes.ts';

export interface MjcfJoint {
  readonly name: string;
  readonly place: Place;
  readonly kind: 'hinge' | 'slide' | 'ball' | 'free';
  /** In axes of the body, from its frame. */
  readonly anchor: Vector;
  /** Unit vector in axes of the body. */
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
}

export interface MjcfSite {
  readonly name: string;
  readonly place: Place;
  /** Seen from the body. */
  readonly pose: Pose;
}

export interface MjcfBody {
  readonly name: string;
  readonly place: Place;
  /** Seen from the body that it is on. */
  readonly pose: Pose;
  readonly joints: readonly MjcfJoint[];
  readonly mass: MassProperties;
  readonly sites: readonly MjcfSite[];
  readonly children: readonly MjcfBody[];
}

export interface MjcfMotor {
  readonly name: string;
  readonly place: Place;
  readonly joint: MjcfJoint;
  /** Generalized force for an input of 1. */
  readonly ratio: number;
  readonly limits: readonly [number, number] | undefined;
  /** Of a servo, whose law robots keep apart from the motor: force per position and per rate, of motor. */
  readonly servo: { readonly kp: number; readonly kv: number } | undefined;
}

/** A frame on a body, or on the world. */
export interface MjcfEnd {
  readonly body: MjcfBody;
  readonly pose: Pose;
}

export type MjcfEquation = { readonly name: string; readonly place: Place } & (
  | { readonly kind: 'connect' | 'weld'; readonly a: MjcfEnd; readonly b: MjcfEnd }
  | {
      readonly kind: 'joint';
      readonly joint: MjcfJoint;
      readonly other: MjcfJoint | undefined;
      /** joint = Σ c_i otherⁱ, of coordinates of robots. */
      readonly coefficients: readonly number[];
    }
);

export interface MjcfKeyframe {
  readonly name: string;
  readonly place: Place;
  /** As the file has them: a number per hinge and slide, a quaternion per ball, place and quaternion of free bodies. */
  readonly positions: readonly number[];
}

export interface MjcfModel {
  readonly document: SourceDocument;
  readonly name: string;
  readonly gravity: readonly number[];
  /** Without joints. */
  readonly world: MjcfBody;
  readonly motors: readonly MjcfMotor[];
  readonly equations: readonly MjcfEquation[];
  readonly keyframes: readonly MjcfKeyframe[];
  /** What changes the mechanism. */
  readonly warnings: readonly Remark[];
  readonly notes: readonly Remark[];
}

/** Bodies in the order of the file, those on a body after it. */
export const bodiesOf = (body: MjcfBody): readonly MjcfBody[] => [body, ...body.children.flatMap(bodiesOf)];

/** Numbers of a joint in a keyframe. */
export const POSITIONS: Readonly<Record<MjcfJoint['kind'], number>> = { hinge: 1, slide: 1, ball: 4, free: 7 };
