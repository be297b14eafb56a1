/** Constants of the rows of loops as generated code holds them: one array per table, column by column. */
import type { RowTable } from '../../kane/loops/loop.ts';
import { blocksOf, type Statement } from './statement.ts';
import type { StagedLink } from './stages.ts';

const BUFFER = /^table (.*)$/;

/** Buffer that columns of a table are read from. */
export function tableBuffer(table: RowTable): string {
  return `table ${table.name}`;
}

/** Name of the array of a buffer that is a table; undefined for other buffers. */
export function tableArrayName(buffer: string): string | undefined {
  const name = BUFFER.exec(buffer)?.[1];
  return name === undefined ? undefined : `rows_${name}`;
}

/** The tables that the programs of a link read, with all their numbers. */
export function tablesRead(
  { type }: StagedLink,
  programs: readonly { readonly statements: readonly Statement[] }[],
): { readonly name: string; readonly values: readonly number[] }[] {
  const read = new Set(programs.flatMap((program) => buffersRead(program.statements)));
  const tables = new Set(type.loops.map((loop) => loop.table));
  return [...tables]
    .filter((table) => read.has(tableBuffer(table)))
    .map((table) => ({
      name: tableArrayName(tableBuffer(table))!,
      values: table.columns.flatMap((column) => column.values),
    }));
}

function buffersRead(statements: readonly Statement[]): string[] {
  return statements.flatMap((statement) => [
    ...(statement.kind === 'loop' ? statement.columns.map(({ place }) => place.buffer) : []),
    ...blocksOf(statement).flatMap(buffersRead),
  ]);
}
