/**
 * Names of values in a program: those that were proposed, or what can be said of a value by its operands; unique, and
 * free of what C, TypeScript and generated functions use themselves.
 */
import { BUFFER_NAMES } from '../../kane/link/buffers.ts';
import type { Operation, Place } from '../operations/operation.ts';
import { snakeCaseOf } from './names.ts';

/** How a number in a buffer is called where the buffer alone does not say it. */
export type PlaceNames = (place: Place) => string | undefined;

/** Names that generated functions use for themselves, and names that C, TypeScript or their libraries own. */
const TAKEN = new Set([
  ...['own', 'parent', 'ownTangent', 'parentTangent', ...BUFFER_NAMES].flatMap((name) => [name, snakeCaseOf(name)]),
  ...`time base frames linkParameters link_parameters p scratch row index stumpff stumpffValues stumpff_values sineAndCosine
  sineCosine sine_and_cosine y0 y1 yn j0 j1 jn gamma signgam I E div exp log pow abs sin cos tan sqrt
  int float double char short long signed unsigned void auto register static extern const volatile restrict inline if
  else for while do switch case default break continue return goto sizeof struct union enum typedef class new delete
  this function var let in of typeof instanceof null true false undefined import export yield await async try catch
  finally throw with super extends implements interface package private protected public arguments eval NaN Infinity
  lanes mask load store stride range remainder round floor ceil trunc main errno linux unix`.split(/\s+/),
]);

export class ProgramNames {
  private readonly taken: Set<string>;
  private readonly proposed: ReadonlyMap<Operation, string>;
  private readonly placeNames: PlaceNames;
  private temporaries = 0;

  /** @param taken names of buffers and tables in the function. */
  constructor(taken: Iterable<string>, proposed: ReadonlyMap<Operation, string>, placeNames: PlaceNames) {
    this.taken = new Set(taken);
    this.proposed = proposed;
    this.placeNames = placeNames;
  }

  /** A name for the value of an operation: a proposed one, one derived from its operands, or a number. */
  of(operation: Operation): string {
    return this.unique(this.proposed.get(operation) ?? this.derived(operation) ?? `t${++this.temporaries}`);
  }

  private derived(operation: Operation): string | undefined {
    if (operation.kind === 'call' && operation.operands.length === 1)
      return joined(operation.name, this.hint(operation.operands[0]!));
    if (operation.kind === 'sqrt') return joined('root', this.hint(operation.operand));
    if (operation.kind === 'multiply' && operation.left === operation.right)
      return joined(this.hint(operation.left), 'squared');
    return undefined;
  }

  /** What the value is called where it has a name that says something. */
  hint(operation: Operation): string | undefined {
    const proposed = this.proposed.get(operation);
    if (proposed) return proposed;
    return operation.kind === 'input' ? this.placeNames(operation.place) : this.derived(operation);
  }

  /** The wanted name, with a number where it is taken. */
  unique(wanted: string): string {
    const base = /^[A-Za-z][A-Za-z0-9_]*$/.test(wanted) ? wanted : `v_${wanted.replace(/[^A-Za-z0-9]+/g, '_')}`;
    let name = TAKEN.has(base) ? `${base}_` : base;
    for (let i = 2; this.taken.has(name); i++) name = `${base}_${i}`;
    this.taken.add(name);
    return name;
  }
}

/** Both names in one, unless it is long or one is missing. */
export function joined(a: string | undefined, b: string | undefined): string | undefined {
  return a && b && a.length + b.length < 28 ? `${a}_${b}` : undefined;
}
