/**
 * A rod at rest under weight and dead loads at its end, along its steps: from strains at the four Gauss points of each
 * step rotations Q' = Q (0, curvature) / 2, positions and profiles outwards, forces, moments and pulls on profiles
 * inwards, by collocation; and what is left of the balance of its sections. World axes, SI units; matrices by rows.
 * Callers bring all memory, nothing is allocated. This file is copied beside generated modules and imports nothing;
 * NAME_rod_statics.c has the same statements, translated from it.
 */

/** A whole number: `int` in C. */
export type Index = number;
/** Numbers that are read only. */
export type Reals = ArrayLike<number>;

/** Points of a step. */
export const POINTS = 4;
/** A rod with all that it is computed with. */
export interface Rod {
  /** Along the rod. */
  steps: Index;
  /** Pieces between places that are not smooth, unknowns of a section, inputs, profiles, forces at the end. */
  panels: Index;
  unknowns: Index;
  inputs: Index;
  profiles: Index;
  arms: Index;
  /** Entries of the lower triangle of a section, and all numbers of it. */
  triangle: Index;
  numbers: Index;
  /** Gauss points in (0, 1), their weights, and integrals of their polynomials up to each. */
  readonly points: Float64Array;
  readonly weights: Float64Array;
  readonly within: Float64Array;
  /** Borders of pieces, ends of steps, points, m; of each point kg/m and kg, mass and its moment by length. */
  readonly ends: Float64Array;
  readonly nodes: Float64Array;
  readonly places: Float64Array;
  readonly masses: Float64Array;
  /**
   * One for strains that are free and rates of profiles, zero or less for others; profiles at the start, and
   * by what they change where the search begins.
   */
  readonly free: Float64Array;
  readonly starts: Float64Array;
  readonly beginnings: Float64Array;
  /**
   * Inputs; quaternion and position of the start; gravity; moment and forces at the end, each with its arm in
   * axes of the end.
   */
  readonly u: Float64Array;
  readonly base: Float64Array;
  readonly gravity: Float64Array;
  readonly moment: Float64Array;
  readonly forces: Float64Array;
  /** How much of weight and loads acts. */
  share: number;
  /**
   * Six strains and rates of profiles of each point; before a change; those of the share that was reached; their
   * changes.
   */
  readonly strains: Float64Array;
  readonly before: Float64Array;
  readonly kept: Float64Array;
  readonly changes: Float64Array;
  /** Of each point: what balances its strain, its derivatives by strains, inputs and profiles. */
  readonly sections: Float64Array;
  /** Of each point: profiles, quaternion, force and moment of what is beyond, pulls. */
  readonly profileRows: Float64Array;
  readonly turns: Float64Array;
  readonly forceRows: Float64Array;
  readonly momentRows: Float64Array;
  readonly pullRows: Float64Array;
  /** Where steps end, likewise, and positions. */
  readonly profileNodes: Float64Array;
  readonly turnNodes: Float64Array;
  readonly positionNodes: Float64Array;
  readonly forceNodes: Float64Array;
  readonly momentNodes: Float64Array;
  readonly pullNodes: Float64Array;
  /**
   * Of each step: what changes of its start, y = (Q, profiles; moment, pulls) of 7 + 2 profiles numbers, and columns
   * behind them make of (Q, profiles) at its end, of its position (3 rows), of the free strains of each point (by y
   * and the correction); S and T, 3 + profiles rows, where steps end.
   */
  readonly across: Float64Array;
  readonly moves: Float64Array;
  readonly bends: Float64Array;
  readonly stiffness: Float64Array;
  /** Changes of y and of the position on the way outwards; of rotation vector and position of the end, 6 rows. */
  readonly state: Float64Array;
  readonly next: Float64Array;
  readonly moved: Float64Array;
  readonly end: Float64Array;
  /** Of one step or point. */
  readonly R: Float64Array;
  readonly slope: Float64Array;
  readonly spin: Float64Array;
  readonly bend: Float64Array;
  readonly load: Float64Array;
  readonly turning: Float64Array;
  readonly factor: Float64Array;
  readonly column: Float64Array;
  readonly stages: Float64Array;
  readonly byState: Float64Array;
  readonly slopes: Float64Array;
  readonly rates: Float64Array;
  readonly tableau: Float64Array;
  readonly here: Float64Array;
  readonly lower: Float64Array;
  readonly pivots: Float64Array;
  readonly turned: Float64Array;
  readonly form: Float64Array;
  /** Length, m. */
  length: number;
  /** Sweeps of the last share, and the share that was reached. */
  sweeps: Index;
  reached: number;
  /** Steps beyond whose start the rod is no minimum of energy; one where a step is such. */
  unstable: Index;
  readonly yields: Float64Array;
  /** Position of the end without weight and loads. */
  readonly unloaded: Float64Array;
  /** Why there is no equilibrium, and where along the rod, m. */
  failure: Index;
  failedAt: number;
}

