import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import {
  call,
  cos,
  divide,
  minus,
  negate,
  one,
  plus,
  sin,
  symbol,
  times,
  type Expr,
} from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';
import { ContractionModel, type BodyFields } from '../../src/kane/closed/contraction.ts';
import { closedFormByNerdamer } from '../../src/kane/closed/general-closed-form.ts';
import { spinMatrix } from '../../src/kane/equations/recursion.ts';
import { bodyType, L, q, R, rho, s, x, y } from './bodies.ts';

const exp = (e: Expr): Expr => call('exp', e);
const decay = exp(negate(divide(s, L)));
const angle = divide(times(q(1), s), L);
const numbers: [Expr, number][] = [
  [L, 0.2],
  [R, 0.02],
  [rho, 1000],
];

function attempt(position: Vector3, coordinates: number) {
  const type = bodyType('general', coordinates, { kind: 'position', position, distal: { kind: 'none' } });
  const own = type.coordinates.map((c) => c.symbol);
  const symbols = {
    q: own,
    qd: own.map((c) => symbol(`rate.${c.name}`)),
    qdd: own.map((c) => symbol(`acceleration.${c.name}`)),
  };
  return { type, symbols, result: closedFormByNerdamer(type, position, symbols, [new Map(numbers)]) };
}

const vector = (name: string): Vector3 => [symbol(`${name}.x`), symbol(`${name}.y`), symbol(`${name}.z`)];
const motion = { angularVelocity: vector('w'), angularAcceleration: vector('alpha'), acceleration: vector('a') };

/** Three Gauss points on each of equal panels. */
function axialNodes(from: number, to: number, panels: number): { s: number; weight: number }[] {
  const h = (to - from) / panels;
  return Array.from({ length: panels }, (_, k) => from + (k + 0.5) * h).flatMap((centre) => [
    { s: centre - Math.sqrt(0.15) * h, weight: (5 * h) / 18 },
    { s: centre, weight: (8 * h) / 18 },
    { s: centre + Math.sqrt(0.15) * h, weight: (5 * h) / 18 },
  ]);
}

/** Four points that have the moments of the disc up to degree 3. */
const radius = 0.02 / Math.SQRT2;
const sectionPoints = [
  [radius, 0],
  [-radius, 0],
  [0, radius],
  [0, -radius],
] as const;

/** Force, moment and generalized forces of the body by sums over material points, p̈ by differences of positions. */
function wrenchBySums(position: Vector3, q0: number[], qd: number[], qdd: number[], frame: number[][]): number[] {
  const [w, alpha, a] = frame as [number[], number[], number[]];
  const cross = (u: number[], v: number[]): number[] => [
    u[1]! * v[2]! - u[2]! * v[1]!,
    u[2]! * v[0]! - u[0]! * v[2]!,
    u[0]! * v[1]! - u[1]! * v[0]!,
  ];
  const at = (values: number[], point: number[]): number[] =>
    evaluate(
      position,
      new Map([
        ...numbers,
        [s, point[0]!],
        [x, point[1]!],
        [y, point[2]!],
        ...values.map((v, i) => [q(i + 1), v] as const),
      ] as [Expr, number][]),
    );
  const h = 1e-3;
  const along = (t: number): number[] => q0.map((v, i) => v + qd[i]! * t + (qdd[i]! * t * t) / 2);
  const result = Array.from({ length: 6 + q0.length }, () => 0);
  for (const node of axialNodes(0, 0.2, 24))
    for (const [u, v] of sectionPoints) {
      const point = [node.s, u, v];
      const mass = (1000 * Math.PI * 0.02 ** 2 * node.weight) / 4;
      const samples = [-2, -1, 0, 1, 2].map((k) => at(along(k * h), point));
      const p = samples[2]!;
      const rate = p.map(
        (_, i) => (samples[0]![i]! - 8 * samples[1]![i]! + 8 * samples[3]![i]! - samples[4]![i]!) / (12 * h),
      );
      const second = p.map(
        (_, i) =>
          (-samples[0]![i]! + 16 * samples[1]![i]! - 30 * p[i]! + 16 * samples[3]![i]! - samples[4]![i]!) /
          (12 * h * h),
      );
      const spin = cross(w, cross(w, p));
      const euler = cross(alpha, p);
      const coriolis = cross(w, rate);
      const total = p.map((_, i) => a[i]! + euler[i]! + spin[i]! + 2 * coriolis[i]! + second[i]!);
      const moment = cross(p, total);
      for (let i = 0; i < 3; i++) {
        result[i]! += mass * total[i]!;
        result[3 + i]! += mass * moment[i]!;
      }
      q0.forEach((_, k) => {
        const bump = (d: number): number[] =>
          at(
            q0.map((value, i) => (i === k ? value + d : value)),
            point,
          );
        const [m2, m1, p1, p2] = [bump(-2 * h), bump(-h), bump(h), bump(2 * h)];
        const slope = p.map((__, i) => (m2[i]! - 8 * m1[i]! + 8 * p1[i]! - p2[i]!) / (12 * h));
        result[6 + k]! += mass * slope.reduce((sum, e, i) => sum + e * total[i]!, 0);
      });
    }
  return result;
}

