/**
 * Tries many robot files made at random: `npx tsx scripts/fuzz-robots.ts COUNT SEED [--load]`. With `--load` files are only
 * read and checked, which takes milliseconds each; without, they are compiled and the code is run. Prints how many were
 * tried, what became of them, and every file with which something happened that should not.
 *
 * Files go to processes of their own, a batch each: expressions stay in memory as long as a process lives, and a file that
 * hangs or runs out of memory is known by the process that it takes along.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { loadingOf, outcomeOf, type Outcome } from '../test/fuzz/outcome.ts';
import { robotTexts } from '../test/fuzz/robot-texts.ts';

/** Files of a process. */
const BATCH = { compile: 100, load: 1000 };
/** Of the clock: a file that takes longer hangs. */
const HANGS_SECONDS = 300;

type Message = { readonly started: string } | Outcome;

interface Batch {
  readonly count: number;
  readonly seed: number;
  readonly isLoad: boolean;
}

/** In the child: one message when a file is begun, one when it is done. */
async function work({ count, seed, isLoad }: Batch): Promise<void> {
  for (const text of fc.sample(robotTexts, { numRuns: count, seed })) {
    process.send!({ started: text } satisfies Message);
    process.send!((isLoad ? loadingOf(text) : await outcomeOf(text)) satisfies Message);
  }
  process.disconnect();
}

/** Runs a batch in a process; a file that ends or stops it is a problem, and the rest of its batch is left out. */
function run({ count, seed, isLoad }: Batch, note: (text: string, outcome: Outcome) => void): Promise<void> {
  return new Promise((resolve) => {
    const parameters = ['--batch', String(count), String(seed), ...(isLoad ? ['--load'] : [])];
    const child = fork(fileURLToPath(import.meta.url), parameters, { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    let text: string | undefined;
    let hanging: NodeJS.Timeout | undefined;
    let hung = false;
    child.on('message', (message: Message) => {
      clearTimeout(hanging);
      if ('started' in message) {
        text = message.started;
        hanging = setTimeout(() => (hung = child.kill('SIGKILL')), HANGS_SECONDS * 1000);
      } else {
        note(text!, message);
        text = undefined;
      }
    });
    child.on('close', (code, signal) => {
      clearTimeout(hanging);
      if (text !== undefined)
        note(text, { result: 'ended', problem: hung ? 'hangs' : `ended the process (${code ?? signal})` });
      else if (code !== 0) note('', { result: 'ended', problem: `a batch ended between files (${code ?? signal})` });
      resolve();
    });
  });
}

async function main(): Promise<void> {
  const isLoad = process.argv.includes('--load');
  const isBatch = process.argv.includes('--batch');
  const [count = 1000, seed = 1] = process.argv
    .slice(2)
    .filter((argument) => !argument.startsWith('--'))
    .map(Number);
  if (isBatch) return work({ count, seed, isLoad });
  const results = new Map<string, number>();
  let [tried, problems] = [0, 0];
  const size = isLoad ? BATCH.load : BATCH.compile;
  for (let first = 0; first < count; first += size)
    await run(
      { count: Math.min(size, count - first), seed: seed * 100_000 + first / size, isLoad },
      (text, outcome) => {
        const { result, problem } = outcome;
        tried++;
        results.set(result, (results.get(result) ?? 0) + 1);
        if (problem === undefined) return;
        problems++;
        process.stdout.write(`${'='.repeat(100)}\n${problem}\n${'-'.repeat(100)}\n${JSON.stringify(text)}\n`);
      },
    );
  const table = [...results].sort((a, b) => b[1] - a[1]).map(([result, number]) => `${result} ${number}`);
  process.stdout.write(`${tried} files, seed ${seed}: ${table.join(', ')}; ${problems} problems\n`);
  process.exitCode = problems > 0 ? 1 : 0;
}

void main();