/** What a rod is made of. */
export interface Dynamics {
  /** Masses of all points, and their strains at rest. */
  rest(rod: Rod): void;
  /** `sections` of all points at their strains and profiles. */
  balance(rod: Rod): void;
}

/**
 * Solves A x = b by elimination with row exchanges.
 * @param matrix A, and right-hand sides in columns behind it, which become x. Rows of `width`.
 * @returns false where a pivot is zero or not a number.
 */
export function solveRows(size: Index, width: Index, matrix: Float64Array): boolean {
  for (let k = 0; k < size; k++) {
    let pivot: Index = k;
    let largest = Math.abs(matrix[width * k + k]!);
    for (let row = k + 1; row < size; row++) {
      const here = Math.abs(matrix[width * row + k]!);
      if (here > largest) {
        pivot = row;
        largest = here;
      }
    }
    if (!(largest > 0)) return false;
    if (pivot !== k)
      for (let c = k; c < width; c++) {
        const number = matrix[width * k + c]!;
        matrix[width * k + c] = matrix[width * pivot + c]!;
        matrix[width * pivot + c] = number;
      }
    const inverse = 1 / matrix[width * k + k]!;
    for (let row = k + 1; row < size; row++) {
      const factor = matrix[width * row + k]! * inverse;
      if (!(Math.abs(factor) <= 0))
        for (let c = k + 1; c < width; c++)
          matrix[width * row + c] = matrix[width * row + c]! - factor * matrix[width * k + c]!;
    }
  }
  for (let k = size - 1; k >= 0; k--) {
    const inverse = 1 / matrix[width * k + k]!;
    for (let c = size; c < width; c++) {
      let sum = matrix[width * k + c]!;
      for (let a = k + 1; a < size; a++) sum -= matrix[width * k + a]! * matrix[width * a + c]!;
      matrix[width * k + c] = sum * inverse;
    }
  }
  return true;
}

/** R(Q), quadratic in Q. */
export function rotationAt(Q: Reals, at: Index, R: Float64Array): void {
  const w = Q[at]!;
  const x = Q[at + 1]!;
  const y = Q[at + 2]!;
  const z = Q[at + 3]!;
  const scale = w * w - (x * x + y * y + z * z);
  R[0] = 2 * x * x + scale;
  R[1] = 2 * (x * y - w * z);
  R[2] = 2 * (x * z + w * y);
  R[3] = 2 * (x * y + w * z);
  R[4] = 2 * y * y + scale;
  R[5] = 2 * (y * z - w * x);
  R[6] = 2 * (x * z - w * y);
  R[7] = 2 * (y * z + w * x);
  R[8] = 2 * z * z + scale;
}

