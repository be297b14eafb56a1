/**
 * npm run bench [-- --only PATTERN] [-- --json FILE]: operation counts, times of generation and times of generated code,
 * each with what others need and with what was aimed at. What is measured: bench/README.md.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { formatTable } from '../src/cli/terminal/table.ts';
import { describeMachine, machineText } from './machine.ts';
import { measurements, withFigures } from './plan.ts';
import { keyOf, type Row } from './row.ts';

const DIGITS = 3;

function numberText(value: number | null): string {
  if (value === null) return '';
  return Number.isInteger(value) ? String(value) : String(Number(value.toPrecision(DIGITS)));
}

function tableOf(rows: readonly Row[]): string {
  const verdict = ({ value, goal }: Row): string =>
    value === null || goal === null ? '' : value <= goal ? 'reached' : 'missed';
  return formatTable(
    [
      ['workload', 'metric', 'value', 'unit', 'bar', 'goal', '', 'note'],
      ...rows.map((row) => [
        row.workload,
        row.metric,
        row.value === null ? '-' : numberText(row.value),
        row.unit,
        numberText(row.bar),
        numberText(row.goal),
        verdict(row),
        row.note ?? '',
      ]),
    ],
    [2, 4, 5],
  );
}

async function run(only: string | undefined, json: string | undefined): Promise<void> {
  const pattern = new RegExp(only ?? '', 'i');
  const directory = mkdtempSync(path.join(tmpdir(), 'kanegen-bench-'));
  try {
    const planned = measurements((name) => pattern.test(keyOf(name)), directory);
    if (planned.length === 0) throw new Error(`no row matches ${only!}`);
    const rows: Row[] = [];
    for (const { names, measure } of planned) {
      if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${keyOf(names[0]!)} …`);
      rows.push(...(await measure()).map(withFigures));
    }
    if (process.stderr.isTTY) process.stderr.write('\r\x1b[K');
    const machine = describeMachine();
    console.log(`${machineText(machine)}\n\n${tableOf(rows)}`);
    if (json !== undefined) writeFileSync(json, `${JSON.stringify({ machine, rows }, null, 2)}\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const { values } = parseArgs({ options: { only: { type: 'string' }, json: { type: 'string' } } });
await run(values.only, values.json);
