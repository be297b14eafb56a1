/**
 * Walks over the DAG without recursion: order of evaluation, free symbols, rebuilding with replacements.
 */
import {
  call,
  children,
  compare,
  logic,
  plus,
  power,
  rational,
  scale,
  select,
  stumpff,
  times,
  type Expr,
  type SymbolExpr,
} from './expr.ts';

/** Every node below `roots`, each once, operands before their users; the order depends on structure alone. */
export function postorder(roots: readonly Expr[]): Expr[] {
  const order: Expr[] = [];
  const state = new Map<Expr, boolean>(); // false: operands pending, true: placed
  for (const root of roots) {
    const stack: Expr[] = [root];
    while (stack.length > 0) {
      const e = stack[stack.length - 1]!;
      const placed = state.get(e);
      if (placed === undefined) {
        state.set(e, false);
        const operands = children(e);
        for (let i = operands.length - 1; i >= 0; i--) if (!state.has(operands[i]!)) stack.push(operands[i]!);
        continue;
      }
      stack.pop();
      if (placed) continue;
      state.set(e, true);
      order.push(e);
    }
  }
  return order;
}

/** The symbols that occur below `roots`, in order of first use. */
export function freeSymbols(roots: readonly Expr[]): SymbolExpr[] {
  return postorder(roots).filter((e): e is SymbolExpr => e.kind === 'symbol');
}

/** Does any of `symbols` occur in e? */
export function dependsOn(e: Expr, symbols: ReadonlySet<Expr>): boolean {
  return postorder([e]).some((node) => symbols.has(node));
}

/** The node with its operands replaced, through the constructors (so that it is canonical again). */
export function rebuild(e: Expr, replaced: (operand: Expr) => Expr): Expr {
  switch (e.kind) {
    case 'rational':
    case 'constant':
    case 'symbol':
      return e;
    case 'sum':
      return plus(rational(e.constant), ...e.terms.map((t) => scale(t.coefficient, replaced(t.term))));
    case 'product':
      return times(rational(e.coefficient), ...e.factors.map((f) => power(replaced(f.base), f.exponent)));
    case 'call':
      return call(e.name, ...e.arguments.map(replaced));
    case 'stumpff':
      return stumpff(e.order, replaced(e.argument));
    case 'select':
      return select(replaced(e.condition), replaced(e.then), replaced(e.otherwise));
    case 'compare':
      return compare(e.operator, replaced(e.left), replaced(e.right));
    case 'logic':
      return logic(e.operator, ...e.operands.map(replaced));
  }
}

/** Rewrites every node bottom-up: `rewrite` sees a node whose operands are rewritten already. */
export function transform(roots: readonly Expr[], rewrite: (e: Expr) => Expr): Expr[] {
  const results = new Map<Expr, Expr>();
  for (const e of postorder(roots)) {
    const operands = children(e);
    const unchanged = operands.every((o) => results.get(o) === o);
    results.set(e, rewrite(unchanged ? e : rebuild(e, (o) => results.get(o)!)));
  }
  return roots.map((root) => results.get(root)!);
}

/** Replaces nodes (usually symbols) by expressions, all at once. */
export function substitute(roots: readonly Expr[], replacements: ReadonlyMap<Expr, Expr>): Expr[] {
  if (replacements.size === 0) return [...roots];
  const results = new Map<Expr, Expr>();
  for (const e of postorder(roots)) {
    const replacement = replacements.get(e);
    if (replacement) results.set(e, replacement);
    else {
      const unchanged = children(e).every((o) => results.get(o) === o);
      results.set(e, unchanged ? e : rebuild(e, (o) => results.get(o)!));
    }
  }
  return roots.map((root) => results.get(root)!);
}

export function substituteOne(e: Expr, replacements: ReadonlyMap<Expr, Expr>): Expr {
  return substitute([e], replacements)[0]!;
}
