/** Bodies under a learned map: against the same map written out as a formula, and a trained one against what it imitates. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { BodyKinematics, BodyType, NetworkKinematics, Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { CompiledRobot } from '../../src/kane/kernels/link-type.ts';
import { networkFormula } from '../../src/network/formula.ts';
import { decimal, plus, sin, square, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { addVectors, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { evaluateRobot, type Evaluation } from '../../src/verify/generated/evaluation.ts';
import { sampleNetwork } from '../network/sample-network.ts';
import { KernelInterpreter, type State } from './interpreter.ts';

const GRAVITY = [1.5, -2, -9.4];

function statesOf(n: number, size: number): State[] {
  const numbers = (amplitude: number, phase: number): number[] =>
    Array.from({ length: n }, (_, i) => amplitude * Math.sin(1.7 * i + phase));
  return [1, 2.4].map((phase) => ({ q: numbers(size, phase), qd: numbers(1, phase + 2), qdd: numbers(2, phase + 3) }));
}

/** Largest difference of two lists of numbers, relative to the largest number. */
function difference(found: readonly number[], expected: readonly number[]): number {
  expect(found.length).toBe(expected.length);
  const scale = Math.max(...expected.map(Math.abs));
  return Math.max(...found.map((value, i) => Math.abs(value - expected[i]!))) / scale;
}

// ---------------------------------------------------------------------------------------------- against a formula

const [x, y, z] = ['x', 'y', 'z'].map((name) => symbol(`material.${name}`)) as [Expr, Expr, Expr];
const [a, b] = ['a', 'b'].map((name) => symbol(`body.${name}`)) as [Expr, Expr];
const network = sampleNetwork([4, 6, 3], 'tanh');

const box = (low: string, high: string): string =>
  `{ box: { x: [-0.1 m, 0.1 m], y: [-0.1 m, 0.1 m], z: [${low}, ${high}] }, density: 900 kg/m^3 }`;

function blob(volumes: string): Robot {
  return loadRobotText(
    `kanegen: 1
name: blob
body-types:
  blob:
    summary: a box that bulges
    coordinates: { a: { unit: '1' }, b: { unit: '1' } }
    ${volumes}
    position: [x*(1 + a), y, z + b*x]
    distal: none
    integration: { method: quadrature, tolerance: 1e-4, compress: false }
links:
  - { name: one, joint: { revolute: z }, body: blob }
`,
    'blob.robot.yaml',
  );
}

function withKinematics(robot: Robot, kinematics: BodyKinematics): Robot {
  const links = robot.links.map((link) =>
    link.body.kind === 'deformable'
      ? { ...link, body: { ...link.body, type: { ...link.body.type, kinematics } satisfies BodyType } }
      : link,
  );
  return { ...robot, links };
}

/** The same map as a network in loops and as one formula. */
function bothWays(robot: Robot, inputs: readonly Expr[]): readonly [CompiledRobot, CompiledRobot] {
  // Small enough that the box does not fold.
  const scaled = {
    ...network,
    layers: network.layers.map((layer, i) =>
      i === 1
        ? { ...layer, weights: layer.weights.map((w) => 0.05 * w), biases: layer.biases.map((w) => 0.05 * w) }
        : layer,
    ),
  };
  const offset: Vector3 = [plus(x, times(decimal(0.1), square(a), y)), y, z];
  const distal = { kind: 'none' } as const;
  const learned: NetworkKinematics = { kind: 'network', network: scaled, inputs, offset, distal };
  const position = addVectors(offset, networkFormula(scaled, inputs) as unknown as Vector3);
  return [
    compileRobot(withKinematics(robot, learned)),
    compileRobot(withKinematics(robot, { kind: 'position', position, distal })),
  ];
}

const INPUTS = {
  'linear in the coordinates': [x, z, a, plus(b, y)],
  'not linear in the coordinates': [times(x, a), plus(z, square(b)), sin(plus(a, b)), y],
};

describe.each(Object.entries(INPUTS))('a learned map of inputs %s', (_, inputs) => {
  it.each([
    ['one volume', `volume: ${box('0 m', '0.3 m')}`],
    ['two volumes', `volumes: { low: ${box('0 m', '0.1 m')}, high: ${box('0.1 m', '0.3 m')} }`],
  ])('moves like the same map written as a formula, with %s', (_, volumes) => {
    const [learned, formula] = bothWays(blob(volumes), inputs).map((robot) => new KernelInterpreter(robot)) as [
      KernelInterpreter,
      KernelInterpreter,
    ];
    for (const state of statesOf(3, 0.7)) {
      const all = (robot: KernelInterpreter): number[][] => [
        robot.inverseDynamics(state, GRAVITY),
        robot.gravity(state, GRAVITY),
        robot.massMatrix(state).flat(),
        robot.energies(state, GRAVITY),
      ];
      const expected = all(formula);
      all(learned).forEach((values, i) => expect(difference(values, expected[i]!)).toBeLessThan(1e-12));
    }
  });

  it('is evaluated in loops, not written out', () => {
    const [learned] = bothWays(blob(`volume: ${box('0 m', '0.3 m')}`), inputs);
    const [type] = learned.types;
    const calls = type!.loops.flatMap((loop) => loop.networks);
    expect(calls.length).toBeGreaterThan(1);
    expect(new Set(calls.map((call) => call.network.name))).toEqual(new Set(['sample']));
  });
});

