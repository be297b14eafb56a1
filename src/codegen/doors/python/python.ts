/**
 * A package for Python around the C of a robot: `pyproject.toml`, a build backend that needs a C compiler and nothing else, functions
 * over NumPy arrays whose rows are states, controllers, type stubs. All of it follows from the interface.
 */
import { loadTemplates, type Render } from '../../c-language/templates.ts';
import { KanegenError } from '../../../common/error.ts';
import { isComplete, limitsText, purposeOf } from '../../interface/calls.ts';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import type { GeneratedFile } from '../../modules/robot-model.ts';
import { VERSION } from '../../modules/version.ts';
import { commentText, distinct, pascalCase, wrapped } from '../../naming/identifiers.ts';
import { recordsOf } from './python-records.ts';
import type { ScenarioTable } from './scenario-table.ts';
import { rolloutsOf } from './python-rollouts.ts';

type FunctionInterface = RobotInterface['functions'][number];
type Argument = FunctionInterface['arguments'][number];

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import ' +
    'in is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);
/** Classes that every package has. */
const OWN = ['Robot', 'StatusError', 'Parameters', 'Rollout'];
const safe = (name: string): string => (KEYWORDS.has(name) ? `${name}_` : name);

/** Modules that `import` finds before any other, or that the package itself needs. */
const TAKEN = new Set([
  'numpy',
  'sys',
  'math',
  'time',
  'json',
  'array',
  'ctypes',
  'typing',
  'pathlib',
  'concurrent',
  'test',
  'torch',
  'jax',
]);

