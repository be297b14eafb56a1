/**
 * Bodies of finite-element modes against the full model that the modes are from: its matrices are assembled by
 * scripts/finite-elements.ts, and its equilibria at large displacements are found here, by Newton's method over all nodes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EigenvalueDecomposition, Matrix, solve } from 'ml-matrix';
import { afterAll, describe, expect, it } from 'vitest';
import {
  assemble,
  beamMesh,
  clampedModes,
  freeEntries,
  modalDerivatives,
  type Beam,
  type Elastic,
} from '../../scripts/finite-elements.ts';
import { npzFile } from '../../scripts/numpy-files.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { KernelInterpreter } from './interpreter.ts';

const LENGTH = 0.3;
const elastic: Elastic = { youngsModulus: 1e6, poissonsRatio: 0.3, density: 1100 };
const beam = beamMesh([0.02, 0.03, LENGTH], [2, 2, 8]);
const { M, K } = assemble(beam, elastic);
/** Across the beam, along x, m/s². */
const GRAVITY = 8;
const law = { E: elastic.youngsModulus, nu: elastic.poissonsRatio };

const folder = mkdtempSync(join(tmpdir(), 'kanegen-modes-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Reduction {
  readonly of: Beam;
  readonly shapes: Matrix;
  /** φ_ab of all nodes at `[a][b]`. */
  readonly quadratic?: number[][][];
  readonly material: object;
  readonly distal?: object | string;
}

/** A beam by columns of modes, and by a quadratic manifold. */
function reduced({ of, shapes, quadratic, material, distal = 'none' }: Reduction): Robot {
  const [n, nodes] = [shapes.columns, of.nodes.length];
  const modes = Array.from({ length: n }, (_, a) => shapes.getColumn(a));
  const file = join(folder, 'modes.npz');
  writeFileSync(
    file,
    npzFile({
      modes: { shape: [n, nodes, 3], values: modes.flat() },
      ...(quadratic && { quadratic: { shape: [n, n, nodes, 3], values: quadratic.flat(2) } }),
    }),
  );
  return loadRobotObject({
    kanegen: 1,
    name: 'reduced',
    gravity: [GRAVITY, 0, 0],
    'body-types': {
      beam: {
        coordinates: { q: { count: n, unit: 'm', limits: [-0.1, 0.1] } },
        volume: { mesh: { nodes: of.nodes, tetrahedra: of.tetrahedra }, density: elastic.density },
        modes: file,
        material,
        distal,
      },
    },
    links: [{ name: 'beam', body: 'beam' }],
  });
}

const interpreted = (reduction: Reduction): KernelInterpreter =>
  new KernelInterpreter(compileRobot(reduced(reduction)));

/** At rest with these coordinates. */
const still = (q: readonly number[]): { q: readonly number[]; qd: number[]; qdd: number[] } => {
  const none = q.map(() => 0);
  return { q, qd: none, qdd: none };
};

function stiffnessOf(dynamics: KernelInterpreter): Matrix {
  const { size } = dynamics;
  const [entries] = dynamics.elastic(still(new Array<number>(size).fill(0))).stiffness;
  return Matrix.from1DArray(size, size, entries!);
}

/** Largest difference of entries relative to the diagonal. */
function difference(a: Matrix, b: Matrix): number {
  let most = 0;
  for (let i = 0; i < a.rows; i++)
    for (let j = 0; j < a.rows; j++)
      most = Math.max(most, Math.abs(a.get(i, j) - b.get(i, j)) / Math.sqrt(b.get(i, i) * b.get(j, j)));
  return most;
}

const projected = (full: Matrix, shapes: Matrix): Matrix => shapes.transpose().mmul(full).mmul(shapes);

it(
  'twelve linear modes have the mass, the stiffness and the frequencies of the full model',
  { timeout: 120_000 },
  () => {
    const count = 12;
    const { frequencies, shapes } = clampedModes(beam, { M, K }, count);
    // Any independent combinations of them are modes as well: matrices that are not diagonal.
    const mixed = shapes.mmul(Matrix.add(Matrix.eye(count), mixing(count)));
    const dynamics = interpreted({ of: beam, shapes: mixed, material: { 'linear-elasticity': law } });
    const own = new Matrix(dynamics.massMatrix(still(new Array<number>(count).fill(0))));
    const stiffness = stiffnessOf(dynamics);
    expect(difference(own, projected(M, mixed))).toBeLessThan(1e-10);
    expect(difference(stiffness, projected(K, mixed))).toBeLessThan(1e-10);
    const { realEigenvalues } = new EigenvalueDecomposition(solve(own, stiffness));
    const found = realEigenvalues.map(Math.sqrt).sort((a, b) => a - b);
    found.slice(0, 3).forEach((w, i) => expect(Math.abs(w / frequencies[i]! - 1)).toBeLessThan(1e-8));
    // A bar by Euler and Bernoulli, which the linear tetrahedra of this mesh are stiffer than.
    const bar = (1.8751 / LENGTH) ** 2 * Math.sqrt((elastic.youngsModulus * 0.02 ** 2) / (12 * elastic.density));
    expect(found[0]! / bar).toBeGreaterThan(1);
  },
);

describe('every law of solids', () => {
  const short = beamMesh([0.02, 0.03, 0.1], [1, 1, 2]);
  const full = assemble(short, elastic);
  const { shapes } = clampedModes(short, full, 2);
  const [lambda, mu] = [law.E * (0.3 / (1.3 * 0.4)), law.E / 2.6];

  it.each([
    { 'linear-elasticity': law },
    { corotated: law },
    { 'st-venant-kirchhoff': law },
    { 'compressible-neo-hookean': { mu, lambda } },
  ])('%j has the stiffness of the full model where the beam is straight', (material) => {
    const stiffness = stiffnessOf(interpreted({ of: short, shapes, material }));
    expect(difference(stiffness, projected(full.K, shapes))).toBeLessThan(1e-10);
  });

  it('passes every check of the independent evaluation on a manifold, with a frame that the mesh carries', async () => {
    const mode = shapes.selection(
      Array.from({ length: shapes.rows }, (_, i) => i),
      [0],
    );
    const quadratic = [[modalDerivatives(short, elastic, full.K, mode)[0]![0]!.map((x) => x / 2)]];
    const material = { 'compressible-neo-hookean': { mu, lambda }, viscosity: '1 kPa s' };
    const robot = reduced({ of: short, shapes: mode, quadratic, material, distal: { at: { x: 0.002, z: 0.09 } } });
    const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
    const report = await verifyRobot(robot, create(), { seed: 3, states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.checks.length).toBeGreaterThan(10);
  });
});

/** Numbers without structure. */
function mixing(count: number): Matrix {
  return new Matrix(
    Array.from({ length: count }, (_, i) =>
      Array.from({ length: count }, (__, j) => 0.3 * Math.sin(1.7 * i + 2.9 * j + 1)),
    ),
  );
}

it('a bent beam stretches by linear modes, and does not on the quadratic manifold', { timeout: 120_000 }, () => {
  // The first and the second mode of bending in the plane of the load.
  const shapes = clampedModes(beam, { M, K }, 3).shapes.selection(
    Array.from({ length: M.rows }, (_, i) => i),
    [0, 2],
  );
  const quadratic = modalDerivatives(beam, elastic, K, shapes).map((row) => row.map((own) => own.map((x) => x / 2)));
  const exact = displacement(fullEquilibrium());
  const error = (manifold?: number[][][]): number => {
    const material = { 'st-venant-kirchhoff': law };
    const dynamics = interpreted({ of: beam, shapes, material, ...(manifold && { quadratic: manifold }) });
    const q = reducedEquilibrium(dynamics);
    const u = new Float64Array(M.rows).map((_, entry) =>
      q.reduce(
        (sum, own, a) =>
          sum +
          own * (shapes.get(entry, a) + q.reduce((t, other, b) => t + other * (manifold?.[a]![b]![entry] ?? 0), 0)),
        0,
      ),
    );
    return Math.hypot(...displacement(u).map((x, i) => x - exact[i]!)) / Math.hypot(...exact);
  };
  expect(error()).toBeGreaterThan(0.3);
  expect(error(quadratic)).toBeLessThan(0.01);
});

/** Of the middle of the free end. */
function displacement(u: Float64Array): number[] {
  const tip = beam.nodes.findIndex(([x, y, z]) => x === 0 && y === 0 && z === LENGTH);
  return [...u.subarray(3 * tip, 3 * tip + 3)];
}

/** By Newton's method, with derivatives by differences: the weight depends on the coordinates of a manifold. */
function reducedEquilibrium(dynamics: KernelInterpreter): number[] {
  const q = new Array<number>(dynamics.size).fill(0);
  const residual = (): number[] => {
    const weight = dynamics.gravity(still(q), [GRAVITY, 0, 0]);
    return dynamics.elastic(still(q)).forces.map((f, a) => f + weight[a]!);
  };
  let step = Infinity;
  for (let iteration = 0; iteration < 60 && step > 1e-9; iteration++) {
    const now = residual();
    const slopes = Matrix.zeros(q.length, q.length);
    q.forEach((before, b) => {
      q[b] = before + 1e-7;
      residual().forEach((r, a) => slopes.set(a, b, (r - now[a]!) / 1e-7));
      q[b] = before;
    });
    const moved = solve(slopes, Matrix.columnVector(now)).getColumn(0);
    step = Math.hypot(...moved);
    moved.forEach((x, a) => (q[a] = q[a]! - Math.min(1, 0.03 / step) * x));
  }
  expect(step).toBeLessThan(1e-9);
  return q;
}

// ---------------------------------------------------------------------------------------------- the full model

/** Displacements with all nodes free: the law of St. Venant and Kirchhoff in every tetrahedron. */
function fullEquilibrium(): Float64Array {
  const weight = M.mmul(Matrix.columnVector(beam.nodes.flatMap(() => [GRAVITY, 0, 0]))).getColumn(0);
  const free = freeEntries(beam);
  const u = new Float64Array(M.rows);
  for (let share = 1; share <= 8; share++)
    for (let iteration = 0; iteration < 30; iteration++) {
      const { forces, tangent } = innerForces(beam, u);
      weight.forEach((f, i) => (forces[i]! -= (f * share) / 8));
      const moved = solve(tangent.selection(free, free), Matrix.columnVector(free.map((i) => forces[i]!)));
      free.forEach((entry, i) => (u[entry]! -= moved.get(i, 0)));
      if (moved.norm() < 1e-12) break;
    }
  return u;
}

/** ∂V/∂u and ∂²V/∂u², with V = ∫ λ/2 (tr e)² + μ e : e. */
function innerForces({ tetrahedra, nodes: places }: Beam, u: Float64Array): { forces: Float64Array; tangent: Matrix } {
  const { youngsModulus: E, poissonsRatio: nu } = elastic;
  const [lambda, mu] = [(E * nu) / ((1 + nu) * (1 - 2 * nu)), E / (2 * (1 + nu))];
  const forces = new Float64Array(u.length);
  const tangent = Matrix.zeros(u.length, u.length);
  for (const corners of tetrahedra) {
    const [o, ...others] = corners.map((node) => places[node]!);
    const edges = new Matrix(others.map((p) => p.map((x, i) => x - o![i]!)));
    const inverse = solve(edges, Matrix.eye(3));
    const slopes = [0, 1, 2].map((k) => inverse.getColumn(k));
    const gradients = [[0, 1, 2].map((i) => -slopes.reduce((sum, g) => sum + g[i]!, 0)), ...slopes];
    const [a, b, c] = edges.to2DArray() as [number[], number[], number[]];
    const volume =
      (a[0]! * (b[1]! * c[2]! - b[2]! * c[1]!) +
        a[1]! * (b[2]! * c[0]! - b[0]! * c[2]!) +
        a[2]! * (b[0]! * c[1]! - b[1]! * c[0]!)) /
      6;
    const F = Matrix.eye(3);
    corners.forEach((node, k) => {
      for (let i = 0; i < 3; i++)
        for (let j = 0; j < 3; j++) F.set(i, j, F.get(i, j) + u[3 * node + i]! * gradients[k]![j]!);
    });
    const e = Matrix.sub(F.transpose().mmul(F), Matrix.eye(3)).mul(0.5);
    const S = Matrix.add(Matrix.mul(e, 2 * mu), Matrix.eye(3).mul(lambda * e.trace()));
    const P = F.mmul(S);
    corners.forEach((node, k) => {
      const g = gradients[k]!;
      for (let i = 0; i < 3; i++)
        forces[3 * node + i]! += volume * [0, 1, 2].reduce((sum, j) => sum + P.get(i, j) * g[j]!, 0);
      corners.forEach((other, m) => {
        const h = gradients[m]!;
        const along = g.reduce((sum, x, j) => sum + x * h[j]!, 0);
        const stressed = [0, 1, 2].reduce(
          (sum, j) => sum + g[j]! * [0, 1, 2].reduce((t, l) => t + S.get(j, l) * h[l]!, 0),
          0,
        );
        const [Fg, Fh] = [g, h].map((v) =>
          [0, 1, 2].map((i) => [0, 1, 2].reduce((t, j) => t + F.get(i, j) * v[j]!, 0)),
        ) as [number[], number[]];
        const FF = F.mmul(F.transpose());
        for (let i = 0; i < 3; i++)
          for (let l = 0; l < 3; l++) {
            const value =
              (i === l ? stressed : 0) + lambda * Fg[i]! * Fh[l]! + mu * (FF.get(i, l) * along + Fh[i]! * Fg[l]!);
            tangent.set(3 * node + i, 3 * other + l, tangent.get(3 * node + i, 3 * other + l) + volume * value);
          }
      });
    });
  }
  return { forces, tangent };
}
