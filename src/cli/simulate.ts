/** `kanegen simulate`: runs scenarios; a line of results per expectation, the balance of energy, a file of samples. */
import { generateTypeScript } from '../codegen/typescript/typescript.ts';
import { loadGenerated } from '../codegen/typescript/load.ts';
import { locationText } from '../description/source/diagnostics.ts';
import { compileRobot } from '../kane/compile.ts';
import { resultText, type ResultFormat } from '../simulation/result-text.ts';
import { runPlot } from '../simulation/run-plot.ts';
import { loadScenario, type Scenario } from '../simulation/scenario.ts';
import { simulate, type Run } from '../simulation/simulate.ts';
import { UsageError } from './failure.ts';
import { writeFileWhole } from './output.ts';
import { Progress } from './progress.ts';
import { formatTable } from './table.ts';
import { complain, print } from './terminal.ts';

interface SimulateOptions {
  readonly out?: string;
  readonly format?: string;
  readonly plot?: string;
  readonly json?: boolean;
}

const FORMATS = ['csv', 'json', 'ndjson'] as const;

export async function simulateCommand(file: string, options: SimulateOptions): Promise<void> {
  const format = formatOf(options);
  const scenario = loadScenario(file);
  for (const { location, message } of scenario.robot.warnings)
    complain(`${locationText(location)}: warning: ${message}\n`);
  const progress = new Progress();
  progress.show('compiling');
  const create = await loadGenerated(await generateTypeScript(scenario.robot, compileRobot(scenario.robot)));
  let shown = -1;
  const run = simulate(scenario, create(), (t) => {
    const percent = Math.floor((100 * (t - scenario.start)) / (scenario.end - scenario.start));
    if (percent > shown) progress.show(`${t.toPrecision(4)} s, ${(shown = percent)} %`);
  });
  progress.clear();
  // What a run has is kept, and marked, when it ended before its time.
  if (options.out !== undefined) writeFileWhole(options.out, resultText(scenario, run, format));
  if (options.plot !== undefined) writeFileWhole(options.plot, await runPlot(scenario, run));
  print(options.json ? resultText(scenario, run, 'json') : reportText(scenario, run));
  if (run.failure) complain(`${file}: ended at ${run.failure.t} s: ${run.failure.message}\n`);
  if (run.failure || run.comparisons.some(({ passed }) => !passed)) process.exitCode = 1;
}

/** By the option, else by how the name of the file ends. @throws UsageError */
function formatOf({ format, out }: SimulateOptions): ResultFormat {
  const wanted = format ?? /\.(\w+)$/.exec(out ?? '')?.[1] ?? 'csv';
  const found = FORMATS.find((known) => known === wanted);
  if (!found) throw new UsageError(`--format takes ${FORMATS.join(', ')}, not ${JSON.stringify(wanted)}`);
  return found;
}

function reportText({ robot, start, end }: Scenario, run: Run): string {
  const { counts, samples, events, comparisons, balance } = run;
  const last = samples[samples.length - 1];
  const rows = comparisons.map(({ at, name, expected, found, within, passed, source }) => [
    passed ? 'ok' : 'FAILED',
    `${name} at ${at} s`,
    `${found}`,
    `${Math.abs(found - expected).toExponential(1)} of ${within}`,
    source,
  ]);
  const lines = [
    `${robot.name}, ${start} s to ${last?.t ?? start} s${last && last.t < end ? ` of ${end} s` : ''}: ${counts.steps} steps, ${
      counts.rejected
    } rejected, ${counts.evaluations} evaluations`,
    ...events.map(({ name, t }) => `event    ${name} at ${t} s`),
    ...(balance
      ? [
          `energy   balance closes to ${balance.defect.toExponential(1)} J of ${balance.exchanged.toExponential(1)} J exchanged`,
        ]
      : []),
    ...(rows.length > 0 ? [formatTable(rows)] : []),
  ];
  return `${lines.join('\n')}\n`;
}
