/**
 * Inverse dynamics with multipliers: forces of drives and of loops for a motion that keeps these, of least norm, against dense least
 * squares with side conditions; a slider-crank by virtual work, and in C as in TypeScript.
 */
import { Matrix, pseudoInverse } from 'ml-matrix';
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated, type LoadedRobot } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { loadRobotFile, loadRobotText } from '../../src/description/load.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { distributeForces } from '../../src/runtime/loops.ts';
import type { Loops } from '../../src/runtime/driver.ts';
import { isInstalled, UNOPTIMISED } from '../compilers.ts';

type Dynamics = LoadedRobot & Loops;
const vector = (n: number): Float64Array => new Float64Array(n).fill(NaN);

async function load(robot: Robot): Promise<Dynamics> {
  return (await loadGenerated(await generateTypeScript(robot, compileRobot(robot))))() as Dynamics;
}

/** tau = f − Jᵀλ, least in units of capacity among those that are least where there is none. */
function dense(J: Matrix, f: readonly number[], capacity: readonly number[]): number[] {
  const passive = capacity.flatMap((c, a) => (c > 0 ? [] : [a]));
  const active = capacity.flatMap((c, a) => (c > 0 ? [a] : []));
  const rows = [...Array(J.rows).keys()];
  const columns = (which: readonly number[]): Matrix =>
    new Matrix(which.map((a) => rows.map((j) => J.get(j, a) / (capacity[a]! > 0 ? capacity[a]! : 1))));
  const right = (which: readonly number[]): Matrix =>
    Matrix.columnVector(which.map((a) => f[a]! / (capacity[a]! > 0 ? capacity[a]! : 1)));
  const eye = Matrix.eye(J.rows);
  const P = passive.length > 0 ? columns(passive) : undefined;
  const first = P ? pseudoInverse(P).mmul(right(passive)) : Matrix.zeros(J.rows, 1);
  const free = P ? Matrix.sub(eye, pseudoInverse(P).mmul(P)) : eye;
  const A = columns(active);
  const y = pseudoInverse(A.mmul(free), 1e-10).mmul(Matrix.sub(right(active), A.mmul(first)));
  const lambda = Matrix.add(first, free.mmul(y));
  const taken = J.transpose().mmul(lambda).to1DArray();
  return f.map((x, a) => x - taken[a]!);
}

