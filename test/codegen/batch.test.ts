/**
 * Inverse dynamics of many states at once, in C and WebAssembly, forward dynamics and implicit steps in C, against the
 * straight-line functions for single states.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { describe, expect, it } from 'vitest';
import { branchFree } from '../../src/codegen/printing/branch-free.ts';
import { buildC, runProgram, STRICT_FLAGS } from '../../src/codegen/c/build-c.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import { loadGenerated, loadStraight } from '../../src/codegen/typescript/load.ts';
import type { Program } from '../../src/codegen/programs/program.ts';
import type { Statement, Tree } from '../../src/codegen/programs/statement.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { batchModule } from '../../src/codegen/wasm/straight-batch-wasm.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { KG_NON_FINITE, KG_OK } from '../../src/runtime/driver.ts';
import { exactDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { COMPILERS, SANITIZERS } from '../compilers.ts';
import { pendulumRobot, pendulumStraight } from './straight-pendulum.ts';
import type { OperationCounts } from '../../src/codegen/operations/operation-counts.ts';

// ---------------------------------------------------------------------------------------------- robots

/** Two soft segments: Stumpff functions, no sine or cosine. */
const soft = loadRobotObject({
  kanegen: 1,
  name: 'soft-two',
  'body-types': {
    'planar-cc': {
      parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' },
      coordinates: { q: { unit: 'rad' } },
      volume: { rod: { s: [0, 'L'] }, section: { disc: 'R', cartesian: ['x', 'y'] }, density: 'rho' },
      let: { theta: 'q*s/L' },
      position: ['L*(1 - cos(theta))/q + x*cos(theta)', 'y', 'L*sin(theta)/q - x*sin(theta)'],
      distal: { pivot: { s: 'L' }, 'x-axis': { s: 'L', x: 'R' }, 'y-axis': { s: 'L', y: 'R' } },
    },
  },
  links: [{ body: 'planar-cc', repeat: 2 }],
});
/** Three hinges, whose mass is known at run time: sine and cosine. */
const hinged = pendulumRobot(3);

async function folderOf(robot: Robot): Promise<GeneratedFile[]> {
  const straight =
    robot === hinged
      ? pendulumStraight(robot)
      : compileStraight(robot, { functions: ['inverseDynamics', 'forwardDynamics'], count: generatedCost });
  return generateFolder(robot, compileRobot(robot), ['ts', 'c', 'wasm'], straight);
}

const isFull = process.env['KANEGEN_FULL'] === '1';

const CASES = [
  { name: 'soft_two', n: 2, parameters: '', files: await folderOf(soft) },
  { name: 'pendulum_3', n: 3, parameters: '&pendulum_3_defaults, ', files: await folderOf(hinged) },
];

function inFolder(files: readonly GeneratedFile[], folder: string): GeneratedFile[] {
  return files
    .filter((f) => f.path.startsWith(`${folder}/`))
    .map((f) => ({ ...f, path: f.path.slice(folder.length + 1) }));
}

// ---------------------------------------------------------------------------------------------- C

/** Largest difference from single states, relative to the largest force of the state, over several sizes of batch. */
function comparison({ name, n, parameters }: (typeof CASES)[number]): GeneratedFile {
  const text = `#include "${name}_straight.h"
#include "${name}_straight_batch.h"
#include <stdio.h>
enum { N = ${n}, MOST = 37 };
static kg_real next(unsigned *seed)
{
  *seed = *seed * 1664525u + 1013904223u;
  return KG_REAL(2.0) * (kg_real)(*seed >> 8) / KG_REAL(16777216.0) - KG_REAL(1.0);
}
static double worst(size_t count, kg_real reach)
{
  kg_real q[N * MOST] = {0}, qd[N * MOST] = {0}, qdd[N * MOST] = {0}, tau[N * MOST], one[4][N];
  unsigned seed = 7u;
  double most = 0.0;
  size_t i, s;
  for (i = 0; i < N * count; i++) {
    q[i] = reach * next(&seed);
    qd[i] = next(&seed);
    qdd[i] = next(&seed);
  }
  ${name}_straight_inverse_dynamics_batch(${parameters}count, q, qd, qdd, tau);
  for (s = 0; s < count; s++) {
    kg_real scale = KG_REAL(0.0);
    for (i = 0; i < N; i++) {
      one[0][i] = q[i * count + s];
      one[1][i] = qd[i * count + s];
      one[2][i] = qdd[i * count + s];
    }
    ${name}_straight_inverse_dynamics(${parameters}one[0], one[1], one[2], one[3]);
    for (i = 0; i < N; i++)
      scale = kg_abs(one[3][i]) > scale ? kg_abs(one[3][i]) : scale;
    for (i = 0; i < N; i++) {
      const double difference = (double)(kg_abs(tau[i * count + s] - one[3][i]) / scale);
      if (!(difference <= most))
        most = difference;
    }
  }
  return most;
}
int main(void)
{
  static const size_t sizes[] = {1, 7, 8, 9, 37};
  static const kg_real reaches[] = {KG_REAL(3.0), KG_REAL(6.0), KG_REAL(300000.0)};
  size_t i, j;
  for (i = 0; i < 3; i++)
    for (j = 0; j < 5; j++)
      printf("%.17g\\n", worst(sizes[j], reaches[i]));
  return 0;
}
`;
  return { path: 'compare_batch.c', text };
}

