/** Link modules in TypeScript, and `driver.ts`: the driver of robots that are put together of them at run time. */
import { BASE_MOTIONS } from '../../kane/equations/base-and-frames.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { CompiledRobot } from '../../kane/kernels/link-type.ts';
import { sum, type DriverLanguage, type Index } from '../drivers/driver-language.ts';
import { baseFunction } from '../sweeps/function-names.ts';
import { DriverPrinter } from '../drivers/print-driver.ts';
import { baseProgram } from '../drivers/robot-programs.ts';
import { printWithinTime, type GeneratedFile, type InstanceModel, type LinkModel } from '../modules/robot-model.ts';
import { packageVersion } from '../modules/assets.ts';
import { regionSignature, startOfFrame, type BlockPlace } from '../modules/workspace.ts';
import { camelCase, commentText } from '../naming/identifiers.ts';
import { callsNetworks } from '../printing/network-calls.ts';
import { languageTypeScript } from '../typescript/driver-language.ts';
import {
  accept,
  driverFunction,
  frameFunctions,
  functionText,
  method,
  sweepFunctions,
} from '../typescript/driver-typescript.ts';
import { laidOut, linkModule, runTimeFile } from '../typescript/typescript.ts';
import {
  ANY,
  assembledFunctions,
  FIXED_PARTS,
  INTERFACE_FUNCTIONS,
  isOptional,
  modulesOfRobot,
  parameterValues,
  PER_COORDINATE,
  WIDEST_PARTS,
  numbersOf,
  TOLD,
} from './link-interface.ts';

/** A module per link type, the driver, and the run time beside them. */
export async function assembledTypeScript(robot: Robot, compiled: CompiledRobot): Promise<GeneratedFile[]> {
  const { model, links, instances } = modulesOfRobot(robot, compiled);
  const usesNetworks = callsNetworks(links);
  return [
    { path: 'driver.ts', text: await driverText() },
    ...(await Promise.all(
      links.map(async (link) => {
        const code = printWithinTime(model, link, () => linkModule(model, link));
        const own = instances.filter((instance) => instance.link === link);
        return { path: `link_${link.name}.ts`, text: `${code}\n${await laidOut(moduleText(link, own, robot))}` };
      }),
    )),
    ...['driver', 'stumpff', ...(usesNetworks ? ['network'] : [])].map((name) => ({
      path: `runtime/${name}.ts`,
      text: runTimeFile(name),
    })),
  ];
}

// ---------------------------------------------------------------------------------------------- modules

function moduleText(link: LinkModel, instances: readonly InstanceModel[], robot: Robot): string {
  const { starts, ...numbers } = numbersOf(link);
  const name = camelCase(`link_${link.name}`);
  const has = INTERFACE_FUNCTIONS.filter((own) => link.programs.some((program) => program.name === own));
  const values = (instance: InstanceModel): string =>
    `{ ${parameterValues(robot, instance)
      .map((value, i) => `${link.type.parameters[i]!.name}: ${value}`)
      .join(', ')} }`;
  const lists = (own: object): string[] => Object.entries(own).map(([key, value]) => `${key}: ${value},`);
  const coordinates = link.type.coordinates.map((c) => `{ name: '${c.name}', unit: '${c.unit}' },`);
  const lines = [
    `/** This link type, for \`createRobot\` of driver.ts. */`,
    `export const ${name} = {`,
    `name: '${link.name}',`,
    coordinates.length > 0 ? `coordinates: [\n${coordinates.join('\n')}\n],` : 'coordinates: [],',
    `/** Of the first link of this type in the robot file. */`,
    `parameters: {`,
    ...link.type.parameters.flatMap((p, i) => [
      `/** ${commentText(p.summary)} [${commentText(p.unit)}] */`,
      `${p.name}: ${parameterValues(robot, instances[0]!)[i]},`,
    ]),
    '},',
    `sizes: {`,
    ...lists(numbers),
    '},',
    `starts: {`,
    ...lists(starts),
    '},',
    ...has.map((own) => `${own},`),
    '};',
  ];
  const all = [
    `/** Parameters of the links of the robot file that are of this type. */`,
    `export const ${name}Parameters = {`,
    ...instances.map((instance) => `${camelCase(instance.name)}: ${values(instance)},`),
    '};',
  ];
  return [...lines, '', ...all].join('\n');
}

