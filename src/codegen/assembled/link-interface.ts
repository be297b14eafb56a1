/**
 * The robot that generic drivers are printed for: any number of links of any type in any tree, known when the driver runs only.
 * Links meet it through one interface, the functions named here.
 */
import { refuseLoops } from '../../description/model/loop.ts';
import { KanegenError } from '../../common/error.ts';
import type { Location, Robot } from '../../description/model/robot.ts';
import { Provenance } from '../../description/model/provenance.ts';
import { refuseContacts } from '../../description/model/contact.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import { INPUT_BUFFERS, type Buffer } from '../../kane/kernels/buffers.ts';
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import { foldConstants } from '../../symbolic/evaluation/evaluate.ts';
import { requireDoubles } from '../../symbolic/evaluation/double.ts';
import { symbols, type Expr } from '../../symbolic/graph/expr.ts';
import { frameFromEntries } from '../../symbolic/graph/vector.ts';
import { robotFunction, functionNames, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import { startOf } from '../drivers/link-calls.ts';
import { typesUsed } from '../drivers/equal-links.ts';
import { linksOf, moduleModel, type InstanceModel, type LinkModel, type RobotModel } from '../modules/robot-model.ts';
import { BLOCK, blockSize, type SharedPart } from '../modules/workspace.ts';

/** Functions that every module has, and, marked `true`, those of links with springs and dampers only. */
const INTERFACE = {
  prepare: false,
  configure: false,
  velocity: false,
  forward: false,
  backward: false,
  propagate: false,
  transmit: false,
  acceleration: false,
  gravity: false,
  gravityAt: false,
  composite: false,
  articulate: false,
  reduce: false,
  reduceAlone: false,
  restore: false,
  pose: false,
  jacobian: false,
  biasMotion: false,
  energy: false,
  momentum: false,
  elastic: true,
  damping: true,
  stiffness: true,
  dissipation: true,
} as const satisfies Partial<Record<LinkFunctionName, boolean>>;

export type InterfaceFunction = keyof typeof INTERFACE;

export const INTERFACE_FUNCTIONS = Object.keys(INTERFACE) as readonly InterfaceFunction[];

export const isOptional = (name: InterfaceFunction): boolean => INTERFACE[name];

/** Buffers of a block in which drivers put and find numbers, at places that modules tell. */
export const TOLD = [
  ...(['q', 'qd', 'qdd', 'generalizedForce', 'pivots', 'load', 'accelerations', 'addend', 'springs'] as const),
] satisfies readonly Buffer[];

/** What a driver has to know of a module in numbers. */
export interface ModuleNumbers {
  readonly coordinates: number;
  readonly parameters: number;
  readonly constants: number;
  readonly block: number;
  readonly addend: number;
  readonly starts: Readonly<Record<(typeof TOLD)[number], number>>;
}

export function numbersOf(link: LinkModel): ModuleNumbers {
  const { sizes } = link.staged;
  return {
    coordinates: sizes.coordinates,
    parameters: sizes.parameters,
    constants: sizes.constants,
    block: blockSize(link.staged),
    addend: sizes.addend,
    starts: Object.fromEntries(TOLD.map((buffer) => [buffer, startOf(link, buffer)])) as ModuleNumbers['starts'],
  };
}

/** A link of the interface: drivers ask it for nothing but which functions there are. */
const ANY_LINK = {
  name: 'any',
  type: { coordinates: [], inputs: Object.fromEntries(INPUT_BUFFERS.map((buffer) => [buffer, []])) },
  has: new Set<LinkFunctionName>(INTERFACE_FUNCTIONS),
  isIdle: () => false,
  copyOf: () => undefined,
} as unknown as LinkModel;

const ANY_ROBOT: Robot = {
  name: 'robot',
  summary: 'a robot that is put together at run time',
  source: { file: '', hash: '' },
  gravity: [0, 0, -9.81],
  base: frameFromEntries(symbols('assembled.base', 12)),
  parameters: [],
  links: [],
  coordinates: [],
  frames: [],
  tip: 0,
  actuators: [],
  states: {},
  warnings: [],
  provenance: new Provenance(),
  notes: [],
};

/** The robot that generic drivers are printed for. */
export const ANY: RobotModel = {
  robot: ANY_ROBOT,
  wanted: undefined,
  whole: undefined,
  name: 'robot',
  links: [ANY_LINK],
  instances: [{ name: 'link', link: ANY_LINK, parent: -1, first: 0, constants: [], expressions: [], actuators: [] }],
  base: [],
  frames: [],
  places: [],
  reaching: null,
  parameters: [],
  members: [],
  derivatives: false,
  wet: false,
  placed: false,
  parametric: false,
  held: [],
  points: false,
  momentum: true,
  adjoints: false,
  gradients: false,
  moving: false,
  setup: null,
};

/** Functions of robots that are put together: modules have neither actuators nor water. */
export function assembledFunctions(): readonly RobotFunctionName[] {
  return functionNames(ANY).filter((name) => robotFunction(name).derivative === undefined);
}

/** Of a robot, what goes into modules: its link types with kernels that hold for every tree, and the parameters of its links. */
export interface Modules {
  readonly model: RobotModel;
  readonly links: readonly LinkModel[];
  readonly instances: readonly InstanceModel[];
}

/** @throws KanegenError `not-in-modules` at what link modules cannot have. */
export function modulesOfRobot(robot: Robot, compiled: CompiledRobot): Modules {
  refuseLoops(robot, 'modules for robots that are put together');
  refuseContacts(robot, 'link modules have');
  refuse(robot);
  const model = moduleModel(robot, compiled);
  const instances = linksOf(model);
  const used = new Set(instances.map(({ link }) => link));
  return { model, links: typesUsed(model).filter((link) => used.has(link)), instances };
}

function refuse(robot: Robot): void {
  const error = (message: string, remedy: string, location: Location | undefined): KanegenError =>
    new KanegenError('not-in-modules', message, { remedy, location });
  const compile = 'compile this robot without --modules';
  const [actuator] = robot.actuators;
  if (actuator)
    throw error(
      `link modules have no actuators yet, and this robot has \`${actuator.name}\``,
      `take \`actuators:\` out of the file and give forces of coordinates (tau) to the robot that you put together, or ${compile}`,
      actuator.location,
    );
  const [force] = robot.forces ?? [];
  if (force)
    throw error(
      `link modules have no forces between frames yet, and this robot has \`${force.name}\``,
      `take \`forces:\` out of the file, or ${compile}`,
      force.location,
    );
  const [field] = robot.links.flatMap(({ fields = [] }) => fields);
  if (field)
    throw error(
      `link modules have no fields along rods yet, and this robot has \`${field.name}\``,
      `take it out of \`forces:\`, or ${compile}`,
      field.location,
    );
  const wet = robot.links.find(({ water }) => water !== undefined);
  if (wet && (waterOf(robot).forces || waterOf(robot).addedMass))
    throw error(
      `link modules know of no water yet, and \`${wet.name}\` is in water`,
      `take \`water:\` out of the file, or ${compile}`,
      wet.location,
    );
  if (robot.time)
    throw error(
      'link modules do not depend on the time yet, and a formula of this robot does',
      `make a parameter of what depends on the time, or ${compile}`,
      robot.links[0]?.location,
    );
}

/** Parts of the workspace beside the blocks of links, with as many numbers, or with numbers for the link of most coordinates. */
export const FIXED_PARTS: readonly (readonly [SharedPart, number])[] = [
  ...([
    ['gravity', 3],
    ['base', BLOCK],
    ['addend', BLOCK],
    ['wrenchA', 6],
    ['wrenchB', 6],
    ['energy', 3],
  ] as const),
  ...([
    ['refused', 1],
    ['point', 3],
    ['drift', 12],
    ['basePose', 12],
  ] as const),
];
export const WIDEST_PARTS: readonly (readonly [SharedPart, string])[] = [
  ...([
    ['unitWrenches', '6 * widest'],
    ['unitMomenta', '6 * widest'],
    ['jacobianColumns', '6 * widest'],
  ] as const),
  ...([
    ['massBlock', 'widest * widest'],
    ['forceMatrix', 'widest * widest'],
    ['share', 'widest'],
  ] as const),
];

/** Numbers of these for each coordinate of that link, beside two squares. */
export const PER_COORDINATE = 19;

/** Parameters of a link of the robot; those that may change at run time have their defaults. */
export function parameterValues({ parameters }: Robot, { expressions }: InstanceModel): readonly number[] {
  const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
  return requireDoubles(foldConstants(expressions, defaults));
}
