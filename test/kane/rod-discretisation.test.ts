/**
 * What `points` and `magnus` of a rod by its strain mean, in plain numbers: code of another version that means something else by them has
 * other digits, however fine the rod is. Formulas: docs/mathematics.md, collocation and rotations.
 */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

type Vector = readonly [number, number, number];
type Rotation = readonly [Vector, Vector, Vector];

const POINTS = 5;
const [L, RADIUS, DENSITY] = [0.3, 0.01, 1100];

const robotText = (magnus: number): string => `kanegen: 1
name: rod
gravity: [0, 0, 0]
body-types:
  rod:
    parameters: { L: ${L} m, R: ${RADIUS * 1000} mm, rho: ${DENSITY} kg/m^3 }
    coordinates: { b: { count: 2, unit: rad }, w: { unit: rad }, e: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-x: "(b1 + b2*(s/L)^2)/L", bend-y: b2*s/L^2, twist: w*cos(3*s/L)/L, shear-x: e*s/L^2, stretch: e/L }
    integration: { points: ${POINTS}, magnus: ${magnus} }
links: [ { body: rod } ]
`;

const Q = [1.1, -0.7, 0.9, 0.05] as const;

/** κ, and its derivatives by the coordinates, at s. */
function bending(s: number): { readonly value: Vector; readonly by: readonly Vector[] } {
  const u = s / L;
  const by: Vector[] = [
    [1 / L, 0, 0],
    [u ** 2 / L, u / L, 0],
    [0, 0, Math.cos(3 * u) / L],
    [0, 0, 0],
  ];
  return { value: sum(by.map((own, a) => scaled(Q[a]!, own))), by };
}

/** ν in the same way. */
function stretching(s: number): { readonly value: Vector; readonly by: readonly Vector[] } {
  const last: Vector = [s / L ** 2, 0, 1 / L];
  const none: Vector = [0, 0, 0];
  return { value: sum([[0, 0, 1], scaled(Q[3], last)]), by: [none, none, none, last] };
}

// ---------------------------------------------------------------------------------------------- vectors

const scaled = (factor: number, [x, y, z]: Vector): Vector => [factor * x, factor * y, factor * z];
const sum = (all: readonly Vector[]): Vector =>
  all.reduce<Vector>((a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]], [0, 0, 0]);
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector, b: Vector): Vector => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const turned = (R: Rotation, v: Vector): Vector => [dot(R[0], v), dot(R[1], v), dot(R[2], v)];
const transposed = (R: Rotation): Rotation =>
  [0, 1, 2].map((j) => R.map((row) => row[j]!) as unknown as Vector) as unknown as Rotation;
const product = (A: Rotation, B: Rotation): Rotation => {
  const columns = transposed(B);
  return A.map((row) => columns.map((column) => dot(row, column))) as unknown as Rotation;
};

/** The rotation by a vector (Rodrigues). */
function exponential(v: Vector): Rotation {
  const angle = Math.hypot(...v);
  const [a, b] = [Math.sin(angle) / angle, (1 - Math.cos(angle)) / angle ** 2];
  const unit: Rotation = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
  return transposed(
    unit.map((e) => sum([e, scaled(a, cross(v, e)), scaled(b, cross(v, cross(v, e)))])) as unknown as Rotation,
  );
}

// ---------------------------------------------------------------------------------------------- rules

/** Nodes in [−1, 1] and weights of Gauss and Legendre, by eigenvalues (Golub & Welsch 1969). */
function gauss(count: number): { readonly nodes: readonly number[]; readonly weights: readonly number[] } {
  const jacobi = Matrix.zeros(count, count);
  for (let k = 1; k < count; k++) {
    const entry = k / Math.sqrt(4 * k ** 2 - 1);
    jacobi.set(k, k - 1, entry);
    jacobi.set(k - 1, k, entry);
  }
  const { realEigenvalues: values, eigenvectorMatrix: vectors } = new EigenvalueDecomposition(jacobi);
  const order = values.map((_, i) => i).sort((i, j) => values[i]! - values[j]!);
  return { nodes: order.map((i) => values[i]!), weights: order.map((i) => 2 * vectors.get(0, i) ** 2) };
}

/** Coefficients of the polynomial with these values at these places, from the constant on. */
function interpolated(places: readonly number[], values: readonly Vector[]): Vector[] {
  const powers = new Matrix(places.map((t) => places.map((_, k) => t ** k)));
  const columns = [0, 1, 2].map((i) =>
    solved(
      powers,
      values.map((v) => v[i]!),
    ),
  );
  return places.map((_, k) => columns.map((column) => column[k]!) as unknown as Vector);
}

/** By elimination of a small matrix without pivots: places are apart. */
function solved(matrix: Matrix, right: readonly number[]): number[] {
  const rows = matrix.to2DArray().map((row, i) => [...row, right[i]!]);
  rows.forEach((pivot, i) =>
    rows.forEach((row, j) => {
      if (i === j) return;
      const factor = row[i]! / pivot[i]!;
      pivot.forEach((x, k) => (row[k]! -= factor * x));
    }),
  );
  return rows.map((row, i) => row.at(-1)! / row[i]!);
}

/** [a, b] is b × a: κ stands to the right of the frame. */
const bracket = (a: Vector, b: Vector): Vector => cross(b, a);

