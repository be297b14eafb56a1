/**
 * What drivers of robots with loops do with numbers alone. Rows of loops have gone through the coordinates of all
 * links: row j has u_j = L⁻¹ J_jᵀ over the pivots of M = L D Lᵀ, so that J M⁻¹ Jᵀ is a sum over coordinates. Its
 * rank is judged at every state: rows are scaled to a unit diagonal, and Cholesky's method takes the largest pivot
 * first and stops at dependent rows, whose multipliers are zero. This file is copied beside generated modules and
 * imports nothing; kanegen_loops.h is translated from it.
 */

/** A whole number: `int` in C. */
type Index = number;

/** Stands behind states of ropes that were given; a workspace begins with any numbers. */
const ROPES_GIVEN = 20011;

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
  const slack: Index = 2 * rows * rows + 5 * rows;
  for (let j: Index = 0; j < rows; j++)
    if (work[order + j]! === 0 && work[slack + j]! === 0) {
      let left = targets[j]!;
      let size = work[rest + j]!;
      for (let a: Index = 0; a < count; a++) left += columns[count * j + a]! * pivots[a]! * quotients[a]!;
      for (let k: Index = 0; k < rows; k++) {
        if (work[slack + k]! === 0) {
          left += work[rows * j + k]! * multipliers[k]!;
          size += Math.abs(work[rows * j + k]! * multipliers[k]!);
        }
      }
      const isIdle = work[2 * rows * rows + j]! === 0;
      if (Math.abs(left) > 1e-6 * (isIdle ? whole : size)) return -1 - j;
    }
  return 0;
}

/** Rounds in which ropes may go slack or taut before the last one stands; those that change all at once come first. */
const MOST_ROUNDS = 24;
const ROUNDS_AT_ONCE = 8;

/**
 * Multipliers of what gives way, and what rows ask otherwise, before `closeLoops`: springs and dampers push by
 * −(k φ + b φ̇), on a motion by themselves and in an implicit step of h by what they are at its end; ropes pull where
 * they are taut, and never push.
 * @param what 0: accelerations; 1: a step of h, from targets of rigid rows; 2: factors of one; 3: a correction of
 * coordinates; 4: a correction of rates.
 * @param stiffness k, of rigid rows zero. @param ropes 1 for rows of ropes.
 * @param taut 1 for ropes that are taut, −1 for slack ones, 0 for ropes whose state is judged by residuals and rates,
 * as all are unless `keepRopes` has put them there.
 * @param kinds 0 for rows that are met, 1 for rows whose multipliers are given, 2 for rows that do no more than pull.
 * @param softness what rows give way by beside J M⁻¹ Jᵀ.
 */
export function yieldLoops(
  rows: Index,
  what: Index,
  h: number,
  stiffness: ArrayLike<number>,
  damping: ArrayLike<number>,
  ropes: ArrayLike<number>,
  taut: ArrayLike<number>,
  residuals: ArrayLike<number>,
  rates: ArrayLike<number>,
  kinds: Float64Array,
  softness: Float64Array,
  targets: Float64Array,
  multipliers: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++) {
    const k = stiffness[j]!;
    const b = damping[j]!;
    const isRope = ropes[j]! !== 0;
    let known = 0;
    if (taut[rows]! === ROPES_GIVEN) known = taut[j]!;
    let isTaut = known > 0 || (known === 0 && residuals[j]! >= -1e-9);
    // Ropes that are about to go slack at the length that they have.
    if (known === 0 && what === 0 && rates[j]! < -1e-9) isTaut = false;
    let push = 0;
    let give = 0;
    let kind = 0;
    if (isRope && known === 0) kind = 2;
    if (k > 0 && what === 0) {
      kind = 1;
      push = -(k * residuals[j]! + b * rates[j]!);
      if (isRope && (push > 0 || residuals[j]! < 0)) push = 0;
    } else if (k > 0 && what > 2) kind = 1;
    else if (k > 0) {
      const whole = h * k + b;
      give = 1 / (h * whole);
      if (what === 1) targets[j] = rates[j]! / h + k * residuals[j]! * give;
    }
    // A step sees by itself which ropes become taut in it.
    if (isRope && !isTaut && (what !== 1 || known < 0)) kind = 1;
    if (what === 2 && kind === 2) kind = 0;
    kinds[j] = kind;
    softness[j] = give;
    multipliers[j] = push;
  }
}

