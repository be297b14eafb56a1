/**
 * Quantities and their parts as numbers, at numbers without structure: the whole; what is left of it without the inputs that
 * come last; and what stands before each of these, where it is linear in them, or quadratic in rates.
 */
import { randomNumbers } from '../../common/random.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols, postorder } from '../../symbolic/graph/traverse.ts';

/** A symbol whose value comes with a call; see `Stage`. */
export interface NamedInput {
  readonly symbol: Expr;
  readonly stage: number;
  readonly name: string;
}

/** Values are looked at here and there. */
export const POINTS: readonly number[] = [0, 1];

export type Values = readonly number[];

export interface NamedValues {
  readonly name: string;
  readonly values: Values;
}

/** Of a value: what two ways to it differ by, at most. */
const TOLERANCE = 1e-9;

export const isSame = (a: number, b: number): boolean => Math.abs(a - b) <= TOLERANCE * Math.abs(b);

/** Numbers that looking at parts may take. */
const MOST_NUMBERS = 2e7;

/** The same numbers for a symbol in every process, whatever other symbols there are. */
export function valuesOfSymbol(symbol: Expr): Values {
  if (symbol.kind !== 'symbol') throw new Error('a symbol is due');
  const seed = [...symbol.name].reduce(
    (hash, letter) => Math.imul(hash ^ letter.charCodeAt(0), 0x01000193),
    0x811c9dc5,
  );
  const next = randomNumbers(seed);
  return POINTS.map(() => 0.2 + 0.7 * next());
}

/** The quantities, then their parts. */
export function partsOfQuantities(
  quantities: ReadonlyMap<Expr, string>,
  inputs: readonly NamedInput[],
): readonly NamedValues[] {
  const samples = new Samples([...quantities.keys()], inputs);
  const whole = [...quantities].map(([e, name]) => ({ name, values: samples.of(e, '') }));
  return [...whole, ...[...quantities].flatMap(([e, name]) => parts(e, name, samples))];
}

// ---------------------------------------------------------------------------------------------- parts

function parts(e: Expr, name: string, samples: Samples): NamedValues[] {
  const last = Math.max(0, ...samples.inputsOf(e).map(({ stage }) => stage));
  if (last === 3) {
    const rest = { name: `${name}_from_rates`, values: samples.of(e, '3:') };
    return [rest, ...linear(e, name, 3, samples), ...quadratic(e, name, samples)];
  }
  if (last === 4) return linear(e, name, 4, samples);
  const own = last === 2 ? linear(e, name, 2, samples) : [];
  return last === 2 && own.length === 0 ? quadratic(e, name, samples) : own;
}

/** What stands before each input of a stage; nothing where more than that depends on them. */
function linear(e: Expr, name: string, stage: number, samples: Samples): NamedValues[] {
  const inputs = samples.inputsOf(e).filter((own) => own.stage === stage);
  const rest = samples.of(e, `${stage}:`);
  const before = inputs.map((input) => minus(samples.of(e, `${stage}:${samples.numberOf(input)}`), rest));
  const total = POINTS.map((at) =>
    inputs.reduce((sum, { symbol }, i) => sum + before[i]![at]! * valuesOfSymbol(symbol)[at]!, rest[at]!),
  );
  const whole = samples.of(e, '');
  if (!total.every((value, at) => isSame(value, whole[at]!))) return [];
  return before.map((values, i) => ({ name: `${name}_per_${inputs[i]!.name}`, values }));
}

/** The same for products of two rates, everything else that comes late left out. */
function quadratic(e: Expr, name: string, samples: Samples): NamedValues[] {
  const inputs = samples.inputsOf(e).filter(({ stage }) => stage === 2);
  const at = (...chosen: readonly NamedInput[]): Values =>
    samples.of(e, `3: 2:${chosen.map((input) => samples.numberOf(input)).join(',')}`);
  const rest = at();
  const found: (NamedValues & { readonly factors: Values })[] = [];
  inputs.forEach((a, i) => {
    const own = minus(at(a), rest);
    found.push({ name: `${name}_per_${a.name}_squared`, values: own, factors: productOf(a, a) });
    for (const b of inputs.slice(i + 1)) {
      const values = minus(minus(at(a, b), rest), add(own, minus(at(b), rest)));
      found.push({ name: `${name}_per_${a.name}_${b.name}`, values, factors: productOf(a, b) });
    }
  });
  const total = POINTS.map((p) => found.reduce((sum, { values, factors }) => sum + values[p]! * factors[p]!, rest[p]!));
  const whole = samples.of(e, '3:');
  return total.every((value, p) => isSame(value, whole[p]!)) ? found : [];
}

