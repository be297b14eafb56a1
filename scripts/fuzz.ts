/**
 * Tries many inputs made at random: `npx tsx scripts/fuzz.ts KIND COUNT SEED`, the kinds of `test/fuzz/inputs.ts`: `robots` (compiled, and
 * the code is run), `robots-read` (read and checked), `languages` (TypeScript against C, bit by bit), `scenarios`, `tables`, `urdf`,
 * `meshes`, `networks`, `calls`, `features` (valid robots of many features at once, verified). Prints how many were tried, what
 * became of them, and every input with which something happened that should not, with the seed that makes it again: `fuzz.ts KIND 1 THAT-SEED`. Those belong into `test/fuzz/corpus`.
 *
 * Inputs go to processes of their own, a batch each: expressions stay in memory as long as a process lives, and an input that
 * hangs or runs out of memory is known by the process that it takes along.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { KINDS } from '../test/fuzz/inputs.ts';
import type { Outcome } from '../test/fuzz/outcome.ts';

/** Of the clock: an input that takes longer hangs. */
const HANGS_SECONDS = 300;

type Message = { readonly started: string; readonly seed: number } | Outcome;

interface Batch {
  readonly kind: string;
  readonly count: number;
  /** Of the first input; the next has the next. */
  readonly seed: number;
}

interface Tried {
  readonly input: string;
  readonly seed: number;
}

/** In the child: one message when an input is begun, one when it is done. */
async function work({ kind, count, seed }: Batch): Promise<void> {
  const { inputs, outcome } = KINDS[kind]!;
  for (let own = seed; own < seed + count; own++) {
    const input = fc.sample(inputs, { numRuns: 3, seed: own })[2]!;
    await tell({ started: input, seed: own });
    await tell(await outcome(input));
  }
  process.disconnect();
}

/** Done when the message is on its way: what only waits is lost where the process ends. */
function tell(message: Message): Promise<void> {
  return new Promise((resolve, reject) =>
    process.send!(message, (error: Error | null) => (error ? reject(error) : resolve())),
  );
}

/** Runs a batch in a process; an input that ends or stops it is a problem, and the rest of its batch is left out. */
function run({ kind, count, seed }: Batch, note: (tried: Tried, outcome: Outcome) => void): Promise<void> {
  return new Promise((resolve) => {
    const parameters = [kind, String(count), String(seed), '--batch'];
    const child = fork(fileURLToPath(import.meta.url), parameters, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    let tried: Tried | undefined;
    let hanging: NodeJS.Timeout | undefined;
    let hung = false;
    child.on('message', (message: Message) => {
      clearTimeout(hanging);
      if ('started' in message) {
        tried = { input: message.started, seed: message.seed };
        hanging = setTimeout(() => (hung = child.kill('SIGKILL')), HANGS_SECONDS * 1000);
      } else {
        note(tried!, message);
        tried = undefined;
      }
    });
    child.on('close', (code, signal) => {
      clearTimeout(hanging);
      const ended = `(${code ?? signal})`;
      if (tried !== undefined) note(tried, { result: 'ended', problem: hung ? 'hangs' : `ended the process ${ended}` });
      else if (code !== 0)
        note({ input: '', seed }, { result: 'ended', problem: `a batch ended between inputs ${ended}` });
      resolve();
    });
  });
}

async function main(): Promise<void> {
  const isBatch = process.argv.includes('--batch');
  const [kind = '', count = '1000', seed = '1'] = process.argv.slice(2).filter((word) => !word.startsWith('--'));
  const known = KINDS[kind];
  if (!known) {
    process.stdout.write(`fuzz.ts KIND COUNT SEED; kinds: ${Object.keys(KINDS).join(', ')}\n`);
    process.exitCode = 2;
    return;
  }
  const [all, first] = [Number(count), Number(seed)];
  if (isBatch) return work({ kind, count: all, seed: first });
  const results = new Map<string, number>();
  let [number, problems] = [0, 0];
  for (let done = 0; done < all; done += known.batch)
    await run(
      { kind, count: Math.min(known.batch, all - done), seed: first + done },
      ({ input, seed: own }, outcome) => {
        const { result, problem } = outcome;
        number++;
        results.set(result, (results.get(result) ?? 0) + 1);
        if (problem === undefined) return;
        problems++;
        const rule = '-'.repeat(100);
        process.stdout.write(`${rule}\n${problem}\nagain: fuzz.ts ${kind} 1 ${own}\n${JSON.stringify(input)}\n`);
      },
    );
  const table = [...results].sort((a, b) => b[1] - a[1]).map(([result, times]) => `${result} ${times}`);
  process.stdout.write(`${number} ${kind}, seeds from ${first}: ${table.join(', ')}; ${problems} problems\n`);
  process.exitCode = problems > 0 ? 1 : 0;
}

void main();
