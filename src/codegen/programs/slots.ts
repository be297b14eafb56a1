/**
 * How many values a program keeps alive at once: a measure for the registers and the stack that it takes.
 */
import { treesOf, type LoopStatement, type Statement } from './statement.ts';

/** Largest number of named values that are computed already and still used later, over all points of the program. */
export function countSlots(statements: readonly Statement[]): number {
  return valuesHeld(statements).reduce((most, held) => Math.max(most, held), 0);
}

/** The values that are held at each point of the program, added over all points: what spills cost grows with it. */
export function totalHeld(statements: readonly Statement[]): number {
  return valuesHeld(statements).reduce((total, held) => total + held, 0);
}

function valuesHeld(statements: readonly Statement[]): number[] {
  const sequence = flatten(statements);
  const lastUse = new Map<string, number>();
  sequence.forEach(({ uses }, at) => uses.forEach((name) => lastUse.set(name, at)));
  const ending = new Map<number, number>();
  let held = 0;
  return sequence.map(({ defines }, at) => {
    held -= ending.get(at) ?? 0;
    for (const name of defines) {
      const last = lastUse.get(name);
      if (last === undefined || last <= at) continue;
      held += 1;
      ending.set(last, (ending.get(last) ?? 0) + 1);
    }
    return held;
  });
}

interface Step {
  readonly uses: readonly string[];
  readonly defines: readonly string[];
}

/** Blocks in line, a condition before its sides and the value that it chooses after them. */
function flatten(statements: readonly Statement[]): Step[] {
  return statements.flatMap((statement): Step[] => {
    if (statement.kind === 'guard') return flatten(statement.statements);
    if (statement.kind === 'loop') return flattenLoop(statement);
    if (statement.kind !== 'select') return [{ uses: namesIn([statement]), defines: namesDefined(statement) }];
    const { name, condition, then, thenValue, otherwise, otherwiseValue } = statement;
    const valueOf = (value: typeof condition): Step => ({ uses: namesIn([{ kind: 'let', name, value }]), defines: [] });
    return [
      valueOf(condition),
      ...flatten(then),
      valueOf(thenValue),
      ...flatten(otherwise),
      { ...valueOf(otherwiseValue), defines: [name] },
    ];
  });
}

/** What a loop uses of the statements before it lives until its end. */
function flattenLoop(loop: LoopStatement): Step[] {
  const sums = loop.sums.map(({ name }) => name);
  const carried = loop.carried.map(({ name }) => name);
  return [
    { uses: [], defines: [...carried, ...loop.columns.map(({ name }) => name)] },
    ...flatten(loop.statements),
    { uses: namesIn([loop]), defines: [...sums, ...carried] },
  ];
}

/** Names that later statements of the same block can refer to. */
export function namesDefined(statement: Statement): string[] {
  if (statement.kind === 'let' || statement.kind === 'select' || statement.kind === 'restore') return [statement.name];
  if (statement.kind === 'loop') return [...statement.sums, ...statement.carried].map(({ name }) => name);
  return 'names' in statement ? statement.names.map((n) => n.name) : [];
}

/** Names that the statements refer to, blocks included. */
export function namesIn(statements: readonly Statement[]): string[] {
  const names = treesOf(statements).flatMap((tree) => (tree.kind === 'name' ? [tree.name] : []));
  return [...new Set(names)];
}
