/**
 * What must hold of the numbers of a body type and can be checked only where they are known: link by link.
 */
import type { KanegenError } from '../../common/error.ts';
import { evaluate } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { Place } from '../source/source.ts';

export interface Requirement {
  readonly place: Place;
  /** Over the parameters of the body type. */
  readonly value: Expr;
  readonly holds: (value: number) => boolean;
  readonly code: string;
  readonly message: (value: number) => string;
  readonly remedy: string;
}

/** The number an expression has under `values`; undefined when it depends on anything else. */
export function numberUnder(e: Expr, values: ReadonlyMap<Expr, number>): number | undefined {
  return freeSymbols([e]).every((name) => values.has(name)) ? evaluate([e], values)[0] : undefined;
}

/** For numbers that no message should show: NaN, infinite ones. */
export function notFinite(place: Place): KanegenError {
  return place.error(
    'not-finite',
    'this value is not a finite number',
    'check for divisions by zero, and for functions outside of their domains',
  );
}

/** @throws KanegenError of the first requirement that does not hold. */
export function checkRequirements(requirements: readonly Requirement[], values: ReadonlyMap<Expr, number>): void {
  for (const { place, value, holds, code, message, remedy } of requirements) {
    const number = numberUnder(value, values);
    if (number === undefined || holds(number)) continue;
    throw Number.isFinite(number) ? place.error(code, message(number), remedy) : notFinite(place);
  }
}
