/**
 * `kanegen compare`: the recursion against the Euler–Lagrange baseline on one robot, or on chains of growing length made
 * from it. Every length is measured in a process of its own, so that none profits from what another derived before.
 */
import { execFile } from 'node:child_process';
import type { CompareOptions as ComparisonOptions } from '../../api/robot.ts';
import type { Comparison, FormulationReport } from '../../report/comparison.ts';
import { FORMULATIONS, type FormulationName } from '../../report/formulation.ts';
import { UsageError } from '../terminal/failure.ts';
import { openRobot } from '../files/load.ts';
import type { FileOptions } from '../files/file-options.ts';
import { MOST_LINKS, MOST_STATES, positiveNumber, wholeNumber } from '../terminal/numbers.ts';
import { writeGeneratedFolder } from '../../files/generated-folder.ts';
import { checkOutFolder } from '../files/output.ts';
import { Progress } from '../terminal/progress.ts';
import { formatTable } from '../terminal/table.ts';
import { print } from '../terminal/terminal.ts';

interface CompareOptions extends FileOptions {
  readonly states: string;
  readonly seed: string;
  readonly rounds: string;
  readonly links?: string;
  readonly upTo?: string;
  readonly formulations: string;
  readonly maxSeconds: string;
  readonly maxOperations: string;
  readonly out?: string;
  readonly json?: boolean;
}

const MOST_ROUNDS = 1000;

export async function compareCommand(file: string, options: CompareOptions): Promise<void> {
  const lengths = lengthsOf(options);
  const formulations = formulationsOf(options.formulations);
  if (options.out !== undefined) checkOutFolder(options.out);
  const progress = new Progress();
  const comparisons =
    lengths.length > 1
      ? await compareLengths(file, lengths, formulations, options, progress)
      : [await compareOne(file, lengths[0], formulations, options, progress)];
  progress.clear();
  if (options.out !== undefined) await writeReport(options.out, comparisons);
  const json = JSON.stringify(comparisons, null, 2);
  print(`${options.json ? json : comparisonText(comparisons)}\n`);
}

// ---------------------------------------------------------------------------------------------- options

function lengthsOf({ links, upTo }: CompareOptions): number[] {
  if (links !== undefined && upTo !== undefined) throw new UsageError('--links and --up-to exclude each other');
  if (upTo !== undefined) return Array.from({ length: wholeNumber('--up-to', upTo, 1, MOST_LINKS) }, (_, i) => i + 1);
  if (links === undefined) return [];
  return [...new Set(links.split(',').map((text) => wholeNumber('--links', text, 1, MOST_LINKS)))].sort(
    (a, b) => a - b,
  );
}

function formulationsOf(text: string): FormulationName[] {
  const known = Object.keys(FORMULATIONS) as FormulationName[];
  const names = text.split(',').map((name) => name.trim());
  const strange = names.find((name) => !known.some((k) => k === name));
  if (strange !== undefined)
    throw new UsageError(`--formulations takes ${known.join(', ')}, not ${JSON.stringify(strange)}`);
  return known.filter((name) => names.includes(name));
}

function comparisonOptions(options: CompareOptions, formulations: readonly FormulationName[]): ComparisonOptions {
  return {
    states: wholeNumber('--states', options.states, 1, MOST_STATES),
    seed: wholeNumber('--seed', options.seed, 0),
    rounds: wholeNumber('--rounds', options.rounds, 1, MOST_ROUNDS),
    formulations,
    maxSeconds: positiveNumber('--max-seconds', options.maxSeconds),
    maxOperations: wholeNumber('--max-operations', options.maxOperations, 1),
  };
}

// ---------------------------------------------------------------------------------------------- measuring

async function compareOne(
  file: string,
  links: number | undefined,
  formulations: readonly FormulationName[],
  options: CompareOptions,
  progress: Progress,
): Promise<Comparison> {
  const robot = openRobot(file, options);
  const settings = comparisonOptions(options, formulations);
  return robot.compare({
    ...settings,
    ...(links !== undefined && { links }),
    progress: (message) => progress.show(message),
  });
}

/** What passes a limit at one length is left out at greater ones. */
async function compareLengths(
  file: string,
  lengths: readonly number[],
  formulations: readonly FormulationName[],
  options: CompareOptions,
  progress: Progress,
): Promise<Comparison[]> {
  comparisonOptions(options, formulations); // refuses wrong options before anything is measured
  const comparisons: Comparison[] = [];
  let left = [...formulations];
  for (const links of lengths) {
    if (left.length === 0) break;
    progress.show(`${links} of ${lengths[lengths.length - 1]!} links: ${left.join(', ')}`);
    const comparison = await compareInProcess(file, links, left, options);
    comparisons.push(comparison);
    left = left.filter((name) => comparison.formulations.find((f) => f.formulation === name)?.stopped === null);
  }
  return comparisons;
}

