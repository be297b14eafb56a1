/** Controllers in C, `NAME_CONTROLLER.h` and `.c`: parameters with defaults, state, and the step, translated from its text. */
import { straightArguments, straightName } from '../controllers/straight-calls.ts';
import { controllerHeader, shellHeader } from '../controllers/controller-header.ts';
import { SHARED_FUNCTIONS, type ControllerModel } from '../controllers/controller-model.ts';
import { runTimeRoutines, runTimeSurroundings } from '../controllers/run-time.ts';
import { BEGUN } from '../controllers/shell-model.ts';
import { routinesOf, type Type } from '../translation/subset.ts';
import {
  calleesOf,
  commentC,
  functionC,
  prototypeC,
  variableName,
  type Callee,
  type Surroundings,
} from '../translation/translate-c.ts';
import { callArguments } from '../sweeps/call-arguments.ts';
import { robotFunction, ROBOT_FUNCTION_NAMES } from '../sweeps/robot-functions.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { snakeCaseOf, wrapped } from '../naming/identifiers.ts';
import { commentLine } from '../c-language/source-text.ts';
import { callStumpff } from '../whole-robot/straight-model.ts';
import { straightFunctionsC } from './straight-c.ts';
import { linkedName } from '../c-language/linked-names.ts';
import type { Render } from '../c-language/templates.ts';
import { signedLiteral } from '../c-language/target.ts';

const limitC = (value: number): string =>
  Math.abs(value) < Number.MAX_VALUE ? signedLiteral(value) : `${value < 0 ? '-' : ''}KG_LARGEST`;

export function controllerC(model: ControllerModel, render: Render): GeneratedFile[] {
  const { name, robot, parameters, state } = model;
  const around = surroundings(model);
  const routines = routinesOf(model.text);
  const nameOf = (own: string): string => around.callees.get(own)!.name;
  const step = routines.find(({ exported }) => exported)!;
  const own = routines.filter(({ exported }) => !exported);
  const data = {
    name,
    upper: name.toUpperCase(),
    robot: robot.name,
    header: controllerHeader(model).map(commentLine),
    parameters: parameters.map(({ name: field, size, summary }) => ({
      text: `${variableName(field)}${size === undefined ? '' : `[${size}]`}; /* ${commentLine(summary)} */`,
    })),
    state: state.map(({ name: field, size }) => `${variableName(field)}[${size}]`),
    linked: ['defaults', 'reset', 'step'].map((end) => linkedName(robot, `${name}_${end}`)),
    defaults: parameters.map(({ size, values }) =>
      size === undefined ? limitC(values[0]!) : `{${wrapped(values.map(limitC).join(', '), 112).join('\n   ')}}`,
    ),
    clears: state.map(({ name: field, size, initial }) =>
      initial === undefined
        ? `kg_clear(state->${variableName(field)}, ${size});`
        : `state->${variableName(field)}[0] = ${signedLiteral(initial)};`,
    ),
    declared: own.map((routine) => `static ${prototypeC(routine, nameOf(routine.name), around)};`),
    shared: model.shared && `${robot.name}_${SHARED_FUNCTIONS}`,
    straight: model.straight ? straightFunctionsC(model.straight, (f) => snakeCaseOf(straightName(f)), 'static ') : [],
    stumpff: model.straight !== undefined && callStumpff(model.straight),
    functions: own.map(
      (routine) => `${commentC(routine.comment)}${functionC(routine, nameOf(routine.name), around, 'static ')}`,
    ),
    comment: commentC(step.comment).trimEnd(),
    prototype: prototypeC(step, nameOf(step.name), around),
    step: functionC(step, nameOf(step.name), around),
  };
  return ['h', 'c'].map((kind) => ({ path: `${name}.${kind}`, text: render(`controller.${kind}`, data) }));
}