/** The rotation over a length, by a step of order 4 or 6. */
function magnusStep(from: number, to: number, order: 4 | 6): Rotation {
  const h = to - from;
  const { nodes } = gauss(order / 2);
  const places = nodes.map((x) => (h * x) / 2);
  const coefficients = interpolated(
    places,
    places.map((t) => bending((from + to) / 2 + t).value),
  );
  const [a1, a2, a3] = coefficients.map((own, j) => scaled(h ** (j + 1), own)) as [Vector, Vector, Vector | undefined];
  const C = bracket(a1, a2);
  if (order === 4) return exponential(sum([a1, scaled(-1 / 12, C)]));
  const inner = sum([scaled(-20, a1), scaled(-1, a3!), C]);
  const outer = sum([a2, scaled(-1 / 60, bracket(a1, sum([scaled(2, a3!), C])))]);
  return exponential(sum([a1, scaled(1 / 12, a3!), scaled(1 / 240, bracket(inner, outer))]));
}

/** A_ij of integrals from the start of the rod to its points, of the polynomial through these. */
function integrals(nodes: readonly number[]): readonly (readonly number[])[] {
  const { nodes: fine, weights } = gauss(nodes.length);
  const basis = nodes.map(
    (own, j) =>
      (x: number): number =>
        nodes.reduce((value, other, k) => (k === j ? value : (value * (x - other)) / (own - other)), 1),
  );
  return nodes.map((end) =>
    basis.map((of) =>
      fine.reduce((total, x, k) => total + (weights[k]! * (end + 1) * of(((end + 1) * (x + 1)) / 2 - 1)) / 2, 0),
    ),
  );
}

/** Tip and mass matrix of the discrete rod. */
function discreteRod(order: 4 | 6): { readonly tip: Vector; readonly end: Rotation; readonly M: readonly number[][] } {
  const { nodes, weights } = gauss(POINTS);
  const lengths = weights.map((w) => (w * L) / 2);
  const places = nodes.map((x) => ((x + 1) * L) / 2);
  let turn: Rotation = exponential([1e-20, 0, 0]);
  let start = 0;
  const R = places.map((s, j) => {
    const there = product(turn, magnusStep(start, s, order));
    turn = product(there, magnusStep(s, start + lengths[j]!, order));
    start += lengths[j]!;
    return there;
  });
  // A_ij is of integrands, those of points carry their lengths: L/2 of an interval of length 2.
  const A = integrals(nodes);
  const outwards = (values: readonly Vector[]): Vector[] =>
    nodes.map((_, i) => sum(values.map((own, j) => scaled((A[i]![j]! * L) / 2, own))));
  const along = places.map((s, j) => turned(R[j]!, stretching(s).value));
  const columns = Q.map((_, a) => {
    const turns = outwards(places.map((s, j) => turned(R[j]!, bending(s).by[a]!)));
    const moves = outwards(
      places.map((s, j) => sum([cross(turns[j]!, along[j]!), turned(R[j]!, stretching(s).by[a]!)])),
    );
    return { turns, moves };
  });
  const [mass, second] = [DENSITY * Math.PI * RADIUS ** 2, (DENSITY * Math.PI * RADIUS ** 4) / 4];
  const M = columns.map((a) =>
    columns.map((b) =>
      lengths.reduce((total, length, j) => {
        const [own, other] = [a, b].map(({ turns }) => turned(transposed(R[j]!), turns[j]!)) as [Vector, Vector];
        const spin = own[0] * other[0] + own[1] * other[1] + 2 * own[2] * other[2];
        return total + length * (mass * dot(a.moves[j]!, b.moves[j]!) + second * spin);
      }, 0),
    ),
  );
  return { tip: sum(along.map((v, j) => scaled(lengths[j]!, v))), end: turn, M };
}

describe('a rod of five points', () => {
  it.each([4, 6] as const)('is that of the formulas: steps of order %d', async (order) => {
    const robot = loadRobotText(robotText(order), 'rod.robot.yaml');
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const n = Q.length;
    const [R, t, J, M] = [9, 3, 6 * n, n * n].map((size) => new Float64Array(size)) as [
      Float64Array,
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    expect(dynamics.update([...Q], new Array<number>(n).fill(0))).toBe(0);
    expect(dynamics.frame(0, R, t, J)).toBe(0);
    expect(dynamics.massMatrix(M)).toBe(0);
    const due = discreteRod(order);
    t.forEach((x, i) => expect(Math.abs(x - due.tip[i]!)).toBeLessThan(1e-14));
    R.forEach((x, i) => expect(Math.abs(x - due.end.flat()[i]!)).toBeLessThan(1e-13));
    const scales = due.M.map((row, a) => Math.sqrt(row[a]!));
    M.forEach((x, i) => {
      const [a, b] = [Math.floor(i / n), i % n];
      expect(Math.abs(x - due.M[a]![b]!)).toBeLessThan(1e-13 * scales[a]! * scales[b]!);
    });
  });

  it('has other digits by steps of another order', () => {
    const [four, six] = [discreteRod(4), discreteRod(6)];
    expect(Math.hypot(...sum([four.tip, scaled(-1, six.tip)]))).toBeGreaterThan(1e-8);
  });
});
