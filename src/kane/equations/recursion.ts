/**
 * The equations of motion of one link, written once over expressions: frame steps forward, wrenches backward, composite
 * bodies, poses, Jacobian columns, energies. Drivers sequence what these functions build; a straight-line
 * robot is the same functions traced through the whole chain. Nothing here knows how a body's integrals were obtained.
 *
 * Formulas: docs/mathematics.md, "The recursion in proximal frames" (seed paper 000, Theorem 1 and eqs. 37–47, with the
 * body terms taken about the proximal frame). Every vector is in the axes of the frame named in its comment.
 */
import { half, minus, negate, plus, square, times, zero, type Expr } from '../../symbolic/graph/expr.ts';
import {
  addSymmetric,
  addVectors,
  cross,
  dot,
  isZeroVector,
  multiplySymmetric,
  multiplyTransposed,
  multiplyVector,
  rotateSymmetric,
  scaleVector,
  subtractVectors,
  transformPoint,
  zeroVector,
  type Frame,
  type Matrix3,
  type Symmetric3,
  type Vector3,
  vector3,
} from '../../symbolic/graph/vector.ts';
import { rateOfProjection, timeDerivative, type CoordinateSymbols } from './rates.ts';

export type { CoordinateSymbols } from './rates.ts';

/** Velocity of the child against the parent, parent axes. */
export interface Screw {
  readonly linear: Vector3;
  readonly angular: Vector3;
}

/**
 * A rigid transformation from a parent frame to a child frame that some of the link's coordinates move.
 * `linear[i]` = ∂t/∂q_a and `angular[i]` = (∂R/∂q_a Rᵀ)^∨ for the i-th of `coordinates`, parent axes (the projectors).
 */
export interface FrameStep {
  readonly frame: Frame;
  /** Indices into the link's coordinates. */
  readonly coordinates: readonly number[];
  readonly linear: readonly Vector3[];
  readonly angular: readonly Vector3[];
  /** The part of the motion that the coordinates have no share in: ∂t/∂time and (∂R/∂time Rᵀ)^∨. */
  readonly explicit?: Screw;
  /** Of coordinates that follow the time, by their indices among those of the joint: what a unit rate of them would be. */
  readonly prescribed?: readonly { readonly index: number; readonly screw: Screw }[];
  /**
   * v̇_r and ω̇_r that velocities cause where these are known otherwise than by differentiating the projectors: sums along a rod are
   * derivatives of each other to its tolerance only.
   */
  readonly bias?: { readonly linear: Vector3; readonly angular: Vector3 };
}

/** A constant rigid transformation as a step that nothing moves. */
export function fixedStep(frame: Frame): FrameStep {
  return { frame, coordinates: [], linear: [], angular: [] };
}

export interface RelativeMotion {
  readonly angularVelocity: Vector3;
  readonly velocity: Vector3;
  readonly angularAcceleration: Vector3;
  readonly acceleration: Vector3;
}

