/** Frames that a deforming body carries: at a material point, and along a backbone with deforming sections. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import type { BodyKinematics, DeformableBody } from '../../src/description/model/robot.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { symbol, type Expr } from '../../src/symbolic/graph/expr.ts';
import { frameEntries } from '../../src/symbolic/graph/vector.ts';

function kinematics(section: string, rest: string): BodyKinematics {
  const text = `
kanegen: 1
name: test
body-types:
  own:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3, E: 1 MPa }
    coordinates: { q: { count: 3 } }
    volume: { rod: { s: [0, L] }, section: { disc: R, ${section} }, density: rho }
${rest
  .trim()
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
links: [{ body: own }]
`;
  return (loadRobotText(text, 'test.yaml').links[0]!.body as DeformableBody).type.kinematics;
}

const CARTESIAN = 'cartesian: [x, y]';
const LENGTH = 0.2;

function values(e: readonly Expr[], numbers: Readonly<Record<string, number>>): number[] {
  const bindings = new Map<Expr, number>([
    [symbol('body.L'), LENGTH],
    [symbol('body.R'), 0.02],
  ]);
  for (const [name, value] of Object.entries(numbers))
    bindings.set(symbol(name.length === 2 && name.startsWith('q') ? `body.${name}` : `material.${name}`), value);
  return evaluate(e, bindings);
}

describe('the frame at a material point', () => {
  const body = kinematics(
    CARTESIAN,
    `
position: ['x*(1 + q1*s/L) + q2*s^2/L', 'y + q3*x', 's - q2*x*s/L']
distal: { at: { s: L, x: R/2 } }
`,
  );
  const pose = body.kind === 'position' && body.distal.kind === 'pose' ? body.distal.pose : undefined;

  it('has its origin where the point goes', () => {
    const [x, y, z] = values(frameEntries(pose!).slice(9), { q1: 0.1, q2: 0.2, q3: 0.3 });
    expect(x).toBeCloseTo(0.01 * 1.1 + 0.2 * LENGTH, 15);
    expect(y).toBeCloseTo(0.003, 15);
    expect(z).toBeCloseTo(LENGTH - 0.002, 15);
  });

  it('has x along the image of x, z normal to the image of the x-y plane, and is a rotation', () => {
    const R = values(frameEntries(pose!).slice(0, 9), { q1: 0.1, q2: 0.2, q3: 0.3 });
    const column = (i: number): number[] => [R[i]!, R[3 + i]!, R[6 + i]!];
    const dot = (a: number[], b: number[]): number => a.reduce((sum, e, i) => sum + e * b[i]!, 0);
    for (const i of [0, 1, 2])
      for (const j of [0, 1, 2]) expect(dot(column(i), column(j))).toBeCloseTo(i === j ? 1 : 0, 14);
    const alongX = [1.1, 0.3, -0.2];
    const norm = Math.hypot(...alongX);
    alongX.forEach((e, i) => expect(column(0)[i]).toBeCloseTo(e / norm, 14));
    expect(dot(column(2), alongX)).toBeCloseTo(0, 14);
    expect(dot(column(2), [0, 1, 0])).toBeCloseTo(0, 14);
    expect(column(2)[2]).toBeGreaterThan(0);
  });

  it.each([
    ['off', '{ s: L, r: R/2, phi: 2 }'],
    ['on', '{ s: L }'],
  ])('has the same axes in polar coordinates, %s the axis', (_, at) => {
    const map = "position: ['r*cos(phi) + q1*r*sin(phi)', 'r*sin(phi)', 's + q2*r*cos(phi)']";
    const polar = kinematics('polar: [r, phi]', `${map}\ndistal: { at: ${at} }`);
    const own = polar.kind === 'position' && polar.distal.kind === 'pose' ? polar.distal.pose : undefined;
    const [q1, q2] = [0.3, -0.4];
    const R = values(frameEntries(own!).slice(0, 9), { q1, q2 });
    // x and y go to (1, 0, q2) and (q1, 1, 0).
    const [alongX, normal] = [
      [1, 0, q2],
      [-q2, q1 * q2, 1],
    ];
    alongX.forEach((e, i) => expect(R[3 * i]).toBeCloseTo(e / Math.hypot(...alongX), 14));
    normal.forEach((e, i) => expect(R[3 * i + 2]).toBeCloseTo(e / Math.hypot(...normal), 14));
  });

  it('is refused where the kinematics divides by zero, though no more than the frame would', () => {
    const around = (at: string): BodyKinematics =>
      kinematics(CARTESIAN, `position: [x, y, 's + q1*R*sqrt(x^2 + y^2)/s*(1 - s/L)']\ndistal: { at: { ${at} } }`);
    expect(around('s: L, x: R').kind).toBe('position');
    expect(() => around('s: 0, x: R')).toThrow(
      expect.objectContaining({
        code: 'irregular-kinematics',
        message: expect.stringContaining('divides by zero') as string,
        location: expect.objectContaining({ path: 'body-types.own.distal.at' }) as unknown,
      }) as Error,
    );
  });
});

describe('a backbone of constant strain with deforming sections', () => {
  const body = kinematics(
    'polar: [r, phi]',
    `
strain: { bend-x: q1/L, bend-y: q2/L, stretch: q3 }
section-position: ['2*r*cos(phi)', 'r*sin(phi)/2']
`,
  );
  if (body.kind !== 'position' || body.distal.kind !== 'pose') throw new Error('a position expected');
  const { position, distal } = body;

  /** Arc of the angle |q| in the plane of bending, after the textbook. */
  function arc(q1: number, q2: number, q3: number, s: number, across: readonly [number, number]): number[] {
    const total = Math.hypot(q1, q2);
    const angle = (total * s) / LENGTH;
    const radius = ((1 + q3) * LENGTH) / total;
    // Bending about (q1, q2, 0)/total leans towards (q2, -q1, 0)/total.
    const lean = [q2 / total, -q1 / total];
    const inPlane = across[0] * lean[0]! + across[1] * lean[1]!;
    const out = across.map((e, i) => e - inPlane * lean[i]!);
    const towards = radius * (1 - Math.cos(angle)) + inPlane * Math.cos(angle);
    return [towards * lean[0]! + out[0]!, towards * lean[1]! + out[1]!, (radius - inPlane) * Math.sin(angle)];
  }

  it('is the arc with its sections across it', () => {
    const [q1, q2, q3] = [0.7, -1.1, 0.2];
    for (const s of [0, 0.07, 0.2]) {
      const [r, phi] = [0.015, 2.1];
      const expected = arc(q1, q2, q3, s, [2 * r * Math.cos(phi), (r * Math.sin(phi)) / 2]);
      values(position, { q1, q2, q3, s, r, phi }).forEach((e, i) => expect(e).toBeCloseTo(expected[i]!, 14));
    }
    const end = arc(q1, q2, q3, LENGTH, [0, 0]);
    values(frameEntries(distal.pose).slice(9), { q1, q2, q3 }).forEach((e, i) => expect(e).toBeCloseTo(end[i]!, 14));
  });

  it('is regular when straight', () => {
    const point = values(position, { q1: 0, q2: 0, q3: 0, s: 0.1, r: 0.01, phi: 0 });
    expect(point).toEqual([0.02, 0, 0.1].map((e) => expect.closeTo(e, 15) as number));
  });
});
