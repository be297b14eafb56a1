/**
 * Generalised Gauss rules: nodes of a rule are left out one after the other, the others move and change their weights
 * until the functions that matter are integrated as before. A space of n functions over d coordinates ends with about
 * n/(d + 1) nodes, all inside and with positive weights.
 * Source: J. Bremer, Z. Gimbutas, V. Rokhlin, A nonlinear optimization procedure for generalized Gaussian quadratures
 * (2010); H. Xiao, Z. Gimbutas, A numerical algorithm for the construction of efficient quadrature rules (2010).
 */
import { FunctionSpace, type SampledFunctions } from './function-space.ts';
import { split } from '../rules/volume-layout.ts';
import type { WeightedPoints } from '../rules/gauss.ts';

/** Nodes of a rule while they move: coordinates count panels, a node stays in its panel. */
interface Nodes {
  readonly count: number;
  /** Coordinates, node by node. */
  readonly points: Float64Array;
  readonly weights: Float64Array;
}

/** Multiplications that one call may spend; a bound that is the same on every machine, unlike time. */
const BUDGET = 3e9;
const ITERATIONS = 16;
/** Nodes that are tried before no further one can be left out. */
const CANDIDATES = 12;
/** Positions move by this much of a panel where weights change by themselves. */
const POSITION_SCALE = 0.1;

/**
 * @param tolerance largest error of the integral of any of the functions, which are scaled to size 1.
 * @returns a rule of fewer points than `start`, or undefined when none is found.
 */
export function thinRule(
  functions: SampledFunctions,
  start: WeightedPoints,
  tolerance: number,
): WeightedPoints | undefined {
  const space = new FunctionSpace(functions, 0.1 * tolerance);
  const thinning = new Thinning(space, 0.3 * tolerance);
  const nodes = thinning.run({
    count: start.weights.length,
    points: Float64Array.from(start.points.flat()),
    weights: Float64Array.from(start.weights),
  });
  if (!nodes || nodes.count >= start.weights.length) return undefined;
  const order = Array.from(nodes.weights.keys()).sort((a, b) => comparePoints(nodes, space.dimension, a, b));
  return {
    points: order.map((i) => [...pointOf(nodes, space.dimension, i)]),
    weights: order.map((i) => nodes.weights[i]!),
  };
}

function pointOf(nodes: Nodes, dimension: number, i: number): Float64Array {
  return nodes.points.subarray(i * dimension, (i + 1) * dimension);
}

function comparePoints(nodes: Nodes, dimension: number, a: number, b: number): number {
  for (let d = 0; d < dimension; d++) {
    const difference = nodes.points[a * dimension + d]! - nodes.points[b * dimension + d]!;
    if (difference !== 0) return difference;
  }
  return 0;
}

class Thinning {
  private readonly space: FunctionSpace;
  private readonly tolerance: number;
  private spent = 0;

  constructor(space: FunctionSpace, tolerance: number) {
    this.space = space;
    this.tolerance = tolerance;
  }

  run(start: Nodes): Nodes | undefined {
    let current = this.settled(start);
    if (!current) return undefined;
    const fewest = Math.max(1, Math.floor(this.space.size / (this.space.dimension + 1)) - 1);
    let batch = Math.ceil((current.count - fewest) / 3);
    while (current.count > 1 && this.spent < BUDGET) {
      const next: Nodes | undefined = batch > 1 ? this.without(current, batch, 0) : this.withoutOne(current);
      if (next) current = next;
      else if (batch === 1) break;
      batch = next ? Math.min(batch, Math.max(1, Math.ceil((current.count - fewest) / 3))) : Math.ceil(batch / 2);
      if (!next && batch === 1 && current.count === 1) break;
    }
    return current;
  }

  private withoutOne(nodes: Nodes): Nodes | undefined {
    for (let skipped = 0; skipped < Math.min(nodes.count, CANDIDATES) && this.spent < BUDGET; skipped++) {
      const next = this.without(nodes, 1, skipped);
      if (next) return next;
    }
    return undefined;
  }

  /** The rule without `count` nodes of least significance, after the first `skipped` of them, settled again. */
  private without(nodes: Nodes, count: number, skipped: number): Nodes | undefined {
    const values = this.space.evaluate(nodes.points, nodes.count);
    const significance = Array.from(nodes.weights, (w, i) => {
      let sum = 0;
      for (let k = 0; k < this.space.size; k++) sum += values.value[k * nodes.count + i]! ** 2;
      return w * sum;
    });
    const order = [...significance.keys()].sort((a, b) => significance[a]! - significance[b]! || a - b);
    const gone = new Set(order.slice(skipped, skipped + count));
    const kept = [...significance.keys()].filter((i) => !gone.has(i));
    const total = nodes.weights.reduce((sum, w) => sum + w, 0);
    const left = kept.reduce((sum, i) => sum + nodes.weights[i]!, 0);
    return this.settled({
      count: kept.length,
      points: Float64Array.from(kept.flatMap((i) => [...pointOf(nodes, this.space.dimension, i)])),
      weights: Float64Array.from(kept, (i) => (nodes.weights[i]! * total) / left),
    });
  }

