/** Formulas that YAML cut at commas within `{ }`. */
import type { KanegenError } from '../../common/error.ts';
import type { Path, Place } from '../source/source.ts';

export interface TakenApart {
  /** Of the map. */
  readonly path: Path;
  readonly problem: KanegenError;
}

/** Every such map of a document. @param place of the document. */
export function takenApart(place: Place, data: unknown): TakenApart[] {
  const found: TakenApart[] = [];
  const visit = (value: unknown, path: Path): void => {
    if (typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) return value.forEach((part, i) => visit(part, [...path, i]));
    const own = Object.entries(value as Record<string, unknown>);
    const isEnd = own.some(([key, part]) => part === null && openBrackets(key) < 0);
    for (const [key, part] of own) {
      if (isEnd && typeof part === 'string' && openBrackets(part) > 0) {
        const message = `\`${part}\` is half a formula: YAML splits maps at every comma`;
        const at = place.at(...path, key);
        found.push({ path, problem: at.error('unquoted-formula', message, `quote this formula: "${part}, …"`) });
      } else visit(part, [...path, key]);
    }
  };
  visit(data, []);
  return found;
}

/** Round brackets that a text opens and does not close; below zero: closes that it did not open. */
function openBrackets(text: string): number {
  let open = 0;
  for (const character of text) open += character === '(' ? 1 : character === ')' ? -1 : 0;
  return open;
}
