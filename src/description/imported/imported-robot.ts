/** A robot file made of the file of another program. */
import type { Remark } from '../model/warnings.ts';

export interface ImportedRobot {
  /** As generated files will be called. */
  readonly name: string;
  readonly text: string;
  /** What changes the mechanism. */
  readonly warnings: readonly Remark[];
  /** What else was renamed, changed or ignored. */
  readonly notes: readonly Remark[];
}
