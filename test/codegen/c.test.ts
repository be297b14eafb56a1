/** Generated C: what compilers and sanitizers say, that it computes what the TypeScript computes, Stumpff accuracy. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Decimal } from 'decimal.js';
import { tableC } from '../../src/codegen/c-language/source-text.ts';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildC, buildEvaluator, CompilerError, runProgram, STRICT_FLAGS } from '../../src/codegen/c/build-c.ts';
import { generateC } from '../../src/codegen/c/c.ts';
import type { State } from '../../src/codegen/modules/evaluation.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { stumpff } from '../../src/runtime/stumpff.ts';
import { decimalOfPrecision, stumpffDecimal } from '../../src/symbolic/evaluation/evaluate.ts';
import { Rational } from '../../src/symbolic/graph/rational.ts';
import { evaluateRobot } from '../../src/verify/generated/evaluation.ts';
import { COMPILERS, isInstalled, messagesOf, SANITIZERS } from '../compilers.ts';
import { branchedRobot, planarCcChain } from './sample-robots.ts';

const TYPESCRIPT = { target: 'ts', precision: 'double' } as const;

const robot = branchedRobot();
const compiled = compileRobot(robot);
const files = await generateC(robot, compiled);

function statesOf(n: number, amplitudes: readonly number[]): State[] {
  const numbers = (amplitude: number, phase: number): number[] =>
    Array.from({ length: n }, (_, i) => amplitude * Math.sin(1.7 * i + phase));
  return amplitudes.map((amplitude) => ({ q: numbers(amplitude, 1), qd: numbers(1, 2), qdd: numbers(2, 3) }));
}

/** All numbers of a result in order. */
function flat(value: unknown): number[] {
  return typeof value === 'number' ? [value] : Object.values(value as object).flatMap(flat);
}

const isFull = process.env['KANEGEN_FULL'] === '1';
const [gcc, clang] = COMPILERS;
/** What compilers differ little in is done by one of them, by the other where it is missing, by both with everything else. */
const isLeftTo = (other: (typeof COMPILERS)[number], compiler: string): boolean =>
  !isFull && !other.missing && other.compiler !== compiler;

describe.each(COMPILERS)('C compiled by $compiler', ({ compiler, missing, unsanitary }) => {
  const precisions = (['double', 'single'] as const).filter(
    (own) => !isLeftTo(own === 'double' ? gcc! : clang!, compiler),
  );
  it.skipIf(missing).each(precisions)(
    `compiles in %s without a warning and passes its self-test (needs ${compiler})`,
    async (precision) => {
      const program = await buildC(files, { compiler, precision });
      try {
        expect(await runProgram(program)).toBe('branched: ok\n');
      } finally {
        await program.dispose();
      }
    },
    60_000,
  );

  it.skipIf(unsanitary || (isLeftTo(clang!, compiler) && !clang!.unsanitary))(
    `runs clean under the address and undefined-behaviour sanitizers (needs ${compiler} with sanitizers)`,
    async () => {
      const program = await buildC(files, { compiler, flags: SANITIZERS });
      try {
        expect(await runProgram(program)).toBe('branched: ok\n');
      } finally {
        await program.dispose();
      }
    },
    60_000,
  );

  it.skipIf(missing || isLeftTo(gcc!, compiler))(
    `gives the bits of the TypeScript where no library function is called (needs ${compiler})`,
    async () => {
      for (const [some, states] of [
        [planarCcChain(3), statesOf(3, [0, 1e-9, 1e-4, 0.1, 1.5])],
        [robot, statesOf(6, [0, 1e-9, 0.3, 1])],
      ] as const) {
        const made = compileRobot(some);
        const evaluator = await buildEvaluator(some, made, { compiler });
        try {
          expect(flat(await evaluator.evaluate(states))).toEqual(
            flat(await evaluateRobot(some, made, states, TYPESCRIPT)),
          );
        } finally {
          await evaluator.dispose();
        }
      }
    },
    60_000,
  );

  it.skipIf(missing || isLeftTo(clang!, compiler))(
    `agrees with the TypeScript to 1e-14 of each quantity with library functions, to 2e-5 in float (needs ${compiler})`,
    async () => {
      const states = statesOf(6, [0.3, 1, 4, 12]);
      const expected = await evaluateRobot(robot, compiled, states, TYPESCRIPT);
      for (const [precision, tolerance] of [
        ['double', 1e-14],
        ['single', 2e-5],
      ] as const) {
        const evaluator = await buildEvaluator(robot, compiled, { compiler, precision });
        const found = await evaluator.evaluate(states).finally(() => evaluator.dispose());
        found.forEach((result, s) => {
          for (const [name, value] of Object.entries(result)) {
            const [a, b] = [flat(value), flat(expected[s]![name as keyof (typeof expected)[number]])];
            const scale = Math.max(1e-3, ...b.map(Math.abs));
            a.forEach((x, i) => expect(Math.abs(x - b[i]!)).toBeLessThanOrEqual(tolerance * scale));
          }
        });
      }
    },
    60_000,
  );
});

