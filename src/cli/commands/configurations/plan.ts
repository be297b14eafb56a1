/** `kanegen plan`: a file of coordinates, actuation coordinates and inputs with which frames pass given places, for splines of scenarios. */
import type { SymbolicRobot } from '../../../api/robot.ts';
import { KanegenError } from '../../../common/error.ts';
import { nearest } from '../../../common/nearest.ts';
import { TIME } from '../../../description/model/robot.ts';
import { readText } from '../../../files/read.ts';
import { columnName, missingColumnRemedy } from '../../../description/values/column-name.ts';
import { dues } from '../../../description/values/scope.ts';
import { columnTable, csvCells } from '../../../simulation/scenario/csv-signal.ts';
import { openToRun } from '../../files/open.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { checkFile, isSameFile, writeFileOrKeep } from '../../files/output.ts';
import { startOf } from '../../options/acting-loads.ts';
import { withProgress } from '../../terminal/progress.ts';
import { formatTable } from '../../terminal/table.ts';
import { UsageError } from '../../terminal/failure.ts';
import { print } from '../../terminal/terminal.ts';
import { demandActuators } from './ik.ts';
import { outsideText } from './statics.ts';

interface PlanOptions extends FileOptions {
  readonly path: string;
  readonly out: string;
  readonly from?: string;
  readonly equilibrium?: boolean;
}

/** Where frames are to be at a time. */
interface Waypoint {
  /** s */
  readonly t: number;
  /** World axes, m. */
  readonly goals: readonly { readonly frame: string; readonly position: readonly [number, number, number] }[];
}

/** What was found for a waypoint: numbers by the names of their columns. */
interface Found {
  readonly columns: Readonly<Record<string, number>>;
  readonly reached: boolean;
  readonly distance: number;
}

const AXES = ['x', 'y', 'z'] as const;

export async function planCommand(file: string, options: PlanOptions): Promise<void> {
  const { path, out } = options;
  checkFile(out);
  if (isSameFile(path, out))
    throw new UsageError(`--out ${out} is the file of --path, which would be lost: choose another name`);
  const robot = await openToRun(file, options);
  if (options.equilibrium) demandActuators(file, robot.model);
  const waypoints = readPath(robot, path, readText(path));
  const start = startOf(robot.model, '--from', options.from);
  const found = await withProgress((show) => {
    show('compiling, and searching');
    const due = followed(waypoints, show);
    return options.equilibrium ? equilibria(robot, due, start) : configurations(robot, due, start);
  });
  const outside = outsideOf(robot, waypoints, found);
  const missed = found.filter(({ reached }) => !reached).length;
  const rows = found.map(({ reached, distance }, i) => [
    reached ? 'reached' : 'NOT reached',
    `${waypoints[i]!.t} s`,
    reached ? '' : `closest: ${distance.toExponential(1)} m away`,
  ]);
  print(`${[formatTable(rows), ...outside].join('\n')}\n`);
  if (missed > 0) {
    process.exitCode = 1;
    print(`${missed} of ${found.length} waypoints are not reached: nothing is written\n`);
    return;
  }
  const names = Object.keys(found[0]!.columns);
  const lines = found.map(({ columns }, i) => [waypoints[i]!.t, ...names.map((name) => columns[name]!)].join(','));
  writeFileOrKeep(out, `${['t', ...names].join(',')}\n${lines.join('\n')}\n`, '--out');
  print(`${out}: ${['t', ...names].join(', ')}\n`);
}

/** A line where coordinates are outside of their limits: equilibria may be. */
function outsideOf(robot: SymbolicRobot, waypoints: readonly Waypoint[], found: readonly Found[]): string[] {
  const lines = found.map(({ columns }) =>
    outsideText(
      robot.model,
      robot.coordinates.map((name) => columns[name]!),
    ).join(''),
  );
  const first = lines.findIndex((line) => line !== '');
  if (first < 0) return [];
  const count = lines.filter((line) => line !== '').length;
  return [`${count} of ${found.length} waypoints, the first at ${waypoints[first]!.t} s, ${lines[first]!}`];
}

