/** Equilibria of a rod under tensions, its weight, and a dead force and moment at its tip, against reference files: tip, its derivatives, and what holds the base. */
import { loadRobotObject } from '../../description/load.ts';
import { equilibriumOfRod, NoRodEquilibrium } from '../../kane/loaded/loaded-rod.ts';
import { rodOfRobot } from '../../kane/loaded/rod-of-robot.ts';
import type { ReferenceState } from './reference-state.ts';

/** By state: the entry that is furthest, relative to the largest of its quantity. */
export function equilibriumDeviations(
  source: object,
  states: readonly ReferenceState[],
  places: readonly number[],
): readonly { readonly state: string; readonly entry: string; readonly error: number }[] {
  const { sections, base, gravity } = rodOfRobot(loadRobotObject(source));
  return states.flatMap((own) => {
    const numbers = (values: readonly (number | string)[] = []): number[] => values.map(Number);
    const loads = {
      gravity,
      moment: numbers(own.tip_moment),
      forces: [{ force: numbers(own.tip_force), arm: [0, 0, 0] }],
    };
    const rows = (values: readonly (readonly (number | string)[])[] = []): number[] => values.flat().map(Number);
    try {
      const found = equilibriumOfRod(sections, { q: own.tension ?? [], base, loads, places });
      const pairs: readonly (readonly [string, readonly number[], readonly number[]])[] = [
        ['tip_position', found.position, numbers(own.tip_position)],
        ['tip_rotation', found.rotation.flat(), rows(own.tip_rotation)],
        ['tip_jacobian_tension', found.byCoordinate.flat(), rows(own.tip_jacobian_tension)],
        ['tip_jacobian_force', found.byForce.flat(), rows(own.tip_jacobian_force)],
        ['tip_jacobian_moment', found.byMoment.flat(), rows(own.tip_jacobian_moment)],
        ['base_moment', found.base.moment, numbers(own.base_moment)],
        ['strain', found.strains.flat(), rows(own.strain)],
      ];
      return pairs.map(([entry, values, due]) => ({ state: own.name, entry, error: apart(values, due) }));
    } catch (error) {
      if (error instanceof NoRodEquilibrium) return [{ state: own.name, entry: error.message, error: Infinity }];
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