/** ω_r, v_r, α_r, a_r of the child relative to the parent, parent axes. */
export function relativeMotion(step: FrameStep, symbols: CoordinateSymbols): RelativeMotion {
  const combine = (projectors: readonly Vector3[], explicit: Vector3 = zeroVector): Vector3 =>
    addVectors(explicit, ...projectors.map((p, i) => scaleVector(symbols.qd[step.coordinates[i]!]!, p)));
  const angularVelocity = combine(step.angular, step.explicit?.angular);
  const velocity = combine(step.linear, step.explicit?.linear);
  const { bias } = step;
  if (bias) {
    const accelerated = (projectors: readonly Vector3[], caused: Vector3): Vector3 =>
      addVectors(caused, ...projectors.map((p, i) => scaleVector(symbols.qdd[step.coordinates[i]!]!, p)));
    const angularAcceleration = accelerated(step.angular, bias.angular);
    return { angularVelocity, velocity, angularAcceleration, acceleration: accelerated(step.linear, bias.linear) };
  }
  const own = (all: readonly Expr[]): Expr[] => step.coordinates.map((i) => all[i]!);
  // Who does not move by the time is differentiated as if there were none.
  const { time } = step.explicit ? symbols : {};
  const ownSymbols = { q: own(symbols.q), qd: own(symbols.qd), qdd: own(symbols.qdd), ...(time && { time }) };
  const derivatives = step.explicit
    ? timeDerivative([...angularVelocity, ...velocity], ownSymbols)
    : step.coordinates.length === 0
      ? [...zeroVector, ...zeroVector]
      : rateOfProjection(
          step.coordinates.map((_, i) => [...step.angular[i]!, ...step.linear[i]!]),
          ownSymbols,
        );
  return {
    angularVelocity,
    velocity,
    angularAcceleration: vector3(derivatives.slice(0, 3)),
    acceleration: vector3(derivatives.slice(3)),
  };
}

/** The same coordinates while they do not accelerate. */
export function coasting(symbols: CoordinateSymbols): CoordinateSymbols {
  return { ...symbols, qdd: symbols.qdd.map(() => zero) };
}

/** A motion that coasts, with what accelerations of the coordinates add. */
export function accelerated(
  relative: RelativeMotion,
  { angular, linear }: Pick<FrameStep, 'angular' | 'linear'>,
  accelerations: readonly Expr[],
): RelativeMotion {
  const added = (coasting: Vector3, projectors: readonly Vector3[]): Vector3 =>
    addVectors(coasting, ...projectors.map((p, i) => scaleVector(accelerations[i]!, p)));
  return {
    ...relative,
    angularAcceleration: added(relative.angularAcceleration, angular),
    acceleration: added(relative.acceleration, linear),
  };
}

/** Motion of a frame in its own axes: ω, α and the acceleration of its origin (with −gravity at the base). */
export interface Motion {
  readonly angularVelocity: Vector3;
  readonly angularAcceleration: Vector3;
  readonly acceleration: Vector3;
}

/** U = [α]× + [ω]×[ω]×: the acceleration of a point p fixed in the frame is a + U p. */
export function spinMatrix({ angularVelocity: w, angularAcceleration: alpha }: Motion): Matrix3 {
  const [xx, yy, zz] = [square(w[0]), square(w[1]), square(w[2])];
  const [xy, xz, yz] = [times(w[0], w[1]), times(w[0], w[2]), times(w[1], w[2])];
  return [
    negate(plus(yy, zz)),
    minus(xy, alpha[2]),
    plus(xz, alpha[1]),
    plus(xy, alpha[2]),
    negate(plus(xx, zz)),
    minus(yz, alpha[0]),
    minus(xz, alpha[1]),
    plus(yz, alpha[0]),
    negate(plus(xx, yy)),
  ];
}

export function stepVelocity(step: FrameStep, relative: RelativeMotion, angularVelocity: Vector3): Vector3 {
  return multiplyTransposed(step.frame.rotation, addVectors(angularVelocity, relative.angularVelocity));
}

/** ω' = Rᵀ(ω + ω_r), α' = Rᵀ(α + α_r + ω × ω_r), a' = Rᵀ(a + U t + 2 ω × v_r + a_r). */
export function stepMotion(step: FrameStep, relative: RelativeMotion, motion: Motion, spin: Matrix3): Motion {
  const { rotation, translation } = step.frame;
  const w = motion.angularVelocity;
  const angularAcceleration = addVectors(
    motion.angularAcceleration,
    relative.angularAcceleration,
    cross(w, relative.angularVelocity),
  );
  const acceleration = addVectors(
    motion.acceleration,
    multiplyVector(spin, translation),
    cross(addVectors(w, w), relative.velocity),
    relative.acceleration,
  );
  return {
    angularVelocity: stepVelocity(step, relative, w),
    angularAcceleration: multiplyTransposed(rotation, angularAcceleration),
    acceleration: multiplyTransposed(rotation, acceleration),
  };
}

