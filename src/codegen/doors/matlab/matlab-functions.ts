/**
 * Functions of the package for MATLAB: what each takes and gives as the gateway reads it, the call in C, and its help. They are those of
 * the robot that are complete in themselves, the equations of motion of first order, and the steps of controllers and observers.
 */
import { host } from '#host';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import { isComplete, purposeOf, unitsOf } from '../../interface/calls.ts';
import { commentText, distinct, snakeCase, wrapped } from '../../naming/identifiers.ts';
import { matlabName, packageName } from './matlab-names.ts';

type FunctionInterface = RobotInterface['functions'][number];

/** An argument or a result. */
interface Value {
  readonly name: string;
  readonly kind: 'input' | 'number' | 'place' | 'output';
  /** Numbers of a column. */
  readonly rows: number;
  /** Of matrices; 0: a vector, -1: as many columns as are given. */
  readonly columns: number;
  readonly optional: boolean;
  readonly adds: boolean;
  readonly about: string;
}

/** A structure that the caller keeps from step to step: of a law, a shell or an observer. */
interface KeptRecord {
  /** In C. */
  readonly type: string;
  /** What callers see of it, `gains.kp`; all of it is kept as bytes. */
  readonly members: readonly { readonly name: string; readonly whole: boolean }[];
  /** Statements that bring `own` to where it begins. */
  readonly start: readonly string[];
  /** Of a law: gains and state stand in a structure that C does not have. */
  readonly law?: string;
}

export interface MatlabFunction {
  readonly name: string;
  readonly usage: string;
  readonly help: readonly string[];
  /** By which the gateway finds it, different for different C. */
  readonly key: number;
  readonly values: readonly Value[];
  /** The first two inputs are the state, which the gateway stages. */
  readonly staged: boolean;
  /** The first number is the time of the robot. */
  readonly timed: boolean;
  /** Names of places, a table of the gateway. */
  readonly places: 'kg_frames' | 'kg_links' | 'kg_modes' | undefined;
  /** An expression of C. */
  readonly call: string;
  readonly record?: KeptRecord;
}

type Draft = Omit<MatlabFunction, 'usage' | 'help' | 'key'> & {
  readonly purpose: string;
  readonly notes?: readonly string[];
};

const WIDTH = 96;

/** Files of the package beside functions. */
const OWN = ['build', 'contents', 'example', 'info', 'parameters', 'simulink', 'start'];

/** Can the equations of motion be integrated by methods that know of nothing else? */
export const isContinuous = (of: RobotInterface): boolean =>
  of.parameters.every(({ bristle }) => bristle === undefined) && of.rows.every(({ rope }) => !rope);

export const hasFunction = (of: RobotInterface, name: string): boolean => of.functions.some((own) => own.name === name);

/** What the equations of motion call. */
export const dynamicsOf = (of: RobotInterface): readonly string[] => [
  'update',
  of.rows.length > 0 ? 'constrained_forward_dynamics' : 'forward_dynamics',
  ...(of.inputs.length > 0 ? ['actuate'] : []),
];

const tangentsOf = (of: RobotInterface): readonly string[] => [
  of.rows.length > 0 ? 'constrained_forward_dynamics_tangent' : 'forward_dynamics_tangent',
  ...(of.inputs.length > 0 ? ['actuate_tangent'] : []),
  ...(of.inputs.some((own) => own.rubs) ? ['actuate_rate_tangent'] : []),
];

/** Do the functions of the robot suffice for `dynamics`, and for its Jacobian? */
export const movesBy = (of: RobotInterface): { readonly moves: boolean; readonly differentiated: boolean } => {
  const moves = isContinuous(of) && dynamicsOf(of).every((name) => hasFunction(of, name));
  return { moves, differentiated: moves && tangentsOf(of).every((name) => hasFunction(of, name)) };
};

/** @param hash of all C of the robot. */
export function matlabFunctions(of: RobotInterface, hash: string): MatlabFunction[] {
  const drafts = [...of.functions.filter(isComplete).map((f) => draftOf(of, f)), ...motion(of), ...stepped(of)];
  const names = distinct([...OWN, ...drafts.map(({ name }) => name)], matlabName).slice(OWN.length);
  return drafts.map(({ purpose, notes = [], ...own }, i) => {
    const named = { ...own, name: names[i]! };
    const usage = usageOf(of, named);
    const digest = host.sha256().update(`${hash} ${named.name} ${usage}`).digest('hex');
    return {
      ...named,
      usage,
      key: Number.parseInt(digest.slice(0, 12), 16),
      help: helpOf(of, named, usage, purpose, notes),
    };
  });
}

