/**
 * Integrals along the rows of loops: one function per table, called for the arrays that a loop leaves. The same operations
 * in the same order in both languages, and where the compiler evaluates loops itself (kane/loops/integrate-rows.ts).
 */
import type { RowTable } from '../../kane/loops/loop.ts';
import { camelCase } from '../programs/names.ts';
import type { Program } from '../programs/program.ts';
import { blocksOf, type RowIntegral, type Statement } from '../programs/statement.ts';

/** Tables along whose rows the programs integrate. */
export function integratedTables(programs: readonly Program[]): RowTable[] {
  const integrals = (statements: readonly Statement[]): RowIntegral[] =>
    statements.flatMap((s) => [...(s.kind === 'loop' ? s.integrals : []), ...blocksOf(s).flatMap(integrals)]);
  return [...new Set(programs.flatMap(({ statements }) => integrals(statements)).map(({ table }) => table))];
}

function nameC(table: RowTable): string {
  return `integrate_${table.name}`;
}

function nameTypeScript(table: RowTable): string {
  return camelCase(nameC(table));
}

/** @param place the first number, as C writes it. */
export function integralCallC({ columns, table, direction }: RowIntegral, place: string): string {
  return `${nameC(table)}(&${place}, ${columns}, ${direction === 'to end' ? 1 : 0});`;
}

export function integralCallTypeScript(
  { columns, table, direction }: RowIntegral,
  { buffer, index }: { readonly buffer: string; readonly index: number },
): string {
  return `${nameTypeScript(table)}(${buffer}, ${index}, ${columns}, ${direction === 'to end'});`;
}

const PURPOSE = 'Numbers given row by row become their integrals from the first row to each, or from each to the last.';

/** Weights of the rule, and the function. @param weights lines of numbers as C writes them. */
export function integralFunctionC(
  table: RowTable,
  weights: (name: string, values: readonly number[]) => string,
): string {
  const { even, odd, block } = table.integration!;
  const { rows, name } = table;
  const half = Math.ceil(block / 2);
  const isMiddle = block % 2 === 1 ? `j == ${half - 1}` : undefined;
  const far = 'start[step * far]';
  return `${weights(`even_${name}`, even)}
${weights(`odd_${name}`, odd)}
/* ${PURPOSE} */
static void ${nameC(table)}(kg_real *values, int columns, int to_end)
{
  const int step = to_end ? -1 : 1;
  for (int column = 0; column < columns; ++column, values += ${rows}) {
    kg_real before = KG_REAL(0.0);
    for (int first = 0; first < ${rows}; first += ${block}) {
      kg_real *const start = values + (to_end ? ${rows - 1} - first : first);
      kg_real u[${half}] = {KG_REAL(0.0)};
      kg_real v[${half}] = {KG_REAL(0.0)};
      kg_real total = KG_REAL(0.0);
      for (int j = 0; j < ${half}; ++j) {
        const int far = ${block - 1} - j;
        const kg_real sum = ${isMiddle ? `${isMiddle} ? start[step * j] : ` : ''}start[step * j] + ${far};
        const kg_real difference = start[step * j] - ${far};
        total += sum;
        for (int i = 0; i < ${half}; ++i) {
          u[i] += even_${name}[${half} * j + i] * sum;
          v[i] += odd_${name}[${half} * j + i] * difference;
        }
      }
      const kg_real middle = before + KG_REAL(0.5) * total;
      for (int i = 0; i < ${half}; ++i) {
        start[step * (${block - 1} - i)] = middle + (v[i] - u[i]);
        start[step * i] = middle + (v[i] + u[i]);
      }
      before += total;
    }
  }
}
`;
}

/** @param weights declaration of an array of these numbers. */
export function integralFunctionTypeScript(
  table: RowTable,
  weights: (name: string, values: readonly number[]) => string,
): string {
  const { even, odd, block } = table.integration!;
  const { rows, name } = table;
  const half = Math.ceil(block / 2);
  const isMiddle = block % 2 === 1 ? `j === ${half - 1} ? near : ` : '';
  const [evens, odds, us, vs] = ['even', 'odd', 'sums', 'differences'].map((kind) => camelCase(`${kind}_${name}`));
  return `${weights(evens!, even)}
${weights(odds!, odd)}
const ${us} = new Float64Array(${half});
const ${vs} = new Float64Array(${half});

/** ${PURPOSE} */
function ${nameTypeScript(table)}(values: Float64Array, index: number, columns: number, toEnd: boolean): void {
  const step = toEnd ? -1 : 1;
  for (let column = 0; column < columns; column++) {
    let before = 0;
    for (let first = 0; first < ${rows}; first += ${block}) {
      const start = index + ${rows} * column + (toEnd ? ${rows - 1} - first : first);
      ${us}.fill(0);
      ${vs}.fill(0);
      let total = 0;
      for (let j = 0; j < ${half}; j++) {
        const near = values[start + step * j]!;
        const far = values[start + step * (${block - 1} - j)]!;
        const sum = ${isMiddle}near + far;
        const difference = near - far;
        total += sum;
        for (let i = 0; i < ${half}; i++) {
          ${us}[i] = ${us}[i]! + ${evens}[${half} * j + i]! * sum;
          ${vs}[i] = ${vs}[i]! + ${odds}[${half} * j + i]! * difference;
        }
      }
      const middle = before + 0.5 * total;
      for (let i = 0; i < ${half}; i++) {
        values[start + step * (${block - 1} - i)] = middle + (${vs}[i]! - ${us}[i]!);
        values[start + step * i] = middle + (${vs}[i]! + ${us}[i]!);
      }
      before += total;
    }
  }
}`;
}
