/**
 * Generated code against reference data that others computed by Euler–Lagrange in 256-bit arithmetic, straight and nearly
 * straight states included: every file whose bodies have closed forms, in TypeScript and in C.
 */
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  compareReference,
  readReferenceDirectory,
  type ReferenceFile,
} from '../../src/verify/reference/compare-reference.ts';
import type { ReferenceState } from '../../src/verify/reference/reference-state.ts';
import { buildQuickly } from '../compilers.ts';

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
  buildQuickly();

  // The same operations as in TypeScript, which meets the data of all robots: of every family the largest and others.
  const ofEveryFamily = [...LARGEST, ...IN_STRAIGHT_LINE];
  const inC = supported.filter((f) => full || ofEveryFamily.some((name) => f.file.startsWith(name)));
  it.each(inC.map((f) => [f.file, f] as const))('meets %s to 1e-13', async (_, file) => {
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
  buildQuickly();

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

/** Rods of varying strain, and bodies integrated over points; the bar of each family is that of its integrals. */
const INTEGRATED: readonly (readonly [string, number, number])[] = [
  ['E_', 5, 1e-11],
  ['E3_', 3, 1e-11],
  ['F_', 4, 1e-9],
  ['I_', 4, 1e-9],
  ['J_', 1, 1e-11],
];

describe('integrals without a closed form', () => {
  const files = INTEGRATED.flatMap(([family, , tolerance]) =>
    readReferenceDirectory(directory, [family]).map((file) => [file.file, file, tolerance] as const),
  );
  // Rules over points take long to choose: one body, unless everything is asked for.
  const some = files.filter(([name]) => full || /^(E|F)/.test(name));
  // In C the operations are those of TypeScript: one file.
  const inC = files.filter(([name]) => full || /^F.*N2_sigma/.test(name));

  it('are in twelve files of rods and five of points', () => {
    for (const [family, count] of INTEGRATED) expect(readReferenceDirectory(directory, [family])).toHaveLength(count);
  });

  it.each(some)('in TypeScript meet %s', { timeout: 600_000 }, async (_, file, tolerance) => {
    const result = await compareReference(file, { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance });
  });

  it.skipIf(!hasCompiler).each(inC)(
    'in C meet %s (needs a C compiler)',
    { timeout: 600_000 },
    async (_, file, tolerance) => {
      const result = await compareReference(file, { target: 'c', precision: 'double' });
      expect(result).toMatchObject({ outcome: 'passed', tolerance });
    },
  );

  it.each(files.filter(([name]) => (full ? /^[FI]/ : /^F.*N2_sigma/).test(name)))(
    'meet %s to 1e-11 when their tolerance is tightened',
    { timeout: 600_000 },
    async (_, file) => {
      const result = await compareReference(file, { target: 'ts', precision: 'double', tight: true });
      expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-11 });
    },
  );
});

/** Elastic and damping forces, their matrices and energies; equilibria. Files in the order of their names, with their bars. */
const FORCES: readonly (readonly [string, number])[] = [
  ['L1_octopus', 1e-9],
  ['L2_box_ritz', 1e-9],
  // Ten seconds, and minutes for the rules of the others.
  ...(full
    ? ([
        ['L1_pcs_tapered_N2', 1e-13],
        ['L2_hollow_cavity', 1e-7],
        ['L2_lvp', 1e-9],
        ['L2_var_radius_phi0', 1e-7],
      ] as const)
    : []),
  ['L2_planar_cc_toy', 1e-9],
  ['L2_planar_cce', 1e-9],
  ['S_gvs_affine_planar_tip_force', 1e-11],
  ['S_planar_cc_N3_hanging', 1e-13],
];

