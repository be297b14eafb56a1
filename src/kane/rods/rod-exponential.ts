/**
 * The exponential of a twist Ω = (k, ν) as a frame step with the six components of Ω for coordinates, by Stumpff functions of
 * χ = |k|², regular at zero:
 *   R = 1 + c_1 k^ + c_2 k^²,   t = V ν with V = 1 + c_2 k^ + c_3 k^²,
 * projectors: angular V, linear D = ∂t/∂k and ∂t/∂ν = V (the left Jacobian of the exponential, with the origin moving along).
 */
import { integer, minus, negate, plus, square, stumpff, times, zero, type Expr } from '../../symbolic/expr.ts';
import {
  addMatrices,
  addVectors,
  column,
  cross,
  dot,
  fromColumns,
  identityMatrix,
  mapMatrix,
  multiplyMatrices,
  multiplyVector,
  scaleVector,
  skew,
  unitVectors,
  zeroVector,
  type Matrix3,
  type Vector3,
} from '../../symbolic/vector.ts';
import type { FrameStep, RelativeMotion } from '../equations/recursion.ts';
import type { Twist } from './rod-twist.ts';

/** Gives a value that several loops need a name and a place. */
export type Keep = (label: string, e: Expr) => Expr;

const AXES = ['x', 'y', 'z'];

export class ExponentialStep {
  readonly step: FrameStep;
  private readonly omega: Twist;
  /** ∂(angular)/∂k = ∂t/∂ν */
  private readonly V: Matrix3;
  /** ∂t/∂k */
  private readonly D: Matrix3;
  private readonly c: (order: number) => Expr;
  /** k × ν and k × (k × ν) */
  private readonly u: Vector3;
  private readonly p: Vector3;

  constructor(omega: Twist, keep: Keep) {
    this.omega = omega;
    const { angular: k, linear: v } = omega;
    const argument = plus(...k.map(square));
    const turns = argument !== zero;
    this.c = (order) => keep(`stumpff_${order}`, stumpff(order, argument));
    const { c } = this;
    const keepVector = (label: string, w: Vector3): Vector3 => mapNamed(w, AXES, label, keep) as unknown as Vector3;
    const keepMatrix = (label: string, m: Matrix3): Matrix3 => mapNamed(m, ENTRIES, label, keep) as unknown as Matrix3;
    const K = skew(k);
    const K2 = multiplyMatrices(K, K);
    const series = (first: number): Matrix3 =>
      turns ? addMatrices(identityMatrix, scaled(c(first), K), scaled(c(first + 1), K2)) : identityMatrix;
    this.u = keepVector('u', cross(k, v));
    this.p = keepVector('p', cross(k, this.u));
    this.V = keepMatrix('V', series(2));
    const translation = turns ? addVectors(v, scaleVector(c(2), this.u), scaleVector(c(3), this.p)) : v;
    this.D = keepMatrix('D', this.translationByAngle());
    this.step = {
      frame: { rotation: keepMatrix('R', series(1)), translation: keepVector('t', translation) },
      coordinates: [0, 1, 2, 3, 4, 5],
      linear: [...[0, 1, 2].map((i) => column(this.D, i)), ...[0, 1, 2].map((i) => column(this.V, i))],
      angular: [...[0, 1, 2].map((i) => column(this.V, i)), zeroVector, zeroVector, zeroVector],
    };
  }

  /** ∂t/∂k_j = c_2 e_j × ν + c_3 (e_j × u + k × (e_j × ν)) + k_j (2 c_2' u + 2 c_3' p). */
  private translationByAngle(): Matrix3 {
    const { angular: k, linear: v } = this.omega;
    const { c, u, p } = this;
    const along = addVectors(scaleVector(this.slope(2), u), scaleVector(this.slope(3), p));
    const columns = unitVectors.map((e, j) => {
      const turned = cross(e, v);
      const second = addVectors(cross(e, u), cross(k, turned));
      return addVectors(scaleVector(c(2), turned), scaleVector(c(3), second), scaleVector(k[j]!, along));
    });
    return fromColumns(columns[0]!, columns[1]!, columns[2]!);
  }

  /** 2 dc_k/dχ = k c_(k+2) − c_(k+1) for k = 2, 3: the rate of c_k is this times k·k̇. */
  private slope(order: 2 | 3): Expr {
    return minus(times(integer(order), this.c(order + 2)), this.c(order + 1));
  }

  /** 4 d²c_k/dχ² = k (k+2) c_(k+4) − (2k+1) c_(k+3) + c_(k+2). */
  private bend(order: 2 | 3): Expr {
    const { c } = this;
    return plus(
      times(integer(order * (order + 2)), c(order + 4)),
      negate(times(integer(2 * order + 1), c(order + 3))),
      c(order + 2),
    );
  }

  /** Angular velocity and velocity per unit time of Ω, parent axes; linear in the rate. */
  project({ angular, linear }: Twist): { readonly angular: Vector3; readonly linear: Vector3 } {
    return {
      angular: multiplyVector(this.V, angular),
      linear: addVectors(multiplyVector(this.D, angular), multiplyVector(this.V, linear)),
    };
  }

  /** Motion of the child relative to the parent for given first and second derivatives of Ω. */
  relativeMotion(rate: Twist, acceleration: Twist): RelativeMotion {
    const velocity = this.project(rate);
    const driven = this.project(acceleration);
    const bias = this.bias(rate);
    return {
      angularVelocity: velocity.angular,
      velocity: velocity.linear,
      angularAcceleration: addVectors(driven.angular, bias.angular),
      acceleration: addVectors(driven.linear, bias.linear),
    };
  }

  /** α_r and a_r for a constant rate of Ω. */
  private bias({ angular: kd, linear: vd }: Twist): { readonly angular: Vector3; readonly linear: Vector3 } {
    const { angular: k, linear: v } = this.omega;
    if (kd.every((e) => e === zero)) return { angular: zeroVector, linear: zeroVector };
    const { c, u, p } = this;
    const speed = dot(k, kd);
    const [rate2, rate3] = [times(this.slope(2), speed), times(this.slope(3), speed)];
    const second = (order: 2 | 3): Expr =>
      plus(times(this.bend(order), square(speed)), times(this.slope(order), dot(kd, kd)));
    const turned = cross(k, kd);
    const angular = addVectors(
      scaleVector(rate2, turned),
      scaleVector(rate3, cross(k, turned)),
      scaleVector(c(3), cross(kd, turned)),
    );
    const ud = addVectors(cross(kd, v), cross(k, vd));
    const pd = addVectors(cross(kd, u), cross(k, ud));
    const udd = scaleVector(integer(2), cross(kd, vd));
    const pdd = addVectors(scaleVector(integer(2), cross(kd, ud)), cross(k, udd));
    const linear = addVectors(
      scaleVector(c(2), udd),
      scaleVector(c(3), pdd),
      scaleVector(times(integer(2), rate2), ud),
      scaleVector(times(integer(2), rate3), pd),
      scaleVector(second(2), u),
      scaleVector(second(3), p),
    );
    return { angular, linear };
  }
}

const ENTRIES = AXES.flatMap((row) => AXES.map((col) => `${row}${col}`));

function mapNamed(values: readonly Expr[], names: readonly string[], label: string, keep: Keep): readonly Expr[] {
  return values.map((e, i) => keep(`${label}_${names[i]}`, e));
}

function scaled(factor: Expr, m: Matrix3): Matrix3 {
  return mapMatrix(m, (e) => times(factor, e));
}
