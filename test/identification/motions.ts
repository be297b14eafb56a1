/** Motions in closed form, and noise, for tests of identification: the same in every run. */
import type { Measurements } from '../../src/identification/measurements.ts';
import type { Regressor } from '../../src/identification/regressor.ts';
import { randomNumbers } from '../../src/common/random.ts';

/** Normally distributed numbers of deviation 1 (Box–Muller). */
export function normalNumbers(seed: number): () => number {
  const random = randomNumbers(seed);
  return () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

export interface Motion {
  readonly count: number;
  readonly step: number;
  /** Half-width of the motion, and its centre, by coordinate. */
  readonly reach: readonly number[];
  readonly middle?: readonly number[];
}

/** Sums of three sines per coordinate with their rates and accelerations; forces of given parameters with noise. */
export function measured(
  regressor: Regressor,
  values: readonly number[],
  { count, step, reach, middle = reach.map(() => 0) }: Motion,
  noise: readonly number[],
): Required<Omit<Measurements, 'inputs'>> {
  const random = randomNumbers(7);
  const normal = normalNumbers(3);
  const waves = reach.map((size) =>
    [1, 2, 3].map((k) => ({
      size: (size / 3) * (1 + random()),
      rate: k * (0.8 + 0.5 * random()),
      phase: 6 * random(),
    })),
  );
  const times = Array.from({ length: count }, (_, i) => i * step);
  const sum = (of: (wave: (typeof waves)[0][0], t: number) => number): number[][] =>
    times.map((t) => waves.map((own) => own.reduce((total, wave) => total + of(wave, t), 0)));
  const q = sum(({ size, rate, phase }, t) => size * Math.sin(rate * t + phase)).map((row) =>
    row.map((x, i) => x + middle[i]!),
  );
  const qd = sum(({ size, rate, phase }, t) => size * rate * Math.cos(rate * t + phase));
  const qdd = sum(({ size, rate, phase }, t) => -size * rate ** 2 * Math.sin(rate * t + phase));
  const tau = times.map((t, i) => {
    const forces = regressor.forces({ q: q[i]!, qd: qd[i]!, qdd: qdd[i]!, t }, values)!;
    return [...forces].map((force, k) => force + noise[k]! * normal());
  });
  return { times, q, qd, qdd, tau };
}
