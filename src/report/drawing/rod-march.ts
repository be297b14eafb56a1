/**
 * Poses along a rod from its strain, g' = g ξ^, for pictures: Magnus steps of sixth order over three Gauss points each
 * (Blanes, Casas, Oteo and Ros 2009), in double precision.
 */

/** Gauss points of a step, as shares of it. */
const NODES = [0.5 - Math.sqrt(15) / 10, 0.5, 0.5 + Math.sqrt(15) / 10] as const;
const STAGES = NODES.length;
/** Steps of at most this share of the rod. */
const LONGEST = 1 / 24;

/** Steps from the start of a rod to its end, through all places that are asked for. */
export interface RodSteps {
  /** Axial position of the first pose, the identity. */
  readonly start: number;
  /** Where steps end. */
  readonly ends: Float64Array;
  /** Axial positions at which strains are needed, three a step. */
  readonly stages: Float64Array;
  /** By list of places: of each place the step that ends there; −1 is the start. */
  readonly indices: readonly (readonly number[])[];
}

/**
 * @param wanted lists of axial positions.
 * @param breaks ends of the rod and places where strains have kinks, ends first and last.
 */
export function rodSteps(wanted: readonly (readonly number[])[], breaks: readonly number[]): RodSteps {
  const [start, end] = [breaks[0]!, breaks[breaks.length - 1]!];
  const stops = [...new Set([...wanted.flat(), ...breaks])].filter((place) => place !== start).sort((a, b) => a - b);
  const ends: number[] = [];
  let from = start;
  for (const stop of stops) {
    const count = Math.max(1, Math.ceil((stop - from) / (LONGEST * (end - start)) - 1e-9));
    for (let k = 1; k < count; k++) ends.push(from + ((stop - from) * k) / count);
    ends.push(stop);
    from = stop;
  }
  const index = new Map(ends.map((place, k) => [place, k]));
  const begin = (k: number): number => (k === 0 ? start : ends[k - 1]!);
  return {
    start,
    ends: Float64Array.from(ends),
    stages: Float64Array.from(ends.flatMap((to, k) => NODES.map((share) => begin(k) + share * (to - begin(k))))),
    indices: wanted.map((places) => places.map((place) => index.get(place) ?? -1)),
  };
}

/**
 * @param strain κ (1/m) and ν at the stages, six columns.
 * @returns poses at the ends of all steps, 12 numbers each: rotation row-major, then translation in m.
 */
export function marchRod({ start, ends, stages }: RodSteps, strain: readonly Float64Array[]): Float64Array {
  if (stages.length !== STAGES * ends.length) throw new Error('three stages a step');
  const poses = new Float64Array(12 * ends.length);
  const pose = Float64Array.of(1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
  const room = Array.from({ length: 7 }, () => new Float64Array(6));
  for (let k = 0; k < ends.length; k++) {
    const h = ends[k]! - (k === 0 ? start : ends[k - 1]!);
    follow(pose, stepTwist(h, strain, STAGES * k, room));
    poses.set(pose, 12 * k);
  }
  return poses;
}

/**
 * Of one step: the twist whose exponential leads along it. Pictures in motion march many rods: nothing is allocated.
 * @param first of the three stages. @param room overwritten; the result is one of it.
 */
function stepTwist(
  h: number,
  strain: readonly Float64Array[],
  first: number,
  room: readonly Float64Array[],
): Float64Array {
  const [a, b, c, ab, x, y, outer] = room as [Twist, Twist, Twist, Twist, Twist, Twist, Twist];
  for (let i = 0; i < 6; i++) {
    const own = strain[i]!;
    const [begin, middle, end] = [own[first]!, own[first + 1]!, own[first + 2]!];
    a[i] = h * middle;
    b[i] = ((h * Math.sqrt(15)) / 3) * (end - begin);
    c[i] = ((10 * h) / 3) * (end - 2 * middle + begin);
  }
  // Brackets with the signs of a field that acts from the right.
  bracket(ab, a, b);
  for (let i = 0; i < 6; i++) x[i] = 2 * c[i]! - ab[i]!;
  bracket(y, a, x);
  for (let i = 0; i < 6; i++) {
    x[i] = 20 * a[i]! + c[i]! + ab[i]!;
    y[i] = b[i]! + y[i]! / 60;
  }
  bracket(outer, x, y);
  for (let i = 0; i < 6; i++) outer[i] = a[i]! + c[i]! / 12 + outer[i]! / 240;
  return outer;
}

/** Six numbers, the angular part first. */
type Twist = Float64Array;

/** out ← [a, b] of twists, neither of which it is. */
function bracket(out: Twist, a: Twist, b: Twist): void {
  for (let i = 0; i < 3; i++) {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    out[i] = a[j]! * b[k]! - a[k]! * b[j]!;
    out[3 + i] = a[j]! * b[3 + k]! - a[k]! * b[3 + j]! + (a[3 + j]! * b[k]! - a[3 + k]! * b[j]!);
  }
}

/** Angles below which series take the place of quotients. */
const SMALL = 1e-2;

/** pose ← pose · exp(twist) */
function follow(pose: Float64Array, twist: Twist): void {
  const [p, q, r] = [twist[0]!, twist[1]!, twist[2]!];
  const [u, v, w] = [twist[3]!, twist[4]!, twist[5]!];
  const square = p * p + q * q + r * r;
  const angle = Math.sqrt(square);
  const isSmall = angle < SMALL;
  // sin x/x, (1 − cos x)/x², (x − sin x)/x³
  const f = isSmall ? 1 - (square / 6) * (1 - square / 20) : Math.sin(angle) / angle;
  const g = isSmall ? 0.5 - (square / 24) * (1 - square / 30) : (1 - Math.cos(angle)) / square;
  const k = isSmall ? 1 / 6 - (square / 120) * (1 - square / 42) : (angle - Math.sin(angle)) / (square * angle);
  // (1 + g ω^ + k ω^²) ν with ω^² ν = (ω·ν) ω − ω² ν
  const along = k * (p * u + q * v + r * w);
  const rest = 1 - k * square;
  const [x, y, z] = [
    rest * u + g * (q * w - r * v) + along * p,
    rest * v + g * (r * u - p * w) + along * q,
    rest * w + g * (p * v - q * u) + along * r,
  ];
  // 1 + f ω^ + g ω^²
  const own = 1 - g * square;
  for (let row = 0; row < 3; row++) {
    const [a, b, c] = [pose[3 * row]!, pose[3 * row + 1]!, pose[3 * row + 2]!];
    pose[9 + row]! += a * x + b * y + c * z;
    const turn = g * (a * p + b * q + c * r);
    pose[3 * row] = own * a + f * (b * r - c * q) + turn * p;
    pose[3 * row + 1] = own * b + f * (c * p - a * r) + turn * q;
    pose[3 * row + 2] = own * c + f * (a * q - b * p) + turn * r;
  }
}
