/** Laws of solids: what a file may say of them, and what it must not. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { STRAIN_MEASURES } from '../../src/description/model/material.ts';
import type { Warning } from '../../src/description/model/warnings.ts';
import { library } from '../../src/library/index.ts';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';

const block = (
  material: string,
  kinematics = 'position: [x, y*(1 - e), z*(1 + e)]\n    distal: none',
): string => `kanegen: 1
name: rubber
body-types:
  block:
    parameters: { L: 0.2 m, a: 40 mm, k: 0.3 MPa, n: 0.5 }
    coordinates: { e: { limits: [-0.3, 0.5] } }
    volume: { box: { x: [-a/2, a/2], y: [-a/2, a/2], z: [0, L] }, density: 1100 kg/m^3 }
    ${kinematics}
    material: ${material}
links: [ { body: block } ]
`;

/** W at given strain measures, all parameters at their defaults. */
function energy(material: string, measures: Partial<Record<keyof typeof STRAIN_MEASURES, number>>): number {
  const { body } = loadRobotText(block(material), 'rubber.robot.yaml').links[0]!;
  if (body.kind !== 'deformable') throw new Error('a block is deformable');
  const defaults = evaluate(body.type.parameters.map((p) => p.value));
  const values = new Map<Expr, number>(body.type.parameters.map((p, i) => [p.symbol, defaults[i]!]));
  for (const [name, value] of Object.entries(measures)) values.set(STRAIN_MEASURES[name as 'J'], value);
  return evaluate([body.type.solids![0]!.energy], values)[0]!;
}

