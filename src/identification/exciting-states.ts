/** States at which every parameter shows that can show at all: spread over the range of the coordinates, fast and accelerated. */
import type { Robot } from '../description/model/robot.ts';
import { coordinateRanges } from '../kane/kinematics/sample-configurations.ts';
import { foldConstants } from '../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../symbolic/graph/expr.ts';
import { randomNumbers } from '../common/random.ts';

/** Arrays in the order of the coordinates, SI units. */
export interface MotionState {
  readonly q: ArrayLike<number>;
  readonly qd: ArrayLike<number>;
  readonly qdd: ArrayLike<number>;
  /** Of robots that depend on it, s. */
  readonly t?: number;
  /** Inputs of the actuators, which take their share of the forces; none act when missing. */
  readonly u?: ArrayLike<number>;
}

/** Half-widths of the range of a coordinate of a joint without limits. */
const ANGLE = 2.5;
const DISPLACEMENT = 0.3;
/** Rates and accelerations, in units of the range, per s and per s². */
const RATE = 1.5;
const ACCELERATION = 4;
/** Limits of many turns say nothing more than one turn. */
const MOST = Math.PI;

/** Always the same ones for the same robot. Bodies stay at the inner 70 % of their range. */
export function excitingStates(robot: Robot, count: number): MotionState[] {
  const random = randomNumbers(1);
  const ranges = rangesOf(robot);
  const drawn = (reach: number): Float64Array =>
    Float64Array.from(ranges, (range) => reach * range.half * (2 * random() - 1));
  return Array.from({ length: count }, () => ({
    q: drawn(1).map((x, i) => x + ranges[i]!.middle),
    qd: drawn(RATE),
    qdd: drawn(ACCELERATION),
    t: random(),
    u: Float64Array.from(robot.actuators, () => random()),
  }));
}

/** Of a coordinate, by its limits or by what is usual. */
export interface Range {
  readonly middle: number;
  readonly half: number;
}

export function rangesOf({ links, parameters, coordinates }: Robot): Range[] {
  const defaults = new Map<Expr, Expr>(parameters.map((p) => [p.symbol, p.value]));
  const ofBodies = links.map(({ body }) => {
    if (body.kind === 'rigid') return [];
    const numbers = foldConstants(body.parameters, defaults);
    return coordinateRanges(body.type, new Map(body.type.parameters.map((p, i) => [p.symbol, numbers[i]!])));
  });
  const next = links.map(() => 0);
  return coordinates.map(({ link, part, unit, value, lower, upper }) => {
    if (part === 'body') {
      const { low, high } = ofBodies[link]![next[link]!++]!;
      return { middle: (low + high) / 2, half: (0.7 * (high - low)) / 2 };
    }
    const reach = unit === 'm' ? DISPLACEMENT : ANGLE;
    const [low, high] = [lower ?? value - reach, upper ?? value + reach];
    return { middle: (low + high) / 2, half: Math.min((high - low) / 2, MOST) };
  });
}
