/** The interface of the driver of a robot in TypeScript: which functions of those of the run time it has. */
import type { RobotFunction } from '../sweeps/robot-function.ts';
import {
  functionNames,
  ROBOT_FUNCTION_NAMES,
  robotFunction,
  type RobotFunctionName,
} from '../sweeps/robot-functions.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { pascalCase } from '../naming/identifiers.ts';

/** The interfaces of the run time that say what functions do. */
const INTERFACES: readonly { readonly of: string; readonly has: (f: RobotFunction) => boolean }[] = [
  { of: 'LoopDerivatives', has: ({ derivative, about }) => derivative !== undefined && about === 'loops' },
  { of: 'Derivatives', has: ({ derivative }) => derivative !== undefined },
  { of: 'MaterialPoints', has: ({ ofLink }) => ofLink === true },
  { of: 'Loops', has: ({ about }) => about === 'loops' },
  { of: 'Ropes', has: ({ about }) => about === 'ropes' },
  { of: 'SolvedStrains', has: ({ about }) => about === 'solved strain' },
  { of: 'Contacts', has: ({ about }) => about === 'contacts' },
  { of: 'Prescribed', has: ({ about }) => about === 'prescribed' },
  { of: 'Momentum', has: ({ timeless }) => timeless === true },
  { of: 'Dynamics', has: () => true },
];

interface Members {
  readonly of: string;
  readonly present: readonly string[];
  readonly absent: readonly string[];
}

/** What a robot has of each interface, where it has anything. */
export function membersOf(model: RobotModel): readonly Members[] {
  const own = new Set<RobotFunctionName>(functionNames(model));
  const of = (name: RobotFunctionName): string => INTERFACES.find(({ has }) => has(robotFunction(name)))!.of;
  const all = INTERFACES.map(({ of: wanted }): Members => {
    const names = ROBOT_FUNCTION_NAMES.filter((name) => of(name) === wanted);
    const present = names.filter((name) => own.has(name));
    const absent = names.filter((name) => !own.has(name));
    if (wanted === 'Loops' && present.length > 0)
      return { of: wanted, present: ['constraintRank', ...present], absent };
    if (wanted !== 'Dynamics') return { of: wanted, present, absent };
    return {
      of: wanted,
      present: ['coordinates', 'actuators', 'singularLink', ...present],
      absent: ['twin', ...absent],
    };
  });
  return all.filter(({ present }) => present.length > 0).reverse();
}

export const driverInterfaceName = ({ name }: RobotModel): string => `${pascalCase(name)}Functions`;

/** Names are listed that the robot has, or has not: whatever is shorter. */
export function driverInterface(model: RobotModel): string {
  const lists: string[] = [];
  const types = membersOf(model).map(({ of, present, absent }) => {
    // Some of them are optional there.
    const all = (type: string): string => (of.endsWith('Derivatives') ? `Required<${type}>` : type);
    if (absent.length === 0) return all(of);
    const isPick = present.length <= absent.length;
    const names = (isPick ? present : absent).map((name) => `'${name}'`);
    const list = `${isPick ? 'Functions' : 'Absent'}Of${of}`;
    const line = `type ${list} = ${names.join(' | ')};`;
    lists.push(line.length <= 120 ? line : `type ${list} =\n${names.map((name) => `| ${name}`).join('\n')};`);
    return all(`${isPick ? 'Pick' : 'Omit'}<${of}, ${list}>`);
  });
  return `${lists.map((list) => `${list}\n\n`).join('')}/** The functions of this robot. */
export interface ${driverInterfaceName(model)} extends ${types.join(', ')} {
/** The same robot, with the same parameters, and a workspace of its own. */
twin(): ${driverInterfaceName(model)};
}`;
}
