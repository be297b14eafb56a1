/** Mistakes in volumes, kinematics, materials and integration: a code, the place, and what to write instead. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/description/source/diagnostics.ts';
import { loadRobotText } from '../../src/description/load.ts';

/** Keys of a body type that a case may replace. */
const parts = {
  parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }',
  coordinates: '{ q: { unit: rad }, a: { count: 2, unit: rad } }',
  volume: '{ rod: { s: [0, L] }, section: { disc: R }, density: rho }',
  moves: 'strain: { bend-y: q/L }',
};

function robot(change: Partial<typeof parts>): string {
  const { parameters, coordinates, volume, moves } = { ...parts, ...change };
  const key = volume.startsWith('volumes:') ? volume : `volume: ${volume}`;
  return `kanegen: 1
name: bad
body-types:
  b:
    parameters: ${parameters}
    coordinates: ${coordinates}
    ${key}
    ${moves}
links: [ { body: b } ]
`;
}

function failure(text: string): KanegenError {
  try {
    loadRobotText(text, 'bad.yaml');
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('the robot was accepted');
}

/** [change with ¦ before the character that is wrong, code, what the message or the remedy says] */
type Case = [change: Partial<typeof parts>, code: string, remedy: RegExp];

const label = (cases: Case[]): [string, Case][] =>
  cases.map((c) => [`${c[1]}: ${Object.values(c[0]).join(' ').replace('¦', '')}`, c]);

function check([change, code, remedy]: Case): void {
  const marked = robot(change);
  const before = marked.slice(0, marked.indexOf('¦')).split('\n');
  const error = failure(marked.replace('¦', ''));
  const { line, column } = error.location!;
  expect([error.code, line, column]).toEqual([code, before.length, before[before.length - 1]!.length + 1]);
  expect(`${error.message} → ${error.remedy ?? ''}`).toMatch(remedy);
}

it('the robot without a mistake is accepted', () => {
  expect(loadRobotText(robot({}), 'good.yaml').links).toHaveLength(1);
});

const POINT = 'position: [x, y, s*(1 + q)]\n    distal: none';
const SOLID = 'position: [x, y, z*(1 + q)]\n    distal: none';
const BOX = '{ box: { x: [0, R], y: [0, R], z: [0, L] }, density: rho }';
const NODES = 'nodes: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]';

describe('volumes', () => {
  it.each(
    label([
      [{ volume: '¦{ density: rho }' }, 'missing-key', /rod: .*box: .*mesh: /],
      [{ volume: '¦{ rod: { s: [0, L] }, density: rho }' }, 'missing-key', /section: \{ disc: R \}/],
      [
        {
          volume: '{ rod: { s: [0, L] }, section: { disc: R }, ¦box: { x: [0, 1], y: [0, 1], z: [0, 1] }, density: 1 }',
        },
        'wrong-shape',
        /volumes/,
      ],
      [{ volume: '{ box: ¦{ x: [0, L], y: [0, L] }, density: 1 }' }, 'wrong-shape', /z: \[a, b\]/],
      [{ volume: BOX.replace('box', '¦section: { disc: R }, box'), moves: SOLID }, 'unknown-key', /remove `section`/],
      [
        { volume: '{ rod: { s: [0, L] }, section: { rectangle: [R, R], ¦polar: [r, phi] }, density: rho }' },
        'wrong-shape',
        /cartesian: \[x, y\]/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y], ¦polar: [r, phi] }, density: rho }' },
        'wrong-shape',
        /keep one/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R, polar: [r, ¦s] }, density: rho }' },
        'duplicate-name',
        /another name/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R, polar: [r, ¦q] }, density: rho }' },
        'duplicate-name',
        /another name/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R }, density: rho, breaks: { ¦phi: [pi] } }' },
        'unknown-symbol',
        /known here: s, x, y/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R }, density: rho, breaks: { s: [¦2*L] } }' },
        'wrong-value',
        /inside/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R }, density: rho, breaks: { s: [¦0] } }' },
        'wrong-value',
        /inside/,
      ],
      [
        {
          volume: '{ rod: { s: [0, L] }, section: { disc: R, polar: [r, phi] }, density: rho, breaks: { phi: [¦7] } }',
        },
        'wrong-value',
        /inside/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R }, density: rho, breaks: { x: [¦R] } }', moves: POINT },
        'wrong-value',
        /inside/,
      ],
      [
        { volume: '{ rod: { s: [0, L] }, section: { disc: R }, density: rho, breaks: { s: [¦30 deg] } }' },
        'wrong-unit',
        /`m`/,
      ],
      [
        { volume: `{ mesh: { ${NODES}, tetrahedra: [[0, 1, 2, 3]] }, density: 1, ¦breaks: { x: [0] } }`, moves: SOLID },
        'unknown-key',
        /remove `breaks`/,
      ],
      [{ volume: '{ mesh: ¦{ unit: mm }, density: 1 }', moves: SOLID }, 'missing-key', /file: body\.msh/],
      [{ volume: `{ mesh: ¦{ ${NODES} }, density: 1 }`, moves: SOLID }, 'missing-key', /file: body\.msh/],
      [
        { volume: `{ mesh: { ${NODES}, tetrahedra: [[0, 1, 2, 3]], ¦group: a }, density: 1 }`, moves: SOLID },
        'unknown-key',
        /remove `group`/,
      ],
      [
        { volume: `{ mesh: { ${NODES}, tetrahedra: [[0, 1, 2, 3]], unit: ¦kg }, density: 1 }`, moves: SOLID },
        'wrong-unit',
        /unit: mm/,
      ],
      [
        { volume: `{ mesh: ¦{ ${NODES}, tetrahedra: [[0, 2, 1, 3]] }, density: 1 }`, moves: SOLID },
        'bad-mesh',
        /right-handed|swap/,
      ],
      [
        { volume: `{ mesh: ¦{ ${NODES}, tetrahedra: [[0, 1, 2, 2]] }, density: 1 }`, moves: SOLID },
        'bad-mesh',
        /tetrahedra\[0\]/,
      ],
      [
        { volume: `{ mesh: ¦{ ${NODES}, tetrahedra: [[0, 1, 2, 4]] }, density: 1 }`, moves: SOLID },
        'bad-mesh',
        /count from 0/,
      ],
      [
        {
          volume: `{ mesh: { ${NODES}, tetrahedra: [[0, 1, 2, 3]] }, coordinates: [x, y, ¦x], density: 1 }`,
          moves: SOLID,
        },
        'duplicate-name',
        /another name/,
      ],
      [{ volume: 'volumes: ¦{}' }, 'missing-key', /at least one/],
      [
        {
          volume: `volumes: { a: ${BOX}, b: ¦{ rod: { s: [0, L] }, section: { disc: R }, density: rho } }`,
          moves: SOLID,
        },
        'different-coordinates',
        /same names/,
      ],
      [
        {
          volume: `volumes: { a: { rod: { s: [0, L] }, section: { disc: R, polar: [r, phi] }, density: rho }, b: ¦{ box: { r: [0, R], phi: [0, R], s: [0, L] }, density: rho } }`,
          moves: POINT,
        },
        'different-coordinates',
        /same names/,
      ],
    ]),
  )('%s', (_, given) => check(given));

  it('of a wrong size are refused where their numbers are given', () => {
    const link = (text: string): KanegenError =>
      failure(robot({ volume: BOX, moves: SOLID }).replace('{ body: b }', `{ body: b, parameters: { ${text} } }`));
    expect(link('L: -0.1 m')).toMatchObject({ code: 'wrong-size', location: { line: 10, column: 33 } });
    expect(link('L: -0.1 m').message).toBe('the box has the length -0.1 m along z');
    expect(link('rho: -1 kg/m^3').code).toBe('negative-mass');
  });

  it('of a density that is negative somewhere are refused, and densities know the coordinates of their volume only', () => {
    const graded = (density: string): string =>
      robot({ volume: `{ rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: '${density}' }` });
    expect(loadRobotText(graded('rho*(1 + s/L)'), 'good.yaml').links).toHaveLength(1);
    const negative = failure(graded('rho*(1 - 2*s/L)'));
    expect(negative).toMatchObject({ code: 'negative-mass', location: { line: 9 } });
    expect(failure(graded('rho*(1 + z/L)')).remedy).toContain('known here: L, R, rho, s, x, y');
    expect(failure(graded('rho*q')).code).toBe('unknown-symbol');
    expect(failure(graded('rho*s')).message).toContain('must be a density (kg/m^3)');
  });
});

