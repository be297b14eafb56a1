/**
 * Straight-line programs: named values computed one after another from numbers in buffers, stored to buffers.
 *
 * The order of statements follows from the outputs alone. Values used once are written inside the expression that uses
 * them while the line stays readable; sin and cos of one angle stand together; all Stumpff functions of one argument
 * are one call; the side of a `select` that is not taken is not computed.
 */
import type { RowArray } from '../../kane/loops/loop.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { namesOfNetworks } from '../naming/network-names.ts';
import { joined, ProgramNames, type PlaceNames } from './program-names.ts';
import { planLoops, type LoopPlan } from './loop-plan.ts';
import { operandsOf, operationsBelow, type LoopSource, type Operation, type Place } from '../operations/operation.ts';
import { tableBuffer } from './row-tables.ts';
import { countOperations, type LoopStatement, type RowColumn, type Statement, type Tree } from './statement.ts';
import type { OperationGraph } from './operation-graph.ts';
import { countSlots, namesIn } from './slots.ts';
import { isComputed, treeOf, treeWidth } from './trees.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';

/** Comments, by the statement that they stand at. */
export interface Annotations {
  readonly headings: ReadonlyMap<Statement, string>;
  readonly notes: ReadonlyMap<Statement, string>;
}

export interface Program {
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** Values read from buffers under a name. */
  readonly loads: readonly { readonly name: string; readonly place: Place }[];
  readonly statements: readonly Statement[];
  readonly counts: OperationCounts;
  /** Largest number of named values alive at once, inputs not counted. */
  readonly slots: number;
  /** What named values stand for; missing of programs that were made from others. */
  readonly values?: ReadonlyMap<string, Operation>;
  /** Comments, by statement. */
  readonly annotations?: Annotations;
}

/** A number that a program stores. */
interface ProgramOutput {
  readonly place: Place;
  readonly value: Operation;
  /** The buffer may be left out by the caller; what only it needs is then not computed. */
  readonly optional?: boolean;
}

/** What a program is made of. */
export interface ProgramSource {
  readonly name: string;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  readonly outputs: readonly ProgramOutput[];
  readonly ready: ReadonlyMap<Operation, Place>;
  /** Loops that run for the buffers they write to. */
  readonly loops?: readonly LoopSource[];
  /** Where arrays of numbers per row begin; column by column. */
  readonly arrays?: ReadonlyMap<RowArray, Place>;
}

/** Width that the expression of one statement may take. */
const LINE_WIDTH = 84;

export function buildProgram(
  source: ProgramSource,
  graph: OperationGraph,
  placeNames: PlaceNames = () => undefined,
): Program {
  return new Builder(source, graph, placeNames).build();
}

/** Values known in a block, on top of those of the blocks around it. */
class Scope {
  readonly statements: Statement[] = [];
  readonly named = new Map<Operation, Tree>();
  /** Loops that have run. */
  readonly loops = new Set<LoopSource>();
  readonly needed: ReadonlySet<Operation>;
  readonly parent: Scope | undefined;

  constructor(parent: Scope | undefined, needed: ReadonlySet<Operation>) {
    this.parent = parent;
    this.needed = needed;
  }

  hasRun(source: LoopSource): boolean {
    return this.loops.has(source) || (this.parent?.hasRun(source) ?? false);
  }

  find(operation: Operation): Tree | undefined {
    return this.named.get(operation) ?? this.parent?.find(operation);
  }
}

class Builder {
  private readonly source: ProgramSource;
  private readonly graph: OperationGraph;
  private readonly placeNames: PlaceNames;
  private readonly names: ProgramNames;
  private readonly values = new Map<string, Operation>();
  private readonly uses = new Map<Operation, number>();
  private readonly stored: ReadonlySet<Operation>;
  private readonly demand = new Map<Operation, number>();
  private readonly loads: { name: string; place: Place }[] = [];
  private readonly loaded = new Map<string, Tree>();
  private readonly plans: ReadonlyMap<LoopSource, LoopPlan>;

