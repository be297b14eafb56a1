/** Straight-line modules: what compilers say, that they compute what the driver computes, what is left out when unwanted. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, runProgram, STRICT_FLAGS } from '../../src/codegen/c/build-c.ts';
import { generateFolder } from '../../src/codegen/folder.ts';
import { loadGenerated, loadStraight } from '../../src/codegen/typescript/load.ts';
import { forceUnit } from '../../src/description/model/robot.ts';
import { straightModel } from '../../src/codegen/whole-robot/straight-model.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import type { StraightRobot } from '../../src/straight/straight-robot.ts';
import { decimal, half, plus, times, type Expr } from '../../src/symbolic/graph/expr.ts';
import type { GeneratedFile } from '../../src/codegen/modules/robot-model.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { COMPILERS, isInstalled, QUICK, SANITIZERS } from '../compilers.ts';
import { pendulumRobot, pendulumStraight } from './straight-pendulum.ts';

const robot = pendulumRobot(3);
const compiled = compileRobot(robot);
const straight = pendulumStraight(robot);
const folder = await generateFolder(robot, compiled, ['ts', 'c'], straight);
const inFolder = (files: readonly GeneratedFile[], name: string): GeneratedFile[] =>
  files.filter((f) => f.path.startsWith(`${name}/`)).map((f) => ({ ...f, path: f.path.slice(name.length + 1) }));
const typescript = inFolder(folder, 'typescript').filter((f) => f.path.endsWith('.ts'));
const c = inFolder(folder, 'c');
const straightFiles = folder.filter((f) => f.path.includes('_straight.'));

/** Functions too long for one piece, which are no mechanics: two chains of operations that share their first half. */
const pair = pendulumRobot(2);
const pairCompiled = compileRobot(pair);
const longStraight = chains(pendulumStraight(pair), 1500);
const longFolder = await generateFolder(pair, pairCompiled, ['ts', 'c'], longStraight);
const longC = inFolder(longFolder, 'c');

function chains(like: StraightRobot, steps: number): StraightRobot {
  const chain = (from: readonly [Expr, Expr], count: number): [Expr, Expr] => {
    let [before, last] = from;
    for (let k = 0; k < count; k++)
      [before, last] = [last, plus(decimal((1 + (k % 4)) / 10), times(half, before, last))];
    return [before, last];
  };
  const [q1, q2] = like.inputs.q;
  const shared = chain([q1!, q2!], steps);
  const one = chain([like.inputs.qd[0]!, shared[0]], steps);
  const two = chain([like.inputs.qdd[0]!, shared[1]], steps);
  const output = { summary: 'the end of a chain', optional: true };
  return {
    ...like,
    functions: [
      {
        name: 'inverseDynamicsAndMassMatrix',
        summary: 'Two chains.',
        reads: ['parameters', 'q', 'qd', 'qdd'],
        outputs: [
          { ...output, buffer: 'tau', values: one },
          { ...output, buffer: 'M', values: [...two, ...two] },
        ],
      },
    ],
  };
}

const numbers = (count: number, phase: number): Float64Array =>
  Float64Array.from({ length: count }, (_, i) => Math.sin(1.7 * i + phase));

const functions = await loadStraight(
  typescript,
  typescript.find((f) => f.path.endsWith('_straight.ts'))!,
);
const dynamics = (await loadGenerated(typescript))();
const p = dynamics.parameters;
const [q, qd, qdd] = [numbers(3, 1), numbers(3, 2), numbers(3, 3)];

/** Equal on the scale of the largest number, or of what the numbers are differences of. */
function expectClose(
  found: ArrayLike<number>,
  expected: ArrayLike<number>,
  tolerance = 1e-13,
  terms: ArrayLike<number> = expected,
): void {
  const scale = Math.max(...Array.from(terms, Math.abs));
  Array.from(found).forEach((x, i) => expect(Math.abs(x - expected[i]!)).toBeLessThanOrEqual(tolerance * scale));
}

