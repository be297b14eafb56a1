/** Changes along directions, and their transposes, of bodies under learned maps: against the same map written as a formula. */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotText } from '../../src/description/load.ts';
import type { BodyKinematics, BodyType, Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { networkFormula } from '../../src/network/formula.ts';
import { KG_OK, type Derivatives, type Dynamics } from '../../src/runtime/driver.ts';
import { decimal, plus, sin, square, symbol, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import { addVectors, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { sampleNetwork } from '../network/sample-network.ts';

/** A box of two volumes that bulges and leans, skew on a link that turns; how much it bulges is a run-time parameter. */
const ROBOT = `
kanegen: 1
name: blob
parameters: { bulge: { value: 0.1, runtime: true } }
body-types:
  blob:
    parameters: { k: 0.1 }
    coordinates: { a: { unit: '1' }, b: { unit: '1' } }
    volumes:
      low: { box: { x: [-0.1 m, 0.1 m], y: [-0.1 m, 0.1 m], z: [0 m, 0.1 m] }, density: 900 kg/m^3 }
      high: { box: { x: [-0.1 m, 0.1 m], y: [-0.1 m, 0.1 m], z: [0.1 m, 0.2 m] }, density: 400 kg/m^3 }
    position: [x*(1 + k*a), y, z + b*x]
    distal: none
    integration: { method: quadrature, tolerance: 1e-3, compress: false }
links:
  - name: arm
    joint: { revolute: y }
    rigid: { mass: 1 kg, com: [0.1, 0, 0.02], inertia: { xx: 0.01, yy: 0.02, zz: 0.02 }, distal: { xyz: [0.2, 0, 0.1] } }
  - { name: one, joint: { revolute: z }, mount: { rpy: [0.3, -0.2, 0.5] }, body: blob, parameters: { k: bulge } }
`;

const [x, y, z] = ['x', 'y', 'z'].map((name) => symbol(`material.${name}`)) as [Expr, Expr, Expr];
const [a, b] = ['a', 'b'].map((name) => symbol(`body.${name}`)) as [Expr, Expr];

const robot = loadRobotText(ROBOT, 'blob.robot.yaml');
const n = robot.coordinates.length;

type Differentiable = Dynamics & Derivatives;

/** The robot with another map of its body. */
async function loaded(kinematicsOf: (type: BodyType) => BodyKinematics): Promise<Differentiable> {
  const links = robot.links.map((link) => {
    if (link.body.kind !== 'deformable') return link;
    const { type } = link.body;
    return { ...link, body: { ...link.body, type: { ...type, kinematics: kinematicsOf(type) } } };
  });
  const own: Robot = { ...robot, links };
  const compiled = compileRobot(own, { derivatives: true });
  return (await loadGenerated(await generateTypeScript(own, compiled)))() as Differentiable;
}

const numbers = (count: number, phase: number): number[] =>
  Array.from({ length: count }, (_, i) => 0.6 * Math.sin(1.7 * i + phase));
const [q, qd, qdd, dq, dqd, dqdd, weights] = [1, 2, 3, 4, 5, 6, 7].map((phase) => numbers(n, phase)) as [
  number[],
  number[],
  number[],
  number[],
  number[],
  number[],
  number[],
];

describe.each(['tanh', 'sine'] as const)('a learned map of %s', (activation) => {
  let learned: Differentiable;
  let formula: Differentiable;

  beforeAll(async () => {
    const sample = sampleNetwork([4, 6, 3], activation);
    const small = (values: Float64Array): Float64Array => values.map((value) => 0.05 * value);
    // Small enough that the box does not fold.
    const layers = sample.layers.map((layer, i) =>
      i === 1 ? { ...layer, weights: small(layer.weights), biases: small(layer.biases) } : layer,
    );
    const network = { ...sample, layers, hash: activation };
    const inputs = [times(x, a), plus(z, square(b)), sin(plus(a, b)), y];
    const distal = { kind: 'none' } as const;
    const offset = (type: BodyType): Vector3 => {
      const k = type.parameters.find(({ name }) => name === 'k')!.symbol;
      return [plus(x, times(k, square(a), y), times(decimal(0.3), k)), y, z];
    };
    learned = await loaded((type) => ({ kind: 'network', network, inputs, offset: offset(type), distal }));
    formula = await loaded((type) => ({
      kind: 'position',
      position: addVectors(offset(type), networkFormula(network, inputs) as unknown as Vector3),
      distal,
    }));
  });

  function expectSame(compute: (dynamics: Differentiable) => readonly Float64Array[]): void {
    const [found, expected] = [compute(learned), compute(formula)].map((lists) => lists.flatMap((list) => [...list]));
    const scale = Math.max(...expected!.map(Math.abs));
    expect(scale).toBeGreaterThan(1e-3);
    expected!.forEach((value, i) => expect(Math.abs(found![i]! - value), `entry ${i}`).toBeLessThan(2e-12 * scale));
  }

  it('changes along coordinates, rates and accelerations', () => {
    expectSame((dynamics) => {
      const out = new Float64Array(2 * n);
      dynamics.update(q, qd);
      const [two, one] = [
        [...dq, ...dqd],
        [...dqd, ...dqdd],
      ];
      expect(dynamics.inverseDynamicsTangent(2, qdd, two, one, null, out)).toBe(KG_OK);
      return [out];
    });
  });

  it('changes along run-time parameters', () => {
    expectSame((dynamics) => {
      const out = new Float64Array(n);
      dynamics.update(q, qd);
      expect(dynamics.inverseDynamicsVariation!(1, qdd, [1], out)).toBe(KG_OK);
      return [out];
    });
  });

  it('has the transpose', () => {
    expectSame((dynamics) => {
      const [byQ, byQd, byQdd] = [0, 1, 2].map(() => new Float64Array(n)) as [Float64Array, Float64Array, Float64Array];
      dynamics.update(q, qd);
      expect(dynamics.inverseDynamicsAdjoint!(1, qdd, weights, byQ, byQd, byQdd)).toBe(KG_OK);
      return [byQ, byQd, byQdd];
    });
  });

  it('solves Newton steps of its tangent', () => {
    expectSame((dynamics) => {
      const out = new Float64Array(n);
      dynamics.update(q, qd);
      expect(dynamics.newtonStep(20, 500, qdd, [], weights, out)).toBe(KG_OK);
      return [out];
    });
  });

  it('moves like the same map, so that the above compares what it should', () => {
    expectSame((dynamics) => {
      const tau = new Float64Array(n);
      dynamics.update(q, qd);
      dynamics.inverseDynamics(qdd, tau);
      return [tau];
    });
  });
});
