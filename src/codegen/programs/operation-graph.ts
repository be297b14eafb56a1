/**
 * Expressions lowered to operations, for all functions of a link type or of a robot at once: what is shared, and in which
 * order sums and products are formed, is decided once for all targets and all functions.
 */
import { children, symbol, type Expr, type SymbolExpr } from '../../symbolic/graph/expr.ts';
import { substitute } from '../../symbolic/graph/traverse.ts';
import { loopExpressions, loopResults, type Loop, type RowArray } from '../../kane/loops/loop.ts';
import { networkOperands, networkResults, type NetworkCall } from '../../kane/loops/network-call.ts';
import {
  operationsBelow,
  ROW_STAGE,
  type ArrayOperation,
  type InputDeclaration,
  type LoopSource,
  type NetworkSource,
  type Operation,
  type ResultSource,
  type Stage,
} from '../operations/operation.ts';
import { OperationTable, type Signed } from '../operations/operation-table.ts';
import { lower } from '../optimise/lower.ts';
import { optimise, type Effort } from '../optimise/optimise.ts';
import { earlyNames, partNames } from '../naming/early-names.ts';
import type { NamedInput } from '../naming/quantity-parts.ts';
import { constantNames } from '../naming/product-names.ts';
import { namesByValue, signsOf } from '../naming/value-names.ts';

export class OperationGraph {
  /** Names proposed for operations. */
  readonly names = new Map<Operation, string>();
  /** Names of operations that get one only where they have to have one. */
  readonly described = new Map<Operation, string>();
  /** What became of expressions, and of their parts as far as the optimiser kept them; up to the sign. */
  readonly operations = new Map<Expr, Operation>();
  /** Highest order of Stumpff functions of each argument: every function evaluates the same set, so that all agree. */
  readonly stumpffTop = new Map<Operation, number>();
  private readonly table = new OperationTable();
  private readonly roots = new Map<Expr, Operation>();
  private readonly inputs: Map<Expr, InputDeclaration>;
  private known: ReadonlyMap<Expr, Operation> = new Map();
  /** Values over others of the graph, in place of roots or parts of them. */
  private readonly madeOver: Operation[] = [];
  private readonly hints: ReadonlyMap<Expr, string>;
  /** What named operations came from: up to the sign, and to a factor where the optimiser chose the unit. */
  private readonly hinted = new Map<Operation, Expr>();
  /** Loops whose expressions are lowered with the others. */
  readonly loops: readonly LoopSource[];
  private readonly networks = new Map<NetworkCall, NetworkSource>();
  private readonly results = new Map<Expr, { source: ResultSource; index: number; stage: Stage }>();
  private readonly writers = new Map<RowArray, LoopSource>();

  /**
   * @param roots all expressions whose operations will be asked for.
   * @param effort how hard to look for cheaper forms.
   * @param loops whose results the roots mention, in an order in which each needs only those before it.
   */
  constructor(
    roots: readonly Expr[],
    inputs: readonly InputDeclaration[],
    hints: ReadonlyMap<Expr, string> = new Map(),
    effort: Effort = 'normal',
    loops: readonly Loop[] = [],
  ) {
    this.inputs = new Map(inputs.map((input) => [input.symbol, input]));
    this.hints = hints;
    this.loops = loops.map((loop) => this.declareLoop(loop));
    const isFree = (symbol: Expr): boolean => (this.inputs.get(symbol)?.stage ?? this.results.get(symbol)?.stage) === 0;
    const lowered = this.lower(roots, isFree, effort);
    roots.forEach((root, i) => this.roots.set(root, lowered[i]!));
    // Rows of different loops have nothing to share: each loop gets the form that suits it alone.
    for (const source of this.loops) source.values = this.lower(loopExpressions(source.loop), isFree, effort);
    for (const source of this.loops) this.completeLoop(source);
  }

  /** The array as an operation; undefined for arrays that are buffers. */
  array(array: RowArray): ArrayOperation | undefined {
    const writer = this.writers.get(array);
    return writer && this.table.array(array, writer);
  }

  /** Arrays that loops leave for others, in the order of the loops. */
  get arrays(): readonly ArrayOperation[] {
    return [...this.writers].map(([array, writer]) => this.table.array(array, writer));
  }

  private declareLoop(loop: Loop): LoopSource {
    const source: LoopSource = { kind: 'loop', loop, values: [], arrays: [], outer: [] };
    const columns = [...loop.table.columns, ...loop.carried].map(({ symbol }) => symbol);
    for (const symbol of [...columns, ...loop.reads.flatMap((array) => array.columns)])
      if (!this.inputs.has(symbol))
        this.inputs.set(symbol, { symbol, place: { buffer: 'row', index: this.inputs.size }, stage: ROW_STAGE });
    loopResults(loop).forEach((symbol, index) => {
      if (this.inputs.has(symbol) || this.results.has(symbol))
        throw new Error(`${symbol.name} stands for two values of loop ${loop.name}`);
      this.results.set(symbol, { source, index, stage: loop.stage });
    });
    for (const call of loop.networks) {
      const network: NetworkSource = { kind: 'network', call, outer: [] };
      this.networks.set(call, network);
      networkResults(call).forEach((symbol, index) =>
        this.results.set(symbol, { source: network, index, stage: ROW_STAGE }),
      );
    }
    for (const { array } of loop.writes) if (array.buffer === undefined) this.writers.set(array, source);
    return source;
  }

