/**
 * Where everything lies in a workspace. A link's numbers stand together in its block, in the same places in TypeScript
 * and C, so that its functions take two blocks, the parent's and the own. The places follow from `kane/link/buffers.ts`.
 */
import {
  BUFFER_NAMES,
  BUFFERS,
  FRAME_QUANTITIES,
  sizeOfBuffer,
  type Buffer,
  type FrameQuantity,
} from '../../kane/link/buffers.ts';
import { linkFunction, type LinkFunctionName } from '../../kane/link/kernels.ts';
import type { StagedLink } from '../programs/stages.ts';
import type { RobotModel } from './robot-model.ts';

const quantities = Object.entries(FRAME_QUANTITIES) as [FrameQuantity, number][];

/** Where the quantities of a frame begin in every block. */
export const FRAME_PLACES = Object.fromEntries(
  quantities.map(([name], i) => [name, quantities.slice(0, i).reduce((total, [, size]) => total + size, 0)]),
) as Readonly<Record<FrameQuantity, number>>;

/** From here on: coordinates, rates, accelerations and generalized forces of the link, wrench of the body, slot. */
export const BLOCK = quantities.reduce((total, [, size]) => total + size, 0);

/** In C: gravity, status of the staged state, block of the base, block that takes what is added to a parent, two wrenches. */
export const BASE = 4;
const SHARED = BASE + BLOCK + BLOCK + 6 + 6;

/** What a function of a link module is given: the blocks of parent and link, and buffers that are no part of a block. */
export type Region = 'parent' | 'own' | Buffer;

export interface RegionPlace {
  readonly region: Region;
  readonly index: number;
}

/** Regions of a function in the order of its parameters, and which of them it writes. */
export interface RegionSignature {
  readonly regions: readonly Region[];
  readonly written: ReadonlySet<Region>;
}

/** Buffers in the part of a block that is laid out by link type, in order, with their sizes. */
export function ownBuffers({ sizes }: StagedLink): readonly { readonly buffer: Buffer; readonly size: number }[] {
  const inBlock = BUFFER_NAMES.filter((buffer) => BUFFERS[buffer].place === 'own');
  return inBlock.map((buffer) => ({ buffer, size: sizeOfBuffer(buffer, sizes) }));
}

/** Numbers in the block of a link of this type. */
export function blockSize(link: StagedLink): number {
  return ownBuffers(link).reduce((total, { size }) => total + size, BLOCK);
}

/** Start of every buffer that a function of the module of a link type reads or writes. */
export function bufferStarts(link: StagedLink, name: LinkFunctionName): ReadonlyMap<Buffer, RegionPlace> {
  const own = new Map<Buffer, number>();
  let next = BLOCK;
  for (const { buffer, size } of ownBuffers(link)) {
    own.set(buffer, next);
    next += size;
  }
  const { reads, writes } = linkFunction(name);
  const indexOf = (buffer: Buffer, region: Region): number => {
    if (region === buffer) return 0;
    const [, quantity] = BUFFERS[buffer].place.split('.');
    return quantity === undefined ? own.get(buffer)! : FRAME_PLACES[quantity as FrameQuantity];
  };
  return new Map(
    [...reads, ...writes].map((buffer) => {
      const region = regionOf(buffer, name);
      return [buffer, { region, index: indexOf(buffer, region) }];
    }),
  );
}

function regionOf(buffer: Buffer, name: LinkFunctionName): Region {
  const { place } = BUFFERS[buffer];
  if (place === 'apart' || linkFunction(name).apart?.includes(buffer)) return buffer;
  return place.split('.')[0] as 'parent' | 'own';
}

const FIRST: readonly Region[] = ['parameters', 'constants', 'parent', 'own'];

/** Parameters of a function of a link module, the same for every link type. */
export function regionSignature(name: LinkFunctionName): RegionSignature {
  const { reads, writes } = linkFunction(name);
  const used = new Set([...reads, ...writes].map((buffer) => regionOf(buffer, name)));
  return {
    regions: [...FIRST.filter((region) => used.has(region)), ...[...used].filter((region) => !FIRST.includes(region))],
    written: new Set(writes.map((buffer) => regionOf(buffer, name))),
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
    constants: constants ? 0 : take(link.staged.sizes.constants),
    parameters: parameters[i]!,
  }));
  return { ...shared, links, size: next };
}

/** Buffers that the set-up program writes. */
function writtenBuffers(model: RobotModel): ReadonlySet<string> {
  const statements = model.setup?.statements ?? [];
  return new Set(statements.flatMap((statement) => (statement.kind === 'store' ? [statement.place.buffer] : [])));
}