/** Waypoints of a CSV file with columns `t` and, for each frame, `NAME x`, `NAME y`, `NAME z`. @throws KanegenError */
function readPath(robot: SymbolicRobot, file: string, text: string): Waypoint[] {
  const [first = []] = csvCells(text);
  const header = first.map((cell) => columnName(cell).name);
  const frames = [...new Set(header.flatMap((name) => /^(.+) [xyz]$/.exec(name)?.[1] ?? []))];
  const location = { file, line: 1, column: 1, path: '' };
  const tip = robot.frames[robot.model.tip]!;
  if (!header.includes('t') && first.some((cell) => cell !== ''))
    throw new KanegenError('unknown-column', 'the file has no column `t`', {
      location,
      remedy: missingColumnRemedy('t', first),
    });
  if (frames.length === 0)
    throw new KanegenError('unknown-column', 'the file has no places of frames', {
      location,
      remedy: `write columns such as \`t,${tip} x,${tip} y,${tip} z\``,
    });
  for (const frame of frames) {
    if (robot.frames.includes(frame)) continue;
    const close = nearest(frame, robot.frames);
    throw new KanegenError('unknown-frame', `unknown frame \`${frame}\``, {
      location,
      remedy: close === undefined ? `frames: ${robot.frames.slice(0, 30).join(', ')}` : `did you mean \`${close}\`?`,
    });
  }
  const tables = frames.map((frame) =>
    AXES.map((axis) =>
      columnTable(file, text, { time: 't', column: `${frame} ${axis}`, dimension: dues.length.dimension }),
    ),
  );
  return tables[0]![0]!.times.map((t, row) => ({
    t,
    goals: frames.map((frame, k) => {
      const [x, y, z] = tables[k]!.map(({ values }) => values[row]!) as [number, number, number];
      return { frame, position: [x, y, z] };
    }),
  }));
}

/** Of a robot that depends on the time: at a waypoint it is as it is then. */
function timeAt({ model }: SymbolicRobot, { t }: Waypoint): { readonly time?: number } {
  return model.time ? { time: t } : {};
}

/** One after the other, each announced. */
function* followed(waypoints: readonly Waypoint[], show: (message: string) => void): Generator<Waypoint> {
  for (const [i, waypoint] of waypoints.entries()) {
    if (i > 0) show(`waypoint ${i + 1} of ${waypoints.length}`);
    yield waypoint;
  }
}

/** Each search begins where the one before ended. */
async function configurations(
  robot: SymbolicRobot,
  waypoints: Iterable<Waypoint>,
  start: readonly number[] | undefined,
): Promise<Found[]> {
  const all: Found[] = [];
  let last = start;
  for (const waypoint of waypoints) {
    const begin = { ...(last && { start: last }), ...timeAt(robot, waypoint) };
    const { q, reached, distance } = await robot.inverseKinematics(waypoint.goals, begin);
    last = q;
    all.push({ columns: Object.fromEntries(robot.coordinates.map((name, i) => [name, q[i]!])), reached, distance });
  }
  return all;
}

async function equilibria(
  robot: SymbolicRobot,
  waypoints: Iterable<Waypoint>,
  start: readonly number[] | undefined,
): Promise<Found[]> {
  const { actuators, coordinates } = robot.model;
  const dynamics = robot.model.time ? await (await robot.compile()).run() : await robot.standing();
  const all: Found[] = [];
  let last: { start?: readonly number[]; inputs?: readonly number[] } = start ? { start } : {};
  for (const waypoint of waypoints) {
    const at = timeAt(robot, waypoint);
    const { inputs, equilibrium, reached, distance } = await robot.inverseStatics(waypoint.goals, { ...last, ...at });
    last = { start: equilibrium.q, inputs };
    if (at.time !== undefined) dynamics.parameters[TIME.name] = at.time;
    dynamics.update(equilibrium.q, new Float64Array(coordinates.length));
    const y = new Float64Array(actuators.length);
    dynamics.actuation(y, null, null, null);
    const columns = Object.fromEntries([
      ...coordinates.map(({ name }, i) => [name, equilibrium.q[i]!] as const),
      ...actuators.map(({ name }, i) => [name, y[i]!] as const),
      ...actuators.map(({ name }, i) => [`u ${name}`, inputs[i]!] as const),
    ]);
    all.push({ columns, reached, distance });
  }
  return all;
}
