/**
 * What links hand to each other: one record per quantity of a frame. The buffers that kernels read and write it in, the symbols of its
 * entries, its place in the blocks of links, its changes along directions and what the base hands over follow from the record.
 *
 * A quantity that goes to the children is read at the distal frame of the parent {S_(i−1)} and written at the own one {S_i}; one that goes
 * to the parent is read at the own frame and written at the parent's, where the driver adds up those of all children. Each is in axes of
 * its frame unless the record says otherwise.
 */
import { ARTICULATED_ENTRIES } from '../equations/articulated.ts';
import type { BaseMotion } from '../equations/base-and-frames.ts';
import { MATRIX_ENTRIES, SYMMETRIC_ENTRIES, xyz } from '../equations/names.ts';

/**
 * Parts of the block of every link, with their numbers. What is handed outwards (acceleration, gravity, pose, bias motion) shares the
 * place `motion`: none outlives a call.
 */
export const PLACES_OF_FRAMES = { articulated: 21, composite: 10, motion: 12, velocity: 3, wrench: 6 } as const;

interface OfFrame {
  readonly holds: string;
  /** What its entries are called, in their order; `scope`: what stands before, in names of generated code. */
  readonly entries: readonly string[];
  readonly scope: string;
  /** The buffers of a link. */
  readonly read: string;
  readonly written: string;
  readonly place: keyof typeof PLACES_OF_FRAMES;
  /** The first number there, where others stand before it. */
  readonly from?: number;
  /** When it is known: with the velocities, or with all that a call gives. */
  readonly stage: 2 | 3;
  /** It changes along directions of a motion; and a weighted sum of generalized forces has derivatives by it. */
  readonly tangent?: true;
  readonly adjoint?: true;
  /** Callers take it at any link: all of it is needed; or give it: nothing in it is known to be zero. */
  readonly callersTake?: true;
  readonly callersGive?: true;
}

interface ToChildren extends OfFrame {
  readonly to: 'children';
  /** What the base hands over. */
  readonly base: BaseMotion;
}

interface ToParent extends OfFrame {
  readonly to: 'parent';
  /** Does the base make anything of what arrives there? */
  readonly base: 'reads all' | 'reads nothing';
}

export type QuantityRecord = ToChildren | ToParent;

