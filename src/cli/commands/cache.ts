/** `kanegen cache`: where robots that were compiled are kept, and how large that is; `kanegen cache clear` removes them. */
import { CacheFolder } from '../../files/cache-folder.ts';
import { cannotWrite } from '../../files/folder.ts';
import { cachePlace } from '../files/cache.ts';
import { UsageError } from '../terminal/failure.ts';
import { print } from '../terminal/terminal.ts';

export function cacheCommand(what: string | undefined): void {
  const folder = new CacheFolder(cachePlace());
  if (what !== undefined && what !== 'clear')
    throw new UsageError(`cache takes clear, or nothing, not ${JSON.stringify(what)}`);
  const { entries, bytes } = folder.size();
  const size = `${entries} ${entries === 1 ? 'entry' : 'entries'}, ${(bytes / 1e6).toFixed(1)} MB`;
  if (what === undefined) {
    print(`${folder.folder}: ${size} of ${folder.most / 1e6} MB at most\n`);
    return;
  }
  try {
    folder.clear();
  } catch (error) {
    throw cannotWrite(folder.folder, error, 'KANEGEN_CACHE');
  }
  print(`${folder.folder}: removed ${size}\n`);
}
