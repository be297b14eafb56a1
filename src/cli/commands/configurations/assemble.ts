/** `kanegen assemble`: coordinates near a state at which the loops of a robot are closed. */
import type { Robot } from '../../../description/model/robot.ts';
import type { Assembly } from '../../../simulation/equilibria/assembly.ts';
import { openToRun } from '../../files/open.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { heldStartOf, startOf } from '../../options/acting-loads.ts';
import { withProgress } from '../../terminal/progress.ts';
import { formatTable } from '../../terminal/table.ts';
import { print } from '../../terminal/terminal.ts';

interface AssembleOptions extends FileOptions {
  readonly state?: string;
  readonly hold: readonly string[];
  readonly json?: boolean;
}

export async function assembleCommand(file: string, options: AssembleOptions): Promise<void> {
  const robot = await openToRun(file, options);
  const { model } = robot;
  const { start, held } = heldStartOf(model, options, startOf(model, '--state', options.state));
  const found = await withProgress((show) => {
    show('compiling, and closing the loops');
    return robot.assemble({ held, ...(start && { start }) });
  });
  print(options.json ? jsonText(model, found) : reportText(model, found, held));
}

function jsonText(robot: Robot, { q, moved, ...found }: Assembly): string {
  const byName = (values: readonly number[]): object =>
    Object.fromEntries(robot.coordinates.map(({ name }, i) => [name, values[i]!]));
  return `${JSON.stringify({ robot: robot.name, coordinates: byName(q), moved: byName(moved), ...found }, null, 2)}\n`;
}

function reportText(
  robot: Robot,
  { q, moved, rank, rows, residual, iterations }: Assembly,
  held: readonly number[],
): string {
  const table = formatTable(
    robot.coordinates.map(({ name, unit }, i) => [
      name,
      String(q[i]!),
      unit === '1' ? '' : unit,
      held.includes(i) ? 'held' : Math.abs(moved[i]!) < 1e-12 ? '' : `moved by ${moved[i]!.toPrecision(3)}`,
    ]),
  );
  const freedom = robot.coordinates.length - rank;
  const lines = [
    table,
    `closed to ${residual.toExponential(1)} in ${iterations} steps`,
    `rank ${rank} of ${rows} rows, ${freedom} degree${freedom === 1 ? '' : 's'} of freedom of ${robot.coordinates.length} coordinates`,
  ];
  return `${lines.join('\n')}\n`;
}
