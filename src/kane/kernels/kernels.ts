/**
 * What links compute, derivatives aside: one record per kernel and per function that becomes of it. A kernel is one straight-line
 * computation between buffers (`buffers.ts`), traced by a method of `LinkKernelBuilder`; code generation cuts it at the
 * stages of its values and makes a function of it; the sweeps of the drivers call the functions. Records of derivatives follow
 * from these by the rules of `derivative-kernels.ts`; `link-functions.ts` has all.
 *
 *   prepare     parameters → constants                          once per set of parameters
 *   configure   q, time → slot                                  once per configuration
 *   move        q, q̇, parent velocity → slot, own velocity     once per state
 *   others      what the kernel is for, the rest found ready in constants and slot
 */
import type { Buffer } from './buffers.ts';

export interface LinkFunctionRecord {
  /** The kernel that it computes, where it has another name; those of the first two stages compute none, they fill tables for others. */
  readonly kernel?: string;
  /** The one that links of robots in water have in its place: with the fluid wrench. */
  readonly afloat?: string;
  /** Buffers read and then buffers written, in the order of the parameters. */
  readonly reads: readonly Buffer[];
  readonly writes: readonly Buffer[];
  /** Buffers in blocks that stand in arrays of their own here. */
  readonly apart?: readonly Buffer[];
  /** What it is called in the course of: earlier stages fill tables, the last one finds them filled. */
  readonly stage: 'parameters' | 'configuration' | 'velocity' | 'last' | 'all in one' | 'linearised' | 'direction';
  /** Of functions that are linearised: the one of a direction, which finds ready what they leave in the table. */
  readonly prepares?: string;
  /** Of functions of a direction: others that are linearised, whose values they find ready, too. */
  readonly finds?: readonly string[];
  /**
   * Of functions of a direction: how many there are for a state where work is counted. What a direction is multiplied by is formed
   * before as far as that pays for so many.
   */
  readonly expected?: number;
  /** Only of links whose type has the kernel. */
  readonly optional?: true;
  /** Of the last stage: leaves nothing of its own to earlier ones, so that who does not call it does not pay for it. */
  readonly alone?: true;
  /** The same of link types with loops: sums over rows that no other function needs are formed by those that are called. */
  readonly aloneWithLoops?: true;
  /** Formed on its own, over what the others make: they cost the same with or without it. */
  readonly aside?: true;
  readonly purpose: string;
}

