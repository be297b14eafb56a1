/** What it costs to put a robot together at run time: inverse dynamics of link modules over that of the driver of one robot, in C, in turns. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { assembledC, moduleSymbol } from '../src/codegen/assembled/assembled-c.ts';
import { modulesOfRobot } from '../src/codegen/assembled/link-interface.ts';
import { generateC } from '../src/codegen/c/c.ts';
import { snakeCase } from '../src/codegen/naming/identifiers.ts';
import { loadRobotFile } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { compileRobot } from '../src/kane/compile.ts';
import { Contest, refuseDifferences } from './contest.ts';
import { C_COMPILER } from './machine.ts';
import { NativeTimer, type NativeForm } from './native.ts';
import type { Measurement, RowName } from './row.ts';
import { timedStates } from './states.ts';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const EXAMPLES = ['ur10e', 'pcs', 'planar-cc', 'planar-cc-20'];
const [WHOLE, MODULES] = ['driver of one robot', 'modules'] as const;
const metric = 'inverse dynamics in one call, modules / driver, C';

/** @param directory temporary, of the caller. */
export function moduleTimes(wanted: (name: RowName) => boolean, directory: string): Measurement[] {
  return EXAMPLES.map((workload): Measurement => ({
    names: [{ workload, metric }],
    measure: async () => {
      const robot = loadRobotFile(path.join(root, 'examples', `${workload}.robot.yaml`));
      const timer = await start(robot, directory);
      if (!timer) return [{ workload, metric, value: null, unit: 'ratio', note: `no C compiler (${C_COMPILER})` }];
      try {
        await refuseDifferences(timer.contestants());
        const contest = await Contest.hold(timer.contestants());
        return [{ workload, metric, value: contest.ratio(MODULES, WHOLE), unit: 'ratio' }];
      } finally {
        timer.close();
      }
    },
  })).filter(({ names }) => names.some(wanted));
}

async function start(robot: Robot, directory: string): Promise<NativeTimer | null> {
  const compiled = compileRobot(robot);
  const whole = (await generateC(robot, compiled)).filter((file) => !file.path.endsWith('_selftest.c'));
  const modules = (await assembledC(robot, compiled)).filter((file) => file.path !== 'kanegen_stumpff.c');
  const files = [...whole, ...modules.map(({ path: own, text }) => ({ path: `modules/${own}`, text }))];
  const states = timedStates(robot.coordinates.length);
  try {
    return await NativeTimer.start(files, states, formsOf(robot), directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

function formsOf(robot: Robot): NativeForm[] {
  const { model, links, instances } = modulesOfRobot(robot, compileRobot(robot));
  const adds = instances.map(
    ({ link, parent, name }) =>
      `  kg_robot_add(&robot, &${moduleSymbol(model, link)}, ${parent}, &${model.name}_${snakeCase(name)});`,
  );
  const declarations = [
    `static ${model.name}_workspace whole;`,
    'static kg_robot robot;',
    'static double memory[1 << 20];',
    'static void put_together(void)',
    '{',
    '  kg_robot_start(&robot, memory, sizeof memory);',
    ...robot.gravity.map((g, i) => `  robot.gravity[${i}] = ${g};`),
    ...model.base.map((x, i) => `  robot.base_pose[${i}] = ${x};`),
    ...adds,
    '}',
  ];
  return [
    {
      name: WHOLE,
      includes: [`${model.name}.h`],
      declarations: declarations.join('\n'),
      single: `${model.name}_inverse_dynamics_at(&whole, &${model.name}_defaults, q[k], qd[k], qdd[k], tau[k]);`,
    },
    {
      name: MODULES,
      includes: links.map((link) => `modules/${model.name}_link_${link.name}.h`),
      single:
        '{ if (robot.links == 0) put_together(); kg_robot_inverse_dynamics_at(&robot, q[k], qd[k], qdd[k], tau[k]); }',
    },
  ];
}