/** A motion with the velocity of the origin. */
export interface MovingFrame extends Motion {
  readonly velocity: Vector3;
}

/** v' = Rᵀ(v + ω × t + v_r), the rest as in `stepMotion`. */
export function stepMovingFrame(frame: Frame, relative: RelativeMotion, motion: MovingFrame): MovingFrame {
  const { velocity, angularVelocity: w } = motion;
  const carried = addVectors(velocity, cross(w, frame.translation), relative.velocity);
  return {
    ...stepMotion(fixedStep(frame), relative, motion, spinMatrix(motion)),
    velocity: multiplyTransposed(frame.rotation, carried),
  };
}

/** Force and moment about the origin of the frame it is given in. */
export interface Wrench {
  readonly force: Vector3;
  readonly moment: Vector3;
}

export interface BodyWrench extends Wrench {
  /** π_a for the body's own coordinates. */
  readonly generalized: readonly Expr[];
}

/** Force, moment, π. */
export function wrenchEntries({ force, moment, generalized }: BodyWrench): readonly Expr[] {
  return [...force, ...moment, ...generalized];
}

export function wrenchFromEntries(entries: readonly Expr[]): BodyWrench {
  return {
    force: vector3(entries.slice(0, 3)),
    moment: vector3(entries.slice(3, 6)),
    generalized: entries.slice(6),
  };
}

export function addWrenches(a: Wrench, b: Wrench): Wrench {
  return { force: addVectors(a.force, b.force), moment: addVectors(a.moment, b.moment) };
}

export function addBodyWrenches(a: BodyWrench, b: BodyWrench): BodyWrench {
  return { ...addWrenches(a, b), generalized: a.generalized.map((force, i) => plus(force, b.generalized[i]!)) };
}

/** A wrench on the child, in child axes, projected on the step's coordinates and carried to the parent. */
export function stepWrench(step: FrameStep, wrench: Wrench): { wrench: Wrench; generalized: readonly Expr[] } {
  const turned = turnWrench(step, wrench);
  return {
    generalized: step.coordinates.map((_, i) => project(step, i, turned)),
    wrench: shiftToParent(step, turned),
  };
}

/** The same, with what the wrench does on the step's coordinates added to `forces`. @returns the wrench at the parent. */
export function backwardStep(step: FrameStep, wrench: Wrench, forces: Expr[]): Wrench {
  const stepped = stepWrench(step, wrench);
  step.coordinates.forEach((a, i) => (forces[a] = plus(forces[a]!, stepped.generalized[i]!)));
  return stepped.wrench;
}

/** A wrench on the child, into parent axes. */
export function turnWrench({ frame }: FrameStep, { force, moment }: Wrench): Wrench {
  return { force: multiplyVector(frame.rotation, force), moment: multiplyVector(frame.rotation, moment) };
}

/** Mass, first moment and inertia about the origin of a rigid (or frozen) body, in the axes of its frame. */
export interface MassMoments {
  readonly mass: Expr;
  readonly first: Vector3;
  readonly inertia: Symmetric3;
}

export function addMassMoments(a: MassMoments, b: MassMoments): MassMoments {
  return {
    mass: plus(a.mass, b.mass),
    first: addVectors(a.first, b.first),
    inertia: addSymmetric(a.inertia, b.inertia),
  };
}

/** (2 a·b) 1 − a bᵀ − b aᵀ: change of inertia per unit mass when the origin moves. */
function originShift(a: Vector3, b: Vector3): Symmetric3 {
  const [x, y, z] = [times(a[0], b[0]), times(a[1], b[1]), times(a[2], b[2])];
  const double = (e: Expr): Expr => plus(e, e);
  const mixed = (i: number, j: number): Expr => negate(plus(times(a[i]!, b[j]!), times(a[j]!, b[i]!)));
  return [double(plus(y, z)), double(plus(x, z)), double(plus(x, y)), mixed(0, 1), mixed(0, 2), mixed(1, 2)];
}

