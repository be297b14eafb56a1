/**
 * The functions of a robot, written once for all languages, as sequences of sweeps. What base and frames compute are the
 * programs of `robot-programs.ts`.
 */
import type { LinkFunctionName } from '../../kane/kernels/link-functions.ts';
import { rubs } from '../../description/model/actuator.ts';
import { contactPairs, PAIR_PARTS } from '../../description/model/contact.ts';
import { haveTimedLinks, prescribedNames } from '../../description/model/robot.ts';
import type { RobotModel } from '../modules/robot-model.ts';
import { snakeCaseOf } from '../naming/identifiers.ts';
import { NET_FORCE, type Action, type Owned, type RobotFunction } from './robot-function.ts';
import { PAIR_ARRAYS, SIZES_OF_PAIRS, type Output } from './arrays.ts';
import { DERIVATIVE_FUNCTIONS } from './derivative-functions.ts';
import {
  activeForces,
  addAddedMassForce,
  addDragAndBuoyancy,
  addedMassEnergy,
  keepFluidForce,
  stepActions,
  surroundings,
  tau,
} from './force-actions.ts';
import { LOOP_FUNCTIONS } from './loop-functions.ts';
import { MOMENTUM_FUNCTIONS } from './momentum-functions.ts';
import type { DerivativeKind } from './sweep-steps.ts';

const M: Output = { name: 'M', size: 'n * n' };
const massMatrix: readonly Action[] = [
  { clear: 'M' },
  { sweep: 'motionSubspaces' },
  { sweep: 'composite' },
  { sweep: 'compositeWithAddedMass' },
];

