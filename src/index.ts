/**
 * kanegen as a library: everything the command line does, from TypeScript.
 */
import { loadCached } from './codegen/typescript/code-cache.ts';
import type { LoadedRobot } from './codegen/typescript/load.ts';
import { generateTypeScript } from './codegen/typescript/typescript.ts';
import { KanegenError } from './common/error.ts';
import { loadRobotFile, loadRobotObject, type LoadOptions } from './description/load.ts';
import type { Robot } from './description/model/robot.ts';
import { compileRobot } from './kane/compile.ts';

/** A robot ready to compute with. */
export interface RobotInMemory {
  readonly robot: Robot;
  /** The generated code, running: update, inverseDynamics, massMatrix, frame, … on Float64Array. */
  readonly dynamics: LoadedRobot;
}

export interface LoadRobotOptions extends LoadOptions {
  /**
   * A folder that keeps generated code from one process to the next, by what the robot says and the version of kanegen.
   * What stands there is run: give one that nobody else writes to.
   */
  readonly cache?: string;
  /** With exact derivatives of the dynamics along directions: `dynamics.inverseDynamicsTangent`, … */
  readonly derivatives?: boolean;
  /** With places of material points that are given at run time: `dynamics.point`. */
  readonly points?: boolean;
}

/**
 * Compiles a robot in memory, without writing files unless there is a cache. A robot that says the same as one before in
 * this process is not compiled again.
 * @param source path of a robot file, or the same thing as an object.
 * @throws KanegenError with every problem of the robot.
 */
export async function loadRobot(source: string | object, options: LoadRobotOptions = {}): Promise<RobotInMemory> {
  const robot = typeof source === 'string' ? loadRobotFile(source, options) : loadRobotObject(source, options);
  // JavaScript may give null.
  const { derivatives = false, points = false, cache } = (options as LoadRobotOptions | null) ?? {};
  if (cache !== undefined && typeof cache !== 'string')
    throw new KanegenError('wrong-shape', '`cache` takes the path of a folder');
  const generate = () => generateTypeScript(robot, compileRobot(robot, { derivatives, points }));
  const create = await loadCached(
    robot,
    generate,
    cache,
    `${derivatives ? '-derivatives' : ''}${points ? '-points' : ''}`,
  );
  return { robot, dynamics: create() };
}

export { KanegenError } from './common/error.ts';
export { formatError } from './description/source/diagnostics.ts';
export { loadRobotFile, loadRobotObject, loadRobotText, type LoadOptions } from './description/load.ts';
export { robotFileJsonSchema } from './description/language/json-schema.ts';
export type { Robot, RobotCoordinate } from './description/model/robot.ts';
export { compileRobot } from './kane/compile.ts';
export { compileBody, type CompiledBody } from './kane/compile-body.ts';
export { bodyTerms, type BodyTerm } from './kane/body-terms.ts';
export type { CompiledRobot, LinkType } from './kane/link/link-type.ts';
export { generateTypeScript } from './codegen/typescript/typescript.ts';
export { generateC } from './codegen/c/c.ts';
export { generateFolder, type TargetName } from './codegen/folder.ts';
export { generatedCost } from './codegen/whole-robot/straight-cost.ts';
export { generateStraightC } from './codegen/c/straight-c.ts';
export { straightModel, type StraightModel } from './codegen/whole-robot/straight-model.ts';
export { generateStraightTypeScript } from './codegen/typescript/straight-typescript.ts';
export { compileStraight, linearParameters, type StraightOptions } from './straight/compile.ts';
export { compileLagrange, type LagrangeOptions } from './lagrange/compile.ts';
export type { RegressorChoice, RegressorColumn } from './straight/functions/regressor.ts';
export type { StraightFunctionName, StraightRobot } from './straight/straight-robot.ts';
export type { GeneratedFile } from './codegen/modules/robot-model.ts';
export type { Derivatives, Dynamics, MaterialPoints, Momentum, Status } from './runtime/driver.ts';
export { loadStraight, type LoadedRobot, type LoadedStraight } from './codegen/typescript/load.ts';
export { buildEvaluator, type BuildOptions } from './codegen/c/build-c.ts';
export { evaluateRobot, evaluateState, type Evaluation, type State } from './verify/generated/evaluation.ts';
export { verifyRobot, type VerificationReport } from './verify/verify.ts';
export { equilibrium, NoEquilibrium, type Equilibrium } from './simulation/equilibria/statics.ts';
export type { StaticLoads, StaticWrench } from './simulation/equilibria/static-loads.ts';
export { linearise, type Linearisation, type Mode } from './simulation/equilibria/linearise.ts';
export {
  inverseKinematics,
  type InverseKinematicsOptions,
  type InverseKinematicsResult,
} from './simulation/equilibria/inverse-kinematics.ts';
export {
  inverseStatics,
  type InverseStaticsOptions,
  type InverseStaticsResult,
} from './simulation/equilibria/inverse-statics.ts';
export type { PoseGoal, PoseSearchOptions, PoseSearchResult } from './simulation/equilibria/pose-search.ts';
export { loadScenario, type Scenario } from './simulation/scenario/scenario.ts';
export {
  rolloutGradient,
  type CostOfState,
  type Rollout,
  type RolloutCost,
  type RolloutGradient,
} from './simulation/integrators/rollout-gradient.ts';
export { robotOf } from './simulation/run/loads-as-actuators.ts';
export { simulate, type Run, type Sample } from './simulation/run/simulate.ts';
export { identify, type BaseEstimate, type Identification, type ParameterEstimate } from './identification/identify.ts';
export { readMeasurements, type Measurements } from './identification/measurements.ts';
export type { MotionState } from './identification/exciting-states.ts';
export { compileRegressor, type LinearForces, type Regressor } from './identification/regressor.ts';
export {
  baseColumns,
  baseFormula,
  baseParameters,
  baseName,
  type BaseParameter,
  type BaseParameters,
  type NamedFormula,
} from './identification/base-parameters.ts';
export type { BaseFormula, GeometricConstant } from './identification/base-formulas.ts';
export { identifiableRobot, type IdentifiedParameter, type ParameterChoice } from './identification/parameters.ts';
export { bodyTermValues, type LinkTermValues } from './report/body-term-values.ts';
export { explainRobot, type Explanation } from './report/explain.ts';
export { stumpff } from './runtime/stumpff.ts';
