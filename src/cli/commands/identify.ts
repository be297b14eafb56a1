/** `kanegen identify`: parameters of a robot from measured motion and forces. */
import type { BaseEstimate, Identification } from '../../identification/identify.ts';
import type { MarkerFit } from '../../identification/markers/marker-fit.ts';
import { SHORTEST_WINDOW } from '../../identification/motion/smooth-motion.ts';
import type { Robot } from '../../description/model/robot.ts';
import { UsageError } from '../terminal/failure.ts';
import { openRobot } from '../files/load.ts';
import type { FileOptions } from '../files/file-options.ts';
import { withProgress } from '../terminal/progress.ts';
import { formatTable, shortNumber } from '../terminal/table.ts';
import { complain, print } from '../terminal/terminal.ts';

interface IdentifyOptions extends FileOptions {
  readonly data?: string;
  readonly markers?: string;
  readonly moving?: boolean;
  /** Comma-separated names. */
  readonly parameters?: string;
  /** All links, or comma-separated names. */
  readonly inertial?: boolean | string;
  readonly window?: string;
  readonly json?: boolean;
}

const UNFINISHED =
  'error: the search for physical values stopped early: better values than those above exist\n' +
  '  → the estimates are valid; for physical values start closer to the data: --set parameters, or masses and inertias in the file\n';

export async function identifyCommand(file: string, options: IdentifyOptions): Promise<void> {
  const only = options.parameters === undefined ? undefined : namesOf(options.parameters);
  const inertial = typeof options.inertial === 'string' ? namesOf(options.inertial) : (options.inertial ?? false);
  const window = options.window === undefined ? undefined : windowOf(options.window);
  const { data, markers } = options;
  if (markers !== undefined) return markerCommand(file, markers, only, options);
  if (data === undefined)
    throw new UsageError('identify needs --data, a log of coordinates, or --markers, places of markers');
  if (options.moving) throw new UsageError('--moving is for --markers: --data are in motion anyway');
  const robot = openRobot(file, options, only);
  const found = await withProgress((show) => {
    show('compiling');
    return robot.identify(data, {
      ...(only && { parameters: only }),
      inertial,
      ...(window !== undefined && { window }),
    });
  });
  print(options.json ? jsonText(robot.model, found) : reportText(robot.model, found));
  for (const warning of found.warnings) complain(`warning: ${warning}\n`);
  if (!found.converged) complain(UNFINISHED);
  if (!found.converged || found.warnings.length > 0) process.exitCode = 1;
}

async function markerCommand(
  file: string,
  markers: string,
  only: readonly string[] | undefined,
  options: IdentifyOptions,
): Promise<void> {
  const other = (['data', 'inertial', 'window'] as const).find((name) => options[name] !== undefined);
  if (other) throw new UsageError(`--markers are places: --${other} is for logs of coordinates`);
  const robot = openRobot(file, options, only);
  const { parameters } = robot.model;
  const names = only ?? parameters.map(({ name }) => name);
  if (names.length === 0) throw new UsageError('--markers needs --parameters: the names of what is sought');
  const found = await withProgress((show) => {
    show('compiling');
    return robot.identifyMarkers(markers, names, { moving: options.moving ?? false });
  });
  print(
    options.json
      ? `${JSON.stringify({ robot: robot.model.name, ...found }, null, 2)}\n`
      : markerText(robot.model, found),
  );
  if (found.converged) return;
  complain(
    'error: the fit did not settle: the values above are the best that were found\n  → begin closer: --set NAME=VALUE\n',
  );
  process.exitCode = 1;
}

