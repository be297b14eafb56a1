/**
 * The robots that are counted and timed, with the states they are timed at, and torques where another program has
 * computed them. Files of their own are in bench/robots; families are made here, by their number of links.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadRobotFile, loadRobotObject } from '../src/description/load.ts';
import type { Robot } from '../src/description/model/robot.ts';

/** The same value on every coordinate. */
export interface UniformState {
  readonly q: number;
  readonly qd: number;
  readonly qdd: number;
}

export interface Workload {
  readonly name: string;
  /** What is known when code is generated, one line. */
  readonly summary: string;
  readonly robot: () => Robot;
  /** Gravity is an argument of the generated code, as the parameters are. */
  readonly keepGravity: boolean;
  readonly state: UniformState;
  /** Generalized forces at `state` from elsewhere, to eight digits. */
  readonly torques?: readonly number[];
}

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const file = (name: string) => (): Robot => loadRobotFile(path.join(root, name));

const MOVING: UniformState = { q: 0.3, qd: 0.5, qdd: 0.7 };
const UNIT: UniformState = { q: 1, qd: 1, qdd: 1 };

/** Equal planar constant-curvature segments that stand along +z on a fixed base; numbers folded. */
export function planarConstantCurvature(links: number): Workload {
  return {
    name: `planar-cc-${links}`,
    summary: `${links} equal planar constant-curvature segments, numeric parameters`,
    robot: () =>
      loadRobotObject({
        kanegen: 1,
        name: `planar-cc-${links}`,
        links: [{ name: 'seg', body: 'planar-cc', repeat: links, parameters: { L: 0.2, R: 0.02, rho: 1062 } }],
      }),
    keepGravity: false,
    state: UNIT,
  };
}

/**
 * Equal rigid links in a vertical plane, relative joint angles, centres of mass half-way; mass, length, moment of inertia
 * and gravity stay symbols.
 */
export function planarChain(links: number): Workload {
  const symbol = (value: string) => ({ value, runtime: true });
  return {
    name: `planar-chain-${links}`,
    summary: `${links} equal rigid links in a plane, symbols m, l, J and gravity`,
    robot: () =>
      loadRobotObject({
        kanegen: 1,
        name: `planar-chain-${links}`,
        gravity: [0, -9.81, 0],
        parameters: { m: symbol('1.2 kg'), l: symbol('0.3 m'), J: symbol('0.01 kg m^2') },
        links: [
          {
            name: 'link',
            repeat: links,
            joint: { revolute: 'z' },
            rigid: {
              mass: 'm',
              com: ['l/2', 0, 0],
              inertia: { yy: 'J', zz: 'J' },
              distal: { xyz: ['l', 0, 0] },
            },
          },
        ],
      }),
    keepGravity: true,
    state: MOVING,
  };
}

/** Planar rods of constant strain (bending, stretch, shear), straight at rest; length, radius and density of each a symbol. */
export function planarConstantStrain(segments: number): Workload {
  const own = Array.from({ length: segments }, (_, i) => i + 1);
  return {
    name: `planar-pcs-${segments}`,
    summary: `${segments} planar constant-strain segments, each with symbols L, R, rho, and gravity`,
    robot: () =>
      loadRobotObject({
        kanegen: 1,
        name: `planar-pcs-${segments}`,
        parameters: Object.fromEntries(
          own.flatMap((i) => [
            [`L${i}`, { value: `${20 - i} cm`, runtime: true }],
            [`R${i}`, { value: `${20 - i} mm`, runtime: true }],
            [`rho${i}`, { value: `${1000 + 10 * i} kg/m^3`, runtime: true }],
          ]),
        ),
        links: own.map((i) => ({
          name: `seg${i}`,
          body: 'planar-pcs',
          parameters: { L: `L${i}`, R: `R${i}`, rho: `rho${i}` },
        })),
      }),
    keepGravity: true,
    state: { q: 0.03, qd: 0.5, qdd: 0.7 },
  };
}

