/** `robot.rodStatics`: a rod under its actuators, its weight and loads at its end, without coordinates. */
import { KanegenError } from '../common/error.ts';
import type { Robot } from '../description/model/robot.ts';
import { equilibriumOfRod, NoRodEquilibrium, type LoadedRod } from '../kane/loaded/loaded-rod.ts';
import { rodOfRobot, weightsOf } from '../kane/loaded/rod-of-robot.ts';
import { finite, numbersOf, refusalOf, wrenchesOf, type Loads } from './by-name.ts';

/** What acts on the rod beside weight, and what is asked for. */
export interface RodStaticsOptions extends Pick<Loads, 'inputs' | 'wrenches'> {
  /** By name, by which a profile changes until the end where the search begins; 0 when missing. */
  readonly profiles?: Readonly<Record<string, number>>;
  /** m along the rod, where strains are asked for. */
  readonly places?: readonly number[];
  /** Along the rod; doubled until nothing changes when missing. */
  readonly steps?: number;
}

/** @throws KanegenError `not-supported` at what such a rod cannot have, `no-equilibrium`, `wrong-argument`. */
export function rodStatics(robot: Robot, file: string, options: RodStaticsOptions): LoadedRod {
  const refuse = refusalOf('rodStatics');
  const { inputs = {}, wrenches = [], profiles = {}, places = [], steps } = options;
  const q = numbersOf(refuse, 'inputs', inputs, robot.actuators, { what: 'actuator' });
  const given = wrenchesOf(refuse, robot, wrenches);
  if (steps !== undefined && !(Number.isInteger(steps) && steps > 0))
    throw refuse(`steps: ${steps} is not a number of steps`, 'give a whole number above zero, or leave it out');
  const { sections, base, gravity, carried, arms, link } = rodOfRobot(robot);
  const begin = numbersOf(refuse, 'profiles', profiles, sections.profiles, { what: 'profile' });
  const [from, to] = [sections.ends[0]!, sections.ends.at(-1)!];
  places.forEach((place, i) => {
    const s = finite(refuse, `places[${i}]`, place);
    if (s < from || s > to)
      throw refuse(`places[${i}]: there is no rod at ${s} m`, `give places from ${from} to ${to} m`);
  });
  const forces = given.map(({ frame, wrench, follows }, i) => {
    if (follows)
      throw refuse(`wrenches[${i}]: a load that follows its frame`, 'give it in world axes, or use `statics`');
    const arm = arms.get(frame);
    if (!arm)
      throw refuse(
        `wrenches[${i}].frame: \`${robot.frames[frame]!.name}\` is not on the end of the rod`,
        `give the load on one of ${[...arms.keys()].map((k) => robot.frames[k]!.name).join(', ')}`,
      );
    return { force: wrench.slice(3), arm };
  });
  const moment = [0, 1, 2].map((k) => given.reduce((sum, { wrench }) => sum + wrench[k]!, 0));
  try {
    return equilibriumOfRod(sections, {
      ...{ q, begin, base, places, loads: { gravity, moment, forces: [...weightsOf(carried, gravity), ...forces] } },
      ...(steps !== undefined && { steps }),
    });
  } catch (error) {
    if (!(error instanceof NoRodEquilibrium)) throw error;
    const share = Number((100 * error.share).toPrecision(3));
    const reached = share > 0 ? ` beyond ${share} % of weight and loads` : '';
    throw new KanegenError('no-equilibrium', `${file}: \`${link}\`: no equilibrium${reached}: ${error.message}`, {
      remedy: 'reduce the inputs or the loads, or write a stiffer `material`',
    });
  }
}
