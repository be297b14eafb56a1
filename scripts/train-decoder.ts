/**
 * Trains the example of learned kinematics: a decoder network that imitates a planar constant-curvature segment.
 * The displacement of the material point (s, x, y), divided by the length, is fitted over 0 ≤ s ≤ L, |x| ≤ R, |q| ≤ 1.6 rad
 * together with its derivative by q, by the method of Levenberg and Marquardt. Deterministic; two to four minutes.
 *
 *   npx tsx scripts/train-decoder.ts    writes examples/learned/segment.safetensors and segment.onnx
 */
import { writeFileSync } from 'node:fs';
import { onnxBytes, safetensorsBytes } from './network-files.ts';
import type { DenseLayer } from '../src/network/network.ts';

const LENGTH = 0.2; // m
const RADIUS = 0.02; // m
const RANGE = 1.6; // rad
const SIZES = [3, 16, 16, 3] as const;
const SAMPLES = 500;
const ITERATIONS = 300;
/** Weight of the derivative's residuals. */
const SLOPE_WEIGHT = 0.5;

// ---------------------------------------------------------------------------------------------- what is learned

/** Displacement of the segment over its length, and its derivative by q; z = (s/L, x/R, q). */
function segment([s, x, q]: readonly [number, number, number]): { value: number[]; slope: number[] } {
  const slender = (RADIUS / LENGTH) * x;
  const angle = q * s;
  const sine = Math.sin(angle);
  const fall = 2 * Math.sin(angle / 2) ** 2; // 1 − cos
  // Power series near the straight configuration: (1 − cos qs)/q, (sin qs)/q − s, and their derivatives by q.
  const bend = Math.abs(q) < 1e-2 ? (s * angle) / 2 - (s * angle ** 3) / 24 : fall / q;
  const shorten = Math.abs(q) < 1e-2 ? (-s * angle ** 2) / 6 + (s * angle ** 4) / 120 : sine / q - s;
  const bendSlope = Math.abs(q) < 1e-2 ? s ** 2 / 2 - (s * angle) ** 2 / 8 : (s * sine - bend) / q;
  const shortenSlope = Math.abs(q) < 1e-2 ? -(s ** 2 * angle) / 3 : (-s * fall - shorten) / q;
  return {
    value: [bend - slender * fall, 0, shorten - slender * sine],
    slope: [bendSlope - slender * s * sine, 0, shortenSlope - slender * s * (1 - fall)],
  };
}

/** Points that fill the cube evenly: multiples of the powers of 1/g with g⁴ = g + 1, shifted by a half (R sequence). */
function sample(index: number): [number, number, number] {
  const g = 1.2207440846057594759;
  const part = (power: number): number => (0.5 + (index + 1) / g ** power) % 1;
  // Denser towards the ends of the ranges, where polynomials and networks are worst.
  const spread = (u: number): number => Math.sin(Math.PI * (u - 0.5));
  return [(1 + spread(part(1))) / 2, spread(part(2)), RANGE * spread(part(3))];
}

// ---------------------------------------------------------------------------------------------- network

const LAYERS = SIZES.length - 1;
const STARTS: number[] = [];
let size = 0;
for (let l = 0; l < LAYERS; l++) {
  STARTS.push(size);
  size += SIZES[l + 1]! * (SIZES[l]! + 1);
}

/** Weights of every layer, row by row with the bias last, in a fixed pseudo-random order (Glorot's ranges). */
function initialWeights(): Float64Array {
  let seed = 20240229;
  const random = (): number => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 31 - 1;
  };
  const weights = new Float64Array(size);
  for (let l = 0; l < LAYERS - 1; l++) {
    const [inputs, outputs] = [SIZES[l]!, SIZES[l + 1]!];
    const range = Math.sqrt(6 / (inputs + outputs));
    for (let i = 0; i < outputs * (inputs + 1); i++) weights[STARTS[l]! + i] = range * random();
  }
  return weights; // the last layer starts at zero
}

interface Pass {
  /** Values entering each layer and their derivatives by q; the last entry is the output. */
  readonly values: Float64Array[];
  readonly slopes: Float64Array[];
  /** Derivatives by q of the arguments of the activations. */
  readonly arguments: Float64Array[];
}

