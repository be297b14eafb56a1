/** Fields along a rod as sums over a basis: what they mean, division by division, and mistakes in writing them. */
import { describe, expect, it } from 'vitest';
import { breaksOf } from '../../src/description/language/bases.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { BodyType, DeformableBody, StrainKinematics } from '../../src/description/model/robot.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { KanegenError } from '../../src/common/error.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { symbol, type Expr } from '../../src/symbolic/graph/expr.ts';
import { parseFormula } from '../../src/symbolic/formulas/parse.ts';
import { formulaValue } from '../../src/symbolic/formulas/formula.ts';
import { toText } from '../../src/symbolic/formulas/print.ts';

const LENGTH = 0.4;
const s = symbol('material.s');

function rod(strain: string, coordinates = 'a: { count: 3, unit: rad }, b: { count: 4, unit: rad }'): BodyType {
  const text = `
kanegen: 1
name: test
body-types:
  rod:
    parameters: { L: 0.4 m, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { ${coordinates} }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain:
${strain
  .trim()
  .split('\n')
  .map((line) => `      ${line}`)
  .join('\n')}
links: [{ body: rod }]
`;
  return (loadRobotText(text, 'test.yaml').links[0]!.body as DeformableBody).type;
}

const bendY = (type: BodyType): Expr => (type.kinematics as StrainKinematics).angular[1];

/** The value at s, for coordinates by name. */
function at(e: Expr, place: number, q: Readonly<Record<string, number>>): number {
  const bindings = new Map<Expr, number>([
    [symbol('body.L'), LENGTH],
    [s, place],
  ]);
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'b4']) bindings.set(symbol(`body.${name}`), q[name] ?? 0);
  return evaluate([e], bindings)[0]!;
}

const breaks = (type: BodyType): string[] => ((type.volumes[0] as RodVolume).breaks.get(s) ?? []).map(toText).sort();

describe('a sum over a basis', () => {
  it('is what its functions make of u = s/L, times the scale', () => {
    const e = bendY(rod('bend-y: { basis: legendre, coordinates: a, scale: 1/L }'));
    const x = 2 * (0.1 / LENGTH) - 1;
    const expected = (1 + 2 * x + (3 * (3 * x * x - 1)) / 2) / LENGTH;
    expect(at(e, 0.1, { a1: 1, a2: 2, a3: 3 })).toBeCloseTo(expected, 14);
  });

  it('may be scaled by a length that is a bare number', () => {
    const text = (length: string): string => `
kanegen: 1
name: test
body-types:
  rod:
    parameters: { L: ${length}, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { a: { count: 3, unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: { basis: legendre, coordinates: a, scale: 1/L } }
links: [{ body: rod }]
`;
    const [bare, measured] = ['0.4', '0.4 m'].map((length) =>
      bendY((loadRobotText(text(length), 'test.yaml').links[0]!.body as DeformableBody).type),
    );
    expect(bare).toBe(measured);
  });

  it('is the same field as the formula that calls the functions', () => {
    const sum = bendY(rod('bend-y: { basis: chebyshev, coordinates: a, scale: 1/L }'));
    const formula = bendY(rod('bend-y: (a1 + a2*chebyshev(1, s/L) + a3*chebyshev(2, s/L))/L'));
    for (const place of [0, 0.13, 0.4])
      expect(at(sum, place, { a1: 0.3, a2: -1, a3: 2 })).toBeCloseTo(
        at(formula, place, { a1: 0.3, a2: -1, a3: 2 }),
        14,
      );
  });

  it('needs no scale when the coordinates are strains themselves', () => {
    const type = rod('bend-y: { basis: monomial, coordinates: a }', 'a: { count: 3, unit: 1/m }');
    expect(at(bendY(type), 0.2, { a1: 1, a2: 2, a3: 4 })).toBeCloseTo(1 + 1 + 1, 14);
  });

  it('takes its count from the coordinates', () => {
    const e = bendY(rod('bend-y: { basis: linear, coordinates: b, scale: 1/L }'));
    // Nodes at 0, 1/3, 2/3, 1.
    expect(at(e, LENGTH / 2, { b2: 1, b3: 3 })).toBeCloseTo(2 / LENGTH, 13);
  });

  it('takes centres and width of radial functions', () => {
    const e = bendY(
      rod('bend-y: { basis: gaussian, coordinates: a, scale: 1/L, centres: [0.1, 0.5, 0.9], width: 0.2 }'),
    );
    expect(at(e, 0.3 * LENGTH, { a2: 1 })).toBeCloseTo(Math.exp(-1) / LENGTH, 14);
  });

  it.each(['fourier', 'gaussian', 'inverse-multiquadric', 'quadratic'])('may be over a %s basis', (basis) => {
    const e = bendY(rod(`bend-y: { basis: ${basis}, coordinates: a, scale: 1/L }`));
    expect(Number.isFinite(at(e, 0.1, { a1: 1, a2: 1, a3: 1 }))).toBe(true);
  });
});

