/** Rules on a tetrahedron against the exact integrals of monomials, ∫ x^a y^b z^c dV = a! b! c! / (a+b+c+3)!. */
import { describe, expect, it } from 'vitest';
import { TETRAHEDRON_DEGREES, tetrahedronRule } from '../../src/integration/rules/tetrahedron-rules.ts';

function factorial(n: number): number {
  return n < 2 ? 1 : n * factorial(n - 1);
}

/** Largest relative error over all monomials of a total degree, on the unit tetrahedron. */
function worstError(rule: ReturnType<typeof tetrahedronRule>, degree: number): number {
  const powers = rule.points.map(({ shares }) =>
    shares.map((share) => Array.from({ length: degree + 1 }, (_, k) => share ** k)),
  );
  let worst = 0;
  for (let a = 0; a <= degree; a++)
    for (let b = 0; a + b <= degree; b++) {
      const c = degree - a - b;
      const exact = (factorial(a) * factorial(b) * factorial(c)) / factorial(degree + 3);
      let sum = 0;
      rule.points.forEach(({ weight }, i) => {
        const [x, y, z] = powers[i]!;
        sum += (weight / 6) * x![a]! * y![b]! * z![c]!;
      });
      worst = Math.max(worst, Math.abs(sum / exact - 1));
    }
  return worst;
}

describe('rules on a tetrahedron', () => {
  it.each(TETRAHEDRON_DEGREES)('integrate all monomials up to degree %i, and not all of the next degree', (degree) => {
    const rule = tetrahedronRule(degree);
    expect(rule.degree).toBe(degree);
    for (let d = 0; d <= degree; d++) expect(worstError(rule, d)).toBeLessThan(1e-14);
    if (degree < 12) expect(worstError(rule, degree + 1)).toBeGreaterThan(1e-9);
  });

  it.each(TETRAHEDRON_DEGREES)('of degree %i have positive weights and points inside', (degree) => {
    for (const { weight, shares } of tetrahedronRule(degree).points) {
      expect(weight).toBeGreaterThan(0);
      for (const share of [...shares, 1 - shares[0] - shares[1] - shares[2]]) expect(share).toBeGreaterThan(0);
    }
  });

  it('are the smallest of at least the degree asked for', () => {
    expect([1, 2, 3, 5, 6, 7, 8].map((d) => tetrahedronRule(d).points.length)).toEqual([4, 4, 14, 14, 24, 80, 150]);
  });
});
