/**
 * Rows of what forward dynamics cost in drivers, counted: of a state that is not staged yet, per link (the mean of those of a robot),
 * and over inverse dynamics in one call; both with elastic and damping forces. And of what the mass matrix of a long chain costs.
 */
import { robotCallCosts } from '../src/codegen/controllers/call-costs.ts';
import { robotModel, type RobotModel } from '../src/codegen/modules/robot-model.ts';
import type { RobotFunctionName } from '../src/codegen/sweeps/robot-functions.ts';
import { operationsInAll } from '../src/codegen/printing/cost-text.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { LinkFunctionName } from '../src/kane/kernels/link-functions.ts';
import { operationsOfLinks } from './derivatives.ts';
import type { MeasuredRow, Measurement, RowName } from './row.ts';
import { rigidChain } from './workloads.ts';

const EXAMPLES = ['planar-cc-20', 'pcc-3d', 'pcs', 'ur10e'] as const;

const RESISTANCE: readonly LinkFunctionName[] = ['elastic', 'damping'];
export const FORWARD: readonly LinkFunctionName[] = [
  ...(['configure', 'velocity', 'acceleration', 'articulate', 'reduce', 'restore'] as const),
  ...RESISTANCE,
];
const INVERSE: readonly LinkFunctionName[] = ['forward', 'backward', ...RESISTANCE];

const PER_LINK = 'operations per link, forward dynamics, driver';
const TO_INVERSE = 'forward dynamics / inverse dynamics, operations of the driver';

const CHAIN = rigidChain(30);
const MASS = 'operations, mass matrix, driver';
const MASS_TO_INVERSE = 'mass matrix / inverse dynamics, operations of the driver';

/** @param wanted rows. */
export function massMatrixCounts(wanted: (name: RowName) => boolean): Measurement {
  const names = [MASS, MASS_TO_INVERSE].map((metric) => ({ workload: CHAIN.name, metric })).filter(wanted);
  return {
    names,
    measure() {
      if (names.length === 0) return Promise.resolve([]);
      const robot = CHAIN.robot();
      const costs = robotCallCosts(robotModel(robot, compileRobot(robot)));
      const of = (name: RobotFunctionName): number => operationsInAll(costs(`robot.${name}`, [], []));
      const mass = of('massMatrixAt');
      const rows: MeasuredRow[] = [
        { workload: CHAIN.name, metric: MASS, value: mass, unit: 'operations' },
        { workload: CHAIN.name, metric: MASS_TO_INVERSE, value: mass / of('inverseDynamicsAt'), unit: 'ratio' },
      ];
      return Promise.resolve(rows.filter(wanted));
    },
  };
}

/** @param wanted rows. */
export function forwardDynamicsCounts(wanted: (name: RowName) => boolean): Measurement {
  const names = EXAMPLES.flatMap((workload) => [PER_LINK, TO_INVERSE].map((metric) => ({ workload, metric }))).filter(
    wanted,
  );
  return {
    names,
    measure() {
      const workloads = [...new Set(names.map(({ workload }) => workload))];
      return Promise.resolve(workloads.flatMap((workload) => rowsOf(workload).filter(wanted)));
    },
  };
}

function rowsOf(workload: string): MeasuredRow[] {
  const robot = loadRobotFile(`examples/${workload}.robot.yaml`);
  const model: RobotModel = robotModel(robot, compileRobot(robot));
  const operations = operationsOfLinks(model, FORWARD, 'articulate')!;
  const inverse = operationsOfLinks(model, INVERSE, 'forward')!;
  return [
    { workload, metric: PER_LINK, value: Math.round(operations / model.instances.length), unit: 'operations' },
    { workload, metric: TO_INVERSE, value: operations / inverse, unit: 'ratio' },
  ];
}
