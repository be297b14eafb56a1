/** The JSON Schema of `interface.json`, apart from its sources: types of the library name no other package. */
import * as z from 'zod';
import { robotInterface } from './schema.ts';

/** The JSON Schema of `interface.json`. */
export function interfaceJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(robotInterface);
}
