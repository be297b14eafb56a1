/**
 * The command line as users have it, in dist/, for tests of what belongs to a process or to the package; built when the first
 * of them asks for it, once per run of the tests, from the sources as they are then.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { promisify } from 'node:util';
import { inject } from 'vitest';

const COMMAND = path.resolve('dist/cli.js');

/**
 * @returns the path of the command line's script, with the rest of dist/ but the declarations beside it.
 * @throws Error when it cannot be built, to all that wait for it.
 */
export async function builtCommand(): Promise<string> {
  const run = inject('folderOfRun');
  const [done, failed] = [path.join(run, 'built'), path.join(run, 'failed')];
  if (isFirst(path.join(run, 'building'))) {
    try {
      await promisify(execFile)(process.execPath, ['scripts/build.mjs', '--no-types']);
      writeFileSync(done, '');
    } catch (error) {
      writeFileSync(failed, '');
      throw error;
    }
  }
  while (!existsSync(done)) {
    if (existsSync(failed)) throw new Error('dist/ cannot be built: npm run build says why');
    await setTimeout(50);
  }
  return COMMAND;
}

/** Of all processes one makes the folder. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
