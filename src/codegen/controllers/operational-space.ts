/**
 * The law that gives components of the twist of a frame the accelerations of linear dynamics of its error: operational-space
 * control, and the same by the actuators of robots that have not one for each coordinate.
 */
import { AXES } from '../../description/language/controllers.ts';
import { drivesAll } from '../../description/controllers/driven-coordinates.ts';
import type { ControlLaw } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import { distribute, everyActuator } from './distribution.ts';
import { GOAL, GOAL_WORKING, turned } from './frame-laws.ts';
import { demand, each, solvedByFactor, within, type LawText, type Working } from './law-text.ts';

type Law = Extract<ControlLaw, { form: 'acceleration' }>;

/** Coordinates up to which a factor of the whole mass matrix costs less than elimination link by link. */
const MOST_FACTORISED = 12;

/** How the inputs are found once `state.A`, `state.G` = A M^-1 and `state.right` stand. */
interface Means {
  /** ASCII. */
  readonly purpose: string;
  readonly working: readonly Working[];
  readonly lines: readonly string[];
}

export function accelerationForm(robot: Robot, law: Law): LawText {
  const { frame, axes, posture } = law;
  const [n, m] = [robot.coordinates.length, axes.length];
  const isSmall = n <= MOST_FACTORISED;
  const free = posture ? 'state.free' : 'state.rest';
  const isForced = law.least !== 'inputs' && drivesAll(robot, law.actuators);
  const means = isForced ? byForces(robot, m, free) : byActuators(robot, law, free);
  const turns = axes.some((i) => i < 3);
  const isWhole = m === 6 && axes.every((i, j) => i === j);
  const led = isWhole ? 'the twist' : `the twist ${axes.map((i) => AXES[i]!).join(', ')}`;
  return {
    purpose: `Operational-space control: ${led} of the frame ${robot.frames[frame]!.name}, world axes, accelerates by v = ydd + kd (yd - twist) + kp e, e of rotations the logarithm from the frame to the reference; ${means.purpose}.`,
    working: [
      ...(turns ? GOAL_WORKING : [{ name: 't', size: 3 }]),
      { name: 'J', size: 6 * n },
      { name: 'velocity', size: 6 },
      { name: 'bias', size: 6 },
      { name: 'A', size: m * n },
      { name: 'G', size: m * n },
      { name: 'right', size: m },
      { name: posture ? 'free' : 'rest', size: n },
      { name: 'tau', size: n },
      { name: 'factor', size: m * (m + 1) },
      { name: 'step', size: m },
      ...(isSmall
        ? [
            { name: 'M', size: n * n },
            { name: 'column', size: n },
          ]
        : []),
      ...means.working,
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...demand('robot.update(q, qd)'),
      ...demand(`robot.frame(${frame}, ${turns ? 'state.R' : 'null'}, state.t, state.J)`),
      ...demand(`robot.frameMotion(${frame}, state.velocity, state.bias)`),
      ...(turns ? GOAL : []),
      ...(posture
        ? [
            '// Accelerations towards the posture.',
            each(
              n,
              'state.free[i] = parameters.postureKp[i]! * (parameters.posture[i]! - q[i]!) - parameters.postureKd[i]! * qd[i]!;',
            ),
            within('free', n),
          ]
        : []),
      '// Rows of the Jacobian that are led, and the accelerations that they miss.',
      ...axes.flatMap((k, j) => [
        each(n, `state.A[${at(n * j)}] = state.J[${at(n * k)}]!;`),
        `state.right[${j}] = ydd[${k}]! + parameters.kd[${j}]! * (yd[${k}]! - state.velocity[${k}]!) + parameters.kp[${j}]! * (${errorOf(k)}) - state.bias[${k}]!;`,
        ...(posture
          ? [each(n, `state.right[${j}] = state.right[${j}]! - state.A[${at(n * j)}]! * state.free[i]!;`)]
          : []),
      ]),
      within('right', m),
      ...(isSmall
        ? [...demand('robot.massMatrix(state.M)'), ...solvedByFactor(n, m, 'A', 'G')]
        : demand(`robot.solveMass(${m}, state.A, state.G)`)),
      ...means.lines,
    ],
  };
}

