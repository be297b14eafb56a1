/** `kanegen statics`: the equilibrium of a robot under gravity, inputs and loads. */
import { forceUnit } from '../../../description/model/robot.ts';
import { yieldNumbers } from '../../../description/model/loop.ts';
import { storedInLoops } from '../../../simulation/run/loop-energies.ts';
import type { Robot } from '../../../description/model/robot.ts';
import type { LoadedRod } from '../../../kane/loaded/loaded-rod.ts';
import type { RunningRobot } from '../../../api/code.ts';
import type { Equilibrium } from '../../../simulation/equilibria/equilibrium.ts';
import { movingCoordinates } from '../../../simulation/equilibria/softest-motion.ts';
import { heldStartOf, loadsOf, siNumber, startOf, type LoadOptions } from '../../options/acting-loads.ts';
import { openToRun } from '../../files/open.ts';
import type { FileOptions } from '../../files/file-options.ts';
import { checkFile, writeFileOrKeep } from '../../files/output.ts';
import { checkPictureOptions, figureForm, lookOf, type LookOptions } from '../../options/pictures.ts';
import { UsageError } from '../../terminal/failure.ts';
import { withProgress } from '../../terminal/progress.ts';
import { formatTable } from '../../terminal/table.ts';
import { print } from '../../terminal/terminal.ts';

interface StaticsOptions extends LoadOptions, FileOptions, LookOptions {
  readonly from?: string;
  readonly figure?: string;
  /** Of the rod without its coordinates, too? */
  readonly rod?: boolean;
  /** NAME=CHANGE */
  readonly profile: readonly string[];
  readonly json?: boolean;
}

export async function staticsCommand(file: string, options: StaticsOptions): Promise<void> {
  const { figure } = options;
  checkPictureOptions(options);
  if (figure !== undefined) checkFile(figure, '--figure');
  const robot = await openToRun(file, options);
  const { model } = robot;
  const { start, held } = heldStartOf(model, options, startOf(model, '--from', options.from));
  if (options.rod && (held.length > 0 || options.force.length > 0))
    throw new UsageError('--rod has no coordinates that --hold or --force could act on: leave them out');
  const profiles = profilesOf(options.profile);
  if (options.profile.length > 0 && !options.rod) throw new UsageError('--profile belongs to --rod');
  const { inputs = {}, wrenches = [] } = loadsOf(model, options);
  const itself = (): Promise<LoadedRod> => robot.rodStatics({ inputs, wrenches, profiles });
  if (options.rod && hasProfiles(model)) {
    if (figure !== undefined) throw new UsageError('--figure draws coordinates, and this rod has none');
    const rod = { ...(await itself()), link: rodNameOf(model) };
    print(options.json ? `${JSON.stringify({ robot: model.name, rod }, null, 2)}\n` : `${rodText(rod).join('\n')}\n`);
    return;
  }
  const found = await withProgress((show) => {
    show('compiling, and searching the equilibrium');
    return robot.statics({ ...loadsOf(model, options), held, ...(start && { start }) });
  });
  if (figure !== undefined) {
    const { pictureOf } = await import('../../../report/pictures/pictures.ts');
    const picture = pictureOf(model, [{ t: 0, q: found.q }], figureForm(figure), lookOf(options));
    writeFileOrKeep(figure, picture, '--figure');
  }
  const running = await (await robot.compile({ derivatives: true })).run();
  const places = placesOf(model, running, found.q);
  const rod = options.rod && (await itself());
  const own = rod ? ofRod(model, rod, places) : undefined;
  print(options.json ? jsonText(model, found, places, own) : reportText(model, found, held, places, own));
}

export function stabilityOf({ smallestEigenvalue }: Equilibrium): string {
  const stable = smallestEigenvalue > 0 ? 'stable' : smallestEigenvalue === 0 ? 'indifferent' : 'NOT stable';
  return `${stable}: smallest eigenvalue of the tangent stiffness ${smallestEigenvalue.toPrecision(6)}`;
}

