/**
 * Kernels of graphics processors against TypeScript: those of CUDA as loops on this machine, and compiled for a device by clang and nvcc
 * where there are any; those in WGSL in headless Chromium, whose WebGPU computes by SwiftShader.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cudaFiles } from '../../../src/codegen/gpu/cuda.ts';
import { steppersOf } from '../../../src/codegen/gpu/kernels.ts';
import { wgslFiles } from '../../../src/codegen/gpu/wgsl.ts';
import { camelCase, pascalCase } from '../../../src/codegen/naming/identifiers.ts';
import { Browser, CHROMIUM } from '../../browser.ts';
import { isInstalled } from '../../compilers.ts';
import { inFolder, loops, numbersOf, SHIM, WARNINGS } from './cuda-loops.ts';
import {
  COUNT,
  difference,
  linkageRobot,
  rolledOut,
  rolloutBatch,
  softRobot,
  STEPS,
  type KernelRobot,
} from './kernel-robots.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';

let soft: KernelRobot;
/** With KANEGEN_FULL rows of loops, too. */
let robots: readonly KernelRobot[];
beforeAll(async () => {
  soft = await softRobot();
  robots = isFull ? [soft, await linkageRobot()] : [soft];
});

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
  it.skipIf(!isClangCuda).each(isFull ? precisions : precisions.slice(1))(
    'are PTX ($precision, needs clang++ with nvptx64)',
    async ({ flags }) => {
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
        for (const name of kernels(robot)) expect(ptx).toMatch(new RegExp(`\\.entry \\w*${name}`));
        // Nothing is computed in double where float is asked for, but angles that are far out of range.
        if (flags.length === 0) expect(ptx).not.toMatch(/\bmul\.(?:rn\.)?f32/);
      }
    },
  );

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

// ---------------------------------------------------------------------------------------------- WGSL

type Answer = Readonly<Record<string, readonly (number | null)[]>>;

/** Arrays as JSON has them: what is not a number is null. */
const listed = (values: ArrayLike<number>): string => JSON.stringify(Array.from(values)).replaceAll('null', 'NaN');
const numbers = (values: readonly (number | null)[]): number[] => values.map((x) => x ?? NaN);

describe.skipIf(!CHROMIUM)('kernels in WGSL (needs Chromium with WebGPU)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'kanegen-wgsl-'));
  let browser: Browser;
  let isThere = false;

  beforeAll(async () => {
    writeFileSync(join(folder, 'page.html'), '<title>kernels</title>');
    browser = await Browser.open(pathToFileURL(join(folder, 'page.html')).href, { hasWebGl: false, hasWebGpu: true });
    isThere = (await browser.value('navigator.gpu?.requestAdapter().then(Boolean)')) === true;
    if (!isThere) return;
    const files = await wgslFiles(soft.model);
    const text = (end: string): string => files.find(({ path }) => path.endsWith(end))!.text;
    const module = `data:text/javascript;base64,${Buffer.from(text('.js')).toString('base64')}`;
    await browser.value(`(async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      device.addEventListener('uncapturederror', ({ error }) => console.error(error.message));
      const { create${pascalCase(soft.model.robot.name)}Kernels } = await import(${JSON.stringify(module)});
      globalThis.kernels = await create${pascalCase(soft.model.robot.name)}Kernels(device, ${JSON.stringify(text('.wgsl'))});
      globalThis.plain = (found) => Object.fromEntries(Object.entries(found).map(([name, own]) => [name, [...own]]));
    })()`);
    expect(browser.complaints).toEqual([]);
  }, 60_000);
  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true });
  });

  const ask = async (call: string): Promise<Answer> => (await browser.value(`kernels.${call}.then(plain)`)) as Answer;

  it('compute what TypeScript computes, to 1e-5', async ({ skip }) => {
    if (!isThere) skip('Chromium has no WebGPU here');
    for (const [k, kernel] of soft.kernels.entries()) {
      const batch = soft.batch(kernel, COUNT, k + 1);
      const expected = soft.expected(kernel, batch);
      const states = [
        `parameters: ${listed(interleaved(batch.parameters))}`,
        ...kernel.numbers.map((own) => `${own}: ${batch.numbers[own]!}`),
        ...Object.entries(batch.arrays).map(([name, values]) => `${name}: ${listed(values)}`),
      ];
      const found = await ask(`${camelCase(kernel.name)}({ ${states.join(', ')} })`);
      expect(found['status'], kernel.name).toEqual(expected.status);
      kernel.of.outputs.forEach(({ name }, i) =>
        expect(difference(numbers(found[name]!), expected.results[i]!), `${kernel.name} ${name}`).toBeLessThan(1e-5),
      );
    }
  });

  it('take steps as TypeScript does, to 1e-5', async ({ skip }) => {
    if (!isThere) skip('Chromium has no WebGPU here');
    for (const [k, { name }] of steppersOf(soft.model).entries()) {
      const batch = rolloutBatch(soft, k + 1);
      const expected = rolledOut(soft, name, batch);
      const { q, qd, u } = batch.arrays;
      const motion = `{ steps: ${STEPS}, h: ${batch.numbers['h']!}, q: ${listed(q!)}, qd: ${listed(qd!)}, u: ${listed(u!)}, path: true, parameters: ${listed(interleaved(batch.parameters))} }`;
      const found = await ask(`${camelCase(`${name}_rollout`)}(${motion})`);
      expect(found['status'], name).toEqual(expected.status);
      ['q', 'qd', 'path', 'rates'].forEach((own, i) =>
        expect(difference(numbers(found[own]!), expected.results[i]!), `${name} ${own}`).toBeLessThan(1e-5),
      );
    }
  });

  it('refuse arrays that do not belong together', async ({ skip }) => {
    if (!isThere) skip('Chromium has no WebGPU here');
    const said = await browser.value(
      `kernels.inverseDynamics({ q: [1, 2, 3, 4], qd: [1, 2, 3, 4], qdd: [1, 2, 3] }).catch((error) => error.message)`,
    );
    expect(said).toBe('inverseDynamics: qdd has 3 numbers, and takes 2 of each state of q');
  });
});

/** Parameters of one state after those of another. */
const interleaved = (parameters: readonly (readonly number[])[]): number[] =>
  Array.from({ length: COUNT }, (_, s) => parameters.map((own) => own[s]!)).flat();

it('lines of WGSL and of what runs it fit 120 columns', async () => {
  for (const { path, text } of await wgslFiles(soft.model))
    expect(
      text.split('\n').filter((line) => line.length > 120),
      path,
    ).toEqual([]);
});

it.skipIf(!isFull)('functions that close loops are refused in WGSL', async () => {
  await expect(wgslFiles(robots[1]!.model)).rejects.toMatchObject({ code: 'no-wgsl' });
});
