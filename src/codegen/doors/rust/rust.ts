/**
 * A crate for Rust around the C of a robot: `build.rs`, which needs a C compiler and nothing else, raw functions, and a safe layer
 * over arrays of fixed size without heap or `std`. All of it follows from the interface.
 */
import { loadTemplates } from '../../c-language/templates.ts';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import { packageFile } from '../../modules/assets.ts';
import type { GeneratedFile } from '../../modules/robot-model.ts';
import { VERSION } from '../../modules/version.ts';
import { commentText, distinct, listed, pascalCase, snakeCaseOf, wrapped } from '../../naming/identifiers.ts';
import { functionData, shapeType, textOf, type FunctionData } from './rust-functions.ts';
import { numberText, rustName, stringText } from './rust-names.ts';

type Controller = RobotInterface['controllers'][number];
type Field = Controller['parameters'][number];

/** Types that every crate has, and names of Rust that its code says. */
const OWN = (
  'Robot State Parameters Signal Status Real Int Frame Link Wanted Mode Reason ShellCore ' +
  'Option Some None Result Ok Err Default Clone Debug PartialEq Eq Copy'
).split(' ');

/** A structure of C, with the docs of its members. */
interface RustRecord {
  readonly type: string;
  readonly c: string;
  readonly doc: string;
  readonly members: readonly Member[];
}

interface Member {
  readonly rust: string;
  readonly c: string;
  readonly type: string;
  readonly doc: string;
}

/** Names that cargo, or code which uses the crate, has for something else. */
const TAKEN = new Set(['alloc', 'build', 'core', 'deps', 'examples', 'incremental', 'proc_macro', 'std', 'test']);

/** @param code the C of the robot. @param header where it comes from, for comments. */
export async function rustCrate(
  of: RobotInterface,
  code: readonly GeneratedFile[],
  header: readonly string[],
): Promise<GeneratedFile[]> {
  const render = await loadTemplates('rust');
  const data = dataOf(of, code, header);
  const sources = code.filter(({ path }) => /\.[ch]$/.test(path));
  return [
    ...['Cargo.toml', 'build.rs'].map((path) => ({ path, text: render(path, data) })),
    { path: 'src/lib.rs', text: render('lib.rs', data) },
    { path: 'src/sys.rs', text: render('sys.rs', data) },
    ...(data.fields.length > 0 ? [{ path: 'src/controllers.rs', text: render('controllers.rs', data) }] : []),
    { path: 'tests/robot.rs', text: render('robot.rs', data) },
    { path: `c/${data.name}_rust.c`, text: render('rust.c', data) },
    ...sources.map(({ path, text }) => ({ path: `c/${path}`, text })),
  ];
}

function dataOf(of: RobotInterface, code: readonly GeneratedFile[], header: readonly string[]) {
  const { identifier: name } = of.robot;
  const [laws, shells, observers, fields] = recordsOf(of);
  const functions = of.functions.map((f) => functionData(of, f));
  const parameters = distinct(['gravity', ...of.parameters.map((own) => own.name)], rustName)
    .slice(1)
    .map((rust, i) => ({ rust, own: of.parameters[i]! }));
  const plain: RustRecord[] = [
    {
      type: 'Parameters',
      c: `${name}_parameters`,
      doc: '',
      members: ['gravity', ...parameters.map(({ rust }) => rust)].map((rust, i) => ({
        rust,
        c: i === 0 ? 'gravity' : of.parameters[i - 1]!.name,
        type: '',
        doc: '',
      })),
    },
  ];
  const records = [...plain, ...fields];
  const loops = of.rows.length > 0;
  const sticks = of.parameters.some(({ bristle }) => bristle !== undefined);
  const layoutSize = 2 + records.reduce((total, { members }) => total + 1 + members.length, 0);
  return {
    name,
    crate: crateName(name),
    version: VERSION,
    description: stringText(of.robot.summary ?? `Dynamics of ${of.robot.name}`),
    header: header.map(commentText),
    docs: crateDocs(of, header),
    abi: of.abi,
    suffix: of.linkedSuffix,
    single: !loops,
    loops,
    sticks,
    workspace: of.sizes.workspace,
    n: of.sizes.coordinates,
    selftest: code.some(({ path }) => path === `${name}_selftest.c`),
    tip: frameName(of, of.tip),
    has: (own: string): boolean => of.functions.some((f) => f.name === own),
    columned: of.functions.some((f) => f.arguments.some(({ role }) => role === 'columns')),
    signals: signalsOf(of),
    states: statesOf(of),
    enums: enumsOf(of),
    statuses: of.statuses
      .filter(({ number }) => number > 0)
      .map((own) => {
        const meaning = own.meaning.replace(/`(\w+)`/g, (_, word: string) => snakeCaseOf(word));
        return {
          number: own.number,
          variant: statusName(own.name),
          docs: wrapped(textOf(meaning), 110),
          meaning: stringText(meaning),
        };
      }),
    gravity: of.gravity.map(numberText),
    parameters: parameters.map(({ rust, own }) => ({
      rust,
      value: numberText(own.default),
      doc: textOf(
        [
          own.summary ?? own.name.replace(/_/g, ' '),
          ` (${own.unit})`,
          own.lower === undefined ? '' : `, from ${own.lower}`,
          own.upper === undefined ? '' : `, to ${own.upper}`,
        ].join(''),
      ),
    })),
    links: of.links.map(stringText),
    functions,
    laws,
    shells,
    observers,
    fields,
    records: records.map((own) => ({
      ...own,
      listed: listed([own.type, ...own.members.map(({ rust }) => rust)], 100),
    })),
    layoutSize,
    shims: [
      `${name}_rust_singular_link`,
      ...(loops ? [`${name}_rust_constraint_rank`] : []),
      ...(sticks ? [`${name}_rust_hold`] : []),
      `${name}_rust_layout`,
    ],
    headers: [name, ...code.flatMap(({ path }) => headerOf(of, path))],
    linked: linkedOf(of, functions, { loops, sticks, layoutSize }),
  };
}

