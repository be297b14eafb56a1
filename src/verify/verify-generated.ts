/**
 * Verification of everything that is generated for a robot: TypeScript, and C in both precisions where a compiler exists.
 */
import { buildEvaluator, CompilerError, type CEvaluator } from '../codegen/build-c.ts';
import { loadGenerated } from '../codegen/load.ts';
import { generateTypeScript } from '../codegen/typescript.ts';
import type { Robot } from '../description/robot.ts';
import type { CompiledRobot } from '../kane/link-type.ts';
import { verifyRobot, type Evaluator, type VerificationOptions, type VerificationReport } from './verify.ts';

/**
 * Generates, loads and builds the code of a robot, then runs every check.
 * A missing C compiler is reported as skipped; one that refuses the generated code is an error.
 * @throws CompilerError when the compiler rejects the generated C.
 */
export async function verifyGenerated(
  robot: Robot,
  compiled: CompiledRobot,
  options: Pick<VerificationOptions, 'seed' | 'states' | 'progress'> = {},
): Promise<VerificationReport> {
  const create = await loadGenerated(await generateTypeScript(robot, compiled));
  const skipped: string[] = [];
  const programs: CEvaluator[] = [];
  const others: Evaluator[] = [];
  try {
    for (const precision of ['double', 'single'] as const) {
      options.progress?.(`compiling C, ${precision} precision`);
      const program = await buildEvaluator(robot, compiled, { precision }).catch((error: unknown) => {
        if (error instanceof CompilerError && /\bENOENT\b/.test(error.message)) return undefined;
        throw error;
      });
      const name = precision === 'single' ? 'C, single precision,' : 'C';
      if (!program) {
        skipped.push(`${name} against TypeScript: there is no C compiler on this machine (cc, or KANEGEN_CC)`);
        continue;
      }
      programs.push(program);
      others.push({ name, evaluate: (states) => program.evaluate(states) });
    }
    return await verifyRobot(robot, create(), { ...options, others, skipped });
  } finally {
    await Promise.all(programs.map((program) => program.dispose()));
  }
}
