/** Pressures in chambers of robot files; reference data: reference-actuators.test.ts. */
import { describe, expect, it } from 'vitest';
import { KanegenError } from '../../src/common/error.ts';
import { loadRobotObject, loadRobotText } from '../../src/description/load.ts';
import { locationText } from '../../src/description/source/diagnostics.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';

function thrown(work: () => unknown): KanegenError {
  try {
    work();
  } catch (error) {
    if (error instanceof KanegenError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('pressure', () => {
  const robot = (pressure: string, more: object = {}): object => ({
    kanegen: 1,
    name: 'wrong',
    'body-types': { own: { extends: 'pcc-3d', chambers: { half: { phi: [0, 'pi'] } } } },
    links: [
      { name: 'palm', rigid: { mass: 1 } },
      { name: 'soft', body: 'own', repeat: 2 },
    ],
    actuators: { p: { pressure, ...more } },
  });

  it('acts in the chambers of all links of a name', () => {
    const [actuator] = loadRobotObject(robot('soft.half')).actuators;
    expect(actuator).toMatchObject({ unit: 'Pa', coordinateUnit: 'm^3', kind: 'pressure' });
    expect(actuator!.terms.map((term) => term.kind)).toEqual(['chamber', 'chamber']);
  });

  it('may act twice in one chamber that is summed over points', async () => {
    const swelling = {
      parameters: { l: '1 m' },
      coordinates: { q: { unit: '1/m', limits: [-4, 4] } },
      volume: { box: { x: [0, 0.1], y: [0, 0.1], z: [0, 0.1] }, density: 1000 },
      position: ['x*exp(q*x)', 'y*(1 + z*sin(q*x)/l)', 'z'],
      distal: 'none',
      chambers: { one: { x: [0.02, 0.1] } },
    };
    const twice = loadRobotObject({
      kanegen: 1,
      name: 'twice',
      'body-types': { own: swelling },
      links: [{ name: 'a', body: 'own' }],
      actuators: { p1: { pressure: 'a.one' }, p2: { pressure: 'a.one' } },
    });
    const states = [{ q: [2], qd: [1], qdd: [0], u: [10, 30] }];
    const [result] = await evaluateRobot(twice, compileRobot(twice), states, { target: 'ts', precision: 'double' });
    const { B, y, actuation } = result!;
    expect(y![0]).toBe(y![1]);
    expect(actuation![0]).toBeCloseTo(40 * B![0]![0]!, 12);
    // ∂/∂q ∫ exp(q x)(1 + q x)(1 + z sin q x) dX at q = 2, by the trapezoidal rule over fine cells of x; z averages to 0.05.
    const slope = (x: number): number => {
      const [e, sine, cosine] = [Math.exp(2 * x), Math.sin(2 * x), Math.cos(2 * x)];
      return x * e * (2 + 2 * x) * (1 + 0.05 * sine) + e * (1 + 2 * x) * 0.05 * x * cosine;
    };
    const cells = 4000;
    const sum = Array.from({ length: cells }, (_, k) => slope(0.02 + (0.08 * (k + 0.5)) / cells)).reduce(
      (a, b) => a + b,
    );
    expect(B![0]![0]! / ((sum * 0.08 * 0.01) / cells)).toBeCloseTo(1, 7);
  });

  it.each([
    ['pcc-3d', 'r: [R, R]', '10:17', 'wrong-value', /the length 0: the chamber has no volume/],
    ['pcc-3d', 'r: [R, R/2]', '10:17', 'wrong-value', /the length -0\.01: the chamber has no volume/],
    ['pcc-3d', 'wall: { r: 0 }', '10:25', 'wrong-value', /the radius of this wall is 0: the chamber has no volume/],
    ['pcc-3d', 's: [0, 2*L]', '10:21', 'wrong-value', /0\.2 beyond the body along s/],
  ])('is refused where the chamber stands: of %s, { %s }', (body, ranges, place, code, message) => {
    const text = `# What is wrong stands below.
kanegen: 1
name: wrong
links: [{ name: soft, body: own }]
actuators: { p: { pressure: soft.one } }
body-types:
  own:
    extends: ${body}
    chambers:
      one: { ${ranges} }
`;
    const error = thrown(() => compileRobot(loadRobotText(text, 'wrong.robot.yaml')));
    expect(error.message).toMatch(message);
    expect(error.code).toBe(code);
    expect(error.remedy).toBeTruthy();
    expect(locationText(error.location!)).toBe(`wrong.robot.yaml:${place}`);
  });

  it('acts on nothing where only the error of its integrals changes', async () => {
    const bellow = {
      parameters: { L: '50 mm', R: '15 mm' },
      coordinates: { e: { limits: [-0.3, 0.4] }, g: { unit: 'rad', limits: [-0.7, 0.7] } },
      volume: { rod: { z: [0, 'L'] }, section: { annulus: ['0.8*R', 'R'] }, density: 1100 },
      compose: [
        { elongation: { axis: 'z', displacement: 'e*z' } },
        { bending: { axis: 'z', direction: 'x', curvature: 'g/L' } },
      ],
      distal: 'none',
      chambers: { one: { wall: { r: '0.8*R' }, z: [0, 'L'] } },
    };
    const robot = loadRobotObject({
      kanegen: 1,
      name: 'preserved',
      'body-types': { bellow },
      links: [{ name: 'a', body: 'bellow' }],
      actuators: { p: { pressure: 'a.one' } },
    });
    const state = { q: [0.2, 0.5], qd: [1, -1], qdd: [0, 0], u: [1] };
    const [result] = await evaluateRobot(robot, compileRobot(robot), [state], { target: 'ts', precision: 'double' });
    expect(result!.B!.flat()).toEqual([0, 0]);
    expect(result!.y![0]! / (Math.PI * 0.012 ** 2 * 0.05)).toBeCloseTo(1, 10);
  });

  it('acts on links of its type whose volume changes, whatever the others do', async () => {
    const text = `kanegen: 1
name: links
body-types:
  own: { extends: planar-cc-elongation, parameters: { g: 1 }, strain: { bend-y: q1/L, stretch: (g - 0.5)*q2/L }, chambers: { one: {} } }
links: [{ name: a, body: own, parameters: { g: 0.7, R: 0.02 } }, { name: b, body: own, parameters: { g: 0.5 } }]
actuators: { p: { pressure: a.one }, r: { pressure: b.one } }
`;
    const robot = loadRobotText(text, 'links.robot.yaml');
    const state = { q: [0.2, 0.01, 0.3, 0.02], qd: [0, 0, 0, 0], qdd: [0, 0, 0, 0], u: [1, 1] };
    const [result] = await evaluateRobot(robot, compileRobot(robot), [state], { target: 'ts', precision: 'double' });
    const B = result!.B!;
    // The stretch of the whole rod is (g − ½) q2: ∂V/∂q2 = (g − ½) π R².
    expect(B[1]![0]! / (0.2 * Math.PI * 0.02 ** 2)).toBeCloseTo(1, 12);
    expect(Math.max(...B.map((row) => Math.abs(row[1]!)))).toBeLessThan(1e-18);
  });

  it.each([
    ['soft1.halves', {}, /no chamber `halves`; did you mean `soft1\.half`\?|no chamber `halves`/],
    ['palm.half', {}, /no chamber `half`/],
    ['wrist.half', {}, /unknown link `wrist`/],
    ['half', {}, /`half` is not a chamber of a link/],
    ['soft1.half', { limits: ['2 bar', '0 bar'] }, /limits|lower|upper/],
    ['soft1.half', { limits: ['0 N', '1 N'] }, /pressure|Pa|must be/],
    ['soft1.half', { ratio: 2 }, /has no `ratio`/],
  ])('is refused where it is wrong: %s %j', (pressure, more, message) => {
    expect(() => loadRobotObject(robot(pressure, more))).toThrow(message);
  });
});
