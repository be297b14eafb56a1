/**
 * The buffers between which the kernels of links compute: what each holds, how many numbers, where it stands and when it
 * is known. One record per buffer; types, stages, the layout of workspaces, reserved names and documentation follow.
 *
 * Frames: "parent" is the distal frame of the parent link {S_(i−1)}, "own" the distal frame {S_i} of this link.
 */
import type { LoopStage } from '../loops/loop.ts';

/**
 * Quantities of a distal frame, at the same place in the block of every link, with their numbers. What is handed outwards
 * (acceleration, gravity, pose, travel, drift) shares the place `motion`: none outlives a call.
 */
export const FRAME_QUANTITIES = { articulated: 21, composite: 10, motion: 12, velocity: 3, wrench: 6 } as const;

/** A quantity that stands in the place of another, behind what `own.motion` holds beside it, with its first number there. */
export const STREAM = { within: 'motion', from: 6 } as const;

export type FrameQuantity = keyof typeof FRAME_QUANTITIES | 'stream';

/** Numbers of a link type on which sizes of buffers depend. */
export interface LinkSizes {
  readonly coordinates: number;
  readonly parameters: number;
  /** One where the link depends on it. */
  readonly time: number;
  readonly bodyWrench: number;
  readonly factor: number;
  readonly addend: number;
  /** Terms of actuators that act within the link. */
  readonly actuations: number;
  /** Of the water around the body, and coordinates of links of robots in water. */
  readonly waterWrench: number;
  readonly waterForce: number;
  /** Tables that code generation makes: values that parameters, and values that earlier stages determine. */
  readonly constants: number;
  readonly slot: number;
  readonly linearised: number;
}

export interface BufferRecord {
  readonly holds: string;
  readonly size: number | ((link: LinkSizes) => number);
  /**
   * `parent.…` and `own.…`: a quantity of the parent's or the own frame; `own`: in the own block, behind the quantities, in
   * the order of the table; `apart`: an array of its own.
   */
  readonly place: `${'parent' | 'own'}.${FrameQuantity}` | 'own' | 'apart';
  /** Of what kernels read, when it is known: see `LoopStage`. Others are written by kernels, or made by code generation. */
  readonly stage?: LoopStage;
  /**
   * What it is to those that it is handed to: to children what stands at the own frame, to the parent what stands at the
   * parent's (and wrenches that are carried there), to other kernels of the link what stands in the block.
   */
  readonly becomes?: string;
  /** Callers give or take it at any link: nothing in it is known to be zero, and all of it is needed. */
  readonly ofCallers?: true;
  /** The buffer whose change along a direction it holds: the same place in another block, see `TANGENTS`. */
  readonly mirrors?: string;
}

