/** What a benchmark run reports: rows of a table, and the measurements that they come from. */

export interface RowName {
  readonly workload: string;
  readonly metric: string;
}

export type Unit = 'operations' | 'rows' | 's' | 'ns' | 'ratio';

/** Lower is better. */
export interface MeasuredRow extends RowName {
  /** Null when this machine could not measure it; the note says why. */
  readonly value: number | null;
  readonly unit: Unit;
  readonly note?: string;
}

export interface Row extends MeasuredRow {
  /** What the best other program or derivation known to us needs; null where there is none. */
  readonly bar: number | null;
  /** What this project set out to reach; null where it named nothing. */
  readonly goal: number | null;
}

/** Rows that are measured together. Their names are known before, so that a run can leave out what nobody asked for. */
export interface Measurement {
  readonly names: readonly RowName[];
  /** @returns values of `names`, in any order, and no others. */
  measure(): Promise<readonly MeasuredRow[]>;
}

export function keyOf({ workload, metric }: RowName): string {
  return `${workload}: ${metric}`;
}

/** The middle one of an odd number of values; the upper of the two in the middle otherwise. */
export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
}
