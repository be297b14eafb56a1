/** Where commands keep what they compiled: one folder per user, unless the environment names another one. */
import { homedir } from 'node:os';
import path from 'node:path';
import { BUILD } from '../../codegen/modules/version.ts';
import { CacheFolder } from '../../files/cache-folder.ts';
import { complain } from '../terminal/terminal.ts';

/** Of commands that compile. */
export interface CacheOptions {
  /** False with `--no-cache`. */
  readonly cache?: boolean;
}

/** KANEGEN_CACHE, or `kanegen` where the system keeps such things. */
export function cachePlace(): string {
  const { KANEGEN_CACHE: own, XDG_CACHE_HOME: xdg, LOCALAPPDATA: local } = process.env;
  if (own) return path.resolve(own);
  if (xdg && path.isAbsolute(xdg)) return path.join(xdg, 'kanegen');
  if (process.platform === 'win32' && local) return path.join(local, 'kanegen', 'Cache');
  return path.join(homedir(), ...(process.platform === 'darwin' ? ['Library', 'Caches'] : ['.cache']), 'kanegen');
}

let folder: CacheFolder | undefined;

/**
 * The cache of this process, which says once that it cannot be written.
 * @returns undefined with `--no-cache`, and where sources run that may change from one run to the next, unless KANEGEN_CACHE is set.
 */
export function cacheOf({ cache = true }: CacheOptions): CacheFolder | undefined {
  if (!cache || (BUILD === '' && !process.env['KANEGEN_CACHE'])) return undefined;
  const place = cachePlace();
  if (folder?.folder !== place) folder = new CacheFolder(place, { say: (message) => complain(`note: ${message}\n`) });
  return folder;
}
