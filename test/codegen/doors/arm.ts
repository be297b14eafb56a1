/** A robot that has something of everything that interfaces speak of, and its code. */
import { load } from '../../../src/index.ts';

const robot = await load({
  kanegen: 1,
  name: 'door-arm',
  summary: 'column, hinge and soft finger; "quoted" \\ text',
  parameters: {
    load: { value: '0.2 kg', min: 0, max: '2 kg', runtime: true, summary: 'mass at the hinge' },
    lambda: { value: '0.1 N m/rad', min: 0, runtime: true },
  },
  links: [
    {
      name: 'column',
      joint: { revolute: 'x', damping: '0.02 N m s/rad', limits: ['-2 rad', '2 rad'] },
      rigid: {
        mass: '0.4 kg',
        inertia: { xx: '1e-3 kg m^2', yy: '2e-3 kg m^2', zz: '1e-3 kg m^2' },
        distal: { xyz: [0, 0, '0.05 m'] },
      },
    },
    {
      name: 'hinge',
      joint: { prismatic: 'y', stiffness: '0.8 N/m', damping: '0.01 N s/m' },
      rigid: { mass: 'load', com: [0, 0, '0.01 m'], distal: { xyz: [0, 0, '0.02 m'] } },
    },
    { name: 'finger', body: 'planar-cc', parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' } },
  ],
  actuators: {
    turn: { motor: 'column.angle', ratio: 20, limits: ['-2 N m', '2 N m'] },
    slide: { motor: 'hinge.displacement' },
    pull: { tendon: { through: 'finger', route: { x: '15 mm', y: '5 mm' } }, limits: ['0 N', '80 N'] },
  },
  controllers: {
    hold: { pd: { kp: 2, kd: 0.2, ki: 1, period: '2 ms' } },
    class: { 'computed-torque': { kp: '25 1/s^2', kd: 8 } },
  },
});

/** Every function that the robot can have. */
export const code = await robot.compile({ derivatives: true, points: true, functions: ['all'] });
