/**
 * Rows of what implicit strains cost in generated programs, counted: a section in equilibrium, its strain, rates and forces; and one arm with ten
 * tendons by ten implicit and by 48 explicit coordinates, with the same points.
 */
import { readFileSync } from 'node:fs';
import { chooseFunctions } from '../src/codegen/choice.ts';
import { robotModel, type RobotModel } from '../src/codegen/modules/robot-model.ts';
import { countOperations } from '../src/codegen/programs/statement.ts';
import { loadRobotFile, loadRobotText } from '../src/description/load.ts';
import { compileRobot } from '../src/kane/compile.ts';
import type { LinkFunctionName } from '../src/kane/kernels/link-functions.ts';
import { operationsOfLinks } from './derivatives.ts';
import { FORWARD } from './forward-dynamics.ts';
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

/** On each half of both arms. */
const POINTS = 8;
const ARMS = { implicit: 'arm-10', explicit: 'ten-tendons' } as const;
type Arm = (typeof ARMS)[keyof typeof ARMS];
/** By metric, functions of links; of states that are not staged yet, elastic and damping forces included. */
const FUNCTIONS: Readonly<Record<string, readonly LinkFunctionName[]>> = {
  'operations, inverse dynamics, driver': ['forward', 'backward', 'elastic', 'damping'],
  'operations, mass matrix, driver': ['configure', 'composite'],
  'operations, forward dynamics, driver': FORWARD,
  'operations, implicit step with its factorisation, driver': [...FORWARD, 'stiffness', 'dissipation'],
};

function armOf(name: Arm): RobotModel {
  const file = `examples/scenarios/${name}.robot.yaml`;
  const text = readFileSync(file, 'utf8').replace(/integration: .*/, `integration: { points: ${POINTS}, magnus: 6 }`);
  const robot = loadRobotText(text, file);
  const wanted = ['inverse-dynamics', 'active-inverse-dynamics', 'mass-matrix', 'forward-dynamics', 'implicit-step'];
  return robotModel(robot, chooseFunctions(robot, compileRobot(robot), wanted));
}

/** @param wanted rows. */
export function implicitCounts(wanted: (name: RowName) => boolean): Measurement {
  const ofSections = Object.keys(LOOPS)
    .map((metric) => ({ workload: WORKLOAD, metric }))
    .filter(wanted);
  const ofArms = Object.values(ARMS)
    .flatMap((workload) => Object.keys(FUNCTIONS).map((metric) => ({ workload, metric })))
    .filter(wanted);
  return {
    names: [...ofSections, ...ofArms],
    measure: () => Promise.resolve([...sections(ofSections), ...arms(ofArms)]),
  };
}

type Counts = Awaited<ReturnType<Measurement['measure']>>;

function sections(names: readonly RowName[]): Counts {
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
}

function arms(names: readonly (RowName & { readonly workload: Arm })[]): Counts {
  const models = new Map([...new Set(names.map(({ workload }) => workload))].map((arm) => [arm, armOf(arm)]));
  return names.map(({ workload, metric }) => {
    const of = FUNCTIONS[metric]!;
    return { workload, metric, unit: 'operations', value: operationsOfLinks(models.get(workload)!, of, of.at(-2)!) };
  });
}
