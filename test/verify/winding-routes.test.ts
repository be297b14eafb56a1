/** Tendons that wind or wave along a body, or are told in polar coordinates: lengths against chords of the curve in space. */
import { describe, expect, it } from 'vitest';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { expectedActuation } from '../../src/verify/independent/actuation.ts';

const [L, R] = [0.2, 0.02];
const CHORDS = 65536;

/** The place of a point of a rod that bends by q in the plane of x and z. */
function placeOf(q: number, s: number, x: number, y: number): [number, number, number] {
  const angle = (q * s) / L;
  return [(L / q - x) * (1 - Math.cos(angle)) + x, y, (L / q - x) * Math.sin(angle)];
}

/** By chords of two sizes, of whose errors the first is taken away. */
function lengthOf(q: number, route: (share: number) => readonly [number, number]): number {
  const points = Array.from({ length: CHORDS + 1 }, (_, k) => placeOf(q, (k * L) / CHORDS, ...route(k / CHORDS)));
  const chords = (every: number): number => {
    let sum = 0;
    for (let k = every; k <= CHORDS; k += every)
      sum += Math.hypot(...points[k]!.map((value, i) => value - points[k - every]![i]!));
    return sum;
  };
  return (4 * chords(1) - chords(2)) / 3;
}

describe('routes', () => {
  it.each([4, 8])('of %i turns and waves have the length of the curve, and its slope', async (turns) => {
    const text = `kanegen: 1
name: winding
links: [ { name: soft, body: planar-cc, parameters: { L: ${L}, R: ${R} } } ]
actuators:
  helix: { tendon: { through: soft, route: { x: 0.8*R*cos(${2 * turns}*pi*S), y: 0.8*R*sin(${2 * turns}*pi*S) } } }
  wave: { tendon: { through: soft, route: { x: 0.5*R*cos(${2 * turns}*pi*S), y: 0.3*R } } }
`;
    const robot = loadRobotText(text, 'winding.robot.yaml');
    const q = 1.2;
    const states = [{ q: [q], qd: [0], qdd: [0], u: [0, 0] }];
    const [found] = await evaluateRobot(robot, compileRobot(robot), states, { target: 'ts', precision: 'double' });
    const phase = (share: number): number => 2 * turns * Math.PI * share;
    const routes = [
      (share: number) => [0.8 * R * Math.cos(phase(share)), 0.8 * R * Math.sin(phase(share))] as const,
      (share: number) => [0.5 * R * Math.cos(phase(share)), 0.3 * R] as const,
    ];
    routes.forEach((route, j) => {
      const length = lengthOf(q, route);
      // The tolerance of the body's integrals.
      expect(Math.abs(-found!.y![j]! / length - 1)).toBeLessThan(1e-8);
      const h = 1e-3;
      const at = (k: number): number => lengthOf(q + k * h, route);
      const slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * h);
      expect(Math.abs(-found!.B![0]![j]! - slope)).toBeLessThan(1e-8 * length);
    });
  });

  it('in polar coordinates of an oval, tapered section have the length of the curve', async () => {
    const text = `kanegen: 1
name: oval
body-types:
  rod:
    parameters: { L: ${L}, A: 16 mm, B: 11 mm }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { ellipse: [A*(1 - 0.5*s/L), B*(1 - 0.4*s/L)], polar: [r, phi] }, density: 1000 }
    strain: { bend-y: q/L }
links: [ { name: soft, body: rod } ]
actuators: { pull: { tendon: { through: soft, route: { r: 0.7, phi: 1 + pi*S } } } }
`;
    const robot = loadRobotText(text, 'oval.robot.yaml');
    const q = 1.2;
    const state = { q: [q], qd: [0.5], qdd: [0], u: [0] };
    const [found] = await evaluateRobot(robot, compileRobot(robot), [state], { target: 'ts', precision: 'double' });
    const length = lengthOf(q, (share) => {
      const angle = 1 + Math.PI * share;
      return [0.7 * 0.016 * (1 - 0.5 * share) * Math.cos(angle), 0.7 * 0.011 * (1 - 0.4 * share) * Math.sin(angle)];
    });
    expect(Math.abs(-found!.y![0]! / length - 1)).toBeLessThan(1e-8);
    const expected = expectedActuation(robot, robot.actuators[0]!, state, 1e-9);
    if (typeof expected === 'string') throw new Error(expected);
    expect(Math.abs(-expected.y / length - 1)).toBeLessThan(1e-12);
  });

  it.each(['', 'section-position: [x*(1 + 0.1*q), y]'])(
    'over kinks where no break stands are not called wrong: they do not settle (%s)',
    (deforming) => {
      const load = (breaks: string) =>
        loadRobotText(
          `kanegen: 1
name: kinked
body-types:
  rod:
    parameters: { L: ${L}, R: ${R} }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: 1000${breaks} }
    strain: { bend-y: "q/L*select(abs(s/L - 0.1) < 0.2, (s/L - 0.3)^2, 0)" }
    material: { rod-elasticity: { E: 1 MPa, nu: 0.5 } }
    ${deforming}
links: [ { name: soft, body: rod } ]
actuators: { pull: { tendon: { through: soft, route: { x: R/2, y: R/4*S } } } }
`,
          'kinked.robot.yaml',
        );
      const expected = (breaks: string) => {
        const robot = load(breaks);
        return expectedActuation(robot, robot.actuators[0]!, { q: [9], qd: [2], qdd: [0] }, 1e-9);
      };
      expect(expected('')).toMatch(/does not settle; write `breaks`/);
      expect(expected(', breaks: { s: [0.3*L] }')).toMatchObject({ y: expect.closeTo(-0.2, 2) as number });
    },
  );
});
