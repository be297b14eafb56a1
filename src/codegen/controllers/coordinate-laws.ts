/** Laws that lead every coordinate: computed torque, PD, statics alone. */
import type { ControlLaw } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import { forcesOf, waterOf } from '../../description/model/what-acts.ts';
import { distribute, everyActuator, tauOf, type Distribution } from './distribution.ts';
import { demand, each, within, type LawText } from './law-text.ts';
import type { StraightCalls } from './straight-calls.ts';

const INTEGRAL = ' + parameters.ki[i]! * state.integral[i]!';

export function computedTorque(robot: Robot, integral: boolean, straight?: StraightCalls): LawText {
  const n = robot.coordinates.length;
  const { elastic, damping } = forcesOf(robot);
  const fluid = waterOf(robot).forces;
  const hasForces = elastic || damping || fluid;
  const distribution = distribute(robot, everyActuator(robot), integral, 'there', straight);
  const tau = `state.${distribution.forces}`;
  const staged = [...demand('robot.update(q, qd)'), ...demand(`robot.activeInverseDynamics(state.v, ${tau})`)];
  const atOnce = hasForces || distribution.reads ? staged : demand(`robot.inverseDynamicsAt(q, qd, state.v, ${tau})`);
  const whole = hasForces ? 'activeInverseDynamics' : 'inverseDynamics';
  const forces = straight
    ? demand(straight.call(whole, ['q', 'qd', 'state.v'], { tau }, distribution.reads))
    : [within('v', n), ...atOnce];
  const sum = `ydd[i]! + parameters.kd[i]! * (yd[i]! - qd[i]!) + parameters.kp[i]! * (y[i]! - q[i]!)${integral ? INTEGRAL : ''}`;
  return {
    purpose: `Computed torque: B u = M v + c + g${elastic ? ' + elastic' : ''}${damping ? ' + damping' : ''}${fluid ? ' + fluid' : ''} with v = ydd + kd (yd - qd) + kp (y - q)${integral ? ' + ki integral of (y - q)' : ''}${distribution.remark}.`,
    working: [{ name: 'v', size: n }, ...tauOf(distribution, n), ...distribution.working],
    lines: ['let status: Status = KG_OK;', each(n, `state.v[i] = ${sum};`), ...forces, ...distribution.lines],
    holding: distribution.holding,
  };
}

export function proportional(
  robot: Robot,
  law: Extract<ControlLaw, { kind: 'pd' }>,
  straight?: StraightCalls,
): LawText {
  const { integral, compensation, actuators } = law;
  const atState = compensation === 'state';
  const n = robot.coordinates.length;
  const { elastic } = forcesOf(robot);
  const fluid = waterPushes(robot);
  const held = ['gravity', ...(elastic ? ['springs'] : []), ...(fluid ? ['water'] : [])];
  const distribution = distribute(robot, actuators, integral, atState ? 'there' : 'elsewhere', straight);
  const tau = `state.${distribution.forces}`;
  const sum = `parameters.kp[i]! * (y[i]! - q[i]!) + parameters.kd[i]! * (yd[i]! - qd[i]!) + ${tau}[i]!${elastic ? ' + state.elastic[i]!' : ''}${fluid ? ' + state.fluid[i]!' : ''}${integral ? INTEGRAL : ''}`;
  return {
    purpose: `PD with compensation: B u = kp (y - q) + kd (yd - qd) + g${elastic ? ' + elastic' : ''}${fluid ? ' + fluid' : ''}${integral ? ' + ki integral of (y - q)' : ''}, ${held.join(' and ')} at the ${compensation}${fluid ? ' at rest' : ''}${distribution.remark}.`,
    working: [
      { name: 'rest', size: n },
      ...tauOf(distribution, n),
      ...(elastic ? [{ name: 'elastic', size: n }] : []),
      ...(fluid ? [{ name: 'fluid', size: n }] : []),
      ...distribution.working,
    ],
    lines: [
      'let status: Status = KG_OK;',
      `// What holds the robot ${atState ? 'where it is' : 'at the reference'}.`,
      ...statics(robot, atState ? 'q' : 'y', distribution, straight),
      each(n, `${tau}[i] = ${sum};`),
      ...distribution.lines,
    ],
    holding: distribution.holding,
  };
}

/** Does added mass have forces on a robot at rest, which stand in c: is there a current past it? */
const isTowed = (robot: Robot): boolean => waterOf(robot).addedMass && robot.current !== undefined;

const waterPushes = (robot: Robot): boolean => waterOf(robot).forces || isTowed(robot);

/**
 * Forces at rest at a configuration: those of gravity and of added mass in a current where the distribution takes forces,
 * `state.elastic`, `state.fluid` where there are any.
 */
function statics(
  robot: Robot,
  at: 'q' | 'y',
  { forces, reads }: Distribution,
  straight: StraightCalls | undefined,
): string[] {
  const { elastic } = forcesOf(robot);
  const tau = `state.${forces}`;
  if (straight)
    return [
      ...demand(straight.call('gravity', [at], { g: tau }, reads)),
      ...(elastic
        ? demand(straight.call('passiveForces', [at, 'state.rest'], { elastic: 'state.elastic' }, reads))
        : []),
    ];
  return [
    ...demand(`robot.update(${at}, state.rest)`),
    ...demand(
      `robot.terms(${isTowed(robot) ? 'state.fluid' : 'null'}, ${tau}, ${elastic ? 'state.elastic' : 'null'}, null)`,
    ),
    ...(isTowed(robot) ? [each(robot.coordinates.length, `${tau}[i] = ${tau}[i]! + state.fluid[i]!;`)] : []),
    ...(waterPushes(robot) ? demand('robot.fluid(state.fluid)') : []),
  ];
}

export function feedForward(robot: Robot, actuators: readonly number[], straight?: StraightCalls): LawText {
  const n = robot.coordinates.length;
  const { elastic } = forcesOf(robot);
  const fluid = waterPushes(robot);
  const distribution = distribute(robot, actuators, false, 'at the reference', straight);
  const tau = `state.${distribution.forces}`;
  const parts = [...(elastic ? ['elastic'] : []), ...(fluid ? ['fluid'] : [])];
  return {
    purpose: `Feed-forward from statics: B u = g${parts.map((part) => ` + ${part}`).join('')}, all at the reference at rest${distribution.remark}. The state of the robot is not read.`,
    working: [
      ...['rest', ...parts].map((name) => ({ name, size: n })),
      ...tauOf(distribution, n),
      ...distribution.working,
    ],
    lines: [
      'let status: Status = KG_OK;',
      ...statics(robot, 'y', distribution, straight),
      ...parts.map((part) => each(n, `${tau}[i] = ${tau}[i]! + state.${part}[i]!;`)),
      ...distribution.lines,
    ],
  };
}
