/**
 * The `parameters` block of a reference file → a robot in the language of robot files (as an object).
 *
 * Reference files list segments: joints, constant transforms, bodies. A joint and the constant transforms before it
 * merge into the link of the body that follows; joints without a body of their own get a massless one.
 */
import { KanegenError } from '../symbolic/error.ts';
import {
  BODIES,
  DAMPING_KINDS,
  elasticType,
  type DampingKind,
  type LibraryBody,
  type Segment,
  type Vector,
} from './reference-bodies.ts';

/** Contents of `parameters` in a reference file. */
export interface ReferenceParameters {
  readonly gravity: Vector;
  readonly links: readonly Segment[];
}

interface PendingLink {
  offset?: object;
  joint?: object;
  mount?: object;
}

const JOINTS = new Set(['revolute', 'prismatic']);

export type ReferenceRobot =
  | {
      readonly robot: object;
      /** Relative error that integrals without a closed form are allowed; zero when there are none. */
      readonly tolerance: number;
    }
  /** The segment type that cannot be expressed yet. */
  | { readonly unsupported: string };

/**
 * @param parameters - the block `parameters` of a reference file, as parsed JSON.
 * @param name - name of the robot.
 * @param damping - which of the laws that the file gives numbers for.
 * @param integrals - tolerance of the integrals over bodies, in place of what suits each body.
 * @returns the robot as an object for `loadRobotObject`, or the first segment type that does not exist yet.
 * @throws KanegenError `malformed-reference` when the block is not of the known form.
 */
export function referenceRobot(
  parameters: unknown,
  name = 'reference',
  integrals?: number,
  damping?: DampingKind,
): ReferenceRobot {
  const { gravity, links: segments } = checked(parameters);
  const unsupported = segments.find(
    ({ type }) => !BODIES.has(type) && !JOINTS.has(type) && type !== 'fixed' && type !== 'rigid',
  );
  if (unsupported) return { unsupported: unsupported.type };
  const links: object[] = [];
  const types: Record<string, object> = {};
  let pending: PendingLink = {};
  const finish = (body: object): void => {
    links.push({ ...pending, ...body });
    pending = {};
  };
  for (const segment of segments) {
    const { type } = segment;
    if (JOINTS.has(type)) {
      if (pending.joint) finish({ rigid: {} });
      pending.joint = { [type]: segment.axis };
    } else if (type === 'fixed') {
      const place = pending.joint ? 'mount' : 'offset';
      if (pending[place]) finish({ rigid: {} });
      pending[pending.joint ? 'mount' : 'offset'] = poseOf(segment);
    } else if (type === 'rigid') finish({ rigid: rigidOf(segment) });
    else {
      const body = BODIES.get(type)!;
      const own = ownType(body, segment, integrals, damping);
      const known = own && Object.keys(types).find((key) => JSON.stringify(types[key]) === JSON.stringify(own));
      const name = known ?? (own ? `${type.replace(/_/g, '-')}-${links.length + 1}` : body.body);
      if (own) types[name] = own;
      finish({ body: name, parameters: body.parameters(segment) });
    }
  }
  if (Object.keys(pending).length > 0) finish({ rigid: {} });
  const allowed = segments.flatMap((segment) => {
    const body = BODIES.get(segment.type);
    if (!body) return [];
    return isSolid(segment) ? [10 * solidIntegrals(body)] : [body.tolerance ?? 0];
  });
  const tolerance = Math.max(0, ...allowed);
  return { robot: { kanegen: 1, name, gravity, 'body-types': types, links }, tolerance };
}

const isSolid = ({ material }: Segment): boolean => material !== undefined && material.law !== 'rod_elasticity';
const solidIntegrals = ({ solid = 1e-10 }: LibraryBody): number => solid;

/** A type of the library with a material, another shape or another tolerance of its integrals; none where the library's own will do. */
function ownType(
  body: LibraryBody,
  segment: Segment,
  integrals: number | undefined,
  damping: DampingKind | undefined,
): object | undefined {
  const elastic = elasticType(body, segment, damping);
  const tolerance = integrals ?? (isSolid(segment) ? solidIntegrals(body) : body.integrals);
  if (!elastic && !body.type && tolerance === undefined) return undefined;
  return {
    ...(body.type ?? { extends: body.body }),
    ...elastic,
    ...(tolerance !== undefined && { integration: { tolerance } }),
  };
}

/** The laws of damping that the segments have constants of. */
export function dampingKinds(parameters: unknown): readonly DampingKind[] {
  const { links } = checked(parameters);
  return DAMPING_KINDS.filter((kind) => links.some(({ damping }) => damping?.[kind] !== undefined));
}

function checked(parameters: unknown): ReferenceParameters {
  const block = parameters as Partial<ReferenceParameters> | null | undefined;
  const sound =
    Array.isArray(block?.gravity) &&
    Array.isArray(block.links) &&
    block.links.every((s: unknown) => typeof (s as Segment | null)?.type === 'string');
  if (!sound)
    throw new KanegenError('malformed-reference', 'a reference file needs `parameters: { gravity, links }`', {
      remedy: 'see the format of the files in test/reference',
    });
  return block as ReferenceParameters;
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
