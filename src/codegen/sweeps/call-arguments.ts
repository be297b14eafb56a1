/** The arguments of a function of a robot, in the one order of all targets. */
import { INPUTS, type Size } from './arrays.ts';
import type { RobotFunction } from './robot-function.ts';

export interface CallArgument {
  readonly name: string;
  /** `columns`: how many columns arrays have; `number`: one number; `frame`, `link`: its index; `input`, `output`: arrays. */
  readonly role: 'workspace' | 'parameters' | 'columns' | 'number' | 'frame' | 'link' | 'input' | 'output';
  /** Of arrays. */
  readonly size?: Size;
}

export function callArguments(f: RobotFunction): readonly CallArgument[] {
  return [
    { name: 'workspace', role: 'workspace' },
    ...(f.state === 'staged' ? [] : [{ name: 'p', role: 'parameters' } as const]),
    ...(f.ofColumns ? [{ name: 'columns', role: 'columns' } as const] : []),
    ...(f.numbers ?? []).map((name) => ({ name, role: 'number' }) as const),
    ...(f.ofFrame ? [{ name: 'index', role: 'frame' } as const] : []),
    ...(f.ofLink ? [{ name: 'link', role: 'link' } as const] : []),
    ...f.inputs.map((name) => ({ name, role: 'input', size: INPUTS[name] }) as const),
    ...f.outputs.map(({ name, size }) => ({ name, role: 'output', size }) as const),
  ];
}
