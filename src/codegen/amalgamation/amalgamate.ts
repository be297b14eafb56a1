/**
 * The generated C of a robot as one header and one source file, for those who copy files into a project: run time, link modules,
 * robot and all else in one translation unit, where everything but the functions of the header is static. Operations stay as they are.
 */
import { withinColumns } from '../c-language/source-text.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { blockOf, blocksOf, definesFunction, isComment, renamed, type Block } from './source-blocks.ts';

/**
 * @param name of the robot in C.
 * @param files everything that a folder of generated C holds.
 * @returns `NAME.h` and `NAME.c`, and the self-test where there is one, which includes `NAME.h` alone.
 */
export function amalgamated(name: string, files: readonly GeneratedFile[]): GeneratedFile[] {
  const headers = inOrder(files.filter(({ path }) => path.endsWith('.h')));
  const isPublic = publicHeaders(name, headers);
  const selfTest = `${name}_selftest.c`;
  const sources = files.filter(({ path }) => path.endsWith('.c') && path !== selfTest);
  const internal = headers.filter(({ path }) => !isPublic(path));
  const rank = ({ path }: GeneratedFile): number => {
    if (path === `${name}.c`) return 2;
    if (!internal.some((header) => header.path === `${path.slice(0, -2)}.h`)) return 3;
    return path.startsWith('kanegen_') ? 0 : 1;
  };
  const shown = headers.filter(({ path }) => isPublic(path));
  const beside = shownBeside(shown, internal, sources);
  const known = namesOf(headers);
  const hidden = new Set([...functionsOf(sources.filter((file) => rank(file) < 2))].filter((own) => known.has(own)));
  const kernels = functionsOf(sources.filter((file) => rank(file) === 1));
  const taken = new Set(beside.flatMap(({ from }) => from));
  const sections = [
    ...internal.map((file) => ({ file, blocks: headerBlocks(file.text) })),
    ...[...sources].sort((a, b) => rank(a) - rank(b)).map((file) => ({ file, blocks: blocksOf(file.text) })),
  ].map(({ file, blocks }) =>
    section(
      file,
      blocks.filter(({ text }) => !taken.has(text)),
    ),
  );
  const statics = sections.map((own) => ({
    ...own,
    blocks: own.blocks.flatMap((block) => madeStatic(block, hidden, kernels)),
  }));
  const parts = withoutIdle(merged(name, statics, known), namesOf(shown)).flatMap(({ path, blocks }) => [
    `/* ${'-'.repeat(Math.max(4, 110 - path.length))} ${path.replace(/\.[ch]$/, '')} */`,
    ...blocks.map(({ text }) => text),
  ]);
  const head = `/* ${name}: all of it but ${name}.h in one file; see there. */`;
  const tests = files.filter(({ path }) => path === selfTest);
  return [
    { path: `${name}.h`, text: headerText(name, shown, beside) },
    {
      path: `${name}.c`,
      text: `${[head, `#include "${name}.h"`, ...systemIncludes(sources), ...parts].join('\n\n')}\n`,
    },
    ...tests.map(({ path, text }) => ({ path, text: including(name, text) })),
  ];
}

const INCLUDE = /^#include "([^"]+)"\n?/gm;
const SYSTEM_INCLUDE = /^#include <[^>]+>\n?/gm;

const includesOf = ({ text }: GeneratedFile): string[] => [...text.matchAll(INCLUDE)].map(([, path]) => path!);

/** Every header after those that it includes. */
function inOrder(headers: readonly GeneratedFile[]): GeneratedFile[] {
  const ordered = new Set<GeneratedFile>();
  const add = (file: GeneratedFile): void => {
    for (const path of includesOf(file)) for (const other of headers) if (other.path === path) add(other);
    ordered.add(file);
  };
  headers.forEach(add);
  return [...ordered];
}

