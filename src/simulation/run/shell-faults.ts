/** Faults of the shell of a controller in words: of which coordinates, references and periods, from what the shell kept of the step. */
import type { RunningShell } from '../../codegen/typescript/load.ts';
import { referencesOf, type Controller } from '../../description/model/controller.ts';
import { rateUnit, type Robot } from '../../description/model/robot.ts';
import {
  SHELL_LAW,
  SHELL_MEASUREMENT,
  SHELL_PERIOD,
  SHELL_POSITION,
  SHELL_REFERENCE,
  SHELL_SPEED,
} from '../../runtime/shell.ts';

/** The step at which a shell found a fault. */
export interface FaultyStep {
  readonly shell: RunningShell;
  /** Since the step before, s. */
  readonly dt: number;
  /** As they were measured. */
  readonly q: ArrayLike<number>;
  readonly qd: ArrayLike<number>;
  readonly references: readonly ArrayLike<number>[];
}

/** Why there is a fault. */
export function faultText(robot: Robot, controller: Controller, step: FaultyStep): string {
  const { shell, dt, q, qd, references } = step;
  const { coordinates } = robot;
  const named = coordinates.map(({ name, unit }) => ({ name: `\`${name}\``, unit }));
  const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ');
  const unlike = (all: readonly { readonly name: string }[], isFine: (i: number) => boolean): string =>
    listed(all.filter((_, i) => !isFine(i)).map(({ name }) => name));
  switch (shell.core.reason) {
    case SHELL_MEASUREMENT:
      return `the measurement of ${unlike(coordinates, (i) => Number.isFinite(q[i]) && Number.isFinite(qd[i]))} is not a number`;
    case SHELL_PERIOD:
      return `the time since the last step, ${short(dt)} s, is not a period of ${short(shell.period)} s`;
    case SHELL_POSITION:
      return beyond(named, (i) => {
        const [x, lowest, highest] = [shell.q[i]!, shell.lowest[i]!, shell.highest[i]!];
        return x < lowest ? lowest : x > highest ? highest : undefined;
      });
    case SHELL_SPEED: {
      const ratesOf = named.map(({ name, unit }) => ({ name: `the rate of ${name}`, unit: rateUnit(unit) }));
      return beyond(ratesOf, (i) => (Math.abs(shell.qd[i]!) > shell.fastest[i]! ? shell.fastest[i] : undefined));
    }
    case SHELL_REFERENCE: {
      const isFinite = (i: number): boolean => references.every((own) => Number.isFinite(own[i]));
      return `the reference of ${unlike(referencesOf(robot, controller), isFinite)} is not a number`;
    }
    case SHELL_LAW:
      return 'the law has no result';
    default:
      return 'a setting cannot be';
  }
}

/** @param limitOf the limit that is passed. */
function beyond(
  all: readonly { readonly name: string; readonly unit: string }[],
  limitOf: (i: number) => number | undefined,
): string {
  const passed = all.flatMap(({ name, unit }, i) => {
    const limit = limitOf(i);
    return limit === undefined
      ? []
      : [`${name} is beyond its limit of ${short(limit)}${unit === '1' ? '' : ` ${unit}`}`];
  });
  return passed.join(', ');
}

const short = (value: number): string => String(Number(value.toPrecision(4)));
