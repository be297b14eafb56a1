/**
 * The straight-line form of a robot within a budget, since the size of straight-line code grows with the robot: which functions,
 * how many operations and seconds.
 */
import { host } from '#host';
import { generatedCost } from '../codegen/whole-robot/straight-cost.ts';
import { straightModel } from '../codegen/whole-robot/straight-model.ts';
import { KanegenError } from '../common/error.ts';
import { processorTime } from '../common/work-limit.ts';
import type { Robot } from '../description/model/robot.ts';
import type { CompiledRobot } from '../kane/kernels/link-type.ts';
import { compileStraight, parameterRoles, type StraightOptions } from '../straight/compile.ts';
import type { ParameterRoles, RegressorChoice } from '../straight/functions/regressor.ts';
import {
  optionName,
  STRAIGHT_FUNCTIONS,
  type StraightFunction,
  type StraightFunctionName,
  type StraightParameter,
  type StraightRobot,
} from '../straight/straight-robot.ts';
import { countOperations, totalOperations } from '../symbolic/graph/cost.ts';
import type { Expr } from '../symbolic/graph/expr.ts';

/** Straight-line functions that are wanted of a robot. */
export interface StraightChoice {
  /** Only these; those that are usual for the robot when missing. */
  readonly functions?: readonly StraightFunctionName[] | undefined;
  /** Gravity stays an argument, in the directions in which the robot file has any. */
  readonly keepGravity?: boolean;
  /** Adds the regressor Y of tau = offset + Y π. */
  readonly regressor?: RegressorChoice | undefined;
  /** Limit of operations of all functions; 200,000 when missing. */
  readonly maxOperations?: number;
  /** Limit of processor time, s; 120 when missing. */
  readonly maxSeconds?: number;
  /** Is told what is at work. */
  readonly progress?: ((message: string) => void) | undefined;
}

/**
 * The straight-line form of a robot, its programs built.
 * @throws KanegenError `too-large` with what was reached.
 */
export function straightForm(robot: Robot, compiled: CompiledRobot, choice: StraightChoice = {}): StraightRobot {
  const { functions, regressor, progress } = choice;
  const budget = new Budget(choice, robot);
  progress?.('tracing the recursion through the robot');
  budget.checkOutputs(functions ?? STRAIGHT_FUNCTIONS);
  const straight = compileStraight(robot, {
    ...(functions && { functions }),
    ...(regressor && { regressor }),
    ...optionsOf(budget, choice),
  });
  straightModel(robot, compiled, straight, (f) => {
    progress?.(`optimising ${optionName(f.name)}`);
    budget.add(f);
  });
  return straight;
}

/** Those of some parameters in which forces are linear together, and those of them that no force depends on. */
export function rolesOf<P extends StraightParameter>(
  robot: Robot,
  parameters: readonly P[],
  choice: StraightChoice = {},
): ParameterRoles<P> {
  return parameterRoles(robot, parameters, optionsOf(new Budget(choice, robot), choice));
}

function optionsOf(
  budget: Budget,
  { keepGravity = false }: StraightChoice,
): Omit<StraightOptions, 'functions' | 'regressor'> {
  return {
    keepGravity,
    count: (outputs, inputs, accuracy) => {
      budget.admit(outputs, CANDIDATE_SHARE);
      return generatedCost(outputs, inputs, accuracy);
    },
    admit: (f) => budget.trace(f),
    checkpoint: () => budget.checkpoint(),
    mostOperations: budget.operations,
  };
}

const DEFAULT_OPERATIONS = 200_000;
const DEFAULT_SECONDS = 120;
/** Of several forms the cheapest is taken: of one that is only tried, this share must fit. */
const CANDIDATE_SHARE = 0.5;
/** Share of the memory that Node may use. */
const MEMORY_SHARE = 0.85;

/** Stops work that outgrows its limits, with what was reached. */
class Budget {
  private readonly robot: Robot;
  readonly operations: number;
  /** Of the processor: for straight-line functions, and for a body type. */
  readonly seconds: number;
  private readonly start = processorTime();
  /** Operations of the functions that are done, and of the one at hand. */
  private reached = 0;
  private pending = 0;
  /** Of all functions that are traced. */
  private traced = 0;
  private readonly done: StraightFunctionName[] = [];

  constructor({ maxOperations = DEFAULT_OPERATIONS, maxSeconds = DEFAULT_SECONDS }: StraightChoice, robot: Robot) {
    this.robot = robot;
    this.operations = maxOperations;
    this.seconds = maxSeconds;
  }

  checkpoint(): void {
    const seconds = (processorTime() - this.start) / 1e6;
    if (seconds > this.seconds) throw this.exceeded(`the limit of ${this.seconds} s (--max-seconds)`);
    const { used, limit } = host.memory();
    if (used > MEMORY_SHARE * limit)
      throw this.exceeded(`the memory limit of Node, ${Math.round((limit * 1e6) / 2 ** 20)} MB (NODE_OPTIONS)`);
  }

  /** Every entry of a matrix takes an operation: some robots are too large before anything is traced. */
  checkOutputs(functions: readonly StraightFunctionName[]): void {
    const n = this.robot.coordinates.length;
    for (const name of functions) {
      const entries = /Derivatives$/.test(name) ? 2 * n * n : /massMatrix/i.test(name) ? (n * n) / 2 : n;
      if (entries > this.operations)
        throw this.exceeded(
          `${this.limitText()}: ${optionName(name)} alone has ${entries.toLocaleString('en')} numbers`,
        );
    }
  }

  /** What is traced goes on to the optimiser, which takes the time: too much is stopped before. */
  admit(outputs: readonly Expr[], share = 1): number {
    const own = totalOperations(countOperations(outputs));
    this.pending = own;
    if (this.reached + own * share > this.operations) throw this.exceeded(this.limitText());
    this.checkpoint();
    return own;
  }

  /** All functions together must fit before any is optimised. */
  trace(f: StraightFunction): void {
    this.traced += totalOperations(countOperations(f.outputs.flatMap((output) => [...output.values])));
    this.pending = this.traced;
    if (this.traced > this.operations) throw this.exceeded(this.limitText());
    this.pending = 0;
  }

  add(f: StraightFunction): void {
    this.reached += this.admit(f.outputs.flatMap((output) => [...output.values]));
    this.pending = 0;
    this.done.push(f.name);
  }

  private limitText(): string {
    return `the limit of ${this.operations.toLocaleString('en')} operations (--max-operations)`;
  }

  private exceeded(what: string): KanegenError {
    const { name, links, coordinates } = this.robot;
    const seconds = ((processorTime() - this.start) / 1e6).toFixed(1);
    const done = this.done.length > 0 ? this.done.map(optionName).join(', ') : 'no function';
    const operations = Math.round(this.reached + this.pending).toLocaleString('en');
    return new KanegenError(
      'too-large',
      `the straight-line form of ${name} (${links.length} links, ${coordinates.length} coordinates) exceeds ${what}; ` +
        `after ${seconds} s ${operations} operations were reached, with ${done} optimised`,
      {
        remedy:
          'remove --straight: the driver loops over links, and its code grows with their types, not their number; ' +
          'or ask for fewer functions (--functions inverse-dynamics), or raise the limit',
      },
    );
  }
}
