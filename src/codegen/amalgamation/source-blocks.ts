/** Generated C taken apart into blocks at file scope: the names that a block declares, the names that it mentions. */

/** Text of a file between blank lines at file scope, outside of braces, comments and conditions of the preprocessor. */
export interface Block {
  readonly text: string;
  /** Names at file scope that it declares or defines: functions, tables, types, enumerators, macros. */
  readonly names: ReadonlySet<string>;
  /** All identifiers in it, without those of comments and strings. */
  readonly mentions: ReadonlySet<string>;
}

const COMMENT_OR_STRING = /\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"/g;

/** Lengths and lines stay as they are. */
const codeOf = (text: string): string => text.replace(COMMENT_OR_STRING, (part) => part.replace(/[^\n]/g, ' '));

export function blockOf(text: string): Block {
  const code = codeOf(text);
  return { text, names: declaredNames(code), mentions: new Set(code.match(/[A-Za-z_]\w*/g)) };
}

export function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const code = codeOf(text).split('\n');
  const blocks: Block[] = [];
  let own: string[] = [];
  let [braces, conditions] = [0, 0];
  const close = (): void => {
    if (own.length > 0) blocks.push(blockOf(own.join('\n')));
    own = [];
  };
  for (const [i, line] of lines.entries()) {
    if (line.trim() === '' && braces === 0 && conditions === 0) {
      close();
      continue;
    }
    own.push(line);
    if (/^\s*#\s*if/.test(code[i]!)) conditions++;
    else if (/^\s*#\s*endif/.test(code[i]!)) conditions--;
    else for (const sign of code[i]!) braces += sign === '{' ? 1 : sign === '}' ? -1 : 0;
  }
  close();
  return blocks;
}

export const isComment = ({ text }: Block): boolean => codeOf(text).trim() === '';

/** Has a function with its body. */
export const definesFunction = ({ text }: Block): boolean => /\)\s*\{/.test(codeOf(text));

const KEYWORDS = new Set(
  (
    'auto break case char const continue default do double else enum extern float for goto if inline int long register restrict return ' +
    'short signed sizeof static struct switch typedef union unsigned void volatile while defined'
  ).split(' '),
);

/** Words of the language, types of its library, and extensions of compilers. */
const isReserved = (word: string): boolean => KEYWORDS.has(word) || word.startsWith('__') || word.endsWith('_t');

function declaredNames(code: string): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [, name] of code.matchAll(/^[ \t]*#[ \t]*define[ \t]+(\w+)/gm)) names.add(name!);
  const declarations = code.replace(/^[ \t]*#(?:.*\\\n)*.*$/gm, '');
  for (const [, list] of declarations.matchAll(/\benum\s*\w*\s*\{([^}]*)\}/g))
    for (const [, name] of list!.matchAll(/(\w+)\s*(?:=[^,]*)?(?:,|$)/g)) names.add(name!);
  let depth = 0;
  let isValue = false;
  for (const [token] of declarations.matchAll(/[A-Za-z_]\w*|[^\s\w]/g)) {
    if ('([{'.includes(token)) depth++;
    else if (')]}'.includes(token)) depth--;
    else if (depth > 0) continue;
    else if (token === '=') isValue = true;
    else if (token === ',' || token === ';') isValue = false;
    else if (/\w/.test(token) && !isValue && !isReserved(token)) names.add(token);
  }
  return names;
}

/** Other names for identifiers; members of structures, comments and strings keep theirs. */
export function renamed({ text }: Block, names: ReadonlyMap<string, string>): Block {
  const code = codeOf(text);
  const isMember = (at: number): boolean => /(?:->|\.)\s*$/.test(code.slice(Math.max(0, at - 4), at));
  const other = text.replace(/[A-Za-z_]\w*/g, (word, at: number) =>
    code[at] === ' ' || isMember(at) || /\w/.test(text[at - 1] ?? '') ? word : (names.get(word) ?? word),
  );
  return blockOf(other);
}
