/**
 * Two terms of a sum that have factors in common, or that several sums have in common, in the same proportion:
 * a·x + a·y = a·(x + y); a + 2b and 3a + 6b share a + 2b.
 */
import { replaceTerm, without, type Candidate, type CandidateSource } from './candidate.ts';
import { keyOf, multiplicationsOf, type Form, type FormNode, type Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';

/** Pairs are looked for among this many terms of a sum, the newest. */
const WINDOW = 96;

/** More than a form has of them: numbers of two make one number. */
const [LITERALS, PRODUCTS] = [2 ** 25, 2 ** 26];

/** Two terms of one sum: scale · common · (first ± ratio · second). */
interface Place {
  readonly first: Term;
  readonly second: Term;
}

export class PartialSums implements CandidateSource {
  private readonly form: Form;
  /** By the coefficients of their terms, then by what the terms have beside common factors. */
  private readonly sums = new Map<number, Map<number, PartialSum>>();
  private count = 0;
  /** Of products of factors, by their keys. */
  private readonly ids = new Map<string, number>();

  constructor(form: Form) {
    this.form = form;
  }

  add(term: Term, found: (candidate: Candidate) => void): void {
    const others = [...term.owner.terms.values()];
    for (const other of others.slice(-WINDOW)) if (other !== term) this.note(term, other, found);
  }

  private note(a: Term, b: Term, found: (candidate: Candidate) => void): void {
    const common = commonFactors(a.factors, b.factors);
    const isApart = common.length === 0;
    const ownA = isApart ? a.key : keyOf(without(a.factors, common));
    const ownB = isApart ? b.key : keyOf(without(b.factors, common));
    const place = ownA < ownB ? { first: a, second: b } : { first: b, second: a };
    const { first, second } = place;
    const ratio = this.ratioOf(first.literal, second.literal);
    const proportion = ratio ? ratio.id : -1 - (first.literal.id * LITERALS + second.literal.id);
    const alike = this.alike(2 * proportion + (first.negative === second.negative ? 1 : 0));
    const [idA, idB] = [this.idOf(ownA), this.idOf(ownB)];
    const key = ownA < ownB ? idA * PRODUCTS + idB : idB * PRODUCTS + idA;
    let sum = alike.get(key);
    if (sum) sum.places.push(place);
    else alike.set(key, (sum = new PartialSum(this.form, this.count++, place, ratio)));
    const isFactored = !isApart || (ratio === this.form.literals.one && first.literal !== ratio);
    if (isFactored || sum.places.length > 1) found(sum);
  }

  /** Sums whose terms have the same signs and coefficients, but for a scale. */
  private alike(coefficients: number): Map<number, PartialSum> {
    let sums = this.sums.get(coefficients);
    if (!sums) this.sums.set(coefficients, (sums = new Map()));
    return sums;
  }

  private idOf(product: string): number {
    let id = this.ids.get(product);
    if (id === undefined) this.ids.set(product, (id = this.ids.size));
    return id;
  }

  /** second/first where sums may differ by a scale: never one by a parameter, which may be zero. */
  private ratioOf(first: Literal, second: Literal): Literal | undefined {
    if (first === second) return this.form.literals.one;
    return first.value === undefined ? undefined : this.form.literals.ratio(second, first)!.literal;
  }
}

class PartialSum implements Candidate {
  readonly kind = 'sum';
  readonly serial: number;
  places: Place[];
  private readonly form: Form;
  /** Of the second coefficient to the first; undefined when there is no number to it, and then the coefficients are all alike. */
  private readonly ratio: Literal | undefined;

  constructor(form: Form, serial: number, place: Place, ratio: Literal | undefined) {
    this.form = form;
    this.serial = serial;
    this.places = [place];
    this.ratio = ratio;
  }

  saving(): number {
    const places = this.disjointPlaces();
    if (places.length === 0) return -1;
    const { one } = this.form.literals;
    const whole = places.find((place) => this.isWhole(place));
    const unit = this.unitOf(places, whole);
    let saving = whole ? 0 : -this.ownCost(places[0]!, unit);
    for (const place of places) {
      if (place === whole) continue;
      const { first, second } = place;
      const before =
        multiplicationsOf(first.literal, one, first.factors.length) +
        multiplicationsOf(second.literal, one, second.factors.length) +
        1;
      const common = commonFactors(first.factors, second.factors).length;
      const isScaled = this.scaleOf(place) !== unit;
      saving += before - common - (isScaled ? 1 : 0);
    }
    return saving;
  }

  apply(): FormNode[] {
    const touched = new Set<FormNode>();
    const places = this.disjointPlaces();
    const whole = places.find((place) => this.isWhole(place));
    const unit = this.unitOf(places, whole);
    const node = whole?.first.owner ?? this.newNode(places[0]!, unit);
    for (const place of places) {
      const { first, second } = place;
      if (place === whole || !first.isAlive || !second.isAlive) continue;
      const common = commonFactors(first.factors, second.factors);
      const scale = this.form.literals.ratio(this.scaleOf(place), unit)!;
      const isFlipped = whole?.first.negative === true;
      this.form.removeTerm(second);
      for (const factor of second.factors) touched.add(factor);
      const negative = first.negative !== isFlipped;
      replaceTerm(this.form, first, { negative, literal: scale.literal, factors: [...common, node] }, touched);
    }
    touched.add(node);
    return [...touched];
  }

  /** Places whose terms are still there, no term in two of them. */
  private disjointPlaces(): Place[] {
    this.places = this.places.filter(({ first, second }) => first.isAlive && second.isAlive);
    const taken = new Set<Term>();
    return this.places.filter(({ first, second }) => {
      if (taken.has(first) || taken.has(second)) return false;
      taken.add(first).add(second);
      return true;
    });
  }

  private scaleOf({ first }: Place): Literal {
    return this.ratio ? first.literal : this.form.literals.one;
  }

  /** The coefficient that the shared sum itself carries: that of most places, so that they need none. */
  private unitOf(places: readonly Place[], whole: Place | undefined): Literal {
    if (whole) return this.scaleOf(whole);
    const { one } = this.form.literals;
    if (!this.ratio || this.ratio === one) return one;
    const counts = new Map<Literal, number>();
    for (const place of places) counts.set(this.scaleOf(place), (counts.get(this.scaleOf(place)) ?? 0) + 1);
    return [...counts].reduce((best, entry) => (entry[1] > best[1] ? entry : best))[0];
  }

  /** Is the sum of the two terms a node of its own, with nothing to be taken out of it? */
  private isWhole({ first, second }: Place): boolean {
    const { one } = this.form.literals;
    const hasFactor = this.ratio === one && first.literal !== one;
    const hasNumber = this.ratio === undefined || first.literal.value !== undefined;
    const isOwner = first.owner.terms.size === 2 && !hasFactor && hasNumber;
    return isOwner && commonFactors(first.factors, second.factors).length === 0;
  }

  private ownCost(place: Place, unit: Literal): number {
    const { one } = this.form.literals;
    const [first, second] = this.ownTerms(place, unit);
    return (
      multiplicationsOf(first.literal, one, first.factors.length) +
      multiplicationsOf(second.literal, one, second.factors.length) +
      1
    );
  }

  private ownTerms(
    { first, second }: Place,
    unit: Literal,
  ): { readonly literal: Literal; readonly factors: readonly FormNode[] }[] {
    const common = commonFactors(first.factors, second.factors);
    const literals = this.ratio
      ? [unit, this.form.literals.multiply(this.ratio, unit).literal]
      : [first.literal, second.literal];
    return [first, second].map((term, i) => ({ literal: literals[i]!, factors: without(term.factors, common) }));
  }

  private newNode(place: Place, unit: Literal): FormNode {
    const node = this.form.newSum();
    const isDifference = place.first.negative !== place.second.negative;
    this.ownTerms(place, unit).forEach(({ literal, factors }, i) =>
      this.form.addTerm(node, { negative: i === 1 && isDifference, literal }, factors),
    );
    return node;
  }
}

function commonFactors(a: readonly FormNode[], b: readonly FormNode[]): FormNode[] {
  const common: FormNode[] = [];
  for (let i = 0, j = 0; i < a.length && j < b.length;) {
    if (a[i] === b[j]) {
      common.push(a[i]!);
      i += 1;
      j += 1;
    } else if (a[i]!.id < b[j]!.id) i += 1;
    else j += 1;
  }
  return common;
}
