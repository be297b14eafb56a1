/** `slides-out`: what it is read as, and mistakes with their places. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';

interface Parts {
  readonly coordinates?: string;
  readonly slides?: string;
  readonly strain?: string;
  readonly more?: string;
}

const robot = ({
  coordinates = 'l: { unit: m, limits: [0.05 m, 0.3 m], default: 0.1 m }, b: { unit: rad }',
  slides = 'l',
  strain = '{ bend-y: b*((s - (L - l))/l)^2/l }',
  more = '',
}: Parts): string => `kanegen: 1
name: sliding
body-types:
  rod:
    parameters: { L: 0.35 m }
    coordinates: { ${coordinates} }
    volume: { rod: { s: [0, L] }, section: { disc: 4 mm, cartesian: [x, y] }, density: 1000 }
    slides-out: ${slides}
    strain: ${strain}
    ${more}
links: [ { name: rod, body: rod } ]
`;

function problemOf(text: string): KanegenError {
  try {
    loadRobotText(text, 'rod.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('there is no problem');
}

describe('a rod that slides out of its base', () => {
  it('is straight before the border, and bends behind it', () => {
    const { body } = loadRobotText(robot({}), 'rod.yaml').links[0]!;
    if (body.kind !== 'deformable' || body.type.kinematics.kind !== 'strain') throw new Error('a rod');
    const { slides, angular, linear } = body.type.kinematics;
    expect(slides?.coordinate.name).toBe('body.l');
    expect(angular[1].kind).toBe('select');
    expect(linear[2]).toMatchObject({ kind: 'rational' });
  });

  it.each([
    ['unknown-coordinate', { slides: 'free' }, 8, 'no coordinate `free`'],
    ['wrong-value', { slides: 'b' }, 8, 'its unit is rad'],
    ['missing-key', { coordinates: 'l: { unit: m, default: 0.1 m }, b: { unit: rad }' }, 8, 'has no limits'],
    [
      'wrong-value',
      { coordinates: 'l: { unit: m, limits: [0 m, 0.3 m], default: 0.1 m }, b: { unit: rad }' },
      8,
      'down to 0 m',
    ],
    [
      'wrong-value',
      { coordinates: 'l: { unit: m, limits: [0.1 m, 0.4 m], default: 0.1 m }, b: { unit: rad }' },
      8,
      'beyond the length',
    ],
    ['strain-at-base', { strain: '{ bend-y: b/l }' }, 9, 'not that of a straight rod'],
    ['strain-at-base', { strain: '{ bend-y: b*(s - (L - l))/l^2 }' }, 9, 'has a slope'],
    [
      'strain-at-base',
      { strain: '{ bend-y: b*((s - (L - l))/l)^2/l, stretch: b/10 }' },
      9,
      'not that of a straight rod',
    ],
    ['strain-at-base', { more: 'rest: { bend-x: 2 }' }, 8, 'not that of a straight rod'],
    ['not-supported', { more: 'section-position: [x, y]' }, 8, 'has `section-position`'],
    [
      'not-supported',
      {
        strain: '{ equilibrium: { stress: { bend-y: b } } }',
        coordinates:
          'l: { unit: m, limits: [0.05 m, 0.3 m], default: 0.1 m }, b: { unit: N m, limits: [-1 N m, 1 N m] }',
        more: 'material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }',
      },
      8,
      'solves equations',
    ],
  ] as const)('is refused: %s %o', (code, parts, line, part) => {
    const problem = problemOf(robot(parts));
    expect(problem).toMatchObject({ code, location: { file: 'rod.yaml', line } });
    expect(problem.message).toContain(part);
    expect(problem.remedy).toBeTruthy();
  });

  it('is refused beside kinematics without strains', () => {
    const text = robot({}).replace(/strain: .*/, 'position: [x, y, s]\n    distal: none');
    expect(problemOf(text)).toMatchObject({ code: 'several-kinematics', location: { file: 'rod.yaml', line: 8 } });
  });
});
