/** The worker of a page, with a promise for each question. */
import type { News } from '../../report/viewer/live-messages.ts';
import type { Asked, Replies, Told } from '../messages.ts';

export class RobotWorker {
  private readonly worker: Worker;
  private readonly waiting = new Map<number, { resolve(answer: unknown): void; reject(error: Error): void }>();
  private next = 1;

  /** @param listener hears what happens without a question. */
  constructor(listener: (news: News) => void) {
    this.worker = new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
    this.worker.onmessage = ({ data }: MessageEvent<Told>) => {
      if ('news' in data) return listener(data);
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ('refused' in data) waiting?.reject(new Error(data.refused));
      else waiting?.resolve(data.answer);
    };
    this.worker.onerror = (event) => this.fail(event.message || 'the worker of kanegen cannot be started');
  }

  ask<Kind extends Asked['ask']>(asked: Extract<Asked, { ask: Kind }>): Promise<Replies[Kind]> {
    const id = this.next++;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.worker.postMessage({ id, asked });
    });
  }

  /** Has it answer another page as well. */
  connect(port: MessagePort): void {
    this.worker.postMessage({}, [port]);
  }

  end(): void {
    this.worker.terminate();
    this.fail('the robot was closed');
  }

  private fail(reason: string): void {
    for (const { reject } of this.waiting.values()) reject(new Error(reason));
    this.waiting.clear();
  }
}
