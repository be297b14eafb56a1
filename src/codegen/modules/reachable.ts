/** Which definitions of a module are mentioned by what callers see of it: code contains no others. */

export interface Definition {
  /** The names that it defines. */
  readonly names: readonly string[];
  readonly text: string;
}

/**
 * Definitions that these texts mention, and those that they mention in turn, in their order.
 * @throws Error where two of them define one name: only one would be there.
 */
export function reachable<D extends Definition>(definitions: readonly D[], from: readonly string[]): D[] {
  const byName = new Map<string, D>();
  for (const own of definitions)
    for (const name of own.names) {
      if (byName.has(name)) throw new Error(`generated code defines ${name} twice`);
      byName.set(name, own);
    }
  const found = new Set<Definition>();
  const open = [...from];
  for (let text = open.pop(); text !== undefined; text = open.pop())
    for (const name of wordsOf(text)) {
      const own = byName.get(name);
      if (!own || found.has(own)) continue;
      found.add(own);
      open.push(own.text);
    }
  return definitions.filter((own) => found.has(own));
}

/** Identifiers outside of comments. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.replace(/\/\*[\s\S]*?\*\//g, '').match(/[A-Za-z_]\w*/g));
}
