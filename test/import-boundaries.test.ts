/**
 * The lint rules keep data flowing one way: an import against the direction is reported, one along it is not.
 */
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const eslint = new ESLint({ cwd: root });

async function boundaryErrors(file: string, source: string): Promise<string[]> {
  const [result] = await eslint.lintText(`import * as other from '${source}';\n\nexport const used = other;\n`, {
    filePath: `${root}/${file}`,
  });
  return result!.messages.filter((m) => m.ruleId === 'no-restricted-imports').map((m) => m.message);
}

describe('import boundaries', () => {
  it.each([
    ['src/symbolic/example.ts', '../description/robot.ts'],
    ['src/integration/example.ts', '../kane/compile.ts'],
    ['src/description/example.ts', '../codegen/typescript.ts'],
    ['src/library/example.ts', '../codegen/c.ts'],
    ['src/kane/example.ts', '../codegen/program.ts'],
    ['src/runtime/example.ts', '../symbolic/expr.ts'],
    ['src/codegen/example.ts', '../verify/verify.ts'],
    ['src/verify/example.ts', '../cli/main.ts'],
    ['src/kane/deeper/example.ts', '../../codegen/program.ts'],
  ])('%s must not import %s', async (file, source) => {
    const errors = await boundaryErrors(file, source);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain('docs/architecture.md');
  });

  it.each([
    ['src/description/example.ts', '../symbolic/expr.ts'],
    ['src/kane/example.ts', '../integration/gram.ts'],
    ['src/codegen/example.ts', '../kane/link-type.ts'],
    ['src/cli/example.ts', '../verify/verify.ts'],
    ['src/kane/example.ts', './compile.ts'],
  ])('%s may import %s', async (file, source) => {
    expect(await boundaryErrors(file, source)).toEqual([]);
  });
});
