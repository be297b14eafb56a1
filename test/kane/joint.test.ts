import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, divide, integer, sqrt, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import type { ElementaryMotion, Joint } from '../../src/description/model/robot.ts';
import { jointSteps } from '../../src/kane/equations/joint.ts';
import { frameEntries, type Vector3 } from '../../src/symbolic/graph/vector.ts';

const coordinates = ['q1', 'q2', 'q3'].map((name) => ({
  name,
  symbol: symbol(`joint.${name}`),
  unit: 'rad',
  value: zero,
}));
const [q1, q2, q3] = coordinates.map((c) => c.symbol) as [Expr, Expr, Expr];
const joint = (motion: ElementaryMotion): Joint => ({ type: 'test', coordinates, motions: [motion] });
const at = (values: readonly number[]) => new Map<Expr, number>([q1, q2, q3].map((s, i) => [s, values[i]!]));

const third = divide(integer(1), sqrt(integer(3)));
const motions: [string, ElementaryMotion][] = [
  [
    'a rotation about a coordinate axis',
    { kind: 'rotation', axis: [zero, integer(-1), zero], angle: times(integer(2), q1) },
  ],
  ['a rotation about any axis', { kind: 'rotation', axis: [third, third, third], angle: q2 }],
  ['a translation', { kind: 'translation', displacement: [zero, q1, times(decimal(0.01), q2)] }],
  ['a rotation vector', { kind: 'rotation-vector', vector: [q1, q2, q3] }],
];

/** exp([v]×) by its power series. */
function exponential(v: readonly number[]): number[] {
  const K = [0, -v[2]!, v[1]!, v[2]!, 0, -v[0]!, -v[1]!, v[0]!, 0];
  const multiply = (A: number[], B: number[]) =>
    A.map((_, i) => [0, 1, 2].reduce((sum, k) => sum + A[3 * Math.floor(i / 3) + k]! * B[3 * k + (i % 3)]!, 0));
  let term = [1, 0, 0, 0, 1, 0, 0, 0, 1];
  let total = term;
  for (let n = 1; n < 40; n++) {
    term = multiply(term, K).map((e) => e / n);
    total = total.map((e, i) => e + term[i]!);
  }
  return total;
}

describe('joints', () => {
  it.each(motions)('move by the exponential of their axis: %s', (_, motion) => {
    for (const values of [
      [0, 0, 0],
      [0.3, -0.8, 0.5],
      [2.5, 1.9, -1.2],
    ]) {
      const [step] = jointSteps(joint(motion));
      const bindings = at(values);
      const numbers = evaluate(frameEntries(step!.frame), bindings);
      const vector =
        motion.kind === 'rotation'
          ? evaluate(motion.axis, bindings).map((e) => e * evaluate([motion.angle], bindings)[0]!)
          : motion.kind === 'rotation-vector'
            ? values
            : [0, 0, 0];
      exponential(vector).forEach((e, i) => expect(numbers[i]).toBeCloseTo(e, 12));
      const translation = motion.kind === 'translation' ? evaluate(motion.displacement, bindings) : [0, 0, 0];
      translation.forEach((e, i) => expect(numbers[9 + i]).toBeCloseTo(e, 14));
    }
  });

  it.each(motions)('have the projectors that difference quotients give: %s', (_, motion) => {
    const [step] = jointSteps(joint(motion));
    for (const values of [
      [1e-7, 0, 0],
      [0.3, -0.8, 0.5],
    ])
      step!.coordinates.forEach((index, i) => {
        const h = 1e-5;
        const frameAt = (sign: number) =>
          evaluate(frameEntries(step!.frame), at(values.map((v, k) => (k === index ? v + sign * h : v))));
        const [plus, minus, here] = [frameAt(1), frameAt(-1), frameAt(0)];
        const rate = plus.map((e, k) => (e - minus[k]!) / (2 * h));
        // W = Ṙ Rᵀ, w = (W_zy, W_xz, W_yx)
        const W = (r: number, c: number) => [0, 1, 2].reduce((sum, k) => sum + rate[3 * r + k]! * here[3 * c + k]!, 0);
        const angular = evaluate(step!.angular[i] as Vector3, at(values));
        [W(2, 1), W(0, 2), W(1, 0)].forEach((e, k) => expect(angular[k]).toBeCloseTo(e, 8));
        const linear = evaluate(step!.linear[i] as Vector3, at(values));
        [rate[9]!, rate[10]!, rate[11]!].forEach((e, k) => expect(linear[k]).toBeCloseTo(e, 8));
      });
  });

  it('leave coordinates out of steps that they do not move', () => {
    const [step] = jointSteps(joint(motions[1]![1]));
    expect(step!.coordinates).toEqual([1]);
  });
});
