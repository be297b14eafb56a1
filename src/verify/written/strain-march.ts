/**
 * Poses along a rod from any strain field, g' = g ξ^, for the independent check: collocation at Gauss points with eight
 * stages from node to node (order sixteen at the nodes), in double-double arithmetic. No exponential, no Magnus expansion.
 */
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import { tick } from '../../common/work-limit.ts';
import { decimalColumn, newColumn, type Column } from '../arithmetic/columns.ts';
import { add, multiply, result } from '../arithmetic/double-double.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';

const STAGES = 8;
const Exact = decimalOfPrecision(50);

/** Nodes c, weights b and the matrix A_ij = ∫_0^(c_i) ℓ_j of the collocation. */
const METHOD = ((): { c: Column; b: Column; A: Column } => {
  const rule = gaussLegendre(STAGES, Exact);
  const lagrange = (j: number, x: Decimal): Decimal =>
    rule.reduce(
      (value, node, k) =>
        k === j ? value : value.times(x.minus(node.position)).div(rule[j]!.position.minus(node.position)),
      new Exact(1),
    );
  const entries = rule.flatMap(({ position }) =>
    rule.map((_, j) =>
      rule.reduce(
        (sum, node) => sum.plus(node.weight.times(position).times(lagrange(j, position.times(node.position)))),
        new Exact(0),
      ),
    ),
  );
  return {
    c: decimalColumn(rule.map((node) => node.position)),
    b: decimalColumn(rule.map((node) => node.weight)),
    A: decimalColumn(entries),
  };
})();

/** What one step is, in terms of `tick`. */
const STEP_WORK = 10_000;
/** Steps of at most this share of the rod. */
const LONGEST = 1 / 12;

/** Where steps end: all nodes, breaks, and places between that are too far apart. Positions before `first` come first. */
export interface MarchPlan {
  readonly ends: Column;
  /** Index into `ends` of each wanted node; −1 is the start. */
  readonly nodes: readonly number[];
  /** Where strains are asked for: so many places per step; and how long steps are. */
  readonly stages: Column;
  readonly lengths: Column;
}

/** Steps through `nodes` (rising), without crossing one of `breaks` (first and last: the ends of the rod). */
export function planMarch(nodes: Column, breaks: readonly number[]): MarchPlan {
  const [start, end] = [breaks[0]!, breaks[breaks.length - 1]!];
  const stops: { high: number; low: number; node: number }[] = breaks
    .slice(1)
    .map((place) => ({ high: place, low: 0, node: -1 }));
  nodes.high.forEach((high, i) => stops.push({ high, low: nodes.low[i]!, node: i }));
  stops.sort((a, b) => a.high - b.high || a.low - b.low || a.node - b.node);
  const places: { high: number; low: number }[] = [];
  const indices: number[] = [];
  let [from, fromLow] = [start, 0];
  for (const stop of stops) {
    if (stop.high !== from || stop.low !== fromLow) {
      const steps = Math.ceil((stop.high - from) / (LONGEST * (end - start)) - 1e-9);
      for (let k = 1; k < steps; k++) places.push({ high: from + ((stop.high - from) * k) / steps, low: 0 });
      places.push({ high: stop.high, low: stop.low });
      [from, fromLow] = [stop.high, stop.low];
    }
    if (stop.node >= 0) indices[stop.node] = places.length - 1;
  }
  const ends = newColumn(places.length);
  places.forEach((place, i) => {
    ends.high[i] = place.high;
    ends.low[i] = place.low;
  });
  return { ends, nodes: indices, ...stagesOf(ends, start) };
}

