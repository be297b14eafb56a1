/**
 * Robots that were compiled before: their code in the memory of the process, and among kept texts where such are given. Found by
 * what a robot says and by the version of kanegen, so that nothing that is kept is ever out of date.
 */
import type { Robot } from '../../description/model/robot.ts';
import type { KeptTexts } from '../../common/kept-texts.ts';
import { RecentMap } from '../../common/recent-map.ts';
import { robotDigest } from '../modules/robot-digest.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';
import { loadModules, type LoadedRobot } from './load.ts';

/** So many are at hand: studies that change what is compiled go through thousands. */
const inMemory = new RecentMap<string, Promise<() => LoadedRobot>>(64);

/**
 * The factory of a robot, each call of which gives one with a workspace of its own.
 * @param generate makes the TypeScript of the robot.
 * @param kept JavaScript from one process to the next; what stands there is run.
 * @throws KanegenError of `generate`, and what `kept` throws.
 */
export function loadCached(
  robot: Robot,
  generate: () => Promise<readonly GeneratedFile[]>,
  kept?: KeptTexts,
  variant = '',
): Promise<() => LoadedRobot> {
  const digest = `${robotDigest(robot)}${variant}`;
  const known = inMemory.get(digest);
  if (known) return known;
  const loaded = modulesBy(`code-${digest}`, generate, kept).then(loadModules);
  inMemory.set(digest, loaded);
  // What failed is tried again.
  loaded.catch(() => {
    inMemory.delete(digest);
  });
  return loaded;
}

/** What the code of a robot is kept by beside what it says. */
export function variantOf({
  derivatives = false,
  points = false,
}: {
  readonly derivatives?: boolean;
  readonly points?: boolean;
}): string {
  return `${derivatives ? '-derivatives' : ''}${points ? '-points' : ''}`;
}

/** The JavaScript of a robot as `loadModules` takes it; parameters are those of loadCached. */
export function cachedModules(
  robot: Robot,
  generate: () => Promise<readonly GeneratedFile[]>,
  kept?: KeptTexts,
  variant = '',
): Promise<readonly GeneratedFile[]> {
  return modulesBy(`code-${robotDigest(robot)}${variant}`, generate, kept);
}

async function modulesBy(
  name: string,
  generate: () => Promise<readonly GeneratedFile[]>,
  kept: KeptTexts | undefined,
): Promise<readonly GeneratedFile[]> {
  const found = modulesIn(kept?.read(name));
  if (found) return found;
  const { modulesOf } = await import('./stripped.ts');
  const modules = modulesOf(await generate());
  kept?.write(name, JSON.stringify(modules));
  return modules;
}

/** The modules in a kept text; undefined where there are none. */
function modulesIn(text: string | undefined): readonly GeneratedFile[] | undefined {
  const modules: unknown = text === undefined ? undefined : JSON.parse(text);
  return isModules(modules) ? modules : undefined;
}

function isModules(value: unknown): value is readonly GeneratedFile[] {
  const isText = (part: unknown): boolean => typeof part === 'string';
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((part: Partial<GeneratedFile> | null) => isText(part?.path) && isText(part?.text))
  );
}
