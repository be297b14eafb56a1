/**
 * What a rotation leaves unchanged: sin² + cos² = 1, and x² + y² = a² + b² when (x, y) is (a, b) turned by an angle. The
 * squares on the right are known already wherever a recursion walks along a chain of joints.
 */
import { without } from './candidate.ts';
import type { Form, FormNode, SumNode, Term } from './form.ts';
import type { Literal } from '../operations/literal.ts';

/** Replaces sums of squares that a rotation does not change. */
export function mergeTrigonometric(form: Form): void {
  for (const node of form.sorted()) if (node.kind === 'sum') while (mergeOnce(form, node));
}

function mergeOnce(form: Form, node: SumNode): boolean {
  const terms = [...node.terms.values()].filter((term) => squaresIn(term).length > 0);
  for (const [j, second] of terms.entries())
    for (const first of terms.slice(0, j))
      for (const x of squaresIn(first))
        for (const y of squaresIn(second)) if (x !== y && mergePair(form, first, second, x, y)) return true;
  return false;
}

/** Factors that occur twice. */
function squaresIn({ factors }: Term): FormNode[] {
  return factors.filter((factor, i) => factors[i + 1] === factor && factors[i - 1] !== factor);
}

function mergePair(form: Form, first: Term, second: Term, x: FormNode, y: FormNode): boolean {
  const common = without(first.factors, [x, x]);
  const others = without(second.factors, [y, y]);
  if (common.length !== others.length || common.some((factor, i) => factor !== others[i])) return false;
  const isSineAndCosine = angleOf(x, 'sin') !== undefined && angleOf(x, 'sin') === angleOf(y, 'cos');
  if (isSineAndCosine || (angleOf(y, 'sin') !== undefined && angleOf(y, 'sin') === angleOf(x, 'cos')))
    return mergeSineAndCosine(form, first, second, common);
  if (first.literal !== second.literal || first.negative !== second.negative) return false;
  if (x.kind !== 'sum' || y.kind !== 'sum') return false;
  const turned = rotatedFrom(x, y);
  if (!turned) return false;
  form.removeTerm(first);
  form.removeTerm(second);
  for (const { literal, factors } of turned) {
    const square = form.literals.multiply(literal, literal);
    const coefficient = form.scaled(first, square);
    form.addTerm(first.owner, coefficient, [...common, ...factors, ...factors]);
  }
  return true;
}

/** L sin² + M cos² = L + (M − L) cos² */
function mergeSineAndCosine(form: Form, first: Term, second: Term, common: readonly FormNode[]): boolean {
  const difference = form.literals.add(second, { negative: !first.negative, literal: first.literal });
  form.removeTerm(first);
  form.removeTerm(second);
  form.addTerm(first.owner, first, common);
  if (difference) form.addTerm(first.owner, difference, second.factors);
  return true;
}

/** The rest of a term when its sine or cosine is taken out. */
interface Part {
  readonly term: Term;
  /** Also when the angle has a sign: sin(−x) = −sin x. */
  readonly negative: boolean;
  readonly literal: Literal;
  readonly factors: readonly FormNode[];
}

/** A and B when x = ± cos·A ± sin·B and y = ± cos·B ± sin·A are (A, B) turned by one angle. */
function rotatedFrom(x: SumNode, y: SumNode): readonly Part[] | undefined {
  if (x.terms.size !== 2 || y.terms.size !== 2) return undefined;
  for (const angle of anglesIn(x)) {
    const [a, b] = [part(x, 'cos', angle), part(x, 'sin', angle)];
    const [c, d] = [part(y, 'cos', angle), part(y, 'sin', angle)];
    if (!a || !b || !c || !d || a.term === b.term || c.term === d.term) continue;
    const isTurned = (a.negative !== b.negative) !== (c.negative !== d.negative);
    if (isTurned && isSame(a, d) && isSame(b, c)) return [a, b];
  }
  return undefined;
}

function anglesIn(node: SumNode): Set<FormNode> {
  const angles = new Set<FormNode>();
  for (const { factors } of node.terms.values())
    for (const factor of factors) {
      const angle = angleOf(factor, 'sin');
      if (angle) angles.add(angle);
    }
  return angles;
}

/** The one term of the node that has the sine or cosine of the angle as a factor, without it. */
function part(node: SumNode, name: 'sin' | 'cos', angle: FormNode): Part | undefined {
  const found: Part[] = [];
  for (const term of node.terms.values()) {
    const factor = term.factors.find((candidate) => angleOf(candidate, name) === angle);
    if (!factor) continue;
    const isTurnedBack = name === 'sin' && factor.kind === 'atom' && factor.operands[0]!.negative;
    const negative = term.negative !== isTurnedBack;
    found.push({ term, negative, literal: term.literal, factors: without(term.factors, [factor]) });
  }
  return found.length === 1 ? found[0] : undefined;
}

function isSame(a: Part, b: Part): boolean {
  return (
    a.literal === b.literal && a.factors.length === b.factors.length && a.factors.every((f, i) => f === b.factors[i])
  );
}

/** The angle of a sine (or cosine) without its sign, undefined for anything else. */
function angleOf(node: FormNode, name: 'sin' | 'cos'): FormNode | undefined {
  if (node.kind !== 'atom' || node.special) return undefined;
  const { expression } = node;
  return expression.kind === 'call' && expression.name === name ? node.operands[0]!.node : undefined;
}
