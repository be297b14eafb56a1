/** One line of progress on standard error, rewritten in place; silent when that is not a terminal. */
import { printable } from '../../common/printable.ts';
import { isSaid } from './terminal.ts';

export class Progress {
  private readonly visible = process.stderr.isTTY === true && isSaid();

  show(message: string): void {
    if (this.visible) process.stderr.write(`\r\u001b[K${printable(message)} …`);
  }

  clear(): void {
    if (this.visible) process.stderr.write('\r\u001b[K');
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
