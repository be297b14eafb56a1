/**
 * The driver of a robot in TypeScript, `NAME_driver.ts`: sweeps over its links with direct calls, and its functions. Every
 * link's block is a view of one array.
 */
import { BASE_MOTIONS } from '../../kane/equations/base-and-frames.ts';
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { ParameterKind } from '../sweeps/actuator-functions.ts';
import { STEP_TIME } from '../sweeps/robot-function.ts';
import { reachable, type Definition } from '../modules/reachable.ts';
import { INPUTS, isDirection, sizeOf } from '../sweeps/arrays.ts';
import { functionNames, robotFunction, type RobotFunctionName } from '../sweeps/robot-functions.ts';
import { isReadBy } from '../sweeps/sweep-steps.ts';
import { sweepOf, SWEEP_NAMES } from '../sweeps/sweeps.ts';
import type { DriverFunction, Index } from '../drivers/driver-language.ts';
import { applyFunction, baseFunction, sweepFunction } from '../sweeps/function-names.ts';
import { DriverPrinter } from '../drivers/print-driver.ts';
import { baseProgram, frameProgram, motionProgram, wrenchProgram } from '../drivers/robot-programs.ts';
import { typesUsed } from '../drivers/equal-links.ts';
import { provenance } from '../modules/header.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import {
  FRAME_PLACES,
  layOutWorkspace,
  type Part,
  type SharedPart,
  type WorkspaceLayout,
} from '../modules/workspace.ts';
import { commentText, pascalCase } from '../naming/identifiers.ts';
import { driverInterface, driverInterfaceName, membersOf } from './driver-interface.ts';
import { finiteness, isShort } from './finiteness.ts';
import {
  blockName,
  constantsNames,
  languageTypeScript,
  linkFunction,
  partName,
  tangentName,
} from './driver-language.ts';
import { functionsBetweenLinks } from '../drivers/bordering.ts';