/** Text of users within a docstring or a string. */
const plain = (text: string): string => commentText(text).replace(/\\/g, '/').replace(/"/g, "'");
const docstring = (...paragraphs: readonly string[]): string[] =>
  paragraphs.filter((text) => text !== '').flatMap((text) => wrapped(plain(text), 100));

/** @param code the C of the robot, with `NAME_shared.c`. @param header where it comes from, for comments. */
export async function pythonPackage(
  of: RobotInterface,
  code: readonly GeneratedFile[],
  header: readonly string[],
  scenarios: readonly ScenarioTable[] = [],
): Promise<{ readonly name: string; readonly summary: string; readonly files: GeneratedFile[] }> {
  const render = await loadTemplates('python');
  const { identifier: name } = of.robot;
  const folder = packageName(name);
  const { controllers, observers = [] } = of;
  const shells = controllers.flatMap(({ name: own, shell }, index) => (shell ? [{ name: `${own} shell`, index }] : []));
  const names = distinct(
    [...OWN, ...[...controllers, ...shells].map((own) => own.name), ...observers.map((own) => `${own.name} observer`)],
    pascalCase,
  ).slice(OWN.length);
  const [controllerNames, shellNames, observerNames] = [
    names.slice(0, controllers.length),
    names.slice(controllers.length, controllers.length + shells.length),
    names.slice(controllers.length + shells.length),
  ];
  const rollouts = rolloutsOf(of);
  demandEnvironments(of, scenarios, rollouts !== undefined);
  const functions = of.functions.filter(isComplete).map(functionData);
  const tuples = functions.flatMap(({ tuple }) => (tuple ? [tuple] : []));
  const data = {
    name,
    package: folder,
    version: VERSION,
    summary: plain(of.robot.summary ?? `Dynamics of ${of.robot.name}`),
    header: header.map(commentText),
    docstring: [
      ...docstring(`Dynamics of ${of.robot.name}${of.robot.summary ? `: ${of.robot.summary}` : ''}.`),
      '',
      ...header.map(plain),
      '',
      ...docstring(
        'SI units; q, qd, qdd, tau in the order of COORDINATES; poses and Jacobians in world axes, angular part first. Arrays whose last axes are ' +
          'those of one state hold one state, others as many as their axes in front say; these are broadcast.',
      ),
      ...(of.coordinates.length > 0 ? ['', 'Coordinates, with their units and those of their forces:'] : []),
      ...of.coordinates.map((own) => `    ${plain(own.name)} [${plain(own.unit)}], ${plain(own.forceUnit)}`),
      ...(of.inputs.length > 0 ? ['', 'Inputs u:'] : []),
      ...of.inputs.map((own) => `    ${plain(own.name)} [${plain(own.unit)}]${limitsText(own)}`),
      ...(of.parameters.length > 0 ? ['', 'Parameters (robot.parameters[NAME]):'] : []),
      ...of.parameters.map((own) =>
        `    ${own.name} [${plain(own.unit)}]${limitsText(own)} ${plain(own.summary ?? '')}`.trimEnd(),
      ),
    ],
    functions,
    tuples,
    rollouts: rollouts !== undefined,
    controllers: controllers.map((own, index) => ({
      name: controllerNames[index],
      index,
      docstring: lawText(own.purpose, 'Gains', own.parameters),
    })),
    shells: shells.map(({ index }, i) => ({
      name: shellNames[i],
      index,
      docstring: lawText(
        `The shell around ${controllers[index]!.name}: states off, hold, blend, run and fault, limits, rates of encoders.`,
        'Settings',
        controllers[index]!.shell!.settings,
      ),
    })),
    observers: observers.map((own, index) => ({
      name: observerNames[index],
      index,
      docstring: [
        ...lawText('Extended Kalman filter of coordinates and rates.', 'Settings', own.settings),
        'Measurements z:',
        ...own.measurements.map(({ name: measured, unit }) => `    ${plain(measured)} [${plain(unit)}]`),
      ],
    })),
    exported: [
      ...['COORDINATES', 'FRAMES', 'INPUTS', 'INTERFACE', 'LINKS', 'STATES'],
      ...(shells.length > 0 ? SHELL_STATES : []),
      ...['Parameters', 'Robot', ...(rollouts ? ['Rollout'] : []), 'StatusError'],
      ...names,
      ...tuples.map((own) => own.name),
    ],
    shellStates: SHELL_STATES,
  };
  const called = [...of.functions.filter(isComplete), ...(rollouts?.functions ?? [])];
  const rows = { ...data, functions: called.map((f) => rowsData(name, f)) };
  const records = recordsOf(of);
  const isDifferentiated = of.functions.some((own) => own.name === 'inverse_dynamics_adjoint');
  const within = `${folder}/`;
  const files = [
    { path: 'pyproject.toml', text: render('pyproject.toml', data) },
    { path: 'kanegen_build.py', text: render('kanegen_build.py', data) },
    { path: `${within}__init__.py`, text: render('package.py', data) },
    { path: `${within}__init__.pyi`, text: render('package.pyi', data) },
    { path: `${within}_runtime.py`, text: render('_runtime.py', data) },
    { path: `${within}py.typed`, text: '' },
    { path: `${within}interface.json`, text: `${JSON.stringify(of, null, 2)}\n` },
    { path: `${within}_controllers.py`, text: render('_controllers.py', data) },
    { path: `${within}c/kanegen_rows.c`, text: render('rows.c', rows) },
    ...(rollouts
      ? [
          { path: `${within}rollouts.json`, text: `${JSON.stringify(rollouts.functions, null, 2)}\n` },
          ...['h', 'c'].map((kind) => ({
            path: `${within}c/kanegen_rollouts.${kind}`,
            text: render(`rollouts.${kind}`, { ...data, ...rollouts.data }),
          })),
        ]
      : []),
    ...(isDifferentiated ? differentiable(render, data, within) : []),
    ...(scenarios.length > 0
      ? [
          { path: `${within}scenarios.json`, text: `${JSON.stringify(scenarios)}\n` },
          { path: `${within}environment.py`, text: render('environment.py', data) },
          { path: `${within}environment.pyi`, text: render('environment.pyi', data) },
        ]
      : []),
    ...(records.length > 0
      ? [{ path: `${within}c/kanegen_records.c`, text: render('records.c', { ...data, records }) }]
      : []),
    ...code
      .filter(({ path }) => /\.[ch]$/.test(path) && !path.endsWith('_selftest.c'))
      .map(({ path, text }) => ({ path: `${within}c/${path}`, text })),
  ];
  return { name: folder, summary: data.summary, files };
}

/** Environments take steps. @throws KanegenError `no-environment` */
function demandEnvironments(of: RobotInterface, scenarios: readonly ScenarioTable[], hasSteps: boolean): void {
  if (scenarios.length === 0) return;
  const needed = ['actuate', 'frame', ...(scenarios.some(({ loads }) => loads.length > 0) ? ['external'] : [])];
  const missing = needed.filter((own) => of.functions.every(({ name }) => name !== own));
  if (hasSteps && missing.length === 0) return;
  throw new KanegenError(
    'no-environment',
    hasSteps
      ? `environments of \`${of.robot.name}\` call ${missing.join(', ')}, which are not chosen`
      : `\`${of.robot.name}\` has no rollouts, which environments take`,
    { remedy: hasSteps ? 'write --functions default,…' : 'friction that sticks has none: write smooth friction' },
  );
}

/** What PyTorch and JAX call, of code with derivatives. */
function differentiable(render: Render, data: object, within: string): GeneratedFile[] {
  const own = { ...data, methods: render('dynamics.py', data).trimEnd() };
  return [
    { path: `${within}_derivatives.py`, text: render('_derivatives.py', own) },
    ...['torch', 'jax'].flatMap((name) => [
      { path: `${within}${name}.py`, text: render(`${name}.py`, own) },
      { path: `${within}${name}.pyi`, text: render('dynamics.pyi', { ...own, framework: name }) },
    ]),
  ];
}

const packageName = (name: string): string => (KEYWORDS.has(name) || TAKEN.has(name) ? `${name}_robot` : name);

const SHELL_STATES = ['SHELL_OFF', 'SHELL_HOLD', 'SHELL_BLEND', 'SHELL_RUN', 'SHELL_FAULT'];

const lawText = (
  purpose: string,
  title: string,
  fields: readonly { readonly name: string; readonly summary?: string | undefined }[],
): string[] => [
  ...docstring(purpose),
  '',
  `${title}:`,
  ...fields.map((field) => `    ${field.name}: ${plain(field.summary ?? '')}`),
];

// ---------------------------------------------------------------------------------------------- Python

interface Tuple {
  readonly name: string;
  readonly fields: readonly string[];
  readonly optional: boolean;
}

interface FunctionData {
  readonly name: string;
  readonly signature: readonly string[];
  readonly typed: readonly string[];
  readonly docstring: readonly string[];
  readonly run: string;
  readonly result: string;
  readonly type: string;
  readonly tuple?: Tuple;
}

function functionData(f: FunctionInterface): FunctionData {
  const by = (...roles: readonly Argument['role'][]): readonly Argument[] =>
    f.arguments.filter(({ role }) => roles.includes(role));
  const [index] = by('frame', 'link');
  const [numbers, inputs, outputs] = [by('number'), by('input'), by('output')];
  const isOptional = outputs.some((own) => own.optional) && outputs.length > 1;
  const state = f.state === 'staged' ? ['q', 'qd'] : [];
  const given = [
    ...state.map((name) => ({ name, type: 'ArrayLike', missing: '' })),
    ...numbers.map(({ name }) => ({ name: safe(name), type: 'float', missing: '' })),
    ...(index ? [{ name: index.role, type: 'str | int', missing: '' }] : []),
    ...inputs.map(({ name, optional }) => ({ name: safe(name), type: 'ArrayLike', missing: optional ? 'None' : '' })),
  ];
  // Those that may be left out come last.
  const ordered = [...given.filter(({ missing }) => missing === ''), ...given.filter(({ missing }) => missing !== '')];
  const fields = distinct(
    outputs.map(({ name }) => name),
    safe,
  );
  const tuple: Tuple | undefined =
    outputs.length > 1 ? { name: `${pascalCase(f.name)}Result`, fields, optional: isOptional } : undefined;
  const run = [
    `"${f.name}"`,
    `(${[...state, ...inputs.map(({ name }) => safe(name))]
      .map((name) => `${name}, `)
      .join('')
      .trimEnd()})`,
    ...(numbers.length > 0 ? [`(${numbers.map(({ name }) => `${safe(name)},`).join(' ')})`] : []),
    ...(index ? [`${index.role}=${index.role}`] : []),
    ...(isOptional ? ['outputs=outputs'] : []),
  ];
  return {
    name: safe(f.name),
    signature: [
      'self',
      ...ordered.map(({ name, missing }) => (missing ? `${name}=${missing}` : name)),
      ...(isOptional ? ['outputs=None'] : []),
    ],
    typed: [
      'self',
      ...ordered.map(({ name, type, missing }) => `${name}: ${type}${missing ? ` | None = ${missing}` : ''}`),
      ...(isOptional ? ['outputs: Sequence[str] | None = None'] : []),
    ],
    docstring: [
      ...docstring(purposeOf(f)),
      '',
      ...numbers.map(({ name }) => `takes ${safe(name)}: a number`),
      ...(index ? [`takes ${index.role}: its name, or its index`] : []),
      ...[...inputs, ...outputs].map(
        ({ name, role, shape, adds }) =>
          `${role === 'input' ? 'takes' : 'returns'} ${name}: (…, ${shape!.join(', ')})${adds ? ', from zero' : ''}`,
      ),
      ...(isOptional ? ['outputs: names of those that are wanted, all when missing'] : []),
    ],
    run: run.join(', '),
    result: tuple ? `${tuple.name}(*found)` : 'found[0]',
    type: tuple ? tuple.name : 'Array',
    ...(tuple && { tuple }),
  };
}

// ---------------------------------------------------------------------------------------------- C

function rowsData(robot: string, f: FunctionInterface): object {
  const isStaged = f.state === 'staged';
  const pointer = (name: string): string => `const kg_real *${name}`;
  const own = f.arguments.filter(({ role }) => role !== 'workspace' && role !== 'parameters');
  const c = (name: string): string => `${name}_`;
  const sizeOf = ({ shape }: Argument): string =>
    shape!.map((n) => (n === 'columns' ? c('columns') : String(n))).join(' * ');
  const outputs = own.filter(({ role }) => role === 'output');
  const at = (argument: Argument): string => {
    const { name, role, optional } = argument;
    if (role === 'input')
      return optional ? `${c(name)} ? ${c(name)} + row * ${name}_step : NULL` : `${c(name)} + row * ${name}_step`;
    const place = `${c(name)} + row * (long)(${sizeOf(argument)})`;
    return optional ? `(${c(name)} ? ${place} : NULL)` : place;
  };
  const passed = f.arguments.map((argument) => {
    const { name, role } = argument;
    if (role === 'workspace') return 'workspace';
    if (role === 'parameters') return 'p';
    return role === 'input' || role === 'output' ? at(argument) : c(name);
  });
  const parameters = [
    ...[
      'long from',
      'long to',
      `${robot}_workspace *workspace`,
      pointer('numbers'),
      'long numbers_step',
      'int *statuses',
    ],
    ...(isStaged ? [pointer('q_staged'), 'long q_staged_step', pointer('qd_staged'), 'long qd_staged_step'] : []),
    ...own.flatMap(({ name, role }) => {
      if (role === 'input') return [pointer(c(name)), `long ${name}_step`];
      if (role === 'output') return [`kg_real *${c(name)}`];
      return [role === 'number' ? `kg_real ${c(name)}` : `int ${c(name)}`];
    }),
  ];
  const each = (call: string): string[] =>
    outputs.map((argument) => {
      const { name, optional } = argument;
      const line = `${call}(${c(name)} + row * (long)(${sizeOf(argument)}), ${sizeOf(argument)});`;
      return optional ? `if (${c(name)} != NULL) ${line}` : line;
    });
  return {
    name: f.name,
    staged: isStaged,
    // Of robots that depend on the time, rollouts change a copy of the parameters.
    whole: f.name.startsWith('rollout'),
    parameters,
    clears: outputs.some(({ adds }) => adds) ? each('kg_clear') : [],
    marks: each('kg_mark'),
    call: `${f.symbol}(${passed.join(', ')})`,
  };
}
