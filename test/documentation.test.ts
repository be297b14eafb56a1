/** The pages of the project hold together: links lead somewhere, the words of the glossary are those of the code, tables stay readable. */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { RESERVED_NAMES } from '../src/description/values/reserved-names.ts';

function filesBelow(folder: string, ending: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesBelow(path, ending);
    return entry.name.endsWith(ending) ? [path] : [];
  });
}

const pages = [
  ...readdirSync('.').filter((name) => name.endsWith('.md')),
  ...['docs', 'bench', 'examples', 'test'].flatMap((folder) => filesBelow(folder, '.md')),
];

const textOf = (page: string): string => readFileSync(page, 'utf8').replace(/^```[^]*?^```/gm, '');

/** The anchors that GitHub gives to headings. */
const anchorsOf = (page: string): string[] =>
  [...textOf(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    heading!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );

function brokenLinks(page: string): string[] {
  return [...textOf(page).matchAll(/\]\(([^)\s]+)\)/g)].flatMap(([, target]) => {
    if (/^https?:/.test(target!)) return [];
    const [path, anchor] = target!.split('#') as [string, string?];
    const file = path === '' ? page : join(dirname(page), path);
    if (!existsSync(file)) return [target!];
    if (anchor === undefined || statSync(file).isDirectory()) return [];
    return anchorsOf(file).includes(anchor) ? [] : [target!];
  });
}

/** Cells of all tables, as they are shown: links without their targets. */
const cellsOf = (page: string): string[] =>
  textOf(page)
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .flatMap((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim().replace(/\]\([^)]*\)/g, ']')));

it.each(pages)('%s has no link without a target', (page) => {
  expect(brokenLinks(page)).toEqual([]);
});

it.each(['CONTRIBUTING.md', 'docs/architecture.md'])('%s names files that are there', (page) => {
  const known = ['src', 'test', 'docs', 'scripts', 'examples', 'generated'].flatMap((folder) => filesBelow(folder, ''));
  const here = [...known, ...readdirSync('.')].map((file) => `/${file.replaceAll('\\', '/')}`);
  const named = [...textOf(page).matchAll(/`([\w./-]+\.(?:ts|mjs|ya?ml))`/g)].map((match) => match[1]!);
  expect(named.length).toBeGreaterThan(20);
  const written = named.filter((file) => !/[A-Z]{4}/.test(file));
  expect(written.filter((file) => !here.some((own) => own.endsWith(`/${file}`)))).toEqual([]);
});

describe('docs/glossary.md', () => {
  const page = 'docs/glossary.md';
  const sources = [
    ...filesBelow('src', '.ts').map((file) => readFileSync(file, 'utf8')),
    ...filesBelow('templates', '.eta').map((file) => readFileSync(file, 'utf8')),
  ].join('\n');
  const rows = textOf(page)
    .split('\n')
    .filter((line) => /^\| (?!term )/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  it('has sixty-four terms at most, each once', () => {
    const terms = rows.map(([, term]) => term);
    expect(new Set(terms).size).toBe(terms.length);
    expect(terms.length).toBeLessThanOrEqual(64);
  });

  it.each(rows)('%s%s stands where it is said to', (_, __, ___, where) => {
    const words = [...where.matchAll(/`([^`]+)`/g)].map((match) => match[1]!);
    expect(words.length + (where.includes('](') ? 1 : 0)).toBeGreaterThan(0);
    for (const word of words) {
      if (word.startsWith('src/')) expect(existsSync(word), word).toBe(true);
      else for (const part of word.split(/NAME_|NAME\.|link_TYPE|: /)) expect(isNamed(part), part).toBe(true);
    }
  });

  /** As it is, or as TypeScript writes what C calls with underscores. */
  const isNamed = (name: string): boolean =>
    name === '' ||
    [name, name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase())].some((text) =>
      new RegExp(`(?<![\\w-])${text}(?![\\w-])`).test(sources),
    );
});

const readable = pages.filter((page) => /^(README|docs\/(glossary|commands|robot-file))/.test(page));

it.each(readable)('%s has no cell that takes more than two lines', (page) => {
  expect(cellsOf(page).filter((cell) => cell.length > 160)).toEqual([]);
});

describe('docs/robot-file/values.md', () => {
  const WHO = { identifier: 'parameters and coordinates', frame: 'links, frames and masses', robot: 'the robot' };

  it.each(['identifier', 'frame', 'robot'] as const)('lists all reserved names: %s', (kind) => {
    const page = readFileSync('docs/robot-file/values.md', 'utf8');
    const section = page.slice(page.indexOf('## Reserved names'));
    const lists = [...section.matchAll(/^(.+), not for (.+):\n\n```text\n([^`]*)\n```$/gm)];
    const listed = lists
      .filter(([, , who]) => who!.includes(WHO[kind]))
      .map(([, why, , names]) => [why!.toLowerCase(), names!.split(/\s+/).sort()]);
    const reserved = RESERVED_NAMES[kind].map(({ why, names }) => [why.toLowerCase(), [...names].sort()]);
    expect(listed.sort()).toEqual(reserved.sort());
  });
});