function wrenchInClosedForm(
  fields: BodyFields,
  q0: number[],
  qd: number[],
  qdd: number[],
  frame: number[][],
): number[] {
  const { force, moment, generalized } = new ContractionModel(fields).wrench(motion, spinMatrix(motion));
  const values = new Map<Expr, number>(numbers);
  q0.forEach((value, i) => {
    values.set(q(i + 1), value).set(symbol(`rate.${q(i + 1).name}`), qd[i]!);
    values.set(symbol(`acceleration.${q(i + 1).name}`), qdd[i]!);
  });
  [motion.angularVelocity, motion.angularAcceleration, motion.acceleration].forEach((v, i) =>
    v.forEach((e, k) => values.set(e, frame[i]![k]!)),
  );
  return evaluate([...force, ...moment, ...generalized], values);
}

describe('closed forms outside the Stumpff class', () => {
  it.each<[string, Vector3, number]>([
    ['a decaying wave, s exp(−s/L) sin(q s/L)', [plus(times(s, decay, sin(angle)), x), y, times(s, cos(angle))], 1],
    [
      'an exponential and a wave in two coordinates, exp(−q2 s) with q2 in an own scalar',
      [plus(times(L, decay, sin(angle), plus(one, q(2))), x), plus(y, times(q(2), s, decay)), s],
      2,
    ],
    ['a division by a material coordinate', [plus(x, divide(times(q(1), L), plus(one, divide(s, L)))), y, s], 1],
  ])('agree with sums over material points: %s', (_, position, coordinates) => {
    const { result } = attempt(position, coordinates);
    expect(result.rejected).toBeNull();
    expect(result.questions.every((question) => question.includes('confirmed'))).toBe(true);
    expect(result.reports.some(({ method }) => /^nerdamer, confirmed at \d points$/.test(method))).toBe(true);
    const [q0, qd, qdd] = [
      [0.7, -0.3],
      [1.1, 0.4],
      [-0.6, 0.9],
    ].map((v) => v.slice(0, coordinates));
    const frame = [
      [0.3, -0.5, 0.8],
      [1.2, 0.1, -0.7],
      [0.4, 9.1, -1.3],
    ];
    const found = wrenchInClosedForm(result.fields!, q0!, qd!, qdd!, frame);
    const expected = wrenchBySums(position, q0!, qd!, qdd!, frame);
    const scale = (i: number): number =>
      Math.max(...expected.slice(i < 3 ? 0 : i < 6 ? 3 : 6, i < 3 ? 3 : i < 6 ? 6 : 99).map(Math.abs));
    // Fourth-order differences with h = 1e-3.
    found.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(2e-9 * scale(i)));
  });

  it.each<[string, Vector3, RegExp]>([
    ['an exponential whose rate is zero at the default', [plus(times(L, exp(angle)), x), y, s], /not good at q1 = 0/],
    [
      'a removable pole at zero that is not removed',
      [plus(divide(times(L, minus(one, exp(angle))), q(1)), x), y, s],
      /has a pole at q1 = 0/,
    ],
    ['an integral that nerdamer cannot solve', [plus(x, times(q(1), call('tanh', divide(s, L)))), y, s], /not solved/],
    ['a function of a section coordinate', [plus(x, times(q(1), exp(x))), y, s], /not a polynomial in the section/],
  ])('are not claimed for %s', (_, position, reason) => {
    const { result } = attempt(position, 1);
    expect(result.fields).toBeNull();
    expect(result.rejected).toMatch(reason);
  });
});