/** Derivatives by Q, 3 x 4, of R(Q) (a, b, c), `side` 1, or of its transpose, `side` -1. */
export function rotationSlope(
  Q: Reals,
  at: Index,
  side: number,
  a: number,
  b: number,
  c: number,
  slope: Float64Array,
): void {
  const w = Q[at]!;
  const x = side * Q[at + 1]!;
  const y = side * Q[at + 2]!;
  const z = side * Q[at + 3]!;
  const twice = 2 * side;
  const along = twice * (x * a + y * b + z * c);
  slope[0] = 2 * (w * a + y * c - z * b);
  slope[1] = along;
  slope[2] = twice * (x * b - a * y + w * c);
  slope[3] = twice * (x * c - a * z - w * b);
  slope[4] = 2 * (w * b + z * a - x * c);
  slope[5] = twice * (y * a - b * x - w * c);
  slope[6] = along;
  slope[7] = twice * (y * c - b * z + w * a);
  slope[8] = 2 * (w * c + x * b - y * a);
  slope[9] = twice * (z * a - c * x + w * b);
  slope[10] = twice * (z * b - c * y - w * a);
  slope[11] = along;
}

/** Q' = spin Q, 4 x 4, of the curvature from `at` on. */
export function spinOf(strains: Reals, at: Index, spin: Float64Array): void {
  const x = 0.5 * strains[at]!;
  const y = 0.5 * strains[at + 1]!;
  const z = 0.5 * strains[at + 2]!;
  spin[0] = 0;
  spin[1] = -x;
  spin[2] = -y;
  spin[3] = -z;
  spin[4] = x;
  spin[5] = 0;
  spin[6] = z;
  spin[7] = -y;
  spin[8] = y;
  spin[9] = -z;
  spin[10] = 0;
  spin[11] = x;
  spin[12] = z;
  spin[13] = y;
  spin[14] = -x;
  spin[15] = 0;
}

/** Q' = bend (curvature), 4 x 3. */
export function bendOf(Q: Reals, at: Index, bend: Float64Array): void {
  const w = 0.5 * Q[at]!;
  const x = 0.5 * Q[at + 1]!;
  const y = 0.5 * Q[at + 2]!;
  const z = 0.5 * Q[at + 3]!;
  bend[0] = -x;
  bend[1] = -y;
  bend[2] = -z;
  bend[3] = w;
  bend[4] = -z;
  bend[5] = y;
  bend[6] = z;
  bend[7] = w;
  bend[8] = -x;
  bend[9] = -y;
  bend[10] = x;
  bend[11] = w;
}

/** Rotation vector, world axes, of a change of Q: turn dQ, 3 x 4. */
export function turnOf(Q: Reals, at: Index, turn: Float64Array): void {
  const w = 2 * Q[at]!;
  const x = 2 * Q[at + 1]!;
  const y = 2 * Q[at + 2]!;
  const z = 2 * Q[at + 3]!;
  turn[0] = -x;
  turn[1] = w;
  turn[2] = -z;
  turn[3] = y;
  turn[4] = -y;
  turn[5] = z;
  turn[6] = w;
  turn[7] = -x;
  turn[8] = -z;
  turn[9] = -y;
  turn[10] = x;
  turn[11] = w;
}

export function copyNumbers(count: Index, from: Reals, to: Float64Array): void {
  for (let i = 0; i < count; i++) to[i] = from[i]!;
}

/** Steps of about one length, some in each piece. @param count of all steps, or more where pieces are short. */
export function layRod(rod: Rod, count: Index): void {
  rod.length = rod.ends[rod.panels]! - rod.ends[0]!;
  rod.steps = 0;
  rod.nodes[0] = rod.ends[0]!;
  for (let panel = 0; panel < rod.panels; panel++) {
    const from = rod.ends[panel]!;
    const to = rod.ends[panel + 1]!;
    let own: Index = 1;
    for (let i = 2; i <= count; i++) if (count * (to - from) >= (i - 0.5) * rod.length) own = i;
    for (let i = 1; i <= own; i++) {
      const begin = rod.nodes[rod.steps]!;
      const end = i === own ? to : from + (i / own) * (to - from);
      for (let j = 0; j < POINTS; j++) rod.places[POINTS * rod.steps + j] = begin + rod.points[j]! * (end - begin);
      rod.steps = rod.steps + 1;
      rod.nodes[rod.steps] = end;
    }
  }
}

