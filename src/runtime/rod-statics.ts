/**
 * Equilibria of a rod without coordinates by Newton's method for the strains of all sections, in time that grows with
 * the number of steps. Small changes y = (Q, profiles; m, p) go over a step by collocation and are eliminated from the
 * end to the start, (m, p) = S (Q, profiles) + T, then found from the start to the end. Columns of T: the correction of
 * Newton's method; then, of derivatives, inputs, starts of profiles, force and moment at the end. World axes, SI units.
 * Docs: mathematics, "Rods under loads". This file is copied beside generated modules; NAME_rod_statics.c has the same
 * statements, translated from it.
 */
import {
  bendOf,
  copyNumbers,
  crossAdd,
  divide,
  factorise,
  loadAt,
  placeRod,
  POINTS,
  rotationAt,
  rotationSlope,
  solveRows,
  spinOf,
  turnOf,
  unbalance,
  type Dynamics,
  type Index,
  type Reals,
  type Rod,
} from './rod-march.ts';

/** Sweeps for one share of the loads, and halvings of what a sweep changes. */
const MOST_SWEEPS = 12;
const MOST_HALVINGS = 6;
/** Shares of the loads on one way. */
const MOST_SHARES = 256;
/** Newton steps of sections by themselves. */
const MOST_SECTION_STEPS = 30;

/**
 * Why there is no equilibrium: a section is not stable; sections, or profiles, do not come to rest; loads cannot
 * be followed; the rod gives way.
 */
export const FAILED_SECTION = 1;
export const FAILED_SECTIONS = 2;
export const FAILED_PROFILES = 3;
export const FAILED_PATH = 4;
export const FAILED_END = 5;

/** An entry of what changes the strain of a point: by y, then by column. */
function sideEntry(rod: Rod, row: Index, component: Index, own: Index, c: Index): number {
  const n = rod.unknowns;
  const state: Index = 7 + 2 * rod.profiles;
  const at: Index = rod.numbers * row;
  const slopes: Index = at + n + rod.triangle;
  const ofProfiles: Index = slopes + n * rod.inputs + rod.profiles;
  if (c < state) {
    const e = rod.byState[state * component + c]!;
    if (c < 4 || c >= 4 + rod.profiles) return e;
    return e - rod.sections[ofProfiles + (n + rod.profiles) * (c - 4) + own]!;
  }
  if (c === state) return rod.load[component]! - rod.sections[at + own]!;
  if (c <= state + rod.inputs) return -rod.sections[slopes + n * (c - state - 1) + own]!;
  const axis: Index = c - state - 1 - rod.inputs - rod.profiles;
  if (axis >= 0 && axis < 3 && component >= 3 && component < 6) return rod.R[3 * axis + component - 3]!;
  return 0;
}

/** Derivatives of what is beyond a point, in axes of its section, by y. */
function loadSlope(rod: Rod, row: Index): void {
  const state: Index = 7 + 2 * rod.profiles;
  const ofMoment: Index = 4 + rod.profiles;
  for (let e = 0; e < state * (6 + rod.profiles); e++) rod.byState[e] = 0;
  for (let half = 0; half < 2; half++) {
    for (let r = 0; r < 3; r++)
      rod.turning[r] = half === 0 ? rod.momentRows[3 * row + r]! : rod.forceRows[3 * row + r]!;
    rotationSlope(rod.turns, 4 * row, -1, rod.turning[0]!, rod.turning[1]!, rod.turning[2]!, rod.slope);
    for (let r = 0; r < 3; r++)
      for (let c = 0; c < 4; c++) rod.byState[state * (3 * half + r) + c] = rod.slope[4 * r + c]!;
  }
  for (let r = 0; r < 3; r++) for (let c = 0; c < 3; c++) rod.byState[state * r + ofMoment + c] = rod.R[3 * c + r]!;
  for (let a = 0; a < rod.profiles; a++) rod.byState[state * (6 + a) + ofMoment + 3 + a] = 1;
}

/**
 * Changes of the strain of a point, and of rates there, by y and by column. @returns false where the section is
 * not stable.
 */
