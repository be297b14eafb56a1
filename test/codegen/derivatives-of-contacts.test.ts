/**
 * Derivatives where two bodies that move press against each other: against difference quotients of forces, of accelerations with loops,
 * of a closed solution at rest; transposes against tangents.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK, type Derivatives, type Loops } from '../../src/runtime/driver.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';
import { Verification } from '../../src/verify/verify.ts';

type Differentiated = LoadedRobot & Derivatives;

const compiled = async (text: string): Promise<{ robot: Robot; create: () => Differentiated }> => {
  const robot = loadRobotText(text, 'touching.robot.yaml');
  const files = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
  return { robot, create: (await loadGenerated(files)) as () => Differentiated };
};

const inertia = '{ xx: 2e-3, yy: 3e-3, zz: 1e-3 }';
/** An arm whose soft link carries a shape, a ball that slips and one that sticks. */
const ARMS = `kanegen: 1
name: arms
gravity: [1, 2, -9]
links:
  - { name: upper, joint: { revolute: y }, rigid: { mass: 1 kg, com: [0, 0, 0.1], inertia: ${inertia}, distal: { xyz: [0, 0, 0.3] } } }
  - { name: crank, joint: { revolute: x }, rigid: { mass: 0.1 kg, distal: { xyz: [0, 0, 0.1] } } }
  - { name: soft, body: planar-cc, parameters: { L: 0.2 m, R: 20 mm, rho: 1000 kg/m^3 } }
  - { name: tip, rigid: { mass: 0.5 kg, com: [0.01, 0.02, 0.1], inertia: ${inertia} } }
  - { name: ball, parent: base, joint: { prismatic: [0.6, 0, 0.8] }, offset: { xyz: [0.3, 0.1, 0.3] }, rigid: { mass: 0.3 kg, inertia: ${inertia} } }
  - { name: fin, parent: ball, joint: { revolute: z }, rigid: { mass: 0.2 kg, com: [0.05, 0, 0], inertia: ${inertia} } }
contacts:
  meet:
    between: [{ sphere: { on: tip, at: [0, 0.02, 0.03], radius: 0.5 } }, { capsule: { on: fin, at: [0.1, 0, 0], axis: [0.6, 0.8, 0], length: 0.1, radius: 0.4 } }]
    law: { hunt-crossley: { stiffness: 300 N/m, damping: 0.3 s/m } }
    friction: { coefficient: 0.3, at: 10 cm/s }
  knock:
    between: [{ sphere: { on: upper, radius: 0.4 } }, { sphere: { on: ball, at: [0, 0.05, 0], radius: 0.5 } }]
    law: { spring-damper: { stiffness: 200 N/m, damping: 3 N s/m } }
    friction: { coefficient: 0.5, stiffness: 100 N/m, damping: 2 N s/m }
`;

/** A rod that becomes thin and one by formula, against a plane and a capsule that move. */
const RODS = `kanegen: 1
name: rods
gravity: [1, 0, -9.81]
body-types:
  bent:
    parameters: { L: 0.3 m, R0: 12 mm }
    coordinates: { k: {} }
    volume: { rod: { s: [0, L] }, section: { disc: R0*(1 - s/(2*L)) }, density: 1000 kg/m^3 }
    strain: { bend-y: "k/L", bend-x: 0.3*k*s/L^2 }
links:
  - { name: soft, body: bent, parameters: { L: 0.25 m } }
  - { name: palm, parent: base, offset: { xyz: [0.1, 0, 0.2] }, joint: { prismatic: x }, rigid: { mass: 0.2 kg } }
  - { name: finger, joint: { revolute: y }, rigid: { mass: 0.1 kg, com: [0, 0, 0.03], inertia: ${inertia}, distal: { xyz: [0, 0, 0.05] } } }
  - { name: thin, parent: palm, body: planar-cc, parameters: { L: 0.1 m, R: 5 mm, rho: 1000 kg/m^3 } }
contacts:
  grip:
    between: [{ rod: { on: soft, points: 3 } }, { capsule: { on: finger, axis: [0, 0.6, 0.8], length: 0.1, radius: 0.3 } }]
    law: { hunt-crossley: { stiffness: 2 kN/m^2, damping: 0.5 s/m } }
    friction: { coefficient: 0.4, at: 10 cm/s }
  push:
    between: [{ plane: { on: finger, axis: [-0.8, 0, 0.6] } }, { rod: { on: thin, points: 2, radius: 0.4 } }]
    law: { spring-damper: { stiffness: 1 kN/m^2, damping: 3 N s/m^2 } }
`;

