/** Kernels of CUDA in folders: as they are, and as programs that make loops of them on this machine. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cudaFiles } from '../../../src/codegen/gpu/cuda.ts';
import { steppersOf, type Kernel } from '../../../src/codegen/gpu/kernels.ts';
import { COUNT, STEPS, type Batch, type Found, type KernelRobot } from './kernel-robots.ts';

const NUMBERS: Readonly<Record<string, number>> = { h: 0.03, alpha: 5, beta: 7 };
/** Of `cuda_runtime.h`, which stands in for that of the toolkit. */
export const SHIM = import.meta.dirname;
export const WARNINGS = ['-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-Werror'];

export async function inFolder<Result>(robot: KernelRobot, work: (folder: string) => Result): Promise<Result> {
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
    const results = kernel.written.map((own) => own.name);
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

/** What the kernels find as loops on this machine. @param inputs numbers that the program reads, in order. */
export async function loops(robot: KernelRobot, flags: readonly string[], inputs: readonly number[]): Promise<Found[]> {
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
    const take = (count: number): Found => ({ status: [...rows.shift()!], results: rows.splice(0, count) });
    return [...robot.kernels.map(({ written }) => take(written.length)), ...steppersOf(robot.model).map(() => take(4))];
  });
}

/** What the program reads for a kernel. */
export function numbersOf(kernel: Kernel, { parameters, arrays }: Batch): number[] {
  const buffers = [...kernel.inputs, ...kernel.changed].flatMap(({ name }) => [...arrays[name]!]);
  return [...(kernel.keeps ? parameters.flat() : []), ...buffers];
}
