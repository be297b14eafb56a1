/** What sections of rods are stiff by: torsion of Saint-Venant, shear factors, matrices as the file gives them. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { formatError } from '../../src/description/source/diagnostics.ts';
import { KanegenError } from '../../src/common/error.ts';
import { stiffnessOfRods, type StiffnessOfSection } from '../../src/kane/rods/section-stiffness.ts';
import { torsionConstant } from '../../src/kane/rods/torsion-constant.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal } from '../../src/symbolic/graph/expr.ts';
import { twistConstant } from '../../src/verify/written/section-twist.ts';
import { torsionOfEllipse, torsionOfRectangle } from './torsion.ts';

const rodText = (section: string, material: string, more = ''): string => `kanegen: 1
name: one
body-types:
  rod:
    parameters: { L: 100 mm, w: 10 mm, h: 1 mm, K: 2 N m^2 }
    coordinates: { c: { unit: rad } }
    volumes:
      only: { rod: { s: [0, L] }, section: ${section}, density: 1000 }${more}
    strain: { twist: c/L }
    material: ${material}
links: [ { name: tip, body: rod } ]
`;

const sections = (section: string, material: string, more?: string): readonly StiffnessOfSection[] =>
  stiffnessOfRods(loadRobotText(rodText(section, material, more), 'one.yaml'))[0]!.sections;

const of = (width: number, height: number): number =>
  evaluate([torsionConstant({ shape: 'rectangle', width: decimal(width), height: decimal(height) })])[0]!;

describe('the torsion constant', () => {
  /** S. Timoshenko, J. N. Goodier, Theory of Elasticity, § 109: k₁ of J = k₁ (2a)³ 2b by b/a. */
  it.each([
    [1, 0.1406],
    [1.2, 0.166],
    [1.5, 0.196],
    [2, 0.229],
    [2.5, 0.249],
    [3, 0.263],
    [4, 0.281],
    [5, 0.291],
    [10, 0.312],
  ])('of a rectangle 1 to %d is that of the table', (ratio, known) => {
    const digits = ratio === 1 ? 4 : 3;
    expect(Number((of(1, ratio) / ratio).toFixed(digits))).toBe(known);
    expect(of(ratio, 1)).toBe(of(1, ratio));
  });

  it.each([1, 1.1, 2.7, 30])('of a rectangle 1 to %d is twice the volume below its stress function', (ratio) => {
    expect(of(0.3, 0.3 * ratio) / torsionOfRectangle(0.3, 0.3 * ratio)).toBeCloseTo(1, 6);
  });

  it.each([
    ['rectangle', [1, 1]],
    ['rectangle', [0.2, 0.9]],
    ['rectangle', [100, 1]],
    ['ellipse', [2, 0.7]],
    ['annulus', [1, 1.5]],
    ['disc', [0.4]],
  ] as const)('of a %s %j is the energy of its warped fibres', (shape, sizes) => {
    const [a, b] = [decimal(sizes[0]), decimal(sizes[1] ?? 0)];
    const section = {
      rectangle: { shape: 'rectangle', width: a, height: b },
      ellipse: { shape: 'ellipse', semiAxisX: a, semiAxisY: b },
      annulus: { shape: 'annulus', innerRadius: a, outerRadius: b },
      disc: { shape: 'disc', radius: a },
    } as const;
    expect(twistConstant(shape, sizes) / evaluate([torsionConstant(section[shape])])[0]!).toBeCloseTo(1, 12);
  });

  it('of an ellipse is twice the volume below its stress function', () => {
    const ellipse = { shape: 'ellipse', semiAxisX: decimal(0.3), semiAxisY: decimal(1.7) } as const;
    expect(evaluate([torsionConstant(ellipse)])[0]!).toBeCloseTo(torsionOfEllipse(0.3, 1.7), 13);
  });
});

describe('the stiffness of a section', () => {
  const RUBBER = '{ rod-elasticity: { E: 3 MPa, nu: 0.5 } }';

  it('is that of a strip that may warp', () => {
    const [own, ...others] = sections('{ rectangle: [w, h] }', RUBBER);
    expect(others).toEqual([]);
    // 10 mm × 1 mm with G = 1 MPa: 3.12e-5 N m at 1 rad of 100 mm.
    expect((own!.twist / 0.1 / 3.1233e-5).toFixed(4)).toBe('1.0000');
    const expected = [(3e6 * 1e-2 * 1e-3 ** 3) / 12, (3e6 * 1e-3 * 1e-2 ** 3) / 12, 10, 10, 30];
    [own!.bendX, own!.bendY, own!.shearX, own!.shearY, own!.stretch].forEach((value, k) =>
      expect(value / expected[k]!).toBeCloseTo(1, 13),
    );
  });

  it('has a torsion constant and shear factors by axis where the file gives them', () => {
    const material = '{ rod-elasticity: { E: 3 MPa, nu: 0.5, shear-factor: [5/6, 0.7], torsion-constant: 7 mm^4 } }';
    const [own] = sections('{ rectangle: [w, h] }', material);
    expect(own!.twist).toBeCloseTo(7e-6, 18);
    expect([own!.shearX, own!.shearY]).toEqual([expect.closeTo(25 / 3, 12), expect.closeTo(7, 12)]);
  });

  it('is given at both ends and between them where it varies', () => {
    const places = sections('{ rectangle: ["w*(1 - 0.5*s/L)", h] }', RUBBER);
    expect(places.map(({ place }) => place)).toEqual([0, 0.05, 0.1]);
    expect(places[2]!.twist / (1e6 * torsionOfRectangle(5e-3, 1e-3))).toBeCloseTo(1, 6);
  });

  it('is the matrix of the file, or its diagonal', () => {
    const rows = '[2*K,0,K/2,0,0,0], [0,K,0,0,0,0], [K/2,0,K,0,0,0], [0,0,0,9,0,0], [0,0,0,0,8,1], [0,0,0,0,1,7]';
    const [own] = sections('{ disc: w }', `{ section-stiffness: [${rows}] }`);
    expect(own!.matrix).toEqual([
      4, 0, 1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, 0, 2, 0, 0, 0, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 8, 1, 0, 0, 0, 0, 1, 7,
    ]);
    const [plain] = sections('{ disc: w }', '{ section-stiffness: [1, 2, 3, 4, 5, 6] }');
    expect([plain!.bendX, plain!.bendY, plain!.twist, plain!.shearX, plain!.shearY, plain!.stretch]).toEqual([
      1, 2, 3, 4, 5, 6,
    ]);
  });
});

