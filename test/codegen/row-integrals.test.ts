/** Integrals along the rows of loops as generated code computes them: the bits of the compiler's own, in every language. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { transpiled } from '../../src/codegen/typescript/javascript.ts';
import {
  integralCallC,
  integralCallTypeScript,
  integralFunctionC,
  integralFunctionTypeScript,
} from '../../src/codegen/printing/row-integrals.ts';
import { integrateRows } from '../../src/kane/loops/integrate-rows.ts';
import type { RowTable } from '../../src/kane/loops/loop.ts';
import { rodPoints } from '../../src/kane/rod-points/rod-points.ts';
import { one, zero } from '../../src/symbolic/graph/expr.ts';
import { loadTemplates } from '../../src/codegen/c-language/templates.ts';
import { COMPILERS } from '../compilers.ts';

const DIRECTIONS = ['from start', 'to end'] as const;
/** Two times two side by side in the lanes of 16 bytes, and one that is left over. */
const COLUMNS = 5;
/** What stands before the numbers in their buffer. */
const OFFSET = 2;

/** One block of an even and of an odd number of points, and several blocks. */
const tables: RowTable[] = [8, 5, 38].map((points) => rodPoints([zero, one], points, 4).table);
const numbersOf = ({ rows }: RowTable): number[] =>
  Array.from({ length: OFFSET + COLUMNS * rows }, (_, i) => Math.sin(1.7 * i + 0.2));

function expected(table: RowTable, direction: (typeof DIRECTIONS)[number]): number[] {
  const numbers = Float64Array.from(numbersOf(table));
  for (let column = 0; column < COLUMNS; column++) {
    const first = OFFSET + column * table.rows;
    integrateRows(numbers.subarray(first, first + table.rows), table, direction);
  }
  return [...numbers];
}

const integral = (table: RowTable, direction: (typeof DIRECTIONS)[number]) => ({
  place: { buffer: 'own', index: OFFSET },
  columns: COLUMNS,
  table,
  direction,
});
const cases = tables.flatMap((table) => DIRECTIONS.map((direction) => [table.rows, direction, table] as const));

describe('integrals along rows', () => {
  it.each(tables.map((table) => [table.rows, table] as const))(
    'of %i points are transposed by those in the other direction',
    (_, table) => {
      const along = (x: readonly number[], direction: (typeof DIRECTIONS)[number]): number[] => {
        const column = Float64Array.from(x);
        integrateRows(column, table, direction);
        return [...column];
      };
      const dot = (a: readonly number[], b: readonly number[]): number => a.reduce((sum, x, i) => sum + x * b[i]!, 0);
      const [x, y] = [numbersOf(table).slice(0, table.rows), numbersOf(table).slice(-table.rows)] as const;
      expect(dot(y, along(x, 'from start'))).toBeCloseTo(dot(along(y, 'to end'), x), 13);
      expect(Math.abs(dot(along(y, 'from start'), x) - dot(y, along(x, 'from start')))).toBeGreaterThan(1e-3);
    },
  );
});

describe('integrals along rows in TypeScript', () => {
  it.each(cases)('of %i points %s have the bits of the compiler', (_, direction, table) => {
    const weights = (name: string, values: readonly number[]): string =>
      `const ${name} = new Float64Array([${values.join()}]);`;
    const call = integralCallTypeScript(integral(table, direction), { buffer: 'own', index: OFFSET });
    const own = Float64Array.from(numbersOf(table));
    runInNewContext(`${transpiled(integralFunctionTypeScript(table, weights))}; ${call}`, { own, Float64Array });
    expect([...own]).toEqual(expected(table, direction));
  });
});

const folder = mkdtempSync(join(tmpdir(), 'kanegen-integrals-'));
afterAll(() => rmSync(folder, { recursive: true }));

const render = await loadTemplates();
const lanes = render('lanes.c', { laneFunctions: [], constants: [] });
const casesInC = cases.flatMap(([rows, direction, table]) => [
  [rows, direction, 'one by one', table] as const,
  [rows, direction, 'in lanes', table] as const,
]);

describe.each(COMPILERS)('integrals along rows in C with $compiler', ({ compiler, missing }) => {
  it.skipIf(missing).each(casesInC)(`of %i points %s, %s, have the same bits (needs ${compiler})`, (...each) => {
    const [, direction, way, table] = each;
    const list = (values: readonly number[]): string => `{ ${values.map((value) => value.toString()).join(', ')} }`;
    const weights = (name: string, values: readonly number[]): string =>
      `static const kg_real ${name}[] = ${list(values)};`;
    const source = `#include <stdio.h>
#include <string.h>
typedef double kg_real;
#define KG_REAL(x) ((kg_real)(x))
#define KG_UNROLLED
${way === 'in lanes' ? lanes : ''}
${integralFunctionC(table, weights, way === 'in lanes')}
static kg_real own[] = ${list(numbersOf(table))};
int main(void)
{
  ${integralCallC(integral(table, direction), `own[${OFFSET}]`)}
  for (unsigned i = 0; i < sizeof own / sizeof *own; i++)
    printf("%.17g\\n", own[i]);
  return 0;
}
`;
    writeFileSync(join(folder, 'integrals.c'), source);
    const flags = [
      '-std=c99',
      '-pedantic',
      '-Wall',
      '-Wextra',
      '-Werror',
      '-Wno-unused-function',
      '-O3',
      '-ffp-contract=off',
    ];
    execFileSync(compiler, [...flags, 'integrals.c', '-o', 'integrals'], { cwd: folder });
    const lines = execFileSync(join(folder, 'integrals'), { encoding: 'utf8' }).trim().split('\n');
    expect(lines.map(Number)).toEqual(expected(table, direction));
  });
});
