/**
 * What controllers compute with beside the dynamics: small dense systems of equations, errors of poses, springs of six
 * dimensions, limits. Matrices are row-major; poses have a rotation R (3 × 3, row-major) and an origin t; twists and
 * wrenches have the angular part first. Nothing is allocated: callers bring working memory.
 * This file is copied beside generated modules and imports nothing; the C of `kanegen_control.c` is translated from it,
 * statement by statement, so that both languages do the same operations in the same order.
 */

/** A whole number: `int` in C. */
export type Index = number;
/** Numbers that are read only. */
export type Reals = ArrayLike<number>;

/** x within its bounds. */
export function limited(x: number, lower: number, upper: number): number {
  if (x < lower) return lower;
  if (x > upper) return upper;
  return x;
}

/** Is none of the first n numbers below zero? */
export function areNotNegative(x: Reals, n: Index): boolean {
  for (let i = 0; i < n; i++) if (x[i]! < 0) return false;
  return true;
}

/** Is each of the first n numbers of `lower` at most that of `upper`? */
export function areOrdered(lower: Reals, upper: Reals, n: Index): boolean {
  for (let i = 0; i < n; i++) if (lower[i]! > upper[i]!) return false;
  return true;
}

/**
 * Cholesky factor L of the symmetric n x n matrix A = L L', of which the lower triangle is read and overwritten. False
 * where a pivot is not above n times the rounding error of its diagonal entry: A is not positive definite, or too near
 * to a singular matrix to say so.
 */
export function factorise(n: Index, A: Float64Array): boolean {
  return factoriseAbove(n, n, A);
}

/**
 * The same of the first n of `rows` rows of A. Rows R below become R L'^-1: their products with each other are those of
 * R A^-1 R'.
 */
export function factoriseAbove(n: Index, rows: Index, A: Float64Array): boolean {
  for (let j = 0; j < n; j++) {
    const diagonal = A[n * j + j]!;
    let pivot = diagonal;
    for (let k = 0; k < j; k++) pivot -= A[n * j + k]! * A[n * j + k]!;
    if (!(pivot > n * Number.EPSILON * diagonal)) return false;
    const root = Math.sqrt(pivot);
    A[n * j + j] = root;
    for (let i = j + 1; i < rows; i++) {
      let sum = A[n * i + j]!;
      for (let k = 0; k < j; k++) sum -= A[n * i + k]! * A[n * j + k]!;
      A[n * i + j] = sum / root;
    }
  }
  return true;
}

/** Solves L L' x = b in place of b, with the factor that `factorise` left in L. */
export function solveFactored(n: Index, L: Reals, b: Float64Array): void {
  for (let i = 0; i < n; i++) {
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= L[n * i + k]! * b[k]!;
    b[i] = sum / L[n * i + i]!;
  }
  for (let i = n - 1; i >= 0; i--) {
    let sum = b[i]!;
    for (let k = i + 1; k < n; k++) sum -= L[n * k + i]! * b[k]!;
    b[i] = sum / L[n * i + i]!;
  }
}

/**
 * Solves A X = B for the columns of B, n x columns, in its place, by Gaussian elimination with row pivots; A is
 * overwritten. False where A is singular to rounding: a pivot is below n times the rounding error of its largest entry.
 */
export function solveColumns(n: Index, columns: Index, A: Float64Array, B: Float64Array): boolean {
  let largest = 0;
  for (let i = 0; i < n * n; i++) if (Math.abs(A[i]!) > largest) largest = Math.abs(A[i]!);
  for (let k = 0; k < n; k++) {
    let best: Index = k;
    for (let i = k + 1; i < n; i++) if (Math.abs(A[n * i + k]!) > Math.abs(A[n * best + k]!)) best = i;
    const pivot = A[n * best + k]!;
    if (!(Math.abs(pivot) > n * Number.EPSILON * largest)) return false;
    if (best !== k) {
      for (let j = k; j < n; j++) {
        const entry = A[n * best + j]!;
        A[n * best + j] = A[n * k + j]!;
        A[n * k + j] = entry;
      }
      for (let j = 0; j < columns; j++) {
        const right = B[columns * best + j]!;
        B[columns * best + j] = B[columns * k + j]!;
        B[columns * k + j] = right;
      }
    }
    for (let i = k + 1; i < n; i++) {
      const factor = A[n * i + k]! / pivot;
      for (let j = k + 1; j < n; j++) A[n * i + j] = A[n * i + j]! - factor * A[n * k + j]!;
      for (let j = 0; j < columns; j++) B[columns * i + j] = B[columns * i + j]! - factor * B[columns * k + j]!;
    }
  }
  for (let i = n - 1; i >= 0; i--)
    for (let j = 0; j < columns; j++) {
      let sum = B[columns * i + j]!;
      for (let k = i + 1; k < n; k++) sum -= A[n * i + k]! * B[columns * k + j]!;
      B[columns * i + j] = sum / A[n * i + i]!;
    }
  return true;
}

