/**
 * Long programs cut into parts of bounded length. V8 interprets, never optimises, functions beyond some 60 kB of
 * bytecode, and C compilers take time that grows faster than length. Values that live across a cut pass through a
 * scratch array; those of guarded statements inside the guard, so that nothing is read that was not written.
 */
import type { Program } from '../programs/program.ts';
import { treesOf, type Statement } from '../programs/statement.ts';
import { namesDefined, namesIn } from '../programs/slots.ts';

/** Operations and statements that a generated function may hold together: some 45 kB of bytecode. */
export const LENGTH_LIMIT = 4000;

export interface ProgramPart {
  /** Named inputs that this part reads. */
  readonly loads: Program['loads'];
  /** With values of earlier parts restored first and values for later parts saved last. */
  readonly statements: readonly Statement[];
}

export interface SplitProgram {
  readonly parts: readonly ProgramPart[];
  /** Numbers that the scratch array must hold; 0 when there is one part only. */
  readonly scratchSize: number;
}

/** Statements that stand together in a part, behind one guard or none. */
interface Run {
  readonly guard: string | undefined;
  readonly statements: Statement[];
}

export function splitProgram(program: Program, limit: number = LENGTH_LIMIT): SplitProgram {
  const parts = group(program.statements, limit);
  if (parts.length <= 1) return { parts: [{ loads: program.loads, statements: program.statements }], scratchSize: 0 };
  const scratch = crossing(parts);
  return {
    parts: parts.map((runs): ProgramPart => {
      const used = new Set(runs.flatMap((run) => namesIn(run.statements)));
      return {
        loads: program.loads.filter((load) => used.has(load.name)),
        statements: withTransfers(runs, scratch),
      };
    }),
    scratchSize: scratch.size,
  };
}

/** Cuts before the statement that would exceed the limit, inside guards too. */
function group(statements: readonly Statement[], limit: number): Run[][] {
  const parts: Run[][] = [];
  let size = 0;
  const place = (statement: Statement, guard: string | undefined): void => {
    const length = statementLength(statement);
    if (parts.length === 0 || size + length > limit) {
      parts.push([]);
      size = 0;
    }
    const runs = parts[parts.length - 1]!;
    if (runs.length === 0 || runs[runs.length - 1]!.guard !== guard) runs.push({ guard, statements: [] });
    runs[runs.length - 1]!.statements.push(statement);
    size += length;
  };
  for (const statement of statements)
    if (statement.kind === 'guard') statement.statements.forEach((inner) => place(inner, statement.buffer));
    else place(statement, undefined);
  return parts;
}

/** Places in the scratch array of the values that a later part uses. */
function crossing(parts: readonly (readonly Run[])[]): Map<string, number> {
  const definedIn = new Map<string, number>();
  const scratch = new Map<string, number>();
  parts.forEach((runs, i) => {
    for (const { statements } of runs) {
      for (const statement of statements) for (const name of namesDefined(statement)) definedIn.set(name, i);
      for (const name of namesIn(statements))
        if ((definedIn.get(name) ?? i) < i && !scratch.has(name)) scratch.set(name, scratch.size);
    }
  });
  return scratch;
}

function withTransfers(runs: readonly Run[], scratch: ReadonlyMap<string, number>): Statement[] {
  const known = new Set<string>();
  return runs.flatMap(({ guard, statements }) => {
    const own = new Set(statements.flatMap(namesDefined));
    const transfer = (kind: 'save' | 'restore', names: readonly string[]): Statement[] =>
      names.map((name) => ({ kind, name, index: scratch.get(name)! }));
    const restored = namesIn(statements).filter((name) => scratch.has(name) && !own.has(name) && !known.has(name));
    const block = [
      ...transfer('restore', restored),
      ...statements,
      ...transfer(
        'save',
        [...own].filter((name) => scratch.has(name)),
      ),
    ];
    if (guard !== undefined) return [{ kind: 'guard', buffer: guard, statements: block } satisfies Statement];
    for (const name of [...own, ...restored]) known.add(name);
    return block;
  });
}

/** Operations of a sine and cosine, which TypeScript has as statements of its own. */
const SINE_COSINE = 50;

function statementLength(statement: Statement): number {
  if (statement.kind === 'sine-cosine') return SINE_COSINE;
  const operations = treesOf([statement]).filter((tree) => tree.kind !== 'name' && tree.kind !== 'number').length;
  const named = 'names' in statement ? statement.names.length : 0;
  return operations + 1 + named;
}
