/**
 * Expressions between their mathematical form and binary operations: a graph of sums of products of any length, rewritten
 * in place by the passes of this folder.
 *
 * A node is an atom (input, function call, reciprocal, …) or a sum of terms ± literal · Π factors; a product is a sum of
 * one term. Repeated factors stand for integer powers. Whatever has one user and need not be a value of its own is part
 * of that user. Ids follow the structure of the roots, so that every pass is deterministic.
 */
import { tick } from '../../common/work-limit.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import type { Literal, LiteralTable, SignedLiteral } from '../operations/literal.ts';

interface NodeBase {
  readonly id: number;
  /** Terms that have this node among their factors. */
  readonly users: Set<Term>;
  /** Uses as a root or as an operand of an atom. */
  pins: number;
}

/** What is not a sum or a product of other nodes. */
export interface AtomNode extends NodeBase {
  readonly kind: 'atom';
  /** Kind, name and order of the operation. */
  readonly expression: Expr;
  /** `reciprocal` of the operand, or `power` of it with the exponent of `expression`, instead of the expression's own kind. */
  readonly special: 'reciprocal' | 'root' | 'power' | undefined;
  readonly operands: Reference[];
}

export interface SumNode extends NodeBase {
  readonly kind: 'sum';
  /** By the ids of the factors. */
  readonly terms: Map<string, Term>;
}

export type FormNode = AtomNode | SumNode;

/** ± a node, where a root or an atom refers to it. */
export interface Reference {
  node: FormNode;
  negative: boolean;
}

export interface Term {
  readonly owner: SumNode;
  readonly negative: boolean;
  readonly literal: Literal;
  /** Sorted by id, repeated for powers. */
  readonly factors: readonly FormNode[];
  /** Of `factors`: what the owner knows the term by. */
  readonly key: string;
  /** Order of creation. */
  readonly serial: number;
  isAlive: boolean;
}

export class Form {
  readonly literals: LiteralTable;
  readonly roots: Reference[] = [];
  /** Told of every term that comes to be. */
  onTerm: (term: Term) => void = () => undefined;
  private readonly nodes: FormNode[] = [];
  private readonly references = new Map<FormNode, Set<Reference>>();
  private serial = 0;

  constructor(literals: LiteralTable) {
    this.literals = literals;
  }

  // -------------------------------------------------------------------------------------------- building

  newAtom(expression: Expr, special: AtomNode['special'], operands: readonly Reference[]): AtomNode {
    const node: AtomNode = {
      kind: 'atom',
      id: this.nodes.length,
      users: new Set(),
      pins: 0,
      expression,
      special,
      operands: operands.map((operand) => this.pin(operand)),
    };
    this.nodes.push(node);
    return node;
  }

  newSum(): SumNode {
    const node: SumNode = { kind: 'sum', id: this.nodes.length, users: new Set(), pins: 0, terms: new Map() };
    this.nodes.push(node);
    return node;
  }

  addRoot(reference: Reference): void {
    this.roots.push(this.pin(reference));
  }

  private pin({ node, negative }: Reference): Reference {
    const reference = { node, negative };
    node.pins += 1;
    const all = this.references.get(node);
    if (all) all.add(reference);
    else this.references.set(node, new Set([reference]));
    return reference;
  }

  // -------------------------------------------------------------------------------------------- rewriting

  /** Adds ± literal · Π factors, merged with the like term if there is one. Factors in any order. */
  addTerm(owner: SumNode, coefficient: SignedLiteral, factors: readonly FormNode[]): void {
    tick();
    const sorted = factors.length > 1 ? [...factors].sort((a, b) => a.id - b.id) : factors;
    const key = keyOf(sorted);
    const like = owner.terms.get(key);
    let merged: SignedLiteral | undefined = coefficient;
    if (like) {
      this.removeTerm(like);
      merged = this.literals.add(like, coefficient);
    }
    if (!merged) return;
    const { negative, literal } = merged;
    const term: Term = { owner, negative, literal, factors: sorted, key, serial: this.serial++, isAlive: true };
    owner.terms.set(key, term);
    for (const factor of sorted) factor.users.add(term);
    this.onTerm(term);
  }

