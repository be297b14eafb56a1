/** What commands share that offer `--straight`: which functions, which parameters stay symbolic, which limits hold. */
import type { StraightChoice } from '../../api/straight.ts';
import { FUNCTION_OPTIONS } from '../../codegen/choice.ts';
import { nearest } from '../../common/nearest.ts';
import { allowSeconds } from '../../common/work-limit.ts';
import {
  NAMED_STRAIGHT_FUNCTIONS as FUNCTIONS,
  optionName,
  type StraightFunctionName,
} from '../../straight/straight-robot.ts';
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
  const { maxSeconds } = straightChoice(options);
  if (maxSeconds !== undefined) allowSeconds(maxSeconds);
}

/**
 * Straight-line functions that the option names; undefined without it, or where a group has them: those that are usual for the robot.
 */
function wantedFunctions(text: string | undefined): readonly StraightFunctionName[] | undefined {
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
  if (unknown !== undefined) {
    const alone = FUNCTIONS.map(optionName).filter((name) => !FUNCTION_OPTIONS.includes(name));
    const close = nearest(unknown, [...FUNCTION_OPTIONS, ...alone]);
    throw new UsageError(
      `--functions: there is no ${JSON.stringify(unknown)}; ${
        close === undefined
          ? `write a list of ${FUNCTION_OPTIONS.join(', ')}; with --straight also of ${alone.join(', ')}`
          : `did you mean ${close}?`
      }`,
    );
  }
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
