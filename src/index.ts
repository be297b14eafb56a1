/**
 * kanegen as a library: a robot is loaded, and has a verb for each thing that the command line does.
 *
 * ```ts
 * const robot = await load('arm.robot.yaml');
 * const code = await robot.compile();
 * await code.write('generated/arm');
 * const arm = await code.run();
 * ```
 *
 * All numbers are in SI units; q, q̇, q̈ and τ in the order of `robot.coordinates`; matrices by rows; poses and Jacobians in world axes,
 * angular part first. Errors are KanegenError, with the place in the robot file where there is one.
 * @module
 */
export { load, type RobotOptions } from './api/load.ts';
export { SymbolicRobot } from './api/robot.ts';
export type {
  CompareOptions,
  IdentifyOptions,
  InverseKinematicsOptions,
  InverseStaticsOptions,
  LineariseOptions,
  RobotExplanation,
  SmallMotionsAbout,
  StaticsOptions,
} from './api/robot.ts';
export { RobotCode } from './api/code.ts';
export type { CompileOptions, FileOptions, RunningRobot, RunOptions } from './api/code.ts';
export type { Configuration, FramePose, FrameWrench, Loads, NameOrIndex, Numbers } from './api/by-name.ts';
export type { EvaluateOptions } from './api/evaluation.ts';
export type { GivenState } from './api/states.ts';
export type { ScenarioRun, SimulateOptions } from './api/simulation.ts';
export type { StraightChoice } from './api/straight.ts';
export type { VerifyOptions } from './api/verification.ts';

export { KanegenError, type ErrorOptions, type SourceLocation } from './common/error.ts';
export { formatError } from './description/source/diagnostics.ts';
export type { LoadOptions } from './description/load.ts';
export { robotFileJsonSchema } from './description/language/json-schema.ts';
export type { Robot, RobotCoordinate } from './description/model/robot.ts';
export type { Warning } from './description/model/warnings.ts';
export { interfaceJsonSchema } from './codegen/interface/json-schema.ts';
export type { CompileTarget, TargetName } from './codegen/folder.ts';
export type { GeneratedFile } from './codegen/modules/robot-model.ts';
export type { LoadedController, LoadedShell, RunningShell } from './codegen/typescript/load.ts';
export type {
  Derivatives,
  Dynamics,
  LoopDerivatives,
  Loops,
  MaterialPoints,
  Momentum,
  Status,
} from './runtime/driver.ts';
export type { Evaluation, Precision } from './verify/generated/evaluation.ts';
export type { VerificationReport } from './verify/verify.ts';
export type { RodStaticsOptions } from './api/rod-statics.ts';
export type { LoadedProfile, LoadedRod } from './kane/loaded/loaded-rod.ts';
export type { Equilibrium } from './simulation/equilibria/equilibrium.ts';
export type { Linearisation } from './simulation/small-motions/linearise.ts';
export type { Mode } from './simulation/small-motions/modes.ts';
export type { InverseKinematicsResult } from './simulation/equilibria/inverse-kinematics.ts';
export type { InverseStaticsResult } from './simulation/equilibria/inverse-statics.ts';
export type { PoseSearchOptions, PoseSearchResult } from './simulation/equilibria/pose-search.ts';
export { scenarioFileJsonSchema } from './simulation/scenario/json-schema.ts';
export { loadScenario, type Scenario } from './simulation/scenario/scenario.ts';
export { scenarioTable } from './simulation/run/scenario-table.ts';
export type { ScenarioTable } from './codegen/doors/python/scenario-table.ts';
export type { Run, Sample } from './simulation/run/simulate.ts';
export {
  rolloutGradient,
  type CostOfState,
  type Rollout,
  type RolloutCost,
  type RolloutGradient,
} from './simulation/integrators/rollout-gradient.ts';
export type { BaseEstimate, Identification, ParameterEstimate } from './identification/identify.ts';
export type { Measurements } from './identification/measurements.ts';
export type { BaseParameter, BaseParameters, NamedFormula } from './identification/base-parameters.ts';
export type { StraightFunctionName } from './straight/straight-robot.ts';
export type { Comparison, FormulationReport } from './report/comparison.ts';
export type { Explanation } from './report/explain.ts';
export type { Film, FigureForm, FigureOptions, FilmForm, FilmOptions, Look } from './report/pictures/pictures.ts';
export type { LinkTermValues } from './report/body-term-values.ts';
export type { Understanding } from './report/understanding/understanding.ts';

// Names of version 0.1; the next version is without them.
export * from './deprecated.ts';
