/** Controllers in periods: a mass whose closed loop is known by hand, and what must raise no alarm. */
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { KG_SINGULAR } from '../../src/runtime/driver.ts';
import { growthAlongRun, growthByPeriod } from '../../src/simulation/small-motions/sampled-control.ts';

const ROBOT = {
  kanegen: 1,
  name: 'cart',
  gravity: [0, 0, -9.81],
  links: [
    { name: 'cart', joint: { prismatic: 'x' }, rigid: { mass: 2 } },
    { name: 'arm', joint: { revolute: 'y' }, rigid: { mass: 0.5, com: [0, 0, -0.3], inertia: { yy: 0.01 } } },
  ],
  actuators: { push: { motor: 'cart.displacement' }, turn: { motor: 'arm.angle' } },
  controllers: {
    track: { 'computed-torque': { kp: 100, kd: 20 } },
    slide: { 'partial-feedback-linearisation': { outputs: ['push'], kp: 100, kd: 20 } },
  },
};

async function growth(controller: number, period: number | undefined, q = [0, 0.3], end = 10) {
  const { robot, dynamics } = await loadRobot(ROBOT);
  const references = controller === 0 ? [undefined, undefined] : [undefined];
  return growthByPeriod({ robot, q, qd: [0, 0], start: 0, end }, dynamics, { controller, period, references });
}

describe('a controller in periods', () => {
  it('lets errors of ë + 20 ė + 100 e = 0 grow where the held law does: beyond h = 0.1 s', async () => {
    // Double integrator with u = −100 e − 20 ė held: z² + (50 h² + 20 h − 2) z + 1 − 20 h + 50 h²; stable for h < 0.1 (Jury).
    expect(await growth(0, 0.08)).toBeUndefined();
    const found = (await growth(0, 0.15))!;
    const h = 0.15;
    const [p, r] = [50 * h * h + 20 * h - 2, 1 - 20 * h + 50 * h * h];
    const root = Math.max(...[1, -1].map((side) => Math.abs((-p + side * Math.sqrt(p * p - 4 * r)) / 2)));
    expect(found.spectralRadius).toBeCloseTo(root, 4);
    expect(found.sufficient).toBeLessThan(0.1);
    expect(await growth(0, found.sufficient)).toBeUndefined();
  });

  it('says nothing without periods, of runs that end before, and of what falls by itself', async () => {
    expect(await growth(0, undefined)).toBeUndefined();
    expect(await growth(0, 0.15, [0, 0.3], 0.2)).toBeUndefined();
    // The arm, upright and without a motor that acts, falls with any period.
    expect(await growth(1, 0.01, [0, Math.PI])).toBeUndefined();
  });

  it('is looked at where the run leads: gains that are right for an arm drawn out may not be for one drawn in', async () => {
    const yaw = { revolute: 'z' };
    const { robot, dynamics } = await loadRobot({
      kanegen: 1,
      name: 'turntable',
      links: [
        { name: 'table', joint: yaw, rigid: { mass: 1, inertia: { xx: 0.01, yy: 0.01, zz: 0.01 } } },
        { name: 'mass', joint: { prismatic: 'x' }, rigid: { mass: 1 } },
      ],
      actuators: { turn: { motor: 'table.angle' }, draw: { motor: 'mass.displacement' } },
      controllers: { hold: { pd: { kp: 0.01, kd: 5 } } },
    });
    const control = { controller: 0, period: 0.05, references: [undefined, undefined] };
    const at = (t: number, r: number) => ({ t, q: [0, r], qd: [0, 0] });
    const run = { robot, q: [0, 1], qd: [0, 0], start: 0, end: 10, control };
    const samples = [at(0, 1), at(5, 0.5), at(10, 0.1)];
    expect(growthByPeriod(run, dynamics, control)).toBeUndefined();
    expect(growthAlongRun(run, samples.slice(0, 2), dynamics)).toBeUndefined();
    const found = growthAlongRun(run, samples, dynamics)!;
    expect(found).toMatchObject({ controller: 0, period: 0.05, t: 10 });
    // The rate of the table in a period: 1 − kd h/(r² + 0.01), but for the small kp.
    expect(found.spectralRadius).toBeCloseTo(11.5, 1);
    expect(found.sufficient).toBeLessThan((2 * 0.02) / 5);
    // Nobody controls any more.
    expect(growthAlongRun({ ...run, phases: [{ from: 8, inputs: [] }] }, samples, dynamics)).toBeUndefined();
  });

  it('is not told where motion is undefined; any other error is one', async () => {
    const { robot, dynamics } = await loadRobot(ROBOT);
    const choice = { controller: 0, period: 0.15, references: [undefined, undefined] };
    const run = { robot, q: [0, 0.3], qd: [0, 0], start: 0, end: 10 };
    const broken = Object.assign(Object.create(dynamics) as typeof dynamics, {
      forwardDynamics: () => KG_SINGULAR,
    });
    expect(growthByPeriod(run, broken, choice)).toBeUndefined();
    const wrong = (): never => {
      throw new TypeError('a mistake');
    };
    expect(() =>
      growthByPeriod(
        run,
        Object.assign(Object.create(dynamics) as typeof dynamics, { forwardDynamics: wrong }),
        choice,
      ),
    ).toThrow('a mistake');
  });
});