/** Which way an equilibrium that is not stable is left, and what to try. */
function leavingText(robot: Robot, { smallestEigenvalue, softest }: Equilibrium): string[] {
  if (smallestEigenvalue > 0) return [];
  const moving = movingCoordinates(robot, softest);
  const first = moving[0]!.name;
  const listed = moving.slice(0, 4).map(({ name, change }) => `${name} ${Number(change.toPrecision(2))}`);
  const way = moving.length === 1 ? first : `${listed.join(', ')}${moving.length > 4 ? ', …' : ''}`;
  if (smallestEigenvalue === 0) return [`nothing resists ${way}: \`--hold ${first}\` keeps it where it is`];
  return [
    `it leaves along ${way}, or the other way`,
    `  → for another one beside it, begin with ${first} moved: \`--from\` a named state; \`--hold ${first}=VALUE\` keeps it there; \`kanegen linearise\` says how fast it leaves`,
  ];
}

/** What a robot is like at a configuration at rest. */
interface Places {
  /** By frame: x, y, z in m, world axes. */
  readonly frames: readonly (readonly number[])[];
  /** By actuator, the actuation coordinate: of tendons minus their length. */
  readonly actuators: readonly number[];
  /** J */
  readonly energies: { readonly potential: number; readonly elastic: number };
}

function placesOf(robot: Robot, dynamics: RunningRobot, q: readonly number[]): Places {
  const { frames, actuators } = robot;
  demandOk(
    dynamics.update(
      q,
      q.map(() => 0),
    ),
  );
  const place = new Float64Array(3);
  const y = new Float64Array(actuators.length);
  const energies = new Float64Array(3);
  const at = frames.map((_, index) => {
    demandOk(dynamics.frame(index, null, place, null));
    return [...place];
  });
  if (actuators.length > 0) demandOk(dynamics.actuation(y, null, null, null));
  demandOk(dynamics.energies(energies));
  const numbers = yieldNumbers(robot, dynamics.parameters);
  const phi = new Float64Array(numbers.length);
  if (dynamics.constraint) demandOk(dynamics.constraint(phi, null, null));
  const elastic = energies[2]! + storedInLoops(robot, numbers, phi);
  return { frames: at, actuators: [...y], energies: { potential: energies[1]!, elastic } };
}

function demandOk(status: number): void {
  if (status !== 0) throw new Error(`the equilibrium has status ${status}`);
}

/** By name. @throws UsageError */
function profilesOf(pairs: readonly string[]): Record<string, number> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, value, ...others] = pair.split('=');
      if (!name || value === undefined || others.length > 0)
        throw new UsageError(`--profile takes NAME=CHANGE, not ${JSON.stringify(pair)}`);
      return [name, siNumber(`--profile ${pair}`, value, '1')];
    }),
  );
}

const hasProfiles = ({ links }: Robot): boolean =>
  links.some(
    ({ body }) =>
      body.kind === 'deformable' &&
      body.type.kinematics.kind === 'strain' &&
      body.type.kinematics.equilibrium?.profiles !== undefined,
  );

const rodNameOf = ({ links }: Robot): string => links.find(({ body }) => body.kind === 'deformable')!.name;

/** A rod in equilibrium without coordinates, and how far its end is from where they put it, in m, where there are some. */
interface RodItself extends LoadedRod {
  readonly link: string;
  readonly apart?: number;
}

function ofRod(robot: Robot, rod: LoadedRod, places: Places): RodItself {
  const link = rodNameOf(robot);
  const { frames } = robot;
  const end = places.frames[frames.findIndex(({ name }) => name === link)]!;
  return { ...rod, link, apart: Math.hypot(...rod.position.map((e, i) => e - end[i]!)) };
}

function rodText({ link, position, unloaded, apart, profiles, unstable }: RodItself): string[] {
  const at = (place: readonly number[]): string => `${place.map(digits).join(', ')} m`;
  return [
    `${link} without coordinates ends at ${at(position)}${apart === undefined ? '' : `, ${digits(apart)} m from there`}; without weight and loads at ${at(unloaded)}`,
    ...profiles.map(
      ({ name, end, effort }) => `${name} ends at ${digits(end)}; ${digits(effort)} J for each unit holds its start`,
    ),
    ...(unstable.length > 0 ? [`it is NOT stable: it buckles beyond ${digits(unstable[0]!)} m`] : []),
    ...(unstable.length > 0 && profiles.length > 0
      ? [
          `  → for another equilibrium beside it, begin with the end moved: \`--profile ${profiles[0]!.name}=1\`, or the other way`,
        ]
      : []),
  ];
}

