/**
 * What drivers do with numbers alone where they solve with the tangent of inverse dynamics: along a change of the
 * coordinates of the links beyond it, the wrench at a frame changes by P x + p, x = (ω, α, a) the change of its
 * motion, in water (ω, α, a, velocity against the water, gravity). Link by link inwards, the columns of its kernels'
 * changes are gathered in a tableau, its coordinates eliminated (LU with row exchanges) and P and p of its parent
 * added to; outwards, every x gives the coordinates beyond it. Loads between links, which do not go along the chain,
 * are a border: right-hand sides of their own, whose sizes a small dense system has. This file is copied beside
 * generated modules and imports nothing; kanegen_elimination.h is translated from it.
 */

/** A whole number: `int` in C. */
type Index = number;

/**
 * Numbers of a wrench. A motion has omega first, in the place of velocities, `motions` numbers in all; P (6 x motions,
 * row-major) has p behind it for each right-hand side.
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

/** Change of the wrench at the own frame by that of its motion; p in the columns of right-hand sides only. */
export function loadTangent(
  column: Index,
  count: Index,
  motions: Index,
  own: Float64Array,
  velocity: Index,
  motion: Index,
  wrench: Index,
  loads: Float64Array,
  at: Index,
): void {
  const side = column - count - motions;
  for (let r = 0; r < WRENCH; r++) {
    let change = side >= 0 ? loads[at + WRENCH * (motions + side) + r]! : 0;
    for (let k = 0; k < 3; k++) change += loads[at + motions * r + k]! * own[velocity + k]!;
    for (let k = 0; k < motions - 3; k++) change += loads[at + motions * r + 3 + k]! * own[motion + k]!;
    own[wrench + r] = change;
  }
}

/**
 * Generalized forces of the link and the wrench at the parent frame to a column of the tableau, rows of which are
 * `width` long.
 */
export function gatherTangent(
  column: Index,
  count: Index,
  width: Index,
  own: Float64Array,
  force: Index,
  parent: Float64Array,
  wrench: Index,
  tableau: Float64Array,
): void {
  for (let a = 0; a < count; a++) tableau[width * a + column] = own[force + a]!;
  for (let r = 0; r < WRENCH; r++) tableau[width * (count + r) + column] = parent[wrench + r]!;
}

/** Generalized forces of actuators off those of a column. */
export function subtractTangent(
  column: Index,
  count: Index,
  width: Index,
  own: Float64Array,
  force: Index,
  tableau: Float64Array,
): void {
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
  width: Index,
  borne: Float64Array,
  stride: Index,
  first: Index,
  tableau: Float64Array,
): void {
  if (column >= count) return;
  for (let r = 0; r < count + WRENCH; r++) {
    const at = width * r + column;
    tableau[at] = tableau[at]! - borne[stride * (first + column) + r]!;
  }
}

/**
 * A column of the border off that of the tableau, at the link whose index it begins with (from 1 on), laid out
 * like `borne`.
 */
export function addBorderTangent(
  column: Index,
  count: Index,
  motions: Index,
  width: Index,
  fed: Float64Array,
  stride: Index,
  link: Index,
  tableau: Float64Array,
): void {
  const side = column - count - motions - 1;
  if (side < 0) return;
  const from = fed[(stride + 1) * side]!;
  if (from < link + 1 || from > link + 1) return;
  for (let r = 0; r < count + WRENCH; r++) {
    const at = width * r + column;
    tableau[at] = tableau[at]! - fed[(stride + 1) * side + 1 + r]!;
  }
}

/**
 * Solves the rows of a link for its coordinates, y - X x (X count x motions beside each other from `at` on, y of each
 * right-hand side `coordinates` apart from `atRight` on), and adds to P and p of its parent.
 * @param right what generalized forces are to change by on the first right-hand side, from `first` on; by nothing
 * on others.
 * @returns false where a pivot is zero or not a number: what was solved is of no use then.
 */