describe('the batch form in C', () => {
  // Every pair of robot, compiler and precision; all three together where everything is asked for.
  const strict = CASES.flatMap((robot, i) =>
    COMPILERS.flatMap((c, j) =>
      (['double', 'single'] as const).map((precision, k) => ({ robot, ...c, precision, parity: (i + j + k) % 2 })),
    ),
  ).filter(({ parity }) => isFull || parity === 0);
  it.each(strict)(
    'agrees with single states within and beyond its range ($robot.name, $compiler, $precision)',
    async ({ robot, compiler, missing, precision }) => {
      if (missing) return;
      const files = [...inFolder(robot.files, 'c'), comparison(robot)];
      const program = await buildC(files, { compiler, precision }, (path) => path.endsWith('_selftest.c'));
      const differences = (await runProgram(program)).trim().split('\n').map(Number);
      await program.dispose();
      expect(differences).toHaveLength(15);
      // In single precision the polynomials of single states are shorter.
      const bound = precision === 'double' ? 0 : 2e-6;
      expect(Math.max(...differences)).toBeLessThanOrEqual(bound);
    },
  );

  it.each(COMPILERS)('agrees with single states where compilers may reorder sums ($compiler)', async (c) => {
    if (c.missing) return;
    const files = [...inFolder(CASES[1]!.files, 'c'), comparison(CASES[1]!)];
    const flags = ['-O3', '-ffast-math'];
    const program = await buildC(files, { compiler: c.compiler, flags }, (path) => path.endsWith('_selftest.c'));
    const differences = (await runProgram(program)).trim().split('\n').map(Number);
    await program.dispose();
    expect(Math.max(...differences)).toBeLessThanOrEqual(4e-15);
  });

  it.each(COMPILERS)(
    'touches nothing that it must not ($compiler with sanitizers)',
    async ({ compiler, unsanitary }) => {
      if (unsanitary) return;
      const robot = CASES[0]!;
      const files = [...inFolder(robot.files, 'c'), comparison(robot)];
      const program = await buildC(files, { compiler, flags: SANITIZERS }, (path) => path.endsWith('_selftest.c'));
      expect((await runProgram(program)).trim().split('\n')).toHaveLength(15);
      await program.dispose();
    },
  );

  const vectorised = COMPILERS.filter(({ missing }) => !missing && process.arch === 'x64');
  it.each(vectorised)('computes with vectors of four doubles and calls no function ($compiler)', ({ compiler }) => {
    for (const robot of CASES) {
      const folder = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
      for (const file of inFolder(robot.files, 'c')) writeFileSync(join(folder, file.path), file.text);
      const flags = [...STRICT_FLAGS, '-O3', '-mavx2', '-ffp-contract=off', '-S', '-o', '-'];
      const options = { cwd: folder, encoding: 'utf8' } as const;
      const assembly = execFileSync(compiler, [...flags, `${robot.name}_straight_batch.c`], options);
      rmSync(folder, { recursive: true });
      const count = (pattern: RegExp): number => assembly.match(pattern)?.length ?? 0;
      expect(count(/vmulpd.*%ymm/g)).toBeGreaterThan(10 * count(/vmulsd/g));
      expect(assembly).not.toMatch(/call\w*\s+(sin|cos|kg_\w*stumpff)/);
    }
  });
});

// ---------------------------------------------------------------------------------------------- WebAssembly

interface Batch {
  readonly capacity: number;
  readonly q: Float64Array;
  readonly qd: Float64Array;
  readonly qdd: Float64Array;
  readonly tau: Float64Array;
  inverseDynamics(...optional: readonly unknown[]): void;
}

