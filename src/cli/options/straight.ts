/** What commands share that offer `--straight`: which functions, which parameters stay symbolic, which limits hold. */
import type { StraightChoice } from '../../api/straight.ts';
import { allowSeconds } from '../../common/work-limit.ts';
import { optionName, STRAIGHT_FUNCTIONS, type StraightFunctionName } from '../../straight/straight-robot.ts';
import { UsageError } from '../terminal/failure.ts';
import { positiveNumber } from '../terminal/numbers.ts';

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

/** @throws UsageError when options of straight-line code are given without `--straight`, or name no function. */
export function checkStraightOptions(options: StraightCommandOptions): void {
  if (!options.straight) {
    const given = [
      ['--functions', options.functions !== undefined],
      ['--regressor', options.regressor !== undefined],
      ['--max-operations', options.maxOperations !== undefined],
    ].find(([, isGiven]) => isGiven);
    if (given) throw new UsageError(`${String(given[0])} needs --straight`);
  }
  if (options.base && options.regressor === undefined) throw new UsageError('--base needs --regressor');
  const { maxSeconds } = straightChoice(options);
  if (maxSeconds !== undefined) allowSeconds(maxSeconds);
}

/** Undefined without the option: what is usual for the robot. */
function wantedFunctions(text: string | undefined): readonly StraightFunctionName[] | undefined {
  if (text === undefined) return undefined;
  const wanted = text.split(',').map((name) => name.trim());
  const unknown = wanted.find((name) => !FUNCTIONS.some((f) => optionName(f) === name));
  if (unknown !== undefined)
    throw new UsageError(
      `--functions takes a list of ${FUNCTIONS.map(optionName).join(', ')}; not ${JSON.stringify(unknown)}`,
    );
  return FUNCTIONS.filter((f) => wanted.includes(optionName(f)));
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

/** The choice that options make. @throws UsageError */
export function straightChoice(options: StraightCommandOptions): StraightChoice {
  const { maxOperations, maxSeconds } = options;
  return {
    functions: wantedFunctions(options.functions),
    keepGravity: keepsGravity(options.keep),
    ...(maxOperations !== undefined && { maxOperations: positiveNumber('--max-operations', maxOperations) }),
    ...(maxSeconds !== undefined && { maxSeconds: positiveNumber('--max-seconds', maxSeconds) }),
  };
}
