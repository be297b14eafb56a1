/** What generated functions return, in both languages: refusals leave outputs alone, results that overflow are marked. */
import { describe, expect, it } from 'vitest';
import { buildC, runProgram } from '../../src/codegen/c/build-c.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import { loadGenerated, loadStraight } from '../../src/codegen/typescript/load.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import {
  KG_NO_FRAME,
  KG_NO_STATE,
  KG_NON_FINITE,
  KG_OK,
  KG_OUT_OF_RANGE,
  KG_UNDEFINED,
} from '../../src/runtime/driver.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { COMPILERS } from '../compilers.ts';

/** Two hinges about y, whose rates couple; the mass of a link, with bounds, at run time. */
const robot = loadRobotObject({
  kanegen: 1,
  name: 'swing',
  parameters: { load: { value: '1 kg', min: '0 kg', max: '5 kg', runtime: true } },
  links: ['one', 'two'].map((name) => ({
    name,
    joint: { revolute: 'y' },
    rigid: { mass: 'load', com: [0, 0, '0.3 m'], inertia: { xx: 0.03, yy: 0.03 }, distal: { xyz: [0, 0, '0.7 m'] } },
  })),
});
const straight = compileStraight(robot, {
  functions: ['inverseDynamics', 'massMatrix', 'dynamicsTerms'],
  count: generatedCost,
});
const folder = await generateFolder(
  robot,
  chooseFunctions(robot, compileRobot(robot), ['all']),
  ['ts', 'c', 'wasm'],
  straight,
);
const inFolder = (name: string): GeneratedFile[] =>
  folder.filter((f) => f.path.startsWith(`${name}/`)).map((f) => ({ ...f, path: f.path.slice(name.length + 1) }));

/** Rates whose squares overflow, in float and in double. */
const FAST = { single: 1e30, double: 1e200 };

/** Name of a call, what it returns, what its outputs hold afterwards: 7 when left alone, NaN when marked. */
type Outcome = readonly [name: string, status: number, output: 'computed' | 'alone' | 'marked'];

/** Calls in this order on one workspace, in either language. */
const EXPECTED: readonly Outcome[] = [
  ['before any update', KG_NO_STATE, 'alone'],
  ['update', KG_OK, 'alone'],
  ['inverse dynamics', KG_OK, 'computed'],
  ['qdd NaN', KG_NON_FINITE, 'alone'],
  ['sweep, qdd infinite', KG_NON_FINITE, 'alone'],
  ['frame -1', KG_NO_FRAME, 'alone'],
  ['frame too many', KG_NO_FRAME, 'alone'],
  ['update, fast', KG_OK, 'alone'],
  ['fast', KG_UNDEFINED, 'marked'],
  ['terms, fast', KG_UNDEFINED, 'marked'],
  ['energies, fast', KG_UNDEFINED, 'marked'],
  ['mass matrix, fast', KG_OK, 'computed'],
  ['update, q NaN', KG_NON_FINITE, 'alone'],
  ['inverse dynamics after that', KG_NON_FINITE, 'alone'],
  ['update, load -1', KG_OUT_OF_RANGE, 'alone'],
  ['mass matrix after that', KG_OUT_OF_RANGE, 'alone'],
  ['one call, load 6', KG_OUT_OF_RANGE, 'alone'],
  ['after one call', KG_NO_STATE, 'alone'],
  ['one call, load NaN', KG_NON_FINITE, 'alone'],
  ['gravity in one call, gravity infinite', KG_NON_FINITE, 'alone'],
  ['one call, fast', KG_UNDEFINED, 'marked'],
  ['mass matrix in one call, q infinite', KG_NON_FINITE, 'alone'],
  ['straight', KG_OK, 'computed'],
  ['straight, q NaN', KG_NON_FINITE, 'alone'],
  ['straight, fast', KG_UNDEFINED, 'marked'],
  ['straight, load 6', KG_OUT_OF_RANGE, 'alone'],
  ['straight terms, fast, no M', KG_UNDEFINED, 'marked'],
  ['straight, angles beyond 2^22 rad', KG_UNDEFINED, 'marked'],
];

function outcome(name: string, status: number, output: readonly number[]): Outcome {
  const alone = output.every((x) => x === 7);
  return [name, status, alone ? 'alone' : output.every(Number.isNaN) ? 'marked' : 'computed'];
}

