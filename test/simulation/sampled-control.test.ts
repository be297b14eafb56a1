/** Controllers in periods: a mass whose closed loop is known by hand, and what must raise no alarm. */
import { describe, expect, it } from 'vitest';
import { loadRobot } from '../../src/index.ts';
import { growthByPeriod } from '../../src/simulation/equilibria/sampled-control.ts';

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
});
