/** The independent evaluation within the time that a piece of work may take: results, or why there are none. */
import { KanegenError } from '../../common/error.ts';
import { withinTime } from '../../common/work-limit.ts';
import type { Alembert } from './alembert.ts';
import type { AlembertResult, State } from './alembert-result.ts';
import { NotFinite } from './point-body.ts';

/** What became of the independent evaluation where it took more time than a piece of work may. */
export class OverTime extends KanegenError {
  constructor(what: string, seconds: number) {
    super('too-slow', `${what} takes more than ${seconds} s of the processor; more are allowed with --max-seconds`);
  }
}

export function inTime<T>(what: string, work: () => T): T | OverTime {
  try {
    return withinTime((seconds) => new OverTime(what, seconds), work);
  } catch (error) {
    if (error instanceof OverTime) return error;
    throw error;
  }
}

/** The result, or why there is none. */
export function independent(alembert: Pick<Alembert, 'evaluate'>, state: State): AlembertResult | string {
  try {
    const result = alembert.evaluate(state);
    const all = [...result.torque, ...result.massMatrix.flat(), result.kineticEnergy, result.potentialEnergy];
    return all.every((x) => x.isFinite()) ? result : 'the formulas have no finite value';
  } catch (error) {
    if (error instanceof NotFinite) return error.message;
    throw error;
  }
}

/** Both limits together. */
export function independently({ evaluate }: Alembert, thorough = false): (state: State) => AlembertResult | string {
  const what = 'the independent evaluation of a state';
  return (state) => {
    const result = thorough ? independent({ evaluate }, state) : inTime(what, () => independent({ evaluate }, state));
    return result instanceof OverTime ? result.message : result;
  };
}
