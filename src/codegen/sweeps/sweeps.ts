/**
 * The sweeps over the links, written once for all languages: what every link does on the way outwards or inwards. Nothing here
 * knows mechanics: what links compute are the functions of `kane/kernels/link-functions.ts`.
 */
import { PAIR_ARRAYS } from './arrays.ts';
import { derivativeSweeps } from './derivative-sweeps.ts';
import { add, call, inwards, load, outwards, put, take, type Sweep } from './sweep-steps.ts';

const PRIMAL_SWEEPS = {
  prepare: outwards('Constants of the links that depend on run-time parameters.', [], [call('prepare')]),
  takeTime: outwards('The time, to the links that depend on it.', [], [{ step: 'time' }], { timed: true }),
  configure: outwards('Takes a configuration.', ['q'], [put('q'), call('configure')]),
  velocity: outwards('Velocities of all links.', ['qd'], [put('qd'), call('velocity')]),
  acceleration: outwards('Accelerations and body wrenches of all links.', ['qdd'], [put('qdd'), call('acceleration')]),
  biasAcceleration: outwards(
    'The same without accelerations of coordinates.',
    [],
    [{ step: 'clear', buffer: 'qdd' }, call('acceleration')],
  ),
  forward: outwards(
    'Velocities, accelerations and body wrenches of all links in one go.',
    ['q', 'qd', 'qdd'],
    [put('q'), put('qd'), put('qdd'), call('forward')],
    { without: 'addedMassWrench' },
  ),
  gravity: outwards('Weights of all links.', [], [call('gravity')]),
  gravityAt: outwards('The same with nothing staged before.', ['q'], [put('q'), call('gravityAt')]),
  backward: inwards('Generalized forces from the wrenches of all bodies.', ['tau'], [call('backward'), take('tau')]),
  hold: inwards(
    'Forces on coordinates that follow the time, from the wrenches of all bodies.',
    ['force'],
    [call('backward'), { step: 'held', function: 'hold', array: 'force' }],
    { holding: true },
  ),
  holdFluid: inwards(
    'The same of what the water takes.',
    ['force'],
    [call('backwardFluid'), { step: 'held', function: 'holdFluid', array: 'force' }],
    { holding: true },
  ),
  motionSubspaces: outwards(
    'Motions per unit rate of all coordinates, in axes and about the origin of the first link of their tree.',
    [],
    [{ step: 'motionSubspaces' }],
    { gathers: true },
  ),
  composite: inwards(
    'The mass matrix from the composite masses of all links.',
    ['M'],
    [call('composite'), { step: 'entries', array: 'M' }],
  ),
  eliminate: inwards(
    'Generalized forces through the coordinates of all links, against what bodies need without accelerations.',
    ['tau'],
    [
      load('tau'),
      { step: 'subtractWater' },
      { step: 'subtract', function: 'elastic' },
      { step: 'subtract', function: 'damping' },
      { step: 'addend', of: 'nothing' },
      call('articulate'),
      { step: 'require' },
      call('reduce'),
    ],
  ),
  eliminateStep: inwards(
    'The same for a step of time h, whose springs and dampers act as they will at its end.',
    ['tau'],
    [
      load('tau'),
      { step: 'subtractWater' },
      { step: 'subtract', function: 'elastic' },
      { step: 'subtract', function: 'damping' },
      { step: 'addend', of: 'step' },
      call('articulate'),
      { step: 'require' },
      call('reduce'),
    ],
    { numbers: ['h'] },
  ),
  advance: outwards(
    'Accelerations of all coordinates, and the state after a step of time h.',
    ['q', 'qd'],
    [call('restore'), { step: 'advance', q: 'q', qd: 'qd' }],
    { numbers: ['h'] },
  ),
  articulate: inwards(
    'Articulated inertias of all links, and the factors of the mass matrix.',
    [],
    [{ step: 'addend', of: 'nothing' }, call('articulate'), { step: 'require' }],
  ),
  reduce: inwards(
    'A right-hand side through the coordinates of all links.',
    ['rhs'],
    [load('rhs'), call('reduceAlone')],
    { at: true },
  ),
  articulateStep: inwards(
    'The same with what springs and dampers add in a step of time h.',
    [],
    [{ step: 'addend', of: 'linear' }, call('articulate'), { step: 'require' }],
    { numbers: ['h'] },
  ),
  implicitLoad: inwards(
    'What springs and dampers do about a right-hand side, through the coordinates of all links.',
    ['rq', 'rv'],
    [{ step: 'implicitLoad', rq: 'rq', rv: 'rv' }, call('reduceAlone')],
    { numbers: ['h'] },
  ),
  implicitSolution: outwards(
    'The solution of an implicit step of time h.',
    ['rq', 'rv', 'xq', 'xv'],
    [call('restore'), { step: 'implicitSolution', rq: 'rq', rv: 'rv', xq: 'xq', xv: 'xv' }],
    { numbers: ['h'] },
  ),
  keepQuotients: outwards(
    'What is left of a right-hand side on the coordinates, over their pivots, and the pivots.',
    ['quotients', 'pivots'],
    [
      { step: 'take', array: 'quotients', buffer: 'quotients' },
      { step: 'take', array: 'pivots', buffer: 'pivots' },
    ],
    { ofLoops: true },
  ),
  keepRates: outwards('Rates of all coordinates.', ['rates'], [{ step: 'take', array: 'rates', buffer: 'qd' }], {
    ofLoops: true,
  }),
  putQuotients: outwards(
    'The first of these back to the links.',
    ['rhs'],
    [{ step: 'put', buffer: 'quotients', array: 'rhs' }],
    { ofLoops: true },
  ),
  reduceRow: inwards(
    'A row through the coordinates of all links: what is left of it takes its place.',
    ['rhs'],
    [load('rhs'), call('reduceRow'), { step: 'take', array: 'rhs', buffer: 'quotients' }],
    { ofLoops: true, at: true },
  ),
  restore: outwards(
    'Accelerations of all coordinates.',
    ['x'],
    [call('restore'), { step: 'take', array: 'x', buffer: 'accelerations' }],
    { at: true },
  ),
  elastic: outwards('Elastic forces of bodies on their own coordinates.', ['tau'], [call('elastic'), take('tau')]),
  damping: outwards('Damping forces of bodies on their own coordinates.', ['tau'], [call('damping'), take('tau')]),
  addElastic: outwards('Elastic forces added to other forces.', ['tau'], [call('elastic'), add('tau')]),
  addDamping: outwards('Damping forces added to other forces.', ['tau'], [call('damping'), add('tau')]),
  stiffness: outwards(
    'Derivatives of elastic forces by coordinates, a block per link.',
    ['K'],
    [call('stiffness'), { step: 'block', array: 'K' }],
  ),
  dissipation: outwards(
    'Derivatives of damping forces by rates, a block per link.',
    ['D'],
    [call('dissipation'), { step: 'block', array: 'D' }],
  ),
  dragAndBuoyancy: outwards(
    'Motions against the water, drag and buoyancy of all bodies.',
    [],
    [call('dragAndBuoyancy')],
  ),
  contacts: outwards(
    'What is reported of contacts with obstacles; where wanted.',
    [...PAIR_ARRAYS],
    [call('contacts'), { step: 'pairs' }],
  ),
  addedMassWrench: outwards(
    'Motions against the water, and what the water takes that bodies accelerate.',
    [],
    [call('addedMassWrench')],
  ),
  backwardFluid: inwards(
    'Generalized forces that the water takes, added to others.',
    ['tau'],
    [call('backwardFluid'), add('tau')],
  ),
  keepDragAndBuoyancy: inwards(
    'The same set aside: of drag and buoyancy.',
    [],
    [call('backwardFluid'), { step: 'keepWater', more: false }],
    { with: 'dragAndBuoyancy' },
  ),
  keepAddedMassForce: inwards(
    'The same set aside: of water that accelerates.',
    [],
    [call('backwardFluid'), { step: 'keepWater', more: true }],
    { with: 'addedMassWrench' },
  ),
  compositeWithAddedMass: inwards(
    'The mass matrix from the composite inertias of all links and the water that they move.',
    ['M'],
    [call('compositeWithAddedMass'), { step: 'entries', array: 'M' }],
  ),
  addedMassEnergy: outwards(
    'Kinetic energy of the water that bodies move.',
    ['energy'],
    [call('addedMassEnergy'), { step: 'total', buffer: 'energy', array: 'energy' }],
  ),
  pose: outwards('World poses of links 0 … last.', [], [call('pose')], { upTo: true }),
  poses: outwards('World poses of all links.', [], [call('pose')], { timeless: true }),
  momenta: inwards(
    'Momenta of all bodies, to the base; those of unit rates, and their linear parts, where wanted.',
    ['A', 'J'],
    [call('momentum'), { step: 'momenta', all: 'A', linear: 'J' }],
    { timeless: true },
  ),
  biasMotion: outwards(
    'Velocities of links 0 … last, and the accelerations that they cause.',
    [],
    [call('biasMotion')],
    { upTo: true },
  ),
  motion: outwards('Velocities and accelerations of links.', ['qdd'], [put('qdd'), call('motion')]),
  energy: outwards(
    'Energies of all bodies.',
    ['energy'],
    [call('energy'), { step: 'total', buffer: 'energy', array: 'energy' }],
  ),
  unsolved: outwards(
    'The first section whose strain is not solved for.',
    ['section'],
    [call('unsolved'), { step: 'unsolved', array: 'section' }],
  ),
  actuation: outwards(
    'Shares of links of actuation coordinates and of their gradients; where wanted.',
    ['y', 'B'],
    [
      call('actuation'),
      { step: 'shares', buffer: 'actuationCoordinates', part: 0, array: 'y' },
      { step: 'columns', buffer: 'actuationGradients', array: 'B' },
    ],
  ),
  actuationRates: outwards(
    'Shares of links of the rates of actuation coordinates and of their second derivatives; where wanted.',
    ['yd', 'ydd0'],
    [
      call('actuationRates'),
      { step: 'shares', buffer: 'actuationRates', part: 0, array: 'yd' },
      { step: 'shares', buffer: 'actuationRates', part: 1, array: 'ydd0' },
    ],
  ),
  actuate: outwards(
    'Generalized forces of the actuators that act within links.',
    ['u', 'tau'],
    [{ step: 'inputs', array: 'u' }, call('actuate'), add('tau')],
  ),
} as const satisfies Record<string, Sweep>;

const SWEEPS = { ...PRIMAL_SWEEPS, ...derivativeSweeps(PRIMAL_SWEEPS) };

export type SweepName = keyof typeof SWEEPS;

export const SWEEP_NAMES = Object.keys(SWEEPS) as readonly SweepName[];

/** A record as one type for all. */
export const sweepOf = (name: SweepName): Sweep => SWEEPS[name];
