/**
 * Expressions lowered to binary operations: a second, smaller DAG in the shape that processors execute.
 *
 * Lowering decides the order of every sum and product once, for all targets and all functions of a link type: operands
 * are grouped by stage (what is known before the others is combined first), signs become subtractions, integer powers
 * chains of multiplications, shared reciprocals are formed once, constant subexpressions one literal.
 */
import {
  call,
  children,
  compare,
  divide,
  logic,
  minus,
  negate,
  one,
  plus,
  power,
  rational,
  select,
  sqrt,
  stumpff,
  times,
  type Comparison,
  type Expr,
  type Factor,
  type FunctionName,
  type ProductExpr,
  type SumExpr,
} from '../symbolic/expr.ts';
import { foldConstant } from '../symbolic/evaluate.ts';
import { ONE, Rational } from '../symbolic/rational.ts';
import { postorder } from '../symbolic/traverse.ts';

/** When a value becomes known: 0 parameters, 1 coordinates, 2 rates and the parent's velocity, 3 the rest. */
export type Stage = 0 | 1 | 2 | 3;

/** One number of a buffer that a function reads or writes. */
export interface Place {
  readonly buffer: string;
  readonly index: number;
}

interface Node {
  /** Position in the graph: operands before users, the same for the same expressions in every process. */
  readonly id: number;
  readonly stage: Stage;
}
export interface NumberOperation extends Node {
  readonly kind: 'number';
  /** Exact and positive; `value` is its nearest double. */
  readonly exact: Expr;
  readonly value: number;
}
export interface InputOperation extends Node {
  readonly kind: 'input';
  readonly place: Place;
  readonly symbol: Expr;
}
export type BinaryKind = 'add' | 'subtract' | 'multiply' | 'divide';
export interface BinaryOperation extends Node {
  readonly kind: BinaryKind;
  readonly left: Operation;
  readonly right: Operation;
}
export interface UnaryOperation extends Node {
  readonly kind: 'negate' | 'sqrt';
  readonly operand: Operation;
}
export interface CallOperation extends Node {
  readonly kind: 'call';
  readonly name: FunctionName;
  readonly operands: readonly Operation[];
}
export interface StumpffOperation extends Node {
  readonly kind: 'stumpff';
  readonly order: number;
  readonly argument: Operation;
}
export interface SelectOperation extends Node {
  readonly kind: 'select';
  readonly condition: Operation;
  readonly then: Operation;
  readonly otherwise: Operation;
}
export interface CompareOperation extends Node {
  readonly kind: 'compare';
  readonly operator: Comparison;
  readonly left: Operation;
  readonly right: Operation;
}
export interface LogicOperation extends Node {
  readonly kind: 'logic';
  readonly operator: 'and' | 'or' | 'not';
  readonly operands: readonly Operation[];
}
export type Operation =
  | NumberOperation
  | InputOperation
  | BinaryOperation
  | UnaryOperation
  | CallOperation
  | StumpffOperation
  | SelectOperation
  | CompareOperation
  | LogicOperation;

export function operandsOf(operation: Operation): readonly Operation[] {
  switch (operation.kind) {
    case 'number':
    case 'input':
      return [];
    case 'add':
    case 'subtract':
    case 'multiply':
    case 'divide':
    case 'compare':
      return [operation.left, operation.right];
    case 'negate':
    case 'sqrt':
      return [operation.operand];
    case 'call':
    case 'logic':
      return operation.operands;
    case 'stumpff':
      return [operation.argument];
    case 'select':
      return [operation.condition, operation.then, operation.otherwise];
  }
}

/** Where an input symbol stands and when it is known. */
export interface InputDeclaration {
  readonly symbol: Expr;
  readonly place: Place;
  readonly stage: Stage;
}

/** ± an operation that is not itself a negation. */
interface Signed {
  readonly negative: boolean;
  readonly operation: Operation;
}

type Fields<T> = T extends Operation ? Omit<T, 'id' | 'stage'> : never;

/** The operations of all functions of one link type (or of a robot's set-up), shared between them. */
export class OperationGraph {
  /** Names proposed for operations. */
  readonly names = new Map<Operation, string>();
  /** Highest order of Stumpff functions of each argument: every function evaluates the same set, so that all agree. */
  readonly stumpffTop = new Map<Operation, number>();
  private readonly interned = new Map<string, Operation>();
  private readonly lowered = new Map<Expr, Operation>();
  private readonly constants = new Set<Expr>();
  private readonly sharedReciprocals: ReadonlySet<Expr>;
  private readonly inputs: ReadonlyMap<Expr, InputDeclaration>;
  private readonly hints: ReadonlyMap<Expr, string>;