describe('the batch form in WebAssembly', () => {
  it.each([
    { reach: 3, bound: 0, states: 10 },
    { reach: 6, bound: 0, states: 7 },
  ])('has the bits of single states for soft segments bent up to $reach rad', async ({ reach, bound, states }) => {
    expect(await worstDifference(CASES[0]!, reach, states)).toBeLessThanOrEqual(bound);
  });

  it.each([3, 300000])('has the bits of single states for hinges turned up to %d rad', async (reach) => {
    expect(await worstDifference(CASES[1]!, reach, 12)).toBe(0);
  });
});

async function worstDifference(
  { files, name, n }: (typeof CASES)[number],
  reach: number,
  states: number,
): Promise<number> {
  const typescript = inFolder(files, 'typescript');
  const file = (end: string): GeneratedFile => typescript.find((f) => f.path === `${name}_${end}.ts`)!;
  const { inverseDynamics } = await loadStraight(typescript, file('straight'));
  const module = (await loadStraight(typescript, file('straight_batch'))) as unknown as Record<string, unknown>;
  const create = Object.values(module)[0] as (states: number) => Promise<Batch>;
  const batch = await create(states);
  const { capacity, tau } = batch;
  let seed = 3;
  for (const [array, size] of [
    [batch.q, reach],
    [batch.qd, 1],
    [batch.qdd, 1],
  ] as const)
    for (let i = 0; i < n * capacity; i++) {
      seed = (seed * 16807) % 2147483647;
      array[i] = size * (seed / 1073741823.5 - 1);
    }
  const p = name === 'pendulum_3' ? [{ m: 1.7, gravity: Float64Array.of(0, 0, -9.81) }] : [];
  batch.inverseDynamics(...p, states);
  let worst = 0;
  for (let state = 0; state < states; state++) {
    const of = (array: Float64Array): Float64Array => array.filter((_, k) => k % capacity === state);
    const alone = new Float64Array(n);
    inverseDynamics!(...p, of(batch.q), of(batch.qd), of(batch.qdd), alone);
    const scale = Math.max(...alone.map(Math.abs));
    for (const [i, value] of of(tau).entries()) worst = Math.max(worst, Math.abs(value - alone[i]!) / scale);
  }
  return worst;
}

// ---------------------------------------------------------------------------------------------- arithmetic

const COUNTS: OperationCounts = { add: 0, multiply: 0, divide: 0, sqrt: 0, call: 0, stumpff: [], loops: [] };
const Q: Tree = { kind: 'load', place: { buffer: 'q', index: 0 } };

function programOf(...statements: readonly Statement[]): Program {
  return { name: 'f', reads: ['q'], writes: ['tau'], loads: [], counts: COUNTS, slots: 0, statements };
}

function store(index: number, value: Tree): Statement {
  return { kind: 'store', place: { buffer: 'tau', index }, value };
}

declare const WebAssembly: {
  readonly Memory: new (limits: { initial: number }) => { readonly buffer: ArrayBuffer };
  instantiate(bytes: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: unknown } }>;
};

/** tau[0 … outputs) of every value of q[0], as the WebAssembly module of the program computes them. */
async function compute(program: Program, inputs: readonly number[], outputs: number): Promise<number[][]> {
  const capacity = 2 * Math.ceil(inputs.length / 2);
  const memory = new WebAssembly.Memory({ initial: Math.ceil((8 * capacity * (outputs + 2)) / 65536) });
  const { instance } = await WebAssembly.instantiate(batchModule(program), { host: { memory }, math: Math });
  const numbers = new Float64Array(memory.buffer);
  numbers.set(inputs);
  const bytes = 8 * capacity;
  const { inverseDynamics } = instance.exports as { inverseDynamics(...pointers: readonly number[]): void };
  inverseDynamics(0, 0, 0, 0, bytes, bytes * (outputs + 1), bytes, 8 * inputs.length);
  return inputs.map((_, state) => Array.from({ length: outputs }, (_none, k) => numbers[(k + 1) * capacity + state]!));
}