const OF_STATES = {
  parameters: {
    holds: "the parameters of the link's type for this link",
    size: (link) => link.parameters,
    place: 'apart',
    stage: 0,
  },
  constants: { holds: 'what parameters determine', size: (link) => link.constants, place: 'apart' },
  q: { holds: 'coordinates of the link', size: (link) => link.coordinates, place: 'own', stage: 1 },
  time: { holds: 'the time, of links that depend on it', size: (link) => link.time, place: 'own', stage: 1 },
  qd: { holds: 'their rates', size: (link) => link.coordinates, place: 'own', stage: 2 },
  qdd: { holds: 'their accelerations', size: (link) => link.coordinates, place: 'own', stage: 3 },
  generalizedForce: { holds: 'generalized forces of them', size: (link) => link.coordinates, place: 'own' },
  bodyWrench: {
    holds:
      "the body's own force, moment about the proximal origin (6) and generalized forces π of its coordinates, own axes",
    size: (link) => link.bodyWrench,
    place: 'own',
    stage: 3,
    becomes: 'bodyWrench',
  },
  waterWrench: {
    holds:
      'what the water takes of the body: force, moment about the proximal origin (6) and generalized forces of its coordinates, own axes',
    size: (link) => link.waterWrench,
    place: 'own',
    stage: 3,
    becomes: 'waterWrench',
  },
  waterForce: {
    holds: 'generalized forces that the water takes, in forward dynamics',
    size: (link) => link.waterForce,
    place: 'own',
  },
  slot: { holds: 'values of earlier stages for later ones', size: (link) => link.slot, place: 'own' },
  parentVelocity: {
    holds: 'angular velocity of the parent frame, parent axes',
    size: 3,
    place: 'parent.velocity',
    stage: 2,
  },
  ownVelocity: {
    holds: 'angular velocity of the own frame, own axes',
    size: 3,
    place: 'own.velocity',
    becomes: 'parentVelocity',
  },
  parentAcceleration: {
    holds: 'angular acceleration and acceleration of the origin of the parent frame (base: −gravity), parent axes',
    size: 6,
    place: 'parent.motion',
    stage: 3,
  },
  ownAcceleration: {
    holds: 'the same of the own frame, own axes',
    size: 6,
    place: 'own.motion',
    becomes: 'parentAcceleration',
  },
  parentGravity: {
    holds: "acceleration of the parent frame's origin for a robot at rest, parent axes",
    size: 3,
    place: 'parent.motion',
    stage: 3,
  },
  ownGravity: { holds: 'the same of the own frame, own axes', size: 3, place: 'own.motion', becomes: 'parentGravity' },
  parentPose: {
    holds: 'world pose of the parent frame: rotation (9, row-major), origin (3)',
    size: 12,
    place: 'parent.motion',
    stage: 3,
  },
  ownPose: { holds: 'the same of the own frame', size: 12, place: 'own.motion' },
  parentTravel: {
    holds:
      'ω (3), v of the origin (3), gravity (3), potential per unit mass −gravity·origin (1) of the parent frame, parent axes',
    size: 10,
    place: 'parent.motion',
    stage: 3,
  },
  ownTravel: { holds: 'the same of the own frame, own axes', size: 10, place: 'own.motion', becomes: 'parentTravel' },
  parentDrift: {
    holds:
      'ω, velocity of the origin, and without accelerations of coordinates nor gravity α and acceleration of the origin, parent axes',
    size: 12,
    place: 'parent.motion',
    stage: 3,
  },
  ownDrift: {
    holds: 'the same of the own frame, own axes',
    size: 12,
    place: 'own.motion',
    becomes: 'parentDrift',
    ofCallers: true,
  },
  parentFlow: {
    holds: 'ω, velocity of the origin against the water, and gravity (9) of the parent frame, parent axes',
    size: 9,
    place: 'parent.motion',
    stage: 3,
  },
  ownFlow: { holds: 'the same of the own frame, own axes', size: 9, place: 'own.motion', becomes: 'parentFlow' },
  parentStream: {
    holds: 'velocity of the origin of the parent frame against the water, and gravity (6), parent axes',
    size: 6,
    place: 'parent.stream',
    stage: 3,
  },
  ownStream: { holds: 'the same of the own frame, own axes', size: 6, place: 'own.stream', becomes: 'parentStream' },
  parentSurge: {
    holds: 'ω, velocity of the origin against the water, α and acceleration of the origin (12), parent axes',
    size: 12,
    place: 'parent.motion',
    stage: 3,
  },
  ownSurge: { holds: 'the same of the own frame, own axes', size: 12, place: 'own.motion', becomes: 'parentSurge' },
  distalWrench: {
    holds: 'force and moment about the origin that the rest of the chain needs at the own frame, own axes',
    size: 6,
    place: 'own.wrench',
    stage: 3,
  },
  parentWrench: {
    holds: "the same at the parent frame, parent axes; the driver adds it to the parent's distal wrench",
    size: 6,
    place: 'parent.wrench',
    becomes: 'distalWrench',
  },
  appliedWrench: {
    holds: 'force and moment about the origin that act on the own frame from outside, own axes',
    size: 6,
    place: 'own.wrench',
    stage: 3,
    ofCallers: true,
  },
  parentApplied: {
    holds: 'what does the same at the parent frame, parent axes',
    size: 6,
    place: 'parent.wrench',
    becomes: 'appliedWrench',
  },
  distalComposite: {
    holds:
      'mass, first moment (3), inertia about the origin (xx, yy, zz, xy, xz, yz) of all that hangs on the own frame, own axes',
    size: 10,
    place: 'own.composite',
    stage: 3,
  },
  parentComposite: {
    holds: "the same at the parent frame, parent axes; the driver adds it to the parent's distal composite",
    size: 10,
    place: 'parent.composite',
    becomes: 'distalComposite',
  },
  distalArticulated: {
    holds:
      'articulated inertia of all that hangs on the own frame, about its origin, own axes: force per acceleration (xx, yy, zz, xy, xz, yz), moment per angular acceleration (the same), force per angular acceleration (9, row-major)',
    size: 21,
    place: 'own.articulated',
    stage: 3,
  },
  parentArticulated: {
    holds: "the same at the parent frame, parent axes; the driver adds it to the parent's distal one",
    size: 21,
    place: 'parent.articulated',
    becomes: 'distalArticulated',
  },
  pivots: {
    holds: 'pivots of the mass matrix, one per coordinate, positive where it is positive definite',
    size: (link) => link.coordinates,
    place: 'own',
  },
  factor: {
    holds: 'what right-hand sides need of the eliminated coordinates',
    size: (link) => link.factor,
    place: 'own',
    stage: 3,
    becomes: 'factor',
  },
  load: { holds: 'generalized forces on the coordinates', size: (link) => link.coordinates, place: 'own', stage: 3 },
  quotients: {
    holds: 'forces that are left on the coordinates where they are eliminated, over their pivots',
    size: (link) => link.coordinates,
    place: 'own',
    stage: 3,
    becomes: 'quotients',
  },
  parentResponse: {
    holds:
      'angular acceleration and acceleration of the origin of the parent frame by accelerations of coordinates alone, parent axes',
    size: 6,
    place: 'parent.motion',
    stage: 3,
  },
  ownResponse: {
    holds: 'the same of the own frame, own axes',
    size: 6,
    place: 'own.motion',
    becomes: 'parentResponse',
  },
  accelerations: { holds: 'accelerations of the coordinates', size: (link) => link.coordinates, place: 'own' },
  massBlock: {
    holds: "the link's block of the mass matrix, row-major",
    size: (link) => link.coordinates ** 2,
    place: 'apart',
  },
  forceMatrix: {
    holds:
      "derivatives of the link's elastic forces by its coordinates, or of its damping forces by their rates, row-major",
    size: (link) => link.coordinates ** 2,
    place: 'apart',
  },
  addend: {
    holds:
      "what implicit steps add to the link's block of the mass matrix, row-major: h D + h² K; of links without springs and dampers nothing",
    size: (link) => link.addend,
    place: 'own',
    stage: 3,
  },
  springs: {
    holds: "derivatives of the link's elastic forces by its coordinates as implicit steps keep them, row-major",
    size: (link) => link.addend,
    place: 'own',
  },
  unitWrenches: {
    holds: 'wrench at the parent frame that a unit acceleration of each coordinate takes (6 each), parent axes',
    size: (link) => 6 * link.coordinates,
    place: 'apart',
    becomes: 'distalWrench',
  },
  jacobianColumns: {
    holds:
      'per coordinate (6 each) angular velocity of the own frame per unit rate, velocity of the point at the world origin, world axes',
    size: (link) => 6 * link.coordinates,
    place: 'apart',
  },
  material: {
    holds: 'material coordinates of a point of the body, or of a rigid one its place in the own frame',
    size: 3,
    place: 'apart',
    stage: 3,
  },
  pointPosition: { holds: 'its place, world axes', size: 3, place: 'apart' },
  pointColumns: {
    holds: 'its velocity per unit rate of each coordinate (3 each), world axes',
    size: (link) => 3 * link.coordinates,
    place: 'apart',
  },
  pointMotion: {
    holds: 'its velocity, and its acceleration at q̈ = 0 without gravity, world axes',
    size: 6,
    place: 'apart',
  },
  energy: { holds: 'kinetic energy, potential energy of the weight and elastic energy', size: 3, place: 'apart' },
  inputs: {
    holds: 'inputs of the actuators that act within the link, one per term',
    size: (link) => link.actuations,
    place: 'apart',
    stage: 3,
  },
  actuationCoordinates: {
    holds: "the link's shares of actuation coordinates, one per term",
    size: (link) => link.actuations,
    place: 'apart',
  },
  actuationGradients: {
    holds: "their derivatives by the link's coordinates, term by term",
    size: (link) => link.actuations * link.coordinates,
    place: 'apart',
  },
  actuationRates: {
    holds: 'rates of all shares, then their second derivatives in time where coordinates do not accelerate',
    size: (link) => 2 * link.actuations,
    place: 'apart',
  },
  linearised: {
    holds: 'values of a state and its accelerations for derivatives of inverse dynamics; of links without them nothing',
    size: (link) => link.linearised,
    place: 'own',
  },
} as const satisfies Record<string, BufferRecord>;

