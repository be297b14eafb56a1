/**
 * What drivers of robots share: the status that their functions return, what decides it, and the functions themselves
 * as an interface. All quantities in SI units; q, q̇, q̈, τ in the order of the coordinates; matrices row-major; poses
 * and Jacobians in world axes, angular part first.
 * This file is copied beside generated modules; it imports nothing.
 */

/** All outputs are finite numbers. */
export const KG_OK = 0;
/** An input, a parameter or gravity is infinite or not a number. */
export const KG_NON_FINITE = 1;
/** A parameter lies outside its minimum and maximum, a step of time or a gain below what it can be. */
export const KG_OUT_OF_RANGE = 2;
/** The result is not finite (overflow, a pole): all outputs are set to NaN. */
export const KG_UNDEFINED = 3;
/** There is no frame, or no link, of this index. */
export const KG_NO_FRAME = 4;
/**
 * No state is staged: no update yet, or a function that ends in `At` was called since; of a controller: its state was
 * never reset.
 */
export const KG_NO_STATE = 5;
/** The mass matrix is not positive definite at this state: `singularLink` says where. */
export const KG_SINGULAR = 6;
/** No step of time, however short, has an error within the tolerance; Newton's method does not converge in a step. */
export const KG_NO_STEP = 7;
/** Rows of loops contradict each other at this state: `constraintRank` says which. */
export const KG_CONTRADICTORY = 8;

/**
 * What every function that computes something returns: one of the numbers above. Outputs are written by KG_OK, set to
 * NaN by KG_UNDEFINED, left alone by all others; nothing is thrown.
 */
export type Status = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8;

/**
 * Are the first `count` numbers all finite? Null holds no numbers.
 * @param name function and argument, for the message.
 * @throws RangeError when there are fewer.
 */
export function areFinite(numbers: ArrayLike<number> | null, count: number, name = 'an array'): boolean {
  if (numbers && numbers.length < count)
    throw new RangeError(`${name}: expected ${count} numbers, not ${numbers.length}`);
  let nothing = 0;
  if (numbers) for (let i = 0; i < count; i++) nothing += 0 * numbers[i]!;
  return nothing === 0;
}

/** Adds to a status what a step of time is: it leads forwards. */
export function acceptStep(status: Status, h: number): Status {
  if (status !== KG_OK) return status;
  return !Number.isFinite(h) ? KG_NON_FINITE : h > 0 ? KG_OK : KG_OUT_OF_RANGE;
}

/** Sets the first `count` numbers to NaN. */
export function mark(numbers: Float64Array | null, count: number): void {
  if (numbers) numbers.fill(NaN, 0, count);
}

/** The status of a call with one output, which is marked when it is not finite. @param name as above. */
export function finished(out: Float64Array, count: number, name?: string): Status {
  if (areFinite(out, count, name)) return KG_OK;
  mark(out, count);
  return KG_UNDEFINED;
}

/**
 * After an update that failed, functions that refer to the staged state return what it returned, until one succeeds.
 * A generated robot has the functions that it was compiled with, as its own interface says.
 * Arrays of a wrong length are a mistake in the program: RangeError.
 */
