/**
 * The `parameters` block of a reference file → a robot in the language of robot files (as an object).
 *
 * Reference files list segments: joints, constant transforms, bodies. A joint and the constant transforms before it
 * merge into the link of the body that follows; joints without a body of their own get a massless one.
 */
import { KanegenError } from '../../common/error.ts';
import { loadRobotObject } from '../../description/load.ts';
import {
  areParallel,
  referenceChamber,
  referenceTendons,
  type ReferenceChamber,
  type ReferenceTendon,
} from './reference-actuators.ts';
import { hasLoops, referenceLoops, unknownLoop, type ReferenceChain, type ReferenceLoop } from './reference-loops.ts';
import {
  isAddedMass,
  referenceWater,
  requireFluid,
  WATER_KINDS,
  WEIGHTLESS,
  type ReferenceFluid,
  type WaterKind,
} from './reference-water.ts';
import {
  balancedType,
  BODIES,
  DAMPING_KINDS,
  elasticType,
  type DampingKind,
  type LibraryBody,
  tensionName,
  type Segment,
  type Vector,
} from './reference-bodies.ts';

/** Contents of `parameters` in a reference file. */
interface ReferenceParameters {
  readonly gravity: Vector;
  /** From the base, in the order of coordinates: one where the file has `links`. */
  readonly chains: readonly ReferenceChain[];
  readonly loops?: readonly ReferenceLoop[];
  readonly tendons?: readonly ReferenceTendon[];
  readonly fluid?: ReferenceFluid;
  /** Of the one body. */
  readonly chambers?: readonly ReferenceChamber[];
}

interface PendingLink {
  parent?: 'base';
  offset?: object;
  joint?: object;
  mount?: object;
}

const JOINTS = new Set(['revolute', 'prismatic', 'free']);

export type ReferenceRobot =
  | {
      readonly robot: object;
      /** Relative error that integrals without a closed form are allowed; zero when there are none. */
      readonly tolerance: number;
    }
  /** Why it cannot be expressed. */
  | { readonly unsupported: string };

/**
 * @param parameters - the block `parameters` of a reference file, as parsed JSON.
 * @param name - name of the robot.
 * @param law - which of the laws of damping, or of the effects of water, that the file gives numbers for.
 * @param integrals - tolerance of the integrals over bodies, in place of what suits each body.
 * @param points - along rods in water, in place of as many as their bodies take.
 * @returns the robot as an object for `loadRobotObject`, or the first segment type that does not exist yet.
 * @throws KanegenError `malformed-reference` when the block is not of the known form.
 */
