/** A robot file made of the file of another program, and what all such files lack. */
import type { Remark } from '../model/warnings.ts';

/**
 * Speeds below which dry friction is smooth, rad/s and m/s. Chosen: the files of other programs know no such speed, and these are slow
 * beside the motions of robots.
 */
export const SMOOTH_BELOW = { turning: 0.01, sliding: 0.001 };

export interface ImportedRobot {
  /** As generated files will be called. */
  readonly name: string;
  readonly text: string;
  /** What changes the mechanism. */
  readonly warnings: readonly Remark[];
  /** What else was renamed, changed or ignored. */
  readonly notes: readonly Remark[];
}