/** Of sixth order. */
function quotient(f: (h: number) => ArrayLike<number>): number[] {
  const h = 1e-3;
  const weights = [-1, 9, -45, 0, 45, -9, 1];
  const samples = weights.map((_, k) => f((k - 3) * h));
  return Array.from(samples[0]!, (_, i) => samples.reduce((s, own, k) => s + (weights[k]! * own[i]!) / (60 * h), 0));
}

const values = (count: number, phase: number, size = 1): number[] =>
  Array.from({ length: count }, (_, i) => size * Math.sin(1.7 * i + phase));
const moved = (x: readonly number[], along: readonly number[], h: number): number[] =>
  x.map((v, i) => v + h * along[i]!);
const dot = (a: ArrayLike<number>, b: ArrayLike<number>): number =>
  Array.from(a).reduce((sum, x, i) => sum + x * b[i]!, 0);

function expectClose(actual: ArrayLike<number>, expected: ArrayLike<number>, within: number): void {
  const scale = Math.max(...Array.from(expected, Math.abs));
  Array.from(expected).forEach((x, i) => expect(Math.abs(actual[i]! - x), `entry ${i}`).toBeLessThan(within * scale));
}

describe('derivatives of contacts of two moving bodies', () => {
  let robot: Robot;
  let create: () => Differentiated;
  let n: number;
  beforeAll(async () => {
    ({ robot, create } = await compiled(ARMS));
    n = robot.coordinates.length;
  });

  it('are those of difference quotients, where both pairs touch and one has a bristle', () => {
    const dynamics = create();
    const [q, qd, qdd] = [values(n, 1, 0.2), values(n, 2, 0.5), values(n, 3)];
    const [dq, dqd, dqdd] = [values(n, 4), values(n, 5), values(n, 6)];
    Object.assign(dynamics.parameters, { knock_held: 1, knock_own_x: 0.35, knock_own_z: 0.1, knock_other_x: -0.4 });
    const forces = (h: number): Float64Array => {
      const tau = new Float64Array(n);
      expect(dynamics.update(moved(q, dq, h), moved(qd, dqd, h))).toBe(KG_OK);
      expect(dynamics.activeInverseDynamics(moved(qdd, dqdd, h), tau)).toBe(KG_OK);
      return tau;
    };
    const [dtau, fluid, gap] = [new Float64Array(n), new Float64Array(n), new Float64Array(2)];
    const expected = quotient(forces);
    dynamics.update(q, qd);
    dynamics.fluid(fluid);
    dynamics.contact!(gap, null, null, null, null, null, null, null);
    expect(Math.max(...gap)).toBeLessThan(-0.05);
    expect(Math.min(...fluid.map(Math.abs))).toBeGreaterThan(0);
    expect(dynamics.inverseDynamicsTangent(1, qdd, dq, dqd, dqdd, dtau)).toBe(KG_OK);
    expectClose(dtau, expected, 1e-10);
    // Two columns of the transpose.
    const weights = [...values(n, 7), ...values(n, 8)];
    const [byQ, byQd, byQdd] = [0, 1, 2].map(() => new Float64Array(2 * n)) as [
      Float64Array,
      Float64Array,
      Float64Array,
    ];
    expect(dynamics.inverseDynamicsAdjoint!(2, qdd, weights, byQ, byQd, byQdd)).toBe(KG_OK);
    for (const from of [0, n]) {
      const part = (x: ArrayLike<number>): number[] => Array.from(x).slice(from, from + n);
      const all = dot(part(byQ), dq) + dot(part(byQd), dqd) + dot(part(byQdd), dqdd);
      expect(all).toBeCloseTo(dot(part(weights), dtau), 10);
    }
  });

  it('are verified with all others against the formulas as written', async () => {
    const { checks, passed } = await new Verification(robot, { states: 1 }).of(create());
    expect(checks.filter((check) => !check.passed)).toEqual([]);
    expect(passed).toBe(true);
  });

  it.runIf(process.env['KANEGEN_FULL'] === '1')(
    'are verified for sections of rods against bodies that move',
    async () => {
      const rods = await compiled(RODS);
      const { checks } = await new Verification(rods.robot, { states: 1 }).of(rods.create());
      expect(checks.filter((check) => !check.passed)).toEqual([]);
      expect(checks.map(({ name }) => name).some((name) => /nearest points/.test(name))).toBe(true);
    },
  );

  it('go through loops', async () => {
    const loops =
      'loops:\n  pin: { distance: { a: { on: tip }, b: { on: base, at: [0.4, 0.3, 0.2] }, length: 0.3 m } }\n';
    const closed = await compiled(`${ARMS}${loops}`);
    const own = closed.create() as Differentiated & Loops;
    const [q, qd, tau] = [values(n, 1, 0.2), values(n, 2, 0.5), values(n, 3)];
    const [dq, dqd, dtau] = [values(n, 4), values(n, 5), values(n, 6)];
    const answer = (h: number): number[] => {
      const [qdd, lambda] = [new Float64Array(n), new Float64Array(1)];
      expect(own.update(moved(q, dq, h), moved(qd, dqd, h))).toBe(KG_OK);
      expect(own.constrainedForwardDynamics(2, 3, moved(tau, dtau, h), qdd, lambda)).toBe(KG_OK);
      return [...qdd, ...lambda];
    };
    const expected = quotient(answer);
    const [qdd, lambda] = [answer(0).slice(0, n), answer(0).slice(n)];
    const [dqdd, dlambda] = [new Float64Array(n), new Float64Array(1)];
    expect(own.constrainedForwardDynamicsTangent!(1, 2, 3, qdd, lambda, dq, dqd, dtau, dqdd, dlambda)).toBe(KG_OK);
    expectClose([...dqdd, ...dlambda], expected, 1e-9);
    const [weights, ofLambda] = [values(n, 7), [0.7]];
    const [byQ, byQd, byTau] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
    const byBias = new Float64Array(1);
    expect(
      own.constrainedForwardDynamicsAdjoint!(1, 2, 3, qdd, lambda, weights, ofLambda, byQ, byQd, byTau, byBias),
    ).toBe(KG_OK);
    expect(dot(byQ, dq) + dot(byQd, dqd) + dot(byTau, dtau)).toBeCloseTo(dot(weights, dqdd) + 0.7 * dlambda[0]!, 8);
  });

  it('give equilibria and small motions: two weights on springs, one on the other', async () => {
    const [m, k, contact, g] = [0.5, 100, 2000, 9.81];
    const stack = await compiled(`kanegen: 1
name: stack
gravity: [0, 0, -${g}]
links:
  - { name: low, joint: { prismatic: z, stiffness: ${k} N/m }, rigid: { mass: ${m} kg } }
  - { name: high, parent: base, joint: { prismatic: z }, rigid: { mass: ${m} kg } }
contacts:
  rest:
    between: [{ sphere: { on: low, radius: 50 mm } }, { sphere: { on: high, radius: 50 mm } }]
    law: { spring-damper: { stiffness: ${contact} N/m } }
`);
    const dynamics = stack.create();
    const { q } = equilibrium(stack.robot, dynamics, {}, [-0.05, 0.04]);
    const low = (-2 * m * g) / k;
    expectClose(q, [low, low + 0.1 - (m * g) / contact], 1e-12);
    const { modes } = linearise(stack.robot, dynamics, { q, qd: [0, 0] });
    // m ω² of [k + c, −c; −c, c].
    const [half, root] = [k / 2 + contact, Math.sqrt((k / 2) ** 2 + contact ** 2)];
    const expected = [half - root, half + root].map((x) => Math.sqrt(x / m));
    const found = modes.map(({ imaginary }) => Math.abs(imaginary)).sort((a, b) => a - b);
    expectClose([...new Set(found.map((x) => Number(x.toPrecision(12))))], expected, 1e-10);
  });
});