// ---------------------------------------------------------------------------------------------- the driver

/** The same for every robot file. */
async function driverText(): Promise<string> {
  const language = languageAtRunTime();
  const printer = new DriverPrinter(ANY, { n: 0, u: 0, p: 0, r: 0, s: 0, k: 0, links: [] }, language);
  const code = [
    ...accept('n'),
    SET_UP,
    ...printer.baseMotions.map((motion) =>
      functionText(baseFunction(motion), BASE_MOTIONS[motion], [], printer.program(baseProgram(ANY, motion), {})),
    ),
    ...[...printer.entries, ...printer.momenta].map(driverFunction),
    ...sweepFunctions(printer),
    ...frameFunctions(printer),
    `return {\ncoordinates: n,\nactuators: 0,\ngravity,\n${assembledFunctions()
      .map((name) => method(name, printer, 'links.length'))
      .join(
        '\n',
      )}\nsingularLink: () => refused[0]! - 1,\ntwin: () => createRobot(parts, { gravity, base: placed }),\n};`,
  ];
  const runtime = [
    ...['acceptStep', 'areFinite', 'finished', 'KG_NO_FRAME', 'KG_NO_STATE', 'KG_NON_FINITE'],
    ...['KG_OK', 'KG_SINGULAR', 'KG_UNDEFINED', 'mark', 'type Dynamics', 'type Momentum', 'type Status'],
  ];
  const text = [
    HEAD,
    `import { ${runtime.join(', ')} } from './runtime/driver.js';`,
    INTERFACES,
    `${factory(language)}\n\n${code.join('\n\n')}\n}`,
  ];
  return laidOut(text.join('\n\n'));
}

function languageAtRunTime(): DriverLanguage {
  const language = languageTypeScript(ANY);
  const startIn = (place: BlockPlace): Index => startOfFrame(place) ?? `l.starts.${place}`;
  return {
    ...language,
    row: (index) => ({
      ...language.row(index),
      number: (region, place, i) => `l.${region}[${sum(i, startIn(place))}]`,
      placeOf: startIn,
    }),
    callLink: (_, name, parameters) => `l.module.${name}${isAlways(name) ? '' : '!'}(${parameters.join(', ')});`,
    atRunTime: {
      coordinates: 'n',
      links: 'links.length',
      count: 'l.count',
      addend: 'l.addend',
      has: (name) => `l.module.${name}`,
      writesFirst: 'l.writesFirst',
      isLeaf: 'l.isLeaf',
      clearOwn: (place, size) => {
        const from = startOfFrame(place)!;
        return `for (let k = ${from}; k < ${from + size}; k++) l.own[k] = 0;`;
      },
    },
  };
}

const isAlways = (name: string): boolean => INTERFACE_FUNCTIONS.some((own) => own === name && !isOptional(own));

const SET_UP = `/** Takes gravity. @returns why it cannot be used, otherwise KG_OK. */
function setUp(): Status {
if (!areFinite(gravity, 3)) return KG_NON_FINITE;
stagedGravity.set(gravity);
return KG_OK;
}`;

const HEAD = `/**
 * Driver of robots that are put together of link modules at run time: sweeps from the base outwards and back, over any number of
 * links in any tree.
 * Generated by kanegen ${packageVersion()}, the same for every robot file.
 */`;

const ARRAYS = (name: (typeof INTERFACE_FUNCTIONS)[number]): string =>
  regionSignature(name)
    .regions.map((region) => `${region}: Float64Array`)
    .join(', ');

