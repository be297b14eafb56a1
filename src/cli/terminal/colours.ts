/** Colours of what is good, wrong or to be noted, where a person reads: in terminals, unless NO_COLOR says no or FORCE_COLOR yes. */

const CODES = { red: 31, green: 32, yellow: 33, cyan: 36 } as const;
type Colour = keyof typeof CODES;

/** What is coloured, the first group of each. */
const MARKS: readonly (readonly [pattern: RegExp, colour: Colour])[] = [
  [/(?<=^|: )(error|internal error):/gm, 'red'],
  [/(?<=^|: )(warning):/gm, 'yellow'],
  [/(?<=^|: )(note):/gm, 'cyan'],
  [/^ {2}→/gm, 'cyan'],
  [/\b(?:FAILED|NOT STABLE)\b/g, 'red'],
  [/\bNOT CHECKED\b/g, 'yellow'],
  [/^ok(?= {2})/gm, 'green'],
];

interface Stream {
  readonly isTTY?: boolean;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** NO_COLOR counts when it is not empty (no-color.org), FORCE_COLOR unless it is 0, NO_COLOR first. */
export function isColoured({ isTTY }: Stream, { NO_COLOR, FORCE_COLOR, TERM }: Environment = process.env): boolean {
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false;
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return isTTY === true && TERM !== 'dumb';
}

/** Results that are JSON stay as they are. @param text that acts on no terminal by itself. */
export function coloured(text: string, stream: Stream): string {
  if (!isColoured(stream) || /^\s*[[{]/.test(text)) return text;
  return MARKS.reduce(
    (own, [pattern, colour]) => own.replace(pattern, (found) => `\u001b[${CODES[colour]}m${found}\u001b[0m`),
    text,
  );
}