// ---------------------------------------------------------------------------------------------- functions of the robot

function draftOf(of: RobotInterface, f: FunctionInterface): Draft {
  const isStaged = f.state === 'staged';
  const n = of.sizes.coordinates;
  const state = isStaged ? [input(of, 'q', n), input(of, 'qd', n)] : [];
  const values = ordered([...state, ...f.arguments.flatMap((own) => valueOf(of, own))]);
  const index = values.find(({ kind }) => kind === 'place');
  const at = (name: string, kind: Value['kind']): number =>
    values.filter((own) => own.kind === kind).findLastIndex((own) => own.name === name);
  const passed = f.arguments.map(({ name, role }) => {
    if (role === 'workspace') return '&workspace';
    if (role === 'parameters') return 'c->p';
    if (role === 'columns') return 'c->columns';
    if (role === 'frame' || role === 'link') return 'c->place';
    if (role === 'number') return `c->number[${at(name, role)}]`;
    return `c->${role === 'input' ? 'in' : 'out'}[${at(name, role)}]`;
  });
  return {
    name: f.name,
    purpose: purposeOf(f),
    values,
    staged: isStaged,
    timed: false,
    places: index && (index.name === 'frame' ? 'kg_frames' : 'kg_links'),
    call: `${f.symbol}(${passed.join(', ')})`,
  };
}

function valueOf(of: RobotInterface, own: FunctionInterface['arguments'][number]): Value[] {
  const { name, role, shape, optional = false, adds = false } = own;
  const about = unitsOf(of, name) ?? '';
  if (role === 'number') return [number(name, about)];
  if (role === 'frame' || role === 'link') return [place(role, `name or number of a ${role}, as in info().${role}s`)];
  if (role !== 'input' && role !== 'output') return [];
  const [first, second] = shape!.map((size) => (size === 'columns' ? -1 : size));
  const [rows, columns] = first === -1 ? [second!, first] : [first!, second ?? 0];
  return [{ name, kind: role, rows, columns, optional, adds, about }];
}

/** What may be left out comes last, results behind all. The order of each kind stays. */
function ordered(values: readonly Value[]): Value[] {
  const rank = ({ kind, optional }: Value): number => (kind === 'output' ? 2 : optional ? 1 : 0);
  return [...values].sort((a, b) => rank(a) - rank(b));
}

const array =
  (kind: 'input' | 'output') =>
  (name: string, rows: number, columns: number, about: string, optional = false): Value => ({
    name,
    kind,
    rows,
    columns,
    optional,
    adds: false,
    about,
  });
const [given, found] = [array('input'), array('output')];

const input = (of: RobotInterface, name: string, rows: number): Value => given(name, rows, 0, unitsOf(of, name) ?? '');

const number = (name: string, about = ''): Value => ({
  name,
  kind: 'number',
  rows: 1,
  columns: 0,
  optional: false,
  adds: false,
  about,
});

const place = (name: string, about: string): Value => ({ ...number(name, about), kind: 'place' });

// ---------------------------------------------------------------------------------------------- equations of motion

/** x' of x = [q; qd], and its Jacobian. */
function motion(of: RobotInterface): Draft[] {
  const { moves, differentiated } = movesBy(of);
  if (!moves) return [];
  const [n, nu] = [of.sizes.coordinates, of.sizes.inputs];
  const taken = [
    number('t', 's'),
    given('x', 2 * n, 0, '[q; qd]'),
    ...(nu > 0 ? [given('u', nu, 0, unitsOf(of, 'u')!, true)] : []),
    given('tau', n, 0, `${unitsOf(of, 'tau')!}, beside actuators`, true),
  ];
  const inputs = nu > 0 ? 'c->in[0], c->in[1], c->in[2]' : 'c->in[0], NULL, c->in[1]';
  const notes = [
    ...(nu > 0 ? ['u and tau are zero where they are left out or [].'] : ['tau is zero where it is left out or [].']),
    ...(of.rows.length > 0 ? ['Loops that have opened by rounding close again, by 10 1/s.'] : []),
  ];
  const common = { staged: false, timed: hasTime(of), places: undefined };
  return [
    {
      ...common,
      name: 'dynamics',
      purpose: "x' = [qd; qdd] of x = [q; qd], the right-hand side for ode45 and ode15s.",
      notes,
      values: [...taken, found('dx', 2 * n, 0, '[qd; qdd]')],
      call: `kg_dynamics(&workspace, c->p, ${inputs}, c->out[0])`,
    },
    ...(differentiated
      ? [
          {
            ...common,
            name: 'dynamics_jacobian',
            purpose: `Derivatives A of dynamics by x${nu > 0 ? ' and B by u' : ''}: the Jacobian for ode15s, and the linearised robot.`,
            notes,
            values: [
              ...taken,
              found('A', 2 * n, 2 * n, 'by x'),
              ...(nu > 0 ? [found('B', 2 * n, nu, 'by u', true)] : []),
            ],
            call: `jacobian(c->p, ${inputs}, c->out[0], ${nu > 0 ? 'c->out[1]' : 'NULL'})`,
          },
        ]
      : []),
  ];
}

