/** Pseudo-inertias: the ten parameters of a rigid body as a symmetric matrix that is positive definite where a body can have them. */
import { EigenvalueDecomposition, Matrix } from 'ml-matrix';

/** [Σ, h; hᵀ, m] with Σ = ∫ r rᵀ dm = ½ tr(I) 1 − I, of m, h = m c and I about the origin (Wensing, Kim & Slotine 2018). */
export function pseudoInertia([m, hx, hy, hz, xx, yy, zz, xy, xz, yz]: readonly number[]): Matrix {
  const half = (xx! + yy! + zz!) / 2;
  return new Matrix([
    [half - xx!, -xy!, -xz!, hx!],
    [-xy!, half - yy!, -yz!, hy!],
    [-xz!, -yz!, half - zz!, hz!],
    [hx!, hy!, hz!, m!],
  ]);
}

/** The ten parameters of a pseudo-inertia. */
export function inertialOf(J: Matrix): number[] {
  const [x, y, z] = [J.get(0, 0), J.get(1, 1), J.get(2, 2)];
  return [
    J.get(3, 3),
    ...[0, 1, 2].map((i) => J.get(i, 3)),
    ...[y + z, x + z, x + y],
    ...[-J.get(0, 1), -J.get(0, 2), -J.get(1, 2)],
  ];
}

/** The symmetric matrix with eigenvalues raised to at least `least`. */
export function raised(J: Matrix, least: number): Matrix {
  const { eigenvectorMatrix: V, realEigenvalues } = new EigenvalueDecomposition(J, { assumeSymmetric: true });
  if (Math.min(...realEigenvalues) >= least) return J;
  const values = realEigenvalues.map((value) => Math.max(value, least));
  return V.mmul(Matrix.diag(values)).mmul(V.transpose());
}
