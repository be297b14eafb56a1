/**
 * The one kind of error that a user of kanegen is meant to see: a code, a place, what is wrong, what to write instead.
 * Every layer throws it; layers that know positions in a file add them.
 */

/** A place in a robot file, 1-based; `file` is empty for objects from TypeScript, which have a `path` only. */
export interface SourceLocation {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Keys from the root, such as `body-types.cc.position[0]`. */
  readonly path: string;
}

export interface ErrorOptions {
  /** What to write instead. */
  readonly remedy?: string | undefined;
  readonly location?: SourceLocation | undefined;
  /** Character offset within the formula at hand, for the layer that knows where the formula stands. */
  readonly offset?: number | undefined;
  /** Further problems found in the same pass. */
  readonly others?: readonly KanegenError[] | undefined;
  /** What went wrong inside, where the error is not one of the user. */
  readonly cause?: unknown;
}

export class KanegenError extends Error {
  /** Kebab-case and stable: `unknown-symbol`, `singular-contact`, … */
  readonly code: string;
  readonly remedy: string | undefined;
  readonly location: SourceLocation | undefined;
  readonly offset: number | undefined;
  readonly others: readonly KanegenError[];

  constructor(code: string, message: string, options: ErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'KanegenError';
    this.code = code;
    this.remedy = options.remedy;
    this.location = options.location;
    this.offset = options.offset;
    this.others = options.others ?? [];
  }

  /** This error and the others found with it, in the order they were found. */
  get problems(): readonly KanegenError[] {
    return [this, ...this.others];
  }

  /** The same error at `location`, unless it has a place already. */
  at(location: SourceLocation): KanegenError {
    if (this.location) return this;
    return new KanegenError(this.code, this.message, { remedy: this.remedy, location, others: this.others });
  }
}