describe('sections of several volumes', () => {
  const skin = '\n      skin: { rod: { s: [0, L] }, section: { annulus: [2*w, 3*w] }, density: 1000 }';
  const warnings = (section: string, material: string): readonly string[] =>
    loadRobotText(rodText(section, material, skin), 'one.yaml')
      .warnings.filter(({ name }) => name !== 'unused-parameter')
      .map(({ message }) => message);

  it('that may warp are taken with their polar moments, which is said', () => {
    const [own] = sections('{ rectangle: [w, w] }', '{ rod-elasticity: { E: 3 MPa, nu: 0.5 } }', skin);
    expect(own!.twist / (1e6 * (1e-8 / 6 + (Math.PI / 2) * (0.03 ** 4 - 0.02 ** 4)))).toBeCloseTo(1, 12);
    expect(warnings('{ rectangle: [w, w] }', '{ rod-elasticity: { E: 3 MPa, nu: 0.5 } }')).toEqual([
      expect.stringMatching(/upper bound.*`torsion-constant`/),
    ]);
  });

  it('that are round, or have their constants, are not spoken of', () => {
    expect(warnings('{ disc: w }', '{ rod-elasticity: { E: 3 MPa, nu: 0.5 } }')).toEqual([]);
    expect(
      warnings('{ rectangle: [w, w] }', '{ rod-elasticity: { E: 3 MPa, nu: 0.5, torsion-constant: 1 mm^4 } }'),
    ).toEqual([]);
    expect(warnings('{ rectangle: [w, w] }', '{ section-stiffness: [1, 1, 1, 1, 1, 1] }')).toEqual([]);
  });
});

describe('what is no stiffness', () => {
  const failure = (material: string): string => {
    try {
      loadRobotText(rodText('{ rectangle: [w, h] }', material), 'one.yaml');
    } catch (error) {
      if (error instanceof KanegenError) return formatError(error);
      throw error;
    }
    return 'nothing wrong';
  };
  it.each([
    ['{ section-stiffness: [1, 2, 3] }', /6/],
    ['{ section-stiffness: [1, 1, 1, 1, 1, [0, 0, 0, 0, 0, 1]] }', /this row does not have 6 numbers/],
    ['{ section-stiffness: [1, 1, 1, 1 m, 1, 1] }', /this stiffness must be .*, not a length/],
    ['{ section-stiffness: [1, 1, 0, 1, 1, 1] }', /stiffness of twist is 0/],
    ['{ section-stiffness: [1, x*K/w, 1, 1, 1, 1] }', /`x` is not allowed here/],
    [
      '{ section-stiffness: [[1,0,0,0,0,2], [0,1,0,0,0,0], [0,0,1,0,0,0], [0,0,0,1,0,0], [0,0,0,0,1,0], [3,0,0,0,0,9]] }',
      /differs from the one on the other side of the diagonal/,
    ],
    [
      '{ section-stiffness: [[1,0,0,0,0,2], [0,1,0,0,0,0], [0,0,1,0,0,0], [0,0,0,1,0,0], [0,0,0,0,1,0], [2,0,0,0,0,3]] }',
      /is not positive definite: the pivot of stretch .* is -1/,
    ],
    ['{ rod-elasticity: { E: 1 MPa, nu: 0.5, torsion-constant: 0 } }', /torsion constant is 0/],
    ['{ rod-elasticity: { E: 1 MPa, nu: 0.5, torsion-constant: 1 mm } }', /the torsion constant must be/],
    ['{ rod-elasticity: { E: 1 MPa, nu: 0.5, shear-factor: [1, 0] } }', /shear factor is 0/],
    ['{ rod-elasticity: { E: 1 MPa, nu: 0.5 }, section-stiffness: [1, 1, 1, 1, 1, 1] }', /a material has one law/],
  ])('%s', (material, message) => {
    expect(failure(material)).toMatch(message);
  });
});
