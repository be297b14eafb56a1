/**
 * Derivatives where two bodies that move press against each other: against difference quotients of D'Alembert's principle in 50 digits, of
 * accelerations with loops, of a closed solution at rest; transposes against tangents; C against TypeScript by its self-test.
 */
import { Decimal } from 'decimal.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { bristleParameters } from '../../src/description/model/contact.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { KG_OK, type Derivatives, type Loops } from '../../src/runtime/driver.ts';
import { equilibrium } from '../../src/simulation/equilibria/statics.ts';
import { linearise } from '../../src/simulation/small-motions/linearise.ts';
import type { AlembertResult } from '../../src/verify/independent/alembert-result.ts';
import { prepareAlembert } from '../../src/verify/independent/alembert.ts';
import { Verification } from '../../src/verify/verify.ts';
import { isInstalled, QUICK } from '../compilers.ts';

type Differentiated = LoadedRobot & Derivatives;

const compiled = async (text: string): Promise<{ robot: Robot; create: () => Differentiated }> => {
  const robot = loadRobotText(text, 'touching.robot.yaml');
  const files = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
  return { robot, create: (await loadGenerated(files)) as () => Differentiated };
};

const inertia = '{ xx: 2e-3, yy: 3e-3, zz: 1e-3 }';
/** An arm whose soft link carries a shape, a ball that slips and one that sticks; parameters of law, shape, joint and body. */
const ARMS = `kanegen: 1
name: arms
gravity: [1, 2, -9]
parameters: { k: { value: 300 N/m, runtime: true }, mu: { value: 0.3, runtime: true }, reach: { value: 30 mm, runtime: true }, span: { value: 0.3 m, runtime: true }, L: { value: 0.2 m, runtime: true } }
links:
  - { name: upper, joint: { revolute: y }, rigid: { mass: 1 kg, com: [0, 0, 0.1], inertia: ${inertia}, distal: { xyz: [0, 0, span] } } }
  - { name: crank, joint: { revolute: x }, rigid: { mass: 0.1 kg, distal: { xyz: [0, 0, 0.1] } } }
  - { name: soft, body: planar-cc, parameters: { L: L, R: 20 mm, rho: 1000 kg/m^3 } }
  - { name: tip, rigid: { mass: 0.5 kg, com: [0.01, 0.02, 0.1], inertia: ${inertia} } }
  - { name: ball, parent: base, joint: { prismatic: [0.6, 0, 0.8] }, offset: { xyz: [0.3, 0.1, 0.3] }, rigid: { mass: 0.3 kg, inertia: ${inertia} } }
  - { name: fin, parent: ball, joint: { revolute: z }, rigid: { mass: 0.2 kg, com: [0.05, 0, 0], inertia: ${inertia} } }
contacts:
  meet:
    between: [{ sphere: { on: tip, at: [0, 0.02, reach], radius: 0.5 } }, { capsule: { on: fin, at: [0.1, 0, 0], axis: [0.6, 0.8, 0], length: 0.1, radius: 0.4 } }]
    law: { hunt-crossley: { stiffness: k, damping: 0.3 s/m } }
    friction: { coefficient: mu, at: 10 cm/s }
  knock:
    between: [{ sphere: { on: upper, radius: 0.4 } }, { sphere: { on: ball, at: [0, 0.05, 0], radius: 0.5 } }]
    law: { spring-damper: { stiffness: 200 N/m, damping: 3 N s/m } }
    friction: { coefficient: 0.5, stiffness: 100 N/m, damping: 2 N s/m }
`;

/** As few links as move: C has the functions of those above. */
const PAIR = `kanegen: 1
name: pair
parameters: { k: { value: 300 N/m, runtime: true }, span: { value: 0.3 m, runtime: true } }
links:
  - { name: upper, joint: { revolute: y }, rigid: { mass: 1 kg, com: [0, 0, 0.1], inertia: ${inertia}, distal: { xyz: [0, 0, span] } } }
  - { name: ball, parent: base, joint: { prismatic: [0.6, 0, 0.8] }, rigid: { mass: 0.3 kg } }
contacts:
  meet:
    between: [{ sphere: { on: upper, radius: 0.3 } }, { sphere: { on: ball, radius: 0.4 } }]
    law: { hunt-crossley: { stiffness: k, damping: 0.3 s/m } }
    friction: { coefficient: 0.5, stiffness: 100 N/m, damping: 2 N s/m }
`;

