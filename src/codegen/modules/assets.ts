/**
 * Files of the package that generated folders are made of: templates and the run-time sources that are copied verbatim.
 */
import { host } from '#host';

const texts = new Map<string, string>();

/** Text of a file of the package, by its path from the package's root. @throws KanegenError `not-built` for scripts of a source checkout. */
export function packageFile(path: string): string {
  let text = texts.get(path);
  if (text === undefined) {
    text = host.packageFile(path);
    texts.set(path, text);
  }
  return text;
}

export function packageVersion(): string {
  return (JSON.parse(packageFile('package.json')) as { version: string }).version;
}
