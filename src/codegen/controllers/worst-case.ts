/**
 * What a function in the part of TypeScript of `subset.ts` costs at most: loops are run through with their whole numbers,
 * and of two branches the dearer one counts. Comparisons, copies and places of arrays cost nothing, as everywhere.
 */
import { addCounts } from '../programs/statement.ts';
import {
  bare,
  compiler,
  countingLoop,
  refuse,
  statementsOf,
  type Expression,
  type Routine,
  type Statement,
} from '../translation/subset.ts';
import { type OperationCounts, NO_OPERATIONS } from '../operations/operation-counts.ts';

/**
 * Cost of calls that leave the routines, by the text of what is called: `robot.update`; with the parameters that are whole
 * numbers (NaN: others) and which ones are null.
 */
export type ForeignCost = (called: string, numbers: readonly number[], isNull: readonly boolean[]) => OperationCounts;

type Numbers = ReadonlyMap<string, number>;

/** Of a routine, where its parameters that are whole numbers have values. */
export function worstCase(
  routine: Routine,
  routines: ReadonlyMap<string, Routine>,
  foreign: ForeignCost,
  numbers: Numbers = new Map(),
): OperationCounts {
  return new Counter(routines, foreign).statements(routine.body, numbers);
}

const total = ({ add, multiply, divide, sqrt, call }: OperationCounts): number => add + multiply + divide + sqrt + call;

class Counter {
  private readonly routines: ReadonlyMap<string, Routine>;
  private readonly foreign: ForeignCost;
  private readonly ts = compiler();

  constructor(routines: ReadonlyMap<string, Routine>, foreign: ForeignCost) {
    this.routines = routines;
    this.foreign = foreign;
  }

  statements(all: readonly Statement[], outer: Numbers): OperationCounts {
    const { ts } = this;
    const numbers = new Map(outer);
    const counts: OperationCounts[] = [];
    for (const [i, node] of all.entries()) {
      // What follows a branch that returns is the other branch.
      if (ts.isIfStatement(node) && !node.elseStatement && endsInReturn(node.thenStatement, ts)) {
        const condition = this.condition(node.expression, numbers);
        if (condition === true) return addCounts([...counts, this.statement(node.thenStatement, numbers)]);
        if (condition === undefined) {
          const yes = this.statement(node.thenStatement, numbers);
          const no = this.statements(all.slice(i + 1), numbers);
          return addCounts([...counts, this.expression(node.expression, numbers), dearer(yes, no)]);
        }
        continue;
      }
      counts.push(this.statement(node, numbers));
    }
    return addCounts(counts);
  }

  private statement(node: Statement, numbers: Map<string, number>): OperationCounts {
    const { ts } = this;
    if (ts.isBlock(node)) return this.statements([...node.statements], numbers);
    if (ts.isVariableStatement(node))
      return addCounts(
        node.declarationList.declarations.map((own) => {
          const value = this.whole(own.initializer!, numbers);
          if (value !== undefined) numbers.set(own.name.getText(), value);
          return this.expression(own.initializer!, numbers);
        }),
      );
    if (ts.isExpressionStatement(node)) return this.expression(node.expression, numbers);
    if (ts.isReturnStatement(node)) return node.expression ? this.expression(node.expression, numbers) : NO_OPERATIONS;
    if (ts.isIfStatement(node)) {
      const condition = this.condition(node.expression, numbers);
      const yes = (): OperationCounts => this.statements(statementsOf(node.thenStatement), numbers);
      const no = (): OperationCounts =>
        node.elseStatement ? this.statements(statementsOf(node.elseStatement), numbers) : NO_OPERATIONS;
      if (condition !== undefined) return condition ? yes() : no();
      return addCounts([this.expression(node.expression, numbers), dearer(yes(), no())]);
    }
    if (ts.isForStatement(node)) {
      const { name, from, condition, down, body } = countingLoop(node);
      const rounds: OperationCounts[] = [];
      const inner = new Map(numbers);
      for (let i = this.whole(from, numbers)!; ; i += down ? -1 : 1) {
        inner.set(name, i);
        const goesOn = this.condition(condition, inner);
        if (goesOn === undefined) return refuse(condition, 'a loop of unknown length');
        if (!goesOn) return addCounts(rounds);
        rounds.push(this.statements(statementsOf(body), inner));
      }
    }
    return refuse(node, 'this statement');
  }

