/**
 * The laws of controllers, each written once, as a function of the part of TypeScript in `subset.ts`: it stands like that in
 * the TypeScript module, and C is translated from it. A law demands inputs of the actuators; what a step does besides
 * (which numbers can be used, limits, integrals) is the same for all (`controller-model.ts`).
 */
import type { Robot } from '../../description/model/robot.ts';
import { forcesOf, waterOf } from '../../description/model/what-acts.ts';
import type { Controller, ControlLaw } from '../../description/model/controller.ts';
import { undrivenCoordinates } from '../../description/controllers/driven-coordinates.ts';
import { coordinateSymbol } from '../../description/model/actuator.ts';
import { foldConstant } from '../../symbolic/evaluation/evaluate.ts';
import { freeSymbols } from '../../symbolic/graph/traverse.ts';
import type { StraightCalls } from './straight-calls.ts';

/** Numbers that a law keeps from one line to the next, in the state of the controller. */
interface Working {
  readonly name: string;
  readonly size: number;
}

export interface LawText {
  /** What the step does, with its formula; ASCII. */
  readonly purpose: string;
  readonly working: readonly Working[];
  /** Statements that write `state.demand`, or return why there is none. */
  readonly lines: readonly string[];
  /** Statements that mark in `state.held` coordinates on which an input acts that is at its limit; of laws with integrals. */
  readonly holding?: readonly string[];
}

/**
 * What the law of a controller is in code.
 * @param straight collects straight-line functions that the law calls; without it the law calls the driver. What frames
 * do is in the driver only: such laws call it in any case.
 */
export function lawText(robot: Robot, controller: Controller, straight?: StraightCalls): LawText {
  const { law } = controller;
  switch (law.kind) {
    case 'computed-torque':
      return computedTorque(robot, law.integral, straight);
    case 'pd':
      return proportional(robot, law, straight);
    case 'feed-forward':
      return feedForward(robot, law.actuators, straight);
    case 'partial-feedback-linearisation':
      return linearisation(robot, law.outputs, straight);
    case 'task-space':
      return law.form === 'velocity' ? velocityForm(robot, law.frame, law.posture) : torqueForm(robot, law.frame);
  }
}

/** `for (let i = 0; i < count; i++) …` */
const each = (count: number, line: string, i = 'i'): string => `for (let ${i} = 0; ${i} < ${count}; ${i}++) ${line}`;
const demand = (call: string): string[] => [`status = ${call};`, 'if (status !== KG_OK) return status;'];

/** An input that is demanded more than its limits allow. */
const isHeld = (k: number | string): string =>
  `state.u[${k}]! < state.demand[${k}]! || state.u[${k}]! > state.demand[${k}]!`;

/** Too large numbers on the way are no inputs of the caller's: functions of the robot would say so of them. */
const within = (name: string, count: number): string => `if (!areFinite(state.${name}, ${count})) return KG_UNDEFINED;`;

const INTEGRAL = ' + parameters.ki[i]! * state.integral[i]!';

function computedTorque(robot: Robot, integral: boolean, straight?: StraightCalls): LawText {
  const n = robot.coordinates.length;
  const { elastic, damping } = forcesOf(robot);
  const fluid = waterOf(robot).forces;
  const hasForces = elastic || damping || fluid;
  const distribution = distribute(robot, everyActuator(robot), integral, 'there', straight);
  const staged = [...demand('robot.update(q, qd)'), ...demand('robot.activeInverseDynamics(state.v, state.tau)')];
  const atOnce =
    hasForces || distribution.reads ? staged : demand('robot.inverseDynamicsAt(q, qd, state.v, state.tau)');
  const whole = hasForces ? 'activeInverseDynamics' : 'inverseDynamics';
  const forces = straight ? demand(straight.call(whole, ['q', 'qd', 'state.v'], { tau: 'state.tau' })) : atOnce;
  const sum = `ydd[i]! + parameters.kd[i]! * (yd[i]! - qd[i]!) + parameters.kp[i]! * (y[i]! - q[i]!)${integral ? INTEGRAL : ''}`;
  return {
    purpose: `Computed torque: B u = M v + c + g${elastic ? ' + elastic' : ''}${damping ? ' + damping' : ''}${fluid ? ' + fluid' : ''} with v = ydd + kd (yd - qd) + kp (y - q)${integral ? ' + ki integral of (y - q)' : ''}.`,
    working: [{ name: 'v', size: n }, { name: 'tau', size: n }, ...distribution.working],
    lines: [
      'let status: Status = KG_OK;',
      each(n, `state.v[i] = ${sum};`),
      within('v', n),
      ...forces,
      ...distribution.lines,
    ],
    holding: distribution.holding,
  };
}

