/** `kanegen simulate`: runs scenarios; a line of results per expectation, the balance of energy, a file of samples. */
import { generateTypeScript } from '../../codegen/typescript/typescript.ts';
import { loadGenerated, loadModules, type LoadedRobot } from '../../codegen/typescript/load.ts';
import { generateC } from '../../codegen/c/c.ts';
import { KanegenError } from '../../common/error.ts';
import { STANDARD_INPUT } from '../../description/source/read-file.ts';
import { compileRobot } from '../../kane/compile.ts';
import { runReport } from '../../report/run-report.ts';
import { figureOf, filmOfRun } from '../../report/pictures/pictures.ts';
import { countsText } from '../../simulation/integrators/integrator.ts';
import { resultText, type ResultFormat } from '../../simulation/run/result-text.ts';
import { outsideOfLimits, outsideText } from '../../simulation/run/outside.ts';
import { runPlot } from '../../simulation/run/run-plot.ts';
import { growthAlongRun, growthByPeriod, type GrowthInRun } from '../../simulation/small-motions/sampled-control.ts';
import { closedStart, standingOf } from '../../simulation/closed-start.ts';
import { robotOf } from '../../simulation/run/loads-as-actuators.ts';
import { integrateInC, integratorInC, type CIntegrator } from '../../simulation/run/run-in-c.ts';
import { loadScenario, type Scenario } from '../../simulation/scenario/scenario.ts';
import { compileOptions, failureText, simulate, type Run } from '../../simulation/run/simulate.ts';
import { reportFailure, UsageError } from '../terminal/failure.ts';
import { cacheOf, type CacheOptions } from '../files/cache.ts';
import { reportWarnings } from '../files/file-options.ts';
import { codeFor } from '../runs/modules.ts';
import { checkFile, writeFileOrKeep } from '../files/output.ts';
import {
  checkPictureOptions,
  figureForm,
  figureOptions,
  filmForm,
  filmOptions,
  type PictureOptions,
} from '../options/pictures.ts';
import { Progress } from '../terminal/progress.ts';
import { interruptible, Runner } from '../runs/runner.ts';
import { sweepCommand } from '../runs/sweep.ts';
import { formatTable, shortNumber } from '../terminal/table.ts';
import { complain, print } from '../terminal/terminal.ts';

interface SimulateOptions extends CacheOptions, PictureOptions {
  readonly out?: string;
  readonly format?: string;
  readonly plot?: string;
  readonly report?: string;
  readonly json?: boolean;
  readonly sweep?: string;
  readonly jobs?: string;
  readonly target?: string;
  readonly integrator?: string;
}

export const FORMATS = ['csv', 'json', 'ndjson'] as const;

export async function simulateCommand(file: string, options: SimulateOptions): Promise<void> {
  if (file === STANDARD_INPUT) throw new UsageError('simulate reads its scenario more than once: give a file, not -');
  const { sweep } = options;
  if (sweep !== undefined) {
    const other = (['plot', 'report', 'figure', 'film', 'format', 'json'] as const).find(
      (name) => options[name] !== undefined,
    );
    if (options.target === 'c') throw new UsageError('--sweep runs in TypeScript: remove --target c');
    if (other) throw new UsageError(`--${other} needs a single run; --sweep writes a line for every run to --out`);
    return sweepCommand(file, { ...options, sweep });
  }
  if (options.jobs !== undefined) throw new UsageError('--jobs needs --sweep');
  const format = formatOf(options);
  const outputs = outputsOf(options);
  const scenario = loadScenario(file);
  if (scenario.statics && options.plot !== undefined)
    throw new UsageError('--plot draws over time, and an equilibrium has none: use --report');
  if (scenario.statics && options.film !== undefined)
    throw new UsageError('--film shows a motion, and an equilibrium has none: use --figure');
  for (const { target, option } of outputs) checkFile(target, option);
  reportWarnings([...scenario.robot.warnings, ...(scenario.warnings ?? [])]);
  const progress = new Progress();
  progress.show('compiling');
  const inC = inCOf(scenario, options);
  const run = inC ? await runInC(file, scenario, inC, progress) : await inThread(file, scenario, options, progress);
  // What a run has is kept, and marked, when it ended before its time.
  const notes: string[] = [];
  const contents = {
    '--out': () => resultText(scenario, run, format),
    '--plot': () => runPlot(scenario, run),
    '--report': () => runReport(scenario, run),
    '--figure': (target: string) => figureOf(scenario, run, figureForm(target), figureOptions(options)),
    '--film': async (target: string) => {
      const { content, frames, rate, speed } = await filmOfRun(scenario, run, filmForm(target), filmOptions(options));
      const length = shortNumber(frames / rate);
      notes.push(`film     ${target}: ${frames} frames, ${length} s at ${shortNumber(speed)} × the speed of the run\n`);
      return content;
    },
  };
  for (const { target, option } of outputs)
    try {
      progress.show(`writing ${target}`);
      const content = await contents[option](target);
      progress.clear();
      writeFileOrKeep(target, content, option);
    } catch (error) {
      progress.clear();
      process.exitCode = reportFailure(error);
    }
  print(options.json ? resultText(scenario, run, 'json') : reportText(scenario, run) + notes.join(''));
  if (run.failure) complain(`${file}: ${failureText(run.failure)}\n`);
  if (run.failure || run.comparisons.some(({ outcome }) => outcome === 'FAILED')) process.exitCode = 1;
}

