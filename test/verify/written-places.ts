/**
 * Places of points of a robot from the formulas as they were written: joints as products of motions, bodies by position or
 * by strain in double-double arithmetic, composed in decimals. Nothing of it is differentiated.
 */
import type { Decimal } from 'decimal.js';
import type { BodyType, DeformableBody, Robot } from '../../src/description/model/robot.ts';
import { decimalOfPrecision, evaluate, foldConstants } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { columnOf, constantColumn, decimalColumn, type Column } from '../../src/verify/arithmetic/columns.ts';
import { multiplyPoses, poseOf, translationOf, type Pose } from '../../src/verify/arithmetic/decimal-pose.ts';
import { evaluateFrame, jointPose } from '../../src/verify/independent/local-kinematics.ts';
import { MaterialField, materialSymbols } from '../../src/verify/independent/material-field.ts';
import { doubleDoubleDecimal } from '../../src/verify/independent/passive-result.ts';

export const Wide = decimalOfPrecision(60);

/** A point in the axes of the distal frame of a link (−1: the base), or a material point of its body. */
export interface WrittenPoint {
  readonly link: number;
  readonly at: readonly number[] | Readonly<Record<string, number>>;
}

const onlyDecimal = ({ high, low }: Column): Decimal => doubleDoubleDecimal(high[0]!, low[0]!);

/** World place of a point. */
export function writtenPlace(robot: Robot, q: readonly Decimal[], { link, at }: WrittenPoint): Decimal[] {
  const defaults = new Map<Expr, Decimal>(
    robot.parameters.map((p) => [p.symbol, new Wide(foldConstants([p.value])[0]!)]),
  );
  const base = evaluateFrame(robot.base, defaults, Wide);
  const at3 = (pose: Pose, point: readonly Decimal[]): Decimal[] =>
    translationOf(
      multiplyPoses(
        pose,
        poseOf(
          [1, 0, 0, 0, 1, 0, 0, 0, 1].map((e) => new Wide(e)),
          point,
        ),
        1,
      ),
    );
  const proximal = (index: number): Pose => {
    const own = robot.links[index]!;
    const before = own.parent < 0 ? base : distal(own.parent);
    const first = robot.coordinates.findIndex((c) => c.link === index);
    const joint = jointPose(own.joint, q.slice(first, first + own.joint.coordinates.length), defaults, Wide);
    const fixed = [own.offset, own.mount].map((frame) => evaluateFrame(frame, defaults, Wide));
    return multiplyPoses(multiplyPoses(multiplyPoses(before, fixed[0]!, 1), joint, 1), fixed[1]!, 1);
  };
  const bodyPlaces = (index: number, point: Readonly<Record<string, number>>) => {
    const own = robot.links[index]!;
    const first = robot.coordinates.findIndex((c) => c.link === index) + own.joint.coordinates.length;
    return placesOf(own.body as DeformableBody, defaults, q.slice(first), point);
  };
  const distal = (index: number): Pose => {
    const { body } = robot.links[index]!;
    const own = body.kind === 'rigid' ? evaluateFrame(body.distal, defaults, Wide) : bodyPlaces(index, {}).distal;
    return multiplyPoses(proximal(index), own, 1);
  };
  if (Array.isArray(at))
    return at3(
      link < 0 ? base : distal(link),
      (at as readonly number[]).map((x) => new Wide(x)),
    );
  return at3(proximal(link), bodyPlaces(link, at as Readonly<Record<string, number>>).point);
}

function placesOf(
  body: DeformableBody,
  defaults: ReadonlyMap<Expr, Decimal>,
  q: readonly Decimal[],
  given: Readonly<Record<string, number>>,
): { readonly point: readonly Decimal[]; readonly distal: Pose } {
  const type: BodyType = body.type;
  const known = new Map([...defaults].map(([s, e]) => [s, Number(e)]));
  const values = evaluate(body.parameters, known);
  const parameters = new Map(type.parameters.map((p, i) => [p.symbol as Expr, constantColumn(values[i]!)]));
  const own = new Map<Expr, number>(type.parameters.map((p, i) => [p.symbol, values[i]!]));
  const samples = type.volumes.map((volume) => {
    const places = materialSymbols(volume).map((s) => given[s.name.replace(/^.*\./, '')] ?? 0);
    // A march along a rod has no node where it starts.
    if (volume.kind === 'rod' && type.kinematics.kind === 'strain') places[0] ||= 1e-25;
    const columns = new Map(materialSymbols(volume).map((s, i) => [s as Expr, columnOf([places[i]!])]));
    const sample = { rows: 1, columns, masses: Float64Array.of(1) };
    if (volume.kind !== 'rod') return sample;
    const breaks = evaluate([volume.start, ...(volume.breaks.get(volume.axial) ?? []), volume.end], own);
    return { ...sample, axial: { nodes: columnOf([places[0]!]), rowsPerNode: 1, breaks } };
  });
  const scalars = new Map(parameters);
  type.coordinates.forEach((c, i) => scalars.set(c.symbol, decimalColumn([q[i]!])));
  const { points, distal } = new MaterialField(type, samples).place(scalars);
  const entries = (distal ?? []).map(onlyDecimal);
  return { point: points[0]!.map(onlyDecimal), distal: poseOf(entries.slice(0, 9), entries.slice(9)) };
}

/** To fourth order, with steps of one and two h. */
export function derivativesAlong(
  f: (q: readonly Decimal[]) => Decimal,
  q: readonly number[],
  direction: readonly number[],
): { readonly value: number; readonly first: number; readonly second: number } {
  const h = 2 ** -17;
  const at = (k: number): Decimal => f(q.map((x, i) => new Wide(x).plus(new Wide(direction[i]!).times(k * h))));
  const [c, b, here, d, e] = [-2, -1, 0, 1, 2].map(at) as [Decimal, Decimal, Decimal, Decimal, Decimal];
  const first = d
    .minus(b)
    .times(8)
    .minus(e.minus(c))
    .div(12 * h);
  const second = d
    .plus(b)
    .times(16)
    .minus(e.plus(c))
    .minus(here.times(30))
    .div(12 * h * h);
  return { value: Number(here), first: Number(first), second: Number(second) };
}