/** States of ropes for all that follows, see `yieldLoops`. @param kept rows + 1 numbers. */
export function keepRopes(rows: Index, taut: ArrayLike<number>, kept: Float64Array): void {
  for (let j: Index = 0; j < rows; j++) kept[j] = taut[j]!;
  kept[rows] = ROPES_GIVEN;
}

/**
 * What rows ask of a solution x of implicit steps, by its rates less h rv: rigid ones nothing, as rv keeps them, and
 * springs what M + h D + h² K has of them.
 * @param gradients J. @param rq @param rv the right-hand side.
 */
export function stiffTargets(
  rows: Index,
  count: Index,
  h: number,
  stiffness: ArrayLike<number>,
  damping: ArrayLike<number>,
  gradients: ArrayLike<number>,
  rq: ArrayLike<number>,
  rv: ArrayLike<number>,
  targets: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++) {
    let along = 0;
    let faster = 0;
    if (stiffness[j]! > 0) {
      for (let a: Index = 0; a < count; a++) {
        along += gradients[count * j + a]! * rq[a]!;
        faster += gradients[count * j + a]! * rv[a]!;
      }
      along = (h * stiffness[j]! * along) / (h * stiffness[j]! + damping[j]!);
    }
    targets[j] = along + h * faster;
  }
}

/**
 * For derivatives at multipliers: rows that give way change these by changes of what they ask, slack ropes do not.
 * @param changes of what rows ask; null for the transpose, where they come later.
 */
export function yieldChanges(
  rows: Index,
  stiffness: ArrayLike<number>,
  ropes: ArrayLike<number>,
  lambda: ArrayLike<number>,
  changes: ArrayLike<number>,
  isTranspose: boolean,
  kinds: Float64Array,
  softness: Float64Array,
  multipliers: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++) {
    const isSlack = ropes[j]! !== 0 && !(lambda[j]! < 0);
    kinds[j] = isSlack || stiffness[j]! > 0 ? 1 : 0;
    softness[j] = 0;
    multipliers[j] = isTranspose || isSlack ? 0 : -changes[j]!;
  }
}

/**
 * Of the transpose: what weighs the demands of rows whose multipliers are given, −(J x + target) of springs.
 * Slack ropes demand nothing.
 */
export function weighYielding(
  rows: Index,
  count: Index,
  columns: ArrayLike<number>,
  pivots: ArrayLike<number>,
  quotients: ArrayLike<number>,
  targets: ArrayLike<number>,
  kinds: ArrayLike<number>,
  stiffness: ArrayLike<number>,
  ropes: ArrayLike<number>,
  lambda: ArrayLike<number>,
  multipliers: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++)
    if (kinds[j]! === 1) {
      const isSlack = ropes[j]! !== 0 && !(lambda[j]! < 0);
      let sum = 0;
      if (stiffness[j]! > 0 && !isSlack) {
        sum = targets[j]!;
        for (let a: Index = 0; a < count; a++) sum += columns[count * j + a]! * pivots[a]! * quotients[a]!;
      }
      multipliers[j] = -sum;
    }
}

/**
 * For the transpose of an implicit step with multipliers `lambda`: slack ropes have none, rows that give way do so by
 * the step.
 * @param kinds @param softness @param multipliers see `closeLoops`.
 */
export function stepYields(
  rows: Index,
  h: number,
  stiffness: ArrayLike<number>,
  damping: ArrayLike<number>,
  ropes: ArrayLike<number>,
  lambda: ArrayLike<number>,
  kinds: Float64Array,
  softness: Float64Array,
  multipliers: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++) {
    const isSlack = ropes[j]! !== 0 && !(lambda[j]! < 0);
    kinds[j] = isSlack ? 1 : 0;
    softness[j] = stiffness[j]! > 0 ? 1 / (h * (h * stiffness[j]! + damping[j]!)) : 0;
    multipliers[j] = 0;
  }
}

/**
 * What such a step asks of rows by residuals and their rates, φ/h² + φ̇/h where they are rigid, weighed by the opposite
 * of multipliers: by coordinates, J held, and by rates.
 * @param isYielding whether `stiffness` and `damping` are read.
 * @param gradients J. @param byQ @param byQd what is added to.
 */
