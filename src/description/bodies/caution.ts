/** What is to be said of a body type where the numbers of a link make it so, once. */
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { BodyType } from '../model/robot.ts';
import type { WarningName } from '../model/warnings.ts';
import type { Place } from '../source/source.ts';

export interface Caution {
  readonly name: WarningName;
  readonly place: Place;
  /**
   * @param values numbers of the parameters, as far as they are known.
   * @returns undefined where nothing is to be said.
   * @throws KanegenError where it cannot be so at all.
   */
  readonly of: (type: BodyType, values: ReadonlyMap<Expr, number>) => string | undefined;
}

const told = new WeakSet<Caution>();

/** Says once what is to be said. */
export function warnOf(
  cautions: readonly Caution[],
  type: BodyType,
  values: ReadonlyMap<Expr, number>,
  warn: (place: Place, name: WarningName, message: string) => void,
): void {
  for (const caution of cautions) {
    const message = told.has(caution) ? undefined : caution.of(type, values);
    if (message === undefined) continue;
    told.add(caution);
    warn(caution.place, caution.name, message);
  }
}
