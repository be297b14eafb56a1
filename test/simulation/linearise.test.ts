/** Modes against those of beam theory and of oscillators by hand. */
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';

/** A slender rod of unit length, mass per length and stiffness that bends across x, on a hub that turns about x. */
function spinning(): object {
  return {
    kanegen: 1,
    name: 'spinning',
    gravity: [0, 0, 0],
    'body-types': {
      rod: {
        parameters: { L: 1, R: 1e-3, rho: '1/(pi*R^2)', E: '4/(pi*R^4)' },
        coordinates: { q: { count: 7, unit: 'rad', limits: [-0.1, 0.1] } },
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: 'rho' },
        strain: { 'bend-y': { basis: 'legendre', coordinates: 'q', scale: '1/L' } },
        material: { 'rod-elasticity': { E: 'E', nu: 0.3 } },
        integration: { tolerance: 1e-9 },
      },
    },
    links: [
      { name: 'hub', joint: { revolute: 'x' }, rigid: { mass: 1, inertia: { xx: 1e9, yy: 1, zz: 1 } } },
      { name: 'rod', body: 'rod' },
    ],
  };
}

/** A steel wire, a millimetre thick: its shear vibrates a million times as fast as it bends. */
function wire(): object {
  const strains = { 'bend-y': 'by', twist: 'turn', 'shear-x': 'sx', stretch: 'sz' };
  const coordinates = Object.fromEntries(
    Object.values(strains).map((name) => [name, { count: 4, unit: name.startsWith('s') ? 'm' : 'rad' }]),
  );
  return {
    kanegen: 1,
    name: 'wire',
    gravity: [0, 0, 0],
    'body-types': {
      wire: {
        parameters: { L: '0.5 m', R: '0.5 mm', delay: '0 s' },
        coordinates,
        volume: { rod: { s: [0, 'L'] }, section: { disc: 'R' }, density: '7800 kg/m^3' },
        strain: Object.fromEntries(
          Object.entries(strains).map(([strain, name]) => [
            strain,
            { basis: 'legendre', coordinates: name, scale: '1/L' },
          ]),
        ),
        material: { 'rod-elasticity': { E: '200 GPa', nu: 0.3 }, 'retardation-time': 'delay' },
        integration: { points: 8 },
      },
    },
    parameters: { tau: { value: '0 s', runtime: true } },
    links: [{ name: 'wire', body: 'wire', parameters: { delay: 'tau' } }],
  };
}

