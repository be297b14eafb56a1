/**
 * Small changes of a rod at rest, for all loads and coordinates at once, in time that grows with the number of steps. With y = (δQ, δm) each point has
 *   H δξ = ∂Λ/∂y y + π,  y' = J y + ρ   (Λ = (Rᵀ m, Rᵀ n), what is beyond, in axes of the section),
 * each step y⁺ = Γ y + γ by collocation, and the moment follows the rotation: inwards from the tip δm = S δQ + T,
 *   (d − S⁺ b) δm = (S⁺ a − c) δQ + S⁺ u + T⁺ − v   with Γ = [a b; c d], γ = (u; v),
 * then outwards from δQ = 0. With b as it turns the end of the step, bᵀ (d − S⁺ b) is what the second variation of the energy leaves to the step: where it is not
 * positive, the rod beyond buckles (docs/mathematics.md, "Rods under loads"). With profiles y = ((δQ, δα), (δm, δp)): S is of what stands first, T of the other.
 */
import { cross } from '../../common/poses.ts';
import { smallestEigenvector } from '../sections/small-matrices.ts';
import type { BalanceRows } from './section-rows.ts';
import type { EndLoads, RodAtRest, RodSteps } from './rod-march.ts';
import {
  product,
  rateByCurvature,
  rateByRotation,
  rotationSlope,
  skew,
  solved,
  times,
  transposed,
  transposedSlope,
  turnOf,
  type Numbers,
} from './rotations.ts';

/** What changes, a column each. */
export interface Columns {
  /** Of the correction of Newton's method. */
  readonly correction: boolean;
  /** Number of coordinates, in columns behind it, then the start of each profile; force and moment at the end have three each, last. None where false. */
  readonly derivatives: number | false;
}

export interface Change {
  /** By row and unknown and column. */
  readonly strains: readonly (readonly Numbers[])[];
  /** y where steps end, by its entries and columns. */
  readonly states: readonly (readonly Numbers[])[];
  /** Of the end, world axes, by column: rotation vector and displacement. 6 × columns. */
  readonly end: readonly Numbers[];
  /** m, places of steps beyond which the rod is no minimum of energy. */
  readonly unstable: readonly number[];
}

interface SweepInput {
  readonly steps: RodSteps;
  readonly rod: RodAtRest;
  /** By row, six and the rates of profiles. */
  readonly strains: readonly Numbers[];
  readonly balance: BalanceRows;
  readonly free: readonly number[];
  readonly loads: EndLoads;
}

/** Where parts of y begin, by the number of profiles. */
interface Places {
  readonly alpha: number;
  readonly m: number;
  readonly p: number;
  readonly size: number;
}
const placesOf = (profiles: number): Places => ({ alpha: 4, m: 4 + profiles, p: 7 + profiles, size: 7 + 2 * profiles });

/** (Λ, p) of a row. */
export const loadOf = ({ rotation, n, m, p }: RodAtRest['rows'][number]): number[] => {
  const own = transposed(rotation);
  return [...times(own, m), ...times(own, n), ...p];
};

/** ∂(Λ, p)/∂y of a row. */
export function loadSlope({ q, rotation, n, m, p }: RodAtRest['rows'][number]): number[][] {
  const none = p.map(() => 0);
  const inverse = transposed(rotation);
  return [
    ...transposedSlope(q, m).map((slopes, i) => [...slopes, ...none, ...inverse[i]!, ...none]),
    ...transposedSlope(q, n).map((slopes) => [...slopes, ...none, 0, 0, 0, ...none]),
    ...p.map((_, j) => [0, 0, 0, 0, ...none, 0, 0, 0, ...none.map((__, i) => (i === j ? 1 : 0))]),
  ];
}

