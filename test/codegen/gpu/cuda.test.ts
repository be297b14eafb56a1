/** Kernels of CUDA: as loops on this machine against TypeScript, and compiled for a device by clang and nvcc where there are any. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cudaFiles } from '../../../src/codegen/gpu/cuda.ts';
import { isInstalled } from '../../compilers.ts';
import {
  difference,
  linkageRobot,
  rolledOut,
  rolloutBatch,
  softRobot,
  STEPS,
  type Batch,
  type KernelRobot,
} from './kernel-robots.ts';
import { steppersOf, type Kernel } from '../../../src/codegen/gpu/kernels.ts';

const COUNT = 5;
const NUMBERS: Readonly<Record<string, number>> = { h: 0.03, alpha: 5, beta: 7 };
const SHIM = import.meta.dirname;
const WARNINGS = ['-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror'];

const isFull = process.env['KANEGEN_FULL'] === '1';

let robots: readonly KernelRobot[];
beforeAll(async () => {
  robots = await Promise.all([softRobot(), linkageRobot()]);
});

async function inFolder<Result>(robot: KernelRobot, work: (folder: string) => Result): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'kanegen-cuda-'));
  try {
    for (const file of await cudaFiles(robot.model)) writeFileSync(join(folder, file.path), file.text);
    return work(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Reads what `given` writes, calls every kernel, then every rollout, and writes statuses and results. */
function programOf({ model, kernels }: KernelRobot): string {
  const { name } = model.robot;
  const keeps = model.parameters.length > 0;
  const { coordinates, actuators } = model.robot.robot;
  const n = coordinates.length;
  const parameters = model.parameters.map(({ member, index }) => {
    const place = index === undefined ? member : `${member}[${index}]`;
    return `  for (own &one : p) one.${place} = next();`;
  });
  const read = (kernel: Kernel): string[] =>
    [...kernel.inputs, ...kernel.changed].map(
      (own) => `  std::vector<kg_real> ${own.name} = numbers(${own.size} * ${COUNT});`,
    );
  const calls = kernels.map((kernel) => {
    const { outputs, numbers, inputs } = kernel;
    const results = kernel.of.outputs.filter(({ size }) => size > 0).map((own) => own.name);
    const passed = [
      ...(kernel.keeps ? ['p.data()', '1'] : []),
      ...numbers.map((own) => `KG_REAL(${NUMBERS[own]!})`),
      ...[...inputs.map((own) => own.name), ...results].map((own) => `${own}.data()`),
    ];
    return [
      '{',
      ...(kernel.keeps ? ['  parameters(p);'] : []),
      ...read(kernel),
      ...outputs.map((own) => `  std::vector<kg_real> ${own.name}(${own.size} * ${COUNT});`),
      `  launched(${name}_straight_${kernel.name}_batch(${[COUNT, ...passed].join(', ')}, status, 0));`,
      ...results.map((own) => `  print(${own});`),
      '}',
    ].join('\n');
  });
  const size = actuators.length > 0 ? actuators.length : n;
  const rollouts = steppersOf(model).map((stepper) =>
    [
      '{',
      ...(keeps ? ['  parameters(p);'] : []),
      `  std::vector<kg_real> q = numbers(${n * COUNT}), qd = numbers(${n * COUNT}), u = numbers(${size * COUNT * STEPS});`,
      `  std::vector<kg_real> path(${n * COUNT * STEPS}), rates(${n * COUNT * STEPS});`,
      `  launched(${name}_straight_${stepper.name}_rollout_batch(${COUNT}, ${keeps ? 'p.data(), 1, ' : ''}${STEPS}, KG_REAL(0.01), q.data(), qd.data(), u.data(), q.data(), qd.data(), path.data(), rates.data(), status, 0));`,
      '  print(q); print(qd); print(path); print(rates);',
      '}',
    ].join('\n'),
  );
  return `#include "${name}_straight_batch.cu"
#include <stdio.h>
#include <stdlib.h>
#include <vector>
static kg_status status[${COUNT}];
static kg_real next()
{
  double x = 0.0;
  if (scanf("%lf", &x) != 1) exit(2);
  return (kg_real)x;
}
static std::vector<kg_real> numbers(size_t count)
{
  std::vector<kg_real> all(count);
  for (kg_real &x : all) x = next();
  return all;
}
static void launched(cudaError_t error)
{
  if (error != cudaSuccess) exit(3);
  for (kg_status one : status) printf("%d ", (int)one);
  printf("\\n");
}
static void print(const std::vector<kg_real> &all)
{
  for (kg_real x : all) printf("%.17g ", (double)x);
  printf("\\n");
}
${keeps ? `typedef ${name}_parameters own;\nstatic void parameters(std::vector<own> &p)\n{\n${parameters.join('\n')}\n}` : ''}
int main()
{
${keeps ? `std::vector<own> p(${COUNT}, ${name}_defaults());` : ''}
${[...calls, ...rollouts].join('\n')}
  return 0;
}
`;
}

interface Run {
  readonly status: readonly number[];
  readonly results: readonly Float64Array[];
}

