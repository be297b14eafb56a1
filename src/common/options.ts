/** Options of calls of the library, which JavaScript may give as anything. */
import { KanegenError } from './error.ts';

/** @throws KanegenError `wrong-shape` where they are no object. */
export function demandOptions(options: unknown, what = 'options'): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options))
    throw new KanegenError('wrong-shape', `${what} are an object, not ${named(options)}`, {
      remedy: 'give {}, or nothing, for the usual ones',
    });
}

function named(given: unknown): string {
  if (given === null || given === undefined) return String(given);
  return Array.isArray(given) ? 'a list' : `a ${typeof given}`;
}
