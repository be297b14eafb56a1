/** Straight-line functions of a robot compute what its driver computes: every term at two states, relative to the largest number of each. */
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { evaluateRobot, termFunctions } from '../../src/verify/generated/evaluation.ts';
import { differenceOf, statesOf } from './languages.ts';
import { refusal, type Outcome } from './outcome.ts';

/** Of the processor, for each body type and for the whole of the functions: what takes longer is refused. */
const SECONDS = 20;
/** See `differenceOf`: terms that cancel leave rounding of forces that are part of them. */
const NEARLY = 1e-8;

export async function outcomeOfStraight(text: string): Promise<Outcome> {
  allowSeconds(SECONDS);
  try {
    const robot = loadRobotText(text, 'fuzz.yaml');
    const compiled = compileRobot(robot);
    const straight = compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });
    const states = statesOf(robot);
    const [due, found] = await Promise.all([
      evaluateRobot(robot, compiled, states, { target: 'ts', precision: 'double' }),
      evaluateRobot(robot, compiled, states, { target: 'ts', precision: 'double', straight }),
    ]);
    const problem = differenceOf(due, found, NEARLY, ['driver', 'straight-line functions']);
    return { result: 'equal', ...(problem !== undefined && { problem }) };
  } catch (error) {
    return refusal(error, text);
  } finally {
    allowSeconds(DEFAULT_SECONDS);
  }
}
