/** What multiplies directions is formed before: the same values, fewer operations for each of several directions. */
import { describe, expect, it } from 'vitest';
import { accumulate } from '../../../src/codegen/programs/accumulate.ts';
import { OperationGraph } from '../../../src/codegen/programs/operation-graph.ts';
import {
  expressionsOf,
  operationsBelow,
  type Operation,
  type Stage,
} from '../../../src/codegen/operations/operation.ts';
import { evaluate } from '../../../src/symbolic/evaluation/evaluate.ts';
import { directionalDerivative } from '../../../src/symbolic/graph/differentiate.ts';
import {
  compare,
  cos,
  integer,
  minus,
  negate,
  plus,
  power,
  select,
  sin,
  symbol,
  times,
  type Expr,
} from '../../../src/symbolic/graph/expr.ts';

const DIRECTION: Stage = 4;
const named = (stem: string, count: number): Expr[] => Array.from({ length: count }, (_, i) => symbol(`${stem}${i}`));
const x = named('accumulate.x', 4);
const parameters = named('accumulate.p', 2);
const u = named('accumulate.u', 4);

/** Of the same value as one of x. */
const same = symbol('accumulate.same');

const values = new Map<Expr, number>([...x, ...parameters, ...u].map((s, i) => [s, Math.sin(3 + 2 * i) + 1.1]));
values.set(same, values.get(x[3]!)!);

function graphOf(roots: readonly Expr[]): OperationGraph {
  const declared = (symbols: readonly Expr[], buffer: string, stage: Stage) =>
    symbols.map((s, index) => ({ symbol: s, place: { buffer, index }, stage }));
  return new OperationGraph(roots, [
    ...declared(parameters, 'parameters', 0),
    ...declared([...x, same], 'q', 1),
    ...declared(u, 'qTangent', DIRECTION),
  ]);
}

/** Operations for each direction. */
function late(roots: readonly Operation[]): number {
  const isCounted = ({ kind, stage }: Operation): boolean =>
    stage === DIRECTION && ['add', 'subtract', 'multiply', 'divide'].includes(kind);
  return operationsBelow(roots).filter(isCounted).length;
}

function accumulated(
  roots: readonly Expr[],
  expected: number,
): { before: readonly Operation[]; after: readonly Operation[] } {
  const graph = graphOf(roots);
  const before = roots.map((root) => graph.of(root));
  return { before, after: accumulate(graph, before, DIRECTION, expected) };
}

/** Evaluates to the same numbers, with late operations at most as many as `atMost`. */
function holds(roots: readonly Expr[], expected: number, atMost: number): void {
  const { before, after } = accumulated(roots, expected);
  expect(late(after)).toBeLessThanOrEqual(atMost);
  expect(late(before)).toBeGreaterThan(atMost);
  const wanted = evaluate(roots, values);
  evaluate(expressionsOf(after), values).forEach((value, i) => expect(value).toBeCloseTo(wanted[i]!, 12));
}

/** Values one after the other, each of two before: what depends on few inputs in a long way. */
function steps(count: number): Expr[] {
  const all = [...x];
  for (let i = 0; i < count; i++) {
    const [a, b] = [all[all.length - 1]!, all[all.length - 3]!];
    all.push(
      i % 3 === 0 ? plus(times(a, b), sin(b)) : i % 3 === 1 ? minus(times(parameters[0]!, a), cos(b)) : times(a, b),
    );
  }
  return all.slice(-3);
}

describe('accumulate', () => {
  const changes = (roots: readonly Expr[], of = x): Expr[] =>
    directionalDerivative(roots, new Map(of.map((s, i) => [s, u[i]!])));

  it('leaves one product and sum per direction and output of a long way', () => {
    holds(changes(steps(30)), 1000, 3 * (4 + 3));
  });

  it('leaves what does not pay', () => {
    const roots = changes(steps(30));
    const { before, after } = accumulated(roots, 1);
    expect(late(after)).toBeLessThanOrEqual(late(before));
    const cost = (all: readonly Operation[]): number => operationsBelow(all).length;
    expect(cost(after)).toBeLessThanOrEqual(cost(before));
    expect(late(accumulated(roots, 8).after)).toBeLessThan(late(after));
  });

  it('keeps an output that others are made of, and an argument that is one', () => {
    const [a, b] = [plus(times(x[0]!, u[0]!), times(x[1]!, u[1]!), times(x[2]!, u[2]!)), plus(u[2]!, u[3]!)];
    const c = times(sin(x[1]!), plus(times(x[0]!, a), times(x[3]!, a), times(x[2]!, negate(b))));
    const { after } = accumulated([a, c, u[0]!], 50);
    const wanted = evaluate([a, c, u[0]!], values);
    evaluate(expressionsOf(after), values).forEach((value, i) => expect(value).toBeCloseTo(wanted[i]!, 13));
  });

  it('divides by what is known before', () => {
    const divided = times(plus(times(u[0]!, x[1]!), times(u[1]!, x[2]!)), power(plus(x[0]!, x[3]!), -1));
    const roots = [times(divided, x[1]!), times(divided, x[2]!), times(divided, parameters[1]!)];
    holds(
      roots.map((root) => plus(...roots, times(root, x[3]!))),
      100,
      9,
    );
  });

  it('chooses between changes where values are chosen', () => {
    const inner = changes(steps(12));
    const infinite = power(minus(x[3]!, same), -1);
    for (const isFirst of [true, false]) {
      const [first, second] = isFirst
        ? [inner[0]!, times(infinite, inner[1]!)]
        : [times(infinite, inner[0]!), inner[1]!];
      const chosen = select(compare('<', isFirst ? integer(0) : integer(9), x[0]!), first, second);
      const roots = [plus(times(chosen, x[1]!), times(chosen, times(x[2]!, x[3]!)), inner[2]!)];
      const { after, before } = accumulated(roots, 100);
      expect(late(after)).toBeLessThan(late(before));
      expect(evaluate(expressionsOf(after), values)[0]).toBeCloseTo(evaluate(roots, values)[0]!, 12);
    }
  });
});
