/**
 * What drivers do with numbers alone where they solve with the tangent of inverse dynamics: along a change of the
 * coordinates of the links beyond it, the wrench at a frame changes by P x + p, x = (ω, α, a) the change of its motion.
 * Link by link inwards, the columns of its kernels' changes are gathered in a tableau, its coordinates eliminated (LU
 * with row exchanges) and P and p of its parent added to; outwards, every x gives the coordinates beyond it.
 * This file is copied beside generated modules; kanegen_elimination.h is the same in C, operation by operation.
 */

/** Numbers of a motion (ω, α, a), of a wrench, of P (6 × 9, row-major) with p behind it. */
const [MOTION, WRENCH, LOADS] = [9, 6, 54];

/**
 * Changes of one column of the tableau: of a coordinate (its rate and acceleration with it), of a number of the motion
 * of the parent frame, or of nothing.
 * @param own changes of the link: coordinates, rates, accelerations from q, qd, qdd on, those of frames from the rest.
 */
export function seedChange(
  column: number,
  count: number,
  rate: number,
  acceleration: number,
  own: Float64Array,
  q: number,
  qd: number,
  qdd: number,
  parent: Float64Array,
  velocity: number,
  motion: number,
  wrench: number,
): void {
  for (let a = 0; a < count; a++) {
    const unit = a === column ? 1 : 0;
    own[q + a] = unit;
    own[qd + a] = unit * rate;
    own[qdd + a] = unit * acceleration;
  }
  for (let k = 0; k < 3; k++) {
    own[velocity + k] = 0;
    parent[velocity + k] = column === count + k ? 1 : 0;
  }
  for (let k = 0; k < 6; k++) {
    own[motion + k] = 0;
    own[wrench + k] = 0;
    parent[motion + k] = column === count + 3 + k ? 1 : 0;
    parent[wrench + k] = 0;
  }
}

/** Change of the wrench at the own frame by that of its motion; p in the last column only. */
export function loadChange(
  column: number,
  count: number,
  own: Float64Array,
  velocity: number,
  motion: number,
  wrench: number,
  loads: Float64Array,
  at: number,
): void {
  for (let r = 0; r < WRENCH; r++) {
    let change = column === count + MOTION ? loads[at + LOADS + r]! : 0;
    for (let k = 0; k < 3; k++) change += loads[at + MOTION * r + k]! * own[velocity + k]!;
    for (let k = 0; k < 6; k++) change += loads[at + MOTION * r + 3 + k]! * own[motion + k]!;
    own[wrench + r] = change;
  }
}

/** Generalized forces of the link and the wrench at the parent frame to a column of the tableau. */
export function gatherChange(
  column: number,
  count: number,
  own: Float64Array,
  force: number,
  parent: Float64Array,
  wrench: number,
  tableau: Float64Array,
): void {
  const width = count + MOTION + 1;
  for (let a = 0; a < count; a++) tableau[width * a + column] = own[force + a]!;
  for (let r = 0; r < WRENCH; r++) tableau[width * (count + r) + column] = parent[wrench + r]!;
}

/** Generalized forces of actuators off those of a column. */
export function deductChange(
  column: number,
  count: number,
  own: Float64Array,
  force: number,
  tableau: Float64Array,
): void {
  const width = count + MOTION + 1;
  for (let a = 0; a < count; a++) tableau[width * a + column] = tableau[width * a + column]! - own[force + a]!;
}

/**
 * Solves the rows of a link for its coordinates, y − X x (count × 10, X beside y), and adds to P and p of its parent.
 * @param right what generalized forces are to change by, from `first` on.
 * @returns false where a pivot is zero or not a number.
 */
export function condense(
  count: number,
  right: ArrayLike<number>,
  first: number,
  tableau: Float64Array,
  solved: Float64Array,
  at: number,
  loads: Float64Array,
  atParent: number,
): boolean {
  const width = count + MOTION + 1;
  const last = width - 1;
  let isRegular = true;
  for (let a = 0; a < count; a++) tableau[width * a + last] = right[first + a]! - tableau[width * a + last]!;
  for (let k = 0; k < count; k++) {
    let pivot = k;
    for (let a = k + 1; a < count; a++)
      if (Math.abs(tableau[width * a + k]!) > Math.abs(tableau[width * pivot + k]!)) pivot = a;
    isRegular = isRegular && Math.abs(tableau[width * pivot + k]!) > 0;
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
  for (let k = count - 1; k >= 0; k--)
    for (let j = 0; j <= MOTION; j++) {
      let rest = tableau[width * k + count + j]!;
      for (let a = k + 1; a < count; a++) rest -= tableau[width * k + a]! * solved[at + (MOTION + 1) * a + j]!;
      solved[at + (MOTION + 1) * k + j] = rest / tableau[width * k + k]!;
    }
  for (let r = 0; r < WRENCH; r++) {
    const row = width * (count + r);
    for (let j = 0; j < MOTION; j++) {
      let change = tableau[row + count + j]!;
      for (let a = 0; a < count; a++) change -= tableau[row + a]! * solved[at + (MOTION + 1) * a + j]!;
      loads[atParent + MOTION * r + j] = loads[atParent + MOTION * r + j]! + change;
    }
    let change = tableau[row + last]!;
    for (let a = 0; a < count; a++) change += tableau[row + a]! * solved[at + (MOTION + 1) * a + MOTION]!;
    loads[atParent + LOADS + r] = loads[atParent + LOADS + r]! + change;
  }
  return isRegular;
}

/** Changes of the coordinates of a link, with their rates and accelerations, by that of the motion of its parent. */
export function expand(
  count: number,
  rate: number,
  acceleration: number,
  own: Float64Array,
  q: number,
  qd: number,
  qdd: number,
  parent: Float64Array,
  velocity: number,
  motion: number,
  solved: Float64Array,
  at: number,
): void {
  for (let a = 0; a < count; a++) {
    const row = at + (MOTION + 1) * a;
    let change = solved[row + MOTION]!;
    for (let k = 0; k < 3; k++) change -= solved[row + k]! * parent[velocity + k]!;
    for (let k = 0; k < 6; k++) change -= solved[row + 3 + k]! * parent[motion + k]!;
    own[q + a] = change;
    own[qd + a] = rate * change;
    own[qdd + a] = acceleration * change;
  }
}