/** What the kernels find as loops on this machine. @param inputs numbers that the program reads, in order. */
async function loops(robot: KernelRobot, flags: readonly string[], inputs: readonly number[]): Promise<Run[]> {
  return inFolder(robot, (folder) => {
    const source = join(folder, `${robot.model.robot.name}_straight_batch.cu`);
    const text = readFileSync(source, 'utf8');
    const launches = text.replace(
      /(\w+)<<<([^;]*), KG_THREADS, 0, stream>>>\(/g,
      '(void)stream;\n  KG_LAUNCH($1, $2, KG_THREADS, ',
    );
    writeFileSync(source, launches);
    writeFileSync(join(folder, 'main.cc'), programOf(robot));
    // Of a block that is not full, and of several.
    const all = ['-std=c++11', '-O0', '-ffp-contract=off', '-DKG_THREADS=3', ...WARNINGS, ...flags, `-I${SHIM}`];
    execFileSync('g++', [...all, 'main.cc', '-o', 'main'], { cwd: folder, stdio: 'pipe' });
    const lines = execFileSync(join(folder, 'main'), { input: inputs.join(' '), encoding: 'utf8' })
      .trim()
      .split('\n');
    const rows = lines.map((line) => Float64Array.from(line.trim().split(/\s+/), Number));
    const take = (count: number): Run => ({ status: [...rows.shift()!], results: rows.splice(0, count) });
    return [
      ...robot.kernels.map(({ of }) => take(of.outputs.filter(({ size }) => size > 0).length)),
      ...steppersOf(robot.model).map(() => take(4)),
    ];
  });
}

const precisions = [
  { precision: 'double', flags: [], tolerance: 1e-12 },
  { precision: 'float', flags: ['-DKG_SINGLE'], tolerance: 1e-5 },
];

describe('kernels of CUDA', () => {
  it.skipIf(!isInstalled('g++')).each(precisions)(
    'compute as loops what TypeScript computes ($precision, needs g++)',
    async ({ flags, tolerance }) => {
      for (const robot of robots) {
        const batches = robot.kernels.map((kernel, i) => robot.batch(kernel, COUNT, i + 1));
        const rollouts = steppersOf(robot.model).map((_, i) => rolloutBatch(robot, i + 1));
        const found = await loops(robot, flags, [
          ...robot.kernels.flatMap((kernel, i) => numbersOf(kernel, batches[i]!)),
          ...rollouts.flatMap(({ parameters, arrays }) => [
            ...parameters.flat(),
            ...Object.values(arrays).flatMap((x) => [...x]),
          ]),
        ]);
        const expected = [
          ...robot.kernels.map((kernel, i) => robot.expected(kernel, batches[i]!)),
          ...steppersOf(robot.model).map(({ name }, i) => rolledOut(robot, name, rollouts[i]!)),
        ];
        found.forEach(({ status, results }, k) => {
          expect(status, `${k}`).toEqual(expected[k]!.status);
          results.forEach((result, i) =>
            expect(difference(result, expected[k]!.results[i]!), `${k} ${i}`).toBeLessThan(tolerance),
          );
        });
      }
    },
  );
});

it('lines of CUDA fit 120 columns', async () => {
  for (const robot of robots)
    for (const { path, text } of await cudaFiles(robot.model))
      expect(
        text.split('\n').filter((line) => line.length > 120),
        path,
      ).toEqual([]);
});

describe('kernels of CUDA for a device', () => {
  const isClangCuda =
    isInstalled('clang++') &&
    spawnSync('clang++', ['--print-targets'], { encoding: 'utf8' }).stdout.includes('nvptx64');
  const kernels = ({ kernels: own, model }: KernelRobot): string[] =>
    [...own.map(({ name }) => name), ...steppersOf(model).map(({ name }) => `${name}_rollout`)].map(
      (name) => `${name}_kernel`,
    );
  it.skipIf(!isClangCuda).each(precisions)('are PTX ($precision, needs clang++ with nvptx64)', async ({ flags }) => {
    const device = [
      '-x',
      'cuda',
      '--cuda-device-only',
      '--cuda-gpu-arch=sm_70',
      '-nocudainc',
      '-nocudalib',
      '-Wno-unknown-cuda-version',
    ];
    for (const robot of robots) {
      const ptx = await inFolder(robot, (folder) =>
        execFileSync(
          'clang++',
          [
            ...device,
            ...flags,
            ...WARNINGS,
            `-I${SHIM}`,
            '-include',
            'cuda_runtime.h',
            '-O1',
            '-S',
            `${robot.model.robot.name}_straight_batch.cu`,
            '-o',
            '-',
          ],
          { cwd: folder, encoding: 'utf8', stdio: 'pipe' },
        ),
      );
      const entries = [...ptx.matchAll(/\.visible \.entry \w*?\d+(\w+_kernel)/g)].map(([, own]) => own);
      for (const name of kernels(robot)) expect(ptx).toMatch(new RegExp(`\\.entry \\w*${name}`));
      expect(entries.length).toBeLessThanOrEqual(kernels(robot).length);
      // Nothing is computed in double where float is asked for, but angles that are far out of range.
      if (flags.length === 0) expect(ptx).not.toMatch(/\bmul\.(?:rn\.)?f32/);
    }
  });

  it.skipIf(!isFull || !isInstalled('nvcc'))(
    'are taken by nvcc without a warning (needs nvcc, KANEGEN_FULL)',
    async () => {
      for (const robot of robots)
        await inFolder(robot, (folder) => {
          const flags = ['-arch=sm_80', '-Werror', 'all-warnings', '-Xcompiler', '-Wall', '-c'];
          execFileSync('nvcc', [...flags, `${robot.model.robot.name}_straight_batch.cu`, '-o', 'kernels.o'], {
            cwd: folder,
            stdio: 'pipe',
          });
        });
    },
  );
});

function numbersOf(kernel: Kernel, { parameters, arrays }: Batch): number[] {
  const buffers = [...kernel.inputs, ...kernel.changed].flatMap(({ name }) => [...arrays[name]!]);
  return [...(kernel.keeps ? parameters.flat() : []), ...buffers];
}
