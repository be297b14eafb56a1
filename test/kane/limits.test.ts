/** Limits of coordinates: rules hold out to their corners, and what cannot be had over them is said with what could. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { formulasOf, type BodyType, type Robot } from '../../src/description/model/robot.ts';
import { mayHaveKinks } from '../../src/symbolic/graph/kinks.ts';
import { compileBodies, compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/generated/evaluation.ts';

const parameters = { L: '0.2 m', R: '20 mm', rho: '1000 kg/m^3' };
const volume = { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' };

function robotOf(body: object): Robot {
  const own = { parameters, volume, ...body };
  return loadRobotObject({ kanegen: 1, name: 'limited', 'body-types': { body: own }, links: [{ body: 'body' }] });
}

function bentByStrain(limit: number, integration: object): Robot {
  const coordinates = { q: { count: 2, unit: 'rad', limits: [-limit, limit] } };
  return robotOf({ coordinates, strain: { 'bend-y': '(q1 + q2*s/L)/L' }, integration });
}

/** No closed form, and a fast phase where the coordinate is large. */
function bentByPosition(limits: readonly (number | string)[], integration: object): Robot {
  return robotOf({
    coordinates: { q: { unit: 'rad', limits } },
    let: { phase: 'q*s/L + sin(q*s/L/5)' },
    position: ['x*(1 + 0.1*exp(-s/L)) + L/10*(1 - cos(phase))', 'y', 's'],
    distal: 'none',
    integration,
  });
}

/** Largest difference of τ and M between two robots at given configurations, in motion, relative to the largest. */
async function difference(a: Robot, b: Robot, configurations: readonly (readonly number[])[]): Promise<number> {
  const states = configurations.map((q) => ({ q, qd: q.map((x, i) => 0.3 * x + i + 1), qdd: q.map((_, i) => 2 - i) }));
  const [first, second] = await Promise.all(
    [a, b].map((robot) => evaluateRobot(robot, compileRobot(robot), states, { target: 'ts', precision: 'double' })),
  );
  const parts = [(r: Evaluation) => r.tau, (r: Evaluation) => r.M.flat()].map((read) => {
    const [x, y] = [first!.flatMap(read), second!.flatMap(read)];
    return Math.max(...x.map((value, i) => Math.abs(value - y[i]!))) / Math.max(...y.map(Math.abs));
  });
  return Math.max(...parts);
}

describe('the stated error', () => {
  it.each([
    [3, 1e-10],
    [12, 1e-8],
  ])('of a rod by strain holds in the corners of limits of ±%d rad, and within', async (limit, tolerance) => {
    const robot = bentByStrain(limit, { tolerance });
    const [body] = compileBodies(robot).values();
    expect(body!.chosen.error).toBeLessThan(tolerance);
    const corners = [1, -1].flatMap((a) => [1, -1].map((b) => [a * limit, b * limit]));
    const inside = [1, 0.8, 0.3].map((share) => [share * limit, -0.7 * share * limit]);
    const reference = bentByStrain(limit, { points: 240 });
    expect(await difference(robot, reference, [...corners, ...inside])).toBeLessThan(tolerance);
  });

  it('of points holds at the ends of limits of ±25 rad', async () => {
    const robot = bentByPosition([-25, 25], { tolerance: 1e-8 });
    const [body] = compileBodies(robot).values();
    expect(body!.chosen).toMatchObject({ method: 'sums over points' });
    const reference = bentByPosition([-26, 26], { tolerance: 1e-11, compress: false });
    const found = await difference(
      robot,
      reference,
      [25, -25, 24.1, -19, 11].map((q) => [q]),
    );
    expect(found).toBeLessThan(1e-8);
  });

  it('takes more points for wider limits', () => {
    const points = [3, 12].map((limit) => {
      const [body] = compileBodies(bentByStrain(limit, { tolerance: 1e-8 })).values();
      return body!.chosen.cost.rows;
    });
    expect(points[1]!).toBeGreaterThan(2 * points[0]!);
  });
});