export function weighSteps(
  rows: Index,
  count: Index,
  h: number,
  isYielding: boolean,
  stiffness: ArrayLike<number>,
  damping: ArrayLike<number>,
  gradients: ArrayLike<number>,
  multipliers: ArrayLike<number>,
  byQ: Float64Array,
  byQd: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++) {
    const rate = multipliers[j]! / h;
    let place = rate / h;
    if (isYielding && stiffness[j]! > 0) place = (rate * stiffness[j]!) / (h * stiffness[j]! + damping[j]!);
    for (let a: Index = 0; a < count; a++) {
      byQ[a] = byQ[a]! - gradients[count * j + a]! * place;
      byQd[a] = byQd[a]! - gradients[count * j + a]! * rate;
    }
  }
}

/**
 * Derivatives of what such a step asks of rows: J/h, and J/h² with what J changes by along the step, of rows that give
 * way as above.
 * @param gradients J, then by rates. @param curvatures the opposite of those changes, then by coordinates.
 */
export function slopeSteps(
  rows: Index,
  count: Index,
  h: number,
  isYielding: boolean,
  stiffness: ArrayLike<number>,
  damping: ArrayLike<number>,
  gradients: Float64Array,
  curvatures: Float64Array,
): void {
  for (let j: Index = 0; j < rows; j++) {
    let place = 1 / (h * h);
    if (isYielding && stiffness[j]! > 0) place = stiffness[j]! / (h * (h * stiffness[j]! + damping[j]!));
    for (let a: Index = count * j; a < count * j + count; a++) {
      curvatures[a] = place * gradients[a]! - curvatures[a]!;
      gradients[a] = gradients[a]! / h;
    }
  }
}

/** Adds slopes, row by row, times a direction that begins at a place, to numbers a row from `first` on. */
export function addSlopes(
  rows: Index,
  count: Index,
  slopes: ArrayLike<number>,
  direction: ArrayLike<number>,
  at: Index,
  changes: Float64Array,
  first: Index,
): void {
  for (let j: Index = 0; j < rows; j++) {
    let sum = changes[first + j]!;
    for (let a: Index = 0; a < count; a++) sum += slopes[count * j + a]! * direction[at + a]!;
    changes[first + j] = sum;
  }
}

