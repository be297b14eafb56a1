/**
 * What drivers do with numbers alone where they solve with the tangent of inverse dynamics: along a change of the
 * coordinates of the links beyond it, the wrench at a frame changes by P x + p, x = (ω, α, a) the change of its
 * motion, in water (ω, α, a, velocity against the water, gravity). Link by link inwards, the columns of its kernels'
 * changes are gathered in a tableau, its coordinates eliminated (LU with row exchanges) and P of its parent added to.
 * What is left of a link are its factors, numbers that stand one after the other: the eliminated rows and how wrenches
 * at the parent follow its coordinates (count + 6 rows of count), which rows were exchanged (count), its coordinates by
 * the motion of the parent (count rows of motions), its own motion by coordinates and the parent's (motions rows of
 * count + motions), forces and the wrench at the parent by the wrench at its own frame (count + 6 rows of 6). A
 * right-hand side goes inwards through them, p from link to link, and outwards, x. Loads between links, which do not
 * go along the chain, are a border: right-hand sides of their own, whose sizes a small dense system has. This file is
 * copied beside generated modules and imports nothing; kanegen_elimination.h is translated from it.
 */

/** A whole number: `int` in C. */
type Index = number;

/**
 * Numbers of a wrench. A motion has omega first, in the place of velocities, `motions` numbers in all; P is
 * 6 x motions, row-major.
 */
const WRENCH = 6;

/** Change of a coordinate of the robot, its rate and acceleration with it, to a link whose first is `first`. */
export function seedCoordinate(
  coordinate: Index,
  first: Index,
  count: Index,
  rate: number,
  acceleration: number,
  own: Float64Array,
  q: Index,
  qd: Index,
  qdd: Index,
): void {
  for (let a = 0; a < count; a++) {
    const unit = first + a === coordinate ? 1 : 0;
    own[q + a] = unit;
    own[qd + a] = unit * rate;
    own[qdd + a] = unit * acceleration;
  }
}

/**
 * Changes of one column of the tableau: of a coordinate (its rate and acceleration with it), of a number of the
 * motion of the parent frame, or of nothing.
 * @param own changes of the link: coordinates, rates, accelerations from q, qd, qdd on, those of frames from the
 * rest.
 */
export function seedTangent(
  column: Index,
  count: Index,
  motions: Index,
  rate: number,
  acceleration: number,
  own: Float64Array,
  q: Index,
  qd: Index,
  qdd: Index,
  parent: Float64Array,
  velocity: Index,
  motion: Index,
  wrench: Index,
): void {
  seedCoordinate(column, 0, count, rate, acceleration, own, q, qd, qdd);
  for (let k = 0; k < 3; k++) {
    own[velocity + k] = 0;
    parent[velocity + k] = column === count + k ? 1 : 0;
  }
  for (let k = 0; k < motions - 3; k++) {
    own[motion + k] = 0;
    parent[motion + k] = column === count + 3 + k ? 1 : 0;
  }
  for (let k = 0; k < WRENCH; k++) {
    own[wrench + k] = 0;
    parent[wrench + k] = 0;
  }
}

/** Change of the wrench at the own frame by that of its motion. */
export function loadTangent(
  motions: Index,
  own: Float64Array,
  velocity: Index,
  motion: Index,
  wrench: Index,
  loads: Float64Array,
  at: Index,
): void {
  for (let r = 0; r < WRENCH; r++) {
    let change = 0;
    for (let k = 0; k < 3; k++) change += loads[at + motions * r + k]! * own[velocity + k]!;
    for (let k = 0; k < motions - 3; k++) change += loads[at + motions * r + 3 + k]! * own[motion + k]!;
    own[wrench + r] = change;
  }
}

/**
 * Generalized forces of the link, the wrench at the parent frame and the motion of its own to a column of the tableau,
 * rows of which are count + motions long.
 */
export function gatherTangent(
  column: Index,
  count: Index,
  motions: Index,
  own: Float64Array,
  force: Index,
  velocity: Index,
  motion: Index,
  parent: Float64Array,
  wrench: Index,
  tableau: Float64Array,
): void {
  const width = count + motions;
  for (let a = 0; a < count; a++) tableau[width * a + column] = own[force + a]!;
  for (let r = 0; r < WRENCH; r++) tableau[width * (count + r) + column] = parent[wrench + r]!;
  for (let k = 0; k < 3; k++) tableau[width * (count + WRENCH + k) + column] = own[velocity + k]!;
  for (let k = 0; k < motions - 3; k++) tableau[width * (count + WRENCH + 3 + k) + column] = own[motion + k]!;
}

