/**
 * How failures reach the user: expected ones as `file:line:column`, what is wrong and what to write instead; anything
 * else as one line that asks for a report. Never a stack trace, unless KANEGEN_TRACE is set.
 */
import { formatError } from '../description/diagnostics.ts';
import { KanegenError } from '../symbolic/error.ts';
import { complain } from './terminal.ts';

/** The command line asks for something that does not exist or does not fit together. */
export class UsageError extends Error {}

/** Writes a failure to standard error. @returns the exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof KanegenError) complain(`${formatError(error)}\n`);
  else {
    const message = error instanceof Error ? error.message : String(error);
    complain(`error: ${message}\n`);
    if (process.env['KANEGEN_TRACE'] && error instanceof Error) complain(`${error.stack}\n`);
  }
  return 1;
}