export interface Dynamics {
  /** Number of coordinates. */
  readonly coordinates: number;
  /** Number of actuators. */
  readonly actuators: number;
  /** Stages a state: everything below except the one-call functions refers to it. Results are checked there. */
  update(q: ArrayLike<number>, qd: ArrayLike<number>): Status;
  /** tau = M q̈ + c + g: without elastic, damping and fluid forces, which `forwardDynamics` knows. */
  inverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): Status;
  /**
   * tau = M q̈ + c + g + elastic + damping + fluid: all that forces from outside have to overcome; `forwardDynamics`
   * undoes it.
   */
  activeInverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): Status;
  /** tau = M q̈ + c, without gravity. */
  inertialInverseDynamics(qdd: ArrayLike<number>, tau: Float64Array): Status;
  /** tau and the mass matrix (n × n, row-major) in one sweep. */
  inverseDynamicsAndMassMatrix(qdd: ArrayLike<number>, tau: Float64Array, M: Float64Array): Status;
  /** Coriolis and centrifugal terms, gravity, elastic and viscous forces apart; null skips a term. */
  terms(
    c: Float64Array | null,
    g: Float64Array | null,
    elastic: Float64Array | null,
    damping: Float64Array | null,
  ): Status;
  /**
   * q̈ of M q̈ + c + g + elastic + damping + fluid = tau, in time proportional to the number of links.
   * KG_SINGULAR where a pivot of M is not positive.
   */
  forwardDynamics(tau: ArrayLike<number>, qdd: Float64Array): Status;
  /**
   * One step of time h from the staged state by the linearly implicit Euler method, springs and dampers of links at
   * its end: (M + h D + h² K) (q̇⁺ − q̇) = h (tau − c − g − elastic − damping − h K q̇), q⁺ = q + h q̇⁺ with the
   * matrices of `stiffness` and `dissipation`. Writes q⁺ and q̇⁺, which the next `update` takes.
   */
  implicitStep(h: number, tau: ArrayLike<number>, q: Float64Array, qd: Float64Array): Status;
  /**
   * Makes ready for `implicitSolve` with this h (s), at the staged state: factors of M + h D + h² K. They last until
   * the next call of another function. KG_SINGULAR as above.
   */
  implicitFactor(h: number): Status;
  /**
   * (xq, xv) of (1 − h J)(xq, xv) = h (rq, rv), J = [0 1; −M⁻¹K −M⁻¹D], with the h of `implicitFactor`: linearly
   * implicit methods of any order are made of it. Outputs may be the inputs.
   */
  implicitSolve(h: number, rq: ArrayLike<number>, rv: ArrayLike<number>, xq: Float64Array, xv: Float64Array): Status;
  /**
   * x of M x = rhs for as many columns of n numbers, one after the other, which may be the same array. KG_SINGULAR as
   * above.
   */
  solveMass(columns: number, rhs: ArrayLike<number>, x: Float64Array): Status;
  /** After KG_SINGULAR: index of a link whose coordinates have a pivot that is not positive; none beyond it has. */
  singularLink(): number;
  /** What tau has to overcome of drag and buoyancy of water, of robots in water. */
  fluid(fluid: Float64Array): Status;
  /** n × n, row-major, symmetric. */
  massMatrix(M: Float64Array): Status;
  /**
   * ∂elastic/∂q of forces within links (n × n, row-major): symmetric, a block per link, zero elsewhere. Of robots with
   * elastic links or joints.
   */
  stiffness(K: Float64Array): Status;
  /** ∂damping/∂q̇ (n × n, row-major): symmetric, a block per link, zero elsewhere. Of robots with damping. */
  dissipation(D: Float64Array): Status;
  /** Pose of frame `index` and its Jacobian (6 × n, row-major, angular first), world axes; null skips an output. */
  frame(index: number, R: Float64Array | null, t: Float64Array | null, J: Float64Array | null): Status;
  /** tau += Jᵀ wrench on a frame: moment about its origin (3), then force (3), world axes; J is not formed. */
  external(index: number, wrench: ArrayLike<number>, tau: Float64Array): Status;
  /** The same for a wrench in the frame's own axes, which it follows. */
  externalInFrame(index: number, wrench: ArrayLike<number>, tau: Float64Array): Status;
  /**
   * Motion of a frame: twist (angular velocity, velocity of its origin) and, where the coordinates do not accelerate,
   * angular acceleration and acceleration of the origin without gravity (J̇ q̇); world axes, in the order of J; null
   * skips an output.
   */
  frameMotion(index: number, velocity: Float64Array | null, bias: Float64Array | null): Status;
  /** energy[0] kinetic, energy[1] potential of the weight (zero at the world origin), energy[2] elastic, in J. */
  energies(energy: Float64Array): Status;
  /**
   * Per actuator its coordinate y, the rate ẏ, ÿ where q̈ = 0, and B = (∂y/∂q)ᵀ (n × actuators, row-major); null skips
   * an output. Inputs u act by tau = B u, with u ẏ the power. Of robots with actuators.
   */
  actuation(y: Float64Array | null, yd: Float64Array | null, ydd0: Float64Array | null, B: Float64Array | null): Status;
  /** tau += B u, without B. Of robots with actuators. */
  actuate(u: ArrayLike<number>, tau: Float64Array): Status;
  /** The same without staging, for callers that want one result of a state; afterwards no state is staged. */
  inverseDynamicsAt(q: ArrayLike<number>, qd: ArrayLike<number>, qdd: ArrayLike<number>, tau: Float64Array): Status;
  massMatrixAt(q: ArrayLike<number>, M: Float64Array): Status;
  gravityAt(q: ArrayLike<number>, g: Float64Array): Status;
  /** The same robot, with the same parameters, and a workspace of its own. */
  twin(): Dynamics;
}

