/** Robots that are compiled whole and put together of link modules, for tests that hold one against the other. */
import { evaluator } from '../../../src/codegen/typescript/evaluate-modules.ts';
import { assembledTypeScript } from '../../../src/codegen/assembled/assembled-typescript.ts';
import { assembledFunctions, modulesOfRobot, parameterValues } from '../../../src/codegen/assembled/link-interface.ts';
import { INPUTS, sizeOf } from '../../../src/codegen/sweeps/arrays.ts';
import { robotFunction, type RobotFunctionName } from '../../../src/codegen/sweeps/robot-functions.ts';
import type { GeneratedFile } from '../../../src/codegen/modules/robot-model.ts';
import { camelCase } from '../../../src/codegen/naming/identifiers.ts';
import { modulesOf } from '../../../src/codegen/typescript/stripped.ts';
import { loadRobotFile, loadRobotObject } from '../../../src/description/load.ts';
import type { Robot } from '../../../src/description/model/robot.ts';
import type { CompiledRobot } from '../../../src/kane/kernels/link-type.ts';
import type { Dynamics, Momentum } from '../../../src/runtime/driver.ts';
import { branchedRobot } from '../sample-robots.ts';

export type Assembled = Dynamics & Momentum & { readonly gravity: Float64Array };

/** What `createRobot` of driver.ts takes. */
export interface PartOfRobot {
  readonly module: object;
  readonly parent: number;
  readonly parameters?: Readonly<Record<string, number>>;
}

export type CreateRobot = (parts: readonly PartOfRobot[], world?: object) => Assembled;

const example = (name: string): Robot => loadRobotFile(`examples/${name}.robot.yaml`);

/** A torso with two arms of rigid links and rods, springs, dampers, and a base that is turned. */
const branching = {
  kanegen: 1,
  name: 'branching',
  gravity: [0.3, -1, -9.5],
  base: { xyz: [0.3, -0.2, 0.1], rpy: [0.2, 0.4, -0.3] },
  links: [
    {
      name: 'torso',
      joint: 'free',
      rigid: { mass: 3, com: [0.02, 0.01, -0.03], inertia: { xx: 0.02, yy: 0.03, zz: 0.01, xy: 0.002 } },
    },
    {
      name: 'left',
      parent: 'torso',
      joint: { revolute: 'y', armature: 0.2, stiffness: 3, damping: 0.1 },
      rigid: { mass: 1, com: [0, 0, 0.1], distal: { xyz: [0, 0.02, 0.2] } },
    },
    { name: 'right', parent: 'torso', body: 'pcc-3d', parameters: { L: 0.2, R: 0.02, rho: 1070 } },
    { name: 'hand', parent: 'right', joint: { prismatic: 'x' }, rigid: { mass: 0.3, com: [0.01, 0, 0] } },
    { name: 'tail', parent: 'torso', joint: { revolute: 'z' }, rigid: { mass: 0.4, com: [0.1, 0, 0] } },
  ],
};

export const ROBOTS: readonly (readonly [string, () => Robot])[] = [
  ['two links with a payload', () => example('two-link')],
  ['a UR10e', () => example('ur10e')],
  ['a tree with a base of its own', () => loadRobotObject(branching)],
  ['a tree of segments', branchedRobot],
  ['rods in space', () => example('pcs')],
  ['twenty planar segments', () => example('planar-cc-20')],
];

/** The parts of a robot file, for `createRobot`. */
export function partsOf(
  robot: Robot,
  compiled: CompiledRobot,
  moduleOf: (type: string) => object,
): readonly PartOfRobot[] {
  return modulesOfRobot(robot, compiled).instances.map((instance) => ({
    module: moduleOf(instance.link.name),
    parent: instance.parent,
    parameters: Object.fromEntries(
      parameterValues(robot, instance).map((value, i) => [instance.link.type.parameters[i]!.name, value]),
    ),
  }));
}

export async function assemble(robot: Robot, compiled: CompiledRobot): Promise<Assembled> {
  const { create, moduleOf } = await loadAssembled(await assembledTypeScript(robot, compiled));
  const [base] = [modulesOfRobot(robot, compiled).model.base];
  return create(partsOf(robot, compiled, moduleOf), { gravity: robot.gravity, base });
}

export function loadAssembled(files: readonly GeneratedFile[]): Promise<{
  readonly create: CreateRobot;
  moduleOf(type: string): object;
}> {
  const exportsOf = evaluator(modulesOf(files));
  const create = exportsOf('driver.js')['createRobot'] as CreateRobot;
  return Promise.resolve({
    create,
    moduleOf: (type) => exportsOf(`link_${type}.js`)[camelCase(`link_${type}`)] as object,
  });
}

export const numbers = (count: number, phase: number): number[] =>
  Array.from({ length: count }, (_, i) => 0.4 * Math.sin(1.7 * i + phase));

/** What a function of robots writes at a state, whatever it takes: its outputs one after the other. */
export function outputsOf(robot: Dynamics & Partial<Momentum>, name: RobotFunctionName, index: number): number[] {
  const sizes = { n: robot.coordinates, u: 0, p: 0, r: 0, s: 0, k: 0 };
  const { state, inputs, outputs, numbers: scalars = [], ofFrame, ofColumns } = robotFunction(name);
  const columns = 1;
  const count = (size: Parameters<typeof sizeOf>[0]): number => {
    const found = sizeOf(size, sizes);
    return typeof found === 'number' ? found : columns * robot.coordinates;
  };
  const arrays = outputs.map(({ name: output, size }) => {
    const array = new Float64Array(count(size));
    return output === 'tau' && ofFrame ? array.fill(0.1) : array;
  });
  const own = robot as unknown as Record<string, (...given: readonly unknown[]) => number>;
  if (state === 'staged' && robot.update(numbers(sizes.n, index), numbers(sizes.n, 2 + index)) !== 0) return [NaN];
  if (name === 'implicitSolve') robot.implicitFactor(0.01);
  const status = own[name]!(
    ...(ofColumns ? [columns] : []),
    ...scalars.map(() => 0.01),
    ...(ofFrame ? [index] : []),
    ...inputs.map((input, k) => numbers(count(INPUTS[input]), k + index)),
    ...arrays,
  );
  return [status, ...arrays.flatMap((array) => [...array])];
}

export const FUNCTIONS = assembledFunctions();
