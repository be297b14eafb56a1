/**
 * A form lowered to binary operations. Decides the order of every sum and product: what is known before the others is
 * combined first, bare values are added before products (so that each further term is one fused multiply-add), signs
 * become subtractions and wander outward, a reciprocal that is used once becomes a division.
 */
import { rational, type Expr } from '../../symbolic/graph/expr.ts';
import { STAGES, type Operation } from '../operations/operation.ts';
import type { OperationTable, Signed } from '../operations/operation-table.ts';
import { isDivision, type AtomNode, type Form, type FormNode, type SumNode, type Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';

/** Operations that are given: inputs, and coefficients made of parameters. */
export interface Leaves {
  input(symbol: Expr): Operation;
  /** A coefficient that is not a number. */
  coefficient(exact: Expr): Signed;
}

export interface Lowered {
  readonly roots: readonly Operation[];
  /** Of the nodes that are still there. */
  readonly values: ReadonlyMap<FormNode, Signed>;
}

export function lower(form: Form, table: OperationTable, leaves: Leaves): Lowered {
  const lowering = new Lowering(form, table, leaves);
  for (const node of form.sorted()) lowering.add(node);
  return { roots: form.roots.map((root) => table.signed(lowering.of(root))), values: lowering.values };
}

class Lowering {
  readonly values = new Map<FormNode, Signed>();
  private readonly form: Form;
  private readonly table: OperationTable;
  private readonly leaves: Leaves;

  constructor(form: Form, table: OperationTable, leaves: Leaves) {
    this.form = form;
    this.table = table;
    this.leaves = leaves;
  }

  of({ node, negative }: { readonly node: FormNode; readonly negative: boolean }): Signed {
    const value = this.values.get(node)!;
    return { negative: value.negative !== negative, operation: value.operation };
  }

  add(node: FormNode): void {
    if (node.kind === 'sum') this.values.set(node, this.sum(node));
    else if (!isDivision(node)) this.values.set(node, this.atom(node));
  }

  // -------------------------------------------------------------------------------------------- sums and products

  private sum(node: SumNode): Signed {
    const terms = [...node.terms.values()].sort((a, b) => weight(a) - weight(b) || a.serial - b.serial);
    if (terms.length === 0) return this.table.constant(rational({ numerator: 0n, denominator: 1n }));
    const values = terms.map((term) => ({ isNumber: term.factors.length === 0, value: this.product(term) }));
    const stages = values.filter(({ isNumber }) => !isNumber).map(({ value }) => value.operation.stage);
    const first = Math.min(3, ...stages);
    // A coefficient on its own joins what is known first.
    const stageOf = ({ isNumber, value }: (typeof values)[number]): number =>
      isNumber ? first : value.operation.stage;
    let total: Signed | undefined;
    for (const stage of STAGES) {
      let group: Signed | undefined;
      for (const entry of values)
        if (stageOf(entry) === stage) group = group ? this.table.add(group, entry.value) : entry.value;
      if (group) total = total ? this.table.add(total, group) : group;
    }
    return total!;
  }

  private product(term: Term): Signed {
    let { negative } = term;
    const above: Operation[][] = STAGES.map(() => []);
    const below: Operation[][] = STAGES.map(() => []);
    for (const factor of term.factors) {
      const divides = factor.kind === 'atom' && isDivision(factor);
      const value = divides ? this.of(factor.operands[0]!) : this.values.get(factor)!;
      if (value.negative) negative = !negative;
      (divides ? below : above)[value.operation.stage]!.push(value.operation);
    }
    const literal = this.literal(term.literal);
    if (literal.negative) negative = !negative;
    const isUnit = term.literal === this.form.literals.one && term.factors.length > 0;
    return { negative, operation: this.multiplyGroups(isUnit ? undefined : literal.operation, above, below) };
  }

  private literal({ exact, value }: Literal): Signed {
    return value === undefined ? this.leaves.coefficient(exact) : this.table.constant(exact);
  }

  private multiplyGroups(
    literal: Operation | undefined,
    above: readonly (readonly Operation[])[],
    below: readonly (readonly Operation[])[],
  ): Operation {
    const { table } = this;
    let total: Operation | undefined;
    let coefficient = literal;
    for (const stage of STAGES) {
      let group = this.chain(above[stage]!);
      const divisor = this.chain(below[stage]!);
      if (!group && !divisor) continue;
      if (coefficient) {
        group = group ? table.multiply(coefficient, group) : coefficient;
        coefficient = undefined;
      }
      if (divisor && !group && total) {
        total = table.divide(total, divisor);
        continue;
      }
      if (divisor) group = table.divide(group ?? table.one(), divisor);
      total = total ? table.multiply(total, group!) : group!;
    }
    return total ?? coefficient ?? table.one();
  }

  private chain(factors: readonly Operation[]): Operation | undefined {
    let total: Operation | undefined;
    for (const factor of factors) total = total ? this.table.multiply(total, factor) : factor;
    return total;
  }

  // -------------------------------------------------------------------------------------------- atoms

  private atom(node: AtomNode): Signed {
    const { table } = this;
    const values = node.operands.map((operand) => this.of(operand));
    const [first] = values;
    const plain = (operation: Operation): Signed => table.splitSign(operation);
    if (node.special === 'reciprocal')
      return { negative: first!.negative, operation: table.divide(table.one(), first!.operation) };
    const operands = values.map((value) => table.signed(value));
    if (node.special === 'root') return plain(table.node({ kind: 'sqrt', operand: operands[0]! }));
    const e = node.expression;
    if (node.special === 'power')
      return plain(
        table.node({ kind: 'call', name: 'pow', operands: [operands[0]!, table.signed(table.constant(e))] }),
      );
    if (e.kind === 'call' && (e.name === 'sin' || e.name === 'cos')) {
      // sin(−x) = −sin x, cos(−x) = cos x
      const operation = table.node({ kind: 'call', name: e.name, operands: [first!.operation] });
      return { negative: first!.negative && e.name === 'sin', operation };
    }
    return plain(this.function(e, operands));
  }

  private function(e: Expr, operands: readonly Operation[]): Operation {
    const [first, second, third] = operands as [Operation, Operation, Operation];
    switch (e.kind) {
      case 'symbol':
        return this.leaves.input(e);
      case 'call':
        return this.table.node({ kind: 'call', name: e.name, operands });
      case 'stumpff':
        return this.table.node({ kind: 'stumpff', order: e.order, argument: first });
      case 'select':
        return this.table.node({ kind: 'select', condition: first, then: second, otherwise: third });
      case 'compare':
        return this.table.node({ kind: 'compare', operator: e.operator, left: first, right: second });
      case 'logic':
        return this.table.node({ kind: 'logic', operator: e.operator, operands });
      case 'constant':
      case 'product':
      case 'rational':
      case 'sum':
        throw new Error(`${e.kind} is not an atom`);
    }
  }
}

/** Bare coefficients first, then bare values, then products. */
function weight({ factors, literal }: Term): number {
  return factors.length === 0 ? 0 : factors.length === 1 && literal.value === 1 ? 1 : 2;
}
