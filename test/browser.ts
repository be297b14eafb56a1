/** Headless Chromium by its debugging pipe, where one is installed: pages, scripts in them, pictures of them. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';

/** Its command; undefined where there is none. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome'].find((name) => {
  try {
    execFileSync(name, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});

/** ms */
const PATIENCE = 180_000;

interface Answer {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

export class Browser {
  /** What went wrong in the page: exceptions, and what the console was told of errors. */
  readonly complaints: string[] = [];
  private readonly child: ChildProcess;
  private readonly folder = mkdtempSync(path.join(tmpdir(), 'kanegen-browser-'));
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private next = 1;
  private session = '';

  private constructor(width: number, height: number, hasWebGl: boolean, hasWebGpu: boolean) {
    const drawing = hasWebGl ? ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'] : ['--disable-3d-apis'];
    const computing = hasWebGpu ? ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader'] : [];
    const flags = ['--headless', '--no-sandbox', ...drawing, ...computing];
    this.child = spawn(
      CHROMIUM!,
      [...flags, '--remote-debugging-pipe', `--user-data-dir=${this.folder}`, `--window-size=${width},${height}`],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
    );
    let rest = '';
    (this.child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\0');
      rest = parts.pop()!;
      for (const part of parts) this.hear(JSON.parse(part) as Answer);
    });
  }

  static async open(
    link: string,
    { width = 1200, height = 760, hasWebGl = true, hasWebGpu = false } = {},
  ): Promise<Browser> {
    const browser = new Browser(width, height, hasWebGl, hasWebGpu);
    const { targetId } = await browser.call('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await browser.call('Target.attachToTarget', { targetId, flatten: true });
    browser.session = String(sessionId);
    for (const domain of ['Page', 'Runtime', 'Log']) await browser.call(`${domain}.enable`);
    await browser.call('Emulation.setDeviceMetricsOverride', { width, height, deviceScaleFactor: 1, mobile: false });
    await browser.call('Page.navigate', { url: link });
    await browser.until("document.readyState === 'complete'");
    return browser;
  }

  /** Of an expression in the page. */
  async value(expression: string): Promise<unknown> {
    const { result, exceptionDetails } = await this.call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(JSON.stringify(exceptionDetails));
    return (result as { value?: unknown }).value;
  }

  /** Until an expression is true. */
  async until(expression: string): Promise<void> {
    const end = Date.now() + PATIENCE;
    while ((await this.value(`Boolean(${expression})`)) !== true) {
      if (Date.now() > end) throw new Error(`never true: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  /** PNG */
  async picture(): Promise<Buffer> {
    const { data } = await this.call('Page.captureScreenshot', { format: 'png' });
    return Buffer.from(String(data), 'base64');
  }

  /** Of all its processes so far, ms. */
  async processorTime(): Promise<number> {
    const { processInfo } = await this.call('SystemInfo.getProcessInfo', {}, '');
    return (processInfo as readonly { readonly cpuTime: number }[]).reduce((sum, own) => sum + 1000 * own.cpuTime, 0);
  }

  /** @param page which is asked; the browser itself where it is empty. */
  async call(method: string, params: object = {}, page = this.session): Promise<Readonly<Record<string, unknown>>> {
    const id = this.next++;
    const session = page ? { sessionId: page } : {};
    const answer = await new Promise<Answer>((resolve, reject) => {
      const late = setTimeout(() => reject(new Error(`no answer: ${method}`)), PATIENCE);
      this.waiting.set(id, (found) => {
        clearTimeout(late);
        resolve(found);
      });
      (this.child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    });
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result ?? {};
  }

  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    // It ends its own processes, which would write into the folder otherwise.
    await this.call('Browser.close', {}, '').catch(() => this.child.kill('SIGKILL'));
    await ended;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }

  private hear(answer: Answer): void {
    if (answer.id !== undefined) {
      this.waiting.get(answer.id)?.(answer);
      this.waiting.delete(answer.id);
    } else if (answer.method === 'Runtime.exceptionThrown') this.complaints.push(JSON.stringify(answer.params));
    else if (answer.method === 'Runtime.consoleAPICalled' && answer.params?.['type'] === 'error')
      this.complaints.push(JSON.stringify(answer.params));
    else if (answer.method === 'Log.entryAdded' && JSON.stringify(answer.params).includes('"level":"error"'))
      this.complaints.push(JSON.stringify(answer.params));
  }
}
