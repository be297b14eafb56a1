/**
 * Searches for unknowns within limits (coordinates, or inputs at whose equilibrium a robot rests) with which frames have poses, or
 * come nearest to them, by Levenberg–Marquardt steps on the poses and their Jacobians, from several starts.
 *
 * The error is the way to each position, and the logarithm of the turn that is left to a rotation; steps minimise
 * |J Δx − e|² + λ² |Δx|² with λ² the size of the error and a small number (Sugihara, IEEE Trans. Robotics 27, 2011), times a
 * factor that grows where a step does not reduce the error. Unknowns at a limit that a step would cross rest. Where no start reaches all
 * poses Newton's method finds the last digits of the nearest.
 */
import { TIME, type Robot } from '../../description/model/robot.ts';
import type { LoadedRobot } from '../../codegen/typescript/load.ts';
import { dampedLeastSquares, poseLogarithm } from '../../runtime/control.ts';
import { projectedNewton } from './projected-newton.ts';

/** What a frame is to have, in world axes. */
export interface PoseGoal {
  /** Index into the frames of the robot; its tip when missing. */
  readonly frame?: number;
  /** m */
  readonly position: readonly [number, number, number];
  /** 3 × 3, row-major; any when missing. */
  readonly rotation?: readonly number[];
}

export interface PoseSearchOptions {
  /** Random starts after the first one, as long as none reaches all poses; 40 when missing. */
  readonly restarts?: number;
  /** Of the random starts; 1 when missing. */
  readonly seed?: number;
  /** Distance in m, and angle in rad, within which a pose counts as reached; 1e-9 when missing. */
  readonly within?: number;
  /** Length in m that counts as much as an angle of 1 rad; the distance of the frame at the start, of the farthest of several, from the base when missing. */
  readonly radian?: number;
  /** Of a robot that depends on the time, s; 0 when missing. */
  readonly time?: number;
}

/** The nearest poses that were found. */
export interface PoseSearchResult {
  /** Are all poses reached? */
  readonly reached: boolean;
  /** What is left of the one that is farthest off, in m, and in rad (zero where any rotation will do). */
  readonly distance: number;
  readonly angle: number;
  /** Starts that were tried, and steps in all. */
  readonly starts: number;
  readonly steps: number;
}

/** What a search changes. */
export interface Unknowns {
  /** Where the first search begins. */
  readonly first: readonly number[];
  /** Infinite where there is none. */
  readonly lower: readonly number[];
  readonly upper: readonly number[];
  /** Random starts of unknowns without limits are within this of their first value. */
  readonly width: number;
  /** Takes values. @returns whether frames have poses there. */
  take(x: Float64Array): boolean;
  /** Pose of a frame there, world axes, and its Jacobian by the unknowns, 6 × n. @returns whether it has one. */
  pose(frame: number | undefined, R: Float64Array, t: Float64Array, J: Float64Array): boolean;
  /** A search begins. */
  begin?(): void;
  /** The last poses were taken for the next step; are they the nearest so far? */
  keep?(isNearest: boolean): void;
}

const RESTARTS = 40;
const MOST_STEPS = 60;
const WITHIN = 1e-9;
/** Added to λ² in units of the square of a radian: what keeps steps finite at singular configurations of a reached pose. */
const LEAST_DAMPING = 1e-12;
/** Factors on λ where steps fail and where they succeed, and when to give up. */
const HARDER = 8;
const EASIER = 1 / 4;
const HARDEST = 1e8;
/** Of the error: values of as near poses differ by less. */
const ROUNDING = 1e-12;
/** A search that gains less than this share of its error in ten steps goes nowhere. */
const SLOWEST = 0.02;
/** What JavaScript may give in place of options. @throws RangeError */
function demandObject(options: unknown): void {
  if (typeof options !== 'object' || options === null)
    throw new RangeError('options must be an object; {} takes the defaults');
}

/** Random starts, at most. */
const MOST_RESTARTS = 100_000;
/** How far products of rows of a rotation may be from those of unit vectors: numbers of seven digits pass. */
const SKEWNESS = 1e-6;

/**
 * @returns the goals, of which there is one at least.
 * @throws RangeError where a goal is no pose of a frame of the robot, or an option is no such number.
 */