describe('programs free of branches', () => {
  it('have sine and cosine within 2 units in the last place up to 100,000 rad, and within 2.3e-16 up to 2^22 rad', async () => {
    const sine: Tree = { kind: 'call', name: 'sin', operands: [Q] };
    const cosine: Tree = { kind: 'call', name: 'cos', operands: [Q] };
    const angles = [0, 1e-300, -1e-8, 0.7, Math.PI / 4, 1e5, -1e5];
    for (let k = 1; k < 400; k++) {
      angles.push((k * Math.PI) / 2, (k * 159 * Math.PI) / 2, -0.01 * k * 1.37, (250 * k * Math.SQRT2) % 1e5);
      angles.push(((k * 157 + 0.5) * Math.PI) / 2, (2 ** 22 / 400) * (k + 0.3));
    }
    const found = await compute(programOf(store(0, sine), store(1, cosine)), angles, 2);
    const Precise = Decimal.clone({ precision: 60 });
    angles.forEach((angle, i) => {
      const exact = exactDecimal(angle, Precise);
      for (const [k, value] of [exact.sin(), exact.cos()].entries()) {
        const nearest = Math.abs(value.toNumber());
        if (Math.abs(angle) > 1e5) {
          expect(value.minus(found[i]![k]!).abs().toNumber()).toBeLessThanOrEqual(2.3e-16);
          continue;
        }
        const unit = 2 ** Math.max(-1074, Math.floor(Math.log2(nearest || 1)) - 52);
        expect(value.minus(found[i]![k]!).abs().div(unit).toNumber()).toBeLessThanOrEqual(2);
      }
    });
  });

  it('choose between values lane by lane', async () => {
    const name = (text: string): Tree => ({ kind: 'name', name: text });
    const number = (value: number): Tree => ({ kind: 'number', value });
    const isBetween: Tree = {
      kind: 'logic',
      operator: 'and',
      operands: [
        { kind: 'compare', operator: '<', left: number(0), right: Q },
        { kind: 'logic', operator: 'not', operands: [{ kind: 'compare', operator: '<=', left: number(2), right: Q }] },
      ],
    };
    const chosen: Statement = {
      kind: 'select',
      name: 'chosen',
      condition: isBetween,
      then: [{ kind: 'let', name: 'root', value: { kind: 'sqrt', operand: Q } }],
      thenValue: name('root'),
      otherwise: [],
      otherwiseValue: { kind: 'negate', operand: Q },
    };
    const inputs = [-1, 0.25, 1.44, 5, 0];
    const found = await compute(programOf(chosen, store(0, name('chosen'))), inputs, 1);
    expect(found.flat()).toEqual([1, 0.5, 1.2, -5, -0]);
  });

  it('call functions of the host for every lane', async () => {
    const exponential: Tree = { kind: 'call', name: 'exp', operands: [Q] };
    const angle: Tree = { kind: 'call', name: 'atan2', operands: [Q, exponential] };
    const found = await compute(programOf(store(0, angle)), [0.5, -2, 3], 1);
    expect(found.flat()).toEqual([0.5, -2, 3].map((x) => Math.atan2(x, Math.exp(x))));
  });

  it('refuse outputs that may be left out', () => {
    const guarded: Statement = { kind: 'guard', buffer: 'M', statements: [] };
    expect(() => branchFree(programOf(guarded))).toThrow('guard');
  });
});

/** Batches of forward dynamics against single states, one of them bent by more than half a turn, one not finite. */
const FORWARD = `#include "soft_two_straight.h"
#include "soft_two_straight_forward_batch.h"
#include <stdio.h>
enum { N = 2, COUNT = 21 };
int main(void)
{
  static kg_real q[N * COUNT], qd[N * COUNT], tau[N * COUNT], qdd[N * COUNT];
  int i, k, status;
  for (i = 0; i < N; i++)
    for (k = 0; k < COUNT; k++) {
      q[i * COUNT + k] = KG_REAL(0.3) * (kg_real)((7 * k + 5 * i) % 11 - 5) + (k == 4 ? KG_REAL(5.0) : KG_REAL(0.0));
      qd[i * COUNT + k] = KG_REAL(0.2) * (kg_real)((3 * k + i) % 7 - 3);
      tau[i * COUNT + k] = KG_REAL(0.01) * (kg_real)((5 * k + 2 * i) % 13 - 6);
    }
  qd[6] = (kg_real)(HUGE_VAL);
  status = (int)soft_two_straight_forward_dynamics_batch(COUNT, q, qd, tau, qdd);
  printf("%d", status);
  for (k = 0; k < COUNT; k++) {
    kg_real one[4][N];
    for (i = 0; i < N; i++)
      one[0][i] = q[i * COUNT + k], one[1][i] = qd[i * COUNT + k], one[2][i] = tau[i * COUNT + k];
    printf(" %d", (int)soft_two_straight_forward_dynamics(one[0], one[1], one[2], one[3]));
    for (i = 0; i < N; i++)
      printf(" %.17g %.17g", (double)one[3][i], (double)qdd[i * COUNT + k]);
  }
  return 0;
}
`;

