/** Rows of operation counts: exact, the same on every machine. */
import { countPrograms } from './generation.ts';
import { programs, STRAIN_SEGMENTS, type BenchProgram, type ProgramCounts } from './programs.ts';
import type { MeasuredRow, Measurement, RowName, Unit } from './row.ts';
import { planarConstantStrain, puma, pumaTenParameters } from './workloads.ts';

type Counts = ReadonlyMap<string, ProgramCounts>;

/** A row and how it follows from the counts of programs. */
interface CountedRow extends RowName {
  /** `operations` unless given. */
  readonly unit?: Unit;
  readonly from: readonly BenchProgram[];
  readonly value: (counts: readonly ProgramCounts[]) => number;
}

/** Programs whose multiplications and additions the literature counts apart, without sines and cosines. */
const COUNTED_APART: ReadonlySet<string> = new Set([puma.name, pumaTenParameters.name]);

function rowsOf(program: BenchProgram): CountedRow[] {
  const workload = program.workload.name;
  const row = (kind: keyof ProgramCounts, label: string): CountedRow => ({
    workload,
    metric: `${label}, ${program.task}`,
    from: [program],
    value: ([own]) => own![kind],
  });
  if (!COUNTED_APART.has(workload)) return [row('total', 'operations')];
  return [row('multiplications', 'multiplications'), row('additions', 'additions'), row('total', 'operations')];
}

/** What segment n adds to an arm: programs of n and of n − 1 segments. */
function segmentPrograms(segment: number): BenchProgram[] {
  return [segment, segment - 1].map((n) =>
    programs.find((p) => p.auxiliary && p.workload.name === planarConstantStrain(n).name)!,
  );
}

const added = ([long, short]: readonly ProgramCounts[]): number => long!.total - short!.total;

const segmentRows: readonly CountedRow[] = [
  ...STRAIN_SEGMENTS.map((segment) => ({
    workload: 'planar-pcs',
    metric: `operations that segment ${segment} adds, inverse dynamics`,
    from: segmentPrograms(segment),
    value: added,
  })),
  {
    workload: 'planar-pcs',
    metric: 'operations of segment 10 / of segment 2',
    unit: 'ratio',
    from: [...segmentPrograms(10), ...segmentPrograms(2)],
    value: (counts) => added(counts.slice(0, 2)) / added(counts.slice(2)),
  },
];

const countedRows: readonly CountedRow[] = [...programs.filter((p) => !p.auxiliary).flatMap(rowsOf), ...segmentRows];

/** Counts of the wanted rows. */
export function operationCounts(wanted: (name: RowName) => boolean): Measurement {
  const rows = countedRows.filter(wanted);
  return {
    names: rows.map(({ workload, metric }) => ({ workload, metric })),
    async measure() {
      const counts: Counts = await countPrograms([...new Set(rows.flatMap((row) => row.from))]);
      return rows.map(({ workload, metric, from, value, unit = 'operations' }): MeasuredRow => ({
        workload,
        metric,
        value: value(from.map((p) => counts.get(p.name)!)),
        unit,
      }));
    },
  };
}
