/**
 * `kanegen simulate --sweep`: a run for every row of a table, in several threads; a line of JSON for each as it ends. Rows
 * that the file of results has already are not run again.
 */
import { createHash } from 'node:crypto';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { VERSION } from '../../codegen/modules/version.ts';
import type { KeptTexts } from '../../common/kept-texts.ts';
import { KanegenError } from '../../common/error.ts';
import { loadScenario, type Scenario } from '../../simulation/scenario/scenario.ts';
import { readVariations, type Values } from '../../simulation/scenario/variation.ts';
import { wholeNumber } from '../terminal/numbers.ts';
import { UsageError } from '../terminal/failure.ts';
import { cannotWrite } from '../../files/folder.ts';
import { readText } from '../../files/read.ts';
import { cacheOf, type CacheOptions } from '../files/cache.ts';
import { reportWarnings } from '../files/file-options.ts';
import { checkFile } from '../files/output.ts';
import { Progress } from '../terminal/progress.ts';
import { codeFor } from './modules.ts';
import { interruptible, Runner, type TimedRun } from './runner.ts';
import { complain, print } from '../terminal/terminal.ts';

/** More would only take memory from each other. */
const MOST_THREADS = 256;

export interface SweepOptions extends CacheOptions {
  readonly sweep: string;
  readonly out?: string;
  readonly jobs?: string;
}

export async function sweepCommand(file: string, { sweep, out, jobs: wanted, cache }: SweepOptions): Promise<void> {
  if (out === undefined) throw new UsageError('--sweep needs --out FILE.ndjson for its results, one line per run');
  const jobs = wanted === undefined ? availableParallelism() : wholeNumber('--jobs', wanted, 1, MOST_THREADS);
  const scenario = loadScenario(file);
  reportWarnings([...scenario.robot.warnings, ...(scenario.warnings ?? [])]);
  const rows = readVariations(sweep, readText(sweep), scenario);
  const digest = digestOf(file, scenario);
  checkFile(out);
  const done = finishedRows(out, rows, digest);
  const due = rows.flatMap((values, i) => (done.has(i + 1) ? [] : [{ row: i + 1, values }]));
  if (done.size > 0) complain(`${done.size} of ${rows.length} rows are already in ${out}\n`);
  const incomplete =
    due.length === 0
      ? 0
      : await carryOut(file, scenario, due, rows.length, {
          out,
          jobs,
          digest,
          kept: cacheOf({ ...(cache !== undefined && { cache }) }),
        });
  const ended = finishedRows(out, rows, digest);
  print(`${ended.size} of ${rows.length} rows in ${out}, ${incomplete} of the new runs ended early\n`);
  if (incomplete > 0 || ended.size < rows.length) process.exitCode = 1;
}

interface Due {
  /** From 1, in the order of the table. */
  readonly row: number;
  readonly values: Values;
}

/** @returns how many ended early. */
async function carryOut(
  file: string,
  scenario: Scenario,
  due: Due[],
  all: number,
  {
    out,
    jobs,
    digest,
    kept,
  }: { readonly out: string; readonly jobs: number; readonly digest: string; readonly kept: KeptTexts | undefined },
): Promise<number> {
  const progress = new Progress();
  progress.show('compiling');
  const runners = Array.from({ length: Math.min(jobs, due.length) }, () => new Runner(file));
  let [interrupted, incomplete] = [false, 0];
  const stop = (): void => {
    interrupted = true;
    for (const runner of runners) runner.interrupt();
  };
  try {
    const code = await codeFor(scenario, kept);
    await interruptible(stop, () =>
      Promise.all(
        runners.map(async (runner) => {
          runner.load(code);
          for (let next = due.shift(); next && !interrupted; next = due.shift()) {
            progress.show(`row ${next.row} of ${all}`);
            const timed = await runner.run(next.values);
            // What was interrupted is run again by the next call.
            if (interrupted && timed.run.failure) return;
            if (timed.run.failure) incomplete++;
            append(out, resultLine(scenario, next, timed, digest));
          }
        }),
      ),
    );
  } finally {
    progress.clear();
    await Promise.all(runners.map((runner) => runner.close()));
  }
  return incomplete;
}

function append(out: string, line: string): void {
  try {
    appendFileSync(out, line);
  } catch (error) {
    throw cannotWrite(out, error);
  }
}

/** The end of a run and what came of it; times in s, everything in SI units. */
function resultLine(scenario: Scenario, { row, values }: Due, { run, seconds }: TimedRun, digest: string): string {
  const { robot, frames } = scenario;
  const { failure, samples, events, comparisons, counts, balance } = run;
  const last = samples[samples.length - 1];
  const named = (numbers: readonly number[]): object =>
    Object.fromEntries(robot.coordinates.map(({ name }, i) => [name, numbers[i]]));
  const end = last && {
    t: last.t,
    coordinates: named(last.q),
    rates: named(last.qd),
    frames: Object.fromEntries(frames.map((frame, i) => [robot.frames[frame]!.name, last.frames[i]])),
    energy: last.energy,
  };
  const result = { row, values, complete: failure === undefined, ...(failure && { failure }), end };
  return `${JSON.stringify({ ...result, events, comparisons, balance, counts, seconds, of: digest })}\n`;
}

/** Of what all rows have in common. */
function digestOf(file: string, scenario: Scenario): string {
  const hash = createHash('sha256').update(
    [VERSION, scenario.robot.source.hash, scenario.model?.source.hash, readText(file)].join('\n'),
  );
  for (const part of scenario.sources) hash.update(part);
  return hash.digest('hex').slice(0, 16);
}

/** Rows that a file of results has; a last line that was cut off is taken away. @throws KanegenError of another sweep. */
function finishedRows(out: string, rows: readonly Values[], digest: string): Set<number> {
  if (!existsSync(out)) return new Set();
  const text = readText(out);
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  const found = new Set<number>();
  whole.split('\n').forEach((line, i) => {
    if (line === '') return;
    const foreign = (message: string): KanegenError =>
      new KanegenError('other-results', message, {
        location: { file: out, line: i + 1, column: 1, path: '' },
        remedy: 'give another file with --out, or remove this one',
      });
    let result: { readonly row?: unknown; readonly values?: unknown; readonly of?: unknown };
    try {
      result = JSON.parse(line) as typeof result;
    } catch {
      throw foreign('this is not a result of a sweep');
    }
    const values = typeof result.row === 'number' ? rows[result.row - 1] : undefined;
    if (!values || JSON.stringify(values) !== JSON.stringify(result.values))
      throw foreign('this is not a row of the table');
    if (result.of !== digest) throw foreign('this is a run of another scenario, robot or version of kanegen');
    found.add(result.row as number);
  });
  if (whole.length < text.length) writeFileSync(out, whole);
  return found;
}
