/**
 * What drivers of robots with loops do with numbers alone. Rows of loops have gone through the coordinates of all
 * links: row j has u_j = L⁻¹ J_jᵀ over the pivots of M = L D Lᵀ, so that J M⁻¹ Jᵀ is a sum over coordinates. Its
 * rank is judged at every state: rows are scaled to a unit diagonal, and Cholesky's method takes the largest pivot
 * first and stops at dependent rows, whose multipliers are zero. This file is copied beside generated modules and
 * imports nothing; kanegen_loops.h is translated from it.
 */

/** A whole number: `int` in C. */
type Index = number;

/** −1 − j where row j is not met by these multipliers, 0 where all are. */
function contradiction(
  rows: Index,
  count: Index,
  columns: ArrayLike<number>,
  pivots: ArrayLike<number>,
  quotients: ArrayLike<number>,
  targets: ArrayLike<number>,
  work: Float64Array,
  multipliers: ArrayLike<number>,
): Index {
  const rest: Index = 2 * rows * rows + rows;
  const order: Index = rest + rows;
  let whole = 0;
  for (let j: Index = 0; j < rows; j++) {
    let size = Math.abs(targets[j]!);
    for (let a: Index = 0; a < count; a++) size += Math.abs(columns[count * j + a]! * pivots[a]! * quotients[a]!);
    work[rest + j] = size;
    if (size > whole) whole = size;
  }
  for (let j: Index = 0; j < rows; j++)
    if (work[order + j]! === 0) {
      let left = targets[j]!;
      let size = work[rest + j]!;
      for (let a: Index = 0; a < count; a++) left += columns[count * j + a]! * pivots[a]! * quotients[a]!;
      for (let k: Index = 0; k < rows; k++) {
        left += work[rows * j + k]! * multipliers[k]!;
        size += Math.abs(work[rows * j + k]! * multipliers[k]!);
      }
      const isIdle = work[2 * rows * rows + j]! === 0;
      if (Math.abs(left) > 1e-6 * (isIdle ? whole : size)) return -1 - j;
    }
  return 0;
}

/**
 * Multipliers and what they add to the quotients of a right-hand side: J x = −targets with M x = right-hand side + Jᵀ
 * multipliers. Rows that nothing can move are left out (1e-24 of the largest of J M⁻¹ Jᵀ), dependent ones at 1e-8 of
 * a unit diagonal.
 * @param columns row by row, one number per coordinate: the quotients of each row as a right-hand side.
 * @param pivots one per coordinate.
 * @param quotients of the right-hand side; those of the multipliers are added.
 * @param work 2 rows² + 4 rows + count numbers.
 * @param isStrict whether rows that cannot be met are refused: what is left of one is more than 1e-6 of its terms.
 * @returns the rank; −1 − j where row j contradicts others.
 */
export function closeLoops(
  rows: Index,
  count: Index,
  columns: ArrayLike<number>,
  pivots: ArrayLike<number>,
  quotients: Float64Array,
  targets: ArrayLike<number>,
  isStrict: boolean,
  work: Float64Array,
  multipliers: Float64Array,
): Index {
  const factors: Index = rows * rows;
  const scales: Index = 2 * rows * rows;
  const rest: Index = scales + rows;
  const order: Index = rest + rows;
  const solved: Index = order + rows;
  const weighted: Index = solved + rows;
  let largest = 0;
  for (let j: Index = 0; j < rows; j++) {
    // Coordinates that a row does not reach have zeros before the first and after the last.
    let first: Index = count;
    let end: Index = 0;
    for (let a: Index = 0; a < count; a++)
      if (columns[count * j + a]! !== 0) {
        if (first === count) first = a;
        end = a + 1;
      }
    let right = targets[j]!;
    for (let a: Index = first; a < end; a++) {
      work[weighted + a] = columns[count * j + a]! * pivots[a]!;
      right += work[weighted + a]! * quotients[a]!;
    }
    // Stands here until its row is taken.
    multipliers[j] = right;
    for (let k: Index = 0; k <= j; k++) {
      let sum = 0;
      for (let a: Index = first; a < end; a++) sum += work[weighted + a]! * columns[count * k + a]!;
      work[rows * j + k] = sum;
      work[rows * k + j] = sum;
    }
    if (work[rows * j + j]! > largest) largest = work[rows * j + j]!;
  }
  for (let j: Index = 0; j < rows; j++) {
    const own = work[rows * j + j]!;
    const isIdle = own <= 1e-24 * largest;
    work[scales + j] = isIdle ? 0 : 1 / Math.sqrt(own);
    work[rest + j] = isIdle ? 0 : 1;
    work[order + j] = 0;
  }
  let rank: Index = 0;
  for (let step: Index = 0; step < rows; step++) {
    let best: Index = 0;
    let pivot = 0;
    for (let j: Index = 0; j < rows; j++)
      if (work[order + j]! === 0 && work[rest + j]! > pivot) {
        pivot = work[rest + j]!;
        best = j;
      }
    if (pivot > 1e-8) {
      rank = rank + 1;
      const root = Math.sqrt(pivot);
      work[order + best] = rank;
      work[factors + rows * best + step] = root;
      let right = -work[scales + best]! * multipliers[best]!;
      for (let i: Index = 0; i < step; i++) right -= work[factors + rows * best + i]! * work[solved + i]!;
      work[solved + step] = right / root;
      for (let j: Index = 0; j < rows; j++)
        if (work[order + j]! === 0) {
          let entry = work[scales + j]! * work[rows * j + best]! * work[scales + best]!;
          for (let i: Index = 0; i < step; i++)
            entry -= work[factors + rows * j + i]! * work[factors + rows * best + i]!;
          entry = entry / root;
          work[factors + rows * j + step] = entry;
          work[rest + j] = work[rest + j]! - entry * entry;
        }
    }
  }
  for (let j: Index = 0; j < rows; j++) multipliers[j] = 0;
  for (let step: Index = rank - 1; step >= 0; step--) {
    let row: Index = 0;
    let value = work[solved + step]!;
    for (let j: Index = 0; j < rows; j++) {
      if (work[order + j]! > step + 1) value -= work[factors + rows * j + step]! * multipliers[j]!;
      if (work[order + j]! === step + 1) row = j;
    }
    multipliers[row] = value / work[factors + rows * row + step]!;
  }
  for (let j: Index = 0; j < rows; j++) multipliers[j] = multipliers[j]! * work[scales + j]!;
  let refused: Index = 0;
  if (isStrict && rank < rows)
    refused = contradiction(rows, count, columns, pivots, quotients, targets, work, multipliers);
  for (let j: Index = 0; j < rows; j++)
    for (let a: Index = 0; a < count; a++)
      if (columns[count * j + a]! !== 0) quotients[a] = quotients[a]! + multipliers[j]! * columns[count * j + a]!;
  return refused < 0 ? refused : rank;
}
