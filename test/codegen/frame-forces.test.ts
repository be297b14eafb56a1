/**
 * Formulas of frames, as energies and as actuators: closed forms, straight-line code against the driver in both languages, and derivatives.
 * `verify` holds energies and coordinates against difference quotients of what the file says.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { KanegenError } from '../../src/common/error.ts';
import { FRAME_FUNCTIONS } from '../../src/description/actuators/frame-functions.ts';
import { loadRobotText } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { dues } from '../../src/description/values/scope.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { fraction, integer, times } from '../../src/symbolic/graph/expr.ts';
import { scaleVector, type Frame } from '../../src/symbolic/graph/vector.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { evaluateRobot, termFunctions } from '../../src/verify/generated/evaluation.ts';
import { verifyRobot } from '../../src/verify/verify.ts';
import { isInstalled } from '../compilers.ts';
import { randomFrame, randomNumbers, randomVector } from '../kane/point-masses.ts';

const dynamicsOf = async (text: string, options = {}): Promise<LoadedRobot> => {
  const robot = loadRobotText(text, 'r.robot.yaml');
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot, options))))();
};

function withoutTransposes(compiled: CompiledRobot): CompiledRobot {
  const types = new Map(
    compiled.types.map((type) => [
      type,
      { ...type, kernels: type.kernels.filter(({ name }) => !name.endsWith('Adjoint')) },
    ]),
  );
  return {
    ...compiled,
    types: [...types.values()],
    links: compiled.links.map((link) => ({ ...link, type: types.get(link.type)! })),
  };
}

/** A turned base, a joint of two coordinates, a soft body, a branch; frames within a body and on the base. */
const source = `kanegen: 1
name: magnets
base: { xyz: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 0.5] }
parameters:
  Bz: { value: 0.4, runtime: true }
  k: { value: 30 N/m, runtime: true }
  L: 0.1 m
  M: 2 J
  U0: 1 J
links:
  - name: bracket
    offset: { rpy: [0.2, 0.1, -0.4] }
    joint: { universal: [x, y] }
    rigid: { mass: 0.4, com: [0, 0, 0.02], inertia: { xx: 0.001, yy: 0.001, zz: 0.0005 }, distal: { xyz: [0.02, -0.01, 0.06], rpy: [0.1, 0.4, 0.2] } }
  - { name: soft, body: planar-cc-elongation, parameters: { L: 0.2, R: 0.02, rho: 1070 } }
  - { name: grip, joint: { prismatic: [0.6, 0, 0.8] }, rigid: { mass: 0.4, com: [0, 0, 0.02], distal: { xyz: [0, 0, 0.1] } } }
  - { name: side, parent: bracket, joint: { revolute: [0, 0.6, 0.8] }, rigid: { mass: 0.3, com: [0, 0.03, 0], distal: { xyz: [0.1, 0, 0] } } }
frames:
  tool: { on: grip, offset: { xyz: [0.01, 0.02, 0.03], rpy: [0.3, -0.2, 0.5] } }
  within: { on: soft, at: { s: 0.12, y: 0.01 }, offset: { rpy: [0.4, 0, 0.2] } }
actuators:
  winch: { along: "-distance(tool, side)", unit: m }
  band: { along: "k*(distance(within, hook) - L)^2/2", frames: { hook: { on: base, at: [0.3, 0.2, 0.1] } } }
  dipole: { along: "-dot([0.3, 0, Bz], rotate(tool, [0, 0.6, 0.8])) + sin(side.angle)*0.1" }
  align: { along: "dot(rotate(tool, [0, 0, 1]), direction(tool, side)) + dot(cross(position(tool), rotate(side, [1, 0, 0])), [L, 0, 0])/(L*L)" }
  four: { along: "dot(direction(tool, side), direction(within, base))" }
forces:
  spring: { potential: "k*(distance(within, hook) - L)^2/2 + U0", frames: { hook: { on: base, at: [0.3, 0.2, 0.1] } } }
  field: { potential: "-dot(M*[0.3, 0, Bz], rotate(tool, [0, 0.6, 0.8]))" }
  pair: { potential: "k*(distance(tool, side) - L)^2" }
`;