  private expression(node: Expression, numbers: Numbers): OperationCounts {
    const { ts } = this;
    const inner = bare(node);
    if (ts.isCallExpression(inner)) {
      const called = inner.expression.getText();
      const own = addCounts([...inner.arguments].map((argument) => this.expression(argument, numbers)));
      if (called === 'Math.abs') return own;
      if (called === 'Math.sqrt') return addCounts([own, { ...NO_OPERATIONS, sqrt: 1 }]);
      if (called.startsWith('Math.')) return addCounts([own, { ...NO_OPERATIONS, call: 1 }]);
      const values = [...inner.arguments].map((argument) => this.whole(argument, numbers));
      const routine = this.routines.get(called);
      if (!routine) {
        const isNull = [...inner.arguments].map(({ kind }) => kind === ts.SyntaxKind.NullKeyword);
        const numbers_ = values.map((value) => value ?? NaN);
        return addCounts([own, this.foreign(called, numbers_, isNull)]);
      }
      const given = routine.parameters.flatMap(({ name }, i) =>
        values[i] === undefined ? [] : [[name, values[i]] as const],
      );
      return addCounts([own, this.statements(routine.body, new Map(given))]);
    }
    if (ts.isBinaryExpression(inner)) {
      const operator = inner.operatorToken.getText();
      const sides = addCounts([this.expression(inner.left, numbers), this.expression(inner.right, numbers)]);
      if (this.whole(inner, numbers) !== undefined || !/^[-+*/]=?$/.test(operator)) return sides;
      const kind = operator.startsWith('*') ? 'multiply' : operator.startsWith('/') ? 'divide' : 'add';
      return addCounts([sides, { ...NO_OPERATIONS, [kind]: 1 }]);
    }
    if (ts.isPrefixUnaryExpression(inner)) return this.expression(inner.operand, numbers);
    if (ts.isConditionalExpression(inner))
      return addCounts([
        this.expression(inner.condition, numbers),
        dearer(this.expression(inner.whenTrue, numbers), this.expression(inner.whenFalse, numbers)),
      ]);
    return NO_OPERATIONS;
  }

  /** The value of an expression in whole numbers that are known; of others undefined. */
  private whole(node: Expression, numbers: Numbers): number | undefined {
    const { ts } = this;
    const inner = bare(node);
    if (ts.isNumericLiteral(inner)) return Number(inner.text);
    if (ts.isIdentifier(inner)) return numbers.get(inner.text);
    if (!ts.isBinaryExpression(inner)) return undefined;
    const [a, b] = [this.whole(inner.left, numbers), this.whole(inner.right, numbers)];
    if (a === undefined || b === undefined) return undefined;
    return { '+': a + b, '-': a - b, '*': a * b, '/': a / b }[inner.operatorToken.getText()];
  }

  private condition(node: Expression, numbers: Numbers): boolean | undefined {
    const { ts } = this;
    const inner = bare(node);
    if (!ts.isBinaryExpression(inner)) return undefined;
    const [a, b] = [this.whole(inner.left, numbers), this.whole(inner.right, numbers)];
    if (a === undefined || b === undefined) return undefined;
    return { '<': a < b, '>': a > b, '<=': a <= b, '>=': a >= b, '===': a === b, '!==': a !== b }[
      inner.operatorToken.getText()
    ];
  }
}

function dearer(a: OperationCounts, b: OperationCounts): OperationCounts {
  return total(a) >= total(b) ? a : b;
}

function endsInReturn(node: Statement, ts: ReturnType<typeof compiler>): boolean {
  const last = statementsOf(node).at(-1);
  return last !== undefined && ts.isReturnStatement(last);
}
