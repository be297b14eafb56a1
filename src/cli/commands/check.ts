/** `kanegen check`: what a robot file says, summed up to be compared with what was meant, and what is hardly meant so. */
import type { Understanding } from '../../report/understanding/understanding.ts';
import { reportWarnings, type FileOptions } from '../files/file-options.ts';
import { openRobot, reportNotes } from '../files/load.ts';
import { withProgress } from '../terminal/progress.ts';
import { formatTable, shortNumber } from '../terminal/table.ts';
import { print } from '../terminal/terminal.ts';

interface CheckOptions extends FileOptions {
  readonly json?: boolean;
}

export async function checkCommand(file: string, options: CheckOptions): Promise<void> {
  const robot = openRobot(file, options);
  reportNotes(robot.model);
  const understood = await withProgress((show) => {
    show(`compiling ${robot.name}`);
    return robot.check();
  });
  reportWarnings(understood.warnings.slice(robot.warnings.length));
  print(`${options.json ? JSON.stringify(understood, null, 2) : understandingText(understood)}\n`);
}

function understandingText(understood: Understanding): string {
  const { robot, summary } = understood;
  const parts = [
    [`${robot}${summary ? `: ${summary}` : ''}`, ...wholeText(understood).map((line) => `  ${line}`)].join('\n'),
    linkTable(understood),
    ...(understood.coordinates.length > 0 ? [coordinateTable(understood)] : []),
    ...(understood.following.length > 0 ? [followingTable(understood)] : []),
    actingText(understood),
  ];
  return parts.join('\n\n');
}

const five = (x: number): string => shortNumber(Number(x.toPrecision(5)));
/** Of the tip from the base, m: nearer, it says nothing about the robot. */
const ON_THE_BASE = 1e-9;
/** Beside `scale`, what is rounding is zero. */
const vector = (v: readonly number[], scale: number): string =>
  `[${v.map((x) => five(Math.abs(x) < 1e-12 * scale ? 0 : x)).join(', ')}]`;

/** Estimates have fewer digits than places: what is below 1e-9 of them is zero. */
const ESTIMATED = 1e3;

/** Mass, reach, sag and first frequency: of the whole robot, a line each. */
function wholeText({ mass, tip, reach, elastic }: Understanding): string[] {
  const line =
    reach > ON_THE_BASE
      ? `${five(mass)} kg, ${five(reach)} m from base to tip at the defaults: ${tip.frame} at ${vector(tip.at, reach)} m`
      : `${five(mass)} kg; the frame of ${tip.frame} lies on the base at the defaults (\`frames:\` names one at its tip)`;
  if (!elastic) return [line];
  const held = elastic.holdsOthers ? ', coordinates without stiffness held' : '';
  if (elastic.frequency <= 0)
    return [
      line,
      `it is not stable at its defaults under its weight (linear estimate${held}); the first coordinate to move: ${elastic.coordinate}`,
    ];
  const sag = Math.hypot(...elastic.sag);
  if (reach <= ON_THE_BASE)
    return [
      line,
      `swings at ${five(elastic.frequency)} Hz first, mostly ${elastic.coordinate} (linear estimate at the defaults${held})`,
    ];
  const far = sag > 0.2 * reach ? ', far beyond the range of a linear estimate' : '';
  return [
    line,
    `sags by ${five(sag)} m at the tip, ${vector(elastic.sag, ESTIMATED * sag)}, and swings at ${five(elastic.frequency)} Hz first, mostly ${elastic.coordinate} (linear estimate at the defaults${held}${far})`,
  ];
}

