/** The structure of `actuators:`: every kind of actuator is a key, of which an actuator has one. */
import * as z from 'zod';
import { name, pair, pose, summary, value, vector } from './schema-values.ts';

const axis = z.union([z.string(), z.array(value).length(3)], { error: 'an axis: x, -z, [0, 0.6, 0.8]' });

const end = z.record(name, value).describe('{ s: L/2 }: axial coordinate where the route begins or ends');

/** Of a frame: where its origin lies. */
export const at = z.union([vector, z.record(name, value)], {
  error:
    'three lengths in the axes of the frame, [0, 0, 10 mm], or material coordinates of a deformable body, { s: L }',
});
export const frame = z.literal('proximal').optional().describe('the proximal frame of a rigid link');
export const anchorKeys = {
  on: name.describe('`base`, a link, or a frame: its distal frame unless `frame` says otherwise'),
  frame,
  at: at.optional().describe('the point; the origin of the frame when missing'),
};

/** Of frames with axes of their own. */
export const placedKeys = { ...anchorKeys, offset: pose.optional().describe('there → the frame') };

/** Of one body. */
const MOST_DISCS = 200;

const route = z.record(name, value);

const discs = z
  .union(
    [
      z.literal(true),
      value,
      z.strictObject({
        radius: value
          .optional()
          .describe('how far from the axis of the rod a tendon may be; a formula of the axial coordinate'),
        at: z
          .array(value)
          .min(1)
          .max(MOST_DISCS)
          .optional()
          .describe('axial coordinates, in each body, of the places between which the tendon is straight'),
      }),
    ],
    { error: 'true, a radius, or { radius, at: [0, L/2, L] }' },
  )
  .describe('what holds the tendon beside the section of a rod: the route may leave it');

const bendFriction = z
  .strictObject({
    coefficient: value.optional().describe('tension behind a bend by θ: e^(−coefficient θ) of that before it'),
    at: value.optional().describe('speed of the tendon up to which friction is smooth: 1 mm/s'),
  })
  .describe('of a tendon that passes points; its input is the tension at the first one');

const piece = z.strictObject({
  ...anchorKeys,
  on: anchorKeys.on.optional(),
  through: name.optional().describe('a link through whose body it runs; a repeated link by its common name'),
  route: route.optional().describe('place in the section, as in a tendon without `path`'),
  from: end.optional(),
  to: end.optional(),
  discs: discs.optional(),
});

const wrench = z
  .strictObject({
    ...anchorKeys,
    axes: z
      .enum(['world', 'frame'])
      .optional()
      .describe('of the axis: those of the frame, which it follows, unless `world`'),
    force: axis.optional().describe('along this axis: z, -x, [0, 0.6, 0.8]'),
    moment: axis.optional().describe('about this axis'),
  })
  .describe('a force or a moment at a point of a link, of the size of the input');

const tendon = z
  .strictObject({
    through: z
      .union([name, z.array(name).min(1)], { error: 'a link, or a list of links' })
      .optional()
      .describe('links through whose bodies it runs, in order; a repeated link by its common name'),
    route: route
      .optional()
      .describe('place in the section, { x: …, y: … }, by s within each body or S, 0 to 1 over the whole route'),
    from: end.optional(),
    to: end.optional(),
    discs: discs.optional(),
    path: z.array(piece).min(2).optional().describe('points and bodies in order, with straight pieces in between'),
    friction: bendFriction.optional(),
  })
  .describe('a cable in bodies; its coordinate is minus its length, its input the tension');

/** Components that do work on the strains of the same names. */
const field = z
  .strictObject({
    through: z
      .union([name, z.array(name).min(1)], { error: 'a link, or a list of links' })
      .describe('links along whose bodies it acts; repeated links by their common name'),
    moment: z
      .strictObject({ 'bend-x': value.optional(), 'bend-y': value.optional(), twist: value.optional() })
      .optional()
      .describe('internal moment in N m, a formula of s, t and parameters: { bend-y: "M0*(1 - s/L)" }'),
    force: z
      .strictObject({ 'shear-x': value.optional(), 'shear-y': value.optional(), stretch: value.optional() })
      .optional()
      .describe('internal force in N, in the same way'),
  })
  .describe('internal moments and forces that are spread over a rod; the input scales them');

/** Frames that a formula names beside those of the robot. */
export const formulaFrames = z
  .record(name, z.strictObject(placedKeys))
  .describe('frames that the formula names beside those of the robot: { hook: { on: base, at: [0, 0.2, 0.4] } }');

export const actuator = z.strictObject({
  motor: name.optional().describe('coordinate that it drives: arm.elbow; its input is a torque or a force'),
  ratio: value.optional().describe('of a motor: its coordinate is ratio times that of the joint'),
  along: value
    .optional()
    .describe('a formula of coordinates and frames: sin(arm.elbow) + soft1.q1, -distance(hand, shelf)'),
  unit: z.string().optional().describe('SI unit of the formula under `along`'),
  frames: formulaFrames.optional(),
  tendon: tendon.optional(),
  drives: name
    .optional()
    .describe(
      'tension, pressure or stress in the equilibrium of a rod, LINK.COORDINATE: the tendon or the cavity itself',
    ),
  pressure: name.optional().describe('chamber that it acts in, LINK.CHAMBER; its coordinate is the volume'),
  wrench: wrench.optional(),
  field: field.optional(),
  limits: pair.optional().describe('of the input: [0 N, 40 N]'),
  summary: summary.optional(),
});

export const force = z.strictObject({
  potential: value.optional().describe('an energy of frames, in J: k/2*(distance(hand, hook) - L)^2'),
  frames: formulaFrames.optional(),
  through: z
    .union([name, z.array(name).min(1)], { error: 'a link, or a list of links' })
    .optional()
    .describe('links along whose rods a field acts; repeated links by their common name'),
  force: vector
    .optional()
    .describe(
      'of a field: force per length in N/m, a formula of s, t, coordinates, `tangent` and `place` of the section',
    ),
  moment: vector
    .optional()
    .describe('of a field: moment per length in N m/m, in the same way: "cross(m*tangent, [Bx, 0, Bz])"'),
  axes: z
    .enum(['world', 'section'])
    .optional()
    .describe('of a field: axes in which components are written, `world` when missing'),
  points: z.int().optional().describe('of a field: points along the rod between its breaks'),
  summary: summary.optional(),
});

export type RawForce = z.infer<typeof force>;
export type RawActuator = z.infer<typeof actuator>;
export type RawStrainField = z.infer<typeof field>;
export type RawTendon = z.infer<typeof tendon>;
export type RawAnchor = Pick<z.infer<typeof piece>, 'at' | 'frame'> & { readonly on: string };
/** A frame, by its name or with what it rides on. */
export type RawPlaced = RawAnchor & { readonly offset?: z.infer<typeof pose> | undefined };
export type RawPiece = z.infer<typeof piece>;
export type RawDiscs = z.infer<typeof discs>;
