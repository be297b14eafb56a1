/** `kanegen reference` over a directory: a line for every file, whatever is wrong with one of them. */
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import {
  compareReference,
  readReferenceDirectory,
  type ReferenceFile,
  type ReferenceResult,
} from '../../src/verify/reference/compare-reference.ts';
import { runInProcess } from './in-process.ts';

const given = fileURLToPath(new URL('../reference', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-reference-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const read = <T>(file: string): T => JSON.parse(readFileSync(path.join(given, file), 'utf8')) as T;
const write = (name: string, data: object | string): void =>
  writeFileSync(path.join(folder, name), typeof data === 'string' ? data : JSON.stringify(data));

describe('a directory', () => {
  it('of which some files cannot be compared has a line for each, and the others are', async () => {
    const arm = read<{ parameters: { gravity: number[]; links: object[] } }>('A_planar_cc_N1_unit.json');
    const [link] = arm.parameters.links;
    const made = (links: object[]): object => ({ ...arm, parameters: { ...arm.parameters, links } });
    write('a_text.json', '{ "parameters": ');
    write('b_negative.json', made([{ ...link, rho: -1 }]));
    write('c_none.json', { parameters: null, states: [] });
    write('d_loops.json', {
      parameters: { gravity: [0, 0, 0], chains: [{ links: [link] }], loops: [{ name: 'x', type: 'gear' }] },
      states: [{ name: 'x', q: [] }],
    });
    write('e_implicit.json', { ...made([{ type: 'implicit_strain', L: 1 }]), states: [{ name: 'x', length: ['1'] }] });
    write('f_short.json', { ...arm, states: [{ name: 'no coordinates', q: [], tau: ['1'] }] });
    copyFileSync(path.join(given, 'A_planar_cc_N1_unit.json'), path.join(folder, 'g_good.json'));
    const { code, out, err } = await runInProcess(folder, ['reference', '.']);
    expect(code).toBe(1);
    expect(err).toBe('');
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => line.replace(/  +/g, '  '))).toEqual([
      expect.stringMatching(/^a_text.json  refused  .*JSON/),
      expect.stringMatching(/^b_negative.json  refused  links\[0\].parameters: the density is -1/),
      expect.stringMatching(/^c_none.json  refused  a reference file needs/),
      'd_loops.json  skipped  a loop of type gear does not exist yet',
      'e_implicit.json  skipped  rods whose strain is implicit need a material and tendons',
      expect.stringMatching(/^f_short.json  refused  /),
      expect.stringMatching(/^g_good.json  ok  /),
      '1 passed, 0 failed, 4 refused, 2 skipped',
    ]);
  });
});

/** Its formulas have no value in the branch that is not taken, and points come close to where it begins. */
it.runIf(process.env['KANEGEN_FULL'] === '1')('a solid whose radius varies compiles for other sizes', async () => {
  const [known] = readReferenceDirectory(path.join(given, 'forces'), ['L2_var_radius_phi0']) as [ReferenceFile];
  const { links, gravity } = known.parameters as { links: object[]; gravity: number[] };
  const material = { law: 'st_venant_kirchhoff', E: 0.41e6, nu: 0.31 };
  const link = { ...links[0], L: 0.25, R: 0.03, rho: 990, material, damping: { eta: 3700 } };
  const result = compareReference(
    { ...known, parameters: { gravity, links: [link] } },
    { target: 'ts', precision: 'double' },
  );
  // Other numbers than those of the file, all of them finite: what is not counts as infinitely far.
  const { outcome, ...found } = await result;
  expect(outcome).toBe('failed');
  expect((found as { error: number }).error).toBeLessThan(100);
});

describe('motions of a body that floats', () => {
  const motion = readReferenceDirectory(path.join(given, 'motion'), ['X_free'])[0]!;
  const compare = (states: ReferenceFile['states']): Promise<ReferenceResult> =>
    compareReference({ ...motion, states }, { target: 'ts', precision: 'double' });
  const last = motion.states.at(-1)!;
  const off = (value: unknown): unknown => {
    if (!Array.isArray(value)) return String(Number(value) * (1 + 1e-9));
    const [first, ...others] = value as unknown[];
    return [off(first), ...others];
  };

  it('have the momentum and the energy of the reference, and its tip', async () => {
    expect(await compare(motion.states)).toMatchObject({ outcome: 'passed', tolerance: 1e-13 });
  });

  it.each([
    ['base_rotation', /tip position|momentum/],
    ['base_angular_velocity', /energy|momentum/],
    ['linear_momentum', /linear momentum/],
    ['energy', /energy/],
    ['tip_position', /tip position/],
  ] as const)('are missed where one number of %s is off by 1e-9', async (name, where) => {
    const result = await compare([{ ...last, [name]: off(last[name]) }]);
    expect(result).toMatchObject({ outcome: 'failed', where: expect.stringMatching(where) as string });
  });
});
