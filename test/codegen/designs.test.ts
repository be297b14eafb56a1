/** Designs at run time: parameters of a robot and of its bodies that are kept open, against robots compiled for their values. */
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { KanegenError } from '../../src/common/error.ts';
import { randomNumbers } from '../kane/point-masses.ts';

/** A turntable on a tilted base with two tapered elastic rods and a segment, pulled by a tendon. */
const arm = {
  kanegen: 1,
  name: 'design-arm',
  parameters: { L: '0.2 m', R: '20 mm', taper: 0.8, E: '1 MPa', tilt: 0.3, height: '0.4 m', arm: '30 mm', shrink: 0.9 },
  base: { xyz: [0, 0.1, 'height'], rpy: ['tilt', 0.2, '2*tilt'] },
  'body-types': {
    rod: {
      parameters: { L: '0.2 m', R: '20 mm', R1: '10 mm', rho: '1062 kg/m^3', E: '1 MPa' },
      coordinates: { a: { count: 2, unit: 'rad' }, e: { unit: 'm' } },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R + (R1 - R)*s/L', cartesian: ['x', 'y'] }, density: 'rho' },
      strain: { 'bend-y': '(a1 + a2*s/L)/L', stretch: 'e/L' },
      material: { 'rod-elasticity': { E: 'E', nu: 0.5 }, 'retardation-time': '0.05 s' },
    },
  },
  links: [
    {
      name: 'turn',
      joint: { revolute: 'z' },
      rigid: { mass: '0.3 kg', com: ['arm', 0, 0], inertia: { zz: '1 g m^2' }, distal: { xyz: ['arm', 0, 0] } },
    },
    {
      name: 'rod',
      repeat: 2,
      body: 'rod',
      parameters: { L: 'L*shrink^index', R: 'R', R1: 'taper*R', E: 'E' },
    },
    { name: 'end', body: 'pcc-3d' },
  ],
  actuators: { cord: { tendon: { through: 'rod', route: { x: '0.5*taper*R', y: 0 } } } },
};

/** Every parameter by the name of an option, the name in generated code, and its range. */
const OPEN: readonly (readonly [string, string, number, number])[] = [
  ['L', 'L', 0.1, 0.3],
  ['R', 'R', 0.01, 0.03],
  ['taper', 'taper', 0.5, 1],
  ['E', 'E', 2e5, 3e6],
  ['tilt', 'tilt', -1, 1],
  ['height', 'height', -1, 1],
  ['arm', 'arm', 0.01, 0.1],
  ['shrink', 'shrink', 0.7, 1.1],
  ['rod.rho', 'rod_rho', 500, 2000],
  ['end.L', 'end_L', 0.05, 0.3],
  ['end.R', 'end_R', 0.005, 0.02],
];

describe('parameters that are kept open', () => {
  it('give at any value what a robot compiled for it gives', async () => {
    const { dynamics, robot } = await loadRobot(arm, { keep: OPEN.map(([key]) => key) });
    expect(robot.parameters.map((p) => p.name)).toEqual(OPEN.map(([, name]) => name));
    const random = randomNumbers(11);
    const n = robot.coordinates.length;
    for (let design = 0; design < 3; design++) {
      const values = OPEN.map(([, , lower, upper]) => lower + ((1 + random()) / 2) * (upper - lower));
      const set = Object.fromEntries(OPEN.map(([key], i) => [key, String(values[i])]));
      const { dynamics: own } = await loadRobot(arm, { set });
      OPEN.forEach(([, name], i) => (dynamics.parameters[name] = values[i]!));
      const [q, qd, qdd] = [0, 1, 2].map(() => Float64Array.from({ length: n }, () => 0.4 * random()));
      const of = (robotOrDesign: typeof dynamics): number[] => {
        const [tau, driven, M] = [n, n, n * n].map((size) => new Float64Array(size)) as [
          Float64Array,
          Float64Array,
          Float64Array,
        ];
        const [R, t] = [new Float64Array(9), new Float64Array(3)];
        expect(robotOrDesign.update(q!, qd!)).toBe(0);
        robotOrDesign.activeInverseDynamics(qdd!, tau);
        robotOrDesign.massMatrix(M);
        robotOrDesign.actuate(Float64Array.of(2), driven);
        robotOrDesign.frame(robot.frames.length - 1, R, t, null);
        return [...tau, ...driven, ...M, ...R, ...t];
      };
      const [found, expected] = [of(dynamics), of(own)];
      const size = Math.max(...expected.map(Math.abs));
      found.forEach((x, i) => expect(Math.abs(x - expected[i]!)).toBeLessThanOrEqual(1e-13 * size));
    }
  });
});

function problem(options: Parameters<typeof loadRobotObject>[1], object: unknown = arm): string {
  try {
    loadRobotObject(object, options);
  } catch (error) {
    if (error instanceof KanegenError) return `${error.message} | ${error.remedy}`;
    throw error;
  }
  return 'no problem';
}

describe('a choice from outside', () => {
  it('that no link has is refused with the nearest there is', () => {
    expect(problem({ keep: ['rods.L'] })).toContain('no body has the parameter `rods.L` | did you mean `rod');
    expect(problem({ set: { 'rod3.L': '0.1' } })).toContain('did you mean `rod');
  });

  it('of all links that share a name wants one value', () => {
    expect(problem({ keep: ['rod.L'] })).toContain('`rod.L` is 0.2 in one link and 0.18 in another');
    expect(problem({ keep: ['rod1.L', 'rod2.L'] })).toBe('no problem');
  });

  it('is read with its dimension, before the limits of the body', () => {
    expect(problem({ set: { 'end.L': '3 kg' } })).toContain('must be a length (m)');
    expect(problem({ set: { 'end.L': '-1' } })).not.toBe('no problem');
  });

  it('does not take the name of a parameter of the robot', () => {
    const object = { ...arm, parameters: { ...arm.parameters, end_L: 1 } };
    expect(problem({ keep: ['end.L'] }, object)).toContain('rename that one');
  });

  it('cannot hang on another one', () => {
    expect(problem({ keep: ['L', 'rod1.L'] })).toContain('is known at run time only');
  });
});
