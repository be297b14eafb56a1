/** The structure of `actuators:`: every kind of actuator is a key, of which an actuator has one. */
import { z } from 'zod';
import { name, pair, summary, value } from './schema-values.ts';

const end = z.record(name, value).describe('{ s: L/2 }: axial coordinate where the route begins or ends');

const tendon = z
  .strictObject({
    through: z
      .union([name, z.array(name).min(1)], { error: 'a link, or a list of links' })
      .describe('links through whose bodies it runs, in order; a repeated link by its common name'),
    route: z
      .record(name, value)
      .describe('place in the section, { x: …, y: … }, by s within each body or S, 0 to 1 over the whole route'),
    from: end.optional(),
    to: end.optional(),
  })
  .describe('a cable in bodies; its coordinate is minus its length, its input the tension');

export const actuator = z.strictObject({
  motor: name.optional().describe('coordinate that it drives: arm.elbow; its input is a torque or a force'),
  ratio: value.optional().describe('of a motor: its coordinate is ratio times that of the joint'),
  along: value.optional().describe('a formula of coordinates: sin(arm.elbow) + soft1.q1'),
  unit: z.string().optional().describe('SI unit of the formula under `along`'),
  tendon: tendon.optional(),
  pressure: name.optional().describe('chamber that it acts in, LINK.CHAMBER; its coordinate is the volume'),
  limits: pair.optional().describe('of the input: [0 N, 40 N]'),
  summary: summary.optional(),
});

export type RawActuator = z.infer<typeof actuator>;
export type RawTendon = z.infer<typeof tendon>;
