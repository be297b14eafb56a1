/** What commands take with a robot file, and the warnings of one. */
import { locationText } from '../../description/source/diagnostics.ts';
import type { Warning } from '../../description/model/warnings.ts';
import { UsageError } from '../terminal/failure.ts';
import { complain } from '../terminal/terminal.ts';
import type { CacheOptions } from './cache.ts';

export interface FileOptions extends CacheOptions {
  readonly set: readonly string[];
  /** Kinds of warnings that are meant so. */
  readonly silence: readonly string[];
}

/** `NAME=VALUE` pairs as an object. @throws UsageError */
export function parseOverrides(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new UsageError(`--set takes NAME=VALUE, not ${JSON.stringify(pair)}`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

export function reportWarnings(warnings: readonly Warning[]): void {
  for (const { name, location, message } of warnings)
    complain(`${locationText(location)}: warning: ${message} [${name}]\n`);
}
