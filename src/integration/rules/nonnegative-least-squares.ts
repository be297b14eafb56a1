/**
 * Lawson and Hanson's method: columns of a matrix with positive weights whose combination comes nearest to a vector, found
 * one column at a time. Every state of the method is a rule of its own: fewer columns, larger residual.
 * Source: C. L. Lawson and R. J. Hanson, Solving Least Squares Problems (1974), chapter 23.
 */
import { tick } from '../../common/work-limit.ts';

/** Columns one after the other, each of `height` numbers. */
export interface ColumnMatrix {
  readonly height: number;
  readonly columns: number;
  readonly values: Float64Array;
}

export interface PositiveCombination {
  /** Columns in use, ascending. */
  readonly indices: readonly number[];
  /** Positive weight of each. */
  readonly weights: readonly number[];
  /** |target − Σ weight · column| / |target|. */
  readonly residual: number;
}

/** A column that is a combination of those in use but for this share of its length adds nothing. */
const DEPENDENT = 1e-11;
/** So many columns in a row that could not be added: what is left of the residual is rounding. */
const MOST_REFUSED = 20;
/** Entries of a matrix that take as long as a node of an expression. */
const ENTRIES_OF_NODE = 64;
/** Residuals below this are rounding. */
const EXACT = 1e-14;

/**
 * Ever better positive combinations, until the best one. Each has at most as many columns as the matrix has rank.
 * The order of the columns decides between equals, nothing else does.
 */
export function* positiveCombinations(matrix: ColumnMatrix, target: Float64Array): Generator<PositiveCombination> {
  const lengths = columnLengths(matrix);
  const size = Math.sqrt(dot(target, target));
  if (size === 0) return;
  const active = new ActiveColumns(matrix, lengths, target);
  // Columns that could not be added since the combination changed last.
  const refused = new Set<number>();
  let before = 1;
  for (;;) {
    tick(matrix.values.length / ENTRIES_OF_NODE);
    const entering = steepest(matrix, lengths, active, refused);
    if (entering === undefined || refused.size === MOST_REFUSED) return;
    if (!active.add(entering) || !active.becomePositive(entering)) {
      refused.add(entering);
      continue;
    }
    refused.clear();
    const residual = active.updateResidual() / size;
    if (residual >= before) return;
    before = residual;
    yield { ...active.combination(lengths), residual };
    if (residual < EXACT || active.count === matrix.height) return;
  }
}

function columnLengths({ height, columns, values }: ColumnMatrix): Float64Array {
  return Float64Array.from({ length: columns }, (_, j) => {
    const column = values.subarray(j * height, (j + 1) * height);
    return Math.sqrt(dot(column, column));
  });
}

/** The column at the smallest angle to the residual, among those that reduce it. */
function steepest(
  { height, columns, values }: ColumnMatrix,
  lengths: Float64Array,
  active: ActiveColumns,
  refused: ReadonlySet<number>,
): number | undefined {
  let best: number | undefined;
  let most = 0;
  const { residual } = active;
  for (let j = 0; j < columns; j++) {
    if (lengths[j] === 0) continue;
    let sum = 0;
    for (let i = 0, k = j * height; i < height; i++, k++) sum += values[k]! * residual[i]!;
    const slope = sum / lengths[j]!;
    if (slope > most && !active.has(j) && !refused.has(j)) [best, most] = [j, slope];
  }
  return best;
}

/** Columns in use, scaled to unit length, as orthonormal columns Q times a triangle R; Q and R follow every change. */
class ActiveColumns {
  readonly residual: Float64Array;
  private readonly matrix: ColumnMatrix;
  private readonly lengths: Float64Array;
  private readonly target: Float64Array;
  private readonly used: number[] = [];
  private readonly members = new Set<number>();
  private weights: number[] = [];
  private readonly basis: Float64Array[] = [];
  /** Column k of R: k + 1 numbers. */
  private readonly triangle: number[][] = [];
  /** Qᵀ target */
  private readonly projected: number[] = [];

  constructor(matrix: ColumnMatrix, lengths: Float64Array, target: Float64Array) {
    this.matrix = matrix;
    this.lengths = lengths;
    this.target = target;
    this.residual = target.slice();
  }

  get count(): number {
    return this.used.length;
  }

  has(column: number): boolean {
    return this.members.has(column);
  }

  private unitColumn(j: number): Float64Array {
    const { height, values } = this.matrix;
    const scale = 1 / this.lengths[j]!;
    return values.slice(j * height, (j + 1) * height).map((x) => x * scale);
  }