/** @returns none where a section is unstable or a step has no solution; then the place. */
export function sweep(input: SweepInput, columns: Columns): Change | { readonly singularAt: number } {
  const { steps, rod } = input;
  const { weights } = steps.method;
  const count = steps.nodes.length - 1;
  const points = rod.rows.map((_, row) => pointOf(input, row, columns));
  const failed = points.findIndex((own) => own === undefined);
  if (failed >= 0) return { singularAt: steps.places[failed]! };
  const rows = points as Point[];
  const local = Array.from({ length: count }, (_, k) =>
    stepOf(steps, k, rows.slice(weights.length * k, weights.length * (k + 1))),
  );
  const singular = local.findIndex((own) => own === undefined);
  if (singular >= 0) return { singularAt: steps.nodes[singular]! };
  const width = rows[0]!.change[0]!.length;
  const inwards = eliminated(input, local as Step[], columns, width);
  if ('singularAt' in inwards) return inwards;
  return { ...outwards(input, rows, local as Step[], inwards, columns), unstable: inwards.unstable };
}

/** δξ = P y + π of six strains and the rates of profiles; y' = J y + ρ. */
interface Point {
  readonly slope: readonly Numbers[];
  readonly own: readonly Numbers[];
  readonly rate: readonly Numbers[];
  readonly change: readonly Numbers[];
}

function pointOf(input: SweepInput, row: number, { correction, derivatives }: Columns): Point | undefined {
  const { steps, rod, strains, balance, free, loads } = input;
  const divide = balance.factor(row);
  if (!divide) return undefined;
  const here = rod.rows[row]!;
  const { q, rotation, n, p } = here;
  const none = p.map(() => 0);
  const at = placesOf(p.length);
  const inverse = transposed(rotation);
  const strain = strains[row]!;
  const byState = loadSlope(here);
  const load = loadOf(here);
  const right: number[][] = [];
  if (correction) {
    const residual = balance.residual(row);
    right.push(free.map((c, i) => load[c]! - residual[i]!));
  }
  if (derivatives !== false) {
    for (let a = 0; a < derivatives; a++) right.push(balance.slope(row, a).map((e) => -e));
    none.forEach(() => right.push(free.map(() => 0)));
    for (let i = 0; i < 3; i++) right.push(free.map((c) => inverse[c - 3]?.[i] ?? 0));
    for (let i = 0; i < 3; i++) right.push(free.map(() => 0));
  }
  const whole = (solved: Numbers): number[] => {
    const all = [0, 0, 0, 0, 0, 0, ...none];
    free.forEach((c, i) => (all[c] = solved[i]!));
    return all;
  };
  const ofProfiles = none.map((_, j) => balance.byProfile(row, j));
  const slope = transposed(
    transposed(byState).map((column, k) =>
      whole(divide(free.map((c, i) => column[c]! - (ofProfiles[k - at.alpha]?.[i] ?? 0)))),
    ),
  );
  const own = transposed(right.map((column) => whole(divide(column))));
  const [, x, y] = steps.weight[row]!;
  const turn = rateByCurvature(q);
  const [force, gravity] = [skew(n), skew(loads.gravity)];
  const tangent = strain.slice(3, 6);
  const stretched = (of: readonly Numbers[]): number[][] => product(force, product(rotation, of.slice(3, 6)));
  const ofRotation = addMatrices(
    product(force, rotationSlope(q, tangent)),
    product(gravity, rotationSlope(q, [x!, y!, 0])),
  );
  const spin = rateByRotation(strain);
  const bend = product(turn, slope.slice(0, 3));
  const pull = stretched(slope);
  // ∂²w/∂α∂ξ δξ + ∂²w/∂α² δα
  const pulledBy = (of: readonly Numbers[]): number[][] =>
    ofProfiles.length === 0
      ? []
      : product(
          ofProfiles,
          free.map((c) => of[c]!),
        );
  const stiffness = none.map((_, j) => balance.pullByProfile(row, j));
  const rate = [
    ...spin.map((entries, i) => bend[i]!.map((e, k) => e + (entries[k] ?? 0))),
    ...slope.slice(6),
    ...pull.map((entries, i) => entries.map((e, k) => e + (ofRotation[i]![k] ?? 0))),
    ...pulledBy(slope).map((entries, j) => entries.map((e, k) => e + (stiffness[j]![k - at.alpha] ?? 0))),
  ];
  const bent = product(turn, own.slice(0, 3));
  const pulled = stretched(own);
  const change = [...bent, ...own.slice(6), ...pulled, ...pulledBy(own)];
  // − R ν × δn where the force at the end grows.
  const first = own[0]!.length - 6;
  if (derivatives !== false)
    [0, 1, 2].forEach((i) => {
      const unit = [0, 1, 2].map((k) => (k === i ? 1 : 0));
      cross(times(rotation, tangent), unit).forEach((e, k) => (change[at.m + k]![first + i]! -= e));
    });
  return { slope, own, rate, change };
}

