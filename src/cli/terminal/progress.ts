/**
 * What a command is at, on standard error. A terminal has one line, rewritten in place. Files and pipes get a line every ten seconds, by a
 * thread of its own: commands compute for minutes without a pause.
 */
import { Worker } from 'node:worker_threads';
import { printable } from '../../common/printable.ts';
import { isSaid } from './terminal.ts';

/** Between two lines, s. */
const BETWEEN_LINES = 10;

/** Says the last message every `workerData` seconds, with the time since it began; what cannot be written is left out. */
const LOG = `
const { parentPort, workerData } = require('node:worker_threads');
const { writeSync } = require('node:fs');
let said = '';
let lines = 0;
parentPort.on('message', (message) => (said = message));
setInterval(() => {
  try {
    writeSync(2, said + ', ' + ++lines * workerData + ' s\\n');
  } catch {}
}, 1000 * workerData);
`;

export class Progress {
  private readonly between: number;
  private log: Worker | undefined;

  /** @param between two lines where standard error is no terminal, s. */
  constructor(between = BETWEEN_LINES) {
    this.between = between;
  }

  show(message: string): void {
    if (!isSaid()) return;
    const text = `${printable(message)} …`;
    if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${text}`);
    else (this.log ??= this.begun()).postMessage(text);
  }

  clear(): void {
    if (process.stderr.isTTY && isSaid()) process.stderr.write('\r\u001b[K');
    void this.log?.terminate();
    this.log = undefined;
  }

  private begun(): Worker {
    const log = new Worker(LOG, { eval: true, execArgv: [], workerData: this.between });
    log.unref();
    // Without a thread nothing is said.
    return log.on('error', () => undefined);
  }
}

/** Work that tells what it is at; the line is gone when it ends, however it does. */
export async function withProgress<Result>(
  work: (show: (message: string) => void) => Result | Promise<Result>,
): Promise<Result> {
  const progress = new Progress();
  try {
    return await work((message) => progress.show(message));
  } finally {
    progress.clear();
  }
}