export function referenceRobot(
  parameters: unknown,
  name = 'reference',
  integrals?: number,
  law?: ReferenceLaw,
  points?: number,
): ReferenceRobot {
  const waterKind = WATER_KINDS.find((kind) => kind === law);
  const damping = DAMPING_KINDS.find((kind) => kind === law);
  const { gravity, fluid, chains, loops = [], tendons = [], chambers = [] } = checked(parameters);
  const isWeightless = waterKind !== undefined && isAddedMass(waterKind);
  const lightened = ({ links: own }: ReferenceChain): readonly Segment[] =>
    isWeightless ? own.map((segment) => ({ ...segment, rho: WEIGHTLESS })) : own;
  const segmentsOf = chains.map(lightened);
  const segments = segmentsOf.flat();
  const unsupported = segments.find(
    ({ type }) => !BODIES.has(type) && !JOINTS.has(type) && type !== 'fixed' && type !== 'rigid',
  );
  if (unsupported?.type === 'implicit_strain') return balancedRobot(gravity, segments, tendons, name, integrals);
  if (unsupported) return { unsupported: `body type ${unsupported.type} does not exist yet` };
  const strange = unknownLoop(loops);
  if (strange !== undefined) return { unsupported: `a loop of type ${strange} does not exist yet` };
  const cavities = chambers.map((chamber) => [chamber.name, referenceChamber(chamber)] as const);
  if (cavities.some(([, cavity]) => cavity === undefined))
    return { unsupported: 'a chamber in material that keeps its volume, which is an error in robot files' };
  const isRouted = !areParallel(tendons);
  const ownChambers = chambersOf(cavities, chambers);
  const links: object[] = [];
  const types: Record<string, object> = {};
  /** Of every segment, the name of the link that it is part of. */
  const places: string[] = [];
  let pending: PendingLink = {};
  const finish = (body: object): void => {
    links.push({ name: linkName(links.length), ...pending, ...body });
    pending = {};
  };
  const add = (segment: Segment): void => {
    const { type } = segment;
    if (JOINTS.has(type) && pending.joint) finish({ rigid: {} });
    places.push(linkName(links.length));
    if (JOINTS.has(type)) {
      pending.joint = { [type]: type === 'free' ? {} : segment.axis };
    } else if (type === 'fixed') {
      const place = pending.joint ? 'mount' : 'offset';
      if (pending[place]) finish({ rigid: {} });
      pending[pending.joint ? 'mount' : 'offset'] = poseOf(segment);
    } else if (type === 'rigid') finish({ rigid: rigidOf(segment) });
    else {
      const body = BODIES.get(type)!;
      const own = ownType(body, segment, integrals ?? (isRouted ? ROUTES : undefined), damping, ownChambers);
      const known = own && Object.keys(types).find((key) => JSON.stringify(types[key]) === JSON.stringify(own));
      const name = known ?? (own ? `${type.replace(/_/g, '-')}-${links.length + 1}` : body.body);
      if (own) types[name] = own;
      finish({ body: name, parameters: body.parameters(segment) });
    }
  };
  const ends = segmentsOf.map((chain) => {
    if (links.length > 0) pending.parent = 'base';
    chain.forEach(add);
    if (Object.keys(pending).length > 0) finish({ rigid: {} });
    return linkName(links.length - 1);
  });
  const allowed = segments.flatMap((segment) => {
    const body = BODIES.get(segment.type);
    if (!body) return [];
    return isSolid(segment) ? [10 * solidIntegrals(body)] : [body.tolerance ?? 0];
  });
  const tendonLanguage = referenceTendons(tendons, (segment) => ({
    link: places[segment]!,
    axial: BODIES.get(segments[segment]!.type)?.axial ?? 's',
  }));
  const pressures = chambers.map((chamber) => [
    `pressure_${chamber.name}`,
    { pressure: `${places[0]!}.${chamber.name}` },
  ]);
  const actuators = { ...tendonLanguage.actuators, ...(Object.fromEntries(pressures) as object) };
  const tolerance = Math.max(0, isRouted ? ROUTES_ALLOWED : 0, ...allowed);
  const { parameters: numbers } = tendonLanguage;
  const driven = Object.keys(actuators).length > 0 && { parameters: numbers, actuators };
  const water = waterKind && { water: referenceWater(requireFluid(fluid), waterKind, points) };
  const tree = { kanegen: 1, name, gravity, 'body-types': types, links };
  const names = (): readonly string[] => loadRobotObject(tree).coordinates.map((own) => own.name);
  const closed = loops.length > 0 && { loops: referenceLoops(loops, ends, names) };
  return { robot: { ...tree, ...driven, ...water, ...closed }, tolerance };
}

/** A rod whose sections balance the tensions that are its coordinates. */
function balancedRobot(
  gravity: Vector,
  segments: readonly Segment[],
  tendons: readonly ReferenceTendon[],
  name: string,
  integrals: number | undefined,
): ReferenceRobot {
  const [rod, ...others] = segments;
  if (others.length > 0) return { unsupported: 'a chain with a rod whose strain is implicit' };
  if (!rod!.material || tendons.length === 0)
    return { unsupported: 'rods whose strain is implicit need a material and tendons' };
  const type = balancedType(rod!, tendons, integrals ?? BALANCED);
  const actuators = Object.fromEntries(
    tendons.map((own, j) => [`tendon_${own.name}`, { drives: `link1.${tensionName(j)}` }]),
  );
  return {
    robot: {
      ...{ kanegen: 1, name, gravity, 'body-types': { 'implicit-strain': type } },
      ...{ links: [{ name: 'link1', body: 'implicit-strain' }], actuators },
    },
    tolerance: BALANCED_ALLOWED,
  };
}

