/**
 * The functions of a robot that code is made of, chosen by name. All that code consists of follows: functions of the driver and of
 * links, places in the workspace, files of integrators.
 */
import { KanegenError } from '../common/error.ts';
import { passiveForcesOf } from '../description/model/what-acts.ts';
import type { Robot } from '../description/model/robot.ts';
import type { Choice, CompiledRobot } from '../kane/kernels/link-type.ts';
import type { StraightFunctionName } from '../straight/straight-robot.ts';
import { controllersOf } from './controllers/controller-model.ts';
import { observersOf } from './controllers/observer-model.ts';
import {
  functionOption,
  INTEGRATORS,
  possibleFunctions,
  ROBOT_FUNCTION_NAMES,
  robotFunction,
  type RobotFunctionName,
} from './sweeps/robot-functions.ts';
import { wholeModel, type LinkModel, type RobotModel } from './modules/robot-model.ts';
import { linkFunctionsCalled } from './typescript/driver-typescript.ts';

/** What stands for several functions. */
const GROUPS = ['default', 'all', 'rosenbrock'] as const;
type Group = (typeof GROUPS)[number];

const isAt = (name: string): boolean => name.endsWith('-at');

/** Names of functions of robots, and of groups of them, as `--functions` takes them. */
export const FUNCTION_OPTIONS: readonly string[] = [
  ...GROUPS,
  ...ROBOT_FUNCTION_NAMES.map(functionOption).flatMap((name) => (isAt(name) ? [name.slice(0, -3), name] : [name])),
].filter((name, i, all) => all.indexOf(name) === i);

/** The functions that a name stands for: itself, and its form that ends in _at. */
function namedFunctions(name: string, model: RobotModel): readonly RobotFunctionName[] {
  if ((GROUPS as readonly string[]).includes(name)) return groupOf(name as Group, model);
  return ROBOT_FUNCTION_NAMES.filter((own) => [name, `${name}-at`].includes(functionOption(own)));
}

function groupOf(group: Group, model: RobotModel): readonly RobotFunctionName[] {
  const possible = possibleFunctions(model);
  switch (group) {
    case 'all':
      return possible;
    case 'rosenbrock':
      return INTEGRATORS.rosenbrock;
    case 'default': {
      const needsActive = model.derivatives || passiveForcesOf(model.robot).length > 0;
      return possible.filter((name) => {
        const { usual, derivative, ofLink } = robotFunction(name);
        if (name === 'activeInverseDynamics') return needsActive;
        return usual === true || derivative !== undefined || ofLink === true;
      });
    }
  }
}

/** Functions of the driver with which the self-test compares straight-line functions, beside those of every comparison. */
const COMPARED: Partial<Record<StraightFunctionName, readonly RobotFunctionName[]>> = {
  forwardDynamics: ['forwardDynamics'],
  constraint: ['constraint'],
  constraintJacobian: ['constraintJacobian'],
  constrainedForwardDynamics: ['constrainedForwardDynamics'],
  implicitStep: ['implicitStep', 'stiffness', 'dissipation'],
  passiveForces: ['stiffness'],
  activeInverseDynamics: ['activeInverseDynamics'],
  stiffness: ['stiffness'],
  dissipation: ['dissipation'],
  actuation: ['actuation'],
  actuate: ['actuate'],
  inverseDynamicsDerivatives: ['inverseDynamicsAt'],
  regressor: ['activeInverseDynamics'],
};
const ALWAYS_COMPARED: readonly RobotFunctionName[] = ['update', 'terms', 'massMatrix', 'inverseDynamics', 'fluid'];

/**
 * The robot with the wish for code of these functions alone, and of what its controllers call.
 * @param names as in `FUNCTION_OPTIONS`.
 * @param straight straight-line functions beside the driver, which its self-test compares with the driver's; `usual`: those that are
 *   usual for the robot.
 * @throws KanegenError `unknown-function` at other names, and at functions that the robot cannot have.
 */
export function chooseFunctions(
  robot: Robot,
  compiled: CompiledRobot,
  names: readonly string[],
  straight: readonly StraightFunctionName[] | 'usual' = [],
): CompiledRobot {
  const model = wholeModel(robot, compiled);
  const possible = possibleFunctions(model);
  const usual = compiled.onlyForObservers ? withoutDerivatives(possible) : possible;
  const wanted = new Set<RobotFunctionName>(
    names.flatMap((name) => chosenBy(name, model, name === 'default' ? usual : possible)),
  );
  const beside = straight === 'usual' ? (['stiffness', 'dissipation'] as const) : straight;
  const compared = beside.length > 0 ? [...ALWAYS_COMPARED, ...beside.flatMap((own) => COMPARED[own] ?? [])] : [];
  for (const name of compared) wanted.add(name);
  return withFunctions(compiled, model, wanted);
}