/**
 * Exact derivatives of the dynamics, of robots that are compiled with them. Directions are columns of n numbers, one
 * after the other; null: no change. Inverse dynamics here is
 * tau = M q̈ + c + g + elastic + damping + fluid.
 */
export interface Derivatives {
  /** dtau = ∂tau/∂q dq + ∂tau/∂q̇ dqd + M dqdd at the accelerations q̈, per column. */
  inverseDynamicsTangent(
    columns: number,
    qdd: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dqd: ArrayLike<number> | null,
    dqdd: ArrayLike<number> | null,
    dtau: Float64Array,
  ): Status;
  /**
   * dqdd = ∂q̈/∂q dq + ∂q̈/∂q̇ dqd + M⁻¹ dtau of forward dynamics, whose result is q̈, per column, in time proportional
   * to the number of links; dqdd may not be one of the others. KG_SINGULAR as in forwardDynamics.
   */
  forwardDynamicsTangent(
    columns: number,
    qdd: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dqd: ArrayLike<number> | null,
    dtau: ArrayLike<number> | null,
    dqdd: Float64Array,
  ): Status;
  /**
   * dq of S dq = residual, S = ∂tau/∂q + rate ∂tau/∂q̇ + acceleration M − ∂(B u)/∂q at the accelerations q̈ and the
   * inputs u: an exact step of Newton's method for integrators whose q̇ and q̈ change by rate dq (1/s) and
   * acceleration dq (1/s²), in time proportional to the number of links. Of B u it has what actuators do within links.
   * KG_SINGULAR where S has no pivot in a link.
   */
  newtonStep(
    rate: number,
    acceleration: number,
    qdd: ArrayLike<number>,
    u: ArrayLike<number>,
    residual: ArrayLike<number>,
    dq: Float64Array,
  ): Status;
  /**
   * Factors of this S for `newtonSolve`, which last until the next of these functions, through `update`s.
   * KG_SINGULAR as above, and then there are none.
   */
  newtonFactor(rate: number, acceleration: number, qdd: ArrayLike<number>, u: ArrayLike<number>): Status;
  /**
   * dq of S dq = residual with the factors of the last `newtonFactor`, in time proportional to the number of links,
   * whatever state is staged. KG_NO_STATE where there are no factors; dq may be the residual.
   */
  newtonSolve(residual: ArrayLike<number>, dq: Float64Array): Status;
  /** `newtonStep` with S less ∂(Jᵀ wrench)/∂q of a wrench on frame `index` as in `external`. It leaves no factors. */
  newtonStepExternal(
    rate: number,
    acceleration: number,
    index: number,
    qdd: ArrayLike<number>,
    u: ArrayLike<number>,
    wrench: ArrayLike<number>,
    residual: ArrayLike<number>,
    dq: Float64Array,
  ): Status;
  /** The same for a wrench in the frame's own axes, which it follows. */
  newtonStepExternalInFrame(
    rate: number,
    acceleration: number,
    index: number,
    qdd: ArrayLike<number>,
    u: ArrayLike<number>,
    wrench: ArrayLike<number>,
    residual: ArrayLike<number>,
    dq: Float64Array,
  ): Status;
  /**
   * Derivatives of Σ weights[i] tau[i] by q, q̇ and q̈, per column of weights: (∂tau/∂q)ᵀ weights, (∂tau/∂q̇)ᵀ weights
   * and M weights at a cost that does not depend on the number of coordinates. Missing of robots with bodies that take
   * more than 1,500 operations a point and loop, or 3,000 in all.
   */
  inverseDynamicsAdjoint?(
    columns: number,
    qdd: ArrayLike<number>,
    weights: ArrayLike<number>,
    by_q: Float64Array,
    by_qd: Float64Array,
    by_qdd: Float64Array,
  ): Status;
  /**
   * Changes dqdd of the mean acceleration q̈ = (q̇⁺ − q̇)/h of `implicitStep` at the staged state along
   * (dq, dqd, dtau), null: no change, per column; dqdd may not be one of them. Those of the state after the step are
   * dq̇⁺ = dqd + h dqdd and dq⁺ = dq + h dq̇⁺. KG_SINGULAR as there. Missing of robots with loops.
   */
  implicitStepTangent?(
    columns: number,
    h: number,
    qdd: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dqd: ArrayLike<number> | null,
    dtau: ArrayLike<number> | null,
    dqdd: Float64Array,
  ): Status;
  /**
   * Transpose of `implicitStep` at the staged state, with the h and the mean acceleration (q̇⁺ − q̇)/h of the step:
   * by_tau = (M + h D + h² K)⁻¹ seed, and the derivatives by q and q̇ of
   * by_tau · (M q̈ + c + g + elastic + damping + fluid + h D q̈ + h K (q̇ + h q̈)).
   * Of a cost with gradients (a, b) by (q⁺, q̇⁺), with seed = h (b + h a), those by (q, q̇) are
   * (a − by_q, b + h a − by_qd), and that by tau is by_tau. Only of robots that have `inverseDynamicsAdjoint`.
   */
  implicitStepAdjoint?(
    h: number,
    qdd: ArrayLike<number>,
    seed: ArrayLike<number>,
    by_tau: Float64Array,
    by_q: Float64Array,
    by_qd: Float64Array,
  ): Status;
  /**
   * The same of by_tau · (the same − B u) at the inputs u of the step, by q, q̇ and run-time parameters, one number
   * each in the order of the robot's without gravity: that of the cost is −by_p. Only of robots that depend on run-time
   * parameters, but for those whose base does while actuators reach from link to link.
   */
  implicitStepGradient?(
    h: number,
    qdd: ArrayLike<number>,
    u: ArrayLike<number>,
    seed: ArrayLike<number>,
    by_tau: Float64Array,
    by_q: Float64Array,
    by_qd: Float64Array,
    by_p: Float64Array,
  ): Status;
  /**
   * dtau = ∂tau/∂p dp per column at the same motion; columns have a number for every run-time parameter in the order of
   * the robot's, without gravity. Only of robots whose links or base depend on any; missing otherwise.
   */
  inverseDynamicsVariation?(columns: number, qdd: ArrayLike<number>, dp: ArrayLike<number>, dtau: Float64Array): Status;
  /**
   * dqdd = ∂q̈/∂p dp of forward dynamics, whose result is q̈, at the same state and tau. KG_SINGULAR as in
   * forwardDynamics.
   */
  forwardDynamicsVariation?(columns: number, qdd: ArrayLike<number>, dp: ArrayLike<number>, dqdd: Float64Array): Status;
  /** dtau += (∂B/∂q · dq) u per column, at the same inputs u. Of robots with actuators. */
  actuateTangent(columns: number, u: ArrayLike<number>, dq: ArrayLike<number> | null, dtau: Float64Array): Status;
  /**
   * dtau += (∂B/∂q̇ · dqd) u per column, at the same inputs u. Of robots with tendons that rub, whose B depends on the
   * rates; missing otherwise.
   */
  actuateRateTangent?(columns: number, u: ArrayLike<number>, dqd: ArrayLike<number> | null, dtau: Float64Array): Status;
  /** dtau += (∂Jᵀ/∂q · dq) wrench per column, at the same wrench: see `external`. */
  externalTangent(
    columns: number,
    index: number,
    wrench: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dtau: Float64Array,
  ): Status;
  /** The same for a wrench in the frame's own axes. */
  externalInFrameTangent(
    columns: number,
    index: number,
    wrench: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dtau: Float64Array,
  ): Status;
}