const INTERFACES = `/** What modules of links have for drivers. Numbers are sizes of arrays and places in the block of a link. */
export interface LinkModule {
readonly name: string;
readonly coordinates: readonly { readonly name: string; readonly unit: string }[];
/** Names, in order, and values that links have where they are not given. */
readonly parameters: Readonly<Record<string, number>>;
readonly sizes: { readonly block: number; readonly constants: number; readonly addend: number };
readonly starts: Starts;
${INTERFACE_FUNCTIONS.map((name) => `${name}${isOptional(name) ? '?' : ''}(${ARRAYS(name)}): void;`).join('\n')}
}

interface Starts {
${TOLD.map((buffer) => `readonly ${buffer}: number;`).join('\n')}
}

/** A link of a robot. */
export interface LinkOfRobot {
readonly module: LinkModule;
/** Index of the link that carries it, which comes before it; -1: the base. */
readonly parent: number;
/** By name; those that are left out are as the module has them. */
readonly parameters?: Readonly<Record<string, number>>;
}

/** Where a robot stands. */
export interface World {
/** Gravitational acceleration in world axes, m/s^2; read at every update. */
readonly gravity?: ArrayLike<number>;
/** World pose of the base: rotation row by row (9), origin (3, m). */
readonly base?: ArrayLike<number>;
}

/** Frames are the distal frames of links, by the index of the link. */
export interface AssembledRobot extends Dynamics, Momentum {
readonly gravity: Float64Array;
twin(): AssembledRobot;
}

function parametersOf({ module, parameters = {} }: LinkOfRobot): Float64Array {
const names = Object.keys(module.parameters);
for (const name of Object.keys(parameters)) {
if (!names.includes(name)) throw new RangeError(\`\${module.name} has no parameter \${name}; it has \${names.join(', ')}\`);
}
return Float64Array.from(names, (name) => {
const value = parameters[name] ?? module.parameters[name]!;
if (!Number.isFinite(value)) throw new RangeError(\`parameter \${name} of \${module.name} is \${value}\`);
return value;
});
}`;

const factory = ({ shared }: DriverLanguage): string => `/**
 * Puts a robot together. Coordinates are stacked link by link, in the order of the links.
 * @throws RangeError for a parent that does not come before its link, and for parameters that a module does not have.
 */
export function createRobot(parts: readonly LinkOfRobot[], world: World = {}): AssembledRobot {
const gravity = Float64Array.from(world.gravity ?? [0, 0, -9.81]);
const placed = Float64Array.from(world.base ?? [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
if (gravity.length !== 3 || placed.length !== 12) throw new RangeError('gravity has 3 numbers, the pose of the base 12');
const widest = Math.max(0, ...parts.map(({ module }) => module.coordinates.length));
const workspace = new Float64Array(${FIXED_PARTS.reduce((total, [, size]) => total + size, 0)} + widest * (${PER_COORDINATE} + 2 * widest) + parts.reduce((total, { module }) => total + module.sizes.block, 0));
let used = 0;
const take = (size: number): Float64Array => workspace.subarray(used, (used += size));
${FIXED_PARTS.map(([part, size]) => `const ${shared(part)} = take(${size});`).join('\n')}
${WIDEST_PARTS.map(([part, size]) => `const ${shared(part)} = take(${size});`).join('\n')}
const unitWrench = Array.from({ length: widest }, (_, a) => unitWrenches.subarray(6 * a, 6 * a + 6));
basePose.set(placed);
let n = 0;
const links = parts.map((part, index) => {
const { module, parent } = part;
if (!Number.isInteger(parent) || parent < -1 || parent >= index) throw new RangeError(\`link \${index} has the parent \${parent}, which is no link before it\`);
const constants = new Float64Array(module.sizes.constants);
module.prepare(parametersOf(part), constants);
const first = n;
const count = module.coordinates.length;
n += count;
return {
module,
constants,
parent: base,
own: take(module.sizes.block),
first,
count,
parentIndex: parent,
addend: module.sizes.addend,
starts: module.starts,
isLeaf: !parts.some((other) => other.parent === index),
writesFirst: !parts.some((other, k) => k > index && other.parent === parent),
};
});
for (const link of links) if (link.parentIndex >= 0) link.parent = links[link.parentIndex]!.own;
const offset = new Float64Array([1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0]);
const frames = links.map(({ own }, link) => ({ link, block: own, offset }));
let staged: Status = KG_NO_STATE;`;
