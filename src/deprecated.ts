/**
 * Names of version 0.1 and what stands for them now; this file goes with the next version.
 */
import { robotFrom } from './api/load.ts';
import { simulate as simulateScenario, type ScenarioRun, type SimulateOptions } from './api/simulation.ts';
import type { LoadedRobot } from './codegen/typescript/load.ts';
import type { LoadOptions } from './description/load.ts';
import type { Robot } from './description/model/robot.ts';
import type { Integrator } from './simulation/integrators/integrator.ts';
import type { Run, Watcher } from './simulation/run/simulate.ts';
import { runScenario } from './simulation/run-scenario.ts';
import type { Scenario } from './simulation/scenario/scenario.ts';

/** @deprecated `load` returns a robot with verbs. */
export interface RobotInMemory {
  readonly robot: Robot;
  /** The generated code, running: update, inverseDynamics, massMatrix, frame, … on Float64Array. */
  readonly dynamics: LoadedRobot;
}

/** @deprecated Options of `load` and of `robot.compile`. */
export interface LoadRobotOptions extends LoadOptions {
  readonly cache?: string;
  readonly derivatives?: boolean;
  readonly points?: boolean;
}

/**
 * @deprecated `const robot = await load(source)`, then `(await robot.compile(options)).run()`.
 * @param source path of a robot file, or the same thing as an object.
 * @throws KanegenError with every problem of the robot.
 */
export async function loadRobot(source: string | object, options: LoadRobotOptions = {}): Promise<RobotInMemory> {
  // JavaScript may give null.
  const given = (options as LoadRobotOptions | null) ?? {};
  const robot = robotFrom(source, given);
  const { derivatives = false, points = false, cache } = given;
  const code = await robot.compile({ derivatives, points, ...(cache !== undefined && { cache }) });
  return { robot: robot.model, dynamics: await code.run() };
}

/**
 * Runs a scenario. What is expected in it and not met is in `comparisons`, why a run ended early in `failure`: neither is thrown.
 * @param source path of a scenario file, or what `loadScenario` returned.
 * @throws KanegenError with every problem of the scenario, and of the robot that it names.
 */
export function simulate(source: string | Scenario, options?: SimulateOptions): Promise<ScenarioRun>;
/** @deprecated `simulate(scenario, options)` compiles the robot that it names. */
export function simulate(source: Scenario, dynamics: LoadedRobot, progress?: Watcher, integrator?: Integrator): Run;
export function simulate(
  source: string | Scenario,
  second: SimulateOptions | LoadedRobot = {},
  progress?: Watcher,
  integrator?: Integrator,
): Promise<ScenarioRun> | Run {
  if (typeof source !== 'string' && 'update' in second) return runScenario(source, second, { progress, integrator });
  return simulateScenario(source, second as SimulateOptions);
}

