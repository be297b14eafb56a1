/** Learned maps of the run time against the plain formula, and their derivatives against difference quotients. */
import { describe, expect, it } from 'vitest';
import {
  evaluateNetwork,
  transposeNetwork,
  type NetworkActivation,
  type NetworkLayer,
} from '../../src/runtime/network.ts';

interface PlainLayer {
  readonly activation: NetworkActivation;
  readonly W: readonly (readonly number[])[];
  readonly b: readonly number[];
}

const FUNCTIONS: Readonly<Record<NetworkActivation, (u: number) => number>> = {
  identity: (u) => u,
  tanh: Math.tanh,
  sine: Math.sin,
  softplus: (u) => Math.log(1 + Math.exp(u)),
  silu: (u) => u / (1 + Math.exp(-u)),
};
const activations = Object.keys(FUNCTIONS) as NetworkActivation[];

function plainLayer(activation: NetworkActivation, inputs: number, outputs: number, seed: number): PlainLayer {
  const some = (k: number): number => 1.4 * Math.sin(12.9898 * (k + seed));
  return {
    activation,
    W: Array.from({ length: outputs }, (_, i) => Array.from({ length: inputs }, (__, j) => some(7 * i + j))),
    b: Array.from({ length: outputs }, (_, i) => some(100 + i)),
  };
}

/** Rows in groups of four, the last group filled up with zeros. */
function packed({ activation, W, b }: PlainLayer): NetworkLayer {
  const [inputs, outputs] = [W[0]!.length, W.length];
  const rows = 4 * Math.ceil(outputs / 4);
  const weights = new Float64Array(rows * inputs);
  const biases = new Float64Array(rows);
  b.forEach((value, i) => (biases[i] = value));
  W.forEach((row, i) => row.forEach((value, j) => (weights[4 * inputs * Math.floor(i / 4) + 4 * j + (i % 4)] = value)));
  return { inputs, outputs, activation, weights, biases };
}

function plain(layers: readonly PlainLayer[], z: readonly number[]): number[] {
  return layers.reduce<readonly number[]>(
    (x, { activation, W, b }) =>
      W.map((row, i) => FUNCTIONS[activation](row.reduce((sum, e, j) => sum + e * x[j]!, b[i]!))),
    z,
  ) as number[];
}

/** Value, derivatives along the directions, second derivative along the last. */
function run(
  layers: readonly PlainLayer[],
  z: readonly number[],
  directions: readonly (readonly number[])[],
  second: boolean,
  changes: readonly (readonly number[])[] = [],
): number[][] {
  const channels = (1 + directions.length + (second ? 1 : 0)) * (changes.length > 0 ? 2 : 1);
  const widest = Math.max(...layers.map(({ W }) => 4 * Math.ceil(W.length / 4)), z.length);
  const [a, b] = [0, 1].map(() => new Float64Array(channels * widest).fill(NaN)) as [Float64Array, Float64Array];
  [z, ...directions, ...changes].forEach((values, c) => a.set(values, c * z.length));
  evaluateNetwork(layers.map(packed), directions.length, second, changes.length > 0, a, b);
  const result = layers.length % 2 === 0 ? a : b;
  const outputs = layers.at(-1)!.W.length;
  const stride = 4 * Math.ceil(outputs / 4);
  return Array.from({ length: channels }, (_, c) => [...result.subarray(c * stride, c * stride + outputs)]);
}

function expectClose(actual: readonly number[], expected: readonly number[], tolerance: number): void {
  expect(actual).toHaveLength(expected.length);
  actual.forEach((value, i) => expect(Math.abs(value - expected[i]!)).toBeLessThan(tolerance));
}

const shapes = [[3], [3, 5], [2, 4, 1], [1, 6, 9, 2]];
const along = (z: readonly number[], d: readonly number[], h: number): number[] => z.map((e, i) => e + h * d[i]!);

describe.each(activations)('a learned map of %s', (activation) => {
  it.each(shapes)('has values and derivatives (layers %j …)', (...sizes) => {
    const outputs = sizes.slice(1);
    const widths = outputs.length > 0 ? outputs : [7];
    const layers = widths.map((n, i) => plainLayer(activation, i === 0 ? sizes[0]! : widths[i - 1]!, n, i + 1));
    const z = Array.from({ length: sizes[0]! }, (_, i) => 0.8 * Math.cos(i));
    const directions = [0, 1, 2].map((k) => z.map((_, i) => Math.sin(3 * i + k)));
    const h = 1e-3;
    for (let count = 0; count <= 3; count++)
      for (const second of count > 0 ? [false, true] : [false]) {
        const chosen = directions.slice(0, count);
        const [value, ...rest] = run(layers, z, chosen, second);
        expectClose(value!, plain(layers, z), 1e-14);
        chosen.forEach((d, k) => {
          const at = [-2, -1, 1, 2].map((i) => plain(layers, along(z, d, i * h)));
          const slope = value!.map((_, i) => (at[0]![i]! - 8 * at[1]![i]! + 8 * at[2]![i]! - at[3]![i]!) / (12 * h));
          expectClose(rest[k]!, slope, 2e-8);
        });
        if (!second) continue;
        const d = chosen.at(-1)!;
        const at = [-2, -1, 0, 1, 2].map((i) => plain(layers, along(z, d, i * h)));
        const weights = [-1, 16, -30, 16, -1];
        const curvature = value!.map((_, i) => weights.reduce((sum, w, k) => sum + w * at[k]![i]!, 0) / (12 * h * h));
        expectClose(rest.at(-1)!, curvature, 2e-6);
      }
  });
});

