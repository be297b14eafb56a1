/** C as one header and one source file: compilers of C and C++ take it, it exports its interface alone, and has the bits of the separate files. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { amalgamated } from '../../src/codegen/amalgamation/amalgamate.ts';
import { STRICT_FLAGS } from '../../src/codegen/c/build-c.ts';
import { chooseFunctions } from '../../src/codegen/choice.ts';
import { evaluatorSource } from '../../src/codegen/c/c.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { generatedCost } from '../../src/codegen/whole-robot/straight-cost.ts';
import { loadRobotFile, loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { compileStraight } from '../../src/straight/compile.ts';
import { COMPILERS, isInstalled, QUICK } from '../compilers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'kanegen-amalgamation-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Forms {
  readonly separate: readonly GeneratedFile[];
  readonly one: readonly GeneratedFile[];
  readonly evaluator: GeneratedFile;
}

async function formsOf(example: string, isStraight: boolean): Promise<Forms> {
  const robot = loadRobotFile(`examples/${example}.robot.yaml`);
  const compiled = chooseFunctions(robot, compileRobot(robot, { derivatives: true }), ['all']);
  const straight = isStraight ? compileStraight(robot, { count: generatedCost }) : undefined;
  const own = async (amalgamate: boolean): Promise<GeneratedFile[]> =>
    (await generateFolder(robot, compiled, ['c'], straight, { amalgamate }))
      .filter((file) => file.path.startsWith('c/'))
      .map(({ path: name, text }) => ({ path: name.slice(2), text }));
  return { separate: await own(false), one: await own(true), evaluator: await evaluatorSource(robot, compiled) };
}

function written(name: string, files: readonly GeneratedFile[]): string[] {
  const own = mkdtempSync(path.join(folder, `${name}-`));
  for (const file of files) writeFileSync(path.join(own, file.path), file.text);
  return files.filter((file) => file.path.endsWith('.c')).map((file) => path.join(own, file.path));
}

function built(name: string, files: readonly GeneratedFile[], flags: readonly string[] = [], compiler = 'cc'): string {
  const program = path.join(mkdtempSync(path.join(folder, `${name}-`)), 'program');
  const sources = written(name, files);
  execFileSync(compiler, [...STRICT_FLAGS, '-O0', '-ffp-contract=off', ...flags, ...sources, '-o', program, '-lm']);
  return program;
}

const CASES: readonly { readonly example: string; readonly name: string; readonly isStraight: boolean }[] = [
  { example: 'two-link', name: 'two_link', isStraight: true },
  { example: 'planar-cc', name: 'planar_cc', isStraight: false },
];
const forms = new Map<string, Forms>();
beforeAll(async () => {
  for (const { example, isStraight } of CASES) forms.set(example, await formsOf(example, isStraight));
});

const isSelfTest = ({ path: name }: GeneratedFile): boolean => name.endsWith('_selftest.c');

describe.each(CASES)('$example', ({ example, name }) => {
  it('is a header, a source and a self-test', () => {
    const { one } = forms.get(example)!;
    expect(one.map((file) => file.path)).toEqual([`${name}.h`, `${name}.c`, `${name}_selftest.c`]);
    const included = one.flatMap(({ text }) => [...text.matchAll(/^#include "(.+)"$/gm)].map(([, file]) => file));
    expect(new Set(included)).toEqual(new Set([`${name}.h`]));
  });

  it('passes its self-test in double and single precision', () => {
    const { one } = forms.get(example)!;
    const isFull = process.env['KANEGEN_FULL'] === '1';
    // Precisions by compilers in turn, unless everything is asked for.
    const turn = CASES.findIndex((own) => own.name === name);
    for (const [i, { compiler, missing }] of COMPILERS.entries())
      for (const [k, flags] of [[], ['-DKG_SINGLE']].entries())
        if (!missing && (isFull || (i + k + turn) % 2 === 0))
          expect(execFileSync(built(name, one, flags, compiler), { encoding: 'utf8' })).toMatch(/ok\s*$/);
  });

  it.skipIf(!isInstalled('g++'))('is C++, too (needs g++)', () => {
    const [source] = written(name, forms.get(example)!.one);
    execFileSync('g++', ['-x', 'c++', '-Wall', '-Wextra', '-Werror', '-O0', '-c', source!, '-o', '/dev/null']);
  });

  it('has no names in camel case', () => {
    const text = forms
      .get(example)!
      .one.map((file) => file.text.replace(/\/\*[\s\S]*?\*\/|"[^"\n]*"/g, ''))
      .join('\n');
    expect(text.match(/\b[a-z]\w*[a-z0-9][A-Z][a-z]\w*/g) ?? []).toEqual([]);
  });

  it('has the bits of the separate files', () => {
    const { separate, one, evaluator } = forms.get(example)!;
    const n = loadRobotFile(`examples/${example}.robot.yaml`).coordinates.length;
    const numbers = (seed: number): number[] => Array.from({ length: n }, (_, i) => Math.sin(seed + 1.7 * i) / 2);
    const input = [1, 2, 3].map((k) => [k, k + 10, k + 20, k + 30].flatMap(numbers).join(' ')).join('\n');
    const results = [separate, one].map((files) =>
      execFileSync(built(name, [...files.filter((file) => !isSelfTest(file)), evaluator], [], QUICK.compiler), {
        input: `${input}\n`,
        encoding: 'utf8',
      }),
    );
    expect(results[0]!.trim().split('\n')).not.toHaveLength(0);
    expect(results[1]).toBe(results[0]);
  });
});

