/**
 * What a verification finds: the worst error of every check, and what could not be checked. A check passes when something
 * was compared and the worst of it is within a finite tolerance; whatever is not a number does not pass.
 */

/** `not applicable`: of something that the robot does not have. */
export type Outcome = 'passed' | 'failed' | 'unchecked' | 'not applicable';

export interface Check {
  /** What was checked, as a statement. */
  readonly name: string;
  readonly outcome: Outcome;
  readonly passed: boolean;
  /** Worst relative error over all states, by what is allowed at each; infinite where a result is no number or nothing was compared. */
  readonly error: number;
  readonly tolerance: number;
  /** State and entry of the worst error, or why there was nothing to compare; what the robot does not have. */
  readonly where: string;
  /** The figure to show: `4e-16 of 1e-13`, or what the check measures instead of an error. */
  readonly figure: string;
}

interface Entry {
  readonly error: number;
  readonly tolerance: number;
  readonly where: string;
  readonly figure: string;
}

/** Of an error; tolerances may differ from state to state. */
function severity(error: number, tolerance: number): number {
  return error === 0 || error === Infinity ? error : error / tolerance;
}

/** Collects the worst error of each named check, in the order of first mention. */
export class Ledger {
  private readonly worst = new Map<string, Entry | undefined>();
  private readonly reasons = new Map<string, string>();
  private readonly absences = new Map<string, string>();

  /** Announces checks: one that nothing is noted of was not made. */
  expect(...names: readonly string[]): void {
    for (const name of names) if (!this.worst.has(name)) this.worst.set(name, undefined);
  }

  isExpected(name: string): boolean {
    return this.worst.has(name);
  }

  note(name: string, tolerance: number, error: number, where: string, figure?: string): void {
    // Against an infinite tolerance nothing is compared.
    const value = Number.isNaN(error) || !Number.isFinite(tolerance) ? Infinity : error;
    const before = this.worst.get(name);
    if (before && severity(value, tolerance) <= severity(before.error, before.tolerance)) return;
    const size = value === Infinity ? 'not finite' : value === 0 ? '0' : value.toExponential(1);
    this.worst.set(name, {
      error: value,
      tolerance,
      where,
      figure: figure ?? `${size} of ${tolerance.toExponential(0)}`,
    });
  }

  /** Something that belongs to a check could not be compared. The first reason is kept. */
  cannot(name: string, reason: string): void {
    this.expect(name);
    if (!this.reasons.has(name)) this.reasons.set(name, reason);
  }

  /** The robot has nothing that belongs to a check, unless something is noted of it all the same. The first reason is kept. */
  absent(name: string, reason: string): void {
    this.expect(name);
    if (!this.absences.has(name)) this.absences.set(name, reason);
  }

  checks(): Check[] {
    return [...this.worst].map(([name, entry]) => {
      const reason = this.reasons.get(name);
      if (entry && !(entry.error <= entry.tolerance && Number.isFinite(entry.error)))
        return { name, ...entry, outcome: 'failed', passed: false };
      if (entry && reason === undefined) return { name, ...entry, outcome: 'passed', passed: true };
      const absence = this.absences.get(name);
      if (!entry && reason === undefined && absence !== undefined)
        return { name, error: 0, tolerance: 0, figure: '', where: absence, outcome: 'not applicable', passed: true };
      const nothing = { error: Infinity, tolerance: 0, figure: '' };
      const where = reason ?? 'there was nothing to compare';
      return { name, ...nothing, ...entry, where, outcome: 'unchecked', passed: false };
    });
  }
}
