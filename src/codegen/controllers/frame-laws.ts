/** Laws that lead a frame: rates of coordinates, a spring and a damper. */
import type { Robot } from '../../description/model/robot.ts';
import { forcesOf } from '../../description/model/what-acts.ts';
import { distribute, everyActuator, tauOf } from './distribution.ts';
import { demand, each, within, type LawText, type Working } from './law-text.ts';

/** The goal of a frame apart from the reference, and the logarithm of its pose seen from the frame. */
export const GOAL: readonly string[] = [
  each(9, 'state.goalR[i] = y[i]!;'),
  each(3, 'state.goalT[i] = y[9 + i]!;'),
  'poseLogarithm(state.R, state.t, state.goalR, state.goalT, state.error);',
];
export const GOAL_WORKING: readonly Working[] = [
  { name: 'R', size: 9 },
  { name: 't', size: 3 },
  { name: 'goalR', size: 9 },
  { name: 'goalT', size: 3 },
  { name: 'error', size: 6 },
];

/** Velocity, at the origin of the frame, of a body that moves with the goal: v + (t_goal - t) x w; world axes. */
const CARRIED: readonly string[] = [0, 1, 2].map((i) => {
  const [j, k] = [(i + 1) % 3, (i + 2) % 3];
  return `state.twist[${3 + i}] = yd[${3 + i}]! + ((state.goalT[${j}]! - state.t[${j}]!) * yd[${k}]! - (state.goalT[${k}]! - state.t[${k}]!) * yd[${j}]!);`;
});

/** A vector of the frame in world axes, or the other way round. */
export const turned = (name: string, first: number, i: number, transposed = false): string =>
  [0, 1, 2].map((k) => `state.R[${transposed ? 3 * k + i : 3 * i + k}]! * state.${name}[${first + k}]!`).join(' + ');

export function velocityForm(robot: Robot, frame: number, posture: boolean): LawText {
  const n = robot.coordinates.length;
  const k = Math.min(6, n);
  return {
    purpose: `Rates of coordinates that lead the frame ${robot.frames[frame]!.name} to its reference: least squares of J u = w with the damping, w the twist of the reference and gain times the logarithm of its pose seen from the frame${posture ? '; what J leaves free goes towards the posture' : ''}.`,
    working: [
      ...GOAL_WORKING,
      { name: 'rest', size: n },
      { name: 'J', size: 6 * n },
      { name: 'twist', size: 6 },
      ...(posture ? [{ name: 'drift', size: n }] : []),
      { name: 'work', size: k * (k + 1) },
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...demand('robot.update(q, state.rest)'),
      ...demand(`robot.frame(${frame}, state.R, state.t, state.J)`),
      ...GOAL,
      each(6, 'state.error[i] = parameters.gain[i]! * state.error[i]!;'),
      each(3, 'state.twist[i] = yd[i]!;'),
      ...CARRIED,
      ...[0, 1, 2, 3, 4, 5].map(
        (i) => `state.twist[${i}] = state.twist[${i}]! + (${turned('error', i < 3 ? 0 : 3, i % 3)});`,
      ),
      ...(posture
        ? [
            each(n, 'state.drift[i] = parameters.postureGain[i]! * (parameters.posture[i]! - q[i]!);'),
            `for (let j = 0; j < 6; j++) {`,
            'let sum = 0;',
            each(n, `sum += state.J[${n} * j + i]! * state.drift[i]!;`),
            'state.twist[j] = state.twist[j]! - sum;',
            '}',
          ]
        : []),
      `if (!dampedLeastSquares(6, ${n}, state.J, state.twist, parameters.damping, state.demand, state.work)) return KG_SINGULAR;`,
      ...(posture ? [each(n, 'state.demand[i] = state.demand[i]! + state.drift[i]!;')] : []),
      'return KG_OK;',
    ],
  };
}

export function torqueForm(robot: Robot, frame: number): LawText {
  const n = robot.coordinates.length;
  const { elastic } = forcesOf(robot);
  const distribution = distribute(robot, everyActuator(robot), false, 'there');
  const tau = `state.${distribution.forces}`;
  return {
    purpose: `Impedance of the frame ${robot.frames[frame]!.name}: B u = J' w + g${elastic ? ' + elastic' : ''}, w the wrench of a spring with the energy 1/2 sum stiffness e^2 in the logarithm e of the reference seen from the frame, and of a damper on its velocity against that of the reference${distribution.remark}.`,
    working: [
      ...GOAL_WORKING,
      { name: 'velocity', size: 6 },
      { name: 'twist', size: 6 },
      { name: 'wrench', size: 6 },
      { name: 'bracket', size: 6 },
      ...tauOf(distribution, n),
      ...(elastic ? [{ name: 'elastic', size: n }] : []),
      ...distribution.working,
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...demand('robot.update(q, qd)'),
      ...demand(`robot.frame(${frame}, state.R, state.t, null)`),
      ...demand(`robot.frameMotion(${frame}, state.velocity, null)`),
      ...demand(`robot.terms(null, ${tau}, ${elastic ? 'state.elastic' : 'null'}, null)`),
      ...GOAL,
      'springWrench(state.error, parameters.stiffness, state.wrench, state.bracket);',
      each(3, 'state.twist[i] = yd[i]!;'),
      ...CARRIED,
      each(6, 'state.twist[i] = state.twist[i]! - state.velocity[i]!;'),
      ...[0, 1, 2, 3, 4, 5].map(
        (i) =>
          `state.wrench[${i}] = state.wrench[${i}]! + parameters.damping[${i}]! * (${turned('twist', i < 3 ? 0 : 3, i % 3, true)});`,
      ),
      ...(elastic ? [each(n, `${tau}[i] = ${tau}[i]! + state.elastic[i]!;`)] : []),
      within('wrench', 6),
      within(distribution.forces, n),
      ...demand(`robot.externalInFrame(${frame}, state.wrench, ${tau})`),
      ...distribution.lines,
    ],
  };
}
