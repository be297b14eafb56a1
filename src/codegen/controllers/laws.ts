/**
 * The laws of controllers, each written once, as a function of the part of TypeScript in `subset.ts`: it stands like that in
 * the TypeScript module, and C is translated from it. A law demands inputs of the actuators; what a step does besides
 * (which numbers can be used, limits, integrals) is the same for all (`controller-model.ts`).
 */
import type { Controller, ControlLaw } from '../../description/model/controller.ts';
import type { Robot } from '../../description/model/robot.ts';
import { linearisation, shape } from './actuation-laws.ts';
import { computedTorque, feedForward, proportional } from './coordinate-laws.ts';
import { torqueForm, velocityForm } from './frame-laws.ts';
import type { LawText } from './law-text.ts';
import { accelerationForm } from './operational-space.ts';
import type { StraightCalls } from './straight-calls.ts';

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
    case 'shape':
      return shape(robot, law);
    case 'partial-feedback-linearisation':
      return linearisation(robot, law.outputs, straight);
    case 'task-space':
      return frameLaw(robot, law);
  }
}

function frameLaw(robot: Robot, law: Extract<ControlLaw, { kind: 'task-space' }>): LawText {
  switch (law.form) {
    case 'velocity':
      return velocityForm(robot, law.frame, law.posture);
    case 'torque':
      return torqueForm(robot, law.frame);
    case 'acceleration':
      return accelerationForm(robot, law);
  }
}