/** The same loops in both: compilers in turn, unless everything is asked for. */
const inTurn = (turn: number): typeof COMPILERS => COMPILERS.filter((_, i) => isFull || i === turn);

describe.each(inTurn(0))('forward dynamics of many states by $compiler', ({ compiler, missing }) => {
  it.skipIf(missing)(`has the bits of single states, and marks what is not finite (needs ${compiler})`, async () => {
    const files = [...inFolder(CASES[0]!.files, 'c'), { path: 'main.c', text: FORWARD }];
    const program = await buildC(files, { compiler }, (file) => file.endsWith('_selftest.c'));
    const [status, ...words] = (await runProgram(program).finally(() => program.dispose())).trim().split(' ');
    expect(Number(status)).toBe(KG_NON_FINITE);
    expectBits(words, 2);
  });
});

/** Of every state its own status and pairs of numbers, by the single function and in the batch. */
function expectBits(words: readonly string[], pairs: number): void {
  const width = 1 + 2 * pairs;
  expect(words).toHaveLength(21 * width);
  for (let k = 0; k < 21; k++) {
    const [own, ...numbers] = words.slice(width * k, width * (k + 1)).map(Number);
    const [alone, inBatch] = [0, 1].map((which) => numbers.filter((_, i) => i % 2 === which));
    expect(own).toBe(k === 6 ? KG_NON_FINITE : KG_OK);
    expect(inBatch).toEqual(k === 6 ? alone!.map(() => NaN) : alone);
  }
  expect(new Set(words).size).toBeGreaterThan(40);
}

/** Implicit steps of the same states, in place and to other arrays, and times that are refused before anything is written. */
const IMPLICIT = `#include "swinging_straight.h"
#include "swinging_straight_implicit_batch.h"
#include <stdio.h>
enum { N = 2, COUNT = 21 };
int main(void)
{
  static kg_real q[N * COUNT], qd[N * COUNT], tau[N * COUNT], next[2][N * COUNT], refused[2];
  const kg_real h = KG_REAL(0.03);
  int i, k, same = 1;
  for (i = 0; i < N; i++)
    for (k = 0; k < COUNT; k++) {
      q[i * COUNT + k] = KG_REAL(0.3) * (kg_real)((7 * k + 5 * i) % 11 - 5) + (k == 4 ? KG_REAL(5.0) : KG_REAL(0.0));
      qd[i * COUNT + k] = KG_REAL(0.2) * (kg_real)((3 * k + i) % 7 - 3);
      tau[i * COUNT + k] = KG_REAL(0.01) * (kg_real)((5 * k + 2 * i) % 13 - 6);
    }
  tau[6] = (kg_real)(HUGE_VAL);
  refused[0] = q[0];
  refused[1] = qd[0];
  printf("%d ", (int)swinging_straight_implicit_step_batch(COUNT, (kg_real)(HUGE_VAL), q, qd, tau, q, qd));
  printf("%d ", q[0] == refused[0] && qd[0] == refused[1]);
  printf("%d", (int)swinging_straight_implicit_step_batch(COUNT, h, q, qd, tau, next[0], next[1]));
  for (k = 0; k < COUNT; k++) {
    kg_real one[5][N];
    for (i = 0; i < N; i++)
      one[0][i] = q[i * COUNT + k], one[1][i] = qd[i * COUNT + k], one[2][i] = tau[i * COUNT + k];
    printf(" %d", (int)swinging_straight_implicit_step(h, one[0], one[1], one[2], one[3], one[4]));
    for (i = 0; i < N; i++)
      printf(" %.17g %.17g %.17g %.17g", (double)one[3][i], (double)next[0][i * COUNT + k], (double)one[4][i],
             (double)next[1][i * COUNT + k]);
  }
  swinging_straight_implicit_step_batch(COUNT, h, q, qd, tau, q, qd);
  for (i = 0; i < N * COUNT; i++)
    same &= i % COUNT == 6 || (q[i] == next[0][i] && qd[i] == next[1][i]);
  printf(" %d", same);
  return 0;
}
`;

