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

const known = new Map<string, Promise<LoadedRobot>>();

/** Compiled once for all states at which it is looked at. */
function dynamicsOf(choice: Choice): Promise<LoadedRobot> {
  const source = text(choice);
  const dynamics = known.get(source) ?? compiledFrom(source);
  known.set(source, dynamics);
  return dynamics;
}

async function compiledFrom(source: string): Promise<LoadedRobot> {
  const robot = loadRobotText(source, 'r.robot.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
}

async function elasticOf(source: string, q: readonly number[]): Promise<Float64Array> {
  const dynamics = await compiledFrom(source);
  const elastic = new Float64Array(q.length);
  expect(
    dynamics.update(
      q,
      q.map(() => 0),
    ),
  ).toBe(0);
  expect(dynamics.terms(null, null, elastic, null)).toBe(0);
  return elastic;
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

  it('is that of the same rod by its strain, twisted, sheared and stretched', async () => {
    const coordinates = 'w: { limits: [-1, 1] }, g: { limits: [-0.2, 0.2] }, e: { limits: [-0.1, 0.3] }';
    const material = 'rod-elasticity: { E: E, nu: 0.4, shear-factor: 0.8 }, viscosity: 2 kPa s';
    const own = { coordinates, material, section: 'rectangle: [R, R/4], cartesian: [x, y]' };
    const strained = {
      ...own,
      kinematics: 'strain: { twist: w/L, shear-x: "g*cos(w*s/L)", shear-y: "-g*sin(w*s/L)", stretch: e }',
    };
    const turned = `let: { t: w*s/L }
    position: ["g*s + x*cos(t) - y*sin(t)", "x*sin(t) + y*cos(t)", s*(1 + e)]
    distal: none`;
    const [q, qd] = [
      [0.6, 0.07, 0.1],
      [0.3, -0.2, 0.5],
    ];
    const [one, other] = [await forcesOf(strained, q, qd), await forcesOf({ ...own, kinematics: turned }, q, qd)];
    for (const key of ['elastic', 'damping'] as const)
      one[key].forEach((force, i) => expect(Math.abs(other[key][i]! / force - 1)).toBeLessThan(1e-12));
    // G A k g L of a shear, E A e L of a stretch, whatever the twist.
    const [G, A] = [E / 2.8, 0.01 * 0.0025];
    expect(Math.abs(other.elastic[1]! / (0.8 * G * A * 0.07 * L) - 1)).toBeLessThan(1e-12);
    expect(Math.abs(other.elastic[2]! / (E * A * 0.1 * L) - 1)).toBeLessThan(1e-12);
  });

  it.each([
    ['bend-x', 0, ['x', '"-l*(1 - cos(t))/a + y*cos(t)"', '"l*sin(t)/a + y*sin(t)"']],
    ['bend-y', 1, ['"l*(1 - cos(t))/a + x*cos(t)"', 'y', '"l*sin(t)/a - x*sin(t)"']],
    ['twist', 2, ['x*cos(t) - y*sin(t)', 'x*sin(t) + y*cos(t)', 's*(1 + e/L)']],
  ])('has the sign of %s, which a stiffness that couples it with stretch sees', async (_, row, position) => {
    const [bend, stretch, both] = [0.02, 300, -0.7];
    const stiffness = Array.from({ length: 6 }, (__, i) =>
      Array.from({ length: 6 }, (___, j) => {
        if (i === j) return i < 3 ? bend : stretch;
        return (i === row && j === 5) || (j === row && i === 5) ? both : 0;
      }),
    );
    const { elastic } = await forcesOf(
      {
        coordinates: 'a: { unit: rad, limits: [-1, 1] }, e: { unit: m, limits: [-0.02, 0.05] }',
        kinematics: `let: { t: a*s/L, l: L + e }\n    position: [${position.join(', ')}]\n    distal: none`,
        material: `section-stiffness: ${JSON.stringify(stiffness)}`,
      },
      [0.6, 0.03],
    );
    expect(Math.abs(elastic[0]! / ((bend * 0.6 + both * 0.03) / L) - 1)).toBeLessThan(1e-12);
    expect(Math.abs(elastic[1]! / ((stretch * 0.03 + both * 0.6) / L) - 1)).toBeLessThan(1e-12);
  });

  it('takes strains that vary along some links only', async () => {
    const kinematics = 'position: [x, y, "s*(1 + e) + p*e*s^2/L"]\n    distal: none';
    const shared = text({
      kinematics,
      coordinates: 'e: { limits: [-0.1, 0.3] }',
      material: 'rod-elasticity: { E: E, nu: 0.3 }',
    })
      .replace('E: 1 MPa }', 'E: 1 MPa, p: 0 }')
      .replace(
        /links: .*/,
        'links: [ { name: a, parent: base, body: segment }, { name: b, parent: base, body: segment, parameters: { p: 0.5 } } ]',
      );
    const elastic = await elasticOf(shared, [0.2, 0.2]);
    // ∫ (1 + 2 p s/L)² ds = L (1 + 2 p + 4/3 p²).
    const EA = E * Math.PI * 1e-4;
    expect(Math.abs(elastic[0]! / (EA * L * 0.2) - 1)).toBeLessThan(1e-12);
    expect(Math.abs(elastic[1]! / (EA * L * 0.2 * (1 + 1 + 1 / 3)) - 1)).toBeLessThan(1e-12);
  });

  it.each([
    ['beyond some stretch', 'max(0, e - 0.1)'],
    ['when it is compressed', '(abs(e) - e)/2'],
    ['by a case', '(e < 0.2 ? 0 : e - 0.2)'],
  ])('is refused where sections deform only %s', (_, growth) => {
    const kinematics = `let: { k: "1 - ${growth}" }\n    position: [k*x, k*y, s*(1 + e)]\n    distal: none`;
    const own = { kinematics, coordinates: 'e: { limits: [-0.4, 0.4] }' };
    expect(() =>
      loadRobotText(text({ ...own, material: 'rod-elasticity: { E: E, nu: 0.5 }' }), 'r.robot.yaml'),
    ).toThrow(/sections stay plane and rigid; those of segment do not/);
  });

  it('takes rods whose strain has kinks', async () => {
    const kinematics = 'position: [x, y, "s + e*max(0, s - L/2) + max(0, e - 0.1)*s"]\n    distal: none';
    const own = {
      kinematics,
      coordinates: 'e: { limits: [-0.4, 0.4] }',
      material: 'rod-elasticity: { E: E, nu: 0.5 }',
    };
    const { elastic } = await forcesOf(own, [-0.2]);
    expect(Math.abs(elastic[0]! / ((E * Math.PI * 1e-4 * L * -0.2) / 2) - 1)).toBeLessThan(1e-12);
  });

  it('is refused where sections deform, whatever is silenced', () => {
    const kinematics = BEND.replace('x*cos(a)', '(1 + th/9)*x*cos(a)');
    const own = text({ kinematics, material: 'rod-elasticity: { E: E, nu: 0.5 }', rest: 'silence: [locking]\n' });
    expect(() => loadRobotText(own, 'r.robot.yaml')).toThrow(
      /is for rods whose sections stay plane and rigid; those of segment do not/,
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

  it.each([
    ['beams that bend along x', 'x - z*2*e*x/L^2', 'y', 'z + e*(x/L)^2', 1],
    ['blocks that are pressed along y', 'x', 'y*(1 + e/L)', 'z', 1],
    ['beams that only shear', 'x', 'y', 'z + e*(x/L)^2', 0],
    ['blocks that are pressed and give way', 'x*(1 - 0.49*e/L)', 'y*(1 + e/L)', 'z*(1 - 0.49*e/L)', 0],
  ])('boxes: %s', (_, x, y, z, count) => {
    const block = text({
      kinematics: `position: ["${x}", "${y}", "${z}"]\n    distal: none`,
      coordinates: 'e: { unit: m, limits: [-0.02, 0.02] }',
      material: 'st-venant-kirchhoff: { E: E, nu: 0.49 }',
    }).replace(/volume: .*/, 'volume: { box: { x: [0, L], y: [-R, R], z: [-R/2, R/2] }, density: rho }');
    const told = loadRobotText(block, 'r.robot.yaml').warnings.filter(({ name }) => name === 'locking');
    expect(told).toHaveLength(count);
    for (const { message } of told) expect(message).toMatch(/^segment cannot contract across.* 17\.1 times E, unless/);
  });

  it('are not told of where sections only twist or shear', () => {
    const material = 'st-venant-kirchhoff: { E: E, nu: 0.49 }';
    const coordinates = 'w: { limits: [-1, 1] }';
    const twists = 'position: ["x*cos(w*s/L) - y*sin(w*s/L)", "x*sin(w*s/L) + y*cos(w*s/L)", s]\n    distal: none';
    const shears = 'position: [x + w*s, y, s]\n    distal: none';
    for (const kinematics of [twists, shears]) expect(warnings({ kinematics, coordinates, material })).toEqual([]);
  });
});

describe('laws of solids on sections that deform for some numbers only', () => {
  const material = 'st-venant-kirchhoff: { E: E, nu: 0.3 }';
  const coordinates = 'e: { limits: [-0.4, 0.4] }';
  const [lambda, mu, volume] = [(E * 0.3) / (1.3 * 0.4), E / 2.6, Math.PI * 1e-4 * L];
  /** V of a rod stretched by 1 + e whose sections grow by 1 + c. */
  const stored = (e: number, c: number): number => {
    const [across, along] = [((1 + c) ** 2 - 1) / 2, ((1 + e) ** 2 - 1) / 2];
    return volume * ((lambda / 2) * (2 * across + along) ** 2 + mu * (2 * across ** 2 + along ** 2));
  };
  const force = (growth: (e: number) => number, e: number): number => {
    const h = 1e-4;
    return (stored(e + h, growth(e + h)) - stored(e - h, growth(e - h))) / (2 * h);
  };

  it('are those of the sections that deform, behind a kink', async () => {
    const kinematics = 'let: { k: "1 - max(0, e - 0.1)/2" }\n    position: [k*x, k*y, s*(1 + e)]\n    distal: none';
    const growth = (e: number): number => -Math.max(0, e - 0.1) / 2;
    for (const e of [0.3, -0.2]) {
      const [own] = await elasticOf(text({ kinematics, coordinates, material }), [e]);
      expect(Math.abs(own! / force(growth, e) - 1)).toBeLessThan(1e-6);
    }
  });

  it('are those of the sections that deform, in a link that shares its type with one whose sections do not', async () => {
    const kinematics = 'position: [x*(1 - p*e), y*(1 - p*e), s*(1 + e)]\n    distal: none';
    const shared = text({ kinematics, coordinates, material })
      .replace('E: 1 MPa }', 'E: 1 MPa, p: 0 }')
      .replace(
        /links: .*/,
        'links: [ { name: a, parent: base, body: segment }, { name: b, parent: base, body: segment, parameters: { p: 0.5 } } ]',
      );
    const [a, b] = await elasticOf(shared, [0.3, 0.3]);
    expect(Math.abs(a! / force(() => 0, 0.3) - 1)).toBeLessThan(1e-6);
    expect(Math.abs(b! / force((e) => -0.5 * e, 0.3) - 1)).toBeLessThan(1e-6);
  });
});
