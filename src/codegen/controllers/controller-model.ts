/**
 * A controller as both languages have it: fields of its parameters and of its state, the text of its step, which is
 * TypeScript and the source of the C, and what a step costs.
 */
import { referencesOf, type Controller, type Gain, type Referred } from '../../description/model/controller.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { operationsInAll } from '../printing/cost-text.ts';
import type { StraightFunctionModel, StraightModel } from '../whole-robot/straight-model.ts';
import { snakeCase, camelCase, pascalCase } from '../naming/identifiers.ts';
import { robotCallCosts } from './call-costs.ts';
import { each, type LawText } from './law-text.ts';
import { lawText } from './laws.ts';
import { runTimeRoutines, type RunTimeUses } from './run-time.ts';
import { shellModel, type ShellModel } from './shell-model.ts';
import { straightCallCosts, StraightCalls, straightFunctions } from './straight-calls.ts';
import { routinesOf, type Routine } from '../translation/subset.ts';
import { worstCase } from './worst-case.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';
import { rateUnit } from '../../description/model/robot.ts';

/** An array of the parameters, or one number where there is no size. */
interface ParameterField {
  readonly name: string;
  readonly size?: number;
  readonly summary: string;
  readonly values: readonly number[];
  readonly range: NonNullable<Gain['range']> | 'not below zero';
}

interface StateField {
  readonly name: string;
  readonly size: number;
  /** After a reset; zero unless said. */
  readonly initial?: number;
}

/** What a reset leaves in the state, and hardly anything else: a number that single precision has, too. */
const RESET = 11059261;

export interface ControllerModel {
  readonly controller: Controller;
  readonly robot: RobotModel;
  /** File name without its end, and prefix of names in C: `ur10e_track`. */
  readonly name: string;
  /** Prefix of names in TypeScript. */
  readonly camel: string;
  readonly pascal: string;
  readonly purpose: string;
  readonly parameters: readonly ParameterField[];
  readonly state: readonly StateField[];
  readonly outputs: readonly Referred[];
  /** Coordinates that the reference gives; empty where it is the pose of a frame. */
  readonly references: readonly Referred[];
  /** How many numbers the step takes of the reference and its derivatives. */
  readonly referenceSizes: Readonly<Record<'y' | 'yd' | 'ydd', number>>;
  readonly isRate: boolean;
  /** `demand` and the step. */
  readonly text: string;
  /** Functions of the run time that the text calls. */
  readonly calls: readonly string[];
  /** Functions that the text calls in place of the driver's: of the module, or of that which several controllers share. */
  readonly straight?: StraightModel;
  readonly shared?: StraightModel;
  readonly shell?: ShellModel;
  readonly cost: OperationCounts;
}

const models = new WeakMap<RobotModel, readonly ControllerModel[]>();

/** The controllers of a robot, in the order of its file. */
export function controllersOf(robot: RobotModel): readonly ControllerModel[] {
  const { controllers = [] } = robot.robot;
  const { whole } = robot;
  const known =
    models.get(robot) ??
    // Costs, and with them the form, are those of the robot with all functions: these say which ones it needs.
    (whole
      ? controllersOf(whole).map((own) => rebased(own, robot))
      : shelled(robot, sharing(controllers.map((controller) => controllerModel(robot, controller)))));
  models.set(robot, known);
  return known;
}

function rebased(own: ControllerModel, robot: RobotModel): ControllerModel {
  const { straight, shared } = own;
  return {
    ...own,
    robot,
    ...(straight && { straight: { ...straight, robot } }),
    ...(shared && { shared: { ...shared, robot } }),
    ...(own.shell && { shell: { ...own.shell, robot } }),
  };
}

/** With the shells of those that have one. */
function shelled(robot: RobotModel, all: readonly ControllerModel[]): readonly ControllerModel[] {
  const stepped = (own: ControllerModel) => ({
    ...own,
    integral: own.state.some(({ name }) => name === 'integral'),
    hasPeriod: own.parameters.some(({ name }) => name === 'period'),
    inputs: own.outputs,
  });
  return all.map((own) => {
    const { shell } = own.controller;
    if (!shell) return own;
    const { fault } = shell;
    const safe = 'controller' in fault ? all.find(({ controller }) => controller.name === fault.controller) : undefined;
    return { ...own, shell: shellModel(robot, stepped(own), safe && stepped(safe), robotCallCosts(robot)) };
  });
}

