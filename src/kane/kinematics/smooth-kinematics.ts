/**
 * Refuses kinematics whose formulas, or their first two derivatives, have no finite value at the default coordinates:
 * velocities and accelerations of the material would have none. What is 0/0 as written and has a limit there that is the
 * same from all sides, up to the second derivatives, is no such case: such poles can be removed.
 */
import type { Decimal } from 'decimal.js';
import { interiorPoints } from '../../description/volumes/reference-shape.ts';
import { formulasOf, type BodyType } from '../../description/model/robot.ts';
import { directionalDerivative } from '../../symbolic/graph/differentiate.ts';
import { KanegenError } from '../../common/error.ts';
import { decimalOfPrecision, evaluate, evaluateDecimal, exactDecimal } from '../../symbolic/evaluation/evaluate.ts';
import { evaluateRows } from '../../symbolic/evaluation/evaluate-rows.ts';
import { decimal, type Expr } from '../../symbolic/graph/expr.ts';
import { Rational } from '../../symbolic/graph/rational.ts';
import { postorder } from '../../symbolic/graph/traverse.ts';
import type { ParameterValues } from './sample-configurations.ts';

/** Which derivative of a formula is not finite, in a direction that moves all coordinates. */
type Order = 0 | 1 | 2;

/** @throws KanegenError `irregular-kinematics` at the part of the formula that is to blame. */
export function requireSmooth(type: BodyType, parameters: ParameterValues): void {
  const point = new DefaultPoint(type, parameters);
  for (const formula of formulasOf(type.kinematics)) {
    const order = orderAt(type, formula, () => point.singularOrder(formula));
    if (order === undefined) continue;
    const part = type.provenance.culprit(formula, (e) => isNumber(e) && point.singularOrder(e) !== undefined);
    const name = type.provenance.nameOf(part) ?? 'the kinematics';
    const lowest = point.singularOrder(part) ?? order;
    const what = ['', 'the first derivative of ', 'the second derivative of '][lowest]!;
    throw type.provenance.locate(irregular(`${what}${name}`, lowest), part, type.locations.kinematics);
  }
}

/** Derivatives of formulas such as pow(0, q) divide by zero before they have a value. */
function orderAt<T>({ provenance, locations }: BodyType, formula: Expr, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof KanegenError ? provenance.locate(error, formula, locations.kinematics) : error;
  }
}

/**
 * The same error at the part of the kinematics that has no value as it is written, where there is one: a pole that could be
 * removed, but was not.
 */
export function atUndefinedPart(
  error: KanegenError,
  type: BodyType,
  parameters: ParameterValues,
  otherwise = type.locations.kinematics,
): KanegenError {
  const point = new DefaultPoint(type, parameters);
  const wrong = (e: Expr): boolean => isNumber(e) && point.plainOrder(e) !== undefined;
  const formula = formulasOf(type.kinematics).find(wrong);
  if (!formula) return error.at(otherwise);
  return type.provenance.locate(error, type.provenance.culprit(formula, wrong), otherwise);
}

const isNumber = (e: Expr): boolean => e.kind !== 'compare' && e.kind !== 'logic';

export function irregular(what: string, order: Order = 0): KanegenError {
  return new KanegenError('irregular-kinematics', `${what} is not finite at the default values of the coordinates`, {
    remedy:
      order === 0
        ? 'remove the pole or the kink; if the formula is correct and has no value there, give the coordinate another default and `limits` that exclude the place'
        : 'accelerations need two derivatives: write the formula without the root or kink, or give the coordinate a default away from it',
  });
}

// ---------------------------------------------------------------------------------------------- at the default coordinates

/** Points of every volume that are looked at. */
const MOST_POINTS = 40;

/** The default configuration, at some material points. */
class DefaultPoint {
  private readonly columns: ReadonlyMap<Expr, Float64Array>;
  private readonly rows: number;
  private readonly scalars: ReadonlyMap<Expr, number>;
  /** Coordinates and the time. */
  private readonly moving: readonly Expr[];
  private readonly direction: ReadonlyMap<Expr, Expr>;

  constructor(type: BodyType, parameters: ParameterValues) {
    const points = type.volumes.map((volume) => interiorPoints(volume, parameters));
    const symbols = new Set(points.flatMap(({ columns }) => [...columns.keys()]));
    this.columns = new Map([...symbols].map((s) => [s, Float64Array.from(points.flatMap((p) => someOf(p, s)))]));
    this.rows = [...this.columns.values()][0]?.length ?? 0;
    const values = evaluate(
      type.coordinates.map((c) => c.value),
      parameters,
    );
    const time: readonly (readonly [Expr, number])[] = type.time ? [[type.time, 0]] : [];
    this.scalars = new Map<Expr, number>([
      ...parameters,
      ...type.coordinates.map((c, i) => [c.symbol, values[i]!] as const),
      ...time,
    ]);
    this.moving = [...type.coordinates.map((c) => c.symbol), ...time.map(([t]) => t)];
    this.direction = new Map(this.moving.map((s, i) => [s, decimal(component(0, i))]));
  }

  /** The lowest derivative without a finite value or limit. */
  singularOrder(e: Expr): Order | undefined {
    const plain = this.undefinedPoint(e);
    const order = plain && this.orderWithoutLimit(e, plain.row);
    return order === undefined ? undefined : (Math.max(order, plain!.order) as Order);
  }

