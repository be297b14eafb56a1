/** Whatever stands in a robot file: no internal error, no hang, and finite numbers from every robot that is accepted. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { outcomeOf } from './outcome.ts';
import { robotTexts } from './robot-texts.ts';

const RUNS = process.env['KANEGEN_FULL'] ? 3000 : 8;

it('any text is refused with a place and a reason, or compiled to code that computes finite numbers', async () => {
  await fc.assert(
    fc.asyncProperty(robotTexts, async (text) => {
      expect((await outcomeOf(text)).problem).toBeUndefined();
    }),
    { numRuns: RUNS, seed: 20261122, endOnFailure: true },
  );
}, 3_600_000);
