/** Numbers of tuples, against a map with texts as keys. */
import { describe, expect, it } from 'vitest';
import { TupleNumbers } from '../../../src/codegen/optimise/tuple-numbers.ts';

describe('numbers of tuples', () => {
  it.each([2, 3] as const)('are those of their first use, however many there are: of %i numbers', (width) => {
    const numbers = new TupleNumbers(width, 2);
    const expected = new Map<string, number>();
    // Few different members: most tuples come again.
    for (let i = 0; i < 20000; i++) {
      const tuple = [(i * i) % 97, -1 + (i % 53), width > 2 ? (7 * i) % 11 : 0] as const;
      const key = tuple.join(' ');
      if (!expected.has(key)) expected.set(key, expected.size);
      expect(numbers.of(...tuple)).toBe(expected.get(key));
    }
    expect(numbers.size).toBe(expected.size);
  });

  it('tell the order of members', () => {
    const numbers = new TupleNumbers(3);
    expect([numbers.of(1, 2, 3), numbers.of(3, 2, 1), numbers.of(1, 2, 0), numbers.of(1, 2, 3)]).toEqual([0, 1, 2, 0]);
  });
});
