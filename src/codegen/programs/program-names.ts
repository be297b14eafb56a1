/**
 * Names of values in a program: those that were proposed, or what can be said of a value by its operands; unique, and
 * free of what C, TypeScript and generated functions use themselves.
 */
import { BUFFER_NAMES } from '../../kane/kernels/buffers.ts';
import { QUANTITIES } from '../../kane/kernels/quantities.ts';
import type { Operation, Place } from '../operations/operation.ts';
import { isOfParts } from '../naming/early-names.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import type { OperationGraph } from './operation-graph.ts';
import { productName } from '../naming/product-names.ts';

/** How a number in a buffer is called where the buffer alone does not say it. */
export type PlaceNames = (place: Place) => string | undefined;

/** Names that generated functions use for themselves, and names that C, TypeScript or their libraries own. */
const TAKEN = new Set([
  ...['own', 'parent', 'ownTangent', 'parentTangent', ...BUFFER_NAMES].flatMap((name) => [name, snakeCaseOf(name)]),
  ...[...BUFFER_NAMES, ...Object.keys(QUANTITIES)].map((name) => snakeCaseOf(name).toUpperCase()),
  ...`time base frames linkParameters link_parameters p scratch row index stumpff stumpffValues stumpff_values kg_sine_and_cosine
  unreduced reducedTurns reducedPart reducedPart2 reducedRest reducedSquare reducedSeries reducedSeries2 reducedSeries3
  reducedSeries4 reducedSeries5 reducedSeries6 reducedSeries7 reducedSeries8 reducedSeries9 reducedSeries10 reducedSine
  reducedCosine reducedQuadrant ofInputs ofOutputs y0 y1 yn j0 j1 jn gamma signgam I E div exp log pow abs sin cos tan sqrt
  int float double char short long signed unsigned void auto register static extern const volatile restrict inline if
  else for while do switch case default break continue return goto sizeof struct union enum typedef class new delete
  this function var let in of typeof instanceof null true false undefined import export yield await async try catch
  finally throw with super extends implements interface package private protected public arguments eval NaN Infinity
  lanes mask load store stride range remainder round floor ceil trunc main errno linux unix
  abstract active alias as asm attribute binding cast common compile crate diagnostic discard enable external filter final fn friend
  from get handle impl layout loop macro match meta mod module move mut nil override partition pass patch precise precision pub ref
  require requires resource select self set shared sign smooth std target template trait type unless use using varying virtual where`.split(
    /\s+/,
  ),
]);

type Proposals = Pick<OperationGraph, 'names' | 'described'>;

export class ProgramNames {
  private readonly taken: Set<string>;
  /** By names that are wanted several times, the first number that may be free. */
  private readonly counted = new Map<string, number>();
  private readonly proposed: Proposals;
  private readonly placeNames: PlaceNames;
  private temporaries = 0;
  /** The nearest quantity that a value without a name is a part of. */
  private readonly parts = new Map<Operation, string>();

  /** @param taken names of buffers and tables in the function. */
  constructor(taken: Iterable<string>, proposed: Proposals, placeNames: PlaceNames) {
    this.taken = new Set(taken);
    this.proposed = proposed;
    this.placeNames = placeNames;
  }

  /** A name for the value of an operation: what it is, what it is made of, the given one, what it is a part of, or a number. */
  of(operation: Operation, otherwise?: string): string {
    return this.unique(this.known(operation) ?? otherwise ?? this.parts.get(operation) ?? `t${++this.temporaries}`);
  }

  /**
   * Tells of values what they are part of: of several quantities the one that is computed first.
   * @param operations those of the function, operands first.
   */
  learnParts(operations: readonly Operation[], operands: (operation: Operation) => readonly Operation[]): void {
    const wholes = new Map<Operation, string>();
    for (const user of [...operations].reverse()) {
      const whole = this.quantity(user) ?? wholes.get(user);
      if (whole !== undefined) for (const operand of operands(user)) wholes.set(operand, whole);
    }
    for (const [operation, whole] of wholes)
      if (whole.length <= LONGEST_WHOLE) this.parts.set(operation, `${whole}_part`);
  }

  /** What an operation is called that is a quantity as a whole. */
  private quantity(operation: Operation): string | undefined {
    const name = this.proposed.names.get(operation) ?? this.proposed.described.get(operation);
    return name === undefined || isOfParts(name) ? undefined : name.replace(/^minus_/, '');
  }

