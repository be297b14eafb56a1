/** Equivalent forms in which the mechanism of a robot may be written, and the search for the one in which a function costs least. */
import { frameTreeOf, parallelFrames, type FrameTree } from './mechanism/frame-tree.ts';
import { lump, type LumpedInertia } from './mechanism/lump.ts';
import type { Mechanism } from './mechanism/mechanism.ts';
import { normalForm, type OriginChoice } from './mechanism/normal-form.ts';
import type { Names } from './functions/trace.ts';

/** A way to write the mechanism. */
export interface Form {
  readonly origins: OriginChoice | 'given';
  readonly lumped: LumpedInertia | 'none';
  /** Frames that keep the axes from before their joint (see `frameTreeOf`). */
  readonly unturned: ReadonlySet<number>;
}

/** The mechanism as it is. */
export const GIVEN: Form = { origins: 'given', lumped: 'none', unturned: new Set() };

/** What the search asks about a function in a form. */
export interface Trial<Traced> {
  readonly trace: (form: Form, names: Names) => Traced;
  readonly count: (traced: Traced, accuracy: 'estimate' | 'exact') => number;
  /** How bodies may be lumped; nothing where the function does not know how frames are written. */
  readonly lumped: LumpedInertia | undefined;
  /** Improves the best form by turning frames one at a time. */
  readonly turns: boolean;
}

interface Candidate<Traced> {
  readonly form: Form;
  readonly traced: Traced;
  readonly names: Names;
  readonly cost: number;
}

/** Rotating frames up to which single frames are tried both ways. */
const MOST_SEARCHED = 12;
/** Forms whose code is optimised before one is chosen: so many, while their estimates stay below so many operations. */
const FINALISTS = 4;
const FINALIST_OPERATIONS = 3000;

export class FormSearch {
  private readonly mechanism: Mechanism;
  private readonly checkpoint: () => void;
  private readonly mechanisms = new Map<string, Mechanism>();
  private readonly trees = new Map<string, FrameTree>();

  constructor(mechanism: Mechanism, checkpoint: () => void) {
    this.mechanism = mechanism;
    this.checkpoint = checkpoint;
  }

  tree(form: Form): FrameTree {
    const found = this.trees.get(keyOf(form));
    if (found) return found;
    const tree = frameTreeOf(this.written(form), form.unturned, this.checkpoint);
    this.trees.set(keyOf(form), tree);
    return tree;
  }

  /**
   * The forms that usually win, the best of them improved by turning frames one at a time; the last word is exact.
   * @param names of values, to which those of the best form are added.
   */
  cheapest<Traced>({ trace, count, lumped, turns }: Trial<Traced>, names: Names): { form: Form; traced: Traced } {
    const starting = this.startingForms(lumped);
    if (starting.length === 1) return { form: starting[0]!, traced: trace(starting[0]!, names) };
    const candidates = new Map<string, Candidate<Traced>>();
    const attempt = (form: Form): void => {
      const key = keyOf(form);
      if (candidates.has(key)) return;
      const own: Names = new Map();
      const traced = trace(form, own);
      candidates.set(key, { form, traced, names: own, cost: count(traced, 'estimate') });
    };
    const ranked = (): Candidate<Traced>[] => [...candidates.values()].sort((a, b) => a.cost - b.cost);
    starting.forEach(attempt);
    const turning = this.turningFrames();
    const isSearched = turns && turning.length <= MOST_SEARCHED;
    for (let best: Candidate<Traced> | undefined; isSearched && best !== ranked()[0];) {
      best = ranked()[0]!;
      for (const frame of turning) attempt(flipped(best.form, frame));
    }
    const finalists = withinBudget(ranked());
    const costs = finalists.length > 1 ? finalists.map(({ traced }) => count(traced, 'exact')) : [0];
    const best = finalists[costs.indexOf(Math.min(...costs))]!;
    for (const [e, proposed] of best.names) if (!names.has(e)) names.set(e, proposed);
    return best;
  }

  private turningFrames(): number[] {
    const { frames } = this.mechanism;
    return frames.map((_, i) => i).filter((i) => frames[i]!.motion.kind === 'rotation');
  }

  private startingForms(lumped: LumpedInertia | undefined): Form[] {
    const { frames } = this.mechanism;
    const turning = this.turningFrames();
    if (!lumped || (turning.length === 0 && !frames.some((f) => f.motion.kind === 'translation'))) return [GIVEN];
    const forms: Form[] = [GIVEN];
    for (const origins of ['given', 'before', 'after'] as const) {
      forms.push({ origins, lumped, unturned: new Set() });
      const parallel = parallelFrames(this.written({ origins, lumped }));
      const last = turning.filter((i) => !frames.some((f) => f.parent === i));
      for (const unturned of [parallel, new Set(last), new Set([...parallel, ...last])])
        if (unturned.size > 0) forms.push({ origins, lumped, unturned });
    }
    return forms;
  }

  private written({ origins, lumped }: Omit<Form, 'unturned'>): Mechanism {
    const key = `${origins} ${lumped}`;
    const found = this.mechanisms.get(key);
    if (found) return found;
    let mechanism = this.mechanism;
    if (origins !== 'given') mechanism = normalForm(mechanism, origins);
    if (lumped !== 'none') mechanism = lump(mechanism, lumped);
    this.mechanisms.set(key, mechanism);
    return mechanism;
  }
}

function withinBudget<Traced>(ranked: readonly Candidate<Traced>[]): readonly Candidate<Traced>[] {
  let total = 0;
  return ranked.slice(0, FINALISTS).filter(({ cost }, i) => (total += cost) <= FINALIST_OPERATIONS || i === 0);
}

function keyOf({ origins, lumped, unturned }: Form): string {
  return `${origins} ${lumped} ${[...unturned].sort((a, b) => a - b).join(',')}`;
}

function flipped(form: Form, frame: number): Form {
  const unturned = new Set(form.unturned);
  if (!unturned.delete(frame)) unturned.add(frame);
  return { ...form, unturned };
}
