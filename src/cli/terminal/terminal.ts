/**
 * Standard output and standard error of the commands: text of users made printable, and a place where the failures of the
 * streams themselves are met, so that neither a reader that went away nor a full disk ends in a trace.
 */
import { printable } from '../../common/printable.ts';
import { coloured } from './colours.ts';

/** Results, to standard output. */
export function print(text: string): void {
  process.stdout.write(coloured(printable(text), process.stdout));
}

/** Warnings, notes and errors, to standard error. */
export function complain(text: string): void {
  for (const said of listeners) said.push(text);
  if (isQuiet && REMARK.test(text)) return;
  process.stderr.write(coloured(printable(text), process.stderr));
}

/** Warnings and notes, with their place or without. */
const REMARK = /^(?:[^\n]*: )?(?:warning|note): /;

let isQuiet = false;

/** From now on warnings, notes and progress are left out; errors never are. */
export function setQuiet(quiet: boolean): void {
  isQuiet = quiet;
}

export const isSaid = (): boolean => !isQuiet;

const listeners = new Set<string[]>();

/** The result of `work`, and what was complained of meanwhile. */
export async function hearing<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly said: readonly string[] }> {
  const said: string[] = [];
  listeners.add(said);
  try {
    return { result: await work(), said };
  } finally {
    listeners.delete(said);
  }
}

/** What a shell reports for programs that the signal of a broken pipe ends. */
const BROKEN_PIPE = 141;

/**
 * From now on a reader that goes away (`kanegen explain … | head`) ends the command as the signal of the system would, and
 * results that cannot be written end it with what the system says.
 */
export function meetStreamErrors(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(BROKEN_PIPE);
    complain(`error: cannot write to standard output: ${error.message}\n`);
    process.exit(1);
  });
  // There is nobody left to tell.
  process.stderr.on('error', () => process.exit(1));
}
