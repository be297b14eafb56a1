/**
 * Loops of C with several rows side by side: sums over the points of a quadrature rule. Rows outside the range of the
 * polynomials (see branch-free.ts) send the whole loop the ordinary way. Rows that are left over go one by one; all of them
 * where the processor has no vectors.
 */
import { branchFree, RANGE } from '../printing/branch-free.ts';
import { hasLane, laneSpelling, laneStatement } from './lane-statements.ts';
import type { Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import { blocksOf, type LoopStatement, type Statement, type Tree } from '../programs/statement.ts';
import { NO_OPERATIONS } from '../operations/operation-counts.ts';

/** Rows below which it is not worth the length. */
const FEWEST_ROWS = 16;

/** Buffer of the sums in the program of a row. */
const SUM = 'sum';

/** Rows do not depend on each other, and nothing in them keeps lanes from being computed side by side. */
function hasLanes({ rows, carried, statements }: LoopStatement): boolean {
  return rows >= FEWEST_ROWS && carried.length === 0 && isPlain(statements);
}

function isPlain(statements: readonly Statement[]): boolean {
  return statements.every(
    (statement) =>
      ['let', 'stumpff', 'sine-cosine', 'select'].includes(statement.kind) && blocksOf(statement).every(isPlain),
  );
}

/** Loops with lanes among the statements, blocks included. */
function laneLoopsIn(statements: readonly Statement[]): LoopStatement[] {
  return statements.flatMap((s) => (s.kind === 'loop' && hasLanes(s) ? [s] : blocksOf(s).flatMap(laneLoopsIn)));
}

/** Tables are made once: what makes them stays plain. */
export function laneLoopsOf({ name, statements }: Program): LoopStatement[] {
  return name === 'prepare' ? [] : laneLoopsIn(statements);
}

/** The statements of a row without branches; sums and arrays are stored. */
export function laneStatements(loop: LoopStatement): readonly Statement[] {
  const stores: Statement[] = [
    ...loop.writes.map(({ place, value }): Statement => ({ kind: 'store', place, value })),
    ...loop.sums.map(({ term }, index): Statement => ({ kind: 'store', place: { buffer: SUM, index }, value: term })),
  ];
  return branchFree({
    name: loop.name,
    reads: [],
    writes: [],
    loads: loop.columns,
    statements: [...loop.statements, ...stores],
    counts: NO_OPERATIONS,
    slots: 0,
  }).statements;
}

/**
 * @param scalar statements of one row in plain numbers.
 * @param target plain numbers.
 */
export function printLaneLoop(loop: LoopStatement, scalar: readonly string[], target: Target): string[] {
  const statements = laneStatements(loop);
  const vectors = new Set(loop.columns.map(({ name }) => name));
  const isLane = (tree: Tree): boolean => hasLane(tree, (leaf) => leaf.kind === 'name' && vectors.has(leaf.name));
  const spelling = laneSpelling({
    ...target,
    write: (place) => (place.buffer === SUM || place.buffer === RANGE ? place.buffer : `&${target.writeRow(place)}`),
  });
  const body = statements.flatMap((statement) => {
    if (statement.kind === 'store' && statement.place.buffer === RANGE && statement.value.kind === 'number') return [];
    const line = laneLine(statement, spelling, isLane, loop);
    if (statement.kind === 'let' || statement.kind === 'select') vectors.add(statement.name);
    return line;
  });
  const { rows } = loop;
  const isBounded = statements.some((s) => s.kind === 'store' && s.place.buffer === RANGE && s.value.kind !== 'number');
  const totals = loop.sums.map(({ name }) => `${name} = lanes_total(${name}_lanes);`);
  return [
    '{',
    ...[
      ...loop.sums.map(({ name }) => `lanes ${name}_lanes = BROADCAST(KG_REAL(0.0));`),
      ...(isBounded ? ['lanes range = BROADCAST(KG_REAL(0.0));'] : []),
      'int row = 0;',
      `for (; LANES > 1 && row <= ${rows} - (int)LANES; row += (int)LANES) {`,
      ...[
        ...loop.columns.map(({ name, place }) => spelling.declare(name, `lanes_load(&${target.readRow(place)})`)),
        ...body,
      ].map((line) => `  ${line}`),
      '}',
      ...(isBounded
        ? ['if (!TRUSTED || !(lanes_largest(range) <= KG_REAL(1.0)))', '  row = 0;', ...inBlock('else', totals)]
        : totals),
      `for (; row < ${rows}; ++row) {`,
      ...scalar,
      '}',
    ].map((line) => `  ${line}`),
    '}',
  ];
}

function inBlock(head: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`${head} {`, ...lines.map((line) => `  ${line}`), '}'];
}

function laneLine(statement: Statement, target: Target, isLane: (tree: Tree) => boolean, loop: LoopStatement): string {
  if (statement.kind !== 'store') return laneStatement(statement, target, isLane);
  const { buffer, index } = statement.place;
  return laneStatement(statement, target, isLane, (to, value) => {
    if (buffer === SUM) return `${loop.sums[index]!.name}_lanes += ${value};`;
    if (buffer === RANGE) return `range = lanes_larger(range, ${value});`;
    return `lanes_store(${to}, ${value});`;
  });
}
