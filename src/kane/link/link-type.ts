/**
 * What the Kane compiler hands to the code generator: link types, each a set of kernels over expressions.
 *
 * A link is offset → joint → mount → body, fused. Links that differ in numbers only share one type: the numbers are its
 * parameters. A kernel is one straight-line computation between buffers; the generic drivers sequence kernels along
 * the chain and own every buffer. Which subexpressions a kernel computes and which it finds ready in the link's slot is
 * decided by the stages of `codegen/`, not here.
 *
 * Frames: "parent" is the distal frame of the parent link {S_(i−1)}, "own" the distal frame {S_i} of this link.
 */
import type { Expr, SymbolExpr } from '../../symbolic/expr.ts';
import type { Loop } from '../loops/loop.ts';

/** Buffers a kernel reads (the symbols of each, in order). */
export type InputBuffer =
  /** Constants of the link's type for this link: the parameters themselves. Stage 0. */
  | 'parameters'
  /** Coordinates of the link, their rates and accelerations. */
  | 'q'
  | 'qd'
  | 'qdd'
  /** Angular velocity of the parent frame, 3, parent axes. */
  | 'parentVelocity'
  /** Angular acceleration and acceleration of the origin of the parent frame (base: −gravity), 6, parent axes. */
  | 'parentAcceleration'
  /** Gravity reaction only: acceleration of the parent frame's origin for a robot at rest, 3, parent axes. */
  | 'parentGravity'
  /** Force and moment about the origin that the rest of the chain needs at the own frame, 6, own axes. */
  | 'distalWrench'
  /** The body's own force, moment about the proximal origin (6) and generalized forces π of its coordinates. */
  | 'bodyWrench'
  /** Mass, first moment (3), inertia about the origin (xx, yy, zz, xy, xz, yz) of all that hangs on the own frame, 10. */
  | 'distalComposite'
  /** World pose of the parent frame: rotation (9, row-major), origin (3). */
  | 'parentPose'
  /** ω (3), v of the origin (3), gravity (3), potential per unit mass −gravity·origin (1) of the parent frame, parent axes. */
  | 'parentTravel';

/** Buffers a kernel writes. */
export type OutputBuffer =
  | 'ownVelocity'
  | 'ownAcceleration'
  | 'ownGravity'
  | 'bodyWrench'
  /** Generalized forces of the link's coordinates. */
  | 'generalizedForce'
  /** 6, parent axes about the parent's origin. Added by the driver to the parent's distal wrench. */
  | 'parentWrench'
  /** 10, added by the driver to the parent's distal composite. */
  | 'parentComposite'
  /** n × n block of the mass matrix, row-major. */
  | 'massBlock'
  /** 6 per coordinate: wrench at the parent frame that a unit acceleration of that coordinate takes. */
  | 'unitWrenches'
  | 'ownPose'
  /** 6 per coordinate, world axes: angular velocity of the own frame per unit rate, velocity of the point at the world origin. */
  | 'jacobianColumns'
  | 'ownTravel'
  /** Kinetic and potential energy of the body. */
  | 'energy';

export type KernelName =
  /** Angular velocity: q, q̇, parentVelocity → ownVelocity. */
  | 'velocity'
  /** qdd, parentAcceleration (+ all of velocity's inputs) → ownAcceleration, bodyWrench. */
  | 'acceleration'
  /** parentGravity → ownGravity, bodyWrench of weight alone. */
  | 'gravity'
  /** distalWrench, bodyWrench → generalizedForce, parentWrench. */
  | 'backward'
  /** distalWrench → generalizedForce, parentWrench, without a body wrench. */
  | 'propagate'
  /** distalComposite → parentComposite, massBlock, unitWrenches. */
  | 'composite'
  /** parentPose → ownPose. */
  | 'pose'
  /** parentPose → jacobianColumns. */
  | 'jacobian'
  /** parentTravel, q̇ → ownTravel, energy. */
  | 'energy'
  /**
   * `velocity` and `acceleration` for callers that need nothing else, where that is less work than one after the other;
   * made of the two when missing.
   */
  | 'forward'
  /** q → generalizedForce: +∂V/∂q. Missing when no elasticity is given. */
  | 'elastic'
  /** q, q̇ → generalizedForce: +∂R/∂q̇. Missing when no damping is given. */
  | 'damping';

export interface Kernel {
  readonly name: KernelName;
  /** Loops that run for what they write to a buffer; others run because an output needs their results. */
  readonly loops?: readonly Loop[];
  readonly outputs: readonly { readonly buffer: OutputBuffer; readonly values: readonly Expr[] }[];
}

export interface LinkParameter {
  /** Identifier-safe name, unique within the type: `L`, `offset_x`, `inertia_xx`. */
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly unit: string;
  readonly summary: string;
}

export interface LinkCoordinate {
  readonly name: string;
  readonly symbol: SymbolExpr;
  readonly rate: SymbolExpr;
  readonly acceleration: SymbolExpr;
  readonly unit: string;
  readonly summary: string;
}

export interface LinkType {
  /** Identifier-safe and unique within the robot: `planar_cc`, `revolute_z_rigid`. */
  readonly name: string;
  readonly summary: string;
  readonly parameters: readonly LinkParameter[];
  readonly coordinates: readonly LinkCoordinate[];
  /** Size of bodyWrench: 6 + coordinates of the body. */
  readonly bodyWrenchSize: number;
  /** The symbols of every input buffer, in order; symbols are the same in all kernels of the type. */
  readonly inputs: Readonly<Record<InputBuffer, readonly SymbolExpr[]>>;
  readonly kernels: readonly Kernel[];
  /** In an order in which each needs only results of those before it. */
  readonly loops: readonly Loop[];
  /** Readable names for expressions, proposed to the code generator (`sin_q`, `inertia_yy`). */
  readonly hints: ReadonlyMap<Expr, string>;
  /** How the body's integrals were obtained, for headers and `explain`. */
  readonly method: string;
}

/** One link of a robot as an instance of a type. */
export interface LinkInstance {
  readonly name: string;
  readonly type: LinkType;
  readonly parent: number;
  /** Value of each parameter of the type; free symbols are run-time parameters of the robot. */
  readonly parameters: readonly Expr[];
}

/** A robot ready for code generation. */
export interface CompiledRobot {
  readonly types: readonly LinkType[];
  readonly links: readonly LinkInstance[];
}