describe('limits that cannot be had', () => {
  it('are named with their cost and the range that could be, for rods', () => {
    expect(() => compileRobot(bentByStrain(250, { tolerance: 1e-9 }))).toThrow(
      expect.objectContaining({
        code: 'tolerance-not-met',
        message: expect.stringMatching(
          /^384 points .* of about \d+ that would .*q1 in \[-250, 250\] rad, q2 in/,
        ) as string,
        remedy: expect.stringMatching(
          /narrower `limits`: over .*q2 in \[-\d+, \d+\] rad .*\d+ points.*tolerance: /,
        ) as string,
      }) as Error,
    );
  });

  it('are named with the range that could be, for points, and `breaks` are not asked for where nothing has a kink', () => {
    try {
      compileRobot(bentByPosition([-900, 900], { tolerance: 1e-8 }));
      expect.unreachable();
    } catch (error) {
      const { code, message, remedy } = error as { code: string; message: string; remedy: string };
      expect(code).toBe('tolerance-not-met');
      expect(message).toContain('q in [-900, 900] rad');
      expect(remedy).toMatch(/narrower `limits`: over q in \[-\d+, \d+\] rad \d+ points suffice/);
      expect(remedy).not.toContain('breaks');
    }
  });

  it('take Legendre functions of any degree for smooth', () => {
    const degrees = Array.from({ length: 9 }, (_, i) => i + 1);
    const series = degrees.map((degree) => `q${degree}*legendre(${degree}, s/L)`).join(' + ');
    const { links } = robotOf({
      coordinates: { q: { count: 9, unit: 'm' } },
      position: [`x + ${series}`, 'y', 's'],
      distal: 'none',
    });
    const { kinematics } = (links[0]!.body as { readonly type: BodyType }).type;
    expect(mayHaveKinks(formulasOf(kinematics))).toBe(false);
  });

  it('are told where material is turned inside out before, and its energy has no value', () => {
    const squeezed = robotOf({
      coordinates: { b: { limits: [-0.8, 0.3] } },
      parameters: { L: '0.1 m', w: '20 mm', mu: '0.2 MPa', rho: '900 kg/m^3' },
      volume: { box: { x: ['-w', 'w'], y: ['-w', 'w'], z: [0, 'L'] }, density: 'rho' },
      position: ['x', 'y', 'z*(1 + b*z/L)'],
      distal: 'none',
      material: { energy: 'mu/2*(I1 - 3) - mu*log(J) + mu/2*log(J)^2' },
      integration: { tolerance: 1e-6 },
    });
    expect(() => compileRobot(squeezed)).toThrow(
      expect.objectContaining({
        code: 'tolerance-not-met',
        message: expect.stringMatching(/^material of `body` is turned inside out, .* at b = -0\.\d+: /) as string,
        remedy: expect.stringContaining('state `limits`') as string,
      }) as Error,
    );
  });

  it('say what was assumed where there are none', () => {
    const steep = robotOf({
      coordinates: { q: {} },
      position: ['x + q*s*exp(4000*q*s/L)', 'y', 's'],
      distal: 'none',
    });
    expect(() => compileRobot(steep)).toThrow(/q in \[-0\.3, 0\.3\] \(assumed\)/);
  });

  it('let no cavity collapse', () => {
    const cavity = (limits: readonly string[]): Robot =>
      robotOf({
        parameters: { ...parameters, inner: '15 mm' },
        volume: { rod: { z: [0, 'L'] }, section: { annulus: ['inner', 'R'] }, density: 'rho' },
        coordinates: { a: { unit: 'm^2', limits } },
        compose: [{ cavity: { axis: 'z', growth: 'a*(4*z/L*(1 - z/L))^2' } }],
        distal: 'none',
      });
    expect(() => compileRobot(cavity(['-300 mm^2', '100 mm^2']))).toThrow(
      expect.objectContaining({
        code: 'wrong-value',
        location: expect.objectContaining({ path: 'body-types.body.coordinates.a.limits' }) as object,
        remedy: expect.stringContaining('a = -0.0002') as string,
      }) as Error,
    );
    expect(() => compileRobot(cavity(['-inner^2/2', '100 mm^2']))).not.toThrow();
  });
});

describe('limits in the parameters of a type', () => {
  const limited = (limits: readonly unknown[], more: object = {}): Robot =>
    loadRobotObject({
      kanegen: 1,
      name: 'limited',
      'body-types': {
        body: {
          parameters,
          volume,
          coordinates: { q: { unit: 'm', limits, ...more } },
          position: ['x + q*s/L', 'y', 's'],
          distal: 'none',
        },
      },
      links: [{ body: 'body' }, { parent: 'base', body: 'body', parameters: { L: '0.4 m' } }],
    });

  it('are those of each link', () => {
    const { coordinates } = limited(['-L/8', 'L/4']);
    expect(coordinates.map(({ lower, upper }) => [lower, upper])).toEqual([
      [-0.025, 0.05],
      [-0.05, 0.1],
    ]);
  });

  it.each([
    [['1 cm', 'L/4'], {}, /the default 0 lies 0\.01 below this limit/, 'limits[0]'],
    [['-L', 'L/4'], { default: '0.2 m' }, /the default 0\.2 lies 0\.15 above this limit/, 'limits[1]'],
    [['L/4', '-L'], {}, /not below the upper/, 'limits'],
  ])('contain the default and are in order: %j', (limits, more, message, path) => {
    const at = expect.objectContaining({ path: `body-types.body.coordinates.q.${path}` }) as object;
    expect(() => limited(limits, more)).toThrow(
      expect.objectContaining({
        code: 'wrong-value',
        message: expect.stringMatching(message) as string,
        location: at,
      }) as Error,
    );
  });
});
