/**
 * A package for MATLAB and Octave around the C of a robot: functions over columns of states, a gateway (MEX) that checks what they are
 * given, the equations of motion for ode45 and ode15s, controllers, and S-functions for Simulink. All of it follows from the interface.
 */
import { host } from '#host';
import { KanegenError } from '../../../common/error.ts';
import { signedLiteral } from '../../c-language/target.ts';
import { loadTemplates } from '../../c-language/templates.ts';
import type { RobotInterface } from '../../interface/robot-interface.ts';
import { limitsText } from '../../interface/calls.ts';
import type { GeneratedFile } from '../../modules/robot-model.ts';
import { commentText, distinct, snakeCase, wrapped } from '../../naming/identifiers.ts';
import { blocksOf, type Block } from './matlab-blocks.ts';
import { dynamicsOf, hasFunction, hasTime, isContinuous, matlabFunctions, movesBy } from './matlab-functions.ts';
import type { MatlabFunction } from './matlab-functions.ts';
import { matlabName, numberText, packageName, quoted } from './matlab-names.ts';

const WIDTH = 96;

/**
 * @param code the C of the robot. @param header where it comes from, for comments. @param tell hears what is left out.
 * @throws KanegenError `no-matlab` for code without functions.
 */
export async function matlabPackage(
  of: RobotInterface,
  code: readonly GeneratedFile[],
  header: readonly string[],
  tell: (note: string) => void,
): Promise<GeneratedFile[]> {
  const render = await loadTemplates('matlab');
  const sources = code.filter(({ path }) => /\.[ch]$/.test(path) && !path.endsWith('_selftest.c'));
  const hash = host
    .sha256()
    .update(sources.map(({ text }) => text).join(''))
    .digest('hex');
  const functions = matlabFunctions(of, hash);
  if (functions.length === 0)
    throw new KanegenError(
      'no-matlab',
      `of \`${of.robot.name}\` no function is chosen that a package for MATLAB can call`,
      {
        remedy: 'write --functions default,…',
      },
    );
  const blocks = blocksOf(of);
  const reason = reasonAgainstMotion(of);
  if (reason !== undefined) tell(`the package for MATLAB has no dynamics and no block of the robot: ${reason}`);
  const data = dataOf(of, functions, blocks, header);
  const within = `+${data.package}/`;
  return [
    ...[
      'info',
      'parameters',
      'start',
      'build',
      ...(movesBy(of).moves ? ['example'] : []),
      ...(blocks.length > 0 ? ['simulink'] : []),
    ].map((name) => ({ path: `${within}${name}.m`, text: render(`${name}.m`, data) })),
    { path: `${within}Contents.m`, text: render('contents.m', data) },
    ...functions.map((own) => ({ path: `${within}${own.name}.m`, text: render('function.m', { ...data, own }) })),
    { path: `mex/${data.gateway}.c`, text: render('gateway.c', data) },
    { path: 'mex/kanegen_matlab.h', text: render('kanegen_matlab.h', data) },
    ...blocks.map((own) => ({ path: `mex/${own.file}.c`, text: render('sfun.c', { ...data, own }) })),
    ...sources.map(({ path, text }) => ({ path: `c/${path}`, text })),
  ];
}

/** Why `dynamics` is missing. */
function reasonAgainstMotion(of: RobotInterface): string | undefined {
  if (!isContinuous(of))
    return 'its motion has steps of its own (friction that sticks, ropes that become taut), which ode45 and Simulink do not take';
  const missing = dynamicsOf(of).filter((name) => !hasFunction(of, name));
  if (missing.length === 0) return undefined;
  return `they call ${missing.map((name) => name.replace(/_/g, '-')).join(', ')}, which are not chosen`;
}

