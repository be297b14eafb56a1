/** Questions of the page as they arrive: checked, so that nothing else gets further; what is wrong is a RangeError that names it. */
import * as z from 'zod';
import type { Robot } from '../../description/model/robot.ts';
import type { Question } from '../../report/viewer/live-messages.ts';

const numbers = (count: number): z.ZodArray<z.ZodNumber> => z.array(z.number()).length(count);
const triple = z.tuple([z.number(), z.number(), z.number()]);

/** What reads the questions about a robot: made once, as a page that moves it asks many times a second. */
export function questionsOf({ coordinates, actuators, parameters }: Robot): (text: string) => Question {
  const q = numbers(coordinates.length);
  const index = z
    .int()
    .min(0)
    .max(coordinates.length - 1);
  const acting = { inputs: numbers(actuators.length), parameters: numbers(parameters.length), gravity: triple };
  const question = z.discriminatedUnion('ask', [
    z.object({ ask: z.literal('robot') }),
    z.object({ ask: z.literal('place'), q, held: z.array(index).optional(), ...acting }),
    z.object({ ask: z.literal('statics'), q, ...acting }),
    z.object({ ask: z.literal('modes'), q, ...acting }),
    z.object({ ask: z.literal('move'), q, qd: q, seconds: z.number().min(0).max(1), push: triple, ...acting }),
    z.object({ ask: z.literal('play'), name: z.string() }),
  ]);
  return (text) => {
    const checked = question.safeParse(jsonOf(text));
    if (checked.success) return checked.data;
    const [issue] = checked.error.issues;
    throw new RangeError(`${issue!.path.join('.') || 'the question'}: ${issue!.message}`);
  };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new RangeError('a question is JSON');
  }
}