  /** The lowest derivative that has no finite value as it is written. */
  plainOrder(e: Expr): Order | undefined {
    return this.undefinedPoint(e)?.order;
  }

  private undefinedPoint(e: Expr): { order: Order; row: number } | undefined {
    const first = mayBeSingular(e) ? directionalDerivative([e], this.direction) : [];
    const orders = [e, ...first, ...directionalDerivative(first, this.direction)];
    for (const [order, column] of evaluateRows(orders, this.columns, this.scalars, this.rows).entries()) {
      const row = column.findIndex((value) => !Number.isFinite(value));
      if (row >= 0) return { order: order as Order, row };
    }
    return undefined;
  }

  private orderWithoutLimit(e: Expr, row: number): Order | undefined {
    const here = new Map([...this.scalars, ...[...this.columns].map(([s, column]) => [s, column[row]!] as const)]);
    const constants = new Map([...here].map(([s, value]) => [s, exactDecimal(value, Wide)]));
    const start = this.moving.map((s) => constants.get(s)!);
    return lowestDivergence(this.moving.length, (offsets) => {
      const bindings = new Map(constants);
      this.moving.forEach((s, i) => bindings.set(s, start[i]!.plus(offsets[i]!)));
      try {
        return evaluateDecimal([e], bindings, Wide)[0]!;
      } catch {
        return new Wide(NaN); // an argument too large for any number of digits
      }
    });
  }
}

/** Values of one material coordinate at some of the points; zero where a volume does not have it. */
function someOf(points: ReturnType<typeof interiorPoints>, symbol: Expr): number[] {
  const stride = Math.ceil(points.rows / MOST_POINTS);
  const column = points.columns.get(symbol);
  return Array.from({ length: Math.floor(points.rows / stride) || 0 }, (_, k) => column?.[k * stride] ?? 0);
}

/** Only these functions have derivatives that are not finite where they are themselves. */
const ROOTS = new Set(['asin', 'acos', 'atan2', 'log', 'pow']);

function mayBeSingular(e: Expr): boolean {
  return postorder([e]).some((node) => {
    if (node.kind === 'call') return ROOTS.has(node.name);
    if (node.kind !== 'product') return false;
    return node.factors.some(({ exponent }) => Rational.isNegative(exponent) || !Rational.isInteger(exponent));
  });
}

// ---------------------------------------------------------------------------------------------- limits

/** Room for differences of second order at the smallest step below, of functions with poles of order five. */
const Wide = decimalOfPrecision(140);
const STEPS = ['1e-12', '1e-15'];
const SAME = 1e-6;

/** No two directions alike, and none along an axis. */
function component(direction: number, index: number): number {
  const size = Number((0.6 + ((0.618034 * (index + 1) + 0.2887 * direction) % 1)).toFixed(6));
  return direction === 1 && index % 2 === 1 ? -size : size;
}

/**
 * The lowest of value, first and second derivative at zero that differs between sides, steps and directions: those of a
 * smooth function are the same, linear and quadratic in the direction.
 * @param f of small offsets.
 */
function lowestDivergence(count: number, f: (offsets: readonly Decimal[]) => Decimal): Order | undefined {
  const v = Array.from({ length: count }, (_, i) => component(0, i));
  const w = Array.from({ length: count }, (_, i) => component(1, i));
  const directions = count > 1 ? [v, w, v.map((x, i) => x + w[i]!), v.map((x, i) => x - w[i]!)] : [v];
  const seen = directions.map((direction) =>
    STEPS.flatMap((step) => [1, -1].map((side) => oneSided(direction, new Wide(step).times(side), f))),
  );
  const all = seen.flat();
  let scale = Math.max(...all.map((jet) => jet[3]));
  const differ = (a: number, b: number): boolean => !(Math.abs(a - b) <= SAME * scale);
  for (const order of [0, 1, 2] as const) {
    scale = Math.max(scale, ...all.map((jet) => Math.abs(jet[order])));
    if (seen.some((jets) => jets.some((jet) => differ(jet[order], jets[0]![order])))) return order;
    const [a, b, sum, difference] = seen.map((jets) => jets[0]![order]);
    if (sum === undefined) continue;
    const broken = [
      () => differ(a!, b!) || differ(a!, sum),
      () => differ(a! + b!, sum) || differ(a! - b!, difference!),
      () => differ(2 * (a! + b!), sum + difference!),
    ][order]!();
    if (broken) return order;
  }
  return undefined;
}

/** Value, first and second derivative at zero of the parabola through three points on one side; size of the points. */
function oneSided(
  direction: readonly number[],
  step: Decimal,
  f: (offsets: readonly Decimal[]) => Decimal,
): readonly [number, number, number, number] {
  const [a, b, c] = [1, 2, 3].map((k) => f(direction.map((x) => step.times(k).times(x)))) as [
    Decimal,
    Decimal,
    Decimal,
  ];
  return [
    Number(a.times(3).minus(b.times(3)).plus(c)),
    Number(b.times(8).minus(a.times(5)).minus(c.times(3)).div(step.times(2))),
    Number(c.minus(b.times(2)).plus(a).div(step.times(step))),
    Math.max(...[a, b, c].map((value) => Math.abs(Number(value)))),
  ];
}