/** The run time's, the robot's, that of rods at rest, which needs no robot, and those that include the robot's. */
function publicHeaders(name: string, ordered: readonly GeneratedFile[]): (path: string) => boolean {
  const paths = new Set(['kanegen_runtime.h', `${name}.h`, `${name}_rod_statics.h`]);
  for (const file of ordered)
    if (includesOf(file).some((path) => path !== 'kanegen_runtime.h' && paths.has(path))) paths.add(file.path);
  return (path) => paths.has(path);
}

function functionsOf(files: readonly GeneratedFile[]): ReadonlySet<string> {
  const defined = files.flatMap(({ text }) => blocksOf(text).filter(definesFunction));
  return new Set(defined.flatMap(({ text }) => [...text.matchAll(/^[a-z][\w *]*?(\w+)\(/gm)].map(([, own]) => own!)));
}

/** What programs call of internal headers, though no other code does; of the others functions are not shown. */
const FOR_CALLERS: Readonly<Record<string, RegExp>> = {
  'kanegen_trajectories.h': /^kg_/,
  'kanegen_shell.h': /^kg_share_of$/,
};

/** What stands in the header of an internal one. */
interface ShownBeside {
  readonly path: string;
  readonly texts: readonly string[];
  /** Texts of blocks that stand nowhere else. */
  readonly from: readonly string[];
}

/**
 * Types and constants of internal headers from which public ones have a type, and functions for callers: static, so that neither a second
 * robot nor a program that calls none has them twice.
 */
function shownBeside(
  shown: readonly GeneratedFile[],
  internal: readonly GeneratedFile[],
  sources: readonly GeneratedFile[],
): readonly ShownBeside[] {
  const mentioned = new Set(shown.flatMap(({ text }) => [...blockOf(text).mentions]));
  return internal.flatMap(({ path, text }) => {
    const blocks = headerBlocks(text);
    const types = blocks.filter(isTypeOrConstant);
    const stem = path.slice(0, -2);
    const source = sources.find((file) => file.path === `${stem}.c`);
    const called = FOR_CALLERS[path];
    const functions = called && source ? functionsForCallers(stem, called, blocks, blocksOf(source.text)) : undefined;
    const isNeeded = types.some(({ names }) => [...names].some((name) => mentioned.has(name)));
    if (!isNeeded && !functions) return [];
    const own = types.map((block) => block.text);
    return [
      {
        path,
        texts: [...own, ...(functions?.texts ?? [])].map((part) => part.trim()),
        from: [...own, ...(functions?.from ?? [])],
      },
    ];
  });
}

/** Prototypes, then definitions with the helpers that they take, whose names tell the file. */
function functionsForCallers(
  stem: string,
  called: RegExp,
  declared: readonly Block[],
  defined: readonly Block[],
): Pick<ShownBeside, 'texts' | 'from'> {
  const isCalled = (own: Block): boolean => called.test(functionName(own) ?? '');
  const prototypes = declared.filter((own) => isCalled(own) && !definesFunction(own));
  const functions = defined.filter(definesFunction);
  const needed = new Set(functions.filter(isCalled));
  for (const { mentions } of needed) for (const own of functions) if (mentions.has(functionName(own)!)) needed.add(own);
  const definitions = functions.filter((own) => needed.has(own));
  const helpers = definitions.filter((own) => !isCalled(own)).map((own) => functionName(own)!);
  const names = new Map(helpers.map((own) => [own, `${stem.replace('kanegen', 'kg')}_${own}`]));
  return {
    texts: [...prototypes, ...definitions.map((own) => renamed(own, names))].map(({ text }) =>
      withinColumns(text.replace(/^KG_SHARED\n/gm, '').replace(SIGNATURE, 'static inline $1$2(')),
    ),
    from: [...prototypes, ...definitions].map(({ text }) => text),
  };
}

const SIGNATURE = /^(?:static )?((?:void|kg_real|int|kg_status) )(\w+)\(/m;

const functionName = ({ text }: Block): string | undefined => SIGNATURE.exec(text)?.[2];

const isTypeOrConstant = ({ text, names }: Block): boolean =>
  names.size > 0 && !/\bKG_(?:LINKED|RUN_TIME)\(/.test(text) && !/^[a-z][\w *]*?\w+\(/m.test(text);

function headerText(name: string, headers: readonly GeneratedFile[], shown: readonly ShownBeside[]): string {
  const [runTime, ...rest] = headers.map(({ text }) =>
    text
      .replace(INCLUDE, '')
      .replace(/\n{3,}/g, '\n\n')
      .trimEnd(),
  );
  const beside = shown.map(({ path, texts }) => {
    const guard = path.toUpperCase().replace('.', '_');
    return [`#ifndef ${guard}\n#define ${guard}`, ...texts, '#endif'].join('\n\n');
  });
  const guard = `${name.toUpperCase()}_AMALGAMATED_H`;
  return `${[`#ifndef ${guard}\n#define ${guard}`, runTime, ...beside, ...rest, '#endif'].join('\n\n')}\n`;
}

function namesOf(headers: readonly GeneratedFile[]): ReadonlySet<string> {
  return new Set(headers.flatMap(({ text }) => headerBlocks(text).flatMap(({ names }) => [...names])));
}

function withoutGuard(header: string): string {
  return header
    .replace(/#ifndef \w+\n+#define \w+\n/, '')
    .replace(/#endif\s*$/, '')
    .replace(/#ifdef __cplusplus\n(?:extern "C" \{|\})\n#endif\n/g, '');
}

interface Section {
  readonly path: string;
  readonly blocks: readonly Block[];
}

const headerBlocks = (text: string): Block[] => blocksOf(withoutGuard(text));

function section({ path }: GeneratedFile, blocks: readonly Block[]): Section {
  const texts = blocks.map(({ text }) => text.replace(INCLUDE, '').replace(SYSTEM_INCLUDE, '').trim());
  // The head says where the code comes from, as the header does.
  const own = texts.filter((text) => text !== '' && !/^\/\*[^/]*do not edit[.:][^/]*\*\/$/i.test(text));
  return { path, blocks: own.map(blockOf) };
}

function systemIncludes(sources: readonly GeneratedFile[]): string[] {
  const all = sources.flatMap(({ text }) => [...text.matchAll(SYSTEM_INCLUDE)].map(([line]) => line.trim()));
  return all.length > 0 ? [[...new Set(all)].sort().join('\n')] : [];
}

/** Functions of internal headers become static; names for the linker go. */
function madeStatic(block: Block, hidden: ReadonlySet<string>, kernels: ReadonlySet<string>): Block[] {
  const linked = /^#define (\w+) (?:\\\n\s*)?KG_(?:LINKED|RUN_TIME)\(.*\)$\n?/gm;
  // Definitions of kernels say the same as their prototypes.
  if (!definesFunction(block) && [...block.names].some((own) => kernels.has(own))) return [];
  const text = block.text
    .replace(linked, (line, name: string) => (hidden.has(name) ? '' : line))
    .replace(/^KG_SHARED\n/gm, '')
    .replace(/^(?:void|kg_real|int|kg_status) (\w+)\(/gm, (line, name: string) =>
      hidden.has(name) ? `static ${line}` : line,
    );
  return text.trim() === '' ? [] : [blockOf(text)];
}

/** Text before the names of a file that would otherwise be those of others. */
function prefixOf(robot: string, path: string): string {
  const stem = path.replace(/\.[ch]$/, '');
  if (stem === robot) return 'driver_';
  return `${stem.startsWith(`${robot}_`) ? stem.slice(robot.length + 1) : stem}_`;
}

/** Blocks with the pragmas under which they stand. */
function settingsOf(blocks: readonly Block[]): string[] {
  let setting = '';
  return blocks.map((block) => {
    if (block.text.includes('GCC push_options')) setting = block.text;
    if (block.text.includes('GCC pop_options')) setting = '';
    return definesFunction(block) ? setting : '';
  });
}

/**
 * Names of files become names of the translation unit: where others mention the same, they get a prefix. A helper that several files
 * have, with the same text after that, stands once.
 */
function merged(robot: string, sections: readonly Section[], known: ReadonlySet<string>): Section[] {
  const words = new Set(sections.flatMap(({ blocks }) => blocks.flatMap(({ mentions }) => [...mentions])));
  /** By name, by file: the first text that declares it there; '' where none does. */
  const meanings = new Map<string, Map<string, string>>();
  for (const { path, blocks } of sections) {
    const settings = settingsOf(blocks);
    for (const [i, { text, names, mentions }] of blocks.entries())
      for (const word of mentions) {
        const own = meanings.get(word) ?? new Map<string, string>();
        own.set(path, own.get(path) || (names.has(word) ? `${settings[i]!}\n${text}` : ''));
        meanings.set(word, own);
      }
  }
  /** Names that stand as they are. The same text is another thing where the names in it are others: it has to be written again. */
  const taken = new Set<string>();
  const unitName = (path: string, own: string): string => {
    if (!taken.has(own) && new Set(meanings.get(own)!.values()).size === 1) {
      taken.add(own);
      return own;
    }
    const prefix = prefixOf(robot, path);
    const base = `${/[a-z]/.test(own) ? prefix : prefix.toUpperCase()}${own}`;
    let other = base;
    for (let i = 2; words.has(other) || known.has(other); i++) other = `${base}_${i}`;
    words.add(other);
    return other;
  };
  const written = new Map<string, ReadonlyMap<string, string>>();
  return sections.map(({ path, blocks }) => {
    const settings = settingsOf(blocks);
    const names = new Map<string, string>();
    const kept = blocks.flatMap((block, i) => {
      const news = [...block.names].filter((own) => !known.has(own) && !names.has(own));
      const key = `${settings[i]!}\n${renamed(block, names).text}`;
      const before = news.length > 0 ? written.get(key) : undefined;
      for (const own of news) names.set(own, before?.get(own) ?? unitName(path, own));
      if (before) return [];
      if (news.length > 0) written.set(key, new Map(news.map((own) => [own, names.get(own)!])));
      return [renamed(block, names)];
    });
    return { path, blocks: kept };
  });
}

/** Without static functions, tables and macros that nothing mentions, comments that are about nothing, and sections without code. */
function withoutIdle(sections: readonly Section[], shown: ReadonlySet<string>): Section[] {
  const isPrivate = ({ text, names }: Block): boolean =>
    names.size > 0 && /^(?:static|typedef|enum|struct|#)/.test(text.replace(/^\/\*[\s\S]*?\*\/\s*/, ''));
  const all = sections.flatMap(({ blocks }) => blocks);
  const declaring = new Map<string, Block[]>();
  for (const block of all)
    for (const own of block.names) if (!shown.has(own)) declaring.set(own, [...(declaring.get(own) ?? []), block]);
  const live = new Set<Block>();
  const open = all.filter((block) => !isPrivate(block));
  for (let block = open.pop(); block; block = open.pop()) {
    if (live.has(block)) continue;
    live.add(block);
    for (const word of block.mentions) open.push(...(declaring.get(word) ?? []));
  }
  return sections.flatMap(({ path, blocks }) => {
    const left = blocks.filter((block) => live.has(block));
    const used = left.filter((block, i) => !isComment(block) || (i + 1 < left.length && !isComment(left[i + 1]!)));
    return used.some(({ names }) => names.size > 0) ? [{ path, blocks: used }] : [];
  });
}

/** @returns a program that includes the one header. */
function including(name: string, text: string): string {
  const head = `#include "${name}.h"\n`;
  const at = text.search(INCLUDE);
  return at < 0 ? text : `${text.slice(0, at)}${head}${text.slice(at).replace(INCLUDE, '')}`;
}