/**
 * Of robots with loops, whose `forwardDynamics` and `implicitStep` keep them: M q̈ + c + g + elastic + damping +
 * fluid = tau + Jᵀ lambda, with a multiplier for each row, the force or moment that does work on it.
 */
export interface Loops {
  /** Residuals of the rows, their rates, and their second derivatives at q̈ = 0; null skips an output. */
  constraint(phi: Float64Array | null, rate: Float64Array | null, bias: Float64Array | null): Status;
  /** J = ∂phi/∂q, rows × n, row-major. */
  constraintJacobian(J: Float64Array): Status;
  /**
   * q̈ and lambda of J q̈ + J̇ q̇ = −2 alpha J q̇ − beta² phi (alpha, beta in 1/s; zero: the exact accelerations
   * along the loops). Multipliers of dependent rows are zero; q̈ and Jᵀ lambda are unique. KG_SINGULAR as in
   * `forwardDynamics`, which refuses rows that cannot be met with KG_CONTRADICTORY; here the independent ones are met.
   */
  constrainedForwardDynamics(
    alpha: number,
    beta: number,
    tau: ArrayLike<number>,
    qdd: Float64Array,
    lambda: Float64Array,
  ): Status;
  /**
   * tau and lambda of a motion: tau + Jᵀ lambda = M q̈ + c + g + …, with the tau of least Σ (tau / capacity)². A number
   * a coordinate, in the unit of its force; zero or less: passive, tau is zero there, or what no lambda can do.
   */
  constrainedInverseDynamics(
    qdd: ArrayLike<number>,
    capacity: ArrayLike<number>,
    tau: Float64Array,
    lambda: Float64Array,
  ): Status;
  /**
   * Steps towards the loops, least in the metric of M: dq = −M⁻¹Jᵀ(J M⁻¹Jᵀ)⁻¹ phi, one of Newton's, and dqd the same of
   * the rates J q̇, after which they are zero.
   */
  constraintCorrection(dq: Float64Array, dqd: Float64Array): Status;
  /** Rank of J in the last call that took loops along; after KG_CONTRADICTORY −1 − the index of a row. */
  constraintRank(): number;
}

