/** Whatever is given to a reader, a loaded robot or a search: results, or errors that say what is wrong; and all that once went wrong. */
import { readFileSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInstalled } from '../compilers.ts';
import { KINDS } from './inputs.ts';

const full = process.env['KANEGEN_FULL'] === '1';
const SEED = 20261124;

/** In `npm test`; ten times as many otherwise. `npx tsx scripts/fuzz.ts KIND COUNT SEED` for more. */
const RUNS: Readonly<Record<string, number>> = {
  scenarios: 25,
  tables: 200,
  urdf: 60,
  meshes: 400,
  networks: 400,
  calls: 150,
};

it.each(Object.entries(RUNS))(
  '%s are read or refused, calls return or throw as they promise',
  async (name, runs) => {
    const { inputs, outcome } = KINDS[name]!;
    await fc.assert(
      fc.asyncProperty(inputs, async (input) => {
        expect((await outcome(input)).problem).toBeUndefined();
      }),
      { numRuns: full ? 10 * runs : runs, seed: SEED, endOnFailure: true },
    );
  },
  3_600_000,
);

it.skipIf(!isInstalled('cc'))(
  'robots that are accepted compute the same in TypeScript and in C (needs a C compiler)',
  async () => {
    const { inputs, outcome } = KINDS['languages']!;
    let equal = 0;
    for (const input of fc.sample(inputs, { numRuns: full ? 300 : 10, seed: SEED })) {
      const { result, problem } = await outcome(input);
      if (result === 'equal') equal++;
      expect(problem, input).toBeUndefined();
    }
    expect(equal).toBeGreaterThan(1);
  },
  3_600_000,
);

it.runIf(full)(
  'robots of many features at once are what independent computations say',
  async () => {
    const { inputs, outcome } = KINDS['features']!;
    for (const input of fc.sample(inputs, { numRuns: 20, seed: SEED }))
      expect((await outcome(input)).problem, input).toBeUndefined();
  },
  3_600_000,
);

interface Kept {
  readonly kind: string;
  readonly why: string;
  readonly input: string;
  /** What is to become of it; any refusal when missing. */
  readonly result?: string;
}

describe('what once went wrong', () => {
  const folder = new URL('corpus/', import.meta.url);
  const kept = readdirSync(folder).map(
    (name) => [name, JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Kept] as const,
  );

  it.each(kept)('%s', async (_, { kind, input, result }) => {
    const found = await KINDS[kind]!.outcome(input);
    expect(found.problem).toBeUndefined();
    if (result !== undefined) expect(found.result).toBe(result);
  });
});
