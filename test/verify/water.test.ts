/** Robots in water against D'Alembert's principle over points of their centrelines. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileLagrange } from '../../src/lagrange/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const robot = (water: string, body: string): string => `
kanegen: 1
name: wet
base: { xyz: [0.1, 0, 0], rpy: [0.3, -0.2, 0.5] }
parameters: { speed: { value: 0.4 m/s, runtime: true } }
links:
  - { name: root, joint: { revolute: x }, rigid: { mass: 1, inertia: { xx: 0.01 }, distal: { xyz: [0.02, 0.03, 0.05], rpy: [0.4, 0, 0.1] } } }
  - { name: soft, body: ${body} }
  - { name: tip, rigid: { mass: 0.1, com: [0.01, 0, 0.02] } }
water: ${water}
`;
const load = (water: string, body: string) => loadRobotText(robot(water, body), 'wet.robot.yaml');

const full = process.env['KANEGEN_FULL'] === '1';
/** Ten to fifteen seconds of the processor each. */
const SPATIAL = [
  [
    'of a spatial body, with a current and all but separate drag',
    '{ density: 1000, drag: { normal: 1.1, tangential: 0.3, form: common }, linear-drag: { normal: 2, tangential: 1 }, added-mass: 0.8, current: [0.2, speed, -0.1] }',
    'pcc-3d',
    'lagrange',
  ],
  [
    'of a rod of varying strain, with forces by the normal acceleration',
    '{ density: 1000, buoyancy: false, drag: { normal: 1.1 }, added-mass: { coefficient: 0.8, form: normal-acceleration } }',
    'gvs-affine-planar',
    'normal-acceleration',
  ],
] as const;

describe('robots in water', () => {
  const cases: readonly (readonly [string, string, string, string])[] = [
    [
      'of a planar body, with a current and separate drag',
      '{ density: 1000, drag: { normal: 1.1, tangential: 0.02 }, added-mass: 1, current: [0.2, speed, -0.1] }',
      'planar-cc',
      'lagrange',
    ],
    [
      'of a planar body, with lift across its plane',
      '[{ density: 1000, on: soft, drag: { normal: 1.1, tangential: 0.3, lift: 0.4, form: common } }]',
      'planar-cc',
      'lagrange',
    ],
    ...(full ? SPATIAL : []),
  ];
  it.each(cases)('have the forces of D’Alembert: %s', { timeout: 600_000 }, async (_, water, body, form) => {
    const described = load(water, body);
    const dynamics = (await loadGenerated(await generateTypeScript(described, compileRobot(described))))();
    const report = await verifyRobot(described, dynamics, { states: 1 });
    expect(report.checks.filter(({ passed }) => !passed)).toEqual([]);
    const names = report.checks.map(({ name }) => name).join('\n');
    expect(names).toContain('forces of water');
    expect(names.includes('along a path')).toBe(form === 'lagrange');
    // Forward dynamics of no load, at rest against nothing: what water takes is what accelerates.
    const n = described.coordinates.length;
    const [zeros, tau, qdd] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    dynamics.update(zeros.fill(0.3), zeros);
    expect(dynamics.forwardDynamics(tau, qdd)).toBe(0);
    expect(dynamics.activeInverseDynamics(qdd, tau)).toBe(0);
    expect(Math.max(...tau.map(Math.abs))).toBeLessThan(1e-12);
  });

  it.each(['separate', 'common'])('are lifted across axis and velocity, with %s drag', async (form) => {
    const described = loadRobotText(
      `kanegen: 1
name: lifted
links:
  - { name: along, joint: { prismatic: x }, rigid: { mass: 1 } }
  - { name: across, joint: { prismatic: y }, rigid: { mass: 1 } }
  - { name: soft, body: planar-cc, parameters: { L: 0.4 m, R: 10 mm } }
water: { density: 1000, drag: { normal: 1.1, lift: 0.3, form: ${form} }, buoyancy: false }
`,
      'lifted.robot.yaml',
    );
    const dynamics = (await loadGenerated(await generateTypeScript(described, compileRobot(described))))();
    const fluid = new Float64Array(3);
    dynamics.update([0, 0, 0], [0, 2, 0]);
    dynamics.fluid(fluid);
    // A rod along z that moves along y is pushed along z × y = −x; terms are what has to be overcome.
    const perSpeed = 1000 * 0.01 * 2 * 2 * 0.4;
    expect(fluid[0]! / (0.3 * perSpeed)).toBeCloseTo(1, 12);
    expect(fluid[1]! / (1.1 * perSpeed)).toBeCloseTo(1, 12);
  });

  it('have no code by Lagrange’s equations, which says so at the water', () => {
    const described = load('{ density: 1000 }', 'planar-cc');
    expect(() => compileLagrange(described)).toThrow(/has no forces of water/);
  });
});