/** Of robots with ropes among their loops. */
export interface Ropes {
  /**
   * Which ropes are taut in all that follows, a number a row: 1, or −1 for slack ones, whatever the state; 0 for ropes
   * that are judged by the state, as all are before: taut from 1e-9 m below their length on. A taut rope that is not
   * judged is a rigid row, which may push.
   */
  keepRopes(taut: ArrayLike<number>): Status;
}

/** Of robots with strains that are an equilibrium. */
export interface SolvedStrains {
  /**
   * Where the Newton steps of a section do not suffice at the staged state, or find no stable equilibrium, results are
   * not finite: KG_UNDEFINED. section[0]: the index of the first such link, −1 where there is none; section[1]: the
   * place of the section along it, m.
   */
  unsolvedSection(section: Float64Array): Status;
}

/** Of robots with contacts, per pair in the order of their names. */
export interface Contacts {
  /**
   * Of every pair, touching or not: the gap (m, below zero where they overlap), the normal from the obstacle to the
   * body that moves, or from the second to the first of two such bodies, the place of contact on the surface of that
   * body (m), and the force on it (N), all in world axes; the energy that the spring stores (J), the power that the
   * pair takes of the motion, and what of it damper and friction lose (W): power − loss is the rate of the energy; what
   * parameters of its bristle become after a step that ends here (7), zero where friction does not stick.
   * Vectors one after the other; null skips an output. A rod is one pair with an obstacle: gap, normal and place are
   * those of its nearest section, the rest sums along it.
   */
  contact(
    gap: Float64Array | null,
    normal: Float64Array | null,
    position: Float64Array | null,
    force: Float64Array | null,
    energy: Float64Array | null,
    power: Float64Array | null,
    loss: Float64Array | null,
    bristle: Float64Array | null,
  ): Status;
}