/** A rod that becomes thin and one by formula, against a plane and a capsule that move. */
const RODS = `kanegen: 1
name: rods
gravity: [1, 0, -9.81]
parameters: { span: { value: 0.25 m, runtime: true } }
body-types:
  bent:
    parameters: { L: 0.3 m, R0: 12 mm }
    coordinates: { k: {} }
    volume: { rod: { s: [0, L] }, section: { disc: R0*(1 - s/(2*L)) }, density: 1000 kg/m^3 }
    strain: { bend-y: "k/L", bend-x: 0.3*k*s/L^2 }
links:
  - { name: soft, body: bent, parameters: { L: span } }
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

/** Of sixth order, of D'Alembert's principle, at steps that are exact in binary. */
function precise(principle: (h: number) => AlembertResult): number[] {
  const h = 2 ** -10;
  const results = [-1, 9, -45, 0, 45, -9, 1].map((weight, k) => {
    const { torque, elastic, damping, fluid } = principle((k - 3) * h);
    return torque.map((x, a) => x.plus(elastic[a]!).plus(damping[a]!).plus(fluid[a]!).times(weight));
  });
  return results[0]!.map((_, a) => Number(Decimal.sum(...results.map((own) => own[a]!))) / (60 * h));
}

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

/** Holds the bristle where its balls touch: there the principle knows arcs as generated code does, which approximates them. */
function hold(robot: Robot, dynamics: LoadedRobot): Record<string, number> {
  const bristles = new Float64Array(14);
  expect(dynamics.contact!(null, null, null, null, null, null, null, bristles)).toBe(KG_OK);
  for (const { name, index } of bristleParameters(robot))
    (dynamics.parameters as Record<string, number>)[name] = bristles[index]!;
  return { ...(dynamics.parameters as Record<string, number>) };
}

describe('derivatives of contacts of two moving bodies', () => {
  let robot: Robot;
  let create: () => Differentiated;
  let n: number;
  beforeAll(async () => {
    ({ robot, create } = await compiled(ARMS));
    n = robot.coordinates.length;
  });

  it('are those of quotients in 50 digits, where both pairs touch and one has a bristle', () => {
    const dynamics = create();
    const [q, qd, qdd] = [values(n, 1, 0.2), values(n, 2, 0.5), values(n, 3)];
    const [dq, dqd, dqdd] = [values(n, 4), values(n, 5), values(n, 6)];
    const [dtau, fluid, gap] = [new Float64Array(n), new Float64Array(n), new Float64Array(2)];
    dynamics.update(q, qd);
    const principle = prepareAlembert(robot, hold(robot, dynamics));
    const expected = precise((h) =>
      principle.evaluate({ q: moved(q, dq, h), qd: moved(qd, dqd, h), qdd: moved(qdd, dqdd, h) }),
    );
    dynamics.update(q, qd);
    dynamics.fluid(fluid);
    dynamics.contact!(gap, null, null, null, null, null, null, null);
    expect(Math.max(...gap)).toBeLessThan(-0.05);
    expect(Math.min(...fluid.map(Math.abs))).toBeGreaterThan(0);
    expect(dynamics.inverseDynamicsTangent(1, qdd, dq, dqd, dqdd, dtau)).toBe(KG_OK);
    expectClose(dtau, expected, 1e-11);
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

  it('are those of quotients along parameters of laws, shapes, joints, bodies and bristles', () => {
    const dynamics = create();
    const state = { q: values(n, 1, 0.2), qd: values(n, 2, 0.5), qdd: values(n, 3) };
    dynamics.update(state.q, state.qd);
    const held = hold(robot, dynamics);
    const names = robot.parameters.map(({ name }) => name);
    const p = names.map((name) => held[name]!);
    const isOfBristle = (name: string): boolean => name.startsWith('knock');
    const moves = (name: string): boolean => name === 'span' || name === 'L';
    const dp = names.map((name, i) =>
      name === 'knock_held' ? 0 : (isOfBristle(name) ? 0.02 : 0.1 * p[i]!) * Math.sin(1 + i),
    );
    // Law and shape, what moves them, and bristles, of whose arcs beside the surface the principle has no derivatives.
    const groups = [(name: string) => !moves(name) && !isOfBristle(name), moves, isOfBristle];
    for (const chosen of groups) {
      const along = dp.map((x, i) => (chosen(names[i]!) ? x : 0));
      const at = (h: number): Record<string, number> =>
        Object.fromEntries(moved(p, along, h).map((x, i) => [names[i]!, x]));
      const forces = (h: number): Float64Array => {
        const tau = new Float64Array(n);
        Object.assign(dynamics.parameters, at(h));
        expect(dynamics.update(state.q, state.qd)).toBe(KG_OK);
        expect(dynamics.activeInverseDynamics(state.qdd, tau)).toBe(KG_OK);
        return tau;
      };
      const isPrecise = chosen !== isOfBristle;
      const expected = isPrecise ? precise((h) => prepareAlembert(robot, at(h)).evaluate(state)) : quotient(forces);
      const within = isPrecise ? 1e-11 : 1e-10;
      forces(0);
      const [dtau, dqdd, force] = [0, 1, 2].map(() => new Float64Array(n)) as [
        Float64Array,
        Float64Array,
        Float64Array,
      ];
      expect(dynamics.inverseDynamicsVariation!(1, state.qdd, along, dtau)).toBe(KG_OK);
      expectClose(dtau, expected, within);
      // Accelerations change by what they take off of the forces.
      expect(dynamics.forwardDynamicsVariation!(1, state.qdd, along, dqdd)).toBe(KG_OK);
      expect(dynamics.inverseDynamicsTangent(1, state.qdd, null, null, [...dqdd], force)).toBe(KG_OK);
      expectClose(
        force.map((x) => -x),
        expected,
        within,
      );
      // The transpose: of a step of no length, whose weights of forces are M⁻¹ times its seeds.
      const seed = values(n, 7);
      const [byTau, byQ, byQd] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
      const byP = new Float64Array(p.length);
      expect(dynamics.implicitStepGradient!(1e-9, state.qdd, [], seed, byTau, byQ, byQd, byP)).toBe(KG_OK);
      expect(dot(byP, along) / dot(byTau, expected)).toBeCloseTo(1, 9);
    }
  });

  it.runIf(isInstalled('cc'))('are the same in C', async () => {
    const pair = loadRobotText(PAIR, 'pair.robot.yaml');
    const names = ['inverse-dynamics-variation', 'implicit-step-gradient'];
    const chosen = chooseFunctions(pair, compileRobot(pair, { derivatives: true }), names);
    const program = await buildC(await generateC(pair, chosen), QUICK);
    try {
      expect(await runProgram(program)).toBe('pair: ok\n');
    } finally {
      await program.dispose();
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
