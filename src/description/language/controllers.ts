/** The structure of `controllers:`: every law is a key, of which a controller has one. */
import * as z from 'zod';
import { name, summary, value } from './schema-values.ts';

const gain = z.union([value, z.array(value).min(1)], { error: 'a value, or a list with one for each' });

const byCoordinate = z.strictObject({
  kp: gain.describe('of the error of coordinates'),
  kd: gain.describe('of the error of rates'),
  ki: gain.optional().describe('of the integral of the error, which takes a `period`'),
  period: value.optional().describe('time from one step to the next: 1 ms'),
});

const actuators = z.array(name).min(1).optional().describe('that have inputs; all when missing');

/** Axes of the world about and along which a frame moves, in the order of twists. */
export const AXES = ['about x', 'about y', 'about z', 'along x', 'along y', 'along z'] as const;

export const controller = z.strictObject({
  'computed-torque': byCoordinate
    .optional()
    .describe('linear dynamics of the error of every coordinate; an actuator for each'),
  pd: byCoordinate
    .extend({
      compensation: z
        .enum(['reference', 'state'])
        .optional()
        .describe('where gravity, springs and water are compensated; at the reference when missing'),
      actuators,
    })
    .optional()
    .describe('forces by errors, and what gravity and springs take'),
  'feed-forward': z
    .strictObject({ actuators })
    .optional()
    .describe('inputs that hold the robot at the reference by statics, whatever it does'),
  'partial-feedback-linearisation': z
    .strictObject({
      outputs: z.array(name).min(1).optional().describe('actuators whose coordinates follow; all when missing'),
      kp: gain.describe('of the error of actuation coordinates, 1/s^2'),
      kd: gain.describe('of the error of their rates, 1/s'),
    })
    .optional()
    .describe('linear dynamics of the error of actuation coordinates'),
  'task-space': z
    .strictObject({
      frame: name.describe('link or frame that is led'),
      form: z
        .enum(['velocity', 'torque', 'acceleration'])
        .describe('rates of coordinates, a spring and a damper at the frame, or linear dynamics of its error'),
      gain: gain.optional().describe('velocity: of the error of the pose, 1/s'),
      stiffness: gain.optional().describe('torque: [N m/rad, …, N/m, …] about and along the axes of the frame'),
      damping: gain
        .optional()
        .describe('torque: [N m s/rad, …, N s/m, …]; velocity, acceleration: near singular configurations, one number'),
      axes: z
        .array(z.enum(AXES))
        .min(1)
        .optional()
        .describe('acceleration: of the world, that are led; all when missing'),
      kp: gain.optional().describe('acceleration: of the error of the pose, 1/s^2'),
      kd: gain.optional().describe('acceleration: of the error of the twist, 1/s'),
      actuators,
      posture: name.optional().describe('named state that coordinates tend to as the frame lets them'),
      'posture-gain': gain.optional().describe('velocity: of that, 1/s'),
      'posture-kp': gain.optional().describe('acceleration: of the error of coordinates, 1/s^2'),
      'posture-kd': gain.optional().describe('acceleration: of their rates, 1/s'),
    })
    .optional()
    .describe('a frame follows a pose'),
  summary: summary.optional(),
});

export type RawTaskSpace = NonNullable<z.infer<typeof controller>['task-space']>;
export type RawController = z.infer<typeof controller>;
export type RawGain = z.infer<typeof gain>;
export type RawByCoordinate = z.infer<typeof byCoordinate>;