/**
 * x that minimises |A x - b|^2 + damping^2 |x|^2, A of rows x columns; without damping the least squares solution, of
 * fewer equations than unknowns the shortest one. By the normal equations of the smaller side: relative errors of the
 * rounding error times (largest singular value / (smallest + damping))^2. False, and x left alone, where these are
 * singular, which they are not with damping that rounding can see.
 * @param work k (k + 1) numbers, k the smaller of rows and columns.
 */
export function dampedLeastSquares(
  rows: Index,
  columns: Index,
  A: Reals,
  b: Reals,
  damping: number,
  x: Float64Array,
  work: Float64Array,
): boolean {
  if (rows >= columns) {
    const right: Index = columns * columns;
    for (let i = 0; i < columns; i++) {
      for (let j = 0; j <= i; j++) {
        let sum = 0;
        for (let k = 0; k < rows; k++) sum += A[columns * k + i]! * A[columns * k + j]!;
        work[columns * i + j] = sum;
      }
      work[columns * i + i] = work[columns * i + i]! + damping * damping;
    }
    if (!factorise(columns, work)) return false;
    for (let i = 0; i < columns; i++) {
      let sum = 0;
      for (let k = 0; k < rows; k++) sum += A[columns * k + i]! * b[k]!;
      work[right + i] = sum;
    }
    for (let i = 0; i < columns; i++) x[i] = work[right + i]!;
    solveFactored(columns, work, x);
    return true;
  }
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < columns; k++) sum += A[columns * i + k]! * A[columns * j + k]!;
      work[rows * i + j] = sum;
    }
    work[rows * i + i] = work[rows * i + i]! + damping * damping;
  }
  if (!factorise(rows, work)) return false;
  // The right-hand side as long as x may be: solved in the front of x, which has more entries.
  for (let i = 0; i < rows; i++) x[i] = b[i]!;
  solveFactored(rows, work, x);
  for (let i = 0; i < rows; i++) work[rows * rows + i] = x[i]!;
  for (let k = 0; k < columns; k++) {
    let sum = 0;
    for (let i = 0; i < rows; i++) sum += A[columns * i + k]! * work[rows * rows + i]!;
    x[k] = sum;
  }
  return true;
}

/**
 * Of all x with A x = b, A of rows x columns, that with the least x' W x, where G has the rows of A W^-1; with damping
 * x minimises x' W x + |A x - b|^2 / damping^2. By the Cholesky factor of G A' + damping^2, and residuals of the
 * equations themselves, which are solved for twice more: A x - b is left with rounding errors of its terms alone.
 * False, and x of no use, where that does not come about: the equations are singular, or too near to it.
 * @param work rows (rows + 1) numbers.
 * @param step rows numbers.
 */
export function leastByWeight(
  rows: Index,
  columns: Index,
  A: Reals,
  G: Reals,
  b: Reals,
  damping: number,
  x: Float64Array,
  work: Float64Array,
  step: Float64Array,
): boolean {
  for (let i = 0; i < rows; i++) {
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = 0; k < columns; k++) sum += A[columns * i + k]! * G[columns * j + k]!;
      work[rows * i + j] = sum;
    }
    work[rows * i + i] = work[rows * i + i]! + damping * damping;
  }
  if (!factorise(rows, work)) return false;
  // x = G' z.
  const z: Index = rows * rows;
  for (let i = 0; i < rows; i++) work[z + i] = 0;
  for (let k = 0; k < columns; k++) x[k] = 0;
  for (let pass = 0; pass < 3; pass++) {
    for (let i = 0; i < rows; i++) {
      const held = damping * damping * work[z + i]!;
      let missing = b[i]! - held;
      let size = Math.abs(b[i]!) + Math.abs(held);
      for (let k = 0; k < columns; k++) {
        const term = A[columns * i + k]! * x[k]!;
        missing -= term;
        size += Math.abs(term);
      }
      if (pass > 1 && !(Math.abs(missing) <= Math.sqrt(Number.EPSILON) * size)) return false;
      step[i] = missing;
    }
    solveFactored(rows, work, step);
    for (let i = 0; i < rows; i++) {
      work[z + i] = work[z + i]! + step[i]!;
      for (let k = 0; k < columns; k++) x[k] = x[k]! + G[columns * i + k]! * step[i]!;
    }
  }
  return true;
}

