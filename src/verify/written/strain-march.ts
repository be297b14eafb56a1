/**
 * Poses along a rod from any strain field, g' = g ξ^, for the independent check: collocation at Gauss points with eight
 * stages from node to node (order sixteen at the nodes), in double-double arithmetic. No exponential, no Magnus expansion.
 */
import type { Decimal } from 'decimal.js';
import { decimalOfPrecision } from '../../symbolic/evaluation/evaluate.ts';
import { tick } from '../../common/work-limit.ts';
import { decimalColumn, newColumn, type Column } from '../arithmetic/columns.ts';
import { add, multiply, result, SPLITTER } from '../arithmetic/double-double.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';

const STAGES = 8;
const Exact = decimalOfPrecision(50);

/** Halves of the digits of doubles, whose products are exact. */
interface Parts {
  readonly first: Float64Array;
  readonly second: Float64Array;
}

function splitInto(values: Float64Array, { first, second }: Parts): void {
  for (let i = 0; i < values.length; i++) {
    const x = values[i]!;
    const scaled = SPLITTER * x;
    first[i] = scaled - (scaled - x);
    second[i] = x - first[i]!;
  }
}

interface Weights extends Column {
  readonly parts: Parts;
}

const newParts = (size: number): Parts => ({ first: new Float64Array(size), second: new Float64Array(size) });

function weightsOf(column: Column): Weights {
  const parts = newParts(column.high.length);
  splitInto(column.high, parts);
  return { ...column, parts };
}

