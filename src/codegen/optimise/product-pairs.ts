/**
 * Two factors, or a coefficient and a factor, that several products have in common: x·y·z and x·y·w share x·y.
 */
import { tick } from '../../common/work-limit.ts';
import { replaceTerm, without, type Candidate, type CandidateSource } from './candidate.ts';
import type { Form, FormNode, SumNode, Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';
import { TupleNumbers } from './tuple-numbers.ts';

/** Looking whether so many terms still stand takes as long as a node of an expression. */
const TERMS_OF_NODE = 16;

export class ProductPairs implements CandidateSource {
  private readonly form: Form;
  private readonly numbers = new TupleNumbers(2);
  /** By number: the term that a pair was met in, as long as it is the only one; then the pair. */
  private readonly pairs: (Term | ProductPair)[] = [];

  constructor(form: Form) {
    this.form = form;
  }

  add(term: Term, found: (candidate: Candidate) => void): void {
    const { factors, literal } = term;
    const hasLiteral = literal !== this.form.literals.one;
    for (let j = 0; j < factors.length;) {
      const right = factors[j]!;
      const often = repetitions(factors, j);
      if (hasLiteral) this.note(literal, right, term, 1, found);
      for (let i = 0; i < j;) {
        const count = repetitions(factors, i);
        this.note(factors[i]!, right, term, Math.min(count, often), found);
        i += count;
      }
      if (often > 1) this.note(right, right, term, Math.floor(often / 2), found);
      j += often;
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
    const number = this.numbers.of(2 * left.id + ('kind' in left ? 0 : 1), right.id);
    let pair = this.pairs[number];
    if (!(pair instanceof ProductPair)) {
      const other = pair;
      if (left !== right && !other?.isAlive) {
        this.pairs[number] = term;
        return;
      }
      this.pairs[number] = pair = new ProductPair(this.form, left, right, number);
      if (other) pair.add(other, pair.placesIn(other));
    }
    pair.add(term, count);
    found(pair);
  }
}

/** How often the factor at a place stands there and behind it. */
function repetitions(factors: readonly FormNode[], from: number): number {
  let to = from + 1;
  while (to < factors.length && factors[to] === factors[from]) to += 1;
  return to - from;
}

class ProductPair implements Candidate {
  readonly kind = 'product';
  readonly serial: number;
  queued = 0;
  /** Terms that contain it, and some that did; how often it fits into each, and into all. */
  private readonly terms: Term[] = [];
  private readonly counts: number[] = [];
  private places = 0;
  private readonly form: Form;
  private readonly left: FormNode | Literal;
  private readonly right: FormNode;

  constructor(form: Form, left: FormNode | Literal, right: FormNode, serial: number) {
    this.form = form;
    this.left = left;
    this.right = right;
    this.serial = serial;
  }

  add(term: Term, count: number): void {
    this.terms.push(term);
    this.counts.push(count);
    this.places += count;
  }

  /** How often the pair fits into a term. */
  placesIn({ factors }: Term): number {
    const often = (wanted: FormNode): number => factors.filter((factor) => factor === wanted).length;
    return 'kind' in this.left ? Math.min(often(this.left), often(this.right)) : 1;
  }

  bound(): number {
    return this.places - 1;
  }

  saving(): number {
    this.forgetDead();
    return this.places - 1;
  }

  private forgetDead(): void {
    const { terms, counts } = this;
    tick(terms.length / TERMS_OF_NODE);
    let alive = 0;
    this.places = 0;
    for (let i = 0; i < terms.length; i++) {
      if (!terms[i]!.isAlive) continue;
      terms[alive] = terms[i]!;
      counts[alive] = counts[i]!;
      this.places += counts[alive]!;
      alive += 1;
    }
    terms.length = counts.length = alive;
  }

  apply(): FormNode[] {
    const touched = new Set<FormNode>();
    this.forgetDead();
    const [terms, counts] = [[...this.terms], [...this.counts]];
    const { one } = this.form.literals;
    const whole = terms.find((term) => this.isWhole(term));
    const node = whole?.owner ?? this.newNode();
    for (const [i, term] of terms.entries()) {
      if (term === whole || !term.isAlive) continue;
      const count = counts[i]!;
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