function proportional(robot: Robot, law: Extract<ControlLaw, { kind: 'pd' }>, straight?: StraightCalls): LawText {
  const { integral, compensation, actuators } = law;
  const atState = compensation === 'state';
  const n = robot.coordinates.length;
  const { elastic } = forcesOf(robot);
  const fluid = waterPushes(robot);
  const held = ['gravity', ...(elastic ? ['springs'] : []), ...(fluid ? ['water'] : [])];
  const distribution = distribute(robot, actuators, integral, atState ? 'there' : 'elsewhere', straight);
  const sum = `parameters.kp[i]! * (y[i]! - q[i]!) + parameters.kd[i]! * (yd[i]! - qd[i]!) + state.tau[i]!${elastic ? ' + state.elastic[i]!' : ''}${fluid ? ' + state.fluid[i]!' : ''}${integral ? INTEGRAL : ''}`;
  return {
    purpose: `PD with compensation: B u = kp (y - q) + kd (yd - qd) + g${elastic ? ' + elastic' : ''}${fluid ? ' + fluid' : ''}${integral ? ' + ki integral of (y - q)' : ''}, ${held.join(' and ')} at the ${compensation}${fluid ? ' at rest' : ''}${distribution.remark}.`,
    working: [
      { name: 'rest', size: n },
      { name: 'tau', size: n },
      ...(elastic ? [{ name: 'elastic', size: n }] : []),
      ...(fluid ? [{ name: 'fluid', size: n }] : []),
      ...distribution.working,
    ],
    lines: [
      'let status: Status = KG_OK;',
      `// What holds the robot ${atState ? 'where it is' : 'at the reference'}.`,
      ...statics(robot, atState ? 'q' : 'y', straight),
      each(n, `state.tau[i] = ${sum};`),
      ...distribution.lines,
    ],
    holding: distribution.holding,
  };
}

/** Does added mass have forces on a robot at rest, which stand in c: is there a current past it? */
const isTowed = (robot: Robot): boolean => waterOf(robot).addedMass && robot.current !== undefined;

const waterPushes = (robot: Robot): boolean => waterOf(robot).forces || isTowed(robot);

/** Forces at rest at a configuration: `state.tau` of gravity and of added mass in a current, `state.elastic`, `state.fluid` where there are any. */
function statics(robot: Robot, at: 'q' | 'y', straight: StraightCalls | undefined): string[] {
  const { elastic } = forcesOf(robot);
  if (straight)
    return [
      ...demand(straight.call('gravity', [at], { g: 'state.tau' })),
      ...(elastic ? demand(straight.call('passiveForces', [at, 'state.rest'], { elastic: 'state.elastic' })) : []),
    ];
  return [
    ...demand(`robot.update(${at}, state.rest)`),
    ...demand(
      `robot.terms(${isTowed(robot) ? 'state.fluid' : 'null'}, state.tau, ${elastic ? 'state.elastic' : 'null'}, null)`,
    ),
    ...(isTowed(robot) ? [each(robot.coordinates.length, 'state.tau[i] = state.tau[i]! + state.fluid[i]!;')] : []),
    ...(waterPushes(robot) ? demand('robot.fluid(state.fluid)') : []),
  ];
}

function feedForward(robot: Robot, actuators: readonly number[], straight?: StraightCalls): LawText {
  const n = robot.coordinates.length;
  const { elastic } = forcesOf(robot);
  const fluid = waterPushes(robot);
  const distribution = distribute(robot, actuators, false, 'at the reference', straight);
  const parts = [...(elastic ? ['elastic'] : []), ...(fluid ? ['fluid'] : [])];
  return {
    purpose: `Feed-forward from statics: B u = g${parts.map((part) => ` + ${part}`).join('')}, all at the reference at rest${distribution.remark}. The state of the robot is not read.`,
    working: ['rest', 'tau', ...parts].map((name) => ({ name, size: n })).concat(distribution.working),
    lines: [
      'let status: Status = KG_OK;',
      ...statics(robot, 'y', straight),
      ...parts.map((part) => each(n, `state.tau[i] = state.tau[i]! + state.${part}[i]!;`)),
      ...distribution.lines,
    ],
  };
}

