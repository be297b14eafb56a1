/**
 * Tendons and pressure chambers of generated code against reference data: lengths, volumes, gradients, rates and forces that
 * others computed in 256-bit arithmetic from ∫ |ν + κ × d + d'| ds, straight pieces and ∫ det F dX.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  compareReference,
  readReferenceDirectory,
  type ReferenceFile,
} from '../../src/verify/reference/compare-reference.ts';
import { areParallel, type ReferenceTendon } from '../../src/verify/reference/reference-actuators.ts';
import { isInstalled } from '../compilers.ts';

const directory = fileURLToPath(new URL('../reference', import.meta.url));
const files = readReferenceDirectory(path.join(directory, 'forces'), ['T', 'P']);
const read = (name: string): ReferenceFile => files.find(({ file }) => file === `${name}.json`)!;
const full = process.env['KANEGEN_FULL'] === '1';

/** Files, what they are held to, and the tolerance of integrals in place of the one that is usual. */
const CASES: readonly (readonly [name: string, tolerance: number, integrals?: number])[] = [
  ['T_hybrid', 1e-13],
  ['T_planar_cc_N2', 1e-10],
  ['T_pcc3d_N3', 1e-10],
  ['T_gvs_affine_3d_tapered', 1e-10],
  ['P_planar_cce', 1e-13],
  // Rules for these take a while.
  ...(full
    ? ([
        ['P_var_radius_phi90', 1e-5, 1e-6],
        ['T_lvp', 1e-10],
        ['P_var_radius_phi0', 1e-5, 1e-6],
        ['P_hollow_cavity', 1e-6],
      ] as const)
    : []),
];

const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);
const runs = CASES.flatMap(([name, tolerance, integrals]) =>
  targets
    .filter((target) => target === 'ts' || full || /hybrid|gvs|cce/.test(name))
    .map((target) => ({ target, name, tolerance, integrals })),
);

describe('tendons and chambers', () => {
  it.each(runs)('in $target meet $name', { timeout: 600_000 }, async ({ target, name, tolerance, integrals }) => {
    const options = { target, precision: 'double', ...(integrals !== undefined && { integrals }) } as const;
    const result = await compareReference(read(name), options);
    expect(result).toMatchObject({ outcome: 'passed' });
    expect(result).toHaveProperty('tolerance', expect.closeTo(tolerance, 15));
  });

  it('meet the reference to 1e-13 where lengths have closed forms', async () => {
    const file = read('T_planar_cc_N2');
    const all = (file.parameters as { readonly tendons: readonly ReferenceTendon[] }).tendons;
    const kept = all.flatMap((tendon, j) => (areParallel([tendon]) ? [j] : []));
    expect(kept).toEqual([0, 1, 3]);
    const own = <T>(list: readonly T[]): T[] => kept.map((j) => list[j]!);
    const states = file.states.map(({ name, q, qd, ...state }) => ({
      ...{ name, q: q!, qd: qd! },
      tension: own(state.tension!),
      length: own(state.length!),
      length_gradient: own(state.length_gradient!),
      length_rate: own(state.length_rate!),
    }));
    const parameters = { ...(file.parameters as object), tendons: own(all) };
    const result = await compareReference({ ...file, parameters, states }, { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });

  it('in material that keeps its volume are passed over, with the reason', async () => {
    const result = await compareReference(read('P_lvp_region'), { target: 'ts', precision: 'double' });
    expect(result).toMatchObject({ outcome: 'skipped', reason: expect.stringContaining('keeps its volume') as string });
  });

  it.each(['length', 'length_gradient', 'length_rate', 'tau_tendon'] as const)(
    'are wrong where one %s is',
    async (key) => {
      const file = read('T_hybrid');
      const state = file.states[1]!;
      const off = (value: unknown): unknown =>
        Array.isArray(value)
          ? value.map((e, i) => (i === value.length - 1 ? off(e) : (e as unknown)))
          : String(Number(value) * (1 + 1e-11));
      const states = [{ ...state, [key]: off(state[key]) }];
      const result = await compareReference({ ...file, states }, { target: 'ts', precision: 'double' });
      const entry = { length: 'y[', length_gradient: 'B[', length_rate: 'yd[', tau_tendon: 'actuation[' }[key];
      expect(result).toMatchObject({ outcome: 'failed', where: expect.stringContaining(entry) as string });
    },
  );
});
