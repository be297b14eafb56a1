/**
 * Names of places in workspaces and blocks, by which generated C says where a number stands: enumerators, each defined where the code
 * mentions it. Quantities that share a place have names of their own with the same value.
 *
 * They are places and no members of structures: ways to the base reach blocks of any type by one pointer, functions of link modules stand in
 * tables, the run time is told blocks and places as arrays and numbers, and C99 has no anonymous unions for what shares a place.
 */
import { identifier, snakeCaseOf } from '../naming/identifiers.ts';
import { inColumns } from '../naming/statement-lines.ts';

/** `BODY_WRENCH` of `bodyWrench`. */
export const placeName = (name: string): string => identifier(snakeCaseOf(name)).toUpperCase();

/** Columns of a line of enumerators. */
const WIDTH = 97;

const ABOUT = {
  workspace: 'Places in the workspace.',
  block: 'Places in the blocks of links; quantities that no call needs at once share a place.',
} as const;

interface NamedPlace {
  readonly value: number;
  readonly where: keyof typeof ABOUT;
}

export class PlaceNames {
  private readonly places = new Map<string, NamedPlace>();

  /** The name of a place; where another place has it, with a number. */
  of(words: readonly string[], value: number, where: NamedPlace['where'] = 'workspace'): string {
    const base = words.map(placeName).join('_');
    let name = base;
    const isFree = (): boolean => {
      const other = this.places.get(name);
      return other === undefined || (other.value === value && other.where === where);
    };
    for (let i = 2; !isFree(); i++) name = `${base}_${i}`;
    this.places.set(name, { value, where });
    return name;
  }

  /** Definitions of all that the code mentions, in the order of the places; none where it mentions none. */
  definitions(code: string): readonly string[] {
    const words = new Set(code.match(/\b[A-Z]\w*/g));
    return (['workspace', 'block'] as const).flatMap((where) => {
      const used = [...this.places].filter(([name, place]) => words.has(name) && place.where === where);
      if (used.length === 0) return [];
      const inOrder = used.sort(([, a], [, b]) => a.value - b.value);
      const lines = inColumns(
        inOrder.map(([name, { value }]) => `${name} = ${value}`),
        WIDTH,
      );
      return [`/* ${ABOUT[where]} */\nenum {\n${lines.map((line) => `  ${line}`).join('\n')}\n};`];
    });
  }
}