/** Profiles outwards. */
function marchProfiles(rod: Rod): void {
  const count = rod.profiles;
  const width: Index = 6 + count;
  for (let a = 0; a < count; a++) rod.profileNodes[a] = rod.starts[a]!;
  for (let k = 0; k < rod.steps; k++) {
    const h = rod.nodes[k + 1]! - rod.nodes[k]!;
    for (let a = 0; a < count; a++) {
      const begin = rod.profileNodes[count * k + a]!;
      let whole = 0;
      for (let i = 0; i < POINTS; i++) {
        let sum = 0;
        for (let j = 0; j < POINTS; j++)
          sum += rod.within[POINTS * i + j]! * rod.strains[width * (POINTS * k + j) + 6 + a]!;
        rod.profileRows[count * (POINTS * k + i) + a] = begin + h * sum;
        whole += rod.weights[i]! * rod.strains[width * (POINTS * k + i) + 6 + a]!;
      }
      rod.profileNodes[count * (k + 1) + a] = begin + h * whole;
    }
  }
}

/** Rotations and positions outwards. @returns false where strains are beyond all numbers. */
function marchOutwards(rod: Rod): boolean {
  const width: Index = 6 + rod.profiles;
  const side: Index = 4 * POINTS;
  for (let r = 0; r < 4; r++) rod.turnNodes[r] = rod.base[r]!;
  for (let r = 0; r < 3; r++) rod.positionNodes[r] = rod.base[4 + r]!;
  for (let k = 0; k < rod.steps; k++) {
    const h = rod.nodes[k + 1]! - rod.nodes[k]!;
    for (let j = 0; j < POINTS; j++) {
      spinOf(rod.strains, width * (POINTS * k + j), rod.spin);
      for (let i = 0; i < POINTS; i++)
        for (let r = 0; r < 4; r++)
          for (let c = 0; c < 4; c++) {
            const unit = i === j && r === c ? 1 : 0;
            rod.stages[(side + 1) * (4 * i + r) + 4 * j + c] =
              unit - h * rod.within[POINTS * i + j]! * rod.spin[4 * r + c]!;
          }
      for (let r = 0; r < 4; r++) rod.stages[(side + 1) * (4 * j + r) + side] = rod.turnNodes[4 * k + r]!;
    }
    if (!solveRows(side, side + 1, rod.stages)) return false;
    for (let r = 0; r < 4; r++) rod.turnNodes[4 * (k + 1) + r] = 0;
    for (let r = 0; r < 3; r++) rod.positionNodes[3 * (k + 1) + r] = 0;
    for (let i = 0; i < POINTS; i++) {
      const row: Index = POINTS * k + i;
      const part = rod.weights[i]!;
      for (let r = 0; r < 4; r++) rod.turns[4 * row + r] = rod.stages[(side + 1) * (4 * i + r) + side]!;
      spinOf(rod.strains, width * row, rod.spin);
      rotationAt(rod.turns, 4 * row, rod.R);
      for (let r = 0; r < 4; r++) {
        let sum = 0;
        for (let c = 0; c < 4; c++) sum += rod.spin[4 * r + c]! * rod.turns[4 * row + c]!;
        rod.turnNodes[4 * (k + 1) + r] = rod.turnNodes[4 * (k + 1) + r]! + part * sum;
      }
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let c = 0; c < 3; c++) sum += rod.R[3 * r + c]! * rod.strains[width * row + 3 + c]!;
        rod.positionNodes[3 * (k + 1) + r] = rod.positionNodes[3 * (k + 1) + r]! + part * sum;
      }
    }
    for (let r = 0; r < 4; r++)
      rod.turnNodes[4 * (k + 1) + r] = rod.turnNodes[4 * k + r]! + h * rod.turnNodes[4 * (k + 1) + r]!;
    for (let r = 0; r < 3; r++)
      rod.positionNodes[3 * (k + 1) + r] = rod.positionNodes[3 * k + r]! + h * rod.positionNodes[3 * (k + 1) + r]!;
  }
  return true;
}