describe('kinematics', () => {
  it.each(
    label([
      [{ moves: `strain: { bend-y: q/L }\n    ¦pose: { xyz: [0, 0, s] }` }, 'several-kinematics', /remove `pose`/],
      [{ moves: `${POINT}\n    ¦compose: [ twist: { axis: z, angle: q } ]` }, 'several-kinematics', /remove `compose`/],
      [{ moves: `${POINT}\n    ¦section-position: [x, y]` }, 'several-kinematics', /belongs to `strain`/],
      [
        {
          moves:
            'position: [x, y*(1 + q), s]\n    distal: none\n    material: { ¦rod-elasticity: { E: 1 MPa, nu: 0 } }',
        },
        'several-kinematics',
        /sections stay plane and rigid.*write a law of solids/,
      ],
      [{ volume: `¦${BOX}` }, 'wrong-volume', /rod: \{ s: \[0, L\] \}/],
      [{ volume: `¦${BOX}`, moves: 'pose: { xyz: [0, 0, z*(1 + q)] }' }, 'wrong-volume', /rod: \{ s: \[0, L\] \}/],
      [{ moves: 'strain: { bend-y: ¦x*q/L/L }' }, 'wrong-variable', /remove it/],
      [{ moves: 'rest: { bend-y: ¦q/L }\n    strain: { bend-y: q/L }' }, 'wrong-variable', /remove it/],
      [{ moves: 'strain: { bend-y: ¦q*s }' }, 'wrong-unit', /divide by/],
      [
        { moves: 'strain: { bend-y: q*s/L/L }\n    section-position: [x*(1 + q), y]\n    integration: ¦closed-form' },
        'no-closed-form',
        /write `auto`/,
      ],
      [
        { moves: 'strain: ¦{ bend-y: q*s/L/L }\n    section-position: [x*(q - 1), y]' },
        'folded-body',
        /positive and right-handed/,
      ],
      [{ moves: 'strain: { bend-y: q/L }\n    section-position: [¦x/L, y]' }, 'wrong-unit', /multiply|check/],
      [{ moves: 'strain: { bend-y: q/L }\n    section-position: ¦[x, y, 0]' }, 'wrong-shape', /expected|is not|has no/],
      [{ moves: 'strain: { bend-y: { basis: ¦legandre, coordinates: a, scale: 1/L } }' }, 'wrong-value', /`legendre`/],
      [
        { moves: 'strain: { bend-y: { basis: legendre, coordinates: ¦c, scale: 1/L } }' },
        'unknown-coordinate',
        /`a`|count/,
      ],
      [{ moves: 'compose: ¦[]\n    distal: none' }, 'wrong-shape', /expected|is not|has no|is empty/],
      [
        { moves: 'compose: [ twist: { axis: z, angle: q }, shear: ¦1 ]\n    distal: none' },
        'wrong-shape',
        /expected|is not|has no/,
      ],
      [
        { moves: 'compose: [ twist: { axis: z, angle: ¦q*L } ]\n    distal: none' },
        'wrong-unit',
        /the angle of a twist/,
      ],
      [
        {
          moves:
            'position: [x, y, s*(1 + q)]\n    distal: { pivot: { ¦z: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }',
        },
        'unknown-symbol',
        /known here: s, x, y/,
      ],
      [
        { moves: 'position: [x, y, s*(1 + q)]\n    distal: { pose: ¦{ xyz: [0, 0, s] } }' },
        'wrong-variable',
        /end of the body/,
      ],
    ]),
  )('%s', (_, given) => check(given));
});

