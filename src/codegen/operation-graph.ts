/**
 * Expressions lowered to operations, for all functions of a link type or of a robot at once: what is shared, and in which
 * order sums and products are formed, is decided once for all targets and all functions.
 */
import type { Expr } from '../symbolic/expr.ts';
import type { InputDeclaration, Operation } from './operation.ts';
import { OperationTable, type Signed } from './operation-table.ts';
import { lower } from './optimise/lower.ts';
import { optimise, type Effort } from './optimise/optimise.ts';

export class OperationGraph {
  /** Names proposed for operations. */
  readonly names = new Map<Operation, string>();
  /** Highest order of Stumpff functions of each argument: every function evaluates the same set, so that all agree. */
  readonly stumpffTop = new Map<Operation, number>();
  private readonly table = new OperationTable();
  private readonly roots = new Map<Expr, Operation>();
  private readonly inputs: ReadonlyMap<Expr, InputDeclaration>;
  private readonly hints: ReadonlyMap<Expr, string>;

  /**
   * @param roots all expressions whose operations will be asked for.
   * @param effort how hard to look for cheaper forms.
   */
  constructor(
    roots: readonly Expr[],
    inputs: readonly InputDeclaration[],
    hints: ReadonlyMap<Expr, string> = new Map(),
    effort: Effort = 'normal',
  ) {
    this.inputs = new Map(inputs.map((input) => [input.symbol, input]));
    this.hints = hints;
    const isFree = (symbol: Expr): boolean => this.inputs.get(symbol)?.stage === 0;
    const lowered = this.lower(roots, isFree, effort);
    roots.forEach((root, i) => this.roots.set(root, lowered[i]!));
  }

  /** The operation of a root. */
  of(e: Expr): Operation {
    const found = this.roots.get(e);
    if (!found) throw new Error('expression was not among the roots of its graph');
    return found;
  }

  /** Coefficients made of parameters are lowered the same way, before what they multiply. */
  private lower(roots: readonly Expr[], isFree: (symbol: Expr) => boolean, effort: Effort): readonly Operation[] {
    const { form, nodes } = optimise(roots, isFree, effort);
    const coefficients = new Map<Expr, Signed>();
    const wanted = form.coefficients().filter((literal) => literal.value === undefined);
    if (wanted.length > 0) {
      const exact = wanted.map((literal) => literal.exact);
      const lowered = this.lower(exact, () => false, 'quick');
      exact.forEach((e, i) => coefficients.set(e, this.table.splitSign(lowered[i]!)));
    }
    const { roots: operations, values } = lower(form, this.table, {
      input: (symbol) => this.input(symbol),
      coefficient: (exact) => coefficients.get(exact)!,
    });
    for (const [node, { operation }] of values)
      if (node.kind === 'atom' && node.expression.kind === 'stumpff' && operation.kind === 'stumpff') {
        const top = this.stumpffTop.get(operation.argument) ?? 2;
        this.stumpffTop.set(operation.argument, Math.max(top, operation.order));
      }
    for (const [e, name] of this.hints) {
      const node = nodes.get(e);
      const operation = node && values.get(node)?.operation;
      if (operation && operation.kind !== 'number' && !this.names.has(operation)) this.names.set(operation, name);
    }
    return operations;
  }

  private input(symbol: Expr): Operation {
    const declaration = this.inputs.get(symbol);
    if (!declaration)
      throw new Error(`${symbol.kind === 'symbol' ? symbol.name : symbol.kind} is not an input of this kernel`);
    return this.table.input(declaration);
  }
}