  constructor(source: ProgramSource, graph: OperationGraph, placeNames: PlaceNames) {
    this.source = source;
    this.graph = graph;
    this.placeNames = placeNames;
    this.stored = new Set(source.outputs.map(({ value }) => value));
    const networks = graph.loops.flatMap(({ loop }) => loop.networks.map((call) => call.network));
    const taken = [...source.reads, ...source.writes, ...namesOfNetworks(networks)];
    this.names = new ProgramNames(taken, graph, placeNames);
    this.plans = planLoops(
      source.outputs.map((output) => output.value),
      source.loops ?? [],
      (operation) => this.isReady(operation),
    );
  }

  /** What must be known before an operation; of a loop, as much as this program needs of it. */
  private operands(operation: Operation): readonly Operation[] {
    const isOfLoop = (operation.kind === 'result' || operation.kind === 'array') && operation.source.kind === 'loop';
    return isOfLoop ? this.plans.get(operation.source)!.outer : operandsOf(operation);
  }

  private below(roots: readonly Operation[], stop: (operation: Operation) => boolean): Operation[] {
    return operationsBelow(roots, stop, (operation) => this.operands(operation));
  }

  build(): Program {
    const { outputs, name, reads, writes } = this.source;
    const results = outputs.map((output) => output.value);
    const roots = [...results, ...[...this.plans.values()].flatMap((plan) => [...plan.outer, ...plan.values])];
    this.countUses(roots);
    this.estimateDemand(roots);
    this.names.learnParts(
      this.below(roots, (o) => this.isReady(o)),
      (o) => (this.isReady(o) ? [] : this.operands(o)),
    );
    const wanted = (this.source.loops ?? []).flatMap((loop) => this.plans.get(loop)!.outer);
    const scope = new Scope(undefined, new Set(this.unconditional([...results, ...wanted])));
    this.store(
      outputs.filter((output) => !output.optional),
      scope,
    );
    this.guardOptional(
      outputs.filter((output) => output.optional),
      scope,
    );
    for (const loop of this.source.loops ?? []) this.loop(loop, scope);
    const { statements } = scope;
    const rank = ({ place }: { place: Place }): number => 1000000 * reads.indexOf(place.buffer) + place.index;
    // Branches that are never written may be all that needed an input.
    const read = new Set(namesIn(statements));
    const loads = this.loads.filter((load) => read.has(load.name)).sort((a, b) => rank(a) - rank(b));
    return {
      name,
      reads,
      writes,
      loads,
      statements,
      counts: countOperations(statements),
      slots: countSlots(statements),
      values: this.values,
    };
  }

  private store(outputs: readonly ProgramOutput[], scope: Scope): void {
    for (const { place, value } of outputs)
      if (value.kind === 'array') this.emit(value, scope);
      else scope.statements.push({ kind: 'store', place, value: this.emit(value, scope) });
  }

  /** One guarded block per optional buffer; what two of them need is computed before. */
  private guardOptional(outputs: readonly ProgramOutput[], scope: Scope): void {
    const groups = new Map<string, ProgramOutput[]>();
    for (const output of outputs) groups.set(output.place.buffer, [...(groups.get(output.place.buffer) ?? []), output]);
    const needs = [...groups.values()].map((group) => new Set(this.unconditional(group.map((output) => output.value))));
    this.joinStumpffSets(needs);
    needs.forEach((need, i) => {
      const others = new Set(needs.slice(i + 1).flatMap((later) => [...later]));
      this.emitShared([...need], others, scope);
    });
    [...groups].forEach(([buffer, group], i) => {
      const inner = new Scope(scope, needs[i]!);
      this.store(group, inner);
      scope.statements.push({ kind: 'guard', buffer, statements: inner.statements });
    });
  }

