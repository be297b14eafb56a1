/** Statements and lists of generated C on as many lines as they take. */

/** Columns of generated text. */
export const WIDTH = 120;

/** `int name(const kg_real q[], kg_real tau[])` of `int name(` and its parameters, which stay whole. */
export function signature(head: string, parameters: readonly string[]): string {
  const short = `${head}${parameters.join(', ')})`;
  return short.length < WIDTH ? short : `${head}\n    ${inColumns(parameters, WIDTH - 8).join('\n    ')})`;
}

/** A list on as many lines as it takes, without a comma at its end. */
export function inColumns(items: readonly string[], width: number): string[] {
  return packed(items, width, Infinity).map((line, i, all) => (i < all.length - 1 ? `${line},` : line));
}

/** Items joined by commas, on lines of so many characters and items at most. */
export function packed(items: readonly string[], width: number, most: number): string[] {
  const lines: { text: string; count: number }[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    const longer = `${last?.text ?? ''}, ${item}`;
    if (last && last.count < most && longer.length <= width) {
      last.text = longer;
      last.count++;
    } else lines.push({ text: item, count: 1 });
  }
  return lines.map(({ text }) => text);
}

/** Lines that are shorter than this share of the width are not made to keep brackets whole. */
const LEAST_SHARE = 0.4;

/** A statement on as many lines as it takes, those after the first four columns further in; what fits stays as it is. */
export function onLines(line: string, width = WIDTH): string[] {
  if (line.length <= width) return [line];
  const indent = /^ */.exec(line)![0];
  const parts = brokenLine(line.trimStart(), width - indent.length - 4);
  return parts.map((part, i) => `${indent}${i === 0 ? '' : '    '}${part}`);
}

/**
 * A statement on lines of so many characters at most where it has spaces for it: after commas and beside operators rather than between
 * other words, and outside of brackets rather than in them; never in the text of a string.
 */
function brokenLine(line: string, width: number): string[] {
  if (line.length <= width) return [line];
  const places = breaksOf(line);
  const within = places.filter(({ at }) => at <= width);
  const candidates = within.filter(({ at }) => at >= LEAST_SHARE * width);
  const best = (candidates.length > 0 ? candidates : within.length > 0 ? within : places.slice(0, 1)).reduce<
    Break | undefined
  >((least, own) => (least !== undefined && least.cost < own.cost ? least : own), undefined);
  if (!best) return [line];
  return [line.slice(0, best.at), ...brokenLine(line.slice(best.at + 1), width)];
}

interface Break {
  /** Of a space. */
  readonly at: number;
  readonly cost: number;
}

/** What stands between these says how a kernel of a graphics processor is launched. */
const [LAUNCH, LAUNCHED] = ['<<<', '>>>'];

function breaksOf(line: string): readonly Break[] {
  const found: Break[] = [];
  let depth = 0;
  let isText = false;
  for (let at = 0; at < line.length; at++) {
    const own = line[at]!;
    if (own === '"' && line[at - 1] !== '\\') isText = !isText;
    if (isText) continue;
    if ('([{'.includes(own) || line.startsWith(LAUNCH, at)) depth++;
    if (')]}'.includes(own) || line.startsWith(LAUNCHED, at)) depth--;
    if (own !== ' ') continue;
    found.push({ at, cost: 3 * depth + rankOf(line.slice(0, at), line.slice(at)) });
  }
  return found;
}

/** How bad it is to end a line before a space: least after commas and beside conditions, then beside operators that bind least. */
function rankOf(before: string, after: string): number {
  if (/[,;]$|[^<>=!]=$/.test(before) || /^ (?:&&|\|\|) /.test(after)) return 0;
  if (/^ [-+?:] /.test(after)) return 1;
  return /^ [*/] /.test(after) ? 2 : 4;
}
