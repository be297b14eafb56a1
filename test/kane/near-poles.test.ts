/**
 * Bodies whose formulas are 0/0 where they are straight and which go by points, since other analytic factors stand beside it:
 * mass matrix, forces and torques at the pole and at every distance from it, against D'Alembert's principle in many digits.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';

const GRAVITY = [3.1, -1.7, 9.1];
/** Many digits take their time: all bodies, and places further out, in the full suite. */
const full = process.env['KANEGEN_FULL'] === '1';
const HANGS = 3_600_000;
const DISTANCES = full ? [0, 1e-12, 1e-7, 1e-3, 0.5] : [0, 1e-7];

interface ReferenceFile {
  readonly states: readonly {
    readonly name: string;
    readonly q: readonly number[];
    readonly qd: readonly number[];
    readonly qdd: readonly number[];
    readonly M: readonly (readonly string[])[];
    readonly tau: readonly string[];
  }[];
}

interface Body {
  readonly parameters?: object;
  readonly integration?: object;
  readonly coordinates?: object;
  readonly volume?: object;
  readonly let?: object;
  readonly position?: readonly string[];
  readonly compose?: readonly object[];
  readonly distal?: unknown;
}

function robotOf(body: Body, defaults: number) {
  const { coordinates = { q: { unit: 'rad', default: defaults } }, ...rest } = body;
  const type = {
    parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3', r: 0.3, e: 0.4 },
    coordinates,
    volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' },
    distal: 'none',
    integration: { tolerance: 1e-12 },
    ...rest,
  };
  return loadRobotObject({
    kanegen: 1,
    name: 'straightened',
    gravity: GRAVITY,
    'body-types': { body: type },
    links: [{ body: 'body' }],
  });
}

/** Largest error of M, c, g and τ, each relative to the size of what it is made of. */
async function worstError(body: Body, defaults = 0): Promise<{ error: number; where: string }> {
  const robot = robotOf(body, defaults);
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
  const referee = prepareAlembert(robot);
  const n = robot.coordinates.length;
  let worst = { error: 0, where: '' };
  for (const distance of DISTANCES) {
    const q = robot.coordinates.map(({ unit }, i) => (unit === 'm' ? 0.02 : 1) * distance * (1 - 0.23 * i));
    const qd = q.map((_, i) => 0.9 * Math.cos(1.3 * i));
    const qdd = q.map((_, i) => 0.7 * Math.cos(2.1 * i + 0.3));
    const exact = referee.evaluate({ q, qd, qdd });
    const [M, tau, c, g] = [new Float64Array(n * n), new Float64Array(n), new Float64Array(n), new Float64Array(n)];
    dynamics.update(Float64Array.from(q), Float64Array.from(qd));
    dynamics.inverseDynamics(Float64Array.from(qdd), tau);
    dynamics.massMatrix(M);
    dynamics.terms(c, g, new Float64Array(n), new Float64Array(n));
    const own = exact.massMatrix.map((row, i) => Math.sqrt(row[i]!.toNumber()));
    const speed = Math.hypot(...qd);
    const mass = Math.PI * 0.02 ** 2 * 0.2 * 1062;
    const note = (
      name: string,
      value: number,
      expected: { minus(x: number): { toNumber(): number } },
      size: number,
    ): void => {
      const error = Math.abs(expected.minus(value).toNumber()) / size;
      if (!(error <= worst.error)) worst = { error, where: `${name} at ${distance}` };
    };
    for (let a = 0; a < n; a++) {
      const bias = own[a]! * Math.max(...own) * speed ** 2;
      const weight = own[a]! * Math.sqrt(mass) * Math.hypot(...GRAVITY);
      for (let b = 0; b < n; b++) note('M', M[n * a + b]!, exact.massMatrix[a]![b]!, own[a]! * own[b]!);
      note('c', c[a]!, exact.coriolis[a]!, bias);
      note('g', g[a]!, exact.gravity[a]!, weight);
      note('tau', tau[a]!, exact.torque[a]!, bias + weight);
    }
  }
  return worst;
}

const arc = (across: string): Body => ({
  let: { theta: 'q*s/L' },
  position: [`L*(1 - cos(theta))/q + ${across}*cos(theta)`, 'y', `L*sin(theta)/q - ${across}*sin(theta)`],
});

const square = { rod: { z: [0, 'L'] }, section: { rectangle: ['R', 'R'], cartesian: ['x', 'y'] }, density: 'rho' };
const number = { q: { unit: '1', limits: [-0.6, 0.6] } };
const curvature = { k: { unit: '1/m' } };

