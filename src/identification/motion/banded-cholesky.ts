/** Normal equations of unknowns of which only neighbours meet in a row: Cholesky's factor within a band (Golub & Van Loan 2013, 4.3.5). */

/** Share of an entry of the diagonal that is added to it, for unknowns that nothing tells. */
const RIDGE = 1e-13;

export class BandedNormalEquations {
  readonly size: number;
  private readonly width: number;
  /** Row by row from the diagonal to the left. */
  private readonly entries: Float64Array;

  /** @param width number of neighbouring unknowns that a row may have. */
  constructor(size: number, width: number) {
    this.size = size;
    this.width = width;
    this.entries = new Float64Array(size * width);
  }

  /** Adds the product of a row with itself. @param first unknown of the row. */
  add(row: ArrayLike<number>, first: number): void {
    const { entries, width } = this;
    for (let i = 0; i < row.length; i++) {
      const factor = row[i]!;
      if (factor === 0) continue;
      const start = (first + i) * width + i;
      for (let j = 0; j <= i; j++) entries[start - j]! += factor * row[j]!;
    }
  }

  /** Takes the place of the matrix. */
  factor(): void {
    const { entries, size, width } = this;
    for (let i = 0; i < size; i++) {
      const from = Math.max(0, i - width + 1);
      const ridge = RIDGE * entries[i * width]! || 1;
      for (let j = from; j <= i; j++) {
        let sum = entries[i * width + i - j]!;
        for (let k = Math.max(from, j - width + 1); k < j; k++)
          sum -= entries[i * width + i - k]! * entries[j * width + j - k]!;
        entries[i * width + i - j] = j < i ? sum / entries[j * width]! : Math.sqrt(Math.max(sum, 0) + ridge);
      }
    }
  }

  /** After `factor`: the solution takes the place of the right-hand side. */
  solve(right: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    const { entries, size, width } = this;
    for (let i = 0; i < size; i++) {
      let sum = right[i]!;
      for (let k = Math.max(0, i - width + 1); k < i; k++) sum -= entries[i * width + i - k]! * right[k]!;
      right[i] = sum / entries[i * width]!;
    }
    return this.spread(right);
  }

  /** After `factor`: solves with Lᵀ. Of independent numbers of deviation 1 it makes some with the inverse of the matrix as covariance, in their place. */
  spread(right: Float64Array<ArrayBuffer>): Float64Array<ArrayBuffer> {
    const { entries, size, width } = this;
    for (let i = size - 1; i >= 0; i--) {
      let sum = right[i]!;
      const end = Math.min(size, i + width);
      for (let k = i + 1; k < end; k++) sum -= entries[k * width + k - i]! * right[k]!;
      right[i] = sum / entries[i * width]!;
    }
    return right;
  }
}
