/** Runs as text: CSV, JSON, and JSON by line, numbers with 17 significant digits. */
import { VERSION } from '../../codegen/modules/version.ts';
import { contactPairs } from '../../description/model/contact.ts';
import { rateUnit, forceUnit } from '../../description/model/robot.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { failureText, type Run, type Sample } from './simulate.ts';

export type ResultFormat = 'csv' | 'json' | 'ndjson';

const ENERGIES = ['kinetic', 'potential', 'elastic', 'dissipated', 'work'] as const;
const AXES = ['x', 'y', 'z'];

/** @param partial the run ended before its time. */
export function resultText(scenario: Scenario, run: Run, format: ResultFormat): string {
  if (format === 'csv') return csvText(scenario, run);
  const contacts = contactPairs(scenario.robot);
  const head = {
    kanegen: VERSION,
    robot: scenario.robot.name,
    coordinates: scenario.robot.coordinates.map(({ name, unit }) => ({ name, unit })),
    frames: scenario.frames.map((frame) => scenario.robot.frames[frame]!.name),
    ...(contacts.length > 0 && { contacts }),
    integrator: scenario.integrator,
    ...outcome(run),
  };
  if (format === 'json') return `${JSON.stringify({ ...head, samples: run.samples }, null, 1)}\n`;
  return [head, ...run.samples].map((line) => `${JSON.stringify(line)}\n`).join('');
}

function outcome({ failure, events, comparisons, counts, balance }: Run): object {
  return { complete: failure === undefined, ...(failure && { failure }), events, comparisons, counts, balance };
}

/**
 * A line of names with their units, one line per sample, with what `identify` reads; a run that is not complete says so in its last line, a
 * comment.
 */
function csvText({ robot, frames }: Scenario, { samples, failure }: Run): string {
  const { coordinates, actuators } = robot;
  const isPushed = samples.some(({ tau }) => tau !== undefined);
  const isObserved = samples.some(({ estimate }) => estimate !== undefined);
  const names: readonly (readonly [name: string, unit: string])[] = [
    ['t', 's'],
    ...coordinates.map(({ name, unit }) => [name, unit] as const),
    ...coordinates.map(({ name, unit }) => [`rate of ${name}`, rateUnit(unit)] as const),
    ...actuators.map(({ name, unit }) => [name, unit] as const),
    ...(isObserved ? coordinates.map(({ name, unit }) => [`estimate of ${name}`, unit] as const) : []),
    ...(isPushed ? coordinates.map(({ name, unit }) => [`tau ${name}`, forceUnit(unit)] as const) : []),
    ...frames.flatMap((frame) => AXES.map((axis) => [`${robot.frames[frame]!.name} ${axis}`, 'm'] as const)),
    ...contactPairs(robot).flatMap((name) => [
      [`gap of ${name}`, 'm'] as const,
      ...AXES.map((axis) => [`force of ${name} ${axis}`, 'N'] as const),
    ]),
    ...ENERGIES.map((name) => [name, 'J'] as const),
  ];
  const rest = coordinates.map(() => 0);
  const line = ({ t, q, qd, u, estimate, tau = rest, frames: positions, contacts = [], energy }: Sample): string =>
    [
      ...[t, ...q, ...qd, ...u, ...(estimate?.q ?? []), ...(isPushed ? tau : []), ...positions.flat()],
      ...contacts.flatMap(({ gap, force }) => [gap, ...force]),
      ...ENERGIES.map((name) => energy[name]),
    ]
      .map(String)
      .join(',');
  const end = failure ? [`# incomplete: ${failureText(failure)}`] : [];
  const head = names.map(([name, unit]) => `${name} [${unit}]`).join(',');
  return `${[head, ...samples.map(line), ...end].join('\n')}\n`;
}
