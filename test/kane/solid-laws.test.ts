/** Laws that are linear in a strain: small displacements, and the same in axes that turn with the material. */
import { describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const [lambda, mu] = [2e5, 3e5];
const E = (mu * (3 * lambda + 2 * mu)) / (lambda + mu);
const nu = lambda / (2 * (lambda + mu));
const VOLUME = 0.1 * 0.1 * 0.2;

/** A block that is stretched along all of its axes, and then turned about y. */
const source = (material: object): object => ({
  kanegen: 1,
  name: 'block',
  'body-types': {
    block: {
      coordinates: {
        a: { unit: 'rad', limits: [-3, 3] },
        e: { count: 3, limits: [-0.4, 0.6] },
      },
      volume: { box: { x: [0, '0.1 m'], y: [0, '0.1 m'], z: [0, '0.2 m'] }, density: 1000 },
      position: ['cos(a)*x*(1 + e1) + sin(a)*z*(1 + e3)', 'y*(1 + e2)', 'cos(a)*z*(1 + e3) - sin(a)*x*(1 + e1)'],
      distal: 'none',
      material,
    },
  },
  links: [{ body: 'block' }],
});

const blocks = new Map<string, Promise<{ readonly robot: Robot; readonly dynamics: LoadedRobot }>>();

/** The block of a law, compiled once. */
function compiled(law: string): ReturnType<typeof compile> {
  const block = blocks.get(law) ?? compile(law);
  blocks.set(law, block);
  return block;
}

async function compile(law: string): Promise<{ readonly robot: Robot; readonly dynamics: LoadedRobot }> {
  const robot = loadRobotObject(source({ [law]: { E, nu }, viscosity: '100 Pa s' }));
  return { robot, dynamics: (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))() };
}

function energyAt(dynamics: LoadedRobot, q: readonly number[]): number {
  const energies = new Float64Array(3);
  expect(dynamics.update(q, [0, 0, 0, 0])).toBe(0);
  expect(dynamics.energies(energies)).toBe(0);
  return energies[2]! / VOLUME;
}

const STRETCHES: readonly (readonly [number, number, number])[] = [
  [0, 0, 0],
  [0.1, 0.1, 0.1],
  [-0.3, 0.5, 0.2],
  [0.6, -0.4, 0],
];

describe('corotated', () => {
  it('has the energy of the stretches, whatever the rotation, and is stiff at rest as it should', async () => {
    const { dynamics } = await compiled('corotated');
    for (const [i, e] of STRETCHES.entries()) {
      const sum = e[0] + e[1] + e[2];
      const exact = mu * (e[0] ** 2 + e[1] ** 2 + e[2] ** 2) + (lambda / 2) * sum ** 2;
      const found = energyAt(dynamics, [1.1 * i - 1.5, ...e]);
      expect(Math.abs(found - exact)).toBeLessThan(1e-9 * mu);
    }
    // The solution by equal roots: where all stretches are equal, the stiffness is finite.
    const K = new Float64Array(16);
    expect(dynamics.update([0.4, 0, 0, 0], [0, 0, 0, 0])).toBe(0);
    expect(dynamics.stiffness(K)).toBe(0);
    expect(K[5]! / VOLUME / (lambda + 2 * mu)).toBeCloseTo(1, 9);
    expect(K[6]! / VOLUME / lambda).toBeCloseTo(1, 9);
    expect(Math.abs(K[0]!)).toBeLessThan(1e-9 * VOLUME * mu);
  });
});

describe('linear-elasticity', () => {
  it('has the energy of the symmetric displacement gradient, rotations included', async () => {
    const { dynamics } = await compiled('linear-elasticity');
    for (const [i, e] of STRETCHES.entries()) {
      const a = 0.7 * i - 0.8;
      const [c, s] = [Math.cos(a), Math.sin(a)];
      const [xx, yy, zz] = [c * (1 + e[0]) - 1, e[1], c * (1 + e[2]) - 1];
      const xz = (s * (1 + e[2]) - s * (1 + e[0])) / 2;
      const exact = mu * (xx ** 2 + yy ** 2 + zz ** 2 + 2 * xz ** 2) + (lambda / 2) * (xx + yy + zz) ** 2;
      expect(Math.abs(energyAt(dynamics, [a, ...e]) - exact)).toBeLessThan(1e-9 * mu);
    }
  });

  it('is refused on rods', () => {
    const rod = {
      ...source({ 'linear-elasticity': { E, nu } }),
      'body-types': {
        block: {
          coordinates: { e: {} },
          volume: { rod: { s: [0, '0.2 m'] }, section: { disc: '1 cm' }, density: 1000 },
          position: ['x', 'y', 's*(1 + e)'],
          distal: 'none',
          material: { 'linear-elasticity': { E, nu } },
        },
      },
    };
    expect(() => compileRobot(loadRobotObject(rod)).types).toThrow(/boxes and meshes only/);
  });
});

it.each(['corotated', 'linear-elasticity'])(
  '%s passes the independent evaluation',
  { timeout: 120_000 },
  async (law) => {
    const { robot, dynamics } = await compiled(law);
    const report = await verifyRobot(robot, dynamics, { seed: 5, states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
  },
);
