/**
 * Where everything lies in a workspace. A link's numbers stand together in its block, in the same places in TypeScript
 * and C, so that its functions take two blocks, the parent's and the own. The places follow from `kane/kernels/buffers.ts`.
 */
import {
  BUFFER_NAMES,
  BUFFERS,
  MOST_HELD,
  sizeOfBuffer,
  type Buffer,
  type BufferRecord,
} from '../../kane/kernels/buffers.ts';
import { PLACES_OF_FRAMES, QUANTITIES, type Quantity, type QuantityRecord } from '../../kane/kernels/quantities.ts';
import { movingTerms } from '../../kane/kernels/link-type.ts';
import { linkFunction, type LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import { borderOf, OF_LOAD } from './border.ts';
import { gathersMass } from './mass-entries.ts';
import { eliminationOf, formsTangent } from './newton-step.ts';
import type { StagedLink } from '../programs/stages.ts';
import { contactPairs } from '../../description/model/contact.ts';
import { prescribedNames } from '../../description/model/robot.ts';
import {
  distributesForces,
  drivesBetweenLinks,
  loopRows,
  movesActuators,
  changesLoopSteps,
  weighsLoopSteps,
  yieldsLoops,
  type RobotModel,
} from './robot-model.ts';

const places = Object.entries(PLACES_OF_FRAMES) as [keyof typeof PLACES_OF_FRAMES, number][];

const recordOf = (buffer: Buffer): BufferRecord => BUFFERS[buffer];

/** Where those of a frame begin in every block. */
export const FRAME_PLACES = Object.fromEntries(
  places.map(([name], i) => [name, places.slice(0, i).reduce((total, [, size]) => total + size, 0)]),
) as Readonly<Record<keyof typeof PLACES_OF_FRAMES, number>>;

/** From here on: coordinates, rates, accelerations and generalized forces of the link, wrench of the body, slot. */
export const BLOCK = places.reduce((total, [, size]) => total + size, 0);

/** The first number of a quantity there. */
export function placeOf(quantity: Quantity): number {
  const { place, from = 0 }: QuantityRecord = QUANTITIES[quantity];
  return FRAME_PLACES[place] + from;
}

/**
 * What a function of a link module is given: the blocks of parent and link, those of their changes along a direction, and buffers
 * that are no part of a block.
 */
export type Region = 'parent' | 'own' | 'parentTangent' | 'ownTangent' | Buffer;

export interface RegionPlace {
  readonly region: Region;
  readonly index: number;
  /** What begins there; of buffers that are no part of a block, none. */
  readonly place?: BlockPlace;
}

/** What has a place in blocks: quantities of frames, the parts that they share, and buffers of the link. */
export type BlockPlace = Quantity | keyof typeof PLACES_OF_FRAMES | Buffer;

/** Where it begins in the block of a link, the link's own buffers aside. */
export function startOfFrame(place: BlockPlace): number | undefined {
  if (place in FRAME_PLACES) return FRAME_PLACES[place as keyof typeof PLACES_OF_FRAMES];
  return place in QUANTITIES ? placeOf(place as Quantity) : undefined;
}

/** What stands where a buffer begins in a block. */
export function blockPlaceOf(buffer: Buffer): BlockPlace {
  const { place, mirrors = buffer } = recordOf(buffer);
  return typeof place === 'object' ? place.of : (mirrors as Buffer);
}

/** Regions of a function in the order of its parameters, and which of them it writes. */
export interface RegionSignature {
  readonly regions: readonly Region[];
  readonly written: ReadonlySet<Region>;
}

/** Buffers in the part of a block that is laid out by link type, in order, with their sizes. */
export function ownBuffers({ sizes }: StagedLink): readonly { readonly buffer: Buffer; readonly size: number }[] {
  const inBlock = BUFFER_NAMES.filter((buffer) => recordOf(buffer).place === 'own' && !recordOf(buffer).mirrors);
  return inBlock.map((buffer) => ({ buffer, size: sizeOfBuffer(buffer, sizes) }));
}

/** Numbers in the block of a link of this type. */
export function blockSize(link: StagedLink): number {
  return ownBuffers(link).reduce((total, { size }) => total + size, BLOCK);
}

/** Numbers in the block of changes of a link of this type: as many as that of the link has before its slot. */
function tangentBlockSize(link: StagedLink): number {
  const own = ownBuffers(link);
  const before = own.slice(
    0,
    own.findIndex(({ buffer }) => buffer === 'slot'),
  );
  return before.reduce((total, { size }) => total + size, BLOCK);
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
    const { place, mirrors = buffer } = recordOf(buffer);
    return typeof place === 'object' ? placeOf(place.of) : own.get(mirrors as Buffer)!;
  };
  return new Map(
    [...reads, ...writes].map((buffer) => {
      const region = regionOf(buffer, name);
      return [
        buffer,
        { region, index: indexOf(buffer, region), ...(region !== buffer && { place: blockPlaceOf(buffer) }) },
      ];
    }),
  );
}

