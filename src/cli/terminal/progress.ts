/** One line of progress on standard error, rewritten in place; silent when that is not a terminal. */
import { printable } from '../../common/printable.ts';

export class Progress {
  private readonly visible = process.stderr.isTTY === true;

  show(message: string): void {
    if (this.visible) process.stderr.write(`\r\u001b[K${printable(message)} …`);
  }

  clear(): void {
    if (this.visible) process.stderr.write('\r\u001b[K');
  }
}
