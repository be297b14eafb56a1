/** A robot that is accepted computes the same in TypeScript and in C: the same bits where no function of a library is called and nothing is added in lanes. */
import { generateC } from '../../src/codegen/c/c.ts';
import { allowSeconds, DEFAULT_SECONDS } from '../../src/common/work-limit.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { evaluateRobot, type Evaluation, type State } from '../../src/verify/generated/evaluation.ts';
import { refusal, type Outcome } from './outcome.ts';

const SECONDS = 4;
/**
 * What libraries of C and of JavaScript compute each in their own way (sine and cosine are generated, but for huge angles), and sums in
 * lanes, which are added in another order.
 */
const NOT_BY_BITS = /\bkg_(?:a?tan2?|asin|acos|sinh|cosh|tanh|exp|log|pow|hypot)\(|\blanes\b/;
/** Relative to the largest number of a result, there. */
const NEARLY = 1e-9;

export async function outcomeInBothLanguages(text: string): Promise<Outcome> {
  allowSeconds(SECONDS);
  try {
    const robot = loadRobotText(text, 'fuzz.yaml');
    const compiled = compileRobot(robot);
    const own = (await generateC(robot, compiled)).filter(({ path }) => !path.startsWith('kanegen_'));
    const isByBits = !own.some(({ text: code }) => NOT_BY_BITS.test(code));
    const problem = await differenceBetweenLanguages(robot, compiled, isByBits ? 0 : NEARLY);
    return { result: isByBits ? 'equal' : 'nearly equal', ...(problem !== undefined && { problem }) };
  } catch (error) {
    return refusal(error, text);
  } finally {
    allowSeconds(DEFAULT_SECONDS);
  }
}

/** @param tolerance see `differenceOf`. */
export async function differenceBetweenLanguages(
  robot: Robot,
  compiled: CompiledRobot,
  tolerance: number,
): Promise<string | undefined> {
  const states = statesOf(robot);
  const [ts, c] = await Promise.all([
    evaluateRobot(robot, compiled, states, { target: 'ts', precision: 'double' }),
    evaluateRobot(robot, compiled, states, { target: 'c', precision: 'double' }),
  ]);
  return differenceOf(ts, c, tolerance, ['TypeScript', 'C']);
}

/** The defaults at rest, and a motion beside them. */
export function statesOf({ coordinates, actuators }: Robot): readonly State[] {
  const motion = (scale: number): number[] => coordinates.map((_, i) => scale * Math.cos(1 + 2 * i));
  return [0, 0.03].map((scale) => ({
    q: coordinates.map(({ value }, i) => value + motion(scale)[i]!),
    qd: motion(20 * scale),
    qdd: motion(10 * scale),
    u: actuators.map((_, i) => Math.sin(1 + i)),
  }));
}

/** The first number that differs, in words. @param tolerance relative to the largest number of a term or of tau; zero: all bits. */
export function differenceOf(
  due: readonly Evaluation[],
  found: readonly Evaluation[],
  tolerance: number,
  [ours, theirs]: readonly [string, string],
): string | undefined {
  for (const [i, state] of due.entries())
    for (const [name, own] of Object.entries(state)) {
      const other = numbersIn((found[i] as unknown as Record<string, unknown>)[name]);
      const numbers = numbersIn(own);
      const largest = largestOf([...numbers, ...(tolerance > 0 ? numbersIn(state.tau) : [])]);
      const isSame = (x: number, y: number): boolean =>
        Object.is(x, y) || x === y || Math.abs(x - y) <= tolerance * largest;
      const at = numbers.findIndex((x, k) => !isSame(x, other[k] ?? NaN));
      if (at >= 0 || numbers.length !== other.length)
        return `${name}[${at}] at state ${i}: ${numbers[at]} in ${ours}, ${other[at]} in ${theirs}`;
    }
  return undefined;
}

function numbersIn(value: unknown): number[] {
  if (typeof value === 'number') return [value];
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return [...(value as unknown as unknown[])].flatMap(numbersIn);
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(numbersIn) : [];
}

const largestOf = (numbers: readonly number[]): number =>
  numbers.reduce((most, x) => Math.max(most, Number.isFinite(x) ? Math.abs(x) : 0), 0);
