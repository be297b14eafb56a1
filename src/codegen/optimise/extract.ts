/**
 * Shared values extracted one after another, always the one that saves most operations now; counts are taken afresh
 * after every extraction. Greedy two-term extraction as in the synthesis of logic circuits (Rajski and Vasudevamurthy
 * 1992, "fast extract"), over sums and products of real numbers.
 */
import { PriorityQueue } from '../../common/priority-queue.ts';
import type { Candidate, CandidateSource } from './candidate.ts';
import { Flattener } from './flatten.ts';
import type { Form } from './form.ts';
import { PartialSums } from './partial-sums.ts';
import { ProductPairs } from './product-pairs.ts';

/** How candidates of equal saving are ordered: smaller first. */
export type Preference = (candidate: Candidate) => number;

interface Entry {
  readonly candidate: Candidate;
  readonly saving: number;
  readonly preference: number;
}

export function extract(form: Form, preference: Preference = () => 0): void {
  new Extraction(form, [new ProductPairs(form), new PartialSums(form)], preference).run();
}

export class Extraction {
  private readonly form: Form;
  private readonly sources: readonly CandidateSource[];
  private readonly preference: Preference;
  private readonly queue = new PriorityQueue(precedes);
  private readonly changed = new Set<Candidate>();

  constructor(form: Form, sources: readonly CandidateSource[], preference: Preference) {
    this.form = form;
    this.sources = sources;
    this.preference = preference;
  }

  run(): void {
    const note = (candidate: Candidate): void => void this.changed.add(candidate);
    this.form.onTerm = (term) => this.sources.forEach((source) => source.add(term, note));
    for (const node of this.form.sorted())
      if (node.kind === 'sum') for (const term of node.terms.values()) this.form.onTerm(term);
    const flattener = new Flattener(this.form, false);
    for (;;) {
      this.enqueueChanged();
      const entry = this.queue.pop();
      if (!entry) break;
      const { candidate } = entry;
      if (candidate.queued === entry.saving) candidate.queued = 0;
      const saving = candidate.saving();
      if (saving < entry.saving) {
        this.enqueue(candidate, saving);
        continue;
      }
      for (const node of candidate.apply()) flattener.visit(node);
    }
    this.form.onTerm = () => undefined;
  }

  private enqueueChanged(): void {
    for (const candidate of this.changed) this.enqueue(candidate, candidate.bound());
    this.changed.clear();
  }

  /** Unless the queue has it for as much. @param saving no less than what the candidate saves. */
  private enqueue(candidate: Candidate, saving: number): void {
    if (saving <= candidate.queued) return;
    candidate.queued = saving;
    this.queue.push({ candidate, saving, preference: this.preference(candidate) });
  }
}

/** Largest saving first, then preference, then order of discovery. */
function precedes(a: Entry, b: Entry): boolean {
  if (a.saving !== b.saving) return a.saving > b.saving;
  if (a.preference !== b.preference) return a.preference < b.preference;
  if (a.candidate.kind !== b.candidate.kind) return a.candidate.kind < b.candidate.kind;
  return a.candidate.serial < b.candidate.serial;
}