  private completeLoop(source: LoopSource): void {
    const { loop } = source;
    let first = 0;
    for (const call of loop.networks) {
      const count = networkOperands(call).length;
      this.networks.get(call)!.outer = source.values.slice(first, (first += count));
    }
    source.arrays = loop.reads.flatMap((array) => this.array(array) ?? []);
    const isOutside = (operation: Operation): boolean => operation.stage < ROW_STAGE;
    const outside = operationsBelow(source.values, isOutside).filter((o) => isOutside(o) && o.kind !== 'number');
    source.outer = [...outside, ...source.arrays];
    const late = source.outer.find((operation) => operation.stage > loop.stage);
    if (late) throw new Error(`loop ${loop.name} of stage ${loop.stage} needs a value of stage ${late.stage}`);
  }

  /** The operation of a root. */
  of(e: Expr): Operation {
    const found = this.roots.get(e);
    if (!found) throw new Error('expression was not among the roots of its graph');
    return found;
  }

  /**
   * More roots, formed on their own over those that are there: these stay as they are, whoever asks for more beside them.
   */
  addOver(roots: readonly Expr[]): void {
    const known = new Map<Expr, Operation>();
    const stands = new Map<Expr, Expr>();
    for (const [root, operation] of this.roots) {
      if (children(root).length === 0) continue;
      const own = symbol(`known*${known.size}`);
      known.set(own, operation);
      stands.set(root, own);
    }
    const values = this.valuesOver(substitute(roots, stands), known);
    roots.forEach((root, i) => {
      if (!this.roots.has(root)) this.roots.set(root, values[i]!);
    });
  }

  /** Values over others of the graph. @param known what symbols stand for. */
  valuesOver(roots: readonly Expr[], known: ReadonlyMap<Expr, Operation>): readonly Operation[] {
    this.known = known;
    const values = this.lower(roots, (own) => (known.get(own) ?? this.inputs.get(own))?.stage === 0, 'quick');
    this.known = new Map();
    this.madeOver.push(...values);
    return values;
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
    for (const [e, node] of nodes) {
      const operation = values.get(node)?.operation;
      if (operation && operation.kind !== 'number' && !this.operations.has(e)) this.operations.set(e, operation);
    }
    for (const [e, name] of this.hints) {
      const operation = nodes.has(e) ? this.operations.get(e) : undefined;
      if (!operation || this.names.has(operation)) continue;
      this.names.set(operation, name);
      this.hinted.set(operation, e);
    }
    return operations;
  }

  /** Names operations that are quantities, or parts of them; see `value-names.ts`. */
  describe(
    quantities: ReadonlyMap<Expr, string>,
    inputs: readonly NamedInput[] = [],
    inTables: readonly Operation[] = [],
  ): void {
    const wanted = [...this.roots.values(), ...this.madeOver, ...this.loops.flatMap((source) => [...source.values])];
    const operations = operationsBelow(wanted);
    const inputNames = new Map(inputs.map((input) => [input.symbol, input.name]));
    const nameOf = (input: Operation & { kind: 'input' }): string | undefined => inputNames.get(input.symbol);
    const named = (operation: Operation): string | undefined =>
      this.names.get(operation) ?? this.described.get(operation);
    const describe = (names: ReadonlyMap<Operation, string>): void => {
      for (const [operation, name] of names) if (named(operation) === undefined) this.described.set(operation, name);
    };
    for (const [operation, sign] of signsOf(operations, this.hinted)) {
      const name = this.names.get(operation)!;
      if (sign === 0) this.names.delete(operation);
      else if (sign < 0) this.names.set(operation, `minus_${name}`);
    }
    const late = inputs.filter(({ stage }) => stage >= 2);
    // Products of parameters alone say what they are.
    describe(constantNames(operations, () => undefined, nameOf));
    describe(namesByValue(operations, quantities, late));
    describe(constantNames(operations, named, nameOf));
    describe(earlyNames(operations, (o) => named(o) ?? (o.kind === 'input' ? nameOf(o) : undefined)));
    describe(partNames(operations, inTables, named));
  }

  private input(symbol: Expr): Operation {
    const known = this.known.get(symbol);
    if (known) return known;
    const result = this.results.get(symbol);
    if (result) return this.table.result(symbol as SymbolExpr, result.source, result.index, result.stage);
    const declaration = this.inputs.get(symbol);
    if (!declaration)
      throw new Error(`${symbol.kind === 'symbol' ? symbol.name : symbol.kind} is not an input of this kernel`);
    return this.table.input(declaration);
  }
}