const crateName = (name: string): string => (rustName(name) !== name || TAKEN.has(name) ? `${name}_robot` : name);

/** `KG_NON_FINITE` → `NonFinite`. */
const statusName = (name: string): string => pascalCase(name.replace(/^KG_/, ''));

/** Headers of controllers, shells and observers. */
function headerOf(of: RobotInterface, path: string): string[] {
  const symbols = [...of.controllers, ...(of.observers ?? [])].flatMap((own) => [own.symbol, `${own.symbol}_shell`]);
  return symbols.filter((symbol) => path === `${symbol}.h`);
}

function crateDocs(of: RobotInterface, header: readonly string[]): string[] {
  const crate = crateName(of.robot.identifier);
  const paragraph = (text: string): string[] => ['', ...wrapped(text, 110)];
  const bullets = (title: string, rows: readonly string[]): string[] =>
    rows.length === 0 ? [] : ['', title, '', ...rows.map((row) => `- ${textOf(row)}`)];
  return [
    ...wrapped(textOf(`Dynamics of ${of.robot.name}${of.robot.summary ? `: ${of.robot.summary}` : ''}.`), 110),
    ...paragraph(textOf(header.join(' '))),
    ...paragraph(
      'SI units; arrays of coordinates in the order of COORDINATES, of inputs in that of INPUTS; poses and Jacobians in world axes, ' +
        'angular part first. A `Robot` is brought to a state by `update`, and asked there; calls that end in `_at` need none.',
    ),
    ...(of.functions.some(({ name }) => name === 'inverse_dynamics') && of.coordinates.length > 0
      ? [
          '',
          '```',
          `use ${crate}::*;`,
          '',
          'let mut robot = Robot::new();',
          'let q = COORDINATES.map(|own| own.default);',
          `let mut state = robot.update(&q, &[0.0; ${of.coordinates.length}])?;`,
          `let tau = state.inverse_dynamics(&[0.0; ${of.coordinates.length}])?;`,
          '# let _ = tau;',
          '# Ok::<(), Status>(())',
          '```',
        ]
      : []),
    ...bullets(
      'Coordinates, with units of them and of their forces:',
      of.coordinates.map((own) => `${own.name}: ${own.unit}, ${own.forceUnit}`),
    ),
    ...bullets(
      'Inputs:',
      of.inputs.map((own) => `${own.name}: ${own.unit}`),
    ),
  ];
}

// ---------------------------------------------------------------------------------------------- tables

interface Limits {
  readonly lower?: number | undefined;
  readonly upper?: number | undefined;
}

function signalsOf(of: RobotInterface): object[] {
  const table = (
    name: string,
    module: string,
    text: string,
    rows: readonly (Limits & { name: string; identifier: string; unit: string; default?: number })[],
  ): object[] => {
    if (rows.length === 0) return [];
    const places = distinct(
      rows.map((own) => own.identifier),
      (own) => rustName(own.toUpperCase()),
    );
    const limited = (value: number | undefined, missing: string): string =>
      value === undefined ? `Real::${missing}` : numberText(value);
    return [
      {
        name,
        module,
        text,
        rows: rows.map((own, i) => ({
          name: stringText(own.name),
          unit: stringText(own.unit),
          default: numberText(own.default ?? 0),
          lower: limited(own.lower, 'NEG_INFINITY'),
          upper: limited(own.upper, 'INFINITY'),
          place: places[i]!,
        })),
      },
    ];
  };
  return [
    ...table('COORDINATES', 'coordinate', 'q, in order.', of.coordinates),
    ...table('INPUTS', 'input', 'u, in order.', of.inputs),
  ];
}