describe.each(Object.entries(FRAME_FUNCTIONS))('%s', (name, { dimension, value }) => {
  it('has a row in docs/robot-file/forces.md', () => {
    expect(readFileSync('docs/robot-file/forces.md', 'utf8')).toMatch(new RegExp(`^\\| \`${name}\\(`, 'm'));
  });

  it('has the dimension of its value: twice as large, a robot has 2 to the power of it', () => {
    const random = randomNumbers(5);
    const [a, b, c, vector] = [randomFrame(random), randomFrame(random), randomFrame(random), randomVector(random)];
    const two = integer(2);
    const grown = ({ rotation, translation }: Frame): Frame => ({
      rotation,
      translation: scaleVector(two, translation),
    });
    const power = dimension === 'vector' ? 1 : dimension[dues.position.dimension.indexOf(1)]!;
    const radius = fraction(1, 50);
    const [small, large] = [
      value([a, b, c], { vector, radius }),
      value([grown(a), grown(b), grown(c)], { vector: scaleVector(two, vector), radius: times(two, radius) }),
    ].map((own) => evaluate([own].flat()));
    large!.forEach((x, i) => expect(x).toBeCloseTo(2 ** power * small![i]!, 12));
  });
});

describe('formulas of frames', () => {
  // Straight-line C is printed from the same programs; self-tests hold it against the driver.
  it.each([['TypeScript', 'ts'] as const, ...(process.env['KANEGEN_FULL'] === '1' ? [['C', 'c'] as const] : [])])(
    'have in straight-line %s what the driver has',
    async (_, target) => {
      if (target === 'c' && !isInstalled('cc')) return;
      const robot = loadRobotText(source, 'magnets.robot.yaml');
      const compiled = compileRobot(robot);
      const straight = compileStraight(robot, { functions: termFunctions(robot), count: generatedCost });
      const at = (k: number, size: number): number[] =>
        robot.coordinates.map(({ unit }, i) => size * Math.sin(1.3 * i + 2 * k + 0.4) * (unit === 'm' ? 0.1 : 1));
      const states = [0, 1].map((k) => ({ q: at(k, 0.3), qd: at(k + 5, 0.5), qdd: at(k + 9, 1), u: [3, -2, 1, 5, 4] }));
      const due = await evaluateRobot(robot, compiled, states, { target, precision: 'double' });
      const found = await evaluateRobot(robot, compiled, states, { target, precision: 'double', straight });
      for (const [i, own] of found.entries())
        for (const key of ['y', 'yd', 'ydd0', 'actuation', 'elastic'] as const) {
          const [a, b] = [own[key]!, due[i]![key]!];
          const largest = Math.max(...b.map(Math.abs));
          expect(largest).toBeGreaterThan(0);
          a.forEach((x, j) => expect(Math.abs(x - b[j]!), `${key} ${j}`).toBeLessThanOrEqual(2e-13 * largest));
        }
    },
  );

  it('are what the file says, with all derivatives, those by parameters in formulas and offsets included', async () => {
    const robot = loadRobotText(
      `kanegen: 1
name: bound
base: { rpy: [0.3, -0.2, 0.5] }
parameters: { k: { value: 300 N/m, runtime: true }, a: { value: 0.2 m, runtime: true }, B: { value: 0.3 J, runtime: true } }
links:
  - { name: one, joint: { revolute: y }, rigid: { mass: 0.4, com: [0, 0, 0.1], inertia: { xx: 0.001, yy: 0.001, zz: 0.0005 }, distal: { xyz: [0, 0, a] } } }
  - { name: two, joint: { revolute: x }, rigid: { mass: 0.3, com: [0, 0.02, 0.1], distal: { xyz: [0, 0, 0.2] } } }
  - { name: three, parent: one, joint: { revolute: z }, rigid: { mass: 0.3, com: [0.1, 0.02, 0.1], distal: { xyz: [0.1, 0, 0.2] } } }
forces:
  spring: { potential: "k*(distance(two, hook) - 0.5*a)^2/2", frames: { hook: { on: base, at: [a, 0.2, 0.1] } } }
  pair: { potential: "k/3*(distance(two, three) - a)^2" }
  field: { potential: "-B*dot([0.6, 0, 0.8], rotate(two, [0, 1, 0]))" }
`,
      'bound.robot.yaml',
    );
    const compiled = compileRobot(robot, { derivatives: true });
    const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
    const { checks } = await verifyRobot(robot, dynamics, { seed: 3, states: 1 });
    expect(checks.filter(({ passed }) => !passed)).toEqual([]);
    const names = checks.map(({ name }) => name).join('\n');
    for (const part of [
      'stored energy give the same elastic forces',
      'inverse_dynamics_tangent',
      'inverse_dynamics_adjoint is the transpose',
      'newton_step solves',
      'inverse_dynamics_variation, forward_dynamics_variation',
      'implicit_step_gradient',
    ])
      expect(names).toContain(part);

    // Links too large to be transposed leave changes along parameters as they are.
    const larger = (await loadGenerated(await generateTypeScript(robot, withoutTransposes(compiled))))();
    expect(larger.inverseDynamicsAdjoint).toBeUndefined();
    const [change, expected] = [new Float64Array(3), new Float64Array(3)];
    for (const [own, to] of [
      [larger, change],
      [dynamics, expected],
    ] as const) {
      expect(own.update([0.3, -0.4, 0.5], [1, 2, 3])).toBe(0);
      expect(own.inverseDynamicsVariation!(1, [1, -1, 2], [0.1, 0.2, 0.3], to)).toBe(0);
    }
    expect(change).toEqual(expected);
  });
});

