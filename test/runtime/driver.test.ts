/** What decides the status of a call. */
import { describe, expect, it } from 'vitest';
import { areFinite, finished, KG_OK, KG_UNDEFINED, mark } from '../../src/runtime/driver.ts';

describe('the status of numbers', () => {
  it('is decided by the first so many of them', () => {
    expect(areFinite([1, -2, Number.MAX_VALUE], 3)).toBe(true);
    for (const bad of [NaN, Infinity, -Infinity]) {
      expect(areFinite([1, bad, 2], 3)).toBe(false);
      expect(areFinite([bad, 1, 2], 1)).toBe(false);
      expect(areFinite([1, 2, bad], 2)).toBe(true);
    }
    expect(areFinite(null, 3)).toBe(true);
    expect(areFinite([], 0)).toBe(true);
  });

  it('leaves numbers alone where all are finite, and marks all of them where one is not', () => {
    const good = Float64Array.of(1, 2, NaN);
    expect(finished(good, 2)).toBe(KG_OK);
    expect([...good]).toEqual([1, 2, NaN]);
    const bad = Float64Array.of(1, Infinity, 3);
    expect(finished(bad, 2)).toBe(KG_UNDEFINED);
    expect([...bad]).toEqual([NaN, NaN, 3]);
  });

  it('marks nothing where there is nothing', () => {
    expect(() => mark(null, 3)).not.toThrow();
  });
});