const bodies: [name: string, body: Body, defaults?: number][] = [
  ['an arc whose sections shrink along it', arc('x*(1 + r*exp(-s/L))')],
  ['the same with another default', arc('x*(1 + r*exp(-s/L))'), 0.5],
  ['an arc under a root', arc('x/sqrt(1 + e*s/L)')],
  ['the same with another default', arc('x/sqrt(1 + e*s/L)'), 0.5],
  [
    'an arc over a polynomial',
    {
      let: { theta: 'q*(s + e*s^2/L)/L' },
      position: ['L*(1 - cos(theta))/q + x*cos(theta)', 'y', 'L*sin(theta)/q - x*sin(theta)'],
    },
  ],
  [
    'bending that preserves volume as it is derived',
    {
      coordinates: curvature,
      let: { u: '(1 - sqrt(1 - 2*k*x))/k' },
      position: ['(1 - cos(k*s))/k + u*cos(k*s)', 'y', '(1/k - u)*sin(k*s)'],
    },
  ],
  [
    'the same written by the centre of curvature, in a map of a composition after a stretch',
    {
      coordinates: { k: { unit: '1/m' }, w: { unit: '1' } },
      volume: square,
      compose: [
        { elongation: { axis: 'z', displacement: 'w*z' } },
        { map: ['1/k - (1/k - (1 - sqrt(1 - 2*k*x))/k)*cos(k*z)', 'y', '(1/k - (1 - sqrt(1 - 2*k*x))/k)*sin(k*z)'] },
      ],
    },
  ],
  [
    'two bendings one after the other',
    {
      coordinates: { k1: { unit: '1/m' }, k2: { unit: '1/m' } },
      volume: square,
      compose: [
        { map: ['1/k1 - sqrt(1 - 2*k1*x)/k1*cos(k1*z)', 'y', 'sqrt(1 - 2*k1*x)*sin(k1*z)/k1'] },
        { map: ['x', '(1 - cos(k2*z))/k2 + (1 - sqrt(1 - 2*k2*y))/k2*cos(k2*z)', 'sqrt(1 - 2*k2*y)*sin(k2*z)/k2'] },
      ],
    },
  ],
  [
    'a spatial arc by its hypotenuse, sections off the axis and shrinking',
    {
      coordinates: { q1: { unit: 'rad' }, q2: { unit: 'rad' }, d: { unit: 'm' } },
      let: {
        h: 'hypot(q1, q2)',
        a: '(L + d)*(1 - cos(h*s/L))/h^2',
        X: 'x*(1 + r*exp(-s/L)) + R',
        Y: 'y*(1 + r*exp(-s/L))',
        b: '(q1*X + q2*Y)/h^2*(1 - cos(h*s/L))',
      },
      position: ['q1*a + X - q1*b', 'q2*a + Y - q2*b', '(L + d)*sin(h*s/L)/h - (q1*X + q2*Y)/h*sin(h*s/L)'],
    },
  ],
  [
    'exponentials of a coordinate in its place',
    {
      coordinates: number,
      position: ['x + L*(exp(q*s/L) - 1 - q*s/L)/q*sqrt(1 + e*s/L)', 'y', 's - x*(exp(q*s/L) - 1)'],
    },
  ],
  [
    'logarithms and arctangents',
    {
      coordinates: number,
      position: ['x + L*(log(1 + q*s/L) - q*s/L)/q', 'y*(1 + (atan(q*s/L) - q*s/L)/q)', 's - x*q*s/L'],
    },
  ],
];

/** Those that every run of the suite looks at. */
const OFTEN = new Set([
  'the same with another default',
  'an arc over a polynomial',
  'exponentials of a coordinate in its place',
]);

/** The body of variable radius as its paper prints it (test/reference, family I). */
const variableRadius: Body = {
  coordinates: { q1: { unit: 'rad' }, q2: { unit: 'm' }, q3: { unit: 'm' }, q4: { unit: 'm' } },
  volume: {
    rod: { s: [0, 'L'] },
    section: { disc: 'R', polar: ['r', 'phi'] },
    density: 'rho',
    breaks: { phi: ['pi'] },
  },
  let: {
    along: 'exp(-L^2/(L^2/4 - (s - L/2)^2))',
    first: 'exp(-1/(pi^2/4 - (phi - pi/2)^2))',
    second: 'exp(-1/(pi^2/4 - (phi - pi - pi/2)^2))',
    radius: 'r*(R + along*(phi < pi ? q3*first : q4*second))/R',
    theta: 'q1*s/L',
    X: 'radius*cos(phi - pi/2)',
  },
  position: [
    '(L + q2)*(1 - cos(theta))/q1 + X*cos(theta)',
    'radius*sin(phi - pi/2)',
    '(L + q2)*sin(theta)/q1 - X*sin(theta)',
  ],
  parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' },
  integration: { tolerance: 1e-7 },
};

describe('bodies that are 0/0 where they are straight', () => {
  it(
    'a segment of variable radius, written by position',
    async () => {
      const file = JSON.parse(readFileSync('test/reference/I_var_radius_L2_phi90.json', 'utf8')) as ReferenceFile;
      const robot = robotOf(variableRadius, 0);
      const dynamics = (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))();
      const wanted = ['straight', 'near_straight_1e-09', 'near_straight_1e-03', 'generic_0'];
      const states = file.states.filter((state) => wanted.includes(state.name));
      expect(states).toHaveLength(wanted.length);
      for (const { name, q, qd, qdd, M, tau } of states) {
        const [mass, force] = [new Float64Array(16), new Float64Array(4)];
        dynamics.update(Float64Array.from(q), Float64Array.from(qd));
        dynamics.massMatrix(mass);
        dynamics.inverseDynamics(Float64Array.from(qdd), force);
        const own = M.map((row, a) => Math.sqrt(Number(row[a])));
        const size = Math.max(...tau.map((value, a) => Math.abs(Number(value)) / own[a]!));
        M.flat().forEach((value, i) => {
          const error = Math.abs(mass[i]! - Number(value)) / (own[i >> 2]! * own[i & 3]!);
          expect(error, `M of ${name}`).toBeLessThan(1e-6);
        });
        tau.forEach((value, a) =>
          expect(Math.abs(force[a]! - Number(value)) / (own[a]! * size), `tau of ${name}`).toBeLessThan(1e-6),
        );
      }
    },
    HANGS,
  );

  it.each(bodies.filter(([name]) => full || OFTEN.has(name)))(
    '%s',
    async (_, body, defaults = 0) => {
      const { error, where } = await worstError(body, defaults);
      expect(error, where).toBeLessThan(1e-11);
    },
    HANGS,
  );
});