describe('straight-line TypeScript', () => {
  const of = (): { tau: Float64Array; M: Float64Array; g: Float64Array } => {
    const [tau, M, g] = [new Float64Array(3), new Float64Array(9), new Float64Array(3)];
    dynamics.update(q, qd);
    dynamics.inverseDynamics(qdd, tau);
    dynamics.massMatrix(M);
    dynamics.terms(null, g, null, null);
    return { tau, M, g };
  };

  it.each([1.3, 4])('computes what the driver computes, with m = %d kg at run time', (mass) => {
    p['m'] = mass;
    const expected = of();
    const [tau, both, M, bothM, g] = [3, 3, 9, 9, 3].map((size) => new Float64Array(size));
    functions.inverseDynamics!(p, q, qd, qdd, tau!);
    functions.massMatrix!(p, q, M!);
    functions.inverseDynamicsAndMassMatrix!(p, q, qd, qdd, both!, bothM!);
    functions.gravity!(p, q, g!);
    p['m'] = 1.3;
    expectClose(tau!, expected.tau);
    expectClose(M!, expected.M);
    expectClose(both!, expected.tau);
    expectClose(bothM!, expected.M);
    expectClose(g!, expected.g);
  });

  it('leaves out what it is given null for, and gives the same bits for the rest', () => {
    const [tau, M, alone, aloneM] = [3, 9, 3, 9].map((size) => new Float64Array(size));
    functions.inverseDynamicsAndMassMatrix!(p, q, qd, qdd, tau!, M!);
    functions.inverseDynamicsAndMassMatrix!(p, q, qd, qdd, alone!, null);
    functions.inverseDynamicsAndMassMatrix!(p, q, qd, qdd, null, aloneM!);
    expect(alone).toEqual(tau);
    expect(aloneM).toEqual(M);
  });

  it('has derivatives that are difference quotients of its inverse dynamics', () => {
    const [byQ, byQd] = [new Float64Array(9), new Float64Array(9)];
    functions.inverseDynamicsDerivatives!(p, q, qd, qdd, byQ, byQd);
    const step = 1e-5;
    const tauAt = (i: number, dq: number, dqd: number): Float64Array => {
      const tau = new Float64Array(3);
      const moved = (x: Float64Array, by: number): Float64Array => x.map((value, k) => value + (k === i ? by : 0));
      functions.inverseDynamics!(p, moved(q, dq), moved(qd, dqd), qdd, tau);
      return tau;
    };
    for (let j = 0; j < 3; j++) {
      const [forward, backward] = [tauAt(j, step, 0), tauAt(j, -step, 0)];
      const [faster, slower] = [tauAt(j, 0, step), tauAt(j, 0, -step)];
      for (let i = 0; i < 3; i++) {
        expect((forward[i]! - backward[i]!) / (2 * step)).toBeCloseTo(byQ[3 * i + j]!, 7);
        expect((faster[i]! - slower[i]!) / (2 * step)).toBeCloseTo(byQd[3 * i + j]!, 7);
      }
    }
  });

  it('passes a compiler stricter than strict', () => {
    const directory = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
    for (const file of typescript) {
      mkdirSync(dirname(join(directory, file.path)), { recursive: true });
      writeFileSync(join(directory, file.path), file.text);
    }
    const program = ts.createProgram(
      typescript.map((file) => join(directory, file.path)),
      {
        strict: true,
        noUnusedLocals: true,
        noUnusedParameters: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        noEmit: true,
        types: [],
        target: ts.ScriptTarget.ES2022,
        module: ts.ModuleKind.NodeNext,
        moduleResolution: ts.ModuleResolutionKind.NodeNext,
      },
    );
    const complaints = ts
      .getPreEmitDiagnostics(program)
      .map((d) => ts.flattenDiagnosticMessageText(d.messageText, '\n'));
    rmSync(directory, { recursive: true });
    expect(complaints).toEqual([]);
  });
});

