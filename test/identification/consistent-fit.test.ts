/** Physical values: against closed forms of the nearest pseudo-inertia, at bounds, and from far away. No robot is compiled. */
import { EigenvalueDecomposition } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { consistentFit } from '../../src/identification/consistent-fit.ts';
import { INERTIAL, type IdentifiedParameter } from '../../src/identification/parameters.ts';
import { symbol } from '../../src/symbolic/graph/expr.ts';
import { pseudoInertia } from '../../src/identification/pseudo-inertia.ts';

/** m, m c and inertia about the origin of a brick without symmetry. */
const BRICK = [2, 0.6, -0.4, 0.2, 0.5, 0.7, 0.6, 0.1, -0.05, 0.02];
/** Sizes that differ by kind, as those of a robot do. */
const body = (ten: readonly number[]): IdentifiedParameter[] =>
  ten.map((value, i) => ({
    name: INERTIAL[i]!,
    unit: '',
    value,
    size: [3, 0.8, 0.8, 0.8, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9][i]!,
    lower: -Infinity,
    upper: Infinity,
    key: INERTIAL[i]!,
    symbol: symbol(INERTIAL[i]!),
    link: 0,
  }));
const damper = (value: number): IdentifiedParameter => ({
  ...body(BRICK)[0]!,
  name: 'd',
  value,
  size: 5,
  lower: 0,
  link: undefined as never,
});

/** Forces tell one parameter by itself: `value`, within 1 / `weight` of its size. */
function told(index: number, value: number, parameters: readonly IdentifiedParameter[], weight = 1e6, steps?: number) {
  const without = parameters.map((_, i) => i).filter((i) => i !== index);
  const structure = { base: [{ index, others: [] }], without, effects: [], forces: [] };
  return consistentFit([[weight, (weight * value) / parameters[index]!.size]], parameters, structure, steps);
}

function leastEigenvalue(ten: readonly number[]): number {
  return Math.min(...new EigenvalueDecomposition(pseudoInertia(ten), { assumeSymmetric: true }).realEigenvalues);
}

describe('physical values of a body', () => {
  it('stay those of the file where forces agree with them', () => {
    const { values, converged } = told(0, 2, body(BRICK));
    expect(converged).toBe(true);
    values.forEach((value, i) => expect(value).toBeCloseTo(BRICK[i]!, 6));
  });

  it.each([2.5, 20, 2e3])('of 2 kg that weighs %s kg have the mass that is added at the centre of mass', (mass) => {
    // min tr(J₀⁻¹ J) − log det J with one entry given: J⁻¹ differs from J₀⁻¹ in that entry only (Sherman & Morrison).
    const { values, converged } = told(0, mass, body(BRICK));
    expect(converged).toBe(true);
    const added = mass - 2;
    const [x, y, z] = [0.3, -0.2, 0.1];
    const point = [1, x, y, z, y * y + z * z, x * x + z * z, x * x + y * y, -x * y, -x * z, -y * z];
    values.forEach((value, i) => expect(Math.abs(value - BRICK[i]! - added * point[i]!)).toBeLessThan(1e-5 * mass));
  });

  it('whose mass would be negative are next to nothing, and positive', () => {
    const { values, converged } = told(0, -1, body(BRICK));
    expect(converged).toBe(true);
    expect(values[0]).toBeLessThan(1e-3);
    expect(leastEigenvalue(values)).toBeGreaterThan(0);
  });

  it('without extent in the file become bodies', () => {
    const { values, converged } = told(4, 0.3, body([1, 1, 0, 0, 0, 1, 1, 0, 0, 0]));
    expect(converged).toBe(true);
    expect(values[4]).toBeCloseTo(0.3, 4);
    expect(leastEigenvalue(values)).toBeGreaterThan(0);
  });

  it('are said not to be the best ones when the steps were too few', () => {
    const { values, converged } = told(0, 2e3, body(BRICK), 1e6, 5);
    expect(converged).toBe(false);
    expect(leastEigenvalue(values)).toBeGreaterThan(0);
  });
});

describe('parameters with bounds', () => {
  it.each([
    [3, 5, 3],
    [0, 5, 0],
    [-4, 5, 0],
    [700, 0, 700],
  ])('that are %s by the forces and %s is in the file: %s', (truth, inFile, expected) => {
    const { values, converged } = told(0, truth, [damper(inFile)]);
    expect(converged).toBe(true);
    expect(values[0]).toBeCloseTo(expected, 5);
    if (expected === 0 && truth < 0) expect(values[0]).toBe(0);
  });

  it('without any effect keep the value of the file', () => {
    const { values } = told(0, 3, [damper(5), damper(0), damper(8)]);
    expect(values[1]).toBe(0);
    expect(values[2]).toBeCloseTo(8, 6);
  });
});
