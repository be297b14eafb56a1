/**
 * Straight-line functions of the whole robot that laws of controllers call in place of the driver's: which ones, with which
 * outputs, and whether there are any for a robot. They stand in the module of the controller and read nothing of the robot
 * but its run-time parameters, gravity along all axes among them.
 */
import { KanegenError } from '../../common/error.ts';
import { waterOf } from '../../description/model/what-acts.ts';
import { compileStraight } from '../../straight/compile.ts';
import type { StraightFunctionName } from '../../straight/straight-robot.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { countOperations } from '../programs/statement.ts';
import { pascalCase } from '../naming/identifiers.ts';
import { generatedCost } from '../whole-robot/straight-cost.ts';
import { functionCName } from '../whole-robot/straight-header.ts';
import { straightModelOf, type StraightModel } from '../whole-robot/straight-model.ts';
import type { Type } from '../translation/subset.ts';
import type { ForeignCost } from './worst-case.ts';
import { NO_OPERATIONS } from '../operations/operation-counts.ts';

/** `inverseDynamics` → `straightInverseDynamics`. */
export function straightName(name: StraightFunctionName): string {
  return `straight${pascalCase(functionCName(name))}`;
}

/** Collects what a law calls while its text is written. */
export class StraightCalls {
  readonly wanted = new Map<StraightFunctionName, readonly string[]>();
  /** Functions whose results need no check of their own. */
  readonly unjudged = new Set<StraightFunctionName>();

  /**
   * @param outputs what becomes of each output that is wanted, in the order of the function; the others are left out.
   * @param judged false where the demand, which is checked, is not finite either if one of them is not.
   */
  call(
    name: StraightFunctionName,
    inputs: readonly string[],
    outputs: Readonly<Record<string, string>>,
    judged = true,
  ): string {
    this.wanted.set(name, Object.keys(outputs));
    if (!judged) this.unjudged.add(name);
    return `${straightName(name)}(${['robot.parameters', ...inputs, ...Object.values(outputs)].join(', ')})`;
  }
}

/** Coordinates up to which straight-line functions are looked at: beyond, the driver costs less but for a few robots. */
const MOST_COORDINATES = 12;
/** Of operations before they are optimised and after. */
const OPTIMISED_AWAY = 4;

/** What ends the work on functions that cannot cost less than the driver. */
class TooDear extends Error {}

/**
 * The functions that a law calls.
 * @param operations of the driver in their place: those that are bound to cost more are not made.
 */
export function straightFunctions(
  model: RobotModel,
  { wanted, unjudged }: StraightCalls,
  operations: number,
): StraightModel | undefined {
  const { robot, links } = model;
  const hasLoops = links.some(({ type }) => type.loops.length > 0);
  if (robot.coordinates.length > MOST_COORDINATES || hasLoops) return undefined;
  if (waterOf(robot).forces || robot.time || robot.loops) return undefined;
  const most = OPTIMISED_AWAY * operations;
  try {
    const straight = compileStraight(robot, {
      functions: [...wanted.keys()],
      keepGravity: 'every axis',
      mostOperations: most,
      count: (outputs, inputs, accuracy) => {
        const cost = generatedCost(outputs, inputs, accuracy);
        if (cost > most) throw new TooDear();
        return cost;
      },
    });
    const functions = straight.functions.map((f) => ({
      ...f,
      outputs: f.outputs
        .filter(({ buffer }) => wanted.get(f.name)!.includes(buffer))
        .map((output) => ({ ...output, optional: false })),
    }));
    const inputs = Object.values(straight.inputs).flat();
    const made = straightModelOf(model, { ...straight, functions }, ({ outputs }) => {
      const values = outputs.flatMap((output) => [...output.values]);
      if (generatedCost(values, inputs, 'estimate') > most) throw new TooDear();
    });
    return { ...made, functions: made.functions.map((f) => ({ ...f, judged: !unjudged.has(f.name) })) };
  } catch (error) {
    // Learned maps, coordinates without mass, bodies too large to be written out: left to the driver.
    if (error instanceof TooDear || error instanceof KanegenError) return undefined;
    throw error;
  }
}

/** What calls of them cost. */
export function straightCallCosts({ functions }: StraightModel): ForeignCost {
  const costs = new Map(
    functions.map(({ name, program }) => [straightName(name), countOperations(program.statements)]),
  );
  return (called) => costs.get(called) ?? NO_OPERATIONS;
}

/** Types of their arguments after the parameters of the robot. */
export function straightArguments({ functions }: StraightModel): Map<string, readonly Type[]> {
  return new Map(
    functions.map(({ name, reads, outputs }) => [
      straightName(name),
      [
        ...reads.filter((buffer) => buffer !== 'parameters').map((): Type => 'reals'),
        ...outputs.map((): Type => 'buffer'),
      ],
    ]),
  );
}