export function eliminate(
  count: Index,
  motions: Index,
  width: Index,
  right: ArrayLike<number>,
  first: Index,
  tableau: Float64Array,
  solved: Float64Array,
  at: Index,
  atRight: Index,
  coordinates: Index,
  loads: Float64Array,
  atParent: Index,
): boolean {
  const sides = width - count - motions;
  const ofSides = count + motions;
  for (let a = 0; a < count; a++) {
    tableau[width * a + ofSides] = right[first + a]! - tableau[width * a + ofSides]!;
    for (let j = 1; j < sides; j++) tableau[width * a + ofSides + j] = -tableau[width * a + ofSides + j]!;
  }
  for (let k = 0; k < count; k++) {
    let pivot = k;
    for (let a = k + 1; a < count; a++)
      if (Math.abs(tableau[width * a + k]!) > Math.abs(tableau[width * pivot + k]!)) pivot = a;
    if (!(Math.abs(tableau[width * pivot + k]!) > 0)) return false;
    if (pivot !== k)
      for (let c = k; c < width; c++) {
        const number = tableau[width * k + c]!;
        tableau[width * k + c] = tableau[width * pivot + c]!;
        tableau[width * pivot + c] = number;
      }
    for (let a = k + 1; a < count; a++) {
      const factor = tableau[width * a + k]! / tableau[width * k + k]!;
      for (let c = k + 1; c < width; c++)
        tableau[width * a + c] = tableau[width * a + c]! - factor * tableau[width * k + c]!;
    }
  }
  for (let k = count - 1; k >= 0; k--) {
    for (let j = 0; j < motions; j++) {
      let rest = tableau[width * k + count + j]!;
      for (let a = k + 1; a < count; a++) rest -= tableau[width * k + a]! * solved[at + motions * a + j]!;
      solved[at + motions * k + j] = rest / tableau[width * k + k]!;
    }
    for (let j = 0; j < sides; j++) {
      const from = atRight + coordinates * j;
      let rest = tableau[width * k + ofSides + j]!;
      for (let a = k + 1; a < count; a++) rest -= tableau[width * k + a]! * solved[from + a]!;
      solved[from + k] = rest / tableau[width * k + k]!;
    }
  }
  for (let r = 0; r < WRENCH; r++) {
    const row = width * (count + r);
    for (let j = 0; j < motions; j++) {
      let change = tableau[row + count + j]!;
      for (let a = 0; a < count; a++) change -= tableau[row + a]! * solved[at + motions * a + j]!;
      loads[atParent + motions * r + j] = loads[atParent + motions * r + j]! + change;
    }
    for (let j = 0; j < sides; j++) {
      let change = tableau[row + ofSides + j]!;
      for (let a = 0; a < count; a++) change += tableau[row + a]! * solved[atRight + coordinates * j + a]!;
      const load = atParent + WRENCH * (motions + j) + r;
      loads[load] = loads[load]! + change;
    }
  }
  return true;
}

/**
 * Changes of the coordinates of a link on a right-hand side, with their rates and accelerations, by that of the
 * motion of its parent.
 */
export function backSubstitute(
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
  solved: Float64Array,
  at: Index,
  atRight: Index,
): void {
  for (let a = 0; a < count; a++) {
    const row = at + motions * a;
    let change = solved[atRight + a]!;
    for (let k = 0; k < 3; k++) change -= solved[row + k]! * parent[velocity + k]!;
    for (let k = 0; k < motions - 3; k++) change -= solved[row + 3 + k]! * parent[motion + k]!;
    own[q + a] = change;
    own[qd + a] = rate * change;
    own[qdd + a] = acceleration * change;
  }
}

/** Where an entry of a matrix that stands column by column behind its right-hand side does; column -1 is that. */
export function inMatrix(size: Index, row: Index, column: Index): Index {
  return size * (column + 1) + row;
}

/**
 * Solves for x of A x = b, x in the place of b (LU with row exchanges, the last column first, as coordinates are
 * eliminated inwards).
 * @param matrix b, then the columns of A, one after the other.
 * @returns the column whose pivot is zero or not a number; -1: none.
 */
export function solveMatrix(size: Index, matrix: Float64Array): Index {
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
    if (pivot !== k)
      for (let c = -1; c <= k; c++) {
        const number = matrix[inMatrix(size, k, c)]!;
        matrix[inMatrix(size, k, c)] = matrix[inMatrix(size, pivot, c)]!;
        matrix[inMatrix(size, pivot, c)] = number;
      }
    const inverse = 1 / matrix[inMatrix(size, k, k)]!;
    for (let c = -1; c < k; c++) {
      const factor = matrix[inMatrix(size, k, c)]! * inverse;
      matrix[inMatrix(size, k, c)] = factor;
      // Most columns of a border may be those of a unit matrix.
      if (!(Math.abs(factor) <= 0))
        for (let a = 0; a < k; a++)
          matrix[inMatrix(size, a, c)] = matrix[inMatrix(size, a, c)]! - matrix[inMatrix(size, a, k)]! * factor;
    }
  }
  for (let k = 0; k < size; k++)
    for (let a = k + 1; a < size; a++) matrix[a] = matrix[a]! - matrix[inMatrix(size, a, k)]! * matrix[k]!;
  return -1;
}

/**
 * Solves for the sizes of a border, z of z = c0 + sum c_j z_j (in the place of c0).
 * @param border c0, c1, ... one after the other: what loads change by on the right-hand sides of their own, and on
 * the first.
 * @returns false where a pivot is zero or not a number.
 */
export function solveBorder(columns: Index, border: Float64Array): boolean {
  for (let a = 0; a < columns; a++)
    for (let b = 0; b < columns; b++)
      border[inMatrix(columns, a, b)] = (a === b ? 1 : 0) - border[inMatrix(columns, a, b)]!;
  return solveMatrix(columns, border) < 0;
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