function changePoint(rod: Rod, k: Index, i: Index, columns: Index): boolean {
  const row: Index = POINTS * k + i;
  const entries: Index = 6 + rod.profiles;
  const state: Index = 7 + 2 * rod.profiles;
  const side: Index = state + columns;
  const n = rod.unknowns;
  if (!factorise(rod, row)) return false;
  loadAt(rod, row);
  loadSlope(rod, row);
  for (let c = 0; c < side; c++) {
    let own: Index = 0;
    for (let e = 0; e < entries; e++)
      if (rod.free[e]! > 0) {
        rod.column[own] = sideEntry(rod, row, e, own, c);
        own = own + 1;
      }
    divide(rod);
    own = 0;
    for (let e = 0; e < entries; e++) {
      rod.slopes[side * (entries * i + e) + c] = 0;
      if (rod.free[e]! > 0) {
        rod.slopes[side * (entries * i + e) + c] = rod.column[own]!;
        own = own + 1;
      }
    }
  }
  // Of moments by rotations: n x (R' v), and weight on its arm.
  const strain: Index = entries * row;
  for (let e = 0; e < 12; e++) rod.stages[e] = 0;
  for (let half = 0; half < 2; half++) {
    if (half === 0)
      rotationSlope(
        rod.turns,
        4 * row,
        1,
        rod.strains[strain + 3]!,
        rod.strains[strain + 4]!,
        rod.strains[strain + 5]!,
        rod.slope,
      );
    else rotationSlope(rod.turns, 4 * row, 1, rod.masses[3 * row + 1]!, rod.masses[3 * row + 2]!, 0, rod.slope);
    for (let c = 0; c < 4; c++) {
      for (let r = 0; r < 3; r++) {
        rod.turning[r] = rod.slope[4 * r + c]!;
        rod.turning[3 + r] = half === 0 ? rod.forceRows[3 * row + r]! : rod.share * rod.gravity[r]!;
      }
      crossAdd(rod.turning, 3, rod.turning, 0, 1, rod.stages, 3 * c);
    }
  }
  spinOf(rod.strains, strain, rod.spin);
  bendOf(rod.turns, 4 * row, rod.bend);
  const ofMoment: Index = 4 + rod.profiles;
  const ofForce: Index = side - 6;
  const pulls: Index = rod.numbers * row + n + rod.triangle + n * rod.inputs + rod.profiles;
  for (let c = 0; c < side; c++) {
    const at: Index = side * state * i + c;
    const from: Index = side * entries * i + c;
    for (let r = 0; r < 4; r++) {
      let sum = c < 4 ? rod.spin[4 * r + c]! : 0;
      for (let d = 0; d < 3; d++) sum += rod.bend[3 * r + d]! * rod.slopes[from + side * d]!;
      rod.rates[at + side * r] = sum;
    }
    for (let a = 0; a < rod.profiles; a++) {
      rod.rates[at + side * (4 + a)] = rod.slopes[from + side * (6 + a)]!;
      let own: Index = 0;
      let sum = 0;
      for (let e = 0; e < entries; e++)
        if (rod.free[e]! > 0) {
          sum += rod.sections[pulls + (n + rod.profiles) * a + own]! * rod.slopes[from + side * e]!;
          own = own + 1;
        }
      if (c >= 4 && c < ofMoment) sum += rod.sections[pulls + (n + rod.profiles) * a + n + c - 4]!;
      rod.rates[at + side * (ofMoment + 3 + a)] = sum;
    }
    for (let r = 0; r < 3; r++) {
      let sum = 0;
      for (let d = 0; d < 3; d++) sum += rod.R[3 * r + d]! * rod.slopes[from + side * (3 + d)]!;
      rod.turning[r] = sum;
      rod.turning[3 + r] = c < 4 ? rod.stages[3 * c + r]! : 0;
      rod.turning[6 + r] = 0;
      // A force at the end grows.
      rod.turning[9 + r] = 0;
      for (let d = 0; d < 3; d++)
        rod.turning[9 + r] = rod.turning[9 + r]! + rod.R[3 * r + d]! * rod.strains[strain + 3 + d]!;
    }
    crossAdd(rod.forceRows, 3 * row, rod.turning, 0, 1, rod.turning, 3);
    if (columns > 1 && c >= ofForce && c < ofForce + 3) {
      rod.turning[6 + c - ofForce] = 1;
      crossAdd(rod.turning, 9, rod.turning, 6, -1, rod.turning, 3);
    }
    for (let r = 0; r < 3; r++) rod.rates[at + side * (ofMoment + r)] = rod.turning[3 + r]!;
  }
  return true;
}

