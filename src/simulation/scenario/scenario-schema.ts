/**
 * The structure of a scenario file: which keys there are and what shape their values have. Meaning (names, units, formulas)
 * is checked in `scenario.ts`.
 */
import * as z from 'zod';
import { name, summary, value } from '../../description/language/schema-values.ts';
import type { FileKind } from '../../description/language/structure.ts';
import { EXPECTATION_KINDS } from './expectation.ts';

const signal = z.union(
  [
    value,
    z.strictObject({
      table: z.array(z.array(value).length(2)).min(1).describe('[time, value], straight lines between them'),
    }),
    z.strictObject({
      csv: z.string().describe('path of a CSV file with a line of names, relative to this file'),
      column: z.string().optional().describe('the name of the driven coordinate or actuator when missing'),
      time: z.string().optional().describe('name of the column of times in s, `t` when missing'),
    }),
  ],
  { error: 'a formula of the time t in s, { table: [[time, value], …] } or { csv: FILE }' },
);

const signals = z.record(name, signal);

/** A controller at work: how often, and by which measurements. */
const controlled = z.strictObject({
  name,
  period: value.optional().describe('inputs are held in between'),
  encoders: z
    .int()
    .min(4)
    .max(32)
    .optional()
    .describe('bits per turn with which angles are measured; exactly when missing'),
  lost: z
    .array(z.strictObject({ coordinate: z.string(), from: value, to: value }))
    .min(1)
    .optional()
    .describe('when measurements of a coordinate are not numbers'),
});

/** What drives the robot, from the start or from a later time on. */
const driven = {
  inputs: signals.optional().describe('of actuators, by name; zero when missing'),
  controller: z
    .union([name, controlled], {
      error: 'the name of a controller of the robot, or { name: …, period: 1 ms }',
    })
    .optional()
    .describe('the source of the inputs of its actuators'),
  reference: z
    .record(
      name,
      z.union(
        [
          value,
          z.strictObject({ waypoints: z.array(z.array(value).length(2)).min(1) }),
          z.strictObject({
            spline: z
              .union([z.array(z.array(value).length(2)).min(1), z.string()], {
                error: 'a list of [time, value], or the path of a CSV file',
              })
              .describe('[time, value], or the path of a CSV file with a line of names, relative to this file'),
            column: z.string().optional().describe('of the file; the name of the reference when missing'),
            time: z.string().optional().describe('of the file: name of the column of times in s, `t` when missing'),
          }),
        ],
        { error: 'a formula of the time t in s, { waypoints: [[time, value], …] } or { spline: FILE }' },
      ),
    )
    .optional()
    .describe('the goal of the controller, by name; the value at the start when missing'),
};
const position = z.array(value).length(3);

const path = z.strictObject({
  csv: z.string().describe('positions of the frame in another run, relative to this file'),
  columns: z
    .tuple([z.string(), z.string(), z.string()])
    .optional()
    .describe('of its position; `FRAME x`, `FRAME y`, `FRAME z` when missing'),
  over: value.describe('length by which distances are divided'),
  largest: value.optional(),
  mean: value.optional(),
});