describe('forces of drives and loops', () => {
  it('have the least norm, whatever is passive, with dependent rows as well', () => {
    const uniform = randomNumbers(11);
    const next = (): number => 2 * uniform() - 1;
    for (let k = 0; k < 60; k++) {
      const n = 3 + (k % 5);
      const free = 1 + (k % 4);
      const rows = free + (k % 3);
      const base = new Matrix(Array.from({ length: free }, () => Array.from({ length: n }, next)));
      const mixed = new Matrix(Array.from({ length: rows - free }, () => Array.from({ length: free }, next)));
      const J = new Matrix([...base.to2DArray(), ...(rows > free ? mixed.mmul(base).to2DArray() : [])]);
      const passive = k % Math.min(free, n - 1);
      const capacity = Array.from({ length: n }, (_, a) => (a < passive ? 0 : 0.5 + uniform()));
      const f = Array.from({ length: n }, next);
      const [tau, lambda] = [Float64Array.from(f), vector(rows)];
      const work = vector((n + rows + 3) * (rows + 1));
      distributeForces(rows, n, J.to1DArray(), capacity, false, f, work, tau, lambda);
      const due = dense(J, f, capacity);
      tau.forEach((x, a) => expect(Math.abs(x - due[a]!), `case ${k}`).toBeLessThan(1e-11));
      for (let a = 0; a < passive; a++) expect(Math.abs(tau[a]!)).toBeLessThan(1e-12);
      const taken = J.transpose()
        .mmul(Matrix.columnVector([...lambda]))
        .to1DArray();
      tau.forEach((x, a) => expect(Math.abs(x + taken[a]! - f[a]!)).toBeLessThan(1e-12));
    }
  });

  const CRANK = loadRobotFile('examples/mechanisms/slider-crank.robot.yaml');
  const q = CRANK.states['start']!;

  /** Accelerations along the loops, under some force. */
  function motion(dynamics: Dynamics): { readonly qd: number[]; readonly qdd: Float64Array } {
    const [dq, dqd, qdd, lambda] = [3, 3, 3, 2].map(vector);
    dynamics.update(q, [3, 1, -2]);
    dynamics.constraintCorrection(dq!, dqd!);
    const qd = [3, 1, -2].map((x, a) => x + dqd![a]!);
    dynamics.update(q, qd);
    dynamics.constrainedForwardDynamics(0, 0, [0.7, 0, 0], qdd!, lambda!);
    return { qd, qdd: qdd! };
  }

  it('of a slider-crank: its motor alone, or motor and slider by their capacities', async () => {
    const dynamics = await load(CRANK);
    const { qd, qdd } = motion(dynamics);
    dynamics.update(q, qd);
    const [tau, lambda, whole, J] = [3, 2, 3, 6].map(vector);
    expect(dynamics.constrainedInverseDynamics(qdd, [1, 0, 0], tau!, lambda!)).toBe(0);
    [0.7, 0, 0].forEach((x, a) => expect(Math.abs(tau![a]! - x)).toBeLessThan(1e-12));
    dynamics.activeInverseDynamics(qdd, whole!);
    dynamics.constraintJacobian(J!);
    for (const capacity of [
      [1, 0, 1],
      [2, 0, 30],
      [0.5, 1, 2],
    ]) {
      expect(dynamics.constrainedInverseDynamics(qdd, capacity, tau!, lambda!)).toBe(0);
      const due = dense(Matrix.from1DArray(2, 3, J!), [...whole!], capacity);
      tau!.forEach((x, a) => expect(Math.abs(x - due[a]!)).toBeLessThan(1e-11));
      // The same power, whoever drives.
      const power = tau!.reduce((sum, x, a) => sum + x * qd[a]!, 0);
      expect(Math.abs(power - 0.7 * qd[0]!)).toBeLessThan(1e-11);
    }
    // Nothing drives it: what is missing stays where it was looked for last.
    expect(dynamics.constrainedInverseDynamics(qdd, [0, 0, 0], tau!, lambda!)).toBe(0);
    expect(Math.max(...tau!.map(Math.abs))).toBeGreaterThan(0.01);
  });

  it('leaves springs of rows what they push', async () => {
    const text = `kanegen: 1
name: pair
links:
  - { name: a, joint: { revolute: z }, rigid: { mass: 1 kg, com: [0.1, 0, 0], inertia: { zz: 2e-3 }, distal: { xyz: [0.2, 0, 0] } } }
  - { name: b, joint: { revolute: z }, rigid: { mass: 0.7 kg, com: [0.12, 0.01, 0], inertia: { zz: 3e-3 }, distal: { xyz: [0.3, 0, 0] } } }
loops:
  gear: { constraint: "a.angle + b.angle", compliance: 0.01 rad/(N m), damping: 2 N m s }
  rail: { point-on-plane: { a: { on: base, at: [0.3, 0.1, 0] }, b: b, axis: x } }
`;
    const dynamics = await load(loadRobotText(text, 'pair.robot.yaml'));
    const [tau, lambda, qdd, own] = [2, 2, 2, 2].map(vector);
    dynamics.update([0.5, -0.3], [0.4, 0.1]);
    dynamics.constrainedForwardDynamics(0, 0, [0.3, 0], qdd!, own!);
    expect(dynamics.constrainedInverseDynamics(qdd!, [1, 0], tau!, lambda!)).toBe(0);
    expect(Math.abs(lambda![0]! + 0.2 / 0.01 + 2 * 0.5)).toBeLessThan(1e-12);
    [tau![0]! - 0.3, tau![1]!, lambda![1]! - own![1]!].forEach((x) => expect(Math.abs(x)).toBeLessThan(1e-11));
  });

  it.skipIf(!isInstalled('cc'))('are the same in C (needs a compiler)', async () => {
    const dynamics = await load(CRANK);
    const { qd, qdd } = motion(dynamics);
    const [tau, lambda] = [vector(3), vector(2)];
    dynamics.update(q, qd);
    dynamics.constrainedInverseDynamics(qdd, [2, 0, 30], tau, lambda);
    const list = (x: ArrayLike<number>): string => `{ ${Array.from(x, (e) => e.toPrecision(17)).join(', ')} }`;
    const main = `#include <stdio.h>
#include "slider_crank.h"
static slider_crank_workspace w;
static const kg_real q[] = ${list(q)}, qd[] = ${list(qd)}, qdd[] = ${list(qdd)}, capacity[] = { 2, 0, 30 };
int main(void)
{
  kg_real tau[3], lambda[2];
  int status = (int)slider_crank_update(&w, &slider_crank_defaults, q, qd);
  status += (int)slider_crank_constrained_inverse_dynamics(&w, qdd, capacity, tau, lambda);
  printf("%d %.17g %.17g %.17g %.17g %.17g", status, tau[0], tau[1], tau[2], lambda[0], lambda[1]);
  return 0;
}
`;
    const files = [...(await generateC(CRANK, compileRobot(CRANK))), { path: 'main.c', text: main }];
    const program = await buildC(files, { flags: UNOPTIMISED }, (path) => path.endsWith('_selftest.c'));
    const words = (await runProgram(program).finally(() => program.dispose())).trim().split(/\s+/).map(Number);
    expect(words).toEqual([0, ...tau, ...lambda]);
  });
});