/** `state.demand` from the generalized forces `state.tau`. */
interface Distribution {
  /** Asks for B at the staged state. */
  readonly reads: boolean;
  readonly working: readonly Working[];
  readonly lines: readonly string[];
  readonly holding: readonly string[];
  /** What its purpose says about it. */
  readonly remark: string;
}

const everyActuator = ({ actuators }: Robot): readonly number[] => actuators.map((_, i) => i);

/**
 * @param actuators that have inputs; the others are demanded nothing.
 * @param integral B is wanted afterwards, for `holding`.
 * @param staged whether the driver has the state staged at which B is wanted: `elsewhere` where it has another one;
 * `at the reference`: B is wanted there, which is staged.
 */
function distribute(
  robot: Robot,
  actuators: readonly number[],
  integral: boolean,
  staged: 'there' | 'elsewhere' | 'at the reference',
  straight?: StraightCalls,
): Distribution {
  const all = robot.actuators.length;
  const isPart = actuators.length < all;
  const ratios = isPart ? undefined : motorRatios(robot);
  if (ratios) {
    const share = ({ coordinate, ratio }: Motor): string =>
      ratio === 1 ? `state.tau[${coordinate}]!` : `state.tau[${coordinate}]! / ${ratio < 0 ? `(${ratio})` : ratio}`;
    return {
      reads: false,
      working: [],
      lines: [...ratios.map((motor, i) => `state.demand[${i}] = ${share(motor)};`), 'return KG_OK;'],
      holding: ratios.map(({ coordinate }, i) => `if (${isHeld(i)}) state.held[${coordinate}] = 1;`),
      remark: '',
    };
  }
  const [n, u] = [robot.coordinates.length, actuators.length];
  const named = actuators.map((i) => robot.actuators[i]!.name).join(', ');
  const columns = actuators.map((i, j) => each(n, `state.columns[${u} * i + ${j}] = state.B[${all} * i + ${i}]!;`));
  const left = undrivenCoordinates(
    robot,
    actuators.map((i) => robot.actuators[i]!),
  );
  const nothing = left.length > 0 ? `; nothing acts on ${left.join(', ')}` : '';
  const isSquare = n === u;
  // What is solved with row pivots is overwritten.
  const isApart = isPart || (isSquare && integral);
  const [B, share] = [isApart ? 'columns' : 'B', isPart ? 'share' : 'demand'];
  const k = Math.min(n, u);
  const solved = isSquare
    ? `solveSquare(${n}, state.${B}, state.${share})`
    : `dampedLeastSquares(${n}, ${u}, state.${B}, state.tau, 0, state.${share}, state.work)`;
  return {
    reads: true,
    working: [
      { name: 'B', size: n * all },
      ...(isApart ? [{ name: 'columns', size: n * u }] : []),
      ...(isPart ? [{ name: 'share', size: u }] : []),
      ...(isSquare ? [] : [{ name: 'work', size: k * (k + 1) }]),
    ],
    lines: [
      ...(straight
        ? demand(
            straight.call('actuation', staged === 'at the reference' ? ['y', 'state.rest'] : ['q', 'qd'], {
              B: 'state.B',
            }),
          )
        : [
            ...(staged === 'elsewhere' ? demand('robot.update(q, qd)') : []),
            ...demand('robot.actuation(null, null, null, state.B)'),
          ]),
      ...(isApart ? columns : []),
      ...(isSquare ? [each(n, `state.${share}[i] = state.tau[i]!;`)] : []),
      `if (!${solved}) return KG_SINGULAR;`,
      ...(isPart ? [each(all, 'state.demand[i] = 0;')] : []),
      ...(isPart ? actuators.map((i, j) => `state.demand[${i}] = state.share[${j}]!;`) : []),
      'return KG_OK;',
    ],
    holding: actuators.flatMap((i) => [
      `if (${isHeld(i)})`,
      `for (let j = 0; j < ${n}; j++) if (Math.abs(state.B[${all} * j + ${i}]!) > 0) state.held[j] = 1;`,
    ]),
    remark: `${isPart ? `; u of ${named} only` : ''}${isSquare ? '' : '; u the shortest that is nearest to it (least squares)'}${nothing}`,
  };
}

