/** Implicit steps against dense matrices, and mass matrices that are not definite, in TypeScript and in C. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import {
  KG_NO_STATE,
  KG_NO_STEP,
  KG_NON_FINITE,
  KG_OK,
  KG_OUT_OF_RANGE,
  KG_SINGULAR,
  type Drive,
} from '../../src/runtime/driver.ts';
import { DrivenRobot, Rosenbrock } from '../../src/runtime/rosenbrock.ts';
import { COMPILERS, UNOPTIMISED } from '../compilers.ts';

const rigid = (mass: number | string) => ({
  mass,
  com: [0.1, 0.02, 0.1],
  inertia: { xx: 0.03, yy: 0.04, zz: 0.02, xy: 0.003 },
  distal: { xyz: [0.1, 0.03, 0.3], rpy: [0.2, 0, -0.4] },
});

/** A joint with spring and damper, a body with a potential that couples its coordinates, a plain joint; two branches. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'twig',
  parameters: { tip: { value: '0.4 kg', min: '-1 kg', max: '5 kg', runtime: true } },
  'body-types': {
    slab: {
      parameters: { k: '40 J', d: '0.4 J s' },
      coordinates: { u: {}, v: {} },
      volume: { box: { x: [0, '0.1 m'], y: [0, '0.1 m'], z: [0, '0.2 m'] }, density: '500 kg/m^3' },
      position: ['x + u*z', 'y + v*z', 'z'],
      distal: { pivot: { z: '0.2 m' }, 'x-axis': { z: '0.2 m', x: '0.1 m' }, 'y-axis': { z: '0.2 m', y: '0.1 m' } },
      potential: 'k*(u^2 + 0.75*u*v + 1.25*v^2 + 0.25*u^4)',
      dissipation: 'd*u_dot^2',
    },
  },
  links: [
    { name: 'trunk', joint: { revolute: 'x', stiffness: '20 N m/rad', damping: '0.3 N m s/rad' }, rigid: rigid(2) },
    { name: 'slab', joint: { revolute: 'z' }, body: 'slab' },
    { name: 'end', joint: { revolute: 'y' }, rigid: { ...rigid('tip'), inertia: { xx: 0, yy: 0, zz: 0 } } },
    {
      name: 'side',
      parent: 'trunk',
      joint: { prismatic: 'z', armature: '0.5 kg', stiffness: '9 N/m' },
      rigid: rigid(1),
    },
  ],
});
const compiled = compileRobot(robot);
const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
const n = robot.coordinates.length;
const values = (phase: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(1.7 * i + phase));
const [q, qd, tau] = [values(1).map((x) => 0.4 * x), values(2), values(3)];
const h = 0.05;

const vector = (): Float64Array => new Float64Array(n);
const matrix = (): Float64Array => new Float64Array(n * n);

/** By Gaussian elimination with pivots. */
function solved(A: readonly (readonly number[])[], b: readonly number[]): number[] {
  const rows = A.map((row, i) => [...row, b[i]!]);
  rows.forEach((_, k) => {
    const best = rows.reduce((most, row, i) => (i >= k && Math.abs(row[k]!) > Math.abs(rows[most]![k]!) ? i : most), k);
    [rows[k], rows[best]] = [rows[best]!, rows[k]!];
    for (let i = 0; i < rows.length; i++) {
      if (i === k) continue;
      const factor = rows[i]![k]! / rows[k][k]!;
      rows[i] = rows[i]!.map((x, j) => x - factor * rows[k]![j]!);
    }
  });
  return rows.map((row, k) => row[rows.length]! / row[k]!);
}