describe.each(activations)('changes of a learned map of %s', (activation) => {
  it.each(shapes)('are those of all its channels (layers %j …)', (...sizes) => {
    const outputs = sizes.slice(1);
    const widths = outputs.length > 0 ? outputs : [7];
    const layers = widths.map((n, i) => plainLayer(activation, i === 0 ? sizes[0]! : widths[i - 1]!, n, i + 1));
    const z = Array.from({ length: sizes[0]! }, (_, i) => 0.8 * Math.cos(i));
    const directions = [0, 1, 2].map((k) => z.map((_, i) => Math.sin(3 * i + k)));
    const changes = [0, 1, 2, 3].map((k) => z.map((_, i) => Math.cos(2 * i + 5 * k)));
    const h = 1e-3;
    for (let count = 0; count <= 3; count++)
      for (const second of count > 0 ? [false, true] : [false]) {
        const given = [z, ...directions.slice(0, count)];
        const at = (step: number): number[][] => {
          const [first, ...rest] = given.map((values, c) => along(values, changes[c]!, step * h));
          return run(layers, first!, rest, second);
        };
        const channels = run(layers, z, given.slice(1), second, changes.slice(0, count + 1));
        const own = at(0);
        expect(channels.slice(0, own.length)).toEqual(own);
        const [a, b, c, d] = [-2, -1, 1, 2].map(at);
        channels.slice(own.length).forEach((change, k) => {
          const slope = change.map((_, i) => (a![k]![i]! - 8 * b![k]![i]! + 8 * c![k]![i]! - d![k]![i]!) / (12 * h));
          const scale = Math.max(1, ...slope.map(Math.abs));
          expectClose(
            change.map((value) => value / scale),
            slope.map((value) => value / scale),
            1e-7,
          );
        });
      }
  });
});

describe.each(activations)('the transpose of a learned map of %s', (activation) => {
  it.each(shapes)('weighs changes (layers %j …)', (...sizes) => {
    const outputs = sizes.slice(1);
    const widths = outputs.length > 0 ? outputs : [7];
    const layers = widths.map((m, i) => plainLayer(activation, i === 0 ? sizes[0]! : widths[i - 1]!, m, i + 1));
    const z = Array.from({ length: sizes[0]! }, (_, i) => 0.8 * Math.cos(i));
    const directions = [0, 1, 2].map((k) => z.map((_, i) => Math.sin(3 * i + k)));
    const changes = [0, 1, 2, 3].map((k) => z.map((_, i) => Math.cos(2 * i + 5 * k)));
    const width = 4 * Math.ceil(widths.at(-1)! / 4);
    for (let count = 0; count <= 3; count++)
      for (const second of count > 0 ? [false, true] : [false]) {
        const given = [z, ...directions.slice(0, count)];
        const channels = 1 + count + (second ? 1 : 0);
        const changed = run(layers, z, given.slice(1), second, changes.slice(0, count + 1)).slice(channels);
        const weights = changed.map((values, c) => values.map((_, i) => Math.sin(1 + 3 * c + i)));
        const size = channels * Math.max(...widths.map((m) => 4 * Math.ceil(m / 4)), z.length);
        const tapeSize = (1 + count) * z.length + widths.reduce((sum, m) => sum + 8 * Math.ceil(m / 4) * channels, 0);
        const [a, b, tape] = [size, size, tapeSize].map((length) => new Float64Array(length).fill(NaN)) as [
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        weights.forEach((values, c) => a.set(values, c * width));
        given.forEach((values, c) => tape.set(values, c * z.length));
        transposeNetwork(layers.map(packed), count, second, a, b, tape);
        const found = layers.length % 2 === 0 ? a : b;
        const sum = (of: readonly (readonly number[])[], by: (c: number, i: number) => number): number =>
          of.reduce((total, values, c) => values.reduce((t, value, i) => t + value * by(c, i), total), 0);
        const expected = sum(weights, (c, i) => changed[c]![i]!);
        const scale = sum(weights, (c, i) => Math.abs(changed[c]![i]!) * Math.sign(weights[c]![i]!));
        const actual = sum(changes.slice(0, count + 1), (c, i) => found[c * z.length + i]!);
        expect(Math.abs(actual - expected)).toBeLessThan(1e-13 * scale);
      }
  });
});

describe('activations far out', () => {
  const single = (activation: NetworkActivation): PlainLayer[] => [{ activation, W: [[1]], b: [0] }];
  const jet = (activation: NetworkActivation, u: number): number[] => run(single(activation), [u], [[1]], true).flat();

  it('do not overflow', () => {
    for (const activation of activations)
      for (const u of [-1000, 1000]) expect(jet(activation, u).every(Number.isFinite)).toBe(true);
    expect(jet('softplus', 1000)).toEqual([1000, 1, 0]);
    expect(jet('softplus', -1000).map(Math.abs)).toEqual([0, 0, 0]);
    expect(jet('silu', 1000)).toEqual([1000, 1, 0]);
    expect(jet('silu', -1000).map(Math.abs)).toEqual([0, 0, 0]);
    expect(jet('tanh', 1000).map(Math.abs)).toEqual([1, 0, 0]);
  });

  it('are the same from either side of zero', () => {
    for (const activation of activations)
      jet(activation, 0).forEach((value, i) => {
        expect(value).toBeCloseTo(jet(activation, 1e-9)[i]!, 8);
        expect(value).toBeCloseTo(jet(activation, -1e-9)[i]!, 8);
      });
    expectClose(jet('softplus', 0), [Math.log(2), 0.5, 0.25], 1e-15);
    expectClose(jet('silu', 0), [0, 0.5, 0.5], 1e-15);
  });
});
