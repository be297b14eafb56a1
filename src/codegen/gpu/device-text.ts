/** C as code for devices in CUDA C++: functions and tables get the word of devices, linked names go, names stay apart in one file. */
import { blockOf, renamed } from '../amalgamation/source-blocks.ts';

/** Extern blocks, linked names, storage: what C has for its linkers. */
const OF_LINKERS = [
  /^#ifdef __cplusplus\n(?:extern "C" \{|\})\n#endif\n\n?/gm,
  /^#define \w+ (?:\\\n\s*)?KG_(?:LINKED|RUN_TIME)\(.*\)\n+/gm,
  /^KG_SHARED\n/gm,
];
const FUNCTION = /^(?:static )?(?:inline\s+)?(kg_status|kg_real|void|int) (\w+)\(/gm;

/**
 * @param text C whose definitions at file scope begin lines.
 * @returns the same operations. Memory is not volatile: compilers of devices keep what is not finite unless they are told not to.
 */
export function deviceText(text: string): string {
  return OF_LINKERS.reduce((rest, part) => rest.replace(part, ''), text)
    .replace(/^#include "(\w+)\.h"$/gm, '#include "$1.cuh"')
    .replace(FUNCTION, 'KG_DEVICE static inline $1 $2(')
    .replace(/^static const /gm, 'KG_DEVICE static const ')
    .replace(/\bvolatile /g, '');
}

/** Names at file scope begin with a word of their own, so that sources can stand in one file with those of others. */
export function withPrefix(text: string, prefix: string): string {
  const block = blockOf(text);
  const isApart = (name: string): boolean => /^kg_/i.test(name) || name.startsWith(prefix);
  const names = [...block.names].filter((name) => !isApart(name));
  return renamed(
    block,
    new Map(names.map((name) => [name, `${/[a-z]/.test(name) ? prefix : prefix.toUpperCase()}${name}`])),
  ).text;
}

/** What a header says, without its guard. */
export function withoutGuard(text: string): string {
  return text.replace(/^#ifndef \w+\n+#define \w+\n+/m, '').replace(/#endif\s*$/, '');
}
