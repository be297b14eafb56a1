/** Every pass of the optimiser on random expressions, alone and after others, refereed by the interpreter of forms. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cancel } from '../../../src/codegen/optimise/cancel.ts';
import { extract } from '../../../src/codegen/optimise/extract.ts';
import { flatten } from '../../../src/codegen/optimise/flatten.ts';
import { arithmeticCost, type Form } from '../../../src/codegen/optimise/form.ts';
import { scale } from '../../../src/codegen/optimise/scale.ts';
import { mergeTrigonometric } from '../../../src/codegen/optimise/trigonometric.ts';
import { expectKept, formOf, polynomials } from './evaluate-form.ts';

const PASSES: Readonly<Record<string, (form: Form) => void>> = {
  'multiplying products out': (form) => flatten(form),
  'flattening without multiplying out': (form) => flatten(form, { products: false }),
  'opening sums that cancel': cancel,
  'choosing units': scale,
  'merging squares of rotations': mergeTrigonometric,
  'extracting shared values': (form) => extract(form),
};
const names = Object.keys(PASSES);
/** Passes that never make anything costlier. */
const SAVING = ['flattening without multiplying out', 'opening sums that cancel', 'extracting shared values'];

describe.each(Object.entries(PASSES))('%s', (name, pass) => {
  it('keeps the values of random expressions and the order of the form', () => {
    fc.assert(
      fc.property(polynomials, fc.boolean(), (roots, isFlat) => {
        const form = formOf(...roots);
        if (isFlat) flatten(form);
        const before = arithmeticCost(form);
        pass(form);
        expectKept(form, roots);
        if (SAVING.includes(name)) expect(arithmeticCost(form)).toBeLessThanOrEqual(before);
      }),
      { numRuns: 60, seed: 11 },
    );
  });
});

describe('passes in any order', () => {
  it('keep the values of random expressions and the order of the form, one after the other', () => {
    fc.assert(
      fc.property(polynomials, fc.array(fc.constantFrom(...names), { maxLength: 7 }), (roots, order) => {
        const form = formOf(...roots);
        expectKept(form, roots);
        for (const name of order) {
          PASSES[name]!(form);
          expectKept(form, roots);
        }
      }),
      { numRuns: 80, seed: 3 },
    );
  });
});
