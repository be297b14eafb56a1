/** The functions of a robot about the momenta of all its bodies, as sequences of sweeps. */
import { NOTHING, type Action, type RobotFunction } from './robot-function.ts';

const poses: readonly Action[] = [{ base: 'pose' }, { sweep: 'poses' }];

export const MOMENTUM_FUNCTIONS = {
  momentum: {
    purpose: 'Momentum of all bodies: angular about a point, then linear, world axes. Drives and water have none.',
    state: 'staged',
    timeless: true,
    inputs: ['about'],
    outputs: [{ name: 'h', size: 6 }],
    actions: [{ sweep: 'momenta', arrays: [NOTHING, NOTHING] }, { momentum: 'whole' }],
  },
  momentumMatrix: {
    purpose: 'A of momentum = A qd, about a point; about the centre of mass the centroidal momentum matrix.',
    state: 'staged',
    timeless: true,
    inputs: ['about'],
    outputs: [{ name: 'A', size: '6 * n' }],
    actions: [{ momentum: 'about' }, ...poses, { sweep: 'momenta', arrays: ['A', NOTHING] }],
  },
  centreOfMass: {
    purpose: 'Mass of all bodies, its centre in the world, and the Jacobian of that; a null pointer skips an output.',
    state: 'staged',
    timeless: true,
    inputs: [],
    outputs: [
      { name: 'mass', size: 1 },
      { name: 'centre', size: 3 },
      { name: 'J', size: '3 * n' },
    ],
    optional: true,
    actions: [
      { wanted: 'J', actions: poses },
      { sweep: 'momenta', arrays: [NOTHING, 'J'] },
      { momentum: 'centre' },
      { wanted: 'J', actions: [{ momentum: 'jacobian' }] },
    ],
  },
} as const satisfies Record<string, RobotFunction>;
