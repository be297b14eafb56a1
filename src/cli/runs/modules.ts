/** The generated code of a robot as threads load it: from the cache where that has it. */
import type { GeneratedFile } from '../../codegen/modules/robot-model.ts';
import { cachedModules, variantOf } from '../../codegen/typescript/code-cache.ts';
import type { KeptTexts } from '../../common/kept-texts.ts';
import type { Robot } from '../../description/model/robot.ts';
import { standingOf } from '../../simulation/closed-start.ts';
import { robotOf } from '../../simulation/run/loads-as-actuators.ts';
import { compileOptions } from '../../simulation/run/simulate.ts';
import type { Scenario } from '../../simulation/scenario/scenario.ts';
import type { CodeOfRun } from './run-thread.ts';

/** What a scenario runs with. */
export async function codeFor(scenario: Scenario, kept: KeptTexts | undefined): Promise<CodeOfRun> {
  const [{ model }, stands] = [scenario, standingOf(scenario)];
  return {
    modules: await modulesFor(robotOf(scenario), compileOptions(scenario), kept),
    model: model && (await modulesFor(model, {}, kept)),
    stands: stands && (await modulesFor(stands, { derivatives: true }, kept)),
  };
}

function modulesFor(
  robot: Robot,
  options: { readonly derivatives?: boolean },
  kept: KeptTexts | undefined,
): Promise<readonly GeneratedFile[]> {
  const generate = async (): Promise<readonly GeneratedFile[]> => {
    const [{ compileRobot }, { generateTypeScript }] = await Promise.all([
      import('../../kane/compile.ts'),
      import('../../codegen/typescript/typescript.ts'),
    ]);
    return generateTypeScript(robot, compileRobot(robot, options));
  };
  return cachedModules(robot, generate, kept, variantOf(options));
}
