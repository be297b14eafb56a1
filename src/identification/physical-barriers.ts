/**
 * Convex functions of parameters that grow without bound where these stop to be physical, and are least at the values of the
 * robot file: −log of the distance to a bound, −log det of the pseudo-inertia of a rigid link, each less its tangent at the
 * file. For bodies that is the entropic divergence of pseudo-inertias, the same in all frames and units (Lee, Wensing & Park
 * 2020, Geometric robot dynamic identification, IEEE T-RO 36(2)). All are self-concordant.
 */
import { CholeskyDecomposition, inverse, Matrix } from 'ml-matrix';
import type { IdentifiedParameter } from './parameters.ts';
import { inertialOf, pseudoInertia, raised } from './pseudo-inertia.ts';

/** The barrier at x + Δ to second order, but for a constant: ½ ‖rows Δ + right‖². */
export interface BarrierModel {
  /** Numbers per parameter of the barrier. */
  readonly rows: readonly (readonly number[])[];
  readonly right: readonly number[];
}

/** Of some of the parameters, in units of their sizes. */
export interface Barrier {
  readonly indices: readonly number[];
  /** Where it is least, or near it: inside. */
  readonly start: readonly number[];
  /** @returns undefined where values are not physical. */
  at(x: readonly number[]): BarrierModel | undefined;
}

/** Of the size of a parameter: so far beyond its bounds the barrier stands, so that the bound itself can be reached. */
const MARGIN = 1e-3;
/** Thickness, squared, in units of the size of the body: that of bodies that are found, and the least that is taken from a file. */
const LEAST_EIGENVALUE = 1e-8;
const LEAST_IN_FILE = 1e-3;
/** Of the largest in the robot: bodies of less mass or inertia than that are measured by it. */
const SMALLEST_BODY = 1e-4;

/** @param isFree parameters that the forces tell by themselves: the file does not draw them. */
export function physicalBarriers(
  parameters: readonly IdentifiedParameter[],
  isFree: (index: number) => boolean,
): Barrier[] {
  const links = [...new Set(parameters.flatMap(({ link }) => link ?? []))];
  const single = parameters.flatMap((parameter, i) =>
    parameter.link === undefined ? [boundBarrier(parameter, i, isFree(i))] : [],
  );
  const bodies = links.map((link) => {
    const indices = parameters.flatMap((parameter, i) => (parameter.link === link ? [i] : []));
    return bodyBarrier(
      indices,
      indices.map((i) => parameters[i]!),
    );
  });
  return [...single, ...bodies];
}

function boundBarrier({ value, size, ...bounds }: IdentifiedParameter, index: number, isFree: boolean): Barrier {
  const [lower, upper] = [bounds.lower / size - MARGIN, bounds.upper / size + MARGIN];
  const start = Math.min(Math.max(value / size, lower + MARGIN), upper - MARGIN);
  const slopes = (x: number): number[] =>
    [-1 / (x - lower), 1 / (upper - x)].filter((_, i) => Number.isFinite([lower, upper][i]));
  const tangent = isFree ? 0 : slopes(start).reduce((sum, slope) => sum + slope, 0);
  return {
    indices: [index],
    start: [start],
    at: ([x]) => {
      if (!(x! > lower && x! < upper)) return undefined;
      const own = slopes(x!);
      // Without bounds nothing grows: the distance from the file takes its place.
      if (own.length === 0) return isFree ? { rows: [], right: [] } : { rows: [[1]], right: [x! - start] };
      return { rows: own.map((slope) => [slope]), right: own.map((slope, i) => (i === 0 ? 1 - tangent / slope : 1)) };
    },
  };
}

function bodyBarrier(indices: readonly number[], parameters: readonly IdentifiedParameter[]): Barrier {
  const sizes = parameters.map(({ size }) => size);
  const inFile = parameters.map(({ value }) => value);
  const mass = Math.max(inFile[0]!, SMALLEST_BODY * sizes[0]!);
  const spread = Math.max((inFile[4]! + inFile[5]! + inFile[6]!) / 2, SMALLEST_BODY * sizes[4]!);
  const units = [spread, spread, spread, mass].map(Math.sqrt);
  /** In units of the mass and of the size of the body. */
  const scaled = (ten: readonly number[]): Matrix => {
    const J = pseudoInertia(ten).to2DArray();
    return new Matrix(J.map((row, i) => row.map((entry, j) => entry / (units[i]! * units[j]!))));
  };
  const least = Matrix.eye(4).mul(LEAST_EIGENVALUE);
  const start = raised(scaled(inFile), LEAST_IN_FILE);
  const tangent = inverse(Matrix.sub(start, least));
  const effects = sizes.map((size, i) => scaled(sizes.map((_, j) => (i === j ? size : 0))));
  const x0 = inertialOf(start.clone().mulColumnVector(units).mulRowVector(units)).map((own, i) => own / sizes[i]!);
  return {
    indices,
    start: x0,
    at: (x) => {
      if (!x.every(Number.isFinite)) return undefined;
      const slack = scaled(x.map((own, i) => own * sizes[i]!)).sub(least);
      const cholesky = new CholeskyDecomposition(slack);
      if (!cholesky.isPositiveDefinite()) return undefined;
      const L = cholesky.lowerTriangularMatrix;
      const inverseL = inverse(L);
      const columns = effects.map((effect) => entries(inverseL.mmul(effect).mmul(inverseL.transpose())));
      const drawn = entries(L.transpose().mmul(tangent).mmul(L).sub(Matrix.eye(4)));
      return { rows: drawn.map((_, r) => columns.map((column) => column[r]!)), right: drawn };
    },
  };
}

/** Ten numbers with the inner product of symmetric 4 × 4 matrices. */
function entries(S: Matrix): number[] {
  return [0, 1, 2, 3].flatMap((row) =>
    [0, 1, 2, 3].slice(row).map((column) => S.get(row, column) * (row === column ? 1 : Math.SQRT2)),
  );
}