const addMatrices = (a: readonly Numbers[], b: readonly Numbers[]): number[][] =>
  a.map((row, i) => row.map((e, k) => e + b[i]![k]!));

/** Of a step: y' at its points, and y⁺, for y = 1 and for what changes. */
interface Step {
  readonly rates: readonly (readonly Numbers[])[];
  readonly across: readonly Numbers[];
}

/** K_i − h J_i Σ a_ij K_j = [J_i, ρ_i], y⁺ = [1, 0] + h Σ b_i K_i */
function stepOf({ method, nodes }: RodSteps, k: number, points: readonly Point[]): Step | undefined {
  const { weights, within } = method;
  const h = nodes[k + 1]! - nodes[k]!;
  const state = points[0]!.rate.length;
  const size = state * weights.length;
  const matrix = Array.from({ length: size }, (_, row) => {
    const [i, r] = [Math.floor(row / state), row % state];
    const rate = points[i]!.rate[r]!;
    return Array.from({ length: size }, (__, column) => {
      const [j, c] = [Math.floor(column / state), column % state];
      return (row === column ? 1 : 0) - h * within[i]![j]! * rate[c]!;
    });
  });
  const right = points.flatMap(({ rate, change }) => rate.map((entries, i) => [...entries, ...change[i]!]));
  const found = solved(matrix, right);
  if (!found) return undefined;
  const rates = weights.map((_, i) => found.slice(state * i, state * (i + 1)));
  const across = Array.from({ length: state }, (_, r) =>
    found[r]!.map((__, c) => (r === c ? 1 : 0) + h * weights.reduce((sum, b, i) => sum + b * rates[i]![r]![c]!, 0)),
  );
  return { rates, across };
}

/** δm = S δQ + T from the end to the start; S and T at the start. */
function eliminated(
  { steps, rod, loads }: SweepInput,
  local: readonly Step[],
  { derivatives }: Columns,
  width: number,
):
  | { readonly stiffness: readonly Numbers[]; readonly first: readonly Numbers[]; readonly unstable: readonly number[] }
  | { readonly singularAt: number } {
  const end = rod.nodes.at(-1)!;
  const at = placesOf(end.p.length);
  const none = end.p.map(() => 0);
  // Forces on arms turn with the end.
  let S = [0, 1, 2].map(() => [0, 0, 0, 0]);
  for (const { force, arm } of loads.forces)
    S = addMatrices(
      S,
      product(skew(force), rotationSlope(end.q, arm)).map((row) => row.map((e) => -e)),
    );
  S = [...S.map((row) => [...row, ...none]), ...none.map(() => [0, 0, 0, 0, ...none])];
  let T: number[][] = S.map((_, i) =>
    Array.from({ length: width }, (__, c) => (derivatives !== false && i < 3 && c === width - 3 + i ? 1 : 0)),
  );
  const unstable: number[] = [];
  for (let k = local.length - 1; k >= 0; k--) {
    const { across } = local[k]!;
    const upper = across.slice(0, at.m);
    const lower = across.slice(at.m);
    // Behind the columns of y stand those of what changes.
    const moved = product(S, upper);
    const pivot = lower.map((row, i) => row.slice(at.m, at.size).map((e, c) => e - moved[i]![at.m + c]!));
    const right = lower.map((row, i) => [
      ...row.slice(0, at.m).map((e, c) => moved[i]![c]! - e),
      ...row.slice(at.size).map((e, c) => moved[i]![at.size + c]! + T[i]![c]! - e),
    ]);
    const given = upper.map((row) => row.slice(at.m, at.size));
    const bent = [...product(turnOf(rod.nodes[k + 1]!.q), given.slice(0, 4)), ...given.slice(4)];
    if (isBelowZero(product(transposed(bent), pivot))) unstable.push(steps.nodes[k]!);
    const found = solved(pivot, right);
    if (!found) return { singularAt: steps.nodes[k]! };
    S = found.map((row) => row.slice(0, at.m));
    T = found.map((row) => row.slice(at.m));
  }
  return { stiffness: S, first: T, unstable };
}