function statesOf(of: RobotInterface): object[] {
  const all = Object.entries(of.states);
  const places = distinct(
    all.map(([name]) => name),
    (name) => rustName(snakeName(name).toUpperCase()),
  );
  return all.map(([, values], i) => ({ place: places[i]!, values: values.map(numberText) }));
}

const snakeName = (name: string): string => pascalCase(name).replace(/(?!^)([A-Z])/g, '_$1');

const variantsOf = (names: readonly string[]): string[] => distinct(names, (own) => rustName(pascalCase(own)));

const frameName = ({ frames }: RobotInterface, index: number): string =>
  `Frame::${variantsOf(frames.map(({ name }) => name))[index]!}`;

function enumsOf(of: RobotInterface): object[] {
  const own = (name: string, text: string, names: readonly string[]): object => {
    const variants = variantsOf(names);
    return { name, text, rows: names.map((variant, i) => ({ variant: variants[i]!, text: textOf(variant) })) };
  };
  const asked = (role: string): boolean => of.functions.some((f) => f.arguments.some((given) => given.role === role));
  return [
    ...(asked('frame')
      ? [
          own(
            'Frame',
            'Frames of the robot.',
            of.frames.map(({ name }) => name),
          ),
        ]
      : []),
    ...(asked('link') ? [own('Link', 'Links whose points are known.', of.links)] : []),
  ];
}

// ---------------------------------------------------------------------------------------------- controllers

interface Law {
  readonly type: string;
  readonly symbol: string;
  readonly gains: string;
  readonly state: string;
  readonly docs: readonly string[];
  readonly q: string;
  readonly y: string;
  readonly yd: string;
  readonly ydd: string;
  readonly u: string;
  readonly inputs: number;
}
interface Filter {
  readonly type: string;
  readonly symbol: string;
  readonly u: string;
  readonly z: string;
}
type Shell = Omit<Law, 'gains' | 'state' | 'docs'>;

/** Laws, shells, observers, and the structures of all. */
function recordsOf(of: RobotInterface): [Law[], Shell[], Filter[], RustRecord[]] {
  const { controllers, observers = [] } = of;
  const names = distinct(
    [
      ...OWN,
      ...controllers.flatMap(({ name }) => [name, `${name} gains`, `${name} state`, `${name} shell`]),
      ...observers.map(({ name }) => `${name} observer`),
    ],
    (own) => (OWN.includes(own) ? own : rustName(pascalCase(own))),
  ).slice(OWN.length);
  const sizes = (own: Controller): Omit<Shell, 'type' | 'symbol'> => ({
    q: shapeType([of.sizes.coordinates]),
    y: shapeType([own.referenceSizes.y]),
    yd: shapeType([own.referenceSizes.yd]),
    ydd: shapeType([own.referenceSizes.ydd]),
    u: shapeType([own.outputs.length]),
    inputs: own.outputs.length,
  });
  const [laws, shells, fields]: [Law[], Shell[], RustRecord[]] = [[], [], []];
  controllers.forEach((own, i) => {
    const [type, gains, state, shellType] = names.slice(4 * i, 4 * i + 4) as [string, string, string, string];
    const { symbol, shell } = own;
    laws.push({ ...sizes(own), type, symbol, gains, state, docs: lawDocs(own) });
    fields.push(
      {
        type: gains,
        c: `${symbol}_parameters`,
        doc: `What may change of ${type}.`,
        members: own.parameters.map(member),
      },
      { type: state, c: `${symbol}_state`, doc: `What is kept of ${type}.`, members: own.state.map(member) },
    );
    if (!shell) return;
    shells.push({ ...sizes(own), type: shellType, symbol: shell.symbol });
    const ofFaults = controllers.findIndex(({ name }) => name === shell.safe);
    const [, safeGains, safeState] = names.slice(4 * ofFaults) as [string, string, string];
    fields.push({
      type: shellType,
      c: shell.symbol,
      doc: textOf(`The shell around ${own.name}: states off, hold, blend, run and fault, limits, rates of encoders.`),
      members: [
        { rust: 'core', c: 'core', type: 'ShellCore', doc: 'Mode, faults, counters.' },
        { rust: 'gains', c: 'gains', type: gains, doc: 'Of the law; its limits are written in every step.' },
        { rust: 'law', c: 'law', type: state, doc: 'Of the law.' },
        ...(ofFaults >= 0
          ? [
              { rust: 'safe_gains', c: 'safe_gains', type: safeGains, doc: 'Of the law of faults, likewise.' },
              { rust: 'safe', c: 'safe', type: safeState, doc: 'Of the law of faults.' },
            ]
          : []),
        ...[...shell.settings, ...shell.state].map(member),
      ],
    });
  });
  if (shells.length > 0) fields.unshift(shellCore());
  const filters = observers.map((own, i): Filter => {
    const type = names[4 * controllers.length + i]!;
    const measured = own.measurements.map(({ name, unit }) => `${name} (${unit})`).join(', ');
    fields.push({
      type,
      c: own.symbol,
      doc: textOf(`Extended Kalman filter of coordinates and rates. Measurements: ${measured}.`),
      members: [...own.settings, ...own.state].map(member),
    });
    return { type, symbol: own.symbol, u: shapeType([of.sizes.inputs]), z: shapeType([own.measurements.length]) };
  });
  return [laws, shells, filters, fields];
}

