/** Controllers that hold a robot by what statics takes, in water, where a current pulls at it. */
import { expect, it } from 'vitest';
import { loadRobot } from '../../../src/index.ts';
import { KG_OK } from '../../../src/runtime/driver.ts';

it.each([{ drag: { normal: 1 } }, { drag: { normal: 1 }, 'added-mass': 0.9 }])(
  'PD and feed-forward hold a robot in water, against a current: %j',
  async (water) => {
    const { dynamics } = await loadRobot({
      kanegen: 1,
      name: 'wet',
      links: [
        { name: 'root', joint: { revolute: 'y' }, rigid: { mass: '1 kg', com: [0, 0, '0.1 m'] } },
        { name: 'soft', body: 'planar-cc' },
      ],
      water: { density: 1000, ...water, current: ['0.3 m/s', 0, '0.1 m/s'] },
      actuators: { turn: { motor: 'root.angle' }, bend: { along: 'soft.q', unit: 'rad' } },
      controllers: { hold: { pd: { kp: 3, kd: 0.2, ki: 0, period: '1 ms' } }, feed: { 'feed-forward': {} } },
    });
    const inputs = (name: string, q: readonly number[], qd: readonly number[], yd: readonly number[]): Float64Array => {
      const own = dynamics.controllers.get(`wet_${name}`)!;
      const u = new Float64Array(2);
      expect(own.step(dynamics, own.createState(), own.createParameters(), q, qd, y, yd, [0, 0], u)).toBe(KG_OK);
      return u;
    };
    const y = [0.4, 0.7];
    const still = [0, 0];
    const u = inputs('hold', y, still, still);
    expect(inputs('feed', [0.1, -0.3], [2, 1], [1, 1])).toEqual(u);
    dynamics.update(y, still);
    const [fluid, qdd] = [new Float64Array(2), new Float64Array(2)];
    expect(dynamics.fluid(fluid)).toBe(KG_OK);
    expect(Math.min(...fluid.map(Math.abs))).toBeGreaterThan(1e-3);
    expect(dynamics.forwardDynamics(u, qdd)).toBe(KG_OK);
    expect(Math.max(...qdd.map(Math.abs))).toBeLessThan(1e-10);
  },
);