/**
 * (1 - (a/2) cot(a/2)) / a^2 of an angle a = 2 atan2(sine, cosine), by its series where that has more digits; 1/12 at
 * zero, 1/pi^2 at pi.
 */
function reducedCotangent(angle: number, sine: number, cosine: number): number {
  const square = angle * angle;
  if (angle < 0.3)
    return (
      1 / 12 +
      square *
        (1 / 720 +
          square * (1 / 30240 + square * (1 / 1209600 + square * (1 / 47900160 + square * (691 / 1307674368000)))))
    );
  return (1 - (0.5 * angle * cosine) / sine) / square;
}

/**
 * Logarithm (phi, rho) of the pose (R, t) seen from the pose (R0, t0): the twist in axes of the latter that leads from
 * it to the former in unit time. phi has a length of at most pi; it is the rotation's own unit quaternion that is found
 * first (Shepperd 1978), so that digits are lost neither near rotations of zero nor near those of pi. At pi exactly
 * both senses are right and one is chosen.
 */
export function poseLogarithm(R0: Reals, t0: Reals, R: Reals, t: Reals, out: Float64Array): void {
  // Entries of R0' R, and R0' (t - t0).
  const xx = R0[0]! * R[0]! + R0[3]! * R[3]! + R0[6]! * R[6]!;
  const xy = R0[0]! * R[1]! + R0[3]! * R[4]! + R0[6]! * R[7]!;
  const xz = R0[0]! * R[2]! + R0[3]! * R[5]! + R0[6]! * R[8]!;
  const yx = R0[1]! * R[0]! + R0[4]! * R[3]! + R0[7]! * R[6]!;
  const yy = R0[1]! * R[1]! + R0[4]! * R[4]! + R0[7]! * R[7]!;
  const yz = R0[1]! * R[2]! + R0[4]! * R[5]! + R0[7]! * R[8]!;
  const zx = R0[2]! * R[0]! + R0[5]! * R[3]! + R0[8]! * R[6]!;
  const zy = R0[2]! * R[1]! + R0[5]! * R[4]! + R0[8]! * R[7]!;
  const zz = R0[2]! * R[2]! + R0[5]! * R[5]! + R0[8]! * R[8]!;
  const dx = t[0]! - t0[0]!;
  const dy = t[1]! - t0[1]!;
  const dz = t[2]! - t0[2]!;
  const px = R0[0]! * dx + R0[3]! * dy + R0[6]! * dz;
  const py = R0[1]! * dx + R0[4]! * dy + R0[7]! * dz;
  const pz = R0[2]! * dx + R0[5]! * dy + R0[8]! * dz;
  const trace = xx + yy + zz;
  let w = 0;
  let a = 0;
  let b = 0;
  let c = 0;
  if (trace >= xx && trace >= yy && trace >= zz) {
    w = 1 + trace;
    a = zy - yz;
    b = xz - zx;
    c = yx - xy;
  } else if (xx >= yy && xx >= zz) {
    w = zy - yz;
    a = 1 + xx - yy - zz;
    b = xy + yx;
    c = xz + zx;
  } else if (yy >= zz) {
    w = xz - zx;
    a = xy + yx;
    b = 1 + yy - xx - zz;
    c = yz + zy;
  } else {
    w = yx - xy;
    a = xz + zx;
    b = yz + zy;
    c = 1 + zz - xx - yy;
  }
  if (w < 0) {
    w = -w;
    a = -a;
    b = -b;
    c = -c;
  }
  const s = Math.sqrt(a * a + b * b + c * c);
  const length = Math.sqrt(w * w + s * s);
  const angle = 2 * Math.atan2(s, w);
  // angle / s: 2/w (1 - (s/w)^2/3) where s vanishes against w.
  let scale = 0;
  if (s < 1e-4 * w) scale = (2 / w) * (1 - ((s / w) * (s / w)) / 3);
  else scale = angle / s;
  const phiX = scale * a;
  const phiY = scale * b;
  const phiZ = scale * c;
  // rho = p - phi x p / 2 + (1 - (angle/2) cot(angle/2)) / angle^2 phi x (phi x p).
  const k = reducedCotangent(angle, s / length, w / length);
  const ux = phiY * pz - phiZ * py;
  const uy = phiZ * px - phiX * pz;
  const uz = phiX * py - phiY * px;
  out[0] = phiX;
  out[1] = phiY;
  out[2] = phiZ;
  out[3] = px - 0.5 * ux + k * (phiY * uz - phiZ * uy);
  out[4] = py - 0.5 * uy + k * (phiZ * ux - phiX * uz);
  out[5] = pz - 0.5 * uz + k * (phiX * uy - phiY * ux);
}

