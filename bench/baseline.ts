/**
 * Operation counts as they were, in baseline.json, and what has changed since: counts may fall, and then the baseline is
 * written anew; a count that rises is a regression.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { MeasuredRow } from './row.ts';

/** Count by workload and metric. */
export type Baseline = Readonly<Record<string, Readonly<Record<string, number>>>>;

export interface Difference {
  readonly workload: string;
  readonly metric: string;
  /** Undefined: the row is new. */
  readonly before: number | undefined;
  /** Undefined: the row is no longer counted. */
  readonly now: number | undefined;
}

const baselineFile = fileURLToPath(new URL('baseline.json', import.meta.url));

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(baselineFile, 'utf8')) as Baseline;
}

export function writeBaseline(rows: readonly MeasuredRow[]): void {
  writeFileSync(baselineFile, `${JSON.stringify(baselineOf(rows), null, 2)}\n`);
}

export function baselineOf(rows: readonly MeasuredRow[]): Baseline {
  const baseline: Record<string, Record<string, number>> = {};
  for (const { workload, metric, value } of rows) (baseline[workload] ??= {})[metric] = value!;
  return baseline;
}

/** Rows that are not as in the baseline, in the order of the rows, what is gone last. */
export function compareWithBaseline(rows: readonly MeasuredRow[], baseline: Baseline): Difference[] {
  const now = baselineOf(rows);
  const changed = rows
    .map(({ workload, metric }) => ({
      workload,
      metric,
      before: baseline[workload]?.[metric],
      now: now[workload]![metric],
    }))
    .filter(({ before, now: value }) => before !== value);
  const gone = Object.entries(baseline).flatMap(([workload, counts]) =>
    Object.entries(counts)
      .filter(([metric]) => now[workload]?.[metric] === undefined)
      .map(([metric, before]) => ({ workload, metric, before, now: undefined })),
  );
  return [...changed, ...gone];
}

/** Does the difference stop a change? More operations do, and so do rows that nothing guards. */
export function isRegression({ before, now }: Difference): boolean {
  return before === undefined || now === undefined || now > before;
}

export function describeDifference({ workload, metric, before, now }: Difference): string {
  const row = `${workload}: ${metric}`;
  if (before === undefined) return `new    ${row}: ${now}, not in the baseline`;
  if (now === undefined) return `gone   ${row}: no longer counted, ${before} in the baseline`;
  const [word, sign] = now > before ? ['risen ', '+'] : ['fallen', ''];
  const percent = before === 0 ? '' : `, ${sign}${((100 * (now - before)) / before).toFixed(1)} %`;
  return `${word} ${row}: ${before} → ${now} (${sign}${now - before}${percent})`;
}