it('writes helpers of the same text again where the types in them are others', () => {
  const module = (own: string, type: string): GeneratedFile[] => [
    {
      path: `two_${own}.h`,
      text: `#ifndef TWO_${own}_H\n#define TWO_${own}_H\n\ndouble two_${own}(double x);\n\n#endif\n`,
    },
    {
      path: `two_${own}.c`,
      text: [
        `#include "two_${own}.h"`,
        `typedef ${type} lanes;`,
        'static lanes twice(lanes v)\n{\n  return v + v;\n}',
        'static lanes thrice(lanes v)\n{\n  return v + twice(v);\n}',
        `double two_${own}(double x)\n{\n  return (double)thrice((lanes)x);\n}\n`,
      ].join('\n\n'),
    },
  ];
  const robot = {
    header: { path: 'two.h', text: '#ifndef TWO_H\n#define TWO_H\n\nint two(void);\n\n#endif\n' },
    source: {
      path: 'two.c',
      text: '#include "two.h"\n\n#include "two_a.h"\n\n#include "two_b.h"\n\nint two(void)\n{\n  return two_a(0.5) == 1.5 && two_b(0.5) == 0.0;\n}\n',
    },
  };
  const main = { path: 'main.c', text: '#include "two.h"\nint main(void)\n{\n  return two() ? 0 : 1;\n}\n' };
  const one = amalgamated('two', [robot.header, robot.source, ...module('a', 'double'), ...module('b', 'int')]);
  execFileSync(built('two', [...one, main], [], QUICK.compiler));
});

it('has in its header the types of shells, and the run time that only callers call, in C and C++', async () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'shelled',
    links: [{ name: 'arm', joint: { revolute: 'y' }, rigid: { mass: 1, com: [0, 0, 0.1] } }],
    actuators: { m: { motor: 'arm.angle', limits: [-20, 20] } },
    controllers: {
      track: { 'computed-torque': { kp: 225, kd: 30 }, shell: { period: '1 ms', rate: 400, blend: '1 s' } },
    },
  });
  const compiled = chooseFunctions(robot, compileRobot(robot), ['inverse-dynamics']);
  const files = (await generateFolder(robot, compiled, ['c'], undefined, { amalgamate: true }))
    .filter((file) => /^c\/.*(?<!_selftest)\.[ch]$/.test(file.path))
    .map(({ path: name, text }) => ({ path: name.slice(2), text }));
  const text = `#include "shelled.h"
int main(void)
{
  static shelled_workspace w;
  static shelled_track_shell shell;
  const kg_real x[1] = {KG_REAL(0.1)}, rest[1] = {KG_REAL(0.0)};
  /* A load of 3 kg has three times the forces of 1 kg. A stop, then an S-curve from its end, which ends at 1.5. */
  const kg_real direction[2] = {KG_REAL(1.0), KG_REAL(-2.0)}, forces[2] = {KG_REAL(3.0), KG_REAL(-6.0)};
  const kg_real from[3] = {KG_REAL(0.5), KG_REAL(0.25), KG_REAL(-1.0)};
  kg_real u[1], plan[19], at[3];
  if (kg_share_of(2, direction, forces) != KG_REAL(3.0)) return 2;
  if (!kg_plan_stop(from, KG_REAL(3.0), KG_REAL(20.0), plan) || !kg_planned(plan[18], plan, at)) return 3;
  if (!kg_plan_motion(at, KG_REAL(1.5), KG_REAL(1.25), KG_REAL(3.0), KG_REAL(20.0), plan)) return 4;
  if (!kg_planned(KG_REAL(1e3), plan, at) || at[0] != KG_REAL(1.5) || at[1] != KG_REAL(0.0)) return 5;
  if (!kg_minimum_jerk(KG_REAL(0.5), KG_REAL(1.0), KG_REAL(0.0), KG_REAL(1.0), at) || at[0] != KG_REAL(0.5)) return 6;
  shelled_track_shell_reset(&shell);
  return shelled_track_shell_step(&w, &shelled_defaults, &shell, KG_SHELL_HOLD, KG_REAL(1e-3), x, rest, x, rest, rest,
                                  u) == KG_OK && shell.core.mode == KG_SHELL_HOLD ? 0 : 1;
}
`;
  execFileSync(built('shelled', [...files, { path: 'main.c', text }], [], QUICK.compiler));
  if (!isInstalled('g++')) return;
  for (const source of written('shelled', files))
    execFileSync('g++', ['-x', 'c++', '-Wall', '-Wextra', '-Werror', '-fsyntax-only', source]);
});

it('exports the interface alone, and two robots make one program', () => {
  const files = CASES.map(({ example }) => forms.get(example)!.one.filter((file) => !isSelfTest(file)));
  const main = {
    path: 'main.c',
    text: '#include "two_link.h"\n#include "planar_cc.h"\nint main(void)\n{\n  return TWO_LINK_NQ == 2 && PLANAR_CC_NQ > 0 && two_link_defaults.gravity[1] < KG_REAL(0.0) ? 0 : 1;\n}\n',
  };
  const program = built('both', [...files.flat(), main]);
  execFileSync(program);
  const symbols = execFileSync('nm', ['-g', '--defined-only', program], { encoding: 'utf8' }).match(
    /\b(?:two_link|planar_cc|kg)_\w+/g,
  )!;
  const header = files
    .flat()
    .filter((file) => file.path.endsWith('.h'))
    .map(({ text }) => text)
    .join('\n');
  const linked = new Set([...header.matchAll(/KG_LINKED\((\w+), (\w+)\)/g)].map(([, own, abi]) => `${own}_f64_${abi}`));
  expect(symbols.length).toBeGreaterThan(10);
  expect(symbols.filter((symbol) => !linked.has(symbol))).toEqual([]);
});
