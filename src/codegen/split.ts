/**
 * Long programs cut into parts of bounded length. V8 interprets, never optimises, functions beyond some 60 kB of
 * bytecode, and C compilers take time that grows faster than length. Values that live across a cut pass through a
 * scratch array.
 */
import { treesOf, type Program, type Statement } from './program.ts';

/** Operations and statements that a generated function may hold together: some 45 kB of bytecode. */
export const LENGTH_LIMIT = 4000;

export interface ProgramPart {
  /** Named inputs that this part reads. */
  readonly loads: Program['loads'];
  /** Values of earlier parts, by place in the scratch array. */
  readonly restored: readonly { readonly name: string; readonly index: number }[];
  readonly statements: readonly Statement[];
  /** Values that later parts need. */
  readonly saved: readonly { readonly name: string; readonly index: number }[];
}

export interface SplitProgram {
  readonly parts: readonly ProgramPart[];
  /** Numbers that the scratch array must hold; 0 when there is one part only. */
  readonly scratchSize: number;
}

export function splitProgram(program: Program, limit: number = LENGTH_LIMIT): SplitProgram {
  const groups = group(program.statements, limit);
  if (groups.length <= 1)
    return {
      parts: [{ loads: program.loads, restored: [], statements: program.statements, saved: [] }],
      scratchSize: 0,
    };
  const used = groups.map(namesUsed);
  const defined = groups.map((statements) => statements.flatMap(namesDefined));
  const scratch = new Map<string, number>();
  defined.forEach((names, i) => {
    for (const name of names) if (used.slice(i + 1).some((set) => set.has(name))) scratch.set(name, scratch.size);
  });
  const parts = groups.map((statements, i): ProgramPart => {
    const own = new Set(defined[i]);
    const restored = [...used[i]!].filter((name) => scratch.has(name) && !own.has(name));
    return {
      loads: program.loads.filter((load) => used[i]!.has(load.name)),
      restored: restored.map((name) => ({ name, index: scratch.get(name)! })),
      statements,
      saved: defined[i]!.filter((name) => scratch.has(name)).map((name) => ({ name, index: scratch.get(name)! })),
    };
  });
  return { parts, scratchSize: scratch.size };
}

function group(statements: readonly Statement[], limit: number): Statement[][] {
  const groups: Statement[][] = [];
  let size = 0;
  for (const statement of statements) {
    const length = statementLength(statement);
    if (groups.length === 0 || size + length > limit) {
      groups.push([]);
      size = 0;
    }
    groups[groups.length - 1]!.push(statement);
    size += length;
  }
  return groups;
}

function statementLength(statement: Statement): number {
  const operations = treesOf([statement]).filter((tree) => tree.kind !== 'name' && tree.kind !== 'number').length;
  return operations + 1 + (statement.kind === 'stumpff' ? statement.names.length : 0);
}

/** Names that later top-level statements can refer to. */
function namesDefined(statement: Statement): string[] {
  if (statement.kind === 'let' || statement.kind === 'select') return [statement.name];
  return statement.kind === 'stumpff' ? statement.names.map((n) => n.name) : [];
}

function namesUsed(statements: readonly Statement[]): Set<string> {
  return new Set(treesOf(statements).flatMap((tree) => (tree.kind === 'name' ? [tree.name] : [])));
}