function jsonText(
  robot: Robot,
  { q, holding, softest, ...found }: Equilibrium,
  places: Places,
  rod?: RodItself,
): string {
  const byName = (named: readonly { readonly name: string }[], values: readonly unknown[]): object =>
    Object.fromEntries(named.map(({ name }, i) => [name, values[i]!]));
  const { coordinates, frames, actuators } = robot;
  const result = {
    robot: robot.name,
    coordinates: byName(coordinates, q),
    holding: byName(coordinates, holding),
    ...found,
    softest: byName(coordinates, softest),
    frames: byName(frames, places.frames),
    actuation: byName(actuators, places.actuators),
    energies: places.energies,
    ...(rod && { rod }),
  };
  return `${JSON.stringify(result, null, 2)}\n`;
}

/** Digits for people; `--json` has all. */
const digits = (value: number): string => String(Number(value.toPrecision(5)));
const withUnit = (value: number, unit: string): string => `${digits(value)}${unit === '1' ? '' : ` ${unit}`}`;

function reportText(
  robot: Robot,
  found: Equilibrium,
  held: readonly number[],
  places: Places,
  rod: RodItself | undefined,
): string {
  const { q, holding, residual, scale, iterations, byContinuation } = found;
  const { potential, elastic } = places.energies;
  const lines = [
    formatTable(
      robot.coordinates.map(({ name, unit }, i) => [
        name,
        digits(q[i]!),
        unit === '1' ? '' : unit,
        held.includes(i) ? `held by ${withUnit(holding[i]!, forceUnit(unit))}` : '',
      ]),
    ),
    `tip ${robot.frames[robot.tip]!.name} at ${places.frames[robot.tip]!.map(digits).join(', ')} m`,
    ...(rod ? rodText(rod) : []),
    ...robot.actuators.map((actuator, i) => `${actuator.name}: ${actuationText(actuator, places.actuators[i]!)}`),
    `energy: potential ${digits(potential)} J, elastic ${digits(elastic)} J`,
    `residual ${residual.toExponential(1)} of forces up to ${scale.toExponential(1)}, ${iterations} iterations${
      byContinuation ? ' along the path of growing loads' : ''
    }`,
    ...(robot.loops ?? [])
      .flatMap(({ rows }) => rows)
      .map(({ name, forceUnit: unit }, j) => `loop ${name}: ${withUnit(found.multipliers![j]!, unit)}`),
    stabilityOf(found),
    ...leavingText(robot, found),
    ...pushingText(robot, found.multipliers ?? []),
    ...outsideText(robot, q),
  ];
  return `${lines.join('\n')}\n`;
}

/** A line about lengths that push: rods do, ropes do not. */
function pushingText({ loops = [] }: Robot, multipliers: readonly number[]): string[] {
  const rows = loops.flatMap((loop) => loop.rows.map((row) => ({ ...loop, row })));
  const pushing = rows.flatMap(({ kind, name, row }, j) =>
    kind === 'distance' && !row.isRope && multipliers[j]! > 0 ? [`\`${name}\``] : [],
  );
  if (pushing.length === 0) return [];
  const push = pushing.length === 1 ? 'pushes' : 'push';
  return [`${pushing.join(', ')} ${push}: a rope would be slack, \`unilateral: true\` of its \`distance\` says so`];
}

/** `length 0.2 m` of a tendon, `volume 1e-5 m^3` of a chamber. */
function actuationText({ kind, coordinateUnit }: Robot['actuators'][number], y: number): string {
  if (kind === 'tendon') return `length ${withUnit(-y, coordinateUnit)}`;
  return `${kind === 'pressure' ? 'volume' : 'at'} ${withUnit(y, coordinateUnit)}`;
}

/** A line about coordinates that end where the model was not made for. */
export function outsideText(robot: Robot, q: readonly number[]): string[] {
  const outside = robot.coordinates.flatMap(({ name, lower = -Infinity, upper = Infinity }, i) =>
    q[i]! < lower || q[i]! > upper ? [`${name} (${lower} to ${upper})`] : [],
  );
  return outside.length === 0 ? [] : [`outside of their limits: ${outside.join(', ')}`];
}
