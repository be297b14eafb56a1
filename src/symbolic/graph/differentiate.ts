/**
 * Derivatives on the DAG: along a direction (tangent propagation), partial, and reverse (adjoints).
 * All iterative; shared subexpressions are differentiated once.
 */
import {
  call,
  cos,
  half,
  integer,
  minus,
  negate,
  one,
  plus,
  power,
  rational,
  scale,
  select,
  sin,
  square,
  stumpff,
  times,
  zero,
  type Expr,
} from './expr.ts';
import { freeSymbols, postorder } from './traverse.ts';
import { ONE, Rational } from './rational.ts';

/** d c_k/dx = ½ (k c_{k+2} − c_{k+1}); source: docs/mathematics.md, "Stumpff calculus". */
function differentiateStumpff(order: number, argument: Expr): Expr {
  const next = stumpff(order + 1, argument);
  return times(half, order === 0 ? negate(next) : minus(times(integer(order), stumpff(order + 2, argument)), next));
}

/** Partial derivatives of one node with respect to each of its operands, as expressions. */
function localDerivatives(e: Expr): { operand: Expr; derivative: Expr }[] {
  switch (e.kind) {
    case 'rational':
    case 'constant':
    case 'symbol':
    case 'compare':
    case 'logic':
    case 'select': // handled by the callers: only the branch taken has a derivative
      return [];
    case 'sum':
      return e.terms.map((t) => ({ operand: t.term, derivative: rational(t.coefficient) }));
    case 'product':
      return e.factors.map((f, i) => {
        const others = e.factors.filter((_, j) => j !== i).map((g) => power(g.base, g.exponent));
        const lowered = power(f.base, Rational.subtract(f.exponent, ONE));
        return {
          operand: f.base,
          derivative: times(rational(Rational.multiply(e.coefficient, f.exponent)), lowered, ...others),
        };
      });
    case 'stumpff':
      return [{ operand: e.argument, derivative: differentiateStumpff(e.order, e.argument) }];
    case 'call':
      return callDerivatives(e);
  }
}

function callDerivatives(e: Expr & { kind: 'call' }): { operand: Expr; derivative: Expr }[] {
  const [x, y] = e.arguments as [Expr, Expr];
  switch (e.name) {
    case 'sin':
      return [{ operand: x, derivative: cos(x) }];
    case 'cos':
      return [{ operand: x, derivative: negate(sin(x)) }];
    case 'tan':
      return [{ operand: x, derivative: plus(one, square(e)) }];
    case 'asin':
      return [{ operand: x, derivative: power(minus(one, square(x)), INVERSE_ROOT) }];
    case 'acos':
      return [{ operand: x, derivative: negate(power(minus(one, square(x)), INVERSE_ROOT)) }];
    case 'atan':
      return [{ operand: x, derivative: power(plus(one, square(x)), -1) }];
    case 'atan2': {
      const inverse = power(plus(square(x), square(y)), -1);
      return [
        { operand: x, derivative: times(y, inverse) },
        { operand: y, derivative: negate(times(x, inverse)) },
      ];
    }
    case 'sinh':
      return [{ operand: x, derivative: call('cosh', x) }];
    case 'cosh':
      return [{ operand: x, derivative: call('sinh', x) }];
    case 'tanh':
      return [{ operand: x, derivative: minus(one, square(e)) }];
    case 'exp':
      return [{ operand: x, derivative: e }];
    case 'log':
      return [{ operand: x, derivative: power(x, -1) }];
    case 'pow':
      return [
        { operand: x, derivative: times(y, call('pow', x, minus(y, one))) },
        { operand: y, derivative: times(e, call('log', x)) },
      ];
    case 'abs':
      return [{ operand: x, derivative: call('sign', x) }];
    case 'sign':
      return [{ operand: x, derivative: zero }];
  }
}

const INVERSE_ROOT: Rational = { numerator: -1n, denominator: 2n };