function regionOf(buffer: Buffer, name: LinkFunctionName): Region {
  const { place, mirrors } = recordOf(buffer);
  if (place === 'apart' || linkFunction(name).apart?.includes(buffer)) return buffer;
  const block = typeof place === 'object' ? place.block : 'own';
  return mirrors === undefined ? block : `${block}Tangent`;
}

const FIRST: readonly Region[] = ['parameters', 'constants', 'parent', 'own', 'parentTangent', 'ownTangent'];

/** Parameters of a function of a link module, the same for every link type. */
export function regionSignature(name: LinkFunctionName): RegionSignature {
  const { reads, writes } = linkFunction(name);
  const used = new Set([...reads, ...writes].map((buffer) => regionOf(buffer, name)));
  return {
    regions: [...FIRST.filter((region) => used.has(region)), ...[...used].filter((region) => !FIRST.includes(region))],
    written: new Set(writes.map((buffer) => regionOf(buffer, name))),
  };
}

/** Part of a workspace. */
export interface Part {
  readonly at: number;
  readonly size: number;
}

/** What terms have of each of the frames that they hold: its pose and motion, a wrench on it, and changes of both. */
const HELD_PARTS = {
  Axes: 9,
  Origin: 3,
  Twist: 6,
  Bias: 6,
  Load: 6,
  AxesTangent: 9,
  OriginTangent: 3,
  LoadTangent: 6,
  TwistTangent: 6,
  BiasTangent: 6,
} as const;

export type HeldPart = keyof typeof HELD_PARTS;
/** As many as `MOST_POINTS`. */
const FRAME_NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15] as const;
type FrameNumber = (typeof FRAME_NUMBERS)[number];

/** @param frame its index among those of the term. */
export const heldPart = (part: HeldPart, frame: number): `held${HeldPart}${FrameNumber}` =>
  `held${part}${FRAME_NUMBERS[frame]!}`;