/**
 * What changes of its start, and columns, make of a step: of y at its end, of its position, of strains at its
 * points.
 */
function changeStep(rod: Rod, k: Index, columns: Index): boolean {
  const entries: Index = 6 + rod.profiles;
  const state: Index = 7 + 2 * rod.profiles;
  const side: Index = state + columns;
  const first: Index = 4 + rod.profiles;
  const size: Index = POINTS * state;
  const width: Index = size + side;
  const h = rod.nodes[k + 1]! - rod.nodes[k]!;
  for (let i = 0; i < POINTS; i++)
    for (let r = 0; r < state; r++) {
      const at: Index = width * (state * i + r);
      const from: Index = side * (state * i + r);
      for (let j = 0; j < POINTS; j++) {
        const part = h * rod.within[POINTS * i + j]!;
        for (let c = 0; c < state; c++) {
          const unit = i === j && r === c ? 1 : 0;
          rod.tableau[at + state * j + c] = unit - part * rod.rates[from + c]!;
        }
      }
      for (let c = 0; c < side; c++) rod.tableau[at + size + c] = rod.rates[from + c]!;
    }
  if (!solveRows(size, width, rod.tableau)) return false;
  for (let r = 0; r < state; r++)
    for (let c = 0; c < side; c++) {
      let sum = 0;
      for (let i = 0; i < POINTS; i++) sum += rod.weights[i]! * rod.tableau[width * (state * i + r) + size + c]!;
      const entry = (r === c ? 1 : 0) + h * sum;
      if (r < first) rod.across[side * (first * k + r) + c] = entry;
      else rod.lower[side * (r - first) + c] = entry;
    }
  for (let e = 0; e < 3 * side; e++) rod.moves[3 * side * k + e] = 0;
  for (let i = 0; i < POINTS; i++) {
    const row: Index = POINTS * k + i;
    for (let r = 0; r < state; r++)
      for (let c = 0; c < side; c++) {
        let sum = 0;
        for (let j = 0; j < POINTS; j++)
          sum += rod.within[POINTS * i + j]! * rod.tableau[width * (state * j + r) + size + c]!;
        rod.here[side * r + c] = (r === c ? 1 : 0) + h * sum;
      }
    let own: Index = 0;
    for (let e = 0; e < entries; e++)
      if (rod.free[e]! > 0) {
        for (let c = 0; c <= state; c++)
          rod.bends[(state + 1) * (rod.unknowns * row + own) + c] = strainChange(rod, i, e, c, columns);
        own = own + 1;
      }
    rotationAt(rod.turns, 4 * row, rod.R);
    const strain: Index = entries * row + 3;
    rotationSlope(
      rod.turns,
      4 * row,
      1,
      rod.strains[strain]!,
      rod.strains[strain + 1]!,
      rod.strains[strain + 2]!,
      rod.slope,
    );
    const part = h * rod.weights[i]!;
    for (let c = 0; c < side; c++) {
      for (let d = 0; d < 3; d++) rod.turning[d] = strainChange(rod, i, 3 + d, c, columns);
      for (let r = 0; r < 3; r++) {
        let sum = 0;
        for (let d = 0; d < 4; d++) sum += rod.slope[4 * r + d]! * rod.here[side * d + c]!;
        for (let d = 0; d < 3; d++) sum += rod.R[3 * r + d]! * rod.turning[d]!;
        rod.moves[side * (3 * k + r) + c] = rod.moves[side * (3 * k + r) + c]! + part * sum;
      }
    }
  }
  return true;
}

/** Of a strain at a point, by y at the start of its step and by column; `here` is y at the point. */
function strainChange(rod: Rod, i: Index, component: Index, c: Index, columns: Index): number {
  const state: Index = 7 + 2 * rod.profiles;
  const side: Index = state + columns;
  const from: Index = side * ((6 + rod.profiles) * i + component);
  let sum = c >= state ? rod.slopes[from + c]! : 0;
  for (let r = 0; r < state; r++) sum += rod.slopes[from + r]! * rod.here[side * r + c]!;
  return sum;
}