function forward(weights: Float64Array, z: readonly number[]): Pass {
  const pass: Pass = { values: [Float64Array.from(z)], slopes: [Float64Array.of(0, 0, 1)], arguments: [] };
  for (let l = 0; l < LAYERS; l++) {
    const [inputs, outputs] = [SIZES[l]!, SIZES[l + 1]!];
    const value = new Float64Array(outputs);
    const slope = new Float64Array(outputs);
    const argument = new Float64Array(outputs);
    for (let i = 0; i < outputs; i++) {
      const row = STARTS[l]! + i * (inputs + 1);
      let u = weights[row + inputs]!;
      let du = 0;
      for (let j = 0; j < inputs; j++) {
        u += weights[row + j]! * pass.values[l]![j]!;
        du += weights[row + j]! * pass.slopes[l]![j]!;
      }
      value[i] = l < LAYERS - 1 ? Math.tanh(u) : u;
      argument[i] = du;
      slope[i] = l < LAYERS - 1 ? (1 - value[i]! ** 2) * du : du;
    }
    pass.values.push(value);
    pass.slopes.push(slope);
    pass.arguments.push(argument);
  }
  return pass;
}

/** Gradient by the weights of Σ a·value + b·slope of the outputs, in reverse mode, to `gradient`. */
function backward(weights: Float64Array, pass: Pass, a: Float64Array, b: Float64Array, gradient: Float64Array): void {
  let [ofValue, ofSlope] = [a, b];
  for (let l = LAYERS - 1; l >= 0; l--) {
    const [inputs, outputs] = [SIZES[l]!, SIZES[l + 1]!];
    const nextValue = new Float64Array(inputs);
    const nextSlope = new Float64Array(inputs);
    for (let i = 0; i < outputs; i++) {
      let u = ofValue[i]!;
      let du = ofSlope[i]!;
      if (l < LAYERS - 1) {
        const t = pass.values[l + 1]![i]!;
        u = (1 - t * t) * (u - 2 * t * pass.arguments[l]![i]! * du);
        du *= 1 - t * t;
      }
      const row = STARTS[l]! + i * (inputs + 1);
      gradient[row + inputs] = u;
      for (let j = 0; j < inputs; j++) {
        gradient[row + j] = u * pass.values[l]![j]! + du * pass.slopes[l]![j]!;
        nextValue[j]! += u * weights[row + j]!;
        nextSlope[j]! += du * weights[row + j]!;
      }
    }
    [ofValue, ofSlope] = [nextValue, nextSlope];
  }
}

// ---------------------------------------------------------------------------------------------- least squares

const POINTS = Array.from({ length: SAMPLES }, (_, i) => {
  const z = sample(i);
  return { z, ...segment(z) };
});
const unit = (i: number, scale = 1): Float64Array => Float64Array.from({ length: 3 }, (_, j) => (i === j ? scale : 0));
const NONE = new Float64Array(3);

function squares(weights: Float64Array): number {
  let sum = 0;
  for (const { z, value, slope } of POINTS) {
    const pass = forward(weights, z);
    for (let i = 0; i < 3; i++) {
      sum += (pass.values[LAYERS]![i]! - value[i]!) ** 2;
      sum += (SLOPE_WEIGHT * (pass.slopes[LAYERS]![i]! - slope[i]!)) ** 2;
    }
  }
  return sum;
}

/** Two outputs and their derivatives per point; the second output is zero and stays so. */
const RESIDUALS = 4 * SAMPLES;

/** JᵀJ (lower triangle) and Jᵀr of all residuals. */
function normalEquations(weights: Float64Array): { matrix: Float64Array; right: Float64Array } {
  const columns = Array.from({ length: size }, () => new Float64Array(RESIDUALS));
  const residuals = new Float64Array(RESIDUALS);
  const gradient = new Float64Array(size);
  let row = 0;
  const put = (residual: number): void => {
    residuals[row] = residual;
    for (let i = 0; i < size; i++) columns[i]![row] = gradient[i]!;
    row++;
  };
  for (const { z, value, slope } of POINTS) {
    const pass = forward(weights, z);
    for (const i of [0, 2]) {
      backward(weights, pass, unit(i), NONE, gradient);
      put(pass.values[LAYERS]![i]! - value[i]!);
      backward(weights, pass, NONE, unit(i, SLOPE_WEIGHT), gradient);
      put(SLOPE_WEIGHT * (pass.slopes[LAYERS]![i]! - slope[i]!));
    }
  }
  const matrix = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j += 2)
      [matrix[i * size + j], matrix[i * size + j + 1]] = products(
        columns[i]!,
        columns[j]!,
        columns[j + 1] ?? NO_COLUMN,
      );
  return { matrix, right: Float64Array.from(columns, (column) => products(column, residuals, NO_COLUMN)[0]) };
}

