/**
 * Small motions that loops leave, and coordinates that are held: the null space of J = ∂phi/∂q at a state, over coordinates that are
 * independent there.
 */
import { CholeskyDecomposition, EigenvalueDecomposition, inverse, Matrix, pseudoInverse } from 'ml-matrix';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { KG_OK, type Loops } from '../../runtime/driver.ts';
import { UndefinedMotion } from './derivatives.ts';

/** Of unit rows: what moves held coordinates by less stands still. */
const STILL = 1e-10;

/** At the staged state. */
export class TangentSpace {
  /** Independent coordinates, by index. */
  readonly free: readonly number[];
  /** Motions of all coordinates per unit motion of each of these, one column each. */
  readonly basis: Matrix;
  /** Accelerations of all coordinates by forces on the held ones, and the inverse of those of themselves. */
  private readonly response: Matrix;
  private readonly own: Matrix;
  private readonly held: readonly number[];

  /** @param rigid whether rows of loops are closed; as many are independent as the last call that kept them has told. */
  constructor(dynamics: LoadedRobot & Loops, rigid: readonly boolean[], held: readonly number[]) {
    const rows = rigid.length;
    const n = dynamics.coordinates;
    const [mass, gradients] = [new Float64Array(n * n), new Float64Array(rows * n)];
    const rank = dynamics.constraintRank();
    if (dynamics.massMatrix(mass) !== KG_OK || dynamics.constraintJacobian(gradients) !== KG_OK)
      throw new UndefinedMotion('mass matrix or loops are not finite at this state');
    rigid.forEach((own, j) => {
      if (!own) gradients.fill(0, n * j, n * j + n);
    });
    const factor = new CholeskyDecomposition(Matrix.from1DArray(n, n, mass));
    if (!factor.isPositiveDefinite()) throw new UndefinedMotion('the mass matrix is singular at this state');
    const metric = inverse(factor.lowerTriangularMatrix).transpose();
    const motions = metric.mmul(nullSpace(Matrix.from1DArray(rows, n, gradients).mmul(metric), n - rank));
    const ofHeld = motions.selection([...held], columnsOf(motions));
    this.held = held;
    this.response = motions.mmul(ofHeld.transpose());
    this.own = held.length > 0 ? pseudoInverse(ofHeld.mmul(ofHeld.transpose())) : new Matrix(0, 0);
    const left = held.length > 0 ? motions.mmul(nullSpace(ofHeld)) : motions;
    const { rows: free, basis } = independent(
      left,
      Array.from({ length: n }, (_, a) => Math.sqrt(mass[a * n + a]!)),
    );
    this.free = free;
    this.basis = basis;
  }

  /** Accelerations, one column each, with what holds the held coordinates. */
  private withHolds(unheld: Matrix): Matrix {
    if (this.held.length === 0) return unheld;
    return unheld.clone().sub(this.response.mmul(this.own).mmul(unheld.selection([...this.held], columnsOf(unheld))));
  }

  /** Rows of the independent coordinates, of accelerations (one column each) as if nothing were held. */
  applied(unheld: Matrix): Matrix {
    return this.withHolds(unheld).selection([...this.free], columnsOf(unheld));
  }

  /** What holds the held coordinates, by coordinate. */
  forces(unheld: readonly number[]): number[] {
    const forces = unheld.map(() => 0);
    if (this.held.length === 0) return forces;
    const needed = this.own.mmul(Matrix.columnVector(this.held.map((a) => unheld[a]!)));
    this.held.forEach((a, k) => (forces[a] = -needed.get(k, 0)));
    return forces;
  }
}

const columnsOf = ({ columns }: Matrix): number[] => Array.from({ length: columns }, (_, j) => j);

/** Orthonormal columns x with rows · x = 0. @param count how many there are; as rows say unless given. */
function nullSpace(rows: Matrix, count?: number): Matrix {
  const units = rows.to2DArray().flatMap((row) => {
    const size = Math.hypot(...row);
    return size > 0 ? [row.map((x) => x / size)] : [];
  });
  const gram = Matrix.zeros(rows.columns, rows.columns);
  for (const row of units) gram.add(Matrix.columnVector(row).mmul(Matrix.rowVector(row)));
  const { realEigenvalues, eigenvectorMatrix } = new EigenvalueDecomposition(gram, { assumeSymmetric: true });
  const order = [...realEigenvalues.keys()].sort((a, b) => realEigenvalues[a]! - realEigenvalues[b]!);
  const kept = order.slice(0, count ?? realEigenvalues.filter((x) => x < STILL).length);
  return eigenvectorMatrix.selection(columnsOf(gram), kept);
}

/** Rows in which columns are made the identity, those that move most mass first, in their order. */
function independent(
  columns: Matrix,
  weights: readonly number[],
): { readonly rows: readonly number[]; readonly basis: Matrix } {
  const all = columns.transpose().to2DArray();
  const chosen: number[] = [];
  for (let k = 0; k < all.length; k++) {
    const sizes = weights.map((weight, a) =>
      chosen.includes(a) ? -1 : weight * Math.max(...all.slice(k).map((own) => Math.abs(own[a]!))),
    );
    const row = sizes.indexOf(Math.max(...sizes));
    const at = all.findIndex((own, j) => j >= k && weights[row]! * Math.abs(own[row]!) >= sizes[row]!);
    const pivot = all[at]!.map((x) => x / all[at]![row]!);
    all[at] = all[k]!;
    all[k] = pivot;
    all.forEach((own, j) => {
      if (j !== k) all[j] = own.map((x, a) => x - own[row]! * pivot[a]!);
    });
    chosen.push(row);
  }
  const order = [...chosen.keys()].sort((a, b) => chosen[a]! - chosen[b]!);
  const basis = Matrix.zeros(weights.length, all.length);
  order.forEach((k, j) => all[k]!.forEach((x, a) => basis.set(a, j, x)));
  return { rows: order.map((k) => chosen[k]!), basis };
}
