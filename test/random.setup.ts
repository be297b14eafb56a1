/** Random tests draw the same examples in every run, so that a failure is one of the change at hand; KANEGEN_SEED draws others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env['KANEGEN_SEED'] ?? 1) });