  /** Stumpff functions of one argument are one call: who needs one order shares the call of all. */
  private joinStumpffSets(needs: readonly Set<Operation>[]): void {
    const all = needs.flatMap((need) => [...need]).filter((o) => o.kind === 'stumpff');
    for (const need of needs) {
      const wanted = new Set([...need].flatMap((o) => (o.kind === 'stumpff' ? [o.argument] : [])));
      for (const o of all) if (wanted.has(o.argument)) need.add(o);
    }
  }

  private isReady(operation: Operation): boolean {
    return this.source.ready.has(operation);
  }

  private countUses(roots: readonly Operation[]): void {
    const count = (operation: Operation): void => void this.uses.set(operation, (this.uses.get(operation) ?? 0) + 1);
    roots.forEach(count);
    for (const operation of this.below(roots, (o) => this.isReady(o)))
      if (!this.isReady(operation)) this.operands(operation).forEach(count);
  }

  /** Values that must be kept at once to compute each operation, the most demanding operand first (Sethi and Ullman 1970). */
  private estimateDemand(roots: readonly Operation[]): void {
    for (const operation of this.below(roots, (o) => this.isReady(o))) {
      const operands = this.isReady(operation) ? [] : this.operands(operation);
      const demands = operands.map((operand) => this.demand.get(operand)!).sort((a, b) => b - a);
      this.demand.set(operation, Math.max(operands.length > 0 ? 1 : 0, ...demands.map((demand, i) => demand + i)));
    }
  }

  /** What is computed whichever way the selects go. */
  private unconditional(roots: readonly Operation[]): Operation[] {
    const found = new Set<Operation>();
    const pending = [...roots];
    while (pending.length > 0) {
      const operation = pending.pop()!;
      if (found.has(operation)) continue;
      found.add(operation);
      if (this.isReady(operation)) continue;
      if (operation.kind === 'select') pending.push(operation.condition);
      else pending.push(...this.operands(operation));
    }
    return [...found];
  }

  /** Appends what `root` needs to the block and returns the expression for it. */
  private emit(root: Operation, scope: Scope): Tree {
    const trees = new Map<Operation, Tree>();
    const stack = [root];
    const known = (operation: Operation): Tree | undefined => scope.find(operation) ?? trees.get(operation);
    while (stack.length > 0) {
      const operation = stack[stack.length - 1]!;
      if (known(operation)) {
        stack.pop();
        continue;
      }
      const needs = this.isReady(operation)
        ? []
        : operation.kind === 'select'
          ? [operation.condition]
          : this.operands(operation);
      const missing = needs.filter((operand) => !known(operand));
      if (missing.length > 0) {
        missing.sort((a, b) => this.demand.get(a)! - this.demand.get(b)!);
        stack.push(...missing);
        continue;
      }
      stack.pop();
      const tree = this.form(operation, scope, (operand) => known(operand)!, trees);
      trees.set(operation, tree);
    }
    return known(root)!;
  }

  private form(operation: Operation, scope: Scope, of: (o: Operation) => Tree, inline: Map<Operation, Tree>): Tree {
    if (operation.kind === 'array') return this.array(operation, scope, of, inline);
    const place = this.source.ready.get(operation) ?? (operation.kind === 'input' ? operation.place : undefined);
    if (place) return this.load(operation, place);
    if (operation.kind === 'result') return this.result(operation, scope, of, inline);
    if (operation.kind === 'number') return { kind: 'number', value: operation.value };
    if (operation.kind === 'stumpff') return this.stumpff(operation.argument, operation.order, scope, of);
    if (operation.kind === 'select') return this.select(operation, scope, of);
    if (operation.kind === 'call' && (operation.name === 'sin' || operation.name === 'cos'))
      return this.sineAndCosine(operation, scope, of);
    const isRepeatedNegation = operation.kind === 'negate' && this.uses.get(operation)! > 1;
    if (isRepeatedNegation && isComputed(of(operation.operand))) {
      inline.set(operation.operand, this.name(operation.operand, of(operation.operand), scope));
    }
    const tree = this.fit(operation, scope, of, inline);
    const repeated = this.uses.get(operation)! > 1 && operation.kind !== 'negate';
    const isTruth = operation.kind === 'compare' || operation.kind === 'logic';
    // What an output stores and nothing else needs is named by its place.
    const isNamed = this.graph.names.has(operation) && (this.uses.get(operation)! > 1 || !this.stored.has(operation));
    const standsAlone = !isTruth && (repeated || operation.kind === 'call' || isNamed);
    return standsAlone ? this.name(operation, tree, scope) : tree;
  }

