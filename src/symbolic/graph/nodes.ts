/** What nodes of the expression DAG consist of. The constructors of `expr.ts` alone make them. */
import type { Rational } from './rational.ts';

export type FunctionName =
  | 'sin'
  | 'cos'
  | 'tan'
  | 'asin'
  | 'acos'
  | 'atan'
  | 'atan2'
  | 'sinh'
  | 'cosh'
  | 'tanh'
  | 'exp'
  | 'log'
  | 'pow'
  | 'abs'
  | 'sign';

export interface NodeBase {
  /** Order of creation; children always have smaller ids than their parents. Never used to order output. */
  readonly id: number;
  /** Hash of the structure, the same in every process. */
  readonly hash: number;
  /** Number of nodes of the expression as a tree, saturated: the first ordering criterion. */
  readonly size: number;
}

interface RationalExpr extends NodeBase {
  readonly kind: 'rational';
  readonly value: Rational;
}
interface ConstantExpr extends NodeBase {
  readonly kind: 'constant';
  readonly name: 'pi';
}
export interface SymbolExpr extends NodeBase {
  readonly kind: 'symbol';
  readonly name: string;
}
export interface SumTerm {
  readonly coefficient: Rational;
  readonly term: Expr;
}
/** constant + Σ coefficient·term */
export interface SumExpr extends NodeBase {
  readonly kind: 'sum';
  readonly constant: Rational;
  readonly terms: readonly SumTerm[];
}
export interface Factor {
  readonly base: Expr;
  readonly exponent: Rational;
}
/** coefficient · Π base^exponent */
export interface ProductExpr extends NodeBase {
  readonly kind: 'product';
  readonly coefficient: Rational;
  readonly factors: readonly Factor[];
}
export interface CallExpr extends NodeBase {
  readonly kind: 'call';
  readonly name: FunctionName;
  readonly arguments: readonly Expr[];
}
/** c_order(argument) = Σ_j (−argument)^j / (order + 2j)! */
interface StumpffExpr extends NodeBase {
  readonly kind: 'stumpff';
  readonly order: number;
  readonly argument: Expr;
}
/** `then` where the condition holds, else `otherwise`; the branch not taken is neither evaluated nor differentiated. */
interface SelectExpr extends NodeBase {
  readonly kind: 'select';
  readonly condition: Expr;
  readonly then: Expr;
  readonly otherwise: Expr;
}
export type Comparison = '<' | '<=' | '==';
/** A condition: only ever the first operand of a select, or an operand of another condition. */
export interface CompareExpr extends NodeBase {
  readonly kind: 'compare';
  readonly operator: Comparison;
  readonly left: Expr;
  readonly right: Expr;
}
export interface LogicExpr extends NodeBase {
  readonly kind: 'logic';
  readonly operator: 'and' | 'or' | 'not';
  readonly operands: readonly Expr[];
}

export type Expr =
  | RationalExpr
  | ConstantExpr
  | SymbolExpr
  | SumExpr
  | ProductExpr
  | CallExpr
  | StumpffExpr
  | SelectExpr
  | CompareExpr
  | LogicExpr;

/** The operands of a node, in canonical order. */
export function children(e: Expr): readonly Expr[] {
  switch (e.kind) {
    case 'rational':
    case 'constant':
    case 'symbol':
      return [];
    case 'sum':
      return e.terms.map((t) => t.term);
    case 'product':
      return e.factors.map((f) => f.base);
    case 'call':
      return e.arguments;
    case 'stumpff':
      return [e.argument];
    case 'select':
      return [e.condition, e.then, e.otherwise];
    case 'compare':
      return [e.left, e.right];
    case 'logic':
      return e.operands;
  }
}
