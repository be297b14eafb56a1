/**
 * Units chosen so that coefficients disappear: every value that is not an output may be computed as a multiple of itself,
 * its users correcting for it. A force in units of m/ρ, a length in units of a link: identical links need their mass and
 * length in a few places only. Divides by numbers, never by parameters.
 */
import type { Form, FormNode, SumNode, Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';

/** Rounds of improving one unit after the other. */
const SWEEPS = 3;
/** Users of a value that are asked which unit they would like. */
const USERS_ASKED = 4;
/** Exact coefficients may grow to this many digits. */
const DIGITS = 60;

/** Rescales values where that makes the sums need fewer distinct coefficients. */
export function scale(form: Form): void {
  const plain = new Scaling(form);
  const startCost = plain.cost();
  plain.improve();
  const upward = new Scaling(form);
  upward.adoptUpward();
  upward.improve();
  const best = upward.cost() < plain.cost() ? upward : plain;
  if (best.cost() < startCost) best.apply();
}

/** A unit to try: its value for the search, exact only if it is taken. */
interface Unit {
  readonly value: number;
  exact(): Literal;
}

class Scaling {
  private readonly form: Form;
  private readonly nodes: readonly SumNode[];
  /** value of the node = unit · value computed */
  private readonly units = new Map<FormNode, Literal>();
  private readonly values = new Map<FormNode, number>();

  constructor(form: Form) {
    this.form = form;
    this.nodes = form.sorted().filter((node): node is SumNode => node.kind === 'sum');
  }

  /** Coefficients that have to be multiplied with, over all sums. */
  cost(): number {
    return this.nodes.reduce((total, node) => total + this.costOf(node), 0);
  }

  /** From the operands up: the most frequent coefficient of a sum becomes its unit. */
  adoptUpward(): void {
    for (const node of this.nodes) {
      if (!isFree(node)) continue;
      const counts = new Map<number, { count: number; term: Term }>();
      for (const term of node.terms.values()) {
        const value = this.value(term);
        if (value === undefined) continue;
        const entry = counts.get(value);
        if (entry) entry.count += 1;
        else counts.set(value, { count: 1, term });
      }
      let best: { count: number; term: Term } | undefined;
      for (const entry of counts.values()) if (!best || entry.count > best.count) best = entry;
      if (best) this.adopt(node, this.coefficient(best.term));
    }
  }

  /** Units one at a time, as long as coefficients disappear. */
  improve(): void {
    for (let sweep = 0; sweep < SWEEPS; sweep++) {
      let isBetter = false;
      const order = sweep % 2 === 0 ? this.nodes : [...this.nodes].reverse();
      for (const node of order) if (isFree(node) && this.improveUnit(node)) isBetter = true;
      if (!isBetter) return;
    }
  }

  private improveUnit(node: SumNode): boolean {
    const owners = new Set([node]);
    for (const user of node.users) owners.add(user.owner);
    const costWith = (value: number): number => {
      this.values.set(node, value);
      let cost = 0;
      for (const owner of owners) cost += this.costOf(owner);
      return cost;
    };
    const before = this.values.get(node) ?? 1;
    let bestCost = costWith(before);
    let best: Unit | undefined;
    for (const candidate of this.candidates(node)) {
      const cost = costWith(candidate.value);
      if (cost >= bestCost) continue;
      bestCost = cost;
      best = candidate;
    }
    this.values.set(node, before);
    return best !== undefined && this.adopt(node, best.exact());
  }

  private adopt(node: SumNode, unit: Literal): boolean {
    if (!isSimple(unit)) return false;
    this.units.set(node, unit);
    this.values.set(node, unit.value!);
    return true;
  }

  /** Units that free a coefficient of the sum itself, or make one of a user equal to another one there. */
  private candidates(node: SumNode): Unit[] {
    const { literals } = this.form;
    const unit = this.unit(node);
    const before = unit.value!;
    const found = new Map<number, Unit>();
    const add = (value: number, exact: () => Literal): void => {
      if (!found.has(leadingBits(value))) found.set(leadingBits(value), { value, exact });
    };
    add(1, () => literals.one);
    for (const term of node.terms.values()) {
      const value = this.value(term);
      if (value !== undefined) add(value * before, () => literals.multiply(this.coefficient(term), unit).literal);
    }
    for (const user of [...node.users].slice(0, USERS_ASKED)) {
      const own = this.value(user);
      if (own === undefined || user.factors.indexOf(node) !== user.factors.lastIndexOf(node)) continue;
      const scaled = (wanted: Literal): Literal =>
        literals.ratio(literals.multiply(unit, wanted).literal, this.coefficient(user))!;
      add(before / own, () => scaled(literals.one));
      for (const term of user.owner.terms.values()) {
        const wanted = this.value(term);
        if (wanted !== undefined) add((before * wanted) / own, () => scaled(this.coefficient(term)));
      }
    }
    return [...found.values()];
  }

  private unit(node: FormNode): Literal {
    return this.units.get(node) ?? this.form.literals.one;
  }

  /** The coefficient of a term for the units that are chosen now. */
  private coefficient({ owner, literal, factors }: Term): Literal {
    const { literals } = this.form;
    let product = literal;
    for (const factor of factors) product = literals.multiply(product, this.unit(factor)).literal;
    return literals.ratio(product, this.unit(owner))!;
  }

  /** The same as a number that is good for comparisons. */
  private value({ owner, literal, factors }: Term): number | undefined {
    if (literal.value === undefined) return undefined;
    let product = literal.value;
    for (const factor of factors) product *= this.values.get(factor) ?? 1;
    return leadingBits(product / (this.values.get(owner) ?? 1));
  }

  private costOf(node: SumNode): number {
    const distinct = new Set<number | Literal>();
    for (const term of node.terms.values()) if (term.factors.length > 0) distinct.add(this.value(term) ?? term.literal);
    distinct.delete(1);
    return distinct.size;
  }

  apply(): void {
    const changed = this.nodes.flatMap((node) =>
      [...node.terms.values()].flatMap((term) => {
        const isTouched = this.units.has(node) || term.factors.some((factor) => this.units.has(factor));
        const coefficient = isTouched ? this.coefficient(term) : term.literal;
        return coefficient === term.literal ? [] : [{ term, coefficient }];
      }),
    );
    for (const { term, coefficient } of changed) {
      this.form.removeTerm(term);
      this.form.addTerm(term.owner, { negative: term.negative, literal: coefficient }, term.factors);
    }
  }
}

/** Rounded to 40 bits (Veltkamp's splitting), so that equal coefficients compare equal whatever they were made of. */
function leadingBits(value: number): number {
  const product = 8193 * value;
  return product - (product - value);
}

/** Values that nothing but sums and products use. */
function isFree(node: SumNode): boolean {
  return node.pins === 0 && node.users.size > 0 && node.terms.size > 0;
}

const simplicity = new WeakMap<Literal, boolean>();

/** A number, exact with a reasonable number of digits. */
function isSimple(literal: Literal): boolean {
  let known = simplicity.get(literal);
  if (known === undefined) {
    const { exact, value } = literal;
    const limit = 10n ** BigInt(DIGITS);
    known =
      value !== undefined &&
      (exact.kind === 'rational' ? exact.value.numerator < limit && exact.value.denominator < limit : exact.size < 40);
    simplicity.set(literal, known);
  }
  return known;
}
