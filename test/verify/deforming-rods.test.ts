/**
 * Sections that deform on rods whose strain varies, against D'Alembert's principle on material points: with everything that acts on a body,
 * by every way to give their elasticity.
 */
import { describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';

interface Parts {
  readonly section: string;
  readonly position: string;
  readonly strain?: string;
  readonly coordinates?: string;
  readonly body?: string;
  readonly link?: string;
  readonly more?: string;
}

const text = (parts: Parts): string => `kanegen: 1
name: deforming
body-types:
  arm:
    parameters: { L: 0.2 m, R: 20 mm, f: 3 rad/s, E: 1 MPa, K: 4e4 N/m }
    coordinates:
      b: { count: 2, unit: rad, limits: [-1.2 rad, 1.2 rad] }
      ${parts.coordinates ?? 'r: { unit: m, limits: [-3 mm, 5 mm] }'}
    volume: { rod: { s: [0, L] }, section: { ${parts.section} }, density: 1062 kg/m^3 }
    let: { bump: sin(pi*s/L) }
    strain: { ${parts.strain ?? 'bend-y: (b1 + b2*s/L)/L'} }
    section-position: [${parts.position}]
    ${parts.body ?? ''}
    integration: { tolerance: 1e-5 }
links: [{ name: arm, ${parts.link ?? ''}body: arm }]
${parts.more ?? ''}`;

async function failures(parts: Parts, derivatives: boolean): Promise<unknown[]> {
  const robot = loadRobotText(text(parts), 'deforming.robot.yaml');
  const code = await generateTypeScript(robot, compileRobot(robot, { derivatives }));
  const { checks } = await verifyRobot(robot, (await loadGenerated(code))(), { states: 1 });
  expect(checks.some(({ name, outcome }) => name.includes('Alembert') && outcome === 'passed')).toBe(true);
  expect(checks.some(({ name, outcome }) => name.includes('tangent') && outcome === 'passed')).toBe(derivatives);
  return checks.filter((check) => !check.passed);
}

const CONE: Parts = { section: 'disc: R*(1 - s/L/3)', position: '"x*(1 + r/R*bump*(1 + x/R))", y' };

describe('sections that deform on a rod whose strain varies', () => {
  it('hold tendons, chambers and frames, and are elastic as rods with energies of their own', async () => {
    const found = await failures(
      {
        section: 'annulus: [R/2, R], polar: [r, phi]',
        coordinates: 'g: { unit: m, limits: [-3 mm, 5 mm] }',
        position: '"(r + g*bump*cos(phi))*cos(phi)", "r*sin(phi)"',
        strain: 'bend-y: (b1 + b2*s/L)/L, twist: 0.3*b1*s/L^2',
        body: `material: { rod-elasticity: { E: E, nu: 0.45 }, retardation-time: 0.1 s }
    potential: K*g^2
    chambers: { side: { r: [R/2, 0.8*R], phi: [0, pi/2] } }`,
        link: 'joint: { revolute: y }, ',
        more: `frames: { within: { on: arm, at: { s: 0.12 m, r: 15 mm, phi: 0.4 } } }
actuators:
  p: { pressure: arm.side }
  t: { tendon: { through: arm, route: { r: 15 mm, phi: 0.3 } } }
`,
      },
      false,
    );
    expect(found).toEqual([]);
  });

  it('are solids', async () => {
    const body = 'material: { compressible-neo-hookean: { mu: 0.3 MPa, lambda: 1 MPa }, viscosity: 100 Pa s }';
    expect(await failures({ ...CONE, body }, false)).toEqual([]);
  });

  it('move by the time, with derivatives', async () => {
    const position = '"x*(1 + r/R*bump*(1 + 0.3*sin(f*t)))", y';
    expect(await failures({ ...CONE, position }, true)).toEqual([]);
  });

  it.skipIf(!FULL)('by points of the section, with derivatives', async () => {
    const coordinates = 'a: { limits: [-0.1, 0.2] }';
    const position = '"sqrt(r^2 + a*bump*R^2)*cos(phi)", "sqrt(r^2 + a*bump*R^2)*sin(phi)"';
    const section = 'annulus: [R/2, R], polar: [r, phi]';
    expect(await failures({ section, coordinates, position, link: 'joint: { revolute: y }, ' }, true)).toEqual([]);
  });
});
