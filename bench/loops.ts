/**
 * Rows of what loops cost in forward dynamics, counted where it is carried out: beside the same robot without them.
 */
import { generateTypeScript } from '../src/codegen/typescript/typescript.ts';
import type { LoadedRobot } from '../src/codegen/typescript/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { loadRobotFile, loadRobotObject } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { generatedCost } from '../src/codegen/whole-robot/straight-cost.ts';
import { operationsOf, straightModel } from '../src/codegen/whole-robot/straight-model.ts';
import { KG_OK } from '../src/runtime/driver.ts';
import { compileStraight } from '../src/straight/compile.ts';
import { countedRobot } from './counted-code.ts';
import type { Measurement, RowName } from './row.ts';

const METRICS = ['operations, forward dynamics', 'operations, forward dynamics of the tree'] as const;
/** From a state that is not staged. */
const STRAIGHT = 'operations, straight-line forward dynamics';

/** Two arms side by side, and what holds their tips together. */
function arms(count: number, link: object, loop: object): Robot {
  const links = ['left', 'right'].flatMap((arm) =>
    Array.from({ length: count }, (_, i) => ({
      name: `${arm}${i + 1}`,
      parent: i === 0 ? 'base' : `${arm}${i}`,
      ...(i === 0 && arm === 'right' && { offset: { xyz: [0.2, 0, 0] } }),
      ...link,
    })),
  );
  return loadRobotObject({
    kanegen: 1,
    name: 'two-arms',
    links,
    loops: { tips: { weld: { a: `left${count}`, b: `right${count}`, ...loop } } },
  });
}

const RIGID = {
  joint: { revolute: 'y' },
  rigid: {
    mass: 1.2,
    com: [0, 0.02, 0.1],
    inertia: { xx: 4e-3, yy: 5e-3, zz: 2e-3 },
    distal: { xyz: [0, 0, 0.3], rpy: ['90 deg', 0, 0] },
  },
};

const WORKLOADS: Readonly<Record<string, () => Robot>> = {
  'four-bar': () => loadRobotFile('examples/mechanisms/four-bar.robot.yaml'),
  'two arms of 10 rigid links, tips welded': () => arms(10, RIGID, {}),
  'two arms of 30 rigid links, tips welded': () => arms(30, RIGID, {}),
  'two arms of 3 pcs segments, tips welded': () => arms(3, { body: 'pcs' }, {}),
};

/** @param wanted rows. */
export function loopCounts(wanted: (name: RowName) => boolean): Measurement {
  const names = [
    ...Object.keys(WORKLOADS).flatMap((workload) => METRICS.map((metric) => ({ workload, metric }))),
    { workload: 'four-bar', metric: STRAIGHT } as const,
  ].filter(wanted);
  return {
    names,
    async measure() {
      const rows = [];
      for (const { workload, metric } of names) {
        const robot = WORKLOADS[workload]!();
        if (metric === STRAIGHT) {
          rows.push({ workload, metric, unit: 'operations' as const, value: straightCount(robot) });
          continue;
        }
        const tree: Robot = { ...robot };
        Reflect.deleteProperty(tree, 'loops');
        const value = await countOf(metric === METRICS[0] ? robot : tree);
        rows.push({ workload, metric, unit: 'operations' as const, value });
      }
      return rows;
    },
  };
}

function straightCount(robot: Robot): number {
  const straight = compileStraight(robot, { functions: ['forwardDynamics'], count: generatedCost });
  return operationsOf(straightModel(robot, compileRobot(robot), straight).functions[0]!);
}

/** Operations of forward dynamics at a staged state; loops need not be closed there. */
async function countOf(robot: Robot): Promise<number> {
  const files = await generateTypeScript(robot, compileRobot(robot));
  const { robot: made, operations } = await countedRobot(files);
  const numbers = (size: number, phase: number): Float64Array =>
    Float64Array.from({ length: size }, (_, i) => 0.1 * Math.sin(1.3 * i + phase));
  const n = made.coordinates;
  const run = (of: LoadedRobot): number => {
    const status = of.forwardDynamics(numbers(n, 1), new Float64Array(n));
    if (status !== KG_OK) throw new Error(`forward dynamics of ${robot.name} return status ${String(status)}`);
    return status;
  };
  made.update(numbers(n, 0.4), numbers(n, 5.4));
  return operations(() => run(made));
}
