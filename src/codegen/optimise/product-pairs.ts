/**
 * Two factors, or a coefficient and a factor, that several products have in common: x·y·z and x·y·w share x·y.
 */
import { tick } from '../../common/work-limit.ts';
import { replaceTerm, without, type Candidate, type CandidateSource } from './candidate.ts';
import type { Form, FormNode, SumNode, Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';

/** Looking whether so many terms still stand takes as long as a node of an expression. */
const TERMS_OF_NODE = 16;

export class ProductPairs implements CandidateSource {
  private readonly form: Form;
  private readonly pairs = new Map<number, ProductPair>();

  constructor(form: Form) {
    this.form = form;
  }

  add(term: Term, found: (candidate: Candidate) => void): void {
    const counts = new Map<FormNode, number>();
    for (const factor of term.factors) counts.set(factor, (counts.get(factor) ?? 0) + 1);
    const distinct = [...counts];
    for (const [j, [right, often]] of distinct.entries()) {
      if (term.literal !== this.form.literals.one) this.note(term.literal, right, term, 1, found);
      for (let i = 0; i < j; i++) {
        const [left, count] = distinct[i]!;
        this.note(left, right, term, Math.min(count, often), found);
      }
      if (often > 1) this.note(right, right, term, Math.floor(often / 2), found);
    }
  }

  /** @param count how often the pair fits into the term. */
  private note(
    left: FormNode | Literal,
    right: FormNode,
    term: Term,
    count: number,
    found: (candidate: Candidate) => void,
  ): void {
    const isNode = 'kind' in left;
    const key = (2 * left.id + (isNode ? 0 : 1)) * 2 ** 25 + right.id;
    let pair = this.pairs.get(key);
    if (!pair) this.pairs.set(key, (pair = new ProductPair(this.form, left, right, this.pairs.size)));
    pair.terms.set(term, count);
    if (pair.terms.size > 1 || left === right) found(pair);
  }
}

class ProductPair implements Candidate {
  readonly kind = 'product';
  /** And how often the pair fits into each. */
  readonly terms = new Map<Term, number>();
  readonly serial: number;
  private readonly form: Form;
  private readonly left: FormNode | Literal;
  private readonly right: FormNode;

  constructor(form: Form, left: FormNode | Literal, right: FormNode, serial: number) {
    this.form = form;
    this.left = left;
    this.right = right;
    this.serial = serial;
  }

  saving(): number {
    let places = 0;
    tick(this.terms.size / TERMS_OF_NODE);
    for (const [term, count] of this.terms) {
      if (term.isAlive) places += count;
      else this.terms.delete(term);
    }
    return places - 1;
  }

  apply(): FormNode[] {
    const touched = new Set<FormNode>();
    const terms = [...this.terms].filter(([term]) => term.isAlive);
    const { one } = this.form.literals;
    const whole = terms.find(([term]) => this.isWhole(term))?.[0];
    const node = whole?.owner ?? this.newNode();
    for (const [term, count] of terms) {
      if (term === whole || !term.isAlive) continue;
      const pair = this.pairFactors();
      const removed = Array.from({ length: count }, () => pair).flat();
      const isFlipped = whole?.negative === true && count % 2 === 1;
      replaceTerm(
        this.form,
        term,
        {
          negative: term.negative !== isFlipped,
          literal: 'kind' in this.left ? term.literal : one,
          factors: [...without(term.factors, removed), ...Array.from({ length: count }, () => node)],
        },
        touched,
      );
    }
    touched.add(node);
    return [...touched];
  }

  private pairFactors(): FormNode[] {
    return 'kind' in this.left ? [this.left, this.right] : [this.right];
  }

  /** Is the term the pair and nothing else, and a node of its own? */
  private isWhole(term: Term): boolean {
    const length = this.pairFactors().length;
    const isBare = 'kind' in this.left ? term.literal === this.form.literals.one : true;
    return term.owner.terms.size === 1 && term.factors.length === length && isBare;
  }

  private newNode(): SumNode {
    const node = this.form.newSum();
    const literal = 'kind' in this.left ? this.form.literals.one : this.left;
    this.form.addTerm(node, { negative: false, literal }, this.pairFactors());
    return node;
  }
}