/** What the run time has to have. */
export function runTimeUses(model: RobotModel): RunTimeUses {
  const controllers = controllersOf(model);
  return {
    controllers: controllers.length > 0,
    shells: controllers.some(({ shell }) => shell),
    observers: (model.robot.observers ?? []).length > 0,
  };
}

/** A straight-line function by its name and the outputs that are asked of it. */
const keyOf = ({ name, outputs }: StraightFunctionModel): string =>
  [name, ...outputs.map((output) => output.name)].join(' ');

/** Functions that several controllers call go from their modules to the one that they share. */
function sharing(all: readonly ControllerModel[]): readonly ControllerModel[] {
  const keys = all.flatMap(({ straight }) => straight?.functions.map(keyOf) ?? []);
  /** One for a name. */
  const shared = new Map(keys.filter((key, i) => keys.indexOf(key) < i).map((key) => [key.split(' ')[0], key]));
  return all.map((own) => {
    const { straight, ...rest } = own;
    if (!straight) return own;
    const of = (isShared: boolean): StraightModel | undefined => {
      const functions = straight.functions.filter((f) => (shared.get(f.name) === keyOf(f)) === isShared);
      return functions.length > 0 ? { ...straight, functions } : undefined;
    };
    const [alone, common] = [of(false), of(true)];
    return { ...rest, ...(alone && { straight: alone }), ...(common && { shared: common }) };
  });
}

/** All functions that controllers share, each once. */
export function sharedFunctions(all: readonly ControllerModel[]): StraightModel | undefined {
  const shared = all.flatMap((own) => own.shared ?? []);
  if (shared.length === 0) return undefined;
  const functions = new Map(shared.flatMap((model) => model.functions).map((f) => [keyOf(f), f]));
  return { ...shared[0]!, functions: [...functions.values()] };
}

/** The end of the name of its module. */
export const SHARED_FUNCTIONS = 'shared_functions';

/** Over the driver or over straight-line functions: what costs less. */
function controllerModel(robot: RobotModel, controller: Controller): ControllerModel {
  const overDriver = modelOf(robot, controller, lawText(robot.robot, controller));
  const operations = operationsInAll(overDriver.cost);
  const calls = new StraightCalls();
  const law = lawText(robot.robot, controller, calls);
  const straight = calls.wanted.size > 0 ? straightFunctions(robot, calls, operations) : undefined;
  if (!straight) return overDriver;
  const overStraight = modelOf(robot, controller, law, straight);
  return operationsInAll(overStraight.cost) < operations ? overStraight : overDriver;
}

