/**
 * The drivers, written once for all languages: which sweeps over the links there are and what every link does in them, and
 * the functions of a robot as sequences of sweeps. Nothing here knows mechanics: what links compute are the functions of
 * `kane/link/kernels.ts`, what base and frames compute are the programs of `robot-programs.ts`.
 */
import type { BaseMotion } from '../../kane/equations/ends.ts';
import type { LinkFunctionName } from '../../kane/link/kernels.ts';

/** Arrays of a state, by name of the link buffer that takes a link's part of them. */
export type StateArray = 'q' | 'qd' | 'qdd';

/** What a link does in a sweep. Arrays are named as the sweep names its parameters. */
export type LinkStep =
  /** The link's part of a state into its block; zeros in its place. */
  | { readonly step: 'put'; readonly buffer: StateArray | 'load'; readonly array: Input }
  | { readonly step: 'clear'; readonly buffer: StateArray }
  /** A function of the link's module. What it leaves for the parent is added to what other children left there. */
  | { readonly step: 'call'; readonly function: LinkFunctionName }
  /** A function that yields generalized forces, which are taken off the load; links that have none are left out. */
  | { readonly step: 'resist'; readonly function: LinkFunctionName }
  /** The addend of the link's block of the mass matrix: nothing, or what an implicit step of h takes, whose load changes, too. */
  | { readonly step: 'addend'; readonly of: 'nothing' | 'step' }
  /** Rates and coordinates of the link after a step of h, to their places in arrays. */
  | { readonly step: 'advance'; readonly q: string; readonly qd: string }
  /** A link with a pivot that is not positive is remembered; not-a-number shows in the outputs. */
  | { readonly step: 'require' }
  /** Generalized forces or accelerations of the link to their places in an array. */
  | { readonly step: 'take'; readonly array: string; readonly buffer: 'generalizedForce' | 'accelerations' }
  /** Energies of the link added to those of the others. */
  | { readonly step: 'total'; readonly array: string }
  /** Derivatives of the link's forces to its block of a matrix. */
  | { readonly step: 'block'; readonly array: string }
  /** Generalized forces of the link added to what stands at their places in an array. */
  | { readonly step: 'add'; readonly array: string }
  /** The inputs of the actuators that act within the link. */
  | { readonly step: 'inputs'; readonly array: string }
  /**
   * What the link has for its actuators, added where an array of one number per actuator has theirs, or where a matrix has
   * their columns; nothing where the caller wants none. `part`: which of several lists of the buffer.
   */
  | { readonly step: 'shares'; readonly buffer: ShareBuffer; readonly part: number; readonly array: string }
  | { readonly step: 'columns'; readonly buffer: ShareBuffer; readonly array: string }
  /** The link's block of the mass matrix, and what its unit wrenches do at all links between it and the base. */
  | { readonly step: 'entries'; readonly array: string };

export type ShareBuffer = 'actuationCoordinates' | 'actuationGradients' | 'actuationRates';

export interface Sweep {
  readonly purpose: string;
  readonly direction: 'outwards' | 'inwards';
  /** Ends at a link that the caller names. */
  readonly upTo?: true;
  /** Its arrays begin at an index that the caller names. */
  readonly at?: true;
  /** It is about a step of time h. */
  readonly ofTime?: true;
  readonly arrays: readonly string[];
  readonly steps: readonly LinkStep[];
}

const put = (array: StateArray): LinkStep => ({ step: 'put', buffer: array, array });
const call = (name: LinkFunctionName): LinkStep => ({ step: 'call', function: name });
const add = (array: string): LinkStep => ({ step: 'add', array });
const take = (array: string): LinkStep => ({ step: 'take', array, buffer: 'generalizedForce' });
const load = (array: Input): LinkStep => ({ step: 'put', buffer: 'load', array });

