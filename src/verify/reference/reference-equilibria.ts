/**
 * Equilibria of a rod under tensions, its weight, and a dead force and moment at its tip, against reference files: tip, its derivatives, and what holds the base,
 * by generated code in a language; strains by the rod in numbers.
 */
import { rodAnswersInC, rodAnswersInTypeScript } from '../../codegen/rod-statics/run-rod-statics.ts';
import { rodStaticsModel, type RodStaticsModel } from '../../codegen/rod-statics/rod-statics-model.ts';
import type { TargetName } from '../../codegen/folder.ts';
import { RecentMap } from '../../common/recent-map.ts';
import { loadRobotObject } from '../../description/load.ts';
import { compileRobot } from '../../kane/compile.ts';
import { equilibriumOfRod, NoRodEquilibrium } from '../../kane/loaded/loaded-rod.ts';
import { rodOfRobot } from '../../kane/loaded/rod-of-robot.ts';
import { KG_OK } from '../../runtime/driver.ts';
import type { ReferenceState } from './reference-state.ts';

interface Furthest {
  readonly state: string;
  readonly entry: string;
  readonly error: number;
}

const numbers = (values: readonly (number | string)[] = []): number[] => values.map(Number);
const rows = (values: readonly (readonly (number | string)[])[] = []): number[] => values.flat().map(Number);

/** By state and entry how far it is, relative to the largest of its quantity. */
export async function equilibriumDeviations(
  source: object,
  states: readonly ReferenceState[],
  places: readonly number[],
  target: TargetName,
): Promise<readonly Furthest[]> {
  const robot = loadRobotObject(source);
  return [...strainDeviations(robot, states, places), ...(await endDeviations(source, robot, states, target))];
}

type LoadedRobot = ReturnType<typeof loadRobotObject>;

/** One robot is compared in both languages, one after the other. */
const made = new RecentMap<string, RodStaticsModel>(1);

function modelOf(source: object, robot: LoadedRobot): RodStaticsModel {
  const key = JSON.stringify(source);
  const known = made.get(key) ?? rodStaticsModel(robot, compileRobot(robot));
  made.set(key, known);
  return known;
}

async function endDeviations(
  source: object,
  robot: LoadedRobot,
  states: readonly ReferenceState[],
  target: TargetName,
): Promise<readonly Furthest[]> {
  const model = modelOf(source, robot);
  const asked = states.map((own) => ({
    gravity: robot.gravity,
    u: own.tension ?? [],
    wrench: [...numbers(own.tip_moment), ...numbers(own.tip_force)],
  }));
  const answers = await (target === 'c' ? rodAnswersInC(model, asked) : rodAnswersInTypeScript(model, asked));
  return states.flatMap((own, k) => {
    const { status, R, t, byInputs, byWrench, base } = answers[k]!;
    if (status !== KG_OK) return [{ state: own.name, entry: `status ${status}`, error: Infinity }];
    const part = (from: number): number[] => byWrench.filter((_, i) => Math.floor((i % 6) / 3) === from);
    const pairs: readonly (readonly [string, readonly number[], readonly number[]])[] = [
      ['tip_position', t, numbers(own.tip_position)],
      ['tip_rotation', R, rows(own.tip_rotation)],
      ['tip_jacobian_tension', byInputs, rows(own.tip_jacobian_tension)],
      ['tip_jacobian_force', part(1), rows(own.tip_jacobian_force)],
      ['tip_jacobian_moment', part(0), rows(own.tip_jacobian_moment)],
      ['base_moment', base.slice(0, 3), numbers(own.base_moment)],
    ];
    return pairs.map(([entry, values, due]) => ({ state: own.name, entry, error: apart(values, due) }));
  });
}

function strainDeviations(
  robot: LoadedRobot,
  states: readonly ReferenceState[],
  places: readonly number[],
): readonly Furthest[] {
  const { sections, base, gravity } = rodOfRobot(robot);
  return states.map((own): Furthest => {
    const force = numbers(own.tip_force);
    const loads = { gravity, moment: numbers(own.tip_moment), forces: [{ force, arm: [0, 0, 0] }] };
    try {
      const { strains } = equilibriumOfRod(sections, { q: own.tension ?? [], base, loads, places });
      return { state: own.name, entry: 'strain', error: apart(strains.flat(), rows(own.strain)) };
    } catch (error) {
      if (error instanceof NoRodEquilibrium) return { state: own.name, entry: error.message, error: Infinity };
      throw error;
    }
  });
}

function apart(found: readonly number[], due: readonly number[]): number {
  const scale = Math.max(...due.map(Math.abs));
  if (found.length !== due.length || !(scale > 0)) return Infinity;
  const largest = Math.max(...found.map((e, i) => Math.abs(e - due[i]!))) / scale;
  return Number.isNaN(largest) ? Infinity : largest;
}
