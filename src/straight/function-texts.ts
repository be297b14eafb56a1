/** What straight-line functions do and read, and what their buffers hold, in the words that generated code has for it. */
import type { StraightFunctionName, StraightInput } from './straight-robot.ts';

export interface FunctionText {
  readonly summary: string;
  readonly reads: readonly StraightInput[];
}

/** @param surroundings `forces`: among the forces that functions take are those of water or fields; `placed`: there are fields. */
export function functionText(
  name: StraightFunctionName,
  { forces, placed }: { readonly forces: boolean; readonly placed: boolean },
): FunctionText {
  const { summary, reads } = FUNCTIONS[name];
  const whole = forces ? summary.replace(PASSIVE, (sum, sign) => `${sum} ${sign} fluid`) : summary;
  return {
    summary: placed ? whole.replace('drag and buoyancy', 'drag, buoyancy and fields along rods') : whole,
    reads,
  };
}

/** Forces beside those of inertia and weight, as summaries write them. */
const PASSIVE = /(?<sign>[+-]) elastic \k<sign> damping/;

const STATE: readonly StraightInput[] = ['q', 'qd', 'qdd'];

/** What functions do, and what they read. */
const FUNCTIONS: Record<StraightFunctionName, FunctionText> = {
  inverseDynamics: { summary: 'Generalized forces for a motion: tau = M qdd + c + g.', reads: STATE },
  forwardDynamics: {
    summary: 'Accelerations that generalized forces cause: M qdd + c + g + elastic + damping = tau.',
    reads: ['q', 'qd', 'tau'],
  },
  constraint: {
    summary: 'Residuals of the rows of loops, their rates, and their second derivatives at qdd = 0.',
    reads: ['q', 'qd'],
  },
  constraintJacobian: { summary: 'J = d phi/dq of the rows of loops.', reads: ['q'] },
  constrainedForwardDynamics: {
    summary:
      "Accelerations and multipliers of M qdd + c + g + elastic + damping = tau + J' lambda, J qdd + bias = -2 alpha J qd - beta^2 phi of the independent rows of loops.",
    reads: ['alpha', 'beta', 'q', 'qd', 'tau'],
  },
  implicitStep: {
    summary:
      'State after a linearly implicit Euler step of time h: (M + h D + h^2 K) (qd_next - qd) = h (tau - c - g - elastic - damping - h K qd), q_next = q + h qd_next.',
    reads: ['h', 'q', 'qd', 'tau'],
  },
  massMatrix: { summary: 'Mass matrix.', reads: ['q'] },
  inverseDynamicsAndMassMatrix: { summary: 'Generalized forces for a motion, and the mass matrix.', reads: STATE },
  gravity: { summary: 'Generalized forces that hold the robot at rest.', reads: ['q'] },
  passiveForces: {
    summary: 'Elastic and viscous forces, which tau has to overcome beside M qdd + c + g.',
    reads: ['q', 'qd'],
  },
  activeInverseDynamics: {
    summary: 'Generalized forces for a motion, passive forces included: tau = M qdd + c + g + elastic + damping.',
    reads: STATE,
  },
  fluid: { summary: 'What tau has to overcome of drag and buoyancy.', reads: ['q', 'qd'] },
  fluidDerivatives: {
    summary: 'Derivatives of drag and buoyancy by position and velocity.',
    reads: ['q', 'qd'],
  },
  stiffness: { summary: 'Derivatives of the elastic forces within links by position.', reads: ['q'] },
  dissipation: { summary: 'Derivatives of the damping forces by velocity.', reads: ['q', 'qd'] },
  actuation: {
    summary: 'Coordinates y of the actuators, rates yd, ydd at qdd = 0, and B = (dy/dq)^T.',
    reads: ['q', 'qd'],
  },
  actuate: { summary: 'Generalized forces of the actuators added: tau += B u.', reads: ['q', 'u', 'tau'] },
  massMatrixAndForcing: {
    summary: 'Mass matrix and forcing: M qdd = forcing when nothing drives.',
    reads: ['q', 'qd'],
  },
  dynamicsTerms: {
    summary: 'Mass matrix, Coriolis and centrifugal forces, and gravity forces, apart.',
    reads: ['q', 'qd'],
  },
  inverseDynamicsDerivatives: {
    summary: 'Derivatives of the generalized forces by position and velocity.',
    reads: STATE,
  },
  regressor: {
    summary:
      'Regressor by parameters pi: M qdd + c + g + elastic + damping = offset + Y pi, with pi one number for each column.',
    reads: STATE,
  },
};

/** What buffers hold. */
export const OUTPUTS: Record<string, string> = {
  tau: 'generalized forces, one per coordinate',
  qdd: 'accelerations, one per coordinate',
  lambda: 'multipliers, one per row of loops; zero of rows that depend on others',
  rank: 'how many rows are independent, a number',
  phi: 'residuals, one per row of loops',
  rate: 'their rates',
  bias: 'their second derivatives where qdd = 0',
  J: 'd phi / d q, rows x n, row-major',
  q_next: 'coordinates after the step',
  qd_next: 'rates after the step',
  M: 'mass matrix, n x n, row-major, both triangles',
  c: 'Coriolis and centrifugal forces, one per coordinate',
  g: 'generalized gravity forces, one per coordinate',
  elastic: 'elastic forces, one per coordinate',
  damping: 'viscous forces, one per coordinate',
  fluid: 'drag and buoyancy, one per coordinate',
  dfluid_dq: 'd fluid / d q, n x n, row-major: row i holds the derivatives of fluid[i]',
  dfluid_dqd: 'd fluid / d qd, n x n, row-major: row i holds the derivatives of fluid[i]',
  K: 'd elastic / d q, n x n, row-major, symmetric',
  D: 'd damping / d qd, n x n, row-major, symmetric',
  y: 'actuation coordinates, one per actuator',
  yd: 'rates of y',
  ydd0: 'second derivatives of y where qdd = 0',
  B: '(dy/dq)^T, n x actuators, row-major: row a holds the derivatives by coordinate a',
  forcing: '-(c + g), one per coordinate',
  dtau_dq: 'd tau / d q, n x n, row-major: row i holds the derivatives of tau[i]',
  dtau_dqd: 'd tau / d qd, n x n, row-major: row i holds the derivatives of tau[i]',
  Y: 'd tau / d pi, n x columns, row-major: row i holds the derivatives of tau[i]',
  offset: 'what parameters that have no column bring, one per coordinate',
};
