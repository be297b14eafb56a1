/** No affordable rule meets the tolerance: how far it got. */
import { KanegenError, type ErrorOptions, type SourceLocation } from '../../common/error.ts';

export class ToleranceNotMet extends KanegenError {
  /** Least relative error that was reached; infinite where integrals do not settle at all. */
  readonly reached: number;

  constructor(message: string, reached: number, options: ErrorOptions) {
    super('tolerance-not-met', message, options);
    this.reached = reached;
  }

  override at(location: SourceLocation): KanegenError {
    if (this.location) return this;
    return new ToleranceNotMet(this.message, this.reached, { remedy: this.remedy, location, others: this.others });
  }
}