/** Forces and moments at the end. */
function loadEnd(rod: Rod): void {
  const last: Index = 3 * rod.steps;
  rotationAt(rod.turnNodes, 4 * rod.steps, rod.R);
  for (let r = 0; r < 3; r++) {
    rod.forceNodes[last + r] = 0;
    rod.momentNodes[last + r] = rod.share * rod.moment[r]!;
  }
  for (let a = 0; a < rod.arms; a++) {
    for (let r = 0; r < 3; r++) {
      let sum = 0;
      for (let c = 0; c < 3; c++) sum += rod.R[3 * r + c]! * rod.forces[6 * a + 3 + c]!;
      rod.turning[r] = sum;
      rod.turning[3 + r] = rod.share * rod.forces[6 * a + r]!;
      rod.forceNodes[last + r] = rod.forceNodes[last + r]! + rod.turning[3 + r]!;
    }
    crossAdd(rod.turning, 0, rod.turning, 3, 1, rod.momentNodes, last);
  }
}

/** Adds `scale` a x b. */
export function crossAdd(a: Reals, i: Index, b: Reals, j: Index, scale: number, out: Float64Array, at: Index): void {
  out[at] = out[at]! + scale * (a[i + 1]! * b[j + 2]! - a[i + 2]! * b[j + 1]!);
  out[at + 1] = out[at + 1]! + scale * (a[i + 2]! * b[j]! - a[i]! * b[j + 2]!);
  out[at + 2] = out[at + 2]! + scale * (a[i]! * b[j + 1]! - a[i + 1]! * b[j]!);
}

/** Forces, moments and pulls inwards. */
function marchInwards(rod: Rod): void {
  const width: Index = 6 + rod.profiles;
  const ofPulls: Index = rod.unknowns + rod.triangle + rod.unknowns * rod.inputs;
  loadEnd(rod);
  for (let a = 0; a < rod.profiles; a++) rod.pullNodes[rod.profiles * rod.steps + a] = 0;
  for (let k = rod.steps - 1; k >= 0; k--) {
    const h = rod.nodes[k + 1]! - rod.nodes[k]!;
    // Whole steps behind the points, as a point at their start.
    for (let i = 0; i <= POINTS; i++) {
      let mass = 0;
      for (let j = 0; j < POINTS; j++) {
        const beyond = i < POINTS ? rod.weights[j]! - rod.within[POINTS * i + j]! : rod.weights[j]!;
        mass += beyond * rod.masses[3 * (POINTS * k + j)]!;
      }
      for (let r = 0; r < 3; r++) {
        const force = rod.forceNodes[3 * (k + 1) + r]! + h * mass * rod.share * rod.gravity[r]!;
        if (i < POINTS) rod.forceRows[3 * (POINTS * k + i) + r] = force;
        else rod.forceNodes[3 * k + r] = force;
      }
    }
    for (let i = 0; i < POINTS; i++) {
      const row: Index = POINTS * k + i;
      rotationAt(rod.turns, 4 * row, rod.R);
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let c = 0; c < 3; c++) sum += rod.R[3 * r + c]! * rod.strains[width * row + 3 + c]!;
        rod.slope[r] = sum;
        rod.slope[3 + r] = rod.R[3 * r]! * rod.masses[3 * row + 1]! + rod.R[3 * r + 1]! * rod.masses[3 * row + 2]!;
        rod.turning[3 * i + r] = 0;
      }
      crossAdd(rod.slope, 0, rod.forceRows, 3 * row, 1, rod.turning, 3 * i);
      crossAdd(rod.slope, 3, rod.gravity, 0, rod.share, rod.turning, 3 * i);
    }
    for (let i = 0; i <= POINTS; i++) {
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let j = 0; j < POINTS; j++) {
          const beyond = i < POINTS ? rod.weights[j]! - rod.within[POINTS * i + j]! : rod.weights[j]!;
          sum += beyond * rod.turning[3 * j + r]!;
        }
        const moment = rod.momentNodes[3 * (k + 1) + r]! + h * sum;
        if (i < POINTS) rod.momentRows[3 * (POINTS * k + i) + r] = moment;
        else rod.momentNodes[3 * k + r] = moment;
      }
      for (let a = 0; a < rod.profiles; a++) {
        let sum = 0;
        for (let j = 0; j < POINTS; j++) {
          const beyond = i < POINTS ? rod.weights[j]! - rod.within[POINTS * i + j]! : rod.weights[j]!;
          sum += beyond * rod.sections[rod.numbers * (POINTS * k + j) + ofPulls + a]!;
        }
        const pull = rod.pullNodes[rod.profiles * (k + 1) + a]! - h * sum;
        if (i < POINTS) rod.pullRows[rod.profiles * (POINTS * k + i) + a] = pull;
        else rod.pullNodes[rod.profiles * k + a] = pull;
      }
    }
  }
}