  removeTerm(term: Term): void {
    term.isAlive = false;
    term.owner.terms.delete(term.key);
    for (const factor of term.factors) factor.users.delete(term);
  }

  /** The product of a term's coefficient and another one. */
  scaled(term: SignedLiteral, by: SignedLiteral): SignedLiteral {
    const product = this.literals.multiply(term.literal, by.literal);
    return { negative: (term.negative !== by.negative) !== product.negative, literal: product.literal };
  }

  /** Roots and operands that refer to `node` refer to ± `other` instead. */
  redirect(node: FormNode, other: FormNode, negative: boolean): void {
    const all = this.references.get(node);
    if (!all || all.size === 0) return;
    const target = this.references.get(other) ?? new Set<Reference>();
    this.references.set(other, target);
    for (const reference of all) {
      reference.node = other;
      reference.negative = reference.negative !== negative;
      target.add(reference);
    }
    this.references.delete(node);
    other.pins += node.pins;
    node.pins = 0;
  }

  // -------------------------------------------------------------------------------------------- reading

  /** Coefficients that terms have, in order of first use. */
  coefficients(): Literal[] {
    const found = new Set<Literal>();
    for (const node of this.sorted())
      if (node.kind === 'sum') for (const { literal } of node.terms.values()) found.add(literal);
    return [...found];
  }

  /** Every node that the roots need, operands before users. */
  sorted(): FormNode[] {
    const order: FormNode[] = [];
    const state = new Map<FormNode, boolean>();
    for (const { node: root } of this.roots) {
      const stack = [root];
      while (stack.length > 0) {
        const node = stack[stack.length - 1]!;
        const placed = state.get(node);
        if (placed === undefined) {
          state.set(node, false);
          pushOperands(node, stack, state);
          continue;
        }
        stack.pop();
        if (placed) continue;
        state.set(node, true);
        order.push(node);
      }
    }
    return order;
  }
}

/** Of factors that are sorted. */
export function keyOf(factors: readonly FormNode[]): string {
  let key = '';
  for (const { id } of factors) key += key === '' ? id : ` ${id}`;
  return key;
}

/** Operands that were not met yet, onto the stack. */
function pushOperands(node: FormNode, stack: FormNode[], met: ReadonlyMap<FormNode, boolean>): void {
  if (node.kind === 'atom') {
    for (const operand of node.operands) if (!met.has(operand.node)) stack.push(operand.node);
    return;
  }
  for (const { factors } of node.terms.values()) for (const factor of factors) if (!met.has(factor)) stack.push(factor);
}

/** Multiplications that literal · Π factors takes. */
export function multiplicationsOf(literal: Literal, one: Literal, factors: number): number {
  return Math.max(0, factors + (literal === one ? 0 : 1) - 1);
}

/** Multiplications, additions and divisions of all nodes; what calls cost does not change. */
export function arithmeticCost(form: Form): number {
  let cost = 0;
  for (const node of form.sorted()) {
    if (node.kind === 'atom') {
      if (node.special === 'reciprocal') cost += isDivision(node) ? 0 : 1;
      continue;
    }
    cost += Math.max(0, node.terms.size - 1);
    for (const { literal, factors } of node.terms.values())
      cost += multiplicationsOf(literal, form.literals.one, factors.length);
  }
  return cost;
}

/** x · (1/y) with one use of 1/y is x/y: one operation for both. */
export function isDivision(node: AtomNode): boolean {
  if (node.special !== 'reciprocal' || node.pins > 0 || node.users.size !== 1) return false;
  const [user] = node.users;
  const { factors, literal } = user!;
  const isAlone = factors.length === 1 && literal.value === 1;
  return !isAlone && factors.filter((factor) => factor === node).length === 1;
}
