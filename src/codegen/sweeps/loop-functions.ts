/** The functions of a robot with loops, as sequences of sweeps. */
import { activeForces, keepFluidForce, tau } from './force-actions.ts';
import { NET_FORCE, type RobotFunction } from './robot-function.ts';

export const LOOP_FUNCTIONS = {
  constraint: {
    purpose:
      'Residuals of the rows of loops, their rates, and their second derivatives at qdd = 0; a null pointer skips one.',
    about: 'loops',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: [
      { name: 'phi', size: 'r' },
      { name: 'rate', size: 'r' },
      { name: 'bias', size: 'r' },
    ],
    optional: true,
    actions: [
      { wanted: 'phi', actions: [{ loops: 'residuals' }] },
      { wanted: ['rate', 'bias'], actions: [{ loops: 'rates' }] },
    ],
  },
  constraintJacobian: {
    purpose: 'J = d phi/dq of the rows of loops, NR x n.',
    about: 'loops',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'J', size: 'r * n' }],
    actions: [{ loops: 'jacobian' }],
  },
  constrainedForwardDynamics: {
    purpose:
      "qdd and lambda of M qdd + … = tau + J' lambda, J qdd + bias = -2 alpha J qd - beta^2 phi, of as many rows as constraint_rank.",
    about: 'loops',
    usual: true,
    state: 'staged',
    inputs: ['tau'],
    numbers: ['alpha', 'beta'],
    outputs: [
      { name: 'qdd', size: 'n' },
      { name: 'lambda', size: 'r' },
    ],
    actions: [
      { forces: 'net' },
      { pivots: 'forget' },
      { base: 'acceleration' },
      { sweep: 'biasAcceleration' },
      ...keepFluidForce,
      { sweep: 'eliminate', arrays: [NET_FORCE] },
      { pivots: 'require' },
      { loops: 'reduce', moving: true },
      { loops: 'stabilise', target: 'lambda' },
      { base: 'rest' },
      { sweep: 'restore', at: '0', arrays: ['qdd'] },
    ],
  },
  constrainedInverseDynamics: {
    purpose:
      "tau and lambda of M qdd + … = tau + J' lambda, of least sum of (tau / capacity)^2, zero without capacity but for what no lambda can do.",
    about: 'loops',
    state: 'staged',
    inputs: ['qdd', 'capacity'],
    outputs: [tau, { name: 'lambda', size: 'r' }],
    actions: [...activeForces, { loops: 'distribute', target: 'lambda' }],
  },
  constraintCorrection: {
    purpose:
      'Steps from the staged state to the loops, least in the metric of M: dq by one step of Newton, dqd of rates.',
    about: 'loops',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: [
      { name: 'dq', size: 'n' },
      { name: 'dqd', size: 'n' },
    ],
    actions: [
      { pivots: 'forget' },
      { sweep: 'articulate' },
      { pivots: 'require' },
      { loops: 'reduce', moving: true },
      { loops: 'place' },
      { base: 'rest' },
      { sweep: 'restore', at: '0', arrays: ['dq'] },
      { loops: 'turn' },
      { base: 'rest' },
      { sweep: 'restore', at: '0', arrays: ['dqd'] },
    ],
  },
  keepRopes: {
    purpose:
      'Which ropes are taut in all that follows, by row: 1, or -1 for slack ones, whatever the state; 0: judged by the state, as all are before.',
    about: 'ropes',
    usual: true,
    state: 'staged',
    inputs: ['taut'],
    outputs: [],
    actions: [{ loops: 'ropes' }],
  },
} as const satisfies Record<string, RobotFunction>;
