/** What every form must be after every pass, whatever the pass: the links between its nodes are kept twice and must agree. */
import type { Form, FormNode, Reference, Term } from '../../../src/codegen/optimise/form.ts';

/** @throws Error that names the first thing found wrong. */
export function checkForm(form: Form): void {
  const reached = form.sorted();
  const placed = new Set<FormNode>();
  for (const node of reached) {
    for (const operand of operandsOf(node)) require(placed.has(operand), `node ${node.id} comes before its operand`);
    placed.add(node);
  }
  require(new Set(reached.map((node) => node.id)).size === reached.length, 'two nodes have the same id');
  const all = allNodes(form);
  require(reached.every((node) => all[node.id] === node), 'an id is not the place of its node');
  checkTerms(form, all);
  checkReferences(form, all);
}

function require(isTrue: boolean, complaint: string): void {
  if (!isTrue) throw new Error(complaint);
}

function operandsOf(node: FormNode): FormNode[] {
  if (node.kind === 'atom') return node.operands.map((operand) => operand.node);
  return [...node.terms.values()].flatMap((term) => [...term.factors]);
}

/** Also those that nothing needs any more. */
function allNodes(form: Form): readonly FormNode[] {
  return (form as unknown as { nodes: readonly FormNode[] }).nodes;
}

/** Terms stand under their factors, sorted; their factors know them, and nobody else. */
function checkTerms(form: Form, all: readonly FormNode[]): void {
  const users = new Map<FormNode, Set<Term>>(all.map((node) => [node, new Set()]));
  for (const node of all) {
    if (node.kind !== 'sum') continue;
    for (const [key, term] of node.terms) {
      const { factors, literal, owner, isAlive } = term;
      require(isAlive && owner === node, `a term of node ${node.id} is dead or belongs to another`);
      require(key === factors.map((factor) => factor.id).join(' '), `a term of node ${node.id} has a wrong key`);
      factors.forEach((factor, i) => require(i === 0 || factors[i - 1]!.id <= factor.id, 'factors are not sorted'));
      for (const factor of factors) users.get(factor)!.add(term);
      const { value } = literal;
      require(value === undefined || (value > 0 && Number.isFinite(value)), `coefficient ${value}`);
      require(value !== 1 || literal === form.literals.one, 'one is not the literal one');
    }
  }
  for (const [node, expected] of users) {
    const isSame = node.users.size === expected.size && [...expected].every((term) => node.users.has(term));
    require(isSame, `node ${node.id} is told of ${node.users.size} users and has ${expected.size}`);
  }
}

/** Pins are the roots and the operands of atoms. */
function checkReferences(form: Form, all: readonly FormNode[]): void {
  const references: Reference[] = [...form.roots, ...all.flatMap((n) => (n.kind === 'atom' ? [...n.operands] : []))];
  const pins = new Map<FormNode, number>();
  for (const { node } of references) pins.set(node, (pins.get(node) ?? 0) + 1);
  for (const node of all) {
    const expected = pins.get(node) ?? 0;
    require(node.pins === expected, `node ${node.id} has ${node.pins} pins and ${expected} references`);
  }
}
