/**
 * Values that several terms could share: what the passes propose and the extraction chooses from.
 */
import type { Form, FormNode, Term } from './form.ts';

export interface Candidate {
  /** Order of discovery. */
  readonly serial: number;
  /** Products and coefficients, or partial sums. */
  readonly kind: 'product' | 'sum';
  /** The most that the queue has it for; zero: it is not there. */
  queued: number;
  /** Operations that forming the value once would save now. */
  saving(): number;
  /** No less than that, found without looking at every place. */
  bound(): number;
  /** Forms the value and replaces it in all terms. Returns nodes whose use has changed. */
  apply(): Iterable<FormNode>;
}

/** Where candidates come from: told of every new term, calls `found` for each candidate that it concerns. */
export interface CandidateSource {
  add(term: Term, found: (candidate: Candidate) => void): void;
}

/** Takes the place of `term`: coefficient ± literal · factors. Adds what may have changed to `touched`. */
export function replaceTerm(
  form: Form,
  term: Term,
  by: { readonly negative: boolean; readonly literal: Term['literal']; readonly factors: readonly FormNode[] },
  touched: Set<FormNode>,
): void {
  form.removeTerm(term);
  for (const factor of term.factors) touched.add(factor);
  form.addTerm(term.owner, { negative: by.negative, literal: by.literal }, by.factors);
  touched.add(term.owner);
}

/** `factors` without those of `removed`, each as often as it occurs there. */
export function without(factors: readonly FormNode[], removed: readonly FormNode[]): FormNode[] {
  const rest = [...factors];
  for (const factor of removed) rest.splice(rest.indexOf(factor), 1);
  return rest;
}
