/** Runs as text: CSV, JSON, and JSON by line, numbers with 17 significant digits. */
import { VERSION } from '../../codegen/modules/version.ts';
import { contactPairs } from '../../description/model/contact.ts';
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

/** A line of names, one line per sample; a run that is not complete says so in its last line, a comment. */
function csvText({ robot, frames }: Scenario, { samples, failure }: Run): string {
  const names = [
    't',
    ...robot.coordinates.map(({ name }) => name),
    ...robot.coordinates.map(({ name }) => `rate of ${name}`),
    ...frames.flatMap((frame) => AXES.map((axis) => `${robot.frames[frame]!.name} ${axis}`)),
    ...contactPairs(robot).flatMap((name) => [`gap of ${name}`, ...AXES.map((axis) => `force of ${name} ${axis}`)]),
    ...ENERGIES,
  ];
  const line = ({ t, q, qd, frames: positions, contacts = [], energy }: Sample): string =>
    [
      ...[t, ...q, ...qd, ...positions.flat(), ...contacts.flatMap(({ gap, force }) => [gap, ...force])],
      ...ENERGIES.map((name) => energy[name]),
    ]
      .map(String)
      .join(',');
  const end = failure ? [`# incomplete: ${failureText(failure)}`] : [];
  return `${[names.join(','), ...samples.map(line), ...end].join('\n')}\n`;
}