  /** @param roots all expressions that will be lowered: what is shared is decided on the whole. */
  constructor(
    roots: readonly Expr[],
    inputs: readonly InputDeclaration[],
    hints: ReadonlyMap<Expr, string> = new Map(),
  ) {
    this.inputs = new Map(inputs.map((input) => [input.symbol, input]));
    this.hints = hints;
    this.sharedReciprocals = findSharedReciprocals(roots);
    for (const e of postorder(roots)) this.lower(e);
  }

  /** The operation of a lowered expression. */
  of(e: Expr): Operation {
    const found = this.lowered.get(e);
    if (!found) throw new Error('expression was not among the roots of its graph');
    return found;
  }

  private lower(e: Expr): void {
    const operands = children(e);
    const isConstant =
      e.kind === 'rational' ||
      e.kind === 'constant' ||
      (operands.length > 0 && operands.every((o) => this.constants.has(o)));
    if (isConstant) this.constants.add(e);
    const operation = isConstant && e.kind !== 'compare' && e.kind !== 'logic' ? this.constant(e) : this.lowerNode(e);
    this.lowered.set(e, operation);
    const hint = this.hints.get(e);
    const bare = operation.kind === 'negate' ? operation.operand : operation;
    if (hint !== undefined && bare.kind !== 'number' && !this.names.has(bare)) this.names.set(bare, hint);
  }

  private lowerNode(e: Expr): Operation {
    switch (e.kind) {
      case 'rational':
      case 'constant':
        return this.constant(e);
      case 'symbol': {
        const input = this.inputs.get(e);
        if (!input) throw new Error(`${e.name} is not an input of this kernel`);
        return this.intern(`i${input.place.buffer}[${input.place.index}]`, input.stage, {
          kind: 'input',
          place: input.place,
          symbol: e,
        });
      }
      case 'sum':
        return this.sum(e);
      case 'product':
        return this.signed(this.product(e.coefficient, e.factors));
      case 'call':
        return this.node({ kind: 'call', name: e.name, operands: e.arguments.map((o) => this.of(o)) });
      case 'stumpff': {
        const argument = this.of(e.argument);
        this.stumpffTop.set(argument, Math.max(2, e.order, this.stumpffTop.get(argument) ?? 0));
        return this.node({ kind: 'stumpff', order: e.order, argument });
      }
      case 'select':
        return this.node({
          kind: 'select',
          condition: this.of(e.condition),
          then: this.of(e.then),
          otherwise: this.of(e.otherwise),
        });
      case 'compare':
        return this.node({ kind: 'compare', operator: e.operator, left: this.of(e.left), right: this.of(e.right) });
      case 'logic':
        return this.node({ kind: 'logic', operator: e.operator, operands: e.operands.map((o) => this.of(o)) });
    }
  }

  // -------------------------------------------------------------------------------------------- sums and products

  private sum(e: SumExpr): Operation {
    const terms = this.collectTerms(e);
    if (!Rational.isZero(e.constant)) terms.unshift(this.splitSign(this.constant(rational(e.constant))));
    return this.signed(this.combine(terms));
  }

  /**
   * The terms of a sum, those with the same latest part as one: a x − b x becomes (a − b) x when a and b are known
   * before x, so that a − b is computed in an earlier stage.
   */
  private collectTerms(e: SumExpr): Signed[] {
    const groups = new Map<string, { late: Factor[]; terms: { coefficient: Rational; early: Factor[] }[] }>();
    for (const { coefficient, term } of e.terms) {
      const isProduct = term.kind === 'product' && !this.constants.has(term);
      const factors = isProduct ? term.factors : [{ base: term, exponent: ONE }];
      const latest = Math.max(...factors.map((f) => this.of(f.base).stage));
      const isLate = (f: Factor): boolean => !this.constants.has(f.base) && this.of(f.base).stage === latest;
      const late = factors.filter(isLate);
      const key = late.map((f) => `${f.base.id}^${Rational.toString(f.exponent)}`).join(' ');
      const group = groups.get(key) ?? { late, terms: [] };
      groups.set(key, group);
      const whole = isProduct ? Rational.multiply(coefficient, term.coefficient) : coefficient;
      group.terms.push({ coefficient: whole, early: factors.filter((f) => !isLate(f)) });
    }
    return [...groups.values()].map(({ late, terms }) => {
      const [only] = terms;
      if (terms.length === 1 || late.length === 0) return this.product(only!.coefficient, [...only!.early, ...late]);
      const early = this.combine(terms.map((term) => this.product(term.coefficient, term.early)));
      const common = this.product(ONE, late);
      const operation = this.node({ kind: 'multiply', left: early.operation, right: common.operation });
      return { negative: early.negative !== common.negative, operation };
    });
  }