describe('materials', () => {
  const two = (skin: string): Partial<typeof parts> => ({
    volume: `volumes:
      core: ${skin.includes('¦') ? '' : '¦'}{ rod: { s: [0, L] }, section: { disc: R/2 }, density: rho }
      skin: { rod: { s: [0, L] }, section: { annulus: [R/2, R] }, density: rho${skin} }`,
  });
  const of = (material: string): Partial<typeof parts> => ({
    parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, p: 1 MPa, eta: 1 kPa s }',
    moves: `strain: { bend-y: q/L }\n    material: ${material}`,
  });
  it.each(
    label([
      [of('¦{ viscosity: 1 }'), 'missing-key', /rod-elasticity/],
      [of('{ rod-elasticity: ¦{ E: 1 MPa } }'), 'missing-key', /nu.*or the shear modulus/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: 0, ¦G: 1 MPa } }'), 'wrong-shape', /keep one/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: ¦0.51 } }'), 'wrong-value', /at most 0\.5/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: ¦-1 } }'), 'wrong-value', /above -1/],
      [of('{ rod-elasticity: { E: ¦-1 MPa, nu: 0 } }'), 'wrong-value', /above zero/],
      [of('{ rod-elasticity: { E: ¦1 MPa m, nu: 0 } }'), 'wrong-unit', /kg\/m\/s\^2/],
      [of('{ rod-elasticity: { E: ¦q, nu: 0 } }'), 'unknown-symbol', /known here/],
      [of('{ rod-elasticity: { E: 1 MPa, G: ¦0 } }'), 'wrong-value', /above zero/],
      [
        of('{ rod-elasticity: { E: ¦E0*(1 - 2*s/L), nu: 0 } }'),
        'unknown-symbol',
        /known here: L, R, rho, p, eta, s, x, y/,
      ],
      [of('{ rod-elasticity: { E: ¦rho*(1 - x/L), nu: 0 } }'), 'wrong-unit', /a density/],
      [
        of('{ rod-elasticity: { E: ¦p*(1 - x/R), nu: 0 } }'),
        'wrong-variable',
        /place along it only.*a volume with its own/,
      ],
      [of('{ rod-elasticity: { E: ¦p*(1 - 2*S), nu: 0 } }'), 'wrong-value', /-?0 at S = 0\.5 .*above zero/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: ¦s/L } }'), 'wrong-value', /0\.5625 at S = 0\.5625 .*at most 0\.5/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: ¦S - 1 } }'), 'wrong-value', /-1 at S = 0 .*above -1/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: 0 }, viscosity: ¦eta*(s/L - 1/2) }'), 'wrong-value', /zero or more/],
      [two(', material: { rod-elasticity: { E: 1 MPa, nu: 0 } }'), 'missing-key', /every volume a `material`/],
      [
        {
          ...two(', ¦material: { rod-elasticity: { E: 1 MPa, nu: 0 } }'),
          moves: `${POINT}\n    material: { st-venant-kirchhoff: { E: 1 MPa, nu: 0 } }`,
        },
        'several-kinematics',
        /laws of rods or laws of solids/,
      ],
      [of('{ rod-elasticity: { E: 1 MPa, nu: 0, shear-factor: ¦0 } }'), 'wrong-value', /above zero/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: 0 }, retardation-time: ¦-1 s }'), 'wrong-value', /zero or more/],
      [of('{ rod-elasticity: { E: 1 MPa, nu: 0 }, viscosity: ¦1 s }'), 'wrong-unit', /kg\/m\/s/],
      [
        { moves: 'strain: { bend-y: q/L }\n    ¦material: { st-venant-kirchhoff: { E: 1 MPa, nu: 0 } }' },
        'several-kinematics',
        /is a law of solids.*write `rod-elasticity`/,
      ],
    ]),
  )('%s', (_, given) => check(given));

  it('are checked with the numbers of every link', () => {
    const text = robot({
      parameters: '{ L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3, E: 1 MPa }',
      moves: 'strain: { bend-y: q/L }\n    material: { rod-elasticity: { E: E, nu: 0 } }',
    });
    expect(loadRobotText(text, 'good.yaml').links).toHaveLength(1);
    expect(failure(text.replace('{ body: b }', '{ body: b, parameters: { E: -1 MPa } }')).message).toBe(
      "Young's modulus is -1000000",
    );
  });
});

