/**
 * Small changes of a rod at rest, for all loads and coordinates at once, in time that grows with the number of steps. With y = (δQ, δm) each point has
 *   H δξ = ∂Λ/∂y y + π,  y' = J y + ρ   (Λ = (Rᵀ m, Rᵀ n), what is beyond, in axes of the section),
 * each step y⁺ = Γ y + γ by collocation, and the moment follows the rotation: inwards from the tip δm = S δQ + T,
 *   (d − S⁺ b) δm = (S⁺ a − c) δQ + S⁺ u + T⁺ − v   with Γ = [a b; c d], γ = (u; v),
 * then outwards from δQ = 0. With b as it turns the end of the step, bᵀ (d − S⁺ b) is what the second variation of the energy leaves to the step: where it is not
 * positive, the rod beyond buckles (docs/mathematics.md, "Rods under loads").
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
  /** Number of coordinates, in columns behind it; force and moment at the end have three each, last. None where false. */
  readonly derivatives: number | false;
}

export interface Change {
  /** By row and free strain and column. */
  readonly strains: readonly (readonly Numbers[])[];
  /** (δQ, δm) where steps end, 7 × columns each. */
  readonly states: readonly (readonly Numbers[])[];
  /** Of the end, world axes, by column: rotation vector and displacement. 6 × columns. */
  readonly end: readonly Numbers[];
  /** m, places of steps beyond which the rod is no minimum of energy. */
  readonly unstable: readonly number[];
}

interface SweepInput {
  readonly steps: RodSteps;
  readonly rod: RodAtRest;
  /** By row, six. */
  readonly strains: readonly Numbers[];
  readonly balance: BalanceRows;
  readonly free: readonly number[];
  readonly loads: EndLoads;
}

/** Λ of a row, six components. */
export const loadOf = ({ rotation, n, m }: RodAtRest['rows'][number]): number[] => {
  const own = transposed(rotation);
  return [...times(own, m), ...times(own, n)];
};

/** ∂Λ/∂(Q, m) of a row, 6 × 7. */
export const loadSlope = ({ q, rotation, n, m }: RodAtRest['rows'][number]): number[][] => [
  ...transposedSlope(q, m).map((slopes, i) => [...slopes, ...transposed(rotation)[i]!]),
  ...transposedSlope(q, n).map((slopes) => [...slopes, 0, 0, 0]),
];

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
  return { ...outwards(input, rows, local as Step[], inwards.first), unstable: inwards.unstable };
}

/** δξ = P y + π, 6 × 7 and 6 × columns; y' = J y + ρ. */
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
  const { q, rotation, n } = here;
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
    for (let i = 0; i < 3; i++) right.push(free.map((c) => (c < 3 ? 0 : inverse[c - 3]![i]!)));
    for (let i = 0; i < 3; i++) right.push(free.map(() => 0));
  }
  const whole = (solved: Numbers): number[] => {
    const six = [0, 0, 0, 0, 0, 0];
    free.forEach((c, i) => (six[c] = solved[i]!));
    return six;
  };
  const slope = transposed(transposed(byState).map((column) => whole(divide(free.map((c) => column[c]!)))));
  const own = transposed(right.map((column) => whole(divide(column))));
  const [, x, y] = steps.weight[row]!;
  const turn = rateByCurvature(q);
  const [force, gravity] = [skew(n), skew(loads.gravity)];
  const tangent = strain.slice(3);
  const stretched = (of: readonly Numbers[]): number[][] => product(force, product(rotation, of.slice(3)));
  const ofRotation = addMatrices(
    product(force, rotationSlope(q, tangent)),
    product(gravity, rotationSlope(q, [x!, y!, 0])),
  );
  const spin = rateByRotation(strain);
  const bend = product(turn, slope.slice(0, 3));
  const pull = stretched(slope);
  const rate = [
    ...spin.map((entries, i) => bend[i]!.map((e, k) => e + (entries[k] ?? 0))),
    ...pull.map((entries, i) => entries.map((e, k) => e + (ofRotation[i]![k] ?? 0))),
  ];
  const bent = product(turn, own.slice(0, 3));
  const pulled = stretched(own);
  const change = [...bent, ...pulled];
  // − R ν × δn where the force at the end grows.
  const first = own[0]!.length - 6;
  if (derivatives !== false)
    [0, 1, 2].forEach((i) => {
      const unit = [0, 1, 2].map((k) => (k === i ? 1 : 0));
      cross(times(rotation, tangent), unit).forEach((e, k) => (change[4 + k]![first + i]! -= e));
    });
  return { slope, own, rate, change };
}

const addMatrices = (a: readonly Numbers[], b: readonly Numbers[]): number[][] =>
  a.map((row, i) => row.map((e, k) => e + b[i]![k]!));

/** Of a step: y' at its points, and y⁺, for y = 1 (7 columns) and for what changes. */
interface Step {
  readonly rates: readonly (readonly Numbers[])[];
  readonly across: readonly Numbers[];
}

const STATE = 7;

