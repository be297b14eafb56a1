/**
 * The space that sampled functions span, to a tolerance: an orthonormal basis on a product of intervals, in Legendre
 * polynomials per panel, so that it can be evaluated with its gradient anywhere.
 */
import { gaussLegendre, type WeightedPoints } from '../rules/gauss.ts';
import { axisDensity, productRule, type Axis } from '../rules/rule-factor.ts';
import { split } from '../rules/volume-layout.ts';

/** Functions by their values on the grid of a product of Gauss–Legendre rules (`gridRule`). */
export interface SampledFunctions {
  readonly axes: readonly Axis[];
  /** Nodes per panel and axis. */
  readonly orders: readonly number[];
  /** One array per function. */
  readonly values: readonly Float64Array[];
}

/** The grid that functions are sampled on, with weights. */
export function gridRule(axes: readonly Axis[], orders: readonly number[]): WeightedPoints {
  return productRule(axes.map((axis, a) => gridAxis(axis, orders[a]!)));
}

function gridAxis(axis: Axis, order: number): WeightedPoints {
  const { nodes, weights } = gaussLegendre(order);
  return {
    points: axis.shares.flatMap((_, panel) => nodes.map((t) => [panel + t])),
    weights: axis.shares.flatMap((share) => nodes.map((t, i) => share * weights[i]! * axisDensity(axis, t))),
  };
}

export class FunctionSpace {
  readonly axes: readonly Axis[];
  readonly dimension: number;
  /** Number of basis functions. */
  readonly size: number;
  /** What is left of a function by each basis function: its part in the functions, falling from 1 to the tolerance. */
  readonly weights: Float64Array;
  /** Integrals of the basis functions. */
  readonly integrals: Float64Array;
  /** Multiplications per point. */
  readonly evaluationCost: number;
  private readonly orders: readonly number[];
  /** Polynomials that are used, per axis. */
  private readonly degrees: readonly number[];
  /** Legendre coefficients, grid-like, one array per basis function. */
  private readonly coefficients: readonly Float64Array[];

  constructor({ axes, orders, values }: SampledFunctions, tolerance: number) {
    const grid = gridRule(axes, orders);
    const { basis, norms } = orthonormalBasis(values, Float64Array.from(grid.weights), tolerance);
    this.axes = axes;
    this.orders = orders;
    this.dimension = axes.length;
    this.size = basis.length;
    this.weights = Float64Array.from(norms);
    this.integrals = Float64Array.from(basis, (f) => f.reduce((sum, value, i) => sum + value * grid.weights[i]!, 0));
    this.coefficients = basis.map((f) => this.toLegendre(f));
    this.degrees = axes.map((_, a) => this.usedDegrees(a, 0.01 * tolerance));
    this.evaluationCost = this.size * this.degrees.reduce((a, b) => a * b, 1) * (1 + this.dimension);
  }

  /**
   * Polynomials along an axis that matter; the grid is finer than most functions need. What is left of the given functions
   * after a subtraction carries rounding errors in proportion to its weight.
   */
  private usedDegrees(a: number, negligible: number): number {
    const order = this.orders[a]!;
    const stride = this.orders.slice(a + 1).reduce((n, o, i) => n * o * this.axes[a + 1 + i]!.shares.length, 1);
    let used = 1;
    this.coefficients.forEach((c, k) => {
      for (let i = 0; i < c.length; i++)
        if (Math.abs(c[i]!) * this.weights[k]! > negligible)
          used = Math.max(used, (Math.floor(i / stride) % order) + 1);
    });
    return used;
  }

  /** Values of every basis function at points, function by function, and their gradients per axis. */
  evaluate(points: Float64Array, count: number): { value: Float64Array; gradients: readonly Float64Array[] } {
    const value = new Float64Array(this.size * count);
    const gradients = this.axes.map(() => new Float64Array(this.size * count));
    for (let i = 0; i < count; i++) {
      const places = this.axes.map((axis, a) => {
        const { panel, t } = split(points[i * this.dimension + a]!, axis.shares.length);
        return { panel, ...legendreValues(this.degrees[a]!, t) };
      });
      this.coefficients.forEach((c, k) => {
        const at = k * count + i;
        if (this.dimension === 1) [value[at], gradients[0]![at]] = this.onLine(c, places[0]!);
        else [value[at], gradients[0]![at], gradients[1]![at]] = this.onPlane(c, places[0]!, places[1]!);
      });
    }
    return { value, gradients };
  }

  private onLine(c: Float64Array, { panel, value, slope }: Place): [number, number] {
    const first = panel * this.orders[0]!;
    let [f, df] = [0, 0];
    for (let a = 0; a < value.length; a++) {
      f += c[first + a]! * value[a]!;
      df += c[first + a]! * slope[a]!;
    }
    return [f, df];
  }