describe('modes', () => {
  it('of a stiff wire are known each to its own digits', async () => {
    const { robot, dynamics } = await loadRobot(wire(), { derivatives: true });
    const zeros = robot.coordinates.map(() => 0);
    // Twist and stretch are polynomials of degree four, which give the quarter wave to 7e-7; bending by the theory of slender beams,
    // rotary inertia and shear less than 1e-5.
    const bending = 1.875104069 ** 2 * 4 * Math.sqrt((200e9 * 0.5e-3 ** 2) / 4 / 7800);
    const [twist, stretch] = [200e9 / 2.6, 200e9].map((modulus) => Math.PI * Math.sqrt(modulus / 7800));
    for (const delay of [0, 1e-5]) {
      dynamics.parameters.tau = delay;
      const { modes } = linearise(robot, dynamics, { q: zeros, qd: zeros });
      for (const [speed, within] of [
        [bending, 1e-5],
        [twist!, 1e-6],
        [stretch!, 1e-6],
      ] as const) {
        const own = modes.filter(({ frequency }) => Math.abs((frequency * 2 * Math.PI) / speed - 1) < within);
        expect(own.length, `modes at ${speed} 1/s`).toBe(1);
        // Kelvin-Voigt: the damping ratio of every mode is half its speed times the retardation.
        for (const { damping } of own)
          expect(Math.abs(damping / ((speed * 1e-5) / 2) - delay / 1e-5)).toBeLessThan(1e-5);
      }
    }
  });

  it('of a cantilever are those of beam theory, at rest and spinning', async () => {
    const { robot, dynamics } = await loadRobot(spinning(), { derivatives: true });
    const zeros = robot.coordinates.map(() => 0);
    const flapping = (speed: number): number[] => {
      const { modes, drift } = linearise(robot, dynamics, { q: zeros, qd: zeros.with(0, speed) });
      expect(Math.max(...drift.map(Math.abs))).toBeLessThan(1e-9);
      return modes.filter(({ imaginary }) => imaginary > 1).map(({ imaginary }) => imaginary);
    };
    const [first, second] = flapping(0);
    expect(first).toBeCloseTo(3.51602, 4);
    expect(second).toBeCloseTo(22.0345, 3);
    expect(flapping(2)[0]).toBeCloseTo(4.13732, 4);
    expect(flapping(10)[0]).toBeCloseTo(11.20233, 4);
  });

  it('under a force that follows are those of Ziegler’s column, whose stiffness is not symmetric', async () => {
    const rod = (mass: number): object => ({
      joint: { revolute: 'y', stiffness: 1 },
      rigid: { mass, com: [0, 0, 1], distal: { xyz: [0, 0, 1] } },
    });
    const links = [
      { name: 'lower', ...rod(2) },
      { name: 'upper', ...rod(1) },
    ];
    const { robot, dynamics } = await loadRobot(
      { kanegen: 1, name: 'column', gravity: [0, 0, 0], links },
      { derivatives: true },
    );
    const push = { frame: robot.tip, wrench: [0, 0, 0, 0, 0, -1], follows: true };
    const { modes } = linearise(robot, dynamics, { q: [0, 0], qd: [0, 0] }, { wrenches: [push] });
    // In angles to the vertical M = [3 1; 1 1] and K = [2 - P, P - 1; -1, 1], with P = 1 here.
    const squares = [-1, 1].map((sign) => (-5 - sign * Math.sqrt(17)) / 4);
    expect(modes).toHaveLength(2);
    modes.forEach(({ real, imaginary, shape }, k) => {
      const square = squares[k]!;
      expect(Math.abs(real)).toBeLessThan(1e-14);
      expect(imaginary ** 2 / -square).toBeCloseTo(1, 13);
      expect(shape[1]! / shape[0]! / Math.abs((2 * square) / (1 + square))).toBeCloseTo(1, 13);
    });
  });

  it('of an oscillator have its frequency and damping, and inputs the share of its mass', async () => {
    const oscillator = {
      kanegen: 1,
      name: 'oscillator',
      links: [
        {
          name: 'sled',
          joint: { prismatic: 'x', stiffness: '50 N/m', damping: '3 N s/m' },
          rigid: { mass: 2 },
        },
      ],
      actuators: { push: { motor: 'sled.displacement', ratio: 3 } },
    };
    const { robot, dynamics } = await loadRobot(oscillator, { derivatives: true });
    const { A, B, modes } = linearise(robot, dynamics, { q: [0], qd: [0] });
    expect(A[1]![0]).toBeCloseTo(-25, 7);
    expect(A[1]![1]).toBeCloseTo(-1.5, 7);
    expect(A[0]).toEqual([0, 1]);
    expect(B[0]).toEqual([0]);
    expect(B[1]![0]).toBeCloseTo(1.5, 12);
    expect(modes).toHaveLength(1);
    expect(modes[0]!.frequency).toBeCloseTo(5 / (2 * Math.PI), 8);
    expect(modes[0]!.damping).toBeCloseTo(0.15, 8);
    expect(modes[0]!.shape).toEqual([1]);
  });

  it('of a driven and loaded arm in motion are the same by exact derivatives and by differences of what acts', async () => {
    const rigid = {
      mass: 1.5,
      com: [0.02, 0.1, 0.2],
      inertia: { xx: 0.02, yy: 0.03, zz: 0.01 },
      distal: { xyz: [0, 0, 0.4] },
    };
    const arm = {
      kanegen: 1,
      name: 'driven-arm',
      links: [
        { name: 'upper', joint: { revolute: 'y', stiffness: '3 N m/rad', damping: '0.1 N m s/rad' }, rigid },
        { name: 'fore', joint: { universal: ['x', 'y'] }, rigid },
      ],
      actuators: {
        cable: {
          tendon: {
            path: [
              { on: 'base', at: [0.1, 0, 0] },
              { on: 'upper', at: [0.1, 0, 0.2] },
              { on: 'fore', at: [0, 0.1, 0.3] },
            ],
          },
        },
        fan: { wrench: { on: 'fore', axes: 'frame', force: 'x' } },
      },
    };
    const loads = {
      inputs: [4, 2],
      wrenches: [
        { frame: 0, wrench: [0.2, 0.1, -0.3, 1, 2, -1] },
        { frame: 0, wrench: [0.1, 0.1, 0.2, -1, 0.5, 1], follows: true },
      ],
    };
    const state = { q: [0.3, -0.5, 0.8], qd: [1, -0.7, 0.4] };
    const [exact, plain] = await Promise.all([loadRobot(arm, { derivatives: true }), loadRobot(arm)]);
    const [A, expected] = [exact, plain].map(({ robot, dynamics }) =>
      linearise(robot, dynamics, state, loads).A.flat(),
    );
    const scale = Math.max(...expected!.map(Math.abs));
    A!.forEach((x, i) => expect(Math.abs(x - expected![i]!), `entry ${i}`).toBeLessThan(1e-9 * scale));
  });
});

it('shapes of damped modes are the moduli of what the equations give', async () => {
  const [m1, m2, k1, k2, damping] = [1.5, 0.7, 90, 40, 4];
  const cart = (name: string, mass: number, joint: object): object => ({
    name,
    joint: { prismatic: 'x', ...joint },
    rigid: { mass, inertia: { xx: 1, yy: 1, zz: 1 } },
  });
  const { robot, dynamics } = await loadRobot(
    {
      kanegen: 1,
      name: 'carts',
      gravity: [0, 0, 0],
      links: [cart('one', m1, { stiffness: k1, damping }), cart('two', m2, { stiffness: k2 })],
    },
    { derivatives: true },
  );
  const { modes } = linearise(robot, dynamics, { q: [0, 0], qd: [0, 0] });
  const pairs = modes.filter(({ imaginary }) => imaginary > 0);
  expect(pairs).toHaveLength(2);
  for (const { real, imaginary, shape } of pairs) {
    // Of λ² M + λ C + K, in the extensions of both springs: the determinant vanishes, and the second row has the ratio.
    const product = ([a, b]: Complex, [c, d]: Complex): Complex => [a * c - b * d, a * d + b * c];
    const entry = (mass: number, viscous: number, stiffness: number): Complex => [
      mass * (real ** 2 - imaginary ** 2) + viscous * real + stiffness,
      mass * 2 * real * imaginary + viscous * imaginary,
    ];
    const [first, across, second] = [entry(m1 + m2, damping, k1), entry(m2, 0, 0), entry(m2, 0, k2)];
    const [whole, mixed] = [product(first, second), product(across, across)];
    whole.forEach((part, i) => expect(Math.abs(part - mixed[i]!)).toBeLessThan(1e-8 * k1 * k2));
    expect(shape[1]! / shape[0]!).toBeCloseTo(Math.hypot(...across) / Math.hypot(...second), 9);
  }
});

type Complex = readonly [number, number];