  /**
   * The operation over its operands; the longest operands get statements of their own when the line is too long. Those
   * that are names already stay, however long these are.
   */
  private fit(operation: Operation, scope: Scope, of: (o: Operation) => Tree, inline: Map<Operation, Tree>): Tree {
    for (;;) {
      const tree = treeOf(operation, of);
      if (treeWidth(tree) <= LINE_WIDTH) return tree;
      const operands = operandsOf(operation).filter(
        (o) => treeWidth(of(o)) > 24 && of(o).kind !== 'name' && o.kind !== 'compare' && o.kind !== 'logic',
      );
      if (operands.length === 0) return tree;
      const longest = operands.reduce((a, b) => (treeWidth(of(b)) > treeWidth(of(a)) ? b : a));
      inline.set(longest, this.name(longest, of(longest), scope));
    }
  }

  private name(operation: Operation, value: Tree, scope: Scope): Tree {
    const already = scope.find(operation);
    if (already) return already;
    const name = this.names.of(operation);
    this.values.set(name, operation);
    scope.statements.push({ kind: 'let', name, value });
    const tree: Tree = { kind: 'name', name };
    scope.named.set(operation, tree);
    return tree;
  }

  /** Table entries are read under their names; other inputs where they are used, unless that is more than once. */
  private load(operation: Operation, place: Place): Tree {
    const key = `${place.buffer}[${place.index}]`;
    const found = this.loaded.get(key);
    if (found) return found;
    const isTable = ['constants', 'slot', 'linearised'].includes(place.buffer);
    if (!isTable && this.uses.get(operation) === 1) return { kind: 'load', place };
    const wanted = (isTable ? this.names.hint(operation) : this.placeNames(place)) ?? `${place.buffer}_${place.index}`;
    const name = this.names.unique(wanted);
    this.loads.push({ name, place });
    const tree: Tree = { kind: 'name', name };
    this.loaded.set(key, tree);
    return tree;
  }

  /** Both of the angle in one statement where the block needs both. */
  private sineAndCosine(operation: Operation & { kind: 'call' }, scope: Scope, of: (o: Operation) => Tree): Tree {
    const [angle] = operation.operands;
    const names = (['sin', 'cos'] as const).flatMap((which) => {
      for (const other of scope.needed) {
        const isWanted = other.kind === 'call' && other.name === which && other.operands[0] === angle;
        if (!isWanted || this.isReady(other) || scope.find(other)) continue;
        const argument = of(angle!);
        const name = this.names.of(other, argument.kind === 'name' ? `${which}_${argument.name}` : undefined);
        scope.named.set(other, { kind: 'name', name });
        return [{ of: which, name }];
      }
      return [];
    });
    scope.statements.push({ kind: 'sine-cosine', argument: of(angle!), names });
    const tree = scope.find(operation);
    if (!tree) throw new Error(`${operation.name} was not announced in its block`);
    return tree;
  }

