/** `kanegen evaluate`: the generated code at given states, as JSON with 17 significant digits. */
import type { TargetName } from '../../codegen/folder.ts';
import { compileRobot } from '../../kane/compile.ts';
import type { Robot } from '../../description/model/robot.ts';
import { KanegenError } from '../../common/error.ts';
import {
  evaluateRobot,
  firstNotFinite,
  termFunctions,
  type Evaluation,
  type Precision,
} from '../../verify/generated/evaluation.ts';
import { UsageError } from '../terminal/failure.ts';
import { loadRobot, type FileOptions } from '../files/load.ts';
import { readText, writeFileWhole } from '../files/output.ts';
import { ownStates, parseStates, type RobotState } from '../files/states.ts';
import { frameLoadsOf, type LoadOptions } from '../options/acting-loads.ts';
import { checkStraightOptions, straightRobot, type StraightCommandOptions } from '../options/straight.ts';
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
  const robot = loadRobot(file, options);
  const own = options.states === undefined ? ownStates(robot) : undefined;
  const states = own ? Object.values(own) : parseStates(readText(options.states!), options.states!, robot);
  const compiled = compileRobot(robot);
  const straight = options.straight ? straightRobot(robot, compiled, options, termFunctions(robot)) : undefined;
  const { target, precision } = options;
  const loads = frameLoadsOf(robot, options);
  const results = await evaluateRobot(robot, compiled, states, { target, precision, straight, loads });
  refuseUndefined(results, states, options, robot, own && Object.keys(own));
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
 * Finite states without finite results are no results.
 * @throws KanegenError `undefined-result` naming the first state and quantity, and why.
 */
function refuseUndefined(
  results: readonly Evaluation[],
  states: readonly RobotState[],
  { precision, states: file }: EvaluateOptions,
  robot: Robot,
  names?: readonly string[],
): void {
  results.forEach((result, index) => {
    const isSingular = states[index]!.forces !== undefined && result.qdd === undefined;
    const quantity = firstNotFinite(result) ?? (isSingular ? 'qdd' : undefined);
    if (quantity === undefined) return;
    const { q, qd, qdd } = states[index]!;
    const fits = (x: number): boolean => precision === 'double' || Number.isFinite(Math.fround(x));
    const beyond = Object.entries({ q, qd, qdd }).flatMap(([name, vector]) =>
      vector.flatMap((x, i) => (fits(x) ? [] : [`${name}[${i}] (${robot.coordinates[i]!.name})`])),
    );
    const message =
      beyond.length > 0
        ? `${beyond[0]!} is beyond the range of float`
        : isSingular
          ? 'tau gives no accelerations: the mass matrix is not positive definite, some motion moves no mass'
          : `${quantity} is not a finite number: the formulas overflow or have a pole at this state`;
    const state = names ? `state ${names[index]!}` : `state ${index}`;
    throw new KanegenError('undefined-result', `${file === undefined ? '' : `${file}: `}${state}: ${message}`, {
      remedy: `choose a state ${beyond.length > 0 ? 'within it, or --precision double' : 'within the limits of the coordinates'}`,
    });
  });
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
