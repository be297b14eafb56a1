/** `kanegen view`: a page of this machine in which a robot is seen and moved. */
import { spawn } from 'node:child_process';
import { STANDARD_INPUT } from '../../description/source/read-file.ts';
import { checkFile, writeFileWhole } from '../files/output.ts';
import type { FileOptions } from '../files/file-options.ts';
import { openToRun } from '../files/open.ts';
import { withProgress } from '../terminal/progress.ts';
import { UsageError } from '../terminal/failure.ts';
import { print } from '../terminal/terminal.ts';
import { keptView } from '../view/kept-view.ts';
import { keptPage, liveScript } from '../view/page.ts';
import { playLog } from '../view/recordings.ts';
import { serveView } from '../view/server.ts';
import { ViewedRobot } from '../view/viewed-robot.ts';
import { WatchedRobot } from '../view/watched-robot.ts';

interface ViewOptions extends FileOptions {
  readonly port?: string;
  /** False with `--no-open`. */
  readonly open?: boolean;
  readonly html?: string;
  readonly log?: string;
}

const LARGEST_PORT = 65535;

export async function viewCommand(file: string, options: ViewOptions): Promise<void> {
  const { html, port } = options;
  if (file === STANDARD_INPUT && html === undefined) throw new UsageError('view watches a file: give its name, not -');
  if (html !== undefined) {
    if (options.log !== undefined) throw new UsageError('--html keeps no motion: leave out --log');
    if (port !== undefined) throw new UsageError('--html writes a file and serves none: leave out --port');
    return writePage(file, html, options);
  }
  const number = portOf(port);
  // Before anything is opened: a checkout that is not built has no script for the page.
  liveScript();
  const robot = await WatchedRobot.open(file, options);
  // What is wrong with a log is said here, not in a page.
  if (options.log !== undefined) playLog(robot.current.model, options.log);
  const server = await serveView(robot, number);
  print(`${server.link}\n${file} is shown there, and again after every change; Ctrl-C ends it\n`);
  if (options.open !== false) openBrowser(server.link);
  robot.start();
}

function portOf(text: string | undefined): number {
  if (text === undefined) return 0;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port > LARGEST_PORT)
    throw new UsageError(`--port takes a number from 0 to ${LARGEST_PORT}, not ${JSON.stringify(text)}`);
  return port;
}

async function writePage(file: string, html: string, options: ViewOptions): Promise<void> {
  if (!/\.html?$/i.test(html)) throw new UsageError(`--html writes a page, name.html, not ${JSON.stringify(html)}`);
  checkFile(html, '--html');
  const robot = new ViewedRobot(await openToRun(file, options));
  const page = await withProgress(async (show) => {
    show('compiling');
    await robot.compile();
    show('drawing');
    return keptPage(keptView(robot));
  });
  writeFileWhole(html, page, '--html');
  print(`${html}: a page that needs nothing else\n`);
}

/** Where there is none the link is there to be followed. */
function openBrowser(link: string): void {
  const [command, ...words] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform as string] ?? [
    'xdg-open',
  ];
  const child = spawn(command!, [...words, link], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}