function stagesOf(ends: Column, start: number): Pick<MarchPlan, 'stages' | 'lengths'> {
  const count = ends.high.length;
  const stages = newColumn(count * STAGES);
  const lengths = newColumn(count);
  for (let k = 0; k < count; k++) {
    const [fromHigh, fromLow] = k === 0 ? [start, 0] : [ends.high[k - 1]!, ends.low[k - 1]!];
    add(ends.high[k]!, ends.low[k]!, -fromHigh, -fromLow);
    const [h, l] = [result.high, result.low];
    [lengths.high[k], lengths.low[k]] = [h, l];
    for (let i = 0; i < STAGES; i++) {
      multiply(h, l, METHOD.c.high[i]!, METHOD.c.low[i]!);
      add(fromHigh, fromLow, result.high, result.low);
      stages.high[k * STAGES + i] = result.high;
      stages.low[k * STAGES + i] = result.low;
    }
  }
  return { stages, lengths };
}

/** Poses at the ends of all steps, 12 numbers each (rotation row-major, then translation), and of the whole rod. */
export interface MarchedPoses {
  readonly high: Float64Array;
  readonly low: Float64Array;
}

/**
 * @param strain κ and ν at axial positions, six columns.
 */
export function march(plan: MarchPlan, strain: (positions: Column) => readonly Column[]): MarchedPoses {
  const { stages, lengths } = plan;
  const count = lengths.high.length;
  const values = strain(stages);
  const poses = { high: new Float64Array(12 * count), low: new Float64Array(12 * count) };
  const pose = { high: new Float64Array(12), low: new Float64Array(12) };
  pose.high[0] = pose.high[4] = pose.high[8] = 1;
  for (let k = 0; k < count; k++) {
    tick(STEP_WORK);
    step(pose, values, k * STAGES, lengths.high[k]!, lengths.low[k]!);
    poses.high.set(pose.high, 12 * k);
    poses.low.set(pose.low, 12 * k);
  }
  return poses;
}

const ENTRIES = 9 * STAGES;
const rotations = newColumn(ENTRIES);
const slopes = newColumn(ENTRIES);
const defects = new Float64Array(ENTRIES);
const corrections = new Float64Array(ENTRIES);
const slopesOfCorrections = new Float64Array(ENTRIES);
const MOST_ITERATIONS = 60;
/** A correction of a rotation this small is itself wrong by less than the last digit that there is. */
const SMALL = 1e-18;

/**
 * One step: the collocation equations R_i = R_0 + h Σ_j A_ij R_j κ_j^, then R and t. What is left of them is found with all digits,
 * the correction that follows from it in doubles.
 */
function step(pose: Column, strain: readonly Column[], first: number, h: number, l: number): void {
  for (let i = 0; i < STAGES; i++) defects.set(pose.high.subarray(0, 9), 9 * i);
  correctionsOf(strain, first, h);
  rotations.high.set(corrections);
  rotations.low.fill(0);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    turn(strain, first);
    let largest = 0;
    for (let i = 0; i < STAGES; i++)
      for (let entry = 0; entry < 9; entry++) {
        const at = 9 * i + entry;
        weighted(METHOD.A, STAGES * i, entry, h, l);
        add(pose.high[entry]!, pose.low[entry]!, result.high, result.low);
        add(result.high, result.low, -rotations.high[at]!, -rotations.low[at]!);
        defects[at] = result.high;
        largest = Math.max(largest, Math.abs(result.high));
      }
    if (largest === 0) break;
    correctionsOf(strain, first, h);
    for (let at = 0; at < ENTRIES; at++) {
      add(rotations.high[at]!, rotations.low[at]!, corrections[at]!, 0);
      [rotations.high[at], rotations.low[at]] = [result.high, result.low];
    }
    if (!(largest > SMALL)) break;
  }
  turn(strain, first);
  translate(pose, strain, first, h, l);
  for (let entry = 0; entry < 9; entry++) {
    weighted(METHOD.b, 0, entry, h, l);
    add(pose.high[entry]!, pose.low[entry]!, result.high, result.low);
    [pose.high[entry], pose.low[entry]] = [result.high, result.low];
  }
}

