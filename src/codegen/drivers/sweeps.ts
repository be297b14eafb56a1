/**
 * The sweeps over the links, written once for all languages: what every link does on the way outwards or inwards. Nothing here
 * knows mechanics: what links compute are the functions of `kane/link/kernels.ts`.
 */
import type { LinkFunctionName } from '../../kane/link/kernels.ts';
import type { Input } from './arrays.ts';

/** Arrays of a state, by name of the link buffer that takes a link's part of them. */
export type StateArray = 'q' | 'qd' | 'qdd';

/** What a link does in a sweep. Arrays are named as the sweep names its parameters. */
export type LinkStep =
  /** The link's part of a state into its block; zeros in its place. */
  | { readonly step: 'put'; readonly buffer: StateArray | 'load' | 'generalizedForceAdjoint'; readonly array: Input }
  | { readonly step: 'clear'; readonly buffer: StateArray }
  /** The time, where the link depends on it. */
  | { readonly step: 'time' }
  /** The link's part of a direction, zeros where the caller has left it out. */
  | { readonly step: 'direct'; readonly buffer: StateArray; readonly array: Input }
  /** What is left of the change of generalized forces in an array, zero where it is left out, by that of the link in another. */
  | { readonly step: 'remain'; readonly array: Input; readonly less: string }
  /** A function of the link's module. What it leaves for the parent is added to what other children left there. */
  | { readonly step: 'call'; readonly function: LinkFunctionName }
  /** A function that yields generalized forces, which are taken off the load; links that have none are left out. */
  | { readonly step: 'resist'; readonly function: LinkFunctionName }
  /** The addend of the link's block of the mass matrix. */
  | { readonly step: 'addend'; readonly of: LinkAddend }
  /** The load that a right-hand side of a linearised system stands for, and its solution from the accelerations. */
  | { readonly step: 'disturb'; readonly rq: string; readonly rv: string }
  | { readonly step: 'settle'; readonly rq: string; readonly rv: string; readonly xq: string; readonly xv: string }
  /** Generalized forces of the water set aside, `more`: added to those that are; and taken off the load. */
  | { readonly step: 'hold'; readonly more: boolean }
  | { readonly step: 'yield' }
  /** Derivatives of weighted forces that a step of h adds, to what arrays have. */
  | { readonly step: 'pullStep'; readonly qdd: string; readonly q: string; readonly qd: string }
  /** What such a step of h does to rates, and D and K with it, for derivatives by parameters. */
  | { readonly step: 'repeatStep'; readonly array: string }
  /** Rates and coordinates of the link after a step of h, to their places in arrays. */
  | { readonly step: 'advance'; readonly q: string; readonly qd: string }
  /** Its coordinates eliminated from the tangent of inverse dynamics, against an array; and found again. */
  | { readonly step: 'condense'; readonly array: string }
  | { readonly step: 'expand' }
  /** A link with a pivot that is not positive is remembered; not-a-number shows in the outputs. */
  | { readonly step: 'require' }
  /** Generalized forces or accelerations of the link to their places in an array. */
  | {
      readonly step: 'take';
      readonly array: string;
      readonly buffer: TakenBuffer;
    }
  /** Energies of the link added to those of the others. */
  | { readonly step: 'total'; readonly array: string }
  /** Derivatives of the link's forces to its block of a matrix. */
  | { readonly step: 'block'; readonly array: string }
  /** Generalized forces of the link added to what stands at their places in an array. */
  | { readonly step: 'add'; readonly array: string; readonly buffer?: TakenBuffer }
  /** The inputs of the actuators that act within the link. */
  | { readonly step: 'inputs'; readonly array: string }
  /**
   * What the link has for its actuators, added where an array of one number per actuator has theirs, or where a matrix has
   * their columns; nothing where the caller wants none. `part`: which of several lists of the buffer.
   */
  | { readonly step: 'shares'; readonly buffer: ShareBuffer; readonly part: number; readonly array: string }
  | { readonly step: 'columns'; readonly buffer: ShareBuffer; readonly array: string }
  /** The link's block of the mass matrix, and what its unit wrenches do at all links between it and the base. */
  | { readonly step: 'entries'; readonly array: string }
  /** The link's pose in the first link of its tree, and the motions of its coordinates there. */
  | { readonly step: 'span' };

