/**
 * Mutation testing: `npm run test:mutation` for all areas, `npm run test:mutation -- links` for one, with options of
 * Stryker behind it (`-- links --mutate src/kane/link/link-builder.ts:190-240`). Results are kept under `reports/mutation`;
 * what has not changed since is not tested again. With `--sample N [--seed S]` N mutants of an area, drawn at random.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { areas } from './mutation-areas.mjs';
import { drawSample, resultOf } from './mutation-sample.mjs';

/** Share of the mutants that tests should see. */
const AIM = 0.85;
/** Names and texts of messages are data. */
const EXCLUDED = ['StringLiteral'];

const [first, ...rest] = process.argv.slice(2);
const isArea = first !== undefined && !first.startsWith('-');
if (isArea && !Object.hasOwn(areas, first)) {
  console.error(`no area \`${first}\`: ${Object.keys(areas).join(', ')}`);
  process.exit(2);
}
const chosen = isArea ? [first] : Object.keys(areas);
const options = isArea ? rest : process.argv.slice(2);
const count = numberAfter('--sample');
const seed = numberAfter('--seed') ?? 1;
let failed = 0;
for (const area of chosen) {
  const isFine = count === undefined ? stryker(area, {}) : await sampled(area);
  if (!isFine) failed = 1;
}
process.exit(failed);

/** Takes an option with a whole number out of the list. */
function numberAfter(name) {
  const at = options.indexOf(name);
  if (at < 0) return undefined;
  const [, text] = options.splice(at, 2);
  if (/^\d+$/.test(text ?? '')) return Number(text);
  console.error(`${name} takes a whole number`);
  process.exit(2);
}

function stryker(area, environment) {
  const env = { ...process.env, ...environment, KANEGEN_MUTATION: area };
  return spawnSync('npx', ['stryker', 'run', ...options], { stdio: 'inherit', env }).status === 0;
}

async function sampled(area) {
  const { sample, total } = await drawSample(area, { count, seed }, EXCLUDED);
  mkdirSync('reports/mutation', { recursive: true });
  const [list, report] = ['keys', 'report'].map((name) => resolve(`reports/mutation/${area}-sample-${name}.json`));
  writeFileSync(list, JSON.stringify(sample));
  if (!stryker(area, { KANEGEN_MUTATION_SAMPLE: list, KANEGEN_MUTATION_REPORT: report })) return false;
  const { killed, survivors } = resultOf(JSON.parse(readFileSync(report, 'utf8')), sample);
  const tried = killed + survivors.length;
  const share = killed / tried;
  const error = Math.sqrt((share * (1 - share)) / tried);
  for (const { place, line, replacement, status } of survivors)
    console.log(`${status} ${place}\n    ${line}\n    → ${replacement}`);
  console.log(
    `${area}: ${killed} of ${tried} (${percent(share)} ± ${percent(error)}), drawn from ${total}, seed ${seed}`,
  );
  return share >= AIM;
}

function percent(x) {
  return `${(100 * x).toFixed(0)} %`;
}