/** In the order of headers. */
const ROBOT_FUNCTIONS = {
  update: {
    purpose:
      'Stages a state: everything below but the functions that end in _at refers to it. Results are checked there.',
    usual: true,
    state: 'stages',
    inputs: ['q', 'qd'],
    outputs: [],
    actions: [{ sweep: 'configure' }, { base: 'velocity' }, { sweep: 'velocity' }],
  },
  inverseDynamics: {
    purpose: 'tau = M qdd + c + g: without elastic, damping and fluid forces, which forward_dynamics knows.',
    usual: true,
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau],
    actions: [{ base: 'acceleration' }, { sweep: 'acceleration' }, { sweep: 'backward' }, addAddedMassForce('tau')],
  },
  activeInverseDynamics: {
    purpose:
      'tau = M qdd + c + g + elastic + damping + fluid: all that forces from outside have to overcome; forward_dynamics undoes it.',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau],
    actions: [...activeForces],
  },
  inertialInverseDynamics: {
    purpose: 'tau = M qdd + c',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau],
    actions: [{ base: 'rest' }, { sweep: 'acceleration' }, { sweep: 'backward' }, addAddedMassForce('tau')],
  },
  inverseDynamicsAndMassMatrix: {
    purpose: 'tau and the mass matrix.',
    state: 'staged',
    inputs: ['qdd'],
    outputs: [tau, M],
    actions: [
      { base: 'acceleration' },
      { sweep: 'acceleration' },
      { sweep: 'backward' },
      addAddedMassForce('tau'),
      ...massMatrix,
    ],
  },
  forwardDynamics: {
    purpose:
      'qdd of M qdd + c + g + elastic + damping + fluid = tau; KG_SINGULAR where M has no positive pivot: singular_link.',
    usual: true,
    state: 'staged',
    inputs: ['tau'],
    outputs: [{ name: 'qdd', size: 'n' }],
    actions: [
      { forces: 'net' },
      { pivots: 'forget' },
      { base: 'acceleration' },
      { sweep: 'biasAcceleration' },
      ...keepFluidForce,
      { sweep: 'eliminate', arrays: [NET_FORCE] },
      { pivots: 'require' },
      { loops: 'reduce', moving: true },
      { loops: 'accelerate' },
      { base: 'rest' },
      { sweep: 'restore', at: '0', arrays: ['qdd'] },
    ],
  },
  ...LOOP_FUNCTIONS,
  implicitStep: {
    purpose: 'Linearly implicit Euler step of time h, springs and dampers at its end: writes the state after it.',
    usual: true,
    state: 'staged',
    inputs: ['tau'],
    numbers: ['h'],
    outputs: [
      { name: 'q', size: 'n' },
      { name: 'qd', size: 'n' },
    ],
    actions: stepActions(),
  },
  implicitFactor: {
    purpose: 'Factors of M + h D + h^2 K at the staged state, for implicit_solve with the same h.',
    state: 'staged',
    inputs: [],
    numbers: ['h'],
    outputs: [],
    actions: [
      { pivots: 'forget' },
      { sweep: 'articulateStep' },
      { pivots: 'require' },
      { loops: 'reduce' },
      { loops: 'factor' },
    ],
  },
  implicitSolve: {
    purpose: 'x of (1 - h J) x = h r, J = [0 1; -inv(M) K  -inv(M) D]: what linearly implicit methods are made of.',
    state: 'staged',
    after: 'implicitFactor',
    inputs: ['rq', 'rv'],
    numbers: ['h'],
    outputs: [
      { name: 'xq', size: 'n' },
      { name: 'xv', size: 'n' },
    ],
    actions: [
      { pivots: 'require' },
      { sweep: 'implicitLoad' },
      { loops: 'solve' },
      { base: 'rest' },
      { sweep: 'implicitSolution' },
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
    usual: true,
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
      {
        wanted: 'c',
        actions: [
          { base: 'rest' },
          { sweep: 'biasAcceleration' },
          { sweep: 'backward', arrays: ['c'] },
          addAddedMassForce('c'),
        ],
      },
      { wanted: 'g', actions: [{ base: 'gravity' }, { sweep: 'gravity' }, { sweep: 'backward', arrays: ['g'] }] },
      {
        wanted: 'elastic',
        actions: [{ clear: 'elastic' }, { sweep: 'elastic', arrays: ['elastic'] }, { forces: 'add', to: 'elastic' }],
      },
      { wanted: 'damping', actions: [{ clear: 'damping' }, { sweep: 'damping', arrays: ['damping'] }] },
    ],
  },
  fluid: {
    purpose: 'What tau has to overcome of drag and buoyancy.',
    about: 'water',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'fluid', size: 'n' }],
    actions: [{ clear: 'fluid' }, addDragAndBuoyancy('fluid'), { forces: 'push', to: 'fluid' }],
  },
  contact: {
    purpose:
      'Of every pair that touches or may: gap, normal and force on the moving or first body at a point, world axes; stored energy, power that it takes and that is lost, and what parameters of a bristle become after a step; a null pointer skips one.',
    about: 'contacts',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: PAIR_ARRAYS.map((name) => ({ name, size: SIZES_OF_PAIRS[PAIR_PARTS[name]] })),
    optional: true,
    actions: [{ afloat: 'contacts', actions: [...surroundings, { sweep: 'contacts' }] }, { forces: 'pairs' }],
  },
  unsolvedSection: {
    purpose:
      'The first section whose strain is not solved for at the staged state, for which results are not finite: section[0] index of its link, -1 where all are solved for, section[1] its place along the rod, m.',
    about: 'solved strain',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'section', size: 2 }],
    actions: [{ section: 'none', to: 'section' }, { sweep: 'unsolved' }],
  },
  massMatrix: { purpose: '', usual: true, state: 'staged', inputs: [], outputs: [M], actions: massMatrix },
  stiffness: {
    purpose: 'Derivatives of the elastic forces within links by q: symmetric, a block per link, zero elsewhere.',
    about: 'elasticity',
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'K', size: 'n * n' }],
    actions: [{ clear: 'K' }, { sweep: 'stiffness' }],
  },
  dissipation: {
    purpose: 'Derivatives of the damping forces by qd: symmetric, a block per link, zero elsewhere.',
    about: 'damping',
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'D', size: 'n * n' }],
    actions: [{ clear: 'D' }, { sweep: 'dissipation' }],
  },
  frame: {
    purpose: 'World pose of a frame, by its index, and its Jacobian; a null pointer skips an output.',
    usual: true,
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
  point: {
    purpose:
      'World position of a point of a link by its material coordinates, and its Jacobian; a null pointer skips one.',
    state: 'staged',
    inputs: ['x'],
    ofLink: true,
    outputs: [
      { name: 'position', size: 3 },
      { name: 'J', size: '3 * n' },
    ],
    optional: true,
    actions: [{ point: 'locate' }],
  },
  pointMotion: {
    purpose:
      'Velocity of a point of a link, and its acceleration at qdd = 0 without gravity, world axes; a null pointer skips one.',
    state: 'staged',
    inputs: ['x'],
    ofLink: true,
    outputs: [
      { name: 'velocity', size: 3 },
      { name: 'bias', size: 3 },
    ],
    optional: true,
    actions: [{ point: 'track' }],
  },
  external: {
    purpose: "tau += J' wrench of a wrench on a frame: moment about its origin, then force, world axes.",
    usual: true,
    state: 'staged',
    inputs: ['wrench'],
    ofFrame: true,
    outputs: [tau],
    adds: true,
    actions: [{ base: 'pose' }, { sweep: 'pose' }, { apply: 'world' }, { transmit: 'tau' }],
  },
  externalInFrame: {
    purpose: "external of a wrench in the frame's own axes, which it follows.",
    state: 'staged',
    inputs: ['wrench'],
    ofFrame: true,
    outputs: [tau],
    adds: true,
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
      { base: 'biasMotion' },
      { sweep: 'biasMotion' },
      { motion: 'keep' },
      { base: 'pose' },
      { sweep: 'pose' },
      { motion: 'of frame' },
    ],
  },
  ...MOMENTUM_FUNCTIONS,
  prescribedForces: {
    purpose:
      'What moves the coordinates that follow the time at qdd, without loads and inputs; fluid: the share of drag and buoyancy.',
    about: 'prescribed',
    usual: true,
    state: 'staged',
    inputs: ['qdd'],
    outputs: [
      { name: 'force', size: 's' },
      { name: 'fluid', size: 's' },
    ],
    optional: true,
    actions: [
      {
        wanted: 'force',
        actions: [
          { clear: 'force' },
          { base: 'acceleration' },
          { sweep: 'acceleration' },
          { sweep: 'hold' },
          addAddedMassForce('force', 'holdFluid'),
          addDragAndBuoyancy('force', 'holdFluid'),
        ],
      },
      { wanted: 'fluid', actions: [{ clear: 'fluid' }, addDragAndBuoyancy('fluid', 'holdFluid')] },
    ],
  },
  energies: {
    purpose:
      'energy[0] kinetic, energy[1] potential of the weight (zero at the world origin), energy[2] elastic, in J.',
    usual: true,
    state: 'staged',
    inputs: [],
    outputs: [{ name: 'energy', size: 3 }],
    actions: [
      { base: 'velocityAndPotential' },
      { clear: 'energy' },
      { sweep: 'energy' },
      addedMassEnergy,
      { forces: 'energies' },
    ],
  },
  actuation: {
    purpose:
      'y, its rate yd, ydd at qdd = 0, and B = (dy/dq)^T (n x NU) of the actuators; a null pointer skips an output.',
    about: 'actuators',
    usual: true,
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
    about: 'actuators',
    usual: true,
    state: 'staged',
    inputs: ['u'],
    outputs: [tau],
    adds: true,
    actions: [{ formulas: 'forces' }, { sweep: 'actuate' }, { reach: 'forces' }],
  },
  inverseDynamicsAt: {
    purpose: '',
    usual: true,
    state: 'at',
    inputs: ['q', 'qd', 'qdd'],
    outputs: [tau],
    actions: [
      {
        afloat: 'addedMassWrench',
        actions: [
          { sweep: 'configure' },
          { base: 'velocity' },
          { sweep: 'velocity' },
          { base: 'acceleration' },
          { sweep: 'acceleration' },
          { sweep: 'backward' },
          addAddedMassForce('tau'),
        ],
        otherwise: [{ base: 'velocity' }, { base: 'acceleration' }, { sweep: 'forward' }, { sweep: 'backward' }],
      },
    ],
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
    actions: [{ base: 'gravity' }, { sweep: 'gravityAt' }, { sweep: 'backward', arrays: ['g'] }],
  },
  ...DERIVATIVE_FUNCTIONS,
} as const satisfies Record<string, RobotFunction>;