  /** Adds terms: what is known first is added first; a literal joins the first group that is not literal. */
  private combine(terms: readonly Signed[]): Signed {
    const literals = terms.flatMap(({ negative, operation }) =>
      operation.kind === 'number' ? [negative ? negate(operation.exact) : operation.exact] : [],
    );
    if (literals.length === terms.length) return this.splitSign(this.constant(plus(...literals)));
    const first = Math.min(...terms.filter((t) => t.operation.kind !== 'number').map((t) => t.operation.stage));
    const stageOf = (t: Signed): number => (t.operation.kind === 'number' ? first : t.operation.stage);
    let total: Signed | undefined;
    for (let stage = 0; stage <= 3; stage++) {
      let group: Signed | undefined;
      for (const term of terms) if (stageOf(term) === stage) group = group ? this.add(group, term) : term;
      if (group) total = total ? this.add(total, group) : group;
    }
    return total!;
  }

  private add(a: Signed, b: Signed): Signed {
    if (a.negative === b.negative)
      return { negative: a.negative, operation: this.node({ kind: 'add', left: a.operation, right: b.operation }) };
    const [positive, negative] = a.negative ? [b, a] : [a, b];
    const difference = this.node({ kind: 'subtract', left: positive.operation, right: negative.operation });
    return { negative: false, operation: difference };
  }

  private product(coefficient: Rational, factors: readonly Factor[]): Signed {
    let negative = Rational.isNegative(coefficient);
    let exact: Expr = rational(Rational.absolute(coefficient));
    const numerators: Operation[][] = [[], [], [], []];
    const denominators: Operation[][] = [[], [], [], []];
    for (const { base, exponent } of factors) {
      if (this.constants.has(base)) {
        exact = times(exact, power(base, exponent));
        continue;
      }
      const { operation, negative: flips } = this.splitSign(this.of(base));
      // (−x)^n: the sign passes through integer powers only.
      const signPasses = Rational.isInteger(exponent);
      if (flips && signPasses && exponent.numerator % 2n !== 0n) negative = !negative;
      const bare = flips && !signPasses ? this.of(base) : operation;
      const inverse = Rational.isNegative(exponent);
      const divides = inverse && !this.sharedReciprocals.has(base);
      const raised = this.raise(bare, Rational.absolute(exponent), inverse && !divides);
      (divides ? denominators : numerators)[raised.stage]!.push(raised);
    }
    const literal = this.splitSign(this.constant(exact));
    if (literal.negative) negative = !negative;
    const isUnit = literal.operation.kind === 'number' && literal.operation.exact === one;
    return {
      negative,
      operation: this.multiplyGroups(isUnit ? undefined : literal.operation, numerators, denominators),
    };
  }

  private multiplyGroups(
    literal: Operation | undefined,
    numerators: readonly (readonly Operation[])[],
    denominators: readonly (readonly Operation[])[],
  ): Operation {
    let total: Operation | undefined;
    let coefficient = literal;
    for (let stage = 0; stage <= 3; stage++) {
      const above = this.chain(numerators[stage]!);
      const below = this.chain(denominators[stage]!);
      if (!above && !below) continue;
      let group = above;
      if (coefficient) {
        group = group ? this.node({ kind: 'multiply', left: coefficient, right: group }) : coefficient;
        coefficient = undefined;
      }
      if (below && !group && total) {
        total = this.node({ kind: 'divide', left: total, right: below });
        continue;
      }
      if (below) group = this.node({ kind: 'divide', left: group ?? this.constant(one), right: below });
      total = total ? this.node({ kind: 'multiply', left: total, right: group! }) : group!;
    }
    return total ?? coefficient ?? this.constant(one);
  }

  private chain(factors: readonly Operation[]): Operation | undefined {
    let total: Operation | undefined;
    for (const factor of factors) total = total ? this.node({ kind: 'multiply', left: total, right: factor }) : factor;
    return total;
  }

  /** base^exponent for a positive exponent; of 1/base when `inverted`. */
  private raise(base: Operation, exponent: Rational, inverted: boolean): Operation {
    if (exponent.denominator > 2n) {
      const literal = this.constant(rational(inverted ? Rational.negate(exponent) : exponent));
      return this.node({ kind: 'call', name: 'pow', operands: [base, literal] });
    }
    let factor = exponent.denominator === 2n ? this.node({ kind: 'sqrt', operand: base }) : base;
    if (inverted) factor = this.node({ kind: 'divide', left: this.constant(one), right: factor });
    let result: Operation | undefined;
    for (let n = exponent.numerator, square = factor; n > 0n; n /= 2n) {
      if (n % 2n === 1n) result = result ? this.node({ kind: 'multiply', left: result, right: square }) : square;
      if (n > 1n) square = this.node({ kind: 'multiply', left: square, right: square });
    }
    return result!;
  }

