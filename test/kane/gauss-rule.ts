/** A Gauss product rule over a rod with a disc section, made here so that tests do not depend on how rules are chosen. */
import { cos, decimal, one, pi, sin, sqrt, symbol, times, type Expr } from '../../src/symbolic/expr.ts';
import type { PointRule } from '../../src/integration/point-rule.ts';
import { L, R, rho, s, x, y } from './bodies.ts';

/** Nodes and weights of Gauss–Legendre quadrature on (0, 1), by Newton's method on the Legendre polynomial. */
function gaussLegendre(order: number): { node: number; weight: number }[] {
  return Array.from({ length: order }, (_, i) => {
    let t = Math.cos((Math.PI * (i + 0.75)) / (order + 0.5));
    let slope = 1;
    for (let step = 0; step < 100; step++) {
      let [previous, current] = [1, t];
      for (let k = 2; k <= order; k++)
        [previous, current] = [current, ((2 * k - 1) * t * current - (k - 1) * previous) / k];
      slope = (order * (t * current - previous)) / (t * t - 1);
      t -= current / slope;
    }
    return { node: (1 - t) / 2, weight: 1 / ((1 - t * t) * slope * slope) };
  });
}

const [u, v, phi, w] = ['u', 'v', 'phi', 'w'].map((name) => symbol(`gauss.${name}`)) as [
  ReturnType<typeof symbol>,
  ReturnType<typeof symbol>,
  ReturnType<typeof symbol>,
  ReturnType<typeof symbol>,
];

/** s = L u, radius R √v: weights of area are those of v. */
export function discRule(along: number, radial: number, around: number, radius: Expr = R): PointRule {
  const rows = gaussLegendre(along).flatMap((axial) =>
    gaussLegendre(radial).flatMap((section) =>
      Array.from({ length: around }, (_, k) => [
        axial.node,
        section.node,
        (2 * Math.PI * (k + 0.5)) / around,
        (axial.weight * section.weight) / around,
      ]),
    ),
  );
  const r = times(radius, sqrt(v));
  return {
    description: 'Gauss product rule',
    rows: rows.length,
    columns: [u, v, phi, w].map((column, i) => ({ symbol: column, values: rows.map((row) => row[i]!) })),
    material: new Map([
      [s, times(L, u)],
      [x, times(r, cos(phi))],
      [y, times(r, sin(phi))],
    ]),
    mass: times(w, rho, L, pi, radius, radius, one, decimal(1)),
  };
}