function modelOf(robot: RobotModel, controller: Controller, law: LawText, straight?: StraightModel): ControllerModel {
  const [camel, pascal] = [camelCase(controller.name), pascalCase(controller.name)];
  const { coordinates, actuators } = robot.robot;
  const isPose = controller.law.kind === 'task-space';
  const isRate = controller.law.kind === 'task-space' && controller.law.form === 'velocity';
  const outputs = isRate
    ? coordinates.map(({ name, unit }) => ({ name, unit: rateUnit(unit) }))
    : actuators.map(({ name, unit }) => ({ name, unit }));
  const references = isPose ? [] : referencesOf(robot.robot, controller);
  const count = references.length;
  const limits = (side: 'lower' | 'upper', missing: number): ParameterField => ({
    name: side,
    size: outputs.length,
    summary: `${side} limits of the ${isRate ? 'rates' : 'inputs'}`,
    values: outputs.map((_, i) => (isRate ? undefined : actuators[i]![side]) ?? missing),
    range: 'any',
  });
  const parameters: ParameterField[] = [
    ...controller.gains.map(({ name, values, single, summary, units, range }): ParameterField => ({
      name,
      ...(single ? {} : { size: values.length }),
      summary: `${summary} [${[...new Set(units)].join(', ')}]`,
      values,
      range: range ?? 'not below zero',
    })),
    limits('lower', -Number.MAX_VALUE),
    limits('upper', Number.MAX_VALUE),
  ];
  const integral = 'integral' in controller.law && controller.law.integral;
  const state: StateField[] = [
    { name: 'u', size: outputs.length },
    { name: 'demand', size: outputs.length },
    ...(integral ? ['integral', 'held'].map((name) => ({ name, size: references.length })) : []),
    { name: 'reset', size: 1, initial: RESET },
    ...law.working,
  ];
  const referenceSizes = isPose
    ? { y: 12, yd: 6, ydd: readsAccelerations(controller) ? 6 : 0 }
    : { y: count, yd: count, ydd: count };
  const text = stepText({
    camel,
    pascal,
    law,
    parameters,
    n: robot.robot.coordinates.length,
    inputs: outputs.length,
    references: referenceSizes,
    integral,
    checksRobot: straight !== undefined,
  });
  const runTime = new Map(runTimeRoutines('control').map((routine) => [routine.name, routine]));
  const own = new Map(routinesOf(text).map((routine) => [routine.name, routine]));
  own.delete(SUM_IS_FINITE);
  const calls = [...runTime.keys()].filter((name) => new RegExp(`\\b${name}\\(`).test(text));
  const routines = new Map<string, Routine>([...runTime, ...own]);
  return {
    controller,
    robot,
    name: `${robot.name}_${snakeCase(controller.name)}`,
    camel,
    pascal,
    purpose: law.purpose,
    parameters,
    state,
    outputs,
    references,
    referenceSizes,
    isRate,
    text,
    calls,
    ...(straight && { straight }),
    cost: worstCase(own.get(`${camel}Step`)!, routines, straight ? straightCallCosts(straight) : robotCallCosts(robot)),
  };
}

/** Of a pose: its second derivatives. */
export function readsAccelerations({ law }: Controller): boolean {
  return law.kind === 'task-space' && law.form === 'acceleration';
}

/** A function of the text whose additions count as little as checks do elsewhere. */
const SUM_IS_FINITE = 'isSumFinite';

/** What limits are multiplied with in it: there may be many that are the largest number. */
const LIMITS = 2 ** -10;

/** An array, or one number where there is no size. */
interface Numbers {
  readonly name: string;
  readonly size?: number;
}

const array = (name: string, size: number | undefined): Numbers => ({ name, ...(size !== undefined && { size }) });

const isNotFinite = ({ name, size }: Numbers): string =>
  size === undefined ? `!Number.isFinite(${name})` : `!areFinite(${name}, ${size})`;

/** A statement over each entry of arrays: one loop for those of a size. */
function sums<T extends Numbers>(
  all: readonly T[],
  before: string,
  between: string,
  entry: (own: T, at: string) => string,
  after = '',
): string {
  const sizes = [...new Set(all.map(({ size }) => size))];
  const lines = sizes.map((size) => {
    const of = all.filter((own) => own.size === size);
    const single = size === undefined || size === 1;
    const line = `${before}${of.map((own) => entry(own, single ? '0' : 'i')).join(between)}${after};`;
    return single ? line : each(size, line);
  });
  return lines.join('\n');
}

/** Parameters of a function; a leading underscore says that its body has no use for one. */
function readIn(body: string, parameters: string): string {
  return parameters.replace(/(\w+): /g, (all, name: string) =>
    new RegExp(`\\b${name}\\b`).test(body) ? all : `_${all}`,
  );
}

interface StepParts {
  readonly camel: string;
  readonly pascal: string;
  readonly law: LawText;
  readonly parameters: readonly ParameterField[];
  readonly n: number;
  readonly inputs: number;
  readonly references: Readonly<Record<'y' | 'yd' | 'ydd', number>>;
  readonly integral: boolean;
  /** Does nothing else look at the parameters of the robot? */
  readonly checksRobot: boolean;
}

