/** Elastic forces of solids that are hardly deformed: as many digits as the deformation has, against closed formulas. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

const [L, R, E, NU] = [0.2, 0.01, 1e6, 0.3];
/** λ and μ. */
const LAME = (E * NU) / ((1 + NU) * (1 - 2 * NU));
const SHEAR = E / (2 * (1 + NU));
const SIZES = [1, 1e-3, 1e-6, 1e-9, 1e-12];

async function forcesOf(type: string): Promise<(q: readonly number[]) => { forces: number[]; energy: number }> {
  const robot = loadRobotText(
    `kanegen: 1
name: solid
gravity: [0, 0, 0]
silence: [locking]
body-types:
  solid:
    parameters: { L: ${L} m, R: ${R} m, rho: 1000 kg/m^3, E: ${E} Pa }
    ${type}
links: [ { body: solid } ]
`,
    'solid.robot.yaml',
  );
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  return (q) => {
    const [forces, energies] = [new Float64Array(q.length), new Float64Array(3)];
    expect(dynamics.update([...q], new Array<number>(q.length).fill(0))).toBe(0);
    expect(dynamics.terms(null, null, forces, null)).toBe(0);
    expect(dynamics.energies(energies)).toBe(0);
    return { forces: [...forces], energy: energies[2]! };
  };
}

const BENDS = `let: { a: th*s/L }
    position: ["L*(1 - cos(a))/th + x*cos(a)", y, "L*sin(a)/th - x*sin(a)"]
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }`;

describe('a solid whose sections stay rigid', () => {
  it.each([
    ['by its position', BENDS, 'disc: R, cartesian: [x, y]'],
    [
      'in polar coordinates',
      BENDS.replaceAll('x*', 'r*cos(f)*')
        .replace(', y, "', ', r*sin(f), "')
        .replace(/distal.*/, 'distal: none'),
      'disc: R, polar: [r, f]',
    ],
    ['by its pose', 'pose: { xyz: ["L*(1 - cos(th*s/L))/th", 0, L*sin(th*s/L)/th], rpy: [0, th*s/L, 0] }', 'disc: R'],
  ])('keeps its digits when it is hardly bent: %s', async (_, kinematics, section) => {
    const at = await forcesOf(`coordinates: { th: { unit: rad, limits: [-2, 2] } }
    volume: { rod: { s: [0, L] }, section: { ${section} }, density: rho }
    ${kinematics}
    material: { st-venant-kirchhoff: { E: E, nu: ${NU} } }`);
    // W = (λ/2 + μ) e², e = −κ x + κ² x²/2, over a disc.
    const [second, fourth] = [(Math.PI / 4) * R ** 4, (Math.PI / 8) * R ** 6];
    for (const th of SIZES) {
      const k = th / L;
      const { forces, energy } = at([th]);
      const due = (LAME + 2 * SHEAR) * (k * second + (k ** 3 / 2) * fourth);
      expect(Math.abs(forces[0]! / due - 1)).toBeLessThan(1e-13);
      const stored = (LAME / 2 + SHEAR) * L * (k ** 2 * second + (k ** 4 / 4) * fourth);
      expect(Math.abs(energy / stored - 1)).toBeLessThan(1e-13);
    }
  });
});

describe('a solid whose points move by polynomials', () => {
  const BOX = `coordinates: { e: { limits: [-0.9, 2] }, g: {} }
    volume: { box: { x: [0, L], y: [0, L], z: [0, L] }, density: rho }
    position: [x + g*z, y, z*(1 + e)]
    distal: none`;
  const strains = (e: number, g: number) => ({ zz: e + (e * e + g * g) / 2, xz: g / 2 });

  it('keeps its digits when it is hardly stretched and sheared', async () => {
    const at = await forcesOf(`${BOX}
    material: { st-venant-kirchhoff: { E: E, nu: ${NU} } }`);
    for (const size of SIZES) {
      const [e, g] = [0.7 * size, -0.4 * size];
      const { zz, xz } = strains(e, g);
      const stress = (LAME + 2 * SHEAR) * zz;
      const { forces } = at([e, g]);
      const due = [stress * (1 + e), stress * g + 2 * SHEAR * xz].map((x) => x * L ** 3);
      forces.forEach((force, i) => expect(Math.abs(force / due[i]! - 1)).toBeLessThan(1e-13));
    }
  });

  it('has them in the invariants that laws of rubber are written in', async () => {
    const at = await forcesOf(`${BOX}
    material: { energy: "E*(I1 - 3) + 2*E*(I2 - 3)" }`);
    for (const size of SIZES) {
      const [e, g] = [0.7 * size, -0.4 * size];
      const { zz, xz } = strains(e, g);
      // I1 − 3 = 2 tr e, I2 − 3 = 4 tr e + 2 (tr e)² − 2 e:e of C = 1 + 2 e.
      const first = 2 * zz;
      const second = 4 * zz + 2 * zz ** 2 - 2 * (zz ** 2 + 2 * xz ** 2);
      const { energy } = at([e, g]);
      expect(Math.abs(energy / (E * (first + 2 * second) * L ** 3) - 1)).toBeLessThan(1e-12);
    }
  });
});
