/**
 * What to say when no affordable rule meets the tolerance: over which range of the coordinates that was asked, and which
 * range could be had.
 */
import { KanegenError } from '../../common/error.ts';
import { decimal, type Expr } from '../../symbolic/graph/expr.ts';
import { ToleranceNotMet } from '../../integration/choice/tolerance-not-met.ts';
import { mayHaveKinks } from '../../symbolic/graph/kinks.ts';
import type { BodyType } from '../../description/model/robot.ts';
import { describeRanges, type CoordinateRange } from './sample-configurations.ts';

/** Shares of a range that are tried, from the largest to the smallest. */
const SHARES = [0.8, 0.5, 0.3, 0.1, 0.03, 0.01, 0.003];
/** Which of the coordinates need narrower limits is looked into up to so many of them. */
const MOST_COORDINATES = 4;

export interface Demand {
  readonly type: BodyType;
  readonly ranges: readonly CoordinateRange[];
  /** What is integrated: does it have kinks? */
  readonly formulas: readonly Expr[];
  /** @throws KanegenError when the tolerance is not met for a type with other limits. */
  readonly pointsFor: (narrower: BodyType) => number;
}

/** The error with the ranges it is about, and a remedy that would help. */
export function withAffordableRange(problem: ToleranceNotMet, demand: Demand): KanegenError {
  const { type, ranges, formulas } = demand;
  const { reached } = problem;
  const over = ranges.length > 0 ? `, over ${describeRanges(ranges)}` : '';
  const found = ranges.length > 0 ? affordable(demand) : undefined;
  const remedies = [
    ...(mayHaveKinks(formulas) ? ['name the places where the formula has kinks in `breaks`'] : []),
    ...(found
      ? [`state narrower \`limits\`: over ${describeRanges(found.ranges)} ${found.points} points suffice`]
      : []),
    reached < LARGEST_TOLERANCE
      ? `allow a larger error with \`integration: { tolerance: ${roundedUp(reached)} }\``
      : 'make kinematics and density smoother along the body',
  ];
  return new ToleranceNotMet(`${problem.message}${over}`, reached, {
    remedy: remedies.join(', or '),
    location: problem.location ?? type.locations.kinematics,
  });
}

/** The largest tolerance that a body may have. */
const LARGEST_TOLERANCE = 1e-2;

/** The next number with one digit. */
function roundedUp(error: number): string {
  const exponent = Math.floor(Math.log10(error));
  const digit = Math.ceil(error / 10 ** exponent);
  return digit > 9 ? `1e${exponent + 1}` : `${digit}e${exponent}`;
}

interface Affordable {
  /** Those that have to be narrower. */
  readonly ranges: readonly CoordinateRange[];
  readonly points: number;
}

/** The largest share of all ranges that can be had, and the coordinates for which it takes no less. */
function affordable({ type, ranges, pointsFor }: Demand): Affordable | undefined {
  const attempt = (tried: readonly CoordinateRange[]): number | undefined => {
    try {
      return pointsFor({
        ...type,
        coordinates: type.coordinates.map((c, i) => ({ ...c, limits: limitsOf(tried[i]!) })),
      });
    } catch (problem) {
      if (problem instanceof KanegenError) return undefined;
      throw problem;
    }
  };
  let [low, high] = [0, SHARES.length];
  let best: { share: number; points: number } | undefined;
  while (low < high) {
    const middle = (low + high) >> 1;
    const points = attempt(ranges.map((range) => narrowed(range, SHARES[middle]!)));
    if (points === undefined) low = middle + 1;
    else [high, best] = [middle, { share: SHARES[middle]!, points }];
  }
  if (!best) return undefined;
  let chosen = ranges.map((range) => narrowed(range, best.share));
  let { points } = best;
  if (ranges.length > 1 && ranges.length <= MOST_COORDINATES)
    ranges.forEach((range, i) => {
      const wider = chosen.map((own, j) => (i === j ? range : own));
      const enough = attempt(wider);
      if (enough !== undefined) [chosen, points] = [wider, enough];
    });
  return { ranges: chosen.filter((range, i) => range !== ranges[i]), points };
}

function narrowed(range: CoordinateRange, share: number): CoordinateRange {
  const { value, low, high } = range;
  const end = (at: number): number => Number((value + share * (at - value)).toPrecision(2));
  return { ...range, low: Math.min(value, end(low)), high: Math.max(value, end(high)), stated: true };
}

function limitsOf({ low, high }: CoordinateRange): readonly [Expr, Expr] {
  return [decimal(low), decimal(high)];
}