/** The module, to be formatted. */
export function driverTypeScript(model: RobotModel): string {
  const layout = layOutWorkspace(model);
  const code = codeOf(model, layout).join('\n\n');
  const statements = code.replace(/\/\*[\s\S]*?\*\//g, '');
  const constants = constantTables(model, statements);
  const body = [...parts(layout, statements), code].join('\n\n');
  return [
    `/**\n${[`Driver of the robot ${commentText(model.robot.name)}: functions of its links in sweeps from the base outwards and back.`, ...provenance(model), '', ...NOTES].map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */`,
    imports(model, body),
    ...constants,
    driverInterface(model),
    `${factory(model)} {\n${body}\n}`,
  ].join('\n\n');
}

/** Functions of link types that the wanted functions of a robot call, by the name of the type. */
export function linkFunctionsCalled(model: RobotModel): ReadonlyMap<string, ReadonlySet<LinkFunctionName>> {
  const code = codeOf(model, layOutWorkspace(model)).join('\n');
  const called = new Set(code.match(/\blink[A-Z]\w*(?=\()/g));
  return new Map(
    model.links.map((link) => [
      link.type.name,
      new Set([...link.has].filter((name) => called.has(linkFunction(link, name)))),
    ]),
  );
}

/** What stands in the factory: the functions of the robot, and no more than they call. */
function codeOf(model: RobotModel, layout: WorkspaceLayout): string[] {
  const printer = new DriverPrinter(model, layout, languageTypeScript(model));
  const prepares = printer.sweep('prepare').some((line) => line.includes('links[i]'));
  const object = `return {\ncoordinates: ${layout.n},\nactuators: ${layout.u},\n${functionNames(model)
    .map((name) => method(name, printer))
    .join(
      '\n',
    )}\nsingularLink: () => refused[0]! - 1,\n${layout.r > 0 ? 'constraintRank: () => loopRank[0]!,\n' : ''}twin: () => ${factoryName(model)}(gravity, check${model.robot.time ? ', time' : ''}${model.setup ? ', setup' : ''}),\n};`;
  const definitions: Definition[] = [
    ...blocks(model, layout),
    { names: ['links'], text: table(model, prepares) },
    { names: ['frames'], text: frames(model, layout) },
    { names: ['staged'], text: 'let staged: Status = KG_NO_STATE;' },
    ...[...accept(layout.n), setUp(model, printer)].map(definitionOf),
    ...[
      ...printer.baseMotions.map((motion) =>
        functionText(baseFunction(motion), BASE_MOTIONS[motion], [], printer.program(baseProgram(model, motion), {})),
      ),
      ...[...printer.entries, ...printer.momenta].map(driverFunction),
      ...sweepFunctions(printer),
      ...printer.formulas.map(({ name, purpose, arrays, lines }) => {
        const parameters = arrays.map((array) => `${array}: ${array === 'at' ? 'number' : arrayType(array)}`);
        return functionText(name, purpose, parameters, lines);
      }),
      ...frameFunctions(printer),
      ...functionsBetweenLinks(printer, languageTypeScript(model), model).map(driverFunction),
    ].map(definitionOf),
  ];
  return [
    ...reachable(definitions, [object]).map(({ text }) => text),
    ...(model.setup && object.includes('setUp()') ? ['keptParameters.fill(NaN);'] : []),
    object,
  ];
}

/** By the name of the function. */
function definitionOf(text: string): Definition {
  return { names: [/^function (\w+)/m.exec(text)![1]!], text };
}

const NOTES = [
  'All that a link computes stands together in its block of one array: a call runs through memory once outwards and',
  "once back. On the way out each link takes the motion from its parent's block and leaves its own in its block; on the",
  "way back it puts its wrench or its composite mass into its parent's block. Nothing is allocated in a call.",
];

/** What callers hand in, what they have computed, and what they may leave out. */
function arrayType(array: string): string {
  if (array === 'u') return 'ArrayLike<number>';
  return /^(y|yd|ydd0|B|A|J)$/.test(array) ? 'Float64Array | null' : 'Float64Array';
}

const ELIMINATION = (
  'addLoadTangent combineAnswers factorLink subtractTangent reduceLink restoreLink moveLink addBorderColumn seedWrench gatherWrench ' +
  'gatherTangent loadTangent seedTangent seedCoordinate factorBorder reachBorder factorMatrix solveMatrix'
).split(' ');

const LOOPS = [
  'addSlopes',
  'closeLoops',
  'distributeForces',
  'keepRopes',
  'slopeSteps',
  'stepYields',
  'stiffTargets',
  'weighSteps',
  'weighYielding',
  'yieldChanges',
  'yieldLoops',
] as const;

/** Only what is used: strict projects take nothing else. */
function imports(model: RobotModel, code: string): string {
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);
  const runtime = [
    'acceptStep',
    'areFinite',
    'finished',
    'KG_CONTRADICTORY',
    'KG_NO_FRAME',
    'KG_NO_STATE',
    'KG_NON_FINITE',
    'KG_OK',
    'KG_SINGULAR',
    'KG_UNDEFINED',
    'mark',
  ];
  const elimination = ELIMINATION.filter(uses);
  const ofLoops = LOOPS.filter(uses);
  const links = typesUsed(model).flatMap((link) => {
    const functions = link.programs
      .map(({ name }) => ({ name: name as LinkFunctionName, local: linkFunction(link, name) }))
      .filter(({ local }) => uses(local));
    if (functions.length === 0) return [];
    const list = functions.map(({ name, local }) => `${name} as ${local}`).join(', ');
    return `import { ${list} } from './link_${link.name}.js';`;
  });
  return [
    `import { ${[...runtime.filter(uses), ...membersOf(model).map(({ of }) => `type ${of}`), 'type Status'].join(', ')} } from './runtime/driver.js';`,
    ...(elimination.length > 0 ? [`import { ${elimination.join(', ')} } from './runtime/elimination.js';`] : []),
    ...(ofLoops.length > 0 ? [`import { ${ofLoops.join(', ')} } from './runtime/loops.js';`] : []),
    ...links,
  ].join('\n');
}

function constantTables(model: RobotModel, code: string): string[] {
  const names = constantsNames(model);
  return [...new Set(names)].flatMap((name) => {
    if (!new RegExp(`\\b${name}\\b`).test(code)) return [];
    const users = model.instances.filter((_, i) => names[i] === name);
    const { constants } = users[0]!;
    if (constants === null) return [];
    const who = users.map((instance) => commentText(instance.name));
    const text = who.length > 3 ? `${who[0]!} … ${who.at(-1)!} (${who.length} links)` : who.join(', ');
    return [`/** ${text} */\nconst ${name} = new Float64Array([${constants.join(', ')}]);`];
  });
}

const factoryName = ({ name }: RobotModel): string => `create${pascalCase(name)}Driver`;

/** `createArmDriver(…)`. */
function factory(model: RobotModel): string {
  const { setup } = model;
  const about =
    ' * @param setup keeps run-time parameters that are not those kept, and evaluates what depends on them: base pose,\n *   frame offsets (12 numbers each), parameters of links. It says whether it did.\n';
  const parameters = [
    'gravity: Float64Array',
    'check: () => Status',
    ...(model.robot.time ? ['time: () => number'] : []),
    ...(setup
      ? [
          'setup: (kept: Float64Array, base: Float64Array, frames: Float64Array, linkParameters: Float64Array) => boolean',
        ]
      : []),
  ];
  return `/**
 * Makes the dynamics of the robot.
 * @param gravity gravitational acceleration in world axes, m/s²; read at every update and one-call function.
 * @param check KG_OK, or why the run-time parameters cannot be used.
${model.robot.time ? ' * @param time in s, asked at the same places.\n' : ''}${setup ? about : ''} */
export function ${factoryName(model)}(${parameters.join(', ')}): ${driverInterfaceName(model)}`;
}

const view = ({ at, size }: Part): string => `workspace.subarray(${at}, ${at + size})`;

/** The workspace and those of its parts that the code uses. */
function parts({ shared, size }: WorkspaceLayout, code: string): string[] {
  const uses = (name: string): boolean => new RegExp(`\\b${name}\\b`).test(code);
  const { at, size: all } = shared.unitWrenches;
  const wrenches = Array.from({ length: all / 6 }, (_, a) => view({ at: at + 6 * a, size: 6 }));
  return [
    [
      `const workspace = new Float64Array(${size});`,
      ...(Object.entries(shared) as [SharedPart, Part][]).flatMap(([name, part]) =>
        uses(partName(name)) && name !== 'staged' ? [`const ${partName(name)} = ${view(part)};`] : [],
      ),
      ...(['placeDrift', 'placeDriftTangent'] as const).flatMap((name) => {
        const { at: first, size: numbers } = shared[`${name}s`];
        const views = Array.from({ length: numbers / 12 }, (_, k) => view({ at: first + 12 * k, size: 12 }));
        return uses(name) ? [`const ${name} = [${views.join(', ')}];`] : [];
      }),
      ...(uses('unitWrench') ? [`const unitWrench = [${wrenches.join(', ')}];`] : []),
    ].join('\n'),
  ];
}

function blocks(model: RobotModel, { links }: WorkspaceLayout): Definition[] {
  return model.instances.flatMap(({ name, constants }, index) => {
    const own = links[index]!;
    const define = (of: string, part: Part, comment = ''): Definition => ({
      names: [of],
      text: `${comment}const ${of} = ${view(part)};`,
    });
    return [
      define(blockName(index), own.block, `/* ${commentText(name)} */\n`),
      ...(own.tangent.size > 0 ? [define(tangentName(index), own.tangent)] : []),
      ...(constants ? [] : [define(`constants${index}`, own.constants), define(`parameters${index}`, own.parameters)]),
      ...(model.parametric ? [define(`parametersTangent${index}`, own.parametersTangent)] : []),
    ];
  });
}

/** @param prepares are links prepared by a loop? */
function table(model: RobotModel, prepares: boolean): string {
  const names = constantsNames(model);
  const types = typesUsed(model);
  const isDriven = model.instances.some(({ actuators }) => actuators.length > 0);
  const rows = model.instances.map(({ link, parent, first, constants, actuators }, index) => {
    const fields = [
      `type: ${types.indexOf(link)}`,
      `constants: ${names[index]!}`,
      ...(prepares ? [`parameters: ${constants ? 'linkParameters' : `parameters${index}`}`] : []),
      `parent: ${blockName(parent)}`,
      `own: ${blockName(index)}`,
      ...(model.derivatives ? [`parentTangent: ${tangentName(parent)}`, `ownTangent: ${tangentName(index)}`] : []),
      ...(model.parametric ? [`parametersTangent: parametersTangent${index}`] : []),
      `first: ${first}`,
      `count: ${link.type.coordinates.length}`,
      `parentIndex: ${parent}`,
      ...(isDriven ? [`actuators: [${actuators.join(', ')}]`] : []),
    ];
    return `{ ${fields.join(', ')} },`;
  });
  return `const links = [\n${rows.join('\n')}\n];`;
}

function frames({ frames: own, places }: RobotModel, { shared }: WorkspaceLayout): string {
  const all = [...own, ...places];
  const offset = ({ offset: numbers }: (typeof all)[number], index: number): string =>
    shared.frameOffsets.size === 0
      ? `new Float64Array([${numbers.join(', ')}])`
      : view({ at: shared.frameOffsets.at + 12 * index, size: 12 });
  const rows = all.map(
    (frame, i) => `{ link: ${frame.link}, block: ${blockName(frame.link)}, offset: ${offset(frame, i)} },`,
  );
  return `const frames = [\n${rows.join('\n')}\n];`;
}

export function accept(n: Index): string[] {
  const general = `/** Adds to a status what numbers of an input are. @throws RangeError when there are too many or too few. */
function accept(status: Status, numbers: ArrayLike<number>, name: string, count = ${n}, of = 'coordinate'): Status {
  if (numbers?.length !== count)
    throw new RangeError(\`\${name}: expected \${count} numbers, one per \${of}, not \${numbers?.length}\`);
  return status === KG_OK && !areFinite(numbers, count) ? KG_NON_FINITE : status;
}`;
  if (typeof n === 'string' || !addsUp(n)) return [general];
  const { lines, finite } = finiteness('ofNumbers', [{ name: 'numbers', size: n }]);
  return [
    general,
    `/** The same of a number per coordinate. */
function acceptCoordinates(status: Status, numbers: ArrayLike<number>, name: string): Status {
  if (status !== KG_OK || numbers?.length !== ${n}) return accept(status, numbers, name);
  ${lines.join('\n')}
  return ${finite} ? KG_OK : KG_NON_FINITE;
}`,
  ];
}

/** Are inputs of a number per coordinate looked at by a function of their own? */
function addsUp(n: Index): boolean {
  return typeof n === 'number' && n > 0 && isShort({ name: 'numbers', size: n });
}

function setUp(model: RobotModel, printer: DriverPrinter): string {
  const { time } = model.robot;
  const given = 'setup(keptParameters, basePose, frameOffsets, linkParameters)';
  const lines = [
    ...[0, 1, 2].map((k) => `stagedGravity[${k}] = gravity[${k}]!;`),
    ...(time ? ['stagedTime[0] = time();'] : []),
    ...(printer.has('takeTime') ? [`${sweepFunction('takeTime')}();`] : []),
    ...(model.setup
      ? printer.has('prepare')
        ? [`const isNew = ${given};`, `if (isNew) ${sweepFunction('prepare')}();`]
        : [`${given};`]
      : []),
  ];
  return `/** Takes gravity${time ? ', the time' : ''} and run-time parameters. @returns why they cannot be used, otherwise KG_OK. */
function setUp(): Status {
  const status = check();
  if (status !== KG_OK) return status;
  ${lines.join('\n  ')}
  return KG_OK;
}`;
}

export function functionText(
  name: string,
  purpose: string,
  parameters: readonly string[],
  lines: readonly string[],
): string {
  const body = lines.join('\n');
  const list = parameters.map((p) => (new RegExp(`\\b${p.replace(/:.*/, '')}\\b`).test(body) ? p : `_${p}`));
  return `/** ${purpose} */\nfunction ${name}(${list.join(', ')}): void {\n${body}\n}`;
}

function framePose(printer: DriverPrinter): string {
  const lines = printer.program(frameProgram(), {
    read: ({ buffer, index }) => `${buffer}[${buffer === 'pose' ? index + FRAME_PLACES.motion : index}]!`,
  });
  return functionText(
    'framePose',
    'World pose of a frame from that of its link.',
    ['index: number', 'R: Float64Array | null', 't: Float64Array | null'],
    ['const { block: pose, offset } = frames[index]!;', ...lines],
  );
}

function applyWrench(printer: DriverPrinter, axes: 'world' | 'frame'): string {
  const lines = printer.program(wrenchProgram(axes), {
    read: ({ buffer, index }) => (buffer === 'pose' ? `own[${FRAME_PLACES.motion + index}]!` : `${buffer}[${index}]!`),
    write: ({ index }) => `own[${FRAME_PLACES.wrench + index}]`,
  });
  return functionText(
    applyFunction(axes),
    `A wrench on a frame, in axes of the ${axes}, to its link.`,
    ['index: number', 'wrench: ArrayLike<number>'],
    ['const { block: own, offset } = frames[index]!;', ...lines],
  );
}

function frameMotion(printer: DriverPrinter): string {
  const lines = printer.program(motionProgram(), {
    read: ({ buffer, index }) => `${buffer}[${buffer === 'pose' ? index + FRAME_PLACES.motion : index}]!`,
  });
  return functionText(
    'frameMotion',
    'Motion of a frame from pose and motion of its link.',
    ['index: number', 'drift: ArrayLike<number>', 'velocity: Float64Array | null', 'bias: Float64Array | null'],
    ['const { block: pose, offset } = frames[index]!;', ...lines],
  );
}

const TYPES: Readonly<Record<ParameterKind, string>> = {
  index: 'number',
  number: 'number',
  read: 'ArrayLike<number>',
  handed: 'Float64Array',
  direction: 'ArrayLike<number> | null',
  written: 'Float64Array',
  wanted: 'Float64Array | null',
};

export function driverFunction({ name, purpose, parameters, lines }: DriverFunction): string {
  const typed = Object.entries(parameters).map(([parameter, kind]) => `${parameter}: ${TYPES[kind]}`);
  return functionText(name, purpose, typed, lines);
}

/** Sweeps over links. */
export function sweepFunctions(printer: DriverPrinter): string[] {
  return SWEEP_NAMES.filter((name) => printer.has(name)).map((name) => {
    const { purpose, arrays, upTo, from, at, numbers = [] } = sweepOf(name);
    const isRead = (array: string): boolean => isReadBy(sweepOf(name), array);
    const typeOf = (array: string): string => (isDirection(array) ? 'ArrayLike<number> | null' : 'ArrayLike<number>');
    const parameters = arrays.map((array) => `${array}: ${isRead(array) ? typeOf(array) : arrayType(array)}`);
    const all = [
      ...(upTo ? ['last: number'] : []),
      ...(from ? ['start: number'] : []),
      ...(at ? ['at: number'] : []),
      ...numbers.map((name) => `${name}: number`),
      ...parameters,
    ];
    return functionText(sweepFunction(name), purpose, all, printer.sweep(name));
  });
}

/** What drivers do with frames, and on ways from a link to the base. */
export function frameFunctions(printer: DriverPrinter): string[] {
  return [
    framePose(printer),
    applyWrench(printer, 'world'),
    applyWrench(printer, 'frame'),
    functionText(
      'keepDrift',
      'Motion of a link, whose place its pose will take.',
      ['link: number', 'to: Float64Array'],
      [
        'const from = link < 0 ? base : links[link]!.own;',
        `for (let k = 0; k < 12; k++) to[k] = from[${FRAME_PLACES.motion} + k]!;`,
      ],
    ),
    frameMotion(printer),
    functionText(
      'jacobian',
      'Columns of the Jacobian of the frame whose pose was asked for last, of a link and of all that carry it.',
      ['link: number', 'J: Float64Array'],
      printer.walks.jacobian(),
    ),
    functionText(
      'transmit',
      'Adds what a wrench on a link does on its coordinates, and on those of all that carry it.',
      ['link: number', 'stop: number', 'tau: Float64Array', 'at: number', 'stride: number'],
      printer.walks.transmit(),
    ),
  ];
}

/** The status of a call with one output. */
function finish(call: string, name: string, size: number | string): string[] {
  const otherwise = `return finished(${name}, ${size}, '${call}, ${name}');`;
  if (typeof size === 'string' || !isShort({ name, size })) return [otherwise];
  const { lines, finite } = finiteness('ofOutputs', [{ name, size }]);
  return [...lines, `if (${finite}) return KG_OK;`, otherwise];
}

/** A function of the robot, as a member of what the factory returns. */
export function method(name: RobotFunctionName, printer: DriverPrinter, frameCount: Index = printer.frames): string {
  const { state, inputs, ofFrame, ofLink, ofColumns, numbers = [], outputs } = robotFunction(name);
  const ready = state === 'staged' ? 'staged' : 'setUp()';
  const weights = numbers.filter((number) => number !== STEP_TIME);
  const areFinite = weights.map((number) => `Number.isFinite(${number})`).join(' && ');
  const usable = areFinite
    ? `${ready} === KG_OK && !${weights.length > 1 ? `(${areFinite})` : areFinite} ? KG_NON_FINITE : ${ready}`
    : ready;
  const first = weights.length < numbers.length ? `acceptStep(${usable}, ${STEP_TIME})` : usable;
  const accepted = inputs.map((input) => {
    const size = INPUTS[input];
    const named = `${input}, '${name}, ${input}'`;
    if (isDirection(input))
      return `if (${input} !== null) status = accept(status, ${named}, ${sizeOf(size, printer)}, 'entry');`;
    if (size === 'n') return `status = ${addsUp(printer.n) ? 'acceptCoordinates' : 'accept'}(status, ${named});`;
    const of = input === 'u' ? 'actuator' : 'entry';
    return `status = accept(status, ${named}, ${sizeOf(size, printer)}, '${of}');`;
  });
  const refusal = [
    ...(state === 'staged' || !printer.stages ? [] : ['staged = KG_NO_STATE;']),
    ...(ofFrame
      ? [
          `if (frames[index] === undefined || index >= ${frameCount}) return KG_NO_FRAME;`,
          'const { link } = frames[index];',
        ]
      : []),
    ...(ofLink ? [`if (!(link >= 0 && link < ${printer.links})) return KG_NO_FRAME;`] : []),
    `${accepted.length > 0 ? 'let' : 'const'} status = ${first};`,
    ...accepted,
    ...(state === 'stages' ? ['staged = status;'] : []),
    'if (status !== KG_OK) return status;',
  ];
  const sized = outputs.map(({ name: output, size }) => ({ output, size: sizeOf(size, printer) }));
  const conclusion =
    sized.length === 0
      ? ['return KG_OK;']
      : sized.length === 1
        ? finish(name, sized[0]!.output, sized[0]!.size)
        : [
            ...sized.map(({ output, size }, i) => {
              const isFinite = `areFinite(${output}, ${size}, '${name}, ${output}')`;
              return i === 0 ? `let finite = ${isFinite};` : `finite = ${isFinite} && finite;`;
            }),
            'if (finite) return KG_OK;',
            ...sized.map(({ output, size }) => `mark(${output}, ${size});`),
            'return KG_UNDEFINED;',
          ];
  const indices = [ofColumns && 'columns', ...numbers, ofFrame && 'index', ofLink && 'link'].filter(Boolean);
  const parameters = [...indices, ...inputs, ...outputs.map((output) => output.name)];
  return `${name}(${parameters.join(', ')}) {\n${[...refusal, ...printer.actions(name), ...conclusion].join('\n')}\n},`;
}