export const hasTime = (of: RobotInterface): boolean => of.parameters.some(({ kind }) => kind === 'time');

// ---------------------------------------------------------------------------------------------- controllers

/** What holds for inputs of laws in front of the reference, and for the reference. */
function measured(of: RobotInterface, own: RobotInterface['controllers'][number]): Value[] {
  const n = of.sizes.coordinates;
  const units = [...new Set(own.references.map(({ unit }) => unit))].join(', ');
  const { y, yd, ydd } = own.referenceSizes;
  return [
    input(of, 'q', n),
    input(of, 'qd', n),
    given('y', y, 0, own.frame === undefined ? `reference: ${units}` : `origin and R by rows of ${own.frame}`),
    given('yd', yd, 0, own.frame === undefined ? 'its rate' : 'its twist'),
    given('ydd', ydd, 0, own.frame === undefined ? 'second derivative' : 'derivative of the twist'),
  ];
}

function stepped(of: RobotInterface): Draft[] {
  const inputs = [0, 1, 2, 3, 4].map((i) => `c->in[${i}]`).join(', ');
  const common = { staged: false, timed: false };
  const laws = of.controllers.map((own, i): Draft => {
    const { symbol, outputs, parameters, state } = own;
    return {
      ...common,
      name: snakeCase(own.name),
      purpose: own.purpose,
      notes: fieldNotes('gains', parameters),
      places: undefined,
      values: [...measured(of, own), found('u', outputs.length, 0, unitsOfList(outputs))],
      record: {
        type: `kg_law_${i}`,
        law: symbol,
        members: [...members('gains.', parameters), ...members('state.', state.filter(isShown))],
        start: [`own->gains = ${symbol}_defaults;`, `${symbol}_reset(&own->state);`],
      },
      call: `${symbol}_step(&workspace, &parameters, &own->state, &own->gains, ${inputs}, c->out[0])`,
    };
  });
  const shells = of.controllers.flatMap((own): Draft[] => {
    if (!own.shell) return [];
    const { symbol, settings, state } = own.shell;
    return [
      {
        ...common,
        name: `${snakeCase(own.name)}_shell`,
        purpose: `The shell around ${own.name}: states off, hold, blend, run and fault, limits, rates of encoders.`,
        notes: [
          'u are to be applied whatever the status. shell.core.mode is 0 off, 1 hold, 2 blend, 3 run, 4 fault.',
          ...fieldNotes('shell', settings),
        ],
        places: 'kg_modes',
        values: [
          place('wanted', "'off', 'hold' or 'run'"),
          number('dt', 's since the last step'),
          ...measured(of, own),
          found('u', own.outputs.length, 0, unitsOfList(own.outputs)),
        ],
        record: {
          type: symbol,
          members: [
            ...CORE.map((name) => ({ name: `core.${name}`, whole: true })),
            ...members('gains.', own.parameters),
            ...members('', [...settings, ...state.filter(isShown)]),
          ],
          start: [`${symbol}_reset(own);`],
        },
        call: `${symbol}_step(&workspace, &parameters, own, kg_wanted[c->place], c->number[0], ${inputs}, c->out[0])`,
      },
    ];
  });
  const observers = (of.observers ?? []).map(({ name, symbol, settings, state, measurements }): Draft => ({
    ...common,
    name: `${snakeCase(name)}_observer`,
    purpose:
      'Extended Kalman filter of coordinates and rates: observer.q and observer.qd go on by dt under u, and are corrected by z.',
    notes: [
      'Measurements that are NaN are left out. z:',
      ...measurements.map((own) => `    ${own.name} [${own.unit}]`),
      ...fieldNotes('observer', settings),
    ],
    places: undefined,
    values: [
      number('dt', 's'),
      given('u', of.sizes.inputs, 0, unitsOf(of, 'u') ?? ''),
      given('z', measurements.length, 0, 'measurements'),
    ],
    record: {
      type: symbol,
      members: members('', [...settings, ...state.filter(isShown)]),
      start: [`${symbol}_reset(own);`],
    },
    call: `${symbol}_step(&workspace, &parameters, own, c->number[0], c->in[0], c->in[1])`,
  }));
  return [...laws, ...shells, ...observers];
}