/** S and T at the end: forces on arms turn with it. */
function changeEnd(rod: Rod, columns: Index): void {
  const last: Index = 3 + rod.profiles;
  const width: Index = 4 + rod.profiles + columns;
  const at: Index = last * width * rod.steps;
  for (let e = 0; e < last * width; e++) rod.stiffness[at + e] = 0;
  for (let a = 0; a < rod.arms; a++) {
    const arm: Index = 6 * a + 3;
    rotationSlope(
      rod.turnNodes,
      4 * rod.steps,
      1,
      rod.forces[arm]!,
      rod.forces[arm + 1]!,
      rod.forces[arm + 2]!,
      rod.slope,
    );
    for (let c = 0; c < 4; c++) {
      for (let r = 0; r < 3; r++) {
        rod.turning[r] = rod.slope[4 * r + c]!;
        rod.turning[3 + r] = rod.forces[6 * a + r]!;
        rod.turning[6 + r] = 0;
      }
      crossAdd(rod.turning, 0, rod.turning, 3, rod.share, rod.turning, 6);
      for (let r = 0; r < 3; r++)
        rod.stiffness[at + width * r + c] = rod.stiffness[at + width * r + c]! + rod.turning[6 + r]!;
    }
  }
  if (columns > 1) for (let r = 0; r < 3; r++) rod.stiffness[at + width * r + width - 3 + r] = 1;
}

/** S and T at the start of a step, from those at its end. @returns false where the rod beyond has no stiffness. */
function eliminateStep(rod: Rod, k: Index, columns: Index): boolean {
  const state: Index = 7 + 2 * rod.profiles;
  const side: Index = state + columns;
  const first: Index = 4 + rod.profiles;
  const last: Index = 3 + rod.profiles;
  const width: Index = first + columns;
  const wide: Index = last + width;
  const upper: Index = side * first * k;
  const at: Index = last * width * k;
  const beyond: Index = at + last * width;
  for (let r = 0; r < last; r++)
    for (let c = 0; c < side; c++) {
      let moved = 0;
      for (let a = 0; a < first; a++)
        moved += rod.stiffness[beyond + width * r + a]! * rod.across[upper + side * a + c]!;
      const rest = moved - rod.lower[side * r + c]!;
      if (c < first) rod.pivots[wide * r + last + c] = rest;
      else if (c < state) rod.pivots[wide * r + c - first] = -rest;
      else
        rod.pivots[wide * r + last + first + c - state] = rest + rod.stiffness[beyond + width * r + first + c - state]!;
    }
  turnOf(rod.turnNodes, 4 * (k + 1), rod.bend);
  for (let r = 0; r < last; r++)
    for (let c = 0; c < last; c++) {
      let sum = r < 3 ? 0 : rod.across[upper + side * (r + 1) + first + c]!;
      if (r < 3) for (let d = 0; d < 4; d++) sum += rod.bend[4 * r + d]! * rod.across[upper + side * d + first + c]!;
      rod.turned[last * r + c] = sum;
    }
  rod.yields[k] = 0;
  if (isBelowZero(rod, wide)) {
    rod.unstable = rod.unstable + 1;
    rod.yields[k] = 1;
  }
  if (!solveRows(last, wide, rod.pivots)) return false;
  for (let r = 0; r < last; r++)
    for (let c = 0; c < width; c++) rod.stiffness[at + width * r + c] = rod.pivots[wide * r + last + c]!;
  return true;
}

/**
 * Has what the second variation of the energy leaves to a step, `turned` by the pivots, some eigenvalue below
 * zero, beyond rounding?
 */
function isBelowZero(rod: Rod, wide: Index): boolean {
  const n: Index = 3 + rod.profiles;
  const nothing = 0.0625 * Math.sqrt(Number.EPSILON);
  let scale = 0;
  for (let r = 0; r < n; r++)
    for (let c = 0; c < n; c++) {
      let sum = 0;
      for (let d = 0; d < n; d++)
        sum += rod.turned[n * d + r]! * rod.pivots[wide * d + c]! + rod.turned[n * d + c]! * rod.pivots[wide * d + r]!;
      rod.form[n * r + c] = sum;
      if (Math.abs(sum) > scale) scale = Math.abs(sum);
    }
  if (!(scale > 0)) return false;
  for (let r = 0; r < n; r++) rod.form[n * r + r] = rod.form[n * r + r]! + nothing * scale;
  for (let k = 0; k < n; k++) {
    const pivot = rod.form[n * k + k]!;
    if (!(pivot > 0)) return true;
    for (let r = k + 1; r < n; r++) {
      const factor = rod.form[n * r + k]! / pivot;
      for (let c = k + 1; c < n; c++) rod.form[n * r + c] = rod.form[n * r + c]! - factor * rod.form[n * k + c]!;
    }
  }
  return false;
}

