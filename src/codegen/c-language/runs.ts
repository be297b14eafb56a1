/**
 * Lines of C made shorter: statements one after the other that clear or copy numbers which stand one after the other are one call;
 * no braces stand about one statement.
 */

const ELEMENT = String.raw`(\w+)\[([^\]]+)\]`;
const CLEARED = new RegExp(String.raw`^${ELEMENT} = KG_REAL\(0\.0\);$`);
const COPIED = new RegExp(String.raw`^${ELEMENT} = ${ELEMENT};$`);

/** Fewer statements stay as they are. */
const FEWEST = 3;

interface Place {
  readonly array: string;
  /** What the index is but for the number at its end. */
  readonly from: string;
  readonly index: number;
}

interface Move {
  readonly kind: 'clear' | 'copy';
  readonly places: readonly Place[];
}

function placeOf(array: string, index: string): Place {
  const [, from = '', number = '0'] = /^(.*?)(?:(?:^| \+ )(\d+))?$/.exec(index)!;
  return { array, from, index: Number(number) };
}

function moveOf(line: string): Move | undefined {
  const [, ...cleared] = CLEARED.exec(line) ?? [];
  if (cleared.length > 0) return { kind: 'clear', places: [placeOf(cleared[0]!, cleared[1]!)] };
  const [, ...parts] = COPIED.exec(line) ?? [];
  if (parts.length === 0) return undefined;
  const [to, at, from, start] = parts as [string, string, string, string];
  return { kind: 'copy', places: [placeOf(to, at), placeOf(from, start)] };
}

function follows(before: Move, next: Move | undefined, distance: number): boolean {
  return (
    next?.kind === before.kind &&
    next.places.every((place, i) => {
      const first = before.places[i]!;
      return place.array === first.array && place.from === first.from && place.index === first.index + distance;
    })
  );
}

const pointer = ({ array, from, index }: Place): string =>
  [array, from, index === 0 ? '' : String(index)].filter((part) => part !== '').join(' + ');

/** Two stretches of numbers that overlap are moved one number after the other. */
function overlap([to, from]: readonly Place[], count: number): boolean {
  return (
    from !== undefined && to!.array === from.array && to!.from === from.from && Math.abs(to!.index - from.index) < count
  );
}

function callOf({ kind, places }: Move, count: number): string {
  const list = places.map(pointer).join(', ');
  if (kind === 'copy') return `kg_copy(${list}, ${count});`;
  return `kg_clear(${list}, ${count});`;
}

/** @param lines statements, none of which goes on in the next line. */
export function inRuns(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < lines.length;) {
    const line = lines[i]!;
    const indent = /^ */.exec(line)![0];
    const [, text = '', note = ''] = /^(.*?)( \/\* .* \*\/)?$/.exec(line.trim())!;
    const move = moveOf(text);
    let count = 1;
    if (move) while (i + count < lines.length && follows(move, moveOf(lines[i + count]!.trim()), count)) count++;
    if (move && count >= FEWEST && !overlap(move.places, count)) {
      found.push(`${indent}${callOf(move, count)}${note}`);
      i += count;
    } else {
      found.push(line);
      i++;
    }
  }
  return found;
}

/** @param lines as above: a head with its brace, statements, the closing brace in a line of its own. */
export function withoutBraces(lines: readonly string[]): string[] {
  const found: string[] = [];
  for (let i = 0; i < lines.length; i++) {
    const [line, inner, end] = [lines[i]!, lines[i + 1] ?? '', lines[i + 2] ?? ''];
    const [, indent, head, note = ''] = /^( *)((?:if|for) \(.*\)) \{( \/\*.*\*\/)?$/.exec(line) ?? [];
    const isOne = /^ +(?! |if |for |switch |const |kg_real |int )[^{}]*;(?: \/\*.*\*\/)?$/.test(inner);
    if (head === undefined || !isOne || end !== `${indent}}`) found.push(line);
    else {
      found.push(`${indent}${head}${note}`, inner);
      i += 2;
    }
  }
  return found;
}
