/** All files of a robot for the chosen targets, each target in a folder of its own. */
import type { Robot } from '../description/robot.ts';
import type { CompiledRobot } from '../kane/link-type.ts';
import type { GeneratedFile } from './robot-model.ts';

export type TargetName = 'ts' | 'c';

export const TARGET_FOLDER: Record<TargetName, string> = { ts: 'typescript', c: 'c' };

/** `ts,c` as a list, in this order and without repetition; undefined when a name is not a target. */
export function parseTargets(text: string): readonly TargetName[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name): name is TargetName => name === 'ts' || name === 'c')) return undefined;
  return (['ts', 'c'] as const).filter((name) => names.includes(name));
}

/** Paths are relative to the output directory, `typescript/…` and `c/…`. */
export async function generateFolder(
  robot: Robot,
  compiled: CompiledRobot,
  targets: readonly TargetName[],
): Promise<GeneratedFile[]> {
  const files: GeneratedFile[] = [];
  for (const target of targets) {
    const generated =
      target === 'ts'
        ? await (await import('./typescript.ts')).generateTypeScript(robot, compiled)
        : await (await import('./c.ts')).generateC(robot, compiled);
    files.push(...generated.map((f) => ({ path: `${TARGET_FOLDER[target]}/${f.path}`, text: f.text })));
  }
  return files;
}
