import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
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
    ['codegen/c', '../../kane/kernels/link-type.ts', 0],
    ['codegen/drivers/loops', '../../c/c.ts', 1],
    ['codegen/drivers/loops', '../../folder.ts', 1],
    ['codegen/drivers/loops', '../driver-part.ts', 0],
  ])('in the room src/%s an import of %s is an error %i times', async (room, imported, times) => {
    const [result] = await eslint.lintText(`import '${imported}';\n`, { filePath: `src/${room}/probe.ts` });
    expect(result!.messages.filter((m) => m.ruleId === 'no-restricted-imports').length).toBe(times);
  });
});

/** Files by those that they import, types included. */
function importsOf(folders: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((file) =>
      file.endsWith('.ts') ? [path.join(folder, file)] : [],
    ),
  );
  return new Map(
    files.map((file) => {
      const specifiers = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)];
      const imported = specifiers.map(([, specifier]) => path.join(path.dirname(file), specifier!));
      return [file, imported.filter((other) => files.includes(other))];
    }),
  );
}

/** The first circle found, from a file back to itself. */
function circleIn(imports: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const visit = (file: string, way: readonly string[]): readonly string[] => {
    if (way.includes(file)) return [...way.slice(way.indexOf(file)), file];
    if (done.has(file)) return [];
    const circle = imports
      .get(file)!
      .reduce<readonly string[]>((found, other) => (found.length > 0 ? found : visit(other, [...way, file])), []);
    done.add(file);
    return circle;
  };
  return [...imports.keys()].reduce<readonly string[]>(
    (found, file) => (found.length > 0 ? found : visit(file, [])),
    [],
  );
}

describe('folders', () => {
  it('have at most 16 source files at one level', () => {
    const folders = readdirSync('src', { recursive: true, withFileTypes: true }).flatMap((entry) =>
      entry.isFile() && entry.name.endsWith('.ts') ? [entry.parentPath] : [],
    );
    expect(folders.length).toBeGreaterThan(500);
    const crowded = [...new Set(folders)].filter((folder) => folders.filter((other) => other === folder).length > 16);
    expect(crowded).toEqual([]);
  });
});

describe('import circles', () => {
  it('are found', () => {
    const imports = new Map([
      ['a', ['b', 'c']],
      ['b', []],
      ['c', ['d']],
      ['d', ['c']],
    ]);
    expect(circleIn(imports)).toEqual(['c', 'd', 'c']);
  });

  it('do not exist', () => {
    const imports = importsOf(['src', 'bench', 'scripts']);
    expect(imports.get('src/index.ts')).toContain('src/common/error.ts');
    expect(circleIn(imports)).toEqual([]);
  });
});