/** A run that ends, incomplete, when the process is interrupted. */
async function inThread(file: string, scenario: Scenario, options: SimulateOptions, progress: Progress): Promise<Run> {
  const runner = new Runner(file);
  const { start, end } = scenario;
  const show = (t: number): void =>
    progress.show(`${t.toPrecision(4)} s, ${Math.floor((100 * (t - start)) / (end - start))} %`);
  try {
    return await interruptible(
      () => runner.interrupt(),
      async () => {
        const code = await codeFor(scenario, cacheOf(options));
        runner.load(code);
        if (!worksInPeriods(scenario)) return (await runner.run({}, show)).run;
        const dynamics = (await loadModules(code.modules))();
        const controlled = code.model ? (await loadModules(code.model))() : dynamics;
        const isWarned = warnOfPeriod(file, scenario, dynamics, controlled);
        const { run } = await runner.run({}, show);
        if (!isWarned) warnAlong(file, scenario, run, dynamics, controlled);
        return run;
      },
    );
  } finally {
    progress.clear();
    await runner.close();
  }
}

function worksInPeriods({ control, phases = [] }: Scenario): boolean {
  return [control, ...phases.map((phase) => phase.control)].some((choice) => choice?.period !== undefined);
}

/** On standard error, where a controller's period lets errors grow that its law would not. @returns whether it does. */
function warnOfPeriod(file: string, scenario: Scenario, dynamics: LoadedRobot, controlled = dynamics): boolean {
  const { control, start, phases } = scenario;
  if (!control) return false;
  const end = phases?.[0]?.from ?? scenario.end;
  const found = growthByPeriod({ ...scenario, end }, dynamics, control, undefined, controlled);
  if (found) sayGrowth(file, scenario, { ...found, ...control, period: control.period!, t: start });
  return found !== undefined;
}

/** The same where the run went. */
function warnAlong(
  file: string,
  scenario: Scenario,
  { samples }: Run,
  dynamics: LoadedRobot,
  controlled = dynamics,
): void {
  const found = growthAlongRun(scenario, samples, dynamics, controlled);
  if (found) sayGrowth(file, scenario, found);
}

function sayGrowth(file: string, { robot, model = robot, start }: Scenario, found: GrowthInRun): void {
  const { name } = model.controllers![found.controller]!;
  const where = found.t === start ? 'the initial state' : `the state at ${found.t} s`;
  complain(
    `${file}: warning: steps of ${name} every ${found.period} s let errors grow: linearised about ${where}, the robot has a ` +
      `spectral radius of ${found.spectralRadius.toPrecision(4)} a step\n  → a period of ${found.sufficient.toPrecision(3)} s is short enough; or lower the gains\n`,
  );
}

/** A run whose steps the generated C takes. */
async function runInC(file: string, scenario: Scenario, integrator: CIntegrator, progress: Progress): Promise<Run> {
  const stop = new AbortController();
  try {
    const hasJacobian = integrator === 'cvode' || integrator === 'ida';
    const robot = robotOf(scenario);
    const compiled = compileRobot(robot, hasJacobian ? { derivatives: true } : compileOptions(scenario));
    const create = await loadGenerated(await generateTypeScript(robot, compiled));
    const isWarned = warnOfPeriod(file, scenario, create());
    const generated = await generateC(robot, compiled);
    const stands = standingOf(scenario);
    const code =
      stands && (await loadGenerated(await generateTypeScript(stands, compileRobot(stands, { derivatives: true }))));
    const closed = closedStart(scenario, create(), code?.());
    progress.show('compiling and running C');
    const steps = await interruptible(
      () => stop.abort(),
      () => integrateInC(closed, generated, integrator, robot, stop.signal),
    );
    const run = simulate(closed, create(), { integrator: steps });
    if (!isWarned && worksInPeriods(scenario)) warnAlong(file, scenario, run, create());
    return run;
  } catch (error) {
    throw stop.signal.aborted ? new KanegenError('interrupted', `${file}: interrupted before the first step`) : error;
  } finally {
    progress.clear();
  }
}

