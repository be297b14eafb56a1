/**
 * The sweeps over the links, written once for all languages: what every link does on the way outwards or inwards. Nothing here
 * knows mechanics: what links compute are the functions of `kane/kernels/link-functions.ts`.
 */
import { PAIR_ARRAYS } from './arrays.ts';
import { derivativeSweeps } from './derivative-sweeps.ts';
import { add, call, load, put, take, type Sweep } from './sweep-steps.ts';

const PRIMAL_SWEEPS = {
  prepare: {
    purpose: 'Constants of the links that depend on run-time parameters.',
    direction: 'outwards',
    arrays: [],
    steps: [call('prepare')],
  },
  takeTime: {
    purpose: 'The time, to the links that depend on it.',
    direction: 'outwards',
    timed: true,
    arrays: [],
    steps: [{ step: 'time' }],
  },
  configure: {
    purpose: 'Takes a configuration.',
    direction: 'outwards',
    arrays: ['q'],
    steps: [put('q'), call('configure')],
  },
  velocity: {
    purpose: 'Velocities of all links.',
    direction: 'outwards',
    arrays: ['qd'],
    steps: [put('qd'), call('velocity')],
  },
  acceleration: {
    purpose: 'Accelerations and body wrenches of all links.',
    direction: 'outwards',
    arrays: ['qdd'],
    steps: [put('qdd'), call('acceleration')],
  },
  biasAcceleration: {
    purpose: 'The same without accelerations of coordinates.',
    direction: 'outwards',
    arrays: [],
    steps: [{ step: 'clear', buffer: 'qdd' }, call('acceleration')],
  },
  forward: {
    purpose: 'Velocities, accelerations and body wrenches of all links in one go.',
    direction: 'outwards',
    without: 'addedMassWrench',
    arrays: ['q', 'qd', 'qdd'],
    steps: [put('q'), put('qd'), put('qdd'), call('forward')],
  },
  gravity: { purpose: 'Weights of all links.', direction: 'outwards', arrays: [], steps: [call('gravity')] },
  gravityAt: {
    purpose: 'The same with nothing staged before.',
    direction: 'outwards',
    arrays: ['q'],
    steps: [put('q'), call('gravityAt')],
  },
  backward: {
    purpose: 'Generalized forces from the wrenches of all bodies.',
    direction: 'inwards',
    arrays: ['tau'],
    steps: [call('backward'), take('tau')],
  },
  hold: {
    purpose: 'Forces on coordinates that follow the time, from the wrenches of all bodies.',
    direction: 'inwards',
    holding: true,
    arrays: ['force'],
    steps: [call('backward'), { step: 'held', function: 'hold', array: 'force' }],
  },
  holdFluid: {
    purpose: 'The same of what the water takes.',
    direction: 'inwards',
    holding: true,
    arrays: ['force'],
    steps: [call('backwardFluid'), { step: 'held', function: 'holdFluid', array: 'force' }],
  },
  motionSubspaces: {
    purpose: 'Motions per unit rate of all coordinates, in axes and about the origin of the first link of their tree.',
    direction: 'outwards',
    gathers: true,
    arrays: [],
    steps: [{ step: 'motionSubspaces' }],
  },
  composite: {
    purpose: 'The mass matrix from the composite masses of all links.',
    direction: 'inwards',
    arrays: ['M'],
    steps: [call('composite'), { step: 'entries', array: 'M' }],
  },
  eliminate: {
    purpose: 'Generalized forces through the coordinates of all links, against what bodies need without accelerations.',
    direction: 'inwards',
    arrays: ['tau'],
    steps: [
      load('tau'),
      { step: 'subtractWater' },
      { step: 'subtract', function: 'elastic' },
      { step: 'subtract', function: 'damping' },
      { step: 'addend', of: 'nothing' },
      call('articulate'),
      { step: 'require' },
      call('reduce'),
    ],
  },
  eliminateStep: {
    purpose: 'The same for a step of time h, whose springs and dampers act as they will at its end.',
    direction: 'inwards',
    numbers: ['h'],
    arrays: ['tau'],
    steps: [
      load('tau'),
      { step: 'subtractWater' },
      { step: 'subtract', function: 'elastic' },
      { step: 'subtract', function: 'damping' },
      { step: 'addend', of: 'step' },
      call('articulate'),
      { step: 'require' },
      call('reduce'),
    ],
  },
  advance: {
    purpose: 'Accelerations of all coordinates, and the state after a step of time h.',
    direction: 'outwards',
    numbers: ['h'],
    arrays: ['q', 'qd'],
    steps: [call('restore'), { step: 'advance', q: 'q', qd: 'qd' }],
  },
  articulate: {
    purpose: 'Articulated inertias of all links, and the factors of the mass matrix.',
    direction: 'inwards',
    arrays: [],
    steps: [{ step: 'addend', of: 'nothing' }, call('articulate'), { step: 'require' }],
  },
  reduce: {
    purpose: 'A right-hand side through the coordinates of all links.',
    direction: 'inwards',
    at: true,
    arrays: ['rhs'],
    steps: [load('rhs'), call('reduceAlone')],
  },
  articulateStep: {
    purpose: 'The same with what springs and dampers add in a step of time h.',
    direction: 'inwards',
    numbers: ['h'],
    arrays: [],
    steps: [{ step: 'addend', of: 'linear' }, call('articulate'), { step: 'require' }],
  },
  implicitLoad: {
    purpose: 'What springs and dampers do about a right-hand side, through the coordinates of all links.',
    direction: 'inwards',
    numbers: ['h'],
    arrays: ['rq', 'rv'],
    steps: [{ step: 'implicitLoad', rq: 'rq', rv: 'rv' }, call('reduceAlone')],
  },
  implicitSolution: {
    purpose: 'The solution of an implicit step of time h.',
    direction: 'outwards',
    numbers: ['h'],
    arrays: ['rq', 'rv', 'xq', 'xv'],
    steps: [call('restore'), { step: 'implicitSolution', rq: 'rq', rv: 'rv', xq: 'xq', xv: 'xv' }],
  },
  keepQuotients: {
    purpose: 'What is left of a right-hand side on the coordinates, over their pivots, and the pivots.',
    ofLoops: true,
    direction: 'outwards',
    arrays: ['quotients', 'pivots'],
    steps: [
      { step: 'take', array: 'quotients', buffer: 'quotients' },
      { step: 'take', array: 'pivots', buffer: 'pivots' },
    ],
  },
  keepRates: {
    purpose: 'Rates of all coordinates.',
    ofLoops: true,
    direction: 'outwards',
    arrays: ['rates'],
    steps: [{ step: 'take', array: 'rates', buffer: 'qd' }],
  },
  putQuotients: {
    purpose: 'The first of these back to the links.',
    ofLoops: true,
    direction: 'outwards',
    arrays: ['rhs'],
    steps: [{ step: 'put', buffer: 'quotients', array: 'rhs' }],
  },
  reduceRow: {
    purpose: 'A row through the coordinates of all links: what is left of it takes its place.',
    ofLoops: true,
    direction: 'inwards',
    at: true,
    arrays: ['rhs'],
    steps: [load('rhs'), call('reduceRow'), { step: 'take', array: 'rhs', buffer: 'quotients' }],
  },
  restore: {
    purpose: 'Accelerations of all coordinates.',
    direction: 'outwards',
    at: true,
    arrays: ['x'],
    steps: [call('restore'), { step: 'take', array: 'x', buffer: 'accelerations' }],
  },
  elastic: {
    purpose: 'Elastic forces of bodies on their own coordinates.',
    direction: 'outwards',
    arrays: ['tau'],
    steps: [call('elastic'), take('tau')],
  },
  damping: {
    purpose: 'Damping forces of bodies on their own coordinates.',
    direction: 'outwards',
    arrays: ['tau'],
    steps: [call('damping'), take('tau')],
  },
  addElastic: {
    purpose: 'Elastic forces added to other forces.',
    direction: 'outwards',
    arrays: ['tau'],
    steps: [call('elastic'), add('tau')],
  },
  addDamping: {
    purpose: 'Damping forces added to other forces.',
    direction: 'outwards',
    arrays: ['tau'],
    steps: [call('damping'), add('tau')],
  },
  stiffness: {
    purpose: 'Derivatives of elastic forces by coordinates, a block per link.',
    direction: 'outwards',
    arrays: ['K'],
    steps: [call('stiffness'), { step: 'block', array: 'K' }],
  },
  dissipation: {
    purpose: 'Derivatives of damping forces by rates, a block per link.',
    direction: 'outwards',
    arrays: ['D'],
    steps: [call('dissipation'), { step: 'block', array: 'D' }],
  },
  dragAndBuoyancy: {
    purpose: 'Motions against the water, drag and buoyancy of all bodies.',
    direction: 'outwards',
    arrays: [],
    steps: [call('dragAndBuoyancy')],
  },
  contacts: {
    purpose: 'What is reported of contacts with obstacles; where wanted.',
    direction: 'outwards',
    arrays: [...PAIR_ARRAYS],
    steps: [call('contacts'), { step: 'pairs' }],
  },
  addedMassWrench: {
    purpose: 'Motions against the water, and what the water takes that bodies accelerate.',
    direction: 'outwards',
    arrays: [],
    steps: [call('addedMassWrench')],
  },
  backwardFluid: {
    purpose: 'Generalized forces that the water takes, added to others.',
    direction: 'inwards',
    arrays: ['tau'],
    steps: [call('backwardFluid'), add('tau')],
  },
  keepDragAndBuoyancy: {
    purpose: 'The same set aside: of drag and buoyancy.',
    direction: 'inwards',
    with: 'dragAndBuoyancy',
    arrays: [],
    steps: [call('backwardFluid'), { step: 'keepWater', more: false }],
  },
  keepAddedMassForce: {
    purpose: 'The same set aside: of water that accelerates.',
    direction: 'inwards',
    with: 'addedMassWrench',
    arrays: [],
    steps: [call('backwardFluid'), { step: 'keepWater', more: true }],
  },
  compositeWithAddedMass: {
    purpose: 'The mass matrix from the composite inertias of all links and the water that they move.',
    direction: 'inwards',
    arrays: ['M'],
    steps: [call('compositeWithAddedMass'), { step: 'entries', array: 'M' }],
  },
  addedMassEnergy: {
    purpose: 'Kinetic energy of the water that bodies move.',
    direction: 'outwards',
    arrays: ['energy'],
    steps: [call('addedMassEnergy'), { step: 'total', buffer: 'energy', array: 'energy' }],
  },
  pose: {
    purpose: 'World poses of links 0 … last.',
    direction: 'outwards',
    upTo: true,
    arrays: [],
    steps: [call('pose')],
  },
  poses: {
    purpose: 'World poses of all links.',
    direction: 'outwards',
    timeless: true,
    arrays: [],
    steps: [call('pose')],
  },
  momenta: {
    purpose: 'Momenta of all bodies, to the base; those of unit rates, and their linear parts, where wanted.',
    direction: 'inwards',
    timeless: true,
    arrays: ['A', 'J'],
    steps: [call('momentum'), { step: 'momenta', all: 'A', linear: 'J' }],
  },
  biasMotion: {
    purpose: 'Velocities of links 0 … last, and the accelerations that they cause.',
    direction: 'outwards',
    upTo: true,
    arrays: [],
    steps: [call('biasMotion')],
  },
  motion: {
    purpose: 'Velocities and accelerations of links.',
    direction: 'outwards',
    arrays: ['qdd'],
    steps: [put('qdd'), call('motion')],
  },
  energy: {
    purpose: 'Energies of all bodies.',
    direction: 'outwards',
    arrays: ['energy'],
    steps: [call('energy'), { step: 'total', buffer: 'energy', array: 'energy' }],
  },
  unsolved: {
    purpose: 'The first section whose strain is not solved for.',
    direction: 'outwards',
    arrays: ['section'],
    steps: [call('unsolved'), { step: 'unsolved', array: 'section' }],
  },
  actuation: {
    purpose: 'Shares of links of actuation coordinates and of their gradients; where wanted.',
    direction: 'outwards',
    arrays: ['y', 'B'],
    steps: [
      call('actuation'),
      { step: 'shares', buffer: 'actuationCoordinates', part: 0, array: 'y' },
      { step: 'columns', buffer: 'actuationGradients', array: 'B' },
    ],
  },
  actuationRates: {
    purpose: 'Shares of links of the rates of actuation coordinates and of their second derivatives; where wanted.',
    direction: 'outwards',
    arrays: ['yd', 'ydd0'],
    steps: [
      call('actuationRates'),
      { step: 'shares', buffer: 'actuationRates', part: 0, array: 'yd' },
      { step: 'shares', buffer: 'actuationRates', part: 1, array: 'ydd0' },
    ],
  },
  actuate: {
    purpose: 'Generalized forces of the actuators that act within links.',
    direction: 'outwards',
    arrays: ['u', 'tau'],
    steps: [{ step: 'inputs', array: 'u' }, call('actuate'), add('tau')],
  },
} as const satisfies Record<string, Sweep>;

const SWEEPS = { ...PRIMAL_SWEEPS, ...derivativeSweeps(PRIMAL_SWEEPS) };

export type SweepName = keyof typeof SWEEPS;

export const SWEEP_NAMES = Object.keys(SWEEPS) as readonly SweepName[];

/** A record as one type for all. */
export const sweepOf = (name: SweepName): Sweep => SWEEPS[name];
