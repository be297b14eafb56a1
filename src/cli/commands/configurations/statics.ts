/** `kanegen statics`: the equilibrium of a robot under gravity, inputs and loads. */
import { forceUnit } from '../../../description/model/robot.ts';
import type { Robot } from '../../../description/model/robot.ts';
import type { Equilibrium } from '../../../simulation/equilibria/equilibrium.ts';
import { heldStartOf, loadsOf, startOf, type LoadOptions } from '../../options/acting-loads.ts';
import { openToRun } from '../../files/open.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { checkFile, writeFileOrKeep } from '../../files/output.ts';
import { checkPictureOptions, figureForm, lookOf, type LookOptions } from '../../options/pictures.ts';
import { withProgress } from '../../terminal/progress.ts';
import { formatTable } from '../../terminal/table.ts';
import { print } from '../../terminal/terminal.ts';

interface StaticsOptions extends LoadOptions, FileOptions, LookOptions {
  readonly from?: string;
  readonly figure?: string;
  readonly json?: boolean;
}

export async function staticsCommand(file: string, options: StaticsOptions): Promise<void> {
  const { figure } = options;
  checkPictureOptions(options);
  if (figure !== undefined) checkFile(figure, '--figure');
  const robot = await openToRun(file, options);
  const { model } = robot;
  const { start, held } = heldStartOf(model, options, startOf(model, '--from', options.from));
  const found = await withProgress((show) => {
    show('compiling, and searching the equilibrium');
    return robot.statics({ ...loadsOf(model, options), held, ...(start && { start }) });
  });
  if (figure !== undefined) {
    const { pictureOf } = await import('../../../report/pictures/pictures.ts');
    const picture = pictureOf(model, [{ t: 0, q: found.q }], figureForm(figure), lookOf(options));
    writeFileOrKeep(figure, picture, '--figure');
  }
  print(options.json ? jsonText(model, found) : reportText(model, found, held));
}

export function stabilityOf({ smallestEigenvalue }: Equilibrium): string {
  const stable = smallestEigenvalue > 0 ? 'stable' : smallestEigenvalue === 0 ? 'indifferent' : 'NOT stable';
  return `${stable}: smallest eigenvalue of the tangent stiffness ${smallestEigenvalue.toPrecision(6)}`;
}

function jsonText(robot: Robot, { q, holding, ...found }: Equilibrium): string {
  const byName = (values: readonly number[]): object =>
    Object.fromEntries(robot.coordinates.map(({ name }, i) => [name, values[i]!]));
  return `${JSON.stringify({ robot: robot.name, coordinates: byName(q), holding: byName(holding), ...found }, null, 2)}\n`;
}

function reportText(robot: Robot, found: Equilibrium, held: readonly number[]): string {
  const { q, holding, residual, scale, iterations, byContinuation } = found;
  const lines = [
    formatTable(
      robot.coordinates.map(({ name, unit }, i) => [
        name,
        String(q[i]!),
        unit === '1' ? '' : unit,
        held.includes(i) ? `held by ${Number(holding[i]!.toPrecision(6))} ${forceUnit(unit)}` : '',
      ]),
    ),
    `residual ${residual.toExponential(1)} of forces up to ${scale.toExponential(1)}, ${iterations} iterations${
      byContinuation ? ' along the path of growing loads' : ''
    }`,
    ...(robot.loops ?? [])
      .flatMap(({ rows }) => rows)
      .map(({ name, forceUnit: unit }, j) => `loop ${name}: ${Number(found.multipliers![j]!.toPrecision(6))} ${unit}`),
    stabilityOf(found),
    ...outsideText(robot, q),
  ];
  return `${lines.join('\n')}\n`;
}

/** A line about coordinates that end where the model was not made for. */
export function outsideText(robot: Robot, q: readonly number[]): string[] {
  const outside = robot.coordinates.flatMap(({ name, lower = -Infinity, upper = Infinity }, i) =>
    q[i]! < lower || q[i]! > upper ? [`${name} (${lower} to ${upper})`] : [],
  );
  return outside.length === 0 ? [] : [`outside of their limits: ${outside.join(', ')}`];
}
