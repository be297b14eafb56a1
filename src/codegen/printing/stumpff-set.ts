/** Sets of Stumpff functions of one argument that programs ask for: their orders, and the orders that are computed for them. */
import type { Statement } from '../programs/statement.ts';

/** Orders of one parity: all from `lowest` to `highest` are computed, `highest` by a polynomial. */
interface StumpffLadder {
  readonly lowest: number;
  readonly highest: number;
}

export interface StumpffSet {
  /** Name of the function without language conventions: `stumpff_0_to_7`. */
  readonly name: string;
  /** Highest order that the general function is asked for. */
  readonly top: number;
  readonly ladders: readonly StumpffLadder[];
}

type StumpffStatement = Extract<Statement, { kind: 'stumpff' }>;

/**
 * The set that serves a request. The highest order of a parity follows from `top` alone: functions that want different
 * orders below the same top get the same bits.
 * @param top highest order that any function of the module wants of this argument.
 */
export function stumpffSet(top: number, orders: readonly number[]): StumpffSet {
  const ladders = [0, 1].flatMap((parity) => {
    const wanted = orders.filter((order) => order % 2 === parity);
    if (wanted.length === 0) return [];
    // c_0 and c_1 come from c_2 and c_3: exact at zero.
    const highest = Math.max(parity + 2, top % 2 === parity ? top : top - 1);
    return [{ lowest: Math.min(...wanted), highest }];
  });
  return { name: setName(ladders), top: Math.max(2, top), ladders };
}

function setName(ladders: readonly StumpffLadder[]): string {
  const [first, second] = ladders;
  if (first && second && Math.abs(first.lowest - second.lowest) === 1)
    return `stumpff_${Math.min(first.lowest, second.lowest)}_to_${Math.max(first.highest, second.highest)}`;
  const named = ladders.map(({ lowest, highest }) => `${lowest % 2 === 0 ? 'even' : 'odd'}_${lowest}_to_${highest}`);
  return `stumpff_${named.join('_')}`;
}

/** What the statement asks for. */
export function setOf({ top, names }: StumpffStatement): StumpffSet {
  return stumpffSet(
    top,
    names.map((n) => n.order),
  );
}
