/** The JSON Schema of robot files, for editors; apart from the schema itself, so that its type needs no other package. */
import * as z from 'zod';
import { robotFile } from './schema.ts';

/** Of one robot file. */
export function robotFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(robotFile, { io: 'input' });
}