interface Motor {
  readonly coordinate: number;
  readonly ratio: number;
}

/** Where each coordinate has a motor of its own with a ratio that never changes; in the order of the actuators. */
function motorRatios({ coordinates, actuators }: Robot): readonly Motor[] | undefined {
  const motors = actuators.flatMap(({ terms }) => {
    const [term, ...others] = terms;
    if (term?.kind !== 'formula' || others.length > 0 || term.summands.length !== 1) return [];
    const [{ coefficient, value }] = term.summands as [(typeof term.summands)[0]];
    const coordinate = coordinates.findIndex(({ name }) => coordinateSymbol(name) === value);
    return coordinate < 0 || freeSymbols([coefficient]).length > 0
      ? []
      : [{ coordinate, ratio: foldConstant(coefficient) }];
  });
  const driven = new Set(motors.map(({ coordinate }) => coordinate));
  return motors.length === actuators.length && driven.size === coordinates.length && motors.length === driven.size
    ? motors
    : undefined;
}

function linearisation(robot: Robot, outputs: readonly number[], straight?: StraightCalls): LawText {
  const [n, u, m] = [robot.coordinates.length, robot.actuators.length, outputs.length];
  const column = (k: number): string => `state.B[${u} * i${outputs[k] === 0 ? '' : ` + ${outputs[k]!}`}]!`;
  // Rows of B' M^-1 B and of B' M^-1 n, output by output: the lower triangle is all that is read of the first.
  const rows = outputs.flatMap((output, k) => [
    `for (let j = 0; j <= ${k}; j++) {`,
    'let sum = 0;',
    each(n, `sum += ${column(k)} * state.solved[${n} * j + i]!;`),
    `state.coupling[${m * k} + j] = sum;`,
    '}',
    `state.right[${k}] = ydd[${k}]! + parameters.kd[${k}]! * (yd[${k}]! - state.yd[${output}]!) + parameters.kp[${k}]! * (y[${k}]! - state.y[${output}]!) - state.ydd0[${output}]!;`,
    each(n, `state.right[${k}] = state.right[${k}]! + ${column(k)} * state.solved[${n * m} + i]!;`),
  ]);
  const stagedTerms = [
    ...demand('robot.update(q, qd)'),
    ...demand('robot.actuation(state.y, state.yd, state.ydd0, state.B)'),
    ...demand('robot.activeInverseDynamics(state.rest, state.tau)'),
  ];
  const passive = passiveKinds(robot);
  const solvedWhole = [
    `if (!factorise(${n}, state.M)) return KG_SINGULAR;`,
    `for (let j = 0; j < ${m + 1}; j++) {`,
    each(n, `state.column[i] = state.columns[${n} * j + i]!;`),
    `solveFactored(${n}, state.M, state.column);`,
    each(n, `state.solved[${n} * j + i] = state.column[i]!;`),
    '}',
  ];
  return {
    purpose:
      "Partial feedback linearisation: (B' M^-1 B) u = v - ydd0 + B' M^-1 (c + g + elastic + damping) with v = ydd + kd (yd - rate) + kp (y - position) of the actuation coordinates, which then accelerate by v.",
    working: [
      { name: 'y', size: u },
      { name: 'yd', size: u },
      { name: 'ydd0', size: u },
      { name: 'B', size: n * u },
      { name: 'rest', size: n },
      { name: 'columns', size: n * (m + 1) },
      { name: 'solved', size: n * (m + 1) },
      { name: 'coupling', size: m * m },
      { name: 'right', size: m },
      { name: 'tau', size: n },
      ...(straight
        ? [{ name: 'M', size: n * n }, { name: 'column', size: n }, ...passive.map((name) => ({ name, size: n }))]
        : []),
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...(straight ? wholeTerms(robot, straight) : stagedTerms),
      `// Columns of B, and all forces but inertia: M^-1 of all of them with one factorisation.`,
      ...outputs.map((_, k) => each(n, `state.columns[${n * k} + i] = ${column(k)};`)),
      each(n, `state.columns[${n * m} + i] = state.tau[i]!;`),
      ...(straight ? solvedWhole : demand(`robot.solveMass(${m + 1}, state.columns, state.solved)`)),
      ...rows,
      `if (!factorise(${m}, state.coupling)) return KG_SINGULAR;`,
      `solveFactored(${m}, state.coupling, state.right);`,
      ...robot.actuators.map((_, i) => {
        const k = outputs.indexOf(i);
        return `state.demand[${i}] = ${k < 0 ? '0' : `state.right[${k}]!`};`;
      }),
      'return KG_OK;',
    ],
  };
}

