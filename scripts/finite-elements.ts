/**
 * A finite-element program in small: linear tetrahedra of a straight beam, their mass and stiffness matrices, and modes. It stands for
 * any such program in docs/modes.md, and knows nothing of kanegen.
 */
import { CholeskyDecomposition, EigenvalueDecomposition, Matrix, solve } from 'ml-matrix';

export interface Beam {
  /** x, y, z of every node, m. */
  readonly nodes: readonly (readonly [number, number, number])[];
  /** Four nodes each, from 0, positively oriented. */
  readonly tetrahedra: readonly (readonly [number, number, number, number])[];
}

export interface Elastic {
  /** Pa */
  readonly youngsModulus: number;
  readonly poissonsRatio: number;
  /** kg/m³ */
  readonly density: number;
}

/** A bar from z = 0 to z = length, about the z axis, of six tetrahedra in every cell. @param cells along x, y, z. */
export function beamMesh(
  [width, height, length]: readonly [number, number, number],
  [nx, ny, nz]: readonly [number, number, number],
): Beam {
  const nodes: [number, number, number][] = [];
  for (let k = 0; k <= nz; k++)
    for (let j = 0; j <= ny; j++)
      for (let i = 0; i <= nx; i++) nodes.push([width * (i / nx - 0.5), height * (j / ny - 0.5), (length * k) / nz]);
  const node = (i: number, j: number, k: number): number => (k * (ny + 1) + j) * (nx + 1) + i;
  const tetrahedra: [number, number, number, number][] = [];
  for (let k = 0; k < nz; k++)
    for (let j = 0; j < ny; j++)
      for (let i = 0; i < nx; i++)
        // From one corner of the cell to the opposite one, along its edges in every order; neighbours are mirror images, so that
        // the mesh of an even number of cells is as symmetric as the bar.
        for (const [a, b, c] of [
          [0, 1, 2],
          [1, 2, 0],
          [2, 0, 1],
          [0, 2, 1],
          [1, 0, 2],
          [2, 1, 0],
        ] as const) {
          const odd = [i % 2, j % 2, k % 2] as const;
          const at: [number, number, number] = [i + odd[0], j + odd[1], k + odd[2]];
          const path = [node(...at)];
          for (const axis of [a, b, c]) {
            at[axis] += odd[axis] ? -1 : 1;
            path.push(node(...at));
          }
          const [p, q, r, s] = path as [number, number, number, number];
          const isEven = (b - a + 3) % 3 === 1;
          const isMirrored = (i + j + k) % 2 === 1;
          tetrahedra.push(isEven !== isMirrored ? [p, q, r, s] : [p, q, s, r]);
        }
  return { nodes, tetrahedra };
}

/** Volume of a tetrahedron and the slopes of its four shape functions, from the inverse of the matrix of corners. */
function shapeOf({ nodes }: Beam, corners: readonly number[]): { volume: number; slopes: readonly number[][] } {
  const matrix = new Matrix(corners.map((node) => [1, ...nodes[node]!]));
  const inverse = solve(matrix, Matrix.eye(4));
  const [o, a, b, c] = corners.map((node) => nodes[node]!);
  const [u, v, w] = [a, b, c].map((p) => p!.map((x, i) => x - o![i]!)) as [number[], number[], number[]];
  const sixfold =
    u[0]! * (v[1]! * w[2]! - v[2]! * w[1]!) -
    u[1]! * (v[0]! * w[2]! - v[2]! * w[0]!) +
    u[2]! * (v[0]! * w[1]! - v[1]! * w[0]!);
  return { volume: sixfold / 6, slopes: [0, 1, 2, 3].map((i) => [1, 2, 3].map((row) => inverse.get(row, i))) };
}

/** Mass and stiffness over three displacements of every node: ∫ ρ NᵀN dV and ∫ BᵀC B dV. */
export function assemble(beam: Beam, elastic: Elastic): { readonly M: Matrix; readonly K: Matrix } {
  const size = 3 * beam.nodes.length;
  const [M, K] = [Matrix.zeros(size, size), Matrix.zeros(size, size)];
  const { youngsModulus: E, poissonsRatio: nu, density } = elastic;
  const mu = E / (2 * (1 + nu));
  const lambda = (E * nu) / ((1 + nu) * (1 - 2 * nu));
  // In Voigt's notation: xx, yy, zz and the shear angles yz, xz, xy.
  const C = Matrix.zeros(6, 6);
  for (let i = 0; i < 3; i++) {
    for (let j = 0; j < 3; j++) C.set(i, j, lambda + (i === j ? 2 * mu : 0));
    C.set(i + 3, i + 3, mu);
  }
  for (const corners of beam.tetrahedra) {
    const { volume, slopes } = shapeOf(beam, corners);
    const B = Matrix.zeros(6, 12);
    slopes.forEach(([x, y, z], i) => {
      for (const [row, axis, value] of [
        [0, 0, x],
        [1, 1, y],
        [2, 2, z],
        [3, 1, z],
        [3, 2, y],
        [4, 0, z],
        [4, 2, x],
        [5, 0, y],
        [5, 1, x],
      ] as const)
        B.set(row, 3 * i + axis, value!);
    });
    const stiffness = B.transpose().mmul(C).mmul(B).mul(volume);
    const places = corners.flatMap((node) => [3 * node, 3 * node + 1, 3 * node + 2]);
    places.forEach((row, i) =>
      places.forEach((column, j) => {
        K.set(row, column, K.get(row, column) + stiffness.get(i, j));
        if (i % 3 !== j % 3) return;
        const share = i === j ? 1 / 10 : 1 / 20;
        M.set(row, column, M.get(row, column) + density * volume * share);
      }),
    );
  }
  return { M, K };
}

