/**
 * Sums opened where their terms cancel or merge with those of the sum around them: (a + b) − (a − b) = 2b. Only where
 * that saves operations at once: products are not expanded otherwise.
 */
import { without } from './candidate.ts';
import { keyOf, multiplicationsOf, type Form, type FormNode, type SumNode, type Term } from './form.ts';
import type { Literal, SignedLiteral } from '../operations/literal.ts';

/** Longer sums are left alone. */
const LONGEST = 12;

/** A term of the outer sum: ± literal · common · inner, the inner sum open to be opened. */
interface Opening {
  readonly term: Term;
  readonly inner: SumNode;
  readonly common: readonly FormNode[];
}

/** Like terms of a sum being put together. */
type Collected = Map<string, { readonly coefficient: SignedLiteral; readonly factors: readonly FormNode[] }>;

export function cancel(form: Form): void {
  for (const node of form.sorted())
    if (node.kind === 'sum') while (node.terms.size > 1 && new Canceller(form, node).run());
}

class Canceller {
  private readonly form: Form;
  private readonly node: SumNode;
  /** Openings that have the same common factors and would yield a certain term. */
  private readonly byTerm = new Map<string, Opening[]>();
  private readonly openings: Opening[];

  constructor(form: Form, node: SumNode) {
    this.form = form;
    this.node = node;
    this.openings = [...node.terms.values()].flatMap(openingsOf);
  }

  /** Opens what pays most at once; false when nothing does. */
  run(): boolean {
    for (const opening of this.openings)
      for (const inner of opening.inner.terms.values()) {
        const key = `${keyOf(opening.common)}:${keyOf(inner.factors)}`;
        const all = this.byTerm.get(key) ?? [];
        this.byTerm.set(key, [...all, opening]);
      }
    for (const opening of this.openings) {
      const partners = new Set<Opening | undefined>([undefined]);
      for (const inner of opening.inner.terms.values())
        for (const other of this.byTerm.get(`${keyOf(opening.common)}:${keyOf(inner.factors)}`)!)
          if (other.term !== opening.term) partners.add(other);
      for (const partner of partners) if (this.tryOpening(partner ? [opening, partner] : [opening])) return true;
    }
    return false;
  }

  private tryOpening(openings: readonly Opening[]): boolean {
    const { common } = openings[0]!;
    const plain = this.plainTerms(openings);
    if (openings.length === 1 && plain.length === 0) return false;
    const collected: Collected = new Map();
    for (const { term, inner } of openings)
      for (const { negative, literal, factors } of inner.terms.values())
        this.collect(collected, this.form.scaled({ negative, literal }, term), factors);
    for (const term of plain) this.collect(collected, term, without(term.factors, common));
    const terms = [...openings.map((opening) => opening.term), ...plain];
    if (this.costOf(collected, common) >= this.costBefore(openings, plain)) return false;
    for (const term of terms) this.form.removeTerm(term);
    this.add(collected, common);
    return true;
  }

  /** Terms of the outer sum that are like one of those that the openings yield. */
  private plainTerms(openings: readonly Opening[]): Term[] {
    const { common } = openings[0]!;
    const found = new Set<Term>();
    for (const { inner } of openings)
      for (const { factors } of inner.terms.values()) {
        const like = this.node.terms.get(keyOf([...common, ...factors].sort((a, b) => a.id - b.id)));
        if (like && openings.every((opening) => opening.term !== like)) found.add(like);
      }
    return [...found];
  }

  private collect(collected: Collected, coefficient: SignedLiteral, factors: readonly FormNode[]): void {
    const key = keyOf(factors);
    const like = collected.get(key);
    const sum = like ? this.form.literals.add(like.coefficient, coefficient) : coefficient;
    if (sum) collected.set(key, { coefficient: sum, factors });
    else collected.delete(key);
  }

  private costBefore(openings: readonly Opening[], plain: readonly Term[]): number {
    const { one } = this.form.literals;
    let cost = openings.length + plain.length - 1;
    for (const { literal, factors } of [...openings.map((opening) => opening.term), ...plain])
      cost += multiplicationsOf(literal, one, factors.length);
    for (const { inner } of openings) {
      if (inner.pins > 0 || inner.users.size > 1) continue;
      cost += inner.terms.size - 1;
      for (const { literal, factors } of inner.terms.values()) cost += multiplicationsOf(literal, one, factors.length);
    }
    return cost;
  }

  private costOf(collected: Collected, common: readonly FormNode[]): number {
    const { one } = this.form.literals;
    const scale = commonLiteral(collected);
    let cost = Math.max(0, collected.size - 1);
    if (collected.size === 0) return -1;
    for (const { coefficient, factors } of collected.values())
      cost += multiplicationsOf(scale ? one : coefficient.literal, one, factors.length);
    if (collected.size === 1) {
      const [{ coefficient, factors }] = [...collected.values()] as [
        { coefficient: SignedLiteral; factors: FormNode[] },
      ];
      return multiplicationsOf(coefficient.literal, one, factors.length + common.length);
    }
    return cost + common.length + (scale && scale !== one ? 1 : 0);
  }

  private add(collected: Collected, common: readonly FormNode[]): void {
    if (common.length === 0 || collected.size === 1) {
      for (const { coefficient, factors } of collected.values())
        this.form.addTerm(this.node, coefficient, [...common, ...factors]);
      return;
    }
    if (collected.size === 0) return;
    const inner = this.form.newSum();
    for (const { coefficient, factors } of collected.values()) this.form.addTerm(inner, coefficient, factors);
    this.form.addTerm(this.node, { negative: false, literal: this.form.literals.one }, [...common, inner]);
  }
}

function openingsOf(term: Term): Opening[] {
  const { factors } = term;
  return factors.flatMap((inner, i) => {
    const isRepeated = factors[i - 1] === inner || factors[i + 1] === inner;
    if (inner.kind !== 'sum' || isRepeated || inner.terms.size < 2 || inner.terms.size > LONGEST) return [];
    return [{ term, inner, common: without(factors, [inner]) }];
  });
}

function commonLiteral(collected: Collected): Literal | undefined {
  const literals = new Set([...collected.values()].map(({ coefficient }) => coefficient.literal));
  const [first] = literals;
  return literals.size === 1 ? first : undefined;
}
