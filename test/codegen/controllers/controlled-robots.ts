/** Robots with controllers of every law, compiled. */
import { loadRobotFile, loadRobotObject } from '../../../src/description/load.ts';
import { prepare } from './controllers-at-work.ts';

export const arm = await prepare(loadRobotFile('examples/scenarios/ur10e-motors.robot.yaml'));
/** Coordinates that no actuator reaches directly, springs, dampers, a motor beyond a ratio, a tendon through two bodies. */
export const soft = await prepare(
  loadRobotObject({
    kanegen: 1,
    name: 'soft',
    links: [
      {
        name: 'column',
        joint: { revolute: 'x', damping: '0.02 N m s/rad' },
        rigid: {
          mass: '0.4 kg',
          inertia: { xx: '1e-3 kg m^2', yy: '2e-3 kg m^2', zz: '1e-3 kg m^2' },
          distal: { xyz: [0, 0, '0.05 m'] },
        },
      },
      {
        name: 'hinge',
        joint: { revolute: 'y', stiffness: '0.8 N m/rad', damping: '0.01 N m s/rad' },
        rigid: { mass: '0.1 kg', distal: { xyz: [0, 0, '0.02 m'] } },
      },
      { name: 'seg', repeat: 2, body: 'planar-cc', parameters: { L: '0.2 m', R: '20 mm', rho: '1062 kg/m^3' } },
    ],
    actuators: {
      turn: { motor: 'column.angle', ratio: 20, limits: ['-2 N m', '2 N m'] },
      pull: { tendon: { through: 'seg', route: { x: '15 mm', y: '5 mm' } }, limits: ['0 N', '80 N'] },
      other: { along: 'hinge.angle + 0.3*seg2.q^2', unit: 'rad' },
    },
    controllers: {
      both: { 'partial-feedback-linearisation': { outputs: ['other', 'turn'], kp: '25 1/s^2', kd: [8, 9] } },
      near: { pd: { kp: 2, kd: 0.2 } },
      part: { pd: { kp: 2, kd: 0.2, compensation: 'state', actuators: ['other', 'turn'] } },
      sum: { pd: { kp: 2, kd: 0.2, ki: 1, period: '2 ms' } },
      feed: { 'feed-forward': {} },
    },
  }),
);