/** Entries that may move: of nodes that are not at z = 0. */
export function freeEntries({ nodes }: Beam): number[] {
  return nodes.flatMap(([, , z], node) => (z === 0 ? [] : [3 * node, 3 * node + 1, 3 * node + 2]));
}

export interface Modes {
  /** rad/s, rising. */
  readonly frequencies: readonly number[];
  /** A column per mode, zero at clamped nodes; its largest entry is one. */
  readonly shapes: Matrix;
}

/** K φ = ω² M φ of the beam that is clamped at z = 0. */
export function clampedModes(beam: Beam, { M, K }: { M: Matrix; K: Matrix }, count: number): Modes {
  const free = freeEntries(beam);
  const L = new CholeskyDecomposition(M.selection(free, free)).lowerTriangularMatrix;
  // A = L⁻¹ K L⁻ᵀ
  const half = solve(L, K.selection(free, free));
  const A = solve(L, half.transpose());
  const symmetric = Matrix.add(A, A.transpose()).mul(0.5);
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(symmetric, { assumeSymmetric: true });
  const order = realEigenvalues.map((_, i) => i).sort((a, b) => realEigenvalues[a]! - realEigenvalues[b]!);
  const chosen = order.slice(0, count);
  const physical = solve(L.transpose(), eigenvectorMatrix.selection(range(free.length), chosen));
  const shapes = Matrix.zeros(3 * beam.nodes.length, count);
  chosen.forEach((_, a) => {
    const column = physical.getColumn(a);
    const largest = column.reduce((most, x) => (Math.abs(x) > Math.abs(most) ? x : most), 0);
    free.forEach((entry, i) => shapes.set(entry, a, column[i]! / largest));
  });
  return { frequencies: chosen.map((i) => Math.sqrt(realEigenvalues[i]!)), shapes };
}

const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

// ---------------------------------------------------------------------------------------------- large displacements

type Square = readonly (readonly number[])[];

const transposed = (a: Square): Square => [0, 1, 2].map((i) => [0, 1, 2].map((j) => a[j]![i]!));
const product = (a: Square, b: Square): Square =>
  [0, 1, 2].map((i) => [0, 1, 2].map((j) => a[i]![0]! * b[0]![j]! + a[i]![1]! * b[1]![j]! + a[i]![2]! * b[2]![j]!));
const sum = (...all: readonly Square[]): Square =>
  [0, 1, 2].map((i) => [0, 1, 2].map((j) => all.reduce((total, own) => total + own[i]![j]!, 0)));
const scaled = (a: Square, by: number): Square => a.map((row) => row.map((x) => by * x));
const symmetric = (a: Square): Square => scaled(sum(a, transposed(a)), 0.5);

/** λ tr(e) 1 + 2 μ e */
function stressOf({ youngsModulus: E, poissonsRatio: nu }: Elastic, e: Square): Square {
  const lambda = (E * nu) / ((1 + nu) * (1 - 2 * nu));
  const mean = lambda * (e[0]![0]! + e[1]![1]! + e[2]![2]!);
  return e.map((row, i) => row.map((x, j) => (E / (1 + nu)) * x + (i === j ? mean : 0)));
}

/** ∂u/∂X in an element. */
function gradientOf(u: readonly number[], corners: readonly number[], slopes: readonly number[][]): Square {
  return [0, 1, 2].map((i) =>
    [0, 1, 2].map((j) => corners.reduce((total, node, k) => total + u[3 * node + i]! * slopes[k]![j]!, 0)),
  );
}

/**
 * The part of the inner forces of the law of St. Venant and Kirchhoff that is of second order: f = K u + ½ f₂(u, u) + …
 * @param a, b displacements of all nodes.
 */
function secondOrderForces(beam: Beam, elastic: Elastic, a: readonly number[], b: readonly number[]): number[] {
  const forces = new Array<number>(a.length).fill(0);
  for (const corners of beam.tetrahedra) {
    const { volume, slopes } = shapeOf(beam, corners);
    const [Ha, Hb] = [gradientOf(a, corners, slopes), gradientOf(b, corners, slopes)];
    const [Sa, Sb] = [stressOf(elastic, symmetric(Ha)), stressOf(elastic, symmetric(Hb))];
    const stress = sum(stressOf(elastic, symmetric(product(transposed(Ha), Hb))), product(Hb, Sa), product(Ha, Sb));
    corners.forEach((node, k) => {
      for (let i = 0; i < 3; i++)
        forces[3 * node + i]! += volume * stress[i]!.reduce((total, x, j) => total + x * slopes[k]![j]!, 0);
    });
  }
  return forces;
}

/**
 * Static modal derivatives θ_ab = −K⁻¹ f₂(φ_a, φ_b): how the beam follows when it moves along modes by large amounts. The displacement is
 * Σ φ_a q_a + ½ Σ θ_ab q_a q_b.
 * @returns θ_ab of all nodes at `[a][b]`.
 */
export function modalDerivatives(beam: Beam, elastic: Elastic, K: Matrix, shapes: Matrix): number[][][] {
  const free = freeEntries(beam);
  const inner = K.selection(free, free);
  const columns = range(shapes.columns).map((a) => shapes.getColumn(a));
  return columns.map((a) =>
    columns.map((b) => {
      const forces = secondOrderForces(beam, elastic, a, b);
      const moved = solve(inner, Matrix.columnVector(free.map((entry) => -forces[entry]!)));
      const theta = new Array<number>(a.length).fill(0);
      free.forEach((entry, i) => (theta[entry] = moved.get(i, 0)));
      return theta;
    }),
  );
}
