/** Laws on bodies whose sections stay rigid: rod laws by position as by strain, and what laws of solids make of them. */
import { describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

interface Choice {
  readonly kinematics: string;
  readonly section?: string;
  readonly material: string;
  readonly coordinates?: string;
  readonly rest?: string;
}

const L = 0.2;
const E = 1e6;

const text = ({
  kinematics,
  section,
  material,
  coordinates = 'th: { unit: rad, limits: [-2, 2] }',
  rest = '',
}: Choice): string => `kanegen: 1
name: r
body-types:
  segment:
    parameters: { L: ${L} m, R: 1 cm, rho: 1000 kg/m^3, E: 1 MPa }
    coordinates: { ${coordinates} }
    volume: { rod: { s: [0, L] }, section: { ${section ?? 'disc: R, cartesian: [x, y]'} }, density: rho }
    ${kinematics}
    material: { ${material} }
links: [ { name: seg, body: segment } ]
${rest}`;

const BEND = `let: { a: th*s/L }
    position: ["L*(1 - cos(a))/th + x*cos(a)", y, "L*sin(a)/th - x*sin(a)"]
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`;
const POLAR_BEND = BEND.replaceAll('x*', 'r*cos(f)*')
  .replace(', y, "', ', "r*sin(f)", "')
  .replace(/x-axis.*/, 'x-axis: { s: L, r: R }, y-axis: { s: L, r: R, f: 90 deg } }');

async function dynamicsOf(choice: Choice): Promise<LoadedRobot> {
  const robot = loadRobotText(text(choice), 'r.robot.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
}

async function forcesOf(
  choice: Choice,
  q: readonly number[],
  qd = q.map(() => 0),
): Promise<{ elastic: number[]; damping: number[] }> {
  const dynamics = await dynamicsOf(choice);
  const [elastic, damping] = [new Float64Array(q.length), new Float64Array(q.length)];
  expect(dynamics.update(q, qd)).toBe(0);
  expect(dynamics.terms(null, null, elastic, damping)).toBe(0);
  return { elastic: [...elastic], damping: [...damping] };
}

const DISC = (Math.PI / 4) * 0.01 ** 4;

describe('rod-elasticity of rods by position', () => {
  it.each([
    ['a disc', undefined, BEND, DISC],
    ['a disc in polar coordinates', 'disc: R, polar: [r, f]', POLAR_BEND, DISC],
    [
      'a strip, about its longer side',
      'rectangle: [R/5, R], cartesian: [x, y]',
      BEND.replace('x: R }', 'x: R/20 }').replace('y: R }', 'y: R/4 }'),
      (0.01 * 0.002 ** 3) / 12,
    ],
    [
      'an ellipse',
      'ellipse: [R, R/2], cartesian: [x, y]',
      BEND.replace('y: R }', 'y: R/4 }'),
      (Math.PI / 4) * 0.01 ** 3 * 0.005,
    ],
    ['a tube', 'annulus: [R/2, R], cartesian: [x, y]', BEND, DISC * (1 - 1 / 16)],
  ])('bends %s with E I', async (_, section, kinematics, I) => {
    const own = {
      ...(section && { section }),
      kinematics,
      material: 'rod-elasticity: { E: E, nu: 0.49 }, viscosity: 3 kPa s',
    };
    for (const th of [0, 1e-7, 0.4, -1.9]) {
      const { elastic, damping } = await forcesOf(own, [th], [0.7]);
      expect(Math.abs(elastic[0]! - (E * I * th) / L)).toBeLessThan(1e-13 * ((E * I) / L));
      expect(Math.abs(damping[0]! / ((3 * 3000 * I * 0.7) / L) - 1)).toBeLessThan(1e-12);
    }
  });

  it('is that of the same rod by its strain, stretched and bent in two planes', async () => {
    const coordinates = 'a: { unit: rad, limits: [-1, 1] }, e: { unit: m, limits: [-0.02, 0.05] }';
    const material = 'rod-elasticity: { E: E*(1 + s/L), nu: 0.4 }, retardation-time: 20 ms';
    const strained = { coordinates, material, kinematics: 'strain: { bend-x: a/L, stretch: e/L }' };
    const placed = {
      coordinates,
      material,
      kinematics: `let: { t: a*s/L, l: (L + e) }
    position: [x, "-l*(1 - cos(t))/a + y*cos(t)", "l*sin(t)/a + y*sin(t)"]
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`,
    };
    const [q, qd] = [
      [0.6, 0.03],
      [0.3, -0.2],
    ];
    const [one, other] = [await forcesOf(strained, q, qd), await forcesOf(placed, q, qd)];
    for (const key of ['elastic', 'damping'] as const)
      one[key].forEach((force, i) => expect(Math.abs(other[key][i]! / force - 1)).toBeLessThan(1e-12));
  });

  it('takes frame fields', async () => {
    const kinematics = `let: { t: th*s/L }
    pose: { xyz: ["L*(1 - cos(t))/th", 0, L*sin(t)/th], rpy: [0, t, 0] }`;
    const { elastic } = await forcesOf({ kinematics, material: 'rod-elasticity: { E: E, nu: 0.5 }' }, [0.4]);
    expect(Math.abs(elastic[0]! / ((E * DISC * 0.4) / L) - 1)).toBeLessThan(1e-12);
  });

  it('is refused where sections deform, whatever is silenced', () => {
    const kinematics = BEND.replace('x*cos(a)', '(1 + th/9)*x*cos(a)');
    const own = text({ kinematics, material: 'rod-elasticity: { E: E, nu: 0.5 }', rest: 'silence: [locking]\n' });
    expect(() => loadRobotText(own, 'r.robot.yaml')).toThrow(
      /is for rods whose sections stay plane and rigid, and those of segment do not/,
    );
  });
});

describe('laws of solids where sections cannot contract', () => {
  const warnings = (choice: Choice): string[] =>
    loadRobotText(text(choice), 'r.robot.yaml')
      .warnings.filter(({ name }) => name !== 'unused-parameter')
      .map(({ name, message }) => `${name}: ${message}`);

  it('resist bending by M I, as the warning says', async () => {
    const material = 'st-venant-kirchhoff: { E: E, nu: 0.49 }';
    const [warning, ...others] = warnings({ kinematics: BEND, material });
    expect(others).toEqual([]);
    expect(warning).toMatch(/^locking: sections of segment cannot contract.*17\.1 times E.*rod-elasticity/);
    const factor = 0.51 / (1.49 * 0.02);
    const { elastic } = await forcesOf({ kinematics: BEND, material }, [1e-4]);
    expect(Math.abs(elastic[0]! / ((factor * E * DISC * 1e-4) / L) - 1)).toBeLessThan(1e-6);
  });

  it.each([
    ['neo-hookean of rubber', 'compressible-neo-hookean: { mu: 0.3 MPa, lambda: 15 MPa }', 1],
    ['up to 0.3', 'st-venant-kirchhoff: { E: E, nu: 0.3 }', 0],
    ['above 0.3', 'st-venant-kirchhoff: { E: E, nu: 0.31 }', 1],
  ])('are told of: %s', (_, material, count) => {
    expect(warnings({ kinematics: BEND, material })).toHaveLength(count);
  });

  it('are not told of where a coordinate makes sections thinner', () => {
    const kinematics = `position: [x*(1 - c), y*(1 - c), "s*(1 + e)"]
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`;
    const coordinates = 'e: { limits: [-0.1, 0.1] }, c: { limits: [-0.1, 0.1] }';
    expect(
      warnings({
        kinematics: kinematics.replace(/distal: .*/, 'distal: none'),
        coordinates,
        material: 'st-venant-kirchhoff: { E: E, nu: 0.49 }',
      }),
    ).toEqual([]);
  });

  it('are not told of where it is said to be meant so', () => {
    expect(
      warnings({ kinematics: BEND, material: 'st-venant-kirchhoff: { E: E, nu: 0.49 }', rest: 'silence: [locking]\n' }),
    ).toEqual([]);
  });
});