/** In the order of generated modules; tables are laid out for `backward` first. */
export const PRIMAL_FUNCTIONS = {
  prepare: {
    reads: ['parameters'],
    writes: ['constants'],
    stage: 'parameters',
    purpose: 'Constants of the link from its parameters.',
  },
  configure: {
    reads: ['constants', 'q'],
    writes: ['slot'],
    stage: 'configuration',
    purpose: 'Slot entries that depend on the configuration.',
  },
  velocity: {
    reads: ['constants', 'q', 'qd', 'parentVelocity'],
    writes: ['slot', 'ownVelocity'],
    stage: 'velocity',
    purpose: 'Angular velocity of the own frame, and slot entries that depend on velocities.',
  },
  /** `velocity` and `acceleration` for callers that need nothing else; a kernel where that is less work than both. */
  forward: {
    reads: ['constants', 'q', 'qd', 'qdd', 'parentVelocity', 'parentAcceleration'],
    writes: ['slot', 'ownVelocity', 'ownAcceleration', 'bodyWrench'],
    stage: 'all in one',
    purpose:
      'Velocity and acceleration of the own frame and wrench of the body in one go; stages what the way back needs.',
  },
  backward: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'bodyWrench'],
    writes: ['generalizedForce', 'parentWrench'],
    stage: 'last',
    purpose:
      'Generalized forces, and the wrench at the parent frame, from the wrench at the own frame and of the body.',
  },
  propagate: {
    reads: ['constants', 'slot', 'q', 'distalWrench'],
    writes: ['generalizedForce', 'parentWrench'],
    apart: ['distalWrench', 'generalizedForce', 'parentWrench'],
    stage: 'last',
    purpose: 'Generalized forces, and the wrench at the parent frame, from a wrench at the own frame alone.',
  },
  transmit: {
    reads: ['constants', 'slot', 'q', 'appliedWrench'],
    writes: ['generalizedForce', 'parentApplied'],
    apart: ['generalizedForce'],
    stage: 'last',
    purpose: 'Generalized forces of a wrench from outside on the own frame, and what it does at the parent frame.',
  },
  acceleration: {
    reads: ['constants', 'slot', 'q', 'qd', 'qdd', 'parentVelocity', 'parentAcceleration'],
    writes: ['ownAcceleration', 'bodyWrench'],
    stage: 'last',
    purpose: 'Acceleration of the own frame and wrench of the body, for a staged state.',
  },
  gravity: {
    reads: ['constants', 'slot', 'q', 'parentGravity'],
    writes: ['ownGravity', 'bodyWrench'],
    stage: 'last',
    purpose: 'Acceleration that stands for gravity, in own axes, and wrench of the weight alone.',
  },
  /** The same from the coordinates alone: who asks for gravity only does not pay for what else a configuration stages. */
  gravityAt: {
    kernel: 'gravity',
    reads: ['constants', 'q', 'parentGravity'],
    writes: ['slot', 'ownGravity', 'bodyWrench'],
    stage: 'all in one',
    purpose: 'Gravity and weight in one go; stages what the way back needs.',
  },
  composite: {
    reads: ['constants', 'slot', 'q', 'distalComposite'],
    writes: ['parentComposite', 'massBlock', 'unitWrenches'],
    stage: 'last',
    aloneWithLoops: true,
    optional: true,
    purpose: 'Composite mass at the parent frame, own block of the mass matrix, wrenches of unit accelerations.',
  },
  articulate: {
    reads: ['constants', 'slot', 'q', 'addend', 'distalArticulated'],
    writes: ['parentArticulated', 'pivots', 'factor'],
    stage: 'last',
    aloneWithLoops: true,
    purpose: 'Articulated inertia at the parent frame, pivots and factors of the coordinates eliminated on the way.',
  },
  reduce: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'bodyWrench', 'load', 'factor'],
    writes: ['quotients', 'parentWrench'],
    stage: 'last',
    purpose:
      'Generalized forces through the eliminated coordinates, against the wrench at the own frame and of the body.',
  },
  reduceAlone: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'load', 'factor'],
    writes: ['quotients', 'parentWrench'],
    stage: 'last',
    purpose: 'The same against a wrench at the own frame alone.',
  },
  reduceRow: {
    reads: ['constants', 'slot', 'q', 'appliedWrench', 'load', 'factor'],
    writes: ['quotients', 'parentApplied'],
    stage: 'last',
    optional: true,
    purpose: 'The same of a row of loops: against a wrench from outside on the own frame.',
  },
  restore: {
    reads: ['constants', 'slot', 'q', 'parentResponse', 'factor', 'quotients'],
    writes: ['ownResponse', 'accelerations'],
    stage: 'last',
    purpose: 'Accelerations of the eliminated coordinates, and of the own frame by them.',
  },
  /** Of links whose joint has coordinates that follow the time: what moves these against the wrenches of `backward` and `backwardFluid`. */
  hold: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'bodyWrench'],
    writes: ['heldForce'],
    stage: 'last',
    optional: true,
    alone: true,
    aside: true,
    purpose: 'Generalized forces on coordinates that follow the time.',
  },
  holdFluid: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'waterWrench'],
    writes: ['heldForce'],
    stage: 'last',
    optional: true,
    alone: true,
    aside: true,
    purpose: 'What the water takes of them.',
  },
  pose: {
    reads: ['constants', 'slot', 'q', 'parentPose'],
    writes: ['ownPose'],
    stage: 'last',
    purpose: 'World pose of the own frame.',
  },
  jacobian: {
    reads: ['constants', 'slot', 'q', 'parentPose'],
    writes: ['jacobianColumns'],
    stage: 'last',
    purpose: 'World motion per unit rate of each coordinate: angular velocity, velocity of the point at the origin.',
  },
  /** Of robots that are compiled with points; all of it anew, so that nothing else waits for what no one else needs. */
  locate: {
    reads: ['constants', 'q', 'parentPose', 'material'],
    writes: ['slot', 'pointPosition', 'pointColumns'],
    stage: 'all in one',
    optional: true,
    purpose: 'Place of a material point, and its velocity per unit rate of each coordinate.',
  },
  /** The same of its motion. */
  track: {
    reads: ['constants', 'q', 'qd', 'parentPose', 'parentBiasMotion', 'material'],
    writes: ['slot', 'pointMotion'],
    apart: ['parentBiasMotion'],
    stage: 'all in one',
    optional: true,
    purpose: 'Velocity of a material point, and the acceleration that velocities cause.',
  },
  biasMotion: {
    reads: ['constants', 'slot', 'q', 'qd', 'parentBiasMotion'],
    writes: ['ownBiasMotion'],
    stage: 'last',
    purpose: 'Velocities of the own frame and the accelerations that velocities cause.',
  },
  /** Of robots with loops that are compiled with derivatives. */
  motion: {
    reads: ['constants', 'slot', 'q', 'qd', 'qdd', 'parentBiasMotion'],
    writes: ['ownBiasMotion'],
    stage: 'last',
    optional: true,
    alone: true,
    aside: true,
    purpose: 'Velocities and accelerations of the own frame, without gravity.',
  },
  energy: {
    reads: ['constants', 'slot', 'q', 'qd', 'parentVelocityAndPotential'],
    writes: ['ownVelocityAndPotential', 'energy'],
    stage: 'last',
    alone: true,
    purpose: 'Motion of the own frame; kinetic, potential and elastic energy.',
  },
  momentum: {
    reads: ['constants', 'slot', 'q', 'qd', 'distalComposite', 'distalMomentum'],
    writes: ['parentComposite', 'parentMomentum', 'unitMomenta'],
    stage: 'last',
    optional: true,
    alone: true,
    aside: true,
    purpose: 'Momentum, composite mass and its first moment at the parent frame; momenta of unit rates.',
  },
  /** +∂V/∂q. */
  elastic: {
    reads: ['constants', 'slot', 'q'],
    writes: ['generalizedForce'],
    stage: 'last',
    optional: true,
    alone: true,
    purpose: 'Generalized elastic forces of the body.',
  },
  /** +∂R/∂q̇. */
  damping: {
    reads: ['constants', 'slot', 'q', 'qd'],
    writes: ['generalizedForce'],
    stage: 'last',
    optional: true,
    alone: true,
    purpose: 'Generalized damping forces of the body.',
  },
  /** ∂elastic/∂q, K_i. */
  stiffness: {
    reads: ['constants', 'slot', 'q'],
    writes: ['forceMatrix'],
    stage: 'last',
    optional: true,
    alone: true,
    purpose: 'Derivatives of the elastic forces by the coordinates.',
  },
  /** ∂damping/∂q̇, Υ_i. */
  dissipation: {
    reads: ['constants', 'slot', 'q', 'qd'],
    writes: ['forceMatrix'],
    stage: 'last',
    optional: true,
    alone: true,
    purpose: 'Derivatives of the damping forces by the rates of the coordinates.',
  },
  /** Of rods whose strain is solved for. */
  unsolved: {
    reads: ['constants', 'slot', 'q'],
    writes: ['unsolvedSection'],
    stage: 'last',
    optional: true,
    alone: true,
    aside: true,
    purpose: 'Whether the strain of all sections is solved for, and the first section where it is not.',
  },
  /** Of links of robots in water. */
  dragAndBuoyancy: {
    reads: ['constants', 'slot', 'q', 'qd', 'parentVelocityInWater', 'parentPlacement'],
    writes: ['ownVelocityInWater', 'ownPlacement', 'waterWrench'],
    stage: 'last',
    optional: true,
    purpose: 'Motion of the own frame against the water; drag and buoyancy of the body.',
  },
  /** Of links that meet obstacles, after `dragAndBuoyancy` of those that carry them. */
  contacts: {
    reads: ['constants', 'slot', 'q', 'qd', 'parentVelocityInWater', 'parentPlacement'],
    writes: ['contactPairs'],
    stage: 'last',
    optional: true,
    alone: true,
    aside: true,
    purpose: 'Gaps and forces of the contacts of the body with obstacles.',
  },
  addedMassWrench: {
    reads: ['constants', 'slot', 'q', 'qd', 'qdd', 'parentMotionInWater'],
    writes: ['ownMotionInWater', 'waterWrench'],
    stage: 'last',
    optional: true,
    purpose: 'Motion of the own frame against the water; what the water takes that the body accelerates.',
  },
  backwardFluid: {
    reads: ['constants', 'slot', 'q', 'distalWrench', 'waterWrench'],
    writes: ['generalizedForce', 'parentWrench'],
    stage: 'last',
    optional: true,
    purpose:
      'Generalized forces, and the wrench at the parent frame, from what the water takes at and beyond the body.',
  },
  /** `composite` of robots with added mass. */
  compositeWithAddedMass: {
    reads: ['constants', 'slot', 'q', 'distalArticulated'],
    writes: ['parentArticulated', 'massBlock', 'unitWrenches'],
    stage: 'last',
    aloneWithLoops: true,
    optional: true,
    purpose:
      'Composite inertia with that of the water at the parent frame, own block of the mass matrix, wrenches of unit accelerations.',
  },
  addedMassEnergy: {
    reads: ['constants', 'slot', 'q', 'qd', 'parentVelocityInWater'],
    writes: ['ownVelocityInWater', 'energy'],
    stage: 'last',
    optional: true,
    purpose: 'Motion of the own frame against the water; kinetic energy of the water that the body moves.',
  },
  actuation: {
    reads: ['constants', 'slot', 'q'],
    writes: ['actuationCoordinates', 'actuationGradients'],
    stage: 'last',
    optional: true,
    purpose: "The link's shares of actuation coordinates, and their derivatives by its coordinates.",
  },
  actuationRates: {
    reads: ['constants', 'slot', 'q', 'qd'],
    writes: ['actuationRates'],
    stage: 'last',
    optional: true,
    purpose: 'Rates of these shares, and what velocities make of their second derivatives.',
  },
  actuate: {
    reads: ['constants', 'slot', 'q', 'inputs'],
    writes: ['generalizedForce'],
    stage: 'last',
    optional: true,
    purpose: 'Generalized forces of the actuators that act within the link.',
  },
} as const satisfies Record<string, LinkFunctionRecord>;

export type PrimalFunction = keyof typeof PRIMAL_FUNCTIONS;