/**
 * What is added to a link's block of the mass matrix: nothing; what an implicit step of h takes, whose load changes, too; the same
 * for steps whose right-hand sides come later, K kept for them.
 */
export type LinkAddend = 'nothing' | 'step' | 'linear';

export type TakenBuffer =
  | 'generalizedForce'
  | 'generalizedForceTangent'
  | 'accelerations'
  | 'qTangent'
  | 'qAdjoint'
  | 'qdAdjoint'
  | 'qddAdjoint';

/** `by weights`: transposed. */
export type DerivativeKind = 'along directions' | 'along parameters' | 'by weights' | 'by parameters';

export type ShareBuffer = 'actuationCoordinates' | 'actuationGradients' | 'actuationRates';

export interface Sweep {
  readonly purpose: string;
  readonly direction: 'outwards' | 'inwards';
  /** Ends at a link that the caller names. */
  readonly upTo?: true;
  /** Its arrays begin at an index that the caller names. */
  readonly at?: true;
  /** Only of links that have this function, too. */
  readonly with?: LinkFunctionName;
  /** Only of links that have not. */
  readonly without?: LinkFunctionName;
  /** Only of links that depend on the time. */
  readonly timed?: true;
  /** Only of robots whose mass matrix is gathered, see codegen/modules/mass-entries.ts. */
  readonly gathers?: true;
  /** Numbers that it takes: a step of time h, and the like. */
  readonly numbers?: readonly string[];
  /** Only of robots that are compiled with derivatives, of this kind. */
  readonly derivative?: DerivativeKind;
  readonly arrays: readonly string[];
  readonly steps: readonly LinkStep[];
}