/** Of robots with loops that are compiled with derivatives. */
export interface LoopDerivatives {
  /**
   * Changes of the results q̈ (n) and lambda (a number a row) of `constrainedForwardDynamics` at the staged state,
   * with the same alpha and beta, along directions (dq, dqd, dtau), null: no change, per column; dqdd (n × columns) may
   * not be one of the others, dlambda has a number a row and column. By the implicit function theorem, of as many rows
   * as `constraintRank` tells: dependent rows stay without multipliers. At alpha = beta = 0 on closed loops those of
   * `forwardDynamics`. KG_SINGULAR as there.
   */
  constrainedForwardDynamicsTangent(
    columns: number,
    alpha: number,
    beta: number,
    qdd: ArrayLike<number>,
    lambda: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dqd: ArrayLike<number> | null,
    dtau: ArrayLike<number> | null,
    dqdd: Float64Array,
    dlambda: Float64Array,
  ): Status;
  /**
   * The transpose: of Σ weights[i] q̈[i] + Σ weights_lambda[j] lambda[j] (null: no multiplier is weighed) the
   * derivatives by q, q̇ and tau, and by_bias (a number a row) by what is added to the second derivatives of rows, per
   * column, at a cost that does not depend on the number of coordinates. Missing where `inverseDynamicsAdjoint` is.
   */
  constrainedForwardDynamicsAdjoint?(
    columns: number,
    alpha: number,
    beta: number,
    qdd: ArrayLike<number>,
    lambda: ArrayLike<number>,
    weights: ArrayLike<number>,
    weights_lambda: ArrayLike<number> | null,
    by_q: Float64Array,
    by_qd: Float64Array,
    by_tau: Float64Array,
    by_bias: Float64Array,
  ): Status;
  /** `implicitStep` with the multipliers that close loops in it, a number a row, for its tangent and the transpose. */
  constrainedImplicitStep(
    h: number,
    tau: ArrayLike<number>,
    q: Float64Array,
    qd: Float64Array,
    lambda: Float64Array,
  ): Status;
  /**
   * Changes of the mean acceleration q̈ = (q̇⁺ − q̇)/h (n) and the multipliers (a number a row) of such a step from the
   * staged state along (dq, dqd, dtau), as those of `implicitStepTangent`: dq̇⁺ = dqd + h dqdd, dq⁺ = dq + h dq̇⁺. By
   * the implicit function theorem, of as many rows as `constraintRank` tells; ropes that are slack in the step stay so.
   */
  constrainedImplicitStepTangent(
    columns: number,
    h: number,
    qdd: ArrayLike<number>,
    lambda: ArrayLike<number>,
    dq: ArrayLike<number> | null,
    dqd: ArrayLike<number> | null,
    dtau: ArrayLike<number> | null,
    dqdd: Float64Array,
    dlambda: Float64Array,
  ): Status;
  /**
   * The transpose of such a step from the staged state, with its mean acceleration qdd = (q̇⁺ − q̇)/h and its
   * multipliers: for seed = h (b + h a), where a and b are derivatives of a cost by the state after the step, that by
   * tau is by_tau, and those by the state before are a − by_q and b + h a − by_qd, as of `implicitStepAdjoint`. By the
   * implicit function theorem; ropes that are slack in the step stay so. Missing where `inverseDynamicsAdjoint` is.
   */
  constrainedImplicitStepAdjoint?(
    h: number,
    qdd: ArrayLike<number>,
    lambda: ArrayLike<number>,
    seed: ArrayLike<number>,
    by_tau: Float64Array,
    by_q: Float64Array,
    by_qd: Float64Array,
  ): Status;
}

/** Of robots with joints that follow the time (`prescribed`), in the order of the links. */
export interface Prescribed {
  /**
   * Generalized forces (N m, N) that move these coordinates at accelerations q̈ of the others: inertia, weight, water.
   * Inputs of actuators, loads and forces between frames come on top. `fluid`: the share of drag and buoyancy; null
   * skips an output. Their power is force times the rate of each coordinate.
   */
  prescribedForces(qdd: ArrayLike<number>, force: Float64Array | null, fluid: Float64Array | null): Status;
}

/** Of robots whose bodies do not depend on the time. */
export interface Momentum {
  /**
   * Momentum of all bodies, world axes: h[0…2] angular about a point of the world (3; zeros for the origin), h[3…5]
   * linear. Drives (`armature`) and added mass of water are no part of it.
   */
  momentum(about: ArrayLike<number>, h: Float64Array): Status;
  /**
   * A (6 × n, row-major) of h = A q̇ about a point of the world; about the centre of mass it is the centroidal momentum
   * matrix (Orin, Goswami & Lee, 2013).
   */
  momentumMatrix(about: ArrayLike<number>, A: Float64Array): Status;
  /**
   * Mass of all bodies (1 number), its centre in the world (3), and the Jacobian of that (3 × n, row-major); null skips
   * an output. KG_UNDEFINED where nothing has mass.
   */
  centreOfMass(mass: Float64Array | null, centre: Float64Array | null, J: Float64Array | null): Status;
}

/** Of robots that are compiled with places of material points. */
export interface MaterialPoints {
  /**
   * World position of a point of the body of link `link`, and its Jacobian (3 × n, row-major), the velocity per unit
   * rate of each coordinate; null skips an output. x: three material coordinates of the body, of rods those of the
   * section and then the axial one; of rigid links the place in the axes of the distal frame.
   */
  point(link: number, x: ArrayLike<number>, position: Float64Array | null, J: Float64Array | null): Status;
  /** Its velocity, and its acceleration at q̈ = 0 without gravity, world axes; null skips an output. */
  pointMotion(link: number, x: ArrayLike<number>, velocity: Float64Array | null, bias: Float64Array | null): Status;
}

/**
 * Adds to `tau` what drives a robot at a time, in a state that is staged in `dynamics` (for `actuate` and `external`);
 * `rates` are those of the sums.
 */
export type Drive<D = Dynamics> = (
  t: number,
  dynamics: D,
  q: Float64Array,
  qd: Float64Array,
  tau: Float64Array,
  rates: Float64Array,
) => Status;