/** Spatial rods of constant strain, six strains each, with the numbers of the planar arms. */
export function constantStrain(segments: number): Workload {
  return {
    name: `pcs-${segments}`,
    summary: `${segments} equal spatial constant-strain segments, numeric parameters`,
    robot: () =>
      loadRobotObject({
        kanegen: 1,
        name: `pcs-${segments}`,
        links: [{ name: 'seg', body: 'pcs', repeat: segments, parameters: { L: 0.2, R: 0.02, rho: 1062 } }],
      }),
    keepGravity: false,
    state: { q: 0.03, qd: 0.5, qdd: 0.7 },
  };
}

/** Rigid links with tensors without zeros, joint axes y and z in turn; no two links are equal. */
export function rigidChain(links: number): Workload {
  return {
    name: `rigid-chain-${links}`,
    summary: `${links} rigid links with tensors without zeros, numeric parameters`,
    robot: () =>
      loadRobotObject({
        kanegen: 1,
        name: `rigid-chain-${links}`,
        links: Array.from({ length: links }, (_, i) => ({
          name: `link${i + 1}`,
          joint: { revolute: i % 2 === 0 ? 'y' : 'z' },
          rigid: {
            mass: 1 + 0.01 * i,
            com: [0.01 * (1 + (i % 3)), 0.02, 0.1],
            inertia: { xx: 0.02, yy: 0.021, zz: 0.003 + 0.0001 * i, xy: 0.001, xz: 0.0005, yz: 0.0007 },
            distal: { xyz: [0, 0.01, 0.2] },
          },
        })),
      }),
    keepGravity: false,
    state: MOVING,
  };
}

const numeric = (name: string, summary: string, robot: () => Robot, torques?: readonly number[]): Workload => ({
  name,
  summary: `${summary}, numeric parameters`,
  robot,
  keepGravity: false,
  state: MOVING,
  ...(torques && { torques }),
});

export const ur10eFullTensors = numeric(
  'ur10e-full-tensors',
  'UR10e with inertia tensors without zeros',
  file('bench/robots/ur10e-full-tensors.robot.yaml'),
  [4.5025221, -97.561892, -24.752328, 2.7191206, -0.73288634, 0.007122441],
);
export const ur10e = numeric('ur10e', 'UR10e with published inertia tensors', file('examples/ur10e.robot.yaml'));
export const pumaTenParameters = numeric(
  'puma560-ten-parameters',
  'Puma 560 with ten inertial parameters a link, none zero',
  file('bench/robots/puma560-ten-parameters.robot.yaml'),
);
export const puma = numeric(
  'puma560',
  'Puma 560 with its published inertial parameters',
  file('bench/robots/puma560.robot.yaml'),
);
export const iiwa = numeric('iiwa', 'KUKA iiwa 14 out of URDF', file('examples/iiwa.robot.yaml'));
export const panda = numeric('panda', 'geometry of the Franka Panda', file('examples/panda.robot.yaml'));
export const hyq = numeric('hyq', 'HyQ with a fixed trunk, four legs', file('bench/robots/hyq.robot.yaml'));

/** Links of the arms that show how work grows. */
export const CONSTANT_CURVATURE_LINKS = [1, 2, 6, 20] as const;
export const PLANAR_CHAIN_LINKS = [2, 3, 4, 5] as const;

/** Everything, in the order of the table. */
export const workloads: readonly Workload[] = [
  ...CONSTANT_CURVATURE_LINKS.map(planarConstantCurvature),
  ...PLANAR_CHAIN_LINKS.map(planarChain),
  ur10eFullTensors,
  ur10e,
  pumaTenParameters,
  puma,
  iiwa,
  panda,
  hyq,
  planarConstantStrain(2),
];

/** A uniform state as vectors. @param n number of coordinates. */
export function stateVectors({ q, qd, qdd }: UniformState, n: number): { q: number[]; qd: number[]; qdd: number[] } {
  const fill = (value: number): number[] => new Array<number>(n).fill(value);
  return { q: fill(q), qd: fill(qd), qdd: fill(qdd) };
}
