/**
 * Rows of what exact derivatives cost in drivers, counted: one direction of inverse dynamics, each of eight, the transpose, and a
 * step of Newton's method without its elimination, which links have in common, from a state that is not staged yet, over inverse dynamics in one call with elastic and damping forces.
 */
import { robotModel, type RobotModel } from '../src/codegen/modules/robot-model.ts';
import { newtonStepOperations } from '../src/codegen/modules/newton-step.ts';
import { executedOperations } from '../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { LinkFunctionName } from '../src/kane/kernels/link-functions.ts';
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

/** Counts, and what they are over inverse dynamics, of eight directions each. @param wanted rows. */
export function derivativeCounts(wanted: (name: RowName) => boolean): Measurement {
  const metrics = Object.keys(METRICS) as (keyof typeof METRICS)[];
  const names = EXAMPLES.flatMap((workload) =>
    metrics
      .filter((metric) => !(LOOPED.has(workload) && metric.includes('transpose')))
      .flatMap((metric) => [
        { workload, metric },
        { workload, metric: `${metric}${RATIO}` },
      ]),
  ).filter(wanted);
  return {
    names,
    async measure() {
      const models = new Map<string, RobotModel>();
      for (const workload of new Set(names.map((row) => row.workload))) {
        const robot = loadRobotFile(`examples/${workload}.robot.yaml`);
        models.set(workload, robotModel(robot, compileRobot(robot, { derivatives: true })));
      }
      return Promise.resolve(names.map((row) => measured(row, models.get(row.workload)!)));
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
