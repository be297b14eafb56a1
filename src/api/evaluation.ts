/** Generated code evaluated at states: terms of the equations of motion as numbers. */
import { KanegenError } from '../common/error.ts';
import type { TargetName } from '../codegen/folder.ts';
import type { State } from '../codegen/modules/evaluation.ts';
import type { Robot } from '../description/model/robot.ts';
import {
  evaluateRobot,
  evaluateRunning,
  firstNotFinite,
  termFunctions,
  type Evaluation,
  type Precision,
} from '../verify/generated/evaluation.ts';
import { refusalOf, wrenchesOf, type FrameWrench } from './by-name.ts';
import type { RobotCode } from './code.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import { unsolvedAt } from '../simulation/run/unsolved-section.ts';
import type { StraightChoice } from './straight.ts';

/** Which code is evaluated, and under which loads. */
export interface EvaluateOptions {
  /** TypeScript in this process, or C built by the compiler of the system; `ts` when missing. */
  readonly target?: TargetName;
  /** `single` of the target `c` only; `double` when missing. */
  readonly precision?: Precision;
  /** Takes M, c, g and τ from straight-line functions instead of the driver. */
  readonly straight?: boolean | StraightChoice;
  /** Loads on frames at every state. */
  readonly wrenches?: readonly FrameWrench[];
}

/**
 * Finite states without finite results are no results.
 * @param labels of the states in messages.
 * @throws KanegenError `undefined-result` naming the first state and quantity, and why.
 */
export async function evaluate(
  code: RobotCode,
  states: readonly State[],
  { target = 'ts', precision = 'double', straight: choice = false, wrenches = [] }: EvaluateOptions,
  labels: readonly string[] = states.map((_, index) => `state ${index}`),
): Promise<Evaluation[]> {
  const { robot } = code;
  const refuse = refusalOf('evaluate');
  if (precision === 'single' && robot.loops)
    throw refuse('robots with loops need double precision', 'leave `precision` out');
  if (precision === 'single' && target === 'ts')
    throw refuse('precision `single` exists in C only: numbers of TypeScript are doubles', "add `target: 'c'`");
  const loads = wrenchesOf(refuse, robot, wrenches);
  const straight = choice
    ? await code.straightForm({ ...(choice === true ? {} : choice), functions: termFunctions(robot) })
    : undefined;
  const results =
    target === 'ts' && !straight
      ? evaluateRunning(robot, await code.run(), states, loads)
      : await evaluateRobot(robot, await code.compiled(), states, { target, precision, straight, loads });
  for (const [index, result] of results.entries()) {
    const state = states[index]!;
    const quantity = undefinedIn(result, state);
    if (quantity) throw undefinedResult(quantity, state, precision, await code.run(), robot, labels[index]!);
  }
  return results;
}

function undefinedIn(result: Evaluation, state: State): string | undefined {
  return firstNotFinite(result) ?? (state.forces !== undefined && result.qdd === undefined ? SINGULAR : undefined);
}

/** Stands for accelerations that are missing. */
const SINGULAR = 'qdd of tau';

function undefinedResult(
  quantity: string,
  state: State,
  precision: Precision,
  running: LoadedRobot,
  robot: Robot,
  label: string,
): KanegenError {
  const { q, qd, qdd } = state;
  const fits = (x: number): boolean => precision === 'double' || Number.isFinite(Math.fround(x));
  const [beyond] = Object.entries({ q, qd, qdd }).flatMap(([name, vector]) =>
    vector.flatMap((x, i) => (fits(x) ? [] : [`${name}[${i}] (${robot.coordinates[i]!.name})`])),
  );
  const message =
    beyond !== undefined
      ? `${beyond} is beyond the range of float`
      : quantity === SINGULAR
        ? 'tau gives no accelerations: the mass matrix is not positive definite, some motion moves no mass'
        : `${quantity} is not a finite number: ${unsolvedAt(q, robot, running) ?? 'the formulas overflow or have a pole at this state'}`;
  return new KanegenError('undefined-result', `${label}: ${message}`, {
    remedy: `choose a state ${beyond === undefined ? 'within the limits of the coordinates' : 'within it, or --precision double'}`,
  });
}
