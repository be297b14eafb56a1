/** `strain: { equilibrium: … }`: what it is read as, and mistakes with their places. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

interface Parts {
  readonly coordinates?: string;
  readonly strain?: string;
  readonly more?: string;
  readonly actuator?: string;
}

const TENDONS = 'T1: { route: { x: 7 mm, y: 0 } }, T2: { route: { x: -3 mm, y: 5 mm }, to: { s: L/2 } }';

const robot = ({
  coordinates = 'T: { count: 2, unit: N, limits: [0 N, 2 N] }',
  strain = `{ equilibrium: { tendons: { ${TENDONS} } } }`,
  more = 'material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }',
  actuator = 'drives: arm.T1',
}: Parts): string => `kanegen: 1
name: balanced
body-types:
  arm:
    parameters: { L: 0.3 m }
    coordinates: { ${coordinates} }
    volume: { rod: { s: [0, L] }, section: { disc: 10 mm }, density: 1000 }
    strain: ${strain}
    ${more}
links: [ { name: arm, body: arm } ]
actuators: { pull: { ${actuator} } }
`;

function problemOf(work: () => unknown): KanegenError {
  try {
    work();
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('there is no problem');
}

describe('equilibria of sections', () => {
  it('have tendons by coordinate, a break where one ends, and symbols in the place of strains', () => {
    const [link] = loadRobotText(robot({}), 'arm.yaml').links;
    if (link!.body.kind !== 'deformable' || link!.body.type.kinematics.kind !== 'strain') throw new Error('a rod');
    const { kinematics, volumes } = link!.body.type;
    expect(kinematics.equilibrium!.tendons.map(({ coordinate }) => coordinate.name)).toEqual(['body.T1', 'body.T2']);
    expect(kinematics.equilibrium!.unknowns.map(({ component }) => component)).toEqual([0, 1, 2, 3, 4, 5]);
    const [rod] = volumes;
    if (rod?.kind !== 'rod') throw new Error('a rod');
    expect([...rod.breaks.values()].flat()).toHaveLength(1);
  });

  it.each(['wrist', 'wrist.angle'])('leave the joint `%s` to motors', (name) => {
    const text = robot({ actuator: `drives: ${name}` }).replace(
      '[ {',
      '[ { name: wrist, joint: { revolute: y }, rigid: { mass: 1 kg } }, {',
    );
    const problem = problemOf(() => loadRobotText(text, 'arm.yaml'));
    expect(problem).toMatchObject({ code: 'wrong-value', location: { line: 11 } });
    expect(problem.remedy).toContain('`motor: wrist.angle`');
  });

  it('warn of a stress on a strain that is held', () => {
    const strain = `{ equilibrium: { tendons: { ${TENDONS} }, hold: [twist], stress: { twist: 0.1*T1*L } } }`;
    const { warnings } = loadRobotText(robot({ strain }), 'arm.yaml');
    expect(warnings).toMatchObject([{ name: 'held-strain', location: { file: 'arm.yaml', line: 8 } }]);
  });

  it.each<readonly [string, Parts, string, string]>([
    [
      'a coordinate that nothing uses',
      { coordinates: 'T: { count: 3, unit: N, limits: [0 N, 2 N] }' },
      'unknown-coordinate',
      '`T3`',
    ],
    [
      'loads of another kind',
      { strain: `{ equilibrium: { tendons: { ${TENDONS} }, loads: [gravity, wind] } }` },
      'wrong-value',
      '`gravity`',
    ],
    [
      'a tendon without a coordinate',
      { strain: '{ equilibrium: { tendons: { T9: { route: { x: 0, y: 0 } } } } }' },
      'unknown-coordinate',
      '`T9`',
    ],
    [
      'a tension in another unit',
      { coordinates: 'T: { count: 2, unit: m, limits: [0 m, 2 m] }' },
      'wrong-unit',
      'must be in N',
    ],
    [
      'a pressure in another unit',
      { strain: '{ equilibrium: { pressure: { T1: { area: 1 mm^2 } } } }' },
      'wrong-unit',
      'the pressure `T1` must be in Pa',
    ],
    [
      'a cavity without a coordinate',
      { strain: '{ equilibrium: { pressure: { p: { area: 1 mm^2 } } } }' },
      'unknown-coordinate',
      'a cavity is called as',
    ],
    [
      'a potential of no strain',
      { strain: `{ equilibrium: { tendons: { ${TENDONS} }, potential: T1*L } }` },
      'wrong-unit',
      'a potential of the section',
    ],
    [
      'a potential of a strain that is held',
      { strain: `{ equilibrium: { tendons: { ${TENDONS} }, potential: T1*twist*L, hold: [twist] } }` },
      'wrong-value',
      'depends on no strain that is free',
    ],
    [
      'two ways at once',
      {
        strain: `{ equilibrium: { tendons: { ${TENDONS} } }, implicit: { unknowns: [twist], equations: ['twist*L - T1/T2'] } }`,
      },
      'several-kinematics',
      '`implicit`',
    ],
    [
      'fewer equations than unknowns',
      { strain: "{ implicit: { unknowns: [twist, bend-x], equations: ['twist*L - T1/T2'] } }" },
      'wrong-shape',
      '1 equations for 2 unknowns',
    ],
    [
      'an unknown in no equation',
      { strain: "{ implicit: { unknowns: [twist, bend-x], equations: ['twist*L - T1/T2', 'twist*L + T2/T1'] } }" },
      'wrong-value',
      '`bend_x`',
    ],
    [
      'an equation without unknowns',
      { strain: "{ implicit: { unknowns: [twist], equations: ['T1 - T2'] } }" },
      'wrong-value',
      'none of the unknowns',
    ],
    [
      'a start of something else',
      { strain: "{ implicit: { unknowns: [twist], equations: ['twist*L - T1/T2'], start: { bend-x: 1/L } } }" },
      'unknown-key',
      'not one of the unknowns',
    ],
    ['a coordinate without limits', { coordinates: 'T: { count: 2, unit: N }' }, 'missing-key', 'no limits'],
    ['no material', { more: '' }, 'missing-key', '`material` is missing'],
    [
      'a formula beside it',
      { strain: `{ twist: 0.1/L, equilibrium: { tendons: { ${TENDONS} } } }` },
      'several-kinematics',
      '`twist`',
    ],
    [
      'nothing free',
      {
        strain: `{ equilibrium: { tendons: { ${TENDONS} }, hold: [bend-x, bend-y, twist, shear-x, shear-y, stretch] } }`,
      },
      'wrong-value',
      'all strains are held',
    ],
    [
      'a route of another name',
      { strain: '{ equilibrium: { tendons: { T1: { route: { r: 0, y: 0 } }, T2: { route: { x: 0, y: 0 } } } } }' },
      'unknown-key',
      '`r`',
    ],
    [
      'a route that moves',
      {
        strain:
          '{ equilibrium: { tendons: { T1: { route: { x: L*T2/T1/50, y: 0 } }, T2: { route: { x: 0, y: 0 } } } } }',
      },
      'wrong-variable',
      'a route depends',
    ],
    ['a tension that is none', { actuator: 'drives: arm.T7' }, 'unknown-coordinate', '`T7`'],
    ['no coordinate', { actuator: 'drives: arm' }, 'wrong-value', '`arm` is not a tension'],
    [
      'an actuator that is a stress out of proportion',
      {
        coordinates: 'T: { count: 2, unit: N, limits: [0 N, 2 N] }, m: { unit: N m, limits: [0 N m, 1 mN m] }',
        strain: `{ equilibrium: { tendons: { ${TENDONS} }, stress: { twist: m*T1/T2 } } }`,
        actuator: 'drives: arm.m',
      },
      'not-supported',
      'not proportional',
    ],
  ])('refuse %s', (_, parts, code, text) => {
    const problem = problemOf(() => loadRobotText(robot(parts), 'arm.yaml'));
    expect(problem).toMatchObject({ code, location: { file: 'arm.yaml' } });
    expect(problem.message).toContain(text);
    expect(problem.remedy).toBeTruthy();
    expect(problem.location!.line).toBeGreaterThan(4);
  });

  it.each<readonly [string, Parts, string, RegExp]>([
    [
      'parallel tendons that span less',
      {
        coordinates: 'T: { count: 4, unit: N, limits: [0 N, 1 N] }',
        strain:
          '{ equilibrium: { tendons: { T1: { route: { x: 5 mm, y: 0 } }, T2: { route: { x: -5 mm, y: 0 } }, T3: { route: { x: 0, y: 5 mm } }, T4: { route: { x: 0, y: -5 mm } } } } }',
      },
      'redundant-coordinates',
      /`T1`, `T2`, `T3`, `T4`/,
    ],
    [
      'equations that decide nothing where they begin',
      {
        coordinates: 'T: { count: 2, unit: N, default: 1 N, limits: [0.5 N, 2 N] }',
        strain: "{ implicit: { unknowns: [twist], equations: ['twist^2*L^2 - T1/T2'] } }",
        actuator: 'tendon: { through: arm, route: { x: 1 mm, y: 0 } }',
      },
      'singular-equations',
      /singular where the strain begins/,
    ],
    [
      'a tendon on the axis of a rod that only bends',
      {
        strain: `{ equilibrium: { tendons: { T1: { route: { x: 5 mm, y: 0 } }, T2: { route: { x: 0, y: 0 } } }, hold: [shear-x, shear-y, stretch] } }`,
      },
      'redundant-coordinates',
      /`T2` changes no strain/,
    ],
    [
      'pushes that buckle the section',
      { coordinates: 'T: { count: 2, unit: N, limits: [-900 N, 2 N] }' },
      'not-convex',
      /not below -53 N of `T1`/,
    ],
    [
      'a section that is unstable where it begins',
      { coordinates: 'T: { count: 2, unit: N, default: -90 N, limits: [-91 N, 2 N] }' },
      'not-convex',
      /at the defaults/,
    ],
    [
      'pulls that take too many Newton steps',
      { coordinates: 'T: { count: 2, unit: N, limits: [0 N, 2 kN] }' },
      'too-many-steps',
      /more than 12 Newton steps .* at T1 = 100 N, T2 = 100 N already/,
    ],
  ])('are refused by the compiler: %s', (_, parts, code, text) => {
    const problem = problemOf(() => compileRobot(loadRobotText(robot(parts), 'arm.yaml')));
    expect(problem).toMatchObject({ code, location: { file: 'arm.yaml' } });
    expect(problem.message).toMatch(text);
  });
});