const withoutDerivatives = (names: readonly RobotFunctionName[]): readonly RobotFunctionName[] =>
  names.filter((name) => robotFunction(name).derivative === undefined);

/** Functions that evaluations in C call (`templates/c/evaluate.c.eta`). */
const EVALUATED: ReadonlySet<RobotFunctionName> = new Set<RobotFunctionName>([
  ...([
    'update',
    'terms',
    'massMatrix',
    'massMatrixAt',
    'gravityAt',
    'inverseDynamics',
    'activeInverseDynamics',
  ] as const),
  ...(['forwardDynamics', 'fluid', 'stiffness', 'dissipation', 'actuation', 'actuate', 'external'] as const),
  ...(['externalInFrame', 'energies', 'frame'] as const),
  ...(['constraint', 'constraintJacobian', 'constrainedForwardDynamics', 'constraintCorrection'] as const),
]);

/** The robot with the wish for code of what an evaluation calls alone, unless there is a wish already. */
export function chosenForEvaluation(robot: Robot, compiled: CompiledRobot): CompiledRobot {
  return compiled.choice ? compiled : withFunctions(compiled, wholeModel(robot, compiled), EVALUATED);
}

function withFunctions(
  compiled: CompiledRobot,
  model: RobotModel,
  names: ReadonlySet<RobotFunctionName>,
): CompiledRobot {
  const wanted = new Set(names);
  const texts = [
    ...controllersOf(model).flatMap(({ text, shell }) => [text, shell?.text ?? '']),
    ...observersOf(model).map(({ text }) => text),
  ];
  for (const name of texts.flatMap(callsOf)) wanted.add(name);
  if ([...wanted].some((name) => robotFunction(name).state === 'staged')) wanted.add('update');
  const functions = new Set(possibleFunctions(model).filter((name) => wanted.has(name)));
  const choice: Choice = { functions, ofLinks: linkFunctionsCalled(drafted({ ...model, wanted: functions })) };
  return { ...compiled, choice };
}

/** All that links do is called, copies included: these are functions until it is known which there are. */
function drafted(model: RobotModel): RobotModel {
  const drafts = new Map(
    model.links.map((link) => [link, Object.create(link, { copyOf: { value: () => undefined } }) as LinkModel]),
  );
  return {
    ...model,
    links: [...drafts.values()],
    instances: model.instances.map((instance) => ({ ...instance, link: drafts.get(instance.link)! })),
  };
}

function chosenBy(
  name: string,
  model: RobotModel,
  possible: readonly RobotFunctionName[],
): readonly RobotFunctionName[] {
  const named = namedFunctions(name, model);
  const found = named.filter((own) => possible.includes(own));
  if (found.length > 0) return found;
  const known = FUNCTION_OPTIONS.filter((own) => namedFunctions(own, model).some((f) => possible.includes(f)));
  const [reason] = named.map((own) => reasonAgainst(own));
  throw new KanegenError(
    'unknown-function',
    reason === undefined
      ? `\`${name}\` is not a function of generated code`
      : `\`${model.robot.name}\` cannot have the function \`${name}\`, which needs ${reason}`,
    { remedy: `choose from ${known.join(', ')}` },
  );
}

function reasonAgainst(name: RobotFunctionName): string {
  const { about, derivative, ofLink } = robotFunction(name);
  if (about === 'actuators') return '`actuators:` in the robot file';
  if (about === 'water') return '`water:` with drag or buoyancy in the robot file';
  if (about === 'contacts') return '`contacts:` in the robot file';
  if (about === 'solved strain') return 'a strain that is an equilibrium in the robot file';
  if (about === 'elasticity') return 'elastic joints or bodies in the robot file';
  if (about === 'damping') return 'damping in the robot file';
  if (derivative === 'along parameters' || derivative === 'by parameters')
    return '`--derivatives` and run-time parameters';
  if (derivative !== undefined) return '`--derivatives`';
  return ofLink ? '`--points`' : 'bodies that do not depend on the time';
}

function callsOf(text: string): readonly RobotFunctionName[] {
  const called = new Set([...text.matchAll(/\brobot\.(\w+)\(/g)].map(([, name]) => name));
  return ROBOT_FUNCTION_NAMES.filter((name) => called.has(name));
}
