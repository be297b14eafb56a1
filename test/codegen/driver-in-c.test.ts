/** Every function of the driver in C, against the same in TypeScript; Jacobians against difference quotients in C, too. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';
import { branchedRobot } from './sample-robots.ts';

const robot = branchedRobot();
const compiled = compileRobot(robot);
const files = await generateC(robot, compiled);
const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
const n = robot.coordinates.length;
const frames = robot.frames.length;

const state = (phase: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(1.7 * i + phase));
const [q, qd, qdd] = [state(1), state(2), state(3)];
const wrench = [0.3, -0.7, 0.2, 1.1, -0.4, 0.9];
/** Distance from every function at a moved configuration, for quotients. */
const STEP = 1e-6;

/** Prints what the driver says at a state: frames with Jacobians, quotients of their poses, terms, one-call functions. */
const SOURCE = `#include "branched.h"
#include <stdio.h>
enum { N = ${n}, FRAMES = ${frames} };
static void print(const kg_real from[], int count)
{
  int i;
  for (i = 0; i < count; i++)
    printf("%.17g ", from[i]);
  printf("\\n");
}
int main(void)
{
  static branched_workspace w;
  const branched_parameters *const p = &branched_defaults;
  const kg_real q[N] = {${q.join(', ')}}, qd[N] = {${qd.join(', ')}}, qdd[N] = {${qdd.join(', ')}};
  const kg_real wrench[6] = {${wrench.join(', ')}};
  kg_real R[9], t[3], J[6 * N], R2[9], t2[3], moved[N], quotient[6 * N], M[N * N], c[N], g[N], tau[N], energy[3], h[6];
  int frame, a, i, k, status = 0;
  for (frame = 0; frame < FRAMES; frame++) {
    status += (int)branched_update(&w, p, q, qd) + (int)branched_frame(&w, frame, R, t, J);
    print(R, 9);
    print(t, 3);
    print(J, 6 * N);
    for (a = 0; a < N; a++) {
      for (i = 0; i < N; i++)
        moved[i] = q[i] + (i == a ? ${STEP} : 0.0);
      status += (int)branched_update(&w, p, moved, qd) + (int)branched_frame(&w, frame, R2, t2, NULL);
      for (i = 0; i < 3; i++) {
        const int r = (i + 2) % 3, s = (i + 1) % 3;
        kg_real spin = 0.0;
        for (k = 0; k < 3; k++)
          spin += (R2[3 * r + k] - R[3 * r + k]) / ${STEP} * R[3 * s + k];
        quotient[i * N + a] = spin;
        quotient[(3 + i) * N + a] = (t2[i] - t[i]) / ${STEP};
      }
    }
    print(quotient, 6 * N);
    status += (int)branched_update(&w, p, q, qd);
    for (i = 0; i < N; i++)
      tau[i] = qd[i];
    status += (int)branched_external(&w, frame, wrench, tau);
    status += (int)branched_external_in_frame(&w, frame, wrench, tau);
    print(tau, N);
  }
  status += (int)branched_update(&w, p, q, qd);
  status += (int)branched_mass_matrix(&w, M) + (int)branched_terms(&w, c, g, NULL, NULL);
  status += (int)branched_inverse_dynamics(&w, qdd, tau);
  print(M, N * N);
  print(c, N);
  print(g, N);
  print(tau, N);
  status += (int)branched_inertial_inverse_dynamics(&w, qdd, tau) + (int)branched_energies(&w, energy);
  print(tau, N);
  print(energy, 3);
  status += (int)branched_momentum(&w, t, h) + (int)branched_momentum_matrix(&w, t, J);
  print(h, 6);
  print(J, 6 * N);
  status += (int)branched_centre_of_mass(&w, energy, R, J) + (int)branched_centre_of_mass(&w, NULL, t2, NULL);
  print(energy, 1);
  print(R, 3);
  print(t2, 3);
  print(J, 3 * N);
  status += (int)branched_inverse_dynamics_and_mass_matrix(&w, qdd, tau, M);
  print(tau, N);
  print(M, N * N);
  status += (int)branched_inverse_dynamics_at(&w, p, q, qd, qdd, tau) + (int)branched_mass_matrix_at(&w, p, q, M);
  status += (int)branched_gravity_at(&w, p, q, g);
  print(tau, N);
  print(M, N * N);
  print(g, N);
  status += (int)branched_update(&w, p, q, qd) + (int)branched_forward_dynamics(&w, qdd, tau);
  print(tau, N);
  status += (int)branched_solve_mass(&w, N, M, M);
  print(M, N * N);
  return status;
}
`;

