/**
 * What functions cost, in words: operations in all, then their kinds; of loops the operations at one point, those of all
 * loops over the same points together.
 */
import { addCounts } from '../programs/statement.ts';
import { stumpffOperations } from './stumpff-functions.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';

/** What the numbers mean, as far as that has to be said; stands above them. */
export function costLegend(all: readonly OperationCounts[]): string {
  const { stumpff, loops } = addCounts(all);
  const hasSets = stumpff.length > 0 || loops.some(({ row }) => row.stumpff.length > 0);
  const notes = [
    ...(hasSets ? ['Stumpff functions by their polynomials'] : []),
    ...(loops.length > 0 ? ['points of a rule or along a rod'] : []),
  ];
  return notes.length > 0 ? ` (${notes.join('; ')})` : '';
}

/** `9,662 operations: 23 +, 34 *; 53 points × 181 (77 +, 104 *)`. */
export function costText(counts: OperationCounts): string {
  const own = { ...counts, loops: [] };
  const all = operationsInAll(counts);
  const loops = loopsByRows(counts).map(
    ({ rows, row }) => `${rows} points × ${grouped(operationsInAll(row))} (${kindsText(row)})`,
  );
  const kinds = [operationsInAll(own) > 0 || loops.length === 0 ? kindsText(own) : '', ...loops].filter(Boolean);
  return `${grouped(all)} operations: ${kinds.join('; ')}`;
}

/** `72 operations`; with loops, how they come about. */
export function shortCostText(counts: OperationCounts): string {
  return counts.loops.length > 0 ? costText(counts) : `${grouped(operationsInAll(counts))} operations`;
}

/** `31 +, 40 *, 2 functions, 3 Stumpff c0..c7`. */
export function kindsText({ add, multiply, divide, sqrt, call, stumpff }: OperationCounts): string {
  const parts = [`${add} +`, `${multiply} *`];
  if (divide > 0) parts.push(`${divide} /`);
  if (sqrt > 0) parts.push(`${sqrt} sqrt`);
  if (call > 0) parts.push(call === 1 ? '1 function' : `${call} functions`);
  const tops = [...new Set(stumpff)].sort((a, b) => a - b);
  for (const top of tops) parts.push(`${stumpff.filter((t) => t === top).length} Stumpff c0..c${top}`);
  return parts.join(', ');
}

const THOUSANDS = new Intl.NumberFormat('en-US');

/** `12,345`. */
export function grouped(count: number): string {
  return THOUSANDS.format(count);
}

/** Every operation, those of loops at every row. */
export function operationsInAll({ add, multiply, divide, sqrt, call, stumpff, loops }: OperationCounts): number {
  const sets = stumpff.reduce((total, top) => {
    const own = stumpffOperations(Array.from({ length: top + 1 }, (_, order) => order));
    return total + own.add + own.multiply;
  }, 0);
  const inLoops = loops.reduce((total, { rows, row }) => total + rows * operationsInAll(row), 0);
  return add + multiply + divide + sqrt + call + sets + inLoops;
}

/** Loops over equally many rows as one. */
function loopsByRows({ loops }: OperationCounts): OperationCounts['loops'] {
  return [...new Set(loops.map(({ rows }) => rows))].map((rows) => ({
    rows,
    row: addCounts(loops.filter((loop) => loop.rows === rows).map((loop) => loop.row)),
  }));
}
