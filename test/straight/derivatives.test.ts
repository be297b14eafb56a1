/**
 * The recursive derivatives against central difference quotients of τ in fifty digits. τ is traced over the mechanism as
 * given, the derivatives over its normal form with lumped masses, so that neither rewriting can hide a mistake.
 */
import { describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/description/load.ts';
import { inverseDynamicsDerivatives } from '../../src/straight/functions/derivatives.ts';
import { frameTreeOf, parallelFrames, type FrameTree } from '../../src/straight/mechanism/frame-tree.ts';
import { lump } from '../../src/straight/mechanism/lump.ts';
import { mechanismOf, type Mechanism } from '../../src/straight/mechanism/mechanism.ts';
import { normalForm } from '../../src/straight/mechanism/normal-form.ts';
import { inverseDynamics } from '../../src/straight/functions/trace.ts';
import { countOperations, totalOperations } from '../../src/symbolic/graph/cost.ts';
import { decimalOfPrecision, evaluateDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { decimal, zero, type Expr } from '../../src/symbolic/graph/expr.ts';
import type { Vector3 } from '../../src/symbolic/graph/vector.ts';

const Precise = decimalOfPrecision(50);
type Decimal = InstanceType<typeof Precise>;
const STEP = new Precise('1e-14');

/** −gravity, along no axis of any frame. */
const LIFT: Vector3 = [decimal(1.3), decimal(-0.7), decimal(9.5)];

const rigid = (mass: number, com: readonly number[], distal: object = {}): object => ({
  mass,
  com,
  inertia: { xx: 0.031 * mass, yy: 0.024 * mass, zz: 0.027 * mass, xy: 0.002, xz: -0.003, yz: 0.004 },
  distal,
});
const DH = (d: number, a: number, alpha: string): object => ({ dh: { d, a, alpha } });

const mechanismFrom = (...links: readonly object[]): Mechanism =>
  mechanismOf(loadRobotObject({ kanegen: 1, name: 'robot', links }));

function state(tree: FrameTree): Map<Expr, Decimal> {
  const values = new Map<Expr, Decimal>();
  const { q, qd, qdd } = tree.symbols;
  [q, qd, qdd].forEach((set, kind) =>
    set.forEach((symbol, i) => values.set(symbol, new Precise(Math.sin(1.7 * i + kind + 0.3)))),
  );
  return values;
}

/** Central differences of τ by each of `variables`, as n × n rows; the error is that of the third derivative, some 1e-28. */
function differenceQuotients(torque: readonly Expr[], variables: readonly Expr[], at: Map<Expr, Decimal>): Decimal[][] {
  const columns = variables.map((variable) => {
    const [above, below] = [STEP, STEP.neg()].map((step) =>
      evaluateDecimal(torque, new Map(at).set(variable, at.get(variable)!.plus(step)), Precise),
    );
    return above!.map((value, i) => value.minus(below![i]!).div(STEP.times(2)));
  });
  return torque.map((_, row) => columns.map((column) => column[row]!));
}

function largestDifference(exprs: readonly (readonly Expr[])[], expected: Decimal[][], at: Map<Expr, Decimal>): number {
  const values = evaluateDecimal(exprs.flat(), at, Precise);
  return Math.max(...expected.flat().map((e, i) => e.minus(values[i]!).abs().toNumber()));
}

function expectExact(given: FrameTree, tree: FrameTree): void {
  const at = state(given);
  const torque = inverseDynamics(given, LIFT);
  const derived = inverseDynamicsDerivatives(tree, LIFT);
  const { q, qd } = given.symbols;
  expect(largestDifference(derived.byPosition, differenceQuotients(torque, q, at), at)).toBeLessThan(1e-22);
  expect(largestDifference(derived.byVelocity, differenceQuotients(torque, qd, at), at)).toBeLessThan(1e-22);
}

const normal = (mechanism: Mechanism): Mechanism => lump(normalForm(mechanism, 'before'), 'second-moment');

const ARM: readonly object[] = [
  { name: 'a', joint: { revolute: 'z' }, rigid: rigid(3, [0.1, 0.02, -0.03], DH(0.3, 0.1, '90 deg')) },
  { name: 'b', joint: { revolute: 'z' }, rigid: rigid(2, [0.2, -0.01, 0.05], DH(0, 0.4, '0 deg')) },
  { name: 'c', joint: { revolute: 'z' }, rigid: rigid(1.5, [0.15, 0.03, 0.01], DH(0.1, 0.3, '-90 deg')) },
  { name: 'd', joint: { revolute: 'z' }, rigid: rigid(0.8, [0.01, 0.02, 0.06], DH(0.2, 0, '37 deg')) },
  { name: 'e', joint: { revolute: 'z' }, rigid: rigid(0.4, [0.02, -0.03, 0.04]) },
];
const mechanisms: Record<string, readonly object[]> = {
  'an arm of revolute joints': ARM,
  'sliding joints between turning ones': [
    ARM[0]!,
    { name: 'rail', joint: { prismatic: 'y' }, rigid: rigid(1, [0.1, 0.2, 0.05], { xyz: [0.1, 0, 0.2] }) },
    ARM[1]!,
    { name: 'ram', joint: { prismatic: 'z' }, rigid: rigid(0.7, [0.02, 0.01, 0.3]) },
  ],
  'joints of several coordinates and a screw': [
    { name: 'ball', joint: { spherical: {} }, rigid: rigid(1, [0.1, 0.2, 0.05], { xyz: [0.1, 0, 0.2] }) },
    { name: 'screw', joint: { helical: { axis: 'x', pitch: '40 mm' } }, rigid: rigid(0.7, [0.02, 0.01, 0.3]) },
    { name: 'gimbal', joint: { universal: {} }, rigid: rigid(0.5, [0.2, 0.01, 0.1]) },
  ],
  'branches on one link': [
    ...ARM.slice(0, 2),
    { name: 'left', parent: 'b', joint: { revolute: 'x' }, rigid: rigid(0.9, [0.1, 0, 0.2], { xyz: [0.2, 0.1, 0] }) },
    { name: 'finger', parent: 'left', joint: { prismatic: 'z' }, rigid: rigid(0.2, [0.01, 0.02, 0.1]) },
    { name: 'right', parent: 'b', joint: { revolute: 'y' }, rigid: rigid(0.6, [0.1, 0.2, 0]) },
    { name: 'root', parent: 'base', joint: { revolute: 'x' }, rigid: rigid(0.6, [0.1, 0.2, 0]) },
  ],
  'planar constant curvature': [{ name: 'soft', body: 'planar-cc', repeat: 3 }],
  'spatial constant curvature on a turning base, with a tool': [
    ARM[0]!,
    { name: 'soft', body: 'pcc-3d' },
    { name: 'tool', rigid: rigid(0.3, [0.01, -0.02, 0.05]) },
  ],
  'six constant strains between rigid bodies': [
    ARM[0]!,
    { name: 'rod', body: 'pcs' },
    { name: 'tool', rigid: rigid(0.3, [0.01, -0.02, 0.05]) },
  ],
  'a soft body that carries two arms': [
    { name: 'trunk', body: 'planar-cc-elongation' },
    { name: 'left', parent: 'trunk', joint: { revolute: 'x' }, rigid: rigid(0.2, [0.1, 0.02, 0.05]) },
    { name: 'right', parent: 'trunk', body: 'planar-cc' },
  ],
};

describe('derivatives of inverse dynamics', () => {
  it.each(Object.entries(mechanisms))(
    'agree with difference quotients for %s',
    (_, links) => {
      const mechanism = mechanismFrom(...links);
      expectExact(frameTreeOf(mechanism), frameTreeOf(normal(mechanism)));
    },
    60_000,
  );

  it('stay the same when frames keep the axes from before their joints', () => {
    const mechanism = normal(mechanismFrom(...ARM));
    const parallel = parallelFrames(mechanism);
    expect(parallel.size).toBe(2);
    expectExact(frameTreeOf(mechanism), frameTreeOf(mechanism, parallel));
    expectExact(frameTreeOf(mechanism), frameTreeOf(mechanism, new Set(mechanism.frames.keys())));
  });

  it('share the torque of the recursion itself', () => {
    const tree = frameTreeOf(normal(mechanismFrom(...ARM)));
    const { torque } = inverseDynamicsDerivatives(tree, LIFT);
    inverseDynamics(tree, LIFT).forEach((e, i) => expect(torque[i]).toBe(e));
  });

  it('vanish between branches', () => {
    const links = mechanisms['branches on one link']!;
    const { byPosition, byVelocity } = inverseDynamicsDerivatives(frameTreeOf(mechanismFrom(...links)), LIFT);
    const [left, right, root] = [2, 4, 5] as const;
    for (const [i, j] of [
      [left, right],
      [right, left],
      [root, 0],
      [0, root],
      [root, left],
    ] as const) {
      expect(byPosition[i]![j]).toBe(zero);
      expect(byVelocity[i]![j]).toBe(zero);
    }
  });

  it('cost in proportion to links times depth', () => {
    const costOf = (count: number): number => {
      const tree = frameTreeOf(mechanismFrom({ name: 'soft', body: 'planar-cc', repeat: count }));
      const { byPosition, byVelocity } = inverseDynamicsDerivatives(tree, LIFT);
      return totalOperations(countOperations([...byPosition.flat(), ...byVelocity.flat()], () => false));
    };
    // Second differences of a polynomial of degree two are constant from where the base no longer matters.
    const costs = [3, 4, 5, 6].map(costOf);
    const second = [2, 3].map((i) => costs[i]! - 2 * costs[i - 1]! + costs[i - 2]!);
    expect(second[1]).toBe(second[0]);
    expect(second[0]).toBeLessThan(costs[0]! / 5);
  });
});