/** Generalized forces of actuators off those of a column. */
export function subtractTangent(
  column: Index,
  count: Index,
  motions: Index,
  own: Float64Array,
  force: Index,
  tableau: Float64Array,
): void {
  const width = count + motions;
  for (let a = 0; a < count; a++) tableau[width * a + column] = tableau[width * a + column]! - own[force + a]!;
}

/**
 * What wrenches that are held between links do as the coordinates of a link change, off its columns. A row of
 * `borne` for each coordinate of the robot, `stride` long: changes of generalized forces of the link, then of the
 * wrench at its parent.
 */
export function addLoadTangent(
  column: Index,
  count: Index,
  motions: Index,
  borne: Float64Array,
  stride: Index,
  first: Index,
  tableau: Float64Array,
): void {
  if (column >= count) return;
  const width = count + motions;
  for (let r = 0; r < count + WRENCH; r++) {
    const at = width * r + column;
    tableau[at] = tableau[at]! - borne[stride * (first + column) + r]!;
  }
}

/**
 * Eliminates the coordinates of a link from its tableau and adds to P of its parent.
 * @param factors of the link from `at` on; what they have of wrenches becomes zero.
 * @returns false where a pivot is zero or not a number: what was left is of no use then.
 */
export function factorLink(
  count: Index,
  motions: Index,
  tableau: Float64Array,
  factors: Float64Array,
  at: Index,
  loads: Float64Array,
  atParent: Index,
): boolean {
  const width = count + motions;
  const exchanged = at + count * (count + WRENCH);
  const byMotion = exchanged + count;
  const own = byMotion + motions * count;
  const byWrench = own + motions * width;
  for (let k = 0; k < count; k++) {
    let pivot = k;
    for (let a = k + 1; a < count; a++)
      if (Math.abs(tableau[width * a + k]!) > Math.abs(tableau[width * pivot + k]!)) pivot = a;
    if (!(Math.abs(tableau[width * pivot + k]!) > 0)) return false;
    factors[exchanged + k] = pivot;
    if (pivot !== k)
      for (let c = k; c < width; c++) {
        const number = tableau[width * k + c]!;
        tableau[width * k + c] = tableau[width * pivot + c]!;
        tableau[width * pivot + c] = number;
      }
    for (let a = k + 1; a < count; a++) {
      const factor = tableau[width * a + k]! / tableau[width * k + k]!;
      tableau[width * a + k] = factor;
      for (let c = k + 1; c < width; c++)
        tableau[width * a + c] = tableau[width * a + c]! - factor * tableau[width * k + c]!;
    }
  }
  for (let k = count - 1; k >= 0; k--)
    for (let j = 0; j < motions; j++) {
      let rest = tableau[width * k + count + j]!;
      for (let a = k + 1; a < count; a++) rest -= tableau[width * k + a]! * factors[byMotion + motions * a + j]!;
      factors[byMotion + motions * k + j] = rest / tableau[width * k + k]!;
    }
  for (let r = 0; r < WRENCH; r++) {
    const row = width * (count + r);
    for (let j = 0; j < motions; j++) {
      let change = tableau[row + count + j]!;
      for (let a = 0; a < count; a++) change -= tableau[row + a]! * factors[byMotion + motions * a + j]!;
      loads[atParent + motions * r + j] = loads[atParent + motions * r + j]! + change;
    }
  }
  for (let r = 0; r < count + WRENCH; r++)
    for (let a = 0; a < count; a++) factors[at + count * r + a] = tableau[width * r + a]!;
  for (let k = 0; k < motions * width; k++) factors[own + k] = tableau[width * (count + WRENCH) + k]!;
  for (let k = 0; k < WRENCH * (count + WRENCH); k++) factors[byWrench + k] = 0;
  return true;
}

/** A unit wrench on the own frame, and none at the parent's. */
export function seedWrench(
  column: Index,
  own: Float64Array,
  wrench: Index,
  parent: Float64Array,
  atParent: Index,
): void {
  for (let r = 0; r < WRENCH; r++) {
    own[wrench + r] = r === column ? 1 : 0;
    parent[atParent + r] = 0;
  }
}

/** Forces and the wrench at the parent of a unit wrench, to the factors of a link. */
export function gatherWrench(
  column: Index,
  count: Index,
  motions: Index,
  forces: ArrayLike<number>,
  parent: ArrayLike<number>,
  atParent: Index,
  factors: Float64Array,
  at: Index,
): void {
  const byWrench = at + count * (count + WRENCH + 1 + motions) + motions * (count + motions);
  for (let a = 0; a < count; a++) factors[byWrench + WRENCH * a + column] = forces[a]!;
  for (let r = 0; r < WRENCH; r++) factors[byWrench + WRENCH * (count + r) + column] = parent[atParent + r]!;
}

