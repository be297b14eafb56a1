import { readdirSync } from 'node:fs';
import { ESLint, type Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
import { allowedImports, rooms } from '../eslint.config.js';

// Files that do not exist have no types.
const eslint = new ESLint({ overrideConfig: tseslint.configs.disableTypeChecked as Linter.Config });

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

  it.each(Object.entries(rooms))('name every room of src/%s', (folder, names) => {
    const found = readdirSync(`src/${folder}`, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
    expect([...names].sort()).toEqual(found.sort());
  });

  it.each([
    ['kane/equations', '../link/body-part.ts', 1],
    ['kane/rods', '../compile-body.ts', 1],
    ['codegen/programs', '../c/c.ts', 1],
    ['kane/link', '../../codegen/c/c.ts', 1],
    ['kane/rods', '../link/body-part.ts', 0],
    ['codegen/wasm', '../typescript/typescript.ts', 0],
    ['codegen/c', '../../kane/link/link-type.ts', 0],
  ])('in the room src/%s an import of %s is an error %i times', async (room, imported, times) => {
    const [result] = await eslint.lintText(`import '${imported}';\n`, { filePath: `src/${room}/probe.ts` });
    expect(result!.messages.filter((m) => m.ruleId === 'no-restricted-imports').length).toBe(times);
  });
});
