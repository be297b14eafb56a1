/**
 * The TypeScript target: a module per link type, a module for the robot, and the run time beside them. Arithmetic is
 * printed ready formatted, what stands around it is laid out by `layout.ts`, controllers and what that does not know by
 * prettier.
 */
import { host } from '#host';
import { bristleParameters, contactPairs, PAIR_PARTS } from '../../description/model/contact.ts';
import type { Robot } from '../../description/model/robot.ts';
import { requireDoubles } from '../../symbolic/evaluation/double.ts';
import type { Buffer } from '../../kane/kernels/buffers.ts';
import { LINK_FUNCTIONS, type LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import { observerHeader, shellHeader } from '../controllers/controller-header.ts';
import { controllersOf, runTimeUses, SHARED_FUNCTIONS, sharedFunctions } from '../controllers/controller-model.ts';
import { observersOf } from '../controllers/observer-model.ts';
import { runTimeTypeScript } from '../controllers/run-time.ts';
import { packageFile } from '../modules/assets.ts';
import { controllerTypeScript, recordTypeScript } from './controller-typescript.ts';
import { generateStraightTypeScript } from './straight-typescript.ts';
import { absentText, hasRobotFunction, integratorsOf } from '../sweeps/robot-functions.ts';
import { callStumpff } from '../whole-robot/straight-model.ts';
import { costText } from '../printing/cost-text.ts';
import { linkHeader, rangeText, robotHeader } from '../modules/header.ts';
import { camelCase, commentText, pascalCase, wrapped } from '../naming/identifiers.ts';
import { driverInterfaceName } from './driver-interface.ts';
import { driverTypeScript } from './driver-typescript.ts';
import { commentsWithinColumns, layOut } from './layout.ts';
import { rowIndex, typescriptTarget } from './target.ts';
import { callsNetworks, networksOf, networkTablesTypeScript, type NetworksCalled } from '../printing/network-calls.ts';
import type { Place } from '../operations/operation.ts';
import { printProgram, withoutComments, type Target } from '../printing/print-arithmetic.ts';
import type { Program } from '../programs/program.ts';
import { tableArrayName, tablesRead } from '../programs/row-tables.ts';
import {
  printWithinTime,
  linksOf,
  modulesOfLinks,
  robotModel,
  type GeneratedFile,
  type LinkModel,
  closesLoops,
  loopRows,
  type RobotModel,
  withFields,
} from '../modules/robot-model.ts';
import { integralCallTypeScript, integralFunctionTypeScript, integratedTables } from '../printing/row-integrals.ts';
import { stumpffRoom } from '../../runtime/stumpff.ts';
import { stumpffTops } from '../programs/statement.ts';
import { stumpffFunctionTypeScript, stumpffSetsOf } from '../printing/stumpff-functions.ts';
import { BLOCK, bufferStarts, FRAME_PLACES, ownBuffers, placeOf, regionSignature } from '../modules/workspace.ts';
import { checkFunction, checkStatuses, comment } from './checks.ts';

const generated = new WeakMap<RobotModel, Promise<readonly GeneratedFile[]>>();

/** Everything a folder of generated TypeScript holds. Deterministic: equal robots give equal bytes. Written once for a compiled robot. */
export async function generateTypeScript(robot: Robot, compiled: CompiledRobot): Promise<GeneratedFile[]> {
  const model = robotModel(robot, compiled);
  const files = generated.get(model) ?? written(model);
  generated.set(model, files);
  // What failed is tried again.
  files.catch(() => generated.delete(model));
  return [...(await files)];
}

async function written(model: RobotModel): Promise<readonly GeneratedFile[]> {
  const shared = sharedFunctions(controllersOf(model));
  return [
    { path: `${model.name}.ts`, text: await laidOut(robotModule(model)) },
    { path: `${model.name}_driver.ts`, text: await laidOut(driverTypeScript(model)) },
    ...modulesOfLinks(model).map((link) => ({
      path: `link_${link.name}.ts`,
      text: printWithinTime(model, link, () => linkModule(model, link)),
    })),
    ...(await Promise.all(
      controllersOf(model).flatMap((own, _, all) => [
        formatted(`${own.name}.ts`, controllerTypeScript(own)),
        ...(own.shell ? [formatted(`${own.shell.name}.ts`, recordTypeScript(own.shell, all, shellHeader(own)))] : []),
      ]),
    )),
    ...(await Promise.all(
      observersOf(model).map((own) => formatted(`${own.name}.ts`, recordTypeScript(own, [], observerHeader(own)))),
    )),
    ...(shared ? [generateStraightTypeScript(shared, SHARED_FUNCTIONS)] : []),
    ...runTimeTypeScript(runTimeUses(model)),
    ...[
      'driver',
      ...(usesStumpff(model) ? ['stumpff'] : []),
      ...(model.derivatives ? ['elimination'] : []),
      ...(closesLoops(model) ? ['loops'] : []),
      ...integratorsOf(model).map((name) => name.replace('_', '-')),
      ...(callsNetworks(model.links) ? ['network'] : []),
    ].map((name) => ({
      path: `runtime/${name}.ts`,
      text: runTimeFile(name),
    })),
  ];
}

async function formatted(path: string, text: string): Promise<GeneratedFile> {
  return { path, text: await host.format(text) };
}

/** A file of the run time as it stands beside generated modules. */
export function runTimeFile(name: string): string {
  return packageFile(`src/runtime/${name}.ts`).replace(/from '\.\/([\w-]+)\.ts'/g, "from './$1.js'");
}

function usesStumpff(model: RobotModel): boolean {
  const ofControllers = controllersOf(model).flatMap(({ straight, shared }) =>
    [straight, shared].flatMap((own) => own ?? []),
  );
  return stumpffSetsOf(model.links.flatMap(({ programs }) => programs)).length > 0 || ofControllers.some(callStumpff);
}

/** Printed statements, formatted. */
export async function laidOut(text: string): Promise<string> {
  return commentsWithinColumns(layOut(text) ?? (await host.format(text)));
}

// ---------------------------------------------------------------------------------------------- link modules

function namesFromNetworks({ tapeSize }: NetworksCalled): string {
  return ['evaluateNetwork', ...(tapeSize > 0 ? ['transposeNetwork'] : []), 'type NetworkLayer'].join(', ');
}

/** A module of a link type, formatted. */
export function linkModule(model: RobotModel, link: LinkModel): string {
  const printed = link.programs.map((program) => ({ program, ...printProgram(program, linkTarget(link, program)) }));
  const tops = link.programs.flatMap((program) => stumpffTops(program.counts));
  const scratchSize = Math.max(...printed.map((p) => p.scratchSize));
  const called = networksOf(link.programs);
  const hasNetworks = called.networks.length > 0;
  const statements = [
    comment([...linkHeader(model, link), '', ...blockLayout(link)]),
    ...(tops.length > 0 ? [importOf('stumpff', './runtime/stumpff.js')] : []),
    ...(hasNetworks ? [importOf(namesFromNetworks(called), './runtime/network.js')] : []),
  ];
  if (tops.length > 0)
    statements.push(`\nconst stumpffValues = new Float64Array(${stumpffRoom(Math.max(2, ...tops))});`);
  for (const { name, values } of tablesRead(link.staged, link.programs))
    statements.push(`\n${arrayTypeScript(name, values)}`);
  for (const table of integratedTables(link.programs))
    statements.push(`\n${integralFunctionTypeScript(table, arrayTypeScript)}`);
  statements.push(...networkTablesTypeScript(called));
  for (const set of stumpffSetsOf(link.programs))
    statements.push(`\n${stumpffFunctionTypeScript(set, typescriptTarget())}`);
  if (scratchSize > 0)
    statements.push(
      `\n/** Values on their way between the parts of a long function. */\nconst scratch = new Float64Array(${scratchSize});`,
    );
  for (const { program, parts } of printed) statements.push(...functionsOf(model, program, parts));
  return `${statements.join('\n')}\n`;
}

/** An array literal, not `Float64Array.of(…)`: a call takes at most 65,535 arguments. */
function arrayTypeScript(name: string, values: readonly number[]): string {
  return `const ${name} = new Float64Array([\n${numberLines(values)}\n]);`;
}

function importOf(names: string, from: string): string {
  return `import { ${names} } from '${from}';`;
}

/** Buffers are places in blocks. */
function linkTarget(link: LinkModel, program: Program): Target {
  const starts = bufferStarts(link.staged, program.name as LinkFunctionName);
  const place = ({ buffer, index }: Place): string => {
    const start = starts.get(buffer as Buffer)!;
    return `${start.region}[${start.index + index}]`;
  };
  const inRow = ({ buffer, index }: Place): string => {
    const table = tableArrayName(buffer);
    if (table !== undefined) return `${table}[${rowIndex(index)}]`;
    const start = starts.get(buffer as Buffer)!;
    return `${start.region}[${rowIndex(start.index + index)}]`;
  };
  return {
    ...typescriptTarget(),
    read: (of) => `${place(of)}!`,
    write: place,
    readRow: (of) => `${inRow(of)}!`,
    writeRow: inRow,
    integrate: (integral) => {
      const start = starts.get(integral.place.buffer as Buffer)!;
      return integralCallTypeScript(integral, { buffer: start.region, index: start.index + integral.place.index });
    },
  };
}

/** What stands where in the block of a link; the places before are the same for every link. */
function blockLayout(link: LinkModel): string[] {
  const fixed = Object.entries({ ...FRAME_PLACES, linearVelocityInWater: placeOf('linearVelocityInWater') })
    .map(([name, place]) => `${name} from ${place}`)
    .join(', ');
  let next = BLOCK;
  const lines = ownBuffers(link.staged).flatMap(({ buffer, size }) => {
    const first = next;
    next += size;
    return size > 0 ? [`  [${first}${size > 1 ? ` … ${next - 1}` : ''}] ${buffer}`] : [];
  });
  return ['Block of a link, after what every link has', ...wrapped(`(${fixed}):`, 110), ...lines];
}

/** The function of a program; a long one becomes parts, called in turn. */
function functionsOf(model: RobotModel, program: Program, parts: readonly (readonly string[])[]): string[] {
  const { regions } = regionSignature(program.name as LinkFunctionName);
  const what = withFields(LINK_FUNCTIONS[program.name as LinkFunctionName].purpose, model);
  const purpose = `${what} ${costText(program.counts)}.`;
  const exported = (lines: readonly string[]): string =>
    functionOf(regions, `export function ${program.name}`, purpose, lines);
  if (parts.length === 1) return [exported(parts[0]!)];
  const calls = parts.map((_, i) => `${program.name}Part${i + 1}(${regions.join(', ')});`);
  return [
    ...parts.map((lines, i) =>
      functionOf(regions, `function ${program.name}Part${i + 1}`, `Part ${i + 1} of \`${program.name}\`.`, lines),
    ),
    exported(calls),
  ];
}

function functionOf(regions: readonly string[], head: string, purpose: string, lines: readonly string[]): string {
  const body = withoutComments(lines).join('\n');
  // A leading underscore says, to reader and compiler, that this link has no use for the buffer.
  const parameters = regions.map(
    (buffer) => `${new RegExp(`\\b${buffer}\\b`).test(body) ? buffer : `_${buffer}`}: Float64Array`,
  );
  const short = `${head}(${parameters.join(', ')}): void {`;
  const whole = short.length <= 120 ? short : `${head}(\n${parameters.map((p) => `  ${p},`).join('\n')}\n): void {`;
  return `\n${comment(wrapped(purpose, 116))}\n${whole}\n${lines.map((line) => `  ${line}`).join('\n')}\n}`;
}

/** Numbers in lines of a readable length. */
function numberLines(values: readonly number[]): string {
  return wrapped(requireDoubles(values).join(', '), 116)
    .map((line) => `  ${line}`)
    .join('\n');
}

// ---------------------------------------------------------------------------------------------- robot module

/** The module, to be laid out. */
function robotModule(model: RobotModel): string {
  const pascal = pascalCase(model.name);
  const camel = camelCase(model.name);
  const pairs = contactPairs(model.robot);
  const statements = [
    comment(robotHeader(model, (spelled) => spelled, absentText(model))),
    importOf(`${checkStatuses(model)}, type Status`, './runtime/driver.js'),
    `export { ${loopRows(model) > 0 ? 'KG_CONTRADICTORY, ' : ''}KG_NO_FRAME, KG_NO_STATE, KG_NO_STEP, KG_NON_FINITE, KG_OK, KG_OUT_OF_RANGE, KG_SINGULAR, KG_UNDEFINED } from './runtime/driver.js';`,
    importOf(`create${pascal}Driver, type ${driverInterfaceName(model)}`, `./${model.name}_driver.js`),
    parametersInterface(pascal, model),
    signalInterface(),
    `/** Coordinates in the order of q. */\nexport const ${camel}Coordinates: readonly Signal[] = ${signalsLiteral(model.robot.coordinates)};`,
    `/** Inputs of the actuators in the order of u. */\nexport const ${camel}Inputs: readonly Signal[] = ${inputsLiteral(model)};`,
    `/** Frames that \`frame\` reports, by index. */\nexport const ${camel}Frames = ${textsLiteral(model.frames.map((f) => f.name))} as const;`,
    `/** Links by index, as \`singularLink\` tells them. */\nexport const ${camel}Links: readonly string[] = ${textsLiteral(linksOf(model).map(({ name }) => name))};`,
    ...(loopRows(model) > 0
      ? [
          `/** Rows of loops by index, in the order of their multipliers. */\nexport const ${camel}Rows: readonly string[] = ${textsLiteral((model.robot.loops ?? []).flatMap(({ rows }) => rows.map(({ name }) => name)))};`,
        ]
      : []),
    ...(pairs.length > 0
      ? [
          `/** Pairs of contacts, in the order of \`contact\`. */\nexport const ${camel}Contacts: readonly string[] = ${textsLiteral(pairs)};`,
        ]
      : []),
    `/** Index of the tip among the frames. */\nexport const ${camel}Tip = ${model.robot.tip};`,
    factory(pascal, model),
  ];
  const [about, own, statuses, driver, ...rest] = statements;
  return [[about, own, '', statuses, driver].join('\n'), ...rest].join('\n\n');
}

function parametersInterface(pascal: string, model: RobotModel): string {
  const lines = model.members.map(
    (p) => `/** ${commentText(p.summary) || p.name} [${commentText(p.unit)}]${rangeText(p)} */\n${p.name}: number;`,
  );
  return `/** What may change between calls without compiling again. */
export interface ${pascal}Parameters {
/** Gravitational acceleration, world axes [m/s^2] */
readonly gravity: Float64Array;
${lines.join('\n')}
}`;
}

function signalInterface(): string {
  return `/** A coordinate or an input: SI unit, default value and limits. */
export interface Signal {
readonly name: string;
readonly unit: string;
readonly value: number;
readonly lower: number;
readonly upper: number;
}`;
}

function numberText(value: number): string {
  return value === Infinity ? 'Infinity' : value === -Infinity ? '-Infinity' : String(value);
}

interface SignalData {
  readonly name: string;
  readonly unit: string;
  readonly value: number;
  readonly lower?: number;
  readonly upper?: number;
}

function signalsLiteral(signals: readonly SignalData[]): string {
  const lines = signals.map((c) => {
    const range = `lower: ${numberText(c.lower ?? -Infinity)}, upper: ${numberText(c.upper ?? Infinity)}`;
    return `{ name: ${textLiteral(c.name)}, unit: ${textLiteral(c.unit)}, value: ${c.value}, ${range} },`;
  });
  return lines.length === 0 ? '[]' : `[\n${lines.join('\n')}\n]`;
}

/** In single quotes unless there are more of these than of the others in it. */
function textLiteral(text: string): string {
  const [single, double] = ["'", '"'].map((quote) => text.split(quote).length);
  if (single! > double!) return JSON.stringify(text);
  return `'${JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function textsLiteral(texts: readonly string[]): string {
  return `[${texts.map(textLiteral).join(', ')}]`;
}

function inputsLiteral({ robot }: RobotModel): string {
  return signalsLiteral(robot.actuators.map((actuator) => ({ ...actuator, value: 0 })));
}

function factory(pascal: string, model: RobotModel): string {
  const values = [
    `gravity: Float64Array.of(${model.robot.gravity.join(', ')})`,
    ...model.members.map((p) => `${p.name}: ${p.value}`),
  ];
  const setup = '(kept, base, frames, linkParameters) => setup(parameters, kept, base, frames, linkParameters)';
  const given = [
    'parameters.gravity',
    '() => checkParameters(parameters)',
    ...(model.robot.time ? [`() => parameters.${model.robot.time.name}`] : []),
    ...(model.setup ? [setup] : []),
  ];
  const held = hasRobotFunction(model, 'contact') ? bristleParameters(model.robot) : [];
  const pairs = contactPairs(model.robot).length;
  const nulls = Object.keys(PAIR_PARTS).map((name) => (name === 'bristle' ? name : 'null'));
  const hold = `hold(): Status {
const status = dynamics.contact(${nulls.join(', ')});
if (status !== KG_OK) return status;
${held.map(({ name, index }) => `parameters.${name} = bristle[${index}]!;`).join('\n')}
return KG_OK;
},`;
  const made = `create${pascal}Driver(${given.join(', ')})`;
  const own =
    held.length > 0
      ? `{
const dynamics = ${made};
const bristle = new Float64Array(${PAIR_PARTS.bristle * pairs});
return { ...dynamics, parameters, twin: own, ${hold} };
}`
      : `({ ...${made}, parameters, twin: own })`;
  return `/** The dynamics of the robot with its run-time parameters. */
export interface ${pascal} extends ${driverInterfaceName(model)} {
readonly parameters: ${pascal}Parameters;
twin(): ${pascal};${
    held.length > 0
      ? `
/**
 * Bristles give way to what slipped: changes their parameters, of all twins. To be called at the staged state where a motion begins,
 * and after each step.
 */
hold(): Status;`
      : ''
  }
}

/** A robot with its own parameters and workspace; make one for every thread or time line. */
export function create${pascal}(): ${pascal} {
const parameters: ${pascal}Parameters = { ${values.join(', ')} };
const own = (): ${pascal} => ${own};
return own();
}

${checkFunction(model)}
${model.setup ? setupFunction(pascal, model, model.setup) : ''}`;
}

function setupFunction(pascal: string, model: RobotModel, setup: Program): string {
  const target = typescriptTarget((buffer, index) =>
    buffer === 'p' ? `p.${model.parameters[index]!.name}` : undefined,
  );
  const lines = printProgram(setup, target, Infinity).parts[0]!;
  const body = lines.join('\n');
  const parameters = setup.writes.map(
    (buffer) => `${body.includes(`${buffer}[`) ? buffer : `_${buffer}`}: Float64Array`,
  );
  const names = model.parameters.map(({ name }) => name);
  return `
/** What depends on the run-time parameters, unless they are those kept. ${costText(setup.counts)}. */
function setup(p: ${pascal}Parameters, kept: Float64Array, ${parameters.join(', ')}): boolean {
if (${names.map((name, i) => `kept[${i}] === p.${name}`).join(' && ')}) return false;
${names.map((name, i) => `kept[${i}] = p.${name};`).join('\n')}
${body}
return true;
}`;
}
