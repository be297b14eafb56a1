/**
 * Under which conditions the parts of expressions matter: those of the branches that they stand in. Numbers that are computed
 * apart from a choice have a value where it falls on their branch only; elsewhere they may overflow.
 */
import { children, logic, select, zero, type Expr } from '../../symbolic/graph/expr.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';

/** Conditions with what they have to be, all at once. */
type Conjunction = ReadonlyMap<Expr, boolean>;

/** One of these has to hold; an empty conjunction always does. */
export type Guard = readonly Conjunction[];

const ALWAYS: Guard = [new Map()];

/** Guards of more alternatives are not worth their tests. */
const MOST_ALTERNATIVES = 4;

/**
 * The guard of every node of some expressions.
 * @param isKnown - conditions that can be asked for; others may fall either way.
 */
export function guardsOf(values: readonly Expr[], isKnown: (condition: Expr) => boolean): (node: Expr) => Guard {
  const nodes = postorder(values);
  if (!nodes.some((e) => e.kind === 'select')) return () => ALWAYS;
  const guards = new Map<Expr, Guard>(values.map((value) => [value, ALWAYS]));
  const reach = (node: Expr, guard: Guard): void => void guards.set(node, either(guards.get(node) ?? [], guard));
  for (const e of nodes.reverse()) {
    const guard = guards.get(e)!;
    if (e.kind === 'select' && isKnown(e.condition)) {
      reach(e.condition, guard);
      reach(e.then, both(guard, e.condition, true));
      reach(e.otherwise, both(guard, e.condition, false));
    } else for (const child of children(e)) reach(child, guard);
  }
  return (node) => guards.get(node) ?? ALWAYS;
}

/** A value where its guard holds, zero elsewhere. */
export function guarded(value: Expr, guard: Guard): Expr {
  if (guard.some((own) => own.size === 0)) return value;
  const alternatives = guard.map((own) => {
    const literals = [...own].map(([condition, wanted]) => (wanted ? condition : logic('not', condition)));
    return literals.length === 1 ? literals[0]! : logic('and', ...literals);
  });
  return select(alternatives.length === 1 ? alternatives[0]! : logic('or', ...alternatives), value, zero);
}

export function either(a: Guard, b: Guard): Guard {
  let all = [...a];
  for (const own of b) all = absorbed(all, own);
  return all.length > MOST_ALTERNATIVES ? ALWAYS : all;
}

/** Alternatives with one more: what one of them implies is left out, and what two leave open of one condition. */
function absorbed(all: readonly Conjunction[], own: Conjunction): Conjunction[] {
  if (all.some((other) => implies(own, other))) return [...all];
  const rest = all.filter((other) => !implies(other, own));
  for (const other of rest) {
    const opposite = [...own].filter(([condition, wanted]) => other.get(condition) === !wanted);
    if (opposite.length !== 1 || other.size !== own.size) continue;
    const merged = new Map(own);
    merged.delete(opposite[0]![0]);
    if (implies(other, merged))
      return absorbed(
        rest.filter((each) => each !== other),
        merged,
      );
  }
  return [...rest, own];
}

/** Does all of `b` hold where all of `a` does? */
function implies(a: Conjunction, b: Conjunction): boolean {
  return [...b].every(([condition, wanted]) => a.get(condition) === wanted);
}

function both(guard: Guard, condition: Expr, wanted: boolean): Guard {
  return guard.flatMap((own) => {
    if (own.has(condition)) return own.get(condition) === wanted ? [own] : [];
    return [new Map([...own, [condition, wanted]])];
  });
}