function failure(text: string): string {
  try {
    loadRobotText(text, 'bad.robot.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return formatError(error);
    throw error;
  }
  return 'nothing wrong';
}

describe('laws of the library', () => {
  it('are all tested here, with numbers by hand', () => {
    expect(library.materialNames()).toEqual([
      'compressible-neo-hookean',
      'corotated',
      'linear-elasticity',
      'mooney-rivlin',
      'neo-hookean',
      'st-venant-kirchhoff',
    ]);
    // λ = E ν/((1 + ν)(1 − 2ν)) = 2, μ = E/(2(1 + ν)) = 2
    const stvk = '{ st-venant-kirchhoff: { E: 5 Pa, nu: 0.25 } }';
    expect(energy(stvk, { tr_e: 3, e_dot_e: 7 })).toBeCloseTo(1 * 9 + 2 * 7, 14);
    const linear = '{ linear-elasticity: { E: 5 Pa, nu: 0.25 } }';
    expect(energy(linear, { tr_eps: 3, eps_dot_eps: 7 })).toBeCloseTo(1 * 9 + 2 * 7, 14);
    // μ (I1 − 2 tr U + 3) + λ/2 (tr U − 3)²
    expect(energy('{ corotated: { E: 5 Pa, nu: 0.25 } }', { I1: 12, tr_U: 5 })).toBeCloseTo(2 * 5 + 4, 14);
    expect(energy('{ neo-hookean: { mu: 4 Pa } }', { I1: 5 })).toBe(4);
    expect(energy('{ mooney-rivlin: { c1: 2 Pa, c2: 3 Pa } }', { I1: 5, I2: 7 })).toBe(16);
    const compressible = '{ compressible-neo-hookean: { mu: 2 Pa, lambda: 3 Pa } }';
    expect(energy(compressible, { I1: 5, J: Math.E })).toBeCloseTo(2 - 2 + 1.5, 14);
    expect(energy('{ energy: "k/1000000*(e_xy + 2*I2)" }', { e_xy: 1, I2: 2 })).toBeCloseTo(1.5, 14);
  });

  it.each([
    [
      '{ st-venant-kirchhoff: { E: 1 MPa, nu: 0.5 } }',
      /bad\.robot\.yaml:10:\d+.*Poisson's ratio is 0\.5[\s\S]*below 0\.5/,
    ],
    [
      '{ st-venant-kirchhoff: { E: 1 MPa, nu: n } }',
      /bad\.robot\.yaml:10:\d+.*Poisson's ratio is 0\.5[\s\S]*below 0\.5/,
    ],
    ['{ st-venant-kirchhoff: { E: 1 MPa } }', /needs `nu`, Poisson's ratio/],
    ['{ st-venant-kirchhoff: { E: 1 MPa, nu: 0.3, mu: 2 } }', /unknown key `mu`[\s\S]*did you mean `nu`/],
    ['{ neo-hookean: { mu: -1 Pa } }', /shear modulus is -1/],
    ['{ neo-hookean: { mu: 3 N } }', /shear modulus must be/],
    ['{ neo-hookean: { mu: 1 Pa }, mooney-rivlin: { c1: 1, c2: 1 } }', /a material has one law/],
    ['{ neo-hookean: { mu: 1 Pa }, retardation-time: 1 s }', /solids have a `viscosity`/],
    ['{ neo-hookean: { mu: 1 Pa }, viscosity: -1 }', /the viscosity is -1/],
    ['{ neo-hookeen: { mu: 1 Pa } }', /unknown key `neo-hookeen`[\s\S]*neo-hookean/],
    ['{ energy: k }', /does not depend on the strain[\s\S]*I1, I2, J/],
    ['{ energy: I1 }', /energy of a unit volume must be/],
    ['{ energy: k*I4 }', /unknown symbol `I4`/],
    ['{ rod-elasticity: { E: 1 MPa, nu: 0.5 } }', /`rod-elasticity` is for rods; a volume of this body is a box/],
    ['{ viscosity: 3 }', /has no law/],
    ['{ energy: k*log(J - 1) }', /bad\.robot\.yaml:10:\d+.*no finite derivative in the undeformed body[\s\S]*smooth/],
    ['{ energy: k*(I1 - 3)*exp(acos(J)) }', /bad\.robot\.yaml:10:\d+.*no finite second derivative in the undeformed/],
  ])('refuse %s', (material, message) => {
    expect(failure(block(material))).toMatch(message);
  });

  const warnings = (material: string, kinematics?: string): string[] =>
    stress(block(material, kinematics)).map(
      ({ location, message }) => `${location.line}:${location.column} ${message}`,
    );
  const stress = (text: string): readonly Warning[] =>
    loadRobotText(text, 'warm.robot.yaml', { silence: ['unused-parameter', 'locking'] }).warnings;
  const grows = 'position: [x, y, z*(1 + e)]\n    distal: none';
  const shears = 'position: [x + e*z, y, z]\n    distal: none';

  it.each([
    ['{ energy: k*(I1 - 3)/2 }', grows, /^10:\d+ this energy has a stress of 300000 Pa.*volume of block changes/],
    ['{ energy: k*(e_dot_e + 2*J) }', grows, /stress of 600000 Pa/],
    ['{ mooney-rivlin: { c1: 1 Pa, c2: 2 Pa } }', grows, /`mooney-rivlin` has a stress of 10 Pa.*volume/],
    ['{ energy: k*(e_xy + e_dot_e) }', shears, /stress of 300000 Pa in the undeformed body: block does not rest/],
    ['{ energy: k*(e_zz + e_dot_e) }', shears, /stress of 300000 Pa/],
  ])('warn of stress where nothing is deformed: %s', (material, kinematics, message) => {
    const all = warnings(material, kinematics);
    expect(all).toHaveLength(1);
    expect(all[0]).toMatch(message);
  });

  it.each([
    ['{ energy: k*(I1 - 3)/2 }', shears],
    ['{ neo-hookean: { mu: 1 Pa } }', shears],
    ['{ energy: k*(I1 - 3 - 2*log(J)) + 5*k*(J - 1)^2 }', grows],
    ['{ compressible-neo-hookean: { mu: 1 Pa, lambda: 3 Pa } }', grows],
    ['{ st-venant-kirchhoff: { E: 1 Pa, nu: 0.3 } }', grows],
    ['{ energy: k*(e_xy^2 + e_dot_e) }', shears],
  ])('warn of nothing where there is none, or only pressure at a volume that stays: %s', (material, kinematics) => {
    expect(warnings(material, kinematics)).toEqual([]);
  });

  it('warn of nothing where parts of a stress cancel but for rounding', () => {
    const text = block('{ energy: k*0.7/3*(I1 - 3) + m*0.13*(J - 1) - (1.4*k/3 + 0.13*m)*log(J) }', grows);
    expect(stress(text.replace('k: 0.3 MPa', 'k: 0.2137 MPa, m: 1.0391 MPa'))).toEqual([]);
  });

  it('refuse rods given by their strains', () => {
    const rod = block('{ neo-hookean: { mu: 1 MPa } }', 'strain: { stretch: e }').replace(
      'box: { x: [-a/2, a/2], y: [-a/2, a/2], z: [0, L] }',
      'rod: { s: [0, L] }, section: { disc: a }',
    );
    expect(failure(rod)).toMatch(/`neo-hookean` is a law of solids/);
  });
});
