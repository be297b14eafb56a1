/** What stands at the head of the modules of a controller. */
import { costText } from '../printing/cost-text.ts';
import { stumpffTops } from '../programs/statement.ts';
import { provenance } from '../modules/header.ts';
import { commentText, wrapped } from '../naming/identifiers.ts';
import { readsAccelerations, type ControllerModel } from './controller-model.ts';
import type { ObserverModel } from './observer-model.ts';
import type { OperationCounts } from '../operations/operation-counts.ts';

export function controllerHeader({
  controller,
  robot,
  purpose,
  references,
  outputs,
  isRate,
  straight,
  shared,
  cost,
}: ControllerModel): readonly string[] {
  const summary = commentText(controller.summary);
  const list = (all: typeof references): string[] =>
    all.map(({ name, unit }, i) => `  [${i}] ${commentText(name)} [${commentText(unit)}]`);
  return [
    ...wrapped(
      `Controller ${commentText(controller.name)} of the robot ${commentText(robot.robot.name)}${summary ? `: ${summary}` : ''}.`,
      110,
    ),
    ...provenance(robot),
    '',
    ...wrapped(purpose, 110),
    '',
    ...(references.length > 0
      ? ['References y, with their rates yd and second derivatives ydd:', ...list(references)]
      : [
          'Reference: y, the pose of the goal, its rotation (9 numbers, row by row) and its origin (3, m), world axes;',
          `yd, its angular velocity (3, rad/s) and the velocity of its origin (3, m/s), world axes; ${readsAccelerations(controller) ? 'ydd,' : 'ydd is not read.'}`,
          ...(readsAccelerations(controller)
            ? ['the derivatives of yd: angular acceleration (3, rad/s^2), acceleration of the origin (3, m/s^2).']
            : []),
        ]),
    isRate ? 'Rates u of the coordinates, within their limits:' : 'Inputs u, within their limits:',
    ...list(outputs),
    '',
    ...wrapped(
      `A step costs at most ${costText(cost)}, sequencing not counted, ${however(cost)}. No heap; one state for every thread or time line.`,
      110,
    ),
    ...(straight || shared
      ? wrapped(
          'The dynamics are straight-line functions, of this module or of that which several controllers share, which cost less here than the driver: of the robot its parameters alone are read (in C, the workspace may be NULL).',
          110,
        )
      : []),
  ];
}

/** What stands at the head of the modules of its shell. */
export function shellHeader({ controller, robot, shell, outputs }: ControllerModel): readonly string[] {
  const { rates, fault } = shell!.shell;
  const source = {
    measured: 'rates as they are measured (qd)',
    'filtered-difference': 'rates by filtered differences of the positions (qd is not read)',
    'tracking-loop': 'positions and rates by a loop that follows the positions (qd is not read)',
  }[rates.kind];
  const safe =
    'controller' in fault
      ? `inputs of the controller ${commentText(fault.controller)}: they carry the robot and brake it`
      : fault.steps > 0
        ? `inputs as they were for ${fault.steps} steps, then zero`
        : 'zero';
  return [
    ...wrapped(
      `Shell of the controller ${commentText(controller.name)} of the robot ${commentText(robot.robot.name)}.`,
      110,
    ),
    ...provenance(robot),
    '',
    ...wrapped(
      'States off, hold, blend, run and fault around the law. It begins where the robot is, keeps inputs and their rates within limits, and stops what cannot go on: numbers that are none, times that are no period, coordinates and rates beyond their limits, laws without a result.',
      110,
    ),
    '',
    ...wrapped(`Law: ${source}. At a fault: ${safe}.`, 110),
    'Inputs u:',
    ...outputs.map(({ name, unit }, i) => `  [${i}] ${commentText(name)} [${commentText(unit)}]`),
    '',
    ...wrapped(
      `A step costs at most ${costText(shell!.cost)}, the law included, sequencing not counted. No heap.`,
      110,
    ),
  ];
}

/** What stands at the head of the modules of an observer. */
export function observerHeader({ observer, robot, measured, cost }: ObserverModel): readonly string[] {
  const summary = commentText(observer.summary);
  const { coordinates, actuators } = robot.robot;
  const list = (all: readonly { readonly name: string; readonly unit: string }[]): string[] =>
    all.map(({ name, unit }, i) => `  [${i}] ${commentText(name)} [${commentText(unit)}]`);
  return [
    ...wrapped(
      `Observer ${commentText(observer.name)} of the robot ${commentText(robot.robot.name)}${summary ? `: ${summary}` : ''}.`,
      110,
    ),
    ...provenance(robot),
    '',
    ...wrapped(
      "Extended Kalman filter of the coordinates and rates: a linearly implicit Euler step of the dynamics with its tangent, the covariance as U D U', the measurements one after the other.",
      110,
    ),
    '',
    'Measurements z; what is not finite is left out:',
    ...list(measured),
    ...(actuators.length > 0 ? ['Inputs u that acted since the last step:', ...list(actuators)] : []),
    'Estimates q, and their rates qd:',
    ...list(coordinates),
    '',
    ...wrapped(
      `A step costs at most ${costText(cost)}, sequencing not counted, ${however(cost)}. No heap. It stages states in the workspace of the robot.`,
      110,
    ),
  ];
}

/** Where the cost holds: beyond the ranges of their polynomials, Stumpff functions are computed in other ways. */
function however(cost: OperationCounts): string {
  return stumpffTops(cost).length > 0
    ? 'while no body bends by more than half a turn over what a Stumpff function is of; beyond, these cost sines, cosines and more, the same however far it bends'
    : 'whatever the state';
}
