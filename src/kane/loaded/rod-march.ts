/**
 * Rotations, forces and moments along a rod at rest whose strain is known at the points of steps, by collocation: R' = R κ^ from the base,
 * n' = −ρ g and m' = −R ν × n − R c × g from the tip, n and m those of everything beyond, in world axes; c is the moment of the mass of a section about the
 * line. Dead loads have the same n whatever the shape.
 */
import { cross } from '../../common/poses.ts';
import type { Collocation } from './gauss-steps.ts';
import { rateByRotation, rotationOf, solved, times, type Numbers } from './rotations.ts';

/** What hangs on the end of a rod, world axes: forces at places that it carries, and a moment. */
export interface EndLoads {
  /** m/s² */
  readonly gravity: Numbers;
  /** N m */
  readonly moment: Numbers;
  /** N, and where, in axes of the end, m. */
  readonly forces: readonly { readonly force: Numbers; readonly arm: Numbers }[];
}

/** Steps of a rod, in order; each has as many points as the collocation, which are its rows. */
export interface RodSteps {
  readonly method: Collocation;
  /** m, where steps end; one more than there are steps. */
  readonly nodes: readonly number[];
  /** m, of all rows. */
  readonly places: Float64Array;
  /** By row. */
  readonly weight: readonly Numbers[];
}

export function rodSteps(
  method: Collocation,
  nodes: readonly number[],
  weightAt: (places: Float64Array) => readonly Numbers[],
): RodSteps {
  const places = Float64Array.from(
    nodes.slice(1).flatMap((to, k) => method.points.map((c) => nodes[k]! + c * (to - nodes[k]!))),
  );
  return { method, nodes, places, weight: weightAt(places) };
}

/** A section: a quaternion, n, m and p, what is beyond it of the pull on each profile. */
interface RestingSection {
  readonly q: Numbers;
  readonly n: Numbers;
  readonly m: Numbers;
  readonly p: Numbers;
}

export interface RodAtRest {
  /** R */
  readonly rows: readonly (RestingSection & { readonly rotation: readonly Numbers[] })[];
  readonly nodes: readonly (RestingSection & { readonly position: Numbers })[];
}

/** At rows, and where steps end. */
interface AlongRod {
  readonly rows: readonly Numbers[];
  readonly nodes: readonly Numbers[];
}

/** α' = β from the start. @param rates β by row. */
export function outwardsAlong({ method, nodes }: RodSteps, start: Numbers, rates: readonly Numbers[]): AlongRod {
  const { weights, within } = method;
  const [rows, ends]: [Numbers[], Numbers[]] = [[], [start]];
  for (let k = 0; k + 1 < nodes.length; k++) {
    const h = nodes[k + 1]! - nodes[k]!;
    const own = rates.slice(weights.length * k, weights.length * (k + 1));
    rows.push(...within.map((shares) => advanced(ends[k]!, h, shares, own)));
    ends.push(advanced(ends[k]!, h, weights, own));
  }
  return { rows, nodes: ends };
}

/** p' = ∂w/∂α, p = 0 at the end. @param pulls ∂w/∂α by row. */
function inwardsAlong({ method, nodes }: RodSteps, pulls: readonly Numbers[]): AlongRod {
  const { weights, within } = method;
  const [rows, ends]: [Numbers[], Numbers[]] = [[], [pulls[0]!.map(() => 0)]];
  for (let k = nodes.length - 2; k >= 0; k--) {
    const h = nodes[k + 1]! - nodes[k]!;
    const own = pulls.slice(weights.length * k, weights.length * (k + 1));
    const beyond = within.map((shares) => shares.map((a, j) => a - weights[j]!));
    rows.unshift(...beyond.map((shares) => advanced(ends[0]!, h, shares, own)));
    ends.unshift(
      advanced(
        ends[0]!,
        h,
        weights.map((b) => -b),
        own,
      ),
    );
  }
  return { rows, nodes: ends };
}