/** Multipliers of rows that are not slack, by Cholesky's method; the rank. */
function multipliersOf(rows: Index, largest: number, work: Float64Array, multipliers: Float64Array): Index {
  const factors: Index = rows * rows;
  const scales: Index = 2 * rows * rows;
  const rest: Index = scales + rows;
  const order: Index = rest + rows;
  const solved: Index = order + rows;
  const rights: Index = solved + rows;
  const slack: Index = rights + rows;
  for (let j: Index = 0; j < rows; j++) {
    const own = work[rows * j + j]!;
    const isIdle = own <= 1e-24 * largest || work[slack + j]! !== 0;
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
      let right = -work[scales + best]! * work[rights + best]!;
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
  for (let j: Index = 0; j < rows; j++) if (work[slack + j]! === 0) multipliers[j] = 0;
  for (let step: Index = rank - 1; step >= 0; step--) {
    let row: Index = 0;
    let value = work[solved + step]!;
    for (let j: Index = 0; j < rows; j++) {
      if (work[order + j]! > step + 1) value -= work[factors + rows * j + step]! * multipliers[j]!;
      if (work[order + j]! === step + 1) row = j;
    }
    multipliers[row] = value / work[factors + rows * row + step]!;
  }
  for (let j: Index = 0; j < rows; j++)
    if (work[slack + j]! === 0) multipliers[j] = multipliers[j]! * work[scales + j]!;
  return rank;
}

/** Ropes that push go slack, slack ones that would grow longer become taut: all of them, or the first one. */
function exchangeRopes(
  rows: Index,
  isAtOnce: boolean,
  kinds: ArrayLike<number>,
  work: Float64Array,
  multipliers: Float64Array,
): boolean {
  const rights: Index = 2 * rows * rows + 4 * rows;
  const slack: Index = rights + rows;
  let isChanged = false;
  for (let j: Index = 0; j < rows; j++)
    if (kinds[j]! === 2) {
      let left = work[rights + j]!;
      let size = Math.abs(left);
      for (let k: Index = 0; k < rows; k++)
        if (work[slack + k]! === 0) {
          left += work[rows * j + k]! * multipliers[k]!;
          size += Math.abs(work[rows * j + k]! * multipliers[k]!);
        }
      const isSlack = work[slack + j]! !== 0;
      const isWrong = isSlack ? left > 1e-12 * size : multipliers[j]! > 0;
      // What has changed in this round is marked, and counts from the next one on.
      work[rows * rows + j] = 0;
      if (isWrong && (isAtOnce || !isChanged)) {
        work[rows * rows + j] = 1;
        isChanged = true;
      }
    }
  for (let j: Index = 0; j < rows; j++)
    if (kinds[j]! === 2 && work[rows * rows + j]! !== 0) {
      work[slack + j] = work[slack + j]! !== 0 ? 0 : 1;
      multipliers[j] = 0;
    }
  return isChanged;
}

/**
 * Multipliers and what they add to the quotients of a right-hand side: J x + softness · multipliers = −targets with
 * M x = right-hand side + Jᵀ multipliers. Rows that nothing can move are left out (1e-24 of the largest of J M⁻¹ Jᵀ),
 * dependent ones at 1e-8 of a unit diagonal. Rows that pull alone have J x ≤ −targets and multipliers ≤ 0, one of both
 * with equality: those that fail are exchanged in rounds, all at first, then the first one, at most 24 rounds in all.
 * @param columns row by row, one number per coordinate: the quotients of each row as a right-hand side.
 * @param pivots one per coordinate.
 * @param quotients of the right-hand side; those of the multipliers are added.
 * @param kinds see `yieldLoops`; with `softness` read where `isYielding`. Multipliers of rows of kind 1 are given.
 * @param work 2 rows² + 6 rows + count numbers.
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
  isYielding: boolean,
  kinds: ArrayLike<number>,
  softness: ArrayLike<number>,
  work: Float64Array,
  multipliers: Float64Array,
): Index {
  const rights: Index = 2 * rows * rows + 4 * rows;
  const slack: Index = rights + rows;
  const weighted: Index = slack + rows;
  let largest = 0;
  for (let j: Index = 0; j < rows; j++) {
    work[slack + j] = 0;
    if (isYielding && kinds[j]! === 1) {
      work[slack + j] = 1;
      for (let a: Index = 0; a < count; a++) quotients[a] = quotients[a]! + multipliers[j]! * columns[count * j + a]!;
    }
  }
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
    work[rights + j] = right;
    for (let k: Index = 0; k <= j; k++) {
      let sum = 0;
      for (let a: Index = first; a < end; a++) sum += work[weighted + a]! * columns[count * k + a]!;
      work[rows * j + k] = sum;
      work[rows * k + j] = sum;
    }
    if (work[rows * j + j]! > largest) largest = work[rows * j + j]!;
    if (isYielding) work[rows * j + j] = work[rows * j + j]! + softness[j]!;
  }
  let rank: Index = 0;
  let isDone = false;
  for (let round: Index = 0; round < MOST_ROUNDS; round++)
    if (!isDone) {
      rank = multipliersOf(rows, largest, work, multipliers);
      isDone = true;
      if (isYielding) isDone = !exchangeRopes(rows, round < ROUNDS_AT_ONCE, kinds, work, multipliers);
    }
  let refused: Index = 0;
  if (isStrict && rank < rows)
    refused = contradiction(rows, count, columns, pivots, quotients, targets, work, multipliers);
  for (let j: Index = 0; j < rows; j++)
    if (!isYielding || kinds[j]! !== 1)
      for (let a: Index = 0; a < count; a++)
        if (columns[count * j + a]! !== 0) quotients[a] = quotients[a]! + multipliers[j]! * columns[count * j + a]!;
  return refused < 0 ? refused : rank;
}

/**
 * Generalized forces f without loops, taken apart: f = tau + Jᵀ multipliers, with the tau of least Σ (tau/capacity)²
 * that is zero where the capacity is. What multipliers cannot take of such a coordinate is left in tau. Coordinates
 * without capacity give multipliers one after the other, by elimination with the largest pivot; the rest follows by
 * least squares, by orthogonal columns. Rows below 1e-9 of what they were then depend on others, and have no
 * multipliers.
 * @param gradients J. @param tau f, then tau.
 * @param kinds 1: the multiplier is given; read where `isYielding`.
 * @param work (count + rows + 3) (rows + 1) numbers.
 */
export function distributeForces(
  rows: Index,
  count: Index,
  gradients: ArrayLike<number>,
  capacity: ArrayLike<number>,
  isYielding: boolean,
  kinds: ArrayLike<number>,
  work: Float64Array,
  tau: Float64Array,
  multipliers: Float64Array,
): void {
  const whole: Index = count * rows;
  const factors: Index = whole + count;
  const sizes: Index = factors + rows * (rows + 1);
  const steps: Index = sizes + rows;
  const places: Index = steps + rows;
  for (let j: Index = 0; j < rows; j++) {
    const isGiven = isYielding && kinds[j]! === 1;
    if (isGiven) for (let a: Index = 0; a < count; a++) tau[a] = tau[a]! - gradients[count * j + a]! * multipliers[j]!;
    let size = 0;
    for (let a: Index = 0; a < count; a++) {
      const unit = capacity[a]! > 0 ? 1 / capacity[a]! : 1;
      work[count * j + a] = gradients[count * j + a]! * unit;
      size += work[count * j + a]! * work[count * j + a]!;
    }
    work[sizes + j] = isGiven ? 0 : Math.sqrt(size);
    work[steps + j] = 0;
    work[places + j] = -1;
    if (!isGiven) multipliers[j] = 0;
  }
  for (let a: Index = 0; a < count; a++) work[whole + a] = capacity[a]! > 0 ? tau[a]! / capacity[a]! : tau[a]!;
  let step: Index = 0;
  for (let round: Index = 0; round < rows; round++) {
    let pivot = 1e-9;
    let row: Index = -1;
    let at: Index = 0;
    for (let j: Index = 0; j < rows; j++)
      if (work[steps + j]! === 0 && work[sizes + j]! > 0)
        for (let a: Index = 0; a < count; a++)
          if (!(capacity[a]! > 0) && Math.abs(work[count * j + a]!) > pivot * work[sizes + j]!) {
            let isTaken = false;
            for (let k: Index = 0; k < rows; k++) if (work[places + k]! === a) isTaken = true;
            if (!isTaken) {
              pivot = Math.abs(work[count * j + a]!) / work[sizes + j]!;
              row = j;
              at = a;
            }
          }
    if (row >= 0) {
      step = step + 1;
      work[steps + row] = step;
      work[places + row] = at;
      for (let k: Index = 0; k <= rows; k++)
        if (k === rows || work[steps + k]! === 0) {
          const share = work[count * k + at]! / work[count * row + at]!;
          for (let a: Index = 0; a < count; a++)
            if (a !== at) work[count * k + a] = work[count * k + a]! - share * work[count * row + a]!;
        }
    }
  }
  const eliminated: Index = step;
  for (let round: Index = 0; round < rows; round++) {
    let largest = 1e-9;
    let length = 0;
    let row: Index = -1;
    for (let j: Index = 0; j < rows; j++)
      if (work[steps + j]! === 0 && work[sizes + j]! > 0) {
        let sum = 0;
        for (let a: Index = 0; a < count; a++) if (capacity[a]! > 0) sum += work[count * j + a]! * work[count * j + a]!;
        if (Math.sqrt(sum) > largest * work[sizes + j]!) {
          length = Math.sqrt(sum);
          largest = length / work[sizes + j]!;
          row = j;
        }
      }
    if (row >= 0) {
      step = step + 1;
      work[steps + row] = step;
      for (let k: Index = 0; k <= rows; k++)
        if (k === rows || work[steps + k]! === 0) {
          let share = 0;
          for (let a: Index = 0; a < count; a++)
            if (capacity[a]! > 0) share += (work[count * row + a]! / length) * work[count * k + a]!;
          work[factors + (rows + 1) * row + k] = share / length;
          for (let a: Index = 0; a < count; a++)
            if (capacity[a]! > 0)
              work[count * k + a] = work[count * k + a]! - (share / length) * work[count * row + a]!;
        }
    }
  }
  for (let last: Index = step; last > 0; last--)
    for (let row: Index = 0; row < rows; row++)
      if (work[steps + row]! === last) {
        let value = 0;
        if (last > eliminated) {
          value = work[factors + (rows + 1) * row + rows]!;
          for (let k: Index = 0; k < rows; k++)
            if (work[steps + k]! > last) value -= work[factors + (rows + 1) * row + k]! * multipliers[k]!;
        } else {
          for (let a: Index = 0; a < count; a++)
            if (work[places + row]! === a) {
              value = work[whole + a]!;
              for (let k: Index = 0; k < rows; k++)
                if (work[steps + k]! > eliminated) value -= work[count * k + a]! * multipliers[k]!;
              value = value / work[count * row + a]!;
            }
        }
        multipliers[row] = value;
      }
  for (let j: Index = 0; j < rows; j++)
    if (!isYielding || kinds[j]! !== 1)
      for (let a: Index = 0; a < count; a++) tau[a] = tau[a]! - gradients[count * j + a]! * multipliers[j]!;
}
