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
  const poses = new Float64Array(12 * ends.length);
  const pose = [1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0];
  for (let k = 0; k < ends.length; k++) {
    const h = ends[k]! - (k === 0 ? start : ends[k - 1]!);
    const at = (stage: number): number[] => strain.map((own) => own[STAGES * k + stage]!);
    follow(pose, stepTwist(h, [at(0), at(1), at(2)]));
    poses.set(pose, 12 * k);
  }
  if (stages.length !== STAGES * ends.length) throw new Error('three stages a step');
  return poses;
}

/** Of one step: the twist whose exponential leads along it. */
function stepTwist(h: number, [first, middle, last]: readonly [number[], number[], number[]]): number[] {
  const a = middle.map((e) => h * e);
  const b = middle.map((_, i) => ((h * Math.sqrt(15)) / 3) * (last[i]! - first[i]!));
  const c = middle.map((e, i) => ((10 * h) / 3) * (last[i]! - 2 * e + first[i]!));
  // Brackets with the signs of a field that acts from the right.
  const ab = bracket(a, b);
  const inner = bracket(
    a,
    c.map((e, i) => 2 * e - ab[i]!),
  );
  const outer = bracket(
    a.map((e, i) => 20 * e + c[i]! + ab[i]!),
    b.map((e, i) => e + inner[i]! / 60),
  );
  return a.map((e, i) => e + c[i]! / 12 + outer[i]! / 240);
}

/** Of twists, angular parts first. */
function bracket(a: readonly number[], b: readonly number[]): number[] {
  const [left, right] = [cross(a, 0, b, 3), cross(a, 3, b, 0)];
  return [...cross(a, 0, b, 0), ...left.map((e, i) => e + right[i]!)];
}

function cross(a: readonly number[], i: number, b: readonly number[], j: number): number[] {
  return [
    a[i + 1]! * b[j + 2]! - a[i + 2]! * b[j + 1]!,
    a[i + 2]! * b[j]! - a[i]! * b[j + 2]!,
    a[i]! * b[j + 1]! - a[i + 1]! * b[j]!,
  ];
}

/** Angles below which series take the place of quotients. */
const SMALL = 1e-2;

/** pose ← pose · exp(twist) */
function follow(pose: number[], twist: readonly number[]): void {
  const w = twist.slice(0, 3);
  const v = twist.slice(3);
  const square = w[0]! ** 2 + w[1]! ** 2 + w[2]! ** 2;
  const angle = Math.sqrt(square);
  // sin x/x, (1 − cos x)/x², (x − sin x)/x³
  const [f, g, k] =
    angle < SMALL
      ? [
          1 - (square / 6) * (1 - square / 20),
          0.5 - (square / 24) * (1 - square / 30),
          1 / 6 - (square / 120) * (1 - square / 42),
        ]
      : [Math.sin(angle) / angle, (1 - Math.cos(angle)) / square, (angle - Math.sin(angle)) / (square * angle)];
  /** x + a w × x + b w × (w × x) */
  const turned = (x: readonly number[], a: number, b: number): number[] => {
    const once = cross(w, 0, x, 0);
    const twice = cross(w, 0, once, 0);
    return x.map((e, i) => e + a * once[i]! + b * twice[i]!);
  };
  const shift = turned(v, g, k);
  const columns = [turned([1, 0, 0], f, g), turned([0, 1, 0], f, g), turned([0, 0, 1], f, g)];
  for (let row = 0; row < 3; row++) {
    const [x, y, z] = [pose[3 * row]!, pose[3 * row + 1]!, pose[3 * row + 2]!];
    pose[9 + row]! += x * shift[0]! + y * shift[1]! + z * shift[2]!;
    columns.forEach((c, i) => (pose[3 * row + i] = x * c[0]! + y * c[1]! + z * c[2]!));
  }
}
