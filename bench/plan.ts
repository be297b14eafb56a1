/** All measurements of a run, and the figures that their rows are held against. */
import { compileTimes } from './compile-times.ts';
import { countMeasurements } from './counts.ts';
import { driverTimes } from './drivers.ts';
import { evaluationTimes } from './evaluation.ts';
import { figures } from './figures.ts';
import { generationTimes } from './generation.ts';
import { growthTimes } from './growth.ts';
import { manyStatesTimes } from './many-states.ts';
import { moduleTimes } from './modules.ts';
import { pointTimes } from './points.ts';
import { rolloutTimes } from './rollouts.ts';
import { keyOf, type MeasuredRow, type Measurement, type Row, type RowName } from './row.ts';

const figureOf = new Map(figures.map((figure) => [keyOf(figure), figure]));

export function withFigures(row: MeasuredRow): Row {
  const figure = figureOf.get(keyOf(row));
  const note = row.note ?? figure?.note;
  return { ...row, bar: figure?.bar ?? null, goal: figure?.goal ?? null, ...(note !== undefined && { note }) };
}

/**
 * Measurements with a wanted row, in the order of the table; nothing is measured yet.
 * @param directory temporary, of the caller.
 */
export function measurements(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  return [
    ...countMeasurements(wanted),
    generationTimes(wanted),
    ...evaluationTimes(wanted, directory),
    ...manyStatesTimes(wanted, directory),
    rolloutTimes(wanted),
    ...driverTimes(wanted, directory),
    ...growthTimes(wanted, directory),
    ...pointTimes(wanted, directory),
    ...moduleTimes(wanted, directory),
    compileTimes(wanted, directory),
  ].filter(({ names }) => names.length > 0);
}