describe('divisions', () => {
  const divided = rod(`
bend-y:
  - { over: [0, L/4], basis: linear, coordinates: a, scale: 1/L }
  - { over: [L/4, L], basis: monomial, coordinates: b, scale: 1/L }
`);

  it('have their own coordinates and do not see each other', () => {
    const e = bendY(divided);
    expect(at(e, 0.05, { a2: 1, b1: 7 })).toBeCloseTo(1 / LENGTH, 13);
    expect(at(e, 0.25, { a1: 7, a2: 7, a3: 7, b1: 1, b2: 2 })).toBeCloseTo((1 + 1) / LENGTH, 13);
    expect(at(e, LENGTH, { b1: 1, b2: 1, b3: 1, b4: 1 })).toBeCloseTo(4 / LENGTH, 13);
  });

  it('leave the rest of the rod alone', () => {
    const e = bendY(rod('bend-y: { over: [L/4, L/2], basis: monomial, coordinates: a, scale: 1/L }'));
    expect([0.09, 0.11, 0.19, 0.21].map((place) => at(e, place, { a1: 1 }) * LENGTH)).toEqual([0, 1, 1, 0]);
  });

  it('end where rules must not reach across, like the elements in them', () => {
    expect(breaks(divided)).toEqual(['L/4', 'L/8']);
    expect(breaks(rod('bend-y: { basis: quadratic, coordinates: a, scale: 1/L }'))).toEqual([]);
    expect(breaks(rod('bend-y: { basis: linear, coordinates: a, scale: 1/L }'))).toEqual(['L/2']);
  });
});

describe('knots of a formula', () => {
  const knots = (text: string): string[] => {
    const names = new Map([
      ['s', s],
      ['L', symbol('body.L')],
      ['q', symbol('body.q')],
    ]);
    const value = formulaValue(parseFormula(text), {
      value: (name) => names.get(name),
      macro: () => undefined,
      names: () => [...names.keys()],
    });
    return breaksOf([value as Expr], s).map(toText);
  };

  it('are where conditions that are linear in s change', () => {
    expect(knots('select(s < L/2, 1, 2)')).toEqual(['L/2']);
    expect(knots('select(2*s/L - 1 > 1/3, q, s)')).toEqual(['2*L/3']);
    expect(knots('hermite(3, 6, s/L)')).toEqual(['L/2']);
    expect(knots('abs(s - L/3) + sign(2*s/L - 1)').sort()).toEqual(['L/2', 'L/3']);
    expect(knots('q*s^2 + abs(q) + select(q < 1, s, 2*s)')).toEqual([]);
  });
});

describe('mistakes', () => {
  it.each<readonly [string, string, string, RegExp]>([
    ['an unknown basis', 'bend-y: { basis: lagrange, coordinates: a }', 'wrong-value', /basis$/],
    [
      'unknown coordinates',
      'bend-y: { basis: legendre, coordinates: aa, scale: 1/L }',
      'unknown-coordinate',
      /coordinates$/,
    ],
    ['a missing scale', 'bend-y: { basis: legendre, coordinates: a }', 'wrong-unit', /bend-y$/],
    [
      'a count that elements do not have',
      'bend-y: { basis: quadratic, coordinates: b, scale: 1/L }',
      'wrong-value',
      /coordinates$/,
    ],
    [
      'a width without radial functions',
      'bend-y: { basis: legendre, coordinates: a, scale: 1/L, width: 1 }',
      'unknown-key',
      /width$/,
    ],
    [
      'too few centres',
      'bend-y: { basis: gaussian, coordinates: a, scale: 1/L, centres: [0, 1] }',
      'wrong-shape',
      /centres$/,
    ],
    ['a degree that is not a number', 'bend-y: legendre(a1, s/L)/L', 'wrong-value', /bend-y$/],
    ['a length where a fraction is due', 'bend-y: a1*legendre(2, s)/L', 'wrong-unit', /bend-y$/],
    ['too few arguments', 'bend-y: a1*linear(2, s/L)/L', 'wrong-argument-count', /bend-y$/],
  ])('such as %s are named where they are', (_, strain, code, path) => {
    let error: KanegenError | undefined;
    try {
      rod(strain);
    } catch (caught) {
      error = caught as KanegenError;
    }
    expect(error).toBeInstanceOf(KanegenError);
    expect(error!.code).toBe(code);
    expect(error!.location!.path).toMatch(path);
    expect(error!.location!.line).toBe(10);
  });
});