export type RobotFunctionName = keyof typeof ROBOT_FUNCTIONS;

export const ROBOT_FUNCTION_NAMES = Object.keys(ROBOT_FUNCTIONS) as readonly RobotFunctionName[];

type Kinds = Pick<RobotModel, 'derivatives' | 'parametric' | 'adjoints' | 'gradients'>;

/** Does a robot have derivatives of a kind? All have what is none. */
export function hasKind(robot: Kinds, kind: DerivativeKind | undefined): boolean {
  if (kind === undefined) return true;
  const { derivatives, parametric, adjoints, gradients } = robot;
  return {
    'along directions': derivatives,
    'along parameters': parametric,
    'by weights': adjoints,
    'by parameters': gradients,
  }[kind];
}

/** Does a robot have what functions are about? */
function owns({ robot, links }: RobotModel, about: Owned): boolean {
  const has = (name: LinkFunctionName): boolean => links.some((link) => link.has.has(name));
  switch (about) {
    case 'actuators':
      return robot.actuators.length > 0;
    case 'rubbing tendons':
      return robot.actuators.some(rubs);
    case 'damping':
      return has('dissipation');
    case 'elasticity':
      return has('stiffness');
    case 'solved strain':
      return has('unsolved');
    case 'water':
      return has('dragAndBuoyancy') || robot.touching !== undefined;
    case 'contacts':
      return contactPairs(robot).length > 0;
    case 'loops':
      return (robot.loops?.length ?? 0) > 0;
    case 'ropes':
      return (robot.loops ?? []).some(({ rows }) => rows.some(({ isRope }) => isRope));
    case 'trees':
      return robot.loops === undefined;
    case 'prescribed':
      return prescribedNames(robot).length > 0;
  }
}