/** The integrator in C that is asked for, if any. @throws UsageError */
function inCOf(scenario: Scenario, { target = 'ts', integrator }: SimulateOptions): CIntegrator | undefined {
  if (target !== 'ts' && target !== 'c') throw new UsageError(`--target takes ts or c, not ${JSON.stringify(target)}`);
  const refuse = (message: string, remedy: string): Error => new UsageError(`--integrator: ${message}; ${remedy}`);
  if (target === 'c') return integratorInC(scenario, integrator, refuse);
  if (integrator !== undefined)
    throw new UsageError('--integrator needs --target c; otherwise the scenario chooses it');
  return undefined;
}

/** By the option, else by how the name of the file ends. @throws UsageError */
function formatOf({ format, out }: SimulateOptions): ResultFormat {
  const wanted = format ?? /\.(\w+)$/.exec(out ?? '')?.[1] ?? 'csv';
  const found = FORMATS.find((known) => known === wanted);
  if (found) return found;
  const takes = `--format takes ${FORMATS.join(', ')}`;
  if (format !== undefined) throw new UsageError(`${takes}, not ${JSON.stringify(format)}`);
  throw new UsageError(`the name ${out} has no known format: ${takes}`);
}

type OutputOption = '--out' | '--plot' | '--report' | '--figure' | '--film';

/** The files that are written. @throws UsageError where a name promises another format. */
function outputsOf(options: SimulateOptions): { readonly target: string; readonly option: OutputOption }[] {
  const { out, plot, report, figure, film } = options;
  const refuse = (option: OutputOption, target: string | undefined, ends: RegExp, what: string): void => {
    const end = /\.\w+$/.exec(target ?? '')?.[0];
    if (end !== undefined && !ends.test(end)) throw new UsageError(`${option} writes ${what}, not ${end}`);
  };
  refuse('--plot', plot, /^\.svg$/i, 'an SVG, name.svg');
  refuse('--report', report, /^\.html?$/i, 'a page, name.html');
  checkPictureOptions(options);
  const all = [
    { target: out, option: '--out' },
    { target: plot, option: '--plot' },
    { target: report, option: '--report' },
    { target: figure, option: '--figure' },
    { target: film, option: '--film' },
  ] as const;
  return all.flatMap(({ target, option }) => (target === undefined ? [] : [{ target, option }]));
}

function reportText(scenario: Scenario, run: Run): string {
  const { robot, start, end } = scenario;
  const { integrator, counts, advice, samples, events, comparisons, balance, closing } = run;
  const last = samples[samples.length - 1];
  const rows = comparisons.map(({ at, name, expected, found, within, outcome, kind, source, notMet }) => [
    outcome,
    scenario.statics ? name : `${name} at ${at} s`,
    `${found}`,
    `${Math.abs(found - expected).toExponential(1)} of ${within}`,
    kind ?? '',
    notMet === undefined ? source : `${source}; not met: ${notMet}`,
  ]);
  const lines = [
    scenario.statics
      ? `${robot.name}: ${integrator}, ${counts.steps} iterations`
      : `${robot.name}, ${start} s to ${last?.t ?? start} s${last && last.t < end ? ` of ${end} s` : ''}: ${integrator}, ${countsText(counts)}`,
    ...(advice ? [`advice   ${advice}`] : []),
    ...events.map(({ name, t }) => `event    ${name} at ${t} s`),
    ...scenario.events.flatMap(({ name }) =>
      events.some((event) => event.name === name) ? [] : [`event    ${name} did not occur`],
    ),
    ...(closing
      ? [
          `loops    closed at the start: ${closing.name} moved by ${closing.by.toPrecision(3)} ${closing.unit}, the most`,
        ]
      : []),
    ...(balance
      ? [
          `energy   balance closes to ${balance.defect.toExponential(1)} J of ${balance.exchanged.toExponential(1)} J exchanged`,
        ]
      : []),
    ...outsideOfLimits(scenario, run).map((own) => `limits   ${outsideText(own, scenario.statics)}`),
    ...(rows.length > 0 ? [formatTable(rows)] : []),
  ];
  return `${lines.join('\n')}\n`;
}
