/**
 * npm run bench:operations [-- --update]: counts the operations of all programs and compares them with baseline.json.
 * Exit code 1 when one has risen.
 */
import { setFlagsFromString } from 'node:v8';
import { compareWithBaseline, describeDifference, isRegression, readBaseline, writeBaseline } from './baseline.ts';
import { countMeasurements } from './counts.ts';
import type { RowName } from './row.ts';

// Machine code is made late, and many small objects die young: a quarter less of the processor. As in `src/cli/start.ts`.
if (Number.parseInt(process.versions.v8, 10) < 14) setFlagsFromString('--interrupt-budget=300000');

const REMEDY = 'Find out why, or take the counts over on purpose: npm run bench:operations -- --update';

const update = process.argv.includes('--update');
const isCount = ({ metric }: RowName): boolean => !metric.includes(' / ');
const counted = countMeasurements(isCount).map((counts) => counts.measure());
const rows = (await Promise.all(counted)).flat().filter(({ unit, value }) => unit === 'operations' && value !== null);
if (update) {
  writeBaseline(rows);
  console.log(`bench/baseline.json: ${rows.length} counts written`);
} else {
  const differences = compareWithBaseline(rows, readBaseline());
  for (const difference of differences) console.log(describeDifference(difference));
  const regressions = differences.filter(isRegression).length;
  if (regressions > 0)
    console.log(`\n${regressions} of ${rows.length} counts are worse than bench/baseline.json. ${REMEDY}`);
  else if (differences.length > 0)
    console.log(`\nNothing has risen. Keep what was won: npm run bench:operations -- --update`);
  else console.log(`${rows.length} operation counts as in bench/baseline.json`);
  process.exitCode = regressions > 0 ? 1 : 0;
}