const scenarioFile = z
  .strictObject({
    'kanegen-scenario': z.literal(1).describe('version of the format'),
    summary: summary.optional(),
    robot: z.string().describe('path of the robot file, relative to this file'),
    set: z.record(name, value).optional().describe('values of parameters instead of those in the robot file'),
    keep: z.array(name).optional().describe('parameters that stay run-time inputs of the compiled robot, for sweeps'),
    initial: z
      .union(
        [
          name,
          z.strictObject({
            state: name.optional().describe('a named state of the robot; its defaults when missing'),
            coordinates: z.record(z.string(), value).optional().describe('by name, instead of those of the state'),
            rates: z.record(z.string(), value).optional().describe('by name; zero when missing'),
            hold: z
              .array(z.string())
              .min(1)
              .optional()
              .describe(
                'coordinates, or links with all of theirs, that stay as they are while loops close and equilibria are sought',
              ),
            equilibrium: z
              .literal(true)
              .optional()
              .describe('the motion begins in the equilibrium nearby, under what acts at the start'),
            exact: z.literal(true).optional().describe('taken as it is, though loops of the robot may be open there'),
          }),
        ],
        { error: 'the name of a state of the robot, or { state: …, coordinates: { … }, rates: { … } }' },
      )
      .optional()
      .describe('a named state at rest, or { state, coordinates, rates }; the defaults at rest when missing'),
    start: value.optional().describe('time at the beginning, 0 s when missing'),
    duration: value.optional().describe('of the motion'),
    statics: z
      .literal(true)
      .optional()
      .describe(
        'in place of a duration: the equilibrium under what acts at the start; initial coordinates begin the search',
      ),
    ...driven,
    observer: z
      .union(
        [
          name,
          z.strictObject({
            name,
            coordinates: z
              .record(z.string(), value)
              .optional()
              .describe('that its estimate begins with, by name, instead of those of the robot file'),
            seed: z.int().min(0).optional().describe('of the noise of its measurements; 1 when missing'),
          }),
        ],
        { error: 'the name of an observer, or { name, coordinates, seed }' },
      )
      .optional()
      .describe('observer of the robot whose estimate controllers are given in place of the state'),
    model: z
      .union([z.string(), z.strictObject({ robot: z.string(), set: z.record(name, value).optional() })], {
        error: 'the path of a robot file, or { robot: FILE, set: { … } }',
      })
      .optional()
      .describe('robot file that controllers compute with, relative to this file; the robot itself when missing'),
    phases: z
      .array(z.strictObject({ from: value.describe('time, until the next phase or the end'), ...driven }))
      .min(1)
      .optional()
      .describe('inputs, controllers and references from later times on, instead of the earlier ones'),
    forces: signals.optional().describe('generalized forces by coordinate, N or N m'),
    loads: z
      .record(
        name,
        z.strictObject({
          force: z.array(signal).length(3).optional().describe('N, at the origin of the frame'),
          moment: z.array(signal).length(3).optional().describe('N m'),
          axes: z
            .enum(['world', 'frame'])
            .optional()
            .describe('world when missing; loads in axes of the frame follow it'),
        }),
      )
      .optional()
      .describe('by frame'),
    integrator: z
      .strictObject({
        method: z
          .enum(['extrapolation', 'rosenbrock', 'implicit-euler', 'generalized-alpha'])
          .optional()
          .describe(
            'extrapolation (not stiff), rosenbrock (stiff), implicit-euler and generalized-alpha (fixed steps)',
          ),
        tolerance: value
          .optional()
          .describe(
            'error of a step, relative to coordinates and rates, 1e-8 when missing; for generalized-alpha of the corrections of Newton’s method, 1e-11 when missing',
          ),
        step: value.optional().describe('of implicit-euler and generalized-alpha'),
        'spectral-radius': value
          .optional()
          .describe('of generalized-alpha, 0 … 1: the factor of the highest frequencies in a step; 0.8 when missing'),
        newmark: value
          .optional()
          .describe('γ of Newmark’s steps in place of generalised α, ½ … 1, β = ¼ (γ + ½)²; 1/2 damps nothing'),
        exact: z
          .boolean()
          .optional()
          .describe('of generalized-alpha: factors of the tangent anew for every correction; false when missing'),
        'most-steps': z.int().min(1).max(1e9).optional().describe('limit of steps of a run, 1,000,000 when missing'),
      })
      .optional(),
    outputs: z
      .strictObject({
        every: value.optional().describe('time between two lines of the result, 1/200 of the duration when missing'),
        frames: z.array(name).optional().describe('frames with their positions; the tip when missing'),
      })
      .optional(),
    events: z
      .record(
        name,
        z.strictObject({
          coordinate: z.string().optional(),
          frame: name.optional(),
          axis: z.enum(['x', 'y', 'z']).optional().describe('of the position of the frame'),
          reaches: value,
          stop: z.boolean().optional().describe('end the run there; the event must then occur'),
        }),
      )
      .optional()
      .describe('when a coordinate or the position of a frame reaches a value'),
    expect: z
      .array(
        z.strictObject({
          at: value.optional().describe('time; the end when missing'),
          coordinates: z.record(z.string(), value).optional(),
          rates: z.record(z.string(), value).optional(),
          frames: z.record(name, position).optional().describe('positions of frames by name, world axes'),
          estimates: z.record(z.string(), value).optional().describe('coordinates by name, as the observer has them'),
          actuators: z.record(name, value).optional().describe('actuation coordinates by name'),
          contacts: z
            .record(z.string(), z.strictObject({ gap: value.optional(), force: z.array(value).length(3).optional() }))
            .optional()
            .describe('by pair: gap, and force on the moving or first body, world axes'),
          multipliers: z
            .record(z.string(), value)
            .optional()
            .describe('with `statics`: forces or moments of rows of loops, by name: `pin.x`'),
          balance: value.optional().describe('largest defect of the balance of energy in the results up to then, J: 0'),
          paths: z
            .record(name, path)
            .optional()
            .describe('largest and mean distance of frames from those of another run, in the results up to then'),
          equilibrium: z.literal('none').optional().describe('with `statics`: there is no equilibrium'),
          within: value.optional().describe('largest difference allowed, in SI units'),
          source: z.string().describe('where the values come from'),
          kind: z.enum(EXPECTATION_KINDS).optional().describe('kind of the source'),
          'not-met': z
            .string()
            .min(1)
            .optional()
            .describe('why the run does not give these values: the difference is shown and does not fail the run'),
        }),
      )
      .optional(),
  })
  .describe('A motion or an equilibrium of a robot for kanegen: initial state, inputs, expected results.');

export type ScenarioFile = z.infer<typeof scenarioFile>;
export type RawSignal = z.infer<typeof signal>;
export type RawPath = z.infer<typeof path>;
export type RawDriven = Pick<ScenarioFile, keyof typeof driven>;

export const SCENARIO_FILE: FileKind<ScenarioFile> = {
  schema: scenarioFile,
  name: 'scenario file',
  version: 'kanegen-scenario',
  maps: {
    start:
      'it is the time at the beginning, `start: 0 s`; the state there is `initial: { coordinates: { … }, rates: { … } }`',
  },
};