/**
 * Eliminates all changes from the end to the start. @param columns 1, or with all derivatives. @returns false
 * where the rod gives way.
 */
function sweepInwards(rod: Rod, columns: Index): boolean {
  rod.unstable = 0;
  changeEnd(rod, columns);
  for (let k = rod.steps - 1; k >= 0; k--) {
    for (let i = 0; i < POINTS; i++) {
      rod.failedAt = rod.places[POINTS * k + i]!;
      if (!changePoint(rod, k, i, columns)) return false;
    }
    rod.failedAt = rod.nodes[k]!;
    if (!changeStep(rod, k, columns)) return false;
    if (!eliminateStep(rod, k, columns)) return false;
  }
  return true;
}

/** Changes at the start: of profiles alone. */
export function beginOutwards(rod: Rod, columns: Index): void {
  const first: Index = 4 + rod.profiles;
  for (let e = 0; e < first * columns; e++) rod.state[e] = 0;
  for (let e = 0; e < 3 * columns; e++) rod.moved[e] = 0;
  if (columns > 1) for (let a = 0; a < rod.profiles; a++) rod.state[columns * (4 + a) + 1 + rod.inputs + a] = 1;
  followStiffness(rod, 0, columns);
}

/** Moments and pulls of the state where step k begins. */
function followStiffness(rod: Rod, k: Index, columns: Index): void {
  const first: Index = 4 + rod.profiles;
  const last: Index = 3 + rod.profiles;
  const width: Index = first + columns;
  for (let r = 0; r < last; r++)
    for (let c = 0; c < columns; c++) {
      const at: Index = width * (last * k + r);
      let sum = rod.stiffness[at + first + c]!;
      for (let a = 0; a < first; a++) sum += rod.stiffness[at + a]! * rod.state[columns * a + c]!;
      rod.state[columns * (first + r) + c] = sum;
    }
}

/** Changes over a step. */
export function outwardsOver(rod: Rod, k: Index, columns: Index): void {
  const state: Index = 7 + 2 * rod.profiles;
  const side: Index = state + columns;
  const first: Index = 4 + rod.profiles;
  const rows: Index = POINTS * rod.unknowns;
  for (let e = 0; e < rows; e++) {
    const at: Index = (state + 1) * (rows * k + e);
    let sum = rod.bends[at + state]!;
    for (let a = 0; a < state; a++) sum += rod.bends[at + a]! * rod.state[columns * a]!;
    rod.changes[rows * k + e] = sum;
  }
  for (let c = 0; c < columns; c++) {
    for (let r = 0; r < 3; r++) {
      const at: Index = side * (3 * k + r);
      let sum = rod.moved[columns * r + c]! + rod.moves[at + state + c]!;
      for (let a = 0; a < state; a++) sum += rod.moves[at + a]! * rod.state[columns * a + c]!;
      rod.moved[columns * r + c] = sum;
    }
    for (let r = 0; r < first; r++) {
      const at: Index = side * (first * k + r);
      let sum = rod.across[at + state + c]!;
      for (let a = 0; a < state; a++) sum += rod.across[at + a]! * rod.state[columns * a + c]!;
      rod.next[columns * r + c] = sum;
    }
  }
  copyNumbers(first * columns, rod.next, rod.state);
  followStiffness(rod, k + 1, columns);
}

/** Changes of the end: rotation vector, position. */
export function finishOutwards(rod: Rod, columns: Index): void {
  turnOf(rod.turnNodes, 4 * rod.steps, rod.bend);
  for (let c = 0; c < columns; c++)
    for (let r = 0; r < 3; r++) {
      let sum = 0;
      for (let d = 0; d < 4; d++) sum += rod.bend[4 * r + d]! * rod.state[columns * d + c]!;
      rod.end[columns * r + c] = sum;
      rod.end[columns * (3 + r) + c] = rod.moved[columns * r + c]!;
    }
}

/** All small changes of the rod. @returns false where it gives way. */
export function sweepRod(rod: Rod, columns: Index): boolean {
  rod.sweeps = rod.sweeps + 1;
  if (!sweepInwards(rod, columns)) return false;
  beginOutwards(rod, columns);
  for (let k = 0; k < rod.steps; k++) outwardsOver(rod, k, columns);
  finishOutwards(rod, columns);
  return true;
}