/** What drivers keep beside the blocks of links. */
export type SharedPart =
  | 'gravity'
  /** Of robots that depend on it. */
  | 'time'
  /** In C, what the last update returned; see kanegen_runtime.h. */
  | 'staged'
  /** Blocks of the base, and of what a link adds to a parent that has something already. */
  | 'base'
  | 'addend'
  /** Block of the changes of the base: none. */
  | 'baseTangent'
  /** Two wrenches that take turns on their way to the base, and the generalized forces of a link that they pass. */
  | 'wrenchA'
  | 'wrenchB'
  | 'share'
  /** Outputs of one link that are no part of its block. */
  | 'unitWrenches'
  | 'unitMomenta'
  | 'jacobianColumns'
  /** Motions of all coordinates in the first link of their tree, six rows of them, where the mass matrix is gathered. */
  | 'motions'
  | 'massBlock'
  | 'forceMatrix'
  | 'energy'
  | 'unsolvedSection'
  /** What is reported of contacts of a link, or of two. */
  | 'contactPairs'
  | 'heldForce'
  /** Which link has a pivot that is not positive, counted from 1; zero: none. */
  | 'refused'
  /** Inputs of the actuators within a link, and what it has of their coordinates. */
  | 'inputs'
  | 'actuationCoordinates'
  | 'actuationGradients'
  | 'actuationRates'
  /** Origin of a frame, or a material point. */
  | 'point'
  /** Material coordinates of a point, columns of its Jacobian, its motion. */
  | 'material'
  | 'pointColumns'
  | 'pointMotion'
  /** Motion of a link. */
  | 'drift'
  /** Of terms that hold frames: rate and second derivative, and what belongs to each of their frames. */
  | 'heldRates'
  | `held${HeldPart}${FrameNumber}`
  /** Motions of the links of all places, and of robots with loops their changes or derivatives by them. */
  | 'placeDrifts'
  | 'placeDriftTangents'
  /** In TypeScript, run-time parameters as they were when constants and what follows were made of them. */
  | 'keptParameters'
  /** Empty where these are constants of the robot. */
  | 'basePose'
  | 'frameOffsets'
  | 'linkParameters'
  /** The end of them: what formulas of several links mention, all where there are changes along them. */
  | 'formulaParameters'
  /** Changes of the parameters of all links, and of rotations and origins of places that run-time parameters move. */
  | 'linkParametersTangent'
  | 'placeOffsetsTangent'
  /** Those of run-time parameters that formulas of frames mention. */
  | 'formulaParametersTangent'
  /** Where the tangent of inverse dynamics is solved with: wrenches of the base and of all links by motions of theirs; what is left of links. */
  | 'loads'
  | 'factors'
  /** Of a right-hand side: coordinates, wrenches and motions of the base and of all links. */
  | 'solved'
  | 'answerWrenches'
  | 'answerMotions'
  /** Says whether factors are complete. */
  | 'factored'
  /** Rows of pivots, of the tangent as a matrix or of the border. */
  | 'pivotRows'
  /** Columns of one link. */
  | 'tableau'
  /** The right-hand side and the tangent, column by column, where it is formed as a matrix. */
  | 'tangentMatrix'
  /**
   * Of actuators between links: wrenches on those that they hold, what these do along a coordinate, columns of the border, answers to
   * them, what loads change by on each, changes of forces by formulas.
   */
  | 'heldWrenches'
  /** Of robots with contacts between links, six numbers for each held link as in `heldWrenches`, the first above zero where anything acts. */
  | 'acting'
  | 'borne'
  | 'fed'
  | 'answers'
  | 'border'
  /** What loads change by along each coordinate. */
  | 'reach'
  | 'pulled'
  /** A coordinate that changes by one; for contacts between links an answer of an implicit step. */
  | 'unitChange'
  /** Rates that follow an answer of an implicit step, for contacts between links. */
  | 'rateChange'
  /** Generalized forces less those between frames. */
  | 'netForce'
  /** A run-time parameter that does. */
  | 'unitParameter'
  /** Of rows of a loop: values, or rates and second derivatives; wrenches on its frames, frame by frame. */
  | 'loopValues'
  | 'loopWrenches'
  /** Of all actuators, where rows hold some: coordinates, rates and second derivatives, gradients. */
  | 'heldLengths'
  | 'heldLengthRates'
  | 'heldLengthBiases'
  | 'heldLengthGradients'
  /** Of all rows: through the coordinates of all links, what accelerations have to meet, rates, residuals, multipliers, their rank. */
  | 'loopColumns'
  | 'loopTargets'
  | 'loopRates'
  | 'loopResiduals'
  | 'loopMultipliers'
  | 'loopRank'
  | 'loopWork'
  /** Of rows that give way: by what, and how multipliers are found; states of ropes; all gradients. */
  | 'loopStiffness'
  | 'loopDamping'
  | 'loopRopes'
  | 'loopTaut'
  | 'loopKinds'
  | 'loopSoftness'
  | 'loopGradients'
  /** Derivatives of what rows ask in a step, by coordinates. */
  | 'loopCurvatures'
  /** How a step goes on: rates after it, over its time. */
  | 'loopDirection'
  /** Of forces that multipliers take part of. */
  | 'loopEfforts'
  /** Quotients of a right-hand side, and the pivots. */
  | 'freeQuotients'
  | 'loopPivots'
  /** In C, that parameters were given; see kanegen_runtime.h. */
  | 'given';

