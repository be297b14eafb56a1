/** Conditions that change at a place of the material: no rule reaches across them, listed or not. */
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { DeformableBody } from '../../src/description/model/robot.ts';
import type { RodVolume } from '../../src/description/model/reference-volume.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { cutAtKinks } from '../../src/integration/choice/kinks.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import type { Expr } from '../../src/symbolic/graph/expr.ts';
import { verifyRobot } from '../../src/verify/verify.ts';

/** The segment with growing chambers as its paper writes it: bumps by cases, nothing about breaks, lengths as bare numbers. */
const chambers = `
kanegen: 1
name: chambers
functions:
  b(s1, s2, L): exp(-L/(L^2/4 - (s1 - L/2)^2))*exp(-1/(pi^2/4 - (s2 - pi/2)^2))
body-types:
  segment:
    parameters: { L: 0.2, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q1: { unit: rad }, q2: { unit: m }, q3: { unit: m }, q4: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: R, polar: [r, phi] }, density: rho }
    let:
      growth: "(phi >= 0 and phi < pi) ? b(s, phi, L)*q3 : ((phi >= pi and phi < 2*pi) ? b(s, phi - pi, L)*q4 : 0)"
      radius: r*(1 + growth/R)
    strain: { bend-y: q1/L, stretch: q2/L }
    section-position: ['radius*sin(phi)', '-radius*cos(phi)']
    integration: { tolerance: 1e-6 }
links: [ { body: segment } ]
`;

describe('a body whose formula differs from half to half', () => {
  it('is cut there without being told to', () => {
    const [body] = compileBodies(loadRobotText(chambers, 'chambers.yaml')).values();
    expect(body!.chosen.method).toBe('sums over points');
    expect(body!.chosen.trials[0]!.description).toMatch(/2 × \d+ Gauss-Legendre points around the section/);
    expect(body!.chosen.error).toBeLessThan(1e-6);
  });

  // Across the plane of bending the halves of a chamber cancel in what bending and weight do to it.
  const across = chambers.replace("['radius*sin(phi)', '-radius*cos(phi)']", "['radius*cos(phi)', 'radius*sin(phi)']");

  it.skipIf(process.env['KANEGEN_FULL'] !== '1').each([
    ['in', chambers],
    ['across', across],
  ])('passes verification at the tolerance asked for, with chambers %s the plane of bending', async (_, text) => {
    const robot = loadRobotText(text, 'chambers.yaml');
    const create = await loadGenerated(await generateTypeScript(robot, compileRobot(robot)));
    const report = await verifyRobot(robot, create(), { seed: 3, states: 1 });
    expect(report.checks.filter((check) => !check.passed)).toEqual([]);
  });
});

/** Where a rod is cut along its axis, for two links of lengths 0.2 and 0.4 m. */
function cuts(condition: string): number[][] {
  const robot = loadRobotText(
    `
kanegen: 1
name: cut
body-types:
  rod:
    parameters: { L: 0.2 m, a: 50 mm, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { q: { unit: m } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    position: ["${condition} ? x : x + q", y, s]
    distal: none
links: [ { body: rod } ]
`,
    'cut.yaml',
  );
  const { type } = robot.links[0]!.body as DeformableBody;
  if (type.kinematics.kind !== 'position') throw new Error('a position expected');
  const [L, a] = type.parameters.map((p) => p.symbol) as [Expr, Expr];
  const others = new Map(type.parameters.slice(2).map((p) => [p.symbol as Expr, 1]));
  const links = [0.2, 0.4].map((length) => new Map<Expr, number>([...others, [L, length], [a, 0.05]]));
  const samples = links.flatMap((values) =>
    [0, 0.01, 0.02].map((q) => new Map<Expr, number>([...values, [type.coordinates[0]!.symbol, q]])),
  );
  const volume = type.volumes[0] as RodVolume;
  const cut = cutAtKinks(volume, type.kinematics.position, samples, new Set(type.parameters.map((p) => p.symbol)));
  const places = cut.breaks.get(volume.axial) ?? [];
  return links.map((values) => evaluate(places, values));
}

describe('conditions linear in one coordinate', () => {
  it.each([
    ['s < L/2', [[0.1], [0.2]]],
    ['2*s/L - 1 > 0', [[0.1], [0.2]]],
    // Closer to an end than any search would look.
    ['s < L*0.99999', [[0.199998], [0.399996]]],
    // At different fractions of different links.
    ['s < a', [[0.05], [0.05]]],
    ['s < L - a', [[0.15], [0.35]]],
    // Outside of one of the links, on an end, and with the coordinate: no place to cut at.
    ['s < 6*a', [[], []]],
    ['s < L', [[], []]],
    ['s < a + q', [[], []]],
  ] as const)('%s are found where they change', (condition, expected) => {
    const found = cuts(condition);
    expect(found.map((list) => list.length)).toEqual(expected.map((list) => list.length));
    found.forEach((list, i) => list.forEach((place, k) => expect(place).toBeCloseTo(expected[i]![k]!, 13)));
  });
});

it('a condition that compares the place along a rod with one in its round section names no place to cut at', () => {
  const robot = loadRobotText(
    `
kanegen: 1
name: oblique
body-types:
  b:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    integration: { tolerance: 1e-3 }
    position: ["x*(1 + 0.1*q*abs(min(s/L, y/L)))", y, s]
    distal: none
links: [ { body: b } ]
`,
    'oblique.yaml',
  );
  expect(() => compileRobot(robot)).not.toThrow();
});
