/**
 * Terms of actuators that reach from link to link, or act on one from the world: straight pieces of tendons, forces and
 * moments. They act by wrenches on points of links, which are carried towards the base.
 */
import type { SourceLocation } from '../../common/error.ts';
import type { Frame } from '../../symbolic/graph/vector.ts';
import type { CarriedFrame } from './robot.ts';

/** A frame that rides on the distal frame of a link; −1 is the base. Its offset may depend on run-time parameters. */
interface FrameAnchor {
  readonly kind: 'frame';
  readonly link: number;
  readonly offset: Frame;
}

/** A material point of the deformable body of a link; with `offset` a place in the frame that the material carries there. */
export interface MaterialAnchor extends CarriedFrame {
  readonly kind: 'material';
  readonly link: number;
  readonly offset?: Frame;
}

export type Anchor = FrameAnchor | MaterialAnchor;

/** Minus the length of the straight line between two points. */
export interface SegmentTerm {
  readonly kind: 'segment';
  readonly from: Anchor;
  readonly to: Anchor;
  /** Where the piece behind it stands. */
  readonly location: SourceLocation;
}

/**
 * A force or a moment at the origin of a frame. The coordinate of a force that keeps its direction in world axes is the
 * place of the origin along it; that of any other wrench is left at zero, since there is none: only its rate exists.
 */
export interface WrenchTerm {
  readonly kind: 'wrench';
  readonly on: Anchor;
  readonly axes: 'world' | 'frame';
  /** Moment, then force, of a unit input. */
  readonly wrench: readonly number[];
}

export type ReachingTerm = SegmentTerm | WrenchTerm;