/**
 * A column of the border at the link whose index it begins with (from 1 on), laid out like `borne`: to what the
 * link is to change by, and off the wrench at its parent.
 */
export function addBorderColumn(
  column: Index,
  count: Index,
  fed: ArrayLike<number>,
  stride: Index,
  link: Index,
  solved: Float64Array,
  first: Index,
  wrenches: Float64Array,
  parent: Index,
): void {
  const begin = (stride + 1) * column;
  if (fed[begin]! < link + 1 || fed[begin]! > link + 1) return;
  for (let a = 0; a < count; a++) solved[first + a] = solved[first + a]! + fed[begin + 1 + a]!;
  for (let r = 0; r < WRENCH; r++) wrenches[parent + r] = wrenches[parent + r]! - fed[begin + 1 + count + r]!;
}

/** The entry that stands in the row of the pivot of row k, exchanged with that of row k; rows from `from` to `to`. */
function exchange(
  k: Index,
  from: Index,
  to: Index,
  pivots: ArrayLike<number>,
  pivot: Index,
  right: Float64Array,
  first: Index,
): void {
  for (let a = from; a < to; a++)
    if (pivots[pivot]! >= a && pivots[pivot]! <= a) {
      const number = right[first + k]!;
      right[first + k] = right[first + a]!;
      right[first + a] = number;
    }
}

/**
 * A right-hand side inwards through a link: what generalized forces are to change by, from `first` on, becomes the
 * coordinates while the parent does not move, and p of the parent is added to.
 * @param wrenches p of all frames: of the own one, and of the parent's.
 */
export function reduceLink(
  count: Index,
  motions: Index,
  factors: ArrayLike<number>,
  at: Index,
  solved: Float64Array,
  first: Index,
  wrenches: Float64Array,
  own: Index,
  parent: Index,
): void {
  const exchanged = at + count * (count + WRENCH);
  const byWrench = exchanged + count * (1 + motions) + motions * (count + motions);
  for (let k = 0; k < WRENCH; k++) {
    const part = wrenches[own + k]!;
    // In a plane half of a wrench is zero.
    if (!(part >= 0 && part <= 0)) {
      for (let a = 0; a < count; a++)
        solved[first + a] = solved[first + a]! - factors[byWrench + WRENCH * a + k]! * part;
      for (let r = 0; r < WRENCH; r++)
        wrenches[parent + r] = wrenches[parent + r]! + factors[byWrench + WRENCH * (count + r) + k]! * part;
    }
  }
  for (let k = 0; k < count; k++) {
    exchange(k, k + 1, count, factors, exchanged + k, solved, first);
    for (let a = k + 1; a < count; a++)
      solved[first + a] = solved[first + a]! - factors[at + count * a + k]! * solved[first + k]!;
  }
  for (let k = count - 1; k >= 0; k--) {
    let rest = solved[first + k]!;
    for (let a = k + 1; a < count; a++) rest -= factors[at + count * k + a]! * solved[first + a]!;
    solved[first + k] = rest / factors[at + count * k + k]!;
  }
  for (let r = 0; r < WRENCH; r++) {
    let change = wrenches[parent + r]!;
    for (let a = 0; a < count; a++) change += factors[at + count * (count + r) + a]! * solved[first + a]!;
    wrenches[parent + r] = change;
  }
}

/** Outwards: changes of the coordinates of a link by that of its parent's motion, to an array that begins at `out`. */
export function restoreLink(
  count: Index,
  motions: Index,
  factors: ArrayLike<number>,
  at: Index,
  solved: ArrayLike<number>,
  first: Index,
  moved: ArrayLike<number>,
  parent: Index,
  to: Float64Array,
  out: Index,
): void {
  const byMotion = at + count * (count + WRENCH + 1);
  for (let a = 0; a < count; a++) {
    let change = solved[first + a]!;
    for (let k = 0; k < motions; k++) change -= factors[byMotion + motions * a + k]! * moved[parent + k]!;
    to[out + first + a] = change;
  }
}

/** The change of the motion of a link by that of its parent and of its coordinates. */
export function moveLink(
  count: Index,
  motions: Index,
  factors: ArrayLike<number>,
  at: Index,
  changes: ArrayLike<number>,
  first: Index,
  moved: Float64Array,
  own: Index,
  parent: Index,
): void {
  const width = count + motions;
  const from = at + count * (count + WRENCH + 1 + motions);
  for (let k = 0; k < motions; k++) {
    let change = 0;
    for (let a = 0; a < count; a++) change += factors[from + width * k + a]! * changes[first + a]!;
    moved[own + k] = change;
  }
  for (let j = 0; j < motions; j++) {
    const part = moved[parent + j]!;
    // And five of nine numbers of a motion.
    if (!(part >= 0 && part <= 0))
      for (let k = 0; k < motions; k++)
        moved[own + k] = moved[own + k]! + factors[from + width * k + count + j]! * part;
  }
}

