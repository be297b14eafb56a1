/** Energy of loops of a run: what those that give way store and lose, and the work of those that follow the time. */
import type { Robot } from '../../description/model/robot.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import type { Loops } from '../../runtime/driver.ts';
import { demand } from '../integrators/integrator.ts';

export interface LoopPower {
  readonly work: number;
  readonly dissipated: number;
}

/** Compliances of all rows at given run-time parameters, zero of rigid ones; in SI units. */
export function compliances({ loops = [] }: Pick<Robot, 'loops'>, { parameters }: LoadedRobot['parameters']): number[] {
  const known = new Map<Expr, number>();
  return [];
}