const NO_COLUMN = new Float64Array(RESIDUALS);

/** a · b and a · c */
function products(a: Float64Array, b: Float64Array, c: Float64Array): [number, number] {
  let [s0, s1, t0, t1] = [0, 0, 0, 0];
  for (let k = 0; k < RESIDUALS; k += 2) {
    const [u, v] = [a[k]!, a[k + 1]!];
    s0 += u * b[k]!;
    s1 += v * b[k + 1]!;
    t0 += u * c[k]!;
    t1 += v * c[k + 1]!;
  }
  return [s0 + s1, t0 + t1];
}

/** Solves (A + λ diag A) x = right by Cholesky's factorisation; A by its lower triangle. */
function solve(matrix: Float64Array, right: Float64Array, damping: number): Float64Array {
  const l = matrix.slice();
  const x = right.slice();
  for (let i = 0; i < size; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = l[i * size + j]!;
      if (i === j) sum += damping * (sum + 1e-9);
      for (let k = 0; k < j; k++) sum -= l[i * size + k]! * l[j * size + k]!;
      l[i * size + j] = i === j ? Math.sqrt(Math.max(sum, 1e-300)) : sum / l[j * size + j]!;
    }
  }
  for (let i = 0; i < size; i++) {
    for (let k = 0; k < i; k++) x[i]! -= l[i * size + k]! * x[k]!;
    x[i]! /= l[i * size + i]!;
  }
  for (let i = size - 1; i >= 0; i--) {
    for (let k = i + 1; k < size; k++) x[i]! -= l[k * size + i]! * x[k]!;
    x[i]! /= l[i * size + i]!;
  }
  return x;
}

function train(): Float64Array {
  let weights = initialWeights();
  let error = squares(weights);
  let damping = 1e-2;
  for (let iteration = 0; iteration < ITERATIONS && damping < 1e12; iteration++) {
    const { matrix, right } = normalEquations(weights);
    for (; damping < 1e12; damping *= 4) {
      const step = solve(matrix, right, damping);
      const candidate = weights.map((w, i) => w - step[i]!);
      const reached = squares(candidate);
      if (!(reached < error)) continue;
      [weights, error] = [candidate, reached];
      damping = Math.max(damping / 6, 1e-14);
      break;
    }
    if (iteration % 20 === 0) report(iteration, weights);
  }
  return weights;
}

/** Largest errors on points that took no part in the fit, in units of the length. */
function report(iteration: number, weights: Float64Array): void {
  let [worst, worstSlope] = [0, 0];
  for (let i = 0; i < 2000; i++) {
    const z = sample(SAMPLES + 17 + i);
    const { value, slope } = segment(z);
    const pass = forward(weights, z);
    for (let k = 0; k < 3; k++) {
      worst = Math.max(worst, Math.abs(pass.values[LAYERS]![k]! - value[k]!));
      worstSlope = Math.max(worstSlope, Math.abs(pass.slopes[LAYERS]![k]! - slope[k]!));
    }
  }
  console.log(
    `${iteration}: squares ${squares(weights).toExponential(2)}, largest error ${worst.toExponential(1)} L, by q ${worstSlope.toExponential(1)} L`,
  );
}

/** Layers in metres: the last one times the length. */
function layersOf(weights: Float64Array): DenseLayer[] {
  return Array.from({ length: LAYERS }, (_, l) => {
    const [inputs, outputs] = [SIZES[l]!, SIZES[l + 1]!];
    const isLast = l === LAYERS - 1;
    const scale = isLast ? LENGTH : 1;
    const row = (i: number): number => STARTS[l]! + i * (inputs + 1);
    return {
      inputs,
      outputs,
      weights: Float64Array.from(
        { length: inputs * outputs },
        (_, k) => scale * weights[row(Math.floor(k / inputs)) + (k % inputs)]!,
      ),
      biases: Float64Array.from({ length: outputs }, (_, i) => scale * weights[row(i) + inputs]!),
      activation: isLast ? 'identity' : 'tanh',
    };
  });
}

const weights = train();
report(ITERATIONS, weights);
const folder = new URL('../examples/learned/', import.meta.url);
writeFileSync(new URL('segment.safetensors', folder), safetensorsBytes(layersOf(weights)));
writeFileSync(new URL('segment.onnx', folder), onnxBytes(layersOf(weights)));
