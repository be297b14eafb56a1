/** The generated code of a robot as threads load it: from the cache where that has it. */
import type { GeneratedFile } from '../../codegen/modules/robot-model.ts';
import { cachedModules, variantOf } from '../../codegen/typescript/code-cache.ts';
import type { KeptTexts } from '../../common/kept-texts.ts';
import type { Robot } from '../../description/model/robot.ts';

export function modulesFor(
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
