/**
 * Pressure chambers of generated code against reference data: volumes, gradients, rates and forces, computed by others in
 * 256-bit arithmetic from ∫ det F dX and the flux through walls.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import type { CompiledRobot } from '../../src/kane/link/link-type.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/evaluation.ts';
import { isInstalled } from '../compilers.ts';

interface PressureState {
  readonly name: string;
  readonly q: readonly number[];
  readonly qd: readonly number[];
  readonly pressure: readonly number[];
  readonly volume: readonly string[];
  readonly volume_gradient: readonly (readonly string[])[];
  readonly volume_rate: readonly string[];
  readonly tau_pressure: readonly string[];
}

interface PressureFile {
  readonly parameters: { readonly links: readonly [Readonly<Record<string, number>>] };
  readonly states: readonly PressureState[];
}

type Definition = (link: Readonly<Record<string, number>>, tolerance: number) => object;

const own = ({ L, R, rho }: Readonly<Record<string, number>>): object => ({ L: L!, R: R!, rho: rho!, wall: '4 mm' });

const BODIES: Readonly<Record<string, Definition>> = {
  planar_cce: (link) => ({
    extends: 'planar-cc-elongation',
    parameters: own(link),
    chambers: {
      inner: { r: [0, 'R - wall'], phi: ['-pi/2', 'pi/2'] },
      outer: { r: [0, 'R - wall'], phi: ['pi/2', '3*pi/2'] },
    },
  }),
  var_radius: (link, tolerance) => ({
    extends: 'variable-radius',
    parameters: { ...own(link), phi0: `${link['phi0_over_pi']!}*pi`, c: link['L']! ** 2 },
    integration: { tolerance },
    chambers: { upper: { r: [0, 'R - wall'], phi: [0, 'pi'] }, lower: { r: [0, 'R - wall'], phi: ['pi', '2*pi'] } },
  }),
};

/** Largest errors of y, B, ẏ and τ, relative to what they consist of. */
function worst({ y, B, yd, actuation }: Evaluation, state: PressureState): number {
  const errors: number[] = [];
  state.volume.forEach((volume, j) => {
    const gradient = state.volume_gradient[j]!.map(Number);
    const scale = Math.max(...gradient.map(Math.abs));
    errors.push(Math.abs(y![j]! / Number(volume) - 1));
    gradient.forEach((due, a) => errors.push(Math.abs(B![a]![j]! - due) / scale));
    const sizes = gradient.reduce((sum, e, a) => sum + Math.abs(e * state.qd[a]!), 0);
    errors.push(Math.abs(yd![j]! - Number(state.volume_rate[j])) / sizes);
  });
  state.tau_pressure.forEach((due, a) => {
    const sizes = state.pressure.reduce((sum, p, j) => sum + Math.abs(p * Number(state.volume_gradient[j]![a])), 0);
    const scale = Math.max(sizes, 1e-3 * Math.max(...state.tau_pressure.map((e) => Math.abs(Number(e)))));
    errors.push(Math.abs(actuation![a]! - Number(due)) / scale);
  });
  return Math.max(...errors);
}

describe.each([
  ['P_planar_cce', 1e-13],
  ['P_var_radius_phi90', 1e-5],
] as const)('chambers of %s', (name, tolerance) => {
  const url = new URL(`../reference/forces/${name}.json`, import.meta.url);
  const { parameters, states } = JSON.parse(readFileSync(url, 'utf8')) as PressureFile;
  const [link] = parameters.links;

  let robot: Robot;
  let compiled: CompiledRobot;
  beforeAll(() => {
    const type = BODIES[String(link['type'])]!(link, tolerance) as { readonly chambers: object };
    const actuators = Object.keys(type.chambers).map((chamber) => [`in_${chamber}`, { pressure: `soft.${chamber}` }]);
    robot = loadRobotObject({
      kanegen: 1,
      name: 'chambers',
      'body-types': { own: type },
      links: [{ name: 'soft', body: 'own' }],
      actuators: Object.fromEntries(actuators) as object,
    });
    compiled = compileRobot(robot);
  });

  it.each(['ts', 'c'] as const)('have the volumes and forces of the reference: %s', async (target) => {
    if (target === 'c' && !isInstalled('cc')) return;
    const inputs = states.map(({ q, qd, pressure }) => ({ q, qd, qdd: q.map(() => 0), u: pressure }));
    const results = await evaluateRobot(robot, compiled, inputs, { target, precision: 'double' });
    expect(results.length).toBeGreaterThan(5);
    expect(Math.max(...results.map((result, i) => worst(result, states[i]!)))).toBeLessThan(tolerance);
  });
});

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
    ['soft1.halves', {}, /no chamber `halves`; did you mean `soft1\.half`\?|no chamber `halves`/],
    ['palm.half', {}, /no chamber `half`/],
    ['wrist.half', {}, /unknown link `wrist`/],
    ['half', {}, /`half` is no chamber of a link/],
    ['soft1.half', { limits: ['2 bar', '0 bar'] }, /limits|lower|upper/],
    ['soft1.half', { limits: ['0 N', '1 N'] }, /pressure|Pa|must be/],
    ['soft1.half', { ratio: 2 }, /has no `ratio`/],
  ])('is refused where it is wrong: %s %j', (pressure, more, message) => {
    expect(() => loadRobotObject(robot(pressure, more))).toThrow(message);
  });
});
