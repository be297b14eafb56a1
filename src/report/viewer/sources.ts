/** Who answers the page of `kanegen view`: the command over the loopback address, or pictures that the page carries. */
import { base64 } from '../../common/bytes.ts';
import { numbersOf } from './pictures.ts';
import type { Answers, Description, KeptView, News, Placed, Question, Refusal } from './live-messages.ts';

/** The answer said that there is none. */
export class Refused extends Error {}

export interface Source {
  /** Is there nobody to compute what is not there? */
  readonly isKept: boolean;
  ask<Kind extends Question['ask']>(question: Extract<Question, { ask: Kind }>): Promise<Answers[Kind]>;
  listen(listener: (news: News) => void): void;
}

export class LiveSource implements Source {
  readonly isKept = false;

  async ask<Kind extends Question['ask']>(question: Extract<Question, { ask: Kind }>): Promise<Answers[Kind]> {
    const response = await fetch('ask', { method: 'POST', body: JSON.stringify(question) });
    const answer = (await response.json()) as Answers[Kind] | Refusal;
    if ('refused' in answer) throw new Refused(answer.refused);
    return answer;
  }

  listen(listener: (news: News) => void): void {
    const events = new EventSource('news');
    events.onmessage = (event: MessageEvent<string>) => listener(JSON.parse(event.data) as News);
    events.onerror = () => listener({ news: 'busy', text: 'kanegen view has ended: start it again to go on' });
    events.onopen = () => listener({ news: 'robot' });
  }
}

/** The page that this one is a part of sends a port to whoever computes. */
export function framed(): Promise<PortSource> {
  return new Promise((resolve) => {
    addEventListener('message', ({ ports }) => {
      if (ports[0]) resolve(new PortSource(ports[0]));
    });
  });
}

/** Somebody behind a port, who has the same questions. */
class PortSource implements Source {
  readonly isKept = false;
  private readonly port: MessagePort;
  private readonly waiting = new Map<number, (answer: Replied) => void>();
  private next = 1;
  private listener: ((news: News) => void) | undefined;

  constructor(port: MessagePort) {
    this.port = port;
    port.onmessage = ({ data }: MessageEvent<Replied | News>) => {
      if ('news' in data) return this.listener?.(data);
      this.waiting.get(data.id)?.(data);
      this.waiting.delete(data.id);
    };
  }

  async ask<Kind extends Question['ask']>(question: Extract<Question, { ask: Kind }>): Promise<Answers[Kind]> {
    const id = this.next++;
    const answer = await new Promise<Replied>((resolve) => {
      this.waiting.set(id, resolve);
      this.port.postMessage({ id, asked: question });
    });
    if ('refused' in answer) throw new Refused(answer.refused);
    return answer.answer as Answers[Kind];
  }

  listen(listener: (news: News) => void): void {
    this.listener = listener;
    this.port.start();
  }
}

type Replied = { readonly id: number } & (Refusal | { readonly answer: unknown });

/** One slider away from its place at a time, between pictures. */
export class KeptSource implements Source {
  readonly isKept = true;
  private readonly view: KeptView;

  constructor(view: KeptView) {
    this.view = view;
  }

  ask<Kind extends Question['ask']>(question: Extract<Question, { ask: Kind }>): Promise<Answers[Kind]> {
    try {
      return Promise.resolve(this.answer(question) as Answers[Kind]);
    } catch (error) {
      return Promise.reject(error as Error);
    }
  }

  listen(): void {
    // Nothing happens that the page does not do itself.
  }

  private answer(question: Question): Description | Placed {
    const { description, states, coordinates, inputs } = this.view;
    switch (question.ask) {
      case 'robot':
        return description;
      case 'place': {
        const { q } = question;
        const state = description.states.findIndex((own) => own.q.every((x, i) => x === q[i]));
        if (state >= 0) return { q, points: states[state]! };
        const rest = description.states[0]!.q;
        const moved = q.findIndex((x, i) => x !== rest[i]);
        const slider = description.coordinates[moved]!;
        return { q, points: between(coordinates[moved] ?? [], slider, q[moved]!) ?? states[0]! };
      }
      case 'statics': {
        const rest = description.inputs;
        const moved = Math.max(
          0,
          question.inputs.findIndex((u, i) => u !== rest[i]!.value),
        );
        const points = between(inputs[moved] ?? [], rest[moved]!, question.inputs[moved]!);
        if (points === undefined) throw new Refused('this page has no equilibria: `kanegen view` finds them');
        return { q: question.q, points };
      }
      case 'modes':
      case 'play':
      case 'move':
        throw new Refused('this page has pictures only: `kanegen view` moves the robot');
    }
  }
}

/** Between the two nearest pictures, point by point. */
function between(
  pictures: readonly string[],
  { lower, upper }: { readonly lower: number; readonly upper: number },
  value: number,
): string | undefined {
  const last = pictures.length - 1;
  if (last < 1) return undefined;
  const place = Math.min(last, Math.max(0, ((value - lower) / (upper - lower)) * last));
  const first = Math.min(last - 1, Math.floor(place));
  const [a, b] = [numbersOf(pictures[first]!), numbersOf(pictures[first + 1]!)];
  const share = place - first;
  return base64(new Uint8Array(a.map((x, i) => x + share * (b[i]! - x)).buffer));
}
