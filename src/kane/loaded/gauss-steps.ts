/** Collocation at Gauss–Legendre points: the method of Runge–Kutta type whose order is twice its number of points. */
import { gaussLegendre } from '../../integration/rules/gauss.ts';

/** Points c in (0, 1), weights b, and a_ij = ∫_0^{c_i} L_j with L_j the polynomials of Lagrange over the points. */
export interface Collocation {
  readonly points: readonly number[];
  readonly weights: readonly number[];
  readonly within: readonly (readonly number[])[];
}

export function collocation(count: number): Collocation {
  const { nodes, weights } = gaussLegendre(count);
  const lagrange = (j: number, x: number): number =>
    nodes.reduce((product, own, k) => (k === j ? product : (product * (x - own)) / (nodes[j]! - own)), 1);
  // A polynomial of degree count − 1, which the rule integrates exactly.
  const within = nodes.map((to) =>
    nodes.map((_, j) => nodes.reduce((sum, x, k) => sum + to * weights[k]! * lagrange(j, to * x), 0)),
  );
  return { points: nodes, weights, within };
}
