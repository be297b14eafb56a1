/** Rods that slide out of their base against D'Alembert's principle on material points, whose regime changes as they come out. */
import { describe, expect, it } from 'vitest';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

const FULL = process.env['KANEGEN_FULL'] === '1';

interface Parts {
  readonly strain: string;
  readonly material?: string;
  readonly rod?: string;
  readonly link?: string;
  readonly more?: string;
}

const text = ({ strain, material = '', rod = '', link = '', more = '' }: Parts): string => `kanegen: 1
name: sliding
body-types:
  rod:
    parameters: { L: 0.35 m, R: 8 mm${material && ', E: 1 MPa'} }
    coordinates:
      l: { unit: m, limits: [0.1 m, 0.3 m], default: 0.2 m }
      b: { unit: rad, limits: [-1.5 rad, 1.5 rad] }
    volume: { rod: { s: [0.01 m, L] }, section: { disc: R*(1 - s/L/3) }, density: 1000${rod} }
    let: { u: (s - (L - l))/l }
    slides-out: l
    strain: { ${strain} }
    ${material}
    integration: { tolerance: 1e-5 }
links: [{ name: rod, ${link}body: rod }]
${more}`;

/** On a joint, so that the base turns; with a break that is inside or outside, a frame within and a tendon that ends there. */
const RICH: Omit<Parts, 'strain'> = {
  rod: ', breaks: { s: [0.15 m] }',
  link: 'joint: { revolute: y }, ',
  more: `frames: { within: { on: rod, at: { s: 0.3 m, x: 2 mm } } }
actuators: { pull: { tendon: { through: rod, route: { x: 5 mm, y: 0 }, from: { s: 0.05 m }, to: { s: 0.15 m } } } }
`,
};

async function report(parts: Parts, derivatives: boolean) {
  const robot = loadRobotText(text(parts), 'sliding.robot.yaml');
  const code = await generateTypeScript(robot, compileRobot(robot, { derivatives }));
  return verifyRobot(robot, (await loadGenerated(code))(), { states: 1 });
}

describe('a rod that slides out of its base', () => {
  it('moves as its material points do', async () => {
    const { checks, passed } = await report({ strain: 'bend-y: b*u^2/l' }, false);
    expect(checks.filter((check) => !check.passed)).toEqual([]);
    expect(passed).toBe(true);
    expect(checks.some(({ name, outcome }) => name.includes('Alembert') && outcome === 'passed')).toBe(true);
  });

  it.skipIf(!FULL)('does so on a joint, with a tendon and a frame within', async () => {
    const { checks } = await report({ strain: 'bend-y: b*u^2/l', ...RICH }, false);
    expect(checks.filter((check) => !check.passed)).toEqual([]);
  });

  it.skipIf(!FULL)('with material, of several strains, with derivatives', async () => {
    const strain = 'bend-y: b*u^2/l, twist: l*b*u^3/L^2, stretch: b*l/L*u^2/9';
    const material = 'material: { rod-elasticity: { E: E*(1 + s/L), nu: 0.4 }, viscosity: 300 Pa s }';
    const { checks } = await report({ strain, material, ...RICH }, true);
    expect(checks.filter((check) => !check.passed)).toEqual([]);
    expect(checks.filter(({ name, outcome }) => name.includes('tangent') && outcome === 'passed')).not.toEqual([]);
  });
});
