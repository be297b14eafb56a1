/**
 * The straight-line programs whose operations are counted and whose generation is timed: a workload and what is computed
 * of it.
 */
import type { GeneratedFile } from '../src/codegen/modules/robot-model.ts';
import { generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { generateStraightC } from '../src/codegen/c/straight-c.ts';
import {
  countsOf as countsOfFunction,
  operationsOf,
  straightModel,
  type StraightFunctionModel,
  type StraightModel,
} from '../src/codegen/whole-robot/straight-model.ts';
import { generateStraightTypeScript } from '../src/codegen/typescript/straight-typescript.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { compileStraight } from '../src/straight/compile.ts';
import type { StraightFunctionName, StraightOutput, StraightRobot } from '../src/straight/straight-robot.ts';
import { negate, zero, type Expr } from '../src/symbolic/graph/expr.ts';
import { substitute } from '../src/symbolic/graph/traverse.ts';
import {
  CONSTANT_CURVATURE_LINKS,
  hyq,
  iiwa,
  PLANAR_CHAIN_LINKS,
  planarChain,
  planarConstantCurvature,
  planarConstantStrain,
  puma,
  pumaTenParameters,
  ur10e,
  ur10eFullTensors,
  type Workload,
} from './workloads.ts';

/** What a program computes, as the table says it. */
export type Task =
  | 'inverse dynamics'
  | 'forward dynamics'
  | 'mass matrix'
  | 'derivatives of inverse dynamics'
  | 'mass matrix and forcing'
  /** M, c and g apart, as one program. */
  | 'mass matrix, Coriolis and gravity vectors';

const FUNCTION: Readonly<Record<Exclude<Task, 'mass matrix, Coriolis and gravity vectors'>, StraightFunctionName>> = {
  'inverse dynamics': 'inverseDynamics',
  'forward dynamics': 'forwardDynamics',
  'mass matrix': 'massMatrix',
  'derivatives of inverse dynamics': 'inverseDynamicsDerivatives',
  'mass matrix and forcing': 'massMatrixAndForcing',
};

export interface BenchProgram {
  /** Unique. */
  readonly name: string;
  readonly workload: Workload;
  readonly task: Task;
  /** Counted for rows of others, but not a row of its own, nor timed. */
  readonly auxiliary?: boolean;
}

const program = (workload: Workload, task: Task): BenchProgram => ({
  name: `${workload.name}: ${task}`,
  workload,
  task,
});
const threeTasks = (workload: Workload): BenchProgram[] =>
  (['inverse dynamics', 'mass matrix', 'derivatives of inverse dynamics'] as const).map((t) => program(workload, t));

/** Constant-strain segments whose cost is counted: near the base, and far from it. */
export const STRAIN_SEGMENTS = [2, 3, 10] as const;

/** Arms with such a segment at the tip, and without it. */
const strainArms = [...new Set(STRAIN_SEGMENTS.flatMap((n) => [n - 1, n]))];

export const programs: readonly BenchProgram[] = [
  ...CONSTANT_CURVATURE_LINKS.map((n) => program(planarConstantCurvature(n), 'inverse dynamics')),
  ...PLANAR_CHAIN_LINKS.map((n) => program(planarChain(n), 'mass matrix and forcing')),
  program(ur10eFullTensors, 'inverse dynamics'),
  program(ur10e, 'inverse dynamics'),
  program(ur10e, 'forward dynamics'),
  program(pumaTenParameters, 'inverse dynamics'),
  program(puma, 'inverse dynamics'),
  ...threeTasks(iiwa),
  ...threeTasks(hyq),
  program(planarConstantStrain(1), 'mass matrix, Coriolis and gravity vectors'),
  program(planarConstantStrain(2), 'mass matrix, Coriolis and gravity vectors'),
  ...strainArms.map((n) => ({ ...program(planarConstantStrain(n), 'inverse dynamics'), auxiliary: true })),
];

/** The program of a robot as expressions, one function. */
export function derive({ workload, task }: BenchProgram, robot: Robot): StraightRobot {
  const { keepGravity } = workload;
  if (task !== 'mass matrix, Coriolis and gravity vectors')
    return compileStraight(robot, { functions: [FUNCTION[task]], keepGravity, count: generatedCost });
  const functions: readonly StraightFunctionName[] = ['massMatrixAndForcing', 'gravity'];
  return withTermsApart(compileStraight(robot, { functions, keepGravity: true, count: generatedCost }));
}

/** M, c and g as one function. Gravity is a parameter: c is what remains of the forces without it. */
function withTermsApart(straight: StraightRobot): StraightRobot {
  const [dynamics, gravity] = straight.functions;
  const output = (of: typeof dynamics, buffer: string): StraightOutput => of!.outputs.find((o) => o.buffer === buffer)!;
  const weightless = new Map<Expr, Expr>(
    straight.parameters.filter((p) => p.name.startsWith('gravity_')).map((p) => [p.symbol, zero]),
  );
  const forcing = output(dynamics, 'forcing');
  const coriolis: StraightOutput = {
    ...forcing,
    buffer: 'c',
    values: substitute(forcing.values, weightless).map(negate),
    summary: 'Coriolis and centrifugal forces, one per coordinate',
  };
  const outputs = [output(dynamics, 'M'), coriolis, output(gravity, 'g')];
  return { ...straight, functions: [{ ...dynamics!, summary: 'Mass matrix, Coriolis forces and gravity.', outputs }] };
}

/** Operations of one program, those that Stumpff functions execute below half a turn included. */
export interface ProgramCounts {
  readonly additions: number;
  readonly multiplications: number;
  /** All kinds. */
  readonly total: number;
}

export function countsOf(f: StraightFunctionModel): ProgramCounts {
  const { add, multiply } = countsOfFunction(f);
  return { additions: add, multiplications: multiply, total: operationsOf(f) };
}

/** Expressions optimised to operations. */
export function modelOf(robot: Robot, straight: StraightRobot): StraightModel {
  return straightModel(robot, compileRobot(robot), straight);
}

/** Source texts of a program in TypeScript and C. */
export async function sourcesOf(model: StraightModel): Promise<readonly GeneratedFile[]> {
  return [generateStraightTypeScript(model), ...(await generateStraightC(model))];
}
