/** Robots that were read before: kept as text, by their file and how it was read, as long as no file that they were read from changes. */
import { host } from '#host';
import type { KeptTexts } from '../common/kept-texts.ts';
import type { Robot } from './model/robot.ts';
import { robotOfText, robotText } from './robot-text.ts';
import { sameFiles, type ReadFile } from './source/files.ts';

interface Kept {
  readonly files: readonly ReadFile[];
  readonly robot: string;
}

/** @param file as the user names it, which messages repeat. @param how options, and what reads the file. */
function nameOf(file: string, how: unknown): string {
  return `robot-${host
    .sha256()
    .update(JSON.stringify([file, host.paths.resolve(file), how]))
    .digest('hex')}`;
}

/** @returns undefined where it is not kept, or a file has changed since. */
export function keptRobot(kept: KeptTexts, file: string, how: unknown): Robot | undefined {
  const text = kept.read(nameOf(file, how));
  if (text === undefined) return undefined;
  const { files, robot } = JSON.parse(text) as Kept;
  return sameFiles(files) ? robotOfText(robot) : undefined;
}

export function keepRobot(kept: KeptTexts, file: string, how: unknown, robot: Robot): void {
  const [text, files] = [robotText(robot), robot.source.read];
  if (text !== undefined && files) kept.write(nameOf(file, how), JSON.stringify({ files, robot: text } satisfies Kept));
}
