/** The ways in which a body can be had, with what each costs and how exact it is. */
import type { BodyPart } from '../body/body-part.ts';
import type { Centreline, CentrelineRequest } from '../body/centreline.ts';
import type { ForceTerm } from '../body/force-terms.ts';
import type { FrameInBody, FrameRequest, MovingPoint, PointRequest } from '../body/moving-point.ts';
import type { PartCost } from './part-cost.ts';

/** Of rods whose sections are in balance: how many Newton steps that takes, and how far their coordinates differ in what they do. */
export interface NewtonStudy {
  readonly steps: number;
  /** Do all sections solve the same equation, so that it is solved once? */
  readonly once: boolean;
  /** Smallest eigenvalue of the scaled Gram matrix. */
  readonly independence: number;
  /** In which equations of any kind have pivots. */
  readonly order?: readonly number[];
}

/** One way to the inertial terms of a body. */
export interface BodyWay {
  readonly method: 'closed form' | 'constant tensors' | 'sums over points' | 'points along the rod';
  /** For reports: the model, the rules. */
  readonly description: string;
  readonly cost: PartCost;
  /** Largest relative error found of the integrals; 0 when exact but for rounding. */
  readonly error: number;
  /** What was tried on the way: points and error of each. */
  readonly trials: readonly WayTrial[];
  /** Of rods whose sections are in balance. */
  readonly balance?: NewtonStudy;
  /** A part of its own for every link type. */
  part(): BodyPart;
  /** Forces of the body's material, to the accuracy of the way. */
  forces(): readonly ForceTerm[];
  /** A material point of the body, as exact as the way or more so. @throws KanegenError where it cannot be told. */
  point(request: PointRequest): MovingPoint;
  /** The frame that the material carries at a point, as exact as the way or more so. @throws KanegenError where there is none. */
  frame(request: FrameRequest): FrameInBody;
  /** Of a rod, as exact as the way. */
  centreline(request: CentrelineRequest): Centreline;
}

interface WayTrial {
  readonly points: number;
  readonly error: number;
  readonly description: string;
  /** Of inverse dynamics, where they do not grow with the points alone. */
  readonly operations?: number;
}

/** A way that does not exist or was not worth trying, with the reason. */
export interface MissingWay {
  readonly method: BodyWay['method'];
  readonly reason: string;
}