/** Nodes c, weights b and the matrix A_ij = ∫_0^(c_i) ℓ_j of the collocation. */
const {
  c: C,
  b: B,
  A,
} = ((): { c: Column; b: Weights; A: Weights } => {
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
    b: weightsOf(decimalColumn(rule.map((node) => node.weight))),
    A: weightsOf(decimalColumn(entries)),
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
      multiply(h, l, C.high[i]!, C.low[i]!);
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
/** Of the rotations at the stages and their slopes, entry by entry: the stages of an entry stand together. */
const rotations = newColumn(ENTRIES);
const slopes = newColumn(ENTRIES);
const slopeParts = newParts(ENTRIES);
const defects = new Float64Array(ENTRIES);
const corrections = new Float64Array(ENTRIES);
const slopesOfCorrections = new Float64Array(ENTRIES);
const MOST_ITERATIONS = 60;
/** Corrections have the sixteen digits of doubles: one this small is wrong by 1e-31 of a rotation, as double-double numbers are. */
const SMALL = 1e-15;

/**
 * One step: the collocation equations R_i = R_0 + h Σ_j A_ij R_j κ_j^, then R and t. What is left of them is found with all digits,
 * the correction that follows from it in doubles.
 */
function step(pose: Column, strain: readonly Column[], first: number, h: number, l: number): void {
  for (let entry = 0; entry < 9; entry++) defects.fill(pose.high[entry]!, STAGES * entry, STAGES * (entry + 1));
  correctionsOf(strain, first, h);
  rotations.high.set(corrections);
  rotations.low.fill(0);
  for (let iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
    turn(strain, first);
    let largest = 0;
    for (let entry = 0; entry < 9; entry++)
      for (let i = 0; i < STAGES; i++) {
        const at = STAGES * entry + i;
        weighted(A, STAGES * i, entry, h, l);
        add(pose.high[entry]!, pose.low[entry]!, result.high, result.low);
        add(result.high, result.low, -rotations.high[at]!, -rotations.low[at]!);
        defects[at] = result.high;
        largest = Math.max(largest, Math.abs(result.high));
      }
    if (largest === 0) break;
    correctionsOf(strain, first, h);
    for (let at = 0; at < ENTRIES; at++) {
      add(rotations.high[at]!, rotations.low[at]!, corrections[at]!, 0);
      rotations.high[at] = result.high;
      rotations.low[at] = result.low;
    }
    if (!(largest > SMALL)) break;
  }
  turn(strain, first);
  translate(pose, strain, first, h, l);
  for (let entry = 0; entry < 9; entry++) {
    weighted(B, 0, entry, h, l);
    add(pose.high[entry]!, pose.low[entry]!, result.high, result.low);
    pose.high[entry] = result.high;
    pose.low[entry] = result.low;
  }
}

/** Of X_i = D_i + h Σ_j A_ij X_j κ_j^ the solution for the defects D, by fixed-point iteration as far as doubles go. */
function correctionsOf(strain: readonly Column[], first: number, h: number): void {
  const [X, slope, weights] = [corrections, slopesOfCorrections, A.high];
  X.set(defects);
  const size = defects.reduce((largest, x) => Math.max(largest, Math.abs(x)), 0);
  const [kx, ky, kz] = [strain[0]!.high, strain[1]!.high, strain[2]!.high];
  for (let iteration = 0, before = Infinity; iteration < MOST_ITERATIONS; iteration++) {
    for (let row = 0; row < 3; row++)
      for (let j = 0; j < STAGES; j++) {
        const [a, b, c] = [3 * STAGES * row + j, 3 * STAGES * row + STAGES + j, 3 * STAGES * row + 2 * STAGES + j];
        const x = kx[first + j]!;
        const y = ky[first + j]!;
        const z = kz[first + j]!;
        slope[a] = X[b]! * z - X[c]! * y;
        slope[b] = X[c]! * x - X[a]! * z;
        slope[c] = X[a]! * y - X[b]! * x;
      }
    let change = 0;
    for (let base = 0; base < ENTRIES; base += STAGES)
      for (let i = 0; i < STAGES; i++) {
        let sum = 0;
        for (let j = 0; j < STAGES; j++) sum += weights[STAGES * i + j]! * slope[base + j]!;
        const next = defects[base + i]! + h * sum;
        change = Math.max(change, Math.abs(next - X[base + i]!));
        X[base + i] = next;
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
  for (let row = 0; row < 3; row++)
    for (let column = 0; column < 3; column++) {
      const [p, n] = [(column + 1) % 3, (column + 2) % 3];
      const [kn, kp] = [strain[n]!, strain[p]!];
      const [atP, atN] = [STAGES * (3 * row + p), STAGES * (3 * row + n)];
      for (let j = 0; j < STAGES; j++) {
        multiply(rotations.high[atP + j]!, rotations.low[atP + j]!, kn.high[first + j]!, kn.low[first + j]!);
        const ah = result.high;
        const al = result.low;
        multiply(rotations.high[atN + j]!, rotations.low[atN + j]!, kp.high[first + j]!, kp.low[first + j]!);
        add(ah, al, -result.high, -result.low);
        const at = STAGES * (3 * row + column) + j;
        slopes.high[at] = result.high;
        slopes.low[at] = result.low;
      }
    }
  splitInto(slopes.high, slopeParts);
}

/** h Σ_j weights_j slopes_j for one entry of the rotation. Errors of products and sums are gathered and added at the end. */
function weighted(weights: Weights, offset: number, entry: number, h: number, l: number): void {
  const { high, low, parts } = weights;
  let sum = 0;
  let rest = 0;
  for (let j = 0; j < STAGES; j++) {
    const [w, at] = [offset + j, STAGES * entry + j];
    const a = high[w]!;
    const b = slopes.high[at]!;
    const product = a * b;
    const a1 = parts.first[w]!;
    const a2 = parts.second[w]!;
    const b1 = slopeParts.first[at]!;
    const b2 = slopeParts.second[at]!;
    const lost = a1 * b1 - product + a1 * b2 + a2 * b1 + a2 * b2;
    const next = sum + product;
    const virtual = next - sum;
    rest += sum - (next - virtual) + (product - virtual) + lost + (a * slopes.low[at]! + low[w]! * b);
    sum = next;
  }
  const whole = sum + rest;
  multiply(whole, rest - (whole - sum), h, l);
}

/** t += h Σ_j b_j R_j ν_j */
function translate(pose: Column, strain: readonly Column[], first: number, h: number, l: number): void {
  for (let row = 0; row < 3; row++) {
    let [sumHigh, sumLow] = [0, 0];
    for (let j = 0; j < STAGES; j++)
      for (let column = 0; column < 3; column++) {
        const at = STAGES * (3 * row + column) + j;
        const v = strain[3 + column]!;
        multiply(rotations.high[at]!, rotations.low[at]!, v.high[first + j]!, v.low[first + j]!);
        multiply(result.high, result.low, B.high[j]!, B.low[j]!);
        add(sumHigh, sumLow, result.high, result.low);
        [sumHigh, sumLow] = [result.high, result.low];
      }
    multiply(sumHigh, sumLow, h, l);
    add(pose.high[9 + row]!, pose.low[9 + row]!, result.high, result.low);
    [pose.high[9 + row], pose.low[9 + row]] = [result.high, result.low];
  }
}