export interface WorkspaceLayout {
  /** Coordinates of the robot. */
  readonly n: number;
  /** Actuators of the robot. */
  readonly u: number;
  /** Run-time parameters of the robot. */
  readonly p: number;
  /** Rows of loops. */
  readonly r: number;
  /** Coordinates that follow the time. */
  readonly s: number;
  /** Pairs of contacts. */
  readonly k: number;
  readonly shared: Readonly<Record<SharedPart, Part>>;
  readonly links: readonly {
    readonly block: Part;
    /** Only for links whose constants depend on run-time parameters; otherwise empty. */
    readonly constants: Part;
    readonly parameters: Part;
    /** Changes of its parameters along a direction of the run-time parameters; empty without. */
    readonly parametersTangent: Part;
    /** Block of its changes along a direction, empty without derivatives. */
    readonly tangent: Part;
  }[];
  /** Numbers in all. */
  readonly size: number;
}

/** What drivers are printed from beside the robot. */
export type DriverLayout = Pick<WorkspaceLayout, 'n' | 'u' | 'p' | 'r' | 's' | 'k' | 'links'>;

/** The workspace of a robot. */
export function layOutWorkspace(model: RobotModel): WorkspaceLayout {
  let next = 0;
  const take = (size: number): Part => {
    const at = next;
    next += size;
    return { at, size };
  };
  const n = model.robot.coordinates.length;
  const widest = Math.max(0, ...model.instances.map(({ link }) => link.type.coordinates.length));
  const mostOf = (buffer: Buffer): number =>
    Math.max(0, ...model.instances.map(({ link }) => sizeOfBuffer(buffer, link.staged.sizes)));
  const written = writtenBuffers(model);
  const open = model.instances.map(({ constants, link }) => (constants ? 0 : link.type.parameters.length));
  const ofChanges = model.instances.map(({ link }) => (model.parametric ? link.type.parameters.length : 0));
  const ofLinks = open.reduce((total, size) => total + size, 0);
  const ofFormulas = model.held.length;
  // A wrench of the caller on a frame changes as those of terms do.
  const { shapes = [], closures = [] } = model.reaching ?? {};
  const most = Math.max(0, ...shapes.map(({ count }) => count));
  // Derivatives of rows of loops see whole frames.
  const mostOfRows = model.derivatives ? Math.max(0, ...closures.flat().map(({ count }) => count)) : 0;
  const mostHeld = Math.max(most, mostOfRows);
  const seesMotions = model.derivatives && movingTerms(model.reaching).length > 0;
  const mostMoving = Math.max(mostOfRows, ...shapes.map(({ isMoving, count }) => (isMoving ? count : 0)));
  const r = loopRows(model);
  const yielding = yieldsLoops(model) ? r : 0;
  const isStepped = changesLoopSteps(model) || weighsLoopSteps(model);
  const s = prescribedNames(model.robot).length;
  const holdsLengths = (model.robot.loops ?? []).some(({ actuator }) => actuator !== undefined);
  const driven = holdsLengths ? model.robot.actuators.length : 0;
  const k = contactPairs(model.robot).length;
  const mostRows = Math.max(0, ...closures.map((closure) => closure.length));
  const held = Object.fromEntries(
    (Object.entries(HELD_PARTS) as [HeldPart, number][]).flatMap(([part, size]) =>
      FRAME_NUMBERS.map((k) => {
        const isMoving = part === 'TwistTangent' || part === 'BiasTangent';
        const isThere = part.endsWith('Tangent')
          ? model.derivatives && k < Math.max(1, mostHeld) && (!isMoving || k < mostMoving)
          : k < mostHeld;
        return [heldPart(part, k), take(isThere ? size : 0)];
      }),
    ),
  ) as Record<ReturnType<typeof heldPart>, Part>;
  const border = borderOf(model);
  const isDeducted = model.gradients && drivesBetweenLinks(model);
  const movesPlaces = movesActuators(model);
  const columns = model.derivatives ? (border?.columns ?? 0) + OF_LOAD : 0;
  const { motion, underLoad, loads, stride, factors } = eliminationOf(model);
  const frames = model.derivatives ? 1 + model.instances.length : 0;
  const forms = formsTangent(model);
  const parts = {
    gravity: take(3),
    time: take(model.robot.time ? 1 : 0),
    staged: take(1),
    base: take(BLOCK),
    addend: take(BLOCK),
    baseTangent: take(model.derivatives ? BLOCK : 0),
    wrenchA: take(6),
    wrenchB: take(6),
    unitWrenches: take(6 * widest),
    unitMomenta: take(model.momentum ? 6 * widest : 0),
    jacobianColumns: take(6 * widest),
    motions: take(gathersMass(model) ? 6 * n : 0),
    massBlock: take(widest * widest),
    forceMatrix: take(hasForces(model) ? widest * widest : 0),
    share: take(widest),
    energy: take(3),
    unsolvedSection: take(model.links.some(({ has }) => has.has('unsolved')) ? 2 : 0),
    contactPairs: take(Math.max(mostOf('contactPairs'), ...shapes.map(({ pairs = [] }) => pairs.length))),
    heldForce: take(s > 0 ? MOST_HELD : 0),
    refused: take(1),
    inputs: take(mostOf('inputs')),
    actuationCoordinates: take(mostOf('actuationCoordinates')),
    actuationGradients: take(mostOf('actuationGradients')),
    actuationRates: take(mostOf('actuationRates')),
    point: take(3),
    drift: take(12),
    material: take(model.points ? 3 : 0),
    pointColumns: take(model.points ? 3 * widest : 0),
    pointMotion: take(model.points ? 6 : 0),
    heldRates: take(most > 0 ? 2 : 0),
    ...held,
    placeDrifts: take(12 * model.places.length),
    placeDriftTangents: take((model.derivatives && r > 0) || seesMotions ? 12 * model.places.length : 0),
    keptParameters: take(model.setup ? model.parameters.length : 0),
    basePose: take(written.has('base') ? 12 : 0),
    frameOffsets: take(written.has('frames') ? 12 * (model.frames.length + model.places.length) : 0),
    linkParameters: take(ofLinks + ofFormulas),
    linkParametersTangent: take(ofChanges.reduce((total, size) => total + size, 0)),
    placeOffsetsTangent: take(model.moving ? 12 * model.places.length : 0),
    formulaParametersTangent: take(model.moving ? model.held.length : 0),
    loads: take(loads * frames),
    factors: take(model.derivatives ? factors.link * model.instances.length + factors.coordinate * n : 0),
    solved: take(model.derivatives ? n : 0),
    answerWrenches: take(6 * frames),
    answerMotions: take(motion * frames),
    factored: take(model.derivatives ? 1 : 0),
    tableau: take(model.derivatives ? (stride + motion) * (widest + motion) : 0),
    tangentMatrix: take(forms ? n * (n + 1) : 0),
    pivotRows: take(Math.max(columns, forms ? n : 0)),
    heldWrenches: take(6 * (border?.held.length ?? 0)),
    acting: take(border && seesMotions ? model.instances.length : 0),
    borne: take(model.derivatives ? stride * n : 0),
    fed: take((stride + 1) * columns),
    answers: take(model.derivatives ? n * underLoad : 0),
    border: take(columns * underLoad),
    reach: take(n * (border?.columns ?? 0)),
    pulled: take((border && border.pulled.length > 0) || isDeducted || movesPlaces || seesMotions ? n : 0),
    unitChange: take(isDeducted || seesMotions ? n : 0),
    rateChange: take(seesMotions ? n : 0),
    netForce: take(model.reaching && model.reaching.forces.length + model.reaching.pushes.length > 0 ? n : 0),
    unitParameter: take(movesPlaces ? model.parameters.length : 0),
    loopValues: take(2 * mostRows),
    loopWrenches: take(6 * Math.max(0, ...closures.map((closure) => closure.length * closure[0]!.count))),
    heldLengths: take(driven),
    heldLengthRates: take(driven),
    heldLengthBiases: take(driven),
    heldLengthGradients: take(n * driven),
    loopColumns: take(r * n),
    loopTargets: take(r),
    loopRates: take(r),
    loopResiduals: take(r),
    loopMultipliers: take(r),
    loopRank: take(r > 0 ? 1 : 0),
    loopWork: take(r > 0 ? 2 * r * r + 6 * r + n : 0),
    loopStiffness: take(yielding),
    loopDamping: take(yielding),
    loopRopes: take(yielding),
    loopTaut: take(yielding > 0 ? r + 1 : 0),
    loopKinds: take(yielding),
    loopSoftness: take(yielding),
    loopGradients: take(yielding > 0 || distributesForces(model) || isStepped ? r * n : 0),
    loopCurvatures: take(changesLoopSteps(model) ? r * n : 0),
    loopDirection: take(isStepped ? n : 0),
    loopEfforts: take(distributesForces(model) ? (n + r + 3) * (r + 1) : 0),
    freeQuotients: take(r > 0 ? n : 0),
    loopPivots: take(r > 0 ? n : 0),
  };
  const ofDriver = { ...parts, formulaParameters: { at: parts.linkParameters.at + ofLinks, size: ofFormulas } };
  let parameters = ofDriver.linkParameters.at;
  let changes = ofDriver.linkParametersTangent.at;
  const links = model.instances.map(({ link, constants }, i) => {
    parameters += open[i]!;
    changes += ofChanges[i]!;
    return {
      block: take(blockSize(link.staged)),
      constants: take(constants ? 0 : link.staged.sizes.constants),
      parameters: { at: parameters - open[i]!, size: open[i]! },
      parametersTangent: { at: changes - ofChanges[i]!, size: ofChanges[i]! },
      tangent: take(model.derivatives ? tangentBlockSize(link.staged) : 0),
    };
  });
  const shared = { ...ofDriver, given: take(1) };
  return { n, u: model.robot.actuators.length, p: model.parameters.length, r, s, k, shared, links, size: next };
}

function hasForces({ links }: RobotModel): boolean {
  return links.some(({ has }) => has.has('stiffness') || has.has('dissipation'));
}

/** Shared parts that programs of the driver read and write under their own names. */
export const IN_WORKSPACE: ReadonlySet<string> = new Set<SharedPart>([
  'gravity',
  'basePose',
  'base',
  'point',
  'formulaParameters',
  'heldRates',
  'loopValues',
  'loopWrenches',
  'loopStiffness',
  'loopDamping',
  'loopRopes',
  'contactPairs',
  'time',
  ...(Object.keys(HELD_PARTS) as HeldPart[]).flatMap((part) => FRAME_NUMBERS.map((k) => heldPart(part, k))),
  'baseTangent',
  'linkParametersTangent',
  'placeOffsetsTangent',
  'formulaParametersTangent',
]);

/** Buffers that the set-up program writes. */
function writtenBuffers(model: RobotModel): ReadonlySet<string> {
  const statements = model.setup?.statements ?? [];
  return new Set(statements.flatMap((statement) => (statement.kind === 'store' ? [statement.place.buffer] : [])));
}
