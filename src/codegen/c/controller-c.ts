/** Controllers in C, `NAME_CONTROLLER.h` and `.c`: parameters with defaults, state, and the step, translated from its text; shells and observers. */
import { straightArguments, straightName } from '../controllers/straight-calls.ts';
import { controllerHeader, observerHeader, shellHeader } from '../controllers/controller-header.ts';
import { SHARED_FUNCTIONS, type ControllerModel } from '../controllers/controller-model.ts';
import type { ObserverModel } from '../controllers/observer-model.ts';
import { BEGUN, type SteppedRecord } from '../controllers/record-model.ts';
import { runTimeRoutines, runTimeSurroundings, type RunTimeModule } from '../controllers/run-time.ts';
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
  const { shell } = model;
  if (!shell) return [];
  const inner = innerOf(shell, all);
  return recordC(shell, all, render, {
    head: shellHeader(model),
    begin: 'Off, with the defaults of gains and settings.',
    usage: [
      `Call ${shell.name}_reset once for each shell, change what differs from its defaults,`,
      `then ${shell.name}_step in every period, with KG_SHELL_RUN to be enabled.`,
    ],
    resets: [
      `static const kg_shell none = {${zerosOf('shell', 'Shell')}};`,
      'shell->core = none;',
      `shell->core.begun = ${BEGUN};`,
      ...inner.flatMap((own, i) => [
        `shell->${i === 0 ? 'gains' : 'safe_gains'} = ${own.name}_defaults;`,
        `${own.name}_reset(&shell->${i === 0 ? 'law' : 'safe'});`,
      ]),
    ],
  });
}

/** Of all fields of a record of the run time: C++ warns of those that an initialiser leaves out. */
function zerosOf(module: RunTimeModule, record: string): string {
  const { fields } = runTimeSurroundings(module).records.get(record)!;
  return [...fields.values()].map((type) => (type === 'index' ? '0' : signedLiteral(0))).join(', ');
}

/** An observer: `NAME_OBSERVER_observer.h` and `.c`. */
export function observerC(model: ObserverModel, render: Render): GeneratedFile[] {
  return recordC(model, [], render, {
    head: observerHeader(model),
    begin: 'As it begins, with its defaults.',
    usage: [
      `Call ${model.name}_reset once for each observer, change what differs from its defaults,`,
      `then ${model.name}_step in every period; q and qd are the estimate.`,
    ],
    resets: [],
  });
}

const innerOf = ({ steps }: SteppedRecord, all: readonly ControllerModel[]): readonly ControllerModel[] =>
  steps.map((camel) => all.find((own) => own.camel === camel)!);

/** What C says of a record beside its fields. */
interface RecordText {
  readonly head: readonly string[];
  /** What a reset makes of it. */
  readonly begin: string;
  readonly usage: readonly string[];
  /** Statements before those of its fields. */
  readonly resets: readonly string[];
}

function recordC(
  record: SteppedRecord,
  all: readonly ControllerModel[],
  render: Render,
  { head, begin, usage, resets }: RecordText,
): GeneratedFile[] {
  const { name, robot, variable, pascal, calls } = record;
  const inner = innerOf(record, all);
  const modules = Object.keys(calls) as RunTimeModule[];
  const runTime = modules.map((own) => runTimeSurroundings(own));
  const steps = inner.map((own) => surroundings(own));
  const nested = steps.flatMap(({ records }) => [...records!]);
  const fields = [...record.settings, ...record.memory];
  const parts = record.parts.map((own): [string, Type] => [own.name, { record: own.type }]);
  const around: Surroundings = {
    ...robotSurroundings(robot.name),
    callees: new Map([
      FINITE,
      ...runTime.flatMap(({ callees }) => [...callees]),
      ...steps.flatMap(({ callees }) => [...callees]),
    ]),
    constants: new Map(runTime.flatMap(({ constants }) => [...constants])),
    records: new Map([
      ...runTime.flatMap(({ records }) => [...records]),
      ...nested,
      [pascal, { name, fields: new Map([...parts, ...fields.map((own): [string, Type] => [own.name, own.type])]) }],
    ]),
  };
  const [step] = routinesOf(record.text);
  const begun = fields.flatMap(({ name: field, size, type, values }): string[] => {
    const own = `${variable}->${variableName(field)}`;
    if (size === undefined) return [`${own} = ${type === 'index' ? values![0]! : limitC(values![0]!)};`];
    if (!values) return [`kg_clear(${own}, ${size});`];
    const some = values.flatMap((value, i) => (value === 0 ? [] : [`${own}[${i}] = ${limitC(value)};`]));
    return some.length < values.length ? [`kg_clear(${own}, ${size});`, ...some] : some;
  });
  const member = ({ name: field, size, summary, type }: (typeof fields)[number]): string =>
    `${type === 'index' ? 'int' : 'kg_real'} ${variableName(field)}${size === undefined ? '' : `[${size}]`}; /* ${commentLine(summary)} */`;
  const data = {
    name,
    variable,
    begin,
    usage,
    upper: name.toUpperCase(),
    includes: [
      ...(inner.length > 0 ? inner.map((own) => own.name) : [robot.name]),
      ...modules.map((own) => `kanegen_${own}`),
    ],
    header: head.map(commentLine),
    parts: record.parts.map(
      (own) => `${around.records!.get(own.type)!.name} ${variableName(own.name)}; /* ${commentLine(own.summary)} */`,
    ),
    settings: record.settings.map(member),
    memory: record.memory.map(member),
    linked: ['reset', 'step'].map((end) => linkedName(robot, `${name}_${end}`)),
    resets: [...resets, ...begun],
    comment: commentC(step!.comment).trimEnd(),
    prototype: prototypeC(step!, `${name}_step`, around),
    step: functionC(step!, `${name}_step`, around),
  };
  return ['h', 'c'].map((kind) => ({ path: `${name}.${kind}`, text: render(`record.${kind}`, data) }));
}

const FINITE: readonly [string, Callee] = [
  'areFinite',
  { name: 'kg_finite', parameters: ['reals', 'index'], result: 'boolean' },
];

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
  callees.set(...FINITE);
  callees.set('checkParameters', { name: `${robot.name}_check`, parameters: ['robot'], result: 'status' });
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