/** The transpose of ad of a twist, times a wrench: (-phi x m - rho x f, -phi x f), within `wrench`. */
function transposedBracket(twist: Reals, wrench: Float64Array): void {
  const mx = wrench[0]!;
  const my = wrench[1]!;
  const mz = wrench[2]!;
  const fx = wrench[3]!;
  const fy = wrench[4]!;
  const fz = wrench[5]!;
  wrench[0] = my * twist[2]! - mz * twist[1]! + (fy * twist[5]! - fz * twist[4]!);
  wrench[1] = mz * twist[0]! - mx * twist[2]! + (fz * twist[3]! - fx * twist[5]!);
  wrench[2] = mx * twist[1]! - my * twist[0]! + (fx * twist[4]! - fy * twist[3]!);
  wrench[3] = fy * twist[2]! - fz * twist[1]!;
  wrench[4] = fz * twist[0]! - fx * twist[2]!;
  wrench[5] = fx * twist[1]! - fy * twist[0]!;
}

/**
 * Wrench, in axes of the frame, of the spring with the energy 1/2 sum k_i e_i^2 in the logarithm e of the goal seen
 * from the frame (`poseLogarithm`), by which the energy falls at the rate at which the wrench does work on the frame:
 * exactly J' (k e) with the inverse J of the left Jacobian of SE(3), J = 1 - ad/2 + a ad^2 + b ad^4 (ad of e; by
 * ad^5 + 2 p^2 ad^3 + p^4 ad = 0 of an angle p no other powers are needed). Smooth up to rotations of pi.
 * @param work 6 numbers.
 */
export function springWrench(e: Reals, stiffness: Reals, wrench: Float64Array, work: Float64Array): void {
  const square = e[0]! * e[0]! + e[1]! * e[1]! + e[2]! * e[2]!;
  const angle = Math.sqrt(square);
  let second = 0;
  let fourth = 0;
  if (angle < 0.3) {
    second = 1 / 12 - square * square * (1 / 30240 + square * (2 / 1209600 + square * (3 / 47900160)));
    fourth = -1 / 720 - square * (2 / 30240 + square * (3 / 1209600 + square * (4 / 47900160)));
  } else {
    const sine = Math.sin(0.5 * angle);
    const cotangent = (0.5 * angle * Math.cos(0.5 * angle)) / sine;
    const change = cotangent - (0.25 * square) / (sine * sine);
    second = (2 * (1 - cotangent) + 0.5 * change) / square;
    fourth = (1 - cotangent + 0.5 * change) / (square * square);
  }
  for (let i = 0; i < 6; i++) {
    work[i] = stiffness[i]! * e[i]!;
    wrench[i] = work[i]!;
  }
  transposedBracket(e, work);
  for (let i = 0; i < 6; i++) wrench[i] = wrench[i]! - 0.5 * work[i]!;
  transposedBracket(e, work);
  for (let i = 0; i < 6; i++) wrench[i] = wrench[i]! + second * work[i]!;
  transposedBracket(e, work);
  transposedBracket(e, work);
  for (let i = 0; i < 6; i++) wrench[i] = wrench[i]! + fourth * work[i]!;
}
