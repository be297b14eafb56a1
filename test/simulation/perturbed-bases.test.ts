/**
 * Global and local bases of a curvature when a coordinate is wrong (Mathew et al. 2024, section 3): at rest under a moment within, and under its weight, the second
 * of five coordinates grows by a fifth. Tips are compared with the integrated curves.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { load } from '../../src/api/load.ts';
import type { LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { gaussLegendre } from '../../src/integration/rules/gauss.ts';

const L = 0.3;
const beam = (basis: string): object => ({
  parameters: { L: `${L} m`, R: '15 mm', E: '1 MPa' },
  coordinates: { q: { count: 5, unit: 'rad', limits: ['-8 rad', '8 rad'] } },
  volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: '1000 kg/m^3' },
  strain: { 'bend-y': { basis, coordinates: 'q', scale: '1/L' } },
  material: { 'rod-elasticity': { E: 'E', nu: 0.5 } },
  integration: { points: 24 },
});
const description = {
  kanegen: 1,
  name: 'perturbed-bases',
  gravity: [0, 0, -9.81],
  base: { rpy: [0, '90 deg', 0] },
  'body-types': { legendre: beam('legendre'), quadratic: beam('quadratic') },
  links: [
    { name: 'legendre', parent: 'base', body: 'legendre' },
    { name: 'quadratic', parent: 'base', body: 'quadratic' },
  ],
  // Curvature times length 3 S rad, which both bases have exactly.
  actuators: { muscle: { field: { through: ['legendre', 'quadratic'], moment: { 'bend-y': '3*pi/4*E*R^4/L*S' } } } },
};

const LEGENDRE = [
  () => 1,
  (x: number) => x,
  (x: number) => (3 * x ** 2 - 1) / 2,
  (x: number) => (5 * x ** 3 - 3 * x) / 2,
  (x: number) => (35 * x ** 4 - 30 * x ** 2 + 3) / 8,
];
/** Curvature times length. */
const CURVATURES = {
  legendre: (q: readonly number[], X: number): number => LEGENDRE.reduce((sum, p, i) => sum + q[i]! * p(2 * X - 1), 0),
  quadratic: (q: readonly number[], X: number): number => {
    const element = X < 0.5 ? 0 : 1;
    const [a, b, c] = q.slice(2 * element) as [number, number, number];
    const t = 2 * X - element;
    return a * (1 - t) * (1 - 2 * t) + 4 * b * t * (1 - t) + c * t * (2 * t - 1);
  },
} as const;
type Basis = keyof typeof CURVATURES;

/** Along the beam and down, m: ∫ (cos θ, sin θ) ds with θ = ∫ κ ds, by Gauss rules on the halves. */
function tip(basis: Basis, q: readonly number[]): [number, number] {
  const { nodes, weights } = gaussLegendre(20);
  const over = (from: number, to: number, f: (X: number) => number): number =>
    nodes.reduce((sum, u, i) => sum + (to - from) * weights[i]! * f(from + u * (to - from)), 0);
  const ranges = (X: number): [number, number][] => [
    [0, Math.min(X, 0.5)],
    ...(X > 0.5 ? [[0.5, X] as [number, number]] : []),
  ];
  const sum = (X: number, f: (Y: number) => number): number =>
    ranges(X).reduce((all, [from, to]) => all + over(from, to, f), 0);
  const angle = (X: number): number => sum(X, (Y) => CURVATURES[basis](q, Y));
  return [L * sum(1, (X) => Math.cos(angle(X))), L * sum(1, (X) => Math.sin(angle(X)))];
}

describe.runIf(process.env['KANEGEN_FULL'] === '1')('a coordinate that is wrong by a fifth', () => {
  let dynamics: LoadedRobot;
  beforeAll(async () => {
    dynamics = await (await (await load(description)).compile()).run();
  });

  const place = (link: number, q: readonly number[]): [number, number] => {
    dynamics.update(q, new Float64Array(10));
    const position = new Float64Array(3);
    dynamics.frame(link, null, position, null);
    return [position[0]!, -position[2]!];
  };

  it.each([
    ['under a moment that grows towards the tip', [0, 0, 0], 1, { legendre: 0.04707, quadratic: 0.03426 }],
    ['under its weight', [0, 0, -9.81], 0, { legendre: 0.03402, quadratic: 0.05562 }],
  ] as const)('%s', async (_, gravity, input, shares) => {
    const held = await load({ ...description, gravity });
    const { q } = await held.statics({ inputs: [input] });
    (['legendre', 'quadratic'] as const).forEach((basis, link) => {
      const own = q.slice(5 * link, 5 * link + 5);
      const wrong = own.map((x, i) => (i === 1 ? 1.2 * x : x));
      const all = q.map((x, i) => (i === 5 * link + 1 ? 1.2 * x : x));
      const [right, there] = [place(link, q), place(link, all)];
      const expected = [tip(basis, own), tip(basis, wrong)] as const;
      [...right, ...there].forEach((x, i) => expect(Math.abs(x - expected.flat()[i]!)).toBeLessThan(1e-9));
      const moved = Math.hypot(there[0] - right[0], there[1] - right[1]) / L;
      expect(moved).toBeCloseTo(shares[basis], 5);
    });
    if (input === 1) [1.5, 1.5, 0, 0, 0, 0, 0.75, 1.5, 2.25, 3].forEach((x, i) => expect(q[i]).toBeCloseTo(x, 8));
  });
});
