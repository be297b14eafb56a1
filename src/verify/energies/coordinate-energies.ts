/**
 * Forces along single coordinates and of `potential:` and `dissipation:`, for the independent check: difference quotients,
 * in 110-digit decimals, of the energy that is stored and of the power function, as the file states them.
 */
import type { Decimal } from 'decimal.js';
import { NO_COORDINATE_FORCES, rateOf, type Link } from '../../description/model/robot.ts';
import { evaluateDecimal, type DecimalConstructor } from '../../symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../symbolic/graph/expr.ts';
import { differentiateMotion } from '../arithmetic/motion.ts';
import type { PassiveResult } from './passive-result.ts';

export interface CoordinateMotion {
  readonly q: readonly Decimal[];
  readonly qd: readonly Decimal[];
}

export interface CoordinateResult extends PassiveResult {
  /** On the diagonal of the mass matrix. */
  readonly armature: readonly Decimal[];
}

/** Is there anything for `coordinateForces` to do? */
export function hasCoordinateForces({ joint, body }: Link): boolean {
  const isDeformable = body.kind === 'deformable';
  return joint.forces !== undefined || (isDeformable && !!(body.type.potential ?? body.type.dissipation));
}

/**
 * @param motion of the link's coordinates, joint before body.
 * @param robot values of the run-time parameters.
 * @param Result of what is returned.
 */
export function coordinateForces(
  link: Link,
  { q, qd }: CoordinateMotion,
  robot: ReadonlyMap<Expr, Decimal>,
  Number_: DecimalConstructor,
  Result: DecimalConstructor,
): CoordinateResult {
  const { joint, body } = link;
  const given = joint.coordinates.map((_, i) => {
    const { stiffness, rest, damping, friction, slowness, armature } = joint.forces?.[i] ?? NO_COORDINATE_FORCES;
    return evaluateDecimal([stiffness, rest, damping, friction, slowness, armature], robot, Number_);
  });
  const type = body.kind === 'deformable' ? body.type : undefined;
  const parameters = new Map<Expr, Decimal>();
  if (body.kind === 'deformable') {
    const values = evaluateDecimal(body.parameters, robot, Number_);
    body.type.parameters.forEach((p, i) => parameters.set(p.symbol, values[i]!));
  }
  /** Of the coordinates `x`, or of the rates `v` where the configuration stays. */
  const written = (formula: Expr | undefined, x: readonly Decimal[], v: readonly Decimal[]): Decimal => {
    if (!formula) return new Number_(0);
    const bindings = new Map(parameters);
    type!.coordinates.forEach(({ symbol }, i) => {
      bindings.set(symbol, x[joint.coordinates.length + i]!);
      bindings.set(rateOf(symbol), v[joint.coordinates.length + i]!);
    });
    return evaluateDecimal([formula], bindings, Number_)[0]!;
  };
  const stored = (x: readonly Decimal[]): Decimal =>
    given.reduce(
      (sum, [k, rest], i) => sum.plus(k!.times(x[i]!.minus(rest!).pow(2)).div(2)),
      written(type?.potential, x, qd),
    );
  const lost = (v: readonly Decimal[]): Decimal =>
    given.reduce(
      (sum, [, , d, F, slow], i) => {
        const dry = F!.times(v[i]!.pow(2).plus(slow!.pow(2)).sqrt().minus(slow!));
        return sum.plus(d!.times(v[i]!.pow(2)).div(2)).plus(dry);
      },
      written(type?.dissipation, q, v),
    );
  const gradient = (f: (x: readonly Decimal[]) => Decimal, x: readonly Decimal[]): Decimal[] =>
    differentiateMotion(
      (y) => [f(y)],
      x,
      x.map(() => new Number_(0)),
      Number_,
      Result,
    ).partials.map(([slope]) => slope!);
  return {
    stored: new Result(stored(q).toSignificantDigits(Result.precision)),
    elastic: gradient(stored, q),
    damping: gradient(lost, qd),
    armature: q.map((_, i) => new Result(given[i]?.[5]?.toSignificantDigits(Result.precision) ?? 0)),
  };
}