/** @param base quaternion and position at the start. @param strains by row, six first. @param pulls ∂w/∂α of profiles by row. */
export function marchAlong(
  along: RodSteps,
  base: { readonly q: Numbers; readonly position: Numbers },
  strains: readonly Numbers[],
  loads: EndLoads,
  pulls: readonly Numbers[],
): RodAtRest {
  const { method, nodes, weight } = along;
  const { weights, within } = method;
  const count = weights.length;
  const steps = nodes.length - 1;
  const turned: number[][] = [];
  const [quaternions, positions] = [[[...base.q]], [[...base.position]]];
  for (let k = 0; k < steps; k++) {
    const h = nodes[k + 1]! - nodes[k]!;
    const rates = weights.map((_, i) => rateByRotation(strains[count * k + i]!));
    const own = quaternions[k]!;
    const stages = stagesOf(h, within, rates, own);
    turned.push(...stages);
    const velocity = stages.map((q, i) => times(rates[i]!, q));
    quaternions.push(advanced(own, h, weights, velocity));
    const tangents = stages.map((q, i) => times(rotationOf(q), strains[count * k + i]!.slice(3, 6)));
    positions.push(advanced(positions[k]!, h, weights, tangents));
  }
  const matrices = turned.map(rotationOf);
  const { gravity } = loads;
  const end = rotationOf(quaternions[steps]!);
  const n: number[][] = [total(loads.forces.map(({ force }) => force))];
  const m: number[][] = [total([loads.moment, ...loads.forces.map(({ force, arm }) => cross(times(end, arm), force))])];
  const [forces, moments]: number[][][] = [[], []];
  for (let k = steps - 1; k >= 0; k--) {
    const h = nodes[k + 1]! - nodes[k]!;
    const rows = weights.map((_, i) => count * k + i);
    const weighing = rows.map((row) => gravity.map((g) => g * weight[row]![0]!));
    const beyond = rows.map((_, i) => weights.map((b, j) => b - within[i]![j]!));
    const own = beyond.map((shares) => advanced(n[0]!, h, shares, weighing));
    const turning = rows.map((row, i) => {
      const arm = times(matrices[row]!, [weight[row]![1]!, weight[row]![2]!, 0]);
      const tangent = times(matrices[row]!, strains[row]!.slice(3, 6));
      return total([cross(tangent, own[i]!), cross(arm, gravity)]);
    });
    forces!.unshift(...own);
    moments!.unshift(...beyond.map((shares) => advanced(m[0]!, h, shares, turning)));
    n.unshift(advanced(n[0]!, h, weights, weighing));
    m.unshift(advanced(m[0]!, h, weights, turning));
  }
  const p = inwardsAlong(along, pulls);
  return {
    rows: turned.map((q, i) => ({ q, rotation: matrices[i]!, n: forces![i]!, m: moments![i]!, p: p.rows[i]! })),
    nodes: quaternions.map((q, k) => ({ q, position: positions[k]!, n: n[k]!, m: m[k]!, p: p.nodes[k]! })),
  };
}

const total = (vectors: readonly Numbers[]): number[] =>
  [0, 1, 2].map((i) => vectors.reduce((sum, own) => sum + own[i]!, 0));

const advanced = (from: Numbers, h: number, weights: Numbers, rates: readonly Numbers[]): number[] =>
  from.map((e, i) => e + h * weights.reduce((sum, w, k) => sum + w * rates[k]![i]!, 0));

/** Q_i = Q + h Σ a_ij M_j Q_j */
function stagesOf(
  h: number,
  within: readonly Numbers[],
  rates: readonly (readonly Numbers[])[],
  start: Numbers,
): number[][] {
  const size = 4 * within.length;
  const matrix = Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (__, column) => {
      const [i, j] = [Math.floor(row / 4), Math.floor(column / 4)];
      const entry = h * within[i]![j]! * rates[j]![row % 4]![column % 4]!;
      return (row === column ? 1 : 0) - entry;
    }),
  );
  const right = Array.from({ length: size }, (_, row) => [start[row % 4]!]);
  const found = solved(matrix, right);
  // Strains beyond all numbers leave no rotations, and what they make no numbers either.
  return within.map((_, i) => found?.slice(4 * i, 4 * i + 4).map(([e]) => e!) ?? [NaN, NaN, NaN, NaN]);
}
