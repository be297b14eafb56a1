/** The structure of `contacts:`: two things that touch, and by which law. */
import * as z from 'zod';
import { anchorKeys } from './actuators.ts';
import { name, summary, value, vector } from './schema-values.ts';

const axis = z
  .union([z.enum(['x', 'y', 'z']), z.array(value).length(3)], { error: 'an axis of the frame: x, y, z, [0, 0.6, 0.8]' })
  .describe('in axes of the frame');
const radius = value;

const shapes = {
  plane: z
    .strictObject({ ...anchorKeys, axis: axis.describe('out of the solid side') })
    .optional()
    .describe('half of the space, up to a plane through the point'),
  sphere: z.strictObject({ ...anchorKeys, radius }).optional(),
  capsule: z
    .strictObject({ ...anchorKeys, axis, length: value.describe('between the middles of its round ends'), radius })
    .optional()
    .describe('about its middle'),
  cylinder: z
    .strictObject({ ...anchorKeys, axis, radius })
    .optional()
    .describe('without ends'),
  tube: z
    .strictObject({ ...anchorKeys, axis, radius })
    .optional()
    .describe('the bore of a tube without ends, which holds what is in it'),
  points: z
    .strictObject({
      on: anchorKeys.on,
      frame: anchorKeys.frame,
      at: z.array(vector).min(1).max(200),
      radius: radius.optional().describe('none when missing'),
    })
    .optional()
    .describe('points of a rigid body, each by itself: the corners of a block'),
  rod: z
    .strictObject({
      on: name.describe('a link whose body is a rod; repeated links by their common name'),
      radius: radius.optional().describe('where its section is not round'),
      points: z.int().min(1).optional().describe('along the rod, between breaks'),
    })
    .optional()
    .describe('the sections of a rod'),
};

const end = z
  .union([name, z.strictObject(shapes)], { error: 'a rod, or a shape: { plane: { on: base, axis: z } }' })
  .describe('a rod by the name of its link, or a shape on a link or on the base');

const lawKeys = { stiffness: value, damping: value.optional() };

export const contact = z.strictObject({
  between: z.array(end).length(2).describe('what touches: [arm, { cylinder: { on: base, axis: y, radius: 20 mm } }]'),
  law: z.strictObject({
    'spring-damper': z
      .strictObject(lawKeys)
      .optional()
      .describe('k δ, and b times the speed of approach; k in N/m, N/m^2 along rods'),
    'hunt-crossley': z
      .strictObject(lawKeys)
      .optional()
      .describe('k δ (1 + d times the speed of approach), never below zero; d in s/m'),
  }),
  friction: z
    .strictObject({
      coefficient: value.describe('μ'),
      at: value.optional().describe('speed up to which friction is smooth, and with which slopes creep'),
      stiffness: value.optional().describe('of a bristle that sticks, N/m, in place of `at`'),
      damping: value.optional().describe('of a bristle that sticks, N s/m'),
    })
    .optional()
    .describe("Coulomb's friction, smooth or with a bristle that sticks"),
  per: z
    .enum(['length', 'point'])
    .optional()
    .describe('along rods: the law of a length, the default, or of each point'),
  apart: value.optional().describe('along a rod that touches itself, between sections that do'),
  summary: summary.optional(),
});

export type RawContact = z.infer<typeof contact>;
export type RawContactEnd = RawContact['between'][number];
