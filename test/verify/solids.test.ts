/** Elastic and viscous solids of awkward shapes and laws, against energies summed over the formulas as they are written. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const FORCES = [
  'difference quotients of the stored energy give the same elastic forces',
  'difference quotients of the dissipation give the same damping forces',
];

const wedge = `
    parameters: { L: 0.15 m, a: 0.03 m, b: 0.02 m, k: 0.2 MPa }
    coordinates: { q: { unit: rad, limits: [-1, 1] }, w: { limits: [-0.2, 0.2] } }
    volume: { rod: { s: [0, L] }, section: { ellipse: [a*(1 - 0.3*s/L), b*(1 - 0.5*(s/L)^2)], polar: [r, phi] }, density: 1000 kg/m^3 }
    let:
      x: a*(1 - 0.3*s/L)*r*cos(phi)
      y: b*(1 - 0.5*(s/L)^2)*r*sin(phi)
      c: x*(1 + w*s/L)
    position: [c*cos(q*s/L) + L*(1 - cos(q*s/L))/q, y*(1 - w*s/L) + 0.1*w*x, L*sin(q*s/L)/q - c*sin(q*s/L)]
    distal: none
    material: { energy: "k*(I1 - 3 - 2*log(J)) + k*(3*e_zz^2 + e_xx*e_zz + 2*e_xy^2 + e_xz^2 + 0.5*e_yz*e_xz)", viscosity: 200 Pa s }
    integration: { tolerance: 1e-6 }`;

const mesh = `
    parameters: { k: 0.2 MPa, h: 0.1 m }
    coordinates: { q: { limits: [-0.4, 0.4] }, e: { limits: [-0.3, 0.3] } }
    volume:
      mesh: { nodes: [[0, 0, 0], [0.1, 0, 0.01], [0, 0.08, 0], [0.01, 0.02, 0.12], [0.09, 0.1, 0.1]], tetrahedra: [[0, 1, 2, 3], [1, 2, 3, 4]] }
      density: 900 kg/m^3
    position: [x + q*z*(1 + x/h), y*(1 + e), z - 0.5*q*y + e*z^2/h]
    distal: none
    material: { compressible-neo-hookean: { mu: k, lambda: 2*k }, viscosity: 50 Pa s }`;

describe('forces of solids', () => {
  it.each([
    ['an elliptic taper in polar coordinates with an anisotropic energy', wedge],
    ['a mesh of two tetrahedra', mesh],
  ])('of %s are derivatives of what is stored and dissipated', async (_, type) => {
    const robot = loadRobotText(
      `kanegen: 1\nname: solid\nbody-types:\n  solid:${type}\nlinks: [ { joint: { revolute: y, damping: 0.1 }, body: solid } ]\n`,
      'solid.robot.yaml',
    );
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
    const { checks } = await verifyRobot(robot, dynamics, { seed: 4, states: 1 });
    expect(checks.map((check) => check.name)).toEqual(expect.arrayContaining(FORCES));
    expect(checks.filter((check) => check.outcome === 'failed')).toEqual([]);
    expect(checks.filter((check) => FORCES.includes(check.name)).every((check) => check.passed)).toBe(true);
  });
});