describe('forces of materials', () => {
  const files = readReferenceDirectory(path.join(directory, 'forces'));
  const read = (name: string): ReferenceFile => files.find(({ file }) => file === `${name}.json`)!;

  it.each(FORCES)('in TypeScript meet %s', { timeout: 600_000 }, async (name, tolerance) => {
    const result = await compareReference(read(name), { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance });
  });

  it.skipIf(!hasCompiler).each(FORCES.filter(([name]) => (full ? /octopus|box|hanging/ : /hanging/).test(name)))(
    'in C meet %s (needs a C compiler)',
    { timeout: 600_000 },
    async (name, tolerance) => {
      const result = await compareReference(read(name), { target: 'c', precision: 'double' });
      expect(result).toMatchObject({ outcome: 'passed', tolerance });
    },
  );

  it('are compared with those of other states where all of them vanish, and then, too', async () => {
    const file = read('L2_planar_cc_toy');
    const [still, ...others] = ['straight', 'generic_0'].map((name) => file.states.find((own) => own.name === name)!);
    const compared = async (elastic: NonNullable<ReferenceState['elastic']>): Promise<unknown> =>
      compareReference(
        { ...file, states: [{ ...others[0]!, elastic }, ...file.states] },
        { target: 'ts', precision: 'double' },
      );
    expect(still!.elastic!.every((x) => Number(x) === 0)).toBe(true);
    expect(await compared(others[0]!.elastic!)).toMatchObject({ outcome: 'passed' });
    const failed = await compared(still!.elastic!);
    expect(failed).toMatchObject({ outcome: 'failed', where: 'generic_0, elastic[0]' });
    expect((failed as { error: number }).error).toBeLessThan(1e4);
  });

  it('are wrong where one entry of a matrix is, or the energy, for either law of damping', async () => {
    const file = read('L1_pcs_tapered_N2');
    const worst = async (change: (state: ReferenceState) => Partial<ReferenceState>): Promise<string> => {
      const states = file.states.slice(1, 2).map((s) => ({ ...s, ...change(s) }));
      const result = await compareReference({ ...file, states }, { target: 'ts', precision: 'double' });
      expect(result.outcome).toBe('failed');
      return 'where' in result ? result.where.replace(/^.*, /, '') : '';
    };
    const off = (x: number | string): string => String(Number(x) * (1 + 1e-10));
    const scaled = (rows: readonly (readonly string[])[]): string[][] =>
      rows.map((row, a) => row.map((x, b) => (a === 4 && b === 4 ? off(x) : x)));
    expect(await worst(({ stiffness }) => ({ stiffness: scaled(stiffness!) }))).toBe('stiffness[4][4]');
    expect(await worst(({ stored_energy: V }) => ({ stored_energy: off(V!) }))).toBe('elastic energy');
    // Each is a robot of its own, twice compiled.
    for (const law of full ? (['retardation', 'viscosity'] as const) : (['viscosity'] as const))
      expect(await worst((s) => ({ [`damping_${law}`]: (s[`damping_${law}`] as string[]).map(off) }))).toMatch(
        /^damping/,
      );
  });
});

describe('the comparison itself', () => {
  const sample = supported.find((f) => f.file === 'A_planar_cc_N2_phys.json')!;

  it('notices an error of 1e-12 in one entry and says where', async () => {
    const states = sample.states.map((s, i) =>
      i === 3 ? { ...s, tau: [s.tau![0]!, String(Number(s.tau![1]) * (1 + 1e-12))] } : s,
    );
    const result = await compareReference({ ...sample, states }, { target: 'ts', precision: 'double' });
    expect(result.outcome).toBe('failed');
    expect(result).toMatchObject({ where: `${sample.states[3]!.name}, tau[1]` });
  });

  it('skips files of body types that do not exist', async () => {
    const parameters = { gravity: [0, 0, -9.81], links: [{ type: 'magnetic_filament', L: 0.2 }] };
    const result = await compareReference({ ...sample, parameters }, { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({
      outcome: 'skipped',
      reason: expect.stringContaining('magnetic_filament') as string,
    });
  });
});