/** A soft segment on a hinge with a spring and a damper. */
const swinging = loadRobotObject({
  kanegen: 1,
  name: 'swinging',
  links: [{ joint: { revolute: 'y', stiffness: '0.4 N m/rad', damping: '0.02 N m s/rad' }, body: 'planar-cc' }],
});
const files = await generateFolder(
  swinging,
  compileRobot(swinging),
  ['ts', 'c', 'wasm'],
  compileStraight(swinging, { functions: ['forwardDynamics', 'implicitStep'], count: generatedCost }),
);

describe('forward dynamics and implicit steps of many states in WebAssembly', () => {
  const typescript = inFolder(files, 'typescript');
  const file = (end: string): GeneratedFile => typescript.find(({ path }) => path === `swinging_${end}.ts`)!;
  const COUNT = 21;

  it.each([
    ['forwardDynamics', 'straight_forward_batch', [], ['qdd']],
    ['implicitStep', 'straight_implicit_batch', [0.03], ['qNext', 'qdNext']],
  ] as const)('%s has the bits of single states, also of those beyond polynomials', async (method, end, h, outputs) => {
    const single = (await loadStraight(typescript, file('straight')))[method]!;
    const [create] = Object.values(await loadStraight(typescript, file(end))) as unknown as ((
      states: number,
    ) => Promise<Record<string, Float64Array> & Record<typeof method, (...given: readonly number[]) => number>>)[];
    const batch = await create!(COUNT);
    const capacity = COUNT + 1;
    const inputs = [batch['q']!, batch['qd']!, batch['tau']!];
    inputs.forEach((array, which) => {
      for (let i = 0; i < 2 * capacity; i++) array[i] = [1.5, 1, 0.05][which]! * Math.sin(7.3 * i + which);
    });
    inputs[0]![4] = 5.2;
    inputs[2]![6] = Infinity;
    expect(batch[method](...h, COUNT)).toBe(KG_NON_FINITE);
    const found = outputs.map((name) => batch[name]!.slice());
    for (let k = 0; k < COUNT; k++) {
      const of = (array: Float64Array): Float64Array => Float64Array.of(array[k]!, array[capacity + k]!);
      const alone = outputs.map(() => new Float64Array(2));
      const status = single(...h, ...inputs.map(of), ...alone);
      expect(status).toBe(k === 6 ? KG_NON_FINITE : KG_OK);
      expect(found.map(of)).toEqual(k === 6 ? alone.map(() => Float64Array.of(NaN, NaN)) : alone);
    }
    if (method === 'implicitStep') expect(batch[method](NaN, COUNT)).toBe(KG_NON_FINITE);
  });
});

describe('implicit steps in straight-line TypeScript', () => {
  it('are those of the driver, and refuse a time that is not finite', async () => {
    const typescript = inFolder(files, 'typescript');
    const driver = (await loadGenerated(typescript))();
    const { implicitStep } = await loadStraight(
      typescript,
      typescript.find(({ path }) => path === 'swinging_straight.ts')!,
    );
    const [q, qd, tau] = [Float64Array.of(0.4, -0.9), Float64Array.of(1.5, -2), Float64Array.of(0.3, 0.02)];
    const [expected, found] = [0, 1].map(() => [new Float64Array(2), new Float64Array(2)] as const);
    for (const h of [1e-3, 0.2]) {
      expect(driver.update(q, qd)).toBe(KG_OK);
      expect(driver.implicitStep(h, tau, ...expected!)).toBe(KG_OK);
      expect(implicitStep!(h, q, qd, tau, ...found!)).toBe(KG_OK);
      for (const k of [0, 1])
        for (const i of [0, 1]) expect(Math.abs(found![k]![i]! / expected![k]![i]! - 1)).toBeLessThan(1e-12);
    }
    expect(implicitStep!(Infinity, q, qd, tau, ...found!)).toBe(KG_NON_FINITE);
  });
});

describe.each(inTurn(1))('implicit steps of many states by $compiler', ({ compiler, missing }) => {
  it.skipIf(missing)(`have the bits of single ones, in place, too (needs ${compiler})`, async () => {
    const sources = [...inFolder(files, 'c'), { path: 'main.c', text: IMPLICIT }];
    const program = await buildC(sources, { compiler }, (file) => file.endsWith('_selftest.c'));
    const words = (await runProgram(program).finally(() => program.dispose())).trim().split(' ');
    expect(words.slice(0, 3).map(Number)).toEqual([KG_NON_FINITE, 1, KG_NON_FINITE]);
    expect(words.at(-1)).toBe('1');
    expectBits(words.slice(3, -1), 4);
  });
});
