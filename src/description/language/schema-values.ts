/** Shapes of the values that keys of robot files take: the fragments that the schema is made of. */
import * as z from 'zod';

export const FORMULA = 'a number, "NUMBER UNIT" or a formula';

/** A bare number in SI, "NUMBER UNIT", or a formula. */
export const value = z
  .union([z.number(), z.string()], { error: FORMULA })
  .describe('bare number (SI), "NUMBER UNIT", or formula');
export const vector = z
  .union([z.string(), z.array(value).length(3)], { error: 'three rows or a vector formula' })
  .describe('three values, or one formula such as "[x, y, 0]"');
export const pair = z.array(value).length(2);
export const summary = z.string().describe('one line for readers of the generated code');
export const name = z.string();

export const pose = z
  .strictObject({
    xyz: vector.optional().describe('origin'),
    rpy: vector.optional().describe('R = Rz(yaw) Ry(pitch) Rx(roll), given as [roll, pitch, yaw]'),
    quaternion: z.array(value).length(4).optional().describe('[w, x, y, z], normalised'),
    matrix: z
      .array(z.union([z.string(), z.array(value)]))
      .optional()
      .describe('rotation 3 x 3 by rows, or a whole pose 4 x 4'),
    dh: z
      .strictObject({ a: value.optional(), d: value.optional(), alpha: value.optional(), theta: value.optional() })
      .optional()
      .describe('standard Denavit-Hartenberg: Rz(theta) Tz(d) Tx(a) Rx(alpha)'),
    'modified-dh': z
      .strictObject({ a: value.optional(), alpha: value.optional(), d: value.optional(), theta: value.optional() })
      .optional()
      .describe("Craig's convention: Rx(alpha) Tx(a) Tz(d) Rz(theta)"),
  })
  .describe('a frame seen from another one');