/** K_i − h J_i Σ a_ij K_j = [J_i, ρ_i], y⁺ = [1, 0] + h Σ b_i K_i */
function stepOf({ method, nodes }: RodSteps, k: number, points: readonly Point[]): Step | undefined {
  const { weights, within } = method;
  const h = nodes[k + 1]! - nodes[k]!;
  const size = STATE * weights.length;
  const matrix = Array.from({ length: size }, (_, row) => {
    const [i, r] = [Math.floor(row / STATE), row % STATE];
    const rate = points[i]!.rate[r]!;
    return Array.from({ length: size }, (__, column) => {
      const [j, c] = [Math.floor(column / STATE), column % STATE];
      return (row === column ? 1 : 0) - h * within[i]![j]! * rate[c]!;
    });
  });
  const right = points.flatMap(({ rate, change }) => rate.map((entries, i) => [...entries, ...change[i]!]));
  const found = solved(matrix, right);
  if (!found) return undefined;
  const rates = weights.map((_, i) => found.slice(STATE * i, STATE * (i + 1)));
  const across = Array.from({ length: STATE }, (_, r) =>
    found[r]!.map((__, c) => (r === c ? 1 : 0) + h * weights.reduce((sum, b, i) => sum + b * rates[i]![r]![c]!, 0)),
  );
  return { rates, across };
}

/** δm = S δQ + T from the end to the start; T at the start. */
function eliminated(
  { steps, rod, loads }: SweepInput,
  local: readonly Step[],
  { derivatives }: Columns,
  width: number,
): { readonly first: readonly Numbers[]; readonly unstable: readonly number[] } | { readonly singularAt: number } {
  const end = rod.nodes.at(-1)!;
  // Forces on arms turn with the end.
  let S = [0, 1, 2].map(() => [0, 0, 0, 0]);
  for (const { force, arm } of loads.forces)
    S = addMatrices(
      S,
      product(skew(force), rotationSlope(end.q, arm)).map((row) => row.map((e) => -e)),
    );
  let T: number[][] = [0, 1, 2].map((i) =>
    Array.from({ length: width }, (_, c) => (derivatives !== false && c === width - 3 + i ? 1 : 0)),
  );
  const unstable: number[] = [];
  for (let k = local.length - 1; k >= 0; k--) {
    const { across } = local[k]!;
    const upper = across.slice(0, 4);
    const lower = across.slice(4);
    // Behind the seven columns of y stand those of what changes.
    const moved = product(S, upper);
    const pivot = lower.map((row, i) => row.slice(4, STATE).map((e, c) => e - moved[i]![4 + c]!));
    const right = lower.map((row, i) => [
      ...row.slice(0, 4).map((e, c) => moved[i]![c]! - e),
      ...row.slice(STATE).map((e, c) => moved[i]![STATE + c]! + T[i]![c]! - e),
    ]);
    const bent = product(
      turnOf(rod.nodes[k + 1]!.q),
      upper.map((row) => row.slice(4, STATE)),
    );
    if (isBelowZero(product(transposed(bent), pivot))) unstable.push(steps.nodes[k]!);
    const found = solved(pivot, right);
    if (!found) return { singularAt: steps.nodes[k]! };
    S = found.map((row) => row.slice(0, 4));
    T = found.map((row) => row.slice(4));
  }
  return { first: T, unstable };
}

/** Of the symmetric part of a 3 × 3 matrix some eigenvalue, beyond rounding; directions in which nothing bends have zeros. */
function isBelowZero(matrix: readonly Numbers[]): boolean {
  const symmetric = matrix.map((row, i) => row.map((e, k) => (e + matrix[k]![i]!) / 2));
  const scale = Math.max(...symmetric.flat().map(Math.abs));
  if (!(scale > 0)) return false;
  return smallestEigenvector(symmetric.map((row) => row.map((e) => e / scale))).value < -NOTHING;
}

const NOTHING = 1e-9;

/** From δQ = 0 at the start to the end. */
function outwards(
  { steps, rod, strains, free }: SweepInput,
  points: readonly Point[],
  local: readonly Step[],
  first: readonly Numbers[],
): Pick<Change, 'strains' | 'states' | 'end'> {
  const { weights, within } = steps.method;
  const width = first[0]!.length;
  const zeros = (rows: number): number[][] => Array.from({ length: rows }, () => new Array<number>(width).fill(0));
  let state = [...zeros(4), ...first.map((row) => [...row])];
  let position = zeros(3);
  const found: number[][][] = [];
  const states: number[][][] = [state];
  local.forEach(({ rates, across }, k) => {
    const h = steps.nodes[k + 1]! - steps.nodes[k]!;
    const follow = (matrix: readonly Numbers[]): number[][] =>
      addMatrices(
        product(
          matrix.map((row) => row.slice(0, STATE)),
          state,
        ),
        matrix.map((row) => row.slice(STATE)),
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
        product(rotationSlope(q, strains[row]!.slice(3)), here.slice(0, 4)),
        product(rotation, change.slice(3)),
      );
      position = position.map((entries, r) => entries.map((e, c) => e + h * weight * tangent[r]![c]!));
    });
    state = follow(across);
    states.push(state);
  });
  const turned = product(turnOf(rod.nodes.at(-1)!.q), state.slice(0, 4));
  return { strains: found, states, end: [...turned, ...position] };
}
