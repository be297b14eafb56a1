/**
 * Mutation testing: `npm run test:mutation` for all areas, `npm run test:mutation -- links` for one, with options of
 * Stryker behind it (`-- links --mutate src/kane/link/link-builder.ts:190-240`). Results are kept under `reports/mutation`;
 * what has not changed since is not tested again.
 */
import { spawnSync } from 'node:child_process';
import { areas } from './mutation-areas.mjs';

const [first, ...rest] = process.argv.slice(2);
const isArea = first !== undefined && !first.startsWith('-');
if (isArea && !Object.hasOwn(areas, first)) {
  console.error(`no area \`${first}\`: ${Object.keys(areas).join(', ')}`);
  process.exit(2);
}
const chosen = isArea ? [first] : Object.keys(areas);
const options = isArea ? rest : process.argv.slice(2);
let failed = 0;
for (const area of chosen) {
  const { status } = spawnSync('npx', ['stryker', 'run', ...options], {
    stdio: 'inherit',
    env: { ...process.env, KANEGEN_MUTATION: area },
  });
  if (status !== 0) failed = 1;
}
process.exit(failed);