/** Tolerance of their integrals, and what they are compared to. */
const BALANCED = 1e-12;
const BALANCED_ALLOWED = 1e-11;

/** Tolerance of lengths that are integrals, and what they are compared to. */
const ROUTES = 1e-11;
const ROUTES_ALLOWED = 1e-10;

const linkName = (index: number): string => `link${index + 1}`;

/** What the type of the body says of its chambers; nothing without. */
function chambersOf(
  cavities: readonly (readonly [string, object | undefined])[],
  chambers: readonly ReferenceChamber[],
): object | undefined {
  if (chambers.length === 0) return undefined;
  const wall = chambers.find((chamber) => chamber.wall !== undefined)?.wall;
  return {
    ...(wall !== undefined && { parameters: { wall } }),
    chambers: Object.fromEntries(cavities) as object,
  };
}

const isSolid = ({ material }: Segment): boolean => material !== undefined && material.law !== 'rod_elasticity';
const solidIntegrals = ({ solid = 1e-10 }: LibraryBody): number => solid;

/** A type of the library with a material, another shape or another tolerance of its integrals; none where the library's own will do. */
function ownType(
  body: LibraryBody,
  segment: Segment,
  integrals: number | undefined,
  damping: DampingKind | undefined,
  chambers: object | undefined,
): object | undefined {
  const elastic = elasticType(body, segment, damping);
  const tolerance = integrals ?? (isSolid(segment) ? solidIntegrals(body) : body.integrals);
  if (!elastic && !body.type && !chambers && tolerance === undefined) return undefined;
  return {
    ...(body.type ?? { extends: body.body }),
    ...elastic,
    ...(chambers && body.driven && { coordinates: body.driven }),
    ...chambers,
    ...(tolerance !== undefined && { integration: { tolerance } }),
  };
}

export type ReferenceLaw = DampingKind | WaterKind;

/** The laws of damping that the segments have constants of, or the effects of water. */
export function referenceLaws(parameters: unknown): readonly ReferenceLaw[] {
  const { chains, fluid } = checked(parameters);
  if (fluid) return WATER_KINDS;
  const segments = chains.flatMap(({ links }) => links);
  return DAMPING_KINDS.filter((kind) => segments.some(({ damping }) => damping?.[kind] !== undefined));
}

function checked(parameters: unknown): ReferenceParameters {
  const block = parameters as (Partial<ReferenceParameters> & Partial<ReferenceChain>) | null | undefined;
  const isTyped = (own: unknown): boolean => typeof (own as Segment | null)?.type === 'string';
  const areTyped = (list: unknown): boolean => Array.isArray(list) && list.every(isTyped);
  const closed = hasLoops(block);
  const chains = closed ? block?.chains : [{ links: block?.links ?? [] }];
  const sound =
    Array.isArray(block?.gravity) &&
    (closed ? areTyped(block.loops) : Array.isArray(block.links)) &&
    Array.isArray(chains) &&
    chains.every((chain: unknown) => areTyped((chain as ReferenceChain | null)?.links));
  if (!sound)
    throw new KanegenError(
      'malformed-reference',
      'a reference file needs `parameters: { gravity, links }`, or `{ gravity, chains, loops }`',
      { remedy: 'see the format of the files in test/reference' },
    );
  return { ...(block as ReferenceParameters), chains: chains as readonly ReferenceChain[] };
}

function poseOf(segment: Segment): object {
  return { matrix: segment.R, xyz: segment.p };
}

function rigidOf(segment: Segment): object {
  const I = segment.inertia!;
  return {
    frame: segment.inertial_frame ?? 'proximal',
    mass: segment.mass,
    com: segment.com,
    inertia: { about: 'com', xx: I[0]![0], yy: I[1]![1], zz: I[2]![2], xy: I[0]![1], xz: I[0]![2], yz: I[1]![2] },
    distal: poseOf(segment),
  };
}
