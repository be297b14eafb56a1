/** `integrator` of a scenario file: the method, its tolerance or step, and what it does not take. */
import type { Place } from '../../description/source/source.ts';
import type { Problems } from '../../description/source/diagnostics.ts';
import { dues, type RawValue } from '../../description/values/scope.ts';
import { NEWTON_TOLERANCE } from '../../runtime/generalized-alpha.ts';
import type { IntegratorChoice, Method } from './integrator-choice.ts';
import type { ScenarioFile } from './scenario-schema.ts';
import { readNumber, readPositive } from './scenario-values.ts';

const MOST_STEPS = 1_000_000;
const TOLERANCE = 1e-8;
/** Below, rounding of the dynamics themselves decides. */
const SMALLEST_TOLERANCE = 1e-14;

/** They take steps of one size. */
const FIXED: readonly Method[] = ['implicit-euler', 'generalized-alpha'];

export interface IntegratorReading {
  /** Of the file. */
  readonly place: Place;
  readonly file: Pick<ScenarioFile, 'integrator'>;
  readonly problems: Problems;
  /** Of the run, in s. */
  readonly duration: number;
  /** Of the robot. */
  readonly hasLoops: boolean;
}

export function readIntegrator({ place, file, problems, duration, hasLoops }: IntegratorReading): IntegratorChoice {
  const at = place.at('integrator');
  const {
    method = 'extrapolation',
    tolerance: rawTolerance,
    step: rawStep,
    'spectral-radius': rawRadius,
    newmark: rawNewmark,
    exact,
    ...rest
  } = file.integrator ?? {};
  if (hasLoops && method === 'generalized-alpha')
    problems.add(
      at
        .at('method')
        .error(
          'not-supported',
          'generalized-alpha does not keep loops',
          'write `extrapolation`, or `rosenbrock` for stiff robots',
        ),
    );
  const isFixed = FIXED.includes(method);
  const usual = method === 'generalized-alpha' ? NEWTON_TOLERANCE : TOLERANCE;
  const tolerance =
    rawTolerance === undefined ? usual : readTolerance(problems, at.at('tolerance'), rawTolerance, method);
  const step = rawStep === undefined ? undefined : readPositive(problems, at.at('step'), rawStep, dues.time);
  if (isFixed && step === undefined)
    problems.add(
      (file.integrator ? at : place).error('missing-key', `${method} needs the size of its steps`, 'add `step: 1 ms`'),
    );
  if (!isFixed && step !== undefined)
    problems.add(
      at
        .at('step')
        .keyError('wrong-value', `${method} chooses its steps by the tolerance`, 'remove `step`, or give `tolerance`'),
    );
  if (step !== undefined && step > duration)
    problems.add(at.at('step').error('wrong-value', 'this step is longer than the run', `write at most ${duration} s`));
  if (rawRadius !== undefined && rawNewmark !== undefined)
    problems.add(
      at
        .at('newmark')
        .keyError('wrong-value', 'steps of Newmark have no spectral radius', 'remove `newmark`, or `spectral-radius`'),
    );
  if (exact !== undefined && method !== 'generalized-alpha')
    problems.add(
      at
        .at('exact')
        .keyError(
          'wrong-value',
          `${method} has no corrections to be exact`,
          'remove it, or choose `method: generalized-alpha`',
        ),
    );
  const own = { problems, at, method };
  const spectralRadius = readOfAlpha(own, rawRadius, { key: 'spectral-radius', what: 'spectral radius', least: 0 });
  const newmark = readOfAlpha(own, rawNewmark, { key: 'newmark', what: 'γ of Newmark', least: 0.5 });
  return {
    ...{ method, tolerance, step, mostSteps: rest['most-steps'] ?? MOST_STEPS },
    ...(spectralRadius !== undefined && { spectralRadius }),
    ...(newmark !== undefined && { newmark }),
    ...(exact !== undefined && { exact }),
  };
}

function readTolerance(problems: Problems, at: Place, raw: RawValue, method: Method): number {
  if (method === 'implicit-euler')
    problems.add(at.keyError('wrong-value', `${method} has no tolerance`, 'remove it: the error depends on `step`'));
  const tolerance = readPositive(problems, at, raw, dues.plain, '1e-8');
  const wrong = (what: string): unknown => problems.add(at.error('wrong-value', what, 'write 1e-12 … 1e-3'));
  if (tolerance < SMALLEST_TOLERANCE) wrong(`a tolerance of ${tolerance} is below rounding errors`);
  if (tolerance >= 1) wrong(`a tolerance of ${tolerance} is too large`);
  return tolerance;
}

/** A number up to one, of generalized-alpha only. */
function readOfAlpha(
  { problems, at, method }: { readonly problems: Problems; readonly at: Place; readonly method: Method },
  raw: RawValue | undefined,
  { key, what, least }: { readonly key: string; readonly what: string; readonly least: number },
): number | undefined {
  if (raw === undefined) return undefined;
  const place = at.at(key);
  if (method !== 'generalized-alpha') {
    problems.add(
      place.keyError('wrong-value', `${method} has no ${what}`, 'remove it, or choose `method: generalized-alpha`'),
    );
    return undefined;
  }
  const value = readNumber(problems, place, raw, dues.plain);
  if (value >= least && value <= 1) return value;
  problems.add(place.error('wrong-value', `the ${what} cannot be ${value}`, `write a number from ${least} to 1`));
  return undefined;
}
