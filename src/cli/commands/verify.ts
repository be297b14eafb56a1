/** `kanegen verify`: a table of checks; exit code 1 when one fails or could not be made. */
import { buildEvaluator, CompilerError, type CEvaluator, type Precision } from '../../codegen/c/build-c.ts';
import type { GeneratedFile } from '../../codegen/modules/robot-model.ts';
import { loadGenerated, loadStraight, type LoadedRobot } from '../../codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../../codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../../codegen/typescript/typescript.ts';
import { straightModel } from '../../codegen/whole-robot/straight-model.ts';
import type { Robot } from '../../description/model/robot.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import { compileRobot } from '../../kane/compile.ts';
import type { CompiledRobot } from '../../kane/link/link-type.ts';
import type { StraightFunctionName, StraightRobot } from '../../straight/straight-robot.ts';
import { evaluateRobot, termFunctions } from '../../verify/generated/evaluation.ts';
import type { Outcome } from '../../verify/laws/ledger.ts';
import type { StraightDerivatives } from '../../verify/laws/directional-quotients.ts';
import { verifyRobot, type Evaluator, type MissingCheck, type VerificationReport } from '../../verify/verify.ts';
import { loadRobot, type FileOptions } from '../files/load.ts';
import { MOST_STATES, wholeNumber } from '../terminal/numbers.ts';
import { Progress } from '../terminal/progress.ts';
import { checkStraightOptions, straightRobot, type StraightCommandOptions } from '../options/straight.ts';
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
  const robot = loadRobot(file, options);
  const sample = {
    seed: wholeNumber('--seed', options.seed, 0),
    states: wholeNumber('--states', options.states, 0, MOST_STATES),
    thorough: options.thorough ?? false,
    c: options.c,
    derivatives: options.derivatives ?? false,
  };
  const report = await verification(robot, sample, options);
  print(`${options.json ? JSON.stringify(report, null, 2) : reportText(report)}\n`);
  if (!report.passed) process.exitCode = 1;
}

interface Sample {
  readonly seed: number;
  readonly states: number;
  readonly thorough?: boolean;
  /** Compare with C? Unless false. */
  readonly c?: boolean;
  /** Functions for derivatives as well? */
  readonly derivatives?: boolean;
}

/**
 * Generates the code of a robot in both targets, on demand in straight-line form too, and verifies it. Without a C
 * compiler that comparison is unchecked.
 */
export async function verification(
  robot: Robot,
  sample: Sample,
  options: StraightCommandOptions = {},
): Promise<VerificationReport> {
  const progress = new Progress();
  progress.show('compiling');
  const compiled = compileRobot(robot, { derivatives: sample.derivatives ?? false });
  const files = await generateTypeScript(robot, compiled);
  const dynamics = (await loadGenerated(files))();
  const straight = options.straight
    ? straightRobot(robot, compiled, options, [...termFunctions(robot), ...derivativeFunctions(robot)], progress)
    : undefined;
  progress.show('building the C code');
  const none: CPrograms = { programs: [], evaluators: [], missing: [] };
  const c = sample.c === false ? none : await cEvaluators(robot, compiled, straight);
  try {
    return await verifyRobot(robot, dynamics, {
      ...sample,
      ...(straight && { straight: await straightDerivatives(robot, compiled, straight, { files, dynamics }) }),
      others: [...(straight ? [straightEvaluator(robot, compiled, straight)] : []), ...c.evaluators],
      missing: c.missing,
      progress: (message) => progress.show(message),
    });
  } finally {
    progress.clear();
    await Promise.all(c.programs.map((program) => program.dispose()));
  }
}

function derivativeFunctions(robot: Robot): readonly StraightFunctionName[] {
  return ['inverseDynamicsDerivatives', ...(waterOf(robot).forces ? (['fluidDerivatives'] as const) : [])];
}

/** Loaded, with the parameters that they take. */
async function straightDerivatives(
  robot: Robot,
  compiled: CompiledRobot,
  straight: StraightRobot,
  { files, dynamics }: { readonly files: readonly GeneratedFile[]; readonly dynamics: LoadedRobot },
): Promise<StraightDerivatives> {
  const model = straightModel(robot, compiled, straight);
  const functions = await loadStraight(files, generateStraightTypeScript(model));
  return { functions, kept: model.parameters.length > 0 ? [dynamics.parameters] : [] };
}

function straightEvaluator(robot: Robot, compiled: CompiledRobot, straight: StraightRobot): Evaluator {
  const precision = 'double';
  return {
    name: 'straight-line TypeScript',
    precision,
    isOtherForm: true,
    evaluate: (states) => evaluateRobot(robot, compiled, states, { target: 'ts', precision, straight }),
  };
}

interface CPrograms {
  readonly programs: readonly CEvaluator[];
  readonly evaluators: readonly Evaluator[];
  readonly missing: readonly MissingCheck[];
}

async function cEvaluators(
  robot: Robot,
  compiled: CompiledRobot,
  straight: StraightRobot | undefined,
): Promise<CPrograms> {
  const forms = [undefined, ...(straight ? [straight] : [])];
  const wanted = forms.flatMap((form) =>
    (['double', 'single'] as const).map((precision) => ({ form, precision, name: cName(form, precision) })),
  );
  const programs: CEvaluator[] = [];
  const evaluators: Evaluator[] = [];
  try {
    for (const { form, precision, name } of wanted) {
      const program = await buildEvaluator(robot, compiled, { precision }, form);
      programs.push(program);
      const evaluate: Evaluator['evaluate'] = async (states) =>
        (await program.evaluateAll(states)).map(({ terms, further }) => ({ ...terms, further }));
      evaluators.push({ name, precision, isOtherForm: form !== undefined, evaluate });
    }
    return { programs, evaluators, missing: [] };
  } catch (error) {
    // A compiler that refuses the generated code is a failure of the code; a missing one leaves it unchecked.
    if (!(error instanceof CompilerError) || !error.message.includes('ENOENT')) throw error;
    const reason = 'no C compiler found (cc, or KANEGEN_CC in the environment): --no-c leaves out C';
    return {
      programs,
      evaluators,
      missing: wanted.map(({ name }) => ({ name: `${name} agrees with TypeScript`, reason })),
    };
  }
}

function cName(form: StraightRobot | undefined, precision: Precision): string {
  return `${form ? 'straight-line C' : 'C'}${precision === 'single' ? ' in single precision' : ''}`;
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

function passedText(passed: number, absent: number): string {
  return `${passed} checks passed${absent > 0 ? `, ${absent} ${absent === 1 ? 'is' : 'are'} not applicable` : ''}.`;
}