/** (M + h D + h² K) Δq̇ = h (tau − c − g − elastic − damping − h K q̇) with dense matrices. */
function denseStep(): { q: number[]; qd: number[] } {
  const [M, K, D] = [matrix(), matrix(), matrix()];
  const [c, g, elastic, damping] = [vector(), vector(), vector(), vector()];
  dynamics.update(q, qd);
  dynamics.massMatrix(M);
  dynamics.stiffness(K);
  dynamics.dissipation(D);
  dynamics.terms(c, g, elastic, damping);
  expect(Math.min(Math.max(...K), Math.max(...D))).toBeGreaterThan(0.1);
  const at = (A: Float64Array, i: number, j: number): number => A[i * n + j]!;
  const A = q.map((_, i) => q.map((__, j) => at(M, i, j) + h * at(D, i, j) + h * h * at(K, i, j)));
  const b = q.map((_, i) => {
    const later = qd.reduce((sum, v, j) => sum + h * at(K, i, j) * v, 0);
    return h * (tau[i]! - c[i]! - g[i]! - elastic[i]! - damping[i]! - later);
  });
  const after = solved(A, b).map((change, i) => qd[i]! + change);
  return { q: q.map((x, i) => x + h * after[i]!), qd: after };
}

function expectClose(found: ArrayLike<number>, expected: readonly number[]): void {
  const scale = Math.max(...expected.map(Math.abs));
  Array.from(found).forEach((x, i) => expect(Math.abs(x - expected[i]!), `entry ${i}`).toBeLessThan(1e-12 * scale));
}

describe('an implicit step', () => {
  it('is that of dense matrices, springs and dampers at its end', () => {
    const expected = denseStep();
    const [after, rates] = [vector(), vector()];
    expect(dynamics.implicitStep(h, tau, after, rates)).toBe(KG_OK);
    expectClose(after, expected.q);
    expectClose(rates, expected.qd);
    // What the step added to the mass matrix is gone afterwards.
    const [M, x] = [matrix(), matrix()];
    dynamics.massMatrix(M);
    dynamics.solveMass(n, M, x);
    expectClose(
      x,
      Array.from(x, (_, i) => (i % (n + 1) === 0 ? 1 : 0)),
    );
  });

  it('writes the state after it in place', () => {
    const expected = denseStep();
    const [own, rates] = [Float64Array.from(q), Float64Array.from(qd)];
    dynamics.update(own, rates);
    expect(dynamics.implicitStep(h, tau, own, rates)).toBe(KG_OK);
    expectClose(own, expected.q);
    expectClose(rates, expected.qd);
  });

  it('stays bounded where explicit steps of this size do not', () => {
    const [own, rates] = [Float64Array.from(q), new Float64Array(n)];
    for (let i = 0; i < 200; i++) {
      dynamics.update(own, rates);
      expect(dynamics.implicitStep(h, new Float64Array(n), own, rates)).toBe(KG_OK);
    }
    expect(Math.max(...Array.from(own.subarray(2, 4), Math.abs))).toBeLessThan(1);
  });

  it('refuses a time that is no number, and a workspace without a state', () => {
    const [own, rates] = [vector().fill(7), vector().fill(7)];
    dynamics.update(q, qd);
    expect(dynamics.implicitStep(NaN, tau, own, rates)).toBe(KG_NON_FINITE);
    for (const backwards of [-0.01, 0, -0]) {
      expect(dynamics.implicitStep(backwards, tau, own, rates)).toBe(KG_OUT_OF_RANGE);
      expect(dynamics.implicitFactor(backwards)).toBe(KG_OUT_OF_RANGE);
    }
    dynamics.massMatrixAt(q, matrix());
    expect(dynamics.implicitStep(h, tau, own, rates)).toBe(KG_NO_STATE);
    expect([...own, ...rates].every((x) => x === 7)).toBe(true);
  });
});

