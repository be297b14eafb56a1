/**
 * npm run coverage:c [-- --missing]: branches of the C run time and of the drivers of three robots that their self-tests take, counted by gcov
 * over builds in double and single precision. --missing lists the lines of the others. Exit code 2 where gcc or gcov is missing.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { load } from '../src/api/load.ts';
import { Branches } from './branches.ts';

/** A chain without and with bodies that bend, and a mechanism with loops. */
const ROBOTS = [
  'examples/two-link.robot.yaml',
  'examples/planar-cc.robot.yaml',
  'examples/mechanisms/four-bar.robot.yaml',
];
const MISSING = 2;

for (const tool of ['gcc', 'gcov'])
  if (spawnSync(tool, ['--version']).error) {
    console.error(`${tool} is missing (Debian: gcc): nothing was counted`);
    process.exit(MISSING);
  }

const branches = new Branches();
const folder = mkdtempSync(join(tmpdir(), 'kanegen-coverage-'));
for (const file of ROBOTS) {
  const robot = await load(file);
  const code = await robot.compile();
  const files = await code.files({ target: 'c', straight: { functions: ['inverseDynamics', 'forwardDynamics'] } });
  const isLooped = files.some(({ path }) => path.endsWith('kanegen_loops.h'));
  // Loops need double precision.
  for (const define of isLooped ? [''] : ['', '-DKG_SINGLE']) {
    const own = join(folder, robot.name + define);
    mkdirSync(own);
    const sources = files
      .filter(({ path }) => /^c\/.*\.[ch]$/.test(path))
      .map((f) => ({ ...f, path: f.path.slice(2) }));
    for (const { path, text } of sources) writeFileSync(join(own, path), text);
    const units = sources.map(({ path }) => path).filter((path) => path.endsWith('.c'));
    const flags = ['-std=c99', '-O0', '--coverage', ...(define === '' ? [] : [define])];
    for (const unit of units) execFileSync('gcc', [...flags, '-c', unit], { cwd: own });
    execFileSync('gcc', ['--coverage', '-o', 'selftest', ...units.map((unit) => unit.replace(/c$/, 'o')), '-lm'], {
      cwd: own,
    });
    execFileSync(join(own, 'selftest'), { cwd: own, stdio: 'ignore' });
    const notes = units.map((unit) => unit.replace(/c$/, 'gcda'));
    branches.add(
      execFileSync('gcov', ['-b', '-c', '-j', '-t', ...notes], { cwd: own, encoding: 'utf8', maxBuffer: 1 << 28 }),
    );
  }
}
rmSync(folder, { recursive: true });
console.log('| file | branches | taken | |\n|---|---|---|---|');
for (const { file, all, taken } of branches.files())
  console.log(`| ${file} | ${all} | ${taken} | ${all === 0 ? '' : `${((100 * taken) / all).toFixed(1)} %`} |`);
if (process.argv.includes('--missing'))
  for (const { file, missing } of branches.files())
    if (missing.length > 0) console.log(`${file}: lines ${missing.join(', ')}`);
