/**
 * The buffers between which the kernels of links compute: what each holds, how many numbers, where it stands and when it
 * is known. One record per buffer; types, stages, the layout of workspaces, reserved names and documentation follow.
 *
 * Frames: "parent" is the distal frame of the parent link {S_(i−1)}, "own" the distal frame {S_i} of this link.
 */
import type { LoopStage } from '../loops/loop.ts';
import {
  QUANTITIES,
  type Changing,
  type Quantity,
  type QuantityRecord,
  type ReadQuantity,
  type Weighed as OfWeighedQuantity,
  type WrittenQuantity,
} from './quantities.ts';

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
  /** Numbers of its contacts with obstacles. */
  readonly contactPairs: number;
  /** Tables that code generation makes: values that parameters, and values that earlier stages determine. */
  readonly constants: number;
  readonly slot: number;
  readonly linearised: number;
}

export interface BufferRecord {
  readonly holds: string;
  readonly size: number | ((link: LinkSizes) => number);
  /**
   * In the block of the parent or the own one, where the quantity stands; `own`: in the own block, behind the quantities, in the order
   * of the table; `apart`: an array of its own.
   */
  readonly place: { readonly block: 'parent' | 'own'; readonly of: Quantity } | 'own' | 'apart';
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

/** Coordinates of a joint, at most. */
export const MOST_HELD = 6;

const OF_LINKS = {
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
  heldForce: { holds: 'generalized forces of coordinates that follow the time', size: MOST_HELD, place: 'apart' },
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
  unitMomenta: {
    holds:
      'momentum and angular momentum about the origin of the parent frame per unit rate of each coordinate (6 each), parent axes',
    size: (link) => 6 * link.coordinates,
    place: 'apart',
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
  contactPairs: {
    holds:
      'per pair of its contacts with obstacles: gap, normal, point, force, stored energy, power that it takes, power that is lost; world axes',
    size: (link) => link.contactPairs,
    place: 'apart',
  },
  unsolvedSection: {
    holds: 'one where the strain of all sections is solved for, else zero; s of the first section where it is not',
    size: 2,
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

/** Buffers in which links hand quantities to each other. */
type OfQuantities = {
  readonly [B in ReadQuantity]: BufferRecord & { readonly stage: 2 | 3 };
} & { readonly [B in Exclude<WrittenQuantity, ReadQuantity>]: BufferRecord };

const OF_QUANTITIES = Object.fromEntries(
  (Object.entries(QUANTITIES) as [Quantity, QuantityRecord][]).flatMap(([of, record]): [string, BufferRecord][] => {
    const { holds, entries, to, read, written, stage, callersTake, callersGive } = record;
    const size = entries.length;
    const [from, at] = to === 'children' ? (['parent', 'own'] as const) : (['own', 'parent'] as const);
    return [
      [
        read,
        {
          holds: `${holds}: ${from}`,
          size,
          place: { block: from, of },
          stage,
          ...(callersGive && { ofCallers: true }),
        },
      ],
      [
        written,
        {
          holds: `${holds}: ${at}`,
          size,
          place: { block: at, of },
          becomes: read,
          ...(callersTake && { ofCallers: true }),
        },
      ],
    ];
  }),
) as unknown as OfQuantities;

const OF_STATES = { ...OF_LINKS, ...OF_QUANTITIES };

const quantitiesWith = (property: 'tangent' | 'adjoint'): readonly QuantityRecord[] =>
  Object.values<QuantityRecord>(QUANTITIES).filter((record) => record[property]);

const LINK_TANGENTS = ['q', 'qd', 'qdd', 'generalizedForce', 'bodyWrench', 'waterWrench'] as const;

type Mirrored = (typeof LINK_TANGENTS)[number] | Changing;

/**
 * What a motion and its forces change along a direction: numbers that stand in a block like that of the link, in the same places. Stage 4 for
 * those that kernels read.
 */
export const TANGENTS: readonly Mirrored[] = [
  ...LINK_TANGENTS,
  ...quantitiesWith('tangent').flatMap(({ read, written }) => [read, written] as Changing[]),
];

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

/** `true` for those that kernels read. */
const LINK_ADJOINTS = {
  q: false,
  qd: false,
  qdd: false,
  generalizedForce: true,
  bodyWrench: true,
  waterWrench: true,
} as const;

type Weighed = keyof typeof LINK_ADJOINTS | OfWeighedQuantity;

/**
 * What a weighted sum of generalized forces changes by what kernels of inverse dynamics read and write: in the same places as changes along
 * directions, and handed on the opposite way.
 */
export const ADJOINTS: readonly Weighed[] = [
  ...(Object.keys(LINK_ADJOINTS) as (keyof typeof LINK_ADJOINTS)[]),
  ...quantitiesWith('adjoint').flatMap(({ read, written }) => [read, written] as OfWeighedQuantity[]),
];

type AdjointRecords = {
  readonly [B in Weighed as `${B}Adjoint`]: B extends WrittenQuantity
    ? BufferRecord & { readonly stage: 4 }
    : B extends keyof typeof LINK_ADJOINTS
      ? (typeof LINK_ADJOINTS)[B] extends true
        ? BufferRecord & { readonly stage: 4 }
        : BufferRecord
      : BufferRecord;
};

export const adjointOf = <B extends Weighed>(buffer: B): `${B}Adjoint` => `${buffer}Adjoint`;

const OF_ADJOINTS = Object.fromEntries([
  ...(Object.keys(LINK_ADJOINTS) as (keyof typeof LINK_ADJOINTS)[]).map((buffer) => {
    const { becomes }: BufferRecord = OF_LINKS[buffer];
    return adjointRecord(buffer, LINK_ADJOINTS[buffer], becomes as Weighed | undefined);
  }),
  ...quantitiesWith('adjoint').flatMap(({ read, written }) => [
    adjointRecord(read as OfWeighedQuantity, false, written as OfWeighedQuantity),
    adjointRecord(written as OfWeighedQuantity, true, undefined),
  ]),
]) as unknown as AdjointRecords;

function adjointRecord(buffer: Weighed, isRead: boolean, becomes: Weighed | undefined): [string, BufferRecord] {
  const { holds, size, place, ofCallers }: BufferRecord = OF_STATES[buffer];
  return [
    adjointOf(buffer),
    {
      holds: `derivatives of a weighted sum by: ${holds}`,
      size,
      place,
      mirrors: buffer,
      ...(isRead && { stage: 4 as const }),
      ...(ofCallers && { ofCallers }),
      ...(becomes && { becomes: adjointOf(becomes) }),
    },
  ];
}

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
