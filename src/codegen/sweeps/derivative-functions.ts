/**
 * Functions of a robot for derivatives: along directions, by weights (transposed), by parameters, and the step of Newton's method
 * that has the whole tangent. Sequences of sweeps like those of `robot-functions.ts`.
 */
import { stepActions } from './force-actions.ts';
import { NOTHING, type Action, type RobotFunction } from './robot-function.ts';

const moving: readonly Action[] = [
  { afloat: 'wet', actions: [{ base: 'accelerationInWater' }], otherwise: [{ base: 'acceleration' }] },
  { afloat: 'placed', actions: [{ base: 'placement' }] },
];

/** A motion, and what its changes need of it. */
const linearised: readonly Action[] = [
  ...moving,
  { sweep: 'accelerationForTangent' },
  { sweep: 'backwardForTangent' },
  { blank: 'baseTangent' },
];

/** Changes of tau along directions of q, of qd and of what the first array names, column by column, to the second. */
const changesAlong = ([accelerations, to]: readonly [string, string]): readonly Action[] => [
  ...linearised,
  {
    eachColumn: [
      { sweep: 'forwardTangent', at: 'at', arrays: ['dq', 'dqd', accelerations] },
      { sweep: 'backwardTangent', at: 'at', arrays: [to] },
    ],
  },
  {
    eachColumn: [
      { forces: 'changes', direction: 'dq', to, at: 'at' },
      { pushes: 'change', to },
    ],
  },
];

const factored: readonly Action[] = [{ pivots: 'forget' }, { sweep: 'articulate' }, { pivots: 'require' }];

const factoredStep: readonly Action[] = [{ pivots: 'forget' }, { sweep: 'articulateStep' }, { pivots: 'require' }];

/** Of what a step of time h overcomes, at its mean acceleration, along directions of q and of qd, to the array. */
const stepChanges: readonly Action[] = [
  ...changesAlong([NOTHING, 'dqdd']),
  { eachColumn: [{ sweep: 'stepTangent', at: 'at' }] },
];

/** The same along directions of the run-time parameters. */
const changesAlongParameters = (to: string): readonly Action[] => [
  ...moving,
  { sweep: 'accelerationForVariation' },
  { sweep: 'backwardForVariation' },
  { blank: 'baseTangent' },
  {
    eachColumn: [
      { along: 'parameters' },
      { sweep: 'forwardVariation' },
      { sweep: 'backwardVariation', at: 'at', arrays: [to] },
    ],
  },
  {
    eachColumn: [
      { varied: [{ along: 'parameters' }, { blank: 'baseTangent' }, { forces: 'variations', to, at: 'at' }] },
    ],
  },
];

/** Of an implicit step: by_q and by_qd, as far as the way back has them, for by_tau. */
const stepBackwards: readonly Action[] = [
  ...moving,
  { sweep: 'accelerationForAdjoint' },
  { sweep: 'backwardForAdjoint' },
  { blank: 'baseTangent' },
  { sweep: 'backwardAdjoint', at: '0', arrays: ['by_tau', 'by_q', 'by_qd'] },
];

/** The same with by_tau. */
const stepTransposed: readonly Action[] = [
  ...factoredStep,
  { base: 'rest' },
  { sweep: 'reduceWeights' },
  { sweep: 'restore', at: '0', arrays: ['by_tau'] },
  ...stepBackwards,
];

/** Of forces between frames, which a step takes as they are at its beginning. */
const ofForces: readonly Action[] = [
  { blank: 'baseTangent' },
  { forces: 'changes', direction: 'by_tau', to: 'by_q', at: '0' },
  { pushes: 'weigh', weights: 'by_tau', at: '0' },
];

/** The tangent as a matrix, and its factors: columns inwards, so that nearer links have not moved yet. */
const matrixFactored: readonly Action[] = [
  ...linearised,
  { blank: 'tangents' },
  {
    eachCoordinate: [
      { sweep: 'forwardTangentOfCoordinate', at: 'coordinate' },
      { sweep: 'backwardTangent', at: 'at', arrays: ['S'] },
      { sweep: 'subtractActuateTangent', at: 'at', arrays: ['u', 'S'] },
    ],
  },
  { matrix: 'factor' },
];

