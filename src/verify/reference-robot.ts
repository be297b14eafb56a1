/**
 * The `parameters` block of a reference file → a robot in the language of robot files (as an object).
 *
 * Reference files list segments: joints, constant transforms, bodies. A joint and the constant transforms before it
 * merge into the link of the body that follows; joints without a body of their own get a massless one.
 */
import { KanegenError } from '../symbolic/error.ts';

type Vector = readonly number[];
type Matrix = readonly Vector[];

/** One segment of a reference file. */
interface Segment {
  readonly type: string;
  readonly axis?: string | Vector;
  /** Rotation of a constant transform, or radius of a rod. */
  readonly R?: Matrix | number;
  readonly p?: Vector;
  readonly mass?: number;
  readonly com?: Vector;
  readonly inertia?: Matrix;
  readonly inertial_frame?: 'proximal' | 'distal';
  readonly L?: number;
  readonly rho?: number;
}

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

/** Body types of the library by their names in reference files. */
const BODIES: ReadonlyMap<string, string> = new Map([
  ['planar_cc', 'planar-cc'],
  ['planar_cce', 'planar-cc-elongation'],
  ['pcc3d', 'pcc-3d'],
  ['pcs', 'pcs'],
]);
const JOINTS = new Set(['revolute', 'prismatic']);

export type ReferenceRobot =
  | { readonly robot: object }
  /** The segment type that cannot be expressed yet. */
  | { readonly unsupported: string };

/**
 * @param parameters - the block `parameters` of a reference file, as parsed JSON.
 * @param name - name of the robot.
 * @returns the robot as an object for `loadRobotObject`, or the first segment type that does not exist yet.
 * @throws KanegenError `malformed-reference` when the block is not of the known form.
 */
export function referenceRobot(parameters: unknown, name = 'reference'): ReferenceRobot {
  const { gravity, links: segments } = checked(parameters);
  const unsupported = segments.find(
    ({ type }) => !BODIES.has(type) && !JOINTS.has(type) && type !== 'fixed' && type !== 'rigid',
  );
  if (unsupported) return { unsupported: unsupported.type };
  const links: object[] = [];
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
    else finish({ body: BODIES.get(type), parameters: { L: segment.L, R: segment.R, rho: segment.rho } });
  }
  if (Object.keys(pending).length > 0) finish({ rigid: {} });
  return { robot: { kanegen: 1, name, gravity, links } };
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
