/**
 * Expressions gathered into a form: sums of products over atoms, coefficients folded, nothing rewritten yet.
 */
import { children, power, rational, times, type Expr, type Factor } from '../../symbolic/graph/expr.ts';
import { HALF, MINUS_ONE, ONE, Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import { withoutQuarterTurns } from './quarter-turns.ts';
import { Form, type FormNode, type SumNode } from './form.ts';
import { LiteralTable } from '../operations/literal.ts';

/** Powers beyond this are formed by repeated squaring at once, without a look at what they share. */
const LARGEST_POWER = 64n;

export interface Gathered {
  readonly form: Form;
  /** Where the expressions went; those that are coefficients only are missing. */
  readonly nodes: ReadonlyMap<Expr, FormNode>;
}

/**
 * @param isFree symbols that are known before everything else: what is made of them alone becomes coefficients.
 */
export function gather(roots: readonly Expr[], isFree: (symbol: Expr) => boolean): Gathered {
  return new Gatherer(isFree).gather(roots);
}

class Gatherer {
  private readonly coefficients = new Set<Expr>();
  private readonly numbers = new Set<Expr>();
  private readonly nodes = new Map<Expr, FormNode>();
  private readonly inverses = new Map<FormNode, FormNode>();
  private readonly powers = new Map<string, FormNode>();
  private readonly form = new Form(new LiteralTable((e) => this.isNumber(e)));
  private readonly isFree: (symbol: Expr) => boolean;

  constructor(isFree: (symbol: Expr) => boolean) {
    this.isFree = isFree;
  }

  gather(roots: readonly Expr[]): Gathered {
    this.take(roots);
    for (const root of roots) this.form.addRoot({ node: this.node(root), negative: false });
    return { form: this.form, nodes: this.nodes };
  }

  private take(roots: readonly Expr[]): void {
    for (const e of postorder(roots)) {
      if (this.nodes.has(e)) continue;
      this.classify(e);
      if (!this.coefficients.has(e)) this.nodes.set(e, this.build(e));
    }
  }

  private classify(e: Expr): void {
    const operands = children(e);
    const isLeaf = operands.length === 0;
    if (isLeaf ? e.kind !== 'symbol' : operands.every((o) => this.numbers.has(o))) this.numbers.add(e);
    const isCoefficient = isLeaf
      ? e.kind !== 'symbol' || this.isFree(e)
      : operands.every((o) => this.coefficients.has(o));
    if (isCoefficient) this.coefficients.add(e);
  }

  /** Also of expressions that were made from coefficients after all were classified. */
  private isNumber(e: Expr): boolean {
    if (!this.numbers.has(e) && postorder([e]).every((node) => node.kind !== 'symbol')) this.numbers.add(e);
    return this.numbers.has(e);
  }

  /** A coefficient that stands where a value is wanted becomes a term without factors. */
  private node(e: Expr): FormNode {
    let node = this.nodes.get(e);
    if (node) return node;
    if (e.kind === 'compare' || e.kind === 'logic') node = this.build(e);
    else {
      node = this.form.newSum();
      this.addTerm(node, e, []);
    }
    this.nodes.set(e, node);
    return node;
  }

  private build(e: Expr): FormNode {
    if (e.kind !== 'sum' && e.kind !== 'product') {
      const unturned = withoutQuarterTurns(e);
      if (unturned !== e) {
        this.take([unturned]);
        return this.node(unturned);
      }
      const operands = children(e).map((o) => ({ node: this.node(o), negative: false }));
      return this.form.newAtom(e, undefined, operands);
    }
    const node = this.form.newSum();
    if (e.kind === 'product') this.addTerm(node, rational(e.coefficient), e.factors);
    else {
      this.addTerm(node, rational(e.constant), []);
      for (const { coefficient, term } of e.terms)
        this.addTerm(node, rational(coefficient), [{ base: term, exponent: ONE }]);
    }
    return node;
  }

  /** ± coefficient · Π factors. */
  private addTerm(sum: SumNode, coefficient: Expr, factors: readonly Factor[]): void {
    let exact = coefficient;
    const nodes: FormNode[] = [];
    for (const { base, exponent } of factors)
      if (this.coefficients.has(base)) exact = times(exact, power(base, exponent));
      else nodes.push(...this.raised(this.node(base), exponent));
    const literal = this.form.literals.of(exact);
    if (literal) this.form.addTerm(sum, literal, nodes);
  }

  /** base^exponent as repeated factors. */
  private raised(base: FormNode, exponent: Rational): FormNode[] {
    const { numerator, denominator } = Rational.absolute(exponent);
    const isChain = denominator <= 2n && numerator <= LARGEST_POWER;
    let factor = base;
    if (!isChain) factor = this.power(base, Rational.absolute(exponent));
    else if (denominator === 2n) factor = this.power(base, HALF);
    if (Rational.isNegative(exponent)) factor = this.inverse(factor);
    return Array.from({ length: isChain ? Number(numerator) : 1 }, () => factor);
  }

  private inverse(base: FormNode): FormNode {
    let inverse = this.inverses.get(base);
    if (!inverse) {
      inverse = this.form.newAtom(rational(MINUS_ONE), 'reciprocal', [{ node: base, negative: false }]);
      this.inverses.set(base, inverse);
    }
    return inverse;
  }

  private power(base: FormNode, exponent: Rational): FormNode {
    const key = `${base.id}^${Rational.toString(exponent)}`;
    let node = this.powers.get(key);
    if (!node) {
      const special = Rational.equals(exponent, HALF) ? 'root' : 'power';
      node = this.form.newAtom(rational(exponent), special, [{ node: base, negative: false }]);
      this.powers.set(key, node);
    }
    return node;
  }
}