/** The same through the coordinates of all links, whose number is all that the time is proportional to. */
const linksFactored: readonly Action[] = [
  { border: 'hold' },
  ...linearised,
  { pivots: 'forget' },
  { blank: 'loads' },
  { sweep: 'eliminateTangent' },
  { pivots: 'require' },
  { border: 'factor' },
];

/** A step of Newton's method while the caller's wrench acts on a frame. */
const underLoad = (axes: 'world' | 'frame'): readonly Action[] => [
  { factors: 'forget' },
  { border: 'hold' },
  { load: 'hold', axes },
  ...linearised,
  { pivots: 'forget' },
  { blank: 'loads' },
  { sweep: 'eliminateTangentUnderLoad' },
  { pivots: 'require' },
  { load: 'factor', axes },
  { load: 'solve', axes },
];

const NEWTON_STEP = {
  state: 'staged',
  derivative: 'along directions',
  numbers: ['rate', 'acceleration'],
  outputs: [{ name: 'dq', size: 'n' }],
} as const;

const OF_WRENCH = {
  state: 'staged',
  derivative: 'along directions',
  inputs: ['wrench', 'dq'],
  ofFrame: true,
  ofColumns: true,
  outputs: [{ name: 'dtau', size: 'n * columns' }],
  adds: true,
} as const;