const SOURCE = `#include "swing_straight.h"
#include "swing_straight_batch.h"
#include <stdio.h>
static kg_real out[4];
static void report(const char *name, kg_status status)
{
  int i, alone = 1, marked = 1;
  for (i = 0; i < 2; i++) {
    const int finite = kg_finite(out + i, 1);
    marked = marked && !finite;
    alone = alone && finite && kg_abs(out[i] - KG_REAL(7.0)) <= KG_REAL(0.0);
  }
  printf("%s;%d;%s\\n", name, (int)status, alone ? "alone" : marked ? "marked" : "computed");
  for (i = 0; i < 4; i++)
    out[i] = KG_REAL(7.0);
}
#ifdef KG_SINGLE
#define FAST KG_REAL(${FAST.single})
#else
#define FAST KG_REAL(${FAST.double})
#endif
int main(void)
{
  static swing_workspace w;
  swing_parameters p = swing_defaults;
  const kg_real q[2] = {KG_REAL(0.3), KG_REAL(0.4)}, qd[2] = {KG_REAL(1.0), KG_REAL(2.0)}, qdd[2] = {KG_REAL(0.5), KG_REAL(0.1)};
  const kg_real fast[2] = {FAST, FAST}, huge[2] = {KG_LARGEST, KG_LARGEST};
  kg_real nan[2] = {KG_REAL(0.0), KG_REAL(0.0)}, infinite[2], batch[3][10], tau[10];
  volatile kg_real zero = KG_REAL(0.0);
  int i;
  kg_mark(nan + 1, 1);
  infinite[0] = KG_REAL(1.0) / zero;
  infinite[1] = KG_REAL(0.0);
  for (i = 0; i < 4; i++)
    out[i] = KG_REAL(7.0);
  report("before any update", swing_inverse_dynamics(&w, qdd, out));
  report("update", swing_update(&w, &p, q, qd));
  report("inverse dynamics", swing_inverse_dynamics(&w, qdd, out));
  report("qdd NaN", swing_inverse_dynamics(&w, nan, out));
  report("sweep, qdd infinite", swing_inverse_dynamics_and_mass_matrix(&w, infinite, out + 2, out));
  report("frame -1", swing_frame(&w, -1, NULL, out, NULL));
  report("frame too many", swing_frame(&w, SWING_FRAMES, NULL, out, NULL));
  report("update, fast", swing_update(&w, &p, q, fast));
  report("fast", swing_inverse_dynamics(&w, qdd, out));
  report("terms, fast", swing_terms(&w, out + 2, out, NULL, NULL));
  report("energies, fast", swing_energies(&w, out));
  report("mass matrix, fast", swing_mass_matrix(&w, out));
  report("update, q NaN", swing_update(&w, &p, nan, qd));
  report("inverse dynamics after that", swing_inverse_dynamics(&w, qdd, out));
  p.load = KG_REAL(-1.0);
  report("update, load -1", swing_update(&w, &p, q, qd));
  report("mass matrix after that", swing_mass_matrix(&w, out));
  p.load = KG_REAL(6.0);
  report("one call, load 6", swing_inverse_dynamics_at(&w, &p, q, qd, qdd, out));
  report("after one call", swing_terms(&w, out, NULL, NULL, NULL));
  kg_mark(&p.load, 1);
  report("one call, load NaN", swing_inverse_dynamics_at(&w, &p, q, qd, qdd, out));
  p = swing_defaults;
  p.gravity[1] = infinite[0];
  report("gravity in one call, gravity infinite", swing_gravity_at(&w, &p, q, out));
  p = swing_defaults;
  report("one call, fast", swing_inverse_dynamics_at(&w, &p, q, fast, qdd, out));
  report("mass matrix in one call, q infinite", swing_mass_matrix_at(&w, &p, infinite, out));
  report("straight", swing_straight_inverse_dynamics(&p, q, qd, qdd, out));
  report("straight, q NaN", swing_straight_inverse_dynamics(&p, nan, qd, qdd, out));
  report("straight, fast", swing_straight_inverse_dynamics(&p, q, fast, qdd, out));
  p.load = KG_REAL(6.0);
  report("straight, load 6", swing_straight_inverse_dynamics(&p, q, qd, qdd, out));
  p = swing_defaults;
  report("straight terms, fast, no M", swing_straight_dynamics_terms(&p, q, fast, NULL, out, NULL));
  report("straight, angles beyond 2^22 rad", swing_straight_mass_matrix(&p, huge, out));
  /* Five states side by side: the second is not finite, the fourth overflows. */
  for (i = 0; i < 10; i++) {
    batch[0][i] = q[i / 5];
    batch[1][i] = qd[i / 5];
    batch[2][i] = qdd[i / 5];
  }
  batch[2][6] = nan[1];
  batch[1][3] = batch[1][8] = FAST;
  printf("%d", (int)swing_straight_inverse_dynamics_batch(&p, 5, batch[0], batch[1], batch[2], tau));
  for (i = 0; i < 5; i++)
    printf(" %d%d", kg_finite(tau + i, 1), kg_finite(tau + 5 + i, 1));
  batch[2][6] = qdd[1];
  printf(" %d", (int)swing_straight_inverse_dynamics_batch(&p, 5, batch[0], batch[1], batch[2], tau));
  batch[1][3] = batch[1][8] = qd[0];
  printf(" %d", (int)swing_straight_inverse_dynamics_batch(&p, 5, batch[0], batch[1], batch[2], tau));
  p.load = KG_REAL(6.0);
  tau[0] = KG_REAL(7.0);
  printf(" %d %d\\n", (int)swing_straight_inverse_dynamics_batch(&p, 5, batch[0], batch[1], batch[2], tau), (int)tau[0]);
  return 0;
}
`;

