import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';
import { generateC } from '../../src/codegen/c/c.ts';
import { host } from '../../src/host/node.ts';
import { REDUCTION_CONSTANTS, sineCosineTypeScript } from '../../src/codegen/printing/sine-cosine.ts';
import { typescriptTarget } from '../../src/codegen/typescript/target.ts';
import { loadRobotObject } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';
import { decimalOfPrecision } from '../../src/symbolic/evaluation/evaluate.ts';
import { COMPILERS } from '../compilers.ts';

/** That of any robot. */
const runTimeHeader = await (async () => {
  const robot = loadRobotObject({
    kanegen: 1,
    name: 'any',
    links: [{ name: 'hinge', joint: { revolute: 'z' }, rigid: { mass: '1 kg' } }],
  });
  const files = await generateC(robot, compileRobot(robot));
  return files.find(({ path }) => path === 'kanegen_runtime.h')!.text;
})();

const Precise = decimalOfPrecision(60);
const sineAndCosine = inTypeScript();

/** The number itself, not the shortest decimal that reads back as it. */
const exactly = (x: number) => new Precise(`${x < 0 ? '-' : ''}0b${Math.abs(x).toString(2)}`);

/** Angles of every size, those near multiples of π/4 among them, where the quadrant changes and where one of the two vanishes. */
const ANGLES = [
  ...[0, 1e-300, 1e-12, 1e-7, 0.1, 1, 3, 100, 5000, 99999, 2 ** 22].flatMap((x) => [x, -x]),
  ...Array.from({ length: 400 }, (_, i) => 0.731 * (i - 200) + 1e-3 * Math.sin(i)),
  ...Array.from({ length: 200 }, (_, i) => (i - 100) * (Math.PI / 4)),
  ...Array.from({ length: 100 }, (_, i) => (i + 1) * 998.7 * (i % 2 === 0 ? 1 : -1)),
  ...Array.from({ length: 50 }, (_, i) => (2 * i + 1) * 1271 * (Math.PI / 4)),
  ...Array.from({ length: 50 }, (_, i) => (i + 1) * 83885.3),
  // Next to multiples of π/2: digits of the angle itself are gone.
  ...Array.from({ length: 50 }, (_, i) => (2_670_176 - 997 * i) * (Math.PI / 2)),
];

describe('sine and cosine', () => {
  it('are within 2.3e-16 of exact for every angle that is reduced, and within two units of their own last place', () => {
    for (const x of ANGLES) {
      const [sine, cosine] = sineAndCosine(x);
      const exact = [exactly(x).sin(), exactly(x).cos()];
      [sine, cosine].forEach((value, i) => {
        const error = exact[i]!.minus(value).abs().toNumber();
        expect(error, `${i === 0 ? 'sin' : 'cos'} ${x}`).toBeLessThanOrEqual(2.3e-16);
        expect(error, `${i === 0 ? 'sin' : 'cos'} ${x}`).toBeLessThanOrEqual(4.5e-16 * exact[i]!.abs().toNumber());
      });
    }
  });

  it('are not a number beyond the angles that are reduced, and where there is none', () => {
    for (const x of [2 ** 22 + 1, -1e9, 1e300, NaN, Infinity, -Infinity]) expect(sineAndCosine(x)).toEqual([NaN, NaN]);
  });

  it('reduces by pieces of π/2 that add up to it to rounding of the smallest', () => {
    const { KG_QUARTER_1: first, KG_QUARTER_2: second, KG_QUARTER_3: third } = REDUCTION_CONSTANTS;
    const half = Precise.acos(0);
    const left = (precision: 'double' | 'single') =>
      [first, second, third]
        .reduce((rest, piece) => rest.minus(exactly(piece[precision])), half)
        .abs()
        .toNumber();
    expect(left('double')).toBeLessThan(2 ** -54 * Math.abs(third.double));
    expect(left('single')).toBeLessThan(1e-14);
  });
});