type Field = RobotInterface['controllers'][number]['parameters'][number];

const members = (
  group: string,
  fields: readonly Pick<Field, 'name' | 'whole'>[],
): { readonly name: string; readonly whole: boolean }[] =>
  fields.map(({ name, whole }) => ({ name: group + name, whole: whole === true }));

/** What a shell keeps whatever its law. */
const CORE = ['mode', 'reason', 'faults', 'missed'];
/** Of what is kept, beside settings: results, integrals, estimates. */
const isShown = ({ name }: Pick<Field, 'name'>): boolean => ['u', 'integral', 'q', 'qd', 'used'].includes(name);

const unitsOfList = (all: readonly { readonly unit: string }[]): string =>
  [...new Set(all.map(({ unit }) => unit))].join(', ');

const fieldNotes = (
  group: string,
  fields: readonly { readonly name: string; readonly summary?: string | undefined }[],
): string[] => [`${group}:`, ...fields.map(({ name, summary = '' }) => `    ${name}: ${summary}`)];

/** What callers call a record. */
const recordName = (own: Pick<MatlabFunction, 'name'>): string =>
  own.name.endsWith('_shell') ? 'shell' : own.name.endsWith('_observer') ? 'observer' : 'law';

// ---------------------------------------------------------------------------------------------- help

function usageOf(of: RobotInterface, own: Omit<MatlabFunction, 'usage' | 'help' | 'key'>): string {
  const all = (isFound: boolean): string[] =>
    own.values.filter(({ kind }) => (kind === 'output') === isFound).map(({ name }) => name);
  const kept = own.record ? [recordName(own)] : [];
  const results = [...distinct([...all(true)], matlabName), ...kept, 'status'];
  return `[${results.join(', ')}] = ${packageName(of.robot.identifier)}.${own.name}(${[...kept, ...all(false), 'p'].join(', ')})`;
}

function helpOf(
  of: RobotInterface,
  own: Omit<MatlabFunction, 'usage' | 'help' | 'key'>,
  usage: string,
  purpose: string,
  notes: readonly string[],
): string[] {
  const many = own.record ? '' : ' x N';
  const rows = own.values.map(({ name, kind, rows: height, columns, optional, about, adds }) => {
    const tail = [
      about === '' ? '' : `[${commentText(about)}]`,
      optional && kind === 'input' ? 'or []' : '',
      adds ? 'from zero' : '',
    ];
    const shape =
      kind === 'number'
        ? 'number'
        : kind === 'place'
          ? ''
          : `${height}${columns === 0 ? (many === '' ? ' x 1' : '') : columns < 0 ? ' x K' : ` x ${columns}`}${many}`;
    const text = kind === 'place' ? about : [shape, ...tail].filter((part) => part !== '').join('  ');
    return `  ${kind === 'output' ? 'returns' : 'takes  '} ${name}: ${text}`;
  });
  const plain = packageName(of.robot.identifier);
  const kept = recordName(own);
  return [
    ...firstLines(own.name, purpose),
    ...usageLines(usage),
    '',
    ...(own.record
      ? [`  takes   ${kept}: where it begins, ${kept} = ${plain}.${own.name}(); after that, of the last step`]
      : []),
    ...rows,
    '',
    ...(own.record ? [] : ['  N states in one call, a column each; what has one column holds for all.']),
    `  p: run-time parameters (help ${plain}.parameters); those of the robot file where it is left out or [].`,
    '  Without the result status, what is not 0 (KG_OK) is an error.',
    ...notes.flatMap((note) =>
      wrapped(commentText(note), WIDTH - 4).map((line) => `  ${note.startsWith(' ') ? '    ' : ''}${line}`),
    ),
  ].map((line) => `%${line}`);
}

/** Places in arrays are counted from one. */
function firstLines(name: string, purpose: string): string[] {
  const text = purpose.replace(
    /\b(\w+)\[(\w)\]/g,
    (_, own: string, at: string) => `${own}(${/\d/.test(at) ? Number(at) + 1 : at})`,
  );
  const [first, ...rest] = wrapped(commentText(`${name.toUpperCase()} ${text}`), WIDTH - 2);
  return [first!, ...rest.map((line) => `  ${line}`)];
}

function usageLines(usage: string): string[] {
  const [first, ...rest] = wrapped(usage, WIDTH - 4);
  return [`  ${first!}`, ...rest.map((line) => `      ${line}`)];
}