const BATCH = `${KG_NON_FINITE} 11 00 11 00 11 ${KG_UNDEFINED} ${KG_OK} ${KG_OUT_OF_RANGE} 7`;

/** Statuses must survive what compilers make of numbers that they are told to be finite. */
const FLAGS = [[], ['-O3', '-ffast-math']];
const programs = COMPILERS.flatMap(
  (c, i) =>
    (['double', 'single'] as const).flatMap((precision, j) =>
      FLAGS.map((flags, k) => ({ ...c, precision, flags, text: flags.join(' ') || 'strict', parity: (i + j + k) % 2 })),
    ),
  // Every pair of compiler, precision and flags; all three together where everything is asked for.
).filter(({ parity }) => process.env['KANEGEN_FULL'] === '1' || parity === 0);

describe('statuses in C', () => {
  for (const { compiler, missing, precision, flags, text } of programs)
    it.skipIf(missing)(`say what was computed (${compiler}, ${precision}, ${text}; needs ${compiler})`, async () => {
      const files = [...inFolder('c'), { path: 'main.c', text: SOURCE }];
      const program = await buildC(files, { compiler, precision, flags }, (path) => path.endsWith('_selftest.c'));
      const lines = (await runProgram(program).finally(() => program.dispose())).trim().split('\n');
      const found = lines.slice(0, -1).map((line) => line.split(';'));
      expect(found).toEqual(EXPECTED.map(([name, status, output]) => [name, String(status), output]));
      expect(lines.at(-1)).toBe(BATCH);
    });
});