/**
 * What a motion and its forces change along a direction: numbers that stand in a block like that of the link, in the same places. Stage 4 for
 * those that kernels read.
 */
export const TANGENTS = [
  'q',
  'qd',
  'qdd',
  'generalizedForce',
  'bodyWrench',
  'waterWrench',
  'parentVelocity',
  'ownVelocity',
  'parentAcceleration',
  'ownAcceleration',
  'parentStream',
  'ownStream',
  'parentPose',
  'ownPose',
  'distalWrench',
  'parentWrench',
  'appliedWrench',
  'parentApplied',
] as const satisfies readonly (keyof typeof OF_STATES)[];

type Mirrored = (typeof TANGENTS)[number];

export type TangentBuffer = `${Mirrored}Tangent`;

type TangentRecords = {
  readonly [B in Mirrored as `${B}Tangent`]: (typeof OF_STATES)[B] extends { readonly stage: LoopStage }
    ? BufferRecord & { readonly stage: 4 }
    : BufferRecord;
};

export const tangentOf = <B extends Mirrored>(buffer: B): `${B}Tangent` => `${buffer}Tangent`;

const OF_TANGENTS = Object.fromEntries(
  TANGENTS.map((buffer): [string, BufferRecord] => {
    const { holds, becomes, stage, ...rest }: BufferRecord = OF_STATES[buffer];
    return [
      tangentOf(buffer),
      {
        ...rest,
        holds: `change of: ${holds}`,
        mirrors: buffer,
        ...(stage !== undefined && { stage: 4 as const }),
        ...(becomes !== undefined && { becomes: `${becomes}Tangent` }),
      },
    ];
  }),
) as unknown as TangentRecords;