function stepText(parts: StepParts): string {
  const { camel, pascal, law, parameters, n, inputs, references, integral, checksRobot } = parts;
  const reference =
    'q: ArrayLike<number>, qd: ArrayLike<number>, y: ArrayLike<number>, yd: ArrayLike<number>, ydd: ArrayLike<number>';
  const all = `state: ${pascal}State, parameters: ${pascal}Parameters, ${reference}`;
  const head = `robot: Dynamics, ${all}`;
  const body = law.lines.join('\n');
  const memory = [array('state.reset', 1), array('state.u', inputs)];
  if (integral) memory.push(array('state.integral', references.y));
  const given = [
    ...['q', 'qd'].map((name) => array(name, n)),
    ...(['y', 'yd', 'ydd'] as const).flatMap((name) => (references[name] > 0 ? [array(name, references[name])] : [])),
    ...parameters.map(({ name, size }) => array(`parameters.${name}`, size)),
  ];
  const summed = [...memory, ...given].filter(({ name }) => name !== 'parameters.upper');
  const isReset = `state.reset[0]! >= ${RESET} && state.reset[0]! <= ${RESET}`;
  const added = sums(summed, 'sum += ', ' + ', ({ name, size }, at) => {
    const entry = (own: string): string => `${own}${size === undefined ? '' : `[${at}]!`}`;
    return name === 'parameters.lower' ? `${LIMITS} * (${entry(name)} + ${entry('parameters.upper')})` : entry(name);
  });
  return `
/** Inputs before their limits. */
function demand(${readIn(body, head)}): Status {
${body}
}

/** Is the sum of all numbers that a step takes finite? They are then; where it is not, it may have overflowed. */
function ${SUM_IS_FINITE}(${readIn(added, all)}): boolean {
let sum = 0;
${added}
return Number.isFinite(sum);
}

/** Is no gain below what it can be, and no lower limit above the upper one? */
function areWithinRange(parameters: ${pascal}Parameters): boolean {
${sums(
  parameters.filter(({ range, name }) => range !== 'any' || name === 'lower'),
  'if (',
  ' || ',
  ({ name, size, range }, at) => {
    const own = `parameters.${name}${size === undefined ? '' : `[${at}]!`}`;
    if (name === 'lower') return `${own} > parameters.upper[${at}]!`;
    return range === 'above zero' ? `!(${own} > 0)` : `${own} < 0`;
  },
  ') return false',
)}
return true;
}

/**
 * One step: the inputs u at the state (q, qd) for the reference (y, yd, ydd). Where it returns something else than
 * KG_OK, u is what it was in the last step that did; zero by KG_NO_STATE, of a state that was never reset.
 * KG_OUT_OF_RANGE where a gain is below zero or a lower limit above an upper one.
 */
export function ${camel}Step(${head}, u: Float64Array): Status {
let status: Status = KG_OK;
const areNumbers = ${SUM_IS_FINITE}(state, parameters, q, qd, y, yd, ydd);
if (!(${isReset}) || (!areNumbers && (${memory.map(isNotFinite).join(' || ')}))) {
for (let i = 0; i < ${inputs}; i++) u[i] = 0;
return KG_NO_STATE;
}
if (!areNumbers && (${given.map(isNotFinite).join(' || ')})) status = KG_NON_FINITE;
if (status === KG_OK && !areWithinRange(parameters)) status = KG_OUT_OF_RANGE;
${checksRobot ? 'if (status === KG_OK) status = checkParameters(robot.parameters);' : ''}
if (status === KG_OK) status = demand(robot, state, parameters, q, qd, y, yd, ydd);
if (status === KG_OK && !areFinite(state.demand, ${inputs})) status = KG_UNDEFINED;
if (status === KG_OK) {
for (let i = 0; i < ${inputs}; i++) state.u[i] = limited(state.demand[i]!, parameters.lower[i]!, parameters.upper[i]!);
${integral ? `integrate(state, parameters, q, y);` : ''}
}
for (let i = 0; i < ${inputs}; i++) u[i] = state.u[i]!;
return status;
}
${
  integral
    ? `
/** Integrals of errors by one step; where an input acts that is at its limit they may only shrink: none winds up. */
function integrate(state: ${pascal}State, parameters: ${pascal}Parameters, q: ArrayLike<number>, y: ArrayLike<number>): void {
for (let i = 0; i < ${references.y}; i++) state.held[i] = 0;
${law.holding!.join('\n')}
for (let i = 0; i < ${references.y}; i++) {
const next = state.integral[i]! + parameters.period * (y[i]! - q[i]!);
const grows = state.held[i]! <= 0 || Math.abs(next) < Math.abs(state.integral[i]!);
if (grows && Number.isFinite(next)) state.integral[i] = next;
}
}
`
    : ''
}`;
}
