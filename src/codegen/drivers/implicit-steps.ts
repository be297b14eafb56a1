/**
 * What implicit steps ask of a link in a sweep: h D + h² K beside its mass, right-hand sides, changes of all that and the transpose.
 */
import type { Buffer } from '../../kane/kernels/buffers.ts';
import { added, matrixIndex, type DriverLanguage, type Index } from './driver-language.ts';
import { addendOf, blockOf, callOf, countOf, each, hasFunction, whereHas, type LinkPlace } from './link-calls.ts';
import { blockPlaceOf } from '../modules/workspace.ts';
import type { LinkAddend } from '../sweeps/sweep-steps.ts';

/**
 * h D + h² K to the addend. `step`: h K q̇ off the load, forces at the end of a step to first order; `linear`: K is kept
 * for right-hand sides to come.
 */
export function addendLines(language: DriverLanguage, of: LinkAddend, { run, access }: LinkPlace): string[] {
  const count = countOf(language, run.link);
  const size = addendOf(language, run.link);
  if (size === 0) return [];
  const own = (buffer: Buffer, a: Index): string => access.number('own', buffer, a);
  const cleared = each(language, 'a', size, (a) => [`${own('addend', a)} = ${language.target.number(0)};`]);
  if (of === 'nothing') return cleared;
  const keeps =
    of === 'linear' ? each(language, 'a', size, (a) => [`${own('springs', a)} = ${language.target.number(0)};`]) : [];
  const ofForces = (name: 'dissipation' | 'stiffness'): string[] => [
    ...callOf(language, name, { run, access }),
    ...each(language, 'a', count, (a) =>
      each(language, 'b', count, (b) => {
        const index = matrixIndex(a, b, count);
        const entry = language.value(language.sharedNumber('forceMatrix', index));
        const [total, rest] = [own('addend', index), own('load', a)];
        const share = `${name === 'stiffness' ? 'h * h' : 'h'} * ${entry}`;
        const force = `h * ${entry} * ${language.value(own('qd', b))}`;
        const ofStiffness =
          of === 'step' ? `${rest} = ${language.value(rest)} - ${force};` : `${own('springs', index)} = ${entry};`;
        return [`${total} = ${language.value(total)} + ${share};`, ...(name === 'stiffness' ? [ofStiffness] : [])];
      }),
    ),
  ];
  const matrices = (['dissipation', 'stiffness'] as const).flatMap((name) =>
    whereHas(language, run.link, name, () => ofForces(name)),
  );
  return [...cleared, ...keeps, ...matrices];
}

/**
 * −h ((h D + h² K) rv + h K rq) as load: M + h D + h² K times what is missing from h rv to the rates of
 * (1 − h J) x = h r.
 */
export function implicitLoadLines(
  language: DriverLanguage,
  { run, access }: LinkPlace,
  place: (a: Index) => { rq: string; rv: string },
): string[] {
  const count = countOf(language, run.link);
  const own = (buffer: Buffer, a: Index): string => access.number('own', buffer, a);
  const cleared = each(language, 'a', count, (a) => [`${own('load', a)} = ${language.target.number(0)};`]);
  const size = addendOf(language, run.link);
  if (size === 0) return cleared;
  const loaded = each(language, 'a', count, (a) =>
    each(language, 'b', count, (b) => {
      const index = matrixIndex(a, b, count);
      const load = own('load', a);
      const { rq, rv } = place(b);
      const [ofRate, ofPosition] = [own('addend', index), own('springs', index)].map((x) => language.value(x));
      const force = `${ofRate!} * ${language.value(rv)} + h * ${ofPosition!} * ${language.value(rq)}`;
      return [`${load} = ${language.value(load)} - h * (${force});`];
    }),
  );
  return [...cleared, ...(typeof size === 'number' ? loaded : language.branch(`${size} > 0`, loaded))];
}

/** Of weights · (D h q̈ + K h (q̇ + h q̈)), by coordinates and rates; K is kept where the step was factored. */
export function stepAdjointLines(
  language: DriverLanguage,
  { run, access }: LinkPlace,
  place: (array: 'qdd' | 'q' | 'qd', a: Index) => string,
): string[] {
  const count = countOf(language, run.link);
  if (run.link.type.inputs.addend.length === 0) return [];
  const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
  const value = (buffer: Buffer, a: Index): string => language.value(own(buffer, a));
  const byRates = each(language, 'a', count, (a) =>
    each(language, 'b', count, (b) => {
      const force = `h * ${value('springs', matrixIndex(a, b, count))} * ${value('generalizedForceAdjoint', b)}`;
      return [`${place('qd', a)} = ${language.value(place('qd', a))} + ${force};`];
    }),
  );
  if (!hasFunction(run.link, 'stepAdjoint')) return byRates;
  return [
    ...byRates,
    ...repeatStepLines(language, { run, access }, 'qdd', (a) => place('qdd', a)),
    ...callOf(language, 'stepAdjoint', { run, access }),
    ...each(language, 'a', count, (a) => [
      added(language, place('q', a), own('qAdjoint', a)),
      added(language, place('qd', a), own('qdAdjoint', a)),
    ]),
  ];
}

/** What a step of h adds to rates, and h times rates after it as load: what D and K are multiplied by. */
export function repeatStepLines(
  language: DriverLanguage,
  { run, access }: Pick<LinkPlace, 'run' | 'access'>,
  gain: 'qdd' | 'qddTangent',
  qdd: (a: Index) => string,
): string[] {
  const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
  return each(language, 'a', countOf(language, run.link), (a) => [
    `${own(gain, a)} = h * ${language.value(qdd(a))};`,
    `${own('load', a)} = h * (${language.value(own('qd', a))} + ${language.value(own(gain, a))});`,
  ]);
}

/** The change of D h q̈ + K h (q̇ + h q̈) along changes of coordinates and rates of the link; K is kept where the step was factored. */
export function stepTangentLines(
  language: DriverLanguage,
  { run, access }: LinkPlace,
  qdd: (a: Index) => string,
  place: (a: Index) => string,
): string[] {
  const count = countOf(language, run.link);
  if (run.link.type.inputs.addend.length === 0) return [];
  const own = (buffer: Buffer, a: Index): string => access.number(blockOf(buffer), blockPlaceOf(buffer), a);
  const value = (buffer: Buffer, a: Index): string => language.value(own(buffer, a));
  const alongRates = each(language, 'a', count, (a) =>
    each(language, 'b', count, (b) => {
      const force = `h * ${value('springs', matrixIndex(a, b, count))} * ${value('qdTangent', b)}`;
      return [`${place(a)} = ${language.value(place(a))} + ${force};`];
    }),
  );
  if (!hasFunction(run.link, 'stepTangent')) return alongRates;
  return [
    ...alongRates,
    ...repeatStepLines(language, { run, access }, 'qdd', qdd),
    ...callOf(language, 'stepTangent', { run, access }),
    ...each(language, 'a', count, (a) => [added(language, place(a), own('generalizedForceTangent', a))]),
  ];
}
