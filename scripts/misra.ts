/**
 * npm run misra [-- --folder FOLDER]: C of a few robots against MISRA C:2012 (the addon of cppcheck), gcc -fanalyzer and clang-tidy.
 * Every finding of a mandatory or required rule has to be a deviation of docs/misra.md, and every deviation has to occur. Advisory
 * rules are counted. Exit code 1 where that does not hold, 2 where cppcheck is missing. The C stays in FOLDER where one is named.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../src/api/load.ts';
import { deviationsIn, findingsIn, isRequired, judged } from './misra-findings.ts';

const RECORD = fileURLToPath(new URL('../docs/misra.md', import.meta.url));
const MISSING = 2;

/** A link of each kind: default functions, controllers, rods by loops, rows of loops, bodies that touch; straight-line functions of two. */
const ROBOTS: readonly { readonly file: string; readonly straight?: true }[] = [
  { file: 'examples/two-link.robot.yaml', straight: true },
  { file: 'examples/scenarios/ur10e-motors.robot.yaml' },
  { file: 'examples/planar-cc.robot.yaml', straight: true },
  { file: 'examples/elastic-rod.robot.yaml' },
  { file: 'examples/mechanisms/four-bar.robot.yaml' },
  { file: 'examples/scenarios/bar.robot.yaml' },
];

const ADDONS = ['/usr/lib/x86_64-linux-gnu/cppcheck/addons', '/usr/share/cppcheck/addons', '/usr/lib/cppcheck/addons'];

async function writeC(folder: string): Promise<string[]> {
  const folders: string[] = [];
  for (const { file, straight } of ROBOTS) {
    const loaded = await load(file);
    const code = await loaded.compile();
    const files = await code.files({
      target: 'c',
      ...(straight && { straight: { functions: ['inverseDynamics', 'forwardDynamics'] } }),
    });
    const own = join(folder, loaded.name);
    mkdirSync(own, { recursive: true });
    for (const { path, text } of files)
      if (/^c\/.*\.[ch]$/.test(path) && !path.endsWith('_selftest.c')) writeFileSync(join(own, path.slice(2)), text);
    folders.push(own);
  }
  return folders;
}

const sourcesIn = (folder: string): string[] => readdirSync(folder).filter((name) => name.endsWith('.c'));

/** What the addon says of a folder, each place once. */
function misra(folder: string, addon: string): string {
  const sources = sourcesIn(folder);
  // Without the word restrict, as the macro allows.
  const flags = '--dump --std=c99 --quiet --suppress=toomanyconfigs -DKG_RESTRICT= -UKG_SINGLE -U__cplusplus'.split(
    ' ',
  );
  execFileSync('cppcheck', [...flags, ...sources], { cwd: folder });
  const dumps = sources.map((name) => `${name}.dump`);
  const said = spawnSync('python3', [addon, '--quiet', ...dumps], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  for (const name of dumps) rmSync(join(folder, name));
  return said.stderr + said.stdout;
}

const CHECKS = [
  'bugprone-*',
  'cert-*',
  // Of the interface: states, rates and gains are numbers side by side.
  '-bugprone-easily-swappable-parameters',
  // Places in arrays are small whole numbers: products of `int` are far from its ends.
  '-bugprone-implicit-widening-of-multiplication-result',
  // Names of C99 with capital letters in them are those of the field: M, R, J.
  '-bugprone-reserved-identifier',
  '-cert-dcl37-c',
];

/** Messages of gcc -fanalyzer and of clang-tidy; undefined of a tool that is missing. */
function analysed(folder: string): readonly (readonly [tool: string, messages: string | undefined])[] {
  const sources = sourcesIn(folder);
  const run = (tool: string, parameters: readonly string[]): string | undefined => {
    const { error, stdout, stderr } = spawnSync(tool, parameters, {
      cwd: folder,
      encoding: 'utf8',
      maxBuffer: 1 << 28,
    });
    if (error) return undefined;
    return `${stdout}${stderr}`
      .split('\n')
      .filter((line) => /: (warning|error): /.test(line))
      .join('\n');
  };
  return [
    [
      'gcc -fanalyzer',
      inTurn(sources, (name) =>
        run('gcc', [...'-std=c99 -O1 -fanalyzer -Wall -Wextra -c -o /dev/null'.split(' '), name]),
      ),
    ],
    ['clang-tidy', run('clang-tidy', ['--quiet', `--checks=-*,${CHECKS.join(',')}`, ...sources, '--', '-std=c99'])],
  ];
}

/** Of one source after the other; undefined where the tool is missing. */
function inTurn(sources: readonly string[], ask: (name: string) => string | undefined): string | undefined {
  const said = sources.map(ask);
  return said.includes(undefined) ? undefined : said.filter(Boolean).join('\n');
}

const named = process.argv.indexOf('--folder');
if (spawnSync('cppcheck', ['--version']).error) {
  console.error('cppcheck is missing (Debian: cppcheck): nothing was checked');
  process.exit(MISSING);
}
const addon = ADDONS.map((folder) => join(folder, 'misra.py')).find((path) => existsSync(path));
if (addon === undefined) {
  console.error(`misra.py is missing, the addon of cppcheck, in ${ADDONS.join(', ')}: nothing was checked`);
  process.exit(MISSING);
}
const folder = named < 0 ? mkdtempSync(join(tmpdir(), 'kanegen-misra-')) : process.argv[named + 1]!;
const folders = await writeC(folder);
const findings = folders.flatMap((own) => findingsIn(misra(own, addon)));
const advisory = new Map<string, number>();
for (const { rule } of findings) if (!isRequired(rule)) advisory.set(rule, (advisory.get(rule) ?? 0) + 1);
console.log(`advisory: ${[...advisory].map(([rule, count]) => `${rule} (${count})`).join(', ')}`);
const problems = judged(
  findings.filter(({ rule }) => isRequired(rule)),
  deviationsIn(readFileSync(RECORD, 'utf8')),
);
for (const own of folders)
  for (const [tool, messages] of analysed(own)) {
    if (messages === undefined) console.log(`${tool} is missing (Debian: gcc clang-tidy): skipped`);
    else if (messages !== '') problems.push(`${tool}: ${messages}`);
  }
for (const problem of problems) console.log(problem);
console.log(
  problems.length === 0 ? 'required: 0 beside the deviations of docs/misra.md' : `${problems.length} problems`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
if (named < 0) rmSync(folder, { recursive: true });
