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
  readonly R_base?: number;
  readonly R_tip?: number;
  readonly sigma?: number;
  readonly bump_numerator_power_of_L?: number;
  readonly phi0_over_pi?: number;
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

/** A body of the library, and what its dynamics may be off by: nothing but rounding when its integrals are closed forms. */
interface LibraryBody {
  readonly body: string;
  /** Relative, where integrals are computed to a tolerance of `integrals`. */
  readonly tolerance?: number;
  /** In place of the tolerance that the type has in the library. */
  readonly integrals?: number;
  parameters(segment: Segment): object;
}

const cylinder = ({ L, R, rho }: Segment): object => ({ L, R, rho });

/** Bodies of the library by the names that reference files have for them. */
const BODIES: ReadonlyMap<string, LibraryBody> = new Map<string, LibraryBody>([
  ['planar_cc', { body: 'planar-cc', parameters: cylinder }],
  ['planar_cce', { body: 'planar-cc-elongation', parameters: cylinder }],
  ['pcc3d', { body: 'pcc-3d', parameters: cylinder }],
  ['pcs', { body: 'pcs', parameters: cylinder }],
  ['gvs_affine_planar', { body: 'gvs-affine-planar', parameters: cylinder, tolerance: 1e-11, integrals: 1e-11 }],
  ['gvs_affine_3d', { body: 'gvs-affine-3d', parameters: cylinder, tolerance: 1e-11, integrals: 1e-11 }],
  ['lvp', { body: 'lvp', parameters: cylinder, tolerance: 1e-11, integrals: 1e-11 }],
  [
    'pgc',
    {
      body: 'pgc',
      tolerance: 1e-9,
      integrals: 1e-11,
      parameters: ({ L, R_base: R0, R_tip: R1, rho, sigma }) => ({ L, R0, R1, rho, sigma }),
    },
  ],
  [
    'var_radius',
    {
      body: 'variable-radius',
      tolerance: 1e-9,
      integrals: 1e-10,
      parameters: ({ L, R, rho, bump_numerator_power_of_L: power, phi0_over_pi: turn }) => ({
        ...{ L, R, rho },
        phi0: `${turn}*pi`,
        c: L! ** power!,
      }),
    },
  ],
]);
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
 * @param integrals - tolerance of the integrals over bodies, in place of what suits each body.
 * @returns the robot as an object for `loadRobotObject`, or the first segment type that does not exist yet.
 * @throws KanegenError `malformed-reference` when the block is not of the known form.
 */
export function referenceRobot(parameters: unknown, name = 'reference', integrals?: number): ReferenceRobot {
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
    else finish(linkOf(BODIES.get(type)!, segment, integrals));
  }
  if (Object.keys(pending).length > 0) finish({ rigid: {} });
  const bodies = segments.flatMap(({ type }) => BODIES.get(type) ?? []);
  const types = Object.fromEntries(bodies.flatMap((body) => typeWithTolerance(body, integrals)));
  const tolerance = Math.max(0, ...bodies.map((body) => body.tolerance ?? 0));
  return { robot: { kanegen: 1, name, gravity, 'body-types': types, links }, tolerance };
}

function linkOf(body: LibraryBody, segment: Segment, integrals: number | undefined): object {
  const [own] = typeWithTolerance(body, integrals);
  return { body: own ? own[0] : body.body, parameters: body.parameters(segment) };
}

/** A type of the library with another tolerance of its integrals, by name; none where the library's own will do. */
function typeWithTolerance(body: LibraryBody, tolerance = body.integrals): [name: string, type: object][] {
  return tolerance === undefined ? [] : [[`exact-${body.body}`, { extends: body.body, integration: { tolerance } }]];
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