/** @deprecated `(await load(…)).model` */
export { loadRobotFile, loadRobotObject, loadRobotText } from './description/load.ts';
/** @deprecated `robot.compile(options)` */
export { compileRobot } from './kane/compile.ts';
/** @deprecated `robot.compile(options)` */
export type { CompiledRobot, LinkType } from './kane/kernels/link-type.ts';
/** @deprecated `robot.explain()` has the ways to a body. */
export { compileBody, type CompiledBody } from './kane/compile-body.ts';
/** @deprecated `robot.explain()` has the terms of bodies. */
export { bodyTerms, type BodyTerm } from './kane/body-terms.ts';
/** @deprecated `code.files({ target: 'ts' })` */
export { generateTypeScript } from './codegen/typescript/typescript.ts';
/** @deprecated `code.files({ target: 'c' })` */
export { generateC } from './codegen/c/c.ts';
/** @deprecated `code.files(options)` */
export { generateFolder } from './codegen/folder.ts';
/** @deprecated `code.files({ straight: true })` says what functions cost in `straight.json`. */
export { generatedCost } from './codegen/whole-robot/straight-cost.ts';
/** @deprecated `code.files({ target: 'c', straight: true })` */
export { generateStraightC } from './codegen/c/straight-c.ts';
/** @deprecated `code.files({ straight: true })` */
export { straightModel, type StraightModel } from './codegen/whole-robot/straight-model.ts';
/** @deprecated `code.files({ target: 'ts', straight: true })` */
export { generateStraightTypeScript } from './codegen/typescript/straight-typescript.ts';
/** @deprecated `code.files({ straight: … })` */
export { compileStraight, linearParameters, type StraightOptions } from './straight/compile.ts';
/** @deprecated `robot.compare()` */
export { compileLagrange, type LagrangeOptions } from './lagrange/compile.ts';
/** @deprecated `code.files({ straight: … })` */
export type { RegressorChoice, RegressorColumn } from './straight/functions/regressor.ts';
/** @deprecated `code.files({ straight: … })` */
export type { StraightRobot } from './straight/straight-robot.ts';
/** @deprecated `RunningRobot` */
export type { LoadedRobot } from './codegen/typescript/load.ts';
/** @deprecated `code.write(folder, { straight: true })`, then import the module. */
export { loadStraight, type LoadedStraight } from './codegen/typescript/load.ts';
/** @deprecated `robot.evaluate(states, { target: 'c' })` */
export { buildEvaluator, type BuildOptions } from './codegen/c/build-c.ts';
/** @deprecated `robot.evaluate(states)` */
export { evaluateRobot, evaluateState, type State } from './verify/generated/evaluation.ts';
/** @deprecated `robot.verify(options)` */
export { verifyRobot } from './verify/verify.ts';
/** @deprecated `robot.statics(options)`, whose error has the code `no-equilibrium`. */
export { NoEquilibrium } from './simulation/equilibria/equilibrium.ts';
export { equilibrium } from './simulation/equilibria/statics.ts';
/** @deprecated `Loads` */
export type { StaticLoads, StaticWrench } from './simulation/equilibria/static-loads.ts';
/** @deprecated `robot.linearise(options)` */
export { linearise } from './simulation/small-motions/linearise.ts';
/** @deprecated `robot.inverseKinematics(goal, options)` */
export { inverseKinematics } from './simulation/equilibria/inverse-kinematics.ts';
/** @deprecated `robot.inverseStatics(goal, options)` */
export { inverseStatics } from './simulation/equilibria/inverse-statics.ts';
/** @deprecated `FramePose` */
export type { PoseGoal } from './simulation/equilibria/pose-search.ts';
/** @deprecated `simulate(scenario)` does this. */
export { robotOf } from './simulation/run/loads-as-actuators.ts';
/** @deprecated `robot.identify(data, options)` */
export { identify } from './identification/identify.ts';
/** @deprecated `robot.identify(path)` */
export { readMeasurements } from './identification/measurements.ts';
/** @deprecated `robot.baseParameters(options)` */
export type { MotionState } from './identification/exciting-states.ts';
/** @deprecated `robot.baseParameters(options)` */
export { compileRegressor, type LinearForces, type Regressor } from './identification/regressor.ts';
/** @deprecated `robot.baseParameters(options)` */
export { baseColumns, baseFormula, baseName, baseParameters } from './identification/base-parameters.ts';
/** @deprecated `robot.baseParameters(options)` */
export type { BaseFormula, GeometricConstant } from './identification/base-formulas.ts';
/** @deprecated `robot.identify(data, options)` */
export { identifiableRobot, type IdentifiedParameter, type ParameterChoice } from './identification/parameters.ts';
/** @deprecated `robot.explain({ states })` */
export { bodyTermValues } from './report/body-term-values.ts';
/** @deprecated `robot.explain()` */
export { explainRobot } from './report/explain.ts';
/** @deprecated Generated code has a run time of its own. */
export { stumpff } from './runtime/stumpff.ts';
