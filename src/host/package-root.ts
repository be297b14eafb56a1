/** Where the files of the package are: found from the source tree (src/host) and from the bundle (dist) alike. */
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Folder of the package. */
const root = ['../', '../../']
  .map((up) => new URL(up, import.meta.url))
  .find((url) => existsSync(new URL('templates/c', url)));

/** Absolute path of a file of the package, by its path from the package's root. */
export function packagePath(path: string): string {
  if (!root) throw new Error('the files of kanegen are missing from its installation');
  return fileURLToPath(new URL(path, root));
}
