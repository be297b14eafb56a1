/**
 * The JavaScript target: the TypeScript modules with their types taken out (`.js`) and their declarations (`.d.ts`); and
 * what lets Node run the TypeScript modules as they are.
 */
import { loadMorph } from '../modules/morph.ts';
import type { GeneratedFile } from '../modules/robot-model.ts';

/** JavaScript of a TypeScript module, its imports as they are. */
export function transpiled(text: string): string {
  const { ts } = loadMorph();
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext, verbatimModuleSyntax: true };
  return ts.transpileModule(text, { compilerOptions }).outputText;
}

/**
 * The same modules as JavaScript with declarations: they import each other by names ending in `.js`, which Node,
 * TypeScript and bundlers find. `package.json` says that they are ES modules, whatever the project around them is.
 */
export function javascriptOf(files: readonly GeneratedFile[]): GeneratedFile[] {
  const { ts } = loadMorph();
  const compilerOptions = { target: ts.ScriptTarget.ES2022, verbatimModuleSyntax: true };
  return [
    ...files.flatMap(({ path, text }) => [
      { path: path.replace(/\.ts$/, '.js'), text: layout(transpiled(text)) },
      {
        path: path.replace(/\.ts$/, '.d.ts'),
        text: layout(ts.transpileDeclaration(text, { compilerOptions }).outputText),
      },
    ]),
    { path: 'package.json', text: '{ "type": "module" }\n' },
  ];
}

/** TypeScript prints with four spaces and without empty lines. */
function layout(text: string): string {
  return text.replace(/^(?: {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2)).replace(/\n(?=\/\*\*)/g, '\n\n');
}

/**
 * Where a TypeScript module imports `./x.js`, compilers, tsx and bundlers take `x.ts`. Node, which takes types out but
 * leaves names as they are, takes the file itself: it leads there.
 */
export function forwardingModules(files: readonly GeneratedFile[]): GeneratedFile[] {
  const imported = files.flatMap(({ text }) =>
    [...text.matchAll(/^import (?!type\b)[^;]*? from '\.\/([^']+)\.js';/gm)].map((match) => match[1]!),
  );
  return [...new Set(imported)].sort().map((name) => ({
    path: `${name}.js`,
    text: `// For Node, which runs TypeScript as it is; every other tool takes ${baseName(name)}.ts itself.\nexport * from './${baseName(name)}.ts';\n`,
  }));
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
