/**
 * What commands share that offer `--straight`: which functions, which parameters stay symbolic, and the budget within
 * which a robot must fit, since the size of straight-line code grows with the robot.
 */
import { getHeapStatistics } from 'node:v8';
import { FUNCTION_OPTIONS } from '../../codegen/choice.ts';
import { generatedCost } from '../../codegen/whole-robot/straight-cost.ts';
import { functionCName } from '../../codegen/whole-robot/straight-header.ts';
import { straightModel } from '../../codegen/whole-robot/straight-model.ts';
import type { Robot } from '../../description/model/robot.ts';
import type { CompiledRobot } from '../../kane/link/link-type.ts';
import { compileStraight, parameterRoles, STRAIGHT_FUNCTIONS, type StraightOptions } from '../../straight/compile.ts';
import type { ParameterRoles, RegressorChoice } from '../../straight/functions/regressor.ts';
import type {
  StraightFunction,
  StraightFunctionName,
  StraightParameter,
  StraightRobot,
} from '../../straight/straight-robot.ts';
import { countOperations, totalOperations } from '../../symbolic/graph/cost.ts';
import { KanegenError } from '../../common/error.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { allowSeconds, processorTime } from '../../common/work-limit.ts';
import { UsageError } from '../terminal/failure.ts';
import { positiveNumber } from '../terminal/numbers.ts';
import type { Progress } from '../terminal/progress.ts';

/** As commander gives them. */
export interface StraightCommandOptions {
  readonly straight?: boolean;
  readonly functions?: string;
  readonly keep?: readonly string[];
  /** All that there are, or comma-separated names. */
  readonly regressor?: boolean | string;
  readonly base?: boolean;
  readonly maxOperations?: string;
  readonly maxSeconds?: string;
}

/** Everything that can be asked for. */
const FUNCTIONS: readonly StraightFunctionName[] = [
  ...STRAIGHT_FUNCTIONS,
  'implicitStep',
  'passiveForces',
  'activeInverseDynamics',
  'stiffness',
  'dissipation',
  'fluid',
  'fluidDerivatives',
  'actuation',
  'actuate',
  'massMatrixAndForcing',
];

/** `inverseDynamics` → `inverse-dynamics`. */
function optionName(name: StraightFunctionName): string {
  return functionCName(name).replace(/_/g, '-');
}

/** @throws UsageError when options of straight-line code are given without `--straight`, or names are those of no function. */
export function checkStraightOptions(options: StraightCommandOptions): void {
  if (!options.straight) {
    const given = [
      ['--regressor', options.regressor !== undefined],
      ['--max-operations', options.maxOperations !== undefined],
    ].find(([, isGiven]) => isGiven);
    if (given) throw new UsageError(`${String(given[0])} needs --straight`);
  }
  if (options.base && options.regressor === undefined) throw new UsageError('--base needs --regressor');
  checkFunctions(options);
  const { seconds } = new Budget(options);
  if (options.maxSeconds !== undefined) allowSeconds(seconds);
}

/**
 * Straight-line functions that the option names; undefined without it, or where a group has them: those that are usual for the robot.
 */
export function wantedFunctions(text: string | undefined): readonly StraightFunctionName[] | undefined {
  const wanted = namesIn(text);
  if (wanted?.some((name) => name === 'default' || name === 'all') ?? true) return undefined;
  return FUNCTIONS.filter((f) => wanted!.includes(optionName(f)));
}

/** Names of functions that the driver has; undefined without the option. */
export function wantedOfDriver(text: string | undefined): readonly string[] | undefined {
  return namesIn(text)?.filter((name) => FUNCTION_OPTIONS.includes(name));
}

function namesIn(text: string | undefined): readonly string[] | undefined {
  return text?.split(',').map((name) => name.trim());
}

