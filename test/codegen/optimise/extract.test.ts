/** Shared values extracted one after another, the one that saves most first. */
import { describe, expect, it } from 'vitest';
import type { Candidate, CandidateSource } from '../../../src/codegen/optimise/candidate.ts';
import { replaceTerm, without } from '../../../src/codegen/optimise/candidate.ts';
import { Extraction, extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { integer, plus, times, negate } from '../../../src/symbolic/graph/expr.ts';
import { a, b, c, costAfter, d, formAfter, formOf } from './evaluate-form.ts';

describe('extraction', () => {
  it('takes what saves most first: a·b·c is better shared by a·b than by b·c', () => {
    expect(costAfter([times(a, b, c), times(a, b, d), times(a, b, b), times(b, c, d)], extract)).toBe(6);
  });

  it('counts afresh after every extraction', () => {
    const roots = [times(a, b, c), times(a, b, c, d), plus(times(a, b), c), plus(times(a, b), c, d)];
    expect(costAfter(roots, flatten, extract)).toBe(5);
  });

  it('tells nobody of new terms when it is done', () => {
    const form = formAfter([plus(times(a, b), times(a, c))], flatten, extract);
    let told = 0;
    const before = form.onTerm;
    form.addTerm(form.newSum(), { negative: false, literal: form.literals.one }, []);
    expect(form.onTerm).toBe(before);
    form.onTerm = () => void (told += 1);
    form.addTerm(form.newSum(), { negative: true, literal: form.literals.one }, []);
    expect(told).toBe(1);
  });

  /** Candidates that only say what they would save, and note the order in which they are taken. */
  function orderOf(
    list: readonly (Partial<Candidate> & { readonly saves: readonly number[] })[],
    preference: (candidate: Candidate) => number = () => 0,
  ): number[] {
    const taken: number[] = [];
    const source: CandidateSource = {
      add(_, found) {
        list.forEach(({ saves, kind = 'product' }, serial) => {
          let asked = 0;
          const next = (): number => (taken.includes(serial) ? 0 : saves[Math.min(asked++, saves.length - 1)]!);
          found({
            serial,
            kind,
            queued: 0,
            bound: next,
            saving: next,
            apply: () => {
              taken.push(serial);
              return [];
            },
          });
        });
      },
    };
    const form = formOf(plus(a, b));
    form.roots[0]!.node.kind satisfies 'sum' | 'atom';
    new Extraction(form, [once(source)], preference).run();
    return taken;
  }

  /** Told of the first term only. */
  function once(source: CandidateSource): CandidateSource {
    let isTold = false;
    return {
      add(term, found) {
        if (!isTold) source.add(term, found);
        isTold = true;
      },
    };
  }

  const saving = (...saves: number[]): { saves: number[] } => ({ saves });

  it('goes by the saving, whatever the order of discovery', () => {
    expect(orderOf([3, 9, 1, 7, 5, 8, 2, 6, 4].map((s) => saving(s)))).toEqual([1, 5, 3, 7, 4, 8, 0, 6, 2]);
    expect(orderOf([1, 2, 3, 4, 5, 6, 7].map((s) => saving(s)))).toEqual([6, 5, 4, 3, 2, 1, 0]);
  });

  it('leaves what saves nothing', () => {
    expect(orderOf([saving(0), saving(2), saving(-1), saving(1)])).toEqual([1, 3]);
  });

  it('puts a candidate back whose saving has become smaller, and drops it at nothing', () => {
    expect(orderOf([saving(9, 2, 2), saving(5), saving(3)])).toEqual([1, 2, 0]);
    expect(orderOf([saving(9, 0), saving(5)])).toEqual([1]);
  });

  it('decides ties by preference, then products before sums, then the order of discovery', () => {
    expect(orderOf([saving(4), saving(4), saving(4)])).toEqual([0, 1, 2]);
    expect(orderOf([saving(4), saving(4), saving(4)], (candidate) => -candidate.serial)).toEqual([2, 1, 0]);
    expect(orderOf([{ ...saving(4), kind: 'sum' }, saving(4), { ...saving(4), kind: 'sum' }])).toEqual([1, 0, 2]);
    const sums = [{ ...saving(4), kind: 'sum' as const }, saving(4)];
    expect(orderOf(sums, (candidate) => candidate.serial)).toEqual([0, 1]);
  });
});

describe('candidates', () => {
  it('take factors away as often as they are named', () => {
    const form = formOf(times(a, a, b));
    const [x, y] = form.sorted();
    expect(without([x!, x!, y!], [x!])).toEqual([x, y]);
    expect(without([x!, x!, y!], [x!, y!])).toEqual([x]);
    expect(without([x!, y!], [])).toEqual([x, y]);
  });

  it('say which values a replaced term concerned', () => {
    const roots = [plus(times(integer(3), a, b), c)];
    const form = formAfter(roots);
    const root = form.roots[0]!.node;
    if (root.kind !== 'sum') throw new Error('a sum expected');
    const term = [...root.terms.values()].find((t) => t.factors.length === 2 || t.literal !== form.literals.one)!;
    const touched = new Set([...term.factors].slice(0, 0));
    const { factors, literal, negative } = term;
    replaceTerm(form, term, { negative: !negative, literal, factors }, touched);
    expect([...touched]).toEqual(expect.arrayContaining([...factors, root]));
    expect(term.isAlive).toBe(false);
    formAfter([negate(a)]);
  });
});