/** x of (1 − h J) x = h r, J = [0 1; −M⁻¹K −M⁻¹D], that is [1 −h; h K, M + h D] x = h (rq, M rv), with dense matrices. */
function denseSolution(rq: readonly number[], rv: readonly number[]): { xq: number[]; xv: number[] } {
  const [M, K, D] = [matrix(), matrix(), matrix()];
  dynamics.update(q, qd);
  dynamics.massMatrix(M);
  dynamics.stiffness(K);
  dynamics.dissipation(D);
  const unit = (i: number, j: number): number => (i === j ? 1 : 0);
  const all = q.map((_, i) => i);
  const A = [
    ...all.map((i) => [...all.map((j) => unit(i, j)), ...all.map((j) => -h * unit(i, j))]),
    ...all.map((i) => [...all.map((j) => h * K[i * n + j]!), ...all.map((j) => M[i * n + j]! + h * D[i * n + j]!)]),
  ];
  const b = [...rq.map((r) => h * r), ...all.map((i) => h * rv.reduce((sum, r, j) => sum + M[i * n + j]! * r, 0))];
  const x = solved(A, b);
  return { xq: x.slice(0, n), xv: x.slice(n) };
}

describe('solutions of implicit steps', () => {
  const [rq, rv] = [values(5), values(6)];

  it('are those of dense matrices, in place, too, and as often as one likes', () => {
    const expected = denseSolution(rq, rv);
    const [xq, xv] = [Float64Array.from(rq), Float64Array.from(rv)];
    dynamics.update(q, qd);
    expect(dynamics.implicitFactor(h)).toBe(KG_OK);
    expect(
      dynamics.implicitSolve(
        h,
        [...rq, 0].slice(0, n),
        rv.map(() => 1),
        vector(),
        vector(),
      ),
    ).toBe(KG_OK);
    expect(dynamics.implicitSolve(h, xq, xv, xq, xv)).toBe(KG_OK);
    expectClose(xq, expected.xq);
    expectClose(xv, expected.xv);
    const twin = dynamics.twin();
    expect(twin.implicitFactor(h)).toBe(KG_NO_STATE);
    twin.update(q, qd);
    twin.implicitFactor(h);
    twin.implicitSolve(h, rq, rv, xq, xv);
    expectClose(xv, expected.xv);
  });
});

/** What drives the robot in both languages, without functions of a library; one sum: its work. */
const drive: Drive = (t, own, _, rates, load, sums) => {
  for (let i = 0; i < n; i++) load[i] = tau[i]! * (1 - t) * (1 + t * t);
  let power = 0;
  for (let i = 0; i < n; i++) power = power + load[i]! * rates[i]!;
  sums[0] = power;
  return own.actuate([], load);
};

function motionOf(tolerance: number): Rosenbrock {
  const motion = new Rosenbrock(new DrivenRobot(dynamics.twin(), drive, { sums: 1 }), tolerance);
  expect(motion.start(0, [...q, ...qd, 0])).toBe(KG_OK);
  return motion;
}

function stepTo(motion: Rosenbrock, end: number): void {
  while (motion.t < end) expect(motion.stepTowards(end)).toBe(KG_OK);
}

