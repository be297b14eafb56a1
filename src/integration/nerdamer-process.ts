/**
 * nerdamer in a process of its own: one expression per run, killed when it takes too long. It has state that grows and
 * loops that do not end, so it never runs in the compiler; and nothing it says is believed here (`nerdamer-integral.ts`).
 *
 * A child process rather than a worker thread: the compiler is synchronous, `spawnSync` waits, limits time and memory and
 * leaves nothing behind, and it needs no file of its own in the bundle. Starting one costs about a quarter of a second.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';

/** What the process answers: the text of an antiderivative, or why there is none. */
export type NerdamerAnswer =
  | { readonly kind: 'answered'; readonly text: string }
  | { readonly kind: 'killed'; readonly milliseconds: number }
  | { readonly kind: 'failed'; readonly reason: string };

/** Ten times what any integral took that was solved, so that a busy machine decides as an idle one does. */
export const TIME_LIMIT = 8_000;
const MEMORY_LIMIT = 512;

/** Reads `{ path, integrand, variable }` from standard input; nerdamer's own time limit, which depends on load, is off. */
const PROGRAM = `
const { path, integrand, variable } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const nerdamer = require(path);
nerdamer.set('SILENCE_WARNINGS', true);
nerdamer.set('TIMEOUT', 1e9);
process.stdout.write(nerdamer('integrate(' + integrand + ', ' + variable + ')').toString());
`;

/** Only what `nerdamer-text.ts` writes: names of one letter, functions, numbers and signs. */
const HARMLESS = /^[a-zA-Z0-9+\-*/^(), ]+$/;

const require = createRequire(import.meta.url);

/**
 * An antiderivative in nerdamer's words.
 * @param integrand text made by `toNerdamer`.
 * @param milliseconds after which the process is killed.
 */
export function askNerdamer(integrand: string, variable: string, milliseconds = TIME_LIMIT): NerdamerAnswer {
  if (!HARMLESS.test(integrand) || !HARMLESS.test(variable)) return { kind: 'failed', reason: 'not in its language' };
  const child = spawnSync(process.execPath, [`--max-old-space-size=${MEMORY_LIMIT}`, '-e', PROGRAM], {
    input: JSON.stringify({ path: require.resolve('nerdamer-prime/all'), integrand, variable }),
    encoding: 'utf8',
    timeout: milliseconds,
    killSignal: 'SIGKILL',
    env: {},
    windowsHide: true,
  });
  if (child.signal === 'SIGKILL') return { kind: 'killed', milliseconds };
  if (child.status === 0) return { kind: 'answered', text: child.stdout };
  const complaint = /^\s*(?:\w*Error|[A-Z]\w+): (.*)$/m.exec(child.stderr ?? '')?.[1];
  return { kind: 'failed', reason: complaint ?? child.error?.message ?? 'it stopped with an error' };
}