function lawDocs(own: Controller): string[] {
  return [
    ...wrapped(textOf(own.purpose), 110),
    '',
    ...(own.references.length > 0
      ? [`References y: ${textOf(own.references.map(({ name, unit }) => `${name} (${unit})`).join(', '))}.`]
      : []),
    `Inputs u: ${textOf(own.outputs.map(({ name, unit }) => `${name} (${unit})`).join(', '))}.`,
  ].flatMap((line) => wrapped(line, 110).concat(line === '' ? [''] : []));
}

function member({ name, size, whole, summary }: Field): Member {
  const type = size === 1 ? (whole ? 'sys::Int' : 'Real') : `[${whole ? 'sys::Int' : 'Real'}; ${size}]`;
  return { rust: rustName(name), c: name, type, doc: textOf(summary ?? name.replace(/_/g, ' ')) };
}

/** As the run time has it, whatever the law. */
function shellCore(): RustRecord {
  const [, body] = /export interface Shell \{([^}]*)\}/.exec(packageFile('src/runtime/shell.ts'))!;
  const members = [...body!.matchAll(/\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*(\w+): (\w+);/g)].map(
    ([, doc, name, type]): Member => ({
      rust: rustName(name!),
      c: name!,
      type: type === 'Index' ? 'Int' : 'Real',
      doc: textOf(doc!.trim()),
    }),
  );
  return { type: 'ShellCore', c: 'kg_shell', doc: 'What a shell keeps whatever its law.', members };
}

// ---------------------------------------------------------------------------------------------- raw functions

/** Declarations of what is linked: each a name in C, and its text. */
function linkedOf(
  of: RobotInterface,
  functions: readonly FunctionData[],
  { loops, sticks, layoutSize }: { readonly loops: boolean; readonly sticks: boolean; readonly layoutSize: number },
): { readonly name: string; readonly text: readonly string[] }[] {
  const { identifier } = of.robot;
  const declared = (name: string, parameters: readonly string[], result = ' -> Int') => {
    const line = `pub fn ${name}(${parameters.join(', ')})${result};`;
    const broken = [`pub fn ${name}(`, ...listed(parameters, 104).map((own) => `    ${own}`), `)${result};`];
    return { name, text: line.length > 110 ? broken : [line] };
  };
  const robot = ['workspace: *mut Workspace', 'p: *const Parameters'];
  const inputs = ['q', 'qd', 'y', 'yd', 'ydd'].map((own) => `${own}: *const Real`);
  const [laws, shells, filters] = recordsOf(of);
  return [
    ...functions.map((f) => declared(f.symbol, f.raw)),
    declared(`${identifier}_rust_singular_link`, ['workspace: *const Workspace']),
    ...(loops ? [declared(`${identifier}_rust_constraint_rank`, ['workspace: *const Workspace'])] : []),
    ...(sticks ? [declared(`${identifier}_rust_hold`, ['workspace: *mut Workspace', 'p: *mut Parameters'])] : []),
    { name: `${identifier}_rust_layout`, text: [`pub static ${identifier}_rust_layout: [Int; ${layoutSize}];`] },
    ...laws.flatMap(({ symbol, gains, state }) => [
      { name: `${symbol}_defaults`, text: [`pub static ${symbol}_defaults: ${gains};`] },
      declared(`${symbol}_reset`, [`state: *mut ${state}`], ''),
      declared(`${symbol}_step`, [
        ...robot,
        `state: *mut ${state}`,
        `gains: *const ${gains}`,
        ...inputs,
        'u: *mut Real',
      ]),
    ]),
    ...shells.flatMap(({ symbol, type }) => [
      declared(`${symbol}_reset`, [`shell: *mut ${type}`], ''),
      declared(`${symbol}_step`, [
        ...robot,
        `shell: *mut ${type}`,
        'wanted: Int',
        'dt: Real',
        ...inputs,
        'u: *mut Real',
      ]),
    ]),
    ...filters.flatMap(({ symbol, type }) => [
      declared(`${symbol}_reset`, [`observer: *mut ${type}`], ''),
      declared(`${symbol}_step`, [...robot, `observer: *mut ${type}`, 'dt: Real', 'u: *const Real', 'z: *const Real']),
    ]),
  ];
}
