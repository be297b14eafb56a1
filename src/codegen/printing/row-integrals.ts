/**
 * Integrals along the rows of loops: one function per table, called for the arrays that a loop leaves. The same operations
 * in the same order in both languages, and where the compiler evaluates loops itself (kane/loops/integrate-rows.ts).
 */
import type { RowTable } from '../../kane/loops/loop.ts';
import { camelCase } from '../naming/identifiers.ts';
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

/**
 * Weights of the rule, and the function.
 * @param weights lines of numbers as C writes them.
 * @param hasLanes columns go side by side where the module has lanes (templates/c/lanes.c.eta), the rest one by one.
 */
export function integralFunctionC(
  table: RowTable,
  weights: (name: string, values: readonly number[]) => string,
  hasLanes = false,
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
  int column = 0;
${hasLanes ? integralInLanes(table) : ''}  for (; column < columns; ++column, values += ${rows}) {
    kg_real before = KG_REAL(0.0);
    for (int first = 0; first < ${rows}; first += ${block}) {
      kg_real *const start = values + (to_end ? ${rows - 1} - first : first);
      const kg_real ends = start[0] - start[step * ${block - 1}];
      kg_real total = start[0]${block > 1 ? ` + start[step * ${block - 1}]` : ''}, u[${half}], v[${half}];
      KG_UNROLLED for (int i = 0; i < ${half}; ++i) {
        u[i] = even_${name}[i] * total;
        v[i] = odd_${name}[i] * ends;
      }
      for (int j = 1; j < ${half}; ++j) {
        const int far = ${block - 1} - j;
        const kg_real sum = ${isMiddle ? `${isMiddle} ? start[step * j] : ` : ''}start[step * j] + ${far};
        const kg_real difference = start[step * j] - ${far};
        total += sum;
        KG_UNROLLED for (int i = 0; i < ${half}; ++i) {
          u[i] += even_${name}[${half} * j + i] * sum;
          v[i] += odd_${name}[${half} * j + i] * difference;
        }
      }
      const kg_real middle = before + KG_REAL(0.5) * total;
      KG_UNROLLED for (int i = 0; i < ${half}; ++i) {
        start[step * (${block - 1} - i)] = middle + (v[i] - u[i]);
        start[step * i] = middle + (v[i] + u[i]);
      }
      before += total;
    }
  }
}
`;
}

/** The same operations in the same order, a column in each lane; sums begin with zero, which changes no bit of what they are added to. */
function integralInLanes({ integration, rows, name }: RowTable): string {
  const { block } = integration!;
  const half = Math.ceil(block / 2);
  const sum = block % 2 === 1 ? `j == ${half - 1} ? near : near + far` : 'near + far';
  return `  for (; LANES > 1 && column <= columns - (int)LANES; column += (int)LANES, values += ${rows} * (int)LANES) {
    lanes before = BROADCAST(KG_REAL(0.0));
    for (int first = 0; first < ${rows}; first += ${block}) {
      kg_real *const start = values + (to_end ? ${rows - 1} - first : first);
      lanes sums[${half}], differences[${half}], total = BROADCAST(KG_REAL(0.0));
      for (int j = 0; j < ${half}; ++j) {
        lanes near = total, far = total;
        for (int lane = 0; lane < (int)LANES; ++lane) {
          LANE(near, lane) = start[step * j + ${rows} * lane];
          LANE(far, lane) = start[step * (${block - 1} - j) + ${rows} * lane];
        }
        sums[j] = ${sum};
        differences[j] = near - far;
        total += sums[j];
      }
      const lanes middle = before + KG_REAL(0.5) * total;
      for (int i = 0; i < ${half}; ++i) {
        lanes u = BROADCAST(KG_REAL(0.0)), v = u;
        for (int j = 0; j < ${half}; ++j) {
          u += even_${name}[${half} * j + i] * sums[j];
          v += odd_${name}[${half} * j + i] * differences[j];
        }
        for (int lane = 0; lane < (int)LANES; ++lane) {
          start[step * (${block - 1} - i) + ${rows} * lane] = LANE(middle, lane) + (LANE(v, lane) - LANE(u, lane));
          start[step * i + ${rows} * lane] = LANE(middle, lane) + (LANE(v, lane) + LANE(u, lane));
        }
      }
      before += total;
    }
  }
