/**
 * Water around rods in generated code against reference data: drag in three forms, buoyancy, added mass and its velocity terms in
 * two forms, computed by others in 256-bit arithmetic.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  compareReference,
  readReferenceDirectory,
  type ReferenceFile,
} from '../../src/verify/reference/compare-reference.ts';
import type { ReferenceState } from '../../src/verify/reference/reference-state.ts';
import { isInstalled } from '../compilers.ts';

const directory = fileURLToPath(new URL('../reference/forces', import.meta.url));
const files = readReferenceDirectory(directory, ['Z']);
const read = (name: string): ReferenceFile => files.find(({ file }) => file === `${name}.json`)!;
const targets = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);
const full = process.env['KANEGEN_FULL'] === '1';
const below = (bar: number): unknown => expect.toSatisfy((error: number) => error < bar);
const hasKink = (state: object): boolean =>
  (state as { sign_changes_of_v_t: unknown[] }).sign_changes_of_v_t.length > 0;

describe('water', () => {
  it.each(full ? targets : (['ts'] as const))('meets Z_planar_cc in %s', { timeout: 600_000 }, async (target) => {
    const result = await compareReference(read('Z_planar_cc'), { target, precision: 'double' });
    expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });

  it.runIf(full)('meets Z_planar_cc in straight-line code', { timeout: 600_000 }, async () => {
    const options = { target: 'ts', precision: 'double', straight: true } as const;
    expect(await compareReference(read('Z_planar_cc'), options)).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });

  const gvs = read('Z_gvs_affine_3d_tapered');

  /** Without what else has a file: every effect takes a robot of its own. */
  const LEFT_OUT: readonly string[] = ['tau_drag_common', 'tau_drag_linear', 'tau_buoyancy'];
  const mostOf = (state: ReferenceState): ReferenceState =>
    Object.fromEntries(Object.entries(state).filter(([key]) => !LEFT_OUT.includes(key))) as unknown as ReferenceState;

  it.runIf(full).each(targets)(
    'meets Z_gvs_affine_3d_tapered to rounding in %s where |v_t| v_t has no kink',
    { timeout: 600_000 },
    async (target) => {
      const smooth = gvs.states.filter((state) => !hasKink(state));
      expect(smooth).toHaveLength(4);
      const states = full ? smooth : smooth.map(mostOf);
      const result = await compareReference({ ...gvs, states }, { target, precision: 'double' });
      expect(result).toMatchObject({ outcome: 'passed', error: below(1e-13) });
    },
  );

  /** Of one state with a kink of |v_t| v_t within the rod, separate drag alone. */
  const withKink = (name: string): ReferenceFile => {
    const { q, qd, ...state } = gvs.states.find((own) => own.name === name)!;
    const { tau_drag_separate: force, sign_changes_of_v_t: kinks } = state;
    const kept = { name, q: q!, qd: qd!, tau_drag_separate: force!, sign_changes_of_v_t: kinks! };
    return { ...gvs, states: [kept] };
  };

  // A jump of the second derivative between two points: how much it costs depends on where between them it is.
  it.runIf(full).each([
    [16, 1e-6],
    [64, 2e-7],
    [256, 1e-8],
  ])('misses less of the forces where it has, the more points: %i', async (points, bar) => {
    for (const name of ['generic_1', 'large', 'straight_others_nonzero']) {
      const result = await compareReference(withKink(name), { target: 'ts', precision: 'double', points });
      expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-6, error: below(bar) });
    }
  });

  it('is wrong where a force is, or a velocity term of added mass', async () => {
    const file = read('Z_planar_cc');
    const state = file.states[2]!;
    const off = (value: string): string[] => [String(Number(value) * (1 + 1e-11))];
    for (const key of ['tau_drag_common', 'added_mass_c_lagrange'] as const) {
      const numbers = { [key]: off(String(state[key]![0])) } as Partial<ReferenceState>;
      const states = [{ name: state.name, q: state.q!, qd: state.qd!, ...numbers }];
      const result = await compareReference({ ...file, states }, { target: 'ts', precision: 'double' });
      expect(result).toMatchObject({ outcome: 'failed', where: expect.stringMatching(/fluid|c\[/) as string });
    }
  });
});