// ---------------------------------------------------------------------------------------------- the trained example

describe('the trained decoder of the examples', () => {
  /** The body that it was trained on: the constant-curvature segment in its closed form. */
  const known = `kanegen: 1
name: known
body-types:
  segment:
    summary: planar constant-curvature segment
    parameters: { L: 0.2 m, R: 20 mm, rho: 1062 kg/m^3 }
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, L] }, section: { disc: R, cartesian: [x, y] }, density: rho }
    position:
      - L*(1 - cos(q*s/L))/q + x*cos(q*s/L)
      - y
      - L*sin(q*s/L)/q - x*sin(q*s/L)
    distal: { pivot: { s: L }, x-axis: { s: L, x: R }, y-axis: { s: L, y: R } }
links:
  - { name: lower, body: segment }
  - { name: upper, body: segment }
`;
  const states = [...statesOf(2, 1.2), { q: [0, 0], qd: [1, -0.5], qdd: [0.3, 2] }];
  // Sideways, so that gravity bends the straight arm too.
  const gravity = [4, 0, -9] as const;
  let learned: Evaluation[];
  let exact: Evaluation[];
  let robot: Robot;
  let compiled: CompiledRobot;
  beforeAll(async () => {
    robot = { ...loadRobotFile('examples/learned.robot.yaml'), gravity };
    compiled = compileRobot(robot);
    const body = { ...loadRobotText(known, 'known.robot.yaml'), gravity };
    const options = { target: 'ts', precision: 'double' } as const;
    learned = await evaluateRobot(robot, compiled, states, options);
    exact = await evaluateRobot(body, compileRobot(body), states, options);
  });

  it('has the dynamics of the body that it imitates, up to the error of the fit', () => {
    learned.forEach((found, i) => {
      const expected = exact[i]!;
      // The frames are the same formulas; displacements are fitted to 2e-4 of the length, their derivatives by q to 1e-3,
      // and the errors of points cancel to a tenth of that and less in the integrals.
      expect(difference(found.tip_position, expected.tip_position)).toBeLessThan(1e-14);
      expect(difference(found.g, expected.g)).toBeLessThan(5e-5);
      expect(difference(found.M.flat(), expected.M.flat())).toBeLessThan(5e-5);
      expect(difference(found.tau, expected.tau)).toBeLessThan(5e-5);
      expect(Math.abs(found.potential_energy / expected.potential_energy - 1)).toBeLessThan(1e-4);
    });
  });

  it('agrees in C and in TypeScript', async () => {
    const inC = await evaluateRobot(robot, compiled, states, { target: 'c', precision: 'double' });
    inC.forEach((found, i) => {
      const expected = learned[i]!;
      expect(difference(found.tau, expected.tau)).toBeLessThan(1e-13);
      expect(difference(found.M.flat(), expected.M.flat())).toBeLessThan(1e-13);
      expect(difference(found.c, expected.c)).toBeLessThan(1e-12);
    });
  });

  it('is the same network in both formats', () => {
    const text = (format: string): Robot =>
      loadRobotText(
        `kanegen: 1
name: other
body-types:
  segment:
    summary: learned
    coordinates: { q: { unit: rad } }
    volume: { rod: { s: [0, 1 m] }, section: { disc: 1 m, cartesian: [x, y] }, density: 1 kg/m^3 }
    network: { file: examples/learned/segment.${format}, inputs: [s, x, q] }
    distal: none
links: [ { name: one, body: segment } ]
`,
        'other.robot.yaml',
      );
    const networkIn = (format: string): NetworkKinematics['network'] => {
      const { body } = text(format).links[0]!;
      if (body.kind !== 'deformable' || body.type.kinematics.kind !== 'network') throw new Error('not learned');
      return body.type.kinematics.network;
    };
    expect(networkIn('onnx').layers).toEqual(networkIn('safetensors').layers);
  });
});

describe('a contact area on a learned body', () => {
  it('is refused, as it does not stay rigid', () => {
    const robot = blob(`volume: ${box('0 m', '0.3 m')}`);
    const pivot = new Map();
    const kinematics: NetworkKinematics = {
      kind: 'network',
      network,
      inputs: [x, y, z, a],
      offset: [x, y, z],
      distal: { kind: 'contact', contact: { pivot, axes: { x: pivot, y: pivot } } },
    };
    expect(() => compileRobot(withKinematics(robot, kinematics))).toThrow(/does not keep three points/);
  });
});