function checkFunctions({ functions, straight }: StraightCommandOptions): void {
  const isStraight = (name: string): boolean => FUNCTIONS.some((f) => optionName(f) === name);
  const wanted = namesIn(functions) ?? [];
  const unknown = wanted.find((name) => !FUNCTION_OPTIONS.includes(name) && !isStraight(name));
  if (unknown !== undefined)
    throw new UsageError(
      `--functions takes a list of ${FUNCTION_OPTIONS.join(', ')}; ` +
        `with --straight also of ${FUNCTIONS.map(optionName)
          .filter((name) => !FUNCTION_OPTIONS.includes(name))
          .join(', ')}; not ${JSON.stringify(unknown)}`,
    );
  const [alone] = wanted.filter((name) => !FUNCTION_OPTIONS.includes(name));
  if (alone !== undefined && !straight)
    throw new UsageError(`${alone} of --functions is a straight-line function: add --straight`);
  if (straight && wanted.length > 0 && wantedFunctions(functions)?.length === 0)
    throw new UsageError(
      `--functions names no straight-line function: add one of ${FUNCTIONS.map(optionName).join(', ')}, or leave out --straight`,
    );
}

/** Parameters of the robot that are kept; gravity is no parameter, but may be kept like one. */
export function keptParameters(keep: readonly string[] | undefined): string[] {
  return (keep ?? [])
    .flatMap((list) => list.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== 'gravity');
}

function keepsGravity(keep: readonly string[] | undefined): boolean {
  return (keep ?? []).some((list) => list.split(',').some((name) => name.trim() === 'gravity'));
}

/**
 * The straight-line form of a robot, its programs built.
 * @param functions restricts them beyond the option.
 * @throws KanegenError `too-large` with what was reached.
 */
export function straightRobot(
  robot: Robot,
  compiled: CompiledRobot,
  options: StraightCommandOptions,
  functions: readonly StraightFunctionName[] | undefined = wantedFunctions(options.functions),
  progress?: Progress,
  regressor?: RegressorChoice,
): StraightRobot {
  const budget = new Budget(options, robot);
  progress?.show('tracing the recursion through the robot');
  budget.checkOutputs(functions ?? STRAIGHT_FUNCTIONS);
  const straight = compileStraight(robot, {
    ...(functions && { functions }),
    ...(regressor && { regressor }),
    ...optionsOf(budget, options),
  });
  straightModel(robot, compiled, straight, (f) => {
    progress?.show(`optimising ${optionName(f.name)}`);
    budget.add(f);
  });
  progress?.clear();
  return straight;
}

/** Those of some parameters in which forces are linear together, and those of them that no force depends on. */
export function rolesOf<P extends StraightParameter>(
  robot: Robot,
  parameters: readonly P[],
  options: StraightCommandOptions,
): ParameterRoles<P> {
  return parameterRoles(robot, parameters, optionsOf(new Budget(options, robot), options));
}

function optionsOf(budget: Budget, { keep }: StraightCommandOptions): Omit<StraightOptions, 'functions' | 'regressor'> {
  return {
    keepGravity: keepsGravity(keep),
    count: (outputs, inputs, accuracy) => {
      budget.admit(outputs, CANDIDATE_SHARE);
      return generatedCost(outputs, inputs, accuracy);
    },
    admit: (f) => budget.trace(f),
    checkpoint: () => budget.checkpoint(),
    mostOperations: budget.operations,
  };
}

const DEFAULT_OPERATIONS = '200000';
const DEFAULT_SECONDS = '120';
/** Of several forms the cheapest is taken: of one that is only tried, this share must fit. */
const CANDIDATE_SHARE = 0.5;
/** Share of the memory that Node may use. */
const MEMORY_SHARE = 0.85;

/** Stops work that outgrows its limits, with what was reached. */
class Budget {
  private readonly robot: Robot | undefined;
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

  constructor(options: StraightCommandOptions, robot?: Robot) {
    this.robot = robot;
    this.operations = positiveNumber('--max-operations', options.maxOperations ?? DEFAULT_OPERATIONS);
    this.seconds = positiveNumber('--max-seconds', options.maxSeconds ?? DEFAULT_SECONDS);
  }

  checkpoint(): void {
    const seconds = (processorTime() - this.start) / 1e6;
    if (seconds > this.seconds) throw this.exceeded(`the limit of ${this.seconds} s (--max-seconds)`);
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    if (used > MEMORY_SHARE * limit)
      throw this.exceeded(`the memory limit of Node, ${Math.round(limit / 2 ** 20)} MB (NODE_OPTIONS)`);
  }

  /** Every entry of a matrix takes an operation: some robots are too large before anything is traced. */
  checkOutputs(functions: readonly StraightFunctionName[]): void {
    const n = this.robot!.coordinates.length;
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
    const { name, links, coordinates } = this.robot!;
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