  /** Moves the nodes by damped Gauss–Newton steps of least norm until all integrals are right. */
  private settled(start: Nodes): Nodes | undefined {
    let nodes = start;
    let best = Infinity;
    let bestAt = 0;
    for (let iteration = 0; iteration < ITERATIONS; iteration++) {
      const values = this.space.evaluate(nodes.points, nodes.count);
      const { residuals, worst } = this.residuals(nodes, values.value);
      if (worst <= 1) return nodes;
      if (!Number.isFinite(worst)) return undefined;
      if (worst < 0.5 * best) [best, bestAt] = [worst, iteration];
      else if (iteration - bestAt >= 4) return undefined;
      const next = this.step(nodes, values, residuals);
      if (!next) return undefined;
      nodes = next;
    }
    return undefined;
  }

  /** Errors of the integrals of the basis, and the largest one of a function in units of the tolerance. */
  private residuals(nodes: Nodes, value: Float64Array): { residuals: Float64Array; worst: number } {
    const { size, integrals, weights: importance } = this.space;
    const residuals = new Float64Array(size);
    let worst = 0;
    for (let k = 0; k < size; k++) {
      let sum = -integrals[k]!;
      for (let i = 0; i < nodes.count; i++) sum += nodes.weights[i]! * value[k * nodes.count + i]!;
      residuals[k] = sum;
      worst = Math.max(worst, (Math.abs(sum) * importance[k]!) / this.tolerance);
      if (Number.isNaN(sum)) worst = Infinity;
    }
    return { residuals, worst };
  }

  private step(
    nodes: Nodes,
    { value, gradients }: ReturnType<FunctionSpace['evaluate']>,
    residuals: Float64Array,
  ): Nodes | undefined {
    const { size, dimension, weights: importance } = this.space;
    const n = nodes.count;
    const width = n * (dimension + 1);
    this.spent += (size * size * width) / 2 + size * width + this.space.evaluationCost * n;
    // Jacobian with respect to relative weights, then scaled positions.
    const jacobian = new Float64Array(size * width);
    for (let k = 0; k < size; k++)
      for (let i = 0; i < n; i++) {
        const w = nodes.weights[i]!;
        jacobian[k * width + i] = w * value[k * n + i]!;
        for (let d = 0; d < dimension; d++)
          jacobian[k * width + (d + 1) * n + i] = w * POSITION_SCALE * gradients[d]![k * n + i]!;
      }
    const matrix = normalMatrix(jacobian, size, width);
    for (let k = 0; k < size; k++) matrix[k * size + k]! += ((0.3 * this.tolerance) / importance[k]!) ** 2;
    const multipliers = solvePositive(matrix, size, residuals);
    if (!multipliers) return undefined;
    const change = new Float64Array(width);
    for (let k = 0; k < size; k++) {
      const y = multipliers[k]!;
      for (let j = 0; j < width; j++) change[j]! -= y * jacobian[k * width + j]!;
    }
    return this.moved(nodes, change);
  }

  private moved(nodes: Nodes, change: Float64Array): Nodes {
    const { dimension, axes } = this.space;
    const n = nodes.count;
    let largest = 0;
    for (let j = 0; j < change.length; j++) largest = Math.max(largest, Math.abs(change[j]!));
    const fraction = Math.min(1, 0.7 / largest);
    const points = new Float64Array(n * dimension);
    const weights = nodes.weights.map((w, i) => w * (1 + fraction * change[i]!));
    for (let i = 0; i < n; i++)
      for (let d = 0; d < dimension; d++) {
        const { panel, t } = split(nodes.points[i * dimension + d]!, axes[d]!.shares.length);
        const goal = t + fraction * POSITION_SCALE * change[(d + 1) * n + i]!;
        points[i * dimension + d] = panel + Math.min(Math.max(goal, 0), LAST);
      }
    return { count: n, points, weights };
  }
}

/** The end of a panel: 1 itself would be the beginning of the next. */
const LAST = 1 - 1e-14;

/** J Jᵀ, the lower triangle. */
function normalMatrix(jacobian: Float64Array, size: number, width: number): Float64Array {
  const matrix = new Float64Array(size * size);
  for (let k = 0; k < size; k++)
    for (let l = 0; l <= k; l++) {
      let sum = 0;
      for (let j = 0; j < width; j++) sum += jacobian[k * width + j]! * jacobian[l * width + j]!;
      matrix[k * size + l] = sum;
    }
  return matrix;
}

/** Solves by Cholesky's method, in place; undefined when the matrix is not positive. */
function solvePositive(a: Float64Array, size: number, right: Float64Array): Float64Array | undefined {
  for (let k = 0; k < size; k++)
    for (let l = 0; l <= k; l++) {
      let sum = a[k * size + l]!;
      for (let j = 0; j < l; j++) sum -= a[k * size + j]! * a[l * size + j]!;
      if (l < k) a[k * size + l] = sum / a[l * size + l]!;
      else if (sum > 0) a[k * size + k] = Math.sqrt(sum);
      else return undefined;
    }
  const x = Float64Array.from(right);
  for (let k = 0; k < size; k++) {
    for (let j = 0; j < k; j++) x[k]! -= a[k * size + j]! * x[j]!;
    x[k]! /= a[k * size + k]!;
  }
  for (let k = size - 1; k >= 0; k--) {
    for (let j = k + 1; j < size; j++) x[k]! -= a[j * size + k]! * x[j]!;
    x[k]! /= a[k * size + k]!;
  }
  return x;
}