describe('generated C', () => {
  it('is the same bytes every time', async () => {
    const again = branchedRobot();
    expect(await generateC(again, compileRobot(again))).toEqual(files);
  });

  it.skipIf(COMPILERS[0]!.missing)(
    'of joints side by side on a link that stands compiles silently (needs gcc)',
    async () => {
      const star = loadRobotObject({
        kanegen: 1,
        name: 'star',
        links: [
          { name: 'hub', rigid: { mass: 1 } },
          { name: 'a', parent: 'hub', joint: { revolute: 'x' }, rigid: { mass: 1, com: [0, 0.1, 0] } },
          { name: 'b', parent: 'hub', joint: { universal: ['y', 'z'] }, rigid: { mass: 1, com: [0.1, 0, 0] } },
        ],
      });
      expect(await messagesOf('gcc', STRICT_FLAGS, await generateC(star, compileRobot(star)))).toBe('');
    },
  );

  it('changes its ABI number when a coordinate is renamed', async () => {
    const abi = (list: typeof files): string =>
      /_ABI = (0x[0-9a-f]+)/.exec(list.find((f) => f.path === 'branched.h')!.text)![1]!;
    const coordinates = robot.coordinates.map((c, i) => (i === 2 ? { ...c, name: 'grip' } : c));
    expect(abi(await generateC({ ...robot, coordinates }, compileRobot(robot)))).not.toBe(abi(files));
  });

  it('says what the compiler said when a file does not compile', async () => {
    const broken = [{ path: 'broken.c', text: 'int main(void) { return x; }\n' }];
    await expect(buildC(broken)).rejects.toThrow(CompilerError);
    await expect(buildC(broken)).rejects.toThrow(/broken\.c/);
  });

  it('keeps tables of long numbers within 120 columns, and all that are in them', () => {
    const values = [-1.2345678901234567e-101, ...Array.from({ length: 9 }, (_, i) => -(1.2345678901234567e-12 + i))];
    const text = tableC({ name: 'long', values });
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
    const numbers = [...text.matchAll(/(-?)KG_REAL\(([^)]*)\)/g)].map(([, sign, size]) => Number(`${sign}${size}`));
    expect(numbers).toEqual(values);
  });

  it('keeps its lines within 120 columns', () => {
    const code = files.filter((f) => !f.path.endsWith('.json'));
    const wide = code.flatMap((f) => f.text.split('\n')).filter((line) => line.length > 120);
    expect(wide).toEqual([]);
  });
});

describe.skipIf(!isInstalled('gcc') || !isInstalled('nm'))('object files (need gcc and nm)', () => {
  let symbols = '';
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'kanegen-test-'));
    for (const file of files) writeFileSync(join(folder, file.path), file.text);
    const sources = files.map((f) => f.path).filter((path) => path.endsWith('.c') && !path.includes('selftest'));
    execFileSync('gcc', ['-O2', '-fno-pie', ...STRICT_FLAGS, '-c', ...sources], { cwd: folder });
    symbols = execFileSync(
      'nm',
      sources.map((path) => path.replace(/c$/, 'o')),
      { cwd: folder, encoding: 'utf8' },
    );
    rmSync(folder, { recursive: true });
  });

  it('call no allocator', () => {
    expect(symbols).toMatch(/ U kg_/);
    expect(symbols).not.toMatch(/ U (malloc|calloc|realloc|free|alloca|aligned_alloc)\b/);
  });

  it('hold no writable data', () => {
    expect(symbols).toMatch(/ [rR] /);
    expect(symbols.split('\n').filter((line) => / [bBdDcCsSgG] /.test(line))).toEqual([]);
  });
});

// ---------------------------------------------------------------------------------------------- Stumpff functions

const Precise = decimalOfPrecision(40);
const TOP = 17;

function exactly(x: number): Decimal {
  const { numerator, denominator } = Rational.fromDouble(x);
  return new Precise(numerator.toString()).div(denominator.toString());
}

