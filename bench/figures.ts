/**
 * What others need for the same work, and what this project set out to reach. Notes say what a bar is, and what else is
 * known.
 */
import { PORTABLE_FLAGS } from './machine.ts';
import type { RowName } from './row.ts';

export interface Figure extends RowName {
  readonly bar: number | null;
  readonly goal: number | null;
  /** What the bar is, where it is not plain. */
  readonly note?: string;
}

const DYNAMICS = 'inverse dynamics';
const FORCING = 'mass matrix and forcing';
const DERIVATIVES = 'derivatives of inverse dynamics';
const TERMS = 'mass matrix, Coriolis and gravity vectors';

const figure = (workload: string, metric: string, bar: number | null, goal: number | null, note?: string): Figure => ({
  workload,
  metric,
  bar,
  goal,
  ...(note !== undefined && { note }),
});

const LAGRANGE = 'bar: Euler–Lagrange by algorithmic differentiation, common subexpressions shared';
const TRACED = (operations: string): string => `bar: by hand; traced recursive Newton–Euler ${operations}`;
const SIGNS = 'bar: Kane in a computer algebra system, sign changes counted';

const operations: readonly Figure[] = [
  figure('planar-cc-1', `operations, ${DYNAMICS}`, 120, 100, `${LAGRANGE}; not a number at q = 0`),
  figure('planar-cc-2', `operations, ${DYNAMICS}`, 613, null, LAGRANGE),
  figure('planar-cc-6', `operations, ${DYNAMICS}`, 2809, 1000, `${LAGRANGE}; by hand 1,103`),
  figure('planar-cc-20', `operations, ${DYNAMICS}`, 10495, 3700, `${LAGRANGE}; by hand 4,071`),
  figure('planar-chain-2', `operations, ${FORCING}`, 49, null, SIGNS),
  figure('planar-chain-3', `operations, ${FORCING}`, 118, null, SIGNS),
  figure('planar-chain-4', `operations, ${FORCING}`, 240, null, SIGNS),
  figure('planar-chain-5', `operations, ${FORCING}`, 314, 190, 'bar: Kane in a computer algebra system; by hand 200'),
  figure('ur10e-full-tensors', `operations, ${DYNAMICS}`, 427, 400, TRACED('798')),
  figure('ur10e', `operations, ${DYNAMICS}`, 341, 310, 'bar: by hand'),
  figure('ur10e', 'operations, forward dynamics', 1053, 620, 'bar: traced M with its factors; traced ABA 1,368'),
  ...['planar-cc-20', 'pcc-3d', 'pcs'].map((w) =>
    figure(w, 'forward dynamics / inverse dynamics, operations of the driver', null, 2.5),
  ),
  figure('rigid-chain-30', 'mass matrix / inverse dynamics, operations of the driver', null, 2.2),
  figure('puma560-ten-parameters', `multiplications, ${DYNAMICS}`, 259, 250, 'bar: by hand; symbolic package 512'),
  figure('puma560-ten-parameters', `additions, ${DYNAMICS}`, 247, 240, 'bar: by hand; symbolic package 454'),
  figure('puma560', `multiplications, ${DYNAMICS}`, 181, 165, 'bar: by hand; literature 224'),
  figure('puma560', `additions, ${DYNAMICS}`, 152, 140, 'bar: by hand; literature 174'),
  figure('iiwa', `operations, ${DYNAMICS}`, 444, 420, TRACED('669')),
  figure('iiwa', 'operations, mass matrix', 282, 270, TRACED('1,207')),
  figure('iiwa', `operations, ${DERIVATIVES}`, 3372, 2800, TRACED('6,431')),
  figure('hyq', `operations, ${DYNAMICS}`, 952, null),
  figure('hyq', 'operations, mass matrix', 408, null),
  figure('hyq', `operations, ${DERIVATIVES}`, 3578, null),
  figure('planar-pcs-1', `operations, ${TERMS}`, 275, null, 'bar: symbolic Lagrange, with a full Coriolis matrix'),
  figure('planar-pcs-2', `operations, ${TERMS}`, 8549, 1500, 'bar: symbolic Lagrange, with a full Coriolis matrix'),
  figure('ur10e-motors', 'operations a step, computed torque', null, 380, '1.3 times inverse dynamics'),
  figure('planar-cc-20-tendon', 'operations per segment, y and B of tendons, driver', null, 3),
  figure('pcc-3d-tendons', 'operations per segment, y and B of tendons, driver', null, 20, 'three parallel tendons'),
  figure('lvp-8-st-venant', 'operations per point, elastic forces / of inverse dynamics', null, 2.5),
  figure('planar-pcs', 'operations of segment 10 / of segment 2', null, 1, 'below segment 1 the base does not move'),
];

