/**
 * Several robots in one program: run times that are equal merge, precisions stand side by side, and what was compiled with
 * another header or another precision does not link.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { loadGenerated } from '../../src/codegen/typescript/load.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import type { Robot } from '../../src/description/model/robot.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { COMPILERS, isInstalled, UNOPTIMISED } from '../compilers.ts';
import { pendulumRobot } from './straight-pendulum.ts';

/** A robot as files, a source that calls it, and the torque that it must give. */
interface Part {
  readonly name: string;
  readonly files: readonly GeneratedFile[];
  readonly torque: number;
}

async function partOf(robot: Robot, name: string): Promise<Part> {
  const compiled = compileRobot(robot);
  const n = robot.coordinates.length;
  const dynamics = (await loadGenerated(await generateTypeScript(robot, compiled)))();
  const tau = new Float64Array(n);
  const of = (value: number): Float64Array => new Float64Array(n).fill(value);
  dynamics.inverseDynamicsAt(of(0.25), of(0.5), of(1), tau);
  return { name, files: await generateC(robot, compiled), torque: tau[0]! };
}

const one = await partOf(pendulumRobot(1), 'pendulum_1');
const two = await partOf(pendulumRobot(2), 'pendulum_2');

it('files of several robots that have a name in common are equal, but for that of the build', async () => {
  const both = await Promise.all(
    [1, 2].map((links) => generateC(pendulumRobot(links), compileRobot(pendulumRobot(links), { derivatives: true }))),
  );
  const others = new Map(both[1]!.map((file) => [file.path, file.text]));
  const common = both[0]!.filter(({ path: name }) => others.has(name));
  expect(common.map((file) => file.path)).toEqual(expect.arrayContaining(['kanegen_runtime.h', 'CMakeLists.txt']));
  expect(common.filter(({ path: name, text }) => others.get(name) !== text).map((file) => file.path)).toEqual([
    'CMakeLists.txt',
  ]);
});

/** `double torque_of_NAME(void)`, in the precision that it is compiled in. */
function caller({ name }: Part): string {
  return `#include "${name}.h"
#include <stdlib.h>
double torque_of_${name}(void);
double torque_of_${name}(void)
{
  static ${name}_workspace w;
  kg_real q[${name.toUpperCase()}_NQ], qd[${name.toUpperCase()}_NQ], qdd[${name.toUpperCase()}_NQ], tau[${name.toUpperCase()}_NQ];
  int i;
  for (i = 0; i < ${name.toUpperCase()}_NQ; i++) {
    q[i] = KG_REAL(0.25);
    qd[i] = KG_REAL(0.5);
    qdd[i] = KG_REAL(1.0);
  }
  if (${name}_inverse_dynamics_at(&w, &${name}_defaults, q, qd, qdd, tau) != KG_OK)
    abort();
  return (double)tau[0];
}
`;
}

const MAIN = `#include <stdio.h>
double torque_of_pendulum_1(void);
double torque_of_pendulum_2(void);
int main(void)
{
  printf("%.17g %.17g\\n", torque_of_pendulum_1(), torque_of_pendulum_2());
  return 0;
}
`;

const sourcesOf = (part: Part): string[] =>
  part.files.map((f) => f.path).filter((file) => file.endsWith('.c') && !file.endsWith('_selftest.c'));

let directory = '';
beforeAll(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'kanegen-linking-'));
  for (const part of [one, two]) {
    mkdirSync(path.join(directory, part.name));
    for (const file of part.files) writeFileSync(path.join(directory, part.name, file.path), file.text);
    writeFileSync(path.join(directory, `call_${part.name}.c`), caller(part));
  }
  writeFileSync(path.join(directory, 'main.c'), MAIN);
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** Torques that a program prints are right to the precision of each robot. */
function expectTorques(program: string, tolerances: readonly [number, number]): void {
  const found = execFileSync(path.join(directory, program), { encoding: 'utf8' }).trim().split(' ').map(Number);
  [one, two].forEach(({ torque }, i) =>
    expect(Math.abs(found[i]! - torque)).toBeLessThanOrEqual(tolerances[i]! * Math.abs(torque)),
  );
}

const DOUBLE = 1e-14;
const SINGLE = 1e-6;

const FLAGS = { single: ['-DKG_SINGLE'], double: [] } as const;
type Precision = keyof typeof FLAGS;

