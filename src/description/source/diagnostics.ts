/**
 * Errors as a person reads them, and the collection of several of them in one pass.
 */
import { KanegenError, type SourceLocation } from '../../common/error.ts';
import { printable, printableInPlace } from '../../common/printable.ts';
import { MOST_BYTES, readRegularText } from './read-file.ts';

export { KanegenError } from '../../common/error.ts';

/** Collects the problems of one pass, so that a file with five mistakes takes one round to mend. */
export class Problems {
  private readonly found: KanegenError[] = [];

  add(error: KanegenError): void {
    this.found.push(...error.problems);
  }

  /** The result of `work`, or undefined after noting the error it threw. */
  attempt<T>(work: () => T): T | undefined {
    try {
      return work();
    } catch (error) {
      if (!(error instanceof KanegenError)) throw error;
      this.add(error);
      return undefined;
    }
  }

  get any(): boolean {
    return this.found.length > 0;
  }

  get count(): number {
    return this.found.length;
  }

  /** @throws KanegenError with all problems, each once, when there are any. */
  finish(): void {
    if (this.found.length === 0) return;
    const seen = new Set<string>();
    const unique = this.found.filter((error) => {
      const key = `${JSON.stringify(error.location)}${error.code}${error.message}`;
      return !seen.has(key) && seen.add(key);
    });
    throw collected(unique);
  }
}

/** `file:line:column`, or the path of keys for objects from TypeScript. */
export function locationText(location: SourceLocation): string {
  if (location.line === 0) return location.path === '' ? location.file || 'robot' : location.path;
  return `${location.file}:${location.line}:${location.column}`;
}

function readSource(file: string): string | undefined {
  try {
    return readRegularText(file, MOST_BYTES.urdf);
  } catch {
    return undefined; // text that never was a file, or a file of the library
  }
}

/** At most this much of a long line is shown around the mistake. */
const EXCERPT_WIDTH = 110;

function excerpt(location: SourceLocation, source: string): string[] {
  const line = source.split('\n')[location.line - 1]?.replace(/\r$/, '').replace(/\t/g, ' ');
  if (line === undefined || line.trim() === '') return [];
  const start = Math.max(0, Math.min(location.column - 60, line.length - EXCERPT_WIDTH));
  const shown = printableInPlace(line.slice(start, start + EXCERPT_WIDTH));
  return [`  ${shown}`, `  ${' '.repeat(Math.max(0, location.column - 1 - start))}^`];
}

/**
 * One problem as text without colours: `file:line:column: what is wrong`, the line with a caret under the mistake,
 * and what to write instead.
 */
function formatProblem(error: KanegenError, read: (file: string) => string | undefined = readSource): string {
  const { location } = error;
  const lines = [location ? `${locationText(location)}: ${error.message}` : error.message];
  const source = location && location.line > 0 ? read(location.file) : undefined;
  if (location && source !== undefined) lines.push(...excerpt(location, source));
  if (error.remedy) lines.push(`  → ${error.remedy}`);
  return printable(lines.join('\n'));
}

/** All problems of an error, in the order of the file. */
export function formatError(error: KanegenError, read: (file: string) => string | undefined = readSource): string {
  return error.problems.map((problem) => formatProblem(problem, read)).join('\n');
}

/** Several errors as one that carries them all. */
export function collected(errors: readonly KanegenError[]): KanegenError {
  // An error that was collected before stands for itself and for its others, which may be in the list too.
  const [first, ...others] = new Set(errors.flatMap((error) => error.problems));
  const { code, message, remedy, location, offset } = first!;
  return new KanegenError(code, message, { remedy, location, offset, others });
}
