/** Types are blanked where they stand; what remains is what the compiler of TypeScript prints of the same module. */
import { transformSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { transpiled } from '../../src/codegen/typescript/javascript.ts';
import { generateTypeScript } from '../../src/codegen/typescript/typescript.ts';
import { withoutTypes } from '../../src/codegen/typescript/without-types.ts';
import { loadRobotFile } from '../../src/description/load.ts';
import { compileRobot } from '../../src/kane/compile.ts';

/** JavaScript in one layout, without comments. */
const printed = (javascript: string): string => transformSync(javascript, { minifyWhitespace: true }).code;

describe('modules without their types', () => {
  it.each(['learned', ...(process.env['KANEGEN_FULL'] === '1' ? ['scenarios/ur10e-motors'] : ['two-link'])])(
    'are those of the compiler: %s',
    async (name) => {
      const robot = loadRobotFile(`examples/${name}.robot.yaml`);
      const files = await generateTypeScript(robot, compileRobot(robot, { derivatives: true }));
      expect(files.length).toBeGreaterThan(5);
      for (const { path, text } of files) {
        const own = withoutTypes(text);
        expect(own, path).not.toBeNull();
        expect(own!.split('\n').length).toBe(text.split('\n').length);
        expect(printed(own!)).toBe(printed(transpiled(text)));
      }
    },
  );

  it.each([
    ['annotations', 'const a: number = 1, b: readonly string[] = [];\nlet c: { x?: number };\n'],
    [
      'functions',
      'export function f<T extends object>(a: T, b?: number, ...c: number[]): T | null {\n  return a;\n}\n',
    ],
    ['overloads', 'function f(a: number): number;\nfunction f(a: string): string;\nfunction f(a) {\n  return a;\n}\n'],
    ['arrows', 'const f = (a: number, { b, c = 2 }: { b: number; c?: number }): number => a! + b! * c;\n'],
    ['methods', 'const o = { f(a: number): number { return a; }, get g(): number { return 1; } };\n'],
    ['assertions', 'const x = (a as unknown as Float64Array)[0]! as number, y = { a: 1 } satisfies object;\n'],
    ['arguments of types', 'const m = new Map<string, Map<number, string>>(f<number>(1));\n'],
    [
      'interfaces',
      'export interface A {\n  readonly a: number;\n}\ntype B = A | null;\nexport type { C };\nexport const d = 1;\n',
    ],
    [
      'imports',
      "import type { A } from './a.js';\nimport { b, type C, d } from './b.js';\nimport { type E } from './e.js';\n",
    ],
    ['exports', "export { a, type B } from './a.js';\nexport * from './c.js';\n"],
    ['comparisons, which are no types', 'const a = b < c && d > e ? (f) : g!;\n'],
  ])('have none of: %s', (_, text) => {
    const module = `${text}export {};\n`;
    expect(printed(withoutTypes(module)!)).toBe(printed(transpiled(module)));
  });

  it.each([
    'enum A { b }',
    'class A { constructor(private readonly a: number) {} }',
    'namespace A { export const b = 1; }',
    'abstract class A {}',
  ])('are left to the compiler where there is more than types: %s', (text) => {
    expect(withoutTypes(text)).toBeNull();
  });
});
