/** The order of operands, by their structure: the same for the same formulas in every process, whatever was made before. */
import { children, type Expr } from './nodes.ts';
import { Rational } from './rational.ts';

const RANK: Record<Expr['kind'], number> = {
  rational: 0,
  constant: 1,
  symbol: 2,
  stumpff: 3,
  call: 4,
  product: 5,
  sum: 6,
  select: 7,
  compare: 8,
  logic: 9,
};

/** Total order on structure. */
export function compareStructure(a: Expr, b: Expr): number {
  if (a === b) return 0;
  if (a.kind !== b.kind) return RANK[a.kind] - RANK[b.kind];
  if (a.kind === 'symbol' && b.kind === 'symbol') return compareNames(a.name, b.name);
  if (a.kind === 'rational' && b.kind === 'rational') return Rational.compare(a.value, b.value);
  if (a.kind === 'stumpff' && b.kind === 'stumpff' && a.order !== b.order) return a.order - b.order;
  if (a.size !== b.size) return a.size - b.size;
  if (a.hash !== b.hash) return a.hash - b.hash;
  return compareColliding(a, b);
}

/** Names in natural order: q2 before q10. */
function compareNames(a: string, b: string): number {
  const left = a.split(/(\d+)/);
  const right = b.split(/(\d+)/);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (left[i] === right[i]) continue;
    if (i % 2 === 1) {
      const difference = Number(left[i]) - Number(right[i]);
      if (difference !== 0) return difference;
    }
    return left[i]! < right[i]! ? -1 : 1;
  }
  return left.length - right.length;
}

/** Two different nodes of one kind, size and hash (next to impossible): decide by their operands. */
function compareColliding(a: Expr, b: Expr): number {
  const left = children(a);
  const right = children(b);
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const order = compareStructure(left[i]!, right[i]!);
    if (order !== 0) return order;
  }
  const leftText = describeShallow(a);
  const rightText = describeShallow(b);
  return left.length - right.length || (leftText < rightText ? -1 : 1);
}

function describeShallow(e: Expr): string {
  if (e.kind === 'sum')
    return e.terms.map((t) => Rational.toString(t.coefficient)).join(' ') + Rational.toString(e.constant);
  if (e.kind === 'product')
    return e.factors.map((f) => Rational.toString(f.exponent)).join(' ') + Rational.toString(e.coefficient);
  if (e.kind === 'call') return e.name;
  if (e.kind === 'compare' || e.kind === 'logic') return e.operator;
  return e.kind;
}