export const QUANTITIES = {
  velocity: {
    holds: 'angular velocity',
    entries: xyz('omega'),
    scope: 'parent',
    to: 'children',
    read: 'parentVelocity',
    written: 'ownVelocity',
    place: 'velocity',
    stage: 2,
    tangent: true,
    adjoint: true,
    base: 'velocity',
  },
  acceleration: {
    holds: 'angular acceleration and acceleration of the origin; those of the base stand for gravity',
    entries: [...xyz('alpha'), ...xyz('a')],
    scope: 'parent',
    to: 'children',
    read: 'parentAcceleration',
    written: 'ownAcceleration',
    place: 'motion',
    stage: 3,
    tangent: true,
    adjoint: true,
    base: 'acceleration',
  },
  gravity: {
    holds: 'acceleration of the origin that stands for gravity, of a robot at rest',
    entries: xyz('a'),
    scope: 'rest',
    to: 'children',
    read: 'parentGravity',
    written: 'ownGravity',
    place: 'motion',
    stage: 3,
    base: 'gravity',
  },
  pose: {
    holds: 'pose in world axes: rotation (row-major), origin',
    entries: [...MATRIX_ENTRIES.map((entry) => `R_${entry}`), ...xyz('t')],
    scope: 'pose',
    to: 'children',
    read: 'parentPose',
    written: 'ownPose',
    place: 'motion',
    stage: 3,
    tangent: true,
    callersTake: true,
    base: 'pose',
  },
  velocityAndPotential: {
    holds: 'ω, velocity of the origin, gravity, and potential per unit mass −gravity·origin',
    entries: [...xyz('omega'), ...xyz('v'), ...xyz('g'), 'potential'],
    scope: 'kinetic',
    to: 'children',
    read: 'parentVelocityAndPotential',
    written: 'ownVelocityAndPotential',
    place: 'motion',
    stage: 3,
    base: 'velocityAndPotential',
  },
  biasMotion: {
    holds:
      'ω, velocity of the origin, and α and acceleration of the origin without gravity, those of `motion` aside without accelerations of coordinates',
    entries: [...xyz('omega'), ...xyz('v'), ...xyz('alpha'), ...xyz('a')],
    scope: 'bias',
    to: 'children',
    read: 'parentBiasMotion',
    written: 'ownBiasMotion',
    place: 'motion',
    stage: 3,
    tangent: true,
    adjoint: true,
    callersTake: true,
    base: 'biasMotion',
  },
  velocityInWater: {
    holds: 'ω, velocity of the origin against the water, and gravity',
    entries: [...xyz('omega'), ...xyz('v'), ...xyz('g')],
    scope: 'relative',
    to: 'children',
    read: 'parentVelocityInWater',
    written: 'ownVelocityInWater',
    place: 'motion',
    stage: 3,
    base: 'velocityInWater',
  },
  /** Behind `acceleration`, of robots in water that are compiled with derivatives. */
  linearVelocityInWater: {
    holds: 'velocity of the origin against the water, and gravity',
    entries: [...xyz('v'), ...xyz('g')],
    scope: 'water',
    to: 'children',
    read: 'parentLinearVelocityInWater',
    written: 'ownLinearVelocityInWater',
    place: 'motion',
    from: 6,
    stage: 3,
    tangent: true,
    adjoint: true,
    base: 'accelerationInWater',
  },
  /** In front of `motion`, where inertias stand in other calls; of robots in fields. */
  placement: {
    holds: 'pose in world axes, beside the motion: rotation (row-major), origin',
    entries: [...MATRIX_ENTRIES.map((entry) => `R_${entry}`), ...xyz('t')],
    scope: 'placement',
    to: 'children',
    read: 'parentPlacement',
    written: 'ownPlacement',
    place: 'motion',
    from: -12,
    stage: 3,
    tangent: true,
    adjoint: true,
    base: 'placement',
  },
  motionInWater: {
    holds: 'ω, velocity of the origin against the water, α and acceleration of the origin',
    entries: [...xyz('omega'), ...xyz('v'), ...xyz('alpha'), ...xyz('a')],
    scope: 'accelerated',
    to: 'children',
    read: 'parentMotionInWater',
    written: 'ownMotionInWater',
    place: 'motion',
    stage: 3,
    base: 'motionInWater',
  },
  response: {
    holds: 'angular acceleration and acceleration of the origin by accelerations of coordinates alone',
    entries: [...xyz('alpha'), ...xyz('a')],
    scope: 'response',
    to: 'children',
    read: 'parentResponse',
    written: 'ownResponse',
    place: 'motion',
    stage: 3,
    base: 'rest',
  },
  wrench: {
    holds: 'force and moment about the origin that all beyond the frame needs',
    entries: [...xyz('force'), ...xyz('moment')],
    scope: 'distal',
    to: 'parent',
    read: 'distalWrench',
    written: 'parentWrench',
    place: 'wrench',
    stage: 3,
    tangent: true,
    adjoint: true,
    base: 'reads nothing',
  },
  applied: {
    holds: 'force and moment about the origin that act on the frame from outside',
    entries: [...xyz('force'), ...xyz('moment')],
    scope: 'applied',
    to: 'parent',
    read: 'appliedWrench',
    written: 'parentApplied',
    place: 'wrench',
    stage: 3,
    tangent: true,
    callersGive: true,
    base: 'reads nothing',
  },
  composite: {
    holds: 'mass, first moment, and inertia about the origin of all that hangs on the frame',
    entries: ['mass', ...xyz('first'), ...SYMMETRIC_ENTRIES.map((entry) => `inertia_${entry}`)],
    scope: 'composite',
    to: 'parent',
    read: 'distalComposite',
    written: 'parentComposite',
    place: 'composite',
    stage: 3,
    base: 'reads nothing',
  },
  momentum: {
    holds:
      'momentum and angular momentum about the origin that all beyond the frame has against it, and mass and first moment of it',
    entries: [...xyz('momentum'), ...xyz('angular_momentum'), 'mass', ...xyz('first')],
    scope: 'distal',
    to: 'parent',
    read: 'distalMomentum',
    written: 'parentMomentum',
    place: 'articulated',
    stage: 3,
    base: 'reads all',
  },
  articulated: {
    holds:
      'articulated inertia of all that hangs on the frame, about its origin: force per acceleration (xx, yy, zz, xy, xz, yz), moment per angular acceleration (the same), force per angular acceleration (9, row-major)',
    entries: ARTICULATED_ENTRIES,
    scope: 'articulated',
    to: 'parent',
    read: 'distalArticulated',
    written: 'parentArticulated',
    place: 'articulated',
    stage: 3,
    base: 'reads nothing',
  },
} as const satisfies Record<string, QuantityRecord>;

export type Quantity = keyof typeof QUANTITIES;

type Records = (typeof QUANTITIES)[Quantity];

/** Buffers that links read quantities from, and that they write them to. */
export type ReadQuantity = Records['read'];
export type WrittenQuantity = Records['written'];

/** Buffers of quantities with a property. */
type With<P, End extends 'read' | 'written'> = Extract<Records, P>[End];
type Ends<P> = With<P, 'read'> | With<P, 'written'>;

export type Changing = Ends<{ readonly tangent: true }>;
export type Weighed = Ends<{ readonly adjoint: true }>;

/** Buffers that the base hands to links, and that links hand to the base. */
export type FromBase = With<{ readonly to: 'children' }, 'read'>;
export type ToBase = With<{ readonly to: 'parent' }, 'written'>;

/** Those that the base makes something of: what it reads of others may never be computed. */
export type ReadByBase = {
  [Q in Quantity]: (typeof QUANTITIES)[Q] extends { readonly base: 'reads all' } ? Q : never;
}[Quantity];

export const QUANTITY_RECORDS: readonly QuantityRecord[] = Object.values(QUANTITIES);

/** The first quantity that the base hands over by a motion of its own. */
export function quantityOfBase(motion: BaseMotion): Quantity {
  const [found] = (Object.entries(QUANTITIES) as [Quantity, QuantityRecord][]).find(
    ([, record]) => record.to === 'children' && record.base === motion,
  )!;
  return found;
}