/** Rows that are equal but for their first cell, under the first and the last of their names. */
function grouped(rows: readonly (readonly string[])[], keyOf: (row: readonly string[]) => string): string[][] {
  const groups = new Map<string, (readonly string[])[]>();
  for (const row of rows) {
    const key = keyOf(row);
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((group) => {
    const names = group.map(([name]) => name!);
    const [, ...cells] = group[0]!;
    return [names.length < 3 ? names.join(', ') : `${names[0]} … ${names.at(-1)} (${names.length})`, ...cells];
  });
}

const allButName = ([, ...cells]: readonly string[]): string => JSON.stringify(cells);

/** Columns without an entry are left out. */
function table(titles: readonly string[], rows: readonly (readonly string[])[], right: readonly number[]): string {
  const kept = titles.flatMap((_, c) => (c === 0 || rows.some((row) => row[c] !== '') ? [c] : []));
  const all = [titles, ...rows].map((row) => kept.map((c) => row[c]!));
  return formatTable(
    all,
    right.flatMap((c) => (kept.includes(c) ? [kept.indexOf(c)] : [])),
  );
}

function linkTable({ links }: Understanding): string {
  const rows = links.flatMap(({ link, type, mass, length, sections }) => {
    const own = [link, type, five(mass), length === undefined ? '' : five(length)];
    if (sections.length === 0) return [[...own, '', '', '', '', '']];
    return [
      [
        ...own,
        ...(['bendX', 'bendY', 'twist', 'stretch'] as const).map((key) =>
          [...new Set(sections.map((section) => five(section[key])))].join(' … '),
        ),
        sections.length > 1 ? sections.map(({ place }) => five(place)).join(', ') : '',
      ],
    ];
  });
  const titles = [
    'link',
    'body',
    'mass (kg)',
    'length (m)',
    'EI about x',
    'EI about y',
    'GJ (N m^2)',
    'EA (N)',
    'at s (m)',
  ];
  return table(titles, grouped(rows, allButName), [2, 3, 4, 5, 6, 7]);
}

function coordinateTable({ coordinates }: Understanding): string {
  const number = (x: number | undefined): string => (x === undefined || !Number.isFinite(x) ? '' : five(x));
  const rows = coordinates.map(({ name, unit, value, lower, upper, summary }) => [
    name,
    unit,
    five(value),
    number(lower),
    number(upper),
    summary,
  ]);
  const keyOf = (row: readonly string[]): string =>
    JSON.stringify([row[0]!.slice(row[0]!.indexOf('.')), allButName(row)]);
  return table(['coordinate', 'unit', 'default', 'lower', 'upper', 'meaning'], grouped(rows, keyOf), [2, 3, 4]);
}

function followingTable({ following }: Understanding): string {
  const rows = following.map(({ name, unit, value, rate, summary }) => [name, unit, five(value), five(rate), summary]);
  return table(['follows the time', 'unit', 'at 0 s', 'rate (1/s)', 'meaning'], rows, [2, 3]);
}

function actingText({ acting }: Understanding): string {
  const { gravity, actuators, controllers, elasticity, damping, water, loops, fields, contacts } = acting;
  const others = [
    ...(elasticity ? ['elasticity'] : []),
    ...(damping ? ['damping'] : []),
    ...(water ? ['water'] : []),
    ...(fields.length > 0 ? [`fields along rods (${fields.join(', ')})`] : []),
    ...(contacts.length > 0 ? [`contacts (${contacts.join(', ')})`] : []),
    ...(actuators.length > 0 ? [] : ['no actuators']),
  ];
  const isWeightless = gravity.every((x) => x === 0);
  const lines = [
    `acts: ${[isWeightless ? 'no gravity' : `gravity ${vector(gravity, 1)} m/s^2`, ...others].join(', ')}`,
  ];
  if (actuators.length > 0) {
    const number = (x: number | undefined): string => (x === undefined ? '' : five(x));
    const rows = actuators.map(({ name, kind, unit, lower, upper, links }) => [
      name,
      kind,
      unit,
      number(lower),
      number(upper),
      links.join(', '),
    ]);
    lines.push(table(['input', 'kind', 'unit', 'lower', 'upper', 'acts on'], grouped(rows, allButName), [3, 4]));
  }
  if (loops.length > 0) {
    const rows = loops.map((own) => [
      own.name,
      own.kind,
      own.rows.map((row) => row.slice(own.name.length + 1) || row).join(', '),
    ]);
    lines.push(table(['loop', 'kind', 'rows'], rows, []));
  }
  if (controllers.length > 0) lines.push(`controllers: ${controllers.join(', ')}`);
  return lines.join('\n');
}
