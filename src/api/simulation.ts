/** Runs of scenarios, from a program. */
import type { TargetName } from '../codegen/folder.ts';
import { demandOptions } from '../common/options.ts';
import type { Film, FigureForm, FigureOptions, FilmForm, FilmOptions } from '../report/pictures/pictures.ts';
import type { ResultFormat } from '../simulation/run/result-text.ts';
import type { CIntegrator, EndSignal } from '../simulation/run/run-in-c.ts';
import type { Run, Watcher } from '../simulation/run/simulate.ts';
import type { Scenario } from '../simulation/scenario/scenario.ts';
import { refusalOf } from './by-name.ts';

/** How a scenario is run. */
export interface SimulateOptions {
  /** TypeScript in this process, or C built by the compiler of the system; `ts` when missing. */
  readonly target?: TargetName;
  /** In C: `rosenbrock`, `generalized-alpha`, or `cvode`, `ida` of SUNDIALS; by the scenario when missing. */
  readonly integrator?: CIntegrator;
  /** Is told the time that is reached (s); the run ends there, incomplete, when it returns false. In TypeScript only. */
  readonly progress?: Watcher;
  /** Ends a run in C. */
  readonly signal?: EndSignal;
}

/** A run with the scenario that it is of. */
export interface ScenarioRun extends Run {
  readonly scenario: Scenario;
  /** The samples as `csv`, `json` or `ndjson`. */
  text(format: ResultFormat): Promise<string>;
  /** Coordinates, positions and energies over time, as SVG. */
  plot(): Promise<string>;
  /** A page with plots and the moving robot in space, as HTML. */
  report(): Promise<string>;
  /** The robot at several times in one picture: the text of an SVG, or the bytes of a PNG. @throws KanegenError `no-picture`, `unknown-view` */
  figure(form: FigureForm, options?: FigureOptions): Promise<string | Uint8Array>;
  /** A film: the text of an SVG, or bytes. @throws KanegenError `no-picture`, `unknown-view`, `no-encoder` */
  film(form: FilmForm, options?: FilmOptions): Promise<Film>;
}

/**
 * Runs a scenario. What is expected in it and not met is in `comparisons`, why a run ended early in `failure`: neither is thrown.
 * @param source path of a scenario file, or what `loadScenario` returned.
 * @throws KanegenError with every problem of the scenario, and of the robot that it names.
 */
export async function simulate(source: string | Scenario, options: SimulateOptions = {}): Promise<ScenarioRun> {
  demandOptions(options);
  const scenario = typeof source === 'string' ? await scenarioAt(source) : source;
  const run = options.target === 'c' ? await runInC(scenario, options) : await runHere(scenario, options);
  return {
    ...run,
    scenario,
    text: async (format) => (await import('../simulation/run/result-text.ts')).resultText(scenario, run, format),
    plot: async () => (await import('../simulation/run/run-plot.ts')).runPlot(scenario, run),
    report: async () => (await import('../report/run-report.ts')).runReport(scenario, run),
    figure: async (form, options) =>
      (await import('../report/pictures/pictures.ts')).figureOf(scenario, run, form, options),
    film: async (form, options) =>
      (await import('../report/pictures/pictures.ts')).filmOfRun(scenario, run, form, options),
  };
}

async function scenarioAt(path: string): Promise<Scenario> {
  return (await import('../simulation/scenario/scenario.ts')).loadScenario(path);
}

async function runHere(scenario: Scenario, { progress, integrator }: SimulateOptions): Promise<Run> {
  if (integrator !== undefined)
    throw refusalOf('simulate')("`integrator` needs `target: 'c'`", 'otherwise the scenario chooses it');
  const { compileOptions } = await import('../simulation/run/simulate.ts');
  const { runScenario } = await import('../simulation/run-scenario.ts');
  const code = await codeOf(scenario, compileOptions(scenario).derivatives);
  const [model, stands] = [await modelOf(scenario), await standsOf(scenario)];
  return runScenario(scenario, await code.run(), { progress, model, stands });
}

async function runInC(scenario: Scenario, { integrator, signal }: SimulateOptions): Promise<Run> {
  const { simulate: run, compileOptions } = await import('../simulation/run/simulate.ts');
  const { integrateInC, integratorInC } = await import('../simulation/run/run-in-c.ts');
  const { generateC } = await import('../codegen/c/c.ts');
  const wanted = integratorInC(scenario, integrator, refusalOf('simulate'));
  const hasJacobian = wanted === 'cvode' || wanted === 'ida';
  const code = await codeOf(scenario, hasJacobian || compileOptions(scenario).derivatives);
  const generated = await generateC(code.robot, await code.compiled());
  const { closedStart } = await import('../simulation/closed-start.ts');
  const closed = closedStart(scenario, await code.run(), await standsOf(scenario));
  const steps = await integrateInC(closed, generated, wanted, code.robot, signal);
  return run(closed, await code.run(), { integrator: steps });
}

/** The code that controllers compute with, where that is another robot's. */
async function modelOf({ model }: Scenario) {
  if (!model) return undefined;
  const { RobotCode } = await import('./code.ts');
  return new RobotCode(model, {}).run();
}

/** The code of the robot as it stands, where an equilibrium asks for it. */
async function standsOf(scenario: Scenario) {
  const { standingOf } = await import('../simulation/closed-start.ts');
  const stands = standingOf(scenario);
  if (!stands) return undefined;
  const { RobotCode } = await import('./code.ts');
  return new RobotCode(stands, { derivatives: true }).run();
}

/** Of the robot that is compiled for the runs of a scenario. */
async function codeOf(scenario: Scenario, derivatives: boolean) {
  const { robotOf } = await import('../simulation/run/loads-as-actuators.ts');
  const { RobotCode } = await import('./code.ts');
  return new RobotCode(robotOf(scenario), { derivatives });
}
