/**
 * An upright arm of two links by its closed formulas, and logs of it as its drives would write them: angles with the noise of encoders,
 * torques with that of current sensors, no rates.
 */
import type { Measurements } from '../../src/identification/measurements.ts';
import { randomNumbers } from '../../src/common/random.ts';
import { normalNumbers } from './motions.ts';

const [LENGTH, GRAVITY] = [0.5, 9.81];

/** Dampers of both joints and the drive of the second are parameters; values are not those of the logs. */
export const TWO_LINK = {
  kanegen: 1,
  name: 'two-link',
  gravity: [0, -GRAVITY, 0],
  parameters: Object.fromEntries(
    [
      ['d1', 0.1, 'N m s/rad'],
      ['d2', 0.1, 'N m s/rad'],
      ['a2', 0.03, 'kg m^2'],
    ].map(([name, value, unit]) => [name, { value: `${value} ${unit}`, runtime: true }]),
  ),
  links: [
    {
      name: 'upper',
      joint: { revolute: 'z', damping: 'd1' },
      rigid: { mass: 2, com: [0.25, 0, 0], inertia: { xx: 0.1, yy: 0.1, zz: 0.1 }, distal: { xyz: [LENGTH, 0, 0] } },
    },
    {
      name: 'lower',
      joint: { revolute: 'z', damping: 'd2', armature: 'a2' },
      rigid: { mass: 1, com: [0.2, 0, 0], inertia: { xx: 0.05, yy: 0.05, zz: 0.05 } },
    },
  ],
};

/** What the data are made of, by the name of the base parameter. */
export const TRUTH: Readonly<Record<string, number>> = {
  d1: 0.3,
  d2: 0.2,
  a2: 0.05,
  'upper.mx + 0.5 lower.m': 0.95,
  'upper.my': 0.02,
  'upper.Izz + 0.25 lower.m': 0.524,
  'lower.mx': 0.25,
  'lower.my': 0.01,
  'lower.Izz': 0.09,
};

/** Torques of both joints (Craig 2005, Introduction to robotics, 6.7, with centres of mass off the links' axes, dampers and a drive). */
function torques([q1, q2]: Pair, [v1, v2]: Pair, [a1, a2]: Pair): Pair {
  const [d1, d2, drive, first, firstY, own, x, y, lower] = Object.values(TRUTH) as Nine;
  const along = LENGTH * (x * Math.cos(q2) - y * Math.sin(q2));
  const across = LENGTH * (x * Math.sin(q2) + y * Math.cos(q2));
  const weight = GRAVITY * (x * Math.cos(q1 + q2) - y * Math.sin(q1 + q2));
  const ofFirst = GRAVITY * (first * Math.cos(q1) - firstY * Math.sin(q1));
  return [
    (own + lower + 2 * along) * a1 +
      (lower + along) * a2 -
      across * (2 * v1 * v2 + v2 ** 2) +
      weight +
      ofFirst +
      d1 * v1,
    (lower + along) * a1 + (lower + drive) * a2 + across * v1 ** 2 + weight + d2 * v2,
  ];
}

type Pair = readonly [number, number];
type Nine = [number, number, number, number, number, number, number, number, number];

export interface Log {
  /** Of the encoders, rad, and of the torques, N m. */
  readonly angle: number;
  readonly torque: number;
  /** Share of the error of a torque that the next one has as well. */
  readonly memory?: number;
  readonly seconds: number;
  /** Instants per second. */
  readonly rate?: number;
  readonly seed: number;
  /** Of the motion in time: 1 goes up to 1.5 Hz. */
  readonly speed?: number;
}

/** Five sines for each joint, another motion for each seed. */
export function twoLinkLog({ angle, torque, memory = 0, seconds, rate = 250, seed, speed = 1 }: Log): Measurements {
  const random = randomNumbers(seed);
  const normal = normalNumbers(seed + 1000);
  const waves = [0, 1].map(() =>
    [1, 2, 3, 4, 5].map((k) => ({
      size: (0.8 / k) * (0.5 + random()),
      rate: speed * Math.PI * 0.5 * k * (0.8 + 0.4 * random()),
      phase: 2 * Math.PI * random(),
    })),
  );
  const errors = [0, 0];
  const times = Array.from({ length: Math.round(rate * seconds) }, (_, i) => i / rate);
  const rows = times.map((t) => {
    const of = (order: 0 | 1 | 2): Pair =>
      waves.map((own) =>
        own.reduce(
          (sum, wave) =>
            sum + wave.size * wave.rate ** order * Math.sin(wave.rate * t + wave.phase + (order * Math.PI) / 2),
          0,
        ),
      ) as unknown as Pair;
    const tau = torques(of(0), of(1), of(2)).map((force, k) => {
      errors[k] = memory * errors[k]! + torque * Math.sqrt(1 - memory ** 2) * normal();
      return force + errors[k];
    });
    return { q: of(0).map((x) => x + angle * normal()), tau };
  });
  return { times, q: rows.map(({ q }) => q), tau: rows.map(({ tau }) => tau) };
}