/** Numbers of columns with all derivatives. */
export function allColumns(rod: Rod): Index {
  return 7 + rod.inputs + rod.profiles;
}

/** Strains before the change, and a part of it. */
function moveStrains(rod: Rod, part: number): void {
  const entries: Index = 6 + rod.profiles;
  const rows: Index = POINTS * rod.steps;
  let from: Index = 0;
  for (let row = 0; row < rows; row++)
    for (let e = 0; e < entries; e++) {
      rod.strains[entries * row + e] = rod.before[entries * row + e]!;
      if (rod.free[e]! > 0) {
        rod.strains[entries * row + e] = rod.before[entries * row + e]! + part * rod.changes[from]!;
        from = from + 1;
      }
    }
}

/**
 * Largest change: of strains, of curvatures and rates of profiles times the length; the largest number where one
 * is none.
 */
function largestChange(rod: Rod): number {
  const entries: Index = 6 + rod.profiles;
  const rows: Index = POINTS * rod.steps;
  let from: Index = 0;
  let largest = 0;
  for (let row = 0; row < rows; row++)
    for (let e = 0; e < entries; e++)
      if (rod.free[e]! > 0) {
        const here = Math.abs(rod.changes[from]!) * (e < 3 || e >= 6 ? rod.length : 1);
        if (!(here < Number.MAX_VALUE)) return Number.MAX_VALUE;
        if (here > largest) largest = here;
        from = from + 1;
      }
  return largest;
}

/**
 * Newton's method from the strains there are, under a share of weight and loads. @returns false where it does
 * not converge.
 */
export function solveShare(rod: Rod, robot: Dynamics, share: number): boolean {
  const converged = 8 * Math.sqrt(Number.EPSILON);
  rod.share = share;
  if (!placeRod(rod, robot)) return false;
  let left = unbalance(rod);
  for (let sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    if (!sweepRod(rod, 1)) return false;
    const size = largestChange(rod);
    copyNumbers((6 + rod.profiles) * POINTS * rod.steps, rod.strains, rod.before);
    let isFound = false;
    let part = 1;
    for (let halving = 0; halving <= MOST_HALVINGS; halving++)
      if (!isFound) {
        moveStrains(rod, part);
        let own = Number.MAX_VALUE;
        if (placeRod(rod, robot)) own = unbalance(rod);
        // Where rounding errors are all that is left, they may as well grow.
        if (own < left || (size < converged && own < Number.MAX_VALUE)) {
          isFound = true;
          left = own;
        }
        part = 0.5 * part;
      }
    if (!isFound) return false;
    if (size < converged) return true;
  }
  return false;
}

/** Each section by itself, without loads. @returns false where they do not come to rest. */
function solveSections(rod: Rod, robot: Dynamics): boolean {
  const converged = 8 * Math.sqrt(Number.EPSILON);
  const rows: Index = POINTS * rod.steps;
  for (let step = 0; step < MOST_SECTION_STEPS; step++) {
    robot.balance(rod);
    for (let row = 0; row < rows; row++) {
      if (!factorise(rod, row)) {
        rod.failure = FAILED_SECTION;
        rod.failedAt = rod.places[row]!;
        return false;
      }
      for (let a = 0; a < rod.unknowns; a++) rod.column[a] = -rod.sections[rod.numbers * row + a]!;
      divide(rod);
      for (let a = 0; a < rod.unknowns; a++) rod.changes[rod.unknowns * row + a] = rod.column[a]!;
    }
    copyNumbers(6 * rows, rod.strains, rod.before);
    moveStrains(rod, 1);
    if (largestChange(rod) < converged) return true;
  }
  return false;
}

/** The rod without weight and loads. @returns false where it does not come to rest. */
export function solveUnloaded(rod: Rod, robot: Dynamics): boolean {
  rod.failure = FAILED_SECTIONS;
  rod.reached = 0;
  robot.rest(rod);
  if (rod.profiles === 0) {
    if (!solveSections(rod, robot)) return false;
    rod.share = 0;
    if (!placeRod(rod, robot)) return false;
    copyEnd(rod);
    return true;
  }
  const rows: Index = POINTS * rod.steps;
  for (let row = 0; row < rows; row++)
    for (let a = 0; a < rod.profiles; a++)
      rod.strains[(6 + rod.profiles) * row + 6 + a] = rod.beginnings[a]! / rod.length;
  if (!solveShare(rod, robot, 0)) {
    rod.failure = FAILED_PROFILES;
    return false;
  }
  copyEnd(rod);
  return true;
}