describe('integration', () => {
  const of = (
    integration: string,
    moves = 'strain: { bend-y: q/L }',
    volume = parts.volume,
  ): Partial<typeof parts> => ({
    volume,
    moves: `${moves}\n    integration: ${integration}`,
  });
  it.each(
    label([
      [of('¦gauss'), 'wrong-shape', /expected|is not|has no|is empty/],
      [of('{ tolerance: ¦0 }'), 'wrong-value', /such as 1e-9/],
      [of('{ tolerance: ¦-1e-9 }'), 'wrong-value', /such as 1e-9/],
      [of('{ tolerance: ¦1e-20 }'), 'wrong-value', /between 1e-15 and 0\.01/],
      [of('{ tolerance: ¦2 }'), 'wrong-value', /between 1e-15 and 0\.01/],
      [of('{ tolerance: ¦.nan }'), 'not-finite', /finite/],
      [of('{ points: ¦0 }'), 'wrong-value', /from 1 to/],
      [of('{ points: ¦1.5 }'), 'wrong-shape', /expected|is not|has no|is empty/],
      [of('{ magnus: ¦5 }'), 'wrong-shape', /expected|is not|has no|is empty/],
      [of('{ ¦magnus: 4 }', POINT), 'unknown-key', /remove `magnus`/],
      [of('¦closed-form', 'strain: { bend-y: q*s/L/L }'), 'no-closed-form', /auto/],
      [of('{ method: ¦closed-form }', SOLID, BOX), 'no-closed-form', /auto/],
      [
        of('¦closed-form', SOLID, `{ mesh: { ${NODES}, tetrahedra: [[0, 1, 2, 3]] }, density: 1 }`),
        'no-closed-form',
        /auto/,
      ],
    ]),
  )('%s', (_, given) => check(given));
});
