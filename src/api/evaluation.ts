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
  results.forEach((result, index) => refuseUndefined(result, states[index]!, precision, robot, labels[index]!));
  return results;
}

function refuseUndefined(result: Evaluation, state: State, precision: Precision, robot: Robot, label: string): void {
  const isSingular = state.forces !== undefined && result.qdd === undefined;
  const quantity = firstNotFinite(result) ?? (isSingular ? 'qdd' : undefined);
  if (quantity === undefined) return;
  const { q, qd, qdd } = state;
  const fits = (x: number): boolean => precision === 'double' || Number.isFinite(Math.fround(x));
  const [beyond] = Object.entries({ q, qd, qdd }).flatMap(([name, vector]) =>
    vector.flatMap((x, i) => (fits(x) ? [] : [`${name}[${i}] (${robot.coordinates[i]!.name})`])),
  );
  const message =
    beyond !== undefined
      ? `${beyond} is beyond the range of float`
      : isSingular
        ? 'tau gives no accelerations: the mass matrix is not positive definite, some motion moves no mass'
        : `${quantity} is not a finite number: the formulas overflow or have a pole at this state`;
  throw new KanegenError('undefined-result', `${label}: ${message}`, {
    remedy: `choose a state ${beyond === undefined ? 'within the limits of the coordinates' : 'within it, or --precision double'}`,
  });
}
