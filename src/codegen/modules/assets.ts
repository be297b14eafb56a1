/**
 * Files of the package that generated folders are made of: templates and the run-time sources that are copied verbatim.
 * Found from the source tree (src/codegen/modules) and from the bundle (dist) alike.
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { KanegenError } from '../../common/error.ts';

const root = ['../', '../../../']
  .map((up) => new URL(up, import.meta.url))
  .find((url) => existsSync(new URL('templates/c', url)));

const texts = new Map<string, string>();

/** Absolute path of a file of the package, by its path from the package's root. */
export function packagePath(path: string): string {
  if (!root) throw new Error('the files of kanegen are missing from its installation');
  return fileURLToPath(new URL(path, root));
}

/** Text of a file of the package, by its path from the package's root. @throws KanegenError `not-built` for scripts of a source checkout. */
export function packageFile(path: string): string {
  if (!root) throw new Error('the templates of kanegen are missing from its installation');
  let text = texts.get(path);
  if (text === undefined) {
    text = readOrSay(new URL(path, root), path);
    texts.set(path, text);
  }
  return text;
}

function readOrSay(url: URL, path: string): string {
  try {
    return readFileSync(url, 'utf8');
  } catch (error) {
    if (!path.startsWith('dist/') || existsSync(url)) throw error;
    throw new KanegenError('not-built', `${path} is missing: scripts of pages are made by the build`, {
      remedy: 'in a checkout of the sources: npm run build',
    });
  }
}

export function packageVersion(): string {
  return (JSON.parse(packageFile('package.json')) as { version: string }).version;
}