export function checkSearch(
  { frames }: Pick<Robot, 'frames'>,
  goal: PoseGoal | readonly PoseGoal[],
  options: PoseSearchOptions,
): readonly PoseGoal[] {
  demandObject(options);
  const goals = [goal].flat();
  if (goals.length === 0) throw new RangeError('give at least one goal');
  goals.forEach((each) => checkGoal(each, frames.length));
  const { restarts = RESTARTS, seed = 1, within = WITHIN, radian = 1 } = options;
  if (!Number.isInteger(restarts) || restarts < 0 || restarts > MOST_RESTARTS)
    throw new RangeError(`\`restarts\` must be a whole number from 0 to ${MOST_RESTARTS}, not ${restarts}`);
  if (!Number.isSafeInteger(seed) || seed < 0)
    throw new RangeError(`\`seed\` must be a whole number, 0 or more, not ${seed}`);
  for (const [name, value] of Object.entries({ within, radian }))
    if (!(Number.isFinite(value) && value > 0))
      throw new RangeError(`\`${name}\` must be a number above zero, not ${value}`);
  return goals;
}

/**
 * Takes a robot to the time of a search.
 * @throws RangeError where it does not depend on the time, or that is no number.
 */
export function takeTime(
  { name, time: depends }: Pick<Robot, 'name' | 'time'>,
  { parameters }: Pick<LoadedRobot, 'parameters'>,
  time: number | undefined,
): void {
  if (time === undefined) return;
  if (!depends) throw new RangeError(`${name} does not depend on the time: leave out \`time\``);
  if (!Number.isFinite(time)) throw new RangeError(`\`time\` must be a finite number of seconds, not ${time}`);
  parameters[TIME.name] = time;
}

function checkGoal(goal: PoseGoal, frames: number): void {
  if (typeof goal !== 'object' || goal === null)
    throw new RangeError('a goal must be an object: { position: [x, y, z] }, optionally with `rotation` and `frame`');
  const { frame, position, rotation } = goal;
  if (frame !== undefined && !(Number.isInteger(frame) && frame >= 0 && frame < frames))
    throw new RangeError(`\`frame\` must be an index below ${frames}, the number of frames, not ${frame}`);
  if (!areNumbers(position, 3)) throw new RangeError('`position` takes 3 finite numbers, in m and world axes');
  if (rotation === undefined) return;
  if (!areNumbers(rotation, 9)) throw new RangeError('`rotation` takes 9 finite numbers, a matrix row by row');
  const entry = (i: number, j: number): number => rotation[3 * i + j]!;
  const product = (i: number, k: number): number => [0, 1, 2].reduce((sum, j) => sum + entry(i, j) * entry(k, j), 0);
  const skewness = Math.max(
    ...[0, 1, 2].flatMap((i) => [0, 1, 2].map((k) => Math.abs(product(i, k) - (i === k ? 1 : 0)))),
  );
  if (!(skewness <= SKEWNESS))
    throw new RangeError(
      `\`rotation\` is not a rotation: its rows must be orthogonal unit vectors and are off by ${skewness.toPrecision(2)}`,
    );
  const minor = (j: number, k: number): number => entry(1, j) * entry(2, k) - entry(1, k) * entry(2, j);
  if (entry(0, 0) * minor(1, 2) + entry(0, 1) * minor(2, 0) + entry(0, 2) * minor(0, 1) < 0)
    throw new RangeError('`rotation` is a reflection: its determinant is −1; change the sign of one of its axes');
}

/** Exactly so many finite numbers. @param values what a caller gave. */
export function areNumbers(values: unknown, count: number): boolean {
  const isList = Array.isArray(values) || ArrayBuffer.isView(values);
  const list = isList ? (values as ArrayLike<unknown>) : [];
  return list.length === count && Array.from(list).every(Number.isFinite);
}

