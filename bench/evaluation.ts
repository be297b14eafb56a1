/**
 * Times of inverse dynamics in all its forms, as ratios: straight-line code, generic driver, batches, and the
 * Euler–Lagrange baseline; TypeScript and C.
 */
import { Contest, refuseDifferences } from './contest.ts';
import { formsOf, type FormName } from './forms.ts';
import { C_COMPILER, PORTABLE_FLAGS } from './machine.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import { iiwa, planarConstantCurvature, ur10e, type Workload } from './workloads.ts';

/** A row: the time of one form over that of another, or a time where there is no other. */
interface TimedRow {
  readonly metric: string;
  readonly form: FormName;
  readonly over?: FormName;
}

const TIME_ROWS: readonly TimedRow[] = [
  { metric: 'straight-line inverse dynamics, TypeScript', form: 'straight, TypeScript' },
  { metric: 'straight-line inverse dynamics, C', form: 'straight, C' },
  { metric: 'straight-line, TypeScript / C', form: 'straight, TypeScript', over: 'straight, C' },
  {
    metric: `straight-line, TypeScript / C with ${PORTABLE_FLAGS.join(' ')}`,
    form: 'straight, TypeScript',
    over: 'straight, portable, C',
  },
];
const DRIVER_ROWS: readonly TimedRow[] = [
  { metric: 'driver / straight-line, C', form: 'driver, C', over: 'straight, C' },
  { metric: 'driver / straight-line, TypeScript', form: 'driver, TypeScript', over: 'straight, TypeScript' },
];
const BATCH_ROWS: readonly TimedRow[] = [
  { metric: 'batch / single calls, C', form: 'batch, C', over: 'straight, C' },
  {
    metric: 'batch in WebAssembly / single calls in TypeScript',
    form: 'batch, WebAssembly',
    over: 'straight, TypeScript',
  },
];
const LAGRANGE_ROWS: readonly TimedRow[] = [
  { metric: 'recursion / Euler–Lagrange, C', form: 'straight, C', over: 'lagrange, C' },
];

/** What is timed of which robot. */
const plan: readonly { readonly workload: Workload; readonly rows: readonly TimedRow[] }[] = [
  ...[1, 2, 3, 4, 5].map((n) => ({ workload: planarConstantCurvature(n), rows: LAGRANGE_ROWS })),
  { workload: planarConstantCurvature(6), rows: [...TIME_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS, ...LAGRANGE_ROWS] },
  { workload: planarConstantCurvature(20), rows: [...TIME_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS] },
  { workload: ur10e, rows: [...TIME_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS] },
  { workload: iiwa, rows: [...TIME_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS] },
];

/** One measurement per robot. @param directory temporary, of the caller. */
export function evaluationTimes(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  return plan.flatMap(({ workload, rows }) => {
    const left = rows.filter(({ metric }) => wanted({ workload: workload.name, metric }));
    if (left.length === 0) return [];
    return {
      names: left.map(({ metric }) => ({ workload: workload.name, metric })),
      measure: () => measure(workload, left, directory),
    };
  });
}

async function measure(workload: Workload, rows: readonly TimedRow[], directory: string): Promise<MeasuredRow[]> {
  const wanted = new Set(rows.flatMap(({ form, over }) => (over ? [form, over] : [form])));
  const forms = await formsOf(workload.robot(), wanted, directory);
  try {
    await refuseDifferences(forms.contestants);
    const contest = await Contest.hold(forms.contestants);
    return rows.map(({ metric, form, over }): MeasuredRow => {
      const value = over ? contest.ratio(form, over) : contest.time(form);
      const note = value === null ? { note: `no C compiler (${C_COMPILER})` } : {};
      return { workload: workload.name, metric, value, unit: over ? 'ratio' : 'ns', ...note };
    });
  } finally {
    forms.close();
  }
}