/** Of the symmetric part of a matrix some eigenvalue, beyond rounding; directions in which nothing bends have zeros. */
function isBelowZero(matrix: readonly Numbers[]): boolean {
  const symmetric = matrix.map((row, i) => row.map((e, k) => (e + matrix[k]![i]!) / 2));
  const scale = Math.max(...symmetric.flat().map(Math.abs));
  if (!(scale > 0)) return false;
  return smallestEigenvector(symmetric.map((row) => row.map((e) => e / scale))).value < -NOTHING;
}

const NOTHING = 1e-9;

/** From δQ = 0 and δα at the start to the end. */
function outwards(
  { steps, rod, strains, free }: SweepInput,
  points: readonly Point[],
  local: readonly Step[],
  { stiffness, first }: { readonly stiffness: readonly Numbers[]; readonly first: readonly Numbers[] },
  { derivatives }: Columns,
): Pick<Change, 'strains' | 'states' | 'end'> {
  const { weights, within } = steps.method;
  const width = first[0]!.length;
  const zeros = (rows: number): number[][] => Array.from({ length: rows }, () => new Array<number>(width).fill(0));
  const at = placesOf(rod.nodes[0]!.p.length);
  const begun = width - 6 - (at.m - at.alpha);
  const started = zeros(at.m).map((row, r) =>
    row.map((_, c) => (derivatives !== false && r >= at.alpha && c === begun + r - at.alpha ? 1 : 0)),
  );
  let state = [...started, ...addMatrices(product(stiffness, started), first)];
  let position = zeros(3);
  const found: number[][][] = [];
  const states: number[][][] = [state];
  local.forEach(({ rates, across }, k) => {
    const h = steps.nodes[k + 1]! - steps.nodes[k]!;
    const follow = (matrix: readonly Numbers[]): number[][] =>
      addMatrices(
        product(
          matrix.map((row) => row.slice(0, at.size)),
          state,
        ),
        matrix.map((row) => row.slice(at.size)),
      );
    const velocities = rates.map(follow);
    weights.forEach((weight, i) => {
      const row = weights.length * k + i;
      const { slope, own } = points[row]!;
      const { q, rotation } = rod.rows[row]!;
      const here = state.map((entries, r) =>
        entries.map((e, c) => e + h * within[i]!.reduce((sum, a, j) => sum + a * velocities[j]![r]![c]!, 0)),
      );
      const change = addMatrices(product(slope, here), own);
      found.push(free.map((c) => change[c]!));
      const tangent = addMatrices(
        product(rotationSlope(q, strains[row]!.slice(3, 6)), here.slice(0, 4)),
        product(rotation, change.slice(3, 6)),
      );
      position = position.map((entries, r) => entries.map((e, c) => e + h * weight * tangent[r]![c]!));
    });
    state = follow(across);
    states.push(state);
  });
  const turned = product(turnOf(rod.nodes.at(-1)!.q), state.slice(0, 4));
  return { strains: found, states, end: [...turned, ...position] };
}
