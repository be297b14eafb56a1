/**
 * Generated code against reference data that others computed by Euler–Lagrange in 256-bit arithmetic, straight and nearly
 * straight states included: every file whose bodies have closed forms, in TypeScript and in C.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareReference, readReferenceDirectory } from '../../src/verify/compare-reference.ts';

const directory = fileURLToPath(new URL('../reference', import.meta.url));
const supported = readReferenceDirectory(directory, ['A', 'B', 'C', 'D', 'G', 'H', 'K']);
const compiler = process.env['KANEGEN_CC'] ?? 'cc';
const hasCompiler = spawnSync(compiler, ['--version']).status === 0;
const full = process.env['KANEGEN_FULL'] === '1';

/** Largest robot of each family: what single precision is checked on, unless everything is asked for. */
const LARGEST = [
  'A_planar_cc_N6_phys',
  'B_planar_cce_N3_phys',
  'C_pcc3d_N2_phys',
  'D_pcs_N2_phys',
  'G_UR10e',
  'H_UR10e',
  'K_cc',
];

/** What straight-line functions are checked on, unless everything is asked for. */
const IN_STRAIGHT_LINE = [
  'A_planar_cc_N1_unit',
  'A_planar_cc_N6_phys',
  'B_planar_cce_N2_mixed',
  'C_pcc3d_N1_phys',
  'D_pcs_N1_unit',
  'G_',
  'H_UR10e',
  'K_cc',
];

describe('generated TypeScript', () => {
  it('covers all files of the seven families', () => {
    expect(supported.length).toBe(37);
  });

  it.each(supported.map((f) => [f.file, f] as const))('meets %s to 1e-13', async (_, file) => {
    const result = await compareReference(file, { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });
});

describe.skipIf(!hasCompiler)('generated C (needs a C compiler)', () => {
  it.each(supported.map((f) => [f.file, f] as const))('meets %s to 1e-13', async (_, file) => {
    const result = await compareReference(file, { target: 'c', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });

  const inSingle = supported.filter((f) => full || LARGEST.some((name) => f.file.startsWith(name)));
  it.each(inSingle.map((f) => [f.file, f] as const))('meets %s to 2e-5 in single precision', async (_, file) => {
    const result = await compareReference(file, { target: 'c', precision: 'single' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance: 2e-5 });
  });
});

describe('straight-line functions', () => {
  // Every family; the rest, and C, with everything else that is asked for.
  const some = supported.filter((f) => full || IN_STRAIGHT_LINE.some((name) => f.file.startsWith(name)));

  it.each(some.map((f) => [f.file, f] as const))('in TypeScript meet %s to 1e-13', async (_, file) => {
    const result = await compareReference(file, { target: 'ts', precision: 'double', straight: true });
    expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });

  it.skipIf(!hasCompiler).each(some.map((f) => [f.file, f] as const))(
    'in C meet %s to 1e-13, and to 2e-5 in single precision (needs a C compiler)',
    async (_, file) => {
      for (const [precision, tolerance] of [
        ['double', 1e-13],
        ['single', 2e-5],
      ] as const) {
        const result = await compareReference(file, { target: 'c', precision, straight: true });
        expect(result).toMatchObject({ outcome: 'passed', tolerance });
      }
    },
  );
});

describe('the comparison itself', () => {
  const sample = supported.find((f) => f.file === 'A_planar_cc_N2_phys.json')!;

  it('notices an error of 1e-12 in one entry and says where', async () => {
    const states = sample.states.map((s, i) =>
      i === 3 ? { ...s, tau: [s.tau[0]!, String(Number(s.tau[1]) * (1 + 1e-12))] } : s,
    );
    const result = await compareReference({ ...sample, states }, { target: 'ts', precision: 'double' });
    expect(result.outcome).toBe('failed');
    expect(result).toMatchObject({ where: `${sample.states[3]!.name}, tau[1]` });
  });

  it('skips files of body types that do not exist yet', async () => {
    const [later] = readReferenceDirectory(directory, ['J']);
    const result = await compareReference(later!, { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('lvp') as string });
  });
});