`;
}

/**
 * Three columns go side by side, so that weights are read once for all; where fewer are left, some go twice and leave the same.
 * @param weights declaration of an array of these numbers.
 */
export function integralFunctionTypeScript(
  table: RowTable,
  weights: (name: string, values: readonly number[]) => string,
): string {
  const { even, odd, block } = table.integration!;
  const { rows, name } = table;
  const half = Math.ceil(block / 2);
  const [evens, odds, sums, differences] = ['even', 'odd', 'sums', 'differences'].map((kind) =>
    camelCase(`${kind}_${name}`),
  );
  const offsets = ['', ' + second', ' + third'];
  const columns = ['First', 'Second', 'Third'].map((of, k) => ({ of, k, plus: offsets[k]! }));
  const each = (text: (column: (typeof columns)[number]) => string): string => columns.map(text).join('\n');
  const sum = (of: string): string =>
    `${block % 2 === 1 ? `j === ${half - 1} ? near${of} : ` : ''}near${of} + far${of}`;
  return `${weights(evens!, even)}
${weights(odds!, odd)}
const ${sums} = new Float64Array(${3 * half});
const ${differences} = new Float64Array(${3 * half});

/** ${PURPOSE} */
function ${nameTypeScript(table)}(values: Float64Array, index: number, columns: number, toEnd: boolean): void {
  const step = toEnd ? -1 : 1;
  for (let column = 0; column < columns; column += 3) {
    const second = column + 1 < columns ? ${rows} : 0;
    const third = column + 2 < columns ? ${2 * rows} : 0;
    ${each(({ of }) => `let before${of} = 0;`)}
    for (let first = 0; first < ${rows}; first += ${block}) {
      const start = index + ${rows} * column + (toEnd ? ${rows - 1} - first : first);
      ${each(({ of }) => `let total${of} = 0;`)}
      for (let j = 0; j < ${half}; j++) {
        const front = start + step * j;
        const back = start + step * (${block - 1} - j);
        ${each(
          ({ of, k, plus }) => `const near${of} = values[front${plus}]!;
        const far${of} = values[back${plus}]!;
        const sum${of} = ${sum(of)};
        ${sums}[3 * j + ${k}] = sum${of};
        ${differences}[3 * j + ${k}] = near${of} - far${of};
        total${of} += sum${of};`,
        )}
      }
      ${each(({ of }) => `const middle${of} = before${of} + 0.5 * total${of};`)}
      for (let i = 0; i < ${half}; i++) {
        const firstEven = ${evens}[i]!;
        const firstOdd = ${odds}[i]!;
        ${each(({ of, k }) => `let u${of} = firstEven * ${sums}[${k}]!;\nlet v${of} = firstOdd * ${differences}[${k}]!;`)}
        for (let j = 1; j < ${half}; j++) {
          const even = ${evens}[${half} * j + i]!;
          const odd = ${odds}[${half} * j + i]!;
          ${each(({ of, k }) => `u${of} += even * ${sums}[3 * j + ${k}]!;\nv${of} += odd * ${differences}[3 * j + ${k}]!;`)}
        }
        const front = start + step * i;
        const back = start + step * (${block - 1} - i);
        ${each(
          ({ of, plus }) => `values[back${plus}] = middle${of} + (v${of} - u${of});
        values[front${plus}] = middle${of} + (v${of} + u${of});`,
        )}
      }
      ${each(({ of }) => `before${of} += total${of};`)}
    }
  }
}`;
}