/**
 * Derivative of each root along a direction: Σ ∂root/∂symbol · direction(symbol).
 * Symbols that are missing from `direction` are constants.
 */
export function directionalDerivative(roots: readonly Expr[], direction: ReadonlyMap<Expr, Expr>): Expr[] {
  const tangents = new Map<Expr, Expr>();
  for (const e of postorder(roots)) {
    if (e.kind === 'symbol') {
      const d = direction.get(e);
      if (d && d !== zero) tangents.set(e, d);
      continue;
    }
    if (e.kind === 'select') {
      // Not through select(c, 1, 0) factors: 0 · infinity of the branch not taken would be NaN.
      const then = tangents.get(e.then) ?? zero;
      const otherwise = tangents.get(e.otherwise) ?? zero;
      if (then !== zero || otherwise !== zero) tangents.set(e, select(e.condition, then, otherwise));
      continue;
    }
    const local = localDerivativesAlong(e, tangents);
    if (local !== zero) tangents.set(e, local);
  }
  return roots.map((root) => tangents.get(root) ?? zero);
}

function localDerivativesAlong(e: Expr, tangents: ReadonlyMap<Expr, Expr>): Expr {
  if (e.kind === 'sum') {
    const terms = e.terms.flatMap((t) => {
      const tangent = tangents.get(t.term);
      return tangent ? [scale(t.coefficient, tangent)] : [];
    });
    return plus(...terms);
  }
  if (e.kind === 'product' && e.factors.length > 1) {
    if (!e.factors.some((f) => tangents.has(f.base))) return zero;
  }
  const terms: Expr[] = [];
  for (const { operand, derivative } of localDerivatives(e)) {
    const tangent = tangents.get(operand);
    if (tangent) terms.push(times(derivative, tangent));
  }
  return plus(...terms);
}

/** ∂root/∂variable for each root. */
export function differentiateAll(roots: readonly Expr[], variable: Expr): Expr[] {
  return directionalDerivative(roots, new Map([[variable, one]]));
}

/** ∂e/∂variable. */
export function differentiate(e: Expr, variable: Expr): Expr {
  return differentiateAll([e], variable)[0]!;
}

/**
 * Gradient of a scalar by reverse accumulation: cost independent of the number of variables.
 * @returns ∂e/∂variable in the order of `variables`.
 */
export function gradient(e: Expr, variables: readonly Expr[]): Expr[] {
  return adjoints([e], [one], variables);
}

/**
 * Reverse accumulation (Griewank & Walther, Evaluating Derivatives, 2008, ch. 3): Σ seed · ∂root/∂variable for each variable.
 * Through a select adjoints would multiply 0 with the derivative of the branch not taken, which may be infinite: selects
 * are differentiated forward, once per symbol.
 */
export function adjoints(roots: readonly Expr[], seeds: readonly Expr[], variables: readonly Expr[]): Expr[] {
  const contributions = new Map<Expr, Expr[]>();
  const give = (operand: Expr, value: Expr): void => {
    if (value === zero) return;
    const list = contributions.get(operand);
    if (list) list.push(value);
    else contributions.set(operand, [value]);
  };
  roots.forEach((root, i) => give(root, seeds[i]!));
  const order = postorder(roots);
  const found = new Map<Expr, Expr>();
  for (let i = order.length - 1; i >= 0; i--) {
    const node = order[i]!;
    const received = contributions.get(node);
    if (!received) continue;
    const adjoint = plus(...received);
    found.set(node, adjoint);
    if (adjoint === zero) continue;
    const local =
      node.kind === 'select'
        ? freeSymbols([node]).map((operand) => ({ operand, derivative: differentiate(node, operand) }))
        : localDerivatives(node);
    for (const { operand, derivative } of local) give(operand, times(adjoint, derivative));
  }
  return variables.map((v) => found.get(v) ?? zero);
}
