/** `kanegen ik`: coordinates, or inputs at whose equilibrium, frames of a robot have poses, or come nearest to them. */
import type { Robot } from '../../../description/model/robot.ts';
import type { InverseKinematicsResult } from '../../../simulation/equilibria/inverse-kinematics.ts';
import type { InverseStaticsResult } from '../../../simulation/equilibria/inverse-statics.ts';
import type { PoseGoal, PoseSearchResult } from '../../../simulation/equilibria/pose-search.ts';
import { KanegenError } from '../../../common/error.ts';
import { nearest } from '../../../common/nearest.ts';
import { heldStartOf, loadsOf, siNumber, startOf, type LoadOptions } from '../../options/acting-loads.ts';
import { UsageError } from '../../terminal/failure.ts';
import { openToRun } from '../../files/open.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { wholeNumber } from '../../terminal/numbers.ts';
import { formatTable } from '../../terminal/table.ts';
import { print } from '../../terminal/terminal.ts';
import { outsideText, stabilityOf } from './statics.ts';

interface InverseKinematicsOptions extends Pick<LoadOptions, 'force' | 'load' | 'follower' | 'hold'>, FileOptions {
  readonly frame: readonly string[];
  readonly pose: readonly string[];
  readonly from?: string;
  readonly equilibrium?: boolean;
  readonly starts: string;
  readonly seed: string;
  readonly json?: boolean;
}

const MOST_STARTS = 100_000;
/** Of numbers of a pose: no robot is that large, and squares of errors stay numbers. */
const FARTHEST = 1e9;

export async function inverseKinematicsCommand(file: string, options: InverseKinematicsOptions): Promise<void> {
  const starts = wholeNumber('--starts', options.starts, 1, MOST_STARTS);
  const seed = wholeNumber('--seed', options.seed, 0);
  const poses = options.pose.map(poseOf);
  if (options.frame.length !== poses.length && (options.frame.length > 0 || poses.length > 1))
    throw new UsageError(
      `give one --frame per --pose, in the same order: ${options.frame.length} --frame for ${poses.length} --pose`,
    );
  const robot = await openToRun(file, options);
  const { model } = robot;
  const goals = poses.map((pose, k) => ({ ...pose, frame: frameOf(model, options.frame[k]) }));
  const { start, held } = heldStartOf(model, options, startOf(model, '--from', options.from));
  const derivatives = options.equilibrium === true;
  if (derivatives) demandActuators(file, model);
  for (const name of ['force', 'load', 'follower'] as const)
    if (!derivatives && options[name].length > 0)
      throw new UsageError(`--${name} needs --equilibrium: without it, coordinates do not depend on loads`);
  if (!derivatives && held.length > 0)
    throw new UsageError('--hold needs --equilibrium: without it, the limits of a coordinate hold it');
  const { forces, wrenches } = loadsOf(model, { ...options, input: [] });
  const search = { ...(start && { start }), restarts: starts - 1, seed };
  const loads = { ...(forces && { forces }), ...(wrenches && { wrenches }), held };
  const frames = goals.map(({ frame }) => robot.frames[frame]!);
  const { reached, text } = derivatives
    ? ofInputs(model, frames, await robot.inverseStatics(goals, { ...search, ...loads }), options)
    : ofCoordinates(model, frames, await robot.inverseKinematics(goals, search), options);
  print(text);
  if (!reached) process.exitCode = 1;
}

/** What `--equilibrium` searches. @throws KanegenError `no-actuators` */
export function demandActuators(file: string, { name, actuators }: Robot): void {
  if (actuators.length > 0) return;
  throw new KanegenError('no-actuators', `${file}: --equilibrium searches inputs, and ${name} has no actuators`, {
    remedy: 'remove it to search coordinates, or give the robot `actuators`',
  });
}