function markerText({ name }: Robot, found: MarkerFit): string {
  const { lines, moving, numbers, parameters, residuals, noise, condition, notes } = found;
  const where = moving ? `${lines} instants of a motion` : `${lines} equilibria`;
  return `${[
    `${name}: ${parameters.length} ${parameters.length === 1 ? 'parameter' : 'parameters'} from ${numbers} places of markers in ${where}, condition ${shortNumber(condition)}`,
    ...notes.map((note) => `note: ${note}`),
    '',
    formatTable(
      [
        ['parameter', 'in the file', 'estimate', 'deviation', '95 % from', 'to', 'unit'],
        ...parameters.map(({ name: own, unit, inFile, value, deviation, interval: [from, to] }) => [
          ...[own, digits(inFile), digits(value), deviation.toExponential(1), digits(from), digits(to), unit],
        ]),
      ],
      [1, 2, 3, 4, 5],
    ),
    '',
    formatTable(
      [
        ['marker', 'left, mm', '(root mean squares)'],
        ...residuals.map(({ name: own, residual }) => [own, shortNumber(1e3 * residual)]),
      ],
      [1],
    ),
    `noise of a coordinate of a marker: ${shortNumber(1e3 * noise)} mm`,
    '',
    parameters.map(({ name: own, value }) => `--set ${own}=${value}`).join(' '),
  ].join('\n')}\n`;
}

function namesOf(list: string): string[] {
  return list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}

/** @throws UsageError */
function windowOf(text: string): number {
  const window = Number(text);
  if (Number.isInteger(window) && window >= SHORTEST_WINDOW) return window;
  const others = /[:,]/.test(text) ? '; to leave out instants, leave out lines of --data' : '';
  throw new UsageError(
    `--window takes a whole number of instants from ${SHORTEST_WINDOW} on, the length of a piece of the splines, not ${JSON.stringify(text)}${others}`,
  );
}

function jsonText(robot: Robot, found: Identification): string {
  return `${JSON.stringify({ robot: robot.name, ...found }, null, 2)}\n`;
}

function reportText(robot: Robot, found: Identification): string {
  const { samples, condition, base, parameters, coordinates, notes } = found;
  const settings = parameters.filter(({ name, told }) => told !== 'not at all' && isSettable(robot, name));
  return `${[
    `${robot.name}: ${base.length} combinations of ${parameters.length} parameters from ${samples} instants, condition ${shortNumber(condition)}`,
    ...notes.map((note) => `note: ${note}`),
    '',
    formatTable(
      [
        ['identified', 'in the file', 'estimate', 'deviation', 'unit', ''],
        ...base.map((own) => [
          own.name,
          digits(own.inFile),
          digits(own.estimate),
          own.deviation.toExponential(1),
          own.unit,
          remark(own),
        ]),
      ],
      [1, 2, 3],
    ),
    '',
    formatTable(
      [
        ['physical values', 'in the file', 'value', 'unit', 'told by the data'],
        ...parameters.map(({ name, inFile, value, unit, told }) => [name, digits(inFile), digits(value), unit, told]),
      ],
      [1, 2],
    ),
    '',
    formatTable(
      [
        ['coordinate', 'force', 'left', 'by physical values', '(root mean squares)'],
        ...coordinates.map(({ name, force, residual, physicalResidual }) => [
          name,
          ...[force, residual, physicalResidual].map(shortNumber),
        ]),
      ],
      [1, 2, 3],
    ),
    ...formulaLines(base),
    ...(settings.length > 0 ? ['', settings.map(({ name, value }) => `--set ${name}=${value}`).join(' ')] : []),
  ].join('\n')}\n`;
}

/** What combinations are by the geometry, where that says more than their names. */
function formulaLines(base: readonly BaseEstimate[]): string[] {
  const formulas = base.flatMap(({ formula }) => (formula && formula.constants.length > 0 ? [formula] : []));
  if (formulas.length === 0) return [];
  const constants = new Set(
    formulas.flatMap((own) => own.constants.map(({ name, value, unit }) => `${name} = ${digits(value)} ${unit}`)),
  );
  return ['', `by the geometry, with ${[...constants].join(', ')}:`, ...formulas.map(({ text }) => `  ${text}`)];
}

function digits(value: number): string {
  return String(Number(value.toPrecision(6)));
}

function remark({ estimate, deviation, told }: BaseEstimate): string {
  if (!told) return 'not told: as in the file';
  return deviation > Math.abs(estimate) ? 'hardly: zero is as good' : '';
}

/** Parameters of the robot can be set from outside; those of links stand in the file. */
function isSettable({ parameters }: Robot, name: string): boolean {
  return parameters.some((own) => own.name === name);
}