/** Reads arguments, prints c_0 … c_17 of each with 17 digits; those up to an even order are the same beyond π², with one more. */
const STUMPFF_MAIN = `#include "kanegen_stumpff.h"
#include <stdio.h>
int main(void)
{
  double x;
  kg_real c[${TOP + 1}], even[${TOP + 2}];
  int k;
  while (scanf("%lf", &x) == 1) {
    kg_stumpff((kg_real)x, ${TOP}, c);
    even[${TOP + 1}] = KG_REAL(7.0);
    kg_stumpff((kg_real)x, ${TOP - 1}, even);
    for (k = 0; x > 9.8697 && k < ${TOP}; k++)
      if (c[k] < even[k] || c[k] > even[k])
        return 1;
    if (even[${TOP + 1}] < KG_REAL(7.0) || even[${TOP + 1}] > KG_REAL(7.0))
      return 1;
    for (k = 0; k <= ${TOP}; k++)
      printf("%.17g ", (double)c[k]);
  }
  return 0;
}
`;

describe.skipIf(!isInstalled('gcc'))('kg_stumpff (needs gcc)', () => {
  const xs = [
    0, 1e-12, 1e-3, 1, 2.4674, 9.5, 9.8696, 9.87, 15, 22.2, 39.4, 40, 88.8, 157, 200, 246.7, 300, 355.3, 399, 400,
  ];
  const runtime = files.filter((file) => /^kanegen_(runtime|stumpff)/.test(file.path));
  const values = async (precision: 'double' | 'single', arguments_: readonly number[]): Promise<number[][]> => {
    const program = await buildC([...runtime, { path: 'main.c', text: STUMPFF_MAIN }], { compiler: 'gcc', precision });
    const output = await runProgram(program, arguments_.join(' ')).finally(() => program.dispose());
    const numbers = output.trim().split(/\s+/).map(Number);
    return arguments_.map((_, i) => numbers.slice(i * (TOP + 1), (i + 1) * (TOP + 1)));
  };
  /** Relative error; absolute where c_0 and c_1 are differences of larger numbers. */
  const worst = (rows: readonly (readonly number[])[], arguments_: readonly number[]): number =>
    Math.max(
      ...rows.flatMap((row, i) =>
        row.map((value, order) => {
          const exact = stumpffDecimal(exactly(arguments_[i]!), order, Precise);
          const isDifference = order === 0 || (order === 1 && arguments_[i]! < 10);
          return new Decimal(value)
            .minus(exact)
            .abs()
            .div(Decimal.max(exact.abs(), isDifference ? 1 : 0))
            .toNumber();
        }),
      ),
    );

  it('is accurate to 4e-15 in double for orders 0 … 17 and 0 ≤ x ≤ 400', async () => {
    expect(worst(await values('double', xs), xs)).toBeLessThanOrEqual(4e-15);
  });

  it('is accurate to 1e-6 in float', async () => {
    const singles = xs.map(Math.fround);
    expect(worst(await values('single', singles), singles)).toBeLessThanOrEqual(1e-6);
  });

  it.each(['double', 'single'] as const)(
    'stays that of some angle where all digits of %s are lost',
    async (precision) => {
      const large = [1e9, 1e16, 1e20, 1e36, ...(precision === 'double' ? [1e200, 1e300] : [])].map(
        precision === 'single' ? Math.fround : Number,
      );
      const digits = precision === 'single' ? 5 : 14;
      for (const [i, c] of (await values(precision, large)).entries()) {
        expect(c[0]! ** 2 + large[i]! * c[1]! ** 2).toBeCloseTo(1, digits);
        expect(large[i]! * c[2]! + c[0]!).toBeCloseTo(1, digits);
      }
    },
  );

  it('gives the bits of the TypeScript below π², where neither calls a library function', async () => {
    const below = xs.filter((x) => x < 9.8696);
    const out = new Float64Array(TOP + 1);
    const expected = below.map((x) => {
      stumpff(x, TOP, out);
      return [...out];
    });
    expect(await values('double', below)).toEqual(expected);
  });
});

describe('neighbouring numbers in vectors', () => {
  /** The module of a link, up to where gcc is no longer told to pack nothing, and from there. */
  async function parts(joint: object | string): Promise<[string, string]> {
    const rigid = { mass: '1 kg', inertia: { xx: 0.1, yy: 0.2, zz: 0.25 } };
    const described = loadRobotObject({ kanegen: 1, name: 'one', links: [{ name: 'body', joint, rigid }] });
    const own = await generateC(described, compileRobot(described, { derivatives: true }));
    const [oneByOne, rest] = own.find(({ path }) => /^one_link_\w+\.c$/.test(path))!.text.split('GCC pop_options');
    return [oneByOne!, rest!];
  }

  it('are left alone by all functions of links with few coordinates, and by those without directions of others', async () => {
    const [few, afterwards] = await parts({ revolute: 'z' });
    expect(few).toContain('_forward_tangent(');
    expect(afterwards).not.toContain('_forward_tangent(');
    const [many, directions] = await parts('free');
    expect(many).toContain('_forward(');
    expect(many).not.toContain('_forward_tangent(');
    expect(directions).toContain('_forward_tangent(');
  });
});