/** `X,Y,Z` or `X,Y,Z,ROLL,PITCH,YAW` with R = Rz(yaw) Ry(pitch) Rx(roll), in m and rad or with units. @throws UsageError */
function poseOf(text: string): Omit<PoseGoal, 'frame'> {
  const parts = text.split(',');
  if (parts.length !== 3 && parts.length !== 6)
    throw new UsageError(`--pose takes X,Y,Z or X,Y,Z,ROLL,PITCH,YAW in m and rad, not ${JSON.stringify(text)}`);
  const numbers = parts.map((part, i) => siNumber(`--pose ${text}`, part, i < 3 ? 'm' : 'rad'));
  const far = numbers.findIndex((x) => Math.abs(x) > FARTHEST);
  if (far >= 0)
    throw new UsageError(`--pose ${text}: ${parts[far]!.trim()} is beyond ${FARTHEST} ${far < 3 ? 'm' : 'rad'}`);
  const [x, y, z, roll, pitch, yaw] = numbers as [number, number, number, number?, number?, number?];
  if (roll === undefined) return { position: [x, y, z] };
  const [a, b, c] = [roll, pitch!, yaw!].map((angle) => ({ c: Math.cos(angle), s: Math.sin(angle) })) as [
    Turn,
    Turn,
    Turn,
  ];
  return {
    position: [x, y, z],
    rotation: [
      ...[c.c * b.c, c.c * b.s * a.s - c.s * a.c, c.c * b.s * a.c + c.s * a.s],
      ...[c.s * b.c, c.s * b.s * a.s + c.c * a.c, c.s * b.s * a.c - c.c * a.s],
      ...[-b.s, b.c * a.s, b.c * a.c],
    ],
  };
}

interface Turn {
  readonly c: number;
  readonly s: number;
}

function frameOf(robot: Robot, name: string | undefined): number {
  if (name === undefined) return robot.tip;
  const known = robot.frames.map((frame) => frame.name);
  const index = known.indexOf(name);
  if (index >= 0) return index;
  if (name === 'tip') return robot.tip;
  const close = nearest(name, known);
  throw new UsageError(
    `--frame: unknown frame ${JSON.stringify(name)}; ${close === undefined ? `frames: ${known.slice(0, 30).join(', ')}` : `did you mean ${close}?`}`,
  );
}

interface Answer {
  readonly reached: boolean;
  readonly text: string;
}

function ofCoordinates(
  robot: Robot,
  frames: readonly string[],
  { q, ...found }: InverseKinematicsResult,
  { json }: InverseKinematicsOptions,
): Answer {
  const { coordinates } = robot;
  const text = json
    ? jsonText({ robot: robot.name, coordinates: byName(coordinates, q), ...found })
    : `${valueTable(coordinates, q)}\n${verdict(frames, found)}\n`;
  return { reached: found.reached, text };
}

function ofInputs(
  robot: Robot,
  frames: readonly string[],
  { inputs, equilibrium, ...found }: InverseStaticsResult,
  { json }: InverseKinematicsOptions,
): Answer {
  const { actuators, coordinates } = robot;
  const { q, smallestEigenvalue } = equilibrium;
  const text = json
    ? jsonText({
        robot: robot.name,
        inputs: byName(actuators, inputs),
        coordinates: byName(coordinates, q),
        ...found,
        smallestEigenvalue,
      })
    : [
        valueTable(actuators, inputs),
        `\nequilibrium, ${stabilityOf(equilibrium)}`,
        valueTable(coordinates, q),
        ...outsideText(robot, q),
        verdict(frames, found),
        '',
      ].join('\n');
  return { reached: found.reached, text };
}

interface Named {
  readonly name: string;
  readonly unit: string;
}

const jsonText = (result: object): string => `${JSON.stringify(result, null, 2)}\n`;

const byName = (all: readonly Named[], values: readonly number[]): Record<string, number> =>
  Object.fromEntries(all.map(({ name }, i) => [name, values[i]!]));

const valueTable = (all: readonly Named[], values: readonly number[]): string =>
  formatTable(all.map(({ name, unit }, i) => [name, String(values[i]!), unit === '1' ? '' : unit]));

function verdict(frames: readonly string[], { reached, distance, angle, starts, steps }: PoseSearchResult): string {
  const effort = `${starts} start${starts === 1 ? '' : 's'}, ${steps} steps`;
  const left = `${distance.toExponential(1)} m and ${angle.toExponential(1)} rad`;
  const [names, isOne] = [frames.join(', '), frames.length === 1];
  if (reached) return `${names} ${isOne ? 'is' : 'are'} there, to ${left} (${effort})`;
  const nearest = isOne ? `the closest pose of ${names} found is` : `the closest poses of ${names} found are`;
  return `NOT reached: ${nearest} off by ${left} (${effort})`;
}