describe('energies of frames in closed form', () => {
  const arm = (rest: string): string => `kanegen: 1
name: arm
gravity: [0, 0, 0]
parameters: { k: 40 N/m, L: 0.1 m, E: 0.7 J }
links:
  - { name: upper, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, 0.1], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.3] } } }
  - { name: lower, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, 0.1], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.2] } } }
${rest}`;
  const q = [0.4, -0.9];
  const energiesAndForces = (dynamics: LoadedRobot): [number, Float64Array] => {
    const [energy, elastic] = [new Float64Array(3), new Float64Array(2)];
    expect(dynamics.update(q, [0, 0])).toBe(0);
    expect(dynamics.energies(energy)).toBe(0);
    expect(dynamics.terms(null, null, elastic, null)).toBe(0);
    return [energy[2]!, elastic];
  };

  it('have no stiffness in straight-line code, as in the driver, which its self-test asks for it', () => {
    const text = arm('forces: { field: { potential: "-E*dot([0, 0, 1], rotate(lower, [0, 0, 1]))" } }\n');
    const names = compileStraight(loadRobotText(text, 'r.robot.yaml'), { count: generatedCost }).functions.map(
      ({ name }) => name,
    );
    expect(names).toContain('passiveForces');
    expect(names).not.toContain('stiffness');
  });

  it('a dipole in a field turns by m × B', async () => {
    const dynamics = await dynamicsOf(
      arm('forces: { field: { potential: "-E*dot([0, 0, 1], rotate(lower, [0, 0, 1]))" } }\n'),
    );
    const [energy, elastic] = energiesAndForces(dynamics);
    const angle = q[0]! + q[1]!;
    expect(energy).toBeCloseTo(-0.7 * Math.cos(angle), 14);
    for (const force of elastic) expect(force).toBeCloseTo(0.7 * Math.sin(angle), 14);
  });

  it('a band between links that turn against each other leaves those below alone', async () => {
    const dynamics = await dynamicsOf(
      arm(
        'frames: { pin: { on: upper, offset: { xyz: [0.05, 0, -0.1] } } }\nforces: { band: { potential: "k/2*(distance(pin, lower) - L)^2" } }\n',
      ),
    );
    const [energy, elastic] = energiesAndForces(dynamics);
    // In axes of `upper` about the joint between them: the pin, and the end of `lower`.
    const [px, pz] = [0.05, -0.1];
    const [x, z] = [0.2 * Math.sin(q[1]!), 0.2 * Math.cos(q[1]!)];
    const length = Math.hypot(x - px, z - pz);
    const slope = ((x - px) * 0.2 * Math.cos(q[1]!) - (z - pz) * 0.2 * Math.sin(q[1]!)) / length;
    expect(energy).toBeCloseTo(20 * (length - 0.1) ** 2, 14);
    expect(elastic[1]).toBeCloseTo(40 * (length - 0.1) * slope, 13);
    expect(elastic[0]).toBe(0);
  });

  it('forward dynamics and implicit steps know them, inverse dynamics leaves them out', async () => {
    const dynamics = await dynamicsOf(
      arm('forces: { field: { potential: "-E*dot([0, 0, 1], rotate(lower, [0, 0, 1]))" } }\n'),
    );
    const [tau, whole, qdd] = [new Float64Array(2), new Float64Array(2), new Float64Array(2)];
    expect(dynamics.update(q, [0.3, -0.2])).toBe(0);
    dynamics.inverseDynamics([1, 2], tau);
    dynamics.activeInverseDynamics([1, 2], whole);
    for (const [a, force] of whole.entries()) expect(force - tau[a]!).toBeCloseTo(0.7 * Math.sin(q[0]! + q[1]!), 13);
    dynamics.forwardDynamics(whole, qdd);
    expect(qdd[0]).toBeCloseTo(1, 11);
    expect(qdd[1]).toBeCloseTo(2, 11);
    const [next, rates] = [new Float64Array(2), new Float64Array(2)];
    dynamics.implicitStep(1e-3, whole, next, rates);
    expect(rates[0]).toBeCloseTo(0.3 + 1e-3, 11);
    expect(rates[1]).toBeCloseTo(-0.2 + 2e-3, 11);
  });
});