// Both link by the same program: one compiler, unless everything is asked for.
const [first] = [...COMPILERS.filter(({ missing }) => !missing), ...COMPILERS];
describe.each(process.env['KANEGEN_FULL'] === '1' ? COMPILERS : [first!])('with $compiler', ({ compiler, missing }) => {
  const cc = (...flags: readonly string[]): void => {
    execFileSync(compiler, ['-std=c99', ...UNOPTIMISED, ...flags], { cwd: directory, stdio: 'pipe' });
  };
  /** What was compiled before, by its name. */
  const made = new Set<string>();
  const once = (file: string, make: () => void): string => {
    if (!made.has(file)) make();
    made.add(file);
    return file;
  };
  /** NAME-PRECISION.a from all sources of a robot. */
  const archive = (part: Part, precision: Precision): string =>
    once(`${part.name}-${precision}-${compiler}.a`, () => {
      const objects = sourcesOf(part).map((source) => {
        const object = `${part.name}-${precision}-${source}.o`;
        cc(...FLAGS[precision], '-c', `${part.name}/${source}`, '-o', object);
        return object;
      });
      const file = `${part.name}-${precision}-${compiler}.a`;
      execFileSync('ar', ['rc', file, ...objects], { cwd: directory });
    });
  const object = (part: Part, precision: Precision): string =>
    once(`call-${part.name}-${precision}-${compiler}.o`, () => {
      const file = `call-${part.name}-${precision}-${compiler}.o`;
      cc(...FLAGS[precision], `-I${part.name}`, '-c', `call_${part.name}.c`, '-o', file);
    });

  it.skipIf(missing)(`the sources of two robots make one program (needs ${compiler})`, () => {
    const sources = [one, two].flatMap((part) => sourcesOf(part).map((source) => `${part.name}/${source}`));
    const calls = [one, two].map((part) => `call_${part.name}.c`);
    cc('-Ipendulum_1', '-Ipendulum_2', ...sources, ...calls, 'main.c', '-lm', '-o', 'sources');
    expectTorques('sources', [DOUBLE, DOUBLE]);
  });

  it.skipIf(missing)(`archives of robots in two precisions stand side by side (needs ${compiler})`, () => {
    const [single, double] = [archive(one, 'single'), archive(two, 'double')];
    const calls = [object(one, 'single'), object(two, 'double')];
    for (const archives of [
      [single, double],
      [double, single],
    ]) {
      cc('main.c', ...calls, ...archives, '-lm', '-o', 'archives');
      expectTorques('archives', [SINGLE, DOUBLE]);
    }
  });

  it.skipIf(missing)(`archives in one precision share one run time (needs ${compiler})`, () => {
    const archives = [archive(one, 'double'), archive(two, 'double')];
    cc('main.c', object(one, 'double'), object(two, 'double'), ...archives, '-lm', '-o', 'shared');
    expectTorques('shared', [DOUBLE, DOUBLE]);
  });

  it.skipIf(missing)(`a caller in another precision does not link (needs ${compiler})`, () => {
    const archives = [archive(one, 'single'), archive(two, 'double')];
    const calls = [object(one, 'double'), object(two, 'double')];
    expect(() => cc('main.c', ...calls, ...archives, '-lm', '-o', 'mixed')).toThrow(
      /pendulum_1_inverse_dynamics_at_f64_[0-9a-f]{8}/,
    );
  });

  it.skipIf(missing)(
    `a caller with the header of another version of the robot does not link (needs ${compiler})`,
    () => {
      const file = one.files.find((f) => f.path === 'pendulum_1.h')!;
      const other = path.join(directory, 'other');
      mkdirSync(other, { recursive: true });
      for (const header of one.files.filter((f) => f.path.endsWith('.h')))
        writeFileSync(path.join(other, header.path), header.text);
      const abi = /_ABI = 0x([0-9a-f]{8})/.exec(file.text)![1]!;
      writeFileSync(path.join(other, file.path), file.text.replaceAll(abi, '12345678'));
      cc('-Iother', '-c', 'call_pendulum_1.c', '-o', 'call-other.o');
      const archives = [archive(one, 'double'), archive(two, 'double')];
      expect(() => cc('main.c', 'call-other.o', object(two, 'double'), ...archives, '-lm', '-o', 'mixed')).toThrow(
        /pendulum_1_inverse_dynamics_at_f64_12345678/,
      );
    },
  );
});

describe.skipIf(!isInstalled('cmake'))('CMake (needs cmake)', () => {
  it('builds a project with two robots of two precisions, runs their self-tests, and installs them for others', () => {
    const project = `cmake_minimum_required(VERSION 3.10)
project(two_arms C)
set(PENDULUM_1_SINGLE ON CACHE BOOL "")
enable_testing()
add_subdirectory(pendulum_1)
add_subdirectory(pendulum_2)
add_library(call_pendulum_1 STATIC call_pendulum_1.c)
target_link_libraries(call_pendulum_1 PRIVATE pendulum_1)
add_library(call_pendulum_2 STATIC call_pendulum_2.c)
target_link_libraries(call_pendulum_2 PRIVATE pendulum_2)
add_executable(two_arms main.c)
target_link_libraries(two_arms call_pendulum_1 call_pendulum_2)
`;
    writeFileSync(path.join(directory, 'CMakeLists.txt'), project);
    const options = { cwd: directory, encoding: 'utf8' } as const;
    execFileSync('cmake', ['-S', '.', '-B', 'build', '-DCMAKE_BUILD_TYPE=Debug'], options);
    execFileSync('cmake', ['--build', 'build'], options);
    expectTorques('build/two_arms', [SINGLE, DOUBLE]);
    const { stdout } = spawnSync('ctest', [], { cwd: path.join(directory, 'build'), encoding: 'utf8' });
    expect(stdout).toMatch(/pendulum_1_selftest .*Passed[\s\S]*pendulum_2_selftest .*Passed/);
    const user = path.join(directory, 'user');
    mkdirSync(user);
    const uses = `cmake_minimum_required(VERSION 3.10)
project(user C)
find_package(pendulum_1 REQUIRED)
find_package(pendulum_2 REQUIRED)
add_library(call_pendulum_1 STATIC ../call_pendulum_1.c)
target_link_libraries(call_pendulum_1 PRIVATE kanegen::pendulum_1)
add_library(call_pendulum_2 STATIC ../call_pendulum_2.c)
target_link_libraries(call_pendulum_2 PRIVATE kanegen::pendulum_2)
add_executable(user ../main.c)
target_link_libraries(user call_pendulum_1 call_pendulum_2)
`;
    writeFileSync(path.join(user, 'CMakeLists.txt'), uses);
    execFileSync('cmake', ['--install', 'build', '--prefix', path.join(directory, 'installed')], options);
    const prefix = `-DCMAKE_PREFIX_PATH=${path.join(directory, 'installed')}`;
    execFileSync('cmake', ['-S', 'user', '-B', 'user/build', '-DCMAKE_BUILD_TYPE=Debug', prefix], options);
    execFileSync('cmake', ['--build', 'user/build'], options);
    expectTorques('user/build/user', [SINGLE, DOUBLE]);
  });
});