/** A place some way on. */
const at = (offset: number, from = 'i'): string => (offset === 0 ? from : `${offset} + ${from}`);

/** Of the pose about or along an axis of the world. */
const errorOf = (k: number): string => (k < 3 ? turned('error', 0, k) : `y[${6 + k}]! - state.t[${k - 3}]!`);

/** Any forces can be brought: accelerations nearest to those towards the posture by the kinetic energy, and what they take. */
function byForces(robot: Robot, m: number, free: string): Means {
  const n = robot.coordinates.length;
  const distribution = distribute(robot, everyActuator(robot), false, 'there');
  return {
    purpose: `B u = M a + all other forces of the robot, of all such accelerations a those nearest to ${free === 'state.free' ? 'postureKp (posture - q) - postureKd qd' : 'zero'} in the metric M (least constraint: dynamically consistent)`,
    working: [{ name: 'a', size: n }, ...distribution.working],
    lines: [
      `if (!leastByWeight(${m}, ${n}, state.A, state.G, state.right, parameters.damping, state.a, state.factor, state.step)) return KG_SINGULAR;`,
      ...(free === 'state.free' ? [each(n, 'state.a[i] = state.a[i]! + state.free[i]!;')] : []),
      within('a', n),
      ...demand(`robot.activeInverseDynamics(state.a, state.${distribution.forces})`),
      ...distribution.lines,
    ],
  };
}

/** X u = right with X = J M^-1 B of the used actuators: the shortest u, or that nearest to what the posture takes. */
function byActuators(robot: Robot, { axes, actuators, posture }: Law, free: string): Means {
  const [n, m, u, all] = [robot.coordinates.length, axes.length, actuators.length, robot.actuators.length];
  const k = Math.min(n, u);
  const entry = (a: number): string => `state.B[${all === 1 ? 'i' : at(a, `${all} * i`)}]!`;
  const names = actuators.map((i) => robot.actuators[i]!.name).join(', ');
  const towardsPosture = [
    ...actuators.map((a, j) => each(n, `state.columns[${u === 1 ? 'i' : at(j, `${u} * i`)}] = ${entry(a)};`)),
    `if (!dampedLeastSquares(${n}, ${u}, state.columns, state.tau, 0, state.held, state.work)) return KG_SINGULAR;`,
    ...actuators.map((a, j) => each(n, `state.tau[i] = state.tau[i]! - ${entry(a)} * state.held[${j}]!;`)),
  ];
  return {
    purpose: `J M^-1 B u by the actuators ${names}, ${posture ? 'u nearest to the least squares solution of B u = M (postureKp (posture - q) - postureKd qd) + all other forces of the robot' : 'u the shortest'}`,
    working: [
      { name: 'B', size: n * all },
      { name: 'X', size: m * u },
      { name: 'change', size: u },
      ...(posture
        ? [
            { name: 'columns', size: n * u },
            { name: 'held', size: u },
            { name: 'work', size: k * (k + 1) },
          ]
        : []),
    ],
    lines: [
      ...demand('robot.actuation(null, null, null, state.B)'),
      ...demand(`robot.activeInverseDynamics(${free}, state.tau)`),
      ...(posture ? towardsPosture : []),
      `for (let j = 0; j < ${m}; j++) {`,
      'let sum = 0;',
      each(n, `sum += state.G[${n} * j + i]! * state.tau[i]!;`),
      'state.right[j] = state.right[j]! + sum;',
      ...actuators.flatMap((a, l) => [
        'sum = 0;',
        each(n, `sum += state.G[${n} * j + i]! * ${entry(a)};`),
        `state.X[${u === 1 ? 'j' : at(l, `${u} * j`)}] = sum;`,
      ]),
      '}',
      within('right', m),
      `if (!leastByWeight(${m}, ${u}, state.X, state.X, state.right, parameters.damping, state.change, state.factor, state.step)) return KG_SINGULAR;`,
      ...robot.actuators.map((_, a) => {
        const j = actuators.indexOf(a);
        const own = posture ? `state.held[${j}]! + state.change[${j}]!` : `state.change[${j}]!`;
        return `state.demand[${a}] = ${j < 0 ? '0' : own};`;
      }),
      'return KG_OK;',
    ],
  };
}
