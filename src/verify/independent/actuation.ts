/**
 * Actuation coordinates for the independent check: formulas and routes as the file states them, in 110-digit decimals, with
 * everything else by difference quotients; volumes and what reaches from link to link in files of their own. Lengths are integrals of the speed along the curve: of bodies by position that of
 * the positions, differenced along the curve; of rods by strain |ν + κ × d + d'| with d' differenced, most of them in double-double columns (`route-lengths.ts`).
 */
import type { Decimal } from 'decimal.js';
import {
  coordinateSymbol,
  ROUTE_SHARE,
  type Actuator,
  type ActuatorTerm,
  type RouteTerm,
} from '../../description/model/actuator.ts';
import { TIME_OF_BODY } from '../../description/bodies/quantity.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import type { DeformableBody, Robot } from '../../description/model/robot.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { call, one, times, type Expr } from '../../symbolic/graph/expr.ts';
import { addVectors, column, scaleVector } from '../../symbolic/graph/vector.ts';
import { DECIMALS } from '../arithmetic/algebra.ts';
import type { State } from '../generated/evaluation.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';
import { differentiateMotion, settles, withoutRounding, type Motion, type OnPath } from '../arithmetic/motion.ts';
import { sectionSolution } from '../written/section-solution.ts';
import { fieldWork } from './field-work.ts';
import { chamberMotion } from './chamber-volumes.ts';
import { reachingMotion } from './frame-terms.ts';
import { isAlongStrain, minusLengthMotion, UNSETTLED_LENGTH } from '../along-rods/route-lengths.ts';

const Wide = decimalOfPrecision(110);
const Result = decimalOfPrecision(30);
/** Points between breaks; more must not change a length. */
const POINTS = 20;
const MORE_POINTS = 28;
/** That a rod is cut into for fields that change quickly along it. */
const MOST_PIECES = 64;
/** Along the curve. */
const STEP = new Wide('1e-15');
/** What a configuration is moved by where formulas read 0/0. */
const ASIDE = new Wide('1e-20');

/** Of one actuator at one state; `scale`: what errors of each are measured by. */
export interface ExpectedActuation {
  readonly y: number;
  readonly yd: number;
  readonly ydd0: number;
  readonly gradient: readonly number[];
  readonly scale: { readonly y: number; readonly yd: number; readonly ydd0: number; readonly gradient: number };
  /** Of that, what ends of straight pieces and wrenches have by themselves; zero without them. */
  readonly parts: { readonly yd: number; readonly gradient: number };
}

/** Terms of one function of coordinates. */
type KnownTerm = Extract<ActuatorTerm, { readonly kind: 'formula' | 'robot-formula' | 'route' | 'field' }>;

/**
 * @param settled relative change of volumes of chambers that is as good as none.
 * @returns a text where there is no result, why.
 */
export function expectedActuation(
  robot: Robot,
  { terms }: Actuator,
  state: State,
  settled: number,
): ExpectedActuation | string {
  const gradient = robot.coordinates.map(() => 0);
  const total = { y: 0, yd: 0, ydd0: 0 };
  const scale = { y: 0, ydd0: 0 };
  const parts = { yd: 0, gradient: 0 };
  for (const term of terms) {
    const motion = anyMotion(robot, term, state, settled);
    if (typeof motion === 'string') return motion;
    const { value: y, rate: yd, acceleration: ydd0, partials, size } = motion;
    if (![y, yd, ydd0].every(Number.isFinite)) return 'the formula of the file has no finite value there';
    total.y += y;
    total.yd += yd;
    total.ydd0 += ydd0;
    scale.y += Math.abs(y);
    scale.ydd0 += Math.max(Math.abs(ydd0), size?.acceleration ?? 0);
    parts.yd += size?.rate ?? 0;
    parts.gradient += size?.gradient ?? 0;
    partials.forEach((slope, a) => (gradient[a]! += slope));
  }
  const largest = Math.max(...gradient.map(Math.abs));
  const fastest = Math.max(...state.qd.map(Math.abs));
  const rates = gradient.reduce((sum, e, a) => sum + Math.abs(e * state.qd[a]!), 0);
  return {
    ...total,
    gradient,
    scale: {
      y: scale.y,
      gradient: Math.max(largest, parts.gradient),
      yd: Math.max(rates, parts.yd),
      ydd0: scale.ydd0 + rates * fastest,
    },
    parts,
  };
}

/** One partial per coordinate of the robot. */
interface TermMotion {
  readonly value: number;
  readonly rate: number;
  readonly acceleration: number;
  readonly partials: readonly number[];
  /** What errors of derivatives are measured by, beside these themselves. */
  readonly size?: { readonly rate: number; readonly acceleration: number; readonly gradient: number };
}

