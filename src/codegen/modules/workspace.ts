/**
 * Where everything lies in a workspace. A link's numbers stand together in its block, in the same places in TypeScript
 * and C, so that its functions take two blocks, the parent's and the own. The fixed places mirror the constants of
 * runtime/driver.ts and the enums of kanegen_runtime.h.
 */
import type { RobotModel } from './robot-model.ts';
import { SIGNATURES, type LinkFunctionName, type StagedLink } from '../programs/stages.ts';

/** Places in every block; poses, accelerations and other motions on their way outwards share theirs. */
const COMPOSITE = 0;
const PASSED = 10;
const VELOCITY = 22;
const WRENCH = 25;
/** From here on: q, q̇, q̈ and generalized forces of the link, wrench of the body, slot. */
export const BLOCK = 31;

/** In C: gravity, status of the staged state, block of the base, block that takes what is added to a parent, two wrenches. */
export const BASE = 4;
const SHARED = BASE + BLOCK + BLOCK + 6 + 6;

/** What a function of a link module is given: tables, blocks and outputs that are no part of a block. */
export type Region =
  | 'constants'
  | 'parameters'
  | 'parent'
  | 'own'
  | 'massBlock'
  | 'unitWrenches'
  | 'jacobianColumns'
  | 'energy'
  | 'distalWrench'
  | 'generalizedForce'
  | 'parentWrench';

export interface RegionPlace {
  readonly region: Region;
  readonly index: number;
}

/** Regions of a function in the order of its parameters, and which of them it writes. */
export interface RegionSignature {
  readonly regions: readonly Region[];
  readonly written: ReadonlySet<Region>;
}

const PARENT: Readonly<Record<string, number>> = {
  parentVelocity: VELOCITY,
  parentAcceleration: PASSED,
  parentGravity: PASSED,
  parentPose: PASSED,
  parentTravel: PASSED,
  parentWrench: WRENCH,
  parentComposite: COMPOSITE,
};

const OWN: Readonly<Record<string, number>> = {
  ownVelocity: VELOCITY,
  ownAcceleration: PASSED,
  ownGravity: PASSED,
  ownPose: PASSED,
  ownTravel: PASSED,
  distalWrench: WRENCH,
  distalComposite: COMPOSITE,
};

/** Buffers in the part of a block that is laid out by link type, in order, with their sizes. */
export function ownBuffers({
  type,
  slotSize,
}: StagedLink): readonly { readonly buffer: string; readonly size: number }[] {
  const size = type.coordinates.length;
  return [
    ...['q', 'qd', 'qdd', 'generalizedForce'].map((buffer) => ({ buffer, size })),
    { buffer: 'bodyWrench', size: type.bodyWrenchSize },
    { buffer: 'slot', size: slotSize },
  ];
}

/** Numbers in the block of a link of this type. */
export function blockSize(link: StagedLink): number {
  return ownBuffers(link).reduce((total, { size }) => total + size, BLOCK);
}

/** Start of every buffer that a function of the module of a link type reads or writes. */
export function bufferStarts(link: StagedLink, name: LinkFunctionName): ReadonlyMap<string, RegionPlace> {
  const own = new Map(Object.entries(OWN));
  let next = BLOCK;
  for (const { buffer, size } of ownBuffers(link)) {
    own.set(buffer, next);
    next += size;
  }
  const { reads, writes } = SIGNATURES[name];
  return new Map(
    [...reads, ...writes].map((buffer): [string, RegionPlace] => {
      // A wrench on its way to the base stands apart from the blocks.
      if (name === 'propagate' && /Wrench|Force/.test(buffer)) return [buffer, { region: buffer as Region, index: 0 }];
      const atParent = PARENT[buffer];
      if (atParent !== undefined) return [buffer, { region: 'parent', index: atParent }];
      const atOwn = own.get(buffer);
      return [buffer, atOwn === undefined ? { region: buffer as Region, index: 0 } : { region: 'own', index: atOwn }];
    }),
  );
}

const ORDER: readonly Region[] = [
  'parameters',
  'constants',
  'parent',
  'own',
  'massBlock',
  'unitWrenches',
  'jacobianColumns',
  'energy',
  'distalWrench',
  'generalizedForce',
  'parentWrench',
];

/** Parameters of a function of a link module, the same for every link type. */
export function regionSignature(link: StagedLink, name: LinkFunctionName): RegionSignature {
  const starts = bufferStarts(link, name);
  const used = new Set([...starts.values()].map(({ region }) => region));
  return {
    regions: ORDER.filter((region) => used.has(region)),
    written: new Set(SIGNATURES[name].writes.map((buffer) => starts.get(buffer)!.region)),
  };
}

export interface WorkspaceLayout {
  /** Coordinates of the robot. */
  readonly n: number;
  readonly unitWrenches: number;
  readonly columns: number;
  readonly massBlock: number;
  readonly share: number;
  /** Null where the values are constants of the robot. */
  readonly atBase: number | null;
  readonly atFrames: number | null;
  readonly linkParameters: number;
  readonly links: readonly {
    readonly block: number;
    /** Only for links whose constants depend on run-time parameters. */
    readonly constants: number;
    readonly parameters: number;
  }[];
  /** Numbers in all. */
  readonly size: number;
}

/** The workspace of a C robot. */
export function layOutWorkspace(model: RobotModel): WorkspaceLayout {
  let next = SHARED;
  const take = (size: number): number => {
    const start = next;
    next += size;
    return start;
  };
  const n = model.robot.coordinates.length;
  const widest = Math.max(0, ...model.instances.map(({ link }) => link.type.coordinates.length));
  const written = writtenBuffers(model);
  const shared = {
    n,
    unitWrenches: take(6 * widest),
    columns: take(6 * widest),
    massBlock: take(widest * widest),
    share: take(widest),
    atBase: written.has('base') ? take(12) : null,
    atFrames: written.has('frames') ? take(12 * model.frames.length) : null,
    linkParameters: next,
  };
  const parameters = model.instances.map(({ constants, link }) => (constants ? 0 : take(link.type.parameters.length)));
  const links = model.instances.map(({ link, constants }, i) => ({
    block: take(blockSize(link.staged)),
    constants: constants ? 0 : take(link.staged.constantsSize),
    parameters: parameters[i]!,
  }));
  return { ...shared, links, size: next };
}

/** Buffers that the set-up program writes. */
function writtenBuffers(model: RobotModel): ReadonlySet<string> {
  const statements = model.setup?.statements ?? [];
  return new Set(statements.flatMap((statement) => (statement.kind === 'store' ? [statement.place.buffer] : [])));
}
