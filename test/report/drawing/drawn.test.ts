/** What is drawn beside surfaces: chambers hold what they hold, strain is that of the formula, forces stand where they act. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { ViewedRobot } from '../../../src/cli/view/viewed-robot.ts';
import { load } from '../../../src/index.ts';
import { loadRobotFile, loadRobotObject } from '../../../src/description/load.ts';
import { RobotShape } from '../../../src/report/robot-shape.ts';
import { surfaceStrain } from '../../../src/report/viewer/space/surface-strain.ts';

/** By the divergence theorem, of triangles that are counter-clockwise from outside. */
function volumeWithin(points: Float64Array, triangles: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < triangles.length; i += 3) {
    const [a, b, c] = [0, 1, 2].map((k) => points.subarray(3 * triangles[i + k]!)) as [Float64Array, Float64Array, Float64Array]; // prettier-ignore
    for (let k = 0; k < 3; k++)
      sum += (a[k]! * (b[(k + 1) % 3]! * c[(k + 2) % 3]! - b[(k + 2) % 3]! * c[(k + 1) % 3]!)) / 6;
  }
  return sum;
}

const rod = (section: object, others: object = {}): object => ({
  parameters: { L: 0.2 },
  coordinates: { q: { unit: 'rad' }, e: { unit: 'm' } },
  volume: { rod: { s: [0, 'L'] }, section, density: '1000 kg/m^3' },
  strain: { 'bend-y': 'q/L', stretch: 'e/L' },
  ...others,
});
const shapeOf = (body: object): RobotShape =>
  new RobotShape(
    loadRobotObject({ kanegen: 1, name: 'drawn', 'body-types': { own: body }, links: [{ name: 'one', body: 'own' }] }),
  );

describe('chambers', () => {
  const [q, e] = [0.9, 0.03];
  /** ∫ (1 + e/L + x κ) dA ds over x = r sin φ, …: the middle of the area counts (Pappus). */
  const swept = (area: number, middle: number, length: number): number =>
    area * length * (1 + e / 0.2 + (middle * q) / 0.2);
  const halfDisc = (Math.PI / 2) * 0.01 ** 2;
  it.each([
    ['a box in a section', { rectangle: [0.04, 0.03], cartesian: ['x', 'y'] }, { s: [0.02, 0.18], x: [-0.012, -0.002], y: [-0.01, 0.01] }, 2e-4, -0.007, 0.16], // prettier-ignore
    ['half of a disc', { disc: 0.02, polar: ['r', 'phi'] }, { r: [0, 0.01], phi: ['pi/2', '3*pi/2'] }, halfDisc, (-4 * 0.01) / (3 * Math.PI), 0.2], // prettier-ignore
    ['a whole disc', { disc: 0.02, cartesian: ['x', 'y'] }, { r: [0, 0.01] }, 2 * halfDisc, 0, 0.2],
  ])('as %s hold the volume that bending leaves them', (_, section, air, area, middle, length) => {
    const shape = shapeOf(rod(section, { chambers: { air } }));
    const volume = Math.abs(volumeWithin(shape.place([q, e], 0).chambers[0]!, shape.chambers[0]!.triangles));
    // Bent about +y towards +x, what lies there is shorter. Arcs are chords.
    const exact = swept(area, -middle, length);
    expect(volume / exact).toBeGreaterThan(0.975);
    expect(volume / exact).toBeLessThan(1.001);
  });

  it('and surfaces of a radius that varies have a place everywhere', () => {
    const robot = loadRobotFile('examples/pneumatic.robot.yaml');
    const shape = new RobotShape(robot);
    const { vertices, chambers } = shape.place(
      robot.coordinates.map((_, i) => 0.05 * (i % 4)),
      0,
    );
    expect(chambers).toHaveLength(6);
    for (const points of [...vertices, ...chambers]) expect(points.every(Number.isFinite)).toBe(true);
    expect(shape.chambers.map(({ actuator }) => actuator)).toEqual(['p1', 'p2', 'p3', 'p4', 'p5', 'p6']);
  });
});

describe('strain as colours', () => {
  it('is that of the fibres: what stretches, and more of it away from the middle', () => {
    const shape = shapeOf(rod({ rectangle: [0.04, 0.03], cartesian: ['x', 'y'] }));
    const [surface] = shape.surfaces;
    const [q, e] = [0.6, 0.01];
    const strain = surfaceStrain(surface!.reference, shape.place([q, e], 0).vertices[0]!, surface!.triangles);
    // The outermost fibres, by their place before: ε = e/L − x q/L.
    const sides = [-0.02, 0.02].map((x) => {
      const own = [...strain].filter(
        (_, i) =>
          Math.abs(surface!.reference[3 * i]! - x) < 1e-9 &&
          Math.abs(surface!.reference[3 * i + 1]!) < 0.01 &&
          Math.abs(surface!.reference[3 * i + 2]! - 0.1) < 0.05,
      );
      expect(own.length).toBeGreaterThan(5);
      return own.reduce((sum, own_) => sum + own_, 0) / own.length;
    });
    sides.forEach((found, k) => expect(found).toBeCloseTo(e / 0.2 + ((k === 0 ? 0.02 : -0.02) * q) / 0.2, 3));
    expect(Math.max(...surfaceStrain(surface!.reference, shape.place([0, 0], 0).vertices[0]!, surface!.triangles).map(Math.abs))).toBeLessThan(1e-6); // prettier-ignore
  });
});

it('forces stand where they act: a loop carries a weight, a load follows its frame', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-arrows-'));
  try {
    const file = path.join(folder, 'hung.robot.yaml');
    writeFileSync(
      file,
      `kanegen: 1
name: hung
gravity: [0, 0, -9.81]
links:
  - { name: slide, joint: { prismatic: z }, rigid: { mass: 2 kg } }
  - { name: arm, parent: base, joint: { revolute: y, stiffness: 50 N m/rad }, rigid: { mass: 1 g, com: [0.1, 0, 0], distal: { xyz: [0.3, 0, 0] } } }
loops: { rope: { distance: { a: { on: base, at: [0, 0, 1] }, b: slide, length: 0.6 m } } }
actuators: { blow: { wrench: { on: arm, force: z } } }
`,
    );
    const viewed = new ViewedRobot(await load(file));
    await viewed.compile();
    const { parameters, gravity } = viewed.answer({ ask: 'robot' });
    const acting = { inputs: [2], parameters: parameters.map(({ value }) => value), gravity };
    const { arrows = [], q } = viewed.answer({ ask: 'statics', q: [0.4, 0], ...acting });
    const [up, down] = arrows.filter(({ kind }) => kind === 'loop').sort((a, b) => b.force[2] - a.force[2]);
    // The rope draws the weight up, and its hook down.
    expect(up!.force[2]).toBeCloseTo(2 * 9.81, 8);
    expect(up!.at[2]).toBeCloseTo(0.4, 9);
    expect(down!.force[2]).toBeCloseTo(-2 * 9.81, 8);
    expect(down!.at).toEqual([0, 0, 1]);
    const [blow] = arrows.filter(({ kind }) => kind === 'input');
    const angle = q[1]!;
    [2 * Math.sin(angle), 0, 2 * Math.cos(angle)].forEach((x, axis) => expect(blow!.force[axis]).toBeCloseTo(x, 9));
    expect(Math.hypot(...blow!.at)).toBeCloseTo(0.3, 9);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