function anyMotion(robot: Robot, term: ActuatorTerm, state: State, settled: number): TermMotion | string {
  switch (term.kind) {
    case 'chamber':
      return chamberMotion(robot, term, state, settled);
    case 'reaching':
      return reachingMotion(robot, term, state);
    case 'formula':
    case 'robot-formula':
    case 'route':
    case 'field':
      return termMotion(robot, term, state);
  }
}

function termMotion(robot: Robot, known: KnownTerm, state: State): TermMotion | string {
  const reason = reasonAgainst(robot, known);
  if (reason !== undefined) return reason;
  if (known.kind === 'route' && isAlongStrain((robot.links[known.link]!.body as DeformableBody).type))
    return minusLengthMotion(robot, known, state, [POINTS, MORE_POINTS]);
  const indices = robot.coordinates.flatMap(({ link }, a) =>
    known.kind === 'robot-formula' || link === known.link ? [a] : [],
  );
  const motion = motionOf(robot, known, indices, state);
  if (typeof motion === 'string') return motion;
  const only = ([value]: readonly Decimal[]): number => withoutRounding(value!.toNumber());
  const partials = robot.coordinates.map((_, a) => {
    const i = indices.indexOf(a);
    return i < 0 ? 0 : only(motion.partials[i]!);
  });
  return { value: only(motion.value), rate: only(motion.rate), acceleration: only(motion.acceleration), partials };
}

function reasonAgainst({ links }: Robot, term: KnownTerm): string | undefined {
  if (term.kind !== 'route') return undefined;
  const { type } = links[term.link]!.body as DeformableBody;
  return type.kinematics.kind === 'network'
    ? 'routes through learned bodies are not evaluated independently'
    : undefined;
}

function motionOf(robot: Robot, term: KnownTerm, indices: readonly number[], state: State): Motion | string {
  const defaults = new Map<Expr, Decimal>(
    robot.parameters.map((p) => [p.symbol, evaluateDecimal([p.value], new Map(), Wide)[0]!]),
  );
  // The time behind the coordinates: it passes with them.
  const qd = [...indices.map((a) => state.qd[a]!), 1].map((x) => new Wide(x));
  const at = (aside: Decimal): Decimal[] =>
    [...indices.map((a) => state.q[a]!), state.t ?? 0].map((x, i) => new Wide(x).plus(aside.times(i + 1)));
  let pieces = 1;
  const places: RoutePlaces = new Map();
  const valueOf = (q: readonly Decimal[], points: number): Decimal => {
    if (term.kind === 'route') return minusLength(robot, term, q, defaults, points, places);
    if (term.kind === 'field') return fieldWork(robot, term, q, defaults, { points, pieces }, Wide);
    const bindings = new Map(defaults);
    indices.forEach((a, i) => bindings.set(coordinateSymbol(robot.coordinates[a]!.name), q[i]!));
    bindings.set(TIME_OF_BODY, q.at(-1)!);
    if (term.kind === 'robot-formula') return evaluateDecimal([term.value], bindings, Wide)[0]!;
    return term.summands.reduce((sum, { coefficient, value }) => {
      const [factor, own] = evaluateDecimal([coefficient, value], bindings, Wide);
      return sum.plus(factor!.times(own!));
    }, new Wide(0));
  };
  const q = valueOf(at(new Wide(0)), 2).isNaN() ? at(ASIDE) : at(new Wide(0));
  if (term.kind === 'route' || term.kind === 'field') {
    const onPath = (points: number): OnPath => {
      const along = ([s]: readonly Decimal[]): Decimal[] => [
        valueOf(
          q.map((x, i) => x.plus(qd[i]!.times(s!))),
          points,
        ),
      ];
      const { value, rate, acceleration } = differentiateMotion(along, [new Wide(0)], [new Wide(1)], Wide, Result);
      return [value[0]!.toNumber(), rate[0]!.toNumber(), acceleration[0]!.toNumber()];
    };
    const fastest = Math.max(...qd.map((x) => Math.abs(x.toNumber())));
    while (!settles(onPath(POINTS), onPath(MORE_POINTS), fastest)) {
      pieces *= 2;
      if (term.kind === 'route') return UNSETTLED_LENGTH;
      if (pieces > MOST_PIECES) return 'the independent work of a field does not settle';
    }
  }
  return differentiateMotion((x) => [valueOf(x, POINTS)], q, qd, Wide, Result);
}

/** Of a route across the section, by place along it: no coordinate moves it there. */
type RoutePlaces = Map<string, readonly Decimal[]>;

