/** `kanegen verify`: a table of checks; exit code 1 when one fails or could not be made. */
import type { Outcome } from '../../verify/laws/ledger.ts';
import type { VerificationReport } from '../../verify/verify.ts';
import { openRobot } from '../files/load.ts';
import type { FileOptions } from '../files/file-options.ts';
import { MOST_STATES, wholeNumber } from '../terminal/numbers.ts';
import { withProgress } from '../terminal/progress.ts';
import { checkStraightOptions, straightChoice, type StraightCommandOptions } from '../options/straight.ts';
import { formatTable } from '../terminal/table.ts';
import { print } from '../terminal/terminal.ts';

interface VerifyOptions extends StraightCommandOptions, FileOptions {
  readonly seed: string;
  readonly states: string;
  readonly json?: boolean;
  /** False with `--no-c`. */
  readonly c: boolean;
  readonly thorough?: boolean;
  readonly derivatives?: boolean;
}

export async function verifyCommand(file: string, options: VerifyOptions): Promise<void> {
  checkStraightOptions(options);
  const { c, thorough = false, derivatives = false } = options;
  const [seed, states] = [
    wholeNumber('--seed', options.seed, 0),
    wholeNumber('--states', options.states, 0, MOST_STATES),
  ];
  const robot = openRobot(file, options);
  const straight = options.straight ? straightChoice(options) : false;
  const report = await withProgress((progress) =>
    robot.verify({ seed, states, c, thorough, derivatives, straight, progress }),
  );
  print(`${options.json ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
  if (!report.passed) process.exitCode = 1;
}

const WORDS: Record<Outcome, string> = {
  passed: 'ok',
  failed: 'FAILED',
  unchecked: 'NOT CHECKED',
  'not applicable': 'n/a',
};

export function reportText(report: VerificationReport): string {
  const count = (outcome: Outcome): number => report.checks.filter((check) => check.outcome === outcome).length;
  const rows = report.checks.map((check) => [
    WORDS[check.outcome],
    check.name,
    check.figure,
    check.outcome === 'passed' ? '' : check.where,
  ]);
  const [failed, unchecked] = [count('failed'), count('unchecked')];
  const all = report.checks.length;
  return [
    `${report.robot}, checked at ${report.states.length} states (${report.states.join(', ')})`,
    formatTable(rows),
    ...report.notes.map((note) => `checked  ${note}`),
    ...(failed > 0 ? [`${failed} of ${all} checks FAILED.`] : []),
    ...(unchecked > 0 ? [`${unchecked} of ${all} checks could NOT be made.`] : []),
    ...(report.passed ? [passedText(count('passed'), count('not applicable'))] : []),
  ].join('\n');
}

/** One line, of a report that passed. */
export function foldedText({ robot, states, checks }: VerificationReport): string {
  const count = (outcome: Outcome): number => checks.filter((check) => check.outcome === outcome).length;
  return `ok  ${robot} at ${states.length} states: ${passedText(count('passed'), count('not applicable'))}`;
}

function passedText(passed: number, absent: number): string {
  return `${passed} checks passed${absent > 0 ? `, ${absent} ${absent === 1 ? 'is' : 'are'} not applicable` : ''}.`;
}
