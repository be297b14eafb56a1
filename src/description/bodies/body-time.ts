/** The time in formulas of body types. */
import { symbol } from '../../symbolic/graph/expr.ts';
import { dues, type Scope } from '../values/scope.ts';

/** What formulas call the time, unless the type calls something else so. */
export const TIME = 't';
/** Stands for it, in s. */
export const TIME_OF_BODY = symbol(`body.${TIME}`);

/** Lets formulas of a scope call the time by its name, unless something else has that name. */
export function implyTime(scope: Scope): void {
  if (!scope.find(TIME)) scope.imply(TIME, TIME_OF_BODY, dues.time.dimension);
}
