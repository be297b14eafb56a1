/**
 * The work of internal moments and forces on the strain of a rod, for the independent check: a sum over points along the rod
 * of the field as the file states it times the strain, in decimals. Bodies without a formula of their strain have it from the axes of
 * their sections, by difference quotients along the rod.
 */
import type { Decimal } from 'decimal.js';
import type { FieldTerm } from '../../description/model/actuator.ts';
import type { DeformableBody, Robot } from '../../description/model/robot.ts';
import type { RodVolume } from '../../description/model/reference-volume.ts';
import { evaluateDecimal, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { DECIMALS } from '../arithmetic/algebra.ts';
import { gaussLegendre } from '../arithmetic/gauss-legendre.ts';
import { sectionSolution } from '../written/section-solution.ts';

/** So many equal pieces between two breaks, and points on each. */
export interface FieldRule {
  readonly points: number;
  readonly pieces: number;
}

/** @param q of the link, and behind them the time. @returns J per unit of the input. */
export function fieldWork(
  { links }: Robot,
  { link, field }: FieldTerm,
  q: readonly Decimal[],
  defaults: ReadonlyMap<Expr, Decimal>,
  { points, pieces }: FieldRule,
  Wide: DecimalConstructor,
): Decimal {
  const { joint, body } = links[link]!;
  const { type, parameters } = body as DeformableBody;
  const rod = type.volumes[0] as RodVolume;
  const bindings = new Map(defaults);
  evaluateDecimal(parameters, defaults, Wide).forEach((value, i) => bindings.set(type.parameters[i]!.symbol, value));
  type.coordinates.forEach(({ symbol }, i) => bindings.set(symbol, q[joint.coordinates.length + i]!));
  for (const time of [type.time, field.time]) if (time) bindings.set(time, q.at(-1)!);
  const solution = sectionSolution(type);
  const at = (s: Decimal, values: readonly Expr[], section: readonly Decimal[] = []): Decimal[] => {
    const here = new Map(bindings).set(rod.axial, s);
    section.forEach((value, i) => here.set(rod.section[i]!, value));
    if (solution?.isMentioned(values)) solution.at(here, Wide).forEach((value, own) => here.set(own, value));
    return evaluateDecimal(values, here, Wide);
  };
  const strain = strainOf(body as DeformableBody, rod, at, Wide);
  const ends = evaluateDecimal([rod.start, ...(rod.breaks.get(rod.axial) ?? []), rod.end], bindings, Wide).sort(
    (a, b) => a.cmp(b),
  );
  let work = new Wide(0);
  for (let panel = 1; panel < ends.length; panel++) {
    const width = ends[panel]!.minus(ends[panel - 1]!).div(pieces);
    for (let piece = 0; piece < pieces; piece++)
      for (const { position, weight } of gaussLegendre(points, Wide)) {
        const s = ends[panel - 1]!.plus(width.times(position.plus(piece)));
        const departure = strain(s);
        at(s, field.components).forEach((m, c) => {
          work = work.plus(m.times(departure[c]!).times(weight).times(width));
        });
      }
  }
  return work;
}

type Values = (s: Decimal, values: readonly Expr[], section?: readonly Decimal[]) => Decimal[];

/** ξ − ξ* at a place. */
function strainOf(
  { type: { kinematics } }: DeformableBody,
  rod: RodVolume,
  at: Values,
  Wide: DecimalConstructor,
): (s: Decimal) => Decimal[] {
  if (kinematics.kind === 'strain') {
    const { angular, linear, rest } = kinematics;
    return (s) => {
      const unstressed = at(s, [...rest.angular, ...rest.linear]);
      return at(s, [...angular, ...linear]).map((e, c) => e.minus(unstressed[c]!));
    };
  }
  const [zero, one] = [new Wide(0), new Wide(1)];
  const quarter = Wide.acos(-1).div(2);
  /** Middle, d_1, d_2. */
  const sectionAt = (s: Decimal): Decimal[][] => {
    if (kinematics.kind === 'pose') {
      const { rotation, translation } = kinematics.pose;
      const R = at(s, rotation);
      return [at(s, translation), [R[0]!, R[3]!, R[6]!], [R[1]!, R[4]!, R[7]!]];
    }
    if (kinematics.kind !== 'position') throw new Error('no rod');
    const places =
      rod.coordinates === 'polar'
        ? [
            [zero, zero],
            [one, zero],
            [one, quarter],
          ]
        : [
            [zero, zero],
            [one, zero],
            [zero, one],
          ];
    const [centre, right, up] = places.map((place) => at(s, kinematics.position, place)) as [
      Decimal[],
      Decimal[],
      Decimal[],
    ];
    return [centre, direction(centre, right), direction(centre, up)];
  };
  const step = new Wide('1e-15');
  return (s) => {
    const [, first, second] = sectionAt(s) as [Decimal[], Decimal[], Decimal[]];
    const third = DECIMALS.cross(first, second);
    const [after, before] = [sectionAt(s.plus(step)), sectionAt(s.minus(step))];
    const [rate, turnFirst, turnSecond] = after.map((vector, k) =>
      vector.map((e, i) => e.minus(before[k]![i]!).div(step).div(2)),
    ) as [Decimal[], Decimal[], Decimal[]];
    return [
      dot(third, turnSecond),
      dot(third, turnFirst).neg(),
      dot(second, turnFirst),
      dot(first, rate),
      dot(second, rate),
      dot(third, rate).minus(1),
    ];
  };
}

function dot(a: readonly Decimal[], b: readonly Decimal[]): Decimal {
  return a.map((e, i) => e.times(b[i]!)).reduce((sum, e) => sum.plus(e));
}

/** Of length 1. */
function direction(from: readonly Decimal[], to: readonly Decimal[]): Decimal[] {
  const way = to.map((e, i) => e.minus(from[i]!));
  const length = dot(way, way).sqrt();
  return way.map((e) => e.div(length));
}