  private onPlane(c: Float64Array, x: Place, y: Place): [number, number, number] {
    const rowLength = this.orders[1]! * this.axes[1]!.shares.length;
    const firstRow = x.panel * this.orders[0]!;
    const firstColumn = y.panel * this.orders[1]!;
    let [f, fx, fy] = [0, 0, 0];
    for (let a = 0; a < x.value.length; a++) {
      const start = (firstRow + a) * rowLength + firstColumn;
      let [row, rowSlope] = [0, 0];
      for (let b = 0; b < y.value.length; b++) {
        row += c[start + b]! * y.value[b]!;
        rowSlope += c[start + b]! * y.slope[b]!;
      }
      f += x.value[a]! * row;
      fx += x.slope[a]! * row;
      fy += x.value[a]! * rowSlope;
    }
    return [f, fx, fy];
  }

  /** Values on the grid → coefficients, axis by axis. */
  private toLegendre(values: Float64Array): Float64Array {
    let result = values;
    let stride = values.length;
    this.axes.forEach((axis, a) => {
      const order = this.orders[a]!;
      stride /= order * axis.shares.length;
      result = transformed(result, order, stride);
    });
    return result;
  }
}

interface Place {
  readonly panel: number;
  readonly value: Float64Array;
  readonly slope: Float64Array;
}

/** Shifted Legendre polynomials P_0 … P_(order−1) and their derivatives at t in (0, 1). */
function legendreValues(order: number, t: number): { value: Float64Array; slope: Float64Array } {
  const value = new Float64Array(order);
  const slope = new Float64Array(order);
  const x = 2 * t - 1;
  value[0] = 1;
  for (let k = 1; k < order; k++) {
    const before = k > 1 ? value[k - 2]! : 0;
    value[k] = ((2 * k - 1) * x * value[k - 1]! - (k - 1) * before) / k;
    // P_k' = P_(k−2)' + (2k − 1) P_(k−1), and dx/dt = 2.
    slope[k] = (k > 1 ? slope[k - 2]! : 0) + 2 * (2 * k - 1) * value[k - 1]!;
  }
  return { value, slope };
}

/** Legendre coefficients in place of every `order` values that lie `stride` apart. */
function transformed(values: Float64Array, order: number, stride: number): Float64Array {
  const { nodes, weights } = gaussLegendre(order);
  const rows = nodes.map((t, i) => legendreValues(order, t).value.map((p, a) => weights[i]! * (2 * a + 1) * p));
  const result = new Float64Array(values.length);
  const block = order * stride;
  for (let start = 0; start < values.length; start += block)
    for (let offset = 0; offset < stride; offset++)
      for (let i = 0; i < order; i++) {
        const value = values[start + offset + i * stride]!;
        const row = rows[i]!;
        for (let a = 0; a < order; a++) result[start + offset + a * stride]! += value * row[a]!;
      }
  return result;
}

/** Gram–Schmidt with the largest remainder next, until all remainders are below the tolerance. */
function orthonormalBasis(
  functions: readonly Float64Array[],
  weights: Float64Array,
  tolerance: number,
): { basis: Float64Array[]; norms: number[] } {
  const remainders = functions.map((f) => Float64Array.from(f));
  const product = (f: Float64Array, g: Float64Array): number => {
    let sum = 0;
    for (let i = 0; i < f.length; i++) sum += weights[i]! * f[i]! * g[i]!;
    return sum;
  };
  const basis: Float64Array[] = [];
  const norms: number[] = [];
  const lengths = remainders.map((f) => product(f, f));
  while (basis.length < weights.length) {
    const pivot = lengths.reduce((best, length, i) => (length > lengths[best]! ? i : best), 0);
    const length = Math.sqrt(lengths[pivot]!);
    if (!(length > tolerance)) break;
    const next = Float64Array.from(remainders[pivot]!);
    // Once more, because the remainder is the small difference of large numbers.
    for (const f of basis) subtract(next, f, product(next, f));
    const norm = Math.sqrt(product(next, next));
    if (norm < 0.1 * length) {
      lengths[pivot] = 0;
      continue;
    }
    for (let i = 0; i < next.length; i++) next[i]! /= norm;
    basis.push(next);
    norms.push(norm);
    remainders.forEach((f, i) => {
      if (lengths[i] === 0) return;
      subtract(f, next, product(f, next));
      lengths[i] = i === pivot ? 0 : product(f, f);
    });
  }
  return { basis, norms };
}

function subtract(from: Float64Array, f: Float64Array, factor: number): void {
  for (let i = 0; i < from.length; i++) from[i]! -= factor * f[i]!;
}
