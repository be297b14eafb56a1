/** Rows of what a step of a controller costs at most, counted, over the driver or over straight-line functions: what costs less. */
import { controllersOf } from '../src/codegen/controllers/controller-model.ts';
import { robotModel } from '../src/codegen/modules/robot-model.ts';
import { operationsInAll } from '../src/codegen/printing/cost-text.ts';
import { loadRobotFile, loadRobotObject } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { Measurement, RowName } from './row.ts';

interface ControllerWorkload {
  readonly name: string;
  readonly robot: () => Robot;
  /** Controllers by metric. */
  readonly rows: Readonly<Record<string, string>>;
}

const metricOf = (law: string): string => `operations a step, ${law}`;

const workloads: readonly ControllerWorkload[] = [
  {
    name: 'ur10e-motors',
    robot: () => loadRobotFile('examples/scenarios/ur10e-motors.robot.yaml'),
    rows: {
      [metricOf('computed torque')]: 'track',
      [metricOf('PD with gravity')]: 'hold',
      [metricOf('partial feedback linearisation')]: 'linearise',
      [metricOf('impedance of a frame')]: 'soft',
    },
  },
  {
    name: 'planar-cc-3-tendons',
    robot: () =>
      loadRobotObject({
        kanegen: 1,
        name: 'arm',
        parameters: { r: '15 mm' },
        links: [{ name: 'segment', body: 'planar-cc', repeat: 3 }],
        actuators: Object.fromEntries(
          [0, 1, 2].map((i) => [
            `t${i + 1}`,
            { tendon: { through: ['segment1', 'segment2', 'segment3'].slice(0, i + 1), route: { x: 'r', y: 0 } } },
          ]),
        ),
        controllers: { lengths: { 'partial-feedback-linearisation': { kp: 4, kd: 4 } } },
      }),
    rows: { [metricOf('partial feedback linearisation')]: 'lengths' },
  },
];

/** @param wanted rows. */
export function controllerCounts(wanted: (name: RowName) => boolean): Measurement {
  const asked = workloads.flatMap((workload) =>
    Object.entries(workload.rows)
      .map(([metric, controller]) => ({ name: { workload: workload.name, metric }, workload, controller }))
      .filter(({ name }) => wanted(name)),
  );
  return {
    names: asked.map(({ name }) => name),
    measure: () => {
      const costs = new Map<ControllerWorkload, ReadonlyMap<string, number>>();
      return Promise.resolve(
        asked.map(({ name, workload, controller }) => {
          const known = costs.get(workload) ?? costsOf(workload.robot());
          costs.set(workload, known);
          return { ...name, unit: 'operations' as const, value: known.get(controller)! };
        }),
      );
    },
  };
}

function costsOf(robot: Robot): ReadonlyMap<string, number> {
  const models = controllersOf(robotModel(robot, compileRobot(robot)));
  return new Map(models.map(({ controller, cost }) => [controller.name, operationsInAll(cost)]));
}
