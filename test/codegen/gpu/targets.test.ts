/** `--target cuda` and `--target wgsl`: what is written, and what is refused before anything is compiled. */
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { demandTargets } from '../../../src/codegen/target-demands.ts';
import { loadRobotObject } from '../../../src/description/load.ts';
import { runInProcess } from '../../cli/in-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'kanegen-targets-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PENDULUM = `kanegen: 1
name: swing
links: [{ name: bar, joint: { revolute: y }, rigid: { mass: 1, com: [0, 0, -0.3] } }]
`;

it('bring straight-line functions along, and write nothing but the folders of targets', async () => {
  writeFileSync(join(folder, 'swing.robot.yaml'), PENDULUM);
  const words = ['--target', 'cuda,wgsl', '--functions', 'inverse-dynamics', '--out', 'out', '--no-cache'];
  const { code, err } = await runInProcess(folder, ['compile', 'swing.robot.yaml', ...words]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(readdirSync(join(folder, 'out')).sort()).toEqual([
    '.kanegen',
    'cuda',
    'interface.json',
    'straight.json',
    'wgsl',
  ]);
  expect(readdirSync(join(folder, 'out/cuda')).sort()).toEqual([
    'CMakeLists.txt',
    'kanegen_runtime.cuh',
    'swing_straight.cuh',
    'swing_straight_batch.cu',
    'swing_straight_batch.h',
  ]);
  expect(readdirSync(join(folder, 'out/wgsl')).sort()).toEqual([
    'swing_straight.wgsl',
    'swing_straight_webgpu.d.ts',
    'swing_straight_webgpu.js',
  ]);
});

it('are refused with --modules', async () => {
  writeFileSync(join(folder, 'swing.robot.yaml'), PENDULUM);
  const { code, err } = await runInProcess(folder, ['compile', 'swing.robot.yaml', '--target', 'cuda', '--modules']);
  expect(code).toBe(2);
  expect(err).toContain('--modules writes ts and c, not cuda');
});

it('are refused for robots without coordinates', () => {
  const still = loadRobotObject({ kanegen: 1, name: 'still', links: [{ name: 'block', rigid: { mass: 1 } }] });
  expect(() => demandTargets(still, ['wgsl'], true)).toThrow(expect.objectContaining({ code: 'no-kernels' }) as Error);
});