const generation: readonly Figure[] = [
  figure('puma560-ten-parameters', `generation, ${DYNAMICS}`, 11, 1, 'bar: symbolic package, 11 to 21 s'),
  figure('puma560', `generation, ${DYNAMICS}`, null, 1),
  figure('planar-chain-2', `generation, ${FORCING}`, 0.19, null, 'bar: Kane in a computer algebra system'),
  figure('planar-chain-5', `generation, ${FORCING}`, 1.21, null, 'bar: Kane in a computer algebra system'),
  figure('planar-pcs-1', `generation, ${TERMS}`, 29, null, 'bar: symbolic Lagrange'),
  figure('planar-pcs-2', `generation, ${TERMS}`, 82, 2, 'bar: symbolic Lagrange'),
];

const everyArm = ['planar-cc-6', 'planar-cc-20', 'ur10e', 'iiwa'];

const ratios: readonly Figure[] = [
  ...everyArm.flatMap((w) =>
    ['straight-line, TypeScript / C', `straight-line, TypeScript / C with ${PORTABLE_FLAGS.join(' ')}`].map((metric) =>
      figure(w, metric, 1.25, 1.4, 'bar: 313 ns / 250 ns of another program of 669 operations'),
    ),
  ),
  ...['C', 'TypeScript'].flatMap((language) => [
    figure('planar-cc-6', `driver / straight-line, ${language}`, null, 2),
    figure('planar-cc-20', `driver / straight-line, ${language}`, null, 2),
    figure('ur10e', `driver / straight-line, ${language}`, null, 2),
    figure('planar-cc', `driver, link of 100 / link of 10, ${language}`, null, 1.25),
    figure('planar-cc', `driver, link of 1000 / link of 10, ${language}`, null, 1.25),
  ]),
  ...['pcs', 'gvs-legendre'].flatMap((w) =>
    [24, 48, 96, 192].map((n) => figure(w, `forward dynamics, coordinate of ${n} / coordinate of 12, C`, null, 1.25)),
  ),
  ...[100, 1000].map((n) =>
    figure('planar-cc', `forward dynamics, coordinate of ${n} / coordinate of 10, C`, null, 1.2),
  ),
  ...Object.entries({ ur10e: 0.75, iiwa: 0.8, panda: 0.85, hyq: 0.7 }).map(([w, goal]) =>
    figure(w, 'generated sines / sines of the library, C', 1, goal),
  ),
  ...everyArm.map((w) => figure(w, 'batch / single calls, C', 1, Number((1 / 3).toFixed(4)))),
  ...['forward dynamics', 'implicit step'].map((work) =>
    figure('two-rods-spatial', `${work}, batch / single calls, C`, 1, Number((1 / 3).toFixed(4))),
  ),
  figure('pcs-arm-50-parameters', 'gradient by parameters, too / rollout', null, 4),
  figure('pcs-arm-50-parameters', 'gradient by parameters, too / rollout, C', null, 4),
  ...[1, 2, 3, 4, 5, 6].map((n) => figure(`planar-cc-${n}`, 'recursion / Euler–Lagrange, C', 1, null)),
];

export const figures: readonly Figure[] = [...operations, ...generation, ...ratios];
