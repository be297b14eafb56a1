/** `kanegen verify`: a table of checks; exit code 1 when one fails. */
import { buildEvaluator, CompilerError, type CEvaluator, type Precision } from '../codegen/build-c.ts';
import { loadGenerated } from '../codegen/load.ts';
import { generateTypeScript } from '../codegen/typescript.ts';
import type { Robot } from '../description/robot.ts';
import { compileRobot } from '../kane/compile.ts';
import type { CompiledRobot } from '../kane/link-type.ts';
import { verifyRobot, type VerificationReport } from '../verify/verify.ts';
import { UsageError } from './failure.ts';
import { loadRobot } from './load.ts';
import { Progress } from './progress.ts';
import { formatTable } from './table.ts';

interface VerifyOptions {
  readonly seed: string;
  readonly states: string;
  readonly json?: boolean;
  readonly set: readonly string[];
}

export async function verifyCommand(file: string, options: VerifyOptions): Promise<void> {
  const robot = loadRobot(file, options.set);
  const report = await verification(robot, {
    seed: wholeNumber('--seed', options.seed),
    states: wholeNumber('--states', options.states),
  });
  process.stdout.write(`${options.json ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
  if (!report.passed) process.exitCode = 1;
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new UsageError(`${option} takes a whole number, not ${JSON.stringify(text)}`);
  return value;
}

/** Generates the code of a robot in both targets and verifies it. Without a C compiler that comparison is skipped and named. */
export async function verification(
  robot: Robot,
  options: { readonly seed: number; readonly states: number },
): Promise<VerificationReport> {
  const progress = new Progress();
  progress.show('compiling');
  const compiled = compileRobot(robot);
  const create = await loadGenerated(await generateTypeScript(robot, compiled));
  progress.show('building the C code');
  const c = await cEvaluators(robot, compiled);
  try {
    return await verifyRobot(robot, create(), {
      ...options,
      others: c.programs.map(({ name, precision, program }) => ({
        name,
        precision,
        evaluate: (states) => program.evaluate(states),
      })),
      skipped: c.skipped,
      progress: (message) => progress.show(message),
    });
  } finally {
    progress.clear();
    await Promise.all(c.programs.map(({ program }) => program.dispose()));
  }
}

interface CPrograms {
  readonly programs: readonly { readonly name: string; readonly precision: Precision; readonly program: CEvaluator }[];
  readonly skipped: readonly string[];
}

async function cEvaluators(robot: Robot, compiled: CompiledRobot): Promise<CPrograms> {
  const wanted = [
    ['C', 'double'],
    ['C in single precision', 'single'],
  ] as const;
  const programs: CPrograms['programs'][number][] = [];
  try {
    for (const [name, precision] of wanted)
      programs.push({ name, precision, program: await buildEvaluator(robot, compiled, { precision }) });
    return { programs, skipped: [] };
  } catch (error) {
    // A compiler that refuses the generated code is a failure of the code; only a missing one is a reason to skip.
    if (!(error instanceof CompilerError) || !error.message.includes('ENOENT')) throw error;
    return {
      programs,
      skipped: ['C against TypeScript: there is no C compiler here (cc, or KANEGEN_CC in the environment)'],
    };
  }
}

export function reportText(report: VerificationReport): string {
  const failed = report.checks.filter((check) => !check.passed).length;
  const rows = report.checks.map((check) => [
    check.passed ? 'ok' : 'FAILED',
    check.name,
    check.figure,
    check.passed ? '' : check.where,
  ]);
  return [
    `${report.robot}, checked at ${report.states.length} states (${report.states.join(', ')})`,
    formatTable(rows),
    ...report.skipped.map((what) => `skipped  ${what}`),
    failed === 0 ? `${report.checks.length} checks passed.` : `${failed} of ${report.checks.length} checks FAILED.`,
  ].join('\n');
}
