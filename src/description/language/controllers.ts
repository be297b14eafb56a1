/** The structure of `controllers:`, where every law is a key, of which a controller has one, and of `observers:`. */
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

const shell = z.strictObject({
  period: value.describe('time from one step to the next: 1 ms; a step after ten of it, or none, is a fault'),
  rate: gain.describe('largest rate of the inputs: N m/s'),
  blend: value.describe('time of the way from where the robot is to the reference: 1 s'),
  jerk: gain.optional().describe('largest third derivative of that way, which takes longer where it has to'),
  speed: gain.optional().describe('largest rate of coordinates; that of the drives when missing'),
  velocity: z
    .union([
      z.literal('measured'),
      z.strictObject({ 'filtered-difference': value.describe('time of the filter: 5 ms') }),
      z.strictObject({ 'tracking-loop': value.describe('bandwidth: 100 1/s') }),
    ])
    .optional()
    .describe('where rates come from: `measured` when missing, or from positions alone'),
  fault: z
    .union([
      z.literal('zero'),
      z.strictObject({ hold: z.int().min(1).describe('steps') }),
      z.strictObject({ 'gravity-and-damping': gain.describe('N m s/rad') }),
    ])
    .optional()
    .describe(
      'inputs at a fault: zero (when missing), as they were for some steps and then zero, or what carries the robot and brakes it',
    ),
  observe: value.optional().describe('bandwidth with which generalized forces from outside are found: 30 1/s'),
  tolerate: z
    .int()
    .min(0)
    .max(1000)
    .optional()
    .describe('consecutive steps that may pass without a usable measurement; 2 when missing'),
});

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
  shape: z
    .strictObject({
      kp: gain.describe('of the error of the tensions: a plain number, or N/m of a rod with further coordinates'),
      kd: gain.describe('of the error of their rates: s, or N s/m'),
      actuators,
    })
    .optional()
    .describe(
      'tensions of the equilibrium that is the shape, and errors of the shape; of actuators that `drives` tensions',
    ),
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
      least: z
        .enum(['accelerations', 'inputs'])
        .optional()
        .describe(
          'acceleration: what is smallest among all answers; accelerations when missing where each coordinate has an actuator, otherwise inputs',
        ),
      posture: name.optional().describe('named state that coordinates tend to as the frame lets them'),
      'posture-gain': gain.optional().describe('velocity: of that, 1/s'),
      'posture-kp': gain.optional().describe('acceleration: of the error of coordinates, 1/s^2'),
      'posture-kd': gain.optional().describe('acceleration: of their rates, 1/s'),
    })
    .optional()
    .describe('a frame follows a pose'),
  shell: shell.optional().describe('states, faults and limits around the law'),
  summary: summary.optional(),
});

const measurement = z.strictObject({
  actuator: name.optional().describe('whose coordinate is measured: a length, a volume, an angle'),
  position: name.optional().describe('frame or link whose position is measured, world axes'),
  rotation: name.optional().describe('frame or link whose rotation is measured'),
  coordinate: z.string().optional().describe('coordinate of the robot that is measured, such as a strain'),
  rate: z.string().optional().describe('coordinate whose rate is measured'),
  axes: z
    .array(z.enum(['x', 'y', 'z']))
    .min(1)
    .optional()
    .describe('of a position; all when missing'),
  noise: value.describe('standard deviation of each number'),
});

export const observer = z.strictObject({
  kalman: z
    .strictObject({
      period: value.describe('time from one step to the next: 2 ms'),
      measurements: z.array(measurement).min(1).describe('what is measured, in the order of z'),
      process: gain.describe('standard deviation of generalized forces that the model lacks: 0.1 N m'),
      uncertainty: gain.describe('standard deviation of the coordinates at the start'),
      'rate-uncertainty': gain.optional().describe('of their rates; zero when missing'),
      start: name.optional().describe('named state that it starts from; the defaults when missing'),
    })
    .describe('an extended Kalman filter of coordinates and rates'),
  summary: summary.optional(),
});

export type RawObserver = z.infer<typeof observer>;
export type RawShell = NonNullable<z.infer<typeof controller>['shell']>;
export type RawTaskSpace = NonNullable<z.infer<typeof controller>['task-space']>;
export type RawController = z.infer<typeof controller>;
export type RawGain = z.infer<typeof gain>;
export type RawByCoordinate = z.infer<typeof byCoordinate>;