describe('mistakes in formulas of frames', () => {
  const robot = (rest: string, parameters = ''): string => `kanegen: 1
name: arm
parameters: { k: 40 N/m, L: 0.1 m${parameters} }
links:
  - { name: upper, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, 0.1], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.3] } } }
  - { name: lower, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, 0.1], inertia: { yy: 0.01 }, distal: { xyz: [0, 0, 0.2] } } }
  - { name: ring, parent: upper, joint: { revolute: z }, rigid: { mass: 1, com: [0.1, 0, 0] } }
frames: { pin: { on: upper } }
${rest}
`;
  const force = (potential: string): string => robot(`forces: { band: { potential: "${potential}" } }`);

  it.each([
    [
      'a frame that does not exist',
      'k*distance(loewr, pin)^2',
      /9:42: unknown frame `loewr`[\s\S]*did you mean `lower`/,
    ],
    [
      'a unit that does not fit',
      'k*distance(lower, pin)',
      /9:31: a potential must be an energy or a moment \(J, N m\), not a force \(N\)/,
    ],
    ['lengths added to angles', 'k*L*(distance(lower, pin) - 1)', /is added to/],
    ['a frame and itself', 'k*distance(pin, pin)^2', /9:33: distance of one frame twice[\s\S]*name different frames/],
    ['too few frames', 'k*distance(pin)^2', /distance takes 2 arguments[\s\S]*write distance\(FRAME, FRAME\)/],
    ['a coordinate', 'k*L*L*lower.angle', /`lower\.angle` is a coordinate[\s\S]*stiffness/],
    ['nothing that moves', 'k*L^2', /this potential depends on no frame/],
    ['a number for a frame', 'k*distance(pin, 3)^2', /expected the name of a frame/],
    ['a number to be turned', 'k*L^2*dot([0, 0, 1], rotate(pin, 3))', /rotate turns a vector of three entries/],
    ['a function that is none', 'k*distanz(pin, lower)^2', /unknown function `distanz`[\s\S]*did you mean `distance`/],
  ])('%s', (_, potential, message) => {
    const found = problemOf(() => loadRobotText(force(potential), 'arm.robot.yaml'));
    expect(found).toMatch(message);
  });

  it('a distance of frames that meet at the defaults', () => {
    const own = loadRobotText(force('k*(distance(pin, ring) - L)^2'), 'arm.robot.yaml');
    expect(() => compileRobot(own)).toThrow(/not finite at the default coordinates/);
  });
});

/** Place, message and remedy. */
function problemOf(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (!(error instanceof KanegenError)) throw error;
    const { location, message, remedy } = error;
    return `${location?.line}:${location?.column}: ${message}; ${remedy}`;
  }
  return 'nothing';
}
