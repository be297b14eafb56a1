/** Operations of inverse dynamics as straight-line code, by formulation: derived within limits, optimised, counted. */
import type { Robot } from '../description/model/robot.ts';
import type { OperationCounts } from '../codegen/operations/operation-counts.ts';
import { executedOperations } from '../codegen/whole-robot/straight-cost.ts';
import { straightModel, type StraightModel } from '../codegen/whole-robot/straight-model.ts';
import { KanegenError } from '../common/error.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import { startBudget, type DerivationLimits } from '../lagrange/budget.ts';
import type { StraightRobot } from '../straight/straight-robot.ts';
import { countOperations, totalOperations } from '../symbolic/graph/cost.ts';
import { derive, type FormulationName } from './formulation.ts';

export interface FormulationLimits extends DerivationLimits {
  /** Operations of inverse dynamics beyond which no code is made. */
  readonly operations: number;
}

/** Cost of inverse dynamics; sign changes are free, Stumpff functions count what their evaluation executes. */
export interface ComparedOperations extends OperationCounts {
  readonly total: number;
}

interface Counted {
  readonly model: StraightModel;
  readonly operations: ComparedOperations;
  /** From the integrals of the bodies to expressions, s. */
  readonly derivationSeconds: number;
  /** From expressions to programs, s. */
  readonly modelSeconds: number;
}

/** Why there is no more of it: which limit was passed, and what had been reached. */
interface Stopped {
  readonly stopped: string;
  readonly derivationSeconds?: number;
}

/** Derives one formulation as far as the limits allow. */
export function formulationCost(
  formulation: FormulationName,
  robot: Robot,
  compiled: CompiledRobot,
  limits: FormulationLimits,
): Counted | Stopped {
  const derived = deriveWithin(limits, formulation, robot);
  if ('stopped' in derived) return derived;
  const { straight, derivationSeconds } = derived;
  const unoptimised = totalOperations(countOperations(straight.functions[0]!.outputs.flatMap((o) => o.values)));
  if (unoptimised > limits.operations) {
    const stopped = `${unoptimised} operations, more than the ${limits.operations} that code is made of`;
    return { derivationSeconds, stopped };
  }
  const start = performance.now();
  const model = straightModel(robot, compiled, straight);
  const { program } = model.functions[0]!;
  const operations = { ...program.counts, total: executedOperations(program) };
  return { model, operations, derivationSeconds, modelSeconds: secondsSince(start) };
}

const secondsSince = (start: number): number => (performance.now() - start) / 1000;

function deriveWithin(
  limits: FormulationLimits,
  formulation: FormulationName,
  robot: Robot,
): { straight: StraightRobot; derivationSeconds: number } | Stopped {
  const start = performance.now();
  try {
    const straight = derive(formulation, robot, startBudget(limits));
    return { straight, derivationSeconds: secondsSince(start) };
  } catch (error) {
    if (error instanceof KanegenError && error.code === 'too-large') return { stopped: error.message };
    throw error;
  }
}
