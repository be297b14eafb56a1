/** The structure of `loops:`: every kind of loop is a key, of which a loop has one. */
import * as z from 'zod';
import { formulaFrames, placedKeys } from './actuators.ts';
import { name, summary, value } from './schema-values.ts';

const loopEnd = z
  .union([name, z.strictObject(placedKeys)], {
    error: 'a frame, or { on: NAME, at: [x, y, z], offset: { rpy: […] } }',
  })
  .describe('a frame of the robot, `base`, or a place on one of them');

const axis = z.enum(['x', 'y', 'z']);
const rows = z
  .array(z.string())
  .min(1)
  .describe('the rows that are closed, all when missing: [x, y] of a pin in a plane');

const parts = z.strictObject({
  translation: value.optional().describe('of rows that are places'),
  rotation: value.optional().describe('of rows that are turns'),
});
const yields = z.union([value, parts], { error: 'a value, or { translation: VALUE, rotation: VALUE } of a joint' });

const ends = { a: loopEnd, b: loopEnd, rows: rows.optional() };
const joint = z.strictObject(ends);
const joints = {
  weld: joint.optional().describe('both frames are one'),
  spherical: joint.optional().describe('both origins are one'),
  revolute: z
    .strictObject({ ...ends, axis: axis.describe('common axis of both frames') })
    .optional()
    .describe('b turns about an axis of a'),
  prismatic: z
    .strictObject({ ...ends, axis })
    .optional()
    .describe('b slides along an axis of a, in the same axes'),
  cylindrical: z
    .strictObject({ ...ends, axis })
    .optional()
    .describe('b turns about an axis of a and slides along it'),
  universal: z
    .strictObject({ ...ends, axes: z.array(axis).length(2).describe('of a and of b: they stay perpendicular') })
    .optional()
    .describe('both origins are one, and an axis of a stays perpendicular to one of b'),
  'point-on-line': z
    .strictObject({ ...ends, axis })
    .optional()
    .describe('the origin of b stays on an axis of a'),
  'point-on-plane': z
    .strictObject({ ...ends, axis: axis.describe('normal of the plane') })
    .optional()
    .describe('the origin of b stays in a plane through the origin of a'),
};

export const loop = z.strictObject({
  ...joints,
  distance: z
    .strictObject({
      ...ends,
      length: value,
      unilateral: z.boolean().optional().describe('a rope: the origins are that far apart at most'),
    })
    .optional()
    .describe('the origins stay a length apart: a rod of no mass, a taut cable'),
  'length-of': z
    .strictObject({
      actuator: name,
      length: value.optional().describe('of a tendon, a formula of t'),
      value: value.optional().describe('of the actuation coordinate of any other actuator, a formula of t'),
    })
    .optional()
    .describe('the coordinate of an actuator is held, or follows the time'),
  constraint: value
    .optional()
    .describe('a formula of coordinates, frames and t that stays zero: "arm.q1 - 2*arm.q2", "crank.q - 2*pi*t"'),
  compliance: yields
    .optional()
    .describe('how far a row gives way per unit of its multiplier: 1e-7 m/N; rows without one are rigid'),
  damping: yields.optional().describe('of rows that give way: force per rate, 20 N s/m'),
  frames: formulaFrames.optional().describe('frames that `constraint` names beside those of the robot'),
  summary: summary.optional(),
});

export type RawLoop = z.infer<typeof loop>;
export type RawLoopEnd = z.infer<typeof loopEnd>;
