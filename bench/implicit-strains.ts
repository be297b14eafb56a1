/** Rows of what a section in equilibrium costs in generated programs: its strain, rates and forces. */
import { robotModel } from '../src/codegen/modules/robot-model.ts';
import { countOperations } from '../src/codegen/programs/statement.ts';
import { loadRobotFile } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { totalOfRow } from './points.ts';
import type { Measurement, RowName } from './row.ts';

const WORKLOAD = 'implicit-arm';
/** By metric, the loops that are counted. */
const LOOPS: Readonly<Record<string, RegExp>> = {
  'operations per point, last Newton step': /^balance$/,
  'operations per point, strain, its rates, elastic and viscous forces':
    /^(iterate_\d+|balance|tangent|slope|rate|coasting|elastic|damping)$/,
};
/** Where each of them runs once. */
const PROGRAMS: readonly string[] = ['configure', 'velocity', 'elastic', 'damping'];

/** @param wanted rows. */
export function implicitCounts(wanted: (name: RowName) => boolean): Measurement {
  const names = Object.keys(LOOPS)
    .map((metric) => ({ workload: WORKLOAD, metric }))
    .filter(wanted);
  return {
    names,
    async measure() {
      if (names.length === 0) return [];
      const robot = loadRobotFile(`examples/${WORKLOAD}.robot.yaml`);
      const loops = robotModel(robot, compileRobot(robot))
        .links[0]!.programs.filter(({ name }) => PROGRAMS.includes(name))
        .flatMap(({ statements }) => statements.flatMap((own) => (own.kind === 'loop' ? [own] : [])));
      return names.map(({ workload, metric }) => ({
        ...{ workload, metric, unit: 'operations' as const },
        value: loops
          .filter(({ name }) => LOOPS[metric]!.test(name))
          .flatMap((own) => countOperations([own]).loops)
          .reduce((sum, { row }) => sum + totalOfRow(row), 0),
      }));
    },
  };
}