const passiveKinds = (robot: Robot): ('elastic' | 'damping')[] =>
  (['elastic', 'damping'] as const).filter((kind) => forcesOf(robot)[kind]);

/** Actuation, `state.M`, and all forces but inertia in `state.tau`. */
function wholeTerms(robot: Robot, straight: StraightCalls): string[] {
  const n = robot.coordinates.length;
  const passive = passiveKinds(robot);
  const outputs = Object.fromEntries(passive.map((kind) => [kind, `state.${kind}`]));
  const forces = passive.map((kind) => ` + state.${kind}[i]!`).join('');
  return [
    ...demand(
      straight.call('actuation', ['q', 'qd'], { y: 'state.y', yd: 'state.yd', ydd0: 'state.ydd0', B: 'state.B' }),
    ),
    ...demand(straight.call('massMatrixAndForcing', ['q', 'qd'], { M: 'state.M', forcing: 'state.tau' })),
    ...(passive.length > 0 ? demand(straight.call('passiveForces', ['q', 'qd'], outputs)) : []),
    each(n, `state.tau[i] = -state.tau[i]!${forces};`),
  ];
}

/** The goal of a frame apart from the reference, and the logarithm of its pose seen from the frame. */
const GOAL: readonly string[] = [
  each(9, 'state.goalR[i] = y[i]!;'),
  each(3, 'state.goalT[i] = y[9 + i]!;'),
  'poseLogarithm(state.R, state.t, state.goalR, state.goalT, state.error);',
];
const GOAL_WORKING: readonly Working[] = [
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
const turned = (name: string, first: number, i: number, transposed = false): string =>
  [0, 1, 2].map((k) => `state.R[${transposed ? 3 * k + i : 3 * i + k}]! * state.${name}[${first + k}]!`).join(' + ');

function velocityForm(robot: Robot, frame: number, posture: boolean): LawText {
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

function torqueForm(robot: Robot, frame: number): LawText {
  const n = robot.coordinates.length;
  const { elastic } = forcesOf(robot);
  const distribution = distribute(robot, everyActuator(robot), false, 'there');
  return {
    purpose: `Impedance of the frame ${robot.frames[frame]!.name}: B u = J' w + g${elastic ? ' + elastic' : ''}, w the wrench of a spring with the energy 1/2 sum stiffness e^2 in the logarithm e of the reference seen from the frame, and of a damper on its velocity against that of the reference${distribution.remark}.`,
    working: [
      ...GOAL_WORKING,
      { name: 'velocity', size: 6 },
      { name: 'twist', size: 6 },
      { name: 'wrench', size: 6 },
      { name: 'bracket', size: 6 },
      { name: 'tau', size: n },
      ...(elastic ? [{ name: 'elastic', size: n }] : []),
      ...distribution.working,
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...demand('robot.update(q, qd)'),
      ...demand(`robot.frame(${frame}, state.R, state.t, null)`),
      ...demand(`robot.frameMotion(${frame}, state.velocity, null)`),
      ...demand(`robot.terms(null, state.tau, ${elastic ? 'state.elastic' : 'null'}, null)`),
      ...GOAL,
      'springWrench(state.error, parameters.stiffness, state.wrench, state.bracket);',
      each(3, 'state.twist[i] = yd[i]!;'),
      ...CARRIED,
      each(6, 'state.twist[i] = state.twist[i]! - state.velocity[i]!;'),
      ...[0, 1, 2, 3, 4, 5].map(
        (i) =>
          `state.wrench[${i}] = state.wrench[${i}]! + parameters.damping[${i}]! * (${turned('twist', i < 3 ? 0 : 3, i % 3, true)});`,
      ),
      ...(elastic ? [each(n, 'state.tau[i] = state.tau[i]! + state.elastic[i]!;')] : []),
      within('wrench', 6),
      within('tau', n),
      ...demand(`robot.externalInFrame(${frame}, state.wrench, state.tau)`),
      ...distribution.lines,
    ],
  };
}