/** The same command for one length, in a process of its own. */
function compareInProcess(
  file: string,
  links: number,
  formulations: readonly FormulationName[],
  options: CompareOptions,
): Promise<Comparison> {
  const parameters = ['compare', file, '--links', String(links), '--formulations', formulations.join(','), '--json'];
  for (const name of ['states', 'seed', 'rounds'] as const) parameters.push(`--${name}`, options[name]);
  parameters.push('--max-seconds', options.maxSeconds, '--max-operations', options.maxOperations);
  for (const override of options.set) parameters.push('--set', override);
  for (const kind of options.silence) parameters.push('--silence', kind);
  const node = [...process.execArgv, process.argv[1]!];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...node, ...parameters], { maxBuffer: 1 << 28 }, (error, output, problems) => {
      if (error) reject(new Error(`${links} links: ${problems.trim().replace(/^error: /, '') || error.message}`));
      else resolve((JSON.parse(output) as Comparison[])[0]!);
    });
  });
}

// ---------------------------------------------------------------------------------------------- output

async function writeReport(out: string, comparisons: readonly Comparison[]): Promise<void> {
  const files = [{ path: 'compare.json', text: `${JSON.stringify(comparisons, null, 2)}\n` }];
  if (comparisons.length > 1) {
    const { comparisonPlot } = await import('../../report/comparison-plot.ts');
    const title = `${comparisons[0]!.robot.replace(/-\d+$/, '')}: the recursion against Euler–Lagrange`;
    files.push({ path: 'compare.svg', text: await comparisonPlot(title, comparisons) });
  }
  writeGeneratedFolder(out, files);
}

const TITLES = { ...FORMULATIONS, driver: 'recursion, driver' };

const HEADING = [
  ...['links', 'inverse dynamics by', 'derived', 'generated'],
  ...['+', '*', '/', 'calls', 'Stumpff', 'operations'],
  ...['TS code', 'C code', 'cc', 'TS call', 'ratio', 'C call', 'ratio', 'difference'],
];

function comparisonText(comparisons: readonly Comparison[]): string {
  const rows = comparisons.flatMap((comparison) => {
    const [first] = comparison.formulations;
    return comparison.formulations.map((report, i) => [
      i === 0 ? String(comparison.links) : '',
      TITLES[report.formulation],
      ...costCells(report),
      ...timeCells(report, first!),
      report.difference === null ? '' : report.difference === 0 ? '0' : report.difference.toExponential(1),
    ]);
  });
  const [{ robot, coordinates, states, links }] = comparisons as [Comparison];
  const title =
    comparisons.length === 1
      ? `${robot}: ${links} links, ${coordinates} coordinates; ${states} states`
      : `${robot.replace(/-\d+$/, '')}, chains of ${links} to ${comparisons[comparisons.length - 1]!.links} links; ${states} states each`;
  const right = HEADING.map((_, column) => column).filter((column) => column !== 1);
  return [title, '', formatTable([HEADING, ...rows], right), ...stopLines(comparisons)].join('\n');
}

function costCells({
  derivationSeconds,
  generationSeconds,
  operations,
  bytes,
  compileSeconds,
}: FormulationReport): string[] {
  const seconds = (value: number | null): string =>
    value === null ? '' : value < 1 ? `${Math.round(1000 * value)} ms` : `${value.toFixed(1)} s`;
  const kilobytes = (value: number | undefined): string =>
    value === undefined ? '' : `${Math.round(value / 1000)} kB`;
  const count = (value: number | undefined): string => (value === undefined ? '' : String(value));
  return [
    seconds(derivationSeconds),
    seconds(generationSeconds),
    count(operations?.add),
    count(operations?.multiply),
    count(operations?.divide),
    count(operations ? operations.call + operations.sqrt : undefined),
    count(operations?.stumpff.length),
    count(operations?.total),
    kilobytes(bytes?.typescript),
    kilobytes(bytes?.c),
    seconds(compileSeconds),
  ];
}

/** Times, each with its ratio to that of the first formulation. */
function timeCells({ evaluation }: FormulationReport, first: FormulationReport): string[] {
  return (['typescript', 'c'] as const).flatMap((language) => {
    const own = evaluation[language];
    const reference = first.evaluation[language];
    if (own === null) return ['', ''];
    return [
      own < 1e5 ? `${Math.round(own)} ns` : `${Math.round(own / 1000)} us`,
      reference ? (own / reference).toFixed(2) : '',
    ];
  });
}

function stopLines(comparisons: readonly Comparison[]): string[] {
  const lines = comparisons.flatMap(({ links, formulations }) =>
    formulations.flatMap(({ formulation, stopped }) =>
      stopped === null ? [] : [`${links} links: ${TITLES[formulation]} ended: ${stopped}`],
    ),
  );
  return lines.length > 0 ? ['', ...lines] : [];
}
