/**
 * What need not be a value of its own becomes part of its user: products and plain copies always, sums and shared
 * values that have one user left. Run to a fixed point; never makes anything costlier.
 */
import type { Form, FormNode, SumNode, Term } from './form.ts';

export interface FlattenOptions {
  /** Also multiply every shared product and scaled value into its users, so that sharing is decided afresh. */
  readonly products: boolean;
}

export function flatten(form: Form, options: FlattenOptions = { products: true }): void {
  const flattener = new Flattener(form, options.products);
  for (const node of form.sorted()) flattener.visit(node);
}

export class Flattener {
  private readonly form: Form;
  private readonly spreadsProducts: boolean;

  constructor(form: Form, spreadsProducts: boolean) {
    this.form = form;
    this.spreadsProducts = spreadsProducts;
  }

  /** Merges the node into its users if that is free, then looks at what that changed. */
  visit(start: FormNode): void {
    const pending: FormNode[] = [start];
    while (pending.length > 0) {
      const node = pending.pop()!;
      if (node.kind === 'atom') continue;
      if (node.users.size === 0 && node.pins === 0) this.release(node, pending);
      else this.merge(node, pending);
    }
  }

  /** A node that nothing uses lets go of its factors. */
  private release(node: SumNode, pending: FormNode[]): void {
    for (const term of [...node.terms.values()]) this.remove(term, pending);
  }

  private remove(term: Term, pending: FormNode[]): void {
    this.form.removeTerm(term);
    for (const factor of new Set(term.factors)) if (factor.users.size <= 1) pending.push(factor);
  }

  private merge(node: SumNode, pending: FormNode[]): void {
    if (node.terms.size === 0) this.spread(node, pending);
    else if (node.terms.size === 1) this.mergeProduct(node, pending);
    else if (node.users.size === 1 && node.pins === 0) this.mergeSum(node, pending);
  }

  private mergeProduct(node: SumNode, pending: FormNode[]): void {
    const [term] = node.terms.values();
    const { literal, factors, negative } = term!;
    const isCopy = factors.length === 1 && literal === this.form.literals.one;
    if (isCopy) this.form.redirect(node, factors[0]!, negative);
    const isSpread = this.spreadsProducts || factors.length === 0;
    if (isCopy || isSpread || (node.pins === 0 && isUsedOnce(node))) this.spread(node, pending);
  }

  /** Replaces the node in all its users by its one term (or by nothing when it has none). */
  private spread(node: SumNode, pending: FormNode[]): void {
    const [inner] = node.terms.values();
    for (const user of [...node.users]) {
      const rest = user.factors.filter((factor) => factor !== node);
      const power = user.factors.length - rest.length;
      this.remove(user, pending);
      if (inner) {
        let coefficient = { negative: user.negative, literal: user.literal };
        for (let i = 0; i < power; i++) coefficient = this.form.scaled(coefficient, inner);
        const factors = Array.from({ length: power }, () => inner.factors).flat();
        this.form.addTerm(user.owner, coefficient, [...rest, ...factors]);
      }
      pending.push(user.owner);
    }
    if (node.pins === 0) this.release(node, pending);
  }

  /** A sum inside a sum, where that needs no multiplication more. */
  private mergeSum(node: SumNode, pending: FormNode[]): void {
    const [user] = node.users;
    if (user!.factors.length !== 1) return;
    const one = this.form.literals.one;
    const terms = [...node.terms.values()];
    if (user!.literal !== one && terms.some((term) => term.literal === one)) return;
    this.remove(user!, pending);
    for (const term of terms) this.form.addTerm(user!.owner, this.form.scaled(term, user!), term.factors);
    this.release(node, pending);
    pending.push(user!.owner);
  }
}

function isUsedOnce(node: FormNode): boolean {
  if (node.users.size !== 1) return false;
  const [user] = node.users;
  return user!.factors.filter((factor) => factor === node).length === 1;
}
