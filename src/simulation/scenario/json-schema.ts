/** The JSON Schema of scenario files, for editors; apart from the schema itself, so that its type needs no other package. */
import * as z from 'zod';
import { SCENARIO_FILE } from './scenario-schema.ts';

/** Of one scenario file. */
export function scenarioFileJsonSchema(): Record<string, unknown> {
  return z.toJSONSchema(SCENARIO_FILE.schema, { io: 'input' });
}
