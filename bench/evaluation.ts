/**
 * Times of inverse dynamics in all its forms, as ratios: straight-line code, generic driver, batches, and the
 * Euler–Lagrange baseline; TypeScript and C.
 */
import { Contest, refuseDifferences } from './contest.ts';
import { formsOf, type FormName } from './forms.ts';
import { C_COMPILER, PORTABLE_FLAGS } from './machine.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import {
  constantStrain,
  hyq,
  iiwa,
  panda,
  planarConstantCurvature,
  rigidChain,
  ur10e,
  type Workload,
} from './workloads.ts';

/** A row: the time of one form over that of another, or a time where there is no other. */
interface TimedRow {
  readonly metric: string;
  readonly form: FormName;
  readonly over?: FormName;
}

const C_ROWS: readonly TimedRow[] = [{ metric: 'straight-line inverse dynamics, C', form: 'straight, C' }];
const TIME_ROWS: readonly TimedRow[] = [
  { metric: 'straight-line inverse dynamics, TypeScript', form: 'straight, TypeScript' },
  ...C_ROWS,
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
const SINE_ROWS: readonly TimedRow[] = [
  { metric: 'generated sines / sines of the library, C', form: 'straight, C', over: 'straight, library sines, C' },
];
/** Counted, not timed. */
const DENSITY = 'instructions / operations, straight-line C';
const DENSITY_ROWS: readonly TimedRow[] = [{ metric: DENSITY, form: 'straight, C' }];
const LAGRANGE_ROWS: readonly TimedRow[] = [
  { metric: 'recursion / Euler–Lagrange, C', form: 'straight, C', over: 'lagrange, C' },
];

/** What is timed of which robot. */
const plan: readonly { readonly workload: Workload; readonly rows: readonly TimedRow[] }[] = [
  ...[1, 2, 3, 4, 5].map((n) => ({ workload: planarConstantCurvature(n), rows: LAGRANGE_ROWS })),
  {
    workload: planarConstantCurvature(6),
    rows: [...TIME_ROWS, ...DENSITY_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS, ...LAGRANGE_ROWS],
  },
  { workload: planarConstantCurvature(20), rows: [...TIME_ROWS, ...DENSITY_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS] },
  ...[ur10e, iiwa].map((workload) => ({
    workload,
    rows: [...TIME_ROWS, ...DENSITY_ROWS, ...SINE_ROWS, ...DRIVER_ROWS, ...BATCH_ROWS],
  })),
  ...[panda, hyq].map((workload) => ({ workload, rows: [...DENSITY_ROWS, ...SINE_ROWS] })),
  ...[constantStrain(3), constantStrain(10), rigidChain(30)].map((workload) => ({
    workload,
    rows: [...C_ROWS, ...DENSITY_ROWS],
  })),
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
    const density = await forms.density();
    return rows.map(({ metric, form, over }): MeasuredRow => {
      const isDensity = metric === DENSITY;
      const value = isDensity ? density : over ? contest.ratio(form, over) : contest.time(form);
      const missing = isDensity ? 'no C compiler or no objdump' : `no C compiler (${C_COMPILER})`;
      const note = value === null ? { note: missing } : {};
      return { workload: workload.name, metric, value, unit: over || isDensity ? 'ratio' : 'ns', ...note };
    });
  } finally {
    forms.close();
  }
}