const put = (array: StateArray): LinkStep => ({ step: 'put', buffer: array, array });
const direct = (buffer: StateArray, array: Input): LinkStep => ({ step: 'direct', buffer, array });
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
    without: 'surge',
    arrays: ['q', 'qd', 'qdd'],
    steps: [put('q'), put('qd'), put('qdd'), call('forward')],
  },
  weigh: { purpose: 'Weights of all links.', direction: 'outwards', arrays: [], steps: [call('weigh')] },
  weighAt: {
    purpose: 'The same with nothing staged before.',
    direction: 'outwards',
    arrays: ['q'],
    steps: [put('q'), call('weighAt')],
  },
  backward: {
    purpose: 'Generalized forces from the wrenches of all bodies.',
    direction: 'inwards',
    arrays: ['tau'],
    steps: [call('backward'), take('tau')],
  },
  span: {
    purpose: 'Motions per unit rate of all coordinates, in axes and about the origin of the first link of their tree.',
    direction: 'outwards',
    gathers: true,
    arrays: [],
    steps: [{ step: 'span' }],
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
      { step: 'yield' },
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
    numbers: ['h'],
    arrays: ['tau'],
    steps: [
      load('tau'),
      { step: 'yield' },
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
  disturb: {
    purpose: 'What springs and dampers do about a right-hand side, through the coordinates of all links.',
    direction: 'inwards',
    numbers: ['h'],
    arrays: ['rq', 'rv'],
    steps: [{ step: 'disturb', rq: 'rq', rv: 'rv' }, call('reduceAlone')],
  },
  settle: {
    purpose: 'The solution of an implicit step of time h.',
    direction: 'outwards',
    numbers: ['h'],
    arrays: ['rq', 'rv', 'xq', 'xv'],
    steps: [call('restore'), { step: 'settle', rq: 'rq', rv: 'rv', xq: 'xq', xv: 'xv' }],
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
  flow: {
    purpose: 'Motions against the water, drag and buoyancy of all bodies.',
    direction: 'outwards',
    arrays: [],
    steps: [call('flow')],
  },
  surge: {
    purpose: 'Motions against the water, and what the water takes that bodies accelerate.',
    direction: 'outwards',
    arrays: [],
    steps: [call('surge')],
  },
  shed: {
    purpose: 'Generalized forces that the water takes, added to others.',
    direction: 'inwards',
    arrays: ['tau'],
    steps: [call('shed'), add('tau')],
  },
  holdFlow: {
    purpose: 'The same set aside: of drag and buoyancy.',
    direction: 'inwards',
    with: 'flow',
    arrays: [],
    steps: [call('shed'), { step: 'hold', more: false }],
  },
  holdSurge: {
    purpose: 'The same set aside: of water that accelerates.',
    direction: 'inwards',
    with: 'surge',
    arrays: [],
    steps: [call('shed'), { step: 'hold', more: true }],
  },
  burden: {
    purpose: 'The mass matrix from the composite inertias of all links and the water that they move.',
    direction: 'inwards',
    arrays: ['M'],
    steps: [call('burden'), { step: 'entries', array: 'M' }],
  },
  stir: {
    purpose: 'Kinetic energy of the water that bodies move.',
    direction: 'outwards',
    arrays: ['energy'],
    steps: [call('stir'), { step: 'total', array: 'energy' }],
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
  linearise: {
    purpose: 'Accelerations and body wrenches of all links, and what their changes need.',
    direction: 'outwards',
    arrays: ['qdd'],
    steps: [put('qdd'), call('linearise')],
  },
  lineariseBack: {
    purpose: 'Wrenches at all links, and what their changes need.',
    direction: 'inwards',
    arrays: [],
    steps: [call('lineariseBack')],
  },
  perturb: {
    purpose: 'Changes of motions and of wrenches of bodies along a direction.',
    direction: 'outwards',
    at: true,
    arrays: ['dq', 'dqd', 'dqdd'],
    steps: [direct('q', 'dq'), direct('qd', 'dqd'), direct('qdd', 'dqdd'), call('perturb')],
  },
  perturbBack: {
    purpose: 'Changes of generalized forces.',
    direction: 'inwards',
    at: true,
    arrays: ['dtau'],
    steps: [call('perturbBack'), { step: 'take', array: 'dtau', buffer: 'generalizedForceTangent' }],
  },
  condense: {
    purpose: 'A right-hand side of the tangent of inverse dynamics through the coordinates of all links.',
    direction: 'inwards',
    derivative: 'along directions',
    numbers: ['rate', 'acceleration'],
    arrays: ['u', 'residual'],
    steps: [
      { step: 'inputs', array: 'u' },
      { step: 'condense', array: 'residual' },
    ],
  },
  expand: {
    purpose: 'Changes of all coordinates on a right-hand side.',
    direction: 'outwards',
    at: true,
    derivative: 'along directions',
    numbers: ['rate', 'acceleration'],
    arrays: ['dq'],
    steps: [{ step: 'expand' }, call('perturb'), { step: 'take', array: 'dq', buffer: 'qTangent' }],
  },
  probe: {
    purpose: 'Accelerations and body wrenches of all links, and what changes along parameters need.',
    direction: 'outwards',
    derivative: 'along parameters',
    arrays: ['qdd'],
    steps: [put('qdd'), call('probe')],
  },
  probeBack: {
    purpose: 'Wrenches at all links, and what changes along parameters need.',
    direction: 'inwards',
    derivative: 'along parameters',
    arrays: [],
    steps: [call('probeBack')],
  },
  vary: {
    purpose: 'Changes of motions and of wrenches of bodies along parameters.',
    direction: 'outwards',
    derivative: 'along parameters',
    arrays: [],
    steps: [call('vary')],
  },
  varyBack: {
    purpose: 'Changes of generalized forces along parameters.',
    direction: 'inwards',
    derivative: 'along parameters',
    at: true,
    arrays: ['dtau'],
    steps: [call('varyBack'), { step: 'take', array: 'dtau', buffer: 'generalizedForceTangent' }],
  },
  direct: {
    purpose: 'Takes a direction of the configuration.',
    direction: 'outwards',
    at: true,
    derivative: 'along directions',
    arrays: ['dq'],
    steps: [direct('q', 'dq')],
  },
  poseChange: {
    purpose: 'Changes of the world poses of links 0 … last.',
    direction: 'outwards',
    upTo: true,
    at: true,
    derivative: 'along directions',
    arrays: ['dq'],
    steps: [direct('q', 'dq'), call('perturbPose')],
  },
  driveChange: {
    purpose: 'Changes of generalized forces of the actuators that act within links.',
    direction: 'outwards',
    at: true,
    derivative: 'along directions',
    arrays: ['u', 'dtau'],
    steps: [
      { step: 'inputs', array: 'u' },
      call('perturbDrive'),
      { step: 'add', array: 'dtau', buffer: 'generalizedForceTangent' },
    ],
  },
  trace: {
    purpose: 'Accelerations and body wrenches of all links, and what derivatives of a weighted sum need.',
    direction: 'outwards',
    derivative: 'by weights',
    arrays: ['qdd'],
    steps: [put('qdd'), call('trace')],
  },
  traceBack: {
    purpose: 'Wrenches at all links, and what derivatives of a weighted sum need.',
    direction: 'inwards',
    derivative: 'by weights',
    arrays: [],
    steps: [call('traceBack')],
  },
  pullBack: {
    purpose: 'Derivatives of a weighted sum of generalized forces by wrenches.',
    direction: 'outwards',
    at: true,
    derivative: 'by weights',
    arrays: ['weights', 'by_q', 'by_qd'],
    steps: [
      { step: 'put', buffer: 'generalizedForceAdjoint', array: 'weights' },
      call('pullBack'),
      { step: 'take', array: 'by_q', buffer: 'qAdjoint' },
      { step: 'take', array: 'by_qd', buffer: 'qdAdjoint' },
    ],
  },
  pull: {
    purpose: 'Its derivatives by motions.',
    direction: 'inwards',
    at: true,
    derivative: 'by weights',
    arrays: ['by_q', 'by_qd', 'by_qdd'],
    steps: [
      call('pull'),
      { step: 'add', array: 'by_q', buffer: 'qAdjoint' },
      { step: 'add', array: 'by_qd', buffer: 'qdAdjoint' },
      { step: 'take', array: 'by_qdd', buffer: 'qddAdjoint' },
    ],
  },
  reduceWeights: {
    purpose: 'Weights through the coordinates of all links.',
    direction: 'inwards',
    derivative: 'by weights',
    arrays: ['seed'],
    steps: [load('seed'), call('reduceAlone')],
  },
  pullMotion: {
    purpose: 'Derivatives of a weighted sum of generalized forces by motions at given accelerations.',
    direction: 'inwards',
    derivative: 'by weights',
    arrays: ['by_q', 'by_qd'],
    steps: [
      call('pull'),
      { step: 'add', array: 'by_q', buffer: 'qAdjoint' },
      { step: 'add', array: 'by_qd', buffer: 'qdAdjoint' },
    ],
  },
  pullStep: {
    purpose: 'The same of what implicit steps add.',
    direction: 'outwards',
    numbers: ['h'],
    derivative: 'by weights',
    arrays: ['qdd', 'by_q', 'by_qd'],
    steps: [{ step: 'pullStep', qdd: 'qdd', q: 'by_q', qd: 'by_qd' }],
  },
  pullParameters: {
    purpose: 'The same with the parameters of links, by which it is of what an implicit step overcomes.',
    direction: 'inwards',
    numbers: ['h'],
    derivative: 'by parameters',
    arrays: ['qdd', 'u', 'by_q', 'by_qd'],
    steps: [
      { step: 'repeatStep', array: 'qdd' },
      { step: 'inputs', array: 'u' },
      call('pullParameters'),
      { step: 'take', array: 'by_q', buffer: 'qAdjoint' },
      { step: 'take', array: 'by_qd', buffer: 'qdAdjoint' },
    ],
  },
  reduceChange: {
    purpose: 'What is left of changes of generalized forces through the coordinates of all links.',
    direction: 'inwards',
    derivative: 'along directions',
    at: true,
    arrays: ['dtau', 'dqdd'],
    steps: [{ step: 'remain', array: 'dtau', less: 'dqdd' }, call('reduceAlone')],
  },
} as const satisfies Record<string, Sweep>;

export type SweepName = keyof typeof SWEEPS;

export const SWEEP_NAMES = Object.keys(SWEEPS) as readonly SweepName[];

/** A record as one type for all. */
export const sweepOf = (name: SweepName): Sweep => SWEEPS[name];

/** Does a sweep read the array, and write none of it? */
export function isReadBy({ steps }: Sweep, array: string): boolean {
  return steps.some((step) => {
    if (step.step === 'disturb' || step.step === 'settle') return array === step.rq || array === step.rv;
    if (step.step === 'pullStep') return array === step.qdd;
    const isTaken =
      step.step === 'put' ||
      step.step === 'inputs' ||
      step.step === 'repeatStep' ||
      step.step === 'direct' ||
      step.step === 'remain' ||
      step.step === 'condense';
    return isTaken && step.array === array;
  });
}