export const DERIVATIVE_FUNCTIONS = {
  inverseDynamicsTangent: {
    purpose:
      'Change dtau of tau = M qdd + c + g + elastic + damping + fluid along (dq, dqd, dqdd), for as many columns of n numbers, one after the other; a null pointer: no change.',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['qdd', 'dq', 'dqd', 'dqdd'],
    ofColumns: true,
    outputs: [{ name: 'dtau', size: 'n * columns' }],
    actions: changesAlong(['dqdd', 'dtau']),
  },
  inverseDynamicsAdjoint: {
    purpose:
      'Derivatives of the sum of weights[i] tau[i], tau as in inverse_dynamics_tangent, by q, qd and qdd, for as many columns of n weights: the transpose of inverse_dynamics_tangent.',
    state: 'staged',
    derivative: 'by weights',
    inputs: ['qdd', 'weights'],
    ofColumns: true,
    outputs: [
      { name: 'by_q', size: 'n * columns' },
      { name: 'by_qd', size: 'n * columns' },
      { name: 'by_qdd', size: 'n * columns' },
    ],
    actions: [
      ...moving,
      { sweep: 'accelerationForAdjoint' },
      { sweep: 'backwardForAdjoint' },
      {
        eachColumn: [
          { blank: 'baseTangent' },
          { sweep: 'backwardAdjoint', at: 'at' },
          { sweep: 'forwardAdjoint', at: 'at' },
        ],
      },
      // Second derivatives of an energy are symmetric.
      { blank: 'baseTangent' },
      {
        eachColumn: [
          { forces: 'changes', direction: 'weights', to: 'by_q', at: 'at' },
          { pushes: 'weigh', weights: 'weights', at: 'at' },
        ],
      },
    ],
  },
  implicitStepTangent: {
    purpose:
      'Change dqdd of the mean acceleration qdd of an implicit step of time h along (dq, dqd, dtau), for as many columns of n numbers; dqdd may not be one of them.',
    about: 'trees',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['qdd', 'dq', 'dqd', 'dtau'],
    numbers: ['h'],
    ofColumns: true,
    outputs: [{ name: 'dqdd', size: 'n * columns' }],
    actions: [
      ...factoredStep,
      ...stepChanges,
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduceTangent', at: 'at' },
          { sweep: 'restore', at: 'at', arrays: ['dqdd'] },
        ],
      },
    ],
  },
  implicitStepAdjoint: {
    purpose:
      'Transpose of an implicit step of time h whose mean acceleration was qdd: by_tau = seed / (M + h D + h^2 K), and the derivatives by q and qd of the sum of by_tau[i] times what tau overcomes in it.',
    about: 'trees',
    state: 'staged',
    derivative: 'by weights',
    inputs: ['qdd', 'seed'],
    numbers: ['h'],
    outputs: [
      { name: 'by_tau', size: 'n' },
      { name: 'by_q', size: 'n' },
      { name: 'by_qd', size: 'n' },
    ],
    actions: [...stepTransposed, { sweep: 'forwardAdjointOfMotion' }, { sweep: 'stepAdjoint' }, ...ofForces],
  },
  implicitStepGradient: {
    purpose:
      'implicit_step_adjoint of a step with inputs u, and the derivatives by run-time parameters p: all of the sum of by_tau[i] times what tau overcomes, less B u.',
    about: 'trees',
    state: 'staged',
    derivative: 'by parameters',
    inputs: ['qdd', 'u', 'seed'],
    numbers: ['h'],
    outputs: [
      { name: 'by_tau', size: 'n' },
      { name: 'by_q', size: 'n' },
      { name: 'by_qd', size: 'n' },
      { name: 'by_p', size: 'p' },
    ],
    actions: [
      ...stepTransposed,
      { sweep: 'parametersAdjoint' },
      { by: 'parameters' },
      { formulas: 'gradients' },
      { sweep: 'stepAdjoint' },
      ...ofForces,
      { deduct: 'links' },
      { deduct: 'places' },
    ],
  },
  actuateTangent: {
    purpose: 'dtau += change of B u along dq at the same inputs u, per column.',
    about: 'actuators',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['u', 'dq'],
    ofColumns: true,
    outputs: [{ name: 'dtau', size: 'n * columns' }],
    adds: true,
    actions: [
      { blank: 'baseTangent' },
      {
        eachColumn: [
          { sweep: 'takeDirection', at: 'at' },
          { formulas: 'changes' },
          { sweep: 'actuateTangent', at: 'at' },
          { loads: 'reaching' },
        ],
      },
    ],
  },
  actuateRateTangent: {
    purpose: 'dtau += change of B u along dqd at the same inputs u, per column: of tendons with friction.',
    about: 'rubbing tendons',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['u', 'dqd'],
    ofColumns: true,
    outputs: [{ name: 'dtau', size: 'n * columns' }],
    adds: true,
    actions: [{ blank: 'baseTangent' }, { eachColumn: [{ loads: 'rubbing' }] }],
  },
  newtonStep: {
    ...NEWTON_STEP,
    purpose:
      'dq of S dq = residual, S the derivative by q of tau = M qdd + c + g + elastic + damping + fluid - B u at rates and accelerations that change by rate dq and acceleration dq: what implicit integrators ask for.',
    inputs: ['qdd', 'u', 'residual'],
    actions: [
      { factors: 'forget' },
      {
        tangent: 'as a matrix',
        actions: [...matrixFactored, { matrix: 'solve' }],
        otherwise: [...linksFactored, { border: 'solve' }],
      },
    ],
  },
  newtonFactor: {
    purpose:
      'Factors of S of newton_step, for newton_solve; they last until the next newton_factor or newton_step, through updates.',
    state: 'staged',
    derivative: 'along directions',
    numbers: ['rate', 'acceleration'],
    inputs: ['qdd', 'u'],
    outputs: [],
    actions: [
      { factors: 'forget' },
      {
        tangent: 'as a matrix',
        actions: matrixFactored,
        otherwise: [...linksFactored, { border: 'reach' }],
      },
      { factors: 'keep' },
    ],
  },
  newtonSolve: {
    purpose:
      'dq of S dq = residual with the factors that newton_factor has left, whatever state is staged: KG_NO_STATE where there are none.',
    state: 'staged',
    derivative: 'along directions',
    after: 'newtonFactor',
    inputs: ['residual'],
    outputs: [{ name: 'dq', size: 'n' }],
    actions: [
      { factors: 'require' },
      {
        tangent: 'as a matrix',
        actions: [{ matrix: 'solve' }],
        otherwise: [{ border: 'solve by factors' }],
      },
    ],
  },
  newtonStepExternal: {
    ...NEWTON_STEP,
    purpose: "newton_step with S less the derivative by q of J' wrench, a wrench on a frame as in external.",
    inputs: ['qdd', 'u', 'wrench', 'residual'],
    ofFrame: true,
    actions: underLoad('world'),
  },
  newtonStepExternalInFrame: {
    ...NEWTON_STEP,
    purpose: "newton_step_external of a wrench in the frame's own axes.",
    inputs: ['qdd', 'u', 'wrench', 'residual'],
    ofFrame: true,
    actions: underLoad('frame'),
  },
  externalTangent: {
    ...OF_WRENCH,
    purpose: "dtau += change of J' wrench along dq at the same wrench, as in external, per column.",
    actions: [
      { blank: 'baseTangent' },
      { base: 'pose' },
      { sweep: 'pose' },
      { apply: 'world' },
      { eachColumn: [{ sweep: 'poseTangent', at: 'at' }, { loads: 'world' }] },
    ],
  },
  externalInFrameTangent: {
    ...OF_WRENCH,
    purpose: "external_tangent of a wrench in the frame's own axes.",
    actions: [
      { blank: 'baseTangent' },
      { apply: 'frame' },
      { eachColumn: [{ sweep: 'takeDirection', at: 'at' }, { loads: 'frame' }] },
    ],
  },
  inverseDynamicsVariation: {
    purpose:
      'Change dtau of tau as in inverse_dynamics_tangent along directions dp of the run-time parameters, one number for each in their order, for as many columns.',
    state: 'staged',
    derivative: 'along parameters',
    inputs: ['qdd', 'dp'],
    ofColumns: true,
    outputs: [{ name: 'dtau', size: 'n * columns' }],
    actions: changesAlongParameters('dtau'),
  },
  forwardDynamicsTangent: {
    purpose:
      'Change dqdd of the accelerations qdd of forward dynamics along (dq, dqd, dtau), for as many columns of n numbers; dqdd may not be one of them.',
    about: 'trees',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['qdd', 'dq', 'dqd', 'dtau'],
    ofColumns: true,
    outputs: [{ name: 'dqdd', size: 'n * columns' }],
    actions: [
      ...factored,
      ...changesAlong([NOTHING, 'dqdd']),
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduceTangent', at: 'at' },
          { sweep: 'restore', at: 'at', arrays: ['dqdd'] },
        ],
      },
    ],
  },
  forwardDynamicsVariation: {
    purpose:
      'Change dqdd of the accelerations qdd of forward dynamics along directions dp, as in inverse_dynamics_variation.',
    about: 'trees',
    state: 'staged',
    derivative: 'along parameters',
    inputs: ['qdd', 'dp'],
    ofColumns: true,
    outputs: [{ name: 'dqdd', size: 'n * columns' }],
    actions: [
      ...factored,
      ...changesAlongParameters('dqdd'),
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduceTangent', at: 'at', arrays: [NOTHING, 'dqdd'] },
          { sweep: 'restore', at: 'at', arrays: ['dqdd'] },
        ],
      },
    ],
  },
  constrainedImplicitStep: {
    purpose: 'implicit_step with the multipliers lambda that close loops in it, for its tangent and the transpose.',
    about: 'loops',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['tau'],
    numbers: ['h'],
    outputs: [
      { name: 'q', size: 'n' },
      { name: 'qd', size: 'n' },
      { name: 'lambda', size: 'r' },
    ],
    actions: stepActions('lambda'),
  },
  constrainedImplicitStepTangent: {
    purpose:
      'Changes dqdd and dlambda of the mean acceleration qdd and the multipliers lambda of constrained_implicit_step of time h along (dq, dqd, dtau), for as many columns of n numbers, of as many rows as constraint_rank; dqdd may not be one of them.',
    about: 'loops',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['qdd', 'lambda', 'dq', 'dqd', 'dtau'],
    numbers: ['h'],
    ofColumns: true,
    outputs: [
      { name: 'dqdd', size: 'n * columns' },
      { name: 'dlambda', size: 'r * columns' },
    ],
    actions: [
      ...factoredStep,
      { loops: 'reduce' },
      ...stepChanges,
      { blank: 'baseTangent' },
      { loopDerivatives: 'slopeStep' },
      { eachColumn: [{ loopDerivatives: 'changeStep' }] },
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduceTangent', at: 'at' },
          { loopDerivatives: 'solveStep', arrays: ['dlambda'] },
          { sweep: 'restore', at: 'at', arrays: ['dqdd'] },
        ],
      },
    ],
  },
  constrainedImplicitStepAdjoint: {
    purpose:
      "Transpose of constrained_implicit_step of time h with the multipliers lambda, whose mean acceleration was qdd: by_tau, and the derivatives by q and qd of the sum of by_tau[i] times what tau overcomes, less J' lambda, and of what rows ask.",
    about: 'loops',
    state: 'staged',
    derivative: 'by weights',
    inputs: ['qdd', 'lambda', 'seed'],
    numbers: ['h'],
    outputs: [
      { name: 'by_tau', size: 'n' },
      { name: 'by_q', size: 'n' },
      { name: 'by_qd', size: 'n' },
    ],
    actions: [
      ...factoredStep,
      { loops: 'reduce' },
      { base: 'rest' },
      { sweep: 'reduceWeights' },
      { loopDerivatives: 'solveStep' },
      { sweep: 'restore', at: '0', arrays: ['by_tau'] },
      ...stepBackwards,
      { sweep: 'forwardAdjointOfMotion' },
      { sweep: 'stepAdjoint' },
      ...ofForces,
      { blank: 'baseTangent' },
      { loopDerivatives: 'weighStep' },
    ],
  },
  constrainedForwardDynamicsTangent: {
    purpose:
      'Changes dqdd and dlambda of the results qdd and lambda of constrained_forward_dynamics along (dq, dqd, dtau), as in forward_dynamics_tangent, of as many rows as constraint_rank; dqdd may not be one of them.',
    about: 'loops',
    state: 'staged',
    derivative: 'along directions',
    inputs: ['qdd', 'lambda', 'dq', 'dqd', 'dtau'],
    numbers: ['alpha', 'beta'],
    ofColumns: true,
    outputs: [
      { name: 'dqdd', size: 'n * columns' },
      { name: 'dlambda', size: 'r * columns' },
    ],
    actions: [
      ...factored,
      { loops: 'reduce' },
      ...changesAlong([NOTHING, 'dqdd']),
      { eachColumn: [{ loopDerivatives: 'change' }] },
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduceTangent', at: 'at' },
          { loopDerivatives: 'solve', arrays: ['dlambda', 'dlambda'] },
          { sweep: 'restore', at: 'at', arrays: ['dqdd'] },
        ],
      },
    ],
  },
  constrainedForwardDynamicsAdjoint: {
    purpose:
      'Transpose of constrained_forward_dynamics_tangent: derivatives of the sums of weights[i] qdd[i] and weights_lambda[j] lambda[j] by q, qd, tau and by what is added to the second derivatives of rows, for as many columns of weights.',
    about: 'loops',
    state: 'staged',
    derivative: 'by weights',
    inputs: ['qdd', 'lambda', 'weights', 'weights_lambda'],
    numbers: ['alpha', 'beta'],
    ofColumns: true,
    outputs: [
      { name: 'by_q', size: 'n * columns' },
      { name: 'by_qd', size: 'n * columns' },
      { name: 'by_tau', size: 'n * columns' },
      { name: 'by_bias', size: 'r * columns' },
    ],
    actions: [
      ...factored,
      { loops: 'reduce' },
      { base: 'rest' },
      {
        eachColumn: [
          { sweep: 'reduce', at: 'at', arrays: ['weights'] },
          { loopDerivatives: 'solve', arrays: ['weights_lambda', 'by_bias'] },
          { sweep: 'restore', at: 'at', arrays: ['by_tau'] },
        ],
      },
      ...moving,
      { sweep: 'accelerationForAdjoint' },
      { sweep: 'backwardForAdjoint' },
      {
        eachColumn: [
          { blank: 'baseTangent' },
          { sweep: 'backwardAdjoint', at: 'at', arrays: ['by_tau', 'by_q', 'by_qd'] },
          { sweep: 'forwardAdjointAlongLoops', at: 'at' },
        ],
      },
      // Second derivatives of an energy are symmetric.
      { blank: 'baseTangent' },
      {
        eachColumn: [
          { forces: 'changes', direction: 'by_tau', to: 'by_q', at: 'at' },
          { pushes: 'weigh', weights: 'by_tau', at: 'at' },
        ],
      },
      {
        eachColumn: [
          { blank: 'baseTangent' },
          { loopDerivatives: 'weigh' },
          { loopDerivatives: 'negate', arrays: ['by_q', 'by_qd'] },
        ],
      },
    ],
  },
} as const satisfies Record<string, RobotFunction>;