/** All that follows from the strains. @returns false where they are beyond all numbers. */
export function placeRod(rod: Rod, robot: Dynamics): boolean {
  marchProfiles(rod);
  robot.balance(rod);
  if (!marchOutwards(rod)) return false;
  marchInwards(rod);
  return true;
}

/** What is beyond a point, in axes of its section: moment, force, pulls. */
export function loadAt(rod: Rod, row: Index): void {
  rotationAt(rod.turns, 4 * row, rod.R);
  for (let r = 0; r < 3; r++) {
    let moment = 0;
    let force = 0;
    for (let c = 0; c < 3; c++) {
      moment += rod.R[3 * c + r]! * rod.momentRows[3 * row + c]!;
      force += rod.R[3 * c + r]! * rod.forceRows[3 * row + c]!;
    }
    rod.load[r] = moment;
    rod.load[3 + r] = force;
  }
  for (let a = 0; a < rod.profiles; a++) rod.load[6 + a] = rod.pullRows[rod.profiles * row + a]!;
}

/** Of the derivatives of a section by its unknowns. @returns false where they are not positive definite. */
export function factorise(rod: Rod, row: Index): boolean {
  const n = rod.unknowns;
  let from: Index = rod.numbers * row + n;
  for (let i = 0; i < n; i++) {
    for (let k = 0; k <= i; k++) {
      let e = rod.sections[from + k]!;
      for (let m = 0; m < k; m++) e -= rod.factor[n * i + m]! * rod.factor[n * k + m]!;
      if (k < i) rod.factor[n * i + k] = e / rod.factor[n * k + k]!;
      else {
        if (!(e > 0)) return false;
        rod.factor[n * i + i] = Math.sqrt(e);
      }
    }
    from = from + i + 1;
  }
  return true;
}

/** `column` by the factor of a section. */
export function divide(rod: Rod): void {
  const n = rod.unknowns;
  for (let i = 0; i < n; i++) {
    let e = rod.column[i]!;
    for (let k = 0; k < i; k++) e -= rod.factor[n * i + k]! * rod.column[k]!;
    rod.column[i] = e / rod.factor[n * i + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let e = rod.column[i]!;
    for (let k = i + 1; k < n; k++) e -= rod.factor[n * k + i]! * rod.column[k]!;
    rod.column[i] = e / rod.factor[n * i + i]!;
  }
}

/** Integral of what is left of the balance, squared, with what each strain is worth. */
export function unbalance(rod: Rod): number {
  let total = 0;
  for (let k = 0; k < rod.steps; k++)
    for (let i = 0; i < POINTS; i++) {
      const row: Index = POINTS * k + i;
      if (!factorise(rod, row)) return Number.MAX_VALUE;
      loadAt(rod, row);
      let own: Index = 0;
      for (let c = 0; c < 6 + rod.profiles; c++)
        if (rod.free[c]! > 0) {
          const left = rod.sections[rod.numbers * row + own]! - rod.load[c]!;
          rod.column[own] = left;
          rod.column[rod.unknowns + own] = left;
          own = own + 1;
        }
      divide(rod);
      let sum = 0;
      for (let a = 0; a < rod.unknowns; a++) sum += rod.column[a]! * rod.column[rod.unknowns + a]!;
      total += rod.weights[i]! * (rod.nodes[k + 1]! - rod.nodes[k]!) * sum;
    }
  return total < Number.MAX_VALUE ? total : Number.MAX_VALUE;
}
