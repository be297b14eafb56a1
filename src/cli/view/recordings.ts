/** Motions that `kanegen view` plays: scenarios of the folder that run its robot, and a log. */
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { KanegenError } from '../../common/error.ts';
import { readRegularText, MOST_BYTES } from '../../description/source/read-file.ts';
import { UnreadableFile } from '../../host/host.ts';
import type { Robot } from '../../description/model/robot.ts';
import { actingAt } from '../../report/animation.ts';
import { arrowsOf } from '../../report/drawing/arrows.ts';
import { RobotShape } from '../../report/robot-shape.ts';
import type { Played } from '../../report/viewer/live-messages.ts';
import { failureText, type Run, type Sample } from '../../simulation/run/simulate.ts';
import type { Scenario } from '../../simulation/scenario/scenario.ts';
import { readText } from '../../files/read.ts';
import { CsvTable } from '../../identification/csv-table.ts';
import { cacheOf, type CacheOptions } from '../files/cache.ts';
import { codeFor } from '../runs/modules.ts';
import { Runner } from '../runs/runner.ts';
import { pictureOf } from './viewed-robot.ts';

/** Pictures of a motion. */
const MOST = 240;
const ROBOT = /^robot:\s*(?:'([^']+)'|"([^"]+)"|([^#\n]+?))\s*(?:#.*)?$/m;

/** Scenario files beside a robot file, or in `scenarios/` there, that name it, by paths relative to its folder. */
export function scenariosOf(file: string): string[] {
  const own = path.resolve(file);
  const folder = path.dirname(own);
  return ['.', 'scenarios'].flatMap((room) => {
    const names = entriesOf(path.join(folder, room)).filter((name) => name.endsWith('.scenario.yaml'));
    return names
      .sort()
      .flatMap((name) => (robotIn(path.join(folder, room, name)) === own ? [path.join(room, name)] : []));
  });
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The robot that a scenario names; what is wrong with the file is told when it is played. */
function robotIn(scenario: string): string | undefined {
  try {
    const found = ROBOT.exec(readRegularText(scenario, MOST_BYTES.robot));
    const name = found?.[1] ?? found?.[2] ?? found?.[3];
    return name === undefined ? undefined : path.resolve(path.dirname(scenario), name);
  } catch (error) {
    if (error instanceof UnreadableFile) return undefined;
    throw error;
  }
}

/** @throws KanegenError of the scenario, or of its run where it has no sample. */
export async function playScenario(file: string, options: CacheOptions): Promise<Played> {
  const { loadScenario } = await import('../../simulation/scenario/scenario.ts');
  const scenario = loadScenario(file);
  const runner = new Runner(file);
  try {
    runner.load(await codeFor(scenario, cacheOf(options)));
    const { run, seconds } = await runner.run({});
    return playedRun(scenario, run, seconds);
  } finally {
    await runner.close();
  }
}

/** A log as `simulate` writes it, or any table of `t` and all coordinates; inputs where it has them. @throws KanegenError naming what is missing. */
export function playLog(robot: Robot, file: string): Played {
  const table = new CsvTable(readText(file), file);
  const time = table.column('t');
  const coordinates = robot.coordinates.map(({ name }) => table.column(name));
  table.finish();
  const inputs = robot.actuators.map(({ name }) => table.find([name]));
  const times = table.numbers(time, 's');
  const q = coordinates.map((index, i) => table.numbers(index, robot.coordinates[i]!.unit));
  const u = inputs.map((index, i) =>
    index === undefined ? undefined : table.numbers(index, robot.actuators[i]!.unit),
  );
  table.finish();
  table.demandIncreasing(time, times);
  const samples = times.map((t, k) => ({
    t,
    q: q.map((column) => column[k]!),
    u: u.map((column) => column?.[k] ?? 0),
  }));
  return played(robot, samples, [], `${file}: ${times.length} instants`);
}

function playedRun(scenario: Scenario, run: Run, seconds: number): Played {
  if (run.samples.length === 0)
    throw new KanegenError('no-picture', run.failure ? failureText(run.failure) : 'the run has no sample');
  const end = run.samples[run.samples.length - 1]!.t;
  const failed = run.comparisons.filter(({ outcome }) => outcome === 'FAILED').length;
  const text = [
    `${run.integrator}: ${Number((end - scenario.start).toPrecision(4))} s in ${Number(seconds.toPrecision(2))} s`,
    ...(run.failure ? [failureText(run.failure)] : []),
    ...(failed > 0 ? [`${failed} expected results FAILED`] : []),
  ].join('; ');
  return played(scenario.robot, run.samples, scenario.loads, text);
}

function played(
  robot: Robot,
  samples: readonly Pick<Sample, 't' | 'q' | 'u' | 'contacts' | 'multipliers'>[],
  loads: Scenario['loads'],
  text: string,
): Played {
  const shape = new RobotShape(robot);
  const count = Math.min(MOST, samples.length);
  const shown = Array.from(
    { length: count },
    (_, k) => samples[count === 1 ? 0 : Math.round((k * (samples.length - 1)) / (count - 1))]!,
  );
  const places = shown.map(({ q, t }) => shape.place(q, t));
  return {
    times: shown.map(({ t }) => t),
    pictures: places.map(pictureOf),
    arrows: places.map((own, k) => arrowsOf(robot, shape, own, actingAt(shown[k]!, loads))),
    q: shown.map(({ q }) => q),
    inputs: shown.map(({ u }) => u),
    text,
  };
}