/** @param q of the link, and behind them the time. @param known places of the route that are evaluated. */
function minusLength(
  { links }: Robot,
  { link, route }: RouteTerm,
  q: readonly Decimal[],
  defaults: ReadonlyMap<Expr, Decimal>,
  points: number,
  known: RoutePlaces,
): Decimal {
  const { joint, body } = links[link]!;
  const { type, parameters } = body as DeformableBody;
  const bindings = new Map(defaults);
  evaluateDecimal(parameters, defaults, Wide).forEach((value, i) => bindings.set(type.parameters[i]!.symbol, value));
  type.coordinates.forEach(({ symbol }, i) => bindings.set(symbol, q[joint.coordinates.length + i]!));
  if (type.time) bindings.set(type.time, q.at(-1)!);
  const number = (e: Expr): Decimal => evaluateDecimal([e], bindings, Wide)[0]!;
  const [from, to] = [number(route.from), number(route.to)];
  const [start, slope] = [route.share.start, route.share.slope].map(
    (e) => evaluateDecimal([e], defaults, Wide)[0]!,
  ) as [Decimal, Decimal];
  const solution = sectionSolution(type);
  /** Values at a place of the curve. */
  const on = (s: Decimal, values: readonly Expr[]): Decimal[] => {
    const here = new Map(bindings);
    here.set(route.axial, s).set(ROUTE_SHARE, start.plus(slope.times(s.minus(from))));
    const key = s.toString();
    const across = known.get(key) ?? evaluateDecimal([...route.across.values()], here, Wide);
    known.set(key, across);
    [...route.across.keys()].forEach((own, i) => here.set(own, across[i]!));
    if (solution?.isMentioned(values)) solution.at(here, Wide).forEach((value, s) => here.set(s, value));
    return evaluateDecimal(values, here, Wide);
  };
  const slopeOf = (s: Decimal, values: readonly Expr[]): Decimal[] => {
    const [after, before] = [on(s.plus(STEP), values), on(s.minus(STEP), values)];
    return after.map((value, i) => value.minus(before[i]!).div(STEP).div(2));
  };
  const speed = (s: Decimal): Decimal =>
    tangentAt(body as DeformableBody, s, on, slopeOf)
      .reduce((sum, e) => sum.plus(e.times(e)), new Wide(0))
      .sqrt();
  const { kinematics } = type;
  const border = kinematics.kind === 'strain' && kinematics.slides ? [kinematics.slides.border] : [];
  const inside = [
    ...type.volumes.flatMap((volume) => (volume.kind === 'mesh' ? [] : (volume.breaks.get(route.axial) ?? []))),
    ...border,
  ]
    .map(number)
    .filter((at) => at.gt(from) && at.lt(to))
    .sort((a, b) => a.cmp(b));
  const ends = [from, ...inside, to];
  let length = new Wide(0);
  for (let panel = 1; panel < ends.length; panel++) {
    const [low, width] = [ends[panel - 1]!, ends[panel]!.minus(ends[panel - 1]!)];
    for (const { position, weight } of gaussLegendre(points, Wide))
      length = length.plus(
        speed(low.plus(width.times(position)))
          .times(weight)
          .times(width),
      );
  }
  return length.neg();
}

type Values = (s: Decimal, values: readonly Expr[]) => Decimal[];

function tangentAt(
  { type: { kinematics, volumes } }: DeformableBody,
  s: Decimal,
  on: Values,
  slopeOf: Values,
): Decimal[] {
  if (kinematics.kind === 'position') return slopeOf(s, kinematics.position);
  const [volume] = volumes;
  if (volume?.kind !== 'rod' || kinematics.kind === 'network') throw new Error('no rod');
  const place = placeInSection(volume);
  if (kinematics.kind === 'pose') {
    const { rotation, translation } = kinematics.pose;
    const [x, y] = place;
    return slopeOf(
      s,
      addVectors(translation, scaleVector(x, column(rotation, 0)), scaleVector(y, column(rotation, 1))),
    );
  }
  const section = kinematics.sectionPosition ?? place;
  const [x, y] = on(s, section) as [Decimal, Decimal];
  const [dx, dy] = slopeOf(s, section) as [Decimal, Decimal];
  const strain = on(s, [...kinematics.angular, ...kinematics.linear]);
  const turned = DECIMALS.cross(strain.slice(0, 3), [x, y, new Wide(0)]);
  const grown = [dx, dy, new Wide(0)];
  return strain.slice(3).map((e, i) => e.plus(turned[i]!).plus(grown[i]!));
}

/** x and y in axes of the section, m; semi-axes of an ellipse scale r. */
function placeInSection({ coordinates, section, shape }: RodVolume): readonly [Expr, Expr] {
  if (coordinates === 'cartesian') return section;
  const [r, phi] = section;
  const [a, b] = shape.shape === 'ellipse' ? [shape.semiAxisX, shape.semiAxisY] : [one, one];
  return [times(a, r, call('cos', phi)), times(b, r, call('sin', phi))];
}