/** Of X_i = D_i + h Σ_j A_ij X_j κ_j^ the solution for the defects D, by fixed-point iteration as far as doubles go. */
function correctionsOf(strain: readonly Column[], first: number, h: number): void {
  const [X, slope] = [corrections, slopesOfCorrections];
  X.set(defects);
  const size = defects.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  const [kx, ky, kz] = [strain[0]!.high, strain[1]!.high, strain[2]!.high];
  for (let iteration = 0, before = Infinity; iteration < MOST_ITERATIONS; iteration++) {
    for (let j = 0; j < STAGES; j++)
      for (let row = 0; row < 3; row++) {
        const base = 9 * j + 3 * row;
        const [x, y, z] = [kx[first + j]!, ky[first + j]!, kz[first + j]!];
        slope[base] = X[base + 1]! * z - X[base + 2]! * y;
        slope[base + 1] = X[base + 2]! * x - X[base]! * z;
        slope[base + 2] = X[base]! * y - X[base + 1]! * x;
      }
    let change = 0;
    for (let i = 0; i < STAGES; i++)
      for (let entry = 0; entry < 9; entry++) {
        let sum = 0;
        for (let j = 0; j < STAGES; j++) sum += METHOD.A.high[STAGES * i + j]! * slope[9 * j + entry]!;
        const at = 9 * i + entry;
        const next = defects[at]! + h * sum;
        change = Math.max(change, Math.abs(next - X[at]!));
        X[at] = next;
      }
    // Not a number or no closer: the next defects tell.
    if (!(change < before) || change < ROUNDING * size) return;
    before = change;
  }
}

/** Some roundings of entries of a rotation. */
const ROUNDING = 1e-15;

/** slopes_j = R_j κ_j^: columns (k_z r_y − k_y r_z, k_x r_z − k_z r_x, k_y r_x − k_x r_y) of the rows r of R. */
function turn(strain: readonly Column[], first: number): void {
  for (let j = 0; j < STAGES; j++)
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 3; column++) {
        const [p, n] = [(column + 1) % 3, (column + 2) % 3];
        const base = 9 * j + 3 * row;
        const [kn, kp] = [strain[n]!, strain[p]!];
        multiply(rotations.high[base + p]!, rotations.low[base + p]!, kn.high[first + j]!, kn.low[first + j]!);
        const [ah, al] = [result.high, result.low];
        multiply(rotations.high[base + n]!, rotations.low[base + n]!, kp.high[first + j]!, kp.low[first + j]!);
        add(ah, al, -result.high, -result.low);
        slopes.high[base + column] = result.high;
        slopes.low[base + column] = result.low;
      }
}

/** h Σ_j weights_j slopes_j for one entry of the rotation. */
function weighted(weights: Column, offset: number, entry: number, h: number, l: number): void {
  let [sumHigh, sumLow] = [0, 0];
  for (let j = 0; j < STAGES; j++) {
    const at = 9 * j + entry;
    multiply(weights.high[offset + j]!, weights.low[offset + j]!, slopes.high[at]!, slopes.low[at]!);
    add(sumHigh, sumLow, result.high, result.low);
    [sumHigh, sumLow] = [result.high, result.low];
  }
  multiply(sumHigh, sumLow, h, l);
}

/** t += h Σ_j b_j R_j ν_j */
function translate(pose: Column, strain: readonly Column[], first: number, h: number, l: number): void {
  for (let row = 0; row < 3; row++) {
    let [sumHigh, sumLow] = [0, 0];
    for (let j = 0; j < STAGES; j++)
      for (let column = 0; column < 3; column++) {
        const at = 9 * j + 3 * row + column;
        const v = strain[3 + column]!;
        multiply(rotations.high[at]!, rotations.low[at]!, v.high[first + j]!, v.low[first + j]!);
        multiply(result.high, result.low, METHOD.b.high[j]!, METHOD.b.low[j]!);
        add(sumHigh, sumLow, result.high, result.low);
        [sumHigh, sumLow] = [result.high, result.low];
      }
    multiply(sumHigh, sumLow, h, l);
    add(pose.high[9 + row]!, pose.low[9 + row]!, result.high, result.low);
    [pose.high[9 + row], pose.low[9 + row]] = [result.high, result.low];
  }
}
