/** Verification of a robot's generated code in all languages and forms. */
import { buildEvaluator, CompilerError, type CEvaluator } from '../codegen/c/build-c.ts';
import { chosenForEvaluation } from '../codegen/choice.ts';
import type { GeneratedFile } from '../codegen/modules/robot-model.ts';
import { loadGenerated, loadStraight, type LoadedRobot } from '../codegen/typescript/load.ts';
import { generateStraightTypeScript } from '../codegen/typescript/straight-typescript.ts';
import { generateTypeScript } from '../codegen/typescript/typescript.ts';
import { straightModel } from '../codegen/whole-robot/straight-model.ts';
import type { Robot } from '../description/model/robot.ts';
import { waterOf } from '../description/model/what-acts.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import type { StraightFunctionName, StraightRobot } from '../straight/straight-robot.ts';
import { evaluateRobot, termFunctions, type Precision } from '../verify/generated/evaluation.ts';
import type { StraightDerivatives } from '../verify/laws/directional-quotients.ts';
import { verifyRobot, type Evaluator, type MissingCheck, type VerificationReport } from '../verify/verify.ts';
import type { RobotCode } from './code.ts';
import type { StraightChoice } from './straight.ts';

/** What is verified, and how thoroughly. */
export interface VerifyOptions {
  /** Of the random states; 1 when missing. */
  readonly seed?: number;
  /** Number of random states; 3 when missing. */
  readonly states?: number;
  /** Functions for derivatives as well. */
  readonly derivatives?: boolean;
  /** Straight-line functions as well. */
  readonly straight?: boolean | StraightChoice;
  /** The comparison with C, which needs a C compiler; made unless false. */
  readonly c?: boolean;
  /** The independent evaluation at all states and points, however long it takes. */
  readonly thorough?: boolean;
  /** Is told what is at work. */
  readonly progress?: (message: string) => void;
}

/** Verifies code in both targets, on demand in straight-line form too. Without a C compiler that comparison is unchecked. */
export async function verification(code: RobotCode, options: VerifyOptions): Promise<VerificationReport> {
  const { seed = 1, states = 3, thorough = false, c: inC = true, progress, straight: choice = false } = options;
  const { robot } = code;
  progress?.('compiling');
  const compiled = await code.compiled();
  const files = await generateTypeScript(robot, compiled);
  const dynamics = (await loadGenerated(files))();
  const straight = choice
    ? await code.straightForm({
        ...(choice === true ? {} : choice),
        functions: [...termFunctions(robot), ...derivativeFunctions(robot)],
        progress,
      })
    : undefined;
  progress?.('building the C code');
  const c = inC ? await cEvaluators(robot, compiled, straight) : { programs: [], evaluators: [], missing: [] };
  try {
    return await verifyRobot(robot, dynamics, {
      ...{ seed, states, thorough },
      ...(straight && { straight: await straightDerivatives(robot, compiled, straight, { files, dynamics }) }),
      others: [...(straight ? [straightEvaluator(robot, compiled, straight)] : []), ...c.evaluators],
      missing: c.missing,
      ...(progress && { progress }),
    });
  } finally {
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

/** Systems of rows of loops lose too many digits for single precision. */
const precisionsOf = ({ loops }: Robot): readonly ('double' | 'single')[] =>
  loops ? ['double'] : ['double', 'single'];

async function cEvaluators(
  robot: Robot,
  compiled: CompiledRobot,
  straight: StraightRobot | undefined,
): Promise<CPrograms> {
  const forms = [undefined, ...(straight ? [straight] : [])];
  const wanted = forms.flatMap((form) =>
    precisionsOf(robot).map((precision) => ({ form, precision, name: cName(form, precision) })),
  );
  const evaluated = chosenForEvaluation(robot, compiled);
  const programs: CEvaluator[] = [];
  const evaluators: Evaluator[] = [];
  try {
    for (const { form, precision, name } of wanted) {
      const program = await buildEvaluator(robot, evaluated, { precision }, form);
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
