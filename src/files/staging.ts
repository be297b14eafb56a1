/**
 * Files are written aside and renamed, so that a failure or Ctrl-C leaves what was there before, never half of something.
 * The place aside is a folder `.kanegen-PROCESS-RANDOM`, on the same file system; one that a killed process left is removed
 * by the next.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { constants } from 'node:os';
import path from 'node:path';

const NAME = /^\.kanegen-(\d+)-[A-Za-z0-9]{6}$/;

/** Writing takes far less: an older folder belongs to a process of another machine that is gone. */
const LONGEST_LIFE = 3600e3;

/**
 * Runs `write` with a folder inside `place` that is gone afterwards, whatever happens. Ctrl-C and termination wait for the
 * end and then take effect; at any other time they end the process at once, which a handler would prevent while long
 * computations run.
 */
export function withStaging(place: string, write: (staging: string) => void): void {
  if (writing++ === 0) for (const [signal, end] of ENDS) process.on(signal, end);
  let staging: string | undefined;
  try {
    removeLeftovers(place);
    staging = mkdtempSync(path.join(place, `.kanegen-${process.pid}-`));
    write(staging);
  } finally {
    if (staging !== undefined) rmSync(staging, { recursive: true, force: true });
    // A signal that came meanwhile is delivered by the next round of the event loop.
    setImmediate(() => setImmediate(finish));
  }
}

const ENDS = (['SIGINT', 'SIGTERM'] as const).map(
  (signal) => [signal, () => process.exit(128 + constants.signals[signal])] as const,
);
/** Calls of `withStaging` under way or just over, which share their handlers. */
let writing = 0;

function finish(): void {
  if (--writing === 0) for (const [signal, end] of ENDS) process.off(signal, end);
}

function removeLeftovers(place: string): void {
  for (const name of readdirSync(place)) {
    const owner = NAME.exec(name)?.[1];
    if (owner === undefined) continue;
    const folder = path.join(place, name);
    const since = statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (!isAlive(Number(owner)) || Date.now() - since > LONGEST_LIFE) rmSync(folder, { recursive: true, force: true });
  }
}

function isAlive(process_: number): boolean {
  try {
    process.kill(process_, 0);
    return true;
  } catch (error) {
    // A process of another user cannot be signalled, but it is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