  private stumpff(argument: Operation, order: number, scope: Scope, of: (o: Operation) => Tree): Tree {
    const wanted: (Operation & { kind: 'stumpff' })[] = [];
    for (const o of scope.needed)
      if (o.kind === 'stumpff' && o.argument === argument && !this.isReady(o) && !scope.find(o)) wanted.push(o);
    wanted.sort((a, b) => a.order - b.order);
    const names = wanted.map((o) => {
      const name = this.names.unique(
        this.graph.names.get(o) ?? joined(`c${o.order}`, this.names.hint(argument)) ?? `c${o.order}`,
      );
      scope.named.set(o, { kind: 'name', name });
      return { order: o.order, name };
    });
    scope.statements.push({
      kind: 'stumpff',
      argument: of(argument),
      top: this.graph.stumpffTop.get(argument)!,
      names,
    });
    const found = names.find((n) => n.order === order);
    if (!found) throw new Error('a Stumpff function was not announced in its block');
    return { kind: 'name', name: found.name };
  }

  /** Appends what is among `some` and among `others`. */
  private emitShared(some: readonly Operation[], others: ReadonlySet<Operation>, scope: Scope): void {
    const both = some.filter((o) => others.has(o));
    const needed = new Set(both);
    for (const shared of this.below(both, (o) => this.isReady(o) || o.kind === 'select'))
      if (needed.has(shared) && this.isWorthAName(shared) && !scope.find(shared)) {
        const outer = new Scope(scope, needed);
        const tree = this.emit(shared, outer);
        for (const statement of outer.statements) scope.statements.push(statement);
        for (const [o, t] of outer.named) scope.named.set(o, t);
        if (tree.kind !== 'name') this.name(shared, tree, scope);
      }
  }

  /** What has one user only is computed with that user. */
  private isWorthAName(operation: Operation): boolean {
    const { kind } = operation;
    const isComputedHere = kind !== 'number' && kind !== 'input' && !this.isReady(operation);
    const isValue = isComputedHere && kind !== 'compare' && kind !== 'logic' && kind !== 'array';
    return isValue && (kind === 'stumpff' || this.uses.get(operation)! > 1);
  }

  private select(operation: Operation & { kind: 'select' }, scope: Scope, of: (o: Operation) => Tree): Tree {
    // What both sides need is computed before; each side computes the rest for itself.
    const otherwiseNeeds = new Set(this.unconditional([operation.otherwise]));
    this.emitShared(this.unconditional([operation.then]), otherwiseNeeds, scope);
    const side = (value: Operation): [Statement[], Tree] => {
      const inner = new Scope(scope, new Set(this.unconditional([value])));
      const tree = this.emit(value, inner);
      return [inner.statements, tree];
    };
    const [then, thenValue] = side(operation.then);
    const [otherwise, otherwiseValue] = side(operation.otherwise);
    const name = this.names.of(operation);
    const condition = of(operation.condition);
    scope.statements.push({ kind: 'select', name, condition, then, thenValue, otherwise, otherwiseValue });
    const tree: Tree = { kind: 'name', name };
    scope.named.set(operation, tree);
    return tree;
  }

  // -------------------------------------------------------------------------------------------- loops

  private result(
    operation: Operation & { kind: 'result' },
    scope: Scope,
    of: (o: Operation) => Tree,
    inline: Map<Operation, Tree>,
  ): Tree {
    if (operation.source.kind === 'network') return this.network(operation, scope, of);
    this.nameOuter(operation.source, scope, of, inline);
    this.loop(operation.source, scope);
    return scope.find(operation)!;
  }

  /** An array has no expression; asking for it runs the loop that fills it. */
  private array(
    operation: Operation & { kind: 'array' },
    scope: Scope,
    of: (o: Operation) => Tree,
    inline: Map<Operation, Tree>,
  ): Tree {
    const tree: Tree = { kind: 'name', name: operation.array.name };
    if (this.isReady(operation)) return tree;
    this.nameOuter(operation.source, scope, of, inline);
    this.loop(operation.source, scope);
    return tree;
  }

  /** What does not change from row to row is not computed again in every row. */
  private nameOuter(source: LoopSource, scope: Scope, of: (o: Operation) => Tree, inline: Map<Operation, Tree>): void {
    for (const operation of this.plans.get(source)!.outer)
      if (isComputed(of(operation))) inline.set(operation, this.name(operation, of(operation), scope));
  }

