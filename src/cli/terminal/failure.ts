/**
 * How failures reach the user: expected ones as `file:line:column`, what is wrong and what to write instead; anything
 * else as one line that asks for a report. Never a stack trace, unless KANEGEN_TRACE is set.
 */
import { formatError } from '../../description/source/diagnostics.ts';
import { KanegenError } from '../../common/error.ts';
import { complain } from './terminal.ts';

/** The command line asks for something that does not exist or does not fit together. */
export class UsageError extends Error {}

/** Writes a failure to standard error. @returns the exit code. */
export function reportFailure(error: unknown): number {
  if (error instanceof KanegenError) complain(`${formatError(error)}\n`);
  else {
    const message = error instanceof Error ? error.message : String(error);
    complain(comesFromTheSystem(error) ? `error: ${message}\n` : `internal error: ${message}\n${REQUEST}\n`);
    if (process.env['KANEGEN_TRACE'] && error instanceof Error) complain(`${error.stack}\n`);
  }
  return 1;
}

const REQUEST =
  '  → this is a bug in kanegen: please report it with the robot file and the output of KANEGEN_TRACE=1 to this message';

/** The C compiler, or a call of the system that failed. */
function comesFromTheSystem(error: unknown): boolean {
  return error instanceof Error && (error.name === 'CompilerError' || 'syscall' in error);
}
