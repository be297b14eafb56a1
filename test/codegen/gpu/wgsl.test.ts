/** Kernels in WGSL: in headless Chromium, whose WebGPU computes by SwiftShader, against TypeScript; what they refuse. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { steppersOf } from '../../../src/codegen/gpu/kernels.ts';
import { wgslFiles } from '../../../src/codegen/gpu/wgsl.ts';
import { camelCase, pascalCase } from '../../../src/codegen/naming/identifiers.ts';
import { Browser, CHROMIUM } from '../../browser.ts';
import {
  difference,
  linkageRobot,
  rolledOut,
  rolloutBatch,
  softRobot,
  STEPS,
  type KernelRobot,
} from './kernel-robots.ts';

const COUNT = 5;
const TOLERANCE = 1e-5;

let robot: KernelRobot;
beforeAll(async () => {
  robot = await softRobot();
});

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
    const files = await wgslFiles(robot.model);
    const text = (end: string): string => files.find(({ path }) => path.endsWith(end))!.text;
    const module = `data:text/javascript;base64,${Buffer.from(text('.js')).toString('base64')}`;
    await browser.value(`(async () => {
      const device = await (await navigator.gpu.requestAdapter()).requestDevice();
      device.addEventListener('uncapturederror', ({ error }) => console.error(error.message));
      const { create${pascalCase(robot.model.robot.name)}Kernels } = await import(${JSON.stringify(module)});
      globalThis.kernels = await create${pascalCase(robot.model.robot.name)}Kernels(device, ${JSON.stringify(text('.wgsl'))});
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
    for (const [k, kernel] of robot.kernels.entries()) {
      const batch = robot.batch(kernel, COUNT, k + 1);
      const expected = robot.expected(kernel, batch);
      const states = [
        `parameters: ${listed(interleaved(batch.parameters))}`,
        ...kernel.numbers.map((own) => `${own}: ${batch.numbers[own]!}`),
        ...Object.entries(batch.arrays).map(([name, values]) => `${name}: ${listed(values)}`),
      ];
      const found = await ask(`${camelCase(kernel.name)}({ ${states.join(', ')} })`);
      expect(found['status'], kernel.name).toEqual(expected.status);
      kernel.of.outputs.forEach(({ name }, i) =>
        expect(difference(numbers(found[name]!), expected.results[i]!), `${kernel.name} ${name}`).toBeLessThan(
          TOLERANCE,
        ),
      );
    }
  });

  it('take steps as TypeScript does, to 1e-5', async ({ skip }) => {
    if (!isThere) skip('Chromium has no WebGPU here');
    for (const [k, { name }] of steppersOf(robot.model).entries()) {
      const batch = rolloutBatch(robot, k + 1);
      const expected = rolledOut(robot, name, batch);
      const { q, qd, u } = batch.arrays;
      const motion = `{ steps: ${STEPS}, h: ${batch.numbers['h']!}, q: ${listed(q!)}, qd: ${listed(qd!)}, u: ${listed(u!)}, path: true, parameters: ${listed(interleaved(batch.parameters))} }`;
      const found = await ask(`${camelCase(`${name}_rollout`)}(${motion})`);
      expect(found['status'], name).toEqual(expected.status);
      ['q', 'qd', 'path', 'rates'].forEach((own, i) =>
        expect(difference(numbers(found[own]!), expected.results[i]!), `${name} ${own}`).toBeLessThan(TOLERANCE),
      );
    }
  });

  it('refuse arrays that do not belong together', async ({ skip }) => {
    if (!isThere) skip('Chromium has no WebGPU here');
    const said = await browser.value(
      `kernels.passiveForces({ q: [1, 2, 3, 4, 5, 6], qd: [1, 2, 3] }).catch((error) => error.message)`,
    );
    expect(said).toBe('passiveForces: qd has 3 numbers, and takes 3 of each state of q');
  });
});

/** Parameters of one state after those of another. */
const interleaved = (parameters: readonly (readonly number[])[]): number[] =>
  Array.from({ length: COUNT }, (_, s) => parameters.map((own) => own[s]!)).flat();

it('lines of WGSL and of what runs it fit 120 columns', async () => {
  for (const { path, text } of await wgslFiles(robot.model))
    expect(
      text.split('\n').filter((line) => line.length > 120),
      path,
    ).toEqual([]);
});

describe('kernels in WGSL refuse', () => {
  it('functions that close loops', async () => {
    const { model } = await linkageRobot();
    await expect(wgslFiles(model)).rejects.toMatchObject({ code: 'no-wgsl' });
  });
});
