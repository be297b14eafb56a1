/** Numbers on the command line, with their bounds. */
import { UsageError } from './failure.ts';

/** Most random states, and most links of a chain, that a command takes: what more of them would tell, nobody waits for. */
export const MOST_STATES = 1_000_000;
export const MOST_LINKS = 100_000;

/** @throws UsageError */
export function wholeNumber(option: string, text: string, least: number, most = Number.MAX_SAFE_INTEGER): number {
  const value = text.trim() === '' ? NaN : Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  const range = most === Number.MAX_SAFE_INTEGER ? `from ${least}` : `from ${least} to ${most}`;
  throw new UsageError(`${option} takes a whole number ${range}, not ${JSON.stringify(text)}`);
}

/** @throws UsageError */
export function positiveNumber(option: string, text: string): number {
  const value = Number(text);
  if (value > 0 && Number.isFinite(value)) return value;
  throw new UsageError(`${option} takes a positive number, not ${JSON.stringify(text)}`);
}