describe('motions in linearly implicit steps of order 3', () => {
  const start = [...q, ...qd, 0];
  const end = 0.1;

  /** Classical Runge–Kutta steps, which share forward dynamics with what is tested, and nothing else. */
  function explicit(steps: number): number[] {
    const system = new DrivenRobot(dynamics.twin(), drive, { sums: 1 });
    const f = (t: number, y: readonly number[]): number[] => {
      const out = new Float64Array(y.length);
      expect(system.derivative(t, Float64Array.from(y), out)).toBe(KG_OK);
      return [...out];
    };
    const step = end / steps;
    const plus = (y: readonly number[], c: number, k: readonly number[]): number[] => y.map((x, i) => x + c * k[i]!);
    let y = start;
    for (let i = 0; i < steps; i++) {
      const t = i * step;
      const k1 = f(t, y);
      const k2 = f(t + step / 2, plus(y, step / 2, k1));
      const k3 = f(t + step / 2, plus(y, step / 2, k2));
      const k4 = f(t + step, plus(y, step, k3));
      y = y.map((x, j) => x + (step / 6) * (k1[j]! + 2 * k2[j]! + 2 * k3[j]! + k4[j]!));
    }
    return y;
  }

  it('converge in that order, come to the tolerance, and are read between steps', () => {
    const exact = explicit(1000);
    const error = (y: Float64Array): number => Math.max(...y.map((x, i) => Math.abs(x - exact[i]!)));
    const run = (steps: number): number => {
      const motion = motionOf(1);
      for (let i = 0; i < steps; i++) expect(motion.step(end / steps)).toBe(KG_OK);
      expect(motion.t).toBeCloseTo(end, 14);
      return error(motion.y);
    };
    const order = Math.log2(run(64) / run(128));
    expect(order).toBeGreaterThan(2.7);
    expect(order).toBeLessThan(3.4);
    const fine = motionOf(1e-8);
    stepTo(fine, end);
    expect(fine.t).toBe(end);
    expect(error(fine.y)).toBeLessThan(1e-6);
    const further = motionOf(1e-8);
    while (further.t < end) further.stepTowards(2 * end);
    expect(further.t).toBeGreaterThan(end);
    const between = new Float64Array(2 * n + 1);
    further.between(end, between);
    expect(error(between)).toBeLessThan(1e-5);
  });

  it('end with a status where no step is short enough, or a stage has no result', () => {
    const motion = motionOf(0);
    expect(motion.stepTowards(1)).toBe(KG_NO_STEP);
    expect(motion.t).toBe(0);
    motion.tolerance = 1e-3;
    expect(motion.step(NaN)).toBe(KG_NON_FINITE);
    dynamics.parameters['tip'] = 0;
    motion.stepSize = 0;
    expect(motion.stepTowards(1)).toBe(KG_SINGULAR);
    dynamics.parameters['tip'] = 0.4;
    expect(motion.start(0, [...q, ...qd, 0])).toBe(KG_OK);
    expect(motion.stepTowards(1)).toBe(KG_OK);
  });
});

describe('a mass matrix that is not definite', () => {
  it.each([0, -0.5])('has a status that names the link, and leaves outputs alone (mass %d)', (mass) => {
    dynamics.parameters['tip'] = mass;
    dynamics.update(q, qd);
    const [found, rates] = [matrix().fill(7), vector().fill(7)];
    expect(dynamics.forwardDynamics(tau, found)).toBe(KG_SINGULAR);
    expect(dynamics.singularLink()).toBe(2);
    expect(dynamics.solveMass(1, tau, found)).toBe(KG_SINGULAR);
    expect(dynamics.implicitStep(h, tau, found, rates)).toBe(KG_SINGULAR);
    expect([...found, ...rates].every((x) => x === 7)).toBe(true);
    dynamics.parameters['tip'] = 0.4;
    dynamics.update(q, qd);
    expect(dynamics.forwardDynamics(tau, rates)).toBe(KG_OK);
  });

  it('compiles, where a coordinate moves no mass by its formulas', async () => {
    const bare = loadRobotObject({
      kanegen: 1,
      name: 'bare',
      links: [
        { name: 'arm', joint: { revolute: 'x' }, rigid: rigid(1) },
        { name: 'flag', joint: { revolute: 'y' }, rigid: { mass: 0, distal: { xyz: [0, 0, 1] } } },
      ],
    });
    const own = (await loadGenerated(await generateTypeScript(bare, compileRobot(bare))))();
    own.update([0.1, 0.2], [0.3, 0.4]);
    expect(own.forwardDynamics([1, 2], new Float64Array(2))).toBe(KG_SINGULAR);
    expect(own.singularLink()).toBe(1);
  });
});

