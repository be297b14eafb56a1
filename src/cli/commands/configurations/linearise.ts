/** `kanegen linearise`: modes, and the matrices of small motions, about an equilibrium or a state. */
import type { SmallMotionsAbout } from '../../../api/robot.ts';
import type { Robot } from '../../../description/model/robot.ts';
import { heldStartOf, loadsOf, startOf, type LoadOptions } from '../../options/acting-loads.ts';
import { openToRun } from '../../files/open.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { withProgress } from '../../terminal/progress.ts';
import { formatTable } from '../../terminal/table.ts';
import { print } from '../../terminal/terminal.ts';
import { outsideText } from './statics.ts';

interface LineariseOptions extends LoadOptions, FileOptions {
  readonly state?: string;
  readonly from?: string;
  readonly json?: boolean;
}

export async function lineariseCommand(file: string, options: LineariseOptions): Promise<void> {
  const robot = await openToRun(file, options);
  const { model } = robot;
  const given = startOf(model, '--state', options.state);
  const { start, held } = heldStartOf(model, options, given ?? startOf(model, '--from', options.from));
  const loads = { ...loadsOf(model, options), held };
  const found = await withProgress((show) => {
    show('compiling');
    return robot.linearise({ ...loads, ...(start && (given ? { at: start } : { start })) });
  });
  print(options.json ? `${JSON.stringify({ robot: model.name, ...found }, null, 1)}\n` : reportText(model, found));
}

function reportText(robot: Robot, { q, modes, drift }: SmallMotionsAbout): string {
  const short = (x: number): string => String(Number(x.toPrecision(6)));
  /** A part of a complex number, zero where it is nothing but rounding beside the other one. */
  const part = (x: number, size: number): string => short(Math.abs(x) < 1e-9 * size ? 0 : x);
  const fastest = Math.max(...modes.map(({ frequency }) => frequency));
  const rows = modes.map(({ real, imaginary, frequency, damping, shape }) => [
    `${part(frequency, fastest)} Hz`,
    frequency < 1e-9 * fastest ? '' : `damping ${part(damping, 1)}`,
    `${part(real, Math.max(Math.hypot(real, imaginary), fastest))}${imaginary > 0 ? ` ± ${short(imaginary)} i` : ''} 1/s`,
    shape
      .map((amplitude, i) => ({ amplitude, name: robot.coordinates[i]!.name }))
      .filter(({ amplitude }) => amplitude >= 0.1)
      .sort((a, b) => b.amplitude - a.amplitude)
      .slice(0, 4)
      .map(({ amplitude, name }) => `${name} ${amplitude.toFixed(2)}`)
      .join(', '),
  ]);
  const moving = Math.max(...drift.map(Math.abs));
  return `${[
    `about ${robot.coordinates.map(({ name }, i) => `${name} = ${part(q[i]!, Math.max(...q.map(Math.abs)))}`).join(', ')}`,
    ...(moving > 1e-6 ? [`not an equilibrium: accelerations up to ${short(moving)} there`] : []),
    formatTable(rows),
    ...outsideText(robot, q),
  ].join('\n')}\n`;
}