describe('straight-line modules', () => {
  it('are the same bytes every time', async () => {
    const again = pendulumRobot(3);
    expect(await generateFolder(again, compileRobot(again), ['ts', 'c'], pendulumStraight(again))).toEqual(folder);
  });

  it('keep their lines within 120 columns', () => {
    const own = [...folder, ...longFolder].filter((f) => /_straight\.|selftest/.test(f.path));
    const lines = own.flatMap((f) => f.text.split('\n'));
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  it('name their source, units, what they read at run time, and their cost, which straight.json repeats', () => {
    const manifest = JSON.parse(folder.find((f) => f.path === 'straight.json')!.text) as {
      functions: { c: string; operations: { add: number; multiply: number; executed: number }; slots: number }[];
    };
    expect(manifest.functions).toHaveLength(6);
    for (const file of straightFiles.filter((f) => f.path.endsWith('.h') || f.path.endsWith('.ts'))) {
      expect(file.text).toMatch(/sha256 [0-9a-f]{64}/);
      expect(file.text).toContain('joint2.angle [rad] N m');
      expect(file.text).toContain('Read at run time: m.');
      for (const { operations, slots } of manifest.functions)
        expect(file.text).toMatch(
          new RegExp(
            `${operations.executed.toLocaleString('en-US')} operations: ${operations.add} \\+, ${operations.multiply} \\*.*${slots} slots`,
          ),
        );
    }
  });

  it('know the unit of the force that belongs to a coordinate', () => {
    expect(['rad', 'm', '1', 'rad/m'].map(forceUnit)).toEqual(['N m', 'N', 'N m', 'N m/(rad/m)']);
  });

  it('cut long functions into parts', () => {
    const { parts } = straightModel(pair, pairCompiled, longStraight).functions[0]!;
    expect(parts).toBeGreaterThan(2);
    for (const { path, text } of longFolder.filter((f) => /_straight\.(c|ts)$/.test(f.path)))
      expect(text.match(/_part\d+\(|Part\d+\(/g), path).toHaveLength(2 * parts);
  });
});

const [Q, QD, QDD] = [
  [0.25, 0.5],
  [0.125, 0.75],
  [0.375, 0.0625],
];

/** Calls with every combination of NULL, prints both outputs, and how many numbers differ between the calls. */
const NULL_MAIN = `#include "pendulum_2_straight.h"
#include <stddef.h>
#include <stdio.h>
int main(void)
{
  const kg_real q[2] = {${Q.join(', ')}}, qd[2] = {${QD.join(', ')}}, qdd[2] = {${QDD.join(', ')}};
  kg_real tau[2], M[4], alone[6];
  int i, different = 0;
  pendulum_2_straight_inverse_dynamics_and_mass_matrix(&pendulum_2_defaults, q, qd, qdd, tau, M);
  pendulum_2_straight_inverse_dynamics_and_mass_matrix(&pendulum_2_defaults, q, qd, qdd, alone, NULL);
  pendulum_2_straight_inverse_dynamics_and_mass_matrix(&pendulum_2_defaults, q, qd, qdd, NULL, alone + 2);
  pendulum_2_straight_inverse_dynamics_and_mass_matrix(&pendulum_2_defaults, q, qd, qdd, NULL, NULL);
  for (i = 0; i < 6; i++)
    different += alone[i] != (i < 2 ? tau[i] : M[i - 2]);
  for (i = 0; i < 6; i++)
    printf("%.17g ", alone[i]);
  printf("%d\\n", different);
  return 0;
}
`;

describe.each(COMPILERS)('straight-line C compiled by $compiler', ({ compiler, missing, unsanitary }) => {
  const run = async (
    files: readonly GeneratedFile[],
    options: Parameters<typeof buildC>[1],
    leaveOut?: (path: string) => boolean,
  ): Promise<string> => {
    const program = await buildC(files, { compiler, ...options }, leaveOut);
    return runProgram(program).finally(() => program.dispose());
  };

  // Sums in single precision are the ones that compilers warn of: both compilers take them, and gcc those in double, too.
  const precisions = (['double', 'single'] as const).filter(
    (precision) => process.env['KANEGEN_FULL'] === '1' || compiler === 'gcc' || precision === 'single',
  );
  it.skipIf(missing).each(precisions)(
    `compiles in %s without a warning and passes the self-test against the driver (needs ${compiler})`,
    async (precision) => {
      expect(await run(c, { precision })).toBe('pendulum_3: ok\n');
    },
  );

  it.skipIf(unsanitary)(`runs clean under sanitizers (needs ${compiler} with sanitizers)`, async () => {
    expect(await run(c, { flags: SANITIZERS })).toBe('pendulum_3: ok\n');
  });

  it.skipIf(unsanitary)(
    `takes NULL in parts of long functions, and gives the bits of the TypeScript (needs ${compiler} with sanitizers)`,
    async () => {
      const modules = inFolder(longFolder, 'typescript');
      const { inverseDynamicsAndMassMatrix } = await loadStraight(
        modules,
        modules.find((f) => f.path.endsWith('_straight.ts'))!,
      );
      const [tau, M] = [new Float64Array(2), new Float64Array(4)];
      inverseDynamicsAndMassMatrix!(p, Q, QD, QDD, tau, M);
      const files = [...longC, { path: 'main.c', text: NULL_MAIN }];
      const output = await run(files, { flags: SANITIZERS }, (path) => path.endsWith('_selftest.c'));
      expect(output.trim().split(' ').map(Number)).toEqual([...tau, ...M, 0]);
    },
  );
});

describe.skipIf(!isInstalled('cc'))('the self-test of straight-line C (needs cc)', () => {
  it.each(['inverseDynamics', 'massMatrix', 'gravity', 'inverseDynamicsDerivatives'] as const)(
    'notices when %s is wrong in the sixth digit',
    async (name) => {
      const wrong: StraightRobot = {
        ...straight,
        functions: straight.functions.map((f) =>
          f.name !== name
            ? f
            : {
                ...f,
                outputs: f.outputs.map((output) => ({
                  ...output,
                  values: output.values.map((value) => times(decimal(1.000001), value)),
                })),
              },
        ),
      };
      const files = inFolder(await generateFolder(robot, compiled, ['c'], wrong), 'c');
      const program = await buildC(files, QUICK);
      const failure = runProgram(program).finally(() => program.dispose());
      await expect(failure).rejects.toThrow(/differ/);
    },
  );
});

describe.skipIf(!isInstalled('cc'))('an evaluation with straight-line functions (needs cc)', () => {
  it('gives the terms of the driver, in both languages and precisions', async () => {
    const state = { q: [...q], qd: [...qd], qdd: [...qdd] };
    const [expected] = await evaluateRobot(robot, compiled, [state], { target: 'ts', precision: 'double' });
    for (const [target, precision, tolerance] of [
      ['ts', 'double', 1e-13],
      ['c', 'double', 1e-13],
      ['c', 'single', 1e-5],
    ] as const) {
      const [found] = await evaluateRobot(robot, compiled, [state], { target, precision, straight });
      expectClose(found!.tau, expected!.tau, tolerance);
      expectClose(found!.c, expected!.c, tolerance, [...expected!.c, ...expected!.g]);
      expectClose(found!.g, expected!.g, tolerance);
      expectClose(found!.M.flat(), expected!.M.flat(), tolerance);
      expect(found!.tip_position).toHaveLength(3);
    }
  });
});

describe.skipIf(!isInstalled('gcc') || !isInstalled('nm'))(
  'the object file of straight-line C (needs gcc and nm)',
  () => {
    let symbols = '';
    beforeAll(() => {
      const directory = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
      for (const file of longC) writeFileSync(join(directory, file.path), file.text);
      execFileSync('gcc', ['-O1', '-fno-pie', ...STRICT_FLAGS, '-c', 'pendulum_2_straight.c'], { cwd: directory });
      symbols = execFileSync('nm', ['pendulum_2_straight.o'], { cwd: directory, encoding: 'utf8' });
      rmSync(directory, { recursive: true });
    });

    it('exports its function alone, calls no allocator and holds no writable data', () => {
      expect(symbols.match(/ T pendulum_2_straight_\w+/g)).toHaveLength(1);
      expect(symbols).not.toMatch(/ U (malloc|calloc|realloc|free|alloca|aligned_alloc)\b/);
      expect(symbols.split('\n').filter((line) => / [bBdDcCsSgG] /.test(line))).toEqual([]);
    });
  },
);