function dataOf(
  of: RobotInterface,
  functions: readonly MatlabFunction[],
  blocks: readonly Block[],
  header: readonly string[],
) {
  const { identifier: name } = of.robot;
  const own = packageName(name);
  const records = functions.flatMap(({ record }) => record ?? []);
  const count = (kind: string): number =>
    Math.max(1, ...functions.map(({ values }) => values.filter((value) => value.kind === kind).length));
  return {
    name,
    package: own,
    gateway: `${own}_mex`,
    header: header.map(commentText),
    summary: wrapped(
      commentText(`Dynamics of ${of.robot.name}${of.robot.summary ? `: ${of.robot.summary}` : ''}.`),
      WIDTH,
    ),
    n: of.sizes.coordinates,
    nu: of.sizes.inputs,
    rubs: of.inputs.some((own) => own.rubs),
    frames: hasFunction(of, 'frame') ? of.sizes.frames : 0,
    loops: of.rows.length,
    time: hasTime(of),
    ...movesBy(of),
    functions,
    blocks,
    records,
    staged: functions.some((f) => f.staged),
    counts: { inputs: count('input'), numbers: count('number'), outputs: count('output') },
    headers: [
      ...new Set([
        name,
        ...of.controllers.flatMap(({ symbol, shell }) => (shell ? [shell.symbol] : [symbol])),
        ...(of.observers ?? []).map(({ symbol }) => symbol),
      ]),
    ],
    parameters: [
      {
        name: 'gravity',
        field: 'gravity',
        value: `[${of.gravity.map(numberText).join('; ')}]`,
        text: 'm/s^2, world axes',
      },
      ...of.parameters.map((parameter) => ({
        name: parameter.name,
        field: matlabName(parameter.name),
        ...(parameter.lower !== undefined && { lower: signedLiteral(parameter.lower) }),
        ...(parameter.upper !== undefined && { upper: signedLiteral(parameter.upper) }),
        value: numberText(parameter.default),
        text: commentText(
          `${parameter.unit}${limitsText(parameter)}${parameter.summary === undefined ? '' : `: ${parameter.summary}`}`,
        ),
      })),
    ],
    statuses: of.statuses.map(({ number, name: status, meaning }) => ({
      number,
      name: status,
      word: status.replace(/^KG_/, '').toLowerCase(),
      // What the gateway says itself, or nobody can ask for here.
      meaning: wrapped(commentText(meaning.replace(/: `\w+` says \w+/g, '')).replace(/["\\`]/g, "'"), WIDTH),
    })),
    lists: listsOf(of),
    tables: {
      kg_links: [...of.links],
      ...(functions.some(({ places }) => places === 'kg_frames') && {
        kg_frames: of.frames.map((frame) => frame.name),
      }),
    },
    wrapped: (text: string) => wrapped(text, WIDTH),
    contents: contentsOf(functions, own),
    quoted,
    broken: (statement: string) => wrapped(statement, WIDTH).join('\n      '),
    told: wrapped(toldOf(of), WIDTH),
    inC: (text: string) => `"${commentText(text).replace(/["\\]/g, "'")}"`,
  };
}

/** Fields of `info`, as lines of MATLAB: columns of texts and of numbers. */
function listsOf(of: RobotInterface): string[] {
  const column = (field: string, all: readonly string[], [open, close, none]: readonly string[]): string[] => {
    const line = `info.${field} = ${open}${all.join('; ')}${close};`;
    if (all.length === 0) return [`info.${field} = ${none};`];
    return line.length <= WIDTH
      ? [line]
      : [`info.${field} = ${open}`, ...all.map((own) => `    ${own}`), `    ${close};`];
  };
  const texts = (field: string, all: readonly string[]): string[] =>
    column(field, all.map(quoted), ['{', '}', 'cell(0, 1)']);
  const numbers = (field: string, all: readonly number[]): string[] =>
    column(field, all.map(numberText), ['[', ']', 'zeros(0, 1)']);
  const signals = (field: string, all: RobotInterface['coordinates'] | RobotInterface['inputs']): string[] => [
    ...texts(
      `${field}.name`,
      all.map(({ name }) => name),
    ),
    ...texts(
      `${field}.unit`,
      all.map(({ unit }) => unit),
    ),
    ...numbers(
      `${field}.lower`,
      all.map(({ lower }) => lower ?? -Infinity),
    ),
    ...numbers(
      `${field}.upper`,
      all.map(({ upper }) => upper ?? Infinity),
    ),
  ];
  const states = Object.entries(of.states);
  const stateNames = distinct(
    states.map(([name]) => name),
    (name) => matlabName(snakeCase(name)),
  );
  return [
    `info.name = ${quoted(of.robot.name)};`,
    ...(of.robot.summary === undefined ? [] : [`info.summary = ${quoted(of.robot.summary)};`]),
    ...signals('coordinates', of.coordinates),
    ...texts(
      'coordinates.rate_unit',
      of.coordinates.map(({ rateUnit }) => rateUnit),
    ),
    ...texts(
      'coordinates.force_unit',
      of.coordinates.map(({ forceUnit }) => forceUnit),
    ),
    ...numbers(
      'coordinates.default',
      of.coordinates.map((own) => own.default),
    ),
    ...signals('inputs', of.inputs),
    ...texts(
      'frames',
      of.frames.map(({ name }) => name),
    ),
    ...texts('links', of.links),
    ...texts('contacts', of.contacts),
    ...texts(
      'rows',
      of.rows.map(({ name }) => name),
    ),
    'info.states = struct();',
    ...states.flatMap(([, values], i) => numbers(`states.${stateNames[i]!}`, values)),
    ...texts(
      'statuses',
      of.statuses.filter(({ number }) => number > 0).map(({ name }) => name),
    ),
  ];
}

/** Coordinates and inputs with their units, for help. */
function toldOf(of: RobotInterface): string {
  const signal = ({ name, unit }: { readonly name: string; readonly unit: string }): string => `${name} [${unit}]`;
  const inputs = of.inputs.length === 0 ? '' : ` Inputs u: ${of.inputs.map(signal).join(', ')}.`;
  return commentText(`Coordinates q: ${of.coordinates.map(signal).join(', ')}.${inputs}`);
}

function contentsOf(functions: readonly MatlabFunction[], own: string): string[] {
  const wide = Math.max(...functions.map(({ name }) => name.length)) + 2;
  return functions.map(({ name, help }) => {
    const [purpose] = wrapped(help[0]!.slice(name.length + 1).trim(), WIDTH - wide - own.length);
    return `${own}.${name.padEnd(wide)}- ${purpose!}`;
  });
}
