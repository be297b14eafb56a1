/**
 * Runs the scenarios of examples/scenarios, a line each: largest deviation from what is expected, as a share of what is
 * allowed; time of the run beside the time that is simulated; balance of energy. Exit code 1 when one differs or ends early.
 *
 * npm run scenarios                 those of less than a minute
 * npm run scenarios -- --all        every one (examples/scenarios/slow.json says which are slow, and what they take)
 * npm run scenarios -- NAME…        these
 * npm run scenarios -- --target c …  steps by the generated C, where neither a controller nor a phase acts; time of its program
 * npm run scenarios -- --report DIR writes a page for each there
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { RobotCode } from '../src/api/code.ts';
import { generateC } from '../src/codegen/c/c.ts';
import type { Robot } from '../src/description/model/robot.ts';
import { runReport } from '../src/report/run-report.ts';
import { closedStart, standingOf } from '../src/simulation/closed-start.ts';
import { robotOf } from '../src/simulation/run/loads-as-actuators.ts';
import { integrateInC } from '../src/simulation/run/run-in-c.ts';
import { loadScenario, type Scenario } from '../src/simulation/scenario/scenario.ts';
import { runScenario } from '../src/simulation/run-scenario.ts';
import { compileOptions, simulate, type Run } from '../src/simulation/run/simulate.ts';

const FOLDER = 'examples/scenarios';
const ENDING = '.scenario.yaml';

interface Wanted {
  readonly names: readonly string[];
  readonly report: string | undefined;
  readonly inC: boolean;
}

function wantedBy(words: readonly string[]): Wanted {
  const slow = JSON.parse(readFileSync(path.join(FOLDER, 'slow.json'), 'utf8')) as Record<string, string>;
  const files = readdirSync(FOLDER).filter((file) => file.endsWith(ENDING));
  const all = files.map((file) => file.slice(0, -ENDING.length)).sort();
  const others = [...words];
  const option = (name: string): string | undefined => {
    const at = others.indexOf(name);
    return at < 0 ? undefined : others.splice(at, 2)[1];
  };
  const report = option('--report');
  const inC = option('--target') === 'c';
  const named = others.filter((word) => word !== '--all');
  const unknown = named.filter((name) => !all.includes(name));
  if (unknown.length > 0) throw new Error(`no scenario ${unknown.join(', ')}: there are ${all.join(', ')}`);
  if (named.length > 0) return { names: named, report, inC };
  return { names: all.filter((name) => others.includes('--all') || slow[name] === undefined), report, inC };
}

/** The largest of |found − expected| / within; undefined where nothing is expected; entries with `not-met` do not count. */
function worstShare({ comparisons }: Run): number | undefined {
  const due = comparisons.filter(({ notMet }) => notMet === undefined);
  if (due.length === 0) return undefined;
  // Where no equilibrium is expected, nothing is allowed.
  return Math.max(...due.map(({ found, expected, within }) => Math.abs(found - expected) / (within || 1)));
}

const codeOf = (robot: Robot, derivatives: boolean): RobotCode => new RobotCode(robot, { derivatives });

/** Seconds are those of the run, of its program in C those of the processor. */
async function timed(scenario: Scenario): Promise<{ run: Run; seconds: number }> {
  const code = codeOf(robotOf(scenario), compileOptions(scenario).derivatives);
  const dynamics = await code.run();
  const standing = standingOf(scenario);
  const stands = standing && (await codeOf(standing, true).run());
  const model = scenario.model && (await codeOf(scenario.model, false).run());
  if (inC) {
    const generated = await generateC(code.robot, await code.compiled());
    const method = scenario.integrator.method === 'generalized-alpha' ? 'generalized-alpha' : 'rosenbrock';
    const closed = closedStart(scenario, dynamics, stands);
    const steps = await integrateInC(closed, generated, method, code.robot);
    return { run: simulate(closed, dynamics, { integrator: steps }), seconds: steps.seconds };
  }
  const begin = performance.now();
  const run = runScenario(scenario, dynamics, { model, stands });
  return { run, seconds: (performance.now() - begin) / 1000 };
}

const { names, report, inC } = wantedBy(process.argv.slice(2));
const width = Math.max(...names.map((name) => name.length));
for (const name of names) {
  const scenario = loadScenario(path.join(FOLDER, `${name}${ENDING}`));
  if (inC && (scenario.control || scenario.phases || scenario.statics)) continue;
  const { run, seconds } = await timed(scenario);
  const worst = worstShare(run);
  const failed = run.failure !== undefined || run.comparisons.some(({ outcome }) => outcome === 'FAILED');
  if (failed) process.exitCode = 1;
  const { balance, failure } = run;
  console.log(
    [
      failed ? 'FAILED' : 'ok    ',
      name.padEnd(width),
      worst === undefined ? 'nothing expected     ' : `deviates ${worst.toExponential(1)} of allowed`,
      `${seconds.toFixed(2)} s for ${scenario.end - scenario.start} s`,
      balance ? `energy ${balance.defect.toExponential(1)} of ${balance.exchanged.toExponential(1)} J` : '',
      run.comparisons.some(({ outcome }) => outcome === 'met now') ? 'an entry with not-met is met' : '',
      failure ? `ended at ${failure.t} s: ${failure.message}` : '',
    ].join('  '),
  );
  if (report === undefined) continue;
  mkdirSync(report, { recursive: true });
  writeFileSync(path.join(report, `${name}.html`), await runReport(scenario, run));
}