  private known(operation: Operation): string | undefined {
    const { names, described } = this.proposed;
    return names.get(operation) ?? this.ofInputs(operation) ?? described.get(operation) ?? this.derived(operation);
  }

  /** Products of few inputs, and functions of what has a name: nothing says better what they are. */
  private ofInputs(operation: Operation): string | undefined {
    if (operation.kind === 'call' && operation.operands.length === 1)
      return joined(operation.name, this.hint(operation.operands[0]!));
    if (operation.kind === 'stumpff') return joined(`c${operation.order}`, this.hint(operation.argument));
    if (operation.kind === 'multiply' && operation.left === operation.right) return squared(this.hint(operation.left));
    return productName(operation, (factor) => (factor.kind === 'input' ? this.hint(factor) : undefined));
  }

  private derived(operation: Operation): string | undefined {
    if (operation.kind === 'sqrt') return joined('root', this.hint(operation.operand));
    const inputs = operation.kind === 'add' ? this.sumOfInputs(operation) : undefined;
    if (inputs !== undefined) return inputs;
    if (operation.kind === 'add') return this.together(operation.left, 'plus', operation.right);
    if (operation.kind === 'subtract') return this.together(operation.left, 'minus', operation.right);
    return productName(operation, (factor) => this.hint(factor));
  }

  /** `shoulder_plus_elbow_angle` of `elbow_angle + shoulder_angle`: inputs in their order, the common end of their names once. */
  private sumOfInputs(sum: Operation): string | undefined {
    const inputs: { readonly name: string; readonly index: number }[] = [];
    const pending = [sum];
    while (pending.length > 0) {
      const operation = pending.pop()!;
      if (operation.kind === 'add') pending.push(operation.left, operation.right);
      else if (operation.kind !== 'input') return undefined;
      else inputs.push({ name: this.placeNames(operation.place) ?? '', index: operation.place.index });
      if (inputs.length > MOST_SUMMANDS) return undefined;
    }
    const words = inputs.sort((a, b) => a.index - b.index).map(({ name }) => name.split('_'));
    let common = 0;
    while (words.every((own) => own.length > common + 1 && own.at(-1 - common) === words[0]!.at(-1 - common))) common++;
    const name = words.map((own, i) => (i === words.length - 1 ? own : own.slice(0, own.length - common)).join('_'));
    return name.every((own) => own !== '') && name.join('').length < LONGEST_SUM_OF_INPUTS
      ? name.join('_plus_')
      : undefined;
  }

  /** Two values with names of their own, not made of others. */
  private together(left: Operation, sign: string, right: Operation): string | undefined {
    const { names, described } = this.proposed;
    const [a, b] = [left, right].map(
      (o) => names.get(o) ?? (o.kind === 'input' || o.kind === 'stumpff' ? this.hint(o) : described.get(o)),
    );
    return a && b && a.length + b.length < LONGEST_SUM ? `${a}_${sign}_${b}` : undefined;
  }

  /** What the value is called where it has a name that says something. */
  hint(operation: Operation): string | undefined {
    return operation.kind === 'input' ? this.placeNames(operation.place) : this.known(operation);
  }

  /** The wanted name in snake case, symbols such as `qE` and `R_xx` as they are, with a number where it is taken. */
  unique(wanted: string): string {
    const snake = wanted.replace(/(?<=[a-z0-9])[A-Z](?=[a-z])/g, (letter) => `_${letter.toLowerCase()}`);
    const base = /^[A-Za-z][A-Za-z0-9_]*$/.test(snake) ? snake : `v_${snake.replace(/[^A-Za-z0-9]+/g, '_')}`;
    let name = TAKEN.has(base) ? `${base}_` : base;
    let i = this.counted.get(base) ?? 2;
    for (; this.taken.has(name); i++) name = `${base}_${i}`;
    this.counted.set(base, i);
    this.taken.add(name);
    return name;
  }
}

/** Columns of the name of a quantity that parts are called after. */
const LONGEST_WHOLE = 32;

const MOST_SUMMANDS = 4;
const LONGEST_SUM_OF_INPUTS = 40;

/** Columns of the two names that a sum or a difference is called after. */
const LONGEST_SUM = 26;

const squared = (name: string | undefined): string | undefined =>
  name !== undefined && name.length < LONGEST_SUM ? `${name}_squared` : undefined;

/** Both names in one, unless it is long or one is missing. */
export function joined(a: string | undefined, b: string | undefined): string | undefined {
  return a && b && a.length + b.length < 28 ? `${a}_${b}` : undefined;
}
