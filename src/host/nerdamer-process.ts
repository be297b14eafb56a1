/**
 * nerdamer in a process of its own: one expression per run, killed when it takes too long. It has state that grows and
 * loops that do not end, so it never runs in the compiler; and nothing it says is believed here (`nerdamer-integral.ts`).
 *
 * A child process rather than a worker thread: the compiler is synchronous, `spawnSync` waits, limits time and memory and
 * leaves nothing behind, and it needs no file of its own in the bundle. Starting one costs about a quarter of a second.
 */
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import type { NerdamerAnswer } from './host.ts';

const MEMORY_LIMIT = 512;

/**
 * Reads `{ path, integrand, variable }` from standard input, writes `{ milliseconds, text }` or `{ milliseconds, reason }`;
 * nerdamer's own time limit, which depends on load, is off.
 */
const PROGRAM = `
const { path, integrand, variable } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const say = (result) => {
  const { user, system } = process.cpuUsage();
  process.stdout.write(JSON.stringify({ milliseconds: Math.ceil((user + system) / 1000), ...result }));
};
try {
  const nerdamer = require(path);
  nerdamer.set('SILENCE_WARNINGS', true);
  nerdamer.set('TIMEOUT', 1e9);
  say({ text: nerdamer('integrate(' + integrand + ', ' + variable + ')').toString() });
} catch (error) {
  say({ reason: String(error && error.message || error).split('\\n')[0] });
}
`;

/** Only what `nerdamer-text.ts` writes: names of one letter, functions, numbers and signs. */
const HARMLESS = /^[a-zA-Z0-9+\-*/^(), ]+$/;

const require = createRequire(import.meta.url);

/**
 * An antiderivative in nerdamer's words.
 * @param integrand text made by `toNerdamer`.
 * @param milliseconds after which the process is killed.
 */
export function askNerdamer(integrand: string, variable: string, milliseconds: number): NerdamerAnswer {
  if (!HARMLESS.test(integrand) || !HARMLESS.test(variable))
    return { kind: 'failed', reason: 'not in its language', milliseconds: 0 };
  const started = performance.now();
  const child = spawnSync(process.execPath, [`--max-old-space-size=${MEMORY_LIMIT}`, '-e', PROGRAM], {
    input: JSON.stringify({ path: require.resolve('nerdamer-prime/all'), integrand, variable }),
    encoding: 'utf8',
    timeout: milliseconds,
    killSignal: 'SIGKILL',
    env: {},
    windowsHide: true,
  });
  if (child.signal === 'SIGKILL') return { kind: 'killed', milliseconds };
  const said = answerIn(child.stdout);
  if (said?.text !== undefined) return { kind: 'answered', text: said.text, milliseconds: said.milliseconds };
  // Out of memory it says nothing that is meant for anybody.
  const reason = said?.reason ?? child.error?.message ?? 'it stopped with an error';
  return { kind: 'failed', reason, milliseconds: said?.milliseconds ?? performance.now() - started };
}

interface Said {
  readonly milliseconds: number;
  readonly text?: string;
  readonly reason?: string;
}

function answerIn(output: string | null): Said | undefined {
  try {
    return JSON.parse(output ?? '') as Said;
  } catch {
    return undefined;
  }
}