const minus = (a: Values, b: Values): Values => POINTS.map((at) => a[at]! - b[at]!);
const add = (a: Values, b: Values): Values => POINTS.map((at) => a[at]! + b[at]!);

function productOf(a: NamedInput, b: NamedInput): Values {
  const [x, y] = [valuesOfSymbol(a.symbol), valuesOfSymbol(b.symbol)];
  return POINTS.map((at) => x[at]! * y[at]!);
}

// ---------------------------------------------------------------------------------------------- samples

const UNKNOWN: Values = POINTS.map(() => NaN);

/**
 * Values of expressions where inputs of some stages are zero but for few, which are one: `3:` all of stage 3 are zero, `3:7` all but
 * the seventh input, `3: 2:1,4` all of stage 3 and of stage 2 but two. Everything else has its number.
 */
class Samples {
  private readonly inputs: readonly NamedInput[];
  private readonly dependent = new Map<Expr, readonly NamedInput[]>();
  private readonly numbers: ReadonlyMap<NamedInput, number>;
  private readonly rows = new Map<string, number>();
  private readonly columns = new Map<Expr, Float64Array>();

  constructor(expressions: readonly Expr[], inputs: readonly NamedInput[]) {
    const mentioned = new Set<Expr>(freeSymbols(expressions));
    this.inputs = inputs.filter(({ symbol }) => mentioned.has(symbol));
    this.numbers = new Map(this.inputs.map((input, i) => [input, i]));
    const size = postorder(expressions).length;
    const states = this.states();
    const few = size * states.length * POINTS.length <= MOST_NUMBERS ? states : [''];
    few.forEach((state, row) => this.rows.set(state, row));
    const symbols = [...mentioned];
    const count = few.length * POINTS.length;
    const chosen = few.map(stateOf);
    const columns = new Map(symbols.map((symbol) => [symbol, this.column(symbol, chosen)] as const));
    const values = evaluateRows(expressions, columns, new Map(), count);
    expressions.forEach((e, i) => this.columns.set(e, values[i]!));
    if (few.length > 1) for (const e of expressions) this.dependent.set(e, this.mentionedBy(e));
  }

  /** Inputs that the expression depends on; none where there are too many numbers to look at. */
  inputsOf(e: Expr): readonly NamedInput[] {
    return this.dependent.get(e) ?? [];
  }

  numberOf(input: NamedInput): number {
    return this.numbers.get(input)!;
  }

  of(e: Expr, state: string): Values {
    const row = this.rows.get(state);
    return row === undefined ? UNKNOWN : POINTS.map((at) => this.columns.get(e)![row * POINTS.length + at]!);
  }

  private mentionedBy(e: Expr): readonly NamedInput[] {
    const own = new Set<Expr>(freeSymbols([e]));
    return this.inputs.filter(({ symbol }) => own.has(symbol));
  }

  private states(): string[] {
    const of = (stage: number): number[] => this.inputs.flatMap((own, i) => (own.stage === stage ? [i] : []));
    const pairs = of(2).flatMap((a, i) =>
      of(2)
        .slice(i + 1)
        .map((b) => `3: 2:${a},${b}`),
    );
    return [
      '',
      ...[2, 3, 4].flatMap((stage) => [`${stage}:`, ...of(stage).map((i) => `${stage}:${i}`)]),
      ...['3: 2:', ...of(2).map((i) => `3: 2:${i}`), ...pairs],
    ];
  }

  private column(symbol: Expr, states: readonly State[]): Float64Array {
    const given = valuesOfSymbol(symbol);
    const index = this.inputs.findIndex((input) => input.symbol === symbol);
    const stage = this.inputs[index]?.stage ?? NaN;
    const column = new Float64Array(states.length * POINTS.length);
    states.forEach((state, row) => {
      const chosen = state.get(stage);
      for (const at of POINTS) column[row * POINTS.length + at] = chosen ? Number(chosen.has(index)) : given[at]!;
    });
    return column;
  }
}

/** The inputs that are one, by the stages of which all others are zero. */
type State = ReadonlyMap<number, ReadonlySet<number>>;

/** @param text as `Samples` names states. */
function stateOf(text: string): State {
  const stages = text === '' ? [] : text.split(' ').map((part) => part.split(':') as [string, string]);
  return new Map(
    stages.map(([stage, chosen]) => [Number(stage), new Set(chosen === '' ? [] : chosen.split(',').map(Number))]),
  );
}
