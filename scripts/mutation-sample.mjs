/**
 * A random sample of the mutants of an area, for a score with a known uncertainty in minutes: drawn before Stryker starts; of
 * all mutants that it makes, this plugin lets those of the sample pass.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { CheckStatus } from '@stryker-mutator/api/check';
import { Instrumenter } from '@stryker-mutator/instrumenter';
import { areas } from './mutation-areas.mjs';

/** Repeatable numbers in [0, 1): mulberry32. */
function randomNumbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}

/** The same in the report, in Stryker's copy of the project and here; lines and columns from zero. */
function keyOf(fileName, { start, end }, replacement) {
  const path = fileName.slice(fileName.lastIndexOf('src/'));
  return `${path}:${start.line}:${start.column}-${end.line}:${end.column} ${replacement}`;
}

/** Patterns have their `*` in the last part only; those with a `!` take files away. */
function filesOf(area) {
  const found = new Set();
  for (const pattern of areas[area].mutate) {
    const path = pattern.replace('!', '');
    const like = new RegExp(`^${path.replaceAll('.', '\\.').replace('*', '[^/]*')}$`);
    for (const name of readdirSync(dirname(path)).map((name) => join(dirname(path), name)))
      if (like.test(name)) found[pattern === path ? 'add' : 'delete'](name);
  }
  return [...found].sort();
}

/** @returns as many keys of mutants as are wanted, or all. */
export async function drawSample(area, { count, seed }, excludedMutations) {
  const silent = () => undefined;
  const logger = { debug: silent, info: silent, isDebugEnabled: () => false };
  const files = filesOf(area).map((name) => ({ name, mutate: true, content: readFileSync(name, 'utf8') }));
  const { mutants } = await new Instrumenter(logger).instrument(files, {
    plugins: null,
    excludedMutations,
    ignorers: [],
  });
  const keys = mutants
    .filter(({ status }) => status !== 'Ignored')
    .map((m) => keyOf(m.fileName, m.location, m.replacement));
  const random = randomNumbers(seed);
  for (let i = keys.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [keys[i], keys[j]] = [keys[j], keys[i]];
  }
  return { sample: keys.slice(0, count), total: keys.length };
}

/** What became of the sample, by Stryker's report. */
export function resultOf({ files }, sample) {
  const wanted = new Set(sample);
  const own = Object.entries(files).flatMap(([path, { mutants, source }]) =>
    mutants.flatMap(({ location: { start, end }, replacement, status }) => {
      const location = {
        start: { line: start.line - 1, column: start.column - 1 },
        end: { line: end.line - 1, column: end.column - 1 },
      };
      if (!wanted.has(keyOf(path, location, replacement))) return [];
      return [
        {
          place: `${path}:${start.line}:${start.column}`,
          line: source.split('\n')[start.line - 1].trim(),
          replacement,
          status,
        },
      ];
    }),
  );
  const having = (...statuses) => own.filter(({ status }) => statuses.includes(status));
  return { killed: having('Killed', 'Timeout').length, survivors: having('Survived', 'NoCoverage') };
}

class SampleChecker {
  async init() {
    this.sample = new Set(JSON.parse(readFileSync(process.env.KANEGEN_MUTATION_SAMPLE, 'utf8')));
  }

  async check(mutants) {
    const isWanted = ({ fileName, location, replacement }) => this.sample.has(keyOf(fileName, location, replacement));
    const verdict = (mutant) =>
      isWanted(mutant)
        ? { status: CheckStatus.Passed }
        : { status: CheckStatus.CompileError, reason: 'not in the sample' };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, verdict(mutant)]));
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Checker, 'sample', SampleChecker)];