const SOURCE = `#include "twig_rosenbrock.h"
#include <stdio.h>
static const kg_real force[${n}] = {${tau.join(', ')}};
static kg_status drive(void *context, kg_real t, twig_workspace *w, const kg_real q[], const kg_real qd[], kg_real tau[], kg_real rates[])
{
  int i;
  (void)context, (void)w, (void)q;
  for (i = 0; i < ${n}; i++) {
    tau[i] = force[i] * (KG_REAL(1.0) - t) * (KG_REAL(1.0) + t * t);
    rates[0] = rates[0] + tau[i] * qd[i];
  }
  return KG_OK;
}
int main(void)
{
  static twig_motion m;
  static twig_workspace w;
  twig_parameters p = twig_defaults;
  kg_real q[${n}] = {${q.join(', ')}}, qd[${n}] = {${qd.join(', ')}}, load[${n}] = {${tau.join(', ')}};
  int i, status = (int)twig_motion_start(&m, NULL, drive, NULL, 1, KG_REAL(1e-6), KG_REAL(0.0), q, qd);
  kg_real between[TWIG_STATE];
  for (i = 0; i < 5; i++)
    status += (int)twig_motion_step(&m, KG_REAL(0.013));
  while (status == 0 && m.t < KG_REAL(0.7))
    status += (int)twig_motion_step_towards(&m, KG_REAL(0.7));
  twig_motion_between(&m, KG_REAL(0.6999), between);
  for (i = 0; i <= ${2 * n}; i++)
    printf("%.17g %.17g ", m.y[i], between[i]);
  printf("%.17g %.17g %ld %ld %d\\n", m.t, m.step_size, m.steps, m.rejected, status);
  m.tolerance = KG_REAL(0.0);
  printf("%d ", twig_motion_step_towards(&m, KG_REAL(1.0)));
  printf("%d\\n", twig_motion_start(&m, NULL, drive, NULL, TWIG_SUMS + 1, KG_REAL(1e-6), KG_REAL(0.0), q, qd));
  status += (int)twig_update(&w, &p, q, qd);
  status += (int)twig_implicit_step(&w, KG_REAL(${h}), load, q, qd);
  for (i = 0; i < ${n}; i++)
    printf("%.17g %.17g ", q[i], qd[i]);
  p.tip = KG_REAL(0.0);
  status += (int)twig_update(&w, &p, q, qd);
  i = (int)twig_forward_dynamics(&w, load, qd);
  printf("%d %d %s", status, i, twig_links[twig_singular_link(&w)]);
  return 0;
}
`;

describe.each(COMPILERS)('in C compiled by $compiler', ({ compiler, missing }) => {
  it.skipIf(missing)(`implicit steps and singular links are the same (needs ${compiler})`, async () => {
    const files = [...(await generateC(robot, compiled)), { path: 'main.c', text: SOURCE }];
    const program = await buildC(files, { compiler, flags: UNOPTIMISED }, (path) => path.endsWith('_selftest.c'));
    const output = await runProgram(program).finally(() => program.dispose());
    const [steps, refusals, words] = output.split('\n').map((line) => line.trim().split(/\s+/)) as [
      string[],
      string[],
      string[],
    ];
    const motion = motionOf(1e-6);
    for (let i = 0; i < 5; i++) motion.step(0.013);
    stepTo(motion, 0.7);
    const between = new Float64Array(2 * n + 1);
    motion.between(0.6999, between);
    expect(steps.map(Number)).toEqual([
      ...[...motion.y].flatMap((x, i) => [x, between[i]!]),
      ...[motion.t, motion.stepSize, motion.steps, motion.rejected, KG_OK],
    ]);
    expect(motion.steps).toBeGreaterThan(20);
    expect(refusals.map(Number)).toEqual([KG_NO_STEP, KG_OUT_OF_RANGE]);
    expect(words.slice(2 * n)).toEqual(['0', String(KG_SINGULAR), 'end']);
    const [after, rates] = [vector(), vector()];
    dynamics.update(q, qd);
    dynamics.implicitStep(h, tau, after, rates);
    expectClose(
      words.slice(0, 2 * n).map(Number),
      [...after].flatMap((x, i) => [x, rates[i]!]),
    );
  });
});