  private loop(source: LoopSource, scope: Scope): void {
    const { loop } = source;
    const plan = this.plans.get(source)!;
    if (scope.hasRun(source)) return;
    for (const operation of plan.outer) {
      const tree = this.emit(operation, scope);
      if (isComputed(tree)) this.name(operation, tree, scope);
    }
    const { columns, carried, sums } = plan;
    const inner = new Scope(scope, new Set(this.unconditional(plan.values)));
    const columnNames = columns.map((column): RowColumn => {
      const name = this.names.unique(rowName(column.operation.symbol));
      inner.named.set(column.operation, { kind: 'name', name });
      return { name, place: this.placeOfColumn(source, column) };
    });
    const carriedNames = carried.map((c) => {
      const name = this.names.unique(rowName(c.symbol));
      if (c.inRow) inner.named.set(c.inRow, { kind: 'name', name });
      return name;
    });
    const value = (operation: Operation): Tree => this.emit(operation, inner);
    const statement: LoopStatement = {
      kind: 'loop',
      name: loop.name,
      rows: loop.table.rows,
      reversed: loop.reversed,
      columns: columnNames,
      carried: carried.map((c, i) => ({
        name: carriedNames[i]!,
        following: this.names.unique(`${carriedNames[i]!}_next`),
        initial: this.emit(c.initial, scope),
        next: value(c.next),
      })),
      sums: sums.map(({ symbol, term }) => ({ name: this.names.unique(rowName(symbol)), term: value(term) })),
      writes: plan.writes.map(({ array, column, value: operation }) => ({
        place: this.placeOfArray(array, column),
        value: value(operation),
      })),
      integrals: plan.integrals.map(({ array, direction }) => ({
        place: this.placeOfArray(array, 0),
        columns: array.columns.length,
        table: loop.table,
        direction,
      })),
      statements: inner.statements,
    };
    scope.statements.push(statement);
    scope.loops.add(source);
    sums.forEach(({ result }, i) => result && scope.named.set(result, { kind: 'name', name: statement.sums[i]!.name }));
    carried.forEach(({ result }, i) => result && scope.named.set(result, { kind: 'name', name: carriedNames[i]! }));
  }

  private placeOfColumn({ loop }: LoopSource, { array, column }: LoopPlan['columns'][number]): Place {
    if (array) return this.placeOfArray(array, column);
    return { buffer: tableBuffer(loop.table), index: column * loop.table.rows };
  }

  private placeOfArray(array: RowArray, column: number): Place {
    const place = this.source.arrays?.get(array);
    if (!place) throw new Error(`the array ${array.name} has no place`);
    return { buffer: place.buffer, index: place.index + column * array.rows };
  }

  private network(operation: Operation & { kind: 'result' }, scope: Scope, of: (o: Operation) => Tree): Tree {
    const { source } = operation;
    if (source.kind !== 'network') throw new Error('a learned map is due');
    const { call, outer } = source;
    const operands = outer.map(of);
    const used = [...this.uses.keys()].filter(
      (o) => o.kind === 'result' && o.source === source,
    ) as (typeof operation)[];
    const names = used
      .sort((a, b) => a.index - b.index)
      .map(({ index, symbol }) => ({ index, name: this.names.unique(rowName(symbol)) }));
    scope.statements.push({
      kind: 'network',
      call,
      operands,
      names,
    });
    used.forEach((result, i) => scope.named.set(result, { kind: 'name', name: names[i]!.name }));
    return scope.find(operation)!;
  }
}

/** `q1` of `body.q1`: what stands after the last dot of a symbol's name. */
function rowName(symbol: Expr): string {
  return symbol.kind === 'symbol' ? symbol.name.replace(/^.*\./, '') : 'value';
}