  /** With weight zero for now. @returns false when the column depends on those in use. */
  add(j: number): boolean {
    const v = this.unitColumn(j);
    const r = this.basis.map(() => 0);
    // Twice is enough for full orthogonality.
    for (let pass = 0; pass < 2; pass++)
      this.basis.forEach((q, k) => {
        const share = dot(q, v);
        r[k] = r[k]! + share;
        addScaled(v, -share, q);
      });
    const rest = Math.sqrt(dot(v, v));
    if (rest < DEPENDENT) return false;
    for (let i = 0; i < v.length; i++) v[i] = v[i]! / rest;
    this.basis.push(v);
    this.triangle.push([...r, rest]);
    this.projected.push(dot(v, this.residual));
    this.used.push(j);
    this.members.add(j);
    this.weights.push(0);
    return true;
  }

  /**
   * Least squares over the columns in use; whenever a weight would become negative, goes there only until the first is
   * zero and drops it.
   * @returns false, with the column dropped again, when the weight of the newest would not become positive: rounding.
   */
  becomePositive(newest: number): boolean {
    for (let first = true; ; first = false) {
      const wanted = this.solve();
      const last = this.used.indexOf(newest);
      if (first && !(wanted[last]! > 0)) {
        this.drop(last);
        return false;
      }
      let step = 1;
      wanted.forEach((w, k) => {
        const now = this.weights[k]!;
        if (w <= 0) step = Math.min(step, now / (now - w));
      });
      if (step === 1 && wanted.every((w) => w > 0)) {
        this.weights = wanted;
        return true;
      }
      let least = Infinity;
      this.weights = this.weights.map((now, k) => {
        const w = now + step * (wanted[k]! - now);
        if (wanted[k]! <= 0) least = Math.min(least, w);
        return w;
      });
      for (let k = this.used.length - 1; k >= 0; k--)
        if (wanted[k]! <= 0 && this.weights[k]! <= Math.max(least, 0)) this.drop(k);
    }
  }

  /** R w = Qᵀ target */
  private solve(): number[] {
    const w = [...this.projected];
    for (let k = w.length - 1; k >= 0; k--) {
      const column = this.triangle[k]!;
      w[k] = w[k]! / column[k]!;
      for (let i = 0; i < k; i++) w[i] = w[i]! - column[i]! * w[k]!;
    }
    return w;
  }

  /** Takes out column k of the triangle and rotates what is left of it back into shape. */
  private drop(k: number): void {
    this.members.delete(this.used[k]!);
    this.used.splice(k, 1);
    this.weights.splice(k, 1);
    this.triangle.splice(k, 1);
    for (let i = k; i < this.triangle.length; i++) {
      const [a, b] = [this.triangle[i]![i]!, this.triangle[i]![i + 1]!];
      const length = Math.hypot(a, b);
      const [c, s] = [a / length, b / length];
      for (let column = i; column < this.triangle.length; column++) {
        const r = this.triangle[column]!;
        [r[i], r[i + 1]] = [c * r[i]! + s * r[i + 1]!, c * r[i + 1]! - s * r[i]!];
      }
      this.triangle[i]!.pop();
      const [p, q] = [this.projected[i]!, this.projected[i + 1]!];
      [this.projected[i], this.projected[i + 1]] = [c * p + s * q, c * q - s * p];
      rotate(this.basis[i]!, this.basis[i + 1]!, c, s);
    }
    this.basis.pop();
    this.projected.pop();
  }

  /**
   * Projected out of the columns in use once more than needed: what rounding leaves of them would drown the small slopes
   * of a small residual.
   * @returns its length.
   */
  updateResidual(): number {
    this.residual.set(this.target);
    for (let pass = 0; pass < 3; pass++)
      for (const q of this.basis) addScaled(this.residual, -dot(q, this.residual), q);
    return Math.sqrt(dot(this.residual, this.residual));
  }

  combination(lengths: Float64Array): Pick<PositiveCombination, 'indices' | 'weights'> {
    const order = this.used.map((_, k) => k).sort((a, b) => this.used[a]! - this.used[b]!);
    return {
      indices: order.map((k) => this.used[k]!),
      weights: order.map((k) => this.weights[k]! / lengths[this.used[k]!]!),
    };
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

function addScaled(into: Float64Array, factor: number, x: Float64Array): void {
  for (let i = 0; i < into.length; i++) into[i] = into[i]! + factor * x[i]!;
}

function rotate(a: Float64Array, b: Float64Array, c: number, s: number): void {
  for (let i = 0; i < a.length; i++) {
    const [x, y] = [a[i]!, b[i]!];
    a[i] = c * x + s * y;
    b[i] = c * y - s * x;
  }
}