/** Moments of a frozen body given at the child, as seen from the parent; `first` also about the child's origin, parent axes. */
export function stepMassMoments(step: FrameStep, body: MassMoments): { atParent: MassMoments; atChild: MassMoments } {
  const { rotation, translation: t } = step.frame;
  const first = multiplyVector(rotation, body.first);
  const atChild = { mass: body.mass, first, inertia: rotateSymmetric(rotation, body.inertia) };
  if (isZeroVector(t)) return { atParent: atChild, atChild };
  const carried = scaleVector(body.mass, t);
  // I' = R I Rᵀ + shift(t, c) + m shift(t, t)/2, the last two as one shift with c + m t/2.
  const middle = addVectors(first, scaleVector(body.mass, vector3(t.map((e) => times(half, e)))));
  return {
    atChild,
    atParent: {
      mass: body.mass,
      first: addVectors(first, carried),
      inertia: addSymmetric(atChild.inertia, originShift(t, middle)),
    },
  };
}

/** Wrench about the child's origin, parent axes, that accelerates a frozen body with unit q̈ of the step's i-th coordinate. */
export function unitWrench(step: FrameStep, i: number, atChild: MassMoments): Wrench {
  const t = step.linear[i]!;
  const w = step.angular[i]!;
  return {
    force: addVectors(scaleVector(atChild.mass, t), cross(w, atChild.first)),
    moment: addVectors(cross(atChild.first, t), multiplySymmetric(atChild.inertia, w)),
  };
}

/** t_a·F + w_a·N for a wrench about the child's origin in parent axes. */
export function project(step: FrameStep, i: number, wrench: Wrench): Expr {
  return plus(dot(step.linear[i]!, wrench.force), dot(step.angular[i]!, wrench.moment));
}

/** The same wrench about the parent's origin (parent axes before and after). */
export function shiftToParent(step: FrameStep, wrench: Wrench): Wrench {
  return { force: wrench.force, moment: addVectors(wrench.moment, cross(step.frame.translation, wrench.force)) };
}

/** Velocity state for energies: ω, v of the origin, gravity, all in the frame's axes, and −gravity·(position of the origin). */
export interface Travel {
  readonly angularVelocity: Vector3;
  readonly velocity: Vector3;
  readonly gravity: Vector3;
  readonly potential: Expr;
}

export function stepTravel(step: FrameStep, relative: RelativeMotion, travel: Travel): Travel {
  const { rotation, translation: t } = step.frame;
  return {
    angularVelocity: stepVelocity(step, relative, travel.angularVelocity),
    velocity: multiplyTransposed(
      rotation,
      addVectors(travel.velocity, cross(travel.angularVelocity, t), relative.velocity),
    ),
    gravity: multiplyTransposed(rotation, travel.gravity),
    potential: minus(travel.potential, dot(travel.gravity, t)),
  };
}

/**
 * Jacobian columns of the step's coordinates in world axes: angular velocity of the child per unit rate, and velocity of
 * the child-fixed point that passes the world origin. For a point at p the linear part is column + ω × p.
 */
export function jacobianColumns(step: FrameStep, parentPose: Frame): { angular: Vector3; linear: Vector3 }[] {
  const origin = transformPoint(parentPose, step.frame.translation);
  return step.coordinates.map((_, i) => {
    const angular = multiplyVector(parentPose.rotation, step.angular[i]!);
    const linear = multiplyVector(parentPose.rotation, step.linear[i]!);
    return { angular, linear: subtractVectors(linear, cross(angular, origin)) };
  });
}

