/** The structure of `water:`. */
import * as z from 'zod';
import { name, value, vector } from './schema-values.ts';

const matrix = z.union([z.array(value).length(6), z.array(z.array(value).length(6)).length(6)], {
  error: 'six numbers of a diagonal, or six rows of six: moment and force by angular velocity and velocity',
});

const rigidWater = z
  .strictObject({
    volume: value.optional().describe('of the displaced water, for buoyancy'),
    centre: vector.optional().describe('of buoyancy, proximal frame; its origin when missing'),
    at: vector.optional().describe('point at which the matrices act, proximal frame; its origin when missing'),
    drag: matrix.optional().describe('times |v| and the twist against the water'),
    'linear-drag': matrix.optional().describe('times the twist'),
    'added-mass': matrix.optional().describe('symmetric'),
  })
  .describe('rigid bodies: matrices in proximal axes, angular part first');

const oneWater = z
  .strictObject({
    density: value,
    on: z
      .union([name, z.array(name).min(1)], { error: 'the name of a link, or several' })
      .optional()
      .describe('links in the water, repeated ones by their common name; all deformable ones when missing'),
    drag: z
      .strictObject({
        normal: value.describe('C_n'),
        tangential: value.optional().describe('C_t, 0 by default'),
        lift: value.optional().describe('C_l: across the axis and the velocity; 0 by default'),
        form: z
          .enum(['separate', 'common'])
          .optional()
          .describe('|v_n| v_n and |v_t| v_t, the default; or |v| v_n and |v| v_t'),
      })
      .optional()
      .describe('quadratic drag'),
    'linear-drag': z
      .strictObject({ normal: value, tangential: value.optional() })
      .optional()
      .describe('forces per length and velocity, Pa s'),
    buoyancy: z.boolean().optional().describe('true by default'),
    'added-mass': z
      .union(
        [
          value,
          z.strictObject({
            coefficient: value,
            form: z.string().optional().describe('lagrange, the default, or normal-acceleration'),
          }),
        ],
        { error: 'a coefficient, or { coefficient: …, form: lagrange }' },
      )
      .optional()
      .describe('C_a: 1 for a cylinder'),
    current: vector.optional().describe('velocity of the water, world axes; may depend on run-time parameters'),
    rigid: rigidWater.optional(),
    radius: value.optional().describe('of the rods, where their sections are not round'),
    points: z
      .int()
      .min(1)
      .optional()
      .describe('points along each rod, between breaks; when missing 16, or as many as a rod by strain has'),
  })
  .describe('water around deformable links: drag, buoyancy, added mass, current');

export const water = z
  .union([oneWater, z.array(oneWater).min(1)], { error: '{ density: … }, or a list of such' })
  .describe(
    'water around deformable links: drag, lift, buoyancy, added mass, current; several with links of their own',
  );

export type RawRigidWater = z.infer<typeof rigidWater>;

export type RawWater = z.infer<typeof oneWater>;
