/** `kanegen evaluate`: the generated code at given states, as JSON with 17 significant digits. */
import { evaluate } from '../../api/evaluation.ts';
import { ownStates, parseStates } from '../../api/states.ts';
import type { TargetName } from '../../codegen/folder.ts';
import type { Evaluation, Precision } from '../../verify/generated/evaluation.ts';
import { UsageError } from '../terminal/failure.ts';
import { openRobot } from '../files/load.ts';
import { openToRun } from '../files/open.ts';
import type { FileOptions } from '../files/file-options.ts';
import { readText } from '../../files/read.ts';
import { writeFileWhole } from '../files/output.ts';
import { frameLoadsOf, type LoadOptions } from '../options/acting-loads.ts';
import { checkStraightOptions, straightChoice, type StraightCommandOptions } from '../options/straight.ts';
import { print } from '../terminal/terminal.ts';

interface EvaluateOptions extends StraightCommandOptions, Pick<LoadOptions, 'load' | 'follower'>, FileOptions {
  readonly states?: string;
  readonly target: TargetName;
  readonly precision: Precision;
  readonly out?: string;
}

export async function evaluateCommand(file: string, options: EvaluateOptions): Promise<void> {
  checkStraightOptions(options);
  requireC(options);
  const { target, precision, states: given } = options;
  const robot = target === 'ts' && !options.straight ? await openToRun(file, options) : openRobot(file, options);
  const own = given === undefined ? ownStates(robot.model) : undefined;
  const states = own ? Object.values(own) : parseStates(readText(given!), given!, robot.model);
  const labels = own
    ? Object.keys(own).map((name) => `state ${name}`)
    : states.map((_, index) => `${given!}: state ${index}`);
  const straight = options.straight ? straightChoice(options) : false;
  const wrenches = frameLoadsOf(robot.model, options);
  const results = await evaluate(await robot.compile(), states, { target, precision, straight, wrenches }, labels);
  const shown = results.map(({ qdd, ...others }, i) => (states[i]!.forces && qdd ? { ...others, qdd } : others));
  const text = resultText(shown, own && Object.keys(own));
  if (options.out) writeFileWhole(options.out, text);
  else print(text);
}

/** Single precision is a property of the generated C. @throws UsageError */
export function requireC({ target, precision }: { readonly target: TargetName; readonly precision: Precision }): void {
  if (precision === 'single' && target === 'ts')
    throw new UsageError('--precision single exists in C only: numbers of TypeScript are doubles; add --target c');
}

/**
 * { "states": […] }, numbers with 17 significant digits: enough to read back the same double.
 * @param names of the states, which come first.
 */
export function resultText(results: readonly Evaluation[], names?: readonly string[]): string {
  const number = (value: number): string => value.toExponential(16);
  const vector = (values: readonly number[]): string => `[${values.map(number).join(', ')}]`;
  const matrix = (values: readonly (readonly number[])[]): string => `[${values.map(vector).join(', ')}]`;
  const states = results.map((r, i) => {
    const fields = Object.entries(r).map(
      ([name, value]: [string, number | readonly (number | readonly number[])[]]) => {
        const text =
          typeof value === 'number'
            ? number(value)
            : Array.isArray(value[0])
              ? matrix(value as readonly (readonly number[])[])
              : vector(value as readonly number[]);
        return `${JSON.stringify(name)}: ${text}`;
      },
    );
    if (names) fields.unshift(`"name": ${JSON.stringify(names[i])}`);
    return `    { ${fields.join(',\n      ')} }`;
  });
  return `{\n  "states": [\n${states.join(',\n')}\n  ]\n}\n`;
}