/** The shell around a controller: `NAME_CONTROLLER_shell.h` and `.c`. @param all controllers of the robot. */
export function shellC(model: ControllerModel, all: readonly ControllerModel[], render: Render): GeneratedFile[] {
  const { shell, robot } = model;
  if (!shell) return [];
  const name = `${model.name}_shell`;
  const inner = shell.steps.map((camel) => all.find((own) => own.camel === camel)!);
  const runTime = ['control', 'shell'].map((own) => runTimeSurroundings(own as 'control' | 'shell'));
  const steps = inner.map((own) => surroundings(own));
  const nested = steps.flatMap(({ records }) => [...records!]);
  const fields = [...shell.settings, ...shell.memory];
  const parts = shell.parts.map((own): [string, Type] => [own.name, { record: own.type }]);
  const around: Surroundings = {
    ...robotSurroundings(robot.name),
    callees: new Map([...runTime, ...steps].flatMap(({ callees }) => [...callees])),
    constants: runTime[1]!.constants,
    records: new Map([
      ...runTime[1]!.records,
      ...nested,
      [
        shell.pascal,
        { name, fields: new Map([...parts, ...fields.map((own): [string, Type] => [own.name, own.type])]) },
      ],
    ]),
  };
  const [step] = routinesOf(shell.text);
  const resets = fields.flatMap(({ name: field, size, type, values }): string[] => {
    const own = `shell->${variableName(field)}`;
    if (size === undefined) return [`${own} = ${type === 'index' ? values![0]! : limitC(values![0]!)};`];
    if (!values) return [`kg_clear(${own}, ${size});`];
    return values.map((value, i) => `${own}[${i}] = ${limitC(value)};`);
  });
  const member = ({ name: field, size, summary, type }: (typeof fields)[number]): string =>
    `${type === 'index' ? 'int' : 'kg_real'} ${variableName(field)}${size === undefined ? '' : `[${size}]`}; /* ${commentLine(summary)} */`;
  const data = {
    name,
    controller: model.name,
    upper: name.toUpperCase(),
    includes: inner.map((own) => own.name),
    header: shellHeader(model).map(commentLine),
    parts: shell.parts.map(
      (own) => `${around.records!.get(own.type)!.name} ${variableName(own.name)}; /* ${commentLine(own.summary)} */`,
    ),
    settings: shell.settings.map(member),
    memory: shell.memory.map(member),
    linked: ['reset', 'step'].map((end) => linkedName(robot, `${name}_${end}`)),
    resets: [
      'static const kg_shell none = {0};',
      'shell->core = none;',
      `shell->core.begun = ${BEGUN};`,
      ...inner.flatMap((own, i) => [
        `shell->${i === 0 ? 'gains' : 'safe_gains'} = ${own.name}_defaults;`,
        `${own.name}_reset(&shell->${i === 0 ? 'law' : 'safe'});`,
      ]),
      ...resets,
    ],
    comment: commentC(step!.comment).trimEnd(),
    prototype: prototypeC(step!, `${name}_step`, around),
    step: functionC(step!, `${name}_step`, around),
  };
  return ['h', 'c'].map((kind) => ({ path: `${name}.${kind}`, text: render(`shell.${kind}`, data) }));
}

function surroundings({
  name,
  camel,
  pascal,
  robot,
  parameters,
  state,
  text,
  straight,
  shared,
}: ControllerModel): Surroundings {
  const callees = calleesOf(runTimeRoutines('control'));
  callees.set('areFinite', { name: 'kg_finite', parameters: ['reals', 'index'], result: 'boolean' });
  for (const [own, types] of straight ? straightArguments(straight) : [])
    callees.set(own, { name: snakeCaseOf(own), parameters: ['robot', ...types], result: 'status' });
  for (const [own, types] of shared ? straightArguments(shared) : [])
    callees.set(own, {
      name: snakeCaseOf(own).replace('straight', `${robot.name}_${SHARED_FUNCTIONS}`),
      parameters: ['robot', ...types],
      result: 'status',
    });
  for (const routine of routinesOf(text))
    callees.set(routine.name, {
      name: routine.name === `${camel}Step` ? `${name}_step` : snakeCaseOf(routine.name),
      parameters: routine.parameters.map(({ type }) => type),
      result: routine.result,
    });
  const fields = (all: readonly { readonly name: string; readonly size?: number }[]): Map<string, Type> =>
    new Map(all.map((field) => [field.name, field.size === undefined ? 'real' : 'buffer']));
  return {
    callees,
    ...robotSurroundings(robot.name),
    records: new Map([
      [`${pascal}Parameters`, { name: `${name}_parameters`, fields: fields(parameters) }],
      [`${pascal}State`, { name: `${name}_state`, fields: fields(state) }],
    ]),
  };
}

/** How C calls the functions of a robot, and hands it on. */
function robotSurroundings(robot: string): Required<Pick<Surroundings, 'robot' | 'robotParameters'>> {
  return {
    robot: new Map(ROBOT_FUNCTION_NAMES.map((method) => [method, robotCallee(robot, method)])),
    robotParameters: {
      declared: `${robot}_workspace *workspace, const ${robot}_parameters *p`,
      passed: 'workspace, p',
      names: ['workspace', 'p'],
    },
  };
}

function robotCallee(
  robot: string,
  method: (typeof ROBOT_FUNCTION_NAMES)[number],
): Callee & { readonly before: string } {
  const called = robotFunction(method);
  const types = {
    columns: 'index',
    number: 'real',
    frame: 'index',
    link: 'index',
    input: 'reals',
    output: 'buffer',
  } as const;
  const parameters = callArguments(called).flatMap(({ role }): Type[] =>
    role === 'workspace' || role === 'parameters' ? [] : [types[role]],
  );
  return {
    name: `${robot}_${snakeCaseOf(method)}`,
    parameters,
    result: 'status',
    before: called.state === 'staged' ? 'workspace' : 'workspace, p',
  };
}
