/**
 * Jacobi's rotations. They keep the digits of eigenvalues of any size where rows of a positive definite matrix differ in size only (J. Demmel,
 * K. Veselić, SIAM J. Matrix Anal. Appl. 13, 1992), which reduction to tridiagonal form does not.
 */

const SWEEPS = 60;

/**
 * Eigenvalues of a symmetric matrix, by rows, and its eigenvectors, columns of length 1, in no order: by cyclic rotations, until what is
 * beside the diagonal is rounding of the two entries on it.
 */
export function symmetricEigen(matrix: readonly (readonly number[])[]): {
  readonly values: number[];
  readonly vectors: number[][];
} {
  const n = matrix.length;
  const a = matrix.map((row) => [...row]);
  const v: number[][] = a.map((_, i) => a.map((__, k) => (i === k ? 1 : 0)));
  for (let sweep = 0, isRotated = true; isRotated && sweep < SWEEPS; sweep++) {
    isRotated = false;
    for (let p = 0; p < n; p++)
      for (let r = p + 1; r < n; r++) {
        const [app, arr, apr] = [a[p]![p]!, a[r]![r]!, a[p]![r]!];
        if (Math.abs(apr) <= Number.EPSILON * Math.sqrt(Math.abs(app * arr))) continue;
        isRotated = true;
        const slope = (arr - app) / (2 * apr);
        const t = (slope < 0 ? -1 : 1) / (Math.abs(slope) + Math.hypot(1, slope));
        const c = 1 / Math.hypot(1, t);
        const s = t * c;
        for (let k = 0; k < n; k++) {
          const [x, y] = [a[k]![p]!, a[k]![r]!];
          [a[k]![p], a[k]![r]] = [c * x - s * y, s * x + c * y];
          const [vx, vy] = [v[k]![p]!, v[k]![r]!];
          [v[k]![p], v[k]![r]] = [c * vx - s * vy, s * vx + c * vy];
        }
        for (let k = 0; k < n; k++) {
          const [x, y] = [a[p]![k]!, a[r]![k]!];
          [a[p]![k], a[r]![k]] = [c * x - s * y, s * x + c * y];
        }
        [a[p]![r], a[r]![p]] = [0, 0];
        [a[p]![p], a[r]![r]] = [app - t * apr, arr + t * apr];
      }
  }
  return { values: a.map((row, i) => row[i]!), vectors: v };
}
