/** Rods of graded material and of several layers: the independent check passes them, and notices another material. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { Verification } from '../../src/verify/verify.ts';

const source = `kanegen: 1
name: layers
body-types:
  graded:
    parameters: { L: 0.3 m, R: 10 mm, E0: 0.4 MPa, eta: 100 Pa s }
    coordinates: { q: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R*(1 - 0.4*s/L) }, density: 1000 }
    strain: { bend-y: q*(1 + s/L)/L }
    material: { rod-elasticity: { E: E0*(1 + s/L), nu: 0.5 - 0.2*S }, viscosity: "s < L/3 ? eta : 0.3*eta" }
  skinned:
    parameters: { L: 0.3 m, R: 10 mm, E0: 0.4 MPa }
    coordinates: { q: { unit: rad }, e: { unit: m } }
    volumes:
      core:
        { rod: { s: [0, L] }, section: { rectangle: [R, R/2] }, density: 1000, material: { rod-elasticity: { E: 3*E0*exp(-S), nu: 0.3 }, retardation-time: 0.1 s, viscosity: 900 Pa s } }
      skin: { rod: { s: [0, L] }, section: { annulus: [1.5*R, 2*R] }, density: 1200 }
    strain: { bend-y: sin(q)/L, twist: q/L, shear-x: 0.1*q, stretch: e/L }
    material: { rod-elasticity: { E: E0, nu: 0.5, shear-factor: 0.5 + 0.2*S }, viscosity: 200 Pa s }
  strip:
    parameters: { L: 0.3 m, w: 20 mm, E0: 0.4 MPa }
    coordinates: { q: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { rectangle: [w*(1 - 0.7*s/L), w/2] }, density: 1000 }
    strain: { twist: q*(1 + s/L)/L, shear-x: 0.1*q, shear-y: 0.2*q }
    material: { rod-elasticity: { E: E0, nu: 0.5, shear-factor: [5/6, 0.7] }, viscosity: 30 Pa s }
  composite:
    parameters: { L: 0.3 m, w: 20 mm, K: 0.01 N m^2 }
    coordinates: { q: { unit: rad, limits: [-1, 1] }, e: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { ellipse: [w, w/3] }, density: 1000 }
    strain: { twist: q*(1 + s/L)/L, bend-x: q/L, shear-x: 0.1*q, stretch: e/L }
    material:
      section-stiffness:
        - [2*K, 0, 0.3*K*(1 + S), 0, 0, 3*K/w]
        - [0, K, 0, 0, 0, 0]
        - [0.3*K*(1 + S), 0, K, 0, 0, 0]
        - [0, 0, 0, 30*K/L^2, 0, 0]
        - [0, 0, 0, 0, 20*K/L^2, 0]
        - [3*K/w, 0, 0, 0, 0, 10*K/w^2]
      viscosity: 30 Pa s
links: [ { name: a, body: graded }, { name: b, body: skinned }, { name: c, body: strip }, { name: d, body: composite } ]
`;
const robot = loadRobotText(source, 'layers.yaml');
let verification: Verification;
beforeAll(() => {
  verification = new Verification(robot, { seed: 5, states: 1 });
});

async function dynamicsOf(text: string) {
  const other = loadRobotText(text, 'layers.yaml');
  return (await loadGenerated(await generateTypeScript(other, compileRobot(other))))();
}

const ELASTIC = 'difference quotients of the stored energy give the same elastic forces';
const DAMPING = 'difference quotients of the dissipation give the same damping forces';
const ENERGY = 'elastic energy is that of the formulas as they were written';

async function failures(text: string): Promise<string[]> {
  const report = await verification.of(await dynamicsOf(text));
  const names = report.checks.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining([ELASTIC, DAMPING, ENERGY]));
  return report.checks.filter(({ passed }) => !passed).map(({ name }) => name);
}

describe('materials of rods', () => {
  it('are verified', async () => {
    expect(await failures(source)).toEqual([]);
  });

  it('of which one has a torsion constant in place of that of its section are noticed', async () => {
    const other = source.replace('shear-factor: [5/6', 'torsion-constant: 2e-9, shear-factor: [5/6');
    expect(await failures(other)).toEqual(expect.arrayContaining([ELASTIC, ENERGY]));
  });

  it('that couple strains otherwise are noticed', async () => {
    expect(await failures(source.replaceAll('0.3*K*(1 + S)', '0.2*K*(1 + S)'))).toEqual(
      expect.arrayContaining([ELASTIC, ENERGY]),
    );
  });

  it('that differ are noticed', async () => {
    const other = source.replace('E: E0*(1 + s/L)', 'E: E0*(2 - s/L)').replace('s < L/3', 's < L/2');
    expect(await failures(other)).toEqual(expect.arrayContaining([ELASTIC, DAMPING, ENERGY]));
  });
});
