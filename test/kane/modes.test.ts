/**
 * Bodies of finite-element modes against the full model that the modes are from: its matrices are assembled by
 * scripts/finite-elements.ts, and its equilibria at large displacements are found here, by Newton's method over all nodes.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EigenvalueDecomposition, Matrix, solve } from 'ml-matrix';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const LENGTH = 0.3;
const elastic: Elastic = { youngsModulus: 1e6, poissonsRatio: 0.3, density: 1100 };
const beam = beamMesh([0.02, 0.03, LENGTH], [2, 2, 8]);
const { M, K } = assemble(beam, elastic);
const nodes = beam.nodes.length;
/** Across the beam, along x, m/s². */
const GRAVITY = 8;
const tip = beam.nodes.findIndex(([x, y, z]) => x === 0 && y === 0 && z === LENGTH);

const folder = mkdtempSync(join(tmpdir(), 'kanegen-modes-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Reduced {
  readonly robot: Robot;
  readonly dynamics: LoadedRobot;
}

/** The beam by columns of modes, and by a quadratic manifold. */
async function reduced(name: string, shapes: Matrix, law: string, quadratic?: number[][][]): Promise<Reduced> {
  const n = shapes.columns;
  const modes = Array.from({ length: n }, (_, a) => shapes.getColumn(a));
  const file = join(folder, `${name}.npz`);
  writeFileSync(
    file,
    npzFile({
      modes: { shape: [n, nodes, 3], values: modes.flat() },
      ...(quadratic && { quadratic: { shape: [n, n, nodes, 3], values: quadratic.flat(2) } }),
    }),
  );
  const robot = loadRobotObject({
    kanegen: 1,
    name,
    gravity: [GRAVITY, 0, 0],
    'body-types': {
      beam: {
        coordinates: { q: { count: n, unit: 'm', limits: [-0.1, 0.1] } },
        volume: { mesh: { nodes: beam.nodes, tetrahedra: beam.tetrahedra }, density: elastic.density },
        modes: file,
        material: { [law]: { E: elastic.youngsModulus, nu: elastic.poissonsRatio } },
        distal: { at: { x: 0, y: 0, z: LENGTH } },
      },
    },
    links: [{ name: 'beam', body: 'beam' }],
  });
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  return { robot, dynamics };
}

function matrixOf(n: number, write: (out: Float64Array) => number): Matrix {
  const out = new Float64Array(n * n);
  expect(write(out)).toBe(0);
  return Matrix.from1DArray(n, n, out);
}

/** Largest difference of entries relative to the diagonal. */
function difference(a: Matrix, b: Matrix): number {
  let most = 0;
  for (let i = 0; i < a.rows; i++)
    for (let j = 0; j < a.rows; j++)
      most = Math.max(most, Math.abs(a.get(i, j) - b.get(i, j)) / Math.sqrt(b.get(i, i) * b.get(j, j)));
  return most;
}

describe('twelve linear modes', () => {
  const count = 12;
  const { frequencies, shapes } = clampedModes(beam, { M, K }, count);
  // Any independent combinations of them are modes as well: matrices that are not diagonal.
  const mixed = shapes.mmul(Matrix.add(Matrix.eye(count), mixing(count)));
  let own: { M: Matrix; K: Matrix };

  beforeAll(async () => {
    const { dynamics } = await reduced('twelve', mixed, 'linear-elasticity');
    const still = new Float64Array(count);
    expect(dynamics.update(still, still)).toBe(0);
    own = {
      M: matrixOf(count, (out) => dynamics.massMatrix(out)),
      K: matrixOf(count, (out) => dynamics.stiffness(out)),
    };
  }, 300_000);

  it('have the mass and the stiffness of the full model, ΦᵀMΦ and ΦᵀKΦ', () => {
    const projected = (full: Matrix): Matrix => mixed.transpose().mmul(full).mmul(mixed);
    expect(difference(own.M, projected(M))).toBeLessThan(1e-10);
    expect(difference(own.K, projected(K))).toBeLessThan(1e-10);
  });

  it('have its frequencies', () => {
    const { realEigenvalues } = new EigenvalueDecomposition(solve(own.M, own.K));
    const found = realEigenvalues.map(Math.sqrt).sort((a, b) => a - b);
    found.slice(0, 3).forEach((w, i) => expect(Math.abs(w / frequencies[i]! - 1)).toBeLessThan(1e-8));
    // A bar by Euler and Bernoulli, which the linear tetrahedra of this mesh are stiffer than.
    const bar = (1.8751 / LENGTH) ** 2 * Math.sqrt((elastic.youngsModulus * 0.02 ** 2) / (12 * elastic.density));
    expect(found[0]! / bar).toBeGreaterThan(1);
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

describe('a bent beam', () => {
  // The first and the second mode of bending in the plane of the load.
  const shapes = clampedModes(beam, { M, K }, 3).shapes.selection(
    Array.from({ length: 3 * nodes }, (_, i) => i),
    [0, 2],
  );
  const derivatives = modalDerivatives(beam, elastic, K, shapes);
  const halved = derivatives.map((row) => row.map((own) => own.map((x) => x / 2)));
  let straight: Reduced;
  let curved: Reduced;

  beforeAll(async () => {
    straight = await reduced('straight', shapes, 'st-venant-kirchhoff');
    curved = await reduced('curved', shapes, 'st-venant-kirchhoff', halved);
  }, 400_000);

  it('stretches by linear modes, and does not on the quadratic manifold', () => {
    const exact = fullEquilibrium();
    const error = ({ dynamics, robot }: Reduced): number => {
      const found = reducedEquilibrium(dynamics, robot.tip);
      return Math.hypot(...found.map((x, i) => x - exact[i]!)) / Math.hypot(exact[0]!, exact[1]!, exact[2]! - LENGTH);
    };
    expect(error(straight)).toBeGreaterThan(0.3);
    expect(error(curved)).toBeLessThan(0.01);
  });

  it('passes every check of the independent evaluation', { timeout: 300_000 }, async () => {
    const report = await verifyRobot(curved.robot, curved.dynamics, { seed: 3, states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
    expect(report.checks.length).toBeGreaterThan(10);
  });

  /** Where the tip comes to rest. */
  function reducedEquilibrium(dynamics: LoadedRobot, frame: number): number[] {
    const n = shapes.columns;
    const q = new Float64Array(n);
    const [weight, force, t] = [new Float64Array(n), new Float64Array(n), new Float64Array(3)];
    const residual = (): number[] => {
      expect(dynamics.update(q, new Float64Array(n))).toBe(0);
      expect(dynamics.terms(null, weight, force, null)).toBe(0);
      return Array.from(force, (f, a) => f + weight[a]!);
    };
    let step = Infinity;
    for (let iteration = 0; iteration < 60 && step > 1e-12; iteration++) {
      const now = residual();
      // By differences: the weight depends on the coordinates of a manifold.
      const slopes = Matrix.zeros(n, n);
      for (let b = 0; b < n; b++) {
        const before = q[b]!;
        q[b] = before + 1e-7;
        residual().forEach((r, a) => slopes.set(a, b, (r - now[a]!) / 1e-7));
        q[b] = before;
      }
      const moved = solve(slopes, Matrix.columnVector(now)).getColumn(0);
      const shorter = Math.min(1, 0.03 / Math.hypot(...moved));
      moved.forEach((x, a) => (q[a] = q[a]! - shorter * x));
      step = Math.hypot(...moved);
    }
    expect(step).toBeLessThan(1e-9);
    residual();
    expect(dynamics.frame(frame, null, t, null)).toBe(0);
    return [...t];
  }
});

// ---------------------------------------------------------------------------------------------- the full model

/** Where the tip comes to rest with all nodes free: the law of St. Venant and Kirchhoff in every tetrahedron. */
function fullEquilibrium(): number[] {
  const weight = M.mmul(Matrix.columnVector(beam.nodes.flatMap(() => [GRAVITY, 0, 0]))).getColumn(0);
  const free = freeEntries(beam);
  const u = new Float64Array(3 * nodes);
  for (let share = 1; share <= 8; share++)
    for (let iteration = 0; iteration < 30; iteration++) {
      const { forces, tangent } = innerForces(beam, u);
      weight.forEach((f, i) => (forces[i]! -= (f * share) / 8));
      const moved = solve(tangent.selection(free, free), Matrix.columnVector(free.map((i) => forces[i]!)));
      free.forEach((entry, i) => (u[entry]! -= moved.get(i, 0)));
      if (moved.norm() < 1e-12) break;
    }
  return beam.nodes[tip]!.map((x, i) => x + u[3 * tip + i]!);
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
