/**
 * Rods whose strain is the equilibrium of their sections, against reference data in 256-bit arithmetic: mass matrix, forces, lengths and
 * gradients of tendons, tip; slack, pulled hard and pushed. Under weight and a wrench at the tip: tip, its derivatives by tensions, force and moment,
 * strains, the moment at the base, by generated statics of the rod.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { compareReference, readReferenceDirectory } from '../../src/verify/reference/compare-reference.ts';
import { buildQuickly, isInstalled } from '../compilers.ts';

const directory = fileURLToPath(new URL('../reference', import.meta.url));
const files = readReferenceDirectory(path.join(directory, 'equilibria'), ['R']);
const full = process.env['KANEGEN_FULL'] === '1';
const looked = files.filter(({ file }) => full || /_rod3\.json$/.test(file));
const installed = isInstalled('cc') ? (['ts', 'c'] as const) : (['ts'] as const);

describe('rods in equilibrium', () => {
  buildQuickly();

  it.each(looked.flatMap((own) => installed.map((target) => [own.file, target, own] as const)))(
    'meet %s to 1e-11 in %s',
    async (_, target, file) => {
      const result = await compareReference(file, { target, precision: 'double' });
      expect(result).toMatchObject({ outcome: 'passed', tolerance: 1e-11 });
    },
  );
});