/** A uniform number in [0, 1) from a state of 32 bits (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export class PoseSearch {
  private readonly n: number;
  private readonly rows: number;
  private readonly lower: Float64Array;
  private readonly upper: Float64Array;
  private readonly restarts: number;
  private readonly within: number;
  private readonly radian: number;
  private readonly R = new Float64Array(9);
  private readonly t = new Float64Array(3);
  private readonly twist = new Float64Array(6);
  private readonly J: Float64Array;
  /** Rows of the Jacobians that count, angular ones in lengths; in `A` columns of unknowns at their limits are zero. */
  private readonly rowsOfAll: Float64Array;
  private readonly A: Float64Array;
  private readonly error: Float64Array;
  private readonly step: Float64Array;
  private readonly work: Float64Array;
  private readonly x: Float64Array;
  private readonly trial: Float64Array;
  private best: { readonly x: number[]; readonly cost: number; readonly distance: number; readonly angle: number };
  private steps = 0;
  private distance = Infinity;
  private angle = Infinity;
  private readonly goals: readonly PoseGoal[];
  private readonly unknowns: Unknowns;
  private readonly random: () => number;

  /** @param goals checked, as `options` are: see `checkSearch`. */
  constructor(goals: readonly PoseGoal[], options: PoseSearchOptions, unknowns: Unknowns) {
    const { first, lower, upper } = unknowns;
    const n = lower.length;
    this.goals = goals;
    this.unknowns = unknowns;
    this.n = n;
    this.rows = goals.reduce((total, { rotation }) => total + (rotation ? 6 : 3), 0);
    this.lower = Float64Array.from(lower);
    this.upper = Float64Array.from(upper);
    this.restarts = options.restarts ?? RESTARTS;
    this.within = options.within ?? WITHIN;
    this.random = uniform(options.seed ?? 1);
    this.J = new Float64Array(6 * n);
    this.rowsOfAll = new Float64Array(this.rows * n);
    this.A = new Float64Array(this.rows * n);
    this.error = new Float64Array(this.rows);
    this.step = new Float64Array(n);
    const k = Math.min(this.rows, n);
    this.work = new Float64Array(k * (k + 1));
    this.x = Float64Array.from(first);
    this.trial = new Float64Array(n);
    this.best = { x: [...first], cost: Infinity, distance: Infinity, angle: Infinity };
    this.radian = options.radian ?? this.reach();
  }

  run(): PoseSearchResult & { readonly x: readonly number[] } {
    let starts = 0;
    while (starts <= this.restarts) {
      if (starts > 0) for (let i = 0; i < this.n; i++) this.x[i] = this.randomValue(i);
      starts++;
      if (this.descend()) break;
    }
    if (!this.isReached) this.approach();
    const { x, distance, angle } = this.best;
    return { reached: this.isReached, x, distance, angle, starts, steps: this.steps };
  }

  private get isReached(): boolean {
    const { distance, angle } = this.best;
    return distance <= this.within && angle <= this.within;
  }

  /** From the nearest poses that were found to those beside them that are nearest. */
  private approach(): void {
    const { n, rows, lower, upper, rowsOfAll, error } = this;
    if (!Number.isFinite(this.best.cost)) return;
    this.unknowns.begin?.();
    const x = projectedNewton(Float64Array.from(this.best.x), {
      lower,
      upper,
      value: (at, gradient) => {
        const cost = this.cost(at);
        gradient.fill(0);
        for (let i = 0; i < rows; i++) for (let j = 0; j < n; j++) gradient[j]! -= rowsOfAll[i * n + j]! * error[i]!;
        return cost;
      },
    });
    const cost = this.cost(x);
    if (!(cost <= this.best.cost * (1 + ROUNDING))) return;
    this.best = { x: [...x], cost, distance: this.distance, angle: this.angle };
    this.unknowns.keep?.(true);
  }

  private randomValue(i: number): number {
    const { first, width } = this.unknowns;
    const [value, lower, upper] = [first[i]!, this.lower[i]!, this.upper[i]!];
    const low = lower > -Infinity ? lower : Math.min(value, upper) - width;
    const high = upper < Infinity ? upper : Math.max(value, lower) + width;
    return low + (high - low) * this.random();
  }

  /** Distance of the farthest frame from the base at the start; 1 m where it is there. */
  private reach(): number {
    const { goals, unknowns, x, R, t, J } = this;
    if (!unknowns.take(x)) return 1;
    const distances = goals.map(({ frame }) => (unknowns.pose(frame, R, t, J) ? Math.hypot(t[0]!, t[1]!, t[2]!) : 0));
    return Math.max(...distances) || 1;
  }

  /** Half the square of the errors at x, in m², with the Jacobians; infinite where there is no pose. */
  private cost(x: Float64Array): number {
    this.distance = 0;
    this.angle = 0;
    if (!this.unknowns.take(x)) return Infinity;
    let [sum, from] = [0, 0];
    for (const goal of this.goals) {
      if (!this.unknowns.pose(goal.frame, this.R, this.t, this.J)) return Infinity;
      sum += goal.rotation ? this.turned(goal, goal.rotation, from) : this.moved(goal, from);
      from += goal.rotation ? 6 : 3;
    }
    return 0.5 * sum;
  }

  /** The way to a position, in rows from `from` on. @returns its square. */
  private moved({ position }: PoseGoal, from: number): number {
    const { n, t, J, error, rowsOfAll } = this;
    let sum = 0;
    for (let i = 0; i < 3; i++) {
      const value = position[i]! - t[i]!;
      error[from + i] = value;
      sum += value * value;
      for (let j = 0; j < n; j++) rowsOfAll[(from + i) * n + j] = J[(3 + i) * n + j]!;
    }
    this.distance = Math.max(this.distance, Math.sqrt(sum));
    return sum;
  }

  /** The same of a pose: turns, in lengths, before the way. */
  private turned(goal: PoseGoal, rotation: readonly number[], from: number): number {
    const { n, R, t, J, twist, error, rowsOfAll, radian } = this;
    poseLogarithm(R, t, rotation, t, twist);
    let sum = 0;
    for (let i = 0; i < 3; i++) {
      // Twists are in axes of the frame, the Jacobian in those of the world.
      const value = radian * (R[3 * i]! * twist[0]! + R[3 * i + 1]! * twist[1]! + R[3 * i + 2]! * twist[2]!);
      error[from + i] = value;
      sum += value * value;
      for (let j = 0; j < n; j++) rowsOfAll[(from + i) * n + j] = radian * J[i * n + j]!;
    }
    this.angle = Math.max(this.angle, Math.sqrt(sum) / radian);
    return sum + this.moved(goal, from + 3);
  }

  /** From x downwards; keeps what is nearest. @returns whether all poses are reached. */
  private descend(): boolean {
    const { n, x, trial, lower, upper, step } = this;
    for (let i = 0; i < n; i++) x[i] = Math.min(Math.max(x[i]!, lower[i]!), upper[i]!);
    this.unknowns.begin?.();
    let cost = this.cost(x);
    let factor = 1;
    let before = cost;
    for (let k = 0; k < MOST_STEPS && Number.isFinite(cost); k++) {
      if (this.keep(cost)) return true;
      if (k % 10 === 9) {
        if (cost > before * (1 - SLOWEST)) return false;
        before = cost;
      }
      if (!this.solve(factor * (cost + LEAST_DAMPING * this.radian * this.radian))) return false;
      this.steps++;
      for (let i = 0; i < n; i++) trial[i] = Math.min(Math.max(x[i]! + step[i]!, lower[i]!), upper[i]!);
      const next = this.cost(trial);
      if (next < cost) {
        x.set(trial);
        cost = next;
        factor = Math.max(factor * EASIER, 1e-6);
      } else {
        factor *= HARDER;
        if (factor > HARDEST) return false;
        this.cost(x);
      }
    }
    return false;
  }

  /** Remembers x where it is the nearest so far. @returns whether its poses are those that are due. */
  private keep(cost: number): boolean {
    const { distance, angle } = this;
    const isNearest = cost < this.best.cost;
    if (isNearest) this.best = { x: [...this.x], cost, distance, angle };
    this.unknowns.keep?.(isNearest);
    return distance <= this.within && angle <= this.within;
  }

  /** The step at the poses that `cost` left, of the unknowns that are free to take it. */
  private solve(squaredDamping: number): boolean {
    const { n, rows, rowsOfAll, A, error, step, work, x, lower, upper } = this;
    A.set(rowsOfAll);
    for (let j = 0; j < n; j++) {
      let slope = 0;
      for (let i = 0; i < rows; i++) slope += A[i * n + j]! * error[i]!;
      if ((slope > 0 && x[j]! >= upper[j]!) || (slope < 0 && x[j]! <= lower[j]!))
        for (let i = 0; i < rows; i++) A[i * n + j] = 0;
    }
    return dampedLeastSquares(rows, n, A, error, Math.sqrt(squaredDamping), step, work);
  }
}
