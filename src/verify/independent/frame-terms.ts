/**
 * Formulas of frames and wrenches for the independent check: places and axes of what they hold on to as the file states them, all derivatives by difference quotients of fourth order. A wrench does the work of its force along the displacement of its point
 * and of its moment along the turn of its axes.
 */
import { TIME_OF_BODY } from '../../description/bodies/quantity.ts';
import { eachAxis, triple } from '../../common/tuples.ts';
import type { Decimal } from 'decimal.js';
import {
  heldFrame,
  MINUS_LENGTH,
  type Anchor,
  type FrameAction,
  type ReachingTerm,
} from '../../description/model/frame-terms.ts';
import type { Robot } from '../../description/model/robot.ts';
import { decimalOfPrecision, evaluateDecimal, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import { roomBetween } from '../arithmetic/columns.ts';
import { rotationOf, translationOf, type Pose } from '../arithmetic/decimal-pose.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import type { State } from '../generated/evaluation.ts';
import { WrittenPlaces } from './written-places.ts';

const Wide = decimalOfPrecision(60);
/** Of coordinates, and of the time along the motion: the error of the quotients is of the order of its fourth power. */
const STEP = 2 ** -17;
/** Points that are apart by no more than this coincide, m. */
const NOTHING = 1e-12;
/** Of quotients that are differenced again. */
const SHORT_STEP = new Wide('1e-8');

type Vector = readonly [number, number, number];

/** One partial per coordinate of the robot; `acceleration` where coordinates do not accelerate. */
export interface ReachingMotion {
  readonly value: number;
  readonly rate: number;
  readonly acceleration: number;
  readonly partials: readonly number[];
  /** What the derivatives are made of, in which lengths that do not change cancel. */
  readonly size: { readonly rate: number; readonly acceleration: number; readonly gradient: number };
}

/** A pose with its derivatives, [R | t] row-major. */
interface PoseMotion {
  readonly value: readonly number[];
  readonly partials: readonly (readonly number[])[];
  readonly rate: readonly number[];
  readonly acceleration: readonly number[];
}

/** Terms, and rows of loops, look at the same links at the same configurations. */
const PLACES = new WeakMap<Robot, WrittenPlaces>();

export function reachingMotion(robot: Robot, { frames, action }: ReachingTerm, state: State): ReachingMotion {
  const own = PLACES.get(robot) ?? new WrittenPlaces(robot);
  PLACES.set(robot, own);
  const widths = robot.coordinates.map(({ lower, upper }) => roomBetween(1, lower, upper));
  switch (action.kind) {
    case 'formula':
      return formulaMotion(robot, own, frames, action.value, state, widths);
    case 'sliding':
      return slidingMotion(robot, own, frames, action, state, widths);
    case 'wrench':
      return wrenchMotion(own, frames[0]!, action, state, widths);
  }
}

/** Energy of forces between frames, and its quotients by the coordinates. @param q and behind them the time. */
export function frameEnergies(
  robot: Robot,
  parameters: Readonly<Record<string, number>>,
  state: State,
  Result: DecimalConstructor,
): { readonly stored: Decimal; readonly elastic: readonly Decimal[] } {
  const places = new WrittenPlaces(robot, parameters);
  const terms = (robot.forces ?? []).flatMap(({ terms: own }) => own);
  const valuesOf = terms.map(({ action }) => {
    if (action.kind !== 'formula') throw new Error('only formulas have an energy');
    return formulaAt(robot, action.value, parameters);
  });
  const energy = (q: readonly Decimal[]): Decimal =>
    terms.reduce(
      (sum, { frames }, i) => sum.plus(valuesOf[i]!(frames.map((anchor) => places.pose(anchor, q)))),
      new Wide(0),
    );
  const here = placeInTime(state).map((x) => new Wide(x));
  const slope = (a: number): Decimal =>
    OFFSETS.reduce((sum, k, i) => {
      const moved = here.map((x, b) => (a === b ? x.plus(new Wide(k).times(SHORT_STEP)) : x));
      return FIRST[i] === 0 ? sum : sum.plus(energy(moved).times(FIRST[i]!));
    }, new Wide(0)).div(SHORT_STEP.times(12));
  return { stored: new Result(energy(here)), elastic: state.q.map((_, a) => new Result(slope(a))) };
}

/** What is under a root or divides must keep this share of what it is at the defaults: of a squared distance, 3e-5 of the distance. */
const SHARE_OF_DEFAULT = 1e-9;

/**
 * Whether formulas of frames are smooth at a configuration: whether all that is under a root is positive, and all that divides is not
 * zero. A string has no length within its cylinder, and no direction where its ends meet.
 * @returns undefined without such formulas, and where they are not smooth at the defaults either.
 */
export function smoothFrames(robot: Robot): ((q: readonly number[]) => boolean) | undefined {
  const terms = [
    ...robot.actuators.flatMap((own) => own.terms.filter((term) => term.kind === 'reaching')),
    ...(robot.forces ?? []).flatMap((own) => own.terms),
  ];
  const held = terms.flatMap(({ frames, action }) => {
    if (action.kind === 'formula') return [{ frames, formula: action.value }];
    if (action.kind === 'wrench') return [];
    return frames.slice(1).map((to, k) => ({ frames: [frames[k]!, to], formula: MINUS_LENGTH }));
  });
  const demands = held.flatMap(({ frames, formula }) =>
    [...awayFromZero(formula)].map(([base, isPositive]) => ({ frames, isPositive, at: formulaAt(robot, base) })),
  );
  if (demands.length === 0) return undefined;
  const places = new WrittenPlaces(robot);
  const valuesAt = (q: readonly number[]): readonly Decimal[] => {
    const here = placeInTime({ q }).map((x) => new Wide(x));
    return demands.map(({ frames, at }) =>
      at(
        frames.map((anchor) => places.pose(anchor, here)),
        here.at(-1),
      ),
    );
  };
  const usual = valuesAt(robot.coordinates.map(({ value }) => value));
  const areAway = (values: readonly Decimal[]): boolean =>
    values.every((value, i) => {
      const least = usual[i]!.abs().times(SHARE_OF_DEFAULT);
      return (demands[i]!.isPositive ? value : value.abs()).gt(least);
    });
  return areAway(usual) ? (q) => areAway(valuesAt(q)) : undefined;
}

/** What divides in a formula, and what is under its roots: this with `true`. */
function awayFromZero(formula: Expr): ReadonlyMap<Expr, boolean> {
  const found = new Map<Expr, boolean>();
  for (const e of postorder([formula]))
    if (e.kind === 'product')
      for (const { base, exponent } of e.factors) {
        const isRoot = !Rational.isInteger(exponent);
        if (isRoot || Rational.isNegative(exponent)) found.set(base, isRoot || found.get(base) === true);
      }
  return found;
}

/** Value of a formula at poses of its frames. */
function formulaAt(
  robot: Robot,
  formula: Expr,
  given: Readonly<Record<string, number>> = {},
): (poses: readonly Pose[], time?: Decimal) => Decimal {
  const parameters = robot.parameters.map((p): [Expr, Decimal] => {
    const own = given[p.name];
    return [p.symbol, own === undefined ? evaluateDecimal([p.value], new Map(), Wide)[0]! : new Wide(own)];
  });
  return (poses, time) => {
    const bindings = new Map<Expr, Decimal>(parameters);
    if (time) bindings.set(TIME_OF_BODY, time);
    poses.forEach((pose, k) => {
      const { rotation, translation } = heldFrame(k);
      rotation.forEach((s, i) => bindings.set(s, rotationOf(pose)[i]!));
      translation.forEach((s, i) => bindings.set(s, translationOf(pose)[i]!));
    });
    return evaluateDecimal([formula], bindings, Wide)[0]!;
  };
}

/** y itself is differenced; what its derivatives are made of is told by those of every frame alone. */
function formulaMotion(
  robot: Robot,
  places: WrittenPlaces,
  frames: readonly Anchor[],
  formula: Expr,
  state: State,
  widths: readonly number[],
): ReachingMotion {
  const valueAt = formulaAt(robot, formula);
  const motions = frames.map((anchor) => poseMotion((q) => places.pose(anchor, q), state, widths));
  const posesAt = (q: readonly Decimal[]): readonly Pose[] => frames.map((anchor) => places.pose(anchor, q));
  const { value, partials, rate, acceleration } = poseMotion((q) => [valueAt(posesAt(q), q.at(-1))], state, widths);
  const now = new Wide(state.t ?? 0);
  const sizes = motions.map((_, k) => sizeOfFrame((poses) => valueAt(poses, now), motions, k));
  const total = (of: (size: ReachingMotion['size']) => number): number => sizes.reduce((sum, own) => sum + of(own), 0);
  const size = {
    rate: total((own) => own.rate),
    acceleration: total((own) => own.acceleration),
    gradient: total((own) => own.gradient),
  };
  const finite = (x: number | undefined): number => (x !== undefined && Number.isFinite(x) ? x : 0);
  return {
    value: finite(value[0]),
    rate: finite(rate[0]),
    acceleration: finite(acceleration[0]),
    partials: partials.map(([slope]) => finite(slope)),
    size,
  };
}

/** What y changes by where one frame alone moves as it does, along the straight lines of its entries. */
function sizeOfFrame(
  valueAt: (poses: readonly Pose[]) => Decimal,
  motions: readonly PoseMotion[],
  index: number,
): ReachingMotion['size'] {
  const changed = (change: readonly number[], weights: readonly number[], divisor: number): number => {
    const values = OFFSETS.map((k) =>
      valueAt(
        motions.map(({ value }, frame) =>
          value.map((x, i) => new Wide(x).plus(frame === index ? new Wide(change[i]!).times(k * STEP) : 0)),
        ),
      ).times(weights[k + 2]!),
    );
    const quotient = values.reduce((sum, x) => sum.plus(x), new Wide(0)).div(divisor);
    return quotient.isFinite() ? Math.abs(quotient.toNumber()) : 0;
  };
  const { value, rate, acceleration, partials } = motions[index]!;
  const slopes = value.map((_, i) =>
    changed(
      value.map((__, j) => (i === j ? 1 : 0)),
      FIRST,
      12 * STEP,
    ),
  );
  /** As if y grew with the origin, and with the axes, as fast as it can. */
  const most = (change: readonly number[]): number => {
    const size = (v: readonly number[], isOrigin: boolean): number =>
      Math.hypot(...v.filter((_, i) => (i % 4 === 3) === isOrigin));
    return [true, false].reduce((sum, isOrigin) => sum + size(slopes, isOrigin) * size(change, isOrigin), 0);
  };
  return {
    rate: most(rate),
    acceleration: most(acceleration) + changed(rate, SECOND, 12 * STEP * STEP),
    gradient: Math.max(0, ...partials.map(most)),
  };
}

/**
 * A tendon with friction: lengths of its pieces are differenced, their tensions follow from angles and rates as the law is written. Of an
 * angle between unit vectors a and b: 2 asin(|a − b|/2).
 */
function slidingMotion(
  robot: Robot,
  places: WrittenPlaces,
  frames: readonly Anchor[],
  { friction }: Extract<FrameAction, { readonly kind: 'sliding' }>,
  state: State,
  widths: readonly number[],
): ReachingMotion {
  const [coefficient, speed] = [friction.coefficient, friction.speed].map((e) =>
    formulaAt(robot, e)([]).toNumber(),
  ) as [number, number];
  const ends = frames.map((anchor) => poseMotion((q) => places.pose(anchor, q), state, widths));
  const lengths = frames.slice(1).map((to, k) => {
    const apart = (q: readonly Decimal[]): Decimal[] => {
      const [a, b] = [places.pose(frames[k]!, q), places.pose(to, q)].map(translationOf) as [Decimal[], Decimal[]];
      return b.map((x, i) => x.minus(a[i]!));
    };
    const length = (q: readonly Decimal[]): Pose => [
      apart(q)
        .reduce((sum, x) => sum.plus(x.times(x)), new Wide(0))
        .sqrt(),
    ];
    const here = placeInTime(state).map((x) => new Wide(x));
    const [total] = length(here) as [Decimal];
    return { ...poseMotion(length, state, widths), direction: apart(here).map((x) => x.div(total)) };
  });
  const rates = lengths.map(({ rate }) => rate[0]!);
  const total = (values: readonly number[]): number => values.reduce((sum, x) => sum + x, 0);
  const bendAt = (k: number): number => {
    const [a, b] = [lengths[k - 1]!.direction, lengths[k]!.direction];
    const chord = a.reduce((sum, x, i) => sum.plus(x.minus(b[i]!).pow(2)), new Wide(0)).sqrt();
    return 2 * Math.asin(Math.min(1, chord.toNumber() / 2));
  };
  const tensions = [1];
  for (let k = 1; k < lengths.length; k++)
    tensions.push(tensions[k - 1]! * Math.exp(-coefficient * bendAt(k) * Math.tanh(-total(rates.slice(k)) / speed)));
  const sizeOf = (change: (end: PoseMotion) => readonly number[]): number =>
    total(
      lengths.map(
        (_, k) => tensions[k]! * total([ends[k]!, ends[k + 1]!].map((end) => Math.hypot(...place(change(end))))),
      ),
    );
  const turning = lengths.map(
    ({ value }, k) => (Math.hypot(...place(ends[k]!.rate)) + Math.hypot(...place(ends[k + 1]!.rate))) ** 2 / value[0]!,
  );
  return {
    value: -total(lengths.map(({ value }) => value[0]!)),
    rate: -total(rates),
    acceleration: -total(lengths.map(({ acceleration }) => acceleration[0]!)),
    partials: state.q.map((_, a) => -total(lengths.map(({ partials }, k) => tensions[k]! * partials[a]![0]!))),
    size: {
      rate: sizeOf(({ rate }) => rate),
      acceleration: sizeOf(({ acceleration }) => acceleration) + total(turning),
      gradient: Math.max(0, ...state.q.map((_, a) => sizeOf(({ partials }) => partials[a]!))),
    },
  };
}

function wrenchMotion(
  places: WrittenPlaces,
  on: Anchor,
  { axes, wrench }: Extract<FrameAction, { readonly kind: 'wrench' }>,
  state: State,
  widths: readonly number[],
): ReachingMotion {
  const pose = poseMotion(poseFunction(places, on, state, widths), state, widths);
  const [moment, force] = [triple(wrench.slice(0, 3)), triple(wrench.slice(3))];
  const turned = (by: readonly number[], v: Vector): Vector => (axes === 'frame' ? turn(by, v) : v);
  const turning = (by: readonly number[], v: Vector): Vector => (axes === 'frame' ? turn(by, v) : [0, 0, 0]);
  const [F, M] = [turned(pose.value, force), turned(pose.value, moment)];
  const work = (change: readonly number[]): number => dot(F, place(change)) + dot(M, spin(change, pose.value));
  const spinning = spin(pose.rate, pose.value);
  const sizeOf = (change: readonly number[]): number =>
    Math.hypot(...F) * Math.hypot(...place(change)) + Math.hypot(...M) * Math.hypot(...spin(change, pose.value));
  const speed = sizeOf(pose.rate);
  return {
    value: 0,
    rate: work(pose.rate),
    acceleration:
      work(pose.acceleration) +
      dot(turning(pose.rate, force), place(pose.rate)) +
      dot(turning(pose.rate, moment), spinning),
    partials: pose.partials.map(work),
    size: {
      rate: speed,
      acceleration: sizeOf(pose.acceleration) + speed * Math.hypot(...spinning),
      gradient: Math.max(0, ...pose.partials.map(sizeOf)),
    },
  };
}

/** With the axes of the end of the body in whose frame a material point stays, those of the material where it stays in none. */
function poseFunction(
  places: WrittenPlaces,
  on: Anchor,
  state: State,
  widths: readonly number[],
): (q: readonly Decimal[]) => Pose {
  if (on.kind === 'frame' || on.offset) return (x) => places.pose(on, x);
  const here = placeInTime(state).map((x) => new Wide(x));
  const moved = here.map((x, a) => x.plus(0.01 * (widths[a] ?? 1) * (1 + Math.sin(a))));
  const stays = (local: (x: readonly Decimal[]) => readonly Decimal[] | undefined): boolean => {
    const [a, b] = [local(here), local(moved)];
    return a !== undefined && b !== undefined && a.every((x, i) => x.minus(b[i]!).abs().lt(NOTHING));
  };
  if (stays((x) => places.pointInProximal(on, x))) return (x) => places.pose(on, x);
  if (stays((x) => places.pointInDistal(on, x))) return (x) => places.poseInDistal(on, x);
  return (x) => places.carried(on, x);
}

// ---------------------------------------------------------------------------------------------- difference quotients

const OFFSETS = [-2, -1, 0, 1, 2];
const FIRST = [1, -8, 0, 8, -1];
const SECOND = [-1, 16, -30, 16, -1];

/** Coordinates, and the time behind them. */
const placeInTime = ({ q, t = 0 }: Pick<State, 'q' | 't'>): readonly number[] => [...q, t];

/** @param pose at coordinates and the time behind them. @param widths by which steps along coordinates are scaled. */
function poseMotion(pose: (q: readonly Decimal[]) => Pose, state: State, widths: readonly number[]): PoseMotion {
  const { q, qd } = state;
  const here = placeInTime(state);
  const along = (direction: readonly number[]): readonly Pose[] =>
    OFFSETS.map((k) => pose(here.map((x, a) => new Wide(x).plus(new Wide(direction[a]!).times(k * STEP)))));
  const quotient = (poses: readonly Pose[], weights: readonly number[], divisor: number): number[] =>
    poses[0]!.map((_, i) =>
      poses
        .reduce((sum, own, k) => sum.plus(own[i]!.times(weights[k]!)), new Wide(0))
        .div(divisor)
        .toNumber(),
    );
  const path = along([...qd, 1]);
  return {
    value: path[2]!.map(Number),
    partials: q.map((_, a) => {
      const own = here.map((__, b) => (a === b ? widths[a]! : 0));
      return quotient(along(own), FIRST, 12 * STEP * widths[a]!);
    }),
    rate: quotient(path, FIRST, 12 * STEP),
    acceleration: quotient(path, SECOND, 12 * STEP * STEP),
  };
}

// ---------------------------------------------------------------------------------------------- vectors

const place = (pose: readonly number[]): Vector => [pose[3]!, pose[7]!, pose[11]!];
const dot = (a: Vector, b: Vector): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];

/** R v */
const turn = (pose: readonly number[], v: Vector): Vector =>
  eachAxis((axis) => pose[4 * axis]! * v[0] + pose[4 * axis + 1]! * v[1] + pose[4 * axis + 2]! * v[2]);

/** Axial vector of the skew part of (change of R) Rᵀ: of rates the angular velocity, of second derivatives the angular acceleration. */
function spin(change: readonly number[], pose: readonly number[]): Vector {
  const entry = (i: number, j: number): number =>
    [0, 1, 2].reduce((sum, k) => sum + change[4 * i + k]! * pose[4 * j + k]!, 0);
  return [(entry(2, 1) - entry(1, 2)) / 2, (entry(0, 2) - entry(2, 0)) / 2, (entry(1, 0) - entry(0, 1)) / 2];
}
