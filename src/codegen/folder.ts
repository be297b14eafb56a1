/** All files of a robot for the chosen targets, each target in a folder of its own. */
import type { Robot } from '../description/robot.ts';
import type { CompiledRobot } from '../kane/link-type.ts';
import type { StraightRobot } from '../straight/straight-robot.ts';
import type { GeneratedFile } from './robot-model.ts';
import type { StraightModel } from './straight-model.ts';

/** A language that dynamics are generated in. */
export type TargetName = 'ts' | 'c';

/** What can be compiled to: `wasm` adds WebAssembly for many states at once to TypeScript in straight-line form. */
export type CompileTarget = TargetName | 'wasm';

const TARGET_FOLDER: Record<CompileTarget, string> = { ts: 'typescript', c: 'c', wasm: 'typescript' };
const TARGETS: readonly CompileTarget[] = ['ts', 'c', 'wasm'];

/** `ts,c` as a list, in this order, without repetition, `wasm` not without `ts`; undefined when a name is not a target. */
export function parseTargets(text: string): readonly CompileTarget[] | undefined {
  const names = text.split(',').map((name) => name.trim());
  if (!names.every((name) => TARGETS.some((target) => target === name))) return undefined;
  return TARGETS.filter((target) => names.includes(target) || (target === 'ts' && names.includes('wasm')));
}

/**
 * Paths are relative to the output directory, `typescript/…` and `c/…`.
 * @param straight the same robot in straight-line form, to be added; `straight.json` then says what its functions cost.
 */
export async function generateFolder(
  robot: Robot,
  compiled: CompiledRobot,
  targets: readonly CompileTarget[],
  straight?: StraightRobot,
): Promise<GeneratedFile[]> {
  const model = straight && (await import('./straight-model.ts')).straightModel(robot, compiled, straight);
  const files: GeneratedFile[] = [];
  for (const target of targets) {
    const generated = await generateTarget(robot, compiled, target, model);
    files.push(...generated.map((f) => ({ path: `${TARGET_FOLDER[target]}/${f.path}`, text: f.text })));
  }
  if (model) files.push((await import('./straight-header.ts')).straightManifest(model));
  return files;
}

async function generateTarget(
  robot: Robot,
  compiled: CompiledRobot,
  target: CompileTarget,
  model: StraightModel | undefined,
): Promise<GeneratedFile[]> {
  if (target === 'ts') {
    const files = await (await import('./typescript.ts')).generateTypeScript(robot, compiled);
    if (model) files.push((await import('./straight-typescript.ts')).generateStraightTypeScript(model));
    return files;
  }
  if (target === 'c') {
    const files = await (await import('./c.ts')).generateC(robot, compiled, model);
    if (model) files.push(...(await (await import('./straight-c.ts')).generateStraightC(model)));
    if (model) files.push(...(await (await import('./straight-batch-c.ts')).generateStraightBatchC(model)));
    return files;
  }
  return model ? (await import('./straight-batch-wasm.ts')).generateStraightBatchWasm(model) : [];
}
