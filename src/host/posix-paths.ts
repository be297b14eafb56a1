/** Paths as Unix has them, for machines without files of their own: a page names the files that it gives. */
import type { Paths } from './host.ts';

/** Without `.`, `..` where something stands before it, and empty parts. */
function normal(path: string): string {
  const isAbsolute = path.startsWith('/');
  const parts: string[] = [];
  for (const part of path.split('/'))
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else if (part !== '' && part !== '.' && !(part === '..' && isAbsolute)) parts.push(part);
  return `${isAbsolute ? '/' : ''}${parts.join('/')}` || '.';
}

const resolve = (...parts: readonly string[]): string =>
  normal(parts.reduce((path, part) => (part.startsWith('/') ? part : `${path}/${part}`), '/'));

export const posixPaths: Paths = {
  sep: '/',
  basename: (path) => path.replace(/\/+$/, '').replace(/^.*\//, ''),
  dirname: (path) => {
    const [, folder] = /^(.*?)\/+[^/]*$/.exec(path.replace(/(?<=.)\/+$/, '')) ?? [];
    return folder === undefined ? '.' : folder || '/';
  },
  isAbsolute: (path) => path.startsWith('/'),
  join: (...parts) => normal(parts.filter((part) => part !== '').join('/')),
  relative: (from, to) => {
    const [own, other] = [from, to].map((path) => resolve(path).split('/').filter(Boolean)) as [string[], string[]];
    const first = own.findIndex((part, i) => part !== other[i]);
    const shared = first < 0 ? own.length : first;
    return [...own.slice(shared).map(() => '..'), ...other.slice(shared)].join('/');
  },
  resolve,
};
