/** The robot of a file as the file is now: read again whenever one of its files changes; the last good one stays while there are mistakes. */
import { watch, type FSWatcher } from 'node:fs';
import path from 'node:path';
import { KanegenError } from '../../common/error.ts';
import { printable } from '../../common/printable.ts';
import { formatError } from '../../description/source/diagnostics.ts';
import { sameFiles } from '../../description/source/files.ts';
import type { Answers, News, Question } from '../../report/viewer/live-messages.ts';
import type { FileOptions } from '../files/file-options.ts';
import { openToRun } from '../files/open.ts';
import { NotNow } from './not-now.ts';
import { questionsOf } from './question.ts';
import { playLog, playScenario, scenariosOf } from './recordings.ts';
import { ViewedRobot } from './viewed-robot.ts';

/** ms after the last change: editors write files in several steps. */
const SETTLE = 80;

interface WatchOptions extends FileOptions {
  /** A CSV file that the page can play. */
  readonly log?: string;
}

export class WatchedRobot {
  /** The last good one. */
  current: ViewedRobot;
  /** What the page should know first. */
  last: News | undefined;
  private readonly file: string;
  private readonly options: WatchOptions;
  private readonly listeners = new Set<(news: News) => void>();
  private readonly watchers = new Map<string, FSWatcher>();
  private files: Opened['files'];
  /** Who reads questions about which robot. */
  private asked: { readonly robot: ViewedRobot; readonly read: (text: string) => Question } | undefined;
  private pending: NodeJS.Timeout | undefined;
  private work: Promise<void> = Promise.resolve();

  private constructor(file: string, options: WatchOptions, first: Opened) {
    this.file = file;
    this.options = options;
    this.current = first.robot;
    this.files = first.files;
  }

  /** @throws KanegenError with every problem of the file. */
  static async open(file: string, options: WatchOptions): Promise<WatchedRobot> {
    return new WatchedRobot(file, options, await opened(file, options));
  }

  /** Begins to compile, and to watch. */
  start(): void {
    this.watchFolders();
    this.work = this.compile(this.current);
  }

  /** @throws NotNow, KanegenError */
  async answer(question: Question): Promise<Answers[Question['ask']]> {
    if (question.ask === 'robot') return { ...this.current.answer(question), recordings: this.recordings() };
    if (question.ask !== 'play') return this.current.answer(question);
    const { log, ...options } = this.options;
    if (!this.recordings().includes(question.name)) throw new NotNow(`there is no ${question.name} any more`);
    if (question.name === log) return playLog(this.current.model, log);
    return playScenario(path.join(path.dirname(this.file), question.name), options);
  }

  /** Names of what can be played. */
  private recordings(): string[] {
    const { log } = this.options;
    return [...(log === undefined ? [] : [log]), ...scenariosOf(this.file)];
  }

  /** As it arrives. @throws RangeError naming the first thing that is wrong. */
  read(text: string): Question {
    if (this.asked?.robot !== this.current) this.asked = { robot: this.current, read: questionsOf(this.current.model) };
    return this.asked.read(text);
  }

  /** Until nothing is left to do. */
  async settled(): Promise<void> {
    await this.work;
  }

  /** @returns what ends it. */
  listen(listener: (news: News) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.pending);
    for (const watcher of this.watchers.values()) watcher.close();
    this.watchers.clear();
  }

  private watchFolders(): void {
    const folders = new Set(
      [this.file, ...this.files.map((one) => one.path)].map((own) => path.dirname(path.resolve(own))),
    );
    for (const folder of folders)
      if (!this.watchers.has(folder))
        this.watchers.set(
          folder,
          watch(folder, () => {
            clearTimeout(this.pending);
            this.pending = setTimeout(() => this.changed(), SETTLE);
          }),
        );
  }

  private changed(): void {
    this.work = this.work.then(() => this.reread());
  }

  private async reread(): Promise<void> {
    if (this.last?.news !== 'mistake' && sameFiles(this.files)) return;
    try {
      const next = await opened(this.file, this.options);
      const isSame = JSON.stringify(next.files) === JSON.stringify(this.files);
      this.files = next.files;
      // A mistake that was taken back leads to the robot that is there.
      if (!isSame) this.current = next.robot;
      this.watchFolders();
      this.tell({ news: 'robot' });
      if (!isSame) await this.compile(next.robot);
    } catch (error) {
      this.mistake(error);
    }
  }

  private async compile(robot: ViewedRobot): Promise<void> {
    this.tell({ news: 'busy', text: 'compiling' });
    // The page shows the robot first.
    await new Promise((resolve) => setTimeout(resolve, SETTLE));
    try {
      await robot.compile();
      this.tell({ news: 'ready' });
    } catch (error) {
      this.mistake(error);
    }
  }

  private mistake(error: unknown): void {
    if (!(error instanceof KanegenError) && !(error instanceof Error && 'syscall' in error)) throw error;
    const text = error instanceof KanegenError ? formatError(error) : error.message;
    this.tell({ news: 'mistake', text: printable(text) });
  }

  private tell(news: News): void {
    this.last = news;
    for (const listener of this.listeners) listener(news);
  }
}

interface Opened {
  readonly robot: ViewedRobot;
  /** All that were read. */
  readonly files: readonly { readonly path: string; readonly hash: string }[];
}

async function opened(file: string, options: FileOptions): Promise<Opened> {
  const robot = await openToRun(file, options);
  return { robot: new ViewedRobot(robot), files: robot.model.source.read ?? [] };
}