/**
 * What a weighted sum of generalized forces changes by what kernels of inverse dynamics read and write: in the same places as changes along
 * directions, and handed on the opposite way. `true` for those that kernels read.
 */
export const ADJOINTS = {
  q: false,
  qd: false,
  qdd: false,
  generalizedForce: true,
  bodyWrench: true,
  waterWrench: true,
  parentVelocity: false,
  ownVelocity: true,
  parentAcceleration: false,
  ownAcceleration: true,
  parentStream: false,
  ownStream: true,
  distalWrench: false,
  parentWrench: true,
} as const satisfies Partial<Record<keyof typeof OF_STATES, boolean>>;

type Weighed = keyof typeof ADJOINTS;

export type AdjointBuffer = `${Weighed}Adjoint`;

type AdjointRecords = {
  readonly [B in Weighed as `${B}Adjoint`]: (typeof ADJOINTS)[B] extends true
    ? BufferRecord & { readonly stage: 4 }
    : BufferRecord;
};

export const adjointOf = <B extends Weighed>(buffer: B): `${B}Adjoint` => `${buffer}Adjoint`;

const HANDED_BACK: Partial<Record<Weighed, Weighed>> = {
  bodyWrench: 'bodyWrench',
  waterWrench: 'waterWrench',
  distalWrench: 'parentWrench',
  parentVelocity: 'ownVelocity',
  parentAcceleration: 'ownAcceleration',
  parentStream: 'ownStream',
};

const OF_ADJOINTS = Object.fromEntries(
  (Object.keys(ADJOINTS) as Weighed[]).map((buffer): [string, BufferRecord] => {
    const { holds, size, place }: BufferRecord = OF_STATES[buffer];
    const becomes = HANDED_BACK[buffer];
    return [
      adjointOf(buffer),
      {
        holds: `derivatives of a weighted sum by: ${holds}`,
        size,
        place,
        mirrors: buffer,
        ...(ADJOINTS[buffer] && { stage: 4 as const }),
        ...(becomes && { becomes: adjointOf(becomes) }),
      },
    ];
  }),
) as unknown as AdjointRecords;

/** Of robots whose links have run-time parameters. */
const OF_PARAMETERS = {
  parametersTangent: {
    holds: "change of the parameters of the link's type",
    size: (link) => link.parameters,
    place: 'apart',
    stage: 4,
  },
  parametersAdjoint: {
    holds: "derivatives of a weighted sum by: the parameters of the link's type",
    size: (link) => link.parameters,
    place: 'apart',
  },
} as const satisfies Record<string, BufferRecord>;

export const BUFFERS = { ...OF_STATES, ...OF_TANGENTS, ...OF_ADJOINTS, ...OF_PARAMETERS };

export type Buffer = keyof typeof BUFFERS;

/** Buffers that kernels read. */
export type InputBuffer = {
  [B in Buffer]: (typeof BUFFERS)[B] extends { readonly stage: LoopStage } ? B : never;
}[Buffer];

export const BUFFER_NAMES = Object.keys(BUFFERS) as readonly Buffer[];

export const INPUT_BUFFERS = BUFFER_NAMES.filter((name): name is InputBuffer => 'stage' in BUFFERS[name]);

/** How many numbers a buffer holds for a link type. */
export function sizeOfBuffer(buffer: Buffer, link: LinkSizes): number {
  const { size }: BufferRecord = BUFFERS[buffer];
  return typeof size === 'number' ? size : size(link);
}
