/** `kanegen statics`: the equilibrium of a robot under gravity, inputs and loads. */
import { loadGenerated, type LoadedRobot } from '../../codegen/typescript/load.ts';
import { generateTypeScript } from '../../codegen/typescript/typescript.ts';
import { forceUnit } from '../../codegen/whole-robot/straight-header.ts';
import type { Robot } from '../../description/model/robot.ts';
import { compileRobot } from '../../kane/compile.ts';
import { equilibrium, NoEquilibrium, type Equilibrium } from '../../simulation/equilibria/statics.ts';
import { KanegenError } from '../../common/error.ts';
import { heldStartOf, loadsOf, startOf, type LoadOptions } from '../options/acting-loads.ts';
import { loadRobot, type FileOptions } from '../files/load.ts';
import { Progress } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import { print } from '../terminal/terminal.ts';
import type { StaticLoads } from '../../simulation/equilibria/static-loads.ts';

interface StaticsOptions extends LoadOptions, FileOptions {
  readonly from?: string;
  readonly json?: boolean;
}

export async function staticsCommand(file: string, options: StaticsOptions): Promise<void> {
  const robot = loadRobot(file, options);
  const { start, held } = heldStartOf(robot, options, startOf(robot, '--from', options.from));
  const loads = { ...loadsOf(robot, options), held };
  const progress = new Progress();
  progress.show('compiling');
  const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot, { derivatives: true })));
  const dynamics = create();
  progress.show('searching the equilibrium');
  try {
    const found = equilibriumOf(file, robot, dynamics, loads, start);
    progress.clear();
    print(options.json ? jsonText(robot, found) : reportText(robot, found, held));
  } finally {
    progress.clear();
  }
}

/** @throws KanegenError `no-equilibrium` */
export function equilibriumOf(
  file: string,
  robot: Robot,
  dynamics: LoadedRobot,
  loads: StaticLoads,
  start: readonly number[] | undefined,
): Equilibrium {
  return atEquilibrium(file, () => equilibrium(robot, dynamics, loads, start));
}

/** @throws KanegenError `no-equilibrium` saying at which share of the loads the search ended, and why. */
export function atEquilibrium<Result>(file: string, search: () => Result): Result {
  try {
    return search();
  } catch (error) {
    if (!(error instanceof NoEquilibrium)) throw error;
    const share = Number((100 * error.loadFactor).toPrecision(3));
    const where = `beyond ${share} % of gravity and loads`;
    const reached =
      share === 0 ? '' : ` ${share > 0 ? where : 'of gravity and loads: the path of equilibria turns back'}`;
    throw new KanegenError('no-equilibrium', `${file}: no equilibrium${reached}: ${error.message}`, {
      remedy:
        'hold it with --hold NAME, a spring, an --input or a --force, reduce the loads, or start from another state with --from STATE',
    });
  }
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
