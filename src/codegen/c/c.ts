/**
 * The C99 target: a module per link type, a module for the robot, the run time, CMakeLists.txt and a self-test, all from
 * templates around printed arithmetic. `float` or `double` by the macro KG_SINGLE.
 */
import { dependsOnTime, type Robot } from '../../description/model/robot.ts';
import { LINK_FUNCTIONS, type LinkFunctionName } from '../../kane/link/kernels.ts';
import type { CompiledRobot } from '../../kane/link/link-type.ts';
import {
  inverseFactorial,
  inverseProduct,
  MAXIMUM_STUMPFF_ORDER,
  seriesTerms,
  TERMS_ABOVE,
} from '../../runtime/stumpff.ts';
import { robotFunction, ROBOT_FUNCTION_NAMES } from '../drivers/description.ts';
import { packageFile } from '../modules/assets.ts';
import { driverC, linkFunctionName, robotPrototype } from './driver-c.ts';
import { cTarget, literal, plainTarget, signedLiteral } from './target.ts';
import { laneLoopsOf, laneStatements, printLaneLoop } from './lane-loops.ts';
import { lanesData } from './lane-statements.ts';
import { costText } from '../printing/cost-text.ts';
import { linkHeader, provenance, rangeText, robotHeader } from '../modules/header.ts';
import { commentText, distinct, identifier, snakeCaseOf, wrapped } from '../programs/names.ts';
import { networkBuffersC, networksOf, networkTablesC } from '../printing/network-calls.ts';
import { printProgram, type Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import { tablesRead } from '../programs/row-tables.ts';
import { integralFunctionC, integratedTables } from '../printing/row-integrals.ts';
import { sineCosineFunctionC, useSineCosine } from '../printing/sine-cosine.ts';
import type { LoopStatement } from '../programs/statement.ts';
import {
  printWithinTime,
  robotModel,
  type GeneratedFile,
  type InstanceModel,
  type LinkModel,
  type RobotModel,
} from '../modules/robot-model.ts';
import { stumpffFunctionC, stumpffSetsOf, stumpffTableC } from '../printing/stumpff-functions.ts';
import { VERSION } from '../modules/version.ts';
import { hasBatchForm, type StraightModel } from '../whole-robot/straight-model.ts';
import { bufferStarts, layOutWorkspace, regionSignature, type WorkspaceLayout } from '../modules/workspace.ts';

/**
 * Everything that a folder of generated C holds, but for the straight-line functions themselves (see straight-c.ts).
 * Deterministic: equal robots give equal bytes.
 * @param straight functions that the build and the self-test take in.
 */
export async function generateC(
  robot: Robot,
  compiled: CompiledRobot,
  straight?: StraightModel,
): Promise<GeneratedFile[]> {
  const render = await loadTemplates();
  const model = robotModel(robot, compiled);
  const layout = layOutWorkspace(model);
  const data = {
    ...robotData(model, layout, straight),
    provenance: provenance(model),
    name: model.name,
    n: layout.n,
    straightTests: straight ? render('straight-test.c', straightData(straight)) : '',
    straightCalls: straight ? straightTestCalls(straight) : [],
  };
  const linkFiles = model.links.flatMap((link) => {
    const own = printWithinTime(model, link, () => linkData(model, layout, link, render));
    return ['h', 'c'].map((kind) => ({ path: `${linkFile(link)}.${kind}`, text: render(`link.${kind}`, own) }));
  });
  return [
    { path: `${model.name}.h`, text: render('robot.h', data) },
    { path: `${model.name}.c`, text: render('robot.c', data) },
    ...linkFiles,
    { path: 'kanegen_runtime.h', text: render('kanegen_runtime.h', runtimeData()) },
    { path: 'kanegen_runtime.c', text: render('kanegen_runtime.c', runtimeData()) },
    ...(callsNetworks(model) ? ['h', 'c'].map((kind) => networkFile(kind, render)) : []),
    { path: 'CMakeLists.txt', text: render('CMakeLists.txt', data) },
    ...(layout.n > 0 ? [{ path: `${model.name}_selftest.c`, text: render('selftest.c', data) }] : []),
  ];
}

/** A program that evaluates states from standard input, for tests and for `evaluate`; see its template. */
export async function evaluatorSource(
  robot: Robot,
  compiled: CompiledRobot,
  straight?: StraightModel,
): Promise<GeneratedFile> {
  const render = await loadTemplates();
  const model = robotModel(robot, compiled);
  const data = {
    name: model.name,
    upper: model.name.toUpperCase(),
    n: robot.coordinates.length,
    nu: robot.actuators.length,
    time: dependsOnTime(robot),
    straight: straight && straightData(straight, '&parameters'),
  };
  return { path: `${model.name}_evaluate.c`, text: render('evaluate.c', data) };
}

export type Render = (template: string, data: object) => string;

export async function loadTemplates(): Promise<Render> {
  const { Eta } = await import('eta');
  const eta = new Eta({ autoEscape: false, autoTrim: [false, 'nl'], cache: true });
  return (template, data) => eta.renderString(packageFile(`templates/c/${template}.eta`), data);
}

// ---------------------------------------------------------------------------------------------- arithmetic

/** With lanes in the loops that have them. */
function programTarget(program: Program): Target {
  const loops = new Set(laneLoopsOf(program));
  return {
    ...plainTarget,
    lanes: (statement, scalar) => (loops.has(statement) ? printLaneLoop(statement, scalar, plainTarget) : undefined),
  };
}

// ---------------------------------------------------------------------------------------------- link modules

function linkFile(link: LinkModel): string {
  return `link_${link.name}`;
}

function linkData(model: RobotModel, layout: WorkspaceLayout, link: LinkModel, render: Render): object {
  const { staged } = link;
  const symbol = `${model.name}_link_${link.name}`;
  const called = networksOf(link.programs);
  const laneLoops = link.programs.flatMap((program) => laneLoopsOf(program));
  return {
    header: linkHeader(model, link).map(commentLine),
    provenance: provenance(model),
    guard: `${symbol.toUpperCase()}_H`,
    file: linkFile(link),
    prototypes: link.programs.map(({ name }) => ({
      linked: linkedName(model, linkFunctionName(model, link, name), layout),
      comment: LINK_FUNCTIONS[name as LinkFunctionName].purpose,
      text: linkPrototype(model, link, name as LinkFunctionName),
    })),
    networks: called.networks.length > 0,
    lanes: laneLoops.length > 0 ? render('lanes.c', laneData(laneLoops)).trimEnd() : '',
    functions: [
      ...tablesRead(staged, link.programs).map(tableC),
      ...integratedTables(link.programs).map((table) =>
        integralFunctionC(table, (name, values) => tableC({ name, values }).trimEnd()),
      ),
      ...networkTablesC(called, signedLiteral),
      ...stumpffSetsOf(link.programs).map((set) => stumpffFunctionC(set, plainTarget)),
      ...(useSineCosine(link.programs) ? [sineCosineFunctionC(plainTarget)] : []),
      ...link.programs.flatMap((program) => linkFunctions(model, link, program)),
    ],
  };
}

function laneData(loops: readonly LoopStatement[]): object {
  const hasSums = loops.some((loop) => loop.sums.length > 0);
  const hasStores = loops.some((loop) => loop.writes.length > 0);
  return lanesData(loops.flatMap(laneStatements), { inLoops: true, hasSums, hasStores });
}

function tableC({ name, values }: { readonly name: string; readonly values: readonly number[] }): string {
  const rows = rowsOf(values.map(signedLiteral), 4).map((line) => `  ${line}`);
  return `static const kg_real ${name}[${values.length}] = {\n${rows.join('\n')}\n};\n`;
}

/** Declaration of a function of a link type, as C++ reads it, too. */
function linkPrototype(model: RobotModel, link: LinkModel, name: LinkFunctionName): string {
  const { regions, written } = regionSignature(name);
  const list = regions.map((region) => `${written.has(region) ? '' : 'const '}kg_real *${snakeCaseOf(region)}`);
  const head = `void ${linkFunctionName(model, link, name)}(`;
  const short = `${head}${list.join(', ')});`;
  return short.length <= 120 ? short : `${head}\n    ${wrapped(list.join(', '), 112).join('\n    ')});`;
}

function linkFunctions(model: RobotModel, link: LinkModel, program: Program): string[] {
  const { parts, scratchSize } = printProgram(program, programTarget(program));
  const purpose = `${LINK_FUNCTIONS[program.name as LinkFunctionName].purpose} ${costText(program.counts)}.`;
  const name = linkFunctionName(model, link, program.name);
  const parameters = parametersOf(program);
  if (parts.length === 1)
    return [cFunction(`void ${name}`, purpose, parameters, [...buffersIn(link, program, parts[0]!), ...parts[0]!])];
  const scratch = { name: 'scratch', type: 'kg_real *restrict ' };
  const passed = parameters.map((parameter) => parameter.name).join(', ');
  const part = (i: number): string => `${program.name}_part${i + 1}`;
  const calls = parts.map((_, i) => `${part(i)}(${passed}, scratch);`);
  return [
    ...parts.map((lines, i) =>
      cFunction(
        `static void ${part(i)}`,
        `Part ${i + 1} of ${program.name}.`,
        [...parameters, scratch],
        [...buffersIn(link, program, lines), ...lines],
      ),
    ),
    cFunction(`void ${name}`, purpose, parameters, [`kg_real scratch[${scratchSize}];`, ...calls]),
  ];
}

interface CParameter {
  readonly name: string;
  readonly type: string;
}

function parametersOf(program: Program): CParameter[] {
  const { regions, written } = regionSignature(program.name as LinkFunctionName);
  return regions.map((region) => ({
    name: snakeCaseOf(region),
    type: `${written.has(region) ? '' : 'const '}kg_real *restrict `,
  }));
}

/** Declarations of the buffers in blocks that the statements refer to. */
function buffersIn(link: LinkModel, program: Program, lines: readonly string[]): string[] {
  const body = lines.join('\n');
  const starts = bufferStarts(link.staged, program.name as LinkFunctionName);
  return [...starts].flatMap(([buffer, { region, index }]) => {
    const name = snakeCaseOf(buffer);
    if (region === buffer || !new RegExp(`\\b${name}\\[`).test(body)) return [];
    const isWritten = program.writes.includes(buffer) || lines.some((line) => line.trimStart().startsWith(`${name}[`));
    const qualifier = isWritten ? '' : 'const ';
    return [`${qualifier}kg_real *const ${name} = ${snakeCaseOf(region)} + ${index};`];
  });
}

/** @param head type and name. */
function cFunction(head: string, purpose: string, parameters: readonly CParameter[], lines: readonly string[]): string {
  const body = lines.join('\n');
  const unused = parameters.filter((p) => !new RegExp(`\\b${p.name}\\b`).test(body)).map((p) => `(void)${p.name};`);
  const local = [...stumpffTableC(lines), ...networkBuffersC(lines)];
  const list = parameters.map((p) => p.type + p.name);
  const short = `${head}(${list.join(', ')})`;
  const whole = short.length <= 120 ? short : `${head}(\n${list.map((p) => `  ${p}`).join(',\n')})`;
  const comment = wrapped(purpose, 114).map((line, i) => (i === 0 ? `/* ${line}` : ` * ${line}`));
  const statements = [...local, ...lines, ...unused].map((line) => `  ${line}`);
  return `${comment.join('\n')} */\n${whole}\n{\n${statements.join('\n')}\n}\n`;
}

// ---------------------------------------------------------------------------------------------- robot module

/** Comments may hold anything but the end of a comment; keep to what every compiler reads. */
export function commentLine(line: string): string {
  return line.replace(/\*\//g, '* /').replace(/\/\*/g, '/ *');
}

function quoted(text: string): string {
  const escaped = [...text]
    .map((c) => (/[ -~]/.test(c) && c !== '"' && c !== '\\' && c !== '?' ? c : octal(c)))
    .join('');
  return `"${escaped}"`;
}

function octal(character: string): string {
  return [...Buffer.from(character, 'utf8')].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join('');
}

function limit(value: number | undefined, missing: string): string {
  return value === undefined ? missing : signedLiteral(value);
}

function rowsOf(values: readonly string[], width: number): string[] {
  const rows: string[] = [];
  for (let i = 0; i < values.length; i += width) rows.push(`${values.slice(i, i + width).join(', ')},`);
  return rows;
}

/** What templates that call straight-line functions know of them. */
function straightData({ robot, functions, parameters }: StraightModel, kept = `&${robot.name}_defaults`): object {
  return {
    name: robot.name,
    symbol: `${robot.name}_straight`,
    has: functions.map((f) => f.name),
    p: parameters.length > 0 ? `${kept}, ` : '',
  };
}

function straightTestCalls({ functions }: StraightModel): string[] {
  const differentiates = functions.some((f) => f.name === 'inverseDynamicsDerivatives');
  const guarded = ['#ifndef KG_SINGLE', '    test_straight_derivatives(state, q, qd, qdd);', '#endif'];
  return ['    test_straight(state, q, qd, qdd);', ...(differentiates ? guarded : [])];
}

function robotData(model: RobotModel, layout: WorkspaceLayout, straight: StraightModel | undefined): object {
  const { robot } = model;
  const upper = model.name.toUpperCase();
  const coordinateNames = distinct(
    robot.coordinates.map((c) => c.name),
    (name) => identifier(name).toUpperCase(),
  );
  const actuatorNames = distinct(
    robot.actuators.map((actuator) => actuator.name),
    (name) => identifier(name).toUpperCase(),
  );
  const frameNames = distinct(
    model.frames.map((f) => f.name),
    (name) => identifier(name).toUpperCase(),
  );
  const tables = tablesOf(model, layout);
  const setup = setupLines(model, layout);
  const driver = driverC(model, layout, (instance) => tables.nameOf(instance));
  return {
    upper,
    header: robotHeader(model).map(commentLine),
    guard: `${upper}_H`,
    work: layout.size,
    sizes: [
      ['NQ', layout.n],
      ['NU', layout.u],
      ['FRAMES', model.frames.length],
      ['TIP', robot.tip],
      ['WORK', layout.size],
    ],
    abi: `0x${abiText(model, layout)}`,
    linked: LINKED.filter((end) => end !== 'inputs' || layout.u > 0).map((end) =>
      linkedName(model, `${model.name}_${end}`, layout),
    ),
    check: checkLines(model),
    coordinates: coordinateNames.map((name, i) => `${upper}_Q_${name} = ${i}`),
    actuators: actuatorNames.map((name, i) => `${upper}_U_${name} = ${i}`),
    inputs: inputsOf(model),
    nu: layout.u,
    frames: frameNames.map((name, i) => `${upper}_FRAME_${name} = ${i}`),
    parameters: model.parameters.map((p) => ({
      name: p.name,
      text: `${commentText(p.summary) || p.name} [${commentText(p.unit)}]`,
      range: rangeText(p),
    })),
    includes: model.links.map(linkFile),
    defaults: [
      `{${robot.gravity.map(signedLiteral).join(', ')}}`,
      ...model.parameters.map((p) => signedLiteral(p.value)),
    ],
    signals: signalsOf(model),
    frameNames: model.frames.map((f) => quoted(f.name)),
    linkNames: model.instances.map(({ name }) => quoted(name)),
    refused: layout.shared.refused.at,
    frameLinks: [...model.frames, ...model.places].map((f) => f.link),
    tables: tables.list,
    hasOpenLinks: model.instances.some(({ constants }) => constants === null),
    driver,
    prototypes: ROBOT_FUNCTION_NAMES.map((name) => ({
      purpose: robotFunction(name).purpose,
      text: robotPrototype(model, name),
    })),
    gravity: layout.shared.gravity.at,
    prepares: model.instances.some(({ constants }) => constants === null),
    setup: setup.lines,
    robotFunctions: useSineCosine([...(model.setup ? [model.setup] : []), ...driver.formulas])
      ? [sineCosineFunctionC(plainTarget)]
      : [],
    setupCounts: setup.counts,
    selftestHeader: straight ? `${model.name}_straight.h` : `${model.name}.h`,
    sources: [
      `${model.name}.c`,
      ...(straight ? [`${model.name}_straight.c`] : []),
      ...(straight && hasBatchForm(straight) ? [`${model.name}_straight_batch.c`] : []),
      ...model.links.map((link) => `${linkFile(link)}.c`),
      'kanegen_runtime.c',
      ...(callsNetworks(model) ? ['kanegen_network.c'] : []),
    ],
  };
}

function signalsOf(model: RobotModel): string[][] {
  const signals = model.robot.coordinates.map((c) => [
    quoted(c.name),
    quoted(c.unit),
    signedLiteral(c.value),
    limit(c.lower, '-KG_LARGEST'),
    limit(c.upper, 'KG_LARGEST'),
  ]);
  return signals.length > 0 ? signals : [['""', '""', literal(0), literal(0), literal(0)]];
}

/** Inputs of the actuators; none is at rest but zero. */
function inputsOf({ robot }: RobotModel): string[][] {
  return robot.actuators.map(({ name, unit, lower, upper }) => [
    quoted(name),
    quoted(unit),
    literal(0),
    limit(lower, '-KG_LARGEST'),
    limit(upper, 'KG_LARGEST'),
  ]);
}

interface ConstantTable {
  readonly name: string;
  readonly comment: string;
  readonly size: number;
  readonly rows: readonly string[];
}

/** Tables of constants, each once: equal links share theirs. Base pose and frame offsets unless made at run time. */
function tablesOf(
  model: RobotModel,
  layout: WorkspaceLayout,
): { list: ConstantTable[]; nameOf(instance: InstanceModel): string } {
  const names = new Map<readonly number[], string>();
  const list: ConstantTable[] = [];
  const table = (name: string, comment: string, values: readonly number[], width: number): void => {
    list.push({ name, comment, size: values.length, rows: rowsOf(values.map(signedLiteral), width) });
  };
  for (const { constants, link, name } of model.instances) {
    if (!constants || constants.length === 0 || names.has(constants)) continue;
    names.set(constants, `constants_${names.size + 1}`);
    const users = model.instances.filter((other) => other.constants === constants).length;
    table(
      names.get(constants)!,
      commentText(`${link.name}: ${name}${users > 1 ? ` and ${users - 1} more` : ''}`),
      constants,
      3,
    );
  }
  if (layout.shared.frameOffsets.size === 0)
    table(
      'frame_offsets',
      'Frames on their links: rotation, origin',
      [...model.frames, ...model.places].flatMap((f) => f.offset),
      3,
    );
  const nameOf = ({ constants }: InstanceModel): string =>
    constants ? (names.get(constants) ?? 'no_constants') : 'NULL';
  if (model.instances.some((instance) => nameOf(instance) === 'no_constants'))
    table('no_constants', 'links without constants', [0], 1);
  return { list, nameOf };
}

function setupLines(model: RobotModel, layout: WorkspaceLayout): { lines: string[]; counts: string } {
  if (!model.setup) return { lines: [], counts: '' };
  const starts: Record<string, number> = {
    base: layout.shared.basePose.at,
    frames: layout.shared.frameOffsets.at,
    linkParameters: layout.shared.linkParameters.at,
  };
  const target = cTarget((buffer, index) =>
    buffer === 'p' ? `p->${model.parameters[index]!.name}` : `w[${starts[buffer]! + index}]`,
  );
  return { lines: printProgram(model.setup, target, Infinity).parts[0]!, counts: `${costText(model.setup.counts)}.` };
}

/** What the module of a robot defines for others, after the robot's name. */
const LINKED = ['defaults', 'coordinates', 'inputs', 'frames', 'links', ...ROBOT_FUNCTION_NAMES.map(snakeCaseOf)];

/** Gravity and all parameters finite, then within their bounds. */
function checkLines({ parameters }: RobotModel): string[] {
  const finite = ['kg_finite(p->gravity, 3)', ...parameters.map(({ name }) => `kg_finite(&p->${name}, 1)`)];
  const outside = parameters.flatMap(({ name, lower, upper }) => [
    ...(lower === undefined ? [] : [`p->${name} < ${signedLiteral(lower)}`]),
    ...(upper === undefined ? [] : [`p->${name} > ${signedLiteral(upper)}`]),
  ]);
  return [
    ...finite.flatMap((isFinite) => [`if (!${isFinite})`, '  return KG_NON_FINITE;']),
    ...outside.flatMap((isOutside) => [`if (${isOutside})`, '  return KG_OUT_OF_RANGE;']),
  ];
}

/** The preprocessor's line by which a name ends in precision and ABI wherever it is linked. */
export function linkedName(model: RobotModel, symbol: string, layout = layOutWorkspace(model)): string {
  const [head, tail] = [`#define ${symbol}`, `KG_LINKED(${symbol}, ${abiText(model, layout)})`];
  return head.length + tail.length < 120 ? `${head} ${tail}` : `${head} \\\n  ${tail}`;
}

/** Hexadecimal, as C reads it after `0x` and the ends of linked names have it. */
function abiText(model: RobotModel, layout: WorkspaceLayout): string {
  return signature(model, layout).toString(16).padStart(8, '0');
}

/** 31-bit FNV-1a hash of everything that callers see by name, order or size. */
function signature(model: RobotModel, layout: WorkspaceLayout): number {
  const seen = [
    model.robot.coordinates.map((c) => [c.name, c.unit]),
    model.robot.actuators.map((actuator) => [actuator.name, actuator.unit]),
    model.frames.map((f) => f.name),
    model.parameters.map((p) => [p.name, p.unit]),
    layout.size,
  ];
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(JSON.stringify(seen), 'utf8')) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return hash >>> 1;
}

// ---------------------------------------------------------------------------------------------- run time

/** The run time of learned maps, for robots that have some. */
function networkFile(kind: string, render: Render): GeneratedFile {
  const path = `kanegen_network.${kind}`;
  return { path, text: render(path, { version: VERSION }) };
}

function callsNetworks({ links }: RobotModel): boolean {
  return links.some((link) => networksOf(link.programs).networks.length > 0);
}

function runtimeData(): object {
  const orders = Array.from({ length: MAXIMUM_STUMPFF_ORDER + 1 }, (_, k) => k);
  const numbers = (values: Iterable<number>): string[] => rowsOf([...values].map(literal), 3);
  return {
    version: VERSION,
    suffix: VERSION.replace(/[^A-Za-z0-9]+/g, '_'),
    functions: ['stumpff', 'sign'],
    maximum: MAXIMUM_STUMPFF_ORDER,
    termsAbove: TERMS_ABOVE,
    inverseFactorial: numbers(inverseFactorial),
    inverseProduct: numbers(inverseProduct.slice(2)),
    termsDouble: rowsOf(
      orders.map((k) => String(seriesTerms(k, 2e-17))),
      16,
    ),
    termsSingle: rowsOf(
      orders.map((k) => String(seriesTerms(k, 1e-8))),
      16,
    ),
  };
}
