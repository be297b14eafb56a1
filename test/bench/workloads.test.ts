/** The robots that are counted and timed are the ones that the README of the bench describes. */
import { describe, expect, it } from 'vitest';
import {
  planarChain,
  planarConstantCurvature,
  planarConstantStrain,
  stateVectors,
  workloads,
} from '../../bench/workloads.ts';
import type { RigidBody } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { evaluate } from '../../src/symbolic/evaluation/evaluate.ts';
import { isZero } from '../../src/symbolic/graph/expr.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';

const workload = (name: string) => workloads.find((w) => w.name === name)!;

describe('workloads', () => {
  it('have names of their own and load', () => {
    const names = workloads.map((w) => w.name);
    expect(new Set(names).size).toBe(names.length);
    for (const { name, robot } of workloads) expect(robot().name).toBe(name);
  });

  it('keep run-time parameters where they are symbols, and nowhere else', () => {
    for (const { keepGravity, robot } of workloads) expect(robot().parameters.length > 0).toBe(keepGravity);
    expect(
      planarChain(4)
        .robot()
        .parameters.map((p) => p.name),
    ).toEqual(['m', 'l', 'J']);
    expect(planarConstantStrain(3).robot().parameters).toHaveLength(9);
  });

  it('with torques of another program reproduce them', async () => {
    const checked = workloads.filter((w) => w.torques);
    expect(checked.map((w) => w.name)).toEqual(['ur10e-full-tensors']);
    for (const { robot, state, torques } of checked) {
      const built = robot();
      const vectors = stateVectors(state, built.coordinates.length);
      const [result] = await evaluateRobot(built, compileRobot(built), [vectors], {
        target: 'ts',
        precision: 'double',
      });
      result!.tau.forEach((tau, i) => expect(Math.abs(tau / torques![i]! - 1)).toBeLessThan(1e-7));
    }
  });

  it.each(['ur10e-full-tensors', 'puma560-ten-parameters'])(
    '%s: no mass, centre of mass or inertia is zero',
    (name) => {
      for (const { body } of workload(name).robot().links) {
        const { mass, inertia } = body as RigidBody;
        expect([mass, ...inertia].some(isZero)).toBe(false);
      }
    },
  );

  it('ur10e-full-tensors has tensors 0.1 m [[0.03 + 0.01 (i - 1), 0.001, 0.002], …] about the centres of mass', () => {
    for (const [i, { body }] of workload('ur10e-full-tensors').robot().links.entries()) {
      const { mass, inertia, distal } = body as RigidBody;
      const R = evaluate(distal.rotation);
      const [m, xx, yy, zz, xy, xz, yz] = evaluate([mass, ...inertia]);
      // Rᵀ I R: the file gives them in the distal frame, the model keeps them in the proximal one.
      const I = [
        [xx!, xy!, xz!],
        [xy!, yy!, yz!],
        [xz!, yz!, zz!],
      ];
      const column = (k: number): number[] => [R[k]!, R[3 + k]!, R[6 + k]!];
      const entry = (a: number, b: number): number =>
        column(a).reduce((sum, ra, k) => sum + ra * column(b).reduce((inner, rb, l) => inner + I[k]![l]! * rb, 0), 0);
      const expected = [
        [0.03 + 0.01 * i, 0.001, 0.002],
        [0.001, 0.04, 0.003],
        [0.002, 0.003, 0.05],
      ];
      for (let a = 0; a < 3; a++)
        for (let b = 0; b < 3; b++) expect(entry(a, b)).toBeCloseTo(0.1 * m! * expected[a]![b]!, 12);
    }
  });

  it('puma560 has the masses, tensors and centres of mass of the published table', () => {
    const robot = workload('puma560').robot();
    const masses = robot.links.map(({ body }) => evaluate([(body as RigidBody).mass])[0]);
    expect(masses).toEqual([0, 17.4, 4.8, 0.82, 0.34, 0.09]);
    expect(robot.coordinates).toHaveLength(6);
  });

  it('hyq is a tree of four legs of three joints', () => {
    const parents = workload('hyq')
      .robot()
      .links.map((link) => link.parent);
    expect(parents).toEqual([-1, 0, 1, -1, 3, 4, -1, 6, 7, -1, 9, 10]);
  });

  it('made by number of links have that many', () => {
    expect(planarConstantCurvature(30).robot().coordinates).toHaveLength(30);
    expect(planarChain(7).robot().coordinates).toHaveLength(7);
    expect(planarConstantStrain(5).robot().coordinates).toHaveLength(15);
  });
});
