/** Straight-line functions of robots with joints whose motions share coordinates, against the same by the kernels. */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import type { Joint, Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { inverseDynamicsDerivatives } from '../../src/straight/functions/derivatives.ts';
import { frameTreeOf } from '../../src/straight/mechanism/frame-tree.ts';
import { mechanismOf } from '../../src/straight/mechanism/mechanism.ts';
import { gravityForces, inverseDynamics, massMatrix } from '../../src/straight/functions/trace.ts';
import { differentiateAll } from '../../src/symbolic/graph/differentiate.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, negate, plus, symbol, times, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import { unitVectors, type Vector3 } from '../../src/symbolic/graph/vector.ts';
import { KernelInterpreter } from '../kane/interpreter.ts';
import { randomNumbers } from '../kane/point-masses.ts';

/** Both coordinates of the joint move each of its three motions. */
function mixed(robot: Robot): Robot {
  const links = robot.links.map((link) => {
    const coordinates = [0, 1].map((i) => ({ ...link.joint.coordinates[i]!, symbol: symbol(`joint.mixed${i}`) }));
    const [a, b] = coordinates.map((c) => c.symbol) as [Expr, Expr];
    const joint: Joint = {
      type: 'mixed',
      coordinates,
      motions: [
        { kind: 'rotation', axis: unitVectors[2], angle: plus(a, times(decimal(0.5), b)) },
        { kind: 'translation', displacement: [times(decimal(0.7), a), times(a, b), b] },
        { kind: 'rotation', axis: [decimal(0.6), zero, decimal(0.8)], angle: plus(b, times(decimal(-0.3), a)) },
      ],
    };
    return { ...link, joint };
  });
  return { ...robot, links };
}

const rigid = (k: number) => ({
  rigid: {
    mass: 1 + k,
    com: [0.1 * k, -0.2, 0.3],
    inertia: { about: 'com', xx: 0.5, yy: 0.6, zz: 0.7, xy: 0.05, xz: -0.04, yz: 0.03 * k },
    distal: { xyz: [0.2, 0.3 * k, -0.1], rpy: [`${20 * k} deg`, '30 deg', 0] },
  },
});

const robot = mixed(
  loadRobotObject({
    kanegen: 1,
    name: 'mixed',
    links: [1, 2].map((k) => ({ name: `l${k}`, joint: { universal: ['x', 'y'] }, ...rigid(k) })),
  }),
);
const gravity = [1.5, -2.5, -9];
const base = gravity.map((g) => negate(decimal(g))) as unknown as Vector3;
const tree = frameTreeOf(mechanismOf(robot));
const random = randomNumbers(5);
const values = (): number[] => tree.symbols.q.map(() => random());
const state = { q: values(), qd: values(), qdd: values() };
const bindings = new Map<Expr, number>(
  (['q', 'qd', 'qdd'] as const).flatMap((set) => tree.symbols[set].map((s, i): [Expr, number] => [s, state[set][i]!])),
);
const kernels = new KernelInterpreter(compileRobot(robot));

function expectClose(actual: readonly Expr[], expected: readonly number[]): void {
  const numbers = evaluate(actual, bindings);
  const scale = Math.max(...expected.map(Math.abs));
  numbers.forEach((value, i) => expect(Math.abs(value - expected[i]!), `entry ${i}`).toBeLessThan(1e-12 * scale));
}

describe('a joint whose motions share coordinates', () => {
  it('has the same forces, weight and mass matrix in one function as link by link', () => {
    expectClose(inverseDynamics(tree, base), kernels.inverseDynamics(state, gravity));
    expectClose(gravityForces(tree, base), kernels.gravity(state, gravity));
    expectClose(massMatrix(tree).flat(), kernels.massMatrix(state).flat());
  });

  it('has derivatives of inverse dynamics that are those of the expressions', () => {
    const { torque, byPosition, byVelocity } = inverseDynamicsDerivatives(tree, base);
    const tau = inverseDynamics(tree, base);
    expectClose(torque, evaluate(tau, bindings));
    const derivative = (of: readonly Expr[]): number[] => {
      const columns = of.map((s) => evaluate(differentiateAll(tau, s), bindings));
      return tau.flatMap((_, i) => columns.map((column) => column[i]!));
    };
    expectClose(byPosition.flat(), derivative(tree.symbols.q));
    expectClose(byVelocity.flat(), derivative(tree.symbols.qd));
  });
});
