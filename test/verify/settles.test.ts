/** When sums along rods count as settled, and what rounding of zero is. */
import { describe, expect, it } from 'vitest';
import { settles, withoutRounding } from '../../src/verify/arithmetic/motion.ts';

describe('sums along rods settle', () => {
  it('on the scale of what they are', () => {
    expect(settles([1, 2, 3], [1 + 5e-12, 2, 3], 1)).toBe(true);
    expect(settles([1, 2, 3], [1 + 1e-10, 2, 3], 1)).toBe(false);
    expect(settles([1, 2, 3], [1, 2 + 1e-8, 3], 1)).toBe(false);
    expect(settles([1, 2, 3], [1, 2, 3 + 1e-7], 1)).toBe(false);
  });

  it('where terms cancel in a derivative, on that of the others', () => {
    expect(settles([1, 0, 1e-8], [1, 0, 2e-8], 10)).toBe(true);
    expect(settles([1, 0, 1e-8], [1, 0, 2e-6], 10)).toBe(false);
    expect(settles([0, 2, 1e-9], [0, 2, 2e-9], 1)).toBe(true);
    expect(settles([0, 2, 1e-9], [1e-10, 2, 1e-9], 1)).toBe(false);
  });

  it('at rest, and where there is nothing', () => {
    expect(settles([1, 0, 0], [1, 0, 0], 0)).toBe(true);
    expect(settles([1e-110, 0, 1e-80], [3e-110, 1e-95, 2e-79], 1)).toBe(true);
    expect(withoutRounding(1e-80)).toBe(0);
    expect(withoutRounding(-1e-30)).toBe(-1e-30);
  });
});
