/**
 * Two terms of a sum that have factors in common, or that several sums have in common, in the same proportion:
 * a·x + a·y = a·(x + y); a + 2b and 3a + 6b share a + 2b.
 */
import { replaceTerm, without, type Candidate, type CandidateSource } from './candidate.ts';
import { multiplicationsOf, type Form, type FormNode, type Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';
import { TupleNumbers } from './tuple-numbers.ts';

/** Pairs are looked for among this many terms of a sum, the newest. */
const WINDOW = 96;

/** More than a form has of them. */
const LITERALS = 2 ** 25;

/** No number of a product. */
const EMPTY_PRODUCT = -1;

/** Two terms of one sum: scale · common · (first ± ratio · second). */
interface Place {
  readonly first: Term;
  readonly second: Term;
}

/** What one of the two has beside what they have in common. */
interface OwnTerm {
  readonly literal: Literal;
  readonly factors: readonly FormNode[];
}

export class PartialSums implements CandidateSource {
  private readonly form: Form;
  /** Products of factors, by all but the last and that; signs and coefficients; sums by the products of their terms and those. */
  private readonly products = new TupleNumbers(2);
  private readonly proportions = new Map<number, number>();
  private readonly numbers = new TupleNumbers(3);
  /** By number: the sum; where it was met in one place only and has nothing to be taken out, that place. */
  private readonly sums: (PartialSum | undefined)[] = [];
  private readonly firsts: (Term | undefined)[] = [];
  private readonly seconds: (Term | undefined)[] = [];
  /** Factors of two terms beside those that they have in common. */
  private readonly ownA: FormNode[] = [];
  private readonly ownB: FormNode[] = [];

  constructor(form: Form) {
    this.form = form;
  }

  add(term: Term, found: (candidate: Candidate) => void): void {
    const others = [...term.owner.terms.values()];
    const from = Math.max(0, others.length - WINDOW);
    for (let i = from; i < others.length; i++) if (others[i] !== term) this.note(term, others[i]!, found);
  }

  private note(a: Term, b: Term, found: (candidate: Candidate) => void): void {
    const { ownA, ownB } = this;
    split(a.factors, b.factors, ownA, ownB);
    const isOrdered = precede(ownA, ownB);
    const [first, second] = isOrdered ? [a, b] : [b, a];
    // Sums may differ by a scale: never one by a parameter, which may be zero.
    const ratio = this.form.literals.ratio(second.literal, first.literal);
    const proportion = this.proportionOf(first, second, ratio);
    const [idA, idB] = [this.idOf(ownA), this.idOf(ownB)];
    const number = isOrdered ? this.numbers.of(idA, idB, proportion) : this.numbers.of(idB, idA, proportion);
    const sum = this.sums[number];
    if (sum) {
      sum.places.push({ first, second });
      found(sum);
      return;
    }
    const isApart = ownA.length === a.factors.length;
    const isFactored = !isApart || (ratio === this.form.literals.one && first.literal !== ratio);
    const [otherFirst, otherSecond] = [this.firsts[number], this.seconds[number]];
    const isAlone = !otherFirst?.isAlive || !otherSecond?.isAlive;
    if (isAlone && !isFactored) {
      this.firsts[number] = first;
      this.seconds[number] = second;
      this.sums[number] = undefined;
      return;
    }
    const places = isAlone
      ? [{ first, second }]
      : [
          { first: otherFirst, second: otherSecond },
          { first, second },
        ];
    this.firsts[number] = this.seconds[number] = undefined;
    found((this.sums[number] = new PartialSum(this.form, number, places, ratio)));
  }

  private idOf(product: readonly FormNode[]): number {
    let id = EMPTY_PRODUCT;
    for (const factor of product) id = this.products.of(id, factor.id);
    return id;
  }

  /** The same for sums whose terms have the same signs and coefficients, but for a scale. */
  private proportionOf(first: Term, second: Term, ratio: Literal | undefined): number {
    const coefficients = ratio ? ratio.id : -1 - (first.literal.id * LITERALS + second.literal.id);
    const key = 2 * coefficients + (first.negative === second.negative ? 1 : 0);
    let id = this.proportions.get(key);
    if (id === undefined) this.proportions.set(key, (id = this.proportions.size));
    return id;
  }
}

class PartialSum implements Candidate {
  readonly kind = 'sum';
  readonly serial: number;
  places: Place[];
  queued = 0;
  private readonly form: Form;
  /** Of the second coefficient to the first; undefined when there is no number to it, and then the coefficients are all alike. */
  private readonly ratio: Literal | undefined;

  constructor(form: Form, serial: number, places: Place[], ratio: Literal | undefined) {
    this.form = form;
    this.serial = serial;
    this.places = places;
    this.ratio = ratio;
  }

  bound(): number {
    return this.saving();
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
    // More come to be as terms are replaced.
    const places = [...this.disjointPlaces()];
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
      replaceTerm(this.form, first, { negative, literal: scale, factors: [...common, node] }, touched);
    }
    touched.add(node);
    return [...touched];
  }

  /** Places whose terms are still there, no term in two of them. */
  private disjointPlaces(): readonly Place[] {
    if (!this.places.every(isAlive)) this.places = this.places.filter(isAlive);
    if (this.places.length < 2) return this.places;
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

  private ownTerms({ first, second }: Place, unit: Literal): readonly [OwnTerm, OwnTerm] {
    const common = commonFactors(first.factors, second.factors);
    const own = (literal: Literal, factors: readonly FormNode[]): OwnTerm => ({
      literal,
      factors: without(factors, common),
    });
    const ofFirst = own(this.ratio ? unit : first.literal, first.factors);
    const ofSecond = this.ratio ? this.form.literals.multiply(this.ratio, unit).literal : second.literal;
    return [ofFirst, own(ofSecond, second.factors)];
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

/** Factors of two terms, without those that both have, to `ownA` and `ownB`. */
function split(a: readonly FormNode[], b: readonly FormNode[], ownA: FormNode[], ownB: FormNode[]): void {
  ownA.length = ownB.length = 0;
  let [i, j] = [0, 0];
  while (i < a.length && j < b.length) {
    if (a[i] === b[j]) {
      i += 1;
      j += 1;
    } else if (a[i]!.id < b[j]!.id) ownA.push(a[i++]!);
    else ownB.push(b[j++]!);
  }
  while (i < a.length) ownA.push(a[i++]!);
  while (j < b.length) ownB.push(b[j++]!);
}

/** An order of products, that of their keys as texts. */
function precede(a: readonly FormNode[], b: readonly FormNode[]): boolean {
  for (let i = 0; i < a.length && i < b.length; i++) if (a[i] !== b[i]) return String(a[i]!.id) < String(b[i]!.id);
  return a.length < b.length;
}

const isAlive = ({ first, second }: Place): boolean => first.isAlive && second.isAlive;

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
