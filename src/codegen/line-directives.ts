/**
 * `#line` in generated C: statements that one key of the robot file says are said to stand there, so that debuggers and coverage show
 * that line; what follows stands in the generated file again.
 */
import { host } from '#host';
import { quoted } from './c-language/source-text.ts';
import type { GeneratedFile, RobotModel } from './modules/robot-model.ts';
import { mappedFunctions } from './source-map.ts';
import type { StraightModel } from './whole-robot/straight-model.ts';

/** @param files all that were generated; those in C come back with directives. */
export function withLineDirectives(
  model: RobotModel,
  straight: StraightModel | undefined,
  files: readonly GeneratedFile[],
): GeneratedFile[] {
  const directives = new Map<string, Map<number, string>>();
  for (const { files: own, statements } of mappedFunctions(model, straight, files))
    own.forEach((file, i) => {
      const ofFile = directives.get(file) ?? new Map<number, string>();
      directives.set(file, ofFile);
      for (const { at, lines } of statements) {
        const line = lines[i];
        const directive = at === undefined ? undefined : directiveOf(at);
        if (line !== undefined && line !== null && directive !== undefined) ofFile.set(line, directive);
      }
    });
  return files.map((file) => {
    const own = file.path.endsWith('.c') ? directives.get(file.path) : undefined;
    return own && own.size > 0 ? { ...file, text: directed(file, own) } : file;
  });
}

/** Of `file:line:column`; places without a file have none. */
function directiveOf(at: string): string | undefined {
  const [, file, line] = /^(.+):(\d+):\d+$/.exec(at) ?? [];
  return file === undefined ? undefined : `#line ${line} ${quoted(file)}`;
}

/** @param directives by the number of the line on which a statement begins. */
function directed({ path: file, text }: GeneratedFile, directives: ReadonlyMap<number, string>): string {
  const lines: string[] = [];
  let isAway = false;
  let isInStatement = false;
  text.split('\n').forEach((line, i) => {
    const directive = directives.get(i + 1);
    if (directive !== undefined) lines.push(directive);
    // The next line of the file is the one behind this directive.
    else if (isAway && !isInStatement) lines.push(`#line ${lines.length + 2} ${quoted(host.paths.basename(file))}`);
    isInStatement = (directive !== undefined || isInStatement) && !/;(?:\s*\/\*.*\*\/)?$/.test(line);
    isAway = directive !== undefined || isInStatement;
    lines.push(line);
  });
  return lines.join('\n');
}
