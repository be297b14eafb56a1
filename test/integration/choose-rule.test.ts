/**
 * Rules chosen for bodies, held against brute force: products of many equally spaced or doubly exponentially spaced points
 * that share nothing with the choice.
 */
import { describe, expect, it } from 'vitest';
import { chooseRule, type RuleRequest } from '../../src/integration/choice/choose-rule.ts';
import type { PointRule } from '../../src/integration/rules/point-rule.ts';
import type { RodDomain } from '../../src/integration/rules/volume-layout.ts';
import { differentiate } from '../../src/symbolic/graph/differentiate.ts';
import { evaluateRows } from '../../src/symbolic/evaluation/evaluate-rows.ts';
import { KanegenError } from '../../src/common/error.ts';
import {
  call,
  compare,
  cos,
  divide,
  half,
  integer,
  minus,
  one,
  pi,
  plus,
  power,
  select,
  sin,
  sqrt,
  square,
  stumpff,
  symbol,
  times,
  zero,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import { substitute } from '../../src/symbolic/graph/traverse.ts';
import { cross, dot, type Vector3 } from '../../src/symbolic/graph/vector.ts';

const L = symbol('body.L');
const R = symbol('body.R');
const s = symbol('material.s');
const [x, y] = [symbol('material.x'), symbol('material.y')] as const;
const [r, phi] = [symbol('material.r'), symbol('material.phi')] as const;
const q = [1, 2, 3, 4, 5, 6].map((i) => symbol(`body.q${i}`));
const location = { file: 'robot.yaml', line: 7, column: 3, path: 'body-types.b.volume' };
const cylinder: RodDomain = {
  kind: 'rod',
  axial: s,
  section: [x, y],
  coordinates: 'cartesian',
  start: zero,
  end: L,
  shape: { shape: 'disc', radius: R },
  density: integer(1062),
  breaks: new Map(),
};
const polarCylinder: RodDomain = { ...cylinder, section: [r, phi], coordinates: 'polar' };

function states(ranges: readonly number[], count: number): ReadonlyMap<Expr, number>[] {
  return Array.from({ length: count }, (_, k) => {
    const values = ranges.map(
      (range, i) => [q[i]!, range * Math.sin(2.1 * (k + 1) + 1.7 * (i + 1) + 0.3 * i * k)] as const,
    );
    return new Map<Expr, number>([[L, 0.2], [R, 0.02], ...values]);
  });
}

/** Functions that mass matrix, gravity and inertia are integrals of. */
function momentIntegrands(p: Vector3, coordinates: number): Expr[] {
  const partials = q.slice(0, coordinates).map((c) => p.map((e) => differentiate(e, c)) as unknown as Vector3);
  const all = [
    ...p,
    dot(p, p),
    ...partials.flatMap((a) => cross(p, a)),
    ...partials.flatMap((a, i) => partials.slice(i).map((b) => dot(a, b))),
  ];
  return all.filter((e) => e !== zero);
}

function request(volume: RodDomain, p: Vector3, ranges: readonly number[], tolerance: number): RuleRequest {
  const integrands = momentIntegrands(p, ranges.length);
  return { volume, integrands, samples: states(ranges, 12), tolerance, compress: true, location };
}

/** Integrals of the integrands under a rule at a state. */
function underRule(rule: PointRule, integrands: readonly Expr[], state: ReadonlyMap<Expr, number>): number[] {
  const columns = new Map(rule.columns.map(({ symbol: c, values }) => [c as Expr, Float64Array.from(values)]));
  const terms = substitute(integrands, rule.material).map((f) => times(f, rule.mass));
  return evaluateRows(terms, columns, state, rule.rows).map((values) => values.reduce((sum, v) => sum + v, 0));
}

/** Nodes and weights on (0, 1) by the tanh-sinh transformation. */
function doublyExponential(count: number): [number, number][] {
  const reach = 3.2;
  const step = (2 * reach) / (count - 1);
  return Array.from({ length: count }, (_, i) => {
    const u = -reach + i * step;
    const v = (Math.PI / 2) * Math.sinh(u);
    return [0.5 + 0.5 * Math.tanh(v), (step * Math.PI * Math.cosh(u)) / (4 * Math.cosh(v) ** 2)];
  });
}

/** Integrals and integrals of absolute values by brute force over panels × radii × angles. */
function bruteForce(
  integrands: readonly Expr[],
  state: ReadonlyMap<Expr, number>,
  { polar, alongs, radii, angles }: { polar: boolean; alongs: number; radii: number; angles: [number, number][] },
): { value: number; size: number }[] {
  const [length, radius] = [state.get(L)!, state.get(R)!];
  const rows = doublyExponential(alongs).flatMap(([u, wu]) =>
    doublyExponential(radii).flatMap(([v, wv]) =>
      angles.map(([angle, wa]) => ({
        s: length * u,
        r: radius * v,
        angle,
        mass: 1062 * length * wu * radius ** 2 * v * wv * wa,
      })),
    ),
  );
  const column = (f: (row: (typeof rows)[number]) => number): Float64Array => Float64Array.from(rows, f);
  const columns = new Map<Expr, Float64Array>([
    [s, column((row) => row.s)],
    [polar ? r : x, column((row) => (polar ? row.r : row.r * Math.cos(row.angle)))],
    [polar ? phi : y, column((row) => (polar ? row.angle : row.r * Math.sin(row.angle)))],
  ]);
  return evaluateRows(integrands, columns, state, rows.length).map((values) => ({
    value: values.reduce((sum, v, i) => sum + v * rows[i]!.mass, 0),
    size: values.reduce((sum, v, i) => sum + Math.abs(v) * rows[i]!.mass, 0),
  }));
}

function largestError(
  rule: PointRule,
  integrands: readonly Expr[],
  state: ReadonlyMap<Expr, number>,
  truth: { value: number; size: number }[],
): number {
  // Integrands that vanish identically are rounding errors of terms as large as those of the others.
  const largest = Math.max(...truth.map((t) => t.size));
  return Math.max(
    ...underRule(rule, integrands, state).map((value, i) => {
      const { value: exact, size } = truth[i]!;
      return Math.abs(value - exact) / Math.max(size, 1e-6 * largest);
    }),
  );
}

/** Locally volume preserving cylinder: elongation, twist, two shears, two bendings. */
function volumePreserving(): Vector3 {
  const smooth = (t: Expr): Expr => minus(times(integer(3), square(t)), times(integer(2), power(t, 3)));
  const t = divide(s, L);
  const root = sqrt(plus(one, times(integer(6), q[0]!, t, minus(one, t))));
  let z: Expr = plus(s, times(q[0]!, L, smooth(t)));
  const angle = divide(times(q[1]!, z), L);
  const shift = (k: Expr): Expr => times(L, k, smooth(divide(z, L)));
  let u: Expr = plus(minus(times(cos(angle), divide(x, root)), times(sin(angle), divide(y, root))), shift(q[2]!));
  let v: Expr = plus(plus(times(sin(angle), divide(x, root)), times(cos(angle), divide(y, root))), shift(q[3]!));
  const bend = (across: Expr, along: Expr, k: Expr): [Expr, Expr] => {
    const depth = divide(times(integer(2), across), plus(one, sqrt(minus(one, times(integer(2), k, across)))));
    const chi = square(times(k, along));
    return [
      plus(times(depth, stumpff(0, chi)), times(k, square(along), stumpff(2, chi))),
      minus(times(along, stumpff(1, chi)), times(depth, k, along, stumpff(1, chi))),
    ];
  };
  [u, z] = bend(u, z, divide(q[4]!, L));
  [v, z] = bend(v, z, divide(q[5]!, L));
  return [u, v, z];
}

/** Planar arc whose radius swells on either side by a smooth bump: infinitely often differentiable, not analytic. */
function variableRadius(): Vector3 {
  const theta = divide(times(q[0]!, s), L);
  const chi = square(theta);
  const stretch = plus(one, divide(q[1]!, L));
  const bump = (numerator: Expr, width: Expr, from: Expr): Expr =>
    call(
      'exp',
      times(
        integer(-1),
        divide(numerator, minus(square(divide(width, integer(2))), square(minus(from, divide(width, integer(2)))))),
      ),
    );
  const side = select(
    compare('<', phi, pi),
    times(bump(one, pi, phi), q[2]!),
    times(bump(one, pi, minus(phi, pi)), q[3]!),
  );
  const factor = times(r, plus(one, divide(times(bump(square(L), L, s), side), R)));
  const [inward, across] = [times(factor, sin(phi)), times(factor, cos(phi))];
  return [
    plus(times(stretch, divide(q[0]!, L), square(s), stumpff(2, chi)), times(inward, cos(theta))),
    times(integer(-1), across),
    minus(times(stretch, s, stumpff(1, chi)), times(inward, sin(theta))),
  ];
}

describe('the choice of a rule', () => {
  it('meets 1e-11 for a volume preserving body at a state of its own', () => {
    const asked = request(cylinder, volumePreserving(), [0.1, 0.6, 0.1, 0.1, 0.8, 0.8], 1e-11);
    const { rule, error } = chooseRule(asked);
    expect(error).toBeLessThan(1e-11);
    expect(rule.rows).toBeLessThanOrEqual(430);
    const state = new Map([
      ...asked.samples[0]!,
      ...[0.06, 0.4, -0.07, 0.04, 0.6, 0.65].map((v, i) => [q[i]!, v] as const),
    ]);
    const angles = Array.from({ length: 24 }, (_, k): [number, number] => [(Math.PI * k) / 12, Math.PI / 12]);
    const truth = bruteForce(asked.integrands, state, { polar: false, alongs: 81, radii: 61, angles });
    expect(largestError(rule, asked.integrands, state, truth)).toBeLessThan(1e-11);
  });

  it('finds the edge of a chamber by itself and meets 1e-9 with a tenth of the points of a product', () => {
    const asked = request(polarCylinder, variableRadius(), [1.5, 0.05, 0.5, 0.5], 1e-9);
    const { rule, error, trials } = chooseRule(asked);
    expect(error).toBeLessThan(1e-9);
    expect(rule.rows).toBeLessThanOrEqual(120);
    expect(trials[0]!.points).toBeGreaterThan(10 * rule.rows);
    const state = new Map([...asked.samples[0]!, ...[1.1, -0.013, -0.45, -0.28].map((v, i) => [q[i]!, v] as const)]);
    const angles = doublyExponential(71).flatMap(([u, w]): [number, number][] => [
      [Math.PI * u, Math.PI * w],
      [Math.PI * (1 + u), Math.PI * w],
    ]);
    const truth = bruteForce(asked.integrands, state, { polar: true, alongs: 71, radii: 25, angles });
    expect(largestError(rule, asked.integrands, state, truth)).toBeLessThan(1e-9);
  });

  it('takes three points per section and a handful along a rod with plane sections', () => {
    const theta = divide(times(q[0]!, s), L);
    const chi = square(theta);
    const arc: Vector3 = [
      plus(times(divide(q[0]!, L), square(s), stumpff(2, chi)), times(x, cos(theta))),
      y,
      minus(times(s, stumpff(1, chi)), times(x, sin(theta))),
    ];
    const { rule } = chooseRule(request(cylinder, arc, [1.5], 1e-11));
    expect(rule.rows).toBeLessThanOrEqual(24);
    expect(rule.description).toContain('3 points of degree 2 on the section');
  });

  it('gives the same rule when asked again', () => {
    const asked = request(
      polarCylinder,
      [times(r, cos(phi)), times(r, sin(phi)), plus(s, times(q[0]!, square(s)))],
      [1],
      1e-11,
    );
    expect(chooseRule(asked)).toEqual(chooseRule(asked));
  });

  it('breaks panels where the formula changes at a fraction of the length', () => {
    const kinked: Vector3 = [times(q[0]!, call('abs', minus(s, divide(L, integer(3))))), x, plus(s, y)];
    const { rule } = chooseRule(request(cylinder, kinked, [1], 1e-11));
    expect(rule.rows).toBeLessThanOrEqual(12);
    expect(rule.description).toContain('along s');
  });

  it('says where the tolerance cannot be met', () => {
    const moving: Vector3 = [select(compare('<', s, times(half, L, plus(one, q[0]!))), s, zero), x, y];
    const choice = (): unknown => chooseRule(request(cylinder, moving, [0.5], 1e-11));
    expect(choice).toThrow(KanegenError);
    try {
      choice();
    } catch (error) {
      expect(error).toMatchObject({ code: 'tolerance-not-met', location });
    }
  });
});
