/** What `kanegen compile` is asked for, and what comes of it. */
import type { ReadFile } from '../../description/source/files.ts';
import type { OutputFile } from '../../files/generated-folder.ts';
import type { FileOptions } from '../files/file-options.ts';
import type { StraightCommandOptions } from './straight.ts';

export interface CompileOptions extends StraightCommandOptions, FileOptions {
  readonly target: string;
  readonly out?: string;
  readonly derivatives?: boolean;
  readonly points?: boolean;
  readonly rodStatics?: boolean;
  readonly modules?: boolean;
  readonly terms?: boolean;
  readonly sourceMap?: boolean;
  readonly lineDirectives?: boolean;
  readonly amalgamate?: boolean;
  readonly shared?: boolean;
  readonly packaging?: boolean;
  readonly fmi?: string;
  readonly wheel?: boolean;
  readonly scenario?: readonly string[];
  readonly maxBytes?: string;
  readonly watch?: boolean;
  readonly json?: boolean;
}

/** What a compilation wrote and said. */
export interface Compiled {
  readonly out: string;
  readonly files: readonly OutputFile[];
  /** What the robot was read from. */
  readonly read: readonly ReadFile[] | undefined;
  /** As `--json` prints it, but for the time. */
  readonly summary: object;
  /** As people read it, before and after the time. */
  readonly head: string;
  readonly rest: string;
}