export const SWEEPS = {
  prepare: {
    purpose: 'Constants of the links that depend on run-time parameters.',
    direction: 'outwards',
    arrays: [],
    steps: [call('prepare')],
  },
  configure: {
    purpose: 'Takes a configuration.',
    direction: 'outwards',
    arrays: ['q'],
    steps: [put('q'), call('configure')],
  },
  move: {
    purpose: 'Velocities of all links.',
    direction: 'outwards',
    arrays: ['qd'],
    steps: [put('qd'), call('move')],
  },
  accelerate: {
    purpose: 'Accelerations and body wrenches of all links.',
    direction: 'outwards',
    arrays: ['qdd'],
    steps: [put('qdd'), call('accelerate')],
  },
  coast: {
    purpose: 'The same without accelerations of coordinates.',
    direction: 'outwards',
    arrays: [],
    steps: [{ step: 'clear', buffer: 'qdd' }, call('accelerate')],
  },
  forward: {
    purpose: 'Velocities, accelerations and body wrenches of all links in one go.',
    direction: 'outwards',
    arrays: ['q', 'qd', 'qdd'],
    steps: [put('q'), put('qd'), put('qdd'), call('forward')],
  },
  weigh: { purpose: 'Weights of all links.', direction: 'outwards', arrays: [], steps: [call('weigh')] },
  backward: {
    purpose: 'Generalized forces from the wrenches of all bodies.',
    direction: 'inwards',
    arrays: ['tau'],
    steps: [call('backward'), take('tau')],
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
      { step: 'resist', function: 'elastic' },
      { step: 'resist', function: 'damping' },
      { step: 'addend', of: 'nothing' },
      call('articulate'),
      { step: 'require' },
      call('reduce'),
    ],
  },
  eliminateStep: {
    purpose: 'The same for a step of time h, whose springs and dampers act as they will at its end.',
    direction: 'inwards',
    ofTime: true,
    arrays: ['tau'],
    steps: [
      load('tau'),
      { step: 'resist', function: 'elastic' },
      { step: 'resist', function: 'damping' },
      { step: 'addend', of: 'step' },
      call('articulate'),
      { step: 'require' },
      call('reduce'),
    ],
  },
  advance: {
    purpose: 'Accelerations of all coordinates, and the state after a step of time h.',
    direction: 'outwards',
    ofTime: true,
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
  pose: {
    purpose: 'World poses of links 0 … last.',
    direction: 'outwards',
    upTo: true,
    arrays: [],
    steps: [call('pose')],
  },
  drift: {
    purpose: 'Velocities of links 0 … last, and the accelerations that they cause.',
    direction: 'outwards',
    upTo: true,
    arrays: [],
    steps: [call('drift')],
  },
  energy: {
    purpose: 'Energies of all bodies.',
    direction: 'outwards',
    arrays: ['energy'],
    steps: [call('energy'), { step: 'total', array: 'energy' }],
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

export type SweepName = keyof typeof SWEEPS;

/** How many numbers, of a robot with n coordinates and u actuators. */
export type Size = number | 'n' | 'n * n' | '6 * n' | 'n * columns' | 'u' | 'n * u';

export interface RobotSizes {
  readonly n: number;
  readonly u: number;
}

/** A number, or an expression of generated code in the argument `columns`. */
export function sizeOf(size: Size, { n, u }: RobotSizes): number | string {
  if (typeof size === 'number') return size;
  return { n, 'n * n': n * n, '6 * n': 6 * n, 'n * columns': `${n} * columns`, u, 'n * u': n * u }[size];
}

export interface Output {
  readonly name: string;
  readonly size: Size;
}

/** Arrays that callers give: parts of a state, and others with their sizes. */
export const INPUTS = {
  q: 'n',
  qd: 'n',
  qdd: 'n',
  wrench: 6,
  tau: 'n',
  u: 'u',
  rhs: 'n * columns',
} as const satisfies Record<string, Size>;

export type Input = keyof typeof INPUTS;

/** What a function of a robot does, one after the other. */
export type Action =
  /** The base is given a motion, which its children find. */
  | { readonly base: BaseMotion }
  /** A sweep on arrays of the caller. */
  | { readonly sweep: SweepName; readonly at?: string; readonly arrays?: readonly string[] }
  | { readonly clear: string }
  /** No link is remembered for its pivots; and the status where one is, before outputs are written. */
  | { readonly pivots: 'forget' | 'require' }
  /** Once for each column of arrays that hold several. */
  | { readonly eachColumn: readonly Action[] }
  /** What actuators have of coordinates of several links. */
  | { readonly formulas: FormulaName }
  /** What they have between and on links. */
  | { readonly reach: ReachName }
  /** Pose of the frame from that of its link; columns of the Jacobian of its origin. */
  | { readonly frame: 'pose' | 'jacobian' }
  /** What the sweep `drift` left at the link of the frame, set aside; with its pose, the motion of the frame. */
  | { readonly motion: 'keep' | 'of frame' }
  /** A wrench on the frame, in these axes, to its link; what it does on the coordinates from there to the base. */
  | { readonly apply: 'world' | 'frame' }
  | { readonly transmit: string }
  /** Where the caller wants an output, or one of several. */
  | { readonly wanted: string | readonly string[]; readonly actions: readonly Action[] };

/** Functions of the driver for formulas that mix coordinates of several links, by what they write. */
export const FORMULAS = {
  values: {
    purpose: 'Actuation coordinates that mix links, and their gradients; where they are wanted.',
    reads: ['q'],
    writes: ['y', 'B'],
    optional: true,
  },
  rates: {
    purpose: 'Their rates and second derivatives; where they are wanted.',
    reads: ['q', 'qd'],
    writes: ['yd', 'ydd0'],
    optional: true,
  },
  forces: { purpose: 'Their generalized forces added.', reads: ['q', 'u', 'tau'], writes: ['tau'], optional: false },
} as const;

export type FormulaName = keyof typeof FORMULAS;

/** How a parameter of a function of the driver is passed. */
export type ParameterKind = 'index' | 'number' | 'read' | 'written' | 'wanted';

/** Functions of the driver for terms of actuators that reach from link to link, by what they write. */
export const REACHES = {
  values: {
    purpose: 'Coordinates of actuators that reach from link to link, and their gradients; where wanted.',
    parameters: [
      ['y', 'wanted'],
      ['B', 'wanted'],
    ],
  },
  rates: {
    purpose: 'Their rates and second derivatives; where wanted.',
    parameters: [
      ['yd', 'wanted'],
      ['ydd0', 'wanted'],
    ],
  },
  forces: {
    purpose: 'Their generalized forces added.',
    parameters: [
      ['u', 'read'],
      ['tau', 'written'],
    ],
  },
} as const satisfies Record<string, { purpose: string; parameters: readonly (readonly [string, ParameterKind])[] }>;

export type ReachName = keyof typeof REACHES;

/** A function of a robot. */
export interface RobotFunction {
  readonly purpose: string;
  /**
   * `stages` a state for others; needs one that is `staged`; `at` a state of its own, after which none is staged. The first
   * and the last take gravity and run-time parameters.
   */
  readonly state: 'stages' | 'staged' | 'at';
  readonly inputs: readonly Input[];
  /** Takes the index of a frame. */
  readonly ofFrame?: true;
  /** Takes a number of columns, which inputs and outputs have. */
  readonly ofColumns?: true;
  /** Takes a step of time h. */
  readonly ofTime?: true;
  readonly outputs: readonly Output[];
  /** Outputs may be left out. */
  readonly optional?: true;
  readonly actions: readonly Action[];
}

const tau: Output = { name: 'tau', size: 'n' };
const M: Output = { name: 'M', size: 'n * n' };
const massMatrix: readonly Action[] = [{ clear: 'M' }, { sweep: 'composite' }];

/** In the order of headers. */
export const ROBOT_FUNCTIONS = {
  update: {
    purpose:
      'Stages a state: everything below but the functions that end in _at refers to it. Results are checked there.',
    state: 'stages',
    inputs: ['q', 'qd'],
    outputs: [],
    actions: [{ sweep: 'configure' }, { base: 'velocity' }, { sweep: 'move' }],
  },
  inverseDynamics: {
    purpose: 'tau = M qdd + c + g',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau],
    actions: [{ base: 'acceleration' }, { sweep: 'accelerate' }, { sweep: 'backward' }],
  },
  activeInverseDynamics: {
    purpose: 'tau = M qdd + c + g + elastic + damping: all that forces from outside have to overcome.',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau],
    actions: [
      { base: 'acceleration' },
      { sweep: 'accelerate' },
      { sweep: 'backward' },
      { sweep: 'addElastic' },
      { sweep: 'addDamping' },
    ],
  },
  inertialInverseDynamics: {
    purpose: 'tau = M qdd + c',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau],
    actions: [{ base: 'rest' }, { sweep: 'accelerate' }, { sweep: 'backward' }],
  },
  inverseDynamicsAndMassMatrix: {
    purpose: 'tau and the mass matrix.',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau, M],
    actions: [{ base: 'acceleration' }, { sweep: 'accelerate' }, { sweep: 'backward' }, ...massMatrix],
  },
  forwardDynamics: {
    purpose:
      'qdd of M qdd + c + g + elastic + damping = tau; KG_SINGULAR where M is not positive definite, see singular_link.',
    state: 'staged',
    inputs: ['tau'],
    outputs: [{ name: 'qdd', size: 'n' }],
    actions: [
      { pivots: 'forget' },
      { base: 'acceleration' },
      { sweep: 'coast' },
      { sweep: 'eliminate' },
      { pivots: 'require' },
      { base: 'rest' },
      { sweep: 'restore', at: '0', arrays: ['qdd'] },
    ],
  },
  implicitStep: {
    purpose: 'Linearly implicit Euler step of time h, springs and dampers at its end: writes the state after it.',
    state: 'staged',
    inputs: ['tau'],
    ofTime: true,
    outputs: [
      { name: 'q', size: 'n' },
      { name: 'qd', size: 'n' },
    ],
    actions: [
      { pivots: 'forget' },
      { base: 'acceleration' },
      { sweep: 'coast' },
      { sweep: 'eliminateStep' },
      { pivots: 'require' },
      { base: 'rest' },
      { sweep: 'advance' },
    ],
  },
  solveMass: {
    purpose: 'x of M x = rhs for as many columns of n numbers, one after the other; one factorisation for all.',
    state: 'staged',
    inputs: ['rhs'],
    ofColumns: true,
    outputs: [{ name: 'x', size: 'n * columns' }],
    actions: [
      { pivots: 'forget' },
      { sweep: 'articulate' },
      { pivots: 'require' },
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduce', at: 'at' },
          { sweep: 'restore', at: 'at' },
        ],
      },
    ],
  },
  terms: {
    purpose: 'Coriolis and centrifugal, gravity, elastic and viscous terms; a null pointer skips a term.',
    state: 'staged',
    inputs: [],
    outputs: [
      { name: 'c', size: 'n' },
      { name: 'g', size: 'n' },
      { name: 'elastic', size: 'n' },
      { name: 'damping', size: 'n' },
    ],
    optional: true,
    actions: [
      { wanted: 'c', actions: [{ base: 'rest' }, { sweep: 'coast' }, { sweep: 'backward', arrays: ['c'] }] },
      { wanted: 'g', actions: [{ base: 'weight' }, { sweep: 'weigh' }, { sweep: 'backward', arrays: ['g'] }] },
      { wanted: 'elastic', actions: [{ clear: 'elastic' }, { sweep: 'elastic', arrays: ['elastic'] }] },
      { wanted: 'damping', actions: [{ clear: 'damping' }, { sweep: 'damping', arrays: ['damping'] }] },
    ],
  },
  massMatrix: { purpose: '', state: 'staged', inputs: [], outputs: [M], actions: massMatrix },
  stiffness: {
    purpose: 'Derivatives of the elastic forces by q: symmetric, a block per link, zero elsewhere.',
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'K', size: 'n * n' }],
    actions: [{ clear: 'K' }, { sweep: 'stiffness' }],
  },
  dissipation: {
    purpose: 'Derivatives of the damping forces by qd: symmetric, a block per link, zero elsewhere.',
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'D', size: 'n * n' }],
    actions: [{ clear: 'D' }, { sweep: 'dissipation' }],
  },
  frame: {
    purpose: 'World pose of a frame, by its index, and its Jacobian; a null pointer skips an output.',
    state: 'staged',
    inputs: [],
    ofFrame: true,
    outputs: [
      { name: 'R', size: 9 },
      { name: 't', size: 3 },
      { name: 'J', size: '6 * n' },
    ],
    optional: true,
    actions: [
      { base: 'pose' },
      { sweep: 'pose' },
      { frame: 'pose' },
      { wanted: 'J', actions: [{ clear: 'J' }, { frame: 'jacobian' }] },
    ],
  },
  external: {
    purpose: "tau += J' wrench of a wrench on a frame: moment about its origin, then force, world axes.",
    state: 'staged',
    inputs: ['wrench'],
    ofFrame: true,
    outputs: [tau],
    actions: [{ base: 'pose' }, { sweep: 'pose' }, { apply: 'world' }, { transmit: 'tau' }],
  },
  externalInFrame: {
    purpose: "The same for a wrench in the frame's own axes, which it follows.",
    state: 'staged',
    inputs: ['wrench'],
    ofFrame: true,
    outputs: [tau],
    actions: [{ apply: 'frame' }, { transmit: 'tau' }],
  },
  frameMotion: {
    purpose: 'Twist of a frame, and its acceleration at qdd = 0 without gravity, world axes, in the order of J.',
    state: 'staged',
    inputs: [],
    ofFrame: true,
    outputs: [
      { name: 'velocity', size: 6 },
      { name: 'bias', size: 6 },
    ],
    optional: true,
    actions: [
      { base: 'still' },
      { sweep: 'drift' },
      { motion: 'keep' },
      { base: 'pose' },
      { sweep: 'pose' },
      { motion: 'of frame' },
    ],
  },
  energies: {
    purpose:
      'energy[0] kinetic, energy[1] potential of the weight (zero at the world origin), energy[2] elastic, in J.',
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'energy', size: 3 }],
    actions: [{ base: 'travel' }, { clear: 'energy' }, { sweep: 'energy' }],
  },
  actuation: {
    purpose:
      'y, its rate yd, ydd at qdd = 0, and B = (dy/dq)^T (n x NU) of the actuators; a null pointer skips an output.',
    state: 'staged',
    inputs: [],
    outputs: [
      { name: 'y', size: 'u' },
      { name: 'yd', size: 'u' },
      { name: 'ydd0', size: 'u' },
      { name: 'B', size: 'n * u' },
    ],
    optional: true,
    actions: [
      ...['y', 'yd', 'ydd0', 'B'].map((name) => ({ wanted: name, actions: [{ clear: name }] })),
      { wanted: ['y', 'B'], actions: [{ formulas: 'values' }, { sweep: 'actuation' }, { reach: 'values' }] },
      { wanted: ['yd', 'ydd0'], actions: [{ formulas: 'rates' }, { sweep: 'actuationRates' }, { reach: 'rates' }] },
    ],
  },
  actuate: {
    purpose: 'tau += B u',
    state: 'staged',
    inputs: ['u'],
    outputs: [tau],
    actions: [{ formulas: 'forces' }, { sweep: 'actuate' }, { reach: 'forces' }],
  },
  inverseDynamicsAt: {
    purpose: '',
    state: 'at',
    inputs: ['q', 'qd', 'qdd'],
    outputs: [tau],
    actions: [{ base: 'velocity' }, { base: 'acceleration' }, { sweep: 'forward' }, { sweep: 'backward' }],
  },
  massMatrixAt: {
    purpose: '',
    state: 'at',
    inputs: ['q'],
    outputs: [M],
    actions: [{ sweep: 'configure' }, ...massMatrix],
  },
  gravityAt: {
    purpose: '',
    state: 'at',
    inputs: ['q'],
    outputs: [{ name: 'g', size: 'n' }],
    actions: [{ sweep: 'configure' }, { base: 'weight' }, { sweep: 'weigh' }, { sweep: 'backward', arrays: ['g'] }],
  },
} as const satisfies Record<string, RobotFunction>;

export type RobotFunctionName = keyof typeof ROBOT_FUNCTIONS;

export const ROBOT_FUNCTION_NAMES = Object.keys(ROBOT_FUNCTIONS) as readonly RobotFunctionName[];

export const SWEEP_NAMES = Object.keys(SWEEPS) as readonly SweepName[];

/** Records as one type for all. */
export const sweepOf = (name: SweepName): Sweep => SWEEPS[name];
export const robotFunction = (name: RobotFunctionName): RobotFunction => ROBOT_FUNCTIONS[name];

/** Does a sweep read the array, and write none of it? */
export function isReadBy({ steps }: Sweep, array: string): boolean {
  return steps.some((step) => (step.step === 'put' || step.step === 'inputs') && step.array === array);
}