/** P = ∫ p pᵀ dm = ½ tr(I) 1 − I */
export function secondMoments([xx, yy, zz, xy, xz, yz]: Symmetric3): Symmetric3 {
  return [
    times(half, plus(yy, zz, negate(xx))),
    times(half, plus(xx, zz, negate(yy))),
    times(half, plus(xx, yy, negate(zz))),
    negate(xy),
    negate(xz),
    negate(yz),
  ];
}

/**
 * ∫ p × (U p) dm: N_x = P_yy U_zy − P_zz U_yz + P_xy U_zx − P_xz U_yx + P_yz (U_zz − U_yy), cyclically. With the spin matrix
 * of a frame it is I α + ω × I ω, the gyroscopic moment included.
 * @param about what the first two terms about an axis are, where that is known in another form; see `aboutAxis`.
 * @param difference U_kk − U_jj, of the spin matrix of a frame ω_k² − ω_j².
 */
export function spinMoment(
  [xx, yy, zz, xy, xz, yz]: Symmetric3,
  U: Matrix3,
  about: (i: number) => readonly Expr[] | undefined = () => undefined,
  difference = (j: number, k: number): Expr => minus(U[4 * k]!, U[4 * j]!),
): Vector3 {
  const P: Matrix3 = [xx, xy, xz, xy, yy, yz, xz, yz, zz];
  const moment = (i: number): Expr => {
    const [j, k] = [(i + 1) % 3, (i + 2) % 3];
    return plus(
      ...(about(i) ?? [minus(times(P[4 * j]!, U[3 * k + j]!), times(P[4 * k]!, U[3 * j + k]!))]),
      times(P[3 * i + j]!, U[3 * k + i]!),
      negate(times(P[3 * i + k]!, U[3 * j + i]!)),
      times(P[3 * j + k]!, difference(j, k)),
    );
  };
  return [moment(0), moment(1), moment(2)];
}

/**
 * P_jj U_kj − P_kk U_jk over the inertia: I_ii α_i + (I_kk − I_jj) ω_j ω_k for the axes i, j, k. Cheaper where second moments would have
 * to be formed of an inertia that depends on the configuration (planar-cc: 342 operations in place of 349).
 */
function aboutAxis(inertia: Symmetric3, { angularVelocity: w, angularAcceleration: alpha }: Motion, i: number): Expr[] {
  const [j, k] = [(i + 1) % 3, (i + 2) % 3];
  return [times(inertia[i]!, alpha[i]!), times(minus(inertia[k]!, inertia[j]!), times(w[j]!, w[k]!))];
}

/** I α + ω × (I ω) of a body whose inertia depends on the configuration. */
export function gyroscopicMoment(inertia: Symmetric3, motion: Motion, spin: Matrix3): Vector3 {
  const w = motion.angularVelocity;
  return spinMoment(
    secondMoments(inertia),
    spin,
    (i) => aboutAxis(inertia, motion, i),
    (j, k) => minus(square(w[k]!), square(w[j]!)),
  );
}

/**
 * Inertial wrench of a rigid body about the frame's origin: F = m a + U c, N = c × a + ∫ p × (U p) dm. Over second moments
 * there are fewer terms than over the inertia when one of them is zero, as after lumping.
 */
export function rigidWrench({ mass, first: c, inertia }: MassMoments, motion: Motion, spin: Matrix3): Wrench {
  const { acceleration: a, angularVelocity: w } = motion;
  // Without a product of angular velocities both entries of U are ±α: one term.
  const isOneTerm = (i: number): boolean => times(w[(i + 1) % 3]!, w[(i + 2) % 3]!) === zero;
  const about = (i: number): Expr[] | undefined => (isOneTerm(i) ? aboutAxis(inertia, motion, i) : undefined);
  return {
    force: addVectors(scaleVector(mass, a), multiplyVector(spin, c)),
    moment: addVectors(cross(c, a), spinMoment(secondMoments(inertia), spin, about)),
  };
}