const folder = mkdtempSync(join(tmpdir(), 'kanegen-sines-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(COMPILERS)('sine and cosine in C with $compiler', ({ compiler, missing }) => {
  it.skipIf(missing)(`have the bits of the TypeScript (needs ${compiler})`, () => {
    expect(inC(compiler, ['-O2', '-ffp-contract=off'])).toEqual(ANGLES.map(sineAndCosine));
  });

  it.skipIf(missing)(`are within 1.2e-7 in single precision (needs ${compiler})`, () => {
    const small = ANGLES.filter((x) => Math.abs(x) < 5000);
    inC(compiler, ['-O2', '-DKG_SINGLE'], small).forEach((pair, i) => {
      const x = Math.fround(small[i]!);
      expect(Math.abs(pair[0] - Math.sin(x)), `sin ${x}`).toBeLessThanOrEqual(1.2e-7);
      expect(Math.abs(pair[1] - Math.cos(x)), `cos ${x}`).toBeLessThanOrEqual(1.2e-7);
    });
  });

  it.skipIf(missing)(
    `cost the same far from zero in single precision, and are no numbers beyond (needs ${compiler})`,
    () => {
      const far = ANGLES.filter((x) => Math.abs(x) >= 5000).concat([4e6, -3.9e6]);
      inC(compiler, ['-O2', '-DKG_SINGLE'], far).forEach((pair, i) => {
        const x = Math.fround(far[i]!);
        expect(Math.abs(pair[0] - Math.sin(x)), `sin ${x}`).toBeLessThanOrEqual(3e-7);
        expect(Math.abs(pair[1] - Math.cos(x)), `cos ${x}`).toBeLessThanOrEqual(3e-7);
      });
      for (const flags of [['-DKG_SINGLE'], []])
        expect(inC(compiler, ['-O2', ...flags], [2 ** 22 + 1, -1e9])).toEqual([
          [NaN, NaN],
          [NaN, NaN],
        ]);
    },
  );

  it.skipIf(missing)(`leave the work to the library where arithmetic is not as written (needs ${compiler})`, () => {
    for (const flag of ['-ffast-math', '-DKG_ROUNDS_AS_WRITTEN=0'])
      inC(compiler, ['-O2', flag]).forEach((pair, i) => {
        expect(Math.abs(pair[0] - Math.sin(ANGLES[i]!))).toBeLessThanOrEqual(3e-16);
        expect(Math.abs(pair[1] - Math.cos(ANGLES[i]!))).toBeLessThanOrEqual(3e-16);
      });
    // Not vacuous: here and there the polynomials round to another bit.
    expect(inC(compiler, ['-O2', '-DKG_ROUNDS_AS_WRITTEN=0'])).not.toEqual(inC(compiler, ['-O2']));
  });
});

/** The generated statements as a function, in this process. */
function inTypeScript(): (x: number) => [number, number] {
  const ts = host.typescript();
  const text = `function sineAndCosine(x) {
  ${sineCosineTypeScript(typescriptTarget(), 'x', 'sine', 'cosine').join('\n')}
  ${sineCosineTypeScript(typescriptTarget(), '1 * x', 'alone', undefined).join('\n')}
  return [alone, sine === alone || x !== x ? cosine : NaN];
}`;
  const call = runInNewContext(`${ts.transpileModule(text, {}).outputText}; sineAndCosine`, { Math }) as (
    x: number,
  ) => [number, number];
  return (x) => [...call(x)];
}

/** The generated function compiled and asked for the angles. */
function inC(compiler: string, flags: readonly string[], angles: readonly number[] = ANGLES): [number, number][] {
  const source = `#include "kanegen_runtime.h"
#include <stdio.h>
static const double angles[] = { ${angles.map((x) => x.toString()).join(', ')} };
int main(void)
{
  for (unsigned i = 0; i < sizeof angles / sizeof *angles; i++) {
    kg_real s, c;
    kg_sine_and_cosine((kg_real)angles[i], &s, &c);
    printf("%.17g %.17g\\n", (double)s, (double)c);
  }
  return 0;
}
`;
  writeFileSync(join(folder, 'sines.c'), source);
  writeFileSync(join(folder, 'kanegen_runtime.h'), runTimeHeader);
  execFileSync(compiler, [...flags, 'sines.c', '-o', 'sines', '-lm'], { cwd: folder });
  const lines = execFileSync(join(folder, 'sines'), { encoding: 'utf8' }).trim().split('\n');
  return lines.map((line) => line.split(' ').map(Number) as [number, number]);
}
