import { readdirSync } from 'node:fs';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { allowedImports } from '../eslint.config.js';

const eslint = new ESLint();

async function boundaryErrors(folder: string, imported: string): Promise<number> {
  const [result] = await eslint.lintText(`import '../${imported}/x.ts';\n`, { filePath: `src/${folder}/probe.ts` });
  return result!.messages.filter((m) => m.ruleId === 'no-restricted-imports').length;
}

describe('import boundaries', () => {
  it('name every folder of src', () => {
    const folders = readdirSync('src', { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
    expect(Object.keys(allowedImports).sort()).toEqual(folders.sort());
  });

  it.each([
    ['symbolic', 'kane'],
    ['integration', 'description'],
    ['kane', 'codegen'],
    ['description', 'codegen'],
    ['runtime', 'symbolic'],
    ['codegen', 'verify'],
  ])('refuse an import from src/%s to src/%s', async (folder, imported) => {
    expect(await boundaryErrors(folder, imported)).toBe(1);
  });

  it.each([
    ['kane', 'integration'],
    ['codegen', 'kane'],
    ['verify', 'codegen'],
  ])('allow an import from src/%s to src/%s', async (folder, imported) => {
    expect(await boundaryErrors(folder, imported)).toBe(0);
  });
});