function expectClose(found: readonly number[], expected: ArrayLike<number>, tolerance: number): void {
  expect(found).toHaveLength(expected.length);
  const scale = Math.max(1e-3, ...Array.from(expected, Math.abs));
  found.forEach((x, i) => expect(Math.abs(x - expected[i]!)).toBeLessThanOrEqual(tolerance * scale));
}

describe.each(COMPILERS)('the driver in C compiled by $compiler', ({ compiler, missing }) => {
  it.skipIf(missing)(`computes what it computes in TypeScript, in every function (needs ${compiler})`, async () => {
    const program = await buildC(
      [...files, { path: 'main.c', text: SOURCE }],
      { compiler, flags: UNOPTIMISED },
      (path) => path.endsWith('_selftest.c'),
    );
    const output = await runProgram(program).finally(() => program.dispose());
    const lines = output.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
    const next = (): number[] => lines.shift()!;
    const [vector, matrix] = [() => new Float64Array(n), () => new Float64Array(n * n)];
    const [R, t, J, energy] = [new Float64Array(9), new Float64Array(3), new Float64Array(6 * n), new Float64Array(3)];
    const [tau, c, g, M] = [vector(), vector(), vector(), matrix()];
    dynamics.update(q, qd);
    for (let frame = 0; frame < frames; frame++) {
      dynamics.frame(frame, R, t, J);
      expectClose(next(), R, 1e-14);
      expectClose(next(), t, 1e-14);
      expectClose(next(), J, 1e-14);
      expectClose(next(), J, 1e-5);
      tau.set(qd);
      dynamics.external(frame, wrench, tau);
      dynamics.externalInFrame(frame, wrench, tau);
      expectClose(next(), tau, 1e-14);
    }
    dynamics.massMatrix(M);
    dynamics.terms(c, g, null, null);
    dynamics.inverseDynamics(qdd, tau);
    const staged = [M, c, g, tau].map((expected) => {
      const found = next();
      expectClose(found, expected, 1e-14);
      return found;
    });
    dynamics.inertialInverseDynamics(qdd, tau);
    dynamics.energies(energy);
    expectClose(next(), tau, 1e-14);
    expectClose(next(), energy, 1e-14);
    const [h, mass, centre] = [new Float64Array(6), new Float64Array(1), new Float64Array(3)];
    // About the origin of the last frame.
    expect(dynamics.momentum!(t, h)).toBe(0);
    expectClose(next(), h, 1e-14);
    expect(dynamics.momentumMatrix!(t, J)).toBe(0);
    expectClose(next(), J, 1e-14);
    const ofCentre = new Float64Array(3 * n);
    expect(dynamics.centreOfMass!(mass, centre, ofCentre)).toBe(0);
    expectClose(next(), mass, 1e-14);
    expectClose(next(), centre, 1e-14);
    expectClose(next(), centre, 1e-14);
    expectClose(next(), ofCentre, 1e-14);
    // Without loops and contraction, one sweep and one call give the bits of staged calls.
    expect([next(), next()]).toEqual([staged[3], staged[0]]);
    expect([next(), next(), next()]).toEqual([staged[3], staged[0], staged[2]]);
    dynamics.update(q, qd);
    expect(dynamics.forwardDynamics(qdd, tau)).toBe(0);
    expectClose(next(), tau, 1e-14);
    const columns = matrix();
    expect(dynamics.solveMass(n, M, columns)).toBe(0);
    const solved = next();
    expectClose(solved, columns, 1e-14);
    expectClose(
      solved,
      columns.map((_, i) => (i % (n + 1) === 0 ? 1 : 0)),
      1e-10,
    );
  });
});
