/** Changes along directions of bodies that take loops: sums over points, values carried along rods, integrals along rows. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { Loop } from '../../src/kane/loops/loop.ts';
import { KG_OK, type Derivatives, type Dynamics } from '../../src/runtime/driver.ts';

/** Rods by Newton–Euler and by Jacobians, with elasticity, and a body by points. */
const ROBOT = `
kanegen: 1
name: loops
body-types:
  stem:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { a: { unit: rad, limits: [-1, 1] }, b: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R }, density: rho }
    strain: { bend-y: a/L, bend-x: b*s/L^2, stretch: 0.2*a*b, shear-x: 0.1*b }
    material: { rod-elasticity: { E: 0.1 MPa, nu: 0.4 } }
    integration: { recursion: newton-euler, tolerance: 1e-5 }
  twig: { extends: stem, integration: { recursion: jacobian, tolerance: 1e-5 } }
  sum:
    parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3 }
    coordinates: { q: { unit: rad, limits: [-1, 1] } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    integration: { method: quadrature, tolerance: 1e-5 }
    let: { theta: q*(s/L)^2 }
    position: [x*cos(theta) + s*sin(theta/2), y, s*cos(theta/2) - x*sin(theta)]
    distal: { at: { s: L } }
links:
  - { name: a, joint: { revolute: x }, body: stem }
  - { name: b, joint: { revolute: z }, mount: { rpy: [0.2, 0.1, 0] }, body: twig }
  - { name: c, body: sum }
  - { name: d, parent: b, joint: { revolute: y }, rigid: { mass: 1, distal: { xyz: [0, 0.1, 0] } } }
frames: { tcp: { on: c, offset: { xyz: [0.1, 0.2, -0.3], rpy: [0.4, -0.2, 1] } } }
`;

const robot = loadRobotText(ROBOT, 'loops.robot.yaml');
const n = robot.coordinates.length;
const values = (phase: number): number[] => Array.from({ length: n }, (_, i) => 0.5 * Math.sin(1.7 * i + phase));
const [q, qd, qdd, dq, dqd, dqdd] = [1, 2, 3, 4, 5, 6].map(values) as [
  number[],
  number[],
  number[],
  number[],
  number[],
  number[],
];

let loops: readonly Loop[];
let dynamics: Dynamics & Derivatives;

beforeAll(async () => {
  const compiled = compileRobot(robot, { derivatives: true });
  loops = compiled.types.flatMap((type) => [...type.loops]);
  dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))() as typeof dynamics;
});

const moved = (x: readonly number[], along: readonly number[], by: number): number[] =>
  x.map((v, i) => v + by * along[i]!);

/** d/dh at h = 0, of sixth order. */
function derivative(f: (h: number) => ArrayLike<number>): number[] {
  const h = 2e-3;
  const weights = [-1, 9, -45, 0, 45, -9, 1];
  const samples = weights.map((_, k) => f((k - 3) * h));
  return Array.from({ length: n }, (_, i) =>
    samples.reduce((sum, sample, k) => sum + (weights[k]! * sample[i]!) / (60 * h), 0),
  );
}

function expectClose(actual: ArrayLike<number>, expected: readonly number[]): void {
  const scale = Math.max(...expected.map(Math.abs));
  expected.forEach((x, i) => expect(Math.abs(actual[i]! - x), `entry ${i}`).toBeLessThan(1e-11 * scale));
}

describe('changes along directions', () => {
  it('are made of loops of every kind', () => {
    const changes = loops.filter(({ stage }) => stage === 4);
    expect(changes.some(({ carried }) => carried.length > 0)).toBe(true);
    expect(changes.some(({ sums }) => sums.length > 0)).toBe(true);
    expect(changes.some(({ writes }) => writes.some(({ array }) => array.buffer !== undefined))).toBe(true);
    expect(changes.some(({ writes }) => writes.some(({ integrated }) => integrated))).toBe(true);
  });

  it.each([
    ['q', dq, null, null],
    ['qd', null, dqd, null],
    ['qdd', null, null, dqdd],
    ['all', dq, dqd, dqdd],
  ] as const)('of inverse dynamics are difference quotients along %s', (_, a, b, c) => {
    const nothing = values(0).map(() => 0);
    const expected = derivative((h) => {
      const tau = new Float64Array(n);
      dynamics.update(moved(q, a ?? nothing, h), moved(qd, b ?? nothing, h));
      dynamics.activeInverseDynamics(moved(qdd, c ?? nothing, h), tau);
      return tau;
    });
    dynamics.update(q, qd);
    const actual = new Float64Array(n);
    expect(dynamics.inverseDynamicsTangent(1, qdd, a, b, c, actual)).toBe(KG_OK);
    expectClose(actual, expected);
  });

  it('of what a wrench on a frame does are, too', () => {
    const wrench = [0.3, -0.2, 0.5, 1.2, -0.7, 0.4];
    const tcp = robot.frames.findIndex(({ name }) => name === 'tcp');
    const expected = derivative((h) => {
      const tau = new Float64Array(n);
      dynamics.update(moved(q, dq, h), qd);
      dynamics.external(tcp, wrench, tau);
      return tau;
    });
    dynamics.update(q, qd);
    const actual = new Float64Array(n);
    expect(dynamics.externalTangent(1, tcp, wrench, dq, actual)).toBe(KG_OK);
    expectClose(actual, expected);
  });
});

describe('weighted sums', () => {
  const weights = values(7);
  const unit = (i: number): number[] => values(0).map((_, k) => (k === i ? 1 : 0));

  it('have the transpose of these changes as their derivatives', () => {
    dynamics.update(q, qd);
    const found = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    expect(dynamics.inverseDynamicsAdjoint!(1, qdd, weights, ...found)).toBe(KG_OK);
    for (const which of [0, 1, 2])
      for (let b = 0; b < n; b++) {
        const given = [0, 1, 2].map((k) => (k === which ? unit(b) : null));
        const column = new Float64Array(n);
        dynamics.inverseDynamicsTangent(1, qdd, given[0]!, given[1]!, given[2]!, column);
        const terms = Array.from(column, (x, i) => x * weights[i]!);
        const scale = terms.reduce((sum, x) => sum + Math.abs(x), 1e-3);
        const sum = terms.reduce((total, x) => total + x, 0);
        expect(Math.abs(found[which]![b]! - sum), `entry ${b} of ${which}`).toBeLessThan(1e-13 * scale);
      }
  });
});