/** Where an entry of a matrix that stands column by column behind its right-hand side does; column -1 is that. */
export function inMatrix(size: Index, row: Index, column: Index): Index {
  return size * (column + 1) + row;
}

/**
 * Factors of A in its place (LU with row exchanges, the last column first, as coordinates are eliminated inwards).
 * @param matrix right-hand side, then the columns of A, one after the other.
 * @param pivots which rows were exchanged.
 * @returns the column whose pivot is zero or not a number; -1: none.
 */
export function factorMatrix(size: Index, matrix: Float64Array, pivots: Float64Array): Index {
  for (let k = size - 1; k >= 0; k--) {
    let pivot = k;
    let largest = Math.abs(matrix[inMatrix(size, k, k)]!);
    for (let a = 0; a < k; a++) {
      const here = Math.abs(matrix[inMatrix(size, a, k)]!);
      if (here > largest) {
        pivot = a;
        largest = here;
      }
    }
    if (!(largest > 0)) return k;
    pivots[k] = pivot;
    if (pivot !== k)
      for (let c = 0; c <= k; c++) {
        const number = matrix[inMatrix(size, k, c)]!;
        matrix[inMatrix(size, k, c)] = matrix[inMatrix(size, pivot, c)]!;
        matrix[inMatrix(size, pivot, c)] = number;
      }
    const inverse = 1 / matrix[inMatrix(size, k, k)]!;
    matrix[inMatrix(size, k, k)] = inverse;
    for (let c = 0; c < k; c++) {
      const factor = matrix[inMatrix(size, k, c)]! * inverse;
      matrix[inMatrix(size, k, c)] = factor;
      // Most columns of a border may be those of a unit matrix.
      if (!(Math.abs(factor) <= 0))
        for (let a = 0; a < k; a++)
          matrix[inMatrix(size, a, c)] = matrix[inMatrix(size, a, c)]! - matrix[inMatrix(size, a, k)]! * factor;
    }
  }
  return -1;
}

/** x of A x = b by the factors of A, in the place of b. */
export function solveMatrix(size: Index, matrix: Float64Array, pivots: ArrayLike<number>): void {
  for (let k = size - 1; k >= 0; k--) {
    exchange(k, 0, k, pivots, k, matrix, 0);
    const factor = matrix[k]! * matrix[inMatrix(size, k, k)]!;
    matrix[k] = factor;
    if (!(Math.abs(factor) <= 0))
      for (let a = 0; a < k; a++) matrix[a] = matrix[a]! - matrix[inMatrix(size, a, k)]! * factor;
  }
  for (let k = 0; k < size; k++)
    for (let a = k + 1; a < size; a++) matrix[a] = matrix[a]! - matrix[inMatrix(size, a, k)]! * matrix[k]!;
}

/**
 * Factors for the sizes of a border, z of z = c0 + sum c_j z_j, which `solveMatrix` has then in the place of c0.
 * @param border c0, c1, ... one after the other: what loads change by on the right-hand sides of their own, and on
 * the first.
 * @returns false where a pivot is zero or not a number.
 */
export function factorBorder(columns: Index, border: Float64Array, pivots: Float64Array): boolean {
  for (let a = 0; a < columns; a++)
    for (let b = 0; b < columns; b++)
      border[inMatrix(columns, a, b)] = (a === b ? 1 : 0) - border[inMatrix(columns, a, b)]!;
  return factorMatrix(columns, border, pivots) < 0;
}

/** What loads change by on an answer, from what they change by along each coordinate, one after the other. */
export function reachBorder(
  count: Index,
  columns: Index,
  reach: ArrayLike<number>,
  answer: ArrayLike<number>,
  border: Float64Array,
): void {
  for (let j = 0; j < columns; j++) {
    let change = 0;
    for (let i = 0; i < count; i++) change += reach[columns * i + j]! * answer[i]!;
    border[j] = change;
  }
}

/** The first answer, and of those to the border as much as its sizes say. */
export function combineAnswers(
  count: Index,
  columns: Index,
  answers: ArrayLike<number>,
  border: ArrayLike<number>,
  out: Float64Array,
): void {
  for (let i = 0; i < count; i++) {
    let whole = answers[i]!;
    for (let j = 0; j < columns; j++) whole += border[j]! * answers[count * (j + 1) + i]!;
    out[i] = whole;
  }
}
