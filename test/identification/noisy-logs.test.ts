/**
 * Logs of encoders and torques alone: estimates are within their deviations as often as these say. A few seeds of one noise;
 * with KANEGEN_FULL a hundred, whatever the noise.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import { loadRobotObject } from '../../src/index.ts';
import { baseParameters, type BaseParameters } from '../../src/identification/base-parameters.ts';
import { identifyWith, type Identification } from '../../src/identification/identify.ts';
import { compileRegressor, type Regressor } from '../../src/identification/regressor.ts';
import { TRUTH, TWO_LINK, twoLinkLog, type Log } from './two-link.ts';

const isFull = process.env['KANEGEN_FULL'] === '1';
const SEEDS = isFull ? 100 : 10;
/** 95 % of a normal distribution. */
const WITHIN = 1.96;
let arm: Regressor;
let structure: BaseParameters;

beforeAll(async () => {
  arm = await compileRegressor(loadRobotObject(TWO_LINK), { inertial: true });
  structure = baseParameters(arm);
});

const identified = (log: Log): Identification => identifyWith(arm, structure, twoLinkLog(log));

/** Errors in units of the stated deviations, by parameter and seed. */
function errorsOf(logs: readonly Identification[]): number[][] {
  return Object.entries(TRUTH).map(([name, truth]) =>
    logs.map(({ base }) => {
      const { estimate, deviation } = base.find((own) => own.name === name)!;
      return (estimate - truth) / deviation;
    }),
  );
}

const coverage = (errors: readonly number[]): number =>
  errors.filter((error) => Math.abs(error) < WITHIN).length / errors.length;
const rootMeanSquare = (errors: readonly number[]): number =>
  Math.sqrt(errors.reduce((sum, error) => sum + error ** 2, 0) / errors.length);

describe('a log of angles and torques', () => {
  it.runIf(isFull).each([3e-5, 3e-4, 1e-3])(
    'by encoders with %f rad of noise gives all parameters within intervals that hold',
    (angle) => {
      const seconds = 5;
      const logs = Array.from({ length: SEEDS }, (_, seed) => identified({ angle, torque: 0.05, seconds, seed }));
      for (const { base, warnings } of logs) {
        expect(base.map(({ name }) => name).sort()).toEqual(Object.keys(TRUTH).sort());
        expect(warnings).toEqual([]);
        for (const { name, deviation } of base)
          expect(deviation).toBeLessThan(0.05 * Math.max(TRUTH[name]!, name.endsWith('.my') ? 0.1 : 0));
      }
      const errors = errorsOf(logs);
      for (const own of errors) {
        expect(coverage(own)).toBeGreaterThanOrEqual(0.9);
        expect(coverage(own)).toBeLessThanOrEqual(0.99);
      }
      // Of ninety 85.5 are expected, with a deviation of two; a mean square of one, with one of 0.15.
      expect(coverage(errors.flat())).toBeGreaterThan(0.88);
      expect(rootMeanSquare(errors.flat())).toBeGreaterThan(0.75);
      expect(rootMeanSquare(errors.flat())).toBeLessThan(1.25);
    },
    1_200_000,
  );

  it.runIf(isFull)('whose torques have errors that last is not taken for more than it tells', () => {
    const log = { angle: 3e-4, torque: 0.05, seconds: 3 };
    const [white] = [identified({ ...log, seed: 1 })];
    const logs = Array.from({ length: SEEDS }, (_, seed) => identified({ ...log, memory: 0.9, seed }));
    // Errors that last for 1/(1 − 0.9) instants: their mean has √((1 + 0.9)/(1 − 0.9)) = 4.4 times the deviation.
    const ratio = logs[1]!.base[3]!.deviation / white.base[3]!.deviation;
    expect(ratio).toBeGreaterThan(2.5);
    expect(ratio).toBeLessThan(7);
    expect(rootMeanSquare(errorsOf(logs).flat())).toBeLessThan(1.6);
  });

  it('leaves what slow motion does not tell as it is in the file, and says so', () => {
    const found = identified({ angle: 3e-4, torque: 0.5, seconds: 8, seed: 3, rate: 60, speed: 0.15 });
    expect(found.notes.join()).toContain('not told by the data beyond their noise, as in the file: d1; d2; a2;');
    for (const { name, value, inFile, told } of found.parameters) {
      if (!/^[da]\d$/.test(name)) continue;
      expect(told).toBe('not at all');
      expect(value).toBeCloseTo(inFile, 9);
    }
    const weight = found.base.find(({ name }) => name === 'lower.mx')!;
    expect(weight.told).toBe(true);
    expect(Math.abs(weight.estimate - TRUTH['lower.mx']!)).toBeLessThan(3 * weight.deviation);
  });

  it('taken for smoother than it is warns that shorter pieces say something else', () => {
    const data = twoLinkLog({ angle: 3e-4, torque: 0.05, seconds: 5, seed: 3 });
    const { warnings } = identifyWith(arm, structure, data, { window: 90 });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(
      /pieces of 90 and of 45 instants give values more than three deviations apart for .*a2/,
    );
  });
});
