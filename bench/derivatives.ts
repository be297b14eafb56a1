/**
 * Rows of what exact derivatives cost in drivers, counted: one direction of inverse dynamics, each of eight, the transpose, and a
 * step of Newton's method without its elimination, which links have in common, from a state that is not staged yet, over inverse dynamics in one call with elastic and damping forces;
 * and, counted where they are carried out at a staged state, the factors of that step and a right-hand side through them.
 */
import { robotModel, type RobotModel } from '../src/codegen/modules/robot-model.ts';
import { newtonStepOperations } from '../src/codegen/modules/newton-step.ts';
import { executedOperations } from '../src/codegen/whole-robot/straight-cost.ts';
import type { LoadedRobot } from '../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import { loadRobotFile } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { LinkFunctionName } from '../src/kane/kernels/link-functions.ts';
import type { CompiledRobot } from '../src/kane/kernels/link-type.ts';
import { KG_OK, type Status } from '../src/runtime/driver.ts';
import { countedRobot } from './counted-code.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';

const EXAMPLES = ['planar-cc-20', 'pcc-3d', 'pcs', 'ur10e', 'elastic-rod'] as const;

/** Bodies with loops have no transpose. */
const LOOPED: ReadonlySet<string> = new Set(['elastic-rod']);

const UPDATE: readonly LinkFunctionName[] = ['configure', 'velocity'];
const STAGED: readonly LinkFunctionName[] = [...UPDATE, 'accelerationForTangent', 'backwardForTangent'];
const DIRECTION: readonly LinkFunctionName[] = ['forwardTangent', 'backwardTangent'];
const TRANSPOSE: readonly LinkFunctionName[] = [
  ...UPDATE,
  'accelerationForAdjoint',
  'backwardForAdjoint',
  'backwardAdjoint',
  'forwardAdjoint',
];

/** Operations of functions of all links of a driver; null where a link has not got one that is required. */
export function operationsOfLinks(
  { instances }: RobotModel,
  names: readonly LinkFunctionName[],
  required: LinkFunctionName,
): number | null {
  if (instances.some(({ link }) => !link.programs.some(({ name }) => name === required))) return null;
  const own = instances.flatMap(({ link }) =>
    link.programs.filter(({ name }) => names.includes(name as LinkFunctionName)).map(executedOperations),
  );
  return own.reduce((total, count) => total + count, 0);
}

function operationsOfStep(model: RobotModel): number {
  return operationsOfLinks(model, UPDATE, 'configure')! + newtonStepOperations(model);
}

const RATIO = ' / inverse dynamics';

const METRICS = {
  'operations, a direction of inverse dynamics, driver': (model: RobotModel) =>
    operationsOfLinks(model, [...STAGED, ...DIRECTION], 'forwardTangent'),
  'operations, eight directions of inverse dynamics, driver': (model: RobotModel) =>
    operationsOfLinks(model, STAGED, 'accelerationForTangent')! +
    8 * operationsOfLinks(model, DIRECTION, 'forwardTangent')!,
  'operations, transpose of inverse dynamics, driver': (model: RobotModel) =>
    operationsOfLinks(model, TRANSPOSE, 'forwardAdjoint'),
  'operations, step of Newton’s method, driver': operationsOfStep,
} as const;

/** At a staged state, elimination and solution included. */
const PARTS: Readonly<Record<string, (robot: Required<LoadedRobot>, x: Float64Array) => Status>> = {
  'operations, newton_factor, driver': (robot, x) => robot.newtonFactor(1e3, 1e6, x, new Float64Array(robot.actuators)),
  'operations, newton_solve, driver': (robot, x) => robot.newtonSolve(x, new Float64Array(x.length)),
};

/** Counts, and what they are over inverse dynamics, of eight directions each. @param wanted rows. */
export function derivativeCounts(wanted: (name: RowName) => boolean): Measurement {
  const metrics = Object.keys(METRICS) as (keyof typeof METRICS)[];
  const names = EXAMPLES.flatMap((workload) => [
    ...metrics
      .filter((metric) => !(LOOPED.has(workload) && metric.includes('transpose')))
      .flatMap((metric) => [
        { workload, metric },
        { workload, metric: `${metric}${RATIO}` },
      ]),
    ...Object.keys(PARTS).map((metric) => ({ workload, metric })),
  ]).filter(wanted);
  return {
    names,
    async measure() {
      const rows: MeasuredRow[] = [];
      for (const workload of new Set(names.map((row) => row.workload))) {
        const robot = loadRobotFile(`examples/${workload}.robot.yaml`);
        const compiled = compileRobot(robot, { derivatives: true });
        const model = robotModel(robot, compiled);
        const own = names.filter((row) => row.workload === workload);
        const parts = own.filter(({ metric }) => metric in PARTS);
        if (parts.length > 0) rows.push(...(await countedParts(parts, robot, compiled)));
        rows.push(...own.filter((row) => !parts.includes(row)).map((row) => measured(row, model)));
      }
      return rows;
    },
  };
}

function measured({ workload, metric }: RowName, model: RobotModel): MeasuredRow {
  const isRatio = metric.endsWith(RATIO);
  const counted = (isRatio ? metric.slice(0, -RATIO.length) : metric) as keyof typeof METRICS;
  const unit = isRatio ? 'ratio' : 'operations';
  const count = METRICS[counted](model);
  if (count === null) return { workload, metric, unit, value: null, note: 'bodies with loops have none' };
  const once = operationsOfLinks(model, ['forward', 'backward', 'elastic', 'damping'], 'forward')!;
  const each = counted.includes('eight') ? 8 : 1;
  return { workload, metric, unit, value: isRatio ? count / once / each : count };
}

async function countedParts(names: readonly RowName[], robot: Robot, compiled: CompiledRobot): Promise<MeasuredRow[]> {
  const { robot: made, operations } = await countedRobot(await generateTypeScript(robot, compiled));
  const numbers = (phase: number): Float64Array =>
    Float64Array.from({ length: made.coordinates }, (_, i) => 0.3 * Math.sin(1.3 * i + phase));
  made.update(numbers(0.4), numbers(5.4));
  const counts = Object.entries(PARTS).map(([metric, call]) => {
    let status: Status = KG_OK;
    const count = operations(() => (status = call(made as Required<LoadedRobot>, numbers(9.4))));
    if (status !== KG_OK) throw new Error(`${robot.name}: ${metric} returns status ${String(status)}`);
    return [metric, count] as const;
  });
  const byMetric = new Map(counts);
  return names.map((row) => ({ ...row, unit: 'operations', value: byMetric.get(row.metric)! }));
}
