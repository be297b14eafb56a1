/** Values of run-time parameters, in running code that was made with others. */
import { parameterIdentifiers } from '../codegen/naming/identifiers.ts';
import type { LoadedRobot } from '../codegen/typescript/load.ts';
import type { Robot } from '../description/model/robot.ts';
import { evaluate } from '../symbolic/evaluation/evaluate.ts';

/** @param robot whose values these are. */
export function take({ parameters }: LoadedRobot, robot: Robot): void {
  const names = parameterIdentifiers(robot.parameters);
  robot.parameters.forEach(({ value }, i) => (parameters[names[i]!] = evaluate([value])[0]!));
  parameters.gravity.set(robot.gravity);
}