/** Their derivatives lack changes of rates that frames of rows have by the time alone. */
const OF_LOOP_STEPS: ReadonlySet<RobotFunctionName> = new Set([
  'constrainedImplicitStepTangent',
  'constrainedImplicitStepAdjoint',
] as const);

/** Functions that a robot can have. */
export function possibleFunctions(robot: RobotModel): readonly RobotFunctionName[] {
  return ROBOT_FUNCTION_NAMES.filter((name) => {
    const { derivative, ofLink, timeless, about } = robotFunction(name);
    if (about !== undefined && !owns(robot, about)) return false;
    // Rows that hold coordinates of actuators have no derivatives.
    if (about === 'loops' && derivative && robot.robot.loops!.some((own) => own.actuator !== undefined)) return false;
    if (OF_LOOP_STEPS.has(name) && haveTimedLinks(robot.robot)) return false;
    return hasKind(robot, derivative) && (!ofLink || robot.points) && (!timeless || robot.momentum);
  });
}

/** Functions of a robot that are wanted. */
export function functionNames(robot: RobotModel): readonly RobotFunctionName[] {
  const { wanted } = robot;
  return possibleFunctions(robot).filter((name) => wanted?.has(name) ?? true);
}

/** `inverseDynamics` → `inverse-dynamics`, as options have it. */
export const functionOption = (name: string): string => snakeCaseOf(name).replace(/_/g, '-');

/** What headers say of functions that the robot can have and this code lacks; nothing where it has all. */
export function absentText(robot: RobotModel): string {
  const absent = possibleFunctions(robot).filter((name) => !hasRobotFunction(robot, name));
  if (absent.length === 0) return '';
  return `Left out, and added by name (kanegen compile --functions default,NAME,...): ${absent.map(functionOption).join(', ')}.`;
}

/** Does code have the function? */
export function hasRobotFunction(robot: RobotModel, name: RobotFunctionName): boolean {
  return functionNames(robot).includes(name);
}

/** A record as one type for all. */
export const robotFunction = (name: RobotFunctionName): RobotFunction => ROBOT_FUNCTIONS[name];

/** Methods that integrate motions over the functions of a robot, with the functions that they call. */
export const INTEGRATORS = {
  rosenbrock: ['update', 'forwardDynamics', 'implicitFactor', 'implicitSolve'],
  generalized_alpha: ['update', 'forwardDynamics', 'activeInverseDynamics', 'newtonFactor', 'newtonSolve'],
} as const satisfies Record<string, readonly RobotFunctionName[]>;

type Integrator = keyof typeof INTEGRATORS;

/** Those that code is made of, of robots that move. */
export function integratorsOf(model: RobotModel): readonly Integrator[] {
  if (model.robot.coordinates.length === 0) return [];
  const closing: readonly RobotFunctionName[] = model.robot.loops ? ['constraintCorrection'] : [];
  return (Object.keys(INTEGRATORS) as Integrator[]).filter(
    (name) =>
      (!model.robot.loops || name !== 'generalized_alpha') &&
      [...INTEGRATORS[name], ...closing].every((called) => hasRobotFunction(model, called)),
  );
}
