/** The CMake example for SUNDIALS: its motion against the values that the scenario of the same robot expects, and what it says without. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { loadScenario } from '../../src/simulation/scenario/scenario.ts';
import { isInstalled, supports } from '../compilers.ts';

const examples = path.resolve('examples');
const hasCMake = isInstalled('cc') && isInstalled('cmake');
const hasSundials = hasCMake && supports('cc', '-include', 'ida/ida.h', '-lsundials_ida');
const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-test-'));
const { robot, expectations } = loadScenario(path.join(examples, 'scenarios/swing.scenario.yaml'));

function run(command: string, ...given: readonly string[]): string {
  const { stdout, stderr } = spawnSync(command, given, { encoding: 'utf8' });
  return `${stdout}${stderr}`.replace(/\s+/g, ' ').trim();
}

const configure = (build: string, ...given: readonly string[]): string =>
  run('cmake', '-S', path.join(examples, 'sundials'), '-B', path.join(folder, build), ...given);

beforeAll(async () => {
  mkdirSync(path.join(folder, 'c'));
  for (const file of await generateC(robot, compileRobot(robot)))
    writeFileSync(path.join(folder, 'c', file.path), file.text);
});
afterAll(() => rmSync(folder, { recursive: true }));

describe('the CMake example for SUNDIALS', () => {
  it.skipIf(!hasSundials).each([
    ['its package', []],
    ['headers and libraries alone', ['-DCMAKE_DISABLE_FIND_PACKAGE_SUNDIALS=ON']],
  ])('finds %s, and moves as the scenario expects (needs CMake and SUNDIALS)', (name, options) => {
    const build = name.replace(/ /g, '-');
    configure(build, `-DROBOT=${path.join(folder, 'c')}`, ...options);
    run('cmake', '--build', path.join(folder, build), '--target', 'swing_ida');
    const found = run(path.join(folder, build, 'swing_ida'))
      .split(' ')
      .map(Number);
    expect(found).toHaveLength(5);
    const ofFile = expectations.find(({ at }) => at === 1)!.values.map(({ value }) => value);
    expect(ofFile).toHaveLength(4);
    ofFile.forEach((value, i) => expect(Math.abs(found[i + 1]! - value)).toBeLessThan(1e-5));
  });

  it.skipIf(!hasCMake)('says what is missing (needs CMake)', () => {
    expect(configure('nowhere')).toContain('give -DROBOT=FOLDER');
    const without = ['-DCMAKE_DISABLE_FIND_PACKAGE_SUNDIALS=ON', '-DSUNDIALS_INCLUDE='];
    expect(configure('bare', `-DROBOT=${path.join(folder, 'c')}`, ...without)).toContain(
      'SUNDIALS is not installed (Debian: apt-get install libsundials-dev): swing_ida is left out',
    );
  });
});
