/** Steps that functions of a robot share: what water adds to forces and energies, and all that acts at a motion. */
import type { Output } from './arrays.ts';
import { NET_FORCE, type Action } from './robot-function.ts';

export const tau: Output = { name: 'tau', size: 'n' };

/** To coordinates, or to those that follow the time. */
type FluidSweep = 'backwardFluid' | 'holdFluid';

/** What water takes that bodies accelerate as they do, drag and buoyancy: added to forces. */
export const addAddedMassForce = (array: string, sweep: FluidSweep = 'backwardFluid'): Action => ({
  afloat: 'addedMassWrench',
  actions: [{ base: 'motionInWater' }, { sweep: 'addedMassWrench' }, { sweep, arrays: [array] }],
});
export const surroundings: readonly Action[] = [
  { afloat: 'wet', actions: [{ base: 'velocityInWater' }] },
  { afloat: 'placed', actions: [{ base: 'placement' }] },
  { sweep: 'dragAndBuoyancy' },
];
export const addDragAndBuoyancy = (array: string, sweep: FluidSweep = 'backwardFluid'): Action => ({
  afloat: 'dragAndBuoyancy',
  actions: [...surroundings, { sweep, arrays: [array] }],
});
/** The same of a motion without accelerations of the coordinates, kept for `eliminate`. */
export const keepFluidForce: readonly Action[] = [
  {
    afloat: 'dragAndBuoyancy',
    actions: [...surroundings, { sweep: 'keepDragAndBuoyancy' }],
  },
  {
    afloat: 'addedMassWrench',
    actions: [{ base: 'motionInWater' }, { sweep: 'addedMassWrench' }, { sweep: 'keepAddedMassForce' }],
  },
];

export const addedMassEnergy: Action = {
  afloat: 'addedMassWrench',
  actions: [{ base: 'velocityInWater' }, { sweep: 'addedMassEnergy' }],
};

/** What forces from outside have to overcome, in tau. */
export const activeForces = [
  { base: 'acceleration' },
  { sweep: 'acceleration' },
  { sweep: 'backward' },
  { sweep: 'addElastic' },
  { sweep: 'addDamping' },
  addAddedMassForce('tau'),
  addDragAndBuoyancy('tau'),
  { forces: 'add', to: 'tau' },
  { forces: 'push', to: 'tau' },
] as const satisfies readonly Action[];

/** A linearly implicit Euler step. @param multipliers the output that takes those of loops. */
export const stepActions = (multipliers?: string): readonly Action[] => [
  { forces: 'net' },
  { pivots: 'forget' },
  { base: 'acceleration' },
  { sweep: 'biasAcceleration' },
  ...keepFluidForce,
  { sweep: 'eliminateStep', arrays: [NET_FORCE] },
  { pivots: 'require' },
  { loops: 'reduce', moving: true },
  { loops: 'step', ...(multipliers !== undefined && { target: multipliers }) },
  { base: 'rest' },
  { sweep: 'advance' },
];
