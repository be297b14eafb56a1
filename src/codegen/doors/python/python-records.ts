/** What Python sees of the structures of shells and observers: their members by name, in C in a table of places. */
import type { RobotInterface } from '../../interface/robot-interface.ts';

interface PythonRecord {
  /** The structure in C. */
  readonly symbol: string;
  readonly members: readonly { readonly name: string; readonly whole: boolean }[];
}

/** What a shell keeps whatever its law. */
const CORE = ['mode', 'aim', 'reason', 'faults', 'missed'];

export function recordsOf(of: RobotInterface): PythonRecord[] {
  const shells = of.controllers.flatMap(({ parameters, shell }): PythonRecord[] => {
    if (!shell) return [];
    const { symbol, settings, state } = shell;
    const core = CORE.map((name) => ({ name: `core.${name}`, whole: true }));
    const gains = parameters.map(({ name }) => ({ name: `gains.${name}`, whole: false }));
    return [{ symbol, members: [...core, ...gains, ...[...settings, ...state].map(member)] }];
  });
  const observers = (of.observers ?? []).map(({ symbol, settings, state }): PythonRecord => ({
    symbol,
    members: [...settings, ...state].map(member),
  }));
  return [...shells, ...observers];
}

type Field = RobotInterface['controllers'][number]['parameters'][number];

const member = ({ name, whole }: Field): PythonRecord['members'][number] => ({ name, whole: whole === true });