describe('statuses in TypeScript', () => {
  const typescript = inFolder('typescript');
  const file = (end: string): GeneratedFile => typescript.find((f) => f.path === `swing${end}.ts`)!;
  const [q, qd, qdd] = [Float64Array.of(0.3, 0.4), Float64Array.of(1, 2), Float64Array.of(0.5, 0.1)];
  const fast = new Float64Array(2).fill(FAST.double);
  const nan = Float64Array.of(0, NaN);
  const infinite = Float64Array.of(Infinity, 0);
  const ordered = [file(''), ...typescript.filter((f) => f !== file(''))];

  it('are those of C, and nothing is thrown', async () => {
    const w = (await loadGenerated(ordered))();
    const p = w.parameters;
    const { inverseDynamics, dynamicsTerms, massMatrix } = await loadStraight(ordered, file('_straight'));
    const found: Outcome[] = [];
    const run = (name: string, call: (out: Float64Array, other: Float64Array) => number): void => {
      const [out, other] = [new Float64Array(4).fill(7), new Float64Array(4).fill(7)];
      const status = call(out, other);
      found.push(outcome(name, status, [...out.subarray(0, 2)]));
    };
    const withLoad = (load: number, call: () => number): number => {
      p['load'] = load;
      const status = call();
      p['load'] = 1;
      return status;
    };
    run('before any update', (out) => w.inverseDynamics(qdd, out));
    run('update', () => w.update(q, qd));
    run('inverse dynamics', (out) => w.inverseDynamics(qdd, out));
    run('qdd NaN', (out) => w.inverseDynamics(nan, out));
    run('sweep, qdd infinite', (out, other) => w.inverseDynamicsAndMassMatrix(infinite, other, out));
    run('frame -1', (out) => w.frame(-1, null, out, null));
    run('frame too many', (out) => w.frame(2, null, out, null));
    run('update, fast', () => w.update(q, fast));
    run('fast', (out) => w.inverseDynamics(qdd, out));
    run('terms, fast', (out, other) => w.terms(other, out, null, null));
    run('energies, fast', (out) => w.energies(out));
    run('mass matrix, fast', (out) => w.massMatrix(out));
    run('update, q NaN', () => w.update(nan, qd));
    run('inverse dynamics after that', (out) => w.inverseDynamics(qdd, out));
    run('update, load -1', () => withLoad(-1, () => w.update(q, qd)));
    run('mass matrix after that', (out) => w.massMatrix(out));
    run('one call, load 6', (out) => withLoad(6, () => w.inverseDynamicsAt(q, qd, qdd, out)));
    run('after one call', (out) => w.terms(out, null, null, null));
    run('one call, load NaN', (out) => withLoad(NaN, () => w.inverseDynamicsAt(q, qd, qdd, out)));
    p.gravity[1] = Infinity;
    run('gravity in one call, gravity infinite', (out) => w.gravityAt(q, out));
    p.gravity[1] = 0;
    run('one call, fast', (out) => w.inverseDynamicsAt(q, fast, qdd, out));
    run('mass matrix in one call, q infinite', (out) => w.massMatrixAt(infinite, out));
    run('straight', (out) => inverseDynamics!(p, q, qd, qdd, out));
    run('straight, q NaN', (out) => inverseDynamics!(p, nan, qd, qdd, out));
    run('straight, fast', (out) => inverseDynamics!(p, q, fast, qdd, out));
    run('straight, load 6', (out) => withLoad(6, () => inverseDynamics!(p, q, qd, qdd, out)));
    run('straight terms, fast, no M', (out) => dynamicsTerms!(p, q, fast, null, out, null));
    run('straight, angles beyond 2^22 rad', (out) => massMatrix!(p, new Float64Array(2).fill(Number.MAX_VALUE), out));
    expect(found).toEqual(EXPECTED);
  });

  it('of many states in WebAssembly are that of the first that fails, with marks where they fail', async () => {
    const module = (await loadStraight(ordered, file('_straight_batch'))) as unknown as Record<string, unknown>;
    const batch = await (module['createSwingBatch'] as (states: number) => Promise<Batch>)(5);
    const { capacity } = batch;
    const p = { gravity: Float64Array.of(0, 0, -9.81), load: 1 };
    const fill = (array: Float64Array, values: Float64Array): void => {
      for (let i = 0; i < 2 * capacity; i++) array[i] = values[Math.floor(i / capacity)]!;
    };
    const reset = (): void => {
      fill(batch.q, q);
      fill(batch.qd, qd);
      fill(batch.qdd, qdd);
    };
    reset();
    batch.qdd[capacity + 1] = NaN;
    batch.qd[3] = batch.qd[capacity + 3] = FAST.double;
    const statuses = [batch.inverseDynamics(p, 5)];
    const finite = [0, 1, 2, 3, 4].map(
      (s) => `${+Number.isFinite(batch.tau[s])}${+Number.isFinite(batch.tau[capacity + s])}`,
    );
    batch.qdd[capacity + 1] = 0;
    statuses.push(batch.inverseDynamics(p, 5));
    reset();
    statuses.push(batch.inverseDynamics(p, 5));
    batch.tau[0] = 7;
    statuses.push(batch.inverseDynamics({ ...p, load: 6 }, 5));
    expect([statuses[0], ...finite, ...statuses.slice(1), batch.tau[0]].join(' ')).toBe(BATCH);
  });
});

interface Batch {
  readonly capacity: number;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly tau: Float64Array;
  inverseDynamics(p: object, count: number): number;
}
