/**
 * Modes of small motions M δq̈ + D δq̇ + K δq = 0. A soft robot has fast modes a million times as fast as its slow ones, and eigenvalues of
 * q̈ = −M⁻¹(K δq + D δq̇) would have the rounding errors of the fast ones in all of them. Here the coordinates become those of the
 * undamped, symmetric part first, each mode to its own digits, and only what damping, gyroscopic and follower forces couple goes to
 * the general algorithm.
 */
import { CholeskyDecomposition, EigenvalueDecomposition, inverse, Matrix } from 'ml-matrix';
import { symmetricEigen } from '../../common/symmetric-eigen.ts';
import { UndefinedMotion } from '../equilibria/derivatives.ts';

export interface Mode {
  /** Of the eigenvalue λ, in 1/s; of a pair the one with positive imaginary part. */
  readonly real: number;
  readonly imaginary: number;
  /** |λ|/2π in Hz, and −Re λ/|λ|: 1 and above does not swing. */
  readonly frequency: number;
  readonly damping: number;
  /** Amplitude of every coordinate, the largest one 1. */
  readonly shape: readonly number[];
}

type Rows = readonly (readonly number[])[];

/** M, ∂/∂q̇ and ∂/∂q of generalized forces by coordinates that are independent; square, of the same size. */
export interface SmallMotionEquations {
  readonly mass: Rows;
  readonly damping: Rows;
  readonly stiffness: Rows;
}

/** Antisymmetric parts of the stiffness, by the size of modes that they couple, which are rounding. */
const SYMMETRIC = 1e-10;
/** Share of the largest eigenvalue that a shift has at least: eigenvalues near zero are known to 1e-16 of the shift. */
const LEAST_SHIFT = 1e-8;

/** @param motionsOfAll motions of all coordinates by the independent ones, one column each; from slow to fast. */
export function modesOf(equations: SmallMotionEquations, motionsOfAll: Rows): Mode[] {
  const [mass, damping, stiffness, basis] = [equations.mass, equations.damping, equations.stiffness, motionsOfAll].map(
    (rows) => new Matrix(rows.map((row) => [...row])),
  ) as [Matrix, Matrix, Matrix, Matrix];
  const n = mass.rows;
  if (n === 0) return [];
  const symmetric = (matrix: Matrix): Matrix => Matrix.add(matrix, matrix.transpose()).mul(0.5);
  const { vectors, squares } = undampedModes(symmetric(mass), symmetric(stiffness));
  const inModes = (matrix: Matrix): Matrix => vectors.transpose().mmul(matrix).mmul(vectors);
  const rates = inModes(damping);
  const skew = inModes(Matrix.sub(stiffness, stiffness.transpose()).mul(0.5));
  const speeds = squares.map((square) => Math.sqrt(Math.abs(square)) || 1);
  const isSymmetric = skew
    .to2DArray()
    .every((row, i) => row.every((x, j) => Math.abs(x) <= SYMMETRIC * speeds[i]! * speeds[j]!));
  const motions = basis.mmul(vectors);
  if (isSymmetric && rates.to1DArray().every((x) => x === 0))
    return squares.flatMap((square, k) => undamped(square, motions.getColumn(k))).sort(fromSlowToFast);
  // Pairs (speed δq, δq̇) of each mode, alike in size, from fast to slow: the algorithm keeps the digits of small entries behind large ones.
  const order = speeds.map((_, i) => i).sort((i, j) => speeds[j]! - speeds[i]!);
  const matrix = Matrix.zeros(2 * n, 2 * n);
  order.forEach((i, row) => {
    matrix.set(2 * row, 2 * row + 1, speeds[i]!);
    matrix.set(2 * row + 1, 2 * row, -squares[i]! / speeds[i]!);
    order.forEach((j, column) => {
      if (!isSymmetric)
        matrix.set(2 * row + 1, 2 * column, matrix.get(2 * row + 1, 2 * column) - skew.get(i, j) / speeds[j]!);
      matrix.set(2 * row + 1, 2 * column + 1, -rates.get(i, j));
    });
  });
  const { realEigenvalues, imaginaryEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(matrix);
  return realEigenvalues
    .flatMap((real, k) => {
      const imaginary = imaginaryEigenvalues[k]!;
      if (imaginary < 0) return [];
      // Columns k and k + 1 are real and imaginary part of the vector of a pair.
      const parts = (imaginary > 0 ? [k, k + 1] : [k]).map((column) =>
        order.reduce(
          (sum, i, row) => sum.add(motions.getColumnVector(i).mul(eigenvectorMatrix.get(2 * row, column) / speeds[i]!)),
          Matrix.zeros(basis.rows, 1),
        ),
      );
      return [
        mode(
          real,
          imaginary,
          motions.to2DArray().map((_, i) => Math.hypot(...parts.map((x) => x.get(i, 0)))),
        ),
      ];
    })
    .sort(fromSlowToFast);
}

const fromSlowToFast = (a: Mode, b: Mode): number => a.frequency - b.frequency;

function mode(real: number, imaginary: number, amplitudes: readonly number[]): Mode {
  const largest = Math.max(...amplitudes);
  const size = Math.hypot(real, imaginary);
  return {
    real,
    imaginary,
    frequency: size / (2 * Math.PI),
    damping: real === 0 ? 0 : -real / size,
    shape: amplitudes.map((x) => (largest === 0 ? 0 : x / largest)),
  };
}

/** λ² = −square. */
function undamped(square: number, motion: readonly number[]): Mode[] {
  const amplitudes = motion.map(Math.abs);
  const speed = Math.sqrt(Math.abs(square));
  return square > 0 ? [mode(0, speed, amplitudes)] : [mode(-speed, 0, amplitudes), mode(speed, 0, amplitudes)];
}

/**
 * K x = λ M x of symmetric K and positive definite M: columns x with xᵀ M x = 1, and λ. By the factor of K, shifted where it has none, and rotations,
 * which keep the digits of each.
 */
function undampedModes(mass: Matrix, stiffness: Matrix): { readonly vectors: Matrix; readonly squares: number[] } {
  let shift = 0;
  let factor = new CholeskyDecomposition(stiffness);
  if (!factor.isPositiveDefinite()) {
    const values = roughSquares(mass, stiffness);
    shift = Math.max(-2 * Math.min(...values), LEAST_SHIFT * Math.max(...values.map(Math.abs))) || 1;
    factor = new CholeskyDecomposition(Matrix.add(stiffness, Matrix.mul(mass, shift)));
    if (!factor.isPositiveDefinite()) throw new UndefinedMotion('the mass matrix is singular at this state');
  }
  const back = inverse(factor.lowerTriangularMatrix).transpose();
  const { values, vectors } = symmetricEigen(back.transpose().mmul(mass).mmul(back).to2DArray());
  if (!values.every((value) => value > 0)) throw new UndefinedMotion('the mass matrix is singular at this state');
  const scaled = new Matrix(vectors).mulRowVector(values.map((value) => 1 / Math.sqrt(value)));
  return { vectors: back.mmul(scaled), squares: values.map((value) => 1 / value - shift) };
}

/** The λ of K x = λ M x, to rounding of the largest. */
function roughSquares(mass: Matrix, stiffness: Matrix): number[] {
  const factor = new CholeskyDecomposition(mass);
  if (!factor.isPositiveDefinite()) throw new UndefinedMotion('the mass matrix is singular at this state');
  const lower = inverse(factor.lowerTriangularMatrix);
  return new EigenvalueDecomposition(lower.mmul(stiffness).mmul(lower.transpose()), { assumeSymmetric: true })
    .realEigenvalues;
}
