/** How TypeScript spells what drivers do: links, loops, calls and the workspace, whose parts are views of one array. */
import { startOf } from '../drivers/link-calls.ts';
import { sum, within, type DriverLanguage, type Index, type LinkAccess } from '../drivers/driver-language.ts';
import type { LinkModel, RobotModel } from '../modules/robot-model.ts';
import { IN_WORKSPACE, startOfFrame, type SharedPart } from '../modules/workspace.ts';
import { camelCase } from '../naming/identifiers.ts';
import type { Place } from '../operations/operation.ts';
import { ROBOT_FUNCTION_NAMES, robotFunction } from '../sweeps/robot-functions.ts';
import { SWEEP_NAMES, sweepOf } from '../sweeps/sweeps.ts';
import { typescriptTarget } from './target.ts';

export const linkFunction = (link: LinkModel, name: string): string => camelCase(`link_${link.name}_${name}`);

/** Arrays of callers, whose names parts of the workspace leave to them. */
const OF_CALLERS: ReadonlySet<string> = new Set([
  ...ROBOT_FUNCTION_NAMES.map(robotFunction).flatMap(({ inputs, outputs }) => [
    ...inputs,
    ...outputs.map(({ name }) => name),
  ]),
  ...SWEEP_NAMES.flatMap((name) => sweepOf(name).arrays),
]);

/** Parts of what the factory is given, once they are staged. */
const PART_NAMES: Partial<Record<SharedPart, string>> = { gravity: 'stagedGravity', time: 'stagedTime' };

export const partName = (part: SharedPart): string =>
  PART_NAMES[part] ?? (OF_CALLERS.has(part) ? camelCase(`link_${part}`) : part);

export function blockName(index: number): string {
  return index < 0 ? 'base' : `block${index}`;
}

export function tangentName(index: number): string {
  return index < 0 ? 'baseTangent' : `tangent${index}`;
}

export function constantsNames({ instances }: RobotModel): readonly string[] {
  const names = new Map<readonly number[], string>();
  return instances.map(({ constants, link }, index) => {
    if (constants === null) return `constants${index}`;
    if (constants.length === 0) return 'noConstants';
    if (!names.has(constants)) names.set(constants, `${camelCase(link.name)}Constants${names.size + 1}`);
    return names.get(constants)!;
  });
}

export function languageTypeScript(model: RobotModel): DriverLanguage {
  const constants = constantsNames(model);
  const target = typescriptTarget();
  const place = (buffer: string): string => (IN_WORKSPACE.has(buffer) ? partName(buffer as SharedPart) : buffer);
  const read = ({ buffer, index }: Place): string => (buffer === 'input' ? buffer : `${place(buffer)}[${index}]!`);
  return {
    target: {
      ...target,
      read,
      write: ({ buffer, index }) => `${place(buffer)}[${index}]`,
      isWanted: (buffer) => `${buffer} !== null`,
    },
    value: (element) => `${element}!`,
    link: (index) => {
      const { first, parent, actuators, link } = model.instances[index]!;
      const arrays = {
        constants: constants[index]!,
        madeConstants: constants[index]!,
        parameters: `parameters${index}`,
        parent: blockName(parent),
        own: blockName(index),
        parentTangent: tangentName(parent),
        ownTangent: tangentName(index),
        parametersTangent: `parametersTangent${index}`,
        parametersAdjoint: `parametersTangent${index}`,
      };
      const actuator = (k: Index): Index =>
        typeof k === 'number' ? actuators[k]! : `links[${index}]!.actuators[${k}]!`;
      return accessOf(arrays, first, parent, actuator, link);
    },
    row: (index, link = model.links[0]!) => {
      const row = 'l';
      const arrays = {
        constants: `${row}.constants`,
        madeConstants: `${row}.constants`,
        parameters: `${row}.parameters`,
        parent: `${row}.parent`,
        own: `${row}.own`,
        parentTangent: `${row}.parentTangent`,
        ownTangent: `${row}.ownTangent`,
        parametersTangent: `${row}.parametersTangent`,
        parametersAdjoint: `${row}.parametersTangent`,
      };
      return {
        ...accessOf(arrays, `${row}.first`, `${row}.parentIndex`, (k) => `${row}.actuators[${k}]!`, link),
        declarations: [`const ${row} = links[${index}]!;`],
        type: `${row}.type`,
        count: `${row}.count`,
      };
    },
    inBlock: (block, of, index) => `${block}[${sum(index, startOfFrame(of)!)}]`,
    baseNumber: (of, index) => `base[${sum(index, startOfFrame(of)!)}]`,
    addendNumber: (of, index) => `addend[${sum(index, startOfFrame(of)!)}]`,
    shared: partName,
    sharedNumber: (part, index) => `${partName(part)}[${index}]`,
    unitWrench: (a) => `unitWrench[${a}]!`,
    callLink: (link, name, parameters) => `${linkFunction(link, name)}(${parameters.join(', ')});`,
    call: (name, parameters) => `${name}(${parameters.join(', ')});`,
    runTime: (name, parameters) => `${name}(${parameters.join(', ')})`,
    clear: (name, size) => `${name}.fill(0, 0, ${size});`,
    // For a few numbers, a loop takes less time than a call of `fill`.
    clearBlock: (index, place, size, region) => {
      const from = startOf(model.instances[index]!.link, place);
      return `for (let k = ${from}; k < ${from + size}; k++) ${(region === 'own' ? blockName : tangentName)(index)}[k] = 0;`;
    },
    frameOffset: (index) => `frames[${index}]!.offset`,
    declareFrameBlock: (name, frame) => `const ${name} = frames[${frame}]!.block;`,
    clearShared: (part) => `${partName(part)}.fill(0);`,
    loop: (variable, from, to, lines, inwards = false, condition = '') => {
      const and = condition && ` && ${condition}`;
      const head = inwards
        ? `let ${variable} = ${sum(to, -1)}; ${variable} >= ${from}${and}; ${variable}--`
        : `let ${variable} = ${from}; ${variable} < ${to}${and}; ${variable}++`;
      return within(`for (${head}) {`, lines);
    },
    parentOfLink: 'links[link]!.parentIndex',
    branch: (condition, lines) => [`if (${condition}) {`, ...lines, '}'],
    about: (name, lines) => (lines.length > 0 ? [`/* ${name} */`, ...lines] : []),
    isGiven: (output) => output,
    refuse: (status) => `return ${status};`,
    nothing: 'null',
    placeDrift: (k) => `placeDrift[${k}]!`,
    placeDriftTangent: (k) => `placeDriftTangent[${k}]!`,
    declareRead: (name, value) => `let ${name} = ${value};`,
    declareWritten: (name, value) => `let ${name} = ${value};`,
    asNumber: String,
    flag: String,
    declareIndex: (name, value) => `const ${name} = ${value};`,
    equal: '===',
  };
}

function accessOf(
  arrays: Record<Parameters<LinkAccess['array']>[0], string>,
  first: LinkAccess['first'],
  parentIndex: LinkAccess['parentIndex'],
  actuator: LinkAccess['actuator'],
  link: LinkModel,
): LinkAccess {
  return {
    actuator,
    first,
    parentIndex,
    array: (region) => arrays[region],
    number: (region, place, index) => `${arrays[region]}[${sum(index, startOf(link, place))}]`,
    placeOf: (place) => startOf(link, place),
  };
}
