/** What build systems of small processors read beside C names the sources that there are, and builds them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { GeneratedFile } from '../../../src/index.ts';
import { load } from '../../../src/index.ts';
import { isInstalled } from '../../compilers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-packaging-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const robot = (name: string, body: string): object => ({
  kanegen: 1,
  name,
  summary: 'an "arm" of $5',
  links: [{ name: 'finger', body, parameters: { L: 0.2, R: 0.02, rho: 1062 } }],
});

let files: GeneratedFile[];
const textOf = (name: string): string => files.find((file) => file.path === name)!.text;
beforeAll(async () => {
  files = (await (await (await load(robot('lone-arm', 'planar-cc'))).compile()).files({ target: 'c', packaging: true }))
    .filter((file) => file.path.startsWith('c/'))
    .map((file) => ({ ...file, path: file.path.slice(2) }));
  for (const file of files) {
    mkdirSync(path.dirname(path.join(folder, file.path)), { recursive: true });
    writeFileSync(path.join(folder, file.path), file.text);
  }
});

const sources = (): string[] =>
  files.map((file) => file.path).filter((name) => name.endsWith('.c') && !name.endsWith('_selftest.c'));

describe('packages', () => {
  it('PlatformIO takes all sources but the self-test', () => {
    const library = JSON.parse(textOf('library.json')) as {
      name: string;
      headers: string[];
      build: { srcFilter: string[] };
    };
    expect(library).toMatchObject({ name: 'lone_arm', headers: ['lone_arm.h'] });
    expect(library.build.srcFilter).toEqual(['-<*>', ...sources().map((name) => `+<${name}>`)]);
  });

  it('Arduino has its keys, and no second main', () => {
    const keys = textOf('library.properties')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]);
    expect(keys).toEqual(
      expect.arrayContaining(['name', 'version', 'sentence', 'category', 'architectures', 'includes']),
    );
    const compile = ['-DARDUINO=10819', '-c', 'lone_arm_selftest.c', '-o', 'selftest.o'];
    execFileSync('cc', compile, { cwd: folder });
    expect(execFileSync('nm', ['selftest.o'], { cwd: folder, encoding: 'utf8' })).toBe('');
  });

  it.skipIf(!isInstalled('cmake'))('Zephyr builds the sources where its option is on', () => {
    const module = parse(textOf('zephyr/module.yml')) as { name: string; build: { cmake: string; kconfig: string } };
    expect(module).toEqual({ name: 'lone_arm', build: { cmake: 'zephyr', kconfig: 'zephyr/Kconfig' } });
    expect(textOf('zephyr/Kconfig')).toContain(`\tbool "Dynamics of lone-arm: an 'arm' of '5"`);
    // As Zephyr does: its functions collect sources of a library.
    const project = `cmake_minimum_required(VERSION 3.10)
project(shim C)
set(CONFIG_KANEGEN_LONE_ARM y)
set(CONFIG_KANEGEN_LONE_ARM_SINGLE y)
macro(zephyr_library_named name)
  add_library(\${name} STATIC)
  set(own \${name})
endmacro()
macro(zephyr_library_sources)
  target_sources(\${own} PRIVATE \${ARGN})
endmacro()
macro(zephyr_include_directories)
  target_include_directories(\${own} PUBLIC \${ARGN})
endmacro()
macro(zephyr_compile_definitions)
  target_compile_definitions(\${own} PUBLIC \${ARGN})
endmacro()
set(CMAKE_POLICY_DEFAULT_CMP0076 NEW)
add_subdirectory("${path.join(folder, module.build.cmake)}" module)
`;
    const place = path.join(folder, 'shim');
    mkdirSync(place);
    writeFileSync(path.join(place, 'CMakeLists.txt'), project);
    execFileSync('cmake', ['-S', '.', '-B', 'build'], { cwd: place });
    execFileSync('cmake', ['--build', 'build'], { cwd: place });
    const symbols = execFileSync('nm', [path.join(place, 'build/module/liblone_arm.a')], { encoding: 'utf8' });
    expect(symbols).toMatch(/T lone_arm_inverse_dynamics_f32_/);
  });

  it.skipIf(!isInstalled('cmake'))('CMake optimises by itself, and does as it is told', () => {
    const typeOf = (build: string, ...words: readonly string[]): string | undefined => {
      execFileSync('cmake', ['-S', '.', '-B', build, ...words], { cwd: folder });
      const cache = readFileSync(path.join(folder, build, 'CMakeCache.txt'), 'utf8');
      return /^CMAKE_BUILD_TYPE:\w+=(.*)$/m.exec(cache)?.[1];
    };
    expect(typeOf('alone')).toBe('Release');
    expect(typeOf('told', '-DCMAKE_BUILD_TYPE=Debug')).toBe('Debug');
  });

  it.skipIf(!isInstalled('cmake') || !isInstalled('arm-none-eabi-gcc'))('CMake builds for another processor', () => {
    const toolchain = `set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard")
`;
    writeFileSync(path.join(folder, 'toolchain.cmake'), toolchain);
    const words = ['-S', '.', '-B', 'cross', `-DCMAKE_TOOLCHAIN_FILE=${folder}/toolchain.cmake`, '-DKG_SINGLE=ON'];
    execFileSync('cmake', words, { cwd: folder });
    const said = execFileSync('cmake', ['--build', 'cross'], { cwd: folder, encoding: 'utf8' });
    expect(said).toContain('Built target lone_arm');
    expect(said).not.toContain('selftest');
  });
});

describe('robots in one flat folder', () => {
  it('have no file of the same name with other contents', async () => {
    const robots = [robot('first', 'pcc-3d'), robot('second', 'planar-cc')];
    const all = await Promise.all(
      robots.map(async (own, i) => (await (await load(own)).compile({ derivatives: i === 0 })).files({ target: 'c' })),
    );
    const contents = all.map((own) => new Map(own.map((file) => [file.path, file.text])));
    const shared = [...contents[0]!].filter(([name]) => contents[1]!.has(name));
    const others = shared.filter(([name, text]) => contents[1]!.get(name) !== text).map(([name]) => name);
    expect(shared.map(([name]) => name)).toContain('c/kanegen_stumpff.c');
    expect(others.filter((name) => name.startsWith('c/'))).toEqual(['c/CMakeLists.txt']);
  });
});