  // -------------------------------------------------------------------------------------------- nodes

  private splitSign(operation: Operation): Signed {
    return operation.kind === 'negate'
      ? { negative: true, operation: operation.operand }
      : { negative: false, operation };
  }

  private signed({ negative, operation }: Signed): Operation {
    return negative ? this.node({ kind: 'negate', operand: operation }) : operation;
  }

  /** An exact constant as a literal, a negative one as a negated literal. */
  private constant(exact: Expr): Operation {
    const value = foldConstant(exact);
    if (value < 0) return this.node({ kind: 'negate', operand: this.constant(negate(exact)) });
    return this.intern(`n${exact.id}`, 0, { kind: 'number', exact, value });
  }

  private node(fields: Fields<Operation>): Operation {
    const operands = operandsOf(fields as Operation);
    const stage = Math.max(0, ...operands.map((o) => o.stage)) as Stage;
    const detail =
      'name' in fields ? fields.name : 'order' in fields ? fields.order : 'operator' in fields ? fields.operator : '';
    return this.intern(`${fields.kind}${detail}(${operands.map((o) => o.id).join(',')})`, stage, fields);
  }

  private intern(key: string, stage: Stage, fields: Fields<Operation>): Operation {
    const found = this.interned.get(key);
    if (found) return found;
    const operation = { ...fields, id: this.interned.size, stage } as Operation;
    this.interned.set(key, operation);
    return operation;
  }
}

/** Bases that two or more products divide by. */
function findSharedReciprocals(roots: readonly Expr[]): ReadonlySet<Expr> {
  const once = new Set<Expr>();
  const shared = new Set<Expr>();
  const products = postorder(roots).filter((e): e is ProductExpr => e.kind === 'product');
  for (const { factors } of products)
    for (const { base, exponent } of factors)
      if (Rational.isNegative(exponent)) (once.has(base) ? shared : once).add(base);
  return shared;
}

/** Operations below `roots`, operands first; `stop` marks operations that are found ready and not entered. */
export function operationsBelow(
  roots: readonly Operation[],
  stop: (operation: Operation) => boolean = () => false,
): Operation[] {
  const order: Operation[] = [];
  const seen = new Set<Operation>();
  const placed = new Set<Operation>();
  for (const root of roots) {
    const stack = [root];
    while (stack.length > 0) {
      const operation = stack[stack.length - 1]!;
      if (!seen.has(operation)) {
        seen.add(operation);
        if (!stop(operation)) {
          const operands = operandsOf(operation);
          for (let i = operands.length - 1; i >= 0; i--) if (!seen.has(operands[i]!)) stack.push(operands[i]!);
        }
        continue;
      }
      stack.pop();
      if (placed.has(operation)) continue;
      placed.add(operation);
      order.push(operation);
    }
  }
  return order;
}

/** The operations as exact expressions again, for folding them with many digits. */
export function expressionsOf(roots: readonly Operation[]): Expr[] {
  const expressions = new Map<Operation, Expr>();
  const of = (operation: Operation): Expr => expressions.get(operation)!;
  for (const operation of operationsBelow(roots)) expressions.set(operation, expressionOf(operation, of));
  return roots.map(of);
}

function expressionOf(operation: Operation, of: (operand: Operation) => Expr): Expr {
  switch (operation.kind) {
    case 'number':
      return operation.exact;
    case 'input':
      return operation.symbol;
    case 'add':
      return plus(of(operation.left), of(operation.right));
    case 'subtract':
      return minus(of(operation.left), of(operation.right));
    case 'multiply':
      return times(of(operation.left), of(operation.right));
    case 'divide':
      return divide(of(operation.left), of(operation.right));
    case 'negate':
      return negate(of(operation.operand));
    case 'sqrt':
      return sqrt(of(operation.operand));
    case 'call':
      return call(operation.name, ...operation.operands.map(of));
    case 'stumpff':
      return stumpff(operation.order, of(operation.argument));
    case 'select':
      return select(of(operation.condition), of(operation.then), of(operation.otherwise));
    case 'compare':
      return compare(operation.operator, of(operation.left), of(operation.right));
    case 'logic':
      return logic(operation.operator, ...operation.operands.map(of));
  }
}