/** Where the rod ends without weight and loads. */
function copyEnd(rod: Rod): void {
  for (let r = 0; r < 3; r++) rod.unloaded[r] = rod.positionNodes[3 * rod.steps + r]!;
}

/**
 * Weight and loads at once, or by shares that grow. @returns false where the path of equilibria cannot be
 * followed.
 */
function followLoads(rod: Rod, robot: Dynamics, isStable: boolean): boolean {
  const count: Index = (6 + rod.profiles) * POINTS * rod.steps;
  const least = 0.00390625;
  copyNumbers(count, rod.strains, rod.kept);
  rod.reached = 0;
  let part = 1;
  for (let trial = 0; trial < MOST_SHARES; trial++)
    if (rod.reached < 1 && part >= least) {
      let next = rod.reached + part;
      if (next > 1) next = 1;
      copyNumbers(count, rod.kept, rod.strains);
      rod.sweeps = 0;
      let isFound = solveShare(rod, robot, next);
      if (isStable && rod.unstable > 0) isFound = false;
      if (isFound) {
        copyNumbers(count, rod.strains, rod.kept);
        rod.reached = next;
        part = 2 * part;
      } else part = 0.5 * part;
    }
  return rod.reached >= 1;
}

/** The last correction, with all derivatives of the end. @returns false where the rod gives way. */
export function finishRod(rod: Rod, robot: Dynamics): boolean {
  rod.failure = FAILED_END;
  if (!sweepRod(rod, allColumns(rod))) return false;
  copyNumbers((6 + rod.profiles) * POINTS * rod.steps, rod.strains, rod.before);
  moveStrains(rod, 1);
  if (!placeRod(rod, robot)) return false;
  rod.failure = 0;
  return true;
}

/**
 * The equilibrium, from where the sections rest without weight and loads: along stable equilibria where they
 * lead to the whole
 * loads, else along any. Without derivatives: `finishRod` has them.
 * @returns false where there is none: `failure` says why, `reached` at which share of weight and loads.
 */
export function solveRod(rod: Rod, robot: Dynamics): boolean {
  if (!solveUnloaded(rod, robot)) return false;
  if (followLoads(rod, robot, true)) return true;
  if (!solveUnloaded(rod, robot)) return false;
  if (followLoads(rod, robot, false)) return true;
  rod.failure = FAILED_PATH;
  return false;
}

/**
 * The end of the rod in equilibrium under inputs and a dead wrench at the end (moment, then force, the first of
 * `forces`): its
 * rotation and position, and their derivatives (rotation vector, then displacement) by inputs, 6 x inputs, and
 * by the wrench,
 * 6 x 6. World axes.
 * @returns false where there is no equilibrium; outputs stay as they are.
 */
export function solveEnd(
  rod: Rod,
  robot: Dynamics,
  u: Reals,
  wrench: Reals,
  R: Float64Array,
  t: Float64Array,
  byInputs: Float64Array,
  byWrench: Float64Array,
): boolean {
  for (let a = 0; a < rod.inputs; a++) rod.u[a] = u[a]!;
  for (let r = 0; r < 3; r++) {
    rod.moment[r] = wrench[r]!;
    rod.forces[r] = wrench[3 + r]!;
  }
  if (!solveRod(rod, robot)) return false;
  if (!finishRod(rod, robot)) return false;
  const columns = allColumns(rod);
  const ofForce: Index = columns - 6;
  rotationAt(rod.turnNodes, 4 * rod.steps, R);
  for (let r = 0; r < 3; r++) t[r] = rod.positionNodes[3 * rod.steps + r]!;
  for (let r = 0; r < 6; r++) {
    for (let a = 0; a < rod.inputs; a++) byInputs[rod.inputs * r + a] = rod.end[columns * r + 1 + a]!;
    for (let c = 0; c < 3; c++) {
      byWrench[6 * r + c] = rod.end[columns * r + ofForce + 3 + c]!;
      byWrench[6 * r + 3 + c] = rod.end[columns * r + ofForce + c]!;
    }
  }
  return true;
}
